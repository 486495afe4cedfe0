//! Locates a loop in the keys of a file, by its sidecar or by the keys alone.

use std::borrow::Cow;

use glam::{DQuat, DVec3};
use loopwright_core::{
    Analysis, Cut, LoopClip, RootMode, RootMotion, Take,
    analysis::Body,
    loop_clip::{KeyLayout, KeysError, LoopKeys},
    math::{Rigid, Twist, rotation},
    recognition,
    root_motion::{RootRelativeClip, RootSpace},
    take::{Clip, PingPong},
};

use super::{facts::RootMotionFacts, sidecar::Sidecar};

/// A loop in a file: its keys and its root motion.
#[value(Copy)]
pub struct LoopInFile {
    /// How the keys form the loop.
    pub layout: KeyLayout,
    /// The root motion, whether or not the keys show it.
    pub root: RootMotion,
    /// The use of the root motion.
    pub mode: RootMode,
    /// Which motions count as root motion.
    pub space: RootSpace,
    /// The joint whose track holds the root motion.
    pub carrier: usize,
}

/// Why a file, its sidecar and its take do not match.
#[error_kinds]
pub enum PlaceError {
    #[error("the loop has no joint \"{name}\", which its sidecar names")]
    NoCarrier { name: String },
    #[error("there is no root joint above the hips, though its sidecar says so")]
    NoRootJoint,
    /// The keys do not form a loop.
    Keys(KeysError),
    #[error("it has {joints} joints and {frames} frames, the loop {loop_joints} and its take {loop_frames}")]
    OtherTake {
        joints: usize,
        frames: usize,
        loop_joints: usize,
        loop_frames: usize,
    },
    #[error("it has a frame each {found} s, the take of the loop each {expected} s")]
    OtherRate { found: f64, expected: f64 },
    #[error("it lacks the joint \"{name}\"")]
    OtherJoints { name: String },
    /// The frames named by the sidecar cannot be cut out of the take.
    Cut(loopwright_core::take::CutError),
}

/// Frame times that differ by a smaller share are equal within rounding.
const SAME_FRAME_TIME: f64 = 1e-6;

impl Sidecar {
    /// Returns the keys of the loop on the take's own skeleton: an added root joint is folded away.
    ///
    /// Errors: [`PlaceError::NoRootJoint`].
    pub fn without_added_root(&self, written: Take) -> Result<Take, PlaceError> {
        if !self.playback.root_joint_added {
            return Ok(written);
        }
        written.without_root_joint().ok_or(PlaceError::NoRootJoint)
    }

    /// Returns the number of consecutive loops in the loop: 1 if its cycles do not vary.
    pub fn num_copies(&self) -> usize {
        self.variation.as_ref().map_or(1, |variation| variation.copies.max(1))
    }

    /// States that this joint carries the root motion in the file, which has no separate root joint.
    #[must_use]
    pub fn carried_by(mut self, joint: String) -> Self {
        let playback = &mut self.playback;
        playback.carrier_joint = joint;
        playback.root_joint = None;
        playback.root_joint_added = false;
        self
    }
}

impl LoopInFile {
    /// Locates a loop by its sidecar, in keys from which an added root joint is folded away.
    ///
    /// Errors: [`PlaceError::NoCarrier`].
    pub fn from_sidecar(sidecar: &Sidecar, written: &Take) -> Result<Self, PlaceError> {
        let name = &sidecar.playback.carrier_joint;
        Ok(Self::with_carrier(
            sidecar,
            written
                .skeleton()
                .find(name)
                .ok_or_else(|| PlaceError::NoCarrier { name: name.clone() })?,
        ))
    }

    /// Locates a loop by its sidecar, in all keys of its file: an added root joint is present and carries the root motion.
    ///
    /// Errors: [`PlaceError::NoCarrier`].
    pub fn from_whole_file(sidecar: &Sidecar, written: &Take) -> Result<Self, PlaceError> {
        if sidecar.playback.root_joint_added {
            Ok(Self::with_carrier(sidecar, 0))
        } else {
            Self::from_sidecar(sidecar, written)
        }
    }

    fn with_carrier(sidecar: &Sidecar, carrier: usize) -> Self {
        let (root, playback) = (&sidecar.root_motion, &sidecar.playback);
        Self {
            layout: KeyLayout {
                num_samples: playback.samples,
                last_step: playback.last_step.unwrap_or(1.0),
                has_closing_key: playback.closing_key || playback.copies > 1,
                in_place: !root.mode.moves_root(),
                seam_sample: playback.seam_sample,
                num_cycles: sidecar.num_copies(),
            },
            root: root.motion(),
            mode: root.mode,
            space: root.space,
            carrier,
        }
    }

    /// Detects a loop from its keys alone. Errors: too few keys.
    pub fn recognised(written: &Take, body: &Body) -> Result<Self, KeysError> {
        let carrier = recognition::topmost_moving(written, body);
        let seen = recognition::recognise(written, body, carrier)?;
        Ok(Self {
            layout: seen.layout,
            root: seen.root,
            mode: RootMode::Keep,
            space: seen.space,
            carrier: seen.carrier,
        })
    }

    /// Returns the loop with a moving root. Errors: the file has too few keys or joints.
    pub fn clip(&self, written: &Take) -> Result<LoopClip, KeysError> {
        LoopClip::from_keys(written, self.layout, self.root, self.carrier)
    }

    /// Returns the loop as played: its root is fixed if it is in the file. Errors: as [`Self::clip`].
    pub fn played(&self, written: &Take) -> Result<LoopClip, KeysError> {
        let clip = self.clip(written)?;
        Ok(if self.layout.in_place { clip.in_place() } else { clip })
    }

