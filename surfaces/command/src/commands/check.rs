//! `loopwright check`: grades loops, and tests whether their figures are within limits.

use std::path::Path;

use loopwright_formats::{
    Sidecar,
    loop_file::{
        describe,
        facts::{CheckFacts, Grade, QualityFacts},
    },
};
use loopwright_job::{CheckError, CheckId, CheckedLoop, Studied};
use loopwright_sets::{LoopOfSet, check_together};

use crate::{
    animations::Excluded,
    args::CheckArgs,
    exit::{Ending, Failure, Result},
    files::{self, InputFile},
    found_loops::{FoundLoop, loops_in, passages_in},
    limits::{Exceeded, Limits},
    load,
    output::{self, Outputs},
    project,
    recipe::TakeArgs,
    report::check::{self as report, Detail, Verdict},
    talk,
    written_loop::{self, LoopsInFile, WrittenLoop},
    written_passage::{CheckedPassage, WrittenPassage},
};

pub fn run(args: &CheckArgs) -> Result<Ending> {
    let limits = project::limits(args.limits, args.config.as_deref())?;
    let (passages, others) = passages_in(&args.loops)?;
    let mut loops = loops_in(&others, &args.reading, Excluded::of(&args.loops, &args.left_out));
    // A folder that holds only passages does not count as one without loops.
    loops.retain(|found| match found {
        Err((folder, _)) => !passages.iter().any(|passage| passage.place.path.starts_with(folder)),
        Ok(_) => true,
    });
    let mut outputs = Outputs::new(args.force);
    if let Some(junit) = &args.junit {
        // The output never replaces a loop, take or sidecar.
        let found = loops
            .iter()
            .flatten()
            .chain(passages.iter().map(|passage| &passage.place));
        for path in found.map(|input| &input.path).chain(&args.take) {
            outputs.protect_named(path);
            outputs.protect_as("sidecar", [path.with_added_extension(files::SIDECAR)]);
        }
        outputs.check(junit)?;
    }
    let take = args
        .take
        .as_ref()
        .map(|take| load::load(&InputFile::named(take), &args.reading.clone().into()))
        .transpose()?;
    let mut checking = Checking {
        args,
        limits: &limits,
        fails: Fails {
            from: args.fail_on,
            only: &args.only,
        },
        take: take.as_ref(),
        is_alone: loops.len() + passages.len() == 1,
        opened: None,
        verdicts: Vec::new(),
        of_set: Vec::new(),
    };
    for found in loops {
        checking.add_loop(found)?;
    }
    for passage in passages {
        checking.add_passage(&passage)?;
    }
    checking.compare_loops()?;
    checking.end(outputs)
}

/// A run over loops and passages. A bad file, or a folder without loops, does not stop the others: it is reported at once and listed again
/// at the end.
struct Checking<'a> {
    args: &'a CheckArgs,
    limits: &'a Limits,
    fails: Fails<'a>,
    /// The take that the loops were made from.
    take: Option<&'a Studied>,
    /// Whether there is only one file to check: its failure is then reported at the end of the run.
    is_alone: bool,
    opened: Option<LoopsInFile>,
    verdicts: Vec<Verdict>,
    /// The loops that can be compared with each other, each with the number of its verdict.
    of_set: Vec<(usize, LoopOfSet)>,
}

impl Checking<'_> {
    fn add_loop(&mut self, found: FoundLoop) -> Result<()> {
        match found {
            Ok(input) => {
                let checked = self.check_loop(&input).map(|verdict| Verdict {
                    animation: input.animation.clone(),
                    ..verdict
                });
                self.add(&input.path, input.animation.as_deref(), checked)
            }
            Err((path, failure)) => self.add(&path, None, Err(failure)),
        }
    }

    fn check_loop(&mut self, input: &InputFile) -> Result<Verdict> {
        let reading = input.reading(&self.args.reading);
        let read = match input.animation {
            Some(_) => LoopsInFile::kept(&mut self.opened, input)?.read(&reading)?,
            None => written_loop::read(input, &reading)?,
        };
        let verdict = check(&input.path, &read, &reading, self.take, self.limits, &self.fails)?;
        if self.args.together {
            let sidecar = read.sidecar.as_ref();
            let of_set = LoopOfSet::new(&read.written, sidecar, &reading.overrides());
            let of_set = of_set.map_err(|error| uncheckable(&input.path, error, self.take, sidecar))?;
            self.of_set.push((self.verdicts.len(), of_set));
        }
        Ok(verdict)
    }

    fn add_passage(&mut self, passage: &WrittenPassage) -> Result<()> {
        let checked = passage.check(&self.args.reading);
        let checked = checked.map(|checked| of_passage(passage, checked, &self.fails));
        let InputFile { path, animation, .. } = &passage.place;
        self.add(path, animation.as_deref(), checked)
    }

    /// Keeps and prints the verdict on a file, or on an animation of it.
    fn add(&mut self, path: &Path, animation: Option<&str>, checked: Result<Verdict>) -> Result<()> {
        let verdict = match checked {
            Ok(verdict) => {
                if !self.args.json {
                    talk::warn_of(verdict.title(), &verdict.warnings);
                    let detail = match animation {
                        _ if self.args.verbose => Detail::All,
                        Some(_) if !self.is_alone => Detail::Faults,
                        _ => Detail::Figures,
                    };
                    output::print(&report::human(&verdict, detail))?;
                }
                verdict
            }
            Err(failure) => {
                if !self.is_alone {
                    talk::fail(&failure);
                }
                Verdict {
                    file: path.display().to_string(),
                    animation: animation.map(str::to_owned),
                    grade: "error",
                    failure: Some(failure),
                    ..Verdict::default()
                }
            }
        };
        self.verdicts.push(verdict);
        Ok(())
    }

    /// Compares loops with each other, if that is asked for.
    fn compare_loops(&mut self) -> Result<()> {
        let (places, loops): (Vec<usize>, Vec<LoopOfSet>) = self.of_set.drain(..).unzip();
        let fails = Fails {
            only: &[],
            ..self.fails
        };
        for (place, checks) in places.into_iter().zip(check_together(&loops)) {
            let verdict = &mut self.verdicts[place];
            let [failed, to_review] = fails.of(&checks, false);
            if !self.args.json {
                output::print(&report::together(verdict, &failed, &to_review))?;
            }
            verdict.failed.extend(failed);
            verdict.to_review.extend(to_review);
            verdict.together = Some(checks);
        }
        Ok(())
    }

    /// Prints how many of several files need work, and writes the answer.
    fn end(self, mut outputs: Outputs) -> Result<Ending> {
        let Self { args, verdicts, .. } = self;
        let failed: Vec<&Verdict> = verdicts.iter().filter(|verdict| !verdict.failed.is_empty()).collect();
        if verdicts.len() > 1 && !failed.is_empty() {
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
            [only] if self.is_alone => Some((*only).clone().into_error()),
            _ => Failure::of_some(unreadable, verdicts.len(), "loops could not be checked"),
        };
        output::end(
            report::json(&verdicts, self.limits, failure.as_ref()),
            failure,
            args.json,
        )?;
        Ok(Ending::of_answer(failed.is_empty()))
    }
}

