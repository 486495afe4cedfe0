//! Accumulates the cost of a correction at the points of a leg: residuals of positions and of the foot's rotation are summed
//! before they are transformed to the unknowns.
//!
//! Many residuals concern the same point in different directions. For each point their squares sum to a 3x3 matrix, and only
//! that goes through the derivatives of the point by the unknowns: J^T W J once instead of a product for each residual.

use fearless_simd::{Simd, dispatch};
use glam::{DMat3, DVec3};

use super::{
    HIPS,
    limb::{FOOT, LEG_UNKNOWNS, LegPoints, NUM_PARTS, Slopes},
    normal::NormalEquations,
};
use crate::math::outer;

/// The places of the parts of a leg, and the turn of its foot.
const NUM_PLACES: usize = NUM_PARTS + 1;

/// The squares of residuals of a leg over all samples, linearized, by its places.
pub(super) struct LegWeights {
    of_samples: Vec<Weights>,
    pub sum_of_squares: f64,
}

/// The squares of residuals at one sample.
#[derive(Clone, Copy)]
struct Weights {
    /// Half the slope of the sum.
    pull: [DVec3; NUM_PLACES],
    /// Weights of products with itself, and with the same place at the next sample.
    own: [DMat3; NUM_PLACES],
    next: [DMat3; NUM_PLACES],
}

impl LegWeights {
    pub(super) fn new(num_samples: usize) -> Self {
        let none = Weights {
            pull: [DVec3::ZERO; NUM_PLACES],
            own: [DMat3::ZERO; NUM_PLACES],
            next: [DMat3::ZERO; NUM_PLACES],
        };
        Self {
            of_samples: vec![none; num_samples],
            sum_of_squares: 0.0,
        }
    }

    /// Adds a residual for a place that is off by a vector, times a weight.
    pub(super) fn hold(&mut self, sample: usize, place: usize, weight: f64, off: DVec3) {
        let (weights, square) = (&mut self.of_samples[sample], weight * weight);
        weights.pull[place] += square * off;
        weights.own[place] += DMat3::from_diagonal(DVec3::splat(square));
        self.sum_of_squares += square * off.length_squared();
    }

    /// Adds a residual for a place that differs by a vector from the same place at the next sample, by a symmetric weight; `turn`
    /// takes directions to the axes of the next.
    pub(super) fn join(&mut self, samples: [usize; 2], place: usize, weight: DMat3, turn: DMat3, off: DVec3) {
        let [sample, next] = samples;
        let pull = weight * off;
        self.of_samples[sample].pull[place] -= pull;
        self.of_samples[next].pull[place] += turn * pull;
        self.of_samples[sample].own[place] += weight;
        let carried = weight * turn.transpose();
        self.of_samples[sample].next[place] -= carried;
        self.of_samples[next].own[place] += turn * carried;
        self.sum_of_squares += off.dot(pull);
    }

    /// Adds a residual whose slope by a place is given.
    pub(super) fn push(&mut self, sample: usize, place: usize, slope: DVec3, residual: f64) {
        let weights = &mut self.of_samples[sample];
        weights.pull[place] += slope * residual;
        weights.own[place] += outer(slope, slope);
        self.sum_of_squares += residual * residual;
    }

    /// Adds everything to the equations of the hips and of a leg whose unknowns begin at `first`: after factoring, only the
    /// right-hand sides.
    pub(super) fn add_to(&self, equations: &mut NormalEquations, first: usize, points: &[LegPoints]) {
        for (sample, (weights, points)) in self.of_samples.iter().zip(points).enumerate() {
            let (mut of_hips, mut of_leg) = (DVec3::ZERO, [0.0; LEG_UNKNOWNS]);
            for (place, pull) in weights.pull.into_iter().enumerate() {
                if place != FOOT {
                    of_hips += pull;
                }
                for (slopes, along) in points.by[place].iter().zip(pull.to_array()) {
                    for (sum, slope) in of_leg.iter_mut().zip(slopes) {
                        *sum += slope * along;
                    }
                }
            }
            equations.add_pull(sample, 0, &of_hips.to_array());
            equations.add_pull(sample, first, &of_leg);
        }
        if !equations.is_factored() {
            dispatch!(equations.level(), simd => self.add_products(simd, equations, first, points));
        }
    }

