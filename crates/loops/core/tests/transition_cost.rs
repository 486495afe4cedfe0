//! The area under decaying offsets, exact and in feature form: against numbers of a reference, quadrature and each other.

use loopwright_core::math::{Decay, ops};

use crate::support::{Random, quadrature::area};

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

#[test]
fn displacements_equal_the_reference() {
    for (x, v, half_life, displacement) in REFERENCE {
        let decay = Decay::Spring {
            half_life_secs: half_life + EPS,
        };
        for (x, v) in [(x, v), (-x, -v)] {
            let off = (decay.displacement(x, v) - displacement).abs();
            assert!(off < 1e-9, "x {x}, v {v}, h {half_life}: off by {off}");
        }
    }
}

/// Returns the offset t seconds after the jump, from the table of decays in docs/math/shapes.md, not from the factored forms.
fn offset(decay: Decay, x: f64, v: f64, t: f64) -> f64 {
    match decay {
        Decay::Spring { half_life_secs } => {
            let y = 2.0 * core::f64::consts::LN_2 / half_life_secs;
            x * (1.0 + y * t) * ops::exp(-y * t) + v * t * ops::exp(-y * t)
        }
        Decay::Cubic { blend_secs: b } => {
            let u = t / b;
            x * (1.0 - 3.0 * u * u + 2.0 * u * u * u) + v * b * (u - 2.0 * u * u + u * u * u)
        }
        Decay::Quintic { blend_secs: b } => {
            let u = t / b;
            let (u3, u4, u5) = (u * u * u, u * u * u * u, u * u * u * u * u);
            x * (1.0 - 10.0 * u3 + 15.0 * u4 - 6.0 * u5) + v * b * (u - 6.0 * u3 + 8.0 * u4 - 3.0 * u5)
        }
    }
}

/// Integral of |offset|, computed from the offset alone.
fn quadrature(decay: Decay, x: f64, v: f64) -> f64 {
    let end = match decay {
        // e^-60 of it is left.
        Decay::Spring { half_life_secs } => 60.0 * half_life_secs / (2.0 * core::f64::consts::LN_2),
        Decay::Cubic { blend_secs } | Decay::Quintic { blend_secs } => blend_secs,
    };
    area(|t| offset(decay, x, v, t), end)
}

fn decays(random: &mut Random) -> [Decay; 3] {
    let blend_secs = random.within(0.05, 1.5);
    [
        Decay::Spring {
            half_life_secs: random.within(0.02, 0.5),
        },
        Decay::Cubic { blend_secs },
        Decay::Quintic { blend_secs },
    ]
}

/// v at which the crossing of an offset from x leaves the fade: to infinity, or beyond the blend time.
fn line_of_no_crossing(decay: Decay, x: f64) -> f64 {
    match decay {
        Decay::Spring { half_life_secs } => -x * 2.0 * core::f64::consts::LN_2 / half_life_secs,
        Decay::Cubic { blend_secs } => -3.0 * x / blend_secs,
        Decay::Quintic { blend_secs } => -2.5 * x / blend_secs,
    }
}

/// v at which the signed area is zero: the areas above and below zero are equal.
fn line_of_no_area(decay: Decay, x: f64) -> f64 {
    let (position, rate) = decay.area_weights();
    -position * x / rate
}

