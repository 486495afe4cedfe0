//! A match database: the features of many takes and loops, which frame each row is, and what is known of it.

use std::borrow::Cow;

use super::{
    features::{NUM_FEATURES, RawFeatures, Standard},
    nearest::{NearestRows, Neighbour, RowsError},
};

/// A motion before it is part of a database.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchMotion {
    /// Which motion it is.
    pub clip: MatchClip,
    /// Features of its frames, one after the other.
    pub features: Vec<RawFeatures>,
    /// For each of these frames the feet that stand: bit 0 the left one, bit 1 the right one.
    pub standing: Vec<u8>,
}

/// A run of frames of a take or a loop that can be matched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchClip {
    /// Name of the take: by convention its path, seen from the folder of the database.
    pub name: String,
    /// What its user says of it: names and values, such as `style` and `walk`.
    pub tags: Vec<(String, String)>,
    /// The first of the frames.
    pub first_frame: usize,
    /// Seconds from one frame to the next.
    pub step_secs: f64,
    /// Whether the last frame is followed by the first.
    pub is_loop: bool,
}

/// A clip of a database, and its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipRows {
    /// The clip.
    pub clip: MatchClip,
    /// Row of its first frame.
    pub first_row: usize,
    /// Number of its frames.
    pub num_rows: usize,
}

/// A frame of a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchFrame {
    /// Place of the clip in [`MatchDatabase::clips`].
    pub clip: usize,
    /// Frame of the take, counted from 0.
    pub frame: usize,
}

/// Which rows of a database are looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchFilter {
    /// Tags that a clip must have.
    pub tags: Vec<(String, String)>,
    /// Feet that must stand: bit 0 the left one, bit 1 the right one.
    pub standing: u8,
}

/// Features of many motions, arranged for the search of the nearest frame.
///
/// The bytes of [`MatchDatabase::to_bytes`] may be mapped into memory: [`MatchDatabase::from_bytes`] reads rows where they lie, and
/// queries take no memory.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchDatabase<'a> {
    pub(super) clips: Vec<ClipRows>,
    pub(super) standard: Standard,
    pub(super) standing: Cow<'a, [u8]>,
    pub(super) rows: NearestRows<'a>,
}

