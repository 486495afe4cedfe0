//! The moving crossfade: near the seam a clip blends into the take's frames beyond the other end.
//!
//! Before the end it blends into the frames that precede the start, so that the start follows as it did in the take. If the take
//! has nothing before the start, the frames after the start blend in from those that follow the end. The first and second
//! derivatives of the weight u^3 (10 - 15u + 6u^2) vanish at both ends, so both sides of the seam are the take itself there.
//! Derivation: docs/math/crossfade.md.

use core::f64::consts::TAU;

use glam::DVec3;

use super::{ends::JointEnds, rotation::pose_gap};
use crate::{math::smooth_step, take::Clip};

/// Fewer samples than this are not a blend.
const FEWEST_SAMPLES: usize = 2;

/// A crossfade fitted to a clip and the frames around it.
#[derive(Clone, Copy)]
pub(super) struct Crossfade {
    /// Number of samples over which it blends.
    samples: usize,
    /// Whether it blends before the end, into the frames that precede the start.
    before_end: bool,
}

impl Crossfade {
    /// Returns the longest crossfade of at most `secs` that fits into the clip and its context; `None` if none fits.
    pub(super) fn fitted(clip: &Clip, secs: f64) -> Option<Self> {
        let range = clip.sample_range();
        let wanted = (secs / clip.step_secs()).round().min(clip.num_intervals() as f64) as usize;
        let before = range.start().unsigned_abs().min(wanted);
        let after = (range.end().unsigned_abs() - clip.num_intervals()).min(wanted);
        let fade = Self {
            samples: before.max(after),
            before_end: before >= after,
        };
        (fade.samples >= FEWEST_SAMPLES).then_some(fade)
    }

    /// Returns the seconds over which it blends.
    pub(super) fn secs(&self, clip: &Clip) -> f64 {
        self.samples as f64 * clip.step_secs()
    }

    /// Returns the weight of the frames beyond the seam at a sample, and their sample in the clip's context.
    pub(super) fn at(&self, clip: &Clip, sample: usize) -> Option<(f64, isize)> {
        let last = clip.num_intervals();
        let (come, other) = if self.before_end {
            (
                (sample + self.samples).checked_sub(last)?,
                sample as isize - last as isize,
            )
        } else {
            (self.samples.checked_sub(sample)?, (sample + last) as isize)
        };
        let weight = smooth_step(come as f64 / self.samples as f64);
        (weight > 0.0).then_some((weight, other))
    }

    /// Returns the offsets of a joint at every blended sample, starting at the seam: added to its translation, and applied on
    /// the left of its rotation.
    ///
    /// At the seam the rotation vector takes the short side. Away from it the vector stays on that side, even beyond half a
    /// turn, because a change of sides would be a jump.
    pub(super) fn offsets(&self, clip: &Clip, joint: usize) -> Vec<[DVec3; 2]> {
        let mut before = DVec3::ZERO;
        (0..=self.samples)
            .map(|away| {
                if self.before_end {
                    clip.num_intervals() - away
                } else {
                    away
                }
            })
            .map_while(|sample| Some((sample as isize, self.at(clip, sample)?)))
            .map(|(here, (weight, other))| {
                // The same rotation, of up to a turn in either direction, that is nearest to the last one.
                let short_side = pose_gap(clip.rotations(here)[joint], clip.rotations(other)[joint]);
                let long_side = short_side - TAU * short_side.normalize_or_zero();
                let is_nearer = long_side.distance_squared(before) < short_side.distance_squared(before);
                before = if is_nearer && before != DVec3::ZERO {
                    long_side
                } else {
                    short_side
                };
                [
                    weight * (clip.translations(other)[joint] - clip.translations(here)[joint]),
                    weight * before,
                ]
            })
            .collect()
    }

    /// Returns the index of a sample in [`Self::offsets`].
    pub(super) fn away(&self, clip: &Clip, sample: usize) -> usize {
        if self.before_end {
            clip.num_intervals() - sample
        } else {
            sample
        }
    }

    /// Returns the motion at both ends afterwards: on both sides that of the end it blends into.
    pub(super) fn faded(&self, ends: &JointEnds) -> JointEnds {
        let kept = usize::from(!self.before_end);
        JointEnds {
            translation: [ends.translation[kept]; 2],
            rotation: [ends.rotation[kept]; 2],
        }
    }
}
