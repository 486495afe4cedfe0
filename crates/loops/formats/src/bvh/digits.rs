//! Numbers with a fixed count of decimals as text.
//!
//! The standard formatting would take most of the time of writing a file. Here a row of numbers is split into groups of digits
//! side by side, in double precision, where all of this is exact. The text of each number then takes three look-ups in a table of
//! three digits.

use fearless_simd::{Level, dispatch, prelude::*};

/// Most decimals of a number: values are given in units of the last of them.
pub(super) const DECIMALS: u32 = 7;

/// 1 in the last decimal.
pub(super) const ONE: f64 = 10_u64.pow(DECIMALS) as f64;

/// Longest number with the blank after it: a sign, the digits of a 64-bit number, and a point.
pub(super) const MAX_NUMBER: usize = 22;

/// Bytes after a number that writing it may overwrite.
pub(super) const SPARE: usize = 8;

/// Adding this to a smaller number rounds it to a whole number, whose bits are then the low bits.
const SHIFT: f64 = (1_u64 << 52) as f64;

/// Rounds `x` to the nearest whole number, halves to even.
#[inline(always)]
pub(super) fn rounded(x: f64) -> f64 {
    let size = x.abs();
    let whole = if size < SHIFT { (size + SHIFT) - SHIFT } else { size };
    whole.copysign(x)
}

/// A split number: its sign, its digits before the point, if there are at most three, the first digit behind it, and twice three
/// more; ten bits each.
#[derive(Clone, Copy, Default)]
pub(super) struct Parts(u64);

const FIELD: f64 = 1024.0;

/// From this value on a number has more digits before the point and is split when it is written.
const MANY_DIGITS: f64 = 1000.0 * ONE;

/// Quotient and remainder of a division of whole numbers below 2^52, by multiplication with the inverse.
#[inline(always)]
fn divided(number: f64, by: f64, inverse: f64) -> (f64, f64) {
    // The quotient or one more, because the error is far below one.
    let quotient = (number * inverse + SHIFT) - SHIFT;
    let rest = number - quotient * by;
    let is_short = rest < 0.0;
    (
        if is_short { quotient - 1.0 } else { quotient },
        if is_short { rest + by } else { rest },
    )
}

/// Splits whole numbers, given in units of the last of [`DECIMALS`].
pub(super) fn take_apart(level: Level, values: &[f64], parts: &mut [Parts]) {
    dispatch!(level, simd => take_all_apart(simd, values, parts));
}

#[inline(always)]
fn take_all_apart(_: impl Simd, values: &[f64], parts: &mut [Parts]) {
    for (value, parts) in values.iter().zip(parts) {
        let size = value.abs();
        let size = if size < MANY_DIGITS { size } else { MANY_DIGITS };
        let (whole, rest) = divided(size, ONE, 1.0 / ONE);
        let (first, rest) = divided(rest, 1e6, 1e-6);
        let (second, third) = divided(rest, 1e3, 1e-3);
        let fields = ((whole * FIELD + first) * FIELD + second) * FIELD + third;
        let sign = u64::from(*value < 0.0) << 63;
        parts.0 = ((fields + SHIFT).to_bits() & 0xFF_FFFF_FFFF) | sign;
    }
}

/// Writes a number with all [`DECIMALS`] to the start of `text`, which has room for [`MAX_NUMBER`] and [`SPARE`] bytes; returns
/// the number of bytes used. Zero has no sign.
#[inline]
pub(super) fn put(value: f64, Parts(parts): Parts, text: &mut [u8; MAX_NUMBER + SPARE]) -> usize {
    let field = |index: u32| THREES[(parts >> (10 * index)) as usize % THREES.len()];
    let whole = field(3);
    let num_digits = (whole >> 24) as usize;
    if num_digits > 3 {
        return put_many_digits(value, text);
    }
    let sign = (parts >> 63) as usize;
    text[0] = b'-';
    text[sign..sign + 4].copy_from_slice(&((whole & 0xFF_FFFF) >> (24 - 8 * num_digits)).to_le_bytes());
    let first = u64::from(b'0') + ((parts >> 20) & 15);
    let decimals = u64::from(b'.') | first << 8 | u64::from(field(1) & 0xFF_FFFF) << 16 | u64::from(field(0)) << 40;
    let point = sign + num_digits;
    text[point..point + 8].copy_from_slice(&decimals.to_le_bytes());
    point + 8
}

