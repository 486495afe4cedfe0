//! `loopwright find --like`: where a take does what other motions do.

use std::path::{Path, PathBuf};

use loopwright::{
    Transitions,
    transition::{Occurrence, TransitionClip},
};

use super::cost;
use crate::{
    args::FindArgs,
    exit::{Ending, Failure},
    files, load,
    motions::{self, ReadMotion},
    numbers::parse_range,
    output,
    recipe::{StudyArgs, TakeArgs},
    report::like::{LikeAnswer, OccurrenceFacts, SoughtFacts},
    search,
};

/// A stretch is the motion that is sought if jumps between the two cost at most this share of jumps at random.
///
/// Measured in docs/measurements/like.md: cycles of the same gait in the same take lie below .2, the same gait in another
/// style below .4, other gaits above .45.
const MAX_RATIO: f64 = 0.4;

pub(crate) fn run(args: &FindArgs) -> Result<Ending, Failure> {
    let decay = args.search.decay.lasting(args.search.half_life, args.search.half_life);
    let reading = reading_of(&args.study);
    let mut patterns = Vec::new();
    for named in &args.like {
        for pattern in Pattern::named(named)? {
            patterns.push((pattern.read(&reading)?, pattern));
        }
    }
    let loaded = load::load(&args.take, &args.study)?;
    search::check(&args.search, &loaded)?;
    let facts = loaded.facts();
    let take = TransitionClip::of_take(loaded.analysis);
    let within = args
        .search
        .within
        .map_or(0..take.num_frames(), |(start, end)| start..end + 1);
    let mut sought = Vec::new();
    let mut all: Vec<(usize, Occurrence)> = Vec::new();
    for (number, (motion, pattern)) in patterns.iter().enumerate() {
        let transitions = Transitions::between(motion, &take, &args.study.weights)
            .map_err(|error| motions::mismatch([&pattern.path, &args.take], error))?;
        let frames = pattern
            .frames
            .map_or(0..motion.num_frames(), |(start, end)| start..end + 1);
        let occurrences = transitions.occurrences(frames.clone(), within.clone(), decay, MAX_RATIO);
        all.extend(occurrences.found.iter().map(|found| (number, *found)));
        sought.push((pattern, motion, frames, occurrences));
    }
    all.sort_by(|(_, one), (_, other)| (one.cost.total_cmp(&other.cost)).then(one.start_frame.cmp(&other.start_frame)));
    // A stretch is listed once, for the motion that it is most like.
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
        occurrences: (listed.iter().take(args.top))
            .map(|&(number, found)| OccurrenceFacts::of(number, &found, step_secs))
            .collect(),
        sought: (sought.iter())
            .enumerate()
            .map(|(at, (pattern, motion, frames, occurrences))| SoughtFacts {
                file: pattern.path.display().to_string(),
                kind: if motion.repeats() { "loop" } else { "take" },
                start_frame: frames.start,
                end_frame: frames.end.saturating_sub(1),
                random_cost_metre_secs: occurrences.random_cost,
                occurrences: listed.iter().filter(|(number, _)| *number == at).count(),
                nearest: (occurrences.nearest).map(|nearest| OccurrenceFacts::of(at, &nearest, step_secs)),
            })
            .collect(),
    };
    if answer.occurrences.is_empty() {
        let failure = nothing(&args.take, &answer);
        let document = answer.json(Some(&failure));
        return Err(failure.in_document(document));
    }
    output::print(&if args.json { answer.json(None) } else { answer.human() })?;
    Ok(Ending::Done)
}

/// A motion that is sought, as it was named.
struct Pattern {
    path: PathBuf,
    /// First and last frame; none for all.
    frames: Option<(usize, usize)>,
}

impl Pattern {
    /// `FILE`, `FILE:START:END`, or a folder for all files in it.
    fn named(named: &Path) -> Result<Vec<Self>, Failure> {
        if named.is_dir() {
            let all = files::files_below(named, files::is_named_like_a_take)?;
            if all.is_empty() {
                return Err(
                    Failure::error(format!("\"{}\" holds no take and no loop", named.display()))
                        .try_this("a folder with BVH, FBX, GLB or glTF files"),
                );
            }
            return Ok(all.into_iter().map(|path| Self { path, frames: None }).collect());
        }
        let whole = || Self {
            path: named.to_owned(),
            frames: None,
        };
        if named.exists() {
            return Ok(vec![whole()]);
        }
        let parts = named.to_str().and_then(|text| {
            let (rest, end) = text.rsplit_once(':')?;
            let (file, start) = rest.rsplit_once(':')?;
            Some((file, format!("{start}:{end}")))
        });
        let Some((file, range)) = parts.filter(|(file, _)| Path::new(file).is_file()) else {
            return Ok(vec![whole()]);
        };
        let frames = parse_range(&range).map_err(|why| {
            Failure::error(format!("\"{range}\" is no range of frames of \"{file}\": {why}"))
                .try_this(format!("\"{file}:0:60\", or the name alone for all frames"))
        })?;
        Ok(vec![Self {
            path: PathBuf::from(file),
            frames: Some(frames),
        }])
    }

    /// The motion, with its range checked.
    fn read(&self, reading: &TakeArgs) -> Result<TransitionClip, Failure> {
        let read = ReadMotion::read(&self.path, reading)?;
        if let Some((_, end)) = self.frames {
            // Frames that a file has are those that can be named.
            let _ = cost::frame_of(&self.path, &end.to_string(), read.motion.num_frames())?;
        }
        Ok(read.motion)
    }
}

/// How the motions that are sought are read: as the take, but for its animation.
fn reading_of(study: &StudyArgs) -> TakeArgs {
    TakeArgs {
        up: study.up,
        unit: study.unit,
        skin: study.skin.clone(),
        hips: study.hips.clone(),
        feet: study.feet.clone(),
        ..TakeArgs::default()
    }
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
