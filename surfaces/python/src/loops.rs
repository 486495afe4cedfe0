//! Loops: made of takes or read from files, sampled and written.

#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "a method of arrays is of one lifetime, and with_arrays needs any"
)]

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use glam::{DQuat, DVec3};
use loopwright_cli::{Failure, answers};
use loopwright_core::{LoopCandidate, LoopClip, MadeLoop, loop_clip::Interpolation};
use loopwright_formats::{AnimationChoice, Format, LoopFile, MotionArrays, ReadSettings, Sidecar, SizeLimits};
use loopwright_job::{
    AddedRoot, Chosen, JobError, PendingLoop, Recipe, Request, Rows, SearchRequest, StoredLoop, Studied, choose,
    make as make_loop, recipe::TakeArgs, write as write_loop,
};
use pyo3::{prelude::*, types::PyBytes};

use crate::{
    arrays::{booleans, numbers, rotations, rows, vectors},
    asked::Asked,
    facts::Facts,
    fault::Fault,
    held::{HeldTake, SkeletonArrays, bytes_of, in_words, poses, skeleton, texts},
    work::work,
};

/// A loop.
#[pyclass(frozen, from_py_object, module = "loopwright._native")]
#[derive(Clone)]
pub struct Loop(pub Arc<HeldLoop>);

/// A loop with its origin.
pub struct HeldLoop {
    /// Its name in what is said of several.
    pub name: String,
    /// Its file, with its animation, if it was read from one.
    pub path: Option<PathBuf>,
    /// As it is played.
    played: LoopClip,
    /// Warnings about it, with their categories.
    warnings: Vec<(&'static str, String)>,
    origin: Origin,
    /// As it is read from its file, once that is asked for.
    stored: OnceLock<Arc<StoredLoop>>,
}

/// The origin of a loop.
enum Origin {
    /// The loop was made from a take.
    Made(Box<MadeHere>),
    /// It was read from a file, or is the mirror image of a loop.
    Stored(Arc<StoredLoop>),
    /// It comes of others.
    OfLoops(Box<OfLoops>),
}

/// A loop that comes of others.
pub struct OfLoops {
    /// Files that it is never written over.
    pub inputs: Vec<PathBuf>,
    /// Writes it in a format.
    pub write: Box<dyn Fn(Format) -> Result<LoopFile, Fault> + Send + Sync>,
    /// As written in a format of its own.
    pub file: LoopFile,
    pub format: Format,
}

/// A loop that was made of a take.
struct MadeHere {
    path: Option<PathBuf>,
    studied: Arc<Studied>,
    recipe: Recipe,
    search: SearchRequest,
    /// As written in the form of its take.
    pending: PendingLoop,
    format: Format,
}

/// Makes loops of a take: of a stretch, or of rows of its list. Errors: settings cannot be followed, there is no loop, or one cannot be made.
pub fn make(
    held: &Arc<HeldTake>,
    asked: Asked,
    stretch: Option<LoopCandidate>,
    rows: &Rows,
) -> Result<Vec<Loop>, Fault> {
    let (recipe, search) = asked.settled()?;
    let studied = held.studied(&recipe.take)?;
    let failed = |error: JobError| Fault::job(&studied, Some(&search), error);
    let request = Request {
        recipe: &recipe,
        search: Some(&search),
        rows,
    };
    let mut warnings = Vec::new();
    let chosen = match stretch {
        Some(stretch) => vec![Ok(Chosen::new(1, stretch))],
        None => choose(&studied, request, &mut warnings).map_err(failed)?,
    };
    let engine = recipe.output.engine();
    let own = studied.goes_into().source.format();
    let wanted = engine
        .extension(Path::new(&studied.name))
        .and_then(Format::from_extension);
    let format = wanted.unwrap_or(own);
    chosen
        .into_iter()
        .map(|chosen| {
            let made = make_loop(&studied, request, &chosen.map_err(failed)?).map_err(failed)?;
            let mut pending = write_loop(&studied, request, made, format).map_err(failed)?;
            pending.warnings.splice(0..0, warnings.iter().cloned());
            let played = played(&pending.done.made);
            let said = [&studied.warnings, &pending.warnings].map(|warnings| in_words(warnings));
            let made = MadeHere {
                path: held.path().map(Path::to_owned),
                studied: Arc::clone(&studied),
                recipe: recipe.clone(),
                search: search.clone(),
                pending,
                format,
            };
            let origin = Origin::Made(Box::new(made));
            Ok(Loop::new(studied.name.clone(), None, played, said.concat(), origin))
        })
        .collect()
}

/// Reads a loop with the sidecar beside it; and warnings.
#[pyfunction]
pub fn load(py: Python, path: PathBuf) -> PyResult<(Loop, Vec<String>)> {
    work(py, move || {
        let (file, animation) = answers::split_animation(&path);
        let reading = TakeArgs::default().of_animation(animation);
        let (stored, warnings) = answers::stored_loop(&file, &reading);
        let name = path.display().to_string();
        let stored = stored.map_err(Fault::read)?;
        Ok((Loop::of_stored(name, Some(path), stored), warnings))
    })
}

/// All loops in these files, folders and patterns; and warnings.
#[pyfunction]
pub fn loops_in(py: Python, paths: Vec<PathBuf>) -> PyResult<(Vec<Loop>, Vec<String>)> {
    work(py, move || {
        let (loops, warnings) = answers::stored_loops(&paths).map_err(Fault::read)?;
        let loops = loops.into_iter();
        let held = |(name, path, stored)| Loop::of_stored(name, Some(path), stored);
        Ok((loops.map(held).collect(), warnings))
    })
}

impl Loop {
    /// A loop, and its file if it was read from one.
    fn new(
        name: String,
        path: Option<PathBuf>,
        played: LoopClip,
        warnings: Vec<(&'static str, String)>,
        origin: Origin,
    ) -> Self {
        Self(Arc::new(HeldLoop {
            name,
            path,
            played,
            warnings,
            origin,
            stored: OnceLock::new(),
        }))
    }

    pub fn of_stored(name: String, path: Option<PathBuf>, stored: StoredLoop) -> Self {
        let (played, origin) = (stored.played(), Origin::Stored(Arc::new(stored)));
        Self::new(name, path, played, Vec::new(), origin)
    }

    /// A loop that comes of others, and what is to be said of its motion.
    pub fn of_loops(played: LoopClip, warnings: &[String], of: OfLoops) -> Self {
        let of_motion = warnings.iter().map(|text| ("MotionWarning", text.clone()));
        let of_file = of
            .file
            .sidecar
            .warnings
            .iter()
            .map(|text| ("FileWarning", text.clone()));
        let (name, said) = (of.file.sidecar.take.file.clone(), of_motion.chain(of_file).collect());
        Self::new(name, None, played, said, Origin::OfLoops(Box::new(of)))
    }
}

/// A loop as it is played, from its first key: in place where its root does not move.
fn played(made: &MadeLoop) -> LoopClip {
    let clip = made.from_start();
    if made.root.mode.moves_root() {
        clip.into_owned()
    } else {
        clip.in_place()
    }
}

impl MadeHere {
    /// As written in a format.
    fn written(&self, format: Format) -> Result<PendingLoop, Fault> {
        if format == self.format {
            return Ok(self.pending.clone());
        }
        let request = Request {
            recipe: &self.recipe,
            search: Some(&self.search),
            rows: &Rows::Recommended,
        };
        write_loop(&self.studied, request, self.pending.done.clone(), format)
            .map_err(|error| Fault::job(&self.studied, Some(&self.search), error))
    }

