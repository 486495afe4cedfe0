//! `loopwright find --like`: finds where a take repeats what other motions do.

use std::path::Path;

use loopwright_core::math::ordered;
use loopwright_formats::loop_file::facts::TakeFacts;
use loopwright_job::Study;
use loopwright_moves::{
    Transitions,
    transition::{Occurrence, TransitionClip},
};

use crate::{
    args::FindArgs,
    exit::{Ending, Failure, Result},
    failures,
    files::InputFile,
    load,
    motions::{self, NamedMotion},
    output,
    recipe::{StudyArgs, TakeArgs},
    report::{figures::headline, json, table::in_columns},
};

/// Largest cost of jumps between a stretch and the sought motion, as a share of the cost of random jumps, at which the two count as alike.
///
/// In captured takes, cycles of the same gait in the same take lie below .2, the same gait in another style below .4, other gaits above
/// .45.
const MAX_RATIO: f64 = 0.4;

pub fn run(args: &FindArgs, input: &InputFile, study: &Study) -> Result<Ending> {
    let decay = args.search.fade(1.0);
    let reading = reading_of(&args.study);
    let mut patterns = Vec::new();
    for named in &args.like {
        for pattern in NamedMotion::all(named)? {
            patterns.push((pattern.read(&reading)?, pattern));
        }
    }
    let loaded = load::load(input, study)?;
    args.search
        .check(&loaded)
        .map_err(|error| failures::job(&loaded, Some(&args.search), error))?;
    let facts = loaded.facts();
    let take = TransitionClip::from_take(loaded.analysis);
    let within = args
        .search
        .within
        .map_or(0..take.num_frames(), |(start, end)| start..end + 1);
    let mut sought = Vec::new();
    let mut all: Vec<(usize, Occurrence)> = Vec::new();
    for (number, (motion, pattern)) in patterns.iter().enumerate() {
        let transitions = Transitions::between(motion, &take, &args.study.weights)
            .map_err(|error| motions::mismatch([&pattern.path, &input.typed()], error))?;
        let frames = pattern
            .frames
            .map_or(0..motion.num_frames(), |(start, end)| start..end + 1);
        let occurrences = transitions.occurrences(frames.clone(), within.clone(), decay, MAX_RATIO);
        all.extend(occurrences.found.iter().map(|found| (number, *found)));
        sought.push((pattern, motion, frames, occurrences));
    }
    all.sort_by_key(|(_, each)| (ordered(each.cost), each.start_frame));
    // A stretch is listed once, for the motion that it resembles most.
    let mut listed: Vec<(usize, Occurrence)> = Vec::new();
    for (number, found) in all {
        if listed.iter().all(|(_, kept)| !kept.overlaps(&found)) {
            listed.push((number, found));
        }
    }
    let step_secs = take.step_secs();
    let answer = LikeAnswer {
        take: facts,
        num_left_out: listed.len().saturating_sub(args.top),
        occurrences: listed
            .iter()
            .take(args.top)
            .map(|&(number, found)| OccurrenceFacts::new(number, &found, step_secs))
            .collect(),
        sought: sought
            .iter()
            .enumerate()
            .map(|(at, (pattern, motion, frames, occurrences))| SoughtFacts {
                file: pattern.path.display().to_string(),
                kind: if motion.repeats() { "loop" } else { "take" },
                start_frame: frames.start,
                end_frame: frames.end.saturating_sub(1),
                random_cost_metre_secs: occurrences.random_cost,
                occurrences: listed.iter().filter(|(number, _)| *number == at).count(),
                nearest: occurrences
                    .nearest
                    .map(|nearest| OccurrenceFacts::new(at, &nearest, step_secs)),
            })
            .collect(),
    };
    if answer.occurrences.is_empty() {
        let failure = nothing(&input.typed(), &answer);
        let document = json::document("like", &answer, Some(&failure), &[]);
        return Err(failure.in_document(document));
    }
    output::answer("like", &answer, None, &[], args.json, LikeAnswer::human)
}

/// Returns the settings for reading the sought motions: as for the take, except for its animation.
pub fn reading_of(study: &StudyArgs) -> TakeArgs {
    let reading = StudyArgs {
        animation: None,
        reference: None,
        gaze: None,
        ..study.clone()
    };
    reading.reading()
}

