//! Answers of `find`.

use std::fmt::Write;

use loopwright::{
    analysis::segments::Segment,
    candidate::{MissReason, NearestMiss, SearchSettings, TakeRhythm},
    math::ops,
    motion::RootMotion,
    root_motion::{RootMode, RootSpace},
};
use loopwright_formats::loop_file::facts::{CandidateFacts, RootFacts, TakeFacts};
use serde::Serialize;

use super::{
    figures::headline,
    inspect::SegmentFacts,
    json::{self, Refusal},
    table::{Table, optional},
};
use loopwright_formats::loop_file::describe;

use crate::{
    exit::Failure,
    load::Loaded,
    search::{self, Hunt},
};

/// The list of `find`.
pub(crate) fn human(loaded: &Loaded, hunt: &Hunt, settings: &SearchSettings) -> String {
    let found = &hunt.found;
    // The first found of segments in order is that of the first segment that has one.
    let gaits = hunt.segments.as_ref().map(|segments| {
        let with_loop = segments.iter().filter(|loops| loops.best.is_ok());
        with_loop.map(|loops| loops.segment.gait.name()).collect::<Vec<_>>()
    });
    let segment = if gaits.is_some() { " | segment" } else { "" };
    let mut table = Table::new(&format!(
        "# | start | end | seconds | cycles | seam cost | ratio | steady | m/s | deg/s | climb | phase | activity{segment}"
    ));
    for (index, candidate) in found.candidates.iter().enumerate() {
        let linear = candidate.twist.linear;
        let mut row = vec![
            (index + 1).to_string(),
            format!("{:.0}", candidate.cut.start_frame()),
            format!("{:.2}", candidate.cut.end_frame()),
            format!("{:.3}", candidate.source_period_secs),
            candidate.cycles.to_string(),
            format!("{:.4}", candidate.seam_cost),
            optional(candidate.cost_ratio, 3),
            format!("{:.2}", candidate.steadiness),
            format!("{:.2}", ops::hypot(linear.x, linear.z)),
            format!("{:+.1}", candidate.twist.angular.y.to_degrees()),
            format!("{:+.2}", linear.y),
            // Just before the strike is closer to it than to a whole cycle later.
            optional(
                candidate
                    .contact_phase
                    .map(|phase| (100.0 * phase).round() % 100.0 / 100.0),
                2,
            ),
            format!("{:.2}", candidate.energy),
        ];
        row.extend(
            gaits
                .as_ref()
                .and_then(|gaits| gaits.get(index))
                .map(ToString::to_string),
        );
        table.row(row);
    }
    let mut text = headline(loaded);
    if hunt.segments.is_none()
        && let Some(rhythm) = found.rhythm(&loaded.analysis, settings)
    {
        let _ = writeln!(text, "{}", take_rhythm(&rhythm));
    }
    text.push_str(&table.render());
    for loops in hunt.segments.iter().flatten() {
        let Err(miss) = &loops.best else { continue };
        let Segment {
            gait,
            start_frame,
            end_frame,
        } = loops.segment;
        let why = miss.as_ref().map_or_else(
            || "no two frames can be ends of a loop".to_owned(),
            search::miss_in_words,
        );
        let _ = writeln!(
            text,
            "no loop in frames {start_frame}-{end_frame} ({}); {why}",
            gait.name()
        );
    }
    text
}

/// The rhythm of a take in a line.
fn take_rhythm(rhythm: &TakeRhythm) -> String {
    const MOST: usize = 5;
    let multiples: Vec<String> = (rhythm.multiples.iter().take(MOST).enumerate().skip(1))
        .map(|(index, similarity)| format!("{} cycles {similarity:.2}", index + 1))
        .collect();
    let multiples = if multiples.is_empty() {
        String::new()
    } else {
        format!("; after {}", multiples.join(", "))
    };
    format!(
        "rhythm: one cycle lasts {:.3} s, confidence {:.2}{multiples}",
        rhythm.period_secs, rhythm.confidence
    )
}

