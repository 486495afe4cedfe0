//! Zero-phase low-pass: removes shaking above a chosen frequency from every track without shifting anything in time.
//!
//! A second-order Butterworth filter runs over each track forwards and then backwards, so that its delay cancels. The cutoff is
//! raised beforehand so that the two passes together let through half the power at the frequency asked for. Rotations are
//! filtered as quaternions of continuous sign and normalised again. Derivation: docs/math/smoothing.md.

use core::ops::Range;

use glam::{DQuat, DVec3, DVec4};

use super::{Take, TakeError};
use crate::math::{Hermite, Span, ops};

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
        let frames: Vec<f64> = (0..self.num_frames()).map(|frame| frame as f64).collect();
        Ok(self.low_passed(&frames, self.frame_time_secs(), (cutoff_hz, breaks), 1)?)
    }

    /// Returns the take sampled at fractional frames that are `step_secs` apart, low-passed as by [`Self::smoothed`], and of these
    /// samples one in `kept`. Values are cubic between frames, quaternions by component: what differs from a curve of rotations is
    /// faster than what the filter keeps.
    pub(crate) fn low_passed(
        &self,
        frames: &[f64],
        step_secs: f64,
        (cutoff_hz, breaks): (f64, &[usize]),
        kept: usize,
    ) -> Result<Self, TakeError> {
        let low_pass = LowPass::new((cutoff_hz, 1.0 / step_secs), breaks, frames.len());
        let (joints, last) = (self.num_joints(), self.last_frame());
        let curves: Vec<(usize, Option<Hermite>)> = frames
            .iter()
            .map(|&frame| {
                let before = (frame as usize).min(last);
                let share = frame - before as f64;
                (before, (share > 0.0 && before < last).then(|| Hermite::at(share)))
            })
            .collect();
        let sampled = |track: Vec<DVec4>| -> Vec<DVec4> {
            let samples = curves.iter().map(|(before, curve)| match curve {
                Some(curve) => curve.point(Span::within(*before, last).map(|frame| track[frame])),
                None => track[*before],
            });
            samples.collect()
        };
        let raw = self.tracks.values();
        let count = frames.len().div_ceil(kept) * joints;
        let mut translations = vec![DVec3::ZERO; count];
        let mut rotations = vec![DQuat::IDENTITY; count];
        for joint in 0..joints {
            let of_joint = (joint..raw.translations.len()).step_by(joints);
            let points = sampled(of_joint.clone().map(|at| raw.translations[at].extend(0.0)).collect());
            let turns = sampled(of_joint.map(|at| DVec4::from(raw.rotations[at])).collect());
            let [smooth_points, smooth_turns] = [&points, &turns].map(|track| low_pass.smoothed(track));
            for (to, from) in (joint..count).step_by(joints).zip((0..frames.len()).step_by(kept)) {
                translations[to] = smooth_points[from].truncate();
                // A joint that rotates faster than the filter can follow averages to nothing and is left unchanged.
                let is_known = smooth_turns[from].length() > MIN_LENGTH;
                rotations[to] = DQuat::from_vec4(if is_known { smooth_turns[from] } else { turns[from] });
            }
        }
        let skeleton = self.skeleton().clone();
        Self::new(self.name(), skeleton, kept as f64 * step_secs, translations, rotations)
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
    /// Samples by which runs are continued.
    pad: usize,
    runs: Vec<Range<usize>>,
}

impl LowPass {
    /// Creates the filter for a frequency below half the rate of the samples.
    fn new((cutoff_hz, rate_hz): (f64, f64), breaks: &[usize], count: usize) -> Self {
        let (sin, cos) = ops::sin_cos(core::f64::consts::PI * (cutoff_hz / rate_hz));
        let k = sin / cos / TWO_PASSES;
        let norm = 1.0 / (1.0 + core::f64::consts::SQRT_2 * k + k * k);
        let mut runs = Vec::new();
        let mut from = 0;
        for &next in breaks.iter().filter(|&&at| at < count) {
            if next > from {
                runs.push(from..next);
                from = next;
            }
        }
        runs.push(from..count);
        runs.retain(|run| run.len() >= MIN_RUN);
        Self {
            b: k * k * norm,
            a1: 2.0 * (k * k - 1.0) * norm,
            a2: (1.0 - core::f64::consts::SQRT_2 * k + k * k) * norm,
            pad: (PAD_PERIODS * rate_hz / cutoff_hz).ceil() as usize,
            runs,
        }
    }

