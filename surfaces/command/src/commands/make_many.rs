//! `loopwright make` for many takes: each is made as a single one is, and all go into one folder.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    sync::Mutex,
    time::Instant,
};

use loopwright_catalog::{CatalogFormat, LoopRow, skeleton_sha256};
use loopwright_formats::{
    AnimatedFile, Format, Sidecar,
    loop_file::{AnimationOutcome, PackSidecar, facts::Grade, sha256},
};
use loopwright_job::{self as job, JobError, LoopMade, PendingLoop, Request, Rows, Study, pack};

use super::{
    catalog,
    make_all::{self, LoopedAnimations},
};
use crate::{
    animations::{self, Excluded, is_pattern},
    args::{ManyArgs, TargetArgs},
    batch::{
        self, Done, Input, Journal, Line, LoopResult, Named, Names, Past, TakeResult, Template, Verdict, Wanted, Work,
        Written,
    },
    exit::{ERROR_STATUS, Ending, Failure, Result},
    failures, files, load, loop_output,
    output::{self, Outputs},
    parallel::locked,
    report::make_many::Summary,
    signals,
    talk::{self, Progress},
};

/// Settings of a run over many takes.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    pub takes: &'a [PathBuf],
    pub all_animations: bool,
    pub excluded: Excluded<'a>,
    pub split: bool,
    pub request: Request<'a>,
    pub target: &'a TargetArgs,
    pub many: &'a ManyArgs,
}

pub fn run(options: Options) -> Result<Ending> {
    let Options {
        target, many, request, ..
    } = options;
    let reading = &request.recipe.take;
    let found = batch::find(
        options.takes,
        Wanted::Takes,
        target.output.as_deref(),
        reading.rig.as_deref(),
    );
    match (&found.files[..], &found.problems[..]) {
        ([], [(_, failure)]) => return Err(failure.clone()),
        ([], []) => {
            return Err(Failure::nothing("there is no take to make loops of")
                .because(format!("{} files are loops with their sidecars", found.num_loops)));
        }
        _ => {}
    }
    let folder = output_folder(options)?;
    let study = load::study(reading.clone())?;
    let mut inputs = found.files;
    let protected = inputs
        .iter()
        .filter_map(|input| input.path.canonicalize().ok())
        .collect();
    if let Some(shard) = many.shard {
        inputs.retain(|input| shard.has(input));
    }
    if let Some(catalog) = &many.catalog {
        catalog::format_of(catalog)?;
    }
    output::make_folder(folder)?;
    signals::can_be_resumed(!output::writes_nothing());
    let (journal, mut past) = Journal::open(folder, many.shard, target.force && !many.resume)?;
    let resume = resumes(many, folder, &inputs, &past)?;
    let catalog = many
        .catalog
        .as_deref()
        .map(|path| Catalog::asked_for(path, target, resume && past.has_catalog(path)))
        .transpose()?;
    let template = template(options);
    let work = MakeLoops {
        options,
        resume,
        study,
        folder,
        recipe_sha256: recipe_sha256(options, &template)?,
        template,
        protected,
        names: Mutex::new(if resume {
            core::mem::take(&mut past.names)
        } else {
            Names::default()
        }),
        past,
        journal,
    };
    work.make_all(&inputs, found.problems, Summary::new(found.num_loops), catalog)
}

/// Whether the run continues an earlier one; a dry run assumes so. Errors: an earlier run made loops of these takes, and neither --resume
/// nor --force is given.
fn resumes(many: &ManyArgs, folder: &Path, inputs: &[Input], past: &Past) -> Result<bool> {
    let known = inputs.iter().filter(|input| past.knows(&input.key())).count();
    if known == 0 || many.resume {
        return Ok(many.resume);
    }
    let earlier = format!(
        "an earlier run made loops of {known} of these takes into \"{}\"",
        folder.display()
    );
    if !output::writes_nothing() {
        return Err(Failure::error(earlier)
            .try_this("--resume to continue it, --force to make everything again, or another folder"));
    }
    // A dry run does not require the choice between the two flags.
    note!("{earlier}; this is what --resume would do");
    Ok(true)
}

