//! Limbs as no body has them: bones that grow, knees that bend backwards, heads and feet that turn round.

use core::f64::consts::PI;

use glam::{DQuat, DVec3};

use super::{Cycle, DEGREE, JointPeak, largest, worst as worst_of};
use crate::math::{greatest, ops, percentile, rotation};

/// How much a bone may change, and differ from the other side's, of its length; only differences from this on count, metres.
const BONE_SHARES: [f64; 2] = [0.2, 0.15];
const BONE_METRES: f64 = 0.04;

/// A knee bends backwards if its mean distance from the line from hip to ankle, on the side away from the toes, is this, metres.
const KNEE_METRES: f64 = 0.04;
const KNEE_SHARE: f64 = 0.3;

/// A foot shows which side is ahead if it is across the leg by this share of its length.
const FOOT_SHARE: f64 = 0.6;

/// How far a shoulder may be off the line from hips to head, of leg and trunk.
const SHOULDER_SHARE: f64 = 0.25;

/// How far the shoulders may be turned against the hips, and toes outwards or inwards, radians, in the median.
const WAIST_RADIANS: f64 = 60.0 * DEGREE;
const TOES_RADIANS: f64 = 75.0 * DEGREE;

/// A foot is low at this share of the samples.
const LOW_SHARE: f64 = 0.25;

/// How fast the head may turn against the chest, radians per second, and how far in all.
const HEAD_RATE: f64 = 700.0 * DEGREE;
const HEAD_RADIANS: f64 = 150.0 * DEGREE;

/// Strides a second of the fastest runners. From this speed on, metres per second, and where the ankle swings by this, metres.
const PACE_HZ: f64 = 2.2;
const PACE_MPS: f64 = 0.3;
const SWING_METRES: f64 = 0.25;

/// Most poses of the head that are compared with each other.
const MOST_POSES: usize = 64;

/// Returns the joint that is least as a body's.
pub(super) fn worst(cycle: &Cycle) -> Option<JointPeak> {
    let found = [
        bones(cycle),
        knees(cycle),
        shoulders(cycle),
        toes(cycle),
        head(cycle),
        pace(cycle),
    ];
    worst_of(found.concat())
}

/// Returns the joints of each arm and leg from its top to hand or ankle, left and right; without those that do not hang from it.
pub(super) fn limbs(cycle: &Cycle) -> [[Option<Vec<usize>>; 2]; 2] {
    let (skeleton, body) = (cycle.skeleton(), cycle.body);
    let limb = |top: usize, ends: &[usize]| {
        let mut path = ends.iter().map(|&end| skeleton.path_from_root(end));
        path.find_map(|path| Some(path[path.iter().position(|&joint| joint == top)?..].to_vec()))
    };
    let ankles: Vec<usize> = body.feet.iter().map(|foot| foot.ankle).collect();
    let pair =
        |tops: Option<[usize; 2]>, ends: &[usize]| tops.map_or([None, None], |tops| tops.map(|top| limb(top, ends)));
    [pair(body.shoulders, &body.hands), pair(body.thighs, &ankles)]
}

fn median(cycle: &Cycle<'_>, value: impl Fn(isize) -> f64) -> f64 {
    percentile::of(cycle.samples().map(value), 0.5)
}

fn bones(cycle: &Cycle) -> Vec<JointPeak> {
    let ratio =
        |metres: f64, of: f64, share: f64| (metres / BONE_METRES).min(metres / (share * of).max(f64::MIN_POSITIVE));
    let mut found = Vec::new();
    for limbs in limbs(cycle) {
        let lengths = limbs.map(|limb| {
            let bones = limb.unwrap_or_default();
            let bones = bones.windows(2).map(|bone| {
                let bone = [bone[0], bone[1]];
                let usual = median(cycle, |at| cycle.distance(at, bone));
                let spread = percentile::spread(cycle.samples().map(|at| cycle.distance(at, bone)));
                let (at, _) = largest(cycle.samples().map(|at| (cycle.distance(at, bone) - usual).abs()));
                found.push(cycle.peak(bone[1], at, ratio(spread, usual, BONE_SHARES[0])));
                (bone[1], usual)
            });
            bones.collect::<Vec<_>>()
        });
        let [left, right] = &lengths;
        if left.len() == right.len() {
            found.extend(left.iter().zip(right).map(|(left, right)| {
                let ratio = ratio((left.1 - right.1).abs(), 0.5 * (left.1 + right.1), BONE_SHARES[1]);
                cycle.peak((if left.1 > right.1 { left } else { right }).0, 0, ratio)
            }));
        }
    }
    found
}

