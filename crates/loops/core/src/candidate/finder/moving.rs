//! Searches for loops that move: the cheapest pairs of frames, judged by their rhythm and root motion.

use core::ops::RangeInclusive;

use super::{Finder, MAX_COST_RATIO, MAX_LOOKED_AT};
use crate::{
    analysis::ActivityKind,
    candidate::{
        FoundLoops, LoopCandidate, MissReason, RootMotionBounds, SeamPair, Steadiness, refine,
        rhythm::{self, Rhythm},
        search::Admission,
    },
    math::Twist,
    take::Cut,
};

/// Share by which rounding may lift a cost over the ratio above.
const COST_ROUNDING: f64 = 1e-9;

/// Factor over the lowest cost of any length up to which the fewest cycles are preferred.
const COST_ALLOWANCE: f64 = 1.25;

/// Costs below this share of the random median count as equal: the best gaits reach 0.03, smaller differences are not visible,
/// and an exact repeat has no best multiple.
const EVEN_COST_RATIO: f64 = 0.04;

/// Number of single-cycle loops that are added to a list of longer or uneven ones, and numbers of pairs examined for them: by
/// their rhythm, which is slow, and by the path of the body alone.
const SINGLE_CYCLES: usize = 10;
const SINGLE_CYCLES_LOOKED_AT: usize = 40;
const PATHS_LOOKED_AT: usize = 1000;

