//! What survives a round trip through files: bytes outside the animation, and loops through every format.

use std::collections::HashMap;

use glam::DVec3;
use loopwright_core::{Take, math::rotation};
use loopwright_formats::{Format, LoopWriteSettings, ReadSettings, Source, read_take, write_take};
use serde_json::Value;

use super::loops::{Looped, written};
use super::{Row, distance};
use crate::takes::space_of;

pub(super) fn measure(made: &[Looped]) -> Result<Vec<Row>, String> {
    Ok(vec![through_all_formats(made)?, bytes_kept(made)?])
}

/// Fails if there are faults.
fn without(faults: &[String]) -> Result<(), String> {
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults.join("; "))
    }
}

/// The JSON of a glTF file and the bytes of its binary chunk.
fn parts_of(bytes: &[u8]) -> Result<(Value, Vec<u8>), String> {
    let parse = |text: &[u8]| serde_json::from_slice(text).map_err(|error| error.to_string());
    if !bytes.starts_with(b"glTF") {
        return Ok((parse(bytes)?, Vec::new()));
    }
    let chunk = |at: usize| -> Option<&[u8]> {
        let length = u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize;
        bytes.get(at + 8..at + 8 + length)
    };
    let text = chunk(12).ok_or("a binary file without JSON")?;
    let binary = chunk(20 + text.len()).unwrap_or_default();
    Ok((parse(text)?, binary.to_vec()))
}

/// Compares the buffers and parts of written files with those of the file that was read.
fn bytes_kept(made: &[Looped]) -> Result<Row, String> {
    let (mut files, mut num_bytes, mut num_parts, mut faults) = (0, 0, 0, Vec::new());
    for made in made.iter().filter(|made| made.source.format() == Format::Glb) {
        let layout = LoopWriteSettings {
            add_root: true,
            ..LoopWriteSettings::default()
        };
        let after = written(&made.clip, &made.source, &layout)?.bytes;
        let (json, binary) = parts_of(&made.bytes)?;
        let (new_json, new_binary) = parts_of(&after)?;
        let stated = json["buffers"][0]["byteLength"].as_u64().unwrap_or(0) as usize;
        let before = &binary[..stated.min(binary.len())];
        if !new_binary.starts_with(before) {
            faults.push(format!("{}: bytes of the buffer", made.file));
        }
        files += 1;
        num_bytes += before.len();
        // A loop adds its parts behind the existing ones; nodes get a parent.
        let Some(fields) = json.as_object() else { continue };
        for (name, old) in fields {
            let new = &new_json[name];
            let is_kept = match (old.as_array(), name.as_str()) {
                (_, "nodes" | "scenes") => true,
                (_, "buffers") => true,
                (Some(old), _) => new.as_array().is_some_and(|new| new.starts_with(old)),
                (None, _) => new == old,
            };
            num_parts += old.as_array().map_or(1, Vec::len);
            if !is_kept {
                faults.push(format!("{}: {name}", made.file));
            }
        }
    }
    without(&faults)?;
    Ok(Row::Given(
        "a `.glb` with a loop written into it".to_owned(),
        format!("bytes of its buffers ({num_bytes}) and parts of its JSON ({num_parts}) | {files} | all kept"),
    ))
}

/// Largest differences between two takes: degrees of a joint in its parent, and metres of a joint in the world.
fn differences(one: &Take, other: &Take) -> Result<(f64, f64), String> {
    let (joints, frames) = (one.num_joints(), one.num_frames());
    if (other.num_joints(), other.num_frames()) != (joints, frames) {
        return Err(format!(
            "{joints} joints and {frames} frames became {} and {}",
            other.num_joints(),
            other.num_frames()
        ));
    }
    // Joints may change their order, but not their names.
    let names: HashMap<&str, usize> = (other.skeleton().joints().iter().enumerate())
        .map(|(index, joint)| (joint.name.as_str(), index))
        .collect();
    let twins: Vec<usize> = (one.skeleton().joints().iter())
        .map(|joint| {
            let twin = names.get(joint.name.as_str());
            twin.copied().ok_or_else(|| format!("{} is lost", joint.name))
        })
        .collect::<Result<_, _>>()?;
    let (world, other_world) = (one.world_tracks(), other.world_tracks());
    let (mut degrees, mut metres) = (0.0_f64, 0.0_f64);
    for frame in 0..frames {
        for (joint, &twin) in twins.iter().enumerate() {
            let turn = rotation::difference(one.rotations(frame)[joint], other.rotations(frame)[twin]);
            degrees = degrees.max(DVec3::length(turn).to_degrees());
            metres = metres.max(world.position(frame, joint).distance(other_world.position(frame, twin)));
        }
    }
    Ok((degrees, metres))
}

/// Largest rotation error of a loop after all formats, degrees.
const KEPT_DEGREES: f64 = 0.01;

fn through_all_formats(made: &[Looped]) -> Result<Row, String> {
    let (mut loops, mut keys, mut worst_degrees, mut worst_metres) = (0, 0, 0.0_f64, 0.0_f64);
    let mut faults = Vec::new();
    for made in made.iter().filter(|made| made.source.format() == Format::Bvh) {
        let differences_of = || -> Result<(usize, f64, f64), String> {
            let known = ReadSettings::in_space(space_of(&made.source));
            let read = |bytes: &[u8], settings: &ReadSettings<'_>| {
                read_take(bytes, "loop", settings, &mut Vec::new()).map_err(|error| error.to_string())
            };
            let first = written(&made.clip, &made.source, &LoopWriteSettings::default())?.bytes;
            let first = read(&first, &known)?.take;
            let mut take = first.clone();
            // glTF and FBX state their space.
            for format in [Format::Glb, Format::Fbx] {
                let source = Source::for_take(&take, format);
                let file = write_take(&take, &source).map_err(|error| error.to_string())?;
                take = read(&file.bytes, &ReadSettings::default())?.take;
            }
            let last = write_take(&take, &made.source).map_err(|error| error.to_string())?;
            let last = read(&last.bytes, &known)?.take;
            let (degrees, metres) = differences(&first, &last)?;
            Ok((first.num_frames(), degrees, metres))
        };
        loops += 1;
        match differences_of() {
            Ok((count, degrees, metres)) => {
                keys += count;
                worst_degrees = worst_degrees.max(degrees);
                worst_metres = worst_metres.max(metres);
                if degrees > KEPT_DEGREES {
                    faults.push(format!("{}: {degrees:.4} degrees", made.file));
                }
            }
            Err(fault) => faults.push(format!("{}: {fault}", made.file)),
        }
    }
    without(&faults)?;
    Ok(Row::Given(
        "loopwright".to_owned(),
        format!(
            "loops from BVH to GLB to FBX to BVH: {keys} keys | {loops} | {}, {worst_degrees:.3} degrees",
            distance(worst_metres)
        ),
    ))
}
