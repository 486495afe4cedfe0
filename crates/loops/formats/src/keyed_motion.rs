//! Motion as files hold it: a pose at each of evenly spaced keys.

use std::borrow::Cow;

use glam::{DQuat, DVec3};
use loopwright_core::{LoopClip, PoseRef, Skeleton, Take, Tracks};

use crate::{
    error::WriteError,
    even_keys,
    format::Capabilities,
    loop_file::{facts::FeetFacts, sidecar::Sidecar},
    naming::{added_root_name, loop_name},
    settings::{ClosingKey, KeyInterpolation, LoopWriteSettings},
    shapes::ShapeWeights,
    warning::FileWarning,
};

/// A take or a loop to be written.
#[derive(Clone)]
pub(crate) struct KeyedMotion<'a> {
    pub name: &'a str,
    pub num_keys: usize,
    pub step_secs: f64,
    /// Number of keys after which poses may repeat.
    pub cycle: usize,
    /// The time of the last key, if it lies off the even steps.
    last_secs: Option<f64>,
    /// Whether the first joint is a root joint that the source lacks.
    pub adds_root: bool,
    pub interpolation: KeyInterpolation,
    /// The facts of its feet, if known, and the number of samples of its loop.
    pub feet: Option<(&'a FeetFacts, usize)>,
    content: Content<'a>,
    /// The keys of a loop, if they are not its samples.
    recorded: Option<&'a Tracks>,
    /// The loop behind a take with other joints.
    of_loop: Option<(&'a LoopClip, &'a LoopWriteSettings)>,
}

#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "one of them at a time is there")]
enum Content<'a> {
    Take(&'a Take),
    Loop {
        clip: &'a LoopClip,
        /// The loop as its keys show it.
        shown: Cow<'a, LoopClip>,
        settings: &'a LoopWriteSettings,
    },
}

/// Local transforms of all joints at one key or more, in metres with +Y up.
pub(crate) struct KeyedPoses<'a> {
    pub translations: Cow<'a, [DVec3]>,
    pub rotations: Cow<'a, [DQuat]>,
}

impl KeyedPoses<'_> {
    pub(crate) fn as_ref(&self) -> PoseRef<'_> {
        PoseRef::new(&self.translations, &self.rotations)
    }
}

impl<'a> From<PoseRef<'a>> for KeyedPoses<'a> {
    fn from(poses: PoseRef<'a>) -> Self {
        Self {
            translations: poses.translations.into(),
            rotations: poses.rotations.into(),
        }
    }
}

/// Returns the time from the last of a loop's own keys to the closing one, in steps.
fn last_step(clip: &LoopClip, keys: &Tracks) -> f64 {
    clip.period_secs() / keys.step_secs() - (keys.num_frames() - 1) as f64
}

impl<'a> KeyedMotion<'a> {
    /// Wraps all frames of a take; with `adds_root` its first joint is a root joint that the source lacks.
    pub(crate) fn from_take(take: &'a Take, adds_root: bool) -> Self {
        Self {
            name: take.name(),
            num_keys: take.num_frames(),
            step_secs: take.frame_time_secs(),
            cycle: take.num_frames(),
            last_secs: None,
            adds_root,
            interpolation: KeyInterpolation::Linear,
            feet: None,
            content: Content::Take(take),
            recorded: None,
            of_loop: None,
        }
    }

    /// Replaces the joints by those of a take, whose frames are the poses at its keys.
    pub(crate) fn on_joints_of(&self, take: &'a Take) -> Self {
        Self {
            content: Content::Take(take),
            of_loop: self.as_loop(),
            ..self.clone()
        }
    }

    /// Wraps the keys of a loop, given as a take, with the facts of its feet.
    pub(crate) fn from_keys(take: &'a Take, facts: &'a Sidecar) -> Self {
        let samples = facts.playback.samples;
        Self {
            feet: facts.feet.as_ref().filter(|_| samples > 0).map(|feet| (feet, samples)),
            ..Self::from_take(take, false)
        }
    }

