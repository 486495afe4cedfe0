//! Linear: the pose fades linearly over the whole clip, the velocity like a cubic.

use super::{Parameter, ShapeDescriptor, cubic};
use crate::closure::Order;

pub(super) const DESCRIPTOR: ShapeDescriptor = ShapeDescriptor {
    name: "linear",
    help: "Spreads the pose gap evenly over the loop",
    order: Order::C1,
    ends: false,
    follows_the_track: false,
    parameters: &[Parameter::BLEND_OF_VELOCITY],
    fading: |values, t, left| cubic::with_its_velocity(left, values.secs(), t),
};
