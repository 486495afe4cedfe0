//! The table of cases in `cases/`, which cases/cases.py makes with the reference player of docs/formats, and feet that are held.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use glam::DVec3;
use loopwright_core::math::rotation;
use loopwright_player::{Goal, MotionSet, SteeredCharacter};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    case: String,
    clip: String,
    inputs: Vec<(f64, String, serde_json::Value)>,
    shows: Vec<Shown>,
}

#[derive(Deserialize)]
struct Shown {
    secs: f64,
    root: [f64; 4],
    phase: Option<f64>,
    weights: BTreeMap<String, f64>,
    joints: BTreeMap<String, [f64; 3]>,
}

const RATE: f64 = 60.0;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

fn set() -> Arc<MotionSet> {
    let manifest = std::fs::read(folder().join("set.json")).unwrap();
    Arc::new(MotionSet::read(&manifest, |file| std::fs::read(folder().join(file))).unwrap())
}

fn goal(speed: f64, degrees: f64) -> Goal {
    Goal {
        speed,
        turn_rate: degrees.to_radians(),
        ..Goal::default()
    }
}

fn places(hero: &SteeredCharacter, names: &[&str]) -> Vec<DVec3> {
    let world = hero.pose().as_ref().world(hero.set().skeleton());
    let find = |name: &&str| world.translations[hero.set().skeleton().find(name).unwrap()];
    names.iter().map(find).collect()
}

#[test]
fn every_case_is_played_as_the_reference_plays_it() {
    let cases: Vec<Case> = serde_json::from_slice(&std::fs::read(folder().join("cases.json")).unwrap()).unwrap();
    let set = set();
    for case in cases {
        let mut hero = SteeredCharacter::in_loop(Arc::clone(&set), &case.clip).unwrap();
        hero.holds_feet = false;
        // Nobody asked for the idle to be left.
        let (mut inputs, mut shows) = (case.inputs.into_iter().peekable(), case.shows.into_iter().peekable());
        for frame in 0..=120 {
            let secs = f64::from(frame) / RATE;
            while let Some((_, verb, value)) = inputs.next_if(|input| input.0 <= secs + 1e-9) {
                if verb == "play" {
                    assert!(hero.play(value.as_str().unwrap()));
                    hero.set_goal(goal(1.0, 0.0));
                } else if verb == "over" {
                    assert!(hero.play_over(value.as_str().unwrap()));
                } else {
                    let [speed, degrees]: [f64; 2] = serde_json::from_value(value).unwrap();
                    hero.set_goal(goal(speed, degrees));
                }
            }
            if let Some(shown) = shows.next_if(|shown| shown.secs <= secs + 1e-4) {
                let what = format!("{}, {secs} s", case.case);
                let [x, y, z, yaw] = shown.root;
                let root = hero.root();
                assert!(
                    root.translation.distance(DVec3::new(x, y, z)) < 2e-3,
                    "{what}: {root:?}"
                );
                assert!((rotation::yaw_of(root.rotation) - yaw).abs() < 2e-3, "{what}: {root:?}");
                let playing = hero.playing();
                if let Some(phase) = shown.phase {
                    let off = playing.phase - phase;
                    assert!((off - off.round()).abs() < 1e-3, "{what}: {}", playing.phase);
                    for part in &playing.clips {
                        let weight = shown.weights.get(&part.clip.name).copied().unwrap_or(0.0);
                        assert!(
                            (part.weight - weight).abs() < 2e-3,
                            "{what}: {} {}",
                            part.clip.name,
                            part.weight
                        );
                    }
                }
                for (name, place) in shown.joints {
                    let place = DVec3::from_array(place);
                    let found = places(&hero, &[&name])[0];
                    assert!(found.distance(place) < 2e-3, "{what}: {name} at {found}, not {place}");
                }
            }
            hero.update(1.0 / RATE);
        }
    }
}

/// Returns the mean speed of standing feet over the ground, m/s, in changes between walk and run.
fn slides(holds_feet: bool) -> f64 {
    let set = set();
    let mut hero = SteeredCharacter::in_loop(set, "walk").unwrap();
    hero.holds_feet = holds_feet;
    let feet = ["LeftToeBase", "RightToeBase"];
    let (mut last, mut found): (Option<Vec<DVec3>>, _) = (None, Vec::new());
    for frame in 0..60 * 60 {
        match (frame / 90) % 4 {
            0 => hero.set_goal(goal(2.2, 0.0)),
            1 => hero.set_goal(goal(1.4, 20.0)),
            2 => hero.set_goal(goal(1.0, 0.0)),
            _ => {
                if frame % 90 == 0 {
                    assert!(hero.play("run"));
                }
            }
        }
        hero.update(1.0 / RATE);
        let root = hero.root();
        let now: Vec<DVec3> = places(&hero, &feet)
            .iter()
            .map(|place| root.transform_point(*place))
            .collect();
        if let Some(last) = last {
            for (foot, side) in [0.0, 0.5].into_iter().enumerate() {
                // Half through the contacts of all loops.
                let playing = hero.playing();
                let off = playing.phase - side;
                if !hero.stepping()[foot] && (off - off.round()).abs() < 0.12 {
                    found.push((now[foot] - last[foot]).with_y(0.0).length() * RATE);
                }
            }
        }
        last = Some(now);
    }
    found.iter().sum::<f64>() / found.len() as f64
}

