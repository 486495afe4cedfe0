//! Written files in the programs that show them: the Khronos validator, Blender, three.js in a browser, Godot.

use std::path::PathBuf;

use glam::DVec3;
use loopwright_core::LoopClip;
use loopwright_formats::{Format, LoopWriteSettings, Source};
use serde_json::{Value, json};

use super::loops::{Looped, written};
use super::peers::{Answer, Peers, number, version};
use super::{Row, distance, worse, write};

pub(super) fn measure(made: &[Looped], peers: &Peers) -> Result<Vec<Row>, String> {
    let mut rows = vec![validator(made, peers)?];
    rows.extend(blender(made, peers)?);
    rows.push(browser(made, peers)?);
    rows.push(godot(made, peers)?);
    Ok(rows)
}

/// A loop in a file of its own.
struct Shown {
    path: PathBuf,
    source: Source,
    animation: String,
    /// Whether the loop was written into the file that its take was read from.
    is_inside: bool,
}

/// Writes a loop in a format, into the take's own file if that has the same format.
fn show(
    made: &Looped,
    clip: &LoopClip,
    format: Format,
    layout: &LoopWriteSettings,
    peers: &Peers,
) -> Result<Shown, String> {
    let source = made.source.in_format(format, &made.take);
    let file = written(clip, &source, layout).map_err(|error| format!("{}: {error}", made.file))?;
    let root = if layout.add_root { "-root" } else { "" };
    let name = format!("{}-{}{root}.{}", made.stem, layout.copies, format.extension());
    let path = peers.scratch.join(name);
    write(&path, &file.bytes)?;
    Ok(Shown {
        path,
        is_inside: made.source.can_be_extended() && made.source.keeps_all_in(format),
        source,
        animation: file.animation.unwrap_or_default(),
    })
}

/// World positions of a loop's joints at a key, with root motion on a root above them or on the joint that carried it.
fn joint_positions(clip: &LoopClip, key: usize, on_root: bool) -> Vec<DVec3> {
    if on_root {
        return clip.world_pose(key).translations;
    }
    clip.folded_pose(key).as_ref().world(clip.skeleton()).translations
}

fn validator(made: &[Looped], peers: &Peers) -> Result<Row, String> {
    let name = "Khronos validator".to_owned();
    let mut questions = Vec::new();
    let mut asked = Vec::new();
    for made in made {
        // Faults that the file had before the loop was written into it are not ours.
        let before = made.source.keeps_all_in(Format::Glb).then(|| {
            let path = peers.scratch.join(format!("{}-before", made.stem));
            write(&path, &made.bytes).map(|()| path)
        });
        let before = before.transpose()?;
        if let Some(path) = &before {
            questions.push(json!({"what": "valid", "file": path}));
        }
        for format in [Format::Glb, Format::Gltf] {
            for add_root in [true, false] {
                let layout = LoopWriteSettings {
                    add_root,
                    ..LoopWriteSettings::default()
                };
                let shown = show(made, &made.clip, format, &layout, peers)?;
                questions.push(json!({"what": "valid", "file": shown.path}));
            }
        }
        asked.push((made, before.is_some()));
    }
    let answers = match peers.node("gltf.mjs", &questions)? {
        Answer::Skipped(why) => return Ok(Row::Skipped(name, why)),
        Answer::Given(answers) => answers,
    };
    let mut answers = answers.iter();
    let (mut files, mut inside, mut faults) = (0, 0, Vec::new());
    for (made, has_before) in asked {
        let before = if has_before { answers.next() } else { None };
        for answer in answers.by_ref().take(4) {
            files += 1;
            inside += usize::from(has_before);
            let Some(codes) = answer.get("codes").and_then(Value::as_object) else {
                return Err(format!("{}: the validator says nothing", made.file));
            };
            for (code, times) in codes {
                let known = before.and_then(|before| before["codes"][code].as_f64()).unwrap_or(0.0);
                let times = times.as_f64().unwrap_or(f64::NAN);
                if exceeds(times, known) {
                    faults.push(format!("{}: {times} times {code}", made.file));
                }
            }
        }
    }
    faults.dedup();
    let faults = if faults.is_empty() {
        "none".to_owned()
    } else {
        faults.join("; ")
    };
    Ok(Row::Given(
        name,
        format!(
            "loops as glTF, {inside} of them in a take's file: errors and warnings that it had not before | {files} | {faults}"
        ),
    ))
}

