//! The window as a whole: its keys, its first steps, narrow.

use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use loopwright_formats::Format;

use super::driven::{click, model, open, press, stroll, studio, wait, walk, write_here};

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
    let harness = studio(390.0, 3000.0);
    for label in [
        "Export the loop",
        "Method",
        "Root motion",
        "Lock planted feet",
        "Pause",
        "Ghost of the uncut stretch",
        "Follow",
        "Whole take: click to show that time",
        "Two periods with the seam in the middle",
    ] {
        let right = harness.get_by_label(label).rect().right();
        assert!(right <= 390.0, "{label} ends at {right}");
    }
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
