//! Limbs that are still while their partners move: captures are never exact, and a carried load still moves.

use super::{Cycle, DEGREE, JointPeak, anatomy::limbs, worst as worst_of};
use crate::math::greatest;

/// A joint is still if it turns by no more than the first angle over the loop, radians, and moves if it turns by at least the second.
const STILL_RADIANS: f64 = 0.05 * DEGREE;
const MOVES_RADIANS: f64 = 10.0 * DEGREE;

/// Share of the travel of the other ankle below which a leg is stiff, seen from the hips, if that travel is at least this in a cycle,
/// metres.
const LEG_SHARE: f64 = 0.15;
const LEG_METRES: f64 = 0.3;

/// Largest figure: a limb may be exactly still.
const MOST: f64 = 10.0;

/// Returns the limb that is stillest against its partner, or the trunk against the legs.
pub(super) fn worst(cycle: &Cycle) -> Option<JointPeak> {
    let [arms, legs] = limbs(cycle);
    let turn = |joint: usize| {
        let turned = |at| cycle.keys.turn(0, at, joint).length();
        greatest(cycle.samples().map(turned))
    };
    let most = |joints: &[usize]| greatest(joints.iter().map(|&joint| turn(joint)));
    let still = |joint: usize, own: f64, other: f64| {
        let ratio = (other / MOVES_RADIANS).min(STILL_RADIANS / own.max(STILL_RADIANS / MOST));
        cycle.peak(joint, 0, ratio)
    };
    let mut found = Vec::new();
    if let [Some(left), Some(right)] = &arms {
        // Hands are often not captured.
        let [(left, own), (right, other)] = [left, right].map(|arm| (arm[0], most(&arm[..arm.len() - 1])));
        found.extend([still(left, own, other), still(right, other, own)]);
    }
    if let [Some(left), Some(right)] = &legs {
        let legs: Vec<usize> = left.iter().chain(right).copied().collect();
        let above: Vec<usize> = cycle
            .joints
            .iter()
            .copied()
            .filter(|&joint| joint != cycle.body.hips)
            .filter(|&joint| !legs.iter().any(|&top| cycle.skeleton().is_within(joint, top)))
            .collect();
        if let Some(&first) = above.first() {
            found.push(still(first, most(&above), most(&legs)));
        }
        let [one, other] = [left, right].map(|leg| (leg[0], way(cycle, leg[leg.len() - 1])));
        found.extend([[one, other], [other, one]].map(|[(joint, own), (_, other)]| {
            let ratio = LEG_SHARE * other / own.max(f64::MIN_POSITIVE);
            cycle.peak(joint, 0, ratio.min(other / LEG_METRES).min(MOST))
        }));
    }
    worst_of(found)
}

/// Returns the length of a joint's way in a cycle, seen from the hips.
fn way(cycle: &Cycle, joint: usize) -> f64 {
    let seen = |at: isize| {
        cycle
            .keys
            .transform(at, cycle.body.hips)
            .inverse()
            .transform_point(cycle.keys.position(at, joint))
    };
    cycle.samples().map(|at| seen(at + 1).distance(seen(at))).sum::<f64>() / cycle.size
}
