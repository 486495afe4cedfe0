//! The stretch, the closure, stances and joints, by mouse.

use eframe::egui::{Event, Key, Modifiers, vec2};
use loopwright_core::{
    SearchSettings,
    closure::{Method, Shape, ShapeKind},
    edit::EditKind,
};
use loopwright_studio::{Action, Model, model::Stretch};

use super::driven::{Driven, studio};

#[test]
fn a_drag_shows_drafts_and_ends_with_held_feet() {
    let mut harness = studio(1280.0, 860.0);
    let mut edit = harness.edit().clone();
    for (blend_secs, is_final) in [(0.3, false), (0.25, false), (0.25, true)] {
        edit.settings.closure.method = Method::new(Shape::new(ShapeKind::Quintic, blend_secs));
        let edit = Box::new(edit.clone());
        harness.apply(Action::Edit { edit, is_final });
        if is_final {
            harness.wait_made();
            assert!(harness.made().done.made.feet.is_held());
        } else {
            harness.wait("a draft is made", |model| model.made().unwrap().is_draft);
            assert!(harness.model().finished().is_none(), "a draft is not exported");
        }
    }
    harness.apply(Action::Undo);
    harness.wait_made();
    assert!(harness.model().undo_names()[0].is_none());
}

/// An end that is dragged goes to the cheapest seam nearby, figures follow, and Alt sets it free.
#[test]
fn ends_snap_to_good_seams_and_figures_follow() {
    let mut harness = studio(1280.0, 860.0);
    harness.key_press(Key::Space);
    let drag = |harness: &mut Driven, points: f32, is_free: bool| -> [f64; 2] {
        let end = harness.rect("End of the stretch").center();
        let modifiers = if is_free { Modifiers::ALT } else { Modifiers::NONE };
        harness.event(Event::ModifiersChanged(modifiers));
        let to = end + vec2(points, 0.0);
        harness.drag_at(end);
        harness.step();
        harness.hover_at(to);
        harness.step();
        harness.hover_at(to);
        harness.step();
        harness.wait("a draft follows", |model| {
            model
                .made()
                .is_some_and(|made| made.is_draft && Some(&made.edit) == model.edit())
        });
        harness.drop_at(to);
        harness.step();
        harness.event(Event::ModifiersChanged(Modifiers::NONE));
        harness.run_steps(2);
        harness.wait_made();
        let Stretch::Frames { start_frame, end_frame } = harness.edit().stretch else {
            panic!("the end was dragged");
        };
        [start_frame, end_frame]
    };
    let opened = harness.opened().clone();
    let bar = harness.rect("Whole take: click to show that time");
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
    assert_eq!(start, found.start_frame(), "the other end stays");
    assert!((snapped - wanted).abs() <= reach, "{snapped} {wanted} {reach}");
    let mut near = -(reach as i64)..=reach as i64;
    assert!(near.all(|step| cost(snapped, start) <= cost(wanted + step as f64, start)));
    // One step of undo, however many drafts.
    harness.click("Undo");
    assert!(harness.model().undo_names()[0].is_none());
    let [_, free] = drag(&mut harness, 30.0, true);
    assert_eq!(free, wanted);
    assert!(cost(snapped, start) < cost(free, start), "else snapping shows nothing");
}

#[test]
fn stances_are_added_dragged_and_removed() {
    let mut harness = studio(1280.0, 3600.0);
    harness.key_press(Key::Space);
    harness.key(Key::Home);
    let contacts = |model: &Model| model.finished().unwrap().done.made.feet.contacts.clone();
    let detected = contacts(harness.model());
    harness.click("Add a stance of LeftFoot");
    let stances = |harness: &Driven| harness.edit().recipe.stances.clone();
    let added = stances(&harness)[0].clone();
    assert!(added.stands && added.to > added.from);
    // The bar is dragged along the loop; its length stays.
    harness.find("Stance 1");
    harness.drag_along("Stance 1", 80.0);
    harness.wait_made();
    let dragged = stances(&harness)[0].clone();
    assert!(dragged.from > added.from + 0.1, "{added:?} {dragged:?}");
    assert!((dragged.to - dragged.from - (added.to - added.from)).abs() < 1e-9);
    harness.click("Stance 1 is planted");
    assert!(!stances(&harness)[0].stands);
    harness.click("Remove stance 1");
    assert!(stances(&harness).is_empty());
    assert_eq!(contacts(harness.model()), detected);
}

/// A joint gets a closure of its own, by its panel.
#[test]
fn joints_are_closed_in_ways_of_their_own() {
    let mut harness = studio(1280.0, 4200.0);
    let before = harness.clip();
    let watched = before.skeleton().find("LeftHand").unwrap();
    harness.apply(Action::Watch(watched));
    harness.unfold("Joints of their own");
    harness.click("Close LeftHand in its own way");
    harness.click("Time of joints 1");
    let joint = &harness.edit().recipe.joints[0];
    assert_eq!((joint.pattern.as_str(), joint.blend), ("LeftHand", None));
    harness.click("Time of joints 1");
    let after = harness.clip();
    let changed: Vec<usize> = (0..after.skeleton().num_joints())
        .filter(|&joint| {
            (0..after.num_samples())
                .any(|key| after.body_pose(key).rotations[joint] != before.body_pose(key).rotations[joint])
        })
        .collect();
    assert_eq!(changed, [watched]);
    let text = harness.model().recipe_text().unwrap().unwrap();
    let is_said = text.contains("[[joint]]\npattern = \"LeftHand\"\nmethod = \"quintic\"\nblend = 0.1");
    assert!(is_said, "{text}");
    harness.click("Remove joints 1");
    assert_eq!(harness.made().done.made.loop_clip, before);
}

/// An edit that is switched off changes nothing, and can be switched on again; edits apply in the order of the rows.
#[test]
fn edits_are_switched_moved_and_removed() {
    let mut harness = studio(1280.0, 1400.0);
    let keys = |harness: &Driven| harness.clip();
    harness.click("Add: joint all the time");
    let one = keys(&harness);
    harness.click("Add: noise");
    let both = keys(&harness);
    assert_ne!(one, both);
    harness.click("Edit 2 applies");
    assert_eq!(keys(&harness), one);
    let recipe = harness.model().recipe_text().unwrap().unwrap();
    assert!(recipe.contains("kind = \"noise\"\noff = true\n"), "{recipe}");
    harness.click("Apply edit 2 earlier");
    let kinds = |harness: &Driven| {
        let edits = &harness.edit().recipe.edits;
        edits.iter().map(|edit| (edit.kind, edit.is_off)).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&harness), [(EditKind::Noise, true), (EditKind::Offset, false)]);
    harness.click("Edit 1 applies");
    harness.click("Apply edit 1 later");
    assert_eq!(keys(&harness), both);
    harness.click("Remove edit 2");
    assert_eq!(keys(&harness), one);
    harness.press("1. joint all the time");
    assert_eq!(kinds(&harness), [(EditKind::Offset, false)]);
}
