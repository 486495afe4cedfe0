//! Takes and their pools as JSON.

use std::path::Path;

use loopwright_controller::{
    Event, FitSettings, HalfLives, Maximum, ModeFigures, ModePool, Pool, Quantity, SpeedTable, Spread, TableFit,
    TakeFit,
};
use loopwright_core::analysis::MotionKind;
use loopwright_formats::loop_file::facts::TakeFacts;
use serde::Serialize;

use super::numbers::{FacingNumbers, VelocityNumbers};
use super::table::{self, ProfileFacts};
use super::{DEGREES, Numbers, Outcome, Source, lack_in_words};
use crate::exit::Failure;
use crate::report::json::{self, ErrorFacts};

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
    chosen_secs: Option<f64>,
    closed_secs: Option<SpreadFacts>,
    fitted_secs: Option<SpreadFacts>,
    error_ratio: Option<SpreadFacts>,
    uncertainty_secs: Option<f64>,
    ramped_secs: Option<SpreadFacts>,
    ramp_secs: Option<SpreadFacts>,
}

impl From<&HalfLives> for HalfLifeFacts {
    fn from(half_lives: &HalfLives) -> Self {
        Self {
            events: half_lives.events,
            chosen_secs: half_lives.chosen_secs(),
            closed_secs: spread(half_lives.closed, 1.0),
            fitted_secs: spread(half_lives.fitted, 1.0),
            error_ratio: spread(half_lives.error, 1.0),
            uncertainty_secs: half_lives.uncertainty_secs,
            ramped_secs: half_lives
                .ramped
                .and_then(|[half_lives, _]| spread(Some(half_lives), 1.0)),
            ramp_secs: half_lives.ramped.and_then(|[_, secs]| spread(Some(secs), 1.0)),
        }
    }
}

#[derive(Serialize)]
struct ModeFacts {
    mode: &'static str,
    takes: usize,
    duration_secs: f64,
    top_speed_mps: Option<SpreadFacts>,
    acceleration_mps2: Option<SpreadFacts>,
    deceleration_mps2: Option<SpreadFacts>,
    turn_rate_dps: Option<SpreadFacts>,
    acceleration_closed_secs: Option<SpreadFacts>,
    deceleration_closed_secs: Option<SpreadFacts>,
    velocity: HalfLifeFacts,
    speeding_up: HalfLifeFacts,
    slowing_down: HalfLifeFacts,
    facing: HalfLifeFacts,
}

