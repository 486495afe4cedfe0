//! A body that stands: it breathes, sways over its planted feet and fidgets, and never quite repeats.

use core::f64::consts::TAU;

use glam::DVec3;
use loopwright_core::{
    Pose, Take,
    math::{Rigid, ops, rotation},
};

use crate::{
    SynthError,
    body::{self, HIP_ASIDE_METRES, Side, joint},
    noise::Noise,
    settings::{check_ranges, check_size, num_frames},
    take_of,
    walker::{set_leg, standing_height},
};

/// A standing body to synthesize. By default it breathes and sways for twelve seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct IdleSettings {
    /// Seed of all randomness: the same seed gives the same bits.
    pub seed: u64,
    /// Length of the take in seconds, first frame to last.
    pub seconds: f64,
    /// Frames per second.
    pub frame_rate_hz: f64,
    /// Mean length of a breath, seconds; breaths vary by a fifth.
    pub breath_secs: f64,
    /// How far the hips sway over the feet, metres.
    pub sway_metres: f64,
    /// How far head, chest and arms move on their own account, degrees.
    pub fidget_deg: f64,
    /// Standard deviation of sensor noise in degrees on each joint; 5 mm per degree on the root's position.
    pub noise_deg: f64,
}

impl Default for IdleSettings {
    fn default() -> Self {
        Self {
            seed: 7,
            seconds: 12.0,
            frame_rate_hz: 60.0,
            breath_secs: 4.0,
            sway_metres: 0.01,
            fidget_deg: 2.0,
            noise_deg: 0.0,
        }
    }
}

/// A smooth wandering value: sines of unrelated periods, of standard deviation one.
struct Wander {
    waves: [[f64; 2]; 4],
}

/// Periods of the sines, seconds, shortest and longest.
const WANDER_SECS: [f64; 2] = [1.7, 9.0];

impl Wander {
    fn new(noise: &mut Noise) -> Self {
        let [low, high] = WANDER_SECS;
        Self {
            waves: core::array::from_fn(|_| [noise.between(low, high), noise.uniform()]),
        }
    }

    fn at(&self, secs: f64) -> f64 {
        self.waves
            .iter()
            .map(|[period, phase]| ops::sin(TAU * (secs / period + phase)))
            .sum::<f64>()
            / ((self.waves.len() as f64) / 2.0).sqrt()
    }
}

/// Number of wandering values: hips along two axes, and three rotations of chest, head and arms.
const NUM_WANDERS: usize = 11;

/// How far the chest lifts with a breath, radians.
const BREATH_RADIANS: f64 = 0.02;

/// Makes a take of a standing body; its feet do not move.
///
/// Errors: settings out of range, or a take that is too large.
pub fn synthesize_idle(settings: &IdleSettings) -> Result<Take, SynthError> {
    check_ranges(&[
        ("seconds", settings.seconds, 0.0, 1e6),
        ("frame_rate_hz", settings.frame_rate_hz, 1.0, 10_000.0),
        ("breath_secs", settings.breath_secs, 0.5, 60.0),
        ("sway_metres", settings.sway_metres, 0.0, 0.1),
        ("fidget_deg", settings.fidget_deg, 0.0, 45.0),
        ("noise_deg", settings.noise_deg, 0.0, 45.0),
    ])?;
    check_size(settings.seconds, settings.frame_rate_hz)?;
    let rest = body::rest_pose(&body::skeleton());
    let mut noise = Noise::new(settings.seed);
    let wanders: [Wander; NUM_WANDERS] = core::array::from_fn(|_| Wander::new(&mut noise));
    let breath = Wander::new(&mut noise);
    let poses = (0..num_frames(settings.seconds, settings.frame_rate_hz)).map(|frame| {
        let mut pose = rest.clone();
        set_idle(
            &mut pose,
            settings,
            &wanders,
            &breath,
            frame as f64 / settings.frame_rate_hz,
        );
        noise.disturb(&mut pose, settings.noise_deg);
        pose
    });
    take_of("synthetic-idle", settings.frame_rate_hz, poses)
}

/// The pose at a time: hips over planted feet, a breathing chest, a head and arms that wander.
fn set_idle(pose: &mut Pose, settings: &IdleSettings, wanders: &[Wander; NUM_WANDERS], breath: &Wander, secs: f64) {
    let of = |index: usize| wanders[index].at(secs);
    let sway = DVec3::new(of(0), 0.0, 0.6 * of(1)) * settings.sway_metres;
    let hips = Rigid::new(
        rotation::exp(DVec3::Z * (-2.0 * sway.x)),
        DVec3::Y * (standing_height() - 0.01) + sway,
    );
    pose.translations[joint::HIPS] = hips.translation;
    pose.rotations[joint::HIPS] = hips.rotation;
    for side in Side::BOTH {
        let back = set_leg(
            pose,
            side,
            hips,
            DVec3::new(side.sign() * HIP_ASIDE_METRES, body::ANKLE.y, 0.0),
            DVec3::Z,
        );
        pose.rotations[side.up_leg() + 2] = back;
    }
    let fidget = settings.fidget_deg.to_radians();
    let lift = BREATH_RADIANS * ops::sin(TAU * (secs / settings.breath_secs + 0.2 * breath.at(secs) / TAU));
    let chest = DVec3::new(-lift + 0.3 * fidget * of(2), 0.5 * fidget * of(3), 0.3 * fidget * of(4));
    for part in [joint::SPINE, joint::SPINE1, joint::SPINE2] {
        pose.rotations[part] = rotation::exp(chest / 3.0);
    }
    let head = DVec3::new(0.5 * lift + 0.7 * fidget * of(5), fidget * of(6), 0.4 * fidget * of(7));
    for part in [joint::NECK, joint::HEAD] {
        pose.rotations[part] = rotation::exp(0.5 * head);
    }
    for (side, index) in Side::BOTH.into_iter().zip([8, 9]) {
        let (sign, shoulder) = (side.sign(), side.shoulder());
        pose.rotations[shoulder + 1] =
            rotation::exp(DVec3::X * -(0.04 + 0.6 * fidget * of(index))) * rotation::exp(DVec3::Z * (-sign * 1.43));
        pose.rotations[shoulder + 2] = rotation::exp(DVec3::Y * (-sign * (0.22 + 0.4 * fidget * of(10))));
    }
}
