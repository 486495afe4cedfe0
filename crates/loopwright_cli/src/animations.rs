//! The animations of one file.

use std::path::{Path, PathBuf};

use loopwright_formats::{AnimatedFile, AnimationChoice, ReadSettings};
use loopwright_job::{Studied, Study};

use crate::{exit::Failure, failures, files, load, memory, recipe::TakeArgs};

/// The animations of a file that flags ask for: all, or those of a name, a pattern or a number, without those that are excluded in the same
/// way. Errors: one of these means no animation, or nothing is left.
pub(crate) fn asked_for(
    path: &Path,
    file: &AnimatedFile,
    wanted: Option<&str>,
    excluded: &[String],
) -> Result<Vec<usize>, Failure> {
    let matching = |wanted: &str| {
        let matching = file.animations_matching(wanted);
        matching.map_err(|error| failures::read(path, &error))
    };
    let mut numbers = match wanted {
        Some(wanted) => matching(wanted)?,
        None => (0..file.num_animations()).collect(),
    };
    let excluded = excluded.iter().map(|excluded| matching(excluded));
    let excluded = excluded.collect::<Result<Vec<_>, _>>()?.concat();
    numbers.retain(|number| !excluded.contains(number));
    match numbers.is_empty() && !excluded.is_empty() {
        true => Err(Failure::nothing(format!(
            "--exclude leaves no animation of \"{}\"",
            path.display()
        ))),
        false => Ok(numbers),
    }
}

/// The file that is named, and how it is read: a name such as `pack.glb#Walk` says which animation.
pub(crate) fn named(path: &Path, reading: &TakeArgs) -> (PathBuf, TakeArgs) {
    let (path, animation) = files::split_animation(path);
    let reading = reading.clone();
    let animation = animation.or_else(|| reading.animation.clone());
    (path, TakeArgs { animation, ..reading })
}

/// Reads and analyses one animation; its warnings are kept and not printed.
pub(crate) fn read(path: &Path, file: &AnimatedFile, number: usize, study: &Study) -> Result<Studied, Failure> {
    let mut soft = Vec::new();
    let settings = ReadSettings {
        animation: AnimationChoice::Number(number),
        ..study.reading(memory::limits())
    };
    let read = file.read(&settings, &mut soft);
    load::analysed(path, read.map_err(|error| failures::read(path, &error))?, soft, study)
}
