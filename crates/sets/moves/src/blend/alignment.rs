//! Aligns the loops of a blend in time: by the contacts of their feet, or else by a shift.
//!
//! The body of each loop is sampled at the phase of the blend. Each leg has its own phase, from the times at which its foot
//! touches down and lifts: a walk lifts a foot after the other has landed, a run before, so that no single order of events fits
//! both. Derivation: docs/math/blend.md.

use super::{
    phase::{PhaseError, PhaseMap, inverse, left_and_right, middles},
    shift::align,
};
use loopwright_core::{analysis::Body, loop_clip::LoopClip, math::greatest, retarget::FollowedFeet};

/// Times are mixed in proportion to the distance of a cycle; a loop in place counts as this share of the farthest.
const LEAST_WAY: f64 = 0.2;

/// Maps the time of a blend to the time of each of its loops.
#[value]
pub(super) struct Alignment {
    /// For every loop, the share of its time at which the blend starts.
    pub phases: Vec<f64>,
    /// For every loop the phases of its body and its legs; or why it can only be shifted.
    gaits: Vec<Result<Gait, PhaseError>>,
    /// Distance that each loop travels in a cycle, metres.
    ways: Vec<f64>,
    /// The left and the right foot, if legs have phases of their own.
    feet: Option<[usize; 2]>,
}

/// The phases of a loop.
#[value]
struct Gait {
    body: PhaseMap,
    /// Per leg, left and right: its foot touches down at phase 0 and lifts at 1/2.
    legs: [PhaseMap; 2],
    /// The share of the body's map at which the blend starts.
    from: f64,
}

impl Gait {
    fn new(feet: &FollowedFeet, [left, right]: [usize; 2]) -> Result<Self, PhaseError> {
        let body = PhaseMap::through(&middles(feet, left), &middles(feet, right))?;
        let [left, right] = [left, right].map(|foot| {
            let [touch_downs, lifts] = [0, 1].map(|end| {
                // Counted from the body's start, so that they are in the same order in all loops.
                feet.stances(foot)
                    .into_iter()
                    .map(|stance| body.start() + (stance[end] - body.start()).rem_euclid(1.0))
                    .collect::<Vec<_>>()
            });
            PhaseMap::near(&touch_downs, &lifts)
        });
        Ok(Self {
            legs: [left?, right?],
            body,
            from: 0.0,
        })
    }
}

impl Alignment {
    /// Aligns loops, relative to their constant twists, by the foot contacts of each loop.
    pub(super) fn new(loops: &[LoopClip], body: Option<&Body>, feet: &[FollowedFeet]) -> Self {
        let mut phases = align(loops);
        let sides = body.ok_or(PhaseError::Feet).and_then(left_and_right);
        let mut gaits: Vec<Result<Gait, PhaseError>> = (0..loops.len())
            .map(|index| Gait::new(feet.get(index).ok_or(PhaseError::Feet)?, sides?))
            .collect();
        let first = gaits.iter().position(Result::is_ok);
        if let Some((first, Ok(gait))) = first.map(|first| (first, &gaits[first])) {
            let (expected, phase) = (gait.body.num_cycles(), gait.body.phase(phases[first]));
            for (index, gait) in gaits.iter_mut().enumerate() {
                let Ok(own) = gait else { continue };
                let found = own.body.num_cycles();
                if found != expected {
                    *gait = Err(PhaseError::Cycles { found, expected });
                    continue;
                }
                own.from = own.body.share(phase);
                if index != first {
                    phases[index] = own.from.rem_euclid(1.0);
                }
            }
        }
        let ways = || {
            loops
                .iter()
                .map(|clip| clip.root().twist.linear.length() * clip.period_secs())
        };
        let farthest = greatest(ways());
        // Loops that do not travel count equally.
        let least = if farthest > 0.0 { LEAST_WAY * farthest } else { 1.0 };
        Self {
            phases,
            gaits,
            ways: ways().map(|way| way.max(least)).collect(),
            feet: sides.ok(),
        }
    }

    /// Returns the map of a loop's body; or why it is only shifted.
    pub(super) fn map(&self, index: usize) -> Result<&PhaseMap, PhaseError> {
        self.gaits[index]
            .as_ref()
            .map(|gait| &gait.body)
            .map_err(|error| *error)
    }

    /// Returns, for every loop, the share of its time that a blend with these weights shows at a share of the blend's own time: for the
    /// body, or for the leg of a foot.
    pub(super) fn shares(&self, weights: &[f64], foot: Option<usize>, share: f64) -> Vec<f64> {
        let leg = foot.and_then(|foot| self.feet?.iter().position(|&of| of == foot));
        // For each loop with phases: its weight, its map, and the start of the map relative to the start of the blend.
        let maps: Vec<_> = self
            .gaits
            .iter()
            .zip(weights)
            .zip(&self.ways)
            .map(|((gait, weight), way)| {
                let gait = gait.as_ref().ok()?;
                let map = leg.map_or(&gait.body, |leg| &gait.legs[leg]);
                Some((weight * way, map, map.start() - gait.from))
            })
            .collect();
        let total: f64 = maps.iter().flatten().map(|(weight, ..)| weight).sum();
        let mean = |value: &dyn Fn(&PhaseMap, f64) -> f64| -> f64 {
            maps.iter()
                .flatten()
                .map(|(weight, map, start)| weight / total * value(map, *start))
                .sum()
        };
        let shifted = self.phases.iter().map(|phase| phase + share);
        if total <= 0.0 {
            return shifted.collect();
        }
        let start = mean(&|_, start| start);
        let phase = inverse(share, share - start, |phase| {
            let deviation = mean(&|map, _| map.deviation(phase));
            (start + phase + deviation, mean(&|map, _| map.slope(phase)))
        });
        let ahead = mean(&|map, start| start + map.deviation(phase));
        shifted
            .zip(&maps)
            .map(|(shifted, map)| shifted + map.map_or(0.0, |(_, map, start)| start + map.deviation(phase) - ahead))
            .collect()
    }
}
