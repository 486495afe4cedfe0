//! Measures the visibility of the seam, and the distance of the loop from its take.

use glam::DVec3;

use super::SourceTracks;
use crate::{
    analysis::{
        Body,
        seam_peak::{self, floor, second_difference},
    },
    loop_clip::LoopKeys,
    math::{greatest, mean, rotation},
    root_motion::RootRelativeClip,
};

/// The joints with the largest figures at the seam, by index.
#[value(Copy, Default, Eq)]
pub struct SeamJoints {
    /// The joint of [`Quality::pose_gap_radians`](super::Quality::pose_gap_radians).
    pub turn: usize,
    /// The joint of [`Quality::pose_gap_metres`](super::Quality::pose_gap_metres).
    pub gap: usize,
    /// The joint of [`Quality::seam_acceleration_ratio`](super::Quality::seam_acceleration_ratio).
    pub acceleration: usize,
}

/// Returns the joints with a loop's largest figures; the first of equal ones. Takes the arguments of [`measure`](super::measure).
pub fn seam_joints(keys: &LoopKeys, source: Option<&RootRelativeClip>) -> SeamJoints {
    let source = source.map(SourceTracks::new);
    let joints = 0..keys.num_joints();
    let gaps: Vec<(f64, f64)> = joints
        .clone()
        .map(|joint| joint_pose_gap(keys, source.as_ref(), joint))
        .collect();
    SeamJoints {
        turn: first_largest(gaps.iter().map(|gap| gap.0)),
        gap: first_largest(gaps.iter().map(|gap| gap.1)),
        acceleration: first_largest(joints.map(|joint| joint_acceleration_ratio(keys, joint))),
    }
}

/// Returns the place of the largest figure; the first of equal ones.
fn first_largest(figures: impl Iterator<Item = f64>) -> usize {
    let mut worst = (0, f64::NEG_INFINITY);
    for found in figures.enumerate() {
        if found.1 > worst.1 {
            worst = found;
        }
    }
    worst.0
}

/// Returns the gap between first and closing key, and the excess of the step over the seam over any natural step there.
pub(super) fn pose_gap(keys: &LoopKeys, source: Option<&SourceTracks>) -> (f64, f64) {
    (0..keys.num_joints())
        .map(|joint| joint_pose_gap(keys, source, joint))
        .fold((0.0, 0.0), |worst, gap| (worst.0.max(gap.0), worst.1.max(gap.1)))
}

/// Returns the gap of [`pose_gap`] of one joint.
fn joint_pose_gap(keys: &LoopKeys, source: Option<&SourceTracks>, joint: usize) -> (f64, f64) {
    let last = keys.num_samples() as isize;
    let (radians, mut metres) = keys.closing_gap(joint).unwrap_or_default();
    let own = source.map(|source| source.position(last, joint).distance(source.position(last - 1, joint)));
    metres = metres.max(jump(last, own, |sample| {
        keys.position(sample + 1, joint).distance(keys.position(sample, joint))
    }));
    let own = source.map(|source| {
        let [before, after] = [last - 1, last].map(|sample| source.rooted.clip.rotations(sample)[joint]);
        rotation::difference(after, before).length()
    });
    let jump = jump(last, own, |sample| keys.turn(sample, sample + 1, joint).length());
    (radians.max(jump), metres)
}

/// Returns the excess of the step from the last sample to the first over any natural step there, at least 0.
///
/// A key copied over a jump has no gap, but a step. A step is natural if the longer neighbour and twice the largest change of
/// step length elsewhere explain it, or if the take itself has it there (`own`, if available): a foot may well slap down at that
/// moment.
fn jump(last: isize, own: Option<f64>, step: impl Fn(isize) -> f64) -> f64 {
    let steps: Vec<f64> = (0..last).map(step).collect();
    let [.., before, seam] = steps[..] else { return 0.0 };
    let neighbour = before.max(steps[0]).max(own.unwrap_or(0.0));
    let bends = steps[..steps.len() - 1]
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).abs());
    (seam - neighbour - 2.0 * greatest(bends)).max(0.0)
}

/// Second differences of all samples of a joint: size at index i is centred at sample i.
pub(super) fn second_differences(keys: &LoopKeys, joint: usize) -> Vec<DVec3> {
    (0..keys.num_samples() as isize)
        .map(|sample| second_difference([sample + 1, sample, sample - 1].map(|sample| keys.position(sample, joint))))
        .collect()
}

pub(super) fn seam_acceleration_ratio(keys: &LoopKeys) -> f64 {
    greatest((0..keys.num_joints()).map(|joint| joint_acceleration_ratio(keys, joint)))
}

/// Returns the ratio of [`seam_acceleration_ratio`] of one joint.
fn joint_acceleration_ratio(keys: &LoopKeys, joint: usize) -> f64 {
    let num_samples = keys.num_samples();
    let sizes: Vec<f64> = second_differences(keys, joint).iter().map(|a| a.length()).collect();
    // The seam lies between the last sample and the first; the second differences of both contain it.
    sizes[0].max(sizes[num_samples - 1]) / seam_peak::usual(sizes[1..num_samples - 1].to_vec(), floor::TREMBLE_METRES)
}

