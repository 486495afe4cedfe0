//! Splits a long take into segments: standing, walking, running, turning.
//!
//! Each frame gets a gait from the motion of the heading frame over a second around it. The gaits of single frames fluctuate, so
//! the take is cut only if that pays: dynamic programming finds exactly the cuts with the fewest frames that disagree with their
//! segment plus a price for each cut. Source: docs/math/segments.md.

use core::ops::Range;

use glam::DVec3;

use super::{Activity, ActivityKind, Body, Contacts, Gait, Heading, MotionKind, Running, run_speed};
use crate::{
    math::{TimeStep, Twist, around, ordered, percentile, rotation},
    motion::WorldTracks,
    take::Take,
};

/// A run of frames of one gait.
#[handed_over(Copy, Eq)]
pub struct Segment {
    /// The gait of the body.
    pub gait: Gait,
    /// First frame.
    pub start_frame: usize,
    /// Last frame.
    pub end_frame: usize,
}

/// Root motion is measured over this long, seconds: about a stride, over which sway and bounce cancel.
const WINDOW_SECS: f64 = 1.0;

/// Price of a cut, in seconds of frames that disagree with their segment.
///
/// A stretch inside another that is shorter than twice this is not split off without need; with a higher price short turns
/// vanish.
const CUT_SECS: f64 = 0.5;

/// Returns the frames of `heading` as segments, in order and without gaps; only frame time and bones of `take` are used, so its
/// middle frame is enough.
pub(crate) fn segments(
    (take, world, body): (&Take, &WorldTracks, &Body),
    heading: &Heading,
    activity: &Activity,
    contacts: &Contacts,
) -> Vec<Segment> {
    let from_mps = run_speed(take, body);
    let strides = contacts.strides(take, world, body);
    let footings = strides.footings(heading.num_frames(), take.frame_time_secs());
    let rises = rises(world, body, 0..heading.num_frames());
    let half = TimeStep::new(take.frame_time_secs()).nearest_from_one(0.5 * WINDOW_SECS);
    let seen: Vec<Gait> = footings
        .into_iter()
        .enumerate()
        .map(|(frame, footing)| {
            let second = around(frame, half, heading.num_frames() - 1);
            if turns_over(rises.get(second.0..=second.1).unwrap_or_default()) {
                return Gait::new(MotionKind::Other, None);
            }
            if activity.kinds()[frame] == ActivityKind::Idle {
                return Gait::new(MotionKind::Idle, None);
            }
            let motion = motion_at(take.frame_time_secs(), heading, contacts, second);
            Gait::classify(&motion, &Running { from_mps, footing })
        })
        .collect();
    let cut_frames = CUT_SECS / take.frame_time_secs();
    let mut segments: Vec<Segment> = Vec::new();
    for (frame, gait) in steadied(&seen, cut_frames).into_iter().enumerate() {
        match segments.last_mut() {
            Some(segment) if segment.gait == gait => segment.end_frame = frame,
            _ => segments.push(Segment {
                gait,
                start_frame: frame,
                end_frame: frame,
            }),
        }
    }
    segments
}

/// Returns the height of the head above the hips at these frames, from 1 for upright to -1 for upside down; none without a head.
pub(crate) fn rises(world: &WorldTracks, body: &Body, frames: Range<usize>) -> Vec<f64> {
    let rise = |(head, frame): (usize, usize)| {
        let trunk = world.position(frame, head) - world.position(frame, body.hips);
        trunk.normalize_or(DVec3::Y).y
    };
    body.head
        .into_iter()
        .flat_map(|head| frames.clone().map(move |frame| (head, frame)))
        .map(rise)
        .collect()
}

/// Whether a body rolls or tumbles: its head is well above the hips at one time, and well below at another. Such a body does not
/// walk.
pub(crate) fn turns_over(rises: &[f64]) -> bool {
    let (low, high) = percentile::extremes(rises.iter().copied());
    low < -0.5 && high > 0.5
}

