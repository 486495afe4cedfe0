//! The least closure is the least: no other offset between the same ends has a smaller integral of o^2 + s^6 o'''^2.

use crate::support::Random;
use loopwright_core::closure::{Order, Shape, ShapeKind};
use loopwright_core::unstable::boundary::Boundary;

/// Blend time of the least closure in units of its s, as its page has it.
const TIMES_PER_BLEND: f64 = 6.0;

/// Intervals over which integrals are summed.
const NUM_INTERVALS: usize = 4000;

/// Conditions o(0), o(T), o'(0), o'(T), o''(0), o''(T) of size 1 in units of this time.
fn conditions(random: &mut Random, unit_secs: f64) -> [f64; 6] {
    core::array::from_fn(|i| random.within(-1.0, 1.0) / libm::pow(unit_secs, (i / 2) as f64))
}

/// An offset over a period as samples of its value and its third derivative, in the middle of each interval.
struct Sampled(Vec<[f64; 2]>);

impl Sampled {
    /// The closure by a shape. The third derivative is the difference of the second.
    fn closure(shape: Shape, period: f64, conditions: &[f64; 6]) -> Self {
        let boundary = Boundary::new(shape, shape, period, Order::C2).unwrap();
        let step = period / NUM_INTERVALS as f64;
        let sum = |weights: [f64; 6]| (weights.iter().zip(conditions)).map(|(w, c)| w * c).sum::<f64>();
        let at = |i: f64| boundary.weights(i * step);
        let sample = |i: usize| {
            let i = i as f64;
            let third = (sum(at(i + 1.0).acceleration) - sum(at(i).acceleration)) / step;
            [sum(at(i + 0.5).value), third]
        };
        Self((0..NUM_INTERVALS).map(sample).collect())
    }

    /// (u (1 - u))^3 cos(k pi u) with u = t/T: it vanishes with two derivatives at both ends.
    fn vanishing(period: f64, k: usize, size: f64) -> Self {
        let rate = core::f64::consts::PI * k as f64;
        let sample = |i: usize| {
            let u = (i as f64 + 0.5) / NUM_INTERVALS as f64;
            // (u - u^2)^3 and its derivatives, and those of the cosine; the third of the product by Leibniz.
            let (v, v1) = (u - u * u, 1.0 - 2.0 * u);
            let hump = [
                v * v * v,
                3.0 * v * v * v1,
                6.0 * v * v1 * v1 - 6.0 * v * v,
                6.0 * v1 * v1 * v1 - 36.0 * v * v1,
            ];
            let (sin, cos) = libm::sincos(rate * u);
            let wave = [cos, -rate * sin, -rate * rate * cos, rate * rate * rate * sin];
            let third = hump[0] * wave[3] + 3.0 * hump[1] * wave[2] + 3.0 * hump[2] * wave[1] + hump[3] * wave[0];
            [size * hump[0] * wave[0], size * third / (period * period * period)]
        };
        Self((0..NUM_INTERVALS).map(sample).collect())
    }

    fn plus(&self, other: &Self, factor: f64) -> Self {
        let sum = |(a, b): (&[f64; 2], &[f64; 2])| [a[0] + factor * b[0], a[1] + factor * b[1]];
        Self(self.0.iter().zip(&other.0).map(sum).collect())
    }

    /// The integral of o^2 + s^6 o'''^2 over the period, over the period.
    fn integral(&self, s: f64) -> f64 {
        let weight = libm::pow(s, 6.0);
        let sum: f64 = self.0.iter().map(|[o, third]| o * o + weight * third * third).sum();
        sum / NUM_INTERVALS as f64
    }
}

#[test]
fn the_least_closure_has_the_smallest_integral() {
    let mut random = Random::new(20_021_978, 1);
    for case in 0..60 {
        let period = libm::exp(random.within(-2.0, 2.0));
        // Up to three times as long as a loop permits: the two ends then share the whole period.
        let blend_secs = random.within(0.2, [1.0, 3.0][case % 2]) * period;
        let s = blend_secs / TIMES_PER_BLEND;
        let conditions = conditions(&mut random, blend_secs.min(period) / 3.0);
        let least = Sampled::closure(Shape::new(ShapeKind::Least, blend_secs), period, &conditions);
        let smallest = least.integral(s);
        for share in [0.2, 0.4, 0.6, 0.8, 1.0] {
            let quintic = Shape::new(ShapeKind::Quintic, share * period);
            let other = Sampled::closure(quintic, period, &conditions).integral(s);
            assert!(other > smallest, "case {case}: {smallest} above {other} of {quintic:?}");
        }
        for k in 0..8 {
            let bump = Sampled::vanishing(period, k, random.within(1.0, 64.0));
            let own = bump.integral(s);
            for factor in [-1.0, -1e-2, 1e-2, 1.0] {
                let other = least.plus(&bump, factor).integral(s);
                assert!(other > smallest, "case {case}, {k}: {smallest} above {other}");
                // It is a minimum, not a slope: what is added is the integral of the bump alone.
                let slope = (other - smallest) / factor - factor * own;
                let is_near = slope.abs() < 1e-5 * (own * smallest).sqrt();
                assert!(is_near, "case {case}, {k}: slope {slope} of {own} and {smallest}");
            }
        }
    }
}

