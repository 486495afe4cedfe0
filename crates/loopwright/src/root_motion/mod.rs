//! The travel of the root: one constant twist that carries the character, and what is left to the body.

use crate::math::rigid::{Rigid, Twist};

pub mod cycle;

pub mod full;

pub mod root_joint;

pub mod extract;

pub mod path;

pub(crate) mod glide;

mod settings;

pub use extract::{Rooted, TravelFit, extract};
pub use settings::{MAX_RABBIT_TURN, RootError, RootMode, RootSettings, RootSpace};

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
            RootMode::Screw | RootMode::Rabbit | RootMode::Keep | RootMode::Path => self.start * self.twist.exp(secs),
        }
    }

    /// The travel over the ground on which feet stand: in place the ground moves, as the root would have.
    ///
    /// Only a root that returns to its start ([`RootMode::World`]) stays.
    pub fn over_ground(&self) -> Self {
        let mode = match self.mode {
            RootMode::World => RootMode::World,
            _ => RootMode::Keep,
        };
        Self { mode, ..*self }
    }
}