    /// Lays out a loop for a file, with the known facts of its feet. Errors: [`WriteError::NoCopies`], [`WriteError::Memory`].
    pub(crate) fn from_loop(
        clip: &'a LoopClip,
        feet: Option<&'a FeetFacts>,
        settings: &'a LoopWriteSettings,
    ) -> Result<Self, WriteError> {
        Ok(Self {
            feet: feet.map(|feet| (feet, clip.num_samples())),
            name: clip.name(),
            num_keys: settings.num_keys(clip)?,
            step_secs: clip.step_secs(),
            cycle: clip.num_samples(),
            last_secs: None,
            adds_root: settings.add_root,
            interpolation: settings.interpolation,
            content: Content::Loop {
                clip,
                shown: settings.shown(clip),
                settings,
            },
            recorded: None,
            of_loop: None,
        })
    }

    /// Lays the motion out for a format: where files state the time of each key, with the keys that were recorded.
    pub(crate) fn in_format(mut self, format: &Capabilities) -> Self {
        if !format.has_key_times {
            return self;
        }
        match self.content {
            Content::Take(take) => {
                if let Some(tail) = take.tail() {
                    self.last_secs = Some(((self.num_keys - 1) as f64 + tail.frames) * self.step_secs);
                    self.num_keys += 1;
                }
            }
            Content::Loop { clip, settings, .. } => {
                self.recorded = clip.recorded().filter(|keys| {
                    let are_seen = even_keys::are_seen(keys.num_frames(), keys.step_secs(), last_step(clip, keys));
                    are_seen && settings.copies == 1
                });
                if let Some(keys) = self.recorded {
                    (self.cycle, self.step_secs) = (keys.num_frames(), keys.step_secs());
                    let closes = settings.closing_key == ClosingKey::Repeat;
                    self.num_keys = self.cycle + usize::from(closes);
                    self.last_secs = closes.then(|| clip.period_secs());
                }
            }
        }
        self
    }

    /// Returns a warning of a last key off the even steps, which is not among the keys.
    pub(crate) fn left_out(&self) -> Option<FileWarning> {
        match self.content {
            Content::Take(take) if self.last_secs.is_none() => take
                .tail()
                .map(|tail| FileWarning::LastKeyLeftOut { frames: tail.frames }),
            _ => None,
        }
    }

    /// Returns the time of a key.
    pub(crate) fn secs(&self, key: usize) -> f64 {
        let even = key as f64 * self.step_secs;
        self.last_secs.filter(|_| key + 1 == self.num_keys).unwrap_or(even)
    }

    /// Returns numbers beside the pose at all keys, key by key; `None` if they belong to another motion.
    pub(crate) fn beside(&self, numbers: &ShapeWeights) -> Option<Vec<f64>> {
        let numbers = match (self.as_loop(), self.recorded) {
            (Some((clip, _)), Some(keys)) => {
                &numbers.every(keys.step_secs() / clip.step_secs(), clip.num_samples(), self.cycle)
            }
            _ => numbers,
        };
        Some(numbers.of_keys(self.num_keys, self.cycle)?.flatten().copied().collect())
    }

    /// Returns the time from the last key of a loop to the closing one, in steps; 1 unless the period is not a whole number of steps.
    pub(crate) fn last_step(&self) -> f64 {
        let clip = self.as_loop().map(|(clip, _)| clip);
        clip.zip(self.recorded)
            .map_or(1.0, |(clip, keys)| last_step(clip, keys))
    }

    /// Returns the name of its animation; that of a loop ends in the suffix of loops, once.
    pub(crate) fn animation_name(&self) -> String {
        match self.as_loop() {
            Some(_) => loop_name(self.name),
            None => self.name.to_owned(),
        }
    }

    /// Returns the loop and its layout, if the motion is a loop.
    pub(crate) fn as_loop(&self) -> Option<(&'a LoopClip, &'a LoopWriteSettings)> {
        match self.content {
            Content::Take(_) => self.of_loop,
            Content::Loop { clip, settings, .. } => Some((clip, settings)),
        }
    }

