//! One solve for feet, legs and hips over a whole motion: a loop, a stretch of a take or a fade.
//!
//! A smooth correction of hips and legs, periodic where the motion is, found by least squares over all samples at once: bearing
//! points do not move over the ground, no part of a foot is below its floor, no joint accelerates more than in the take, and
//! everything else moves as little as possible. Gauss-Newton, with sums in a fixed order, so that the bits are the same
//! everywhere. Derivation: docs/math/feet_solve.md.

use glam::DVec3;

use super::{
    Bearing, Course, FootModel, FootPoint, Leg, LoopContact, Stage, leg::NUM_JOINTS, model::LegLimits,
    stage::FixedPoint, stance::PointTrack,
};
use crate::{
    analysis::Foot,
    math::{Rigid, greatest, mean, smallest},
    motion::Tracks,
};

pub mod fade;

pub mod open;

pub(crate) mod hinged;

mod goals;

mod limb;

mod normal;

mod terms;

mod uncut;

mod weights;

use goals::Goals;
pub(crate) use goals::hardest_turn;
use limb::{LEG_UNKNOWNS, LegPoints, Limb, Part};
use normal::{FEWEST_SAMPLES, NormalEquations};
use terms::Terms;
pub(super) use uncut::Uncut;

/// Unknowns of the hips: their place.
const HIPS: usize = 3;

/// Most steps of Gauss-Newton with new coefficients; two to five are usual.
const MOST_STEPS: usize = 8;

/// Most steps if knees have a limit to their bend: that problem is hard, and legs that do not reach meet the limit in one step
/// after another.
const MOST_STEPS_WITH_LIMITS: usize = 24;

/// Cost of a unit of the first step, metres on the reference body, which keeps it within the validity of its coefficients: a
/// straight leg would have to bend by a radian at once. More takes more steps and holds feet no better. Each later step is damped
/// by a share of the previous damping, and by a multiple after a step that went too far: long steps that are repeatedly cut short
/// cost more, and hold feet less well.
const DAMPING_METRES: f64 = 2.4;
const DAMPED_AGAIN: f64 = 0.3;
const DAMPED_AFTER_TOO_FAR: f64 = 3.0;

/// Steps damped by more than this may be small far from the end, metres.
const HARDLY_DAMPED_METRES: f64 = 0.5;

/// A step that moves nothing by more than this is followed by this many with the same coefficients, radians and metres.
const NEAR: f64 = 0.02;
const NUM_REPEATS: usize = 2;

/// Steps that move nothing by more than this end the search.
const SETTLED: f64 = 2e-3;

/// A step that saves less than this share of the predicted saving went too far.
const FORESEEN_SHARE: f64 = 0.25;

/// A step that saves less than this share of the cost also went too far, if it is damped by less than this, metres: the saving
/// of a step that is damped more, or cut short, does not show how much can be saved.
const TELLING_METRES: f64 = 3.0;
const SAVES: f64 = 0.08;

/// A last step larger than this that saved more than this share of the cost shows that the search is not close to its end.
const UNSETTLED: f64 = 0.1;
const UNSETTLED_SAVES: f64 = 0.1;

/// A step that would cost more is halved, at most this many times.
const MOST_HALVINGS: usize = 4;

/// Largest number of samples times the square of the unknowns per sample: 170 MB of equations. A loop of minutes is not a cycle.
const MOST_PRODUCTS: usize = 3_000_000;

/// A part of a foot that strays farther than this while it seems to bear turns about another part, metres on the reference body; it is
/// not held.
const TURNS_METRES: f64 = 0.03;

/// A leg and when its parts bear.
pub(super) struct BearingLeg {
    limb: Limb,
    bearing: Vec<(Part, Vec<LoopContact>)>,
    /// Its limits, on a character.
    limits: Option<LegLimits>,
}

