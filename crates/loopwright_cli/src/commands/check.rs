//! `loopwright check`: does the seam show?

use std::path::Path;

use glam::DVec3;
use loopwright::{
    analysis::body::Body,
    math::rigid::{Rigid, Twist},
    quality::{self, KeyLayout, LoopKeys},
    root_motion::{RootMode, RootTravel, Rooted, extract},
    take::{Clip, Cut, Take},
};
use loopwright_formats::{LoadedTake, Sidecar, SpaceSettings, sidecar::RootFacts};

use crate::{
    args::{CheckArgs, TakeArgs},
    commands::make,
    exit::{Ending, Failure},
    load::{self, Loaded},
    output,
    report::{facts, human, json, json::Verdict},
    talk,
};

pub(crate) fn run(args: &CheckArgs) -> Result<Ending, Failure> {
    let take = args
        .take
        .as_ref()
        .map(|take| load::load(take, &args.reading))
        .transpose()?;
    let mut verdicts = Vec::new();
    let (mut failed, mut negative) = (0, false);
    for path in &args.loops {
        match check(path, &args.reading, take.as_ref()) {
            Ok(verdict) => {
                negative |= verdict.verdict == "pops";
                if !args.json {
                    for warning in &verdict.warnings {
                        talk::warn(&format!("{}: {warning}", path.display()));
                    }
                    output::print(&human::verdict(&verdict))?;
                }
                verdicts.push(verdict);
            }
            // One bad file does not stop the others; it is told now and counted at the end.
            Err(failure) => {
                talk::fail(&failure);
                failed += 1;
                verdicts.push(Verdict {
                    file: path.display().to_string(),
                    verdict: "error",
                    take: None,
                    candidate: None,
                    root: None,
                    quality: None,
                    warnings: vec![failure.what().to_owned()],
                });
            }
        }
    }
    if args.json {
        output::print(&json::check(&verdicts))?;
    }
    if failed > 0 {
        return Err(Failure::error(format!(
            "{failed} of {} loops could not be checked",
            args.loops.len()
        )));
    }
    Ok(if negative { Ending::Negative } else { Ending::Done })
}

/// What to try where a loop and its sidecar contradict each other.
const OTHER_SIDECAR: &str = "make the loop again, or remove the sidecar to check the loop by its keys alone";

/// The verdict on one loop. Errors: the file or its sidecar cannot be read, or do not belong together.
fn check(path: &Path, reading: &TakeArgs, take: Option<&Loaded>) -> Result<Verdict, Failure> {
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
    let mut warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    let facts = load::take_facts(path, &file);
    let written = unrooted(path, file, sidecar.as_ref())?;
    let body = Body::find(&written, &load::overrides(reading)).map_err(load::body_failure)?;

    let (layout, root, carrier) = match &sidecar {
        Some(sidecar) => from_sidecar(&written, sidecar)?,
        None => {
            let carrier = quality::topmost_moving(&written, &body);
            let seen = quality::recognise(&written, &body, carrier).map_err(|error| {
                Failure::error(format!("cannot check \"{}\": {error}", path.display()))
                    .try_this("a loop of 3 or more frames")
            })?;
            let key = if seen.layout.has_closing_key {
                "the last key is taken for the first one again"
            } else {
                "the last key is taken for the last sample before the first comes again"
            };
            warnings.push(format!("no sidecar: {key}, and the travel is told from the keys"));
            (seen.layout, seen.root, seen.carrier)
        }
    };
    // Folding an added root joint away leaves the travel on the topmost joint, whichever had it in the take.
    let root_added = sidecar
        .as_ref()
        .is_some_and(|sidecar| sidecar.playback.root_joint_added);
    let keys_carrier = if root_added { 0 } else { carrier };
    let keys = LoopKeys::new(&written, layout, root, keys_carrier).map_err(|error| {
        Failure::error(format!("cannot check \"{}\": {error}", path.display())).try_this(OTHER_SIDECAR)
    })?;
    let source = match (take, &sidecar) {
        (Some(take), Some(sidecar)) => Some(source_of(take, sidecar, &written, root, carrier)?),
        (Some(_), None) => {
            warnings.push("no sidecar: which frames of the take the loop was cut from is not known".to_owned());
            None
        }
        (None, _) => None,
    };
    let quality = quality::measure(&keys, &body, source.as_ref());
    if quality.pops() && sidecar.is_none() && !layout.has_closing_key {
        warnings.push(
            "the verdict rests on a travel told from open keys; keep the sidecar beside the loop, or write the closing key"
                .to_owned(),
        );
    }
    let verdict = if quality.pops() { "pops" } else { "loops" };
    Ok(Verdict {
        file: path.display().to_string(),
        verdict,
        take: Some(facts),
        candidate: sidecar.map(|sidecar| sidecar.candidate),
        root: Some(facts::root(&root)),
        quality: Some(facts::quality(&quality, None)),
        warnings,
    })
}

/// The sidecar beside a loop; `None` where there is none, an error where there is one that cannot be read.
fn read_sidecar(path: &Path) -> Result<Option<Sidecar>, Failure> {
    let beside = make::sidecar_path(path);
    if !beside.exists() {
        return Ok(None);
    }
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

fn from_sidecar(written: &Take, sidecar: &Sidecar) -> Result<(KeyLayout, RootTravel, usize), Failure> {
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
fn source_of(
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
