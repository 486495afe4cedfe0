//! An entry of the table of formats.

use std::borrow::Cow;

use loopwright_core::{Pose, Take};
use serde_json::Value;

use crate::{
    error::ReadError,
    format::{Capabilities, Format},
    limits::SizeLimits,
    loop_file::sidecar::{Sidecar, SidecarError},
    settings::{Companions, ReadSettings},
    source::{LoadedTake, Source},
    warning::FileWarning,
};

/// A format: its capabilities, its reader and its writer.
pub(crate) struct FormatEntry {
    pub format: Format,
    pub capabilities: Capabilities,
    /// Whether a file has the format, judged by its first bytes.
    pub detects: fn(&[u8]) -> bool,
    /// Parses a file, except for its motion.
    pub parse: for<'a> fn(&'a [u8], Option<Companions<'_>>, &SizeLimits) -> Parsed<'a>,
    /// Creates a form for a take from elsewhere, with this local rest pose.
    pub new_form: fn(&Take, &Pose) -> Source,
    /// Reads and writes facts of loops inside a file, if the format supports it.
    pub facts: Option<FactsInside>,
}

/// A parsed file, which may borrow its bytes, or why it cannot be read.
pub(crate) type Parsed<'a> = Result<Box<dyn ParsedFile + 'a>, ReadError>;

/// A take of a file, or why there is none.
pub(crate) type Loaded = Result<LoadedTake, ReadError>;

/// A file that is parsed, except for its motion.
pub(crate) trait ParsedFile {
    /// Returns the bytes of the file, and of those that it refers to.
    fn num_bytes(&self) -> usize;

    /// Returns the bytes of the file, if its mesh is read from them.
    fn bytes(&self) -> &[u8] {
        &[]
    }

    /// Returns the names of its animations, in the order of the file; one without a name has its number. Empty in a format
    /// without names.
    fn animation_names(&self) -> Vec<String>;

    /// Reads the animation that the settings choose, as a take of that name where the file has none.
    fn read(&self, name: &str, settings: &ReadSettings, warnings: &mut Vec<FileWarning>) -> Loaded;

    /// Reads the skeleton as it stands without animation, as a take of one frame; its motion in a format that knows no such pose.
    fn read_rest(&self, name: &str, settings: &ReadSettings, warnings: &mut Vec<FileWarning>) -> Loaded {
        self.read(name, settings, warnings)
    }

    /// Copies the bytes that it borrows.
    fn into_owned(self: Box<Self>) -> Box<dyn ParsedFile>;
}

/// A file of one motion without a name, whose contents are parsed when it is read.
struct OneMotion<'a> {
    bytes: Cow<'a, [u8]>,
    read: ReadMotion,
}

/// Reads the motion of a file, as a take of that name.
type ReadMotion = fn(&[u8], &str, &ReadSettings<'_>, &mut Vec<FileWarning>) -> Loaded;

/// Returns the bytes of a file of one motion, which are parsed when it is read.
pub(crate) fn one_motion(bytes: &[u8], read: ReadMotion) -> Parsed<'_> {
    Ok(Box::new(OneMotion {
        bytes: Cow::Borrowed(bytes),
        read,
    }))
}

impl ParsedFile for OneMotion<'_> {
    fn num_bytes(&self) -> usize {
        self.bytes.len()
    }

    fn animation_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn read(&self, name: &str, settings: &ReadSettings, warnings: &mut Vec<FileWarning>) -> Loaded {
        (self.read)(&self.bytes, name, settings, warnings)
    }

    fn into_owned(self: Box<Self>) -> Box<dyn ParsedFile> {
        let Self { bytes, read } = *self;
        Box::new(OneMotion {
            bytes: Cow::Owned(bytes.into_owned()),
            read,
        })
    }
}

/// The name of an animation, and facts of it.
pub(crate) type NamedFacts<'a> = (&'a str, Value);

pub(crate) struct FactsInside {
    /// Writes facts beside the animations of these names; `None` if the file is damaged.
    pub write: fn(&[u8], Vec<NamedFacts<'_>>) -> Option<Vec<u8>>,
    /// See [`crate::facts_in`].
    pub read: ReadFacts,
}

/// Reads the facts of the loop of that name from the bytes of a file; `None` if there are none.
type ReadFacts = fn(&[u8], &str) -> Option<Result<Sidecar, SidecarError>>;
