//! Answers of `fit`: as text, as JSON, and as a block for a controller.

use std::fmt::Write;

use loopwright::controller_fit::{
    FitSettings, Lack, TakeFit,
    event::{Event, Quantity},
    mode::{Maximum, Mode, ModeFigures},
    pool::{HalfLives, ModePool, Pool, Spread},
    spring,
};
use loopwright_formats::sidecar::TakeFacts;
use serde::Serialize;

use super::{human::Table, json};
use crate::commands::fit::{FittedTake, Outcome, Source};

/// What the half-life means, wherever it is told to people.
const MEANING: &str =
    "half-lives are the articles' parameter: 59.7% of a change is left after one, half after 1.21 of them";

/// A step, its largest rate and the half-life that belongs to both.
#[derive(Clone, Copy)]
pub(crate) struct Numbers {
    step: f64,
    rate: f64,
    half_life_secs: f64,
}

impl Numbers {
    /// Completes what is given; `None` where neither rate nor half-life is.
    pub(crate) fn of(step: f64, rate: Option<f64>, half_life_secs: Option<f64>) -> Option<Self> {
        let half_life_secs = match rate {
            Some(rate) => spring::half_life_of_peak(step, rate),
            None => half_life_secs,
        }?;
        Some(Self {
            step,
            rate: rate.unwrap_or_else(|| spring::peak_of_half_life(step, half_life_secs)),
            half_life_secs,
        })
    }

    fn peak_secs(&self) -> f64 {
        1.0 / spring::decay_rate(self.half_life_secs)
    }
}

/// The answer from numbers, for people.
pub(crate) fn numbers_human(velocity: Option<Numbers>, facing: Option<Numbers>) -> String {
    let mut text = String::new();
    for (name, numbers, step, rate) in [
        ("velocity", velocity, "m/s", "m/s^2"),
        ("facing", facing, "deg", "deg/s"),
    ] {
        let Some(numbers) = numbers else { continue };
        let _ = writeln!(
            text,
            "{name}: half-life {:.3} s; 0 to {} {step} peaks at {:.2} {rate}, after {:.3} s",
            numbers.half_life_secs,
            numbers.step,
            numbers.rate,
            numbers.peak_secs()
        );
    }
    let _ = writeln!(text, "{MEANING}");
    text
}

#[derive(Serialize)]
struct VelocityNumbers {
    speed_mps: f64,
    acceleration_mps2: f64,
    half_life_secs: f64,
    peak_secs: f64,
}

#[derive(Serialize)]
struct FacingNumbers {
    angle_deg: f64,
    turn_rate_dps: f64,
    half_life_secs: f64,
    peak_secs: f64,
}

#[derive(Serialize)]
struct NumbersAnswer {
    velocity: Option<VelocityNumbers>,
    facing: Option<FacingNumbers>,
}

/// The answer from numbers as JSON.
pub(crate) fn numbers_json(velocity: Option<Numbers>, facing: Option<Numbers>) -> String {
    json::text(&NumbersAnswer {
        velocity: velocity.map(|numbers| VelocityNumbers {
            speed_mps: numbers.step,
            acceleration_mps2: numbers.rate,
            half_life_secs: numbers.half_life_secs,
            peak_secs: numbers.peak_secs(),
        }),
        facing: facing.map(|numbers| FacingNumbers {
            angle_deg: numbers.step,
            turn_rate_dps: numbers.rate,
            half_life_secs: numbers.half_life_secs,
            peak_secs: numbers.peak_secs(),
        }),
    })
}

/// The answer for people: one take at length, several as a table and by folder.
pub(crate) fn human(sources: &[Source], pool: &Pool, settings: &FitSettings, block: &str) -> String {
    let mut text = String::new();
    let outcomes: Vec<&Outcome> = sources.iter().flat_map(|source| &source.outcomes).collect();
    if let [Outcome::Take(take)] = outcomes[..] {
        text.push_str(&one(take, settings));
    } else {
        text.push_str(&many(&outcomes));
        for source in sources.iter().filter(|source| source.is_folder && sources.len() > 1) {
            let fits: Vec<&TakeFit> = source.fits().map(|(_, fit)| fit).collect();
            let _ = write!(text, "\n{}\n{}", source.name, pooled(&Pool::of(&fits)));
        }
        let _ = write!(text, "\nall takes\n{}", pooled(pool));
    }
    if pool.takes > 0 {
        let _ = write!(
            text,
            "\nvelocity and facing are smoothed by {} s (standard deviation of the weights); {MEANING}\n",
            settings.smoothing_secs
        );
    }
    if pool.has_half_life() {
        let _ = write!(text, "\n{block}");
    }
    text
}

