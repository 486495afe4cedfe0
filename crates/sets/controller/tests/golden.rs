//! Springs and closed forms against reference numbers of the controller-fit article's arithmetic.

use loopwright_controller::{half_life_of_peak, peak_of_half_life};
use loopwright_core::math::{Spring, decay_rate};

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

/// With rates that are derivatives, as the core shows, that makes it the critically damped spring from any state.
#[test]
fn a_spring_is_critically_damped_from_any_state() {
    for (value, rate, goal) in [(0.0, 0.0, 1.0), (1.0, 0.5, 3.0), (2.0, -1.0, 0.0), (0.0, 20.0, 1.0)] {
        let spring = Spring {
            value,
            rate,
            goal,
            half_life_secs: 0.3,
        };
        let (start, y) = (spring.at(0.0), decay_rate(0.3));
        assert_eq!((start.value, start.rate), (value, rate));
        for secs in [0.0, 0.1, 0.4, 1.3] {
            let at = spring.at(secs);
            let pulled = y * y * (goal - at.value) - 2.0 * y * at.rate;
            assert!((at.acceleration - pulled).abs() < 1e-9 * y * y * (1.0 + rate.abs() / y));
        }
    }
}
