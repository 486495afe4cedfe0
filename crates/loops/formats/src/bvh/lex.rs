//! A cursor over the words and numbers of a BVH file, with lines and columns.

use super::{
    error::{BvhError, Found, NumberPlace, Position},
    number::{NumberFault, short_number},
};
use crate::{excerpt::excerpt, limits::MAX_VALUE};

/// A cursor over the bytes. Lines are counted only when a message needs them.
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Whether a word is a keyword, in any case.
pub(super) fn is(word: &[u8], keyword: &str) -> bool {
    word.eq_ignore_ascii_case(keyword.as_bytes())
}

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

    /// Moves the cursor back to an earlier offset.
    pub(super) fn go_back(&mut self, offset: usize) {
        self.at = offset;
    }

    /// Returns the bytes from the cursor to the end.
    pub(super) fn num_remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Skips white space; returns whether a line ended in it.
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
        let blanks = rest
            .iter()
            .take_while(|byte| is_space(**byte) && !matches!(byte, b'\n' | b'\r'));
        self.at += blanks.count();
    }

    /// Takes the bytes up to the one that `ends` the token, at least one unless the file ends.
    fn take_until(&mut self, ends: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = match rest.first() {
            None => 0,
            Some(_) => 1 + rest[1..].iter().position(|&byte| ends(byte)).unwrap_or(rest.len() - 1),
        };
        self.at += length;
        &rest[..length]
    }

    /// Takes the next token of the motion, which ends at white space or any control character; empty at the end of the file.
    pub(super) fn token(&mut self) -> &'a [u8] {
        self.skip_space();
        self.take_until(|byte| byte <= b' ')
    }

    /// Appends numbers from the cursor on to `values`, up to `limit` of them and to the end of the line, while they are spelled
    /// plainly, as in most files; returns their number.
    ///
    /// The cursor ends right after the last of them. [`Self::token`] and [`number`] read the remainder.
    pub(super) fn plain_numbers(&mut self, limit: usize, values: &mut Vec<f64>) -> usize {
        let mut count = 0;
        let mut at = self.at;
        while count < limit {
            let Some((value, length)) = short_number(&self.bytes[at..]) else {
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

    /// Takes the next word of the hierarchy; a brace is a word of its own. Empty at the end of the file.
    pub(super) fn word(&mut self) -> &'a [u8] {
        self.skip_space();
        match self.bytes.get(self.at) {
            Some(b'{' | b'}') => self.take_until(|_| true),
            _ => self.take_until(|byte| is_space(byte) || byte == b'{' || byte == b'}'),
        }
    }

    /// Takes the next word of the motion's header, which also ends before a colon.
    pub(super) fn label(&mut self) -> &'a [u8] {
        self.skip_space();
        self.take_until(|byte| is_space(byte) || byte == b':')
    }

    pub(super) fn skip_colon(&mut self) {
        self.skip_space();
        if self.bytes.get(self.at) == Some(&b':') {
            self.at += 1;
        }
    }

    /// Takes the rest of the line up to an opening brace, without surrounding blanks.
    pub(super) fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = rest
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'\r' | b'{'))
            .unwrap_or(rest.len());
        self.at += length;
        rest[..length].trim_ascii()
    }

    /// Computes line and column of a byte offset from the start of the file; for messages only.
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

    /// Returns the position of the start of the last token.
    pub(super) fn position_before(&self, token: &[u8]) -> Position {
        self.position_of(self.at - token.len())
    }

    /// Returns the error that another token is expected instead of the last one.
    pub(super) fn expected(&self, token: &[u8], expected: impl Into<String>) -> BvhError {
        BvhError::Expected {
            at: self.position_before(token),
            expected: expected.into(),
            found: found(token),
        }
    }

    pub(super) fn number_error(&self, token: &[u8], fault: NumberFault, place: NumberPlace) -> BvhError {
        let at = self.position_before(token);
        let found = found(token);
        match fault {
            NumberFault::NotANumber(hint) => BvhError::NotANumber { at, place, found, hint },
            NumberFault::NotFinite => BvhError::NotFinite { at, place, found },
            NumberFault::OutOfRange => BvhError::OutOfRange {
                at,
                place,
                found,
                limit: MAX_VALUE,
            },
        }
    }
}

/// Returns a token as messages show it.
pub(super) fn found(token: &[u8]) -> Found {
    if token.is_empty() {
        Found::EndOfFile
    } else {
        Found::Text(excerpt(token))
    }
}

#[cfg(test)]
mod tests {
    use super::super::number::number;
    use super::*;
    use crate::random::Random;

    impl Random {
        /// Returns the text similar to a number, of any length, sometimes with a letter in it.
        fn decimal(&mut self) -> String {
            let mut text = ["", "", "-", "-", "+", "--"][self.below(6)].to_owned();
            let (num_before, num_after) = match self.below(4) {
                0 => (self.below(12), self.below(25)),
                1 => (self.below(22), 0),
                _ => (self.below(4), self.below(10)),
            };
            let digits = |count: usize, random: &mut Self, text: &mut String| {
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
                let at = self.below(text.len());
                let odd = [
                    ".", "-", "+", "/", ":", ",", "\u{1}", "#", "\u{e9}", "\u{7f}", "\u{3a}", "e",
                ];
                text.replace_range(at..=at, odd[self.below(odd.len())]);
            }
            text
        }
    }

    /// The fast method returns the same bits as the complete one and leaves the cursor at the same offset.
    #[test]
    fn plain_numbers_have_the_bits_of_all_others() {
        let given = "0 -0 -0.0 +.5 90. . -. - 1e5 1.2.3 1,5 007 -12.3456 0.1 9007199254740993 9007199254740992 \
            0.3333333333333333 12345678901234567890 123456789012345 -12345678901234 -123456789012345 \
            -999999999.9 1000000000 1000000001 0.00000000000000001 nan";
        let mut texts: Vec<String> = given.split(' ').chain([""]).map(str::to_owned).collect();
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
            ][random.below(5)];
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
        assert!(num_plain > 40_000, "{num_plain}");
    }

    #[test]
    fn plain_numbers_end_with_the_line() {
        let mut lexer = Lexer::new(b"1 -2.5\t 3.25  \n4 5 six seven");
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
