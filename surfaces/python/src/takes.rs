//! Takes: read from files or made of arrays, searched, and made into loops.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use glam::{DQuat, DVec3};
use loopwright_cli::{Failure, answers};
use loopwright_core::{Joint, LoopCandidate, SearchSettings, Skeleton};
use loopwright_formats::loop_file::to_text;
use loopwright_formats::{Format, LoadedTake, MotionArrays, Sidecar, Source, WriteError, WrittenFile};
use loopwright_job::recipe::{self, StudyArgs, TakeArgs};
use loopwright_job::{Recipe, SearchRows, Studied, Study, Warning, search_rows, take_facts};
use pyo3::{prelude::*, types::PyBytes};

use crate::arrays::{rotations, rows, vectors};
use crate::asked::Asked;
use crate::fault::Fault;
use crate::loops::{Loop, Wanted, make};
use crate::work::work;

/// A take, with what was found out about it so far.
#[pyclass(frozen, module = "loopwright._native")]
pub(crate) struct Take(pub(crate) Arc<HeldTake>);

/// What a take holds.
pub(crate) struct HeldTake {
    /// Its name, as sidecars state it.
    name: String,
    /// Its file, if it came from one.
    path: Option<PathBuf>,
    reading: TakeArgs,
    file: LoadedTake,
    soft: Vec<loopwright_formats::Warning>,
    /// Writes it, where it is not written in the form of its file alone.
    writer: Option<Writer>,
    /// Files that it came of, which are never overwritten either.
    came_of: Vec<PathBuf>,
    /// The last study of it: settings seldom change between calls.
    studied: Mutex<Option<(StudyArgs, Arc<Studied>)>>,
}

/// Writes a motion in a format.
pub(crate) type Writer = Box<dyn Fn(Format) -> Result<WrittenFile, WriteError> + Send + Sync>;

/// A stretch that was found.
#[pyclass(frozen, module = "loopwright._native")]
pub(crate) struct Candidate(pub(crate) LoopCandidate);

impl HeldTake {
    fn new(name: String, path: Option<PathBuf>, file: LoadedTake, study: &Study) -> Self {
        let StudyArgs {
            up,
            unit,
            animation,
            skin,
            ..
        } = study.args.clone();
        let reading = TakeArgs {
            up,
            unit,
            animation,
            skin,
            ..TakeArgs::default()
        };
        Self {
            name,
            path,
            reading,
            file,
            soft: Vec::new(),
            writer: None,
            came_of: Vec::new(),
            studied: Mutex::new(None),
        }
    }

    /// A take that no file holds yet, and the files that it came of.
    pub(crate) fn written_by(name: String, file: LoadedTake, came_of: Vec<PathBuf>, writer: Writer) -> Self {
        Self {
            writer: Some(writer),
            came_of,
            ..Self::new(name, None, file, &Study::default())
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn file(&self) -> &LoadedTake {
        &self.file
    }

    /// What was odd in its file.
    pub(crate) fn soft(&self) -> Vec<String> {
        self.soft.iter().map(ToString::to_string).collect()
    }

    /// The bytes of a file of a format with it, and what was changed to write it. Errors: it does not fit into the format.
    fn bytes_as(&self, format: Format) -> Result<(Vec<u8>, Vec<String>), Fault> {
        match &self.writer {
            Some(write) => in_bytes(write(format)),
            None => bytes_of(&self.file, None, format),
        }
    }

    /// Its files, which are never overwritten.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The study of it with these settings. Errors: it cannot be studied so.
    pub(crate) fn studied(&self, asked: &StudyArgs) -> Result<Arc<Studied>, Fault> {
        let reading = &self.reading;
        let differs = (asked.up.is_some() && asked.up != reading.up)
            || (asked.unit.is_some() && asked.unit != reading.unit)
            || (asked.animation.is_some() && asked.animation != reading.animation)
            || (asked.skin.is_some() && asked.skin != reading.skin);
        if differs {
            return Err(Fault::setting(
                Failure::error("up, unit, animation and skin say how a file is read, and this take is read already")
                    .try_this("loopwright.read(path, animation=\"Walk\")"),
            ));
        }
        let args = StudyArgs {
            up: reading.up,
            unit: reading.unit,
            animation: reading.animation.clone(),
            skin: reading.skin.clone(),
            ..asked.clone()
        };
        let mut kept = self.studied.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, studied)) = &*kept
            && *of == args
        {
            return Ok(Arc::clone(studied));
        }
        let study = answers::study(args.clone()).map_err(Fault::setting)?;
        let studied = study
            .analyse(self.name.clone(), self.file.clone(), self.soft.clone())
            .map_err(|error| Fault::setting(answers::study_failure(Path::new(&self.name), error)))?;
        let studied = Arc::new(studied);
        *kept = Some((args, Arc::clone(&studied)));
        Ok(studied)
    }
}

