//! Sources of rows: takes and loops, relative to their smoothed roots.

use super::{
    database::{FrameRows, MatchClip, MatchMotion, with_gait},
    features::{self, Horizon, MatchError, RawFeatures},
};
use loopwright_core::{
    Analysis, BodyOverrides, LoopClip, Take,
    analysis::Side,
    math::{Rigid, TimeStep},
};

/// A take or a loop whose frames can be matched and played.
#[derive(Clone, Debug)]
pub struct MatchSource {
    pub(super) analysis: Analysis,
    pub(super) roots: Vec<Rigid>,
    /// For a loop, which the take repeats several times: the frame at which one of the copies begins, and its number of samples.
    pub(super) repeats: Option<(usize, usize)>,
    /// Frames of a take that can be matched, if not all.
    range: Option<core::ops::Range<usize>>,
}

impl MatchSource {
    /// Wraps a take.
    pub fn from_take(analysis: Analysis) -> Self {
        let step = TimeStep::new(analysis.take.frame_time_secs());
        Self {
            roots: features::smoothed_roots(&analysis, step),
            analysis,
            repeats: None,
            range: None,
        }
    }

    /// Wraps a loop, which continues indefinitely by its twist and is matched up to that horizon at most.
    ///
    /// Errors: the body is not found on its skeleton, or it is too long.
    pub fn from_loop(clip: &LoopClip, overrides: &BodyOverrides, horizon: Horizon) -> Result<Self, MatchError> {
        let (count, step) = (clip.num_samples(), TimeStep::new(clip.step_secs()));
        // The ends of the take affect smoothing; only the copies between are matched.
        let around = step.up(horizon.farthest_secs()).div_ceil(count) * count;
        let poses = (0..2 * around + count).map(|key| clip.folded_pose(key));
        let take = Take::from_poses(clip.name(), clip.skeleton().clone(), clip.step_secs(), poses)
            .map_err(|_| MatchError::Feet)?;
        let analysis = Analysis::with(&take, overrides).map_err(|_| MatchError::Feet)?;
        Ok(Self {
            repeats: Some((around, count)),
            ..Self::from_take(analysis)
        })
    }

    /// Returns the take, or a take that repeats the loop several times.
    pub fn take(&self) -> &Take {
        &self.analysis.take
    }

    /// Returns the frame of [`Self::take`] for a frame of a clip.
    pub fn frame_in_take(&self, frame: usize) -> usize {
        self.repeats.map_or(frame, |(first, count)| first + frame % count)
    }

    /// Restricts the frames that can be matched or jumped to; the others still serve as past and future. Frames beyond the
    /// motion are ignored.
    pub fn within(self, frames: core::ops::Range<usize>) -> Self {
        Self {
            range: Some(frames),
            ..self
        }
    }

    /// Returns the number of frames of the motion: those of the take, or samples of the loop.
    pub fn num_frames(&self) -> usize {
        self.repeats.map_or(self.analysis.take.num_frames(), |(_, count)| count)
    }

    /// Whether its last frame is followed by its first.
    pub fn is_loop(&self) -> bool {
        self.repeats.is_some()
    }

    /// Returns half the height of its body, metres.
    pub fn half_height(&self) -> f64 {
        self.analysis.half_height()
    }

    /// Returns the runs of frames that can be matched, as parts of a database: a take is split where its pose jumps.
    pub fn motions(
        &self,
        name: &str,
        tags: &[(String, String)],
        horizon: Horizon,
    ) -> Result<Vec<MatchMotion>, MatchError> {
        let rows = features::of_take(&self.analysis, horizon)?;
        let ahead = self.analysis.take.num_frames() - rows.len();
        Ok(self.motions_of(&rows, ahead, name, tags))
    }

    /// Returns queries by the frames of this motion; frames without a known future, at the end of a take, have none.
    pub fn queries(&self, horizon: Horizon) -> Result<Vec<RawFeatures>, MatchError> {
        Ok(self.in_clip(features::of_take(&self.analysis, horizon)?))
    }

    /// Returns the rows of a loop's samples, or all rows of a take.
    pub(super) fn in_clip<F>(&self, mut rows: Vec<F>) -> Vec<F> {
        if let Some((first, count)) = self.repeats {
            rows.truncate(first + count);
            rows.drain(..first.min(rows.len()));
        }
        rows
    }

    /// Refuses motion in place; without feet it cannot be detected. Errors: the feet walk, but the root does not travel.
    pub(super) fn refuse_in_place(&self) -> Result<(), MatchError> {
        features::both_feet(&self.analysis).map_or(Ok(()), |feet| {
            features::refuse_in_place(&self.analysis, &self.roots, feet)
        })
    }

    /// Splits rows, one per frame, into runs: for a take at jumps, with `ahead` frames of future for each row.
    pub(super) fn motions_of<F: Clone>(
        &self,
        rows: &[F],
        ahead: usize,
        name: &str,
        tags: &[(String, String)],
    ) -> Vec<FrameRows<F>> {
        let take = &self.analysis.take;
        let motion = |first: usize, frames: core::ops::Range<usize>| FrameRows {
            clip: MatchClip {
                name: name.to_owned(),
                tags: tags.to_vec(),
                first_frame: first,
                step_secs: take.frame_time_secs(),
                is_loop: self.repeats.is_some(),
            },
            features: rows[frames.clone()].to_vec(),
            standing: frames.map(|frame| self.standing(frame)).collect(),
        };
        if let Some((first, count)) = self.repeats {
            return vec![motion(0, first..first + count)];
        }
        let wanted = self.range.clone().unwrap_or(0..usize::MAX);
        let mut motions = Vec::new();
        let mut first = 0;
        let jumps = self.analysis.defects.jumps.iter().copied();
        for jump in jumps.chain([take.num_frames()]) {
            // A row needs its future frames, and its velocities one frame back.
            let end = jump.saturating_sub(ahead).min(rows.len()).min(wanted.end);
            let start = first.max(wanted.start);
            if end >= start.saturating_add(LEAST_ROWS) {
                motions.push(motion(start, start..end));
            }
            first = jump + 1;
        }
        motions
    }

    /// Returns the standing feet of a frame, with its gait.
    fn standing(&self, frame: usize) -> u8 {
        let contacts = &self.analysis.contacts;
        let standing = self
            .analysis
            .body
            .feet
            .iter()
            .enumerate()
            .take(contacts.num_feet())
            .filter(|(index, _)| contacts.is_planted(*index, frame))
            .fold(0, |bits, (_, foot)| bits | foot.side.map_or(0, bit_of));
        let segments = &self.analysis.segments;
        let segment = segments.get(segments.partition_point(|segment| segment.end_frame < frame));
        with_gait(standing, segment.map(|segment| segment.gait))
    }
}

/// Shorter runs between jumps are left out, frames: they are too short to be entered.
const LEAST_ROWS: usize = 10;

/// Returns the bit of a side's foot, see [`FrameDatabase::standing`](super::database::FrameDatabase::standing).
pub(super) fn bit_of(side: Side) -> u8 {
    match side {
        Side::Left => 1,
        Side::Right => 2,
    }
}
