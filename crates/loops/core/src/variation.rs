//! Varies the cycles of a loop as the cycles of its take differ: many different cycles, which loop as a whole.
//!
//! At every moment the loop is changed by a mix of the deviations of the take's own cycles from their mean, at the same phase.
//! The weights of the mix vary at random, as smooth periodic functions of the whole time, and their squares sum to one: the
//! joints then vary together as they do in the take, and by as much. Only joints that move neither a foot nor the hips vary.
//! Derivation: docs/math/variation.md.

use core::f64::consts::{FRAC_PI_2, TAU};

use glam::DVec3;
use rand_pcg::{
    Pcg64,
    rand_core::{Rng, SeedableRng},
};

use crate::{
    analysis::{Analysis, Body},
    candidate::LoopCandidate,
    loop_clip::{LoopClip, LoopClipError},
    math::{greatest, kernel, ops, rotation, smooth_step},
    mean_cycle::{CycleDeviations, CyclesEnd, MeanCycleError},
    motion::{Pose, Skeleton},
    retarget::Retarget,
};

/// Settings of a variation.
#[handed_over(Copy)]
pub struct VariationSettings {
    /// Approximate duration, seconds: a whole number of cycles, at least two, after which everything repeats.
    pub secs: f64,
    /// Seed; the same seed gives the same motion.
    pub seed: u32,
    /// Share of the take's own variation, above 0, 1 for all of it.
    pub amount: f64,
}

/// Largest share of the take's own variation.
pub const MAX_AMOUNT: f64 = 2.0;

/// Why a loop cannot be varied.
#[error_kinds]
pub enum VariationError {
    #[error("a variation lasts a positive number of seconds, found {found}")]
    Secs { found: f64 },
    #[error("the amount of variation must be above 0 and at most {MAX_AMOUNT}, found {found}")]
    Amount { found: f64 },
    #[error("{found:.0} transforms (samples times joints) exceed the limit of {MAX_TRANSFORMS}")]
    TooLong { found: f64 },
    /// The take does not show how the body varies.
    #[error("the take does not show how its cycles vary: {0}")]
    NoCycles(MeanCycleError),
    #[error(
        "it takes {FEWEST_CYCLES} cycles in a row to see how they vary, found {found}: before them, {before}; after them, {after}"
    )]
    TooFewCycles {
        found: usize,
        before: CyclesEnd,
        after: CyclesEnd,
    },
    #[error("its cycles are all alike above the legs{}", if *left_out { ", but for joints that spin or flip" } else { "" })]
    Alike {
        /// Whether some joints differ too much from cycle to cycle.
        left_out: bool,
    },
    /// The samples do not form a loop.
    LoopClip(LoopClipError),
}

/// The applied variation.
#[handed_over]
pub struct Variation {
    /// The requested settings.
    pub settings: VariationSettings,
    /// Number of loops after which everything repeats.
    pub copies: usize,
    /// Number of cycles of the take whose deviations are mixed.
    pub cycles: usize,
    /// Number of joints that vary.
    pub joints: usize,
    /// Joints that do not vary, because they flip, or differ too much from cycle to cycle for a mean, such as a hand that twirls
    /// a stick.
    pub joints_left_out: Vec<usize>,
    /// Root mean square over time and joints of the added rotation, radians.
    pub radians: f64,
}

/// Most transforms (samples times joints) of a varied loop.
const MAX_TRANSFORMS: usize = 4_000_000;

/// Fewest cycles of the take: with fewer, a mix repeats single cycles.
const FEWEST_CYCLES: usize = 4;

/// Largest deviation of a joint, radians, below which cycles are alike: a tenth of a degree, which is not visible.
const LEAST_RADIANS: f64 = 0.1_f64.to_radians();

/// Highest rate at which weights vary, per cycle of the loop: neighbouring cycles are similar, the next ones are not.
const HIGHEST_PER_CYCLE: f64 = 0.5;

/// Regularizes the norm of the weights, by which they are divided: a norm near zero would make a kink.
const LEAST_SQUARE: f64 = 0.05;

/// Standard deviation by which deviations are smoothed over a cycle, seconds: what is faster, such as the noise of a capture, would
/// come on top of that of the loop.
const SMOOTHING_SECS: f64 = 0.05;

