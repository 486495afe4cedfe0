//! Measurements of the controller fit: known springs, and what the real takes say.

use std::{fmt::Write, path::Path};

use loopwright::{
    analysis::{Analysis, body::BodyOverrides},
    controller_fit::{
        self, FitError, FitSettings, SMOOTHING_SECS, TakeFit,
        event::{Event, EventKind, Quantity},
        pool::{HalfLives, Pool, Spread},
    },
};
use loopwright_synth::{DriveSettings, drive};

use crate::{
    manifest::Row,
    road::{self, Studied},
};

/// The page as Markdown.
pub(crate) fn page(folder: &Path, rows: &[Row]) -> Result<String, String> {
    let studied = road::study(folder, rows.iter().filter(|row| !row.expect.is_empty()))?;
    let mut page = String::from(
        "# Controller fit, measured\n\n\
         Written by `cargo xtask measure fit`; nothing here is typed by hand. Real takes as named, sources and licences in\n\
         [ATTRIBUTION.md](../../ATTRIBUTION.md); the mathematics in [fit.md](../math/fit.md), how to read it in the\n\
         [guide](../guide/fit.md). Half-lives are the articles' parameter: 59.7% of a change is left after one.\n\n",
    );
    known_springs(&mut page)?;
    page.push_str(
        "\n![A synthetic take with the springs fitted to it](../images/fit.svg)\n\nOne of those bodies, with sway and noise.\n",
    );
    let fits = real_takes(&studied, &mut page)?;
    pools(&fits, &mut page);
    estimators(&fits, &mut page);
    smoothings(&studied, &mut page)?;
    Ok(page)
}

/// Seeds of each row of known springs.
const SEEDS: u64 = 6;

/// Pairs of half-lives that are driven, seconds: velocity, facing.
const DRIVEN: [[f64; 2]; 4] = [[0.15, 0.4], [0.3, 0.2], [0.4, 0.3], [0.6, 0.6]];

fn known_springs(page: &mut String) -> Result<(), String> {
    let _ = writeln!(
        page,
        "## Known springs\n\n\
         Bodies driven by springs of {} half-lives of velocity and facing through a start, a turn, a run, a turn about and a stop,\n\
         at 30, 60 and 120 frames per second; with noise or sway {SEEDS} seeds of each. Off: distance of the half-life of a single\n\
         change from the truth, median and worst; of a take: of the median over its changes.\n\n\
         | noise deg | sway cm | quantity | changes | closed form: median off | worst | of a take, worst | least squares: median off | worst | of a take, worst | not found |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        DRIVEN.len()
    );
    for (noise_deg, sway_metres) in [(0.0, 0.0), (0.2, 0.0), (0.5, 0.0), (0.2, 0.01), (0.2, 0.02)] {
        let mut off = [(); 2].map(|()| [(); 2].map(|()| (Vec::new(), Vec::new())));
        let mut asked = [0, 0];
        for [velocity_half_life_secs, facing_half_life_secs] in DRIVEN {
            for frame_rate_hz in [30.0, 60.0, 120.0] {
                let seeds = if noise_deg > 0.0 { SEEDS } else { 1 };
                for seed in 0..seeds {
                    let settings = DriveSettings {
                        seed,
                        frame_rate_hz,
                        velocity_half_life_secs,
                        facing_half_life_secs,
                        noise_deg,
                        sway_metres,
                        ..DriveSettings::default()
                    };
                    let take = drive(&settings).map_err(|error| error.to_string())?;
                    let analysis = Analysis::of(&take, &BodyOverrides::default()).map_err(|error| error.to_string())?;
                    let fit = controller_fit::fit(&take, &analysis, &FitSettings::default())
                        .map_err(|error| error.to_string())?;
                    let all = Pool::of(&[&fit]).all;
                    for (index, (quantity, half_lives, truth, events)) in [
                        (Quantity::Velocity, all.velocity, velocity_half_life_secs, 5),
                        (Quantity::Facing, all.facing, facing_half_life_secs, 2),
                    ]
                    .into_iter()
                    .enumerate()
                    {
                        asked[index] += events;
                        let away = |secs: f64| (secs / truth - 1.0).abs();
                        for event in fit.events_of(quantity) {
                            off[index][0].0.extend(event.closed_secs.map(away));
                            off[index][1]
                                .0
                                .extend(event.trusted().map(|fitted| away(fitted.half_life_secs)));
                        }
                        off[index][0]
                            .1
                            .extend(half_lives.closed.map(|spread| away(spread.median)));
                        off[index][1]
                            .1
                            .extend(half_lives.fitted.map(|spread| away(spread.median)));
                    }
                }
            }
        }
        for (index, name) in ["velocity", "facing"].into_iter().enumerate() {
            let mut cells = vec![
                format!("{noise_deg}"),
                format!("{:.0}", 100.0 * sway_metres),
                name.to_owned(),
                asked[index].to_string(),
            ];
            for (single, take) in &off[index] {
                let percent = |of: fn(&Spread) -> f64, values: &[f64]| {
                    let spread = Spread::of(values.iter().copied());
                    spread.map_or_else(|| "-".to_owned(), |spread| format!("{:.1}%", 100.0 * of(&spread)))
                };
                cells.push(percent(|spread| spread.median, single));
                cells.push(percent(|spread| spread.most, single));
                cells.push(percent(|spread| spread.most, take));
            }
            cells.push((asked[index] - off[index][1].0.len()).to_string());
            let _ = writeln!(page, "| {} |", cells.join(" | "));
        }
    }
    page.push_str(
        "\nThe closed form lies about 2% low even without noise: half a second after a change a spring still has 1 to 2% to go.\n",
    );
    Ok(())
}

