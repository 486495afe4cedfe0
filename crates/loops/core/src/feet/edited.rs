//! Edited stances: spans over which the user says that a foot stands or swings, overriding detection.

use super::{Course, LoopContact, contact::spans};
use crate::{LoopCandidate, loop_clip::LoopClip};

/// A part of the motion, from its first moment to its last; the samples nearest to both belong to it.
#[handed_over(Copy)]
pub enum StanceSpan {
    /// Frames of the take, counted from 0.
    Frames([f64; 2]),
    /// Seconds of the loop; they may run on over the seam.
    Secs([f64; 2]),
}

/// A span over which a foot stands or swings, overriding detection.
///
/// A span in which the foot stands adds a stance, one in which it swings removes one, and both together move one; of overlapping
/// spans the later applies.
#[handed_over(Copy)]
pub struct StanceEdit {
    /// The foot, as an index into [`crate::analysis::body::Body::feet`].
    pub foot: usize,
    /// When.
    pub span: StanceSpan,
    /// Whether the foot stands.
    pub stands: bool,
}

/// Why a stance cannot be edited.
#[error_kinds(Copy)]
pub enum StanceError {
    /// The foot does not exist.
    #[error("foot {foot} has an edited stance, but the body has {num_feet} feet")]
    Foot { foot: usize, num_feet: usize },
    /// The ends of the span are not two numbers in order.
    #[error("a stance lasts from one moment to the same or a later one, found {} to {}", found[0], found[1])]
    Order { found: [f64; 2] },
    /// The span lies outside the loop.
    #[error(
        "the stance from {} to {} lies outside the loop, which lasts from {:.2} to {:.2}",
        found[0], found[1], range[0], range[1]
    )]
    Outside { found: [f64; 2], range: [f64; 2] },
}

/// An edit in samples of a loop.
#[derive(Clone, Copy)]
pub(crate) struct EditedStance {
    span: LoopContact,
    stands: bool,
}

impl EditedStance {
    /// Returns the foot.
    pub(super) fn foot(&self) -> usize {
        self.span.foot
    }

    /// Converts an edit to samples of a loop made from a candidate; for ping-pong, on the way there.
    pub(crate) fn from_edit(
        edit: &StanceEdit,
        num_feet: usize,
        candidate: &LoopCandidate,
        clip: &LoopClip,
    ) -> Result<Self, StanceError> {
        let StanceEdit { foot, span, stands } = *edit;
        if foot >= num_feet {
            return Err(StanceError::Foot { foot, num_feet });
        }
        let (count, cut) = (clip.num_samples() as f64, &candidate.cut);
        // The frames of the take may be half of the loop, followed by their mirror image.
        let (found, range, num_samples) = match span {
            StanceSpan::Frames(frames) => (
                frames,
                [cut.start_frame(), cut.end_frame()],
                count / f64::from(candidate.pairing.num_stretches()),
            ),
            StanceSpan::Secs(secs) => (secs, [0.0, clip.period_secs()], count),
        };
        if !(found[0].is_finite() && found[1].is_finite() && found[0] <= found[1]) {
            return Err(StanceError::Order { found });
        }
        if found[1] < range[0] || found[0] > range[1] {
            return Err(StanceError::Outside { found, range });
        }
        let course = candidate
            .pairing
            .ping_pong(cut)
            .filter(|_| matches!(span, StanceSpan::Frames(_)));
        let [first, last] = found.map(|moment| {
            let sample = match &course {
                Some(course) => course.time_of(moment) / course.num_frames() * count,
                None => (moment - range[0]) / (range[1] - range[0]) * num_samples,
            };
            sample.round()
        });
        Ok(Self {
            span: LoopContact {
                foot,
                start_sample: first.rem_euclid(count) as usize,
                num_samples: (last - first + 1.0).min(count) as usize,
            },
            stands,
        })
    }

    /// Returns the edit of the foot on the other side, half a cycle later.
    pub(crate) fn half_a_cycle_later(mut self, num_samples: usize, opposite: impl Fn(usize) -> usize) -> Self {
        let span = &mut self.span;
        span.foot = opposite(span.foot);
        span.start_sample = (span.start_sample + num_samples / 2) % num_samples;
        self
    }

    /// Returns the edit for the way back of a ping-pong loop.
    pub(crate) fn on_the_way_back(mut self, num_samples: usize) -> Self {
        self.span.start_sample = (num_samples - (self.span.keys().end - 1) % num_samples) % num_samples;
        self
    }
}

/// Returns the spans over which a foot stands, with edited stances overriding detected ones.
pub(super) fn overruled(
    foot: usize,
    contacts: Vec<LoopContact>,
    course: &Course,
    edited: &[EditedStance],
) -> Vec<LoopContact> {
    if edited.is_empty() {
        return contacts;
    }
    let mut stands = vec![false; course.count()];
    for key in contacts.iter().flat_map(LoopContact::keys) {
        stands[course.sample(key as isize)] = true;
    }
    for edit in edited.iter().filter(|edit| edit.foot() == foot) {
        for key in edit.span.keys() {
            stands[key % course.count()] = edit.stands;
        }
    }
    spans(foot, &stands, course.has_ends())
}