/// An odd number without pattern (2^64 over the golden ratio): neighbouring weights get seeds far apart.
const SEED_STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl VariationSettings {
    /// Checks the numbers. Errors: they are out of range.
    pub fn check(&self) -> Result<(), VariationError> {
        if !(self.secs > 0.0 && self.secs.is_finite()) {
            return Err(VariationError::Secs { found: self.secs });
        }
        if self.amount > 0.0 && self.amount <= MAX_AMOUNT {
            Ok(())
        } else {
            Err(VariationError::Amount { found: self.amount })
        }
    }
}

/// Repeats a loop, each cycle varied as the take's own cycles are. `body` is the loop's, and `onto` is the retargeting to its
/// character, if any. Errors: [`VariationError`].
pub(crate) fn varied(
    clip: &LoopClip,
    body: &Body,
    analysis: &Analysis,
    candidate: &LoopCandidate,
    onto: Option<&Retarget>,
    settings: &VariationSettings,
) -> Result<(LoopClip, Variation), VariationError> {
    let (skeleton, count) = (clip.skeleton(), clip.num_samples());
    let copies = copies_of(clip, settings)?;
    let free = free_joints(skeleton, body);
    let steady: Vec<usize> = free
        .iter()
        .copied()
        .filter(|&joint| !flips(joint, analysis, onto))
        .collect();
    let own = CycleDeviations::measure(analysis, candidate, &steady, count, |pose: Pose| match onto {
        Some(onto) => onto.pose(pose.as_ref()),
        None => pose,
    })
    .map_err(VariationError::NoCycles)?;
    if own.num_cycles < FEWEST_CYCLES {
        let [before, after] = own.ends;
        return Err(VariationError::TooFewCycles {
            found: own.num_cycles,
            before,
            after,
        });
    }
    let joints = own.joints();
    let mut varies = vec![false; skeleton.num_joints()];
    joints.iter().for_each(|&joint| varies[joint] = true);
    let joints_left_out: Vec<usize> = free.into_iter().filter(|&joint| !varies[joint]).collect();
    let basis = Basis::new(&own, SMOOTHING_SECS / clip.step_secs());
    if !basis.shows(settings.amount) {
        return Err(VariationError::Alike {
            left_out: !joints_left_out.is_empty(),
        });
    }
    let weights = Weights::new(basis.len(), copies, count, settings.seed);
    let beside = onto.map_or_else(Vec::new, |onto| beside(skeleton, &varies, onto));
    let mut square = 0.0;
    let samples = (0..copies * count).map(|sample| {
        let plain = clip.body_pose(sample % count);
        let (mut pose, mix) = (plain.to_pose(), weights.at(sample));
        for (index, &joint) in joints.iter().enumerate() {
            let offset = settings.amount * basis.mixed(sample % count, index, &mix);
            square += offset.length_squared();
            pose.rotations[joint] = (rotation::exp(offset) * pose.rotations[joint]).normalize();
        }
        for &(joint, by) in &beside {
            let moved = pose.as_ref().world_of(skeleton, by) * plain.world_of(skeleton, by).inverse();
            pose.place(skeleton, joint, moved * plain.world_of(skeleton, joint));
        }
        pose
    });
    let tracks = clip.tracks().with_poses(samples).on_hinges();
    let variation = Variation {
        settings: *settings,
        copies,
        cycles: own.num_cycles,
        joints: joints.len(),
        joints_left_out,
        radians: (square / (copies * count * joints.len()).max(1) as f64).sqrt(),
    };
    Ok((clip.repeated_with(tracks)?, variation))
}

/// Whether a joint follows a joint of the take that flips.
fn flips(joint: usize, analysis: &Analysis, onto: Option<&Retarget>) -> bool {
    let of_take = onto.map_or(Some(joint), |onto| onto.joint_followed(joint));
    let mut flipping = analysis.defects.flipping.iter();
    flipping.any(|flipping| Some(flipping.joint) == of_take)
}

