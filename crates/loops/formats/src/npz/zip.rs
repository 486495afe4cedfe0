//! Zip archives, as far as NPZ files need them: stored and deflated entries.

use miniz_oxide::inflate::decompress_to_vec_with_limit;
use rawzip::{ErrorKind, ZipArchive, crc32};

use super::error::NpzError;
use crate::{error::ReadError, excerpt::cut, limits::SizeLimits};

/// First bytes of an archive, and of each file in it.
pub(super) const START: &[u8] = b"PK\x03\x04";

const ENTRY: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";

/// Most bytes that an entry may state per byte of the file: motion compresses to a tenth, zeros to a thousandth.
const MOST_RATIO: u64 = 100;

/// Bytes that an entry of any file may state.
const FREE_BYTES: u64 = 64 << 20;

/// Longest name in messages.
const MAX_SHOWN: usize = 60;

/// An entry of an archive.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub name: String,
    method: u16,
    crc: u32,
    packed: &'a [u8],
    /// Its stated size in bytes.
    stated: u64,
}

fn broken(detail: &'static str) -> NpzError {
    NpzError::Archive { detail }
}

/// Returns the error of an archive in which a signature is missing at its stated place, or that ends too early.
fn fault(error: &rawzip::Error, no_signature: &'static str, ends: &'static str) -> NpzError {
    broken(match error.kind() {
        ErrorKind::MissingEndOfCentralDirectory => "it has no directory at its end; it may be cut off",
        ErrorKind::InvalidSignature { .. } => no_signature,
        _ => ends,
    })
}

/// Lists the entries of an archive. Errors: it is cut off, damaged or encrypted.
pub(super) fn entries(bytes: &[u8]) -> Result<Vec<Entry<'_>>, NpzError> {
    let (damaged, cut_off) = ("its directory is damaged", "its directory is cut off");
    let archive = ZipArchive::from_slice(bytes).map_err(|error| fault(&error, damaged, cut_off))?;
    let mut entries = Vec::new();
    for entry in archive.entries() {
        let entry = entry.map_err(|error| fault(&error, damaged, cut_off))?;
        if entry.flags().is_encrypted() {
            return Err(broken("it is encrypted"));
        }
        let found = archive.get_entry(entry.wayfinder());
        let (start, end) = found
            .map_err(|error| fault(&error, "its directory points nowhere", "it is cut off"))?
            .compressed_data_range();
        entries.push(Entry {
            name: String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned(),
            method: entry.compression_method().as_u16(),
            crc: entry.crc32(),
            packed: &bytes[start as usize..end as usize],
            stated: entry.uncompressed_size_hint(),
        });
    }
    Ok(entries)
}

impl Entry<'_> {
    /// Unpacks its bytes. Errors: they contradict its statement, are out of proportion to a file of `file_bytes`, or exceed the
    /// limits.
    pub(super) fn unpacked(&self, file_bytes: usize, limits: &SizeLimits) -> Result<Vec<u8>, ReadError> {
        let name = cut(&self.name, MAX_SHOWN);
        let damaged = |detail: &'static str| NpzError::Damaged {
            name: name.clone(),
            detail,
        };
        if self.stated
            > (file_bytes as u64)
                .saturating_mul(MOST_RATIO)
                .saturating_add(FREE_BYTES)
        {
            return Err(NpzError::OutOfProportion {
                name,
                stated: self.stated,
                bytes: file_bytes,
            }
            .into());
        }
        limits.check_room(self.stated)?;
        let bytes = match self.method {
            0 => self.packed.to_vec(),
            8 => decompress_to_vec_with_limit(self.packed, self.stated as usize)
                .map_err(|_| damaged("it cannot be unpacked, or has more bytes than it states"))?,
            method => return Err(NpzError::Method { name, method }.into()),
        };
        if bytes.len() as u64 != self.stated {
            return Err(damaged("it has other bytes than it states").into());
        }
        if crc32(&bytes) == self.crc {
            Ok(bytes)
        } else {
            Err(damaged("its check sum is wrong").into())
        }
    }
}

