//! Checks the statements of a Parquet file's footer and pages before anything is built or decoded.
//!
//! Parquet's reader trusts both: it allocates as much memory and nests as deep as they state, and the process ends if there is less. They
//! are structs in Thrift's compact protocol; see `FileMetaData` and `PageHeader` in parquet.thrift and "Thrift compact protocol encoding".

use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};

use crate::{CatalogError, room::Room};

/// Memory for a value of a dictionary once it is decoded, bytes.
const DICTIONARY_VALUE_BYTES: u64 = 40;

/// Deepest nesting of structs and lists: the statistics of a column, in a chunk, in a group, in the footer, are nine deep.
const MAX_DEPTH: usize = 12;

/// Encodings that take no more memory than the page and its dictionary: plain, run lengths, bits, and indices into a dictionary. The others
/// state within the page how much they hold.
const ENCODINGS: [i64; 5] = [0, 2, 3, 4, 8];

/// Encodings of indices into a dictionary.
const BY_DICTIONARY: [i64; 2] = [2, 8];

/// The repetition of a list.
const REPEATED: i64 = 2;

/// The kind of a struct.
const STRUCT: u8 = 12;

/// The numbers of a header that are checked.
#[derive(Default)]
struct PageHeader {
    uncompressed: u64,
    compressed: u64,
    dictionary_values: u64,
    is_dictionary: bool,
    /// Of the values.
    encoding: i64,
}

/// Checks the footer: its lists must not be longer than its bytes, and its columns must be flat, as in a catalog. Errors: the footer
/// differs.
pub(crate) fn check_footer(bytes: &[u8]) -> Result<(), CatalogError> {
    let footer = bytes.split_last_chunk::<8>().and_then(|(before, [a, b, c, d, ..])| {
        let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
        before.get(before.len().checked_sub(length)?..)
    });
    let footer = footer.ok_or_else(|| damaged("its footer is cut off"))?;
    let mut has_root = false;
    let mut input = Compact { rest: footer };
    input.value(STRUCT, 0, &mut Vec::new(), &mut |path, value| {
        let is_nested = match path {
            // The repetition of a column, and the number of its children.
            [2, 3] => value == REPEATED,
            // The first that holds others is the row.
            [2, 5] if value != 0 => {
                core::mem::replace(&mut has_root, true)
                    || usize::try_from(value).is_ok_and(|count| count > footer.len())
            }
            _ => false,
        };
        if is_nested {
            return Err(damaged(
                "a column holds lists or structs, and those of catalogs hold none",
            ));
        }
        Ok(())
    })
}

/// Takes the memory that the pages of all columns need. Errors: they need too much, or cannot be read safely.
pub(crate) fn check(bytes: &[u8], metadata: &ParquetMetaData, room: &mut Room) -> Result<(), CatalogError> {
    let columns = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    for column in columns {
        let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
        let end = start.checked_add(column.compressed_size());
        let [start, end] = [Some(start), end].map(|at| at.and_then(|at| usize::try_from(at).ok()));
        let mut rest = start
            .zip(end)
            .and_then(|(start, end)| bytes.get(start..end))
            .ok_or_else(|| damaged("a column lies outside the file"))?;
        let mut has_dictionary = false;
        while !rest.is_empty() {
            let mut header = PageHeader::default();
            let mut input = Compact { rest };
            input.page_header(&mut header)?;
            room.take(header.uncompressed)?;
            room.take(header.dictionary_values.saturating_mul(DICTIONARY_VALUE_BYTES))?;
            if !ENCODINGS.contains(&header.encoding) {
                return Err(damaged("a column is encoded in a way that is not read; write it plain"));
            }
            has_dictionary |= header.is_dictionary;
            if BY_DICTIONARY.contains(&header.encoding) && !has_dictionary {
                return Err(damaged("a page refers to a dictionary that is not there"));
            }
            let page = usize::try_from(header.compressed).ok();
            rest = page
                .and_then(|page| input.rest.get(page..))
                .ok_or_else(|| damaged("a page lies outside its column"))?;
        }
    }
    Ok(())
}

fn damaged(reason: &str) -> CatalogError {
    CatalogError::Parquet {
        reason: reason.to_owned(),
    }
}

/// Receives a whole number, with the path of fields that leads to it.
type TakeNumber<'a> = dyn FnMut(&[i64], i64) -> Result<(), CatalogError> + 'a;

/// Bytes in Thrift's compact protocol.
struct Compact<'a> {
    rest: &'a [u8],
}

