//! When the feet stand: intervals in which a foot is low and slow.
//!
//! By height alone a toe that swings close to the ground counts as planted, by speed alone a foot that hangs at the top of a
//! kick, so both are asked. A foot that stands keeps standing up to higher limits than those at which it came to stand, and
//! the answer of a frame is that of most frames around it. Source: docs/math/contacts.md.

use glam::DVec3;

use super::{
    body::{Body, BodyError, FoundBy},
    heading::Heading,
};
use crate::{
    math::{percentile, time_step::TimeStep},
    take::WorldTracks,
};

/// A span of frames in which a foot stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contact {
    /// Which foot, as an index into [`Body::feet`].
    pub foot: usize,
    /// First frame.
    pub start_frame: usize,
    /// Last frame.
    pub end_frame: usize,
}

/// All contacts of a take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contacts {
    /// Per foot and frame whether it stands.
    planted: Vec<Vec<bool>>,
    spans: Vec<Contact>,
    limits: ContactLimits,
}

/// Limits below which a foot comes to stand, where they are not to be told from its own motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactLimits {
    /// Speed over the ground, metres per second.
    pub speed_mps: Option<f64>,
    /// Height over the lowest place that the foot comes to nearby, metres.
    pub height_metres: Option<f64>,
}

impl ContactLimits {
    /// Errors: [`BodyError::ContactLimit`] for a limit that is not a positive number.
    pub(super) fn check(&self) -> Result<(), BodyError> {
        for (limit, given) in [("speed", self.speed_mps), ("height", self.height_metres)] {
            if let Some(found) = given.filter(|found| !(*found > 0.0 && found.is_finite())) {
                return Err(BodyError::ContactLimit { limit, found });
            }
        }
        Ok(())
    }
}

/// The ground below a foot is the lowest that it comes to within this long on either side, seconds.
///
/// On stairs and slopes that is the step before or after, so there the foot may stand higher by what the hips rise within
/// that time, and its speed alone decides.
pub(crate) const GROUND_REACH_SECS: f64 = 0.75;

/// A foot comes to stand below this height over its ground, metres.
const LOW_METRES: f64 = 0.03;

/// Speed below which a foot comes to stand, as a share of its own fast speed (95th percentile), ...
const SLOW_SHARE: f64 = 0.1;

/// ... but no less and no more than this, metres per second: noise moves a foot that stands, and a foot this fast slides.
const SLOW_RANGE: [f64; 2] = [0.2, 0.6];

/// A foot that stands goes on standing up to this many times those limits.
const HOLD: f64 = 1.6;

/// Speeds are measured over this long, seconds.
const SPEED_SECS: f64 = 0.1;

/// Frames within this long decide by majority, seconds.
const MAJORITY_SECS: f64 = 0.07;

impl Contacts {
    /// Contacts of all feet; none where nothing tells feet from other joints.
    pub fn of(
        world: &WorldTracks,
        body: &Body,
        heading: &Heading,
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
        let rise: Vec<f64> = frames.clone().map(|frame| heading.ground(frame).y).collect();
        let planted: Vec<Vec<bool>> = body
            .feet
            .iter()
            .map(|foot| {
                let positions: Vec<DVec3> = (frames.clone())
                    .map(|frame| world.position(frame, foot.lowest_joint()))
                    .collect();
                stands(&positions, &rise, frame_time_secs, limits)
            })
            .collect();
        let mut spans = Vec::new();
        for (foot, frames) in planted.iter().enumerate() {
            let mut from = None;
            for (frame, &stands) in frames.iter().enumerate() {
                match (stands, from) {
                    (true, None) => from = Some(frame),
                    (false, Some(start_frame)) => {
                        spans.push(Contact {
                            foot,
                            start_frame,
                            end_frame: frame - 1,
                        });
                        from = None;
                    }
                    _ => {}
                }
            }
            if let Some(start_frame) = from {
                spans.push(Contact {
                    foot,
                    start_frame,
                    end_frame: frames.len() - 1,
                });
            }
        }
        spans.sort_by_key(|contact| (contact.start_frame, contact.foot));
        Self {
            planted,
            spans,
            limits: *limits,
        }
    }

    /// The limits that were given.
    pub fn limits(&self) -> &ContactLimits {
        &self.limits
    }

    /// Number of feet.
    pub fn num_feet(&self) -> usize {
        self.planted.len()
    }

    /// Whether a foot stands at a frame.
    pub fn is_planted(&self, foot: usize, frame: usize) -> bool {
        self.planted
            .get(foot)
            .and_then(|frames| frames.get(frame))
            .copied()
            .unwrap_or(false)
    }

