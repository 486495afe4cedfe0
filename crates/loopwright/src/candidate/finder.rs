//! The search: decides which of the cheapest pairs of frames are loops, and which of them to recommend.

use core::{cell::OnceCell, ops::RangeInclusive};

use super::{
    bound::SeamBounds,
    comparison::PoseComparison,
    describe::SearchedTake,
    refine,
    report::{FoundLoops, LoopCandidate, MissReason, NearestMiss},
    rhythm::{self, PoseDistances, Rhythm},
    score::SeamCost,
    seams::{SeamPair, Seams},
    search::{Admission, DistinctPairs},
    settings::{RootMotionBounds, SearchSettings},
};
use crate::{
    analysis::{Analysis, activity::ActivityKind, features::Features},
    math::{rigid::Twist, rotation},
    root_motion::poses,
    take::Cut,
};

/// A repeat costs at most this share of the median cost of random pairs.
///
/// Measured: gaits .03 to .15, an unrelated short take .36, a take of a single cycle .92.
pub const MAX_COST_RATIO: f64 = 0.3;

/// Share by which rounding may lift a cost over the ratio above.
const COST_ROUNDING: f64 = 1e-9;

/// The fewest cycles are preferred up to this factor over the lowest cost of any length.
const COST_ALLOWANCE: f64 = 1.25;

/// Costs below this share of the random median count as equal: the best gaits reach 0.03, smaller differences are not visible,
/// and an exact repeat has no best multiple.
const EVEN_COST_RATIO: f64 = 0.04;

/// Loops are similar when both their ends lie this close together, seconds.
const SEPARATION_SECS: f64 = 0.1;

/// Random pairs are at least this far apart, seconds: neighbours in time are similar without being a repeat.
const RANDOM_GAP_SECS: f64 = 0.5;

/// Number of pairs examined before the search gives up.
const MAX_LOOKED_AT: usize = 400;

/// Loops of a single cycle that are added to a list of longer ones, and the pairs that are examined for them.
const SINGLE_CYCLES: usize = 10;
const SINGLE_CYCLES_LOOKED_AT: usize = 40;

/// Idle loops below this length look like twitches, seconds.
const MIN_IDLE_SECS: f64 = 2.0;

/// Lengths of idle loops that are tried, seconds: the longer, the less a repeat is noticed.
const IDLE_SECS: [f64; 7] = [9.0, 7.5, 6.0, 5.0, 4.0, 3.0, MIN_IDLE_SECS];

/// A longer idle loop may cost this many times as much as the cheapest, ...
const IDLE_COST_ALLOWANCE: f64 = 2.0;

/// ... or this much, metre-seconds at the size of a man: the cost of a gap of half a centimetre at every joint that is compared,
/// which closing hides in a slow body.
const IDLE_UNSEEN_COST: f64 = 4e-3;

/// An idle loop costs at most this share of random pairs: in a calm take all pairs are cheap.
const MAX_IDLE_COST_RATIO: f64 = 1.0;

/// Farthest that a joint may lie from where it stood, metres at the size of a man, and turn of the body, radians: the
/// root of an idle loop rests, and closing takes the rest back.
const IDLE_GAP_METRES: f64 = 0.05;
const IDLE_GAP_RADIANS: f64 = 3.0 * core::f64::consts::PI / 180.0;

/// State shared by the searches of one take.
pub(super) struct Finder<'a> {
    source: SearchedTake<'a>,
    settings: &'a SearchSettings,
    seams: Seams<'a>,
    /// Created for the first search; a stretch that is only appraised needs none.
    bounds: OnceCell<SeamBounds<'a>>,
    distances: PoseDistances<'a>,
    separation: usize,
    random_cost: Option<f64>,
}

impl<'a> Finder<'a> {
    /// `features` must be those of the settings' pairing.
    pub(super) fn new(analysis: &'a Analysis, settings: &'a SearchSettings, features: &'a Features) -> Self {
        let pairing = &settings.pairing;
        let source = SearchedTake::new(analysis, pairing);
        let seams = Seams::new(PoseComparison::new(features, pairing), SeamCost::even(settings.decay));
        let step = source.step();
        Self {
            source,
            settings,
            seams,
            bounds: OnceCell::new(),
            distances: PoseDistances::new(seams.comparison()),
            separation: step.nearest(SEPARATION_SECS),
            random_cost: seams.random_median(&analysis.usable, step.nearest(RANDOM_GAP_SECS)),
        }
    }

    /// A pair of frames with its cost.
    pub(super) fn pair(&self, start_frame: usize, end_frame: usize) -> SeamPair {
        SeamPair {
            start_frame,
            end_frame,
            cost: self.seams.cost(start_frame, end_frame),
        }
    }

