//! Writes takes and loops as an animation in a glTF file; the rest of the file is kept.
//!
//! The JSON is edited as it was read, including unknown fields, and bytes of buffers are kept; the animation's own bytes are
//! appended. Every joint gets a rotation track, and a translation track if it leaves its rest position. All tracks share their
//! times, with straight lines between keys.

use std::collections::{HashMap, HashSet};

use glam::{DQuat, DVec3};
use loopwright_core::{LoopClip, PoseRef, Take, math::rotation};
use serde_json::{Value, json};

use super::{
    container::Document,
    edit::{self, Animations},
    parts::{Nodes, Transform},
    prune,
    source::{Beside, GltfJoint, GltfSource, NodeShapes},
    vrm,
    vrm::Humanoid,
};
use crate::{
    error::WriteError,
    even_keys,
    file_form::{FileForm, MotionOfFile, not_extended},
    keyed_motion::KeyedMotion,
    limits::is_plausible,
    naming::{free_name, root_name},
    settings::{ClosingKey, KeyInterpolation, LoopWriteSettings},
    warning::FileWarning,
    written::{Added, WrittenFile},
};

/// Most transforms in one animation: some gigabytes.
pub(super) const MAX_TRANSFORMS: usize = 1 << 26;

/// A joint may be this far from its rest position without a translation track, in metres.
const REST_TOLERANCE_METRES: f64 = 1e-7;

/// Scales that differ by less are equal.
const SCALE_TOLERANCE: f64 = 1e-6;

/// Writes motion into a copy of the file. The animation has the motion's name and replaces one of that name; a loop replaces
/// only loops.
pub(super) fn write(motion: &KeyedMotion, source: &GltfSource) -> Result<WrittenFile, WriteError> {
    let mut document = Document::clone(&source.document);
    // Programs play the first animation of a file for avatars.
    if vrm::is_motion(&document) {
        document = prune::with_animation(&document, None);
    }
    let mut animations = Animations::of(&document);
    let name = add(&mut document, &mut animations, motion, source, &HashSet::new())?;
    finish(&document, source.is_binary, &name)
}

/// Adds motions to a copy of their file, one after another; for each, the name of its animation.
///
/// A motion that cannot be written is left out. Errors: the file is too large for the format.
pub(super) fn write_all(source: &GltfSource, motions: &[MotionOfFile]) -> Result<(WrittenFile, Added), WriteError> {
    if vrm::is_motion(&source.document) {
        return Err(not_extended(source.capabilities()));
    }
    let mut document = Document::clone(&source.document);
    let mut animations = Animations::of(&document);
    let (mut added, mut names) = (Added::new(), HashSet::new());
    for each in motions {
        let name = each
            .motion()
            .and_then(|motion| add(&mut document, &mut animations, &motion, each.form()?, &names));
        names.extend(name.iter().cloned());
        added.push(name);
    }
    Ok((finish(&document, source.is_binary, "")?, added))
}

/// Returns the whole file as read, binary or text by its form; if requested, with a new root joint above the take's joints,
/// which rests in all animations. `take` is its main animation.
///
/// Errors: it is too large for the format.
pub(super) fn repacked(source: &GltfSource, take: &Take, add_root: bool) -> Result<WrittenFile, WriteError> {
    if !add_root {
        return finish(&source.document, source.is_binary, take.name());
    }
    let mut document = Document::clone(&source.document);
    Writer::new(&mut document, source, &KeyedMotion::from_take(take, false))?.add_root()?;
    finish(&document, source.is_binary, take.name())
}

