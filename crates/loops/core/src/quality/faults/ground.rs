//! Whether something bears the body at all times, or else it falls.

use glam::DVec3;

use super::{Cycle, JointPeak, worst};
use crate::{
    analysis::FoundBy,
    math::{distinct, ordered, percentile, smallest},
};

/// A point bears up to this height above the lowest, metres, ...
const NEAR_METRES: f64 = 0.29;

/// ... below this speed, metres per second, and a share of that of the root.
const BEARS_MPS: f64 = 0.25;
const BEARS_SHARE: f64 = 0.1;

/// Longest time in which nothing may bear, seconds; the longer one if the ends of feet are unknown.
const ALOFT_SECS: [f64; 2] = [0.1, 0.2];

/// Least duration of a fall whose acceleration is visible, seconds.
const FALL_SECS: f64 = 0.15;

/// Metres per second squared.
const GRAVITY: f64 = 9.81;

/// Downward accelerations of the hips in a fall, of gravity: limbs that are thrown up or down change it.
const FALLS: core::ops::RangeInclusive<f64> = 0.35..=1.7;

/// In a shorter one the hips rise from the line between its ends by so much, metres, up to gravity times this, for a time that is
/// longer by as much, seconds.
const LEAST_ARC_METRES: f64 = -0.005;
const MOST_ARC: f64 = 1.5;
const ARC_MARGIN_SECS: f64 = 0.1;

/// A loop in which nothing ever bears is measured from this speed on, metres per second, ...
const GOES_MPS: f64 = 0.3;

/// ... if the trunk is upright, up to this lean, and an ankle swings along by this, metres: legs that do not step may ride or skate.
const UPRIGHT_COS: f64 = 0.5;
const STEPS_METRES: f64 = 0.25;

/// Two legs that bear for this share of the time walk, up to this speed, metres per second: from there on the arc of the hips over a
/// leg of 0.9 m would need more than gravity.
const WALKS_SHARE: f64 = 0.97;
const WALKS_MPS: f64 = 3.0;

/// Returns the longest time in which nothing bears and the body does not fall, at its lowest joint; `None` for bodies that are not
/// on legs.
pub(super) fn bears(cycle: &Cycle) -> Option<JointPeak> {
    let body = cycle.body;
    if !matches!(body.found_by, FoundBy::Names | FoundBy::Given) || body.feet.len() < 2 {
        return None;
    }
    let (points, has_tips) = points(cycle);
    let secs = cycle.keys.step_secs();
    let bears: Vec<bool> = cycle.samples().map(|sample| is_borne(cycle, &points, sample)).collect();
    let longest = ALOFT_SECS[usize::from(!has_tips)];
    let Some(first) = bears.iter().position(|&bears| bears) else {
        return steps(cycle).then(|| cycle.peak(lowest(cycle, &points, 0), 0, cycle.count as f64 * secs / longest));
    };
    // From a sample that bears on, so that no gap lies over the end.
    let mut gaps = Vec::new();
    let (mut start, first) = (first as isize, first as isize);
    for at in first..=first + cycle.count {
        if bears[(at % cycle.count) as usize] {
            let samples = start + 1..at;
            if samples.end - samples.start >= 2 && !falls(cycle, samples.clone()) {
                let middle = (samples.start + samples.end) / 2;
                let aloft_secs = (samples.end - samples.start) as f64 * secs;
                gaps.push(cycle.peak(lowest(cycle, &points, middle), middle, aloft_secs / longest));
            }
            start = at;
        }
    }
    let borne = bears.iter().filter(|&&bears| bears).count() as f64 / bears.len() as f64;
    let walks = body.feet.len() == 2 && borne > WALKS_SHARE;
    let mps = cycle.keys.root().twist.linear.length() / cycle.size;
    let fast = if walks { mps / WALKS_MPS } else { 0.0 };
    gaps.push(cycle.peak(body.feet[0].lowest_joint(), first, fast));
    worst(gaps)
}

