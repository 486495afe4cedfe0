//! Answers of `find`.

use std::{convert::Infallible, fmt::Write};

use loopwright_core::candidate::{CyclesLeftOut, MissReason, NearestMiss, Outcome, SegmentLoops};
use loopwright_core::{Analysis, RootMode, RootMotion, SearchSettings, math::ops, root_motion::RootSpace};
use loopwright_formats::loop_file::describe;
use loopwright_formats::loop_file::facts::{CandidateFacts, CheckFacts, RootMotionFacts, TakeFacts};
use loopwright_job::{SearchRows, Studied, verdict};
use serde::Serialize;

use super::figures::{headline, several_cycles, whole_clip};
use super::table::{Table, optional};
use super::{inspect::SegmentFacts, json};
use crate::{exit::Failure, failures, parallel};

#[derive(Serialize)]
pub(crate) struct FoundLoop {
    rank: usize,
    #[serde(flatten)]
    candidate: CandidateFacts,
    repeat_strength: Option<f64>,
    take_repeat_strength: Option<f64>,
    idle: bool,
    versions: Option<usize>,
    segment: Option<String>,
    grade: Option<&'static str>,
    reason: Option<String>,
    checks: Vec<CheckFacts>,
    outcome: Option<OutcomeFacts>,
    root_motion: RootMotionFacts,
}

/// What a person sees of a loop, by which the list is ordered; lengths and speeds at the size of a man, null what was not worked
/// out.
#[derive(Serialize)]
struct OutcomeFacts {
    score: f64,
    displacement_mm: Option<f64>,
    speed_drift_ratio: Option<f64>,
    turn_drift_deg: Option<f64>,
    abruptness_ratio: f64,
    extra_cycles: u32,
    foot_slide_cmps: Option<f64>,
    knee_ratio: Option<f64>,
    turn_in_third_share: Option<f64>,
    pace_off_ratio: Option<f64>,
    foot_height_mm: Option<f64>,
    kink_ratio: Option<f64>,
}

impl From<&Outcome> for OutcomeFacts {
    fn from(outcome: &Outcome) -> Self {
        Self {
            score: outcome.score(),
            displacement_mm: outcome.displacement_metres.map(|metres| 1e3 * metres),
            speed_drift_ratio: outcome.speed_drift,
            turn_drift_deg: outcome.turn_drift_radians.map(f64::to_degrees),
            abruptness_ratio: outcome.abruptness,
            extra_cycles: outcome.extra_cycles,
            foot_slide_cmps: outcome.foot_slide_mps.map(|speed| 1e2 * speed),
            knee_ratio: outcome.knee_ratio,
            turn_in_third_share: outcome.turn_in_third,
            pace_off_ratio: outcome.pace_off,
            foot_height_mm: outcome.foot_height_metres.map(|metres| 1e3 * metres),
            kink_ratio: outcome.kink_ratio,
        }
    }
}

impl FoundLoop {
    fn list(rows: &SearchRows, analysis: &Analysis) -> Vec<Self> {
        let candidates = &rows.found.candidates;
        let of = |index: usize| {
            let candidate = &candidates[index];
            // Most loops are made for this alone.
            let verdict = verdict::default_loop(analysis, candidate).map(|(verdict, _)| verdict);
            Ok::<_, Infallible>(Self {
                rank: index + 1,
                candidate: describe::candidate(candidate, candidate.source_period_secs),
                repeat_strength: candidate.strength,
                take_repeat_strength: candidate.take_strength,
                idle: candidate.is_idle,
                versions: (rows.stretches.as_ref()).and_then(|stretches| stretches.versions.get(index).copied()),
                segment: analysis.segment_of(candidate).map(|segment| segment.gait.to_string()),
                grade: verdict.as_ref().map(|verdict| verdict.grade.as_str()),
                reason: verdict.as_ref().map(|verdict| verdict.reason.clone()),
                checks: verdict.map(|verdict| verdict.checks).unwrap_or_default(),
                outcome: candidate.outcome.as_ref().map(OutcomeFacts::from),
                root_motion: describe::root_motion(
                    &RootMotion::new(candidate.root_start, candidate.twist),
                    RootMode::default(),
                    RootSpace::Ground,
                ),
            })
        };
        parallel::in_order(candidates.len(), of).unwrap_or_default()
    }

