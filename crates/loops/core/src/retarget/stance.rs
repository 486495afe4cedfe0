//! How a body stands, by a take if its rest pose does not show it: the height of its ankles over its soles.

use glam::DVec3;

use super::anatomy::Limb;
use crate::{
    analysis::{Body, ContactLimits, standing},
    math::percentile,
    motion::{Pose, Skeleton, WorldTracks},
};

/// The way in which a body stands.
#[handed_over(Default)]
pub(super) struct Stance {
    /// Whether it stands in the rest pose of its file.
    pub is_at_rest: bool,
    /// Height of the lower ankle over the ground when it is lowest in the take, metres.
    pub ankle: f64,
}

/// Heights are those exceeded by feet in all but one of this many frames: in some frames of captures the body sinks into the
/// floor. With 50, a take of 2428 frames whose last 96 do puts the ankles 7 cm too low; with 20, a dance with jumps puts them 3
/// cm too high.
const LOWEST_OF: usize = 25;

/// Returns the height below which one in [`LOWEST_OF`] of the frames lies.
pub(super) fn low(heights: impl Iterator<Item = f64>) -> f64 {
    let mut heights: Vec<f64> = heights.collect();
    heights.sort_by(f64::total_cmp);
    heights
        .get(heights.len().saturating_sub(1) / LOWEST_OF)
        .copied()
        .unwrap_or(0.0)
}

/// Returns the height of the lowest joint or bone end of the feet in a pose in the world.
pub(super) fn lowest_of_feet(skeleton: &Skeleton, body: &Body, world: &Pose) -> f64 {
    let mut is_foot = vec![false; skeleton.num_joints()];
    let mut lowest = f64::INFINITY;
    for joint in 0..is_foot.len() {
        let above = skeleton.parent(joint);
        is_foot[joint] = body.feet.iter().any(|foot| foot.ankle == joint) || above.is_some_and(|above| is_foot[above]);
        if is_foot[joint] {
            let (at, turn) = (world.translations[joint], world.rotations[joint]);
            lowest = lowest
                .min(at.y)
                .min(skeleton.joint(joint).tip.map_or(at, |tip| at + turn * tip).y);
        }
    }
    if lowest.is_finite() { lowest } else { 0.0 }
}

/// Limits of standing are for a leg of this length, metres; a sole needs at least this duration in all, seconds, and this number of frames.
const LEG_METRES: f64 = 0.85;
const LEAST_SECS: f64 = 0.1;
const LEAST_FRAMES: usize = 3;

/// The frames of a motion in which a foot stands.
pub(super) struct FootStands {
    /// On ankle and ball.
    pub flat: Vec<usize>,
    /// On its ball.
    pub on_ball: Vec<usize>,
}

impl FootStands {
    /// Finds the frames of a leg of a body with these hips, by the rules of contacts; `None` without a foot.
    pub(super) fn of(motion: &WorldTracks, step_secs: f64, hips: usize, limb: &Limb) -> Option<Self> {
        let [upper, lower, ankle] = limb.bones?.ends()?;
        let at = |joint: usize| motion.position(0, joint);
        let size = (at(upper).distance(at(lower)) + at(lower).distance(at(ankle))) / LEG_METRES;
        let (limits, count) = (ContactLimits::default().at_size(size), motion.num_frames());
        let rise = standing::rise_of_hips(motion, hips, step_secs);
        let [heel, ball] = [ankle, limb.toe.unwrap_or(ankle)].map(|joint| {
            let positions: Vec<DVec3> = (0..count).map(|frame| motion.position(frame, joint)).collect();
            standing::stands(&positions, &rise, step_secs, &limits)
        });
        Some(Self {
            flat: (0..count).filter(|&frame| heel[frame] && ball[frame]).collect(),
            on_ball: (0..count).filter(|&frame| ball[frame]).collect(),
        })
    }
}

/// Whether frames are enough to show a sole.
pub(super) fn show_sole(frames: &[usize], step_secs: f64) -> bool {
    frames.len() >= LEAST_FRAMES && frames.len() as f64 * step_secs >= LEAST_SECS
}

/// Returns the upward normal of a sole in the axes of a joint, the median over frames in which it stands.
pub(super) fn normal(motion: &WorldTracks, joint: usize, frames: &[usize]) -> Option<DVec3> {
    let ups: Vec<DVec3> = frames
        .iter()
        .map(|&frame| motion.rotation(frame, joint).conjugate() * DVec3::Y)
        .collect();
    DVec3::from_array([0, 1, 2].map(|axis| percentile::of(ups.iter().map(|up| up[axis]), 0.5))).try_normalize()
}
