//! A match database as bytes: little-endian, every table at a multiple of 64 bytes, so that it can be used where a file is mapped
//! into memory.
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `LWMATCH` and a line feed |
//! | 4, 4 | version; the number 0x01020304 |
//! | 4, 4 | numbers of a row; principal components |
//! | 8, 8, 8 | rows; clips; bytes of the table of clips |
//! | 8 | the largest projection, as f64 |
//! | 8 | checksum of all that follows the first 64 bytes |
//!
//! Then the tables: clips (texts with their lengths, numbers), means and scales of features (f64), mean and principal components of
//! rows (f64), leaves (f32), rows of leaves (u32), leaves of rows (u32), boxes (f32), standing feet (u8).

use std::borrow::Cow;

use bytemuck::AnyBitPattern;

use super::{
    database::{ClipRows, MatchClip, MatchDatabase},
    features::{NUM_FEATURES, Standard},
    nearest::{COMPONENTS, LARGEST, LEAF, NearestRows},
};

const MAGIC: [u8; 8] = *b"LWMATCH\n";

/// Version of the bytes. Others are refused.
const VERSION: u32 = 1;

const MARK: u32 = 0x0102_0304;

/// Tables begin at multiples of this: a line of a processor's cache.
const ALIGNMENT: usize = 64;

/// Why bytes are no database.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseError {
    /// The bytes begin with something else.
    #[error("not a match database")]
    Magic,
    /// The database is of another version of the library.
    #[error("a match database of version {found}, this program reads version {VERSION}")]
    Version {
        /// Version found.
        found: u32,
    },
    /// The bytes have the other order, or this machine has.
    #[error("a match database for machines of the other byte order")]
    ByteOrder,
    /// The features are not those of this library.
    #[error("a match database with rows of {found} numbers, this program has rows of {NUM_FEATURES}")]
    Features {
        /// Numbers of a row.
        found: u32,
    },
    /// There are fewer or more bytes than the first ones state.
    #[error("the match database is cut off or has a tail: {needed} bytes are stated, there are {found}")]
    Length {
        /// Bytes stated; the largest number where they are more than can be counted.
        needed: usize,
        /// Bytes given.
        found: usize,
    },
    /// The bytes were changed after they were written.
    #[error("the match database is damaged: its checksum is another one")]
    Checksum,
    /// The checksum is right, but the contents contradict each other.
    #[error("the match database contradicts itself: {what}")]
    Contents {
        /// Which contents.
        what: &'static str,
    },
}

/// 64-bit hash of Fowler, Noll and Vo, version 1a, taken over words of eight bytes; fewer at the end are filled up with zeros.
fn checksum(bytes: &[u8]) -> u64 {
    let word = |part: &[u8]| {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        u64::from_le_bytes(word)
    };
    let mix = |hash: u64, part: &[u8]| (hash ^ word(part)).wrapping_mul(0x0100_0000_01b3);
    bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325, mix)
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
}

impl MatchDatabase<'_> {
    /// The database as bytes, the same on every machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut table = Vec::new();
        for ClipRows { clip, num_rows, .. } in &self.clips {
            put_text(&mut table, &clip.name);
            table.extend((clip.tags.len() as u32).to_le_bytes());
            for (name, value) in &clip.tags {
                put_text(&mut table, name);
                put_text(&mut table, value);
            }
            table.extend((clip.first_frame as u64).to_le_bytes());
            table.extend((*num_rows as u64).to_le_bytes());
            table.extend(clip.step_secs.to_le_bytes());
            table.push(u8::from(clip.is_loop));
        }
        let rows = &self.rows;
        let mut bytes = Vec::new();
        bytes.extend(MAGIC);
        let num_components = rows.components.len() / rows.columns;
        for number in [VERSION, MARK, rows.columns as u32, num_components as u32] {
            bytes.extend(number.to_le_bytes());
        }
        for number in [rows.num_rows, self.clips.len(), table.len()] {
            bytes.extend((number as u64).to_le_bytes());
        }
        bytes.extend(f64::from(rows.largest).to_le_bytes());
        // Room for the checksum.
        bytes.extend([0; 8]);
        bytes.extend(table);
        for numbers in [
            &self.standard.mean()[..],
            self.standard.scale(),
            &rows.mean,
            &rows.components,
        ] {
            pad(&mut bytes);
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        pad(&mut bytes);
        bytes.extend(rows.leaves.iter().flatten().flat_map(|number| number.to_le_bytes()));
        pad(&mut bytes);
        bytes.extend(rows.rows.iter().flatten().flat_map(|row| row.to_le_bytes()));
        pad(&mut bytes);
        bytes.extend(rows.leaf_of.iter().flat_map(|leaf| leaf.to_le_bytes()));
        pad(&mut bytes);
        bytes.extend(rows.boxes.iter().flatten().flat_map(|end| end.to_le_bytes()));
        pad(&mut bytes);
        bytes.extend(self.standing.iter());
        let sum = checksum(&bytes[HEADER..]);
        bytes[HEADER - 8..HEADER].copy_from_slice(&sum.to_le_bytes());
        bytes
    }
}