/// Adds motion to a file that may have grown since it was read; `animations` indexes its animations. Returns the name of the new
/// one.
fn add(
    document: &mut Document,
    animations: &mut Animations,
    motion: &KeyedMotion,
    source: &GltfSource,
    added: &HashSet<String>,
) -> Result<String, WriteError> {
    let is_loop = motion.as_loop().is_some();
    let is_taken =
        |name: &str| added.contains(name) || is_loop && animations.has_foreign(document, name, &source.joints);
    let name = free_name(&motion.animation_name(), is_taken);
    let mut writer = Writer::new(document, source, motion)?;
    if motion.adds_root {
        if writer.avatar.is_some() {
            return Err(WriteError::NoRootJoint);
        }
        writer.add_root()?;
    }
    writer.animate(motion, &name, animations)?;
    let facts = match motion.as_loop() {
        Some((clip, settings)) => facts_of_loop(motion, clip, settings),
        None if even_keys::FRAME_RATES.contains(&(1.0 / motion.step_secs)) => return Ok(name),
        // Readers would not accept this as a frame rate.
        None => json!({ "frame_time_secs": motion.step_secs }),
    };
    animations.set_extra(document, &name, facts);
    Ok(name)
}

/// Sections of the loop file that are known before it is measured.
fn facts_of_loop(motion: &KeyedMotion, clip: &LoopClip, settings: &LoopWriteSettings) -> Value {
    let twist = clip.root().twist;
    json!({
        "candidate": { "period_secs": clip.period_secs() },
        "root_motion": {
            "linear_velocity_mps": twist.linear.to_array(),
            "angular_velocity_radps": twist.angular.to_array(),
        },
        "playback": {
            "samples": motion.cycle,
            "last_step": motion.last_step(),
            "closing_key": settings.closing_key == ClosingKey::Repeat,
            "copies": settings.copies,
            "root_joint_added": settings.add_root,
        },
    })
}

struct Writer<'a> {
    source: &'a GltfSource,
    document: &'a mut Document,
    nodes: Nodes,
    joints: Vec<GltfJoint>,
    parents: Vec<Option<usize>>,
    /// The bones, if the file is motion for avatars.
    avatar: Option<Humanoid>,
}

/// The track of a joint, in the space of its node.
#[derive(Clone, Default)]
struct LocalTrack {
    translations: Vec<[f32; 3]>,
    rotations: Vec<[f32; 4]>,
    moves: bool,
}

impl LocalTrack {
    /// Whether any written value differs from the first.
    fn changes(&self) -> bool {
        !is_still(&self.rotations) || (self.moves && !is_still(&self.translations))
    }
}

/// Whether all values have the same bits, so that one key suffices.
fn is_still<const WIDTH: usize>(values: &[[f32; WIDTH]]) -> bool {
    values
        .windows(2)
        .all(|pair| pair[0].map(f32::to_bits) == pair[1].map(f32::to_bits))
}

/// The tracks of a written animation.
struct Tracks<'a> {
    data: edit::Data<'a>,
    /// The accessor of all times.
    input: usize,
    interpolation: &'static str,
    is_short_allowed: bool,
    /// Whether constant tracks need all keys.
    needs_long: bool,
    /// The accessor of the time of a single key.
    short_input: Option<usize>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl Tracks<'_> {
    /// Adds values at all times; a single one if all are equal and that is allowed.
    fn push<const WIDTH: usize>(&mut self, node: usize, path: &str, values: &[[f32; WIDTH]]) {
        if self.is_short_allowed && !self.needs_long && is_still(values) {
            return self.push_one(node, path, values[0]);
        }
        self.needs_long = false;
        let output = self.data.push(values.iter().copied());
        self.channel(node, path, self.input, output);
    }

    /// Adds a single value, in an animation that has another, longer track.
    fn push_one<const WIDTH: usize>(&mut self, node: usize, path: &str, value: [f32; WIDTH]) {
        let input = *self.short_input.get_or_insert_with(|| self.data.push_times(&[0.0]));
        let output = self.data.push([value]);
        self.channel(node, path, input, output);
    }

    /// Adds the track of a joint of motion for avatars. Tracks other than the hips' translation and the bones' rotations are skipped,
    /// because programs refuse files that have them.
    fn push_bone(&mut self, avatar: &Humanoid, node: usize, track: &LocalTrack) {
        if node == avatar.hips {
            self.push(node, "translation", &track.translations);
        }
        if avatar.nodes().any(|bone| bone == node) {
            self.push(node, "rotation", &track.rotations);
        }
    }

    /// Adds values beside the pose, given at every key.
    fn push_shapes<'k>(&mut self, shapes: &NodeShapes, keys: impl Iterator<Item = &'k [f64]>) {
        let values = match shapes.property {
            Beside::Shapes => self.data.push(keys.flatten().map(|&weight| [weight as f32])),
            Beside::Scale => self
                .data
                .push(keys.map(|scale| DVec3::from_slice(scale).as_vec3().to_array())),
            Beside::Expression => self.data.push(keys.map(|weight| [weight[0] as f32, 0.0, 0.0])),
            Beside::Gaze => self
                .data
                .push(keys.map(|turn| single_precision(DQuat::from_slice(turn).normalize()))),
        };
        self.channel(shapes.node, shapes.property.path(), self.input, values);
    }

    /// Adds a channel and its sampler: `input` is the accessor of its times, `output` that of its values.
    fn channel(&mut self, node: usize, path: &str, input: usize, output: usize) {
        self.channels
            .push(json!({"sampler": self.samplers.len(), "target": {"node": node, "path": path}}));
        self.samplers
            .push(json!({"input": input, "interpolation": self.interpolation, "output": output}));
    }
}

