//! Mixes, plays, compares, measures and checks takes and loops, and puts them onto characters.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use loopwright_cli::answers;
use loopwright_controller::{FitSettings, MODES, SMOOTHING_SECS};
use loopwright_core::{
    Analysis, BodyOverrides,
    candidate::DEFAULT_HALF_LIFE_SECS,
    feet::FootLock,
    math::DecayKind,
    mirror::{Mirror, SymmetricPose},
};
use loopwright_formats::{Format, LoadedTake, Source, Target};
use loopwright_job::{
    CharacterTarget, CheckId, Matched, StoredLoop, Studied, Warning,
    recipe::{Recenter, StudyArgs, TakeArgs, mirror as mirror_of, words::Written},
};
use loopwright_moves::{
    PlaySettings,
    blend::{BlendAxis, BlendError},
    play::{DEFAULT_FADE_SECS, PlayError},
};
use loopwright_sets::{Blend, BlendRequest, MixError, PerformError, PlayRequest, Played, fade};
use pyo3::{prelude::*, types::PyBytes};
use serde_json::Value;

use crate::{
    arguments::{Argument, Arguments},
    arrays::numbers,
    asked::Asked,
    facts::Facts,
    fault::Fault,
    held::{HeldTake, texts},
    loops::{Loop, OfLoops},
    takes::Take,
    work::work,
};

/// A take or a loop.
#[derive(Clone, FromPyObject, IntoPyObject)]
pub enum Motion {
    Take(Take),
    Loop(Loop),
}

/// A motion as analyses take it: a studied take, or a loop as it is read from its file.
pub enum Ready {
    Take(Arc<Studied>),
    Loop(String, Arc<StoredLoop>),
}

impl Motion {
    /// The motion with weights of joints. Errors: a take cannot be studied with these settings.
    pub fn ready(&self, reading: &TakeArgs, weights: &[(String, f64)]) -> Result<Ready, Fault> {
        Ok(match self {
            Self::Take(take) => Ready::Take(take.0.studied(&StudyArgs {
                weights: weights.to_vec(),
                ..reading.clone().into()
            })?),
            Self::Loop(held) => Ready::Loop(held.0.name.clone(), held.0.stored()?),
        })
    }
}

impl Ready {
    pub fn motion(&self) -> answers::Motion<'_> {
        match self {
            Self::Take(studied) => answers::Motion::Take(studied),
            Self::Loop(name, stored) => answers::Motion::Loop(name, stored),
        }
    }
}

/// Joints of the body by name, as keyword arguments.
pub fn reading(arguments: &Arguments) -> PyResult<TakeArgs> {
    let said = StudyArgs {
        hips: arguments.get("hips", Argument::text)?,
        feet: arguments.get("feet", Argument::texts)?.unwrap_or_default(),
        reference: arguments.get("reference", written)?,
        gaze: arguments.get("gaze", written)?,
        ..StudyArgs::default()
    };
    Ok(said.reading())
}

/// The engine that a motion is for, and whether it is brought to the origin.
fn engine(arguments: &Arguments) -> PyResult<(Option<Target>, bool)> {
    let target = arguments.get("for_", Argument::choice::<Target>)?;
    let recenter = arguments.get("recenter", |argument| match argument.switch() {
        Ok(true) => Ok(Recenter::On),
        Ok(false) => Ok(Recenter::Off),
        Err(_) => argument.choice(),
    })?;
    Ok((target, Recenter::or_for(recenter, target.unwrap_or(Target::Generic))))
}

/// A choice of a recipe that is a word, a number or a path.
fn written<T: Written>(argument: &Argument) -> Result<T, Fault> {
    let path = argument.path().map(|path| path.display().to_string());
    let text = path.or_else(|_| argument.value().map(|value| value.to_string()))?;
    T::read(&text).map_err(|why| argument.expected(&why))
}

/// A character that takes motion, as keyword arguments name it.
#[derive(Clone)]
struct Character {
    file: PathBuf,
    map: Option<PathBuf>,
    bone_stretch: Option<f64>,
    reading: TakeArgs,
}

