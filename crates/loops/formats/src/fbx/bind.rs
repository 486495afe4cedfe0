//! The rest pose of an FBX file: its bind pose if the file states one, else the pose of its nodes.
//!
//! Files are saved in any pose, such as the first of an animation; the skin fits its bones in the bind pose.

use glam::{DAffine3, DMat3, DQuat, DVec3};
use loopwright_core::Pose;
use ufbx::Scene;

use super::{
    joints::Joints,
    scene::{self, World},
};
use crate::limits::is_plausible;

/// A joint keeps the offset of its node if the bind pose differs from it by less than this share, because animations are
/// relative to the nodes.
const SAME_PLACE: f64 = 0.01;

/// Rotation and position of a joint in the scene.
type Placed = (DQuat, DVec3);

/// Returns the rest pose of all joints, local, the first one in the world, in metres and our axes: `turn` and `unit_metres` map
/// the file's space to ours. `offsets` are the joints' node positions in their parents, in the file's unit.
pub(super) fn rest_pose(
    (scene, joints): (&Scene, &Joints),
    offsets: &[DVec3],
    turn: DQuat,
    unit_metres: f64,
    above: World,
) -> Pose {
    let bound = bound(scene);
    let is_bound = joints.nodes.iter().any(|&node| bound[node].is_some());
    let mut placed: Vec<Placed> = Vec::new();
    let poses = joints.nodes.iter().enumerate().map(|(joint, &node)| {
        let own = &scene.nodes[node];
        let parent = joints.parents[joint];
        let by_node = scene::rotation(&own.local_transform);
        let from: Placed = parent.map_or((above.rotation, DVec3::ZERO), |parent| placed[parent]);
        // A bone outside the skin keeps the local transform of the file's own pose.
        let at = match (bound[node], parent) {
            (Some(at), _) => at,
            (None, Some(_)) => ((from.0 * by_node).normalize(), from.1 + from.0 * offsets[joint]),
            (None, None) => ((above.rotation * by_node).normalize(), offsets[joint]),
        };
        placed.push(at);
        let Some(_) = parent else {
            return (turn * (at.1 * unit_metres), (turn * at.0).normalize());
        };
        let offset = from.0.conjugate() * (at.1 - from.1);
        let is_same = !is_bound || (offset - offsets[joint]).length() <= SAME_PLACE * offsets[joint].length();
        let offset = if is_same { offsets[joint] } else { offset };
        let rotation = if is_bound { from.0.conjugate() * at.0 } else { by_node };
        (offset * unit_metres, rotation.normalize())
    });
    poses.collect()
}

/// Returns the transform of each node, by its index, when a skin was bound to it.
fn bound(scene: &Scene) -> Vec<Option<Placed>> {
    let mut bound = vec![None; scene.nodes.len()];
    for pose in scene.poses.iter().filter(|pose| pose.is_bind_pose) {
        for bone in &pose.bone_poses {
            let own = &mut bound[scene::index(&bone.bone_node)];
            *own = own.or_else(|| placed(&bone.bone_to_world));
        }
    }
    bound
}

/// Decomposes a matrix into rotation and position; `None` if it is not a rotation, as for mirrored bones.
fn placed(matrix: &ufbx::Matrix) -> Option<Placed> {
    let DAffine3 { matrix3, translation } = scene::affine(matrix);
    let [x, y] = [matrix3.x_axis.try_normalize()?, matrix3.y_axis.try_normalize()?];
    let y = (y - x * y.dot(x)).try_normalize()?;
    let z = x.cross(y);
    let is_right_handed = z.dot(matrix3.z_axis) > 0.0;
    let turn = DQuat::from_mat3(&DMat3::from_cols(x, y, z));
    (is_right_handed && is_plausible(translation) && turn.is_finite()).then(|| (turn.normalize(), translation))
}