/// Bytes before the table of clips.
const HEADER: usize = 64;

impl<'a> MatchDatabase<'a> {
    /// The database in some bytes, which it goes on to use where they are aligned to four bytes, and copies otherwise.
    ///
    /// Everything is checked: no bytes panic here or in a query. Errors: [`DatabaseError`].
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, DatabaseError> {
        let mut tables = Tables { bytes, at: 0 };
        if tables.take(8)? != MAGIC {
            return Err(DatabaseError::Magic);
        }
        let (version, mark) = (tables.u32()?, tables.u32()?);
        // The order first: it tells how to read the version.
        if mark != MARK || cfg!(target_endian = "big") {
            return Err(DatabaseError::ByteOrder);
        }
        if version != VERSION {
            return Err(DatabaseError::Version { found: version });
        }
        let (columns, num_components) = (tables.u32()?, tables.u32()? as usize);
        if columns as usize != NUM_FEATURES {
            return Err(DatabaseError::Features { found: columns });
        }
        let columns = columns as usize;
        let [num_rows, num_clips, num_table] = [tables.size()?, tables.size()?, tables.size()?];
        let largest = f64::from_le_bytes(tables.array()?) as f32;
        let sum = u64::from_le_bytes(tables.array()?);
        if num_components > COMPONENTS {
            return Err(contradiction("principal components"));
        }
        let num_leaves = num_rows.div_ceil(LEAF);
        let num_boxes = (2 * num_leaves).saturating_sub(1);
        let sizes = [
            8 * NUM_FEATURES,
            8 * NUM_FEATURES,
            8 * columns,
            8 * columns * num_components,
            4 * LEAF * columns * num_leaves,
            4 * LEAF * num_leaves,
            4 * num_rows,
            64 * num_boxes,
            num_rows,
        ];
        let mut needed = HEADER.saturating_add(num_table);
        for size in sizes {
            needed = needed.saturating_add(ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
            needed = needed.saturating_add(size);
        }
        if needed != bytes.len() {
            return Err(DatabaseError::Length {
                needed,
                found: bytes.len(),
            });
        }
        if checksum(&bytes[HEADER..]) != sum {
            return Err(DatabaseError::Checksum);
        }
        let table = Tables {
            bytes: tables.take(num_table)?,
            at: 0,
        };
        let clips = clips(table, num_clips, num_rows)?;
        let (mean, scale) = (tables.f64s(NUM_FEATURES)?, tables.f64s(NUM_FEATURES)?);
        let standard = Standard::from_parts(&mean, &scale).ok_or_else(|| contradiction("the size of features"))?;
        let rows = NearestRows {
            columns,
            num_rows,
            mean: tables.f64s(columns)?,
            components: tables.f64s(columns * num_components)?,
            largest,
            leaves: tables.table(columns * num_leaves)?,
            rows: tables.table(num_leaves)?,
            leaf_of: tables.table(num_rows)?,
            boxes: tables.table(num_boxes)?,
        };
        tables.align();
        let standing = tables.take(num_rows)?;
        check(&rows)?;
        Ok(Self {
            clips,
            standard,
            standing: Cow::Borrowed(standing),
            rows,
        })
    }
}

fn contradiction(what: &'static str) -> DatabaseError {
    DatabaseError::Contents { what }
}

/// What a search takes for granted.
fn check(rows: &NearestRows<'_>) -> Result<(), DatabaseError> {
    let is_number = |number: &f32| number.abs() <= LARGEST;
    if !rows.leaves.iter().flatten().all(is_number) {
        return Err(contradiction("a number of a row"));
    }
    let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
    if !(finite(&rows.mean) && finite(&rows.components) && rows.largest.is_finite()) {
        return Err(contradiction("principal components"));
    }
    if !rows.boxes.iter().flatten().all(|end| end.is_finite()) {
        return Err(contradiction("boxes"));
    }
    let is_row = |&row: &u32| (row as usize) < rows.num_rows;
    if !rows.rows.iter().flatten().all(is_row) {
        return Err(contradiction("the order of rows"));
    }
    let lies_in_leaf = |(row, &leaf): (usize, &u32)| {
        let members = rows.rows.get(leaf as usize);
        members.is_some_and(|members| members.contains(&(row as u32)))
    };
    if !rows.leaf_of.iter().enumerate().all(lies_in_leaf) {
        return Err(contradiction("the leaves of rows"));
    }
    Ok(())
}

/// The table of clips; together they have all rows.
fn clips(mut table: Tables<'_>, num_clips: usize, num_rows: usize) -> Result<Vec<ClipRows>, DatabaseError> {
    let mut clips = Vec::new();
    let mut first_row = 0_usize;
    for _ in 0..num_clips {
        let name = table.text()?;
        let num_tags = table.u32()?;
        let mut tags = Vec::new();
        for _ in 0..num_tags {
            tags.push((table.text()?, table.text()?));
        }
        let (first_frame, num_rows) = (table.size()?, table.size()?);
        let step_secs = f64::from_le_bytes(table.array()?);
        let [is_loop] = table.array()?;
        if !(step_secs > 0.0 && step_secs.is_finite()) || first_frame.checked_add(num_rows).is_none() {
            return Err(contradiction("the frames of a clip"));
        }
        clips.push(ClipRows {
            clip: MatchClip {
                name,
                tags,
                first_frame,
                step_secs,
                is_loop: is_loop != 0,
            },
            first_row,
            num_rows,
        });
        first_row = first_row.saturating_add(num_rows);
    }
    if first_row != num_rows || table.at != table.bytes.len() {
        return Err(contradiction("clips and their rows"));
    }
    Ok(clips)
}

/// Reads bytes from front to back.
struct Tables<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Tables<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], DatabaseError> {
        let end = self.at.saturating_add(count);
        let Some(taken) = self.bytes.get(self.at..end) else {
            return Err(match self.at {
                0 => DatabaseError::Magic,
                _ => DatabaseError::Length {
                    needed: end,
                    found: self.bytes.len(),
                },
            });
        };
        self.at = end;
        Ok(taken)
    }

    fn align(&mut self) {
        self.at = self.at.next_multiple_of(ALIGNMENT);
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DatabaseError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn u32(&mut self) -> Result<u32, DatabaseError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// A number of things; those that no machine can hold become the largest number, which is refused by its length.
    fn size(&mut self) -> Result<usize, DatabaseError> {
        let size = u64::from_le_bytes(self.array()?);
        // So that sums of sizes below do not overflow.
        Ok(usize::try_from(size).unwrap_or(usize::MAX).min(usize::MAX >> 16))
    }

    fn text(&mut self) -> Result<String, DatabaseError> {
        let length = self.u32()? as usize;
        let text = core::str::from_utf8(self.take(length)?);
        Ok(text.map_err(|_| contradiction("a name that is no text"))?.to_owned())
    }

    fn f64s(&mut self, count: usize) -> Result<Vec<f64>, DatabaseError> {
        self.align();
        let bytes = self.take(8 * count)?;
        Ok(bytemuck::pod_collect_to_vec(bytes))
    }

    /// A table where it lies, or a copy of it.
    fn table<T: AnyBitPattern + bytemuck::NoUninit>(&mut self, count: usize) -> Result<Cow<'a, [T]>, DatabaseError> {
        self.align();
        let bytes = self.take(size_of::<T>() * count)?;
        Ok(match bytemuck::try_cast_slice(bytes) {
            Ok(numbers) => Cow::Borrowed(numbers),
            Err(_) => Cow::Owned(bytemuck::pod_collect_to_vec(bytes)),
        })
    }
}
