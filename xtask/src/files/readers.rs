//! What is read, against other readers of the same files: ufbx for FBX, three.js for glTF.

use std::{fmt::Write, path::Path};

use glam::DVec3;
use loopwright_formats::{AnimationChoice, LoadedTake, ReadSettings, SpaceSettings, UnitChoice, UpChoice};
use serde_json::{Value, json};

use super::{
    SAME_PLACE_METRES, distance, loops,
    peers::{Answer, Peers, number},
};
use crate::{manifest::Row, road::median};

/// Frames from one that is compared to the next.
const STRIDE: usize = 10;

/// The section as Markdown.
pub(super) fn section(folder: &Path, rows: &[Row], peers: &Peers, page: &mut String) -> Result<(), String> {
    let _ = writeln!(
        page,
        "## Reading, against other readers\n\n\
         Places of joints in the world at every {STRIDE}th frame, of every animation of every FBX and glTF file. The same place is\n\
         one within {} mm; what is farther off is in bold.\n",
        1e3 * SAME_PLACE_METRES,
    );
    fbx(folder, rows, page)?;
    gltf(folder, rows, peers, page)
}

fn head(page: &mut String) {
    page.push_str("| file | animations | places | median | worst |\n| --- | --- | --- | --- | --- |\n");
}

fn row(page: &mut String, file: &str, animations: usize, places: usize, middle: f64, worst: f64) {
    let _ = writeln!(
        page,
        "| {file} | {animations} | {places} | {} | {} |",
        distance(middle),
        distance(worst)
    );
}

fn fbx(folder: &Path, rows: &[Row], page: &mut String) -> Result<(), String> {
    page.push_str("### FBX, against the scene that ufbx evaluates\n\n");
    head(page);
    let mut not_found = 0;
    for file in rows.iter().map(|row| &row.file).filter(|file| file.ends_with(".fbx")) {
        let bytes = std::fs::read(folder.join(file)).map_err(|error| format!("{file}: {error}"))?;
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
            let (_, LoadedTake { take, source }) = loops::read(folder, file, &settings)?;
            let Some(source) = source.as_fbx() else { continue };
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
                    let place = source.turn() * DVec3::new(m.m03, m.m13, m.m23) * source.space().unit_metres;
                    distances.push(world.position(frame, joint).distance(place));
                }
            }
            animations += 1;
        }
        let worst = distances.iter().copied().fold(0.0, f64::max);
        row(page, file, animations, distances.len(), median(&mut distances), worst);
    }
    if not_found > 0 {
        let _ = writeln!(
            page,
            "\n{not_found} places of nodes that ufbx has under another name are not compared."
        );
    }
    page.push('\n');
    Ok(())
}

/// The animations of a glTF file by number, with what is read of each, in the file's own unit and axes.
fn question(folder: &Path, file: &str) -> Result<Value, String> {
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
        let Ok((_, loaded)) = loops::read(folder, file, &settings) else {
            break;
        };
        let Some(source) = loaded.source.as_gltf() else { break };
        let world = loaded.take.world_tracks();
        let frames: Vec<Value> = (0..world.num_frames())
            .step_by(STRIDE)
            .map(|frame| {
                let places: Vec<[f64; 3]> = world.positions(frame).iter().map(DVec3::to_array).collect();
                json!({"secs": source.start_secs() + frame as f64 * source.frame_time_secs(), "places": places})
            })
            .collect();
        animations.push(json!({"nodes": source.nodes().collect::<Vec<_>>(), "frames": frames}));
    }
    // Of the file's own unit, metres are what reading takes it for.
    let (_, loaded) = loops::read(folder, file, &ReadSettings::default())?;
    Ok(json!({
        "what": "places",
        "file": folder.join(file),
        "unit_metres": loaded.source.space().unit_metres,
        "animations": animations,
    }))
}

fn gltf(folder: &Path, rows: &[Row], peers: &Peers, page: &mut String) -> Result<(), String> {
    page.push_str("### glTF, against three.js\n\n");
    let files: Vec<&String> = rows
        .iter()
        .map(|row| &row.file)
        .filter(|file| file.ends_with(".glb") || file.ends_with(".gltf"))
        .collect();
    let questions: Vec<Value> = files
        .iter()
        .map(|file| question(folder, file))
        .collect::<Result<_, _>>()?;
    match peers.node("gltf.mjs", &questions.into())? {
        Answer::Missing(what) => {
            let _ = writeln!(page, "Skipped: {what} is missing.\n");
        }
        Answer::Told(answers) => {
            head(page);
            for (file, answer) in files.iter().zip(&answers) {
                if let Some(fault) = answer.get("error").and_then(Value::as_str) {
                    return Err(format!("{file}: three.js: {fault}"));
                }
                let of_file = number(answer, "animations_of_file");
                let read = number(answer, "animations");
                let count = number(answer, "places") as usize;
                row(
                    page,
                    file,
                    read as usize,
                    count,
                    number(answer, "median"),
                    number(answer, "worst"),
                );
                if read != of_file {
                    return Err(format!("{file}: {read} of {of_file} animations are read"));
                }
            }
            if answers.len() != files.len() {
                return Err(format!(
                    "three.js answered for {} of {} files",
                    answers.len(),
                    files.len()
                ));
            }
            page.push('\n');
        }
    }
    Ok(())
}
