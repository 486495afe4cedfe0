//! Holds feet over a motion that begins as one loop and ends as another; both ends are held.
//!
//! The same equations as for a loop apply over the samples of the motion. Parts bear where they bear in the underlying motion, a
//! take or a loop, before its ends were bent to meet the loops; at the ends they are as high as in the loops, and towards the
//! middle increasingly as in that motion. Derivation: docs/math/passage.md.

use glam::DVec3;

use super::{
    Course, Goals, Settled, Stage,
    fade::{FadingLoop, Footwork, comes_down},
    limb::{NUM_PARTS, OfParts, PARTS},
    settle_freely,
};
use crate::{
    analysis::{Body, ContactLimits},
    feet::contact,
    math::{Decay, Rigid, percentile},
    motion::Tracks,
};

/// A foot that stands in the loop at an end, and within this time in the underlying motion, stands in between, seconds.
pub const SOON_SECS: f64 = 0.15;

/// A foot that would stand at two places slides from one to the other if they are no farther apart than this, metres on the
/// reference body. Otherwise it steps.
const APART_METRES: f64 = 0.015;

/// Duration of a step to another place, seconds, limited to a share of the motion for each foot that has to step, ...
const STEP_SECS: f64 = 0.35;

/// ... and the height to which it lifts the foot, metres on the reference body.
const STEP_METRES: f64 = 0.03;

/// A part that comes down bears by a quarter while it moves over the ground at this speed, metres per second on the reference body.
const RESTS_MPS: f64 = 0.2;

/// A motion whose ends were bent to meet two loops.
pub struct OpenMotion<'a> {
    /// The bent motion, relative to its root.
    pub tracks: &'a Tracks,
    /// The place of the root at every sample.
    pub roots: &'a [Rigid],
    /// The work of the feet in the motion below, at every sample.
    pub below: &'a Footwork,
    /// Their work in the loop at either end.
    pub ends: [Option<FadingLoop<'a>>; 2],
    /// How the bends of its ends fade.
    pub fade: Decay,
}

/// Finds the footwork of a stretch of a take, from a sample on, relative to a root; `None` if no foot with a knee is found.
pub fn footwork_of_take(
    tracks: &Tracks,
    roots: Vec<Rigid>,
    body: &Body,
    limits: &ContactLimits,
    carrier: usize,
    samples: core::ops::Range<usize>,
) -> Option<Footwork> {
    let stage = Stage::new(tracks, Course::through(roots, tracks.step_secs()));
    let mut footwork = Footwork::of_stage(&stage, body, limits, carrier)?;
    for (leg, limb) in footwork.legs.iter_mut().zip(&footwork.limbs) {
        for part in PARTS {
            let places = stage.places_of(limb.fixed_to(part));
            only_while_at_rest(
                &mut leg.bears,
                &leg.heights,
                part as usize,
                |sample| speed(&stage.course, sample, |sample| places[sample]),
                footwork.model.size,
            );
        }
        for values in [&mut leg.bears, &mut leg.floors, &mut leg.clear, &mut leg.heights] {
            *values = values[samples.clone()].to_vec();
        }
    }
    Some(footwork)
}

/// Lets a part bear only while it is down: contacts of slow steps begin while it still comes down, and end after it starts to
/// lift.
fn only_while_at_rest(
    bears: &mut [OfParts],
    heights: &[OfParts],
    part: usize,
    speed: impl Fn(usize) -> f64,
    size: f64,
) {
    let stands: Vec<bool> = bears.iter().map(|bears| bears[part] > 0.0).collect();
    for run in contact::runs(&stands) {
        let usual = percentile::of(heights[run.clone()].iter().map(|heights| heights[part]), 0.5);
        let middle = run.start + run.len() / 2;
        for sample in run {
            let mut rests = comes_down((heights[sample][part] - usual).max(0.0) / size);
            if sample > middle {
                rests *= slow(speed(sample) / size);
            }
            bears[sample][part] *= rests;
        }
    }
}

/// Returns how firmly a part bears that still moves over the ground, metres per second on the reference body.
fn slow(mps: f64) -> f64 {
    (1.0 + (mps / RESTS_MPS).powi(2)).powi(-2)
}

