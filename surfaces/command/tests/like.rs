//! `find --like`: one motion sought in a take, from the command line.

use crate::harness::Folder;

#[test]
fn the_cycles_of_a_loop_are_listed_with_the_motion_that_they_are_most_like() {
    let folder = Folder::with_walk();
    folder.make_folder("loops");
    folder.succeed("make walk.bvh -o loops/walk.bvh");
    folder.succeed("synth -o run.bvh --seed 3 --period 0.7 --speed 3 --seconds 6");
    folder.succeed("make run.bvh -o loops/run.bvh");
    let both = folder.answer("find walk.bvh --like loops --json");
    let sought = both["sought"].as_array().unwrap();
    assert_eq!(sought.len(), 2);
    let walk = sought
        .iter()
        .position(|motion| motion["file"] == "loops/walk.bvh")
        .unwrap();
    let found = both["occurrences"].as_array().unwrap();
    assert!(found.len() >= 3, "{found:?}");
    for occurrence in found {
        assert_eq!(occurrence["sought"], walk);
        assert!(occurrence["cost_ratio"].as_f64() <= Some(0.4));
    }
    // The text names the same, and says how to see the rest.
    let text = folder.succeed("find walk.bvh --like loops --top 1").stdout;
    let is_said = text.contains("loops/walk.bvh") && !text.contains("loops/run.bvh");
    assert!(is_said, "{text}");
    assert!(text.contains("more: --top"), "{text}");
}

#[test]
fn what_cannot_be_sought_is_refused_with_what_to_try() {
    let folder = Folder::with_walk();
    folder.make_folder("empty");
    for (arguments, message) in [
        ("--like none.bvh", "cannot read \"none.bvh\""),
        ("--like walk.bvh:90", "\"90\" is no range of frames of \"walk.bvh\""),
        ("--like walk.bvh:90:x", "\"90:x\" is no range of frames of \"walk.bvh\""),
        ("--like walk.bvh:90:9999", "has no frame 9999"),
        ("--like empty", "\"empty\" holds no take and no loop"),
        ("--like walk.bvh --idle", "cannot be used with"),
    ] {
        let answer = folder.refuse(&format!("find walk.bvh {arguments}"), message);
        answer.says("try");
    }
}
