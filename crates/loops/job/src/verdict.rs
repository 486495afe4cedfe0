//! The verdict on a loop: a list of checks, the worst grade among them, and the reason for it in one sentence.
//!
//! Every program takes its grades from here. docs/checks.md says what each check means, its limits, and the remedy. Limits in
//! metres grow with the body.

use std::fmt;

use loopwright_core::{
    Analysis, LoopCandidate, LoopSettings, MadeLoop, Quality, RootMode,
    candidate::{MotionKind, WholeClip},
    loop_clip::LoopKeys,
    quality,
};
use loopwright_formats::{
    Format,
    loop_file::facts::{CheckFacts, Grade, QualityFacts, Unmeasured},
};

use crate::{
    checks::{Authored, CheckId, CheckRow, Stretch, Subject, not_passed},
    study::Studied,
    warning::{SeamRemedy, Warning},
};

/// The grade of a loop, the reason for it, and the checks behind it.
#[value(Default)]
pub struct Verdict {
    /// The worst grade of the checks.
    pub grade: Grade,
    /// The reason, as a clause without a full stop.
    pub reason: String,
    /// All checks, in the order of [`CheckId`].
    pub checks: Vec<CheckFacts>,
}

impl Verdict {
    /// Grades a loop.
    pub(crate) fn new(subject: &Subject) -> Self {
        Self::of_checks(CheckId::ALL.map(|id| id.of_loop(subject)).to_vec(), CheckId::row_of)
    }

    /// Grades a loop made of a take: `quality` holds its figures, before or after writing, and `of_take` the checks of its
    /// stretch.
    pub fn of_made(made: &MadeLoop, quality: &Quality, of_take: &[CheckFacts]) -> Self {
        Self::new(&Subject::of_made(made, quality, of_take))
    }

    /// Grades a clip that already loops and is left as it is.
    pub(crate) fn of_kept(made: &MadeLoop, quality: &Quality, of_take: &[CheckFacts]) -> Self {
        Self::new(&Subject {
            is_meant_to_differ: true,
            is_varied: false,
            ..Subject::of_made(made, quality, of_take)
        })
    }

    /// Builds the verdict from checks: the worst grade, with the first check that has it. `row_of` returns the row of an id,
    /// which words the reason.
    pub fn of_checks(checks: Vec<CheckFacts>, row_of: impl Fn(&str) -> Option<&'static CheckRow>) -> Self {
        let grade = checks.iter().filter_map(|check| check.grade).max().unwrap_or_default();
        Self {
            grade,
            reason: match checks.iter().find(|check| check.grade == Some(grade)) {
                Some(check) if grade > Grade::Good => {
                    row_of(&check.id).map_or(not_passed as fn(&_) -> _, |row| row.reason)(check)
                }
                _ if checks.iter().any(is_authored) => "kept as the clip has it".to_owned(),
                _ => "the seam does not show".to_owned(),
            },
            checks,
        }
    }

    /// Returns the remedy if the loop is not good, for the check that gives the reason: for a closed loop, or for a ping-pong
    /// loop.
    pub fn cure(&self, is_ping_pong: bool) -> Option<&'static str> {
        if self.grade == Grade::Good {
            return None;
        }
        let check = self.checks.iter().find(|check| check.grade == Some(self.grade))?;
        Some(CheckId::row_of(&check.id)?.cure(is_ping_pong))
    }

    /// Returns warnings of faults that are not graded, because a clip is kept as authored; of its seam the first one.
    pub(crate) fn of_the_clip(&self) -> impl Iterator<Item = Warning> {
        let mut says_seam = false;
        self.checks
            .iter()
            .filter(|check| is_authored(check))
            .filter_map(move |check| {
                let reason = (CheckId::row_of(&check.id)?.reason)(check);
                if !CheckId::is_of_seam(&check.id) {
                    return Some(Warning::OfTheClip { reason });
                }
                (!core::mem::replace(&mut says_seam, true)).then_some(Warning::SeamShows {
                    reason,
                    remedy: SeamRemedy::OfTheClip,
                })
            })
    }

    /// Reads the verdict from the figures of a loop; `None` if they hold none.
    pub fn from_facts(quality: &QualityFacts) -> Option<Self> {
        Some(Self {
            grade: quality.grade?,
            reason: quality.reason.clone()?,
            checks: quality.checks.clone(),
        })
    }

    /// Writes the verdict into the figures of a loop.
    pub fn state(self, quality: &mut QualityFacts) {
        quality.grade = Some(self.grade);
        quality.reason = Some(self.reason);
        quality.checks = self.checks;
    }
}

