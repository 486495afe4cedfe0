//! Checks the sizes that pages of a Parquet file state before anything is decoded.
//!
//! Parquet's reader trusts the headers of pages: it takes as much memory as they state, and the process ends where there is less. Headers
//! are structs in Thrift's compact protocol; see `PageHeader` in parquet.thrift and "Thrift compact protocol encoding".

use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};

use crate::{CatalogError, room::Room};

/// Memory for a value of a dictionary once it is decoded, bytes.
const DICTIONARY_VALUE_BYTES: u64 = 40;

/// Deepest nesting of a header: statistics within a page's own header within the header.
const MAX_DEPTH: usize = 8;

/// Encodings that take no more memory than the page and its dictionary: plain, run lengths, bits, and indices into a dictionary. Others
/// state within the page how much they hold.
const ENCODINGS: [i64; 5] = [0, 2, 3, 4, 8];

/// Encodings of indices into a dictionary.
const BY_DICTIONARY: [i64; 2] = [2, 8];

/// Field numbers in the header of a page.
const UNCOMPRESSED: i64 = 2;
const COMPRESSED: i64 = 3;
const DATA: i64 = 5;
const DICTIONARY: i64 = 7;
const DATA_V2: i64 = 8;

/// The numbers of a header that matter here.
#[derive(Default)]
struct PageHeader {
    uncompressed: u64,
    compressed: u64,
    dictionary_values: u64,
    is_dictionary: bool,
    /// Of the values.
    encoding: i64,
}

/// Takes the memory that the pages of all columns need. Errors: they need too much, or cannot be read safely.
pub(crate) fn check(bytes: &[u8], metadata: &ParquetMetaData, room: &mut Room) -> Result<(), CatalogError> {
    let columns = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    for column in columns {
        let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
        let end = start.checked_add(column.compressed_size());
        let [start, end] = [Some(start), end].map(|at| at.and_then(|at| usize::try_from(at).ok()));
        let pages = start.zip(end).and_then(|(start, end)| bytes.get(start..end));
        let mut rest = pages.ok_or_else(|| damaged("a column lies outside the file"))?;
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

/// Bytes in Thrift's compact protocol.
struct Compact<'a> {
    rest: &'a [u8],
}

impl Compact<'_> {
    fn page_header(&mut self, header: &mut PageHeader) -> Result<(), CatalogError> {
        self.fields(0, &mut |outer, inner, value| {
            let size = || u64::try_from(value).map_err(|_| damaged("a page states a negative size"));
            match (outer, inner) {
                (UNCOMPRESSED, None) => header.uncompressed = size()?,
                (COMPRESSED, None) => header.compressed = size()?,
                (DICTIONARY, Some(1)) => {
                    header.dictionary_values = size()?;
                    header.is_dictionary = true;
                }
                (DATA | DICTIONARY, Some(2)) | (DATA_V2, Some(4)) => header.encoding = value,
                _ => {}
            }
            Ok(())
        })
    }

    /// The whole numbers of a struct and of those in it, each with the number of its field, and that of the struct that it is in.
    fn fields(
        &mut self,
        depth: usize,
        take: &mut dyn FnMut(i64, Option<i64>, i64) -> Result<(), CatalogError>,
    ) -> Result<(), CatalogError> {
        if depth > MAX_DEPTH {
            return Err(damaged("the header of a page is too deep"));
        }
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
            match head & 15 {
                // Truths stand in the head itself.
                1 | 2 => {}
                3 => self.drop(1)?,
                4..=6 => take(number, None, self.zigzag()?)?,
                12 => {
                    let outer = number;
                    self.fields(depth + 1, &mut |inner, deeper, value| match deeper {
                        None => take(outer, Some(inner), value),
                        Some(_) => Ok(()),
                    })?;
                }
                7 => self.drop(8)?,
                8 => {
                    let length = self.varint()?;
                    self.drop(length)?;
                }
                // Headers of pages contain neither lists nor maps.
                _ => return Err(damaged("the header of a page holds what headers do not")),
            }
        }
    }

    fn byte(&mut self) -> Result<u8, CatalogError> {
        let (&first, rest) = (self.rest.split_first()).ok_or_else(|| damaged("the header of a page is cut off"))?;
        self.rest = rest;
        Ok(first)
    }

    fn drop(&mut self, length: u64) -> Result<(), CatalogError> {
        let rest = usize::try_from(length).ok().and_then(|length| self.rest.get(length..));
        self.rest = rest.ok_or_else(|| damaged("the header of a page is cut off"))?;
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
        Err(damaged("the header of a page holds a number without an end"))
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
        // A text of 2^40 bytes, a struct without an end, a number without an end, a list, a negative size.
        let bad: [&[u8]; 5] = [
            &[0x18, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20],
            &[0x1c; 40],
            &[0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            &[0x19, 0x15, 0, 0],
            &[0x25, 1, 0],
        ];
        for bytes in bad {
            let mut input = Compact { rest: bytes };
            assert!(input.page_header(&mut PageHeader::default()).is_err(), "{bytes:x?}");
        }
    }
}
