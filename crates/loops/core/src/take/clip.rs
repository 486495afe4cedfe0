//! A cut sampled on an even grid of its own, with the frames around it.

use core::ops::RangeInclusive;

use glam::{DQuat, DVec3};

use super::{Cut, CutError, PingPong, Sampler, Take};
use crate::{
    math::{Rigid, TimeStep},
    motion::{Pose, PoseRef, Skeleton, Tracks, WorldTracks},
};

/// Most transforms (samples times joints) of one clip: a guard against a mistyped rate, far above any loop.
const MAX_TRANSFORMS: usize = 4_000_000;

/// Duration of the samples kept on either side of a cut, if the take has them.
///
/// Enough for velocity and acceleration at both ends, for pose windows of a fifth of a second, and for crossfades of the usual
/// length.
const CONTEXT_SECS: f64 = 0.5;

/// Most samples of context on either side, whatever the rate.
const MAX_CONTEXT: usize = 256;

/// A cut sampled on an even grid of its own, with the frames around it.
///
/// Sample 0 is the start and sample `num_intervals` the end. Samples below and above are context, kept where the take has them,
/// because closing a seam uses the motion outside the cut. Local transforms, metres.
#[handed_over]
pub struct Clip {
    /// All samples, context first.
    tracks: Tracks,
    num_intervals: usize,
    context_before: usize,
    /// Whether the end is the start one cycle later, but for a small gap: motion at the ends is then measured over the seam.
    is_cycle: bool,
}

impl Clip {
    /// Samples `cut` at `num_intervals` even steps and at as many context steps as fit into the take.
    ///
    /// `step_secs` is the time between samples in the result. It may differ from the source's own spacing; the source then plays
    /// a little faster or slower. Samples that fall on whole source frames are exactly those frames. Errors:
    /// [`CutError::TooShort`] below three intervals, [`CutError::TooLong`] above four million transforms.
    pub fn new(take: &Take, cut: &Cut, num_intervals: usize, step_secs: f64) -> Result<Self, CutError> {
        check_length(take, num_intervals)?;
        let step_frames = cut.num_frames() / num_intervals as f64;
        let source_step_secs = step_frames * take.frame_time_secs();
        let last = take.last_frame() as f64;
        let wanted = Self::context_samples(source_step_secs);
        // The small allowance keeps a context frame that rounding puts just outside.
        let [context_before, context_after] = [cut.start_frame(), last - cut.end_frame()]
            .map(|room| ((room / step_frames + 1e-9).floor() as usize).min(wanted));
        let num_samples = context_before + num_intervals + 1 + context_after;
        let mut sampler = Sampler::new(take);
        let samples = (0..num_samples).map(|index| {
            let offset = index as f64 - context_before as f64;
            let frame = if offset == num_intervals as f64 {
                cut.end_frame()
            } else {
                cut.start_frame() + offset * step_frames
            };
            sampler.sample(on_whole_frame(frame, last))
        });
        let tracks = Tracks::pose_by_pose(take.skeleton(), step_secs, samples);
        Ok(Self::from_samples(tracks, num_intervals, context_before))
    }

    /// Samples a ping-pong stretch at `num_intervals` even steps of the whole cycle; it continues as a cycle on
    /// both sides.
    ///
    /// Samples equally far from a turn on either side are equal to the bit. Errors: as [`Self::new`].
    pub fn ping_pong(take: &Take, course: &PingPong, num_intervals: usize, step_secs: f64) -> Result<Self, CutError> {
        check_length(take, num_intervals)?;
        let step_frames = course.num_frames() / num_intervals as f64;
        let last = take.last_frame() as f64;
        let mut sampler = Sampler::new(take);
        let there: Vec<Pose> = (0..=num_intervals / 2)
            .map(|sample| sampler.sample(on_whole_frame(course.frame_at(sample as f64 * step_frames), last)))
            .collect();
        let context = Self::context_samples(step_frames * take.frame_time_secs());
        let samples = (0..num_intervals + 1 + 2 * context).map(|index| {
            let sample = (index as isize - context as isize).rem_euclid(num_intervals as isize) as usize;
            there[sample.min(num_intervals - sample)].as_ref()
        });
        let tracks = Tracks::pose_by_pose(take.skeleton(), step_secs, samples);
        Ok(Self::from_samples(tracks, num_intervals, context).known_as_cycle())
    }

    /// Returns the samples of context on either side that are enough for everything that looks outside a cut.
    pub(crate) fn context_samples(step_secs: f64) -> usize {
        TimeStep::new(step_secs).up(CONTEXT_SECS).clamp(2, MAX_CONTEXT)
    }

    /// Creates a clip from given samples: `context_before` samples of context, those from the start to the end, and more context.
    pub(crate) fn from_samples(tracks: Tracks, num_intervals: usize, context_before: usize) -> Self {
        Self {
            tracks,
            num_intervals,
            context_before,
            is_cycle: false,
        }
    }

    /// Returns all samples, context first.
    pub(crate) fn tracks(&self) -> &Tracks {
        &self.tracks
    }

