//! The poses around both ends of a stretch, and the motion that maps those at the start to those at the end.

use core::ops::RangeInclusive;

use glam::DVec3;

use crate::{
    analysis::{Analysis, standing::FootJoint},
    math::{
        Rigid,
        fit::{PointPair, fit_planar, fit_rigid},
    },
    motion::WorldTracks,
};

/// Poses this far on either side of both ends are compared, seconds.
pub(crate) const WINDOW_SECS: f64 = 0.2;

/// Weight of hips, thighs and shoulders in the fit, in addition to the joints that the search compares: they determine the turn.
const TRUNK_WEIGHT: f64 = 0.5;

/// Weight of every other joint: many inaccurate joints average out the noise of a few accurate ones.
const LIMB_WEIGHT: f64 = 0.1;

/// Factor on the weight of feet that stand at both ends, in the translation but not in the rotation of the fit, because standing
/// feet must not slide over the seam.
///
/// Measured on the loops of 35 takes: foot sliding within 0.1 s of the seam is 1.28 times that of the uncut take without the
/// factor, 1.22 with 10 and 1.20 with 100, where only the noise of two joints counts. In the rotation a factor of 3 already
/// causes errors of more than a degree a second on noisy walks.
const PLANTED_FACTOR: f64 = 10.0;

/// In full space a joint also contributes six points this far along its axes, metres: for a prop of one joint only they determine
/// the rotation. Longer levers weigh rotations more and positions less.
const LEVER_METRES: f64 = 0.1;

/// The poses around both ends of a stretch, which its root motion maps to each other.
#[derive(Clone, Copy)]
pub(crate) struct EndPoses<'a> {
    pub analysis: &'a Analysis,
    pub world: &'a WorldTracks,
    /// Frame of the start.
    pub first: usize,
    pub num_intervals: usize,
    /// Frames compared on either side of both ends: those of [`WINDOW_SECS`].
    pub reach: usize,
}

/// The motion from the poses at the start to those at the end, and the error of the fit.
pub(crate) struct Alignment {
    pub motion: Rigid,
    /// Weighted root mean square distance between the end poses and the moved start poses, metres.
    pub residual_metres: f64,
}

