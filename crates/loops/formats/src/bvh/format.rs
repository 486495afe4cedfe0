//! The entry of BVH in the table of formats: capabilities, reader and writer.

use loopwright_core::{Pose, Skeleton, retarget};

use super::{read, source::BvhSource, write};
use crate::{
    entry::{FormatEntry, one_motion},
    error::WriteError,
    file_form::FileForm,
    format::{Capabilities, Format},
    keyed_motion::KeyedMotion,
    source::Source,
    space::Space,
    written::WrittenFile,
};

pub(crate) const BVH: FormatEntry = FormatEntry {
    format: Format::Bvh,
    capabilities: Capabilities {
        name: "BVH",
        extension: "bvh",
        states_space: false,
        not_extended: Some("BVH"),
        ..Capabilities::OF_ONE_MOTION
    },
    detects: read::is_bvh,
    parse: |bytes, _, _| one_motion(bytes, read::read_take),
    new_form: |take, _| Source::Bvh(BvhSource::for_take(take)),
    facts: None,
};

impl FileForm for BvhSource {
    fn format(&self) -> Format {
        Format::Bvh
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn rest(&self, skeleton: &Skeleton) -> Option<Pose> {
        Some(retarget::unturned(skeleton, self.space.turn()))
    }

    fn write(&self, motion: &KeyedMotion) -> Result<WrittenFile, WriteError> {
        write::write(motion, self)
    }

    fn assume_metres(&mut self) {
        let space = core::mem::replace(&mut self.space, Space::METRES_Y_UP);
        for joint in &mut self.hierarchy.joints {
            joint.offset *= space.unit_metres;
            joint.end_sites.iter_mut().for_each(|tip| *tip *= space.unit_metres);
            // The world rotates about the root; every other position is in its parent's axes.
            if joint.parent.is_none() {
                joint.offset = space.turned(joint.offset);
            }
        }
    }
}
