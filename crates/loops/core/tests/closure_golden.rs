//! Closure against reference numbers: the golden files if they exist, and a few of their numbers here.
//!
//! exact_closure.json (C1 with one share) and c2_closure.json (C1 and C2 with separate shares), both made from the same
//! analytic clip: 40 frames at 30 Hz, of which frames 2 to 37 are closed.

use glam::{DQuat, DVec3};
use loopwright_core::closure::{Method, Order, Shape, ShapeKey, ShapeKind, Shares, close};
use loopwright_core::unstable::boundary::{Boundary, Weights};
use loopwright_core::unstable::ends::{self, EndState};
use loopwright_core::unstable::rotation::rotation_targets;
use loopwright_core::unstable::targets::{Targets, point_targets};
use loopwright_core::{ClosureSettings, Cut, math::rotation, take::Clip};
use serde_json::Value;

use crate::support::golden::{assert_near, golden, list, number, numbers, quaternion, vector};
use crate::support::{chain, take_of};

const STEP_SECS: f64 = 1.0 / 30.0;
const FIRST_FRAME: usize = 2;
const NUM_INTERVALS: usize = 35;
const PERIOD_SECS: f64 = 35.0 / 30.0;

/// Joints of the golden files are 1 to 4 of the clip; joint 0 carries the root motion and is not in them.
const JOINTS: core::ops::RangeInclusive<usize> = 1..=4;

fn frames(value: &Value) -> Vec<usize> {
    numbers(value).into_iter().map(|frame| frame as usize).collect()
}

#[track_caller]
fn assert_close(found: f64, expected: f64, tolerance: f64) {
    let is_near = (found - expected).abs() <= tolerance;
    assert!(is_near, "found {found}, expected {expected}");
}

#[track_caller]
fn assert_same_turn(found: DQuat, expected: DQuat, tolerance: f64) {
    let apart = rotation::difference(found, expected).length();
    let is_right = apart <= tolerance;
    assert!(is_right, "found {found}, expected {expected}, {apart} rad apart");
}

/// The clip of the golden files, from its formulas.
fn clip() -> Clip {
    let skeleton = chain(&["j0", "j1", "j2", "j3", "j4"], DVec3::ZERO);
    let take = take_of(skeleton, STEP_SECS, 40, |frame, joint| {
        let t = frame as f64 * STEP_SECS;
        if joint == 0 {
            let at = DVec3::new(0.3 * libm::sin(0.8 * t), 0.0, 1.2 * t + 0.1 * libm::sin(3.0 * t));
            return (at, rotation::exp(DVec3::Y * (0.5 * t + 0.1 * libm::sin(4.0 * t))));
        }
        let (sway, j) = (core::f64::consts::TAU * 1.1 * t, joint as f64);
        let position = [0.0, 1.0, 2.0].map(|k| {
            0.1 * (j + 1.0) * (k + 1.0) + 0.05 * libm::sin(sway + 0.7 * j + 1.3 * k) + 0.02 * (k - 1.0) * (j + 1.0) * t
        });
        let turn =
            [0.0, 1.0, 2.0].map(|k| 0.4 * libm::sin(sway + 0.5 * j + 0.9 * k) + 0.15 * (k + 1.0) / (j + 1.0) * t);
        (position.into(), rotation::exp(turn.into()))
    });
    let cut = Cut::new(&take, FIRST_FRAME as f64, (FIRST_FRAME + NUM_INTERVALS) as f64).unwrap();
    Clip::new(&take, &cut, NUM_INTERVALS, STEP_SECS).unwrap()
}

fn shape(kind: &str, entry: &Value, end: &str) -> Shape {
    let secs = |name: &str| number(&entry[format!("{name}_{end}")]);
    match kind {
        "quintic" => Shape::new(ShapeKind::Quintic, secs("blend")),
        "cubic" => Shape::new(ShapeKind::Cubic, secs("blend")),
        "spring" => Shape::new(ShapeKind::Spring, secs("halflife")),
        "linear" => Shape::new(ShapeKind::Linear, secs("blend")),
        "softfade" => Shape::new(ShapeKind::SoftFade, secs("duration"))
            .with(ShapeKey::Hardness, secs("hardness"))
            .with(ShapeKey::VelocityBlend, secs("blend")),
        other => panic!("no shape is called {other}"),
    }
}