    fn inputs(&self) -> Vec<&Path> {
        let rig = self.recipe.take.rig.as_deref();
        self.path.as_deref().into_iter().chain(rig).collect()
    }

    /// The bytes of its file and its sidecar, without names of files.
    fn named(&self, pending: PendingLoop) -> (Vec<u8>, Sidecar) {
        pending.named(Vec::new(), texts(&self.studied.warnings))
    }
}

/// A loop that was written, as it is read from its file. Errors: it is not read so.
fn read_back(name: &str, bytes: &[u8], sidecar: Sidecar, limits: SizeLimits) -> Result<StoredLoop, Fault> {
    let failed = |error: &dyn std::fmt::Display| Fault::make(Failure::error(error));
    // A character's file may hold other animations.
    let animation = sidecar.playback.animation.clone();
    let settings = ReadSettings {
        animation: animation
            .as_deref()
            .map_or_else(AnimationChoice::default, AnimationChoice::Given),
        space: sidecar.space(),
        limits,
        ..ReadSettings::default()
    };
    let file = loopwright_formats::read_take(bytes, name, &settings, &mut Vec::new());
    let file = file.map_err(|error| failed(&error))?;
    StoredLoop::new(name, file, sidecar, AddedRoot::Kept).map_err(|error| failed(&error))
}

impl OfLoops {
    /// Its file in a format.
    fn written(&self, format: Format) -> Result<LoopFile, Fault> {
        if format == self.format {
            Ok(self.file.clone())
        } else {
            (self.write)(format)
        }
    }