/// Reading settings, as those of a recipe.
fn study_of(asked: Asked) -> Result<Study, Fault> {
    let (Recipe { take, .. }, _) = asked.settled()?;
    answers::study(take).map_err(Fault::setting)
}

/// Warnings with the name of their category.
pub(crate) fn in_words(warnings: &[Warning]) -> Vec<(&'static str, String)> {
    let category = |warning: &Warning| match warning {
        Warning::File(_) => "FileWarning",
        _ => "MotionWarning",
    };
    warnings
        .iter()
        .map(|warning| (category(warning), warning.to_string()))
        .collect()
}

#[pymethods]
impl Take {
    /// Reads the take in a file; and what is odd in it.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, asked: Asked) -> PyResult<(Self, Vec<String>)> {
        work(py, move || {
            let (path, animation) = answers::split_animation(&path);
            let mut study = study_of(asked)?;
            study.args.animation = animation.or(study.args.animation);
            let mut soft = Vec::new();
            let file = answers::read(&path, &study, &mut soft).map_err(Fault::read)?;
            Ok(Self::with(path.display().to_string(), Some(path), file, &study, soft))
        })
    }

    /// The same of the bytes of a file.
    #[staticmethod]
    fn parse(py: Python<'_>, bytes: Vec<u8>, name: String, asked: Asked) -> PyResult<(Self, Vec<String>)> {
        work(py, move || {
            let study = study_of(asked)?;
            let mut soft = Vec::new();
            let file = answers::read_bytes(&bytes, &name, &study, &mut soft).map_err(Fault::read)?;
            Ok(Self::with(name, None, file, &study, soft))
        })
    }

    /// A take of arrays: offsets and tips (J, 3), local translations (F, J, 3), local rotations (F, J, 4) as x, y, z, w.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "one for each array")]
    fn of_arrays(
        py: Python<'_>,
        name: String,
        names: Vec<String>,
        parents: Vec<i64>,
        offsets: Vec<u8>,
        tips: Option<Vec<u8>>,
        translations: Vec<u8>,
        rotations: Vec<u8>,
        fps: f64,
    ) -> PyResult<Self> {
        work(py, move || {
            let vectors =
                |name: &str, bytes: &[u8]| Ok(rows(name, bytes)?.into_iter().map(DVec3::from_array).collect());
            let offsets: Vec<DVec3> = vectors("offsets", &offsets)?;
            let tips = tips.map(|tips| vectors("tips", &tips)).transpose()?;
            if names.len() != parents.len() || names.len() != offsets.len() {
                return Err(Fault::array(
                    "names, parents and offsets must have one entry for each joint",
                ));
            }
            let joint = |(joint, name): (usize, String)| Joint {
                tip: (tips.as_ref())
                    .and_then(|tips: &Vec<DVec3>| tips.get(joint).copied())
                    .filter(|tip| tip.is_finite()),
                ..Joint::new(name, usize::try_from(parents[joint]).ok(), offsets[joint])
            };
            let skeleton = Skeleton::new(names.into_iter().enumerate().map(joint).collect()).map_err(Fault::array)?;
            let rotations = rows("rotations", &rotations)?
                .into_iter()
                .map(DQuat::from_array)
                .collect();
            let take = loopwright_core::Take::new(
                name.as_str(),
                skeleton,
                1.0 / fps,
                vectors("positions", &translations)?,
                rotations,
            );
            let take = take.map_err(Fault::array)?;
            let source = Source::for_take(&take, Format::Npz);
            Ok(Self::of_file(name, LoadedTake::new(take, source)))
        })
    }

    /// The facts about it, in JSON.
    fn facts(&self) -> PyResult<String> {
        Ok(to_text(&take_facts(&self.0.name, &self.0.file)).map_err(Fault::array)?)
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.file.take.name()
    }

    #[getter]
    fn path(&self) -> Option<&Path> {
        self.0.path()
    }

    #[getter]
    fn num_frames(&self) -> usize {
        self.0.file.take.num_frames()
    }

    #[getter]
    fn fps(&self) -> f64 {
        self.0.file.take.frame_rate_hz()
    }

    /// Names of the joints, parents (-1 for none), offsets and tips.
    fn skeleton<'py>(&self, py: Python<'py>) -> PyResult<SkeletonArrays<'py>> {
        skeleton(py, self.0.file.take.skeleton())
    }

    /// Positions in the world and rotations there, or in the axes of the parents.
    fn poses<'py>(
        &self,
        py: Python<'py>,
        local: bool,
        scalar_first: bool,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let held = Arc::clone(&self.0);
        let (points, turns) = work(py, move || Ok(poses(&MotionArrays::of_take(&held.file.take), local)))?;
        Ok((vectors(py, &points)?, rotations(py, &turns, scalar_first)?))
    }

    /// The joints that touch the ground, and whether each stands, frame after frame.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<(Vec<usize>, Bound<'py, PyBytes>)> {
        let held = Arc::clone(&self.0);
        let contacts = work(py, move || Ok(MotionArrays::of_take(&held.file.take).contacts()))?;
        let stands: Vec<u8> = contacts.stands.into_iter().map(u8::from).collect();
        Ok((contacts.joints, PyBytes::new(py, &stands)))
    }

    /// The list of loops: the answer in JSON, the stretches, and warnings.
    fn find(&self, py: Python<'_>, asked: Asked, top: usize) -> PyResult<Found> {
        let held = Arc::clone(&self.0);
        work(py, move || {
            let (recipe, search) = asked.settled()?;
            let studied = held.studied(&recipe.take)?;
            search
                .check(&studied)
                .map_err(|error| Fault::make(answers::job_failure(&studied, Some(&search), error)))?;
            let pairing =
                recipe::pairing(&studied.analysis, &recipe.stretch, &recipe.take.mirror).map_err(Fault::setting)?;
            search
                .check_pairing(&pairing)
                .map_err(|error| Fault::make(answers::job_failure(&studied, Some(&search), error)))?;
            let settings = SearchSettings {
                pairing,
                ..search.settings(top)
            };
            let rows = match search_rows(&studied, &settings, &search) {
                Ok(rows) => rows,
                Err(error) => {
                    let failure = answers::job_failure(&studied, Some(&search), error.into());
                    match failure.is_negative() {
                        true => SearchRows::default(),
                        false => return Err(Fault::make(failure)),
                    }
                }
            };
            let json = answers::found(&studied, &rows, &settings);
            let candidates = rows.found.candidates.into_iter().map(Candidate).collect();
            Ok((json, candidates, in_words(&studied.warnings)))
        })
    }

    /// The loops of a stretch, of rows of the list, of all of them, or the recommended one; and warnings.
    fn make(
        &self,
        py: Python<'_>,
        asked: Asked,
        candidate: Option<&Candidate>,
        rows: Option<Vec<usize>>,
        all: bool,
    ) -> PyResult<Vec<Loop>> {
        let held = Arc::clone(&self.0);
        let wanted = match (candidate, rows, all) {
            (Some(candidate), _, _) => Wanted::Stretch(Box::new(candidate.0.clone())),
            (None, Some(rows), _) => Wanted::Rows(rows),
            (None, None, true) => Wanted::All,
            (None, None, false) => Wanted::Recommended,
        };
        work(py, move || make(&held, asked, wanted))
    }

    /// The bytes of a file with it, by the extension of a name, and what was changed to write it.
    fn bytes_as<'py>(&self, py: Python<'py>, name: PathBuf) -> PyResult<(Bound<'py, PyBytes>, Vec<String>)> {
        let held = Arc::clone(&self.0);
        let (bytes, warnings) = work(py, move || {
            held.bytes_as(answers::format_of(&name).map_err(Fault::write)?)
        })?;
        Ok((PyBytes::new(py, &bytes), warnings))
    }

    /// Writes it into a file.
    fn write(&self, py: Python<'_>, path: PathBuf, force: bool) -> PyResult<Vec<String>> {
        let held = Arc::clone(&self.0);
        work(py, move || {
            let (bytes, warnings) = held.bytes_as(answers::format_of(&path).map_err(Fault::write)?)?;
            let came_of = held.came_of.iter().map(PathBuf::as_path);
            let inputs: Vec<&Path> = held.path().into_iter().chain(came_of).collect();
            answers::write_files(&[(&path, &bytes)], force, &inputs).map_err(Fault::write)?;
            Ok(warnings)
        })
    }
}

