//! BVH: a tree of joints and a table of channel values.
//!
//! The format in brief: `HIERARCHY` opens the tree: `ROOT name` and, inside braces, `JOINT name`, each with an `OFFSET` from its
//! parent and the list of its `CHANNELS`; an `End Site` gives the end of a leaf's bone. `MOTION` opens the table: `Frames:` and
//! `Frame Time:`, then a row of values for every frame, with the joints and their channels in file order. Angles are in degrees;
//! a joint's rotation is the product of its rotation channels in the order in which they are listed, the first outermost.
//! Position channels replace the `OFFSET`.
//!
//! [`BvhSource`](crate::BvhSource) keeps the file's own tree; [`crate::read_take`] interprets its values.

use glam::DVec3;

use crate::space::Axis;

mod channel;

pub(crate) mod error;

pub(crate) mod format;

mod read;

pub(crate) mod source;

mod write;

mod hierarchy;

mod lex;

mod number;

mod motion;

pub(crate) mod rows;

pub(crate) mod stream;

pub(crate) mod warning;

pub use channel::{Channel, ChannelKind};
pub use error::{BvhError, Found, NumberHint, NumberPlace, Position};

/// A joint as stated in the file.
#[handed_over]
pub struct BvhJoint {
    /// Its name, including blanks.
    pub name: String,
    /// Index of its parent, `None` for the root.
    pub parent: Option<usize>,
    /// Its OFFSET, in the file's unit and the parent's axes.
    pub offset: DVec3,
    /// Channels in the order of the file, none of them twice.
    pub channels: Vec<Channel>,
    /// Offsets of its End Sites, in the file's unit; a leaf usually has one.
    pub end_sites: Vec<DVec3>,
}

impl BvhJoint {
    /// Returns the axes of the channels of a kind, in order; of rotations the first is outermost.
    fn axes_of(&self, kind: ChannelKind) -> Vec<Axis> {
        let channels = self.channels.iter().filter(|channel| channel.kind == kind);
        channels.map(|channel| channel.axis).collect()
    }
}

/// The tree of a file: one root at index 0, parents before children.
#[handed_over]
pub struct Hierarchy {
    joints: Vec<BvhJoint>,
}

impl Hierarchy {
    /// Returns all joints in the order in which they were read.
    pub fn joints(&self) -> &[BvhJoint] {
        &self.joints
    }

    /// Returns the number of values in a row.
    pub fn num_channels(&self) -> usize {
        self.joints.iter().map(|joint| joint.channels.len()).sum()
    }
}

/// A frame time and the text that stated it.
#[handed_over]
pub(crate) struct FrameTime {
    pub secs: f64,
    /// `None` if the file's text does not state this number.
    pub text: Option<String>,
}
