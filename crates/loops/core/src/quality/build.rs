//! Finds limbs that no body has: bones that change, knees that bend backwards, heads that turn around, limbs that never move.

use glam::{DQuat, DVec3};

use super::faults::{DEGREE, Figure, path};
use super::inside::{JointPeak, sharper};
use crate::analysis::body::{Foot, Side, USUAL_HEIGHT_METRES};
use crate::math::{ops, percentile, rotation};

/// Change of a bone over the loop that shows: as a share of it, and metres at the size of an adult.
const BONE_SHARE: f64 = 0.2;
const BONE_METRES: f64 = 0.045;

/// Difference of a limb from that of the other side, as a share of its length: captured people differ by up to 0.085.
const SIDES_SHARE: f64 = 0.15;

/// Distance of a shoulder from the line between hips and head, as a share of the body's height.
const SHOULDER_SHARE: f64 = 0.25;

/// A knee bends backwards where this much more of its bend, off the straight line, is away from the toes than towards them ...
const KNEE_SHARE: f64 = 0.3;

/// ... by at least so much, metres at the size of an adult.
const KNEE_METRES: f64 = 0.045;

/// Largest angle of the line of the shoulders to that of the hips, median over the loop.
const TWIST: f64 = 60.0 * DEGREE;

/// Fastest turn of a head against the chest, radians per second, and farthest between two of its poses.
const HEAD_RATE: f64 = 700.0 * DEGREE;
const HEAD_TURN: f64 = 150.0 * DEGREE;

/// Poses of a head that are compared with each other.
const MOST_POSES: usize = 64;

/// A limb is stiff where its end moves by less than this share of the way of others: an arm, and a leg. Captured arms always
/// move, and limping legs by a third of the other.
const STIFF_SHARES: [f64; 2] = [0.005, 0.15];

/// Way of a limb's end from which it moves, metres at the size of an adult, and to which one that does not is rounded.
const STIFF_METRES: f64 = 0.3;
const STILL_METRES: f64 = 1e-6;

