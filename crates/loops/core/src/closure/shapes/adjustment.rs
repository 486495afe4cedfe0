//! Adjustment: the pose fades while the joint itself moves, in proportion to its progress; for a joint without motion it fades
//! linearly. The velocity fades like a cubic.

use super::{ShapeDescriptor, linear};

pub(super) const DESCRIPTOR: ShapeDescriptor = ShapeDescriptor {
    name: "adjustment",
    help: "Spreads the pose gap to where the joint moves",
    follows_the_track: true,
    ..linear::DESCRIPTOR
};