/// Returns the number of loops for the requested duration. Errors: numbers out of range, too many transforms.
fn copies_of(clip: &LoopClip, settings: &VariationSettings) -> Result<usize, VariationError> {
    settings.check()?;
    let copies = (settings.secs / clip.period_secs()).round().max(2.0);
    let found = copies * clip.num_samples() as f64 * clip.skeleton().num_joints() as f64;
    if found > MAX_TRANSFORMS as f64 {
        return Err(VariationError::TooLong { found });
    }
    Ok(copies as usize)
}

/// Returns the joints below the hips that belong to no leg, and move neither a foot nor the hips.
fn free_joints(skeleton: &Skeleton, body: &Body) -> Vec<usize> {
    // A foot that steers its leg is not a descendant of it.
    let feet = body.known_feet().iter();
    let ends = feet.flat_map(|foot| [Some(foot.ankle), body.end_of_leg_apart(skeleton, foot)]);
    let legs: Vec<Vec<usize>> = ends.flatten().map(|end| skeleton.path_from_root(end)).collect();
    let to_hips = skeleton.path_from_root(body.hips);
    let others = body
        .head
        .iter()
        .chain(&body.hands)
        .flat_map(|&end| skeleton.path_from_root(end));
    let mut ways = vec![0; skeleton.num_joints()];
    for joint in legs.iter().flatten().chain(&to_hips).copied().chain(others) {
        ways[joint] += 1;
    }
    // A leg begins where its path separates from those to all other ends. All its descendants move with it: foot, skin and twist
    // bones.
    let tops: Vec<usize> = legs
        .iter()
        .filter_map(|way| way.iter().copied().find(|&joint| ways[joint] == 1))
        .collect();
    // Joints beside the body, such as handles of a rig, are excluded.
    (0..skeleton.num_joints())
        .filter(|&joint| skeleton.is_within(joint, body.hips) && !body.is_control(joint))
        .filter(|joint| !legs.iter().flatten().chain(&to_hips).any(|fixed| fixed == joint))
        .filter(|&joint| !tops.iter().any(|&top| skeleton.is_within(joint, top)))
        .collect()
}

/// Returns joints of a character beside its body that follow a varied joint, each with that joint.
fn beside(skeleton: &Skeleton, varies: &[bool], onto: &Retarget) -> Vec<(usize, usize)> {
    let led = onto
        .led()
        .filter(|(_, by)| skeleton.path_from_root(*by).iter().any(|&above| varies[above]));
    led.collect()
}

/// Periodic deviations: each is that of one cycle of the take, blended around its start with that of the previous cycle.
struct Basis {
    num_joints: usize,
    num_samples: usize,
    /// By direction, sample and joint.
    deviations: Vec<DVec3>,
    /// The square of the largest deviation in the take, by joint.
    largest_squared: Vec<f64>,
}

impl Basis {
    /// Makes a direction from each cycle but the first, smoothed over this many samples; all are scaled to the mean square of the cycles
    /// themselves.
    fn new(own: &CycleDeviations, smoothing: f64) -> Self {
        let (count, joints) = (own.num_samples, own.joints().len());
        let directions = own.num_cycles - 1;
        let mut deviations = Vec::with_capacity(directions * count * joints);
        for cycle in 1..=directions {
            for sample in 0..count {
                // Equal to the cycle's own start at both ends, with its slope and curvature: the squares of both shares sum to
                // one, as deviations with random differences require.
                let (fall, rise) = shares(sample as f64 / count as f64);
                deviations.extend(
                    (0..joints)
                        .map(|joint| rise * own.at(cycle - 1, sample, joint) + fall * own.at(cycle, sample, joint)),
                );
            }
        }
        let weights = kernel::gaussian_around(count, smoothing);
        for direction in deviations.chunks_exact_mut((count * joints).max(1)) {
            for joint in 0..joints {
                let of_joint: Vec<DVec3> = direction.iter().skip(joint).step_by(joints).copied().collect();
                let smooth = kernel::averaged_around(&of_joint, &weights);
                let places = direction.iter_mut().skip(joint).step_by(joints);
                places.zip(smooth).for_each(|(place, smooth)| *place = smooth);
            }
        }
        // Neighbouring cycles are correlated, so their blend may be larger than either.
        let of_own = own.of_joints().flatten().map(|one| one.length_squared()).sum::<f64>() / own.num_cycles as f64;
        let of_basis = deviations.iter().map(|one| one.length_squared()).sum::<f64>() / directions as f64;
        let scale = if of_basis > 0.0 {
            (of_own / of_basis).sqrt()
        } else {
            0.0
        };
        // A mix whose squared weights sum to one has the mean square of one direction.
        for deviation in &mut deviations {
            *deviation *= scale;
        }
        let largest_squared = own
            .of_joints()
            .map(|of_joint| greatest(of_joint.iter().map(|one| one.length_squared())))
            .collect();
        Self {
            num_joints: joints,
            num_samples: count,
            deviations,
            largest_squared,
        }
    }

