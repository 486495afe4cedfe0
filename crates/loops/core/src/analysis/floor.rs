//! The floor below a body: the height at which its own feet stand, not the zero of its file.
//!
//! Files put the floor anywhere: some centimetres off, on a platform, or on a slope. Every stance gives its height at one time.
//! If these heights hardly differ, the floor is level; otherwise straight lines through them, fitted over a second on either
//! side, follow stairs and slopes, and stay level while the body crouches or jumps. Heights are those of the standing joints,
//! which are above the ground by the thickness of a sole: the same for every motion of one skeleton. Source:
//! docs/math/contacts.md.

use super::{Body, Contacts, Foot, FootPoint, standing};
use crate::{
    math::{TimeStep, kernel, percentile, smallest},
    motion::WorldTracks,
};

/// Stances within this long on either side count, seconds: those of a step before and a step after at a slow walk.
///
/// With less, a flight of stairs becomes separate steps; with more, the floor reacts late at the foot of the stairs.
const REACH_SECS: f64 = 1.0;

/// Spread added to a line through stances, seconds: two stances at nearly the same time do not determine a slope.
const RIDGE_SECS: f64 = 0.08;

/// Floors that rise and fall by less than this share of the height of the hips are level: soles differ from stance to stance.
///
/// 5 cm for an adult. In clean captures of gaits on level ground the height varies by less than 1 cm; in some dances and runs
/// with odd stances it varies by more than this, up to 15 cm, and their floor follows these stances.
const LEVEL_SHARE: f64 = 0.055;

/// Share of the lowest heights that may be below a floor without known stances, such as those of stray frames.
const BELOW: f64 = 0.02;

/// The height of the floor at every frame.
#[handed_over]
pub struct Floor {
    #[handed(with = "crate::plain_bytes")]
    heights: Vec<f64>,
}

impl Floor {
    /// Finds the floor below a body with these contacts.
    ///
    /// If no foot ever stands, the floor follows the hips at the distance of the lowest foot, or of the lowest joint of a body
    /// without feet.
    pub(crate) fn of(world: &WorldTracks, body: &Body, contacts: &Contacts, frame_time_secs: f64) -> Self {
        let step = TimeStep::new(frame_time_secs);
        let mut stances = Stances::new(world.num_frames());
        for (index, foot) in body.feet.iter().enumerate() {
            let of_foot = contacts.points().iter().filter(|of| of.stay.foot == index);
            for stance in of_foot.filter(|of| matches!(of.point, FootPoint::Ball | FootPoint::Ankle)) {
                let frames = stance.stay.frames(world.num_frames() - 1);
                if frames.is_empty() {
                    continue;
                }
                let frames = *frames.start()..frames.end() + 1;
                let heights = frames
                    .clone()
                    .map(|frame| body.point(world, frame, foot.lowest_joint()).y);
                // A sole rolls, so a stance gives one height, not one per frame.
                let middle = percentile::of(heights, 0.5);
                stances.add(frames, step.nearest_from_one(REACH_SECS), middle);
            }
        }
        let heights = match stances.lines(step.nearest(REACH_SECS), RIDGE_SECS / frame_time_secs) {
            Some(lines) => {
                let middle = percentile::of(lines.clone(), 0.5);
                let over = (0..lines.len()).map(|frame| world.position(frame, body.hips).y - middle);
                let allowance = LEVEL_SHARE * percentile::of(over, 0.5).max(0.0);
                if percentile::spread(lines.iter().copied()) < allowance {
                    vec![middle; lines.len()]
                } else {
                    lines
                }
            }
            None => below_hips(world, body, frame_time_secs),
        };
        Self { heights }
    }

    /// Returns the height at a frame, metres.
    pub fn height(&self, frame: usize) -> f64 {
        self.heights[frame]
    }

    /// Returns the height at every frame, metres.
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }
}

/// Returns the slow trend of the hips, lowered to the feet.
fn below_hips(world: &WorldTracks, body: &Body, frame_time_secs: f64) -> Vec<f64> {
    let trend = standing::rise_of_hips(world, body.hips, frame_time_secs);
    let feet = body.known_feet();
    let joints: Vec<usize> = if feet.is_empty() {
        (0..world.num_joints()).collect()
    } else {
        feet.iter().map(Foot::lowest_joint).collect()
    };
    let under = (0..world.num_frames()).map(|frame| {
        let heights = joints.iter().map(|&joint| body.point(world, frame, joint).y);
        smallest(heights) - trend[frame]
    });
    let offset = percentile::of(under, BELOW);
    trend.iter().map(|height| height + offset).collect()
}

/// Sums over the stances at each frame: weight, and weight times frame, frame squared, height, and frame times height. Frames
/// are counted from the middle of the take to preserve precision.
struct Stances {
    middle: f64,
    at: Vec<[f64; 5]>,
}

impl Stances {
    fn new(num_frames: usize) -> Self {
        Self {
            middle: 0.5 * num_frames as f64,
            at: vec![[0.0; 5]; num_frames],
        }
    }

    /// Adds a stance at one height, in pieces of at most `longest` frames. A piece counts at its middle, so that the span of a
    /// line never cuts it: half a step would change the slope of a flight of stairs.
    fn add(&mut self, frames: core::ops::Range<usize>, longest: usize, height: f64) {
        let num_pieces = frames.len().div_ceil(longest.max(1));
        for piece in 0..num_pieces {
            let [from, to] = [piece, piece + 1].map(|at| frames.start + frames.len() * at / num_pieces);
            let (frame, weight) = ((from + to) / 2, (to - from) as f64);
            let x = frame as f64 - self.middle;
            let terms = [1.0, x, x * x, height, x * height];
            for (sum, term) in self.at[frame].iter_mut().zip(terms) {
                *sum += weight * term;
            }
        }
    }

    /// Returns the height at every frame of the line through the stances around it, interpolated where there are none; `None`
    /// without any stance.
    fn lines(&self, reach: usize, ridge: f64) -> Option<Vec<f64>> {
        let count = self.at.len();
        let mut sums = vec![[0.0; 5]];
        for (index, at) in self.at.iter().enumerate() {
            sums.push(core::array::from_fn(|k| sums[index][k] + at[k]));
        }
        let line = |frame: usize| {
            // The span keeps its length at the ends of the take, because a single stance there does not determine a slope.
            let from = frame.saturating_sub(reach).min(count.saturating_sub(2 * reach + 1));
            let to = (frame.max(reach) + reach + 1).min(count);
            let [n, sx, sxx, sy, sxy] = core::array::from_fn(|k| sums[to][k] - sums[from][k]);
            if n < 0.5 {
                return None;
            }
            let spread = (sxx - sx * sx / n).max(0.0) + n * ridge * ridge;
            let slope = (sxy - sx * sy / n) / spread;
            Some(sy / n + slope * (frame as f64 - self.middle - sx / n))
        };
        let mut heights: Vec<f64> = Vec::with_capacity(count);
        for frame in 0..count {
            let Some(height) = line(frame) else { continue };
            // Frames without a nearby stance are interpolated.
            let missing = frame - heights.len();
            let before = heights.last().copied().unwrap_or(height);
            heights.extend((1..=missing).map(|at| before + (height - before) * at as f64 / (missing + 1) as f64));
            heights.push(height);
        }
        let last = *heights.last()?;
        heights.resize(count, last);
        Some(kernel::trend(&heights, reach / 2))
    }
}
