//! Methods of an analysis, stage by stage; each calls the function of its stage.

use std::borrow::Cow;

use crate::analysis::{ActivityKind, Analysis, Segment};
use crate::candidate::{
    self, FoundLoops, FoundStretches, LoopCandidate, MotionKind, NamedMotion, SearchError, SearchSettings, WholeClip,
};
use crate::math::Decay;
use crate::mirror::{Mirror, MirrorError};
use crate::pipeline::{self, ClosureChoice, LoopSettings, MadeLoop, MakeError, RetriedLoop, Retry};
use crate::root_motion::{self, RootError, RootRelativeClip, RootSettings};
use crate::take::{Clip, CutError};

/// Loops in a take.
impl Analysis {
    /// Finds distinct loops.
    ///
    /// If the whole take already loops ([`Self::whole_loop`]), it comes first and is kept whole; if nothing that moves repeats
    /// and the take is one cycle ([`Self::whole_cycle`]), that comes first.
    ///
    /// Other candidates repeat around their seam (similarity and rhythm of the frames around it, not of two poses alone), cost
    /// less than [`candidate::MAX_COST_RATIO`] of the cost of random pairs, and move; idle stretches are proposed only if
    /// nothing else repeats. They are sorted by their outcome ([`candidate::Outcome::score`]), sound ones first
    /// ([`LoopCandidate::is_sound`]); for half cycles, and with [`candidate::ChooseBy::Cost`], the first is the sound one with
    /// the fewest cycles whose cost is within a quarter of the lowest of any length, and the others follow by cost. Errors:
    /// [`SearchError`]: the take is too short or still, no frame of it is clean, or the bounds are not in order.
    pub fn find_loops(&self, settings: &SearchSettings) -> Result<FoundLoops, SearchError> {
        pipeline::find_loops(self, settings)
    }

    /// Finds loops like [`Self::find_loops`], and returns the recommended loop if it was made to choose it: as
    /// [`Self::make_loop`] makes it with default settings. [`Retry`] accepts it, so that it is not made twice. Errors: as
    /// [`Self::find_loops`].
    pub fn find_and_make(&self, settings: &SearchSettings) -> Result<(FoundLoops, Option<MadeLoop>), SearchError> {
        pipeline::find_and_make(self, settings)
    }

    /// Finds the stretches that repeat, each with its best loop.
    ///
    /// The first row is the first loop of [`Self::find_loops`], which takes less time if no other is needed. There are at most
    /// [`SearchSettings::max_candidates`] rows; asking for fewer returns the first ones. A whole take that loops is a row of its
    /// own. Errors: as [`Self::find_loops`].
    pub fn find_stretches(&self, settings: &SearchSettings) -> Result<FoundStretches, SearchError> {
        pipeline::find_stretches(self, settings)
    }

    /// Finds each cycle of the gaits in the take, in the order of their frames: around the best loop of every stretch, the
    /// cycles before and after it that are loops of an even pace and turn, too, at the same phase.
    ///
    /// Idle stretches, half cycles and a whole take that loops give one loop each. Outcomes are not computed. Errors: as
    /// [`Self::find_loops`].
    pub fn find_cycles(&self, settings: &SearchSettings) -> Result<FoundLoops, SearchError> {
        pipeline::find_cycles(self, settings)
    }

    /// Describes a stretch of the caller's choice as a candidate, with all figures that [`Self::find_loops`] reports.
    ///
    /// Frames are counted from 0 and may be fractional. The stretch need not qualify as a loop, and its ends are kept; figures
    /// are those of the nearest whole frames. Cycles are counted unless the settings give their number. Errors: frames outside
    /// the take, or fewer than three between the ends.
    pub fn appraise(
        &self,
        start_frame: f64,
        end_frame: f64,
        settings: &SearchSettings,
    ) -> Result<LoopCandidate, CutError> {
        candidate::appraise(self, start_frame, end_frame, settings)
    }

    /// Returns the cost of the seam from `end_frame` back to `start_frame`, metre-seconds; 0 below 1e-6.
    ///
    /// `decay` gives how the offset of a jump fades. Both must be frames of the take.
    pub fn seam_cost(&self, start_frame: usize, end_frame: usize, decay: Decay) -> f64 {
        candidate::seam_cost(self, start_frame, end_frame, decay)
    }

    /// Returns the segment that contains most of a loop.
    pub fn segment_of(&self, candidate: &LoopCandidate) -> Option<&Segment> {
        candidate::segment_of(self, candidate)
    }

    /// Returns the kind of motion of the take: a single action, or the gait that it shows for longest.
    ///
    /// `best` is its recommended loop, and `speed_mps` the speed over the ground of that loop as made: in a walk in place the
    /// feet show it, not the root.
    pub fn motion_kind(&self, best: Option<&LoopCandidate>, speed_mps: Option<f64>) -> MotionKind {
        candidate::motion_kind(self, best, speed_mps)
    }

    /// Reads the name of the take, unless names are to be ignored.
    pub fn named_motion(&self) -> NamedMotion {
        NamedMotion::of_take(self)
    }

