//! The block for a controller: TOML, with one table for each mode that has figures.

use loopwright_controller::{FitSettings, Pool};
use loopwright_core::analysis::MotionKind;

use super::{DEGREES, MEANING};
use crate::report::figures::counted;

/// Returns the TOML of `--toml`: figures for all modes together, and for each.
pub fn block(pool: &Pool, settings: &FitSettings) -> String {
    let mut text = format!(
        "# Written by `loopwright fit` from {}, smoothed by {} s. Metres, seconds, degrees.\n# {MEANING}.\n",
        counted(pool.takes, "take"),
        settings.smoothing_secs
    );
    for mode in core::iter::once(&pool.all).chain(&pool.modes) {
        let mut lines = String::new();
        if mode.mode.is_some() {
            for (key, spread, scale, what) in [
                ("max_speed", mode.top_speed, 1.0, "m/s, held for 0.5 s"),
                ("max_acceleration", mode.acceleration, 1.0, "m/s^2, smoothed"),
                ("max_deceleration", mode.deceleration, 1.0, "m/s^2, smoothed"),
                ("max_turn_rate", mode.turn_rate, DEGREES, "deg/s, smoothed"),
            ] {
                // While the body stands idle, these figures are only noise, so a controller has no use for them.
                if let Some(spread) = spread.filter(|_| mode.mode != Some(MotionKind::Idle)) {
                    lines += &format!("{key} = {:.3} # {what}\n", scale * spread.median);
                }
            }
        }
        for (key, half_lives) in [
            ("velocity_half_life", &mode.velocity),
            ("acceleration_half_life", &mode.speeding_up),
            ("deceleration_half_life", &mode.slowing_down),
            ("facing_half_life", &mode.facing),
        ] {
            if let Some(secs) = half_lives.chosen_secs() {
                let source = match half_lives.fitted {
                    Some(spread) if spread.count > 1 => {
                        format!(
                            "fitted to {} changes, quartiles {:.3} and {:.3}",
                            spread.count, spread.lower, spread.upper
                        )
                    }
                    Some(_) => "fitted to 1 change".to_owned(),
                    None => "by the peak alone: no spring comes near the whole change".to_owned(),
                };
                let error = |secs: Option<f64>| secs.map_or_else(String::new, |secs| format!(" ± {secs:.4}"));
                lines += &format!(
                    "{key} = {secs:.4} # s{}, {source}\n",
                    error(half_lives.uncertainty_secs)
                );
                if let Some(ramped) = half_lives.ramped {
                    let (secs, ramp) = (ramped.half_lives.median, ramped.secs.median);
                    let error = error(ramped.uncertainty_secs);
                    lines += &format!("# nearer still: {key} = {secs:.4}{error} with a goal that takes {ramp:.2} s\n");
                }
            }
        }
        if !lines.is_empty() {
            let table = mode
                .mode
                .map_or("controller".to_owned(), |mode| format!("controller.{}", mode.as_str()));
            text += &format!(
                "\n[{table}] # {:.1} s of {}\n{lines}",
                mode.secs,
                counted(mode.takes, "take")
            );
        }
    }
    text
}