    /// All spans, by their first frame.
    pub fn spans(&self) -> &[Contact] {
        &self.spans
    }

    /// Where in its cycle the body is at a frame: the share of `period_frames` since the first foot came to stand, from 0 to
    /// below 1.
    ///
    /// `None` where it does not come to stand within a period on either side, or hardly leaves the ground. With the left foot
    /// first, as it is wherever sides are known, 0 is the strike of the left foot.
    pub fn phase(&self, frame: f64, period_frames: f64) -> Option<f64> {
        let strikes = || {
            self.spans
                .iter()
                // One that stands from the first frame on has no strike.
                .filter(|contact| contact.foot == 0 && contact.start_frame > 0)
                .filter(|contact| ((contact.end_frame - contact.start_frame) as f64) < period_frames)
                .map(|contact| contact.start_frame as f64)
        };
        let before = strikes().filter(|&strike| strike <= frame && frame - strike <= period_frames);
        let after = || strikes().filter(|&strike| strike > frame && strike - frame <= period_frames);
        let since = match before.fold(None, |_, strike| Some(strike)) {
            Some(strike) => frame - strike,
            None => frame - after().next()? + period_frames,
        };
        let phase = since / period_frames;
        Some(phase - phase.floor()).filter(|phase| phase.is_finite())
    }
}

/// Per frame whether a point stands on ground that rises as `rise` does; both in metres, one entry a frame.
pub(crate) fn stands(positions: &[DVec3], rise: &[f64], frame_time_secs: f64, limits: &ContactLimits) -> Vec<bool> {
    let num_frames = positions.len();
    if num_frames < 3 {
        return vec![false; num_frames];
    }
    let frames_of = |secs: f64| TimeStep::new(frame_time_secs).nearest_from_one(secs).min(num_frames);
    let half = frames_of(0.5 * SPEED_SECS);
    let speeds: Vec<f64> = (0..num_frames)
        .map(|frame| {
            let (from, to) = (frame.saturating_sub(half), (frame + half).min(num_frames - 1));
            (positions[to] - positions[from]).length() / ((to - from) as f64 * frame_time_secs)
        })
        .collect();
    let reach = frames_of(GROUND_REACH_SECS);
    let heights: Vec<f64> = positions.iter().map(|position| position.y).collect();
    let ground = lowest_around(&heights, reach);
    let fall: Vec<f64> = rise.iter().map(|rise| -rise).collect();
    let (lowest, highest) = (lowest_around(rise, reach), lowest_around(&fall, reach));
    let slow = limits
        .speed_mps
        .unwrap_or_else(|| (SLOW_SHARE * percentile::of(speeds.clone(), 0.95)).clamp(SLOW_RANGE[0], SLOW_RANGE[1]));
    let low = limits.height_metres.unwrap_or(LOW_METRES);
    let mut stands = false;
    let raw: Vec<bool> = (0..num_frames)
        .map(|frame| {
            let hold = if stands { HOLD } else { 1.0 };
            let low = low + (-highest[frame] - lowest[frame]);
            stands = speeds[frame] < hold * slow && heights[frame] - ground[frame] < hold * low;
            stands
        })
        .collect();
    let half = frames_of(0.5 * MAJORITY_SECS);
    let mut counts = vec![0_usize];
    for (frame, &stands) in raw.iter().enumerate() {
        counts.push(counts[frame] + usize::from(stands));
    }
    (0..num_frames)
        .map(|frame| {
            let (from, to) = (frame.saturating_sub(half), (frame + half + 1).min(num_frames));
            2 * (counts[to] - counts[from]) > to - from
        })
        .collect()
}

/// Lowest value within `reach` places on either side, for every place: a queue of values that may yet be lowest.
fn lowest_around(values: &[f64], reach: usize) -> Vec<f64> {
    let count = values.len();
    let mut lowest = Vec::with_capacity(count);
    let mut queue = std::collections::VecDeque::new();
    let mut next = 0;
    for place in 0..count {
        while next < count && next <= place + reach {
            while queue.back().is_some_and(|&last| values[last] >= values[next]) {
                queue.pop_back();
            }
            queue.push_back(next);
            next += 1;
        }
        while queue.front().is_some_and(|&first| first + reach < place) {
            queue.pop_front();
        }
        lowest.push(queue.front().map_or(0.0, |&first| values[first]));
    }
    lowest
}

/// Where foot sliding is measured, a foot stands while it is within this of its lowest, metres, ...
pub const STANCE_METRES: f64 = 0.025;
/// ... and slower than this over the ground, metres per second.
pub const STANCE_SPEED: f64 = 0.4;
