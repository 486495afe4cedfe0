//! A leg as a chain of rotations: the positions of its points, and their derivatives by every unknown.

use glam::{DQuat, DVec3};

use super::{
    super::{
        FootPoint,
        leg::{Leg, NUM_JOINTS},
    },
    FixedPoint, Stage,
};
use crate::math::{Rigid, rotation, smallest};

/// Unknowns of a leg: three of the thigh, one of the knee, three of the ankle, one of the toes.
pub(super) const LEG_UNKNOWNS: usize = 8;

/// The first unknown of each joint below the thigh.
pub(super) const KNEE: usize = 3;
const ANKLE: usize = 4;
const TOES: usize = 7;

/// A point of a leg.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(super) enum Part {
    Knee,
    Ankle,
    /// The point of the sole below the ankle.
    Heel,
    Ball,
    Tip,
}

pub(super) const NUM_PARTS: usize = 5;

/// A number for each part.
pub(super) type OfParts = [f64; NUM_PARTS];

/// The turn of the foot, after the parts.
pub(super) const FOOT: usize = NUM_PARTS;

pub(super) const PARTS: [Part; NUM_PARTS] = [Part::Knee, Part::Ankle, Part::Heel, Part::Ball, Part::Tip];

impl Part {
    /// Returns the part as a point of a foot.
    pub(super) fn point(self) -> Option<FootPoint> {
        match self {
            Self::Knee => None,
            Self::Ankle => Some(FootPoint::Ankle),
            Self::Heel => Some(FootPoint::Heel),
            Self::Ball => Some(FootPoint::Ball),
            Self::Tip => Some(FootPoint::Tip),
        }
    }
}

/// The joints of a leg and the points of its foot.
#[value(Copy)]
pub(super) struct Limb {
    pub leg: Leg,
    toe: Option<usize>,
    /// The tip of the toes, in the axes of the toe joint; for a foot without toes its end, in the axes of the ankle.
    tip: Option<DVec3>,
    /// The sole below the ankle, in the axes of the ankle.
    heel: DVec3,
    /// The axis about which the toes bend up, in the axes of the toe joint.
    toe_axis: DVec3,
}

/// A leg at one sample, relative to the root, before correction.
pub(super) struct LegPose {
    thigh: Rigid,
    /// From the thigh to the joint above the knee, from there to the knee, from knee to ankle and from ankle to toes.
    above_knee: DQuat,
    knee: Rigid,
    ankle: Rigid,
    toe: Rigid,
    /// The axis of the knee, in the axes of the joint above it.
    hinge: DVec3,
}

/// Points of a leg and the rotation of its foot at one sample, relative to the root.
pub(super) struct LegPoints {
    pub at: [DVec3; NUM_PARTS],
    pub foot: DQuat,
    /// Their derivatives by the unknowns of the leg; for the foot a rotation vector.
    pub by: [Slopes; NUM_PARTS + 1],
}

/// Derivatives of a vector by the unknowns of a leg, axis by axis.
pub(super) type Slopes = [[f64; LEG_UNKNOWNS]; 3];

impl Limb {
    pub(super) fn new(stage: &Stage, leg: Leg, toe: Option<usize>, tip: Option<DVec3>, heel: DVec3) -> Self {
        let mut limb = Self {
            leg,
            toe,
            tip,
            heel,
            toe_axis: DVec3::ZERO,
        };
        if let (Some(toe), Some(tip)) = (limb.toe, limb.tip) {
            let axes = (0..stage.world.num_frames()).map(|sample| {
                let turn = stage.world.rotation(sample, toe);
                turn.conjugate() * (turn * tip).cross(stage.course.up[sample])
            });
            limb.toe_axis = axes.sum::<DVec3>().normalize_or_zero();
        }
        limb
    }

    /// Returns the parts of the foot that may bear.
    pub(super) fn bearing_parts(&self) -> impl Iterator<Item = Part> {
        let ankle = (!self.has(Part::Heel)).then_some(Part::Ankle);
        [Part::Heel, Part::Ball, Part::Tip]
            .into_iter()
            .filter(|&part| self.has(part))
            .chain(ankle)
    }

    pub(super) fn has(&self, part: Part) -> bool {
        match part {
            Part::Knee | Part::Ankle => true,
            Part::Heel => self.toe.is_some() || self.tip.is_some(),
            Part::Ball => self.toe.is_some(),
            Part::Tip => self.tip.is_some(),
        }
    }

    /// Returns the part that stands longest, as far as the rig has it.
    pub(super) fn standing(&self) -> Part {
        [Part::Ball, Part::Tip]
            .into_iter()
            .find(|&part| self.has(part))
            .unwrap_or(Part::Ankle)
    }