impl BearingLeg {
    /// Creates the leg of a foot whose lowest joint stands during `spans`, which are not empty. `known` says when other points
    /// of it bear; otherwise that is detected.
    pub(super) fn new(
        stage: &Stage,
        leg: Leg,
        foot: &Foot,
        spans: &[LoopContact],
        model: &FootModel,
        known: Option<&[Bearing]>,
    ) -> Self {
        let stands = standing_point(stage, foot, model.is_character);
        let heel = heel_below(stage, foot.ankle, stands, spans, model);
        let index = spans.first().map_or(0, |span| span.foot);
        let limits = model.legs.get(index).copied();
        let tip = match (limits.and_then(|limits| limits.front), foot.toe) {
            (Some(front), _) => Some(front.of_toes),
            (None, Some(toe)) => limb::tip_of(stage, toe),
            (None, None) => Some(stands.1).filter(|&end| end != DVec3::ZERO),
        };
        let limb = Limb::new(stage, leg, foot.toe, tip, heel);
        let most_metres = TURNS_METRES * model.metre;
        let bearing = limb.bearing_parts().map(|part| {
            let fixed = limb.fixed_to(part);
            if fixed == stands {
                return (part, spans.to_vec());
            }
            let point = PointTrack::new(stage, model, fixed);
            let mut contacts = match known {
                Some(known) => Bearing::contacts(known, index, part.point()),
                None => point.contacts(index),
            };
            if stage.course.has_ends() {
                contacts = point.standing_parts(&contacts, most_metres);
            }
            let mut spans = point.spans(&contacts);
            spans.retain(|span| strays(stage, &point.positions, span) < most_metres);
            (part, spans)
        });
        Self {
            bearing: bearing.collect(),
            limb,
            limits,
        }
    }

    /// Returns when the points of the foot bear.
    pub(super) fn bearing(&self) -> impl Iterator<Item = Bearing> {
        self.bearing.iter().flat_map(|(part, contacts)| {
            let point = part.point();
            contacts
                .iter()
                .filter_map(move |&contact| Some(Bearing { point: point?, contact }))
        })
    }
}

/// Returns the point of a foot that stays longest on the ground, as a joint and an offset in its axes: the joint of the toes,
/// else the end of the foot, else the ankle. Characters without toes follow their source by their ankles.
pub(super) fn standing_point(stage: &Stage, foot: &Foot, is_character: bool) -> FixedPoint {
    match foot.toe {
        Some(toe) => (toe, DVec3::ZERO),
        None if is_character => (foot.ankle, DVec3::ZERO),
        None => (foot.ankle, limb::end_below(stage, foot.ankle).unwrap_or(DVec3::ZERO)),
    }
}

/// Returns heel and tip of a foot whose standing point stands over contacts: each as a joint and an offset in its axes. A foot
/// with only a known ankle has none.
pub(super) fn ends_of_foot(
    stage: &Stage,
    foot: &Foot,
    contacts: &[LoopContact],
    model: &FootModel,
) -> Vec<(FootPoint, FixedPoint)> {
    let stands = standing_point(stage, foot, model.is_character);
    if stands == (foot.ankle, DVec3::ZERO) {
        return Vec::new();
    }
    let heel = heel_below(stage, foot.ankle, stands, contacts, model);
    let tip = foot
        .toe
        .map_or(Some(stands), |toe| limb::tip_of(stage, toe).map(|tip| (toe, tip)));
    [(FootPoint::Heel, (foot.ankle, heel))]
        .into_iter()
        .chain(tip.map(|tip| (FootPoint::Tip, tip)))
        .collect()
}

/// Returns the farthest that a point is from its mean place over a contact, over the ground, metres.
fn strays(stage: &Stage, positions: &[DVec3], contact: &LoopContact) -> f64 {
    let places: Vec<DVec3> = contact
        .keys()
        .map(|key| {
            stage
                .course
                .to_world(key as isize, positions[key % positions.len()])
                .with_y(0.0)
        })
        .collect();
    let mean = mean(places.iter().copied());
    greatest(places.iter().map(|place| place.distance(mean)))
}

/// A motion with its feet solved.
pub(super) struct Solved {
    pub tracks: Tracks,
    /// The largest distance that the hips were lowered, metres.
    pub lowered_metres: f64,
    /// The largest distance that the ball of a foot moved, or an ankle without one, metres.
    pub moved_metres: f64,
}

