//! `loopwright make` for many takes: each by the road of one, all into one folder.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{collections::HashSet, fs, time::Instant};

use loopwright_catalog::{CatalogFormat, LoopRow, skeleton_sha256};
use loopwright_formats::loop_file::{AnimationOutcome, facts::Grade, sha256};
use loopwright_formats::{AnimatedFile, Format, Sidecar};
use loopwright_job::pack::{self, PackRequest};
use loopwright_job::{self as job, JobError, LoopMade, PendingLoop, Request, Rows, SearchRequest, Study};

use super::catalog;
use super::make_all::{LoopedAnimations, PackArgs};
use crate::animations::Excluded;
use crate::args::{ManyArgs, TargetArgs};
use crate::batch::{
    self, Done, Input, Inputs, Journal, LoopResult, Named, Names, Past, TakeResult, Template, Verdict, Wanted, Work,
    Written,
};
use crate::exit::{ERROR_STATUS, Ending, Failure};
use crate::output::{self, Outputs};
use crate::talk::{self, Progress};
use crate::{
    animations, failures, files, load, loop_output, memory, recipe::Recipe, report::make_many::Summary, signals,
};

/// What the command line asks for.
#[derive(Clone, Copy)]
pub(super) struct Options<'a> {
    pub(super) takes: &'a [PathBuf],
    pub(super) all_animations: bool,
    pub(super) excluded: Excluded<'a>,
    pub(super) split: bool,
    pub(super) recipe: &'a Recipe,
    pub(super) search: &'a SearchRequest,
    pub(super) rows: &'a Rows,
    pub(super) target: &'a TargetArgs,
    pub(super) many: &'a ManyArgs,
}

pub(super) fn run(options: Options<'_>) -> Result<Ending, Failure> {
    let Options { target, many, .. } = options;
    let rig = options.recipe.take.rig.as_deref();
    let found = batch::find(options.takes, Wanted::Takes, target.output.as_deref(), rig);
    check_found(&found)?;
    let folder = output_folder(options)?;
    let study = load::study(options.recipe.take.clone())?;
    let mut inputs = found.files;
    let protected = inputs.iter().filter_map(|input| input.path.canonicalize().ok());
    let protected = protected.collect();
    if let Some(shard) = many.shard {
        inputs.retain(|input| shard.has(input));
    }
    if let Some(catalog) = &many.catalog {
        catalog::format_of(catalog)?;
    }
    output::make_folder(folder)?;
    signals::can_be_resumed(!output::writes_nothing());
    let (journal, past) = Journal::open(folder, many.shard, target.force && !many.resume)?;
    let many = &resumed(many, folder, &inputs, &past)?;
    let options = Options { many, ..options };
    let catalog = (many.catalog.as_deref())
        .map(|path| Catalog::asked_for(path, options, &past))
        .transpose()?;
    let mut names = Names::default();
    if many.resume {
        for (output, take) in &past.owners {
            names.keep(output, take);
        }
    }
    let work = MakeLoops {
        options,
        study,
        folder,
        template: template(options),
        recipe_sha256: recipe_sha256(options)?,
        protected,
        past,
        journal,
        names: Mutex::new(names),
    };
    work.make_all(&inputs, found.problems, Summary::new(found.num_loops), catalog)
}

/// Errors: nothing was found to make loops of.
fn check_found(found: &Inputs) -> Result<(), Failure> {
    match (&found.files[..], &found.problems[..]) {
        ([], [(_, failure)]) => Err(failure.clone()),
        ([], []) => Err(Failure::nothing("there is no take to make loops of")
            .because(format!("{} files are loops with their sidecars", found.num_loops))),
        _ => Ok(()),
    }
}

/// What is asked of the run, which goes on with an earlier one where that is only looked at. Errors: an earlier run made loops of these takes,
/// and nobody says what becomes of them.
fn resumed(many: &ManyArgs, folder: &Path, inputs: &[Input], past: &Past) -> Result<ManyArgs, Failure> {
    let known = inputs.iter().filter(|input| past.knows(&key(input))).count();
    if known == 0 || many.resume {
        return Ok(many.clone());
    }
    let earlier = format!(
        "an earlier run made loops of {known} of these takes into \"{}\"",
        folder.display()
    );
    if !output::writes_nothing() {
        return Err(Failure::error(earlier)
            .try_this("--resume to continue it, --force to make everything again, or another folder"));
    }
    // What is only looked at need not wait for the choice between the two.
    talk::note(&format!("{earlier}; this is what --resume would do"));
    Ok(ManyArgs {
        resume: true,
        ..many.clone()
    })
}