    fn row(&self, verbose: bool) -> Vec<String> {
        let (candidate, root_motion) = (&self.candidate, &self.root_motion);
        let mut row = vec![
            self.rank.to_string(),
            format!("{:.0}", candidate.start_frame),
            format!("{:.2}", candidate.end_frame),
            format!("{:.3}", candidate.source_period_secs),
            candidate.cycles.to_string(),
            format!("{:.2}", root_motion.speed_mps),
            format!("{:+.1}", root_motion.turn_rate_dps),
            self.grade.unwrap_or("-").to_owned(),
        ];
        if let Some(versions) = self.versions {
            row.extend([
                versions.to_string(),
                self.segment.clone().unwrap_or_else(|| "-".to_owned()),
            ]);
        }
        if !verbose {
            return row;
        }
        let outcome = self.outcome.as_ref();
        row.extend([
            optional(outcome.map(|outcome| outcome.score), 1),
            optional(outcome.and_then(|outcome| outcome.displacement_mm), 1),
            optional(
                outcome
                    .and_then(|outcome| outcome.speed_drift_ratio)
                    .map(|share| 1e2 * share),
                1,
            ),
            optional(outcome.and_then(|outcome| outcome.turn_drift_deg), 1),
            optional(outcome.map(|outcome| outcome.abruptness_ratio), 2),
            optional(outcome.and_then(|outcome| outcome.foot_slide_cmps), 1),
            optional(outcome.and_then(|outcome| outcome.knee_ratio), 2),
            optional(candidate.seam_cost_metre_secs, 4),
            optional(candidate.cost_ratio, 3),
            optional(candidate.steadiness, 2),
            format!("{:+.2}", root_motion.climb_mps),
            // A phase just before the strike is closer to the strike than to a whole cycle after it, so 1 becomes 0.
            optional(
                candidate
                    .contact_phase
                    .map(|phase| (100.0 * phase).round() % 100.0 / 100.0),
                2,
            ),
            optional(candidate.activity_ratio, 2),
        ]);
        row
    }
}

/// The pair of frames that came nearest to a loop, and why it failed; figures that did not fail are null.
#[derive(Default, Serialize)]
struct Miss {
    start_frame: usize,
    end_frame: usize,
    period_secs: f64,
    reason: &'static str,
    cost_ratio: Option<f64>,
    repeat_strength: Option<f64>,
    rhythm_prominence: Option<f64>,
    speed_mps: Option<f64>,
    turn_rate_dps: Option<f64>,
    climb_mps: Option<f64>,
    cycles: Option<u32>,
}

impl Miss {
    fn new(miss: &NearestMiss) -> Self {
        let common = Self {
            start_frame: miss.pair.start_frame,
            end_frame: miss.pair.end_frame,
            period_secs: miss.period_secs,
            ..Self::default()
        };
        match miss.reason {
            MissReason::CostRatio { found } => Self {
                reason: "cost_ratio",
                cost_ratio: Some(found),
                ..common
            },
            MissReason::Strength { found } => Self {
                reason: "repeat_strength",
                repeat_strength: Some(found),
                ..common
            },
            MissReason::NoRhythm { found } => Self {
                reason: "no_rhythm",
                rhythm_prominence: Some(found),
                ..common
            },
            MissReason::SeenOnce => Self {
                reason: "seen_once",
                ..common
            },
            MissReason::RootMotion { found } => Self {
                reason: "root_motion",
                speed_mps: Some(ops::hypot(found.linear.x, found.linear.z)),
                turn_rate_dps: Some(found.angular.y.to_degrees()),
                climb_mps: Some(found.linear.y),
                ..common
            },
            MissReason::Cycles { found } => Self {
                reason: "cycles",
                cycles: Some(found),
                ..common
            },
        }
    }
}

/// A segment of the take, and the rank of its loop.
#[derive(Serialize)]
struct SegmentLoop {
    #[serde(flatten)]
    segment: SegmentFacts,
    rank: Option<usize>,
    nearest_miss: Option<Miss>,
    #[serde(skip)]
    why_none: Option<String>,
}

impl From<&SegmentLoops> for SegmentLoop {
    fn from(loops: &SegmentLoops) -> Self {
        let miss = loops.nearest_miss.as_ref();
        let why_none = || miss.map_or_else(|| "no valid loop points".to_owned(), failures::miss_in_words);
        Self {
            segment: SegmentFacts::from(&loops.segment),
            rank: loops.row.map(|row| row + 1),
            nearest_miss: miss.map(Miss::new),
            why_none: (!loops.has_loop).then(why_none),
        }
    }
}

