//! Blends of loops with known truth: arcs, gaits of other periods and phases, and the spaces between them.

use glam::{DQuat, DVec3};
use loopwright::analysis::{Body, ContactLimits};
use loopwright::blend::{Axis, BlendError, BlendSpace, SkeletonDifference, blend};
use loopwright::feet::{self, FootLock};
use loopwright::math::{Rigid, Twist, ops, rotation};
use loopwright::{Blender, BodyOverrides, LoopClip, Take, loop_clip::Interpolation};
use loopwright_synth::WalkSettings;

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

/// The length of the root's path in a cycle, and its chord.
fn length_and_chord(clip: &LoopClip) -> (f64, f64) {
    let length = clip.root().twist.linear.length() * clip.period_secs();
    (length, clip.root_delta(0.0, clip.period_secs()).translation.length())
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

/// Largest distance of a joint between two loops at equal phases, seen from their roots.
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

/// A loop of the synthetic walker.
fn walked(settings: WalkSettings) -> LoopClip {
    let settings = settings.seconds(7.0).drift(0.0).noise_deg(0.0);
    best_loop(&walk_of(settings))
}

/// Mean sideways speed of the lower ankle in the world, metres per second: the foot sliding of a walk.
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
fn a_left_and_a_right_walk_blend_to_a_straight_one() {
    let turning =
        |turn_dps: f64, start_phase: f64| walked(WalkSettings::default().turn_dps(turn_dps).start_phase(start_phase));
    let (left, right) = (turning(40.0, 0.1), turning(-40.0, 0.55));
    let straight = blend(&[left.clone(), right.clone()], &[0.5, 0.5]).unwrap();
    let turned = rotation::log(straight.root_delta(0.0, straight.period_secs()).rotation).length();
    assert!(turned.to_degrees() < 0.1, "{}", turned.to_degrees());
    let (length, chord) = length_and_chord(&straight);
    let mean_length = 0.5 * (length_and_chord(&left).0 + length_and_chord(&right).0);
    let is_near = (length / mean_length - 1.0).abs() < 0.005 && (chord / mean_length - 1.0).abs() < 0.005;
    assert!(is_near, "{length} {chord} {mean_length}");
    // Feet slide no more than in the turns, once they are held again: feet that stand on two circles stand nowhere in the mean.
    let names = straight.skeleton().joints().iter().map(|joint| joint.name.as_str());
    let feet: Vec<String> = names.filter(|name| name.ends_with("Foot")).map(str::to_owned).collect();
    let pose = straight.folded_pose(0);
    let pose = Take::new("p", straight.skeleton().clone(), 1.0, pose.translations, pose.rotations).unwrap();
    let overrides = BodyOverrides {
        feet,
        ..BodyOverrides::default()
    };
    let body = Body::find(&pose, &overrides).unwrap();
    let (planted, _) = feet::hold(&straight, &body, None, &ContactLimits::default(), FootLock::Auto, None).unwrap();
    let (mixed, alone) = (foot_slide(&planted.unwrap()), foot_slide(&left).max(foot_slide(&right)));
    assert!(mixed < alone, "{mixed} {alone}");
}

#[test]
fn periods_a_fifth_apart_blend_in_step() {
    let walk = |period_secs: f64, speed_mps: f64, start_phase: f64| {
        walked(
            WalkSettings::default()
                .period_secs(period_secs)
                .speed_mps(speed_mps)
                .start_phase(start_phase)
                .turn_dps(0.0),
        )
    };
    let (slow, quick) = (walk(1.2537, 1.1, 0.1), walk(1.0437, 1.4, 0.7));
    let mixed = blend(&[slow.clone(), quick.clone()], &[0.5, 0.5]).unwrap();
    let period = 0.5 * (slow.period_secs() + quick.period_secs());
    assert!((mixed.period_secs() - period).abs() < 1e-12);
    let length = |clip: &LoopClip| length_and_chord(clip).0;
    assert!((length(&mixed) - 0.5 * (length(&slow) + length(&quick))).abs() < 1e-3);
    let alone = foot_slide(&slow).max(foot_slide(&quick));
    assert!(foot_slide(&mixed) < 1.02 * alone, "{} {alone}", foot_slide(&mixed));
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

/// Loops at points of speed and turn, of various periods.
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
    let space = BlendSpace::along(Axis::Speed, crowd(&speeds.map(|speed| [speed, 0.0]))).unwrap();
    for i in 0..=58 {
        let asked = 0.6 + 0.05 * f64::from(i);
        let weights = space.weights([asked, 0.0]);
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-14 && weights.iter().all(|weight| *weight >= 0.0));
        assert!(weights.iter().filter(|weight| **weight > 0.0).count() <= 2);
        let found = Axis::Speed.of(space.at([asked, 0.0]).unwrap().root().twist);
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
    let space = BlendSpace::over([Axis::Speed, Axis::Turn], crowd(&points)).unwrap();
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
                let loops = space.blender().loops().iter().zip(&weights);
                let total: f64 = loops.clone().map(|(clip, weight)| weight * clip.period_secs()).sum();
                let twist = loops.fold(Twist::ZERO, |sum, (clip, weight)| {
                    let (share, own) = (weight * clip.period_secs() / total, clip.root().twist);
                    twist(sum.linear + own.linear * share, sum.angular + own.angular * share)
                });
                let found = [Axis::Speed.of(twist), Axis::Turn.of(twist)];
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