impl From<&ModePool> for ModeFacts {
    fn from(mode: &ModePool) -> Self {
        Self {
            mode: mode.mode.map_or("all", MotionKind::as_str),
            takes: mode.takes,
            duration_secs: mode.secs,
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
    name: String,
    takes: usize,
    all: ModeFacts,
    modes: Vec<ModeFacts>,
}

impl PoolFacts {
    fn new(name: &str, pool: &Pool) -> Self {
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

/// Largest figures of a take in one mode, with their times.
#[derive(Serialize)]
struct LargestFacts {
    mode: &'static str,
    duration_secs: f64,
    top_speed_mps: Option<PeakFacts>,
    acceleration_mps2: Option<PeakFacts>,
    deceleration_mps2: Option<PeakFacts>,
    turn_rate_dps: Option<PeakFacts>,
}

impl From<&ModeFigures> for LargestFacts {
    fn from(figures: &ModeFigures) -> Self {
        Self {
            mode: figures.mode.as_str(),
            duration_secs: figures.secs,
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
    from_mps: Option<[f64; 2]>,
    to_mps: Option<[f64; 2]>,
    from_deg: Option<f64>,
    to_deg: Option<f64>,
    peak_acceleration_mps2: Option<f64>,
    peak_turn_rate_dps: Option<f64>,
    closed_half_life_secs: Option<f64>,
    fitted_half_life_secs: Option<f64>,
    uncertainty_secs: Option<f64>,
    ramped_half_life_secs: Option<f64>,
    ramp_secs: Option<f64>,
    asked_at_secs: Option<f64>,
    error_ratio: Option<f64>,
    trusted: bool,
}

impl EventFacts {
    fn new(fit: &TakeFit, event: &Event) -> Self {
        let is_velocity = event.quantity == Quantity::Velocity;
        let mps = |value: glam::DVec3| is_velocity.then_some([value.x, value.z]);
        let deg = |value: glam::DVec3| (!is_velocity).then_some(DEGREES * value.y);
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
            from_mps: mps(event.from),
            to_mps: mps(event.to),
            from_deg: deg(event.from),
            to_deg: deg(event.to),
            peak_acceleration_mps2: is_velocity.then_some(event.peak_rate),
            peak_turn_rate_dps: (!is_velocity).then_some(DEGREES * event.peak_rate),
            closed_half_life_secs: event.closed_secs,
            fitted_half_life_secs: event.fitted.map(|fitted| fitted.half_life_secs),
            uncertainty_secs: event.fitted.and_then(|fitted| fitted.uncertainty_secs),
            ramped_half_life_secs: event.ramped.map(|ramped| ramped.half_life_secs),
            ramp_secs: event.ramped.map(|ramped| ramped.ramp_secs),
            asked_at_secs: event.fitted.map(|fitted| fitted.start_secs),
            error_ratio: event.fitted.map(|fitted| fitted.error),
            trusted: event.trusted().is_some(),
        }
    }
}

#[derive(Serialize)]
struct TakeAnswer<'a> {
    file: &'a str,
    outcome: &'static str,
    why: Option<String>,
    take: Option<&'a TakeFacts>,
    largest: Vec<LargestFacts>,
    events: Vec<EventFacts>,
    half_lives: Option<PoolFacts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorFacts<'a>>,
    warnings: &'a [String],
}

impl<'a> TakeAnswer<'a> {
    fn new(outcome: &'a Outcome, settings: &FitSettings) -> Self {
        let empty = |file: &'a str, outcome: &'static str| Self {
            file,
            outcome,
            why: None,
            take: None,
            largest: Vec::new(),
            events: Vec::new(),
            half_lives: None,
            error: None,
            warnings: &[],
        };
        let take = match outcome {
            Outcome::Unreadable { file, failure } => {
                return Self {
                    error: Some(ErrorFacts::new(failure)),
                    ..empty(file, "error")
                };
            }
            Outcome::Take(take) => take,
        };
        let fit = match &take.fit {
            Ok(fit) => fit,
            Err(error) => {
                return Self {
                    why: Some(error.to_string()),
                    take: Some(&take.facts),
                    warnings: &take.warnings,
                    ..empty(&take.facts.file, "short")
                };
            }
        };
        let pool = Pool::new(&[fit]);
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
            events: fit.events.iter().map(|event| EventFacts::new(fit, event)).collect(),
            half_lives: Some(PoolFacts::new(&take.facts.file, &pool)),
            error: None,
            warnings: &take.warnings,
        }
    }
}

#[derive(Default, Serialize)]
struct FitAnswer<'a> {
    smoothing_secs: Option<f64>,
    takes: Vec<TakeAnswer<'a>>,
    pools: Vec<PoolFacts>,
    velocity: Option<VelocityNumbers>,
    facing: Option<FacingNumbers>,
    profile: Option<ProfileFacts>,
}

pub(crate) fn table_json(path: &Path, table: &SpeedTable, fit: &TableFit) -> String {
    let answer = FitAnswer {
        velocity: table::numbers(fit).map(VelocityNumbers::from),
        profile: Some(ProfileFacts::new(path, table, fit)),
        ..FitAnswer::default()
    };
    json::document("fit", answer, None, &[])
}

pub(crate) fn json(
    sources: &[Source],
    pool: &Pool,
    settings: &FitSettings,
    failure: Option<&Failure>,
    outputs: &[String],
) -> String {
    let outcomes = sources.iter().flat_map(|source| &source.outcomes);
    let folders = sources.iter().filter(|source| source.is_folder).map(|source| {
        let fits: Vec<&TakeFit> = source.fits().map(|(_, fit)| fit).collect();
        PoolFacts::new(&source.name, &Pool::new(&fits))
    });
    let answer = FitAnswer {
        smoothing_secs: Some(settings.smoothing_secs),
        takes: outcomes.map(|outcome| TakeAnswer::new(outcome, settings)).collect(),
        pools: folders.chain([PoolFacts::new("all takes", pool)]).collect(),
        ..FitAnswer::default()
    };
    json::document("fit", answer, failure, outputs)
}

/// The answer from numbers alone as JSON.
pub(crate) fn numbers_json(velocity: Option<Numbers>, facing: Option<Numbers>) -> String {
    let answer = FitAnswer {
        velocity: velocity.map(VelocityNumbers::from),
        facing: facing.map(FacingNumbers::from),
        ..FitAnswer::default()
    };
    json::document("fit", answer, None, &[])
}
