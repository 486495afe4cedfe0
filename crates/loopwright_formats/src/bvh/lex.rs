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

/// Powers of ten by which decimals shift the whole number before them.
const WHOLE_POWERS_OF_TEN: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

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

    /// Appends numbers from the cursor on to `values`, up to `limit` of them and to the end of the line, as long as they are
    /// spelled in the plain way of most files; the number of them.
    ///
    /// The cursor comes to stand right after the last of them. Whatever is left, [`Self::token`] and [`number`] tell in full.
    pub(super) fn plain_numbers(&mut self, limit: usize, values: &mut Vec<f64>) -> usize {
        let mut count = 0;
        let mut at = self.at;
        while count < limit {
            let rest = &self.bytes[at..];
            let Some((value, length)) = short_number(rest).or_else(|| plain_number(rest)) else {
                break;
            };
            at += length;
            values.push(value);
            count += 1;
            self.at = at;
            while let Some(b' ' | b'\t') = self.bytes.get(at) {
                at += 1;
            }
        }
        count
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

/// The number at the start of `rest` and the bytes that it takes, where it is spelled in the plain way; `None` for any other
/// token.
///
/// A sign, digits, perhaps a point. Whole numbers up to 2^53 and powers of ten up to 10^22 are exact, so their quotient is
/// rounded once and has the bits that [`number`] gives. Source: Clinger 1990.
#[inline(never)]
fn plain_number(rest: &[u8]) -> Option<(f64, usize)> {
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
    let value = if is_negative { -size } else { size };
    Some((value, rest.len() - digits.len() + length))
}

/// A byte in every place.
const fn everywhere(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The digits at the start of some bytes: the number that they make, and how many of eight bytes they are.
///
/// Byte by byte, the processor guesses wrong where each number ends, which takes longer than all the arithmetic. Here eight
/// bytes are one large number, the first of them lowest, and nothing depends on the count of digits but a distance of shift.
#[inline]
fn leading_digits(bytes: &[u8]) -> Option<(u64, usize)> {
    let values = u64::from_le_bytes(*bytes.first_chunk()?) ^ everywhere(b'0');
    // The top bit of the first byte that is no digit is set, and no byte before it carries.
    let others = (values | values.wrapping_add(everywhere(0x80 - 10))) & everywhere(0x80);
    let num_bits = others.trailing_zeros() & !7;
    // The last digit comes to stand on top, with zeros for those that are missing; a shift by all bits is one in two steps.
    let digits = values << (56 - num_bits.min(56)) << if num_bits == 64 { 0 } else { 8 };
    let pairs = (10 * digits + (digits >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (100 * pairs + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    let whole = (10_000 * fours + (fours >> 32)) & 0xFFFF_FFFF;
    Some((whole, num_bits as usize / 8))
}

/// [`plain_number`] for most numbers: at most seven digits, or those with a point and at most seven behind it.
#[inline]
fn short_number(bytes: &[u8]) -> Option<(f64, usize)> {
    let is_negative = *bytes.first()? == b'-';
    let mut length = usize::from(is_negative);
    let (mut whole, num_digits) = leading_digits(&bytes[length..])?;
    length += num_digits;
    let mut num_decimals = 0;
    if *bytes.get(length)? == b'.' {
        length += 1;
        let decimals;
        (decimals, num_decimals) = leading_digits(&bytes[length..])?;
        whole = whole * WHOLE_POWERS_OF_TEN[num_decimals] + decimals;
        length += num_decimals;
    }
    // Fifteen digits at most are a whole number that a double holds, and seven before the point a size that motions may have.
    let is_plain = num_digits > 0 && num_digits < 8 && num_decimals < 8 && *bytes.get(length)? <= b' ';
    if !is_plain {
        return None;
    }
    let size = whole as i64 as f64 / POWERS_OF_TEN[num_decimals];
    // Not by a choice, which the processor would have to guess.
    let value = f64::from_bits(size.to_bits() | (u64::from(is_negative) << 63));
    Some((value, length))
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

    /// Multiplicative congruential numbers, the same on every run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % limit
        }

        /// Something like a number, of any length, now and then with a letter in it.
        fn decimal(&mut self) -> String {
            let mut text = ["", "", "-", "-", "+", "--"][self.below(6) as usize].to_owned();
            let (num_before, num_after) = match self.below(4) {
                0 => (self.below(12), self.below(25)),
                1 => (self.below(22), 0),
                _ => (self.below(4), self.below(10)),
            };
            let digits = |count: u64, random: &mut Self, text: &mut String| {
                for _ in 0..count {
                    text.push(char::from(b'0' + random.below(10) as u8));
                }
            };
            digits(num_before, self, &mut text);
            if num_after > 0 || self.below(3) == 0 {
                text.push('.');
            }
            digits(num_after, self, &mut text);
            if self.below(20) == 0 {
                text.push_str(&format!("e{}", self.below(60) as i64 - 30));
            }
            if self.below(20) == 0 && !text.is_empty() {
                let at = self.below(text.len() as u64) as usize;
                let odd = [
                    ".", "-", "+", "/", ":", ",", "\u{1}", "#", "\u{e9}", "\u{7f}", "\u{3a}", "e",
                ];
                text.replace_range(at..=at, odd[self.below(odd.len() as u64) as usize]);
            }
            text
        }
    }

    /// Whatever is read in a short way has the bits of the long one and leaves the cursor at the same place.
    #[test]
    fn plain_numbers_have_the_bits_of_all_others() {
        let mut texts: Vec<String> = [
            "0",
            "-0",
            "-0.0",
            "+.5",
            "90.",
            ".",
            "-.",
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
            "123456789012345",
            "-12345678901234",
            "-123456789012345",
            "-999999999.9",
            "1000000000",
            "1000000001",
            "0.00000000000000001",
            "nan",
            "",
        ]
        .map(str::to_owned)
        .to_vec();
        let mut random = Random(1);
        texts.extend((0..300_000).map(|_| random.decimal()));
        let mut num_plain = 0;
        for text in texts {
            let ending = [
                "",
                " 1",
                "\t\t2 3 4 5 6 7 8 9",
                "\r\n                  ",
                "\0                 ",
            ][random.below(5) as usize];
            let line = format!("{text}{ending}");
            let (mut short, mut long) = (Lexer::new(line.as_bytes()), Lexer::new(line.as_bytes()));
            let mut found = Vec::new();
            if short.plain_numbers(1, &mut found) == 0 {
                assert_eq!(short.offset(), 0);
                continue;
            }
            let expected = number(long.token());
            assert!(
                matches!(expected, Ok(value) if value.to_bits() == found[0].to_bits()),
                "{line:?}: {found:?}"
            );
            assert_eq!(short.offset(), long.offset(), "{line:?}");
            num_plain += 1;
        }
        assert!(num_plain > 150_000, "{num_plain}");
    }

    #[test]
    fn plain_numbers_end_with_the_line() {
        let mut lexer = Lexer::new(b"1 -2.5\t 3.25  \n4 5 six 7");
        let mut values = Vec::new();
        assert_eq!(lexer.plain_numbers(9, &mut values), 3);
        assert_eq!(lexer.offset(), 12);
        assert!(lexer.skip_space());
        assert_eq!(lexer.plain_numbers(1, &mut values), 1);
        lexer.skip_blanks();
        assert_eq!(lexer.plain_numbers(9, &mut values), 1);
        lexer.skip_blanks();
        assert_eq!(lexer.plain_numbers(9, &mut values), 0);
        assert_eq!(lexer.token(), b"six");
        assert_eq!(values, [1.0, -2.5, 3.25, 4.0, 5.0]);
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
