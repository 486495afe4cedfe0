//! The NPZ form of a take.

use loopwright_core::Take;

use crate::space::Space;

/// The form of a take in an NPZ file: its joints; the space is always metres with Y up.
#[handed_over]
pub struct NpzSource {
    pub(super) parents: Vec<Option<usize>>,
    pub(super) space: Space,
}

impl NpzSource {
    /// Creates a form for a take.
    pub fn for_take(take: &Take) -> Self {
        Self {
            parents: take.skeleton().joints().iter().map(|joint| joint.parent).collect(),
            space: Space::METRES_Y_UP,
        }
    }
}
