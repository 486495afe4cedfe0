//! Stretches of a take that repeat, and which of them to loop.
//!
//! [`find`] looks at every admissible pair of frames and proposes distinct loops, the recommended one first. A stretch that
//! does not qualify is a result with a reason, not an error: see [`Found::nearest_miss`].

use std::cell::OnceCell;

use glam::DVec3;

use crate::{
    analysis::{
        Analysis,
        energy::Activity,
        features::{self, Features},
        screen::percentile,
        segments::{Gait, Segment},
    },
    math::{
        decay::Decay,
        ops,
        rigid::{Rigid, Twist},
        rotation,
    },
    root_motion::{
        cycle::{Cycle, CycleTravel},
        extract::{WINDOW_SECS, fit_window},
        glide::HalfCycle,
    },
    take::{Cut, CutError, Mirror, Take},
};

pub mod score;

pub mod bound;

pub mod search;

pub mod rhythm;

mod refine;

use bound::SeamBounds;
use rhythm::{Later, Rhythm};
use score::SeamCost;
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
    /// How the offset of a jump fades, which prices seams.
    pub decay: Decay,
    /// First and last frame in which loops may lie; `None` for the whole take.
    pub within: Option<(usize, usize)>,
    /// Which travel is asked for.
    pub travel: TravelBounds,
    /// Look for loops that all but stand, instead of loops that move.
    pub idle: bool,
    /// Look for halves of cycles that their mirror image continues; bounds on length and cycles are those of the whole loop.
    pub mirror: Option<Mirror>,
}

/// Lowest and highest travel of a loop; `None` for any.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TravelBounds {
    /// Speed over the ground, metres per second.
    pub speed_mps: Option<[f64; 2]>,
    /// Rate of turn, radians per second, left positive.
    pub turn_radps: Option<[f64; 2]>,
    /// Rate of climb, metres per second.
    pub climb_mps: Option<[f64; 2]>,
}

impl TravelBounds {
    /// Whether a twist is as asked for.
    pub fn admit(&self, twist: &Twist) -> bool {
        let within =
            |bounds: Option<[f64; 2]>, value: f64| bounds.is_none_or(|[low, high]| low <= value && value <= high);
        within(self.speed_mps, ops::hypot(twist.linear.x, twist.linear.z))
            && within(self.turn_radps, twist.angular.y)
            && within(self.climb_mps, twist.linear.y)
    }
}

/// What the heading at two frames alone may be off: metres per second and radians per second.
const ROUGH_SPEED: f64 = 0.3;
const ROUGH_TURN: f64 = 0.35;

impl TravelBounds {
    /// Bounds that admit whatever may turn out to be within these once it is measured; the straight line between the ends of
    /// a curve tells the least speed alone.
    fn widened(&self, turn_radps: f64) -> Self {
        let wider = |bounds: Option<[f64; 2]>, by: f64| bounds.map(|[low, high]| [low - by, high + by]);
        let mut widened = Self {
            speed_mps: wider(self.speed_mps, ROUGH_SPEED),
            turn_radps: wider(self.turn_radps, ROUGH_TURN),
            climb_mps: wider(self.climb_mps, ROUGH_SPEED),
        };
        if turn_radps.abs() > ROUGH_TURN
            && let Some([low, _]) = &mut widened.speed_mps
        {
            *low = f64::NEG_INFINITY;
        }
        widened
    }
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            min_secs: 0.4,
            max_secs: 10.0,
            cycles: None,
            max_candidates: 10,
            decay: Decay::Spring {
                half_life_secs: score::DEFAULT_HALF_LIFE_SECS,
            },
            within: None,
            travel: TravelBounds::default(),
            idle: false,
            mirror: None,
        }
    }
}

