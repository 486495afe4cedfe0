//! The controller fit on known springs and on real takes.

use loopwright_controller::{
    Event, EventKind, FitError, FitSettings, HalfLives, ModePool, Pool, Quantity, SMOOTHING_SECS, Spread, TakeFit,
};
use loopwright_synth::{DriveSettings, drive};

use crate::{
    page::Sections,
    table::{Table, cell},
    takes::{Captured, Studied},
};

pub(crate) fn measure(captured: &Captured) -> Result<Sections, String> {
    let studied = captured.judged()?;
    let mut sections = Sections::default();
    sections.add("known-springs", known_springs()?);
    let (table, fits) = real_takes(&studied)?;
    sections.add("real-takes", table);
    sections.add("by-mode", by_mode(&fits));
    sections.add("estimators", estimators(&fits));
    sections.add("smoothings", smoothings(&studied)?);
    Ok(sections)
}

/// Number of seeds for each row of known springs.
const SEEDS: u64 = 6;

/// Half-lives of the known springs, seconds: velocity, facing.
const DRIVEN: [[f64; 2]; 4] = [[0.15, 0.4], [0.3, 0.2], [0.4, 0.3], [0.6, 0.6]];

fn known_springs() -> Result<Table, String> {
    let mut table = Table::new(
        "noise deg | sway cm | quantity | changes | closed form: median off | worst | of a take, worst | \
         least squares: median off | worst | of a take, worst | not found",
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
                    let driven = Studied::of("a driven body", take)?;
                    let fit = fit(&driven, &FitSettings::default())?;
                    let fit = fit.ok_or_else(|| driven.failed("it is too short"))?;
                    let all = Pool::new(&[&fit]).all;
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
                let [single, take] = [single, take].map(|values| Spread::new(values.iter().copied()));
                cells.push(percent(single, |spread| spread.median));
                cells.push(percent(single, |spread| spread.most));
                cells.push(percent(take, |spread| spread.most));
            }
            cells.push((asked[index] - off[index][1].0.len()).to_string());
            table.row(cells.join(" | "));
        }
    }
    Ok(table)
}

/// Degrees in a radian.
const DEGREES: f64 = 180.0 / core::f64::consts::PI;

/// The fit of a take; `None` if the take is too short.
fn fit(studied: &Studied, settings: &FitSettings) -> Result<Option<TakeFit>, String> {
    match loopwright_controller::fit(&studied.analysis, settings) {
        Ok(fit) => Ok(Some(fit)),
        Err(FitError::TooShort { .. }) => Ok(None),
        Err(error) => Err(studied.failed(error)),
    }
}

fn real_takes(studied: &[Studied]) -> Result<(Table, Vec<TakeFit>), String> {
    let mut table = Table::new(
        "take | s | modes | top m/s | accel m/s^2 | decel | turn deg/s | velocity changes | h closed s | h fitted s | \
         error | turns | h closed s | h fitted s | error",
    );
    let mut fits = Vec::new();
    for studied in studied {
        let (file, secs) = (&studied.file, studied.take.duration_secs());
        let Some(fit) = fit(studied, &FitSettings::default())? else {
            table.row(format_args!("{file} | {secs:.1} | too short{}", " | -".repeat(12)));
            continue;
        };
        let all = Pool::new(&[&fit]).all;
        let modes: Vec<&str> = fit.figures.iter().map(|figures| figures.mode.as_str()).collect();
        table.row(format_args!(
            "{file} | {secs:.1} | {} | {} | {} | {} | {} | {} | {}",
            modes.join(", "),
            median(all.top_speed, 1.0, 2),
            median(all.acceleration, 1.0, 2),
            median(all.deceleration, 1.0, 2),
            median(all.turn_rate, DEGREES, 0),
            half_life_cells(&all.velocity),
            half_life_cells(&all.facing),
        ));
        fits.push(fit);
    }
    Ok((table, fits))
}

