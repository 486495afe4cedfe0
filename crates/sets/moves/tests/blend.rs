//! Blends of loops with known truth: arcs, gaits of other periods and phases, and the spaces between them.

use glam::{DQuat, DVec3};
use loopwright_core::{
    BodyOverrides, LoopClip, Take,
    analysis::{Body, ContactLimits},
    feet::{self, FootLock},
    loop_clip::{Interpolation, LoopKeys},
    math::{Rigid, Twist, ops, rotation},
    motion::SkeletonDifference,
    quality,
    quality::Stand,
};
use loopwright_moves::{
    Blender,
    blend::{BlendAxis, BlendError, BlendSpace, PhaseError, PhaseMap, blend},
};
use loopwright_synth::{WalkSettings, Walker};

use crate::support::{best_loop, chain, clip_of, root, twist, walk_of};

const TAU: f64 = core::f64::consts::TAU;

fn swinging(num_samples: usize, period_secs: f64, start_phase: f64, twist: Twist) -> LoopClip {
    let root = root(Rigid::from_yaw(0.3, DVec3::new(1.0, 0.0, -2.0)), twist);
    let step = period_secs / num_samples as f64;
    clip_of(
        chain(&["a", "b", "c"], DVec3::Y),
        step,
        num_samples,
        root,
        |phase, joint| {
            let a = TAU * (phase + start_phase);
            let turn = DVec3::new(0.5 * ops::sin(a + joint as f64), 0.1 * ops::cos(2.0 * a), 0.0);
            (DVec3::new(0.0, 0.5 + 0.01 * ops::sin(a), 0.0), rotation::exp(turn))
        },
    )
}

fn arc(turn: f64, length: f64) -> Twist {
    twist(DVec3::Z * length, DVec3::Y * turn)
}

#[test]
fn left_and_right_quarter_turns_blend_to_a_straight_line_of_their_length() {
    let quarter = TAU / 4.0;
    let left = swinging(30, 1.0, 0.0, arc(quarter, 2.0));
    let right = swinging(30, 1.0, 0.0, arc(-quarter, 2.0));
    let straight = blend(&[left.clone(), right], &[0.5, 0.5]).unwrap();
    let delta = straight.root_delta(0.0, straight.period_secs());
    assert!((delta.translation - DVec3::Z * 2.0).length() < 1e-9, "{delta:?}");
    assert!(rotation::log(delta.rotation).length() < 1e-9);
    // The result of averaging the ends.
    let end = left.root_delta(0.0, 1.0).translation.z;
    assert!((end - 4.0 / core::f64::consts::PI).abs() < 1e-12);
    // With different periods the distances still average: 2 m in 1 s to the left and 2 m in 1.2 s to the right.
    let slow = swinging(36, 1.2, 0.0, arc(-quarter / 1.2, 2.0 / 1.2));
    let straight = blend(&[left, slow], &[0.5, 0.5]).unwrap();
    assert!((straight.period_secs() - 1.1).abs() < 1e-12);
    let delta = straight.root_delta(0.0, straight.period_secs());
    assert!((delta.translation - DVec3::Z * 2.0).length() < 1e-9, "{delta:?}");
}

/// Returns the largest distance of a joint between two loops at equal phases, seen from their roots.
fn apart(one: &LoopClip, other: &LoopClip, phase: f64) -> f64 {
    let mut worst = 0.0_f64;
    for i in 0..50 {
        let at = f64::from(i) / 50.0;
        let pose = |clip: &LoopClip, phase: f64| {
            let body = clip.body_pose_at(phase * clip.period_secs(), Interpolation::Cubic);
            body.as_ref().world(clip.skeleton()).translations
        };
        for (a, b) in pose(one, at).iter().zip(&pose(other, at + phase)) {
            worst = worst.max((*a - *b).length());
        }
    }
    worst
}