/// Returns the folder for all loops. Errors: none is named, or flags for a single loop are given.
fn output_folder<'a>(options: Options<'a>) -> Result<&'a Path> {
    let target = options.target;
    for (flag, is_given) in [
        ("--plot", target.plot.is_some()),
        ("--save-recipe", target.save_recipe.is_some()),
    ] {
        if is_given {
            return Err(failure!("{flag} is for one loop, and several would be made")
                .try_this(format!("one take, or no {flag}")));
        }
    }
    if options.all_animations && options.request.recipe.stretch.start.is_some() {
        return Err(make_all::frames_of_one());
    }
    let why = reason_for_folder(options);
    let Some(folder) = &target.output else {
        return Err(failure!("{why} a folder to go into").try_this("-o loops/"));
    };
    if folder.exists() && !folder.is_dir() {
        return Err(failure!("\"{}\" is a file, and {why} a folder", folder.display())
            .because("each loop gets a name of its own in that folder")
            .try_this("-o loops/"));
    }
    if files::is_named_like_a_take(folder) && !folder.is_dir() && !output::is_named_as_folder(folder) {
        return Err(
            failure!("\"{}\" is the name of a file, and {why} a folder", folder.display())
                .because("each loop gets a name of its own in that folder")
                .try_this("-o loops/, and --name '{stem}-loop.glb' for the format"),
        );
    }
    Ok(folder)
}

