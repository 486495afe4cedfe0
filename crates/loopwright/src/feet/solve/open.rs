//! Feet over a motion that begins as one loop and ends as another: both ends are held.
//!
//! The same equations as for a loop, over the samples of the motion. What bears is what bears in the motion below, a take or a loop,
//! before its ends were bent to meet the loops; at the ends it stands as high as the loops have it, and from there on ever more as
//! that motion has it. Derivation: docs/math/passage.md.

use glam::DVec3;

use super::fade::{FadingLoop, Footwork, comes_down};
use super::goals::turned;
use super::limb::{LEG_UNKNOWNS, NUM_JOINTS, PARTS};
use super::{Course, Goals, Settled, settle};
use crate::analysis::body::{Body, FoundBy};
use crate::analysis::standing::ContactLimits;
use crate::feet::stage::{Stage, rotation_above};
use crate::math::rigid::Rigid;
use crate::motion::{Tracks, WorldTracks};

/// A motion whose ends were bent to meet two loops.
pub(crate) struct OpenMotion<'a> {
    /// The bent motion, seen from its root.
    pub(crate) tracks: &'a Tracks,
    /// Where that is at every sample.
    pub(crate) roots: &'a [Rigid],
    /// What feet do in the motion below, at every sample.
    pub(crate) below: &'a Footwork,
    /// What they do in the loop at either end.
    pub(crate) ends: [Option<FadingLoop<'a>>; 2],
    /// What is left of the bend of either end at every sample, from 1 to 0.
    pub(crate) left: [&'a [f64]; 2],
}

/// What the feet of a stretch of a take do, from a sample on, seen from a root; `None` where no foot with a knee is found.
pub(crate) fn footwork_of_take(
    tracks: &Tracks,
    roots: Vec<Rigid>,
    (body, limits, carrier): (&Body, &ContactLimits, usize),
    samples: core::ops::Range<usize>,
) -> Option<Footwork> {
    if body.found_by == FoundBy::AllLeaves {
        return None;
    }
    let stage = Stage::new(tracks, Course::through(roots, tracks.step_secs()));
    let mut footwork = Footwork::of_stage(&stage, body, limits, carrier)?;
    for leg in &mut footwork.legs {
        for values in [&mut leg.bears, &mut leg.floors, &mut leg.clear, &mut leg.heights] {
            *values = values[samples.clone()].to_vec();
        }
    }
    Some(footwork)
}

impl OpenMotion<'_> {
    /// The motion with its feet held; `None` where the loops have other legs, or the equations no solution.
    pub(crate) fn held(&self) -> Option<Tracks> {
        let Self { tracks, below, .. } = self;
        let have_legs = (self.ends.iter().flatten()).all(|end| end.feet.has_legs_of(below));
        if !have_legs {
            return None;
        }
        let course = Course::through(self.roots.to_vec(), tracks.step_secs());
        let world = tracks.world();
        let mut goals: Vec<Goals> = (0..below.limbs.len())
            .map(|leg| self.goals(leg, &course, &world))
            .collect();
        let mut settled = settle(&course, &below.limbs, &goals, &below.model, None);
        if settled.as_ref().is_none_or(|settled| !settled.is_near) {
            for goals in &mut goals {
                goals.hardest = [f64::INFINITY; NUM_JOINTS];
            }
            settled = settle(&course, &below.limbs, &goals, &below.model, settled);
        }
        Some(self.corrected(&settled?, &course, &goals, &world))
    }

    fn corrected(&self, settled: &Settled, course: &Course, goals: &[Goals], world: &WorldTracks) -> Tracks {
        let Self { tracks, below, .. } = self;
        let skeleton = tracks.skeleton();
        let mut held = Tracks::empty(skeleton.clone(), tracks.step_secs(), tracks.num_frames());
        for sample in 0..tracks.num_frames() {
            let mut pose = tracks.pose(sample).to_pose();
            if !course.is_held(sample) {
                let above = rotation_above(skeleton, world, sample, below.lifted);
                pose.translations[below.lifted] += above.conjugate() * settled.hips(sample);
                for (leg, (limb, goals)) in below.limbs.iter().zip(goals).enumerate() {
                    limb.turn(&goals.poses[sample], &mut pose.rotations, settled.leg(leg, sample));
                }
            }
            held.push(pose.as_ref());
        }
        held
    }

    /// What the parts of a leg should do.
    fn goals(&self, leg: usize, course: &Course, world: &WorldTracks) -> Goals {
        let (count, skeleton) = (course.count(), self.tracks.skeleton());
        let (limb, below) = (&self.below.limbs[leg], &self.below.legs[leg]);
        let poses: Vec<_> = (0..count).map(|sample| limb.pose(skeleton, world, sample)).collect();
        let own: Vec<_> = (poses.iter())
            .map(|pose| limb.points(pose, DVec3::ZERO, &[0.0; LEG_UNKNOWNS]))
            .collect();
        let turned = turned(course, limb, |sample, joint| {
            rotation_above(skeleton, world, sample, joint).conjugate() * world.rotation(sample, joint)
        });
        let hardest = core::array::from_fn(|joint| {
            let own = turned.iter().map(|turned| turned[joint].length());
            own.fold(below.hardest[joint], f64::max)
        });
        let height = |sample: usize, part: usize| course.up[sample].dot(own[sample].at[part]);
        let mut goals = Goals {
            bears: below.bears.clone(),
            level: below.heights.clone(),
            floors: below.floors.clone(),
            clear: below.clear.clone(),
            turned,
            hardest,
            flexed: (0..count).map(|sample| limb.flexed(skeleton, world, sample)).collect(),
            most_flexed: f64::INFINITY,
            poses,
            own: Vec::new(),
        };
        for part in PARTS.map(|part| part as usize) {
            for (end, at) in [0, count - 1].into_iter().enumerate() {
                let rise = height(at, part) - below.heights[at][part];
                // Nowhere is the floor above what stands in the loop.
                let lower = (height(at, part) - below.floors[at][part]).min(0.0);
                for sample in 0..count {
                    let left = self.left[end][sample];
                    goals.level[sample][part] += left * rise;
                    if lower.is_finite() {
                        goals.floors[sample][part] += left * lower;
                    }
                }
                self.bear_from(end, (leg, part), &height, &mut goals);
            }
            for sample in 0..count {
                let clear = &mut goals.clear[sample][part];
                *clear = clear.min(height(sample, part));
            }
        }
        goals.own = own;
        goals
    }

    /// What stands in the motion below and not in the loop at an end has to come down from there, or to rise to it.
    fn bear_from(
        &self,
        end: usize,
        (leg, part): (usize, usize),
        height: &dyn Fn(usize, usize) -> f64,
        goals: &mut Goals,
    ) {
        let Some(of_loop) = self.ends[end] else { return };
        let count = goals.bears.len();
        let mut is_down = of_loop.value(&of_loop.feet.legs[leg].bears, part, 0.0);
        for step in 0..count {
            let sample = if end == 0 { step } else { count - 1 - step };
            let bears = goals.bears[sample][part];
            if bears == 0.0 {
                break;
            }
            let rise = (height(sample, part) - self.below.legs[leg].heights[sample][part]).max(0.0);
            is_down = comes_down(rise / self.below.model.size).max(is_down);
            goals.bears[sample][part] = bears * is_down;
        }
    }
}