/// Returns the points that may bear, each in the axes of a joint, and whether there is one beyond the ankles.
fn points(cycle: &Cycle) -> (Vec<(usize, DVec3)>, bool) {
    let (skeleton, body) = (cycle.skeleton(), cycle.body);
    let below = body.feet.iter().flat_map(|foot| skeleton.self_and_below(foot.ankle));
    let below: Vec<usize> = below.collect();
    let tips: Vec<(usize, DVec3)> = below
        .iter()
        .filter_map(|&joint| Some((joint, skeleton.joint(joint).tip?)))
        .filter(|(_, tip)| *tip != DVec3::ZERO)
        .chain(body.bone_ends.iter().copied())
        .collect();
    let has_tips = below.len() > body.feet.len() || !tips.is_empty();
    let joints = distinct(cycle.joints.iter().chain(&below).copied());
    let joints = joints.into_iter().map(|joint| (joint, DVec3::ZERO));
    (joints.chain(tips).collect(), has_tips)
}

fn height(cycle: &Cycle, sample: isize, (joint, end): (usize, DVec3)) -> f64 {
    cycle.keys.point(sample, joint, end).y / cycle.size
}

fn lowest(cycle: &Cycle, points: &[(usize, DVec3)], sample: isize) -> usize {
    let height = |point: &&(usize, DVec3)| height(cycle, sample, **point);
    points
        .iter()
        .min_by_key(|point| ordered(height(point)))
        .map_or(cycle.body.hips, |point| point.0)
}

/// Whether a point near the lowest is at rest over the ground; speeds up and down count twice.
fn is_borne(cycle: &Cycle, points: &[(usize, DVec3)], sample: isize) -> bool {
    let (keys, reach) = (cycle.keys, cycle.reach);
    let twist = keys.root().twist;
    let secs = reach as f64 * keys.step_secs();
    let slow = BEARS_MPS + BEARS_SHARE * twist.linear.length() / cycle.size;
    let [back, on] = [-secs, secs].map(|by| twist.exp(by));
    let low = smallest(points.iter().map(|&point| height(cycle, sample, point))) + NEAR_METRES;
    points.iter().any(|&(joint, end)| {
        let [before, after] =
            [(back, -reach), (on, reach)].map(|(root, by)| root.transform_point(keys.point(sample + by, joint, end)));
        height(cycle, sample, (joint, end)) <= low
            && ((after - before) * DVec3::new(1.0, 2.0, 1.0)).length() < slow * 2.0 * secs * cycle.size
    })
}

/// Whether the hips fall freely.
fn falls(cycle: &Cycle, samples: core::ops::Range<isize>) -> bool {
    let step = cycle.keys.step_secs();
    let heights: Vec<f64> = samples
        .map(|sample| height(cycle, sample, (cycle.body.hips, DVec3::ZERO)))
        .collect();
    let count = heights.len() as f64;
    let secs = count * step;
    if secs < FALL_SECS {
        let (first, last) = (heights[0], heights[heights.len() - 1]);
        let secs = secs + ARC_MARGIN_SECS;
        let arcs = LEAST_ARC_METRES..=MOST_ARC * GRAVITY * secs * secs / 8.0;
        return arcs.contains(&(heights[heights.len() / 2] - 0.5 * (first + last)));
    }
    // The part of a parabola that is orthogonal to lines: k^2 less its mean over k from the middle.
    let parabola = |at: usize| {
        let from_middle = at as f64 - 0.5 * (count - 1.0);
        from_middle * from_middle - (count * count - 1.0) / 12.0
    };
    let (product, square) = heights
        .iter()
        .enumerate()
        .fold((0.0, 0.0), |(product, square), (at, height)| {
            (product + parabola(at) * height, square + parabola(at) * parabola(at))
        });
    FALLS.contains(&(-2.0 * product / square / (step * step) / GRAVITY))
}

/// Whether an upright body that goes somewhere steps.
fn steps(cycle: &Cycle) -> bool {
    let velocity = cycle.keys.root().twist.linear / cycle.size;
    let along = velocity.normalize_or_zero();
    let Some(head) = cycle.body.head.filter(|_| velocity.length() > GOES_MPS) else {
        return false;
    };
    let up: DVec3 = cycle.samples().map(|sample| cycle.place(sample, head)).sum();
    cycle.body.feet.iter().any(|foot| {
        percentile::spread(cycle.samples().map(|sample| cycle.place(sample, foot.ankle).dot(along))) > STEPS_METRES
    }) && up.y > UPRIGHT_COS * up.length()
}
