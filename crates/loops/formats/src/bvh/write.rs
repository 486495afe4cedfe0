//! Writes takes and loops as the text of a BVH file, in the form of the source.
//!
//! Positions have six decimals and angles seven, so that a take written and read again agrees within a millionth of its unit and
//! of a degree. Angles are continuous from key to key (see [`crate::euler`]). Minus zero is never written.

use core::fmt::Write as _;

use glam::DVec3;

use super::{
    BvhJoint, Hierarchy,
    channel::{Channel, ChannelKind},
    rows::Rows,
    source::BvhSource,
    warning::BvhWarning,
};
use crate::{
    error::WriteError,
    excerpt::excerpt,
    keyed_motion::{KeyedMotion, KeyedPoses},
    limits::{MAX_DEPTH, MAX_VALUE},
    naming::root_name,
    settings::KeyInterpolation,
    space::{Axis, Space, Up},
    warning::FileWarning,
    written::WrittenFile,
};

/// Writes motion as the text of a file: an added root has OFFSET zero and six channels.
pub(super) fn write(motion: &KeyedMotion, source: &BvhSource) -> Result<WrittenFile, WriteError> {
    if motion.interpolation == KeyInterpolation::Step {
        return Err(WriteError::NoSteps);
    }
    let joints = source.hierarchy.joints();
    motion.check_parents(&joints.iter().map(|joint| joint.parent).collect::<Vec<_>>())?;
    motion.check_size(MAX_TRANSFORMS)?;
    Writer {
        hierarchy: if motion.adds_root {
            with_root(&source.hierarchy)
        } else {
            source.hierarchy.clone()
        },
        motion,
        space: &source.space,
        frame_time: frame_time_text(source, motion.step_secs),
    }
    .write()
}

/// Frame times that differ by less are equal, in seconds.
const SAME_FRAME_TIME: f64 = 1e-9;

fn frame_time_text(source: &BvhSource, secs: f64) -> String {
    match &source.frame_time.text {
        Some(text) if (secs - source.frame_time.secs).abs() < SAME_FRAME_TIME => text.clone(),
        // The shortest digits that give the same number when read.
        _ => secs.to_string(),
    }
}

fn with_root(hierarchy: &Hierarchy) -> Hierarchy {
    let name = root_name(|name| {
        hierarchy
            .joints()
            .iter()
            .any(|joint| joint.name.eq_ignore_ascii_case(name))
    });
    let old_root = &hierarchy.joints()[0];
    let axes = <[Axis; 3]>::try_from(old_root.axes_of(ChannelKind::Rotation));
    let axes = axes.unwrap_or([Axis::Z, Axis::X, Axis::Y]);
    let root = BvhJoint {
        name,
        parent: None,
        offset: DVec3::ZERO,
        channels: Axis::ALL
            .map(Channel::position)
            .into_iter()
            .chain(axes.map(Channel::rotation))
            .collect(),
        end_sites: Vec::new(),
    };
    let below = hierarchy.joints().iter().cloned().map(|joint| BvhJoint {
        parent: Some(joint.parent.map_or(0, |parent| parent + 1)),
        ..joint
    });
    Hierarchy {
        joints: core::iter::once(root).chain(below).collect(),
    }
}

/// Most transforms in one file: some gigabytes of text.
const MAX_TRANSFORMS: usize = 1 << 28;

/// A joint may differ from its OFFSET by this much without position channels, in the file's unit.
const OFFSET_TOLERANCE: f64 = 1e-6;

/// A larger rotation error from too few channels is reported, in degrees.
const PROJECTION_TOLERANCE: f64 = 1e-4;

struct Writer<'a> {
    hierarchy: Hierarchy,
    motion: &'a KeyedMotion<'a>,
    space: &'a Space,
    frame_time: String,
}