/// The answer of a search in JSON, the stretches, and warnings with their categories.
type Found = (String, Vec<Candidate>, Vec<(&'static str, String)>);

/// Names, parents, offsets and tips of joints.
pub(crate) type SkeletonArrays<'py> = (Vec<String>, Vec<i64>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

pub(crate) fn skeleton<'py>(py: Python<'py>, skeleton: &Skeleton) -> PyResult<SkeletonArrays<'py>> {
    let joints = skeleton.joints();
    let offsets: Vec<DVec3> = joints.iter().map(|joint| joint.rest_offset).collect();
    let tips: Vec<DVec3> = joints.iter().map(|joint| joint.tip.unwrap_or(DVec3::NAN)).collect();
    Ok((
        joints.iter().map(|joint| joint.name.clone()).collect(),
        joints
            .iter()
            .map(|joint| joint.parent.map_or(-1, |parent| parent as i64))
            .collect(),
        vectors(py, &offsets)?,
        vectors(py, &tips)?,
    ))
}

/// Positions and rotations of all joints at all frames.
pub(crate) fn poses(arrays: &MotionArrays<'_>, local: bool) -> (Vec<DVec3>, Vec<DQuat>) {
    match local {
        true => (arrays.local_positions(), arrays.local_rotations()),
        false => arrays.world(),
    }
}