impl MatchDatabase<'_> {
    /// The database of some motions; its features are brought to one size by all of them.
    ///
    /// Errors: [`RowsError`].
    pub fn new(motions: Vec<MatchMotion>) -> Result<MatchDatabase<'static>, RowsError> {
        let all: Vec<RawFeatures> = (motions.iter().flat_map(|motion| &motion.features)).copied().collect();
        MatchDatabase::of(Standard::of(&all), Vec::new(), Vec::new(), Vec::new(), motions)
    }

    /// This database and some more motions, brought to the size of those that are there: distances of their rows stay as they are.
    ///
    /// Errors: [`RowsError`].
    pub fn with(&self, motions: Vec<MatchMotion>) -> Result<MatchDatabase<'static>, RowsError> {
        let rows = (0..self.num_rows()).flat_map(|row| self.rows.row(row)).collect();
        MatchDatabase::of(
            self.standard.clone(),
            self.clips.clone(),
            rows,
            self.standing.to_vec(),
            motions,
        )
    }

    fn of(
        standard: Standard,
        mut clips: Vec<ClipRows>,
        mut rows: Vec<f32>,
        mut standing: Vec<u8>,
        motions: Vec<MatchMotion>,
    ) -> Result<MatchDatabase<'static>, RowsError> {
        for MatchMotion {
            clip,
            features,
            standing: stands,
        } in motions
        {
            clips.push(ClipRows {
                clip,
                first_row: rows.len() / NUM_FEATURES,
                num_rows: features.len(),
            });
            rows.extend(features.iter().flat_map(|features| standard.apply(features)));
            let known = stands.into_iter().chain(core::iter::repeat(0));
            standing.extend(known.take(features.len()));
        }
        Ok(MatchDatabase {
            clips,
            standard,
            standing: standing.into(),
            rows: NearestRows::new(&rows, NUM_FEATURES)?,
        })
    }

    /// The clips, in the order of their rows.
    pub fn clips(&self) -> &[ClipRows] {
        &self.clips
    }

    /// Number of rows.
    pub fn num_rows(&self) -> usize {
        self.rows.num_rows()
    }

    /// What brings features to the numbers of rows.
    pub fn standard(&self) -> &Standard {
        &self.standard
    }

    /// The numbers of a row.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, row: usize) -> [f32; NUM_FEATURES] {
        let mut numbers = [0.0; NUM_FEATURES];
        for (number, value) in numbers.iter_mut().zip(self.rows.row(row)) {
            *number = value;
        }
        numbers
    }

    /// The feet that stand in a row: bit 0 the left one, bit 1 the right one.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn standing(&self, row: usize) -> u8 {
        self.standing[row]
    }

    /// Bytes that the search needs besides the rows themselves.
    pub fn index_bytes(&self) -> usize {
        self.rows.index_bytes()
    }

    /// Which frame of which clip a row is.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn frame_of(&self, row: usize) -> MatchFrame {
        assert!(
            row < self.num_rows(),
            "there are {} rows, no row {row}",
            self.num_rows()
        );
        let clip = self.clips.partition_point(|clip| clip.first_row <= row) - 1;
        let rows = &self.clips[clip];
        MatchFrame {
            clip,
            frame: rows.clip.first_frame + row - rows.first_row,
        }
    }

    /// The row of a frame of a clip, if it can be matched. Frames of loops go round.
    pub fn row_of(&self, at: MatchFrame) -> Option<usize> {
        let rows = self.clips.get(at.clip)?;
        let mut offset = at.frame.checked_sub(rows.clip.first_frame)?;
        if rows.clip.is_loop && rows.num_rows > 0 {
            offset %= rows.num_rows;
        }
        (offset < rows.num_rows).then_some(rows.first_row + offset)
    }

    /// The row nearest to a query; of several at one distance the first. `None` where the filter lets none pass.
    ///
    /// `likely` is a row that is probably near, see [`NearestRows::nearest`].
    ///
    /// # Panics
    /// When `likely` is out of range.
    pub fn nearest(
        &self,
        query: &[f32; NUM_FEATURES],
        filter: &MatchFilter,
        likely: Option<usize>,
    ) -> Option<Neighbour> {
        if *filter == MatchFilter::default() {
            return self.rows.nearest(query, likely);
        }
        self.rows.nearest_where(query, likely, |row| self.passes(row, filter))
    }

    /// The nearest row that so many more rows of its clip follow, as they do in a loop; otherwise like [`Self::nearest`].
    ///
    /// For motion that goes on from there. `None` where there is no such row.
    ///
    /// # Panics
    /// When `likely` is out of range.
    pub fn nearest_entry(
        &self,
        query: &[f32; NUM_FEATURES],
        filter: &MatchFilter,
        likely: Option<usize>,
        more: usize,
    ) -> Option<Neighbour> {
        let goes_on = |row: usize| {
            let rows = &self.clips[self.frame_of(row).clip];
            rows.clip.is_loop || row + more < rows.first_row + rows.num_rows
        };
        self.rows
            .nearest_where(query, likely, |row| goes_on(row) && self.passes(row, filter))
    }

    /// The nearest rows, from the nearest on, as many as `found` has places; returns how many there are.
    pub fn nearest_of(&self, query: &[f32; NUM_FEATURES], filter: &MatchFilter, found: &mut [Neighbour]) -> usize {
        self.rows.nearest_of(query, found, |row| self.passes(row, filter))
    }

    /// The squared distance of a row from a query.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn squared_distance(&self, query: &[f32; NUM_FEATURES], row: usize) -> f32 {
        self.rows.squared_distance(query, row)
    }

    /// Whether a filter lets a row pass.
    fn passes(&self, row: usize, filter: &MatchFilter) -> bool {
        let tags = || &self.clips[self.frame_of(row).clip].clip.tags;
        self.standing[row] & filter.standing == filter.standing
            && (filter.tags.is_empty() || filter.tags.iter().all(|tag| tags().contains(tag)))
    }
}
