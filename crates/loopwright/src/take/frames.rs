//! Looking between frames: C1 sampling, cuts, and clips on an even grid with the frames around them.

use glam::{DQuat, DVec3};

use super::{Skeleton, Take};
use crate::math::{
    cubic::{Hermite, Span},
    rigid::Rigid,
    rotation,
};

/// A stretch of a take, from the pose that starts it to the pose that meets the start.
///
/// Frames are counted from 0 and may be fractional. Invariant, held by [`Cut::new`]: finite, 0 <= start < end <= last frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    start_frame: f64,
    end_frame: f64,
}

/// Why a stretch cannot be cut.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CutError {
    /// An end is outside the take, or the two are not in order.
    #[error("frames {start_frame} to {end_frame} do not lie in order within 0 to {last_frame}")]
    OutOfRange {
        /// Start asked for.
        start_frame: f64,
        /// End asked for.
        end_frame: f64,
        /// The take's last frame.
        last_frame: usize,
    },
    /// Fewer than three unique samples.
    #[error("a loop needs at least 3 frames, this cut has {num_intervals}")]
    TooShort {
        /// Intervals of the cut.
        num_intervals: usize,
    },
    /// More samples than a clip may hold.
    #[error("{num_intervals} samples are asked for, the limit is {limit}")]
    TooLong {
        /// Intervals asked for.
        num_intervals: usize,
        /// Largest number taken.
        limit: usize,
    },
}

/// Most transforms (samples times joints) of one clip: a guard against a mistyped rate, far above any loop.
const MAX_TRANSFORMS: usize = 4_000_000;

impl Cut {
    /// A cut of `take` between two of its frames.
    ///
    /// Errors: [`CutError::OutOfRange`].
    pub fn new(take: &Take, start_frame: f64, end_frame: f64) -> Result<Self, CutError> {
        let last_frame = take.num_frames() - 1;
        let inside = start_frame >= 0.0 && start_frame < end_frame && end_frame <= last_frame as f64;
        if !inside {
            return Err(CutError::OutOfRange {
                start_frame,
                end_frame,
                last_frame,
            });
        }
        Ok(Self { start_frame, end_frame })
    }

    /// Source frame at which the cut starts.
    pub fn start_frame(&self) -> f64 {
        self.start_frame
    }

    /// Source frame whose pose meets the start's.
    pub fn end_frame(&self) -> f64 {
        self.end_frame
    }

    /// Length in source frames, fractional.
    pub fn num_frames(&self) -> f64 {
        self.end_frame - self.start_frame
    }
}

impl Take {
    /// Local transforms of all joints at a fractional frame, C1 in time.
    ///
    /// Between frames: Hermite cubics with central-difference slopes, for rotations in the tangent space of the earlier
    /// frame with slopes carried there by the inverse Jacobian, so that the angular velocity is continuous. On frames the
    /// values are the frames' own. `frame` is clamped to the take.
    pub fn sample(&self, frame: f64) -> (Vec<DVec3>, Vec<DQuat>) {
        let last = self.num_frames() - 1;
        let frame = if frame.is_finite() {
            frame.clamp(0.0, last as f64)
        } else {
            0.0
        };
        let before = (frame.floor() as usize).min(last);
        let u = frame - before as f64;
        if u == 0.0 {
            return (self.translations(before).to_vec(), self.rotations(before).to_vec());
        }
        let after = before + 1;
        let left = before.checked_sub(1);
        let right = (after < last).then_some(after + 1);
        let curve = Hermite::at(u);
        (0..self.num_joints())
            .map(|joint| {
                let place = |frame| self.translations(frame)[joint];
                let turn = |frame| self.rotations(frame)[joint];
                // One-sided slopes where the take ends.
                (
                    curve.point(Span {
                        left: left.map(place),
                        before: place(before),
                        after: place(after),
                        right: right.map(place),
                    }),
                    curve.rotation(Span {
                        left: left.map(turn),
                        before: turn(before),
                        after: turn(after),
                        right: right.map(turn),
                    }),
                )
            })
            .unzip()
    }
}

/// Samples kept on either side of a cut where the take has them.
///
/// Enough for velocity and acceleration at both ends, for windows of poses a fifth of a second long, and for crossfades of
/// the usual length.
const CONTEXT_SECS: f64 = 0.5;

/// Most samples of context on either side, whatever the rate.
const MAX_CONTEXT: usize = 256;