/// Returns the motion of a body over the ground from one frame to another, in its own axes.
fn motion_at(dt: f64, heading: &Heading, contacts: &Contacts, (from, to): (usize, usize)) -> Twist {
    let secs = ((to - from) as f64 * dt).max(dt);
    let turn_rate = (heading.yaw(to) - heading.yaw(from)) / secs;
    // Relative to the facing half-way; otherwise a curve would count as a sidestep.
    let facing = 0.5 * (heading.yaw(from) + heading.yaw(to));
    let over_ground = (heading.ground(to) - heading.ground(from)) / secs - contacts.ground().velocity((from + to) / 2);
    Twist::new(
        rotation::from_yaw(facing).conjugate() * over_ground,
        DVec3::Y * turn_rate,
    )
}

/// Returns the gaits with the fewest disagreements plus `cut_frames` for each change (Viterbi's algorithm).
fn steadied(seen: &[Gait], cut_frames: f64) -> Vec<Gait> {
    const COUNT: usize = Gait::ALL.len();
    let cheapest = |costs: &[f64; COUNT]| (0..COUNT).min_by_key(|&state| ordered(costs[state])).unwrap_or(0);
    let mut costs = [0.0; COUNT];
    // Per frame and gait, the previous frame's gait on the cheapest path.
    let mut before: Vec<[u8; COUNT]> = Vec::with_capacity(seen.len());
    for gait in seen {
        let cheapest = cheapest(&costs);
        let mut from = [0; COUNT];
        let mut next = [0.0; COUNT];
        for state in 0..COUNT {
            let changed = costs[cheapest] + cut_frames;
            let (cost, origin) = if costs[state] <= changed {
                (costs[state], state)
            } else {
                (changed, cheapest)
            };
            next[state] = cost + f64::from(u8::from(Gait::ALL[state] != *gait));
            from[state] = origin as u8;
        }
        costs = next;
        before.push(from);
    }
    let mut state = cheapest(&costs);
    let mut gaits = vec![Gait::ALL[0]; seen.len()];
    for frame in (0..seen.len()).rev() {
        gaits[frame] = Gait::ALL[state];
        state = before[frame][state] as usize;
    }
    gaits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(text: &str) -> Vec<Gait> {
        text.chars()
            .map(|letter| match letter {
                'w' => MotionKind::Walk,
                'r' => MotionKind::Run,
                _ => MotionKind::Idle,
            })
            .map(|kind| Gait::new(kind, None))
            .collect()
    }

    #[test]
    fn short_disagreements_vanish_and_long_ones_stay() {
        let seen = runs("wwwwwwrwwwwwwrrwwwwwwwrrrrrrrrriiiiiiii");
        assert_eq!(steadied(&seen, 3.0), runs("wwwwwwwwwwwwwwwwwwwwwwrrrrrrrrriiiiiiii"));
        // With price zero nothing changes; with a price above all frames only the most frequent gait is left.
        assert_eq!(steadied(&seen, 0.0), seen);
        assert_eq!(
            steadied(&seen, 100.0),
            vec![Gait::new(MotionKind::Walk, None); seen.len()]
        );
    }

    /// Every possible split of a short take, tried one by one.
    #[test]
    fn no_other_way_to_cut_is_cheaper() {
        let gaits = runs("wri");
        let cost = |seen: &[Gait], path: &[Gait]| {
            let wrong = seen.iter().zip(path).filter(|(seen, path)| seen != path).count();
            let cuts = path.windows(2).filter(|pair| pair[0] != pair[1]).count();
            wrong as f64 + 1.5 * cuts as f64
        };
        for text in ["wrwwri", "iiwwri", "rrwrrw", "wiwiwi"] {
            let seen = runs(text);
            let best = (0..3_usize.pow(6))
                .map(|number| {
                    let path: Vec<Gait> = (0..6).map(|digit| gaits[number / 3_usize.pow(digit) % 3]).collect();
                    cost(&seen, &path)
                })
                .fold(f64::INFINITY, f64::min);
            assert_eq!(cost(&seen, &steadied(&seen, 1.5)), best, "{text}");
        }
    }
}
