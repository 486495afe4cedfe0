//! A loop prepared for playback in an engine: single precision, laid out for vector instructions, no allocation per sample.
//!
//! [`RuntimeLoop`] is built once from a [`LoopClip`]. Any number of characters share it and sample it at their own times, in any
//! order, at the same cost: there is no cursor. Work is done in advance if possible: signs of neighbouring keys agree, so no key
//! is tested; the first key is repeated after the last, so the seam is no special case; joints that only rotate have their
//! translation stored once. Speed: `cargo bench -p loopwright --bench playback`.
//!
//! This file is longer than most: the memory layout of the keys and the loops over them belong together.

use core::fmt;

use fearless_simd::{Level, dispatch, f32x4, f32x8, f64x4, prelude::*, u8x32};
use glam::{DQuat, DVec3};

use super::{Interpolation, LoopClip};
use crate::{math::rotation, motion::Skeleton};

/// Number of joints whose rotations are computed together.
const LANES: usize = 8;

/// Rotations of [`LANES`] joints: all x, all y, all z, all w.
type Group = [[f32; LANES]; 4];

/// Translations of [`LANES`] joints, metres: all x, all y, all z.
type Translations = [[f32; LANES]; 3];

/// A rigid motion for graphics: a 4x4 matrix by columns; the last column is the translation in metres.
///
/// `matrix[column][row]`; the last row is 0, 0, 0, 1.
pub type ModelMatrix = [[f32; 4]; 4];

const IDENTITY: ModelMatrix = [
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 0.0, 1.0],
];

/// A joint whose translation stays this close to its first one only rotates, metres.
///
/// Above the rounding of text files, below what is visible or affects collisions.
const STANDS_WITHIN_METRES: f64 = 1e-6;

/// Why a loop cannot be prepared for playback.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RuntimeError {
    /// The number of samples requested is below two or above [`MAX_SAMPLES`].
    #[error("a runtime loop has 2 to {MAX_SAMPLES} samples, {found} were requested")]
    Samples {
        /// Samples requested.
        found: usize,
    },
}

/// Most samples of a runtime loop: protects against a typing error that fills the memory.
pub const MAX_SAMPLES: usize = 100_000;

/// A buffer does not fit the loop.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the buffer is made for {found} joints, the loop has {expected}")]
pub struct BufferError {
    /// Joints of the loop.
    pub expected: usize,
    /// Joints of the buffer.
    pub found: usize,
}

/// A loop prepared for playback, in single precision.
///
/// Poses are relative to the root; move the character by [`LoopClip::root_delta`]. Between samples rotations are interpolated by
/// nlerp and translations linearly, as by [`Interpolation::Linear`].
#[derive(Clone)]
pub struct RuntimeLoop {
    level: Level,
    num_joints: usize,
    num_samples: usize,
    step_secs: f64,
    /// Joints and their parents, sorted by depth; the parent of the root is the root.
    ///
    /// Neighbours in this list do not depend on each other, as neighbours along a limb do.
    by_depth: Vec<[u32; 2]>,
    /// [`SPREAD`], hidden from the compiler, which turns a known permutation into twice as many instructions.
    spread: [u8; 32],
    /// Rotations, key-major, one key more than samples: the first key is repeated at the end, with the sign that matches its
    /// neighbour.
    rotations: Vec<Group>,
    /// Translations of all joints, metres; those of moving joints are overwritten by sampling.
    rest: Vec<Translations>,
    /// Joints whose translation changes.
    moving: Vec<u32>,
    /// Translations of the moving joints, key-major, one key more than samples.
    translations: Vec<[f32; 3]>,
}

impl fmt::Debug for RuntimeLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuntimeLoop")
            .field("num_joints", &self.num_joints)
            .field("num_samples", &self.num_samples)
            .field("step_secs", &self.step_secs)
            .field("moving", &self.moving)
            .finish_non_exhaustive()
    }
}

/// The buffer for a sampled pose; made once by [`RuntimeLoop::pose`] and used for any number of loops with as many joints.
#[derive(Clone, Debug, PartialEq)]
pub struct RuntimePose {
    rotations: Vec<Group>,
    translations: Vec<Translations>,
    /// Local transforms as matrices, an intermediate of model matrices.
    columns: Vec<Columns>,
    num_joints: usize,
}

impl RuntimePose {
    /// Returns the number of joints.
    pub fn num_joints(&self) -> usize {
        self.num_joints
    }

