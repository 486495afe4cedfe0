//! Finds the cheapest jump between two loops: the phase of one to leave and the phase of the other to enter.
//!
//! All samples of one loop are compared with all samples of the other, exactly; a bound that never exceeds the cost skips most
//! (`transition::best`). The best pairs are refined between samples, both phases at once. Once the previous jump has faded, a
//! loop has the same state at the same phase of every cycle, so the result depends on the two loops and the fade alone. The cost
//! is the same in both directions, D(x, v) = D(-x, -v), and so is the pair of phases. Source: docs/math/blend.md.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use super::entry::{Entry, NUM_REFINEMENTS, SampledLoops, WeightedState};
use crate::transition::best::Bounds;
use loopwright_core::{
    feet::fade::SolvedFade,
    math::{Decay, TimeStep, ordered, smallest},
};

/// The cheapest jump from one loop into another.
#[value(Copy)]
pub struct Jump {
    /// Time in the loop that is left, seconds since its start, within its first cycle.
    pub exit_secs: f64,
    /// Time in the loop that is entered, and the cost.
    pub entry: Entry,
}

/// Number of exits whose best entries are refined: those with the lowest costs estimated between samples. With fewer, a better
/// one may be missed; each takes a fraction of a millisecond.
const NUM_REFINED: usize = 16;

/// Number of the best of these whose exits are refined as well: costs have several valleys of similar depth.
const NUM_REFINED_IN_BOTH: usize = 6;

/// Costs between samples are estimated for exits whose best sample costs at most this many times the cheapest. With less, a
/// better one may be missed, because in quick motion costs at samples exceed those between by up to a fifth.
const NEARLY_CHEAPEST: f64 = 1.25;

/// Most steps of the refinement of a pair, including those along a valley.
const MAX_STEPS: usize = 40;

/// A pair of phases, seconds in each loop, and the cost of a jump between them.
#[value(Copy)]
struct Pair {
    secs: [f64; 2],
    cost: f64,
}

/// The cheapest jumps between pairs of loops under one fade, computed on demand.
#[value]
pub(super) struct Jumps {
    pub fade: Decay,
    /// Keyed by the indices of two loops, the smaller first: from the first into the second.
    found: BTreeMap<[usize; 2], Pair>,
    /// Foot positions through the fades, from the first into the second; `None` if they cannot be held.
    pub feet: BTreeMap<[usize; 2], Option<Arc<SolvedFade>>>,
}

impl Jumps {
    pub(super) fn new(fade: Decay) -> Self {
        Self {
            fade,
            found: BTreeMap::new(),
            feet: BTreeMap::new(),
        }
    }

    /// Returns the cheapest jump from one loop into another.
    pub(super) fn between(&mut self, sampled: &SampledLoops, from: usize, to: usize) -> Jump {
        // One result serves both directions, so that rounding cannot make a loop wait when it is left where it was entered.
        let key = [from.min(to), from.max(to)];
        let fade = self.fade;
        let pair = *self
            .found
            .entry(key)
            .or_insert_with(|| sampled.cheapest_pair(key, fade));
        let [exit_secs, secs] = if from <= to {
            pair.secs
        } else {
            [pair.secs[1], pair.secs[0]]
        };
        Jump {
            exit_secs,
            entry: Entry { secs, cost: pair.cost },
        }
    }
}

