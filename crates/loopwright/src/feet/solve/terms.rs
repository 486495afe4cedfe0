//! Residuals of the solve: what a correction costs.
//!
//! All are metres, by weights that say how far a thing may move for the same cost; those of turns are stated for the reference body and
//! grow with the size of the body. Derivation: docs/math/feet_solve.md.

use glam::{DMat3, DVec3};

use super::{
    super::leg::LEAST_BEND,
    Course, FootModel, HIPS, Settled,
    goals::Goals,
    limb::{ANKLE, FOOT, KNEE, LEG_UNKNOWNS, LegPoints, Limb, NUM_PARTS, Part},
    normal::NormalEquations,
    weights::{LegWeights, outer},
};
use crate::math::{ops, rotation};

/// A metre of the knee, the ankle, the heel, the ball and the tip away from where closing left them; the heel follows the ankle.
const STAY: [f64; NUM_PARTS] = [0.7, 1.0, 0.0, 1.0, 0.5];

/// A metre of the hips: across, up and ahead. They carry the rest of the body.
const HIPS_STAY: [f64; HIPS] = [20.0, 12.0, 20.0];

/// A radian of the foot, metres.
const FOOT_METRES: f64 = 0.25;

/// The lever of each unknown of a leg: what a radian moves, metres.
const LEVERS: [f64; LEG_UNKNOWNS] = [0.4, 0.4, 0.4, 0.3, 0.15, 0.15, 0.15, 0.06];

/// A turn of a joint, by its lever.
const REST: f64 = 0.6;

/// A correction is smooth over this long, seconds: of the hips, of thigh and knee, of ankle and toes. Longer moves the body more;
/// shorter shows.
const HIPS_SECS: f64 = 0.12;
const LEG_SECS: f64 = 0.06;
const FOOT_SECS: f64 = 0.04;

/// What bears and moves at a metre per second over the ground is off by this many metres, ...
const BEAR_SECS: f64 = 8.0;

/// ... and up or down by this many.
const LEVEL_SECS: f64 = 4.0;

/// Where a knee has a limit to its bend, a metre of what bears above or below its own height: legs that do not reach would lift feet off
/// the ground rather than lower the hips.
const LIFTED: f64 = 6.0;

/// A flat foot that turns away from its direction by a radian per second is off by this many of its own metres.
const FLAT_SECS: f64 = 0.5;

/// A metre below the floor.
const FLOOR: f64 = 60.0;

/// A metre below the clearance of the take.
const CLEAR: f64 = 4.0;

/// A knee twice as sharp as it may be, metres.
const SHARP_METRES: f64 = 1.5;

/// A knee straighter than [`LEAST_BEND`] by a radian, metres.
const STRAIGHT_METRES: f64 = 3.0;

/// Where a knee has a limit to its bend, a radian beyond that or straighter than above, metres.
const LIMIT_METRES: f64 = 20.0;

/// A unit of a correction where there may be none, metres.
const HELD_METRES: f64 = 1e7;

/// Limits set in over about this much: heights, sharpness over its limit, and the bend of the knee. Harder, and steps of the search
/// jump from one side of the limit to the other and back.
const SOFT_METRES: f64 = 1e-3;
const SOFT_SHARP: f64 = 0.02;
const SOFT_RADIANS: f64 = 0.01;

/// How far a value is above zero, setting in over about `soft`, and the slope of that.
fn excess(value: f64, soft: f64) -> (f64, f64) {
    let root = ops::hypot(value, soft);
    // Of two large numbers of opposite sign nothing would be left.
    let above = if value > 0.0 {
        0.5 * (value + root)
    } else {
        0.5 * soft * soft / (root - value)
    };
    (above, above / root)
}

/// The cost of corrections of a body.
pub(super) struct Terms<'a> {
    course: &'a Course,
    goals: &'a [Goals],
    /// What parts each leg has.
    parts: &'a [[bool; NUM_PARTS]],
    width: usize,
    size: f64,
}

impl<'a> Terms<'a> {
    pub(super) fn new(
        course: &'a Course,
        goals: &'a [Goals],
        parts: &'a [[bool; NUM_PARTS]],
        model: &FootModel,
    ) -> Self {
        Self {
            course,
            goals,
            parts,
            width: HIPS + LEG_UNKNOWNS * goals.len(),
            size: model.size,
        }
    }