/// Returns the farthest step of each of these joints in a frame.
fn farthest_steps(count: usize, mut next: impl FnMut(usize) -> Vec<DVec3>) -> Vec<f64> {
    let mut last = next(0);
    let mut farthest = vec![0.0_f64; last.len()];
    for frame in 1..count {
        let now = next(frame);
        for ((farthest, last), now) in farthest.iter_mut().zip(&last).zip(&now) {
            *farthest = farthest.max(last.distance(*now));
        }
        last = now;
    }
    farthest
}

#[test]
fn actions_begin_and_end_at_any_phase_without_larger_steps_than_they_and_the_walk_have() {
    let set = set();
    let names = ["Hips", "LeftFoot", "RightFoot", "LeftToeBase", "RightToeBase", "Head"];
    let find = |name: &&str| set.skeleton().find(name).unwrap();
    // Over the ground. What is played is seen from the root, or steps of a walk that fades would add to those of the action.
    let inside = ["walk", "bow"].map(|name| {
        let clip = set.clips().iter().find(|clip| clip.name == name).unwrap();
        farthest_steps((clip.seconds * RATE) as usize + 1, |frame| {
            let secs = frame as f64 / RATE;
            let world = clip.pose(secs).as_ref().world(set.skeleton());
            let root = clip.root(secs);
            names
                .iter()
                .map(|name| root.transform_point(world.translations[find(name)]))
                .collect()
        })
    });
    for (start, is_over) in (0..24).flat_map(|start| [(start, false), (start, true)]) {
        let mut hero = SteeredCharacter::in_loop(Arc::clone(&set), "walk").unwrap();
        hero.set_goal(goal(1.0, 0.0));
        hero.update(2.0 + f64::from(start) / 24.0);
        assert!(if is_over {
            hero.play_over("bow")
        } else {
            hero.play("bow")
        });
        let steps = farthest_steps(180, |_| {
            hero.update(1.0 / RATE);
            places(&hero, &names)
        });
        for (joint, step) in steps.iter().enumerate() {
            let own = inside[0][joint].max(inside[1][joint]);
            assert!(
                *step <= 1.2 * own,
                "{} from {start}/24, over {is_over}: {step} m of {own}",
                names[joint]
            );
        }
        let playing = hero.playing();
        assert!(
            playing.space.is_some() && playing.over.is_none() && playing.clips[0].clip.name == "walk",
            "{playing:?}"
        );
    }
}

#[test]
fn held_feet_do_not_slide_and_the_root_does_not_notice() {
    let (free, held) = (slides(false), slides(true));
    assert!(free > 0.02 && held < 0.004, "{free} m/s, held {held} m/s");
}

#[test]
fn a_loop_alone_is_not_corrected() {
    let [held, free] = [true, false].map(|holds| {
        let mut hero = SteeredCharacter::in_loop(set(), "run").unwrap();
        hero.holds_feet = holds;
        (0..200).for_each(|_| hero.update(0.013));
        hero.pose().clone()
    });
    assert_eq!(held, free);
}

#[test]
fn the_root_of_a_loop_does_not_drift_in_uneven_frames() {
    let set = set();
    for clip in set.clips().iter().filter(|clip| clip.loops()) {
        let mut hero = SteeredCharacter::in_loop(Arc::clone(&set), &clip.name).unwrap();
        for step in [1.0 / 60.0, 1.0 / 144.0, 1.0 / 31.0].into_iter().cycle() {
            hero.update(f64::min(step, 60.0 - hero.secs()));
            if hero.secs() >= 60.0 {
                break;
            }
        }
        let off = hero.root().translation.distance(clip.twist().exp(60.0).translation);
        assert!(off < 1e-6, "{}: {off} m after a minute", clip.name);
    }
}

#[test]
fn a_loop_whose_speed_and_turn_are_asked_for_plays_alone() {
    let mut hero = SteeredCharacter::new(set());
    for (name, speed, degrees) in [("walk", 1.0, 0.0), ("run", 2.2, 0.0), ("walk_left", 1.0, 60.0)] {
        hero.set_goal(goal(speed, degrees));
        (0..600).for_each(|_| hero.update(1.0 / RATE));
        let playing = hero.playing();
        assert!(
            playing.clips.len() == 1 && playing.clips[0].clip.name == name,
            "{playing:?}"
        );
    }
}

#[test]
fn what_cannot_be_met_of_a_goal_is_the_turn() {
    let mut hero = SteeredCharacter::in_loop(set(), "walk").unwrap();
    hero.set_goal(goal(1.0, -60.0));
    (0..600).for_each(|_| hero.update(1.0 / RATE));
    let playing = hero.playing();
    assert!(
        playing
            .clips
            .iter()
            .any(|part| part.clip.name == "walk" && part.weight > 0.95),
        "{playing:?}"
    );
    assert!(hero.met_goal().turn_rate.abs() < 0.05 && hero.met_goal().speed == 1.0);
}
