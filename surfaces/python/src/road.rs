//! What is done with takes and loops beside searching and making: the commands of the same names, on values.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use loopwright_cli::answers;
use loopwright_formats::{LoadedTake, Source};
use loopwright_job::{StoredLoop, Studied, recipe::TakeArgs};
use pyo3::{prelude::*, types::PyBytes};

use crate::arrays::numbers;
use crate::asked::Asked;
use crate::fault::Fault;
use crate::held::HeldTake;
use crate::loops::{HeldLoop, Loop, OfLoops};
use crate::takes::Take;
use crate::work::work;

/// A take or a loop, as it comes in.
#[derive(FromPyObject)]
pub(crate) enum Motion<'py> {
    Take(PyRef<'py, Take>),
    Loop(PyRef<'py, Loop>),
}

/// A take or a loop, as it comes out.
#[derive(IntoPyObject)]
pub(crate) enum Done {
    Take(Take),
    Loop(Loop),
}

/// A take or a loop, without Python's lock.
#[derive(Clone)]
pub(crate) enum Held {
    Take(Arc<HeldTake>),
    Loop(Arc<HeldLoop>),
}

/// The same, ready to be worked on.
pub(crate) enum Ready {
    Take(Arc<Studied>),
    Loop(String, Arc<StoredLoop>),
}

impl Motion<'_> {
    pub(crate) fn held(&self) -> Held {
        match self {
            Self::Take(take) => Held::Take(Arc::clone(&take.0)),
            Self::Loop(held) => Held::Loop(Arc::clone(&held.0)),
        }
    }
}

impl Held {
    /// Errors: a take cannot be studied with these settings.
    pub(crate) fn ready(&self, asked: &Asked) -> Result<Ready, Fault> {
        Ok(match self {
            Self::Take(take) => Ready::Take(take.studied(&asked.clone().settled()?.0.take)?),
            Self::Loop(held) => Ready::Loop(held.name(), held.stored()?),
        })
    }
}

impl Ready {
    pub(crate) fn motion(&self) -> answers::Motion<'_> {
        match self {
            Self::Take(studied) => answers::Motion::Take(studied),
            Self::Loop(name, stored) => answers::Motion::Loop(name, stored),
        }
    }
}

/// Loops with their names.
fn named(loops: &[Arc<HeldLoop>]) -> Result<Vec<(String, StoredLoop)>, Fault> {
    let named = |held: &Arc<HeldLoop>| Ok((held.name(), (*held.stored()?).clone()));
    loops.iter().map(named).collect()
}