/// How often the take repeats.
#[derive(Serialize)]
struct RhythmFacts {
    period_secs: f64,
    confidence: f64,
    multiples: Vec<f64>,
}

/// The answer of `find`.
#[derive(Serialize)]
pub(crate) struct FindAnswer {
    take: TakeFacts,
    random_cost_metre_secs: Option<f64>,
    candidates: Vec<FoundLoop>,
    candidates_left_out: Option<usize>,
    nearest_miss: Option<Miss>,
    rhythm: Option<RhythmFacts>,
    segments: Option<Vec<SegmentLoop>>,
}

impl FindAnswer {
    /// The facts of a search's result.
    pub(crate) fn new(loaded: &Studied, rows: &SearchRows, settings: &SearchSettings) -> Self {
        let found = &rows.found;
        let rhythm = found.rhythm(&loaded.analysis, settings);
        let segments = rows.stretches.as_ref().map(|stretches| &stretches.segments);
        Self {
            take: loaded.facts(),
            random_cost_metre_secs: found.random_cost,
            candidates: FoundLoop::list(rows, &loaded.analysis),
            candidates_left_out: (rows.stretches.as_ref().map(|stretches| stretches.num_left_out))
                .or(found.left_out.map(CyclesLeftOut::count)),
            nearest_miss: found.nearest_miss.as_ref().map(Miss::new),
            rhythm: rhythm.map(|rhythm| RhythmFacts {
                period_secs: rhythm.period_secs,
                confidence: rhythm.confidence,
                multiples: rhythm.multiples,
            }),
            segments: segments.map(|segments| segments.iter().map(SegmentLoop::from).collect()),
        }
    }

    pub(crate) fn json(&self, failure: Option<&Failure>, outputs: &[String]) -> String {
        json::document("find", self, failure, outputs)
    }

    /// The answer as text; `verbose` adds what the loops were judged by, and what holds none.
    pub(crate) fn human(&self, verbose: bool) -> String {
        let of_stretch = if self.candidates.iter().any(|found| found.versions.is_some()) {
            " | versions | <kind"
        } else {
            ""
        };
        let judged_by = if verbose {
            " | score | mm off | drift % | deg | abrupt | slide cm/s | knee | seam cost | ratio | steady | climb | phase | activity"
        } else {
            ""
        };
        let mut table = Table::new(&format!(
            "# | start | end | seconds | cycles | m/s | deg/s | grade{of_stretch}{judged_by}"
        ));
        for found in &self.candidates {
            table.row(found.row(verbose));
        }
        let mut text = headline(&self.take);
        if let Some(whole) = self
            .candidates
            .first()
            .and_then(|first| first.candidate.whole_clip.as_ref())
        {
            let _ = writeln!(text, "1 is the whole clip: {}", whole_clip(whole));
        }
        if let Some(rhythm) = &self.rhythm {
            let _ = writeln!(text, "{}", rhythm.human());
        }
        text.push_str(&table.render());
        if let Some((first, why)) =
            (self.candidates.first()).and_then(|first| Some((first, several_cycles(&first.candidate)?)))
        {
            let _ = writeln!(text, "{} spans {} cycles: {why}", first.rank, first.candidate.cycles);
        }
        if let Some(count @ 1..) = self.candidates_left_out {
            let all = count + self.candidates.len();
            let stretches = if count == 1 { "stretch" } else { "stretches" };
            let _ = writeln!(text, "and {count} more {stretches}: --top {all} lists all");
        }
        for SegmentLoop { segment, why_none, .. } in self.segments.iter().flatten().filter(|_| verbose) {
            if let Some(why) = why_none {
                let _ = writeln!(
                    text,
                    "no loop in frames {}-{} ({}); {why}",
                    segment.start_frame, segment.end_frame, segment.gait
                );
            }
        }
        text
    }
}

impl RhythmFacts {
    /// The rhythm of a take, in one line.
    fn human(&self) -> String {
        const MOST: usize = 5;
        let multiples: Vec<String> = (self.multiples.iter().take(MOST).enumerate().skip(1))
            .map(|(index, likeness)| format!("{} cycles {likeness:.2}", index + 1))
            .collect();
        let multiples = if multiples.is_empty() {
            String::new()
        } else {
            format!("; after {}", multiples.join(", "))
        };
        format!(
            "rhythm: one cycle lasts {:.3} s, confidence {:.2}{multiples}",
            self.period_secs, self.confidence
        )
    }
}
