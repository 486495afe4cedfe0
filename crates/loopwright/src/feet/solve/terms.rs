//! Residuals of the solve: what a correction costs.
//!
//! All are metres, by weights that say how far a thing may move for the same cost. Derivation: docs/math/feet_solve.md.

use glam::DVec3;

use super::{
    HIPS, Settled,
    course::Course,
    goals::Goals,
    limb::{ANKLE, KNEE, LEG_UNKNOWNS, LegPoints, Limb, MOVED_BY, NUM_PARTS, Part},
    normal::{NormalEquations, Run},
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

/// A knee is not stretched beyond this, radians, unless it is in the take.
const LEAST_BEND: f64 = 0.07;

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

/// A correction of all samples, and where it brings the parts of all legs.
struct Correction<'a> {
    unknowns: &'a [f64],
    /// By leg and sample.
    points: &'a [Vec<LegPoints>],
}

/// A residual along a direction: coefficients of the hips and a leg at up to three samples.
struct Row {
    hips: [[f64; HIPS]; 3],
    leg: [[f64; LEG_UNKNOWNS]; 3],
    /// Unknowns of the leg that have a coefficient.
    num_of_leg: usize,
}

impl<'a> Terms<'a> {
    pub(super) fn new(course: &'a Course, goals: &'a [Goals], parts: &'a [[bool; NUM_PARTS]], size: f64) -> Self {
        Self {
            course,
            goals,
            parts,
            width: HIPS + LEG_UNKNOWNS * goals.len(),
            size,
        }
    }

    /// Adds everything that a correction costs, linearized there; returns the cost.
    pub(super) fn cost(&self, settled: &Settled, limbs: &[Limb], equations: &mut NormalEquations) -> f64 {
        let at = &Correction {
            unknowns: &settled.unknowns,
            points: &settled.points(limbs, self.goals),
        };
        for sample in 0..self.course.count() {
            self.add_smoothness(at, sample, equations);
            for leg in 0..self.goals.len() {
                self.add_stay(at, leg, sample, equations);
                self.add_bearing(at, leg, sample, equations);
                self.add_grounded(at, leg, sample, equations);
                self.add_flatness(at, leg, sample, equations);
                self.add_floor(at, leg, sample, equations);
                self.add_knee(at, leg, sample, equations);
            }
        }
        equations.sum_of_squares()
    }

    /// Corrections change slowly, by their third differences, and are small.
    fn add_smoothness(&self, at: &Correction<'_>, sample: usize, equations: &mut NormalEquations) {
        let step = self.course.step_secs;
        let is_held = self.course.is_held(sample);
        for unknown in 0..self.width {
            let (small, lever, secs) = match unknown.checked_sub(HIPS).map(|at| at % LEG_UNKNOWNS) {
                None => (HIPS_STAY[unknown], HIPS_STAY[1], HIPS_SECS),
                Some(of_leg) => {
                    let lever = LEVERS[of_leg] * self.size;
                    let secs = if of_leg < ANKLE { LEG_SECS } else { FOOT_SECS };
                    (REST * lever, lever, secs)
                }
            };
            let small = if is_held { HELD_METRES } else { small };
            let own = at.unknowns[sample * self.width + unknown];
            equations.add(&[(sample, unknown, &[small])], small * own);
            if self.course.after(sample, 3).is_none() {
                continue;
            }
            let scale = lever * (secs / step).powi(3);
            let weights = [-scale, 3.0 * scale, -3.0 * scale, scale];
            let mut residual = 0.0;
            let runs = [0, 1, 2, 3].map(|off| {
                let sample = (sample + off) % self.course.count();
                residual += weights[off] * at.unknowns[sample * self.width + unknown];
                (sample, unknown, &weights[off..=off])
            });
            equations.add(&runs, residual);
        }
    }

