//! The stretch, the closure, stances and joints, by mouse.

use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use loopwright_core::SearchSettings;
use loopwright_core::closure::{Method, Shape, ShapeKind};
use loopwright_core::edit::EditKind;
use loopwright_studio::model::Stretch;
use loopwright_studio::{Action, Model};

use super::driven::{Driven, apply, click, drag, find, is_made, model, press, studio, unfold, wait};

#[test]
fn the_ends_of_the_stretch_are_dragged() {
    let mut harness = studio(1280.0, 860.0);
    let end = harness.get_by_label("End of the stretch").rect().center();
    drag(&mut harness, end, vec2(60.0, 0.0));
    let Stretch::Frames { start_frame, end_frame } = model(&harness).edit().unwrap().stretch else {
        panic!("the end was dragged");
    };
    let found = model(&harness).opened().unwrap().found.best().unwrap().cut;
    assert!(start_frame == found.start_frame() && end_frame > found.end_frame() + 5.0 && end_frame.fract() == 0.0);
    wait(&mut harness, "it is made", is_made);
}

#[test]
fn a_drag_shows_drafts_and_ends_with_held_feet() {
    let mut harness = studio(1280.0, 860.0);
    let mut edit = model(&harness).edit().unwrap().clone();
    for (blend_secs, is_final) in [(0.3, false), (0.25, false), (0.25, true)] {
        edit.settings.closure.method = Method::new(Shape::new(ShapeKind::Quintic, blend_secs));
        let edit = Box::new(edit.clone());
        apply(&mut harness, Action::Edit { edit, is_final });
        if is_final {
            wait(&mut harness, "the loop is made", is_made);
            assert!(model(&harness).made().unwrap().done.made.feet.is_held());
        } else {
            wait(&mut harness, "a draft is made", |model| model.made().unwrap().is_draft);
            assert!(model(&harness).finished().is_none(), "a draft is not exported");
        }
    }
    apply(&mut harness, Action::Undo);
    wait(&mut harness, "the drag is taken back", is_made);
    assert!(!model(&harness).can_undo());
}

/// An end that is dragged goes to the cheapest seam nearby, figures follow, and Alt sets it free.
#[test]
fn ends_snap_to_good_seams_and_figures_follow() {
    let mut harness = studio(1280.0, 860.0);
    harness.key_press(Key::Space);
    let drag = |harness: &mut Driven, points: f32, is_free: bool| -> [f64; 2] {
        let end = harness.get_by_label("End of the stretch").rect().center();
        let modifiers = if is_free { Modifiers::ALT } else { Modifiers::NONE };
        harness.event(Event::ModifiersChanged(modifiers));
        let to = end + vec2(points, 0.0);
        harness.drag_at(end);
        harness.step();
        harness.hover_at(to);
        harness.step();
        harness.hover_at(to);
        harness.step();
        wait(harness, "a draft follows", |model| {
            model
                .made()
                .is_some_and(|made| made.is_draft && Some(&made.edit) == model.edit())
        });
        harness.drop_at(to);
        harness.step();
        harness.event(Event::ModifiersChanged(Modifiers::NONE));
        harness.run_steps(2);
        wait(harness, "it is made", is_made);
        let Stretch::Frames { start_frame, end_frame } = model(harness).edit().unwrap().stretch else {
            panic!("the end was dragged");
        };
        [start_frame, end_frame]
    };
    let opened = model(&harness).opened().unwrap().clone();
    let bar = harness.get_by_label("Whole take: click to show that time").rect();
    let frames_per_point = (opened.take().num_frames() - 1) as f64 / f64::from(bar.width());
    let found = opened.found.best().unwrap().cut;
    let cost = |end: f64, start: f64| {
        let decay = SearchSettings::default().decay;
        opened
            .studied
            .analysis
            .seam_cost(start.round() as usize, end.round() as usize, decay)
    };
    let [start, snapped] = drag(&mut harness, 30.0, false);
    let wanted = (found.end_frame() + 30.0 * frames_per_point).round();
    let reach = (9.0 * frames_per_point).floor();
    assert!((snapped - wanted).abs() <= reach, "{snapped} {wanted} {reach}");
    let mut near = -(reach as i64)..=reach as i64;
    assert!(near.all(|step| cost(snapped, start) <= cost(wanted + step as f64, start)));
    // One step of undo, however many drafts.
    click(&mut harness, "Undo");
    assert!(!model(&harness).can_undo());
    let [_, free] = drag(&mut harness, 30.0, true);
    assert_eq!(free, wanted);
    assert!(cost(snapped, start) < cost(free, start), "else snapping shows nothing");
}

#[test]
fn stances_are_added_dragged_and_removed() {
    let mut harness = studio(1280.0, 3600.0);
    harness.key_press(Key::Space);
    harness.key_press(Key::Home);
    harness.run_steps(3);
    let contacts = |model: &Model| model.finished().unwrap().done.made.feet.contacts.clone();
    let detected = contacts(model(&harness));
    click(&mut harness, "Add a stance of LeftFoot");
    let stances = |harness: &Driven| model(harness).edit().unwrap().recipe.stances.clone();
    let added = stances(&harness)[0].clone();
    assert!(added.stands && added.to > added.from);
    // The bar is dragged along the loop; its length stays.
    find(&mut harness, "Stance 1");
    let at = harness.get_by_label("Stance 1").rect().center();
    drag(&mut harness, at, vec2(80.0, 0.0));
    wait(&mut harness, "it is dragged", is_made);
    let dragged = stances(&harness)[0].clone();
    assert!(dragged.from > added.from + 0.1, "{added:?} {dragged:?}");
    assert!((dragged.to - dragged.from - (added.to - added.from)).abs() < 1e-9);
    click(&mut harness, "Stance 1 is planted");
    assert!(!stances(&harness)[0].stands);
    click(&mut harness, "Remove stance 1");
    assert!(stances(&harness).is_empty());
    assert_eq!(contacts(model(&harness)), detected);
}