    #[inline(always)]
    fn add_products<S: Simd>(&self, _simd: S, equations: &mut NormalEquations, first: usize, points: &[LegPoints]) {
        let count = points.len();
        for sample in 0..count {
            let weights = &self.of_samples[sample];
            for (off, matrices) in [&weights.own, &weights.next].into_iter().enumerate() {
                // Nothing joins the ends of a chain, so its equations are fewer.
                if matrices.iter().all(|&matrix| matrix == DMat3::ZERO) {
                    continue;
                }
                let other = (sample + off) % count;
                let mut products = Products::NONE;
                for place in 0..NUM_PLACES {
                    if matrices[place] != DMat3::ZERO {
                        products.add([&points[sample], &points[other]], place, matrices[place]);
                    }
                }
                products.add_to(equations, [sample, other], first);
            }
        }
    }
}

/// Products of the unknowns of the hips and of a leg at one sample with those at another.
struct Products {
    hips: DMat3,
    hips_leg: Slopes,
    /// Transposed.
    leg_hips: Slopes,
    leg: [[f64; LEG_UNKNOWNS]; LEG_UNKNOWNS],
}

impl Products {
    const NONE: Self = Self {
        hips: DMat3::ZERO,
        hips_leg: [[0.0; LEG_UNKNOWNS]; 3],
        leg_hips: [[0.0; LEG_UNKNOWNS]; 3],
        leg: [[0.0; LEG_UNKNOWNS]; LEG_UNKNOWNS],
    };

    /// Adds the products of a point at one sample with the same point at the other.
    #[inline(always)]
    fn add(&mut self, points: [&LegPoints; 2], place: usize, weight: DMat3) {
        // Plain loops: closures would not be compiled for the wider vectors.
        let [one, other] = points.map(|points| &points.by[place]);
        let weight_of = weight.transpose().to_cols_array_2d();
        let mut weighed: Slopes = [[0.0; LEG_UNKNOWNS]; 3];
        for row in 0..3 {
            for axis in 0..3 {
                for unknown in 0..LEG_UNKNOWNS {
                    weighed[row][unknown] += weight_of[row][axis] * other[axis][unknown];
                }
            }
        }
        for row in 0..LEG_UNKNOWNS {
            for axis in 0..3 {
                let slope = one[axis][row];
                for unknown in 0..LEG_UNKNOWNS {
                    self.leg[row][unknown] += slope * weighed[axis][unknown];
                }
            }
        }
        if place == FOOT {
            return;
        }
        // The hips carry every part along.
        self.hips += weight;
        for row in 0..3 {
            for axis in 0..3 {
                for unknown in 0..LEG_UNKNOWNS {
                    self.leg_hips[row][unknown] += weight_of[axis][row] * one[axis][unknown];
                }
            }
            for unknown in 0..LEG_UNKNOWNS {
                self.hips_leg[row][unknown] += weighed[row][unknown];
            }
        }
    }

