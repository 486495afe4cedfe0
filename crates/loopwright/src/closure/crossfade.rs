//! The moving crossfade: towards the seam a clip blends into the frames that the take has beyond the other end.
//!
//! Before the end it blends into what precedes the start, so that what follows at the start follows as it did in the take;
//! where the take has nothing before the start, what comes after the start blends in from what follows the end. The first and
//! second derivatives of the weight u^3 (10 - 15u + 6u^2) vanish at both ends, so both sides of the seam are the take itself
//! there. Derivation: docs/math/crossfade.md.

use core::f64::consts::TAU;

use glam::DVec3;

use super::{ends::JointEnds, rotation::pose_gap};
use crate::take::Clip;

/// Fewer samples than this are no blend.
const FEWEST_SAMPLES: usize = 2;

/// A crossfade that fits into a clip and what the take has around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Crossfade {
    /// Samples over which it blends.
    samples: usize,
    /// Whether it blends before the end, into what precedes the start.
    before_end: bool,
}

impl Crossfade {
    /// The longest crossfade of at most `secs` that the clip and its context have room for; `None` where they have none.
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

    /// Seconds over which it blends.
    pub(super) fn secs(&self, clip: &Clip) -> f64 {
        self.samples as f64 * clip.step_secs()
    }

    /// Weight of the frames beyond the seam at a sample, and which sample of the clip's context they are.
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
        let u = come as f64 / self.samples as f64;
        let weight = u * u * u * (10.0 + u * (6.0 * u - 15.0));
        (weight > 0.0).then_some((weight, other))
    }

    /// Offsets of a joint at every sample that blends, the seam first and then away from it: added to its translation, and
    /// on the left of its rotation.
    ///
    /// At the seam the turn goes the short way, and away from it on that way, also where it grows beyond half a turn: part
    /// of a turn that changes sides is a jump.
    pub(super) fn offsets(&self, clip: &Clip, joint: usize) -> Vec<[DVec3; 2]> {
        let last = clip.num_intervals();
        let mut before = DVec3::ZERO;
        (0..=self.samples)
            .map(|away| if self.before_end { last - away } else { away })
            .map_while(|sample| Some((sample as isize, self.at(clip, sample)?)))
            .map(|(here, (weight, other))| {
                let aside = clip.translations(other)[joint] - clip.translations(here)[joint];
                let turn = on_the_way_of(
                    before,
                    pose_gap(clip.rotations(here)[joint], clip.rotations(other)[joint]),
                );
                before = turn;
                [weight * aside, weight * turn]
            })
            .collect()
    }

    /// Place in [`Self::offsets`] of a sample.
    pub(super) fn away(&self, clip: &Clip, sample: usize) -> usize {
        if self.before_end {
            clip.num_intervals() - sample
        } else {
            sample
        }
    }

    /// The motion at both ends after it: that of the end it blends into, on both sides.
    pub(super) fn faded(&self, ends: &JointEnds) -> JointEnds {
        let kept = usize::from(!self.before_end);
        JointEnds {
            translation: [ends.translation[kept]; 2],
            rotation: [ends.rotation[kept]; 2],
        }
    }
}

/// The rotation vector of the same rotation, of up to a turn either way, that is nearest to another one.
fn on_the_way_of(before: DVec3, turn: DVec3) -> DVec3 {
    let long_way = turn - TAU * turn.normalize_or_zero();
    if long_way.distance_squared(before) < turn.distance_squared(before) && before != DVec3::ZERO {
        long_way
    } else {
        turn
    }
}