    fn sidecar(&self) -> Sidecar {
        let mut sidecar = self.file.sidecar.clone();
        sidecar.state_file(&self.file.bytes());
        sidecar
    }
}

impl HeldLoop {
    /// The loop as it is read from its file.
    pub fn stored(&self) -> Result<Arc<StoredLoop>, Fault> {
        if let Some(stored) = self.stored.get() {
            return Ok(Arc::clone(stored));
        }
        let stored = Arc::new(match &self.origin {
            Origin::Stored(stored) => return Ok(Arc::clone(stored)),
            Origin::Made(made) => {
                let (bytes, sidecar) = made.named(made.pending.clone());
                read_back(&self.name, &bytes, sidecar, made.studied.file.limits)?
            }
            Origin::OfLoops(of) => read_back(&self.name, &of.file.bytes(), of.sidecar(), SizeLimits::default())?,
        });
        Ok(Arc::clone(self.stored.get_or_init(|| stored)))
    }

    /// Works with its arrays, as it is laid out in a file.
    fn with_arrays<T>(&self, with: impl FnOnce(&MotionArrays<'_>) -> T) -> Result<T, Fault> {
        match &self.origin {
            Origin::Made(held) => {
                let done = &held.pending.done;
                let root_joint = held.studied.body_of_loops().root_joint;
                let writing = done.output.writing(Format::Npz, root_joint, held.studied.file.limits);
                let clip = done.made.from_start();
                let arrays = MotionArrays::of_loop(&clip, held.pending.file.sidecar.feet.as_ref(), &writing);
                Ok(with(&arrays.map_err(|error| Fault::write(Failure::error(error)))?))
            }
            _ => {
                let stored = self.stored()?;
                Ok(with(&MotionArrays::of_keys(&stored.file.take, &stored.sidecar)))
            }
        }
    }
}

/// Positions and rotations, as bytes.
pub type Poses<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>);

#[pymethods]
impl Loop {
    /// Its facts, as the sidecar states them.
    fn facts(&self, py: Python) -> PyResult<Facts> {
        let held = Arc::clone(&self.0);
        work(py, move || {
            let sidecar = match &held.origin {
                Origin::Made(made) => made.named(made.pending.clone()).1,
                Origin::Stored(stored) => stored.sidecar.clone(),
                Origin::OfLoops(of) => of.sidecar(),
            };
            Facts::new(&sidecar)
        })
    }

    /// Warnings about it, with their categories.
    fn warnings(&self) -> Vec<(&'static str, String)> {
        self.0.warnings.clone()
    }

    /// The text of the recipe that makes it again; `None` where it is not known.
    fn recipe(&self) -> PyResult<Option<String>> {
        Ok(match &self.0.origin {
            Origin::Made(made) => Some(made.pending.recipe.to_text().map_err(Fault::setting)?),
            Origin::Stored(_) | Origin::OfLoops(_) => None,
        })
    }

    #[getter]
    fn period_secs(&self) -> f64 {
        self.0.played.period_secs()
    }

    #[getter]
    fn num_samples(&self) -> usize {
        self.0.played.num_samples()
    }

    /// Names of the joints, parents, offsets and tips.
    fn skeleton<'py>(&self, py: Python<'py>) -> PyResult<SkeletonArrays<'py>> {
        skeleton(py, &self.0.with_arrays(|arrays| arrays.skeleton())?)
    }

    /// Frames per second of its keys, and their number.
    fn layout(&self) -> PyResult<(f64, usize)> {
        Ok(self.0.with_arrays(|arrays| (arrays.fps(), arrays.num_frames()))?)
    }

