//! A match database as bytes: little-endian, every table at a multiple of 64 bytes, so that it can be used directly from a file mapped
//! into memory.
//!
//! | bytes | content |
//! | --- | --- |
//! | 8 | `LWMATCH` and a line feed |
//! | 4, 4 | version; the number 0x01020304 |
//! | 4, 4 | set of features, 0 for [`FutureRows`] and 1 for [`CostRows`]; numbers of a row |
//! | 8, 8, 8 | rows; clips; bytes of the first table |
//! | 4, 4 | principal components; largest projection, as f32 (0 in costs) |
//! | 8 | checksum of everything after the first 64 bytes |
//!
//! Then the tables. The first: clips (texts with their lengths, numbers), and for futures the times ahead (f64), for costs the
//! joints with their weights and the fade. Of futures: means and scales of features (f64), mean and principal components of
//! rows (f64), and the leaves; then boxes (f32). Of costs: the leaves; then starts and steps of the boxes' scales (f32), boxes
//! (u8). Leaves are their numbers (f32), rows of leaves (u32), leaves of rows (u32). Last come the standing feet with the gait
//! (u8).

use std::borrow::Cow;

use bytemuck::AnyBitPattern;

use super::{
    cost::{CostDatabase, CostFeatures, CostJoint, CostRows},
    database::{ClipRows, FrameDatabase, FutureRows, MatchClip, MatchDatabase, is_standing},
    features::{Horizon, NUM_FEATURES, Standard},
    nearest::{LARGEST, NearestRows},
    principal::{COMPONENTS, Principal},
    tree::{self, LEAF, Leaves},
};
use loopwright_core::math::DecayKind;

const MAGIC: [u8; 8] = *b"LWMATCH\n";

/// Version of the bytes. Others are refused.
const VERSION: u32 = 2;

const MARK: u32 = 0x0102_0304;

/// The set of features of a database's rows.
#[choice_in_words]
pub enum FeatureSetKind {
    /// Poses and their futures: [`MatchDatabase`].
    Future,
    /// Positions and velocities for the cost of jumps: [`CostDatabase`].
    Cost,
}

impl FeatureSetKind {
    /// Reads the set of a database from its first bytes, without checking its contents.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DatabaseError> {
        Ok(Header::read(&mut Tables { bytes, at: 0 })?.kind)
    }
}

/// Tables begin at multiples of this: a line of a processor's cache.
const ALIGNMENT: usize = 64;

/// Why bytes are not a database.
#[error_kinds(Eq)]
pub enum DatabaseError {
    /// The bytes do not begin with the mark of a database.
    #[error("not a match database")]
    Magic,
    #[error("a match database of version {found}, this program reads version {VERSION}")]
    Version { found: u32 },
    #[error("a match database for machines of the other byte order")]
    ByteOrder,
    #[error("a match database with rows of {found} numbers, which this program does not have")]
    Features { found: u32 },
    #[error("a match database with the features \"{found}\", not \"{}\"", other(*.found))]
    OtherSet { found: FeatureSetKind },
    /// The number of bytes differs from the stated one.
    #[error("the match database is cut off or has a tail: {needed} bytes are stated, there are {found}")]
    Length {
        /// Stated bytes; the largest number if it overflows.
        needed: usize,
        found: usize,
    },
    /// The bytes were changed after they were written.
    #[error("the match database is damaged: its checksum is another one")]
    Checksum,
    /// The checksum is right, but the contents contradict each other.
    #[error("the match database contradicts itself: {what}")]
    Contents { what: &'static str },
}

/// Computes the 64-bit hash of Fowler, Noll and Vo, version 1a, over words of eight bytes; the last one is padded with zeros.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325, |hash: u64, part| {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Adds a text behind its length, bytes.
fn put_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
}

/// Adds zeros up to the next multiple of [`ALIGNMENT`].
fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
}

