//! The entries of glTF, binary and text, and of VRM animations in the table of formats: capabilities, reader and writer.

use std::{collections::HashSet, sync::Arc};

use loopwright_core::{MadeLoop, Pose, Skeleton, Take, pipeline::MakeError};
use serde_json::Value;

use super::{
    container::{list_mut, text_in},
    facts, mesh,
    parts::{Nodes, Transform},
    prune,
    read::GltfFile,
    sides,
    source::{Beside, GltfSource},
    vrm,
    vrm::Humanoid,
    vrma::VrmaSource,
    write,
};
use crate::{
    entry::{FactsInside, FormatEntry},
    error::WriteError,
    file_form::{FileForm, MotionOfFile},
    format::{Capabilities, Format},
    keyed_motion::KeyedMotion,
    limits::{JSON_VALUE_BYTES, SizeLimits},
    mesh::{Mesh, MeshError},
    naming::{free_name, loop_name},
    source::Source,
    space::Space,
    text,
    written::{Added, WrittenFile},
};

pub(crate) const GLB: FormatEntry = FormatEntry {
    format: Format::Glb,
    capabilities: Capabilities {
        name: "GLB",
        extension: "glb",
        holds_animations: true,
        names_takes: true,
        has_key_times: true,
        has_root_joint_for_motion: true,
        is_extended: true,
        ..Capabilities::OF_ONE_MOTION
    },
    detects: |bytes| bytes.starts_with(b"glTF") && !vrm::is_motion_in_bytes(bytes),
    parse: |bytes, companions, limits| Ok(Box::new(GltfFile::parse(bytes, companions, limits)?)),
    new_form: |take, _| Source::Gltf(GltfSource::for_take(take, true)),
    facts: Some(FactsInside {
        write: facts::with_facts,
        read: facts::facts_in,
    }),
};

pub(crate) const GLTF: FormatEntry = FormatEntry {
    format: Format::Gltf,
    capabilities: Capabilities {
        name: "glTF",
        extension: "gltf",
        names_other_files: true,
        ..GLB.capabilities
    },
    detects: is_text,
    new_form: |take, _| Source::Gltf(GltfSource::for_take(take, false)),
    ..GLB
};

/// Motion for avatars, in a binary file. As text it is ordinary glTF.
pub(crate) const VRMA: FormatEntry = FormatEntry {
    format: Format::Vrma,
    capabilities: Capabilities {
        name: "VRMA",
        extension: "vrma",
        character_extension: Some("vrm"),
        has_root_joint_for_motion: false,
        takes_root_joint: false,
        is_extended: false,
        not_extended: Some("a VRM animation, which holds one"),
        ..GLB.capabilities
    },
    detects: |bytes| bytes.starts_with(b"glTF") && vrm::is_motion_in_bytes(bytes),
    new_form: |take, rest| Source::Vrma(VrmaSource::for_take(take, rest)),
    ..GLB
};

/// Returns the number of values in JSON, with those in it.
fn num_values(json: &Value) -> u64 {
    1 + match json {
        Value::Array(list) => list.iter().map(num_values).sum(),
        Value::Object(map) => map.values().map(num_values).sum(),
        _ => 0,
    }
}

fn is_text(bytes: &[u8]) -> bool {
    let text = text::from_first_letter(bytes);
    text.first() == Some(&b'{') && text::contains(text, b"\"asset\"")
}

impl FileForm for GltfSource {
    fn format(&self) -> Format {
        match (vrm::is_motion(&self.document), self.is_binary) {
            (true, _) => Format::Vrma,
            (false, true) => Format::Glb,
            (false, false) => Format::Gltf,
        }
    }

