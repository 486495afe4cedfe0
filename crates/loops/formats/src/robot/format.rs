//! The entries of robots' motion in the table of formats: capabilities, readers and writers.

use loopwright_core::{Pose, Skeleton};

use super::{
    error::RobotMotionError,
    motion::{UP, Written, robot_of},
    pickle, rows,
    source::{Layout, RobotSource},
};
use crate::{
    entry::{FormatEntry, one_motion},
    error::WriteError,
    file_form::FileForm,
    format::{Capabilities, Format},
    keyed_motion::KeyedMotion,
    npz::tracking,
    source::Source,
    space::Space,
    text,
    written::WrittenFile,
};

/// The part of a file that shows whether it is one of ours.
const HEAD_BYTES: usize = 4096;

const OF_ROBOTS: Capabilities = Capabilities {
    name: "robot CSV",
    extension: "csv",
    takes_root_joint: false,
    not_extended: Some("a robot's motion"),
    is_of_robots: true,
    ..Capabilities::OF_ONE_MOTION
};

/// Parses files of one robot's motion, which a function reads.
macro_rules! parses {
    ($name:literal, $read:path) => {
        |bytes, _, _| {
            one_motion(bytes, |bytes, name, settings, _| {
                let robot = robot_of(settings, $name)?;
                let (motion, layout) = $read(bytes, robot, &settings.limits)?;
                motion.loaded(name, robot, settings, layout)
            })
        }
    };
}

pub(crate) const CSV: FormatEntry = FormatEntry {
    format: Format::Csv,
    capabilities: OF_ROBOTS,
    detects: |bytes| {
        let line = head(bytes).split(|byte| *byte == b'\n').next().unwrap_or_default();
        let cells: Vec<&[u8]> = line.split(|byte| *byte == b',').collect();
        let are_numbers = cells
            .iter()
            .all(|cell| str::from_utf8(cell).is_ok_and(|cell| cell.trim().parse::<f64>().is_ok()));
        cells.len() > 7 && (are_numbers || text::contains(line, b"root_translateX"))
    },
    parse: parses!("robot CSV", rows::read_csv),
    new_form: |_, _| Source::Robot(RobotSource::new(Layout::Unitree { is_short: false })),
    facts: None,
};

pub(crate) const TXT: FormatEntry = FormatEntry {
    format: Format::Txt,
    capabilities: Capabilities {
        name: "robot JSON",
        extension: "txt",
        ..OF_ROBOTS
    },
    detects: |bytes| head(bytes).starts_with(b"{") && text::contains(head(bytes), b"\"Frames\""),
    parse: parses!("robot JSON", rows::read_json),
    new_form: |_, _| Source::Robot(RobotSource::new(Layout::Imitation)),
    facts: None,
};

pub(crate) const PICKLE: FormatEntry = FormatEntry {
    format: Format::Pickle,
    capabilities: Capabilities {
        name: "robot pickle",
        extension: "pkl",
        ..OF_ROBOTS
    },
    detects: |bytes| matches!(bytes, [0x80, 2..=5, ..]),
    parse: parses!("robot pickle", pickle::read),
    new_form: |_, _| Source::Robot(RobotSource::new(Layout::Gmr)),
    facts: None,
};

fn head(bytes: &[u8]) -> &[u8] {
    let text = text::from_first_letter(bytes);
    &text[..text.len().min(HEAD_BYTES)]
}

impl FileForm for RobotSource {
    fn format(&self) -> Format {
        match self.layout {
            Layout::Unitree { .. } | Layout::Seed => Format::Csv,
            Layout::Imitation | Layout::DeepMimic | Layout::Hardware | Layout::TienKung => Format::Txt,
            Layout::Tracking(_) => Format::Npz,
            Layout::Gmr => Format::Pickle,
        }
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn rest(&self, skeleton: &Skeleton) -> Option<Pose> {
        let hinges = skeleton.hinges()?;
        Some(hinges.pose(
            skeleton,
            loopwright_core::math::Rigid::new(UP, glam::DVec3::ZERO),
            hinges.each().map(|_| 0.0),
        ))
    }

    fn write(&self, motion: &KeyedMotion) -> Result<WrittenFile, WriteError> {
        let written = Written::new(motion)?;
        let step_secs = motion.step_secs;
        if let Some(fps) = rows::unstated_fps(&self.layout).filter(|fps| (fps * step_secs - 1.0).abs() > SAME_RATE) {
            return Err(RobotMotionError::Rate {
                found: 1.0 / step_secs,
                fps,
            }
            .into());
        }
        motion.check_size(MAX_NUMBERS / (1 + written.hinges.hinges.len()))?;
        let bytes = match &self.layout {
            Layout::Tracking(bodies) => tracking::write(&written, *bodies, step_secs),
            Layout::Gmr => pickle::write(&written, step_secs),
            Layout::Unitree { .. } | Layout::Seed => rows::write_csv(&written, &self.layout, step_secs).into_bytes(),
            _ => rows::write_json(&written, &self.layout, step_secs).into_bytes(),
        };
        Ok(WrittenFile {
            bytes,
            ..WrittenFile::default()
        })
    }

    fn copies(&self, period_secs: f64) -> usize {
        match self.layout {
            Layout::Tracking(_) => (tracking::UNROLLED_SECS / period_secs).ceil().max(1.0) as usize,
            _ => 1,
        }
    }
}

/// Rates that differ by less than this part are the same, one of them rounded.
const SAME_RATE: f64 = 1e-5;

/// Most numbers of a file.
const MAX_NUMBERS: usize = 1 << 28;
