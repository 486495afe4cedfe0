//! Result of a search: loops with their figures, and the nearest miss where there is none.

use core::{fmt, ops::AddAssign};

use super::outcome::Outcome;
use super::seams::SeamPair;
use super::settings::SearchSettings;
use super::steadiness::Steadiness;
use super::whole::{WholeClip, WholeClipKind};
use crate::analysis::{Analysis, MOVING_MPS, Spectrum};
use crate::math::rigid::{Rigid, Twist};
use crate::mirror::Pairing;
use crate::quality::Quality;
use crate::root_motion::RootMode;
use crate::take::Cut;

/// Result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub struct FoundLoops {
    /// Distinct loops: the recommended one first, then by cost.
    pub candidates: Vec<LoopCandidate>,
    /// Median seam cost of random pairs of the take, metre-seconds; `None` for takes under half a second.
    pub random_cost: Option<f64>,
    /// The pair that came nearest, where nothing qualified or fewer loops than asked for.
    pub nearest_miss: Option<NearestMiss>,
    /// The cycles that a search for each cycle found and did not list; `None` for other searches.
    pub left_out: Option<CyclesLeftOut>,
}

/// Cycles of a gait that are no loops to use, by the first reason that holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub struct CyclesLeftOut {
    /// Its pose does not come back, or the motion around its ends differs.
    pub no_repeat: usize,
    /// The root motion is unsteady, or a pose jumps or moves abruptly at the seam: [`LoopCandidate::is_sound`].
    pub unsound: usize,
    /// Its pace or turn differs from that of the cycles around it: [`crate::candidate::Steadiness::is_even`].
    pub uneven: usize,
}

impl CyclesLeftOut {
    /// All of them.
    pub fn count(self) -> usize {
        self.no_repeat + self.unsound + self.uneven
    }
}

impl AddAssign for CyclesLeftOut {
    fn add_assign(&mut self, other: Self) {
        self.no_repeat += other.no_repeat;
        self.unsound += other.unsound;
        self.uneven += other.uneven;
    }
}

/// `3 of uneven pace or turn`.
impl fmt::Display for CyclesLeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons = [
            (self.no_repeat, "whose end does not meet its start"),
            (self.unsound, "with a jump, an abrupt seam or unsteady root motion"),
            (self.uneven, "of uneven pace or turn"),
        ];
        let reasons = reasons.into_iter().filter(|&(count, _)| count > 0);
        let reasons: Vec<String> = reasons.map(|(count, why)| format!("{count} {why}")).collect();
        f.write_str(&reasons.join(", "))
    }
}

impl FoundLoops {
    /// The recommended loop.
    pub fn best(&self) -> Option<&LoopCandidate> {
        self.candidates.first()
    }

    /// The rhythm of the take; `None` where nothing that moves repeats.
    pub fn rhythm(&self, analysis: &Analysis, settings: &SearchSettings) -> Option<TakeRhythm> {
        let best = self
            .best()
            .filter(|best| !best.is_idle && !best.pairing.is_ping_pong())?;
        let cycles = f64::from(best.cycles.max(1));
        let secs_per_frame = best.source_period_secs / best.num_frames;
        let own_frames = best.num_frames / cycles;
        // The take's usual cycle, of which the loop may be a slow or a fast one.
        let reach = [1.0 - RHYTHM_REACH, 1.0 + RHYTHM_REACH].map(|share| (share * own_frames).round() as usize);
        let usual = analysis.spectrum.peaks(reach[0], reach[1], Spectrum::RHYTHM_PROMINENCE);
        let period_frames = usual.first().map_or(own_frames, |peak| peak.lag_frames);
        let period_secs = period_frames * secs_per_frame;
        let multiples: Vec<f64> = (1..)
            .map(f64::from)
            .take_while(|multiple| multiple * period_secs <= settings.max_secs)
            .map_while(|multiple| analysis.spectrum.at(multiple * period_frames))
            .collect();
        let confidence = multiples.first().copied().or(best.strength).unwrap_or(0.0);
        Some(TakeRhythm {
            period_secs,
            confidence: confidence.clamp(0.0, 1.0),
            multiples,
        })
    }
}

/// How far a cycle of a loop is from the usual one of its take, as a share.
const RHYTHM_REACH: f64 = 0.15;