    /// Returns the pose at a key, including an added root.
    pub(crate) fn pose(&self, key: usize) -> KeyedPoses<'_> {
        let pose = match &self.content {
            Content::Take(take) => match take.tail().filter(|_| key == take.num_frames()) {
                Some(tail) => return tail.pose.as_ref().into(),
                None => return take.pose(key).into(),
            },
            Content::Loop { clip, shown, .. } if let Some(keys) = self.recorded => {
                let root = shown.root().at(self.secs(key));
                let mut pose = keys.pose(key % self.cycle).to_pose();
                if self.adds_root {
                    pose.below_root(root)
                } else {
                    pose.carry(clip.skeleton(), clip.carrier(), root);
                    pose
                }
            }
            Content::Loop { shown, .. } if self.adds_root => shown.root_relative_pose(key),
            Content::Loop { shown, .. } => shown.folded_pose(key),
        };
        KeyedPoses {
            translations: pose.translations.into(),
            rotations: pose.rotations.into(),
        }
    }

    /// Returns the motion as a take with its root motion, even if the file shows it in place; a loop is on its source's own
    /// joints. `None` if it does not form a take.
    pub(crate) fn moving(&self) -> Option<Take> {
        let clip = match self.content {
            Content::Take(take) => return Some(take.clone()),
            Content::Loop { clip, .. } => clip,
        };
        Take::from_poses(
            self.name,
            clip.skeleton().clone(),
            self.step_secs,
            (0..self.num_keys).map(|key| clip.folded_pose(key)),
        )
        .ok()
    }

    /// Returns the poses at all keys, key after key; those of a take with even keys are not copied.
    pub(crate) fn poses(&self) -> KeyedPoses<'_> {
        if let Content::Take(take) = self.content
            && take.num_frames() == self.num_keys
        {
            return take.values().into();
        }
        let (mut translations, mut rotations) = (Vec::new(), Vec::new());
        for key in 0..self.num_keys {
            let pose = self.pose(key);
            translations.extend_from_slice(&pose.translations);
            rotations.extend_from_slice(&pose.rotations);
        }
        KeyedPoses {
            translations: translations.into(),
            rotations: rotations.into(),
        }
    }

    /// Returns the skeleton of the poses, with an added root.
    pub(crate) fn skeleton(&self) -> Skeleton {
        match self.content {
            Content::Take(take) => take.skeleton().clone(),
            Content::Loop { clip, .. } if self.adds_root => {
                clip.skeleton().below_root(&added_root_name(clip.skeleton()))
            }
            Content::Loop { clip, .. } => clip.skeleton().clone(),
        }
    }

    /// Parents of the joints without an added root, as the source has them.
    pub(crate) fn own_parents(&self) -> Vec<Option<usize>> {
        let num_added = usize::from(self.adds_root);
        self.skeleton()
            .joints()
            .iter()
            .skip(num_added)
            .map(|joint| joint.parent.and_then(|parent| parent.checked_sub(num_added)))
            .collect()
    }

    /// Checks the number of joints, without an added root. Errors: it differs from `expected`, that of the source.
    pub(crate) fn check_num_joints(&self, expected: usize) -> Result<(), WriteError> {
        let found = self.own_parents().len();
        if found == expected {
            Ok(())
        } else {
            Err(WriteError::JointCount { expected, found })
        }
    }

    /// Checks number and parents of the joints, without an added root. Errors: they differ from `expected`, those of the source.
    pub(crate) fn check_parents(&self, expected: &[Option<usize>]) -> Result<(), WriteError> {
        self.check_num_joints(expected.len())?;
        let mut parents = self.own_parents().into_iter().zip(expected);
        match parents.position(|(found, expected)| found != *expected) {
            Some(joint) => Err(WriteError::Parent { joint }),
            None => Ok(()),
        }
    }

    /// Checks the number of transforms; each format has its own limit. Errors: one file cannot hold them.
    pub(crate) fn check_size(&self, limit: usize) -> Result<(), WriteError> {
        let (keys, joints) = (self.num_keys, self.own_parents().len() + usize::from(self.adds_root));
        if keys.saturating_mul(joints) > limit {
            return Err(WriteError::TooManyKeys { keys, joints, limit });
        }
        Ok(())
    }
}