/// The folder for all loops. Errors: none is named, or flags are given that are for one loop.
fn output_folder<'a>(options: Options<'a>) -> Result<&'a Path, Failure> {
    let target = options.target;
    for (flag, is_given) in [
        ("--plot", target.plot.is_some()),
        ("--save-recipe", target.save_recipe.is_some()),
    ] {
        if is_given {
            return Err(
                Failure::error(format!("{flag} is for one loop, and several would be made"))
                    .try_this(format!("one take, or no {flag}")),
            );
        }
    }
    if options.all_animations && options.recipe.stretch.start.is_some() {
        return Err(
            Failure::error("the recipe names frames, which are those of one animation")
                .try_this("a recipe without [stretch], or no --all-animations"),
        );
    }
    let why = reason_for_folder(options);
    let Some(folder) = &target.output else {
        return Err(Failure::error(format!("{why} a folder to go into")).try_this("-o loops/"));
    };
    if folder.exists() && !folder.is_dir() {
        return Err(
            Failure::error(format!("\"{}\" is a file, and {why} a folder", folder.display()))
                .because("each loop gets a name of its own in that folder")
                .try_this("-o loops/"),
        );
    }
    let is_like_a_file = folder
        .extension()
        .and_then(|kind| Format::from_extension(kind.to_str()?))
        .is_some();
    if is_like_a_file && !folder.is_dir() && !output::is_named_as_folder(folder) {
        return Err(Failure::error(format!(
            "\"{}\" is the name of a file, and {why} a folder",
            folder.display()
        ))
        .because("each loop gets a name of its own in that folder")
        .try_this("-o loops/, and --name '{stem}-loop.glb' for the format"));
    }
    Ok(folder)
}

/// Who needs a folder: several loops, or what is asked of one take that only runs over many do.
fn reason_for_folder(
    Options {
        takes,
        split,
        rows,
        many,
        ..
    }: Options<'_>,
) -> String {
    let is_one = !batch::are_many(takes) && !split && matches!(rows, Rows::Recommended);
    let flags = [
        ("--name", many.name.is_some()),
        ("--catalog", many.catalog.is_some()),
        ("--resume", many.resume),
        ("--shard", many.shard.is_some()),
    ];
    match flags.into_iter().find(|(_, is_given)| is_one && *is_given) {
        Some((flag, _)) => format!("with {flag} the loop needs"),
        None => "several loops need".to_owned(),
    }
}

/// How loops are named: as a single one is, where the user says nothing.
fn template(options: Options<'_>) -> Template {
    let default = match options {
        Options { split: true, .. } => "{stem}-{animation}-loop",
        _ if packs(options, 2) => "{stem}-loops",
        Options { rows: Rows::All, .. } => "{stem}-loop-{row}",
        Options {
            rows: Rows::Picked(rows),
            ..
        } if rows.len() > 1 => "{stem}-loop-{row}",
        _ if options.recipe.take.animation.is_some() => "{stem}-{animation}-loop",
        _ => "{stem}-loop",
    };
    let given = options.many.name.clone();
    let mut template = given.unwrap_or_else(|| Template::parse(default).unwrap_or_default());
    template.format = template.format.or(options.target.to);
    template
}

/// Whether the loops of so many animations go into one file.
fn packs(options: Options<'_>, animations: usize) -> bool {
    let wanted = options.recipe.take.animation.as_deref();
    options.all_animations || (animations > 1 && wanted.is_some_and(|wanted| wanted.contains(['*', '?'])))
}

