//! Spring: critically damped, one for the pose and the velocity or one for each. Its tail never ends; the boundary system takes
//! it into account.
//!
//! Half-lives are in the articles' convention: y = 2 ln2 / h. A resting offset falls to 59.7% after one half-life, and to one
//! half after 1.2107.

use super::{Parameter, ShapeDescriptor, ShapeKey};
use crate::{closure::Order, math::Decay};

pub(super) const DESCRIPTOR: ShapeDescriptor = ShapeDescriptor {
    name: "spring",
    help: "Closes pose and velocity; decays like a spring",
    order: Order::C1,
    ends: false,
    follows_the_track: false,
    parameters: &[
        Parameter::HALF_LIFE,
        Parameter {
            key: ShapeKey::VelocityBlend,
            noun: "velocity's half-life",
            label: "Half-life of the velocity",
            default: None,
            ..Parameter::HALF_LIFE
        },
    ],
    fading: |values, t, _| {
        let half_life_secs = values.secs();
        let mut fading = Decay::Spring { half_life_secs }.at(t);
        if let Some(half_life_secs) = values.get(ShapeKey::VelocityBlend) {
            fading.velocity = Decay::Spring { half_life_secs }.at(t).velocity;
        }
        fading
    },
};
