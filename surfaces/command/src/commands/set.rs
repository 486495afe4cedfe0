//! `loopwright set`: makes all loops of one character from takes, in phase, with a manifest.

use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use loopwright_formats::{
    Format, Source,
    loop_file::facts::Grade,
    set::{LeftOut, MadeFrom, Manifest, SET_FILE},
};
use loopwright_job::{AddedRoot, Recipe, Studied, Study};
use loopwright_sets::{
    road::{self, MakeSetError, OfStyle, SetFileName, SetSettings, SetStage, SetTakes, WrittenSet},
    set::{self, TakeLoop},
};

use crate::{
    animations::{self, Excluded},
    args::SetArgs,
    batch::{self, Wanted},
    exit::{Ending, Failure, Result},
    failures,
    files::{self, InputFile},
    load,
    output::{self, Outputs},
    recipe::TakeArgs,
    report::table::width_of,
    talk::{self, Progress},
    written_loop,
};

pub fn run(args: &SetArgs) -> Result<Ending> {
    let settings = settings(args)?;
    let (inputs, left_out) = inputs(args)?;
    let takes = Takes {
        args,
        inputs: &inputs,
        study: load::study(args.take.clone())?,
        reading: args.take.reading(),
        unreadable: AtomicUsize::new(0),
    };
    let mut outputs = Outputs::new(args.force);
    for input in &inputs {
        outputs.protect(&input.path);
    }
    outputs.protect_character(args.take.rig.as_deref(), args.take.map.as_deref());
    let folder = &args.output;
    output::make_folder(folder)?;
    for file in settings.files_beside() {
        outputs.check(&folder.join(file))?;
    }
    let in_words = |error| failure(folder, error);
    let mut notes = Vec::new();
    let made = road::make_set(settings, &takes, left_out, &mut notes);
    talk::warn_all(notes.drain(..));
    let unreadable = takes.unreadable.load(Ordering::Relaxed);
    let made = made.map_err(|error| match unreadable {
        0 => in_words(error),
        _ => in_words(error).into_error(),
    })?;
    let written = made.write(&mut notes, |file| {
        outputs
            .add_with_sidecar(&folder.join(&file.name), &file.bytes, file.sidecar.as_deref())
            .map_err(Stopped::Output)
    });
    talk::warn_all(notes.drain(..));
    let written = written.map_err(|stopped| match stopped {
        Stopped::Set(error) => in_words(*error),
        Stopped::Output(failure) => failure,
    })?;
    add_beside(folder, &mut outputs, &written)?;
    outputs.commit()?;
    let manifest = &written.manifest;
    for missing in &manifest.missing {
        warning!("{} is missing: {}", missing.what, missing.why);
    }
    if !args.json {
        output::print(&human(manifest, &folder.join(SET_FILE)))?;
    }
    let failure =
        (unreadable > 0).then(|| Failure::error(format!("{unreadable} of {} files cannot be read", inputs.len())));
    output::end(written.json, failure, args.json)?;
    let has_bad = manifest.clips.iter().any(|clip| clip.grade == Some(Grade::Bad));
    Ok(Ending::of_answer(!has_bad && manifest.missing.is_empty()))
}

/// Returns the files of the requested style, or of the one that most files have, and those that are left out.
pub fn inputs(args: &SetArgs) -> Result<(Vec<InputFile>, Vec<LeftOut>)> {
    let found = batch::find(&args.takes, Wanted::All, Some(&args.output), args.take.rig.as_deref());
    if let Some((_, failure)) = found.problems.into_iter().next() {
        return Err(failure);
    }
    let (files, names): (Vec<_>, Vec<_>) = found
        .files
        .into_iter()
        .map(|input| {
            let file = InputFile::named(&input.path);
            let name = name_of(&file, &input.below);
            (file, name)
        })
        .unzip();
    let OfStyle {
        is_kept,
        left_out,
        chosen,
    } = road::of_style(&names, args.style.as_deref()).map_err(|error| failure(&args.output, error))?;
    if let Some(chosen) = chosen {
        note!(
            "the takes are of several styles, and the set is made of the {} of \"{}\": others are {}; --style names another",
            chosen.count,
            chosen.style,
            chosen.others.join(", ")
        );
    }
    let kept = files
        .into_iter()
        .zip(is_kept)
        .filter_map(|(input, is_kept)| is_kept.then_some(input));
    Ok((kept.collect(), left_out))
}

fn name_of(file: &InputFile, below: &Path) -> SetFileName {
    let format = files::extension(&file.path).and_then(|extension| Format::from_extension(&extension));
    SetFileName {
        name: file.typed().display().to_string(),
        below: below.to_string_lossy().into_owned(),
        holds_animations: format.is_some_and(|format| format.capabilities().holds_animations),
    }
}