impl Writer<'_> {
    fn write(mut self) -> Result<WrittenFile, WriteError> {
        let mut warnings = Vec::new();
        self.add_position_channels(&mut warnings)?;
        let order = file_order(&self.hierarchy);
        let mut text = String::new();
        self.write_hierarchy(&order, &mut text)?;
        // Writing into a string does not fail.
        let _ = write!(
            text,
            "MOTION\nFrames: {}\nFrame Time: {}\n",
            self.motion.num_keys, self.frame_time
        );
        let mut bytes = text.into_bytes();
        self.write_motion(&order, &mut bytes, &mut warnings)?;
        Ok(WrittenFile {
            bytes,
            animation: None,
            warnings,
        })
    }

    /// Returns the local transforms of all joints at a key, in metres, with the file's axes.
    fn pose(&self, key: usize) -> KeyedPoses<'_> {
        let KeyedPoses {
            mut translations,
            mut rotations,
        } = self.motion.pose(key);
        let (space, turn) = (self.space, self.space.turn());
        let own_root = usize::from(self.motion.adds_root);
        if self.motion.adds_root {
            // Both sides use the file's axes, so that a root at rest has no rotation in the file either.
            translations.to_mut()[0] = space.turned_back(translations[0]);
            rotations.to_mut()[0] = turn.conjugate() * rotations[0] * turn;
        }
        if space.up != Up::Y {
            translations.to_mut()[own_root] = space.turned_back(translations[own_root]);
            rotations.to_mut()[own_root] = turn.conjugate() * rotations[own_root];
        }
        KeyedPoses {
            translations,
            rotations,
        }
    }

    /// Gives position channels to joints that need them and checks that every position can be written.
    fn add_position_channels(&mut self, warnings: &mut Vec<FileWarning>) -> Result<(), WriteError> {
        let unit_metres = self.space.unit_metres;
        let joints = self.hierarchy.joints();
        let offsets: Vec<DVec3> = joints.iter().map(|joint| joint.offset * unit_metres).collect();
        let mut farthest = vec![DVec3::ZERO; joints.len()];
        let limit = DVec3::splat(MAX_VALUE * unit_metres);
        for key in 0..self.motion.num_keys {
            let translations = self.pose(key).translations;
            for (joint, (translation, farthest)) in translations.iter().zip(&mut farthest).enumerate() {
                // False for NaN, too.
                if !translation.abs().cmple(limit).all() {
                    return Err(WriteError::OutOfRange { key, joint });
                }
                *farthest = farthest.max((*translation - offsets[joint]).abs());
            }
        }
        for (joint, farthest) in self.hierarchy.joints.iter_mut().zip(farthest) {
            let present = joint.axes_of(ChannelKind::Position);
            let missing: Vec<Axis> = Axis::ALL.into_iter().filter(|axis| !present.contains(axis)).collect();
            let distance = missing.iter().map(|axis| farthest[axis.index()]).fold(0.0, f64::max) / unit_metres;
            if distance > OFFSET_TOLERANCE {
                joint.channels.splice(0..0, missing.into_iter().map(Channel::position));
                let joint = excerpt(&joint.name);
                warnings.push(BvhWarning::PositionChannelsAdded { joint, distance }.into());
            }
        }
        Ok(())
    }

    fn write_hierarchy(&self, order: &[usize], text: &mut String) -> Result<(), WriteError> {
        let joints = self.hierarchy.joints();
        text.push_str("HIERARCHY\n");
        let mut depths = vec![0_usize; joints.len()];
        let mut num_open = 0;
        for &index in order {
            let joint = &joints[index];
            let depth = joint.parent.map_or(0, |parent| depths[parent] + 1);
            if depth >= MAX_DEPTH {
                return Err(WriteError::TooDeep { limit: MAX_DEPTH });
            }
            depths[index] = depth;
            close_braces(&mut num_open, depth, text);
            let tabs = "\t".repeat(depth);
            let keyword = if joint.parent.is_none() { "ROOT" } else { "JOINT" };
            let _ = write!(
                text,
                "{tabs}{keyword} {}\n{tabs}{{\n{tabs}\tOFFSET",
                written_name(&joint.name, index)
            );
            push_vector(joint.offset, text);
            let _ = write!(text, "\n{tabs}\tCHANNELS {}", joint.channels.len());
            for channel in &joint.channels {
                let _ = write!(text, " {channel}");
            }
            text.push('\n');
            for end_site in &joint.end_sites {
                let _ = write!(text, "{tabs}\tEnd Site\n{tabs}\t{{\n{tabs}\t\tOFFSET");
                push_vector(*end_site, text);
                let _ = write!(text, "\n{tabs}\t}}\n");
            }
            num_open = depth + 1;
        }
        close_braces(&mut num_open, 0, text);
        Ok(())
    }

    fn write_motion(
        &self,
        order: &[usize],
        text: &mut Vec<u8>,
        warnings: &mut Vec<FileWarning>,
    ) -> Result<(), WriteError> {
        let joints = self.hierarchy.joints();
        let mut rows = Rows::new(joints, order, self.motion.cycle, self.motion.num_keys);
        for key in 0..self.motion.num_keys {
            let pose = self.pose(key);
            if let Some(joint) = pose.rotations.iter().position(|rotation| !rotation.is_finite()) {
                return Err(WriteError::OutOfRange { key, joint });
            }
            let line = rows.next(&pose.translations, &pose.rotations, self.space.unit_metres);
            if key == 0 {
                // Rows have about the length of the first.
                text.reserve((line.len() + line.len() / 8).saturating_mul(self.motion.num_keys));
            }
            text.extend_from_slice(line);
        }
        for (joint, degrees) in rows
            .errors
            .into_iter()
            .enumerate()
            .filter(|(_, degrees)| *degrees > PROJECTION_TOLERANCE)
        {
            let joint = excerpt(&joints[joint].name);
            warnings.push(BvhWarning::RotationProjected { joint, degrees }.into());
        }
        Ok(())
    }
}

