//! Stretches of a take that repeat, and which of them to loop.
//!
//! [`find`] looks at every admissible pair of frames and proposes distinct loops, the recommended one first. A stretch that
//! does not qualify is a result with a reason, not an error: see [`Found::misses`].

use crate::{
    analysis::{Analysis, energy::Activity},
    math::rigid::{Rigid, Twist},
    root_motion::{
        cycle::{Cycle, CycleTravel},
        extract::fit_window,
    },
    take::{Cut, CutError, Take},
};

pub mod score;

pub mod search;

pub mod rhythm;

mod refine;

use rhythm::Rhythm;
use score::SpringCost;
use search::{Admission, DistinctPairs, SeamPair, Seams};

/// What to look for.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchSettings {
    /// Shortest loop, seconds.
    pub min_secs: f64,
    /// Longest loop, seconds.
    pub max_secs: f64,
    /// Fundamental periods that the loop must span; `None` for as few as serve.
    pub cycles: Option<u32>,
    /// How many distinct loops to propose at most.
    pub max_candidates: usize,
    /// Half-life of the spring that prices seams, seconds.
    pub half_life_secs: f64,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            min_secs: 0.4,
            max_secs: 10.0,
            cycles: None,
            max_candidates: 10,
            half_life_secs: score::DEFAULT_HALF_LIFE_SECS,
        }
    }
}

/// A stretch proposed as a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopCandidate {
    /// The stretch, its end refined below one frame.
    pub cut: Cut,
    /// Seconds from start to end as recorded.
    pub source_period_secs: f64,
    /// Fundamental periods within.
    pub cycles: u32,
    /// Exact two-sided cost of the seam at the nearest whole frames, metre-seconds.
    pub seam_cost: f64,
    /// Cost over the median cost of random pairs of the take; a repeat stays below [`MAX_COST_RATIO`]. `None` where the
    /// take is too short for such pairs.
    pub cost_ratio: Option<f64>,
    /// Likeness of the frames around with themselves one period on, at most 1; `None` where no rhythm was measured.
    pub strength: Option<f64>,
    /// Autocorrelation of the whole take at this period: low where only this stretch repeats.
    pub take_strength: f64,
    /// Whether the stretch all but stands.
    pub is_idle: bool,
    /// Where the root stands at the start.
    pub root_start: Rigid,
    /// Twist of the root over the period, metres and radians per second.
    pub twist: Twist,
    /// How little the travel of a period changes around the stretch, 0 to 1; `None` without frames around it.
    pub steadiness: Option<f64>,
}

/// A repeat costs at most this share of the median cost of random pairs.
///
/// Measured: gaits .03 to .15, an unrelated short take .36, a take of a single cycle .92.
pub const MAX_COST_RATIO: f64 = 0.3;

/// Fewest cycles are preferred up to this factor over the lowest cost of any length.
const COST_ALLOWANCE: f64 = 1.25;

/// Costs this small a share of the random median are all alike: an exact repeat has no best multiple.
const EVEN_COST_RATIO: f64 = 0.01;

/// Loops are alike when both their ends lie this close together, seconds.
const SEPARATION_SECS: f64 = 0.1;

/// Random pairs are at least this far apart, seconds: neighbours in time are alike without being a repeat.
const RANDOM_GAP_SECS: f64 = 0.5;

/// Pairs looked at one after the other before the search gives up.
const MAX_LOOKED_AT: usize = 400;

/// Idle loops below this length are twitches, seconds.
const MIN_IDLE_SECS: f64 = 1.0;

/// Whole-take autocorrelation below which a loop is of low confidence: it stands for its own stretch only.
pub const CONFIDENT_TAKE_STRENGTH: f64 = 0.6;

/// The pair that came nearest to being a loop, and why it is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestMiss {
    /// The pair of frames and its cost.
    pub pair: SeamPair,
    /// Seconds between them.
    pub period_secs: f64,
    /// What was missing.
    pub reason: MissReason,
}