    /// Root motion from the headings at the two ends of a pair, with the seconds between them.
    pub(super) fn rough_root_motion(&self, pair: &SeamPair) -> (Twist, f64) {
        (self.source.rough_root_motion(pair), self.source.step().secs(pair.lag()))
    }

    /// How well the frames around a pair repeat.
    pub(super) fn rhythm(&self, pair: &SeamPair) -> Option<Rhythm> {
        let frame_time_secs = self.source.analysis.take.frame_time_secs();
        rhythm::measure(&self.distances, pair.start_frame, pair.lag(), frame_time_secs)
    }

    /// All figures of a stretch, whether or not it qualifies.
    pub(super) fn describe(&self, pair: &SeamPair, cut: Cut, rhythm: Option<Rhythm>, is_idle: bool) -> LoopCandidate {
        let cost_ratio = self.random_cost.filter(|&cost| cost > 0.0).map(|cost| pair.cost / cost);
        self.source.describe(pair, cut, rhythm, is_idle, cost_ratio)
    }

    /// Loops whose ends lie in the frames `within`, or in the whole take where `None`: moving loops, or idle ones where no moving
    /// loop exists or where `idle` asks for them.
    pub(super) fn find(&self, within: Option<(usize, usize)>, idle: bool) -> FoundLoops {
        let mut found = if idle {
            self.nothing()
        } else {
            self.find_kind(within, false)
        };
        if found.candidates.is_empty() {
            let idle = self.find_kind(within, true);
            found.candidates = idle.candidates;
            found.nearest_miss = found.nearest_miss.or(idle.nearest_miss);
        }
        found
    }

    /// The cheapest pair of that length that costs no more than a repeat, whether or not its rhythm shows.
    pub(super) fn cheapest_repeat(&self, lags: RangeInclusive<usize>) -> Option<SeamPair> {
        let analysis = self.source.analysis;
        let admission = Admission::new(&analysis.activity, &analysis.usable, lags, ActivityKind::Moving);
        let most = MAX_COST_RATIO * self.random_cost?;
        self.pairs(&admission, most).next()
    }

    /// As [`Self::find`], but only moving loops, or only idle ones.
    pub(super) fn find_kind(&self, within: Option<(usize, usize)>, idle: bool) -> FoundLoops {
        let (analysis, settings) = (self.source.analysis, self.settings);
        let num_frames = analysis.usable.len();
        let (first, last) = within.unwrap_or((0, usize::MAX));
        let frames = first.min(num_frames)..last.saturating_add(1).min(num_frames);
        let mut usable = vec![false; num_frames];
        if !frames.is_empty() {
            usable[frames.clone()].copy_from_slice(&analysis.usable[frames]);
        }
        let lag_step = settings.lag_step(&analysis.take);
        let lags = lag_step.fewest(settings.min_secs)..=lag_step.most(settings.max_secs);
        // An idle loop counts as one cycle.
        let may_be_idle = !settings.pairing.is_mirrored() && settings.cycles.is_none_or(|cycles| cycles == 1);
        match idle {
            false => self.search(&usable, lags),
            true if may_be_idle => self.search_idle(&usable, lags),
            true => self.nothing(),
        }
    }

    fn nothing(&self) -> FoundLoops {
        FoundLoops {
            candidates: Vec::new(),
            random_cost: self.random_cost,
            nearest_miss: None,
        }
    }

    /// Idle loops: the best seam of each length, the longest of those that are hardly worse than the best first.
    ///
    /// An idle body has no rhythm, so the cheapest seam is that of some short stretch, which looks like a twitch when it repeats.
    fn search_idle(&self, usable: &[bool], lags: RangeInclusive<usize>) -> FoundLoops {
        let mut found = self.nothing();
        let activity = &self.source.analysis.activity;
        for secs in IDLE_SECS {
            let longest = (*lags.start()).max(self.source.step().nearest(secs))..=*lags.end();
            if longest.is_empty() {
                continue;
            }
            let admission = Admission::new(activity, usable, longest, ActivityKind::Idle);
            for pair in self.pairs(&admission, f64::MAX).take(MAX_LOOKED_AT) {
                match self.judge_idle(&pair) {
                    Ok(candidate) => {
                        if !found.candidates.iter().any(|other| self.is_similar(other, &candidate)) {
                            found.candidates.push(candidate);
                        }
                        break;
                    }
                    Err(reason) => {
                        found.nearest_miss.get_or_insert(NearestMiss {
                            pair,
                            period_secs: self.source.step().secs(pair.lag()),
                            reason,
                        });
                    }
                }
            }
        }
        let cheapest = found
            .candidates
            .iter()
            .map(|idle| idle.seam_cost)
            .fold(f64::INFINITY, f64::min);
        let analysis = self.source.analysis;
        let unseen = IDLE_UNSEEN_COST * analysis.body.size(&analysis.take);
        let is_good = |idle: &LoopCandidate| idle.seam_cost <= (IDLE_COST_ALLOWANCE * cheapest).max(unseen);
        // Lengths fall: the first good one is the longest.
        if let Some(first) = found.candidates.iter().position(is_good) {
            let first = found.candidates.remove(first);
            found.candidates.sort_by(|a, b| a.seam_cost.total_cmp(&b.seam_cost));
            found.candidates.insert(0, first);
        }
        found.candidates.truncate(self.settings.max_candidates.max(1));
        found
    }

