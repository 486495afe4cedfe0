//! The result of a search: loops with their figures, or the nearest miss.

use core::fmt;

use super::{Outcome, SeamPair, SearchSettings, Steadiness, WholeClip, WholeClipKind};
use crate::{
    analysis::{Analysis, MOVING_MPS, Spectrum},
    math::{Rigid, Twist},
    mirror::Pairing,
    quality::Quality,
    root_motion::RootMode,
    take::Cut,
};

/// Result of a search.
#[handed_over(Default)]
pub struct FoundLoops {
    /// Distinct loops: the recommended one first, then by cost.
    pub candidates: Vec<LoopCandidate>,
    /// Median seam cost of random pairs of the take, metre-seconds; `None` for takes under half a second.
    pub random_cost: Option<f64>,
    /// The nearest miss, if nothing qualified or fewer loops than requested.
    pub nearest_miss: Option<NearestMiss>,
    /// The cycles that a search for each cycle left out; `None` for other searches.
    pub left_out: Option<CyclesLeftOut>,
}

/// Cycles of a gait that are unusable as loops, by the first reason that holds.
#[handed_over(Copy, Default, Eq)]
pub struct CyclesLeftOut {
    /// Their pose does not return, or the motion around their ends differs.
    pub no_repeat: usize,
    /// Their root motion is unsteady, or a pose jumps or moves abruptly at the seam: [`LoopCandidate::is_sound`].
    pub unsound: usize,
    /// Their pace or turn differs from that of the cycles around them: [`crate::candidate::Steadiness::is_even`].
    pub uneven: usize,
}

impl CyclesLeftOut {
    /// Returns their number.
    pub fn count(self) -> usize {
        self.no_repeat + self.unsound + self.uneven
    }
}

/// `3 of uneven pace or turn`.
impl fmt::Display for CyclesLeftOut {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
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
    /// Returns the recommended loop.
    pub fn best(&self) -> Option<&LoopCandidate> {
        self.candidates.first()
    }

