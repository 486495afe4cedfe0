//! `loopwright check`: the verdict on loops, and whether their figures are within limits.

use std::path::{Path, PathBuf};

use loopwright_formats::Sidecar;
use loopwright_formats::loop_file::describe;
use loopwright_formats::loop_file::facts::{CheckFacts, Grade, QualityFacts};
use loopwright_job::{CheckError, CheckId, CheckedLoop, Studied};
use loopwright_sets::{LoopOfSet, check_together};

use crate::exit::{Ending, Failure};
use crate::limits::{Exceeded, Limits, SeamNames};
use crate::output::{self, Outputs};
use crate::report::check::{self as report, Verdict};
use crate::written_loop::{self, LoopsInFile, WrittenLoop};
use crate::written_passage::{self, CheckedPassage, WrittenPassage};
use crate::{
    animations::{self, Excluded},
    args::CheckArgs,
    batch, failures, files, load,
    recipe::TakeArgs,
    talk,
};

pub(crate) fn run(args: &CheckArgs) -> Result<Ending, Failure> {
    let limits = Limits::settled(args.limits, args.config.as_deref())?;
    let named = loops_in(&args.loops, &args.reading, Excluded::of(&args.loops, &args.left_out));
    let mut outputs = Outputs::new(args.force);
    if let Some(junit) = &args.junit {
        for path in named
            .iter()
            .filter_map(|(path, _)| path.as_ref().ok())
            .chain(&args.take)
        {
            outputs.protect(path);
            outputs.protect_as("sidecar", &output::sidecar_path(path));
        }
        outputs.check(junit)?;
    }
    let fails = Fails {
        from: args.fail_on,
        only: &args.only,
    };
    let read = |take: &PathBuf| load::load(take, &args.reading.clone().into());
    let take = args.take.as_ref().map(read).transpose()?;
    let mut verdicts: Vec<Verdict> = Vec::new();
    // Of those that can be checked: which verdict, and what the loop brings to the others.
    let mut of_set: Vec<(usize, LoopOfSet)> = Vec::new();
    // A bad file, or a folder without loops, does not stop the others. It is reported now and listed again at the end.
    let mut opened: Option<LoopsInFile> = None;
    let (passages, files) = passages_in(&args.loops)?;
    // A folder of passages alone is no folder without loops.
    let named: Vec<Named> = loops_in(&files, &args.reading, Excluded::of(&args.loops, &args.left_out))
        .into_iter()
        .filter(|(path, _)| match path {
            Err((folder, _)) => !passages.iter().any(|passage| passage.place.0.starts_with(folder)),
            Ok(_) => true,
        })
        .collect();
    let is_alone = named.len() + passages.len() == 1;
    for (path, animation) in named {
        let reading = TakeArgs {
            animation: animation.clone().or_else(|| args.reading.animation.clone()),
            ..args.reading.clone()
        };
        let checked = path
            .and_then(|path| {
                let read = match animation {
                    Some(_) => LoopsInFile::kept(&mut opened, &path).and_then(|file| file.read(&reading)),
                    None => written_loop::read(&path, &reading),
                };
                let checked = read.and_then(|read| {
                    let verdict = check(&path, &read, &reading, take.as_ref(), &limits, &fails)?;
                    if args.together {
                        let (written, sidecar) = (&read.written, read.sidecar.as_ref());
                        let own = LoopOfSet::new(written, sidecar, &reading.overrides())
                            .map_err(|error| uncheckable(&path, error, take.as_ref(), sidecar))?;
                        of_set.push((verdicts.len(), own));
                    }
                    Ok(verdict)
                });
                checked.map_err(|failure| (path, failure))
            })
            .map(|verdict| Verdict {
                animation: animation.clone(),
                ..verdict
            });
        let verdict = match checked {
            Ok(verdict) => {
                if !args.json {
                    for warning in &verdict.warnings {
                        talk::warn(&format!("{}: {warning}", verdict.title()));
                    }
                    output::print(&report::human(&verdict, args.verbose))?;
                }
                verdict
            }
            Err((path, failure)) => {
                // A failure that ends the run is reported by the end of the run.
                if !is_alone {
                    talk::fail(&failure);
                }
                Verdict {
                    file: path.display().to_string(),
                    animation,
                    grade: "error",
                    failure: Some(failure),
                    ..Verdict::default()
                }
            }
        };
        verdicts.push(verdict);
    }
    for passage in passages {
        let (path, animation) = &passage.place;
        let verdict = match passage.check(&args.reading) {
            Ok(checked) => of_passage(&passage, checked, &fails),
            Err(failure) => {
                if !is_alone {
                    talk::fail(&failure);
                }
                Verdict {
                    file: path.display().to_string(),
                    animation: animation.clone(),
                    grade: "error",
                    failure: Some(failure),
                    ..Verdict::default()
                }
            }
        };
        if !args.json && verdict.failure.is_none() {
            for warning in &verdict.warnings {
                talk::warn(&format!("{}: {warning}", verdict.title()));
            }
            output::print(&report::human(&verdict, args.verbose))?;
        }
        verdicts.push(verdict);
    }
    let (places, loops): (Vec<usize>, Vec<LoopOfSet>) = of_set.into_iter().unzip();
    for (place, checks) in places.into_iter().zip(check_together(&loops)) {
        let verdict = &mut verdicts[place];
        let fails = Fails { only: &[], ..fails };
        let [failed, to_review] = fails.of(&checks, false);
        if !args.json {
            output::print(&report::together(verdict, &failed, &to_review))?;
        }
        verdict.failed.extend(failed);
        verdict.to_review.extend(to_review);
        verdict.together = Some(checks);
    }
    let failed: Vec<&Verdict> = verdicts.iter().filter(|verdict| !verdict.failed.is_empty()).collect();
    if verdicts.len() > 1 && !failed.is_empty() {
        // After many loops, end with a list of those that need work.
        let names: Vec<String> = failed
            .iter()
            .map(|verdict| format!("{}: {}", verdict.title(), verdict.why()))
            .collect();
        talk::list(&format!("{} of {} loops fail", failed.len(), verdicts.len()), &names);
    }
    if verdicts.len() > 1 && !args.json {
        output::print(&report::by_check(&verdicts, &args.only))?;
    }
    if let Some(junit) = &args.junit {
        outputs.add(junit, report::junit(&verdicts).as_bytes())?;
        outputs.commit()?;
    }
    let unreadable: Vec<&Failure> = verdicts.iter().filter_map(|verdict| verdict.failure.as_ref()).collect();
    let failure = match &unreadable[..] {
        [only] if is_alone => Some((*only).clone().into_error()),
        _ => Failure::of_some(unreadable, verdicts.len(), "loops could not be checked"),
    };
    let document = report::json(&verdicts, &limits, failure.as_ref());
    output::end(document, failure, args.json)?;
    Ok(if failed.is_empty() {
        Ending::Done
    } else {
        Ending::Negative
    })
}