impl Take {
    /// A take in the form of a file.
    pub(crate) fn of_file(name: String, file: LoadedTake) -> Self {
        Self(Arc::new(HeldTake::new(name, None, file, &Study::default())))
    }

    fn with(
        name: String,
        path: Option<PathBuf>,
        file: LoadedTake,
        study: &Study,
        soft: Vec<loopwright_formats::Warning>,
    ) -> (Self, Vec<String>) {
        let warnings = soft.iter().map(ToString::to_string).collect();
        let held = HeldTake {
            soft,
            ..HeldTake::new(name, path, file, study)
        };
        (Self(Arc::new(held)), warnings)
    }
}

/// The bytes of a file of a format with a take, or with the keys of the loop of these facts, and what was changed to write it. Errors: it does not fit into the format.
pub(crate) fn bytes_of(
    file: &LoadedTake,
    facts: Option<&Sidecar>,
    format: Format,
) -> Result<(Vec<u8>, Vec<String>), Fault> {
    let source = file.source.in_format(format, &file.take);
    in_bytes(match facts {
        Some(facts) => loopwright_formats::write_keys(&file.take, facts, &source),
        None => loopwright_formats::write_take(&file.take, &source),
    })
}

fn in_bytes(written: Result<WrittenFile, WriteError>) -> Result<(Vec<u8>, Vec<String>), Fault> {
    let written = written.map_err(|error| Fault::write(Failure::error(error)))?;
    let warnings = written.warnings.iter().map(ToString::to_string).collect();
    Ok((written.bytes, warnings))
}
