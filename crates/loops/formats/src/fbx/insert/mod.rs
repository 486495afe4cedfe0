//! Writes motion into its source file: everything is kept, and an animation is added.
//!
//! Kept records are written byte for byte; only offsets, the counts of objects and the growing lists change. The added animation
//! has keys for the joints and, in a loop of the file's own take, for shapes: nodes that the file's other animations move keep
//! their value without animation.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use glam::DQuat;
use loopwright_core::Take;

use super::{
    animation::{self, NewAnimation, Property, Track},
    form::{ChannelShapes, FbxFile, NodeForm},
    keys::{Keys, angles, leaves},
    record,
    scene::World,
    source::FbxSource,
};
use crate::{
    error::WriteError,
    keyed_motion::KeyedMotion,
    limits::is_plausible,
    naming::{LOOP_SUFFIX, added_root_name},
    warning::FileWarning,
    written::WrittenFile,
};

mod added_root;
mod document;

use added_root::add_root_node;
use document::{add_animation, first_free_id, free_name, moved_objects, remove_animations, state_rate, state_unit};

/// Writes motion as another animation into the file that its skeleton was read from.
///
/// With an added root a new node is inserted between the skeleton and its parent. At rest it coincides with that parent, so that
/// the file's other animations and its skins are unchanged. Errors: [`WriteError`], if the skeleton differs or a value is out of
/// range.
pub(super) fn insert(motion: &KeyedMotion, source: &FbxSource, file: &FbxFile) -> Result<WrittenFile, WriteError> {
    let mut extension = Extension::new(source, file)?;
    let name = extension.add(motion, source, file)?;
    extension.finish(Some(name))
}

/// Returns the file as read, with a new root joint above its joints and another stated unit if requested.
pub(super) fn kept(source: &FbxSource, file: &FbxFile, take: &Take, add_root: bool) -> Result<WrittenFile, WriteError> {
    let animation = Some(source.animation.clone());
    if !add_root && source.unit_to_state().is_none() {
        return Ok(WrittenFile {
            bytes: file.bytes.to_vec(),
            animation,
            ..WrittenFile::default()
        });
    }
    let mut extension = Extension::new(source, file)?;
    if add_root {
        let id = first_free_id(&extension.document)?;
        add_root_node(&mut extension.document, &added_root_name(take.skeleton()), file, id)?;
    }
    Ok(WrittenFile {
        animation,
        ..extension.finish(None)?
    })
}

/// Returns the file without the animations of these names.
pub(super) fn without_animations(file: &FbxFile, is_gone: impl Fn(&[u8]) -> bool) -> Result<FbxFile, WriteError> {
    let mut document = record::parse(&file.bytes)?;
    remove_animations(&mut document, is_gone)?;
    Ok(FbxFile {
        bytes: record::write(document)?.into(),
        ..file.clone()
    })
}

/// A copy of a file to which animations are added.
pub(super) struct Extension<'a> {
    document: record::Document<'a>,
    /// The unit that the file is to state.
    unit_metres: Option<f64>,
    /// Roots added so far, by the first joint below each.
    roots: HashMap<i64, NodeForm>,
}

impl<'a> Extension<'a> {
    /// Creates a copy without further animations yet. Errors: the file is malformed.
    pub(super) fn new(source: &FbxSource, file: &'a FbxFile) -> Result<Self, WriteError> {
        let mut document = record::parse(&file.bytes)?;
        let unit_metres = source.unit_to_state();
        if let Some(metres) = unit_metres {
            state_unit(&mut document, metres)?;
        }
        Ok(Self {
            document,
            unit_metres,
            roots: HashMap::new(),
        })
    }

    /// Adds an animation of joints that were read with this form and returns its name.
    pub(super) fn add(
        &mut self,
        motion: &KeyedMotion,
        source: &FbxSource,
        file: &FbxFile,
    ) -> Result<String, WriteError> {
        let keys = Keys::new(motion)?;
        motion.check_parents(&file.parents)?;
        let mut next_id = first_free_id(&self.document)?;
        let mut nodes = Cow::Borrowed(&file.nodes);
        if motion.adds_root {
            let first = file.nodes.first().map_or(0, |node| node.id);
            let root = match self.roots.get(&first) {
                Some(root) => root.clone(),
                None => {
                    let name = &keys.skeleton.joint(0).name;
                    let root = add_root_node(&mut self.document, name, file, next_id)?;
                    next_id += 2;
                    self.roots.insert(first, root.clone());
                    root
                }
            };
            nodes.to_mut().insert(0, root);
        }
        let times = keys.ticks(file.ticks_per_sec);
        let moved = moved_objects(&mut self.document)?;
        let name = free_name(&self.document, &motion.animation_name());
        let values = property_values(&keys, &nodes, source, file)?;
        let held = file.held.iter().map(|&(node, property, value)| Track {
            node,
            property,
            values: vec![value; keys.num_keys],
        });
        let mut tracks: Vec<Track> = held.collect();
        add_tracks(&mut tracks, &nodes, values, &moved);
        add_shapes(&mut tracks, motion, &file.shapes);
        let animation = NewAnimation {
            name: &name,
            times: &times,
            has_short_tracks: source.has_short_tracks,
            interpolation: motion.interpolation,
            tracks,
        };
        add_animation(&mut self.document, animation.records(next_id))?;
        // Importers resample at the rate that the file states.
        state_rate(&mut self.document, keys.rate_hz())?;
        Ok(name)
    }

