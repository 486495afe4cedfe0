//! The phase at which a loop starts.

use glam::DVec3;
use loopwright_core::{LoopClip, LoopSettings, analysis::Side, pipeline::StartAt};

use crate::support::{analysed, best_made, steady, walk_of};

/// How far the left ankle is ahead of the right one and above it in a walk that goes ahead, relative to the root, metres.
fn left_from_right(clip: &LoopClip) -> DVec3 {
    let ankles = ["LeftFoot", "RightFoot"].map(|name| clip.skeleton().find(name).unwrap());
    let world = clip.body_pose(0).world(clip.skeleton()).translations;
    world[ankles[0]] - world[ankles[1]]
}

/// A foot lands ahead of the other; where they pass, the left one stands and the right one swings.
#[test]
fn a_loop_starts_at_the_phase_that_is_asked_for() {
    let analysis = analysed(&walk_of(steady().turn_dps(0.0)));
    let started = |start_at: StartAt| {
        let settings = LoopSettings {
            start_at: Some(start_at),
            ..LoopSettings::default()
        };
        best_made(&analysis, &settings).from_start().into_owned()
    };
    for (side, ahead) in [(Side::Left, 1.0), (Side::Right, -1.0)] {
        let apart = left_from_right(&started(StartAt::Contact(side)));
        assert!(ahead * apart.z > 0.3, "{side}: {apart}");
    }
    let apart = left_from_right(&started(StartAt::Passing));
    assert!(apart.z.abs() < 0.05 && apart.y < -0.02, "{apart}");
    let [seam, later] = [0.0, 0.25].map(|share| started(StartAt::Share(share)));
    let quarter = (0.25 * seam.num_samples() as f64).round() as usize;
    assert_eq!(later.body_pose(0).to_pose(), seam.body_pose(quarter).to_pose());
}
