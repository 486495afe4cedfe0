//! A controller with the fitted half-lives, driven by what the take itself asks for.
//!
//! Over an event the value asked for jumps to the fitted one when the fit says so. In between it is the take's own, ahead of
//! it by as much as a spring falls behind steady change (2/y), so that what differs is how it answers and not what it is asked.

use super::{
    event::Event,
    profile::{Profile, Signal},
    spring::Spring,
};
use crate::math::decay::decay_rate;
use glam::DVec3;

/// The controller's value over the frames of the take, smoothed as the take is, so that both can be held side by side.
///
/// `events` are those of the signal; only trusted ones are steps.
pub(super) fn simulate(
    profile: &Profile,
    signal: &Signal,
    events: &[&Event],
    half_life_secs: f64,
    smoothing_secs: f64,
) -> Signal {
    let dt = profile.frame_time_secs;
    let lead = 2.0 / decay_rate(half_life_secs);
    let mut raw = signal.values.clone();
    for run in &profile.runs {
        let (mut value, mut rate) = (signal.values[run.start], signal.rates[run.start]);
        for frame in run.start..run.end - 1 {
            raw[frame] = value;
            let current = events.iter().filter(|event| event.frames.contains(&frame));
            // Of two events that share their quiet the later one rules once it has begun.
            let fitted = current
                .filter_map(|event| event.trusted())
                .fold(None, |ruling, fitted| match ruling {
                    Some(_) if fitted.start_secs > profile.secs(frame + 1) => ruling,
                    _ => Some(fitted),
                });
            let steps = match fitted {
                Some(fitted) => {
                    let ahead = ((fitted.start_secs - profile.secs(frame)) / dt).clamp(0.0, 1.0);
                    [(fitted.from, ahead * dt), (fitted.to, (1.0 - ahead) * dt)]
                }
                None => [
                    (signal.values[frame] + signal.rates[frame] * lead, dt),
                    (DVec3::ZERO, 0.0),
                ],
            };
            for (goal, secs) in steps {
                if secs > 0.0 {
                    (value, rate) = stepped(value, rate, goal, half_life_secs, secs);
                }
            }
        }
        raw[run.end - 1] = value;
    }
    Signal {
        deviation_secs: signal.deviation_secs,
        ..Signal::smoothed(&raw, &profile.runs, dt, smoothing_secs)
    }
}

fn stepped(value: DVec3, rate: DVec3, goal: DVec3, half_life_secs: f64, secs: f64) -> (DVec3, DVec3) {
    let states: [_; 3] = core::array::from_fn(|axis| {
        Spring {
            value: value[axis],
            rate: rate[axis],
            goal: goal[axis],
            half_life_secs,
        }
        .at(secs)
    });
    (
        DVec3::from_array(states.map(|state| state.value)),
        DVec3::from_array(states.map(|state| state.rate)),
    )
}
