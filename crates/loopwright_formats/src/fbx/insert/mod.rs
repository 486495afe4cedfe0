//! Motion written into its source file: everything is kept, an animation is added.
//!
//! Kept records are written byte for byte; only offsets, the counts of objects and the growing lists change. The added animation
//! has keys for the joints only: nodes that the file's other animations move keep their value without animation.
//! where nothing is animated.

use std::{borrow::Cow, collections::HashMap};

use glam::DQuat;
use loopwright::Take;

use super::{
    animation::{self, Track},
    form::{FbxFile, NodeForm},
    keys::{Keys, angles, leaves},
    name::Name,
    record,
    scene::World,
    source::FbxSource,
};
use crate::{
    error::WriteError,
    limits::MAX_VALUE,
    naming::{LOOP_SUFFIX, added_root_name},
    warning::Warning,
    written::{AddedLoops, Written},
};

mod added_root;

mod document;

use added_root::add_root_node;
use document::{add_animation, first_free_id, free_name, remove_animation, state_unit};

/// Writes keys as another animation into the file that their skeleton was read from.
///
/// With an added root a new node is inserted between the skeleton and its parent. At rest it coincides with that parent, so that
/// the file's other animations and its skins are unchanged. Errors: [`WriteError`], if the skeleton differs or a value is out of
/// range.
pub(super) fn insert(
    name: &Name,
    keys: &Keys<'_>,
    add_root: bool,
    source: &FbxSource,
    file: &FbxFile,
) -> Result<Written, WriteError> {
    let mut document = record::parse(&file.bytes)?;
    if let Some(metres) = source.unit_to_state() {
        state_unit(&mut document, metres)?;
    }
    let name = add(
        &mut document,
        name,
        keys,
        add_root,
        (source, file),
        &mut AddedRoots::new(),
    )?;
    Ok(Written {
        bytes: record::write(document)?,
        // A loop is distinguished from other animations by its name and its loop file; a take is not.
        warnings: (!name.ends_with(LOOP_SUFFIX))
            .then(|| Warning::AnimationAdded { name: name.clone() })
            .into_iter()
            .chain(unit_warning(source))
            .collect(),
        animation: Some(name),
    })
}

/// What to say where the file states another unit from now on.
pub(super) fn unit_warning(source: &FbxSource) -> Option<Warning> {
    let unit_metres = source.unit_to_state()?;
    Some(Warning::UnitStated { unit_metres })
}

/// The file as it was read, with a new root joint above its joints and another stated unit where these are asked for.
pub(super) fn kept(source: &FbxSource, file: &FbxFile, take: &Take, add_root: bool) -> Result<Written, WriteError> {
    let unit = source.unit_to_state();
    let bytes = if add_root || unit.is_some() {
        let mut document = record::parse(&file.bytes)?;
        if let Some(metres) = unit {
            state_unit(&mut document, metres)?;
        }
        if add_root {
            let id = first_free_id(&document)?;
            add_root_node(&mut document, &added_root_name(take.skeleton()), file, id)?;
        }
        record::write(document)?
    } else {
        file.bytes.to_vec()
    };
    Ok(Written {
        bytes,
        animation: Some(source.animation.clone()),
        warnings: unit_warning(source).into_iter().collect(),
    })
}

/// The same file without one of its animations.
pub(super) fn without_animation(file: &FbxFile, name: &str) -> Result<FbxFile, WriteError> {
    let mut document = record::parse(&file.bytes)?;
    remove_animation(&mut document, name)?;
    Ok(FbxFile {
        bytes: record::write(document)?.into(),
        ..file.clone()
    })
}

/// A loop as keys, its name, whether a root is added for it, and its form in the file.
pub(super) type Insertion<'a> = (Name, Keys<'a>, bool, &'a FbxSource, &'a FbxFile);

/// Writes several loops into a copy of their file; for each, the name of its animation.
///
/// A loop that cannot be written is left out. Errors: the file is malformed or too large.
pub(super) fn insert_all(
    bytes: &[u8],
    loops: Vec<Result<Insertion<'_>, WriteError>>,
    unit_metres: Option<f64>,
) -> Result<(Vec<u8>, AddedLoops), WriteError> {
    let mut document = record::parse(bytes)?;
    if let Some(metres) = unit_metres {
        state_unit(&mut document, metres)?;
    }
    let mut roots = AddedRoots::new();
    let added = loops
        .into_iter()
        .map(|insertion| {
            let (name, keys, add_root, source, file) = insertion?;
            add(&mut document, &name, &keys, add_root, (source, file), &mut roots)
        })
        .collect();
    Ok((record::write(document)?, added))
}