/// A hash of everything that decides how a take becomes a loop: settings, the version of the program, and the files that settings name.
fn recipe_sha256(options: Options<'_>) -> Result<String, Failure> {
    let recipe = options.recipe;
    let mut all = format!(
        "{}\n{}\n{:?}\n{:?}\n{} {}\n{:?}\n{}\n",
        env!("CARGO_PKG_VERSION"),
        recipe.to_text()?,
        options.search,
        options.rows,
        options.all_animations,
        options.split,
        options.excluded.names(),
        template(options).text(),
    );
    for path in [&recipe.take.rig, &recipe.take.map].into_iter().flatten() {
        all.push_str(&sha256(&files::read_bytes(path)?));
    }
    Ok(sha256(all.as_bytes()))
}

/// The work on many takes.
struct MakeLoops<'a> {
    options: Options<'a>,
    study: Study,
    folder: &'a Path,
    template: Template,
    recipe_sha256: String,
    /// All takes of the run, without links: no output replaces one, even with `--force`.
    protected: HashSet<PathBuf>,
    past: Past,
    journal: Journal,
    names: Mutex<Names>,
}

/// What a take gives, before it has names.
enum Studied {
    /// An earlier run did it.
    Done(Vec<LoopResult>),
    /// It gives nothing.
    Failed {
        read: FileRead,
        result: LoopResult,
    },
    Loops(Box<StudiedLoops>),
}

/// What is known of a file once it is read, whatever comes of it.
#[derive(Clone, Debug, Default)]
struct FileRead {
    sha256: String,
    num_frames: u64,
    /// What the choice of its loops says of it.
    notes: Vec<String>,
}

struct StudiedLoops {
    read: FileRead,
    skeleton_sha256: String,
    format: Format,
    /// Warnings about the take.
    warnings: Vec<String>,
    loops: Vec<StudiedLoop>,
    /// Why the run cannot go on with this take.
    fault: Option<Failure>,
}

enum StudiedLoop {
    Failed(LoopResult),
    Pending {
        made: Pending,
        /// Its path, and whether it replaces what is there.
        path: PathBuf,
        replaces: bool,
    },
}

impl StudiedLoop {
    fn of(made: Result<Pending, Failure>) -> Self {
        match made {
            Ok(made) => Self::without_name(made),
            Err(failure) => Self::Failed(LoopResult::failed(Verdict::Failed, &failure, Vec::new())),
        }
    }

    fn without_name(made: Pending) -> Self {
        Self::Pending {
            made,
            path: PathBuf::new(),
            replaces: false,
        }
    }
}

enum Pending {
    One(Box<PendingLoop>),
    Pack(Box<LoopedAnimations>),
    /// The loop of one of many animations, which is written when its turn comes: files of all would fill the memory.
    Split(Box<SplitLoop>),
}

/// The loop of an animation, for a file of its own.
struct SplitLoop {
    animation: String,
    studied: job::Studied,
    made: LoopMade,
}

impl Work for MakeLoops<'_> {
    type Input = Input;
    type Studied = Studied;
    type Answer = TakeResult;

    fn study(&self, input: &Input) -> Studied {
        let mut read = FileRead::default();
        let (studied, said) = talk::aside(|| self.try_study(input, &mut read));
        studied.unwrap_or_else(|(verdict, failure)| Studied::Failed {
            read,
            result: LoopResult::failed(verdict, &failure, said.warnings),
        })
    }

    fn settle(&self, input: &Input, studied: &mut Studied) {
        let mut names = self.names();
        let take = key(input);
        match studied {
            Studied::Done(results) => {
                let outputs = results.iter().flat_map(|result| result.outputs.first());
                for output in outputs {
                    names.keep(&output.path, &take);
                }
            }
            Studied::Failed { .. } => {}
            Studied::Loops(studied) => self.give_names(&mut names, input, studied),
        }
    }

    fn finish(&self, input: &Input, studied: Studied) -> TakeResult {
        let result = |results: Vec<LoopResult>, read: FileRead| TakeResult {
            path: input.path.clone(),
            results,
            num_frames: read.num_frames,
            notes: read.notes,
            was_done: false,
        };
        let (read, results) = match studied {
            Studied::Done(results) => {
                return TakeResult {
                    was_done: true,
                    ..result(results, FileRead::default())
                };
            }
            Studied::Failed { read, result } => (read, vec![result]),
            Studied::Loops(studied) => {
                let read = studied.read.clone();
                let (results, _) = talk::aside(|| self.write(input, *studied));
                (read, results)
            }
        };
        // What failed is tried again by the next run.
        if results.iter().all(|result| result.verdict.exit_status() < ERROR_STATUS) {
            let done = Done {
                take: key(input),
                take_sha256: read.sha256.clone(),
                recipe_sha256: self.recipe_sha256.clone(),
                results: results.clone(),
            };
            if let Err(failure) = self.journal.done(done) {
                return result(vec![LoopResult::failed(Verdict::Failed, &failure, Vec::new())], read);
            }
        }
        result(results, read)
    }

    fn fault(&self, input: &Input) -> TakeResult {
        let failure = Failure::error(format!("the program itself failed on \"{}\"", input.path.display()))
            .try_this("a report of this fault, with the take");
        TakeResult {
            path: input.path.clone(),
            results: vec![LoopResult::failed(Verdict::Failed, &failure, Vec::new())],
            ..TakeResult::default()
        }
    }
}