fn median(spread: Option<Spread>, scale: f64, decimals: usize) -> String {
    cell(spread.map(|spread| scale * spread.median), decimals)
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

/// One value of a spread, in percent.
fn percent(spread: Option<Spread>, of: fn(&Spread) -> f64) -> String {
    spread.map_or_else(|| "-".to_owned(), |spread| format!("{:.1}%", 100.0 * of(&spread)))
}

/// Number, closed form, fit and error.
fn half_life_cells(half_lives: &HalfLives) -> String {
    format!(
        "{} ({}) | {} | {} | {}",
        half_lives.events,
        half_lives.fitted.map_or(0, |spread| spread.count),
        median(half_lives.closed, 1.0, 3),
        median(half_lives.fitted, 1.0, 3),
        percent(half_lives.error, |error| error.median)
    )
}

fn by_mode(fits: &[TakeFit]) -> Table {
    let mut table = Table::new(
        "mode | takes | top m/s | accel m/s^2 | decel | turn deg/s | changes | h closed s | h fitted s | turns | \
         h closed s | h fitted s",
    );
    let pool = Pool::new(&fits.iter().collect::<Vec<_>>());
    for mode in pool.modes.iter().chain([&pool.all]) {
        table.row(format_args!(
            "{} | {} | {} | {} | {} | {} | {}",
            mode.mode.map_or("all", |mode| mode.as_str()),
            mode.takes,
            quartiles(mode.top_speed, 1.0, 2),
            quartiles(mode.acceleration, 1.0, 2),
            quartiles(mode.deceleration, 1.0, 2),
            quartiles(mode.turn_rate, DEGREES, 0),
            half_life_quartiles(mode),
        ));
    }
    table
}

/// Numbers, closed forms and fits of the velocity and of the facing.
fn half_life_quartiles(figures: &ModePool) -> String {
    let cells = |of: &HalfLives| {
        let [closed, fitted] = [of.closed, of.fitted].map(|spread| quartiles(spread, 1.0, 3));
        format!("{} | {closed} | {fitted}", of.events)
    };
    format!("{} | {}", cells(&figures.velocity), cells(&figures.facing))
}

/// The two estimators of a half-life, compared with each other.
fn estimators(fits: &[TakeFit]) -> Table {
    let mut table = Table::new(
        "change | changes | both reported | closed over fitted | within 25% | error of the fit | asked before the peak, s",
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
            .flat_map(|fit| fit.events.iter().map(move |event| (fit, event)))
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
        table.row(format_args!(
            "{name} | {} | {} | {} | {} | {} | {}",
            events.len(),
            both.len(),
            quartiles(Spread::new(both.iter().copied()), 1.0, 2),
            share,
            percent(Spread::new(trusted().map(|(_, _, fitted)| fitted.error)), |error| error
                .median),
            quartiles(
                Spread::new(
                    trusted().map(|(fit, event, fitted)| fit.profile.secs(event.peak_frame) - fitted.start_secs)
                ),
                1.0,
                2
            ),
        ));
    }
    table
}

/// Sensitivity of the fit to the smoothing.
fn smoothings(studied: &[Studied]) -> Result<Table, String> {
    let mut table = Table::new(
        "smoothing s | accel m/s^2 | decel | velocity changes | h closed s | h fitted s | turns | h closed s | h fitted s",
    );
    for smoothing_secs in [0.05, 0.1, SMOOTHING_SECS, 0.3] {
        let settings = FitSettings {
            smoothing_secs,
            ..FitSettings::default()
        };
        let mut fits = Vec::new();
        for studied in studied {
            fits.extend(fit(studied, &settings)?);
        }
        let all = Pool::new(&fits.iter().collect::<Vec<_>>()).all;
        table.row(format_args!(
            "{smoothing_secs} | {} | {} | {}",
            quartiles(all.acceleration, 1.0, 2),
            quartiles(all.deceleration, 1.0, 2),
            half_life_quartiles(&all),
        ));
    }
    Ok(table)
}