/// Why a pair of frames is not a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MissReason {
    /// The seam costs too large a share of what random pairs cost.
    CostRatio {
        /// Share found; [`MAX_COST_RATIO`] is the most.
        found: f64,
    },
    /// The frames around do not repeat enough.
    Strength {
        /// Likeness found; [`rhythm::MIN_STRENGTH`] is needed.
        found: f64,
    },
    /// The frames around are as alike at every lag: drift, not rhythm.
    NoRhythm {
        /// Prominence found; [`rhythm::MIN_PROMINENCE`] is needed.
        found: f64,
    },
    /// Too little of the cycle is seen twice.
    SeenOnce,
    /// The pair spans another number of cycles than asked for.
    Cycles {
        /// Cycles found.
        found: u32,
    },
}

/// Why a take cannot be searched at all.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The take is too short for the shortest loop.
    #[error("the take lasts {take_secs:.3} s, the shortest loop asked for is {min_secs} s")]
    TooShort {
        /// Seconds of the take.
        take_secs: f64,
        /// Shortest loop asked for, seconds.
        min_secs: f64,
    },
    /// Nothing moves.
    #[error("nothing moves in the take")]
    Still,
    /// The bounds are not usable numbers.
    #[error("lengths must be positive seconds in order, found {min_secs} to {max_secs}")]
    Bounds {
        /// Shortest asked for, seconds.
        min_secs: f64,
        /// Longest asked for, seconds.
        max_secs: f64,
    },
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Distinct loops: the recommended one first, then by cost.
    pub candidates: Vec<LoopCandidate>,
    /// Median seam cost of random pairs of the take, metre-seconds; `None` for takes under half a second.
    pub random_cost: Option<f64>,
    /// Where nothing qualified, or not all that was asked for: the pair that came nearest.
    pub nearest_miss: Option<NearestMiss>,
}

impl Found {
    /// The loop to take by default.
    pub fn best(&self) -> Option<&LoopCandidate> {
        self.candidates.first()
    }
}

/// Finds distinct loops in a take.
///
/// Candidates repeat around their seam (likeness and rhythm of the frames around, not of two poses alone), cost less than
/// [`MAX_COST_RATIO`] of what random pairs cost, and move; idle stretches are proposed only where nothing else repeats. The
/// first is the one with the fewest cycles whose cost is within a quarter of the lowest of any length.
/// Errors: the take is too short or still, or the bounds are not numbers in order.
pub fn find(take: &Take, analysis: &Analysis, settings: &SearchSettings) -> Result<Found, SearchError> {
    let (min_secs, max_secs) = (settings.min_secs, settings.max_secs);
    if !(min_secs > 0.0 && max_secs >= min_secs) {
        return Err(SearchError::Bounds { min_secs, max_secs });
    }
    let dt = take.frame_time_secs();
    if analysis.energy.is_still() && take.num_frames() > 1 {
        return Err(SearchError::Still);
    }
    let min_lag = (min_secs / dt - 1e-9).ceil() as usize;
    if take.num_frames() < 3 || min_lag > take.num_frames() - 1 {
        return Err(SearchError::TooShort {
            take_secs: take.duration_secs(),
            min_secs,
        });
    }
    // Saturates for an endless bound.
    let max_lag = (max_secs / dt + 1e-9).floor() as usize;
    let finder = Finder::new(take, analysis, settings);
    let mut found = finder.search(min_lag..=max_lag, Activity::Moving);
    if found.candidates.is_empty() {
        let min_idle = min_lag.max((MIN_IDLE_SECS / dt).round() as usize);
        let idle = finder.search(min_idle..=max_lag, Activity::Idle);
        found.candidates = idle.candidates;
        found.nearest_miss = found.nearest_miss.or(idle.nearest_miss);
    }
    Ok(found)
}

/// All that [`find`] tells about a candidate, for a stretch that the caller chose between whole frames.
///
/// The stretch need not qualify as a loop, and its end is not refined.
pub fn appraise(take: &Take, analysis: &Analysis, settings: &SearchSettings, start_frame: usize, end_frame: usize) -> Result<LoopCandidate, CutError> {
    let cut = Cut::new(take, start_frame as f64, end_frame as f64)?;
    let finder = Finder::new(take, analysis, settings);
    let pair = SeamPair {
        start_frame,
        end_frame,
        cost: Seams::new(&analysis.features, finder.cost).cost(start_frame, end_frame),
    };
    let lag = end_frame - start_frame;
    let rhythm = rhythm::measure(&analysis.features, start_frame, lag, take.frame_time_secs())
        .filter(|rhythm| rhythm.strength >= rhythm::MIN_STRENGTH && rhythm.prominence >= rhythm::MIN_PROMINENCE);
    let idle = analysis.energy.activities()[start_frame..=end_frame]
        .iter()
        .all(|&activity| activity == Activity::Idle);
    Ok(finder.describe(&pair, cut, rhythm, idle))
}

