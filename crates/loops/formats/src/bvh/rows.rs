//! The rows of the MOTION section as text, key by key.

use glam::{DQuat, DVec3};
use loopwright_core::math::rotation;

use super::{BvhJoint, channel::ChannelKind};
use crate::{euler, space::Axis};

/// Most decimals of a number: values are given in units of the last of them.
const DECIMALS: u32 = 7;

/// 1 in the last decimal.
const ONE: f64 = 10_u64.pow(DECIMALS) as f64;

/// Positions have one decimal less than angles.
///
/// An error of half of the last decimal in each of three angles is a rotation by up to three halves of it.
const POSITION_STEP: f64 = 10.0;

/// Whole and half turns in the last decimal of a degree.
const TURN: f64 = 360.0 * ONE;
const HALF_TURN: f64 = 0.5 * TURN;

/// 1 radian in the last decimal of a degree.
const RADIAN: f64 = 180.0 / core::f64::consts::PI * ONE;

pub(crate) struct Rows {
    /// The axes of each joint.
    axes: Vec<Vec<Axis>>,
    columns: Vec<Column>,
    /// Joint and axis of every written position.
    positions: Vec<(usize, usize)>,
    /// Three per joint, in radians: the previous key's until this key's replace them.
    angles: Vec<[f64; 3]>,
    /// The values of the row, in the last decimal: three angles of each joint, a one for all scales, and the positions.
    values: Vec<f64>,
    cycle: Option<Cycle>,
    line: Vec<u8>,
    /// Largest rotation error of joints with fewer than three axes, in degrees.
    pub(super) errors: Vec<f64>,
}

/// A number of a row.
struct Column {
    /// Its index in [`Rows::values`].
    value: usize,
    /// Characters that are left out at its end: the last decimal of positions; the point and all decimals of scales.
    num_left_out: usize,
}

impl Rows {
    /// Prepares the rows of joints whose columns come in this order; after `cycle` of `num_keys` keys poses may repeat.
    pub(crate) fn new(joints: &[BvhJoint], order: &[usize], cycle: usize, num_keys: usize) -> Self {
        let mut columns = Vec::new();
        let mut positions = Vec::new();
        let scales_at = 3 * joints.len();
        for &joint in order {
            let mut angles = 3 * joint..3 * joint + 3;
            for channel in &joints[joint].channels {
                columns.push(match channel.kind {
                    ChannelKind::Rotation => Column {
                        // At most three: no channel occurs twice in a list.
                        value: angles.next().unwrap_or(3 * joint),
                        num_left_out: 0,
                    },
                    ChannelKind::Position => {
                        positions.push((joint, channel.axis.index()));
                        Column {
                            value: scales_at + positions.len(),
                            num_left_out: 1,
                        }
                    }
                    ChannelKind::Scale => Column {
                        value: scales_at,
                        num_left_out: 1 + DECIMALS as usize,
                    },
                });
            }
        }
        let num_values = scales_at + 1 + positions.len();
        Self {
            axes: joints
                .iter()
                .map(|joint| joint.axes_of(ChannelKind::Rotation))
                .collect(),
            line: Vec::new(),
            columns,
            positions,
            angles: vec![[0.0; 3]; joints.len()],
            values: vec![ONE; num_values],
            cycle: (num_keys > cycle).then(|| Cycle::new(cycle, joints.len())),
            errors: vec![0.0; joints.len()],
        }
    }

    /// Returns the line of the next key, including its end: positions in units of `unit_metres`, angles continuous from the key
    /// before.
    pub(crate) fn next(&mut self, translations: &[DVec3], rotations: &[DQuat], unit_metres: f64) -> &[u8] {
        for ((axes, rotation), angles) in self.axes.iter().zip(rotations).zip(&mut self.angles) {
            *angles = euler::decompose(axes, *rotation, *angles);
        }
        let (angles, others) = self.values.split_at_mut(self.angles.as_flattened().len());
        if let Some(cycle) = &mut self.cycle {
            cycle.next(&self.axes, rotations, angles, &mut self.angles);
        }
        for (value, radians) in angles.iter_mut().zip(self.angles.as_flattened_mut()) {
            *value = (*radians * RADIAN).round();
            *radians = *value * (1.0 / RADIAN);
        }
        for (value, &(joint, axis)) in others[1..].iter_mut().zip(&self.positions) {
            let position = translations[joint][axis] / unit_metres;
            *value = (position * (ONE / POSITION_STEP)).round() * POSITION_STEP;
        }
        // Fewer than three axes do not reach every rotation.
        for joint in (0..rotations.len()).filter(|&joint| self.axes[joint].len() < 3) {
            let reached = euler::compose(&self.axes[joint], &self.angles[joint]);
            let error = rotation::difference(reached, rotations[joint]).length().to_degrees();
            self.errors[joint] = self.errors[joint].max(error);
        }
        self.put_line()
    }

    /// Writes [`Self::values`] into the line, and returns it.
    fn put_line(&mut self) -> &[u8] {
        self.line.clear();
        for column in &self.columns {
            put(self.values[column.value], &mut self.line);
            self.line.truncate(self.line.len() - column.num_left_out);
            self.line.push(b' ');
        }
        // Replaces the last blank.
        self.line.pop();
        self.line.push(b'\n');
        &self.line
    }
}