#[test]
fn equal_loops_blend_to_themselves_from_any_phase() {
    let twist = arc(0.4, 1.3);
    let clip = swinging(31, 1.1, 0.0, twist);
    let same = blend(&[clip.clone(), clip.clone(), clip.clone()], &[2.0, 1.0, 0.5]).unwrap();
    assert_eq!((same.num_samples(), same.root().start), (31, clip.root().start));
    assert!((same.step_secs() - clip.step_secs()).abs() < 1e-16);
    for sample in 0..31 {
        let (here, there) = (clip.body_pose(sample), same.body_pose(sample));
        for joint in 0..3 {
            assert!((here.translations[joint] - there.translations[joint]).length() < 1e-12);
            assert!(rotation::difference(here.rotations[joint], there.rotations[joint]).length() < 1e-9);
        }
    }
    // Shifted by a part of a cycle that is not a whole number of samples, and sampled at another rate.
    let late = swinging(44, 1.1, 0.37, twist);
    let blender = Blender::new(vec![clip.clone(), late]).unwrap();
    assert!((blender.phases()[1] - 0.63).abs() < 2e-4, "{:?}", blender.phases());
    let mixed = blender.blend(&[0.5, 0.5]).unwrap();
    assert!(apart(&clip, &mixed, 0.0) < 2e-3, "{}", apart(&clip, &mixed, 0.0));
    assert!((mixed.root().twist.linear - twist.linear).length() < 1e-14);
}

#[test]
fn blends_close_as_their_loops_do() {
    let loops = [
        swinging(30, 1.0, 0.0, arc(0.9, 1.2)),
        swinging(36, 1.2, 0.2, arc(-0.2, 1.6)),
        swinging(25, 0.9, 0.8, arc(0.1, 0.4)),
    ];
    let mixed = blend(&loops, &[0.3, 0.5, 0.2]).unwrap();
    // The acceleration at the seam does not exceed that of its neighbours.
    let count = mixed.num_samples();
    let bend = |key: usize, joint: usize| {
        let [a, b, c] = [key, key + 1, key + 2].map(|key| mixed.body_pose(key).rotations[joint]);
        (rotation::difference(c, b) - rotation::difference(b, a)).length()
    };
    for joint in 0..3 {
        let inside = (0..count - 2).map(|key| bend(key, joint)).fold(0.0, f64::max);
        for key in count - 2..count {
            let bend = bend(key, joint);
            assert!(bend < 1.05 * inside, "{joint}: {bend} {inside}");
        }
    }
}

#[test]
fn loops_that_cannot_be_blended_are_reported() {
    let clip = swinging(30, 1.0, 0.0, Twist::ZERO);
    let pair = [clip.clone(), clip.clone()];
    assert_eq!(blend(&[], &[]), Err(BlendError::NoLoops));
    assert_eq!(blend(&pair, &[1.0]), Err(BlendError::Count { loops: 2, weights: 1 }));
    assert_eq!(blend(&pair, &[0.0, 0.0]), Err(BlendError::NoWeight));
    for found in [-0.1, f64::INFINITY] {
        assert_eq!(blend(&pair, &[1.0, found]), Err(BlendError::Weight { index: 1, found }));
    }
    assert!(matches!(
        blend(&pair, &[f64::NAN, 1.0]),
        Err(BlendError::Weight { index: 0, .. })
    ));
    let standing = |names: [&str; 3]| {
        clip_of(chain(&names, DVec3::Y), 0.1, 3, *clip.root(), |_, _| {
            (DVec3::Y, DQuat::IDENTITY)
        })
    };
    let other = standing(["a", "x", "c"]);
    let difference = SkeletonDifference::Name {
        joint: 1,
        expected: "b".to_owned(),
        found: "x".to_owned(),
    };
    assert_eq!(
        blend(&[clip.clone(), other], &[0.5, 0.5]),
        Err(BlendError::Skeleton { index: 1, difference })
    );
    // Two idle loops have no phase, and need none.
    let still = standing(["a", "b", "c"]);
    let stands = blend(&[still.clone(), still.clone()], &[0.5, 0.5]).unwrap();
    assert_eq!(stands.body_pose(0), still.body_pose(0));
}

/// Returns a loop of the synthetic walker.
fn walked(settings: WalkSettings) -> LoopClip {
    let settings = settings.seconds(7.0).drift(0.0).noise_deg(0.0);
    best_loop(&walk_of(settings))
}