impl<'a> Writer<'a> {
    /// Prepares the target. Errors: the skeleton differs from the source's.
    fn new(document: &'a mut Document, source: &'a GltfSource, motion: &KeyedMotion) -> Result<Self, WriteError> {
        motion.check_num_joints(source.joints.len())?;
        let parents = motion.own_parents();
        let mut joints = source.joints.clone();
        if joints[0].node.is_none() {
            let tops = joints.iter().zip(&parents).filter(|(_, parent)| **parent == Some(0));
            let tops: Vec<usize> = tops.filter_map(|(joint, _)| joint.node).collect();
            joints[0].node = Some(edit::insert_above(&mut document.json, &tops, "scene"));
        }
        // The file has been read before, so it is valid.
        let nodes = Nodes::read(document).map_err(|_| WriteError::Parent { joint: 0 })?;
        let avatar = Humanoid::of(document, nodes.nodes.len()).ok().flatten();
        let avatar = avatar.filter(|avatar| avatar.is_motion);
        for joint in 1..joints.len() {
            let above = joints[joint].node.map(|node| {
                let is_new = |&node: &usize| {
                    edit::is_added_root(&document.json, node) && !joints.iter().any(|joint| joint.node == Some(node))
                };
                // Another loop, with other joints, may have inserted a root between these since the file was read.
                match nodes.parents[node].filter(is_new) {
                    Some(root) => nodes.parents[root],
                    None => nodes.parents[node],
                }
            });
            if above != parents[joint].map(|parent| joints[parent].node) {
                return Err(WriteError::Parent { joint });
            }
        }
        Ok(Self {
            source,
            document,
            nodes,
            joints,
            parents,
            avatar,
        })
    }

    /// Inserts a root above the first joint, or reuses the one added for an earlier loop.
    fn add_root(&mut self) -> Result<(), WriteError> {
        let first = self.joints[0].node.unwrap_or(0);
        let above = self.nodes.parents[first];
        let earlier = above.filter(|&node| {
            edit::is_added_root(&self.document.json, node) && self.nodes.transforms[node] == Transform::IDENTITY
        });
        let node = match earlier {
            Some(node) => node,
            None => {
                let name = root_name(|name| {
                    let mut names = self.nodes.nodes.iter().filter_map(|node| node.name.as_deref());
                    names.any(|taken| taken.eq_ignore_ascii_case(name))
                });
                let node = edit::insert_above(&mut self.document.json, &[first], &name);
                edit::mark_root(&mut self.document.json, node);
                self.nodes = Nodes::read(self.document).map_err(|_| WriteError::Parent { joint: 0 })?;
                node
            }
        };
        let root = GltfJoint {
            node: Some(node),
            scale: DVec3::ONE,
        };
        self.joints.insert(0, root);
        let below = self.parents.iter().map(|parent| parent.map_or(0, |parent| parent + 1));
        self.parents = [None].into_iter().chain(below.map(Some)).collect();
        Ok(())
    }

