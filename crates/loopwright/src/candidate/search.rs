//! The search over all admissible pairs of frames: bound, prune, score exactly.
//!
//! Every start keeps its own best end; starts wait in a heap by exact cost. Taking the best pair out, and letting each start
//! whose best pair has been suppressed look again, emits pairs in the exact order of greedy suppression over all of them,
//! with memory that grows with the number of frames only.

use std::{cmp::Ordering, collections::BinaryHeap};

use super::score::SpringCost;
use crate::analysis::{
    energy::{Activity, Energy},
    features::Features,
};

/// Two source frames and the exact two-sided cost of the seam between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeamPair {
    /// Frame at which the loop starts.
    pub start_frame: usize,
    /// Frame whose pose meets the start's.
    pub end_frame: usize,
    /// Cost in metre-seconds.
    pub cost: f64,
}

impl SeamPair {
    /// Order of preference: cost, then start, then length.
    fn order(&self, other: &Self) -> Ordering {
        (self.cost.total_cmp(&other.cost))
            .then(self.start_frame.cmp(&other.start_frame))
            .then(self.end_frame.cmp(&other.end_frame))
    }
}

/// Heap entry: the largest is the pair to prefer.
struct Waiting(SeamPair);

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.order(&self.0)
    }
}

/// Which pairs may be loops.
#[derive(Clone, Debug, PartialEq)]
pub struct Admission {
    min_lag: usize,
    max_lag: usize,
    usable: Vec<bool>,
    /// Per frame, how many frames before it do not fit the activity asked for, and how many move.
    unfit_before: Vec<usize>,
    moving_before: Vec<usize>,
    min_moving_share: f64,
}

/// Share of a moving loop's frames that must move; the rest may be slower, but never idle.
const MIN_MOVING_SHARE: f64 = 0.8;

impl Admission {
    /// Pairs whose length in frames lies in `lags` and whose frames are all of one activity.
    ///
    /// [`Activity::Idle`] admits cuts of idle frames alone, any other cuts that move and never idle.
    pub fn new(energy: &Energy, usable: &[bool], lags: core::ops::RangeInclusive<usize>, activity: Activity) -> Self {
        let idle = activity == Activity::Idle;
        let (mut unfit_before, mut moving_before) = (vec![0], vec![0]);
        for (frame, &found) in energy.activities().iter().enumerate() {
            let fits = (found == Activity::Idle) == idle;
            unfit_before.push(unfit_before[frame] + usize::from(!fits));
            moving_before.push(moving_before[frame] + usize::from(found == Activity::Moving));
        }
        Self {
            min_lag: (*lags.start()).max(3),
            max_lag: *lags.end(),
            usable: usable.to_vec(),
            unfit_before,
            moving_before,
            min_moving_share: if idle { 0.0 } else { MIN_MOVING_SHARE },
        }
    }

    /// The same conditions with other lengths.
    pub fn with_lags(&self, lags: core::ops::RangeInclusive<usize>) -> Self {
        Self {
            min_lag: (*lags.start()).max(self.min_lag),
            max_lag: (*lags.end()).min(self.max_lag),
            ..self.clone()
        }
    }

    /// Whether the pair may be a loop.
    pub fn admits(&self, start_frame: usize, end_frame: usize) -> bool {
        let num_frames = self.usable.len();
        if end_frame >= num_frames || end_frame <= start_frame {
            return false;
        }
        let lag = end_frame - start_frame;
        let moving = self.moving_before[end_frame + 1] - self.moving_before[start_frame];
        (self.min_lag..=self.max_lag).contains(&lag)
            && self.usable[start_frame]
            && self.usable[end_frame]
            && self.unfit_before[end_frame + 1] == self.unfit_before[start_frame]
            && moving as f64 >= self.min_moving_share * (lag + 1) as f64
    }

    /// Ends that a start's pairs may have, before each is asked for by [`Self::admits`].
    fn ends_of(&self, start_frame: usize) -> core::ops::Range<usize> {
        let num_frames = self.usable.len();
        let from = (start_frame + self.min_lag).min(num_frames);
        let to = start_frame
            .saturating_add(self.max_lag)
            .saturating_add(1)
            .min(num_frames);
        from..to.max(from)
    }
}

/// Emits admissible pairs, best first, each at least `separation` frames away from every pair before it.
///
/// Two pairs are alike when both their starts and both their ends lie within the separation; of pairs that are alike only
/// the best in the order (cost, start, length) is emitted. The sequence is exact: it equals greedy suppression over the
/// list of all admissible pairs.
pub struct DistinctPairs<'a> {
    seams: Seams<'a>,
    admission: Admission,
    separation: usize,
    kept: Vec<SeamPair>,
    waiting: BinaryHeap<Waiting>,
}

impl<'a> DistinctPairs<'a> {
    /// Scores all admissible pairs as far as their bounds make it necessary.
    pub fn new(features: &'a Features, cost: SpringCost, admission: Admission, separation: usize) -> Self {
        let mut pairs = Self {
            seams: Seams::new(features, cost),
            admission,
            separation,
            kept: Vec::new(),
            waiting: BinaryHeap::new(),
        };
        for start_frame in 0..features.num_frames() {
            pairs.look_again(start_frame);
        }
        pairs
    }