    /// Returns the rhythm of the take, or of the part of it that was searched; `None` if nothing that moves repeats.
    pub fn rhythm(&self, analysis: &Analysis, settings: &SearchSettings) -> Option<TakeRhythm> {
        let best = self
            .best()
            .filter(|best| !best.is_idle && !best.pairing.is_ping_pong())?;
        let cycles = f64::from(best.cycles.max(1));
        let secs_per_frame = best.source_period_secs / best.num_frames;
        let own_frames = best.num_frames / cycles;
        // The take's usual cycle; the loop may be slower or faster. The spectrum says nothing about a part of the take.
        let is_whole = settings.within.is_none();
        let reach = [1.0 - RHYTHM_REACH, 1.0 + RHYTHM_REACH].map(|share| (share * own_frames).round() as usize);
        let usual = analysis.spectrum.peaks(reach[0], reach[1], Spectrum::RHYTHM_PROMINENCE);
        let usual = usual.first().filter(|_| is_whole);
        let period_frames = usual.map_or(own_frames, |peak| peak.lag_frames);
        let period_secs = period_frames * secs_per_frame;
        let multiples: Vec<f64> = (1..)
            .map(f64::from)
            .take_while(|multiple| is_whole && multiple * period_secs <= settings.max_secs)
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

/// Largest difference of a loop's cycle from the usual one of its take, as a share.
const RHYTHM_REACH: f64 = 0.15;

/// A stretch proposed as a loop.
#[handed_over]
pub struct LoopCandidate {
    /// The stretch, its end refined below one frame; half of the loop if it is mirrored or ping-pong.
    pub cut: Cut,
    /// How the ends meet; if the end is the mirror image of the start, the loop is the stretch followed by its image.
    pub pairing: Pairing,
    /// Length of the loop in source frames, fractional: that of the cut, twice as much if the image follows, and with the turns
    /// for ping-pong.
    pub num_frames: f64,
    /// Length of the loop in seconds, as recorded.
    pub source_period_secs: f64,
    /// Fundamental periods within the loop.
    pub cycles: u32,
    /// Exact two-sided cost of the seam at the nearest whole frames, metre-seconds.
    pub seam_cost: f64,
    /// Cost over the median cost of random pairs of the take; a repeat is below [`super::MAX_COST_RATIO`]. `None` if the take is
    /// too short for such pairs.
    pub cost_ratio: Option<f64>,
    /// Similarity of the frames around the seam to those one period later, at most 1; `None` if no rhythm was measured.
    pub strength: Option<f64>,
    /// Whether at least three consecutive cycles around it are each like the next.
    pub goes_on_alike: bool,
    /// Autocorrelation of the whole take at this period: low if only this stretch repeats, `None` if the take is too short.
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
    /// How even the motion of the take is over the stretch and around its ends.
    pub steadiness_around: Steadiness,
    /// The take's own acceleration at the seam over the 99th percentile inside the cut, for the worst joint. If a foot strikes
    /// there, the seam looks like a pop however well it is closed.
    pub abruptness: f64,
    /// Number of frames inside at which the pose jumps; no closure repairs them.
    pub num_jumps: usize,
    /// Mean speed of the body over the stretch, relative to the take's pace ([`crate::analysis::activity::Activity::pace`]).
    pub activity: f64,
    /// Phase of the body's cycle at the seam, as in [`crate::analysis::contacts::Contacts::phase`].
    pub contact_phase: Option<f64>,
    /// How good the loop looks; `None` if not computed.
    pub outcome: Option<Outcome>,
    /// The figures of the loop with default settings, before writing; `None` if the search did not make it.
    pub quality: Option<Box<Quality>>,
    /// How the ends meet if the stretch is the whole take; `None` for a stretch that a search or the caller chose.
    pub whole: Option<WholeClip>,
}

impl LoopCandidate {
    /// Whether the take as a whole repeats at this period, already loops, or repeats so well around this stretch that the rest
    /// does not matter: a long take walks, stops and turns. Otherwise the stretch may repeat by chance, or the take is too short
    /// to decide.
    pub fn is_confident(&self) -> bool {
        if self.pairing.is_ping_pong() {
            return true;
        }
        if let Some(whole) = &self.whole {
            return matches!(whole.kind, WholeClipKind::Loops | WholeClipKind::Mended);
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

    /// Whether it is a whole clip that already loops.
    pub fn is_finished_clip(&self) -> bool {
        self.whole.as_ref().is_some_and(WholeClip::loops_already)
    }

    /// Returns the last frame that it shows: one before its end, if it is a whole clip without its closing key.
    pub fn last_frame(&self) -> usize {
        let end = self.cut.end_frame().ceil() as usize;
        self.whole.map_or(end, |whole| end.min(whole.last_frame))
    }

    /// Returns the candidate as one whose seam is mended, whatever its author left there.
    pub(crate) fn mended(mut self) -> Self {
        if let Some(whole) = &mut self.whole {
            whole.kind = WholeClipKind::Mended;
        }
        self
    }

    /// Whether there is nothing to close: the stretch is a whole take that already loops, or ping-pong.
    pub fn loops_already(&self) -> bool {
        self.pairing.is_ping_pong() || self.whole.is_some_and(|whole| whole.loops_already())
    }

    /// Whether it keeps its place in the list, however good its loop and others are: a whole take, an idle loop, ping-pong.
    pub fn keeps_its_place(&self) -> bool {
        self.whole.is_some() || self.is_idle || self.pairing.is_ping_pong()
    }

    /// Whether the loop ends where it began because of its source, not because of its poses.
    pub fn is_in_place(&self) -> bool {
        self.pairing.is_ping_pong() || self.whole.as_ref().is_some_and(WholeClip::is_in_place)
    }

    /// Returns the frames of the take that two loops share; negative for those between them.
    pub(super) fn shared_frames(&self, other: &Self) -> f64 {
        let (one, other) = (&self.cut, &other.cut);
        one.end_frame().min(other.end_frame()) - one.start_frame().max(other.start_frame())
    }

    /// Returns the root motion that keeps the stretch as it is; `None` if it was cut out of a longer take.
    pub fn root_mode(&self) -> Option<RootMode> {
        if self.pairing.is_ping_pong() {
            Some(RootMode::InPlace)
        } else {
            self.whole.as_ref().map(WholeClip::root_mode)
        }
    }

    /// Returns the motion of the world from start to end, if it does not come from the poses at both ends: the root of an idle
    /// body rests, and that of a whole take closes it.
    pub(crate) fn known_motion(&self) -> Option<Rigid> {
        self.whole
            .map(|whole| whole.motion)
            .or((self.is_idle || self.pairing.is_ping_pong()).then_some(Rigid::IDENTITY))
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
        // The abruptness by which the loop was chosen is the same at every frame rate.
        let abruptness = self.outcome.map_or(self.abruptness, |outcome| outcome.abruptness);
        self.is_steady() && abruptness <= MAX_ABRUPTNESS && self.num_jumps == 0
    }
}

/// Steadiness below which a constant twist does not describe the root motion: walks reach 0.8, a walk with a U-turn 0.04.
const MIN_STEADINESS: f64 = 0.5;

/// Speed below which there is no root motion that could be steady, metres per second.
const MIN_ROOT_SPEED: f64 = 0.2;

/// Abruptness above which a closed seam may look like a pop, which begins at 1.5.
const MAX_ABRUPTNESS: f64 = 1.25;

/// Autocorrelation of the whole take above which a loop represents its take.
pub const CONFIDENT_TAKE_STRENGTH: f64 = 0.6;

/// Similarity of the frames around the seam to those one period later, and steadiness of the root motion, above which a stretch
/// of a long take does not repeat by chance; dances and boxers reach one of them, not both.
const CONFIDENT_STRENGTH: f64 = 0.91;
const STEADY: f64 = 0.65;

/// Similarity of a stretch of a gait with even pace and turn, and its share of the autocorrelation above.
const ALIKE_STRENGTH: f64 = 0.93;
const CONFIDENT_SHARE: f64 = 2.0 / 3.0;

/// The nearest miss, and why it is not a loop.
#[handed_over(Copy)]
pub struct NearestMiss {
    /// The pair of frames and its cost.
    pub pair: SeamPair,
    /// Seconds between them.
    pub period_secs: f64,
    /// The condition that failed.
    pub reason: MissReason,
}

/// Why a pair of frames is not a loop.
#[handed_over(Copy)]
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
    /// Too little of the cycle is repeated.
    SeenOnce,
    /// The root motion is outside the requested bounds.
    RootMotion {
        /// Twist found.
        found: Twist,
    },
    /// The pair spans a different number of cycles than requested.
    Cycles {
        /// Cycles found.
        found: u32,
    },
}

impl MissReason {
    /// Whether the pair repeats but does not meet the request.
    pub(super) fn is_of_request(self) -> bool {
        matches!(self, Self::Cycles { .. } | Self::RootMotion { .. })
    }
}

/// The rhythm of a take: a fundamental period and its multiples.
#[value]
pub struct TakeRhythm {
    /// Seconds of one cycle: at the highest autocorrelation of the take near the cycle of the recommended loop, or the cycle of
    /// that loop, as in a part of the take.
    pub period_secs: f64,
    /// Confidence of the period, 0 to 1: similarity of the whole take to itself one cycle later, or of the frames around the
    /// loop if the take is too short, or a part of it was searched.
    pub confidence: f64,
    /// Similarity of the whole take to itself after one cycle, two, three and so on, as far as the take and the longest loop
    /// allow; empty if a part of it was searched.
    pub multiples: Vec<f64>,
}
