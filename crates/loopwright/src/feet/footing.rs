//! Where a held foot comes to rest at one sample: its heel gives way where the knee cannot.
//!
//! A nearly straight leg cannot come nearer or reach further without its knee leaping, so the foot tilts about the joint that is
//! held, and far from where it is held it may fall short. Derivation: docs/math/feet.md.

use glam::{DQuat, DVec3};

use super::{
    leg::{Bend, Leg},
    stage::Stage,
    stance::FootOffsets,
};
use crate::math::{kernel, ops, rotation};

/// What changes within this long on either side is noise, seconds.
const NOISE_SECS: f64 = 0.03;

/// A foot that tilts weighs as much as a knee that bends this many times further.
const TILT: f64 = 3.0;

/// A foot tilts by no more than about this, radians.
const MOST_TILT: f64 = 0.4;

/// Falling short by the root of this, far from where a foot is held, weighs as much as a knee that bends a radian further,
/// metres squared; and the time within which it weighs more, seconds.
const SHORT: f64 = 0.005;
const SHORT_SECS: f64 = 0.1;

/// What a leg that has nothing else gives way by, metres squared.
const LEAST_GIVE: f64 = 1e-6;

/// Times that a tilt is refined; each takes up nearly all that is left.
const TILT_ROUNDS: usize = 3;

/// The least reach of a tilt that takes up noise, metres per radian.
const LEAST_LEVER: f64 = 0.03;

/// A foot and what is done to it.
pub(super) struct PlantedFoot {
    pub(super) leg: Leg,
    /// The joint that is held; the ankle itself where the foot has no other.
    pub(super) lowest: usize,
    pub(super) offsets: FootOffsets,
    /// What the offsets do from one sample to the next, beyond what they do over a few: the noise of the capture, undone.
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

/// By how much a foot gives way by falling short of where it is wanted, metres squared, by the time to where it is held: there it
/// must not.
fn short_by(away_secs: f64) -> f64 {
    if away_secs == f64::INFINITY {
        return SHORT;
    }
    let near = away_secs * away_secs;
    SHORT * near / (near + SHORT_SECS * SHORT_SECS)
}

/// Where the ankle of a foot goes at a sample, and by how much the foot tilts about the joint that is held.
pub(super) struct Footing {
    pub(super) ankle: DVec3,
    pub(super) tilt: DQuat,
    /// From the thigh to the ankle if nothing tilted, noise apart.
    pub(super) way: DVec3,
    pub(super) bend: Bend,
    /// What the heel gives way by, for the price of a knee that bends a radian further, metres squared.
    pub(super) heel: f64,
}

impl Footing {
    /// The foot at a sample, with the hips risen by `rise`.
    pub(super) fn of(stage: &Stage<'_>, foot: &PlantedFoot, sample: usize, rise: f64) -> Self {
        let at = |joint: usize| stage.world.position(sample, joint);
        let (up, offset) = (stage.up(sample), foot.offsets.offsets[sample]);
        let thigh = at(foot.leg.thigh) + up * rise;
        let bend = foot.leg.bend(at, stage.rotation_above(sample, foot.leg.knee));
        let (ankle, held) = (at(foot.leg.ankle) + offset, at(foot.lowest) + offset);
        let way = ankle - foot.rough[sample] - thigh;
        let arm = ankle - held;
        // The heel rises about the axis across the foot; of a foot that points down it has nowhere to rise to.
        let axis = up.cross(-arm) / arm.length().max(f64::MIN_POSITIVE);
        let along = way.normalize_or_zero();
        let lever = along.dot(axis.cross(arm));
        let mut tilt = -along.dot(foot.rough[sample]) * lever / (lever * lever + LEAST_LEVER * LEAST_LEVER);
        let goal_at = |tilt: f64| held + rotation::exp(axis * tilt) * arm;
        let mut goal = goal_at(tilt);
        // What the heel and falling short give way by, each for the same price, metres squared.
        let (heel, short) = ((lever / TILT).powi(2), short_by(foot.offsets.away_secs[sample]));
        let give = heel + short + LEAST_GIVE;
        let wanted = (goal - thigh).length();
        let length = bend.eased(wanted, 1.0 / give);
        let tilted = wanted + (length - wanted) * (heel + LEAST_GIVE) / give;
        for _ in 0..TILT_ROUNDS {
            let way = goal - thigh;
            let lever = way.normalize_or_zero().dot(axis.cross(goal - held));
            tilt -= (way.length() - tilted) * lever / (lever * lever + LEAST_LEVER * LEAST_LEVER);
            goal = goal_at(tilt);
        }
        tilt /= ops::hypot(1.0, tilt / MOST_TILT);
        goal = goal_at(tilt);
        goal += (goal - thigh).normalize_or_zero() * ((length - wanted) * short / give);
        Self {
            ankle: goal,
            tilt: rotation::exp(axis * tilt),
            way,
            bend,
            heel,
        }
    }
}