/// Whether nothing shows how fast a loop goes over the ground, by its checks.
pub fn is_speed_unknown(checks: &[CheckFacts]) -> bool {
    CheckId::RootSpeed.row().is_unknown(checks)
}

/// Whether a check states a fault without a grade: the author may have meant it.
fn is_authored(check: &CheckFacts) -> bool {
    check.grade.is_none() && matches!((check.value, check.limit), (Some(value), Some(limit)) if value > limit)
}

/// `good: the seam does not show`.
impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{}: {}", self.grade, self.reason)
    }
}

/// Returns the verdict on the loop of a stretch with default settings, written in the format of its take. `None` if it cannot be made.
pub fn of_stretch(studied: &Studied, candidate: &LoopCandidate) -> Option<Verdict> {
    studied
        .check_samples(candidate.source_period_secs * studied.take().frame_rate_hz())
        .ok()?;
    let checks = of_written(studied, candidate, studied.file.source.format());
    Some(default_loop(&studied.analysis, candidate, &checks)?.0)
}

/// Returns the verdict on the loop of a stretch with default settings, and its figures, given the checks of the stretch itself; the loop is
/// made here unless the search made it. `None` if it cannot be made.
pub fn default_loop(
    analysis: &Analysis,
    candidate: &LoopCandidate,
    of_take: &[CheckFacts],
) -> Option<(Verdict, Quality)> {
    let Some(&quality) = candidate.quality.as_deref() else {
        let made = analysis.make_loop(candidate, &LoopSettings::default()).ok()?;
        let quality = quality::measure(&LoopKeys::from_loop(&made.loop_clip), &made.body, Some(&made.source));
        return Some((Verdict::of_made(&made, &quality, of_take), quality));
    };
    Some((
        Verdict::new(&Subject {
            quality: &quality,
            skeleton: analysis.take.skeleton(),
            body: &analysis.body,
            step_secs: analysis.take.frame_time_secs(),
            seam: [0, usize::MAX],
            mode: RootMode::default(),
            // The search makes no loops of whole takes; other loops show their speed.
            is_speed_known: true,
            was_in_place: false,
            is_meant_to_differ: false,
            is_varied: false,
            authored: Authored::Nothing,
            retimed: None,
            likeness: None,
            known: of_take,
        }),
        quality,
    ))
}

/// Returns the checks of a stretch of a take, which is written in a format.
pub(crate) fn of_written(studied: &Studied, candidate: &LoopCandidate, format: Format) -> Vec<CheckFacts> {
    let mut checks = of_take(&studied.analysis, candidate);
    let source = &studied.file.source;
    if studied.character.is_none() && source.changes_scale() {
        let row = CheckId::Scale.row();
        if let Some(check) = checks.iter_mut().find(|check| check.id == row.id) {
            *check = row.answered(source.loses_scale(format));
        }
    }
    checks
}

/// Returns the checks of a stretch of a take, which do not depend on the loop made of it.
pub fn of_take(analysis: &Analysis, candidate: &LoopCandidate) -> Vec<CheckFacts> {
    let named = analysis.named_motion();
    let stretch = Stretch {
        analysis,
        candidate,
        named: named.repeats,
    };
    let checks = CheckId::ALL.into_iter().filter_map(|id| id.of_take(&stretch));
    let goes = matches!(
        named.kind,
        Some(MotionKind::Walk | MotionKind::Run | MotionKind::Backward | MotionKind::Strafe)
    );
    let in_place = candidate.whole.as_ref().is_some_and(WholeClip::is_in_place);
    checks
        .chain((goes && in_place).then(|| CheckId::RootSpeed.row().unmeasured(Unmeasured::Unknown)))
        .collect()
}
