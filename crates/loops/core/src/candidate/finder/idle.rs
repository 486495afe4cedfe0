//! Searches for idle loops: long, cheap, and so still that the root can rest.

use core::ops::RangeInclusive;

use super::{Finder, MAX_LOOKED_AT};
use crate::{
    analysis::{ActivityKind, Analysis, MotionKind},
    candidate::{FoundLoops, LoopCandidate, MissReason, SeamPair, search::Admission},
    math::{Twist, greatest, ordered, rotation, smallest},
    root_motion::poses,
    take::Cut,
};

/// Lengths of idle loops that are tried, seconds: the longer, the less a repeat is noticed. Shorter ones look like twitches, and
/// are used only if a take has none of these.
const IDLE_SECS: [f64; 7] = [9.0, 7.5, 6.0, 5.0, 4.0, 3.0, 2.0];
const LEAST_IDLE_SECS: f64 = 1.4;

/// Factor by which a longer idle loop may exceed the cost of the cheapest, ...
const IDLE_COST_ALLOWANCE: f64 = 2.0;

/// ... or absolute difference, metre-seconds at the size of an adult: the cost of a gap of half a centimetre at every compared
/// joint, which closing hides in a slow body.
const IDLE_UNSEEN_COST: f64 = 4e-3;

/// Largest cost of an idle loop as a share of random pairs: in a calm take all pairs are cheap.
const MAX_IDLE_COST_RATIO: f64 = 1.0;

/// Largest distance of a joint from its start, metres at the size of an adult, and turn of the body, radians: the root of an
/// idle loop rests, and closing removes the rest.
const IDLE_GAP_METRES: f64 = 0.05;
const IDLE_GAP_RADIANS: f64 = 3.0_f64.to_radians();

/// A joint that moves this far from its pose at the start, once, and returns makes a gesture, metres at the size of an adult: shifting
/// weight from foot to foot moves joints by half as much.
const GESTURE_METRES: f64 = 0.25;

/// An idle part that is a gesture, with rests before and after it, represents the take from this share on.
const LEAST_SHARE: f64 = 0.6;

