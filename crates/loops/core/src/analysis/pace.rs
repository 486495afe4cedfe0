//! Checks by the swing of the legs whether the rate of a file can be right.
//!
//! A leg swings about as fast as a pendulum of its length: bodies of all sizes take strides of some multiple of sqrt(leg / gravity), see R.
//! McN. Alexander, "Optimization and gaits in the locomotion of vertebrates", Physiological Reviews 69 (1989).

use super::{
    Body, Heading,
    gait::{GRAVITY, leg_metres},
};
use crate::{
    math::{mean, percentile},
    motion::WorldTracks,
    take::Take,
};

/// Strides that no body of this size takes: the rate of the file is wrong.
#[value(Copy)]
pub struct OddPace {
    /// Seconds that a stride takes.
    pub stride_secs: f64,
    /// Factor by which a usual walk is faster.
    pub speed_up: f64,
}

/// Duration of a stride of a usual walk, in sqrt(leg / gravity).
const WALK: f64 = 3.6;

/// A stride this many times as long or as short as that of a usual walk is implausible: a sprinter's takes 0.4 of it, that of a slow
/// procession 3 times as long.
const ODD: f64 = 4.0;

/// Legs of a gait swing at least so far back and forth, standard deviation as a share of their length, and against each other.
const SWING_SHARE: f64 = 0.12;
const AGAINST: f64 = -0.5;

/// Fewer frames show no swing.
const FEWEST_FRAMES: usize = 12;

/// A foot swings while it is faster than this share of its fast speed.
const SWINGS_SHARE: f64 = 0.1;

/// Returns the pace of a two-legged body if it is impossible for its size; `take` only provides the bones.
pub(crate) fn odd_pace(take: &Take, world: &WorldTracks, body: &Body, heading: &Heading) -> Option<OddPace> {
    let [left, right] = <&[_; 2]>::try_from(body.known_feet())
        .ok()
        .filter(|_| world.num_frames() >= FEWEST_FRAMES)?;
    let from_hips = |joint: usize, axis: usize| -> Vec<f64> {
        let frames = 0..world.num_frames();
        let seen = frames.map(|frame| {
            let way = world.position(frame, joint) - world.position(frame, body.hips);
            heading.world_from_heading(frame).rotation.inverse() * way
        });
        seen.map(|way| way[axis]).collect()
    };
    let (leg, secs) = (leg_metres(body.stature(take)), take.frame_time_secs());
    // Aside and ahead, the wider one.
    let swings = [0, 2].map(|axis| Swing::new(&from_hips(left.ankle, axis), &from_hips(right.ankle, axis), secs));
    let swing = if swings[0].metres > swings[1].metres {
        &swings[0]
    } else {
        &swings[1]
    };
    let stride_secs = core::f64::consts::TAU * swing.metres / swing.mps;
    let speed_up = stride_secs / (WALK * (leg / GRAVITY).sqrt());
    let is_gait = swing.metres > SWING_SHARE * leg && swing.likeness < AGAINST;
    (is_gait && speed_up.is_finite() && !(1.0 / ODD..=ODD).contains(&speed_up))
        .then_some(OddPace { stride_secs, speed_up })
}

/// The swing of two feet along an axis, while the first one swings.
struct Swing {
    /// Standard deviation of its position.
    metres: f64,
    /// Root mean square of its speed.
    mps: f64,
    /// Correlation with the other foot.
    likeness: f64,
}

impl Swing {
    fn new(one: &[f64], other: &[f64], secs: f64) -> Self {
        let speeds: Vec<f64> = one
            .windows(3)
            .map(|around| (around[2] - around[0]).abs() / (2.0 * secs))
            .collect();
        let fast = SWINGS_SHARE * percentile::of(speeds.clone(), 0.99);
        let moving: Vec<usize> = (0..speeds.len()).filter(|&at| speeds[at] > fast).collect();
        let mean = |value: &dyn Fn(usize) -> f64| mean(moving.iter().map(|&at| value(at)));
        let means = [one, other].map(|foot| mean(&|at| foot[at + 1]));
        let off = |at: usize| [one[at + 1] - means[0], other[at + 1] - means[1]];
        let [own, both, others] =
            [[0, 0], [0, 1], [1, 1]].map(|[left, right]| mean(&|at| off(at)[left] * off(at)[right]));
        Self {
            metres: own.sqrt(),
            mps: mean(&|at| speeds[at] * speeds[at]).sqrt(),
            likeness: both / (own * others).sqrt(),
        }
    }
}
