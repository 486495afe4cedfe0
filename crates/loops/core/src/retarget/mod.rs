//! Retargeting: puts motion onto the skeleton of another character.
//!
//! A [`Rig`] is a skeleton with its rest pose and the parts of the body in it. A [`JointMap`] says which joints of one rig
//! follow which of another, found by names, topology and rest geometry together. A [`Retarget`] transfers poses: every joint
//! rotates in the world as its source does, from one rest pose to the other, and the rest poses are laid onto each other by the
//! directions of their limbs, so neither has to be a T-pose. The result is a function of the pose alone. So equal poses stay
//! equal, a closed loop stays closed, and its root motion scales with the length of the legs.
//!
//! Derivation: docs/math/retarget.md.

mod anatomy;

mod beside;

mod led;

mod reference;

mod rig;

mod map;

mod legs;

mod places;

mod laid;

mod likeness;

mod flat;

mod stance;

mod clear;

mod transfer;

mod followed;

mod held;

mod held_take;

mod humanoid;

mod pair;

pub(crate) use anatomy::BodyPart;
pub use anatomy::LimbKind;
pub use followed::FollowedFeet;
pub use humanoid::HumanBone;
pub use likeness::{JointAngle, Likeness};
pub use map::{Given, JointMap, Link, MapError};
pub use pair::RigPair;
pub use reference::{Doubt, Reference, ReferenceSource};
pub use rig::{FootSole, Rig, unturned};
pub use transfer::Retarget;