    fn is_suppressed(&self, start_frame: usize, end_frame: usize) -> bool {
        self.kept.iter().any(|kept| {
            kept.start_frame.abs_diff(start_frame) <= self.separation
                && kept.end_frame.abs_diff(end_frame) <= self.separation
        })
    }

    /// Puts the best pair of a start that is not suppressed into the heap.
    fn look_again(&mut self, start_frame: usize) {
        let near: Vec<usize> = self
            .kept
            .iter()
            .filter(|kept| kept.start_frame.abs_diff(start_frame) <= self.separation)
            .map(|kept| kept.end_frame)
            .collect();
        let mut best: Option<SeamPair> = None;
        for end_frame in self.admission.ends_of(start_frame) {
            if !self.admission.admits(start_frame, end_frame)
                || near.iter().any(|&kept| kept.abs_diff(end_frame) <= self.separation)
            {
                continue;
            }
            let limit = best.map_or(f64::INFINITY, |best| best.cost);
            // A bound equal to the limit cannot win either: among equal costs the shorter pair came first.
            if !self.seams.bound_is_below(start_frame, end_frame, limit) {
                continue;
            }
            let cost = self.seams.cost(start_frame, end_frame);
            if cost < limit {
                best = Some(SeamPair {
                    start_frame,
                    end_frame,
                    cost,
                });
            }
        }
        self.waiting.extend(best.map(Waiting));
    }
}

impl Iterator for DistinctPairs<'_> {
    type Item = SeamPair;

    fn next(&mut self) -> Option<SeamPair> {
        while let Some(Waiting(pair)) = self.waiting.pop() {
            let suppressed = self.is_suppressed(pair.start_frame, pair.end_frame);
            if !suppressed {
                self.kept.push(pair);
            }
            self.look_again(pair.start_frame);
            if !suppressed {
                return Some(pair);
            }
        }
        None
    }
}

/// Seam costs between any two frames of a take.
pub struct Seams<'a> {
    features: &'a Features,
    cost: SpringCost,
    position_weight: f64,
    velocity_weight: f64,
}

impl<'a> Seams<'a> {
    /// Seams between frames of `features`, priced by `cost`.
    pub fn new(features: &'a Features, cost: SpringCost) -> Self {
        let (position_weight, velocity_weight) = cost.bound_weights();
        Self {
            features,
            cost,
            position_weight,
            velocity_weight,
        }
    }

    /// Exact two-sided cost of the seam from `end_frame` back to `start_frame`, metre-seconds, summed in axis order.
    pub fn cost(&self, start_frame: usize, end_frame: usize) -> f64 {
        let (x_end, x_start) = (self.features.positions(end_frame), self.features.positions(start_frame));
        let (v_end, v_start) = (
            self.features.velocities(end_frame),
            self.features.velocities(start_frame),
        );
        (0..self.features.num_axes())
            .map(|axis| {
                self.cost
                    .two_sided(x_end[axis] - x_start[axis], v_end[axis] - v_start[axis])
            })
            .sum()
    }

    /// Whether the lower bound of the cost stays below `limit`; gives up as soon as it does not.
    fn bound_is_below(&self, start_frame: usize, end_frame: usize, limit: f64) -> bool {
        const CHUNK: usize = 8;
        let (x_end, x_start) = (self.features.positions(end_frame), self.features.positions(start_frame));
        let (v_end, v_start) = (
            self.features.velocities(end_frame),
            self.features.velocities(start_frame),
        );
        let mut bound = 0.0;
        let axes = self.features.num_axes();
        let mut from = 0;
        while from < axes {
            let to = (from + CHUNK).min(axes);
            for axis in from..to {
                let position = self.position_weight * (x_end[axis] - x_start[axis]).abs();
                let velocity = self.velocity_weight * (v_end[axis] - v_start[axis]).abs();
                bound += position.max(velocity);
            }
            // Rounding may lift the sum above a cost it truly equals; the allowance keeps the bound a bound.
            if bound * (1.0 - 1e-12) >= limit {
                return false;
            }
            from = to;
        }
        true
    }

    /// Median cost of random pairs of usable frames at least `min_gap` frames apart; `None` where there are none.
    ///
    /// The pairs are the same for every run: a fixed generator draws them.
    pub fn random_median(&self, usable: &[bool], min_gap: usize) -> Option<f64> {
        const PAIRS: usize = 1000;
        let frames: Vec<usize> = (0..usable.len()).filter(|&frame| usable[frame]).collect();
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut draw = || {
            // Knuth's MMIX generator; the high bits are good enough to pick frames.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as usize) % frames.len().max(1)
        };
        let mut costs = Vec::with_capacity(PAIRS);
        // Short takes have few pairs far enough apart; give up after a bounded number of draws.
        for _ in 0..50 * PAIRS {
            let (left, right) = (draw(), draw());
            let (Some(&left), Some(&right)) = (frames.get(left), frames.get(right)) else {
                return None;
            };
            if left + min_gap.max(1) <= right {
                costs.push(self.cost(left, right));
                if costs.len() == PAIRS {
                    break;
                }
            }
        }
        costs.sort_by(f64::total_cmp);
        costs.get(costs.len() / 2).copied()
    }
}