/// A number, or a dash.
fn cell(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}"))
}

fn median(spread: Option<Spread>, scale: f64, decimals: usize) -> String {
    cell(spread.map(|spread| scale * spread.median), decimals)
}

/// A median with its quartiles, where there is more than one value.
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

/// Degrees in a radian.
const DEGREES: f64 = 180.0 / core::f64::consts::PI;

/// One take at length.
fn one(take: &FittedTake, settings: &FitSettings) -> String {
    let facts = &take.facts;
    let mut text = format!(
        "{}: {} frames, {:.2} s at {:.4} fps\n",
        facts.file,
        facts.frames,
        (facts.frames.max(1) - 1) as f64 * facts.frame_time_secs,
        1.0 / facts.frame_time_secs
    );
    let fit = match &take.fit {
        Ok(fit) => fit,
        Err(error) => {
            let _ = writeln!(text, "  {error}");
            return text;
        }
    };
    let mut table = Table::new(&[
        "mode",
        "seconds",
        "top m/s",
        "at s",
        "accel",
        "at s",
        "decel",
        "at s",
        "turn deg/s",
        "at s",
    ]);
    for figures in &fit.figures {
        let mut row = vec![figures.mode.name().to_owned(), format!("{:.2}", figures.secs)];
        for (peak, scale, decimals) in [
            (figures.top_speed, 1.0, 3),
            (figures.acceleration, 1.0, 2),
            (figures.deceleration, 1.0, 2),
            (figures.turn_rate, DEGREES, 1),
        ] {
            row.push(cell(peak.map(|peak| scale * peak.value), decimals));
            row.push(cell(peak.map(|peak| peak.secs), 2));
        }
        table.row(row);
    }
    text.push_str("\nlargest figures: speed held for 0.5 s; speed gained and lost, m/s^2\n");
    text.push_str(&table.render());
    if !fit.events.is_empty() {
        text.push_str("\nchanges, and the half-life of each in two ways\n");
        text.push_str(&events(fit));
    }
    text.push('\n');
    text.push_str(&pooled(&Pool::of(&[fit])));
    for (quantity, name) in [(Quantity::Velocity, "velocity"), (Quantity::Facing, "facing")] {
        if let Some(lack) = fit.lack(quantity) {
            let _ = writeln!(
                text,
                "no half-life of the {name}: {}",
                lack_in_words(lack, quantity, settings)
            );
        }
    }
    text
}

/// Why there is no half-life.
fn lack_in_words(lack: Lack, quantity: Quantity, settings: &FitSettings) -> String {
    match (lack, quantity) {
        (Lack::Still, _) => "the body stands throughout".to_owned(),
        (Lack::NoEvent, Quantity::Velocity) => {
            "it never changes from one steady velocity to another; a start, a stop or a turn would tell".to_owned()
        }
        (Lack::NoEvent, Quantity::Facing) => "it never turns from one steady facing to another".to_owned(),
        (Lack::NoFit, _) => format!(
            "what changes is sharper than a smoothing of {} s lets be seen, or no spring comes near it; try a smaller --smoothing",
            settings.smoothing_secs
        ),
    }
}

fn events(fit: &TakeFit) -> String {
    let mut table = Table::new(&[
        "at s", "what", "kind", "mode", "from", "to", "peak", "closed s", "fitted s", "error",
    ]);
    for event in &fit.events {
        let (what, scale, decimals) = match event.quantity {
            Quantity::Velocity => ("velocity m/s", 1.0, 2),
            Quantity::Facing => ("facing deg", DEGREES, 0),
        };
        let size = |value: glam::DVec3| match event.quantity {
            Quantity::Velocity => value.length(),
            Quantity::Facing => scale * value.y,
        };
        table.row(vec![
            format!("{:.2}", fit.profile.secs(event.peak_frame)),
            what.to_owned(),
            event.kind.name().to_owned(),
            event.mode.name().to_owned(),
            format!("{:.decimals$}", size(event.from)),
            format!("{:.decimals$}", size(event.to)),
            format!("{:.decimals$}", scale * event.peak_rate),
            cell(event.closed_secs, 3),
            cell(event.fitted.map(|fitted| fitted.half_life_secs), 3),
            event.fitted.map_or_else(
                || "-".to_owned(),
                |fitted| {
                    let doubt = if event.trusted().is_none() { " not used" } else { "" };
                    format!("{:.1}%{doubt}", 100.0 * fitted.error)
                },
            ),
        ]);
    }
    table.render()
}

