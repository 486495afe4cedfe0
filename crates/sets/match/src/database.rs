//! A match database: the features of many takes and loops, with the frame, standing feet and gait of each row.
//!
//! The contents of rows and their search are the database's feature set: [`FutureRows`] here, [`CostRows`](super::CostRows) for
//! the cost of a jump.

use std::borrow::Cow;

use loopwright_core::analysis::{Gait, MotionKind, Side};

use super::{
    features::{Horizon, NUM_FEATURES, RawFeatures, Standard},
    nearest::{NearestRows, Neighbour, RowsError},
};

/// A motion before it is part of a database: a clip and the rows of its frames, whose type depends on the feature set.
#[value]
pub struct FrameRows<F> {
    /// The clip of the motion.
    pub clip: MatchClip,
    /// Features of consecutive frames.
    pub features: Vec<F>,
    /// For each of these frames the standing feet: bit 0 the left one, bit 1 the right one. The higher bits hold the number of
    /// its gait in `GAITS`, counted from 1; 0 if unknown.
    pub standing: Vec<u8>,
}

/// Bits of the standing feet.
const FEET: u8 = 3;

/// The gaits in the order of their numbers in files, from 1 on: new ones are appended, and none is ever removed.
const GAITS: [Gait; 13] = [
    Gait::new(MotionKind::Idle, None),
    Gait::new(MotionKind::Other, None),
    Gait::new(MotionKind::TurnInPlace, Some(Side::Left)),
    Gait::new(MotionKind::TurnInPlace, Some(Side::Right)),
    Gait::new(MotionKind::Walk, None),
    Gait::new(MotionKind::TurningWalk, Some(Side::Left)),
    Gait::new(MotionKind::TurningWalk, Some(Side::Right)),
    Gait::new(MotionKind::Run, None),
    Gait::new(MotionKind::Run, Some(Side::Left)),
    Gait::new(MotionKind::Run, Some(Side::Right)),
    Gait::new(MotionKind::Backward, None),
    Gait::new(MotionKind::Strafe, Some(Side::Left)),
    Gait::new(MotionKind::Strafe, Some(Side::Right)),
];

/// Combines standing feet and a gait into one number: see [`FrameRows::standing`].
pub(super) fn with_gait(feet: u8, gait: Option<Gait>) -> u8 {
    let number = gait.and_then(|gait| GAITS.iter().position(|&known| known == gait));
    feet | (number.map_or(0, |number| number as u8 + 1) << FEET.count_ones())
}

/// Returns the number of a gait, 0 for none.
fn gait_number(standing: u8) -> usize {
    usize::from(standing >> FEET.count_ones())
}

/// Whether the gait of a number exists.
pub(super) fn is_standing(standing: u8) -> bool {
    gait_number(standing) <= GAITS.len()
}

/// A motion before it is part of a [`MatchDatabase`].
pub type MatchMotion = FrameRows<RawFeatures>;

/// A run of frames of a take or a loop that can be matched.
#[value(Default)]
pub struct MatchClip {
    /// Name of the take: by convention its path, seen from the folder of the database.
    pub name: String,
    /// Tags of its user: names and values, such as `style` and `walk`.
    pub tags: Vec<(String, String)>,
    /// The first of the frames.
    pub first_frame: usize,
    /// Seconds from one frame to the next.
    pub step_secs: f64,
    /// Whether the last frame is followed by the first.
    pub is_loop: bool,
}

/// A clip of a database, and its rows.
#[value]
pub struct ClipRows {
    /// The clip.
    pub clip: MatchClip,
    /// Row of its first frame.
    pub first_row: usize,
    /// Number of its frames.
    pub num_rows: usize,
}

impl ClipRows {
    /// Whether another row is of this clip and less than [`APART_SECS`] from one of its rows.
    fn are_near(&self, row: usize, other: usize) -> bool {
        let apart = row.abs_diff(other);
        let apart = if self.clip.is_loop {
            apart.min(self.num_rows.saturating_sub(apart))
        } else {
            apart
        };
        (self.first_row..self.first_row + self.num_rows).contains(&other)
            && apart as f64 * self.clip.step_secs < APART_SECS
    }
}

/// A frame of a clip.
#[value(Copy, Eq)]
pub struct MatchFrame {
    /// Place of the clip in [`MatchDatabase::clips`].
    pub clip: usize,
    /// Frame of the take, counted from 0.
    pub frame: usize,
}

/// A filter of the rows of a database.
#[value(Default)]
pub struct MatchFilter {
    /// Tags that a clip must have.
    pub tags: Vec<(String, String)>,
    /// Feet that must stand: bit 0 the left one, bit 1 the right one.
    pub standing: u8,
    /// Allowed gaits; any if empty.
    pub gaits: GaitSet,
    /// Rows of the same clip that must follow, so that the motion can continue. Loops always have enough.
    pub rows_left: usize,
    /// Rows of which others must be [`APART_SECS`] away in time: a motion has many frames that are nearly alike.
    pub apart_from: Vec<usize>,
}

