//! The files of a loop: the extension of its name, how it is added to what is written, and how the command then ends.

use std::path::{Path, PathBuf};

use loopwright_formats::{LoopFile, Sidecar, WrittenFile};
use loopwright_job::{PendingLoop, Warning};

use crate::exit::{Ending, Failure};
use crate::output::{self, Outputs};
use crate::{files, recipe::Recipe, written_loop};

/// The extension of the file that a loop goes into: the engine's, that of the rig if there is one, or the take's.
pub(crate) fn extension(take: &Path, recipe: &Recipe) -> String {
    // What comes in has no name, but a format.
    let take = if files::is_stream(take) {
        PathBuf::from(files::stem(take)).with_extension(files::extension(take).unwrap_or_default())
    } else {
        take.to_owned()
    };
    let goes_into = recipe.take.rig.as_deref().unwrap_or(&take);
    let own = || files::extension_for_motion(goes_into).unwrap_or_else(|| "bvh".to_owned());
    let engine = recipe.output.engine().extension(goes_into);
    engine.map_or_else(own, str::to_owned)
}

/// Adds a loop and its sidecar to what is written, and returns the sidecar. `named` are all files that will be, the loop first, its sidecar
/// second; `of_take` are the warnings about the take.
pub(crate) fn add(
    outputs: &mut Outputs,
    pending: PendingLoop,
    named: &[&Path],
    of_take: Vec<String>,
) -> Result<Sidecar, Failure> {
    let [loop_path, sidecar_path, ..] = named else {
        return Err(Failure::error("a loop needs two names"));
    };
    let names = named.iter().map(|path| path.display().to_string()).collect();
    let (bytes, sidecar) = pending.named(names, of_take);
    outputs.add(loop_path, &bytes)?;
    let beside = if outputs.is_in_place(loop_path) {
        written_loop::with_other_loops(&sidecar, loop_path, &bytes)
    } else {
        sidecar.to_json()
    };
    outputs.add(sidecar_path, beside.map_err(Failure::error)?.as_bytes())?;
    Ok(sidecar)
}

/// Adds a loop that comes of others and its sidecar to what is written; the sidecar then names both.
pub(crate) fn add_file(outputs: &mut Outputs, file: &mut LoopFile, path: &Path) -> Result<(), Failure> {
    file.sidecar = add_written(outputs, &file.written, file.sidecar.clone(), path)?;
    Ok(())
}

/// The same for a file that was written and the facts of the loop in it; returns the sidecar.
pub(crate) fn add_written(
    outputs: &mut Outputs,
    written: &WrittenFile,
    sidecar: Sidecar,
    path: &Path,
) -> Result<Sidecar, Failure> {
    let beside = output::sidecar_path(path);
    let names = [path, &beside].map(|path| path.display().to_string());
    let (bytes, sidecar) = written.named(sidecar, names.to_vec());
    outputs.add(path, &bytes)?;
    outputs.add(&beside, sidecar.to_json().map_err(Failure::error)?.as_bytes())?;
    Ok(sidecar)
}

/// Warnings in words, as sidecars hold them.
pub(crate) fn in_words(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

/// How a command ends that wrote a loop: negatively where it is bad.
pub(crate) fn ending(file: &LoopFile) -> Ending {
    Ending::of_grade(file.sidecar.quality.grade)
}