/// One of our positions in Blender's world, which has Z up and follows the axes that a file states; still in our metres.
fn in_blender(position: DVec3, source: &Source) -> DVec3 {
    match source.capabilities().states_space {
        // Imported with the file's axes unchanged.
        false => source.space().turned_back(position),
        true => DVec3::new(position.x, -position.z, position.y),
    }
}

/// Blender's metres in one of ours: Blender trusts the unit that a file states, even if it gives a body of impossible size.
fn blender_per_metre(shown: &Shown, bytes: &[u8]) -> Result<f64, String> {
    let unit_metres = shown.source.space().unit_metres;
    Ok(match shown.source.format() {
        Format::Glb | Format::Gltf => 1.0 / unit_metres,
        Format::Fbx if shown.is_inside => {
            let scene = ufbx::load_memory(bytes, ufbx::LoadOpts::default());
            scene
                .map_err(|error| error.description.to_string())?
                .settings
                .unit_meters
                / unit_metres
        }
        _ => 1.0,
    })
}

/// Cycles in the files for Blender, so that a seam lies between keys.
const COPIES: usize = 2;

/// Layouts of a loop for Blender: the format, and whether a root joint is added.
const LAYOUTS: [(Format, bool); 5] = [
    (Format::Bvh, false),
    (Format::Glb, false),
    (Format::Glb, true),
    (Format::Fbx, false),
    (Format::Fbx, true),
];

/// Layouts for one loop: all formats with their default layout for a BVH take, its own format for any other take.
fn layouts(made: &Looped) -> &'static [(Format, bool)] {
    match made.source.format() {
        Format::Bvh => &[(Format::Bvh, false), (Format::Glb, true), (Format::Fbx, false)],
        Format::Fbx => &LAYOUTS[3..],
        _ => &LAYOUTS[1..3],
    }
}

fn names(made: &Looped) -> Vec<&str> {
    made.clip
        .skeleton()
        .joints()
        .iter()
        .map(|joint| joint.name.as_str())
        .collect()
}

/// Writes a loop for Blender; what is asked of it there.
fn asked_of_blender(made: &Looped, format: Format, add_root: bool, peers: &Peers) -> Result<Value, String> {
    let layout = LoopWriteSettings {
        add_root,
        copies: COPIES,
        ..LoopWriteSettings::default()
    };
    let shown = show(made, &made.clip, format, &layout, peers)?;
    let keys = 0..=COPIES * made.clip.num_samples();
    let keys: Vec<Vec<[f64; 3]>> = keys
        .map(|key| {
            let positions = joint_positions(&made.clip, key, add_root);
            positions
                .iter()
                .map(|position| in_blender(*position, &shown.source).to_array())
                .collect()
        })
        .collect();
    let before = format!("{}-before.{}", made.stem, format.extension());
    let before = peers.scratch.join(before);
    if shown.is_inside {
        write(&before, &made.bytes)?;
    }
    Ok(json!({
        "file": shown.path,
        "before": shown.is_inside.then_some(before),
        "per_metre": blender_per_metre(&shown, &made.bytes)?,
        "format": format.extension(),
        "unit_metres": shown.source.space().unit_metres,
        "rate_hz": 1.0 / made.clip.step_secs(),
        "animation": shown.animation,
        "joints": names(made),
        "keys": keys,
        "num_samples": made.clip.num_samples(),
    }))
}

fn blender(made: &[Looped], peers: &Peers) -> Result<Vec<Row>, String> {
    let (mut questions, mut asked) = (Vec::new(), Vec::new());
    for made in made {
        for &(format, add_root) in layouts(made) {
            questions.push(asked_of_blender(made, format, add_root, peers)?);
            asked.push(format);
        }
    }
    let answers = peers.blender(&questions)?;
    let row = |format: Format| {
        let name = format!("Blender, {}", format.extension());
        let answers = match &answers {
            Answer::Skipped(why) => return Row::Skipped(name, why.clone()),
            Answer::Given(answers) => answers,
        };
        let mine = asked.iter().zip(answers).filter(|(asked, _)| **asked == format);
        let mine: Vec<&Value> = mine.map(|(_, a)| a).collect();
        let compared = mine.iter().copied().filter(|answer| number(answer, "places") > 0.0);
        let compared: Vec<&Value> = compared.collect();
        let sum = |key: &str| compared.iter().map(|answer| number(answer, key)).sum::<f64>();
        let worst = compared.iter().map(|answer| number(answer, "worst")).fold(0.0, worse);
        Row::Given(
            name,
            format!(
                "loops, imported by {}: {} positions of joints, {} not found | {} of {} | {}",
                version("blender").unwrap_or_default(),
                sum("places"),
                sum("missing"),
                compared.len(),
                mine.len(),
                distance(worst)
            ),
        )
    };
    Ok([Format::Bvh, Format::Glb, Format::Fbx].map(row).into())
}