    /// Local rotation of a joint, (x, y, z, w), of unit length.
    ///
    /// # Panics
    /// When `joint` is not below [`Self::num_joints`].
    pub fn rotation(&self, joint: usize) -> [f32; 4] {
        assert!(joint < self.num_joints());
        self.rotations[joint / LANES].map(|axis| axis[joint % LANES])
    }

    /// Local translation of a joint, metres.
    ///
    /// # Panics
    /// When `joint` is not below [`Self::num_joints`].
    pub fn translation(&self, joint: usize) -> [f32; 3] {
        assert!(joint < self.num_joints());
        self.translations[joint / LANES].map(|axis| axis[joint % LANES])
    }

    /// Sets a local rotation of the pose: (x, y, z, w), of unit length.
    ///
    /// # Panics
    /// When `joint` is not below [`Self::num_joints`].
    pub fn set_rotation(&mut self, joint: usize, rotation: [f32; 4]) {
        assert!(joint < self.num_joints());
        for (axis, part) in self.rotations[joint / LANES].iter_mut().zip(rotation) {
            axis[joint % LANES] = part;
        }
    }

    /// Sets a local translation of the pose, metres.
    ///
    /// # Panics
    /// When `joint` is not below [`Self::num_joints`].
    pub fn set_translation(&mut self, joint: usize, translation: [f32; 3]) {
        assert!(joint < self.num_joints());
        for (axis, part) in self.translations[joint / LANES].iter_mut().zip(translation) {
            axis[joint % LANES] = part;
        }
    }
}

impl RuntimeLoop {
    /// Prepares the loop's own samples.
    pub fn new(clip: &LoopClip) -> Result<Self, RuntimeError> {
        Self::resampled(clip, clip.num_samples())
    }

    /// Prepares the given number of samples over the period, taken from the loop's cubics.
    ///
    /// More samples are closer to the cubics and take more memory: the chord between two samples errs by an eighth of their
    /// second difference. Errors: [`RuntimeError::Samples`].
    pub fn resampled(clip: &LoopClip, num_samples: usize) -> Result<Self, RuntimeError> {
        if !(2..=MAX_SAMPLES).contains(&num_samples) {
            return Err(RuntimeError::Samples { found: num_samples });
        }
        let num_joints = clip.skeleton().num_joints();
        let step_secs = clip.period_secs() / num_samples as f64;
        let mut keys: Vec<_> = (0..num_samples)
            .map(|sample| clip.body_pose_at(sample as f64 * step_secs, Interpolation::Cubic))
            .collect();
        keys.push(keys[0].clone());
        for key in 1..keys.len() {
            let (before, after) = keys.split_at_mut(key);
            for (q, &side) in after[0].rotations.iter_mut().zip(&before[key - 1].rotations) {
                *q = rotation::on_side_of(*q, side);
            }
        }
        let moving: Vec<usize> = (0..num_joints)
            .filter(|&joint| {
                let first = keys[0].translations[joint];
                keys.iter()
                    .any(|key| (key.translations[joint] - first).length() > STANDS_WITHIN_METRES)
            })
            .collect();
        let mut rotations: Vec<Group> = (keys.iter())
            .flat_map(|key| key.rotations.chunks(LANES))
            .map(|turns| side_by_side(turns.iter().map(DQuat::to_array)))
            .collect();
        // Lanes without a joint hold the identity, so that interpolation can normalize them.
        let size = num_joints.div_ceil(LANES);
        for last in rotations.chunks_mut(size).map(|groups| &mut groups[size - 1]) {
            last[3][(num_joints - 1) % LANES + 1..].fill(1.0);
        }
        Ok(Self {
            level: Level::new(),
            num_joints,
            num_samples,
            step_secs,
            by_depth: by_depth(clip.skeleton()),
            spread: core::hint::black_box(SPREAD),
            rotations,
            rest: (keys[0].translations.chunks(LANES))
                .map(|translations| side_by_side(translations.iter().map(DVec3::to_array)))
                .collect(),
            translations: (keys.iter())
                .flat_map(|key| moving.iter().map(|&joint| key.translations[joint].as_vec3().to_array()))
                .collect(),
            moving: moving.into_iter().map(|joint| joint as u32).collect(),
        })
    }

    /// Returns the number of joints.
    pub fn num_joints(&self) -> usize {
        self.num_joints
    }