impl Compact<'_> {
    fn page_header(&mut self, header: &mut PageHeader) -> Result<(), CatalogError> {
        self.value(STRUCT, 0, &mut Vec::new(), &mut |path, value| {
            let size = || u64::try_from(value).map_err(|_| damaged("a page states a negative size"));
            match path {
                [2] => header.uncompressed = size()?,
                [3] => header.compressed = size()?,
                [7, 1] => {
                    header.dictionary_values = size()?;
                    header.is_dictionary = true;
                }
                // In a page, a dictionary, and a page of the second version.
                [5 | 7, 2] | [8, 4] => header.encoding = value,
                _ => {}
            }
            Ok(())
        })
    }

    /// Skips a value and its contents; `take` receives its whole numbers, each with the path of fields that leads to it.
    fn value(
        &mut self,
        kind: u8,
        depth: usize,
        path: &mut Vec<i64>,
        take: &mut TakeNumber,
    ) -> Result<(), CatalogError> {
        if depth > MAX_DEPTH {
            return Err(damaged("what it states is too deep"));
        }
        match kind {
            3 => self.drop(1),
            4..=6 => take(path, self.zigzag()?),
            7 => self.drop(8),
            8 => {
                let length = self.varint()?;
                self.drop(length)
            }
            9 | 10 => {
                let head = self.byte()?;
                let length = if head >> 4 == 15 {
                    self.varint()?
                } else {
                    u64::from(head >> 4)
                };
                if length > self.rest.len() as u64 {
                    return Err(damaged("a list is longer than its bytes"));
                }
                // Truths in lists have a byte each.
                let kind = if head & 15 < 3 { 3 } else { head & 15 };
                (0..length).try_for_each(|_| self.value(kind, depth + 1, path, take))
            }
            STRUCT => {
                let mut number = 0_i64;
                loop {
                    let head = self.byte()?;
                    if head == 0 {
                        return Ok(());
                    }
                    number = match head >> 4 {
                        0 => self.zigzag()?,
                        step => number.saturating_add(i64::from(step)),
                    };
                    // Booleans are stored in the head itself.
                    if head & 15 > 2 {
                        path.push(number);
                        self.value(head & 15, depth + 1, path, take)?;
                        path.pop();
                    }
                }
            }
            // Parquet has no maps.
            _ => Err(damaged("it states what Parquet files do not")),
        }
    }

    fn byte(&mut self) -> Result<u8, CatalogError> {
        let (&first, rest) = self.rest.split_first().ok_or_else(|| damaged("it is cut off"))?;
        self.rest = rest;
        Ok(first)
    }

    fn drop(&mut self, length: u64) -> Result<(), CatalogError> {
        self.rest = usize::try_from(length)
            .ok()
            .and_then(|length| self.rest.get(length..))
            .ok_or_else(|| damaged("it is cut off"))?;
        Ok(())
    }

    fn varint(&mut self) -> Result<u64, CatalogError> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(damaged("a number has no end"))
    }

    fn zigzag(&mut self) -> Result<i64, CatalogError> {
        let number = self.varint()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_and_bad_ones_refused() {
        // Data page: type 0, 300 bytes, 20 packed, 7 values, plain.
        let bytes = [
            0x15, 0, 0x15, 0xd8, 0x04, 0x15, 40, 0x2c, 0x15, 14, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0, 0xff,
        ];
        let mut header = PageHeader::default();
        let mut input = Compact { rest: &bytes };
        input.page_header(&mut header).unwrap();
        assert_eq!((header.uncompressed, header.compressed, header.encoding), (300, 20, 0));
        assert_eq!(input.rest, [0xff]);
        for cut in 0..bytes.len() - 1 {
            let mut input = Compact { rest: &bytes[..cut] };
            assert!(input.page_header(&mut PageHeader::default()).is_err(), "{cut}");
        }
        // A text of 2^40 bytes, a struct without an end, a number without an end, a missing list, a negative size.
        let bad: [&[u8]; 5] = [
            &[0x18, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20],
            &[0x1c; 40],
            &[0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            &[0x19, 0xf5, 100, 0],
            &[0x25, 1, 0],
        ];
        for bytes in bad {
            let mut input = Compact { rest: bytes };
            assert!(input.page_header(&mut PageHeader::default()).is_err(), "{bytes:x?}");
        }
    }

    #[test]
    fn a_few_bytes_of_footer_state_neither_depth_nor_gibibytes_nor_lists() {
        // A column with a name, a repetition and a number of children.
        let column = |repetition: u8, children: &[u8]| {
            [&[0x35, 2 * repetition, 0x18, 1, b'a', 0x15][..], children, &[0]].concat()
        };
        let columns =
            |count: &[u8], all: &[u8]| [&[0x15, 2, 0x19, 0xfc][..], count, all, &[0x16, 2, 0x19, 0x0c, 0]].concat();
        let deep = columns(&[0x90, 0x4e], &column(0, &[2]).repeat(10_000));
        let wide = columns(&[1], &column(0, &[0xfe, 0xff, 0xff, 0xff, 0x0f]));
        let list = columns(&[2], &[column(0, &[2]), column(2, &[0])].concat());
        let lists = [0x19].repeat(100_000);
        let longer = columns(&[0xff, 0xff, 0xff, 0xff, 0x07], &column(0, &[2]));
        let flat = columns(&[2], &[column(0, &[2]), column(1, &[0])].concat());
        for (footer, is_flat) in [
            (deep, false),
            (wide, false),
            (list, false),
            (lists, false),
            (longer, false),
            (flat, true),
        ] {
            let length = (footer.len() as u32).to_le_bytes();
            let file = [&b"PAR1"[..], &footer[..], &length, b"PAR1"].concat();
            assert_eq!(check_footer(&file).is_ok(), is_flat, "{} bytes", file.len());
            let refused = crate::read(crate::CatalogFormat::Parquet, file);
            assert!(refused.is_err());
        }
    }
}
