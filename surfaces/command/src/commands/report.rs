//! `loopwright report`: writes a page about loops.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

use loopwright_catalog::CatalogFormat;
use loopwright_core::{Analysis, candidate::MotionKind};
use loopwright_draw::{
    Figure,
    render::DrawnMotion,
    report::{self as page, LoopEntry, PageHeading, Panel},
};
use loopwright_formats::{
    AnimationChoice, LoopInFile, Sidecar,
    loop_file::facts::{Grade, QualityFacts},
    set::{Manifest, SET_FILE},
};
use loopwright_job::{Studied, stated_space};

use super::{catalog, check, render};
use crate::{
    animations::Excluded,
    args::ReportArgs,
    batch::{self, Work},
    exit::{Ending, Failure, Result},
    files::{self, InputFile},
    found_loops::loops_in,
    limits::Limits,
    load, memory,
    output::{self, Outputs},
    recipe::StudyArgs,
    report::page::{self as answer, NotShown, ReportAnswer},
    surface::Surfaces,
    talk::{self, Progress},
    written_loop::{self, WrittenLoop},
    written_passage::{self, WrittenPassage},
};

pub fn run(args: &ReportArgs) -> Result<Ending> {
    for input in &args.inputs {
        if !batch::is_many(input) {
            files::check_is_there(input)?;
        }
    }
    let mut outputs = Outputs::keeping(args.force, &args.inputs);
    let extension = files::lowercase_extension(&args.output);
    if !matches!(extension.as_deref(), Some("html" | "htm")) {
        return Err(
            failure!("cannot write \"{}\": a report is a page", args.output.display())
                .try_this("-o with a name that ends in .html"),
        );
    }
    outputs.check(&args.output)?;
    let set = set_of(&args.inputs)?;
    let Found { loops, kinds, problems } = loops_of(args, set.as_ref().map(|(folder, _)| folder.as_path()))?;
    let mut clips: Vec<Clip> = loops.into_iter().map(Clip::Loop).collect();
    if let Some((folder, _)) = &set {
        clips.extend(
            written_passage::below(folder)?
                .into_iter()
                .map(|passage| Clip::Passage(Box::new(passage))),
        );
    }
    let pages = Pages {
        args,
        kinds,
        num_loops: clips.len(),
        num_shown: AtomicUsize::new(0),
        surfaces: Surfaces::new(args.capsules),
    };
    let Shown {
        panels,
        with_take,
        not_shown,
        failed,
        passages,
        ..
    } = show(&pages, &clips, problems);
    if panels.is_empty() {
        return Err(match &failed[..] {
            [one] => one.clone(),
            _ => Failure::of_all("there is no loop to show".to_owned(), &failed),
        });
    }
    let heading = PageHeading {
        title: args.title.clone().unwrap_or_else(|| title(&args.inputs)),
        problems: not_shown
            .iter()
            .map(|one| (one.file.clone(), one.reason.clone()))
            .collect(),
        set: set.map(|(_, set)| set),
    };
    let html = page::page(&heading, &panels);
    outputs.add(&args.output, html.as_bytes())?;
    let outputs = outputs.commit()?;
    let answer = ReportAnswer {
        loops: panels.len() - passages,
        passages,
        with_take,
        page_bytes: html.len(),
        not_shown,
    };
    output::answer(
        "report",
        &answer,
        Failure::of_some(&failed, failed.len() + panels.len(), "files are not shown"),
        &outputs,
        args.json,
        |answer| answer::human(answer, &args.output.display().to_string()),
    )
}

/// The contents of the page, and what was left out and why.
#[derive(Default)]
struct Shown {
    panels: Vec<Panel>,
    passages: usize,
    with_take: usize,
    not_shown: Vec<NotShown>,
    failed: Vec<Failure>,
    /// Whether there is only one file: its failure is then reported at the end of the run.
    is_alone: bool,
}

impl Shown {
    fn leave_out(&mut self, file: String, failure: Failure) {
        if !self.is_alone {
            talk::fail(&failure);
        }
        self.not_shown.push(NotShown {
            file,
            reason: failure.what().to_owned(),
        });
        self.failed.push(failure);
    }
}

