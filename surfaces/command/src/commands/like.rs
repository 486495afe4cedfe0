//! `loopwright find --like`: finds where a take repeats what other motions do.

use std::path::Path;

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
    report::{
        json,
        like::{LikeAnswer, OccurrenceFacts, SoughtFacts},
    },
};

/// Largest cost of jumps between a stretch and the sought motion, as a share of the cost of random jumps, at which the two count as alike.
///
/// In captured takes, cycles of the same gait in the same take lie below .2, the same gait in another style below .4, other gaits above
/// .45.
const MAX_RATIO: f64 = 0.4;

pub fn run(args: &FindArgs, input: &InputFile, study: &Study) -> Result<Ending> {
    let decay = args.search.decay.lasting(args.search.half_life, args.search.half_life);
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
    all.sort_by(|(_, one), (_, other)| {
        one.cost
            .total_cmp(&other.cost)
            .then(one.start_frame.cmp(&other.start_frame))
    });
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