/// Solves the feet of a motion; `lifted` is the joint that carries the whole body.
///
/// `None` as for [`settle`], and if the search does not converge.
pub(super) fn solve(
    stage: &Stage,
    uncut: &Uncut,
    legs: &[BearingLeg],
    lifted: usize,
    model: &FootModel,
) -> Option<Solved> {
    let (course, skeleton) = (&stage.course, stage.skeleton());
    let limbs: Vec<Limb> = legs.iter().map(|leg| leg.limb).collect();
    // Before the goals, which take time.
    if !is_solvable(course, limbs.len()) {
        return None;
    }
    let mut goals: Vec<Goals> = legs.iter().map(|leg| Goals::new(stage, uncut, leg, model)).collect();
    let settled = settle_freely(course, &limbs, &mut goals, model).filter(|settled| settled.is_near)?;
    let mut solved = Solved {
        tracks: Tracks::empty(skeleton.clone(), course.step_secs, course.count()),
        lowered_metres: 0.0,
        moved_metres: 0.0,
    };
    for sample in 0..course.count() {
        let hips = settled.hips(sample);
        let mut pose = stage.tracks.pose(sample).to_pose();
        pose.translations[lifted] += stage.rotation_above(sample, lifted).conjugate() * hips;
        for (leg, (limb, goals)) in limbs.iter().zip(&goals).enumerate() {
            let turns = settled.leg(leg, sample);
            limb.turn(&goals.poses[sample], &mut pose.rotations, turns);
            let points = limb.points(&goals.poses[sample], hips, turns);
            if limb.leg.is_apart {
                pose.place(
                    skeleton,
                    limb.leg.ankle,
                    Rigid::new(points.foot, points.at[Part::Ankle as usize]),
                );
            }
            let moved = points.at[Part::Ball as usize].distance(goals.own[sample].at[Part::Ball as usize]);
            solved.moved_metres = solved.moved_metres.max(moved);
        }
        solved.lowered_metres = solved.lowered_metres.max(-course.up[sample].dot(hips));
        solved.tracks.push(pose.as_ref());
    }
    Some(solved)
}

/// Whether there are enough samples, and not too many.
fn is_solvable(course: &Course, num_legs: usize) -> bool {
    let width = HIPS + LEG_UNKNOWNS * num_legs;
    (FEWEST_SAMPLES..=MOST_PRODUCTS / (width * width)).contains(&course.count())
}

/// The correction that costs least.
struct Settled {
    /// Sample by sample: the hips, then each leg.
    unknowns: Vec<f64>,
    width: usize,
    /// Whether the last step, if there was any, was small or saved little.
    is_near: bool,
}

impl Settled {
    /// Returns the displacement of the hips at a sample, metres, relative to the root.
    fn hips(&self, sample: usize) -> DVec3 {
        DVec3::from_slice(&self.unknowns[sample * self.width..])
    }

    /// Returns the unknowns of a leg at a sample.
    fn leg(&self, leg: usize, sample: usize) -> &[f64] {
        &self.unknowns[sample * self.width + HIPS + leg * LEG_UNKNOWNS..][..LEG_UNKNOWNS]
    }

    /// Returns the correction with a step added.
    fn moved(&self, step: &[f64]) -> Self {
        Self {
            unknowns: self
                .unknowns
                .iter()
                .zip(step)
                .map(|(unknown, step)| unknown + step)
                .collect(),
            ..*self
        }
    }

    /// Returns the resulting positions of the parts of all legs, by leg and sample.
    fn points(&self, limbs: &[Limb], goals: &[Goals]) -> Vec<Vec<LegPoints>> {
        limbs
            .iter()
            .zip(goals)
            .enumerate()
            .map(|(leg, (limb, goals))| {
                goals
                    .poses
                    .iter()
                    .enumerate()
                    .map(|(sample, pose)| limb.points(pose, self.hips(sample), self.leg(leg, sample)))
                    .collect()
            })
            .collect()
    }
}

/// Returns the correction of [`settle`]; if it does not converge, without the limits of joint accelerations.
fn settle_freely(course: &Course, limbs: &[Limb], goals: &mut [Goals], model: &FootModel) -> Option<Settled> {
    let settled = settle(course, limbs, goals, model, None);
    if settled.as_ref().is_some_and(|settled| settled.is_near) {
        return settled;
    }
    // Some bodies cannot hold their feet without larger joint accelerations than the take: the search continues without those
    // limits.
    for goals in &mut *goals {
        goals.hardest = [f64::INFINITY; NUM_JOINTS];
    }
    settle(course, limbs, goals, model, settled)
}