/// Bytes before the first table; the checksum is the last of them.
const HEADER: usize = 64;
const CHECKSUM_AT: usize = HEADER - size_of::<u64>();

fn other(kind: FeatureSetKind) -> FeatureSetKind {
    match kind {
        FeatureSetKind::Future => FeatureSetKind::Cost,
        FeatureSetKind::Cost => FeatureSetKind::Future,
    }
}

/// The header before the tables.
struct Header {
    kind: FeatureSetKind,
    columns: usize,
    num_rows: usize,
    num_clips: usize,
    num_table: usize,
    num_components: usize,
    largest: f32,
    checksum: u64,
}

impl Header {
    fn read(tables: &mut Tables) -> Result<Self, DatabaseError> {
        if tables.take(8)? != MAGIC {
            return Err(DatabaseError::Magic);
        }
        let (version, mark) = (tables.u32()?, tables.u32()?);
        // The byte order comes first, because the version depends on it.
        if mark != MARK || cfg!(target_endian = "big") {
            return Err(DatabaseError::ByteOrder);
        }
        if version != VERSION {
            return Err(DatabaseError::Version { found: version });
        }
        let kind = match tables.u32()? {
            0 => FeatureSetKind::Future,
            1 => FeatureSetKind::Cost,
            _ => return Err(contradiction("the set of features")),
        };
        let columns = tables.u32()?;
        let is_known = match kind {
            FeatureSetKind::Future => columns as usize == NUM_FEATURES,
            FeatureSetKind::Cost => CostFeatures::has_columns(columns as usize),
        };
        if !is_known {
            return Err(DatabaseError::Features { found: columns });
        }
        let [num_rows, num_clips, num_table] = [tables.size()?, tables.size()?, tables.size()?];
        let header = Self {
            kind,
            columns: columns as usize,
            num_rows,
            num_clips,
            num_table,
            num_components: tables.u32()? as usize,
            largest: f32::from_le_bytes(tables.array()?),
            checksum: u64::from_le_bytes(tables.array()?),
        };
        sound(header.num_components <= COMPONENTS, "principal components")?;
        Ok(header)
    }

    /// Computes the sizes of all tables after the first.
    fn sizes(&self) -> Vec<usize> {
        let num_leaves = self.num_rows.div_ceil(LEAF);
        let num_boxes = tree::num_nodes(num_leaves);
        let leaves = [
            4 * LEAF * self.columns * num_leaves,
            4 * LEAF * num_leaves,
            4 * self.num_rows,
        ];
        let (before, after) = match self.kind {
            FeatureSetKind::Future => (
                vec![
                    8 * NUM_FEATURES,
                    8 * NUM_FEATURES,
                    8 * self.columns,
                    8 * self.columns * self.num_components,
                ],
                vec![64 * num_boxes],
            ),
            FeatureSetKind::Cost => {
                let axes = CostFeatures::axes_of(self.columns);
                (Vec::new(), vec![4 * axes, 4 * axes, 2 * axes * num_boxes])
            }
        };
        [before, leaves.to_vec(), after, vec![self.num_rows]].concat()
    }
}

