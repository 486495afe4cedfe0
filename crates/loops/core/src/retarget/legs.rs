//! Moves limbs of the target to goals: each foot, and each hand on the ground, is put at the position of the source's, at the
//! target's scale.
//!
//! Limbs transferred only by their directions put feet where the target's proportions take them, and standing feet slide. Here
//! the ball of the foot (or the ankle) moves to the scaled position of the source's, and so does a wrist near the ground. This
//! is a function of the pose alone, so still feet stay still, and a closed loop stays closed.

use glam::{DQuat, DVec3};

use super::{
    Rig, RigPair,
    anatomy::{Bones, Limb, LimbKind},
    places,
};
use crate::{
    feet::{
        leg::{Bend, Leg, STRAIGHT},
        model::{ELBOW_BEYOND_SOURCE, KNEE_BEYOND_SOURCE},
    },
    math::{
        ops::hypot,
        rotation::{self, arc},
        smooth_step,
    },
    motion::{Pose, WorldTracks},
};

/// A limb of the target with the limb that it follows.
#[value]
pub(super) struct PlacedLimb {
    pub kind: LimbKind,
    pub leg: Leg,
    /// The joints of the upper bone, from the thigh to above the knee, and of the lower one, from the knee to above the ankle.
    pub bones: [Vec<usize>; 2],
    /// The joint of the source that is followed: its ball of the foot, its ankle, or its wrist.
    pub follows: usize,
    /// The ankle or wrist of the source.
    pub ankle: usize,
    /// The followed point of the target, relative to the ankle, in the ankle's axes.
    anchor: DVec3,
    /// From the scaled position to that of this limb, in the axes of the body: leg-to-trunk ratios differ between animals.
    pub shift: DVec3,
    /// Height over standing feet above which only the ankle is followed, metres of the target.
    lifted: f64,
    /// Heights of a hand over standing feet below which it is put at its place, and above which it only follows rotations, metres of the
    /// target.
    grounded: [f64; 2],
}

/// Only the ankle is followed once the ball of the foot is higher than this share of the leg: about 13 cm for a person. With a lower limit,
/// a foot that is as high while it rolls would leave its place; with a higher one, a long foot that points down lifts the knee.
const LIFTED_SHARE: f64 = 0.15;

/// A wrist lower than the first share of the leg belongs to a hand on the ground, flat, on its fingers or as a fist: about 13 cm
/// for a person. Above the second, 35 cm, no hand is moved. With closer limits, an arm that reaches down jumps.
const GROUNDED_SHARES: [f64; 2] = [0.15, 0.4];

/// Share of its length by which a leg misses its goal instead of rotating its knee by a radian: 14 cm of a person's leg. With
/// less, knees that are almost straight snap.
const GIVE_SHARE: f64 = 0.15;

/// Number of rounds; each uses the tilt of the foot of the previous one, and removes most of the remaining error.
const TILT_ROUNDS: usize = 3;

/// No hand is moved above this share of the height at which hands hang in a standing body: arms may be long relative to the
/// legs.
const HANGING_SHARE: f64 = 0.35;