/// Names the reason why a folder is needed: several loops, or a request that only a run over many supports.
fn reason_for_folder(
    Options {
        takes,
        split,
        request,
        many,
        ..
    }: Options,
) -> String {
    let is_one = !batch::are_many(takes) && !split && *request.rows == Rows::Recommended;
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

/// Returns the template for names; without one from the user, that of a single loop.
fn template(options: Options) -> Template {
    let Request { recipe, rows, .. } = options.request;
    let default = if options.split {
        "{stem}-{animation}-loop"
    } else if packs(options, 2) {
        "{stem}-loops"
    } else if rows.is_one() {
        if recipe.take.animation.is_some() {
            "{stem}-{animation}-loop"
        } else {
            "{stem}-loop"
        }
    } else {
        "{stem}-loop-{row}"
    };
    let mut template = options
        .many
        .name
        .clone()
        .unwrap_or_else(|| Template::parse(default).unwrap_or_default());
    template.format = template.format.or(options.target.to);
    template
}

/// Whether the loops of this many animations go into one file.
fn packs(options: Options, animations: usize) -> bool {
    let wanted = options.request.recipe.take.animation.as_deref();
    animations > usize::from(!options.all_animations) && (options.all_animations || wanted.is_some_and(is_pattern))
}

/// Hashes everything that decides how a take becomes a loop: settings, the version of the program, and the files that settings name.
fn recipe_sha256(options: Options, template: &Template) -> Result<String> {
    let Request { recipe, search, rows } = options.request;
    let mut all = format!(
        "{}\n{}\n{}\n{rows:?}\n{} {}\n{:?}\n{}\n",
        env!("CARGO_PKG_VERSION"),
        recipe.to_text()?,
        search.map_or_else(String::new, |search| format!("{search:?}")),
        options.all_animations,
        options.split,
        options.excluded.names(),
        template.text(),
    );
    for (_, path) in recipe.take.files() {
        all.push_str(&sha256(&files::read_bytes(path)?));
    }
    Ok(sha256(all.as_bytes()))
}

/// The work on many takes.
struct MakeLoops<'a> {
    options: Options<'a>,
    /// Whether the run continues an earlier one.
    resume: bool,
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

/// A take and its loops, which are not named yet.
#[derive(Default)]
struct StudiedTake {
    sha256: String,
    num_frames: u64,
    /// Notes on the choice of its loops.
    notes: Vec<String>,
    /// Whether an earlier run already did this take.
    was_done: bool,
    skeleton_sha256: String,
    /// Warnings about the take.
    warnings: Vec<String>,
    /// Those to write, and results of loops that failed or that an earlier run made.
    loops: Vec<Result<Pending, LoopResult>>,
    /// The path of each loop to write, and whether it replaces an existing file.
    places: Vec<(PathBuf, bool)>,
    /// The reason why the run cannot go on with this take.
    fault: Option<Failure>,
}

enum Pending {
    One(Box<PendingLoop>),
    Pack(Box<LoopedAnimations>),
    /// The loop of one of many animations, written only when its turn comes: the files of all would fill the memory.
    Split(Box<SplitLoop>),
}

/// The loop of an animation that gets its own file.
struct SplitLoop {
    animation: String,
    studied: job::Studied,
    made: LoopMade,
    format: Format,
}

impl Work for MakeLoops<'_> {
    type Input = Input;
    type Studied = StudiedTake;
    type Answer = TakeResult;

    fn size(&self, input: &Input) -> u64 {
        fs::metadata(&input.path).map_or(0, |file| file.len())
    }

    fn study(&self, input: &Input) -> StudiedTake {
        let mut studied = StudiedTake::default();
        let (done, said) = talk::aside(|| self.try_study(input, &mut studied));
        if let Err((verdict, failure)) = done {
            studied.loops = vec![Err(LoopResult::failed(verdict, &failure, said.warnings))];
        }
        studied
    }

    fn settle(&self, input: &Input, studied: &mut StudiedTake) {
        let mut names = locked(&self.names);
        studied.places = self.give_names(&mut names, input, studied);
        if !studied.places.is_empty() {
            studied.fault = self
                .journal
                .append(&Line::Writes {
                    take: input.key(),
                    outputs: studied.places.iter().map(|(path, _)| path.clone()).collect(),
                })
                .err();
        }
    }

    /// Writes the loops of a take, and marks it in the journal as done unless something failed.
    fn finish(&self, input: &Input, studied: StudiedTake) -> TakeResult {
        let mut result = TakeResult {
            path: input.path.clone(),
            results: Vec::new(),
            num_frames: studied.num_frames,
            notes: studied.notes,
            was_done: studied.was_done,
        };
        if let Some(fault) = studied.fault {
            result.results = vec![fault.into()];
            return result;
        }
        let mut places = studied.places.into_iter();
        (result.results, _) = talk::aside(|| {
            studied
                .loops
                .into_iter()
                .flat_map(|each: Result<_, _>| match each {
                    Err(result) => vec![result],
                    Ok(made) => {
                        let (path, replaces) = places.next().unwrap_or_default();
                        let written = self.outputs(input, &path, replaces).and_then(|outputs| {
                            self.write(made, outputs, &path, &studied.warnings, &studied.skeleton_sha256)
                        });
                        written.unwrap_or_else(|failure| vec![failure.into()])
                    }
                })
                .collect()
        });
        // A failed take stays unmarked, so that the next run tries it again.
        let mut results = result.results.iter();
        if !result.was_done && results.all(|each| each.verdict.exit_status() < ERROR_STATUS) {
            let done = Done {
                take: input.key(),
                take_sha256: studied.sha256,
                recipe_sha256: self.recipe_sha256.clone(),
                results: result.results.clone(),
            };
            if let Err(failure) = self.journal.append(&Line::Done(Box::new(done))) {
                result.results = vec![failure.into()];
            }
        }
        result
    }

    fn fault(&self, input: &Input) -> TakeResult {
        let failure = failure!("the program itself failed on \"{}\"", input.path.display())
            .try_this("a report of this fault, with the take");
        TakeResult {
            path: input.path.clone(),
            results: vec![failure.into()],
            ..TakeResult::default()
        }
    }
}