/// Returns a whole database as bytes: the header with these numbers, the first table with the clips and what `more` puts behind them, the
/// tables of the set of features, and the standing feet. `tables` pads before each table.
fn file_bytes<S>(
    database: &FrameDatabase<'_, S>,
    (kind, columns): (FeatureSetKind, usize),
    (num_components, largest): (usize, f32),
    more: impl FnOnce(&mut Vec<u8>),
    tables: impl FnOnce(&mut Vec<u8>),
) -> Vec<u8> {
    let mut table = Vec::new();
    for ClipRows { clip, num_rows, .. } in &database.clips {
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
    more(&mut table);
    let mut bytes = MAGIC.to_vec();
    for number in [VERSION, MARK, kind as u32, columns as u32] {
        bytes.extend(number.to_le_bytes());
    }
    for number in [database.num_rows(), database.clips.len(), table.len()] {
        bytes.extend((number as u64).to_le_bytes());
    }
    bytes.extend((num_components as u32).to_le_bytes());
    bytes.extend(largest.to_le_bytes());
    bytes.resize(HEADER, 0);
    bytes.extend(table);
    tables(&mut bytes);
    pad(&mut bytes);
    bytes.extend(database.standing.iter());
    let sum = checksum(&bytes[HEADER..]);
    bytes[CHECKSUM_AT..HEADER].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Adds a table of numbers, padded before it.
fn put_f64s(bytes: &mut Vec<u8>, numbers: &[f64]) {
    pad(bytes);
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

/// Adds a table of numbers, padded before it.
fn put_f32s<'n>(bytes: &mut Vec<u8>, numbers: impl Iterator<Item = &'n f32>) {
    pad(bytes);
    bytes.extend(numbers.flat_map(|number| number.to_le_bytes()));
}

/// Adds three tables, each padded before it: the numbers of the leaves, their rows, and the leaf of each row.
fn put_leaves(bytes: &mut Vec<u8>, leaves: &Leaves) {
    put_f32s(bytes, leaves.numbers.iter().flatten());
    pad(bytes);
    bytes.extend(leaves.rows.iter().flatten().flat_map(|row| row.to_le_bytes()));
    pad(bytes);
    bytes.extend(leaves.leaf_of.iter().flat_map(|leaf| leaf.to_le_bytes()));
}

/// The tables of a database, after its length and checksum are checked.
struct Opened<'a> {
    header: Header,
    clips: Vec<ClipRows>,
    /// The rest of the first table, after the clips.
    more: Tables<'a>,
    /// The remaining tables, starting with the one after the first.
    tables: Tables<'a>,
}

impl<'a> Opened<'a> {
    fn new(bytes: &'a [u8], kind: FeatureSetKind) -> Result<Self, DatabaseError> {
        let mut tables = Tables { bytes, at: 0 };
        let header = Header::read(&mut tables)?;
        if header.kind != kind {
            return Err(DatabaseError::OtherSet { found: header.kind });
        }
        let mut needed = HEADER.saturating_add(header.num_table);
        for size in header.sizes() {
            needed = needed.saturating_add(ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
            needed = needed.saturating_add(size);
        }
        if needed != bytes.len() {
            return Err(DatabaseError::Length {
                needed,
                found: bytes.len(),
            });
        }
        if checksum(&bytes[HEADER..]) != header.checksum {
            return Err(DatabaseError::Checksum);
        }
        let mut more = Tables {
            bytes: tables.take(header.num_table)?,
            at: 0,
        };
        Ok(Self {
            clips: clips(&mut more, header.num_clips, header.num_rows)?,
            header,
            more,
            tables,
        })
    }

    fn leaves(&mut self) -> Result<Leaves<'a>, DatabaseError> {
        let (columns, num_rows) = (self.header.columns, self.header.num_rows);
        let num_leaves = num_rows.div_ceil(LEAF);
        let leaves = Leaves {
            columns,
            num_rows,
            numbers: self.tables.table(columns * num_leaves)?,
            rows: self.tables.table(num_leaves)?,
            leaf_of: self.tables.table(num_rows)?,
        };
        check(&leaves)?;
        Ok(leaves)
    }

    /// Builds the database, once all of its tables but the last are read.
    fn finish<S>(mut self, set: S) -> Result<FrameDatabase<'a, S>, DatabaseError> {
        sound(self.more.at == self.more.bytes.len(), "the first table")?;
        self.tables.align();
        let standing = self.tables.take(self.header.num_rows)?;
        sound(standing.iter().all(|&standing| is_standing(standing)), "a gait")?;
        Ok(FrameDatabase {
            standing: Cow::Borrowed(standing),
            clips: self.clips,
            set,
        })
    }
}