impl PlacedLimb {
    /// Creates the reach of a limb of the target; `turn` maps the source's world rotation of the thigh to the target's. `None`
    /// for a limb that does not bend in the middle, that has no end, or that the source lacks.
    pub(super) fn new(
        rigs: &RigPair,
        limb: &Limb,
        hangs_from: &[Option<usize>],
        turn: Option<DQuat>,
        motion: &WorldTracks,
    ) -> Option<Self> {
        let RigPair { source, target, .. } = rigs;
        let from = source.anatomy.limb(limb)?;
        let Bones { upper, lower, end } = limb.reaches?;
        let (theirs, ankle) = (from.reaches?, end?);
        let above_knee = hangs_from[lower]?;
        // Legs of animals, whose joints need not correspond to those of the other animal, are bent at rest and show their own
        // axis.
        let hinge = if limb.bones.is_some() {
            turn.and_then(|turn| Some(turn.conjugate() * hinge_of(theirs, motion)?))
        } else {
            own_hinge(target, [upper, lower, ankle])
        };
        // Knees bend backward, elbows forward.
        let bends_toward = target.axes
            * if limb.kind == LimbKind::Leg {
                -DVec3::Z
            } else {
                DVec3::Z
            };
        let along = target.world.translations[lower] - target.world.translations[upper];
        let hinge = hinge.unwrap_or_else(|| {
            target.world.rotations[upper].conjugate() * along.cross(bends_toward).normalize_or(target.axes * DVec3::X)
        });
        let rotations = &target.world.rotations;
        let above_from_upper = rotations[above_knee].conjugate() * rotations[upper];
        let (follows, anchor) = match from.toe.zip(limb.toe) {
            Some((from, toe)) => (from, target.world.translations[toe] - target.world.translations[ankle]),
            None => (theirs.end?, DVec3::ZERO),
        };
        let above_ankle = hangs_from[ankle].filter(|_| ankle != lower)?;
        Some(Self {
            kind: limb.kind,
            leg: Leg::with_hinge([upper, lower, ankle], (above_from_upper * hinge).normalize()),
            bones: [(upper, above_knee), (lower, above_ankle)].map(|(top, last)| chain(hangs_from, top, last)),
            follows,
            ankle: theirs.end?,
            lifted: LIFTED_SHARE * target.leg_length(),
            grounded: grounded(target, source, theirs),
            anchor: rotations[ankle].conjugate() * anchor,
            shift: places::shift(source, target, from, limb),
        })
    }

    /// Returns the weight of a limb's goal, 0 to 1, at a height of its end over that of standing feet.
    pub(super) fn weight(&self, height: f64) -> f64 {
        let [low, high] = self.grounded;
        match self.kind {
            LimbKind::Leg => 1.0,
            LimbKind::Arm if high > low => 1.0 - faded((height - low) / (high - low)),
            LimbKind::Arm => 0.0,
        }
    }

    /// Returns the world rotations of the upper bone, of the lower bone, and of the foot with which the foot reaches its goals:
    /// that of the ball and, as far as it is lifted by `height` over standing feet, that of the ankle. `weight` is the fraction
    /// of the way. Also returns the growth of the leg's bones, a share up to `stretch`.
    ///
    /// `world` is the pose so far. A leg that would have to stretch yields smoothly, and so does a knee that would have to bend
    /// more than that of the source. The foot then tilts toward its ball.
    pub(super) fn reach(
        &self,
        world: &Pose,
        [ball, of_ankle]: [DVec3; 2],
        height: f64,
        weight: f64,
        stretch: f64,
    ) -> ([DQuat; 3], f64) {
        let Leg { thigh, knee, ankle, .. } = self.leg;
        let at = &world.translations;
        let above = world.rotations[self.bones[0].first().copied().unwrap_or(thigh)];
        let bend = self.leg.bend(|joint| at[joint], above);
        let lifted = faded(height / self.lifted);
        let most = match self.kind {
            LimbKind::Leg => KNEE_BEYOND_SOURCE,
            LimbKind::Arm => ELBOW_BEYOND_SOURCE,
        };
        let give = GIVE_SHARE * bend.longest();
        let own = world.rotations[ankle];
        let mut turns = [DQuat::IDENTITY; 3];
        let mut grown = 0.0;
        for _ in 0..TILT_ROUNDS {
            let wanted = (ball - (turns[2] * own).normalize() * self.anchor).lerp(of_ankle, lifted);
            let wanted = if weight < 1.0 {
                at[ankle].lerp(wanted, weight)
            } else {
                wanted
            };
            let goal = wanted - at[thigh];
            let wanted = match self.kind {
                LimbKind::Leg => bend.eased(goal.length(), give.powi(-2)),
                // No solve follows that would bring hands to their places.
                LimbKind::Arm => reached(&bend, goal.length()),
            };
            let angle = bend.angle_forward(wanted);
            let angle = if angle > 0.0 { limited(angle, most) } else { angle };
            let bent = rotation::exp(self.leg.hinge_at(above) * angle);
            let leg = at[knee] - at[thigh] + bent * (at[ankle] - at[knee]);
            if self.kind == LimbKind::Leg && leg.length() > 0.0 {
                grown = growth(goal.length() / leg.length() - 1.0, stretch);
            }
            let leg = leg * (1.0 + grown);
            let swing = arc(leg, goal);
            let tilt = arc(own * self.anchor, ball - at[thigh] - swing * leg);
            turns = [swing, swing * bent, rotation::exp(rotation::log(tilt) * (1.0 - lifted))];
        }
        (turns, grown)
    }

