//! The FBX form of a take, read from its file or created for it.

use glam::DQuat;
use loopwright_core::{Pose, Take};

#[cfg(feature = "fbx")]
use super::form::FbxFile;
use crate::space::Space;

/// The form of a take in an FBX file: one that was read, or a new one.
#[handed_over]
pub struct FbxSource {
    pub(super) space: Space,
    /// Rotates the file's axes to ours.
    pub(super) turn: DQuat,
    pub(super) animation: String,
    pub(super) begin_secs: f64,
    /// The number of its skeleton among those of the file.
    pub(super) skeleton: usize,
    /// The joints at rest, the first one in the world; empty for a take from elsewhere.
    pub(super) rest: Pose,
    pub(super) form: Form,
    /// Whether constant tracks are written as one key.
    pub(super) has_short_tracks: bool,
    /// Whether the written file states the unit of `space`.
    pub(super) states_unit: bool,
    /// Whether the scale of a joint changes, of which loops keep the first value.
    pub(super) changes_scale: bool,
}

/// Units that differ by a smaller share are the same.
#[cfg(feature = "fbx")]
const SAME_UNIT: f64 = 1e-6;

/// The contents of the file apart from the motion.
#[handed_over]
pub(super) enum Form {
    #[cfg(feature = "fbx")]
    File(Box<FbxFile>),
    /// Only the skeleton.
    Fresh {
        /// If other contents of the motion's own file are left out: whether these are meshes.
        leaves_meshes: Option<bool>,
    },
}

impl FbxSource {
    /// Creates a form for a take from elsewhere: a new file in centimetres, Y up.
    pub fn for_take(take: &Take) -> Self {
        Self {
            space: Space::CENTIMETRES_Y_UP,
            turn: DQuat::IDENTITY,
            animation: take.name().to_owned(),
            begin_secs: 0.0,
            skeleton: 0,
            rest: Pose::default(),
            form: Form::Fresh { leaves_meshes: None },
            has_short_tracks: false,
            states_unit: false,
            changes_scale: false,
        }
    }

    /// Returns the unit that the written file states, in metres, if it differs from the stated one.
    #[cfg(feature = "fbx")]
    pub(super) fn unit_to_state(&self) -> Option<f64> {
        let Form::File(file) = &self.form else { return None };
        let is_other = (self.space.unit_metres / file.stated_unit_metres - 1.0).abs() > SAME_UNIT;
        (self.states_unit && is_other).then_some(self.space.unit_metres)
    }

    /// Returns the rotation from the file's axes to ours; more than the up axis if the file has another forward axis.
    pub fn turn(&self) -> DQuat {
        self.turn
    }

    /// Returns the name of the animation that was read.
    pub fn animation(&self) -> &str {
        &self.animation
    }

    /// Returns the time of the take's first frame on the file's own clock, seconds.
    pub fn begin_secs(&self) -> f64 {
        self.begin_secs
    }
}
