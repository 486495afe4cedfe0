//! The three compressed streams of meshopt: elements of attributes, triangles, and other indices.
//!
//! Source: the extension's specification, "Appendix A: Bitstream" of EXT_meshopt_compression and of KHR_meshopt_compression,
//! which adds version 1 of the attributes. Decoders never read beyond their bytes: missing bytes give a [`StreamFault`].

use crate::gltf::error::StreamFault;

/// Bytes that are read from the front, never beyond the end.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], StreamFault> {
        let (front, rest) = self.0.split_at_checked(count).ok_or(StreamFault::CutOff)?;
        self.0 = rest;
        Ok(front)
    }

    fn byte(&mut self) -> Result<u8, StreamFault> {
        Ok(self.take(1)?[0])
    }

    /// Splits off the bytes at the end.
    fn take_tail(&mut self, count: usize) -> Result<&'a [u8], StreamFault> {
        let start = self.0.len().checked_sub(count).ok_or(StreamFault::CutOff)?;
        let (front, tail) = self.0.split_at(start);
        self.0 = front;
        Ok(tail)
    }

    fn end(&self) -> Result<(), StreamFault> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(StreamFault::TooLong)
        }
    }

    /// Reads a number in groups of seven bits, the lowest first.
    fn varint(&mut self) -> Result<u32, StreamFault> {
        let mut value = 0;
        for group in 0..5 {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7f) << (7 * group);
            if byte < 0x80 {
                break;
            }
        }
        Ok(value)
    }

    /// Reads a number by its difference from another.
    fn index(&mut self, from: u32) -> Result<u32, StreamFault> {
        Ok(from.wrapping_add(unfolded(self.varint()?)))
    }
}

/// Decodes a signed difference from its zigzag form: 0, -1, 1, -2, ...
fn unfolded(folded: u32) -> u32 {
    (folded >> 1) ^ (folded & 1).wrapping_neg()
}

/// Elements of a group; the bytes of a group use one number of bits.
const GROUP: usize = 16;

/// Largest number of bytes, and of elements, of a block.
const BLOCK_BYTES: usize = 8192;
const BLOCK_ELEMENTS: usize = 256;

/// Most decoded bytes per byte of a stream: four columns of zeros of a block in version 1.
const MOST_FROM_BYTE: usize = 4 * BLOCK_ELEMENTS;

/// Number of bits per byte of a group, by its two bits in the header: in version 0, and by the control of version 1.
const BITS: [[u32; 4]; 3] = [[0, 2, 4, 8], [0, 1, 2, 4], [1, 2, 4, 8]];

/// Fewest bytes after the blocks, in versions 0 and 1.
const TAIL_BYTES: [usize; 2] = [32, 24];

/// How four neighbouring bytes of an element are derived from those of the previous element.
#[derive(Clone, Copy)]
enum Channel {
    /// Each byte by its difference.
    Bytes,
    /// Two 16-bit numbers by their differences.
    Pairs,
    /// One 32-bit number by exclusive or, rotated to the right.
    Bits(u32),
}