    /// Points of a leg stay where closing left them, and the foot keeps its direction.
    fn add_stay(&self, at: &Correction<'_>, leg: usize, sample: usize, equations: &mut NormalEquations) {
        let (here, own) = (&at.points[leg][sample], &self.goals[leg].own[sample]);
        for (part, weight) in STAY.into_iter().enumerate() {
            if weight == 0.0 || !self.parts[leg][part] {
                continue;
            }
            let moved = here.at[part] - own.at[part];
            for along in DVec3::AXES {
                let row = Row::of(part, [(here, weight * along)]);
                self.add_row(&row, 1, leg, sample, weight * moved.dot(along), equations);
            }
        }
        let turned = rotation::difference(here.foot, own.foot);
        let weight = FOOT_METRES * self.size;
        for along in DVec3::AXES {
            let row = here.foot_by.map(|by| weight * by.dot(along));
            equations.add(&[(sample, leg_at(leg), &row)], weight * turned.dot(along));
        }
    }

    /// What bears does not move from one sample to the next.
    fn add_bearing(&self, at: &Correction<'_>, leg: usize, sample: usize, equations: &mut NormalEquations) {
        let Some(next) = self.course.after(sample, 1) else {
            return;
        };
        let goals = &self.goals[leg];
        let (here, there) = (&at.points[leg][sample], &at.points[leg][next]);
        let (on, up) = (self.course.on[sample], self.course.up[sample]);
        let (one, other) = up.any_orthonormal_pair();
        let step = self.course.step_secs;
        for part in 0..NUM_PARTS {
            let bears = goals.bears[sample][part].min(goals.bears[next][part]);
            if bears == 0.0 {
                continue;
            }
            let moved = on.transform_point(there.at[part]) - here.at[part];
            let roll = goals.roll[next][part] - goals.roll[sample][part];
            for (along, secs, roll) in [(one, BEAR_SECS, 0.0), (other, BEAR_SECS, 0.0), (up, LEVEL_SECS, roll)] {
                let weight = bears * secs / step;
                let seen_from_next = on.rotation.conjugate() * along;
                let row = Row::of(part, [(here, -weight * along), (there, weight * seen_from_next)]);
                self.add_row(&row, 2, leg, sample, weight * (along.dot(moved) - roll), equations);
            }
        }
    }

    /// On another character, what bears stays at its height.
    fn add_grounded(&self, at: &Correction<'_>, leg: usize, sample: usize, equations: &mut NormalEquations) {
        let goals = &self.goals[leg];
        if !goals.most_flexed.is_finite() {
            return;
        }
        let (here, own, up) = (&at.points[leg][sample], &goals.own[sample], self.course.up[sample]);
        for part in (0..NUM_PARTS).filter(|&part| goals.bears[sample][part] > 0.0) {
            // Squared, so that a foot leaves the ground freely at the end of its contact.
            let weight = LIFTED * goals.bears[sample][part] * goals.bears[sample][part];
            let lift = up.dot(here.at[part] - own.at[part]);
            let row = Row::of(part, [(here, weight * up)]);
            self.add_row(&row, 1, leg, sample, weight * lift, equations);
        }
    }

    /// A flat foot does not roll about the line from heel to ball, which may stay where they are for that.
    fn add_flatness(&self, at: &Correction<'_>, leg: usize, sample: usize, equations: &mut NormalEquations) {
        let Some(next) = self.course.after(sample, 1) else {
            return;
        };
        let goals = &self.goals[leg];
        let flat =
            |sample: usize| goals.bears[sample][Part::Heel as usize].min(goals.bears[sample][Part::Ball as usize]);
        let weight = flat(sample).min(flat(next)) * FLAT_SECS / self.course.step_secs * FOOT_METRES * self.size;
        if weight == 0.0 {
            return;
        }
        let turned = |sample: usize| rotation::difference(at.points[leg][sample].foot, goals.own[sample].foot);
        let more = turned(next) - turned(sample);
        for along in DVec3::AXES {
            let [here, there] = [(sample, -weight), (next, weight)]
                .map(|(sample, weight)| at.points[leg][sample].foot_by.map(|by| weight * by.dot(along)));
            let runs = [(sample, leg_at(leg), &here[..]), (next, leg_at(leg), &there[..])];
            equations.add(&runs, weight * more.dot(along));
        }
    }