/// A stretch proposed as a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopCandidate {
    /// The stretch, its end refined below one frame; half of the loop where its mirror image follows.
    pub cut: Cut,
    /// Whether the loop is the stretch followed by its mirror image.
    pub is_mirrored: bool,
    /// Seconds of the loop as recorded: from start to end, twice as much where the image follows.
    pub source_period_secs: f64,
    /// Fundamental periods within the loop.
    pub cycles: u32,
    /// Exact two-sided cost of the seam at the nearest whole frames, metre-seconds.
    pub seam_cost: f64,
    /// Cost over the median cost of random pairs of the take; a repeat stays below [`MAX_COST_RATIO`]. `None` where the
    /// take is too short for such pairs.
    pub cost_ratio: Option<f64>,
    /// Likeness of the frames around with themselves one period on, at most 1; `None` where no rhythm was measured.
    pub strength: Option<f64>,
    /// Autocorrelation of the whole take at this period: low where only this stretch repeats, `None` where the take is too
    /// short to tell.
    pub take_strength: Option<f64>,
    /// Whether the stretch all but stands.
    pub is_idle: bool,
    /// Where the root stands at the start.
    pub root_start: Rigid,
    /// Twist of the root over the period, metres and radians per second.
    pub twist: Twist,
    /// How well one constant twist describes the travel, 0 to 1: inside the stretch, and of periods that begin a little
    /// earlier or later.
    pub steadiness: f64,
    /// The take's own acceleration at the seam over the 99th percentile inside the cut, for the worst joint: where a foot
    /// strikes just then, the seam looks like a pop however well it is closed.
    pub abruptness: f64,
    /// Frames within to which the pose jumps from the frame before: no closure mends them.
    pub num_jumps: usize,
    /// Mean speed of the body over the stretch, relative to the take's pace ([`crate::analysis::energy::Energy::pace`]).
    pub energy: f64,
    /// Where in its cycle the body is at the seam, as [`crate::analysis::contacts::Contacts::phase`] has it.
    pub contact_phase: Option<f64>,
}

impl LoopCandidate {
    /// Length of the loop in source frames, fractional.
    pub fn num_frames(&self) -> f64 {
        self.cut.num_frames() * if self.is_mirrored { 2.0 } else { 1.0 }
    }

    /// Whether the take as a whole bears the loop out; otherwise it stands for its own stretch only, or for too little to
    /// tell.
    pub fn is_confident(&self) -> bool {
        !self.is_idle
            && self
                .take_strength
                .is_some_and(|strength| strength >= CONFIDENT_TAKE_STRENGTH)
    }

    /// Whether the loop can be recommended: the travel is steady, where there is any, the take is calm at the seam, and no
    /// pose jumps within.
    pub fn is_sound(&self) -> bool {
        let travels = self.twist.linear.length() > MIN_TRAVEL_SPEED;
        let unsteady = travels && self.steadiness < MIN_STEADINESS;
        !unsteady && self.abruptness <= MAX_ABRUPTNESS && self.num_jumps == 0
    }
}

/// Steadiness below which a constant twist does not describe the travel: walks reach 0.8, a walk with a U-turn in it 0.04.
const MIN_STEADINESS: f64 = 0.5;

/// Below this speed there is no travel to be steady, metres per second.
const MIN_TRAVEL_SPEED: f64 = 0.2;

/// Abruptness above which a closed seam risks to be taken for a pop, which begins at 1.5.
const MAX_ABRUPTNESS: f64 = 1.25;

/// A repeat costs at most this share of the median cost of random pairs.
///
/// Measured: gaits .03 to .15, an unrelated short take .36, a take of a single cycle .92.
pub const MAX_COST_RATIO: f64 = 0.3;

/// Fewest cycles are preferred up to this factor over the lowest cost of any length.
const COST_ALLOWANCE: f64 = 1.25;

/// Costs this small a share of the random median are all alike: the best gaits reach 0.03, nobody sees the difference below,
/// and an exact repeat has no best multiple.
const EVEN_COST_RATIO: f64 = 0.04;

/// Loops are alike when both their ends lie this close together, seconds.
const SEPARATION_SECS: f64 = 0.1;

/// Random pairs are at least this far apart, seconds: neighbours in time are alike without being a repeat.
const RANDOM_GAP_SECS: f64 = 0.5;

/// Pairs looked at one after the other before the search gives up.
const MAX_LOOKED_AT: usize = 400;

/// Idle loops below this length are twitches, seconds.
const MIN_IDLE_SECS: f64 = 2.0;

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
    /// The pair travels in another way than asked for.
    Travel {
        /// Twist found.
        found: Twist,
    },
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
    /// No frame is clean together with its neighbours, so none can be an end of a loop.
    #[error("no frame of the take is clean together with its neighbours")]
    AllSoiled,
    /// The bounds are not usable numbers.
    #[error("lengths must be positive seconds in order, found {min_secs} to {max_secs}")]
    Bounds {
        /// Shortest asked for, seconds.
        min_secs: f64,
        /// Longest asked for, seconds.
        max_secs: f64,
    },
}

