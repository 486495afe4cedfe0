//! Gaussian noise with the same bits on every platform.

use core::f64::consts::TAU;

use glam::DVec3;
use loopwright_core::{
    Pose,
    math::{ops, rotation},
};
use rand_pcg::{
    Pcg64,
    rand_core::{Rng, SeedableRng},
};

use crate::body::joint;

/// Root position noise in metres per degree of noise on the rotations.
///
/// Markers that are off by a millimetre or two rotate a limb by a few tenths of a degree and shift the pelvis less.
const ROOT_NOISE_METRES_PER_DEG: f64 = 0.005;

/// Random numbers from a seed.
pub(crate) struct Noise {
    generator: Pcg64,
}

impl Noise {
    /// Same seed, same numbers.
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            generator: Pcg64::seed_from_u64(seed),
        }
    }

    /// Uniform in [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        // The upper 53 bits fill the precision of a double.
        (self.generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in [min, max).
    pub(crate) fn between(&mut self, min: f64, max: f64) -> f64 {
        min + (max - min) * self.uniform()
    }

    /// Two independent normal numbers, mean 0 and standard deviation 1 (Box-Muller).
    fn normal_pair(&mut self) -> (f64, f64) {
        // 1 - u is never zero, so the logarithm is finite.
        let radius = (-2.0 * ops::ln(1.0 - self.uniform())).sqrt();
        let (sin, cos) = ops::sin_cos(TAU * self.uniform());
        (radius * cos, radius * sin)
    }

    /// Three independent normal numbers, mean 0 and standard deviation 1.
    fn normal_vector(&mut self) -> DVec3 {
        let (x, y) = self.normal_pair();
        let (z, _) = self.normal_pair();
        DVec3::new(x, y, z)
    }

    /// Disturbs a pose as sensors with noise of this standard deviation do, degrees on each joint.
    pub(crate) fn disturb(&mut self, pose: &mut Pose, noise_deg: f64) {
        if noise_deg > 0.0 {
            pose.translations[joint::HIPS] += self.normal_vector() * (ROOT_NOISE_METRES_PER_DEG * noise_deg);
            for turn in &mut pose.rotations {
                *turn *= rotation::exp(self.normal_vector() * noise_deg.to_radians());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_normal_distribution() {
        let mut noise = Noise::new(1);
        let count = 100_000;
        let (mut mean, mut square, mut fourth) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for _ in 0..count {
            let v = noise.normal_vector();
            mean += v / f64::from(count);
            square += v * v / f64::from(count);
            fourth += v * v * v * v / f64::from(count);
        }
        // Five standard errors: 1/sqrt(n), sqrt(2/n), sqrt(96/n).
        assert!(mean.abs().max_element() < 0.016, "{mean}");
        assert!((square - 1.0).abs().max_element() < 0.023, "{square}");
        assert!((fourth - 3.0).abs().max_element() < 0.16, "{fourth}");
    }
}
