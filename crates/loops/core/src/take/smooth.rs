//! Zero-phase low-pass: removes shaking above a chosen frequency from every track without shifting anything in time.
//!
//! A second-order Butterworth filter runs over each track forwards and then backwards, so that its delay cancels. The cutoff is
//! raised beforehand so that the two passes together let through half the power at the frequency asked for. Rotations are
//! filtered as quaternions of continuous sign and normalised again. Derivation: docs/math/smoothing.md.

use glam::{DQuat, DVec3};

use super::{Take, TakeError};
use crate::{math::ops, motion::Pose};

/// Why a take cannot be smoothed.
#[error_kinds]
pub enum SmoothError {
    #[error(
        "the frequency must lie between 0 and {limit} Hz, which is what {rate} frames per second can show, found {found}"
    )]
    Frequency { found: f64, limit: f64, rate: f64 },
    /// The result is not a valid take.
    Take(TakeError),
}

/// Highest frequency allowed, as a share of the frame rate: at a half nothing is left to remove, and just below it the bilinear
/// transform distorts the filter beyond recognition.
const MAX_SHARE_OF_RATE: f64 = 0.45;

/// Two passes of a second-order filter let through half the power at a frequency whose tangent is this share of the filter's:
/// (2^(1/2) - 1)^(1/4).
const TWO_PASSES: f64 = 0.802_243_075_6;

/// Each run is continued beyond its ends by this many periods of the cutoff before it is filtered.
///
/// The filter rings for about one; with fewer its start shows in the first frames.
const PAD_PERIODS: f64 = 2.0;

impl Take {
    /// Returns the recording without shaking above `cutoff_hz`; amplitudes at that frequency are 0.71 of the original.
    ///
    /// `breaks` are frames at which a new run begins, for example where the take jumps: poses before and after are not mixed.
    /// Runs of fewer than four frames are unchanged. Tracks that do not move keep their bits. Errors: [`SmoothError`].
    pub fn smoothed(&self, cutoff_hz: f64, breaks: &[usize]) -> Result<Self, SmoothError> {
        let rate = self.frame_rate_hz();
        let limit = MAX_SHARE_OF_RATE * rate;
        if !(cutoff_hz > 0.0 && cutoff_hz <= limit) {
            return Err(SmoothError::Frequency {
                found: cutoff_hz,
                limit,
                rate,
            });
        }
        let filter = LowPass::new(cutoff_hz / rate);
        let pad = (PAD_PERIODS * rate / cutoff_hz).ceil() as usize;
        let mut runs = Vec::new();
        let mut from = 0;
        for &next in breaks.iter().filter(|&&frame| frame < self.num_frames()) {
            if next > from {
                runs.push(from..next);
                from = next;
            }
        }
        runs.push(from..self.num_frames());

        let joints = self.num_joints();
        let raw = self.tracks.values();
        let Pose {
            mut translations,
            mut rotations,
        } = raw.to_pose();
        for run in runs.into_iter().filter(|run| run.len() >= MIN_RUN) {
            for joint in 0..joints {
                let at = |frame: usize| (run.start + frame) * joints + joint;
                let points: Vec<[f64; 3]> = (0..run.len())
                    .map(|frame| raw.translations[at(frame)].to_array())
                    .collect();
                for (frame, point) in filter.both_ways(&points, pad).into_iter().enumerate() {
                    translations[at(frame)] = DVec3::from_array(point);
                }
                let values: Vec<[f64; 4]> = (0..run.len())
                    .map(|frame| raw.rotations[at(frame)].to_array())
                    .collect();
                for (frame, rotation) in filter.both_ways(&values, pad).into_iter().enumerate() {
                    let rotation = DQuat::from_array(rotation);
                    // A joint that rotates faster than the filter can follow averages to nothing and is left unchanged.
                    if rotation.length() > MIN_LENGTH && rotation != raw.rotations[at(frame)] {
                        rotations[at(frame)] = rotation;
                    }
                }
            }
        }
        Ok(Self::new(
            self.name(),
            self.skeleton().clone(),
            self.frame_time_secs(),
            translations,
            rotations,
        )?)
    }
}

/// Fewest frames that are filtered; fewer show no shaking.
const MIN_RUN: usize = 4;

/// Length of a filtered quaternion below which its direction is meaningless.
const MIN_LENGTH: f64 = 0.1;

/// A second-order Butterworth low-pass by the bilinear transform: y = b (x + 2 x' + x'') - a1 y' - a2 y''.
struct LowPass {
    b: f64,
    a1: f64,
    a2: f64,
}

impl LowPass {
    /// Creates the filter for a frequency as a share of the frame rate, below a half.
    fn new(share: f64) -> Self {
        let (sin, cos) = ops::sin_cos(core::f64::consts::PI * share);
        let k = sin / cos / TWO_PASSES;
        let norm = 1.0 / (1.0 + core::f64::consts::SQRT_2 * k + k * k);
        Self {
            b: k * k * norm,
            a1: 2.0 * (k * k - 1.0) * norm,
            a2: (1.0 - core::f64::consts::SQRT_2 * k + k * k) * norm,
        }
    }

