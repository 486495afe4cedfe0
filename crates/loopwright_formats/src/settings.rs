//! What the caller says about reading and writing a file.

use std::{borrow::Cow, io};

use loopwright::LoopClip;

use crate::{
    error::{ReadError, WriteError},
    space::{SpaceSettings, UNIT_RANGE, UnitChoice},
};

/// Which animation of a file is read; BVH has but one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnimationChoice<'a> {
    /// The longest that moves anything; a warning lists them where there are several.
    #[default]
    Auto,
    /// The last one whose name ends in `-loop`, as loops are written; where there is none, as [`Self::Auto`].
    Loop,
    /// The one of that name, or where there is none the one of that number, counted from 0.
    Given(&'a str),
}

/// Brings the bytes of a file that another one names by a path relative to its own place.
pub type Companions<'a> = &'a dyn Fn(&str) -> io::Result<Vec<u8>>;

/// What the caller knows about a file.
#[derive(Clone, Copy, Default)]
pub struct ReadSettings<'a> {
    /// Its space.
    pub space: SpaceSettings,
    /// Which of its animations is the take.
    pub animation: AnimationChoice<'a>,
    /// The skin whose joints are the skeleton, by name or by number from 0; the first one that the animation moves unless
    /// given.
    pub skin: Option<&'a str>,
    /// Where files beside it come from; without, a file that names others cannot be read.
    pub companions: Option<Companions<'a>>,
}

impl ReadSettings<'_> {
    /// Everything left open but the space.
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

/// Whether the file ends with the pose that it starts with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClosingKey {
    /// One more key, whose body is the first key's and whose root has travelled on.
    #[default]
    Repeat,
    /// The last key is the one before the first comes round again.
    Drop,
}

loopwright::words!(ClosingKey {
    Repeat: "repeat",
    Drop: "drop",
});

/// How a loop is laid out in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopWriteSettings {
    /// Whether the first key is repeated at the end; by default it is.
    pub closing_key: ClosingKey,
    /// Cycles written one after the other, the travel going on; at least one, which is the default.
    pub copies: usize,
    /// Whether a root joint above all others carries the travel; by default it stays on the joint that had it.
    pub add_root: bool,
    /// Whether the root stays where it starts; by default the keys show it moving.
    pub in_place: bool,
}

impl Default for LoopWriteSettings {
    fn default() -> Self {
        Self {
            closing_key: ClosingKey::Repeat,
            copies: 1,
            add_root: false,
            in_place: false,
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

    /// Keys that a loop gets: its samples once for each cycle, and the closing one where it is wanted.
    ///
    /// Saturates; writers hold the number against what a file may have. Errors: [`WriteError::NoCopies`].
    pub(crate) fn num_keys(&self, clip: &LoopClip) -> Result<usize, WriteError> {
        if self.copies == 0 {
            return Err(WriteError::NoCopies);
        }
        let num_closing = usize::from(self.closing_key == ClosingKey::Repeat);
        Ok(clip
            .num_samples()
            .saturating_mul(self.copies)
            .saturating_add(num_closing))
    }
}
