//! Takes and loops as motions to jump out of and into.

use std::path::{Path, PathBuf};

use loopwright_core::{Analysis, LoopClip, Skeleton};
use loopwright_moves::transition::{TransitionClip, TransitionError};

use loopwright_formats::Format;
use loopwright_job::{AddedRoot, StoredLoop};

use crate::{
    exit::{Failure, Result},
    files::{self, InputFile},
    load,
    numbers::parse_range,
    patterns::{Pattern, files_below},
    recipe::TakeArgs,
    written_loop, written_passage,
};

/// Maximum number of missing joints that a message names.
const NAMED: usize = 8;

/// A take, or a loop on the skeleton of its take.
pub struct ReadMotion {
    pub motion: TransitionClip,
    /// The loop with its number of cycles, if it is one.
    pub clip: Option<(LoopClip, usize)>,
    pub joints: Vec<String>,
    /// Number of keys in the file; a loop's file has one closing key more than the loop has samples.
    pub num_keys: usize,
}

impl ReadMotion {
    /// Reads a file: as a loop if it has a sidecar, else as a take. Prints warnings.
    pub fn read(path: &Path, reading: &TakeArgs) -> Result<Self> {
        let input = InputFile::named(path);
        if let Some(sidecar) = written_loop::read_sidecar(&input, reading)? {
            return Self::of_loop(
                &input.path,
                &written_loop::read_described(&input, sidecar, reading, AddedRoot::Folded)?,
                reading,
            );
        }
        let analysis = load::load(&input, &reading.clone().into())?.analysis;
        // A passage is compared with its loops, so it is read on the skeleton of their take.
        let folded = match written_passage::has_added_root(&input.path, reading)? {
            true => analysis.take.without_root_joint(),
            false => None,
        };
        let analysis = match folded {
            Some(take) => Analysis::with(&take, &reading.overrides())?,
            None => analysis,
        };
        Ok(Self::of_take(analysis))
    }

    /// Creates the motion of a take.
    pub fn of_take(analysis: Analysis) -> Self {
        Self {
            joints: names(analysis.take.skeleton()),
            num_keys: analysis.take.num_frames(),
            motion: TransitionClip::from_take(analysis),
            clip: None,
        }
    }

    /// Creates the motion of a loop without an added root joint; `path` is its file. Errors: loop and file do not belong together, or a
    /// named joint is missing.
    pub fn of_loop(path: &Path, read: &StoredLoop, reading: &TakeArgs) -> Result<Self> {
        let clip = read.played();
        let motion = TransitionClip::from_loop(&clip, &reading.overrides()).map_err(|error| match error {
            TransitionError::Body(error) => error.into(),
            other => written_loop::apart(path, &other),
        })?;
        Ok(Self {
            joints: names(clip.skeleton()),
            num_keys: read.file.take.num_frames(),
            clip: Some((clip, read.sidecar.candidate.cycles)),
            motion,
        })
    }
}

/// A motion, or some frames of it, as a user names it.
#[value(Eq)]
pub struct NamedMotion {
    pub path: PathBuf,
    /// First and last frame; `None` for all.
    pub frames: Option<(usize, usize)>,
}

impl NamedMotion {
    /// Parses `FILE`, `FILE:START:END`, a folder for all files in it and below, or a pattern for those that match it.
    pub fn all(named: &Path) -> Result<Vec<Self>> {
        let files = if named.is_dir() {
            let all = files_below(named, files::is_take_of_a_folder)?;
            if all.is_empty() {
                return Err(failure!("\"{}\" holds no take and no loop", named.display())
                    .try_this(format!("a folder with {} files", Format::names("or"))));
            }
            Some(all)
        } else {
            Pattern::files_of(named)?
        };
        if let Some(files) = files {
            return Ok(files.into_iter().map(|path| Self { path, frames: None }).collect());
        }
        let whole = vec![Self {
            path: named.to_owned(),
            frames: None,
        }];
        let text = named.to_str().filter(|_| !named.exists());
        let Some((rest, end)) = text.and_then(|text| text.rsplit_once(':')) else {
            return Ok(whole);
        };
        let (file, range) = match rest.rsplit_once(':') {
            Some((file, start)) if is_file(file) => (file, format!("{start}:{end}")),
            // A single frame is no motion.
            _ if is_file(rest) => {
                return Err(failure!("\"{end}\" is no range of frames of \"{rest}\"")
                    .because("a range is START:END, two whole frames counted from 0")
                    .try_this(format!("\"{rest}:0:60\", or the name alone for all frames")));
            }
            _ => return Ok(whole),
        };
        let frames = parse_range(&range).map_err(|why| {
            failure!("\"{range}\" is no range of frames of \"{file}\": {why}")
                .try_this(format!("\"{file}:0:60\", or the name alone for all frames"))
        })?;
        Ok(vec![Self {
            path: PathBuf::from(file),
            frames: Some(frames),
        }])
    }

    /// Errors: the range ends beyond the last frame.
    pub fn check(&self, num_frames: usize) -> Result<()> {
        match self.frames {
            Some((_, end)) => frame_of(&self.path, &end.to_string(), num_frames).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Reads the motion, and checks its range.
    pub fn read(&self, reading: &TakeArgs) -> Result<TransitionClip> {
        let read = ReadMotion::read(&self.path, reading)?;
        self.check(read.motion.num_frames())?;
        Ok(read.motion)
    }
}

/// Splits the argument into a file and the frame after its last colon, if there is one: names may contain colons themselves.
///
/// If a file has the whole argument as its name, that file is used.
pub fn split(named: &Path) -> (PathBuf, Option<String>) {
    let text = named.to_str().filter(|_| !named.exists());
    match text.and_then(|text| text.rsplit_once(':')) {
        // If the file before the colon exists, an invalid frame is mistyped and not part of the name.
        Some((file, frame)) if !file.is_empty() && (is_number(frame) || is_file(file)) => {
            (PathBuf::from(file), Some(frame.to_owned()))
        }
        _ => (named.to_owned(), None),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a file has this name, possibly followed by the name of an animation.
fn is_file(named: &str) -> bool {
    InputFile::named(Path::new(named)).path.is_file()
}

/// Parses a frame of a file with this many frames.
pub fn frame_of(path: &Path, words: &str, num_frames: usize) -> Result<usize> {
    let last = num_frames - 1;
    match words.parse::<usize>() {
        Ok(frame) if frame <= last => Ok(frame),
        Ok(_) => Err(failure!("\"{}\" has no frame {words}", path.display())
            .because(format!("its frames are 0 to {last}"))
            .try_this(format!("\"{}:{last}\"", path.display()))
            .wrongly_called()),
        Err(_) => Err(failure!("\"{words}\" is no frame of \"{}\"", path.display())
            .because(format!("frames are whole numbers, here 0 to {last}"))
            .try_this(format!("\"{}:0\", or the name alone for all frames", path.display()))
            .wrongly_called()),
    }
}

fn names(skeleton: &Skeleton) -> Vec<String> {
    skeleton.joints().iter().map(|joint| joint.name.clone()).collect()
}

/// Words why two motions cannot be compared; the first is the one to leave.
pub fn mismatch(files: [&Path; 2], error: TransitionError) -> Failure {
    let [ours, theirs] = files.map(Path::display);
    let TransitionError::Skeleton {
        difference,
        only_left,
        only_entered,
    } = error
    else {
        return match error {
            TransitionError::Body(error) => error.into(),
            other => failure!("cannot compare \"{ours}\" and \"{theirs}\": {other}"),
        };
    };
    let mut failure = failure!("\"{theirs}\" has another skeleton than \"{ours}\"").because(difference);
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
