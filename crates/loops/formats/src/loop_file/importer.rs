//! Settings of an importer for a loop, which the file cannot hold.
//!
//! The names are those of each importer, so that a script can copy them one by one. Sources: docs/guide/engines.md.

use serde::{Deserialize, Serialize};

/// The engine that a loop was written for.
#[in_schema(read)]
pub struct TargetFacts {
    /// Its name, as --for has it.
    pub name: String,
    /// Settings of its importer, under the importer's own names (docs/guide/engines.md); null where it needs none.
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub importer: Option<Importer>,
}

/// Settings of an importer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Importer {
    /// Of Godot.
    Godot(GodotImporter),
    /// Of Unity.
    Unity(UnityImporter),
    /// Of Unreal.
    Unreal(UnrealImporter),
}

/// Options of Godot's `ResourceImporterScene`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GodotImporter {
    /// Frames per second to sample at; 30 unless set.
    #[serde(rename = "animation/fps")]
    pub animation_fps: f64,
}

/// Fields of Unity's `ModelImporter`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnityImporter {
    /// The kind of rig, by its name in `ModelImporterAnimationType`.
    pub animation_type: String,
    /// Whether the topmost node remains a separate node.
    pub preserve_hierarchy: bool,
    /// The node that carries the root motion, as a path from the top; empty if there is none, as for a humanoid.
    pub motion_node_name: String,
    /// The clip.
    pub clip: UnityClip,
}

/// Fields of Unity's `ModelImporterClipAnimation`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnityClip {
    /// Name of the clip.
    pub name: String,
    /// Name of the animation in the file.
    pub take_name: String,
    /// First key, in frames of the file.
    pub first_frame: f64,
    /// Last key: the closing one if there is one.
    pub last_frame: f64,
    /// Whether the clip starts again at its end.
    pub loop_time: bool,
    /// Whether Unity changes the motion until its ends meet; they already do.
    pub loop_pose: bool,
    /// Whether rotations stay in the body instead of moving the character.
    pub lock_root_rotation: bool,
    /// Likewise for vertical motion.
    pub lock_root_height_y: bool,
    /// Likewise for motion over the ground.
    #[serde(rename = "lockRootPositionXZ")]
    pub lock_root_position_xz: bool,
    /// Whether the root keeps its orientation in the file.
    pub keep_original_orientation: bool,
    /// Whether it keeps its height in the file.
    pub keep_original_position_y: bool,
    /// Whether it keeps its position in the file.
    #[serde(rename = "keepOriginalPositionXZ")]
    pub keep_original_position_xz: bool,
}

/// Properties of Unreal's import options and of the resulting sequence, by their names in Python.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnrealImporter {
    /// Whether to sample at 30 frames per second, whatever the file has.
    pub use_default_sample_rate: bool,
    /// Frames per second to sample at.
    pub custom_sample_rate: u32,
    /// Whether the root bone moves the character.
    pub enable_root_motion: bool,
}