/// The passages for these paths, and the paths without files that are passages.
fn passages_in(paths: &[PathBuf]) -> Result<(Vec<WrittenPassage>, Vec<PathBuf>), Failure> {
    let (mut passages, mut others) = (Vec::new(), Vec::new());
    for path in paths {
        let found = match path.is_dir() {
            true => written_passage::below(path)?,
            false => written_passage::of_file(path),
        };
        // A file of a set that holds several clips holds loops, too.
        let is_one = |passage: &WrittenPassage| passage.place.1.is_none() && !path.is_dir();
        if !found.iter().any(is_one) {
            others.push(path.clone());
        }
        passages.extend(found);
    }
    Ok((passages, others))
}

/// The verdict on a passage.
fn of_passage(passage: &WrittenPassage, checked: CheckedPassage, fails: &Fails<'_>) -> Verdict {
    let grade = checked.verdict.grade;
    let mut figures = QualityFacts::default();
    checked.verdict.state(&mut figures);
    let [failed, to_review] = fails.of(&figures.checks, false);
    Verdict {
        file: passage.place.0.display().to_string(),
        animation: passage.place.1.clone(),
        grade: grade.as_str(),
        failed,
        to_review,
        take: Some(checked.take),
        passage: Some(checked.kind),
        quality: Some(figures),
        warnings: checked.warnings,
        ..Verdict::default()
    }
}

/// A file or why there is none, and the animation in it if the file holds several loops.
pub(super) type Named = (Result<PathBuf, (PathBuf, Failure)>, Option<String>);

