//! Motion on another character: the file of the character, and the take on its skeleton.

use std::{path::Path, sync::Arc};

use loopwright::retarget::{MapError, Retarget, Rig, RigPair};
use loopwright_formats::{Character, LoadedTake, ReadSettings, loop_file::facts::RigFacts};
use loopwright_job::recipe::{RecipeError, StudyArgs, bone_stretch, read_joint_map};

use super::OpenError;

/// A file by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// Its name, or the path that a recipe states.
    pub file_name: String,
    /// Its bytes.
    pub bytes: Arc<Vec<u8>>,
}

/// Why motion cannot be put on a character.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CharacterError {
    /// The character's file is neither open nor on the disk.
    #[error("the character {file_name} is not there ({reason}): drop it as a character first")]
    NotThere {
        /// Its name, as the recipe states it.
        file_name: String,
        /// What the system says.
        reason: String,
    },
    /// The map of joints is neither open nor on the disk.
    #[error("the map of joints {file_name} is not there ({reason}): drop it first")]
    MapNotThere {
        /// Its name, as the recipe states it.
        file_name: String,
        /// What the system says.
        reason: String,
    },
    /// The character's file cannot be read.
    #[error(transparent)]
    Read(#[from] loopwright_formats::CharacterError),
    /// The map of joints cannot be read.
    #[error("the map of joints cannot be read: {0}")]
    Map(RecipeError),
    /// Settings of how it follows cannot be used.
    #[error(transparent)]
    Settings(RecipeError),
    /// The joints do not match.
    #[error(transparent)]
    Joints(#[from] MapError),
}

impl NamedFile {
    /// The character that a recipe names: one of those that are known, or one of the disk, where there is one.
    pub(super) fn character_at(path: &Path, known: &[Self]) -> Result<Self, CharacterError> {
        Self::at(path, known).map_err(|(file_name, reason)| CharacterError::NotThere { file_name, reason })
    }

    /// The map of joints that a recipe names, likewise.
    pub(super) fn map_at(path: &Path, known: &[Self]) -> Result<Self, CharacterError> {
        Self::at(path, known).map_err(|(file_name, reason)| CharacterError::MapNotThere { file_name, reason })
    }

    /// A file that is known, or one of the disk. Errors: its name, and what the system says.
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
            Err(error) => Err((file_name, error.to_string())),
        }
    }

    /// The character of the file.
    fn character(&self) -> Result<Character, CharacterError> {
        let stem = Path::new(&self.file_name).file_stem().unwrap_or_default();
        Ok(Character::read(
            &self.bytes,
            &stem.to_string_lossy(),
            &ReadSettings::default(),
        )?)
    }
}

/// The character that takes the loops of a take.
#[derive(Clone, Debug)]
pub struct OnCharacter {
    /// Its joints and those of the take that they follow.
    pub pair: RigPair,
    /// What the motion of the take becomes on it.
    pub retarget: Retarget,
    /// Its skeleton at rest, or its first animation, and the form of its file.
    pub file: LoadedTake,
    /// What files say of it.
    pub facts: RigFacts,
}

/// A take with the character that takes its loops, whose joints follow those that a map names, and else those that suit them, and what is
/// odd about them. `study` is how the take was read.
pub(super) fn onto(
    character: &NamedFile,
    map_file: Option<&NamedFile>,
    file: &LoadedTake,
    study: &StudyArgs,
) -> Result<(OnCharacter, Vec<String>), OpenError> {
    let Character { rig: target, file: own } = character.character()?;
    let rest = file.source.rest(file.take.skeleton());
    let from = Rig::of(&file.take, &rest, &study.overrides())?;
    let mut pair = RigPair::new(from, target).map_err(CharacterError::from)?;
    pair.stretch = bone_stretch(study.bone_stretch).map_err(CharacterError::Settings)?;
    if let Some(file) = map_file {
        let given = read_joint_map(&file.bytes).map_err(CharacterError::Map)?;
        let (source, target) = (pair.source.skeleton(), pair.target.skeleton());
        pair.map = (pair.map.with(source, target, &given)).map_err(CharacterError::from)?;
    }
    let RigPair { target, map, .. } = &pair;
    let name = |joint: usize| target.skeleton().joint(joint).name.clone();
    let unsure: Vec<String> = map.unsure().map(|(joint, _)| name(joint)).collect();
    let resting: Vec<String> = (target.main_joints().into_iter())
        .filter(|&joint| map.links[joint].is_none() && !map.rests_by_choice(joint))
        .map(name)
        .collect();
    let mut warnings = Vec::new();
    for (what, joints) in [
        ("unsure which joint these follow", &unsure),
        ("nothing moves", &resting),
    ] {
        if !joints.is_empty() {
            warnings.push(format!("{what}: {}", joints.join(", ")));
        }
    }
    let on = OnCharacter {
        facts: RigFacts::of(&character.file_name, &pair),
        retarget: pair.of_motion(&file.take.world_tracks()),
        file: own,
        pair,
    };
    Ok((on, warnings))
}