impl Character {
    fn of(arguments: &Arguments) -> PyResult<Option<Self>> {
        arguments.require(&["map", "bone_stretch", "reference", "gaze"], "rig")?;
        let stretch = |argument: &Argument<'_>| {
            argument.number_that("a number from 0 to 1, percent", |percent| {
                (0.0..=1.0).contains(&percent)
            })
        };
        let (map, bone_stretch) = (
            arguments.get("map", Argument::path)?,
            arguments.get("bone_stretch", stretch)?,
        );
        let file = arguments.get("rig", Argument::path)?;
        let reading = reading(arguments)?;
        Ok(file.map(|file| Self {
            file,
            map,
            bone_stretch,
            reading,
        }))
    }

    /// Errors: its file, or that of its map, cannot be read.
    fn read(&self) -> Result<Arc<CharacterTarget>, Fault> {
        answers::character(&self.file, (self.map.as_deref(), self.bone_stretch), &self.reading).map_err(Fault::make)
    }
}

/// Loops with their names.
fn named(loops: &[Loop]) -> Result<Vec<(String, StoredLoop)>, Fault> {
    let named = |Loop(held): &Loop| Ok((held.name.clone(), (*held.stored()?).clone()));
    loops.iter().map(named).collect()
}

/// The files of loops, and that of a character.
fn files(loops: &[Loop], character: Option<&Character>) -> Vec<PathBuf> {
    let of_loops = loops.iter().filter_map(|Loop(held)| held.path.clone());
    of_loops
        .chain(character.map(|character| character.file.clone()))
        .collect()
}

/// Mixes loops.
#[pyfunction]
pub fn blend(py: Python, loops: Vec<Loop>, settings: Arguments) -> PyResult<Loop> {
    settings.exclude("weights", &["speed", "turn_rate"])?;
    let character = Character::of(&settings)?;
    let (reading, (target, recenters)) = (reading(&settings)?, engine(&settings)?);
    let request = BlendRequest {
        weights: settings.get("weights", Argument::numbers)?.unwrap_or_default(),
        speed_mps: settings.get("speed", Argument::number)?,
        turn_rate_dps: settings.get("turn_rate", Argument::number)?,
        lock_feet: settings.get("lock_feet", Argument::choice)?.unwrap_or(FootLock::Auto),
        // Joints that the caller names are those of the loops.
        overrides: match character {
            Some(_) => BodyOverrides::default(),
            None => reading.overrides(),
        },
        target,
        recenters,
    };
    work(py, move || {
        let (mut named, mut warnings) = (named(&loops)?, Vec::new());
        if let Some(character) = &character {
            let carried = answers::on_character(named, &character.read()?, &reading);
            (named, warnings) = carried.map_err(Fault::make)?;
        }
        let (names, stored): (Vec<String>, Vec<StoredLoop>) = named.into_iter().unzip();
        answers::check_skeletons(&names, &stored).map_err(Fault::make)?;
        let blend = Blend::new(&stored, names.clone(), &request).map_err(|error| unmixed(&names, error))?;
        let format = blend.format();
        let written = |error: loopwright_formats::LoopFileError| Fault::make_plain(error.to_string());
        let played = blend.played();
        let of = OfLoops {
            inputs: files(&loops, character.as_ref()),
            file: blend.write(format).map_err(written)?,
            format,
            write: Box::new(move |format| {
                blend
                    .write(format)
                    .map_err(|error| Fault::write_plain(error.to_string()))
            }),
        };
        Ok(Loop::of_loops(played, &warnings, of))
    })
}

