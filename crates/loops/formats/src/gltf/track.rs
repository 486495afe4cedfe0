//! One property of one node over time, and the even grid on which all tracks are sampled.

use std::rc::Rc;

use glam::{DQuat, DVec3};

use super::{
    accessor::Accessors,
    error::GltfError,
    parts::{Interpolation, Sampler},
};
use crate::{
    even_keys::{self, EvenKeys, FRAME_RATES, OFF_GRID_FRAMES},
    limits::MAX_VALUE,
};

/// Keys of a translation, scale (3 numbers) or rotation (4, x y z w).
#[derive(Clone)]
pub(crate) struct Track {
    /// The times of the keys, increasing, at least one.
    pub(super) times: Rc<[f64]>,
    values: Rc<[f64]>,
    /// The number of values per key.
    pub(super) width: usize,
    pub(super) interpolation: Interpolation,
    /// Whether the value changes by more than the noise of single precision.
    pub(super) moves: bool,
}

/// A time this close to a key, in frames, counts as the key's time: single precision rounds times, and rounding must not miss a
/// step.
const SAME_TIME_FRAMES: f64 = 1e-3;

/// Values that differ by a smaller share, or from one by less, are equal: exporters recompute scales from matrices.
const STILL: f64 = 1e-5;

impl Track {
    /// Reads and checks keys of `width` numbers, or without it of any number, at least one, such as weights of shapes; `at` is the
    /// JSON position of the sampler.
    ///
    /// Errors: times that are not finite or do not increase, values that are not valid, a number of values that does not match
    /// the keys.
    pub(crate) fn read(
        accessors: &Accessors,
        sampler: &Sampler,
        width: Option<usize>,
        at: &str,
    ) -> Result<Self, GltfError> {
        let is_rotation = width == Some(4);
        let shape = match width {
            None => "SCALAR",
            Some(_) if is_rotation => "VEC4",
            Some(_) => "VEC3",
        };
        let times = read_times(accessors, sampler, at)?;
        let values = accessors.values(sampler.output, shape, &format!("{at}.output"))?;
        let per_key = sampler.interpolation.per_key();
        let expected = times.len().saturating_mul(per_key);
        let mut track = Self {
            width: width.unwrap_or(values.len() / expected),
            times,
            values,
            interpolation: sampler.interpolation,
            moves: false,
        };
        if track.width == 0 || track.values.len() != track.width.saturating_mul(expected) {
            return Err(GltfError::KeyCount {
                at: at.to_owned(),
                keys: track.times.len(),
                expected,
                found: track.values.len() / width.unwrap_or(1),
            });
        }
        track.moves = accessors.once([sampler.output, track.width, per_key], || {
            for (element, value) in track.values.chunks_exact(track.width).enumerate() {
                // Tangents of rotations have any length, including zero.
                let is_value = per_key == 1 || element % 3 == 1;
                let has_length = value.iter().map(|x| x * x).sum::<f64>() > 1e-12;
                let finite = value.iter().all(|x| x.abs() <= MAX_VALUE);
                if !finite || (is_rotation && is_value && !has_length) {
                    return Err(GltfError::KeyValue {
                        at: at.to_owned(),
                        key: element / per_key,
                    });
                }
            }
            Ok(track.has_motion())
        })?;
        Ok(track)
    }

    /// Returns the numbers at a time; constant before the first key and after the last.
    pub(crate) fn numbers_at(&self, secs: f64, frame_secs: f64) -> Vec<f64> {
        match self.span_at(secs, frame_secs) {
            Span::Key(key) => self.key(key).to_vec(),
            Span::Between { key, share, .. } if self.interpolation == Interpolation::Linear => {
                mixed([1.0 - share, share], [self.key(key), self.key(key + 1)])
            }
            Span::Between { key, share, secs } => {
                let [from, leaving, arriving, to] = hermite(share);
                mixed([from, leaving * secs, arriving * secs, to], self.spline(key))
            }
        }
    }

    fn has_motion(&self) -> bool {
        let first = self.key(0);
        let mut values = (1..self.times.len()).flat_map(|key| self.key(key).iter().zip(first));
        // Between equal keys the tangents of a spline may still move it.
        let mut elements = self.values.chunks_exact(self.width).enumerate();
        values.any(|(x, y)| (x - y).abs() > STILL * y.abs().max(1.0))
            || (self.interpolation == Interpolation::CubicSpline
                && elements.any(|(element, value)| element % 3 != 1 && value.iter().any(|x| x.abs() > STILL)))
    }

    fn key(&self, key: usize) -> &[f64] {
        match self.interpolation {
            Interpolation::CubicSpline => self.element(3 * key + 1),
            _ => self.element(key),
        }
    }

