//! Splits a long take into segments: standing, walking, running, turning.
//!
//! Each frame gets a gait from the motion of the heading frame over a second around it. The gaits of single frames fluctuate, so
//! the take is cut only where that pays: dynamic programming finds exactly the cuts with the fewest frames that disagree with
//! their segment plus a price for each cut. Source: docs/math/segments.md.

use super::activity::{Activity, ActivityKind};
use super::body::{Body, Side};
use super::heading::Heading;
use crate::math::{ops, rotation, time_step::TimeStep};
use crate::take::Take;

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub enum Gait {
    /// It hardly moves.
    Idle,
    /// It moves and stays in its position.
    OnTheSpot,
    /// It turns and stays in its position.
    Turn(Side),
    /// It walks ahead, on a curve to that side or straight.
    Walk(Option<Side>),
    /// It runs ahead, on a curve to that side or straight.
    Run(Option<Side>),
    /// It goes backwards.
    Backward,
    /// It goes sideways.
    Sideways(Side),
}

impl Gait {
    /// All gaits, in a fixed order.
    pub const ALL: [Self; 13] = [
        Self::Idle,
        Self::OnTheSpot,
        Self::Turn(Side::Left),
        Self::Turn(Side::Right),
        Self::Walk(None),
        Self::Walk(Some(Side::Left)),
        Self::Walk(Some(Side::Right)),
        Self::Run(None),
        Self::Run(Some(Side::Left)),
        Self::Run(Some(Side::Right)),
        Self::Backward,
        Self::Sideways(Side::Left),
        Self::Sideways(Side::Right),
    ];

    /// The name of the gait.
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::OnTheSpot => "other",
            Self::Turn(Side::Left) => "turn in place, left",
            Self::Turn(Side::Right) => "turn in place, right",
            Self::Walk(None) => "walk",
            Self::Walk(Some(Side::Left)) => "turning walk, left",
            Self::Walk(Some(Side::Right)) => "turning walk, right",
            Self::Run(None) => "run",
            Self::Run(Some(Side::Left)) => "turning run, left",
            Self::Run(Some(Side::Right)) => "turning run, right",
            Self::Backward => "backward",
            Self::Sideways(Side::Left) => "strafe, left",
            Self::Sideways(Side::Right) => "strafe, right",
        }
    }
}

/// A run of frames of one gait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
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

/// Below this speed a body stays in its position, metres per second.
pub const MOVING_MPS: f64 = 0.3;

/// From this rate on a walk or a run curves, radians per second (20 degrees).
const CURVE_RATE: f64 = 0.349;

/// From this rate on a body that stays in its position turns, radians per second (40 degrees).
const TURN_RATE: f64 = 0.698;

/// Speed squared over gravity times leg length at which people change from walking to running.
///
/// Source: R. McN. Alexander, "Optimization and gaits in the locomotion of vertebrates", Physiological Reviews 69 (1989).
const RUN_FROUDE: f64 = 0.5;

/// Leg length as a share of the height of the head joint.
const LEG_SHARE: f64 = 0.55;

/// Leg length where the skeleton has no measurable height, metres.
const FALLBACK_LEG: f64 = 0.9;

const GRAVITY: f64 = 9.81;

/// Price of a cut, in seconds of frames that disagree with their segment.
///
/// A stretch inside another that is shorter than twice this is not split off without need; with a higher price short turns
/// vanish.
const CUT_SECS: f64 = 0.5;

/// The frames of `heading` as segments, in order and without gaps; `take` gives the frame time and the bones, so its middle frame
/// alone will do.
pub(crate) fn segments(take: &Take, body: &Body, heading: &Heading, activity: &Activity) -> Vec<Segment> {
    let run_speed = run_speed(take, body);
    let seen: Vec<Gait> = (0..heading.num_frames())
        .map(|frame| gait_at(take, heading, activity, run_speed, frame))
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

/// The speed from which this body runs, metres per second.
pub(crate) fn run_speed(take: &Take, body: &Body) -> f64 {
    let leg = body.stature(take).map_or(FALLBACK_LEG, |height| LEG_SHARE * height);
    (RUN_FROUDE * GRAVITY * leg).sqrt()
}

fn gait_at(take: &Take, heading: &Heading, activity: &Activity, run_speed: f64, frame: usize) -> Gait {
    if activity.kinds()[frame] == ActivityKind::Idle {
        return Gait::Idle;
    }
    let dt = take.frame_time_secs();
    let half = TimeStep::new(dt).nearest_from_one(0.5 * WINDOW_SECS);
    let (from, to) = (frame.saturating_sub(half), (frame + half).min(heading.num_frames() - 1));
    let secs = ((to - from) as f64 * dt).max(dt);
    let turn_rate = (heading.yaw(to) - heading.yaw(from)) / secs;
    // Relative to the facing half-way, or a curve would count as a step sideways.
    let facing = 0.5 * (heading.yaw(from) + heading.yaw(to));
    let step = rotation::from_yaw(facing).conjugate() * (heading.ground(to) - heading.ground(from)) / secs;
    let speed = ops::hypot(step.x, step.z);
    let side = |value: f64| if value > 0.0 { Side::Left } else { Side::Right };
    if speed < MOVING_MPS {
        return if turn_rate.abs() >= TURN_RATE {
            Gait::Turn(side(turn_rate))
        } else {
            Gait::OnTheSpot
        };
    }
    let curve = (turn_rate.abs() >= CURVE_RATE).then(|| side(turn_rate));
    if step.x.abs() > step.z.abs() {
        Gait::Sideways(side(step.x))
    } else if step.z < 0.0 {
        Gait::Backward
    } else if speed >= run_speed {
        Gait::Run(curve)
    } else {
        Gait::Walk(curve)
    }
}

/// The gaits with the fewest disagreements plus `cut_frames` for each change (Viterbi's algorithm).
fn steadied(seen: &[Gait], cut_frames: f64) -> Vec<Gait> {
    const COUNT: usize = Gait::ALL.len();
    let mut costs = [0.0; COUNT];
    // Per frame and gait, the gait of the frame before on the cheapest path.
    let mut before: Vec<[u8; COUNT]> = Vec::with_capacity(seen.len());
    for gait in seen {
        let mut cheapest = 0;
        for other in 1..COUNT {
            if costs[other] < costs[cheapest] {
                cheapest = other;
            }
        }
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
    let mut state = (0..COUNT).min_by(|&a, &b| costs[a].total_cmp(&costs[b])).unwrap_or(0);
    let mut gaits = vec![Gait::Idle; seen.len()];
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
                'w' => Gait::Walk(None),
                'r' => Gait::Run(None),
                _ => Gait::Idle,
            })
            .collect()
    }

    #[test]
    fn short_disagreements_vanish_and_long_ones_stay() {
        let seen = runs("wwwwwwrwwwwwwrrwwwwwwwrrrrrrrrriiiiiiii");
        assert_eq!(steadied(&seen, 3.0), runs("wwwwwwwwwwwwwwwwwwwwwwrrrrrrrrriiiiiiii"));
        // With price zero everything stays as it is; with a price above all frames only the most frequent gait is left.
        assert_eq!(steadied(&seen, 0.0), seen);
        assert_eq!(steadied(&seen, 100.0), vec![Gait::Walk(None); seen.len()]);
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
