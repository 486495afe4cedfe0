//! The requirements of engines that play loops, as one table of choices; the user's settings take precedence.
//!
//! Rows hold only real differences, with their sources in docs/guide/engines.md. Common properties have no column: the last key
//! repeats the first, the name ends in `-loop`, and the axes and the unit are stated in the file if its format can.

use std::path::Path;

use loopwright_core::{RootMode, Skeleton, Take, candidate::WholeClipKind};
use serde_json::{Value, json};

use super::{
    facts::{RootMotionFacts, TargetFacts},
    sidecar::Sidecar,
};
use crate::{format::Format, naming::added_root_name, source::Source};

/// The program that plays the loop.
#[choice_in_words]
pub enum Target {
    /// Godot: a root joint for root motion.
    Godot,
    /// Unity with a generic rig: FBX, a root joint in every loop, its importer's settings in the sidecar.
    Unity,
    /// Unity with a humanoid rig: FBX, root motion taken from the body, its importer's settings in the sidecar.
    UnityHumanoid,
    /// Unreal: FBX, a root joint in every loop, whole frames per second.
    Unreal,
    /// Bevy: glTF in place, the twist in the sidecar.
    Bevy,
    /// Blender: BVH in metres with Y up.
    Blender,
    /// Three.js: in place, the twist in the userData of glTF clips.
    Three,
    /// Any other: only the common properties.
    Generic,
}

/// A property of a file that an engine does not support.
#[error_kinds(Copy)]
pub enum Complaint {
    #[error(
        "{engine} does not read .{} by itself; it reads {}",
        format.extension(),
        engine.choices().reads.iter().map(|format| format!(".{}", format.extension())).collect::<Vec<_>>().join(", ")
    )]
    Format { engine: Target, format: Format },
    #[error(
        "{engine} samples whole numbers of frames per second: {frame_rate_hz:.3} is read as {sampled_hz}, which moves the keys"
    )]
    Rate {
        engine: Target,
        frame_rate_hz: f64,
        sampled_hz: f64,
    },
    #[error(
        "{engine} refuses lengths of no whole number of frames: the last key is {frames:.2} frames after the one before"
    )]
    Length { engine: Target, frames: f64 },
}

/// The defaults for an engine.
pub struct Choices {
    /// Supported formats; the first is written if the take's own is not among them.
    pub reads: &'static [Format],
    /// The use of the root motion.
    pub root: Option<RootMode>,
    /// Whether every loop gets a root joint, even without root motion: clips of one character must share a skeleton.
    pub always_root_joint: bool,
    /// Whether it accepts only whole numbers of frames per second.
    pub whole_rate: bool,
    /// Whether it reads BVH, whose files do not state their space, as metres with Y up.
    pub bvh_in_metres: bool,
    /// Whether it repeats the animations whose names end in `-loop`, and no others.
    pub loops_by_name: bool,
    /// Whether it is an engine: loops start at the origin and face forward, tracks that do not move have one key, and FBX files
    /// state a unit by which bodies have their true size.
    pub is_engine: bool,
}

const GENERIC: Choices = Choices {
    reads: &Format::ALL,
    root: None,
    always_root_joint: false,
    whole_rate: false,
    bvh_in_metres: false,
    loops_by_name: false,
    is_engine: false,
};

const ENGINE: Choices = Choices {
    is_engine: true,
    ..GENERIC
};

impl Target {
    /// Returns its row of the table.
    pub fn choices(self) -> Choices {
        match self {
            Self::Godot => Choices {
                reads: &[Format::Glb, Format::Gltf, Format::Fbx],
                loops_by_name: true,
                ..ENGINE
            },
            Self::Unity => Choices {
                reads: &[Format::Fbx],
                always_root_joint: true,
                ..ENGINE
            },
            Self::UnityHumanoid => Choices {
                reads: &[Format::Fbx],
                ..ENGINE
            },
            Self::Unreal => Choices {
                reads: &[Format::Fbx, Format::Glb, Format::Gltf],
                always_root_joint: true,
                whole_rate: true,
                ..ENGINE
            },
            Self::Bevy => Choices {
                reads: &[Format::Glb, Format::Gltf],
                root: Some(RootMode::InPlace),
                ..ENGINE
            },
            Self::Blender => Choices {
                bvh_in_metres: true,
                ..ENGINE
            },
            Self::Three => Choices {
                root: Some(RootMode::InPlace),
                ..ENGINE
            },
            Self::Generic => GENERIC,
        }
    }