    /// Adds the animation of joints and shapes, or replaces the one of that name.
    fn animate(&mut self, motion: &KeyedMotion, name: &str, animations: &mut Animations) -> Result<(), WriteError> {
        motion.check_size(MAX_TRANSFORMS)?;
        let num_keys = motion.num_keys;
        // The values beside the pose, with their numbers at all keys.
        let beside = self.source.shapes.iter();
        let beside: Vec<(&NodeShapes, Vec<f64>)> = beside
            .filter_map(|shapes| Some((shapes, motion.beside(&shapes.weights)?)))
            .collect();
        let tracks = self.tracks(motion, &beside)?;
        let times: Vec<f32> = (0..num_keys).map(|key| motion.secs(key) as f32).collect();
        let mut data = edit::Data::new(self.document, self.source.is_binary);
        let mut out = Tracks {
            input: data.push_times(&times),
            data,
            interpolation: match motion.interpolation {
                KeyInterpolation::Linear => "LINEAR",
                KeyInterpolation::Step => "STEP",
            },
            is_short_allowed: self.source.has_short_tracks && num_keys > 1,
            // A completely still body keeps all keys of one track, so that the animation keeps its length.
            needs_long: !tracks.iter().any(LocalTrack::changes),
            short_input: None,
            samplers: Vec::new(),
            channels: Vec::new(),
        };
        let scaled = beside.iter().filter(|(shapes, _)| shapes.property == Beside::Scale);
        let scaled: HashSet<usize> = scaled.map(|(shapes, _)| shapes.node).collect();
        for (joint, track) in self.joints.iter().zip(&tracks) {
            let Some(node) = joint.node else { continue };
            if let Some(avatar) = &self.avatar {
                out.push_bone(avatar, node, track);
                continue;
            }
            // Programs that play several animations, such as Blender, leave a node without a track where the previous animation
            // put it.
            if track.moves {
                out.push(node, "translation", &track.translations);
            } else if animations.move_elsewhere(node, "translation", name) {
                out.push_one(node, "translation", track.translations[0]);
            }
            out.push(node, "rotation", &track.rotations);
            if scaled.contains(&node) {
                continue;
            }
            let off = (joint.scale - self.nodes.transforms[node].scale).abs().max_element();
            let scale = joint.scale.as_vec3().to_array();
            if off > SCALE_TOLERANCE {
                out.push(node, "scale", &vec![scale; num_keys]);
            } else if animations.move_elsewhere(node, "scale", name) {
                out.push_one(node, "scale", scale);
            }
        }
        for (shapes, weights) in &beside {
            out.push_shapes(shapes, weights.chunks_exact(shapes.weights.width));
        }
        let (channels, samplers) = (out.channels, out.samplers);
        out.data.finish();
        for joint in &self.joints {
            if let Some(node) = joint.node {
                edit::part_transform(&mut self.document.json, node, &self.nodes.transforms[node]);
            }
        }
        animations.set(
            self.document,
            name,
            json!({"name": name, "channels": channels, "samplers": samplers}),
        );
        Ok(())
    }

