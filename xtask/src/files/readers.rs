//! Our readers, compared with other readers of the same files: ufbx for FBX, three.js for glTF.

use glam::DVec3;
use loopwright_formats::{
    AnimationChoice, Format, LoadedTake, ReadSettings, Source, SpaceSettings, UnitChoice, UpChoice,
};
use serde_json::{Value, json};

use super::{
    distance,
    peers::{Answer, Peers, number},
};
use crate::{page::Sections, statistics::Sorted, table::Table, takes::Captured};

/// Frames between compared frames.
const STRIDE: usize = 10;

pub(super) fn measure(captured: &Captured, peers: &Peers, sections: &mut Sections) -> Result<(), String> {
    let (table, not_found) = fbx(captured)?;
    sections.add("reading-fbx", table);
    let mut names = Table::new("positions of nodes that ufbx has under another name, not compared");
    names.row(not_found);
    sections.add("not-found", names);
    sections.add("reading-gltf", gltf(captured, peers)?);
    Ok(())
}

fn table() -> Table {
    Table::new("file | animations | positions | median | worst")
}

/// FBX, compared with the scene that ufbx evaluates, and the number of positions that are missing there.
fn fbx(captured: &Captured) -> Result<(Table, usize), String> {
    let mut table = table();
    let mut not_found = 0;
    for file in captured.files(&[Format::Fbx]) {
        let (bytes, _) = captured.read(file, &ReadSettings::default())?;
        let scene = ufbx::load_memory(&bytes, ufbx::LoadOpts::default())
            .map_err(|error| format!("{file}: ufbx: {}", &*error.description))?;
        let (mut distances, mut animations) = (Vec::new(), 0);
        for stack in &scene.anim_stacks {
            // One of the files has an animation without keys or range.
            if stack.time_end <= stack.time_begin {
                continue;
            }
            let settings = ReadSettings {
                animation: AnimationChoice::Given(&stack.element.name),
                ..ReadSettings::default()
            };
            let (_, LoadedTake { take, source }) = captured.read(file, &settings)?;
            let unit_metres = source.space().unit_metres;
            let Source::Fbx(source) = source else { continue };
            let world = take.world_tracks();
            for frame in (0..take.num_frames()).step_by(STRIDE) {
                let secs = source.begin_secs() + frame as f64 * take.frame_time_secs();
                let evaluated = ufbx::evaluate_scene(&scene, &stack.anim, secs, ufbx::EvaluateOpts::default())
                    .map_err(|error| format!("{file}: ufbx: {}", &*error.description))?;
                for (joint, known) in take.skeleton().joints().iter().enumerate() {
                    let Some(node) = evaluated.find_node(&known.name) else {
                        not_found += 1;
                        continue;
                    };
                    let m = &node.node_to_world;
                    let position = source.turn() * DVec3::new(m.m03, m.m13, m.m23) * unit_metres;
                    distances.push(world.position(frame, joint).distance(position));
                }
            }
            animations += 1;
        }
        let distances: Sorted = distances.into_iter().collect();
        table.row(format_args!(
            "{file} | {animations} | {} | {} | {}",
            distances.len(),
            distance(distances.median()),
            distance(distances.largest())
        ));
    }
    Ok((table, not_found))
}

/// The animations of a glTF file by number, as read, in the file's own unit and axes.
fn question(captured: &Captured, file: &str) -> Result<Value, String> {
    let mut animations = Vec::new();
    for number in 0.. {
        let name = number.to_string();
        let settings = ReadSettings {
            space: SpaceSettings {
                up: UpChoice::Y,
                unit: UnitChoice::Metres(1.0),
            },
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
fn gltf(captured: &Captured, peers: &Peers) -> Result<String, String> {
    let files = captured.files(&[Format::Glb, Format::Gltf]);
    let questions = files.iter().map(|file| question(captured, file));
    let questions = questions.collect::<Result<Vec<_>, _>>()?;
    let answers = match peers.node("gltf.mjs", &questions)? {
        Answer::Skipped(why) => return Ok(why),
        Answer::Given(answers) => answers,
    };
    let mut table = table();
    for (file, answer) in files.iter().zip(&answers) {
        if let Some(fault) = answer.get("error").and_then(Value::as_str) {
            return Err(format!("{file}: three.js: {fault}"));
        }
        let [read, of_file, places] = ["animations", "animations_of_file", "places"].map(|count| number(answer, count));
        if read != of_file {
            return Err(format!("{file}: {read} of {of_file} animations are read"));
        }
        let [median, worst] = ["median", "worst"].map(|metres| distance(number(answer, metres)));
        table.row(format_args!("{file} | {read} | {places} | {median} | {worst}"));
    }
    Ok(table.to_string())
}
