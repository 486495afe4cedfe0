//! Settings for reading and writing a file.

use std::{borrow::Cow, io};

use loopwright_core::LoopClip;

use crate::animations::{self, AnimationError};
use crate::error::{ReadError, WriteError};
use crate::space::{SpaceSettings, UNIT_RANGE, UnitChoice};
use crate::{limits::SizeLimits, naming::LOOP_SUFFIX};

/// The animation of a file to read; BVH has only one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnimationChoice<'a> {
    /// The longest that moves anything; a warning lists them where there are several.
    #[default]
    Auto,
    /// The last one whose name ends in `-loop`, as loops are written; where there is none, as [`Self::Auto`].
    Loop,
    /// The one of that name, in any case where no name matches exactly; or the only one that matches a pattern of `*` and `?`; or
    /// where there is none the one of that number, counted from 0.
    Given(&'a str),
    /// The one of that number in the file, counted from 0.
    Number(usize),
}

impl AnimationChoice<'_> {
    /// The number of the chosen animation among these; `None` where the format chooses by what moves. Errors: there is no such one.
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
/// Who opens files for it decides which ones a foreign file may name: those in its own folder, say, and never through links out of
/// it.
pub type Companions<'a> = &'a dyn Fn(&str, u64) -> io::Result<Vec<u8>>;

/// Known properties of a file.
#[derive(Clone, Copy, Default)]
pub struct ReadSettings<'a> {
    /// Its space.
    pub space: SpaceSettings,
    /// The animation that is the take.
    pub animation: AnimationChoice<'a>,
    /// The skin whose joints are the skeleton, by name or by number from 0; by default the first one that the animation moves. In FBX the
    /// skeleton itself, by the name of its highest node or of its first bone; by default that of most bones.
    pub skin: Option<&'a str>,
    /// The source of other files; without it, a file that refers to others cannot be read.
    pub companions: Option<Companions<'a>>,
    /// How much may be read.
    pub limits: SizeLimits,
}

impl ReadSettings<'_> {
    /// Default settings except for the space.
    pub fn in_space(space: SpaceSettings) -> Self {
        Self {
            space,
            ..Self::default()
        }
    }

    /// Errors: [`ReadError::Unit`] for a unit that no file has.
    pub(crate) fn check_unit(&self) -> Result<(), ReadError> {
        match self.space.unit {
            UnitChoice::Metres(found) if !UNIT_RANGE.contains(&found) => Err(ReadError::Unit { found }),
            _ => Ok(()),
        }
    }
}

/// Whether the file ends with its first pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClosingKey {
    /// One additional key with the body of the first key and the root moved on.
    #[default]
    Repeat,
    /// The last key is the one before the first comes round again.
    Drop,
}

loopwright_core::words!(ClosingKey {
    Repeat: "repeat",
    Drop: "drop",
});

/// The motion between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyInterpolation {
    /// Poses go evenly from key to key.
    #[default]
    Linear,
    /// Each pose is held until the next key, as in animation on twos.
    Step,
}

loopwright_core::words!(KeyInterpolation {
    Linear: "linear",
    Step: "step",
});

/// How a loop is laid out in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopWriteSettings {
    /// Whether the first key is repeated at the end; by default it is.
    pub closing_key: ClosingKey,
    /// Number of consecutive cycles, with continuing root motion; at least one, which is the default.
    pub copies: usize,
    /// Whether a root joint above all others carries the root motion; by default it stays on the joint that had it.
    pub add_root: bool,
    /// Whether the root stays at its start; by default the keys show it moving.
    pub in_place: bool,
    /// The motion between keys; by default straight lines.
    pub interpolation: KeyInterpolation,
    /// How much memory the file may take.
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
    /// The loop as its keys show it.
    pub(crate) fn shown<'a>(&self, clip: &'a LoopClip) -> Cow<'a, LoopClip> {
        if self.in_place {
            Cow::Owned(clip.in_place())
        } else {
            Cow::Borrowed(clip)
        }
    }

    /// Number of keys of a loop: its samples once for each cycle, and the closing one if it is requested.
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