/// A stretch proposed as a loop.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub struct LoopCandidate {
    /// The stretch, its end refined below one frame; half of the loop where its mirror image follows, or where it is played there and
    /// back.
    pub cut: Cut,
    /// What the end of the stretch meets; where that is the mirror image of the start, the loop is the stretch followed by its
    /// image.
    pub pairing: Pairing,
    /// Length of the loop in source frames, fractional: that of the cut, twice as much where the image follows, and with the turns where it
    /// is played there and back.
    pub num_frames: f64,
    /// Length of the loop in seconds, as recorded.
    pub source_period_secs: f64,
    /// Fundamental periods within the loop.
    pub cycles: u32,
    /// Exact two-sided cost of the seam at the nearest whole frames, metre-seconds.
    pub seam_cost: f64,
    /// Cost over the median cost of random pairs of the take; a repeat stays below [`super::MAX_COST_RATIO`]. `None` where the
    /// take is too short for such pairs.
    pub cost_ratio: Option<f64>,
    /// Similarity of the frames around the seam to those one period later, at most 1; `None` where no rhythm was measured.
    pub strength: Option<f64>,
    /// Whether the cycles around it, three in a row or more, are each like the next.
    pub goes_on_alike: bool,
    /// Autocorrelation of the whole take at this period: low where only this stretch repeats, `None` where the take is too short.
    pub take_strength: Option<f64>,
    /// Whether the body is idle in the stretch.
    pub is_idle: bool,
    /// World transform of the root at the start.
    pub root_start: Rigid,
    /// Twist of the root over the period, metres and radians per second.
    pub twist: Twist,
    /// How well one constant twist describes the root motion, 0 to 1: inside the stretch, and over periods that begin a little
    /// earlier or later.
    pub steadiness: f64,
    /// How evenly the take moves on over the stretch and around its ends.
    pub steadiness_around: Steadiness,
    /// The take's own acceleration at the seam over the 99th percentile inside the cut, for the worst joint. Where a foot strikes
    /// there, the seam looks like a pop however well it is closed.
    pub abruptness: f64,
    /// Frames inside at which the pose jumps from the frame before; no closure repairs them.
    pub num_jumps: usize,
    /// Mean speed of the body over the stretch, relative to the take's pace ([`crate::analysis::activity::Activity::pace`]).
    pub activity: f64,
    /// Phase of the body's cycle at the seam, as in [`crate::analysis::contacts::Contacts::phase`].
    pub contact_phase: Option<f64>,
    /// How good the loop looks to a person; `None` where it was not worked out.
    pub outcome: Option<Outcome>,
    /// The figures of the loop as it is made with default settings, not written; `None` where the search did not make it.
    pub quality: Option<Box<Quality>>,
    /// How the ends meet where the stretch is the whole take; `None` for a stretch that a search or the caller chose.
    pub whole: Option<WholeClip>,
}

impl LoopCandidate {
    /// Whether the take as a whole repeats at this period, loops already, or repeats so well around this stretch that the rest does
    /// not matter: a long take walks, stops and turns. If not, the stretch may be alike by chance, or the take is too short to
    /// decide.
    pub fn is_confident(&self) -> bool {
        if self.pairing.is_ping_pong() {
            return true;
        }
        if let Some(whole) = &self.whole {
            return whole.kind == WholeClipKind::Loops;
        }
        let of_take = self.take_strength.unwrap_or(-1.0);
        let of_stretch = self.strength.unwrap_or(-1.0);
        let repeats_here = of_stretch >= CONFIDENT_STRENGTH && self.steadiness >= STEADY;
        // Between two turns there may be fewer.
        let goes_evenly = self.twist.linear.length() >= MOVING_MPS
            && self.steadiness_around.is_known_even()
            && of_stretch >= ALIKE_STRENGTH
            && of_take >= CONFIDENT_SHARE * CONFIDENT_TAKE_STRENGTH;
        !self.is_idle && (of_take >= CONFIDENT_TAKE_STRENGTH || repeats_here || self.goes_on_alike || goes_evenly)
    }

    /// Whether there is nothing to close: the stretch is a whole take that loops as it is, or is played there and back.
    pub fn loops_already(&self) -> bool {
        self.pairing.is_ping_pong() || self.whole.is_some_and(|whole| whole.loops_already())
    }

    /// Whether the loop ends where it began, by what it is made from rather than by its poses.
    pub fn is_in_place(&self) -> bool {
        self.pairing.is_ping_pong() || self.whole.as_ref().is_some_and(WholeClip::is_in_place)
    }

    /// Frames of the take that two loops share; negative for those between them.
    pub(super) fn shared_frames(&self, other: &Self) -> f64 {
        let (one, other) = (&self.cut, &other.cut);
        one.end_frame().min(other.end_frame()) - one.start_frame().max(other.start_frame())
    }

    /// The root motion that keeps the stretch as it is; `None` where it was cut out of a take that goes on.
    pub fn root_mode(&self) -> Option<RootMode> {
        if self.pairing.is_ping_pong() {
            Some(RootMode::InPlace)
        } else {
            self.whole.as_ref().map(WholeClip::root_mode)
        }
    }

