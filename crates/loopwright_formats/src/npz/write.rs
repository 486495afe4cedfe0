//! From takes and loops to arrays.

use glam::{DQuat, DVec3};
use loopwright::BodyOverrides;
use loopwright::analysis::{Body, Contacts};

use super::array::{bools, doubles, ints, singles, texts};
use super::{source::NpzSource, zip::Archive};
use crate::{error::WriteError, keyed_motion::KeyedMotion, written::WrittenFile};

/// Most bytes of a file: an archive without extensions counts them in 32 bits.
const MAX_BYTES: u64 = u32::MAX as u64;

/// Bytes of a joint at a frame: a position and two rotations of single precision.
const TRANSFORM_BYTES: u64 = 11 * 4;

/// Most transforms in a file, which its bytes limit anyway.
const MAX_TRANSFORMS: usize = 1 << 26;

pub(super) fn write(motion: &KeyedMotion<'_>, source: &NpzSource) -> Result<WrittenFile, WriteError> {
    motion.check_parents(&source.parents)?;
    motion.check_size(MAX_TRANSFORMS)?;
    let skeleton = motion.skeleton();
    let (num_keys, num_joints) = (motion.num_keys, skeleton.num_joints());
    let bytes = (num_keys as u64 * num_joints as u64).saturating_mul(TRANSFORM_BYTES);
    if bytes > MAX_BYTES {
        return Err(WriteError::TooLarge {
            bytes,
            limit: MAX_BYTES,
        });
    }
    let joints = skeleton.joints();
    let size = num_keys * num_joints;
    let mut positions: Vec<DVec3> = Vec::with_capacity(size);
    let [mut world, mut local]: [Vec<DQuat>; 2] = [Vec::with_capacity(size), Vec::with_capacity(size)];
    for key in 0..num_keys {
        let pose = motion.pose(key);
        let in_world = pose.as_ref().world(&skeleton);
        positions.extend(in_world.translations);
        world.extend(in_world.rotations);
        local.extend_from_slice(&pose.rotations);
    }
    on_one_side(&mut world, num_joints);
    on_one_side(&mut local, num_joints);
    let vectors = |vectors: Vec<DVec3>| vectors.into_iter().flat_map(|v| v.to_array());
    let rotations = |rotations: Vec<DQuat>| rotations.into_iter().flat_map(|q| q.to_array());
    let names: Vec<&str> = joints.iter().map(|joint| joint.name.as_str()).collect();
    let offsets = joints.iter().map(|joint| joint.rest_offset).collect();
    let tips = joints.iter().map(|joint| joint.tip.unwrap_or(DVec3::NAN)).collect();
    let parent = |parent: Option<usize>| parent.map_or(-1, |parent| parent as i32);

    let mut archive = Archive::default();
    let mut add = |name: &str, bytes: Vec<u8>| archive.add(&format!("{name}.npy"), &bytes);
    add("names", texts(&[num_joints], &names));
    add(
        "parents",
        ints(&[num_joints], joints.iter().map(|joint| parent(joint.parent))),
    );
    add("offsets", doubles(&[num_joints, 3], vectors(offsets)));
    add("tips", doubles(&[num_joints, 3], vectors(tips)));
    add("fps", doubles(&[], core::iter::once(1.0 / motion.step_secs)));
    add("positions", singles(&[num_keys, num_joints, 3], vectors(positions)));
    add("world_rotations", singles(&[num_keys, num_joints, 4], rotations(world)));
    add("local_rotations", singles(&[num_keys, num_joints, 4], rotations(local)));
    let (feet, stands) = contacts(motion);
    let num_feet = feet.len();
    add(
        "contact_joints",
        ints(&[num_feet], feet.into_iter().map(|joint| joint as i32)),
    );
    add("contacts", bools(&[num_keys, num_feet], stands.into_iter()));
    if let Some((clip, _)) = motion.as_loop() {
        let samples = clip.num_samples();
        let phases = (0..num_keys).map(|key| (key % samples) as f64 / samples as f64);
        add("phase", doubles(&[num_keys], phases));
        let twist = clip.root().twist;
        add("linear_velocity", doubles(&[3], twist.linear.to_array().into_iter()));
        add("angular_velocity", doubles(&[3], twist.angular.to_array().into_iter()));
    }
    Ok(WrittenFile {
        bytes: archive.finish(),
        animation: None,
        warnings: Vec::new(),
    })
}

/// Makes the signs of each joint's rotations continuous, as learners of motion need them; the first has a positive w.
fn on_one_side(rotations: &mut [DQuat], num_joints: usize) {
    for index in 0..rotations.len() {
        let is_opposite = match index.checked_sub(num_joints) {
            Some(before) => rotations[before].dot(rotations[index]) < 0.0,
            None => rotations[index].w < 0.0,
        };
        if is_opposite {
            rotations[index] = -rotations[index];
        }
    }
}

/// The joints that touch the ground, and key by key whether each stands. The feet of a loop in place are seen as its root would move.
fn contacts(motion: &KeyedMotion<'_>) -> (Vec<usize>, Vec<bool>) {
    let Some(moving) = motion.moving() else {
        return (Vec::new(), Vec::new());
    };
    let Ok(body) = Body::find(&moving, &BodyOverrides::default()) else {
        return (Vec::new(), Vec::new());
    };
    let contacts = Contacts::of_take(&moving, &body);
    let feet = &body.feet[..contacts.num_feet().min(body.feet.len())];
    let num_added = motion.skeleton().num_joints() - moving.num_joints();
    let keys = 0..motion.num_keys;
    let stands = keys.flat_map(|key| (0..feet.len()).map(move |foot| (foot, key)));
    let stands = stands.map(|(foot, key)| contacts.is_planted(foot, key)).collect();
    let joints = feet.iter().map(|foot| foot.lowest_joint() + num_added);
    (joints.collect(), stands)
}
