//! `loopwright check`: reports whether the seam shows and whether all figures are within limits.

use std::path::{Path, PathBuf};

use loopwright::{
    Quality, Skeleton, Take,
    analysis::Body,
    loop_clip::{KeyLayout, LoopKeys},
    quality::{self, SeamJoints, Stand, StepKind},
    root_motion::RootRelativeClip,
};
use loopwright_formats::{
    LoopInFile, Sidecar,
    loop_file::{
        Verdict as Judged, describe,
        facts::{ContactFacts, FeetFacts, Grade},
    },
};
use loopwright_job::Studied;

use crate::{
    args::CheckArgs,
    batch,
    exit::{Ending, Failure},
    failures,
    limits::{Exceeded, Limits, SeamNames},
    load, output,
    recipe::TakeArgs,
    report::check::{self as report, Verdict},
    talk,
    written_loop::{self, LoopsInFile, WrittenLoop},
};

pub(crate) fn run(args: &CheckArgs) -> Result<Ending, Failure> {
    let limits = Limits::settled(args.limits, args.config.as_deref())?;
    let take = args
        .take
        .as_ref()
        .map(|take| load::load(take, &args.reading.clone().into()))
        .transpose()?;
    let mut verdicts = Vec::new();
    // A bad file, or a folder without loops, does not stop the others. It is reported now and listed again at the end.
    let mut opened: Option<LoopsInFile> = None;
    for (path, animation) in loops_in(&args.loops, &args.reading) {
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
                let checked = read.and_then(|read| check(&path, read, &reading, take.as_ref(), &limits));
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
                talk::fail(&failure);
                Verdict {
                    file: path.display().to_string(),
                    animation,
                    verdict: "error",
                    failure: Some(failure),
                    ..Verdict::default()
                }
            }
        };
        verdicts.push(verdict);
    }
    let failed: Vec<&Verdict> = verdicts.iter().filter(|verdict| !verdict.failed.is_empty()).collect();
    if verdicts.len() > 1 && !failed.is_empty() {
        // After many loops, end with a list of those that need work.
        let names: Vec<String> = failed
            .iter()
            .map(|verdict| format!("{} {}", verdict.title(), verdict.verdict))
            .collect();
        talk::list(
            &format!("{} of {} loops exceed a limit", failed.len(), verdicts.len()),
            &names,
        );
    }
    let unreadable: Vec<&Failure> = verdicts.iter().filter_map(|verdict| verdict.failure.as_ref()).collect();
    let failure = (!unreadable.is_empty()).then(|| {
        let what = format!("{} of {} loops could not be checked", unreadable.len(), verdicts.len());
        Failure::of_all(what, &unreadable)
    });
    let document = report::json(&verdicts, &limits, failure.as_ref());
    if let Some(failure) = failure {
        return Err(failure.in_document(document));
    }
    if args.json {
        output::print(&document)?;
    }
    Ok(if failed.is_empty() {
        Ending::Done
    } else {
        Ending::Negative
    })
}

/// A file or why there is none, and the animation in it if the file holds several loops.
pub(super) type Named = (Result<PathBuf, (PathBuf, Failure)>, Option<String>);

/// All loops for these paths, in order. A folder stands for all files in it and below that look like loops, sorted by name; a
/// file stands for all its animations that are named like loops.
pub(super) fn loops_in(paths: &[PathBuf], reading: &TakeArgs) -> Vec<Named> {
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
        let animations = match &file {
            Ok(path) => written_loop::several_loops(path, reading),
            Err(_) => Vec::new(),
        };
        match file {
            Ok(path) if !animations.is_empty() => {
                loops.extend(
                    animations
                        .into_iter()
                        .map(|animation| (Ok(path.clone()), Some(animation))),
                );
            }
            file => loops.push((file, None)),
        }
    }
    loops
}

