//! Noise: a few harmonics of the period with random phases, added to rotations, so that it repeats with the loop.

use core::{f64::consts::TAU, ops::RangeInclusive};

use glam::DVec3;
use rand_pcg::{
    Pcg64,
    rand_core::{Rng, SeedableRng},
};

use super::{
    super::{
        error::EditError,
        joint_offset::{JointOffset, ROUNDING},
    },
    Edit, EditDescriptor, EditKey, EditParameter, EditValue, EditValues, EditedJoints, offset_joint, with_partners,
};
use crate::{
    closure::Image,
    loop_clip::LoopClip,
    math::{mean, ops},
    unit::Unit,
};

/// Adds noise that repeats with the loop, to rotations.
#[handed_over]
pub struct Noise {
    /// The joints, each with its own noise.
    pub joints: Vec<usize>,
    /// Root mean square of the angle, radians.
    pub deviation: f64,
    /// Highest frequency in it, hertz; the lowest is that of the loop.
    pub highest_hz: f64,
    /// Seed; the same seed gives the same noise.
    pub seed: u32,
}

pub(super) const DESCRIPTOR: EditDescriptor = EditDescriptor {
    name: "noise",
    title: "noise",
    joints: EditedJoints::UpperBody,
    parameters: &[
        EditParameter::number(EditKey::Deviation, "Noise", Unit::Degrees, 0.02, 1.0),
        EditParameter::number(EditKey::Highest, "Highest rate", Unit::Hertz, 0.02, DEFAULT_HZ),
        EditParameter {
            default: EditValue::Whole(0),
            ..EditParameter::number(EditKey::Seed, "Seed", Unit::Number, 0.1, 0.0)
        },
    ],
    new: |joints, values| {
        Noise {
            joints: joints.to_vec(),
            deviation: values.number(EditKey::Deviation).unwrap_or_default().to_radians(),
            highest_hz: values.number(EditKey::Highest).unwrap_or(DEFAULT_HZ),
            seed: values.whole(EditKey::Seed).unwrap_or_default(),
        }
        .into()
    },
};

/// Highest rate by default, hertz: bodies sway no faster at rest.
const DEFAULT_HZ: f64 = 2.0;

/// Largest rotation, radians.
const MAX_DEVIATION: f64 = core::f64::consts::FRAC_PI_2;

/// Allowed highest rates, hertz.
const HIGHEST_HZ: RangeInclusive<f64> = 1e-3..=1e3;

impl Edit for Noise {
    fn joints(&self) -> &[usize] {
        &self.joints
    }

    fn edited(&self, mut clip: LoopClip, mirror: Option<&Image>) -> Result<LoopClip, EditError> {
        let deviation = self.deviation;
        if !(0.0..=MAX_DEVIATION * ROUNDING).contains(&deviation) {
            return Err(EditError::Noise {
                found: deviation,
                most: MAX_DEVIATION,
            });
        }
        if !HIGHEST_HZ.contains(&self.highest_hz) {
            return Err(EditError::NoiseRate {
                found: self.highest_hz,
                least: *HIGHEST_HZ.start(),
                most: *HIGHEST_HZ.end(),
            });
        }
        let count = clip.num_samples();
        let harmonics = num_harmonics(count, clip.period_secs(), self.highest_hz);
        let waves = Waves::new(count);
        for joint in with_partners(&self.joints, mirror) {
            let mut noise = waves.noise(harmonics, deviation, joint, self.seed);
            if let Some(mirror) = mirror {
                let partner = mirror.partner(joint);
                let other = waves.noise(harmonics, deviation, partner, self.seed);
                for (sample, value) in noise.iter_mut().enumerate() {
                    *value += mirror.rotation_vector(partner, other[(sample + count / 2) % count]);
                }
                // The requested root mean square, but for zeros.
                let square = mean(noise.iter().map(|value| value.length_squared()));
                if square > 0.0 {
                    let scale = deviation / square.sqrt();
                    noise.iter_mut().for_each(|value| *value *= scale);
                }
            }
            clip = offset_joint(clip, joint, |sample| JointOffset {
                rotation: noise[sample],
                ..JointOffset::ZERO
            });
        }
        Ok(clip)
    }

