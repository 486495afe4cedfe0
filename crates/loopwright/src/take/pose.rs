//! Forward kinematics: from local transforms to the world.

use glam::{DQuat, DVec3};

use super::Skeleton;
use crate::math::{rigid::Rigid, rotation};

/// World positions (metres) and rotations of all joints at all frames, frame-major.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldTracks {
    num_joints: usize,
    positions: Vec<DVec3>,
    rotations: Vec<DQuat>,
}

impl WorldTracks {
    /// Walks the tree at every frame; the slices are local, frame-major, and a whole number of frames long.
    pub(crate) fn of_frames(skeleton: &Skeleton, translations: &[DVec3], rotations: &[DQuat]) -> Self {
        let num_joints = skeleton.num_joints();
        let mut world = Self {
            num_joints,
            positions: Vec::with_capacity(translations.len()),
            rotations: Vec::with_capacity(rotations.len()),
        };
        for (translations, rotations) in translations
            .chunks_exact(num_joints)
            .zip(rotations.chunks_exact(num_joints))
        {
            let base = world.positions.len();
            for joint in 0..num_joints {
                let (position, rotation) = match skeleton.parent(joint) {
                    None => (translations[joint], rotations[joint]),
                    Some(parent) => {
                        let turn = world.rotations[base + parent];
                        (
                            world.positions[base + parent] + turn * translations[joint],
                            (turn * rotations[joint]).normalize(),
                        )
                    }
                };
                world.positions.push(position);
                world.rotations.push(rotation);
            }
        }
        world
    }

    /// Number of frames.
    pub fn num_frames(&self) -> usize {
        self.positions.len() / self.num_joints
    }

    /// Number of joints.
    pub fn num_joints(&self) -> usize {
        self.num_joints
    }

    /// World position of a joint, metres.
    ///
    /// # Panics
    /// When frame or joint are out of range.
    pub fn position(&self, frame: usize, joint: usize) -> DVec3 {
        assert!(joint < self.num_joints);
        self.positions[frame * self.num_joints + joint]
    }

    /// World rotation of a joint.
    ///
    /// # Panics
    /// When frame or joint are out of range.
    pub fn rotation(&self, frame: usize, joint: usize) -> DQuat {
        assert!(joint < self.num_joints);
        self.rotations[frame * self.num_joints + joint]
    }

    /// World positions of all joints at `frame`, metres.
    ///
    /// # Panics
    /// When `frame` is out of range.
    pub fn positions(&self, frame: usize) -> &[DVec3] {
        &self.positions[frame * self.num_joints..(frame + 1) * self.num_joints]
    }
}

/// Positions (metres) and rotations of all joints of one pose, from its local transforms, in the space of the root's parent.
pub fn world_pose(skeleton: &Skeleton, translations: &[DVec3], rotations: &[DQuat]) -> (Vec<DVec3>, Vec<DQuat>) {
    let world = WorldTracks::of_frames(skeleton, translations, rotations);
    (world.positions, world.rotations)
}

/// Positions and rotations of all joints after the space they are seen from has moved; each on its own quaternion's side.
pub fn moved(motion: Rigid, (mut positions, mut rotations): (Vec<DVec3>, Vec<DQuat>)) -> (Vec<DVec3>, Vec<DQuat>) {
    for (position, turn) in positions.iter_mut().zip(&mut rotations) {
        *position = motion.transform_point(*position);
        *turn = rotation::on_side_of((motion.rotation * *turn).normalize(), *turn);
    }
    (positions, rotations)
}
