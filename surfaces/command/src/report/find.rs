//! Answers of `find`.

use std::convert::Infallible;

use loopwright_core::{
    RootMode, RootMotion, SearchSettings,
    candidate::{CyclesLeftOut, MissReason, NearestMiss, Outcome, SegmentLoops},
    math::ops,
    root_motion::RootSpace,
};
use loopwright_formats::loop_file::{
    describe,
    facts::{CandidateFacts, CheckFacts, RootMotionFacts, TakeFacts},
};
use loopwright_job::{SearchRows, Studied, verdict};

use super::{
    figures::{headline, several_cycles, whole_clip},
    inspect::SegmentFacts,
    table::{in_columns, joined, optional, or_dash},
};
use crate::{failures, parallel};

/// A loop of the list.
#[in_schema]
pub struct FoundLoop {
    /// Its number in the list, from 1, the recommended loop first; make --pick takes it.
    rank: usize,
    #[serde(flatten)]
    #[schemars(with = "crate::schema_words::Candidate")]
    candidate: CandidateFacts,
    /// Likeness of the frames around to themselves one period on, at most 1; null where no rhythm was measured.
    repeat_strength: Option<f64>,
    /// Autocorrelation of the whole take at the period, at most 1; null where the take is too short to measure it.
    take_repeat_strength: Option<f64>,
    /// Whether the body is idle in the stretch.
    idle: bool,
    /// Loops of this stretch that were found, shifted or of other numbers of cycles, this one included; null with search.shifted.
    versions: Option<usize>,
    /// The gait of the segment of the take that holds most of the loop, such as walk or run.
    segment: Option<String>,
    /// The grade of the loop as make makes it by default; null where it cannot be made.
    #[schemars(schema_with = "crate::schema_words::optional_word::<loopwright_formats::loop_file::facts::Grade>")]
    grade: Option<&'static str>,
    /// The reason for the grade, as a clause.
    reason: Option<String>,
    /// The checks that the grade comes from.
    #[schemars(with = "Vec<crate::schema_words::Check>")]
    checks: Vec<CheckFacts>,
    /// What a person sees of the loop, by which the list is ordered; null for whole clips, idle loops and with search.choose=cost.
    outcome: Option<OutcomeFacts>,
    /// Its root motion as it would be written by default.
    #[schemars(with = "crate::schema_words::RootMotion")]
    root_motion: RootMotionFacts,
}

/// What a person sees of a loop, by which the list is ordered; lengths and speeds at the size of a man, null what was not worked
/// out.
#[in_schema]
struct OutcomeFacts {
    /// The sum of all parts, each from 0 to 3; less is better.
    score: f64,
    /// Mean distance of joints from the take after closing, feet not locked.
    displacement_mm: Option<f64>,
    /// Difference of speed between a cycle around the end and one around the start, over their mean.
    speed_drift_ratio: Option<f64>,
    /// The same for the turn of a cycle.
    turn_drift_deg: Option<f64>,
    /// The take's own acceleration at the seam over its 99th percentile in the stretch.
    abruptness_ratio: f64,
    /// Cycles beyond the fewest of any loop of the list.
    extra_cycles: u32,
    /// Speed of standing feet in the finished loop; null beyond the best three.
    foot_slide_cmps: Option<f64>,
    /// The sharpest acceleration of a knee in the finished loop over its own in the take; null beyond the best three.
    knee_ratio: Option<f64>,
    /// Share of the turn in the busiest third of the stretch; null where it turns by less than 30 degrees.
    turn_in_third_share: Option<f64>,
    /// Difference of its speed from the median one of this gait in the take, as a share; null where it goes nowhere.
    pace_off_ratio: Option<f64>,
    /// Largest distance of a standing foot from its height in the take; null beyond the best three.
    foot_height_mm: Option<f64>,
    /// Sharpest jerk of a joint over its own in the take; null beyond the best three.
    kink_ratio: Option<f64>,
    /// Difference of the turn of a cycle from that of the straight way around it; null off straight ways.
    veer_deg: Option<f64>,
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
            veer_deg: outcome.veer_radians.map(f64::to_degrees),
        }
    }
}