/// Searches for the cheapest correction, starting from none or from another. No step costs more than the previous one; `None` if
/// there are too few samples or too many, if the equations have no solution, or if no step costs less.
fn settle(
    course: &Course,
    limbs: &[Limb],
    goals: &[Goals],
    model: &FootModel,
    from: Option<Settled>,
) -> Option<Settled> {
    if !is_solvable(course, limbs.len()) {
        return None;
    }
    let width = HIPS + LEG_UNKNOWNS * limbs.len();
    let terms = Terms {
        course,
        limbs,
        goals,
        size: model.size,
    };
    let mut equations = NormalEquations::new(course.count(), width);
    let mut has_moved = from.is_some();
    let mut settled = from.unwrap_or_else(|| Settled {
        unknowns: vec![0.0; course.count() * width],
        width,
        is_near: false,
    });
    let has_limits = goals.iter().any(|goals| goals.most_flexed.is_finite());
    let most_steps = if has_limits { MOST_STEPS_WITH_LIMITS } else { MOST_STEPS };
    let mut damping = DAMPING_METRES;
    'search: for _ in 0..most_steps {
        equations.clear();
        let before = terms.cost(&settled, &mut equations);
        let damped = damped(damping, width, model);
        equations.damp(&damped);
        let mut cost = before;
        let pulls = equations.pulls();
        let mut step = equations.solve()?;
        let foreseen: f64 = pulls
            .iter()
            .zip(&step)
            .zip(damped.iter().cycle())
            .map(|((pull, step), square)| (pull + square * step) * step)
            .sum();
        let mut moved = largest(&step, width, model);
        let more = if moved < NEAR { NUM_REPEATS } else { 0 };
        let (mut repeats, mut halvings) = (0, 0);
        loop {
            let ahead = settled.moved(&step);
            equations.clear_pulls();
            let cost_ahead = terms.cost(&ahead, &mut equations);
            if cost_ahead < cost {
                (settled, cost) = (ahead, cost_ahead);
                has_moved = true;
                if repeats == more {
                    break;
                }
                repeats += 1;
                step = equations.solve()?;
                moved = largest(&step, width, model);
            } else if repeats > 0 {
                // The coefficients are no longer valid.
                break;
            } else if halvings < MOST_HALVINGS && moved > SETTLED {
                halvings += 1;
                step.iter_mut().for_each(|step| *step *= 0.5);
                moved *= 0.5;
            } else {
                break 'search;
            }
        }
        let as_foreseen = halvings == 0 && before - cost > FORESEEN_SHARE * foreseen;
        let is_telling = as_foreseen && damping < TELLING_METRES;
        let saved = if is_telling { before - cost } else { before };
        settled.is_near = is_telling && moved < UNSETTLED || saved < UNSETTLED_SAVES * before;
        if damping < HARDLY_DAMPED_METRES && moved < SETTLED || saved < SAVES * before {
            break;
        }
        damping *= if as_foreseen {
            DAMPED_AGAIN
        } else {
            DAMPED_AFTER_TOO_FAR
        };
    }
    has_moved.then_some(settled)
}

/// Returns the cost of the square of each unknown of a sample in a step with this damping, metres on the reference body.
fn damped(damping: f64, width: usize, model: &FootModel) -> Vec<f64> {
    let turns = damping * model.size;
    let moves = turns / model.metre;
    (0..width)
        .map(|unknown| if unknown < HIPS { moves * moves } else { turns * turns })
        .collect()
}

/// Returns the largest size of an unknown, radians, and metres on the reference body.
fn largest(step: &[f64], width: usize, model: &FootModel) -> f64 {
    let of_samples = step.chunks_exact(width).map(|sample| {
        let (hips, turns) = sample.split_at(HIPS);
        let [hips, turns] =
            [hips, turns].map(|values| values.iter().fold(0.0_f64, |most, value| value.abs().max(most)));
        (hips / model.metre).max(turns)
    });
    greatest(of_samples)
}

/// Samples at which a foot is steeper than at its flattest by more than this, metres from ball to ankle on the reference body,
/// hardly show its sole.
const FLAT_METRES: f64 = 0.002;

/// Returns the heel below an ankle, in the axes of the ankle: the sole at the flattest foot while its standing point bears.
fn heel_below(stage: &Stage, ankle: usize, stands: FixedPoint, contacts: &[LoopContact], model: &FootModel) -> DVec3 {
    let (count, up) = (stage.course.count(), &stage.course.up);
    let flat_metres = FLAT_METRES * model.metre;
    let samples: Vec<usize> = contacts
        .iter()
        .flat_map(LoopContact::keys)
        .map(|key| key % count)
        .collect();
    let rises: Vec<f64> = samples
        .iter()
        .map(|&sample| stage.height(sample, (ankle, DVec3::ZERO)) - stage.height(sample, stands))
        .collect();
    let least = smallest(rises.iter().copied());
    let (mut sum, mut total) = (DVec3::ZERO, 0.0);
    for (&sample, &rise) in samples.iter().zip(&rises) {
        let weight = (1.0 + ((rise - least) / flat_metres).powi(2)).powi(-2);
        sum += stage.world.rotation(sample, ankle).conjugate() * (up[sample] * -rise.max(0.0)) * weight;
        total += weight;
    }
    if total > 0.0 { sum / total } else { DVec3::ZERO }
}
