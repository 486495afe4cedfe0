//! Loads a loop from its file and facts, to mirror it, recenter it, or put it onto a character.

use loopwright_core::{
    Analysis, BodyOverrides, LoopClip,
    analysis::{Body, BodyError},
    feet::FootLock,
    loop_clip::KeysError,
    mirror::Mirror,
    pipeline::Recentered,
    retarget::FollowedFeet,
};
use loopwright_formats::{
    LoadedTake, LoopFileError, LoopInFile, ReadError, Sidecar, Source, Target,
    loop_file::{
        DerivedLoop, PlaceError, RetargetOrigin, describe,
        facts::{PlaybackFacts, TakeFacts},
    },
    read_take,
};

use crate::{
    character::{CarryError, Matched},
    checks::{Authored, CheckId},
    of_loops::{LoopOfLoops, as_played, with_feet},
    recipe::{self, RecipeError},
};

/// A loop read from its file, ready to be played.
#[derive(Clone, Debug)]
pub struct StoredLoop {
    /// The loop, with a moving root.
    pub clip: LoopClip,
    /// The keys and the form of the file.
    pub file: LoadedTake,
    /// Its facts.
    pub sidecar: Sidecar,
    /// The file as a take.
    pub facts: TakeFacts,
    /// When its feet stand, if it follows a loop put onto its character.
    pub followed: Option<FollowedFeet>,
}

/// How an added root joint is read.
#[value(Copy, Eq)]
pub enum AddedRoot {
    /// It is kept and carries the root motion.
    Kept,
    /// It is removed, and its motion moves to the joint below: the loop is then on the skeleton of its take.
    Folded,
}

/// Why a stored loop cannot be played, mirrored, or put onto a character.
#[error_sum]
pub enum StoredLoopError {
    /// The file and its facts contradict each other.
    Place(PlaceError),
    /// The file cannot be read.
    Read(ReadError),
    /// The keys do not match the facts.
    Keys(KeysError),
    /// It lacks joints that the caller names.
    Body(BodyError),
    /// Left and right cannot be exchanged.
    Mirror(RecipeError),
    /// The loop cannot be put onto the character.
    Carry(CarryError),
    /// It cannot be written.
    Write(LoopFileError),
}

impl StoredLoop {
    /// Reads a loop from the bytes of a file and its facts; `name` is the file's name. Errors: the file cannot be read, or the
    /// two contradict each other.
    pub fn read(name: &str, bytes: &[u8], sidecar: Sidecar) -> Result<Self, StoredLoopError> {
        let file = read_take(bytes, name, &sidecar.reading(), &mut Vec::new())?;
        Self::new(name, file, sidecar, AddedRoot::Kept)
    }

    /// Creates a loop from a loaded file and its facts; `name` is the file's name. Errors: the two contradict each other.
    pub fn new(
        name: &str,
        mut file: LoadedTake,
        sidecar: Sidecar,
        added_root: AddedRoot,
    ) -> Result<Self, StoredLoopError> {
        let facts = file.facts(name);
        if added_root == AddedRoot::Folded {
            file.take = sidecar.without_added_root(file.take)?;
        }
        Ok(Self {
            clip: LoopInFile::from_whole_file(&sidecar, &file.take)?.clip(&file.take)?,
            file,
            sidecar,
            facts,
            followed: None,
        })
    }

    /// Returns the loop without an added root joint. Errors: its file has none.
    pub fn folded(&self) -> Result<Self, StoredLoopError> {
        Self::new(
            &self.facts.file,
            self.file.clone(),
            self.sidecar.clone(),
            AddedRoot::Folded,
        )
    }

    /// Whether the loop has a root joint that carries only the root motion, its rig's own or an added one.
    pub fn has_root_joint(&self) -> bool {
        self.sidecar.playback.has_root_joint()
    }

    /// Moves the loop to the origin, facing +Z, and returns it with that motion. Errors: the body is not found.
    pub fn recentered(&self, overrides: &BodyOverrides) -> Result<Recentered, BodyError> {
        let body = Body::find(&self.file.take, overrides)?;
        let root = &self.sidecar.root_motion;
        Ok(self.clip.clone().recentered(&body, root.mode, root.space))
    }