    /// Returns the memory of the samples, bytes.
    pub fn num_bytes(&self) -> usize {
        size_of_val(&self.rotations[..]) + size_of_val(&self.translations[..]) + size_of_val(&self.rest[..])
    }

    /// Whether the translation of a joint changes over the loop.
    pub fn is_moving(&self, joint: usize) -> bool {
        self.moving.contains(&(joint as u32))
    }

    /// Returns a buffer for poses of this loop and of any other with as many joints.
    pub fn pose(&self) -> RuntimePose {
        RuntimePose {
            rotations: vec![Group::default(); self.rest.len()],
            translations: self.rest.clone(),
            columns: vec![Columns::default(); self.rest.len()],
            num_joints: self.num_joints,
        }
    }

    /// The local pose at any time, seconds since the start of the loop, over any number of cycles; a time that is not finite
    /// counts as 0.
    ///
    /// Errors: [`BufferError`] for a buffer of another number of joints.
    pub fn sample(&self, secs: f64, pose: &mut RuntimePose) -> Result<(), BufferError> {
        self.fits(pose.num_joints())?;
        dispatch!(self.level, simd => self.sample_with(simd, secs, pose));
        Ok(())
    }

    /// Samples the local pose at any time, and the transforms of all joints relative to the root.
    ///
    /// `models` gets one matrix for each joint, in skeleton order. Errors: [`BufferError`] for a buffer of another number of
    /// joints.
    pub fn sample_models(
        &self,
        secs: f64,
        pose: &mut RuntimePose,
        models: &mut [ModelMatrix],
    ) -> Result<(), BufferError> {
        // No pose is sampled for matrices that do not fit.
        self.fits(models.len())?;
        self.sample(secs, pose)?;
        self.models(pose, models)
    }

    /// Computes the transforms of all joints of a pose, relative to the root: for poses that were changed after sampling.
    ///
    /// Errors: [`BufferError`] for a buffer of another number of joints.
    pub fn models(&self, pose: &mut RuntimePose, models: &mut [ModelMatrix]) -> Result<(), BufferError> {
        self.fits(pose.num_joints())?;
        self.fits(models.len())?;
        dispatch!(self.level, simd => self.models_with(simd, pose, models));
        Ok(())
    }

    fn fits(&self, found: usize) -> Result<(), BufferError> {
        if found == self.num_joints {
            Ok(())
        } else {
            Err(BufferError {
                expected: self.num_joints,
                found,
            })
        }
    }

    /// Returns the key before a time, and the fraction of the way to the next one, 0 to 1.
    #[inline(always)]
    fn locate(&self, secs: f64) -> (usize, f32) {
        let at = if secs.is_finite() { secs / self.step_secs } else { 0.0 };
        let before = at.floor();
        let count = self.num_samples as f64;
        let cycles = (before / count).floor();
        // Rounding may put the last key of a cycle into the next one, or overflow far from the start.
        let key = ((before - cycles * count) as usize).min(self.num_samples - 1);
        (key, (at - before) as f32)
    }

    #[inline(always)]
    fn sample_with<S: Simd>(&self, simd: S, secs: f64, pose: &mut RuntimePose) {
        let (key, u) = self.locate(secs);
        let size = self.rest.len();
        let (before, after) = self.rotations[key * size..(key + 2) * size].split_at(size);
        simd.vectorize(
            #[inline(always)]
            || {
                for ((before, after), into) in before.iter().zip(after).zip(&mut pose.rotations) {
                    let (before, after) = (Rotations::load(simd, before), Rotations::load(simd, after));
                    Rotations::between(&before, &after, u).store(into);
                }
                self.sample_translations(key, u, pose);
            },
        );
    }

    #[inline(always)]
    fn sample_translations(&self, key: usize, u: f32, pose: &mut RuntimePose) {
        pose.translations.copy_from_slice(&self.rest);
        let count = self.moving.len();
        let (before, after) = self.translations[key * count..(key + 2) * count].split_at(count);
        for ((&joint, before), after) in self.moving.iter().zip(before).zip(after) {
            let (group, lane) = (joint as usize / LANES, joint as usize % LANES);
            for axis in 0..3 {
                pose.translations[group][axis][lane] = before[axis] + (after[axis] - before[axis]) * u;
            }
        }
    }