    /// Returns the whole take as one loop, if it clearly loops already: its ends meet, or only the closing key is missing and
    /// the step over the seam is like any other, in a take of one cycle or of exact copies of one.
    ///
    /// `None` if its ends do not meet, or if nothing moves.
    pub fn whole_loop(&self) -> Option<WholeClip> {
        candidate::whole_loop(self)
    }

    /// Returns the whole take as one cycle that closing can repair, at the length at which it closes best.
    ///
    /// `None` if it is clearly not a cycle: if its ends are too far apart, or if it moves in one burst, as a strike does.
    pub fn whole_cycle(&self) -> Option<WholeClip> {
        candidate::whole_cycle(self)
    }

    /// Returns the curve through the keys of a whole clip that ends between two frames, as one cycle. Errors: it is too short or
    /// too long.
    pub fn curve_through(&self, whole: &WholeClip) -> Result<Clip, CutError> {
        pipeline::curve_through(self, whole)
    }

    /// Returns the analysis of the take with the closing key that `whole` found missing, or this analysis if none is missing.
    ///
    /// Frames are added at the end: the poses after the start, one cycle later. Frames of the take keep their numbers.
    pub fn completed(&self, whole: &WholeClip) -> Cow<'_, Self> {
        candidate::completed(self, whole)
    }

    /// Whether the body is idle from one frame to another, both included.
    pub(crate) fn is_idle_between(&self, start_frame: usize, end_frame: usize) -> bool {
        let kinds = &self.activity.kinds()[start_frame..=end_frame];
        kinds.iter().all(|&kind| kind == ActivityKind::Idle)
    }

    /// Whether the body is idle in at least half of the frames: an idle part then represents the take.
    pub fn is_mostly_idle(&self) -> bool {
        let kinds = self.activity.kinds();
        2 * kinds.iter().filter(|&&kind| kind == ActivityKind::Idle).count() >= kinds.len()
    }
}

/// Symmetry and root motion.
impl Analysis {
    /// Returns the mirror that exchanges left and right: the partners of the joints, by name and, if no name gives a side, by
    /// position.
    ///
    /// `pairs` are partners that the caller names, which take precedence; a joint paired with itself lies in the mirror plane.
    pub fn mirror(&self, pairs: &[(String, String)]) -> Result<Mirror, MirrorError> {
        Mirror::new(&self.take, pairs, |frame| self.heading.yaw(frame))
    }

    /// Returns the root joint of the rig, if it has one: a joint above the hips that carries only the root motion.
    pub fn root_joint(&self) -> Option<usize> {
        root_motion::root_joint::find(self.take.skeleton(), &self.world, &self.body)
    }

    /// Removes the root motion from a clip of this take.
    ///
    /// The root starts in the heading frame averaged over the cycle and moves by the constant twist that best maps the window of
    /// poses at the start to the one at the end. `cycles` is the number of fundamental periods in the clip. Errors: settings that
    /// cannot be used, or a straight root for a stretch that turns. Source: docs/math/root.md.
    pub fn extract_root_motion(
        &self,
        clip: &Clip,
        cycles: u32,
        settings: &RootSettings,
    ) -> Result<RootRelativeClip, RootError> {
        root_motion::extract_root_motion(self, clip, cycles, settings, None)
    }
}

/// Making loops.
impl Analysis {
    /// Makes a stretch of the take into a loop: samples it, extracts the root motion, closes the seam and holds the feet.
    ///
    /// Errors: [`MakeError`]: fewer than three samples or too many, a rate or another setting out of range, an odd number of
    /// samples for a mirrored loop, a stretch without a mirror image, feet that cannot be held, linear root motion for a stretch
    /// that turns, a mean where the take has no other cycle.
    pub fn make_loop(&self, candidate: &LoopCandidate, settings: &LoopSettings) -> Result<MadeLoop, MakeError> {
        pipeline::make_loop(self, candidate, settings)
    }

    /// Makes a loop as [`Self::make_loop`] does; if its seam shows ([`crate::Quality::pops`]), tries the alternatives that
    /// `retry` admits: first the other stretches, then the other closing methods for each stretch.
    ///
    /// A take that already loops keeps its stretch; if its closing key is missing, the last resort is to end at its last key.
    /// Stretches that cannot be made into a loop are skipped. Errors: those of [`Self::make_loop`] for the requested loop.
    pub fn make_loop_or_retry(
        &self,
        candidate: &LoopCandidate,
        settings: &LoopSettings,
        retry: Retry<'_>,
    ) -> Result<RetriedLoop, MakeError> {
        pipeline::make_loop_or_retry(self, candidate, settings, retry)
    }

    /// Tries a grid of closing methods on a stretch and returns the one with the lowest score, preferably among those whose seam
    /// does not show.
    ///
    /// All other `settings` are kept, including methods of single joints. Errors: those of [`Self::make_loop`].
    pub fn choose_closure(
        &self,
        candidate: &LoopCandidate,
        settings: &LoopSettings,
    ) -> Result<ClosureChoice, MakeError> {
        pipeline::choose_closure(self, candidate, settings)
    }
}
