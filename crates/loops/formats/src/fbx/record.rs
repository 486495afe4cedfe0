//! Binary FBX as a tree of records: read without copying kept data, written with new offsets.
//!
//! A record is a name, a list of attributes and records inside it. Attributes keep the bytes that were read, so that a file
//! written again is identical in them, including deflated arrays. An empty record ends the records inside a record and those of
//! the file.
//!
//! Sources: ufbx and the Blender Foundation's description of the format; also for the end of the file (a code that matches
//! `FileId` and `CreationTime`, zeros up to the next multiple of 16, the version, a fixed code).

use std::borrow::Cow;

use miniz_oxide::deflate::core::{
    CompressionStrategy, CompressorOxide, TDEFLFlush, compress_to_output, create_comp_flags_from_zip_params,
};

use super::error::FbxError;

/// The start of every binary file; its version follows as four bytes, low end first.
const MAGIC: &[u8; 23] = b"Kaydara FBX Binary  \0\x1a\0";

/// First version whose offsets have eight bytes.
const FIRST_WIDE: u32 = 7500;

/// Largest nesting of records; real files have five levels or six.
const MAX_DEPTH: usize = 64;

/// The code that ends every file.
const LAST_CODE: [u8; 16] = [
    0xF8, 0x5A, 0x8C, 0x6A, 0xDE, 0xF5, 0xD9, 0x7E, 0xEC, 0xE9, 0x0C, 0xE3, 0x75, 0x8F, 0x29, 0x0B,
];

/// Zeros between version and last code.
const TAIL_ZEROS: usize = 120;

/// Most bytes of a file besides its records: the magic, the last empty record, codes, zeros and versions.
const MAX_FRAME: usize = 256;

/// Returns the version of a binary file; `None` for text.
pub(crate) fn version(bytes: &[u8]) -> Option<u32> {
    let rest = bytes.strip_prefix(MAGIC)?;
    Some(u32::from_le_bytes(*rest.first_chunk()?))
}

/// A whole file.
pub(crate) struct Document<'a> {
    pub version: u32,
    pub records: Vec<Record<'a>>,
    /// The code that matches the file's `FileId` and `CreationTime`.
    pub code: [u8; 16],
}

/// A named list of attributes with records inside.
#[value]
pub(crate) struct Record<'a> {
    pub name: Cow<'a, [u8]>,
    num_attributes: u64,
    /// Bytes as read, or our own.
    attributes: Cow<'a, [u8]>,
    pub children: Vec<Record<'a>>,
    /// Whether an empty record ends the inner records; some records have one without inner records.
    is_ended: bool,
}

/// Arrays of fewer bytes are not deflated.
const MIN_DEFLATED: usize = 128;

/// Compression level of arrays, from 1 to 9. Key times and constant tracks shrink as much at the lowest level, others hardly at
/// all.
const DEFLATE_LEVEL: i32 = 1;

/// Deflates bytes with the fixed codes of the format.
///
/// Dynamic code tables of miniz may repeat a length across the end of the first table. The format allows it, but ufbx before
/// 0.21, which Blender 5.0 uses, then refuses the whole file.
fn deflate(bytes: &[u8]) -> Vec<u8> {
    // Positive window bits ask for the head and the checksum of zlib.
    let flags = create_comp_flags_from_zip_params(DEFLATE_LEVEL, 1, CompressionStrategy::Fixed as i32);
    let mut deflated = Vec::with_capacity(bytes.len() / 2);
    compress_to_output(&mut CompressorOxide::new(flags), bytes, TDEFLFlush::Finish, |part| {
        deflated.extend_from_slice(part);
        true
    });
    deflated
}