    fn element(&self, index: usize) -> &[f64] {
        &self.values[index * self.width..(index + 1) * self.width]
    }

    /// Returns a translation or scale at a time; constant before the first key and after the last.
    pub(crate) fn vector_at(&self, secs: f64, frame_secs: f64) -> DVec3 {
        match self.span_at(secs, frame_secs) {
            Span::Key(key) => DVec3::from_slice(self.key(key)),
            Span::Between { key, share, .. } if self.interpolation == Interpolation::Linear => {
                DVec3::from_slice(self.key(key)).lerp(DVec3::from_slice(self.key(key + 1)), share)
            }
            Span::Between { key, share, secs } => {
                let [from, leaving, arriving, to] = self.spline(key).map(DVec3::from_slice);
                let [first, out, into, last] = hermite(share);
                from * first + leaving * secs * out + arriving * secs * into + to * last
            }
        }
    }

    /// Returns a rotation at a time, of unit length.
    pub(crate) fn rotation_at(&self, secs: f64, frame_secs: f64) -> DQuat {
        let turned = match self.span_at(secs, frame_secs) {
            Span::Key(key) => DQuat::from_slice(self.key(key)),
            Span::Between { key, share, .. } if self.interpolation == Interpolation::Linear => {
                // The shorter direction, as the format requires.
                let [from, to] = [key, key + 1].map(|key| DQuat::from_slice(self.key(key)).normalize());
                from.slerp(to, share)
            }
            Span::Between { key, share, secs } => {
                let [from, leaving, arriving, to] = self.spline(key).map(DQuat::from_slice);
                let [first, out, into, last] = hermite(share);
                from * first + leaving * (secs * out) + arriving * (secs * into) + to * last
            }
        };
        // Halfway between opposite keys a spline may vanish; the previous key is used there.
        if turned.length() > 1e-9 {
            turned.normalize()
        } else {
            DQuat::from_slice(self.key(self.key_before(secs))).normalize()
        }
    }

    /// Returns the value of a key, its outgoing tangent, the incoming tangent of the next key, and the next value.
    fn spline(&self, key: usize) -> [&[f64]; 4] {
        [3 * key + 1, 3 * key + 2, 3 * key + 3, 3 * key + 4].map(|index| self.element(index))
    }

    /// Returns the last key at or before a time; the first one before all keys.
    fn key_before(&self, secs: f64) -> usize {
        self.times.partition_point(|&time| time <= secs).saturating_sub(1)
    }

    /// Returns what gives the value at a time: a single key before the first key, from the last one on, within
    /// [`SAME_TIME_FRAMES`] of a key, and between keys that step; else the two keys around it.
    fn span_at(&self, secs: f64, frame_secs: f64) -> Span {
        let key = self.key_before(secs);
        let near = SAME_TIME_FRAMES * frame_secs;
        let next = key + 1;
        if next >= self.times.len() || secs <= self.times[key] + near {
            return Span::Key(key);
        }
        if secs >= self.times[next] - near {
            return Span::Key(next);
        }
        if self.interpolation == Interpolation::Step {
            return Span::Key(key);
        }
        let length = self.times[next] - self.times[key];
        Span::Between {
            key,
            share: (secs - self.times[key]) / length,
            secs: length,
        }
    }
}

/// The position of a time among keys.
enum Span {
    /// At the key of that number, or as if it were.
    Key(usize),
    /// Between a key and the next: the share of the way, and the seconds from one to the other.
    Between { key: usize, share: f64, secs: f64 },
}

/// Returns the Hermite weights of the value at a key, the tangents there and at the next key, and the value there.
fn hermite(t: f64) -> [f64; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [
        2.0 * t3 - 3.0 * t2 + 1.0,
        t3 - 2.0 * t2 + t,
        t3 - t2,
        3.0 * t2 - 2.0 * t3,
    ]
}

/// Adds lists of numbers with weights.
fn mixed<const N: usize>(weights: [f64; N], parts: [&[f64]; N]) -> Vec<f64> {
    let sums = (0..parts[0].len()).map(|slot| {
        weights
            .iter()
            .zip(parts)
            .map(|(weight, part)| weight * part[slot])
            .sum()
    });
    sums.collect()
}

/// Latest time of a key, seconds: about three years.
const MAX_SECS: f64 = 1e8;