/// Progress messages of a run.
struct Said<'a> {
    target: &'a TargetArgs,
    progress: Progress,
    summary: Summary,
    catalog: Option<Catalog<'a>>,
    /// Whether everything could be printed so far.
    printed: Result<()>,
}

impl Said<'_> {
    fn add(&mut self, result: &TakeResult) {
        if let Some(catalog) = &mut self.catalog {
            let rows = result.results.iter().filter_map(|result| result.row.as_deref());
            catalog.rows.extend(rows.cloned());
        }
        self.summary.add(result);
        let printed = self.progress.beside(|| {
            for note in &result.notes {
                note!("{}: {note}", result.path.display());
            }
            output::print(&self.summary.lines(result, self.target.json, self.target.verbose))
        });
        if self.printed.is_ok() {
            self.printed = printed;
        }
        self.progress.step();
    }
}

/// Whether a file contains all of its take. The hash of a glTF file does not cover the buffers beside it, so those takes are done again.
fn is_whole(path: &Path, bytes: &[u8]) -> bool {
    if !files::format_of_name(path).is_some_and(|format| format.capabilities().names_other_files) {
        return true;
    }
    let Ok(document) = serde_json::from_slice::<serde_json::Value>(bytes) else {
        return false;
    };
    let buffers = document["buffers"].as_array().map_or(&[][..], Vec::as_slice);
    let mut uris = buffers.iter().filter_map(|buffer| buffer["uri"].as_str());
    uris.all(|uri| uri.starts_with("data:"))
}