    #[inline(always)]
    fn models_with<S: Simd>(&self, simd: S, pose: &mut RuntimePose, models: &mut [ModelMatrix]) {
        simd.vectorize(
            #[inline(always)]
            || {
                let locals = pose.rotations.iter().zip(&pose.translations);
                for ((rotations, translations), into) in locals.zip(&mut pose.columns) {
                    *into = columns(simd, &Rotations::load(simd, rotations), translations);
                }
                // The root's parent is the identity, stored in the place of the root's matrix.
                models[0] = IDENTITY;
                let spread = u8x32::from_slice(simd, &self.spread);
                for &[joint, parent] in &self.by_depth {
                    let columns = &pose.columns[joint as usize / LANES];
                    multiply(simd, spread, columns, [joint, parent], models);
                }
            },
        );
    }
}

/// Joints with their parents, sorted by depth.
fn by_depth(skeleton: &Skeleton) -> Vec<[u32; 2]> {
    let mut depths: Vec<usize> = Vec::with_capacity(skeleton.num_joints());
    for joint in 0..skeleton.num_joints() {
        depths.push(skeleton.parent(joint).map_or(0, |parent| depths[parent] + 1));
    }
    let mut joints: Vec<usize> = (0..skeleton.num_joints()).collect();
    joints.sort_by_key(|&joint| depths[joint]);
    joints
        .into_iter()
        .map(|joint| [joint, skeleton.parent(joint).unwrap_or(joint)].map(|joint| joint as u32))
        .collect()
}

/// Values of up to eight joints, axis by axis; zero where there is no joint.
fn side_by_side<const AXES: usize>(values: impl Iterator<Item = [f64; AXES]>) -> [[f32; LANES]; AXES] {
    let mut group = [[0.0; LANES]; AXES];
    for (lane, value) in values.enumerate() {
        for (axis, part) in group.iter_mut().zip(value) {
            axis[lane] = part as f32;
        }
    }
    group
}

/// Rotations of eight joints in registers.
struct Rotations<S: Simd>([f32x8<S>; 4]);

impl<S: Simd> Rotations<S> {
    #[inline(always)]
    fn load(simd: S, group: &Group) -> Self {
        let axis = |axis: usize| f32x8::from_slice(simd, &group[axis]);
        Self([axis(0), axis(1), axis(2), axis(3)])
    }

    #[inline(always)]
    fn store(&self, group: &mut Group) {
        for (value, axis) in self.0.iter().zip(group) {
            value.store_slice(axis);
        }
    }

    /// Creates the interpolated rotation at u, normalized.
    #[inline(always)]
    fn between(before: &Self, after: &Self, u: f32) -> Self {
        let part = |axis: usize| before.0[axis] + (after.0[axis] - before.0[axis]) * u;
        let [x, y, z, w] = [part(0), part(1), part(2), part(3)];
        let scale = 1.0 / ((x * x + y * y) + (z * z + w * w)).sqrt();
        Self([x * scale, y * scale, z * scale, w * scale])
    }
}

/// The first three rows of the matrices of eight joints, in pairs of neighbouring columns: rows of the first two columns,
/// then of the third and the translation.
///
/// A pair is stored as the bits of one double, so that it is loaded and spread at once.
type Columns = [[f64; LANES]; 6];

#[inline(always)]
fn columns<S: Simd>(simd: S, rotations: &Rotations<S>, translations: &Translations) -> Columns {
    let [x, y, z, w] = rotations.0;
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let translation = |axis: usize| f32x8::from_slice(simd, &translations[axis]);
    let pairs = [
        (1.0 - (yy + zz), xy - wz),
        (xy + wz, 1.0 - (xx + zz)),
        (xz - wy, yz + wx),
        (xz + wy, translation(0)),
        (yz - wx, translation(1)),
        (1.0 - (xx + yy), translation(2)),
    ];
    let mut columns = [[0.0; LANES]; 6];
    for ((left, right), into) in pairs.into_iter().zip(&mut columns) {
        let (low, high) = left.interleave(right);
        low.bitcast::<f64x4<S>>().store_slice(&mut into[..LANES / 2]);
        high.bitcast::<f64x4<S>>().store_slice(&mut into[LANES / 2..]);
    }
    columns
}

/// Bytes of the first number four times, then of the second number of a pair, each in its own half of a vector.
const SPREAD: [u8; 32] = [
    0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7,
];