impl SampledLoops {
    /// Returns the cheapest jump from the first of two loops to the second: the time at which each is left or entered, and its cost.
    fn cheapest_pair(&self, of: [usize; 2], decay: Decay) -> Pair {
        let clips = of.map(|index| &self.loops[index]);
        let [left, entered] = of.map(|index| &self.samples[index]);
        let entries: Vec<usize> = (0..entered.len()).collect();
        let bounds = Bounds::new(|entry: usize| entered[entry].state(), &entries, decay);
        // The entry that follows the cheapest entry of an exit is likely the cheapest of the next exit.
        let on = TimeStep::new(clips[1].step_secs()).nearest(clips[0].step_secs());
        let mut guess = 0;
        let best: Vec<(usize, f64)> = left
            .iter()
            .map(|state| {
                let found = bounds.best(state.state(), guess).unwrap_or((0, f64::INFINITY));
                guess = (found.0 + on) % entries.len();
                found
            })
            .collect();
        let cheapest = smallest(best.iter().map(|found| found.1));
        let estimates: Vec<f64> = left
            .iter()
            .zip(&best)
            .map(|(state, &(entry, cost))| {
                if cost <= NEARLY_CHEAPEST * cheapest {
                    estimate(state, entered, entry, decay)
                } else {
                    f64::INFINITY
                }
            })
            .collect();
        let mut exits: Vec<usize> = (0..estimates.len()).collect();
        exits.sort_by_key(|&exit| (ordered(estimates[exit]), exit));
        let mut pairs: Vec<Pair> = exits
            .iter()
            .take(NUM_REFINED)
            .map(|&exit| {
                let (entry, cost) = best[exit];
                let secs = entry as f64 * clips[1].step_secs();
                let entry = self.refined_entry(&left[exit], of[1], Entry { secs, cost }, decay);
                Pair {
                    secs: [exit as f64 * clips[0].step_secs(), entry.secs],
                    cost: entry.cost,
                }
            })
            .collect();
        pairs.sort_by_key(|pair| ordered(pair.cost));
        let mut pair = pairs[0];
        for &near in pairs.iter().take(NUM_REFINED_IN_BOTH) {
            let refined = self.refined(of, near, decay);
            if refined.cost < pair.cost {
                pair = refined;
            }
        }
        for (secs, clip) in pair.secs.iter_mut().zip(clips) {
            *secs = secs.rem_euclid(clip.period_secs());
        }
        pair
    }

    /// Refines a pair of samples: tries the nine pairs with half a sample's distance or none in each phase, then half of that.
    fn refined(&self, of: [usize; 2], mut pair: Pair, decay: Decay) -> Pair {
        let mut reach = 0.5;
        let mut halvings = NUM_REFINEMENTS;
        for _ in 0..MAX_STEPS {
            let before = pair.cost;
            let near: [[(f64, Cow<'_, WeightedState>); 3]; 2] = [0, 1].map(|side| {
                [0.0, -1.0, 1.0].map(|towards| {
                    let secs = pair.secs[side] + towards * reach * self.loops[of[side]].step_secs();
                    (secs, self.state(of[side], secs))
                })
            });
            for (exit_secs, left) in &near[0] {
                for (entry_secs, entered) in &near[1] {
                    let cost = left.state().cost(entered.state(), decay);
                    if cost < pair.cost {
                        pair = Pair {
                            secs: [*exit_secs, *entry_secs],
                            cost,
                        };
                    }
                }
            }
            // Continues along a diagonal valley with the same reach.
            if pair.cost >= before {
                reach *= 0.5;
                halvings -= 1;
                if halvings == 0 {
                    break;
                }
            }
        }
        pair
    }
}

/// Estimates the cost of the best entry near a sample by cubic interpolation of states between samples; for selection only.
fn estimate(left: &WeightedState, entered: &[WeightedState], sample: usize, decay: Decay) -> f64 {
    let count = entered.len();
    let at = |shift: f64| {
        // Catmull-Rom weights of the two samples on either side.
        let t = shift - shift.floor();
        let first = if shift < 0.0 {
            sample + 2 * count - 2
        } else {
            sample + 2 * count - 1
        };
        let weights = [
            0.5 * t * (t * (2.0 - t) - 1.0),
            0.5 * (t * t * (3.0 * t - 5.0) + 2.0),
            0.5 * t * (t * (4.0 - 3.0 * t) + 1.0),
            0.5 * t * t * (t - 1.0),
        ];
        let near = [0, 1, 2, 3].map(|index| &entered[(first + index) % count]);
        let mix = |of: fn(&WeightedState) -> &[f64]| -> Vec<f64> {
            (0..left.positions.len())
                .map(|axis| {
                    near.iter()
                        .zip(weights)
                        .map(|(state, weight)| weight * of(state)[axis])
                        .sum()
                })
                .collect()
        };
        let mixed = WeightedState {
            positions: mix(|state| &state.positions),
            velocities: mix(|state| &state.velocities),
        };
        left.state().cost(mixed.state(), decay)
    };
    let mut best = (0.0, at(0.0));
    let mut reach = 0.5;
    for _ in 0..NUM_REFINEMENTS {
        for shift in [best.0 - reach, best.0 + reach] {
            let cost = at(shift);
            if cost < best.1 {
                best = (shift, cost);
            }
        }
        reach *= 0.5;
    }
    best.1
}