/// Roots added so far, by the first joint below each.
type AddedRoots = HashMap<i64, NodeForm>;

/// Adds an animation to a document; returns its name.
fn add(
    document: &mut record::Document<'_>,
    name: &Name,
    keys: &Keys<'_>,
    add_root: bool,
    (source, file): (&FbxSource, &FbxFile),
    roots: &mut AddedRoots,
) -> Result<String, WriteError> {
    check_skeleton(keys, usize::from(add_root), file)?;
    let mut next_id = first_free_id(document)?;
    let mut nodes = Cow::Borrowed(&file.nodes);
    if add_root {
        let first = file.nodes.first().map_or(0, |node| node.id);
        let root = match roots.get(&first) {
            Some(root) => root.clone(),
            None => {
                let root = add_root_node(document, &keys.skeleton.joint(0).name, file, next_id)?;
                next_id += 2;
                roots.insert(first, root.clone());
                root
            }
        };
        nodes.to_mut().insert(0, root);
    }
    let times = animation::ticks(keys.num_keys, keys.step_secs, file.ticks_per_sec);
    let name = free_name(document, name);
    let mut animation = animation::Builder::new(&name, &times, source.has_short_tracks, next_id);
    add_tracks(&mut animation, keys, &nodes, source, file)?;
    add_animation(document, animation.finish(&name))?;
    Ok(name)
}

/// Whether the keys have the file's skeleton, below `num_added` additional joints.
fn check_skeleton(keys: &Keys<'_>, num_added: usize, file: &FbxFile) -> Result<(), WriteError> {
    let found = keys.skeleton.num_joints();
    let expected = file.parents.len() + num_added;
    if found != expected {
        return Err(WriteError::JointCount { expected, found });
    }
    let is_elsewhere = |joint: &usize| {
        let parent = keys.skeleton.parent(joint + num_added);
        parent.and_then(|parent| parent.checked_sub(num_added)) != file.parents[*joint]
    };
    match (0..file.parents.len()).find(is_elsewhere) {
        Some(joint) => Err(WriteError::Parent { joint }),
        None => Ok(()),
    }
}

/// Adds the properties of all nodes whose values differ from rest, key by key.
fn add_tracks(
    animation: &mut animation::Builder<'_>,
    keys: &Keys<'_>,
    nodes: &[NodeForm],
    source: &FbxSource,
    file: &FbxFile,
) -> Result<(), WriteError> {
    let num_joints = nodes.len();
    let mut translations = vec![Vec::with_capacity(keys.num_keys); num_joints];
    let mut turns = vec![Vec::with_capacity(keys.num_keys); num_joints];
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
            if !translation.is_finite() || translation.abs().max_element() > MAX_VALUE {
                return Err(WriteError::OutOfRange { key, joint });
            }
            translations[joint].push(translation.to_array());
            turns[joint].push(node.property_rotation(local));
            worlds.push(world);
        }
    }
    let held = file.held.iter().map(|&(node, property, value)| Track {
        node,
        property,
        values: vec![value; keys.num_keys],
    });
    for track in held {
        animation.add(track);
    }
    for (joint, node) in nodes.iter().enumerate() {
        let translations = core::mem::take(&mut translations[joint]);
        let turns: Vec<DQuat> = core::mem::take(&mut turns[joint]);
        let turns: Vec<[f64; 3]> = angles(&node.axes, turns.into_iter())
            .into_iter()
            .map(|angles| {
                let mut by_axis = [0.0; 3];
                for (axis, angle) in node.axes.iter().zip(angles) {
                    by_axis[axis.index()] = angle;
                }
                by_axis
            })
            .collect();
        if joint == 0 || leaves(&translations, node.translation) || leaves(&turns, node.rotation) {
            for track in animation::transform_tracks(node.id, translations, turns) {
                animation.add(track);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
