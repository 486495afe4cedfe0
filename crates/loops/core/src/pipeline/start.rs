//! The phase at which a loop starts: the seam, or a requested phase.

use core::ops::Range;
use std::borrow::Cow;

use super::MadeLoop;
use crate::{
    analysis::Side,
    loop_clip::LoopClip,
    math::{ops, ordered},
};

/// The phase at which the first key of a loop lies.
#[handed_over(Copy)]
pub enum StartAt {
    /// The foot of this side touches down, at the beginning of its longest contact.
    Contact(Side),
    /// The feet are closest to each other, seen from above, while the left one stands.
    Passing,
    /// This share of the cycle after the seam, 0 to 1.
    Share(f64),
}

crate::words::words_or_number! {
    StartAt {
        Contact(Side::Left): "left-contact",
        Contact(Side::Right): "right-contact",
        Passing: "passing",
    }
    Share in 0.0..1.0,
    "must be left-contact, right-contact, passing, or a share of the cycle from 0 to below 1"
}

/// A loop cannot start as requested: no foot of that side touches down in it.
#[value(Copy, thiserror::Error)]
#[error("the loop starts at its seam: no {side} foot touches down in it")]
pub struct StartError {
    /// The side.
    pub side: Side,
}

impl MadeLoop {
    /// Returns the loop as written: from the requested phase on.
    pub fn from_start(&self) -> Cow<'_, LoopClip> {
        match self.first_sample {
            0 => Cow::Borrowed(&self.loop_clip),
            sample => Cow::Owned(self.loop_clip.starting_at(sample as isize)),
        }
    }

    /// Returns the sample of the written loop at which the seam is.
    pub fn seam_sample(&self) -> usize {
        let count = self.loop_clip.num_samples();
        (count - self.first_sample) % count
    }

    /// Returns the sample at that phase. Errors: [`StartError`].
    pub fn sample_of(&self, start: StartAt) -> Result<usize, StartError> {
        let count = self.loop_clip.num_samples();
        match start {
            StartAt::Contact(side) => Ok(self.stay_on(side)?.start),
            StartAt::Share(share) => Ok((share * count as f64).round() as usize % count),
            StartAt::Passing => {
                let ankles =
                    [self.foot_on(Side::Left)?, self.foot_on(Side::Right)?].map(|foot| self.body.feet[foot].ankle);
                let world = self.loop_clip.tracks_from_root();
                let apart = |key: usize| {
                    let [one, other] = ankles.map(|ankle| self.body.point(&world, key % count, ankle));
                    ops::over_ground(one - other)
                };
                Ok(self
                    .stay_on(Side::Left)?
                    .min_by_key(|&key| ordered(apart(key)))
                    .unwrap_or(0)
                    % count)
            }
        }
    }

    fn foot_on(&self, side: Side) -> Result<usize, StartError> {
        let foot = self.body.feet.iter().position(|foot| foot.side == Some(side));
        foot.ok_or(StartError { side })
    }

    /// Returns the samples of the longest stay of the foot of a side, from the one before it touches down, unless it stands all
    /// the time.
    fn stay_on(&self, side: Side) -> Result<Range<usize>, StartError> {
        let bearings = self.feet.bearings(&self.loop_clip, &self.body);
        let longest = bearings.longest_of(self.foot_on(side)?).ok_or(StartError { side })?;
        Ok(longest[0] as usize..longest[1].ceil() as usize)
    }
}