fn knees(cycle: &Cycle) -> Vec<JointPeak> {
    let [_, legs] = limbs(cycle);
    let of_leg = |leg: Vec<usize>| {
        let &[hip, knee, ankle] = leg.as_slice() else {
            return None;
        };
        let foot = cycle.body.feet.iter().find(|foot| foot.ankle == ankle)?;
        let toe = foot.toe.filter(|_| cycle.body.feet.len() == 2)?;
        let bend = |at: isize| {
            let [hip, knee, ankle, toe] =
                [hip, knee, ankle, toe].map(|joint| cycle.keys.position(at, joint) / cycle.size);
            let leg = (ankle - hip).normalize_or_zero();
            let off = off_line(knee - hip, leg);
            let ahead = off_line(toe - ankle, leg);
            // A foot that points down the leg, as of a raised knee, shows no side.
            let along = if ahead.length() > FOOT_SHARE * toe.distance(ankle) {
                off.dot(ahead.normalize_or_zero())
            } else {
                0.0
            };
            (off, along)
        };
        let (sum, off) = cycle
            .samples()
            .map(bend)
            .fold((0.0, 0.0), |sums, (off, along)| (sums.0 + along, sums.1 + off.length()));
        let (at, _) = largest(cycle.samples().map(|at| -bend(at).1));
        let back = if off > 0.0 { -sum / off / KNEE_SHARE } else { 0.0 };
        Some(cycle.peak(knee, at, back.min(off / cycle.count as f64 / KNEE_METRES)))
    };
    legs.into_iter().flatten().filter_map(of_leg).collect()
}

/// Returns shoulders that are beside the body, or turned against the hips.
fn shoulders(cycle: &Cycle) -> Vec<JointPeak> {
    let (keys, body) = (cycle.keys, cycle.body);
    let (Some(shoulders), Some(thighs), Some(head), 2) = (body.shoulders, body.thighs, body.head, body.feet.len())
    else {
        return Vec::new();
    };
    let tall = body
        .stature_in(keys.skeleton(), keys.middle_pose())
        .map_or(f64::INFINITY, |tall| tall / cycle.size);
    let across = |at: isize, [left, right]: [usize; 2]| keys.position(at, left) - keys.position(at, right);
    let aside = shoulders.map(|shoulder| {
        let up = |at| cycle.place(at, head).normalize_or_zero();
        let off = median(cycle, |at| off_line(cycle.place(at, shoulder), up(at)).length());
        cycle.peak(shoulder, 0, off / (SHOULDER_SHARE * tall))
    });
    let turned = median(cycle, |at| angle(across(at, shoulders), across(at, thighs)));
    let waist = cycle.peak(shoulders[0], 0, turned / WAIST_RADIANS);
    aside.into_iter().chain([waist]).collect()
}

/// Returns the part of a vector across a unit vector.
fn off_line(vector: DVec3, line: DVec3) -> DVec3 {
    vector - line * vector.dot(line)
}

fn angle(one: DVec3, other: DVec3) -> f64 {
    ops::atan2(one.cross(other).length(), one.dot(other))
}