    fn values(&self, _clip: &LoopClip) -> EditValues {
        EditValues::default()
            .with(EditKey::Deviation, self.deviation.to_degrees())
            .with(EditKey::Highest, self.highest_hz)
            .with(EditKey::Seed, EditValue::Whole(self.seed))
    }
}

/// Fewest samples to a wave of the highest harmonic: fewer would show the samples rather than a wave.
const FEWEST_SAMPLES: usize = 8;

/// Returns the number of harmonics up to a rate: at least one, and none with fewer than eight samples per wave.
pub fn num_harmonics(num_samples: usize, period_secs: f64, highest_hz: f64) -> usize {
    // A number beyond the integers becomes the largest of them.
    ((highest_hz * period_secs).floor() as usize).clamp(1, (num_samples / FEWEST_SAMPLES).max(1))
}

/// Sine and cosine at every whole number of samples: a wave of k cycles uses every k-th, and so repeats to the bit.
struct Waves(Vec<(f64, f64)>);

impl Waves {
    fn new(num_samples: usize) -> Self {
        Self(
            (0..num_samples)
                .map(|sample| ops::sin_cos(TAU / num_samples as f64 * sample as f64))
                .collect(),
        )
    }

    /// Returns rotation vectors for every sample, in the unit of `deviation`, the root mean square of their lengths.
    ///
    /// Each axis has the harmonics 1 to `harmonics` with amplitudes that fall with their number, each with a phase of its own.
    /// `joint` and `seed` alone determine the phases.
    fn noise(&self, harmonics: usize, deviation: f64, joint: usize, seed: u32) -> Vec<DVec3> {
        let mut random = Pcg64::seed_from_u64(u64::from(seed) ^ (joint as u64).wrapping_mul(JOINT_STEP));
        // A sine of amplitude a has the mean square a^2 / 2, and the three axes share the total.
        let sum: f64 = (1..=harmonics).map(|wave| 1.0 / (wave * wave) as f64).sum();
        let first = deviation * (2.0 / (3.0 * sum)).sqrt();
        let mut noise = vec![DVec3::ZERO; self.0.len()];
        for axis in 0..3 {
            for wave in 1..=harmonics {
                // The upper 53 bits, as a share of one.
                let (sin, cos) = ops::sin_cos(TAU * ((random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64));
                let amplitude = first / wave as f64;
                for (sample, value) in noise.iter_mut().enumerate() {
                    let (s, c) = self.0[wave * sample % self.0.len()];
                    value[axis] += amplitude * (s * cos + c * sin);
                }
            }
        }
        noise
    }
}

/// An odd number without pattern (2^64 over the golden ratio): neighbouring joints get seeds far apart.
const JOINT_STEP: u64 = 0x9e37_79b9_7f4a_7c15;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_the_size_asked_for_and_no_mean() {
        for (samples, harmonics) in [(40, 1), (97, 5), (240, 30)] {
            let noise = Waves::new(samples).noise(harmonics, 0.05, 7, 3);
            let square: f64 = noise.iter().map(|v| v.length_squared()).sum::<f64>() / samples as f64;
            assert!((square.sqrt() - 0.05).abs() < 1e-14, "{square}");
            let mean: DVec3 = noise.iter().sum::<DVec3>() / samples as f64;
            assert!(mean.length() < 1e-15);
        }
    }

    #[test]
    fn the_seed_and_the_joint_alone_determine_it() {
        let noise = |joint, seed| Waves::new(60).noise(3, 0.1, joint, seed);
        assert_eq!(noise(4, 9), noise(4, 9));
        assert!(noise(4, 9) != noise(5, 9) && noise(4, 9) != noise(4, 10));
    }

    #[test]
    fn harmonics_are_those_below_the_rate() {
        assert_eq!(num_harmonics(120, 1.2, 2.0), 2);
        assert_eq!(num_harmonics(1200, 10.0, 2.0), 20);
        assert_eq!(num_harmonics(1200, 0.3, 2.0), 1);
        assert_eq!(num_harmonics(40, 10.0, 20.0), 5);
        assert_eq!(num_harmonics(3, 0.1, f64::MAX), 1);
    }
}