    /// Returns the file; `animation` is the one that it is written for.
    pub(super) fn finish(self, animation: Option<String>) -> Result<WrittenFile, WriteError> {
        // A loop is distinguished from other animations by its name and its loop file; a take is not.
        let added = animation.clone().filter(|name| !name.ends_with(LOOP_SUFFIX));
        let added = added.map(|name| FileWarning::AnimationAdded { name });
        let unit = self
            .unit_metres
            .map(|unit_metres| FileWarning::UnitStated { unit_metres });
        Ok(WrittenFile {
            bytes: record::write(self.document)?,
            animation,
            warnings: added.into_iter().chain(unit).collect(),
        })
    }
}

/// Translations of nodes at all keys, as their properties state them, and the rotations of their properties.
type PropertyValues = Vec<(Vec<[f64; 3]>, Vec<DQuat>)>;

/// Computes the properties of all nodes, key by key. Errors: a value is out of range.
fn property_values(
    keys: &Keys,
    nodes: &[NodeForm],
    source: &FbxSource,
    file: &FbxFile,
) -> Result<PropertyValues, WriteError> {
    let num_joints = nodes.len();
    let mut values: PropertyValues = Vec::with_capacity(num_joints);
    values.resize_with(num_joints, || {
        (Vec::with_capacity(keys.num_keys), Vec::with_capacity(keys.num_keys))
    });
    let file_from_world = source.turn.conjugate();
    let mut worlds = Vec::with_capacity(num_joints);
    for key in 0..keys.num_keys {
        worlds.clear();
        for (joint, node) in nodes.iter().enumerate() {
            let index = key * num_joints + joint;
            let offset = keys.translations[index] / source.space.unit_metres;
            let rotation = keys.rotations[index];
            let (parent, position, local) = match keys.skeleton.parent(joint) {
                Some(parent) => {
                    let parent: &World = &worlds[parent];
                    (parent, parent.position() + parent.rotation * offset, rotation)
                }
                None => (
                    &file.above,
                    file_from_world * offset,
                    file.above.rotation.conjugate() * file_from_world * rotation,
                ),
            };
            let (local_translation, world) = node.placed(parent, position, local);
            let translation = node.property_translation(local_translation, local);
            if !is_plausible(translation) {
                return Err(WriteError::OutOfRange { key, joint });
            }
            values[joint].0.push(translation.to_array());
            values[joint].1.push(node.property_rotation(local));
            worlds.push(world);
        }
    }
    Ok(values)
}

/// Adds the properties of all nodes whose values differ from rest, or that another animation moves.
fn add_tracks(tracks: &mut Vec<Track>, nodes: &[NodeForm], values: PropertyValues, moved: &HashSet<i64>) {
    for (joint, (node, (translations, turns))) in nodes.iter().zip(values).enumerate() {
        let turns = angles(&node.axes, turns.into_iter());
        // Programs that play several animations, such as Blender, leave a node without curves where the previous animation put
        // it.
        let is_moved = moved.contains(&node.id);
        if joint == 0 || is_moved || leaves(&translations, node.translation) || leaves(&turns, node.rotation) {
            tracks.extend(animation::transform_tracks(node.id, translations, turns));
        }
    }
}

/// Adds the shapes that were read with the motion, or looped along with it.
fn add_shapes(tracks: &mut Vec<Track>, motion: &KeyedMotion, shapes: &ChannelShapes) {
    let Some(percents) = motion.beside(&shapes.percents) else {
        return;
    };
    for (index, &channel) in shapes.channels.iter().enumerate() {
        let percents = percents.iter().skip(index).step_by(shapes.percents.width);
        tracks.push(Track {
            node: channel,
            property: Property::DeformPercent,
            values: percents.map(|&percent| [percent, 0.0, 0.0]).collect(),
        });
    }
}

#[cfg(test)]
mod tests;