/// Multiplies the matrix of a joint by its parent's.
#[inline(always)]
fn multiply<S: Simd>(
    simd: S,
    spread: u8x32<S>,
    columns: &Columns,
    [joint, parent]: [u32; 2],
    models: &mut [ModelMatrix],
) {
    let (joint, parent) = (joint as usize, &models[parent as usize]);
    let [a, b, c] = [&parent[0], &parent[1], &parent[2]].map(
        #[inline(always)]
        |column| {
            let column = f32x4::from_slice(simd, column);
            column.combine(column)
        },
    );
    let translation = f32x4::splat(simd, 0.0).combine(f32x4::from_slice(simd, &parent[3]));
    let lane = joint % LANES;
    let pair = |row: usize| {
        let pair: f32x8<S> = f64x4::splat(simd, columns[row][lane]).bitcast();
        pair.swizzle_dyn_within_blocks(spread)
    };
    let left = a * pair(0) + (b * pair(1) + c * pair(2));
    let right = (a * pair(3) + b * pair(4)) + (c * pair(5) + translation);
    let into = models[joint].as_flattened_mut();
    left.store_slice(&mut into[..8]);
    right.store_slice(&mut into[8..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{ops, rigid::Rigid, rigid::Twist};
    use crate::motion::{Joint, Pose, PoseRef, RootMotion};

    const NUM_JOINTS: usize = 21;
    const NUM_SAMPLES: usize = 40;

    /// Returns a wide tree whose joints rotate and two of which also translate; joint 5 makes a whole turn per period.
    fn clip() -> LoopClip {
        let joints = (0..NUM_JOINTS).map(|index| {
            Joint::new(
                format!("j{index}"),
                index
                    .checked_sub(1)
                    .map(|before| if index % 4 == 1 { index / 4 } else { before }),
                DVec3::Y,
            )
        });
        let (mut translations, mut rotations) = (Vec::new(), Vec::new());
        for sample in 0..NUM_SAMPLES {
            let a = core::f64::consts::TAU * sample as f64 / NUM_SAMPLES as f64;
            for joint in 0..NUM_JOINTS {
                let b = a + joint as f64;
                let moves = if joint == 0 || joint == 7 { 0.05 } else { 0.0 };
                translations.push(DVec3::new(0.1, 0.2, -0.1) + DVec3::new(ops::sin(b), ops::cos(b), 0.3) * moves);
                let swing = rotation::exp(DVec3::new(
                    0.6 * ops::sin(b),
                    0.4 * ops::cos(b),
                    0.3 * ops::sin(2.0 * b),
                ));
                let spin = if joint == 5 {
                    rotation::from_yaw(a)
                } else {
                    DQuat::IDENTITY
                };
                rotations.push(swing * spin);
            }
        }
        let root = RootMotion::new(Rigid::IDENTITY, Twist::ZERO);
        let skeleton = Skeleton::new(joints.collect()).unwrap();
        LoopClip::new(
            "l",
            crate::motion::Tracks::new(skeleton, 1.0 / 30.0, translations, rotations).unwrap(),
            0,
            root,
        )
        .unwrap()
    }

    /// Largest differences from the playback in double precision: local transforms, positions of joints (metres), axes of their
    /// frames.
    fn worst(clip: &LoopClip, runtime: &RuntimeLoop, interpolation: Interpolation) -> [f64; 3] {
        let mut pose = runtime.pose();
        let mut models = vec![IDENTITY; NUM_JOINTS];
        let mut worst = [0.0_f64; 3];
        for i in -150..300 {
            let secs = 0.0171 * f64::from(i);
            runtime.sample_models(secs, &mut pose, &mut models).unwrap();
            let Pose {
                translations,
                rotations,
            } = clip.body_pose_at(secs, interpolation);
            let local = PoseRef::new(&translations, &rotations);
            let Pose {
                translations: positions,
                rotations: turns,
            } = local.world(clip.skeleton());
            for joint in 0..NUM_JOINTS {
                let local = DQuat::from_array(pose.rotation(joint).map(f64::from));
                let translation = DVec3::from_array(pose.translation(joint).map(f64::from));
                worst[0] = worst[0]
                    .max(rotation::difference(local, rotations[joint]).length())
                    .max((translation - translations[joint]).length());
                let column = |column: usize| {
                    let [x, y, z, _] = models[joint][column].map(f64::from);
                    DVec3::new(x, y, z)
                };
                worst[1] = worst[1].max((column(3) - positions[joint]).length());
                for (axis, unit) in DVec3::AXES.into_iter().enumerate() {
                    worst[2] = worst[2].max((column(axis) - turns[joint] * unit).length());
                }
                assert_eq!(models[joint].map(|column| column[3]), [0.0, 0.0, 0.0, 1.0]);
            }
        }
        worst
    }

    #[test]
    fn agrees_with_the_playback_in_double_precision() {
        let clip = clip();
        let runtime = RuntimeLoop::new(&clip).unwrap();
        assert_eq!(
            (0..NUM_JOINTS)
                .filter(|&joint| runtime.is_moving(joint))
                .collect::<Vec<_>>(),
            [0, 7]
        );
        let [local, translation, axes] = worst(&clip, &runtime, Interpolation::Linear);
        // Six levels of joints, each rounding to 24 bits.
        assert!(
            local < 5e-7 && translation < 1e-6 && axes < 2e-6,
            "{local} {translation} {axes}"
        );
        // More samples are closer to the cubics, by the square of their number.
        let errors = [40, 80, 160].map(|count| {
            let runtime = RuntimeLoop::resampled(&clip, count).unwrap();
            worst(&clip, &runtime, Interpolation::Cubic)[0]
        });
        assert!(
            errors[0] < 0.01 && errors[1] < 0.3 * errors[0] && errors[2] < 0.3 * errors[1],
            "{errors:?}"
        );
    }

    /// The instructions of a processor change the time only.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    #[test]
    fn the_same_bits_with_any_instructions() {
        let widest = RuntimeLoop::new(&clip()).unwrap();
        let level = widest.level;
        let levels = [
            level.as_avx2().map(Level::Avx2),
            level.as_sse4_2().map(Level::Sse4_2),
            level.as_sse2().map(Level::Sse2),
        ];
        for level in levels.into_iter().flatten() {
            let narrower = RuntimeLoop {
                level,
                ..widest.clone()
            };
            for secs in [-0.3, 0.0, 0.0171, 0.9, 12.34] {
                let sampled = |runtime: &RuntimeLoop| {
                    let (mut pose, mut models) = (runtime.pose(), vec![IDENTITY; NUM_JOINTS]);
                    runtime.sample_models(secs, &mut pose, &mut models).unwrap();
                    (pose, models)
                };
                assert_eq!(sampled(&widest), sampled(&narrower), "{level:?}");
            }
        }
    }

    #[test]
    fn poses_can_be_changed_before_models_are_computed() {
        let runtime = RuntimeLoop::new(&clip()).unwrap();
        let (mut pose, mut at_once) = (runtime.pose(), vec![IDENTITY; NUM_JOINTS]);
        runtime.sample_models(0.4, &mut pose, &mut at_once).unwrap();
        let mut later = vec![IDENTITY; NUM_JOINTS];
        runtime.sample(0.4, &mut pose).unwrap();
        runtime.models(&mut pose, &mut later).unwrap();
        assert_eq!(at_once, later);
        let quarter = core::f32::consts::FRAC_1_SQRT_2;
        pose.set_rotation(0, [0.0, quarter, 0.0, quarter]);
        pose.set_translation(0, [1.0, 2.0, 3.0]);
        runtime.models(&mut pose, &mut later).unwrap();
        assert_eq!(later[0][3], [1.0, 2.0, 3.0, 1.0]);
        // A quarter turn to the left takes +Z to +X.
        assert!((later[0][2][0] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn odd_times_counts_and_buffers() {
        let clip = clip();
        let runtime = RuntimeLoop::new(&clip).unwrap();
        let (mut pose, mut models) = (runtime.pose(), vec![IDENTITY; NUM_JOINTS]);
        for secs in [f64::NAN, f64::INFINITY, 1e300, -1e300, -5e-324, 1e15, -1e15] {
            runtime.sample_models(secs, &mut pose, &mut models).unwrap();
            assert!(models.iter().flatten().flatten().all(|part| part.is_finite()), "{secs}");
        }
        let wrong = BufferError {
            expected: NUM_JOINTS,
            found: 3,
        };
        assert_eq!(runtime.sample_models(0.0, &mut pose, &mut models[..3]), Err(wrong));
        for count in [0, 1, MAX_SAMPLES + 1] {
            let error = RuntimeLoop::resampled(&clip, count).unwrap_err();
            assert_eq!(error, RuntimeError::Samples { found: count });
        }
    }
}
