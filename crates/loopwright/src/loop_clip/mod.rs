//! A loop clip: unique samples of one period and the constant twist of the root.
//!
//! [`playback`] plays it at any time; [`runtime`] does so in single precision, fast, for engines.

use glam::{DQuat, DVec3};

use crate::{
    math::{
        rigid::{Rigid, Twist},
        rotation,
    },
    root_motion::RootTravel,
    take::{Skeleton, WorldTracks, pose},
};

pub mod playback;

pub mod runtime;

pub(crate) mod keys;

pub use playback::Interpolation;

/// A clip that meets itself after one period.
///
/// Holds N unique samples of the body relative to the root, and the root's travel; never the closing key, which writers
/// add. World transforms are root(t) times the forward kinematics of the samples. Lengths in metres, arrays frame-major.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopClip {
    name: String,
    skeleton: Skeleton,
    step_secs: f64,
    carrier: usize,
    root: RootTravel,
    /// Where the root stands seen from its constant twist, per sample; empty where it follows the twist exactly.
    path: Vec<Rigid>,
    translations: Vec<DVec3>,
    rotations: Vec<DQuat>,
}

/// Why samples are not a loop clip.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LoopClipError {
    /// Fewer than three samples, or not a whole number of frames.
    #[error("a loop needs at least 3 whole samples of {num_joints} joints, found {num_values} values")]
    WrongLength {
        /// Joints of the skeleton.
        num_joints: usize,
        /// Values given.
        num_values: usize,
    },
    /// The time between samples is not positive and finite.
    #[error("the time between samples must be positive, found {found} s")]
    Step {
        /// Seconds given.
        found: f64,
    },
    /// A path has not one place for each sample.
    #[error("the path has {found} places for {num_samples} samples")]
    PathLength {
        /// Samples of the loop.
        num_samples: usize,
        /// Places given.
        found: usize,
    },
    /// The carrier is not a joint.
    #[error("joint {carrier} cannot carry the travel, there are {num_joints}")]
    Carrier {
        /// Index given.
        carrier: usize,
        /// Joints of the skeleton.
        num_joints: usize,
    },
}

impl LoopClip {
    /// Checks and keeps the samples of one period.
    ///
    /// `translations` and `rotations` are local, relative to the root for the skeleton's first joint, frame-major.
    /// `carrier` is the joint that carried the travel in the source. Errors: [`LoopClipError`].
    pub fn new(
        name: impl Into<String>,
        skeleton: Skeleton,
        step_secs: f64,
        carrier: usize,
        root: RootTravel,
        translations: Vec<DVec3>,
        rotations: Vec<DQuat>,
    ) -> Result<Self, LoopClipError> {
        let num_joints = skeleton.num_joints();
        for num_values in [translations.len(), rotations.len()] {
            if num_values < 3 * num_joints || num_values % num_joints != 0 || num_values != translations.len() {
                return Err(LoopClipError::WrongLength { num_joints, num_values });
            }
        }
        if !(step_secs > 0.0 && step_secs.is_finite()) {
            return Err(LoopClipError::Step { found: step_secs });
        }
        if carrier >= num_joints {
            return Err(LoopClipError::Carrier { carrier, num_joints });
        }
        Ok(Self {
            name: name.into(),
            skeleton,
            step_secs,
            carrier,
            root,
            path: Vec::new(),
            translations,
            rotations,
        })
    }

    /// The same loop with other samples. Errors: as [`Self::new`].
    pub(crate) fn with_samples(self, translations: Vec<DVec3>, rotations: Vec<DQuat>) -> Result<Self, LoopClipError> {
        let path = self.path;
        let clip = Self::new(
            self.name,
            self.skeleton,
            self.step_secs,
            self.carrier,
            self.root,
            translations,
            rotations,
        )?;
        if path.is_empty() || path.len() == clip.num_samples() {
            return Ok(Self { path, ..clip });
        }
        Err(LoopClipError::PathLength {
            num_samples: clip.num_samples(),
            found: path.len(),
        })
    }

    /// The same body on a root that travels at another rate.
    pub(crate) fn with_twist(mut self, twist: Twist) -> Self {
        self.root.twist = twist;
        self
    }

    /// The same loop with its root led along a path: every joint stays where it is in the world.
    ///
    /// `path` holds for every sample where the root shall stand, seen from where the constant twist has it. Errors:
    /// [`LoopClipError::PathLength`].
    pub fn along(mut self, path: Vec<Rigid>) -> Result<Self, LoopClipError> {
        let num_samples = self.num_samples();
        if path.len() != num_samples {
            return Err(LoopClipError::PathLength {
                num_samples,
                found: path.len(),
            });
        }
        for (sample, &place) in path.iter().enumerate() {
            let before = self.path.get(sample).copied().unwrap_or(Rigid::IDENTITY);
            let (mut translations, mut rotations) = {
                let (translations, rotations) = self.body_pose(sample);
                (translations.to_vec(), rotations.to_vec())
            };
            self.move_carrier(place.inverse() * before, &mut translations, &mut rotations);
            let joint = sample * self.skeleton.num_joints() + self.carrier;
            self.translations[joint] = translations[self.carrier];
            self.rotations[joint] = rotations[self.carrier];
        }
        let joints = self.skeleton.num_joints();
        for sample in 1..num_samples {
            let joint = sample * joints + self.carrier;
            self.rotations[joint] = rotation::on_side_of(self.rotations[joint], self.rotations[joint - joints]);
        }
        self.path = path;
        Ok(self)
    }