/// Whether a value is above a limit or not a number.
fn exceeds(value: f64, limit: f64) -> bool {
    value.is_nan() || value > limit
}

fn browser(made: &[Looped], peers: &Peers) -> Result<Row, String> {
    let name = "three.js in a browser".to_owned();
    let mut questions = Vec::new();
    for made in made {
        let shown = show(made, &made.in_place, Format::Glb, &LoopWriteSettings::default(), peers)?;
        questions.push(json!({
            "file": shown.path,
            "animation": shown.animation,
            "period_secs": made.in_place.period_secs(),
            "picture": shown.path.with_extension("png"),
        }));
    }
    let answers = match peers.node("browser.mjs", &questions)? {
        Answer::Skipped(why) => return Ok(Row::Skipped(name, why)),
        Answer::Given(answers) => answers,
    };
    let ratio = answers.iter().map(|answer| number(answer, "ratio")).fold(0.0, worse);
    let text = |key: &str| answers.first().and_then(|answer| answer[key].as_str()).unwrap_or("-");
    Ok(Row::Given(
        name,
        format!(
            "loops in place, played by three.js {} in {}: step over the seam over the largest elsewhere | {} | {ratio:.2}",
            text("three"),
            text("browser"),
            answers.len()
        ),
    ))
}

fn godot(made: &[Looped], peers: &Peers) -> Result<Row, String> {
    let name = "Godot".to_owned();
    let project = peers.scratch.join("godot");
    std::fs::create_dir_all(&project).map_err(|error| error.to_string())?;
    write(&project.join("project.godot"), b"config_version=4\n")?;
    let mut questions = Vec::new();
    for made in made.iter().filter(|made| made.source.format() == Format::Bvh) {
        let layout = LoopWriteSettings::default();
        let shown = show(made, &made.in_place, Format::Glb, &layout, peers)?;
        let file = format!("{}.glb", made.stem);
        std::fs::copy(&shown.path, project.join(&file)).map_err(|error| error.to_string())?;
        // The importer settings that the sidecar asks for: the loop's rate, and no optimizer that removes keys.
        let fps = (1.0 / made.in_place.step_secs()).round();
        write(
            &project.join(format!("{file}.import")),
            format!(
                "[remap]\nimporter=\"scene\"\ntype=\"PackedScene\"\n[params]\nanimation/import=true\nanimation/fps={fps}\n\
                 animation/optimizer/enabled=false\n"
            )
            .as_bytes(),
        )?;
        let keys: Vec<Vec<[f64; 3]>> = (0..=made.in_place.num_samples())
            .map(|key| {
                joint_positions(&made.in_place, key, false)
                    .iter()
                    .map(DVec3::to_array)
                    .collect()
            })
            .collect();
        questions.push(json!({
            "file": file,
            "step_secs": made.in_place.step_secs(),
            "period_secs": made.in_place.period_secs(),
            "joints": names(made),
            "keys": keys,
        }));
    }
    let answers = match peers.godot(&project, &questions)? {
        Answer::Skipped(why) => return Ok(Row::Skipped(name, why)),
        Answer::Given(answers) => answers,
    };
    let all = |key: &'static str| answers.iter().map(move |answer| number(answer, key));
    let looping = answers.iter().filter(|answer| answer["loops"] == true).count();
    Ok(Row::Given(
        name,
        format!(
            "loops in place, imported by {}, {looping} switched to loop: bones, {} not found; step over the seam | {} | {}; {:.2}",
            answers
                .first()
                .and_then(|answer| answer["godot"].as_str())
                .unwrap_or("-"),
            all("missing").sum::<f64>(),
            answers.len(),
            distance(all("worst").fold(0.0, worse)),
            all("ratio").fold(0.0, worse),
        ),
    ))
}
