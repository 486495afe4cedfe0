//! The take on which loops are chosen, at a common frame rate: it is nearly the same for the same motion at any rate.
//!
//! The figures that rank loops have flat optima and errors that depend on the frame rate. On a take of a common rate, filtered to what
//! slower rates can hold, they are equal for equal motion. Why, and what it changes: docs/math/choice.md.

use core::{f64::consts::TAU, ops::RangeInclusive};

use glam::{DVec2, Vec2Swizzles};

use super::{LoopCandidate, NearestMiss, SeamPair, SearchSettings, finder::Finder};
use crate::{
    analysis::{Analysis, BadFrame, Segment, TakeDefects},
    math::{dot, ops},
    take::Cut,
};

/// Rate at which a take is sampled before it is filtered, hertz, and the cutoff of the filter.
const SAMPLED_HZ: f64 = 60.0;
const CUTOFF_HZ: f64 = 8.0;

/// One of this many samples is kept: the filtered motion contains nothing faster.
const KEPT: usize = 2;

/// Kept samples lie where a wave of the motion has its crest: its frequencies, in eighths of a hertz, and the longest part of a take
/// that it is measured in, seconds.
const WAVES_EIGHTHS_HZ: RangeInclusive<u8> = 4..=32;
const WAVE_SECS: f64 = 10.0;

/// Lowest frame rate that is resampled, hertz: with fewer keys, the motion between them is unknown.
const LEAST_HZ: f64 = 20.0;

/// Fewest frames to choose from.
const LEAST_FRAMES: usize = 12;

/// A take, and the one on which its loops are chosen.
pub(crate) struct Choosing<'a> {
    pub(super) own: &'a Analysis,
    pub(super) own_settings: &'a SearchSettings,
    /// The take at one rate, with the settings in its frames; `None` if loops are chosen on the take itself.
    even: Option<(Analysis, SearchSettings)>,
    /// Its first frame, in frames of the take itself.
    first: f64,
}

impl<'a> Choosing<'a> {
    /// Creates the take to choose on; loops that are not ranked by their outcome are chosen on the take itself.
    pub(crate) fn new(own: &'a Analysis, own_settings: &'a SearchSettings) -> Self {
        let (first, even) = own_settings.ranks_by_outcome().then(|| even(own)).flatten().unzip();
        let mut choosing = Self {
            own,
            own_settings,
            even: even.map(|even| (even, own_settings.clone())),
            first: first.unwrap_or_default(),
        };
        let within = own_settings.within.map(|(first, last)| {
            let [first, last] = [first, last].map(|frame| choosing.chosen_frame(frame as f64));
            (first.ceil() as usize, last.floor() as usize)
        });
        if let Some((_, settings)) = &mut choosing.even {
            settings.within = within;
        }
        choosing
    }

    /// Returns the take to choose on.
    pub(crate) fn analysis(&self) -> &Analysis {
        self.even.as_ref().map_or(self.own, |(even, _)| even)
    }

    /// Returns the settings in its frames.
    pub(crate) fn settings(&self) -> &SearchSettings {
        self.even.as_ref().map_or(self.own_settings, |(_, settings)| settings)
    }

    /// Returns the frames of the take itself in one of the take to choose on.
    fn frames_each(&self) -> f64 {
        self.analysis().take.frame_time_secs() / self.own.take.frame_time_secs()
    }

    /// Returns the nearest frame of the take itself.
    fn own_frame(&self, frame: usize) -> usize {
        let last = self.own.take.last_frame();
        ((self.first + frame as f64 * self.frames_each()).round() as usize).min(last)
    }

    /// Returns where a frame of the take itself lies in the take to choose on.
    fn chosen_frame(&self, own: f64) -> f64 {
        ((own - self.first) / self.frames_each()).clamp(0.0, self.analysis().take.last_frame() as f64)
    }