/// What is said of a run while it goes on.
struct Said<'a> {
    target: &'a TargetArgs,
    progress: Progress,
    summary: Summary,
    /// The loops so far, for a catalog.
    rows: Option<Vec<LoopRow>>,
    /// Whether all could be printed.
    printed: Result<(), Failure>,
}

impl Said<'_> {
    fn add(&mut self, result: &TakeResult) {
        if let Some(rows) = &mut self.rows {
            rows.extend(
                result
                    .results
                    .iter()
                    .filter_map(|result| result.row.as_deref().cloned()),
            );
        }
        self.summary.add(result);
        let printed = self.progress.beside(|| {
            for note in &result.notes {
                talk::note(&format!("{}: {note}", result.path.display()));
            }
            output::print(&self.summary.lines(result, self.target.json, self.target.verbose))
        });
        let before = std::mem::replace(&mut self.printed, Ok(()));
        self.printed = before.and(printed);
        self.progress.step();
    }
}

/// Whether a file holds all of its take. The hash of a glTF file says nothing of the buffers beside it, so those takes are done again.
fn is_whole(path: &Path, bytes: &[u8]) -> bool {
    let format = path.extension().and_then(|kind| Format::from_extension(kind.to_str()?));
    if !format.is_some_and(|format| format.capabilities().names_other_files) {
        return true;
    }
    let Ok(document) = serde_json::from_slice::<serde_json::Value>(bytes) else {
        return false;
    };
    let buffers = document["buffers"].as_array().map_or(&[][..], Vec::as_slice);
    let mut uris = buffers.iter().filter_map(|buffer| buffer["uri"].as_str());
    uris.all(|uri| uri.starts_with("data:"))
}

/// The name of a take in journals: the same on every machine.
fn key(input: &Input) -> String {
    input.below.to_string_lossy().into_owned()
}

