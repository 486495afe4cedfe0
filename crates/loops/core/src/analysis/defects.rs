//! Detects unreliable frames and joints: poses that jump, frames that freeze during motion, joints that flip.
//!
//! Real takes start with a T-pose, hold doubled frames, and have wrists that turn over within one frame. Frames flagged here are
//! never ends of a loop, and joints that flip get no weight; both are reported to the user.

use glam::DVec3;

use super::Body;
use crate::{
    math::{TimeStep, greatest, ops, percentile, rotation},
    motion::WorldTracks,
    take::Take,
};

/// A fault of a frame.
#[handed_over(Copy, Eq)]
#[in_words]
pub enum BadFrameKind {
    /// The step to the previous or next pose is far larger than the motion allows.
    Jump,
    /// It repeats the previous frame while the body moves.
    Frozen,
}

/// An unreliable frame.
#[handed_over(Copy, Eq)]
pub struct BadFrame {
    /// Frame, counted from 0.
    pub frame: usize,
    /// Its fault.
    pub kind: BadFrameKind,
}

/// A joint that turns over between two frames.
#[handed_over(Copy)]
pub struct FlippingJoint {
    /// The joint.
    pub joint: usize,
    /// Number of flips.
    pub count: usize,
    /// Largest turn between two frames, radians.
    pub largest: f64,
}

/// The defects found in a take.
#[handed_over(Default)]
pub struct TakeDefects {
    /// Frames flagged, in order.
    pub bad_frames: Vec<BadFrame>,
    /// Joints that flip, in order.
    pub flipping: Vec<FlippingJoint>,
    /// Frames to which the pose jumps from the frame before, in order.
    pub jumps: Vec<usize>,
}

/// A step of the pose counts as a jump when it exceeds this many times the take's own fast steps (95th percentile).
///
/// Kicks and landings reach about 3; T-poses at the start of a take 20 and more.
const JUMP_OVER_FAST: f64 = 6.0;

/// A single step of the hips also counts as a jump if it exceeds the usual steps on either side, those of [`AROUND`] frames, and
/// all but a fiftieth of the take's, by this factor and by [`JUMP_METRES`], and the body continues as before: a root that is
/// displaced within a long walk. In authored actions poses strike as fast, and short clips have such steps of their own.
const JUMP_OVER_AROUND: f64 = 2.0;
const AROUND: usize = 4;

/// Smallest mean step of the joints that counts as a jump, metres; a smaller one is not visible.
const JUMP_METRES: f64 = 0.03;

/// Smallest turn of a joint between two frames that counts as a jump, radians (30 degrees).
const JUMP_RADIANS: f64 = core::f64::consts::FRAC_PI_6;

/// The pose jumps when at least this many joints jump at once; one or two are joints that flip.
const JUMPING_JOINTS: usize = 4;

/// A joint flips when it turns by more than this between two frames, radians (90 degrees), ...
const FLIP_RADIANS: f64 = core::f64::consts::FRAC_PI_2;

/// ... and by more than this many times its own fast turns (95th percentile).
const FLIP_OVER_FAST: f64 = 6.0;

/// Two frames are equal when no joint moves by more than this, metres ...
const FROZEN_METRES: f64 = 1e-7;

/// ... while the joints' median step is above this, metres: at slower speeds a stop is not visible.
const FROZEN_MEDIAN_METRES: f64 = 1e-3;

/// Towards a turning point each step is at most this share of the previous one.
const SLOWS_DOWN: f64 = 0.75;

/// Whether the motion slows down evenly to a step and speeds up from it: a swing that reverses between two frames, not a doubled
/// frame within a motion.
fn turns_back(steps: &[f64], index: usize) -> bool {
    let fades = |near: f64, far: f64| near > FROZEN_METRES && near <= SLOWS_DOWN * far;
    match (&steps[..index], &steps[index + 1..]) {
        ([.., farther, far], [near, next, ..]) => fades(*far, *farther) && fades(*near, *next),
        _ => false,
    }
}

