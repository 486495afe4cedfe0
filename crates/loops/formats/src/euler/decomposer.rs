//! The angles of all joints of a skeleton at once, several in parallel.

use fearless_simd::{Level, dispatch, prelude::*};
use glam::DQuat;

use super::three_axes::{choose, halves, run_on};
use super::{compose, decompose, handedness};
use crate::space::Axis;

/// Number of rotations whose angles are computed in parallel.
const LANES: usize = 8;

/// [`decompose`] for all joints of a skeleton at once, several times faster.
pub(crate) struct Decomposer {
    level: Level,
    joints: Vec<JointAxes>,
}

struct JointAxes {
    axes: Vec<Axis>,
    /// Indices of the three axes in a quaternion, and their handedness; zero for fewer axes.
    indices: [usize; 3],
    hand: f64,
}

impl Decomposer {
    /// For joints with these rotation axes.
    pub(crate) fn new(level: Level, axes: impl Iterator<Item = Vec<Axis>>) -> Self {
        let joints = axes.map(|axes| {
            let (indices, hand) = match axes[..] {
                [first, second, third] => ([first, second, third].map(Axis::index), handedness(first, second)),
                _ => ([0, 1, 2], 0.0),
            };
            JointAxes { axes, indices, hand }
        });
        Self {
            level,
            joints: joints.collect(),
        }
    }

    pub(crate) fn axes(&self, joint: usize) -> &[Axis] {
        &self.joints[joint].axes
    }

    /// Returns the joints with fewer than three axes, which do not reach every rotation.
    pub(crate) fn restricted(&self) -> impl Iterator<Item = usize> {
        (self.joints.iter().enumerate())
            .filter(|(_, joint)| joint.hand == 0.0)
            .map(|(index, _)| index)
    }

    /// [`compose`] for one of the joints.
    pub(crate) fn compose(&self, joint: usize, angles: [f64; 3]) -> DQuat {
        compose(&self.joints[joint].axes, &angles)
    }

    /// The angles of `rotations` nearest to those in `angles`, which they replace: the same bits as [`decompose`].
    pub(crate) fn decompose_all(&self, rotations: &[DQuat], angles: &mut [[f64; 3]]) {
        dispatch!(self.level, simd => decompose_joints(simd, &self.joints, rotations, angles));
    }
}

#[inline(always)]
fn decompose_joints(_: impl Simd, joints: &[JointAxes], rotations: &[DQuat], angles: &mut [[f64; 3]]) {
    let groups = joints
        .chunks(LANES)
        .zip(rotations.chunks(LANES))
        .zip(angles.chunks_mut(LANES));
    for ((joints, rotations), angles) in groups {
        let mut parts = [[0.0; LANES]; 4];
        let mut hands = [1.0; LANES];
        let mut previous = [[0.0; LANES]; 3];
        for (lane, ((joint, rotation), angles)) in joints.iter().zip(rotations).zip(&*angles).enumerate() {
            let rotation: &[f64; 4] = rotation.as_ref();
            // All indices are below four; the remainder avoids a bounds check.
            let [first, second, third] = joint.indices.map(|index| rotation[index % 4]);
            parts[0][lane] = rotation[3];
            parts[1][lane] = first;
            parts[2][lane] = second;
            parts[3][lane] = joint.hand * third;
            hands[lane] = joint.hand;
            for (previous, angle) in previous.iter_mut().zip(angles) {
                previous[lane] = *angle;
            }
        }
        let halves = halves(&parts);
        let ([a, b, c], is_near) = run_on(&halves, &hands, &previous);
        for (lane, ((joint, rotation), angles)) in joints.iter().zip(rotations).zip(angles).enumerate() {
            *angles = if joint.hand == 0.0 {
                decompose(&joint.axes, *rotation, *angles)
            } else if is_near[lane] {
                [a[lane], b[lane], c[lane]]
            } else {
                choose(halves.lane(lane), joint.hand, *angles)
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use core::f64::consts::FRAC_PI_2;

    use super::super::tests::ORDERS;
    use super::*;
    use crate::random::Random;

    #[test]
    fn joints_side_by_side_get_the_angles_that_each_gets_alone() {
        let mut random = Random(7);
        let axes: Vec<Vec<Axis>> = (0..27)
            .map(|index| ORDERS[index % 6][..3 - (index % 10) / 8].to_vec())
            .collect();
        for level in [Level::new(), Level::baseline()] {
            let decomposer = Decomposer::new(level, axes.iter().cloned());
            let mut angles: Vec<[f64; 3]> = axes.iter().map(|_| [0; 3].map(|_| 10.0 * random.next())).collect();
            for round in 0..500 {
                let step = [0.01, 1.0][round % 2];
                let rotations: Vec<DQuat> = (axes.iter().zip(&angles).enumerate())
                    .map(|(joint, (axes, angles))| {
                        let mut angles = angles.map(|angle| angle + step * random.next());
                        if joint % 7 == round % 7 {
                            angles[1] = FRAC_PI_2;
                        }
                        compose(axes, &angles)
                    })
                    .collect();
                let alone: Vec<[f64; 3]> = (axes.iter().zip(&rotations).zip(&angles))
                    .map(|((axes, rotation), previous)| decompose(axes, *rotation, *previous))
                    .collect();
                decomposer.decompose_all(&rotations, &mut angles);
                assert_eq!(angles, alone);
            }
        }
    }
}
