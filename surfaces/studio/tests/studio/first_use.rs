//! Tasks that new users found hard, driven in the way in which they tried them.

use eframe::egui::{Event, Key, Modifiers, accesskit::Role, vec2};
use egui_kittest::kittest::Queryable as _;
use loopwright_formats::{Format, Sidecar};
use loopwright_studio::model::{Listed, Stretch};
use loopwright_synth::WalkSettings;

use super::driven::{Driven, stroll, strolls, studio, studio_that, studio_with_stroll, walk};

/// A glTF file with two animations: the walk, and its first half.
pub(crate) fn two_animations() -> Vec<u8> {
    let mut file: serde_json::Value = serde_json::from_slice(&walk(Format::Gltf, &stroll())).unwrap();
    let mut second = file["animations"][0].clone();
    second["name"] = "second".into();
    // It leaves out one joint, so that it is another motion.
    second["channels"].as_array_mut().unwrap().pop();
    file["animations"].as_array_mut().unwrap().push(second);
    serde_json::to_vec(&file).unwrap()
}

#[test]
fn any_animation_of_a_file_is_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.gltf");
    std::fs::write(&path, two_animations()).unwrap();
    let mut harness = studio(1280.0, 1600.0);
    harness.open(&path);
    let first = harness.opened().take().name().to_owned();
    // How long each is, and what it is, is found out beside.
    harness.wait_for("the animations are listed", |harness| {
        let listed: Vec<_> = harness.model().animations().collect();
        let is_walk = |listed: &Listed| listed.kind == "walk" && (listed.secs.unwrap_or(0.0) - 6.0).abs() < 0.1;
        listed.len() == 2 && listed.iter().all(|(_, listed, _)| listed.is_some_and(is_walk))
    });
    // Who does not see the columns hears them.
    let secs = harness.model().animations().nth(1).unwrap().1.unwrap().secs.unwrap();
    let row = format!("second, walk, {secs:.2} s");
    harness.get_by_role_and_label(Role::TreeItem, &row);
    harness.click(&row);
    harness.wait_open(|opened| opened.take().name() == "second");
    let stretch = harness.edit().stretch;
    assert_eq!(
        stretch,
        Stretch::Recommended,
        "frames of one animation say nothing of another"
    );
    // The recipe names it, which the command line follows.
    let text = harness.model().recipe_text().unwrap().unwrap();
    assert!(text.contains("animation = \"second\""), "{text}");
    harness.click("Undo");
    harness.wait_open(|opened| opened.take().name() == first);
}

#[test]
fn a_path_is_typed_under_open() {
    let folder = tempfile::tempdir().unwrap();
    let [path] = strolls(folder.path(), ["typed.bvh"]);
    let mut harness = studio(1280.0, 860.0);
    harness.click("Open ...");
    // The click into the field once closed the menu, and what was typed went to the keys.
    harness.type_into("Path of a take", &path.display().to_string());
    harness.key(Key::Enter);
    harness.wait_open(|opened| opened.file_name == "typed.bvh");
}

#[test]
fn what_was_written_is_said_where_it_is_seen() {
    let (folder, mut harness) = studio_with_stroll(1280.0, 720.0);
    harness.key_press(Key::E);
    harness.write_here();
    harness.run_steps(2);
    harness.wait_label("Written: ");
    let said = harness.get_by_label_contains("Written: ").rect();
    assert!(said.max.y < 120.0, "at the top: {said}");
    // Another loop of the same take does not take the place of the first.
    let first = std::fs::read(folder.path().join("stroll-loop.bvh")).unwrap();
    harness.key(Key::Num2);
    harness.wait_made();
    harness.key_press(Key::E);
    harness.wait_label("Keep both");
    assert!(harness.rect("Keep both").max.y < 150.0, "at the top");
    harness.click("Keep both");
    let second = std::fs::read(folder.path().join("stroll-loop-2.bvh")).unwrap();
    assert!(second != first && std::fs::read(folder.path().join("stroll-loop.bvh")).unwrap() == first);
    let sidecar = std::fs::read(folder.path().join("stroll-loop-2.bvh.json")).unwrap();
    let facts = Sidecar::from_json(&sidecar).unwrap();
    assert!(facts.check_file(&second).is_ok());
    assert_eq!(facts.outputs, ["stroll-loop-2.bvh", "stroll-loop-2.bvh.json"]);
}

#[test]
fn a_loop_and_its_recipe_have_the_name_that_is_typed() {
    let (folder, mut harness) = studio_with_stroll(1280.0, 2600.0);
    harness.type_into("Name", "../walk");
    harness.export_by("Export the loop");
    let written = folder.path().join("..walk.bvh");
    harness.wait_file(&written);
    harness.click("Save the recipe");
    assert!(folder.path().join("..walk.toml").exists());
}