    /// Returns a track filtered forwards and backwards; beyond the ends of a run it is continued by its own reflection through the end point.
    fn smoothed(&self, track: &[DVec4]) -> Vec<DVec4> {
        let mut smooth = track.to_vec();
        let mut values = Vec::new();
        for run in &self.runs {
            let inside = &track[run.clone()];
            let last = inside.len() - 1;
            if inside.iter().all(|value| value == &inside[0]) {
                continue;
            }
            let pad = self.pad.min(last);
            values.clear();
            values.extend((1..=pad).rev().map(|away| 2.0 * inside[0] - inside[away]));
            values.extend_from_slice(inside);
            values.extend((1..=pad).map(|away| 2.0 * inside[last] - inside[last - away]));
            for _ in 0..2 {
                self.pass(&mut values);
                values.reverse();
            }
            smooth[run.clone()].copy_from_slice(&values[pad..=pad + last]);
        }
        smooth
    }

    /// One pass, started in the steady state of the first value.
    fn pass(&self, values: &mut [DVec4]) {
        let first = values[0];
        let (mut x1, mut x2, mut y1, mut y2) = (first, first, first, first);
        for value in values {
            let x = *value;
            *value = self.b * (x + 2.0 * x1 + x2) - self.a1 * y1 - self.a2 * y2;
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
        at_rate(RATE, num_frames, at)
    }

    fn at_rate(rate: f64, num_frames: usize, at: impl Fn(f64) -> (DVec3, DQuat)) -> Take {
        take_of(
            skeleton(&[("root", None, DVec3::ZERO)]),
            1.0 / rate,
            num_frames,
            |frame, _| at(frame as f64 / rate),
        )
    }

    fn wave(hertz: f64) -> impl Fn(f64) -> (DVec3, DQuat) {
        move |t| {
            let value = ops::sin(core::f64::consts::TAU * hertz * t);
            (DVec3::X * value, rotation::exp(DVec3::Z * 0.2 * value))
        }
    }

    /// Returns amplitude and lag, seconds, of the wave of a value over the three seconds after the first, by projection on it. The first
    /// frame is at a time, seconds.
    fn response(take: &Take, (hertz, first_secs): (f64, f64), value: impl Fn(usize) -> f64) -> (f64, f64) {
        let second = take.frame_rate_hz().round() as usize;
        let (mut sin, mut cos, mut count) = (0.0, 0.0, 0.0);
        // Whole periods only.
        for frame in second..4 * second {
            let secs = first_secs + frame as f64 * take.frame_time_secs();
            let angle = core::f64::consts::TAU * hertz * secs;
            sin += value(frame) * ops::sin(angle);
            cos += value(frame) * ops::cos(angle);
            count += 0.5;
        }
        (
            ops::hypot(sin, cos) / count,
            ops::atan2(-cos, sin) / (core::f64::consts::TAU * hertz),
        )
    }

    #[test]
    fn half_the_power_passes_at_the_cutoff_without_delay() {
        for rate in [30.0, 60.0, RATE] {
            // Up to two fifths of the rate.
            for cutoff in [4.0, 8.0, 0.4 * rate] {
                for (hertz, low, high) in [
                    (cutoff, 0.697, 0.717),
                    (0.25 * cutoff, 0.99, 1.001),
                    (f64::min(4.0 * cutoff, (0.48 * rate).floor()), 0.0, 0.03),
                ] {
                    let raw = at_rate(rate, 5 * rate as usize, wave(hertz));
                    let smooth = raw.smoothed(cutoff, &[]).unwrap();
                    let (amplitude, lag) = response(&smooth, (hertz, 0.0), |frame| smooth.translations(frame)[0].x);
                    assert!(
                        (low..high).contains(&amplitude),
                        "{rate} fps, {hertz} Hz, cutoff {cutoff}: {amplitude}"
                    );
                    assert!(
                        lag.abs() < 1e-4 || amplitude < 1e-3,
                        "{rate} fps, {hertz} Hz, cutoff {cutoff}: lag {lag}"
                    );
                }
            }
        }
    }

    /// Samples between the frames of any rate, from a part of a frame on, every second of which is kept: 2 Hz is far below the cutoff.
    #[test]
    fn samples_at_another_rate_are_those_of_the_wave() {
        for rate in [30.0, 60.0, RATE] {
            let raw = at_rate(rate, 6 * rate as usize, wave(2.0));
            let first = 3.37;
            let frame = |sample: i32| first + f64::from(sample) * rate / 60.0;
            let frames: Vec<f64> = (0..300).map(frame).collect();
            let sampled = raw.low_passed(&frames, 1.0 / 60.0, (8.0, &[]), 2).unwrap();
            assert_eq!(sampled.num_frames(), 150);
            let of_wave = |value: &dyn Fn(usize) -> f64| response(&sampled, (2.0, first / rate), value);
            let moves = of_wave(&|frame| sampled.translations(frame)[0].x);
            let turns = of_wave(&|frame| rotation::log(sampled.rotations(frame)[0]).z / 0.2);
            for (amplitude, lag) in [moves, turns] {
                assert!((amplitude - 1.0).abs() < 3e-3, "{rate}: {amplitude}");
                assert!(lag.abs() < 2e-4, "{rate}: lag {lag}");
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