/// Words the error of loops with these names that are not mixed.
fn unmixed(names: &[String], error: MixError) -> Fault {
    match error {
        MixError::Cycles { index, found, first } => Fault::make_plain(format!(
            "\"{}\" holds {found} cycles of its motion, \"{}\" {first}",
            names[index], names[0]
        ))
        .hinting("make(cycles=N) with one N for all"),
        MixError::Range { axis, value, low, high } => {
            let (name, unit) = match axis {
                BlendAxis::Turn => ("turn_rate", "degrees per second"),
                BlendAxis::Speed => ("speed", "m/s"),
            };
            Fault::setting(format!("{name}={value} is outside the range of the loops"))
                .because(format!("the loops cover {low:.3} to {high:.3} {unit}"))
                .hinting("a value in that range, or one more loop that extends it")
        }
        MixError::Blend(error @ (BlendError::Count { .. } | BlendError::Weight { .. } | BlendError::NoWeight)) => {
            Fault::setting(format!("weights: {error}")).hinting(format!("weights={:?}", vec![1; names.len()]))
        }
        other => Fault::make_plain(format!("cannot blend: {other}")),
    }
}

/// Plays loops one after the other into a take of this name; and says which plays when, and warns.
#[pyfunction]
pub fn play(py: Python, loops: Vec<Loop>, name: String, settings: Arguments) -> PyResult<(Take, Facts, Vec<String>)> {
    let positive = |argument: &Argument<'_>| {
        argument.number_that("a positive number", |number| number > 0.0 && number.is_finite())
    };
    let cycles = settings.get("cycles", |argument| {
        let expected = "(fewest, most), whole numbers from 1 in order";
        let ends = argument.frames().ok().filter(|(low, high)| 0 < *low && low <= high);
        let ends = ends.and_then(|(low, high)| Some([u32::try_from(low).ok()?, u32::try_from(high).ok()?]));
        ends.ok_or_else(|| argument.expected(expected))
    })?;
    let kind = settings.get("fade", Argument::choice)?.unwrap_or(DecayKind::Quintic);
    let (target, recenters) = engine(&settings)?;
    let defaults = PlaySettings::default();
    let request = PlayRequest {
        seconds: settings.get("seconds", positive)?.unwrap_or(60.0),
        fps: settings.get("fps", positive)?,
        settings: PlaySettings {
            seed: settings.get("seed", |seed| seed.count(0))?.unwrap_or(defaults.seed),
            fade: fade(kind, settings.get("fade_seconds", positive)?),
            cycles: cycles.unwrap_or(defaults.cycles),
            feet: settings
                .get("lock_feet", |argument| argument.word(&[("auto", true), ("off", false)]))?
                .unwrap_or(true),
        },
        overrides: reading(&settings)?.overrides(),
        engine: target.unwrap_or(Target::Generic),
        recenters,
    };
    work(py, move || {
        let (names, stored): (Vec<String>, Vec<StoredLoop>) = named(&loops)?.into_iter().unzip();
        answers::check_skeletons(&names, &stored).map_err(Fault::make)?;
        let complaint = request.fps.and_then(|rate| request.engine.rate_complaint(rate));
        let warnings = texts(complaint.as_slice());
        let played = Played::new(stored, &name, &request).map_err(|error| unplayed(&error))?;
        let said = Facts(answers::played(&played, &names));
        let format = played.format();
        let source = match played.has_added_root {
            // The form of the loops lacks it.
            true => Source::for_take(&played.take, format),
            false => played.source(format),
        };
        let file = LoadedTake::new(played.take.clone(), source);
        let writer = Box::new(move |format| played.write(format));
        let take = HeldTake::written_by(name, file, files(&loops, None), writer);
        Ok((Take(Arc::new(take)), said, warnings))
    })
}

/// Words the error of loops that are not played.
fn unplayed(error: &PerformError) -> Fault {
    match error {
        PerformError::Rate { .. } => {
            Fault::make_plain(format!("fps: {error}")).hinting("fps=60, or another smaller one")
        }
        PerformError::Play(PlayError::Duration { .. }) => {
            Fault::setting(format!("seconds: {error}")).hinting("seconds=60")
        }
        PerformError::Play(PlayError::FadeSecs { .. }) => {
            Fault::setting(format!("fade_seconds: {error}")).hinting("fade_seconds=0.4")
        }
        PerformError::Play(PlayError::TooLong | PlayError::TooManyFrames { .. }) => {
            Fault::setting(format!("seconds, fps: {error}")).hinting("a smaller one of the two")
        }
        PerformError::Play(PlayError::Take(_)) => Fault::setting(format!("fps: {error}")).hinting("another fps"),
        error => Fault::make_plain(format!("cannot play: {error}")),
    }
}

