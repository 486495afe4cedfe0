//! Settings for reading and writing a file.

use std::{borrow::Cow, io};

use loopwright_core::{LoopClip, RootMode, Skeleton};

use crate::{
    animations::{self, AnimationError},
    error::{ReadError, WriteError},
    limits::SizeLimits,
    naming::LOOP_SUFFIX,
    space::{SpaceSettings, UNIT_RANGE, UnitChoice},
};

/// The animation of a file to read; BVH has only one.
#[value(Copy, Default, Eq)]
pub enum AnimationChoice<'a> {
    /// The longest animation that moves anything; a warning lists the others.
    #[default]
    Auto,
    /// The last animation whose name ends in `-loop`, as written loops do; otherwise as [`Self::Auto`].
    Loop,
    /// The animation of that name, in any case if no name matches exactly; or the only one that matches a pattern of `*` and
    /// `?`; or, if no name matches, the one with that number, counted from 0.
    Given(&'a str),
    /// The animation with that number, counted from 0.
    Number(usize),
}

impl AnimationChoice<'_> {
    /// Returns the number of the chosen animation; `None` if the format chooses by motion. Errors: no animation matches.
    pub(crate) fn among(self, names: &[String]) -> Result<Option<usize>, AnimationError> {
        Ok(match self {
            Self::Auto => None,
            Self::Loop => names.iter().rposition(|name| name.ends_with(LOOP_SUFFIX)),
            Self::Given(wanted) => Some(animations::one(names, wanted)?),
            Self::Number(number) if number < names.len() => Some(number),
            Self::Number(number) => Some(animations::one(names, &number.to_string())?),
        })
    }
}

/// Reads another file by a path relative to the file that refers to it, up to that number of bytes.
///
/// The implementation decides which files an untrusted file may name: for example only those in its own folder, and never
/// through links out of it.
pub type Companions<'a> = &'a dyn Fn(&str, u64) -> io::Result<Vec<u8>>;

/// The caller's settings for reading a file.
#[derive(Clone, Copy, Default)]
pub struct ReadSettings<'a> {
    /// Its axes and unit.
    pub space: SpaceSettings,
    /// The animation to read.
    pub animation: AnimationChoice<'a>,
    /// The skin whose joints are the skeleton, by name or by number from 0; by default the first one that the animation moves.
    /// In FBX the skeleton itself, by the name of its highest node or of its first bone; by default the one with most bones.
    pub skin: Option<&'a str>,
    /// How many times as fast as the file says its motion is, where its rate is wrong.
    pub speed_up: Option<f64>,
    /// Reads other files; without it, a file that refers to others cannot be read.
    pub companions: Option<Companions<'a>>,
    /// The robot whose motion files of hinges hold, from [`crate::read_robot`].
    pub robot: Option<&'a Skeleton>,
    /// Limits of how much is read.
    pub limits: SizeLimits,
}

impl ReadSettings<'_> {
    /// Returns default settings with this space.
    pub fn in_space(space: SpaceSettings) -> Self {
        Self {
            space,
            ..Self::default()
        }
    }

    /// Checks the unit. Errors: [`ReadError::Unit`] for a unit that no file has.
    pub(crate) fn check_unit(&self) -> Result<(), ReadError> {
        match self.space.unit {
            UnitChoice::Metres(found) if !UNIT_RANGE.contains(&found) => Err(ReadError::Unit { found }),
            _ => Ok(()),
        }
    }
}

/// Whether the file ends with its first pose.
#[choice_in_words]
#[derive(Default)]
pub enum ClosingKey {
    /// An additional last key: the pose of the first, moved on by the root motion.
    #[default]
    Repeat,
    /// The last key is the sample before the first repeats.
    Drop,
}

/// The motion between two keys.
#[choice_in_words]
#[derive(Default)]
pub enum KeyInterpolation {
    /// Straight lines from key to key.
    #[default]
    Linear,
    /// Each pose is held until the next key, as in animation on twos.
    Step,
}

/// How a loop is laid out in a file.
#[value(Copy, Eq)]
pub struct LoopWriteSettings {
    /// Whether the first key is repeated at the end; by default it is.
    pub closing_key: ClosingKey,
    /// Number of consecutive cycles, with continuing root motion; at least one, the default.
    pub copies: usize,
    /// Whether a root joint above all others carries the root motion; by default it stays on the joint that carries it.
    pub add_root: bool,
    /// Whether the root stays at its start; by default the keys show its motion.
    pub in_place: bool,
    /// The motion between keys; by default straight lines.
    pub interpolation: KeyInterpolation,
    /// Limits of the file's memory.
    pub limits: SizeLimits,
}

impl Default for LoopWriteSettings {
    fn default() -> Self {
        Self {
            closing_key: ClosingKey::Repeat,
            copies: 1,
            add_root: false,
            in_place: false,
            interpolation: KeyInterpolation::Linear,
            limits: SizeLimits::default(),
        }
    }
}

impl LoopWriteSettings {
    /// Settings for a loop with this root mode: in place if nothing but the body moves.
    pub fn of_mode(mode: RootMode) -> Self {
        Self {
            in_place: !mode.moves_root(),
            ..Self::default()
        }
    }

    /// Returns the loop as its keys show it.
    pub(crate) fn shown<'a>(&self, clip: &'a LoopClip) -> Cow<'a, LoopClip> {
        if self.in_place {
            Cow::Owned(clip.in_place())
        } else {
            Cow::Borrowed(clip)
        }
    }

    /// Returns the number of keys of a loop: its samples once per cycle, and the closing key if requested.
    ///
    /// Saturates; writers check the number against their limit. Errors: [`WriteError::NoCopies`], [`WriteError::Memory`].
    pub(crate) fn num_keys(&self, clip: &LoopClip) -> Result<usize, WriteError> {
        if self.copies == 0 {
            return Err(WriteError::NoCopies);
        }
        let num_closing = usize::from(self.closing_key == ClosingKey::Repeat);
        let keys = clip.num_samples().saturating_mul(self.copies);
        let keys = keys.saturating_add(num_closing);
        self.limits.check_written(keys, clip.skeleton().num_joints())?;
        Ok(keys)
    }
}
