//! Search and root motion against the truth of synthetic takes.

use core::f64::consts::TAU;

use glam::{DQuat, DVec3};
use loopwright_core::{LoopSettings, SearchSettings, analysis::MotionKind, math::Twist, mirror::Pairing};
use loopwright_synth::{SyntheticTake, random_settings, synthesize};

use crate::support::{analysed, best, best_made, measured, posed, steady, walk_of};

const TAKES: u64 = 200;

/// Errors on one take: period in frames, wrong cycle counts, and root motion.
struct Errors {
    period_frames: f64,
    wrong_cycles: bool,
    speed_mps: f64,
    true_speed_mps: f64,
    turn_dps: f64,
    true_turn_dps: f64,
    climb_mps: f64,
}

fn errors(synthetic: &SyntheticTake) -> Option<Errors> {
    let SyntheticTake { take, truth } = synthetic;
    let analysis = analysed(take);
    let found = analysis.find_loops(&SearchSettings::default()).unwrap();
    let best = found.best()?;
    let dt = take.frame_time_secs();
    let start_secs = best.cut.start_frame() * dt;
    let cycles = f64::from(best.cycles);
    let true_period = truth.period_from(start_secs, cycles);
    let made = analysis.make_loop(best, &LoopSettings::default()).unwrap();
    // The loop may be retimed by half a frame, so root motion is compared per second of the take.
    let retimed = made.loop_clip.period_secs() / best.source_period_secs;
    let twist = made.loop_clip.root().twist;
    // The true motion of the world under the walker, as a twist of our own root: the two roots are centimetres apart, which
    // changes the velocity in a turn.
    let (from, to) = (truth.root_at(start_secs), truth.root_at(start_secs + true_period));
    let start = made.loop_clip.root().start;
    let local = start.inverse() * to * from.inverse() * start;
    let turn = truth.yaw_at(start_secs + true_period) - truth.yaw_at(start_secs);
    let true_twist = Twist::log_with_turn(local, DVec3::Y * turn, true_period);
    let climb = to.translation.y - from.translation.y;
    let level = |v: DVec3| v.with_y(0.0).length();
    Some(Errors {
        period_frames: (best.source_period_secs - true_period) / dt,
        wrong_cycles: (true_period / (cycles * truth.period_secs) - 1.0).abs() > 0.2,
        speed_mps: level(twist.linear) * retimed - level(true_twist.linear),
        true_speed_mps: level(true_twist.linear),
        turn_dps: (twist.angular.y * retimed - true_twist.angular.y).to_degrees(),
        true_turn_dps: true_twist.angular.y.to_degrees(),
        // Less than 3 cm per cycle is left to the body by design.
        climb_mps: if twist.linear.y == 0.0 && climb.abs() < 0.035 * cycles {
            0.0
        } else {
            twist.linear.y * retimed - true_twist.linear.y
        },
    })
}

#[test]
fn the_fundamental_and_the_twist_are_found_on_random_walks() {
    let (mut period_wrong, mut missed, mut cycles_wrong, mut twist_wrong) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for seed in 0..TAKES {
        let synthetic = synthesize(&random_settings(seed)).unwrap();
        let Some(errors) = errors(&synthetic) else {
            missed.push(seed);
            continue;
        };
        if errors.wrong_cycles {
            cycles_wrong.push(seed);
        } else if errors.period_frames.abs() > 0.5 {
            period_wrong.push((seed, errors.period_frames));
        }
        let within = |error: f64, truth: f64, floor: f64| error.abs() <= floor.max(0.01 * truth.abs());
        if !(within(errors.speed_mps, errors.true_speed_mps, 0.01)
            && within(errors.turn_dps, errors.true_turn_dps, 1.0)
            && within(errors.climb_mps, 0.0, 0.01))
        {
            twist_wrong.push((seed, errors.speed_mps, errors.turn_dps, errors.climb_mps));
        }
    }
    let one_percent = TAKES as usize / 100;
    assert!(
        missed.len() + cycles_wrong.len() + period_wrong.len() <= one_percent,
        "missed {missed:?}, cycles {cycles_wrong:?}, period {period_wrong:?}"
    );
    assert!(twist_wrong.is_empty(), "{twist_wrong:?}");
}

#[test]
fn an_exactly_periodic_walk_is_closed_without_a_trace() {
    let take = walk_of(steady().period_secs(1.2).frame_rate_hz(60.0));
    let analysis = analysed(&take);
    let best = best(&analysis);
    assert_eq!((best.cycles, best.cut.num_frames().round()), (1, 72.0));
    let made = analysis.make_loop(&best, &LoopSettings::default()).unwrap();
    let offsets = made.closed.rotation_offsets.iter().map(|offset| offset.length());
    let largest = offsets.fold(0.0, f64::max);
    // The trend of the hips' height is cut short near the ends of the take and moves the length by a thousandth of a frame.
    assert!(
        largest < 1e-4,
        "{largest} {:?} {:?}",
        best.cut,
        made.closed.seam.largest()
    );
}