/// Half-lives and lengths of fades, within what a jump may last.
fn fade_secs(argument: &Argument) -> Result<f64, Fault> {
    argument.number_that("0.001 to 10 seconds", |secs| (0.001..=10.0).contains(&secs))
}

/// Weights of joints by patterns of their names.
pub fn weights(settings: &Arguments) -> PyResult<Vec<(String, f64)>> {
    let weights = settings.get("weights", |argument| argument.table("a dict of joints and numbers"))?;
    Ok(weights.unwrap_or_default())
}

/// Reads the fade of a jump: its kind, the half-life of a spring, and the length of others.
pub fn fading(settings: &Arguments) -> PyResult<(DecayKind, f64, f64)> {
    Ok((
        settings.get("fade", Argument::choice)?.unwrap_or(DecayKind::Spring),
        settings.get("half_life", fade_secs)?.unwrap_or(DEFAULT_HALF_LIFE_SECS),
        settings.get("blend", fade_secs)?.unwrap_or(DEFAULT_FADE_SECS),
    ))
}

fn jumps(settings: &Arguments) -> PyResult<answers::JumpSettings> {
    let (fade, half_life, blend) = fading(settings)?;
    Ok(answers::JumpSettings {
        fade,
        half_life,
        blend,
        top: settings.get("top", |top| top.count(1))?.unwrap_or(10),
        weights: weights(settings)?,
    })
}

/// The costs of jumps: the answer, its table as numbers, and warnings.
#[pyfunction]
pub fn cost<'py>(
    py: Python<'py>,
    motions: Vec<(Motion, Option<i64>)>,
    settings: Arguments<'py>,
    most: usize,
) -> PyResult<(Facts, Bound<'py, PyBytes>, Vec<String>)> {
    let (jumps, reading) = (jumps(&settings)?, reading(&settings)?);
    let ((said, costs), warnings) = work(py, move || {
        let ready = motions
            .iter()
            .map(|(motion, frame)| Ok((motion.ready(&reading, &[])?, *frame)));
        let ready = ready.collect::<Result<Vec<_>, Fault>>()?;
        let motions: Vec<_> = ready.iter().map(|(ready, frame)| (ready.motion(), *frame)).collect();
        answers::cost(&motions, &jumps, &reading, most).map_err(Fault::make)
    })?;
    let costs = numbers(py, costs.into_iter().map(|cost| [cost]))?;
    Ok((Facts(said), costs, warnings))
}

/// Returns the costs among the motions of a folder: the document of `cost`, and warnings.
#[pyfunction]
pub fn cost_among(py: Python, folder: PathBuf, settings: Arguments) -> PyResult<Told> {
    let (jumps, reading) = (jumps(&settings)?, reading(&settings)?);
    work(py, move || {
        answers::cost_among(folder, jumps, reading)
            .map(told)
            .map_err(Fault::command)
    })
}

/// A document and warnings.
type Told = (Facts, Vec<String>);

fn told((document, warnings): (Value, Vec<String>)) -> Told {
    (Facts(document), warnings)
}

/// Reads the options of `fit`.
fn fitting(settings: &Arguments) -> PyResult<(FitSettings, TakeArgs)> {
    let fit = FitSettings {
        smoothing_secs: settings.get("smoothing", Argument::number)?.unwrap_or(SMOOTHING_SECS),
        mode: settings.get("mode", |mode| mode.word(&MODES.map(|mode| (mode.as_str(), mode))))?,
    };
    Ok((fit, reading(settings)?))
}

