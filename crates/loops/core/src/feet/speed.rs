//! The root's speed by its feet: a standing foot is at rest, so the ground passes below the body at the speed of the body.
//!
//! Treadmill captures and takes converted to in-place have no root motion of their own; their feet show it. Source:
//! docs/math/feet.md.

use glam::DVec3;

use super::{Course, LoopContact, contact};
use crate::{
    analysis::standing::{LimitsAtSize, MAY_STAND_METRES, SWING_MPS},
    math::{TimeStep, Twist, mean, ops, ordered, smallest},
    motion::RootMotion,
};

/// Speeds of feet are measured over this long, seconds; over less, the noise of a capture moves a standing foot.
const SPEED_SECS: f64 = 0.1;

/// Speed at which the weight of a foot is one half, metres per second: first to separate standing feet from swinging ones, then resting
/// feet from rolling ones.
const ROUGH_MPS: f64 = 0.3;
const FINE_MPS: f64 = 0.1;

/// A twist and how far feet slide under it.
#[handed_over(Copy)]
pub struct FeetSpeed {
    /// The root's twist: turn and climb from the poses, horizontal velocity from the feet.
    pub twist: Twist,
    /// The root's velocity from the poses, in its own axes, metres per second.
    pub of_poses: DVec3,
    /// Mean speed of feet near the ground under this twist, metres per second; swinging feet count as 0.4.
    pub slide_mps: f64,
    /// Their mean speed under the twist of the poses, metres per second.
    pub slide_of_poses_mps: f64,
}

/// The feet's speed is used if feet slide less by this factor and by this much, metres per second.
const BETTER_FACTOR: f64 = 0.75;
const BETTER_MPS: f64 = 0.02;

/// The factor for an in-place take, whose poses hold no competing root motion.
const BETTER_FACTOR_IN_PLACE: f64 = 0.9;

/// Share of the feet's speed below which a take counts as in place. Between this share and the next the root motion was
/// captured, and is trusted more than the feet.
const IN_PLACE_SHARE: f64 = 0.25;
const ALIKE_SHARE: f64 = 0.1;

impl FeetSpeed {
    /// Returns the speed of a body that is `size` times as large.
    pub(crate) fn scaled(self, size: f64) -> Self {
        Self {
            twist: Twist {
                linear: self.twist.linear * size,
                ..self.twist
            },
            of_poses: self.of_poses * size,
            slide_mps: self.slide_mps * size,
            slide_of_poses_mps: self.slide_of_poses_mps * size,
        }
    }

    /// Whether the feet give the root's speed better than the poses do.
    pub(crate) fn is_better(&self) -> bool {
        let Self { twist, of_poses, .. } = self;
        let [feet, poses, apart] = [twist.linear, *of_poses, *of_poses - twist.linear].map(ops::over_ground);
        let factor = if poses < IN_PLACE_SHARE * feet {
            BETTER_FACTOR_IN_PLACE
        } else if apart < ALIKE_SHARE * feet {
            BETTER_FACTOR
        } else {
            return false;
        };
        self.slide_mps < (factor * self.slide_of_poses_mps).min(self.slide_of_poses_mps - BETTER_MPS)
    }
}

/// Feet show no speed if they slide less for it by no more than this factor than for the opposite one: legs that swing like pendulums
/// come as low on their way ahead as on their way back.
const OPPOSITE_FACTOR: f64 = 0.85;

/// A foot near the ground: its position and velocity relative to the root, metres and metres per second.
struct Low {
    position: DVec3,
    velocity: DVec3,
}

/// Finds the twist under which standing feet move least; `None` if no foot stands under any twist, and if they would stand as well
/// while the root moves the other way.
///
/// `feet` holds the positions of every foot's lowest joint at all samples, relative to the root.
pub(super) fn of_feet(
    root: &RootMotion,
    step_secs: f64,
    feet: &[Vec<DVec3>],
    limits: &LimitsAtSize,
) -> Option<FeetSpeed> {
    let poses = root.twist;
    let count = feet.first().map_or(0, Vec::len);
    let reach = TimeStep::new(step_secs)
        .nearest(0.5 * SPEED_SECS)
        .clamp(1, count.saturating_sub(1) / 2 + 1);
    let low_at = |positions: &[DVec3], sample: usize| Low {
        position: positions[sample],
        velocity: slope(positions, sample, reach) / step_secs,
    };
    let mut low: Vec<Low> = Vec::new();
    for positions in feet {
        let lowest = smallest(positions.iter().map(|position| position.y));
        low.extend(
            (0..count)
                .filter(|&sample| positions[sample].y - lowest < MAY_STAND_METRES)
                .map(|sample| low_at(positions, sample)),
        );
    }
    if low.is_empty() {
        return None;
    }
    let rough = rough_fit(&low, poses)?;
    // Only samples in which feet stand under that twist refine it.
    let root_motion = RootMotion {
        twist: Twist { linear: rough, ..poses },
        ..*root
    };
    let course = Course::around(root_motion, step_secs, count);
    let mut standing: Vec<Low> = Vec::new();
    for (foot, positions) in feet.iter().enumerate() {
        let stands = stands_amid(&contact::of_point(foot, positions, &course, limits), count, reach);
        standing.extend(
            (0..count)
                .filter(|&sample| stands[sample])
                .map(|sample| low_at(positions, sample)),
        );
    }
    if standing.is_empty() {
        return None;
    }
    let linear = irls_fit(&standing, rough, poses.angular, FINE_MPS);
    let [slide_mps, slide_back_mps] =
        [linear, DVec3::new(-linear.x, linear.y, -linear.z)].map(|linear| mean_slide(&low, linear, poses.angular));
    if ops::over_ground(linear) > FINE_MPS && slide_mps > OPPOSITE_FACTOR * slide_back_mps {
        return None;
    }
    Some(FeetSpeed {
        twist: Twist { linear, ..poses },
        of_poses: poses.linear,
        slide_mps,
        slide_of_poses_mps: mean_slide(&low, poses.linear, poses.angular),
    })
}