/// Takes in a line each.
fn many(outcomes: &[&Outcome]) -> String {
    let mut table = Table::new(&[
        "take",
        "seconds",
        "modes",
        "top m/s",
        "accel",
        "decel",
        "changes",
        "velocity h",
        "turns",
        "facing h",
    ]);
    for outcome in outcomes {
        let (file, seconds, rest) = match outcome {
            Outcome::Unreadable { file, .. } => (file.clone(), None, vec!["cannot be read".to_owned()]),
            Outcome::Take(take) => {
                let secs = (take.facts.frames.max(1) - 1) as f64 * take.facts.frame_time_secs;
                let rest = match &take.fit {
                    Err(_) => vec!["too short".to_owned()],
                    Ok(fit) => {
                        let all = Pool::of(&[fit]).all;
                        let modes: Vec<&str> = fit.figures.iter().map(|figures| figures.mode.name()).collect();
                        vec![
                            modes.join(" "),
                            median(all.top_speed, 1.0, 2),
                            median(all.acceleration, 1.0, 2),
                            median(all.deceleration, 1.0, 2),
                            all.velocity.events.to_string(),
                            cell(all.velocity.chosen_secs(), 3),
                            all.facing.events.to_string(),
                            cell(all.facing.chosen_secs(), 3),
                        ]
                    }
                };
                (take.facts.file.clone(), Some(secs), rest)
            }
        };
        let mut row = vec![file, cell(seconds, 2)];
        row.extend(rest);
        row.resize(10, "-".to_owned());
        table.row(row);
    }
    table.render()
}

/// Half-lives by mode, with their spread.
fn pooled(pool: &Pool) -> String {
    let mut table = Table::new(&[
        "mode",
        "takes",
        "top m/s",
        "accel",
        "decel",
        "turn deg/s",
        "h of",
        "changes",
        "closed s",
        "fitted s",
        "error",
        "by maxima s",
    ]);
    for mode in pool.modes.iter().chain([&pool.all]) {
        let mut head = vec![
            mode.mode.map_or("all", Mode::name).to_owned(),
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
                median(half_lives.error, 100.0, 1) + "%",
                median(maxima, 1.0, 3),
            ]);
            table.row(row);
        }
        if !head[0].is_empty() {
            head.resize(12, "-".to_owned());
            table.row(head);
        }
    }
    format!(
        "half-lives: medians, quartiles in brackets; by maxima: from top speed and largest acceleration or deceleration\n{}",
        table.render().replace("-%", "-")
    )
}

/// The kinds of half-lives of a mode, with what its maxima say of them.
fn kinds(mode: &ModePool) -> [(&'static str, &HalfLives, Option<Spread>); 4] {
    [
        ("velocity", &mode.velocity, None),
        ("gaining", &mode.speeding_up, mode.acceleration_closed),
        ("losing", &mode.slowing_down, mode.deceleration_closed),
        ("facing", &mode.facing, None),
    ]
}

/// The block for a controller: TOML, with a table for each mode that says anything.
pub(crate) fn block(pool: &Pool, settings: &FitSettings) -> String {
    let mut text = format!(
        "# Written by `loopwright fit` from {} take{}, smoothed by {} s. Metres, seconds, degrees.\n# {MEANING}.\n",
        pool.takes,
        if pool.takes == 1 { "" } else { "s" },
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
                // Where the body stands its noise is no figure for a controller.
                if let Some(spread) = spread.filter(|_| mode.mode != Some(Mode::Idle)) {
                    let _ = writeln!(lines, "{key} = {:.3} # {what}", scale * spread.median);
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
                let _ = writeln!(lines, "{key} = {secs:.4} # s, {source}");
            }
        }
        if !lines.is_empty() {
            let table = mode
                .mode
                .map_or("controller".to_owned(), |mode| format!("controller.{}", mode.name()));
            let _ = write!(
                text,
                "\n[{table}] # {:.1} s of {} take{}\n{lines}",
                mode.secs,
                mode.takes,
                if mode.takes == 1 { "" } else { "s" }
            );
        }
    }
    text
}

#[derive(Serialize)]
struct SpreadFacts {
    count: usize,
    least: f64,
    lower: f64,
    median: f64,
    upper: f64,
    most: f64,
}

fn spread(spread: Option<Spread>, scale: f64) -> Option<SpreadFacts> {
    spread.map(|spread| SpreadFacts {
        count: spread.count,
        least: scale * spread.least,
        lower: scale * spread.lower,
        median: scale * spread.median,
        upper: scale * spread.upper,
        most: scale * spread.most,
    })
}