/// Returns the settings of the set. Errors: the rate of the recipe is no positive number.
pub fn settings(args: &SetArgs) -> Result<SetSettings> {
    args.sets.0.output.timing()?;
    Ok(SetSettings {
        recipe: Recipe {
            take: args.take.clone(),
            ..args.sets.0.clone()
        },
        variants: args.variants.get(),
        fps: args.fps.or(args.sets.0.output.fps),
        target: args.target.or(args.sets.0.output.target),
        format: args.to,
        is_split: args.split,
        folder: args.output.clone(),
    })
}

/// Why writing a set ended early.
enum Stopped {
    Set(Box<MakeSetError>),
    Output(Failure),
}

impl From<MakeSetError> for Stopped {
    fn from(error: MakeSetError) -> Self {
        Self::Set(Box::new(error))
    }
}

/// Adds the manifest and the files for an engine, and removes the clips of the set that was there before.
pub fn add_beside(folder: &Path, outputs: &mut Outputs, set: &WrittenSet) -> Result<()> {
    let path = folder.join(SET_FILE);
    let before = read_manifest(&path).map_or_else(|_| Vec::new(), |before| before.clips);
    outputs.add(&path, set.json.as_bytes())?;
    // A player or an engine that takes all files of the folder would mix both sets. Only files right beside the manifest are removed.
    for file in before.iter().map(|clip| Path::new(&clip.file)) {
        if file.file_name() == Some(file.as_os_str()) {
            outputs.clear(&folder.join(file));
        }
    }
    for (file, text) in &set.engine_files {
        outputs.add(&folder.join(file), text.as_bytes())?;
    }
    Ok(())
}

/// Words why there is no set.
pub fn failure(folder: &Path, error: MakeSetError) -> Failure {
    let of_file = |file: &str, failure: Failure| failure.of_file(&folder.join(file));
    match error {
        MakeSetError::NoStyle { ref there, .. } => Failure::nothing(&error)
            .because(format!("there are {}", there.join(", ")))
            .try_this("a word of these names, or no --style"),
        MakeSetError::Rate { wanted_hz, limit_hz } => failures::rate(wanted_hz, limit_hz),
        MakeSetError::NoLoops(ref left_out) => left_out
            .iter()
            .take(8)
            .fold(Failure::nothing(&error), |failure, LeftOut { take, why }| {
                failure.because(format!("{take}: {why}"))
            })
            .try_this("`loopwright list` on the takes, which says what they hold"),
        MakeSetError::Loop(error) => failures::write(error),
        MakeSetError::LoopOfSingle { file, error } => of_file(&file, failures::write(error)),
        MakeSetError::Passage { file, error } => of_file(&file, Failure::error(error)),
        MakeSetError::Single { file, error } => {
            of_file(&file, Failure::error(error)).try_this("--split, for a file of each")
        }
        other => Failure::error(other),
    }
}

/// The takes of a set, read from their files whenever they are needed.
struct Takes<'a> {
    args: &'a SetArgs,
    inputs: &'a [InputFile],
    study: Study,
    reading: TakeArgs,
    /// Number of files that cannot be read.
    unreadable: AtomicUsize,
}

impl SetTakes for Takes<'_> {
    fn num_files(&self) -> usize {
        self.inputs.len()
    }

    fn name(&self, file: usize) -> String {
        self.inputs[file].typed().display().to_string()
    }

    fn takes(&self, file: usize, give: &mut dyn FnMut(&Studied, bool)) -> Result<(), String> {
        let (done, _) = talk::aside(|| self.takes_of(&self.inputs[file], give));
        done.map_err(|failure| failure.what().to_owned())
    }

    fn loops(&self, file: usize, give: &mut dyn FnMut(Result<TakeLoop, LeftOut>)) -> Result<(), String> {
        let (done, _) = talk::aside(|| self.loops_of(&self.inputs[file], give));
        done.map_err(|failure| failure.what().to_owned())
    }

    /// Runs on all files; prints a warning for each one that fails.
    fn on_all<A: Default + Send>(
        &self,
        stage: SetStage,
        work: impl Fn(usize, &mut A) -> Result<(), String> + Sync,
    ) -> Vec<A> {
        let jobs = batch::jobs(self.args.jobs.jobs, self.inputs.len());
        let what = match stage {
            SetStage::Loops => "takes",
            SetStage::Passages => "starts, stops and turns",
        };
        let progress = Progress::new(what, self.inputs.len());
        let mut all = Vec::with_capacity(self.inputs.len());
        let work = |&file: &usize| {
            let mut answer = A::default();
            let (done, _) = talk::aside(|| work(file, &mut answer));
            (answer, done.err())
        };
        let files: Vec<usize> = (0..self.inputs.len()).collect();
        let fault = |_: &usize| (A::default(), Some("the program itself failed on it".to_owned()));
        batch::each(&files, jobs, work, fault, |&file, (answer, problem)| {
            all.push(answer);
            if let Some(problem) = problem {
                self.unreadable.fetch_add(1, Ordering::Relaxed);
                progress.beside(|| warning!("{}: {problem}", self.name(file)));
            }
            progress.step();
        });
        progress.finish();
        all
    }
}