impl MatchDatabase<'_> {
    /// Returns the database as bytes, the same on every machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let FutureRows {
            horizon,
            standard,
            rows,
        } = &self.set;
        let Principal { mean, components } = &rows.principal;
        let columns = rows.columns();
        file_bytes(
            self,
            (FeatureSetKind::Future, columns),
            (components.len() / columns, rows.largest),
            |table| table.extend(horizon.secs().iter().flat_map(|secs| secs.to_le_bytes())),
            |bytes| {
                for numbers in [&standard.mean[..], &standard.scale, mean, components] {
                    put_f64s(bytes, numbers);
                }
                put_leaves(bytes, &rows.leaves);
                put_f32s(bytes, rows.boxes.iter().flatten());
            },
        )
    }
}

impl<'a> MatchDatabase<'a> {
    /// Opens a database in bytes, which it keeps using if they are aligned to four bytes, and copies otherwise.
    ///
    /// Everything is checked: no bytes cause a panic here or in a query. Errors: [`DatabaseError`].
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, DatabaseError> {
        let mut opened = Opened::new(bytes, FeatureSetKind::Future)?;
        let Header {
            columns,
            num_rows,
            num_components,
            largest,
            ..
        } = opened.header;
        let mut secs = Horizon::default().secs();
        for secs in &mut secs {
            *secs = f64::from_le_bytes(opened.more.array()?);
        }
        let horizon = Horizon::new(secs).map_err(|_| contradiction("the times ahead"))?;
        let (mean, scale) = (opened.tables.f64s(NUM_FEATURES)?, opened.tables.f64s(NUM_FEATURES)?);
        let standard = Standard::from_parts(&mean, &scale).ok_or_else(|| contradiction("the size of features"))?;
        let principal = Principal {
            mean: opened.tables.f64s(columns)?,
            components: opened.tables.f64s(columns * num_components)?,
        };
        let are_finite = principal
            .mean
            .iter()
            .chain(&principal.components)
            .all(|number| number.is_finite())
            && largest.is_finite();
        sound(are_finite, "principal components")?;
        let leaves = opened.leaves()?;
        let rows = NearestRows {
            leaves,
            boxes: opened.tables.table(tree::num_nodes(num_rows.div_ceil(LEAF)))?,
            principal,
            largest,
        };
        sound(rows.boxes.iter().flatten().all(|end| end.is_finite()), "boxes")?;
        opened.finish(FutureRows {
            horizon,
            standard,
            rows,
        })
    }
}

impl CostDatabase<'_> {
    /// Returns the database as bytes, the same on every machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let CostRows { features, .. } = &self.set;
        file_bytes(
            self,
            (FeatureSetKind::Cost, features.columns()),
            (0, 0.0),
            |table| {
                for CostJoint { name, weight } in &features.joints {
                    put_text(table, name);
                    table.extend(weight.to_le_bytes());
                }
                table.extend((features.decay.kind() as u32).to_le_bytes());
                table.extend(features.decay.secs().to_le_bytes());
            },
            |bytes| {
                put_leaves(bytes, &self.set.leaves);
                put_f32s(bytes, self.set.starts.iter());
                put_f32s(bytes, self.set.steps.iter());
                pad(bytes);
                bytes.extend(self.set.boxes.iter());
            },
        )
    }
}

