//! The window as a whole: its keys, its first steps, narrow.

use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use loopwright_formats::Format;

use super::driven::{click, find, model, open, press, stroll, studio, unfold, wait, walk};

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
    assert_eq!(model(&harness).shown(), loopwright_studio::model::Shown::Uncut);
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

/// What is not moving is not drawn.
#[test]
fn nothing_is_drawn_while_nothing_changes() {
    let mut harness = studio(1400.0, 900.0);
    press(&mut harness, "Pause");
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
    harness.run_steps(3);
    let written = folder.path().join("stroll-loop.bvh.json");
    wait(&mut harness, "the file is there", |_| written.exists());
    harness.run_steps(3);
    assert_eq!(harness.query_all_by_label_contains("(done)").count(), 3);
    press(&mut harness, "Hide these steps");
    assert!(harness.query_by_label_contains("(done)").is_none());
}
