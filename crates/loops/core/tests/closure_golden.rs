//! Closure against numbers of another implementation, on an analytic clip: 40 frames at 30 Hz, of which frames 2 to 37 are closed.

use glam::{DQuat, DVec3};
use loopwright_core::closure::{Order, Shape, ShapeKind, Shares, close};
use loopwright_core::unstable::boundary::{Boundary, Weights};
use loopwright_core::unstable::ends;
use loopwright_core::unstable::rotation::rotation_targets;
use loopwright_core::unstable::targets::{Targets, point_targets};
use loopwright_core::{ClosureSettings, Cut, math::rotation, take::Clip};

use crate::support::{assert_near, chain, take_of};

const STEP_SECS: f64 = 1.0 / 30.0;
const FIRST_FRAME: usize = 2;
const NUM_INTERVALS: usize = 35;
const PERIOD_SECS: f64 = 35.0 / 30.0;

#[track_caller]
fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "found {found}, expected {expected}"
    );
}

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
    let off = rotation::difference(closed.tracks.values().rotations[1], turn);
    assert_near(off, DVec3::ZERO, 1e-11);
}