impl Finder<'_> {
    /// Finds loops that move: the recommended one first, then by cost.
    pub(super) fn search_moving(&self, usable: &[bool], lags: RangeInclusive<usize>) -> FoundLoops {
        let mut found = self.nothing();
        let Some(random_cost) = self.random_cost.filter(|&cost| cost > 0.0) else {
            return found;
        };
        let admission = Admission::new(
            self.source.analysis.activity.kinds(),
            usable,
            lags,
            ActivityKind::Moving,
        );
        let mut sound = self.collect(&admission, random_cost, &mut found);
        if found.candidates.is_empty()
            && let Some(lags) = self.lags_of_cycles(&found)
        {
            // Cheaper pairs with other numbers of cycles may have used up the limit of examined pairs.
            sound = self.collect(&admission.with_lags(lags), random_cost, &mut found);
        }
        if let Some(best) = sound.or_else(|| found.candidates.first().cloned()) {
            let chosen = self.fewest_cycles(best, &admission, random_cost);
            self.put_first(&mut found.candidates, chosen);
            self.add_single_cycles(&mut found.candidates, &admission, random_cost);
        }
        found
    }

    /// Adds loops of a single cycle to a list to choose from, those with an even pace and turn: cheaper ones of several cycles
    /// or of a pivot may have kept them out.
    fn add_single_cycles(&self, candidates: &mut Vec<LoopCandidate>, admission: &Admission, random_cost: f64) {
        let first = &candidates[0];
        if !self.settings.ranks_by_outcome() || self.settings.cycles.is_some() || first.cycles == 0 {
            return;
        }
        let period = first.cut.num_frames() / f64::from(first.cycles);
        let lags = lags_of(1, period);
        // Cycles at the edges of a take seem cheap, since there is nothing to compare them with.
        for is_wanted in [Steadiness::is_even, Steadiness::is_known_even] {
            let pairs = self.pairs(&admission.with_lags(lags.clone()), MAX_COST_RATIO * random_cost);
            let singles = pairs
                .take(PATHS_LOOKED_AT)
                .filter(|pair| {
                    let ends = [pair.start_frame as f64, pair.end_frame as f64];
                    is_wanted(&Steadiness::of(self.source.analysis, ends, 1))
                })
                .take(SINGLE_CYCLES_LOOKED_AT)
                .filter_map(|pair| self.judge(&pair, random_cost).ok())
                .filter(|found| found.cycles == 1);
            for single in singles.take(SINGLE_CYCLES) {
                if !candidates.iter().any(|other| self.is_similar(other, &single)) {
                    candidates.push(single);
                }
            }
        }
    }

    /// Adds the distinct loops that qualify, cheapest first, and returns the first sound one among all that were examined.
    fn collect(&self, admission: &Admission, random_cost: f64, found: &mut FoundLoops) -> Option<LoopCandidate> {
        let limit = self.settings.max_candidates.max(1);
        let mut sound: Option<LoopCandidate> = None;
        let mut looked_at = 0;
        // Pairs that cost more are not repeats; if all do, listing many of them would be slow.
        let max_cost = MAX_COST_RATIO * random_cost * (1.0 + COST_ROUNDING);
        let mut pairs = self.pairs(admission, max_cost);
        loop {
            if looked_at == MAX_LOOKED_AT || (found.candidates.len() >= limit && sound.is_some()) {
                break;
            }
            let Some(pair) = pairs.next() else {
                if found.nearest_miss.is_none() {
                    // Even the cheapest pair costs too much.
                    found.nearest_miss = pairs.next_beyond().map(|pair| {
                        let found = pair.cost / random_cost;
                        self.miss(pair, MissReason::CostRatio { found })
                    });
                }
                break;
            };
            let judged = match self.out_of_bounds(&pair) {
                Some(found) if pair.cost <= MAX_COST_RATIO * random_cost => Err(MissReason::RootMotion { found }),
                _ => {
                    looked_at += 1;
                    self.judge(&pair, random_cost)
                }
            };
            match judged {
                Ok(candidate) => {
                    if sound.is_none() && candidate.is_sound() {
                        sound = Some(candidate.clone());
                    }
                    if found.candidates.len() < limit {
                        found.candidates.push(candidate);
                    }
                }
                Err(reason) => {
                    // A repeat that only does not meet the request is the nearest miss.
                    let known = found.nearest_miss.map(|known| known.reason.is_of_request());
                    if known.is_none_or(|known| reason.is_of_request() && !known) {
                        found.nearest_miss = Some(self.miss(pair, self.in_full(&pair, reason)));
                    }
                    if matches!(reason, MissReason::CostRatio { .. }) {
                        // All later pairs cost more.
                        break;
                    }
                }
            }
        }
        sound
    }

    /// Replaces the rough root motion of a reason by that of the pair itself.
    fn in_full(&self, pair: &SeamPair, reason: MissReason) -> MissReason {
        match reason {
            MissReason::RootMotion { .. } => {
                let cycles = self.rhythm(pair).map_or(1, |rhythm| rhythm.cycles);
                let (root, _) = self.source.root_motion(pair, cycles);
                MissReason::RootMotion { found: root.twist }
            }
            other => other,
        }
    }

    /// Returns the lengths of the requested number of cycles, if other pairs show the length of one.
    fn lags_of_cycles(&self, found: &FoundLoops) -> Option<RangeInclusive<usize>> {
        let asked = self.settings.cycles?;
        let miss = found.nearest_miss.as_ref()?;
        let MissReason::Cycles { found } = miss.reason else {
            return None;
        };
        let period = miss.pair.lag() as f64 / f64::from(found.max(1));
        Some(lags_of(asked, period))
    }

    /// Returns the root motion of a pair if the headings at its two ends alone show that it is far outside the bounds.
    ///
    /// The test is very cheap, so that such pairs do not use up the limit of examined pairs.
    fn out_of_bounds(&self, pair: &SeamPair) -> Option<Twist> {
        if self.settings.root_motion == RootMotionBounds::default() {
            return None;
        }
        let rough = self.source.rough_root_motion(pair);
        (!self.settings.root_motion.widened(rough.angular.y).admit(&rough)).then_some(rough)
    }

    /// Returns the pair as a candidate, or the reason why it is not one.
    pub(super) fn judge(&self, pair: &SeamPair, random_cost: f64) -> Result<LoopCandidate, MissReason> {
        let cost_ratio = pair.cost / random_cost;
        if cost_ratio > MAX_COST_RATIO {
            return Err(MissReason::CostRatio { found: cost_ratio });
        }
        let rhythm = self.rhythm(pair).ok_or(MissReason::SeenOnce)?;
        if rhythm.strength < rhythm::MIN_STRENGTH {
            return Err(MissReason::Strength { found: rhythm.strength });
        }
        if rhythm.prominence < rhythm::MIN_PROMINENCE {
            return Err(MissReason::NoRhythm {
                found: rhythm.prominence,
            });
        }
        if let Some(asked) = self.settings.cycles
            && asked != rhythm.cycles
        {
            return Err(MissReason::Cycles { found: rhythm.cycles });
        }
        let refined = self.refined(pair.start_frame, pair.lag(), rhythm);
        self.admitted(refined.ok_or(MissReason::SeenOnce)?)
    }

    /// Describes a stretch that moves, its end refined.
    fn refined(&self, start: usize, lag: usize, rhythm: Rhythm) -> Option<LoopCandidate> {
        let refined = refine::refine_lag(self.seams.comparison(), start, lag, rhythm.cycles);
        let cut = Cut::new(&self.source.analysis.take, start as f64, start as f64 + refined).ok()?;
        // The figures of a stretch are those of its nearest whole frames, whoever chose it.
        let near = self.pair(start, start + refined.round() as usize);
        Some(self.describe(&near, cut, Some(rhythm), false))
    }

    /// Describes a loop that was found on another take of the same motion; `start` and `length` are in frames of this take.
    pub(in crate::candidate) fn found_elsewhere(
        &self,
        start: usize,
        length: f64,
        found: &LoopCandidate,
    ) -> Option<LoopCandidate> {
        let take = &self.source.analysis.take;
        let lag = (length.round() as usize).min(take.last_frame().checked_sub(start)?);
        let pair = self.pair(start, start + lag);
        if found.is_idle {
            let cut = Cut::new(take, start as f64, pair.end_frame as f64).ok()?;
            return Some(self.describe_idle(&pair, cut));
        }
        let rhythm = Rhythm {
            cycles: found.cycles,
            strength: found.strength?,
            prominence: rhythm::MIN_PROMINENCE,
        };
        let rhythm = self.rhythm(&pair).map_or(rhythm, |own| Rhythm {
            cycles: found.cycles,
            ..own
        });
        self.refined(start, lag, rhythm)
    }

    /// Returns the candidate with the fewest cycles at a cost within the allowance of the best one's.
    fn fewest_cycles(&self, best: LoopCandidate, admission: &Admission, random_cost: f64) -> LoopCandidate {
        if self.settings.cycles.is_some() {
            return best;
        }
        let limit = (COST_ALLOWANCE * best.seam_cost).max(EVEN_COST_RATIO * random_cost);
        let period = best.cut.num_frames() / f64::from(best.cycles);
        (1..best.cycles)
            .find_map(|cycles| {
                self.pairs(&admission.with_lags(lags_of(cycles, period)), limit)
                    .take(MAX_LOOKED_AT)
                    .filter_map(|pair| self.judge(&pair, random_cost).ok())
                    .find(|found| found.cycles == cycles && found.is_sound() >= best.is_sound())
            })
            .unwrap_or(best)
    }

    /// Puts a candidate at the head of the list and removes similar ones.
    fn put_first(&self, candidates: &mut Vec<LoopCandidate>, first: LoopCandidate) {
        candidates.retain(|other| !self.is_similar(other, &first));
        candidates.insert(0, first);
        candidates.truncate(self.settings.max_candidates.max(1));
    }
}

/// Returns lengths in frames that are nearer to this many periods than to one more or less.
fn lags_of(cycles: u32, period_frames: f64) -> RangeInclusive<usize> {
    let cycles = f64::from(cycles);
    ((cycles - 0.5) * period_frames).ceil() as usize..=((cycles + 0.5) * period_frames).floor() as usize
}
