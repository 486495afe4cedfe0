//! Our readers, compared with other readers of the same files: ufbx for FBX, three.js for glTF.

use glam::DVec3;
use loopwright_formats::{
    AnimationChoice, Format, LoadedTake, ReadSettings, Source, SpaceSettings, UnitChoice, UpChoice,
};
use serde_json::{Value, json};

use super::peers::{Answer, Peers, number};
use super::{Row, distance, worse};
use crate::takes::Captured;

/// Frames between compared frames.
const STRIDE: usize = 10;

pub(super) fn measure(captured: &Captured, peers: &Peers) -> Result<Vec<Row>, String> {
    Ok(vec![fbx(captured)?, gltf(captured, peers)?])
}

/// FBX, compared with the scene that ufbx evaluates.
fn fbx(captured: &Captured) -> Result<Row, String> {
    let files = captured.files(&[Format::Fbx]);
    let (mut count, mut animations, mut worst) = (0, 0, 0.0);
    for file in &files {
        let (bytes, _) = captured.read(file, &ReadSettings::default())?;
        let scene = ufbx::load_memory(&bytes, ufbx::LoadOpts::default())
            .map_err(|error| format!("{file}: ufbx: {}", &*error.description))?;
        for stack in &scene.anim_stacks {
            // One of the files has an animation without keys or range.
            if stack.time_end <= stack.time_begin {
                continue;
            }
            let settings = ReadSettings {
                animation: AnimationChoice::Given(&stack.element.name),
                ..ReadSettings::default()
            };
            let (_, LoadedTake { take, source, .. }) = captured.read(file, &settings)?;
            let unit_metres = source.space().unit_metres;
            let Source::Fbx(source) = source else { continue };
            let world = take.world_tracks();
            for frame in (0..take.num_frames()).step_by(STRIDE) {
                let secs = source.begin_secs() + frame as f64 * take.frame_time_secs();
                let evaluated = ufbx::evaluate_scene(&scene, &stack.anim, secs, ufbx::EvaluateOpts::default())
                    .map_err(|error| format!("{file}: ufbx: {}", &*error.description))?;
                for (joint, known) in take.skeleton().joints().iter().enumerate() {
                    let node = evaluated.find_node(&known.name);
                    let node = node.ok_or_else(|| format!("{file}: ufbx has no {}", known.name))?;
                    let m = &node.node_to_world;
                    let position = source.turn() * DVec3::new(m.m03, m.m13, m.m23) * unit_metres;
                    worst = worse(worst, world.position(frame, joint).distance(position));
                    count += 1;
                }
            }
            animations += 1;
        }
    }
    Ok(Row::Given(
        "ufbx".to_owned(),
        format!(
            "FBX as loopwright reads it: {count} positions of joints in {animations} animations | {} | {}",
            files.len(),
            distance(worst)
        ),
    ))
}

/// The animations of a glTF file by number, as read, in the file's own unit and axes.
fn question(captured: &Captured, file: &str) -> Result<Value, String> {
    let mut animations = Vec::new();
    for number in 0.. {
        let name = number.to_string();
        let settings = ReadSettings {
            space: SpaceSettings::new(UpChoice::Y, UnitChoice::Metres(1.0)),
            animation: AnimationChoice::Given(&name),
            ..ReadSettings::default()
        };
        let Ok((_, loaded)) = captured.read(file, &settings) else {
            break;
        };
        let frame_time_secs = loaded.source.frame_time_secs();
        let Source::Gltf(source) = loaded.source else { break };
        let world = loaded.take.world_tracks();
        let frames: Vec<Value> = (0..world.num_frames())
            .step_by(STRIDE)
            .map(|frame| {
                let places: Vec<[f64; 3]> = world.positions(frame).iter().map(DVec3::to_array).collect();
                json!({"secs": source.start_secs() + frame as f64 * frame_time_secs, "places": places})
            })
            .collect();
        animations.push(json!({"nodes": source.nodes().collect::<Vec<_>>(), "frames": frames}));
    }
    // Metres per unit of the file, as the reader takes it.
    let (_, loaded) = captured.read(file, &ReadSettings::default())?;
    Ok(json!({
        "what": "places",
        "file": captured.folder.join(file),
        "unit_metres": loaded.source.space().unit_metres,
        "animations": animations,
    }))
}

/// glTF, compared with three.js.
fn gltf(captured: &Captured, peers: &Peers) -> Result<Row, String> {
    let name = "three.js".to_owned();
    let files = captured.files(&[Format::Glb, Format::Gltf]);
    let questions = files.iter().map(|file| question(captured, file));
    let questions = questions.collect::<Result<Vec<_>, _>>()?;
    let answers = match peers.node("gltf.mjs", &questions)? {
        Answer::Skipped(why) => return Ok(Row::Skipped(name, why)),
        Answer::Given(answers) => answers,
    };
    let (mut count, mut animations, mut farthest) = (0.0, 0.0, 0.0);
    for (file, answer) in files.iter().zip(&answers) {
        if let Some(fault) = answer.get("error").and_then(Value::as_str) {
            return Err(format!("{file}: three.js: {fault}"));
        }
        let [read, of_file, places, worst] =
            ["animations", "animations_of_file", "places", "worst"].map(|key| number(answer, key));
        if read != of_file {
            return Err(format!("{file}: {read} of {of_file} animations are read"));
        }
        count += places;
        animations += read;
        farthest = worse(farthest, worst);
    }
    Ok(Row::Given(
        name,
        format!(
            "glTF as loopwright reads it: {count} positions of joints in {animations} animations | {} | {}",
            files.len(),
            distance(farthest)
        ),
    ))
}