impl<'a> Record<'a> {
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name: Cow::Borrowed(name.as_bytes()),
            num_attributes: 0,
            attributes: Cow::default(),
            children: Vec::new(),
            is_ended: false,
        }
    }

    fn push(mut self, kind: u8, parts: &[&[u8]]) -> Self {
        self.num_attributes += 1;
        let bytes = self.attributes.to_mut();
        bytes.push(kind);
        parts.iter().for_each(|part| bytes.extend_from_slice(part));
        self
    }

    pub(crate) fn bool(self, value: bool) -> Self {
        self.push(b'C', &[&[u8::from(value)]])
    }

    pub(crate) fn i32(self, value: i32) -> Self {
        self.push(b'I', &[&value.to_le_bytes()])
    }

    pub(crate) fn i64(self, value: i64) -> Self {
        self.push(b'L', &[&value.to_le_bytes()])
    }

    pub(crate) fn f64(self, value: f64) -> Self {
        self.push(b'D', &[&value.to_le_bytes()])
    }

    pub(crate) fn text(self, value: &str) -> Self {
        // Names are truncated long before, so the length fits.
        self.push(b'S', &[&(value.len() as u32).to_le_bytes(), value.as_bytes()])
    }

    pub(crate) fn bytes(self, value: &[u8]) -> Self {
        self.push(b'R', &[&(value.len() as u32).to_le_bytes(), value])
    }

    /// Returns an array, deflated if that makes it smaller.
    fn array<const N: usize>(self, kind: u8, values: impl ExactSizeIterator<Item = [u8; N]>) -> Self {
        let count = values.len();
        let bytes: Vec<u8> = values.flatten().collect();
        let deflated = (bytes.len() >= MIN_DEFLATED).then(|| deflate(&bytes));
        let (is_deflated, bytes) = match deflated {
            Some(deflated) if deflated.len() < bytes.len() => (1, deflated),
            _ => (0, bytes),
        };
        let head = [count as u32, is_deflated, bytes.len() as u32].map(u32::to_le_bytes);
        self.push(kind, &[head.as_flattened(), &bytes])
    }

    pub(crate) fn i32s(self, values: &[i32]) -> Self {
        self.array(b'i', values.iter().map(|value| value.to_le_bytes()))
    }

    pub(crate) fn i64s(self, values: &[i64]) -> Self {
        self.array(b'l', values.iter().map(|value| value.to_le_bytes()))
    }

    pub(crate) fn f32s(self, values: &[f32]) -> Self {
        self.array(b'f', values.iter().map(|value| value.to_le_bytes()))
    }

    pub(crate) fn with(mut self, children: impl IntoIterator<Item = Record<'a>>) -> Self {
        self.extend(children);
        self
    }

    /// Appends inner records.
    pub(crate) fn extend(&mut self, children: impl IntoIterator<Item = Record<'a>>) {
        self.children.extend(children);
        self.is_ended = true;
    }

    /// Whether both have the same attributes, bit for bit.
    pub(crate) fn has_attributes_of(&self, other: &Record) -> bool {
        self.attributes == other.attributes
    }

    /// Returns the bytes that it takes in a file.
    fn length(&self, width: usize) -> usize {
        let empty = empty_length(width);
        let children = self.children.iter().map(|child| child.length(width));
        empty + self.name.len() + self.attributes.len() + children.sum::<usize>() + usize::from(self.is_ended) * empty
    }

    /// Returns the first inner record of that name.
    pub(crate) fn child_mut(&mut self, name: &str) -> Option<&mut Self> {
        self.children.iter_mut().find(|child| *child.name == *name.as_bytes())
    }

    /// Returns the first attribute, if it is a whole number.
    pub(crate) fn first_int(&self) -> Option<i64> {
        let (kind, rest) = self.attributes.split_first()?;
        match kind {
            b'L' => Some(i64::from_le_bytes(*rest.first_chunk()?)),
            b'I' => Some(i64::from(i32::from_le_bytes(*rest.first_chunk()?))),
            _ => None,
        }
    }

    /// The child and the parent of a connection.
    pub(crate) fn link(&self) -> Option<[i64; 2]> {
        let kind = self.first_text()?;
        let numbers = self.attributes.get(5 + kind.len()..)?;
        let at = |place: usize| match numbers.get(9 * place..9 * place + 9)?.split_first()? {
            (b'L', number) => Some(i64::from_le_bytes(*number.first_chunk()?)),
            _ => None,
        };
        Some([at(0)?, at(1)?])
    }

    pub(crate) fn first_text(&self) -> Option<&[u8]> {
        text_of(&self.attributes)
    }

    /// Returns the name of an object, which follows its number.
    pub(crate) fn name_of_object(&self) -> Option<&[u8]> {
        text_of(self.behind_number()?)
    }

    /// Returns the kind of an object, which follows its name.
    pub(crate) fn kind_of_object(&self) -> Option<&[u8]> {
        let name = self.name_of_object()?;
        // A letter and a length precede each text.
        text_of(self.behind_number()?.get(5 + name.len()..)?)
    }

    fn behind_number(&self) -> Option<&[u8]> {
        let width = match self.attributes.first()? {
            b'L' => 8,
            b'I' => 4,
            _ => return None,
        };
        self.attributes.get(1 + width..)
    }

    /// Whether the last attribute is this number.
    pub(crate) fn ends_in_i32(&self, value: i32) -> bool {
        let [a, b, c, d] = value.to_le_bytes();
        self.attributes.ends_with(&[b'I', a, b, c, d])
    }
}

/// Returns the bytes of a number in the head of a record, in files of a version.
fn width(version: u32) -> usize {
    if version >= FIRST_WIDE { 8 } else { 4 }
}

