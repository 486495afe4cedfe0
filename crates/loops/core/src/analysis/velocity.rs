//! Computes velocity and acceleration from samples; all differentiation of motion is here.
//!
//! Central differences where there is a sample on either side, else three-point one-sided ones. Error orders and derivation:
//! docs/math/estimators.md.

use glam::{DQuat, DVec3};

use crate::math::rotation;

/// Returns the velocities of a whole track of points, per second; `dt` is the time between samples in seconds.
///
/// Second order everywhere: central inside, three-point one-sided at both ends. Two samples share their one difference; a single
/// sample gets velocity zero.
pub fn velocities(track: &[DVec3], dt: f64) -> Vec<DVec3> {
    let last = track.len().saturating_sub(1);
    (0..track.len())
        .map(|i| match (i, last) {
            (_, 0) => DVec3::ZERO,
            (_, 1) => (track[1] - track[0]) / dt,
            (0, _) => one_sided(track[1] - track[0], track[2] - track[0], dt).velocity,
            (i, last) if i == last => one_sided(track[i - 1] - track[i], track[i - 2] - track[i], -dt).velocity,
            (i, _) => (track[i + 1] - track[i - 1]) / (2.0 * dt),
        })
        .collect()
}

/// First and second derivative of a track at one sample.
#[value(Copy, Default)]
pub(crate) struct Derivatives {
    /// First derivative, per second.
    pub velocity: DVec3,
    /// Second derivative, per second squared.
    pub acceleration: DVec3,
}

/// Neighbouring samples in the order of time, and the position of the evaluated sample among them.
#[value(Copy)]
pub(crate) enum Around<T> {
    /// The sample in the middle, with one on either side.
    Both([T; 3]),
    /// The first sample, with two after it.
    After([T; 3]),
    /// The last sample, with two before it.
    Before([T; 3]),
}

/// A sample of a track: a point or a rotation.
pub(crate) trait Sample: Copy {
    /// Returns the difference from another sample, metres; for rotations the vector in the space that they map to, short side,
    /// radians.
    fn difference(self, from: Self) -> DVec3;
}

impl Sample for DVec3 {
    fn difference(self, from: Self) -> DVec3 {
        self - from
    }
}

impl Sample for DQuat {
    fn difference(self, from: Self) -> DVec3 {
        rotation::difference(self, from)
    }
}

/// Returns the velocity and acceleration of a point, or of a rotation in the space it maps to, per second; `dt` is the time
/// between samples in seconds.
///
/// The formulas with a sample on either side: (x+ - x-)/(2 dt) and (x+ - 2x + x-)/dt^2, both second order. One-sided (4 x1 - 3
/// x0 - x2)/(2 dt), second order, and (x2 - 2 x1 + x0)/dt^2, first order. Rotations become rotation vectors about the evaluated
/// sample, l = log(q' q^-1). There the vector is zero, its first derivative is the angular velocity and its second the angular
/// acceleration, so the formulas and orders for points hold. Source: docs/math/estimators.md.
pub(crate) fn derivatives<T: Sample>(samples: Around<T>, dt: f64) -> Derivatives {
    match samples {
        Around::Both([before, x, after]) => central(after.difference(x), before.difference(x), dt),
        Around::After([x, after, later]) => one_sided(after.difference(x), later.difference(x), dt),
        Around::Before([earlier, before, x]) => one_sided(before.difference(x), earlier.difference(x), -dt),
    }
}

/// Number of samples on either side of the middle that the wide estimates use.
pub(crate) const WIDE_REACH: usize = 4;

/// Weights of samples 1 to 4 steps after the middle, for the first derivative; those before have the opposite sign.
const WIDE_FIRST: [f64; WIDE_REACH] = [126.0 / 1188.0, 193.0 / 1188.0, 142.0 / 1188.0, -86.0 / 1188.0];

/// Weights for the second derivative: those before have the same sign.
const WIDE_SECOND: [f64; WIDE_REACH] = [-211.0 / 1716.0, 151.0 / 1716.0, 371.0 / 1716.0, -126.0 / 1716.0];

