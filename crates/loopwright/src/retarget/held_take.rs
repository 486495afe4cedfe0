//! Feet of a take on the target, held while those of the source bear.
//!
//! A take is held in windows that overlap, each as a loop of which half a second leads back to its start and is not solved. What the
//! solve does at one end of a window fades within a step or two, and the corrections of two windows go over into each other where both
//! know what comes before and after. Many frames a second are solved at a part of them, since corrections are
//! smooth, and the corrections in between are those of a curve through them.

use core::ops::Range;
use std::collections::BTreeMap;

use glam::DVec3;

use super::{FollowedFeet, Retarget, legs::faded};
use crate::{
    analysis::body::Foot,
    feet::{FootLock, HoldError},
    loop_clip::LoopClip,
    math::{
        cubic::{Hermite, Span},
        rigid::{Rigid, Twist},
        rotation,
        time_step::TimeStep,
    },
    motion::{Pose, RootMotion, Tracks},
    take::Take,
};

/// Fewest samples per second at which feet are solved; steps in walks and runs take a tenth of a second or more.
const SOLVED_HZ: f64 = 50.0;

/// Windows are as long as this without their overlap, seconds, but of no more samples than this.
const WINDOW_SECS: f64 = 16.0;
const WINDOW_SAMPLES: usize = 1000;

/// They reach this much farther on both sides, seconds: the length of a step or two.
const MARGIN_SECS: f64 = 1.2;

/// The corrections of one go over into those of the next over this long, seconds.
const OVER_SECS: f64 = 1.0;

/// The end of a window is led back to its start over this long, seconds.
const BACK_SECS: f64 = 0.6;

/// A correction of a joint at one sample: a rotation vector that follows its own rotation, and a translation, metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Correction {
    turned: DVec3,
    moved: DVec3,
}

/// A joint leaps from one frame to the next where it goes farther than this many times as in the steps before and after, ...
const LEAP_RATIO: f64 = 3.0;

/// ... and than this of the length of the leg besides: 4 cm of a man.
const LEAP_SHARE: f64 = 0.05;

/// Corrections by joint and sample.
struct Corrections {
    num_samples: usize,
    of_joints: BTreeMap<usize, Vec<Correction>>,
}

/// Samples of a stretch of a take: every so many frames of it.
struct Samples<'a> {
    take: &'a Take,
    first_frame: usize,
    stride: usize,
    count: usize,
    step_secs: f64,
}

impl Retarget {
    /// Holds the feet of a take on the target while those of the source bear, in those parts of it where they then slide less.
    ///
    /// `source` is the take, `carried` what [`Self::take`] makes of it. `None` where nothing changes. Errors: those of
    /// [`crate::feet::hold`]; the take has fewer than three frames, or not as many as `carried`.
    pub fn held_take(&self, source: &Take, carried: &Take, lock: FootLock) -> Result<Option<Take>, HoldError> {
        let (found, known) = (carried.num_frames(), source.num_frames());
        if found != known {
            return Err(HoldError::KnownElsewhere { found, known });
        }
        if lock == FootLock::Off || carried.num_frames() < 3 {
            return Ok(None);
        }
        let feet = self.feet_of_take(source)?;
        let mut stretches = Vec::new();
        for frames in self.stretches(carried) {
            let samples = Samples::of(carried, &frames);
            if let Some(corrections) = self.corrections(&feet, &samples, lock)? {
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

    /// The frames between which neither the hips nor a foot leap: captures have cuts, and some begin or end with another pose. Feet that
    /// stand before and after are not led from the one place to the other.
    fn stretches(&self, carried: &Take) -> Vec<Range<usize>> {
        let world = carried.world_tracks();
        let body = &self.target.body;
        let joints: Vec<usize> = body.feet.iter().map(Foot::lowest_joint).chain([body.hips]).collect();
        let farther = LEAP_SHARE * self.target.leg_length();
        let step = |frame: usize, joint: usize| world.position(frame, joint).distance(world.position(frame + 1, joint));
        let leaps = |frame: usize| {
            joints.iter().any(|&joint| {
                let around = [frame - 1, frame + 1].map(|frame| step(frame, joint));
                step(frame, joint) > LEAP_RATIO * around[0].max(around[1]) + farther
            })
        };
        let num_frames = carried.num_frames();
        let ends = (1..num_frames.saturating_sub(2))
            .filter(|&frame| leaps(frame))
            .map(|frame| frame + 1);
        let mut first = 0;
        let stretch = |end: usize| core::mem::replace(&mut first, end)..end;
        ends.chain([num_frames]).map(stretch).collect()
    }

    /// The corrections that hold the feet in a stretch of a take; `None` where there are none.
    fn corrections(
        &self,
        feet: &FollowedFeet,
        samples: &Samples<'_>,
        lock: FootLock,
    ) -> Result<Option<Corrections>, HoldError> {
        let in_secs = |secs: f64| TimeStep::new(samples.step_secs).nearest_from_one(secs);
        let (margin, over) = (in_secs(MARGIN_SECS), in_secs(OVER_SECS) as f64);
        let num_windows = samples.count.div_ceil(in_secs(WINDOW_SECS).min(WINDOW_SAMPLES));
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
                let after = |end: usize| faded((sample as f64 - end as f64) / over + 0.5);
                let begins = if window == 0 { 1.0 } else { after(ends[0]) };
                let stops = if window + 1 == num_windows { 0.0 } else { after(ends[1]) };
                begins - stops
            };
            let clip = samples.led_back(reaches, in_secs(BACK_SECS).max(4), self)?;
            let held = self.held_window(feet, samples, reaches, &clip, lock)?;
            if let Some(held) = held {
                corrections.add((&clip, &held), reaches, weight);
            }
        }
        Ok(Some(corrections).filter(|corrections| !corrections.of_joints.is_empty()))
    }

    fn held_window(
        &self,
        feet: &FollowedFeet,
        samples: &Samples<'_>,
        [first, end]: [usize; 2],
        clip: &LoopClip,
        lock: FootLock,
    ) -> Result<Option<LoopClip>, HoldError> {
        let from: Vec<Option<usize>> = (first..first + clip.num_samples())
            .map(|sample| (sample < end).then(|| samples.frame(sample)))
            .collect();
        let feet = feet.sampled(&from);
        let (held, _) = feet.hold(&self.target.body, self.root_joint(), clip, lock)?;
        Ok(held)
    }
}

impl<'a> Samples<'a> {
    fn of(take: &'a Take, frames: &Range<usize>) -> Self {
        let stride = ((take.frame_rate_hz() / SOLVED_HZ) as usize).max(1);
        Self {
            take,
            first_frame: frames.start,
            stride,
            count: (frames.len() - 1) / stride + 1,
            step_secs: take.frame_time_secs() * stride as f64,
        }
    }

