//! The contacts of a loop's feet: spans of samples that may cross the seam.

use glam::DVec3;

use super::Course;
use crate::analysis::standing::{GROUND_REACH_SECS, LimitsAtSize, stands};

/// A span of samples over which a foot stands.
#[handed_over(Copy, Eq)]
pub struct LoopContact {
    /// The foot, as an index into [`crate::analysis::body::Body::feet`].
    pub foot: usize,
    /// First sample, below the number of samples of the loop.
    pub start_sample: usize,
    /// Number of samples, at most those of the loop. The span crosses the seam if `start_sample + num_samples` exceeds the loop.
    pub num_samples: usize,
}

impl LoopContact {
    /// Returns the samples of the span, numbered on beyond the seam.
    pub fn keys(&self) -> core::ops::Range<usize> {
        self.start_sample..self.start_sample + self.num_samples
    }

    /// Returns the contact in each of several loops of `num_samples`, one after the other; a contact of a whole loop lasts
    /// through all of them.
    pub(super) fn repeated(self, num_samples: usize, copies: usize) -> impl Iterator<Item = Self> {
        let (own, copies) = if self.num_samples < num_samples {
            (self, copies)
        } else {
            let (start_sample, num_samples) = (0, num_samples * copies);
            let whole = Self {
                start_sample,
                num_samples,
                ..self
            };
            (whole, 1)
        };
        (0..copies).map(move |copy| Self {
            start_sample: own.start_sample + copy * num_samples,
            ..own
        })
    }
}

/// Finds the spans over which a point of a foot stands, from its positions at all samples, relative to the root.
///
/// A loop is unrolled far enough on both sides that the seam is treated like any other sample. Source: docs/math/contacts.md.
pub(super) fn of_point(foot: usize, positions: &[DVec3], course: &Course, limits: &LimitsAtSize) -> Vec<LoopContact> {
    let count = positions.len();
    // At least one whole cycle leads in, so that the contact state before the first sample is known.
    let lead = if course.has_ends() {
        0
    } else {
        count * (1 + (GROUND_REACH_SECS / (count as f64 * course.step_secs)).ceil() as usize)
    };
    let (world, rise): (Vec<DVec3>, Vec<f64>) = (0..count + 2 * lead)
        .map(|key| {
            let root = course.root(key as isize - lead as isize);
            (root.transform_point(positions[key % count]), root.translation.y)
        })
        .unzip();
    spans(
        foot,
        &stands(&world, &rise, course.step_secs, limits)[lead..lead + count],
        course.has_ends(),
    )
}

/// Runs of `true`, from the first entry to the last.
pub fn runs(stands: &[bool]) -> Vec<core::ops::Range<usize>> {
    let mut runs: Vec<core::ops::Range<usize>> = Vec::new();
    for (at, _) in stands.iter().enumerate().filter(|(_, stands)| **stands) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// Runs of `true` around a loop, or from end to end.
pub(crate) fn spans(foot: usize, all: &[bool], has_ends: bool) -> Vec<LoopContact> {
    // A loop starts with the foot in the air, so that no span is cut in two.
    let first = all.iter().position(|stands| !stands && !has_ends).unwrap_or(0);
    let mut spans: Vec<LoopContact> = runs(&[&all[first..], &all[..first]].concat())
        .into_iter()
        .map(|run| LoopContact {
            foot,
            start_sample: (first + run.start) % all.len(),
            num_samples: run.len(),
        })
        .collect();
    spans.sort_by_key(|span| span.start_sample);
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_run_over_the_seam_of_a_loop_and_end_at_the_ends_of_a_stretch() {
        let stands = [true, true, false, false, true, false, true];
        let found = |has_ends: bool| -> Vec<(usize, usize)> {
            let spans = spans(3, &stands, has_ends);
            spans.iter().map(|span| (span.start_sample, span.num_samples)).collect()
        };
        assert_eq!(found(false), [(4, 1), (6, 3)]);
        assert_eq!(found(true), [(0, 2), (4, 1), (6, 1)]);
        assert_eq!(spans(0, &[false; 4], false), []);
        assert_eq!(spans(0, &[true; 4], false)[0].keys(), 0..4);
    }
}
