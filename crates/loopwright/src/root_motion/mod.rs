//! The travel of the root: one constant twist that carries the character, and what is left to the body.

use crate::math::rigid::{Rigid, Twist};

pub mod cycle;

pub mod extract;

pub mod path;

pub(crate) mod glide;

pub use extract::{Rooted, extract};

/// What becomes of the travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RootMode {
    /// The root moves by one constant twist; the hips keep what differs from it.
    #[default]
    Screw,
    /// The root stays where it starts; the twist is reported only.
    InPlace,
    /// The travel stays on the joint that carried it in the take; its mean over a cycle is the same constant twist.
    Keep,
    /// The root follows the smoothed path of the hips over the ground; its mean over a cycle is the same constant twist.
    Path,
    /// The travel is no travel: closing brings the body back to where it started.
    World,
}

/// How the root of a loop travels: root(t) = start * exp(t * twist).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootTravel {
    /// What becomes of the travel.
    pub mode: RootMode,
    /// Where the root stands at the start, world.
    pub start: Rigid,
    /// The constant rate of travel, in the root's own axes, whether or not it is played.
    pub twist: Twist,
}

impl RootTravel {
    /// World transform of the root `secs` seconds after the start, any number of cycles on; constant when in place.
    ///
    /// In the mode [`RootMode::Path`] the root sways about this: see [`crate::loop_clip::LoopClip::root_pose`].
    pub fn at(&self, secs: f64) -> Rigid {
        match self.mode {
            RootMode::InPlace | RootMode::World => self.start,
            RootMode::Screw | RootMode::Keep | RootMode::Path => self.start * self.twist.exp(secs),
        }
    }
}
