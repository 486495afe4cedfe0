//! Holds feet through the fade of a jump from one loop into another.
//!
//! A fading offset carries the feet along: standing feet slide, and toes go below the floor. The same equations as for a loop
//! apply over the samples of the fade, between two uncorrected poses. Parts that bear in the entered loop bear here, once they
//! have come down; if a part still stands at the end of the fade, the correction lasts until it has left the ground. Derivation:
//! docs/math/feet_solve.md.

use glam::DVec3;

use super::{
    super::leg::NUM_JOINTS,
    BearingLeg, Course, Goals, Limb, Stage, Uncut,
    limb::{NUM_PARTS, OfParts},
    settle, standing_point,
};
use crate::{
    analysis::{Body, BodyOverrides, ContactLimits, FoundBy},
    feet::{FootModel, Leg, stance::PointTrack},
    loop_clip::{Interpolation, LoopClip},
    math::{Decay, Hermite, Rigid, Span, rotation},
    motion::{Pose, Tracks},
    take::Take,
};

/// Height over its bearing height at which a part that comes down bears by a quarter, metres on the reference body.
const COMES_DOWN_METRES: f64 = 0.01;

/// Returns how firmly a part bears that is still `rise` above its bearing height, metres on the reference body.
pub(super) fn comes_down(rise: f64) -> f64 {
    (1.0 + (rise / COMES_DOWN_METRES).powi(2)).powi(-2)
}

/// A part that bears by less than this has left the ground.
const LEFT: f64 = 0.1;

/// Time after the last part that stood at the end of the fade has left the ground, after which a correction ends, seconds. With
/// less, the foot darts to its position in the loop.
const RELEASE_SECS: f64 = 0.2;

/// A part that stands longer than this after the fade slides a little instead, seconds: a body that never lifts its feet.
const STANDS_SECS: f64 = 2.0;

/// Longest time between samples of a fade, seconds: the first is not corrected, and a standing foot moves until the next.
const LONGEST_STEP_SECS: f64 = 1.0 / 60.0;

/// Shortest time between them, seconds, however fast the loop is sampled: corrections are smooth.
const SHORTEST_STEP_SECS: f64 = 1.0 / 120.0;

/// Duration of a spring's fade in half-lives: a hundredth of its offset is left.
const HALF_LIVES: f64 = 4.8;

/// The work of the feet of a loop at every sample, for jumps out of it and into it.
#[value]
pub struct Footwork {
    pub(super) limbs: Vec<Limb>,
    pub(super) legs: Vec<LegWork>,
    /// The joint that carries the whole body.
    pub(super) lifted: usize,
    pub(super) model: FootModel,
}

/// The work of the parts of a leg at every sample of a loop: see [`Goals`].
#[value]
pub(super) struct LegWork {
    pub bears: Vec<OfParts>,
    pub floors: Vec<OfParts>,
    pub clear: Vec<OfParts>,
    /// Heights over the root, metres.
    pub heights: Vec<OfParts>,
    pub hardest: [f64; NUM_JOINTS],
}

impl Footwork {
    /// Finds the footwork of a body with these overrides; `None` if no foot with a knee is found.
    pub fn new(clip: &LoopClip, overrides: &BodyOverrides) -> Option<Self> {
        let body = Body::find(&Take::from_tracks("", clip.tracks().clone()).ok()?, overrides).ok()?;
        if clip.num_samples() < 3 {
            return None;
        }
        Self::of_stage(&Stage::of_loop(clip), &body, &overrides.contacts, clip.carrier())
    }

