//! Loops read back: the file, the sidecar beside it, and the take they were cut from.

use std::path::Path;

use glam::DVec3;
use loopwright::{
    math::rigid::{Rigid, Twist},
    quality::KeyLayout,
    root_motion::{RootMode, RootTravel, Rooted, extract},
    take::{Clip, Cut, Take},
};
use loopwright_formats::{
    LoadedTake, Sidecar, SpaceSettings,
    sidecar::{RootFacts, TakeFacts},
};

use crate::{
    args::TakeArgs,
    commands::make,
    exit::Failure,
    load::{self, Loaded},
};

/// A loop as its file has it, or any other file that may be one.
pub(crate) struct WrittenLoop {
    /// What the file beside it says, where there is one.
    pub(crate) sidecar: Option<Sidecar>,
    /// The keys, on the take's own skeleton.
    pub(crate) written: Take,
    /// The file as a take.
    pub(crate) facts: TakeFacts,
    /// What is soft about it.
    pub(crate) warnings: Vec<String>,
}

/// Reads a loop and its sidecar. Errors: one of them cannot be read, or they do not belong together.
pub(crate) fn read(path: &Path, reading: &TakeArgs) -> Result<WrittenLoop, Failure> {
    let sidecar = read_sidecar(path)?;
    let space = SpaceSettings {
        up: reading.up,
        unit: reading.unit,
    };
    // A loop is in the space of its take; the sidecar knows it.
    let space = sidecar
        .as_ref()
        .map_or(space, |sidecar| load::stated_space(reading, &sidecar.take));
    let mut warnings = Vec::new();
    let file = load::read_take(path, &space, &mut warnings)?;
    let facts = load::take_facts(path, &file);
    Ok(WrittenLoop {
        written: unrooted(path, file, sidecar.as_ref())?,
        sidecar,
        facts,
        warnings: warnings.iter().map(ToString::to_string).collect(),
    })
}

/// What to try where a loop and its sidecar contradict each other.
pub(crate) const OTHER_SIDECAR: &str = "make the loop again, or remove the sidecar to check the loop by its keys alone";

/// Whether a sidecar lies beside a file: it is a loop then.
pub(crate) fn has_sidecar(path: &Path) -> bool {
    make::sidecar_path(path).exists()
}

/// The sidecar beside a loop; `None` where there is none, an error where there is one that cannot be read.
fn read_sidecar(path: &Path) -> Result<Option<Sidecar>, Failure> {
    if !has_sidecar(path) {
        return Ok(None);
    }
    let beside = make::sidecar_path(path);
    let bytes = load::read_bytes(&beside)?;
    Sidecar::from_json(&bytes).map(Some).map_err(|error| {
        Failure::error(format!("cannot read the sidecar \"{}\": {error}", beside.display()))
            .try_this("remove it to check the loop by its keys alone")
    })
}

/// The loop on the take's own skeleton: a root joint that was added is folded away.
fn unrooted(path: &Path, file: LoadedTake, sidecar: Option<&Sidecar>) -> Result<Take, Failure> {
    if !sidecar.is_some_and(|sidecar| sidecar.playback.root_joint_added) {
        return Ok(file.take);
    }
    file.take.without_root_joint().ok_or_else(|| {
        Failure::error(format!(
            "\"{}\" has no root joint above the hips, though its sidecar says so",
            path.display()
        ))
        .try_this(OTHER_SIDECAR)
    })
}

pub(crate) fn from_sidecar(written: &Take, sidecar: &Sidecar) -> Result<(KeyLayout, RootTravel, usize), Failure> {
    let name = &sidecar.playback.carrier_joint;
    let carrier = written.skeleton().find(name).ok_or_else(|| {
        Failure::error(format!("the loop has no joint \"{name}\", which its sidecar names")).try_this(OTHER_SIDECAR)
    })?;
    let layout = KeyLayout {
        num_samples: sidecar.playback.samples,
        has_closing_key: sidecar.playback.closing_key || sidecar.playback.copies > 1,
    };
    Ok((layout, root_travel(&sidecar.root), carrier))
}

/// The root's travel from its facts.
fn root_travel(facts: &RootFacts) -> RootTravel {
    RootTravel {
        mode: match facts.mode.as_str() {
            "in-place" => RootMode::InPlace,
            "keep" => RootMode::Keep,
            "path" => RootMode::Path,
            "world" => RootMode::World,
            _ => RootMode::Screw,
        },
        start: Rigid::from_yaw(
            facts.start_yaw_deg.to_radians(),
            DVec3::from_array(facts.start_position_m),
        ),
        twist: Twist {
            linear: DVec3::from_array(facts.twist_linear_mps),
            angular: DVec3::from_array(facts.twist_angular_radps),
        },
    }
}

/// Frame times that differ by a smaller share are the same but for rounding.
const SAME_FRAME_TIME: f64 = 1e-6;

/// The uncut frames that the loop was made from, seen from the same root.
pub(crate) fn source_of(
    take: &Loaded,
    sidecar: &Sidecar,
    written: &Take,
    root: RootTravel,
    carrier: usize,
) -> Result<Rooted, Failure> {
    let Loaded { path, file, .. } = take;
    let mismatch = |why: &str| {
        Failure::error(format!("\"{}\" is not the take of this loop: {why}", path.display()))
            .try_this(format!("--take {}", sidecar.take.file))
    };
    if file.take.num_joints() != written.num_joints() || file.take.num_frames() != sidecar.take.frames {
        return Err(mismatch(&format!(
            "it has {} joints and {} frames, the loop {} and its take {}",
            file.take.num_joints(),
            file.take.num_frames(),
            written.num_joints(),
            sidecar.take.frames
        )));
    }
    if (file.take.frame_time_secs() / sidecar.take.frame_time_secs - 1.0).abs() > SAME_FRAME_TIME {
        return Err(mismatch(&format!(
            "it has a frame each {} s, the take of the loop each {} s",
            file.take.frame_time_secs(),
            sidecar.take.frame_time_secs
        )));
    }
    let cut = Cut::new(&file.take, sidecar.candidate.start_frame, sidecar.candidate.end_frame)
        .map_err(|error| mismatch(&error.to_string()))?;
    let clip = Clip::new(&file.take, &cut, sidecar.playback.samples, written.frame_time_secs())
        .map_err(|error| mismatch(&error.to_string()))?;
    Ok(extract::relative_to(&clip, root, carrier))
}
