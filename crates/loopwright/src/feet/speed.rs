//! The root's speed by its feet: what stands does not move, so the ground passes below the body as fast as the body travels.
//!
//! Captures on a treadmill and takes that somebody brought in place have no travel of their own; their feet have. Source:
//! docs/math/feet.md.

use glam::DVec3;

use super::{contact, stage::Stage};
use crate::{
    analysis::standing::{ContactLimits, MAY_STAND_METRES, SWING_MPS},
    math::{ops, rigid::Twist, time_step::TimeStep},
    motion::RootMotion,
};

/// Speeds of feet are measured over this long, seconds: over less, the noise of a capture moves a foot that stands.
const SPEED_SECS: f64 = 0.1;

/// Speed at which a foot counts half, metres per second: first to separate standing feet from swinging ones, then feet that
/// rest from feet that roll.
const ROUGH_MPS: f64 = 0.3;
const FINE_MPS: f64 = 0.1;

/// A twist and how far feet slide under it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeetSpeed {
    /// The root's twist: turn and climb as the poses have them, the way as the feet do.
    pub twist: Twist,
    /// The root's velocity as the poses have it, in its own axes, metres per second.
    pub of_poses: DVec3,
    /// Mean speed of feet near the ground under this twist, metres per second, those that swing counted as 0.4.
    pub slide_mps: f64,
    /// The same under the twist of the poses.
    pub slide_of_poses_mps: f64,
}

/// Feet must slide less by this factor and by this much, metres per second, for their speed to be taken.
const BETTER_FACTOR: f64 = 0.75;
const BETTER_MPS: f64 = 0.02;

/// The same factor for a take in place: its poses know nothing of a travel that could be the better truth.
const BETTER_FACTOR_IN_PLACE: f64 = 0.9;

/// A take whose travel is below this share of what the feet say is one in place; what lies between that and the other share
/// is travel that was captured, and more to be trusted than feet.
const IN_PLACE_SHARE: f64 = 0.25;
const ALIKE_SHARE: f64 = 0.1;

impl FeetSpeed {
    /// Whether the feet give the root's speed better than the poses do.
    pub(crate) fn is_better(&self) -> bool {
        let slides_less = |factor: f64| {
            let poses = self.slide_of_poses_mps;
            self.slide_mps < (factor * poses).min(poses - BETTER_MPS)
        };
        let over_ground = |v: DVec3| ops::hypot(v.x, v.z);
        let feet = over_ground(self.twist.linear);
        let is_in_place = over_ground(self.of_poses) < IN_PLACE_SHARE * feet;
        let is_alike = over_ground(self.of_poses - self.twist.linear) < ALIKE_SHARE * feet;
        (is_in_place && slides_less(BETTER_FACTOR_IN_PLACE)) || (is_alike && slides_less(BETTER_FACTOR))
    }
}

/// A foot near the ground: where it is and how it moves, seen from the root, metres and metres per second.
struct Low {
    place: DVec3,
    velocity: DVec3,
}

/// The twist under which standing feet move least; `None` where no foot comes to stand under any.
///
/// `feet` holds the places of every foot's lowest joint at all samples, seen from the root.
pub(super) fn of_feet(stage: &Stage<'_>, feet: &[Vec<DVec3>], limits: &ContactLimits) -> Option<FeetSpeed> {
    let step_secs = stage.clip.step_secs();
    let poses = stage.travel.twist;
    let count = feet.first().map_or(0, Vec::len);
    let reach = TimeStep::new(step_secs)
        .nearest(0.5 * SPEED_SECS)
        .clamp(1, count.saturating_sub(1) / 2 + 1);
    let low_at = |places: &[DVec3], stands: &dyn Fn(usize) -> bool| -> Vec<Low> {
        (0..count)
            .filter(|&sample| stands(sample))
            .map(|sample| Low {
                place: places[sample],
                velocity: slope(places, sample, reach) / step_secs,
            })
            .collect()
    };
    let low: Vec<Low> = feet
        .iter()
        .flat_map(|places| {
            let lowest = places.iter().map(|place| place.y).fold(f64::INFINITY, f64::min);
            low_at(places, &|sample| places[sample].y - lowest < MAY_STAND_METRES)
        })
        .collect();
    if low.is_empty() {
        return None;
    }
    let slide = |linear: DVec3| {
        let speeds = low.iter().map(|low| sliding(low, linear, poses.angular).min(SWING_MPS));
        speeds.sum::<f64>() / low.len() as f64
    };
    // The middle one of all that feet near the ground would have; it is that of the stance where that is most of the time.
    let middle = |axis: usize| {
        let mut found: Vec<f64> = low.iter().map(|low| needed(low, poses.angular)[axis]).collect();
        found.sort_by(f64::total_cmp);
        found[found.len() / 2]
    };
    let starts = [poses.linear, DVec3::new(middle(0), poses.linear.y, middle(2))];
    let rough = starts
        .map(|start| irls_fit(&low, start, poses.angular, ROUGH_MPS))
        .into_iter()
        .min_by(|&one, &other| slide(one).total_cmp(&slide(other)))?;
    // Under that twist feet come to stand, and those samples alone tell the rest.
    let travel = RootMotion {
        twist: Twist { linear: rough, ..poses },
        ..stage.travel
    };
    let mut standing: Vec<Low> = Vec::new();
    for (foot, places) in feet.iter().enumerate() {
        let contacts = contact::of_foot(foot, places, &travel, step_secs, limits);
        let mut stands = vec![false; count];
        for contact in &contacts {
            // At its ends the foot still moves within the time over which speeds are measured.
            let keys = contact.keys();
            let inside = keys.start + reach..keys.end.saturating_sub(reach);
            let measured = if inside.is_empty() || keys.len() == count {
                keys
            } else {
                inside
            };
            for key in measured {
                stands[key % count] = true;
            }
        }
        standing.extend(low_at(places, &|sample| stands[sample]));
    }
    if standing.is_empty() {
        return None;
    }
    let linear = irls_fit(&standing, rough, poses.angular, FINE_MPS);
    Some(FeetSpeed {
        twist: Twist { linear, ..poses },
        of_poses: poses.linear,
        slide_mps: slide(linear),
        slide_of_poses_mps: slide(poses.linear),
    })
}

/// How far a foot moves from one sample to the next: the slope of the line through `reach` samples on either side.
fn slope(places: &[DVec3], sample: usize, reach: usize) -> DVec3 {
    let count = places.len();
    let (mut sum, mut total) = (DVec3::ZERO, 0.0);
    for off in 1..=reach {
        let (before, after) = ((sample + count * off - off) % count, (sample + off) % count);
        sum += (places[after] - places[before]) * off as f64;
        total += 2.0 * (off * off) as f64;
    }
    sum / total
}

/// The root's velocity under which a foot rests, in the root's axes.
fn needed(low: &Low, angular: DVec3) -> DVec3 {
    -(low.velocity + angular.cross(low.place))
}

/// How fast a foot slides over level ground.
fn sliding(low: &Low, linear: DVec3, angular: DVec3) -> f64 {
    let off = needed(low, angular) - linear;
    ops::hypot(off.x, off.z)
}

/// Rounds of weighting; the velocity settles within a few.
const ROUNDS: usize = 12;

/// The velocity that most feet want: least squares, in which a foot counts less the further it is from the rest.
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