/// A cut sampled on an even grid of its own, with the frames around it.
///
/// Sample 0 is the start and sample `num_intervals` the end; samples below and above are context, kept where the take has
/// them, because closing a seam looks at the motion outside the cut. Local transforms, metres.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    skeleton: Skeleton,
    step_secs: f64,
    source_step_secs: f64,
    num_intervals: usize,
    context_before: usize,
    context_after: usize,
    translations: Vec<DVec3>,
    rotations: Vec<DQuat>,
}

impl Clip {
    /// Samples `cut` at `num_intervals` even steps and at as many context steps as fit into the take.
    ///
    /// `step_secs` is the time between samples in the result; it may differ from the source's own spacing, which then
    /// plays a little faster or slower. Samples that fall on whole source frames are those frames, untouched.
    /// Errors: [`CutError::TooShort`] below three intervals, [`CutError::TooLong`] above four million transforms.
    pub fn new(take: &Take, cut: &Cut, num_intervals: usize, step_secs: f64) -> Result<Self, CutError> {
        if num_intervals < 3 {
            return Err(CutError::TooShort { num_intervals });
        }
        let limit = (MAX_TRANSFORMS / take.num_joints()).max(3);
        if num_intervals > limit {
            return Err(CutError::TooLong { num_intervals, limit });
        }
        let step_frames = cut.num_frames() / num_intervals as f64;
        let source_step_secs = step_frames * take.frame_time_secs();
        let last = (take.num_frames() - 1) as f64;
        let wanted = ((CONTEXT_SECS / source_step_secs).ceil() as usize).clamp(2, MAX_CONTEXT);
        // The small allowance keeps a context frame that rounding puts a hair outside.
        let fits = |room: f64| ((room / step_frames + 1e-9).floor() as usize).min(wanted);
        let context_before = fits(cut.start_frame);
        let context_after = fits(last - cut.end_frame);
        let mut clip = Self {
            skeleton: take.skeleton().clone(),
            step_secs,
            source_step_secs,
            num_intervals,
            context_before,
            context_after,
            translations: Vec::new(),
            rotations: Vec::new(),
        };
        for index in 0..clip.num_samples_with_context() {
            let offset = index as f64 - context_before as f64;
            let frame = if offset == num_intervals as f64 {
                cut.end_frame
            } else {
                cut.start_frame + offset * step_frames
            };
            // A grid that means to hit whole frames does hit them.
            let near = frame.round();
            let frame = if (frame - near).abs() < 1e-9 * last.max(1.0) {
                near
            } else {
                frame
            };
            let (translations, rotations) = take.sample(frame);
            clip.translations.extend(translations);
            clip.rotations.extend(rotations);
        }
        clip.make_signs_continuous();
        Ok(clip)
    }

    fn make_signs_continuous(&mut self) {
        let joints = self.skeleton.num_joints();
        for index in joints..self.rotations.len() {
            self.rotations[index] = rotation::on_side_of(self.rotations[index], self.rotations[index - joints]);
        }
    }

    fn num_samples_with_context(&self) -> usize {
        self.context_before + self.num_intervals + 1 + self.context_after
    }

    fn offset(&self, sample: isize) -> usize {
        let index = sample + self.context_before as isize;
        assert!(
            index >= 0 && index < self.num_samples_with_context() as isize,
            "sample {sample} of a clip with {} samples",
            self.num_samples_with_context()
        );
        index as usize * self.skeleton.num_joints()
    }

    /// The tree of joints.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Seconds between samples as the clip is to be played.
    pub fn step_secs(&self) -> f64 {
        self.step_secs
    }

    /// Seconds between samples as they were recorded.
    pub fn source_step_secs(&self) -> f64 {
        self.source_step_secs
    }

    /// Number of intervals, which is the number of unique samples of the loop.
    pub fn num_intervals(&self) -> usize {
        self.num_intervals
    }

    /// Seconds from start to end as the clip is to be played.
    pub fn period_secs(&self) -> f64 {
        self.num_intervals as f64 * self.step_secs
    }

    /// All samples including context: from the first (zero or negative) to the last.
    pub fn sample_range(&self) -> core::ops::RangeInclusive<isize> {
        -(self.context_before as isize)..=(self.num_intervals + self.context_after) as isize
    }

    /// Local translations at a sample, metres.
    ///
    /// # Panics
    /// When the sample is outside [`Self::sample_range`].
    pub fn translations(&self, sample: isize) -> &[DVec3] {
        let offset = self.offset(sample);
        &self.translations[offset..offset + self.skeleton.num_joints()]
    }