/// Figures for a controller: the document of `fit`, and warnings.
#[pyfunction]
pub fn fit(py: Python, takes: Vec<Take>, settings: Arguments) -> PyResult<Told> {
    let (fit, reading) = fitting(&settings)?;
    work(py, move || {
        let read = takes
            .iter()
            .map(|Take(take)| (take.name().to_owned(), take.file(), take.soft()));
        answers::fit(read.collect(), &reading, &fit)
            .map(told)
            .map_err(Fault::setting)
    })
}

/// Returns the figures of files and folders, as `fit`.
#[pyfunction]
pub fn fit_files(py: Python, paths: Vec<PathBuf>, settings: Arguments) -> PyResult<Told> {
    let (fit, reading) = fitting(&settings)?;
    work(py, move || {
        answers::fit_files(&paths, &reading, &fit)
            .map(told)
            .map_err(Fault::command)
    })
}

/// Describes a take: the document of `inspect`.
#[pyfunction]
pub fn inspect(py: Python, take: Take, asked: Asked) -> PyResult<Facts> {
    work(py, move || {
        let said = answers::inspect(&*take.0.studied(&asked.settled()?.0.take)?);
        Ok(Facts(said.map_err(Fault::make)?))
    })
}

fn checks(settings: &Arguments) -> PyResult<Vec<CheckId>> {
    let only = settings.get("only", |only| {
        let ids = only.texts()?.into_iter();
        let known = || CheckId::ALL.map(|id| format!("\"{id}\"")).join(", ");
        ids.map(|id| {
            id.parse()
                .map_err(|_| only.expected(&format!("checks out of {}", known())))
        })
        .collect()
    })?;
    Ok(only.unwrap_or_default())
}

/// The verdict on a loop, or on a take as a loop without a sidecar, perhaps beside its take: the document of `check`, and warnings.
#[pyfunction]
pub fn check(py: Python, motion: Motion, take: Option<Take>, settings: Arguments) -> PyResult<Told> {
    let only = checks(&settings)?;
    work(py, move || {
        let reading = TakeArgs::default();
        let take = take.map(|take| take.0.studied(&reading.clone().into())).transpose()?;
        let ready = motion.ready(&reading, &[])?;
        answers::check(ready.motion(), take.as_deref(), &only)
            .map(told)
            .map_err(Fault::make)
    })
}

/// Checks a file, beside the file of its take if one is given.
#[pyfunction]
pub fn check_file(py: Python, path: PathBuf, take: Option<PathBuf>, settings: Arguments) -> PyResult<Told> {
    let only = checks(&settings)?;
    work(py, move || {
        answers::check_file(path, take, only).map(told).map_err(Fault::command)
    })
}

/// The mirror image of a motion, left and right exchanged by the names of joints and by these pairs; and warnings.
#[pyfunction]
pub fn mirror(py: Python, motion: Motion, pairs: Vec<String>, settings: Arguments) -> PyResult<(Motion, Vec<String>)> {
    let overrides = reading(&settings)?.overrides();
    work(py, move || {
        let odd = |mirror: &Mirror| {
            let is_mean = mirror.symmetric_pose() == SymmetricPose::Mean;
            is_mean
                .then(|| Warning::MirroredByMeanPose.to_string())
                .into_iter()
                .collect()
        };
        Ok(match motion {
            Motion::Take(Take(take)) => {
                let file = take.file();
                let analysis =
                    Analysis::with(&file.take, &overrides).map_err(|error| Fault::setting(error.to_string()))?;
                let mirror = mirror_of(&analysis, &pairs).map_err(Fault::setting)?;
                let image = LoadedTake {
                    take: mirror.take(&file.take),
                    source: file.source.clone().mirrored(),
                    file_sha256: None,
                    ..file.clone()
                };
                (Motion::Take(Take::of_file(take.name().to_owned(), image)), odd(&mirror))
            }
            Motion::Loop(Loop(held)) => {
                let (name, stored) = (held.name.clone(), held.stored()?);
                let mirrored = (*stored).clone().mirrored(&pairs, &overrides);
                let mirrored = mirrored.map_err(|error| answers::unusable(&name, error));
                let (image, mirror) = mirrored.map_err(Fault::setting)?;
                (Motion::Loop(Loop::of_stored(name, None, image)), odd(&mirror))
            }
        })
    })
}

