//! The animations of one file.

use std::path::{Path, PathBuf};

use loopwright_formats::{AnimatedFile, AnimationChoice, AnimationError, ReadError, ReadSettings};
use loopwright_job::{Studied, Study};

use crate::{
    args::ExcludeArgs,
    batch,
    exit::{Failure, Result},
    files, load, memory,
};

/// Animations that are left out, by name, pattern or number.
#[derive(Clone, Copy, Debug)]
pub struct Excluded<'a> {
    names: &'a [String],
    /// Whether there are many files, some of which may have nothing to exclude.
    of_many: bool,
}

impl<'a> Excluded<'a> {
    /// Excludes nothing.
    pub const NONE: Self = Self {
        names: &[],
        of_many: false,
    };

    /// Excludes in all these files what the flags say.
    pub fn of(files: &[PathBuf], args: &'a ExcludeArgs) -> Self {
        Self {
            names: &args.exclude,
            of_many: batch::are_many(files),
        }
    }

    pub fn names(self) -> &'a [String] {
        self.names
    }
}

/// Whether the name of an animation is a pattern, which may match several.
pub fn is_pattern(animation: &str) -> bool {
    animation.contains(['*', '?'])
}

/// Returns the numbers of the animations of a file that flags ask for: all, or those with a name, a pattern or a number, without those that
/// are excluded in the same way. Errors: a name, pattern or number matches no animation, or nothing is left.
pub fn asked_for(path: &Path, file: &AnimatedFile, wanted: Option<&str>, excluded: Excluded) -> Result<Vec<usize>> {
    let failed = |error: ReadError| files::cannot_read(path, &error);
    let mut numbers = match wanted {
        Some(wanted) => file.animations_matching(wanted).map_err(failed)?,
        None => (0..file.num_animations()).collect(),
    };
    for excluded_name in excluded.names {
        match file.animations_matching(excluded_name) {
            Ok(matching) => numbers.retain(|number| !matching.contains(number)),
            Err(ReadError::Animation(AnimationError::NoSuch { .. })) if excluded.of_many => {}
            Err(error) => return Err(failed(error)),
        }
    }
    if numbers.is_empty() && !excluded.names.is_empty() {
        Err(none_left(path, "animation"))
    } else {
        Ok(numbers)
    }
}

/// The failure when every animation is excluded.
pub fn none_left(path: &Path, what: &str) -> Failure {
    Failure::nothing(format!("--exclude leaves no {what} of \"{}\"", path.display()))
        .try_this(format!("`loopwright list {}` lists them", path.display()))
}

/// Reads and analyses one animation; its warnings are kept and not printed.
pub fn read(path: &Path, file: &AnimatedFile, number: usize, study: &Study) -> Result<Studied> {
    let mut soft = Vec::new();
    let read = file.read(
        &ReadSettings {
            animation: AnimationChoice::Number(number),
            ..study.reading(memory::limits())
        },
        &mut soft,
    );
    load::analysed(
        path,
        read.map_err(|error| files::cannot_read(path, &error))?,
        soft,
        study,
    )
}