    /// Converts the first loops to frames of the take itself, and describes them there; they keep the outcome by which they were chosen.
    pub(crate) fn in_own_frames(&self, chosen: Vec<LoopCandidate>, most: usize) -> Vec<LoopCandidate> {
        if self.even.is_none() || chosen.is_empty() || most == 0 {
            return chosen.into_iter().take(most).collect();
        }
        let features = self.own_settings.pairing.features(self.own);
        let finder = Finder::new(self.own, self.own_settings, &features);
        let own = chosen.into_iter().filter_map(|chosen| {
            let start = self.own_frame(chosen.cut.start_frame().round() as usize);
            let own = finder.found_elsewhere(start, chosen.cut.num_frames() * self.frames_each(), &chosen)?;
            Some(LoopCandidate {
                outcome: chosen.outcome,
                ..own
            })
        });
        own.take(most).collect()
    }

    /// Returns a loop in frames of the take to choose on.
    pub(crate) fn in_chosen_frames(&self, own: &LoopCandidate) -> LoopCandidate {
        let [start, end] = [own.cut.start_frame(), own.cut.end_frame()].map(|frame| self.chosen_frame(frame));
        LoopCandidate {
            cut: Cut::new(&self.analysis().take, start, end).unwrap_or(own.cut),
            num_frames: own.num_frames / self.frames_each(),
            ..own.clone()
        }
    }

    /// Returns a segment in frames of the take itself.
    pub(super) fn own_segment(&self, segment: Segment) -> Segment {
        Segment {
            start_frame: self.own_frame(segment.start_frame),
            end_frame: self.own_frame(segment.end_frame),
            ..segment
        }
    }

    /// Returns a miss in frames of the take itself.
    pub(crate) fn own_miss(&self, miss: NearestMiss) -> NearestMiss {
        let [start_frame, end_frame] = [miss.pair.start_frame, miss.pair.end_frame].map(|frame| self.own_frame(frame));
        NearestMiss {
            pair: SeamPair {
                start_frame,
                end_frame,
                ..miss.pair
            },
            ..miss
        }
    }
}

/// Returns a take at the rate of choosing, with the body and the defects of the take itself, and its first frame in frames of the
/// take itself; `None` if it is too short or too slow for that.
fn even(own: &Analysis) -> Option<(f64, Analysis)> {
    let take = &own.take;
    let step = 1.0 / (SAMPLED_HZ * take.frame_time_secs());
    let first = crest(own).rem_euclid(KEPT as f64 * step);
    let last = (take.last_frame() as f64 - first) / step + 1e-9;
    if take.frame_rate_hz() < LEAST_HZ || last < (KEPT * LEAST_FRAMES) as f64 {
        return None;
    }
    let samples: Vec<f64> = (0..=last as usize).map(|sample| first + sample as f64 * step).collect();
    let place = |frame: usize, step: f64| (frame as f64 - first) / step;
    let jumps = |step: f64| -> Vec<usize> {
        let jumps = own.defects.jumps.iter();
        jumps.map(|&jump| place(jump, step).ceil() as usize).collect()
    };
    let take = take
        .low_passed(&samples, 1.0 / SAMPLED_HZ, (CUTOFF_HZ, &jumps(step)), KEPT)
        .ok()?;
    let step = KEPT as f64 * step;
    let defects = TakeDefects {
        bad_frames: own
            .defects
            .bad_frames
            .iter()
            .map(|bad| BadFrame {
                frame: place(bad.frame, step).round() as usize,
                ..*bad
            })
            .filter(|bad| bad.frame < take.num_frames())
            .collect(),
        jumps: jumps(step),
        ..own.defects.clone()
    };
    let usable = (0..take.num_frames())
        .map(|frame| {
            let at = first + frame as f64 * step;
            [at.floor(), at.ceil()]
                .iter()
                .all(|&frame| own.usable.get(frame as usize).is_none_or(|&is_usable| is_usable))
        })
        .collect();
    Some((first, own.resampled(take, [first, step], (defects, usable))?))
}

