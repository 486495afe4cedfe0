//! Cubic: third-degree polynomials over the blend time, exactly zero after it.

use super::{Parameter, ShapeDescriptor};
use crate::{
    closure::Order,
    math::{Decay, Fading, Jet},
};

pub(super) const DESCRIPTOR: ShapeDescriptor = ShapeDescriptor {
    name: "cubic",
    help: "Closes pose and velocity",
    order: Order::C1,
    ends: true,
    follows_the_track: false,
    parameters: &[Parameter::BLEND],
    fading: |values, t, _| {
        Decay::Cubic {
            blend_secs: values.secs(),
        }
        .at(t)
    },
};

/// Returns a fade of the pose with the cubic's fade of the velocity.
pub(super) fn with_its_velocity(position: Jet, blend_secs: f64, t: f64) -> Fading {
    Fading {
        position,
        ..Decay::Cubic { blend_secs }.at(t)
    }
}
