//! Sets that are played by their manifest.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use eframe::egui::{Key, accesskit::Role, vec2};
use egui_kittest::kittest::Queryable as _;
use loopwright_formats::{Format, load};
use loopwright_job::{Recipe, Study};
use loopwright_sets::road::{HeldSetFile, MakeSetError, SetSettings, make_set};
use loopwright_studio::{
    Action,
    model::{Edit, Exported, Made, Opened, Shown},
};
use loopwright_synth::WalkSettings;
use serde_json::json;

use super::driven::{Driven, command, studio, walk};

/// A set of two walks, arcs, and a clip that happens once.
fn write_set(folder: &Path) {
    let mut clips = Vec::new();
    let mut points = Vec::new();
    for (name, speed, period) in [("stroll", 0.9, 1.2), ("walk", 1.4, 1.0)] {
        let settings = WalkSettings::default()
            .seconds(6.0)
            .period_secs(period)
            .speed_mps(speed);
        let opened = Opened::read("a.bvh", walk(Format::Bvh, &settings)).unwrap();
        let made = Made::of(&opened, &Edit::first(&opened)).unwrap();
        let exported = Exported::of(&opened, &made, Format::Glb).unwrap();
        std::fs::write(folder.join(format!("{name}.glb")), &exported.bytes).unwrap();
        let clip = &made.done.made.loop_clip;
        points.push(json!({ "clip": name, "at": [speed, 0.0] }));
        clips.push(json!({
            "name": name, "file": format!("{name}.glb"), "animation": null, "kind": "loop",
            "seconds": clip.period_secs(), "frames": clip.num_samples(),
            "phase": { "warp": 0.0, "left": 0.0, "right": 0.5 },
            "twist": { "linear": [0.0, 0.0, speed], "angular": [0.0, 0.0, 0.0] },
            "events": [
                { "secs": 0.0, "phase": 0.0, "foot": "left", "kind": "strike" },
                { "secs": 0.6 * period, "phase": 0.6, "foot": "left", "kind": "lift" },
            ],
        }));
    }
    // Arcs by the same stroll, to turn by.
    for (name, degrees) in [("stroll_left", 60.0_f64), ("stroll_right", -60.0)] {
        let mut arc = clips[0].clone();
        arc["name"] = json!(name);
        arc["twist"]["angular"] = json!([0.0, degrees.to_radians(), 0.0]);
        points.push(json!({ "clip": name, "at": [0.9, degrees] }));
        clips.push(arc);
    }
    let (keys, frames) = (31, 30);
    let rotations = [0.0, 0.0, 0.0, 1.0].repeat(keys);
    clips.push(json!({
        "name": "start_walk", "file": "walk.glb", "animation": null, "kind": "start", "seconds": 1.0, "frames": frames,
        "from": { "clip": "stroll", "secs": 0.1 }, "to": { "clip": "walk", "secs": 0.2 }, "events": [],
        "root": { "translation": vec![0.0; 3 * keys], "rotation": rotations },
    }));
    let manifest = json!({
        "format": "loopwright-set", "version": 1, "name": "pair", "root_joint": null, "in_place": false,
        "skeleton": { "carrier": "Hips" }, "clips": clips,
        "blend_spaces": [{ "name": "move", "axes": ["speed_mps", "turn_rate_dps"], "points": points, "triangles": [[0, 1, 2], [0, 1, 3]] }],
    });
    std::fs::write(folder.join("set.json"), manifest.to_string()).unwrap();
}

fn place(harness: &Driven) -> glam::DVec3 {
    harness.model().steered().unwrap().hero.root().translation
}

#[test]
fn a_set_is_steered_by_keys_by_stick_and_by_its_grid() {
    let folder = tempfile::tempdir().unwrap();
    write_set(folder.path());
    let mut harness = studio(1280.0, 1400.0);
    harness.start_opening(folder.path());
    harness.wait_set();
    assert_eq!(harness.opened().file_name, "stroll.glb");
    // The file of the body lends it no grade.
    let list = "Takes: stroll.glb lends its body";
    harness.get_by_label(list);
    assert!(harness.query_by_label_contains("recommended").is_none());
    // To the right of who looks, as the camera stands.
    let right = glam::DVec3::new(0.9_f64.cos(), 0.0, -0.9_f64.sin());
    harness.key_down(Key::D);
    harness.run_steps(60);
    let from = place(&harness);
    harness.run_steps(20);
    let went = place(&harness) - from;
    assert!(went.normalize().dot(right) > 0.95, "{went}");
    let slow = went.length();
    harness.key_up(Key::D);
    harness.run_steps(2);
    assert!(harness.model().kept.is_none(), "A keeps nothing meanwhile");
    // The stick at its end asks for the fastest loop.
    let stick = harness
        .get_by_role_and_label(Role::Slider, "Stick: drag to walk")
        .rect()
        .center();
    harness.drag_at(stick);
    harness.step();
    harness.hover_at(stick + vec2(200.0, 0.0));
    harness.run_steps(60);
    let from = place(&harness);
    harness.run_steps(20);
    let went = place(&harness) - from;
    assert!(
        went.length() > 1.3 * slow && went.normalize().dot(right) > 0.95,
        "{went} {slow}"
    );
    harness.drop_at(stick);
    harness.run_steps(2);
    // The slow end of the grid.
    harness.find("Loops of move by speed, m/s and turn, °/s");
    let grid = harness.rect("Loops of move by speed, m/s and turn, °/s");
    harness.drag(grid.center(), vec2(-0.5 * grid.width(), 0.0));
    harness.run_steps(60);
    let playing = harness.model().steered().unwrap().hero.playing();
    let slowest = playing.clips.iter().find(|part| part.clip.name == "stroll").unwrap();
    assert!(slowest.weight > 0.9, "{playing:?}");
    harness.get_by_label("Phases of the loops: when each foot stands");
    harness.press("Play start_walk");
    harness.run_steps(2);
    assert_eq!(harness.model().steered().unwrap().hero.playing().name, "start_walk");
    // Another body cannot play it.
    harness.press("Close the set");
    assert!(harness.model().steered().is_none() && harness.model().shown() == Shown::Loop);
    harness.wait_made();
    assert!(harness.query_by_label(list).is_none());
    harness.get_by_label_contains("recommended");
}