/// Time between rows that are different answers, seconds: half a cycle of a walk.
pub const APART_SECS: f64 = 0.5;

/// A set of gaits.
#[value(Copy, Default, Eq)]
pub struct GaitSet(u32);

impl GaitSet {
    /// Creates the set of all gaits that satisfy a condition.
    pub fn new(is_wanted: impl Fn(Gait) -> bool) -> Self {
        Self(
            GAITS
                .into_iter()
                .enumerate()
                .filter(|(_, gait)| is_wanted(*gait))
                .fold(0, |set, (number, _)| set | 1 << (number + 1)),
        )
    }

    /// Returns the union of both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it contains no gait.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Features of many motions, arranged for the search of the best frame.
///
/// `S` is the set of features: there are [`MatchDatabase`] and [`CostDatabase`](super::CostDatabase). The bytes of `to_bytes`
/// may be mapped into memory: `from_bytes` reads rows in place, and queries allocate nothing.
#[value]
pub struct FrameDatabase<'a, S> {
    pub(super) clips: Vec<ClipRows>,
    pub(super) standing: Cow<'a, [u8]>,
    pub(super) set: S,
}

/// A database of poses and their futures, for steered motion.
pub type MatchDatabase<'a> = FrameDatabase<'a, FutureRows<'a>>;

/// Rows of [`features`](super::features): feet, hips, and the future.
#[value]
pub struct FutureRows<'a> {
    pub(super) horizon: Horizon,
    pub(super) standard: Standard,
    pub(super) rows: NearestRows<'a>,
}

/// The clips of a database, before its rows are arranged.
#[derive(Default)]
pub(super) struct Clips {
    clips: Vec<ClipRows>,
    /// [`FrameRows::standing`] of every row.
    pub standing: Vec<u8>,
}

impl Clips {
    pub(super) fn of_database<S>(database: &FrameDatabase<'_, S>) -> Self {
        Self {
            clips: database.clips.clone(),
            standing: database.standing.to_vec(),
        }
    }

    pub(super) fn add<F>(&mut self, motions: &[FrameRows<F>]) {
        for motion in motions {
            let num_rows = motion.features.len();
            self.clips.push(ClipRows {
                clip: motion.clip.clone(),
                first_row: self.standing.len(),
                num_rows,
            });
            self.standing.extend(
                motion
                    .standing
                    .iter()
                    .copied()
                    .chain(core::iter::repeat(0))
                    .take(num_rows),
            );
        }
    }

    pub(super) fn with_set<S>(self, set: S) -> FrameDatabase<'static, S> {
        FrameDatabase {
            clips: self.clips,
            standing: self.standing.into(),
            set,
        }
    }
}

impl MatchDatabase<'_> {
    /// Builds the database of motions with a horizon; their features are standardized together.
    pub fn new(motions: Vec<MatchMotion>, horizon: Horizon) -> Result<MatchDatabase<'static>, RowsError> {
        let all: Vec<RawFeatures> = motions.iter().flat_map(|motion| &motion.features).copied().collect();
        MatchDatabase::from_rows(horizon, Standard::new(&all), Clips::default(), Vec::new(), &motions)
    }

    /// Adds motions with its [`Self::horizon`], scaled like the existing ones, whose distances do not change.
    pub fn with(&self, motions: Vec<MatchMotion>) -> Result<MatchDatabase<'static>, RowsError> {
        let rows = (0..self.num_rows()).flat_map(|row| self.set.rows.row(row)).collect();
        let FutureRows { horizon, standard, .. } = &self.set;
        MatchDatabase::from_rows(*horizon, standard.clone(), Clips::of_database(self), rows, &motions)
    }

    /// Adds rows of more motions to clips.
    fn from_rows(
        horizon: Horizon,
        standard: Standard,
        mut clips: Clips,
        mut rows: Vec<f32>,
        motions: &[MatchMotion],
    ) -> Result<MatchDatabase<'static>, RowsError> {
        clips.add(motions);
        let features = motions.iter().flat_map(|motion| &motion.features);
        rows.extend(features.flat_map(|features| standard.apply(features)));
        let rows = NearestRows::new(&rows, NUM_FEATURES)?;
        Ok(clips.with_set(FutureRows {
            horizon,
            standard,
            rows,
        }))
    }

    /// Returns the times ahead of its rows, which queries must share.
    pub fn horizon(&self) -> Horizon {
        self.set.horizon
    }

    /// Returns the standard that converts features to the numbers of rows.
    pub fn standard(&self) -> &Standard {
        &self.set.standard
    }

    /// The numbers of a row.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, row: usize) -> [f32; NUM_FEATURES] {
        let mut numbers = self.set.rows.row(row);
        core::array::from_fn(|_| numbers.next().unwrap_or_default())
    }

    /// Returns the bytes that the search needs besides the rows themselves.
    pub fn index_bytes(&self) -> usize {
        self.set.rows.index_bytes()
    }

    /// Finds the row nearest to a query; the first one of a tie. `None` if the filter lets no row pass.
    ///
    /// `likely` is a row that is probably near, see [`NearestRows::nearest`].
    ///
    /// # Panics When `likely` is out of range.
    pub fn nearest(
        &self,
        query: &[f32; NUM_FEATURES],
        filter: &MatchFilter,
        likely: Option<usize>,
    ) -> Option<Neighbour> {
        self.set
            .rows
            .nearest_where(query, likely, |row| self.passes(row, filter))
    }

    /// Finds the row in which the playing motion should continue: the nearest row whose squared distance is less than `share`
    /// times that of `next`, the row that follows; `next` itself if the filter lets no such row pass.
    ///
    /// A share of 1 has no bias; a smaller one favours the playing motion. The search begins at `next`, and is faster the better
    /// `next` fits. Nothing is allocated.
    ///
    /// # Panics When there is no row `next`.
    pub fn nearest_or(&self, query: &[f32; NUM_FEATURES], filter: &MatchFilter, next: usize, share: f32) -> Neighbour {
        self.set
            .rows
            .nearest_or(query, next, share, |row| self.passes(row, filter))
    }

    /// Returns the squared distance of a row from a query.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn squared_distance(&self, query: &[f32; NUM_FEATURES], row: usize) -> f32 {
        self.set.rows.squared_distance(query, row)
    }
}