impl MakeLoops<'_> {
    /// Works on all takes, says what each gives as soon as it is done, and how the run ends.
    fn make_all(
        &self,
        inputs: &[Input],
        problems: Vec<(PathBuf, Failure)>,
        summary: Summary,
        catalog: Option<Catalog<'_>>,
    ) -> Result<Ending, Failure> {
        let target = self.options.target;
        let jobs = batch::jobs(self.options.many.jobs.jobs, inputs.len());
        memory::share_among(jobs);
        let begun = Instant::now();
        let mut said = Said {
            target,
            progress: Progress::new("making loops", inputs.len()),
            summary,
            rows: catalog.is_some().then(Vec::new),
            printed: Ok(()),
        };
        // What is not there or cannot be listed is said before the long work begins.
        for (path, problem) in problems {
            let results = vec![LoopResult::failed(Verdict::Unreadable, &problem, Vec::new())];
            said.add(&TakeResult {
                path,
                results,
                ..TakeResult::default()
            });
        }
        batch::run(self, inputs, jobs, |_, result| said.add(&result));
        let Said {
            progress,
            mut summary,
            rows,
            printed,
            ..
        } = said;
        progress.finish();
        printed?;
        if let Some(catalog) = catalog {
            summary.catalog = Some(catalog.write(&rows.unwrap_or_default(), &self.journal)?);
        }
        signals::can_be_resumed(false);
        talk::note(&summary.pace(begun.elapsed()));
        output::say_if_nothing_was_written();
        summary.end(target.json)
    }

    fn names(&self) -> MutexGuard<'_, Names> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Errors: the take gives no loop, and what that means if the exit status is 2.
    fn try_study(&self, input: &Input, read: &mut FileRead) -> Result<Studied, (Verdict, Failure)> {
        let unreadable = |failure| (Verdict::Unreadable, failure);
        let failed = |failure| (Verdict::Failed, failure);
        let bytes = files::read_bytes(&input.path).map_err(unreadable)?;
        read.sha256 = sha256(&bytes);
        let past = self.past.done(&key(input), &read.sha256, &self.recipe_sha256);
        if let Some(done) = past.filter(|_| self.options.many.resume && is_whole(&input.path, &bytes)) {
            return Ok(Studied::Done(done.results.clone()));
        }
        self.check_unchanged(input).map_err(failed)?;
        let format = self.format_for(input).map_err(failed)?;
        if self.options.split {
            let file = load::parse(&input.path, &bytes).map_err(unreadable)?;
            return self.split(&input.path, &file, format, read).map_err(unreadable);
        }
        if let Some(pack) = self.pack(&input.path, &bytes, format).map_err(unreadable)? {
            read.num_frames = pack.sidecar.loops.iter().map(|each| each.take.frames as u64).sum();
            return Ok(Studied::Loops(Box::new(StudiedLoops {
                read: read.clone(),
                skeleton_sha256: pack.skeleton_sha256.clone(),
                format,
                warnings: Vec::new(),
                loops: vec![StudiedLoop::without_name(Pending::Pack(Box::new(pack)))],
                fault: None,
            })));
        }
        let loaded = load::load_bytes(&input.path, bytes, &self.study).map_err(unreadable)?;
        read.num_frames = loaded.take().num_frames() as u64;
        self.rows(&loaded, format, read).map_err(failed)
    }

    /// Errors: somebody changed an output of an earlier run, and nobody says that it may go.
    fn check_unchanged(&self, input: &Input) -> Result<(), Failure> {
        match self.past.changed_output(&key(input)) {
            Some(changed) if !self.options.target.force => Err(Failure::error(format!(
                "\"{}\" was changed since an earlier run wrote it, and stays as it is",
                changed.display()
            ))
            .try_this("--resume --force to make it again, or another place for the changed file")),
            _ => Ok(()),
        }
    }

    /// The format of the loops of a take. Errors: none is written under its extension.
    fn format_for(&self, input: &Input) -> Result<Format, Failure> {
        match self.template.format {
            Some(format) => Ok(format),
            None => {
                let extension = loop_output::extension(&input.path, self.options.recipe);
                output::format_of(Path::new(&format!("loop.{extension}")))
            }
        }
    }

    fn request(&self) -> Request<'_> {
        Request {
            recipe: self.options.recipe,
            search: Some(self.options.search),
            rows: self.options.rows,
        }
    }

    /// The loops of the rows that are asked for. Errors: the take has none.
    fn rows(&self, loaded: &job::Studied, format: Format, read: &mut FileRead) -> Result<Studied, Failure> {
        let request = self.request();
        let in_words = |error: JobError| failures::job(loaded, request.search, error);
        let mut warnings = Vec::new();
        let chosen = job::choose(loaded, request, &mut warnings);
        read.notes = loop_output::in_words(&warnings);
        let loops = chosen.map_err(in_words)?.into_iter().map(|chosen| {
            // Of many takes, some have fewer rows than others.
            let chosen = chosen.map_err(|no_row| Failure::nothing(in_words(no_row).what()))?;
            let made = job::make(loaded, request, &chosen).map_err(in_words)?;
            let written = job::write(loaded, request, made, format).map_err(in_words)?;
            Ok(Pending::One(Box::new(written)))
        });
        Ok(Studied::Loops(Box::new(StudiedLoops {
            loops: loops.map(StudiedLoop::of).collect(),
            read: read.clone(),
            skeleton_sha256: skeleton_sha256(loaded.body_of_loops().skeleton),
            format,
            warnings: loop_output::in_words(&loaded.warnings),
            fault: None,
        })))
    }

    /// The loops of all animations that are asked for, each for a file of its own.
    fn split(&self, path: &Path, file: &AnimatedFile, format: Format, read: &mut FileRead) -> Result<Studied, Failure> {
        let Options { recipe, search, .. } = self.options;
        let request = PackRequest { recipe, search, format };
        let mut skeleton = None;
        let mut loop_of = |name: &str, number: usize| {
            let studied = animations::read(path, file, number, &self.study)?;
            read.num_frames += studied.take().num_frames() as u64;
            skeleton.get_or_insert_with(|| skeleton_sha256(studied.body_of_loops().skeleton));
            let mut warnings = Vec::new();
            let made = pack::loop_of(&studied, name, request, &mut warnings);
            talk::warn_all(&warnings);
            let made = made.map_err(|error| failures::job(&studied, Some(search), error))?;
            let made = made.map_err(Failure::nothing)?;
            Ok(Pending::Split(Box::new(SplitLoop {
                animation: name.to_owned(),
                studied,
                made,
            })))
        };
        let mut loops = Vec::new();
        for number in self.asked_for(path, file)? {
            let name = &file.animation_names()[number];
            loops.push(StudiedLoop::of(
                loop_of(name, number).map_err(|failure: Failure| failure.about(name)),
            ));
        }
        Ok(Studied::Loops(Box::new(StudiedLoops {
            read: read.clone(),
            skeleton_sha256: skeleton.unwrap_or_default(),
            format,
            warnings: Vec::new(),
            loops,
            fault: None,
        })))
    }

    /// The animations of a file that are asked for.
    fn asked_for(&self, path: &Path, file: &AnimatedFile) -> Result<Vec<usize>, Failure> {
        let Options { recipe, excluded, .. } = self.options;
        animations::asked_for(path, file, recipe.take.animation.as_deref(), excluded)
    }

    /// The loops of all animations that are asked for, if they go into one file.
    fn pack(&self, path: &Path, bytes: &[u8], format: Format) -> Result<Option<LoopedAnimations>, Failure> {
        let Options { recipe, search, .. } = self.options;
        // Nothing is parsed twice for files of which one animation is asked for.
        if !packs(self.options, 2) {
            return Ok(None);
        }
        let file = load::parse(path, bytes)?;
        let numbers = self.asked_for(path, &file)?;
        if !packs(self.options, numbers.len()) {
            return Ok(None);
        }
        let request = PackArgs {
            recipe,
            target: self.options.target,
            search,
        };
        LoopedAnimations::new(path, &file, &numbers, request, &self.study, format).map(Some)
    }

    fn give_names(&self, names: &mut Names, input: &Input, studied: &mut StudiedLoops) {
        let folder = match input.below.parent() {
            Some(below) => self.folder.join(below),
            None => self.folder.to_owned(),
        };
        let (take, stem) = (key(input), files::stem(&input.path));
        let extension = match self.template.format {
            // As the take spells it.
            None => loop_output::extension(&input.path, self.options.recipe),
            Some(format) => format.extension().to_owned(),
        };
        debug_assert_eq!(Format::from_extension(&extension), Some(studied.format));
        let mut given: Vec<PathBuf> = Vec::new();
        let mut numbered = Vec::new();
        for each in &mut studied.loops {
            let StudiedLoop::Pending { made, path, replaces } = each else {
                continue;
            };
            let named = match made {
                Pending::One(made) => Named {
                    stem: &stem,
                    animation: self.options.recipe.take.animation.as_deref(),
                    kind: made.kind.as_str(),
                    speed_mps: made.done.speed_mps(),
                    row: made.done.row,
                },
                Pending::Split(split) => Named {
                    stem: &stem,
                    animation: Some(&split.animation),
                    kind: split.made.kind(&split.studied).as_str(),
                    speed_mps: split.made.speed_mps(),
                    row: 1,
                },
                Pending::Pack(_) => Named {
                    stem: &stem,
                    animation: None,
                    kind: "loops",
                    speed_mps: 0.0,
                    row: 1,
                },
            };
            let name = names.give(&folder, &self.template, named, &extension, &take, &given);
            *replaces = self.options.target.force || name.was_ours;
            numbered.extend(name.wanted.map(|wanted| {
                format!(
                    "another loop is named \"{}\", so this one is \"{}\"",
                    wanted.display(),
                    name.path.display()
                )
            }));
            given.push(name.path.clone());
            *path = name.path;
        }
        studied.warnings.extend(numbered);
        if !given.is_empty() {
            studied.fault = self.journal.writes(&take, given).err();
        }
    }

    fn write(&self, input: &Input, studied: StudiedLoops) -> Vec<LoopResult> {
        let StudiedLoops {
            skeleton_sha256,
            format: studied_format,
            warnings,
            loops,
            fault,
            ..
        } = studied;
        if let Some(failure) = fault {
            return vec![LoopResult::failed(Verdict::Failed, &failure, Vec::new())];
        }
        let mut results = Vec::new();
        for each in loops {
            let (made, path, replaces) = match each {
                StudiedLoop::Failed(result) => {
                    results.push(result);
                    continue;
                }
                StudiedLoop::Pending { made, path, replaces } => (made, path, replaces),
            };
            let written = match made {
                Pending::One(made) => {
                    let row = made.done.row;
                    self.write_loop(input, *made, (&path, replaces), &warnings)
                        .map(|(sidecar, outputs)| vec![made_result(&sidecar, &skeleton_sha256, row, outputs)])
                }
                Pending::Split(split) => self
                    .write_split(input, *split, studied_format, (&path, replaces))
                    .map(|(sidecar, outputs)| vec![made_result(&sidecar, &skeleton_sha256, 1, outputs)]),
                Pending::Pack(looped) => self.write_pack(input, *looped, (&path, replaces), &skeleton_sha256),
            };
            match written {
                Ok(written) => results.extend(written),
                Err(failure) => results.push(LoopResult::failed(Verdict::Failed, &failure, Vec::new())),
            }
        }
        results
    }

    /// Outputs for these paths, where they may be written.
    fn outputs(
        &self,
        input: &Input,
        [loop_path, sidecar_path]: [&Path; 2],
        replaces: bool,
    ) -> Result<Outputs, Failure> {
        let mut outputs = Outputs::new(replaces);
        outputs.protect(&input.path);
        for path in [
            self.options.target.recipe.as_deref(),
            self.options.recipe.take.rig.as_deref(),
        ]
        .into_iter()
        .flatten()
        {
            outputs.protect_as("setting", path);
        }
        if let Some(folder) = loop_path.parent() {
            output::make_folder(folder)?;
        }
        for path in [loop_path, sidecar_path] {
            if path.canonicalize().is_ok_and(|path| self.protected.contains(&path)) {
                return Err(Failure::error(format!("\"{}\" is a take of this run", path.display()))
                    .try_this("another folder with -o, or another --name; a take is never overwritten"));
            }
            outputs.check(path).map_err(|failure| {
                if self.options.many.resume {
                    failure.because("no earlier run into this folder says that it wrote it")
                } else {
                    failure.try_this("--resume to continue an earlier run, --force to make everything again")
                }
            })?;
        }
        Ok(outputs)
    }

    fn write_loop(
        &self,
        input: &Input,
        made: PendingLoop,
        (path, replaces): (&Path, bool),
        warnings: &[String],
    ) -> Result<(Sidecar, Vec<Written>), Failure> {
        let sidecar_path = output::sidecar_path(path);
        let mut outputs = self.outputs(input, [path, &sidecar_path], replaces)?;
        let sidecar = loop_output::add(&mut outputs, made, &[path, &sidecar_path], warnings.to_vec())?;
        outputs.commit()?;
        Ok((sidecar, written([path, &sidecar_path])?))
    }

    /// Writes the loop of one of many animations into a file that holds no other.
    fn write_split(
        &self,
        input: &Input,
        SplitLoop { mut studied, made, .. }: SplitLoop,
        format: Format,
        named: (&Path, bool),
    ) -> Result<(Sidecar, Vec<Written>), Failure> {
        let warnings = loop_output::in_words(&studied.warnings);
        studied.file.source = studied.file.source.with_animation(None).map_err(Failure::error)?;
        let request = self.request();
        let written = job::write(&studied, request, made, format);
        let written = written.map_err(|error| failures::job(&studied, request.search, error))?;
        self.write_loop(input, written, named, &warnings)
    }

    fn write_pack(
        &self,
        input: &Input,
        mut looped: LoopedAnimations,
        (path, replaces): (&Path, bool),
        skeleton_sha256: &str,
    ) -> Result<Vec<LoopResult>, Failure> {
        let sidecar_path = output::sidecar_path(path);
        let mut outputs = self.outputs(input, [path, &sidecar_path], replaces)?;
        looped.add_to(&mut outputs, [path, &sidecar_path])?;
        outputs.commit()?;
        let written = written([path, &sidecar_path])?;
        let sidecar = &looped.sidecar;
        let of_animation = |animation: &loopwright_formats::loop_file::AnimationFacts| {
            let of_loop = (sidecar.loops.iter())
                .find(|each| each.playback.animation.is_some() && each.playback.animation == animation.loop_animation);
            if let Some(of_loop) = of_loop {
                let named = Sidecar {
                    outputs: sidecar.outputs.clone(),
                    ..of_loop.clone()
                };
                return made_result(&named, skeleton_sha256, 1, written.clone());
            }
            let reason = animation.reason.clone().unwrap_or_default();
            LoopResult {
                verdict: match animation.outcome {
                    AnimationOutcome::Error => Verdict::Failed,
                    _ => Verdict::NoLoop,
                },
                reason: format!("{}: {reason}", animation.name),
                ..LoopResult::default()
            }
        };
        Ok(sidecar.animations.iter().map(of_animation).collect())
    }
}

