//! The window as a whole: its keys, its first steps, narrow.

use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, TouchDeviceId, TouchId, TouchPhase, ViewportId, vec2};
use egui_kittest::kittest::Queryable as _;
use loopwright_formats::Format;
use loopwright_studio::model::{Judgement, Shown, Stretch};

use super::driven::{
    Driven, click, drag, find, is_made, model, open, press, stroll, studio, studio_that, unfold, wait, walk, write_here,
};

#[test]
fn keys_do_what_the_list_says() {
    let mut harness = studio(1280.0, 2400.0);
    harness.key_press(Key::Space);
    harness.run_steps(2);
    harness.get_by_label("Play");
    harness.key_press(Key::Home);
    harness.run_steps(2);
    harness.key_press(Key::ArrowRight);
    harness.run_steps(2);
    let step = model(&harness).step_secs();
    let secs = model(&harness).playback_secs();
    assert!((secs - step).abs() < 1e-9, "{secs}");
    harness.key_press(Key::B);
    harness.run_steps(2);
    assert_eq!(model(&harness).shown(), Shown::Uncut);
    press(&mut harness, "Keys ?");
    press(&mut harness, "Close");
    assert!(harness.query_by_label("Close").is_none());
    click(&mut harness, "Lock planted feet");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_steps(2);
    assert!(model(&harness).can_redo());
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
        find(&mut harness, label);
        let right = harness.get_by_label(label).rect().right();
        assert!(right <= 390.0, "{label} ends at {right}");
    }
    unfold(&mut harness, "Feet");
    let right = harness.get_by_label("Lock planted feet").rect().right();
    assert!(right <= 390.0, "{right}");
}

/// What is touched on a phone is as large as a finger, and three tabs lie below the view and its transport.
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
        let rect = harness.get_by_label(label).rect();
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
        let rect = harness.get_by_label(label).rect();
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
        press(&mut harness, tab);
        let rect = harness.get_by_label(last).rect();
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
    assert!(model(&harness).is_opening());
    let delay = harness.output().viewport_output[&ViewportId::ROOT].repaint_delay;
    assert!(delay.as_millis() >= 30, "{delay:?}");
}

/// What is not moving is not drawn.
#[test]
fn nothing_is_drawn_while_nothing_changes() {
    let mut harness = studio(1400.0, 900.0);
    press(&mut harness, "Pause");
    let count = model(&harness).opened().unwrap().found.candidates.len();
    wait(&mut harness, "all loops are judged", |model| {
        (0..count).all(|index| model.judgement(index) != Judgement::NotYet)
    });
    harness.run_steps(60);
    assert!(!harness.ctx.has_requested_repaint());
}

/// The first steps are ticked off as they are done, and go when one says so.
#[test]
fn the_first_steps_lead_from_a_drop_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stroll.bvh");
    std::fs::write(&path, walk(Format::Bvh, &stroll())).unwrap();
    let mut harness = studio(1280.0, 4200.0);
    assert!(harness.query_by_label_contains("(done)").is_none());
    open(&mut harness, &path);
    harness.get_by_label_contains("1. Drop a take on this window, or press Open. The best loop plays at once. (done)");
    harness.key_press(Key::B);
    harness.run_steps(3);
    assert_eq!(harness.query_all_by_label_contains("(done)").count(), 2);
    harness.key_press(Key::L);
    harness.run_steps(3);
    harness.key_press(Key::E);
    write_here(&mut harness);
    harness.run_steps(3);
    let written = folder.path().join("stroll-loop.bvh.json");
    wait(&mut harness, "the file is there", |_| written.exists());
    harness.run_steps(3);
    assert_eq!(harness.query_all_by_label_contains("(done)").count(), 3);
    press(&mut harness, "Hide these steps");
    assert!(harness.query_by_label_contains("(done)").is_none());
}

fn ends(harness: &Driven) -> [f64; 2] {
    model(harness).ends().unwrap()
}