/// How often a take repeats: a fundamental period and its multiples.
#[derive(Clone, Debug, PartialEq)]
pub struct TakeRhythm {
    /// Seconds of one cycle, from the recommended loop.
    pub period_secs: f64,
    /// How sure that is, 0 to 1: likeness of the whole take with itself one cycle on, or of the frames around the loop where
    /// the take is too short to tell.
    pub confidence: f64,
    /// Likeness of the whole take with itself after one cycle, two, three and so on, as far as it tells and loops may last.
    pub multiples: Vec<f64>,
}

/// Loops of one segment of a take.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentLoops {
    /// What the body does, and where.
    pub segment: Segment,
    /// The recommended loop in it, or the reason why there is none.
    pub best: Result<LoopCandidate, Option<NearestMiss>>,
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

    /// How often the take repeats; `None` where nothing that moves does.
    pub fn rhythm(&self, analysis: &Analysis, settings: &SearchSettings) -> Option<TakeRhythm> {
        let best = self.best().filter(|best| !best.is_idle)?;
        let cycles = f64::from(best.cycles.max(1));
        let (period_frames, period_secs) = (best.num_frames() / cycles, best.source_period_secs / cycles);
        let multiples: Vec<f64> = (1..)
            .map(f64::from)
            .take_while(|multiple| multiple * period_secs <= settings.max_secs)
            .map_while(|multiple| analysis.spectrum.at(multiple * period_frames))
            .collect();
        let told = multiples.first().copied().or(best.strength).unwrap_or(0.0);
        Some(TakeRhythm {
            period_secs,
            confidence: told.clamp(0.0, 1.0),
            multiples,
        })
    }
}

/// Finds distinct loops in a take.
///
/// Candidates repeat around their seam (likeness and rhythm of the frames around, not of two poses alone), cost less than
/// [`MAX_COST_RATIO`] of what random pairs cost, and move; idle stretches are proposed only where nothing else repeats. The
/// first is, among those that are sound ([`LoopCandidate::is_sound`]), the one with the fewest cycles whose cost is within a
/// quarter of the lowest of any length.
/// Errors: the take is too short or still, or the bounds are not numbers in order.
pub fn find(take: &Take, analysis: &Analysis, settings: &SearchSettings) -> Result<Found, SearchError> {
    check(take, analysis, settings)?;
    let images = images(take, analysis, settings);
    let finder = Finder::new(take, analysis, settings, images.as_ref());
    Ok(finder.find(settings.within, settings.idle))
}

/// The best loop of every segment of a take, in the order of time.
///
/// A segment is a stretch in which the body gets along in one way ([`crate::analysis::segments`]); idle ones offer loops that
/// all but stand. Those too short for the shortest loop are left out. Errors: as [`find`].
pub fn find_per_segment(
    take: &Take,
    analysis: &Analysis,
    settings: &SearchSettings,
) -> Result<Vec<SegmentLoops>, SearchError> {
    check(take, analysis, settings)?;
    // One finder for all: what bounds the seams and what random frames cost is the same everywhere.
    let settings = SearchSettings {
        max_candidates: 1,
        ..settings.clone()
    };
    let images = images(take, analysis, &settings);
    let finder = Finder::new(take, analysis, &settings, images.as_ref());
    let (first, last) = settings.within.unwrap_or((0, usize::MAX));
    let segments = analysis.segments.iter().filter_map(|segment| {
        let segment = Segment {
            start_frame: segment.start_frame.max(first),
            end_frame: segment.end_frame.min(last),
            ..*segment
        };
        let is_idle = segment.gait == Gait::Idle;
        let shortest = settings.min_secs.max(if is_idle { MIN_IDLE_SECS } else { 0.0 });
        let secs = segment.end_frame.checked_sub(segment.start_frame)? as f64 * loop_frame_secs(take, &settings);
        (secs >= shortest).then_some((segment, is_idle))
    });
    Ok(segments
        .map(|(segment, is_idle)| {
            let found = finder.find(Some((segment.start_frame, segment.end_frame)), is_idle);
            SegmentLoops {
                segment,
                best: found.candidates.into_iter().next().ok_or(found.nearest_miss),
            }
        })
        .collect())
}

