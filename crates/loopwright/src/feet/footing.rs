//! The position of a held foot's ankle at one sample: the heel rises where the knee cannot follow.
//!
//! A nearly straight leg cannot change its length without a leap of the knee. So the foot tilts about the held joint, and away
//! from its stance it may fall short of its goal. Derivation: docs/math/feet.md.

use glam::{DQuat, DVec3};

use super::{
    leg::{Bend, Leg},
    stage::Stage,
    stance::FootOffsets,
};
use crate::math::{kernel, ops, rotation};

/// Changes shorter than this on either side are noise, seconds.
const NOISE_SECS: f64 = 0.03;

/// Tilting a foot costs as much as bending the knee by this many times the angle.
const TILT: f64 = 3.0;

/// A foot tilts by no more than about this, radians.
const MOST_TILT: f64 = 0.4;

/// Far from a stance, falling short by the root of this costs as much as bending the knee by one radian, metres squared. Within
/// the time below, seconds, it costs more.
const SHORT: f64 = 0.005;
const SHORT_SECS: f64 = 0.1;

/// Compliance of a leg that cannot yield otherwise, metres squared.
const LEAST_GIVE: f64 = 1e-6;

/// Number of refinements of a tilt; each removes nearly all of the remaining error.
const TILT_ROUNDS: usize = 3;

/// The smallest lever of a tilt that absorbs noise, metres per radian.
const LEAST_LEVER: f64 = 0.03;

/// A foot and the offsets applied to it.
pub(super) struct PlantedFoot {
    pub(super) leg: Leg,
    /// The held joint; the ankle itself where the foot has no other joint.
    pub(super) lowest: usize,
    pub(super) offsets: FootOffsets,
    /// The offsets less their smoothed course: they undo the noise of the capture.
    rough: Vec<DVec3>,
}

impl PlantedFoot {
    pub(super) fn new(stage: &Stage<'_>, leg: Leg, lowest: usize, offsets: FootOffsets) -> Self {
        let smooth = kernel::smoothed_around(&offsets.offsets, stage.samples_in(NOISE_SECS));
        let rough = offsets.offsets.iter().zip(smooth);
        Self {
            leg,
            lowest,
            rough: rough.map(|(&all, smooth)| all - smooth).collect(),
            offsets,
        }
    }
}

/// The compliance of falling short of the goal, metres squared, by the time to the nearest stance; zero during a stance.
fn short_by(away_secs: f64) -> f64 {
    if away_secs == f64::INFINITY {
        return SHORT;
    }
    let near = away_secs * away_secs;
    SHORT * near / (near + SHORT_SECS * SHORT_SECS)
}

/// The position of the ankle at a sample, and the tilt of the foot about the held joint.
pub(super) struct Footing {
    pub(super) ankle: DVec3,
    pub(super) tilt: DQuat,
    /// From the thigh to the untilted ankle, without noise.
    pub(super) thigh_to_ankle: DVec3,
    pub(super) bend: Bend,
    /// The compliance of the heel relative to bending the knee by one radian, metres squared.
    pub(super) heel: f64,
}

impl Footing {
    /// The foot at a sample, with the hips raised by `rise`.
    pub(super) fn of(stage: &Stage<'_>, foot: &PlantedFoot, sample: usize, rise: f64) -> Self {
        let at = |joint: usize| stage.world.position(sample, joint);
        let (up, offset) = (stage.up(sample), foot.offsets.offsets[sample]);
        let thigh = at(foot.leg.thigh) + up * rise;
        let bend = foot.leg.bend(at, stage.rotation_above(sample, foot.leg.knee));
        let (ankle, held) = (at(foot.leg.ankle) + offset, at(foot.lowest) + offset);
        let thigh_to_ankle = ankle - foot.rough[sample] - thigh;
        let arm = ankle - held;
        // The heel rises about the axis across the foot. A foot that points straight down has no such axis.
        let axis = up.cross(-arm) / arm.length().max(f64::MIN_POSITIVE);
        let along = thigh_to_ankle.normalize_or_zero();
        let lever = along.dot(axis.cross(arm));
        let mut tilt = -along.dot(foot.rough[sample]) * lever / (lever * lever + LEAST_LEVER * LEAST_LEVER);
        let goal_at = |tilt: f64| held + rotation::exp(axis * tilt) * arm;
        let mut goal = goal_at(tilt);
        // Compliances of the heel and of falling short, at the same cost, metres squared.
        let (heel, short) = ((lever / TILT).powi(2), short_by(foot.offsets.away_secs[sample]));
        let give = heel + short + LEAST_GIVE;
        let wanted = (goal - thigh).length();
        let length = bend.eased(wanted, 1.0 / give);
        let tilted = wanted + (length - wanted) * (heel + LEAST_GIVE) / give;
        for _ in 0..TILT_ROUNDS {
            let thigh_to_ankle = goal - thigh;
            let lever = thigh_to_ankle.normalize_or_zero().dot(axis.cross(goal - held));
            tilt -= (thigh_to_ankle.length() - tilted) * lever / (lever * lever + LEAST_LEVER * LEAST_LEVER);
            goal = goal_at(tilt);
        }
        tilt /= ops::hypot(1.0, tilt / MOST_TILT);
        goal = goal_at(tilt);
        goal += (goal - thigh).normalize_or_zero() * ((length - wanted) * short / give);
        Self {
            ankle: goal,
            tilt: rotation::exp(axis * tilt),
            thigh_to_ankle,
            bend,
            heel,
        }
    }
}
