//! Measures visible faults inside a loop, away from its seam: kinks, frozen poses, feet that float or sink, a body that lies or
//! hangs.

use core::ops::Range;

use glam::{DQuat, DVec3};

use super::{SourceTracks, Stand, WorstContact, seam::second_differences};
use crate::{
    analysis::{
        Body,
        seam_peak::{self, floor},
    },
    loop_clip::LoopKeys,
    math::{greatest, mean, ops, percentile, rotation},
};

/// The place where a joint exceeds a reference most.
#[handed_over(Copy, Default)]
pub struct JointPeak {
    /// The joint.
    pub joint: usize,
    /// The sample of the loop.
    pub sample: usize,
    /// Factor by which it exceeds the reference.
    pub ratio: f64,
}

/// The longest time for which the whole body is still while the loop as a whole moves.
#[handed_over(Copy, Default)]
pub struct HeldPose {
    /// The first sample of it.
    pub sample: usize,
    /// Its duration, seconds; 0 if the body is never still.
    pub secs: f64,
}

/// Rotations look less sharp than their figures, and count by this factor.
const TURN_SHARE: f64 = 0.85;

/// Changes of velocity that are not visible, whatever the source: metres per second squared at the size of an adult, and radians
/// per second squared.
const UNSEEN: [f64; 2] = [4.0, 100.0];

/// Returns the sharpest change at a seam over the 99th percentile of the joint's others, or over the visible limit; for the
/// worst joint.
pub(super) fn seam_acceleration(keys: &LoopKeys, body: &Body, size: f64) -> JointPeak {
    let count = keys.num_samples();
    let unseen = UNSEEN[0] * size * keys.step_secs() * keys.step_secs();
    // A seam lies between a sample and the one before; the second differences of both contain it.
    let mut at_seam = vec![false; count];
    for seam in keys.seams() {
        at_seam[seam] = true;
        at_seam[(seam + count - 1) % count] = true;
    }
    let peaks = (0..keys.num_joints())
        .filter(|&joint| !body.is_control(joint))
        .map(|joint| {
            let bends: Vec<f64> = second_differences(keys, joint)
                .iter()
                .map(|bend| bend.length())
                .collect();
            let elsewhere = (0..count)
                .filter(|&sample| !at_seam[sample])
                .map(|sample| bends[sample]);
            let usual = seam_peak::usual(elsewhere.collect(), unseen.max(floor::TREMBLE_METRES));
            keys.seams()
                .map(|seam| JointPeak {
                    joint,
                    sample: seam,
                    ratio: bends[seam].max(bends[(seam + count - 1) % count]) / usual,
                })
                .fold(JointPeak::default(), sharper)
        });
    peaks.fold(JointPeak::default(), sharper)
}

pub(super) fn sharper(worst: JointPeak, next: JointPeak) -> JointPeak {
    if next.ratio > worst.ratio { next } else { worst }
}

/// Returns the sharpest bend in position or rotation of any joint of the body, relative to its source; `None` without a source.
///
/// Per joint, the largest second difference of its position relative to the root and of its local rotation, each over the
/// largest of the source from two samples before the start to two after the end, or over the visible limit.
pub(super) fn kink(keys: &LoopKeys, body: &Body, source: Option<&SourceTracks>, size: f64) -> Option<JointPeak> {
    let source = source?;
    let count = keys.num_samples() as isize;
    let own: Vec<isize> = (-2..count + 3)
        .filter(|&sample| source.has(sample - 1) && source.has(sample + 1))
        .collect();
    let unseen = UNSEEN.map(|rate| rate * (keys.step_secs() * keys.step_secs()));
    let peaks = (0..keys.num_joints().min(source.world.num_joints()))
        .filter(|&joint| !body.is_control(joint))
        .map(|joint| {
            let bends = own.iter().map(|&at| source.second_difference(at, joint).length());
            // Samples with both neighbours are consecutive.
            let turns = own.first().map_or_else(Vec::new, |&first| {
                let samples = first..first + own.len() as isize;
                turn_changes(samples, |at| source.rooted.clip.rotations(at)[joint])
            });
            let allowed = [
                greatest(bends).max(unseen[0] * size).max(floor::TREMBLE_METRES),
                greatest(turns).max(unseen[1]),
            ];
            let peaks = second_differences(keys, joint)
                .into_iter()
                .zip(turn_changes(0..count, |sample| keys.rotation(sample, joint)))
                .enumerate()
                .map(|(sample, (bend, turned))| JointPeak {
                    joint,
                    sample,
                    ratio: (bend.length() / allowed[0]).max(TURN_SHARE * turned / allowed[1]),
                });
            peaks.fold(JointPeak::default(), sharper)
        });
    peaks.reduce(sharper)
}