/// Whether a take can be searched at all.
fn check(take: &Take, analysis: &Analysis, settings: &SearchSettings) -> Result<(), SearchError> {
    let (min_secs, max_secs) = (settings.min_secs, settings.max_secs);
    if !(min_secs > 0.0 && max_secs >= min_secs) {
        return Err(SearchError::Bounds { min_secs, max_secs });
    }
    if take.num_frames() > 1 && !analysis.usable.contains(&true) {
        return Err(SearchError::AllSoiled);
    }
    if analysis.energy.is_still() && take.num_frames() > 1 {
        return Err(SearchError::Still);
    }
    let min_lag = min_lag(take, settings);
    if take.num_frames() < 3 || min_lag > take.num_frames() - 1 {
        return Err(SearchError::TooShort {
            take_secs: take.duration_secs(),
            min_secs,
        });
    }
    Ok(())
}

/// Frames between the ends of the shortest loop asked for.
fn min_lag(take: &Take, settings: &SearchSettings) -> usize {
    (settings.min_secs / loop_frame_secs(take, settings) - 1e-9).ceil() as usize
}

/// Seconds by which a loop grows when its ends lie one frame further apart.
fn loop_frame_secs(take: &Take, settings: &SearchSettings) -> f64 {
    take.frame_time_secs() * if settings.mirror.is_some() { 2.0 } else { 1.0 }
}

/// The features that a mirrored search compares; `None` for any other.
fn images(take: &Take, analysis: &Analysis, settings: &SearchSettings) -> Option<Features> {
    let mirror = settings.mirror.as_ref()?;
    let joints = features::mirrored_weights(&analysis.joints, mirror);
    let of_halves = Features::of(take, &analysis.world, &analysis.heading, &analysis.body, &joints);
    Some(of_halves.with_images(&joints, mirror))
}

/// All that [`find`] tells about a candidate, for a stretch that the caller chose.
///
/// The stretch need not qualify as a loop, and its ends stay as they are; figures are those of the nearest whole frames.
pub fn appraise(
    take: &Take,
    analysis: &Analysis,
    settings: &SearchSettings,
    start_frame: f64,
    end_frame: f64,
) -> Result<LoopCandidate, CutError> {
    let cut = Cut::new(take, start_frame, end_frame)?;
    let (start_frame, end_frame) = (start_frame.round() as usize, end_frame.round() as usize);
    let num_intervals = end_frame - start_frame;
    if num_intervals < 3 {
        return Err(CutError::TooShort { num_intervals });
    }
    let images = images(take, analysis, settings);
    let finder = Finder::new(take, analysis, settings, images.as_ref());
    let pair = SeamPair {
        start_frame,
        end_frame,
        cost: finder.seams.cost(start_frame, finder.later.later(end_frame)),
    };
    let lag = end_frame - start_frame;
    let rhythm = rhythm::measure(finder.later, start_frame, lag, take.frame_time_secs())
        .filter(|rhythm| rhythm.strength >= rhythm::MIN_STRENGTH && rhythm.prominence >= rhythm::MIN_PROMINENCE);
    let idle = analysis.energy.activities()[start_frame..=end_frame]
        .iter()
        .all(|&activity| activity == Activity::Idle);
    Ok(finder.describe(&pair, cut, rhythm, idle))
}

/// A size at the seam of a pair over the 99th percentile of the sizes inside, sizes below `floor` counted as that.
///
/// Closing gives the seam the mean of both ends, and leaves the frame before the end nearly as it is. Where the image of
/// another joint meets the start and makes the other half of the loop, `image` is the size of that joint.
fn stands_out(pair: &SeamPair, size: &dyn Fn(usize) -> f64, image: Option<&dyn Fn(usize) -> f64>, floor: f64) -> f64 {
    let (start, end) = (pair.start_frame, pair.end_frame);
    let met = image.unwrap_or(size);
    let mut inside: Vec<f64> = (start + 1..end - 1).map(size).collect();
    if image.is_some() {
        inside.extend((start + 1..end - 1).map(met));
    }
    inside.sort_by(f64::total_cmp);
    let seam = (0.5 * (size(start) + met(end))).max(met(end - 1));
    seam / percentile(&inside, 0.99).max(floor)
}

