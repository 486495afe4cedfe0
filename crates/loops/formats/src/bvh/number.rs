//! Numbers of a BVH file: a fast method for short ones, a complete one, and the errors of tokens that are not numbers.

use super::error::NumberHint;
use crate::limits::MAX_VALUE;

/// Powers of ten that double precision represents exactly.
const POWERS_OF_TEN: [f64; 8] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7];

/// Powers of ten by which decimals shift the whole number before them.
const WHOLE_POWERS_OF_TEN: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Repeats a byte eight times.
const fn everywhere(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Returns the digits at the start of eight bytes: their value and their count.
///
/// Byte by byte, the processor mispredicts the end of each number, which takes longer than all the arithmetic. Here eight bytes
/// are one large number, the first of them lowest, and only a shift depends on the count of digits.
#[inline]
fn leading_digits(bytes: &[u8]) -> Option<(u64, usize)> {
    let values = u64::from_le_bytes(*bytes.first_chunk()?) ^ everywhere(b'0');
    // The top bit of the first byte that is not a digit is set, and no byte before it carries.
    let others = (values | values.wrapping_add(everywhere(0x80 - 10))) & everywhere(0x80);
    let num_bits = others.trailing_zeros() & !7;
    // The last digit moves to the top, with zeros for missing ones; a shift by all bits takes two steps.
    let digits = values << (56 - num_bits.min(56)) << if num_bits == 64 { 0 } else { 8 };
    let pairs = (10 * digits + (digits >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (100 * pairs + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    let whole = (10_000 * fours + (fours >> 32)) & 0xFFFF_FFFF;
    Some((whole, num_bits as usize / 8))
}

/// Parses the number at the start of some bytes as [`number`] does, with its length in bytes, if it is spelled plainly: at most seven digits, and
/// at most seven behind a point. `None` for any other token.
///
/// Whole numbers up to 2^53 and powers of ten up to 10^22 are exact, so their quotient is rounded once. Source: Clinger 1990.
#[inline]
pub(super) fn short_number(bytes: &[u8]) -> Option<(f64, usize)> {
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
    // A double holds fifteen digits exactly, and seven digits before the point are within the range of motions.
    let is_plain = num_digits > 0 && num_digits < 8 && num_decimals < 8 && *bytes.get(length)? <= b' ';
    if !is_plain {
        return None;
    }
    let size = whole as i64 as f64 / POWERS_OF_TEN[num_decimals];
    // Branch-free, because a branch would be mispredicted.
    let value = f64::from_bits(size.to_bits() | (u64::from(is_negative) << 63));
    Some((value, length))
}

/// Why a token is not a valid number.
pub(super) enum NumberFault {
    NotANumber(NumberHint),
    NotFinite,
    OutOfRange,
}

/// Parses a token as a finite number of plausible size.
pub(super) fn number(token: &[u8]) -> Result<f64, NumberFault> {
    let text = core::str::from_utf8(token).ok();
    match text.and_then(|text| text.parse::<f64>().ok()) {
        Some(value) if value.abs() <= MAX_VALUE => Ok(value),
        _ if spells_not_finite(token) => Err(NumberFault::NotFinite),
        Some(_) => Err(NumberFault::OutOfRange),
        None => Err(NumberFault::NotANumber(hint(token))),
    }
}

/// Whether a token spells NaN or infinity, such as `nan`, `-nan(ind)` or `Infinity`.
fn spells_not_finite(token: &[u8]) -> bool {
    let unsigned = token.strip_prefix(b"-").or_else(|| token.strip_prefix(b"+"));
    let head = unsigned.unwrap_or(token).get(..3).unwrap_or_default();
    head.eq_ignore_ascii_case(b"nan") || head.eq_ignore_ascii_case(b"inf")
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
}