struct Finder<'a> {
    take: &'a Take,
    analysis: &'a Analysis,
    settings: &'a SearchSettings,
    cost: SpringCost,
    separation: usize,
    random_cost: Option<f64>,
}

impl<'a> Finder<'a> {
    fn new(take: &'a Take, analysis: &'a Analysis, settings: &'a SearchSettings) -> Self {
        let cost = SpringCost::from_half_life(settings.half_life_secs);
        let dt = take.frame_time_secs();
        Self {
            take,
            analysis,
            settings,
            cost,
            separation: (SEPARATION_SECS / dt).round() as usize,
            random_cost: Seams::new(&analysis.features, cost)
                .random_median(&analysis.usable, (RANDOM_GAP_SECS / dt).round() as usize),
        }
    }

    fn search(&self, lags: core::ops::RangeInclusive<usize>, activity: Activity) -> Found {
        let mut found = Found {
            candidates: Vec::new(),
            random_cost: self.random_cost,
            nearest_miss: None,
        };
        let Some(random_cost) = self.random_cost.filter(|&cost| cost > 0.0) else {
            return found;
        };
        let admission = Admission::new(&self.analysis.energy, &self.analysis.usable, lags, activity);
        let idle = activity == Activity::Idle;
        for pair in self.pairs(&admission).take(MAX_LOOKED_AT) {
            if found.candidates.len() >= self.settings.max_candidates.max(1) {
                break;
            }
            match self.judge(&pair, random_cost, idle) {
                Ok(candidate) => found.candidates.push(candidate),
                Err(reason) => {
                    found.nearest_miss.get_or_insert(NearestMiss {
                        pair,
                        period_secs: (pair.end_frame - pair.start_frame) as f64 * self.take.frame_time_secs(),
                        reason,
                    });
                    if matches!(reason, MissReason::CostRatio { .. }) {
                        // The rest costs more still.
                        break;
                    }
                }
            }
        }
        if !idle {
            self.recommend(&mut found.candidates, &admission, random_cost);
        }
        found
    }

