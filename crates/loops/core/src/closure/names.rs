//! Names of closure methods.

use core::fmt;

use super::{Shape, ShapeKey, ShapeKind};

/// A closure method by name.
#[value(Copy, Eq)]
pub enum ClosureName {
    /// The least visible of a grid of methods, found by trying them: `auto`.
    Auto,
    /// Offsets of one kind of shape.
    Shape(ShapeKind),
    /// The moving crossfade: [`super::Method::crossfade`].
    Crossfade,
    /// No closure: the seam keeps its jump.
    Open,
}

impl ClosureName {
    /// Every name, in the order in which they are listed.
    pub const ALL: [Self; ShapeKind::ALL.len() + 3] = {
        let mut all = [Self::Auto; ShapeKind::ALL.len() + 3];
        let mut index = 0;
        while index < ShapeKind::ALL.len() {
            all[index + 1] = Self::Shape(ShapeKind::ALL[index]);
            index += 1;
        }
        all[index + 1] = Self::Crossfade;
        all[index + 2] = Self::Open;
        all
    };

    /// Methods that can close a whole body.
    pub const OF_BODIES: &'static [Self] = Self::ALL.split_at(Self::ALL.len() - 1).0;

    /// Methods that can close single joints.
    pub const OF_JOINTS: &'static [Self] = Self::ALL.split_at(1).1;

    /// Returns the name as people write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Shape(kind) => kind.descriptor().name,
            Self::Crossfade => "crossfade",
            Self::Open => "open",
        }
    }

    /// Describes it in a few words.
    pub fn help(self) -> &'static str {
        match self {
            Self::Auto => "Tries several, takes the least visible",
            Self::Shape(kind) => kind.descriptor().help,
            Self::Crossfade => "Blends into the frames before the start",
            Self::Open => "Leaves the gap as it is",
        }
    }

    /// Returns the shape of that name with the given parameters, and defaults for the others.
    ///
    /// `auto` starts from quintics, which also close the gap that a crossfade leaves. `None` if nothing is closed.
    pub fn shape(self, given: impl Fn(ShapeKey) -> Option<f64>) -> Option<Shape> {
        match self {
            Self::Auto | Self::Crossfade => Some(Shape::from_given(ShapeKind::Quintic, given)),
            Self::Shape(kind) => Some(Shape::from_given(kind, given)),
            Self::Open => None,
        }
    }
}

impl From<Shape> for ClosureName {
    fn from(shape: Shape) -> Self {
        Self::Shape(shape.kind())
    }
}

impl fmt::Display for ClosureName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self.as_str())
    }
}