    /// The same loop seen from its constant twist, without a path: every joint stays where it is in the world.
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

    /// Whether the root sways about its constant twist along a path of its own.
    pub fn follows_path(&self) -> bool {
        !self.path.is_empty()
    }

    /// Where the root stands at every sample, seen from its constant twist; empty where it follows it.
    pub(crate) fn path(&self) -> &[Rigid] {
        &self.path
    }

    /// Name of the clip.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The tree of joints.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Seconds between samples.
    pub fn step_secs(&self) -> f64 {
        self.step_secs
    }

    /// Number of unique samples, at least three.
    pub fn num_samples(&self) -> usize {
        self.translations.len() / self.skeleton.num_joints()
    }

    /// Seconds of one cycle.
    pub fn period_secs(&self) -> f64 {
        self.num_samples() as f64 * self.step_secs
    }

    /// The joint that carried the travel in the source.
    pub fn carrier(&self) -> usize {
        self.carrier
    }

    /// World transform of the root at key `key`, over any number of cycles: its constant twist, or the path about it.
    pub fn root_pose(&self, key: usize) -> Rigid {
        let travelled = self.root.at(key as f64 * self.step_secs);
        match self.path.get(key % self.num_samples()) {
            Some(&place) => travelled * place,
            None => travelled,
        }
    }

    /// How the root travels.
    pub fn root(&self) -> &RootTravel {
        &self.root
    }

    /// Local transforms of the body at key `key`, which may run over any number of cycles; relative to the root.
    pub fn body_pose(&self, key: usize) -> (&[DVec3], &[DQuat]) {
        let joints = self.skeleton.num_joints();
        let offset = (key % self.num_samples()) * joints;
        (
            &self.translations[offset..offset + joints],
            &self.rotations[offset..offset + joints],
        )
    }

    /// Positions (metres) and rotations of all joints at all unique samples, seen from the root.
    pub fn tracks_from_root(&self) -> WorldTracks {
        WorldTracks::of_frames(&self.skeleton, &self.translations, &self.rotations)
    }

    /// Local transforms at key `key` with the root's travel folded onto the joint that carried it in the source.
    ///
    /// Played on the source's skeleton this puts every joint where root(t) times the body pose has it. Keys run over any
    /// number of cycles and the travel goes on.
    pub fn folded_pose(&self, key: usize) -> (Vec<DVec3>, Vec<DQuat>) {
        let (translations, rotations) = self.body_pose(key);
        let (mut translations, mut rotations) = (translations.to_vec(), rotations.to_vec());
        self.move_carrier(self.root_pose(key), &mut translations, &mut rotations);
        (translations, rotations)
    }

    /// Moves the joint that carries the travel, and all below it, as `motion` moves the space that the pose is seen from.
    pub(crate) fn move_carrier(&self, motion: Rigid, translations: &mut [DVec3], rotations: &mut [DQuat]) {
        let path = self.skeleton.path_from_root(self.carrier);
        let above = path[..path.len() - 1]
            .iter()
            .map(|&joint| Rigid::new(rotations[joint], translations[joint]))
            .fold(Rigid::IDENTITY, |above, local| above * local);
        let carrier = Rigid::new(rotations[self.carrier], translations[self.carrier]);
        let moved = above.inverse() * motion * above * carrier;
        translations[self.carrier] = moved.translation;
        rotations[self.carrier] = moved.rotation;
    }

    /// World positions (metres) and rotations of all joints at key `key`, over any number of cycles.
    pub fn world_pose(&self, key: usize) -> (Vec<DVec3>, Vec<DQuat>) {
        let (translations, rotations) = self.body_pose(key);
        let local = pose::world_pose(&self.skeleton, translations, rotations);
        pose::moved(self.root_pose(key), local)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{root_motion::RootMode, take::Joint};

    #[test]
    fn folding_the_travel_keeps_every_joint_in_its_place() {
        let joint = |parent| Joint {
            name: "j".to_owned(),
            parent,
            rest_offset: DVec3::ZERO,
            tip: None,
        };
        let skeleton = Skeleton::new(vec![joint(None), joint(Some(0)), joint(Some(1))]).unwrap();
        let (mut translations, mut rotations) = (Vec::new(), Vec::new());
        for value in 0..12 {
            let v = DVec3::new(0.1 * f64::from(value), 0.4, -0.03 * f64::from(value));
            translations.push(v);
            rotations.push(rotation::exp(v * 2.0));
        }
        let root = RootTravel {
            mode: RootMode::Screw,
            start: Rigid::from_yaw(0.4, DVec3::new(1.0, 0.0, 2.0)),
            twist: Twist {
                linear: DVec3::new(0.1, 0.05, 1.3),
                angular: DVec3::new(0.0, 0.9, 0.0),
            },
        };
        let clip = LoopClip::new("l", skeleton, 0.1, 1, root, translations, rotations).unwrap();
        for key in 0..9 {
            let (translations, rotations) = clip.folded_pose(key);
            let (folded, _) = pose::world_pose(clip.skeleton(), &translations, &rotations);
            let (world, _) = clip.world_pose(key);
            // The joint above the carrier stays behind; the carrier and all below are where the root takes them.
            for joint in 1..3 {
                assert!((folded[joint] - world[joint]).length() < 1e-14);
            }
        }
    }
}
