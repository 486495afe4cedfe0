//! Zip archives, as far as NPZ files need them: entries that are stored or deflated, found by the directory at the end.

use miniz_oxide::inflate::decompress_to_vec_with_limit;

use super::error::NpzError;
use crate::{error::ReadError, excerpt::cut, limits::SizeLimits};

/// First bytes of an archive.
pub(super) const START: &[u8] = b"PK\x03\x04";

const LOCAL: u32 = 0x0403_4B50;
const ENTRY: u32 = 0x0201_4B50;
const END: u32 = 0x0605_4B50;
const LOCAL_BYTES: usize = 30;
const ENTRY_BYTES: usize = 46;
const END_BYTES: usize = 22;

/// Longest comment behind the directory.
const MOST_COMMENT: usize = 65_535;

/// Bytes that an entry may state for each byte of the file: motion compresses to a tenth, zeros to a thousandth.
const MOST_RATIO: u64 = 100;

/// Bytes that an entry of any file may state.
const FREE_BYTES: u64 = 64 << 20;

/// Longest name in messages.
const MAX_SHOWN: usize = 60;

/// An entry of an archive.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) name: String,
    method: u16,
    crc: u32,
    packed: &'a [u8],
    /// Bytes that it has by its own statement.
    stated: u64,
}

fn broken(detail: &'static str) -> NpzError {
    NpzError::Archive { detail }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// All entries of an archive. Errors: it is cut off, or larger than 4 GiB.
pub(super) fn entries(bytes: &[u8]) -> Result<Vec<Entry<'_>>, NpzError> {
    let from = bytes.len().saturating_sub(END_BYTES + MOST_COMMENT);
    let last = bytes.len().checked_sub(END_BYTES).ok_or(broken("it is cut off"))?;
    let end = (from..=last).rev().find(|&at| u32_at(bytes, at) == Some(END));
    let end = end.ok_or(broken("it has no directory at its end; it may be cut off"))?;
    let count = u16_at(bytes, end + 10).unwrap_or(0);
    let start = u32_at(bytes, end + 16).unwrap_or(u32::MAX);
    if count == u16::MAX || start == u32::MAX {
        return Err(broken("it is larger than 4 GiB"));
    }
    let mut at = start as usize;
    let mut entries = Vec::new();
    for _ in 0..count {
        let (entry, next) = entry(bytes, at)?;
        entries.push(entry);
        at = next;
    }
    Ok(entries)
}

/// The entry that the directory describes at a place, and the place of the next.
fn entry(bytes: &[u8], at: usize) -> Result<(Entry<'_>, usize), NpzError> {
    let cut_off = || broken("its directory is cut off");
    let short = |offset: usize| u16_at(bytes, at + offset).ok_or_else(cut_off);
    let long = |offset: usize| u32_at(bytes, at + offset).ok_or_else(cut_off);
    if long(0)? != ENTRY {
        return Err(broken("its directory is damaged"));
    }
    let [name_bytes, extra_bytes, comment_bytes] = [short(28)?, short(30)?, short(32)?].map(usize::from);
    let name = at + ENTRY_BYTES;
    let name = bytes.get(name..name + name_bytes).ok_or_else(cut_off)?;
    let [packed, stated, start] = [long(20)?, long(24)?, long(42)?];
    if [packed, stated, start].contains(&u32::MAX) {
        return Err(broken("it is larger than 4 GiB"));
    }
    if short(8)? & 1 != 0 {
        return Err(broken("it is encrypted"));
    }
    let start = start as usize;
    if u32_at(bytes, start) != Some(LOCAL) {
        return Err(broken("its directory points nowhere"));
    }
    // The lengths of the extra fields differ between both places.
    let skipped = [26, 28].map(|offset| u16_at(bytes, start + offset).map_or(0, usize::from));
    let start = start + LOCAL_BYTES + skipped[0] + skipped[1];
    let packed = start.checked_add(packed as usize).and_then(|end| bytes.get(start..end));
    let entry = Entry {
        name: String::from_utf8_lossy(name).into_owned(),
        method: short(10)?,
        crc: long(16)?,
        packed: packed.ok_or(broken("it is cut off"))?,
        stated: u64::from(stated),
    };
    Ok((entry, at + ENTRY_BYTES + name_bytes + extra_bytes + comment_bytes))
}

