//! Takes and their pools as JSON.

use std::path::Path;

use loopwright_controller::{
    Event, FitSettings, HalfLives, Maximum, ModeFigures, ModePool, Pool, Quantity, SpeedTable, Spread, TableFit,
    TakeFit,
};
use loopwright_core::analysis::MotionKind;
use loopwright_formats::loop_file::facts::TakeFacts;

use super::{
    DEGREES, Numbers, Outcome, Source, lack_in_words,
    numbers::{self, FacingNumbers, ProfileFacts, VelocityNumbers},
};
use crate::{
    exit::Failure,
    report::json::{self, ErrorFacts},
};

/// Values over many takes or changes, in the unit that the key above ends in.
#[in_schema]
struct SpreadFacts {
    /// How many.
    count: usize,
    /// The least.
    least: f64,
    /// The lower quartile.
    lower: f64,
    /// The median.
    median: f64,
    /// The upper quartile.
    upper: f64,
    /// The most.
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

/// Half-lives of changes; 59.7 percent of a change is left after one.
#[in_schema]
struct HalfLifeFacts {
    /// Changes seen.
    events: usize,
    /// Median of the fits, of the closed forms where there are none.
    chosen_secs: Option<f64>,
    /// From the size and the largest rate of each change.
    closed_secs: Option<SpreadFacts>,
    /// From a fit to each whole change.
    fitted_secs: Option<SpreadFacts>,
    /// Errors of the fits as shares of the change.
    error_ratio: Option<SpreadFacts>,
    /// Standard error of the median of fitted_secs; null where it is not known.
    uncertainty_secs: Option<f64>,
    /// Half-lives under goals that go evenly to their values, where half of the changes or more look so.
    ramped_secs: Option<SpreadFacts>,
    /// Standard error of the median of ramped_secs; null where it is not known.
    ramped_uncertainty_secs: Option<f64>,
    /// How long those goals take.
    ramp_secs: Option<SpreadFacts>,
}

fn half_lives(half_lives: &HalfLives) -> HalfLifeFacts {
    HalfLifeFacts {
        events: half_lives.events,
        chosen_secs: half_lives.chosen_secs(),
        closed_secs: spread(half_lives.closed, 1.0),
        fitted_secs: spread(half_lives.fitted, 1.0),
        error_ratio: spread(half_lives.error, 1.0),
        uncertainty_secs: half_lives.uncertainty_secs,
        ramped_secs: half_lives
            .ramped
            .and_then(|ramped| spread(Some(ramped.half_lives), 1.0)),
        ramped_uncertainty_secs: half_lives.ramped.and_then(|ramped| ramped.uncertainty_secs),
        ramp_secs: half_lives.ramped.and_then(|ramped| spread(Some(ramped.secs), 1.0)),
    }
}

/// What many takes show in one mode.
#[in_schema]
struct ModeFacts {
    /// The mode, such as walk or run; all for all together.
    mode: &'static str,
    /// Takes that show it.
    takes: usize,
    /// How long they do.
    duration_secs: f64,
    /// Largest speed that is held for half a second.
    top_speed_mps: Option<SpreadFacts>,
    /// Largest acceleration, smoothed.
    acceleration_mps2: Option<SpreadFacts>,
    /// Largest deceleration, smoothed.
    deceleration_mps2: Option<SpreadFacts>,
    /// Largest rate of turn, smoothed.
    turn_rate_dps: Option<SpreadFacts>,
    /// Half-life from top speed and largest acceleration of each take.
    acceleration_closed_secs: Option<SpreadFacts>,
    /// Half-life from top speed and largest deceleration of each take.
    deceleration_closed_secs: Option<SpreadFacts>,
    /// Changes of velocity.
    velocity: HalfLifeFacts,
    /// Those that gain speed.
    speeding_up: HalfLifeFacts,
    /// Those that lose speed.
    slowing_down: HalfLifeFacts,
    /// Changes of facing.
    facing: HalfLifeFacts,
}

fn mode(mode: &ModePool) -> ModeFacts {
    ModeFacts {
        mode: mode.mode.map_or("all", MotionKind::as_str),
        takes: mode.takes,
        duration_secs: mode.secs,
        top_speed_mps: spread(mode.top_speed, 1.0),
        acceleration_mps2: spread(mode.acceleration, 1.0),
        deceleration_mps2: spread(mode.deceleration, 1.0),
        turn_rate_dps: spread(mode.turn_rate, DEGREES),
        acceleration_closed_secs: spread(mode.acceleration_closed, 1.0),
        deceleration_closed_secs: spread(mode.deceleration_closed, 1.0),
        velocity: half_lives(&mode.velocity),
        speeding_up: half_lives(&mode.speeding_up),
        slowing_down: half_lives(&mode.slowing_down),
        facing: half_lives(&mode.facing),
    }
}

/// What many takes show together.
#[in_schema]
struct PoolFacts {
    /// The take or the folder; "all takes" for everything.
    name: String,
    /// Number of takes.
    takes: usize,
    /// All modes together.
    all: ModeFacts,
    /// Each mode.
    modes: Vec<ModeFacts>,
}

impl PoolFacts {
    fn new(name: &str, pool: &Pool) -> Self {
        Self {
            name: name.to_owned(),
            takes: pool.takes,
            all: mode(&pool.all),
            modes: pool.modes.iter().map(mode).collect(),
        }
    }
}

/// A largest value, in the unit that the key above ends in.
#[in_schema]
struct PeakFacts {
    /// The value.
    value: f64,
    /// When it is reached.
    at_secs: f64,
}

fn peak(peak: Option<Maximum>, scale: f64) -> Option<PeakFacts> {
    peak.map(|peak| PeakFacts {
        value: scale * peak.value,
        at_secs: peak.secs,
    })
}

/// Largest figures of a take in one mode, with their times.
#[in_schema]
struct LargestFacts {
    /// The mode.
    mode: &'static str,
    /// How long the take shows it.
    duration_secs: f64,
    /// Largest speed that is held for half a second.
    top_speed_mps: Option<PeakFacts>,
    /// Largest acceleration, smoothed.
    acceleration_mps2: Option<PeakFacts>,
    /// Largest deceleration, smoothed.
    deceleration_mps2: Option<PeakFacts>,
    /// Largest rate of turn, smoothed.
    turn_rate_dps: Option<PeakFacts>,
}

fn largest(figures: &ModeFigures) -> LargestFacts {
    LargestFacts {
        mode: figures.mode.as_str(),
        duration_secs: figures.secs,
        top_speed_mps: peak(figures.top_speed, 1.0),
        acceleration_mps2: peak(figures.acceleration, 1.0),
        deceleration_mps2: peak(figures.deceleration, 1.0),
        turn_rate_dps: peak(figures.turn_rate, DEGREES),
    }
}

/// A change from one steady velocity or facing to another.
#[in_schema]
struct EventFacts {
    /// What changes.
    #[schemars(schema_with = "crate::schema_words::word::<Quantity>")]
    quantity: &'static str,
    /// What kind of change, such as start, stop or turn.
    kind: &'static str,
    /// The mode.
    mode: &'static str,
    /// First frame.
    start_frame: usize,
    /// Last frame.
    end_frame: usize,
    /// When it changes fastest.
    peak_secs: f64,
    /// Velocity before, world x and z; null for a facing.
    from_mps: Option<[f64; 2]>,
    /// Velocity after, likewise.
    to_mps: Option<[f64; 2]>,
    /// Facing before; null for a velocity.
    from_deg: Option<f64>,
    /// Facing after, likewise.
    to_deg: Option<f64>,
    /// Largest acceleration, smoothed; null for a facing.
    peak_acceleration_mps2: Option<f64>,
    /// Largest rate of turn, smoothed; null for a velocity.
    peak_turn_rate_dps: Option<f64>,
    /// Half-life from the size and the largest rate.
    closed_half_life_secs: Option<f64>,
    /// Half-life of the fit.
    fitted_half_life_secs: Option<f64>,
    /// Its standard error.
    uncertainty_secs: Option<f64>,
    /// Half-life under a goal that goes evenly to its value, where that fits far better than a step.
    ramped_half_life_secs: Option<f64>,
    /// How long that goal takes.
    ramp_secs: Option<f64>,
    /// When the change was asked for, by the fit.
    asked_at_secs: Option<f64>,
    /// Error of the fit as a share of the change.
    error_ratio: Option<f64>,
    /// Whether the fit is close enough to count.
    trusted: bool,
}

impl EventFacts {
    fn new(fit: &TakeFit, event: &Event) -> Self {
        let is_velocity = event.quantity == Quantity::Velocity;
        let mps = |value: glam::DVec3| is_velocity.then_some([value.x, value.z]);
        let deg = |value: glam::DVec3| (!is_velocity).then_some(DEGREES * value.y);
        Self {
            quantity: event.quantity.as_str(),
            kind: event.kind.as_str(),
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

/// What one take shows.
#[in_schema]
#[derive(Default)]
struct TakeAnswer<'a> {
    /// The file.
    file: &'a str,
    /// fitted; nothing: no half-life in it; short: too short to fit; error: it cannot be read.
    #[schemars(extend("enum" = ["fitted", "nothing", "short", "error"]))]
    outcome: &'static str,
    /// Why there is no half-life of velocity or facing, or nothing at all; null where there are both.
    why: Option<String>,
    /// The take; null where it cannot be read.
    #[schemars(with = "Option<crate::schema_words::Take>")]
    take: Option<&'a TakeFacts>,
    /// Largest figures by mode.
    largest: Vec<LargestFacts>,
    /// Its changes.
    events: Vec<EventFacts>,
    /// Half-lives of all modes, then of each; null where there are none.
    half_lives: Option<PoolFacts>,
    /// Why it cannot be fitted; left out where it can.
    #[absent]
    error: Option<ErrorFacts<'a>>,
    /// What was odd about it.
    warnings: &'a [String],
}

impl<'a> TakeAnswer<'a> {
    fn new(outcome: &'a Outcome, settings: &FitSettings) -> Self {
        let take = match outcome {
            Outcome::Unreadable { file, failure } => {
                return Self {
                    file,
                    outcome: "error",
                    error: Some(ErrorFacts::new(failure)),
                    ..Self::default()
                };
            }
            Outcome::Take(take) => take,
        };
        let fit = match &take.fit {
            Ok(fit) => fit,
            Err(error) => {
                return Self {
                    file: &take.facts.file,
                    outcome: "short",
                    why: Some(error.to_string()),
                    take: Some(&take.facts),
                    warnings: &take.warnings,
                    ..Self::default()
                };
            }
        };
        let pool = Pool::new(&[fit]);
        let lacks: Vec<String> = Quantity::ALL
            .into_iter()
            .filter_map(|quantity| {
                Some(format!(
                    "{quantity}: {}",
                    lack_in_words(fit.lack(quantity)?, quantity, settings)
                ))
            })
            .collect();
        Self {
            file: &take.facts.file,
            outcome: if pool.has_half_life() { "fitted" } else { "nothing" },
            why: (!lacks.is_empty()).then(|| lacks.join("; ")),
            take: Some(&take.facts),
            largest: fit.figures.iter().map(largest).collect(),
            events: fit.events.iter().map(|event| EventFacts::new(fit, event)).collect(),
            half_lives: Some(PoolFacts::new(&take.facts.file, &pool)),
            error: None,
            warnings: &take.warnings,
        }
    }
}

/// The answer of fit.
#[in_schema]
#[derive(Default)]
pub struct FitAnswer<'a> {
    /// How much velocity and facing were smoothed: standard deviation of the weights; null where numbers alone were given.
    smoothing_secs: Option<f64>,
    /// Each take.
    takes: Vec<TakeAnswer<'a>>,
    /// Each folder that was named, then all takes together.
    pools: Vec<PoolFacts>,
    /// The answer from numbers alone or from a table; null otherwise.
    velocity: Option<VelocityNumbers>,
    /// The answer from numbers alone; null otherwise.
    facing: Option<FacingNumbers>,
    /// How a spring, under velocity, goes through the table of --profile; null otherwise.
    profile: Option<ProfileFacts>,
}

pub fn table_json(path: &Path, table: &SpeedTable, fit: &TableFit) -> String {
    json::document(
        "fit",
        FitAnswer {
            velocity: numbers::of_table(fit).map(VelocityNumbers::from),
            profile: Some(ProfileFacts::new(path, table, fit)),
            ..FitAnswer::default()
        },
        None,
        &[],
    )
}

pub fn json(
    sources: &[Source],
    pool: &Pool,
    settings: &FitSettings,
    failure: Option<&Failure>,
    outputs: &[String],
) -> String {
    let outcomes = sources.iter().flat_map(|source| &source.outcomes);
    let folders = sources
        .iter()
        .filter(|source| source.is_folder)
        .map(|source| PoolFacts::new(&source.name, &super::pool([source])));
    json::document(
        "fit",
        FitAnswer {
            smoothing_secs: Some(settings.smoothing_secs),
            takes: outcomes.map(|outcome| TakeAnswer::new(outcome, settings)).collect(),
            pools: folders.chain([PoolFacts::new("all takes", pool)]).collect(),
            ..FitAnswer::default()
        },
        failure,
        outputs,
    )
}

/// Returns the JSON answer from numbers alone.
pub fn numbers_json(velocity: Option<Numbers>, facing: Option<Numbers>) -> String {
    json::document(
        "fit",
        FitAnswer {
            velocity: velocity.map(VelocityNumbers::from),
            facing: facing.map(FacingNumbers::from),
            ..FitAnswer::default()
        },
        None,
        &[],
    )
}