/// Arrow keys move what has the keyboard, and nothing else.
#[test]
fn arrows_move_the_end_that_has_the_keyboard() {
    let mut harness = studio(1280.0, 2400.0);
    harness.key_press(Key::Space);
    let closure = model(&harness).edit().unwrap().settings.closure.clone();
    let [start, end] = ends(&harness);
    harness.get_by_label("End of the stretch").focus();
    harness.run_steps(2);
    for _ in 0..5 {
        harness.key_press(Key::ArrowRight);
        harness.run_steps(2);
    }
    wait(&mut harness, "it is made", is_made);
    assert_eq!(ends(&harness), [start, (end + 5.0).round()]);
    harness.get_by_label("Start of the stretch").focus();
    harness.run_steps(2);
    harness.key_press_modifiers(Modifiers::SHIFT, Key::ArrowRight);
    harness.run_steps(2);
    assert_eq!(ends(&harness)[0], (start + 10.0).round());
    // On a button they do nothing at all.
    harness.get_by_label("Slow motion").focus();
    harness.run_steps(2);
    let before = (model(&harness).edit().unwrap().clone(), model(&harness).playback_secs());
    for key in [
        Key::ArrowRight,
        Key::ArrowDown,
        Key::ArrowLeft,
        Key::ArrowUp,
        Key::ArrowRight,
    ] {
        harness.key_press(key);
        harness.run_steps(2);
    }
    assert_eq!(
        before,
        (model(&harness).edit().unwrap().clone(), model(&harness).playback_secs())
    );
    assert_eq!(before.0.settings.closure, closure);
}

#[test]
fn escape_closes_the_keys() {
    let mut harness = studio(1280.0, 860.0);
    press(&mut harness, "Keys ?");
    harness.get_by_label("Close");
    harness.key_press(Key::Escape);
    harness.run_steps(3);
    assert!(harness.query_by_label("Close").is_none());
}

/// Ends are numbers, are set at the time shown, and move together.
#[test]
fn a_stretch_is_set_by_numbers_by_brackets_and_as_a_whole() {
    let mut harness = studio(1280.0, 2400.0);
    harness.key_press(Key::Space);
    harness.run_steps(2);
    let [start, _] = ends(&harness);
    harness
        .get_by_role_and_label(Role::SpinButton, "End frame")
        .set_value_accesskit(start.round() + 70.0);
    harness.run_steps(3);
    wait(&mut harness, "it is made", is_made);
    assert_eq!(ends(&harness)[1], start.round() + 70.0);
    for (bracket, frame) in [("[", 110.0), ("]", 170.0)] {
        press(&mut harness, "Whole take");
        let apply = loopwright_studio::Action::ShowFrame(frame);
        super::driven::apply(&mut harness, apply);
        harness.event(Event::Text(bracket.to_owned()));
        harness.run_steps(2);
    }
    wait(&mut harness, "it is made", is_made);
    assert_eq!(ends(&harness), [110.0, 170.0]);
    let at = harness.get_by_label("Stretch as a whole").rect().center();
    drag(&mut harness, at, vec2(40.0, 0.0));
    wait(&mut harness, "it is made", is_made);
    let [start, end] = ends(&harness);
    assert!(start > 112.0 && end - start == 60.0, "{start} {end}");
    assert!(matches!(
        model(&harness).edit().unwrap().stretch,
        Stretch::Frames { .. }
    ));
    assert_eq!(model(&harness).undo_names()[0], Some("stretch"));
    press(&mut harness, "Undo");
    assert_eq!(ends(&harness), [110.0, 170.0], "a drag is one step");
}

/// The bar is dragged along to go through time: within the loop it stays the loop that is shown.
#[test]
fn the_bar_is_scrubbed() {
    let mut harness = studio(1280.0, 860.0);
    harness.key_press(Key::Space);
    harness.key_press(Key::Home);
    harness.run_steps(2);
    let rect = harness.get_by_label("Whole take: click to show that time").rect();
    let x = |harness: &Driven, label| harness.get_by_label(label).rect().center().x;
    let (start, end) = (x(&harness, "Start of the stretch"), x(&harness, "End of the stretch"));
    let from = eframe::egui::pos2(start + 0.25 * (end - start), rect.top() + 30.0);
    drag(&mut harness, from, vec2(0.5 * (end - start), 0.0));
    let share = model(&harness).playback_secs() / model(&harness).span_secs();
    assert_eq!(model(&harness).shown(), Shown::Loop);
    assert!((share - 0.75).abs() < 0.02, "{share}");
    let beyond = eframe::egui::pos2(end + 60.0, rect.top() + 30.0);
    drag(&mut harness, beyond, vec2(0.0, 0.0));
    assert_eq!(model(&harness).shown(), Shown::Take);
}
