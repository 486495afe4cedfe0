//! The best frames for jumps: the cheapest entry for every exit, exactly, without a table in memory.
//!
//! For each exit the entry of the previous exit, advanced by a frame, gives a first limit. Entries whose feature form exceeds
//! the limit are skipped, sixteen at a time where the box of their features does. All other costs are exact, and memory grows
//! only with the number of frames.

use core::ops::Range;

use super::{Side, State, Transitions};
use loopwright_core::math::{Decay, TimeStep, ordered, percentile};

/// A jump is a local minimum if it is the cheapest within this time before and after, seconds.
const SEPARATION_SECS: f64 = 0.1;

/// A take is entered only if at least this much of it remains, seconds: the duration of a fade.
const LEAST_LEFT_SECS: f64 = 0.4;

/// Number of entries that share a box.
const RUN: usize = 16;

/// Number of axes after which a sum is compared with the limit.
const CHUNK: usize = 8;

/// A jump and its cost.
#[value(Copy)]
pub struct Crossing {
    /// The frame that is left.
    pub exit: usize,
    /// The frame that is entered.
    pub entry: usize,
    /// Exact cost, metre-seconds.
    pub cost: f64,
}

/// Costs of jumps from some exits to some entries.
#[value]
pub struct CostGrid {
    /// Frames that are left, in order.
    pub exits: Vec<usize>,
    /// Frames that are entered, in order.
    pub entries: Vec<usize>,
    /// Exact costs, metre-seconds, exit by exit.
    pub exact: Vec<f64>,
    /// Costs in feature form, in the same order.
    pub feature: Vec<f64>,
}

impl CostGrid {
    /// Returns the exact costs in ascending order, without those that are not finite numbers.
    pub fn sorted(&self) -> Vec<f64> {
        let mut sorted: Vec<f64> = self.exact.iter().copied().filter(|cost| cost.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        sorted
    }
}

impl Transitions {
    /// Computes the costs of all jumps between frames of two ranges. A range of more than `most` frames is reduced to that many,
    /// evenly spaced.
    ///
    /// Ranges are clamped to the motions.
    pub fn grid(&self, exits: Range<usize>, entries: Range<usize>, decay: Decay, most: usize) -> CostGrid {
        let exits = thinned(within(exits, self.num_exits()), most);
        let entries = thinned(within(entries, self.num_entries()), most);
        let (exact, feature) = exits
            .iter()
            .flat_map(|&exit| entries.iter().map(move |&entry| (exit, entry)))
            .map(|(exit, entry)| (self.cost(exit, entry, decay), self.feature_cost(exit, entry, decay)))
            .unzip();
        CostGrid {
            exact,
            feature,
            exits,
            entries,
        }
    }

    /// Finds the cheapest entry for every exit in a range, the earliest of a tie; bad exits are skipped.
    ///
    /// Takes are entered only if enough remains to play. Ranges are clamped to the motions.
    pub fn best_entries(&self, exits: Range<usize>, entries: Range<usize>, decay: Decay) -> Vec<Crossing> {
        let exits = within(exits, self.num_exits());
        let entries: Vec<usize> = within(entries, self.num_entries())
            .filter(|&entry| self.entered.can_be_entered(entry))
            .collect();
        let bounds = Bounds::new(|entry| self.entered.state(entry), &entries, decay);
        let mut best: Vec<Crossing> = Vec::new();
        for exit in exits.filter(|&exit| self.left.usable[exit]) {
            let guess = best.last().and_then(|last| {
                let secs = (exit - last.exit) as f64 * self.left.step_secs;
                let on = TimeStep::new(self.entered.step_secs).nearest(secs);
                entries.binary_search(&((last.entry + on) % self.num_entries())).ok()
            });
            best.extend(
                bounds
                    .best(self.left.state(exit), guess.unwrap_or(0))
                    .map(|(entry, cost)| Crossing { exit, entry, cost }),
            );
        }
        best
    }

    /// Finds the best jumps between two ranges of frames, cheapest first, at most `count`.
    ///
    /// One for each local minimum over the exits, with its best entry: exits within 0.1 s of a cheaper one are skipped. A single
    /// exit gives one jump for each local minimum over the entries. Ranges are clamped to the motions.
    pub fn best(&self, exits: Range<usize>, entries: Range<usize>, decay: Decay, count: usize) -> Vec<Crossing> {
        let exits = within(exits, self.num_exits());
        let single = exits.len() == 1;
        let mut all: Vec<Crossing> = if single {
            let exit = exits.start;
            within(entries, self.num_entries())
                .filter(|&entry| self.left.usable[exit] && self.entered.can_be_entered(entry))
                .map(|entry| Crossing {
                    exit,
                    entry,
                    cost: self.cost(exit, entry, decay),
                })
                .collect()
        } else {
            self.best_entries(exits, entries, decay)
        };
        all.sort_by_key(|crossing| (ordered(crossing.cost), crossing.exit, crossing.entry));
        // Only local minima count, not the slopes around them.
        let (side, frame_of): (&Side, fn(&Crossing) -> usize) = if single {
            (&self.entered, |crossing| crossing.entry)
        } else {
            (&self.left, |crossing| crossing.exit)
        };
        let mut cheaper = vec![false; side.usable.len()];
        let mut kept: Vec<Crossing> = Vec::new();
        for crossing in all {
            if kept.len() >= count {
                break;
            }
            let at = frame_of(&crossing);
            if !side.near(at).any(|frame| cheaper[frame]) {
                kept.push(crossing);
            }
            cheaper[at] = true;
        }
        kept
    }
}

impl Side {
    /// Returns frames closer to one than [`SEPARATION_SECS`], across the seam of a loop.
    fn near(&self, frame: usize) -> impl Iterator<Item = usize> + '_ {
        let count = self.usable.len();
        let reach = TimeStep::new(self.step_secs)
            .up(SEPARATION_SECS)
            .saturating_sub(1)
            .min(count);
        (0..=2 * reach)
            .map(move |step| frame + count + step - reach)
            .filter(move |&at| self.repeats || (count..2 * count).contains(&at))
            .map(move |at| at % count)
    }

