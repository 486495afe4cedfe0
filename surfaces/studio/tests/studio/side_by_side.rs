//! Loops side by side, what is kept for takes that are not open, and what only looks at a take.

use eframe::egui::Key;
use egui_kittest::kittest::Queryable as _;
use loopwright_core::closure::Preset;
use loopwright_formats::Format;
use loopwright_studio::{
    Action,
    model::{Comparison, Link, Made, Shown, Stretch},
};
use loopwright_synth::WalkSettings;

use super::driven::{Driven, studio, studio_with_stroll, walk};

fn wait_compared(harness: &mut Driven, count: usize) {
    harness.wait("all are made", |model| {
        model.compared.len() == count && model.compared.iter().all(|compared| compared.made.is_some())
    });
}

/// All methods are made as each would be alone, and one of them is taken by its name.
#[test]
fn all_methods_are_compared() {
    let mut harness = studio(1400.0, 1600.0);
    harness.key_press(Key::Space);
    harness.press("Close the seam");
    harness.press("Compare all methods");
    // The present settings equal none of the presets, so they are compared as well.
    wait_compared(&mut harness, Preset::ALL.len() + 1);
    let opened = harness.opened().clone();
    let cubic = harness.edit().closed_as(Preset::Cubic);
    let alone = Made::of(&opened, &cubic).unwrap();
    let compared = harness
        .model()
        .compared
        .iter()
        .find(|compared| compared.name == "cubic");
    let made = compared.unwrap().made.as_ref().unwrap().as_ref().unwrap();
    assert!(made.done.made.loop_clip == alone.done.made.loop_clip);
    harness.get_by_label("Rotation that each loop adds, one period with the seam in the middle");
    harness.click("Take cubic");
    assert_eq!(harness.model().edit(), Some(&cubic));
    assert!(harness.model().compared.is_empty());
    // Loops of the list, by their numbers.
    harness.apply(Action::Compare(Some(Comparison::Loops(vec![0, 1]))));
    wait_compared(&mut harness, 2);
    harness.click("Take Loop 2");
    assert_eq!(harness.edit().stretch, Stretch::Found(1));
}

/// Which settings are seen is said.
#[test]
fn settings_that_are_kept_are_named() {
    let mut harness = studio(1400.0, 900.0);
    harness.press("Keep as A");
    harness.change(|edit| edit.settings.closure.method = Preset::Start.method());
    harness.wait_made();
    harness.press("Close the seam");
    harness.press("Compare A and B");
    wait_compared(&mut harness, 2);
    let names: Vec<_> = harness
        .model()
        .compared
        .iter()
        .map(|compared| compared.name.clone())
        .collect();
    assert_eq!(names, ["A", "B"]);
    assert!(!harness.model().shows_a);
    harness.press("Swap with A");
    harness.wait_made();
    assert!(harness.model().shows_a);
}

/// The keyboard goes through fields without a change, and a box that says how something is shown changes nothing of it.
#[test]
fn nothing_changes_that_was_not_edited() {
    let (_folder, mut harness) = studio_with_stroll(1400.0, 2400.0);
    harness.key_press(Key::Space);
    let before = harness.edit().clone();
    for field in ["Start frame", "End frame"] {
        harness.find(field);
        harness.get_by_label(field).focus();
        harness.run_steps(3);
        harness.key(Key::Tab);
    }
    harness.press("Close the seam");
    harness.press("Times of both ends apart");
    for _ in 0..60 {
        harness.key(Key::Tab);
    }
    assert_eq!(harness.model().edit(), Some(&before));
    let ends = ["start", "end"].map(|end| format!("Blend time at the {end}"));
    assert!(ends.iter().all(|end| harness.query_all_by_label(end).count() == 2));
}

/// A pose has no loop, and is shown all the same.
#[test]
fn a_pose_is_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let text = String::from_utf8(walk(Format::Bvh, &WalkSettings::default())).unwrap();
    let (head, motion) = text.split_once("MOTION").unwrap();
    let lines: Vec<&str> = motion.trim_start().lines().collect();
    let path = folder.path().join("pose.bvh");
    std::fs::write(&path, format!("{head}MOTION\nFrames: 1\n{}\n{}\n", lines[1], lines[2])).unwrap();
    let mut harness = studio(1280.0, 860.0);
    harness.start_opening(&path);
    harness.wait("it is shown", |model| {
        model.opened().is_some_and(|opened| opened.file_name == "pose.bvh") && model.progress().is_none()
    });
    assert!(harness.model().problem().is_none(), "{:?}", harness.model().problem());
    assert_eq!(harness.model().shown(), Shown::Take);
    harness.wait_label("There is no loop in it");
}

/// Of several animations that one is shown first that moves by its name and by its loop.
#[test]
fn a_pack_opens_where_it_moves() {
    let folder = tempfile::tempdir().unwrap();
    let mut file: serde_json::Value = serde_json::from_slice(&super::first_use::two_animations()).unwrap();
    for (number, name) in ["Sit_Floor_Idle", "Walk_Loop"].into_iter().enumerate() {
        file["animations"][number]["name"] = name.into();
    }
    let path = folder.path().join("pack.gltf");
    std::fs::write(&path, file.to_string()).unwrap();
    let mut harness = studio(1280.0, 860.0);
    harness.open(&path);
    assert_eq!(harness.opened().take().name(), "Walk_Loop");
}

/// A link holds the recipe and the view of a take, which is named alone.
#[test]
fn a_link_waits_for_its_take() {
    let (folder, mut harness) = studio_with_stroll(1280.0, 860.0);
    harness.change(|edit| edit.settings.closure.method = Preset::Start.method());
    harness.wait_made();
    let link = harness.model().link().unwrap();
    let fragment = link.to_fragment().unwrap();
    assert_eq!(Link::of_fragment(&format!("#{fragment}")), Some(link.clone()));
    assert_eq!(Link::of_fragment("#somewhere"), None);
    let mut harness = studio(1280.0, 860.0);
    harness.apply(Action::OpenLink(Box::new(link)));
    harness.run_steps(2);
    assert!(harness.model().problem().unwrap().to_string().contains("stroll.bvh"));
    harness.open(&folder.path().join("stroll.bvh"));
    harness.wait("it is followed", |model| {
        model
            .edit()
            .is_some_and(|edit| edit.settings.closure.method == Preset::Start.method())
    });
}
