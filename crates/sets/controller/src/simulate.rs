//! A controller with the fitted half-lives, driven by the input inferred from the take.
//!
//! During an event the input jumps to the fitted goal at the fitted time. Between events it is the take's own value, advanced by
//! the lag of a spring behind steady change (2/y), so that only the response differs.

use glam::DVec3;
use loopwright_core::math::{Spring, decay_rate};

use super::event::Event;
use super::profile::{Profile, Signal};

/// Returns the controller's value over the frames of the take, smoothed like the take, so that both can be compared.
///
/// `events` are those of the signal; only trusted ones are used as steps.
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
            // If two events share quiet frames, the later one applies from its start.
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