/// A joint gets a closure of its own, by its panel.
#[test]
fn joints_are_closed_in_ways_of_their_own() {
    let mut harness = studio(1280.0, 4200.0);
    let before = model(&harness).made().unwrap().done.made.loop_clip.clone();
    let watched = before.skeleton().find("LeftHand").unwrap();
    apply(&mut harness, Action::Watch(watched));
    unfold(&mut harness, "Joints of their own");
    click(&mut harness, "Close LeftHand in its own way");
    click(&mut harness, "Time of joints 1");
    let joint = &model(&harness).edit().unwrap().recipe.joints[0];
    assert_eq!((joint.pattern.as_str(), joint.blend), ("LeftHand", None));
    click(&mut harness, "Time of joints 1");
    let after = model(&harness).made().unwrap().done.made.loop_clip.clone();
    let changed: Vec<usize> = (0..after.skeleton().num_joints())
        .filter(|&joint| {
            (0..after.num_samples())
                .any(|key| after.body_pose(key).rotations[joint] != before.body_pose(key).rotations[joint])
        })
        .collect();
    assert_eq!(changed, [watched]);
    let text = model(&harness).recipe_text().unwrap().unwrap();
    let is_said = text.contains("[[joint]]\npattern = \"LeftHand\"\nmethod = \"quintic\"\nblend = 0.1");
    assert!(is_said, "{text}");
    click(&mut harness, "Remove joints 1");
    assert_eq!(model(&harness).made().unwrap().done.made.loop_clip, before);
}

/// The controls of the demo that came with the published methods, each by the name that the guide gives: every one changes what it is for.
#[test]
fn each_control_of_the_published_demo_has_one_here() {
    let mut harness = studio(1280.0, 3600.0);
    let of_methods = [
        ("spring", &["Half-life at the start", "Half-life at the end"][..]),
        ("cubic", &["Blend time at the start", "Blend time at the end"]),
        (
            "linear",
            &["Blend of the velocity at the start", "Blend of the velocity at the end"],
        ),
        (
            "softfade",
            &[
                "Duration at the start",
                "Duration at the end",
                "Blend of the velocity at the start",
                "Blend of the velocity at the end",
                "Hardness at the start",
                "Hardness at the end",
            ],
        ),
    ];
    for (method, sliders) in of_methods {
        press(&mut harness, "Method");
        click(&mut harness, method);
        click(&mut harness, "Times of both ends apart");
        for &name in sliders.iter().chain(&["Share of the start"]) {
            let before = closing(&harness);
            nudge(&mut harness, name);
            let after = closing(&harness);
            assert_ne!(before, after, "{method}: {name}");
            let ends = (before.start == after.start, before.end == after.end);
            let wanted = (!name.ends_with("at the start"), !name.ends_with("at the end"));
            assert_eq!(ends, wanted, "{method}: {name}");
        }
    }
    let speed = |harness: &Driven| {
        let slider = harness.get_by_role_and_label(Role::Slider, "Speed");
        slider.accesskit_node().numeric_value().unwrap()
    };
    assert!(speed(&harness) == 1.0);
    nudge(&mut harness, "Speed");
    assert!(speed(&harness) < 1.0);
}

/// How the seam is closed now.
fn closing(harness: &Driven) -> Method {
    model(harness).edit().unwrap().settings.closure.method
}

/// Moves a slider down a little by the keyboard.
fn nudge(harness: &mut Driven, name: &str) {
    find(harness, name);
    harness.get_by_role_and_label(Role::Slider, name).focus();
    harness.run_steps(2);
    harness.key_press(Key::ArrowLeft);
    harness.run_steps(3);
    wait(harness, name, is_made);
}

/// What is switched off changes nothing, and is there to be switched on again; the order is that of the rows.
#[test]
fn edits_are_switched_moved_and_removed() {
    let mut harness = studio(1280.0, 1400.0);
    let keys = |harness: &Driven| model(harness).made().unwrap().done.made.loop_clip.clone();
    click(&mut harness, "Add: joint all the time");
    let one = keys(&harness);
    click(&mut harness, "Add: noise");
    let both = keys(&harness);
    assert_ne!(one, both);
    click(&mut harness, "Edit 2 applies");
    assert_eq!(keys(&harness), one);
    let recipe = model(&harness).recipe_text().unwrap().unwrap();
    assert!(recipe.contains("kind = \"noise\"\noff = true\n"), "{recipe}");
    click(&mut harness, "Apply edit 2 earlier");
    let kinds = |harness: &Driven| {
        let edits = &model(harness).edit().unwrap().recipe.edits;
        edits.iter().map(|edit| (edit.kind, edit.is_off)).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&harness), [(EditKind::Noise, true), (EditKind::Offset, false)]);
    click(&mut harness, "Edit 1 applies");
    click(&mut harness, "Apply edit 1 later");
    assert_eq!(keys(&harness), both);
    click(&mut harness, "Remove edit 2");
    assert_eq!(keys(&harness), one);
    press(&mut harness, "1. joint all the time");
    assert_eq!(kinds(&harness), [(EditKind::Offset, false)]);
}
