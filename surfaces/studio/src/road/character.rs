//! The files of characters that recipes name: opened files, or files on the disk.

use std::{io, path::Path, sync::Arc};

use loopwright_formats::{Character, ReadSettings};
use loopwright_job::{
    CharacterTarget, Following, TargetError,
    recipe::{RecipeError, StudyArgs, read_joint_map},
};
use serde::{Deserialize, Serialize};

/// A file by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedFile {
    /// Its name, or the path that a recipe states.
    pub file_name: String,
    /// Its bytes.
    #[serde(with = "loopwright_core::plain_bytes")]
    pub bytes: Arc<Vec<u8>>,
}

/// Why motion cannot be put on a character.
#[error_sum]
pub enum CharacterError {
    /// The character's file is neither open nor on the disk.
    #[error("the character {file_name} is not there ({reason}): drop it as a character first")]
    NotThere {
        /// Its name.
        file_name: String,
        /// What the system says.
        reason: String,
    },
    /// The map of joints is neither open nor on the disk.
    #[error("the map of joints {file_name} is not there ({reason}): drop it first")]
    MapNotThere {
        /// Its name.
        file_name: String,
        /// What the system says.
        reason: String,
    },
    /// The character's file cannot be read.
    Read(loopwright_formats::CharacterError),
    /// The map of joints cannot be read.
    #[error("the map of joints cannot be read: {0}")]
    Map(RecipeError),
    /// The character cannot take motion.
    Target(TargetError),
}

/// Words why the system refuses a file, without its number for the error.
pub fn refusal(error: &io::Error) -> String {
    let text = error.to_string();
    let words = match error.kind() {
        io::ErrorKind::NotFound => "not found",
        io::ErrorKind::PermissionDenied => "no permission",
        _ => text.split(" (os error").next().unwrap_or_default(),
    };
    words.to_owned()
}

impl NamedFile {
    /// Finds a file among the known ones, or on the disk. Errors: its name, and the reason from the system.
    fn at(path: &Path, known: &[Self]) -> Result<Self, (String, String)> {
        let file_name = path.display().to_string();
        if let Some(known) = known.iter().find(|known| known.file_name == file_name) {
            return Ok(known.clone());
        }
        match std::fs::read(path) {
            Ok(bytes) => Ok(Self {
                file_name,
                bytes: Arc::new(bytes),
            }),
            Err(error) => Err((file_name, refusal(&error))),
        }
    }

    /// Reads the character in the file.
    fn character(&self) -> Result<Character, CharacterError> {
        Ok(Character::read(
            &self.bytes,
            &Path::new(&self.file_name)
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy(),
            &ReadSettings::default(),
        )?)
    }
}

/// Reads the character that a recipe names, with the map of its joints, and returns the files that were read. Files are taken from the
/// known ones, or from the disk.
pub fn named(study: &StudyArgs, known: &[NamedFile]) -> Result<Named, CharacterError> {
    let Some(path) = &study.rig else {
        return Ok((None, Vec::new()));
    };
    let at = |path: &Path| {
        NamedFile::at(path, known).map_err(|(file_name, reason)| CharacterError::NotThere { file_name, reason })
    };
    let file = at(path)?;
    let map = study
        .map
        .as_ref()
        .map(|path| NamedFile::at(path, known))
        .transpose()
        .map_err(|(file_name, reason)| CharacterError::MapNotThere { file_name, reason })?
        .as_ref()
        .map(|file| {
            Ok::<_, CharacterError>((
                file.file_name.clone(),
                read_joint_map(&file.bytes).map_err(CharacterError::Map)?,
            ))
        });
    let read = |path: &Path| {
        let file = at(path)?;
        let settings = ReadSettings {
            space: study.space(),
            ..ReadSettings::default()
        };
        let take = loopwright_formats::read_take(&file.bytes, &file.file_name, &settings, &mut Vec::new());
        Ok::<_, CharacterError>(take.map_err(loopwright_formats::CharacterError::Read)?)
    };
    let mut following = Following::new(study.bone_stretch, &study.reading(), read)?;
    following.map = map.transpose()?;
    let named = study.files().filter_map(|(_, path)| NamedFile::at(path, known).ok());
    let target = CharacterTarget::new(&file.file_name, file.character()?, following)?;
    Ok((Some(Arc::new(target)), named.collect()))
}

/// A character, and the files that were read for it.
type Named = (Option<Arc<CharacterTarget>>, Vec<NamedFile>);
