//! Rotations and twists against reference numbers: the golden files if they exist, and a few of their numbers here.
//!
//! Files: quaternion.json, twist.json and the Jacobian rates of c2_closure.json.

use glam::{DMat3, DQuat, DVec3, DVec4};
use loopwright_core::math::{Rigid, Screw, Twist, rotation};
use serde_json::Value;

use crate::support::golden::{assert_near, golden, list, quaternion, vector};
use crate::support::twist;

/// A matrix given by rows.
fn matrix(value: &Value) -> DMat3 {
    let rows: Vec<DVec3> = value.as_array().unwrap().iter().map(vector).collect();
    DMat3::from_cols(rows[0], rows[1], rows[2]).transpose()
}

#[track_caller]
fn assert_matrix_near(found: DMat3, expected: DMat3, tolerance: f64) {
    for column in 0..3 {
        assert_near(found.col(column), expected.col(column), tolerance);
    }
}

/// Largest difference of the components, signs included.
fn apart(a: DQuat, b: DQuat) -> f64 {
    DVec4::from(a - b).abs().max_element()
}

#[test]
fn exponential_and_logarithm() {
    let Some(file) = golden("quaternion.json") else { return };
    for case in list(&file["from_scaled_angle_axis"]) {
        // The reference leaves 1e-8 in its denominators.
        let found = rotation::exp(vector(&case["v"]));
        assert!(apart(found, quaternion(&case["q"])) < 2e-8, "{case}");
    }
    for case in list(&file["to_scaled_angle_axis_shortest"]) {
        assert_near(rotation::log(quaternion(&case["q"])), vector(&case["v"]), 1e-12);
    }
}

#[test]
fn products_and_angular_velocities() {
    let Some(file) = golden("quaternion.json") else { return };
    for case in list(&file["mul"]) {
        let product = quaternion(&case["a"]) * quaternion(&case["b"]);
        assert!(apart(product, quaternion(&case["ab"])) < 1e-13, "{case}");
    }
    for case in list(&file["differentiate_angular_velocity"]) {
        let step = rotation::difference(quaternion(&case["next"]), quaternion(&case["curr"]));
        assert_near(step / case["dt"].as_f64().unwrap(), vector(&case["omega"]), 1e-10);
    }
}

#[test]
fn left_jacobian_and_its_inverse() {
    let Some(file) = golden("quaternion.json") else { return };
    for case in list(&file["left_jacobian"]) {
        let v = vector(&case["v"]);
        assert_matrix_near(rotation::left_jacobian(v), matrix(&case["Jl"]), 1e-13);
        assert_matrix_near(rotation::left_jacobian_inverse(v), matrix(&case["Jl_inv"]), 1e-13);
    }
}

#[test]
fn rate_of_the_left_jacobian() {
    let Some(file) = golden("c2_closure.json") else { return };
    for case in list(&file["jacobian_rate"]) {
        let (o, rate) = (vector(&case["o"]), vector(&case["do"]));
        let found = rotation::left_jacobian_rate(o, rate);
        assert_matrix_near(found, matrix(&case["left_jacobian_rate"]), 1e-12);
        assert_near(found * rate, vector(&case["rate_times_do"]), 1e-12);
    }
}

#[test]
fn twists_of_quarter_turns_and_general_screws() {
    let Some(file) = golden("twist.json") else { return };
    for case in list(&file["planar"]).iter().chain(list(&file["general"])) {
        let motion = Rigid::new(quaternion(&case["quat_wxyz"]), vector(&case["displacement"]));
        let twist = twist(vector(&case["twist_v"]), vector(&case["twist_w"]));
        let there = twist.exp(1.0);
        assert!(apart(there.rotation, motion.rotation) < 1e-12, "{case}");
        assert_near(there.translation, motion.translation, 1e-12);
        let on_screw = Screw::from(twist).at(1.0);
        assert!(apart(on_screw.rotation, motion.rotation) < 1e-12, "{case}");
        assert_near(on_screw.translation, motion.translation, 1e-12);
        let back = Twist::log(motion, 1.0);
        assert_near(back.linear, twist.linear, 1e-11);
        assert_near(back.angular, twist.angular, 1e-12);
        if let (Some(rotation), Some(translation)) = (case.get("half_quat_wxyz"), case.get("half_displacement")) {
            let half_way = twist.exp(0.5);
            assert!(apart(half_way.rotation, quaternion(rotation)) < 1e-12, "{case}");
            assert_near(half_way.translation, vector(translation), 1e-12);
        }
    }
    let half = &file["blend_half"];
    let mean = |key: &str| (vector(&file["planar"][0][key]) + vector(&file["planar"][1][key])) / 2.0;
    let blend = twist(mean("twist_v"), mean("twist_w"));
    assert_near(blend.exp(1.0).translation, vector(&half["displacement"]), 1e-12);
    assert_near(mean("displacement"), vector(&file["naive_mean_displacement"]), 1e-12);
}

/// A few of the golden numbers, for a checkout without the folder.
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