fn made_result(sidecar: &Sidecar, skeleton_sha256: &str, row: usize, outputs: Vec<Written>) -> LoopResult {
    LoopResult {
        verdict: sidecar.quality.grade.unwrap_or(Grade::Review).into(),
        reason: sidecar.quality.reason.clone().unwrap_or_default(),
        outputs,
        row: Some(Box::new(LoopRow::new(sidecar, skeleton_sha256, row))),
        warnings: sidecar.warnings.clone(),
        ..LoopResult::default()
    }
}

/// Files that are there now.
fn written(paths: [&Path; 2]) -> Result<Vec<Written>, Failure> {
    let written = paths.into_iter().map(|path| {
        if output::writes_nothing() {
            return Ok(Written {
                path: path.to_owned(),
                bytes: 0,
                sha256: String::new(),
            });
        }
        let bytes =
            fs::read(path).map_err(|error| Failure::error(format!("\"{}\" is gone again: {error}", path.display())))?;
        Ok(Written {
            path: path.to_owned(),
            bytes: bytes.len() as u64,
            sha256: sha256(&bytes),
        })
    });
    written.collect()
}

struct Catalog<'a> {
    path: &'a Path,
    format: CatalogFormat,
    outputs: Outputs,
}

impl<'a> Catalog<'a> {
    /// Errors: its name is of no format, or it cannot be written. A run that goes on replaces the catalog of the earlier one.
    fn asked_for(path: &'a Path, options: Options<'_>, past: &Past) -> Result<Self, Failure> {
        let format = catalog::format_of(path)?;
        if let Some(folder) = path
            .parent()
            .filter(|folder| Some(*folder) == options.target.output.as_deref())
        {
            output::make_folder(folder)?;
        }
        let outputs = Outputs::new(options.target.force || (options.many.resume && past.has_catalog(path)));
        outputs.check(path)?;
        Ok(Self { path, format, outputs })
    }

    /// Writes all rows; returns its name.
    fn write(mut self, rows: &[LoopRow], journal: &Journal) -> Result<String, Failure> {
        let bytes = catalog::bytes(self.format, rows, self.path)?;
        journal.catalog(self.path)?;
        self.outputs.add(self.path, &bytes)?;
        self.outputs.commit()?;
        Ok(self.path.display().to_string())
    }
}
