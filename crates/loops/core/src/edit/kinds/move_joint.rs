//! Move: an offset of a joint at one time, which fades as a bump, periodically.

use super::{
    super::{
        error::EditError,
        joint_offset::{JointOffset, ROUNDING},
    },
    Edit, EditDescriptor, EditKey, EditParameter, EditValues, EditedJoints, offset_joint, only,
};
use crate::{closure::Image, loop_clip::LoopClip, unit::Unit};

/// A time in a loop, taken periodically beyond its ends.
#[handed_over(Copy)]
pub enum Moment {
    /// Seconds since its start.
    Secs(f64),
    /// Share of its period since its start.
    Phase(f64),
}

impl Moment {
    fn secs(self, clip: &LoopClip) -> f64 {
        match self {
            Self::Secs(secs) => secs,
            Self::Phase(phase) => phase * clip.period_secs(),
        }
    }
}

/// Offsets a joint at one time, less before and after it.
#[handed_over]
pub struct Move {
    /// The joint.
    pub joint: usize,
    /// When the whole offset applies.
    pub at: Moment,
    /// Duration of the change, seconds; `None` for half a second, or the period of shorter loops.
    pub width_secs: Option<f64>,
    /// The largest offset.
    pub offset: JointOffset,
}

pub(super) const DESCRIPTOR: EditDescriptor = EditDescriptor {
    name: "move",
    title: "joint at a time",
    joints: EditedJoints::One,
    parameters: &[
        EditParameter::number(EditKey::Time, "Time", Unit::Secs, 0.005, DEFAULT_WIDTH_SECS),
        EditParameter::number(EditKey::Phase, "Phase", Unit::Number, 0.002, 0.0),
        EditParameter::number(EditKey::Width, "Width", Unit::Secs, 0.005, DEFAULT_WIDTH_SECS),
        EditParameter::ROTATION,
        EditParameter::POSITION,
    ],
    new: |joints, values| {
        Move {
            joint: only(joints),
            at: values.number(EditKey::Time).map_or(
                Moment::Phase(values.number(EditKey::Phase).unwrap_or(0.0)),
                Moment::Secs,
            ),
            width_secs: values.number(EditKey::Width),
            offset: values.offset(),
        }
        .into()
    },
};

/// How long a move lasts by default, seconds: half of it rises, half falls.
const DEFAULT_WIDTH_SECS: f64 = 0.5;

/// Fewest samples that it lasts: fewer would be a spike between two samples.
const FEWEST_SAMPLES: usize = 6;

impl Move {
    /// The shortest and the longest width in a loop, seconds.
    fn widths(clip: &LoopClip) -> [f64; 2] {
        [
            FEWEST_SAMPLES.min(clip.num_samples()) as f64 * clip.step_secs(),
            clip.period_secs(),
        ]
    }

    /// Returns its duration in a loop, seconds.
    fn width_secs(&self, clip: &LoopClip) -> f64 {
        let [least, most] = Self::widths(clip);
        self.width_secs.unwrap_or(DEFAULT_WIDTH_SECS.clamp(least, most))
    }

    fn check(&self, clip: &LoopClip) -> Result<(), EditError> {
        self.offset.check()?;
        let middle = self.at.secs(clip);
        if !middle.is_finite() {
            return Err(EditError::Moment { found: middle });
        }
        let ([least, most], found) = (Self::widths(clip), self.width_secs(clip));
        if !(least..=most * ROUNDING).contains(&found) {
            return Err(EditError::Width { found, least, most });
        }
        Ok(())
    }
}

impl Edit for Move {
    fn joints(&self) -> &[usize] {
        core::slice::from_ref(&self.joint)
    }

    fn edited(&self, clip: LoopClip, mirror: Option<&Image>) -> Result<LoopClip, EditError> {
        self.check(&clip)?;
        let Self { joint, at, offset, .. } = *self;
        let (middle, period, step) = (at.secs(&clip), clip.period_secs(), clip.step_secs());
        let reach = 0.5 * self.width_secs(&clip);
        let share = |middle: f64, sample: usize| bump(signed_gap(middle, sample as f64 * step, period), reach);
        let own = |sample: usize| offset * share(middle, sample);
        let Some(mirror) = mirror else {
            return Ok(offset_joint(clip, joint, own));
        };
        let (partner, image) = (mirror.partner(joint), offset.image(mirror, joint));
        let mirrored = |sample: usize| image * share(middle + 0.5 * period, sample);
        if partner == joint {
            return Ok(offset_joint(clip, joint, |sample| own(sample) + mirrored(sample)));
        }
        Ok(offset_joint(offset_joint(clip, joint, own), partner, mirrored))
    }

    fn values(&self, clip: &LoopClip) -> EditValues {
        EditValues::from(self.offset)
            .with(EditKey::Time, self.at.secs(clip))
            .with(EditKey::Width, self.width_secs(clip))
    }
}

/// Returns the share of an offset at a distance from its middle, both in the same unit: (1 - x^2)^3 with x = distance / reach, 0
/// beyond.
///
/// Value, slope and curvature are 0 at the reach, so that an offset track stays twice continuously differentiable.
pub fn bump(distance: f64, reach: f64) -> f64 {
    let x = distance / reach;
    let below = 1.0 - x * x;
    if below > 0.0 { below * below * below } else { 0.0 }
}

/// Returns the signed difference between two times, the short way round a period: more than minus half of it, at most half of it.
fn signed_gap(from: f64, to: f64, period: f64) -> f64 {
    let ahead = (to - from).rem_euclid(period);
    if ahead > 0.5 * period { ahead - period } else { ahead }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bump_meets_zero_with_slope_and_curvature() {
        assert_eq!(bump(0.0, 0.3), 1.0);
        // (1 - 1/4)^3.
        assert_eq!(bump(0.15, 0.3), 27.0 / 64.0);
        assert_eq!([bump(0.3, 0.3), bump(-0.3, 0.3), bump(7.0, 0.3)], [0.0; 3]);
        // Near its end it is (2 h)^3 for a distance of 1 - h: all three derivatives below the third vanish.
        for h in [1e-2, 1e-3, 1e-4] {
            assert!((bump(1.0 - h, 1.0) - 8.0 * h * h * h).abs() < 13.0 * h * h * h * h);
        }
    }

    #[test]
    fn distances_go_the_short_way_round() {
        assert_eq!(signed_gap(0.9, 0.1, 1.0), 0.1 - 0.9 + 1.0);
        assert!((signed_gap(0.1, 0.9, 1.0) + 0.2).abs() < 1e-15);
        assert_eq!(signed_gap(0.25, 0.75, 1.0), 0.5);
        assert_eq!(signed_gap(0.25, 5.25, 1.0), 0.0);
    }
}
