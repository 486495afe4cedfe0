//! NPZ as one of the formats: what it can do, and its reader and writer.

use loopwright_core::{Pose, Skeleton};

use super::{read, source::NpzSource, write, zip};
use crate::entry::{FormatEntry, one_motion};
use crate::format::{Capabilities, Format};
use crate::{
    error::WriteError, file_form::FileForm, keyed_motion::KeyedMotion, source::Source, space::Space,
    written::WrittenFile,
};

pub(crate) const NPZ: FormatEntry = FormatEntry {
    format: Format::Npz,
    capabilities: Capabilities {
        name: "NPZ",
        extension: "npz",
        character_extension: None,
        is_read: true,
        holds_animations: false,
        names_takes: false,
        states_space: true,
        names_other_files: false,
        has_root_joint_for_motion: false,
        takes_root_joint: true,
        is_extended: false,
        not_extended: Some("NPZ"),
    },
    detects: |bytes| bytes.starts_with(zip::START),
    parse: |bytes, _, _| one_motion(bytes, read::read_take),
    new_form: |take, _| Source::Npz(NpzSource::for_take(take)),
    facts: None,
};

impl FileForm for NpzSource {
    fn format(&self) -> Format {
        Format::Npz
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn frame_time_secs(&self) -> f64 {
        self.frame_time_secs
    }

    fn rest(&self, _: &Skeleton) -> Option<Pose> {
        None
    }

    fn write(&self, motion: &KeyedMotion<'_>) -> Result<WrittenFile, WriteError> {
        write::write(motion, self)
    }
}
