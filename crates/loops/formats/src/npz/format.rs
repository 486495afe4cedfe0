//! The entry of NPZ in the table of formats: capabilities, reader and writer.

use glam::{DQuat, DVec3};

use super::{
    array::{bools, doubles, ints, singles, texts},
    arrays::{ContactArrays, MotionArrays},
    read,
    source::NpzSource,
    tracking,
    zip::{self, Archive},
};
use crate::{
    entry::{FormatEntry, one_motion},
    error::WriteError,
    file_form::FileForm,
    format::{Capabilities, Format},
    keyed_motion::KeyedMotion,
    robot::source::{Bodies, Layout, RobotSource},
    source::Source,
    space::Space,
    written::WrittenFile,
};

pub(crate) const NPZ: FormatEntry = FormatEntry {
    format: Format::Npz,
    capabilities: Capabilities {
        name: "NPZ",
        extension: "npz",
        not_extended: Some("NPZ"),
        ..Capabilities::OF_ONE_MOTION
    },
    detects: |bytes| bytes.starts_with(zip::START),
    parse: |bytes, _, _| {
        one_motion(bytes, |bytes, name, settings, warnings| {
            let Some(robot) = settings.robot.and_then(|robot| Some((robot, robot.hinges()?))) else {
                return read::read_take(bytes, name, settings, warnings);
            };
            let (motion, bodies) = tracking::read(bytes, robot, settings)?;
            motion.loaded(name, robot, settings, Layout::Tracking(bodies))
        })
    },
    new_form: |take, _| match take.skeleton().hinges() {
        Some(_) => Source::Robot(RobotSource::new(Layout::Tracking(Bodies::default()))),
        None => Source::Npz(NpzSource::for_take(take)),
    },
    facts: None,
};

/// Most bytes of a file: an archive without extensions counts them in 32 bits.
const MAX_BYTES: u64 = u32::MAX as u64;

/// Bytes of a joint at a frame: a position and two rotations of single precision.
const TRANSFORM_BYTES: u64 = 11 * 4;

/// Most transforms in a file, which its bytes limit anyway.
const MAX_TRANSFORMS: usize = 1 << 26;

impl FileForm for NpzSource {
    fn format(&self) -> Format {
        Format::Npz
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn write(&self, motion: &KeyedMotion) -> Result<WrittenFile, WriteError> {
        motion.check_parents(&self.parents)?;
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
        let arrays = MotionArrays::of_motion(motion.clone());
        let (positions, world) = arrays.world();
        let joints = skeleton.joints();
        let vectors = |vectors: Vec<DVec3>| vectors.into_iter().flat_map(|v| v.to_array());
        let rotations = |rotations: Vec<DQuat>| rotations.into_iter().flat_map(|q| q.to_array());
        let names: Vec<&str> = joints.iter().map(|joint| joint.name.as_str()).collect();
        let offsets = joints.iter().map(|joint| joint.rest_offset).collect();
        let tips = joints.iter().map(|joint| joint.tip.unwrap_or(DVec3::NAN)).collect();
        let parents = joints
            .iter()
            .map(|joint| joint.parent.map_or(-1, |parent| parent as i32));

        let mut archive = Archive::default();
        let mut add = |name: &str, bytes: Vec<u8>| archive.add(&format!("{name}.npy"), &bytes);
        add("names", texts(&[num_joints], &names));
        add("parents", ints(&[num_joints], parents));
        add("offsets", doubles(&[num_joints, 3], vectors(offsets)));
        add("tips", doubles(&[num_joints, 3], vectors(tips)));
        add("fps", doubles(&[], core::iter::once(arrays.fps())));
        add("positions", singles(&[num_keys, num_joints, 3], vectors(positions)));
        add("world_rotations", singles(&[num_keys, num_joints, 4], rotations(world)));
        add(
            "local_rotations",
            singles(&[num_keys, num_joints, 4], rotations(arrays.local_rotations())),
        );
        let ContactArrays { joints, stands } = arrays.contacts();
        let num_feet = joints.len();
        add(
            "contact_joints",
            ints(&[num_feet], joints.into_iter().map(|joint| joint as i32)),
        );
        add("contacts", bools(&[num_keys, num_feet], stands.into_iter()));
        if let Some((phases, twist)) = arrays.phase() {
            add("phase", doubles(&[num_keys], phases.into_iter()));
            add("linear_velocity", doubles(&[3], twist.linear.to_array().into_iter()));
            add("angular_velocity", doubles(&[3], twist.angular.to_array().into_iter()));
        }
        Ok(WrittenFile {
            bytes: archive.finish(),
            ..WrittenFile::default()
        })
    }
}
