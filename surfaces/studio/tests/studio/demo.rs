//! The controls that the published demo also has: their effect and their range.

use eframe::egui::accesskit::{Role, Toggled};
use egui_kittest::{
    Node,
    kittest::{NodeT as _, Queryable as _},
};
use loopwright_core::closure::{Order, Preset};
use loopwright_studio::model::{Made, Shown};

use super::driven::{Driven, studio};

fn slider<'h>(harness: &'h Driven, label: &'h str) -> Node<'h> {
    let slider = harness
        .query_all_by_label(label)
        .find(|node| node.accesskit_node().role() == Role::Slider);
    slider.unwrap_or_else(|| panic!("no slider {label}"))
}

/// Moves a slider as far as it goes towards a value.
fn slide(harness: &mut Driven, label: &str, value: f64) {
    harness.find(label);
    slider(harness, label).set_value_accesskit(value);
    harness.run_steps(3);
    harness.wait_made();
}

/// How far the uncut stretch is from the loop at both ends: the largest angle of a joint, radians.
fn moved(made: &Made) -> [f64; 2] {
    let uncut = &made.done.made.source.clip;
    let seam = made.done.made.loop_clip.body_pose(0);
    [0, uncut.num_intervals() as isize].map(|sample| {
        let pose = uncut.pose(sample);
        (1..uncut.skeleton().num_joints())
            .map(|joint| pose.rotations[joint].angle_between(seam.rotations[joint]))
            .fold(0.0, f64::max)
    })
}

#[test]
fn the_ratio_says_which_end_moves() {
    let mut harness = studio(1280.0, 2400.0);
    harness.click("Lock planted feet");
    // A stretch that closes badly, so that one sees what moves.
    harness.choose_frames(20.0, 50.0);
    // Inertialize Start moves the start alone, Inertialize End the end alone, and the ratio is between.
    harness.choose("Method", "spring");
    for share in [1.0, 0.0, 0.25] {
        slide(&mut harness, "Share of the start", share);
        assert_eq!(harness.edit().settings.closure.method.shares.rho, share);
        let [start, end] = moved(harness.made());
        let gap = start + end;
        assert!(gap > 0.2, "else nothing is shown: {start} {end}");
        assert!((start / gap - share).abs() < 0.1, "{share}: {start} {end}");
    }
}

/// Each slider reaches as far as that of the demo, at both ends apart, and sets what is made.
#[test]
fn times_and_hardness_at_both_ends() {
    let mut harness = studio(1280.0, 2400.0);
    harness.click("Lock planted feet");
    let rows = [
        ("spring", "Half-life", [0.01, 0.2]),
        ("cubic", "Blend time", [0.01, 1.0]),
        ("linear", "Blend of the velocity", [0.01, 1.0]),
        ("softfade", "Duration", [0.01, 1.0]),
        ("softfade", "Hardness", [1.0, 50.0]),
        ("softfade", "Blend of the velocity", [0.01, 1.0]),
    ];
    for (method, slider, [low, high]) in rows {
        harness.choose("Method", method);
        harness.click("Times of both ends apart");
        slide(&mut harness, &format!("{slider} at the start"), low);
        slide(&mut harness, &format!("{slider} at the end"), high);
        let method = harness.edit().settings.closure.method;
        let set = [method.start, method.end].map(|shape| shape.values().find(|(by, _)| by.label == slider).unwrap().1);
        assert_eq!(set, [low, high], "{slider}");
    }
}

#[test]
fn playing_and_looking() {
    let mut harness = studio(1280.0, 4200.0);
    for label in ["in place", "restart", "accumulate"] {
        harness.get_by_label(label).click();
        harness.run_steps(2);
        let chosen = harness.get_by_label(label).accesskit_node().toggled();
        assert_eq!(chosen, Some(Toggled::True), "{label}");
    }
    for (label, shown) in [("Uncut", Shown::Uncut), ("Loop", Shown::Loop)] {
        harness.get_by_label(label).click();
        harness.run_steps(2);
        assert_eq!(harness.model().shown(), shown);
    }
    harness.get_by_label("Pause").click();
    for (label, value) in [("Speed", 0.1), ("Speed", 2.0), ("Speed", 4.0), ("Time", 0.5)] {
        slide(&mut harness, label, value);
        let shown = slider(&harness, label).accesskit_node().numeric_value().unwrap();
        assert!((shown - value).abs() < 1e-9, "{label}: {shown}");
    }
    assert!((harness.model().playback.secs - 0.5).abs() < 1e-9);
    harness.get_by_label("One period with the seam in the middle");
    harness.press("Joint of the curves");
    // One of those that are seen before the list is scrolled.
    let joint = harness.opened().take().skeleton().joint(1).name.clone();
    harness.get_by_label(&joint).click();
    harness.run_steps(3);
    // The joint of the curves is the one that other panels are about.
    harness.unfold("Joints of their own");
    harness.get_by_label(&format!("Close {joint} in its own way"));
    harness.get_by_label("Before and after");
    harness.get_by_label("Frame");
}

/// Every preset of the article by its name, with all its times in sight at once; what is set is marked.
#[test]
fn presets_have_all_their_times_in_sight() {
    let mut harness = studio(1400.0, 900.0);
    for preset in Preset::ALL {
        let name = format!("Preset {}", preset.as_str());
        harness.click(&name);
        assert_eq!(harness.edit().settings.closure.method, preset.method());
        let marked = harness.get_by_label(&name).accesskit_node().toggled();
        assert_eq!(marked, Some(Toggled::True), "{name}");
        let shape = preset.method().start;
        for (parameter, _) in shape.values() {
            let is_kink = preset.method().order == Order::C0;
            if is_kink {
                continue;
            }
            let rect = slider(&harness, parameter.label).rect();
            assert!(rect.bottom() < 900.0, "{name}: {}", parameter.label);
        }
    }
    // One click takes a time back to its default.
    harness.click("Preset cubic");
    slide(&mut harness, "Blend time", 0.9);
    assert_ne!(harness.edit().settings.closure.method, Preset::Cubic.method());
    harness.click("Reset Blend time");
    assert_eq!(harness.edit().settings.closure.method, Preset::Cubic.method());
    // The root has blend times of its own.
    harness.choose("Root motion", "inertialized");
    for (label, value) in [
        ("Root blend at the start", 0.3),
        ("Root blend at the end", 0.4),
        ("Root share of the start", 0.7),
    ] {
        slide(&mut harness, label, value);
    }
    let blend = harness.edit().settings.root.blend;
    assert_eq!(
        (blend.start_secs, blend.end_secs, blend.share),
        (Some(0.3), Some(0.4), Some(0.7))
    );
}

/// The frame and the loop that are played are counted.
#[test]
fn frames_and_loops_are_counted() {
    let mut harness = studio(1400.0, 900.0);
    harness.press("Pause");
    harness.press("To the start");
    let last = harness.made().done.made.loop_clip.num_samples() - 1;
    harness.get_by_label(&format!("Frame 0 / {last}"));
    harness.get_by_label("Loop 1");
    harness.press("Step on");
    harness.get_by_label(&format!("Frame 1 / {last}"));
    harness.press("Play");
    harness.wait_label("Loop 2");
}
