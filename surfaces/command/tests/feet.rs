//! Feet on the command line: foot locking, reports in text and JSON, and takes in place.

use crate::harness::{Folder, items, number};
use serde_json::Value;

#[test]
fn feet_are_held_unless_asked_otherwise() {
    let folder = Folder::with_walk();
    let held = folder.made("");
    assert_eq!(held["feet"]["held"], true);
    let outcomes: Vec<&Value> = items(&held["feet"]["outcomes"]).map(|foot| &foot["outcome"]).collect();
    assert_eq!(outcomes, ["held", "held"]);
    assert!(number(&held, "feet/foot_slide_after_cmps") < 0.5 * number(&held, "feet/foot_slide_before_cmps"));
    // The written file has the same foot sliding.
    assert!((number(&held, "quality/foot_slide_cmps") - number(&held, "feet/foot_slide_after_cmps")).abs() < 0.01);
    let period = number(&held, "candidate/period_secs");
    let contacts = held["feet"]["contacts"].as_array().unwrap();
    assert!(contacts.len() >= 2);
    for contact in contacts {
        assert!(number(contact, "start_secs") < period && number(contact, "length_secs") <= period);
    }
    let open = folder.made("--lock-feet off");
    assert_eq!(open["feet"]["held"], false);
    assert!(number(&open, "quality/foot_slide_cmps") > number(&held, "quality/foot_slide_cmps"));
    let text = folder.succeed("make walk.bvh -o loop.bvh --force").stdout;
    assert!(
        text.contains("LeftToeBase, RightToeBase locked: sliding from "),
        "{text}"
    );
}

#[test]
fn contacts_are_shown_as_bars_and_listed() {
    let folder = Folder::with_walk();
    let text = folder.succeed("inspect walk.bvh --contacts").stdout;
    let bars = text
        .lines()
        .find(|line| line.contains("LeftToeBase  ") && line.contains("##"))
        .unwrap();
    assert!(bars.contains("...") && bars.contains("####"), "{bars}");
    assert!(!folder.succeed("inspect walk.bvh").stdout.contains("####"));
    let json = folder.answer("inspect walk.bvh --json");
    let contacts = json["contacts"].as_array().unwrap();
    assert!(contacts.len() >= 4);
    assert!(
        contacts
            .iter()
            .all(|contact| contact["start_frame"].as_u64() <= contact["end_frame"].as_u64())
    );
    // No foot is that slow.
    let none = folder.answer("inspect walk.bvh --json --set take.contact-speed=0.0001");
    assert_eq!(none["contacts"].as_array().unwrap().len(), 0);
    let refused = folder.fail("inspect walk.bvh --set take.contact-height=-1");
    refused.says("--set take.contact-height=0.03");
}

#[test]
fn the_speed_of_the_feet_is_reported_and_used_on_request() {
    let folder = Folder::with_walk();
    let sidecar = folder.made("--set output.root-speed=feet");
    assert_eq!(sidecar["feet"]["root_speed_from"], "feet");
    let feet_speed = number(&sidecar, "feet/feet_speed_mps");
    assert!((number(&sidecar, "root_motion/speed_mps") - feet_speed).abs() < 1e-9);
    // The take keeps its own root motion, so the loop can still be compared with it frame by frame.
    let checked = folder.answer("check loop.bvh --take walk.bvh --json");
    let quality = &checked["loops"][0]["quality"];
    assert!((number(quality, "displacement_mm") - number(&sidecar, "quality/displacement_mm")).abs() < 1e-3);
    let by_poses = folder.made("--set output.root-speed=pose");
    assert_eq!(by_poses["feet"]["root_speed_from"], "pose");
    assert!((number(&by_poses, "root_motion/speed_mps") / feet_speed - 1.0).abs() < 0.03);
}

/// What a walk in place is told must not contradict what was asked for: feet that slide over the ground do touch it.
#[test]
fn a_walk_in_place_is_not_said_to_hover() {
    let folder = Folder::with_walk();
    folder.made("--root-motion in-place");
    std::fs::remove_file(folder.file("loop.bvh.json")).unwrap();
    let made = |options: &str| folder.succeed(&format!("make loop.bvh -o again.bvh --force {options}"));
    let by_feet = made("");
    by_feet.says("the speed over the ground is ");
    by_feet.shows("in place (1.2");
    for options in [
        "--set output.root-speed=pose",
        "--root-motion stationary",
        "--root-motion in-place",
        "--set output.root-speed=1.2",
    ] {
        let answer = made(options);
        assert!(
            !answer.stderr.contains("speed is unknown"),
            "{options}: {}",
            answer.stderr
        );
        answer.shows("again.bvh: good");
    }
}

#[test]
fn recipes_keep_what_was_asked_of_the_feet() {
    let folder = Folder::with_walk();
    let asked = "--lock-feet off --set output.root-speed=pose --set take.contact-height=0.05 --set take.contact-speed=0.3 --save-recipe r.toml";
    let first = folder.made(asked);
    let recipe = folder.text("r.toml");
    for line in [
        "lock-feet = \"off\"",
        "root-speed = \"pose\"",
        "contact-height = 0.05",
        "contact-speed = 0.3",
    ] {
        assert!(recipe.contains(line), "{line}: {recipe}");
    }
    let again = folder.made("--recipe r.toml");
    assert_eq!(first["feet"], again["feet"]);
}