pub(super) fn seam_acceleration_error_ratio(keys: &LoopKeys, source: &SourceTracks) -> Option<f64> {
    let known = [0, keys.num_samples() as isize].into_iter();
    let known: Vec<isize> = known.filter(|&at| source.has(at - 1) && source.has(at + 1)).collect();
    if known.is_empty() {
        return None;
    }
    let (mut sum, mut count) = (0.0, 0.0);
    for joint in 0..keys.num_joints() {
        let differences = second_differences(keys, joint);
        let rms = mean(differences.iter().map(|a| a.length_squared())).sqrt();
        if rms < floor::ROUNDING_METRES {
            continue;
        }
        sum += differences[0].distance(mean(known.iter().map(|&at| source.second_difference(at, joint)))) / rms;
        count += 1.0;
    }
    (count > 0.0).then(|| sum / count)
}

/// Returns the mean over joints of the size of third differences over their RMS, per sample that starts one.
fn third_difference_profile(num_samples: usize, joints: usize, position: impl Fn(isize, usize) -> DVec3) -> Vec<f64> {
    let mut profile = vec![0.0; num_samples];
    let mut count = 0.0;
    for joint in 0..joints {
        let sizes: Vec<f64> = (0..num_samples as isize)
            .map(|i| {
                let [a, b, c, d] = [i, i + 1, i + 2, i + 3].map(|at| position(at, joint));
                (d - a).distance(3.0 * (c - b))
            })
            .collect();
        let rms = mean(sizes.iter().map(|size| size * size)).sqrt();
        if rms < floor::ROUNDING_METRES {
            continue;
        }
        for (total, size) in profile.iter_mut().zip(&sizes) {
            *total += size / rms;
        }
        count += 1.0;
    }
    if count > 0.0 {
        for total in &mut profile {
            *total /= count;
        }
    }
    profile
}

/// Returns the share of `windows` below `value`, equal ones counted half.
fn mid_rank(windows: &[f64], value: f64) -> f64 {
    let below = windows.iter().filter(|&&window| window < value).count() as f64;
    let equal = windows.iter().filter(|&&window| window == value).count() as f64;
    (below + 0.5 * equal) / windows.len() as f64
}

pub(super) fn seam_rank(keys: &LoopKeys) -> f64 {
    let num_samples = keys.num_samples();
    let profile = third_difference_profile(num_samples, keys.num_joints(), |sample, joint| {
        keys.position(sample, joint)
    });
    let windows: Vec<f64> = (0..num_samples)
        .map(|start| greatest((0..3).map(|i| profile[(start + i) % num_samples])))
        .collect();
    // The three that span the step from the last sample to the first.
    mid_rank(&windows, windows[num_samples - 3])
}

/// Rank of the take's own frames at start and end among the frames of the cut.
pub(super) fn take_rank(source: &SourceTracks) -> Option<f64> {
    let range = source.rooted.clip.sample_range();
    let num_samples = source.rooted.clip.num_intervals() as isize;
    let joints = source.world.num_joints();
    let (first, last) = (*range.start(), *range.end());
    let count = (last - first + 1) as usize;
    if count < 8 {
        return None;
    }
    // Third differences of the open stretch; index i is the one that starts at sample first + i.
    let open = third_difference_profile(count - 3, joints, |sample, joint| {
        source.position(first + sample, joint)
    });
    let window = |start: isize| {
        let index = usize::try_from(start - first).ok()?;
        open.get(index..index + 3).map(|sizes| greatest(sizes.iter().copied()))
    };
    let windows: Vec<f64> = (0..num_samples - 5).filter_map(window).collect();
    if windows.is_empty() {
        return None;
    }
    let ranks = [0, num_samples].into_iter().filter_map(|end| window(end - 3));
    let ranks: Vec<f64> = ranks.map(|value| mid_rank(&windows, value)).collect();
    (!ranks.is_empty()).then(|| mean(ranks))
}

/// Returns the mean distance of the joints of a body from the uncut take, relative to the root, metres. Joints that only steer
/// the rig are ignored.
pub(super) fn displacement_metres(keys: &LoopKeys, body: &Body, source: &SourceTracks) -> f64 {
    mean_of_joints(keys, body, source, |sample, joint| {
        keys.position(sample, joint).distance(source.position(sample, joint))
    })
}

/// Returns the mean local rotation of the same joints from the uncut take, radians.
pub(super) fn displacement_radians(keys: &LoopKeys, body: &Body, source: &SourceTracks) -> f64 {
    mean_of_joints(keys, body, source, |sample, joint| {
        let own = source.rooted.clip.rotations(sample)[joint];
        rotation::difference(keys.rotation(sample, joint), own).length()
    })
}

/// Averages a function over samples and joints of the body.
fn mean_of_joints(keys: &LoopKeys, body: &Body, source: &SourceTracks<'_>, size: impl Fn(isize, usize) -> f64) -> f64 {
    let joints: Vec<usize> = (0..keys.num_joints().min(source.world.num_joints()))
        .filter(|&joint| !body.is_control(joint))
        .collect();
    mean(
        (0..keys.num_samples() as isize)
            .flat_map(|sample| joints.iter().map(move |&joint| (sample, joint)))
            .map(|(sample, joint)| size(sample, joint)),
    )
}
