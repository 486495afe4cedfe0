//! Loops of many cycles of which none is like another.

use crate::harness::{Folder, holds, near, number, samples};

#[test]
fn many_cycles_vary_and_loop_as_a_whole() {
    let folder = Folder::with_synth("--seconds 16 --fps 30 --noise 0.5 --variation 0.05");
    let plain = folder.made("");
    let made = folder.made("--set output.vary=20 --set output.vary-seed=5 --save-recipe vary.toml");
    let bytes = folder.read("loop.bvh");
    holds(&made["variation"], "seed = 5\ntake_cycles > 7.9\nrotation_deg > 0.1");
    let copies = number(&made, "variation/copies");
    let count = samples(&plain);
    assert_eq!(samples(&made), copies as usize * count);
    near(
        number(&made, "candidate/period_secs"),
        20.0,
        number(&plain, "candidate/period_secs"),
    );
    assert_eq!(
        number(&made, "candidate/cycles"),
        copies * number(&plain, "candidate/cycles")
    );
    let [one, other] = [&made, &plain].map(|json| &json["root_motion"]["linear_velocity_mps"]);
    assert_eq!(one, other);
    folder.loops();
    let checked = folder.answer("check loop.bvh --take walk.bvh --json");
    holds(&checked, "loops/0/quality/displacement_mm < 30");

    // The recipe makes the same bytes, another seed others.
    folder.made("--recipe vary.toml");
    assert_eq!(folder.read("loop.bvh"), bytes);
    folder.made("--set output.vary=20 --set output.vary-seed=6");
    assert_ne!(folder.read("loop.bvh"), bytes);
    folder.refuse_all(
        "make walk.bvh --force",
        "
        --set output.vary=0 | try: --set output.vary=60
        --set output.vary=20 --set output.vary-amount=9 | must be above 0 and at most 2
        --set output.vary=20 --set output.vary-amount=0 | must be above 0 and at most 2
        --set output.vary-seed=3 | try: --set output.vary=60, or neither of the two
        --set output.vary-amount=1 | which is not asked for
        --set output.vary=1e9 | try: a smaller output.vary
        --set output.vary=20 --ping-pong | the take does not show how its cycles vary
        --set output.vary=20 --set output.vary-seed=-1 | vary-seed
        ",
    );
}

#[test]
fn what_is_said_of_cycles_that_vary_is_of_one() {
    let folder = Folder::with_synth("--seconds 16 --fps 30 --noise 0.5 --variation 0.05");
    folder.runs("make walk.bvh -o loop.bvh --plot one.svg");
    let varied = folder.succeed("make walk.bvh -o loop.bvh --force --plot many.svg --set output.vary=20");
    // The frames of the take are those of one cycle, ...
    varied.shows(", 1 cycle\n");
    let made = folder.json("loop.bvh.json");
    let copies = number(&made, "variation/copies");
    let recorded = number(&made, "candidate/source_period_secs") / copies;
    varied.shows(&format!("(recorded {recorded:.4} s, {copies} times)"));
    // ... and what closing did to it is drawn. Cycles that do not differ are none that vary.
    assert_eq!(folder.text("one.svg"), folder.text("many.svg"));
    folder.runs(
        "
        synth -o even.bvh --seconds 16 --fps 30 --noise 0 --variation 0 --drift 0
        2 make even.bvh --set output.vary=20    | its cycles are all alike
        synth -o short.bvh --seconds 3 --fps 30 --noise 0.5
        2 make short.bvh --set output.vary=20   | the take has no frames for another cycle
        ",
    );
}