/// Returns the mean sideways speed of the lower ankle in the world, metres per second: the foot sliding of a walk.
fn foot_slide(clip: &LoopClip) -> f64 {
    let feet: Vec<usize> = (0..clip.skeleton().num_joints())
        .filter(|&joint| clip.skeleton().joint(joint).name.to_lowercase().contains("foot"))
        .collect();
    assert_eq!(feet.len(), 2);
    let step = 0.005;
    let count = (clip.period_secs() / step) as usize;
    let speeds = (0..count).map(|index| {
        let at = |index: usize| {
            clip.world_pose_at(index as f64 * step, Interpolation::Cubic)
                .translations
        };
        let (here, next) = (at(index), at(index + 1));
        let lower = feet[usize::from(here[feet[0]].y >= here[feet[1]].y)];
        (next[lower] - here[lower]).with_y(0.0).length() / step
    });
    speeds.sum::<f64>() / count as f64
}

#[test]
fn feet_of_a_left_and_a_right_walk_are_held_in_their_blend() {
    let [left, right] = [(40.0, 0.1), (-40.0, 0.55)]
        .map(|(turn_dps, start_phase)| walked(WalkSettings::default().turn_dps(turn_dps).start_phase(start_phase)));
    let straight = blend(&[left.clone(), right.clone()], &[0.5, 0.5]).unwrap();
    // Feet slide no more than in the turns, once they are held again: feet that stand on two circles stand nowhere in the mean.
    let names = straight.skeleton().joints().iter().map(|joint| joint.name.as_str());
    let feet: Vec<String> = names.filter(|name| name.ends_with("Foot")).map(str::to_owned).collect();
    let body = body_with(
        &straight,
        &BodyOverrides {
            feet,
            ..BodyOverrides::default()
        },
    );
    let (planted, _) = feet::hold(&straight, &body, None, &ContactLimits::default(), FootLock::Auto).unwrap();
    let (mixed, alone) = (foot_slide(&planted.unwrap()), foot_slide(&left).max(foot_slide(&right)));
    assert!(mixed < alone, "{mixed} {alone}");
}

#[test]
fn roots_on_paths_blend_with_their_paths() {
    let weaving = |size: f64, turn: f64| {
        let clip = swinging(30, 1.0, 0.0, arc(turn, 1.0));
        let weave = |sample: usize| {
            let a = TAU * sample as f64 / 30.0;
            Rigid::from_yaw(size * ops::sin(a), DVec3::X * size * ops::cos(a))
        };
        clip.along((0..30).map(weave).collect()).unwrap()
    };
    let (wide, narrow) = (weaving(0.2, 0.3), weaving(0.1, 0.3));
    let mixed = blend(&[wide.clone(), narrow], &[0.5, 0.5]).unwrap();
    let expected = weaving(0.15, 0.3);
    for key in 0..45 {
        let (found, expected) = (mixed.root_pose(key), expected.root_pose(key));
        assert!((found.translation - expected.translation).length() < 1e-9);
        assert!(rotation::difference(found.rotation, expected.rotation).length() < 1e-9);
        let (a, b) = (mixed.world_pose(key).translations, wide.world_pose(key).translations);
        let is_near = a.iter().zip(&b).all(|(a, b)| (*a - *b).length() < 1e-9);
        assert!(is_near, "the body stays");
    }
}

/// Returns the loops at points of speed and turn, of various periods.
fn crowd(points: &[[f64; 2]]) -> Vec<LoopClip> {
    let loops = points.iter().enumerate().map(|(index, &[speed, turn])| {
        let samples = 24 + 3 * index;
        // Velocities that point slightly to one side, as those of real loops do.
        let lean = 0.06 * (index as f64 - 2.0);
        let twist = twist(rotation::from_yaw(lean) * DVec3::Z * speed, DVec3::Y * turn);
        swinging(samples, samples as f64 / 30.0, 0.0, twist)
    });
    loops.collect()
}

#[test]
fn a_space_of_speed_gives_the_requested_speed() {
    let speeds = [0.6, 2.8, 1.4, 3.5];
    let loops = crowd(&speeds.map(|speed| [speed, 0.0]));
    let blender = Blender::new(loops.clone()).unwrap();
    let space = BlendSpace::new([Some(BlendAxis::Speed), None], &loops).unwrap();
    for i in 0..=58 {
        let asked = 0.6 + 0.05 * f64::from(i);
        let weights = space.weights([asked, 0.0]);
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-14 && weights.iter().all(|weight| *weight >= 0.0));
        assert!(weights.iter().filter(|weight| **weight > 0.0).count() <= 2);
        let found = BlendAxis::Speed.of(blender.blend(&weights).unwrap().root().twist);
        assert!((found - asked.min(3.5)).abs() < 1e-9, "{asked} {found}");
    }
    for (index, speed) in speeds.iter().enumerate() {
        let weights = space.weights([*speed, 0.0]);
        assert!((weights[index] - 1.0).abs() < 1e-12, "{weights:?}");
    }
    let is_whole = |at: f64, index: usize| (space.weights([at, 0.0])[index] - 1.0).abs() < 1e-12;
    assert!(is_whole(9.0, 3) && is_whole(f64::NAN, 0));
}