    /// An idle pair as a candidate: its poses meet where they stand, so that the root can rest.
    fn judge_idle(&self, pair: &SeamPair) -> Result<LoopCandidate, MissReason> {
        let analysis = self.source.analysis;
        let (start, end) = (pair.start_frame, pair.end_frame);
        let cut = Cut::new(&analysis.take, start as f64, end as f64).map_err(|_| MissReason::SeenOnce)?;
        let weights = poses::fit_weights(analysis.take.skeleton(), &analysis.body, &analysis.joints);
        let moved = (0..weights.len())
            .filter(|&joint| weights[joint] > 0.0)
            .map(|joint| {
                analysis
                    .world
                    .position(start, joint)
                    .distance(analysis.world.position(end, joint))
            })
            .fold(0.0, f64::max);
        let turned = rotation::wrap_angle(analysis.heading.yaw(end) - analysis.heading.yaw(start)).abs();
        let candidate = self.describe(pair, cut, None, true);
        if moved > IDLE_GAP_METRES * analysis.body.size(&analysis.take) || turned > IDLE_GAP_RADIANS {
            return Err(MissReason::RootMotion { found: candidate.twist });
        }
        if let Some(found) = candidate.cost_ratio.filter(|&ratio| ratio > MAX_IDLE_COST_RATIO) {
            return Err(MissReason::CostRatio { found });
        }
        self.admitted(LoopCandidate {
            twist: Twist::default(),
            ..candidate
        })
    }

