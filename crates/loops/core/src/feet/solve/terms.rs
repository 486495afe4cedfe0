//! Residuals of the solve: the cost of a correction.
//!
//! All are metres, with weights that relate displacements of equal cost; those of rotations are stated for the reference body
//! and grow with the size of the body. Derivation: docs/math/feet_solve.md.

use glam::{DMat3, DVec3};

use super::{
    super::leg::{LEAST_BEND, NUM_JOINTS},
    Course, HIPS, Settled,
    goals::Goals,
    limb::{FOOT, KNEE, LEG_UNKNOWNS, LegPoints, Limb, NUM_PARTS, OfParts, PARTS, Part},
    normal::NormalEquations,
    weights::LegWeights,
};
use crate::{
    closure::ring::DIFFERENCE,
    math::{outer, rotation},
};

/// Weights of a metre of displacement by the correction, for knee, ankle, heel, ball and tip; the heel follows the ankle.
const STAY: OfParts = [0.7, 1.0, 0.0, 1.0, 0.5];

/// Weights of a metre of the hips: across, up and ahead. They carry the rest of the body.
const HIPS_STAY: [f64; HIPS] = [20.0, 12.0, 20.0];

/// Weight of a radian of the foot, metres.
const FOOT_METRES: f64 = 0.25;

/// The lever of each unknown of a leg: the displacement per radian, metres. That of ankles is the length of a foot: with less,
/// they follow the noise of all joints above them, because that is the cheapest way to hold a trembling point.
const LEVERS: [f64; LEG_UNKNOWNS] = [0.4, 0.4, 0.4, 0.3, 0.3, 0.3, 0.3, 0.06];

/// Weight of a rotation of each unknown, relative to its lever. Toes would otherwise be bent by tens of degrees for the last millimetre.
const REST: [f64; LEG_UNKNOWNS] = [0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 7.2];

/// Duration over which a correction is smooth, seconds: of the hips, and of a leg. A longer one moves the body more; a shorter one is
/// visible.
const HIPS_SECS: f64 = 0.12;
const LEG_SECS: f64 = 0.06;

/// A part that bears and moves over the ground at a metre per second costs as much as this many metres.
const BEAR_SECS: f64 = 7.0;

/// Weight of a metre of a bearing part above or below its own height. With less, legs that do not reach lift feet off the ground
/// instead of lowering the hips.
const LEVEL: f64 = 20.0;

/// Weight of a flat foot's rotation, in units of its own metres per radian per second.
const FLAT_SECS: f64 = 0.5;

/// Weight of a metre below the floor.
const FLOOR: f64 = 60.0;

/// Weight of a metre below the clearance of the take.
const CLEAR: f64 = 4.0;

/// Weight of a joint with twice its allowed angular acceleration, metres.
const HARD_METRES: f64 = 0.5;

/// Weight of a radian by which a knee is straighter than [`LEAST_BEND`], metres.
const STRAIGHT_METRES: f64 = 3.0;

/// Weight of a radian of a knee whose bend has a limit, as on other characters, metres: beyond the limit, and also straighter than
/// [`LEAST_BEND`], instead of [`STRAIGHT_METRES`].
const LIMIT_METRES: f64 = 20.0;

/// Weight of a unit of correction where there must be none, metres.
const HELD_METRES: f64 = 1e7;

/// Limits set in over about this much: heights, angular accelerations over their limit, and the bend of the knee. Harder, and steps of the search
/// jump from one side of the limit to the other and back.
const SOFT_METRES: f64 = 3e-4;
const SOFT_HARD: f64 = 0.05;
const SOFT_RADIANS: f64 = 0.01;

/// Returns how far a value is above zero, with a soft onset over about `soft`, and its slope. It is exactly zero up to zero;
/// otherwise a value below a limit would be pushed away from it, and a foot would stand above its floor.
fn excess(value: f64, soft: f64) -> (f64, f64) {
    if value <= 0.0 {
        return (0.0, 0.0);
    }
    let sum = value + soft;
    let share = value / sum;
    (value * share, share * (1.0 + soft / sum))
}

/// The cost of corrections of a body.
pub(super) struct Terms<'a> {
    pub course: &'a Course,
    pub limbs: &'a [Limb],
    pub goals: &'a [Goals],
    /// Size of the body over that of the reference body.
    pub size: f64,
}