/// The set of the takes that are open has the files that the road of all programs gives for the same takes, and is played.
#[test]
fn a_set_is_made_of_open_takes() {
    let folder = tempfile::tempdir().unwrap();
    let steady = WalkSettings::default().frame_rate_hz(30.0).drift(0.0).noise_deg(0.0);
    let curve = steady.clone().turn_dps(40.0).speed_mps(1.2).seconds(6.0);
    let stroll = steady.turn_dps(0.0).lead_in_secs(4.0).seconds(9.0);
    let mut takes = Vec::new();
    for (name, settings) in [("curve", curve), ("stroll", stroll)] {
        let (file_name, bytes) = (format!("{name}.bvh"), walk(Format::Bvh, &settings));
        std::fs::write(folder.path().join(&file_name), &bytes).unwrap();
        let file = load(&bytes, name).unwrap();
        let studied = Study::default().analyse(&file_name, file, Vec::new()).unwrap();
        takes.push(HeldSetFile {
            name: file_name,
            takes: vec![Arc::new(studied)],
            ..HeldSetFile::default()
        });
    }
    let mut harness = studio(1280.0, 2400.0);
    harness.start_opening(folder.path());
    harness.wait_takes(2);
    harness.press("Make a set of 2 takes");
    harness.wait("its loops are shown as they come", |model| {
        !model.work.loops().is_empty()
    });
    harness.write_here();
    harness.wait_set();
    assert_eq!(harness.model().steered().unwrap().name, "set");
    assert!(harness.query_all_by_label_contains("is missing: ").next().is_some());

    let wanted = files_by_road(&takes, None, None);
    assert!(wanted.len() > 8, "{:?}", wanted.keys());
    assert!(files_of(&folder.path().join("set")) == wanted);
    // So does the command.
    let again = tempfile::tempdir().unwrap();
    for file_name in ["curve.bvh", "stroll.bvh"] {
        std::fs::copy(folder.path().join(file_name), again.path().join(file_name)).unwrap();
    }
    if command(again.path(), &["set", "curve.bvh", "stroll.bvh", "-o", "set"]).is_some() {
        assert!(files_of(&again.path().join("set")) == wanted);
    }
    // The file that lends its body is no take of the next set, which has other settings, replaces this one and leaves nothing of it.
    std::fs::write(folder.path().join("set/set.json.note"), "mine").unwrap();
    let (fps, format) = (Some(60.0), Some(Format::Glb));
    let edit = harness.edit();
    let edit = Box::new(edit.with(|edit| edit.recipe.output.fps = fps));
    harness.apply(Action::Edit { edit, is_final: true });
    harness.wait_made();
    harness.apply(Action::MakeSet("set".to_owned(), format));
    harness.wait_label("Replace it");
    harness.press("Replace it");
    let mut wanted = files_by_road(&takes, fps, format);
    wanted.insert("set.json.note".to_owned(), b"mine".to_vec());
    assert!(files_of(&folder.path().join("set")) == wanted);
}

/// Files of the set of these takes.
fn files_by_road(takes: &[HeldSetFile], fps: Option<f64>, format: Option<Format>) -> BTreeMap<String, Vec<u8>> {
    let settings = SetSettings {
        recipe: Recipe::default(),
        variants: 1,
        fps,
        target: None,
        format,
        is_split: true,
        folder: "set".into(),
    };
    let made = make_set(settings, takes, Vec::new(), &mut Vec::new()).unwrap();
    let mut files = BTreeMap::new();
    let written = made.write::<Box<MakeSetError>>(&mut Vec::new(), |file| {
        let sidecar = file
            .sidecar
            .map(|text| (format!("{}.json", file.name), text.into_bytes()));
        files.extend(sidecar.into_iter().chain([(file.name, file.bytes)]));
        Ok(())
    });
    files.insert("set.json".to_owned(), written.unwrap().json.into_bytes());
    files
}

/// Files of a folder by their names.
fn files_of(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect()
}

#[test]
fn a_set_without_its_files_says_which_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    write_set(folder.path());
    std::fs::remove_file(folder.path().join("walk.glb")).unwrap();
    let mut harness = studio(1280.0, 860.0);
    harness.start_opening(folder.path());
    harness.wait_problem();
    harness.get_by_label_contains("walk.glb");
    assert_eq!(harness.opened().file_name, "walk.bvh");
}