#[test]
fn the_bar_of_a_long_take_is_widened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.bvh");
    let long = WalkSettings::default().seed(5).seconds(90.0);
    std::fs::write(&path, walk(Format::Bvh, &long)).unwrap();
    let mut harness = studio(1280.0, 860.0);
    harness.open(&path);
    harness.key(Key::Space);
    let length = |harness: &Driven| {
        let x = |label| harness.query_by_label(label).map(|end| end.rect().center().x);
        Some(x("End of the stretch")? - x("Start of the stretch")?)
    };
    // It opens at its loop; the whole take lies above.
    let wide = length(&harness).unwrap();
    harness.get_by_label("Whole take: drag to what the bar shows");
    harness.key(Key::Z);
    let narrow = length(&harness).unwrap();
    assert!(narrow < 40.0, "else the take is not long: {narrow}");
    harness.key(Key::Z);
    assert!((length(&harness).unwrap() - wide).abs() < 1.0);
    let bar = harness.rect("Whole take: click to show that time");
    let share = wide / bar.width();
    assert!((0.4..0.6).contains(&share), "half of the bar: {share}");
    // Another loop is not chosen out of sight.
    for key in [Key::Num2, Key::Num3, Key::Num4] {
        harness.key(key);
        harness.wait_made();
        for end in ["Start of the stretch", "End of the stretch"] {
            assert!(bar.x_range().expand(1.0).contains(harness.rect(end).center().x));
        }
    }
    // A frame is dragged to the frame.
    harness.drag_along("End of the stretch", -20.0);
    assert!(matches!(harness.edit().stretch, Stretch::Frames { .. }));
    harness.key(Key::Z);
    assert!(length(&harness).unwrap() < 40.0, "all again");
    // The wheel does the same about the mouse.
    let bar = harness.rect("Whole take: click to show that time");
    harness.hover_at(bar.left_top() + vec2(0.5 * bar.width(), 30.0));
    for _ in 0..6 {
        harness.event(Event::MouseWheel {
            unit: eframe::egui::MouseWheelUnit::Point,
            delta: vec2(0.0, 120.0),
            phase: eframe::egui::TouchPhase::Move,
            source: eframe::egui::MouseWheelSource::Wheel,
            modifiers: Modifiers::NONE,
        });
        harness.run_steps(10);
    }
    let is_right = length(&harness).is_none_or(|length| length > 80.0);
    assert!(is_right, "{:?}", length(&harness));
}

#[test]
fn a_contact_that_was_found_is_clicked_to_correct_it() {
    let mut harness = studio(1280.0, 2400.0);
    harness.click("Contact 1 of LeftFoot: click to correct it");
    harness.wait_made();
    let stances = harness.edit().recipe.stances.clone();
    let is_right = stances.len() == 1 && stances[0].foot == "LeftFoot" && stances[0].stands;
    assert!(is_right, "{stances:?}");
    let made = harness.made();
    let step = made.done.made.loop_clip.step_secs();
    let mut contacts = made.done.made.feet.contacts.iter().filter(|contact| contact.foot == 0);
    assert!(contacts.any(|contact| (contact.start_sample as f64 * step - stances[0].from).abs() < 2.0 * step));
    harness.click("Stance 1 is planted");
    harness.wait_made();
    let made = harness.made();
    let middle = 0.5 * (stances[0].from + stances[0].to) / step;
    let mut contacts = made.done.made.feet.contacts.iter().filter(|contact| contact.foot == 0);
    assert!(!contacts.any(|contact| {
        let start = contact.start_sample as f64;
        (start..start + contact.num_samples as f64).contains(&middle)
    }));
}

/// A file that is named when the studio starts, and cannot be read, once left an empty window.
#[test]
fn a_first_file_that_cannot_be_read_leaves_the_walk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("apart.gltf");
    std::fs::write(&path, super::opening::apart(folder.path(), "nowhere/")).unwrap();
    let mut harness = studio_that(1280.0, 860.0, move |studio| studio.open_path(&path));
    harness.wait_problem();
    harness.wait_made();
    harness.get_by_label_contains("cannot open this file");
    harness.get_by_label("Put the files that it names beside it, or export it as one .glb.");
}

#[test]
fn a_low_window_leaves_room_for_the_body() {
    let mut harness = studio(1280.0, 720.0);
    let curves = "One period with the seam in the middle";
    assert!(harness.query_by_label(curves).is_none());
    let top = harness.rect("Pause").min.y;
    assert!(top > 440.0, "the view is {top} points high");
    harness.click("Curves over the seam");
    harness.get_by_label(curves);
}