    pub(crate) fn into_tracks(self) -> Tracks {
        self.tracks
    }

    /// Returns the clip, known to be one cycle already.
    pub(crate) fn known_as_cycle(self) -> Self {
        Self { is_cycle: true, ..self }
    }

    /// Returns the clip without the samples outside the cut, if these do not belong to the motion.
    pub(crate) fn without_context(self) -> Self {
        let samples = (0..=self.num_intervals).map(|sample| self.tracks.pose(self.context_before + sample));
        Self {
            tracks: self.tracks.with_poses(samples),
            context_before: 0,
            ..self
        }
    }

    /// Whether it is known to be one cycle already.
    pub(crate) fn is_cycle(&self) -> bool {
        self.is_cycle
    }

    fn index(&self, sample: isize) -> usize {
        let index = sample + self.context_before as isize;
        assert!(
            index >= 0 && index < self.tracks.num_frames() as isize,
            "sample {sample} of a clip with {} samples",
            self.tracks.num_frames()
        );
        index as usize
    }

    fn sample_at(&self, index: usize) -> isize {
        index as isize - self.context_before as isize
    }

    /// Returns the tree of joints.
    pub fn skeleton(&self) -> &Skeleton {
        self.tracks.skeleton()
    }

    /// Returns the seconds between samples as the clip is to be played.
    pub fn step_secs(&self) -> f64 {
        self.tracks.step_secs()
    }

    /// Returns the number of intervals, which is the number of unique samples of the loop.
    pub fn num_intervals(&self) -> usize {
        self.num_intervals
    }

    /// Returns the seconds from start to end as the clip is to be played.
    pub fn period_secs(&self) -> f64 {
        self.num_intervals as f64 * self.step_secs()
    }

    /// Returns all samples including context: from the first (zero or negative) to the last.
    pub fn sample_range(&self) -> RangeInclusive<isize> {
        self.sample_at(0)..=self.sample_at(self.tracks.num_frames() - 1)
    }

