//! BVH as one of the formats: what it can do, and its reader and writer.

use std::borrow::Cow;

use loopwright::{Pose, Skeleton, Take, retarget};

use super::{read, source::BvhSource, write};
use crate::{
    entry::{FormatEntry, Parsed, ParsedFile},
    error::{ReadError, WriteError},
    file_form::FileForm,
    format::{Capabilities, Format},
    keyed_motion::KeyedMotion,
    limits::SizeLimits,
    settings::{Companions, ReadSettings},
    source::{LoadedTake, Source},
    space::Space,
    warning::Warning,
    written::WrittenFile,
};

pub(crate) const BVH: FormatEntry = FormatEntry {
    format: Format::Bvh,
    capabilities: Capabilities {
        name: "BVH",
        extension: "bvh",
        is_read: true,
        holds_animations: false,
        names_takes: false,
        states_space: false,
        names_other_files: false,
        has_root_joint_for_motion: false,
        is_extended: false,
        not_extended: Some("BVH"),
    },
    detects: read::is_bvh,
    parse,
    new_form: |take| Source::Bvh(BvhSource::for_take(take)),
    facts: None,
};

fn parse<'a>(bytes: &'a [u8], _: Option<Companions<'_>>, _: &SizeLimits) -> Parsed<'a> {
    Ok(Box::new(BvhBytes(Cow::Borrowed(bytes))))
}

/// A file whose rows are parsed where they are read: there is one take.
struct BvhBytes<'a>(Cow<'a, [u8]>);

impl ParsedFile for BvhBytes<'_> {
    fn animation_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn read(
        &self,
        name: &str,
        settings: &ReadSettings<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<LoadedTake, ReadError> {
        let (take, source) = read::read_take(&self.0, name, settings, warnings)?;
        let source = Source::Bvh(source);
        Ok(LoadedTake { take, source })
    }

    fn read_rest(
        &self,
        name: &str,
        settings: &ReadSettings<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<LoadedTake, ReadError> {
        self.read(name, settings, warnings)
    }

    fn into_owned(self: Box<Self>) -> Box<dyn ParsedFile> {
        Box::new(BvhBytes(Cow::Owned(self.0.into_owned())))
    }
}

impl FileForm for BvhSource {
    fn format(&self) -> Format {
        Format::Bvh
    }

    fn capabilities(&self) -> &'static Capabilities {
        &BVH.capabilities
    }

    fn formats(&self) -> &'static [Format] {
        &[Format::Bvh]
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn frame_time_secs(&self) -> f64 {
        self.frame_time.secs
    }

    fn rest(&self, skeleton: &Skeleton) -> Option<Pose> {
        Some(retarget::unturned(skeleton, self.space.turn()))
    }

    fn write(&self, motion: &KeyedMotion<'_>) -> Result<WrittenFile, WriteError> {
        write::write(motion, self)
    }

    fn turn_into(&mut self, _: Format, _: &Take) {}

    fn assume_metres(&mut self) {
        *self = self.in_metres();
    }

    fn suit_engines(&mut self) {}
}