    fn search(&self, usable: &[bool], lags: RangeInclusive<usize>) -> FoundLoops {
        let mut found = self.nothing();
        let Some(random_cost) = self.random_cost.filter(|&cost| cost > 0.0) else {
            return found;
        };
        let admission = Admission::new(&self.source.analysis.activity, usable, lags, ActivityKind::Moving);
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

    /// Adds loops of a single cycle to a list that is to be chosen from: cheaper ones of several cycles may have kept them out.
    fn add_single_cycles(&self, candidates: &mut Vec<LoopCandidate>, admission: &Admission, random_cost: f64) {
        let first = &candidates[0];
        if !self.settings.ranks_by_outcome() || self.settings.cycles.is_some() || first.cycles == 0 {
            return;
        }
        let period = first.cut.num_frames() / f64::from(first.cycles);
        let pairs = self.pairs(&admission.with_lags(lags_of(1, period)), MAX_COST_RATIO * random_cost);
        let singles = pairs
            .take(SINGLE_CYCLES_LOOKED_AT)
            .filter_map(|pair| self.judge(&pair, random_cost).ok())
            .filter(|found| found.cycles == 1);
        for single in singles.take(SINGLE_CYCLES) {
            if !candidates.iter().any(|other| self.is_similar(other, &single)) {
                candidates.push(single);
            }
        }
    }

    /// Adds the distinct loops that qualify, cheapest first, and returns the first sound one among all that were examined.
    fn collect(&self, admission: &Admission, random_cost: f64, found: &mut FoundLoops) -> Option<LoopCandidate> {
        let limit = self.settings.max_candidates.max(1);
        let mut sound: Option<LoopCandidate> = None;
        let mut looked_at = 0;
        // Pairs that cost more are no repeats; where all do, looking for many of them would take longest.
        let max_cost = MAX_COST_RATIO * random_cost * (1.0 + COST_ROUNDING);
        let mut pairs = self.pairs(admission, max_cost);
        loop {
            if looked_at == MAX_LOOKED_AT || (found.candidates.len() >= limit && sound.is_some()) {
                break;
            }
            let Some(pair) = pairs.next() else {
                if found.nearest_miss.is_none() {
                    found.nearest_miss = pairs.next_beyond().map(|pair| self.too_dear(pair, random_cost));
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
                    // A repeat that is only not the one asked for came nearest.
                    let is_nearer = |known: &NearestMiss| reason.is_of_request() && !known.reason.is_of_request();
                    if found.nearest_miss.as_ref().is_none_or(is_nearer) {
                        found.nearest_miss = Some(NearestMiss {
                            pair,
                            period_secs: self.source.step().secs(pair.lag()),
                            reason: self.in_full(&pair, reason),
                        });
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

    /// A reason with the root motion of the pair itself, in place of the rough one that ruled it out.
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

    /// The nearest miss where even the cheapest pair costs too much.
    fn too_dear(&self, pair: SeamPair, random_cost: f64) -> NearestMiss {
        NearestMiss {
            pair,
            period_secs: self.source.step().secs(pair.lag()),
            reason: MissReason::CostRatio {
                found: pair.cost / random_cost,
            },
        }
    }

    /// Lengths of the wanted number of cycles, where other pairs show the length of one.
    fn lags_of_cycles(&self, found: &FoundLoops) -> Option<RangeInclusive<usize>> {
        let asked = self.settings.cycles?;
        let miss = found.nearest_miss.as_ref()?;
        let MissReason::Cycles { found } = miss.reason else {
            return None;
        };
        let period = miss.pair.lag() as f64 / f64::from(found.max(1));
        Some(lags_of(asked, period))
    }

    /// The root motion of a pair, where the headings at its two ends alone show that it is far outside the bounds.
    ///
    /// The test is very cheap, so that such pairs do not use up the limit of examined pairs.
    fn out_of_bounds(&self, pair: &SeamPair) -> Option<Twist> {
        if self.settings.root_motion == RootMotionBounds::default() {
            return None;
        }
        let rough = self.source.rough_root_motion(pair);
        (!self.settings.root_motion.widened(rough.angular.y).admit(&rough)).then_some(rough)
    }

    /// Distinct pairs of frames that cost no more than `max_cost`, cheapest first.
    fn pairs(&self, admission: &Admission, max_cost: f64) -> DistinctPairs<'_> {
        let bounds = (self.bounds).get_or_init(|| SeamBounds::new(self.seams, &self.source.analysis.usable));
        DistinctPairs::new(bounds, admission.clone(), self.separation).up_to(max_cost)
    }

    /// The pair as a candidate, or the reason why it is not one.
    fn judge(&self, pair: &SeamPair, random_cost: f64) -> Result<LoopCandidate, MissReason> {
        let cost_ratio = pair.cost / random_cost;
        if cost_ratio > MAX_COST_RATIO {
            return Err(MissReason::CostRatio { found: cost_ratio });
        }
        let cut = |lag_frames: f64| {
            let start = pair.start_frame as f64;
            Cut::new(&self.source.analysis.take, start, start + lag_frames).map_err(|_| MissReason::SeenOnce)
        };
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
        let refined = refine::refine_lag(self.seams.comparison(), pair.start_frame, pair.lag(), rhythm.cycles);
        self.admitted(self.describe(pair, cut(refined)?, Some(rhythm), false))
    }

    /// The candidate, where its root motion is within the bounds.
    fn admitted(&self, candidate: LoopCandidate) -> Result<LoopCandidate, MissReason> {
        if self.settings.root_motion.admit(&candidate.twist) {
            Ok(candidate)
        } else {
            Err(MissReason::RootMotion { found: candidate.twist })
        }
    }

    /// The candidate that spans the fewest cycles at a cost within the allowance of the best one's.
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

    /// Whether both ends of two loops lie close together.
    pub(super) fn is_similar(&self, one: &LoopCandidate, other: &LoopCandidate) -> bool {
        let near = |one: f64, other: f64| (one - other).abs() <= self.separation as f64;
        near(one.cut.start_frame(), other.cut.start_frame()) && near(one.cut.end_frame(), other.cut.end_frame())
    }

    /// Puts a candidate at the head of the list and removes similar ones.
    fn put_first(&self, candidates: &mut Vec<LoopCandidate>, first: LoopCandidate) {
        candidates.retain(|other| !self.is_similar(other, &first));
        candidates.insert(0, first);
        candidates.truncate(self.settings.max_candidates.max(1));
    }
}

/// Lengths in frames that are nearer to this many periods than to one more or less.
fn lags_of(cycles: u32, period_frames: f64) -> RangeInclusive<usize> {
    let cycles = f64::from(cycles);
    ((cycles - 0.5) * period_frames).ceil() as usize..=((cycles + 0.5) * period_frames).floor() as usize
}