    /// Returns the joints that move farther from their parents when the leg stretches.
    pub(super) fn grows(&self) -> impl Iterator<Item = usize> {
        self.bones[0]
            .iter()
            .filter(|&&joint| joint != self.leg.thigh)
            .chain(&self.bones[1])
            .chain([&self.leg.ankle])
            .copied()
    }
}

/// Returns the joints from `last` up to `top`, by their parents.
fn chain(hangs_from: &[Option<usize>], top: usize, last: usize) -> Vec<usize> {
    let mut chain = vec![last];
    while chain.last() != Some(&top)
        && let Some(above) = hangs_from[chain[chain.len() - 1]]
    {
        chain.push(above);
    }
    chain
}

/// Returns the growth of a leg that is too short by the share `missing`: less than `most`.
///
/// The missing share begins with two derivatives of zero where a leg begins to yield, and so does this one.
fn growth(missing: f64, most: f64) -> f64 {
    if missing > 0.0 && most > 0.0 {
        most * missing / hypot(missing, most)
    } else {
        0.0
    }
}

/// Returns the distance that an arm reaches for the requested `wanted`; with two continuous derivatives.
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

/// Limits an angle below `most`, radians: with four continuous derivatives, and nearly unchanged if it is small.
pub(super) fn limited(angle: f64, most: f64) -> f64 {
    let share = angle / most;
    angle / (1.0 + share * share * share * share).sqrt().sqrt()
}

/// From 0 to 1, with two continuous derivatives.
pub(super) fn faded(share: f64) -> f64 {
    smooth_step(share.clamp(0.0, 1.0))
}

/// Returns the axis about which a knee of the source bends over the whole motion, in the axes of the thigh; `None` if it hardly
/// bends.
fn hinge_of(bones: Bones, motion: &WorldTracks) -> Option<DVec3> {
    let ankle = bones.end?;
    let (mut bend, mut size) = (DVec3::ZERO, 0.0);
    for frame in 0..motion.num_frames() {
        let [thigh, knee, ankle] = [bones.upper, bones.lower, ankle].map(|joint| motion.position(frame, joint));
        bend += motion.rotation(frame, bones.upper).conjugate() * (knee - thigh).cross(ankle - knee);
        size += knee.distance(thigh) * ankle.distance(knee);
    }
    (bend.length() > STRAIGHT * size).then(|| bend.normalize())
}

/// Returns the axis about which the knee of a leg is bent at rest, in the axes of the thigh; `None` if it is hardly bent.
fn own_hinge(rig: &Rig, [thigh, knee, ankle]: [usize; 3]) -> Option<DVec3> {
    let at = &rig.world.translations;
    let (upper, lower) = (at[knee] - at[thigh], at[ankle] - at[knee]);
    let bend = upper.cross(lower);
    let is_bent = bend.length() > STRAIGHT * upper.length() * lower.length();
    is_bent.then(|| rig.world.rotations[thigh].conjugate() * bend.normalize())
}

/// Returns the heights of a hand over standing feet below which its goal applies fully, and above which not at all, metres of
/// the target; equal if hands hang down to the ground.
fn grounded(target: &Rig, source: &Rig, bones: Bones) -> [f64; 2] {
    let hangs = bones.ends().map_or(0.0, |arm| {
        source.world.translations[bones.upper].y - source.ground() - source.world.length_along(&arm)
    });
    let scale = target.scale_from(source);
    let [low, high] = GROUNDED_SHARES.map(|share| share * target.leg_length());
    let share = (HANGING_SHARE * scale * hangs.max(0.0) / high).min(1.0);
    [low * share, high * share]
}