/// Appends a number that is given in its last decimal. Zero has no sign.
fn put(value: f64, line: &mut Vec<u8>) {
    // Below 2^63, as all writable values are. Formatting by the standard library would take most of the time of writing a file.
    let mut rest = value.abs() as u64;
    if value < 0.0 {
        line.push(b'-');
    }
    let start = line.len();
    while rest > 0 || line.len() < start + DECIMALS as usize + 2 {
        if line.len() == start + DECIMALS as usize {
            line.push(b'.');
        }
        line.push(b'0' + (rest % 10) as u8);
        rest /= 10;
    }
    line[start..].reverse();
}

/// Writes repeated poses with the same digits again, if their curves allow it.
struct Cycle {
    num_keys: usize,
    key: usize,
    /// Rotations and the angles written for them; no rotation before the first cycle.
    written: Vec<(DQuat, [f64; 3])>,
}

impl Cycle {
    fn new(num_keys: usize, num_joints: usize) -> Self {
        Self {
            num_keys,
            key: 0,
            written: vec![(DQuat::NAN, [0.0; 3]); num_keys * num_joints],
        }
    }

    /// Replaces the angles (radians) of rotations that were written a cycle ago; `before` are those of the key before, in the
    /// last decimal.
    fn next(&mut self, axes: &[Vec<Axis>], rotations: &[DQuat], before: &[f64], angles: &mut [[f64; 3]]) {
        let first = (self.key % self.num_keys) * rotations.len();
        let (before, _) = before.as_chunks();
        for (joint, ((rotation, before), angles)) in rotations.iter().zip(before).zip(angles).enumerate() {
            let (known, written) = &mut self.written[first + joint];
            if *known == *rotation
                && let Some(again) = written_again(axes[joint].len(), *written, *before)
            {
                *angles = again.map(|angle| angle / RADIAN);
            }
            (*known, *written) = (*rotation, angles.map(|angle| (angle * RADIAN).round()));
        }
        self.key += 1;
    }
}

/// Written angles of the same rotation, to the last digit, shifted as near as possible to those before.
///
/// `None` at gimbal lock, where the rotation itself gives a better split of the free angle.
fn written_again(num_axes: usize, written: [f64; 3], previous: [f64; 3]) -> Option<[f64; 3]> {
    let near =
        |angles: [f64; 3]| [0, 1, 2].map(|i| angles[i] + TURN * ((previous[i] - angles[i] + HALF_TURN) / TURN).floor());
    let direct = near(written);
    if num_axes < 3 {
        return Some(direct);
    }
    if (written[1].rem_euclid(HALF_TURN) - 0.5 * HALF_TURN).abs() <= 1.0 {
        return None;
    }
    let flipped = near([written[0] + HALF_TURN, HALF_TURN - written[1], written[2] + HALF_TURN]);
    Some(euler::nearer([direct, flipped], previous))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::Channel;

    #[test]
    fn angles_written_again_are_the_same_rotation_near_the_previous() {
        let axes = [Axis::Z, Axis::X, Axis::Y];
        let degrees = |angles: [i32; 3]| angles.map(|angle| f64::from(angle) * ONE);
        let compose = |angles: [f64; 3]| euler::compose(&axes, &angles.map(|angle| angle / RADIAN));
        let written = degrees([10, 20, -30]);
        for previous in [[0; 3], [725, 0, -400], [191, 161, 149]].map(degrees) {
            let again = written_again(3, written, previous).unwrap();
            let difference = rotation::difference(compose(again), compose(written));
            assert!(difference.length() < 1e-14);
            for (angle, previous) in again.iter().zip(previous) {
                assert!((angle - previous).abs() < HALF_TURN);
            }
        }
        assert_eq!(written_again(3, degrees([0, 90, 0]), [0.0; 3]), None);
        assert_eq!(written_again(3, degrees([0, -270, 0]), [0.0; 3]), None);
    }

    #[test]
    fn lines_hold_what_the_channels_say() {
        let joint = |parent, channels| BvhJoint {
            name: "a".to_owned(),
            parent,
            offset: DVec3::ZERO,
            channels,
            end_sites: Vec::new(),
        };
        let root = [
            Channel::position(Axis::Y),
            Channel::rotation(Axis::Z),
            Channel::position(Axis::X),
            Channel::rotation(Axis::X),
            Channel::rotation(Axis::Y),
        ];
        let scale = Channel {
            kind: ChannelKind::Scale,
            axis: Axis::X,
        };
        let joints = [
            joint(None, root.to_vec()),
            joint(Some(0), vec![scale, Channel::rotation(Axis::X)]),
            joint(Some(0), Vec::new()),
        ];
        let quarter = euler::about(Axis::Z, core::f64::consts::FRAC_PI_2);
        let tilted = euler::about(Axis::X, -0.5) * euler::about(Axis::Y, 1e-3);
        // The last joint is second in the list.
        let mut rows = Rows::new(&joints, &[0, 2, 1], 1, 2);
        let translations = [DVec3::new(-12.345_678_94, 2e9, 7.0), DVec3::ONE, DVec3::ONE];
        let line = rows.next(&translations, &[quarter, tilted, quarter], 2.0).to_vec();
        assert_eq!(
            String::from_utf8(line.clone()).unwrap(),
            "1000000000.000000 90.0000000 -6.172839 0.0000000 0.0000000 1 -28.6478898\n"
        );
        assert_eq!(rows.next(&translations, &[quarter, tilted, quarter], 2.0), line);
        let [root, second, third] = rows.errors[..] else {
            panic!("{:?}", rows.errors)
        };
        assert!(root < 1e-6);
        assert!((second - 1e-3_f64.to_degrees()).abs() < 1e-6);
        assert!((third - 90.0).abs() < 1e-9);
    }
}
