//! Seam costs against reference numbers of the transition-cost article's arithmetic, checked by quadrature.

use std::path::Path;

use loopwright::candidate::score::SpringCost;

/// The reference adds this to every half-life, seconds.
const EPS: f64 = 1e-5;

/// (x, v, half-life, total displacement): one case each without a crossing, at it, and beyond it.
const REFERENCE: [(f64, f64, f64, f64); 5] = [
    (0.0, 0.0, 0.1, 0.0),
    (1.0, 0.0, 0.1, 0.144_283_931_039),
    (0.0, 1.0, 0.1, 0.005_204_463_189_04),
    (1.0, -5.0, 0.1, 0.118_261_615_094),
    (1.0, -20.0, 0.1, 0.046_874_409_174),
];

fn check(x: f64, v: f64, half_life: f64, displacement: f64) {
    let cost = SpringCost::from_half_life(half_life + EPS);
    let found = cost.displacement(x, v);
    let scale = 1.0_f64.max(displacement.abs());
    assert!(
        (found - displacement).abs() < 1e-9 * scale,
        "x {x}, v {v}, h {half_life}: {found}, expected {displacement}"
    );
    assert!((cost.displacement(-x, -v) - displacement).abs() < 1e-9 * scale);
    assert!(cost.two_sided_bound(x, v) <= cost.two_sided(x, v) * (1.0 + 1e-12));
}

#[test]
fn displacements_equal_the_reference() {
    for (x, v, half_life, displacement) in REFERENCE {
        check(x, v, half_life, displacement);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden/transition_cost.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        #[expect(clippy::print_stderr, reason = "a skipped comparison must be seen")]
        {
            eprintln!("skipped: no reference numbers at {}", path.display());
        }
        return;
    };
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["eps"].as_f64(), Some(EPS));
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() > 10);
    for case in cases {
        let number = |key: &str| case[key].as_f64().unwrap();
        check(number("x"), number("v"), number("halflife"), number("displacement"));
    }
}