impl FoundLoop {
    fn list(rows: &SearchRows, studied: &Studied) -> Vec<Self> {
        let candidates = &rows.found.candidates;
        parallel::in_order(candidates.len(), |index| {
            let candidate = &candidates[index];
            // Most loops are made only to be judged.
            let verdict = verdict::of_stretch(studied, candidate);
            let stretches = rows.stretches.as_ref();
            let segment = studied.analysis.segment_of(candidate);
            let root = RootMotion::new(candidate.root_start, candidate.twist);
            Ok::<_, Infallible>(Self {
                rank: index + 1,
                candidate: describe::candidate(candidate, candidate.source_period_secs),
                repeat_strength: candidate.strength,
                take_repeat_strength: candidate.take_strength,
                idle: candidate.is_idle,
                versions: stretches.and_then(|stretches| stretches.versions.get(index).copied()),
                segment: segment.map(|segment| segment.gait.to_string()),
                grade: verdict.as_ref().map(|verdict| verdict.grade.as_str()),
                reason: verdict.as_ref().map(|verdict| verdict.reason.clone()),
                checks: verdict.map(|verdict| verdict.checks).unwrap_or_default(),
                outcome: candidate.outcome.as_ref().map(OutcomeFacts::from),
                root_motion: describe::root_motion(&root, RootMode::default(), RootSpace::Ground),
            })
        })
        .unwrap_or_default()
    }

