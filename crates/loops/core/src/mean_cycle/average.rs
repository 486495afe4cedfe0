//! Averages cycles aligned with each other: poses relative to a root are averaged, then put back onto the mean root motion.

use glam::{DQuat, DVec3};

use super::{
    MAX_CYCLE_SECS, MIN_CYCLES, MeanCycle, MeanCycleError, MeanCycles, UsedCycle,
    detail::Splitter,
    phase::{CycleRow, NUM_PHASES, row_at},
    window::{Window, trust},
};
use crate::{
    analysis::Analysis,
    candidate::LoopCandidate,
    math::{
        Rigid, Twist,
        fit::{PointPair, fit_planar},
        mean, percentile, rotation, smooth_step,
    },
    motion::{Pose, RootMotion, Tracks},
    root_motion::{RootRelativeClip, cycle::MIN_CLIMB_METRES, poses::fit_weights},
    take::Clip,
};

/// Most transforms (cycles times samples times joints) that are read for a mean: fewer cycles are used for very dense samples.
const MAX_TRANSFORMS: usize = 20_000_000;

/// A joint whose rotation in a cycle is farther than this from the mean is not averaged, radians: beyond a right angle the mean
/// is not unique, and jumps from one phase to the next.
pub(super) const MAX_SPREAD: f64 = core::f64::consts::FRAC_PI_2;

/// A turn of at least this, radians, is so close to a whole one that no twist reaches an end in another place: the equivalent turn within
/// half a turn is used.
const NEAR_WHOLE_TURN: f64 = 5.5;

/// Cycles of a take laid onto the chosen one, with the weights and root motion of their mean.
pub(crate) struct LaidCycles<'a> {
    analysis: &'a Analysis,
    pub(super) row: CycleRow,
    window: Window,
    /// The root at the start of each cycle, world.
    starts: Vec<Rigid>,
    /// Twist over one cycle of each pair of neighbours, in the axes of the first one's root.
    twists: Vec<Twist>,
    /// Rise over a cycle, metres, below which it does not count as climb.
    least_climb: f64,
    carrier: usize,
    asked: MeanCycles,
}

impl<'a> LaidCycles<'a> {
    /// Finds the cycles around a candidate; the mean will have `num_samples` samples.
    ///
    /// Errors: [`MeanCycleError`]: the candidate is not one of several cycles, or no neighbour resembles it.
    pub(crate) fn find(
        analysis: &'a Analysis,
        candidate: &LoopCandidate,
        asked: MeanCycles,
        num_samples: usize,
    ) -> Result<Self, MeanCycleError> {
        if let MeanCycles::UpTo(found) = asked
            && found < MIN_CYCLES
        {
            return Err(MeanCycleError::TooFewAsked { found });
        }
        if candidate.pairing.is_mirrored() {
            return Err(MeanCycleError::Mirrored);
        }
        if candidate.pairing.is_ping_pong() {
            return Err(MeanCycleError::PingPong);
        }
        if candidate.whole.is_some() {
            return Err(MeanCycleError::WholeClip);
        }
        if candidate.is_idle {
            return Err(MeanCycleError::Idle);
        }
        let secs = candidate.source_period_secs;
        if secs > MAX_CYCLE_SECS {
            return Err(MeanCycleError::TooLong { secs });
        }
        let affordable = MAX_TRANSFORMS / (num_samples * analysis.take.num_joints()).max(1);
        let row = CycleRow::around(analysis, candidate, asked.most().min(affordable).max(MIN_CYCLES));
        if row.num_cycles() < MIN_CYCLES {
            let [before, after] = row.ends;
            return Err(MeanCycleError::NoOther { before, after });
        }
        let window = Window::over(&trust(&distances(analysis, &row)));
        let mut start = analysis
            .heading
            .world_from_heading(candidate.cut.start_frame().round() as usize);
        // The root runs at height zero, or climbs from there.
        start.translation.y = 0.0;
        let starts: Vec<Rigid> = motions_from_chosen(analysis, &row)
            .iter()
            .map(|&motion| motion * start)
            .collect();
        let twists = (0..row.num_cycles() - 1)
            .map(|cycle| twist_between(analysis, &row, &starts, cycle))
            .collect();
        Ok(Self {
            carrier: analysis.carrier(),
            least_climb: MIN_CLIMB_METRES * f64::from(candidate.cycles),
            analysis,
            row,
            window,
            starts,
            twists,
            asked,
        })
    }

