//! Feet on the command line: foot locking, reports in text and JSON, and takes in place.

use crate::harness::{Folder, holds, items, near, number, texts};

#[test]
fn feet_are_held_unless_asked_otherwise() {
    let folder = Folder::with_walk();
    let held = folder.made("");
    holds(&held, "feet/held = true\nfeet/contacts/1 != null");
    assert_eq!(texts(&held["feet"]["outcomes"], "outcome"), ["held", "held"]);
    let [before, after, in_file] = [
        "feet/foot_slide_before_cmps",
        "feet/foot_slide_after_cmps",
        "quality/foot_slide_cmps",
    ]
    .map(|key| number(&held, key));
    assert!(after < 0.5 * before, "{after} {before}");
    near(in_file, after, 0.01);
    let period = number(&held, "candidate/period_secs");
    for contact in items(&held["feet"]["contacts"]) {
        assert!(number(contact, "start_secs") < period && number(contact, "length_secs") <= period);
    }
    let open = folder.made("--lock-feet off");
    holds(&open, "feet/held = false");
    assert!(number(&open, "quality/foot_slide_cmps") > in_file);
    folder.runs("make walk.bvh -o loop.bvh --force | LeftToeBase, RightToeBase locked: sliding from");
}

#[test]
fn contacts_are_shown_as_bars_and_listed() {
    let folder = Folder::with_walk();
    let text = folder.succeed("inspect walk.bvh --contacts").stdout;
    let is_bar = |line: &str| line.contains("LeftToeBase  ") && line.contains("####") && line.contains("...");
    assert!(text.lines().any(is_bar), "{text}");
    let contacts = &folder.answer("inspect walk.bvh --json")["contacts"];
    assert!(items(contacts).len() >= 4);
    assert!(items(contacts).all(|contact| number(contact, "start_frame") <= number(contact, "end_frame")));
    // No foot is that slow.
    let none = folder.answer("inspect walk.bvh --json --set take.contact-speed=0.0001");
    holds(&none, "contacts = []");
    folder.runs(
        "
        inspect walk.bvh |! ####
        2 inspect walk.bvh --set take.contact-height=-1 | --set take.contact-height=0.03
        ",
    );
}

#[test]
fn the_speed_of_the_feet_is_reported_and_used_on_request() {
    let folder = Folder::with_walk();
    let made = folder.made("--set output.root-speed=feet");
    holds(&made, "feet/root_speed_from = feet");
    let speed = number(&made, "feet/feet_speed_mps");
    near(number(&made, "root_motion/speed_mps"), speed, 1e-9);
    // The take keeps its own root motion, so the loop can still be compared with it frame by frame.
    let checked = folder.answer("check loop.bvh --take walk.bvh --json");
    let moved = number(&checked, "loops/0/quality/displacement_mm");
    near(moved, number(&made, "quality/displacement_mm"), 1e-3);
    let by_poses = folder.made("--set output.root-speed=pose");
    holds(&by_poses, "feet/root_speed_from = pose");
    near(number(&by_poses, "root_motion/speed_mps") / speed, 1.0, 0.03);
}

/// Messages about a walk in place must not contradict the request: feet that slide over the ground do touch it.
#[test]
fn a_walk_in_place_is_not_said_to_hover() {
    let folder = Folder::with_walk();
    folder.made("--root-motion in-place");
    folder.remove("loop.bvh.json");
    folder.runs(
        "
        make loop.bvh -o again.bvh                                          | the speed over the ground is | in place (1.2
        make loop.bvh -o again.bvh --force --set output.root-speed=pose     | again.bvh: good |! speed is unknown
        make loop.bvh -o again.bvh --force --root-motion stationary         | again.bvh: good |! speed is unknown
        make loop.bvh -o again.bvh --force --root-motion in-place           | again.bvh: good |! speed is unknown
        make loop.bvh -o again.bvh --force --set output.root-speed=1.2      | again.bvh: good |! speed is unknown
        ",
    );
}

#[test]
fn recipes_keep_what_was_asked_of_the_feet() {
    let folder = Folder::with_walk();
    let asked = "--lock-feet off --set output.root-speed=pose --set take.contact-height=0.05 --set take.contact-speed=0.3 --save-recipe r.toml";
    let first = folder.made(asked);
    let again = folder.made("--recipe r.toml");
    holds(&again, "feet/held = false\nfeet/root_speed_from = pose");
    assert_eq!(first["feet"], again["feet"]);
    for line in ["contact-height = 0.05", "contact-speed = 0.3"] {
        assert!(folder.text("r.toml").contains(line), "{line}");
    }
}
