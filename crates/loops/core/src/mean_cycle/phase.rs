//! Finds the cycles around the chosen one, and aligns each with it by a smooth, monotone map from phase to the frames of the
//! take.
//!
//! The chosen cycle is the reference; on it phase runs evenly with time. From its ends outwards one cycle after the other is
//! found by dynamic programming over slopes from 0.8 to 1.25, which cannot miss an existing cycle; then the map of each side as
//! a whole is smoothed and refined by Gauss-Newton steps, and read as a cubic B-spline, so that its slope and curvature run on
//! from cycle to cycle. Derivation: docs/math/mean_cycle.md.

use super::CyclesEnd;
use crate::{
    analysis::{Analysis, Features},
    candidate::LoopCandidate,
    math::{mean, ops, ordered, rotation},
};

/// Phases of a cycle at which poses are compared: a step of a walk has eight of them between two contacts.
pub(super) const NUM_PHASES: usize = 32;

/// Number of parts of the even step from phase to phase, which is the resolution of slopes.
const PARTS: usize = 20;

/// Smallest and largest step, in these parts: cycles that are up to a quarter longer or a fifth shorter than the chosen one.
const STEPS: [usize; 2] = [16, 25];

/// Number of phases beyond the end of a cycle that help to find it, if the take has them: the end alone would be badly
/// determined.
const LOOKAHEAD: usize = 8;

/// Price of a slope, as a share of the reference's variance, times the square of its distance from 1.
///
/// A tenth off costs as much as poses that differ by half a percent of the variance: less, and noise bends the map of a body that
/// hardly moves; more, and a limp is not followed.
const SLOPE_PRICE: f64 = 0.5;

/// Similarity to the chosen cycle that a cycle laid onto it must reach: 1 for equal poses, 0 for unrelated ones.
///
/// Neighbours in captured walks and runs reach 0.9 and more.
const MIN_SIMILARITY: f64 = 0.8;

/// Shortest wave of the map, in cycles, at average speed of the body: a whole step may be early or late, half a step is noise.
///
/// Measured on ten takes: with 0.3 feet of runs slide twice as far; with 1 and 3 cycles left out are 1% and 2% nearer, but feet
/// that drag slide two and three times as far.
const SHORTEST_WAVE: f64 = 0.5;

/// Refinements after smoothing; they converge quadratically, and the search was right to a fortieth of a phase.
const NUM_REFINEMENTS: usize = 4;

/// Limits of a valid slope of the map of time.
const SLOPE_LIMITS: [f64; 2] = [0.7, 1.4];

/// Largest difference of stride and turn of a neighbour from those of the chosen cycle, as a share of the stride, ...
const STRIDE_SHARE: f64 = 0.15;
/// ... and in any case by this many metres for a body of a man's size, and by this angle, radians (20 degrees): the pelvis sways.
const STRIDE_METRES: f64 = 0.1;
const TURN_RADIANS: f64 = core::f64::consts::PI / 9.0;

/// A row of cycles of a take, one after another, with the map from phase to frames.
pub(super) struct CycleRow {
    /// Number of cycles before the chosen one, and after it.
    pub num_before: usize,
    num_after: usize,
    /// Why there are no more cycles before, and after.
    pub ends: [CyclesEnd; 2],
    /// Frame at which the chosen cycle starts, and its length in frames.
    start: f64,
    period: f64,
    /// Coefficients of the B-spline of the deviation from even time, frames, outwards from the start and from the end of the chosen
    /// cycle.
    deviations: [Vec<f64>; 2],
}

impl CycleRow {
    /// Finds at most `most` cycles around the candidate, which is one of them, in the middle if possible.
    pub(super) fn around(analysis: &Analysis, candidate: &LoopCandidate, most: usize) -> Self {
        let reference = Reference::new(analysis, candidate);
        let others = most.saturating_sub(1);
        let sides = [Side::Before, Side::After].map(|side| reference.walk(side, others));
        let found = [0, 1].map(|side| sides[side].frames.len() / NUM_PHASES);
        let num_after = found[1].min(others - found[0].min(others / 2));
        let num_before = found[0].min(others - num_after);
        let used = [num_before, num_after];
        Self {
            num_before,
            num_after,
            ends: [0, 1].map(|side| {
                if used[side] < found[side] {
                    CyclesEnd::Enough
                } else {
                    sides[side].end
                }
            }),
            start: reference.start,
            period: reference.period,
            deviations: [Side::Before, Side::After]
                .map(|side| reference.smoothed(side, &sides[side as usize].frames[..used[side as usize] * NUM_PHASES])),
        }
    }

