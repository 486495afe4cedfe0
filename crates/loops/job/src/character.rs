//! The character that receives motion: read once for all takes, then matched joint by joint with each take.

use std::{path::Path, sync::Arc};

use loopwright_core::{
    BodyOverrides, Take,
    analysis::BodyError,
    feet::{FootLock, HoldError},
    motion::SkeletonDifference,
    retarget::{Doubt, Given, MapError, Reference, Rig, RigPair},
    take::TakeError,
};
use loopwright_formats::{Character, Format, LoadedTake, Source, Target, loop_file::facts::RigFacts};

use crate::{
    error::{StudyError, TargetError},
    recipe::{Gaze, RecipeError, ReferencePose, TakeArgs, bone_stretch, joint_map_text},
    warning::Warning,
};

/// The character that receives motion, and the user's settings for the transfer.
#[derive(Clone, Debug)]
pub struct CharacterTarget {
    /// Its skeleton, rest pose and file.
    pub character: Character,
    /// Path of its file, as the user gave it.
    pub file: String,
    following: Following,
    /// Largest growth of leg bones, as a share.
    bone_growth: f64,
}

/// How the joints of a character follow the motion, as far as the user states it.
#[value(Default)]
pub struct Following {
    /// Path of the joint map, as the user gave it, and the joints it names.
    pub map: Option<(String, Vec<(String, Given)>)>,
    /// Largest growth of leg bones, percent.
    pub bone_stretch: Option<f64>,
    /// The pose in which the motion's skeleton is compared.
    reference: ReferencePose,
    /// Where the motion looks.
    gaze: Gaze,
    /// The takes that both name.
    takes: [Option<LoadedTake>; 2],
}

impl Following {
    /// Creates the settings for a motion that is read with `reading`; bones may grow by a percentage. `read` reads the takes that the
    /// settings name. Errors: those of `read`.
    pub fn new<E>(
        bone_stretch: Option<f64>,
        reading: &TakeArgs,
        read: impl Fn(&Path) -> Result<LoadedTake, E>,
    ) -> Result<Self, E> {
        let reference = reading.reference.clone().unwrap_or_default();
        let gaze = reading.gaze.clone().unwrap_or_default();
        let [pose, level] = [reference.file(), gaze.file()].map(|path| path.map(&read).transpose());
        Ok(Self {
            takes: [pose?, level?],
            map: None,
            bone_stretch,
            reference,
            gaze,
        })
    }

    /// Returns the rig of a motion. Errors: another skeleton or no such frame is named; the body is not found.
    pub fn rig_of(&self, file: &LoadedTake, overrides: &BodyOverrides) -> Result<Rig, StudyError> {
        let take = &file.take;
        let stated = |file: &LoadedTake| file.source.rest(file.take.skeleton());
        let [pose, level] = &self.takes;
        let same = |other: &LoadedTake, key: &'static str| {
            let difference = SkeletonDifference::between(take.skeleton(), other.take.skeleton());
            difference.map_or(Ok(()), |difference| Err(StudyError::OtherSkeleton { key, difference }))
        };
        let (rest, reference) = match (&self.reference, pose) {
            (ReferencePose::Frame(frame), _) if *frame < take.num_frames() => {
                (take.pose(*frame).to_pose(), Reference::Rest)
            }
            (ReferencePose::Frame(frame), _) => {
                let (frame, count) = (*frame, take.num_frames());
                return Err(StudyError::NoSuchFrame { frame, count });
            }
            (_, Some(other)) => {
                same(other, "take.reference")?;
                let other = Rig::of(&other.take, &stated(other), overrides)?;
                (other.reference().clone(), Reference::Rest)
            }
            (ReferencePose::Rest, _) => (stated(file), Reference::Rest),
            (ReferencePose::Motion, _) => (stated(file), Reference::Motion),
            _ => (stated(file), Reference::Auto),
        };
        let rig = Rig::with_reference(take, &rest, overrides, reference)?;
        let raised = match (&self.gaze, level) {
            (Gaze::Raised(degrees), _) => degrees.to_radians(),
            (_, Some(other)) => {
                same(other, "take.gaze")?;
                rig.gaze(&other.take).unwrap_or(0.0)
            }
            _ => 0.0,
        };
        Ok(rig.with_gaze_raised(raised))
    }

    /// Returns the rig of a motion in the pose that its file and motion show, if it is compared in another one.
    fn neutral_of(&self, rig: &Rig, file: &LoadedTake, overrides: &BodyOverrides) -> Result<Option<Rig>, StudyError> {
        if self.reference == ReferencePose::Auto {
            return Ok(None);
        }
        let rest = file.source.rest(file.take.skeleton());
        Ok(Some(
            Rig::of(&file.take, &rest, overrides)?.with_gaze_raised(rig.gaze_raised()),
        ))
    }
}

