//! Rotations and twists against numbers of another implementation.

use glam::{DMat3, DQuat, DVec3, DVec4};
use loopwright_core::math::{Rigid, Twist, rotation};

use crate::support::assert_near;

#[track_caller]
fn assert_matrix_near(found: DMat3, expected: DMat3, tolerance: f64) {
    for column in 0..3 {
        assert_near(found.col(column), expected.col(column), tolerance);
    }
}

/// Returns the largest difference of the components, signs included.
fn apart(a: DQuat, b: DQuat) -> f64 {
    DVec4::from(a - b).abs().max_element()
}

#[test]
fn numbers_kept_here() {
    let v = DVec3::new(1.0, -0.5, 0.25);
    let q = [
        0.473_101_369_569_96,
        -0.236_550_684_784_98,
        0.118_275_342_392_49,
        0.840_374_803_894_5,
    ];
    let q = DQuat::from_array(q);
    // These digits of the quaternion differ by the reference's 1e-8; its logarithm does not.
    assert!(apart(rotation::exp(v), q) < 2e-8);
    assert_near(rotation::log(-q), v, 1e-12);
    let jacobian = DMat3::from_cols(
        DVec3::new(0.951_229_747_940_27, 0.033_880_049_648_927, 0.262_841_107_536_75),
        DVec3::new(-0.189_944_856_240_05, 0.834_181_142_996_93, 0.428_141_710_954_06),
        DVec3::new(-0.184_808_704_241_19, -0.467_157_912_601_84, 0.804_918_991_761_1),
    );
    assert_matrix_near(rotation::left_jacobian(v), jacobian, 1e-13);
    assert_matrix_near(rotation::left_jacobian_inverse(v), jacobian.inverse(), 1e-12);
    // Angles on both sides of the switch from series to closed form.
    for (o, rate, expected) in [
        (
            [0.1, 0.2, -0.3],
            [0.3, -0.1, 0.2],
            [0.004_801_985_476_018, 0.003_355_828_882_567, -0.005_595_840_155_812],
        ),
        (
            [2.0, 2.0, 1.0],
            [-0.4, 0.7, 1.1],
            [0.226_272_358_371_2, 0.514_849_343_875_6, -0.015_743_853_072_38],
        ),
    ] {
        let rate = DVec3::from_array(rate);
        assert_near(
            rotation::left_jacobian_rate(o.into(), rate) * rate,
            expected.into(),
            1e-12,
        );
    }
    // A quarter turn to the left over 2 m, and its mean with one to the right: 2 m straight ahead.
    let ahead = DVec3::new(1.0, 0.0, 1.0) * 1.273_239_544_735_2;
    let quarter = Rigid::from_yaw(core::f64::consts::FRAC_PI_2, ahead);
    let twist = Twist::log(quarter, 1.0);
    assert_near(twist.linear, DVec3::Z * 2.0, 1e-12);
    assert_near(twist.angular, DVec3::Y * core::f64::consts::FRAC_PI_2, 1e-13);
}
