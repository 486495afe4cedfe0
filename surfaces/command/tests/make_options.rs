//! Every option of `make`: its effect on the file, and the agreement of file and sidecar.

use crate::harness::{Folder, holds, items, lines, near, number, rows};

#[test]
fn the_default_output_goes_to_the_current_folder() {
    let folder = Folder::with_walk();
    folder.make_folder("takes");
    folder.copy("walk.bvh", "takes/North Walk.BVH");
    let answer = folder.run_list(&["make", "takes/North Walk.BVH"]).done();
    answer.begins("North Walk-loop.BVH: good: ");
    let names = folder.names();
    assert_eq!(names[..2], ["North Walk-loop.BVH", "North Walk-loop.BVH.json"]);
    assert_eq!(names.iter().filter(|name| name.starts_with("takes/")).count(), 1);
}

#[test]
fn pick_makes_that_loop_of_the_list() {
    // A walk alone, and one with the idle before it.
    for (synth, options, count) in [
        ("--seconds 4 --fps 30", "--set search.shifted=true", 10),
        ("--seconds 9 --fps 30 --lead-in 4 --noise 0.1", "", 2),
    ] {
        let folder = Folder::with_synth(synth);
        let found = folder.answer(&format!("find walk.bvh --json {options}"));
        assert_eq!(items(&found["candidates"]).len(), count);
        for (rank, found) in (1..).zip(items(&found["candidates"])) {
            assert_eq!(found["rank"], rank);
            let made = folder.made(&format!("--pick {rank} {options}"));
            for key in lines("start_frame\nend_frame\nsource_period_secs\ncycles\nseam_cost_metre_secs") {
                assert_eq!(made["candidate"][key], found[key], "{key} of {rank}");
            }
        }
    }
}

#[test]
fn frames_cycles_and_lengths_are_those_asked_for() {
    let folder = Folder::with_synth("--seconds 8 --fps 30");
    for [options, facts] in rows(
        "
        --range 20:55 | start_frame = 20; end_frame = 55; cycles = 1
        --cycles 1    | cycles = 1
        --cycles 2    | cycles = 2
        --cycles 3    | cycles = 3
        --seconds 2:3 | cycles = 2; source_period_secs > 2; source_period_secs < 3
        ",
    ) {
        let json = folder.made(options);
        holds(&json["candidate"], facts);
        let period = number(&json, "candidate/source_period_secs") / number(&json, "candidate/cycles");
        near(period, 1.1537, 0.02);
    }
}

#[test]
fn named_hips_and_feet_are_taken() {
    let folder = Folder::with_walk();
    folder.made("");
    let plain = folder.read("loop.bvh");
    folder.made("--set take.hips=Hips --set take.feet=LeftFoot,RightFoot");
    assert!(
        folder.read("loop.bvh") == plain,
        "the names that are found anyway change something"
    );
    let inspected = folder.answer("inspect walk.bvh --set take.feet=LeftHand --json");
    holds(&inspected, "feet = [\"LeftHand\"]\nfeet_found_by = given");
}

#[test]
fn force_replaces_an_earlier_loop_and_a_loop_that_pops_is_written_too() {
    let folder = Folder::with_walk();
    folder.write("loop.bvh", "old");
    folder.write("loop.bvh.json", "old");
    folder.runs("make walk.bvh -o loop.bvh --force");
    folder.loops();
    assert_eq!(folder.names().len(), 4, "{:?}", folder.names());
    folder.runs(
        "
        1 make walk.bvh --range 3:9 --set joint=*:open -o pops.bvh | the seam shows: | pops.bvh: bad:
        1 check pops.bvh
        ",
    );
}