    fn can_be_entered(&self, frame: usize) -> bool {
        let last = self.usable.len() - 1;
        let [all_secs, left_secs] = [last, last - frame].map(|frames| frames as f64 * self.step_secs);
        // A shorter take is entered in its first half.
        self.usable[frame] && (self.repeats || left_secs >= LEAST_LEFT_SECS.min(0.5 * all_secs))
    }
}

/// Returns a range clamped to `count`.
pub(super) fn within(range: Range<usize>, count: usize) -> Range<usize> {
    range.start.min(count)..range.end.min(count)
}

/// At most `most` frames of a range, evenly spaced.
fn thinned(range: Range<usize>, most: usize) -> Vec<usize> {
    let shown = range.len().min(most);
    (0..shown)
        .map(|index| range.start + index * range.len() / shown)
        .collect()
}

/// Features with one number per frame and axis, whose distances are lower bounds of costs.
pub(crate) struct Bounds<'a, F> {
    axes: usize,
    entered: F,
    entries: &'a [usize],
    decay: Decay,
    /// Frame-major, of the entries.
    features: Vec<f64>,
    /// Lowest and highest feature of each run of entries, run-major.
    lows: Vec<f64>,
    highs: Vec<f64>,
    /// Largest sum of the absolute parts of any entry's features; it bounds the rounding errors.
    size: f64,
}

impl<'a, 's, F: Fn(usize) -> State<'s>> Bounds<'a, F> {
    /// Prepares entries, given in order, whose states are `entered`.
    pub(crate) fn new(entered: F, entries: &'a [usize], decay: Decay) -> Self {
        let axes = entries.first().map_or(0, |&entry| entered(entry).positions.len());
        let mut bounds = Self {
            axes,
            entered,
            entries,
            decay,
            features: Vec::with_capacity(axes * entries.len()),
            lows: Vec::new(),
            highs: Vec::new(),
            size: 0.0,
        };
        for &entry in entries {
            let (features, size) = bounds.features_of((bounds.entered)(entry));
            bounds.features.extend(features);
            bounds.size = bounds.size.max(size);
        }
        // Without entries there are no axes, and nothing to divide.
        for run in bounds.features.chunks((RUN * axes).max(1)) {
            for axis in 0..axes {
                let (low, high) = percentile::extremes(run.iter().skip(axis).step_by(axes).copied());
                bounds.lows.push(low);
                bounds.highs.push(high);
            }
        }
        bounds
    }

    /// Returns a p + b u of all axes of a state, and the sum of the absolute values of the parts.
    fn features_of(&self, state: State) -> (Vec<f64>, f64) {
        let (a, b) = self.decay.area_weights();
        let parts = state
            .positions
            .iter()
            .zip(state.velocities)
            .map(|(p, u)| (a * p, b * u));
        (
            parts.clone().map(|(position, rate)| position + rate).collect(),
            parts.map(|(position, rate)| position.abs() + rate.abs()).sum(),
        )
    }

    /// Finds the cheapest entry from a state and its exact cost, the earliest of a tie; `guess` is the index of an entry that
    /// may be cheap. `None` if no cost is finite.
    pub(crate) fn best(&self, left: State, guess: usize) -> Option<(usize, f64)> {
        let cost = |entry: usize| left.cost((self.entered)(entry), self.decay);
        let first = *self.entries.get(guess)?;
        let mut best = (first, cost(first));
        let (at, size) = self.features_of(left);
        // Four times the rounding error of the features, their differences and sums.
        let slack = (size + self.size) * self.axes as f64 * 4.0 * f64::EPSILON;
        for run in 0..self.entries.len().div_ceil(RUN) {
            let limit = best.1 + slack;
            let lows = &self.lows[run * self.axes..(run + 1) * self.axes];
            let highs = &self.highs[run * self.axes..(run + 1) * self.axes];
            if exceeds(limit, &at, |axis, f| (lows[axis] - f).max(f - highs[axis]).max(0.0)) {
                continue;
            }
            for index in run * RUN..((run + 1) * RUN).min(self.entries.len()) {
                let features = &self.features[index * self.axes..(index + 1) * self.axes];
                if exceeds(best.1 + slack, &at, |axis, f| (features[axis] - f).abs()) {
                    continue;
                }
                let entry = self.entries[index];
                let found = cost(entry);
                if found < best.1 || (found == best.1 && entry < best.0) || best.1.is_nan() {
                    best = (entry, found);
                }
            }
        }
        best.1.is_finite().then_some(best)
    }
}

/// Whether the sum of terms over all axes exceeds a limit; stops as soon as it does.
fn exceeds(limit: f64, at: &[f64], term: impl Fn(usize, f64) -> f64) -> bool {
    let mut sum = 0.0;
    for (chunk, values) in at.chunks(CHUNK).enumerate() {
        for (index, &value) in values.iter().enumerate() {
            sum += term(chunk * CHUNK + index, value);
        }
        if sum > limit {
            return true;
        }
    }
    false
}