/// Decodes `count` elements of `stride` bytes.
pub(super) fn attributes(stream: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, StreamFault> {
    if stride == 0 || stride > 256 || !stride.is_multiple_of(4) {
        return Err(StreamFault::Stride { found: stride });
    }
    let mut reader = Reader(stream);
    let header = reader.byte()?;
    let version = match header {
        0xa0 => 0,
        0xa1 => 1,
        found => return Err(StreamFault::Header { found }),
    };
    let num_channels = stride / 4;
    let stated = stride + version * num_channels;
    let tail = reader.take_tail(stated.max(TAIL_BYTES[version]))?;
    let (first, channels) = tail[tail.len() - stated..].split_at(stride);
    let channels: Vec<Channel> = match version {
        0 => vec![Channel::Bytes; num_channels],
        _ => {
            let channels = channels.iter().map(|&byte| match byte & 3 {
                0 => Ok(Channel::Bytes),
                1 => Ok(Channel::Pairs),
                2 => Ok(Channel::Bits(u32::from(byte >> 4))),
                _ => Err(StreamFault::Header { found: byte }),
            });
            channels.collect::<Result<_, _>>()?
        }
    };
    let mut last = first.to_vec();
    let length = count.checked_mul(stride).ok_or(StreamFault::CutOff)?;
    let mut elements = Vec::with_capacity(length.min(reader.0.len().saturating_mul(MOST_FROM_BYTE)));
    let per_block = (BLOCK_BYTES / stride / GROUP * GROUP).min(BLOCK_ELEMENTS);
    let mut columns = vec![[0; BLOCK_ELEMENTS]; 4];
    while elements.len() < length {
        let from = elements.len();
        let in_block = per_block.min(count - from / stride);
        elements.resize(from + in_block * stride, 0);
        let controls = reader.take(version * num_channels)?;
        for (channel, kind) in channels.iter().enumerate() {
            for (byte, column) in columns.iter_mut().enumerate() {
                let control = controls.get(channel).map(|control| control >> (2 * byte) & 3);
                read_column(&mut reader, control, in_block, column)?;
            }
            let at = 4 * channel;
            for index in 0..in_block {
                let stored = [0, 1, 2, 3].map(|byte| columns[byte][index]);
                let before = [last[at], last[at + 1], last[at + 2], last[at + 3]];
                let value = followed(*kind, before, stored);
                last[at..at + 4].copy_from_slice(&value);
                elements[from + index * stride + at..][..4].copy_from_slice(&value);
            }
        }
    }
    reader.end()?;
    Ok(elements)
}

/// Reads one stored byte of each element of a block; `control` gives the encoding in version 1.
fn read_column(
    reader: &mut Reader,
    control: Option<u8>,
    count: usize,
    column: &mut [u8; BLOCK_ELEMENTS],
) -> Result<(), StreamFault> {
    let bits = match control {
        None => BITS[0],
        Some(0) => BITS[1],
        Some(1) => BITS[2],
        Some(2) => {
            column.fill(0);
            return Ok(());
        }
        Some(_) => {
            column[..count].copy_from_slice(reader.take(count)?);
            return Ok(());
        }
    };
    let groups = count.div_ceil(GROUP);
    let header = reader.take(groups.div_ceil(4))?;
    for (group, values) in column.chunks_exact_mut(GROUP).take(groups).enumerate() {
        let choice = header[group / 4] >> (2 * (group % 4)) & 3;
        read_group(reader, bits[choice as usize], values)?;
    }
    Ok(())
}

/// Reads the bytes of a group: numbers of `bits` bits, of which the largest announces a whole byte that follows.
fn read_group(reader: &mut Reader, bits: u32, values: &mut [u8]) -> Result<(), StreamFault> {
    match bits {
        0 => values.fill(0),
        8 => values.copy_from_slice(reader.take(GROUP)?),
        _ => {
            let packed = reader.take(GROUP * bits as usize / 8)?;
            let (per_byte, most) = (8 / bits as usize, (1_u8 << bits) - 1);
            for (index, value) in values.iter_mut().enumerate() {
                let within = (index % per_byte) as u32;
                // Single bits are in the opposite order.
                let shift = if bits == 1 { within } else { 8 - bits * (within + 1) };
                let number = packed[index / per_byte] >> shift & most;
                *value = if number == most { reader.byte()? } else { number };
            }
        }
    }
    Ok(())
}

/// Derives four bytes of an element from those of the previous element.
fn followed(channel: Channel, before: [u8; 4], stored: [u8; 4]) -> [u8; 4] {
    match channel {
        Channel::Bytes => core::array::from_fn(|byte| {
            let difference = (stored[byte] >> 1) ^ (stored[byte] & 1).wrapping_neg();
            before[byte].wrapping_add(difference)
        }),
        Channel::Pairs => {
            let [[a, b], [c, d]] = [0, 2].map(|at| {
                let folded = u16::from_le_bytes([stored[at], stored[at + 1]]);
                let difference = (folded >> 1) ^ (folded & 1).wrapping_neg();
                u16::from_le_bytes([before[at], before[at + 1]])
                    .wrapping_add(difference)
                    .to_le_bytes()
            });
            [a, b, c, d]
        }
        Channel::Bits(right) => {
            (u32::from_le_bytes(stored).rotate_right(right) ^ u32::from_le_bytes(before)).to_le_bytes()
        }
    }
}

/// Size of the history of the triangle decoder.
const REMEMBERED: usize = 16;

/// The last values that were pushed, by age.
struct Recent<T> {
    items: [T; REMEMBERED],
    next: usize,
}

impl<T: Copy> Recent<T> {
    fn new(item: T) -> Self {
        Self {
            items: [item; REMEMBERED],
            next: 0,
        }
    }

    fn push(&mut self, item: T) {
        self.items[self.next % REMEMBERED] = item;
        self.next += 1;
    }

    /// Returns the value of that many pushes ago; the last one is 1 ago.
    fn ago(&self, pushes: usize) -> T {
        self.items[(self.next + 2 * REMEMBERED - pushes) % REMEMBERED]
    }
}

/// Bytes at the end of a stream of triangles.
const AUXILIARY: usize = 16;

/// Kinds of vertices of a triangle, by their four bits.
const NEW: usize = 0;
const EXPLICIT: usize = 15;

/// Decodes `count` indices of triangles.
pub(super) fn triangles(stream: &[u8], count: usize) -> Result<Vec<u32>, StreamFault> {
    if !count.is_multiple_of(3) {
        return Err(StreamFault::Triangles { found: count });
    }
    let mut reader = Reader(stream);
    let header = reader.byte()?;
    // Values below this refer to a recent vertex.
    let recent_below = match header {
        0xe0 => 15,
        0xe1 => 13,
        found => return Err(StreamFault::Header { found }),
    };
    let codes = reader.take(count / 3)?;
    let auxiliary = reader.take_tail(AUXILIARY)?;
    let mut edges = Recent::new([0_u32; 2]);
    let mut vertices = Recent::new(0_u32);
    let (mut next, mut last) = (0_u32, 0_u32);
    let mut indices = Vec::with_capacity(count);
    for &code in codes {
        let (high, low) = (usize::from(code >> 4), usize::from(code & 15));
        if high < 15 {
            let [a, b] = edges.ago(1 + high);
            let c = if low == NEW {
                next = next.wrapping_add(1);
                next.wrapping_sub(1)
            } else if low < recent_below {
                vertices.ago(1 + low)
            } else {
                last = match low {
                    13 => last.wrapping_sub(1),
                    14 => last.wrapping_add(1),
                    _ => reader.index(last)?,
                };
                last
            };
            indices.extend([a, b, c]);
            if low == NEW || low >= recent_below {
                vertices.push(c);
            }
            edges.push([c, b]);
            edges.push([a, c]);
            continue;
        }
        // A triangle without a remembered edge: the source of each of its vertices.
        let (first, others) = match low {
            14 => (NEW, reader.byte()?),
            15 => (EXPLICIT, reader.byte()?),
            _ => (NEW, auxiliary[low]),
        };
        if low >= 14 && others == 0 {
            next = 0;
        }
        let from = [first, usize::from(others >> 4), usize::from(others & 15)];
        let mut triangle = [0; 3];
        for (at, vertex) in triangle.iter_mut().enumerate() {
            // In triangles of the table each vertex is new or recent.
            *vertex = match from[at] {
                NEW => {
                    next = next.wrapping_add(1);
                    next.wrapping_sub(1)
                }
                EXPLICIT if low >= 14 => {
                    last = reader.index(last)?;
                    last
                }
                ago => vertices.ago(ago),
            };
        }
        let [a, b, c] = triangle;
        indices.extend(triangle);
        for (at, vertex) in triangle.into_iter().enumerate() {
            let is_explicit = from[at] == EXPLICIT && low >= 14;
            if at == 0 || from[at] == NEW || is_explicit {
                vertices.push(vertex);
            }
        }
        edges.push([b, a]);
        edges.push([c, b]);
        edges.push([a, c]);
    }
    reader.end()?;
    Ok(indices)
}

/// Bytes at the end of a stream of indices.
const SEQUENCE_TAIL: usize = 4;

/// Decodes `count` indices in any order.
pub(super) fn sequence(stream: &[u8], count: usize) -> Result<Vec<u32>, StreamFault> {
    let mut reader = Reader(stream);
    match reader.byte()? {
        0xd0 | 0xd1 => {}
        found => return Err(StreamFault::Header { found }),
    }
    reader.take_tail(SEQUENCE_TAIL)?;
    let mut last = [0_u32; 2];
    // Each index takes at least one byte.
    let mut indices = Vec::with_capacity(count.min(reader.0.len()));
    for _ in 0..count {
        let number = reader.varint()?;
        let last = &mut last[(number & 1) as usize];
        *last = last.wrapping_add(unfolded(number >> 1));
        indices.push(*last);
    }
    reader.end()?;
    Ok(indices)
}

/// Streams of the encoder of meshoptimizer 1.3.
#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
            .collect()
    }

    /// Twenty elements of two whole numbers and one of single precision.
    fn elements() -> Vec<u8> {
        let element = |index: i16| {
            let second = if index % 3 == 0 { 7 } else { -5000_i16 };
            let mut bytes = (300 * index - 2000).to_le_bytes().to_vec();
            bytes.extend(second.to_le_bytes());
            bytes.extend((1.0 + 0.125 * f32::from(index)).to_le_bytes());
            bytes
        };
        (0..20).flat_map(element).collect()
    }

    const VERSION_0: &str = "a00700585858585858585858585858585858ff00000058585858052abaabaa0404ba000000040533cf3cf3e2e1e2e1e2e1e2e1e2e1cf00\
        0000e2e1e20533cf3cf327282728272827282728cf00000027282700000700202020202020202010101010101010ff0000001010101001\
        0000800000000000000000000000000000000000000000000000000030f807000000803f";
    const VERSION_1: &str = "a157680058585858585858585858585858585858585858052aaaaaaaaa00000000dab61d1e1d1e1d1e1d1e1d1e0d001d1e1d00dab62727\
        27272727272727270d002727270100010f020262e262f1317131fe0f000f010301000000000000000000000000000030f807000000803f\
        0152";
    const TRIANGLES: &str = "e1f01010fff03fb40102007687566778a9866589689801690000";
    const INDICES: &str = "d100040400020800060ce90206050c040400000000";
    const CORNERS: [u32; 15] = [0, 1, 2, 2, 1, 3, 3, 1, 4, 90, 2, 91, 5, 6, 7];

    #[test]
    fn elements_are_those_that_were_encoded() {
        for stream in [VERSION_0, VERSION_1] {
            assert_eq!(attributes(&bytes(stream), 20, 8), Ok(elements()));
        }
    }

    #[test]
    fn triangles_and_indices_are_those_that_were_encoded() {
        let turned = |corners: &[u32]| -> Vec<Vec<u32>> {
            let mut triangles: Vec<Vec<u32>> = corners.chunks(3).map(<[u32]>::to_vec).collect();
            for triangle in &mut triangles {
                let least = (0..3).min_by_key(|&at| triangle[at]).unwrap();
                triangle.rotate_left(least);
            }
            triangles
        };
        // A triangle may begin at another corner.
        let found = triangles(&bytes(TRIANGLES), CORNERS.len()).unwrap();
        assert_eq!(turned(&found), turned(&CORNERS));
        assert_eq!(sequence(&bytes(INDICES), CORNERS.len()), Ok(CORNERS.to_vec()));
    }

    #[test]
    fn what_lacks_is_named() {
        for (stream, count) in [(VERSION_0, 20), (VERSION_1, 20)] {
            let whole = bytes(stream);
            for length in 0..whole.len() {
                assert!(attributes(&whole[..length], count, 8).is_err(), "{length}");
            }
            let longer = [&whole[..], &[0]].concat();
            assert!(attributes(&longer, count, 8) != Ok(elements()));
        }
        assert_eq!(attributes(&[0xa2; 99], 1, 4), Err(StreamFault::Header { found: 0xa2 }));
        assert_eq!(
            attributes(&bytes(VERSION_0), 20, 6),
            Err(StreamFault::Stride { found: 6 })
        );
        assert_eq!(
            triangles(&bytes(TRIANGLES), 14),
            Err(StreamFault::Triangles { found: 14 })
        );
        assert_eq!(triangles(&bytes(TRIANGLES)[..20], 15), Err(StreamFault::CutOff));
        assert_eq!(sequence(&bytes(INDICES), 16), Err(StreamFault::CutOff));
        assert_eq!(sequence(&bytes(INDICES), 14), Err(StreamFault::TooLong));
    }

    /// A file may state any number of elements whatever the size of its stream; memory was once reserved before a byte was read.
    #[test]
    fn no_room_is_made_for_more_than_the_bytes_hold() {
        let most = usize::MAX / 3 * 3;
        assert_eq!(sequence(&bytes(INDICES), usize::MAX), Err(StreamFault::CutOff));
        assert_eq!(triangles(&bytes(TRIANGLES), most), Err(StreamFault::CutOff));
        for stream in [VERSION_0, VERSION_1] {
            for count in [usize::MAX, usize::MAX / 16] {
                assert_eq!(attributes(&bytes(stream), count, 8), Err(StreamFault::CutOff));
            }
        }
    }
}