impl TakeDefects {
    /// Finds the defects of a take: `world` must be its world tracks.
    pub fn of(take: &Take, world: &WorldTracks, body: &Body) -> Self {
        let num_frames = take.num_frames();
        if num_frames < 3 {
            return Self::default();
        }
        let steps = Steps::of(take, world, body);
        let [pose_jump, hips_jump] =
            [&steps.pose, &steps.hips].map(|steps| (JUMP_OVER_FAST * share_of(steps, 0.95)).max(JUMP_METRES));
        let fast_hips = share_of(&steps.hips, 0.98);
        // Jumping arms disappear in a mean over many fingers; counting joints that jump together detects them.
        let mut joints_jumping = vec![0_usize; num_frames - 1];
        for (_, angles) in &steps.turns {
            let limit = (JUMP_OVER_FAST * share_of(angles, 0.95)).max(JUMP_RADIANS);
            for (count, turn) in joints_jumping.iter_mut().zip(angles) {
                *count += usize::from(*turn > limit);
            }
        }
        let moving = share_of(&steps.pose, 0.5) + share_of(&steps.hips, 0.5) > FROZEN_MEDIAN_METRES;

        let mut kinds: Vec<Option<BadFrameKind>> = vec![None; num_frames];
        let mut jumps = Vec::new();
        // A jump near either end of the take flags the whole short side; one inside flags both its frames.
        let margin = TimeStep::new(take.frame_time_secs()).up(0.1).min(num_frames / 4).max(1);
        for index in 0..num_frames - 1 {
            let frame = index + 1;
            if steps.pose[index] > pose_jump
                || steps.hips[index] > hips_jump
                || stands_alone(&steps.hips, index, fast_hips)
                || joints_jumping[index] >= JUMPING_JOINTS
            {
                let flagged = if frame <= margin {
                    0..frame
                } else if num_frames - frame <= margin {
                    frame..num_frames
                } else {
                    frame - 1..frame + 1
                };
                kinds[flagged].fill(Some(BadFrameKind::Jump));
                jumps.push(frame);
            } else if moving && steps.largest[index] < FROZEN_METRES && !turns_back(&steps.largest, index) {
                kinds[frame] = Some(BadFrameKind::Frozen);
            }
        }

        let flipping = steps
            .turns
            .iter()
            .filter_map(|(joint, angles)| flips(*joint, angles, &kinds));
        let bad = kinds
            .iter()
            .enumerate()
            .filter_map(|(frame, kind)| kind.map(|kind| BadFrame { frame, kind }));
        Self {
            bad_frames: bad.collect(),
            flipping: flipping.collect(),
            jumps,
        }
    }

    /// For every frame, whether it may be an end of a loop: neither it nor a neighbour is flagged.
    ///
    /// Neighbours count because velocities at the ends are measured from them.
    pub(crate) fn usable_ends(&self, num_frames: usize) -> Vec<bool> {
        let mut usable = vec![true; num_frames];
        for bad in &self.bad_frames {
            let around = bad.frame.saturating_sub(1)..(bad.frame + 2).min(num_frames);
            usable[around].fill(false);
        }
        usable
    }
}

/// The steps of a take from each frame to the next.
#[derive(Default)]
struct Steps {
    /// Mean step of the joints relative to the hips, the hips' own step, and the largest of any joint, metres.
    pose: Vec<f64>,
    hips: Vec<f64>,
    largest: Vec<f64>,
    /// Joints that may jump, each with the angles of its turns in radians.
    turns: Vec<(usize, Vec<f64>)>,
}

