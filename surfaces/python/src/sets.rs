//! Sets of takes.

use std::path::{Path, PathBuf};

use loopwright_cli::{Failure, answers};
use loopwright_formats::Format;
use loopwright_sets::road::{self, HeldSetFile, MakeSetError, SetSettings};
use pyo3::{prelude::*, types::PyBytes};

use crate::{asked::Asked, facts::Facts, fault::Fault, held::texts, takes::Take, work::work};

/// Options of a set beside the settings of its loops.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Wanted {
    variants: usize,
    format: Option<String>,
    split: bool,
    folder: Option<PathBuf>,
    force: bool,
}

/// The takes of a file, under its name, and whether it has several animations.
type OfFile = (String, bool, Vec<Take>);

/// The manifest, the files with their names, and warnings.
type Made<'py> = (Facts, Vec<(String, Bound<'py, PyBytes>)>, Vec<String>);

/// Makes a set of takes, and writes it into its folder where one is named.
#[pyfunction]
pub fn make_set<'py>(py: Python<'py>, files: Vec<OfFile>, asked: Asked, wanted: Wanted) -> PyResult<Made<'py>> {
    let (manifest, written, notes) = work(py, move || {
        let (recipe, _) = asked.settled()?;
        let mut held = Vec::new();
        let mut inputs: Vec<PathBuf> = recipe.take.rig.iter().cloned().collect();
        for (name, is_pack, takes) in files {
            inputs.extend(takes.iter().filter_map(|Take(take)| take.path().map(Path::to_owned)));
            let studied = takes.iter().map(|Take(take)| take.studied(&recipe.take));
            held.push(HeldSetFile {
                name,
                is_pack,
                takes: studied.collect::<Result<_, Fault>>()?,
                loops: Vec::new(),
            });
        }
        let settings = SetSettings {
            variants: wanted.variants,
            fps: recipe.output.fps,
            target: recipe.output.target,
            format: wanted.format.as_deref().map(format_of).transpose()?,
            is_split: wanted.split,
            folder: wanted.folder.clone().unwrap_or_default(),
            recipe,
        };
        made(settings, &held, &inputs, &wanted)
    })?;
    let files = written
        .iter()
        .map(|(name, bytes)| (name.clone(), PyBytes::new(py, bytes)));
    Ok((manifest, files.collect(), notes))
}

/// Files with their names.
type Files = Vec<(String, Vec<u8>)>;

fn made(
    settings: SetSettings,
    takes: &[HeldSetFile],
    inputs: &[PathBuf],
    wanted: &Wanted,
) -> Result<(Facts, Files, Vec<String>), Fault> {
    let folder = settings.folder.clone();
    let failed = |error: MakeSetError| Fault::make(answers::set_failure(&folder, error));
    let mut notes = Vec::new();
    let made = road::make_set(settings, takes, Vec::new(), &mut notes).map_err(failed)?;
    let mut clips = Vec::new();
    let written = made.write(&mut notes, |file| {
        clips.push(file);
        Ok::<(), Box<MakeSetError>>(())
    });
    let set = written.map_err(|error| failed(*error))?;
    if let Some(folder) = &wanted.folder {
        answers::write_set(folder, wanted.force, inputs, &clips, &set).map_err(Fault::write)?;
    }
    let mut files = Files::new();
    for file in clips {
        let sidecar = file
            .sidecar
            .map(|text| (format!("{}.json", file.name), text.into_bytes()));
        files.push((file.name, file.bytes));
        files.extend(sidecar);
    }
    files.push(("set.json".to_owned(), set.json.clone().into_bytes()));
    let of_engine = set.engine_files.into_iter();
    files.extend(of_engine.map(|(name, text)| (name.to_owned(), text.into_bytes())));
    Ok((Facts::new(&set.manifest)?, files, texts(&notes)))
}

/// The format of that name.
fn format_of(name: &str) -> Result<Format, Fault> {
    Format::from_extension(name).ok_or_else(|| {
        let known = Format::extensions(&Format::ALL, "");
        Fault::setting(Failure::error(format!("format: {name:?} is none")).try_this(format!("one of {known}")))
    })
}
