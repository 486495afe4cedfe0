//! The contacts of a take: spans of frames in which a foot stands, and the gait phase derived from them.
//!
//! A foot stands from when its first point bears until the last leaves: see [`super::bearing`].

use core::ops::RangeInclusive;

use super::{Bearings, Body, ContactLimits, FootPaths, FoundBy, Ground, PointStay, Stay, Strides};
use crate::{
    motion::{Skeleton, WorldTracks},
    take::Take,
};

/// A span of frames in which a foot stands.
#[handed_over(Copy, Eq)]
pub struct Contact {
    /// Which foot, as an index into [`Body::feet`].
    pub foot: usize,
    /// First frame.
    pub start_frame: usize,
    /// Last frame.
    pub end_frame: usize,
}

/// The event of a foot at which a contact begins or ends.
#[choice_in_words]
#[derive(Default, PartialOrd, Ord)]
pub enum FootEventKind {
    /// It touches down.
    #[default]
    Strike,
    /// It leaves the ground.
    Lift,
}

/// All contacts of a take.
#[handed_over(Default)]
pub struct Contacts {
    /// Per foot and frame, whether it stands.
    planted: Vec<Vec<bool>>,
    bearings: Bearings,
    spans: Vec<Contact>,
    limits: ContactLimits,
}

impl Contacts {
    /// Finds the contacts of all feet of a take; empty if feet cannot be distinguished from other joints.
    pub fn of_take(take: &Take, body: &Body, limits: &ContactLimits) -> Self {
        let (world, step) = (take.world_tracks(), take.frame_time_secs());
        Self::of(&world, (take.skeleton(), body), step, limits)
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
        let at_size = limits.at_size(body.leg_size(skeleton, |joint| world.position(0, joint)));
        let bearings = Bearings::of(world, (skeleton, body), frame_time_secs, &at_size);
        Self::from_bearings(bearings, (body.feet.len(), world.num_frames()), limits)
    }

    /// Returns the contacts at `num_frames` frames of another rate, from frame `first` of these on, `step` of these apart.
    pub(super) fn resampled(&self, first_and_step: [f64; 2], num_frames: usize) -> Self {
        let bearings = self.bearings.resampled(first_and_step, num_frames);
        Self::from_bearings(bearings, (self.num_feet(), num_frames), &self.limits)
    }

    fn from_bearings(bearings: Bearings, (num_feet, num_frames): (usize, usize), limits: &ContactLimits) -> Self {
        let last = num_frames - 1;
        let spans: Vec<Contact> = bearings
            .stays
            .iter()
            .filter_map(|stay| {
                let frames = stay.frames(last);
                (!frames.is_empty()).then_some(Contact {
                    foot: stay.foot,
                    start_frame: *frames.start(),
                    end_frame: *frames.end(),
                })
            })
            .collect();
        let mut planted = vec![vec![false; num_frames]; num_feet];
        for contact in &spans {
            planted[contact.foot][contact.start_frame..=contact.end_frame].fill(true);
        }
        Self {
            planted,
            spans,
            bearings,
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

    /// Whether a point of a foot rests over all of some frames.
    pub fn rests(&self, foot: usize, frames: RangeInclusive<usize>) -> bool {
        let [first, last] = [*frames.start() as f64, *frames.end() as f64];
        let covers =
            |stay: &Stay| stay.strike.is_none_or(|strike| strike <= first) && stay.lift.is_none_or(|lift| lift > last);
        self.points().iter().any(|of| of.stay.foot == foot && covers(&of.stay))
    }

    /// Returns all spans, sorted by first frame.
    pub fn spans(&self) -> &[Contact] {
        &self.spans
    }

    /// Returns the times on the ground, to a part of a frame, sorted by strike.
    pub fn stays(&self) -> &[Stay] {
        &self.bearings.stays
    }

    /// Returns when heel, ball and tip of each foot bear.
    pub fn points(&self) -> &[PointStay] {
        &self.bearings.points
    }

    /// Returns how the ground moves.
    pub fn ground(&self) -> &Ground {
        &self.bearings.ground
    }

    /// Measures the strides of a body in a take; of `take` the middle frame is enough.
    pub(crate) fn strides(&self, take: &Take, world: &WorldTracks, body: &Body) -> Strides {
        FootPaths::of_take(take, world, body)
            .over(|frame| self.ground().velocity(frame))
            .strides(self.stays())
    }

    /// Returns the phase of the body's cycle at a frame: the share of `period_frames` since the last strike of the first foot,
    /// from 0 to below 1.
    ///
    /// `None` if that foot does not strike within a period on either side, or hardly leaves the ground. The left foot is first
    /// if sides are known, so 0 is the strike of the left foot.
    pub fn phase(&self, frame: f64, period_frames: f64) -> Option<f64> {
        let strikes = || {
            let of_first = self.stays().iter().filter(|stay| stay.foot == 0);
            let short = of_first.filter(|stay| match (stay.strike, stay.lift) {
                (Some(strike), Some(lift)) => lift - strike < period_frames,
                _ => true,
            });
            short.filter_map(|stay| stay.strike)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every second frame from frame 10.25 on.
    #[test]
    fn contacts_at_another_rate_cover_the_same_time() {
        let stay = |foot, strike, lift| Stay { foot, strike, lift };
        let bearings = Bearings {
            stays: vec![
                stay(0, None, Some(13.0)),
                stay(1, Some(15.5), Some(20.25)),
                stay(0, Some(26.0), None),
                stay(1, Some(33.0), Some(36.0)),
            ],
            ..Bearings::default()
        };
        let limits = ContactLimits {
            speed_mps: Some(0.7),
            height_metres: None,
        };
        let own = Contacts::from_bearings(bearings, (2, 40), &limits);
        let found = own.resampled([10.25, 2.0], 11);
        let span = |of: &Contact| (of.foot, of.start_frame, of.end_frame);
        let spans: Vec<_> = found.spans().iter().map(span).collect();
        assert_eq!(spans, [(0, 0, 1), (1, 3, 4), (0, 8, 10)]);
        for frame in 0..11 {
            let at = 10.25 + 2.0 * frame as f64;
            let stands = [!(13.0..26.0).contains(&at), (15.5..20.25).contains(&at)];
            assert_eq!([0, 1].map(|foot| found.is_planted(foot, frame)), stands, "{frame}");
        }
        assert_eq!((found.num_feet(), found.limits()), (2, &limits));
    }
}