/// A motion on the page.
enum Clip {
    Loop(InputFile),
    Passage(Box<WrittenPassage>),
}

impl fmt::Display for Clip {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Loop(place) => place.fmt(f),
            Self::Passage(passage) => passage.place.fmt(f),
        }
    }
}

/// Prepares all clips for the page; `problems` are files that hold none.
fn show(work: &Pages, loops: &[Clip], problems: Vec<(String, Failure)>) -> Shown {
    let mut shown = Shown {
        is_alone: problems.len() + loops.len() == 1,
        ..Shown::default()
    };
    for (file, failure) in problems {
        shown.leave_out(file, failure);
    }
    let jobs = batch::jobs(work.args.jobs.jobs, loops.len());
    let progress = Progress::new("loops", loops.len());
    batch::run(work, loops, jobs, |one, answer| {
        match answer {
            Ok((panel, has_take)) => {
                shown.with_take += usize::from(has_take);
                shown.passages += usize::from(matches!(one, Clip::Passage(_)));
                shown.panels.push(panel);
            }
            Err(failure) => progress.beside(|| shown.leave_out(one.to_string(), failure)),
        }
        progress.step();
    });
    progress.finish();
    shown
}

/// Returns the folder and the manifest of the set, if the input is one. Errors: the manifest cannot be read.
fn set_of(inputs: &[PathBuf]) -> Result<Option<(PathBuf, Manifest)>> {
    let [input] = inputs else { return Ok(None) };
    let path = if input.is_dir() {
        input.join(SET_FILE)
    } else {
        input.clone()
    };
    if !path.is_file() || path.file_name().is_none_or(|name| name != SET_FILE) {
        return Ok(None);
    }
    Ok(Some((
        files::folder_of(&path).to_owned(),
        super::set::read_manifest(&path)?,
    )))
}

/// The title of the page, from the names on the command line.
fn title(inputs: &[PathBuf]) -> String {
    match inputs {
        [one] => format!("Loops of {}", one.display()),
        [first, ..] => format!("Loops of {} and {} more", first.display(), inputs.len() - 1),
        [] => "Loops".to_owned(),
    }
}

/// The kind of motion that catalogs state, by the loop's file and the animation of its take.
type Kinds = BTreeMap<(PathBuf, Option<String>), String>;

struct Found {
    loops: Vec<InputFile>,
    kinds: Kinds,
    /// Files that cannot be shown, and why.
    problems: Vec<(String, Failure)>,
}

/// Lists the requested loops in the order of the names, each once.
fn loops_of(args: &ReportArgs, set: Option<&Path>) -> Result<Found> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut kinds = Kinds::new();
    let mut problems = Vec::new();
    for input in &args.inputs {
        if let Some(folder) = set {
            paths.push(folder.to_owned());
            continue;
        }
        let extension = input.extension().and_then(|extension| extension.to_str());
        if input.is_file() && extension.and_then(CatalogFormat::from_extension).is_some() {
            for row in catalog::read(input)? {
                let path = output_of(&row.output, input);
                match files::check_named_by(input, &path) {
                    Ok(()) => {
                        kinds.insert((path.clone(), row.animation), row.kind);
                        paths.push(path);
                    }
                    Err(failure) => problems.push((row.output, failure)),
                }
            }
        } else {
            paths.push(input.clone());
        }
    }
    let mut seen = BTreeSet::new();
    let mut loops = Vec::new();
    for found in loops_in(&paths, &args.reading, Excluded::NONE) {
        match found {
            Ok(input) => {
                if seen.insert(input.clone()) {
                    loops.push(input);
                }
            }
            Err((path, failure)) => problems.push((path.display().to_string(), failure)),
        }
    }
    Ok(Found { loops, kinds, problems })
}

/// Returns the path of a row's output: as the row states it, or below a folder that holds the catalog, since both may have been moved
/// together.
fn output_of(output: &str, catalog: &Path) -> PathBuf {
    let stated = PathBuf::from(output);
    if stated.is_file() {
        return stated;
    }
    files::folder_of(catalog)
        .ancestors()
        .map(|folder| folder.join(&stated))
        .find(|path| path.is_file())
        .unwrap_or(stated)
}

