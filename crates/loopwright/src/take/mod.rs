//! A take: a whole recording as loaded, never edited.
//!
//! [`Take`] holds the skeleton and the local translation and rotation of every joint at every frame; [`pose`] turns local
//! transforms into world ones; [`frames`] looks between frames and cuts out a [`Clip`] on its own even grid.

use glam::{DQuat, DVec3};

pub mod skeleton;

pub mod pose;

pub mod frames;

pub mod smooth;

mod settle;

pub use crate::mirror::{self, Mirror, MirrorError};
pub use frames::{Clip, Cut, CutError};
pub use pose::WorldTracks;
pub use skeleton::{Joint, Skeleton, SkeletonError};
pub use smooth::SmoothError;

/// Longest plausible coordinate in metres; anything beyond is a fault of the file, and squares of it still fit a double.
const MAX_COORDINATE: f64 = 1e9;

/// Shortest and longest accepted frame time in seconds.
///
/// A megahertz is beyond any capture; rates above make windows of a tenth of a second overflow. The long end lets a file
/// through that states its rate where its frame time belongs.
const FRAME_TIME_RANGE: core::ops::RangeInclusive<f64> = 1e-6..=1e4;

/// Why tracks are not a take.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TakeError {
    /// There is no frame.
    #[error("the take has no frames")]
    NoFrames,
    /// A track's length is not frames times joints.
    #[error("expected {expected} values for the skeleton's joints in whole frames, found {found}")]
    WrongLength {
        /// Next whole number of values.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// The frame time is not a plausible number of seconds.
    #[error("the frame time must lie between {min} s and {max} s, found {found} s", min = FRAME_TIME_RANGE.start(), max = FRAME_TIME_RANGE.end())]
    FrameTime {
        /// Seconds given.
        found: f64,
    },
    /// A value is NaN, infinite, or beyond any plausible size.
    #[error("the transform of joint {joint} at frame {frame} is not finite or beyond {MAX_COORDINATE} m")]
    Implausible {
        /// Frame, counted from 0.
        frame: usize,
        /// Joint index.
        joint: usize,
    },
}

/// A recording: skeleton, frame time, and local transforms of all joints at all frames.
///
/// Lengths in metres, +Y up, right-handed. Arrays are frame-major: the value of (frame, joint) stands at
/// frame * num_joints + joint. Invariants: at least one frame; finite values; unit quaternions whose signs are continuous
/// along each joint's track.
#[derive(Clone, Debug, PartialEq)]
pub struct Take {
    name: String,
    skeleton: Skeleton,
    frame_time_secs: f64,
    num_frames: usize,
    translations: Vec<DVec3>,
    rotations: Vec<DQuat>,
}

impl Take {
    /// Checks and keeps tracks; rotations are normalised and their signs made continuous.
    ///
    /// `translations` and `rotations` are local (child in parent's axes), frame-major, frames times joints long.
    /// Errors: [`TakeError`] names the first value that is out of order.
    pub fn new(
        name: impl Into<String>,
        skeleton: Skeleton,
        frame_time_secs: f64,
        translations: Vec<DVec3>,
        mut rotations: Vec<DQuat>,
    ) -> Result<Self, TakeError> {
        let num_joints = skeleton.num_joints();
        if !FRAME_TIME_RANGE.contains(&frame_time_secs) {
            return Err(TakeError::FrameTime { found: frame_time_secs });
        }
        if translations.is_empty() {
            return Err(TakeError::NoFrames);
        }
        let expected = translations.len().next_multiple_of(num_joints);
        for found in [translations.len(), rotations.len()] {
            if found != expected {
                return Err(TakeError::WrongLength { expected, found });
            }
        }
        settle::settle(num_joints, &translations, &mut rotations)?;
        Ok(Self {
            name: name.into(),
            num_frames: translations.len() / num_joints,
            skeleton,
            frame_time_secs,
            translations,
            rotations,
        })
    }

    /// Name of the recording, usually the file's stem.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The tree of joints.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Seconds from one frame to the next.
    pub fn frame_time_secs(&self) -> f64 {
        self.frame_time_secs
    }

    /// Frames per second.
    pub fn frame_rate_hz(&self) -> f64 {
        1.0 / self.frame_time_secs
    }

    /// Number of frames, at least one.
    pub fn num_frames(&self) -> usize {
        self.num_frames
    }

    /// Number of joints, at least one.
    pub fn num_joints(&self) -> usize {
        self.skeleton.num_joints()
    }

    /// Seconds from the first frame to the last.
    pub fn duration_secs(&self) -> f64 {
        (self.num_frames - 1) as f64 * self.frame_time_secs
    }

    /// Local translations of all joints at `frame`, metres.
    ///
    /// # Panics
    /// When `frame` is not below [`Self::num_frames`].
    pub fn translations(&self, frame: usize) -> &[DVec3] {
        let joints = self.num_joints();
        &self.translations[frame * joints..(frame + 1) * joints]
    }

    /// Local rotations of all joints at `frame`.
    ///
    /// # Panics
    /// When `frame` is not below [`Self::num_frames`].
    pub fn rotations(&self, frame: usize) -> &[DQuat] {
        let joints = self.num_joints();
        &self.rotations[frame * joints..(frame + 1) * joints]
    }

    /// World positions and rotations of all joints at all frames.
    pub fn world_tracks(&self) -> WorldTracks {
        WorldTracks::of_frames(&self.skeleton, &self.translations, &self.rotations)
    }