pub(crate) fn read_times(accessors: &Accessors, sampler: &Sampler, at: &str) -> Result<Rc<[f64]>, GltfError> {
    let position = format!("{at}.input");
    let times = accessors.values(sampler.input, "SCALAR", &position)?;
    accessors.once([sampler.input, 0, 0], || {
        let mut before = 0.0;
        for (key, &found) in times.iter().enumerate() {
            // Exporters that round may give two keys the same time, which is harmless.
            if !(found >= before && found <= MAX_SECS) {
                return Err(GltfError::KeyTime {
                    at: position,
                    key,
                    found,
                });
            }
            before = found;
        }
        Ok(true)
    })?;
    if times.is_empty() {
        return Err(GltfError::KeyCount {
            at: at.to_owned(),
            keys: 0,
            expected: 1,
            found: 0,
        });
    }
    Ok(times)
}

/// Even times on which tracks are sampled.
#[derive(Debug, PartialEq)]
pub(crate) struct Grid {
    pub start_secs: f64,
    pub step_secs: f64,
    pub num_frames: usize,
    /// Whether every key lies on it and it is not finer than the keys.
    pub is_keys_own: bool,
    /// The time of a last key off the grid.
    pub tail_secs: Option<f64>,
}

/// Sampling rates of exporters, per second. Keys of a thinned track still lie on multiples of them.
const USUAL_RATES: [f64; 12] = [
    12.0, 15.0, 24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 100.0, 120.0, 144.0, 240.0,
];

/// Rate used if the keys give none, per second.
const OWN_RATE: f64 = 60.0;

/// Evenly spaced keys below this rate are interpolated, per second.
const LEAST_RATE: f64 = 24.0;

impl Grid {
    /// Creates the grid from the times of all keys, in any order; at least one.
    ///
    /// A step stated in the file is used if all keys lie on its multiples; otherwise it is found from the keys. Curves between
    /// keys need more frames than straight lines, which end at keys.
    pub(crate) fn new(mut times: Vec<f64>, stated_step_secs: Option<f64>, has_curves: bool) -> Self {
        let rounding = even_keys::sort(&mut times);
        let (start, end) = (times[0], times[times.len() - 1]);
        let length = end - start;
        let grid = |num_steps: f64, is_keys_own| Self {
            start_secs: start,
            step_secs: if num_steps > 0.0 {
                length / num_steps
            } else {
                1.0 / OWN_RATE
            },
            num_frames: (num_steps as usize).saturating_add(1),
            is_keys_own,
            tail_secs: None,
        };
        if times.len() == 1 {
            return grid(0.0, false);
        }
        if let Some(even) = EvenKeys::with_tail(&times)
            .filter(|even| !has_curves || even.step_secs * LEAST_RATE < 1.0 + OFF_GRID_FRAMES)
        {
            return Self {
                start_secs: even.start_secs,
                step_secs: even.step_secs,
                num_frames: even.num_frames,
                is_keys_own: true,
                tail_secs: Some(even.tail_secs),
            };
        }
        let smallest = times
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .fold(f64::INFINITY, f64::min);
        let fits = |num_steps: f64| {
            let step = length / num_steps;
            let tolerance = (OFF_GRID_FRAMES * step).max(rounding);
            times.iter().all(|time| {
                let frame = (time - start) / step;
                (frame - frame.round()).abs() * step <= tolerance
            })
        };
        if let Some(step) = stated_step_secs.filter(|step| *step > 0.0) {
            let num_steps = (length / step).round();
            let is_of_length = (num_steps * step - length).abs() <= (OFF_GRID_FRAMES * step).max(rounding);
            if num_steps >= 1.0 && is_of_length && fits(num_steps) {
                return grid(num_steps, true);
            }
        }
        let own = (length / smallest).round();
        if fits(own) && own / length <= *FRAME_RATES.end() {
            let least = if has_curves { LEAST_RATE } else { *FRAME_RATES.start() };
            if own / length >= least * (1.0 - OFF_GRID_FRAMES) {
                return grid(own, true);
            }
            let finer = (LEAST_RATE * length / own).ceil();
            return grid(own * finer, false);
        }
        // Gaps of thinned tracks need not contain the step itself.
        let usual = USUAL_RATES.into_iter().map(|rate| (rate * length).round());
        if let Some(num_steps) = usual.filter(|&num_steps| num_steps >= 1.0).find(|&num_steps| {
            let rate = num_steps / length;
            fits(num_steps) && USUAL_RATES.iter().any(|usual| (rate / usual - 1.0).abs() < 1e-3)
        }) {
            return grid(num_steps, true);
        }
        grid((OWN_RATE * length).ceil().max(1.0), false)
    }

