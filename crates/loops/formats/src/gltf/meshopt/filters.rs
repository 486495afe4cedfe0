//! Decodes filtered values: directions, rotations, single-precision numbers and colours, stored as numbers that compress well.
//!
//! Source: the extension's specification, "Appendix B: Filters" of EXT_meshopt_compression and of KHR_meshopt_compression. Each
//! element is decoded in its place.

use crate::gltf::error::StreamFault;

/// Decodes elements of `stride` bytes in place, by the name of their filter. Errors: there is no such filter, or it does not
/// support elements of that size.
pub(super) fn apply(filter: &str, elements: &mut [u8], stride: usize) -> Result<(), StreamFault> {
    match (filter, stride) {
        ("NONE", _) => {}
        // Directions, as two coordinates on an octahedron.
        ("OCTAHEDRAL", 4) => each_of_bytes(elements, |part| direction(part.map(signed_byte), 127.0)),
        ("OCTAHEDRAL", 8) => each_of_pairs(elements, |part| direction(part.map(signed_pair), 32767.0)),
        // Rotations, without their largest component.
        ("QUATERNION", 8) => each_of_pairs(elements, |part| rotation(part.map(signed_pair))),
        // 24-bit mantissas with an exponent.
        ("EXPONENTIAL", _) if stride.is_multiple_of(4) => {
            for number in elements.chunks_exact_mut(4) {
                let stored = i32::from_le_bytes([number[0], number[1], number[2], number[3]]);
                number.copy_from_slice(&scaled(stored << 8 >> 8, stored >> 24).to_le_bytes());
            }
        }
        // Colours as brightness and two differences.
        ("COLOR", 4) => each_of_bytes(elements, |part| colour(part.map(i32::from), part.map(signed_byte), 8)),
        ("COLOR", 8) => each_of_pairs(elements, |part| colour(part.map(i32::from), part.map(signed_pair), 16)),
        ("OCTAHEDRAL" | "QUATERNION" | "EXPONENTIAL" | "COLOR", found) => return Err(StreamFault::Stride { found }),
        _ => return Err(StreamFault::Kind),
    }
    Ok(())
}

fn signed_byte(value: u8) -> i32 {
    i32::from(value as i8)
}

fn signed_pair(value: u16) -> i32 {
    i32::from(value as i16)
}

fn each_of_bytes(elements: &mut [u8], decoded: impl Fn([u8; 4]) -> [i32; 4]) {
    for element in elements.chunks_exact_mut(4) {
        let values = decoded([element[0], element[1], element[2], element[3]]);
        for (byte, value) in element.iter_mut().zip(values) {
            *byte = value as u8;
        }
    }
}

fn each_of_pairs(elements: &mut [u8], decoded: impl Fn([u16; 4]) -> [i32; 4]) {
    for element in elements.chunks_exact_mut(8) {
        let values = decoded([0, 2, 4, 6].map(|at| u16::from_le_bytes([element[at], element[at + 1]])));
        for (pair, value) in element.chunks_exact_mut(2).zip(values) {
            pair.copy_from_slice(&(value as u16).to_le_bytes());
        }
    }
}

/// Rounds to the nearest whole number, halves away from zero.
fn rounded(value: f32) -> i32 {
    (value + 0.5_f32.copysign(value)) as i32
}

/// Decodes a direction to length `most`; the third number holds the value of one, and the fourth is kept.
fn direction([x, y, one, fourth]: [i32; 4], most: f32) -> [i32; 4] {
    let [x, y, one] = [x, y, one].map(|value| value as f32);
    let z = one - x.abs() - y.abs();
    // The lower half is folded out over the edges.
    let fold = z.min(0.0);
    let [x, y] = [x, y].map(|value| if value >= 0.0 { value + fold } else { value - fold });
    let length = (x * x + y * y + z * z).sqrt();
    let scale = if length > 0.0 { most / length } else { 0.0 };
    [rounded(x * scale), rounded(y * scale), rounded(z * scale), fourth]
}

