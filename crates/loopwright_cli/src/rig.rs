//! Motion on another character: matches joints, by a map where there is one, and words what is unsure.

use std::path::{Path, PathBuf};

use loopwright::{
    BodyOverrides, LoopClip, Take,
    analysis::BodyError,
    feet::{Feet, FootLock},
    retarget::{FollowedFeet, Given, MapError, Rig, RigPair},
};
use loopwright_formats::{Character, Source, loop_file::facts::RigFacts};

use crate::{exit::Failure, files, recipe};

/// The character that motion goes onto, and what the user says of how it follows; read once for all motion.
pub(crate) struct Onto {
    pub(crate) character: Character,
    /// The joints that a map names.
    given: Vec<(String, Given)>,
    /// The character's file and the map's, as they were named.
    file: String,
    map: Option<PathBuf>,
    /// By how much bones of legs may grow, as a share.
    stretch: f64,
}

/// How the joints of a character follow, as far as the user says it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Following<'a> {
    /// The file of the joint map.
    pub(crate) map: Option<&'a Path>,
    /// By how much bones of legs may grow, percent.
    pub(crate) bone_stretch: Option<f64>,
}

impl Onto {
    /// Reads the map that the user names. Errors: it cannot be read, or bones may not grow by that much.
    pub(crate) fn new(
        file: &Path,
        character: Character,
        Following { map, bone_stretch }: Following<'_>,
    ) -> Result<Self, Failure> {
        if !character.rig.has_skeleton() {
            return Err(map_failure(&MapError::NoSkeleton { rig: "rig" }).of_file(file));
        }
        Ok(Self {
            character,
            given: map.map_or_else(|| Ok(Vec::new()), read_map)?,
            file: file.display().to_string(),
            map: map.map(Path::to_owned),
            stretch: recipe::bone_stretch(bone_stretch)?,
        })
    }

    /// Matches joints with those of a motion in a file; those that the map names are taken from there. Errors: nothing matches, or a
    /// name is no joint.
    pub(crate) fn matched(&self, motion: &Path, from: Rig) -> Result<Matched, Failure> {
        let map_failure = |error: &MapError| map_failure(error).of_file(motion);
        let mut pair = RigPair::new(from, self.character.rig.clone()).map_err(|error| map_failure(&error))?;
        pair.stretch = self.stretch;
        if let Some(path) = &self.map {
            let (source, target) = (pair.source.skeleton(), pair.target.skeleton());
            pair.map = (pair.map.with(source, target, &self.given))
                .map_err(|error| map_failure(&error).because(format!("the map is \"{}\"", path.display())))?;
        }
        Ok(Matched {
            pair,
            file: self.file.clone(),
        })
    }
}

/// The rig of a take that was read from a file. Errors: a joint that the caller names does not exist.
pub(crate) fn rig_of(take: &Take, source: &Source, overrides: &BodyOverrides) -> Result<Rig, BodyError> {
    Rig::of(take, &source.rest(take.skeleton()), overrides)
}

/// A loop on a character by its pose alone.
pub(crate) struct CarriedLoop {
    pub(crate) clip: LoopClip,
    pub(crate) followed: FollowedFeet,
    /// The root joint that carries its motion.
    pub(crate) root_joint: Option<usize>,
    pub(crate) rig: RigFacts,
}

/// A loop on a character.
pub(crate) struct HeldLoop {
    /// With its feet held; `None` where none is.
    pub(crate) held: Option<LoopClip>,
    /// By its pose alone.
    pub(crate) carried: LoopClip,
    pub(crate) feet: Feet,
    /// The root joint that carries its motion.
    pub(crate) root_joint: Option<usize>,
    pub(crate) rig: RigFacts,
}

/// The joints of a character and those of a motion that they follow.
pub(crate) struct Matched {
    pub(crate) pair: RigPair,
    /// The character's file, as it was named.
    file: String,
}

impl Matched {
    /// The motion of a take on the character, with its feet held while those of the source stand.
    pub(crate) fn held_take(&self, take: &Take) -> Result<(Take, RigFacts), Failure> {
        let retarget = self.pair.of_motion(&take.world_tracks());
        let moved = retarget.take(take).map_err(Failure::error)?;
        let held = retarget
            .held_take(take, &moved, FootLock::Auto)
            .map_err(Failure::error)?;
        Ok((held.unwrap_or(moved), self.facts()))
    }

