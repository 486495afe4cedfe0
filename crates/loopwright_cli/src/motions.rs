//! Takes and loops as motions that can be left and entered.

use std::path::Path;

use loopwright::{
    LoopClip, Skeleton,
    transition::{TransitionClip, TransitionError},
};

use crate::{
    exit::Failure,
    load,
    recipe::TakeArgs,
    written_loop::{self, AddedRoot},
};

/// Maximum number of missing joints that a message names.
const NAMED: usize = 8;

/// A take, or a loop on the skeleton of its take.
pub(crate) struct ReadMotion {
    pub(crate) motion: TransitionClip,
    /// The loop with its number of cycles, if it is one.
    pub(crate) clip: Option<(LoopClip, usize)>,
    /// Names of the joints.
    pub(crate) joints: Vec<String>,
    /// Frames of the file; that of a loop has a closing key more than the loop has samples.
    pub(crate) num_keys: usize,
}

impl ReadMotion {
    /// A file with a sidecar beside it is a loop, any other one a take. Prints warnings.
    pub(crate) fn read(path: &Path, reading: &TakeArgs) -> Result<Self, Failure> {
        if written_loop::read_sidecar(path, reading)?.is_some() {
            return Self::read_loop(path, reading);
        }
        let loaded = load::load(path, &reading.clone().into())?;
        let take = loaded.file.take;
        Ok(Self {
            joints: names(take.skeleton()),
            num_keys: take.num_frames(),
            motion: TransitionClip::of_take(loaded.analysis),
            clip: None,
        })
    }

    fn read_loop(path: &Path, reading: &TakeArgs) -> Result<Self, Failure> {
        let read = written_loop::read_playable(path, reading, AddedRoot::Folded)?;
        let clip = read.played();
        let motion = TransitionClip::of_loop(&clip, &reading.overrides()).map_err(|error| match error {
            TransitionError::Body(error) => load::body_failure(error),
            other => written_loop::apart(path, &other),
        })?;
        Ok(Self {
            joints: names(clip.skeleton()),
            num_keys: read.take.num_frames(),
            clip: Some((clip, read.sidecar.candidate.cycles)),
            motion,
        })
    }
}

fn names(skeleton: &Skeleton) -> Vec<String> {
    skeleton.joints().iter().map(|joint| joint.name.clone()).collect()
}

/// Why two motions, the one that is left first, cannot be compared.
pub(crate) fn mismatch(files: [&Path; 2], error: TransitionError) -> Failure {
    let [ours, theirs] = files.map(Path::display);
    let TransitionError::Skeleton {
        difference,
        only_left,
        only_entered,
    } = error
    else {
        return match error {
            TransitionError::Body(error) => load::body_failure(error),
            other => Failure::error(format!("cannot compare \"{ours}\" and \"{theirs}\": {other}")),
        };
    };
    let mut failure = Failure::error(format!("\"{theirs}\" has another skeleton than \"{ours}\"")).because(difference);
    for (names, file) in [(only_left, &ours), (only_entered, &theirs)] {
        if !names.is_empty() {
            let more = names.len().saturating_sub(NAMED);
            let listed = names[..names.len() - more].join(", ");
            let rest = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            failure = failure.because(format!("only in \"{file}\": {listed}{rest}"));
        }
    }
    failure.try_this("two motions of one skeleton: the same joints, in the same order")
}