    /// Whether this much of the variation is visible.
    fn shows(&self, amount: f64) -> bool {
        let mut squares = self.largest_squared.iter();
        !squares.all(|square| amount * amount * square < LEAST_RADIANS * LEAST_RADIANS)
    }

    fn len(&self) -> usize {
        self.deviations.len() / (self.num_samples * self.num_joints).max(1)
    }

    fn mixed(&self, sample: usize, joint: usize, weights: &[f64]) -> DVec3 {
        let mut mix = DVec3::ZERO;
        for (direction, &weight) in weights.iter().enumerate() {
            mix += weight * self.deviations[(direction * self.num_samples + sample) * self.num_joints + joint];
        }
        let largest = self.largest_squared[joint];
        if largest == 0.0 {
            return DVec3::ZERO;
        }
        // Nearly unchanged up to half of the largest deviation, and never beyond it; a function of the square, so that it is as
        // smooth as the mix.
        let share = mix.length_squared() / largest;
        mix / (1.0 + share * share).sqrt().sqrt()
    }
}

/// Returns the shares of a cycle and of the previous one at a phase: cosine and sine of a quarter turn that starts and ends
/// without slope and curvature.
fn shares(phase: f64) -> (f64, f64) {
    let (sin, cos) = ops::sin_cos(FRAC_PI_2 * smooth_step(phase));
    (cos, sin)
}

/// Random weights over time: each is a sum of waves with a whole number of periods, all of one amplitude.
struct Weights {
    num_samples: usize,
    /// Sine and cosine of the angle of every sample of the whole time, taken as one turn.
    circle: Vec<(f64, f64)>,
    /// Sine and cosine of the phase, by weight and wave.
    phases: Vec<Vec<(f64, f64)>>,
}

impl Weights {
    /// Draws the phases of `count` weights over this number of copies of a loop.
    fn new(count: usize, copies: usize, samples_of_loop: usize, seed: u32) -> Self {
        let num_samples = copies * samples_of_loop;
        let waves = ((HIGHEST_PER_CYCLE * copies as f64).round() as usize).max(1);
        let step = TAU / num_samples as f64;
        let phases = (0..count)
            .map(|weight| {
                let mut random = Pcg64::seed_from_u64(u64::from(seed) ^ (weight as u64 + 1).wrapping_mul(SEED_STEP));
                (0..waves)
                    .map(|_| {
                        // The upper 53 bits, as a share of one.
                        let share = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
                        ops::sin_cos(TAU * share)
                    })
                    .collect()
            })
            .collect();
        Self {
            num_samples,
            circle: (0..num_samples)
                .map(|sample| ops::sin_cos(step * sample as f64))
                .collect(),
            phases,
        }
    }

    /// Returns the weights at a sample, whose squares sum to nearly one.
    fn at(&self, sample: usize) -> Vec<f64> {
        let mut weights: Vec<f64> = self
            .phases
            .iter()
            .map(|waves| {
                let heights = waves.iter().enumerate().map(|(index, (sin, cos))| {
                    let (s, c) = self.circle[(index + 1) * sample % self.num_samples];
                    s * cos + c * sin
                });
                (2.0 / waves.len() as f64).sqrt() * heights.sum::<f64>()
            })
            .collect();
        // The mean square of each weight is one.
        let count = weights.len() as f64;
        let square = weights.iter().map(|weight| weight * weight).sum::<f64>();
        let length = (square + LEAST_SQUARE * count).sqrt() / (1.0 + LEAST_SQUARE).sqrt();
        for weight in &mut weights {
            *weight /= length;
        }
        weights
    }
}