    /// Filters a track forwards and backwards; beyond its ends it is continued by its own reflection through the end point.
    fn both_ways<const AXES: usize>(&self, track: &[[f64; AXES]], pad: usize) -> Vec<[f64; AXES]> {
        let count = track.len();
        if track.iter().all(|value| value == &track[0]) {
            return track.to_vec();
        }
        let pad = pad.min(count - 1);
        let about = |end: usize, inside: usize| {
            let mut value = [0.0; AXES];
            for axis in 0..AXES {
                value[axis] = 2.0 * track[end][axis] - track[inside][axis];
            }
            value
        };
        let mut values: Vec<[f64; AXES]> = (1..=pad).rev().map(|away| about(0, away)).collect();
        values.extend_from_slice(track);
        values.extend((1..=pad).map(|away| about(count - 1, count - 1 - away)));
        self.pass(&mut values);
        values.reverse();
        self.pass(&mut values);
        values.reverse();
        values[pad..pad + count].to_vec()
    }

    /// One pass, started in the steady state of the first value.
    fn pass<const AXES: usize>(&self, values: &mut [[f64; AXES]]) {
        let first = values[0];
        let (mut x1, mut x2, mut y1, mut y2) = (first, first, first, first);
        for value in values {
            let x = *value;
            for axis in 0..AXES {
                value[axis] = self.b * (x[axis] + 2.0 * x1[axis] + x2[axis]) - self.a1 * y1[axis] - self.a2 * y2[axis];
            }
            (x2, x1, y2, y1) = (x1, x, y1, *value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation;
    use crate::tests::{skeleton, take_of};

    const RATE: f64 = 120.0;

    fn take(num_frames: usize, at: impl Fn(f64) -> (DVec3, DQuat)) -> Take {
        take_of(
            skeleton(&[("root", None, DVec3::ZERO)]),
            1.0 / RATE,
            num_frames,
            |frame, _| at(frame as f64 / RATE),
        )
    }

    fn wave(hertz: f64) -> impl Fn(f64) -> (DVec3, DQuat) {
        move |t| {
            let value = ops::sin(core::f64::consts::TAU * hertz * t);
            (DVec3::X * value, rotation::exp(DVec3::Z * 0.2 * value))
        }
    }

    /// Returns the amplitude over the middle of a take and its lag, seconds, by projection on the wave.
    fn response(take: &Take, hertz: f64) -> (f64, f64) {
        let (mut sin, mut cos, mut count) = (0.0, 0.0, 0.0);
        // Whole periods only.
        for frame in 120..take.num_frames() - 120 {
            let angle = core::f64::consts::TAU * hertz * frame as f64 / RATE;
            let x = take.translations(frame)[0].x;
            sin += x * ops::sin(angle);
            cos += x * ops::cos(angle);
            count += 0.5;
        }
        (
            ops::hypot(sin, cos) / count,
            ops::atan2(-cos, sin) / (core::f64::consts::TAU * hertz),
        )
    }

    #[test]
    fn half_the_power_passes_at_the_cutoff_without_delay() {
        // Up to two fifths of the rate.
        for cutoff in [4.0, 8.0, 12.0, 48.0] {
            for (hertz, low, high) in [
                (cutoff, 0.69, 0.725),
                (0.25 * cutoff, 0.99, 1.001),
                (f64::min(4.0 * cutoff, 58.0), 0.0, 0.02),
            ] {
                let raw = take(600, wave(hertz));
                let (amplitude, lag) = response(&raw.smoothed(cutoff, &[]).unwrap(), hertz);
                assert!((low..high).contains(&amplitude), "{cutoff} {hertz}: {amplitude}");
                assert!(lag.abs() < 1e-4 || amplitude < 1e-3, "{cutoff} {hertz}: lag {lag}");
            }
        }
    }

    #[test]
    fn steady_motion_and_steady_spin_stay() {
        let raw = take(240, |t| {
            (DVec3::new(1.3 * t, 0.9, -0.4 * t), rotation::exp(DVec3::Y * 3.0 * t))
        });
        let smooth = raw.smoothed(6.0, &[]).unwrap();
        for frame in 0..240 {
            assert!((smooth.translations(frame)[0] - raw.translations(frame)[0]).length() < 2e-3);
            let turned = rotation::difference(smooth.rotations(frame)[0], raw.rotations(frame)[0]);
            let limit = if (40..200).contains(&frame) { 1e-6 } else { 2e-2 };
            assert!(turned.length() < limit, "{frame}: {turned}");
        }
    }

    #[test]
    fn a_break_is_not_smeared_and_stillness_keeps_its_bits() {
        let raw = take(120, |t: f64| {
            (DVec3::X * if t < 0.5 { 0.0 } else { 1.0 }, DQuat::IDENTITY)
        });
        assert_eq!(raw.smoothed(6.0, &[60]).unwrap(), raw);
        assert!(raw.smoothed(6.0, &[]).unwrap() != raw);
    }

    #[test]
    fn frequencies_beyond_the_rate_are_refused() {
        let raw = take(20, wave(1.0));
        for found in [0.0, -1.0, f64::NAN, 60.0, f64::INFINITY] {
            let is_it = matches!(raw.smoothed(found, &[]), Err(SmoothError::Frequency { .. }));
            assert!(is_it, "{found}");
        }
    }
}
