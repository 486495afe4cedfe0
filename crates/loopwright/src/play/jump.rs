//! The cheapest jump between two loops: which phase of one to leave and which phase of the other to enter.
//!
//! All samples of one loop are compared with all samples of the other, exactly; a bound that never exceeds the cost skips most
//! (`transition::best`). The best pairs are refined between samples, both phases at once. Once the fade of the jump before has
//! ended, a loop is in the same state at every cycle's same phase, so the result depends on the two loops and the fade alone.
//! The cost is the same in both directions, D(x, v) = D(-x, -v), and so is the pair of phases. Source: docs/math/blend.md.

use std::collections::BTreeMap;

use super::entry::{Entry, NUM_REFINEMENTS, SampledLoops, WeightedState, motion};
use crate::{
    loop_clip::LoopClip,
    math::{decay::Decay, time_step::TimeStep},
    transition::best::Bounds,
};

/// The cheapest jump from one loop into another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// Time in the loop that is left, seconds since its start, within its first cycle.
    pub exit_secs: f64,
    /// Time in the loop that is entered, and the cost.
    pub entry: Entry,
}

/// Most local minima that are refined. Refined costs are lower by a few percent of themselves, so that the best pair of samples
/// need not become the cheapest; with fewer a better one may be missed, each takes a fraction of a millisecond.
const MAX_REFINED: usize = 4;

/// A pair of phases, seconds in each loop, and the cost of a jump between them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    secs: [f64; 2],
    cost: f64,
}

/// The cheapest jumps between pairs of loops under one fade, found when they are first asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Jumps {
    pub(super) fade: Decay,
    /// By the indices of two loops, the smaller first: from the first into the second.
    found: BTreeMap<[usize; 2], Pair>,
}

impl Jumps {
    pub(super) fn new(fade: Decay) -> Self {
        Self {
            fade,
            found: BTreeMap::new(),
        }
    }

    /// The cheapest jump from one loop into another.
    pub(super) fn between(&mut self, sampled: &SampledLoops, loops: &[LoopClip], from: usize, to: usize) -> Jump {
        // One result serves both directions: a loop that is left where it was entered need not wait for the sake of rounding.
        let key = [from.min(to), from.max(to)];
        let fade = self.fade;
        let pair = *(self.found)
            .entry(key)
            .or_insert_with(|| sampled.cheapest_pair(loops, key, fade));
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
    fn cheapest_pair(&self, loops: &[LoopClip], of: [usize; 2], decay: Decay) -> Pair {
        let clips = of.map(|index| &loops[index]);
        let [left, entered] = of.map(|index| &self.samples[index]);
        let entries: Vec<usize> = (0..entered.len()).collect();
        let bounds = Bounds::of(|entry: usize| entered[entry].state(), &entries, decay);
        // The cheapest entry of each exit; the next exit's is likely the next.
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
        let cost = |exit: usize| best[exit % best.len()].1;
        let cheapest = (0..best.len()).min_by(|&one, &other| cost(one).total_cmp(&cost(other)));
        // Other local minima over the exits may be cheaper between samples.
        let mut exits: Vec<usize> = (0..best.len())
            .filter(|&exit| cost(exit) < cost(exit + best.len() - 1) && cost(exit) <= cost(exit + 1))
            .chain(cheapest)
            .collect();
        exits.sort_by(|&one, &other| cost(one).total_cmp(&cost(other)).then(one.cmp(&other)));
        exits.dedup();
        exits.truncate(MAX_REFINED);
        let none = Pair {
            secs: [0.0; 2],
            cost: f64::INFINITY,
        };
        let mut pair = exits
            .into_iter()
            .map(|exit| {
                let (entry, cost) = best[exit];
                let secs = [exit as f64 * clips[0].step_secs(), entry as f64 * clips[1].step_secs()];
                self.refined(clips, Pair { secs, cost }, decay)
            })
            .fold(none, |best, pair| if pair.cost < best.cost { pair } else { best });
        for (secs, clip) in pair.secs.iter_mut().zip(clips) {
            *secs = secs.rem_euclid(clip.period_secs());
        }
        pair
    }

    /// The cheapest pair near a pair of samples: of the nine at half a sample's distance or none in each phase, then at half that.
    fn refined(&self, clips: [&LoopClip; 2], mut pair: Pair, decay: Decay) -> Pair {
        let state = |side: usize, secs: f64| motion(clips[side], secs, &self.weights);
        let mut reach = 0.5;
        for _ in 0..NUM_REFINEMENTS {
            let near: [[(f64, WeightedState); 3]; 2] = [0, 1].map(|side| {
                [0.0, -1.0, 1.0].map(|towards| {
                    let secs = pair.secs[side] + towards * reach * clips[side].step_secs();
                    (secs, state(side, secs))
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
            reach *= 0.5;
        }
        pair
    }
}
