//! Quintic: fifth-degree polynomials over the blend time, exactly zero after it.

use super::{Parameter, ShapeDescriptor};
use crate::{closure::Order, math::Decay};

pub(super) const DESCRIPTOR: ShapeDescriptor = ShapeDescriptor {
    name: "quintic",
    help: "Closes pose, velocity and acceleration",
    order: Order::C2,
    ends: true,
    follows_the_track: false,
    parameters: &[Parameter::BLEND],
    fading: |values, t, _| {
        Decay::Quintic {
            blend_secs: values.secs(),
        }
        .at(t)
    },
};
