//! Words takes and their pools: as text, and as the block for a controller, TOML with one table for each mode that has figures.

use loopwright_controller::{FitSettings, HalfLives, ModePool, Pool, Quantity, Spread, TakeFit};
use loopwright_core::analysis::MotionKind;

use super::{DEGREES, FittedTake, MEANING, Outcome, Source, lack_in_words};
use crate::report::{
    figures::{counted, duration_secs},
    table::{in_columns, optional, or_dash, rate},
};

/// Words the answer: one take in detail, several as a table and by folder.
pub fn human(sources: &[Source], pool: &Pool, settings: &FitSettings, block: &str) -> String {
    let mut text = String::new();
    let outcomes: Vec<&Outcome> = sources.iter().flat_map(|source| &source.outcomes).collect();
    if let [Outcome::Take(take)] = outcomes[..] {
        text += &take_human(take, settings);
    } else {
        text += &many(&outcomes);
        for source in sources.iter().filter(|source| source.is_folder && sources.len() > 1) {
            text += &format!("\n{}\n{}", source.name, pooled(&super::pool([source])));
        }
        text += &format!("\nall takes\n{}", pooled(pool));
    }
    if pool.takes > 0 {
        text += &format!(
            "\nvelocity and facing are smoothed by {} s (standard deviation of the weights); {MEANING}\n",
            settings.smoothing_secs
        );
    }
    if pool.has_half_life() {
        text += &format!("\n{block}");
    }
    text
}

fn median(spread: Option<Spread>, scale: f64, decimals: usize) -> String {
    optional(spread.map(|spread| scale * spread.median), decimals)
}

/// Formats a median, with its quartiles if there is more than one value.
fn quartiles(spread: Option<Spread>, scale: f64, decimals: usize) -> String {
    match spread {
        Some(spread) if spread.count > 1 => format!(
            "{:.decimals$} ({:.decimals$}-{:.decimals$})",
            scale * spread.median,
            scale * spread.lower,
            scale * spread.upper
        ),
        other => median(other, scale, decimals),
    }
}

/// Returns the lines of one take.
fn take_human(take: &FittedTake, settings: &FitSettings) -> String {
    let facts = &take.facts;
    let mut text = format!(
        "{}: {} frames, {:.2} s at {} fps\n",
        facts.file,
        facts.frames,
        duration_secs(facts),
        rate(1.0 / facts.frame_time_secs)
    );
    let fit = match &take.fit {
        Ok(fit) => fit,
        Err(error) => {
            text += &format!("  {error}\n");
            return text;
        }
    };
    let rows = fit.figures.iter().map(|figures| {
        let mut row = vec![figures.mode.as_str().to_owned(), format!("{:.2}", figures.secs)];
        for (peak, scale, decimals) in [
            (figures.top_speed, 1.0, 3),
            (figures.acceleration, 1.0, 2),
            (figures.deceleration, 1.0, 2),
            (figures.turn_rate, DEGREES, 1),
        ] {
            row.push(optional(peak.map(|peak| scale * peak.value), decimals));
            row.push(optional(peak.map(|peak| peak.secs), 2));
        }
        row
    });
    text += "\nlargest figures: speed held for 0.5 s; acceleration and deceleration, m/s^2\n";
    text += &in_columns(
        "mode | seconds | top m/s | at s | accel | at s | decel | at s | turn deg/s | at s",
        rows,
    );
    if !fit.events.is_empty() {
        text += "\nchanges, and the half-life of each in two ways\n";
        text += &events(fit);
    }
    text.push('\n');
    text += &pooled(&Pool::new(&[fit]));
    for quantity in Quantity::ALL {
        if let Some(lack) = fit.lack(quantity) {
            text += &format!(
                "no half-life of the {quantity}: {}\n",
                lack_in_words(lack, quantity, settings)
            );
        }
    }
    text
}