    /// Local rotations at a sample.
    ///
    /// # Panics
    /// When the sample is outside [`Self::sample_range`].
    pub fn rotations(&self, sample: isize) -> &[DQuat] {
        let offset = self.offset(sample);
        &self.rotations[offset..offset + self.skeleton.num_joints()]
    }

    /// The clip followed by the image of each of its samples, context and all: twice as long, with what follows the end now
    /// that image.
    ///
    /// `image` maps local transforms of all joints at one sample to those of its image.
    pub fn followed_by_image(&self, image: impl Fn(&[DVec3], &[DQuat]) -> (Vec<DVec3>, Vec<DQuat>)) -> Self {
        let joints = self.skeleton.num_joints();
        let own = (self.context_before + self.num_intervals) * joints;
        let mut clip = Self {
            skeleton: self.skeleton.clone(),
            num_intervals: 2 * self.num_intervals,
            translations: self.translations[..own].to_vec(),
            rotations: self.rotations[..own].to_vec(),
            ..*self
        };
        for sample in 0..=(self.num_intervals + self.context_after) as isize {
            let (translations, rotations) = image(self.translations(sample), self.rotations(sample));
            clip.translations.extend(translations);
            clip.rotations.extend(rotations);
        }
        clip.make_signs_continuous();
        clip
    }

    /// World tracks of all samples, context included; frame `sample - sample_range().start()` belongs to `sample`.
    pub fn world_tracks(&self) -> super::WorldTracks {
        super::WorldTracks::of_frames(&self.skeleton, &self.translations, &self.rotations)
    }

    /// The same clip with every local transform mapped; `map` gets the joint and its translation and rotation.
    pub fn map_transforms(&self, map: impl Fn(usize, DVec3, DQuat) -> (DVec3, DQuat)) -> Self {
        let mut clip = self.clone();
        let joints = self.skeleton.num_joints();
        for (index, (place, turn)) in clip.translations.iter_mut().zip(&mut clip.rotations).enumerate() {
            (*place, *turn) = map(index % joints, *place, *turn);
        }
        clip.make_signs_continuous();
        clip
    }

    /// The same clip with one joint's local track replaced, one transform for every sample of [`Self::sample_range`].
    ///
    /// # Panics
    /// When the track has another length.
    pub fn with_joint_track(&self, joint: usize, track: &[Rigid]) -> Self {
        assert_eq!(track.len(), self.num_samples_with_context(), "one transform per sample");
        let mut clip = self.clone();
        let joints = self.skeleton.num_joints();
        for (index, transform) in track.iter().enumerate() {
            clip.translations[index * joints + joint] = transform.translation;
            clip.rotations[index * joints + joint] = transform.rotation;
        }
        clip.make_signs_continuous();
        clip
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::ops;
    use crate::take::Joint;

    /// A turning, travelling joint whose motion is known at any time (frames).
    fn truth(frame: f64) -> (DVec3, DQuat) {
        let t = 0.1 * frame;
        (
            DVec3::new(ops::sin(t), 0.5 * ops::cos(2.0 * t), 1.3 * t),
            rotation::exp(DVec3::new(0.4 * ops::sin(t), 0.3 * t, 0.5 * ops::cos(1.5 * t))),
        )
    }

    fn take(num_frames: usize, spacing: f64) -> Take {
        let skeleton = Skeleton::new(vec![Joint {
            name: "root".to_owned(),
            parent: None,
            rest_offset: DVec3::ZERO,
            tip: None,
        }]);
        let (translations, rotations) = (0..num_frames).map(|f| truth(f as f64 * spacing)).unzip();
        Take::new("t", skeleton.unwrap(), 0.1, translations, rotations).unwrap()
    }

    fn worst_error(num_frames: usize, spacing: f64) -> f64 {
        let take = take(num_frames, spacing);
        let mut worst = 0.0_f64;
        for i in 10..10 * (num_frames - 2) {
            let frame = 0.1 * i as f64;
            let (position, turn) = truth(frame * spacing);
            let (translations, rotations) = take.sample(frame);
            worst = worst.max((translations[0] - position).length());
            worst = worst.max(rotation::difference(rotations[0], turn).length());
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
            let left = (middle.0[0] - before.0[0]) / h;
            let right = (after.0[0] - middle.0[0]) / h;
            assert!((left - right).length() < 1e-3, "{left} {right}");
            let left = rotation::difference(middle.1[0], before.1[0]) / h;
            let right = rotation::difference(after.1[0], middle.1[0]) / h;
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
