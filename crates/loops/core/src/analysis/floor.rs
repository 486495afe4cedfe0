//! The floor below a body: where its own feet stand, not the zero of its file.
//!
//! Files put the floor anywhere: some centimetres off, on a platform, or on a slope. Every stance tells its height at one time.
//! Where these hardly differ, the floor is level; otherwise straight lines through them, fitted over a second on either side, follow
//! stairs and slopes, and stay level while the body crouches or jumps. Heights are those of the joints that stand, which are above the
//! ground by the thickness of a sole: the same for every motion of one skeleton. Source: docs/math/contacts.md.

use super::body::{Body, Foot, FoundBy};
use super::{contacts::Contacts, standing};
use crate::math::{kernel, percentile, time_step::TimeStep};
use crate::motion::WorldTracks;

/// Stances within this long on either side count, seconds: those of a step before and a step after at a slow walk.
///
/// Shorter, and a flight of stairs becomes a flight of steps; longer, and the floor is late at the foot of the stairs.
const REACH_SECS: f64 = 1.0;

/// Spread that a line through stances is given in addition, seconds: two stances of nearly one time do not tell a slope.
const RIDGE_SECS: f64 = 0.08;

/// Floors that rise and fall by less than this share of the height of the hips are level: soles differ from stance to stance.
///
/// 5 cm for a man. Clean captures of gaits on level ground vary by less than 1 cm; of dances and runs with odd stances some vary by
/// more than this, up to 15 cm, and their floor follows these stances.
const LEVEL_SHARE: f64 = 0.055;

/// Share of the lowest heights that may be lower than a floor on which no foot is known to stand, such as stray frames.
const BELOW: f64 = 0.02;

/// The height of the floor at every frame.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub struct Floor {
    #[cfg_attr(feature = "handover", serde(with = "crate::plain_bytes"))]
    heights: Vec<f64>,
}

impl Floor {
    /// The floor below a body with these contacts.
    ///
    /// Where none ever stands, the floor follows the hips at the distance of the lowest foot, or of the lowest joint of a body
    /// without feet.
    pub(crate) fn of(world: &WorldTracks, body: &Body, contacts: &Contacts, frame_time_secs: f64) -> Self {
        let step = TimeStep::new(frame_time_secs);
        let mut stances = Stances::new(world.num_frames());
        for (index, foot) in body.feet.iter().enumerate() {
            for stance in contacts.spans().iter().filter(|contact| contact.foot == index) {
                let frames = stance.start_frame..stance.end_frame + 1;
                let heights = frames.clone().map(|frame| world.position(frame, foot.lowest_joint()).y);
                // A sole rolls, so a stance tells one height, not one for each frame.
                let middle = percentile::of(heights.collect(), 0.5);
                stances.add(frames, step.nearest_from_one(REACH_SECS), middle);
            }
        }
        let heights = match stances.lines(step.nearest(REACH_SECS), RIDGE_SECS / frame_time_secs) {
            Some(lines) => {
                let middle = percentile::of(lines.clone(), 0.5);
                let over = (0..lines.len()).map(|frame| world.position(frame, body.hips).y - middle);
                let allowance = LEVEL_SHARE * percentile::of(over.collect(), 0.5).max(0.0);
                let (lowest, highest) = percentile::extremes(lines.iter().copied());
                if highest - lowest < allowance {
                    vec![middle; lines.len()]
                } else {
                    lines
                }
            }
            None => below_hips(world, body, frame_time_secs),
        };
        Self { heights }
    }

    /// Height at a frame, metres.
    pub fn height(&self, frame: usize) -> f64 {
        self.heights[frame]
    }

    /// Height at every frame, metres.
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }
}

/// Slow trend of the hips, lowered to the feet.
fn below_hips(world: &WorldTracks, body: &Body, frame_time_secs: f64) -> Vec<f64> {
    let trend = standing::rise_of_hips(world, body.hips, frame_time_secs);
    let joints: Vec<usize> = if body.found_by == FoundBy::AllLeaves || body.feet.is_empty() {
        (0..world.num_joints()).collect()
    } else {
        body.feet.iter().map(Foot::lowest_joint).collect()
    };
    let under = (0..world.num_frames())
        .map(|frame| {
            let heights = joints.iter().map(|&joint| world.position(frame, joint).y);
            heights.fold(f64::INFINITY, f64::min) - trend[frame]
        })
        .collect();
    let offset = percentile::of(under, BELOW);
    trend.iter().map(|height| height + offset).collect()
}

/// Sums over the stances at each frame: weight, and times it frame, frame squared, height, frame times height. Frames are counted
/// from the middle of the take to preserve precision.
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

    /// Adds a stance at one height, in pieces of at most `longest` frames. A piece counts at its middle, so that none is cut in two
    /// by the span that a line is fitted to: half a step would change the slope of a flight of stairs.
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

    /// Height at every frame of the line through the stances around it, straight between frames that have some; `None` without
    /// any stance.
    fn lines(&self, reach: usize, ridge: f64) -> Option<Vec<f64>> {
        let count = self.at.len();
        let mut sums = vec![[0.0; 5]];
        for (index, at) in self.at.iter().enumerate() {
            sums.push(core::array::from_fn(|k| sums[index][k] + at[k]));
        }
        let line = |frame: usize| {
            // At the ends of the take the span keeps its length, since a single stance there tells no slope.
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
            // Frames without a stance nearby are on the straight line between those that have one.
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
