//! Holds the feet of a take on the target while those of the source bear.
//!
//! A take is processed in overlapping windows, each solved from end to end. Effects of the end of a window fade within a step or
//! two, and the corrections of two windows are blended where both know the motion before and after. At high frame rates only
//! some of the frames are solved, because corrections are smooth, and the corrections in between follow a curve through them.

use core::ops::Range;
use std::collections::BTreeMap;

use glam::DVec3;

use super::{FollowedFeet, Retarget, legs::faded};
use crate::{
    analysis::Foot,
    feet::{Course, FootLock, HoldError, Holding, Stage},
    math::{Hermite, Span, TimeStep, rotation},
    motion::{Pose, Tracks},
    take::Take,
};

/// Fewest samples per second at which feet are solved; steps in walks and runs take a tenth of a second or more.
const SOLVED_HZ: f64 = 50.0;

/// Windows are as long as this without their overlap, seconds, but of no more samples than this.
const WINDOW_SECS: f64 = 16.0;
const WINDOW_SAMPLES: usize = 1000;

/// Windows reach this much farther on both sides, seconds: the length of a step or two.
const MARGIN_SECS: f64 = 1.2;

/// Duration over which the corrections of one window blend into those of the next, seconds.
const OVER_SECS: f64 = 1.0;

/// A correction of a joint at one sample: a rotation vector that follows its own rotation, and a translation, metres.
#[derive(Clone, Default)]
struct Correction {
    turned: DVec3,
    moved: DVec3,
}

/// A joint jumps from one frame to the next if it moves farther than this factor over the steps before and after, ...
const LEAP_RATIO: f64 = 3.0;

/// ... plus this share of the length of the leg: 4 cm on the reference body.
const LEAP_SHARE: f64 = 0.05;

/// Corrections by joint and sample.
struct Corrections {
    num_samples: usize,
    of_joints: BTreeMap<usize, Vec<Correction>>,
}

/// Samples of a stretch of a take: every n-th of its frames.
struct Samples<'a> {
    take: &'a Take,
    first_frame: usize,
    stride: usize,
    count: usize,
    step_secs: f64,
}

impl Retarget {
    /// Holds the feet of a take on the target while those of the source bear, in the parts in which they then slide less.
    ///
    /// `source` is the take, `carried` the result of [`Self::take`]. `None` if nothing changes. Errors: the take has another
    /// number of frames than `carried`.
    pub fn held_take(&self, source: &Take, carried: &Take, lock: FootLock) -> Result<Option<Take>, HoldError> {
        let (found, known) = (carried.num_frames(), source.num_frames());
        if found != known {
            return Err(HoldError::KnownElsewhere { found, known });
        }
        if lock == FootLock::Off || carried.num_frames() < 3 {
            return Ok(None);
        }
        let feet = self.feet_of_take(source);
        let mut stretches = Vec::new();
        for frames in self.stretches(carried) {
            let samples = Samples::new(carried, &frames);
            if let Some(corrections) = self.corrections(&feet, &samples, lock) {
                stretches.push((frames, samples.stride, corrections));
            }
        }
        if stretches.is_empty() {
            return Ok(None);
        }
        Ok(Some(carried.map_frames(|frame, pose| {
            let pose = pose.to_pose();
            let of = stretches.partition_point(|(frames, ..)| frames.end <= frame);
            match stretches.get(of) {
                Some((frames, stride, corrections)) if frames.contains(&frame) => {
                    corrections.apply(pose, (frame - frames.start) as f64 / *stride as f64)
                }
                _ => pose,
            }
        })))
    }

    /// Returns ranges of frames in which neither the hips nor a foot jump: captures have cuts, and some begin or end with
    /// another pose. Feet that stand before and after a jump are not led from one place to the other.
    fn stretches(&self, carried: &Take) -> Vec<Range<usize>> {
        let world = carried.world_tracks();
        let body = &self.target.body;
        let joints: Vec<usize> = body.feet.iter().map(Foot::lowest_joint).chain([body.hips]).collect();
        let farther = LEAP_SHARE * self.target.leg_length();
        let num_frames = carried.num_frames();
        let ends = (1..num_frames.saturating_sub(2))
            .filter(|&frame| {
                joints.iter().any(|&joint| {
                    let [before, step, after] = [frame - 1, frame, frame + 1]
                        .map(|frame| world.position(frame, joint).distance(world.position(frame + 1, joint)));
                    step > LEAP_RATIO * before.max(after) + farther
                })
            })
            .map(|frame| frame + 1);
        let mut first = 0;
        ends.chain([num_frames])
            .map(|end| core::mem::replace(&mut first, end)..end)
            .collect()
    }

