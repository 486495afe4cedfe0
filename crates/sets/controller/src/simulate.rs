//! A controller with the fitted half-lives, driven by the input inferred from the take.
//!
//! During an event the input jumps to the fitted goal at the fitted time. Between events it is the take's own value, advanced by
//! the lag of a spring behind steady change (2/y), so that only the response differs.

use glam::DVec3;
use loopwright_core::math::{Spring, decay_rate};

use super::{
    TakeFit,
    event::{Event, Quantity},
    profile::Signal,
};

/// Returns the value of a quantity over the frames of the take, driven by a controller with a half-life, if there is one, and smoothed like
/// the take, so that both can be compared. Only trusted events are used as steps.
pub(super) fn simulate(fit: &TakeFit, quantity: Quantity, half_life_secs: Option<f64>) -> Option<Signal> {
    let half_life_secs = half_life_secs?;
    let (profile, signal) = (&fit.profile, quantity.signal(&fit.profile));
    let dt = profile.frame_time_secs;
    let lead = 2.0 / decay_rate(half_life_secs);
    let mut raw = signal.values.clone();
    for run in &profile.runs {
        let (mut value, mut rate) = (signal.values[run.start], signal.rates[run.start]);
        for frame in run.start..run.end - 1 {
            raw[frame] = value;
            let current = fit.events_of(quantity).filter(|event| event.frames.contains(&frame));
            // If two events share quiet frames, the later one applies from its start.
            let fitted = current
                .filter_map(Event::trusted)
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
    Some(Signal {
        deviation_secs: signal.deviation_secs,
        ..Signal::smoothed(&raw, &profile.runs, dt, fit.settings.smoothing_secs)
    })
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