#[test]
fn a_space_of_speed_and_turn_is_exact_at_the_loops_and_continuous_between() {
    // A grid, whose squares have two diagonals, and two points outside it.
    let mut points: Vec<[f64; 2]> = Vec::new();
    for speed in [0.5, 1.2, 1.9] {
        for turn in [-1.0, 0.0, 1.0] {
            points.push([speed, turn]);
        }
    }
    points.extend([[2.6, 0.2], [1.5, 0.4]]);
    let loops = crowd(&points);
    let space = BlendSpace::new([BlendAxis::Speed, BlendAxis::Turn].map(Some), &loops).unwrap();
    for (index, point) in points.iter().enumerate() {
        assert!((space.weights(*point)[index] - 1.0).abs() < 1e-9, "{point:?}");
    }
    let gap = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let step = 1e-5;
    for i in 0..40 {
        for j in 0..40 {
            // Across the whole range and beyond it on every side.
            let at = [0.3 + 0.0617 * f64::from(i), -1.2 + 0.0613 * f64::from(j)];
            let weights = space.weights(at);
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-14 && weights.iter().all(|weight| *weight >= 0.0));
            for beside in [[at[0] + step, at[1]], [at[0], at[1] + step]] {
                let moved = gap(&weights, &space.weights(beside));
                let other = space.weights(beside);
                assert!(moved < 20.0 * step, "{at:?}: {moved} {weights:?} {other:?}");
            }
            // Inside the grid the blend has the requested values.
            if (0.5..=1.9).contains(&at[0]) && (-1.0..=1.0).contains(&at[1]) {
                let loops = loops.iter().zip(&weights);
                let total: f64 = loops.clone().map(|(clip, weight)| weight * clip.period_secs()).sum();
                let twist = loops.fold(Twist::ZERO, |sum, (clip, weight)| {
                    let (share, own) = (weight * clip.period_secs() / total, clip.root().twist);
                    twist(sum.linear + own.linear * share, sum.angular + own.angular * share)
                });
                let found = [BlendAxis::Speed.of(twist), BlendAxis::Turn.of(twist)];
                // At the edge a sideways drift cannot be compensated by more speed than the loops have.
                let tolerance = if at[0] > 1.85 { 0.01 } else { 1e-9 };
                assert!(gap(&found, &at) < tolerance, "{at:?} {found:?}");
            }
        }
    }
    // Along a diagonal of the grid's squares, where the selected triangles change.
    let mut before = space.weights([0.5, -1.0]);
    for i in 1..=20_000 {
        let share = f64::from(i) / 20_000.0;
        let here = space.weights([0.5 + 0.7 * share, -1.0 + share]);
        assert!(gap(&before, &here) < 1e-3, "{share}");
        before = here;
    }
}