    /// Finds the footwork of a motion; `carrier` carries its root motion. `None` if no foot with a knee is found.
    pub(super) fn of_stage(stage: &Stage, body: &Body, limits: &ContactLimits, carrier: usize) -> Option<Self> {
        if body.found_by == FoundBy::AllLeaves {
            return None;
        }
        let model = FootModel::new(stage, body, limits);
        let uncut = Uncut::from_motion(&stage.world);
        let (mut limbs, mut legs) = (Vec::new(), Vec::new());
        for (index, foot) in body.feet.iter().enumerate() {
            let Some(leg) = Leg::find(stage.skeleton(), &stage.world, body, foot) else {
                continue;
            };
            let point = PointTrack::new(stage, &model, standing_point(stage, foot, model.is_character));
            let leg = BearingLeg::new(stage, leg, foot, &point.spans(&point.contacts(index)), &model, None);
            let goals = Goals::new(stage, &uncut, &leg, &model);
            legs.push(LegWork {
                heights: stage
                    .course
                    .up
                    .iter()
                    .zip(&goals.own)
                    .map(|(up, points)| points.at.map(|at| up.dot(at)))
                    .collect(),
                bears: goals.bears,
                floors: goals.floors,
                clear: goals.clear,
                hardest: goals.hardest,
            });
            limbs.push(leg.limb);
        }
        (!limbs.is_empty()).then_some(Self {
            lifted: carries_body(stage.tracks, carrier, body.hips),
            limbs,
            legs,
            model,
        })
    }

    pub(super) fn has_legs_of(&self, other: &Self) -> bool {
        let mut both = self.limbs.iter().zip(&other.limbs);
        self.limbs.len() == other.limbs.len()
            && both.all(|(one, other)| one.turning_joints().eq(other.turning_joints()))
    }
}

/// A loop on one side of a jump: its footwork, and the time at which it is left or entered.
#[derive(Clone, Copy)]
pub struct FadingLoop<'a> {
    /// The loop.
    pub clip: &'a LoopClip,
    /// The work of its feet.
    pub feet: &'a Footwork,
    /// Seconds since the start of the loop.
    pub secs: f64,
}

impl FadingLoop<'_> {
    /// Returns the feet that stand at the jump: the standing joint, and its position relative to the root.
    pub fn standing(&self) -> Vec<(usize, DVec3)> {
        let pose = self.clip.body_pose_at(self.secs, Interpolation::Cubic);
        self.feet
            .limbs
            .iter()
            .zip(&self.feet.legs)
            .filter_map(|(limb, leg)| {
                let part = limb.standing();
                let (joint, offset) = limb.fixed_to(part);
                let bears = self.value(&leg.bears, part as usize, 0.0) >= 0.5;
                let world = || pose.as_ref().world_of(self.clip.skeleton(), joint);
                bears.then(|| (joint, world().transform_point(offset)))
            })
            .collect()
    }

    /// The samples before and after a time since the jump, and the share of the later.
    fn around(&self, secs: f64) -> ([usize; 2], f64) {
        let (count, step) = (self.clip.num_samples(), self.clip.step_secs());
        let at = (self.secs + secs).rem_euclid(self.clip.period_secs()) / step;
        let before = (at.floor() as usize).min(count - 1);
        ([before, (before + 1) % count], at - before as f64)
    }

    /// Returns its footwork at `count` samples from then on.
    pub fn footwork(&self, count: usize, step_secs: f64) -> Footwork {
        let legs = (0..self.feet.legs.len()).map(|leg| {
            let own = &self.feet.legs[leg];
            let finite = |value: f64| if value.is_finite() { value } else { f64::NEG_INFINITY };
            let sampled = |values: &[OfParts]| {
                let at = |secs| core::array::from_fn(|part| finite(self.value(values, part, secs)));
                (0..count).map(|sample| at(sample as f64 * step_secs)).collect()
            };
            LegWork {
                bears: sampled(&own.bears),
                floors: sampled(&own.floors),
                clear: sampled(&own.clear),
                heights: sampled(&own.heights),
                hardest: self.hardest(leg, step_secs),
            }
        });
        Footwork {
            limbs: self.feet.limbs.clone(),
            legs: legs.collect(),
            lifted: self.feet.lifted,
            model: self.feet.model.clone(),
        }
    }

    /// Returns a value of a part at a time since the jump; not finite if it is not finite at one of the samples around.
    pub(super) fn value(&self, values: &[OfParts], part: usize, secs: f64) -> f64 {
        let ([before, after], share) = self.around(secs);
        let [before, after] = [before, after].map(|sample| values[sample][part]);
        if share == 0.0 {
            before
        } else {
            before + (after - before) * share
        }
    }

    /// Returns the largest acceleration of each joint of a leg, for samples `step_secs` apart.
    fn hardest(&self, leg: usize, step_secs: f64) -> [f64; NUM_JOINTS] {
        let longer = step_secs / self.clip.step_secs();
        self.feet.legs[leg].hardest.map(|hardest| hardest * longer * longer)
    }
}

