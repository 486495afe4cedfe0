//! Loops numbers recorded beside the pose, such as the shapes of a face, along with the body.

use glam::{DQuat, DVec3};

use super::{MadeLoop, MakeError, clip_of};
use crate::{
    closure::{self, ClosureSettings, SeamMotion},
    math::percentile,
    motion::{Joint, Skeleton},
    take::Take,
};

/// Numbers that a joint's position holds.
const PER_JOINT: usize = 3;

impl MadeLoop {
    /// Cuts, samples and closes other numbers of the take like the body, `width` per frame, and returns them in the order in
    /// which the loop is written.
    ///
    /// Numbers stay within the recorded range. In a loop of two mirrored halves they repeat with each half. Missing frames are
    /// replaced by the first. The result is empty if `width` is zero. Errors: there is no whole frame, or a number is out of
    /// range.
    pub fn looped_along(&self, numbers: &[f64], width: usize) -> Result<Vec<f64>, MakeError> {
        let joints = width.div_ceil(PER_JOINT);
        let skeleton = (0..joints).map(|joint| Joint::new(format!("{joint}"), (joint > 0).then_some(0), DVec3::ZERO));
        // Without numbers there are no joints.
        let Ok(skeleton) = Skeleton::new(skeleton.collect()) else {
            return Ok(Vec::new());
        };
        let recorded = numbers
            .len()
            .checked_div(width)
            .unwrap_or(0)
            .min(self.take.num_frames());
        let number = |frame: usize, slot: usize| {
            if slot < width {
                numbers[(if frame < recorded { frame } else { 0 }) * width + slot]
            } else {
                0.0
            }
        };
        let frames = if recorded == 0 { 0 } else { self.take.num_frames() };
        let translations: Vec<DVec3> = (0..frames)
            .flat_map(|frame| (0..joints).map(move |joint| (frame, joint)))
            .map(|(frame, joint)| [0, 1, 2].map(|axis| number(frame, PER_JOINT * joint + axis)).into())
            .collect();
        let rotations = vec![DQuat::IDENTITY; translations.len()];
        let take = Take::new("along", skeleton, self.take.frame_time_secs(), translations, rotations)?;

        let count = self.loop_clip.num_samples();
        let num_intervals = count / self.num_copies() / usize::from(self.candidate.pairing.num_stretches());
        let clip = clip_of(&take, &self.candidate, num_intervals, self.loop_clip.step_secs())?;
        let settings = ClosureSettings {
            motion: if self.closed.is_layered {
                SeamMotion::Layered
            } else {
                SeamMotion::Central
            },
            ..self.closed.method.into()
        };
        let closed = closure::close(&clip, &settings)?.tracks;
        let bounds: Vec<(f64, f64)> = (0..width)
            .map(|slot| percentile::extremes((0..recorded).map(|frame| number(frame, slot))))
            .collect();
        let mut looped = Vec::with_capacity(count * width);
        for sample in 0..count {
            let pose = closed.pose((self.first_sample + sample) % num_intervals);
            let values = pose.translations.iter().flat_map(DVec3::to_array);
            looped.extend(values.zip(&bounds).map(|(x, (low, high))| x.clamp(*low, *high)));
        }
        Ok(looped)
    }
}
