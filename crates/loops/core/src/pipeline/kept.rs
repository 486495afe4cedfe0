//! The keys of a finished clip whose cycle ends between two of them: the keys stay unchanged, and the loop is the curve through them.

use crate::{
    analysis::Analysis,
    candidate::WholeClip,
    motion::KeyedCycle,
    take::{Clip, CutError, Take, clip},
};

impl Analysis {
    /// Returns the curve through the keys of a whole clip that ends between two frames, as one cycle. Errors: it is too short or
    /// too long.
    pub fn curve_through(&self, whole: &WholeClip) -> Result<Clip, CutError> {
        let take = &self.take;
        let cycle = KeyedCycle {
            skeleton: take.skeleton(),
            carrier: self.carrier(),
            motion: whole.motion,
            num_frames: whole.num_frames,
        };
        let pose = |key: usize| take.pose(whole.start_frame + key);
        let mut tracks = cycle.evenly(pose, whole.last_frame + 1 - whole.start_frame, take.frame_time_secs());
        let num_intervals = tracks.num_frames();
        clip::check_length(take, num_intervals)?;
        tracks.push(cycle.in_cycle(pose(0), 1).as_ref());
        Ok(Clip::from_samples(tracks, num_intervals, 0).known_as_cycle())
    }
}

/// Returns the keys as a clip that does not close.
pub(super) fn as_recorded(take: &Take, whole: &WholeClip) -> Clip {
    Clip::from_samples(
        take.tracks()
            .with_poses((whole.start_frame..=whole.last_frame).map(|frame| take.pose(frame))),
        whole.last_frame - whole.start_frame,
        0,
    )
}