/// The correction of a body through a fade: zero before and after it.
#[value]
pub struct SolvedFade {
    step_secs: f64,
    /// The joint that carries the whole body, and how far it moves at every sample, in the axes of the joint above it, metres.
    lifted: (usize, Vec<DVec3>),
    /// Joints, and the rotation vectors that follow their own rotations at every sample.
    turned: Vec<(usize, Vec<DVec3>)>,
}

impl SolvedFade {
    /// Solves the feet through a jump; `sampled` returns the body and the root of the faded motion at a time since the jump, and
    /// `longest_secs` is the latest end.
    ///
    /// `None` for robots, if the two loops have different legs, or the equations have no solution.
    pub fn new(
        from: FadingLoop<'_>,
        to: FadingLoop<'_>,
        fade: Decay,
        longest_secs: f64,
        sampled: impl Fn(f64) -> (Pose, Rigid),
    ) -> Option<Self> {
        if !from.feet.has_legs_of(to.feet) || to.clip.skeleton().hinges().is_some() {
            return None;
        }
        let step_secs =
            (to.clip.step_secs() / (to.clip.step_secs() / LONGEST_STEP_SECS).ceil()).max(SHORTEST_STEP_SECS);
        let count = (window_secs(to, fade, longest_secs) / step_secs).floor() as usize + 1;
        let (bodies, roots): (Vec<Pose>, Vec<Rigid>) =
            (0..count).map(|sample| sampled(sample as f64 * step_secs)).unzip();
        let tracks = Tracks::pose_by_pose(to.clip.skeleton(), step_secs, bodies);
        let stage = Stage::new(&tracks, Course::through(roots, step_secs));
        let goals: Vec<Goals> = (0..to.feet.limbs.len())
            .map(|leg| goals_through([from, to], fade, leg, &stage))
            .collect();
        let course = &stage.course;
        let settled = settle(course, &to.feet.limbs, &goals, &to.feet.model, None)?;
        let lifted = to.feet.lifted;
        let unless_held = |sample: usize, value: DVec3| if course.is_held(sample) { DVec3::ZERO } else { value };
        let hips = (0..count)
            .map(|sample| {
                unless_held(
                    sample,
                    stage.rotation_above(sample, lifted).conjugate() * settled.hips(sample),
                )
            })
            .collect();
        let mut turned = Vec::new();
        for (leg, (limb, goals)) in to.feet.limbs.iter().zip(&goals).enumerate() {
            for (index, joint) in limb.turning_joints().enumerate() {
                let turns = (0..count).map(|sample| {
                    let vectors = limb.turns(&goals.poses[sample], settled.leg(leg, sample));
                    unless_held(sample, vectors[index])
                });
                turned.push((joint, turns.collect()));
            }
        }
        Some(Self {
            step_secs,
            lifted: (lifted, hips),
            turned,
        })
    }