    /// Returns the chosen cycle, relative to a root of its own that starts at that of the mean. `root` is the motion of its
    /// root, from any start.
    pub(crate) fn own(&self, clip: &Clip, root: RootMotion) -> RootRelativeClip {
        let start = self.starts[self.row.num_before];
        RootRelativeClip::relative_to(
            clip,
            RootMotion {
                start,
                twist: root.twist.seen_from(root.start.inverse() * start),
            },
            self.carrier,
        )
    }

    /// Returns the mean as a clip in the world, with context: it continues indefinitely, carried by the mean root motion from
    /// the start of the chosen cycle.
    ///
    /// `closed` is the chosen cycle of [`Self::own`], closed: fine detail is taken from it.
    pub(crate) fn mean(&self, closed: &Tracks) -> (Clip, MeanCycle) {
        let (count, step_secs) = (closed.num_frames(), closed.step_secs());
        let period_secs = count as f64 * step_secs;
        let skeleton = closed.skeleton();
        let mut unclear = vec![false; closed.num_joints()];
        for flipping in &self.analysis.defects.flipping {
            unclear[flipping.joint] = true;
        }
        let mut poses: Vec<Pose> = (0..count)
            .map(|sample| self.pose(sample as f64 / count as f64, &mut unclear))
            .collect();
        let splitter = Splitter::new(count, period_secs);
        for (joint, &is_unclear) in unclear.iter().enumerate() {
            let own: Vec<Rigid> = (0..count).map(|sample| closed.pose(sample).joint(joint)).collect();
            if is_unclear {
                for (pose, own) in poses.iter_mut().zip(own) {
                    pose.set_joint(joint, own);
                }
                continue;
            }
            let (moved, turned): (Vec<DVec3>, Vec<DVec3>) = own
                .iter()
                .zip(&poses)
                .map(|(own, mean)| {
                    (
                        own.translation - mean.translations[joint],
                        rotation::difference(own.rotation, mean.rotations[joint]),
                    )
                })
                .unzip();
            for (pose, (moved, turned)) in poses
                .iter_mut()
                .zip(splitter.fine(&moved).into_iter().zip(splitter.fine(&turned)))
            {
                pose.translations[joint] += moved;
                pose.rotations[joint] = (rotation::exp(turned) * pose.rotations[joint]).normalize();
            }
        }

        let root = RootMotion::new(self.starts[self.row.num_before], self.mean_twist(period_secs));
        let context = Clip::context_samples(step_secs);
        let samples = (0..count + 1 + 2 * context).map(|index| {
            let sample = index as isize - context as isize;
            let mut pose = poses[sample.rem_euclid(count as isize) as usize].clone();
            pose.carry(skeleton, self.carrier, root.at(sample as f64 * step_secs));
            pose
        });
        (
            Clip::from_samples(Tracks::pose_by_pose(skeleton, step_secs, samples), count, context),
            self.described(&unclear),
        )
    }