/// Returns a moment that belongs to the motion, wherever its first frame lies: the crest nearest to the middle of the strongest wave
/// of the compared joints' squared distances from their mean places, in frames; of a take shorter than the wave, it may lie outside.
fn crest(own: &Analysis) -> f64 {
    let take = &own.take;
    let num = take.num_frames().min((WAVE_SECS * take.frame_rate_hz()) as usize);
    let start = (take.num_frames() - num) / 2;
    let middle = 0.5 * (num as f64 - 1.0);
    let poses = || (start..start + num).map(|frame| own.features.positions(frame));
    let mut means = vec![0.0; own.features.num_position_axes()];
    for pose in poses() {
        for (mean, position) in means.iter_mut().zip(pose) {
            *mean += position / num as f64;
        }
    }
    let mut distances: Vec<f64> = poses()
        .map(|pose| {
            pose.iter()
                .zip(&means)
                .map(|(position, mean)| (position - mean).powi(2))
                .sum()
        })
        .collect();
    let weights: Vec<f64> = (0..num)
        .map(|frame| 0.5 + 0.5 * ops::cos(TAU * (frame as f64 - middle) / num as f64))
        .collect();
    let mean = dot(&distances, &weights) / weights.iter().sum::<f64>();
    for (distance, weight) in distances.iter_mut().zip(&weights) {
        *distance = (*distance - mean) * weight;
    }
    let waves = WAVES_EIGHTHS_HZ.map(|eighths| {
        let angle = TAU * 0.125 * f64::from(eighths) * take.frame_time_secs();
        let [step, mut at] = [1.0, -middle].map(|frames| DVec2::from(ops::sin_cos(angle * frames)).yx());
        let mut wave = DVec2::ZERO;
        for distance in &distances {
            wave += at * *distance;
            at = at.rotate(step);
        }
        // The time of a crest is the surer, the higher and the faster its wave is.
        (wave.length() * angle, ops::atan2(wave.y, wave.x) / angle)
    });
    let strongest = waves.max_by(|(one, _), (other, _)| one.total_cmp(other));
    start as f64 + middle + strongest.unwrap_or_default().1
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::tests::{skeleton, take_of};

    /// A joint that swings is farthest from its mean place at a known time; a target beside the body flies about.
    #[test]
    fn one_of_the_samples_is_the_crest_wherever_the_first_frame_lies() {
        const SWINGS_HZ: f64 = 0.75;
        const FARTHEST_SECS: f64 = 2.711;
        let rows = [
            ("a", None, DVec3::ZERO),
            ("b", Some(0), DVec3::Y),
            ("pole", Some(0), DVec3::Y),
        ];
        let rates = [30.0, 60.0, 120.0].into_iter();
        for (rate_hz, late_frames) in rates.flat_map(|rate| [(rate, 0.0), (rate, 0.5)]) {
            let secs = |frame: f64| (frame + late_frames) / rate_hz;
            // Whole swings, so that their mean is the middle.
            let num_frames = (4.0 * rate_hz / SWINGS_HZ) as usize;
            let take = take_of(skeleton(&rows), 1.0 / rate_hz, num_frames, |frame, joint| {
                let time = secs(frame as f64);
                let place = match joint {
                    0 => DVec3::ZERO,
                    1 => DVec3::new(0.5 * ops::cos(TAU * SWINGS_HZ * (time - FARTHEST_SECS)), 1.0, 0.0),
                    _ => DVec3::new(ops::sin(40.0 * time * time), 3.0, time),
                };
                (place, DQuat::IDENTITY)
            });
            let own = Analysis::new(&take).unwrap();
            assert_eq!(own.body.controls, [2]);
            let off = secs(crest(&own)) - FARTHEST_SECS;
            assert!(off.abs() < 1e-6, "{rate_hz} Hz, {late_frames} frames late: {off} s");
            let (first, chosen) = even(&own).unwrap();
            let samples = (FARTHEST_SECS - secs(first)) / chosen.take.frame_time_secs();
            assert!(
                (samples - samples.round()).abs() < 1e-3,
                "{rate_hz} Hz, {late_frames} frames late: {samples}"
            );
        }
    }
}
