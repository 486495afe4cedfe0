//! The animations of one file.

use std::path::Path;

use loopwright_formats::{AnimatedFile, AnimationChoice, ReadSettings};
use loopwright_job::{Studied, Study};

use crate::{exit::Failure, failures, load, memory};

/// The animations of a file that a flag asks for: all, or those of a name, a pattern or a number.
pub(crate) fn asked_for(path: &Path, file: &AnimatedFile, wanted: Option<&str>) -> Result<Vec<usize>, Failure> {
    match wanted {
        Some(wanted) => file
            .animations_matching(wanted)
            .map_err(|error| failures::read(path, &error)),
        None => Ok((0..file.num_animations()).collect()),
    }
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
