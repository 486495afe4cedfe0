//! Reads the motions of files for matching: takes, and loops with their sidecars.

use std::path::{Component, Path, PathBuf};

use loopwright_core::Analysis;
use loopwright_job::{AddedRoot, Study};
use loopwright_match::{MatchSource, features::Horizon};

use super::unmatched;
use crate::{
    animations::Excluded,
    exit::Result,
    files::{self, InputFile},
    load, memory,
    recipe::{StudyArgs, TakeArgs},
    talk, written_loop,
};

/// A motion in a file.
pub struct Motion {
    /// The name of its clips.
    pub name: String,
    /// The file, and the animation in it if the file holds several loops.
    pub path: PathBuf,
    /// The motion, or why it cannot be read; other motions of the file still can be.
    pub source: Result<MatchSource>,
}

/// Reads the motions of a file: its loops if it has a sidecar, else its take. Their clips are named `name`, and the joints of takes get
/// these weights.
pub fn read_all(
    path: &Path,
    name: String,
    reading: &TakeArgs,
    weights: &[(String, f64)],
    horizon: Horizon,
) -> Result<Vec<Motion>> {
    let input = InputFile::named(path);
    let reading = &input.reading(reading);
    let study = StudyArgs {
        weights: weights.to_vec(),
        ..reading.clone().into()
    };
    if input.sidecar.is_none() {
        return Ok(vec![Motion {
            name,
            source: Ok(MatchSource::from_take(read_take(&input.path, &load::study(study)?)?)),
            path: input.path,
        }]);
    }
    let file = InputFile {
        animation: None,
        ..input
    };
    let loops = written_loop::loops_of(&file, reading, Excluded::NONE)?;
    Ok(loops
        .iter()
        .map(|each| {
            let path = each.typed();
            let mut name = name.clone();
            let source = written_loop::read_playable(each, reading, AddedRoot::Kept).and_then(|read| {
                if loops.len() > 1 {
                    name = format!("{name}:{}", read.clip.name());
                }
                MatchSource::from_loop(&read.clip, &study.overrides(), horizon).map_err(|error| unmatched(&path, error))
            });
            Motion { name, path, source }
        })
        .collect())
}

/// Reads and studies a take; warnings name the file.
fn read_take(path: &Path, study: &Study) -> Result<Analysis> {
    let loaded = load::studied(path, &study.reading(memory::limits()), study)?;
    talk::warn_of(path.display(), &loaded.warnings);
    Ok(loaded.analysis)
}

/// Returns the path of a take relative to the folder of the database, with slashes; as typed if there is no such path.
pub fn name_beside(path: &Path, output: &Path) -> String {
    let folder = files::folder_of(output);
    let InputFile { path, animation, .. } = InputFile::named(path);
    let seen = path
        .canonicalize()
        .ok()
        .zip(folder.canonicalize().ok())
        .and_then(|(path, folder)| {
            let shared = path
                .components()
                .zip(folder.components())
                .take_while(|(one, other)| one == other)
                .count();
            // Without a common folder, such as on another drive, there is none.
            (shared > 0).then(|| {
                let up = folder.components().skip(shared).map(|_| "..".to_owned());
                let down = path.components().skip(shared).map(|part| match part {
                    Component::Normal(name) => name.to_string_lossy().into_owned(),
                    part => part.as_os_str().to_string_lossy().into_owned(),
                });
                up.chain(down).collect::<Vec<_>>().join("/")
            })
        });
    let seen = seen.unwrap_or_else(|| path.display().to_string());
    animation.map_or(seen.clone(), |animation| format!("{seen}#{animation}"))
}