/// Returns at each sample how the turn to the next one differs from the turn before, radians.
fn turn_changes(samples: Range<isize>, rotation: impl Fn(isize) -> DQuat) -> Vec<f64> {
    let turns: Vec<DVec3> = (samples.start - 1..samples.end)
        .map(|at| rotation::difference(rotation(at + 1), rotation(at)))
        .collect();
    turns.windows(2).map(|pair| pair[1].distance(pair[0])).collect()
}

/// A pose is held while joints move at less than this share of the loop's usual speed.
const HELD_SHARE: f64 = 0.1;

/// Returns the longest time for which all joints are nearly still over the ground.
pub(super) fn held_pose(keys: &LoopKeys) -> HeldPose {
    let count = keys.num_samples();
    let step = keys.root().twist.exp(keys.step_secs());
    // Seen from the root at a sample, the next one has moved on by a step of the root.
    let speeds: Vec<f64> = (0..count as isize)
        .map(|sample| {
            let moved = (0..keys.num_joints()).map(|joint| {
                let next = step.transform_point(keys.position(sample + 1, joint));
                next.distance(keys.position(sample, joint))
            });
            moved.sum()
        })
        .collect();
    let usual = percentile::of(speeds.clone(), 0.5);
    let (mut longest, mut run) = (HeldPose::default(), 0);
    // Twice around, so that a hold over the seam is complete.
    for step in 0..2 * count {
        run = if speeds[step % count] < HELD_SHARE * usual {
            run + 1
        } else {
            0
        };
        let secs = run.min(count) as f64 * keys.step_secs();
        if secs > longest.secs {
            longest = HeldPose {
                sample: (step + 1 - run.min(step + 1)) % count,
                secs,
            };
        }
    }
    longest
}

/// A contact that is shorter than this is part of a swing that reverses, seconds: no step stands for so short a time.
const LEAST_STAND_SECS: f64 = 0.1;

/// Returns the contact whose foot is farthest above or below its height in the source; `None` without contacts or source.
pub(super) fn foot_height(keys: &LoopKeys, stands: &[Stand], source: Option<&SourceTracks>) -> Option<WorstContact> {
    let source = source?;
    let heights = stands
        .iter()
        .filter(|stand| stand.num_samples >= (LEAST_STAND_SECS / keys.step_secs()).ceil() as usize)
        .map(|stand| {
            let above = (0..stand.num_samples)
                .map(|step| ((stand.first_sample + step) % keys.num_samples()) as isize)
                .map(|sample| keys.position(sample, stand.joint).y - source.position(sample, stand.joint).y);
            WorstContact {
                joint: stand.joint,
                sample: stand.first_sample,
                metres: percentile::of(above, 0.5),
            }
        });
    heights.reduce(|worst, next| {
        if next.metres.abs() > worst.metres.abs() {
            next
        } else {
            worst
        }
    })
}

/// A body has a direction if the mean from feet to head is this long, as a share of their distance.
const STEADY_SHARE: f64 = 0.5;

/// Returns the mean angle between the direction from feet to head and up, radians; `None` for bodies without a head or feet, and
/// for those that roll.
pub(super) fn lean_radians(keys: &LoopKeys, body: &Body) -> Option<f64> {
    let head = body.head.filter(|_| !body.known_feet().is_empty())?;
    let count = keys.num_samples() as isize;
    let (sum, lengths) = (0..count)
        .map(|sample| {
            let feet = body.feet.iter().map(|foot| foot.ankle);
            keys.position(sample, head) - mean(feet.map(|ankle| keys.point(sample, ankle, body.end_of(ankle))))
        })
        .fold((DVec3::ZERO, 0.0), |(sum, lengths), way| {
            (sum + way, lengths + way.length())
        });
    let mean = sum / count as f64;
    // A body that rolls has no direction of its own.
    (sum.length() > STEADY_SHARE * lengths && mean.length() > floor::ROUNDING_METRES)
        .then(|| ops::atan2(ops::over_ground(mean), mean.y))
}