    /// Corrects a body at a time since the jump.
    pub fn add_to(&self, body: &mut Pose, secs: f64) {
        let at = secs / self.step_secs;
        let last = self.lifted.1.len() - 1;
        if !(0.0..last as f64).contains(&at) {
            return;
        }
        let before = at.floor() as usize;
        let around = Span::within(before, last);
        let curve = Hermite::at(at - before as f64);
        let value = |values: &[DVec3]| curve.point(around.map(|sample| values[sample]));
        let (lifted, hips) = &self.lifted;
        body.translations[*lifted] += value(hips);
        for (joint, turns) in &self.turned {
            let rotation = &mut body.rotations[*joint];
            *rotation = (*rotation * rotation::exp(value(turns))).normalize();
        }
    }
}

/// Returns the joint that carries the whole body: the first from that which carries the root's motion down to the hips that
/// moves itself.
fn carries_body(tracks: &Tracks, carrier: usize, hips: usize) -> usize {
    tracks
        .skeleton()
        .path_from_root(hips)
        .into_iter()
        .skip_while(|&joint| joint != carrier)
        .find(|&joint| {
            let first = tracks.pose(0).joint(joint);
            (1..tracks.num_frames()).any(|sample| tracks.pose(sample).joint(joint) != first)
        })
        .unwrap_or(carrier)
}

/// Returns how long a fade is corrected: until the parts that stand at its end have left the ground.
pub fn window_secs(to: FadingLoop, fade: Decay, longest_secs: f64) -> f64 {
    let fade_secs = match fade {
        Decay::Spring { half_life_secs } => HALF_LIVES * half_life_secs,
        Decay::Cubic { blend_secs } | Decay::Quintic { blend_secs } => blend_secs,
    };
    let longest_secs = longest_secs.min(fade_secs + STANDS_SECS);
    let mut end = fade_secs;
    for leg in 0..to.feet.limbs.len() {
        for part in 0..NUM_PARTS {
            let mut secs = fade_secs;
            while secs < longest_secs && to.value(&to.feet.legs[leg].bears, part, secs) > LEFT {
                secs += to.clip.step_secs();
            }
            end = end.max(secs);
        }
    }
    (end + RELEASE_SECS).min(longest_secs)
}

/// Returns the goals of the parts of a leg through a fade.
fn goals_through([from, to]: [FadingLoop; 2], fade: Decay, leg: usize, stage: &Stage) -> Goals {
    let (course, count) = (&stage.course, stage.num_samples());
    let [left, entered] = [from, to].map(|side| side.hardest(leg, course.step_secs));
    let mut goals = Goals::of_motion(
        stage,
        &to.feet.limbs[leg],
        core::array::from_fn(|joint| left[joint].max(entered[joint])),
    );
    let [left, entered] = [from, to].map(|side| &side.feet.legs[leg]);
    // How far a bearing part has come down; once down it stays down, even if the fade lifts it again.
    let mut is_down: OfParts = core::array::from_fn(|part| from.value(&left.bears, part, 0.0));
    for sample in 0..count {
        let secs = sample as f64 * course.step_secs;
        let still_off = fade.at(secs).position.value;
        for part in 0..NUM_PARTS {
            let height = goals.over_root(course, sample, part);
            let level = to.value(&entered.heights, part, secs);
            let rise = (height - level).max(0.0) / to.feet.model.size;
            let bears = to.value(&entered.bears, part, secs);
            is_down[part] = if bears > 0.0 {
                comes_down(rise).max(is_down[part])
            } else {
                0.0
            };
            goals.bears[sample][part] = bears * is_down[part];
            let floor = to.value(&entered.floors, part, secs);
            let lower = from.value(&left.floors, part, 0.0) - to.value(&entered.floors, part, 0.0);
            goals.level[sample][part] = if lower.is_finite() {
                level + still_off * lower
            } else {
                level
            };
            if floor.is_finite() && lower.is_finite() {
                goals.floors[sample][part] = floor + still_off * lower;
                let clear = to.value(&entered.clear, part, secs);
                if clear.is_finite() {
                    goals.clear[sample][part] = clear.min(height);
                }
            }
        }
    }
    goals
}