/// Decodes a rotation from three components; the last number holds the largest possible component and the index of the omitted
/// one.
fn rotation([x, y, z, last]: [i32; 4]) -> [i32; 4] {
    let scale = core::f32::consts::FRAC_1_SQRT_2 / (last | 3) as f32;
    let [x, y, z] = [x, y, z].map(|value| value as f32 * scale);
    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let largest = (last & 3) as usize;
    let mut parts = [0; 4];
    for (step, value) in [w, x, y, z].into_iter().enumerate() {
        parts[(largest + step) % 4] = rounded(value * 32767.0);
    }
    parts
}

/// Returns a mantissa times a power of two.
fn scaled(mantissa: i32, exponent: i32) -> f32 {
    // Exact in double precision, which has a larger range of exponents.
    (f64::from(mantissa) * 2_f64.powi(exponent)) as f32
}

/// Decodes a colour of `bits` bits from brightness, two differences, and opacity, whose highest bit gives the number of bits of
/// all.
fn colour(unsigned: [i32; 4], [_, orange, green, _]: [i32; 4], bits: u32) -> [i32; 4] {
    let [brightness, _, _, opacity] = unsigned;
    // All bits below the highest set bit.
    let mut range = opacity;
    for shift in [1, 2, 4, 8] {
        range |= range >> shift;
    }
    let red = brightness + orange - green;
    let blue = brightness - orange - green;
    let opacity = ((opacity << 1) & range) | (opacity & 1);
    let scale = ((1_i32 << bits) - 1) as f32 / range.max(1) as f32;
    [red, brightness + green, blue, opacity].map(|value| (value as f32 * scale + 0.5) as i32)
}

/// Elements of the encoder of meshoptimizer 1.3.
#[cfg(test)]
mod tests {
    use super::*;

    fn filtered(filter: &str, stride: usize, elements: &[u8]) -> Vec<u8> {
        let mut elements = elements.to_vec();
        apply(filter, &mut elements, stride).unwrap();
        elements
    }

    #[test]
    fn rotations_have_their_largest_part_again() {
        let encoded = [
            [0x0000, 0x0000, 0x0000, 0x7fff_u16],
            [0x5a82, 0x5a82, 0x5a82, 0x7ffc],
            [0x0000, 0x6c9c, 0x0000, 0x7ffe],
        ];
        let encoded: Vec<u8> = encoded
            .as_flattened()
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        let decoded = filtered("QUATERNION", 8, &encoded);
        let parts: Vec<f64> = decoded
            .chunks(2)
            .map(|pair| f64::from(i16::from_le_bytes([pair[0], pair[1]])) / 32767.0)
            .collect();
        let meant = [0.0, 0.0, 0.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.6, 0.0, 0.8, 0.0];
        for (rotation, meant) in parts.chunks(4).zip(meant.chunks(4)) {
            // A rotation and its negative are equal.
            let cosine: f64 = rotation.iter().zip(meant).map(|(a, b)| a * b).sum();
            assert!((cosine.abs() - 1.0).abs() < 1e-4, "{rotation:?} {meant:?}");
        }
    }

    #[test]
    fn directions_numbers_and_colours_are_those_that_were_encoded() {
        let directions = filtered("OCTAHEDRAL", 4, b"\x00\x00\x7f\x00\x7f\x49\x7f\x00\x00\x7f\x7f\x00");
        assert_eq!(directions, [0, 0, 127, 0, 76, 0, -102_i8 as u8, 0, 0, 127, 0, 0]);
        let numbers = filtered(
            "EXPONENTIAL",
            16,
            b"\x00\x80\x00\xf1\x00\xd0\xff\xf1\x21\x00\x00\xf1\x00\x00\x7d\xf1",
        );
        let numbers: Vec<f32> = numbers
            .chunks(4)
            .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
            .collect();
        assert_eq!(numbers, [1.0, -0.375, 33.0 / 32768.0, 250.0]);
        let colours = filtered("COLOR", 4, b"\x7f\x7f\x00\xff\x66\xcd\x00\xc0");
        assert_eq!(colours, [254, 127, 0, 255, 51, 102, 153, 128]);
    }

    #[test]
    fn elements_of_other_sizes_are_refused() {
        for (filter, stride) in [("OCTAHEDRAL", 12), ("QUATERNION", 4), ("EXPONENTIAL", 6), ("COLOR", 16)] {
            let refused = apply(filter, &mut vec![0; stride], stride);
            assert_eq!(refused, Err(StreamFault::Stride { found: stride }));
        }
    }
}