    /// The motion of the world from start to end, where it is known otherwise than from the poses at both ends: the root of an
    /// idle body rests, and that of a whole take closes it.
    pub(crate) fn known_motion(&self) -> Option<Rigid> {
        match &self.whole {
            Some(whole) => Some(whole.motion),
            None => (self.is_idle || self.pairing.is_ping_pong()).then_some(Rigid::IDENTITY),
        }
    }

    /// Whether the root rests: the body is idle, or a whole take ends where it began after a single action.
    pub(crate) fn root_rests(&self) -> bool {
        match &self.whole {
            Some(whole) => whole.is_in_place() && (self.is_idle || whole.kind == WholeClipKind::EndsAsItBegins),
            None => self.is_idle || self.pairing.is_ping_pong(),
        }
    }

    /// Whether one constant twist describes the root motion, if there is any.
    pub fn is_steady(&self) -> bool {
        self.loops_already() || self.twist.linear.length() <= MIN_ROOT_SPEED || self.steadiness >= MIN_STEADINESS
    }

    /// Whether the loop can be recommended: the root motion, if any, is steady, the take is calm at the seam, and no pose jumps
    /// inside.
    pub fn is_sound(&self) -> bool {
        if self.loops_already() {
            return true;
        }
        self.is_steady() && self.abruptness <= MAX_ABRUPTNESS && self.num_jumps == 0
    }
}

/// Steadiness below which a constant twist does not describe the root motion: walks reach 0.8, a walk with a U-turn 0.04.
const MIN_STEADINESS: f64 = 0.5;

/// Below this speed there is no root motion to be steady, metres per second.
const MIN_ROOT_SPEED: f64 = 0.2;

/// Abruptness above which a closed seam may look like a pop, which begins at 1.5.
const MAX_ABRUPTNESS: f64 = 1.25;

/// Whole-take autocorrelation from which a loop represents its take.
pub const CONFIDENT_TAKE_STRENGTH: f64 = 0.6;

/// Similarity of the frames around the seam to those one period later, and steadiness of the root motion, from which a stretch of a long
/// take is no chance; dances and boxers reach either, not both.
const CONFIDENT_STRENGTH: f64 = 0.91;
const STEADY: f64 = 0.65;

/// Similarity of a stretch of a gait whose pace and turn are even, and its share of the autocorrelation above.
const ALIKE_STRENGTH: f64 = 0.93;
const CONFIDENT_SHARE: f64 = 2.0 / 3.0;

/// The pair that came nearest to being a loop, and why it is not one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub struct NearestMiss {
    /// The pair of frames and its cost.
    pub pair: SeamPair,
    /// Seconds between them.
    pub period_secs: f64,
    /// The condition that failed.
    pub reason: MissReason,
}

/// Why a pair of frames is not a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub enum MissReason {
    /// The seam costs too large a share of the cost of random pairs.
    CostRatio {
        /// Share found; [`super::MAX_COST_RATIO`] is the most.
        found: f64,
    },
    /// The frames around the seam do not repeat enough.
    Strength {
        /// Similarity found; [`super::rhythm::MIN_STRENGTH`] is needed.
        found: f64,
    },
    /// The frames around the seam are similar at every lag: drift, not rhythm.
    NoRhythm {
        /// Prominence found; [`super::rhythm::MIN_PROMINENCE`] is needed.
        found: f64,
    },
    /// Too little of the cycle is seen twice.
    SeenOnce,
    /// The root motion is outside the bounds asked for.
    RootMotion {
        /// Twist found.
        found: Twist,
    },
    /// The pair spans a different number of cycles than asked for.
    Cycles {
        /// Cycles found.
        found: u32,
    },
}

impl MissReason {
    /// Whether the pair repeats and is only not what was asked for.
    pub(super) fn is_of_request(self) -> bool {
        matches!(self, Self::Cycles { .. } | Self::RootMotion { .. })
    }
}

/// The rhythm of a take: a fundamental period and its multiples.
#[derive(Clone, Debug, PartialEq)]
pub struct TakeRhythm {
    /// Seconds of one cycle: at the take's highest likeness near the cycle of the recommended loop, or of that loop.
    pub period_secs: f64,
    /// Confidence of the period, 0 to 1: similarity of the whole take to itself one cycle later, or of the frames around the loop
    /// where the take is too short.
    pub confidence: f64,
    /// Similarity of the whole take to itself after one cycle, two, three and so on, as far as the take and the longest loop
    /// allow.
    pub multiples: Vec<f64>,
}
