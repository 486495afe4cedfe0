//! The keys of a finished clip whose cycle ends between two of them: the keys stay unchanged, and the loop is the curve through them.

use crate::{
    analysis::Analysis,
    candidate::WholeClip,
    motion::KeyedCycle,
    take::{Clip, CutError, Take, clip},
};

/// The keys of one cycle of a take.
pub(crate) struct KeptKeys<'a> {
    take: &'a Take,
    whole: &'a WholeClip,
    carrier: usize,
}

impl<'a> KeptKeys<'a> {
    /// Returns the keys of a clip that ends between two frames.
    pub(crate) fn of(analysis: &'a Analysis, whole: &'a WholeClip) -> Self {
        Self {
            take: &analysis.take,
            whole,
            carrier: analysis.carrier(),
        }
    }

    fn count(&self) -> usize {
        self.whole.last_frame + 1 - self.whole.start_frame
    }

    /// Returns the curve through them as a clip of one cycle. Errors: too many samples.
    pub(crate) fn evenly(&self) -> Result<Clip, CutError> {
        let cycle = KeyedCycle {
            skeleton: self.take.skeleton(),
            carrier: self.carrier,
            motion: self.whole.motion,
            num_frames: self.whole.num_frames,
        };
        let pose = |key: usize| self.take.pose(self.whole.start_frame + key);
        let mut tracks = cycle.evenly(pose, self.count(), self.take.frame_time_secs());
        let num_intervals = tracks.num_frames();
        clip::check_length(self.take, num_intervals)?;
        tracks.push(cycle.in_cycle(pose(0), 1).as_ref());
        Ok(Clip::from_samples(tracks, num_intervals, 0).known_as_cycle())
    }

    /// Returns the keys as a clip that does not close.
    pub(crate) fn as_recorded(&self) -> Clip {
        Clip::from_samples(
            self.take
                .tracks()
                .with_poses((0..self.count()).map(|key| self.take.pose(self.whole.start_frame + key))),
            self.count() - 1,
            0,
        )
    }
}