    #[inline(always)]
    fn add_to(&self, equations: &mut NormalEquations, [one, other]: [usize; 2], first: usize) {
        let hips = self.hips.transpose().to_cols_array_2d();
        equations.add_block((one, 0), (other, 0), &hips);
        equations.add_block((one, 0), (other, first), &self.hips_leg);
        equations.add_block((one, first), (other, first), &self.leg);
        if one != other {
            // Of one sample only the upper triangle counts.
            let mut leg_hips = [[0.0; HIPS]; LEG_UNKNOWNS];
            for (unknown, row) in leg_hips.iter_mut().enumerate() {
                *row = [0, 1, 2].map(|axis| self.leg_hips[axis][unknown]);
            }
            equations.add_block((one, first), (other, 0), &leg_hips);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::{super::normal::FEWEST_SAMPLES, *};
    use crate::math::rotation;
    use crate::tests::numbers;

    /// If points are linear in the unknowns, the solution of the equations is where the gradient of the explicit sum of squares
    /// vanishes.
    #[test]
    fn the_solution_balances_all_residuals() {
        const WIDTH: usize = HIPS + LEG_UNKNOWNS;
        let mut next = numbers(11);
        let mut vector = || DVec3::new(next(), next(), next());
        let count = FEWEST_SAMPLES + 3;
        let points: Vec<LegPoints> = (0..count)
            .map(|_| LegPoints {
                at: [(); NUM_PARTS].map(|()| vector()),
                foot: DQuat::IDENTITY,
                by: [(); NUM_PLACES].map(|()| {
                    let columns = [(); LEG_UNKNOWNS].map(|()| vector());
                    [0, 1, 2].map(|axis| columns.map(|column| column[axis]))
                }),
            })
            .collect();
        let offs: Vec<[DVec3; NUM_PLACES]> = (0..count).map(|_| [(); NUM_PLACES].map(|()| vector())).collect();
        let joins: Vec<[DVec3; NUM_PLACES]> = (0..count).map(|_| [(); NUM_PLACES].map(|()| vector())).collect();
        let turn = DMat3::from_quat(rotation::exp(DVec3::new(0.3, -0.5, 0.9)));
        let slopes: Vec<DVec3> = (0..count).map(|_| vector()).collect();
        // Symmetric, with a root that is known.
        let root = DMat3::from_cols(vector(), vector(), vector());
        let weight = root.transpose() * root;

        let mut weights = LegWeights::new(count);
        for sample in 0..count {
            let after = (sample + 1) % count;
            for place in 0..NUM_PLACES {
                weights.hold(sample, place, 0.7, offs[sample][place]);
                weights.join([sample, after], place, weight, turn, joins[sample][place]);
                weights.push(sample, place, slopes[sample], 0.4);
            }
        }
        let mut equations = NormalEquations::new(count, WIDTH);
        weights.add_to(&mut equations, HIPS, &points);
        let solved = equations.solve().expect("every unknown is held");

        // How far a place is moved.
        let moved = |unknowns: &[f64], sample: usize, place: usize| {
            let of_sample = &unknowns[sample * WIDTH..][..WIDTH];
            let hips = if place == FOOT {
                DVec3::ZERO
            } else {
                DVec3::from_slice(of_sample)
            };
            hips + DVec3::from_array(
                points[sample].by[place]
                    .each_ref()
                    .map(|slopes| slopes.iter().zip(&of_sample[HIPS..]).map(|(s, u)| s * u).sum()),
            )
        };
        let cost = |unknowns: &[f64]| {
            let at = |sample: usize, place: usize| moved(unknowns, sample % count, place);
            let mut cost = 0.0;
            for sample in 0..count {
                for place in 0..NUM_PLACES {
                    cost += (0.7 * (offs[sample][place] + at(sample, place))).length_squared();
                    let step = turn.transpose() * at(sample + 1, place) - at(sample, place);
                    cost += (root * (joins[sample][place] + step)).length_squared();
                    cost += (0.4 + slopes[sample].dot(at(sample, place))).powi(2);
                }
            }
            cost
        };
        let at_rest = cost(&vec![0.0; solved.len()]);
        assert!((weights.sum_of_squares - at_rest).abs() < 1e-12 * at_rest);
        let least = cost(&solved);
        assert!(least < 0.9 * at_rest);
        for at in 0..solved.len() {
            let [more, less] = [1e-3, -1e-3].map(|step| {
                let mut beside = solved.clone();
                beside[at] += step;
                cost(&beside)
            });
            assert!(more > least && less > least);
            // The sum is quadratic, so its slope is exact by differences of any size.
            let slope = (more - less) / 2e-3;
            assert!(slope.abs() < 1e-8 * at_rest, "unknown {at}: {slope:e}");
        }
    }
}