/// All loops for these paths, in order. A folder stands for all files in it and below that look like loops, sorted by name; a
/// file stands for all its animations that are named like loops.
pub(super) fn loops_in(paths: &[PathBuf], reading: &TakeArgs, excluded: Excluded<'_>) -> Vec<Named> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.extend(batch::in_order(core::slice::from_ref(path)));
            continue;
        }
        match written_loop::loops_below(path) {
            Ok(found) => files.extend(found.into_iter().map(Ok)),
            Err(failure) => files.push(Err((path.clone(), failure))),
        }
    }
    let mut loops: Vec<Named> = Vec::new();
    for file in files {
        let file = match file {
            Ok(path) => path,
            Err(problem) => {
                loops.push((Err(problem), None));
                continue;
            }
        };
        let (path, animation) = files::split_animation(&file);
        match written_loop::several_loops(&path, &animations::named(&file, reading).1, excluded) {
            Ok(several) if several.is_empty() => loops.push((Ok(path), animation)),
            Ok(several) => loops.extend(several.into_iter().map(|name| (Ok(path.clone()), Some(name)))),
            Err(failure) => loops.push((Err((path, failure)), None)),
        }
    }
    loops
}

/// Which checks make a loop fail.
pub(crate) struct Fails<'a> {
    pub(crate) from: Grade,
    /// Of these alone; of all where none is named.
    pub(crate) only: &'a [CheckId],
}

impl Fails<'_> {
    /// Those that are not good: which make a loop fail, and which are to be reviewed only.
    fn of(&self, checks: &[CheckFacts], is_ping_pong: bool) -> [Vec<Exceeded>; 2] {
        let wanting = checks.iter().filter(|check| {
            let is_asked = self.only.is_empty() || self.only.iter().any(|id| id.as_str() == check.id);
            is_asked && check.grade > Some(Grade::Good)
        });
        let (failed, to_review): (Vec<_>, Vec<_>) = wanting.partition(|check| check.grade >= Some(self.from));
        [failed, to_review].map(|checks| {
            let of_check = |check| Exceeded::of_check(check, is_ping_pong);
            checks.into_iter().map(of_check).collect()
        })
    }
}

/// The verdict on one loop. Errors: the file and its sidecar do not belong together.
pub(crate) fn check(
    path: &Path,
    read: &WrittenLoop,
    reading: &TakeArgs,
    take: Option<&Studied>,
    limits: &Limits,
    fails: &Fails<'_>,
) -> Result<Verdict, Failure> {
    let (sidecar, skeleton) = (read.sidecar.as_ref(), read.written.skeleton());
    let CheckedLoop {
        in_file,
        quality,
        joints,
        verdict: judged,
        notes,
    } = loopwright_job::check(&read.written, sidecar, &reading.overrides(), take)
        .map_err(|error| uncheckable(path, error, take, sidecar))?;
    let mut figures = describe::quality(&quality, None, skeleton);
    let grade = judged.grade;
    judged.state(&mut figures);
    let name_of = |joint: usize| skeleton.joint(joint).name.clone();
    let names = SeamNames {
        turn: name_of(joints.turn),
        gap: name_of(joints.gap),
        acceleration: name_of(joints.acceleration),
    };
    let is_ping_pong = sidecar.is_some_and(|sidecar| sidecar.candidate.ping_pong_ease_frames.is_some());
    let [mut failed, to_review] = fails.of(&figures.checks, is_ping_pong);
    failed.extend(limits.exceeded(&figures, &names));
    let mut warnings = read.warnings.clone();
    warnings.extend(notes.iter().map(ToString::to_string));
    warnings.extend(limits.unchecked(&figures).map(str::to_owned));
    Ok(Verdict {
        file: path.display().to_string(),
        animation: None,
        grade: grade.as_str(),
        failed,
        to_review,
        failure: None,
        take: Some(read.facts.clone()),
        candidate: sidecar.map(|sidecar| sidecar.candidate.clone()),
        root_motion: Some(describe::root_motion(&in_file.root, in_file.mode, in_file.space)),
        quality: Some(figures),
        passage: None,
        together: None,
        warnings,
    })
}

/// Why a loop cannot be checked.
fn uncheckable(path: &Path, error: CheckError, take: Option<&Studied>, sidecar: Option<&Sidecar>) -> Failure {
    match (error, take, sidecar) {
        (CheckError::Body(error), ..) => failures::body(error),
        (CheckError::OtherTake(error), Some(take), Some(sidecar)) => written_loop::of_other_take(take, sidecar, &error),
        (CheckError::Keys(error), _, sidecar) => {
            let failure = Failure::cannot("check", path, error);
            failure.try_this(match sidecar {
                Some(_) => written_loop::OTHER_SIDECAR,
                None => "a loop of 3 or more frames",
            })
        }
        (error, ..) => Failure::error(error).try_this(written_loop::OTHER_SIDECAR),
    }
}
