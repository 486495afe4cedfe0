//! Legs of the target: each foot is put where that of the source stands, at the target's scale.
//!
//! Limbs carried over by their directions alone put feet where the proportions of the target take them, and standing feet slide.
//! Here the ball of the foot (or the ankle) goes to the scaled place of the source's. This is a function of the pose alone, so
//! what stands still goes on standing still, and a closed loop stays closed.

use glam::{DQuat, DVec3};

use super::{
    Rig,
    anatomy::{Bones, Limb, LimbKind},
};
use crate::{
    feet::leg::{Bend, Leg, arc},
    math::{ops::hypot, rotation},
    motion::{Pose, WorldTracks},
};

/// A leg of the target with the leg that it follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PlacedLeg {
    pub(super) leg: Leg,
    /// The joint above the knee.
    pub(super) above_knee: usize,
    /// The joint of the source that is followed: its ball of the foot, or its ankle.
    pub(super) follows: usize,
    /// The ankle of the source.
    pub(super) ankle: usize,
    /// From the ankle to the same point of the target, in the ankle's axes.
    anchor: DVec3,
    /// Height over that of standing feet at which the ankle alone is followed, metres of the target.
    lifted: f64,
}

/// The ankle alone is followed once the ball of the foot is higher than this share of the leg: about 13 cm of a person's. Lower, a
/// foot that is as high while it rolls would leave its place; higher, a long foot that points down lifts the knee.
const LIFTED_SHARE: f64 = 0.15;

/// A knee bends beyond that of the source by less than this, radians (8 degrees). Less, and feet leave their places while they stand;
/// more, and the longer feet of a character with short legs fold them.
const MOST_BENT: f64 = 0.14;

/// Each round takes the tilt of the foot from the one before; each removes most of what is left.
const TILT_ROUNDS: usize = 3;

/// Bends smaller than this, as a share of the bones, tell no axis of the knee.
const STRAIGHT: f64 = 0.01;

impl PlacedLeg {
    /// The leg of a limb; `turn` maps the source's world rotation of the thigh to the target's. `None` for a limb of other than
    /// two bones.
    pub(super) fn of(
        (target, limb): (&Rig, &Limb),
        (source, from): (&Rig, &Limb),
        hangs_from: &[Option<usize>],
        turn: DQuat,
        motion: &WorldTracks,
    ) -> Option<Self> {
        let Bones { upper, lower, end } = limb.bones.filter(|_| limb.kind == LimbKind::Leg)?;
        let (theirs, ankle) = (from.bones?, end?);
        let above_knee = hangs_from[lower]?;
        let hinge = hinge_of(theirs, motion).map_or_else(
            || target.world.rotations[upper].conjugate() * (target.axes * DVec3::X),
            |hinge| turn.conjugate() * hinge,
        );
        let rotations = &target.world.rotations;
        let above_from_upper = rotations[above_knee].conjugate() * rotations[upper];
        let both_have_toes = from.toe.zip(limb.toe);
        let (follows, anchor) = match both_have_toes {
            Some((from, toe)) => (from, target.world.translations[toe] - target.world.translations[ankle]),
            None => (theirs.end?, DVec3::ZERO),
        };
        debug_assert!(follows < source.skeleton.num_joints());
        Some(Self {
            leg: Leg::with_hinge([upper, lower, ankle], (above_from_upper * hinge).normalize()),
            above_knee,
            follows,
            ankle: theirs.end?,
            lifted: LIFTED_SHARE * target.leg_length(),
            anchor: rotations[ankle].conjugate() * anchor,
        })
    }

    /// World rotations of thigh, shin and foot with which the foot reaches its places: that of the ball and, as far as it is lifted
    /// by `height` over standing feet, that of the ankle.
    ///
    /// `world` is the pose so far. A leg that would have to stretch yields smoothly: the further, the less it follows; so does a
    /// knee that would have to bend more than that of the source. The foot then tilts toward its ball.
    pub(super) fn reach(&self, world: &Pose, [ball, of_ankle]: [DVec3; 2], height: f64) -> [DQuat; 3] {
        let Leg { thigh, knee, ankle, .. } = self.leg;
        let at = |joint: usize| world.translations[joint];
        let above = world.rotations[self.above_knee];
        let bend = self.leg.bend(at, above);
        let lifted = faded(height / self.lifted);
        let mut turns = [thigh, knee, ankle].map(|joint| world.rotations[joint]);
        for _ in 0..TILT_ROUNDS {
            let on_ball = ball - turns[2] * self.anchor;
            let goal = on_ball.lerp(of_ankle, lifted) - at(thigh);
            let angle = yielding(bend.angle_forward(reached(&bend, goal.length())));
            let bent = rotation::exp(self.leg.hinge_at(above) * angle);
            let leg = at(knee) - at(thigh) + bent * (at(ankle) - at(knee));
            let swing = arc(leg, goal);
            let to_ball = ball - at(thigh) - swing * leg;
            let tilt = arc(world.rotations[ankle] * self.anchor, to_ball);
            turns = [
                swing * world.rotations[thigh],
                swing * bent * world.rotations[knee],
                rotation::exp(rotation::log(rotation::on_side_of(tilt, DQuat::IDENTITY)) * (1.0 - lifted))
                    * world.rotations[ankle],
            ]
            .map(DQuat::normalize);
        }
        turns
    }
}

/// The distance from thigh to ankle that a leg reaches where `wanted` is asked for; with two continuous derivatives.
fn reached(bend: &Bend, wanted: f64) -> f64 {
    let now = bend.length();
    let (room, missing) = (bend.longest() - now, wanted - now);
    if missing <= 0.0 {
        wanted
    } else if room > 0.0 {
        now + room * missing / hypot(missing, room)
    } else {
        now
    }
}

/// How far a knee bends beyond that of the source where `angle` is asked for, radians; below [`MOST_BENT`], with four continuous
/// derivatives.
fn yielding(angle: f64) -> f64 {
    if angle <= 0.0 {
        return angle;
    }
    let share = angle / MOST_BENT;
    angle / (1.0 + share * share * share * share).sqrt().sqrt()
}

/// From 0 to 1, with two continuous derivatives.
fn faded(share: f64) -> f64 {
    let t = share.clamp(0.0, 1.0);
    t * t * t * (t * (6.0 * t - 15.0) + 10.0)
}

/// The axis about which a knee of the source bends over the whole motion, in the axes of the thigh; `None` if it hardly bends.
fn hinge_of(bones: Bones, motion: &WorldTracks) -> Option<DVec3> {
    let ankle = bones.end?;
    let (mut bend, mut size) = (DVec3::ZERO, 0.0);
    for frame in 0..motion.num_frames() {
        let [thigh, knee, ankle] = [bones.upper, bones.lower, ankle].map(|joint| motion.position(frame, joint));
        bend += motion.rotation(frame, bones.upper).conjugate() * (knee - thigh).cross(ankle - knee);
        size += (knee - thigh).length() * (ankle - knee).length();
    }
    (bend.length() > STRAIGHT * size).then(|| bend.normalize())
}
