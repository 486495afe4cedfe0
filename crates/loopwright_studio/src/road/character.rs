//! Motion on another character: the file of the character, and the take on its skeleton.

use std::{path::Path, sync::Arc};

use loopwright::{
    BodyOverrides, Take,
    retarget::{MapError, Retarget, Rig, RigPair},
};
use loopwright_formats::{
    AnimatedFile, Limits, LoadedTake, ReadSettings, Source, loop_file::facts::RigFacts, soles::read_soles,
};
use loopwright_recipe::{RecipeError, StudyArgs, bone_stretch, read_joint_map};

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
    /// Bones are to grow by more than they may.
    #[error(transparent)]
    BoneStretch(RecipeError),
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

    /// The skeleton of a character at rest, and an animation that shows how it stands, if there is one.
    fn character(&self) -> Result<(LoadedTake, Option<Take>), OpenError> {
        let path = Path::new(&self.file_name);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let limits = Limits::default();
        let file = AnimatedFile::parse_within(&self.bytes, &stem, None, &limits)?;
        let settings = ReadSettings {
            limits,
            ..ReadSettings::default()
        };
        Ok(file.read_character(&settings)?)
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
    let rig_of = |take: &Take, source: &Source, overrides: &BodyOverrides| {
        Rig::of(take, &source.rest(take.skeleton()), overrides)
    };
    let (own, motion) = character.character()?;
    let target = rig_of(
        motion.as_ref().unwrap_or(&own.take),
        &own.source,
        &BodyOverrides::default(),
    )?;
    let soles = read_soles(&character.bytes, &own.source, &target, &Limits::default());
    let target = target.with_soles(soles);
    let from = rig_of(&file.take, &file.source, &study.overrides())?;
    let mut pair = RigPair::new(from, target).map_err(CharacterError::from)?;
    pair.stretch = bone_stretch(study.bone_stretch).map_err(CharacterError::BoneStretch)?;
    if let Some(file) = map_file {
        let given = read_joint_map(&file.bytes).map_err(CharacterError::Map)?;
        let (source, target) = (pair.source.skeleton(), pair.target.skeleton());
        pair.map = (pair.map.with(source, target, &given)).map_err(CharacterError::from)?;
    }
    let RigPair { target, map, .. } = &pair;
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
    let on = OnCharacter {
        facts: RigFacts::of(&character.file_name, &pair),
        retarget: pair.of_motion(&file.take.world_tracks()),
        file: own,
        pair,
    };
    Ok((on, warnings))
}
