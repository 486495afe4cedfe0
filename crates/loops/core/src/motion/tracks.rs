//! Tracks: local transforms of all joints of one skeleton at even times.

use glam::{DQuat, DVec3};

use super::{Pose, PoseRef, Skeleton};
use crate::math::{Hermite, Rigid, Span, rotation};

/// Local transforms of all joints of a skeleton at even times, frame-major, metres.
///
/// Invariants: a whole number of frames, and from frame to frame every rotation stays on one side, so that quaternions may be
/// interpolated and filtered component by component.
#[handed_over]
pub struct Tracks {
    skeleton: Skeleton,
    step_secs: f64,
    values: Pose,
}

/// Why values are not tracks.
#[error_kinds]
pub enum TracksError {
    #[error("expected {expected} values for {num_joints} joints in whole frames, found {found}")]
    WrongLength {
        num_joints: usize,
        expected: usize,
        found: usize,
    },
    #[error("the time between frames must be positive, found {found} s")]
    Step { found: f64 },
}

/// The frames around a time: indices into tracks, without neighbours that do not exist.
pub(crate) type Around = Span<usize>;

impl Tracks {
    /// Tracks without a frame; `step_secs` is the time from one frame to the next and must be positive and finite.
    pub fn empty(skeleton: Skeleton, step_secs: f64, num_frames: usize) -> Self {
        Self {
            values: Pose::with_capacity(num_frames.saturating_mul(skeleton.num_joints())),
            skeleton,
            step_secs,
        }
    }

    /// Tracks of poses of that skeleton, each appended as by [`Self::push`].
    ///
    /// # Panics When a pose has another number of joints.
    pub fn pose_by_pose<P>(skeleton: &Skeleton, step_secs: f64, poses: impl IntoIterator<Item = P>) -> Self
    where
        for<'a> PoseRef<'a>: From<&'a P>,
    {
        let poses = poses.into_iter();
        let mut tracks = Self::empty(skeleton.clone(), step_secs, poses.size_hint().0);
        poses.for_each(|pose| tracks.push((&pose).into()));
        tracks
    }

    /// Tracks from their values, which are kept except for the signs of the quaternions.
    ///
    /// `translations` and `rotations` are local, frame-major, frames times joints long; rotations must be unit quaternions.
    pub fn new(
        skeleton: Skeleton,
        step_secs: f64,
        translations: Vec<DVec3>,
        rotations: Vec<DQuat>,
    ) -> Result<Self, TracksError> {
        let num_joints = skeleton.num_joints();
        let expected = translations.len().next_multiple_of(num_joints);
        for found in [translations.len(), rotations.len()] {
            if found != expected {
                return Err(TracksError::WrongLength {
                    num_joints,
                    expected,
                    found,
                });
            }
        }
        if !(step_secs > 0.0 && step_secs.is_finite()) {
            return Err(TracksError::Step { found: step_secs });
        }
        let mut tracks = Self {
            skeleton,
            step_secs,
            values: Pose::new(translations, rotations),
        };
        tracks.make_continuous();
        Ok(tracks)
    }

    /// Returns the values on the same joints with other parts or tips.
    pub(crate) fn on(mut self, described: impl FnOnce(Skeleton) -> Skeleton) -> Self {
        self.skeleton = described(self.skeleton);
        self
    }

    /// Returns other poses on the same skeleton, as far apart in time.
    #[must_use]
    pub fn with_poses<P>(&self, poses: impl IntoIterator<Item = P>) -> Self
    where
        for<'a> PoseRef<'a>: From<&'a P>,
    {
        Self::pose_by_pose(&self.skeleton, self.step_secs, poses)
    }

    /// Tracks of poses, frame by frame. Errors: [`TracksError`].
    pub fn from_poses(
        skeleton: Skeleton,
        step_secs: f64,
        poses: impl IntoIterator<Item = Pose>,
    ) -> Result<Self, TracksError> {
        let values = Pose::joined(poses);
        Self::new(skeleton, step_secs, values.translations, values.rotations)
    }

    /// Tracks of values that already hold the invariants.
    pub(crate) fn from_continuous(skeleton: Skeleton, step_secs: f64, values: Pose) -> Self {
        Self {
            skeleton,
            step_secs,
            values,
        }
    }

    fn make_continuous(&mut self) {
        let (joints, rotations) = (self.skeleton.num_joints(), &mut self.values.rotations);
        for index in joints..rotations.len() {
            rotations[index] = rotation::on_side_of(rotations[index], rotations[index - joints]);
        }
    }