impl Steps {
    fn of(take: &Take, world: &WorldTracks, body: &Body) -> Self {
        let joints: Vec<usize> = (0..take.num_joints())
            .filter(|&joint| !body.is_control(joint))
            .collect();
        let turns = joints
            .iter()
            .filter(|&&joint| may_jump(take, joint))
            .map(|&joint| {
                let turn = |frame: usize| {
                    let [before, after] = [frame - 1, frame].map(|frame| take.rotations(frame)[joint]);
                    rotation::length(rotation::difference(after, before))
                };
                (joint, (1..take.num_frames()).map(turn).collect())
            })
            .collect();
        // Relative to the hips, so that fast root motion neither counts as a jump nor hides one; the hips' own step is checked
        // separately.
        let seen_from_hips = |frame: usize| -> Vec<DVec3> {
            let hips = world.joint(frame, body.hips);
            let back = hips.rotation.conjugate();
            world
                .positions(frame)
                .iter()
                .map(|&position| back * (position - hips.translation))
                .collect()
        };
        let mut steps = Self {
            turns,
            ..Self::default()
        };
        let mut seen = seen_from_hips(0);
        for frame in 1..take.num_frames() {
            let seen_before = core::mem::replace(&mut seen, seen_from_hips(frame));
            let [before, at] = [frame - 1, frame].map(|frame| world.positions(frame));
            let (mut sum, mut largest) = (0.0, 0.0_f64);
            for &joint in &joints {
                sum += rotation::length(seen[joint] - seen_before[joint]);
                largest = largest.max(rotation::length(at[joint] - before[joint]));
            }
            steps.hips.push(at[body.hips].distance(before[body.hips]));
            steps.pose.push(sum / joints.len() as f64);
            steps.largest.push(largest);
        }
        steps
    }
}

/// Returns the step that this share of all steps does not exceed.
fn share_of(steps: &[f64], share: f64) -> f64 {
    percentile::of(steps.to_vec(), share)
}

/// Whether a step of the hips jumps by [`JUMP_OVER_AROUND`]; `fast` is the step that all but a fiftieth do not exceed.
fn stands_alone(steps: &[f64], index: usize, fast: f64) -> bool {
    let (from, to) = (index.saturating_sub(AROUND), (index + 1 + AROUND).min(steps.len()));
    // The motion may start or end there.
    if steps[index] < JUMP_METRES || to - from <= 2 * AROUND {
        return false;
    }
    let [before, after] = [from..index, index + 1..to].map(|around| share_of(&steps[around], 0.5));
    let (slower, faster) = (before.min(after), before.max(after));
    let fast = faster.max(fast);
    faster < JUMP_OVER_AROUND * slower && steps[index] > (JUMP_OVER_AROUND * fast).max(fast + JUMP_METRES)
}

/// Returns the flips of a joint, from the angles of its turns between unflagged frames; `None` if there are none.
fn flips(joint: usize, angles: &[f64], kinds: &[Option<BadFrameKind>]) -> Option<FlippingJoint> {
    let steps: Vec<f64> = angles
        .iter()
        .zip(kinds.windows(2))
        .filter(|(_, ends)| ends.iter().all(Option::is_none))
        .map(|(&angle, _)| angle)
        .collect();
    let flip = (FLIP_OVER_FAST * share_of(&steps, 0.95)).max(FLIP_RADIANS);
    let count = steps.iter().filter(|&&step| step > flip).count();
    (count > 0).then(|| FlippingJoint {
        joint,
        count,
        largest: greatest(steps.iter().copied()),
    })
}