    /// Adds everything that a correction costs, linearized there; returns the cost.
    pub(super) fn cost(&self, settled: &Settled, limbs: &[Limb], equations: &mut NormalEquations) -> f64 {
        let points = settled.points(limbs, self.goals);
        let mut cost = self.add_smoothness(&settled.unknowns, equations);
        for (leg, points) in points.iter().enumerate() {
            let mut weights = LegWeights::new(self.course.count());
            let goals = &self.goals[leg];
            for sample in 0..self.course.count() {
                self.weigh_stay(leg, points, sample, &mut weights);
                self.weigh_bearing(goals, points, sample, &mut weights);
                self.weigh_height(goals, points, sample, &mut weights);
                self.weigh_flatness(goals, points, sample, &mut weights);
                self.weigh_floor(goals, points, sample, &mut weights);
                self.weigh_sharpness(goals, points, sample, &mut weights);
                cost += self.add_bend(leg, settled.leg(leg, sample)[KNEE], sample, equations);
            }
            weights.add_to(equations, leg_at(leg), points);
            cost += weights.sum_of_squares;
        }
        cost
    }

    /// Corrections change slowly, by their third differences, and are small.
    fn add_smoothness(&self, unknowns: &[f64], equations: &mut NormalEquations) -> f64 {
        const DIFFERENCE: [f64; 4] = [-1.0, 3.0, -3.0, 1.0];
        let (width, count) = (self.width, self.course.count());
        let (mut small, mut rough) = (Vec::with_capacity(width), Vec::with_capacity(width));
        for unknown in 0..width {
            let (weight, lever, secs) = match unknown.checked_sub(HIPS).map(|at| at % LEG_UNKNOWNS) {
                None => (HIPS_STAY[unknown], HIPS_STAY[1], HIPS_SECS),
                Some(of_leg) => {
                    let lever = LEVERS[of_leg] * self.size;
                    let secs = if of_leg < ANKLE { LEG_SECS } else { FOOT_SECS };
                    (REST * lever, lever, secs)
                }
            };
            small.push(weight * weight);
            rough.push((lever * (secs / self.course.step_secs).powi(3)).powi(2));
        }
        let held = vec![HELD_METRES * HELD_METRES; width];
        let (mut cost, mut pulls, mut products) = (0.0, vec![0.0; width], vec![0.0; width]);
        let at = |sample: usize, unknown: usize| unknowns[sample * width + unknown];
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
            cost += (differences.iter().zip(&rough))
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

    /// Points of a leg stay where closing left them, and the foot keeps its direction.
    fn weigh_stay(&self, leg: usize, points: &[LegPoints], sample: usize, weights: &mut LegWeights) {
        let (here, own) = (&points[sample], &self.goals[leg].own[sample]);
        for (part, weight) in STAY.into_iter().enumerate() {
            if weight != 0.0 && self.parts[leg][part] {
                weights.hold(sample, part, weight, here.at[part] - own.at[part]);
            }
        }
        let turned = rotation::difference(here.foot, own.foot);
        weights.hold(sample, FOOT, FOOT_METRES * self.size, turned);
    }

    /// What bears does not move from one sample to the next.
    fn weigh_bearing(&self, goals: &Goals, points: &[LegPoints], sample: usize, weights: &mut LegWeights) {
        let Some(next) = self.course.after(sample, 1) else {
            return;
        };
        let (on, up) = (self.course.on[sample], self.course.up[sample]);
        let seen_from_next = DMat3::from_quat(on.rotation.conjugate());
        let vertical = outer(up, up);
        for part in 0..NUM_PARTS {
            let bears = goals.bears[sample][part].min(goals.bears[next][part]);
            if bears == 0.0 {
                continue;
            }
            let roll = goals.roll[next][part] - goals.roll[sample][part];
            let moved = on.transform_point(points[next].at[part]) - points[sample].at[part] - roll * up;
            let per_step = (bears / self.course.step_secs).powi(2);
            let (over, along_up) = (BEAR_SECS * BEAR_SECS, LEVEL_SECS * LEVEL_SECS);
            let weight = (DMat3::IDENTITY * over + vertical * (along_up - over)) * per_step;
            weights.join([sample, next], part, weight, seen_from_next, moved);
        }
    }

    /// On another character, what bears stays at its height.
    fn weigh_height(&self, goals: &Goals, points: &[LegPoints], sample: usize, weights: &mut LegWeights) {
        if !goals.most_flexed.is_finite() {
            return;
        }
        let up = self.course.up[sample];
        for part in (0..NUM_PARTS).filter(|&part| goals.bears[sample][part] > 0.0) {
            // Squared, so that a foot leaves the ground freely at the end of its contact.
            let weight = LIFTED * goals.bears[sample][part] * goals.bears[sample][part];
            let lift = up.dot(points[sample].at[part] - goals.own[sample].at[part]);
            weights.push(sample, part, weight * up, weight * lift);
        }
    }

    /// A flat foot does not roll about the line from heel to ball, which may stay where they are for that.
    fn weigh_flatness(&self, goals: &Goals, points: &[LegPoints], sample: usize, weights: &mut LegWeights) {
        let Some(next) = self.course.after(sample, 1) else {
            return;
        };
        let flat =
            |sample: usize| goals.bears[sample][Part::Heel as usize].min(goals.bears[sample][Part::Ball as usize]);
        let weight = flat(sample).min(flat(next)) * FLAT_SECS / self.course.step_secs * FOOT_METRES * self.size;
        if weight == 0.0 {
            return;
        }
        let turned = |sample: usize| rotation::difference(points[sample].foot, goals.own[sample].foot);
        let weight = DMat3::from_diagonal(DVec3::splat(weight * weight));
        weights.join(
            [sample, next],
            FOOT,
            weight,
            DMat3::IDENTITY,
            turned(next) - turned(sample),
        );
    }

    /// No part is below its floor, nor on its way lower than in the take.
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

    /// The knee is no sharper than in the take.
    fn weigh_sharpness(&self, goals: &Goals, points: &[LegPoints], sample: usize, weights: &mut LegWeights) {
        let (Some(next), Some(after)) = (self.course.after(sample, 1), self.course.after(sample, 2)) else {
            return;
        };
        let [back, on] = [self.course.on[sample].inverse(), self.course.on[next]];
        let at = |sample: usize| points[sample].at[Part::Knee as usize];
        let [first, last] = [back.transform_point(at(sample)), on.transform_point(at(after))];
        let second = first - 2.0 * at(next) + last;
        let sharp = second.length();
        if sharp > 0.5 * goals.sharpest {
            let (more, slope) = excess(sharp / goals.sharpest - 1.0, SOFT_SHARP);
            let weight = SHARP_METRES * self.size;
            let along = weight * slope / goals.sharpest * (second / sharp);
            let directions = [
                back.rotation.conjugate() * along,
                -2.0 * along,
                on.rotation.conjugate() * along,
            ];
            weights.bend_knee([sample, next, after], directions, weight * more);
        }
    }

    /// The knee is not stretched, and not folded; returns the cost.
    fn add_bend(&self, leg: usize, turned: f64, sample: usize, equations: &mut NormalEquations) -> f64 {
        let goals = &self.goals[leg];
        let bent = goals.flexed[sample] + turned;
        let is_limited = goals.most_flexed.is_finite();
        let weight = if is_limited { LIMIT_METRES } else { STRAIGHT_METRES } * self.size;
        let lacks = goals.flexed[sample].min(LEAST_BEND) - bent;
        let most = goals.most_flexed.max(goals.flexed[sample]);
        let limits = [(lacks, -1.0), (bent - most, 1.0)];
        let mut cost = 0.0;
        for (beyond, sign) in limits.into_iter().take(1 + usize::from(is_limited)) {
            let (beyond, slope) = excess(beyond, SOFT_RADIANS);
            let (residual, coefficient) = (weight * beyond, sign * weight * slope);
            let bend = leg_at(leg) + KNEE;
            equations.add_pull(sample, bend, &[coefficient * residual]);
            equations.add_block((sample, bend), (sample, bend), &[[coefficient * coefficient]]);
            cost += residual * residual;
        }
        cost
    }
}

/// The first unknown of a leg, among those of a sample.
fn leg_at(leg: usize) -> usize {
    HIPS + leg * LEG_UNKNOWNS
}
