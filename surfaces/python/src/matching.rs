//! Databases for motion matching.

use std::{path::PathBuf, sync::Arc};

use loopwright_cli::answers;
use loopwright_core::{BodyOverrides, analysis::MotionKind};
use loopwright_job::recipe::TakeArgs;
use loopwright_match::FeatureSetKind;
use pyo3::{prelude::*, types::PyBytes};

use crate::{
    arguments::{Argument, Arguments},
    facts::Facts,
    fault::Fault,
    road::{Motion, Ready, fading, reading, weights},
    work::work,
};

/// A database, as the bytes of its file.
#[pyclass(frozen, module = "loopwright._native")]
pub struct Database(Arc<Vec<u8>>);

#[pymethods]
impl Database {
    /// Builds one of motions, each with whether it is named, and of the rows of another one; returns warnings, too.
    #[staticmethod]
    fn build(
        py: Python,
        motions: Vec<(Motion, bool)>,
        add: Option<PyRef<'_, Self>>,
        settings: Arguments,
    ) -> PyResult<(Self, Vec<String>)> {
        let known = add.map(|add| Arc::clone(&add.0));
        let (rows, overrides) = rows(&settings)?;
        let (tags, reading) = (tags(&settings)?, reading(&settings)?);
        work(py, move || {
            let ready = motions
                .iter()
                .map(|(motion, named)| Ok((motion.ready(&reading, &rows.weights)?, *named)));
            let ready = ready.collect::<Result<Vec<_>, Fault>>()?;
            let motions: Vec<_> = ready.iter().map(|(ready, named)| (ready.motion(), *named)).collect();
            let known = known.as_ref().map(|known| known.as_slice());
            let built = answers::match_build(&motions, known, &rows, &tags, &overrides);
            let (bytes, warnings) = built.map_err(Fault::make)?;
            Ok((Self(Arc::new(bytes)), warnings))
        })
    }

    /// Reads the bytes of a file with this name; returns its facts, too.
    #[staticmethod]
    fn parse(py: Python, name: PathBuf, bytes: Vec<u8>) -> PyResult<(Self, Facts)> {
        work(py, move || {
            let said = answers::match_inspect(&name, &bytes).map_err(Fault::read)?;
            Ok((Self(Arc::new(bytes)), Facts(said)))
        })
    }

    /// The bytes of its file.
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0)
    }

    fn write(&self, py: Python, path: PathBuf, force: bool) -> PyResult<()> {
        let bytes = Arc::clone(&self.0);
        work(py, move || {
            answers::write_files(&[(&path, &bytes)], force, &[]).map_err(Fault::write)
        })
    }

    /// Finds the rows that fit best to each of these frames of a motion; returns warnings, too.
    fn query(
        &self,
        py: Python,
        motion: Motion,
        frames: Vec<i64>,
        settings: Arguments,
    ) -> PyResult<(Facts, Vec<String>)> {
        let (bytes, wish) = (Arc::clone(&self.0), wish(&settings)?);
        work(py, move || {
            let ready = motion.ready(&TakeArgs::default(), &[])?;
            let found = answers::match_query(&bytes, ready.motion(), &frames, &wish);
            let (found, warnings) = found.map_err(Fault::make)?;
            Ok((Facts(found), warnings))
        })
    }

    /// Its rows, or those that the frames of a motion have in it, in single precision; and how many numbers one has.
    fn rows<'py>(&self, py: Python<'py>, motion: Option<Motion>) -> PyResult<(Bound<'py, PyBytes>, usize)> {
        let bytes = Arc::clone(&self.0);
        let (rows, columns) = work(py, move || {
            let ready = motion
                .map(|motion| motion.ready(&TakeArgs::default(), &[]))
                .transpose()?;
            answers::match_rows(&bytes, ready.as_ref().map(Ready::motion)).map_err(Fault::make)
        })?;
        let rows: Vec<u8> = rows.into_iter().flat_map(f32::to_ne_bytes).collect();
        Ok((PyBytes::new(py, &rows), columns))
    }
}

/// Reads the settings of the rows of a database, and the weights of joints.
fn rows(settings: &Arguments) -> PyResult<(answers::RowSettings, BodyOverrides)> {
    let ahead = |argument: &Argument<'_>| match argument.numbers()? {
        times if times.len() == 3 => Ok(times),
        times => Err(argument.expected(&format!("three times, which {} are not", times.len()))),
    };
    let kinds = FeatureSetKind::ALL.map(|kind| (kind.as_str(), kind));
    let (fade, half_life, blend) = fading(settings)?;
    let weights = weights(settings)?;
    let overrides = BodyOverrides {
        weights: weights.clone(),
        ..reading(settings)?.overrides()
    };
    let rows = answers::RowSettings {
        features: settings
            .get("features", |features| features.word(&kinds))?
            .unwrap_or(FeatureSetKind::Future),
        ahead: settings.get("ahead", ahead)?.unwrap_or_default(),
        fade,
        half_life,
        blend,
        weights,
    };
    Ok((rows, overrides))
}

fn tags(settings: &Arguments) -> PyResult<Vec<(String, String)>> {
    let tags = settings.get("tags", |tags| tags.table("a dict of texts"))?;
    Ok(tags.unwrap_or_default())
}

/// Kinds of motion by their words.
fn gaits(argument: &Argument) -> Result<Vec<MotionKind>, Fault> {
    let words = argument.texts()?;
    let known = |word: &String| word.parse().ok().filter(|kind| answers::GAITS.contains(kind));
    let gaits: Option<Vec<MotionKind>> = words.iter().map(known).collect();
    gaits.ok_or_else(|| argument.expected(&format!("one of {}", answers::GAITS.map(MotionKind::as_str).join(", "))))
}

/// The motion that frames have to fit to.
fn wish(settings: &Arguments) -> PyResult<answers::Wish> {
    settings.require(&["turn_rate"], "speed")?;
    let within = |most: f64| {
        move |argument: &Argument<'_>| {
            let expected = format!("a number from {} to {most}", -most);
            argument.number_that(&expected, |number| (-most..=most).contains(&number))
        }
    };
    let feet = answers::StandingFoot::ALL.map(|foot| (foot.as_str(), foot));
    Ok(answers::Wish {
        speed: settings.get("speed", within(100.0))?,
        turn_rate: settings.get("turn_rate", within(3600.0))?.unwrap_or(0.0),
        tags: tags(settings)?,
        gaits: settings.get("gait", gaits)?.unwrap_or_default(),
        standing: settings.get("standing", |foot| foot.word(&feet))?,
        top: settings.get("top", |top| top.count(1))?.unwrap_or(5),
    })
}
