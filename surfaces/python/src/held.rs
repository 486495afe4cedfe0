//! Takes as they are held, and the skeletons, poses, bytes and warnings of takes and loops.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use glam::{DQuat, DVec3};
use loopwright_cli::{Failure, answers};
use loopwright_core::Skeleton;
use loopwright_formats::{FileWarning, Format, LoadedTake, MotionArrays, Sidecar, WriteError, WrittenFile};
use loopwright_job::{Studied, Study, Warning, recipe::StudyArgs};
use pyo3::{prelude::*, types::PyBytes};

use crate::{arrays::vectors, fault::Fault};

/// A take with its file and its last study.
pub struct HeldTake {
    /// Its name, as sidecars state it.
    name: String,
    /// Its file, if it came from one.
    path: Option<PathBuf>,
    reading: StudyArgs,
    file: LoadedTake,
    soft: Vec<FileWarning>,
    /// Writes it, where it is not written in the form of its file alone.
    writer: Option<Writer>,
    /// Files that it came of, which are never overwritten either.
    came_of: Vec<PathBuf>,
    /// The last study of it: settings seldom change between calls.
    studied: Mutex<Option<(StudyArgs, Arc<Studied>)>>,
}

/// Writes a motion in a format.
pub type Writer = Box<dyn Fn(Format) -> Result<WrittenFile, WriteError> + Send + Sync>;

impl HeldTake {
    /// A take of a file, and what is odd in it.
    pub fn new(name: String, path: Option<PathBuf>, file: LoadedTake, study: &Study, soft: Vec<FileWarning>) -> Self {
        Self {
            name,
            path,
            reading: study.args.clone(),
            file,
            soft,
            writer: None,
            came_of: Vec::new(),
            studied: Mutex::new(None),
        }
    }

    /// A take that no file holds yet, and the files that it came of.
    pub fn written_by(name: String, file: LoadedTake, came_of: Vec<PathBuf>, writer: Writer) -> Self {
        Self {
            writer: Some(writer),
            came_of,
            ..Self::new(name, None, file, &Study::default(), Vec::new())
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn file(&self) -> &LoadedTake {
        &self.file
    }

    /// Returns it as arrays, with the body that it was read with.
    pub fn arrays(&self) -> MotionArrays<'_> {
        MotionArrays::of_take(&self.file.take, &self.reading.overrides())
    }

    /// Returns the warnings of its file.
    pub fn soft(&self) -> Vec<String> {
        texts(&self.soft)
    }

    /// The bytes of a file of a format with it, and what was changed to write it. Errors: it does not fit into the format.
    pub fn bytes_as(&self, format: Format) -> Result<(Vec<u8>, Vec<String>), Fault> {
        match &self.writer {
            Some(write) => in_bytes(write(format)),
            None => bytes_of(&self.file, None, format),
        }
    }

    /// Its file and those that it came of, which are never overwritten.
    pub fn inputs(&self) -> Vec<&Path> {
        self.path()
            .into_iter()
            .chain(self.came_of.iter().map(PathBuf::as_path))
            .collect()
    }

    /// Its file.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The study of it with these settings. Errors: it cannot be studied so.
    pub fn studied(&self, asked: &StudyArgs) -> Result<Arc<Studied>, Fault> {
        let reading = &self.reading;
        let differs = (asked.up.is_some() && asked.up != reading.up)
            || (asked.unit.is_some() && asked.unit != reading.unit)
            || (asked.animation.is_some() && asked.animation != reading.animation)
            || (asked.skin.is_some() && asked.skin != reading.skin)
            || (asked.speed_up.is_some() && asked.speed_up != reading.speed_up)
            || (asked.robot.is_some() && asked.robot != reading.robot);
        if differs {
            let what =
                "up, unit, animation, skin, speed_up and robot say how a file is read, and this take is read already";
            return Err(Fault::setting(what.to_owned()).hinting("loopwright.read(path, animation=\"Walk\")"));
        }
        let args = StudyArgs {
            up: reading.up,
            unit: reading.unit,
            animation: reading.animation.clone(),
            skin: reading.skin.clone(),
            speed_up: reading.speed_up,
            robot: reading.robot.clone(),
            hips: asked.hips.clone().or_else(|| reading.hips.clone()),
            feet: if asked.feet.is_empty() {
                &reading.feet
            } else {
                &asked.feet
            }
            .clone(),
            contact_speed: asked.contact_speed.or(reading.contact_speed),
            contact_height: asked.contact_height.or(reading.contact_height),
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

/// The texts of warnings.
pub fn texts(warnings: &[impl ToString]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

/// Warnings with the name of their category.
pub fn in_words(warnings: &[Warning]) -> Vec<(&'static str, String)> {
    let category = |warning: &Warning| match warning {
        Warning::File(_) => "FileWarning",
        _ => "MotionWarning",
    };
    warnings
        .iter()
        .map(|warning| (category(warning), warning.to_string()))
        .collect()
}

/// Names, parents, offsets and tips of joints.
pub type SkeletonArrays<'py> = (Vec<String>, Vec<i64>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

pub fn skeleton<'py>(py: Python<'py>, skeleton: &Skeleton) -> PyResult<SkeletonArrays<'py>> {
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
pub fn poses(arrays: &MotionArrays, local: bool) -> (Vec<DVec3>, Vec<DQuat>) {
    if local {
        (arrays.local_positions(), arrays.local_rotations())
    } else {
        arrays.world()
    }
}

/// The bytes of a file of a format with a take, or with the keys of the loop of these facts, and what was changed to write it. Errors: it does not fit into the format.
pub fn bytes_of(file: &LoadedTake, facts: Option<&Sidecar>, format: Format) -> Result<(Vec<u8>, Vec<String>), Fault> {
    let source = file.source.in_format(format, &file.take);
    in_bytes(match facts {
        Some(facts) => loopwright_formats::write_keys(&file.take, facts, &source),
        None => loopwright_formats::write_take(&file.take, &source),
    })
}

fn in_bytes(written: Result<WrittenFile, WriteError>) -> Result<(Vec<u8>, Vec<String>), Fault> {
    let written = written.map_err(|error| Fault::write(Failure::error(error)))?;
    Ok((written.bytes, texts(&written.warnings)))
}
