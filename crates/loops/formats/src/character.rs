//! Characters that receive motion, read from their files.

use loopwright_core::{BodyOverrides, analysis::BodyError, retarget::Rig};

use crate::{
    animated_file::AnimatedFile, error::ReadError, settings::ReadSettings, soles::read_soles, source::LoadedTake,
};

/// A character that receives motion.
///
/// ```
/// use loopwright_formats::{Character, ReadSettings};
///
/// # let walk = loopwright_synth::synthesize(&loopwright_synth::WalkSettings::default())?.take;
/// # let source = loopwright_formats::Source::for_take(&walk, loopwright_formats::Format::Glb);
/// # let bytes = loopwright_formats::write_take(&walk, &source)?.bytes;
/// let hero = Character::read(&bytes, "hero", &ReadSettings::default())?;
/// assert!(hero.rig.stands());
/// # assert_eq!(hero.rig.soles().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Character {
    /// Its skeleton and standing pose, with the soles of its feet if the file has a mesh.
    pub rig: Rig,
    /// Its skeleton at rest, or its first animation if only that shows which nodes are joints; and the form of its file.
    pub file: LoadedTake,
}

/// Why a file gives no character.
#[value(thiserror::Error)]
pub enum CharacterError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Its body is not found.
    #[error(transparent)]
    Body(#[from] BodyError),
}

impl Character {
    /// Reads the character of a file, with or without animations; an animation shows how it stands. `name` is for takes without
    /// a name in the file. Errors: [`CharacterError`].
    pub fn read(bytes: &[u8], name: &str, settings: &ReadSettings) -> Result<Self, CharacterError> {
        let parsed = AnimatedFile::parse_within(bytes, name, settings.companions, &settings.limits)?;
        let (file, motion) = parsed.read_character(settings)?;
        // The mesh is parsed separately: both need much memory.
        drop(parsed);
        let rest = file.source.rest(file.take.skeleton());
        let rig = Rig::of(motion.as_ref().unwrap_or(&file.take), &rest, &BodyOverrides::default())?;
        let soles = read_soles(bytes, &file.source, &rig, &settings.limits);
        Ok(Self {
            rig: rig.with_soles(soles),
            file,
        })
    }
}
