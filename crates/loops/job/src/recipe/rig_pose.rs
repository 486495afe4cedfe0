//! The pose in which the skeleton of a motion is compared with characters, and where the motion looks on them.

use std::path::{Path, PathBuf};

use super::words::Written;

/// The pose in which the skeleton of a motion is compared with characters.
#[value(Default)]
pub enum ReferencePose {
    /// The rest pose of its file, if a body may rest so; else one worked out from the motion.
    #[default]
    Auto,
    /// The rest pose of its file.
    Rest,
    /// One worked out from the motion.
    Motion,
    /// That of a frame, from 0.
    Frame(usize),
    /// That of another take of the same skeleton.
    File(PathBuf),
}

/// Where a motion looks on a character.
#[value(Default)]
pub enum Gaze {
    /// As its head is turned from the pose in which it is compared.
    #[default]
    Keep,
    /// Higher, degrees.
    Raised(f64),
    /// As much higher as a neutral take of the same skeleton looks down.
    File(PathBuf),
}

/// Largest angle by which a gaze is raised or lowered, degrees.
const MOST_DEGREES: f64 = 90.0;

impl ReferencePose {
    /// Whether a pose other than the default is asked for.
    pub fn is_stated(asked: Option<&Self>) -> bool {
        asked.is_some_and(|pose| *pose != Self::Auto)
    }

    /// Returns the file that it names.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            _ => None,
        }
    }
}

impl Gaze {
    /// Returns the file that it names.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            _ => None,
        }
    }
}

/// `auto`, `rest`, `motion`, a frame, or a file.
impl Written for ReferencePose {
    fn written(&self) -> String {
        match self {
            Self::Auto => "auto".to_owned(),
            Self::Rest => "rest".to_owned(),
            Self::Motion => "motion".to_owned(),
            Self::Frame(frame) => frame.to_string(),
            Self::File(path) => path.display().to_string(),
        }
    }

    fn read(text: &str) -> Result<Self, String> {
        Ok(match text {
            "" => return Err("must be auto, rest, motion, a frame or a file".to_owned()),
            "auto" => Self::Auto,
            "rest" => Self::Rest,
            "motion" => Self::Motion,
            _ => text.parse().map_or_else(|_| Self::File(text.into()), Self::Frame),
        })
    }
}

/// `keep`, degrees, or a file.
impl Written for Gaze {
    fn written(&self) -> String {
        match self {
            Self::Keep => "keep".to_owned(),
            Self::Raised(degrees) => degrees.to_string(),
            Self::File(path) => path.display().to_string(),
        }
    }

    fn read(text: &str) -> Result<Self, String> {
        match (text, text.parse::<f64>()) {
            ("keep", _) => Ok(Self::Keep),
            (_, Ok(degrees)) if degrees.abs() <= MOST_DEGREES => Ok(Self::Raised(degrees)),
            ("", _) | (_, Ok(_)) => Err(format!(
                "must be keep, degrees up to {MOST_DEGREES:.0}, or a file, found \"{text}\""
            )),
            _ => Ok(Self::File(text.into())),
        }
    }
}