/// Returns the mean speed of feet over the ground, each limited to that of a swinging foot.
fn mean_slide(low: &[Low], linear: DVec3, angular: DVec3) -> f64 {
    mean(low.iter().map(|low| sliding(low, linear, angular).min(SWING_MPS)))
}

/// Finds the velocity that most feet imply, starting from that of the poses and from the median over all feet: the median is
/// that of the stance if stance lasts most of the time.
fn rough_fit(low: &[Low], poses: Twist) -> Option<DVec3> {
    let [across, ahead] = [0, 2].map(|axis| {
        let mut found: Vec<f64> = low.iter().map(|low| needed(low, poses.angular)[axis]).collect();
        found.sort_by(f64::total_cmp);
        found[found.len() / 2]
    });
    [poses.linear, DVec3::new(across, poses.linear.y, ahead)]
        .map(|start| {
            let linear = irls_fit(low, start, poses.angular, ROUGH_MPS);
            (linear, mean_slide(low, linear, poses.angular))
        })
        .into_iter()
        .min_by_key(|(_, slide)| ordered(*slide))
        .map(|(linear, _)| linear)
}

/// Returns the samples of a loop at which a foot stands, without the first and last `reach` of each contact, in which it still
/// moves within the time over which speeds are measured.
fn stands_amid(contacts: &[LoopContact], count: usize, reach: usize) -> Vec<bool> {
    let mut stands = vec![false; count];
    for contact in contacts {
        let keys = contact.keys();
        let inside = keys.start + reach..keys.end.saturating_sub(reach);
        let is_short = inside.is_empty() || keys.len() == count;
        for key in if is_short { keys } else { inside } {
            stands[key % count] = true;
        }
    }
    stands
}

/// Returns the motion of a foot per sample: the slope of the line through `reach` samples on either side.
fn slope(positions: &[DVec3], sample: usize, reach: usize) -> DVec3 {
    let count = positions.len();
    let (mut sum, mut total) = (DVec3::ZERO, 0.0);
    for off in 1..=reach {
        let (before, after) = ((sample + count * off - off) % count, (sample + off) % count);
        sum += (positions[after] - positions[before]) * off as f64;
        total += 2.0 * (off * off) as f64;
    }
    sum / total
}

/// Returns the root's velocity at which a foot rests, in the root's axes.
fn needed(low: &Low, angular: DVec3) -> DVec3 {
    -(low.velocity + angular.cross(low.position))
}

/// Returns the horizontal speed of a foot over the ground.
fn sliding(low: &Low, linear: DVec3, angular: DVec3) -> f64 {
    ops::over_ground(needed(low, angular) - linear)
}

/// Rounds of weighting; the velocity converges within a few.
const ROUNDS: usize = 12;

/// Returns the velocity that most feet imply: least squares in which a foot counts less the farther it is from the others.
fn irls_fit(feet: &[Low], start: DVec3, angular: DVec3, half_mps: f64) -> DVec3 {
    let mut linear = start;
    for _ in 0..ROUNDS {
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        for low in feet {
            let weight = 1.0 / (1.0 + (sliding(low, linear, angular) / half_mps).powi(2)).powi(2);
            sum += needed(low, angular) * weight;
            total += weight;
        }
        if total > 0.0 {
            linear = DVec3::new(sum.x / total, start.y, sum.z / total);
        }
    }
    linear
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::standing::ContactLimits;

    #[test]
    fn legs_that_swing_like_pendulums_show_no_speed() {
        let (count, step_secs, most) = (32, 1.0 / 30.0, 0.3);
        // Feet on legs of 0.5 m at an angle, whose ends are lifted on their way ahead.
        let speed = |lift: f64| {
            let feet = [0.0, 0.5].map(|phase| -> Vec<DVec3> {
                let positions = (0..count).map(|sample| {
                    let turn = (sample as f64 / count as f64 + phase) * core::f64::consts::TAU;
                    let angle = most * ops::cos(turn);
                    let up = lift * (-ops::sin(turn)).max(0.0);
                    DVec3::new(0.0, 0.5 * (1.0 - ops::cos(angle)) + up, 0.5 * ops::sin(angle))
                });
                positions.collect()
            });
            let limits = ContactLimits::default().at_size(0.5);
            of_feet(&RootMotion::NONE, step_secs, &feet, &limits).map(|speed| speed.twist.linear.z)
        };
        assert_eq!(speed(0.0), None);
        let fastest = 0.5 * most * core::f64::consts::TAU / (count as f64 * step_secs);
        let found = speed(0.05).unwrap();
        assert!((0.7..=1.0).contains(&(found / fastest)), "{found} of {fastest}");
    }
}