    /// Returns the pose at a sample, local.
    ///
    /// # Panics
    /// When the sample is outside [`Self::sample_range`].
    pub fn pose(&self, sample: isize) -> PoseRef<'_> {
        self.tracks.pose(self.index(sample))
    }

    /// Returns the local translations at a sample, metres.
    ///
    /// # Panics
    /// When the sample is outside [`Self::sample_range`].
    pub fn translations(&self, sample: isize) -> &[DVec3] {
        self.pose(sample).translations
    }

    /// Returns the local rotations at a sample.
    ///
    /// # Panics
    /// When the sample is outside [`Self::sample_range`].
    pub fn rotations(&self, sample: isize) -> &[DQuat] {
        self.pose(sample).rotations
    }

    /// Returns the world tracks of all samples, context included; frame `sample - sample_range().start()` belongs to `sample`.
    pub fn world_tracks(&self) -> WorldTracks {
        self.tracks.world()
    }

    /// Returns the world tracks of the samples from the start to the end; frame `sample` belongs to `sample`.
    pub fn world_tracks_between_the_ends(&self) -> WorldTracks {
        let first = self.context_before;
        WorldTracks::from_frames(&self.tracks, first..first + self.num_intervals + 1)
    }

    /// Returns the clip followed by the image of each of its samples, context included: twice as long, and the image follows
    /// the end.
    pub(crate) fn followed_by_image(&self, image: impl Fn(PoseRef<'_>) -> Pose) -> Self {
        let own = (0..self.context_before + self.num_intervals).map(|index| self.tracks.pose(index).to_pose());
        let images = (self.context_before..self.tracks.num_frames()).map(|index| image(self.tracks.pose(index)));
        Self {
            tracks: self.tracks.with_poses(own.chain(images)),
            num_intervals: 2 * self.num_intervals,
            ..*self
        }
    }

    /// Returns the clip several times, one after the other, with the context before its start and after its end.
    pub fn repeated(&self, copies: usize) -> Self {
        let (count, before) = (self.num_intervals, self.context_before);
        let after = self.tracks.num_frames() - before - count;
        let samples = (0..before + copies * count + after).map(|index| {
            let own = match index.checked_sub(before) {
                None => index,
                Some(sample) if sample < copies * count => before + sample % count,
                Some(sample) => before + count + (sample - copies * count),
            };
            self.tracks.pose(own)
        });
        Self {
            tracks: self.tracks.with_poses(samples),
            num_intervals: copies * count,
            ..*self
        }
    }

    /// Returns the clip on another skeleton, pose by pose; `map` receives the sample and its local pose.
    pub(crate) fn map_poses(&self, skeleton: &Skeleton, mut map: impl FnMut(isize, PoseRef<'_>) -> Pose) -> Self {
        let samples = (0..self.tracks.num_frames()).map(|index| map(self.sample_at(index), self.tracks.pose(index)));
        let tracks = Tracks::pose_by_pose(skeleton, self.step_secs(), samples);
        Self { tracks, ..*self }
    }

    /// Returns the clip with every local transform mapped; `map` receives the joint and its translation and rotation.
    pub(crate) fn map_transforms(&self, map: impl Fn(usize, DVec3, DQuat) -> (DVec3, DQuat)) -> Self {
        Self {
            tracks: self.tracks.clone().map(map),
            ..*self
        }
    }

    /// Returns the clip with one joint's local track replaced; `transform` receives the sample.
    pub(crate) fn with_joint_track(&self, joint: usize, transform: impl Fn(isize) -> Rigid) -> Self {
        let mut tracks = self.tracks.clone();
        tracks.set_joint(joint, |index| transform(self.sample_at(index)));
        Self { tracks, ..*self }
    }

    /// Returns the clip with `carrier`, and all below it, relative to a root whose world transform at a sample is `root`.
    pub(crate) fn seen_from_root(&self, carrier: usize, root: impl Fn(isize) -> Rigid) -> Self {
        self.with_joint_track(carrier, |sample| {
            self.pose(sample).in_root(self.skeleton(), carrier, root(sample))
        })
    }
}

/// Checks the length. Errors: a clip with this many intervals has too few samples, or too many transforms.
pub(crate) fn check_length(take: &Take, num_intervals: usize) -> Result<(), CutError> {
    if num_intervals < 3 {
        return Err(CutError::TooShort { num_intervals });
    }
    let limit = (MAX_TRANSFORMS / take.num_joints()).max(3);
    if num_intervals > limit {
        Err(CutError::TooLong { num_intervals, limit })
    } else {
        Ok(())
    }
}

/// Rounds a frame that is whole within rounding errors.
fn on_whole_frame(frame: f64, last: f64) -> f64 {
    let near = frame.round();
    if (frame - near).abs() < 1e-9 * last.max(1.0) {
        near
    } else {
        frame
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{ops, rotation};
    use crate::tests::{skeleton, take_of};

    /// Returns a rotating, moving joint whose motion is known at any time (frames).
    fn truth(frame: f64) -> (DVec3, DQuat) {
        let t = 0.1 * frame;
        (
            DVec3::new(ops::sin(t), 0.5 * ops::cos(2.0 * t), 1.3 * t),
            rotation::exp(DVec3::new(0.4 * ops::sin(t), 0.3 * t, 0.5 * ops::cos(1.5 * t))),
        )
    }

    fn take(num_frames: usize, spacing: f64) -> Take {
        take_of(skeleton(&[("root", None, DVec3::ZERO)]), 0.1, num_frames, |frame, _| {
            truth(frame as f64 * spacing)
        })
    }

    fn worst_error(num_frames: usize, spacing: f64) -> f64 {
        let take = take(num_frames, spacing);
        let mut worst = 0.0_f64;
        for i in 10..10 * (num_frames - 2) {
            let frame = 0.1 * i as f64;
            let (position, rotation_at) = truth(frame * spacing);
            let sampled = take.sample(frame);
            worst = worst.max((sampled.translations[0] - position).length());
            worst = worst.max(rotation::difference(sampled.rotations[0], rotation_at).length());
        }
        worst
    }

    #[test]
    fn sampling_error_falls_with_the_third_power_of_the_spacing() {
        let (coarse, fine) = (worst_error(40, 1.0), worst_error(79, 0.5));
        assert!(coarse < 1e-3, "{coarse}");
        assert!(coarse / fine > 7.0, "{coarse} {fine}");
    }

    #[test]
    fn sampling_is_c1_across_frames() {
        let take = take(12, 3.0);
        for frame in 2..9 {
            let at = |offset: f64| take.sample(frame as f64 + offset);
            let h = 1e-5;
            let (before, middle, after) = (at(-h), at(0.0), at(h));
            let left = (middle.translations[0] - before.translations[0]) / h;
            let right = (after.translations[0] - middle.translations[0]) / h;
            assert!((left - right).length() < 1e-3, "{left} {right}");
            let left = rotation::difference(middle.rotations[0], before.rotations[0]) / h;
            let right = rotation::difference(after.rotations[0], middle.rotations[0]) / h;
            assert!((left - right).length() < 1e-3, "{left} {right}");
        }
    }

    #[test]
    fn whole_cuts_keep_the_frames_and_their_context() {
        let take = take(30, 1.0);
        let cut = Cut::new(&take, 5.0, 25.0).unwrap();
        let clip = Clip::new(&take, &cut, 20, 0.1).unwrap();
        assert_eq!(clip.sample_range(), -5..=24);
        for sample in clip.sample_range() {
            let frame = (sample + 5) as usize;
            assert_eq!(clip.translations(sample), take.translations(frame));
            assert_eq!(clip.rotations(sample), take.rotations(frame));
        }
        assert!(matches!(
            Cut::new(&take, 5.0, 30.0),
            Err(CutError::OutOfRange { last_frame: 29, .. })
        ));
        assert!(matches!(
            Cut::new(&take, f64::NAN, 3.0),
            Err(CutError::OutOfRange { .. })
        ));
        assert!(matches!(
            Clip::new(&take, &cut, 2, 0.1),
            Err(CutError::TooShort { num_intervals: 2 })
        ));
    }
}
