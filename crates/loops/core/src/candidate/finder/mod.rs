//! The search: decides which of the cheapest pairs of frames are loops, moving (`moving`) or idle (`idle`), and which one to
//! recommend.

mod cycles;

mod idle;

mod moving;

pub(crate) use cycles::every_cycle;
pub(super) use idle::is_gesture;

use core::{cell::OnceCell, ops::RangeInclusive};

use super::{
    FoundLoops, LoopCandidate, MissReason, NearestMiss, SeamPair, SearchSettings,
    bound::SeamBounds,
    comparison::PoseComparison,
    describe::SearchedTake,
    rhythm::{self, PoseDistances, Rhythm},
    seams::Seams,
    search::{Admission, DistinctPairs},
};
use crate::{
    analysis::{ActivityKind, Analysis, Features},
    math::Twist,
    take::Cut,
};

/// Largest cost of a repeat, as a share of the median cost of random pairs.
///
/// Measured: gaits .03 to .15, an unrelated short take .36, a take of a single cycle .92.
pub const MAX_COST_RATIO: f64 = 0.3;

/// Loops are similar if both their ends lie this close together, seconds.
const SEPARATION_SECS: f64 = 0.1;

/// Least distance of random pairs, seconds: neighbours in time are similar without being a repeat.
const RANDOM_GAP_SECS: f64 = 0.5;

/// Number of pairs examined before the search gives up.
const MAX_LOOKED_AT: usize = 400;

/// State shared by the searches of one take.
pub(super) struct Finder<'a> {
    source: SearchedTake<'a>,
    settings: &'a SearchSettings,
    seams: Seams<'a>,
    /// Created for the first search; an appraisal needs none.
    bounds: OnceCell<SeamBounds<'a>>,
    distances: PoseDistances<'a>,
    separation: usize,
    random_cost: Option<f64>,
}

impl<'a> Finder<'a> {
    /// Creates a finder; `features` must be those of the settings' pairing.
    pub(super) fn new(analysis: &'a Analysis, settings: &'a SearchSettings, features: &'a Features) -> Self {
        let pairing = &settings.pairing;
        let source = SearchedTake::new(analysis, pairing);
        let seams = Seams::new(PoseComparison::new(features, pairing), settings.decay);
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

    /// Returns a pair of frames with its cost.
    pub(super) fn pair(&self, start_frame: usize, end_frame: usize) -> SeamPair {
        SeamPair {
            start_frame,
            end_frame,
            cost: self.seams.cost(start_frame, end_frame),
        }
    }

    /// Returns the root motion from the headings at the two ends of a pair, with the seconds between them.
    pub(super) fn rough_root_motion(&self, pair: &SeamPair) -> (Twist, f64) {
        (self.source.rough_root_motion(pair), self.source.step().secs(pair.lag()))
    }

    /// Measures how well the frames around a pair repeat.
    pub(super) fn rhythm(&self, pair: &SeamPair) -> Option<Rhythm> {
        let frame_time_secs = self.source.analysis.take.frame_time_secs();
        rhythm::measure(&self.distances, pair.start_frame, pair.lag(), frame_time_secs)
    }

    /// Returns the cost of a pair over that of random ones; `None` if these cost nothing.
    fn cost_ratio(&self, pair: &SeamPair) -> Option<f64> {
        self.random_cost.filter(|&cost| cost > 0.0).map(|cost| pair.cost / cost)
    }

    /// Returns all figures of a stretch, whether or not it qualifies.
    pub(super) fn describe(&self, pair: &SeamPair, cut: Cut, rhythm: Option<Rhythm>, is_idle: bool) -> LoopCandidate {
        LoopCandidate {
            cost_ratio: self.cost_ratio(pair),
            goes_on_alike: rhythm.is_some_and(|rhythm| {
                rhythm::goes_on_alike(&self.distances, pair.start_frame, pair.lag(), rhythm.cycles)
            }),
            ..self.source.describe(pair, cut, rhythm, is_idle)
        }
    }

    /// Finds loops whose ends lie in the frames `within`, or in the whole take if `None`: moving loops, or idle ones if there is
    /// no moving loop or if `idle` requests them.
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

    /// Returns the cheapest pair of that length that costs no more than a repeat, whether or not its rhythm shows.
    pub(super) fn cheapest_repeat(&self, lags: RangeInclusive<usize>) -> Option<SeamPair> {
        let analysis = self.source.analysis;
        let admission = Admission::new(analysis.activity.kinds(), &analysis.usable, lags, ActivityKind::Moving);
        let most = MAX_COST_RATIO * self.random_cost?;
        self.pairs(&admission, most).next()
    }

    /// Finds loops like [`Self::find`], but only moving ones, or only idle ones.
    pub(super) fn find_kind(&self, within: Option<(usize, usize)>, idle: bool) -> FoundLoops {
        let (analysis, settings) = (self.source.analysis, self.settings);
        let (first, last) = within.unwrap_or((0, usize::MAX));
        let usable: Vec<bool> = analysis
            .usable
            .iter()
            .enumerate()
            .map(|(frame, &is_usable)| is_usable && (first..=last).contains(&frame))
            .collect();
        let lag_step = settings.lag_step(&analysis.take);
        let lags = lag_step.fewest(settings.min_secs)..=lag_step.most(settings.max_secs);
        // An idle loop counts as one cycle.
        let may_be_idle = !settings.pairing.is_mirrored() && settings.cycles.is_none_or(|cycles| cycles == 1);
        if !idle {
            self.search_moving(&usable, lags)
        } else if may_be_idle {
            self.search_idle(&usable, lags)
        } else {
            self.nothing()
        }
    }

    /// Returns a pair that is not a loop.
    fn miss(&self, pair: SeamPair, reason: MissReason) -> NearestMiss {
        NearestMiss {
            pair,
            period_secs: self.source.step().secs(pair.lag()),
            reason,
        }
    }

    fn nothing(&self) -> FoundLoops {
        FoundLoops {
            random_cost: self.random_cost,
            ..FoundLoops::default()
        }
    }

    /// Distinct pairs of frames that cost no more than `max_cost`, cheapest first.
    fn pairs(&self, admission: &Admission, max_cost: f64) -> DistinctPairs<'_> {
        let bounds = self
            .bounds
            .get_or_init(|| SeamBounds::new(self.seams, &self.source.analysis.usable));
        DistinctPairs::new(bounds, admission.clone(), self.separation).up_to(max_cost)
    }

    /// Returns the candidate if its root motion is within the bounds.
    fn admitted(&self, candidate: LoopCandidate) -> Result<LoopCandidate, MissReason> {
        if self.settings.root_motion.admit(&candidate.twist) {
            Ok(candidate)
        } else {
            Err(MissReason::RootMotion { found: candidate.twist })
        }
    }

    /// Whether both ends of two loops lie close together.
    pub(super) fn is_similar(&self, one: &LoopCandidate, other: &LoopCandidate) -> bool {
        let near = |one: f64, other: f64| (one - other).abs() <= self.separation as f64;
        near(one.cut.start_frame(), other.cut.start_frame()) && near(one.cut.end_frame(), other.cut.end_frame())
    }
}