/// Returns the verdict on a passage.
fn of_passage(passage: &WrittenPassage, checked: CheckedPassage, fails: &Fails) -> Verdict {
    let grade = checked.verdict.grade;
    let mut figures = QualityFacts::default();
    checked.verdict.state(&mut figures);
    let [failed, to_review] = fails.of(&figures.checks, false);
    Verdict {
        file: passage.place.path.display().to_string(),
        animation: passage.place.animation.clone(),
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

/// Decides which checks make a loop fail.
#[derive(Clone, Copy)]
pub struct Fails<'a> {
    pub from: Grade,
    /// Only these checks count; all do if none is named.
    pub only: &'a [CheckId],
}

impl Fails<'_> {
    /// Splits the checks that are not good into those that make a loop fail and those that are only to be reviewed.
    fn of(&self, checks: &[CheckFacts], is_ping_pong: bool) -> [Vec<Exceeded>; 2] {
        let (failed, to_review): (Vec<_>, Vec<_>) = checks
            .iter()
            .filter(|check| {
                let is_asked = self.only.is_empty() || self.only.iter().any(|id| id.as_str() == check.id);
                is_asked && check.grade > Some(Grade::Good)
            })
            .partition(|check| check.grade >= Some(self.from));
        [failed, to_review].map(|checks| {
            checks
                .into_iter()
                .map(|check| Exceeded::of_check(check, is_ping_pong))
                .collect()
        })
    }
}

/// Checks one loop. Errors: the file and its sidecar do not belong together.
pub fn check(
    path: &Path,
    read: &WrittenLoop,
    reading: &TakeArgs,
    take: Option<&Studied>,
    limits: &Limits,
    fails: &Fails,
) -> Result<Verdict> {
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
    let names = [joints.turn, joints.gap, joints.acceleration].map(|joint| skeleton.joint(joint).name.clone());
    let is_ping_pong = sidecar.is_some_and(|sidecar| sidecar.candidate.ping_pong_ease_frames.is_some());
    let [mut failed, to_review] = fails.of(&figures.checks, is_ping_pong);
    failed.extend(limits.exceeded(&figures, &names));
    let mut warnings = read.warnings.clone();
    warnings.extend(notes.iter().map(ToString::to_string));
    warnings.extend(limits.unchecked(&figures).map(str::to_owned));
    Ok(Verdict {
        file: path.display().to_string(),
        grade: grade.as_str(),
        failed,
        to_review,
        take: Some(read.facts.clone()),
        candidate: sidecar.map(|sidecar| sidecar.candidate.clone()),
        root_motion: Some(describe::root_motion(&in_file.root, in_file.mode, in_file.space)),
        quality: Some(figures),
        warnings,
        ..Verdict::default()
    })
}

/// Words why a loop cannot be checked.
fn uncheckable(path: &Path, error: CheckError, take: Option<&Studied>, sidecar: Option<&Sidecar>) -> Failure {
    match (error, take, sidecar) {
        (CheckError::Body(error), ..) => error.into(),
        (CheckError::OtherTake(error), Some(take), Some(sidecar)) => {
            let hints = ["no --take; the loop is then measured by itself", "--take "];
            written_loop::of_other_take(take, sidecar, &error, hints)
        }
        (CheckError::Keys(error), _, sidecar) => Failure::cannot("check", path, error).try_this(match sidecar {
            Some(_) => written_loop::OTHER_SIDECAR,
            None => "a loop of 3 or more frames",
        }),
        (error, ..) => Failure::error(error).try_this(written_loop::OTHER_SIDECAR),
    }
}