    /// Mirrors the loop across the world's X axis, exchanging left and right by joint names and by these pairs, and returns it
    /// with the mirror. Errors: left and right cannot be exchanged.
    pub fn mirrored(self, pairs: &[String], overrides: &BodyOverrides) -> Result<(Self, Mirror), StoredLoopError> {
        let mirror = recipe::mirror(&Analysis::with(&self.file.take, overrides)?, pairs)?;
        let take = mirror.take(&self.file.take);
        let sidecar = self.sidecar.mirrored(&mirror, take.skeleton());
        let image = Self {
            clip: LoopInFile::from_whole_file(&sidecar, &take)?.clip(&take)?,
            file: LoadedTake {
                take,
                source: self.file.source.mirrored(),
                ..self.file
            },
            sidecar,
            ..self
        };
        Ok((image, mirror))
    }

    /// Puts the poses of the loop onto a character, without further corrections. Errors: [`CarryError`].
    pub fn on_character(self, matched: &Matched) -> Result<Self, CarryError> {
        let retarget = matched.pair.of_loop(&self.clip);
        let clip = retarget.loop_clip(&self.clip)?;
        let followed = retarget.feet_of_loop(&self.clip)?;
        let name_of = |joint: usize| clip.skeleton().joint(joint).name.clone();
        let own = &matched.target.character.file;
        let playback = PlaybackFacts {
            root_joint_added: false,
            carrier_joint: name_of(clip.carrier()),
            root_joint: retarget.root_joint().map(name_of),
            ..self.sidecar.playback
        };
        let root = self.sidecar.root_motion;
        Ok(Self {
            facts: on_rig(self.facts, matched, &own.source),
            sidecar: Sidecar {
                playback,
                root_motion: describe::root_motion(clip.root(), root.mode, root.space),
                ..self.sidecar
            },
            file: own.clone(),
            clip,
            followed: Some(followed),
        })
    }

    /// Puts the loop onto a character with its feet held, ready to be written into the character's file for an engine. An added
    /// root joint must be [folded](Self::folded) away first. Errors: [`StoredLoopError`].
    pub fn onto(
        self,
        matched: &Matched,
        target: Option<Target>,
        recenters: bool,
        source: &Source,
    ) -> Result<LoopOfLoops, StoredLoopError> {
        let body = matched.target.character.rig.body();
        let retarget = matched.pair.of_loop(&self.clip);
        let carried = retarget.loop_clip(&self.clip).map_err(CarryError::from)?;
        let (held, feet) = retarget
            .held(&self.clip, &carried, FootLock::Auto)
            .map_err(CarryError::from)?;
        let (mut clip, feet) = with_feet(carried, held, &feet, body);
        // They come before those of the source on another character.
        let mut known: Vec<_> = CheckId::on_character(
            &matched.pair.likeness(&self.clip, &clip).unwrap_or_default(),
            clip.skeleton(),
        )
        .collect();
        known.extend(self.sidecar.quality.checks.iter().cloned());
        let root_joint = retarget.root_joint();
        let root = &self.sidecar.root_motion;
        let mut recentered_by = None;
        if recenters {
            let recentered = clip.recentered(body, root.mode, root.space);
            (clip, recentered_by) = (recentered.clip, Some(recentered.motion));
        }
        let origin = RetargetOrigin {
            take: on_rig(self.facts, matched, source),
            first: &self.sidecar,
            feet,
            root_joint,
            add_root: target.is_some_and(|engine| engine.needs_root_joint(root_joint.is_some())),
            recentered_by,
        };
        Ok(LoopOfLoops {
            derived: DerivedLoop::retargeted(&clip, origin),
            clip,
            body: body.clone(),
            mode: root.mode,
            authored: Authored::of(&self.sidecar),
            of_take: known,
            seam_sample: self.sidecar.playback.seam_sample,
            target,
            skeleton: matched.target.character.file.take.skeleton().clone(),
        })
    }

    /// Returns the loop as played: in place if the facts say that the root does not move.
    pub fn played(&self) -> LoopClip {
        self.as_played(self.clip.clone())
    }

    /// Returns a moved copy of this loop as played.
    pub fn as_played(&self, clip: LoopClip) -> LoopClip {
        as_played(clip, self.sidecar.root_motion.mode)
    }
}

/// Returns the form of a file without its animations.
pub fn without_animations(source: Source) -> Source {
    source.clone().with_animation(None).unwrap_or(source)
}

/// Returns the facts of a loop as they are on a character's rig, whose file has this form.
fn on_rig(facts: TakeFacts, matched: &Matched, source: &Source) -> TakeFacts {
    let take = &matched.target.character.file.take;
    TakeFacts {
        frames: facts.frames,
        fps: facts.fps,
        frame_time_secs: facts.frame_time_secs,
        animation: facts.animation,
        smooth_hz: facts.smooth_hz,
        rig: Some(matched.facts()),
        ..TakeFacts::new(facts.file, take, source.space())
    }
}