/// Boundary matrix and weights at the listed frames.
fn check_boundary(boundary: &Boundary, entry: &Value, weights: &Value, listed: &[usize], tolerance: f64) {
    let size = boundary.order().num_conditions();
    let matrix = boundary.matrix();
    for row in 0..size {
        for column in 0..size {
            let expected = number(&entry["boundary_matrix"][row][column]);
            assert_close(matrix[row][column], expected, tolerance);
        }
    }
    for (index, &frame) in listed.iter().enumerate() {
        let found = boundary.weights(frame as f64 * STEP_SECS).value;
        for condition in 0..size {
            assert_close(found[condition], number(&weights[index][condition]), tolerance);
        }
    }
}

/// Targets of one joint as a golden entry lists them.
fn check_targets(found: &Targets, entry: &Value, joint: usize, tolerance: f64) {
    let rows = [("o", found.value), ("do", found.rate), ("ddo", found.acceleration)];
    for (name, pair) in rows {
        for (end, found) in ["0", "T"].into_iter().zip(pair) {
            if let Some(expected) = entry.get(format!("{name}{end}")) {
                assert_near(found, vector(&expected[joint]), tolerance);
            }
        }
    }
}

/// Pose and motion at one end as printed in c2_closure.json.
fn printed_ends(inputs: &Value, joint: usize) -> ([EndState<DVec3>; 2], [EndState<DQuat>; 2]) {
    let ends = ["start", "end"].map(|end| &inputs[end]);
    (
        ends.map(|end| EndState {
            value: vector(&end["pos"][joint]),
            velocity: vector(&end["v"][joint]),
            acceleration: vector(&end["a"][joint]),
        }),
        ends.map(|end| EndState {
            value: quaternion(&end["rot_wxyz"][joint]),
            velocity: vector(&end["w"][joint]),
            acceleration: vector(&end["dw"][joint]),
        }),
    )
}

fn shares(entry: &Value) -> Shares {
    Shares {
        rho: number(&entry["rho"]),
        sigma: number(&entry["sigma"]),
        // Files of C1 closures have no share of the acceleration.
        tau: entry.get("tau").map_or(0.5, number),
    }
}

/// Targets of the points and the rotations of all joints, from their motion at both ends.
fn targets_of(
    shares: &Shares,
    ends: impl Fn(usize) -> ([EndState<DVec3>; 2], [EndState<DQuat>; 2]),
) -> Vec<(Targets, Targets)> {
    let targets = (0..4).map(|joint| {
        let ([start, end], [start_turn, end_turn]) = ends(joint);
        let points = point_targets(&start, &end, shares);
        (points, rotation_targets(&start_turn, &end_turn, shares))
    });
    targets.collect()
}

/// One closure of c2_closure.json: targets and tracks from the printed inputs, then `close` on the clip.
fn check_closure(clip: &Clip, inputs: &Value, entry: &Value, order: Order, kind: Option<&str>, listed: &[usize]) {
    let shares = shares(entry);
    let targets = targets_of(&shares, |joint| printed_ends(inputs, joint));
    for (joint, (point, turn)) in targets.iter().enumerate() {
        check_targets(point, &entry["position_targets"], joint, 1e-10);
        check_targets(turn, &entry["rotation_targets"], joint, 1e-10);
    }
    for track in list(&entry["tracks"]) {
        let kind = kind.unwrap_or_else(|| track["shape"].as_str().unwrap());
        let (start, end) = (shape(kind, track, "start"), shape(kind, track, "end"));
        let boundary = Boundary::new(start, end, PERIOD_SECS, order).unwrap();
        assert_eq!(boundary.order(), order);
        let method = Method {
            start,
            end,
            shares,
            order,
            crossfade_secs: None,
        };
        let closed = close(clip, &method.into()).unwrap();
        assert_eq!(closed.clamps, []);
        for (index, &frame) in listed.iter().enumerate() {
            let weights = boundary.weights(frame as f64 * STEP_SECS).value;
            for (joint, (point, turn)) in targets.iter().enumerate() {
                let expected = |name: &str| &track[name][index][joint];
                assert_near(point.mix(&weights), vector(expected("offset_pos")), 1e-10);
                assert_near(turn.mix(&weights), vector(expected("offset_rot")), 1e-10);

                let at = frame * 5 + joint + JOINTS.start();
                assert_near(closed.translation_offsets[at], vector(expected("offset_pos")), 1e-9);
                assert_near(closed.rotation_offsets[at], vector(expected("offset_rot")), 1e-9);
                if frame < NUM_INTERVALS {
                    let looped = closed.tracks.values();
                    assert_near(looped.translations[at], vector(expected("looped_pos")), 1e-9);
                    assert_same_turn(looped.rotations[at], quaternion(expected("looped_rot_wxyz")), 1e-9);
                }
            }
        }
    }
}

