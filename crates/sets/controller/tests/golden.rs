//! Springs and closed forms against reference numbers of the controller-fit article's arithmetic.

use std::path::Path;

use loopwright_controller::{half_life_of_peak, peak_of_half_life};
use loopwright_core::math::{Spring, decay_rate};
use serde_json::Value;

/// The reference adds this to every half-life it takes, seconds, and to every damping it returns, per second.
const EPS: f64 = 1e-5;

fn as_reference(half_life_secs: f64) -> f64 {
    let damping = 4.0 * core::f64::consts::LN_2 / half_life_secs;
    4.0 * core::f64::consts::LN_2 / (damping + EPS)
}

/// (step, largest rate, half-life as printed by the reference, to the digits of the article).
const WORKED: [(f64, f64, f64, f64); 4] = [
    (4.86, 3.94, 0.629_071_538_957, 0.629),
    (180.0, 154.68, 0.593_469_476_232, 0.593),
    (10.44, 2.80, 1.901_518_099_64, 1.902),
    (5.0, 2.0, 1.274_967_124_24, 1.275),
];

#[track_caller]
fn assert_close(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-9 * expected.abs().max(1.0),
        "found {found}, expected {expected}"
    );
}

#[test]
fn worked_examples_come_out_to_the_printed_digits() {
    for (step, rate, reference, printed) in WORKED {
        let found = half_life_of_peak(step, rate).unwrap();
        assert_close(as_reference(found), reference);
        assert_eq!((1e3 * found).round() / 1e3, printed);
    }
    assert_eq!((100.0 * peak_of_half_life(5.0, 0.2)).round() / 100.0, 12.75);
    assert_eq!((1e3 / decay_rate(0.2)).round() / 1e3, 0.144);
}

/// The half-life is not the time at which half is left; that takes 1.21 of them.
#[test]
fn the_half_life_leaves_three_fifths() {
    let spring = Spring {
        value: 1.0,
        rate: 0.0,
        goal: 0.0,
        half_life_secs: 1.0,
    };
    assert_close(spring.at(1.0).value, 0.596_573_590_28);
    assert!((spring.at(1.210_671_439_69).value - 0.5).abs() < 1e-9);
}

#[test]
fn springs_equal_the_reference() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/golden/spring_fit.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        #[expect(clippy::print_stderr, reason = "a skipped comparison must be seen")]
        {
            eprintln!("skipped: no reference numbers at {}", path.display());
        }
        return;
    };
    let file: Value = serde_json::from_str(&text).unwrap();
    let number = |case: &Value, key: &str| case[key].as_f64().unwrap_or_else(|| panic!("{key} in {case}"));
    let cases = |key: &str| file[key].as_array().unwrap();
    let spring = |case: &Value| Spring {
        value: number(case, "x"),
        rate: case["v"].as_f64().unwrap_or(0.0),
        goal: number(case, "x_goal"),
        half_life_secs: number(case, "halflife") + EPS,
    };
    for case in cases("spring_maximum_velocity_time") {
        let spring = spring(case);
        let extreme = spring.extreme_rate_secs().unwrap();
        // The reference steps to the time of a half-life without its offset, an error of a hundred-thousandth.
        assert!((extreme - number(case, "t_max")).abs() < 2e-5);
        assert!((spring.at(extreme).rate - number(case, "velocity_at_t_max")).abs() < 1e-3);
        let (secs, rate) = spring.fastest();
        assert!((secs - number(case, "true_max_speed_time")).abs() < 2e-5);
        assert!((rate.abs() - number(case, "true_max_speed")).abs() < 1e-3);
    }
    for case in cases("maximum_spring_velocity_to_halflife") {
        let step = number(case, "x_goal") - number(case, "x");
        let found = half_life_of_peak(step, number(case, "v_max")).unwrap();
        assert_close(as_reference(found), number(case, "halflife"));
    }
    for case in cases("critical_spring") {
        let state = spring(case).at(number(case, "t"));
        assert_close(state.value, number(case, "x_t"));
        assert_close(state.rate, number(case, "v_t"));
        assert_close(state.acceleration, number(case, "a_t"));
    }
    let corrected = &file["corrected_example"];
    let peak = peak_of_half_life(number(corrected, "x_goal"), number(corrected, "halflife"));
    assert!((peak - number(corrected, "max_acceleration")).abs() < 1e-3);
}