    /// No part is below its floor, nor on its way lower than in the take.
    fn add_floor(&self, at: &Correction<'_>, leg: usize, sample: usize, equations: &mut NormalEquations) {
        let (goals, here) = (&self.goals[leg], &at.points[leg][sample]);
        let up = self.course.up[sample];
        for part in 0..NUM_PARTS {
            let height = up.dot(here.at[part]);
            for (least, weight) in [(goals.floors[sample][part], FLOOR), (goals.clear[sample][part], CLEAR)] {
                if least == f64::NEG_INFINITY {
                    continue;
                }
                let (lacks, slope) = excess(least - height, SOFT_METRES * self.size);
                let row = Row::of(part, [(here, -weight * slope * up)]);
                self.add_row(&row, 1, leg, sample, weight * lacks, equations);
            }
        }
    }

    /// The knee is no sharper than in the take, not stretched, and not folded.
    fn add_knee(&self, at: &Correction<'_>, leg: usize, sample: usize, equations: &mut NormalEquations) {
        let goals = &self.goals[leg];
        let knee = Part::Knee as usize;
        let bend = leg_at(leg) + KNEE;
        let bent = goals.flexed[sample] + at.unknowns[sample * self.width + bend];
        let lacks = goals.flexed[sample].min(LEAST_BEND) - bent;
        let (lacks, slope) = excess(lacks, SOFT_RADIANS);
        let is_limited = goals.most_flexed.is_finite();
        let weight = if is_limited { LIMIT_METRES } else { STRAIGHT_METRES } * self.size;
        equations.add(&[(sample, bend, &[-weight * slope])], weight * lacks);
        if is_limited {
            let most = goals.most_flexed.max(goals.flexed[sample]);
            let (more, slope) = excess(bent - most, SOFT_RADIANS);
            equations.add(&[(sample, bend, &[weight * slope])], weight * more);
        }
        let (Some(middle), Some(after)) = (self.course.after(sample, 1), self.course.after(sample, 2)) else {
            return;
        };
        let [back, on] = [self.course.on[sample].inverse(), self.course.on[middle]];
        let [before, middle, after] = [sample, middle, after].map(|sample| &at.points[leg][sample]);
        let [first, last] = [
            back.transform_point(before.at[knee]),
            on.transform_point(after.at[knee]),
        ];
        let second = first - 2.0 * middle.at[knee] + last;
        let sharp = second.length();
        if sharp > 0.5 * goals.sharpest {
            let (more, slope) = excess(sharp / goals.sharpest - 1.0, SOFT_SHARP);
            let weight = SHARP_METRES * self.size;
            let along = weight * slope / goals.sharpest * (second / sharp);
            let places = [
                (before, back.rotation.conjugate() * along),
                (middle, -2.0 * along),
                (after, on.rotation.conjugate() * along),
            ];
            let row = Row::of(knee, places);
            self.add_row(&row, 3, leg, sample, weight * more, equations);
        }
    }

    /// Adds a row of the first samples from `sample` on.
    fn add_row(
        &self,
        row: &Row,
        samples: usize,
        leg: usize,
        sample: usize,
        residual: f64,
        equations: &mut NormalEquations,
    ) {
        let mut runs: [Run<'_>; 6] = [(0, 0, &[]); 6];
        for off in 0..samples {
            let sample = (sample + off) % self.course.count();
            runs[2 * off] = (sample, 0, &row.hips[off]);
            runs[2 * off + 1] = (sample, leg_at(leg), &row.leg[off][..row.num_of_leg]);
        }
        equations.add(&runs[..2 * samples], residual);
    }
}

/// The first unknown of a leg, among those of a sample.
fn leg_at(leg: usize) -> usize {
    HIPS + leg * LEG_UNKNOWNS
}

impl Row {
    /// The change of the sum of a part's places along directions, one for each of the first samples.
    fn of<const N: usize>(part: usize, places: [(&LegPoints, DVec3); N]) -> Self {
        let mut row = Self {
            hips: [[0.0; HIPS]; 3],
            leg: [[0.0; LEG_UNKNOWNS]; 3],
            num_of_leg: MOVED_BY[part],
        };
        for (off, (points, along)) in places.into_iter().enumerate() {
            row.hips[off] = along.to_array();
            row.leg[off] = points.by[part].map(|by| by.dot(along));
        }
        row
    }
}
