//! Methods of an analysis that call the function of their stage.

use crate::{
    analysis::{ActivityKind, Analysis},
    candidate::{FoundLoops, FoundStretches, LoopCandidate, SearchError, SearchSettings, WholeClip},
    mirror::{Mirror, MirrorError},
    pipeline::{self, ClosureChoice, LoopSettings, MadeLoop, MakeError, RetriedLoop, Retry},
    root_motion::{self, RootError, RootRelativeClip, RootSettings},
    take::{Clip, CutError},
};

/// Loops in a take.
impl Analysis {
    /// Finds distinct loops.
    ///
    /// If the whole take already loops ([`Self::whole_loop`]), it comes first and is kept whole; if nothing that moves repeats
    /// and the take is one cycle ([`Self::whole_cycle`]), that comes first.
    ///
    /// Other candidates repeat around their seam (similarity and rhythm of the frames around it, not of two poses alone), cost
    /// less than [`crate::candidate::MAX_COST_RATIO`] of the cost of random pairs, and move; idle stretches are proposed only if
    /// nothing else repeats. They are sorted by their outcome ([`crate::candidate::Outcome::score`]), sound ones first
    /// ([`LoopCandidate::is_sound`]); for half cycles, and with [`crate::candidate::ChooseBy::Cost`], the first is the sound one with
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

    /// Returns the curve through the keys of a whole clip that ends between two frames, as one cycle. Errors: it is too short or
    /// too long.
    pub fn curve_through(&self, whole: &WholeClip) -> Result<Clip, CutError> {
        pipeline::curve_through(self, whole)
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
        retry: Retry,
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