    /// Returns the mean pose at a phase, its carrier relative to the root. Joints whose rotations differ too much are marked.
    fn pose(&self, phase: f64, unclear: &mut [bool]) -> Pose {
        let (take, skeleton) = (&self.analysis.take, self.analysis.take.skeleton());
        let weights = self.window.at(phase);
        let cycles: Vec<Pose> = (0..self.row.num_cycles())
            .map(|cycle| take.sample(self.row.frame(cycle, phase)))
            .collect();
        // Each pair of cycles has its own root; relative to it one runs on into the other.
        let share = smooth_step(phase);
        let mut carried: Vec<(Rigid, f64)> = Vec::with_capacity(2 * self.twists.len());
        for (pair, (twist, &weight)) in self.twists.iter().zip(&self.window.pairs).enumerate() {
            for (later, weight) in [(0, weight * share), (1, weight * (1.0 - share))] {
                let root = self.starts[pair] * twist.exp(phase + later as f64);
                let carrier = cycles[pair + later].as_ref().in_root(skeleton, self.carrier, root);
                carried.push((carrier, weight));
            }
        }
        unclear
            .iter_mut()
            .enumerate()
            .map(|(joint, unclear)| {
                let transforms: Vec<(Rigid, f64)> = if joint == self.carrier {
                    carried.clone()
                } else {
                    cycles
                        .iter()
                        .map(|pose| pose.joint(joint))
                        .zip(weights.iter().copied())
                        .collect()
                };
                let (mean, is_clear) = mean_of(&transforms);
                *unclear |= !is_clear;
                (mean.translation, mean.rotation)
            })
            .collect()
    }

    /// Returns the mean of the pairs' twists, per second, with the duration of the chosen cycle. A small rise does not count as
    /// climb.
    fn mean_twist(&self, period_secs: f64) -> Twist {
        let mut sum = self
            .twists
            .iter()
            .zip(&self.window.pairs)
            .fold(Twist::ZERO, |sum, (twist, &weight)| sum.plus(*twist, weight));
        if sum.linear.y.abs() < self.least_climb {
            sum.linear.y = 0.0;
        }
        Twist::new(sum.linear / period_secs, sum.angular / period_secs)
    }

    fn described(&self, unclear: &[bool]) -> MeanCycle {
        let last = self.analysis.take.last_frame() as f64;
        let [before, after] = self.row.ends;
        MeanCycle {
            asked: self.asked,
            cycles: self
                .window
                .shares()
                .into_iter()
                .enumerate()
                .map(|(cycle, share)| {
                    let [start_frame, end_frame] =
                        [0.0, 1.0].map(|phase| self.row.frame(cycle, phase).clamp(0.0, last));
                    UsedCycle {
                        start_frame,
                        end_frame,
                        share,
                    }
                })
                .collect(),
            chosen: self.row.num_before,
            before,
            after,
            joints_left_out: unclear
                .iter()
                .enumerate()
                .filter_map(|(joint, &is_unclear)| is_unclear.then_some(joint))
                .collect(),
        }
    }
}

impl MeanCycle {
    /// Whether fewer cycles were found than requested.
    pub fn is_fewer_than_asked(&self) -> bool {
        self.asked != MeanCycles::All && self.cycles.len() < self.asked.most()
    }
}

/// Returns the weighted mean of transforms, and whether all rotations that count are near enough to it.
fn mean_of(transforms: &[(Rigid, f64)]) -> (Rigid, bool) {
    let first = transforms.first().map_or(Rigid::IDENTITY, |(transform, _)| *transform);
    // Most translations, and many rotations, never change: they keep their bits.
    if transforms.iter().all(|(transform, _)| *transform == first) {
        return (first, true);
    }
    let counting = || transforms.iter().filter(|(_, weight)| *weight > 0.0);
    let translation = if transforms
        .iter()
        .all(|(transform, _)| transform.translation == first.translation)
    {
        first.translation
    } else {
        counting()
            .map(|(transform, weight)| transform.translation * *weight)
            .sum()
    };
    let rotations: Vec<(DQuat, f64)> = counting()
        .map(|(transform, weight)| (transform.rotation, *weight))
        .collect();
    let mean = rotation::mean(&rotations);
    (
        Rigid::new(mean, translation),
        rotations
            .iter()
            .all(|(rotation, _)| rotation::difference(*rotation, mean).length() <= MAX_SPREAD),
    )
}

