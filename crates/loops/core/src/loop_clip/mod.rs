//! A loop clip: unique samples of one period and the constant root motion.
//!
//! `playback` plays it at any time.

use crate::{
    math::{Rigid, Twist},
    motion::{Pose, PoseRef, RootMotion, Skeleton, Tracks, TracksError, WorldTracks},
};

pub(crate) mod playback;

mod keys;

pub use keys::{KeyLayout, KeysError, LoopKeys};
pub use playback::Interpolation;

/// A clip that meets itself after one period.
///
/// Holds N unique samples of the body relative to the root, and the root motion, without the closing key, which writers add.
/// World transforms are root(t) times the forward kinematics of the samples. Lengths in metres, arrays frame-major.
#[handed_over]
pub struct LoopClip {
    name: String,
    /// The body relative to the root; at least three frames.
    tracks: Tracks,
    carrier: usize,
    root: RootMotion,
    /// The root relative to its constant twist, per sample; empty if it follows the twist exactly.
    path: Vec<Rigid>,
    /// The keys that it was recorded with, relative to the root, if its samples lie between them.
    recorded: Option<Tracks>,
}

/// Why samples do not form a loop clip.
#[error_kinds]
pub enum LoopClipError {
    /// The values are not tracks.
    Tracks(TracksError),
    /// Fewer than three samples.
    #[error("a loop needs at least 3 samples, found {found}")]
    TooShort { found: usize },
    #[error("the path has {found} transforms for {num_samples} samples")]
    PathLength { num_samples: usize, found: usize },
    #[error("joint {carrier} cannot carry the root motion: there are {num_joints} joints")]
    Carrier { carrier: usize, num_joints: usize },
}

impl LoopClip {
    /// Checks and keeps the samples of one period.
    ///
    /// `tracks` are local, relative to the root for the skeleton's first joint. `carrier` is the joint that carried the root
    /// motion in the source. Errors: [`LoopClipError`].
    pub fn new(
        name: impl Into<String>,
        tracks: Tracks,
        carrier: usize,
        root: RootMotion,
    ) -> Result<Self, LoopClipError> {
        let (found, num_joints) = (tracks.num_frames(), tracks.num_joints());
        if found < 3 {
            return Err(LoopClipError::TooShort { found });
        }
        if carrier >= num_joints {
            return Err(LoopClipError::Carrier { carrier, num_joints });
        }
        Ok(Self {
            name: name.into(),
            tracks,
            carrier,
            root,
            path: Vec::new(),
            recorded: None,
        })
    }

    /// Returns the loop with the keys between which its samples interpolate; the step from the last key to the first may be shorter.
    #[must_use]
    pub(crate) fn recorded_at(self, keys: Tracks) -> Self {
        Self {
            recorded: Some(keys),
            ..self
        }
    }

    /// Returns the keys that the loop was recorded with, local, relative to the root, if its period is not a whole number of their steps.
    pub fn recorded(&self) -> Option<&Tracks> {
        self.recorded.as_ref()
    }