/// The verdict on one loop. Errors: the file and its sidecar do not belong together.
pub(super) fn check(
    path: &Path,
    read: WrittenLoop,
    reading: &TakeArgs,
    take: Option<&Studied>,
    limits: &Limits,
) -> Result<Verdict, Failure> {
    let facts = read.facts.clone();
    let mut checked = Checked::new(path, read, reading)?;
    let keys = checked.keys(0, checked.in_file.layout)?;
    let source = checked.uncut(take)?;
    let (quality, joints) = checked.measured(&keys, source.as_ref())?;
    if quality.pops() && checked.sidecar.is_none() && !checked.in_file.layout.has_closing_key {
        checked.warnings.push(
            "this verdict depends on estimated root motion; keep the sidecar beside the loop, or write it with --set output.last-key=repeat"
                .to_owned(),
        );
    }
    let skeleton = checked.written.skeleton();
    let mut judged = checked.judged(&quality);
    if judged.grade == Grade::Bad && limits.replace_the_verdict() {
        judged.grade = Grade::Check;
    }
    let popping = popped(&judged, &quality, skeleton);
    let mut figures = describe::quality(&quality, None, skeleton, judged);
    let name_of = |joint: usize| skeleton.joint(joint).name.clone();
    let names = SeamNames {
        turn: name_of(joints.turn),
        gap: name_of(joints.gap),
        acceleration: name_of(joints.acceleration),
    };
    let mut failed = limits.exceeded(&figures, &names);
    if let Some(first) = failed.first().filter(|_| figures.grade != Some(Grade::Bad)) {
        figures.grade = Some(Grade::Check);
        figures.verdict_reason = Some(first.to_string());
    }
    failed.splice(0..0, popping);
    let mut warnings = checked.warnings;
    warnings.extend(limits.unchecked(&figures).map(str::to_owned));
    let in_file = checked.in_file;
    Ok(Verdict {
        file: path.display().to_string(),
        animation: None,
        verdict: match failed.is_empty() {
            true => "loops",
            false if figures.grade == Some(Grade::Bad) => "pops",
            false => "fails",
        },
        failed,
        failure: None,
        take: Some(facts),
        candidate: checked.sidecar.map(|sidecar| sidecar.candidate),
        root_motion: Some(describe::root_motion(&in_file.root, in_file.mode, in_file.space)),
        quality: Some(figures),
        warnings,
    })
}

/// A loop that is checked, and what is noticed on the way.
struct Checked<'a> {
    path: &'a Path,
    sidecar: Option<Sidecar>,
    written: Take,
    body: Body,
    in_file: LoopInFile,
    warnings: Vec<String>,
}

impl<'a> Checked<'a> {
    fn new(path: &'a Path, read: WrittenLoop, reading: &TakeArgs) -> Result<Self, Failure> {
        let WrittenLoop {
            sidecar,
            written,
            mut warnings,
            ..
        } = read;
        let body = Body::find(&written, &reading.overrides()).map_err(failures::body)?;
        let in_file = match &sidecar {
            Some(sidecar) => written_loop::of_sidecar(sidecar, &written)?,
            None => {
                let seen = LoopInFile::recognised(&written, &body)
                    .map_err(|error| cannot_check(path, &error).try_this("a loop of 3 or more frames"))?;
                let key = if seen.layout.has_closing_key {
                    "assuming that the last key repeats the first"
                } else {
                    "assuming that the last key comes right before the first"
                };
                warnings.push(format!("no sidecar: {key}; root motion estimated from the keys"));
                seen
            }
        };
        Ok(Self {
            path,
            sidecar,
            written,
            body,
            in_file,
            warnings,
        })
    }

    /// The uncut frames of the take, where the loop can be compared with them.
    fn uncut(&mut self, take: Option<&Studied>) -> Result<Option<RootRelativeClip>, Failure> {
        let why_not = match (take, &self.sidecar) {
            (None, _) => return Ok(None),
            (Some(_), Some(sidecar)) if sidecar.candidate.mirrored => {
                "not compared with the take: one half of the loop is the mirror image of the other"
            }
            (Some(take), Some(sidecar)) => {
                return written_loop::uncut(&self.in_file, take, sidecar, &self.written).map(Some);
            }
            (Some(_), None) => "no sidecar, so the loop is not compared with the take: its frames are not known",
        };
        self.warnings.push(why_not.to_owned());
        Ok(None)
    }

    /// The keys of one cycle.
    fn keys(&self, cycle: usize, layout: KeyLayout) -> Result<LoopKeys, Failure> {
        // Folding an added root joint away moves the root motion to the topmost joint, whichever joint carried it in the take.
        let is_root_added = (self.sidecar.as_ref()).is_some_and(|sidecar| sidecar.playback.root_joint_added);
        let keys = LoopInFile {
            layout,
            carrier: if is_root_added { 0 } else { self.in_file.carrier },
            ..self.in_file
        };
        keys.keys(&self.written, cycle)
            .map_err(|error| cannot_check(self.path, &error).try_this(written_loop::OTHER_SIDECAR))
    }

