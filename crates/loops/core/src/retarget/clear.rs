//! Keeps soles of the target above the ground, or no farther below it than those of the source. Feet that are longer than those
//! of the source at the same scale, or that have no joint at which the source's bend, would otherwise go through it while they
//! roll and swing.
//!
//! A function of the pose alone, with two continuous derivatives, and the identity if no point of a sole is too low. Derivation:
//! docs/math/retarget.md.

use glam::{DQuat, DVec3};

use super::{
    Rig,
    anatomy::Limb,
    legs::{faded, limited},
};
use crate::{
    math::{Rigid, greatest, ops, ordered, rotation, smallest},
    motion::{Pose, Skeleton},
};

/// A point at least this far below the ground, as a share of the leg (9 mm on the reference body), is lifted onto it; a point less far
/// below, by a part of the way.
const LIFTED_SHARE: f64 = 0.01;

/// Of several points the lowest has the greatest weight; the weight falls by a factor e for every such share of the leg above it.
const LOWEST_SHARE: f64 = 0.001;

/// A foot rotates about its ankle instead of lifting the ankle if the point that is too low is horizontally farther from the
/// ankle than this share of the foot: knees yield little.
const TURNS_SHARE: f64 = 0.2;

/// A foot that points straight down has no lever, and rotates as if its toes were this share of it ahead of the ankle, and its
/// heel behind.
const UPRIGHT_SHARE: f64 = 0.35;

/// Without a mesh, points farther from the ankle than this share of the leg are not part of the foot: ends of bones that only
/// steer may be anywhere.
const LONGEST_SHARE: f64 = 0.6;

/// Toes that reach less far from their joint than this share of the leg do not turn up: their end is not known.
const SHORTEST_SHARE: f64 = 0.02;

/// A foot or its toes turn up by less than this, radians (86 degrees): toes that lie flat under a foot that points down turn that far.
const MOST_TURNED: f64 = 1.5;

/// Number of rounds; each computes its lever at the angle of the one before.
const ROUNDS: usize = 8;

/// The sole of a foot of the target.
#[value]
pub(super) struct Sole {
    pub ankle: usize,
    pub toe: Option<usize>,
    /// The part that rotates with the ankle; if the foot has toes, its ball is one of the points.
    foot: Part,
    /// The part that turns with the toes.
    toes: Part,
    /// Length of the leg, metres.
    leg: f64,
}

/// A part of a sole that turns with a joint, in the joint's axes.
#[value(Default)]
struct Part {
    /// Metres.
    points: Vec<DVec3>,
    /// The direction ahead, and the axis about which it turns up.
    ahead: DVec3,
    aside: DVec3,
    /// Distance to its end, metres.
    length: f64,
}

impl Sole {
    /// Returns the sole of a leg; `None` without a foot.
    ///
    /// Without surface points it uses the points on the ground in the reference pose below its joints and the ends of its bones.
    pub(super) fn new(rig: &Rig, limb: &Limb) -> Option<Self> {
        let ankle = limb.reaches?.end?;
        let (ground, leg) = (rig.ground(), rig.leg_length());
        let at_ankle = rig.world.joint(ankle);
        let toe = limb.toe.map(|toe| (toe, rig.world.joint(toe)));
        let (mut of_ankle, mut of_toe) = (Vec::new(), Vec::new());
        for (joint, point) in points_of_sole(rig, ankle) {
            match toe.filter(|&(toe, _)| rig.skeleton.is_within(joint, toe)) {
                Some((_, at_toe)) => of_toe.push(at_toe.inverse().transform_point(point)),
                None => of_ankle.push(at_ankle.inverse().transform_point(point)),
            }
        }
        if let Some((_, at_toe)) = toe {
            // The ball bears where the toes bend.
            of_ankle.push(at_ankle.inverse().transform_point(at_toe.translation.with_y(ground)));
        }
        // Of two corners the first.
        let farthest = of_ankle
            .iter()
            .rev()
            .map(|point| at_ankle.rotation * *point)
            .max_by_key(|arm| ordered(ops::over_ground(*arm)))
            .unwrap_or_default();
        let level = toe
            .map_or(farthest, |(_, at_toe)| at_toe.translation - at_ankle.translation)
            .with_y(0.0);
        let ahead = level.try_normalize()?;
        let longest = greatest(of_toe.iter().map(|point| point.length()));
        Some(Self {
            ankle,
            toe: limb.toe,
            foot: Part::new(at_ankle, of_ankle, ahead, level.length()),
            toes: match toe.filter(|_| longest > SHORTEST_SHARE * leg) {
                Some((_, at_toe)) => Part::new(at_toe, of_toe, ahead, longest),
                None => Part::default(),
            },
            leg,
        })
    }