    fn formats(&self) -> &'static [Format] {
        if vrm::is_motion(&self.document) {
            &[Format::Vrma]
        } else {
            &[Format::Glb, Format::Gltf]
        }
    }

    fn space(&self) -> &Space {
        &self.space
    }

    /// Of the skeleton nothing but its parents is compared.
    fn rest(&self, skeleton: &Skeleton) -> Option<Pose> {
        let nodes = Nodes::read(&self.document).ok()?;
        if skeleton.num_joints() != self.joints.len() {
            return None;
        }
        let joints = self.joints.iter().enumerate().map(|(index, joint)| {
            let local = joint.node.map_or(Transform::IDENTITY, |node| nodes.transforms[node]);
            (skeleton.parent(index), local)
        });
        let (above, space) = (&self.above, &self.space);
        let mut pose = above.pose_below(joints);
        let (first, turn) = (pose.translations[0], pose.rotations[0]);
        pose.translations[0] = space.turned(above.translation + above.turn * first);
        pose.rotations[0] = space.turn() * above.turn * turn;
        for (translation, rotation) in pose.translations.iter_mut().zip(&mut pose.rotations) {
            *translation *= space.unit_metres;
            *rotation = rotation.normalize();
        }
        Some(pose)
    }

    fn write(&self, motion: &KeyedMotion) -> Result<WrittenFile, WriteError> {
        write::write(motion, self)
    }

    fn turn_into(&mut self, format: Format, _: &Take) {
        self.is_binary = format != Format::Gltf;
    }

    fn can_be_extended(&self) -> bool {
        !vrm::is_motion(&self.document)
    }

    fn write_all(&self, motions: &[MotionOfFile]) -> Result<(WrittenFile, Added), WriteError> {
        write::write_all(self, motions)
    }

    fn kept(&self, take: &Take, add_root: bool) -> Option<Result<WrittenFile, WriteError>> {
        Some(write::repacked(self, take, add_root))
    }

    fn keep_animation(&mut self, number: Option<usize>) -> Result<(), WriteError> {
        self.document = Arc::new(prune::with_animation(&self.document, number));
        Ok(())
    }

    fn carried_bytes(&self) -> u64 {
        JSON_VALUE_BYTES * num_values(&self.document.json)
    }

    fn rename_as_loop(&mut self, number: usize, name: &str) -> Option<String> {
        let animations = list_mut(&mut Arc::make_mut(&mut self.document).json, "animations");
        let names = animations.iter().filter_map(|animation| text_in(animation, "name"));
        let taken: HashSet<&str> = names.collect();
        let free = free_name(&loop_name(name), move |name| taken.contains(name));
        animations.get_mut(number)?["name"] = free.as_str().into();
        Some(free)
    }

    fn carrier(&self) -> Option<String> {
        let nodes = Nodes::read(&self.document).ok()?;
        let avatar = Humanoid::of(&self.document, nodes.nodes.len()).ok()??;
        avatar.is_motion.then(|| nodes.joint_name(avatar.hips))
    }

    fn suit_engines(&mut self) {
        self.has_short_tracks = true;
    }

    fn loop_along(&mut self, made: &MadeLoop) -> Result<(), MakeError> {
        if made.candidate.pairing.is_mirrored() {
            self.shapes = sides::evened(&self.document, &self.shapes);
        }
        for shapes in &mut self.shapes {
            shapes.weights = shapes.weights.looped_along(made)?;
        }
        Ok(())
    }

    fn remove_shapes(&mut self) {
        self.shapes.clear();
    }

    fn has_sides(&self) -> bool {
        vrm::is_motion(&self.document) && sides::evened(&self.document, &self.shapes) != self.shapes
    }

    fn mirror(&mut self) {
        if vrm::is_motion(&self.document) {
            sides::exchange_names(Arc::make_mut(&mut self.document));
            self.shapes.iter_mut().for_each(sides::mirror_gaze);
        }
    }

    fn shows_face(&self) -> bool {
        self.shapes
            .iter()
            .any(|shapes| matches!(shapes.property, Beside::Expression | Beside::Gaze))
    }

    fn changes_scale(&self) -> bool {
        self.shapes.iter().any(|shapes| shapes.property == Beside::Scale)
    }

    fn has_meshes(&self) -> bool {
        !self.document.list("meshes").is_empty()
    }

    fn read_mesh(&self, _: &[u8], skeleton: &Skeleton, limits: &SizeLimits) -> Result<Mesh, MeshError> {
        mesh::read(self, skeleton, limits)
    }

    fn copyright(&self) -> Option<&str> {
        self.document.json.get("asset")?.get("copyright")?.as_str()
    }
}