#[test]
fn displacements_equal_quadrature() {
    let random = &mut Random::new(3, 7);
    let mut worst = [0.0_f64; 3];
    let (mut crossings, mut cases) = (0, 0);
    for round in 0..1200 {
        for (index, decay) in decays(random).into_iter().enumerate() {
            let (x, v) = (random.within(-1.0, 1.0), random.within(-20.0, 20.0));
            let (x, v) = match round % 8 {
                // The degenerate lines, and values just beside them.
                0 => (x, line_of_no_crossing(decay, x)),
                1 => (x, line_of_no_crossing(decay, x) * (1.0 + 1e-9)),
                2 => (x, line_of_no_crossing(decay, x) * (1.0 - 1e-9)),
                3 => (x, line_of_no_area(decay, x)),
                4 => (x, 0.0),
                5 => (0.0, v),
                // Opposite signs, where |offset| may cross zero.
                6 => (x, -v.abs() * x.signum()),
                _ => (x, v),
            };
            let exact = decay.displacement(x, v);
            let expected = quadrature(decay, x, v);
            worst[index] = worst[index].max((exact - expected).abs());
            crossings += u32::from(exact > decay.signed_area(x, v).abs() * (1.0 + 1e-12));
            cases += 1;
        }
    }
    assert!(cases == 3600 && crossings > 600, "{crossings} of {cases} cross");
    assert!(worst.into_iter().all(|worst| worst < 1e-9), "{worst:?}");
}

#[test]
fn degenerate_jumps_have_a_cost() {
    for decay in [
        Decay::Spring { half_life_secs: 0.1 },
        Decay::Cubic { blend_secs: 0.4 },
        Decay::Quintic { blend_secs: 0.4 },
    ] {
        let (position, rate) = decay.area_weights();
        assert_eq!(decay.displacement(0.0, 0.0), 0.0);
        for size in [1e-308, 1e-300, 1e-12, 1.0, 1e12, 1e290] {
            assert_eq!(decay.displacement(size, 0.0), position * size);
            assert_eq!(decay.displacement(0.0, -size), rate * size);
            // From one side of the line to the other, to the last bit: the result is always a number.
            let line = line_of_no_crossing(decay, size);
            let on = decay.displacement(size, line);
            for v in [
                line.next_down(),
                line,
                line.next_up(),
                line * (1.0 + 1e-15),
                line * (1.0 - 1e-15),
            ] {
                let cost = decay.displacement(size, v);
                assert!(
                    cost.is_finite() && (cost - on).abs() <= 1e-12 * on,
                    "{decay:?} {size} {v}: {cost}, {on}"
                );
            }
        }
        let smallest = f64::MIN_POSITIVE;
        for (x, v) in [(1e-300, -1.0), (1.0, -1e-300), (-1e-300, 1e200), (smallest, -smallest)] {
            assert!(decay.displacement(x, v).is_finite(), "{decay:?} {x} {v}");
        }
    }
    // Exactly on the line the spring's offset is x e^(-yt), area |x|/y.
    let y = 2.0 * core::f64::consts::LN_2 / 0.1;
    let cost = Decay::Spring { half_life_secs: 0.1 }.displacement(0.3, -0.3 * y);
    assert!((cost - 0.3 / y).abs() < 1e-15);
}

#[test]
fn the_feature_form_never_exceeds_the_exact_cost() {
    let random = &mut Random::new(5, 11);
    let mut equal = 0;
    let cases = 200_000;
    for _ in 0..cases {
        // Sizes over many powers of ten, and lines on which both are equal except for rounding.
        let [x, v] = [0; 2].map(|_| {
            let size = ops::exp(random.within(-25.0, 8.0));
            if random.unit() < 0.5 { -size } else { size }
        });
        for decay in decays(random) {
            let v = if random.unit() < 0.3 {
                line_of_no_crossing(decay, x) * random.within(0.999, 1.001)
            } else {
                v
            };
            let (exact, feature) = (decay.displacement(x, v), decay.signed_area(x, v).abs());
            assert!(feature <= exact, "{decay:?} {x} {v}: {feature} above {exact}");
            // The exact cost is bounded too: the offset is at most |x| p + |v| q, whose areas are the weights.
            let (position, rate) = decay.area_weights();
            let most = (position * x.abs() + rate * v.abs()) * (1.0 + 1e-12);
            assert!(exact <= most, "{decay:?} {x} {v}");
            equal += u32::from(feature == exact);
        }
    }
    assert!(equal > cases && equal < 3 * cases, "{equal}");
}