impl Terms<'_> {
    /// Adds everything that a correction costs, linearized there; returns the cost.
    pub(super) fn cost(&self, settled: &Settled, equations: &mut NormalEquations) -> f64 {
        let points = settled.points(self.limbs, self.goals);
        let mut cost = self.add_smoothness(settled, equations);
        for (leg, points) in points.iter().enumerate() {
            let mut weights = LegWeights::new(self.course.count());
            let goals = &self.goals[leg];
            let turns: Vec<_> = (0..self.course.count())
                .map(|sample| self.limbs[leg].turns(&goals.poses[sample], settled.leg(leg, sample)))
                .collect();
            for sample in 0..self.course.count() {
                self.weigh_stay(leg, points, sample, &mut weights);
                self.weigh_bearing(goals, points, sample, &mut weights);
                self.weigh_height(goals, points, sample, &mut weights);
                self.weigh_flatness(goals, points, sample, &mut weights);
                self.weigh_floor(goals, points, sample, &mut weights);
                cost += self.add_hardness(leg, &turns, sample, equations);
                cost += self.add_bend(leg, settled.leg(leg, sample)[KNEE], sample, equations);
            }
            weights.add_to(equations, leg_at(leg), points);
            cost += weights.sum_of_squares;
        }
        cost
    }

    /// Corrections change slowly, by their third differences, and are small.
    fn add_smoothness(&self, settled: &Settled, equations: &mut NormalEquations) -> f64 {
        let (width, count) = (settled.width, self.course.count());
        let (mut small, mut rough) = (Vec::with_capacity(width), Vec::with_capacity(width));
        for unknown in 0..width {
            let (weight, lever, secs) = match unknown.checked_sub(HIPS).map(|at| at % LEG_UNKNOWNS) {
                None => (HIPS_STAY[unknown], HIPS_STAY[1], HIPS_SECS),
                Some(of_leg) => {
                    let lever = LEVERS[of_leg] * self.size;
                    (REST[of_leg] * lever, lever, LEG_SECS)
                }
            };
            small.push(weight * weight);
            rough.push((lever * (secs / self.course.step_secs).powi(3)).powi(2));
        }
        let held = vec![HELD_METRES * HELD_METRES; width];
        let (mut cost, mut pulls, mut products) = (0.0, vec![0.0; width], vec![0.0; width]);
        let at = |sample: usize, unknown: usize| settled.unknowns[sample * width + unknown];
        for sample in 0..count {
            let small = if self.course.is_held(sample) { &held } else { &small };
            for unknown in 0..width {
                let own = at(sample, unknown);
                pulls[unknown] = small[unknown] * own;
                cost += pulls[unknown] * own;
            }
            equations.add_pull(sample, 0, &pulls);
            equations.add_diagonal(sample, sample, small);
            if self.course.after(sample, 3).is_none() {
                continue;
            }
            let around = [0, 1, 2, 3].map(|off| (sample + off) % count);
            let differences: Vec<f64> = (0..width)
                .map(|unknown| (0..4).map(|off| DIFFERENCE[off] * at(around[off], unknown)).sum())
                .collect();
            cost += differences
                .iter()
                .zip(&rough)
                .map(|(difference, rough)| rough * difference * difference)
                .sum::<f64>();
            for one in 0..4 {
                for unknown in 0..width {
                    pulls[unknown] = DIFFERENCE[one] * rough[unknown] * differences[unknown];
                }
                equations.add_pull(around[one], 0, &pulls);
                if equations.is_factored() {
                    continue;
                }
                for other in one..4 {
                    for unknown in 0..width {
                        products[unknown] = DIFFERENCE[one] * DIFFERENCE[other] * rough[unknown];
                    }
                    equations.add_diagonal(around[one], around[other], &products);
                }
            }
        }
        cost
    }

    /// Penalizes points of a leg that leave their position after closing, and rotations of the foot.
    fn weigh_stay(&self, leg: usize, points: &[LegPoints], sample: usize, weights: &mut LegWeights) {
        let (here, own) = (&points[sample], &self.goals[leg].own[sample]);
        for (part, weight) in PARTS.into_iter().zip(STAY) {
            if weight != 0.0 && self.limbs[leg].has(part) {
                let at = part as usize;
                weights.hold(sample, at, weight, here.at[at] - own.at[at]);
            }
        }
        weights.hold(
            sample,
            FOOT,
            FOOT_METRES * self.size,
            rotation::difference(here.foot, own.foot),
        );
    }

    /// Weighs that parts that bear do not move from one sample to the next.
    fn weigh_bearing(&self, goals: &Goals, points: &[LegPoints], sample: usize, weights: &mut LegWeights) {
        let Some(next) = self.course.after(sample, 1) else {
            return;
        };
        let (on, up) = (self.course.on[sample], self.course.up[sample]);
        let seen_from_next = DMat3::from_quat(on.rotation.conjugate());
        // Its height has a term of its own.
        let level = DMat3::IDENTITY - outer(up, up);
        for part in 0..NUM_PARTS {
            let bears = goals.bears[sample][part].min(goals.bears[next][part]);
            if bears == 0.0 {
                continue;
            }
            weights.join(
                [sample, next],
                part,
                level * (BEAR_SECS * bears / self.course.step_secs).powi(2),
                seen_from_next,
                on.transform_point(points[next].at[part]) - points[sample].at[part],
            );
        }
    }

    /// Weighs that parts that bear are at their heights.
    fn weigh_height(&self, goals: &Goals, points: &[LegPoints], sample: usize, weights: &mut LegWeights) {
        let up = self.course.up[sample];
        for part in (0..NUM_PARTS).filter(|&part| goals.bears[sample][part] > 0.0) {
            // Squared, so that a foot leaves the ground freely at the end of its contact.
            let weight = LEVEL * goals.bears[sample][part] * goals.bears[sample][part];
            weights.push(
                sample,
                part,
                weight * up,
                weight * (up.dot(points[sample].at[part]) - goals.level[sample][part]),
            );
        }
    }

    /// Penalizes rolling of a flat foot about the line from heel to ball, which may be still meanwhile.
    fn weigh_flatness(&self, goals: &Goals, points: &[LegPoints], sample: usize, weights: &mut LegWeights) {
        let Some(next) = self.course.after(sample, 1) else {
            return;
        };
        let flat = [sample, next].map(|sample| {
            let [heel, ball, tip] = [Part::Heel, Part::Ball, Part::Tip].map(|part| goals.bears[sample][part as usize]);
            heel.min(ball.max(tip))
        });
        let weight = flat[0].min(flat[1]) * FLAT_SECS / self.course.step_secs * FOOT_METRES * self.size;
        if weight == 0.0 {
            return;
        }
        let turned = [sample, next].map(|sample| rotation::difference(points[sample].foot, goals.own[sample].foot));
        weights.join(
            [sample, next],
            FOOT,
            DMat3::from_diagonal(DVec3::splat(weight * weight)),
            DMat3::IDENTITY,
            turned[1] - turned[0],
        );
    }

    /// Penalizes parts below their floor, or lower in a swing than in the take.
    fn weigh_floor(&self, goals: &Goals, points: &[LegPoints], sample: usize, weights: &mut LegWeights) {
        let up = self.course.up[sample];
        for part in 0..NUM_PARTS {
            let height = up.dot(points[sample].at[part]);
            for (least, weight) in [(goals.floors[sample][part], FLOOR), (goals.clear[sample][part], CLEAR)] {
                if least == f64::NEG_INFINITY {
                    continue;
                }
                let (lacks, slope) = excess(least - height, SOFT_METRES * self.size);
                weights.push(sample, part, -weight * slope * up, weight * lacks);
            }
        }
    }

    /// Adds a pull where the angular acceleration of a joint is higher than in the take; a correction changes it by its own second
    /// difference. Returns the cost.
    fn add_hardness(
        &self,
        leg: usize,
        turns: &[[DVec3; NUM_JOINTS]],
        sample: usize,
        equations: &mut NormalEquations,
    ) -> f64 {
        let (Some(next), Some(after)) = (self.course.after(sample, 1), self.course.after(sample, 2)) else {
            return 0.0;
        };
        let goals = &self.goals[leg];
        let mut cost = 0.0;
        for joint in 0..NUM_JOINTS {
            let added = turns[sample][joint] - 2.0 * turns[next][joint] + turns[after][joint];
            let turned = goals.turned[next][joint] + added;
            let (hard, most) = (turned.length(), goals.hardest[joint]);
            if hard <= most {
                continue;
            }
            let (more, slope) = excess(hard / most - 1.0, SOFT_HARD);
            let weight = HARD_METRES * self.size;
            let residual = weight * more;
            let slopes = self.limbs[leg].turned_by(&goals.poses[next], joint, weight * slope / most / hard * turned);
            let rows = [(sample, 1.0), (next, -2.0), (after, 1.0)].map(|(sample, factor)| {
                let row = slopes
                    .iter()
                    .map(|&(unknown, slope)| (leg_at(leg) + unknown, factor * slope));
                (sample, row.collect::<Vec<_>>())
            });
            equations.add_residual(&rows, residual);
            cost += residual * residual;
        }
        cost
    }

    /// Adds a pull where the knee is straighter than [`LEAST_BEND`], or bent further than its limit, if it has one; neither counts as far
    /// as the motion itself goes beyond. `turned` is the correction of its angle, radians. Returns the cost.
    fn add_bend(&self, leg: usize, turned: f64, sample: usize, equations: &mut NormalEquations) -> f64 {
        let goals = &self.goals[leg];
        let bent = goals.flexed[sample] + turned;
        let is_limited = goals.most_flexed.is_finite();
        let weight = if is_limited { LIMIT_METRES } else { STRAIGHT_METRES } * self.size;
        let lacks = goals.flexed[sample].min(LEAST_BEND) - bent;
        let folded = is_limited.then_some((bent - goals.most_flexed.max(goals.flexed[sample]), 1.0));
        let mut cost = 0.0;
        for (beyond, sign) in core::iter::once((lacks, -1.0)).chain(folded) {
            let (beyond, slope) = excess(beyond, SOFT_RADIANS);
            let (residual, coefficient) = (weight * beyond, sign * weight * slope);
            equations.add_residual(&[(sample, [(leg_at(leg) + KNEE, coefficient)])], residual);
            cost += residual * residual;
        }
        cost
    }
}

/// Returns the index of the first unknown of a leg within a sample.
fn leg_at(leg: usize) -> usize {
    HIPS + leg * LEG_UNKNOWNS
}