impl EndPoses<'_> {
    pub(crate) fn motion_on_ground(&self) -> Rigid {
        let pairs = self.pairs();
        self.held(&pairs, fit_planar(&pairs))
    }

    /// Returns the motion over the ground, and the error of the fit.
    pub(crate) fn aligned_on_ground(&self) -> Alignment {
        let pairs = self.pairs();
        self.aligned(&pairs, &pairs, fit_planar(&pairs))
    }

    pub(crate) fn aligned_in_space(&self) -> Alignment {
        let pairs = self.pairs();
        let levered = self.levered(&pairs);
        self.aligned(&pairs, &levered, fit_rigid(&levered))
    }

    fn aligned(&self, pairs: &[PointPair], fitted: &[PointPair], motion: Rigid) -> Alignment {
        let motion = self.held(pairs, motion);
        Alignment {
            motion,
            residual_metres: residual(fitted, motion),
        }
    }

    /// Returns the frames around the start for which frames around the end exist.
    fn frames(&self) -> RangeInclusive<usize> {
        let reach = self
            .reach
            .min(self.first)
            .min(self.world.num_frames() - 1 - (self.first + self.num_intervals));
        self.first - reach..=self.first + reach
    }

    /// Point pairs of the poses around the start and around the end, frame-major.
    fn pairs(&self) -> Vec<PointPair> {
        self.pairs_from(|frame, joint| self.world.position(frame, joint))
    }

    /// Pairs of points that a function returns for each frame around the start and each joint, and of the joints around the end.
    pub(super) fn pairs_from(&self, start: impl Fn(usize, usize) -> DVec3) -> Vec<PointPair> {
        let weights = fit_weights(self.analysis);
        let mut pairs = Vec::new();
        for frame in self.frames() {
            pairs.extend(weights.iter().enumerate().map(|(joint, &weight)| {
                let end = self.world.position(frame + self.num_intervals, joint);
                PointPair::new(start(frame, joint), end, weight)
            }));
        }
        pairs
    }

    /// Returns the pairs, and six more about every joint that contributes to the rotation.
    fn levered(&self, origins: &[PointPair]) -> Vec<PointPair> {
        let num_joints = self.world.num_joints();
        let first = *self.frames().start();
        let mut pairs = Vec::with_capacity(7 * origins.len());
        for (index, origin) in origins.iter().enumerate() {
            pairs.push(*origin);
            if origin.weight < TRUNK_WEIGHT {
                continue;
            }
            let (frame, joint) = (first + index / num_joints, index % num_joints);
            let [start, end] = [frame, frame + self.num_intervals].map(|frame| self.world.rotation(frame, joint));
            for axis in DVec3::AXES.map(|axis| axis * LEVER_METRES) {
                for lever in [axis, -axis] {
                    let [start, end] = [origin.start + start * lever, origin.end + end * lever];
                    pairs.push(PointPair::new(start, end, origin.weight));
                }
            }
        }
        pairs
    }

    /// Returns the motion with the rotation fitted to the whole body, shifted so that feet that stand at both ends are held.
    fn held(&self, pairs: &[PointPair], motion: Rigid) -> Rigid {
        let off = |pair: &PointPair| (pair.end - motion.transform_point(pair.start)) * pair.weight;
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        for pair in pairs {
            sum += off(pair);
            total += pair.weight;
        }
        for index in self.planted() {
            let more = PLANTED_FACTOR - 1.0;
            sum += off(&pairs[index]) * more;
            total += pairs[index].weight * more;
        }
        if total > 0.0 {
            Rigid::new(motion.rotation, motion.translation + sum / total)
        } else {
            motion
        }
    }

    /// Returns the pairs of feet that stand at both ends.
    fn planted(&self) -> Vec<usize> {
        let step_secs = WINDOW_SECS / self.reach.max(1) as f64;
        let cut = self.first..=self.first + self.num_intervals;
        let Analysis { take, body, .. } = self.analysis;
        let size = body.leg_size(take.skeleton(), |joint| self.world.position(self.first, joint));
        let feet: Vec<FootJoint> = body
            .known_feet()
            .iter()
            .flat_map(|foot| [Some(foot.ankle), foot.toe])
            .flatten()
            // The joint of a leg without a foot is high.
            .filter(|&joint| !body.is_bone_end(joint))
            .map(|joint| FootJoint::of(self.world, joint, cut.clone(), step_secs, size))
            .collect();
        let mut planted = Vec::new();
        for (index, frame) in self.frames().enumerate() {
            let ends = [frame, frame + self.num_intervals];
            let stand = feet
                .iter()
                .filter(|foot| ends.iter().all(|&frame| foot.stands_at(self.world, frame)));
            planted.extend(stand.map(|foot| index * self.world.num_joints() + foot.joint()));
        }
        planted
    }
}

/// Weighted root mean square distance between the end points and the moved start points, metres.
fn residual(pairs: &[PointPair], motion: Rigid) -> f64 {
    let total: f64 = pairs.iter().map(|pair| pair.weight).sum();
    let sum: f64 = pairs
        .iter()
        .map(|pair| pair.weight * motion.transform_point(pair.start).distance_squared(pair.end))
        .sum();
    if total > 0.0 { (sum / total).sqrt() } else { 0.0 }
}

/// Returns the weight of each joint when a motion is fitted to poses.
pub(crate) fn fit_weights(analysis: &Analysis) -> Vec<f64> {
    let Analysis { body, joints, .. } = analysis;
    let skeleton = analysis.take.skeleton();
    let mut weights = vec![LIMB_WEIGHT; skeleton.num_joints()];
    // A root that is still while the hips move is not part of the body.
    for &joint in skeleton.path_from_root(body.hips).iter().rev().skip(1) {
        weights[joint] = 0.0;
    }
    for &control in &body.controls {
        weights[control] = 0.0;
    }
    for joint in [Some([body.hips; 2]), body.thighs, body.shoulders]
        .into_iter()
        .flatten()
        .flatten()
    {
        weights[joint] = TRUNK_WEIGHT;
    }
    // The fit uses positions of joints, and an elbow is less informative than the hand at the end of its bone.
    for weighted in joints.iter().filter(|weighted| !body.is_bone_end(weighted.joint)) {
        weights[weighted.joint] = weights[weighted.joint].max(weighted.weight);
    }
    weights
}