    /// Returns the corrections that hold the feet in a stretch of a take; `None` if there are none.
    fn corrections(&self, feet: &FollowedFeet, samples: &Samples, lock: FootLock) -> Option<Corrections> {
        let step = TimeStep::new(samples.step_secs);
        let [margin, over, longest] = [MARGIN_SECS, OVER_SECS, WINDOW_SECS].map(|secs| step.nearest_from_one(secs));
        let num_windows = samples.count.div_ceil(longest.min(WINDOW_SAMPLES));
        let mut corrections = Corrections {
            num_samples: samples.count,
            of_joints: BTreeMap::new(),
        };
        for window in 0..num_windows {
            let ends = [window, window + 1].map(|at| at * samples.count / num_windows);
            let reaches = [ends[0].saturating_sub(margin), (ends[1] + margin).min(samples.count)];
            if reaches[1] - reaches[0] < 3 {
                continue;
            }
            let weight = |sample: usize| {
                let [begins, stops] = ends.map(|end| faded((sample as f64 - end as f64) / over as f64 + 0.5));
                let begins = if window == 0 { 1.0 } else { begins };
                let stops = if window + 1 == num_windows { 0.0 } else { stops };
                begins - stops
            };
            let window = reaches[0]..reaches[1];
            let tracks = samples.tracks(window.clone());
            let (held, _) = feet.sampled(&samples.frames(window)).hold_motion(
                &Stage::new(&tracks, Course::in_world(tracks.step_secs(), tracks.num_frames())),
                Holding::new(&self.target.body, self.root_joint(), lock),
                self.target.carrier(),
            );
            if let Some(held) = held {
                corrections.add(&tracks, &held, reaches[0], weight);
            }
        }
        Some(corrections).filter(|corrections| !corrections.of_joints.is_empty())
    }
}

impl<'a> Samples<'a> {
    fn new(take: &'a Take, frames: &Range<usize>) -> Self {
        let stride = ((take.frame_rate_hz() / SOLVED_HZ) as usize).max(1);
        Self {
            take,
            first_frame: frames.start,
            stride,
            count: (frames.len() - 1) / stride + 1,
            step_secs: take.frame_time_secs() * stride as f64,
        }
    }

    /// Returns the frames of some samples.
    fn frames(&self, samples: Range<usize>) -> Vec<usize> {
        samples.map(|sample| self.first_frame + sample * self.stride).collect()
    }

    /// Returns the poses of some samples.
    fn tracks(&self, samples: Range<usize>) -> Tracks {
        let poses = self.frames(samples).into_iter().map(|frame| self.take.pose(frame));
        Tracks::pose_by_pose(self.take.skeleton(), self.step_secs, poses)
    }
}

impl Corrections {
    /// Adds the changes by holding in a window from a first sample on, with a weight for each sample.
    fn add(&mut self, before: &Tracks, after: &Tracks, first: usize, weight: impl Fn(usize) -> f64) {
        for sample in first..first + before.num_frames() {
            let weight = weight(sample);
            let (before, after) = (before.pose(sample - first), after.pose(sample - first));
            for joint in 0..before.rotations.len() {
                let (own, held) = (before.joint(joint), after.joint(joint));
                if weight == 0.0 || own == held {
                    continue;
                }
                let all = self
                    .of_joints
                    .entry(joint)
                    .or_insert_with(|| vec![Correction::default(); self.num_samples]);
                let turned = own.rotation.conjugate() * held.rotation;
                all[sample].turned += rotation::log(turned) * weight;
                all[sample].moved += (held.translation - own.translation) * weight;
            }
        }
    }

    /// Returns a pose with the corrections at a sample, which may lie between two.
    fn apply(&self, mut pose: Pose, sample: f64) -> Pose {
        let last = self.num_samples - 1;
        let before = (sample as usize).min(last.saturating_sub(1));
        let around = Span::within(before, last);
        // Frames after the last sample are as far off as that.
        let curve = Hermite::at((sample - before as f64).min(1.0));
        for (&joint, all) in &self.of_joints {
            let turned = curve.point(around.map(|sample| all[sample].turned));
            let moved = curve.point(around.map(|sample| all[sample].moved));
            pose.translations[joint] += moved;
            if turned != DVec3::ZERO {
                pose.rotations[joint] = (pose.rotations[joint] * rotation::exp(turned)).normalize();
            }
        }
        pose
    }
}
