//! Computes rotations between the axes of partners, from the skeleton at rest or from the mean pose of the take.

use glam::{DQuat, DVec3};

use super::{Mirror, MirrorError, SymmetricPose, flipped, partners};
use crate::{
    math::{greatest, ordered, rotation},
    motion::Skeleton,
    take::Take,
};

/// The position of a joint varies when it strays by more than this share of the skeleton's size.
const MOVING_SHARE: f64 = 0.02;

/// Partners may be off by this share of their bone's length and of the skeleton's size at rest, because shoulders and hips are
/// measured by hand, ...
const REST_TOLERANCE: [f64; 2] = [0.25, 0.02];

/// ... and by this in the mean pose, which is only as symmetric as the motion.
const MEAN_TOLERANCE: [f64; 2] = [0.4, 0.04];

impl Mirror {
    /// Finds the partners of a take's joints, by name and, if no name gives a side, by position.
    ///
    /// Two names are partners when exchanging a side word in one gives the other; the parents of partners are partners too.
    /// `pairs` are partners that the caller names, which take precedence; a joint paired with itself lies in the mirror plane.
    /// `yaw` is the facing of the body at a frame, radians from +Z, left positive; it is called only if the mean pose is needed.
    /// Errors: [`MirrorError`].
    pub(crate) fn new(
        take: &Take,
        pairs: &[(String, String)],
        yaw: impl Fn(usize) -> f64,
    ) -> Result<Self, MirrorError> {
        let skeleton = take.skeleton();
        let (medians, spreads) = median_positions(take);
        let size = partners::size(skeleton, &medians);
        let rest: Vec<Option<DVec3>> = (0..medians.len())
            .map(|joint| {
                (spreads[joint] <= MOVING_SHARE * size && skeleton.parent(joint).is_some()).then_some(medians[joint])
            })
            .collect();
        // Joints whose position varies have no rest position, and are omitted from the drawn skeleton.
        let drawn: Vec<DVec3> = rest.iter().map(|rest| rest.unwrap_or(DVec3::ZERO)).collect();
        let size = partners::size(skeleton, &drawn);
        let (partners, normal) = partners::find(skeleton, &drawn, pairs)?;
        // At rest the mirror plane is across the direction from right to left, whatever the skeleton's facing.
        let rotations = vec![from_reflections(normal); rest.len()];
        let at_rest = Self::with_axes(skeleton, partners, rest, rotations, SymmetricPose::Rest);
        let Err(at_rest_error) = at_rest.check_positions(skeleton, size, REST_TOLERANCE) else {
            return Ok(at_rest);
        };
        let mean = mean_rotations(take, yaw);
        let rotations = (0..mean.len())
            .map(|joint| (flipped(mean[joint]).conjugate() * mean[at_rest.partners[joint]]).normalize())
            .collect();
        let by_mean = Self::with_axes(skeleton, at_rest.partners, at_rest.rest, rotations, SymmetricPose::Mean);
        match by_mean.check_positions(skeleton, size, MEAN_TOLERANCE) {
            Ok(()) => Ok(by_mean),
            // The error at rest describes the fault of the pairs more clearly.
            Err(_) => Err(at_rest_error),
        }
    }

    fn with_axes(
        skeleton: &Skeleton,
        partners: Vec<usize>,
        rest: Vec<Option<DVec3>>,
        own_axes: Vec<DQuat>,
        symmetric: SymmetricPose,
    ) -> Self {
        let parents = skeleton.joints().iter().map(|joint| joint.parent);
        Self {
            parent_axes: parents
                .map(|parent| parent.map_or(DQuat::IDENTITY, |parent| own_axes[parent]))
                .collect(),
            partners,
            own_axes,
            rest,
            symmetric,
        }
    }

    /// Checks that partners are at their mirrored positions, within shares of the bone's length and of the skeleton's size.
    fn check_positions(&self, skeleton: &Skeleton, size: f64, tolerance: [f64; 2]) -> Result<(), MirrorError> {
        for joint in 0..self.partners.len() {
            let partner = self.partners[joint];
            let (Some(own), Some(other)) = (self.rest[joint], self.rest[partner]) else {
                continue;
            };
            let off_metres = self.reflect(joint, own).distance(other);
            if off_metres > tolerance[0] * own.length().max(other.length()) + tolerance[1] * size {
                return Err(MirrorError::Positions {
                    left: skeleton.name_of(joint),
                    right: skeleton.name_of(partner),
                    off_metres,
                });
            }
        }
        Ok(())
    }
}

/// Returns the rotation equal to a reflection across `normal` followed by one across X.
fn from_reflections(normal: DVec3) -> DQuat {
    let cross = normal.cross(DVec3::X);
    DQuat::from_xyzw(cross.x, cross.y, cross.z, normal.dot(DVec3::X)).normalize()
}

/// Returns the mean rotation of every joint over the take, relative to the body's facing.
fn mean_rotations(take: &Take, yaw: impl Fn(usize) -> f64) -> Vec<DQuat> {
    let stride = take.num_frames().div_ceil(512);
    let mut sums = vec![DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0); take.num_joints()];
    for frame in (0..take.num_frames()).step_by(stride) {
        let rotations = take.pose(frame).world(take.skeleton()).rotations;
        let facing = rotation::from_yaw(yaw(frame)).conjugate();
        for (sum, rotation) in sums.iter_mut().zip(rotations) {
            // The sign of a quaternion has no meaning; opposite signs must not cancel.
            *sum = *sum + rotation::on_side_of(facing * rotation, *sum);
        }
    }
    sums.into_iter()
        .map(|sum| {
            if sum.length() > 1e-9 {
                sum.normalize()
            } else {
                DQuat::IDENTITY
            }
        })
        .collect()
}

/// Returns the median position of every joint in its parent's axes over the take, and the largest distance from it, metres.
fn median_positions(take: &Take) -> (Vec<DVec3>, Vec<f64>) {
    // A few dozen frames are enough, also for long takes.
    let stride = take.num_frames().div_ceil(64);
    let frames = || (0..take.num_frames()).step_by(stride);
    (0..take.num_joints())
        .map(|joint| {
            let median = DVec3::from_array([0, 1, 2].map(|axis| {
                let mut values: Vec<f64> = frames().map(|frame| take.translations(frame)[joint][axis]).collect();
                values.sort_by_key(|value| ordered(*value));
                values[values.len() / 2]
            }));
            (
                median,
                greatest(frames().map(|frame| take.translations(frame)[joint].distance(median))),
            )
        })
        .unzip()
}