fn events(fit: &TakeFit) -> String {
    let rows = fit.events.iter().map(|event| {
        let (what, scale, decimals) = match event.quantity {
            Quantity::Velocity => ("velocity m/s", 1.0, 2),
            Quantity::Facing => ("facing deg", DEGREES, 0),
        };
        let size = |value: glam::DVec3| match event.quantity {
            Quantity::Velocity => value.length(),
            Quantity::Facing => scale * value.y,
        };
        [
            format!("{:.2}", fit.profile.secs(event.peak_frame)),
            what.to_owned(),
            event.kind.to_string(),
            event.mode.as_str().to_owned(),
            format!("{:.decimals$}", size(event.from)),
            format!("{:.decimals$}", size(event.to)),
            format!("{:.decimals$}", scale * event.peak_rate),
            optional(event.closed_secs, 3),
            optional(event.fitted.map(|fitted| fitted.half_life_secs), 3),
            optional(event.fitted.and_then(|fitted| fitted.uncertainty_secs), 3),
            or_dash(event.fitted.map(|fitted| {
                let doubt = if event.trusted().is_none() { " not used" } else { "" };
                format!("{:.1}%{doubt}", 100.0 * fitted.error)
            })),
            optional(event.ramped.map(|ramped| ramped.half_life_secs), 3),
            optional(event.ramped.map(|ramped| ramped.ramp_secs), 2),
        ]
    });
    in_columns(
        "at s | what | kind | mode | from | to | peak | closed s | fitted s | ± s | error | ramped: h s | over s",
        rows,
    )
}

/// Returns a table of takes, one line each.
fn many(outcomes: &[&Outcome]) -> String {
    let rows = outcomes.iter().map(|outcome| {
        let (file, seconds, rest) = match outcome {
            Outcome::Unreadable { file, .. } => (file.clone(), None, vec!["cannot be read".to_owned()]),
            Outcome::Take(take) => {
                let secs = duration_secs(&take.facts);
                let rest = match &take.fit {
                    Err(_) => vec!["too short".to_owned()],
                    Ok(fit) => {
                        let all = Pool::new(&[fit]).all;
                        let modes: Vec<&str> = fit.figures.iter().map(|figures| figures.mode.as_str()).collect();
                        vec![
                            modes.join(" "),
                            median(all.top_speed, 1.0, 2),
                            median(all.acceleration, 1.0, 2),
                            median(all.deceleration, 1.0, 2),
                            all.velocity.events.to_string(),
                            optional(all.velocity.chosen_secs(), 3),
                            all.facing.events.to_string(),
                            optional(all.facing.chosen_secs(), 3),
                        ]
                    }
                };
                (take.facts.file.clone(), Some(secs), rest)
            }
        };
        let mut row = vec![file, optional(seconds, 2)];
        row.extend(rest);
        row.resize(10, "-".to_owned());
        row
    });
    in_columns(
        "take | seconds | modes | top m/s | accel | decel | changes | velocity h | turns | facing h",
        rows,
    )
}

/// Returns a table of half-lives by mode, with their spread.
fn pooled(pool: &Pool) -> String {
    let mut rows = Vec::new();
    for mode in pool.modes.iter().chain([&pool.all]) {
        let mut head = vec![
            mode.mode.map_or("all", MotionKind::as_str).to_owned(),
            mode.takes.to_string(),
            quartiles(mode.top_speed, 1.0, 2),
            quartiles(mode.acceleration, 1.0, 2),
            quartiles(mode.deceleration, 1.0, 2),
            quartiles(mode.turn_rate, DEGREES, 0),
        ];
        for (name, half_lives, maxima) in kinds(mode) {
            if half_lives.events == 0 && maxima.is_none() {
                continue;
            }
            let mut row = core::mem::replace(&mut head, vec![String::new(); 6]);
            row.extend([
                name.to_owned(),
                half_lives.events.to_string(),
                quartiles(half_lives.closed, 1.0, 3),
                quartiles(half_lives.fitted, 1.0, 3),
                optional(half_lives.uncertainty_secs, 3),
                median(half_lives.error, 100.0, 1) + "%",
                median(maxima, 1.0, 3),
            ]);
            rows.push(row);
        }
        if !head[0].is_empty() {
            head.resize(13, "-".to_owned());
            rows.push(head);
        }
    }
    let table = in_columns(
        "mode | takes | top m/s | accel | decel | turn deg/s | h of | changes | closed s | fitted s | ± s | error | from peaks s",
        rows,
    );
    format!(
        "half-lives: medians, quartiles in brackets; from peaks: from top speed and largest acceleration or deceleration;\n±: standard error\n{}",
        table.replace("-%", "-")
    )
}

/// Lists the kinds of half-lives of a mode, with the half-life from its maxima if there is one.
fn kinds(mode: &ModePool) -> [(&'static str, &HalfLives, Option<Spread>); 4] {
    [
        ("velocity", &mode.velocity, None),
        ("accelerating", &mode.speeding_up, mode.acceleration_closed),
        ("decelerating", &mode.slowing_down, mode.deceleration_closed),
        ("facing", &mode.facing, None),
    ]
}

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