    fn frame(&self, sample: usize) -> usize {
        self.first_frame + sample * self.stride
    }

    fn pose(&self, sample: usize) -> Pose {
        self.take.pose(self.frame(sample)).to_pose()
    }

    /// The samples from the first to before the last as a loop, whose last ones lead back to the start.
    fn led_back(&self, [first, end]: [usize; 2], num_back: usize, of: &Retarget) -> Result<LoopClip, HoldError> {
        let skeleton = self.take.skeleton();
        let hips = of.target.body.hips;
        let [from, to] = [first, end - 1].map(|sample| {
            let world = self.pose(sample).as_ref().world(skeleton);
            world.translations[hips] * DVec3::new(1.0, 0.0, 1.0)
        });
        let root = RootMotion {
            start: Rigid::new(glam::DQuat::IDENTITY, from),
            twist: Twist {
                linear: (to - from) / ((end - 1 - first).max(1) as f64 * self.step_secs),
                angular: DVec3::ZERO,
            },
        };
        let seen_from_root = |sample: usize| {
            let back = root.at((sample - first) as f64 * self.step_secs).inverse();
            let mut pose = self.pose(sample);
            for joint in (0..skeleton.num_joints()).filter(|&joint| skeleton.parent(joint).is_none()) {
                let local = back * pose.as_ref().joint(joint);
                pose.set_joint(joint, local);
            }
            pose
        };
        let mut tracks = Tracks::empty(skeleton.clone(), self.step_secs, end - first + num_back);
        for sample in first..end {
            tracks.push(seen_from_root(sample).as_ref());
        }
        let (last, start) = (seen_from_root(end - 1), seen_from_root(first));
        for back in 1..=num_back {
            let share = faded(back as f64 / (num_back + 1) as f64);
            let between = |joint: usize| {
                let [one, other] = [&last, &start].map(|pose| pose.as_ref().joint(joint));
                let turn = rotation::exp(rotation::difference(other.rotation, one.rotation) * share);
                (
                    one.translation.lerp(other.translation, share),
                    (turn * one.rotation).normalize(),
                )
            };
            tracks.push((0..skeleton.num_joints()).map(between).collect::<Pose>().as_ref());
        }
        Ok(LoopClip::new(self.take.name(), tracks, of.carrier(), root)?)
    }
}

impl Corrections {
    /// Adds what holding changed in a window, by a weight for each sample.
    fn add(
        &mut self,
        (before, after): (&LoopClip, &LoopClip),
        [first, end]: [usize; 2],
        weight: impl Fn(usize) -> f64,
    ) {
        for sample in first..end {
            let weight = weight(sample);
            let (before, after) = (before.body_pose(sample - first), after.body_pose(sample - first));
            for joint in 0..before.rotations.len() {
                let (own, held) = (before.joint(joint), after.joint(joint));
                if weight == 0.0 || own == held {
                    continue;
                }
                let of_joint = self.of_joints.entry(joint);
                let all = of_joint.or_insert_with(|| vec![Correction::default(); self.num_samples]);
                let turned = own.rotation.conjugate() * rotation::on_side_of(held.rotation, own.rotation);
                all[sample].turned += rotation::log(turned) * weight;
                all[sample].moved += (held.translation - own.translation) * weight;
            }
        }
    }

    /// A pose with the corrections at a sample, which may lie between two.
    fn apply(&self, mut pose: Pose, sample: f64) -> Pose {
        let last = self.num_samples - 1;
        let before = (sample as usize).min(last.saturating_sub(1));
        let around = Span {
            left: before.checked_sub(1),
            before,
            after: before + 1,
            right: (before + 2 <= last).then_some(before + 2),
        };
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