#[derive(Serialize)]
struct HalfLifeFacts {
    events: usize,
    /// Median of the fits, of the closed forms where there are none; seconds.
    chosen_secs: Option<f64>,
    closed_secs: Option<SpreadFacts>,
    fitted_secs: Option<SpreadFacts>,
    /// Errors of the fits as shares of the change.
    error: Option<SpreadFacts>,
}

impl From<&HalfLives> for HalfLifeFacts {
    fn from(half_lives: &HalfLives) -> Self {
        Self {
            events: half_lives.events,
            chosen_secs: half_lives.chosen_secs(),
            closed_secs: spread(half_lives.closed, 1.0),
            fitted_secs: spread(half_lives.fitted, 1.0),
            error: spread(half_lives.error, 1.0),
        }
    }
}

#[derive(Serialize)]
struct ModeFacts {
    /// The mode; "all" for all together.
    mode: &'static str,
    takes: usize,
    seconds: f64,
    top_speed_mps: Option<SpreadFacts>,
    acceleration_mps2: Option<SpreadFacts>,
    deceleration_mps2: Option<SpreadFacts>,
    turn_rate_dps: Option<SpreadFacts>,
    /// From top speed and largest acceleration of each take.
    acceleration_closed_secs: Option<SpreadFacts>,
    /// From top speed and largest deceleration of each take.
    deceleration_closed_secs: Option<SpreadFacts>,
    velocity: HalfLifeFacts,
    speeding_up: HalfLifeFacts,
    slowing_down: HalfLifeFacts,
    facing: HalfLifeFacts,
}

impl From<&ModePool> for ModeFacts {
    fn from(mode: &ModePool) -> Self {
        Self {
            mode: mode.mode.map_or("all", Mode::name),
            takes: mode.takes,
            seconds: mode.secs,
            top_speed_mps: spread(mode.top_speed, 1.0),
            acceleration_mps2: spread(mode.acceleration, 1.0),
            deceleration_mps2: spread(mode.deceleration, 1.0),
            turn_rate_dps: spread(mode.turn_rate, DEGREES),
            acceleration_closed_secs: spread(mode.acceleration_closed, 1.0),
            deceleration_closed_secs: spread(mode.deceleration_closed, 1.0),
            velocity: HalfLifeFacts::from(&mode.velocity),
            speeding_up: HalfLifeFacts::from(&mode.speeding_up),
            slowing_down: HalfLifeFacts::from(&mode.slowing_down),
            facing: HalfLifeFacts::from(&mode.facing),
        }
    }
}

#[derive(Serialize)]
struct PoolFacts {
    /// The folder; "all takes" for everything together.
    name: String,
    takes: usize,
    all: ModeFacts,
    modes: Vec<ModeFacts>,
}

impl PoolFacts {
    fn of(name: &str, pool: &Pool) -> Self {
        Self {
            name: name.to_owned(),
            takes: pool.takes,
            all: ModeFacts::from(&pool.all),
            modes: pool.modes.iter().map(ModeFacts::from).collect(),
        }
    }
}

#[derive(Serialize)]
struct PeakFacts {
    value: f64,
    at_secs: f64,
}

fn peak(peak: Option<Maximum>, scale: f64) -> Option<PeakFacts> {
    peak.map(|peak| PeakFacts {
        value: scale * peak.value,
        at_secs: peak.secs,
    })
}

/// Largest figures of a take in a mode, with their times.
#[derive(Serialize)]
struct LargestFacts {
    mode: &'static str,
    seconds: f64,
    top_speed_mps: Option<PeakFacts>,
    acceleration_mps2: Option<PeakFacts>,
    deceleration_mps2: Option<PeakFacts>,
    turn_rate_dps: Option<PeakFacts>,
}

impl From<&ModeFigures> for LargestFacts {
    fn from(figures: &ModeFigures) -> Self {
        Self {
            mode: figures.mode.name(),
            seconds: figures.secs,
            top_speed_mps: peak(figures.top_speed, 1.0),
            acceleration_mps2: peak(figures.acceleration, 1.0),
            deceleration_mps2: peak(figures.deceleration, 1.0),
            turn_rate_dps: peak(figures.turn_rate, DEGREES),
        }
    }
}

#[derive(Serialize)]
struct EventFacts {
    quantity: &'static str,
    kind: &'static str,
    mode: &'static str,
    start_frame: usize,
    end_frame: usize,
    peak_secs: f64,
    /// Metres per second (x and z in the world), or degrees.
    from: Vec<f64>,
    to: Vec<f64>,
    /// Metres per second squared, or degrees per second; smoothed.
    peak_rate: f64,
    closed_secs: Option<f64>,
    fitted_secs: Option<f64>,
    /// When the fit says that the change was asked for.
    asked_at_secs: Option<f64>,
    error: Option<f64>,
    /// Whether the fit is close enough to count.
    trusted: bool,
}