impl<S> FrameDatabase<'_, S> {
    /// Returns the clips, in the order of their rows.
    pub fn clips(&self) -> &[ClipRows] {
        &self.clips
    }

    /// Returns the number of rows.
    pub fn num_rows(&self) -> usize {
        self.standing.len()
    }

    /// Returns the standing feet of a row: bit 0 the left one, bit 1 the right one.
    ///
    /// # Panics When there is no such row.
    pub fn standing(&self, row: usize) -> u8 {
        self.standing[row] & FEET
    }

    /// Returns the gait of a row, if known.
    ///
    /// # Panics When there is no such row.
    pub fn gait(&self, row: usize) -> Option<Gait> {
        let number = gait_number(self.standing[row]).checked_sub(1)?;
        GAITS.get(number).copied()
    }

    /// Returns the clip and frame of a row.
    ///
    /// # Panics When there is no such row.
    pub fn frame_of(&self, row: usize) -> MatchFrame {
        let is_there = row < self.num_rows();
        assert!(is_there, "there are {} rows, no row {row}", self.num_rows());
        let clip = self.clips.partition_point(|clip| clip.first_row <= row) - 1;
        let rows = &self.clips[clip];
        MatchFrame {
            clip,
            frame: rows.clip.first_frame + row - rows.first_row,
        }
    }

    /// Returns the row of a frame of a clip, if it can be matched. Frames of loops wrap around.
    pub fn row_of(&self, at: MatchFrame) -> Option<usize> {
        let rows = self.clips.get(at.clip)?;
        let mut offset = at.frame.checked_sub(rows.clip.first_frame)?;
        if rows.clip.is_loop && rows.num_rows > 0 {
            offset %= rows.num_rows;
        }
        (offset < rows.num_rows).then_some(rows.first_row + offset)
    }

    /// Whether a filter lets a row pass.
    pub(super) fn passes(&self, row: usize, filter: &MatchFilter) -> bool {
        if self.standing[row] & filter.standing != filter.standing {
            return false;
        }
        if !filter.gaits.is_empty() && filter.gaits.0 >> gait_number(self.standing[row]) & 1 == 0 {
            return false;
        }
        if filter.tags.is_empty() && filter.rows_left == 0 && filter.apart_from.is_empty() {
            return true;
        }
        let rows = &self.clips[self.frame_of(row).clip];
        (rows.clip.is_loop || filter.rows_left < rows.first_row + rows.num_rows - row)
            && filter.tags.iter().all(|tag| rows.clip.tags.contains(tag))
            && !filter.apart_from.iter().any(|&other| rows.are_near(row, other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers in files of all versions.
    #[test]
    fn numbers_of_gaits_in_files_stay() {
        let words = [
            "idle",
            "other",
            "turn_in_place, left",
            "turn_in_place, right",
            "walk",
            "turning_walk, left",
            "turning_walk, right",
            "run",
            "run, left",
            "run, right",
            "backward",
            "strafe, left",
            "strafe, right",
        ];
        let database = Clips {
            standing: (0..words.len()).map(|number| 1 + 4 * (number as u8 + 1)).collect(),
            ..Clips::default()
        };
        let database = database.with_set(());
        for (row, word) in words.into_iter().enumerate() {
            let gait = database.gait(row).unwrap();
            assert_eq!((database.standing(row), gait.to_string()), (1, word.to_owned()));
            assert_eq!(with_gait(1, Some(gait)), database.standing[row]);
        }
        assert!(
            Gait::ALL.iter().all(|gait| GAITS.contains(gait)),
            "a gait has no number"
        );
        assert!(is_standing(4 * 13 + 3) && !is_standing(4 * 14));
    }
}