/// Number of Legendre polynomials that the minimum is sought among.
const NUM_POLYNOMIALS: usize = 26;

/// Values of the Legendre polynomials and of their first three derivatives at x.
fn legendre(x: f64) -> [[f64; 4]; NUM_POLYNOMIALS] {
    let mut p = [[0.0; 4]; NUM_POLYNOMIALS];
    p[0][0] = 1.0;
    p[1] = [x, 1.0, 0.0, 0.0];
    for k in 2..NUM_POLYNOMIALS {
        let n = k as f64;
        // k P_k = (2k - 1) x P_(k-1) - (k - 1) P_(k-2), differentiated.
        for d in 0..4 {
            let below = if d > 0 { d as f64 * p[k - 1][d - 1] } else { 0.0 };
            p[k][d] = ((2.0 * n - 1.0) * (x * p[k - 1][d] + below) - (n - 1.0) * p[k - 2][d]) / n;
        }
    }
    p
}

/// Solves a linear system by elimination with row pivoting.
fn solve(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let size = rows.len();
    for column in 0..size {
        let pivot = (column..size).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()));
        rows.swap(column, pivot.unwrap());
        let lead = rows[column].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            if index != column {
                let factor = row[column] / lead[column];
                for (value, above) in row.iter_mut().zip(&lead) {
                    *value -= factor * above;
                }
            }
        }
    }
    (0..size).map(|i| rows[i][size] / rows[i][i]).collect()
}

/// The polynomial that minimises the integral under the conditions, as coefficients of Legendre polynomials in x = 2t/T - 1.
fn minimise(period: f64, s: f64, conditions: &[f64; 6]) -> Vec<f64> {
    const N: usize = NUM_POLYNOMIALS;
    // The derivatives in x are those in t times T/2 each.
    let half = 0.5 * period;
    let weight = libm::pow(s / half, 6.0);
    let mut rows = vec![vec![0.0; N + 7]; N + 6];
    // Boole's rule; products are of degree 50.
    const STEPS: usize = 2000;
    for i in 0..=STEPS {
        let p = legendre(2.0 * i as f64 / STEPS as f64 - 1.0);
        let boole = match i {
            0 | STEPS => 7.0,
            _ => [14.0, 32.0, 12.0, 32.0][i % 4],
        };
        let share = boole * 2.0 / 45.0 * 2.0 / STEPS as f64;
        for (row, p_row) in rows.iter_mut().zip(&p) {
            for (cell, p_column) in row.iter_mut().zip(&p) {
                *cell += share * (p_row[0] * p_column[0] + weight * p_row[3] * p_column[3]);
            }
        }
    }
    for (end, p) in [legendre(-1.0), legendre(1.0)].iter().enumerate() {
        for derivative in 0..3 {
            let condition = 2 * derivative + end;
            for k in 0..N {
                rows[N + condition][k] = p[k][derivative];
                rows[k][N + condition] = p[k][derivative];
            }
            rows[N + condition][N + 6] = conditions[condition] * libm::pow(half, derivative as f64);
        }
    }
    let mut coefficients = solve(rows);
    coefficients.truncate(N);
    coefficients
}

/// The closed form against a minimum that knows nothing of exponentials.
#[test]
fn the_least_closure_is_the_minimum_found_among_polynomials() {
    let mut random = Random::new(20_021_978, 2);
    for case in 0..40 {
        let period = libm::exp(random.within(-2.0, 2.0));
        let blend_secs = random.within(0.8, 4.0) * period;
        let conditions = conditions(&mut random, period);
        let found = minimise(period, blend_secs / TIMES_PER_BLEND, &conditions);
        let shape = Shape::new(ShapeKind::Least, blend_secs);
        let boundary = Boundary::new(shape, shape, period, Order::C2).unwrap();
        for i in 0..=50 {
            let share = f64::from(i) / 50.0;
            let weights = boundary.weights(share * period).value;
            let ours: f64 = weights.iter().zip(&conditions).map(|(w, c)| w * c).sum();
            let p = legendre(2.0 * share - 1.0);
            let theirs: f64 = found.iter().zip(&p).map(|(c, p)| c * p[0]).sum();
            assert!((ours - theirs).abs() < 1e-6, "case {case} at {share}: {ours}, {theirs}");
        }
    }
}
