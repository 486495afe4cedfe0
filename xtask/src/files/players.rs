//! Written files in the programs that show them: the Khronos validator, Blender, three.js in a browser, Godot.

use std::path::PathBuf;

use glam::DVec3;
use loopwright::LoopClip;
use loopwright_formats::{Format, LoopWriteSettings, Source};
use serde_json::{Value, json};

use super::{
    SAME_PLACE_METRES, distance,
    loops::{Looped, written},
    peers::{Answer, Peers, number, version},
    write,
};
use crate::{
    page::Sections,
    statistics::median,
    table::{Table, list},
};

pub(super) fn measure(made: &[Looped], peers: &Peers, sections: &mut Sections) -> Result<(), String> {
    sections.add("validator", validator(made, peers)?);
    let (blender, off) = blender(made, peers)?;
    sections.add("blender", blender);
    sections.add("blender-off", off);
    sections.add("browser", browser(made, peers)?);
    sections.add("godot", godot(made, peers)?);
    Ok(())
}

/// A count, with the counted names in parentheses.
fn counted(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        _ => format!("**{}** ({})", names.len(), names.join("; ")),
    }
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

fn validator(made: &[Looped], peers: &Peers) -> Result<String, String> {
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
        Answer::Skipped(why) => return Ok(why),
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
    let mut table = Table::new("files | loops inside a glTF file | errors and warnings that were not there before");
    table.row(format_args!("{files} | {inside} | {}", counted(&faults)));
    Ok(table.to_string())
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

/// A loop in a file for Blender.
struct ForBlender<'a> {
    made: &'a Looped,
    format: Format,
    add_root: bool,
    is_inside: bool,
}

impl ForBlender<'_> {
    fn kind(&self) -> String {
        format!(
            "{}{}, {}",
            self.format.extension(),
            if self.add_root { " with a root joint" } else { "" },
            if self.is_inside {
                "into the take's file"
            } else {
                "fresh"
            }
        )
    }

    /// Why a loop is not compared, or where it lies elsewhere.
    fn fault(&self, answer: &Value) -> Option<String> {
        let why = if answer["before_fails"] == true {
            "Blender does not import the file without the loop either".to_owned()
        } else if number(answer, "places") == 0.0 {
            "no joint has a name to find it by".to_owned()
        } else if let Some(error) = answer.get("error").and_then(Value::as_str) {
            format!("**{error}**")
        } else if exceeds(number(answer, "worst"), SAME_PLACE_METRES) {
            let (joint, key) = (&answer["worst_joint"], &answer["worst_key"]);
            let worst = distance(number(answer, "worst"));
            format!("{worst} at joint {joint}, key {key}")
        } else {
            return None;
        };
        Some(format!("{} as {}: {why}", self.made.file, self.kind()))
    }
}

/// Writes a loop for Blender; what is asked of it there.
fn asked_of_blender<'a>(
    made: &'a Looped,
    format: Format,
    add_root: bool,
    peers: &Peers,
) -> Result<(ForBlender<'a>, Value), String> {
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
    let question = json!({
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
    });
    let asked = ForBlender {
        made,
        format,
        add_root,
        is_inside: shown.is_inside,
    };
    Ok((asked, question))
}