#[cold]
fn put_many_digits(value: f64, text: &mut [u8; MAX_NUMBER + SPARE]) -> usize {
    // Below 2^63, as all writable values are.
    let (size, one) = (value.abs() as u64, ONE as u64);
    let sign = if value < 0.0 { "-" } else { "" };
    let number = format!("{sign}{}.{:0width$}", size / one, size % one, width = DECIMALS as usize);
    let length = number.len().min(text.len());
    text[..length].copy_from_slice(&number.as_bytes()[..length]);
    length
}

/// The three digits of every number below 1000 as bytes, the first lowest, and the number of digits without leading zeros; from
/// 1000 on that number is four.
const THREES: [u32; 1024] = {
    let mut threes = [0; 1024];
    let mut number = 0;
    while number < threes.len() {
        let (hundreds, tens, ones) = (number / 100 % 10, number / 10 % 10, number % 10);
        let num_digits = 1 + (number > 9) as u32 + (number > 99) as u32 + (number > 999) as u32;
        threes[number] =
            u32::from_le_bytes([b'0' + hundreds as u8, b'0' + tens as u8, b'0' + ones as u8, 0]) | num_digits << 24;
        number += 1;
    }
    threes
};

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: f64) -> String {
        // Both in lanes and as a remainder.
        let mut values: Vec<f64> = (0..9).map(|index| 1_234_567.0 * f64::from(index) - 5e6).collect();
        values[2] = value;
        values[8] = value;
        let mut texts = Vec::new();
        for level in [Level::new(), Level::baseline()] {
            let mut parts = vec![Parts::default(); values.len()];
            take_apart(level, &values, &mut parts);
            for parts in [parts[2], parts[8]] {
                let mut text = [b'x'; MAX_NUMBER + SPARE];
                let length = put(value, parts, &mut text);
                assert!(length < MAX_NUMBER);
                texts.push(String::from_utf8(text[..length].to_vec()).unwrap());
            }
        }
        assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
        texts.swap_remove(0)
    }

    #[test]
    fn digits_are_those_of_the_standard_formatting() {
        let expected = |value: i64| {
            let (size, one) = (value.unsigned_abs(), ONE as u64);
            let sign = if value < 0 { "-" } else { "" };
            format!("{sign}{}.{:07}", size / one, size % one)
        };
        // Every three digits in every group, every number of digits, and values near a change of one of them.
        let threes = (0..1000).map(|three| three * 1_001_001_001);
        let sevens = (0..1000).map(|three| 10_010_010 * three);
        let powers = (0..15).flat_map(|power| [10_i64.pow(power), 7 * 10_i64.pow(power)]);
        let near = (0..100_000).flat_map(|index| [index * 99_991, index * 100_000, index * 1000]);
        for value in threes.chain(sevens).chain(powers).chain(near) {
            for value in [value - 1, value, value + 1, -value] {
                assert_eq!(text(value as f64), expected(value));
            }
        }
        assert_eq!(text(1e16), expected(10_i64.pow(16)));
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(text(-0.0), "0.0000000");
        assert_eq!(text(rounded(-0.4)), "0.0000000");
        assert_eq!(text(rounded(-0.6)), "-0.0000001");
    }

    #[test]
    fn numbers_are_rounded_to_the_nearest_whole_one() {
        for whole in [
            0.0,
            1.0,
            2.0,
            1e7 + 3.0,
            4_503_599_627_370_000.0,
            9_007_199_254_740_991.0,
            1e16,
        ] {
            for rest in [-0.4, 0.0, 0.3] {
                // A value too large to have a fraction is a whole number already.
                let x = if whole < 1e15 { whole + rest } else { whole };
                assert_eq!(rounded(x), whole);
                assert_eq!(rounded(-x), -whole);
            }
        }
    }
}
