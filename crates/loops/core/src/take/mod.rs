//! A take: a whole recording as loaded, never edited.
//!
//! [`Take`] holds the tracks of every joint as recorded; `cut` selects a stretch of it, and `clip` samples that stretch on its
//! own even grid.

use std::sync::Arc;

use glam::{DQuat, DVec3};

pub(crate) mod cut;

pub(crate) mod clip;

mod ping_pong;

mod sampler;

pub(crate) mod smooth;

pub use clip::Clip;
pub use cut::{Cut, CutError};
pub use ping_pong::{DEFAULT_EASE_SECS, PingPong};
pub(crate) use sampler::Sampler;
pub use smooth::SmoothError;

use crate::{
    math::{Rigid, rotation},
    motion::{Joint, Part, Pose, PoseRef, Skeleton, Tracks, WorldTracks},
};

/// Longest plausible coordinate in metres; anything beyond is an error in the file, and its square still fits a double.
const MAX_COORDINATE: f64 = 1e9;

/// Shortest and longest accepted frame time in seconds.
///
/// A megahertz is beyond any capture; at higher rates windows of a tenth of a second overflow. The upper limit accepts a file
/// that states its rate in place of its frame time.
const FRAME_TIME_RANGE: core::ops::RangeInclusive<f64> = 1e-6..=1e4;

/// Why tracks cannot be a take.
#[error_kinds]
pub enum TakeError {
    #[error("the take has no frames")]
    NoFrames,
    #[error("expected {expected} values for the skeleton's joints in whole frames, found {found}")]
    WrongLength { expected: usize, found: usize },
    /// The frame time is not a plausible number of seconds.
    #[error("the frame time must lie between {min} s and {max} s, found {found} s", min = FRAME_TIME_RANGE.start(), max = FRAME_TIME_RANGE.end())]
    FrameTime { found: f64 },
    /// A value is NaN, infinite, or beyond any plausible size.
    #[error("the transform of joint {joint} at frame {frame} is not finite or beyond {MAX_COORDINATE} m")]
    Implausible {
        /// Frame, counted from 0.
        frame: usize,
        joint: usize,
    },
}

/// A recording: local transforms of all joints of a skeleton at all frames.
///
/// Lengths in metres, +Y up, right-handed. Arrays are frame-major: the value of (frame, joint) is at frame * num_joints + joint.
/// Invariants: at least one frame; finite values; unit quaternions whose signs are continuous along each joint's track. A take is
/// never edited, so its clones share the recording: cloning costs nothing.
#[value]
pub struct Take {
    name: Arc<str>,
    tracks: Arc<Tracks>,
    tail: Option<Arc<Tail>>,
}

/// A last key that lies off the even frames, as at the end of a cycle that lasts no whole number of them.
#[handed_over]
pub struct Tail {
    /// Time since the last frame, in frames; positive and not 1.
    pub frames: f64,
    /// Its pose, local.
    pub pose: Pose,
}

