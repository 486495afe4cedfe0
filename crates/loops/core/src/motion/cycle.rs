//! Poses of one cycle whose last step is shorter than the others, at even times.

use glam::{DQuat, DVec3};

use super::{Pose, PoseRef, Skeleton, Tracks};
use crate::math::{
    Rigid, rotation,
    spline::{Place, Spline},
};

/// Number of keys of the neighbouring cycles that are included: keys farther away do not influence a spline visibly.
const KEYS_AROUND: usize = 16;

/// Samples of a frame, so that straight lines between them stay near the curve: a quarter of a millimetre on finished walks.
const SAMPLES_A_FRAME: f64 = 4.0;

/// The C2 curve through local poses at increasing times, at least two.
pub(crate) struct PoseCurve {
    times: Vec<f64>,
    joints: Vec<(Spline<DVec3>, Spline<DQuat>)>,
}

impl PoseCurve {
    pub(crate) fn new(times: Vec<f64>, poses: &[Pose]) -> Self {
        let curves = (0..poses[0].rotations.len()).map(|joint| {
            let mut before = poses[0].rotations[joint];
            let turns = poses.iter().map(|pose| {
                before = rotation::on_side_of(pose.rotations[joint], before);
                before
            });
            let points = poses.iter().map(|pose| pose.translations[joint]);
            (
                Spline::new(&times, points.collect()),
                Spline::new(&times, turns.collect()),
            )
        });
        Self {
            joints: curves.collect(),
            times,
        }
    }

    /// Creates the curve of unique samples of a cycle, at times 0, 1, ...
    pub(crate) fn around(cycle: &Tracks) -> Self {
        let (count, around) = (cycle.num_frames() as isize, KEYS_AROUND as isize);
        let samples = -around..=count + around;
        let poses: Vec<Pose> = samples
            .clone()
            .map(|sample| cycle.pose(sample.rem_euclid(count) as usize).to_pose())
            .collect();
        Self::new(samples.map(|sample| sample as f64).collect(), &poses)
    }

    /// Returns the pose at a time.
    pub(crate) fn at(&self, time: f64) -> Pose {
        let place = Place::find(&self.times, time);
        self.joints
            .iter()
            .map(|(points, turns)| (points.at(place), turns.at(place).normalize()))
            .collect()
    }
}

/// One cycle of keys a frame apart, with a shorter or longer step from the last to the first.
pub(crate) struct KeyedCycle<'a> {
    pub skeleton: &'a Skeleton,
    /// The joint that is carried on by the motion.
    pub carrier: usize,
    /// World motion from a cycle to the next.
    pub motion: Rigid,
    /// Length of the cycle, in frames.
    pub num_frames: f64,
}

impl KeyedCycle<'_> {
    /// Returns the number of samples of a cycle of this many frames.
    pub(crate) fn num_samples(num_frames: f64) -> usize {
        (SAMPLES_A_FRAME * num_frames).round() as usize
    }

    /// Returns the curve through `count` keys, `step_secs` apart, at [`SAMPLES_A_FRAME`] even times a frame: C2 over endless cycles.
    pub(crate) fn evenly<'p>(&self, keys: impl Fn(usize) -> PoseRef<'p>, count: usize, step_secs: f64) -> Tracks {
        let num_samples = Self::num_samples(self.num_frames);
        let around = KEYS_AROUND as isize;
        let mut times = Vec::new();
        let mut poses: Vec<Pose> = Vec::new();
        for index in -around..count as isize + around {
            let (cycle, key) = (
                index.div_euclid(count as isize),
                index.rem_euclid(count as isize) as usize,
            );
            times.push(cycle as f64 * self.num_frames + key as f64);
            poses.push(self.in_cycle(keys(key), cycle));
        }
        let curve = PoseCurve::new(times, &poses);
        let step_frames = self.num_frames / num_samples as f64;
        let sampled = (0..num_samples).map(|sample| curve.at(sample as f64 * step_frames));
        Tracks::pose_by_pose(self.skeleton, step_frames * step_secs, sampled)
    }

    /// Returns a pose as it is a number of cycles later.
    pub(crate) fn in_cycle(&self, pose: PoseRef, cycle: isize) -> Pose {
        let step = if cycle < 0 { self.motion.inverse() } else { self.motion };
        let motion = (0..cycle.unsigned_abs()).fold(Rigid::IDENTITY, |motion, _| step * motion);
        let mut moved = pose.to_pose();
        moved.carry(self.skeleton, self.carrier, motion);
        moved
    }
}