    /// Appends a frame; each rotation gets the sign nearest to the frame before.
    ///
    /// # Panics When the pose has another number of joints.
    pub fn push(&mut self, pose: PoseRef) {
        let joints = self.num_joints();
        let fits = pose.translations.len() == joints && pose.rotations.len() == joints;
        assert!(fits, "a pose of {joints} joints");
        let values = &mut self.values;
        let before = values.rotations.len().checked_sub(joints);
        values.translations.extend_from_slice(pose.translations);
        for (joint, &rotation) in pose.rotations.iter().enumerate() {
            let rotation = before.map_or(rotation, |before| {
                rotation::on_side_of(rotation, values.rotations[before + joint])
            });
            values.rotations.push(rotation);
        }
    }

    /// Returns the tree of joints.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Returns the seconds from one frame to the next.
    pub fn step_secs(&self) -> f64 {
        self.step_secs
    }

    /// Returns the number of joints, at least one.
    pub fn num_joints(&self) -> usize {
        self.skeleton.num_joints()
    }

    /// Returns the number of frames.
    pub fn num_frames(&self) -> usize {
        self.values.translations.len() / self.num_joints()
    }

    /// Returns all values, frame-major.
    pub fn values(&self) -> PoseRef<'_> {
        self.values.as_ref()
    }

    /// Returns the values, frame-major.
    pub fn into_values(self) -> Pose {
        self.values
    }

    /// Returns the pose at a frame, local.
    ///
    /// # Panics
    /// When `frame` is not below [`Self::num_frames`].
    pub fn pose(&self, frame: usize) -> PoseRef<'_> {
        let values = frame * self.num_joints()..(frame + 1) * self.num_joints();
        PoseRef::new(
            &self.values.translations[values.clone()],
            &self.values.rotations[values],
        )
    }

    /// Returns the world rotation of a joint, to the same bits as in [`Self::world`].
    ///
    /// # Panics
    /// When frame or joint are out of range.
    pub(crate) fn world_rotation(&self, frame: usize, joint: usize) -> DQuat {
        let local = self.pose(frame).rotations;
        let path = self.skeleton.path_from_root(joint);
        path[1..].iter().fold(local[path[0]], |world, &joint| {
            rotation::renormalized(world * local[joint])
        })
    }

    /// Returns the pose between two frames, C1 in time: Hermite cubics with central slopes, one-sided if a neighbour is missing.
    ///
    /// `u` runs from 0 at the earlier frame to 1 at the later one. Source: docs/math/sampling.md.
    pub(crate) fn between(&self, around: Around, u: f64) -> Pose {
        let curve = Hermite::at(u);
        self.map_joints(around, |points, rotations| {
            (curve.point(points), curve.rotation(rotations))
        })
    }

    /// Maps every joint's translations and rotations around a time to a pair of values.
    pub(crate) fn map_joints<A, B, C>(&self, around: Around, map: impl Fn(Span<DVec3>, Span<DQuat>) -> (A, B)) -> C
    where
        C: FromIterator<(A, B)>,
    {
        let around = around.map(|frame| self.pose(frame));
        (0..self.num_joints())
            .map(|joint| {
                map(
                    around.map(|pose| pose.translations[joint]),
                    around.map(|pose| pose.rotations[joint]),
                )
            })
            .collect()
    }

    /// Replaces the transforms of one joint at all frames.
    pub(crate) fn set_joint(&mut self, joint: usize, transform: impl Fn(usize) -> Rigid) {
        let joints = self.num_joints();
        for frame in 0..self.num_frames() {
            self.values.set_joint(frame * joints + joint, transform(frame));
        }
        let turns = &mut self.values.rotations;
        for at in (joint + joints..turns.len()).step_by(joints) {
            turns[at] = rotation::on_side_of(turns[at], turns[at - joints]);
        }
    }

    /// Maps every local transform; `map` receives the joint with its translation and rotation.
    #[must_use]
    pub(crate) fn map(mut self, map: impl Fn(usize, DVec3, DQuat) -> (DVec3, DQuat)) -> Self {
        let joints = self.num_joints();
        let values = self.values.translations.iter_mut().zip(&mut self.values.rotations);
        for (index, (translation, rotation)) in values.enumerate() {
            (*translation, *rotation) = map(index % joints, *translation, *rotation);
        }
        self.make_continuous();
        self
    }
}

impl Tracks {
    /// Returns the tracks of a robot with every joint on its hinge, within its limits; those of other bodies as they are.
    #[must_use]
    pub fn on_hinges(self) -> Self {
        if self.skeleton().hinges().is_none() {
            return self;
        }
        let kept = (0..self.num_frames()).map(|frame| {
            let mut pose = self.pose(frame).to_pose();
            self.skeleton().keep_hinges(&mut pose);
            pose
        });
        self.with_poses(kept)
    }
}