    /// Returns the joint and the offset in its axes that a part is fixed by.
    pub(super) fn fixed_to(&self, part: Part) -> FixedPoint {
        let Leg { knee, ankle, .. } = self.leg;
        match part {
            Part::Knee => (knee, DVec3::ZERO),
            Part::Ankle => (ankle, DVec3::ZERO),
            Part::Heel => (ankle, self.heel),
            Part::Ball => (self.toe.unwrap_or(ankle), DVec3::ZERO),
            Part::Tip => (self.toe.unwrap_or(ankle), self.tip.unwrap_or(DVec3::ZERO)),
        }
    }

    pub(super) fn pose(&self, stage: &Stage, sample: usize) -> LegPose {
        let Leg { thigh, knee, ankle, .. } = self.leg;
        let above = stage.rotation_above(sample, knee);
        let hinge = above.conjugate() * self.leg.hinge_at(above);
        let [thigh, knee, ankle, toe] =
            [thigh, knee, ankle, self.toe.unwrap_or(ankle)].map(|joint| stage.world.joint(sample, joint));
        LegPose {
            thigh,
            above_knee: thigh.rotation.conjugate() * above,
            knee: Rigid::new(
                above.conjugate() * knee.rotation,
                thigh.inverse().transform_point(knee.translation),
            ),
            ankle: knee.inverse() * ankle,
            toe: ankle.inverse() * toe,
            hinge,
        }
    }

    /// Returns the points of the leg with the hips moved and its joints turned by the unknowns.
    pub(super) fn points(&self, pose: &LegPose, hips: DVec3, unknowns: &[f64]) -> LegPoints {
        let [at_thigh, at_ankle] = [0, ANKLE].map(|at| DVec3::from_slice(&unknowns[at..]));
        let thigh = pose.thigh.translation + hips;
        let thigh_turn = pose.thigh.rotation * rotation::exp(at_thigh);
        let knee = thigh + thigh_turn * pose.knee.translation;
        let above_knee = thigh_turn * pose.above_knee;
        let knee_turn = above_knee * rotation::exp(pose.hinge * unknowns[KNEE]) * pose.knee.rotation;
        let ankle = knee + knee_turn * pose.ankle.translation;
        let foot = knee_turn * pose.ankle.rotation * rotation::exp(at_ankle);
        let ball = ankle + foot * pose.toe.translation;
        let toe_turn = foot * pose.toe.rotation;
        let tip = ball + toe_turn * rotation::exp(self.toe_axis * unknowns[TOES]) * self.tip.unwrap_or(DVec3::ZERO);
        let heel = ankle + foot * self.heel;
        let mut points = LegPoints {
            at: [knee, ankle, heel, ball, tip],
            foot,
            by: [[[0.0; LEG_UNKNOWNS]; 3]; NUM_PARTS + 1],
        };
        let mut add = |unknown: usize, axis: DVec3, centre: DVec3, first: Part| {
            for (part, at) in points.at.iter().enumerate().skip(first as usize) {
                set_slope(&mut points.by[part], unknown, axis.cross(*at - centre));
            }
            if first <= Part::Heel {
                set_slope(&mut points.by[FOOT], unknown, axis);
            }
        };
        // exp(r + d) = exp(r) exp(J(-r) d) to first order, with the left Jacobian J.
        let (by_thigh, by_ankle) = (rotation::left_jacobian(-at_thigh), rotation::left_jacobian(-at_ankle));
        for axis in 0..3 {
            add(axis, thigh_turn * by_thigh.col(axis), thigh, Part::Knee);
            add(ANKLE + axis, foot * by_ankle.col(axis), ankle, Part::Heel);
        }
        add(KNEE, above_knee * pose.hinge, knee, Part::Ankle);
        add(TOES, toe_turn * self.toe_axis, ball, Part::Tip);
        points
    }

    /// Returns the joints that turn.
    pub(super) fn turning_joints(&self) -> impl Iterator<Item = usize> + use<> {
        let Leg { thigh, knee, ankle, .. } = self.leg;
        [thigh, knee, ankle].into_iter().chain(self.toe)
    }

    /// Returns the rotations of its joints: rotation vectors that follow each joint's own rotation.
    pub(super) fn turns(&self, pose: &LegPose, unknowns: &[f64]) -> [DVec3; NUM_JOINTS] {
        [
            DVec3::from_slice(unknowns),
            pose.knee.rotation.conjugate() * pose.hinge * unknowns[KNEE],
            DVec3::from_slice(&unknowns[ANKLE..]),
            self.toe_axis * unknowns[TOES],
        ]
    }

    /// Returns the slopes of the rotation of a joint along a direction in its own axes, each with the number of the unknown.
    pub(super) fn turned_by(&self, pose: &LegPose, joint: usize, along: DVec3) -> Vec<(usize, f64)> {
        let about_any = |first: usize| (first..).zip(along.to_array()).collect();
        match joint {
            0 => about_any(0),
            1 => vec![(KNEE, along.dot(pose.knee.rotation.conjugate() * pose.hinge))],
            2 => about_any(ANKLE),
            _ => vec![(TOES, along.dot(self.toe_axis))],
        }
    }