#[test]
fn quintic_c2_with_separate_shares() {
    let Some(file) = golden("c2_closure.json") else { return };
    let (quintic, clip) = (&file["quintic_c2"], clip());
    let listed = frames(&quintic["frames"]);
    // The reference solves with a full matrix; its blends are longer than the clip.
    for entry in list(&quintic["bases"]).iter().chain([&quintic["solver_exercise"]]) {
        let (start, end) = (shape("quintic", entry, "start"), shape("quintic", entry, "end"));
        let boundary = Boundary::new(start, end, PERIOD_SECS, Order::C2).unwrap();
        check_boundary(&boundary, entry, &entry["weights"], &listed, 1e-10);
    }
    for entry in list(&quintic["closures"]) {
        check_closure(&clip, &file["inputs"], entry, Order::C2, Some("quintic"), &listed);
    }
}

#[test]
fn c1_with_separate_shares() {
    let Some(file) = golden("c2_closure.json") else { return };
    let (c1, clip) = (&file["c1"], clip());
    let listed = frames(&c1["frames"]);
    for entry in list(&c1["bases"]) {
        let kind = entry["shape"].as_str().unwrap();
        let (start, end) = (shape(kind, entry, "start"), shape(kind, entry, "end"));
        let boundary = Boundary::new(start, end, PERIOD_SECS, Order::C1).unwrap();
        check_boundary(&boundary, entry, &entry["weights"], &listed, 1e-10);
    }
    for entry in list(&c1["closures"]) {
        check_closure(&clip, &file["inputs"], entry, Order::C1, None, &listed);
    }
}

#[test]
fn targets_from_exact_derivatives() {
    let Some(file) = golden("c2_closure.json") else { return };
    let exact = &file["exact_derivatives"];
    for entry in list(&exact["closures"]) {
        for joint in 0..4 {
            let (_, turns) = printed_ends(&exact["inputs"], joint);
            let found = rotation_targets(&turns[0], &turns[1], &shares(entry));
            check_targets(&found, &entry["rotation_targets"], joint, 1e-10);
        }
    }
}

#[test]
fn motion_at_the_ends_of_the_clip() {
    let Some(file) = golden("c2_closure.json") else { return };
    let clip = clip();
    for joint in 0..4 {
        let (points, turns) = printed_ends(&file["inputs"], joint);
        let found = ends::measure(&clip, joint + JOINTS.start());
        for end in 0..2 {
            assert_near(found.translation[end].value, points[end].value, 1e-13);
            assert_near(found.translation[end].velocity, points[end].velocity, 1e-12);
            assert_near(found.translation[end].acceleration, points[end].acceleration, 1e-10);
            assert_same_turn(found.rotation[end].value, turns[end].value, 1e-13);
            assert_near(found.rotation[end].velocity, turns[end].velocity, 1e-12);
            assert_near(found.rotation[end].acceleration, turns[end].acceleration, 1e-10);
        }
        let gap = rotation::difference(found.rotation[1].value, found.rotation[0].value);
        assert_near(gap, vector(&file["inputs"]["D"][joint]), 1e-12);
    }
}

/// Every shape with one share and the printed velocities, which come from another estimator.
#[test]
fn exact_c1_closure() {
    let Some(file) = golden("exact_closure.json") else {
        return;
    };
    let clip = clip();
    let shares = Shares {
        rho: number(&file["ratio"]),
        sigma: number(&file["ratio"]),
        tau: 0.5,
    };
    let targets = targets_of(&shares, |joint| {
        let ends = [("start", 0), ("end", NUM_INTERVALS as isize)];
        let points = ends.map(|(end, sample)| EndState {
            value: clip.translations(sample)[joint + JOINTS.start()],
            velocity: vector(&file[format!("v_{end}")][joint]),
            acceleration: DVec3::ZERO,
        });
        let turns = ends.map(|(end, sample)| EndState {
            value: clip.rotations(sample)[joint + JOINTS.start()],
            velocity: vector(&file[format!("w_{end}")][joint]),
            acceleration: DVec3::ZERO,
        });
        (points, turns)
    });
    for (joint, (point, turn)) in targets.iter().enumerate() {
        // The printed velocities have ten digits.
        check_targets(point, &file["position_targets"], joint, 2e-9);
        check_targets(turn, &file["rotation_targets"], joint, 2e-9);
    }
    for kind in ["spring", "cubic", "quintic", "softfade", "linear"] {
        let (entry, times) = (&file["results"][kind], &file["shapes"][kind]);
        let listed = frames(&entry["frames"]);
        let (start, end) = (shape(kind, times, "start"), shape(kind, times, "end"));
        let boundary = Boundary::new(start, end, PERIOD_SECS, Order::C1).unwrap();
        check_boundary(&boundary, entry, &entry["weights_o0_oT_do0_doT"], &listed, 1e-9);
        for (index, &frame) in listed.iter().enumerate() {
            let weights = boundary.weights(frame as f64 * STEP_SECS).value;
            for (joint, (point, turn)) in targets.iter().enumerate() {
                let o = turn.mix(&weights);
                assert_near(point.mix(&weights), vector(&entry["offset_pos"][index][joint]), 1e-9);
                assert_near(o, vector(&entry["offset_rot"][index][joint]), 1e-9);
                let looped = rotation::exp(o) * clip.rotations(frame as isize)[joint + JOINTS.start()];
                assert_same_turn(looped, quaternion(&entry["looped_rot_wxyz"][index][joint]), 1e-9);
            }
        }
    }
}

