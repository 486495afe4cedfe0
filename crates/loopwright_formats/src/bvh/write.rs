//! From takes and loops to the text of a BVH file, in the form that the source had.
//!
//! Positions have six decimals and angles seven, so that a take written and read again agrees within a millionth of its
//! unit and of a degree. Angles run on from key to key (see [`euler`]). Minus zero is never written.

use core::fmt::Write as _;

use glam::{DQuat, DVec3};
use loopwright::{
    loop_clip::LoopClip,
    math::rotation,
    take::{Skeleton, Take},
};

use super::{BvhJoint, Channel, ChannelKind, Hierarchy, MAX_DEPTH, MAX_VALUE, euler, source::BvhSource};
use crate::{
    error::{WriteError, excerpt},
    space::{Axis, Space},
    warning::Warning,
    write::{LoopWriteSettings, Written, root_name},
};

/// [`crate::write_take`] for BVH.
pub(crate) fn write_take(take: &Take, source: &BvhSource) -> Result<Written, WriteError> {
    check_skeleton(take.skeleton(), source)?;
    let space = &source.space;
    let writer = Writer {
        hierarchy: source.hierarchy.clone(),
        num_keys: take.num_frames(),
        cycle: take.num_frames(),
        frame_time: frame_time_text(source, take.frame_time_secs()),
    };
    writer.write(|frame, pose| pose.set(space, take.translations(frame), take.rotations(frame)))
}

/// [`crate::write_loop`] for BVH: an added root has OFFSET zero and six channels.
pub(crate) fn write_loop(
    clip: &LoopClip,
    source: &BvhSource,
    settings: &LoopWriteSettings,
) -> Result<Written, WriteError> {
    check_skeleton(clip.skeleton(), source)?;
    let num_keys = settings.num_keys(clip)?;
    let space = &source.space;
    let hierarchy = if settings.add_root {
        with_root(&source.hierarchy)
    } else {
        source.hierarchy.clone()
    };
    let writer = Writer {
        hierarchy,
        num_keys,
        cycle: clip.num_samples(),
        frame_time: frame_time_text(source, clip.step_secs()),
    };
    if settings.add_root {
        writer.write(|key, pose| {
            let (translations, rotations) = clip.body_pose(key);
            pose.set(space, translations, rotations);
            let root = clip.root_pose(key);
            // In the file's axes on both sides, so that a root at rest is no rotation there either.
            let turn = space.turn();
            pose.translations
                .insert(0, space.turned_back(root.translation) / space.unit_metres);
            pose.rotations.insert(0, turn.conjugate() * root.rotation * turn);
        })
    } else {
        writer.write(|key, pose| {
            let (translations, rotations) = clip.folded_pose(key);
            pose.set(space, &translations, &rotations);
        })
    }
}

/// Local transforms of all joints in the file's axes and unit, one key after the other.
#[derive(Default)]
struct Pose {
    translations: Vec<DVec3>,
    rotations: Vec<DQuat>,
}

impl Pose {
    fn set(&mut self, space: &Space, translations: &[DVec3], rotations: &[DQuat]) {
        self.translations.clear();
        self.translations
            .extend(translations.iter().map(|translation| *translation / space.unit_metres));
        self.rotations.clear();
        self.rotations.extend_from_slice(rotations);
        self.translations[0] = space.turned_back(self.translations[0]);
        self.rotations[0] = space.turn().conjugate() * self.rotations[0];
    }
}

fn check_skeleton(skeleton: &Skeleton, source: &BvhSource) -> Result<(), WriteError> {
    let joints = source.hierarchy.joints();
    if joints.len() != skeleton.num_joints() {
        return Err(WriteError::JointCount {
            expected: joints.len(),
            found: skeleton.num_joints(),
        });
    }
    match (0..joints.len()).find(|&joint| joints[joint].parent != skeleton.parent(joint)) {
        Some(joint) => Err(WriteError::Parent { joint }),
        None => Ok(()),
    }
}

/// Two frame times are one when they differ by less, in seconds.
const SAME_FRAME_TIME: f64 = 1e-9;

fn frame_time_text(source: &BvhSource, secs: f64) -> String {
    match &source.frame_time.text {
        Some(text) if (secs - source.frame_time.secs).abs() < SAME_FRAME_TIME => text.clone(),
        // The shortest digits that read back as the same number.
        _ => secs.to_string(),
    }
}