fn all_held(loops: &[PyRef<'_, Loop>]) -> Vec<Arc<HeldLoop>> {
    loops.iter().map(|held| Arc::clone(&held.0)).collect()
}

/// The files of loops, and that of the character that the flags name.
fn files(loops: &[Arc<HeldLoop>], flags: &[String]) -> Vec<PathBuf> {
    let of_loops = loops.iter().filter_map(|held| held.path().map(ToOwned::to_owned));
    let rigs = flags
        .iter()
        .filter_map(|flag| flag.strip_prefix("--rig=").map(PathBuf::from));
    of_loops.chain(rigs).collect()
}

/// Mixes loops.
#[pyfunction]
pub(crate) fn blend(py: Python<'_>, loops: Vec<PyRef<'_, Loop>>, flags: Vec<String>) -> PyResult<Loop> {
    let loops = all_held(&loops);
    work(py, move || {
        let named = named(&loops)?;
        let (blend, warnings) = answers::blend(&named, &flags).map_err(Fault::make)?;
        let format = blend.format();
        let file = blend.write(format);
        Ok(Loop(Arc::new(HeldLoop::OfLoops(Box::new(OfLoops {
            inputs: files(&loops, &flags),
            file: file.map_err(|error| Fault::make(answers::unwritten(error)))?,
            format,
            played: blend.played(),
            warnings,
            stored: OnceLock::new(),
            write: Box::new(move |format| {
                let file = blend.write(format);
                file.map_err(|error| Fault::write(answers::unwritten(error)))
            }),
        })))))
    })
}

/// Plays loops one after the other into a take of this name; and says in JSON what was played, and warns.
#[pyfunction]
pub(crate) fn play(
    py: Python<'_>,
    loops: Vec<PyRef<'_, Loop>>,
    name: String,
    flags: Vec<String>,
) -> PyResult<(Take, String, Vec<String>)> {
    let loops = all_held(&loops);
    work(py, move || {
        let ((played, said), warnings) = answers::play(named(&loops)?, &name, &flags).map_err(Fault::make)?;
        let format = played.format();
        let source = match played.has_added_root {
            // The form of the loops lacks it.
            true => Source::for_take(&played.take, format),
            false => played.source(format),
        };
        let file = LoadedTake::new(played.take.clone(), source);
        let writer = Box::new(move |format| played.write(format));
        let take = HeldTake::written_by(name, file, files(&loops, &flags), writer);
        Ok((Take(Arc::new(take)), said, warnings))
    })
}

/// The costs of jumps: the answer in JSON, its table as numbers, and warnings.
#[pyfunction]
pub(crate) fn cost<'py>(
    py: Python<'py>,
    motions: Vec<(Motion<'py>, Option<i64>)>,
    asked: Asked,
    flags: Vec<String>,
    most: usize,
) -> PyResult<(String, Bound<'py, PyBytes>, Vec<String>)> {
    let held: Vec<(Held, Option<i64>)> = motions.iter().map(|(motion, frame)| (motion.held(), *frame)).collect();
    let ((said, costs), warnings) = work(py, move || {
        let ready = |(held, frame): &(Held, Option<i64>)| Ok((held.ready(&asked)?, *frame));
        let ready = held.iter().map(ready).collect::<Result<Vec<_>, Fault>>()?;
        let motions: Vec<_> = ready.iter().map(|(ready, frame)| (ready.motion(), *frame)).collect();
        answers::cost(&motions, &flags, most).map_err(Fault::make)
    })?;
    let costs = numbers(py, costs.into_iter().map(|cost| [cost]))?;
    Ok((said, costs, warnings))
}

/// Figures for a controller: the document of `fit`, and warnings.
#[pyfunction]
pub(crate) fn fit(py: Python<'_>, takes: Vec<PyRef<'_, Take>>, flags: Vec<String>) -> PyResult<(String, Vec<String>)> {
    let takes: Vec<Arc<HeldTake>> = takes.iter().map(|take| Arc::clone(&take.0)).collect();
    work(py, move || {
        let read = |take: &Arc<HeldTake>| (take.name().to_owned(), take.file().clone(), take.soft());
        let read: Vec<_> = takes.iter().map(read).collect();
        let read = read.iter().map(|(name, file, soft)| (name.clone(), file, soft.clone()));
        answers::fit(read.collect(), &flags).map_err(Fault::setting)
    })
}

/// What a take holds: the document of `inspect`.
#[pyfunction]
pub(crate) fn inspect(py: Python<'_>, take: PyRef<'_, Take>, asked: Asked) -> PyResult<String> {
    let take = Arc::clone(&take.0);
    work(py, move || {
        Ok(answers::inspect(&*take.studied(&asked.settled()?.0.take)?))
    })
}

/// The verdict on a loop, or on a take as a loop without a sidecar, perhaps beside its take: the document of `check`, and warnings.
#[pyfunction]
pub(crate) fn check(
    py: Python<'_>,
    motion: Motion<'_>,
    take: Option<PyRef<'_, Take>>,
    asked: Asked,
    flags: Vec<String>,
) -> PyResult<(String, Vec<String>)> {
    let (held, take) = (motion.held(), take.map(|take| Arc::clone(&take.0)));
    work(py, move || {
        let args = asked.clone().settled()?.0.take;
        let take = take.map(|take| take.studied(&args)).transpose()?;
        answers::check(held.ready(&asked)?.motion(), take.as_deref(), &flags).map_err(Fault::make)
    })
}

/// The mirror image of a motion; and warnings.
#[pyfunction]
pub(crate) fn mirror(
    py: Python<'_>,
    motion: Motion<'_>,
    pairs: Vec<String>,
    asked: Asked,
) -> PyResult<(Done, Vec<String>)> {
    let held = motion.held();
    work(py, move || {
        let args = asked.settled()?.0.take;
        let reading = TakeArgs {
            hips: args.hips,
            feet: args.feet,
            ..TakeArgs::default()
        };
        Ok(match held {
            Held::Take(take) => {
                let file = take.file();
                let (image, warnings) = answers::mirror_take(&file.take, &pairs, &reading).map_err(Fault::setting)?;
                let file = LoadedTake {
                    take: image,
                    source: file.source.clone().mirrored(),
                    file_sha256: None,
                    ..file.clone()
                };
                (Done::Take(Take::of_file(take.name().to_owned(), file)), warnings)
            }
            Held::Loop(held) => {
                let (name, stored) = (held.name(), held.stored()?);
                let mirrored = answers::mirror_loop(&name, &stored, &pairs, &reading);
                let (image, warnings) = mirrored.map_err(Fault::setting)?;
                (Done::Loop(Loop::of_stored(name, None, image)), warnings)
            }
        })
    })
}

/// A motion on a character; and warnings.
#[pyfunction]
pub(crate) fn retarget(py: Python<'_>, motion: Motion<'_>, flags: Vec<String>) -> PyResult<(Done, Vec<String>)> {
    let held = motion.held();
    work(py, move || match held {
        Held::Take(take) => {
            let name = take.name().to_owned();
            let carried = answers::retarget_take(name.as_ref(), take.file(), &flags);
            let ((carried, target, engine), warnings) = carried.map_err(Fault::make)?;
            let own = target.character.file.source.format();
            let file = LoadedTake::new(carried.clone(), target.form(own, engine));
            let writer = move |format| loopwright_formats::write_take(&carried, &target.form(format, engine));
            let came_of = take.path().map(ToOwned::to_owned).into_iter().chain(files(&[], &flags));
            let take = HeldTake::written_by(name, file, came_of.collect(), Box::new(writer));
            Ok((Done::Take(Take(Arc::new(take))), warnings))
        }
        Held::Loop(held) => {
            let (name, stored) = (held.name(), held.stored()?);
            let onto = answers::retarget_loop(&name, &stored, None, &flags);
            let ((onto, file, format), warnings) = onto.map_err(Fault::make)?;
            let of_loops = OfLoops {
                inputs: files(&[Arc::clone(&held)], &flags),
                file,
                format,
                played: onto.played(),
                warnings,
                stored: OnceLock::new(),
                write: Box::new(move |format| {
                    let onto = answers::retarget_loop(&name, &stored, Some(format), &flags);
                    Ok(onto.map_err(Fault::write)?.0.1)
                }),
            };
            let done = Loop(Arc::new(HeldLoop::OfLoops(Box::new(of_loops))));
            Ok((Done::Loop(done), Vec::new()))
        }
    })
}