impl Take {
    /// Checks and keeps tracks; rotations are normalised and their signs made continuous.
    ///
    /// `translations` and `rotations` are local (child in parent's axes), frame-major, frames times joints long. Errors:
    /// [`TakeError`] names the first invalid value.
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
        // In one pass over the memory.
        for first in (0..rotations.len()).step_by(num_joints) {
            let (before, rest) = rotations.split_at_mut(first);
            let before = &before[first.saturating_sub(num_joints)..];
            normalize_frame(
                first / num_joints,
                before,
                &translations[first..],
                &mut rest[..num_joints],
            )?;
        }
        let values = Pose::new(translations, rotations);
        Ok(Self {
            name: Arc::from(name.into()),
            tracks: Arc::new(Tracks::from_continuous(skeleton, frame_time_secs, values)),
            tail: None,
        })
    }

    /// Returns the recording with a key after its last frame. Errors: [`TakeError`]; its pose counts as one more frame.
    pub fn with_tail(mut self, Tail { frames, mut pose }: Tail) -> Result<Self, TakeError> {
        let (expected, found) = (self.num_joints(), pose.rotations.len());
        if pose.translations.len() != expected || found != expected {
            return Err(TakeError::WrongLength { expected, found });
        }
        let last = self.rotations(self.last_frame());
        normalize_frame(self.num_frames(), last, &pose.translations, &mut pose.rotations)?;
        self.tail = Some(Arc::new(Tail { frames, pose }));
        Ok(self)
    }

    /// Returns the key after the last frame, if there is one; it belongs to no other method.
    pub fn tail(&self) -> Option<&Tail> {
        self.tail.as_deref()
    }

    /// Returns the recording with the tail of another, mapped.
    fn with_tail_of(self, other: &Self, map: impl Fn(&Pose) -> Pose) -> Self {
        let tail = other.tail().map(|tail| {
            Arc::new(Tail {
                frames: tail.frames,
                pose: map(&tail.pose),
            })
        });
        Self { tail, ..self }
    }

    /// Creates a recording of tracks, checked. Errors: as [`Self::new`].
    pub fn from_tracks(name: impl Into<String>, tracks: Tracks) -> Result<Self, TakeError> {
        let (skeleton, step_secs) = (tracks.skeleton().clone(), tracks.step_secs());
        let Pose {
            translations,
            rotations,
        } = tracks.into_values();
        Self::new(name, skeleton, step_secs, translations, rotations)
    }

    /// Creates a recording of poses, one each frame. Errors: as [`Self::new`].
    pub fn from_poses(
        name: impl Into<String>,
        skeleton: Skeleton,
        frame_time_secs: f64,
        poses: impl IntoIterator<Item = Pose>,
    ) -> Result<Self, TakeError> {
        let values = Pose::joined(poses);
        Self::new(name, skeleton, frame_time_secs, values.translations, values.rotations)
    }

    /// Rebuilds a recording from tracks that belonged to a take before.
    #[cfg(feature = "handover")]
    pub(crate) fn from_known(name: &str, tracks: Arc<Tracks>) -> Self {
        Self {
            name: Arc::from(name),
            tracks,
            tail: None,
        }
    }

    pub(crate) fn tracks(&self) -> &Arc<Tracks> {
        &self.tracks
    }

    /// Returns the take of its first frame alone.
    pub(crate) fn of_first_frame(&self) -> Self {
        self.with_tracks(self.tracks.with_poses([self.pose(0)]))
    }

    /// Returns the name of the recording, usually the file's stem.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the tree of joints.
    pub fn skeleton(&self) -> &Skeleton {
        self.tracks.skeleton()
    }

    /// Returns the seconds from one frame to the next.
    pub fn frame_time_secs(&self) -> f64 {
        self.tracks.step_secs()
    }

    /// Returns the frames per second.
    pub fn frame_rate_hz(&self) -> f64 {
        1.0 / self.frame_time_secs()
    }

    /// Returns the number of frames, at least one.
    pub fn num_frames(&self) -> usize {
        self.tracks.num_frames()
    }

    /// Returns the index of the last frame.
    pub fn last_frame(&self) -> usize {
        self.num_frames() - 1
    }

    /// Returns the number of joints, at least one.
    pub fn num_joints(&self) -> usize {
        self.tracks.num_joints()
    }

    /// Returns the seconds from the first frame to the last.
    pub fn duration_secs(&self) -> f64 {
        self.last_frame() as f64 * self.frame_time_secs()
    }

    /// Returns the pose at `frame`, local.
    ///
    /// # Panics
    /// When `frame` is not below [`Self::num_frames`].
    pub fn pose(&self, frame: usize) -> PoseRef<'_> {
        self.tracks.pose(frame)
    }

    /// Returns the local translations of all joints at `frame`, metres.
    ///
    /// # Panics
    /// When `frame` is not below [`Self::num_frames`].
    pub fn translations(&self, frame: usize) -> &[DVec3] {
        self.pose(frame).translations
    }

    /// Returns the local rotations of all joints at `frame`.
    ///
    /// # Panics
    /// When `frame` is not below [`Self::num_frames`].
    pub fn rotations(&self, frame: usize) -> &[DQuat] {
        self.pose(frame).rotations
    }

    /// Returns the local transforms of all joints at all frames, frame after frame: the joints of frame f start at f *
    /// num_joints.
    pub fn values(&self) -> PoseRef<'_> {
        self.tracks.values()
    }

    /// Returns the world positions and rotations of all joints at all frames.
    pub fn world_tracks(&self) -> WorldTracks {
        WorldTracks::from_long(&self.tracks)
    }

    /// Returns the pose at a fractional frame, local, C1 in time.
    ///
    /// Between frames: Hermite cubics with central-difference slopes. Rotations are interpolated in the tangent space of the
    /// earlier frame, with slopes carried there by the inverse Jacobian, so that the angular velocity is continuous. On whole
    /// frames the values are those of the frame. `frame` is clamped to the take.
    pub fn sample(&self, frame: f64) -> Pose {
        Sampler::new(self).sample(frame)
    }

    /// Returns the recording with every length multiplied by `factor`.
    ///
    /// Errors: [`TakeError::Implausible`] when the result leaves the plausible range.
    pub fn scaled(&self, factor: f64) -> Result<Self, TakeError> {
        let scaled = |lengths: &[DVec3]| -> Vec<DVec3> { lengths.iter().map(|length| *length * factor).collect() };
        let values = self.tracks.values();
        let take = Self::new(
            self.name(),
            self.skeleton().scaled(factor),
            self.frame_time_secs(),
            scaled(values.translations),
            values.rotations.to_vec(),
        )?;
        Ok(take.with_tail_of(self, |pose| Pose {
            translations: scaled(&pose.translations),
            rotations: pose.rotations.clone(),
        }))
    }

    /// Returns the recording played faster by the factor `factor`, with the same frames. Errors: [`TakeError::FrameTime`].
    pub fn sped_up(&self, factor: f64) -> Result<Self, TakeError> {
        let frame_time_secs = self.frame_time_secs() / factor;
        let tracks = Tracks::from_continuous(self.skeleton().clone(), frame_time_secs, self.values().to_pose());
        Self::from_tracks(self.name(), tracks).map(|take| take.with_tail_of(self, Pose::clone))
    }

    /// Returns the recording with the body parts of its joints, one entry for each.
    #[must_use]
    pub fn with_parts(mut self, parts: impl IntoIterator<Item = Option<Part>>) -> Self {
        self.tracks = Arc::new(Arc::unwrap_or_clone(self.tracks).on(|skeleton| skeleton.with_parts(parts)));
        self
    }

    /// Returns the recording with the ends of its joints' bones: see [`Skeleton::with_tips`].
    #[must_use]
    pub fn with_tips(mut self, tips: impl IntoIterator<Item = Option<DVec3>>) -> Self {
        self.tracks = Arc::new(Arc::unwrap_or_clone(self.tracks).on(|skeleton| skeleton.with_tips(tips)));
        self
    }

    /// Returns the recording without its root joint, whose motion moves to its only child; world transforms are unchanged.
    ///
    /// Reverses the insertion of a root joint above a skeleton. `None` when the root has no or several children.
    pub fn without_root_joint(&self) -> Option<Self> {
        let [child] = self.skeleton().children(0) else {
            return None;
        };
        let joints = self.skeleton().joints()[*child..]
            .iter()
            .map(|joint| Joint {
                // The child directly follows the root, so all indices move down by one.
                parent: joint.parent.and_then(|parent| parent.checked_sub(1)),
                ..joint.clone()
            })
            .collect();
        let folded = |pose: PoseRef<'_>| {
            let (locals, rotations) = (pose.translations, pose.rotations);
            let mut folded = Pose::new(locals[1..].to_vec(), rotations[1..].to_vec());
            folded.translations[0] = locals[0] + rotations[0] * locals[1];
            folded.rotations[0] = rotations[0] * rotations[1];
            folded
        };
        let poses = (0..self.num_frames()).map(|frame| folded(self.pose(frame)));
        let skeleton = Skeleton::new(joints).ok()?;
        let tracks = Tracks::pose_by_pose(&skeleton, self.frame_time_secs(), poses);
        let take = Self::from_tracks(self.name(), tracks).ok()?;
        Some(take.with_tail_of(self, |pose| folded(pose.as_ref())))
    }

    /// Returns the recording on the joints of a skeleton, in its order, as [`Skeleton::joints_in`] finds them. Errors: the first
    /// of its joints that the recording lacks.
    pub fn on(&self, skeleton: &Skeleton) -> Result<Self, usize> {
        let joints = skeleton.joints_in(self.skeleton())?;
        if joints.iter().copied().eq(0..self.num_joints()) {
            return Ok(self.clone());
        }
        Ok(self.map_onto(skeleton, |pose| pose.of(&joints)))
    }

    /// Returns the recording below a new root joint of that name that is fixed at the origin.
    #[must_use]
    pub fn below_root_joint(&self, name: &str) -> Self {
        let skeleton = self.skeleton().below_root(name);
        self.map_onto(&skeleton, |pose| pose.to_pose().below_root(Rigid::IDENTITY))
    }

    /// Returns a recording of that name; the tracks hold the invariants.
    fn with_tracks(&self, tracks: Tracks) -> Self {
        Self {
            name: self.name.clone(),
            tracks: Arc::new(tracks),
            tail: None,
        }
    }

    /// Returns the recording with the whole world rotated by `turn`: only the root's track changes.
    pub fn turned(&self, turn: DQuat) -> Self {
        self.map_poses(|pose| {
            let (mut turned, root) = (pose.to_pose(), pose.joint(0));
            let rotation = (turn * root.rotation).normalize();
            turned.set_joint(0, Rigid::new(rotation, turn * root.translation));
            turned
        })
    }

    /// Returns the recording with every pose mapped to another of the same joints; the new poses must hold the invariants.
    pub(crate) fn map_poses(&self, map: impl Fn(PoseRef<'_>) -> Pose) -> Self {
        self.map_onto(self.skeleton(), map)
    }

    /// Returns the recording with every pose mapped to one of another skeleton; the new poses must hold the invariants.
    fn map_onto(&self, skeleton: &Skeleton, map: impl Fn(PoseRef<'_>) -> Pose) -> Self {
        let poses = (0..self.num_frames()).map(|frame| map(self.pose(frame)));
        let mapped = self.with_tracks(Tracks::pose_by_pose(skeleton, self.frame_time_secs(), poses));
        mapped.with_tail_of(self, |pose| map(pose.as_ref()))
    }

    /// Returns the recording with every pose mapped; `map` also receives the number of the frame.
    pub(crate) fn map_frames(&self, map: impl Fn(usize, PoseRef<'_>) -> Pose) -> Self {
        let poses = (0..self.num_frames()).map(|frame| map(frame, self.pose(frame)));
        self.with_tracks(self.tracks.with_poses(poses))
    }
}

/// A length that differs from 1 by less than this equals 1 within rounding.
const UNIT_LENGTH: f64 = 4.0 * f64::EPSILON;

/// Normalises one frame after the one with the rotations `before`; the first frame has none.
fn normalize_frame(
    frame: usize,
    before: &[DQuat],
    translations: &[DVec3],
    rotations: &mut [DQuat],
) -> Result<(), TakeError> {
    for (joint, (translation, rotation)) in translations.iter().zip(&mut *rotations).enumerate() {
        let length = rotation.length_squared().sqrt();
        let plausible = translation.abs().max_element() <= MAX_COORDINATE
            && translation.is_finite()
            && length.is_finite()
            && length > 1e-6;
        if !plausible {
            return Err(TakeError::Implausible { frame, joint });
        }
        // Dividing a second time may move the last bit.
        if (length - 1.0).abs() > UNIT_LENGTH {
            *rotation /= length;
        }
    }
    for (rotation, before) in rotations.iter_mut().zip(before) {
        *rotation = rotation::on_side_of(*rotation, *before);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation;
    use crate::tests::numbers;

    fn skeleton() -> Skeleton {
        let joint = |name: &str, parent| Joint::new(name, parent, DVec3::ZERO);
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
        let joint = |parent| Joint::new("j", parent, DVec3::ZERO);
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
    fn every_rotation_comes_out_unit_and_on_the_side_of_the_frame_before() {
        let mut random = numbers(11);
        let rotations: Vec<DQuat> = (0..400)
            .map(|index| match (index / 7) % 5 {
                // At right angles to each other, so that neither sign is nearer.
                0 => DQuat::from_xyzw(2.0, 0.0, 0.0, 0.0),
                1 => DQuat::from_xyzw(0.0, random().signum(), 0.0, 0.0),
                _ => DQuat::from_xyzw(random(), random(), random(), 2.0 * random()),
            })
            .collect();
        let take = Take::new("t", skeleton(), 0.1, vec![DVec3::ONE; 400], rotations.clone()).unwrap();
        for frame in 1..take.num_frames() {
            for joint in 0..2 {
                let [now, before] = [frame, frame - 1].map(|frame| take.rotations(frame)[joint]);
                assert!(now.is_normalized() && now.dot(before) >= 0.0);
            }
        }
        let mut faulty = rotations;
        faulty[2 * 150 + 1] = DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0);
        faulty[2 * 170] = faulty[2 * 150 + 1];
        let error = Take::new("t", skeleton(), 0.1, vec![DVec3::ONE; 400], faulty).unwrap_err();
        assert_eq!(error, TakeError::Implausible { frame: 150, joint: 1 });
    }
}