/// Returns feet that point sideways, while they are low: a foot that swings may point anywhere.
fn toes(cycle: &Cycle) -> Vec<JointPeak> {
    let (keys, body) = (cycle.keys, cycle.body);
    let Some([left, right]) = body.thighs.filter(|_| body.feet.len() == 2) else {
        return Vec::new();
    };
    let feet = body.feet.iter().filter_map(|foot| {
        let toe = foot.toe.filter(|&toe| toe != foot.ankle)?;
        let height = |at: isize| keys.position(at, foot.ankle).y;
        let low = percentile::of(cycle.samples().map(height), LOW_SHARE);
        let aside = cycle.samples().filter(|&at| height(at) <= low).map(|at| {
            let ahead = (keys.position(at, left) - keys.position(at, right)).cross(DVec3::Y);
            let along = (keys.position(at, toe) - keys.position(at, foot.ankle)).with_y(0.0);
            angle(along, ahead)
        });
        Some((foot.ankle, percentile::of(aside, 0.5)))
    });
    let feet: Vec<(usize, f64)> = feet.collect();
    // Of a mirrored body all feet point backwards.
    let is_mirrored = feet.iter().all(|foot| foot.1 > 0.5 * PI);
    let turned = |radians: f64| if is_mirrored { PI - radians } else { radians };
    feet.iter()
        .map(|&(ankle, radians)| cycle.peak(ankle, 0, turned(radians) / TOES_RADIANS))
        .collect()
}

/// Returns the head if it turns round against the chest.
fn head(cycle: &Cycle) -> Vec<JointPeak> {
    let (keys, skeleton) = (cycle.keys, cycle.skeleton());
    let (Some(head), Some(shoulders)) = (cycle.body.head, cycle.body.shoulders) else {
        return Vec::new();
    };
    let path = skeleton.path_from_root(head);
    let chest = skeleton
        .last_shared(shoulders)
        .and_then(|chest| path.iter().position(|&joint| joint == chest));
    let Some(chest) = chest else { return Vec::new() };
    let turns: Vec<DQuat> = cycle
        .samples()
        .map(|at| {
            path[chest + 1..]
                .iter()
                .map(|&joint| keys.rotation(at, joint))
                .product()
        })
        .collect();
    let secs = cycle.reach as f64 * keys.step_secs();
    let from = |at: usize, by: usize| rotation::difference(turns[(at + by) % turns.len()], turns[at]).length();
    let (fastest, step) = largest((0..turns.len()).map(|at| from(at, cycle.reach as usize)));
    let stride = turns.len().div_ceil(MOST_POSES);
    let poses = || (0..turns.len()).step_by(stride);
    let (at, far) = largest(poses().map(|at| greatest(poses().map(|by| from(at, by)))));
    vec![
        cycle.peak(head, fastest, step / secs / HEAD_RATE),
        cycle.peak(head, at * stride as isize, far / HEAD_RADIANS),
    ]
}

/// Returns feet that stride more often than the fastest runner's; larger bodies are slower.
fn pace(cycle: &Cycle) -> Vec<JointPeak> {
    let velocity = cycle.keys.root().twist.linear / cycle.size;
    let (mps, along) = (velocity.length(), velocity.normalize_or_zero());
    if cycle.body.feet.len() != 2 || mps < PACE_MPS {
        return Vec::new();
    }
    let secs = cycle.count as f64 * cycle.keys.step_secs();
    let feet = cycle.body.feet.iter().filter_map(|foot| {
        let ways: Vec<f64> = cycle
            .samples()
            .map(|at| cycle.place(at, foot.ankle).dot(along))
            .collect();
        let (least, most) = percentile::extremes(ways.iter().copied());
        let [low, high] = [0.25, 0.75].map(|share| least + share * (most - least));
        // From the back to the front, twice around to begin in a known state.
        let (mut is_ahead, mut strides) = (true, 0);
        for (at, &way) in ways.iter().chain(&ways).enumerate() {
            if is_ahead && way < low {
                is_ahead = false;
            } else if !is_ahead && way > high {
                is_ahead = true;
                strides += usize::from(at >= ways.len());
            }
        }
        (most - least > SWING_METRES)
            .then(|| cycle.peak(foot.ankle, 0, strides as f64 / secs * cycle.size.sqrt() / PACE_HZ))
    });
    feet.collect()
}