/// Returns the bytes of an empty record: three numbers, and the length of its name.
fn empty_length(width: usize) -> usize {
    3 * width + 1
}

/// Returns the text at the start of a list of attributes.
fn text_of(attributes: &[u8]) -> Option<&[u8]> {
    let (kind, rest) = attributes.split_first()?;
    let (length, text) = rest.split_first_chunk()?;
    let text = text.get(..u32::from_le_bytes(*length) as usize)?;
    (*kind == b'S').then_some(text)
}

/// Reads the records of a binary file of version 7000 or later. Errors: [`FbxError`].
pub(crate) fn parse(bytes: &[u8]) -> Result<Document<'_>, FbxError> {
    let version = version(bytes).ok_or(FbxError::Version)?;
    let mut cursor = Cursor {
        bytes,
        at: MAGIC.len() + 4,
        width: width(version),
    };
    let mut records = Vec::new();
    while let Some(record) = cursor.record(0)? {
        records.push(record);
    }
    let code = cursor.take(16)?;
    Ok(Document {
        version,
        records,
        code: code.try_into().map_err(|_| FbxError::CutOff)?,
    })
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    width: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], FbxError> {
        let end = self.at.checked_add(length).ok_or(FbxError::CutOff)?;
        let taken = self.bytes.get(self.at..end).ok_or(FbxError::CutOff)?;
        self.at = end;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u64, FbxError> {
        let mut number = [0; 8];
        number[..self.width].copy_from_slice(self.take(self.width)?);
        Ok(u64::from_le_bytes(number))
    }

    /// Returns the next record; `None` for the empty one.
    fn record(&mut self, depth: usize) -> Result<Option<Record<'a>>, FbxError> {
        if depth > MAX_DEPTH {
            return Err(FbxError::TooDeep { limit: MAX_DEPTH });
        }
        let end = self.number()?;
        let num_attributes = self.number()?;
        let attributes_length = self.number()?;
        let name_length = usize::from(self.take(1)?[0]);
        let name = self.take(name_length)?;
        if end == 0 {
            return Ok(None);
        }
        let end = usize::try_from(end).map_err(|_| FbxError::CutOff)?;
        let attributes = self.take(usize::try_from(attributes_length).map_err(|_| FbxError::CutOff)?)?;
        let mut record = Record {
            name: Cow::Borrowed(name),
            num_attributes,
            attributes: Cow::Borrowed(attributes),
            children: Vec::new(),
            is_ended: false,
        };
        while self.at < end {
            match self.record(depth + 1)? {
                Some(child) => record.children.push(child),
                None => {
                    record.is_ended = true;
                    break;
                }
            }
        }
        if self.at != end {
            return Err(FbxError::Malformed {
                detail: format!("a record ends at byte {}, its offset says {end}", self.at),
            });
        }
        Ok(Some(record))
    }
}

/// Writes a file. Errors: [`FbxError::TooManyBytes`] if offsets of four bytes are too small.
///
/// Takes memory for one file: records are dropped as they are written.
pub(crate) fn write(document: Document) -> Result<Vec<u8>, FbxError> {
    let width = width(document.version);
    let lengths = document.records.iter().map(|record| record.length(width));
    let mut writer = Writer {
        bytes: Vec::with_capacity(lengths.sum::<usize>() + MAX_FRAME),
        width,
    };
    writer.bytes.extend_from_slice(MAGIC);
    writer.bytes.extend(document.version.to_le_bytes());
    for record in document.records {
        writer.record(record)?;
    }
    writer.end();
    let mut bytes = writer.bytes;
    bytes.extend(document.code);
    // A whole block of zeros if the end is already a multiple.
    bytes.resize(bytes.len() + 16 - bytes.len() % 16, 0);
    bytes.extend([0; 4]);
    bytes.extend(document.version.to_le_bytes());
    bytes.resize(bytes.len() + TAIL_ZEROS, 0);
    bytes.extend(LAST_CODE);
    Ok(bytes)
}

struct Writer {
    bytes: Vec<u8>,
    width: usize,
}

impl Writer {
    fn put(&mut self, at: usize, number: u64) -> Result<(), FbxError> {
        if self.width < 8 && u32::try_from(number).is_err() {
            return Err(FbxError::TooManyBytes);
        }
        self.bytes[at..at + self.width].copy_from_slice(&number.to_le_bytes()[..self.width]);
        Ok(())
    }

    /// An empty record.
    fn end(&mut self) {
        self.bytes.resize(self.bytes.len() + empty_length(self.width), 0);
    }

