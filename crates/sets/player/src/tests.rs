//! A small set for the tests of all modules, and tests of what several of them do together.

use glam::{DQuat, DVec3};
use loopwright_core::{Joint, Skeleton, Take};
use serde_json::{Value, json};

use crate::{
    set::{ClipSource, Moment, MotionSet},
    source::Cycle,
    space::PlayedSpace,
};

/// Returns a set of one joint that stands, walks and runs, with a start and a stop.
pub(crate) fn walking(change: impl Fn(&mut Value)) -> MotionSet {
    let gait = |name: &str, seconds: f64, speed: f64, warp: f64| {
        json!({
            "name": name, "file": "hero.glb", "animation": name, "kind": "loop", "seconds": seconds, "frames": 30,
            "phase": { "warp": warp, "left": 0.0, "right": 0.5 + warp },
            "twist": { "linear": [0.0, 0.0, speed], "angular": [0.0, 0.1 * speed, 0.0] },
            "events": [{ "secs": 0.0, "phase": 0.0, "foot": "left", "kind": "strike" },
                { "secs": (0.5 + warp) * seconds, "foot": "right", "kind": "strike" }],
        })
    };
    let passage = |name: &str, kind: &str, from: &str, to: &str| {
        let keys = 0..=30;
        json!({
            "name": name, "file": "hero.glb", "animation": name, "kind": kind, "seconds": 1.0, "frames": 30,
            "from": { "clip": from, "secs": 0.2 }, "to": { "clip": to, "secs": 0.55 }, "events": [],
            "root": {
                "translation": keys.clone().flat_map(|key| [0.0, 0.0, 0.02 * f64::from(key)]).collect::<Vec<_>>(),
                "rotation": keys.flat_map(|_| [0.0, 0.0, 0.0, 1.0]).collect::<Vec<_>>(),
            },
        })
    };
    let mut idle = gait("idle", 4.0, 0.0, 0.0);
    idle["events"] = json!([]);
    let mut manifest = json!({
        "format": "loopwright-set", "version": 1, "in_place": true,
        "clips": [idle, gait("walk", 1.1, 1.3, 0.02), gait("run", 0.7, 3.0, -0.03),
            passage("start", "start", "idle", "walk"), passage("stop", "stop", "walk", "idle")],
        "blend_spaces": [{ "name": "move", "axes": ["speed_mps"], "points": [
            { "clip": "idle", "at": [0.0] }, { "clip": "walk", "at": [1.3] }, { "clip": "run", "at": [3.0] }] }],
    });
    change(&mut manifest);
    let still = |source: &ClipSource<'_>| {
        let hips = Skeleton::new(vec![Joint::new("Hips", None, DVec3::ZERO)]).unwrap();
        let places = vec![DVec3::Y; source.keys];
        Ok(Take::new(
            "still",
            hips,
            source.step_secs,
            places,
            vec![DQuat::IDENTITY; source.keys],
        )
        .unwrap())
    };
    MotionSet::from_takes(&serde_json::to_vec(&manifest).unwrap(), still).unwrap()
}

#[test]
fn a_blend_has_the_speed_that_is_asked_for() {
    let set = walking(|_| {});
    for speed in [0.4, 1.3, 2.0, 3.0] {
        let parts = set.spaces[0].weights(&set.clips, [speed, 0.0]);
        let twist = PlayedSpace::twist(&set.clips, &parts);
        assert!((twist.linear.z - speed).abs() < 1e-12, "{speed}: {twist:?}");
        assert!((parts.iter().map(|part| part.weight).sum::<f64>() - 1.0).abs() < 1e-12);
    }
    assert_eq!(set.spaces[0].covered(&set.clips, [9.0, 0.0])[0], 3.0);
    assert!(set.spaces.iter().any(|space| space.stands && space.name == "idle"));
}

/// The ground below a blend moves as feet that stand in all of its loops do: the sum of w d tau'(p) dp over a step is the travel
/// of that step. For a loop alone that means equal times in equal steps.
#[test]
fn feet_that_stand_in_all_loops_do_not_slip() {
    let set = walking(|manifest| {
        for (clip, warp) in [(1, 0.07), (2, -0.1)] {
            manifest["clips"][clip]["phase"]["warp"] = json!(warp);
            manifest["clips"][clip]["twist"]["angular"] = json!([0.0, 0.0, 0.0]);
        }
    });
    for speed in [1.3, 2.1, 3.0] {
        let cycle = Cycle::new(
            0,
            Moment {
                at: [speed, 0.0],
                phase: 0.0,
            },
        );
        let (parts, clock) = (cycle.parts(&set, 0.0), cycle.clock(&set));
        let secs = clock.period / 40.0;
        let mut phase = 0.0;
        for step in 0..100 {
            let next = clock.after(phase, secs);
            let of_feet = parts.iter().map(|part| {
                let clip = &set.clips[part.clip];
                part.weight * clip.twist().linear.z * (clip.secs_at(next) - clip.secs_at(phase))
            });
            let of_root = PlayedSpace::twist(&set.clips, &parts).linear.z * secs;
            assert!(
                (of_feet.sum::<f64>() - of_root).abs() < 1e-5,
                "{speed} m/s, step {step}"
            );
            assert!((clock.secs_between(phase, next) - secs).abs() < 1e-12);
            phase = next;
        }
    }
}

#[test]
fn phases_and_shares_are_each_others_inverse() {
    // A manifest may have any warp below 1/pi.
    for warp in [0.02, 0.31, -0.31] {
        let set = walking(|manifest| manifest["clips"][1]["phase"]["warp"] = json!(warp));
        for clip in set.clips() {
            for step in 0..200 {
                let phase = f64::from(step) / 200.0;
                let back = clip.phase_at(clip.secs_at(phase));
                assert!((back - phase).abs() < 1e-12, "{} {warp}: {phase} {back}", clip.name);
            }
        }
    }
    let set = walking(|_| {});
    let walk = &set.clips[1];
    assert!((walk.phase_of(&walk.events[1]) - 0.5).abs() < 1e-12);
}