/// Returns the distance of each cycle from the median of all, metres: root mean square over phases and weighted joints, relative
/// to the heading. The median is taken value by value, so that a single outlier does not move it.
fn distances(analysis: &Analysis, row: &CycleRow) -> Vec<f64> {
    let features = &analysis.features;
    let mut squares = vec![0.0; row.num_cycles()];
    for phase in 0..NUM_PHASES {
        let phase = phase as f64 / NUM_PHASES as f64;
        let rows: Vec<Vec<f64>> = (0..row.num_cycles())
            .map(|cycle| row_at(features, row.frame(cycle, phase)))
            .collect();
        for axis in 0..features.num_position_axes() {
            let values: Vec<f64> = rows.iter().map(|row| row[axis]).collect();
            let middle = median(&values);
            for (square, value) in squares.iter_mut().zip(values) {
                *square += (value - middle) * (value - middle);
            }
        }
    }
    squares
        .iter()
        .map(|square| (square / NUM_PHASES as f64).sqrt())
        .collect()
}

/// Returns the middle value, or the mean of the two middle ones.
fn median(values: &[f64]) -> f64 {
    let low = percentile::of(values.to_vec(), 0.5);
    if values.len() % 2 == 1 {
        return low;
    }
    0.5 * (low - percentile::of(values.iter().map(|value| -value), 0.5))
}

/// Returns the motion of the world that best maps the chosen cycle onto each cycle: over the ground by all phases and joints of
/// the body, in height by the floor below it.
fn motions_from_chosen(analysis: &Analysis, row: &CycleRow) -> Vec<Rigid> {
    let world = &analysis.world;
    let last = world.num_frames() - 1;
    let weights = fit_weights(analysis);
    let position = |frame: f64, joint: usize| {
        let frame = frame.clamp(0.0, last as f64);
        let before = (frame.floor() as usize).min(last);
        world
            .position(before, joint)
            .lerp(world.position((before + 1).min(last), joint), frame - before as f64)
    };
    let floor = |cycle: usize| {
        mean(
            (0..NUM_PHASES)
                .map(|phase| row.frame(cycle, phase as f64 / NUM_PHASES as f64))
                .map(|frame| analysis.heading.ground((frame.round().max(0.0) as usize).min(last)).y),
        )
    };
    (0..row.num_cycles())
        .map(|cycle| {
            if cycle == row.num_before {
                return Rigid::IDENTITY;
            }
            let mut pairs = Vec::with_capacity(NUM_PHASES * weights.len());
            for phase in 0..NUM_PHASES {
                let phase = phase as f64 / NUM_PHASES as f64;
                let [own, other] = [row.num_before, cycle].map(|cycle| row.frame(cycle, phase));
                for (joint, &weight) in weights.iter().enumerate() {
                    pairs.push(PointPair::new(position(own, joint), position(other, joint), weight));
                }
            }
            let mut motion = fit_planar(&pairs);
            // Over the ground alone: a body that sinks deeper in one cycle keeps its feet on the floor in the mean.
            motion.translation.y = floor(cycle) - floor(row.num_before);
            motion
        })
        .collect()
}

/// Returns the twist that carries the root from a cycle to the next within one unit of time.
fn twist_between(analysis: &Analysis, row: &CycleRow, starts: &[Rigid], cycle: usize) -> Twist {
    let motion = starts[cycle].inverse() * starts[cycle + 1];
    let [from, to] = [cycle, cycle + 1].map(|cycle| {
        let last = (analysis.heading.num_frames() - 1) as f64;
        let frame = row.frame(cycle, 0.0).round().clamp(0.0, last);
        analysis.heading.yaw(frame as usize)
    });
    let principal = rotation::yaw_of(motion.rotation);
    let whole_turns = ((to - from - principal) / core::f64::consts::TAU).round();
    let turn = principal + core::f64::consts::TAU * whole_turns;
    let turn = if turn.abs() < NEAR_WHOLE_TURN { turn } else { principal };
    Twist::log_with_turn(motion, DVec3::Y * turn, 1.0)
}