/// Degrees in a radian.
const DEGREES: f64 = 180.0 / core::f64::consts::PI;

fn real_takes<'a>(studied: &'a [Studied<'_>], page: &mut String) -> Result<Vec<(&'a str, TakeFit)>, String> {
    let _ = writeln!(
        page,
        "\n## Real takes\n\n\
         Smoothed by {SMOOTHING_SECS} s. Top speed: held for 0.5 s. Changes: from one steady value to another; in brackets how many of\n\
         them a spring comes near enough to count. h: medians.\n\n\
         | take | s | modes | top m/s | accel m/s^2 | decel | turn deg/s | velocity changes | h closed s | h fitted s | error | turns | h closed s | h fitted s | error |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    let mut fits = Vec::new();
    for studied in studied {
        let take = &studied.take;
        let fit = match controller_fit::fit(take, &studied.analysis, &FitSettings::default()) {
            Ok(fit) => fit,
            Err(FitError::TooShort { found }) => {
                let _ = writeln!(
                    page,
                    "| {} | {found:.1} | too short{} |",
                    studied.row.file,
                    " | -".repeat(12)
                );
                continue;
            }
            Err(error) => return Err(format!("{}: {error}", studied.row.file)),
        };
        let all = Pool::of(&[&fit]).all;
        let modes: Vec<&str> = fit.figures.iter().map(|figures| figures.mode.as_str()).collect();
        let _ = writeln!(
            page,
            "| {} | {:.1} | {} | {} | {} | {} | {} | {} | {} |",
            studied.row.file,
            take.duration_secs(),
            modes.join(", "),
            median(all.top_speed, 1.0, 2),
            median(all.acceleration, 1.0, 2),
            median(all.deceleration, 1.0, 2),
            median(all.turn_rate, DEGREES, 0),
            half_life_cells(&all.velocity),
            half_life_cells(&all.facing),
        );
        fits.push((studied.row.file.as_str(), fit));
    }
    Ok(fits)
}

fn median(spread: Option<Spread>, scale: f64, decimals: usize) -> String {
    spread.map_or_else(
        || "-".to_owned(),
        |spread| format!("{:.decimals$}", scale * spread.median),
    )
}

fn quartiles(spread: Option<Spread>, scale: f64, decimals: usize) -> String {
    spread.map_or_else(
        || "-".to_owned(),
        |spread| {
            let [lower, median, upper] = [spread.lower, spread.median, spread.upper].map(|value| scale * value);
            format!("{median:.decimals$} ({lower:.decimals$}-{upper:.decimals$})")
        },
    )
}

/// Number, closed form, fit and error.
fn half_life_cells(half_lives: &HalfLives) -> String {
    format!(
        "{} ({}) | {} | {} | {}",
        half_lives.events,
        half_lives.fitted.map_or(0, |spread| spread.count),
        median(half_lives.closed, 1.0, 3),
        median(half_lives.fitted, 1.0, 3),
        half_lives
            .error
            .map_or_else(|| "-".to_owned(), |error| format!("{:.1}%", 100.0 * error.median))
    )
}

fn pools(fits: &[(&str, TakeFit)], page: &mut String) {
    page.push_str(
        "\n## By mode\n\n\
         All of those takes together: medians over takes or changes, quartiles in brackets.\n\n\
         | mode | takes | top m/s | accel m/s^2 | decel | turn deg/s | changes | h closed s | h fitted s | turns | h closed s | h fitted s |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let fits: Vec<&TakeFit> = fits.iter().map(|(_, fit)| fit).collect();
    let pool = Pool::of(&fits);
    for mode in pool.modes.iter().chain([&pool.all]) {
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            mode.mode.map_or("all", |mode| mode.as_str()),
            mode.takes,
            quartiles(mode.top_speed, 1.0, 2),
            quartiles(mode.acceleration, 1.0, 2),
            quartiles(mode.deceleration, 1.0, 2),
            quartiles(mode.turn_rate, DEGREES, 0),
            mode.velocity.events,
            quartiles(mode.velocity.closed, 1.0, 3),
            quartiles(mode.velocity.fitted, 1.0, 3),
            mode.facing.events,
            quartiles(mode.facing.closed, 1.0, 3),
            quartiles(mode.facing.fitted, 1.0, 3),
        );
    }
}

/// The two ways to tell a half-life, against each other.
fn estimators(fits: &[(&str, TakeFit)], page: &mut String) {
    page.push_str(
        "\n## The two estimators\n\n\
         Over those changes of the real takes of which both estimators tell a half-life: closed form over least squares, medians\n\
         with quartiles, and the share of changes in which they lie within 25% of each other. On a spring both are the same.\n\n\
         | change | changes | both told | closed over fitted | within 25% | error of the fit | asked before the peak, s |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    type Kind = fn(&Event) -> bool;
    let kinds: [(&str, Kind); 5] = [
        ("start", |event| event.kind == EventKind::Start),
        ("stop", |event| event.kind == EventKind::Stop),
        ("faster or slower", |event| {
            matches!(event.kind, EventKind::Faster | EventKind::Slower)
        }),
        ("turn of the velocity", |event| {
            event.quantity == Quantity::Velocity && event.kind == EventKind::Turn
        }),
        ("turn of the facing", |event| event.quantity == Quantity::Facing),
    ];
    for (name, is_meant) in kinds {
        let events: Vec<(&TakeFit, &Event)> = fits
            .iter()
            .flat_map(|(_, fit)| fit.events.iter().map(move |event| (fit, event)))
            .filter(|(_, event)| is_meant(event))
            .collect();
        let both: Vec<f64> = events
            .iter()
            .filter_map(|(_, event)| Some(event.closed_secs? / event.trusted()?.half_life_secs))
            .collect();
        let near = both.iter().filter(|ratio| (0.8..=1.25).contains(*ratio)).count();
        let share = match both.len() {
            0 => "-".to_owned(),
            count => format!("{:.0}%", 100.0 * near as f64 / count as f64),
        };
        let trusted = || {
            events
                .iter()
                .filter_map(|(fit, event)| Some((fit, event, event.trusted()?)))
        };
        let _ = writeln!(
            page,
            "| {name} | {} | {} | {} | {} | {} | {} |",
            events.len(),
            both.len(),
            quartiles(Spread::of(both.iter().copied()), 1.0, 2),
            share,
            Spread::of(trusted().map(|(_, _, fitted)| fitted.error))
                .map_or_else(|| "-".to_owned(), |error| format!("{:.1}%", 100.0 * error.median)),
            quartiles(
                Spread::of(
                    trusted().map(|(fit, event, fitted)| fit.profile.secs(event.peak_frame) - fitted.start_secs)
                ),
                1.0,
                2
            ),
        );
    }
    page.push_str(
        "\nWhere they differ the change is not a spring's. A stop ends in one braking step, whose peak is sharper than that of the\n\
         spring nearest to the whole, so the closed form is the shorter one. A turn about brakes and sets out again: two pushes, of\n\
         which the peak sees one and the fit both. Facing turns much as springs do, and both tell the same.\n",
    );
}

/// How much the answer hangs on the smoothing.
fn smoothings(studied: &[Studied<'_>], page: &mut String) -> Result<(), String> {
    page.push_str(
        "\n## What the smoothing does\n\n\
         The same takes under other smoothings: medians over takes or changes, quartiles in brackets.\n\n\
         | smoothing s | accel m/s^2 | decel | velocity changes | h closed s | h fitted s | turns | h closed s | h fitted s |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for smoothing_secs in [0.05, 0.1, SMOOTHING_SECS, 0.3] {
        let settings = FitSettings {
            smoothing_secs,
            ..FitSettings::default()
        };
        let mut fits = Vec::new();
        for studied in studied {
            match controller_fit::fit(&studied.take, &studied.analysis, &settings) {
                Ok(fit) => fits.push(fit),
                Err(FitError::TooShort { .. }) => {}
                Err(error) => return Err(format!("{}: {error}", studied.row.file)),
            }
        }
        let all = Pool::of(&fits.iter().collect::<Vec<_>>()).all;
        let _ = writeln!(
            page,
            "| {smoothing_secs} | {} | {} | {} | {} | {} | {} | {} | {} |",
            quartiles(all.acceleration, 1.0, 2),
            quartiles(all.deceleration, 1.0, 2),
            all.velocity.events,
            quartiles(all.velocity.closed, 1.0, 3),
            quartiles(all.velocity.fitted, 1.0, 3),
            all.facing.events,
            quartiles(all.facing.closed, 1.0, 3),
            quartiles(all.facing.fitted, 1.0, 3),
        );
    }
    page.push_str(
        "\nThe facing's half-life hardly asks for the smoothing. The velocity's does: bodies set out and brake in pushes, one a step,\n\
         and the more is averaged the more of them are one change. It goes with the smoothing under which it was told.\n",
    );
    Ok(())
}