    /// Returns the default file extension: the take's own if the engine reads it.
    pub fn extension(self, take: &Path) -> Option<&'static str> {
        let reads = self.choices().reads;
        let own = take
            .extension()
            .and_then(|extension| extension.to_str())
            .and_then(Format::of_motion_for);
        if own.is_some_and(|format| reads.contains(&format)) {
            return None;
        }
        reads.first().map(|format| format.extension())
    }

    /// Returns a complaint if the engine does not read the format.
    pub fn complaint(self, format: Format) -> Option<Complaint> {
        (!self.choices().reads.contains(&format)).then_some(Complaint::Format { engine: self, format })
    }

    /// Returns the rate at which the engine samples a motion of this frame rate.
    pub fn sampled_rate(self, frame_rate_hz: f64) -> f64 {
        if self.choices().whole_rate {
            frame_rate_hz.round().max(1.0)
        } else {
            frame_rate_hz
        }
    }

    /// Whether a loop or take needs a root joint that it lacks.
    pub fn needs_root_joint(self, has_root_joint: bool) -> bool {
        self.choices().always_root_joint && !has_root_joint
    }

    /// Returns a complaint if the engine does not sample at the frame rate.
    pub fn rate_complaint(self, frame_rate_hz: f64) -> Option<Complaint> {
        let sampled_hz = frame_rate_hz.round().max(1.0);
        let is_whole = (frame_rate_hz / sampled_hz - 1.0).abs() < 1e-6;
        (self.choices().whole_rate && !is_whole).then_some(Complaint::Rate {
            engine: self,
            frame_rate_hz,
            sampled_hz,
        })
    }

    /// Returns a complaint if the engine does not take a motion that ends between two frames.
    pub fn length_complaint(self, take: &Take) -> Option<Complaint> {
        Some(Complaint::Length {
            engine: self,
            frames: take.tail().filter(|_| self.choices().whole_rate)?.frames,
        })
    }

    /// Returns the form of the file that the engine needs: in the space that it assumes, and without redundant keys.
    pub fn placed(self, mut source: Source) -> Source {
        let choices = self.choices();
        if choices.bvh_in_metres {
            source = source.in_metres();
        }
        if choices.is_engine {
            source = source.for_engines();
        }
        source
    }

    /// Returns the engine's section of the sidecar; `skeleton` is the loop's own, without a root that is added to the file.
    ///
    /// The names are those of each importer, so that a script can copy them one by one. Sources: docs/guide/engines.md.
    pub fn facts(self, sidecar: &Sidecar, skeleton: &Skeleton, frame_rate_hz: f64) -> TargetFacts {
        let root = &sidecar.root_motion;
        let importer = match self {
            // An option of `ResourceImporterScene`.
            Self::Godot => json!({ "animation/fps": frame_rate_hz }),
            Self::Unity => unity(sidecar, "Generic", &path_to_root(sidecar, skeleton), [!moves(root); 3]),
            Self::UnityHumanoid => {
                // Unity takes the root motion of a humanoid from the body: each constant part of it is baked into the pose, so that the
                // sway of the body does not move the character.
                let stays = [
                    (root.turn_rate_dps, UNSEEN_DEGREES),
                    (root.climb_mps, UNSEEN_METRES),
                    (root.speed_mps, UNSEEN_METRES),
                ]
                .map(|(rate, unseen)| {
                    !root.mode.moves_root() || (rate * sidecar.candidate.period_secs).abs() <= unseen
                });
                unity(sidecar, "Human", "", stays)
            }
            // Properties of import options and of the resulting sequence, by their names in Python.
            Self::Unreal => json!({
                "use_default_sample_rate": false,
                "custom_sample_rate": frame_rate_hz.round().clamp(1.0, f64::from(u32::MAX)) as u32,
                "enable_root_motion": moves(root),
            }),
            _ => Value::Null,
        };
        TargetFacts {
            name: self.as_str().to_owned(),
            importer: importer.as_object().cloned(),
        }
    }
}

/// Joins the names from the topmost joint down to the one that carries the root motion with slashes.
fn path_to_root(sidecar: &Sidecar, skeleton: &Skeleton) -> String {
    let playback = &sidecar.playback;
    if playback.root_joint_added {
        return added_root_name(skeleton);
    }
    let names: Vec<&str> = skeleton
        .find(playback.root_joint.as_ref().unwrap_or(&playback.carrier_joint))
        .map(|joint| skeleton.path_from_root(joint))
        .unwrap_or_default()
        .iter()
        .map(|&joint| skeleton.joint(joint).name.as_str())
        .collect();
    names.join("/")
}

/// Slowest root motion that moves a character, metres and radians per second.
const STILL: f64 = 1e-9;

/// Largest root rotation per cycle that may be baked into the pose of a humanoid, where it becomes a jump at the seam.
const UNSEEN_DEGREES: f64 = 0.5;
const UNSEEN_METRES: f64 = 5e-3;

/// Whether the root moves the character: a fixed root does not, whatever its twist.
fn moves(root: &RootMotionFacts) -> bool {
    let mut parts = root.linear_velocity_mps.iter().chain(&root.angular_velocity_radps);
    root.mode.moves_root() && parts.any(|part| part.abs() > STILL)
}

/// Returns fields of Unity's `ModelImporter` and of its clip; `root` is the path from the file's topmost node to the one that carries the
/// root motion, and `locks` says whether rotation, height and motion over the ground stay in the pose.
fn unity(sidecar: &Sidecar, animation_type: &str, root: &str, locks: [bool; 3]) -> Value {
    let playback = &sidecar.playback;
    let samples = playback.samples.saturating_mul(playback.copies);
    let closing_step = playback.last_step.unwrap_or(1.0) * f64::from(u8::from(playback.closing_key));
    let name = playback.animation.as_deref().unwrap_or_default();
    let whole = sidecar.candidate.whole_clip.as_ref();
    json!({
        "animationType": animation_type,
        "preserveHierarchy": true,
        "motionNodeName": root,
        "clip": {
            "name": name,
            "takeName": name,
            "firstFrame": 0.0,
            "lastFrame": samples.saturating_sub(1) as f64 + closing_step,
            "loopTime": whole.is_none_or(|whole| whole.kind != WholeClipKind::EndsAsItBegins),
            // The ends meet already.
            "loopPose": false,
            "lockRootRotation": locks[0],
            "lockRootHeightY": locks[1],
            "lockRootPositionXZ": locks[2],
            "keepOriginalOrientation": true,
            "keepOriginalPositionY": true,
            "keepOriginalPositionXZ": true,
        },
    })
}