impl Entry<'_> {
    /// Its bytes. Errors: they are not those that it states, out of proportion to a file of `file_bytes`, or beyond the limits.
    pub(super) fn unpacked(&self, file_bytes: usize, limits: &SizeLimits) -> Result<Vec<u8>, ReadError> {
        let name = || cut(&self.name, MAX_SHOWN);
        let damaged = |detail: &'static str| NpzError::Damaged { name: name(), detail };
        if self.stated
            > (file_bytes as u64)
                .saturating_mul(MOST_RATIO)
                .saturating_add(FREE_BYTES)
        {
            return Err(NpzError::OutOfProportion {
                name: name(),
                stated: self.stated,
                bytes: file_bytes,
            }
            .into());
        }
        limits.check_memory(self.stated)?;
        let bytes = match self.method {
            0 => self.packed.to_vec(),
            8 => decompress_to_vec_with_limit(self.packed, self.stated as usize)
                .map_err(|_| damaged("it cannot be unpacked, or has more bytes than it states"))?,
            method => return Err(NpzError::Method { name: name(), method }.into()),
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

/// The polynomial of zip's check sums, lowest bit first.
const POLYNOMIAL: u32 = 0xEDB8_8320;

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ POLYNOMIAL } else { sum >> 1 };
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
};

fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, &byte: &u8| sum >> 8 ^ TABLE[usize::from(sum as u8 ^ byte)];
    !bytes.iter().fold(!0, step)
}

/// An archive that is written: stored entries, then the directory.
#[derive(Default)]
pub(super) struct Archive {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
}

/// An archive of files, stored as they are: at most 65,535 of them, and less than 4 GiB together.
pub fn zip_of<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut archive = Archive::default();
    for (name, bytes) in files {
        archive.add(name, bytes);
    }
    archive.finish()
}

/// The first of January 1980, the earliest day there is in an archive: the same motion gives the same bytes.
const DAY: u16 = 1 << 5 | 1;

impl Archive {
    pub(super) fn add(&mut self, name: &str, bytes: &[u8]) {
        let start = self.bytes.len() as u32;
        let mut shared = Vec::new();
        // Version 2.0, flags, stored, time and day.
        for short in [20, 0, 0, 0, DAY] {
            shared.extend_from_slice(&short.to_le_bytes());
        }
        for long in [crc32(bytes), bytes.len() as u32, bytes.len() as u32] {
            shared.extend_from_slice(&long.to_le_bytes());
        }
        shared.extend_from_slice(&(name.len() as u16).to_le_bytes());
        shared.extend_from_slice(&[0; 2]);
        self.bytes.extend_from_slice(&LOCAL.to_le_bytes());
        self.bytes.extend_from_slice(&shared);
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.extend_from_slice(bytes);
        self.directory.extend_from_slice(&ENTRY.to_le_bytes());
        self.directory.extend_from_slice(&20_u16.to_le_bytes());
        self.directory.extend_from_slice(&shared);
        // Comment, disk, attributes.
        self.directory.extend_from_slice(&[0; 10]);
        self.directory.extend_from_slice(&start.to_le_bytes());
        self.directory.extend_from_slice(name.as_bytes());
        self.count = self.count.saturating_add(1);
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(&self.directory);
        self.bytes.extend_from_slice(&END.to_le_bytes());
        self.bytes.extend_from_slice(&[0; 4]);
        for count in [self.count; 2] {
            self.bytes.extend_from_slice(&count.to_le_bytes());
        }
        for long in [self.directory.len() as u32, start] {
            self.bytes.extend_from_slice(&long.to_le_bytes());
        }
        self.bytes.extend_from_slice(&[0; 2]);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_come_back_and_say_what_is_wrong() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
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
        // More than it states, and less.
        for stated in [1 << 10, 2 << 20] {
            assert!(matches!(
                error(stated, &limits),
                ReadError::Npz(NpzError::Damaged { .. })
            ));
        }
    }
}