    /// Turns the joints of a pose by the unknowns.
    pub(super) fn turn(&self, pose: &LegPose, rotations: &mut [DQuat], unknowns: &[f64]) {
        for (joint, vector) in self.turning_joints().zip(self.turns(pose, unknowns)) {
            rotations[joint] = (rotations[joint] * rotation::exp(vector)).normalize();
        }
    }

    /// Returns the angle of the knee from its straightest at a sample, radians.
    pub(super) fn flexed(&self, stage: &Stage, sample: usize) -> f64 {
        let above = stage.rotation_above(sample, self.leg.knee);
        self.leg.bend(|joint| stage.world.position(sample, joint), above).flexed
    }
}

fn set_slope(slopes: &mut Slopes, unknown: usize, by: DVec3) {
    for (axis, slope) in slopes.iter_mut().zip(by.to_array()) {
        axis[unknown] = slope;
    }
}

/// Returns the tip beyond a toe joint, in its axes; `None` if the rig ends there.
pub(super) fn tip_of(stage: &Stage, toe: usize) -> Option<DVec3> {
    let skeleton = stage.skeleton();
    match (skeleton.children(toe).first(), skeleton.joint(toe).tip) {
        (Some(&end), _) => {
            let world = &stage.world;
            Some(world.joint(0, toe).inverse().transform_point(world.position(0, end)))
        }
        (None, tip) => tip.filter(|&tip| tip != DVec3::ZERO),
    }
}

/// Returns the end of a foot without toes, in the axes of its ankle, if that bears: a paw, a hoof, or the front of a sole.
/// `None` if the rig has no such end, or if it does not come lower than the ankle: ends of bones that only draw them may be
/// anywhere.
pub(super) fn end_below(stage: &Stage, ankle: usize) -> Option<DVec3> {
    let end = tip_of(stage, ankle)?;
    let [lowest, lowest_of_ankle] = [end, DVec3::ZERO]
        .map(|offset| smallest((0..stage.num_samples()).map(|sample| stage.height(sample, (ankle, offset)))));
    (lowest < lowest_of_ankle).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_move_as_their_derivatives_say() {
        let turn = |x, y, z| rotation::exp(DVec3::new(x, y, z));
        let limb = Limb {
            leg: Leg::with_hinge([0, 1, 2], DVec3::X),
            toe: Some(3),
            tip: Some(DVec3::new(0.01, -0.02, 0.07)),
            heel: DVec3::new(0.0, -0.08, -0.03),
            toe_axis: DVec3::new(-0.96, 0.0, 0.28),
        };
        let pose = LegPose {
            thigh: Rigid::new(turn(0.4, 0.1, -0.3), DVec3::new(0.1, 0.9, 0.0)),
            above_knee: turn(0.0, 0.3, 0.1),
            knee: Rigid::new(turn(0.9, 0.2, 0.0), DVec3::new(0.02, -0.42, 0.01)),
            ankle: Rigid::new(turn(-0.5, 0.1, 0.2), DVec3::new(0.0, -0.4, 0.03)),
            toe: Rigid::new(turn(0.2, -0.1, 0.0), DVec3::new(0.0, -0.06, 0.13)),
            hinge: DVec3::new(0.8, 0.0, 0.6),
        };
        let unknowns = [0.1, -0.2, 0.15, 0.3, -0.25, 0.1, 0.2, 0.12];
        let hips = DVec3::new(0.01, -0.02, 0.03);
        let here = limb.points(&pose, hips, &unknowns);
        let step = 1e-6;
        for unknown in 0..LEG_UNKNOWNS {
            let moved = [step, -step].map(|step| {
                let mut unknowns = unknowns;
                unknowns[unknown] += step;
                limb.points(&pose, hips, &unknowns)
            });
            let by = |part: usize| DVec3::from_array(here.by[part].map(|axis| axis[unknown]));
            // The unknowns of the joints above a part move it.
            let moved_by = [KNEE, ANKLE, TOES, TOES, LEG_UNKNOWNS];
            for part in 0..NUM_PARTS {
                assert!(unknown < moved_by[part] || by(part) == DVec3::ZERO);
                let slope = (moved[0].at[part] - moved[1].at[part]) / (2.0 * step);
                let error = slope.distance(by(part));
                assert!(error < 1e-9, "part {part} by unknown {unknown}: {slope} {}", by(part));
            }
            let turned = rotation::difference(moved[0].foot, moved[1].foot) / (2.0 * step);
            assert!(turned.distance(by(FOOT)) < 1e-8, "the foot by unknown {unknown}");
        }
    }
}