/// The hierarchy below a new root.
fn with_root(hierarchy: &Hierarchy) -> Hierarchy {
    let is_taken = |name: &str| {
        hierarchy
            .joints()
            .iter()
            .any(|joint| joint.name.eq_ignore_ascii_case(name))
    };
    let name = root_name(is_taken);
    let old_root = &hierarchy.joints()[0];
    let axes = match old_root.rotation_axes()[..] {
        [first, second, third] => [first, second, third],
        _ => [Axis::Z, Axis::X, Axis::Y],
    };
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
    Hierarchy::new(core::iter::once(root).chain(below).collect())
}

/// Decimals of positions and of angles.
///
/// An error of half of the last decimal in each of three angles is one of a rotation by up to three halves of it.
const POSITION_DECIMALS: u32 = 6;
const ANGLE_DECIMALS: u32 = 7;

/// Whole and half turns in the last decimal of a degree.
const TURN: i64 = 360 * 10_i64.pow(ANGLE_DECIMALS);
const HALF_TURN: i64 = TURN / 2;

/// Most transforms in one file: some gigabytes of text.
const MAX_TRANSFORMS: usize = 1 << 28;

/// A joint may lie this far from its OFFSET without position channels, in the file's unit.
const OFFSET_TOLERANCE: f64 = 1e-6;

/// A rotation that too few channels miss by more than this is worth a word, in degrees.
const PROJECTION_TOLERANCE: f64 = 1e-4;

struct Writer {
    hierarchy: Hierarchy,
    num_keys: usize,
    /// Keys after which poses may repeat.
    cycle: usize,
    frame_time: String,
}

impl Writer {
    fn write(mut self, pose: impl Fn(usize, &mut Pose)) -> Result<Written, WriteError> {
        let joints = self.hierarchy.joints().len();
        if self.num_keys.saturating_mul(joints) > MAX_TRANSFORMS {
            return Err(WriteError::TooManyKeys {
                keys: self.num_keys,
                joints,
                limit: MAX_TRANSFORMS,
            });
        }
        let mut warnings = Vec::new();
        self.add_position_channels(&pose, &mut warnings)?;
        let order = file_order(&self.hierarchy);
        let mut text = String::new();
        self.write_hierarchy(&order, &mut text)?;
        // Writing into a string does not fail.
        let _ = write!(
            text,
            "MOTION\nFrames: {}\nFrame Time: {}\n",
            self.num_keys, self.frame_time
        );
        let mut bytes = text.into_bytes();
        self.write_motion(&order, &pose, &mut bytes, &mut warnings);
        Ok(Written {
            bytes,
            animation: None,
            warnings,
        })
    }

