//! Words and numbers of a BVH file, in one pass over its bytes.

use crate::{
    bvh::MAX_VALUE,
    error::{Found, NumberHint, NumberPlace, Position, ReadError, excerpt},
};

/// A cursor over the bytes. Lines are counted only when a message needs them.
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Digits that always fit a 64-bit number.
const MAX_PLAIN_DIGITS: usize = 19;

/// Powers of ten that double precision holds exactly, as far as so many digits need them.
const POWERS_OF_TEN: [f64; MAX_PLAIN_DIGITS + 1] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
];

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C)
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Byte offset of the cursor.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// Moves the cursor back to an offset that it has had.
    pub(super) fn go_back(&mut self, offset: usize) {
        self.at = offset;
    }

    /// Bytes from the cursor to the end.
    pub(super) fn num_remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Skips white space and says whether a line ended in it.
    pub(super) fn skip_space(&mut self) -> bool {
        let mut line_ended = false;
        while let Some(&byte) = self.bytes.get(self.at)
            && is_space(byte)
        {
            line_ended |= byte == b'\n' || byte == b'\r';
            self.at += 1;
        }
        line_ended
    }

    /// Skips white space within the line.
    pub(super) fn skip_blanks(&mut self) {
        let rest = &self.bytes[self.at..];
        let is_blank = |byte: &u8| is_space(*byte) && !matches!(byte, b'\n' | b'\r');
        self.at += rest.iter().take_while(|byte| is_blank(byte)).count();
    }

    /// The bytes up to one that `ends` the token, at least one unless the file ends.
    fn take_until(&mut self, ends: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = match rest.first() {
            None => 0,
            Some(_) => 1 + rest[1..].iter().position(|&byte| ends(byte)).unwrap_or(rest.len() - 1),
        };
        self.at += length;
        &rest[..length]
    }

    /// The next token of the motion, which ends at white space or any control character; empty at the end of the file.
    pub(super) fn token(&mut self) -> &'a [u8] {
        self.skip_space();
        self.take_until(|byte| byte <= b' ')
    }

    /// The number at the cursor, where it is spelled in the plain way of most files; `None`, and nothing taken, for any
    /// other token, which [`Self::token`] and [`number`] then tell in full.
    ///
    /// A sign, digits, perhaps a point. Whole numbers up to 2^53 and powers of ten up to 10^22 are exact, so their quotient
    /// is rounded once and has the bits that [`number`] gives. Source: Clinger 1990.
    pub(super) fn plain_number(&mut self) -> Option<f64> {
        let rest = &self.bytes[self.at..];
        let (is_negative, digits) = match rest {
            [b'-', digits @ ..] => (true, digits),
            [b'+', digits @ ..] => (false, digits),
            digits => (false, digits),
        };
        let (mut whole, mut num_digits, mut point) = (0_u64, 0, None);
        let mut length = digits.len();
        for (index, &byte) in digits.iter().enumerate() {
            match byte {
                b'0'..=b'9' if num_digits < MAX_PLAIN_DIGITS => {
                    whole = 10 * whole + u64::from(byte - b'0');
                    num_digits += 1;
                }
                b'.' if point.is_none() => point = Some(num_digits),
                // A token ends where `token` ends it.
                0..=b' ' => {
                    length = index;
                    break;
                }
                _ => return None,
            }
        }
        if num_digits == 0 || whole > 1 << f64::MANTISSA_DIGITS {
            return None;
        }
        let num_decimals = point.map_or(0, |point| num_digits - point);
        let size = whole as f64 / POWERS_OF_TEN.get(num_decimals)?;
        if size > MAX_VALUE {
            return None;
        }
        self.at += rest.len() - digits.len() + length;
        Some(if is_negative { -size } else { size })
    }

    /// The next word of the hierarchy; a brace is a word of its own. Empty at the end of the file.
    pub(super) fn word(&mut self) -> &'a [u8] {
        self.skip_space();
        match self.bytes.get(self.at) {
            Some(b'{' | b'}') => self.take_until(|_| true),
            _ => self.take_until(|byte| is_space(byte) || byte == b'{' || byte == b'}'),
        }
    }

    /// The next word of the motion's header, which ends before a colon as well.
    pub(super) fn label(&mut self) -> &'a [u8] {
        self.skip_space();
        self.take_until(|byte| is_space(byte) || byte == b':')
    }

    /// Skips one colon, if there is one.
    pub(super) fn skip_colon(&mut self) {
        self.skip_space();
        if self.bytes.get(self.at) == Some(&b':') {
            self.at += 1;
        }
    }

    /// The rest of the line up to an opening brace, without blanks around it.
    pub(super) fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = rest
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'\r' | b'{'))
            .unwrap_or(rest.len());
        self.at += length;
        rest[..length].trim_ascii()
    }

    /// Line and column of a byte offset, by a walk from the start of the file: for messages only.
    pub(super) fn position_of(&self, offset: usize) -> Position {
        let before = &self.bytes[..offset];
        let mut line = 1;
        let mut start = 0;
        for (index, &byte) in before.iter().enumerate() {
            // A CRLF counts at its LF.
            let ends = byte == b'\n' || (byte == b'\r' && self.bytes.get(index + 1) != Some(&b'\n'));
            if ends {
                line += 1;
                start = index + 1;
            }
        }
        let column = 1 + before[start..].iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        Position { line, column }
    }

    /// Where a token that was just taken starts.
    pub(super) fn position_before(&self, token: &[u8]) -> Position {
        self.position_of(self.at - token.len())
    }
}

