//! Motion on another character: the file of the character, and the take on its skeleton.

use std::{path::Path, sync::Arc};

use loopwright::{
    BodyOverrides, Take,
    retarget::{FollowedFeet, JointMap, MapError, Retarget, Rig},
    take::TakeError,
};
use loopwright_formats::{AnimatedFile, Limits, LoadedTake, ReadSettings, Source, loop_file::facts::RigFacts};
use loopwright_recipe::{RecipeError, read_joint_map};

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
    /// The map of joints cannot be read.
    #[error("the map of joints cannot be read: {0}")]
    Map(RecipeError),
    /// The joints do not match.
    #[error(transparent)]
    Joints(#[from] MapError),
    /// The motion cannot be carried over.
    #[error(transparent)]
    Carry(#[from] TakeError),
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

    /// The skeleton of a character at rest, or its first animation where nothing else tells which nodes are joints.
    fn character(&self) -> Result<LoadedTake, OpenError> {
        let path = Path::new(&self.file_name);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let limits = Limits::default();
        let file = AnimatedFile::parse_within(&self.bytes, &stem, None, &limits)?;
        let settings = ReadSettings {
            limits,
            ..ReadSettings::default()
        };
        let at_rest = file.read_rest(&settings, &mut Vec::new());
        Ok(at_rest.or_else(|error| match file.num_animations() {
            0 => Err(error),
            _ => file.read(&settings, &mut Vec::new()),
        })?)
    }
}

/// A take on a character.
pub(super) struct Carried {
    pub(super) file: LoadedTake,
    pub(super) followed: Option<FollowedFeet>,
    pub(super) facts: RigFacts,
    pub(super) warnings: Vec<String>,
}

/// Puts a take on a character, whose joints follow those that a map names, and else those that suit them. `overrides` name joints of
/// the take.
pub(super) fn onto(
    character: &NamedFile,
    map_file: Option<&NamedFile>,
    file: &LoadedTake,
    overrides: &BodyOverrides,
) -> Result<Carried, OpenError> {
    let rig_of = |take: &Take, source: &Source, overrides: &BodyOverrides| {
        Rig::of(take, &source.rest(take.skeleton()), overrides)
    };
    let own = character.character()?;
    let target = rig_of(&own.take, &own.source, &BodyOverrides::default())?;
    let from = rig_of(&file.take, &file.source, overrides)?;
    let mut map = JointMap::between(&from, &target).map_err(CharacterError::from)?;
    if let Some(file) = map_file {
        let given = read_joint_map(&file.bytes).map_err(CharacterError::Map)?;
        map = (map.with(from.skeleton(), target.skeleton(), &given)).map_err(CharacterError::from)?;
    }
    let retarget = Retarget::new(&from, &target, &map, &file.take.world_tracks());
    let take = retarget.take(&file.take).map_err(CharacterError::from)?;
    let name = |joint: usize| target.skeleton().joint(joint).name.clone();
    let unsure: Vec<String> = map.unsure().map(|(joint, _)| name(joint)).collect();
    let resting: Vec<String> = (target.main_joints().into_iter())
        .filter(|&joint| map.links[joint].is_none())
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
    let facts = RigFacts {
        file: character.file_name.clone(),
        scale: retarget.scale(),
        joints_followed: map.links.iter().flatten().count(),
        coverage: map.coverage(&target),
        unsure,
    };
    Ok(Carried {
        followed: retarget.feet_of_take(&file.take).ok(),
        file: LoadedTake {
            take,
            source: own.source,
        },
        facts,
        warnings,
    })
}
