//! The character that takes motion: read once for all takes, its joints matched with those of each.

use std::sync::Arc;

use loopwright_core::feet::{FootLock, HoldError};
use loopwright_core::retarget::{Given, MapError, Rig, RigPair};
use loopwright_core::{BodyOverrides, Take, analysis::BodyError, take::TakeError};
use loopwright_formats::{Character, Format, LoadedTake, Source, Target, loop_file::facts::RigFacts};

use crate::error::{StudyError, TargetError};
use crate::recipe::{RecipeError, bone_stretch, joint_map_text};
use crate::warning::Warning;

/// The character that motion goes onto, and what the user says of how it follows.
#[derive(Clone, Debug)]
pub struct CharacterTarget {
    /// Its skeleton, how it stands, and its file.
    pub character: Character,
    /// Its file, as it was named.
    pub file: String,
    following: Following,
    /// By how much bones of legs may grow, as a share.
    bone_growth: f64,
}

/// How the joints of a character follow, as far as the user says it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Following {
    /// The file of the joint map, as it was named, and the joints that it names.
    pub map: Option<(String, Vec<(String, Given)>)>,
    /// By how much bones of legs may grow, percent.
    pub bone_stretch: Option<f64>,
}

impl CharacterTarget {
    /// A character with settings of how it follows. Errors: its file holds no skeleton, or bones may not grow by that much.
    pub fn new(file: impl Into<String>, character: Character, following: Following) -> Result<Self, TargetError> {
        if !character.rig.has_skeleton() {
            return Err(TargetError::NoSkeleton(MapError::NoSkeleton { rig: "rig" }));
        }
        Ok(Self {
            character,
            file: file.into(),
            bone_growth: bone_stretch(following.bone_stretch)?,
            following,
        })
    }

    /// The form of its file in a format, as an engine needs it.
    pub fn form(&self, format: Format, engine: Target) -> Source {
        let file = &self.character.file;
        engine.placed(file.source.in_format(format, &file.take))
    }

    /// Matches joints with those of a motion; those that the map names are taken from there.
    ///
    /// Errors: [`StudyError::Joints`]: nothing matches, or a name is no joint; [`StudyError::Body`]; [`StudyError::Memory`], where neither
    /// the file of the motion nor that of the character allows as much.
    pub fn matched(self: &Arc<Self>, file: &LoadedTake, overrides: &BodyOverrides) -> Result<Matched, StudyError> {
        let transforms = (file.take.num_frames() as u64).saturating_mul(self.character.file.take.num_joints() as u64);
        let of_either = [&file.limits, &self.character.file.limits];
        let allowed = of_either.map(|limits| limits.check_held(transforms));
        allowed[0].or(allowed[1])?;
        let from = rig_of(&file.take, &file.source, overrides)?;
        let joints = |map: Option<&String>| {
            let map = map.cloned();
            move |error: MapError| StudyError::Joints { error, map }
        };
        let mut pair = RigPair::new(from, self.character.rig.clone()).map_err(joints(None))?;
        pair.stretch = self.bone_growth;
        if let Some((file, given)) = &self.following.map {
            let (source, target) = (pair.source.skeleton(), pair.target.skeleton());
            pair.map = pair.map.with(source, target, given).map_err(joints(Some(file)))?;
        }
        Ok(Matched {
            pair: Arc::new(pair),
            target: Arc::clone(self),
        })
    }
}

/// The rig of a take that was read from a file. Errors: a joint that the caller names does not exist.
fn rig_of(take: &Take, source: &Source, overrides: &BodyOverrides) -> Result<Rig, BodyError> {
    Rig::of(take, &source.rest(take.skeleton()), overrides)
}

/// Why motion does not go onto a character.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CarryError {
    /// The poses form no motion there.
    #[error(transparent)]
    Take(#[from] TakeError),
    /// The loop does not repeat there.
    #[error(transparent)]
    LoopClip(#[from] loopwright_core::loop_clip::LoopClipError),
    /// Its feet cannot be held.
    #[error(transparent)]
    Feet(#[from] HoldError),
    /// Its body is not found there.
    #[error(transparent)]
    Body(#[from] BodyError),
}

/// The joints of a character and those of a motion that they follow.
#[derive(Clone, Debug)]
pub struct Matched {
    /// Both rigs and the map between them.
    pub pair: Arc<RigPair>,
    /// The character.
    pub target: Arc<CharacterTarget>,
}

impl Matched {
    /// The motion of a take on the character, with its feet held while those of the source stand. Errors: [`CarryError`].
    pub fn held_take(&self, take: &Take) -> Result<Take, CarryError> {
        let retarget = self.pair.of_motion(&take.world_tracks());
        let moved = retarget.take(take)?;
        let held = retarget.held_take(take, &moved, FootLock::Auto)?;
        Ok(held.unwrap_or(moved))
    }

    /// Returns the facts that loops and takes on the character state.
    pub fn facts(&self) -> RigFacts {
        RigFacts::new(&self.target.file, &self.pair)
    }

    /// Returns warnings about the match.
    pub fn warnings(&self) -> Vec<Warning> {
        let RigPair {
            source: from,
            target: rig,
            map,
            ..
        } = &*self.pair;
        let (source, target) = (from.skeleton(), rig.skeleton());
        let mut warnings: Vec<Warning> = (map.unsure())
            .map(|(joint, link)| Warning::UnsureJoint {
                joint: target.joint(joint).name.clone(),
                follows: source.joint(link.from).name.clone(),
                confidence: link.confidence,
            })
            .collect();
        let resting: Vec<String> = (rig.main_joints().into_iter())
            .filter(|&joint| map.links[joint].is_none() && !map.rests_by_choice(joint))
            .map(|joint| target.joint(joint).name.clone())
            .collect();
        if !resting.is_empty() {
            warnings.push(Warning::RestingJoints { joints: resting });
        }
        for (rig, is_character) in [(from, false), (rig, true)] {
            if !rig.stands() {
                warnings.push(Warning::NoStandingPose { is_character });
            }
        }
        warnings
    }

    /// The map as the text of a file. Errors: a number that TOML cannot hold.
    pub fn map_text(&self) -> Result<String, RecipeError> {
        let RigPair {
            source, target, map, ..
        } = &*self.pair;
        joint_map_text(map.names(source.skeleton(), target.skeleton()))
    }
}
