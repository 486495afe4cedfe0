//! Closes clips on the ring of their samples, by the smallest offsets that give third differences over the seam prescribed values.
//!
//! For samples x with the step h, the offsets o minimise the sum of |o|^2 + (s/h)^6 |D3 (x + o) - t|^2, where t equals D3 x except over the
//! seam. It is [`super::ShapeKind::Least`] on samples, without derivatives at the ends. Derivation: docs/math/shapes.md.

use core::f64::consts::{PI, TAU};

use glam::DVec3;

use super::{Closed, Gaps, JointGap, Method, SeamGaps, ends, rotation::rotate_by, shapes::TIMES_PER_BLEND};
use crate::{
    math::{mean, ops, rotation},
    motion::Pose,
    take::Clip,
};

/// Samples on either side of the seam from which third differences over it and beside it are taken.
const AROUND: isize = 4;

/// The weights of a third difference, by the samples from its first on.
pub(crate) const DIFFERENCE: [f64; 4] = [-1.0, 3.0, -3.0, 1.0];

/// Distance from the seam, in multiples of s, beyond which less than a billionth of an offset is left.
const REACH: f64 = 40.0;

/// Returns the third difference of four samples in a row.
pub(crate) fn third_difference(four: &[DVec3; 4]) -> DVec3 {
    four.iter().zip(DIFFERENCE).map(|(value, weight)| *value * weight).sum()
}

/// Mends the seam of a clip that its author closed with a kink: its poses meet, but some joints move on abruptly.
///
/// The derivatives at the ends cannot be measured with the key that closes them, so nothing is extrapolated: the third differences over the
/// seam become the mean of those beside it. `method` is a least one, whose blend sets s. `None` if there are too few samples.
pub(crate) fn mend(clip: &Clip, method: Method) -> Option<Closed> {
    let count = clip.num_intervals();
    let ring = Ring::new(count, method.start.secs() / TIMES_PER_BLEND / clip.step_secs())?;
    let own = |sample: isize| clip.pose(sample.rem_euclid(count as isize));
    let mut poses: Vec<Pose> = (0..count).map(|sample| own(sample as isize).to_pose()).collect();
    for joint in 0..clip.skeleton().num_joints() {
        let points = ring.offsets(&lacking(|sample| own(sample).translations[joint]));
        let turns = ring.offsets(&lacking(|sample| {
            rotation::difference(own(sample).rotations[joint], own(0).rotations[joint])
        }));
        for ((pose, point), turn) in poses.iter_mut().zip(points).zip(turns) {
            pose.translations[joint] += point;
            pose.rotations[joint] = rotate_by(turn, pose.rotations[joint]);
        }
    }
    Some(closed(clip, poses, method))
}

/// Returns the differences between the mean of the third differences beside the seam and those over it.
fn lacking(value: impl Fn(isize) -> DVec3) -> [DVec3; 3] {
    let at = |first: isize| third_difference(&[0, 1, 2, 3].map(|off| value(first + off)));
    let usual = 0.5 * (at(-AROUND) + at(0));
    [-3, -2, -1].map(|first| usual - at(first))
}

/// Describes a clip that was closed to these poses as other closures do.
pub(crate) fn closed(clip: &Clip, poses: Vec<Pose>, method: Method) -> Closed {
    let num_joints = clip.skeleton().num_joints();
    let (mut translation_offsets, mut rotation_offsets) = (Vec::new(), Vec::new());
    for sample in 0..=poses.len() {
        let (own, moved) = (clip.pose(sample as isize), &poses[sample % poses.len()]);
        for joint in 0..num_joints {
            translation_offsets.push(moved.translations[joint] - own.translations[joint]);
            rotation_offsets.push(rotation::difference(moved.rotations[joint], own.rotations[joint]));
        }
    }
    Closed {
        tracks: clip.tracks().with_poses(poses),
        translation_offsets,
        rotation_offsets,
        seam: SeamGaps {
            joints: (0..num_joints)
                .map(|joint| JointGap::new(&ends::measure(clip, joint)))
                .collect(),
        },
        residual: Gaps::default(),
        method,
        is_layered: false,
        clamps: Vec::new(),
    }
}

/// Samples in a ring, and how an impulse spreads over them.
pub(crate) struct Ring {
    count: usize,
    /// (s/h)^6.
    weight: f64,
    /// The inverse of 1 + (s/h)^6 D3' D3, by the distance of two samples; 0 beyond.
    spread: Vec<f64>,
}

impl Ring {
    /// Creates a ring of samples; `steps` is s/h. `None` if there are too few of them.
    pub(crate) fn new(count: usize, steps: f64) -> Option<Self> {
        if count < 2 * AROUND as usize {
            return None;
        }
        let sixth = |value: f64| (value * value * value) * (value * value * value);
        let weight = sixth(steps);
        let of_wave = |wave: usize| 1.0 / (1.0 + weight * sixth(2.0 * ops::sin(PI * wave as f64 / count as f64)));
        let waves: Vec<f64> = (0..count).map(of_wave).collect();
        let farthest = ((REACH * steps.max(1.0)) as usize).min(count / 2);
        let spread = (0..=farthest).map(|away| {
            mean(
                waves
                    .iter()
                    .enumerate()
                    .map(|(wave, size)| size * ops::cos(TAU * away as f64 / count as f64 * wave as f64)),
            )
        });
        Some(Self {
            count,
            weight,
            spread: spread.collect(),
        })
    }

    /// Returns the offsets of a track whose third differences are short by these amounts where they begin three, two and one samples before
    /// the seam.
    pub(crate) fn offsets(&self, lacking: &[DVec3; 3]) -> Vec<DVec3> {
        let mut offsets = vec![DVec3::ZERO; self.count];
        for (first, lacks) in (-3..0).zip(lacking) {
            for (off, weight) in (0..).zip(DIFFERENCE) {
                self.add(&mut offsets, first + off, *lacks * (self.weight * weight));
            }
        }
        offsets
    }

    /// Adds the effect of an impulse at a sample on all samples.
    fn add(&self, offsets: &mut [DVec3], at: isize, impulse: DVec3) {
        let (count, farthest) = (self.count as isize, self.spread.len() as isize - 1);
        for away in -farthest..=farthest.min(count - 1 - farthest) {
            offsets[(at + away).rem_euclid(count) as usize] += impulse * self.spread[away.unsigned_abs()];
        }
    }
}