    /// Returns the cells of the table's row.
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
            or_dash(self.grade),
        ];
        if let Some(versions) = self.versions {
            row.extend([versions.to_string(), or_dash(self.segment.as_ref())]);
        }
        if !verbose {
            return row;
        }
        row.extend(match &self.outcome {
            Some(outcome) => [
                optional(Some(outcome.score), 1),
                optional(outcome.displacement_mm, 1),
                optional(outcome.speed_drift_ratio.map(|share| 1e2 * share), 1),
                optional(outcome.turn_drift_deg, 1),
                optional(Some(outcome.abruptness_ratio), 2),
                optional(outcome.foot_slide_cmps, 1),
                optional(outcome.knee_ratio, 2),
            ],
            None => ["-"; 7].map(str::to_owned),
        });
        row.extend([
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
#[in_schema]
#[derive(Default)]
struct Miss {
    /// The frame that would be the start.
    start_frame: usize,
    /// The frame that would be the end.
    end_frame: usize,
    /// Seconds between them.
    period_secs: f64,
    /// What was wrong: the seam costs too much, the frames around do not repeat, they have no rhythm, the cycle is seen only once, or the root
    /// motion or the number of cycles is not what was asked for.
    #[schemars(extend("enum" = ["cost_ratio", "repeat_strength", "no_rhythm", "seen_once", "root_motion", "cycles"]))]
    reason: &'static str,
    /// Cost of the seam over the median cost of random jumps.
    cost_ratio: Option<f64>,
    /// Likeness of the frames around to themselves one period on.
    repeat_strength: Option<f64>,
    /// How far that likeness stands out from other lags.
    rhythm_prominence: Option<f64>,
    /// Speed over the ground.
    speed_mps: Option<f64>,
    /// Rate of turn, left positive.
    turn_rate_dps: Option<f64>,
    /// Rate of climb.
    climb_mps: Option<f64>,
    /// Cycles that the pair spans.
    cycles: Option<u32>,
}

impl Miss {
    fn new(miss: &NearestMiss) -> Self {
        let mut facts = Self {
            start_frame: miss.pair.start_frame,
            end_frame: miss.pair.end_frame,
            period_secs: miss.period_secs,
            ..Self::default()
        };
        facts.reason = match miss.reason {
            MissReason::CostRatio { found } => {
                facts.cost_ratio = Some(found);
                "cost_ratio"
            }
            MissReason::Strength { found } => {
                facts.repeat_strength = Some(found);
                "repeat_strength"
            }
            MissReason::NoRhythm { found } => {
                facts.rhythm_prominence = Some(found);
                "no_rhythm"
            }
            MissReason::SeenOnce => "seen_once",
            MissReason::RootMotion { found } => {
                facts.speed_mps = Some(ops::hypot(found.linear.x, found.linear.z));
                facts.turn_rate_dps = Some(found.angular.y.to_degrees());
                facts.climb_mps = Some(found.linear.y);
                "root_motion"
            }
            MissReason::Cycles { found } => {
                facts.cycles = Some(found);
                "cycles"
            }
        };
        facts
    }
}

/// A segment of the take, and the rank of its loop.
#[in_schema]
struct SegmentLoop {
    #[serde(flatten)]
    segment: SegmentFacts,
    /// Rank of its loop in candidates; null where it has none, or where --top leaves that out.
    rank: Option<usize>,
    /// What came nearest, where it has none.
    nearest_miss: Option<Miss>,
    #[serde(skip)]
    why_none: Option<String>,
}

impl From<&SegmentLoops> for SegmentLoop {
    fn from(loops: &SegmentLoops) -> Self {
        let miss = loops.nearest_miss.as_ref();
        Self {
            segment: SegmentFacts::from(&loops.segment),
            rank: loops.row.map(|row| row + 1),
            nearest_miss: miss.map(Miss::new),
            why_none: (!loops.has_loop)
                .then(|| miss.map_or_else(|| "no valid loop points".to_owned(), failures::miss_in_words)),
        }
    }
}

/// How often the take repeats.
#[in_schema]
struct RhythmFacts {
    /// Seconds of one cycle.
    period_secs: f64,
    /// How sure that is, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    confidence: f64,
    /// Likeness of the whole take to itself after one cycle, two, three and so on; none where a part of it was searched.
    multiples: Vec<f64>,
}

/// The answer of `find`.
#[in_schema]
pub struct FindAnswer {
    /// The take.
    #[schemars(with = "crate::schema_words::Take")]
    take: TakeFacts,
    /// Median cost of random jumps in the take; null where it is too short for any.
    random_cost_metre_secs: Option<f64>,
    /// One row per stretch, the recommended loop first, then those that move, then idle ones. Of each, every kind of motion once before any comes
    /// again, by grade and in the order of time; bad ones last. With search.shifted versions of loops one by one, the recommended one first and the
    /// rest by cost.
    candidates: Vec<FoundLoop>,
    /// Stretches beyond the rows that --top allows; with --every-cycle the cycles of the gaits that are no loops to use; null with search.shifted, and
    /// where the take cannot be searched.
    candidates_left_out: Option<usize>,
    /// What came nearest, where nothing was found or less than asked for.
    nearest_miss: Option<Miss>,
    /// How often the take repeats; null where nothing that moves does.
    rhythm: Option<RhythmFacts>,
    /// The segments of the take that are long enough for a loop, in the order of time; null with search.shifted, and where nothing was found because
    /// the take cannot be searched.
    segments: Option<Vec<SegmentLoop>>,
}

impl FindAnswer {
    /// Collects the facts of a search's result.
    pub fn new(loaded: &Studied, rows: &SearchRows, settings: &SearchSettings) -> Self {
        let found = &rows.found;
        let rhythm = found.rhythm(&loaded.analysis, settings);
        let segments = rows.stretches.as_ref().map(|stretches| &stretches.segments);
        Self {
            take: loaded.facts(),
            random_cost_metre_secs: found.random_cost,
            candidates: FoundLoop::list(rows, loaded),
            candidates_left_out: rows
                .stretches
                .as_ref()
                .map(|stretches| stretches.num_left_out)
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

    /// Words the answer; `verbose` adds the figures that the loops were judged by, and the segments without a loop.
    pub fn human(&self, verbose: bool) -> String {
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
        let mut text = headline(&self.take);
        if let Some(whole) = self
            .candidates
            .first()
            .and_then(|first| first.candidate.whole_clip.as_ref())
        {
            text += &format!("1 is the whole clip: {}\n", whole_clip(whole));
        }
        if let Some(rhythm) = &self.rhythm {
            text += &format!("{}\n", rhythm.human());
        }
        text += &in_columns(
            &format!("# | start | end | seconds | cycles | m/s | deg/s | grade{of_stretch}{judged_by}"),
            self.candidates.iter().map(|found| found.row(verbose)),
        );
        let first = self.candidates.first();
        if let Some((first, why)) = first.and_then(|first| Some((first, several_cycles(&first.candidate)?))) {
            text += &format!("{} spans {} cycles: {why}\n", first.rank, first.candidate.cycles);
        }
        if let Some(count @ 1..) = self.candidates_left_out {
            let all = count + self.candidates.len();
            let stretches = if count == 1 { "stretch" } else { "stretches" };
            text += &format!("and {count} more {stretches}: --top {all} lists all\n");
        }
        for SegmentLoop { segment, why_none, .. } in self.segments.iter().flatten().filter(|_| verbose) {
            if let Some(why) = why_none {
                text += &format!(
                    "no loop in frames {}-{} ({}); {why}\n",
                    segment.start_frame, segment.end_frame, segment.gait
                );
            }
        }
        text
    }
}

impl RhythmFacts {
    /// Words the rhythm of a take, in one line.
    fn human(&self) -> String {
        const MOST: usize = 5;
        let multiples = self
            .multiples
            .iter()
            .take(MOST)
            .enumerate()
            .skip(1)
            .map(|(index, likeness)| format!("{} cycles {likeness:.2}", index + 1));
        let multiples = match joined(multiples, ", ") {
            none if none.is_empty() => none,
            multiples => format!("; after {multiples}"),
        };
        format!(
            "rhythm: one cycle lasts {:.3} s, confidence {:.2}{multiples}",
            self.period_secs, self.confidence
        )
    }
}