    /// Returns the height of the lowest point in a pose in the world, or a little less.
    pub(super) fn lowest(&self, world: &Pose) -> f64 {
        let of_toes = self.toe.map(|toe| self.toes.heights(world.joint(toe)));
        let heights: Vec<f64> = self
            .foot
            .heights(world.joint(self.ankle))
            .chain(of_toes.into_iter().flatten())
            .collect();
        let least = smallest(heights.iter().copied());
        let soft = LOWEST_SHARE * self.leg;
        least - soft * ops::ln(heights.iter().map(|height| ops::exp((least - height) / soft)).sum())
    }

    /// Returns the height of the lowest point of the toes, whose joint is given in the world.
    pub(super) fn lowest_of_toes(&self, toe: Rigid) -> f64 {
        smallest(self.toes.heights(toe))
    }

    /// Returns how low a foot of the target may be, given the height of the source's lowest point over its ground: as far below
    /// the ground, or on it. Heights are at the size of the target.
    pub(super) fn floor(&self, of_source: f64) -> f64 {
        0.5 * (of_source - ops::hypot(of_source, 2.0 * (LOWEST_SHARE * self.leg)))
    }

    /// Returns the turn in the world and the rise, metres, that keep the part that turns with the ankle above a floor; `None` if none of it
    /// is below.
    pub(super) fn cleared(&self, foot: Rigid, floor: f64) -> Option<(DQuat, f64)> {
        let cleared = self.lifted(&self.foot, foot, floor);
        (cleared != (DQuat::IDENTITY, 0.0)).then_some(cleared)
    }

    /// Turns the toes of a local pose up until they are above a floor; their joint stays in its place.
    pub(super) fn turn_toes_up(&self, skeleton: &Skeleton, pose: &mut Pose, floor: f64) {
        let Some(toe) = self.toe else { return };
        let above = pose.as_ref().above(skeleton, toe);
        let up = self.lifted(&self.toes, above * pose.joint(toe), floor).0;
        if up != DQuat::IDENTITY {
            let turn = above.rotation.conjugate() * up * above.rotation;
            pose.rotations[toe] = (turn * pose.rotations[toe]).normalize();
        }
    }

    /// Returns the turn of a part in the world and the rise of its joint that bring its points above a floor.
    fn lifted(&self, part: &Part, joint: Rigid, floor: f64) -> (DQuat, f64) {
        let soft = LOWEST_SHARE * self.leg;
        let axis = joint.rotation * part.aside;
        let turned = |angle: f64| rotation::exp(axis * limited(angle, MOST_TURNED));
        let turns = (TURNS_SHARE * part.length).max(SHORTEST_SHARE * self.leg);
        // Horizontal distance of each point ahead of the joint if the part pointed straight down: toes turn up, and so do heels.
        let upright: Vec<f64> = part
            .points
            .iter()
            .map(|point| UPRIGHT_SHARE * point.dot(part.ahead).clamp(-part.length, part.length))
            .collect();
        let (mut angle, mut rise) = (0.0, 0.0);
        let mut wanted = None;
        for _ in 0..ROUNDS {
            let turn = turned(angle) * joint.rotation;
            let arms: Vec<DVec3> = part.points.iter().map(|&point| turn * point).collect();
            let heights: Vec<f64> = arms
                .iter()
                .map(|arm| joint.translation.y + rise + arm.y - floor)
                .collect();
            let least = smallest(heights.iter().copied());
            if !(least < 0.0 || wanted.is_some()) {
                break;
            }
            let weights: Vec<f64> = heights.iter().map(|height| ops::exp((least - height) / soft)).collect();
            let total: f64 = weights.iter().sum();
            let lowest = least - soft * ops::ln(total / weights.len() as f64);
            let goal = *wanted.get_or_insert(lowest * (1.0 - faded(-lowest / (LIFTED_SHARE * self.leg))));
            let missing = goal - lowest;
            if missing == 0.0 {
                break;
            }
            let lever = arms
                .iter()
                .zip(&upright)
                .zip(&weights)
                .map(|((arm, upright), weight)| (axis.cross(*arm).y + upright) * weight)
                .sum::<f64>()
                / total;
            let both = lever * lever + turns * turns;
            angle += lever * missing / both;
            rise += turns * turns * missing / both;
        }
        (turned(angle), rise)
    }
}