#[test]
fn phases_come_through_the_middles_of_contacts() {
    let map = PhaseMap::through(&[0.3], &[0.85]).unwrap();
    assert_eq!((map.start(), map.num_cycles()), (0.3, 1));
    assert!((map.warp() - 0.05).abs() < 1e-15);
    for i in -20..40 {
        let phase = f64::from(i) / 20.0;
        let sine = ops::sin(0.5 * TAU * phase);
        assert!((map.share(phase) - (0.3 + phase + 0.05 * sine * sine)).abs() < 1e-14);
        assert!((map.share(phase + 1.0) - map.share(phase) - 1.0).abs() < 1e-14);
        assert!(map.share(phase + 0.01) > map.share(phase));
        assert!((map.phase(map.share(phase)) - phase).abs() < 1e-13);
    }
    // Two cycles of uneven steps, from the second right foot on.
    let (left, right) = ([0.01, 0.5], [0.77, 0.24]);
    let map = PhaseMap::through(&left, &right).unwrap();
    for (index, share) in [0.01, 0.24, 0.5, 0.77].into_iter().enumerate() {
        let phase = index as f64 / 4.0;
        assert!((map.share(phase) - share).abs() < 1e-14, "{index}");
        assert!((map.phase(share) - phase).abs() < 1e-13, "{index}");
    }
    let third = |at: f64| {
        let at = |step: f64| map.share(at + step * 1e-3);
        at(1.5) - 3.0 * at(0.5) + 3.0 * at(-0.5) - at(-1.5)
    };
    let roughest = (0..400).map(|i| third(f64::from(i) / 400.0).abs()).fold(0.0, f64::max);
    assert!(roughest < 1e-7, "C2, over the start too: {roughest}");
    // Near 1/pi a map nearly stops, where Newton's method alone leaps away.
    for warp in [0.31, -0.31] {
        let map = PhaseMap::warped(warp);
        assert_eq!((map.start(), map.num_cycles(), map.warp()), (0.0, 1, warp));
        assert!((map.share(0.5) - (0.5 + warp)).abs() < 1e-15);
        for i in -1000..2000 {
            let phase = f64::from(i) / 1000.0;
            assert!((map.phase(map.share(phase)) - phase).abs() < 1e-13, "{warp} {phase}");
        }
    }
    let even = PhaseMap::through(&[0.25], &[0.75]).unwrap();
    assert!((even.share(0.3) - 0.55).abs() < 1e-15 && even.warp() == 0.0);

    for (left, right, error) in [
        (&[][..], &[0.5][..], PhaseError::NoContacts),
        (&[0.0, 0.5], &[0.2], PhaseError::NotInTurn { found: [2, 1] }),
        (&[0.0, 0.1], &[0.3, 0.6], PhaseError::NotInTurn { found: [2, 2] }),
        (&[0.0], &[0.15], PhaseError::Uneven),
    ] {
        assert_eq!(PhaseMap::through(left, right), Err(error));
    }
    assert!(PhaseMap::through(&[0.0], &[0.25]).is_ok());
}

/// Returns a loop of the synthetic walker that starts half through the left foot's contact, with the right one late by a share of the
/// cycle.
fn late(settings: WalkSettings, late: f64) -> LoopClip {
    let settings = settings.seconds(6.0).drift(0.0).noise_deg(0.0);
    let from_start = |settings: &WalkSettings| {
        let truth = Walker::new(settings).unwrap().truth();
        let mut middles = truth
            .stays
            .iter()
            .filter(|stay| stay.foot == "LeftFoot")
            .filter_map(|stay| Some(0.5 * (stay.strike_secs? + stay.lift_secs?)));
        middles.next().unwrap() / settings.period_secs
    };
    let start_phase = settings.start_phase + from_start(&settings.clone().start_phase(settings.start_phase));
    let settings = settings.start_phase(start_phase.rem_euclid(1.0));
    let walker = Walker::new(&settings).unwrap();
    let (truth, map) = (walker.truth(), PhaseMap::through(&[0.0], &[0.5 + late]).unwrap());
    let root = root(truth.root_at(0.0), truth.twist());
    let num_samples = (settings.period_secs * 60.0).round() as usize;
    let step_secs = settings.period_secs / num_samples as f64;
    clip_of(
        walker.skeleton().clone(),
        step_secs,
        num_samples,
        root,
        |share, joint| {
            let pose = walker.pose_at(map.phase(share) * settings.period_secs);
            let (place, turn) = (pose.translations[joint], pose.rotations[joint]);
            if joint > 0 {
                return (place, turn);
            }
            let seen = root.at(share * settings.period_secs).inverse() * Rigid::new(turn, place);
            (seen.translation, seen.rotation)
        },
    )
}

fn walk_and_run() -> [LoopClip; 2] {
    let gait = |speed: f64, period: f64| {
        WalkSettings::default()
            .speed_mps(speed)
            .period_secs(period)
            .turn_dps(0.0)
    };
    [late(gait(1.2, 1.1), 0.03), late(gait(3.0, 0.75), -0.04)]
}

fn body_of(clip: &LoopClip) -> Body {
    body_with(clip, &BodyOverrides::default())
}