    /// Returns the keys of one of several consecutive cycles, counted from 0. Errors: as [`Self::clip`].
    pub fn keys(&self, written: &Take, cycle: usize) -> Result<LoopKeys, KeysError> {
        LoopKeys::from_cycle(written, self.layout, self.root, self.carrier, cycle)
    }

    /// Returns the uncut frames that the loop was made from, relative to the same root, on the joints of the take.
    ///
    /// `sidecar` is the loop's, `analysis` that of its take. Errors: [`PlaceError`] for another take.
    pub fn uncut(
        &self,
        sidecar: &Sidecar,
        written: &Take,
        analysis: &Analysis,
    ) -> Result<RootRelativeClip, PlaceError> {
        let take = &analysis.take;
        if take.num_joints() != written.num_joints() || take.num_frames() != sidecar.take.frames {
            return Err(PlaceError::OtherTake {
                joints: take.num_joints(),
                frames: take.num_frames(),
                loop_joints: written.num_joints(),
                loop_frames: sidecar.take.frames,
            });
        }
        let joints = take
            .skeleton()
            .joints_in(written.skeleton())
            .map_err(|joint| PlaceError::OtherJoints {
                name: take.skeleton().joint(joint).name.clone(),
            })?;
        let carrier = joints
            .iter()
            .position(|&joint| joint == self.carrier)
            .unwrap_or(self.carrier);
        let (found, expected) = (take.frame_time_secs(), sidecar.take.frame_time_secs);
        if (found / expected - 1.0).abs() > SAME_FRAME_TIME {
            return Err(PlaceError::OtherRate { found, expected });
        }
        // A take without its closing key was completed before the loop was made.
        let whole = sidecar
            .candidate
            .whole_clip
            .as_ref()
            .and_then(|_| analysis.whole_loop().or_else(|| analysis.whole_cycle()));
        let curve = whole
            .as_ref()
            .filter(|whole| whole.ends_between_frames())
            .and_then(|whole| analysis.curve_through(whole).ok())
            .filter(|curve| curve.num_intervals() == self.layout.num_even_samples());
        let completed = whole.map_or(Cow::Borrowed(analysis), |whole| analysis.completed(&whole));
        let take = &completed.take;
        let cut = Cut::new(take, sidecar.candidate.start_frame, sidecar.candidate.end_frame)?;
        let copies = sidecar.num_copies();
        let (samples, step_secs) = (sidecar.playback.samples / copies, written.frame_time_secs());
        let clip = match sidecar.candidate.ping_pong_ease_frames {
            _ if let Some(curve) = curve => curve,
            Some(ease_frames) => Clip::ping_pong(take, &PingPong::new(&cut, ease_frames), samples, step_secs)?,
            None => Clip::new(take, &cut, samples, step_secs)?,
        };
        let of_loop = self.layout.from_seam(self.root, written.frame_time_secs());
        // A recentered loop is compared with the take at the take's place.
        let recentered = sidecar.root_motion.recentered.as_ref();
        let start = recentered.map_or(of_loop.start, |recentered| {
            recentered.motion().inverse() * of_loop.start
        });
        // If the feet determined the speed, the take's own speed differs.
        let mut root = of_loop;
        if let Some(linear) = sidecar.root_motion.take_linear_velocity_mps {
            root.twist.linear = DVec3::from_array(linear);
        }
        let in_take = RootMotion { start, ..root };
        if sidecar.playback.root_joint.is_none() || sidecar.playback.root_joint_added {
            let relative = RootRelativeClip::relative_to(&clip, in_take, carrier);
            return Ok(repeated(RootRelativeClip { root, ..relative }, copies));
        }
        // The root joint has the loop's transform, so that the two can be compared joint by joint.
        let (shown, world) = (self.layout.shown(&self.root), written.world_tracks());
        // If the keys are not the samples, the root joint follows the root.
        let samples = if self.layout.last_step == 1.0 {
            sidecar.playback.samples
        } else {
            1
        };
        let count = samples.min(written.num_frames());
        let root_from_joint: Vec<Rigid> = (0..count)
            .map(|sample| (sample + self.layout.seam_sample) % count)
            .map(|key| shown.at(key as f64 * written.frame_time_secs()).inverse() * world.joint(key, self.carrier))
            .collect();
        let relative = RootRelativeClip::under_root_joint(&clip, in_take, carrier, &completed, &root_from_joint);
        Ok(repeated(RootRelativeClip { root, ..relative }, copies))
    }
}

/// Repeats the uncut frames of one cycle for each copy, relative to the moving root.
fn repeated(uncut: RootRelativeClip, copies: usize) -> RootRelativeClip {
    match copies {
        1 => uncut,
        copies => RootRelativeClip {
            clip: uncut.clip.repeated(copies),
            ..uncut
        },
    }
}

impl RootMotionFacts {
    /// Returns the root motion that the facts describe.
    pub fn motion(&self) -> RootMotion {
        RootMotion::new(
            Rigid::new(self.start_rotation(), DVec3::from_array(self.start_position_m)),
            Twist {
                linear: DVec3::from_array(self.linear_velocity_mps),
                angular: DVec3::from_array(self.angular_velocity_radps),
            },
        )
    }

    /// Returns the rotation of the root at the start: the yaw, or the full rotation of a tilted root.
    fn start_rotation(&self) -> DQuat {
        self.start_rotation_xyzw
            .map(DQuat::from_array)
            // Four numbers edited by hand may not form a rotation.
            .filter(|turn| turn.length() > 0.5)
            .map_or_else(|| rotation::from_yaw(self.start_yaw_deg.to_radians()), DQuat::normalize)
    }
}