/// Computes velocity and acceleration in the middle of nine samples, from the least-squares polynomial of degree 4.
///
/// Noise of size s in the samples gives 0.34 s/dt and 0.44 s/dt^2; central differences give 0.71 and 2.4. Units as for
/// [`derivatives`]. Source: Savitzky and Golay 1964; docs/math/estimators.md.
pub(crate) fn derivatives_wide<T: Sample>(samples: [T; 2 * WIDE_REACH + 1], dt: f64) -> Derivatives {
    let differences = samples.map(|sample| sample.difference(samples[WIDE_REACH]));
    let mut derivatives = Derivatives::default();
    for (step, (first, second)) in WIDE_FIRST.iter().zip(WIDE_SECOND).enumerate() {
        let (after, before) = (differences[WIDE_REACH + 1 + step], differences[WIDE_REACH - 1 - step]);
        derivatives.velocity += (after - before) * *first;
        derivatives.acceleration += (after + before) * second;
    }
    derivatives.velocity /= dt;
    derivatives.acceleration /= dt * dt;
    derivatives
}

/// Derivatives from the differences to the samples after and before.
fn central(after: DVec3, before: DVec3, dt: f64) -> Derivatives {
    Derivatives {
        velocity: (after - before) / (2.0 * dt),
        acceleration: (after + before) / (dt * dt),
    }
}

/// Derivatives from the differences to the samples one and two steps away; `dt` is negative for steps backwards.
fn one_sided(one: DVec3, two: DVec3, dt: f64) -> Derivatives {
    Derivatives {
        velocity: (4.0 * one - two) / (2.0 * dt),
        acceleration: (two - 2.0 * one) / (dt * dt),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quadratics_are_exact() {
        let x = |t: f64| DVec3::new(1.0 + 2.0 * t - 3.0 * t * t, t, 0.5 * t * t);
        let dt = 0.1;
        let track: Vec<DVec3> = (0..6).map(|i| x(f64::from(i) * dt)).collect();
        for (i, v) in velocities(&track, dt).iter().enumerate() {
            let t = i as f64 * dt;
            assert!((*v - DVec3::new(2.0 - 6.0 * t, 1.0, t)).length() < 1e-13);
        }
        for samples in [
            Around::Both([x(-dt), x(0.0), x(dt)]),
            Around::After([x(0.0), x(dt), x(2.0 * dt)]),
            Around::Before([x(-2.0 * dt), x(-dt), x(0.0)]),
        ] {
            let found = derivatives(samples, dt);
            assert!((found.velocity - DVec3::new(2.0, 1.0, 0.0)).length() < 1e-13);
            assert!((found.acceleration - DVec3::new(-6.0, 0.0, 1.0)).length() < 1e-12);
        }
    }

    /// A polynomial of degree 4 comes back exactly, and noise shrinks as stated.
    #[test]
    fn wide_estimates_fit_degree_four_and_shrink_noise() {
        let x = |t: f64| DVec3::new(1.0 + 2.0 * t - 3.0 * t * t + t * t * t, t * t * t * t - t, 0.5);
        let (t, dt) = (0.3, 0.1);
        let samples = core::array::from_fn(|k| x(t + (k as f64 - 4.0) * dt));
        let found = derivatives_wide(samples, dt);
        let velocity = DVec3::new(2.0 - 6.0 * t + 3.0 * t * t, 4.0 * t * t * t - 1.0, 0.0);
        let acceleration = DVec3::new(-6.0 + 6.0 * t, 12.0 * t * t, 0.0);
        assert!((found.velocity - velocity).length() < 1e-12);
        assert!((found.acceleration - acceleration).length() < 1e-11);
        // Noise of variance 1 in every sample; the weight of the middle one is minus the sum of the others' weights.
        let squares = |weights: &[f64; 4]| 2.0 * weights.iter().map(|weight| weight * weight).sum::<f64>();
        let middle = -2.0 * WIDE_SECOND.iter().sum::<f64>();
        assert!((libm::sqrt(squares(&WIDE_FIRST)) - 0.338).abs() < 0.001);
        assert!((libm::sqrt(squares(&WIDE_SECOND) + middle * middle) - 0.443).abs() < 0.001);
    }

    #[test]
    fn short_tracks_have_velocities() {
        assert_eq!(velocities(&[], 0.1), []);
        assert_eq!(velocities(&[DVec3::ONE], 0.1), [DVec3::ZERO]);
        assert_eq!(velocities(&[DVec3::ZERO, DVec3::ONE], 0.5), [DVec3::splat(2.0); 2]);
    }
}