fn body_with(clip: &LoopClip, overrides: &BodyOverrides) -> Body {
    let pose = clip.folded_pose(0);
    let pose = Take::new("p", clip.skeleton().clone(), 1.0, pose.translations, pose.rotations).unwrap();
    Body::find(&pose, overrides).unwrap()
}

fn phase_of(clip: &LoopClip) -> PhaseMap {
    PhaseMap::of_loop(clip, &body_of(clip), &ContactLimits::default()).unwrap()
}

#[test]
fn a_walk_and_a_run_stand_between_each_other_in_a_blend() {
    let loops = walk_and_run();
    let body = body_of(&loops[0]);
    let blender = Blender::new(loops.to_vec()).unwrap();
    assert!(blender.phase_maps().all(|map| map.is_ok()));
    let lifts = |clip: &LoopClip| {
        let (_, feet) = feet::hold(clip, &body, None, &ContactLimits::default(), FootLock::Off).unwrap();
        let share = |foot: usize| {
            let contacts = feet.contacts.iter().filter(|contact| contact.foot == foot);
            contacts.map(|contact| contact.num_samples).sum::<usize>() as f64 / clip.num_samples() as f64
        };
        [share(0), share(1)]
    };
    for weight in [0.1, 0.3, 0.5, 0.7, 0.9] {
        let weights = [1.0 - weight, weight];
        let (num_samples, step_secs) = blender.sampling(&weights).unwrap();
        let mix = blender.mix(&weights, num_samples, step_secs).unwrap();
        let (held, outcome) = mix.held(&body, None, FootLock::Auto).unwrap();
        let held = held.unwrap();
        // Between the samples at which a foot lands and lifts.
        let stands = outcome.contacts.iter().map(|contact| Stand {
            end: DVec3::ZERO,
            joint: body.feet[contact.foot].lowest_joint(),
            first_sample: contact.start_sample + 1,
            num_samples: contact.num_samples - 2,
        });
        let slide = quality::foot_slide_of_stances(&LoopKeys::from_loop(&held), &stands.collect::<Vec<_>>());
        assert!(slide.unwrap() < 0.01, "{weight}: {slide:?}");
        // Times are mixed by how far each loop goes.
        let ways = loops.iter().zip(weights);
        let ways = ways.map(|(clip, weight)| weight * clip.root().twist.linear.length() * clip.period_secs());
        let ways: Vec<f64> = ways.collect();
        let mean = |of: &dyn Fn(usize) -> f64| (of(0) * ways[0] + of(1) * ways[1]) / (ways[0] + ways[1]);
        let maps = loops.each_ref().map(phase_of);
        let phases = blender.phases();
        let found = phase_of(&held);
        let off = |share: f64| (share + 0.5).rem_euclid(1.0) - 0.5;
        for phase in [0.0, 0.5] {
            let expected = mean(&|index| off(maps[index].share(phase) - phase - phases[index])) + phase;
            let apart = off(found.share(phase) - expected) * num_samples as f64;
            // A foot that runs lands before it rests, one that walks when it rests.
            assert!(apart.abs() < 3.0, "{weight}, phase {phase}: {apart} samples");
        }
        for (foot, share) in lifts(&held).into_iter().enumerate() {
            let expected = mean(&|index| lifts(&loops[index])[foot]);
            assert!(
                (share - expected).abs() * (num_samples as f64) < 3.0,
                "{weight}: {share} {expected}"
            );
        }
        let seam = quality::measure(&LoopKeys::from_loop(&held), &body, None);
        assert!(!seam.pops(), "closed like the loops: {seam:?}");
    }
    // A single weight is that loop, from its phase on.
    let (num_samples, step_secs) = blender.sampling(&[0.0, 1.0]).unwrap();
    let alone = blender.mix(&[0.0, 1.0], num_samples, step_secs).unwrap().clip;
    for sample in 0..num_samples {
        let share = sample as f64 / num_samples as f64 + blender.phases()[1];
        let own = loops[1].body_pose_at(share * loops[1].period_secs(), Interpolation::Cubic);
        for (found, own) in alone.body_pose(sample).rotations.iter().zip(&own.rotations) {
            assert!(rotation::difference(*found, *own).length() < 1e-9, "{sample}");
        }
    }
}
