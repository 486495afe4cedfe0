//! Mends the seam of a clip that its author closed with a kink: its poses meet, but some joints go on there as nowhere else.
//!
//! What the ends do cannot be measured by the key that closes them, so nothing is extrapolated: the offsets o are the smallest
//! with which the third differences over the seam are those beside it, by the sum over the samples of the ring of
//! |o|^2 + (s/h)^6 |D3 (x + o) - t|^2, with the samples x, their step h, and t the mean of the third differences on both sides.
//! It is [`super::ShapeKind::Least`] on samples, and its s that of its blend. Derivation: docs/math/shapes.md.

use core::f64::consts::{PI, TAU};

use glam::DVec3;

use super::shapes::{Shape, ShapeKind, TIMES_PER_BLEND};
use super::{closed::Closed, ends, method::Method, rotation::rotate_by, seam::Gaps, seam::JointGap, seam::SeamGaps};
use crate::math::{ops, rotation};
use crate::{motion::Tracks, take::Clip};

/// Samples on either side of the seam from which the differences over it and beside it are taken.
const AROUND: isize = 4;

/// The weights of a third difference, of the sample before it to the second after it.
const THIRD: [f64; 4] = [-1.0, 3.0, -3.0, 1.0];

/// Farther than so many times s from the seam, less than a billionth of an offset is left.
const REACH: f64 = 40.0;

/// Mends a clip that closes; `blend_secs` is that of the offsets. `None` if it has too few samples to tell what is usual.
pub(crate) fn mend(clip: &Clip, blend_secs: f64) -> Option<Closed> {
    let (count, num_joints) = (clip.num_intervals(), clip.skeleton().num_joints());
    let ring = Ring::new(count, blend_secs / TIMES_PER_BLEND / clip.step_secs())?;
    let at = |sample: isize| sample.rem_euclid(count as isize);
    let offsets: Vec<[Vec<DVec3>; 2]> = (0..num_joints)
        .map(|joint| {
            let first = clip.rotations(0)[joint];
            [
                ring.offsets(|sample| clip.translations(at(sample))[joint]),
                ring.offsets(|sample| rotation::difference(clip.rotations(at(sample))[joint], first)),
            ]
        })
        .collect();
    let gaps = |joint: usize| JointGap::new(&ends::measure(clip, joint));
    let mut closed = Closed {
        tracks: Tracks::empty(clip.skeleton().clone(), clip.step_secs(), count),
        translation_offsets: Vec::with_capacity((count + 1) * num_joints),
        rotation_offsets: Vec::with_capacity((count + 1) * num_joints),
        seam: SeamGaps {
            joints: (0..num_joints).map(gaps).collect(),
        },
        residual: Gaps::default(),
        method: Method::new(Shape::new(ShapeKind::Least, blend_secs)),
        is_layered: false,
        clamps: Vec::new(),
    };
    for sample in 0..=count {
        let mut pose = clip.pose((sample % count) as isize).to_pose();
        for (joint, of_joint) in offsets.iter().enumerate() {
            let [point, turn] = of_joint.each_ref().map(|offsets| offsets[sample % count]);
            closed.translation_offsets.push(point);
            closed.rotation_offsets.push(turn);
            pose.translations[joint] += point;
            pose.rotations[joint] = rotate_by(turn, pose.rotations[joint]);
        }
        if sample < count {
            closed.tracks.push(pose.as_ref());
        }
    }
    Some(closed)
}

/// Samples in a ring, and how an impulse spreads over them.
struct Ring {
    count: usize,
    /// (s/h)^6.
    weight: f64,
    /// The inverse of 1 + (s/h)^6 D3' D3, by the distance of two samples; 0 beyond.
    spread: Vec<f64>,
}

impl Ring {
    /// `steps` is s in samples.
    fn new(count: usize, steps: f64) -> Option<Self> {
        if count < 2 * AROUND as usize {
            return None;
        }
        let sixth = |value: f64| (value * value * value) * (value * value * value);
        let weight = sixth(steps);
        let of_wave = |wave: usize| 1.0 / (1.0 + weight * sixth(2.0 * ops::sin(PI * wave as f64 / count as f64)));
        let waves: Vec<f64> = (0..count).map(of_wave).collect();
        let farthest = ((REACH * steps.max(1.0)) as usize).min(count / 2);
        let spread = (0..=farthest).map(|away| {
            let turn = TAU * away as f64 / count as f64;
            let waves = waves.iter().enumerate();
            waves
                .map(|(wave, size)| size * ops::cos(turn * wave as f64))
                .sum::<f64>()
                / count as f64
        });
        Some(Self {
            count,
            weight,
            spread: spread.collect(),
        })
    }

    /// Returns the offsets of a track with the given values near the seam, which lies between samples -1 and 0.
    fn offsets(&self, value: impl Fn(isize) -> DVec3) -> Vec<DVec3> {
        let values: Vec<DVec3> = (-AROUND..AROUND).map(value).collect();
        let third: Vec<DVec3> = (values.windows(4))
            .map(|four| four.iter().zip(THIRD).map(|(value, weight)| *value * weight).sum())
            .collect();
        let usual = 0.5 * (third[0] + third[4]);
        let mut offsets = vec![DVec3::ZERO; self.count];
        for (index, over) in third.iter().enumerate().take(4).skip(1) {
            let off = (*over - usual) * -self.weight;
            for (key, weight) in THIRD.into_iter().enumerate() {
                let at = (index + key) as isize - AROUND;
                self.add(&mut offsets, at, off * weight);
            }
        }
        offsets
    }

    /// Adds what an impulse at a sample gives all others.
    fn add(&self, offsets: &mut [DVec3], at: isize, impulse: DVec3) {
        let (count, farthest) = (self.count as isize, self.spread.len() as isize - 1);
        let last = farthest.min(count - 1 - farthest);
        for away in -farthest..=last {
            offsets[(at + away).rem_euclid(count) as usize] += impulse * self.spread[away.unsigned_abs()];
        }
    }
}