    /// Returns the loop under another name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..self
        }
    }

    /// Returns the loop with other samples, of the same number and joints.
    ///
    /// # Panics
    /// When the numbers of samples or joints differ.
    pub(crate) fn with_tracks(self, tracks: Tracks) -> Self {
        let [new, own] = [&tracks, &self.tracks].map(|tracks| (tracks.num_frames(), tracks.num_joints()));
        assert_eq!(new, own, "samples and joints");
        Self {
            tracks,
            recorded: None,
            ..self
        }
    }

    /// Returns a loop of several copies, with samples of its own. Errors: too few samples.
    pub(crate) fn repeated_with(&self, tracks: Tracks) -> Result<Self, LoopClipError> {
        let copies = tracks.num_frames() / self.num_samples();
        Ok(Self {
            path: self.path.repeat(copies),
            ..Self::new(self.name.clone(), tracks, self.carrier, self.root)?
        })
    }

    /// Returns the body with another root twist; feet that stood slide by the difference.
    #[must_use]
    pub fn with_twist(mut self, twist: Twist) -> Self {
        self.root.twist = twist;
        self
    }

    /// Returns the body on a root that starts elsewhere.
    pub(crate) fn with_start(mut self, start: Rigid) -> Self {
        self.root.start = start;
        self
    }

    /// Returns the endless loop from another of its samples on, which may be before the first.
    #[must_use]
    pub fn starting_at(&self, sample: isize) -> Self {
        if sample == 0 {
            return self.clone();
        }
        let count = self.num_samples();
        let first = sample.rem_euclid(count as isize) as usize;
        let (mut path, moved) = (self.path.clone(), first.min(self.path.len()));
        path.rotate_left(moved);
        Self {
            path,
            ..self
                .clone()
                .with_tracks(
                    self.tracks
                        .with_poses((0..count).map(|key| self.body_pose(first + key))),
                )
                .with_start(self.root.at(sample as f64 * self.step_secs()))
        }
    }

    /// Returns the body on a root that is fixed at its start, as a file or an engine plays an in-place loop.
    #[must_use]
    pub fn in_place(&self) -> Self {
        Self {
            root: self.root.standing(),
            ..self.clone()
        }
    }

    /// Moves the root along a path; every joint keeps its world transform.
    ///
    /// `path` holds the root's transform for every sample, relative to the constant twist. Errors:
    /// [`LoopClipError::PathLength`].
    pub fn along(mut self, path: Vec<Rigid>) -> Result<Self, LoopClipError> {
        let num_samples = self.num_samples();
        if path.len() != num_samples {
            return Err(LoopClipError::PathLength {
                num_samples,
                found: path.len(),
            });
        }
        let moved: Vec<Rigid> = (0..num_samples)
            .map(|sample| {
                self.body_pose(sample).carried(
                    self.skeleton(),
                    self.carrier,
                    path[sample].inverse() * self.path.get(sample).copied().unwrap_or(Rigid::IDENTITY),
                )
            })
            .collect();
        self.tracks.set_joint(self.carrier, |sample| moved[sample]);
        self.path = path;
        self.recorded = None;
        Ok(self)
    }

    /// Moves the root, and with it the joint of the rig that is the root, along a path; the rest of the body keeps its world
    /// transforms.
    ///
    /// `path` holds the root's transform for every sample, relative to the constant twist. Errors:
    /// [`LoopClipError::PathLength`].
    pub(crate) fn along_with_joint(self, joint: usize, path: Vec<Rigid>) -> Result<Self, LoopClipError> {
        let tracks = self.tracks.with_poses((0..self.num_samples()).map(|sample| {
            // The joint moves along the path first; the root then follows and finds it unchanged relative to itself.
            self.body_pose(sample).with_joint_led(
                self.skeleton(),
                joint,
                path.get(sample).copied().unwrap_or(Rigid::IDENTITY),
            )
        }));
        self.with_tracks(tracks).along(path)
    }

    /// Moves the body over the root, by a motion in the axes of the root.
    pub fn with_body_moved(mut self, motion: Rigid) -> Self {
        for tracks in core::iter::once(&mut self.tracks).chain(&mut self.recorded) {
            let moved: Vec<Rigid> = (0..tracks.num_frames())
                .map(|sample| tracks.pose(sample).carried(tracks.skeleton(), self.carrier, motion))
                .collect();
            tracks.set_joint(self.carrier, |sample| moved[sample]);
        }
        self
    }

    /// Returns the loop relative to its constant twist, without a path; every joint keeps its world transform.
    ///
    /// Errors: none for a loop that follows no path; otherwise as [`Self::along`].
    pub fn on_screw(self) -> Result<Self, LoopClipError> {
        if self.path.is_empty() {
            return Ok(self);
        }
        let straight = vec![Rigid::IDENTITY; self.num_samples()];
        let mut clip = self.along(straight)?;
        clip.path.clear();
        Ok(clip)
    }

    /// Whether the root follows a path about its constant twist.
    pub fn follows_path(&self) -> bool {
        !self.path.is_empty()
    }

    /// Returns the root at every sample, relative to its constant twist; empty if it follows the twist.
    pub(crate) fn path(&self) -> &[Rigid] {
        &self.path
    }

    /// Returns the name of the clip.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the tree of joints.
    pub fn skeleton(&self) -> &Skeleton {
        self.tracks.skeleton()
    }

    /// Returns the seconds between samples.
    pub fn step_secs(&self) -> f64 {
        self.tracks.step_secs()
    }

    /// Returns the number of unique samples, at least three.
    pub fn num_samples(&self) -> usize {
        self.tracks.num_frames()
    }

    /// Returns the seconds of one cycle.
    pub fn period_secs(&self) -> f64 {
        self.num_samples() as f64 * self.step_secs()
    }

    /// Returns the joint that carried the root motion in the source.
    pub fn carrier(&self) -> usize {
        self.carrier
    }

    /// Returns the world transform of the root at key `key`, over any number of cycles: by its constant twist, or the path
    /// about it.
    pub fn root_pose(&self, key: usize) -> Rigid {
        let on_twist = self.root.at(key as f64 * self.step_secs());
        self.path
            .get(key % self.num_samples())
            .map_or(on_twist, |&sway| on_twist * sway)
    }

    /// Returns the root motion.
    pub fn root(&self) -> &RootMotion {
        &self.root
    }

    /// Returns the samples of one period, local, relative to the root.
    pub fn tracks(&self) -> &Tracks {
        &self.tracks
    }

    /// Returns the body's pose at key `key`, which may run over any number of cycles; local, relative to the root.
    pub fn body_pose(&self, key: usize) -> PoseRef<'_> {
        self.tracks.pose(key % self.num_samples())
    }

    /// Returns positions (metres) and rotations of all joints at all unique samples, relative to the root.
    pub fn tracks_from_root(&self) -> WorldTracks {
        self.tracks.world()
    }

    /// Returns the loop with its root motion on a joint above the one that carries it, so that loops of one rig move the same joint;
    /// unchanged for other joints.
    #[must_use]
    pub fn carried_by(mut self, joint: usize) -> Self {
        if joint < self.skeleton().num_joints() && self.skeleton().is_within(self.carrier, joint) {
            self.carrier = joint;
        }
        self
    }

    /// Returns the pose at key `key`, local, with the root motion added to the joint that carried it in the source.
    ///
    /// Played on the source's skeleton this puts every joint at root(t) times the body pose. Keys may run over any number of
    /// cycles, and the root motion accumulates.
    pub fn folded_pose(&self, key: usize) -> Pose {
        let mut pose = self.body_pose(key).to_pose();
        pose.carry(self.skeleton(), self.carrier, self.root_pose(key));
        pose
    }

    /// Returns the pose at key `key`, local, below an additional first joint that carries the root's transform.
    pub fn root_relative_pose(&self, key: usize) -> Pose {
        self.body_pose(key).to_pose().below_root(self.root_pose(key))
    }

    /// Returns the world positions (metres) and rotations of all joints at key `key`, over any number of cycles.
    pub fn world_pose(&self, key: usize) -> Pose {
        self.body_pose(key).world(self.skeleton()).moved(self.root_pose(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    use crate::{math::rotation, motion::Joint};

    #[test]
    fn folding_the_root_motion_keeps_every_joint_in_place() {
        let joint = |parent| Joint::new("j", parent, DVec3::ZERO);
        let skeleton = Skeleton::new(vec![joint(None), joint(Some(0)), joint(Some(1))]).unwrap();
        let (mut translations, mut rotations) = (Vec::new(), Vec::new());
        for value in 0..12 {
            let v = DVec3::new(0.1 * f64::from(value), 0.4, -0.03 * f64::from(value));
            translations.push(v);
            rotations.push(rotation::exp(v * 2.0));
        }
        let root = RootMotion::new(
            Rigid::from_yaw(0.4, DVec3::new(1.0, 0.0, 2.0)),
            Twist::new(DVec3::new(0.1, 0.05, 1.3), DVec3::new(0.0, 0.9, 0.0)),
        );
        let tracks = Tracks::new(skeleton, 0.1, translations, rotations).unwrap();
        let clip = LoopClip::new("l", tracks, 1, root).unwrap();
        for key in 0..9 {
            let folded = clip.folded_pose(key).world(clip.skeleton()).translations;
            let world = clip.world_pose(key).translations;
            // The joint above the carrier is fixed; the carrier and all joints below it move with the root.
            for joint in 1..3 {
                assert!((folded[joint] - world[joint]).length() < 1e-14);
            }
        }
    }
}
