//! The loop to grade.

use loopwright_core::{
    MadeLoop, Quality, RootMode, Skeleton, analysis::Body, candidate::WholeClipKind, feet::FootOutcome,
    pipeline::Retimed, retarget::Likeness,
};
use loopwright_formats::{Sidecar, loop_file::facts::CheckFacts};

use super::CheckId;

/// The parts of a loop that are as authored: faults there are stated without a grade.
#[value(Copy, Eq, PartialOrd, Ord)]
pub enum Authored {
    /// Nothing: it was captured, cut or blended.
    Nothing,
    /// The motion, not the seam: a whole clip in place, or a blend of authored clips.
    Motion,
    /// All but the seam: a whole clip that loops, with its seam mended.
    AllButTheSeam,
    /// All: a whole clip that already loops, not changed on purpose.
    All,
}

impl Authored {
    /// Returns the parts of a stored loop that are as authored.
    pub fn of(sidecar: &Sidecar) -> Self {
        let whole = sidecar.candidate.whole_clip.as_ref();
        if let Some(whole) = whole.filter(|whole| whole.kind != WholeClipKind::Cycle) {
            return Self::of_clip(whole.kind, sidecar.edits.is_empty(), sidecar.variation.is_none());
        }
        let mut spikes = sidecar
            .quality
            .checks
            .iter()
            .filter(|check| check.id == CheckId::Spike.as_str());
        if spikes.any(|spike| spike.value.is_some() && spike.grade.is_none()) {
            Self::Motion
        } else {
            Self::Nothing
        }
    }

    pub(crate) fn of_clip(kind: WholeClipKind, is_unedited: bool, is_unvaried: bool) -> Self {
        match (is_unedited, is_unvaried) {
            (true, true) if kind == WholeClipKind::Mended => Self::AllButTheSeam,
            (true, true) => Self::All,
            (true, false) => Self::Motion,
            _ => Self::Nothing,
        }
    }
}

/// The loop to grade, with everything that its checks need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    /// Its figures.
    pub quality: &'a Quality,
    /// Its skeleton.
    pub skeleton: &'a Skeleton,
    /// Its body.
    pub body: &'a Body,
    /// Seconds between its samples.
    pub step_secs: f64,
    /// The sample of the seam, and the number of samples.
    pub seam: [usize; 2],
    /// How the root motion was treated.
    pub mode: RootMode,
    /// Whether the speed over the ground is known; a clip in place whose feet hardly touch the ground does not show it.
    pub is_speed_known: bool,
    /// Whether the stretch of the take stays in place, so that speed and sliding are measured on the feet.
    pub was_in_place: bool,
    /// Whether the loop differs from its stretch of the take on purpose: a mean cycle, edited, or pulled back to its start. An
    /// unchanged clip is not compared.
    pub is_meant_to_differ: bool,
    /// Whether it differs only by the variation of its cycles: it is then as sharp as the take.
    pub is_varied: bool,
    /// The parts that are as their author made them.
    pub authored: Authored,
    /// The changes of its timing, if it is not as recorded.
    pub retimed: Option<&'a Retimed>,
    /// How far it is from its source, if it is on a character.
    pub likeness: Option<&'a Likeness>,
    /// Checks that the loop does not answer, as recorded when it was made: those of its take, or those in its sidecar.
    pub known: &'a [CheckFacts],
}

impl<'a> Subject<'a> {
    /// Describes a loop made of a take: `quality` holds its figures, and `of_take` the checks of its stretch.
    pub(crate) fn of_made(made: &'a MadeLoop, quality: &'a Quality, of_take: &'a [CheckFacts]) -> Self {
        let is_shaped = made.mean_cycle.is_some() || !made.edits.is_empty() || pulls_back(made.root.mode);
        Self {
            quality,
            skeleton: made.loop_clip.skeleton(),
            body: &made.body,
            step_secs: made.loop_clip.step_secs(),
            seam: [made.seam_sample(), made.loop_clip.num_samples()],
            mode: made.root.mode,
            is_speed_known: !speed_is_unknown(made),
            was_in_place: made.candidate.is_in_place(),
            is_meant_to_differ: is_shaped || made.variation.is_some(),
            is_varied: !is_shaped && made.variation.is_some(),
            authored: match &made.candidate.whole {
                Some(whole) if whole.is_authored_loop() => Authored::of_clip(
                    whole.kind,
                    made.edits.is_empty() && made.retimed.is_none(),
                    made.variation.is_none(),
                ),
                Some(whole) if whole.is_in_place() && made.edits.is_empty() => Authored::Motion,
                _ => Authored::Nothing,
            },
            retimed: made.retimed.as_ref(),
            likeness: made.likeness.as_ref(),
            known: of_take,
        }
    }

    /// Adds the joint and the time of a sample to a check.
    pub(super) fn of_joint(&self, joint: usize, sample: usize, check: CheckFacts) -> CheckFacts {
        CheckFacts {
            joint: Some(self.skeleton.joint(joint).name.clone()),
            time_secs: Some(self.secs(sample)),
            ..check
        }
    }

    /// Returns the time of a sample, seconds: figures count from the seam, times from the first key.
    pub(super) fn secs(&self, sample: usize) -> f64 {
        let [seam_sample, num_samples] = self.seam;
        ((sample + seam_sample) % num_samples) as f64 * self.step_secs
    }

    /// Whether both the take and the loop stay in place, whatever speed is known.
    pub(super) fn stays_in_place(&self) -> bool {
        self.was_in_place && !self.mode.moves_root()
    }
}

/// Speed below which a root rests, metres per second.
pub(super) const RESTS_MPS: f64 = 0.01;

/// Whether a root mode pulls the body back to its start, far from the take.
pub(crate) fn pulls_back(mode: RootMode) -> bool {
    mode == RootMode::Stationary
}

/// Whether a clip moves in place and its feet never stand, so that nothing shows its speed. If the body is pulled back, no speed
/// was requested; if the speed comes from the poses, the feet may contradict it and then do not stand.
pub(crate) fn speed_is_unknown(made: &MadeLoop) -> bool {
    let Some(whole) = made.candidate.whole.as_ref().filter(|_| !pulls_back(made.root.mode)) else {
        return false;
    };
    let outcomes = &made.feet.outcomes;
    let may_walk = whole.is_in_place() && whole.kind != WholeClipKind::EndsAsItBegins && !made.candidate.is_idle;
    let is_unknown = made.feet.speed.is_none()
        && !outcomes.is_empty()
        && outcomes.iter().all(|outcome| *outcome == FootOutcome::NeverStands);
    may_walk && is_unknown && made.loop_clip.root().twist.linear.length() < RESTS_MPS
}
