//! The window as a whole: its keys, its first steps, narrow.

use eframe::egui::{Event, Key, Modifiers, TouchDeviceId, TouchId, TouchPhase, ViewportId, accesskit::Role, vec2};
use egui_kittest::kittest::Queryable as _;
use loopwright_studio::{
    Action,
    model::{Shown, Stretch},
};

use super::driven::{Driven, strolls, studio, studio_that};

#[test]
fn keys_do_what_the_list_says() {
    let mut harness = studio(1280.0, 2400.0);
    harness.key(Key::Space);
    harness.get_by_label("Play");
    harness.key(Key::Home);
    harness.key(Key::ArrowRight);
    let step = harness.model().step_secs();
    let secs = harness.model().playback.secs;
    assert!((secs - step).abs() < 1e-9, "{secs}");
    harness.key(Key::B);
    assert_eq!(harness.model().shown(), Shown::Uncut);
    let close: [fn(&mut Driven); 2] = [|harness| harness.press("Close"), |harness| harness.key(Key::Escape)];
    for close in close {
        harness.press("Keys ?");
        harness.get_by_label("Close");
        close(&mut harness);
        assert!(harness.query_by_label("Close").is_none());
    }
    harness.click("Lock planted feet");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_steps(2);
    assert!(harness.model().undo_names()[1].is_some());
}

#[test]
fn a_narrow_window_has_all_panels_too() {
    let mut harness = studio(390.0, 3000.0);
    for label in [
        "Export the loop",
        "Pause",
        "Ghost of the uncut stretch",
        "Follow",
        "Whole take: click to show that time",
        "Method",
        "Root motion",
        "One period with the seam in the middle",
    ] {
        harness.find(label);
        let right = harness.rect(label).right();
        assert!(right <= 390.0, "{label} ends at {right}");
    }
    harness.unfold("Feet");
    let right = harness.rect("Lock planted feet").right();
    assert!(right <= 390.0, "{right}");
}

/// Touch targets on a phone are as large as a finger, and three tabs lie below the view and its transport.
#[test]
fn a_phone_has_targets_for_fingers() {
    let harness = studio(390.0, 844.0);
    for label in [
        "Pause",
        "Step on",
        "Repeat",
        "Onion skin",
        "Frame",
        "Loops of the take",
        "Close the seam",
        "Export to a file",
        "Undo",
        "Export (E)",
        "in place",
    ] {
        let rect = harness.rect(label);
        let is_right = rect.height() >= 40.0 && rect.width() >= 40.0;
        assert!(
            is_right && rect.right() <= 390.0 && rect.bottom() <= 844.0,
            "{label}: {rect}"
        );
    }
    assert!(harness.query_by_label("Feet on the ground").is_none());
}

/// A large window has targets for fingers once one touches it, and is as before when a mouse moves.
#[test]
fn a_tablet_has_targets_for_fingers() {
    let mut harness = studio(1024.0, 768.0);
    let labels = [
        "Pause",
        "Repeat",
        "Frame",
        "Export to a file",
        "Keys ?",
        "Export (E)",
        "in place",
        "Ghost of the uncut stretch",
    ];
    let least = |harness: &Driven, label: &str| {
        let rect = harness.rect(label);
        assert!(rect.right() <= 1024.0 && rect.bottom() <= 768.0, "{label}: {rect}");
        rect.width().min(rect.height())
    };
    let before = labels.map(|label| least(&harness, label));
    assert!(before.iter().any(|side| *side < 40.0), "{before:?}");
    let view = harness.get_by_label_contains("Viewport: ").rect();
    for phase in [TouchPhase::Start, TouchPhase::End] {
        harness.event(Event::Touch {
            device_id: TouchDeviceId(0),
            id: TouchId(0),
            phase,
            pos: view.center(),
            force: None,
        });
        harness.run_steps(3);
    }
    for label in labels {
        let side = least(&harness, label);
        assert!(side >= 40.0, "{label}: {side}");
    }
    harness.event(Event::PointerMoved(view.center()));
    harness.run_steps(3);
    assert_eq!(labels.map(|label| least(&harness, label)), before);
}

/// Each tab as it opens, with all that it has but what is folded.
#[test]
fn no_tab_scrolls_in_a_usual_window() {
    let mut harness = studio(1400.0, 900.0);
    for (tab, last) in [
        ("Loops of the take", "Files stay on this machine."),
        ("Close the seam", "Period"),
        ("Feet on the ground", "Add a stance of RightFoot"),
        ("Edit the motion", "Smoothing and character"),
        ("Export to a file", "Controller fit"),
    ] {
        harness.press(tab);
        let rect = harness.rect(last);
        assert!(rect.bottom() <= 900.0, "{tab}: {last} at {rect}");
    }
    let view = harness.get_by_label_contains("Viewport: ").rect();
    assert!(view.area() > 0.4 * 1400.0 * 900.0, "the view first: {view}");
    assert_eq!(
        harness.query_all_by_label_contains("the seam does not show").count(),
        1,
        "the verdict once"
    );
}

/// Work beside the window has the processor.
#[test]
fn frames_are_few_while_work_goes_on() {
    let mut harness = studio_that(1400.0, 900.0, |_| {});
    harness.run_steps(2);
    assert!(harness.model().work.opens());
    let delay = harness.output().viewport_output[&ViewportId::ROOT].repaint_delay;
    assert!(delay.as_millis() >= 30, "{delay:?}");
}

