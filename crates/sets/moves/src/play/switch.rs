//! How the difference that a switch leaves fades: in players of sets, and where a set chooses the fades of its actions.
//!
//! The body keeps the difference to what was seen, joint by joint; the root goes on from where it is, and keeps the difference of its rates.
//! Formulas: docs/formats/set.md.

use core::f64::consts::{FRAC_PI_2, TAU};

use glam::DVec3;
use loopwright_core::math::{Decay, Rigid, Twist};

/// The time of a fade for which a manifest states none, and of the rates in those of actions, seconds.
pub const FADE_SECS: f64 = 0.3;

/// Subtracts a whole turn from a gap that is then nearer to another one: near half a turn both directions are equally short.
/// Translations never differ that much from one sample to the next.
pub fn near_turn(gap: DVec3, other: DVec3) -> DVec3 {
    let length = gap.length();
    if length < FRAC_PI_2 {
        return gap;
    }
    let other_side = gap * (1.0 - TAU / length);
    if other_side.distance(other) < gap.distance(other) {
        other_side
    } else {
        gap
    }
}

/// Returns the seconds after which nothing of a fade is left.
pub fn end_secs(fade: Decay) -> f64 {
    match fade {
        Decay::Spring { half_life_secs } => 20.0 * half_life_secs,
        Decay::Cubic { blend_secs } | Decay::Quintic { blend_secs } => blend_secs,
    }
}

/// Returns the fade of rates: limbs would swing on through one of an action, however long the poses take.
pub fn of_rates(fade: Decay) -> Decay {
    match fade {
        Decay::Cubic { blend_secs } => Decay::Cubic {
            blend_secs: blend_secs.min(FADE_SECS),
        },
        other => other,
    }
}

/// Returns by what the value, the rate and the acceleration of a difference are multiplied some seconds after a switch.
pub fn left(fade: Decay, secs: f64) -> [f64; 3] {
    let fading = fade.at(secs);
    let acceleration = fading.acceleration.map_or(0.0, |jet| jet.value);
    [
        fading.position.value,
        of_rates(fade).at(secs).velocity.value,
        acceleration,
    ]
}

/// Returns half of the root motion that a fading difference of rates adds from one time after a switch to another. Half comes before the
/// root's own step and half after it, so that frame rates agree.
pub fn half_step(rates: Twist, fade: Decay, times: [f64; 2]) -> Rigid {
    let fade = of_rates(fade);
    let [from, to] = times.map(|secs| secs.min(end_secs(fade)));
    let [first, middle, last] = [from, 0.5 * (from + to), to].map(|secs| fade.at(secs).position.value);
    // Simpson's rule.
    let area = (to - from) / 6.0 * (first + 4.0 * middle + last);
    rates.exp(0.5 * area)
}