impl MakeLoops<'_> {
    /// Makes loops of all takes, prints the result of each as soon as it is done, and returns how the run ends.
    fn make_all(
        &self,
        inputs: &[Input],
        problems: Vec<(PathBuf, Failure)>,
        summary: Summary,
        catalog: Option<Catalog>,
    ) -> Result<Ending> {
        let target = self.options.target;
        let jobs = batch::jobs(self.options.many.jobs.jobs, inputs.len());
        let begun = Instant::now();
        let mut said = Said {
            target,
            progress: Progress::new("making loops", inputs.len()),
            summary,
            catalog,
            printed: Ok(()),
        };
        // Missing files are reported before the long work begins.
        for (path, problem) in problems {
            let results = vec![LoopResult::failed(Verdict::Unreadable, &problem, Vec::new())];
            said.add(&TakeResult {
                path,
                results,
                ..TakeResult::default()
            });
        }
        batch::run(self, inputs, jobs, |_, result| said.add(&result));
        said.progress.finish();
        said.printed?;
        let mut summary = said.summary;
        if let Some(catalog) = said.catalog {
            summary.catalog = Some(catalog.write(&self.journal)?);
        }
        signals::can_be_resumed(false);
        talk::note(&summary.pace(begun.elapsed()));
        output::say_if_nothing_was_written();
        summary.end(target.json)
    }

    /// Studies a take. Errors: it gives no loop; the verdict says what an exit status of 2 means here.
    fn try_study(&self, input: &Input, take: &mut StudiedTake) -> Result<(), (Verdict, Failure)> {
        let unreadable = |failure| (Verdict::Unreadable, failure);
        let failed = |failure| (Verdict::Failed, failure);
        let path = &input.path;
        let bytes = files::read_bytes(path).map_err(unreadable)?;
        take.sha256 = sha256(&bytes);
        let past = self.past.done(&input.key(), &take.sha256, &self.recipe_sha256);
        if let Some(done) = past.filter(|_| self.resume && is_whole(path, &bytes)) {
            take.was_done = true;
            take.loops = done.results.iter().cloned().map(Err).collect();
            return Ok(());
        }
        self.check_unchanged(input).map_err(failed)?;
        let format = self.format_for(input).map_err(failed)?;
        // Files of which one animation is asked for are parsed only once, below.
        if self.options.split || packs(self.options, 2) {
            let file = files::parse(path, &bytes).map_err(unreadable)?;
            let numbers = animations::asked_for(
                path,
                &file,
                self.options.request.recipe.take.animation.as_deref(),
                self.options.excluded,
            )
            .map_err(unreadable)?;
            // A file without any is refused as one take.
            if self.options.split && !numbers.is_empty() {
                for number in numbers {
                    let made = self
                        .split(path, &file, number, format, take)
                        .map_err(|failure| failure.about(&file.animation_names()[number]).into());
                    take.loops.push(made);
                }
                return Ok(());
            }
            if packs(self.options, numbers.len()) {
                let pack = LoopedAnimations::new(path, &file, &numbers, self.options.request, &self.study, format)
                    .map_err(unreadable)?;
                take.num_frames = pack.sidecar.loops.iter().map(|each| each.take.frames as u64).sum();
                take.skeleton_sha256.clone_from(&pack.skeleton_sha256);
                take.loops.push(Ok(Pending::Pack(Box::new(pack))));
                return Ok(());
            }
        }
        let loaded = load::load_bytes(path, bytes, &self.study).map_err(unreadable)?;
        take.num_frames = loaded.take().num_frames() as u64;
        self.rows(&loaded, format, take).map_err(failed)
    }

    /// Errors: somebody changed an output of an earlier run, and --force is not given.
    fn check_unchanged(&self, input: &Input) -> Result<()> {
        match self.past.changed_output(&input.key()) {
            Some(changed) if !self.options.target.force => Err(failure!(
                "\"{}\" was changed since an earlier run wrote it, and stays as it is",
                changed.display()
            )
            .try_this("--resume --force to make it again, or another place for the changed file")),
            _ => Ok(()),
        }
    }

    /// Returns the format of the loops of a take. Errors: no format is written under its extension.
    fn format_for(&self, input: &Input) -> Result<Format> {
        match self.template.format {
            Some(format) => Ok(format),
            None => {
                let extension = loop_output::extension(&input.path, self.options.request.recipe);
                output::format_of(Path::new(&format!("loop.{extension}")))
            }
        }
    }

    /// Adds the loops of the requested rows. Errors: the take has none.
    fn rows(&self, loaded: &job::Studied, format: Format, take: &mut StudiedTake) -> Result<()> {
        let request = self.options.request;
        let in_words = |error: JobError| failures::job(loaded, request.search, error);
        let mut warnings = Vec::new();
        let chosen = job::choose(loaded, request, &mut warnings);
        take.notes = loop_output::in_words(&warnings);
        let loops = chosen.map_err(in_words)?.into_iter().map(|chosen| -> Result<_> {
            // Among many takes, some have fewer rows than others.
            let chosen = chosen.map_err(|no_row| Failure::nothing(in_words(no_row).what()))?;
            Ok(Pending::One(Box::new(
                loop_output::made(loaded, request, &chosen, format).map_err(in_words)?,
            )))
        });
        for made in loops {
            take.loops.push(made.map_err(LoopResult::from));
        }
        take.skeleton_sha256 = skeleton_sha256(loaded.body_of_loops().skeleton);
        take.warnings = loop_output::in_words(&loaded.warnings);
        Ok(())
    }

    /// Makes the loop of an animation for a file of its own.
    fn split(
        &self,
        path: &Path,
        file: &AnimatedFile,
        number: usize,
        format: Format,
        take: &mut StudiedTake,
    ) -> Result<Pending> {
        let (name, request) = (&file.animation_names()[number], self.options.request);
        let studied = animations::read(path, file, number, &self.study)?;
        take.num_frames += studied.take().num_frames() as u64;
        if take.skeleton_sha256.is_empty() {
            take.skeleton_sha256 = skeleton_sha256(studied.body_of_loops().skeleton);
        }
        let mut warnings = Vec::new();
        let made = pack::loop_of(&studied, name, request, &mut warnings);
        talk::warn_all(&warnings);
        let made = made
            .map_err(|error| failures::job(&studied, request.search, error))?
            .map_err(Failure::nothing)?;
        Ok(Pending::Split(Box::new(SplitLoop {
            animation: name.clone(),
            studied,
            made,
            format,
        })))
    }

    /// Names each loop, and returns the new names and whether they replace a file; loops of an earlier run keep theirs.
    fn give_names(&self, names: &mut Names, input: &Input, take: &mut StudiedTake) -> Vec<(PathBuf, bool)> {
        let folder = match input.below.parent() {
            Some(below) => self.folder.join(below),
            None => self.folder.to_owned(),
        };
        let Options { request, target, .. } = self.options;
        let (key, stem) = (input.key(), files::stem(&input.path));
        let extension = match self.template.format {
            // With the extension spelled as in the take.
            None => loop_output::extension(&input.path, request.recipe),
            Some(format) => format.extension().to_owned(),
        };
        let mut given = Vec::new();
        for each in &take.loops {
            let made = match each {
                Ok(made) => made,
                Err(result) => {
                    if let Some(output) = result.outputs.first() {
                        names.keep(&output.path, &key);
                    }
                    continue;
                }
            };
            let mut named = Named {
                stem: &stem,
                kind: "loops",
                row: 1,
                ..Named::default()
            };
            match made {
                Pending::One(made) => {
                    named.animation = request.recipe.take.animation.as_deref();
                    (named.kind, named.speed_mps) = (made.kind.as_str(), made.done.speed_mps());
                    named.row = made.done.row;
                }
                Pending::Split(split) => {
                    named.animation = Some(&split.animation);
                    named.kind = split.made.kind(&split.studied).as_str();
                    named.speed_mps = split.made.speed_mps();
                }
                Pending::Pack(_) => {}
            }
            let name = names.give(&folder, &self.template, named, &extension, &key);
            take.warnings.extend(name.wanted.map(|wanted| {
                format!(
                    "another loop is named \"{}\", so this one is \"{}\"",
                    wanted.display(),
                    name.path.display()
                )
            }));
            given.push((name.path, target.force || name.was_ours));
        }
        given
    }

    /// Returns outputs for a loop and its sidecar, once their paths are checked.
    fn outputs(&self, input: &Input, loop_path: &Path, replaces: bool) -> Result<Outputs> {
        let mut outputs = Outputs::new(replaces);
        outputs.protect(&input.path);
        let reading = &self.options.request.recipe.take;
        outputs.protect_as("recipe", &self.options.target.recipe);
        outputs.protect_character(reading.rig.as_deref(), reading.map.as_deref());
        if let Some(folder) = loop_path.parent() {
            output::make_folder(folder)?;
        }
        for path in [loop_path, &loop_path.with_added_extension(files::SIDECAR)] {
            if path.canonicalize().is_ok_and(|path| self.protected.contains(&path)) {
                return Err(failure!("\"{}\" is a take of this run", path.display())
                    .try_this("another folder with -o, or another --name; a take is never overwritten"));
            }
            outputs.check(path).map_err(|failure| {
                if self.resume {
                    failure.because("no earlier run into this folder says that it wrote it")
                } else {
                    failure.try_this("--resume to continue an earlier run, --force to make everything again")
                }
            })?;
        }
        Ok(outputs)
    }

    /// Writes a loop, or the loops of many animations, with the sidecar.
    fn write(
        &self,
        made: Pending,
        mut outputs: Outputs,
        path: &Path,
        warnings: &[String],
        skeleton_sha256: &str,
    ) -> Result<Vec<LoopResult>> {
        let (made, of_take) = match made {
            Pending::One(made) => (*made, warnings.to_vec()),
            Pending::Split(split) => split.written(self.options.request)?,
            Pending::Pack(mut looped) => {
                looped.add_to(&mut outputs, path)?;
                outputs.commit()?;
                return Ok(results_of_pack(&looped.sidecar, &written(path)?, skeleton_sha256));
            }
        };
        let row = made.done.row;
        let sidecar = loop_output::add(&mut outputs, made, path, &[], of_take)?;
        outputs.commit()?;
        Ok(vec![made_result(&sidecar, skeleton_sha256, row, written(path)?)])
    }
}

