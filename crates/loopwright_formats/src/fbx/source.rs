//! The form that a take had in its FBX file, or is given for one.

use glam::DQuat;
use loopwright::Take;

#[cfg(feature = "fbx")]
use super::form::FbxFile;
use crate::{space::Space, warning::Warning};

/// The form of a take in an FBX file: one that was read, or a fresh one.
#[derive(Clone, Debug, PartialEq)]
pub struct FbxSource {
    pub(super) space: Space,
    /// Lays the file's axes on ours.
    pub(super) turn: DQuat,
    pub(super) frame_time_secs: f64,
    pub(super) animation: String,
    pub(super) begin_secs: f64,
    pub(super) form: Form,
}

/// What stands around the motion.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form {
    /// The file that was read.
    #[cfg(feature = "fbx")]
    File(Box<FbxFile>),
    /// Nothing but the skeleton.
    Fresh {
        /// What is to be said where the motion comes from a file whose other contents are not kept.
        leaves: Option<Warning>,
    },
}

impl FbxSource {
    /// A form for a take that comes from elsewhere: a fresh file in centimetres, Y up.
    pub fn for_take(take: &Take) -> Self {
        Self {
            space: Space::CENTIMETRES_Y_UP,
            turn: DQuat::IDENTITY,
            frame_time_secs: take.frame_time_secs(),
            animation: take.name().to_owned(),
            begin_secs: 0.0,
            form: Form::Fresh { leaves: None },
        }
    }

    /// The form that can be written: this one, or a fresh one where the file that was read is text or older than 7.1.
    pub fn writable(&self, take: &Take) -> Self {
        match &self.form {
            #[cfg(feature = "fbx")]
            Form::File(_) => self.clone(),
            fresh @ Form::Fresh { .. } => Self {
                form: fresh.clone(),
                ..Self::for_take(take)
            },
        }
    }

    /// A form for a take from a glTF file that holds more than motion.
    pub(crate) fn without_meshes(take: &Take) -> Self {
        Self {
            form: Form::Fresh {
                leaves: Some(Warning::MeshesLeftOut),
            },
            ..Self::for_take(take)
        }
    }

    /// How the file's space lies in ours, and whether that was stated or guessed.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The turn that lays the file's axes on ours; more than the axis that is up where the file faces another way.
    pub fn turn(&self) -> DQuat {
        self.turn
    }

    /// Seconds from one frame to the next.
    pub fn frame_time_secs(&self) -> f64 {
        self.frame_time_secs
    }

    /// Name of the animation that was read.
    pub fn animation(&self) -> &str {
        &self.animation
    }

    /// Seconds on the file's own clock at which the take's first frame stands.
    pub fn begin_secs(&self) -> f64 {
        self.begin_secs
    }
}