/// Gazes beyond this get a warning, radians (20 degrees).
const GAZE_RADIANS: f64 = 0.35;

impl CharacterTarget {
    /// Creates a character with its settings. Errors: its file holds no skeleton, or the bone growth is out of range.
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

    /// Returns the form of its file in a format, prepared for an engine.
    pub fn form(&self, format: Format, engine: Target) -> Source {
        let file = &self.character.file;
        engine.placed(file.source.in_format(format, &file.take))
    }

    /// Matches the character's joints with those of a motion; joints that the map names are taken from the map.
    ///
    /// Errors: [`StudyError::Joints`] if nothing matches or a name is no joint; [`StudyError::Body`]; [`StudyError::Memory`] if
    /// the limits of both files are too low.
    pub fn matched(self: &Arc<Self>, file: &LoadedTake, overrides: &BodyOverrides) -> Result<Matched, StudyError> {
        let transforms = (file.take.num_frames() as u64).saturating_mul(self.character.file.take.num_joints() as u64);
        let allowed = [&file.limits, &self.character.file.limits].map(|limits| limits.check_held(transforms));
        allowed[0].or(allowed[1])?;
        let from = self.following.rig_of(file, overrides)?;
        let neutral = self.following.neutral_of(&from, file, overrides)?;
        let gaze = from.gaze(&file.take).filter(|gaze| gaze.abs() > GAZE_RADIANS);
        let joints = |map: Option<&String>| {
            let map = map.cloned();
            move |error: MapError| StudyError::Joints { error, map }
        };
        let mut pair = RigPair::new(from, self.character.rig.clone()).map_err(joints(None))?;
        (pair.stretch, pair.neutral) = (self.bone_growth, neutral);
        if let Some((file, given)) = &self.following.map {
            let (source, target) = (pair.source.skeleton(), pair.target.skeleton());
            pair.map = pair.map.with(source, target, given).map_err(joints(Some(file)))?;
        }
        Ok(Matched {
            pair: Arc::new(pair),
            target: Arc::clone(self),
            gaze,
        })
    }
}

/// Why motion cannot be put onto a character.
#[error_sum]
pub enum CarryError {
    /// The poses form no valid take on the character.
    Take(TakeError),
    /// The loop does not repeat on the character.
    LoopClip(loopwright_core::loop_clip::LoopClipError),
    /// The feet cannot be held.
    Feet(HoldError),
    /// The character's body is not found.
    Body(BodyError),
}

/// The joints of a character, matched with the joints of a motion.
#[derive(Clone, Debug)]
pub struct Matched {
    /// Both rigs and the map between them.
    pub pair: Arc<RigPair>,
    /// The character.
    pub target: Arc<CharacterTarget>,
    /// How far the motion looks down, radians, if that is too far.
    pub gaze: Option<f64>,
}

impl Matched {
    /// Puts the motion of a take onto the character and holds its feet while those of the source stand. Errors: [`CarryError`].
    pub fn held_take(&self, take: &Take) -> Result<Take, CarryError> {
        let retarget = self.pair.of_motion(&take.world_tracks());
        let moved = retarget.take(take)?;
        Ok(retarget.held_take(take, &moved, FootLock::Auto)?.unwrap_or(moved))
    }

    /// Returns the facts that loops and takes on the character state about it.
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
        let mut warnings: Vec<Warning> = map
            .unsure()
            .map(|(joint, link)| Warning::UnsureJoint {
                joint: target.joint(joint).name.clone(),
                follows: source.joint(link.from).name.clone(),
                confidence: link.confidence,
            })
            .collect();
        let resting: Vec<String> = rig
            .main_joints()
            .into_iter()
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
            let mut guessed = <[Vec<_>; 3]>::default();
            for doubt in rig.doubts() {
                let (kind, joint) = match *doubt {
                    Doubt::Sole(joint) => (0, joint),
                    Doubt::Hinge(joint) => (1, joint),
                    Doubt::Axes(joint) => (2, joint),
                };
                guessed[kind].push(rig.skeleton().joint(joint).name.clone());
            }
            if guessed.iter().any(|joints| !joints.is_empty()) {
                warnings.push(Warning::GuessedReference { is_character, guessed });
            }
        }
        warnings.extend(self.gaze.map(|radians| Warning::Gaze { radians }));
        warnings
    }

    /// Returns the map as the text of a file. Errors: a number that TOML cannot hold.
    pub fn map_text(&self) -> Result<String, RecipeError> {
        let RigPair {
            source, target, map, ..
        } = &*self.pair;
        joint_map_text(map.names(source.skeleton(), target.skeleton()))
    }
}