/// A token as messages show it.
pub(super) fn found(token: &[u8]) -> Found {
    if token.is_empty() {
        Found::EndOfFile
    } else {
        Found::Text(excerpt(token))
    }
}

/// Why a token is no number that a motion can have.
pub(super) enum NumberFault {
    NotANumber(NumberHint),
    NotFinite,
    OutOfRange,
}

/// The number that a token spells, finite and of plausible size.
pub(super) fn number(token: &[u8]) -> Result<f64, NumberFault> {
    match core::str::from_utf8(token)
        .ok()
        .and_then(|text| text.parse::<f64>().ok())
    {
        Some(value) if value.abs() <= MAX_VALUE => Ok(value),
        Some(_) if spells_not_finite(token) => Err(NumberFault::NotFinite),
        Some(_) => Err(NumberFault::OutOfRange),
        None if spells_not_finite(token) => Err(NumberFault::NotFinite),
        None => Err(NumberFault::NotANumber(hint(token))),
    }
}

fn without_sign(token: &[u8]) -> &[u8] {
    token
        .strip_prefix(b"-")
        .or_else(|| token.strip_prefix(b"+"))
        .unwrap_or(token)
}

/// Whether a token is some spelling of NaN or infinity, such as `nan`, `-nan(ind)` or `Infinity`.
fn spells_not_finite(token: &[u8]) -> bool {
    let token = without_sign(token);
    let starts_with = |word: &[u8]| {
        token
            .get(..word.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(word))
    };
    starts_with(b"nan") || starts_with(b"inf")
}

fn hint(token: &[u8]) -> NumberHint {
    let digits_and = |others: &[u8]| token.iter().all(|byte| byte.is_ascii_digit() || others.contains(byte));
    if token.contains(&b'#') {
        return NumberHint::OldNan;
    }
    if token.contains(&b',') && digits_and(b",.+-eE") {
        return NumberHint::DecimalComma;
    }
    let dots = token.iter().filter(|&&byte| byte == b'.').count();
    let inner_sign = token
        .windows(2)
        .any(|pair| matches!(pair, [b'0'..=b'9' | b'.', b'+' | b'-']));
    if digits_and(b".+-eE") && (dots > 1 || inner_sign) {
        return NumberHint::RunTogether;
    }
    NumberHint::None
}