    /// Returns the transforms of all nodes at all keys.
    fn tracks(&self, motion: &KeyedMotion, beside: &[(&NodeShapes, Vec<f64>)]) -> Result<Vec<LocalTrack>, WriteError> {
        let num_keys = motion.num_keys;
        let rests = self.joints.iter().map(|joint| match joint.node {
            Some(node) => self.nodes.transforms[node].translation,
            None => DVec3::ZERO,
        });
        let rests: Vec<DVec3> = rests.collect();
        let mut tracks = vec![LocalTrack::default(); self.joints.len()];
        let mut before: Vec<Option<DQuat>> = vec![None; self.joints.len()];
        let mut scales: Vec<DVec3> = self.joints.iter().map(|joint| joint.scale).collect();
        let joints = self.joints.iter().enumerate();
        let joint_of: HashMap<usize, usize> = joints.filter_map(|(joint, own)| Some((own.node?, joint))).collect();
        let scaled = beside.iter().filter(|(shapes, _)| shapes.property == Beside::Scale);
        let scaled: Vec<(usize, &Vec<f64>)> = scaled
            .filter_map(|(shapes, numbers)| Some((*joint_of.get(&shapes.node)?, numbers)))
            .collect();
        for key in 0..num_keys {
            for &(joint, numbers) in &scaled {
                scales[joint] = DVec3::from_slice(&numbers[3 * key..]);
            }
            let locals = self.locals(motion.pose(key).as_ref(), &scales);
            for (joint, (translation, turn)) in locals.into_iter().enumerate() {
                let translation = translation.unwrap_or(rests[joint]);
                if !(is_plausible(translation) && turn.is_finite()) {
                    return Err(WriteError::OutOfRange { key, joint });
                }
                let turn = before[joint].map_or(turn, |before| rotation::on_side_of(turn, before));
                before[joint] = Some(turn);
                let track = &mut tracks[joint];
                let off = (translation - rests[joint]).length() * self.source.space.unit_metres;
                track.moves |= off > REST_TOLERANCE_METRES;
                track.translations.push(translation.as_vec3().to_array());
                track.rotations.push(single_precision(turn));
            }
        }
        Ok(tracks)
    }

    /// Translations and rotations of all nodes for one pose of the take and these scales of them; `None` for a translation that is undetermined.
    fn locals(&self, pose: PoseRef, scales: &[DVec3]) -> Vec<(Option<DVec3>, DQuat)> {
        let Self { source, .. } = self;
        let space = &source.space;
        let above = &source.above;
        let turn = space.turn();
        let mut node_scales = Vec::with_capacity(self.joints.len());
        let mut locals = Vec::with_capacity(self.joints.len());
        for (joint, &scale) in scales.iter().enumerate() {
            let node_scale = self.parents[joint].map_or(above.node_scale, |parent| node_scales[parent]);
            let (translation, rotation) = (pose.translations[joint], pose.rotations[joint]);
            let (translation, rotation) = if joint == 0 {
                // Whatever is above it, the first joint keeps its world transform: an added root is under the body, facing
                // ahead.
                let translation = space.turned_back(translation) / space.unit_metres;
                let translation = above.turn.conjugate() * (translation - above.translation);
                let rotation = above.turn.conjugate() * turn.conjugate() * rotation;
                (above.node_scale.undo(translation), rotation)
            } else {
                (node_scale.undo(translation / space.unit_metres), rotation)
            };
            let rotation = rotation.normalize();
            node_scales.push(node_scale.below(rotation, scale));
            locals.push((translation, rotation));
        }
        locals
    }
}

/// Converts a unit rotation to single precision, as written.
///
/// The squares are added in the same order everywhere; glam's single precision adds them in the order that is fastest on each
/// processor.
fn single_precision(rotation: DQuat) -> [f32; 4] {
    let [x, y, z, w] = rotation.as_quat().to_array();
    let length = ((x * x + z * z) + (y * y + w * w)).sqrt();
    [x / length, y / length, z / length, w / length]
}

/// Most bytes of buffers in a file: a binary file stores its size in 32 bits.
const MAX_BYTES: u64 = 3 << 30;

/// Returns the file as bytes.
fn finish(document: &Document, is_binary: bool, name: &str) -> Result<WrittenFile, WriteError> {
    let outside = edit::outside_files(document);
    let size = document.num_buffer_bytes() as u64;
    if size > MAX_BYTES {
        return Err(WriteError::TooLarge {
            bytes: size,
            limit: MAX_BYTES,
        });
    }
    let mut warnings = Vec::new();
    if let Some(first) = outside.first() {
        warnings.push(FileWarning::OutsideFiles {
            first: crate::excerpt::excerpt(first),
            count: outside.len(),
        });
    }
    let unfit = edit::unfit_animations(document);
    if !unfit.is_empty() {
        warnings.push(FileWarning::UnfitAnimations { names: unfit });
    }
    Ok(WrittenFile {
        bytes: if is_binary {
            document.to_glb()
        } else {
            document.to_gltf()
        },
        animation: Some(name.to_owned()),
        warnings,
    })
}