    /// Gives position channels to joints that need them and checks that every value can be written.
    fn add_position_channels(
        &mut self,
        set_pose: &impl Fn(usize, &mut Pose),
        warnings: &mut Vec<Warning>,
    ) -> Result<(), WriteError> {
        let joints = &mut self.hierarchy.joints;
        let mut farthest = vec![DVec3::ZERO; joints.len()];
        let mut pose = Pose::default();
        for key in 0..self.num_keys {
            set_pose(key, &mut pose);
            for (joint, translation) in pose.translations.iter().enumerate() {
                let in_range = translation.abs().max_element() <= MAX_VALUE && translation.is_finite();
                if !in_range || !pose.rotations[joint].is_finite() {
                    return Err(WriteError::OutOfRange { key, joint });
                }
                farthest[joint] = farthest[joint].max((*translation - joints[joint].offset).abs());
            }
        }
        for (joint, farthest) in joints.iter_mut().zip(farthest) {
            let present = joint.axes_of(ChannelKind::Position);
            let missing: Vec<Axis> = Axis::ALL.into_iter().filter(|axis| !present.contains(axis)).collect();
            let distance = missing.iter().map(|axis| farthest[axis.index()]).fold(0.0, f64::max);
            if distance > OFFSET_TOLERANCE {
                joint.channels.splice(0..0, missing.into_iter().map(Channel::position));
                let joint = excerpt(joint.name.as_bytes());
                warnings.push(Warning::PositionChannelsAdded { joint, distance });
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
        set_pose: &impl Fn(usize, &mut Pose),
        text: &mut Vec<u8>,
        warnings: &mut Vec<Warning>,
    ) {
        let joints = self.hierarchy.joints();
        let axes: Vec<Vec<Axis>> = joints.iter().map(BvhJoint::rotation_axes).collect();
        let columns = columns(joints, order);
        let mut row = vec![0; columns.len() * MAX_NUMBER + SPARE];
        let mut angles = vec![[0_i64; 3]; joints.len()];
        // What was written a cycle ago, for keys that come round again.
        let mut cycle: Vec<(DQuat, [i64; 3])> = Vec::new();
        let repeats = self.num_keys > self.cycle;
        let mut errors = vec![0.0_f64; joints.len()];
        let mut pose = Pose::default();
        for key in 0..self.num_keys {
            set_pose(key, &mut pose);
            let first_slot = (key % self.cycle) * joints.len();
            for joint in 0..joints.len() {
                let rotation = pose.rotations[joint];
                let slot = first_slot + joint;
                let written = cycle
                    .get(slot)
                    .filter(|(before, _)| *before == rotation)
                    .map(|(_, angles)| *angles);
                angles[joint] = written
                    .and_then(|written| written_again(&axes[joint], written, angles[joint]))
                    .unwrap_or_else(|| written_angles(&axes[joint], rotation, angles[joint]));
                if repeats {
                    if slot < cycle.len() {
                        cycle[slot] = (rotation, angles[joint]);
                    } else {
                        cycle.push((rotation, angles[joint]));
                    }
                }
                if axes[joint].len() < 3 {
                    let reached = euler::compose(&axes[joint], &angles[joint].map(radians));
                    errors[joint] = errors[joint].max(rotation::difference(reached, rotation).length().to_degrees());
                }
            }
            let mut length = 0;
            for column in &columns {
                let rest = &mut row[length..];
                let end = match *column {
                    Column::Position { joint, axis } => {
                        let value = in_last_decimal(pose.translations[joint][axis], POSITION_DECIMALS);
                        put_fixed::<POSITION_DECIMALS>(value, rest)
                    }
                    Column::Angle { joint, place } => put_fixed::<ANGLE_DECIMALS>(angles[joint][place], rest),
                    Column::Scale => put_whole(1, rest),
                };
                rest[end] = b' ';
                length += end + 1;
            }
            // In place of the last blank.
            let length = length.max(1);
            row[length - 1] = b'\n';
            if key == 0 {
                // Rows are about as long as the first.
                text.reserve((length + length / 8).saturating_mul(self.num_keys));
            }
            text.extend_from_slice(&row[..length]);
        }
        for (joint, degrees) in errors
            .into_iter()
            .enumerate()
            .filter(|(_, degrees)| *degrees > PROJECTION_TOLERANCE)
        {
            let joint = excerpt(joints[joint].name.as_bytes());
            warnings.push(Warning::RotationProjected { joint, degrees });
        }
    }
}

/// Where a value of a row comes from.
enum Column {
    Position {
        joint: usize,
        axis: usize,
    },
    /// The angle of a joint about the axis in that place of its list.
    Angle {
        joint: usize,
        place: usize,
    },
    Scale,
}

fn columns(joints: &[BvhJoint], order: &[usize]) -> Vec<Column> {
    let mut columns = Vec::new();
    for &joint in order {
        let mut places = 0..;
        columns.extend(joints[joint].channels.iter().map(|channel| match channel.kind {
            ChannelKind::Position => {
                let axis = channel.axis.index();
                Column::Position { joint, axis }
            }
            ChannelKind::Rotation => {
                // Three at most: no channel is in a list twice.
                let place = places.next().unwrap_or(0);
                Column::Angle { joint, place }
            }
            ChannelKind::Scale => Column::Scale,
        }));
    }
    columns
}

/// Joints in the order in which a file lists them: each right after its parent's earlier branches.
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

/// A name that a reader finds whole: one line, no brace, not empty.
fn written_name(name: &str, index: usize) -> String {
    let fit: String = name
        .chars()
        .map(|letter| {
            if letter.is_control() || letter == '{' || letter == '}' {
                '_'
            } else {
                letter
            }
        })
        .collect();
    let fit = fit.trim();
    if fit.is_empty() {
        format!("joint{index}")
    } else {
        fit.to_owned()
    }
}

/// Three numbers in the shortest digits that read back as the same, each after a blank.
fn push_vector(v: DVec3, text: &mut String) {
    for value in v.to_array() {
        // Adding zero takes the sign off a minus zero.
        let _ = write!(text, " {}", value + 0.0);
    }
}

/// A value as a whole number of its last decimal; sizes up to [`MAX_VALUE`] fit.
///
/// What lies within rounding of half of that decimal may go either way.
fn in_last_decimal(value: f64, num_decimals: u32) -> i64 {
    let scaled = value * 10_i64.pow(num_decimals) as f64;
    (scaled + 0.5_f64.copysign(scaled)) as i64
}

fn radians(angle: i64) -> f64 {
    const ONE: f64 = (1.0 / 10_i64.pow(ANGLE_DECIMALS) as f64).to_radians();
    angle as f64 * ONE
}

/// Angles of a rotation in the last decimal of a degree, as near as can be to those before.
fn written_angles(axes: &[Axis], rotation: DQuat, previous: [i64; 3]) -> [i64; 3] {
    euler::decompose(axes, rotation, previous.map(radians))
        .map(|angle| in_last_decimal(angle.to_degrees(), ANGLE_DECIMALS))
}

/// The same rotation as angles that are written already, to the last digit, as near as can be to those before.
///
/// `None` at gimbal lock, where a better split of the free angle is to be had from the rotation itself.
fn written_again(axes: &[Axis], written: [i64; 3], previous: [i64; 3]) -> Option<[i64; 3]> {
    let near = |angles: [i64; 3]| {
        let near = [0, 1, 2].map(|i| {
            let turns = (previous[i] - angles[i] + HALF_TURN).div_euclid(TURN);
            angles[i] + TURN * turns
        });
        let distance: f64 = near.iter().zip(previous).map(|(x, y)| ((x - y) as f64).powi(2)).sum();
        (near, distance)
    };
    let (direct, to_direct) = near(written);
    if axes.len() < 3 {
        return Some(direct);
    }
    if (written[1].rem_euclid(HALF_TURN) - HALF_TURN / 2).abs() <= 1 {
        return None;
    }
    let (flipped, to_flipped) = near([written[0] + HALF_TURN, HALF_TURN - written[1], written[2] + HALF_TURN]);
    Some(if to_flipped < to_direct { flipped } else { direct })
}

/// Longest number and the blank after it: a sign, the digits of a 64-bit number, and a point.
const MAX_NUMBER: usize = 22;

/// Bytes behind a number that putting it there may fill with anything.
const SPARE: usize = 8;

/// Puts a number given in its last decimal at the start of `text`, which has room for [`MAX_NUMBER`] and [`SPARE`] bytes;
/// the number of bytes that it takes. Zero has no sign.
///
/// By hand: most of the time of writing a file would go into the standard formatting. There are six or seven decimals.
#[inline]
fn put_fixed<const DECIMALS: u32>(value: i64, text: &mut [u8]) -> usize {
    let (size, one) = (value.unsigned_abs(), const { 10_u64.pow(DECIMALS) });
    text[0] = b'-';
    let mut length = usize::from(value < 0);
    length += put_whole(size / one, &mut text[length..]);
    let decimals = (size % one) as usize;
    let (first, last_six) = (decimals / 1_000_000, decimals % 1_000_000);
    let threes = digits(last_six / 1000) | digits(last_six % 1000) << 24;
    let bytes = if DECIMALS == 7 {
        (u64::from(b'0') + first as u64) << 8 | threes << 16
    } else {
        threes << 8
    };
    text[length..length + 8].copy_from_slice(&(bytes | u64::from(b'.')).to_le_bytes());
    length + 1 + DECIMALS as usize
}

/// Puts a whole number, as [`put_fixed`] does.
#[inline]
fn put_whole(size: u64, text: &mut [u8]) -> usize {
    if size >= 1000 {
        return put_many_digits(size, text);
    }
    let [one, two, three, num_digits] = THREES[size as usize];
    let digits = u32::from_le_bytes([one, two, three, 0]) >> (24 - 8 * num_digits);
    text[..4].copy_from_slice(&digits.to_le_bytes());
    usize::from(num_digits)
}

#[cold]
fn put_many_digits(size: u64, text: &mut [u8]) -> usize {
    let length = put_whole(size / 1000, text);
    text[length..length + 8].copy_from_slice(&digits((size % 1000) as usize).to_le_bytes());
    length + 3
}

/// The three digits of a number below 1000 as bytes, the first lowest.
#[inline]
fn digits(number: usize) -> u64 {
    let [one, two, three, _] = THREES[number];
    u64::from(u32::from_le_bytes([one, two, three, 0]))
}

/// The three digits of every number below 1000, and how many of them are more than leading zeros.
const THREES: [[u8; 4]; 1000] = {
    let mut threes = [[0; 4]; 1000];
    let mut number = 0;
    while number < 1000 {
        let num_digits = 1 + (number > 9) as u8 + (number > 99) as u8;
        threes[number] = [
            b'0' + (number / 100) as u8,
            b'0' + (number / 10 % 10) as u8,
            b'0' + (number % 10) as u8,
            num_digits,
        ];
        number += 1;
    }
    threes
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_fixed_decimals_and_no_minus_zero() {
        let text = |value: f64| fixed(in_last_decimal(value, 6), 6);
        assert_eq!(text(0.0), "0.000000");
        assert_eq!(text(-0.0), "0.000000");
        assert_eq!(text(-4e-7), "0.000000");
        assert_eq!(text(-6e-7), "-0.000001");
        assert_eq!(text(90.25), "90.250000");
        assert_eq!(text(-234.000_001), "-234.000001");
        assert_eq!(text(1e9), "1000000000.000000");
        let mut offset = String::new();
        push_vector(DVec3::new(-0.0, 1e-7, -9.5), &mut offset);
        assert_eq!(offset, " 0 0.0000001 -9.5");
    }

    fn fixed(value: i64, num_decimals: u32) -> String {
        let mut text = [b'x'; MAX_NUMBER + SPARE];
        let length = match num_decimals {
            POSITION_DECIMALS => put_fixed::<POSITION_DECIMALS>(value, &mut text),
            _ => put_fixed::<ANGLE_DECIMALS>(value, &mut text),
        };
        assert!(length < MAX_NUMBER);
        String::from_utf8(text[..length].to_vec()).unwrap()
    }

    #[test]
    fn digits_are_those_of_the_standard_formatting() {
        let expected = |value: i64, num_decimals: u32| {
            let (size, one) = (value.unsigned_abs(), 10_u64.pow(num_decimals));
            let sign = if value < 0 { "-" } else { "" };
            let width = num_decimals as usize;
            format!("{sign}{}.{:0width$}", size / one, size % one)
        };
        // Every three digits in every place, and every number of digits.
        let threes = (0..1000).map(|three| three * 1_001_001_001_001);
        let sevens = (0..1000).map(|three| 10_010_010 * three);
        let powers = (0..18).flat_map(|power| [10_i64.pow(power) - 1, 10_i64.pow(power), 7 * 10_i64.pow(power)]);
        for value in threes.chain(sevens).chain(powers).chain([i64::MAX]) {
            for (value, num_decimals) in [(value, 6), (value, 7), (-value, 6), (-value, 7)] {
                assert_eq!(fixed(value, num_decimals), expected(value, num_decimals));
            }
        }
        assert_eq!(fixed(i64::MIN, 7), expected(i64::MIN, 7));
    }

    #[test]
    fn angles_written_again_are_the_same_rotation_near_the_previous() {
        let axes = [Axis::Z, Axis::X, Axis::Y];
        let degrees = |angles: [i64; 3]| angles.map(|angle| angle * 10_i64.pow(ANGLE_DECIMALS));
        let written = degrees([10, 20, -30]);
        for previous in [[0; 3], [725, 0, -400], [191, 161, 149]].map(degrees) {
            let again = written_again(&axes, written, previous).unwrap();
            let difference = rotation::difference(
                euler::compose(&axes, &again.map(radians)),
                euler::compose(&axes, &written.map(radians)),
            );
            assert!(difference.length() < 1e-14);
            for (angle, previous) in again.iter().zip(previous) {
                assert!((angle - previous).abs() < HALF_TURN);
            }
        }
        assert_eq!(written_again(&axes, degrees([0, 90, 0]), [0; 3]), None);
        assert_eq!(written_again(&axes, degrees([0, -270, 0]), [0; 3]), None);
    }

    #[test]
    fn names_are_made_fit() {
        assert_eq!(written_name("Left Up Leg", 3), "Left Up Leg");
        assert_eq!(written_name("a{b\n", 3), "a_b_");
        assert_eq!(written_name("  ", 3), "joint3");
    }
}