impl Part {
    /// Creates the points of a joint, in its axes, that reach so far ahead in the world.
    fn new(joint: Rigid, points: Vec<DVec3>, ahead: DVec3, length: f64) -> Self {
        let back = joint.rotation.conjugate();
        Self {
            points,
            ahead: back * ahead,
            aside: back * ahead.cross(DVec3::Y),
            length,
        }
    }

    /// Returns the heights of its points, given the world transform of its joint.
    fn heights(&self, joint: Rigid) -> impl Iterator<Item = f64> {
        self.points.iter().map(move |&point| joint.transform_point(point).y)
    }
}

/// Returns points of the sole of an ankle in the reference pose in the world, each with its joint: those of its surface, or, without a
/// surface, the joints and ends of bones of the foot, moved to the ground.
fn points_of_sole(rig: &Rig, ankle: usize) -> Vec<(usize, DVec3)> {
    let (skeleton, world) = (&rig.skeleton, &rig.world);
    let surface = rig.soles().iter().find(|sole| sole.ankle == ankle);
    if let Some(sole) = surface.filter(|sole| !sole.points.is_empty()) {
        return sole.in_world(world).collect();
    }
    let (ground, longest) = (rig.ground(), LONGEST_SHARE * rig.leg_length());
    (ankle..skeleton.num_joints())
        .filter(|&joint| skeleton.is_within(joint, ankle) && !rig.anatomy.meanings[joint].is_helper)
        .flat_map(|joint| {
            let at = world.joint(joint);
            let tip = skeleton.joint(joint).tip.map(|tip| at.transform_point(tip));
            core::iter::once(at.translation)
                .chain(tip)
                .map(move |end| (joint, end.with_y(ground)))
        })
        .filter(|(_, point)| point.distance(world.translations[ankle]) < longest)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Joint;

    /// Toes 12 cm long that point down by 80 degrees, 3 cm above the ground at their joint, would reach 88 mm below it, and
    /// rotate up by 60 degrees: a little more than a centimetre remains, because they alone rotate.
    #[test]
    fn toes_bend_up_as_far_as_those_of_a_foot_that_points_down_have_to() {
        let tip = DVec3::Z * 0.12;
        let toes = Part {
            points: vec![DVec3::ZERO, tip],
            ahead: DVec3::Z,
            aside: -DVec3::X,
            length: 0.12,
        };
        let sole = Sole {
            ankle: 0,
            toe: Some(1),
            foot: toes.clone(),
            toes,
            leg: 0.9,
        };
        let down = DQuat::from_rotation_x(80f64.to_radians());
        let is_lifted = |height: f64| sole.cleared(Rigid::new(down, DVec3::Y * height), 0.0).is_some();
        assert_eq!([0.2, 0.1].map(is_lifted), [false, true], "a foot as long as the toes");
        let joint = |parent| Joint::new("j", parent, DVec3::ZERO);
        let skeleton = Skeleton::new(vec![joint(None), joint(Some(0))]).unwrap();
        // The ankle faces elsewhere.
        let ankle = Rigid::new(DQuat::from_rotation_y(2.0), DVec3::new(0.1, 0.1, -0.1));
        let toe = ankle.inverse() * Rigid::new(down, DVec3::Y * 0.03);
        let mut pose = Pose::new(
            vec![ankle.translation, toe.translation],
            vec![ankle.rotation, toe.rotation],
        );
        sole.turn_toes_up(&skeleton, &mut pose, 0.0);
        let lies = pose.as_ref().world_of(&skeleton, 1).transform_point(tip);
        assert!((-0.013..0.0).contains(&lies.y), "{lies}");
    }
}