impl EventFacts {
    fn of(fit: &TakeFit, event: &Event) -> Self {
        let value = |value: glam::DVec3| match event.quantity {
            Quantity::Velocity => vec![value.x, value.z],
            Quantity::Facing => vec![DEGREES * value.y],
        };
        Self {
            quantity: match event.quantity {
                Quantity::Velocity => "velocity",
                Quantity::Facing => "facing",
            },
            kind: event.kind.name(),
            mode: event.mode.name(),
            start_frame: event.frames.start,
            end_frame: event.frames.end - 1,
            peak_secs: fit.profile.secs(event.peak_frame),
            from: value(event.from),
            to: value(event.to),
            peak_rate: match event.quantity {
                Quantity::Velocity => event.peak_rate,
                Quantity::Facing => DEGREES * event.peak_rate,
            },
            closed_secs: event.closed_secs,
            fitted_secs: event.fitted.map(|fitted| fitted.half_life_secs),
            asked_at_secs: event.fitted.map(|fitted| fitted.start_secs),
            error: event.fitted.map(|fitted| fitted.error),
            trusted: event.trusted().is_some(),
        }
    }
}

#[derive(Serialize)]
struct TakeAnswer<'a> {
    file: &'a str,
    /// "fitted", "nothing" (no half-life), "short" or "error".
    outcome: &'static str,
    /// Why there is no half-life of velocity and facing, or nothing at all; null where there are both.
    why: Option<String>,
    take: Option<&'a TakeFacts>,
    largest: Vec<LargestFacts>,
    events: Vec<EventFacts>,
    /// Half-lives of all modes, then of each.
    half_lives: Option<PoolFacts>,
    warnings: &'a [String],
}

impl<'a> TakeAnswer<'a> {
    fn of(outcome: &'a Outcome, settings: &FitSettings) -> Self {
        let empty = |file: &'a str, outcome: &'static str, why: String| Self {
            file,
            outcome,
            why: Some(why),
            take: None,
            largest: Vec::new(),
            events: Vec::new(),
            half_lives: None,
            warnings: &[],
        };
        let take = match outcome {
            Outcome::Unreadable { file, why } => return empty(file, "error", why.clone()),
            Outcome::Take(take) => take,
        };
        let fit = match &take.fit {
            Ok(fit) => fit,
            Err(error) => {
                return Self {
                    take: Some(&take.facts),
                    warnings: &take.warnings,
                    ..empty(&take.facts.file, "short", error.to_string())
                };
            }
        };
        let pool = Pool::of(&[fit]);
        let lacks: Vec<String> = [(Quantity::Velocity, "velocity"), (Quantity::Facing, "facing")]
            .into_iter()
            .filter_map(|(quantity, name)| {
                let lack = fit.lack(quantity)?;
                Some(format!("{name}: {}", lack_in_words(lack, quantity, settings)))
            })
            .collect();
        Self {
            file: &take.facts.file,
            outcome: if pool.has_half_life() { "fitted" } else { "nothing" },
            why: (!lacks.is_empty()).then(|| lacks.join("; ")),
            take: Some(&take.facts),
            largest: fit.figures.iter().map(LargestFacts::from).collect(),
            events: fit.events.iter().map(|event| EventFacts::of(fit, event)).collect(),
            half_lives: Some(PoolFacts::of(&take.facts.file, &pool)),
            warnings: &take.warnings,
        }
    }
}

#[derive(Serialize)]
struct FitAnswer<'a> {
    smoothing_secs: f64,
    takes: Vec<TakeAnswer<'a>>,
    /// Each folder that was named, then all takes together.
    pools: Vec<PoolFacts>,
}

/// The answer as JSON.
pub(crate) fn json(sources: &[Source], pool: &Pool, settings: &FitSettings) -> String {
    let outcomes = sources.iter().flat_map(|source| &source.outcomes);
    let folders = sources.iter().filter(|source| source.is_folder).map(|source| {
        let fits: Vec<&TakeFit> = source.fits().map(|(_, fit)| fit).collect();
        PoolFacts::of(&source.name, &Pool::of(&fits))
    });
    json::text(&FitAnswer {
        smoothing_secs: settings.smoothing_secs,
        takes: outcomes.map(|outcome| TakeAnswer::of(outcome, settings)).collect(),
        pools: folders.chain([PoolFacts::of("all takes", pool)]).collect(),
    })
}
