//! The rules and limits that decide when a foot stands.
//!
//! There are three rules for three purposes, and their numbers differ on purpose. Contacts hold the feet and use the foot's
//! motion over a long time: `stands`, with limits that follow from its own speed. Foot sliding and the fit of the root motion
//! must not depend on the quantity that they measure, so they use fixed limits: [`is_stance`] and [`FootJoint`]. All of these
//! grow with the legs of the body. The estimate of the root's speed from its feet runs before contacts are known: there a low
//! foot may stand, weighted by its speed. Source: docs/math/contacts.md and docs/math/feet.md.

use core::ops::RangeInclusive;

use glam::DVec3;

use crate::{
    math::{TimeStep, around, kernel, ops, percentile, smallest},
    motion::WorldTracks,
};

/// The ground below a foot is its lowest height within this long on either side, seconds.
///
/// On stairs and slopes that is the previous or next step, so the height limit is raised by the rise of the hips within that
/// time, and the speed alone decides.
pub(crate) const GROUND_REACH_SECS: f64 = 0.75;

/// Height over its ground below which a foot starts to stand, metres.
const CONTACT_METRES: f64 = 0.03;

/// Speed below which a foot starts to stand, as a share of its own fast speed (95th percentile), ...
const CONTACT_SPEED_SHARE: f64 = 0.1;

/// ... but within these bounds, metres per second: noise moves a standing foot, and a foot faster than the upper bound slides.
const CONTACT_MPS: [f64; 2] = [0.2, 0.6];

/// A standing foot keeps standing until it exceeds those limits by this factor.
pub(crate) const HOLD: f64 = 1.6;

/// Speeds are measured over this long, seconds.
pub(crate) const SPEED_SECS: f64 = 0.1;

/// Time around a frame within which the majority decides, seconds.
pub(super) const MAJORITY_SECS: f64 = 0.07;

/// Lines through the height of the hips are fitted over this long on either side, seconds.
///
/// With less, bobs and hops count as a rise; with more, stairs are detected too late.
const HIPS_REACH_SECS: f64 = 1.0;

/// A foot is held beyond a contact while it nearly stands: while it moves no faster than this over the ground, metres per
/// second, and is no further than this above it, metres, for at most this long, seconds.
pub(crate) const CREEP_MPS: [f64; 2] = [0.36, 0.42];
pub(crate) const CREEP_METRES: f64 = 0.03;
pub(crate) const CREEP_SECS: f64 = 0.15;

/// By the fixed limits a foot stands while its height is within this of its lowest, metres, ...
const STANCE_METRES: f64 = 0.025;

/// ... and its speed over the ground is below this, metres per second.
const STANCE_SPEED: f64 = 0.4;

/// Before the speed of the root is known, a foot this close to its lowest height may stand, metres ...
pub(crate) const MAY_STAND_METRES: f64 = 0.025;

/// ... and has its full weight up to this speed, metres per second; a faster foot swings.
pub(crate) const SWING_MPS: f64 = 0.4;

/// Limits below which a foot starts to stand, in place of those derived from its own motion.
#[handed_over(Copy, Default)]
pub struct ContactLimits {
    /// Speed over the ground, metres per second.
    pub speed_mps: Option<f64>,
    /// Height over the lowest nearby height of the foot, metres.
    pub height_metres: Option<f64>,
}

impl ContactLimits {
    /// Returns the limits on a body that is larger by this factor.
    #[must_use]
    pub fn scaled(&self, by: f64) -> Self {
        Self {
            speed_mps: self.speed_mps.map(|mps| mps * by),
            height_metres: self.height_metres.map(|metres| metres * by),
        }
    }

    /// Returns these limits; missing ones are those of the reference body times the size of the legs.
    pub(crate) fn at_size(&self, size: f64) -> LimitsAtSize {
        LimitsAtSize { limits: *self, size }
    }
}

/// Limits below which a foot of a body starts to stand.
#[value(Copy)]
pub(crate) struct LimitsAtSize {
    limits: ContactLimits,
    size: f64,
}

impl LimitsAtSize {
    /// Returns the size of the legs over that of the reference body.
    pub(crate) fn size(&self) -> f64 {
        self.size
    }

    /// Whether the speed limit follows from a point's own motion.
    pub(crate) fn is_own_speed(&self) -> bool {
        self.limits.speed_mps.is_none()
    }

    /// Returns the speed limit of a joint with this fast speed, metres per second.
    pub(crate) fn slow(&self, fast_mps: f64) -> f64 {
        let [least, most] = CONTACT_MPS.map(|mps| mps * self.size);
        let own = (CONTACT_SPEED_SHARE * fast_mps).max(least).min(most);
        self.limits.speed_mps.unwrap_or(own)
    }

    /// Returns the height limit over the ground, metres.
    pub(crate) fn low(&self) -> f64 {
        self.limits.height_metres.unwrap_or(CONTACT_METRES * self.size)
    }
}

