//! A file that a command reads, settled once from its name.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::{files, output, recipe::TakeArgs};

/// A file that is read, or one animation of it: `pack.glb#Walk`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct InputFile {
    /// The file.
    pub(crate) path: PathBuf,
    /// The animation of it that is named, or one of several loops that it holds.
    pub(crate) animation: Option<String>,
    /// The JSON beside it, if there is one: it then holds loops.
    pub(crate) sidecar: Option<PathBuf>,
}

impl InputFile {
    /// The file of a name such as `pack.glb#Walk`, and the animation in it.
    pub(crate) fn named(typed: &Path) -> Self {
        let (path, animation) = files::split_animation(typed);
        Self::new(path, animation)
    }

    /// A file by its own path.
    pub(crate) fn new(path: PathBuf, animation: Option<String>) -> Self {
        let beside = output::sidecar_path(&path);
        Self {
            sidecar: beside.exists().then_some(beside),
            path,
            animation,
        }
    }

    /// One of the loops that it holds.
    pub(crate) fn with_animation(&self, animation: String) -> Self {
        Self {
            animation: Some(animation),
            ..self.clone()
        }
    }

    /// As it is named where files are: `pack.glb#Walk`.
    pub(crate) fn typed(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        if let Some(animation) = &self.animation {
            name.push(format!("#{animation}"));
        }
        name.into()
    }

    /// How it is read: the animation that its name says goes before that of the flags.
    pub(crate) fn reading(&self, flags: &TakeArgs) -> TakeArgs {
        TakeArgs {
            animation: self.animation.clone().or_else(|| flags.animation.clone()),
            ..flags.clone()
        }
    }
}

impl fmt::Display for InputFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.animation {
            Some(animation) => write!(f, "{} ({animation})", self.path.display()),
            None => write!(f, "{}", self.path.display()),
        }
    }
}