struct Finder<'a> {
    take: &'a Take,
    analysis: &'a Analysis,
    settings: &'a SearchSettings,
    seams: Seams<'a>,
    /// What poses are held against one lag later.
    later: Later<'a>,
    /// Made for the first search; a stretch that is only appraised needs none.
    bounds: OnceCell<SeamBounds<'a>>,
    separation: usize,
    random_cost: Option<f64>,
}

impl<'a> Finder<'a> {
    /// `images` holds the features with those of their images, for a mirrored search.
    fn new(take: &'a Take, analysis: &'a Analysis, settings: &'a SearchSettings, images: Option<&'a Features>) -> Self {
        let later = images.map_or_else(|| Later::poses(&analysis.features), Later::images);
        let seams = Seams::new(later.features(), SeamCost::even(settings.decay));
        let dt = take.frame_time_secs();
        Self {
            take,
            analysis,
            settings,
            seams,
            later,
            bounds: OnceCell::new(),
            separation: (SEPARATION_SECS / dt).round() as usize,
            random_cost: seams.random_median(&analysis.usable, (RANDOM_GAP_SECS / dt).round() as usize),
        }
    }

    /// Loops whose ends lie in the frames `within`, the whole take where `None`: those that move, and where there are none, or
    /// where `idle` asks for them alone, those that all but stand.
    fn find(&self, within: Option<(usize, usize)>, idle: bool) -> Found {
        let (take, settings) = (self.take, self.settings);
        let (first, last) = within.unwrap_or((0, usize::MAX));
        let usable = self.analysis.usable.iter().enumerate();
        let usable: Vec<bool> = usable
            .map(|(frame, &is)| is && (first..=last).contains(&frame))
            .collect();
        let min_lag = min_lag(take, settings);
        // Saturates for an endless bound.
        let max_lag = (settings.max_secs / loop_frame_secs(take, settings) + 1e-9).floor() as usize;
        let mut found = if idle {
            Found {
                candidates: Vec::new(),
                random_cost: self.random_cost,
                nearest_miss: None,
            }
        } else {
            self.search(&usable, min_lag..=max_lag, Activity::Moving)
        };
        // An idle loop is one cycle of nothing in particular.
        let may_stand = settings.mirror.is_none() && settings.cycles.is_none_or(|cycles| cycles == 1);
        if found.candidates.is_empty() && may_stand {
            let min_idle = min_lag.max((MIN_IDLE_SECS / take.frame_time_secs()).round() as usize);
            let idle = self.search(&usable, min_idle..=max_lag, Activity::Idle);
            found.candidates = idle.candidates;
            found.nearest_miss = found.nearest_miss.or(idle.nearest_miss);
        }
        found
    }

    fn search(&self, usable: &[bool], lags: core::ops::RangeInclusive<usize>, activity: Activity) -> Found {
        let mut found = Found {
            candidates: Vec::new(),
            random_cost: self.random_cost,
            nearest_miss: None,
        };
        let Some(random_cost) = self.random_cost.filter(|&cost| cost > 0.0) else {
            return found;
        };
        let admission = Admission::new(&self.analysis.energy, usable, lags, activity);
        let admission = if self.later.is_mirrored() {
            admission.of_images()
        } else {
            admission
        };
        let idle = activity == Activity::Idle;
        let mut sound = self.collect(&admission, random_cost, idle, &mut found);
        if found.candidates.is_empty()
            && let Some(lags) = self.lags_of_cycles(&found)
        {
            // Cheaper pairs of other numbers of cycles may have used up all that is looked at.
            sound = self.collect(&admission.with_lags(lags), random_cost, idle, &mut found);
        }
        if let Some(best) = sound.or_else(|| found.candidates.first().cloned()) {
            let chosen = if idle {
                best
            } else {
                self.fewest_cycles(best, &admission, random_cost)
            };
            self.put_first(&mut found.candidates, chosen);
        }
        found
    }