/// A motion on a character; and warnings.
#[pyfunction]
pub fn retarget(py: Python, motion: Motion, settings: Arguments) -> PyResult<(Motion, Vec<String>)> {
    let character = Character::of(&settings)?;
    let (overrides, engine) = (reading(&settings)?.overrides(), engine(&settings)?);
    work(py, move || {
        let character = character.ok_or_else(|| Fault::setting("rig: expected a path, found none".to_owned()))?;
        let target = character.read()?;
        let matched = |name: &str, file: &LoadedTake| {
            let matched = target.matched(file, &overrides);
            matched.map_err(|error| Fault::make(answers::study_failure(Path::new(name), error)))
        };
        match motion {
            Motion::Take(Take(take)) => {
                let matched = matched(take.name(), take.file())?;
                let onto = take_onto(&take, &character, &matched, engine)?;
                Ok((Motion::Take(onto), texts(&matched.warnings())))
            }
            Motion::Loop(held) => {
                let (name, stored) = (held.0.name.clone(), held.0.stored()?);
                let folded = stored
                    .folded()
                    .map_err(|error| Fault::make(answers::unusable(&name, error)))?;
                let matched = matched(&name, &folded.file)?;
                let warnings = texts(&matched.warnings());
                let onto = LoopOnto {
                    name,
                    folded,
                    matched,
                    engine,
                };
                let done = onto.done(files(&[held], Some(&character)), warnings)?;
                Ok((Motion::Loop(done), Vec::new()))
            }
        }
    })
}

/// A take on the character that it was matched with.
fn take_onto(
    take: &Arc<HeldTake>,
    character: &Character,
    matched: &Matched,
    (engine, recenters): (Option<Target>, bool),
) -> Result<Take, Fault> {
    let (target, engine) = (Arc::clone(&matched.target), engine.unwrap_or(Target::Generic));
    let held = matched.held_take(&take.file().take);
    let mut carried = held.map_err(|error| Fault::make_plain(error.to_string()))?;
    if recenters {
        carried = carried.recentered(target.character.rig.body());
    }
    let own = target.character.file.source.format();
    let file = LoadedTake::new(carried.clone(), target.form(own, engine));
    let writer = move |format| loopwright_formats::write_take(&carried, &target.form(format, engine));
    let came_of = take
        .path()
        .map(ToOwned::to_owned)
        .into_iter()
        .chain(files(&[], Some(character)));
    let held = HeldTake::written_by(take.name().to_owned(), file, came_of.collect(), Box::new(writer));
    Ok(Take(Arc::new(held)))
}

/// A loop without an added root joint, and the character that it goes onto.
struct LoopOnto {
    name: String,
    folded: StoredLoop,
    matched: Matched,
    engine: (Option<Target>, bool),
}

impl LoopOnto {
    /// The loop there, and its file in a format.
    fn in_format(&self, format: Format) -> Result<(loopwright_job::LoopOfLoops, loopwright_formats::LoopFile), Fault> {
        let (engine, recenters) = self.engine;
        let source = self.matched.target.form(format, engine.unwrap_or(Target::Generic));
        let onto = self.folded.clone().onto(&self.matched, engine, recenters, &source);
        let onto = onto.map_err(|error| Fault::make(answers::unusable(&self.name, error)))?;
        let file = onto
            .write(&source)
            .map_err(|error| Fault::make_plain(error.to_string()))?;
        Ok((onto, file))
    }

    fn done(self, inputs: Vec<PathBuf>, warnings: Vec<String>) -> Result<Loop, Fault> {
        let format = self.matched.target.character.file.source.format();
        let (onto, file) = self.in_format(format)?;
        let of = OfLoops {
            inputs,
            file,
            format,
            write: Box::new(move |format| Ok(self.in_format(format)?.1)),
        };
        Ok(Loop::of_loops(onto.played(), &warnings, of))
    }
}
