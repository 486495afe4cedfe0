//! The contacts of a take: spans of frames in which a foot stands, and the gait phase derived from them.
//!
//! [`super::standing`] defines when a foot stands. Source: docs/math/contacts.md.

use glam::DVec3;

use super::body::{Body, FoundBy};
use super::standing::{ContactLimits, rise_of_hips, stands};
use crate::motion::{Skeleton, WorldTracks};
use crate::take::Take;

/// A span of frames in which a foot stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// Which foot, as an index into [`Body::feet`].
    pub foot: usize,
    /// First frame.
    pub start_frame: usize,
    /// Last frame.
    pub end_frame: usize,
}

/// The event of a foot at which a contact begins or ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum FootEventKind {
    /// It touches down.
    #[default]
    Strike,
    /// It leaves the ground.
    Lift,
}

crate::words!(FootEventKind {
    Strike: "strike",
    Lift: "lift",
});

/// All contacts of a take.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub struct Contacts {
    /// Per foot and frame, whether it stands.
    planted: Vec<Vec<bool>>,
    spans: Vec<Contact>,
    limits: ContactLimits,
}

impl Contacts {
    /// Finds the contacts of all feet of a take, by the usual limits; empty if feet cannot be distinguished from other joints.
    pub fn of_take(take: &Take, body: &Body) -> Self {
        let (world, step) = (take.world_tracks(), take.frame_time_secs());
        Self::of(&world, (take.skeleton(), body), step, &ContactLimits::default())
    }

    /// Finds the contacts of all feet; empty if feet cannot be distinguished from other joints.
    pub(crate) fn of(
        world: &WorldTracks,
        (skeleton, body): (&Skeleton, &Body),
        frame_time_secs: f64,
        limits: &ContactLimits,
    ) -> Self {
        if body.found_by == FoundBy::AllLeaves {
            return Self {
                limits: *limits,
                ..Self::default()
            };
        }
        let frames = 0..world.num_frames();
        let at_size = limits.at_size(body.leg_size(skeleton, |joint| world.position(0, joint)));
        let rise = rise_of_hips(world, body.hips, frame_time_secs);
        let planted: Vec<Vec<bool>> = body
            .feet
            .iter()
            .map(|foot| {
                let positions: Vec<DVec3> = (frames.clone())
                    .map(|frame| body.point(world, frame, foot.lowest_joint()))
                    .collect();
                stands(&positions, &rise, frame_time_secs, &at_size)
            })
            .collect();
        let mut spans = Vec::new();
        for (foot, frames) in planted.iter().enumerate() {
            let mut next = 0;
            for run in frames.chunk_by(|one, other| one == other) {
                let start_frame = next;
                next += run.len();
                if run[0] {
                    spans.push(Contact {
                        foot,
                        start_frame,
                        end_frame: next - 1,
                    });
                }
            }
        }
        spans.sort_by_key(|contact| (contact.start_frame, contact.foot));
        Self {
            planted,
            spans,
            limits: *limits,
        }
    }

    /// Returns the limits given by the caller.
    pub fn limits(&self) -> &ContactLimits {
        &self.limits
    }

    /// Returns the number of feet.
    pub fn num_feet(&self) -> usize {
        self.planted.len()
    }

    /// Whether a foot stands at a frame.
    pub fn is_planted(&self, foot: usize, frame: usize) -> bool {
        self.planted.get(foot).and_then(|frames| frames.get(frame)) == Some(&true)
    }

    /// Returns all spans, sorted by first frame.
    pub fn spans(&self) -> &[Contact] {
        &self.spans
    }

    /// Returns the phase of the body's cycle at a frame: the share of `period_frames` since the last strike of the first foot,
    /// from 0 to below 1.
    ///
    /// `None` if that foot does not strike within a period on either side, or hardly leaves the ground. The left foot is first
    /// if sides are known, so 0 is the strike of the left foot.
    pub fn phase(&self, frame: f64, period_frames: f64) -> Option<f64> {
        let strikes = || {
            self.spans
                .iter()
                // A foot that stands from the first frame on has no strike.
                .filter(|contact| contact.foot == 0 && contact.start_frame > 0)
                .filter(|contact| ((contact.end_frame - contact.start_frame) as f64) < period_frames)
                .map(|contact| contact.start_frame as f64)
        };
        let before = strikes().filter(|&strike| strike <= frame && frame - strike <= period_frames);
        let mut after = strikes().filter(|&strike| strike > frame && strike - frame <= period_frames);
        let since = match before.fold(None, |_, strike| Some(strike)) {
            Some(strike) => frame - strike,
            None => frame - after.next()? + period_frames,
        };
        let phase = since / period_frames;
        Some(phase - phase.floor()).filter(|phase| phase.is_finite())
    }
}