/// The article's own forms, on the whole clip with its one-sided velocities: ours agree where those are exact, and close the gaps
/// that the others leave.
#[test]
fn the_articles_forms_are_ours_where_they_are_exact() {
    let Some(inputs) = golden("clip_inputs.json") else {
        return;
    };
    let step = number(&inputs["dt"]);
    let last = number(&inputs["frames"]) - 1.0;
    let period = last * step;
    for set in ["a", "b"] {
        let file = golden(&format!("clip_original_{set}.json")).unwrap();
        let (params, gaps) = (&inputs["params"][set], &file["differences"]);
        let setting = |name: &str, end: &str| number(&params[format!("{name}_{end}")]);
        let ratio = number(&params["ratio"]);
        let split = |gap: DVec3| [ratio * gap, -(1.0 - ratio) * gap];
        let shapes = |shape: &dyn Fn(&str) -> Shape| ["start", "end"].map(shape);
        let largest = |method: &str, [start, end]: [Shape; 2], own_slope: f64| {
            let boundary = Boundary::new(start, end, period, Order::C1).unwrap();
            let entry = &file["methods"][method];
            let (mut apart, mut left, mut ours_left) = (0.0_f64, 0.0_f64, 0.0_f64);
            for joint in JOINTS {
                for (offsets, pose, rate) in [
                    ("offset_pos", "diff_pos", "diff_vel"),
                    ("offset_rot", "diff_rot", "diff_ang"),
                ] {
                    let gap = vector(&gaps[pose][joint]);
                    let targets = Targets {
                        value: split(gap),
                        // The article lets a linear fade keep its own slope at both ends; ours has the requested share.
                        rate: split(vector(&gaps[rate][joint])).map(|rate| rate - own_slope * gap / period),
                        acceleration: [DVec3::ZERO; 2],
                    };
                    let theirs = |index: usize| vector(&entry[offsets][index][joint]);
                    let frames = frames(&entry["frames"]);
                    for (index, &frame) in frames.iter().enumerate() {
                        let ours = targets.mix(&boundary.weights(frame as f64 * step).value);
                        apart = apart.max((ours - theirs(index)).length());
                    }
                    let ours = [0.0, period].map(|t| targets.mix(&boundary.weights(t).value));
                    left = left.max((theirs(0) - theirs(frames.len() - 1) - gap).length());
                    ours_left = ours_left.max((ours[0] - ours[1] - gap).length());
                }
            }
            assert!(ours_left < 1e-12, "{method}: {ours_left}");
            (apart, left)
        };
        let cubic = shapes(&|end| Shape::new(ShapeKind::Cubic, setting("blendtime", end)));
        let (apart, left) = largest("inertialize_cubic", cubic, 0.0);
        assert!(apart < 2e-8 && left < 2e-8, "cubic {set}: {apart} {left}");
        let linear = shapes(&|end| Shape::new(ShapeKind::Linear, setting("blendtime", end)));
        let (apart, left) = largest("linear_inertialize", linear, 1.0);
        assert!(apart < 2e-8 && left < 2e-8, "linear {set}: {apart} {left}");
        // The gaps that remain there: the spring's tail and the soft fade's start, metres or radians.
        let spring = shapes(&|end| Shape::new(ShapeKind::Spring, setting("halflife", end)));
        let (_, left) = largest("inertialize_both", spring, 0.0);
        assert!(left > 1e-5, "spring {set}: {left}");
        let soft = shapes(&|end| {
            Shape::new(ShapeKind::SoftFade, setting("softfade_duration", end))
                .with(ShapeKey::Hardness, setting("softfade_hardness", end))
                .with(ShapeKey::VelocityBlend, setting("blendtime", end))
        });
        let (_, left) = largest("softfade_inertialize", soft, 0.0);
        // At a hardness of 16 the start is 1 to seven digits.
        assert!(left > if set == "a" { 1e-5 } else { 1e-9 }, "softfade {set}: {left}");
    }
}