impl Takes<'_> {
    /// Passes on each take of a file that is of the style, and whether the file has several; a file of loops has none.
    fn takes_of(&self, input: &InputFile, give: &mut dyn FnMut(&Studied, bool)) -> Result<()> {
        let InputFile {
            path,
            animation,
            sidecar: None,
        } = input
        else {
            return Ok(());
        };
        let file = files::read_animated(path)?;
        let wanted = animation.as_deref().or(self.args.take.animation.as_deref());
        let excluded = Excluded::of(&self.args.takes, &self.args.left_out);
        let is_pack = file.num_animations() > 1;
        let mut alone: Option<Source> = None;
        for number in animations::asked_for(path, &file, wanted, excluded)? {
            let animation = &file.animation_names()[number];
            let is_other =
                |style: &String| is_pack && !set::fits_style(style, &format!("{}/{animation}", path.display()));
            if self.args.style.as_ref().is_some_and(is_other) {
                continue;
            }
            match animations::read(path, &file, number, &self.study) {
                Ok(mut studied) => {
                    // The set needs none of the other animations: each loop is written and read without them, and the file is reduced once.
                    if is_pack {
                        let source = studied.file.source;
                        studied.file.source = match &alone {
                            Some(alone) => source.in_file_of(alone),
                            None => source.with_animation(None),
                        }?;
                        alone.get_or_insert_with(|| studied.file.source.clone());
                    }
                    give(&studied, is_pack);
                }
                // Among many animations, some hold no motion.
                Err(_) if is_pack => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    /// Passes on each loop of a file with a sidecar.
    fn loops_of(&self, input: &InputFile, give: &mut dyn FnMut(Result<TakeLoop, LeftOut>)) -> Result<()> {
        if input.sidecar.is_none() {
            return Ok(());
        }
        let path = &input.path;
        for name in written_loop::loops_of(input, &self.reading, Excluded::NONE)? {
            let read = || {
                let stored = written_loop::read_playable(&name, &self.reading, AddedRoot::Folded)?;
                let matched = self
                    .study
                    .character()
                    .map(|target| load::matched(path, &stored.file, target, &self.reading))
                    .transpose()?;
                set::loop_made_before(stored, matched.as_ref()).map_err(|error| written_loop::unusable(path, error))
            };
            give(read().map_err(|failure: Failure| LeftOut {
                take: name.to_string(),
                why: failure.what().to_owned(),
            }));
        }
        Ok(())
    }
}

/// Reads the manifest in a folder, or from the file itself. Errors: it cannot be read.
pub fn read_manifest(path: &Path) -> Result<Manifest> {
    Manifest::from_json(&files::read_json(path)?).map_err(|error| failures::manifest(path, error))
}

/// Lists each clip on a line, and what is missing.
fn human(set: &Manifest, path: &Path) -> String {
    let mut text = String::new();
    let widest = width_of(set.clips.iter().map(|clip| &clip.name));
    for clip in &set.clips {
        text += &format!("{:widest$}  {:>5.2} s", clip.name, clip.seconds);
        if let (Some(speed), Some(turn)) = (clip.speed_mps, clip.turn_rate_dps) {
            text += &format!("  {speed:>5.2} m/s  {:>6.1} deg/s", (10.0 * turn).round() / 10.0 + 0.0);
        }
        if clip.is_action() {
            let next = clip.next.first().map_or("nothing", |next| &next.clip);
            text += &format!("  {}, then {next}", clip.kind.as_str());
        } else if let (Some(turn), Some(cost)) = (clip.turn_deg, clip.cost) {
            let ends = [&clip.from, &clip.to].map(|state| state.as_ref().map_or("", |state| state.clip.as_str()));
            text += &format!(
                "  {} to {}, {:.0} deg, cost {cost:.3}",
                ends[0],
                ends[1],
                // Adding zero removes the sign of a negative zero.
                turn.round() + 0.0
            );
        }
        text += &format!("  {:6}", clip.grade.map_or("", Grade::as_str));
        let from = match clip.made.from {
            MadeFrom::Take | MadeFrom::Other => clip.made.take.clone(),
            MadeFrom::Mirror | MadeFrom::Blend => {
                let of = set
                    .filled
                    .iter()
                    .find(|filled| filled.clip == clip.name)
                    .map_or_else(String::new, |filled| filled.from.join(", "));
                match clip.made.from {
                    MadeFrom::Mirror if of.is_empty() => format!("mirrored {}", clip.made.take),
                    MadeFrom::Mirror => format!("mirrored {of}"),
                    _ => format!("blended {of}"),
                }
            }
        };
        text += &format!("  {from}");
        if let Some(reason) = &clip.reason {
            text += &format!(": {reason}");
        }
        text.push('\n');
    }
    text += &format!(
        "{}: {} clips at {} frames per second, {} transitions, {} missing, {} takes left out\n",
        path.display(),
        set.clips.len(),
        set.fps,
        set.transitions.len(),
        set.missing.len(),
        set.left_out.len()
    );
    text
}
