//! Takes and their pools as JSON.

use loopwright::{
    FitSettings, TakeFit,
    controller_fit::{Event, HalfLives, Maximum, Mode, ModeFigures, ModePool, Pool, Quantity, Spread},
};
use loopwright_formats::loop_file::facts::TakeFacts;
use serde::Serialize;

use super::{DEGREES, Outcome, Source, lack_in_words};
use crate::report::json;

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
            mode: mode.mode.map_or("all", Mode::as_str),
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
            mode: figures.mode.as_str(),
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
            mode: event.mode.as_str(),
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