impl SplitLoop {
    /// Writes the loop into memory, as a file that holds no other; also returns the warnings about its animation.
    fn written(self, request: Request) -> Result<(PendingLoop, Vec<String>)> {
        let Self {
            mut studied,
            made,
            format,
            ..
        } = self;
        studied.file.source = studied.file.source.with_animation(None)?;
        let pending = job::write(&studied, request, made, format)
            .map_err(|error| failures::job(&studied, request.search, error))?;
        Ok((pending, loop_output::in_words(&studied.warnings)))
    }
}

/// Returns the results of all animations of a file whose loops were written into one file.
fn results_of_pack(sidecar: &PackSidecar, written: &[Written], skeleton_sha256: &str) -> Vec<LoopResult> {
    sidecar
        .animations
        .iter()
        .map(|animation| {
            let of_loop = sidecar
                .loops
                .iter()
                .find(|each| each.playback.animation.is_some() && each.playback.animation == animation.loop_animation);
            let Some(of_loop) = of_loop else {
                let reason = animation.reason.as_deref().unwrap_or_default();
                return LoopResult {
                    verdict: match animation.outcome {
                        AnimationOutcome::Error => Verdict::Failed,
                        _ => Verdict::NoLoop,
                    },
                    reason: format!("{}: {reason}", animation.name),
                    ..LoopResult::default()
                };
            };
            let of_loop = Sidecar {
                outputs: sidecar.outputs.clone(),
                ..of_loop.clone()
            };
            made_result(&of_loop, skeleton_sha256, 1, written.to_vec())
        })
        .collect()
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

/// Lists a loop and its sidecar as written.
fn written(loop_path: &Path) -> Result<Vec<Written>> {
    let of = |path: PathBuf| -> Result<Written> {
        let bytes = match output::writes_nothing() {
            true => Vec::new(),
            false => fs::read(&path).map_err(|error| failure!("\"{}\" is gone again: {error}", path.display()))?,
        };
        Ok(Written {
            bytes: bytes.len() as u64,
            sha256: sha256(&bytes),
            path,
        })
    };
    Ok(vec![
        of(loop_path.to_owned())?,
        of(loop_path.with_added_extension(files::SIDECAR))?,
    ])
}

struct Catalog<'a> {
    path: &'a Path,
    format: CatalogFormat,
    outputs: Outputs,
    /// The loops so far.
    rows: Vec<LoopRow>,
}

impl<'a> Catalog<'a> {
    /// Starts the catalog if one is asked for. Errors: its extension is unknown, or it cannot be written. A resumed run replaces the
    /// catalog of the earlier one.
    fn asked_for(path: &'a Path, target: &TargetArgs, replaces: bool) -> Result<Self> {
        let format = catalog::format_of(path)?;
        if let Some(folder) = path.parent().filter(|folder| Some(*folder) == target.output.as_deref()) {
            output::make_folder(folder)?;
        }
        let outputs = Outputs::new(target.force || replaces);
        outputs.check(path)?;
        Ok(Self {
            path,
            format,
            outputs,
            rows: Vec::new(),
        })
    }

    /// Writes all rows; returns the name of the file.
    fn write(mut self, journal: &Journal) -> Result<String> {
        let bytes = catalog::bytes(self.format, &self.rows, self.path)?;
        journal.catalog(self.path, &bytes)?;
        self.outputs.add(self.path, &bytes)?;
        self.outputs.commit()?;
        Ok(self.path.display().to_string())
    }
}