    /// The same recording with every length multiplied by `factor`.
    ///
    /// Errors: [`TakeError::Implausible`] when the result leaves the plausible range.
    pub fn scaled(&self, factor: f64) -> Result<Self, TakeError> {
        Self::new(
            self.name.clone(),
            self.skeleton.scaled(factor),
            self.frame_time_secs,
            self.translations.iter().map(|t| *t * factor).collect(),
            self.rotations.clone(),
        )
    }

    /// The same recording without its root joint, whose motion goes to its only child; the world stays as it is.
    ///
    /// Undoes what inserting a root joint above a skeleton does. `None` when the root has no or several children.
    pub fn without_root_joint(&self) -> Option<Self> {
        let [child] = self.skeleton.children(0) else {
            return None;
        };
        let joints = self.skeleton.joints()[*child..]
            .iter()
            .map(|joint| Joint {
                // The child follows the root at once, so all indices move down by one.
                parent: joint.parent.and_then(|parent| parent.checked_sub(1)),
                ..joint.clone()
            })
            .collect();
        let mut translations = Vec::with_capacity(self.translations.len());
        let mut rotations = Vec::with_capacity(self.rotations.len());
        for frame in 0..self.num_frames {
            let (locals, turns) = (self.translations(frame), self.rotations(frame));
            translations.push(locals[0] + turns[0] * locals[1]);
            translations.extend_from_slice(&locals[2..]);
            rotations.push(turns[0] * turns[1]);
            rotations.extend_from_slice(&turns[2..]);
        }
        let skeleton = Skeleton::new(joints).ok()?;
        Self::new(
            self.name.clone(),
            skeleton,
            self.frame_time_secs,
            translations,
            rotations,
        )
        .ok()
    }

    /// The same recording with other tracks of the same shape; what holds for the tracks of a take must hold for them.
    pub(crate) fn with_tracks(&self, translations: Vec<DVec3>, rotations: Vec<DQuat>) -> Self {
        Self {
            name: self.name.clone(),
            skeleton: self.skeleton.clone(),
            translations,
            rotations,
            ..*self
        }
    }

    /// The same recording with the whole world turned by `turn`: only the root's track changes.
    pub fn turned(&self, turn: DQuat) -> Self {
        let mut turned = self.clone();
        for frame in 0..self.num_frames {
            let root = frame * self.num_joints();
            turned.translations[root] = turn * self.translations[root];
            turned.rotations[root] = (turn * self.rotations[root]).normalize();
        }
        turned
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation;

    fn skeleton() -> Skeleton {
        let joint = |name: &str, parent| Joint {
            name: name.to_owned(),
            parent,
            rest_offset: DVec3::ZERO,
            tip: None,
        };
        Skeleton::new(vec![joint("hips", None), joint("head", Some(0))]).unwrap()
    }

    #[test]
    fn refuses_tracks_that_are_not_a_take() {
        let make = |frame_time, translations: Vec<DVec3>, rotations| {
            Take::new("t", skeleton(), frame_time, translations, rotations).unwrap_err()
        };
        let q = DQuat::IDENTITY;
        assert_eq!(make(0.1, vec![], vec![]), TakeError::NoFrames);
        assert_eq!(
            make(0.0, vec![DVec3::ZERO; 2], vec![q; 2]),
            TakeError::FrameTime { found: 0.0 }
        );
        assert_eq!(
            make(0.1, vec![DVec3::ZERO; 3], vec![q; 4]),
            TakeError::WrongLength { expected: 4, found: 3 }
        );
        assert_eq!(
            make(0.1, vec![DVec3::ZERO, DVec3::NAN], vec![q; 2]),
            TakeError::Implausible { frame: 0, joint: 1 }
        );
        assert_eq!(
            make(0.1, vec![DVec3::ZERO; 2], vec![q, q * 0.0]),
            TakeError::Implausible { frame: 0, joint: 1 }
        );
    }

    #[test]
    fn a_root_joint_folds_into_its_child() {
        let joint = |parent| Joint {
            name: "j".to_owned(),
            parent,
            rest_offset: DVec3::ZERO,
            tip: None,
        };
        let skeleton = Skeleton::new(vec![joint(None), joint(Some(0)), joint(Some(1)), joint(Some(1))]).unwrap();
        let v = |i: usize| DVec3::new(0.1 * i as f64, 0.2, -0.3);
        let translations = (0..8).map(v).collect();
        let rotations = (0..8).map(|i| rotation::exp(v(i))).collect();
        let take = Take::new("t", skeleton, 0.1, translations, rotations).unwrap();
        let folded = take.without_root_joint().unwrap();
        assert_eq!(folded.skeleton().parent(2), Some(0));
        for joint in 0..3 {
            let (before, after) = (take.world_tracks(), folded.world_tracks());
            assert!((before.position(1, joint + 1) - after.position(1, joint)).length() < 1e-15);
        }
        assert!(folded.without_root_joint().is_none());
    }

    #[test]
    fn signs_are_continuous_and_unit() {
        let q = rotation::exp(DVec3::new(0.1, 0.2, 0.3));
        let take = Take::new("t", skeleton(), 0.1, vec![DVec3::ZERO; 4], vec![q, q, -q * 1.01, q]).unwrap();
        assert!((take.rotations(1)[0].dot(take.rotations(0)[0]) - 1.0).abs() < 1e-15);
        assert_eq!(take.num_frames(), 2);
    }
}
