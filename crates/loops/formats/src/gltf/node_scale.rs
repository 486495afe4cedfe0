//! The effect of node scales on lengths below them.
//!
//! A joint's world matrix is Q M: the product Q of all rotations above it and its own, and the remainder M. The child at t is at
//! M t in the axes of Q. M is propagated down the tree: from M to q^-1 M q S below a joint of rotation q and scale S. A single
//! uniform scale is a number, and no rotation changes it.

use glam::{DMat3, DQuat, DVec3};

#[handed_over(Copy)]
pub(crate) enum NodeScale {
    /// A uniform scale.
    Even(f64),
    /// Non-uniform, and sheared if rotations lie between such scales.
    Uneven(DMat3),
}

/// Scales whose axes differ by a smaller share count as uniform.
const EVEN: f64 = 1e-6;

impl NodeScale {
    pub(crate) const NONE: Self = Self::Even(1.0);

    /// Returns the value of a joint from its parent's.
    pub(crate) fn below(self, rotation: DQuat, scale: DVec3) -> Self {
        let is_even = (scale - DVec3::splat(scale.x)).abs().max_element() <= EVEN * scale.x.abs();
        match self {
            Self::Even(length) if is_even => Self::Even(length * scale.x),
            Self::Even(length) => Self::Uneven(DMat3::from_diagonal(length * scale)),
            Self::Uneven(matrix) => {
                let turn = DMat3::from_quat(rotation);
                Self::Uneven(turn.transpose() * matrix * turn * DMat3::from_diagonal(scale))
            }
        }
    }

    /// Converts a child's translation in the file to lengths in its parent's axes.
    pub(crate) fn apply(self, translation: DVec3) -> DVec3 {
        match self {
            Self::Even(length) => translation * length,
            Self::Uneven(matrix) => matrix * translation,
        }
    }

    pub(crate) fn matrix(self) -> DMat3 {
        match self {
            Self::Even(length) => DMat3::from_diagonal(DVec3::splat(length)),
            Self::Uneven(matrix) => matrix,
        }
    }

    /// Returns the inverse of [`Self::apply`]; `None` if a scale of zero makes it undefined.
    pub(crate) fn undo(self, length: DVec3) -> Option<DVec3> {
        let undone = match self {
            Self::Even(scale) => length / scale,
            Self::Uneven(matrix) => matrix.inverse() * length,
        };
        undone.is_finite().then_some(undone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_the_matrices() {
        let chain = [
            (DQuat::from_rotation_x(0.4), DVec3::splat(2.0)),
            (DQuat::from_rotation_z(-1.0), DVec3::new(1.0, 3.0, 0.5)),
            (DQuat::from_rotation_y(2.0), DVec3::new(0.2, 1.0, 1.0)),
        ];
        let (mut matrix, mut turn, mut node_scale) = (DMat3::IDENTITY, DQuat::IDENTITY, NodeScale::NONE);
        let t = DVec3::new(0.3, -0.7, 1.1);
        for (rotation, scale) in chain {
            matrix = matrix * DMat3::from_quat(rotation) * DMat3::from_diagonal(scale);
            turn *= rotation;
            node_scale = node_scale.below(rotation, scale);
            assert!((matrix * t - turn * node_scale.apply(t)).length() < 1e-12);
            assert!((node_scale.undo(node_scale.apply(t)).unwrap() - t).length() < 1e-12);
        }
        assert_eq!(NodeScale::Even(0.0).undo(DVec3::ZERO), None);
    }
}