impl OpenMotion<'_> {
    /// Returns the motion with its feet held; `None` for robots, whose hinges a leg may not leave, if the loops have different
    /// legs, or every correction costs more than none.
    /// The best correction is used even if the search does not converge: bends are short, and free feet slide farther.
    pub fn held(&self) -> Option<Tracks> {
        let Self { tracks, below, .. } = self;
        let have_legs = self.ends.iter().flatten().all(|end| end.feet.has_legs_of(below));
        if !have_legs || tracks.skeleton().hinges().is_some() {
            return None;
        }
        let stage = Stage::new(tracks, Course::through(self.roots.to_vec(), tracks.step_secs()));
        let mut goals: Vec<Goals> = (0..below.limbs.len()).map(|leg| self.goals(leg, &stage)).collect();
        self.step_over(&stage.course, &mut goals);
        let settled = settle_freely(&stage.course, &below.limbs, &mut goals, &below.model)?;
        Some(self.corrected(&settled, &stage, &goals))
    }

    fn corrected(&self, settled: &Settled, stage: &Stage, goals: &[Goals]) -> Tracks {
        let Self { tracks, below, .. } = self;
        let held = (0..tracks.num_frames()).map(|sample| {
            let mut pose = tracks.pose(sample).to_pose();
            if !stage.course.is_held(sample) {
                pose.translations[below.lifted] +=
                    stage.rotation_above(sample, below.lifted).conjugate() * settled.hips(sample);
                for (leg, (limb, goals)) in below.limbs.iter().zip(goals).enumerate() {
                    limb.turn(&goals.poses[sample], &mut pose.rotations, settled.leg(leg, sample));
                }
            }
            pose
        });
        tracks.with_poses(held)
    }

    /// Returns the goals of the parts of a leg.
    fn goals(&self, leg: usize, stage: &Stage) -> Goals {
        let (course, count) = (&stage.course, stage.num_samples());
        let (limb, below) = (&self.below.limbs[leg], &self.below.legs[leg]);
        let mut goals = Goals {
            bears: below.bears.clone(),
            level: below.heights.clone(),
            floors: below.floors.clone(),
            clear: below.clear.clone(),
            ..Goals::of_motion(stage, limb, below.hardest)
        };
        for part in 0..NUM_PARTS {
            for end in [0, 1] {
                self.meet(end, leg, part, course, &mut goals);
            }
            for sample in 0..count {
                let own = goals.over_root(course, sample, part);
                let clear = &mut goals.clear[sample][part];
                *clear = clear.min(own);
            }
        }
        goals
    }

    /// Lets feet that never leave the ground and must end elsewhere step, one after the other. Feet that stand in the underlying
    /// motion but not in the loop at an end, and are carried along by the bend there, come down or leave in one step.
    fn step_over(&self, course: &Course, goals: &mut [Goals]) {
        let count = course.count();
        let parts: Vec<usize> = self.below.limbs.iter().map(|limb| limb.standing() as usize).collect();
        let apart = |leg: usize, goals: &Goals, from: usize, to: usize| {
            let [from, to] =
                [from, to].map(|sample| course.to_world(sample as isize, goals.own[sample].at[parts[leg]]));
            (to - from).with_y(0.0).length() > APART_METRES * self.below.model.size
        };
        let never_leave: Vec<usize> = (0..goals.len())
            .filter(|&leg| {
                let bears = goals[leg].bears.iter().all(|bears| bears[parts[leg]] > 0.5);
                bears && apart(leg, &goals[leg], 0, count - 1)
            })
            .collect();
        let room = count / (never_leave.len() + 1);
        for (index, &leg) in never_leave.iter().enumerate() {
            let half = course.samples_in(0.5 * STEP_SECS).min(room / 2);
            let middle = (index + 1) * room;
            self.step(&mut goals[leg], leg, course, middle - half..middle + half);
        }
        let most = course.samples_in(STEP_SECS).min(count / 2);
        for end in (0..2).filter(|&end| self.ends[end].is_some()) {
            let inward = |step: usize| if end == 0 { step } else { count - 1 - step };
            for leg in 0..goals.len() {
                let part = parts[leg];
                let below = &self.below.legs[leg].bears;
                let stands = |step: &usize| below[inward(*step)][part] >= 0.5;
                let is_carried = self.stands(end, leg, part) < 0.5 && (0..=most).all(|step| stands(&step));
                if is_carried && apart(leg, &goals[leg], inward(0), inward(most)) {
                    for sample in (most..count).take_while(stands).map(inward) {
                        goals[leg].bears[sample] = below[sample];
                    }
                    let samples = if end == 0 { 0..most } else { count - most..count };
                    self.step(&mut goals[leg], leg, course, samples);
                }
            }
        }
    }

    /// Lifts a leg over samples, between which its path is free; those at an end of the motion begin at the height there.
    fn step(&self, goals: &mut Goals, leg: usize, course: &Course, samples: core::ops::Range<usize>) {
        let count = samples.len().max(1) as f64;
        for part in self.below.limbs[leg].bearing_parts().map(|part| part as usize) {
            for (index, sample) in samples.clone().enumerate() {
                let share = (index as f64 + 0.5) / count;
                let from_end = match (samples.start, samples.end == course.count()) {
                    (0, _) => share,
                    (_, true) => 1.0 - share,
                    _ => 1.0,
                };
                let risen = (2.0 * from_end).min(1.0);
                let (own, level) = (goals.over_root(course, sample, part), goals.level[sample][part]);
                let eased = risen.powi(3) * (10.0 - 15.0 * risen + 6.0 * risen * risen);
                let ground = (own + (level - own) * eased).min(level);
                let lifted = STEP_METRES * self.below.model.size * 16.0 * (share * (1.0 - share)).powi(2);
                goals.bears[sample][part] = 0.0;
                goals.floors[sample][part] = ground + lifted * eased;
            }
        }
    }

    /// Returns how firmly a part bears in the loop at an end.
    fn stands(&self, end: usize, leg: usize, part: usize) -> f64 {
        self.ends[end].map_or(0.0, |of_loop| of_loop.value(&of_loop.feet.legs[leg].bears, part, 0.0))
    }

    /// Changes the goals of a part of a leg near an end, so that it continues from the loop there, or becomes as in the loop.
    fn meet(&self, end: usize, leg: usize, part: usize, course: &Course, goals: &mut Goals) {
        if self.ends[end].is_none() {
            return;
        }
        let (count, heights) = (course.count(), &self.below.legs[leg].heights);
        let inward = |step: usize| if end == 0 { step } else { count - 1 - step };
        let left = |sample: usize| self.fade.at(inward(sample) as f64 * course.step_secs).position.value;
        let at = inward(0);
        // The floor is nowhere above the loop's height there.
        let lower = (goals.over_root(course, at, part) - self.below.legs[leg].floors[at][part]).min(0.0);
        if lower.is_finite() {
            for sample in 0..count {
                goals.floors[sample][part] += left(sample) * lower;
            }
        }
        let stands = self.stands(end, leg, part);
        let Some(first) = (0..=course.samples_in(SOON_SECS)).find(|&step| goals.bears[inward(step)][part] >= 0.5)
        else {
            return;
        };
        if stands >= 0.5 {
            // A part that stands in the loop, and here soon after, also stands in between, at the height here.
            for step in 0..first {
                goals.bears[inward(step)][part] = 1.0;
                goals.level[inward(step)][part] = heights[inward(first)][part];
            }
            let rise = goals.over_root(course, at, part) - heights[inward(first)][part];
            for sample in (0..count)
                .map(inward)
                .take_while(|&sample| goals.bears[sample][part] > 0.0)
                .collect::<Vec<_>>()
            {
                goals.level[sample][part] += left(sample) * rise;
            }
        } else if first == 0 {
            // A part that stands here but not in the loop comes down to the ground, or leaves it for the loop.
            let size = self.below.model.size;
            let mut is_down = stands;
            for step in 0..count {
                let sample = inward(step);
                let bears = goals.bears[sample][part];
                if bears == 0.0 {
                    break;
                }
                let rise = (goals.over_root(course, sample, part) - heights[sample][part]).max(0.0) / size;
                let speed = speed(course, sample, |sample| {
                    course.to_world(sample as isize, goals.own[sample].at[part])
                });
                is_down = (comes_down(rise) * slow(speed / size)).max(is_down);
                goals.bears[sample][part] = bears * is_down;
            }
        }
    }
}

/// Returns the speed of a point over the ground at a sample, by its places in the world, metres per second.
fn speed(course: &Course, sample: usize, place: impl Fn(usize) -> DVec3) -> f64 {
    let [from, to] = [sample.saturating_sub(1), (sample + 1).min(course.count() - 1)];
    place(to).distance(place(from)) / ((to - from) as f64 * course.step_secs)
}