impl Figure<'_> {
    fn samples(&self) -> core::ops::Range<isize> {
        0..self.count()
    }

    /// Returns a measure of each sample and its mean, with the sample at which it is largest.
    fn mean_and_peak(&self, measure: impl Fn(isize) -> f64) -> (f64, usize) {
        let values: Vec<f64> = self.samples().map(measure).collect();
        let peak = (0..values.len()).max_by(|&one, &other| values[one].total_cmp(&values[other]));
        (
            values.iter().sum::<f64>() / values.len() as f64,
            peak.unwrap_or_default(),
        )
    }

    /// Returns the joints of arms and of legs, left and right, from the upper end down to hand or ankle.
    fn limbs(&self) -> [Option<[Vec<usize>; 2]>; 2] {
        let pair = |tops: Option<[usize; 2]>, ends: [usize; 2]| {
            let [left, right] = tops?;
            Some([path(self.keys, left, ends[0])?, path(self.keys, right, ends[1])?])
        };
        let body = self.body;
        let hands = <[usize; 2]>::try_from(body.hands.as_slice()).ok();
        let feet = match body.feet.as_slice() {
            [left, right] if right.side == Some(Side::Right) => Some([left.ankle, right.ankle]),
            _ => None,
        };
        let arms = hands.and_then(|hands| pair(body.shoulders, hands));
        [arms, feet.and_then(|feet| pair(body.thighs, feet))]
    }

    fn bone(&self, sample: isize, joint: usize) -> DVec3 {
        let parent = self.keys.skeleton().parent(joint).unwrap_or(joint);
        self.keys.position(sample, joint) - self.keys.position(sample, parent)
    }

    /// Returns the bone that changes most, the limb that differs most from that of the other side, or the shoulder that is
    /// farthest off.
    pub(super) fn bones(&self) -> JointPeak {
        let own = self
            .joints
            .iter()
            .filter(|&&joint| joint != self.body.hips)
            .map(|&joint| {
                let length = |sample| self.bone(sample, joint).length();
                let (least, most) = percentile::extremes(self.samples().map(length));
                let (mean, sample) = self.mean_and_peak(length);
                let ratio = ((most - least) / (BONE_SHARE * mean)).min((most - least) / (BONE_METRES * self.size));
                JointPeak {
                    joint,
                    sample,
                    ratio: if mean > 0.0 { ratio } else { 0.0 },
                }
            });
        let sides = self.limbs().into_iter().flatten().map(|limbs| {
            let [left, right] =
                (limbs.each_ref()).map(|limb| limb[1..].iter().map(|&joint| self.bone(0, joint).length()).sum::<f64>());
            let longer = &limbs[usize::from(right > left)];
            JointPeak {
                joint: longer[longer.len() / 2],
                sample: 0,
                ratio: 2.0 * (left - right).abs() / (left + right).max(f64::MIN_POSITIVE) / SIDES_SHARE,
            }
        });
        let shoulders = self
            .body
            .head
            .zip(self.body.shoulders)
            .into_iter()
            .flat_map(|(head, shoulders)| {
                shoulders.map(|joint| {
                    let (mean, sample) = self.mean_and_peak(|sample| {
                        let [hips, head, shoulder] =
                            [self.body.hips, head, joint].map(|joint| self.keys.position(sample, joint));
                        (shoulder - hips)
                            .reject_from_normalized((head - hips).normalize_or(DVec3::Y))
                            .length()
                    });
                    let ratio = mean / (SHOULDER_SHARE * USUAL_HEIGHT_METRES * self.size);
                    JointPeak { joint, sample, ratio }
                })
            });
        own.chain(sides).chain(shoulders).fold(JointPeak::default(), sharper)
    }

    /// Returns the knee, trunk or head that bends or turns most beyond what a body does; of bodies on two legs.
    pub(super) fn bends(&self) -> JointPeak {
        let knees = self.body.feet.iter().filter_map(|foot| self.knee(foot));
        let found = knees.chain(self.twist()).chain(self.head());
        found
            .filter(|_| self.body.feet.len() <= 2)
            .fold(JointPeak::default(), sharper)
    }

    fn knee(&self, foot: &Foot) -> Option<JointPeak> {
        let (toe, joint) = (foot.toe?, self.keys.skeleton().parent(foot.ankle)?);
        let top = self.keys.skeleton().parent(joint)?;
        let offs: Vec<f64> = self
            .samples()
            .map(|sample| {
                let [top, knee, ankle, toe] =
                    [top, joint, foot.ankle, toe].map(|joint| self.keys.position(sample, joint));
                let leg = (ankle - top).normalize_or(DVec3::NEG_Y);
                let ahead = (toe - ankle).reject_from_normalized(leg).normalize_or_zero();
                (knee - top).reject_from_normalized(leg).dot(ahead)
            })
            .collect();
        let sample = (0..offs.len()).min_by(|&one, &other| offs[one].total_cmp(&offs[other]))?;
        let (sum, all) = offs
            .iter()
            .fold((0.0, 0.0), |(sum, all), off| (sum + off, all + off.abs()));
        let share = if all > 0.0 { -sum / all } else { 0.0 };
        let ratio = (share / KNEE_SHARE).min(-offs[sample] / (KNEE_METRES * self.size));
        Some(JointPeak { joint, sample, ratio })
    }

    fn twist(&self) -> Option<JointPeak> {
        let (shoulders, thighs) = (self.body.shoulders?, self.body.thighs?);
        let angle = |sample: isize| {
            let [chest, hips] = [shoulders, thighs]
                .map(|[left, right]| self.keys.position(sample, left) - self.keys.position(sample, right));
            ops::atan2(chest.cross(hips).length(), chest.dot(hips))
        };
        let (_, sample) = self.mean_and_peak(angle);
        Some(JointPeak {
            joint: self.keys.skeleton().last_shared(shoulders)?,
            sample,
            ratio: percentile::of(self.samples().map(angle).collect(), 0.5) / TWIST,
        })
    }

    fn head(&self) -> Option<JointPeak> {
        let joint = self.body.head?;
        let chest = self.keys.skeleton().last_shared(self.body.shoulders?)?;
        let neck = path(self.keys, chest, joint)?;
        let poses: Vec<DQuat> = self
            .samples()
            .map(|sample| {
                (neck[1..].iter()).fold(DQuat::IDENTITY, |turn, &joint| turn * self.keys.rotation(sample, joint))
            })
            .collect();
        let turned = |one: usize, other: usize| rotation::difference(poses[one], poses[other % poses.len()]).length();
        let secs = self.reach as f64 * self.keys.step_secs();
        let fast = (0..poses.len()).map(|sample| JointPeak {
            joint,
            sample,
            ratio: turned(sample, sample + self.reach as usize) / secs / HEAD_RATE,
        });
        let some = || (0..poses.len()).step_by(poses.len().div_ceil(MOST_POSES));
        let far = some()
            .flat_map(|one| some().map(move |other| (one, other)))
            .map(|(sample, other)| JointPeak {
                joint,
                sample,
                ratio: turned(sample, other) / HEAD_TURN,
            });
        Some(fast.chain(far).fold(JointPeak::default(), sharper))
    }

    /// Returns the arm that moves least against all limbs, or the leg that does against the other, as the share that is stiff over
    /// its own.
    pub(super) fn stiff(&self) -> JointPeak {
        let limbs = self.limbs();
        let ways = (limbs.each_ref())
            .map(|pair| (pair.as_ref()).map_or([0.0; 2], |pair| pair.each_ref().map(|limb| self.way(limb))));
        let most = ways.as_flattened().iter().copied().fold(0.0, f64::max);
        let found = (0..4).filter_map(|at| {
            let (kind, side) = (at / 2, at % 2);
            let other = [most, ways[kind][1 - side]][kind];
            let ratio = STIFF_SHARES[kind] * other / ways[kind][side].max(STILL_METRES);
            (other > STIFF_METRES * self.size).then_some(JointPeak {
                joint: limbs[kind].as_ref()?[side][0],
                sample: 0,
                ratio,
            })
        });
        found.fold(JointPeak::default(), sharper)
    }

    /// Returns the length of the way of a limb's end as seen from the joint that it hangs from.
    fn way(&self, limb: &[usize]) -> f64 {
        let end = |sample| {
            limb.iter().rev().fold(DVec3::ZERO, |end, &joint| {
                self.keys.local(sample, joint).transform_point(end)
            })
        };
        self.samples().map(|sample| end(sample + 1).distance(end(sample))).sum()
    }
}