    /// The figures, and the joints that have those of the seam.
    fn measured(&self, keys: &LoopKeys, source: Option<&RootRelativeClip>) -> Result<(Quality, SeamJoints), Failure> {
        let mut quality = quality::measure(keys, &self.body, source);
        let mut joints = quality::seam_joints(keys, source);
        let playback = self.sidecar.as_ref().map(|sidecar| &sidecar.playback);
        if let Some(playback) = playback.filter(|playback| playback.copies > 1) {
            // The seam between copies and the seam after the last copy have different keys.
            let layout = KeyLayout {
                has_closing_key: playback.closing_key,
                ..self.in_file.layout
            };
            let last = self.keys(playback.copies - 1, layout)?;
            let at_end = quality::measure(&last, &self.body, source);
            if at_end.pops() && !quality.pops() {
                quality = at_end;
                joints = quality::seam_joints(&last, source);
            }
        }
        // Contacts estimated from the loop alone depend on how the feet slide, so those of the sidecar are used.
        let feet = self.sidecar.as_ref().and_then(|sidecar| sidecar.feet.as_ref());
        if let (None, Some(feet)) = (source, feet.filter(|feet| !feet.stances.is_empty())) {
            let stands = stands(feet, &self.written);
            quality.foot_slide_mps = quality::foot_slide_of_stances(keys, &stands);
            quality.foot_slide_metres = quality::farthest_slide_of_stances(keys, &stands);
        }
        Ok((quality, joints))
    }

    fn judged(&self, quality: &Quality) -> Judged {
        let sidecar = self.sidecar.as_ref();
        // What the maker of the loop doubted is not in its keys.
        let doubted = sidecar.filter(|sidecar| sidecar.quality.grade == Some(Grade::Check));
        let doubt = doubted.map(|sidecar| {
            let reason = sidecar.quality.verdict_reason.clone();
            reason.unwrap_or_else(|| "its sidecar says so".to_owned())
        });
        let is_mean = sidecar.is_some_and(|sidecar| sidecar.mean_cycle.is_some() || !sidecar.edits.is_empty());
        let of_closing = Quality {
            // A mean is meant to differ from the cycle that it is compared with.
            displacement_metres: quality.displacement_metres.filter(|_| !is_mean),
            ..*quality
        };
        let (root, mode) = (&self.in_file.root, self.in_file.mode);
        Judged::new(&of_closing, root, mode, self.written.skeleton(), doubt)
    }
}

fn cannot_check(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::error(format!("cannot check \"{}\": {error}", path.display()))
}

/// The step that makes a loop pop, as a failure.
fn popped(judged: &Judged, quality: &Quality, skeleton: &Skeleton) -> Option<Exceeded> {
    let (kind, step) = quality.seam.worst();
    let of = |measure, what, unit, scale: f64| Exceeded {
        measure,
        found: scale * step.size,
        allowed: scale * step.allowed,
        joint: Some(skeleton.joint(step.joint).name.clone()),
        hint: "close it again with `loopwright make` or `loopwright close`".to_owned(),
        words: (what, unit),
    };
    (judged.grade == Grade::Bad).then(|| match kind {
        StepKind::Position => of("seam_step_mm", "jump over the seam", " mm", 1e3),
        StepKind::Rotation => of("seam_step_deg", "turn over the seam", " deg", 1f64.to_degrees()),
        StepKind::Velocity => of(
            "seam_velocity_step_mps",
            "change of velocity over the seam",
            " m/s",
            1.0,
        ),
        StepKind::AngularVelocity => of(
            "seam_velocity_step_dps",
            "change of the rate of turn over the seam",
            " deg/s",
            1f64.to_degrees(),
        ),
    })
}

/// The spans in which the feet stand, from the sidecar.
fn stands(feet: &FeetFacts, written: &Take) -> Vec<Stand> {
    let in_samples = |secs: f64| (secs / written.frame_time_secs()).round().max(0.0) as usize;
    let stand = |stance: &ContactFacts| {
        Some(Stand {
            joint: written.skeleton().find(&stance.joint)?,
            first_sample: in_samples(stance.start_secs),
            num_samples: in_samples(stance.length_secs),
        })
    };
    feet.stances.iter().filter_map(stand).collect()
}
