//! Finds the loops and passages that a command line names: files, folders and patterns.

use std::path::{Path, PathBuf};

use crate::{
    animations::Excluded,
    batch,
    exit::{Failure, Result},
    files::{self, InputFile},
    patterns::files_below,
    recipe::TakeArgs,
    written_loop,
    written_passage::{self, WrittenPassage},
};

/// A loop, or a path without one and the reason.
pub type FoundLoop = Result<InputFile, (PathBuf, Failure)>;

/// Lists all loops for these paths, in order. A folder stands for all files in it and below that look like loops, sorted by name; a file
/// stands for all its animations that are named like loops.
pub fn loops_in(paths: &[PathBuf], flags: &TakeArgs, excluded: Excluded) -> Vec<FoundLoop> {
    let mut loops = Vec::new();
    for path in paths {
        let files = if path.is_dir() {
            match loops_below(path) {
                Ok(found) => found.into_iter().map(Ok).collect(),
                Err(failure) => vec![Err((path.clone(), failure))],
            }
        } else {
            batch::in_order(core::slice::from_ref(path))
        };
        for file in files {
            let found = file.and_then(|path| {
                let input = InputFile::named(&path);
                written_loop::loops_of(&input, flags, excluded).map_err(|failure| (input.path, failure))
            });
            match found {
                Ok(found) => loops.extend(found.into_iter().map(Ok)),
                Err(problem) => loops.push(Err(problem)),
            }
        }
    }
    loops
}

/// Lists the loops in a folder and its subfolders, sorted by name: files with a sidecar, and takes that are named like loops.
///
/// Links to folders are not followed, since they may form a cycle. Errors: a folder cannot be listed, or there is no loop.
fn loops_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let found = files_below(folder, |path| {
        // Such as `walk-loop.fbx`.
        let is_named_like_a_loop = files::is_named_like_a_take(path) && files::stem(path).ends_with("-loop");
        files::has_sidecar(path) || is_named_like_a_loop && !written_passage::is_cut(path)
    })?;
    if found.is_empty() {
        return Err(
            failure!("there is no loop in the folder \"{}\" or below", folder.display())
                .because("in a folder, loops are files with a sidecar beside them, and those whose name ends in -loop")
                .try_this("name the files themselves"),
        );
    }
    Ok(found)
}

/// Lists the passages for these paths, and the paths that hold no passages.
pub fn passages_in(paths: &[PathBuf]) -> Result<(Vec<WrittenPassage>, Vec<PathBuf>)> {
    let (mut passages, mut others) = (Vec::new(), Vec::new());
    for path in paths {
        let found = if path.is_dir() {
            written_passage::below(path)?
        } else {
            written_passage::of_files(core::slice::from_ref(path))?
        };
        // A file of a set that holds several clips also holds loops.
        if path.is_dir() || found.iter().all(|passage| passage.place.animation.is_some()) {
            others.push(path.clone());
        }
        passages.extend(found);
    }
    Ok((passages, others))
}
