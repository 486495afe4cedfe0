//! Moves the hips so that held feet can be reached.
//!
//! A straight leg cannot change its length without a leap of the knee, so the hips yield. At every sample a least-squares balance
//! of knee and hip motion gives their height, which is then smoothed. Where a foot is still out of reach, the hips sink by the
//! smallest sufficient amount. Derivation: docs/math/feet.md.

use super::{
    footing::{Footing, PlantedFoot},
    stage::Stage,
};
use crate::math::kernel;

/// The hips' motion is smoothed over this long on either side, seconds, so that they sway and do not jerk.
const FOLLOW_SECS: f64 = 0.1;

/// Rounds of smoothing; each works on the remainder of the last. More rounds change next to nothing.
const ROUNDS: usize = 3;

/// Moving the hips by this much, metres, costs as much as bending a knee by one radian.
const KNEE_METRES: f64 = 0.03;

/// The least shortening of a leg that counts, metres per radian: that of a knee bent by a degree or two.
const LEAST_SHORTENING: f64 = 0.005;

/// The hips sink by no more than this, metres. A leg that needs more points at its goal without reaching it.
const MOST_SUNK_METRES: f64 = 0.1;

/// Lengths below this are rounding errors, metres.
const ROUNDING_METRES: f64 = 1e-9;

/// How far the hips rise at every sample, metres; mostly negative, since they sink.
pub(super) fn rise(stage: &Stage<'_>, feet: &[PlantedFoot]) -> Vec<f64> {
    let count = stage.clip.num_samples();
    let reach = stage.samples_in(FOLLOW_SECS);
    let mut rise = vec![0.0; count];
    for _ in 0..ROUNDS {
        let wanted: Vec<f64> = (0..count)
            .map(|sample| wanted_rise(stage, feet, sample, rise[sample]))
            .collect();
        for (rise, more) in rise.iter_mut().zip(kernel::smoothed_around(&wanted, reach)) {
            *rise += more;
        }
    }
    let need: Vec<f64> = (0..count)
        .map(|sample| needed_sinking(stage, feet, sample, rise[sample]))
        .collect();
    if need.iter().any(|&need| need > 0.0) {
        for (rise, sunk) in rise.iter_mut().zip(kernel::envelope_around(&need, reach)) {
            *rise -= sunk;
        }
    }
    rise
}

/// How much further than `rise` the hips should rise at a sample.
fn wanted_rise(stage: &Stage<'_>, feet: &[PlantedFoot], sample: usize, rise: f64) -> f64 {
    let up = stage.up(sample);
    let stiffness = KNEE_METRES.powi(-2);
    let (mut pull, mut total) = (stiffness * rise, stiffness);
    for foot in feet {
        let Footing {
            thigh_to_ankle,
            bend,
            heel,
            ..
        } = Footing::of(stage, foot, sample, rise);
        let drop = -thigh_to_ankle.normalize_or_zero().dot(up);
        // The leg uses the easier of knee and heel.
        let give = bend.shortening().powi(2) + heel + LEAST_SHORTENING * LEAST_SHORTENING;
        pull += drop * (thigh_to_ankle.length() - bend.length()) / give;
        total += drop * drop / give;
    }
    -pull / total
}

/// How far the hips must sink from `rise` so that all legs reach.
fn needed_sinking(stage: &Stage<'_>, feet: &[PlantedFoot], sample: usize, rise: f64) -> f64 {
    let up = stage.up(sample);
    let of_foot = |foot: &PlantedFoot| {
        // Between stances a foot may fall short.
        if foot.offsets.away_secs[sample] > 0.0 {
            return 0.0;
        }
        let footing = Footing::of(stage, foot, sample, rise);
        let thigh_to_ankle = footing.ankle - stage.world.position(sample, foot.leg.thigh) - up * rise;
        let drop = -thigh_to_ankle.dot(up);
        let level = (thigh_to_ankle + up * drop).length();
        let longest = footing.bend.longest();
        (drop - (longest * longest - level * level).max(0.0).sqrt()).max(0.0)
    };
    let need = feet.iter().map(of_foot).fold(0.0, f64::max).min(MOST_SUNK_METRES);
    // Ignore rounding errors.
    if need < ROUNDING_METRES { 0.0 } else { need }
}