    fn pairs(&self, admission: &Admission) -> DistinctPairs<'_> {
        DistinctPairs::new(&self.analysis.features, self.cost, admission.clone(), self.separation)
    }

    fn judge(&self, pair: &SeamPair, random_cost: f64, idle: bool) -> Result<LoopCandidate, MissReason> {
        let cost_ratio = pair.cost / random_cost;
        if cost_ratio > MAX_COST_RATIO {
            return Err(MissReason::CostRatio { found: cost_ratio });
        }
        let (features, dt) = (&self.analysis.features, self.take.frame_time_secs());
        let lag = pair.end_frame - pair.start_frame;
        let start = pair.start_frame as f64;
        if idle {
            let cut = Cut::new(self.take, start, start + lag as f64).map_err(|_| MissReason::SeenOnce)?;
            return Ok(self.describe(pair, cut, None, true));
        }
        let rhythm = rhythm::measure(features, pair.start_frame, lag, dt).ok_or(MissReason::SeenOnce)?;
        if rhythm.strength < rhythm::MIN_STRENGTH {
            return Err(MissReason::Strength {
                found: rhythm.strength,
            });
        }
        if rhythm.prominence < rhythm::MIN_PROMINENCE {
            return Err(MissReason::NoRhythm {
                found: rhythm.prominence,
            });
        }
        if let Some(asked) = self.settings.cycles
            && asked != rhythm.cycles
        {
            return Err(MissReason::Cycles {
                found: rhythm.cycles,
            });
        }
        let refined = refine::refine_lag(features, pair.start_frame, lag, dt);
        let cut = Cut::new(self.take, start, start + refined).map_err(|_| MissReason::SeenOnce)?;
        Ok(self.describe(pair, cut, Some(rhythm), false))
    }

    /// All that is told about a stretch, whether or not it qualifies.
    fn describe(&self, pair: &SeamPair, cut: Cut, rhythm: Option<Rhythm>, is_idle: bool) -> LoopCandidate {
        let cycles = rhythm.map_or(1, |rhythm| rhythm.cycles);
        let (travel, steadiness) = self.travel(pair, cycles);
        LoopCandidate {
            cut,
            source_period_secs: cut.num_frames() * self.take.frame_time_secs(),
            cycles,
            seam_cost: pair.cost,
            cost_ratio: self.random_cost.filter(|&cost| cost > 0.0).map(|cost| pair.cost / cost),
            strength: rhythm.map(|rhythm| rhythm.strength),
            take_strength: self.analysis.spectrum.at(cut.num_frames()),
            is_idle,
            root_start: travel.start,
            twist: travel.twist,
            steadiness,
        }
    }

    /// Puts the candidate first that spans the fewest cycles at a cost within the allowance of the lowest.
    fn recommend(&self, candidates: &mut Vec<LoopCandidate>, admission: &Admission, random_cost: f64) {
        let Some(best) = candidates.first() else {
            return;
        };
        let limit = (COST_ALLOWANCE * best.seam_cost).max(EVEN_COST_RATIO * random_cost);
        let period = best.cut.num_frames() / f64::from(best.cycles);
        let fewer = self.settings.cycles.map_or(1, |_| best.cycles)..best.cycles;
        let chosen = fewer
            .filter_map(|cycles| {
                // Lengths nearer to this number of cycles than to its neighbours.
                let from = (f64::from(cycles) - 0.5) * period;
                let to = (f64::from(cycles) + 0.5) * period;
                let narrowed = admission.with_lags(from.ceil() as usize..=to.floor() as usize);
                self.pairs(&narrowed)
                    .take_while(|pair| pair.cost <= limit)
                    .take(MAX_LOOKED_AT)
                    .find_map(|pair| self.judge(&pair, random_cost, false).ok().filter(|found| found.cycles == cycles))
            })
            .next();
        let Some(chosen) = chosen else {
            return;
        };
        let alike = |other: &LoopCandidate| {
            (other.cut.start_frame() - chosen.cut.start_frame()).abs() <= self.separation as f64
                && (other.cut.end_frame() - chosen.cut.end_frame()).abs() <= self.separation as f64
        };
        candidates.retain(|other| !alike(other));
        candidates.insert(0, chosen);
        candidates.truncate(self.settings.max_candidates.max(1));
    }

    /// Twist over the pair, and how little it changes when both ends move by up to half a period.
    fn travel(&self, pair: &SeamPair, cycles: u32) -> (CycleTravel, Option<f64>) {
        let heading = &self.analysis.heading;
        let lag = pair.end_frame - pair.start_frame;
        let dt = self.take.frame_time_secs();
        let reach = (0.1 / dt).round() as usize;
        let motion = fit_window(
            &self.analysis.world,
            &self.analysis.body,
            &self.analysis.joints,
            pair.start_frame,
            lag,
            reach,
        );
        let period_secs = lag as f64 * dt;
        let travel = Cycle {
            heading,
            first: pair.start_frame,
            num_intervals: lag,
            period_secs,
            motion,
            cycles,
        }
        .travel();
        let half = lag / (2 * cycles.max(1) as usize);
        let before = pair.start_frame.min(half);
        let after = (heading.num_frames() - 1 - pair.end_frame).min(half);
        if before + after < half / 4 {
            return (travel, None);
        }
        let twist_at = |start: usize| {
            let motion = heading.world_from_heading(start).inverse() * heading.world_from_heading(start + lag);
            let turn = heading.yaw(start + lag) - heading.yaw(start);
            (motion.translation / period_secs, turn / period_secs)
        };
        let half_height = 0.5 * self.analysis.body.stature(self.take).unwrap_or(1.7);
        let (middle_velocity, middle_turn) = twist_at(pair.start_frame);
        let size = middle_velocity.length() + half_height * middle_turn.abs();
        let worst = (pair.start_frame - before..=pair.start_frame + after)
            .map(|start| {
                let (velocity, turn) = twist_at(start);
                (velocity - middle_velocity).length() + half_height * (turn - middle_turn).abs()
            })
            .fold(0.0, f64::max);
        // A tenth of a metre per second keeps loops on the spot from being judged by noise over nothing.
        (travel, Some((1.0 - worst / (size + 0.1)).clamp(0.0, 1.0)))
    }
}
