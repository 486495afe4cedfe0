//! Measures whether a stretch repeats around a pair of frames, and how many fundamental periods the pair spans.
//!
//! Autocorrelation of a whole take says little if the take changes. Here only the frames around the pair are used, through the
//! mean squared distance of poses one lag apart.

use core::ops::Range;

use super::{comparison::PoseComparison, remembered::Remembered};
use crate::math::smallest;

/// How well a stretch repeats at a lag.
#[value(Copy)]
pub struct Rhythm {
    /// Similarity of the stretch to itself one lag later: 1 for an exact repeat, 0 for unrelated poses.
    pub strength: f64,
    /// How far the similarity falls between the lag and its neighbours.
    pub prominence: f64,
    /// Fundamental periods in the lag.
    pub cycles: u32,
}

/// Similarity that a repeat must reach.
pub const MIN_STRENGTH: f64 = 0.6;

/// Prominence that a repeat must reach; slow drift is similar at every lag and has none.
pub const MIN_PROMINENCE: f64 = 0.1;

/// Share of the lag that must be seen twice: a single cycle does not prove a repeat.
const MIN_OVERLAP_SHARE: f64 = 0.25;

/// A fraction of the lag is also a period when its similarity reaches this share of the whole lag's.
const SUBPERIOD_SHARE: f64 = 0.8;

/// Most fundamental periods distinguished in one pair, ...
const MAX_CYCLES: usize = 24;

/// ... none of them shorter than this, seconds.
const MIN_PERIOD_SECS: f64 = 0.25;

/// Fewest consecutive cycles that are not due to chance, ...
const CYCLES_ALIKE: u32 = 3;

/// ... each like the next from this similarity on; the period of a gait varies by this share from one to the next.
const ALIKE: f64 = 0.85;
const RATE_REACH: f64 = 0.06;

/// Lags and frames are thinned to about this many per cycle; similarity varies slowly with both.
const RESOLUTION: usize = 48;

/// Cached squared distances of poses.
#[derive(Debug)]
pub struct PoseDistances<'a> {
    comparison: PoseComparison<'a>,
    /// By frame and lag.
    remembered: Remembered,
}

impl<'a> PoseDistances<'a> {
    /// Creates a cache for these poses.
    pub fn new(comparison: PoseComparison<'a>) -> Self {
        Self {
            comparison,
            // Half of all pairs have the first frame first, and about half of these a requested lag.
            remembered: Remembered::new(comparison.num_frames().saturating_pow(2) / 4),
        }
    }

    /// Returns the squared distance between a pose and the compared form of the pose `lag` frames later, square metres.
    fn squared(&self, frame: usize, lag: usize) -> f64 {
        self.remembered
            .get(frame, lag, || self.comparison.squared_distance(frame, frame + lag))
    }
}

/// Measures the repeat around a pair `lag` frames apart that starts at `start_frame`.
///
/// `None` if the take around it is too short to show a quarter of the cycle twice.
pub fn measure(distances: &PoseDistances, start_frame: usize, lag: usize, frame_time_secs: f64) -> Option<Rhythm> {
    let window = Window::around(distances, start_frame, lag)?;
    let around = |lag: f64| {
        // The lag is only known to about a frame, and repeats vary a little.
        let reach = ((0.03 * lag).round() as usize).max(1);
        let lag = lag.round() as usize;
        (lag.saturating_sub(reach)..=lag + reach)
            .filter_map(|lag| window.similarity(lag))
            .fold(f64::NEG_INFINITY, f64::max)
    };
    let strength = around(lag as f64);
    let cycles = (2..=MAX_CYCLES)
        .rev()
        .filter(|&cycles| distances.comparison.pairing().divides_into(cycles))
        .filter(|&cycles| lag as f64 / cycles as f64 * frame_time_secs >= MIN_PERIOD_SECS)
        .find(|&cycles| {
            let part = lag as f64 / cycles as f64;
            let similarity = around(part);
            similarity >= SUBPERIOD_SHARE * strength && similarity >= MIN_STRENGTH && {
                let trough = window.trough(0.3 * part, 0.95 * part);
                similarity - trough >= MIN_PROMINENCE
            }
        })
        .unwrap_or(1);
    let period = lag as f64 / cycles as f64;
    let before = window.trough(lag as f64 - 0.7 * period, lag as f64);
    let after = window.trough(lag as f64, lag as f64 + 0.7 * period);
    // The take may end after the lag; then only the fall before it is used.
    let valley = if after.is_finite() { before.max(after) } else { before };
    Some(Rhythm {
        strength,
        prominence: strength - valley,
        cycles: cycles as u32,
    })
}