#[derive(Serialize)]
struct FoundLoop {
    rank: usize,
    candidate: CandidateFacts,
    root: RootFacts,
    /// Likeness of the frames around with themselves one period on.
    strength: Option<f64>,
    /// Autocorrelation of the whole take at the period.
    take_strength: Option<f64>,
    idle: bool,
}

#[derive(Serialize)]
struct Miss {
    start_frame: usize,
    end_frame: usize,
    period_secs: f64,
    reason: &'static str,
    found: Option<f64>,
}

impl Miss {
    fn of(miss: &NearestMiss) -> Self {
        let (reason, found) = match miss.reason {
            MissReason::CostRatio { found } => ("cost_ratio", Some(found)),
            MissReason::Strength { found } => ("strength", Some(found)),
            MissReason::NoRhythm { found } => ("no_rhythm", Some(found)),
            MissReason::SeenOnce => ("seen_once", None),
            MissReason::Travel { found } => ("travel", Some(ops::hypot(found.linear.x, found.linear.z))),
            MissReason::Cycles { found } => ("cycles", Some(f64::from(found))),
        };
        Miss {
            start_frame: miss.pair.start_frame,
            end_frame: miss.pair.end_frame,
            period_secs: miss.period_secs,
            reason,
            found,
        }
    }
}

/// A segment and the place of its loop in the list.
#[derive(Serialize)]
struct SegmentLoop {
    #[serde(flatten)]
    segment: SegmentFacts,
    /// Rank of its loop; null where it has none.
    rank: Option<usize>,
    /// What came nearest, where it has none.
    nearest_miss: Option<Miss>,
}

/// How often the take repeats.
#[derive(Serialize)]
struct RhythmFacts {
    period_secs: f64,
    confidence: f64,
    /// Likeness of the take with itself after one cycle, two, three and so on.
    multiples: Vec<f64>,
}

#[derive(Serialize)]
struct FindAnswer<'a> {
    take: TakeFacts,
    random_cost: Option<f64>,
    candidates: Vec<FoundLoop>,
    nearest_miss: Option<Miss>,
    /// Null where nothing that moves repeats, and in a search by segments.
    rhythm: Option<RhythmFacts>,
    /// Null unless the search went by segments.
    segments: Option<Vec<SegmentLoop>>,
    /// Why nothing was found; null where something was.
    refusal: Option<Refusal<'a>>,
    warnings: &'a [String],
}

/// The list as JSON.
pub(crate) fn json(
    loaded: &Loaded,
    hunt: &Hunt,
    settings: &SearchSettings,
    failure: Option<&Failure>,
    warnings: &[String],
) -> String {
    let found = &hunt.found;
    let candidates = found
        .candidates
        .iter()
        .enumerate()
        .map(|(index, candidate)| FoundLoop {
            rank: index + 1,
            candidate: describe::candidate(candidate, candidate.source_period_secs),
            root: describe::root(
                &RootMotion {
                    start: candidate.root_start,
                    twist: candidate.twist,
                },
                RootMode::Constant,
                RootSpace::Ground,
            ),
            strength: candidate.strength,
            take_strength: candidate.take_strength,
            idle: candidate.is_idle,
        })
        .collect();
    let nearest_miss = found.nearest_miss.as_ref().map(Miss::of);
    let mut ranks = 1..;
    let segments = hunt.segments.as_ref().map(|segments| {
        let facts = segments.iter().map(|loops| SegmentLoop {
            segment: SegmentFacts::from(&loops.segment),
            rank: loops.best.as_ref().ok().and_then(|_| ranks.next()),
            nearest_miss: loops.best.as_ref().err().and_then(|miss| miss.as_ref().map(Miss::of)),
        });
        facts.collect()
    });
    let rhythm = (hunt.segments.is_none())
        .then(|| found.rhythm(&loaded.analysis, settings))
        .flatten()
        .map(|rhythm| RhythmFacts {
            period_secs: rhythm.period_secs,
            confidence: rhythm.confidence,
            multiples: rhythm.multiples,
        });
    json::text(&FindAnswer {
        take: loaded.facts(),
        random_cost: found.random_cost,
        candidates,
        nearest_miss,
        rhythm,
        segments,
        refusal: failure.map(Refusal::of),
        warnings,
    })
}