/// Returns the joints in the order in which a file lists them: each right after its parent's earlier branches.
fn file_order(hierarchy: &Hierarchy) -> Vec<usize> {
    let joints = hierarchy.joints();
    let mut children = vec![Vec::new(); joints.len()];
    for (index, joint) in joints.iter().enumerate() {
        if let Some(parent) = joint.parent {
            children[parent].push(index);
        }
    }
    let mut order = Vec::with_capacity(joints.len());
    let mut next = vec![0];
    while let Some(joint) = next.pop() {
        order.push(joint);
        next.extend(children[joint].iter().rev());
    }
    order
}

/// Closes the innermost joints until `depth` of them are open.
fn close_braces(num_open: &mut usize, depth: usize, text: &mut String) {
    while *num_open > depth {
        *num_open -= 1;
        text.push_str(&"\t".repeat(*num_open));
        text.push_str("}\n");
    }
}

/// Returns a name that can be read back: one line, no brace, not empty.
fn written_name(name: &str, index: usize) -> String {
    let fit = name.replace(|letter: char| letter.is_control() || matches!(letter, '{' | '}'), "_");
    match fit.trim() {
        "" => format!("joint{index}"),
        fit => fit.to_owned(),
    }
}

/// Writes three numbers in the shortest digits that give the same numbers when read, each after a blank.
fn push_vector(v: DVec3, text: &mut String) {
    for value in v.to_array() {
        // Adding zero turns minus zero into zero.
        let _ = write!(text, " {}", value + 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_have_no_minus_zero() {
        let mut offset = String::new();
        push_vector(DVec3::new(-0.0, 1e-7, -9.5), &mut offset);
        assert_eq!(offset, " 0 0.0000001 -9.5");
    }

    #[test]
    fn names_are_made_fit() {
        assert_eq!(written_name("Left Up Leg", 3), "Left Up Leg");
        assert_eq!(written_name("a{b\n", 3), "a_b_");
        assert_eq!(written_name("  ", 3), "joint3");
    }
}