/// Whether at least three consecutive cycles, those of a pair and one beside them, are each like the next, which is not due to
/// chance.
///
/// The pair is `lag` frames long, starts at `start_frame` and holds so many cycles.
pub fn goes_on_alike(distances: &PoseDistances, start_frame: usize, lag: usize, cycles: u32) -> bool {
    let Some(window) = Window::around(distances, start_frame, lag) else {
        return false;
    };
    let num_frames = distances.comparison.num_frames();
    let period = lag as f64 / f64::from(cycles.max(1));
    let frames = period.round() as usize;
    let reach = (RATE_REACH * period).round() as usize;
    // From the start of a cycle; the next one begins about a period later.
    let is_like_next = |&start: &usize| {
        let lags = (frames - reach..=frames + reach).filter(|lag| start + frames + lag <= num_frames);
        let nearest = lags.map(|lag| window.distance(start..start + frames, lag));
        1.0 - smallest(nearest) / (2.0 * window.variance) >= ALIKE
    };
    let wanted = CYCLES_ALIKE.max(cycles + 1) as usize - 1;
    let after = (0..wanted)
        .map(|index| start_frame + (index as f64 * period).round() as usize)
        .take_while(is_like_next)
        .count();
    let earlier = (1..=wanted - after)
        .map_while(|index| start_frame.checked_sub((index as f64 * period).round() as usize))
        .take_while(is_like_next);
    after + earlier.count() >= wanted
}

/// Frames around a pair, with the variance of their poses.
struct Window<'a> {
    distances: &'a PoseDistances<'a>,
    from: usize,
    to: usize,
    min_overlap: usize,
    variance: f64,
}

impl<'a> Window<'a> {
    fn around(distances: &'a PoseDistances<'a>, start_frame: usize, lag: usize) -> Option<Self> {
        let features = distances.comparison.features();
        let half = lag / 2;
        let last = distances.comparison.num_frames() - 1;
        let from = start_frame.saturating_sub(half);
        let to = (start_frame + lag + half).min(last);
        let stride = ((to - from) / (4 * RESOLUTION)).max(1);
        let frames = || (from..=to).step_by(stride);
        let variance = features.spread(frames) / frames().count() as f64;
        let min_overlap = ((MIN_OVERLAP_SHARE * lag as f64) as usize).max(2);
        let window = Self {
            distances,
            from,
            to,
            min_overlap,
            variance,
        };
        (variance > 0.0 && window.similarity(lag).is_some()).then_some(window)
    }

    /// Returns 1 - d / (2 variance), with d the mean squared distance over the window; `None` if too little of it overlaps.
    fn similarity(&self, lag: usize) -> Option<f64> {
        let last = self.to.checked_sub(lag)?;
        let overlap = (last + 1).checked_sub(self.from)?;
        if overlap < self.min_overlap {
            return None;
        }
        Some(1.0 - self.distance(self.from..last + 1, lag) / (2.0 * self.variance))
    }

    /// Returns the mean squared distance of poses of these frames from those `lag` frames later, square metres.
    fn distance(&self, frames: Range<usize>, lag: usize) -> f64 {
        let stride = (frames.len() / RESOLUTION).max(1);
        let (mut sum, mut count) = (0.0, 0.0);
        for frame in frames.step_by(stride) {
            sum += self.distances.squared(frame, lag);
            count += 1.0;
        }
        sum / count
    }

    /// Returns the lowest similarity between two lags; infinite if none is known.
    fn trough(&self, from: f64, to: f64) -> f64 {
        let (from, to) = (from.max(1.0).ceil() as usize, to.floor() as usize);
        let stride = (to.saturating_sub(from) / RESOLUTION).max(1);
        smallest((from..=to).step_by(stride).filter_map(|lag| self.similarity(lag)))
    }
}