/// Whether a joint ever turns by [`JUMP_RADIANS`] between two frames, tested by the cosine of half the angle: most joints never
/// do, and need no angles.
fn may_jump(take: &Take, joint: usize) -> bool {
    // Far above rounding, far below any relevant angle.
    const MARGIN: f64 = 1e-9;
    let least = ops::cos(0.5 * JUMP_RADIANS) + MARGIN;
    let rotation = |frame: usize| take.rotations(frame)[joint];
    (1..take.num_frames()).any(|frame| rotation(frame).dot(rotation(frame - 1)).abs() < least)
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::tests::{skeleton, take_of};
    use crate::{analysis::body::BodyOverrides, math::ops};

    fn swinging(edit: impl Fn(usize) -> f64) -> Take {
        let joint = |parent| ("j", parent, DVec3::ZERO);
        let skeleton = skeleton(&[joint(None), joint(Some(0)), joint(Some(1))]);
        take_of(skeleton, 1.0 / 60.0, 100, |frame, joint| match joint {
            0 => (DVec3::ZERO, DQuat::IDENTITY),
            1 => (DVec3::Y, rotation::exp(DVec3::X * edit(frame))),
            _ => (DVec3::Y, DQuat::IDENTITY),
        })
    }

    fn defects(take: &Take) -> TakeDefects {
        let body = Body::find(take, &BodyOverrides::default()).unwrap();
        TakeDefects::of(take, &take.world_tracks(), &body)
    }

    fn swing(frame: usize) -> f64 {
        0.8 * ops::sin(0.1 * frame as f64)
    }

    #[test]
    fn smooth_motion_is_clean() {
        assert_eq!(defects(&swinging(swing)), TakeDefects::default());
    }

    #[test]
    fn a_first_frame_in_another_pose_is_flagged_alone() {
        let found = defects(&swinging(|frame| if frame == 0 { 1.6 } else { swing(frame) }));
        assert_eq!(
            found.bad_frames,
            [BadFrame {
                frame: 0,
                kind: BadFrameKind::Jump
            }]
        );
        assert_eq!(found.usable_ends(100)[..3], [false, false, true]);
        assert!(found.flipping.is_empty());
        assert_eq!(found.jumps, [1]);
    }

    #[test]
    fn a_doubled_frame_is_flagged() {
        let found = defects(&swinging(|frame| swing(if frame == 31 { 30 } else { frame })));
        assert_eq!(
            found.bad_frames,
            [BadFrame {
                frame: 31,
                kind: BadFrameKind::Frozen
            }]
        );
    }

    /// Frames on both sides of a turning point may be exactly equal, which is not a defect.
    #[test]
    fn a_swing_that_turns_between_two_frames_is_not_frozen() {
        let at = |frame: usize| 0.5 * ops::cos(core::f64::consts::TAU * (frame as f64 - 14.5) / 30.0);
        assert!(at(14) == at(15) && at(29) == at(30));
        assert_eq!(defects(&swinging(at)).bad_frames, []);
    }

    #[test]
    fn a_joint_that_turns_over_is_named() {
        // The second joint lies on the axis that it flips about, so nothing else moves.
        let take = swinging(swing);
        let take = take_of(take.skeleton().clone(), 1.0 / 60.0, 100, |frame, joint| {
            let flips = (frame, joint) == (50, 2);
            let turn = if flips {
                rotation::exp(DVec3::Y * 3.0)
            } else {
                take.rotations(frame)[joint]
            };
            (take.translations(frame)[joint], turn)
        });
        let found = defects(&take);
        assert!(found.bad_frames.is_empty());
        assert_eq!(
            (found.flipping.len(), found.flipping[0].joint, found.flipping[0].count),
            (1, 2, 2)
        );
    }

    #[test]
    fn hips_that_are_moved_aside_for_a_frame_jump() {
        // Far below six times their usual step of 25 mm.
        let take = |aside: f64| {
            let skeleton = swinging(swing).skeleton().clone();
            take_of(skeleton, 1.0 / 30.0, 200, |frame, joint| {
                let hips = DVec3::new(if frame == 90 { aside } else { 0.0 }, 1.0, 0.025 * frame as f64);
                (if joint == 0 { hips } else { DVec3::Y }, DQuat::IDENTITY)
            })
        };
        assert_eq!(defects(&take(0.1)).jumps, [90, 91]);
        assert_eq!(defects(&take(0.02)).jumps, []);
    }
}