    /// Returns the number of cycles, the chosen one included.
    pub(super) fn num_cycles(&self) -> usize {
        self.num_before + 1 + self.num_after
    }

    /// Returns the frame of a cycle, counted from the first of the row, at a phase from 0 to 1.
    pub(super) fn frame(&self, cycle: usize, phase: f64) -> f64 {
        let turns = cycle as f64 - self.num_before as f64 + phase;
        let (side, outwards) = if turns > 1.0 { (1, turns - 1.0) } else { (0, -turns) };
        self.start + self.period * turns + spline(&self.deviations[side], outwards * NUM_PHASES as f64)
    }
}

/// Returns the uniform cubic B-spline of these coefficients, the first at 0; straight on after the last, and zero below 0.
fn spline(coefficients: &[f64], at: f64) -> f64 {
    let Some(last) = coefficients.len().checked_sub(1).filter(|_| at > 0.0) else {
        return 0.0;
    };
    let slope = coefficients[last] - coefficients[last.saturating_sub(1)];
    let at = at.min((last + 1) as f64);
    let before = at.floor();
    let (u, index) = (at - before, before as isize);
    let v = 1.0 - u;
    let weights = [
        v * v * v / 6.0,
        2.0 / 3.0 - u * u * (1.0 - 0.5 * u),
        2.0 / 3.0 - v * v * (1.0 - 0.5 * v),
        u * u * u / 6.0,
    ];
    weights.iter().zip(index - 1..).fold(0.0, |sum, (weight, index)| {
        let coefficient = match usize::try_from(index) {
            Ok(index) if index <= last => coefficients[index],
            Ok(index) => coefficients[last] + slope * (index - last) as f64,
            Err(_) => 0.0,
        };
        sum + weight * coefficient
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Before = 0,
    After = 1,
}

impl Side {
    /// Returns the direction of time outwards.
    fn sign(self) -> f64 {
        match self {
            Self::Before => -1.0,
            Self::After => 1.0,
        }
    }
}

/// The cycles found on one side of the chosen one: frames at even phases outwards, the first one step away from it.
struct Walk {
    frames: Vec<f64>,
    end: CyclesEnd,
}

/// The chosen cycle, onto which others are laid.
struct Reference<'a> {
    analysis: &'a Analysis,
    features: &'a Features,
    start: f64,
    period: f64,
    /// Features at even phases; at phase 0 the mean of both ends.
    rows: Vec<Vec<f64>>,
    /// Variance of the features over the cycle, square metres.
    variance: f64,
}

impl<'a> Reference<'a> {
    fn new(analysis: &'a Analysis, candidate: &LoopCandidate) -> Self {
        let (start, period) = (candidate.cut.start_frame(), candidate.cut.num_frames());
        let features = &analysis.features;
        let mut rows: Vec<Vec<f64>> = (0..=NUM_PHASES)
            .map(|phase| row_at(features, start + period * phase as f64 / NUM_PHASES as f64))
            .collect();
        let end = rows.pop().unwrap_or_default();
        rows[0]
            .iter_mut()
            .zip(end)
            .for_each(|(start, end)| *start = 0.5 * (*start + end));
        let variance = (0..features.num_position_axes())
            .map(|axis| {
                let middle = mean(rows.iter().map(|row| row[axis]));
                mean(rows.iter().map(|row| (row[axis] - middle) * (row[axis] - middle)))
            })
            .sum();
        Self {
            analysis,
            features,
            start,
            period,
            rows,
            variance,
        }
    }

    /// Returns the place at which the chosen cycle ends on a side.
    fn edge(&self, side: Side) -> f64 {
        match side {
            Side::Before => self.start,
            Side::After => self.start + self.period,
        }
    }

    /// Returns the frames of an even step from phase to phase.
    fn step(&self) -> f64 {
        self.period / NUM_PHASES as f64
    }

    /// Returns the frame that is a number of even steps outwards.
    fn even(&self, side: Side, steps: usize) -> f64 {
        self.edge(side) + side.sign() * self.step() * steps as f64
    }

    /// Returns the features that are a number of steps outwards.
    fn row(&self, side: Side, steps: usize) -> &[f64] {
        let phase = steps % NUM_PHASES;
        match side {
            Side::After => &self.rows[phase],
            Side::Before => &self.rows[(NUM_PHASES - phase) % NUM_PHASES],
        }
    }

    /// Finds cycles outwards until there are enough, or one is not sound.
    fn walk(&self, side: Side, most: usize) -> Walk {
        let mut walk = Walk {
            frames: Vec::new(),
            end: CyclesEnd::Enough,
        };
        let mut edge = self.edge(side);
        for _ in 0..most {
            let Some(frames) = self.next_cycle(side, edge) else {
                walk.end = CyclesEnd::TakeEnds;
                break;
            };
            if let Some(why) = self.why_not_sound(side, edge, &frames) {
                walk.end = why;
                break;
            }
            edge = frames[NUM_PHASES - 1];
            walk.frames.extend(frames);
        }
        walk
    }

    /// Finds the cheapest cycle that begins at a frame, outwards: its frames at even phases. `None` if the take ends before.
    fn next_cycle(&self, side: Side, edge: f64) -> Option<Vec<f64>> {
        let part = self.step() / PARTS as f64;
        let room = if side == Side::After {
            (self.features.num_frames() - 1) as f64 - edge
        } else {
            edge
        };
        // Rounding must not lose a cycle that ends at the last frame.
        let room_parts = (room / part + 1e-6).floor() as usize;
        if room_parts < STEPS[0] * NUM_PHASES {
            return None;
        }
        // An even pace must fit into the lookahead, so that it does not favour a fast one.
        let num_steps = (room_parts / PARTS).clamp(NUM_PHASES, NUM_PHASES + LOOKAHEAD);
        let [shortest, longest] = STEPS;
        let mut costs = vec![0.0];
        // For every step and place, the step that led there.
        let mut came: Vec<Vec<u8>> = Vec::with_capacity(num_steps);
        for steps in 1..=num_steps {
            let mut now = vec![f64::INFINITY; (longest * steps).min(room_parts) + 1];
            let mut from = vec![0_u8; now.len()];
            let row = self.row(side, steps);
            for place in shortest * steps..now.len() {
                let mut best = f64::INFINITY;
                for step in shortest..=longest {
                    let Some(&before) = place.checked_sub(step).and_then(|place| costs.get(place)) else {
                        continue;
                    };
                    let off = step as f64 / PARTS as f64 - 1.0;
                    let cost = before + SLOPE_PRICE * self.variance * off * off;
                    if cost < best {
                        best = cost;
                        from[place] = step as u8;
                    }
                }
                if best < f64::INFINITY {
                    now[place] = best + self.squared_distance(edge + side.sign() * part * place as f64, row);
                }
            }
            costs = now;
            came.push(from);
        }
        let (mut place, _) = costs
            .iter()
            .enumerate()
            .filter(|(_, cost)| cost.is_finite())
            .min_by_key(|(_, cost)| ordered(**cost))?;
        // A cycle that uses all the rest of the take would need more: the take cuts it short.
        if room_parts < PARTS * NUM_PHASES && room_parts - place < PARTS / 2 {
            return None;
        }
        let mut frames = vec![0.0; num_steps];
        for steps in (0..num_steps).rev() {
            frames[steps] = edge + side.sign() * part * place as f64;
            place -= usize::from(came[steps][place]);
        }
        frames.truncate(NUM_PHASES);
        Some(frames)
    }

    /// Returns why a cycle does not resemble the chosen one; `None` if it does.
    fn why_not_sound(&self, side: Side, edge: f64, frames: &[f64]) -> Option<CyclesEnd> {
        let end = frames[NUM_PHASES - 1];
        let (from, to) = (edge.min(end), edge.max(end));
        let defects = &self.analysis.defects;
        let mut bad = defects.bad_frames.iter().map(|bad| &bad.frame).chain(&defects.jumps);
        if bad.any(|&frame| (from..=to).contains(&(frame as f64))) {
            return Some(CyclesEnd::BadFrames);
        }
        let distances = frames
            .iter()
            .zip(1..)
            .map(|(&frame, steps)| self.squared_distance(frame, self.row(side, steps)));
        let similarity = 1.0 - mean(distances) / (2.0 * self.variance);
        // NaN if the reference does not move at all; nothing resembles that.
        if similarity.is_nan() || similarity < MIN_SIMILARITY {
            return Some(CyclesEnd::OtherMotion);
        }
        let [own, other] = [(self.start, self.start + self.period), (from, to)].map(|(from, to)| self.moved(from, to));
        let size = self.analysis.body.size(&self.analysis.take);
        let most = STRIDE_SHARE * ops::over_ground(own.translation) + STRIDE_METRES * size;
        let turned = rotation::yaw_of(own.rotation.conjugate() * other.rotation);
        (ops::over_ground(other.translation - own.translation) > most || turned.abs() > TURN_RADIANS)
            .then_some(CyclesEnd::OtherPath)
    }

    /// Returns the motion of the heading from one frame to another, in its own axes.
    fn moved(&self, from: f64, to: f64) -> crate::math::Rigid {
        let heading = &self.analysis.heading;
        let [from, to] = [from, to].map(|frame| {
            let frame = (frame.round().max(0.0) as usize).min(heading.num_frames() - 1);
            heading.world_from_heading(frame)
        });
        from.inverse() * to
    }

    fn squared_distance(&self, frame: f64, row: &[f64]) -> f64 {
        let (before, after, u) = around(self.features, frame);
        before
            .iter()
            .zip(after)
            .zip(row)
            .fold(0.0, |sum, ((before, after), reference)| {
                let off = before + u * (after - before) - reference;
                sum + off * off
            })
    }

    /// Coefficients of the smoothed deviation from even time on one side, frames, the first at the edge of the chosen cycle.
    ///
    /// The first two are zero, and so is the deviation within the chosen cycle.
    fn smoothed(&self, side: Side, frames: &[f64]) -> Vec<f64> {
        let mut searched = vec![0.0];
        searched.extend(
            frames
                .iter()
                .zip(1..)
                .map(|(frame, steps)| frame - self.even(side, steps)),
        );
        let wave = SHORTEST_WAVE * NUM_PHASES as f64 / core::f64::consts::TAU;
        let mut stiffness = wave * wave * wave * wave;
        for _ in 0..8 {
            let deviations = self.refined(side, &searched, stiffness);
            let is_map = deviations.windows(2).all(|pair| {
                (SLOPE_LIMITS[0]..=SLOPE_LIMITS[1]).contains(&(1.0 + side.sign() * (pair[1] - pair[0]) / self.step()))
            });
            if is_map {
                return deviations;
            }
            stiffness *= 10.0;
        }
        vec![0.0; searched.len()]
    }

    /// Deviations that lay the poses onto the reference, with little curvature.
    fn refined(&self, side: Side, searched: &[f64], stiffness: f64) -> Vec<f64> {
        let count = searched.len();
        let mut deviations = searched.to_vec();
        if count <= FIXED {
            return vec![0.0; count];
        }
        deviations[..FIXED].fill(0.0);
        for _ in 0..NUM_REFINEMENTS {
            // Square of the speed, and the desired step of each pose, times that.
            let (mut squares, mut wanted) = (vec![0.0; count], vec![0.0; count]);
            for steps in FIXED..count {
                let (before, after, u) = around(self.features, self.even(side, steps) + deviations[steps]);
                for ((before, after), reference) in before.iter().zip(after).zip(self.row(side, steps)) {
                    let rate = after - before;
                    squares[steps] += rate * rate;
                    wanted[steps] += rate * (reference - before - u * rate);
                }
            }
            for (steps, wanted) in wanted.iter_mut().enumerate() {
                *wanted += squares[steps] * deviations[steps];
            }
            deviations = smoothing_spline(
                &squares,
                &wanted,
                (stiffness * (squares.iter().sum::<f64>() / (count - FIXED) as f64)).max(f64::MIN_POSITIVE.sqrt()),
            );
        }
        deviations
    }
}

/// Number of leading zeros of a side, so that the B-spline is zero within the chosen cycle.
const FIXED: usize = 2;

/// Minimises the sum of weight x^2 - 2 wanted x, and price times the squares of second differences, with the first two values zero.
///
/// The system has five diagonals and is positive definite; solved by L D L^T.
fn smoothing_spline(weights: &[f64], wanted: &[f64], price: f64) -> Vec<f64> {
    let count = weights.len();
    // Entries of the matrix on the diagonal, and one and two to its right.
    let mut rows = vec![[0.0; 3]; count];
    for (row, weight) in rows.iter_mut().zip(weights) {
        row[0] = *weight;
    }
    const DIFFERENCE: [f64; 3] = [1.0, -2.0, 1.0];
    for first in 0..count.saturating_sub(2) {
        for left in 0..3 {
            for right in left..3 {
                rows[first + left][right - left] += price * DIFFERENCE[left] * DIFFERENCE[right];
            }
        }
    }
    let mut x = wanted.to_vec();
    x[..FIXED].fill(0.0);
    for at in FIXED..count {
        let [diagonal, near, far] = rows[at];
        for (away, entry) in [(1, near), (2, far)] {
            if at + away >= count {
                continue;
            }
            let factor = entry / diagonal;
            rows[at + away][0] -= factor * entry;
            if away == 1 {
                rows[at + 1][1] -= factor * far;
            }
            x[at + away] -= factor * x[at];
        }
    }
    for at in (FIXED..count).rev() {
        let [diagonal, near, far] = rows[at];
        let [next, second] = [1, 2].map(|away| x.get(at + away).copied().unwrap_or(0.0));
        x[at] = (x[at] - near * next - far * second) / diagonal;
    }
    x
}

/// Returns the features of the frames around a time, and the share of the later; a time outside the take counts as its end.
fn around(features: &Features, frame: f64) -> (&[f64], &[f64], f64) {
    let last = features.num_frames() - 1;
    let frame = frame.clamp(0.0, last as f64);
    let before = (frame.floor() as usize).min(last.saturating_sub(1));
    let [row, next] =
        [before, (before + 1).min(last)].map(|frame| &features.positions(frame)[..features.num_position_axes()]);
    (row, next, frame - before as f64)
}

pub(super) fn row_at(features: &Features, frame: f64) -> Vec<f64> {
    let (before, after, u) = around(features, frame);
    before
        .iter()
        .zip(after)
        .map(|(before, after)| before + u * (after - before))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smoothing_spline_minimises_its_sum() {
        let weights: Vec<f64> = (0..12).map(|index| 1.0 + f64::from(index % 3)).collect();
        let wanted: Vec<f64> = (0..12).map(|index| f64::from(index * index % 7) - 2.0).collect();
        let cost = |x: &[f64]| {
            let fit: f64 = (0..12)
                .map(|at| weights[at] * x[at] * x[at] - 2.0 * wanted[at] * x[at])
                .sum();
            let rough = x.windows(3).map(|x| x[0] - 2.0 * x[1] + x[2]);
            fit + 5.0 * rough.map(|rough| rough * rough).sum::<f64>()
        };
        let best = smoothing_spline(&weights, &wanted, 5.0);
        assert_eq!(best[..2], [0.0, 0.0]);
        for at in 2..12 {
            for step in [-1e-3, 1e-3] {
                let mut moved = best.clone();
                moved[at] += step;
                assert!(cost(&moved) > cost(&best), "{at}");
            }
        }
    }

    /// The map's value, slope and curvature run on over the edge of the chosen cycle and over every coefficient.
    #[test]
    fn the_spline_is_smooth_and_zero_where_it_begins() {
        let coefficients: Vec<f64> = (0..20)
            .map(|index| if index < 2 { 0.0 } else { ops::sin(f64::from(index)) })
            .collect();
        let step = 1e-3;
        for at in 0..=20 {
            let at = f64::from(at);
            let curvature = |at: f64| {
                (spline(&coefficients, at - step) - 2.0 * spline(&coefficients, at) + spline(&coefficients, at + step))
                    / step
                    / step
            };
            let jump = curvature(at + step) - curvature(at - step);
            assert!(jump.abs() < 0.02, "{at}: {jump}");
        }
        assert_eq!(spline(&coefficients, 0.0), 0.0);
        assert_eq!(spline(&[], 3.0), 0.0);
    }
}
