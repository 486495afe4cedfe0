//! FBX: scenes of nodes, of which the joints and one animation are a take.
//!
//! Reading goes through the library ufbx, which knows the habits of exporters since version 5: here stands what makes a take
//! of its scene. The road: `read_take` loads the file, chooses the animation and the joints, samples them on an even
//! grid, and settles axes and unit. Dialects and decisions: docs/formats/fbx.md.

#![cfg_attr(
    not(feature = "fbx"),
    allow(
        dead_code,
        unused_variables,
        reason = "without reading there are no files to write into"
    )
)]

use glam::{DQuat, DVec3};
use loopwright::take::{Joint, Skeleton, SkeletonError, Take};

use crate::{space::Space, warning::Warning, write::added_root_name};

mod animation;
#[cfg(feature = "fbx")]
mod form;
#[cfg(feature = "fbx")]
mod insert;
#[cfg(feature = "fbx")]
mod joints;
#[cfg(feature = "fbx")]
pub(crate) mod read;
pub(crate) mod record;
#[cfg(feature = "fbx")]
mod scene;
#[cfg(feature = "fbx")]
mod timing;
pub(crate) mod write;

/// The form of a take in an FBX file: one that was read, or a fresh one.
#[derive(Clone, Debug, PartialEq)]
pub struct FbxSource {
    space: Space,
    /// Lays the file's axes on ours.
    turn: DQuat,
    frame_time_secs: f64,
    animation: String,
    begin_secs: f64,
    form: Form,
}

/// What stands around the motion.
#[derive(Clone, Debug, PartialEq)]
enum Form {
    /// The file that was read.
    #[cfg(feature = "fbx")]
    File(Box<form::FbxFile>),
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

/// A property that added roots have, so that they are joints also where they are no bones and stand still.
const ADDED_ROOT: &str = "LoopwrightRoot";

/// The skeleton below a new root joint of a name that is not taken yet.
fn with_root(skeleton: &Skeleton) -> Result<Skeleton, SkeletonError> {
    let joints = skeleton.joints();
    let root = Joint {
        name: added_root_name(skeleton),
        parent: None,
        rest_offset: DVec3::ZERO,
        tip: None,
    };
    let below = joints.iter().cloned().map(|joint| Joint {
        parent: Some(joint.parent.map_or(0, |parent| parent + 1)),
        ..joint
    });
    Skeleton::new(core::iter::once(root).chain(below).collect())
}
