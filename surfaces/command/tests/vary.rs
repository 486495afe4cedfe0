//! Loops of many cycles of which none is like another.

use crate::harness::{Folder, number};

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
