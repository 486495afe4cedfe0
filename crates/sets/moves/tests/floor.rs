//! The floor of a motion is where its own feet stand: a take on a platform or a slope is compared, played and blended like one at
//! height zero.

use glam::DVec3;
use loopwright_core::{Analysis, BodyOverrides, LoopClip, Take, math::Decay};
use loopwright_moves::{Blender, LoopSet, PlaySettings, Transitions, transition::TransitionClip};
use loopwright_synth::WalkSettings;

use crate::support::{best_loop, posed, walk_of};

const DECAY: Decay = Decay::Spring { half_life_secs: 0.1 };

fn walk(climb_mps: f64) -> Take {
    walk_of(WalkSettings::default().climb_mps(climb_mps).seconds(8.0).turn_dps(10.0))
}

fn quick() -> Take {
    walk_of(WalkSettings::default().seed(4).speed_mps(1.9).period_secs(0.9))
}

/// Returns the take with every body raised by so many metres.
fn raised(take: &Take, height: f64) -> Take {
    posed(take, |_, pose| pose.translations[0].y += height)
}

/// On a slope the floor is the plane that the walk was synthesized on: at most a centimetre off, and five where the take begins and
/// ends, with a stance on one side only.
#[test]
fn the_floor_follows_a_slope() {
    for climb in [0.0, 0.25, -0.4] {
        let take = walk(climb);
        let analysis = Analysis::new(&take).unwrap();
        let offset = |frame: usize| analysis.floor.height(frame) - climb * frame as f64 * take.frame_time_secs();
        let middle = offset(take.num_frames() / 2);
        let reach = (1.0 / take.frame_time_secs()) as usize;
        for frame in 0..take.num_frames() {
            let is_inside = (reach..take.num_frames() - reach).contains(&frame);
            let (off, most) = (offset(frame) - middle, if is_inside { 0.01 } else { 0.05 });
            assert!(off.abs() < most, "{climb} {frame}: {off}");
        }
    }
}

/// Hips that sink between feet that stay, as in a crouch, do not lower the floor.
#[test]
fn a_crouch_does_not_lower_the_floor() {
    let take = walk(0.0);
    let analysis = Analysis::new(&take).unwrap();
    let (hips, thighs) = (analysis.body.hips, analysis.body.thighs.unwrap());
    assert_eq!(take.skeleton().parent(hips), None);
    let crouched = posed(&take, |frame, pose| {
        let share = frame as f64 / take.num_frames() as f64;
        let sunk = DVec3::Y * 0.3 * loopwright_core::math::ops::sin(core::f64::consts::PI * share);
        pose.translations[hips] -= sunk;
        for thigh in thighs {
            pose.translations[thigh] += pose.rotations[hips].conjugate() * sunk;
        }
    });
    let crouched = Analysis::new(&crouched).unwrap();
    for frame in 0..take.num_frames() {
        let (found, expected) = (crouched.floor.height(frame), analysis.floor.height(frame));
        assert!(
            (found - expected).abs() < 1e-6,
            "{frame}: {found} instead of {expected}"
        );
    }
}

#[test]
fn a_jump_costs_the_same_on_any_floor() {
    let (left, entered) = (walk(0.0), quick());
    let of_take = |take: &Take| TransitionClip::from_take(Analysis::new(take).unwrap());
    let of_loop = |take: &Take| TransitionClip::from_loop(&best_loop(take), &BodyOverrides::default()).unwrap();
    for height in [0.04, 0.44, -3.0] {
        let moved = raised(&entered, height);
        for [here, there] in [
            [of_take(&entered), of_take(&moved)],
            [of_loop(&entered), of_loop(&moved)],
        ] {
            let [plain, platform] =
                [here, there].map(|entered| Transitions::between(&of_take(&left), &entered, &[]).unwrap());
            for (exit, entry) in [(10, 3), (31, 17), (50, 20)] {
                let (expected, found) = (plain.cost(exit, entry, DECAY), platform.cost(exit, entry, DECAY));
                assert!(
                    (found - expected).abs() < 1e-9,
                    "{height}: {found} instead of {expected}"
                );
            }
        }
    }
}

#[test]
fn loops_from_other_floors_are_played_and_blended_on_one() {
    let (first, second) = (best_loop(&walk(0.0)), best_loop(&quick()));
    let moved = best_loop(&raised(&quick(), 0.44));
    let performed = |second: &LoopClip| {
        let set = LoopSet::new(vec![first.clone(), second.clone()]).unwrap();
        set.perform(12.0, &PlaySettings::default()).unwrap()
    };
    let blended = |second: &LoopClip| {
        let blender = Blender::new(vec![first.clone(), second.clone()]).unwrap();
        blender.blend(&[0.5, 0.5]).unwrap()
    };
    let (plain, platform) = (performed(&second), performed(&moved));
    for secs in (0..120).map(|tenth| 0.1 * f64::from(tenth)) {
        let [plain, platform] = [&plain, &platform].map(|performance| performance.world_pose_at(secs));
        for (one, other) in plain.translations.iter().zip(&platform.translations) {
            assert!((*one - *other).length() < 1e-6, "{secs}: {one} {other}");
        }
    }
    let (plain, platform) = (blended(&second), blended(&moved));
    for key in 0..plain.num_samples() {
        let [plain, platform] = [&plain, &platform].map(|clip| clip.world_pose(key));
        for (one, other) in plain.translations.iter().zip(&platform.translations) {
            assert!((*one - *other).length() < 1e-6, "{key}: {one} {other}");
        }
    }
}
