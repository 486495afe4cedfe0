//! Takes: read from files or made of arrays, searched, and made into loops.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use glam::{DQuat, DVec3};
use loopwright_cli::answers;
use loopwright_core::{Joint, LoopCandidate, SearchSettings, Skeleton};
use loopwright_formats::{FileWarning, Format, LoadedTake, Source};
use loopwright_job::{Recipe, Rows, SearchRows, Study, recipe, search_rows};
use pyo3::{prelude::*, types::PyBytes};

use crate::{
    arrays::{booleans, rotations, rows, vectors},
    asked::Asked,
    facts::Facts,
    fault::Fault,
    held::{HeldTake, SkeletonArrays, in_words, poses, skeleton, texts},
    loops::{Loop, Poses, make},
    work::work,
};

/// A take, with what was found out about it so far.
#[pyclass(frozen, from_py_object, module = "loopwright._native")]
#[derive(Clone)]
pub struct Take(pub Arc<HeldTake>);

/// A stretch that was found.
#[pyclass(frozen, module = "loopwright._native")]
pub struct Candidate(pub LoopCandidate);

/// Reading settings, as those of a recipe.
fn study_of(asked: Asked) -> Result<Study, Fault> {
    let (Recipe { take, .. }, _) = asked.settled()?;
    answers::study(take).map_err(Fault::setting)
}

#[pymethods]
impl Take {
    /// Reads the take in a file; and what is odd in it.
    #[staticmethod]
    fn open(py: Python, path: PathBuf, asked: Asked) -> PyResult<(Self, Vec<String>)> {
        work(py, move || {
            let (path, animation) = answers::split_animation(&path);
            let mut study = study_of(asked)?;
            study.args.animation = animation.or(study.args.animation);
            let mut soft = Vec::new();
            let file = answers::read(&path, &study, &mut soft).map_err(Fault::read)?;
            Ok(Self::with(path.display().to_string(), Some(path), file, &study, soft))
        })
    }

    /// Reads the take in the bytes of a file; and what is odd in it.
    #[staticmethod]
    fn parse(py: Python, bytes: Vec<u8>, name: String, asked: Asked) -> PyResult<(Self, Vec<String>)> {
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
        py: Python,
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
                tip: tips
                    .as_ref()
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

    /// The facts about it.
    fn facts(&self) -> PyResult<Facts> {
        Ok(Facts::new(&self.0.file().facts(self.0.name()))?)
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.file().take.name()
    }

    #[getter]
    fn path(&self) -> Option<&Path> {
        self.0.path()
    }

    #[getter]
    fn num_frames(&self) -> usize {
        self.0.file().take.num_frames()
    }

    #[getter]
    fn fps(&self) -> f64 {
        self.0.file().take.frame_rate_hz()
    }

    /// Names of the joints, parents (-1 for none), offsets and tips.
    fn skeleton<'py>(&self, py: Python<'py>) -> PyResult<SkeletonArrays<'py>> {
        skeleton(py, self.0.file().take.skeleton())
    }

    /// Positions in the world and rotations there, or in the axes of the parents.
    fn poses<'py>(&self, py: Python<'py>, local: bool, scalar_first: bool) -> PyResult<Poses<'py>> {
        let held = Arc::clone(&self.0);
        let (points, turns) = work(py, move || Ok(poses(&held.arrays(), local)))?;
        Ok((vectors(py, &points)?, rotations(py, &turns, scalar_first)?))
    }

    /// The joints that touch the ground, and whether each stands, frame after frame.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<(Vec<usize>, Bound<'py, PyBytes>)> {
        let held = Arc::clone(&self.0);
        let contacts = work(py, move || Ok(held.arrays().contacts()))?;
        Ok((contacts.joints, booleans(py, contacts.stands)))
    }

    /// The list of loops: the answer, the stretches, and warnings.
    fn find(&self, py: Python, asked: Asked, top: usize) -> PyResult<Found> {
        let held = Arc::clone(&self.0);
        work(py, move || {
            let (recipe, search) = asked.settled()?;
            let studied = held.studied(&recipe.take)?;
            let failed = |error| Fault::job(&studied, Some(&search), error);
            search.check(&studied).map_err(failed)?;
            let pairing =
                recipe::pairing(&studied.analysis, &recipe.stretch, &recipe.take.mirror).map_err(Fault::setting)?;
            search.check_pairing(&pairing).map_err(failed)?;
            let settings = SearchSettings {
                pairing,
                ..search.settings(top)
            };
            let rows = match search_rows(&studied, &settings, &search) {
                Ok(rows) => rows,
                Err(error) => {
                    let failure = answers::job_failure(&studied, Some(&search), error.into());
                    if failure.is_negative() {
                        SearchRows::default()
                    } else {
                        return Err(Fault::make(failure));
                    }
                }
            };
            let found = answers::found(&studied, &rows, &settings).map_err(Fault::make)?;
            let candidates = rows.found.candidates.into_iter().map(Candidate).collect();
            Ok((Facts(found), candidates, in_words(&studied.warnings)))
        })
    }

    /// The loops of a stretch, of rows of the list, of all of them, or the recommended one; and warnings.
    fn make(
        &self,
        py: Python,
        asked: Asked,
        candidate: Option<&Candidate>,
        rows: Option<Vec<usize>>,
        all: bool,
    ) -> PyResult<Vec<Loop>> {
        let held = Arc::clone(&self.0);
        let stretch = candidate.map(|Candidate(stretch)| stretch.clone());
        let rows = match (&stretch, rows, all) {
            (None, Some(rows), _) => Rows::Picked(rows),
            (None, None, true) => Rows::All,
            _ => Rows::Recommended,
        };
        work(py, move || make(&held, asked, stretch, &rows))
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
    fn write(&self, py: Python, path: PathBuf, force: bool) -> PyResult<Vec<String>> {
        let held = Arc::clone(&self.0);
        work(py, move || {
            let (bytes, warnings) = held.bytes_as(answers::format_of(&path).map_err(Fault::write)?)?;
            answers::write_files(&[(&path, &bytes)], force, &held.inputs()).map_err(Fault::write)?;
            Ok(warnings)
        })
    }
}

/// The answer of a search, the stretches, and warnings with their categories.
type Found = (Facts, Vec<Candidate>, Vec<(&'static str, String)>);

impl Take {
    /// A take in the form of a file.
    pub fn of_file(name: String, file: LoadedTake) -> Self {
        Self(Arc::new(HeldTake::new(name, None, file, &Study::default(), Vec::new())))
    }

    fn with(
        name: String,
        path: Option<PathBuf>,
        file: LoadedTake,
        study: &Study,
        soft: Vec<FileWarning>,
    ) -> (Self, Vec<String>) {
        let warnings = texts(&soft);
        (Self(Arc::new(HeldTake::new(name, path, file, study, soft))), warnings)
    }
}