impl Finder<'_> {
    /// Finds idle loops: the best seam of each length, first the longest of those that are hardly worse than the best.
    ///
    /// An idle body has no rhythm, so the cheapest seam is that of some short stretch, which looks like a twitch when it
    /// repeats.
    pub(super) fn search_idle(&self, usable: &[bool], lags: RangeInclusive<usize>) -> FoundLoops {
        let analysis = self.source.analysis;
        let mut found = self.longest_idle(&IDLE_SECS, &lags, |lags| {
            Admission::new(analysis.activity.kinds(), usable, lags, ActivityKind::Idle)
        });
        // An idle take may have livelier moments throughout.
        if found.candidates.is_empty() && self.is_idle_throughout() {
            let lengths: Vec<f64> = IDLE_SECS.into_iter().chain([LEAST_IDLE_SECS]).collect();
            found = self.longest_idle(&lengths, &lags, |lags| Admission::of_any_activity(usable, lags));
        }
        let costs = found.candidates.iter().map(|idle| idle.seam_cost);
        let cheapest = smallest(costs);
        let unseen = IDLE_UNSEEN_COST * analysis.body.size(&analysis.take);
        let allowed = (IDLE_COST_ALLOWANCE * cheapest).max(unseen);
        // Lengths decrease, so the first good one is the longest.
        if let Some(first) = found.candidates.iter().position(|idle| idle.seam_cost <= allowed) {
            let first = found.candidates.remove(first);
            found.candidates.sort_by_key(|idle| ordered(idle.seam_cost));
            found.candidates.insert(0, first);
        }
        found.candidates.truncate(self.settings.max_candidates.max(1));
        found
    }

    /// Whether no part of the take travels or makes a large motion.
    fn is_idle_throughout(&self) -> bool {
        let mut segments = self.source.analysis.segments.iter();
        segments.all(|segment| segment.gait.kind == MotionKind::Idle)
    }

    /// Returns the cheapest idle loop of each length.
    fn longest_idle(
        &self,
        lengths: &[f64],
        lags: &RangeInclusive<usize>,
        admitted: impl Fn(RangeInclusive<usize>) -> Admission,
    ) -> FoundLoops {
        let mut found = self.nothing();
        let analysis = self.source.analysis;
        let weights = poses::fit_weights(analysis);
        let joints: Vec<usize> = (0..weights.len()).filter(|&joint| weights[joint] > 0.0).collect();
        for &secs in lengths {
            let longest = (*lags.start()).max(self.source.step().nearest(secs))..=*lags.end();
            if longest.is_empty() {
                continue;
            }
            for pair in self.pairs(&admitted(longest), f64::MAX).take(MAX_LOOKED_AT) {
                // Nearly all pairs of a take without an idle loop fail here, so nothing else is computed for them.
                if !self.meets_at_rest(&pair, &joints) {
                    let moved = || MissReason::RootMotion {
                        found: self.source.root_motion(&pair, 1).0.twist,
                    };
                    found.nearest_miss.get_or_insert_with(|| self.miss(pair, moved()));
                    continue;
                }
                match self.judge_idle(&pair) {
                    Ok(candidate) => {
                        if !found.candidates.iter().any(|other| self.is_similar(other, &candidate)) {
                            found.candidates.push(candidate);
                        }
                        break;
                    }
                    Err(reason) => {
                        found.nearest_miss.get_or_insert(self.miss(pair, reason));
                    }
                }
            }
        }
        found
    }

    /// Whether the poses of a pair meet without root motion, so that the root can rest.
    fn meets_at_rest(&self, pair: &SeamPair, joints: &[usize]) -> bool {
        let analysis = self.source.analysis;
        let (world, heading) = (&analysis.world, &analysis.heading);
        let (start, end) = (pair.start_frame, pair.end_frame);
        let gap = |&joint: &usize| world.position(start, joint).distance(world.position(end, joint));
        let turned = rotation::wrap_angle(heading.yaw(end) - heading.yaw(start)).abs();
        let most = IDLE_GAP_METRES * analysis.body.size(&analysis.take);
        turned <= IDLE_GAP_RADIANS && joints.iter().all(|joint| gap(joint) <= most)
    }

    /// Describes a stretch whose root rests.
    pub(super) fn describe_idle(&self, pair: &SeamPair, cut: Cut) -> LoopCandidate {
        LoopCandidate {
            twist: Twist::default(),
            ..self.describe(pair, cut, None, true)
        }
    }

    /// Judges an idle pair whose poses meet as a candidate.
    fn judge_idle(&self, pair: &SeamPair) -> Result<LoopCandidate, MissReason> {
        let analysis = self.source.analysis;
        let (start, end) = (pair.start_frame, pair.end_frame);
        let cut = Cut::new(&analysis.take, start as f64, end as f64).map_err(|_| MissReason::SeenOnce)?;
        // A gesture is not idle; nor is a part in which one is held, unless idle loops are requested.
        let last = analysis.take.last_frame();
        let is_part_of_one = ((end - start) as f64) < LEAST_SHARE * last as f64
            && self.is_idle_throughout()
            && is_gesture(analysis, 0, last);
        if is_part_of_one && !self.settings.idle || is_gesture(analysis, start, end) {
            return Err(MissReason::SeenOnce);
        }
        if let Some(found) = self.cost_ratio(pair).filter(|&ratio| ratio > MAX_IDLE_COST_RATIO) {
            return Err(MissReason::CostRatio { found });
        }
        self.admitted(self.describe_idle(pair, cut))
    }
}

/// Whether the pose leaves the start once, far, and returns.
pub(in crate::candidate) fn is_gesture(analysis: &Analysis, start: usize, end: usize) -> bool {
    let world = &analysis.world;
    let away: Vec<f64> = (start..=end)
        .map(|frame| {
            let joints = analysis.joints.iter().filter(|weighted| weighted.weight > 0.0);
            let moved = joints.map(|weighted| {
                world
                    .position(frame, weighted.joint)
                    .distance(world.position(start, weighted.joint))
            });
            greatest(moved)
        })
        .collect();
    let farthest = greatest(away.iter().copied());
    // Counts how often the body leaves and returns, whatever it does in between.
    let (mut is_away, mut rises) = (false, 0);
    for distance in away {
        if !is_away && distance >= 0.5 * farthest {
            (is_away, rises) = (true, rises + 1);
        } else if distance < 0.25 * farthest {
            is_away = false;
        }
    }
    farthest > GESTURE_METRES * analysis.body.size(&analysis.take) && rises == 1
}
