//! `find --like`: one motion sought in a take, from the command line.

use crate::harness::{Folder, items, number};

#[test]
fn the_cycles_of_a_loop_are_listed_with_the_motion_that_they_are_most_like() {
    let folder = Folder::with_walk();
    folder.make_folder("loops");
    folder.runs(
        "
        make walk.bvh -o loops/walk.bvh
        synth -o run.bvh --seed 3 --period 0.7 --speed 3 --seconds 6
        make run.bvh -o loops/run.bvh
        ",
    );
    let both = folder.answer("find walk.bvh --like loops --json");
    assert_eq!(items(&both["sought"]).len(), 2);
    let walk = items(&both["sought"])
        .position(|motion| motion["file"] == "loops/walk.bvh")
        .unwrap();
    assert!(items(&both["occurrences"]).len() >= 2, "{both}");
    for occurrence in items(&both["occurrences"]) {
        assert_eq!(occurrence["sought"], walk);
        assert!(number(occurrence, "cost_ratio") <= 0.4);
    }
    // The text names the same, and says how to see the rest.
    folder.runs("find walk.bvh --like loops --top 1 | loops/walk.bvh |! loops/run.bvh | more: --top");
}

#[test]
fn what_cannot_be_sought_is_refused_with_what_to_try() {
    let folder = Folder::with_walk();
    folder.make_folder("empty");
    folder.runs(
        "
        2 find walk.bvh --like none.bvh             | cannot read \"none.bvh\" | try
        2 find walk.bvh --like walk.bvh:90          | \"90\" is no range of frames of \"walk.bvh\" | try
        2 find walk.bvh --like walk.bvh:90:x        | \"90:x\" is no range of frames of \"walk.bvh\" | try
        2 find walk.bvh --like walk.bvh:90:9999     | has no frame 9999 | try
        2 find walk.bvh --like empty                | \"empty\" holds no take and no loop | try
        2 find walk.bvh --like walk.bvh --idle      | cannot be used with | try
        ",
    );
}