    pub(crate) fn secs(&self, frame: usize) -> f64 {
        self.start_secs + frame as f64 * self.step_secs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(interpolation: Interpolation, width: usize, times: &[f64], values: &[f64]) -> Track {
        let track = Track {
            times: times.into(),
            values: values.into(),
            width,
            interpolation,
            moves: false,
        };
        Track {
            moves: track.has_motion(),
            ..track
        }
    }

    #[test]
    fn steps_hold_and_lines_run_on() {
        let values = [0.0, 0.0, 0.0, 8.0, 4.0, 0.0];
        let step = track(Interpolation::Step, 3, &[1.0, 2.0], &values);
        let line = track(Interpolation::Linear, 3, &[1.0, 2.0], &values);
        for (secs, held, on_line) in [(0.0, 0.0, 0.0), (1.25, 0.0, 2.0), (2.0, 8.0, 8.0), (9.0, 8.0, 8.0)] {
            assert_eq!(step.vector_at(secs, 0.1).x, held);
            assert_eq!(line.vector_at(secs, 0.1).x, on_line);
        }
        // Rounded to just before the key.
        assert_eq!(step.vector_at(2.0 - 1e-7, 0.1).x, 8.0);
        assert!(line.moves && !track(Interpolation::Linear, 3, &[0.0, 1.0], &[1.0; 6]).moves);
    }

    #[test]
    fn a_spline_follows_its_cubic() {
        // x(t) = t^3 between 0 and 2: value, slope 0 and 12; tangents are per second.
        let mut values = vec![0.0; 18];
        (values[9], values[12]) = (12.0, 8.0);
        let spline = track(Interpolation::CubicSpline, 3, &[0.0, 2.0], &values);
        for secs in [0.0, 0.3, 1.0, 1.7, 2.0] {
            assert!(
                (spline.vector_at(secs, 1e-3).x - secs * secs * secs).abs() < 1e-12,
                "{secs}"
            );
        }
    }

    #[test]
    fn rotations_take_the_short_way_whatever_their_signs() {
        let (from, to) = (DQuat::from_rotation_y(0.2), -DQuat::from_rotation_y(1.0));
        let values = [from.to_array(), to.to_array()].concat();
        let line = track(Interpolation::Linear, 4, &[0.0, 1.0], &values);
        assert!(line.rotation_at(0.25, 0.1).angle_between(DQuat::from_rotation_y(0.4)) < 1e-7);
    }

    #[test]
    fn keys_give_their_rate() {
        let at = |frames: &[f64], rate: f64| {
            Grid::new(
                frames.iter().map(|frame| f64::from((frame / rate) as f32)).collect(),
                None,
                false,
            )
        };
        let even = at(&[1.0, 2.0, 3.0, 4.0], 30.0);
        assert_eq!((even.num_frames, even.is_keys_own), (4, true));
        assert!((even.step_secs - 1.0 / 30.0).abs() < 1e-8 && (even.start_secs - 1.0 / 30.0).abs() < 1e-8);
        // Thinned: the gaps are 3, 5 and 4 frames of 24.
        let thinned = at(&[0.0, 3.0, 8.0, 12.0], 24.0);
        assert_eq!((thinned.num_frames, thinned.is_keys_own), (13, true));
        // Half a second apart: sampled between the keys.
        let sparse = at(&[0.0, 1.0, 2.0], 2.0);
        assert_eq!((sparse.num_frames, sparse.is_keys_own), (25, false));
        // A tenth of a second apart: enough for straight lines, too few for a curve.
        let tenths = |has_curves: bool| Grid::new(vec![0.0, 0.1, 0.2, 0.3], None, has_curves);
        assert_eq!((tenths(false).num_frames, tenths(false).is_keys_own), (4, true));
        assert_eq!((tenths(true).num_frames, tenths(true).is_keys_own), (10, false));
        let uneven = Grid::new(vec![0.0, 0.1234, 0.5678, 1.0], None, false);
        assert_eq!((uneven.num_frames, uneven.is_keys_own), (61, false));
        assert_eq!(Grid::new(vec![0.5], None, false).num_frames, 1);
    }

    /// A loop of five frames per second was once read back with 24, and closed with the gap of a whole frame.
    #[test]
    fn a_stated_step_counts_where_all_keys_lie_on_it() {
        for rate in [0.5, 5.0, 2000.0, 60_000.0] {
            let times: Vec<f64> = (0..12)
                .map(|frame| f64::from((f64::from(frame) / rate) as f32))
                .collect();
            let grid = Grid::new(times.clone(), Some(1.0 / rate), false);
            assert_eq!((grid.num_frames, grid.is_keys_own), (12, true), "{rate}");
            // A stated step that does not fit is ignored.
            assert_eq!(
                Grid::new(times.clone(), Some(1.3 / rate), false),
                Grid::new(times, None, false),
                "{rate}"
            );
        }
    }
}