/// The error for a token that is not the number it should be.
pub(super) fn number_error(lexer: &Lexer<'_>, token: &[u8], fault: NumberFault, place: NumberPlace) -> ReadError {
    let at = lexer.position_before(token);
    let found = found(token);
    match fault {
        NumberFault::NotANumber(hint) => ReadError::NotANumber { at, place, found, hint },
        NumberFault::NotFinite => ReadError::NotFinite { at, place, found },
        NumberFault::OutOfRange => ReadError::OutOfRange {
            at,
            place,
            found,
            limit: MAX_VALUE,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_every_spelling() {
        for (text, value) in [
            ("0", 0.0),
            ("-0E0", 0.0),
            ("+.5", 0.5),
            ("90.", 90.0),
            ("1.524e-006", 1.524e-6),
            ("1E+002", 100.0),
            ("007", 7.0),
        ] {
            assert!(matches!(number(text.as_bytes()), Ok(found) if found == value), "{text}");
        }
    }

    /// Whatever is read in the short way has the bits of the long one and leaves the cursor at the same place.
    #[test]
    fn plain_numbers_have_the_bits_of_all_others() {
        let mut texts: Vec<String> = [
            "0",
            "-0",
            "+.5",
            "90.",
            ".",
            "-",
            "1e5",
            "1.2.3",
            "1,5",
            "007",
            "-12.3456",
            "0.1",
            "9007199254740993",
            "9007199254740992",
            "0.3333333333333333",
            "12345678901234567890",
            "-999999999.9",
            "1000000001",
            "0.00000000000000001",
            "nan",
            "",
        ]
        .map(str::to_owned)
        .to_vec();
        // Numbers of all lengths, with the point everywhere.
        let mut state = 1_u64;
        for _ in 0..20_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let mut text = (state >> (state % 60)).to_string();
            text.insert((state >> 33) as usize % (text.len() + 1), '.');
            texts.push(if state & 1 == 0 { text } else { format!("-{text}") });
        }
        let mut num_plain = 0;
        for text in texts {
            for ending in ["", " 1", "\t", "\r\n", "\0"] {
                let line = format!("{text}{ending}");
                let (mut short, mut long) = (Lexer::new(line.as_bytes()), Lexer::new(line.as_bytes()));
                let Some(found) = short.plain_number() else {
                    assert_eq!(short.offset(), 0);
                    continue;
                };
                let expected = number(long.token());
                assert!(
                    matches!(expected, Ok(value) if value.to_bits() == found.to_bits()),
                    "{line:?}: {found}"
                );
                assert_eq!(short.offset(), long.offset(), "{line:?}");
                num_plain += 1;
            }
        }
        assert!(num_plain > 20_000, "{num_plain}");
    }

    #[test]
    fn what_is_wrong_with_a_number() {
        for (text, expected) in [
            ("1,5", NumberHint::DecimalComma),
            ("0.0-0.0", NumberHint::RunTogether),
            ("1.25.5", NumberHint::RunTogether),
            ("-1.#IND", NumberHint::OldNan),
            ("1.#QNAN", NumberHint::OldNan),
            ("ninety", NumberHint::None),
            ("", NumberHint::None),
            ("\u{E4}", NumberHint::None),
        ] {
            assert!(
                matches!(number(text.as_bytes()), Err(NumberFault::NotANumber(hint)) if hint == expected),
                "{text}"
            );
        }
        for text in ["nan", "NaN", "-inf", "+Infinity", "-nan(ind)"] {
            assert!(matches!(number(text.as_bytes()), Err(NumberFault::NotFinite)), "{text}");
        }
        for text in ["1e999", "-1e300", "1000000001"] {
            assert!(
                matches!(number(text.as_bytes()), Err(NumberFault::OutOfRange)),
                "{text}"
            );
        }
    }

    #[test]
    fn lines_end_in_three_ways() {
        let lexer = Lexer::new("a\nb\r\nc\rd \u{E4}e".as_bytes());
        let position = |offset| {
            let Position { line, column } = lexer.position_of(offset);
            (line, column)
        };
        assert_eq!(position(0), (1, 1));
        assert_eq!(position(2), (2, 1));
        assert_eq!(position(5), (3, 1));
        assert_eq!(position(7), (4, 1));
        assert_eq!(position(11), (4, 4));
    }
}