    /// Positions and rotations at its keys, in the world or in the axes of the parents.
    fn poses<'py>(&self, py: Python<'py>, local: bool, scalar_first: bool) -> PyResult<Poses<'py>> {
        let held = Arc::clone(&self.0);
        let (points, turns) = work(py, move || held.with_arrays(|arrays| poses(arrays, local)))?;
        Ok((vectors(py, &points)?, rotations(py, &turns, scalar_first)?))
    }

    /// The joints that touch the ground, and whether each stands, key after key.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<(Vec<usize>, Bound<'py, PyBytes>)> {
        let held = Arc::clone(&self.0);
        let contacts = work(py, move || held.with_arrays(|arrays| arrays.contacts()))?;
        Ok((contacts.joints, booleans(py, contacts.stands)))
    }

    /// The strides of its cycle, as `inspect` states those of a take.
    fn gait(&self, py: Python) -> PyResult<Facts> {
        let held = Arc::clone(&self.0);
        work(py, move || {
            let strides = held.with_arrays(|arrays| arrays.strides_of_cycle(&held.played))?;
            Ok(Facts(answers::gait(&strides)))
        })
    }

    /// Linear and angular velocity of the root, in its own axes.
    fn twist(&self) -> ([f64; 3], [f64; 3]) {
        let twist = self.0.played.root().twist;
        (twist.linear.to_array(), twist.angular.to_array())
    }

    /// The poses at these times: positions and rotations in the world, or in the axes of the parents.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        times: &[u8],
        local: bool,
        linear: bool,
        scalar_first: bool,
    ) -> PyResult<Poses<'py>> {
        let held = Arc::clone(&self.0);
        let times: Vec<[f64; 1]> = rows("t", times)?;
        let (points, turns) = work(py, move || {
            let clip = &held.played;
            let interpolation = if linear {
                Interpolation::Linear
            } else {
                Interpolation::Cubic
            };
            let size = times.len() * clip.skeleton().num_joints();
            let (mut points, mut turns): (Vec<DVec3>, Vec<DQuat>) =
                (Vec::with_capacity(size), Vec::with_capacity(size));
            for [secs] in times {
                let pose = if local {
                    clip.body_pose_at(secs, interpolation)
                } else {
                    clip.world_pose_at(secs, interpolation)
                };
                points.extend(pose.translations);
                turns.extend(pose.rotations);
            }
            Ok((points, turns))
        })?;
        Ok((vectors(py, &points)?, rotations(py, &turns, scalar_first)?))
    }

    /// Other numbers of its take, `width` at each frame, looped along: at each of its samples.
    fn looped_along<'py>(&self, py: Python<'py>, values: &[u8], width: usize) -> PyResult<Bound<'py, PyBytes>> {
        let held = Arc::clone(&self.0);
        let values: Vec<f64> = rows("values", values)?.into_iter().map(|[number]| number).collect();
        let looped = work(py, move || {
            let Origin::Made(held) = &held.origin else {
                let what = "other numbers are looped along only with a loop that was made of a take here";
                return Err(Fault::make(Failure::error(what)));
            };
            let (frames, found) = (
                held.studied.take().num_frames(),
                values.len().checked_div(width).unwrap_or(0),
            );
            if width > 0 && frames != found {
                return Err(Fault::array(format!(
                    "values: expected {frames} frames, as the take has, found {found}"
                )));
            }
            let looped = held.pending.done.made.looped_along(&values, width);
            looped.map_err(|error| Fault::job(&held.studied, None, error.into()))
        })?;
        numbers(py, looped.into_iter().map(|number| [number]))
    }

    /// The root at these times: positions and rotations in the world.
    fn root<'py>(&self, py: Python<'py>, times: &[u8], scalar_first: bool) -> PyResult<Poses<'py>> {
        let clip = &self.0.played;
        let times: Vec<[f64; 1]> = rows("t", times)?;
        let roots: Vec<_> = times.iter().map(|&[secs]| clip.root_pose_at(secs)).collect();
        let turns: Vec<DQuat> = roots.iter().map(|root| root.rotation).collect();
        let points = numbers(py, roots.iter().map(|root| root.translation.to_array()))?;
        Ok((points, rotations(py, &turns, scalar_first)?))
    }

    /// The bytes of a file with it, by the extension of a name, and what was changed to write it.
    fn bytes_as<'py>(&self, py: Python<'py>, name: PathBuf) -> PyResult<(Bound<'py, PyBytes>, Vec<String>)> {
        let held = Arc::clone(&self.0);
        let (bytes, warnings) = work(py, move || {
            let format = answers::format_of(&name).map_err(Fault::write)?;
            match &held.origin {
                Origin::Made(made) => {
                    let pending = made.written(format)?;
                    let warnings = texts(&pending.file.written.warnings);
                    Ok((made.named(pending).0, warnings))
                }
                Origin::Stored(stored) => bytes_of(&stored.file, Some(&stored.sidecar), format),
                Origin::OfLoops(of) => {
                    let file = of.written(format)?;
                    Ok((file.bytes().into_owned(), file.sidecar.warnings))
                }
            }
        })?;
        Ok((PyBytes::new(py, &bytes), warnings))
    }

    /// Writes it and its sidecar.
    fn write(&self, py: Python, path: PathBuf, force: bool) -> PyResult<()> {
        let held = Arc::clone(&self.0);
        work(py, move || match (&held.origin, &held.path) {
            (Origin::Made(made), _) => {
                let format = answers::format_of(&path).map_err(Fault::write)?;
                let pending = made.written(format)?;
                answers::write_loop(&path, force, &made.inputs(), pending, &made.studied.warnings)
                    .map(|_| ())
                    .map_err(Fault::write)
            }
            (Origin::OfLoops(of), _) => {
                let file = of.written(answers::format_of(&path).map_err(Fault::write)?)?;
                answers::write_file(&path, force, &of.inputs, file).map_err(Fault::write)
            }
            (Origin::Stored(stored), None) => answers::write_stored(&path, force, stored).map_err(Fault::write),
            (Origin::Stored(_), Some(from)) => {
                let mut args: Vec<OsString> = ["loopwright", "convert"].map(OsString::from).to_vec();
                args.extend(force.then(|| "--force".into()));
                args.extend(["--".into(), from.into(), path.into()]);
                let answer = answers::answer(&args).map_err(Fault::write)?;
                answer.failure.map_or(Ok(()), |failure| Err(Fault::write(failure)))
            }
        })
    }
}