fn nothing(take: &Path, answer: &LikeAnswer) -> Failure {
    let mut failure = Failure::nothing(format!("no stretch of \"{}\" is like that", take.display()));
    for sought in &answer.sought {
        failure = failure.because(match &sought.nearest {
            Some(nearest) => format!("\"{}\": {}", sought.file, nearest.as_miss(MAX_RATIO)),
            None => format!("\"{}\": too long for the take, or a single pose", sought.file),
        });
    }
    failure.try_this("`loopwright inspect` shows what the take holds")
}

/// A stretch of the take that is like a motion.
#[in_schema]
struct OccurrenceFacts {
    /// The motion: its place in the list of those that were sought, from 0.
    sought: usize,
    /// First frame.
    start_frame: usize,
    /// Last frame.
    end_frame: usize,
    /// Time of the first frame.
    start_secs: f64,
    /// Its frames times the time of one.
    duration_secs: f64,
    /// How much faster than the motion it is.
    tempo_ratio: f64,
    /// Mean distance of joints between the two, seen from the root.
    joint_gap_m: f64,
    /// Mean cost of a jump from one into the other, over its frames.
    cost_metre_secs: f64,
    /// The same as a share of random_cost_metre_secs: 0 for the same motion.
    cost_ratio: f64,
}

impl OccurrenceFacts {
    /// Describes a stretch of a take with this step.
    fn new(sought: usize, found: &Occurrence, step_secs: f64) -> Self {
        Self {
            sought,
            start_frame: found.start_frame,
            end_frame: found.start_frame + found.num_frames - 1,
            start_secs: found.start_frame as f64 * step_secs,
            duration_secs: found.num_frames as f64 * step_secs,
            tempo_ratio: found.tempo,
            joint_gap_m: found.joint_gap_metres,
            cost_metre_secs: found.cost,
            cost_ratio: found.cost_ratio,
        }
    }

    /// Words why it does not count.
    fn as_miss(&self, max_ratio: f64) -> String {
        format!(
            "nearest is frames {}-{}, joints {:.1} cm off, at {:.2} of the cost of jumps at random (at most {max_ratio})",
            self.start_frame,
            self.end_frame,
            1e2 * self.joint_gap_m,
            self.cost_ratio
        )
    }
}

/// A motion that was sought.
#[in_schema]
struct SoughtFacts {
    /// Its file.
    file: String,
    /// Whether it is a take or a loop; of a loop the whole cycle is sought.
    #[schemars(extend("enum" = ["take", "loop"]))]
    kind: &'static str,
    /// First frame of it that is sought.
    start_frame: usize,
    /// Last frame of it that is sought.
    end_frame: usize,
    /// Mean cost of jumps between its frames and frames of the take at random.
    random_cost_metre_secs: f64,
    /// Stretches of the take that are more like it than like any other motion that is sought.
    occurrences: usize,
    /// The stretch that came nearest; null where one counts, and where none is long enough.
    nearest: Option<OccurrenceFacts>,
}

/// The answer of `find --like`.
#[in_schema]
pub struct LikeAnswer {
    /// The take.
    #[schemars(with = "crate::schema_words::Take")]
    take: TakeFacts,
    /// The motions that were sought, in the order in which they were named.
    sought: Vec<SoughtFacts>,
    /// Stretches of the take that are like one of them, cheapest first. They overlap by a quarter at most.
    occurrences: Vec<OccurrenceFacts>,
    /// Stretches beyond the rows that --top allows.
    #[serde(rename = "occurrences_left_out")]
    num_left_out: usize,
}

impl LikeAnswer {
    fn human(&self) -> String {
        let rows = (1_usize..).zip(&self.occurrences).map(|(number, found)| {
            [
                number.to_string(),
                found.start_frame.to_string(),
                found.end_frame.to_string(),
                format!("{:.3}", found.duration_secs),
                format!("{:.2}", found.tempo_ratio),
                format!("{:.1}", 1e2 * found.joint_gap_m),
                format!("{:.3}", found.cost_ratio),
                self.sought[found.sought].file.clone(),
            ]
        });
        let mut text = headline(&self.take);
        text += &in_columns("# | start | end | seconds | tempo | cm off | cost ratio | <like", rows);
        if self.num_left_out > 0 {
            let all = self.num_left_out + self.occurrences.len();
            text += &format!("and {} more: --top {all} lists all\n", self.num_left_out);
        }
        text
    }
}