/// An archive to be written: stored entries, then the directory.
#[derive(Default)]
pub(super) struct Archive {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
}

/// Writes an archive of stored files: at most 65,535 of them, and less than 4 GiB together.
pub fn zip_of<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut archive = Archive::default();
    for (name, bytes) in files {
        archive.add(name, bytes);
    }
    archive.finish()
}

/// The first of January 1980, the earliest date of an archive, so that the same motion gives the same bytes.
const DAY: u16 = 1 << 5 | 1;

impl Archive {
    pub(super) fn add(&mut self, name: &str, bytes: &[u8]) {
        let start = self.bytes.len() as u32;
        // Version 2.0, flags, stored, time and day.
        let mut shared = [20, 0, 0, 0, DAY].map(u16::to_le_bytes).concat();
        let size = bytes.len() as u32;
        shared.extend([crc32(bytes), size, size].map(u32::to_le_bytes).as_flattened());
        shared.extend((name.len() as u16).to_le_bytes());
        shared.extend([0; 2]);
        for part in [START, &shared[..], name.as_bytes(), bytes] {
            self.bytes.extend_from_slice(part);
        }
        // Ten bytes of comment, disk and attributes.
        for part in [
            ENTRY,
            &20_u16.to_le_bytes()[..],
            &shared[..],
            &[0; 10],
            &start.to_le_bytes(),
            name.as_bytes(),
        ] {
            self.directory.extend_from_slice(part);
        }
        self.count = self.count.saturating_add(1);
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        let start = self.bytes.len() as u32;
        let counts = [self.count; 2].map(u16::to_le_bytes);
        let places = [self.directory.len() as u32, start].map(u32::to_le_bytes);
        let (counts, places) = (counts.as_flattened(), places.as_flattened());
        for part in [&self.directory[..], END, &[0; 4], counts, places, &[0; 2]] {
            self.bytes.extend_from_slice(part);
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_come_back_and_say_what_is_wrong() {
        let bytes = zip_of([("a.npy", &b"one"[..]), ("b.npy", b"")]);
        let limits = SizeLimits::default();
        let all = entries(&bytes).unwrap();
        let names: Vec<&str> = all.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["a.npy", "b.npy"]);
        assert_eq!(all[0].unpacked(bytes.len(), &limits), Ok(b"one".to_vec()));
        for length in 0..bytes.len() {
            let _ = entries(&bytes[..length]).map(|all| all.len());
        }
        let at = bytes.windows(3).position(|three| three == b"one").unwrap();
        let mut other = bytes.clone();
        other[at] ^= 1;
        let error = entries(&other).unwrap()[0].unpacked(other.len(), &limits).unwrap_err();
        assert!(error.to_string().contains("check sum"), "{error}");
    }

    #[test]
    fn what_states_too_much_is_refused_before_it_is_unpacked() {
        let packed = miniz_oxide::deflate::compress_to_vec(&vec![0; 1 << 20], 9);
        let entry = |stated: u64| Entry {
            name: "zeros.npy".to_owned(),
            method: 8,
            crc: 0,
            packed: &packed,
            stated,
        };
        let (small, limits) = (packed.len(), SizeLimits::default());
        let error = |stated: u64, limits: &SizeLimits| entry(stated).unpacked(small, limits).unwrap_err();
        assert!(matches!(
            error(1 << 40, &limits),
            ReadError::Npz(NpzError::OutOfProportion { .. })
        ));
        let tight = SizeLimits {
            max_memory_bytes: 1 << 10,
            ..limits
        };
        assert!(matches!(error(1 << 20, &tight), ReadError::Memory(_)));
        // Sizes above and below the stated one.
        for stated in [1 << 10, 2 << 20] {
            assert!(matches!(
                error(stated, &limits),
                ReadError::Npz(NpzError::Damaged { .. })
            ));
        }
    }
}