/// A view without motion is not redrawn.
#[test]
fn nothing_is_drawn_while_nothing_changes() {
    let mut harness = studio(1400.0, 900.0);
    harness.press("Pause");
    harness.wait_judged();
    harness.run_steps(60);
    assert!(!harness.ctx.has_requested_repaint());
}

/// The first steps are ticked off as they are done, and go when one says so.
#[test]
fn the_first_steps_lead_from_a_drop_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let [path] = strolls(folder.path(), ["stroll.bvh"]);
    let mut harness = studio(1280.0, 4200.0);
    assert!(harness.query_by_label_contains("(done)").is_none());
    harness.open(&path);
    harness.get_by_label_contains("1. Drop a take on this window, or press Open. The best loop plays at once. (done)");
    harness.key(Key::B);
    assert_eq!(harness.query_all_by_label_contains("(done)").count(), 2);
    harness.key(Key::L);
    harness.key_press(Key::E);
    harness.write_here();
    harness.run_steps(3);
    let written = folder.path().join("stroll-loop.bvh.json");
    harness.wait_file(&written);
    harness.run_steps(3);
    assert_eq!(harness.query_all_by_label_contains("(done)").count(), 3);
    harness.press("Hide these steps");
    assert!(harness.query_by_label_contains("(done)").is_none());
}

fn ends(harness: &Driven) -> [f64; 2] {
    harness.model().ends().unwrap()
}

/// Arrow keys move what has the keyboard, and nothing else.
#[test]
fn arrows_move_the_end_that_has_the_keyboard() {
    let mut harness = studio(1280.0, 2400.0);
    harness.key_press(Key::Space);
    let closure = harness.edit().settings.closure.clone();
    let [start, end] = ends(&harness);
    harness.get_by_label("End of the stretch").focus();
    harness.run_steps(2);
    for _ in 0..5 {
        harness.key(Key::ArrowRight);
    }
    harness.wait_made();
    assert_eq!(ends(&harness), [start, (end + 5.0).round()]);
    harness.get_by_label("Start of the stretch").focus();
    harness.run_steps(2);
    harness.key_press_modifiers(Modifiers::SHIFT, Key::ArrowRight);
    harness.run_steps(2);
    assert_eq!(ends(&harness)[0], (start + 10.0).round());
    // On a button they do nothing at all.
    harness.get_by_label("Slow motion").focus();
    harness.run_steps(2);
    let before = (harness.edit().clone(), harness.model().playback.secs);
    for key in [
        Key::ArrowRight,
        Key::ArrowDown,
        Key::ArrowLeft,
        Key::ArrowUp,
        Key::ArrowRight,
    ] {
        harness.key(key);
    }
    assert_eq!(before, (harness.edit().clone(), harness.model().playback.secs));
    assert_eq!(before.0.settings.closure, closure);
}

/// Ends are numbers, are set at the time shown, and move together.
#[test]
fn a_stretch_is_set_by_numbers_by_brackets_and_as_a_whole() {
    let mut harness = studio(1280.0, 2400.0);
    harness.key(Key::Space);
    let first = ends(&harness)[0].round();
    harness
        .get_by_role_and_label(Role::SpinButton, "End frame")
        .set_value_accesskit(first + 70.0);
    harness.run_steps(3);
    harness.wait_made();
    assert_eq!(ends(&harness)[1], first + 70.0);
    for (bracket, frame) in [("[", first + 10.0), ("]", first + 80.0)] {
        harness.press("Whole take");
        harness.apply(Action::ShowFrame(frame));
        harness.event(Event::Text(bracket.to_owned()));
        harness.run_steps(2);
    }
    harness.wait_made();
    assert_eq!(ends(&harness), [first + 10.0, first + 80.0]);
    harness.drag_along("Stretch as a whole", 40.0);
    harness.wait_made();
    let [start, end] = ends(&harness);
    assert!(start > first + 12.0 && end - start == 70.0, "{start} {end}");
    assert!(matches!(harness.edit().stretch, Stretch::Frames { .. }));
    assert_eq!(harness.model().undo_names()[0], Some("stretch"));
    harness.press("Undo");
    assert_eq!(ends(&harness), [first + 10.0, first + 80.0], "a drag is one step");
}

/// The bar is dragged along to go through time: within the loop it stays the loop that is shown.
#[test]
fn the_bar_is_scrubbed() {
    let mut harness = studio(1280.0, 860.0);
    harness.key_press(Key::Space);
    harness.key(Key::Home);
    let rect = harness.rect("Whole take: click to show that time");
    let x = |harness: &Driven, label| harness.rect(label).center().x;
    let (start, end) = (x(&harness, "Start of the stretch"), x(&harness, "End of the stretch"));
    let from = eframe::egui::pos2(start + 0.25 * (end - start), rect.top() + 30.0);
    harness.drag(from, vec2(0.5 * (end - start), 0.0));
    let share = harness.model().playback.secs / harness.model().span_secs();
    assert_eq!(harness.model().shown(), Shown::Loop);
    assert!((share - 0.75).abs() < 0.02, "{share}");
    let beyond = eframe::egui::pos2(end + 60.0, rect.top() + 30.0);
    harness.drag(beyond, vec2(0.0, 0.0));
    assert_eq!(harness.model().shown(), Shown::Take);
}