/// A few of the golden numbers, for a checkout without the folder.
#[test]
fn numbers_kept_here() {
    let spring = |half_life_secs: f64| Shape::new(ShapeKind::Spring, half_life_secs);
    let boundary = Boundary::new(spring(0.08), spring(0.15), PERIOD_SECS, Order::C1).unwrap();
    let matrix = boundary.matrix();
    assert_close(matrix[0][2], 0.000_244_647_547_9, 1e-12);
    assert_close(matrix[2][2], 0.002_069_123_263, 1e-12);
    let value = boundary.weights(5.0 * STEP_SECS).value;
    let expected = [
        0.216_494_694_4,
        0.000_920_149_026_4,
        0.009_280_194_976,
        -8.975_776_865e-5,
    ];
    for (found, expected) in value.into_iter().zip(expected) {
        assert_close(found, expected, 1e-10);
    }

    let quintic = |blend_secs: f64| Shape::new(ShapeKind::Quintic, blend_secs);
    let boundary = Boundary::new(quintic(1.5), quintic(2.0), PERIOD_SECS, Order::C2).unwrap();
    assert_close(boundary.matrix()[5][0], 2.560_585_276_634_66, 1e-13);
    let Weights { value, .. } = boundary.weights(21.0 * STEP_SECS);
    let expected = [0.317_44, 0.682_56, 0.125_44, -0.221_76, 0.015_68, 0.023_52];
    for (found, expected) in value.into_iter().zip(expected) {
        assert_close(found, expected, 1e-12);
    }

    // Joint 1 through all steps from the clip, with separate shares (rho, sigma, tau) and with equal ones.
    let clip = clip();
    let ends = ends::measure(&clip, 1);
    let spin = DVec3::new(1.167_758_921_536_65, -0.100_393_542_183_658, -2.629_921_848_296_57);
    assert_near(ends.rotation[0].velocity, spin, 1e-12);
    let shares = |rho, sigma, tau| Shares { rho, sigma, tau };
    let turns = |shares| rotation_targets(&ends.rotation[0], &ends.rotation[1], &shares);
    let Targets {
        value: [offset, _],
        rate,
        acceleration: [at_start, at_end],
    } = turns(shares(0.8, 0.2, 0.5));
    let expected = [
        [-0.088_148_503_185_47, -0.284_513_430_406_1, -0.259_765_549_972_2],
        [-0.743_280_595_888_1, -0.424_937_937_175_5, 0.458_796_589_972_2],
        [3.463_382_039_159, 1.081_521_044_951, -1.324_420_850_349],
        [5.074_508_518_575, 11.457_238_118_35, 13.772_104_903_42],
        [-1.991_754_979_661, -15.246_473_375_62, -10.616_629_364_48],
    ];
    for (found, expected) in [offset, rate[0], rate[1], at_start, at_end].into_iter().zip(expected) {
        assert_near(found, expected.into(), 1e-9);
    }
    // With all of the pose gap at the end, its mean of accelerations gives tau.
    let targets = turns(shares(0.0, 1.0, 0.3));
    let expected = DVec3::new(-3.089_948_507_371, 11.201_624_143_21, 5.078_042_343_504);
    assert_near(targets.acceleration[0], expected, 1e-9);
    let targets = point_targets(&ends.translation[0], &ends.translation[1], &shares(0.8, 0.2, 0.5));
    let found = [targets.value[0], targets.rate[1], targets.acceleration[0]];
    let expected = [
        [-0.066_047_800_132_8, -0.060_814_980_276_09, 0.033_511_928_159_43],
        [0.377_761_440_480_7, -0.088_490_021_172_73, -0.425_103_394_498_1],
        [0.853_501_180_785_7, 1.807_648_313_222, 0.113_586_431_918_2],
    ];
    for (found, expected) in found.into_iter().zip(expected) {
        assert_near(found, expected.into(), 1e-9);
    }

    let closed = close(&clip, &ClosureSettings::default()).unwrap();
    let position = DVec3::new(0.201_908_913_331, 0.393_462_381_104, 0.594_593_475_876);
    assert_near(closed.tracks.values().translations[1], position, 1e-11);
    let turn = DQuat::from_xyzw(
        0.145_235_937_857,
        0.096_229_575_856,
        0.011_440_969_214,
        0.984_639_779_467,
    );
    assert_same_turn(closed.tracks.values().rotations[1], turn, 1e-11);
}