    /// Adds the distinct loops that qualify, cheapest first, and gives the first sound one among all that were looked at.
    fn collect(&self, admission: &Admission, random_cost: f64, idle: bool, found: &mut Found) -> Option<LoopCandidate> {
        let limit = self.settings.max_candidates.max(1);
        let mut sound: Option<LoopCandidate> = None;
        let mut looked_at = 0;
        for pair in self.pairs(admission, f64::MAX) {
            if looked_at == MAX_LOOKED_AT || (found.candidates.len() >= limit && sound.is_some()) {
                break;
            }
            let judged = match self.strays(&pair) {
                Some(found) if pair.cost <= MAX_COST_RATIO * random_cost => Err(MissReason::Travel { found }),
                _ => {
                    looked_at += 1;
                    self.judge(&pair, random_cost, idle)
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
        sound
    }

    /// Lengths of as many cycles as are asked for, where pairs of another number told how long one is.
    fn lags_of_cycles(&self, found: &Found) -> Option<core::ops::RangeInclusive<usize>> {
        let asked = f64::from(self.settings.cycles?);
        let miss = found.nearest_miss.as_ref()?;
        let MissReason::Cycles { found } = miss.reason else {
            return None;
        };
        let period = (miss.pair.end_frame - miss.pair.start_frame) as f64 / f64::from(found.max(1));
        Some(((asked - 0.5) * period).ceil() as usize..=((asked + 0.5) * period).floor() as usize)
    }

    /// The travel of a pair, where the heading at its two ends alone tells that it is far from what is asked for.
    ///
    /// This costs next to nothing, so that pairs that travel otherwise do not use up what is looked at.
    fn strays(&self, pair: &SeamPair) -> Option<Twist> {
        if self.settings.travel == TravelBounds::default() {
            return None;
        }
        let heading = &self.analysis.heading;
        let [start, end] = [pair.start_frame, pair.end_frame].map(|frame| heading.world_from_heading(frame));
        let secs = (pair.end_frame - pair.start_frame) as f64 * self.take.frame_time_secs();
        let rough = Twist {
            // Whole turns count, so the way is unknown and the speed that of the straight line, which is the least.
            linear: (start.inverse() * end).translation / secs,
            // What half a cycle turns, its image turns back.
            angular: if self.later.is_mirrored() {
                DVec3::ZERO
            } else {
                DVec3::Y * (heading.yaw(pair.end_frame) - heading.yaw(pair.start_frame)) / secs
            },
        };
        (!self.settings.travel.widened(rough.angular.y).admit(&rough)).then_some(rough)
    }

    /// Distinct pairs of frames that cost no more than `max_cost`, cheapest first.
    fn pairs(&self, admission: &Admission, max_cost: f64) -> impl Iterator<Item = SeamPair> {
        let bounds = self.bounds.get_or_init(|| {
            let usable = &self.analysis.usable;
            if self.later.is_mirrored() {
                SeamBounds::new(self.seams, &[usable.as_slice(), usable.as_slice()].concat())
            } else {
                SeamBounds::new(self.seams, usable)
            }
        });
        let shift = self.later.later(0);
        DistinctPairs::new(bounds, admission.clone(), self.separation)
            .up_to(max_cost)
            .map(move |pair| SeamPair {
                // Ends are found as images; what they are images of is meant.
                end_frame: pair.end_frame - shift,
                ..pair
            })
    }

    fn judge(&self, pair: &SeamPair, random_cost: f64, idle: bool) -> Result<LoopCandidate, MissReason> {
        let cost_ratio = pair.cost / random_cost;
        if cost_ratio > MAX_COST_RATIO {
            return Err(MissReason::CostRatio { found: cost_ratio });
        }
        let dt = self.take.frame_time_secs();
        let lag = pair.end_frame - pair.start_frame;
        let start = pair.start_frame as f64;
        if idle {
            let cut = Cut::new(self.take, start, start + lag as f64).map_err(|_| MissReason::SeenOnce)?;
            return self.admitted(self.describe(pair, cut, None, true));
        }
        let rhythm = rhythm::measure(self.later, pair.start_frame, lag, dt).ok_or(MissReason::SeenOnce)?;
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
        let refined = refine::refine_lag(self.later, pair.start_frame, lag, rhythm.cycles);
        let cut = Cut::new(self.take, start, start + refined).map_err(|_| MissReason::SeenOnce)?;
        self.admitted(self.describe(pair, cut, Some(rhythm), false))
    }

    /// The candidate, where it travels as asked for.
    fn admitted(&self, candidate: LoopCandidate) -> Result<LoopCandidate, MissReason> {
        if self.settings.travel.admit(&candidate.twist) {
            Ok(candidate)
        } else {
            Err(MissReason::Travel { found: candidate.twist })
        }
    }

    /// All that is told about a stretch, whether or not it qualifies.
    fn describe(&self, pair: &SeamPair, cut: Cut, rhythm: Option<Rhythm>, is_idle: bool) -> LoopCandidate {
        let cycles = rhythm.map_or(1, |rhythm| rhythm.cycles);
        let (travel, steadiness) = match &self.settings.mirror {
            Some(mirror) => self.travel_of_half(pair, mirror),
            None => self.travel(pair, cycles),
        };
        let num_frames = cut.num_frames() * if self.later.is_mirrored() { 2.0 } else { 1.0 };
        LoopCandidate {
            cut,
            is_mirrored: self.later.is_mirrored(),
            source_period_secs: num_frames * self.take.frame_time_secs(),
            cycles,
            seam_cost: pair.cost,
            cost_ratio: self.random_cost.filter(|&cost| cost > 0.0).map(|cost| pair.cost / cost),
            strength: rhythm.map(|rhythm| rhythm.strength),
            take_strength: self.analysis.spectrum.at(num_frames),
            is_idle,
            root_start: travel.start,
            twist: travel.twist,
            steadiness,
            abruptness: self.abruptness(pair),
            num_jumps: (self.analysis.screen.jumps.iter())
                .filter(|&&frame| pair.start_frame < frame && frame <= pair.end_frame)
                .count(),
            energy: self.energy(pair),
            contact_phase: (self.analysis.contacts).phase(cut.start_frame(), num_frames / f64::from(cycles.max(1))),
        }
    }

    /// Mean speed of the body over the pair, relative to the take's pace; 0 where nothing moves.
    fn energy(&self, pair: &SeamPair) -> f64 {
        let pace = self.analysis.energy.pace();
        let frames = pair.start_frame..pair.end_frame;
        let count = frames.len().max(1) as f64;
        let mean = frames.map(|frame| self.analysis.features.speed(frame)).sum::<f64>() / count;
        if pace > 0.0 { mean / pace } else { 0.0 }
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
                // Lengths nearer to this number of cycles than to its neighbours.
                let from = (f64::from(cycles) - 0.5) * period;
                let to = (f64::from(cycles) + 0.5) * period;
                let narrowed = admission.with_lags(from.ceil() as usize..=to.floor() as usize);
                self.pairs(&narrowed, limit)
                    .take(MAX_LOOKED_AT)
                    .filter_map(|pair| self.judge(&pair, random_cost, false).ok())
                    .find(|found| found.cycles == cycles && found.is_sound() >= best.is_sound())
            })
            .unwrap_or(best)
    }

    /// Puts a candidate at the head of the list and takes out those that are alike.
    fn put_first(&self, candidates: &mut Vec<LoopCandidate>, first: LoopCandidate) {
        let alike = |other: &LoopCandidate| {
            (other.cut.start_frame() - first.cut.start_frame()).abs() <= self.separation as f64
                && (other.cut.end_frame() - first.cut.end_frame()).abs() <= self.separation as f64
        };
        candidates.retain(|other| !alike(other));
        candidates.insert(0, first);
        candidates.truncate(self.settings.max_candidates.max(1));
    }

    /// The take's acceleration at both ends over the 99th percentile of that between them, for the worst joint: of world
    /// positions, and of local rotations, which alone tell of toes and hands.
    fn abruptness(&self, pair: &SeamPair) -> f64 {
        let world = &self.analysis.world;
        let last = self.take.num_frames() - 1;
        let around = |frame: usize| {
            let frame = frame.clamp(1, last - 1);
            [frame - 1, frame, frame + 1]
        };
        let mut worst = 0.0_f64;
        for joint in 0..world.num_joints() {
            let moved = |joint: usize| {
                move |frame: usize| {
                    let [before, at, after] = around(frame).map(|frame| world.position(frame, joint));
                    (before - 2.0 * at + after).length()
                }
            };
            let turned = |joint: usize| {
                move |frame: usize| {
                    let [before, at, after] = around(frame).map(|frame| self.take.rotations(frame)[joint]);
                    (rotation::difference(before, at) + rotation::difference(after, at)).length()
                }
            };
            let partner = self.settings.mirror.as_ref().map(|mirror| mirror.partner(joint));
            let (image_moved, image_turned) = (partner.map(moved), partner.map(turned));
            let image_moved = image_moved.as_ref().map(|size| size as &dyn Fn(usize) -> f64);
            let image_turned = image_turned.as_ref().map(|size| size as &dyn Fn(usize) -> f64);
            // Below a tenth of a millimetre or of a degree per frame squared there is nothing to see.
            worst = worst
                .max(stands_out(pair, &moved(joint), image_moved, 1e-4))
                .max(stands_out(pair, &turned(joint), image_turned, 2e-3));
        }
        worst
    }

    /// How far the heading strays from a screw between the ends of a pair: 1 for half the body height or a quarter turn.
    fn strayed(&self, pair: &SeamPair, travel: &CycleTravel, half_height: f64) -> f64 {
        let heading = &self.analysis.heading;
        let dt = self.take.frame_time_secs();
        (pair.start_frame..=pair.end_frame)
            .map(|frame| {
                let secs = (frame - pair.start_frame) as f64 * dt;
                let off = heading.ground(frame) - (travel.start * travel.twist.exp(secs)).translation;
                let root_yaw = rotation::yaw_of(travel.start.rotation) + travel.twist.angular.y * secs;
                let turned = rotation::wrap_angle(heading.yaw(frame) - root_yaw);
                (ops::hypot(off.x, off.z) / half_height).max(turned.abs() / core::f64::consts::FRAC_PI_2)
            })
            .fold(0.0, f64::max)
    }

    /// Travel over half a cycle whose mirror image follows, and how well a straight line describes it, 0 to 1.
    fn travel_of_half(&self, pair: &SeamPair, mirror: &Mirror) -> (CycleTravel, f64) {
        let dt = self.take.frame_time_secs();
        let lag = pair.end_frame - pair.start_frame;
        let travel = HalfCycle {
            analysis: self.analysis,
            mirror,
            skeleton: self.take.skeleton(),
            world: &self.analysis.world,
            heading: &self.analysis.heading,
            first: pair.start_frame,
            num_intervals: lag,
            half_secs: lag as f64 * dt,
            reach: (WINDOW_SECS / dt).round() as usize,
        }
        .travel();
        let half_height = 0.5 * self.analysis.body.stature(self.take).unwrap_or(1.7);
        let strayed = self.strayed(pair, &travel, half_height);
        (travel, (1.0 - strayed).clamp(0.0, 1.0))
    }

    /// Travel over the pair, and how well one constant twist describes it, 0 to 1.
    ///
    /// The lower of two likenesses: of the heading inside the cut with the screw (a deviation of half the body height or of
    /// a quarter turn is none), and of the travel of one period with that of periods that begin up to half a cycle earlier
    /// or later, as far as the take goes.
    fn travel(&self, pair: &SeamPair, cycles: u32) -> (CycleTravel, f64) {
        let heading = &self.analysis.heading;
        let (start_frame, lag) = (pair.start_frame, pair.end_frame - pair.start_frame);
        let dt = self.take.frame_time_secs();
        let reach = (WINDOW_SECS / dt).round() as usize;
        let (world, body) = (&self.analysis.world, &self.analysis.body);
        let motion = fit_window(
            self.take.skeleton(),
            world,
            body,
            &self.analysis.joints,
            start_frame,
            lag,
            reach,
        );
        let period_secs = lag as f64 * dt;
        let travel = Cycle {
            heading,
            first: start_frame,
            num_intervals: lag,
            period_secs,
            motion,
            cycles,
        }
        .travel();
        let half_height = 0.5 * body.stature(self.take).unwrap_or(1.7);

        let strayed = self.strayed(pair, &travel, half_height);

        let twist_at = |start: usize| {
            let motion = heading.world_from_heading(start).inverse() * heading.world_from_heading(start + lag);
            let turn = heading.yaw(start + lag) - heading.yaw(start);
            (motion.translation / period_secs, turn / period_secs)
        };
        let half = lag / (2 * cycles.max(1) as usize);
        let earliest = start_frame.saturating_sub(half);
        let latest = (start_frame + half).min(heading.num_frames() - 1 - lag);
        let (own_velocity, own_turn) = twist_at(start_frame);
        // A tenth of a metre per second keeps loops on the spot from being judged by noise over nothing.
        let size = own_velocity.length() + half_height * own_turn.abs() + 0.1;
        let changed = (earliest..=latest)
            .map(|start| {
                let (velocity, turn) = twist_at(start);
                ((velocity - own_velocity).length() + half_height * (turn - own_turn).abs()) / size
            })
            .fold(0.0, f64::max);
        (travel, (1.0 - strayed.max(changed)).clamp(0.0, 1.0))
    }
}