    /// A loop on the character by its pose alone, when its feet stand, the root joint that carries its motion, and the facts.
    pub(crate) fn loop_clip(&self, clip: &LoopClip) -> Result<CarriedLoop, Failure> {
        let retarget = self.pair.of_loop(clip);
        Ok(CarriedLoop {
            clip: retarget.loop_clip(clip).map_err(Failure::error)?,
            followed: retarget.feet_of_loop(clip).map_err(Failure::error)?,
            root_joint: retarget.root_joint(),
            rig: self.facts(),
        })
    }

    /// The same with its feet held while those of the source stand, where that makes them slide less, and what became of them.
    pub(crate) fn held_loop(&self, clip: &LoopClip) -> Result<HeldLoop, Failure> {
        let retarget = self.pair.of_loop(clip);
        let carried = retarget.loop_clip(clip).map_err(Failure::error)?;
        let (held, feet) = retarget.held(clip, &carried, FootLock::Auto).map_err(Failure::error)?;
        Ok(HeldLoop {
            held,
            carried,
            feet,
            root_joint: retarget.root_joint(),
            rig: self.facts(),
        })
    }

    /// What loops and takes on the character say of it.
    pub(crate) fn facts(&self) -> RigFacts {
        RigFacts::of(&self.file, &self.pair)
    }

    /// What the user should look at.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let RigPair {
            source: from,
            target: rig,
            map,
            ..
        } = &self.pair;
        let (source, target) = (from.skeleton(), rig.skeleton());
        let mut warnings: Vec<String> = (map.unsure())
            .map(|(joint, link)| {
                format!(
                    "unsure: {} follows {} (confidence {:.2}); --map states another",
                    target.joint(joint).name,
                    source.joint(link.from).name,
                    link.confidence
                )
            })
            .collect();
        let resting: Vec<&str> = (rig.main_joints().into_iter())
            .filter(|&joint| map.links[joint].is_none() && !map.rests_by_choice(joint))
            .map(|joint| target.joint(joint).name.as_str())
            .collect();
        if !resting.is_empty() {
            warnings.push(format!(
                "joints that nothing in the motion moves: {}",
                resting.join(", ")
            ));
        }
        for (rig, what) in [(from, "the motion's skeleton"), (rig, "the rig")] {
            if !rig.stands() {
                warnings.push(format!(
                    "{what} stands in no pose of its file, so limbs may be turned wrongly"
                ));
            }
        }
        warnings
    }

    /// The map as a file that [`Onto::new`] reads.
    pub(crate) fn map_text(&self) -> Result<String, Failure> {
        let RigPair {
            source, target, map, ..
        } = &self.pair;
        let names = map.names(source.skeleton(), target.skeleton());
        recipe::joint_map_text(names).map_err(Failure::error)
    }
}

fn read_map(path: &Path) -> Result<Vec<(String, Given)>, Failure> {
    recipe::read_joint_map(&files::read_bytes(path)?).map_err(|error| {
        Failure::error(format!("cannot read \"{}\": {error}", path.display())).try_this(
            "lines such as \"upperarm_l\" = \"LeftArm\" below [joints]; `loopwright retarget` with --save-map writes the map that is used without one",
        )
    })
}

fn map_failure(error: &MapError) -> Failure {
    let failure = Failure::error(error.to_string());
    match error {
        MapError::NoSuchJoint { similar, .. } if !similar.is_empty() => {
            failure.try_this(format!("one of: {}", similar.join(", ")))
        }
        MapError::NoSkeleton { .. } => failure.try_this(
            "a file whose mesh is bound to a skeleton: joints that hang from each other, exported with the skin (armature)",
        ),
        MapError::NothingMapped => {
            failure.try_this("--map FILE with lines such as \"upperarm_l\" = \"LeftArm\" below [joints]")
        }
        _ => failure.try_this("`loopwright retarget` with --save-map FILE, which writes the map that is used without one"),
    }
}