    fn record(&mut self, record: Record) -> Result<(), FbxError> {
        let width = self.width;
        let head = self.bytes.len();
        self.bytes.resize(head + 3 * width, 0);
        self.put(head + width, record.num_attributes)?;
        self.put(head + 2 * width, record.attributes.len() as u64)?;
        // Names from files had a one-byte length; ours are words of the format.
        self.bytes.push(record.name.len() as u8);
        self.bytes.extend_from_slice(&record.name);
        self.bytes.extend_from_slice(&record.attributes);
        drop(record.attributes);
        for child in record.children {
            self.record(child)?;
        }
        if record.is_ended {
            self.end();
        }
        self.put(head, self.bytes.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(version: u32) -> Document<'static> {
        Document {
            version,
            records: vec![
                Record::new("A")
                    .i32(-3)
                    .text("b\0\x01c")
                    .bool(true)
                    .bytes(b"raw")
                    .f64(0.5),
                Record::new("B").with([
                    Record::new("C").i64s(&[1, -2]).f32s(&[0.25]).i32s(&[7]),
                    Record::new("D"),
                ]),
                Record::new("E").with([]),
            ],
            code: [9; 16],
        }
    }

    #[test]
    fn what_is_written_reads_back_and_writes_the_same_bytes() {
        for version in [7400, 7500] {
            let written = write(document(version)).unwrap();
            assert!(written.ends_with(&LAST_CODE));
            let read = parse(&written).unwrap();
            assert_eq!((read.version, read.code), (version, [9; 16]));
            assert_eq!(read.records, document(version).records);
            assert_eq!(write(read).unwrap(), written);
        }
    }

    /// ufbx before 0.21, and so Blender 5.0, refused files whose arrays have dynamic codes.
    #[test]
    fn arrays_are_deflated_with_the_codes_of_the_format() {
        for count in [40, 70, 1000, 100_000] {
            let values: Vec<f32> = (0..count).map(|index| ((index % 17) as f32).sin()).collect();
            let array = Record::new("A").f32s(&values);
            let head = 1 + 3 * 4;
            assert_eq!(array.attributes[5], 1, "deflated");
            // The two bytes of zlib's header are followed by the flag of the last block and the kind of its codes.
            assert_eq!(array.attributes[head + 2] & 0b110, 0b010);
            let found = miniz_oxide::inflate::decompress_to_vec_zlib(&array.attributes[head..]).unwrap();
            assert_eq!(
                found,
                values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>()
            );
        }
    }

    #[test]
    fn bytes_that_are_cut_off_are_errors() {
        let written = write(document(7400)).unwrap();
        let used = written.len() - TAIL_ZEROS - 64;
        for length in 0..used {
            assert!(parse(&written[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn files_end_where_their_offsets_do() {
        let mut writer = Writer {
            bytes: vec![0; 8],
            width: 4,
        };
        assert_eq!(writer.put(0, u64::from(u32::MAX)), Ok(()));
        assert_eq!(writer.put(0, 1 << 32), Err(FbxError::TooManyBytes));
        writer.width = 8;
        assert_eq!(writer.put(0, 1 << 32), Ok(()));
    }

    #[cfg(feature = "fbx")]
    #[test]
    fn arrays_that_unfold_out_of_proportion_are_refused() {
        // A hundred million numbers in a dozen bytes.
        let head = [100_000_000_u32, 1, 12].map(u32::to_le_bytes);
        let times = Record::new("KeyTime").push(
            b'l',
            &[head.as_flattened(), &[0x78, 0x9C, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
        );
        let curve = Record::new("AnimationCurve")
            .i64(7)
            .text("\0\x01AnimCurve")
            .text("")
            .with([times]);
        let bytes = write(Document {
            version: 7400,
            records: vec![Record::new("Objects").with([curve])],
            code: [0; 16],
        })
        .unwrap();
        let settings = crate::ReadSettings::default();
        let refused = crate::read_take(&bytes, "t", &settings, &mut Vec::new()).unwrap_err();
        let is_too_large = |fault: &FbxError| matches!(fault, FbxError::TooLarge { .. });
        assert!(
            matches!(&refused, crate::ReadError::Fbx(fault) if is_too_large(fault)),
            "{refused:?}"
        );
    }

    #[test]
    fn nesting_has_a_limit() {
        let nested = |depth: usize| {
            let deep = (0..depth).fold(Record::new("A"), |inner, _| Record::new("A").with([inner]));
            write(Document {
                version: 7400,
                records: vec![deep],
                code: [0; 16],
            })
            .unwrap()
        };
        assert!(parse(&nested(MAX_DEPTH)).is_ok());
        for depth in [MAX_DEPTH + 1, 100] {
            let written = nested(depth);
            let refused = parse(&written);
            assert!(
                matches!(refused, Err(FbxError::TooDeep { limit: MAX_DEPTH })),
                "{depth}"
            );
        }
    }
}