impl<'a> CostDatabase<'a> {
    /// Opens a database in bytes, which it keeps using if they are aligned to four bytes, and copies otherwise.
    ///
    /// Everything is checked: no bytes cause a panic here or in a query. Errors: [`DatabaseError`].
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, DatabaseError> {
        let mut opened = Opened::new(bytes, FeatureSetKind::Cost)?;
        let Header { columns, num_rows, .. } = opened.header;
        let axes = CostFeatures::axes_of(columns);
        let mut joints = Vec::new();
        for _ in 0..CostFeatures::joints_of(columns) {
            joints.push(CostJoint {
                name: opened.more.text()?,
                weight: f64::from_le_bytes(opened.more.array()?),
            });
        }
        let kind = opened.more.u32()? as usize;
        let secs = f64::from_le_bytes(opened.more.array()?);
        let decay = DecayKind::ALL
            .into_iter()
            .find(|known| *known as usize == kind)
            .map(|kind| kind.lasting(secs, secs))
            .ok_or_else(|| contradiction("the fade"))?;
        let features = CostFeatures { joints, decay };
        sound(features.is_sound(), "the weights of joints, or the fade")?;
        let set = CostRows {
            leaves: opened.leaves()?,
            starts: opened.tables.table(axes)?,
            steps: opened.tables.table(axes)?,
            boxes: opened
                .tables
                .table(2 * axes * tree::num_nodes(num_rows.div_ceil(LEAF)))?,
            features,
        };
        sound(
            set.starts
                .iter()
                .chain(set.steps.iter())
                .all(|number| number.is_finite()),
            "the scales of boxes",
        )?;
        opened.finish(set)
    }
}

fn contradiction(what: &'static str) -> DatabaseError {
    DatabaseError::Contents { what }
}

/// Errors: the contents are not sound in this.
fn sound(is_sound: bool, what: &'static str) -> Result<(), DatabaseError> {
    if is_sound { Ok(()) } else { Err(contradiction(what)) }
}

/// Checks what a search assumes about leaves.
fn check(leaves: &Leaves) -> Result<(), DatabaseError> {
    sound(
        leaves.numbers.iter().flatten().all(|number| number.abs() <= LARGEST),
        "a number of a row",
    )?;
    sound(
        leaves
            .rows
            .iter()
            .flatten()
            .all(|&row| (row as usize) < leaves.num_rows),
        "the order of rows",
    )?;
    let lie_in_leaf = leaves.leaf_of.iter().enumerate().all(|(row, &leaf)| {
        let members = leaves.rows.get(leaf as usize);
        members.is_some_and(|members| members.contains(&(row as u32)))
    });
    sound(lie_in_leaf, "the leaves of rows")
}

/// Reads the table of clips; together they cover all rows.
fn clips(table: &mut Tables, num_clips: usize, num_rows: usize) -> Result<Vec<ClipRows>, DatabaseError> {
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
        let are_frames = step_secs > 0.0 && step_secs.is_finite() && first_frame.checked_add(num_rows).is_some();
        sound(are_frames, "the frames of a clip")?;
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
    sound(first_row == num_rows, "clips and their rows")?;
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

    /// Reads a count. It saturates, so that the length check refuses it.
    fn size(&mut self) -> Result<usize, DatabaseError> {
        let size = u64::from_le_bytes(self.array()?);
        // Bounded so that sums of sizes do not overflow.
        Ok(usize::try_from(size).unwrap_or(usize::MAX).min(usize::MAX >> 16))
    }

    fn text(&mut self) -> Result<String, DatabaseError> {
        let length = self.u32()? as usize;
        let text = core::str::from_utf8(self.take(length)?).ok();
        // A name with line breaks could fake a line of output.
        Ok(text
            .filter(|text| !text.contains(char::is_control))
            .ok_or_else(|| contradiction("a name that is no text"))?
            .to_owned())
    }

    fn f64s(&mut self, count: usize) -> Result<Vec<f64>, DatabaseError> {
        self.align();
        let bytes = self.take(8 * count)?;
        Ok(bytemuck::pod_collect_to_vec(bytes))
    }

    /// Reads a table in place, or copies it.
    fn table<T: AnyBitPattern + bytemuck::NoUninit>(&mut self, count: usize) -> Result<Cow<'a, [T]>, DatabaseError> {
        self.align();
        let bytes = self.take(size_of::<T>() * count)?;
        Ok(match bytemuck::try_cast_slice(bytes) {
            Ok(numbers) => Cow::Borrowed(numbers),
            Err(_) => Cow::Owned(bytemuck::pod_collect_to_vec(bytes)),
        })
    }
}