/// The work on a page, done loop by loop.
struct Pages<'a> {
    args: &'a ReportArgs,
    kinds: Kinds,
    num_loops: usize,
    /// Number of loops on the page so far, which numbers the next one.
    num_shown: AtomicUsize,
    surfaces: Surfaces,
}

impl Work for Pages<'_> {
    type Input = Clip;
    type Studied = Result<(LoopEntry, usize)>;
    type Answer = Result<(Panel, bool)>;

    fn study(&self, one: &Clip) -> Self::Studied {
        // Warnings of reading are in the sidecar and on the page, and not printed.
        talk::aside(|| self.entry(one)).0.map(|entry| (entry, 0))
    }

    fn settle(&self, _: &Clip, studied: &mut Self::Studied) {
        if let Ok((_, index)) = studied {
            *index = self.num_shown.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn finish(&self, _: &Clip, studied: Self::Studied) -> Self::Answer {
        let (entry, index) = studied?;
        Ok((Panel::new(&entry, index, self.num_loops), entry.uncut.is_some()))
    }

    fn fault(&self, one: &Clip) -> Self::Answer {
        Err(failure!("the program itself failed on \"{one}\"").try_this("a report of this fault, with the file"))
    }
}

impl Pages<'_> {
    /// Collects everything that the page shows of a motion. Errors: the file cannot be read, or is no loop.
    fn entry(&self, one: &Clip) -> Result<LoopEntry> {
        match one {
            Clip::Loop(one) => self.entry_of_loop(one),
            Clip::Passage(passage) => self.entry_of_passage(passage),
        }
    }

    fn entry_of_loop(&self, one: &InputFile) -> Result<LoopEntry> {
        let reading = one.reading(&self.args.reading);
        let read = written_loop::read(one, &reading)?;
        let (closed, in_file) = render::loop_motion(&one.path, &read, &reading, &self.surfaces)?;
        let sidecar = read.sidecar.as_ref();
        let judged = sidecar.filter(|sidecar| sidecar.quality.grade.is_some());
        let (root, quality) = match judged {
            Some(sidecar) => (sidecar.root_motion.clone(), sidecar.quality.clone()),
            // Loops without a sidecar are judged by their keys.
            None => {
                let checked = check::check(
                    &one.path,
                    &read,
                    &reading,
                    None,
                    &Limits::default(),
                    &check::Fails {
                        from: Grade::Bad,
                        only: &[],
                    },
                )?;
                (
                    checked.root_motion.unwrap_or_default(),
                    checked.quality.unwrap_or_default(),
                )
            }
        };
        let contacts = sidecar.and_then(|sidecar| sidecar.feet.as_ref());
        Ok(LoopEntry {
            name: one.to_string(),
            kind: self.kind(one, &read, root.speed_mps),
            speed_mps: root.speed_mps,
            turn_rate_dps: root.turn_rate_dps,
            cycles: sidecar.map_or(1, |sidecar| sidecar.candidate.cycles),
            contact_phase: sidecar
                .and_then(|sidecar| sidecar.candidate.contact_phase)
                .unwrap_or(0.0),
            figures: answer::figures(&read.facts, &root, &quality, sidecar),
            contacts: contacts.map_or_else(Vec::new, |feet| feet.contacts.clone()),
            quality,
            closed,
            uncut: sidecar.and_then(|sidecar| self.uncut(one, &read, sidecar, &in_file)),
        })
    }

    /// Collects everything that the page shows of a passage, which is played over and over. Errors: it cannot be read.
    fn entry_of_passage(&self, passage: &WrittenPassage) -> Result<LoopEntry> {
        let checked = passage.check(&self.args.reading)?;
        let (path, take) = (&passage.place.path, &checked.file.take);
        let analysis = Analysis::with(take, &self.args.reading.overrides())?;
        let last = take.num_frames() - 1;
        let closed = DrawnMotion::of_take(
            &analysis,
            &self
                .surfaces
                .of_take(Figure::new(take, &analysis.body), path, take, &checked.file.source),
            0,
            last,
        )
        .map_err(|error| Failure::error(error).of_file(path))?;
        let secs = take.duration_secs();
        let (travel, turn) = passage.facts.travel_and_turn();
        let a_second = |whole: f64| if secs > 0.0 { whole / secs } else { 0.0 };
        Ok(LoopEntry {
            name: passage.place.to_string(),
            quality: QualityFacts {
                grade: Some(checked.verdict.grade),
                reason: Some(checked.verdict.reason),
                ..QualityFacts::default()
            },
            kind: checked.kind.to_string(),
            speed_mps: a_second(travel),
            turn_rate_dps: a_second(turn.to_degrees()),
            cycles: 1,
            contact_phase: 0.0,
            figures: vec![
                ("Length", format!("{secs:.3} s, {} keys", last + 1)),
                ("Joints", take.num_joints().to_string()),
            ],
            contacts: Vec::new(),
            closed,
            uncut: None,
        })
    }

    /// Returns the kind of motion: as a catalog or the sidecar states it, else as detected in the loop itself, where one-shots and jumps
    /// count as unknown.
    fn kind(&self, one: &InputFile, read: &WrittenLoop, speed_mps: f64) -> String {
        let animation = read.sidecar.as_ref().and_then(|sidecar| sidecar.take.animation.clone());
        let of_catalog = self.kinds.get(&(one.path.clone(), animation));
        if let Some(kind) = of_catalog.or(read.sidecar.as_ref().and_then(|sidecar| sidecar.kind.as_ref())) {
            return kind.clone();
        }
        let analysis = Analysis::with(&read.written, &self.args.reading.overrides());
        match analysis.map(|analysis| analysis.motion_kind(None, Some(speed_mps))) {
            Ok(MotionKind::OneShot | MotionKind::Jump) | Err(_) => String::new(),
            Ok(kind) => kind.as_str().to_owned(),
        }
    }

    /// Returns the stretch of the take that the loop was made from, if the take is found and unchanged.
    fn uncut(
        &self,
        one: &InputFile,
        read: &WrittenLoop,
        sidecar: &Sidecar,
        in_file: &LoopInFile,
    ) -> Option<DrawnMotion> {
        let is_other_motion = sidecar.candidate.mirrored || sidecar.blend.is_some() || sidecar.take.rig.is_some();
        let path = match &self.args.take {
            _ if is_other_motion => return None,
            Some(take) => take.clone(),
            None => take_of(sidecar, &one.path)?,
        };
        let take = self.take(&path, sidecar).ok()?;
        let figure = Figure::new(take.take(), &take.analysis.body);
        let figure = self.surfaces.of_take(figure, &path, take.take(), &take.file.source);
        let source = in_file.uncut(sidecar, &read.written, &take.analysis).ok()?;
        let cut = &sidecar.candidate;
        DrawnMotion::of_cut(&source, &figure, cut.start_frame, cut.end_frame - cut.start_frame).ok()
    }

    /// Reads the take with the settings that were used for the loop.
    fn take(&self, path: &Path, sidecar: &Sidecar) -> Result<Studied> {
        let mut study = StudyArgs::from(self.args.reading.of_animation(sidecar.take.animation.clone()));
        study.smooth = sidecar.take.smooth_hz;
        let space = stated_space(self.args.reading.space(), sidecar);
        let settings = study.settings(space, AnimationChoice::Auto, memory::limits());
        load::studied(path, &settings, &load::study(study.clone())?)
    }
}

/// Finds the take that a sidecar names: from the current folder, or beside the loop.
fn take_of(sidecar: &Sidecar, path: &Path) -> Option<PathBuf> {
    let named = PathBuf::from(&sidecar.take.file);
    let beside = files::folder_of(path).join(named.file_name()?);
    [named, beside]
        .into_iter()
        .find(|take| take.is_file() && take.as_path() != path && files::is_named_like_a_take(take))
}