/// Returns for each frame whether a point stands on ground that rises as `rise` does; both in metres, one entry per frame.
///
/// By height alone a toe that swings close to the ground would count as standing, by speed alone a foot at the top of a kick, so
/// both limits apply. A standing foot keeps standing up to higher limits, and each frame takes the answer of the majority around
/// it.
pub(crate) fn stands(positions: &[DVec3], rise: &[f64], frame_time_secs: f64, limits: &LimitsAtSize) -> Vec<bool> {
    let num_frames = positions.len();
    if num_frames < 3 {
        return vec![false; num_frames];
    }
    let frames_of = |secs: f64| TimeStep::new(frame_time_secs).nearest_from_one(secs).min(num_frames);
    let half = frames_of(0.5 * SPEED_SECS);
    let speeds: Vec<f64> = (0..num_frames)
        .map(|frame| {
            let (from, to) = around(frame, half, num_frames - 1);
            positions[to].distance(positions[from]) / ((to - from) as f64 * frame_time_secs)
        })
        .collect();
    let reach = frames_of(GROUND_REACH_SECS);
    let heights = over_lowest(positions.iter().map(|position| position.y), reach);
    let allowance = rise_around(rise, reach);
    let slow = limits.slow(percentile::of(speeds.clone(), 0.95));
    let low = limits.low();
    let mut stands = false;
    let raw: Vec<bool> = (0..num_frames)
        .map(|frame| {
            let hold = if stands { HOLD } else { 1.0 };
            stands = speeds[frame] < hold * slow && heights[frame] < hold * (low + allowance[frame]);
            stands
        })
        .collect();
    let half = frames_of(0.5 * MAJORITY_SECS);
    majority(&raw, |_| half)
}

/// Returns for each entry whether the majority within `reach` entries on either side is true.
pub(super) fn majority(all: &[bool], reach: impl Fn(usize) -> usize) -> Vec<bool> {
    let mut counts = vec![0_usize];
    for (index, &is) in all.iter().enumerate() {
        counts.push(counts[index] + usize::from(is));
    }
    (0..all.len())
        .map(|index| {
            let (from, to) = around(index, reach(index), all.len() - 1);
            2 * (counts[to + 1] - counts[from]) > to + 1 - from
        })
        .collect()
}

/// Returns the height of each entry over the lowest one within `reach` entries on either side.
pub(super) fn over_lowest(heights: impl Iterator<Item = f64>, reach: usize) -> Vec<f64> {
    let heights: Vec<f64> = heights.collect();
    let lowest = lowest_around(&heights, reach).into_iter();
    heights
        .iter()
        .zip(lowest)
        .map(|(height, lowest)| height - lowest)
        .collect()
}

/// Returns the difference between the highest and the lowest value within `reach` entries on either side of every entry.
pub(super) fn rise_around(heights: &[f64], reach: usize) -> Vec<f64> {
    let falls: Vec<f64> = heights.iter().map(|height| -height).collect();
    let ends = lowest_around(heights, reach)
        .into_iter()
        .zip(lowest_around(&falls, reach));
    ends.map(|(lowest, highest)| -highest - lowest).collect()
}

/// Returns the lowest value within `reach` entries on either side of every entry, with a queue of candidates for the minimum.
pub(crate) fn lowest_around(values: &[f64], reach: usize) -> Vec<f64> {
    let count = values.len();
    let mut lowest = Vec::with_capacity(count);
    let mut queue = std::collections::VecDeque::new();
    let mut next = 0;
    for index in 0..count {
        while next < count && next <= index + reach {
            while queue.back().is_some_and(|&last| values[last] >= values[next]) {
                queue.pop_back();
            }
            queue.push_back(next);
            next += 1;
        }
        while queue.front().is_some_and(|&first| first + reach < index) {
            queue.pop_front();
        }
        lowest.push(queue.front().map_or(0.0, |&first| values[first]));
    }
    lowest
}

/// Returns the slow rise of the hips at every frame, metres: the height of straight lines fitted to their path.
pub(crate) fn rise_of_hips(world: &WorldTracks, hips: usize, frame_time_secs: f64) -> Vec<f64> {
    let heights: Vec<f64> = (0..world.num_frames())
        .map(|frame| world.position(frame, hips).y)
        .collect();
    kernel::trend(&heights, TimeStep::new(frame_time_secs).nearest(HIPS_REACH_SECS))
}

/// Whether a foot stands by the fixed limits, given its height above its lowest, metres, and its speed over the ground, metres
/// per second, both on the reference body.
pub(crate) fn is_stance(height_metres: f64, speed_mps: f64) -> bool {
    !(height_metres > STANCE_METRES || speed_mps > STANCE_SPEED)
}

/// A joint of a foot over some frames of a take, tested by the fixed limits.
#[value(Copy)]
pub(crate) struct FootJoint {
    joint: usize,
    lowest: f64,
    step_secs: f64,
    size: f64,
}

impl FootJoint {
    /// Creates a joint whose lowest height is taken over `frames`, `step_secs` apart; limits grow with the legs of the body, of
    /// this size.
    pub(crate) fn of(
        world: &WorldTracks,
        joint: usize,
        frames: RangeInclusive<usize>,
        step_secs: f64,
        size: f64,
    ) -> Self {
        let heights = frames.map(|frame| world.position(frame, joint).y);
        Self {
            joint,
            lowest: smallest(heights),
            step_secs,
            size,
        }
    }

    pub(crate) fn joint(&self) -> usize {
        self.joint
    }

    /// Whether it stands at a frame; its speed is measured between the frame's neighbours.
    pub(crate) fn stands_at(&self, world: &WorldTracks, frame: usize) -> bool {
        let (before, after) = around(frame, 1, world.num_frames() - 1);
        let moved = world.position(after, self.joint) - world.position(before, self.joint);
        let secs = (after - before) as f64 * self.step_secs;
        world.position(frame, self.joint).y - self.lowest < STANCE_METRES * self.size
            && ops::over_ground(moved) < STANCE_SPEED * self.size * secs
    }
}
