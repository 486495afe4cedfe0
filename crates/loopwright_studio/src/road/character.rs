//! Motion on another character: the file of the character, and the take on its skeleton.

use std::{path::Path, sync::Arc};

use loopwright::{
    BodyOverrides, Take,
    retarget::{FollowedFeet, JointMap, MapError, Retarget, Rig},
    take::TakeError,
};
use loopwright_formats::{AnimatedFile, Limits, LoadedTake, ReadSettings, Source, loop_file::facts::RigFacts};

use super::OpenError;

/// A file by its name.
#[derive(Clone, Debug)]
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
    /// A map of joints is a file of its own, which the studio does not read.
    #[error("the recipe maps joints by a file: `loopwright make --recipe` follows it")]
    Map,
    /// The joints do not match.
    #[error(transparent)]
    Joints(#[from] MapError),
    /// The motion cannot be carried over.
    #[error(transparent)]
    Carry(#[from] TakeError),
}

impl NamedFile {
    /// The file that a recipe names: one of those that were opened as characters, or one of the disk, where there is one.
    pub(super) fn named(path: &Path, known: Option<&Self>) -> Result<Self, CharacterError> {
        let file_name = path.display().to_string();
        if let Some(known) = known.filter(|known| known.file_name == file_name) {
            return Ok(known.clone());
        }
        match std::fs::read(path) {
            Ok(bytes) => Ok(Self {
                file_name,
                bytes: Arc::new(bytes),
            }),
            Err(error) => Err(CharacterError::NotThere {
                file_name,
                reason: error.to_string(),
            }),
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

/// Puts a take on a character. `overrides` name joints of the take.
pub(super) fn onto(character: &NamedFile, file: &LoadedTake, overrides: &BodyOverrides) -> Result<Carried, OpenError> {
    let rig_of = |take: &Take, source: &Source, overrides: &BodyOverrides| {
        Rig::of(take, &source.rest(take.skeleton()), overrides)
    };
    let own = character.character()?;
    let target = rig_of(&own.take, &own.source, &BodyOverrides::default())?;
    let from = rig_of(&file.take, &file.source, overrides)?;
    let map = JointMap::between(&from, &target).map_err(CharacterError::from)?;
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