/// The table, and the list of loops that are not compared or whose joints lie elsewhere.
fn blender(made: &[Looped], peers: &Peers) -> Result<(String, String), String> {
    let (mut questions, mut asked) = (Vec::new(), Vec::new());
    for made in made {
        for &(format, add_root) in layouts(made) {
            let (file, question) = asked_of_blender(made, format, add_root, peers)?;
            asked.push(file);
            questions.push(question);
        }
    }
    let answers = match peers.blender(&questions)? {
        Answer::Skipped(why) => return Ok((why.clone(), why)),
        Answer::Given(answers) => answers,
    };
    let mut table = Table::new(&format!(
        "{} | loops compared | positions | joints not found | median of medians | worst | worst over the seam",
        version("blender").unwrap_or_default()
    ));
    let mut off = Vec::new();
    for &(format, add_root) in &LAYOUTS {
        for is_inside in [false, true] {
            let of_kind =
                |file: &ForBlender<'_>| (file.format, file.add_root, file.is_inside) == (format, add_root, is_inside);
            let mine: Vec<(&ForBlender<'_>, &Value)> =
                (asked.iter().zip(&answers)).filter(|(file, _)| of_kind(file)).collect();
            let Some((first, _)) = mine.first() else {
                continue;
            };
            let compared: Vec<&Value> = mine
                .iter()
                .map(|(_, answer)| *answer)
                .filter(|a| number(a, "places") > 0.0)
                .collect();
            let largest = |key: &str| compared.iter().map(|answer| number(answer, key)).fold(0.0, worse);
            let sum = |key: &str| compared.iter().map(|answer| number(answer, key)).sum::<f64>();
            table.row(format_args!(
                "{} | {} of {} | {} | {} | {} | {} | {}",
                first.kind(),
                compared.len(),
                mine.len(),
                sum("places"),
                sum("missing"),
                distance(median(compared.iter().map(|answer| number(answer, "median")))),
                distance(largest("worst")),
                distance(largest("seam")),
            ));
            off.extend(mine.iter().filter_map(|(file, answer)| file.fault(answer)));
        }
    }
    Ok((table.to_string(), list(&off)))
}

/// Whether a value is above a limit or not a number.
fn exceeds(value: f64, limit: f64) -> bool {
    value.is_nan() || value > limit
}

/// The larger of two values; NaN counts as larger than any number.
fn worse(p: f64, q: f64) -> f64 {
    if p.is_nan() || q.is_nan() { f64::NAN } else { p.max(q) }
}

/// Largest ratio of the step over the seam to the largest step elsewhere that stays invisible.
const SEAM_LIMIT: f64 = 1.1;

fn browser(made: &[Looped], peers: &Peers) -> Result<String, String> {
    let (mut questions, mut asked) = (Vec::new(), Vec::new());
    for made in made {
        let layout = LoopWriteSettings::default();
        let shown = show(made, &made.in_place, Format::Glb, &layout, peers)?;
        questions.push(json!({
            "file": shown.path,
            "animation": shown.animation,
            "period_secs": made.in_place.period_secs(),
            "picture": shown.path.with_extension("png"),
        }));
        asked.push(made);
    }
    let answers = match peers.node("browser.mjs", &questions)? {
        Answer::Skipped(why) => return Ok(why),
        Answer::Given(answers) => answers,
    };
    let ratios: Vec<f64> = answers.iter().map(|answer| number(answer, "ratio")).collect();
    let over: Vec<String> = (asked.iter().zip(&ratios))
        .filter(|(_, ratio)| exceeds(**ratio, SEAM_LIMIT))
        .map(|(made, ratio)| {
            let whole = if made.is_found { "" } else { ", a whole take" };
            format!("{} {ratio:.2}{whole}", made.file)
        })
        .collect();
    let blank: Vec<String> = (asked.iter().zip(&answers))
        .filter(|(_, answer)| exceeds(1.5 - number(answer, "colours"), 0.0))
        .map(|(made, _)| made.file.clone())
        .collect();
    let mut table = Table::new(&format!(
        "browser | three.js | loops | step over the seam: median | worst | above {SEAM_LIMIT} | draw nothing"
    ));
    let text = |key: &str| answers.first().and_then(|answer| answer[key].as_str()).unwrap_or("-");
    table.row(format_args!(
        "{} | {} | {} | {:.2} | {:.2} | {} | {}",
        text("browser"),
        text("three"),
        answers.len(),
        median(ratios.iter().copied()),
        ratios.iter().copied().fold(0.0, worse),
        counted(&over),
        counted(&blank),
    ));
    Ok(table.to_string())
}

fn godot(made: &[Looped], peers: &Peers) -> Result<String, String> {
    let project = peers.scratch.join("godot");
    std::fs::create_dir_all(&project).map_err(|error| error.to_string())?;
    write(&project.join("project.godot"), b"config_version=4\n")?;
    let mut questions = Vec::new();
    for made in made.iter().filter(|made| made.source.format() == Format::Bvh) {
        let layout = LoopWriteSettings::default();
        let shown = show(made, &made.in_place, Format::Glb, &layout, peers)?;
        let name = format!("{}.glb", made.stem);
        std::fs::copy(&shown.path, project.join(&name)).map_err(|error| error.to_string())?;
        // The importer settings that the sidecar asks for: the loop's rate, and no optimizer that removes keys.
        let fps = (1.0 / made.in_place.step_secs()).round();
        write(
            &project.join(format!("{name}.import")),
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
            "file": name,
            "step_secs": made.in_place.step_secs(),
            "period_secs": made.in_place.period_secs(),
            "joints": names(made),
            "keys": keys,
        }));
    }
    let answers = match peers.godot(&project, &questions)? {
        Answer::Skipped(why) => return Ok(why),
        Answer::Given(answers) => answers,
    };
    let all = |key: &'static str| answers.iter().map(move |answer| number(answer, key));
    let looping = answers.iter().filter(|answer| answer["loops"] == true).count();
    let mut table = Table::new(
        "Godot | loops imported | looping switched on | bones off at worst | bones not found | step over the seam: median | \
         worst",
    );
    table.row(format_args!(
        "{} | {} | {looping} | {} | {} | {:.2} | {:.2}",
        answers
            .first()
            .and_then(|answer| answer["godot"].as_str())
            .unwrap_or("-"),
        answers.len(),
        distance(all("worst").fold(0.0, worse)),
        all("missing").sum::<f64>(),
        median(all("ratio")),
        all("ratio").fold(0.0, worse),
    ));
    Ok(table.to_string())
}