#[test]
fn half_cycles_are_found_and_made_symmetric() {
    let (mut off, mut others) = (Vec::new(), Vec::new());
    for seed in 0..60 {
        let settings = random_settings(seed).turn_dps(0.0).climb_mps(0.0);
        let Ok(SyntheticTake { take, truth }) = synthesize(&settings) else {
            continue;
        };
        let analysis = analysed(&take);
        let mirror = analysis.mirror(&[]).unwrap();
        let search = SearchSettings {
            pairing: Pairing::Mirrored(mirror.clone()),
            ..SearchSettings::default()
        };
        let found = analysis.find_loops(&search).unwrap();
        let Some(best) = found.best().filter(|best| best.cycles == 1) else {
            others.push(seed);
            continue;
        };
        let dt = take.frame_time_secs();
        let half = truth.period_from(best.cut.start_frame() * dt, 0.5);
        if (best.source_period_secs - 2.0 * half).abs() > dt {
            off.push((seed, (best.source_period_secs - 2.0 * half) / dt));
        }
        let made = analysis.make_loop(best, &LoopSettings::default()).unwrap();
        let residual = &made.closed.residual;
        let largest = residual.angle.max(residual.angular_velocity).max(residual.velocity);
        assert!(largest < 1e-9, "{seed}: {residual:?}");
        // Offsets are from the take's own samples to the closed ones, also where left and right were evened out.
        for key in 0..made.closed.tracks.num_frames() / 2 {
            let from = made.source.clip.translations(key as isize);
            let to = made.closed.tracks.pose(key).translations;
            for joint in 0..take.num_joints() {
                let offset = made.closed.translation_offsets[key * take.num_joints() + joint];
                let off = (to[joint] - from[joint] - offset).length();
                assert!(off < 1e-9, "{seed}: joint {joint} at {key}");
            }
        }
        // The second half mirrors the first, seen from the root.
        let clip = &made.loop_clip;
        let half = clip.num_samples() / 2;
        let seen = |key: usize| clip.world_pose(key).moved(clip.root_pose(key).inverse()).translations;
        for key in 0..half {
            let (before, after) = (seen(key), seen(key + half));
            for joint in 0..take.num_joints() {
                let image = before[joint] * DVec3::new(-1.0, 1.0, 1.0);
                let off = (image - after[mirror.partner(joint)]).length();
                assert!(off < 1e-9, "{seed}: joint {joint} at {key}");
            }
        }
    }
    let num_wrong = off.len() + others.len();
    assert!(num_wrong <= 2, "period {off:?}, nothing or several cycles {others:?}");
}

#[test]
fn a_rate_at_which_no_legs_swing_is_seen() {
    let walk = walk_of(steady());
    let odd = |factor: f64| analysed(&walk.sped_up(factor).unwrap()).odd_pace();
    assert_eq!([1.0, 0.4, 2.5].map(odd), [None; 3]);
    for factor in [0.1, 0.2, 6.0] {
        let found = odd(factor).unwrap();
        let right = found.speed_up * factor;
        assert!((0.6..1.7).contains(&right), "{factor}: {found:?}");
    }
    assert!(walk.sped_up(0.0).is_err() && walk.sped_up(f64::NAN).is_err());
}

/// A forward roll goes as fast as a walk, and its head is below its feet half of the time.
#[test]
fn a_body_that_rolls_neither_walks_nor_lies() {
    let walk = walk_of(steady().turn_dps(0.0));
    let rolling = posed(&walk, |frame, pose| {
        let turn = DQuat::from_rotation_x(TAU * frame as f64 * walk.frame_time_secs() / 1.6);
        pose.rotations[0] = turn * pose.rotations[0];
    });
    let analysis = analysed(&rolling);
    assert!(
        analysis
            .segments
            .iter()
            .all(|segment| segment.gait.kind == MotionKind::Other)
    );
    assert_eq!(analysis.motion_kind(None, Some(1.3)), MotionKind::Other);
    let kinds = analysed(&walk).segments;
    assert!(kinds.iter().any(|segment| segment.gait.kind == MotionKind::Walk));
    let made = best_made(&analysis, &LoopSettings::default());
    assert_eq!(measured(&made).lean_radians, None);
    assert_eq!(
        analysis.motion_kind(Some(&made.candidate), Some(1.3)),
        MotionKind::Other
    );
}
