//! When the feet of a loop stand: spans of samples that may run over the seam.

use glam::DVec3;

use crate::{
    analysis::standing::{GROUND_REACH_SECS, LimitsAtSize, stands},
    motion::RootMotion,
};

/// A span of samples over which a foot of a loop stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub struct LoopContact {
    /// The foot, as an index into [`crate::analysis::body::Body::feet`].
    pub foot: usize,
    /// First sample, below the number of samples of the loop.
    pub start_sample: usize,
    /// Number of samples, at most those of the loop. The span crosses the seam where `start_sample + num_samples` exceeds the
    /// loop.
    pub num_samples: usize,
}

impl LoopContact {
    /// The samples of the span, numbered on beyond the seam.
    pub fn keys(&self) -> core::ops::Range<usize> {
        self.start_sample..self.start_sample + self.num_samples
    }
}

/// The spans over which a foot stands, from the positions of its lowest joint at all samples of a loop, seen from the root.
///
/// The loop is unrolled far enough on both sides that the seam is judged like any other sample. Source: docs/math/contacts.md.
pub(super) fn of_foot(
    foot: usize,
    positions: &[DVec3],
    root_motion: &RootMotion,
    step_secs: f64,
    limits: &LimitsAtSize,
) -> Vec<LoopContact> {
    let count = positions.len();
    // At least one whole cycle leads in, so that the contact state before the first sample is known.
    let lead = count * (1 + (GROUND_REACH_SECS / (count as f64 * step_secs)).ceil() as usize);
    let root = |key: usize| root_motion.at((key as f64 - lead as f64) * step_secs);
    let (mut world, mut rise) = (Vec::new(), Vec::new());
    for key in 0..count + 2 * lead {
        let root = root(key);
        world.push(root.transform_point(positions[key % count]));
        rise.push(root.translation.y);
    }
    let planted = &stands(&world, &rise, step_secs, limits)[lead..lead + count];
    spans(foot, planted)
}

/// Runs of `true`, from the first entry to the last.
pub(super) fn runs(stands: &[bool]) -> Vec<core::ops::Range<usize>> {
    let mut runs: Vec<core::ops::Range<usize>> = Vec::new();
    for (at, _) in stands.iter().enumerate().filter(|(_, stands)| **stands) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// Runs of `true` around the loop.
pub(crate) fn spans(foot: usize, planted: &[bool]) -> Vec<LoopContact> {
    let count = planted.len();
    let Some(swinging) = planted.iter().position(|planted| !planted) else {
        return vec![LoopContact {
            foot,
            start_sample: 0,
            num_samples: count,
        }];
    };
    let mut spans: Vec<LoopContact> = Vec::new();
    // Start where the foot is in the air, so that no span is cut in two.
    let mut stood = false;
    for key in swinging..swinging + count {
        let stands = planted[key % count];
        match spans.last_mut() {
            Some(span) if stands && stood => span.num_samples += 1,
            _ if stands => spans.push(LoopContact {
                foot,
                start_sample: key % count,
                num_samples: 1,
            }),
            _ => {}
        }
        stood = stands;
    }
    spans.sort_by_key(|span| span.start_sample);
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_run_over_the_seam() {
        let planted = [true, true, false, false, true, false, true];
        let found: Vec<(usize, usize)> = spans(3, &planted)
            .iter()
            .map(|span| (span.start_sample, span.num_samples))
            .collect();
        assert_eq!(found, [(4, 1), (6, 3)]);
        assert_eq!(spans(0, &[false; 4]), []);
        assert_eq!(spans(0, &[true; 4])[0].keys(), 0..4);
    }
}
