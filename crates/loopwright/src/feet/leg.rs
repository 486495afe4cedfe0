//! A leg as two bones: what swings at the thigh, what bends at the knee, and how a foot is put where it should be.
//!
//! Whatever lies between thigh and knee, or knee and ankle, goes along rigidly, so legs of three bones are legs of two.
//! Derivation: docs/math/feet.md.

use glam::{DQuat, DVec3};

use crate::{
    analysis::body::{Body, Foot},
    math::{ops, rotation},
    motion::{Skeleton, WorldTracks},
};

/// A leg of two bones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Leg {
    /// Where the leg swings.
    pub(super) thigh: usize,
    /// Where it bends.
    pub(super) knee: usize,
    /// What is put in its place, keeping its turn in the world.
    pub(super) ankle: usize,
    /// Axis about which the knee bends, in the axes of the joint above it; a positive angle bends it further.
    hinge: DVec3,
}

/// Share of the leg's length that a bone must have to count as the thigh: the hip joints of some rigs sit on short bones.
const THIGH_SHARE: f64 = 0.2;

/// Share of the leg's length that both of its bones must have.
const BONE_SHARE: f64 = 0.1;

impl Leg {
    /// The leg that ends in a foot; `None` where nothing bends between hips and foot.
    ///
    /// `world` holds the loop's samples seen from the root. Where a rig's leg has several joints, the knee is that which parts
    /// it most evenly.
    pub(super) fn of(skeleton: &Skeleton, world: &WorldTracks, body: &Body, foot: &Foot) -> Option<Self> {
        let path = skeleton.path_from_root(foot.ankle);
        // What carries another foot or the head as well is no part of a leg: forelegs hang from the spine.
        let others = (body.feet.iter().map(|other| other.ankle).chain(body.head))
            .filter(|&joint| joint != foot.ankle)
            .flat_map(|joint| skeleton.path_from_root(joint));
        let shared: Vec<usize> = others.chain([body.hips]).collect();
        let below = path
            .iter()
            .rposition(|joint| shared.contains(joint))
            .map_or(0, |at| at + 1);
        let chain = &path[below..];
        if chain.is_empty() {
            return None;
        }
        let bone = |index: usize| (world.position(0, chain[index + 1]) - world.position(0, chain[index])).length();
        let bones: Vec<f64> = (0..chain.len().saturating_sub(1)).map(bone).collect();
        let total: f64 = bones.iter().sum();
        let thigh = bones.iter().position(|&length| length > THIGH_SHARE * total)?;
        let halves = |knee: usize| {
            let upper: f64 = bones[thigh..knee].iter().sum();
            let lower: f64 = bones[knee..].iter().sum();
            upper.min(lower)
        };
        let knee = (thigh + 1..chain.len() - 1).max_by(|&one, &other| halves(one).total_cmp(&halves(other)))?;
        if halves(knee) < BONE_SHARE * total {
            return None;
        }
        let leg = Self {
            thigh: chain[thigh],
            knee: chain[knee],
            ankle: chain[chain.len() - 1],
            hinge: DVec3::ZERO,
        };
        Some(Self {
            hinge: leg.find_hinge(skeleton, world)?,
            ..leg
        })
    }

    /// The axis about which the knee bends over the whole loop.
    ///
    /// One axis for all samples: that of a single pose is lost where the leg is straight, and would flip there.
    fn find_hinge(&self, skeleton: &Skeleton, world: &WorldTracks) -> Option<DVec3> {
        let above = skeleton.parent(self.knee)?;
        let (mut bend, mut aside) = (DVec3::ZERO, DVec3::ZERO);
        for frame in 0..world.num_frames() {
            let [thigh, knee, ankle] = [self.thigh, self.knee, self.ankle].map(|joint| world.position(frame, joint));
            let back = world.rotation(frame, above).conjugate();
            bend += back * (knee - thigh).cross(ankle - knee);
            // The root faces along +Z, so a knee that never bends is taken to do so about the axis from left to right.
            aside += back * DVec3::X;
        }
        let [thigh, knee, ankle] = [self.thigh, self.knee, self.ankle].map(|joint| world.position(0, joint));
        let size = (knee - thigh).length() * (ankle - knee).length() * world.num_frames() as f64;
        if bend.length() > STRAIGHT * size {
            Some(bend.normalize())
        } else {
            aside.try_normalize()
        }
    }

    /// The turn of the whole leg at the thigh and the angle by which the knee bends further, that put the ankle at `goal`.
    ///
    /// `at` gives positions of joints as they are, the thigh already in its place; `above_knee` is the turn of the joint
    /// above the knee. Where the goal is out of reach the leg points to it.
    pub(super) fn reach(&self, at: impl Fn(usize) -> DVec3, above_knee: DQuat, goal: DVec3) -> (DQuat, f64) {
        let [thigh, knee, ankle] = [self.thigh, self.knee, self.ankle].map(&at);
        let angle = self.bend(at, above_knee).angle_at((goal - thigh).length());
        let bent = rotation::exp(self.hinge_at(above_knee) * angle);
        let swing = arc(knee - thigh + bent * (ankle - knee), goal - thigh);
        (swing, angle)
    }

    /// Axis of the knee, where the joint above it is turned so.
    pub(super) fn hinge_at(&self, above_knee: DQuat) -> DVec3 {
        above_knee * self.hinge
    }

    /// How the leg stands: see [`Bend`]. `above_knee` is the turn of the joint above the knee.
    pub(super) fn bend(&self, at: impl Fn(usize) -> DVec3, above_knee: DQuat) -> Bend {
        let [thigh, knee, ankle] = [self.thigh, self.knee, self.ankle].map(at);
        Bend::of(knee - thigh, ankle - knee, self.hinge_at(above_knee))
    }
}

/// Below this share of its largest size the bend of a knee has no axis to speak of.
const STRAIGHT: f64 = 0.01;

/// A leg is not stretched further than to this angle at the knee, radians, unless it is in the take: near full extension a
/// millimetre of the foot takes degrees of the knee.
const LEAST_BEND: f64 = 0.07;

/// How a leg stands: the squared distance from thigh to ankle is middle + reach * cos(flexed), and bending the knee further
/// adds to the angle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bend {
    middle: f64,
    reach: f64,
    /// How far the knee is bent from its straightest, radians; below zero where it is bent the wrong way.
    flexed: f64,
}

/// Newton's steps to how knee and heel share a way.
const EASING_ROUNDS: usize = 12;

/// A knee bent by less than this does not bend for what little its ankle has to come nearer, radians: the angle would
/// have to leap. The hips give way instead.
const STIFF: f64 = 0.005;

impl Bend {
    fn of(upper: DVec3, lower: DVec3, hinge: DVec3) -> Self {
        let along = upper.dot(hinge) * lower.dot(hinge);
        let cos = 2.0 * (upper.dot(lower) - along);
        let sin = 2.0 * hinge.cross(lower).dot(upper);
        Self {
            middle: upper.length_squared() + lower.length_squared() + 2.0 * along,
            reach: ops::hypot(cos, sin),
            flexed: -ops::atan2(sin, cos),
        }
    }

    fn distance(&self, flexed: f64) -> f64 {
        (self.middle + self.reach * ops::cos(flexed)).max(0.0).sqrt()
    }

    /// How far the ankle is from the thigh, metres.
    pub(super) fn length(&self) -> f64 {
        self.distance(self.flexed)
    }

    /// How far the ankle may be from the thigh, metres: as far as it is, or as a nearly straight leg takes it.
    pub(super) fn longest(&self) -> f64 {
        self.distance(LEAST_BEND).max(self.length())
    }

    /// How far the ankle should be from the thigh where it is wanted at `wanted`, metres, and what knee and heel do for it weighs
    /// least: the square of the knee's angle, and that of what is left to the heel times `heel`, per metre squared.
    ///
    /// Near full extension, where a millimetre takes degrees of the knee, it is the heel that gives way. With x = 2 sin(angle/2)
    /// squared distances are farthest^2 - half * x^2, and the least of (x - x0)^2 + heel * (what is left)^2 is a root of a cubic
    /// that is convex beyond it, where Newton's steps cannot miss.
    pub(super) fn eased(&self, wanted: f64, heel: f64) -> f64 {
        let half = 0.5 * self.reach;
        let farthest = self.middle + self.reach;
        let heel = heel / (4.0 * farthest.max(f64::MIN_POSITIVE));
        let near = farthest - wanted * wanted;
        let now = 2.0 * ops::sin(0.5 * self.flexed).abs();
        let (cubic, linear) = (2.0 * heel * half * half, 1.0 - 2.0 * heel * half * near);
        let mut x = now.max((near / half).max(0.0).sqrt()).min(2.0);
        for _ in 0..EASING_ROUNDS {
            let slope = 3.0 * cubic * x * x + linear;
            if slope <= 0.0 {
                break;
            }
            x -= (cubic * x * x * x + linear * x - now) / slope;
        }
        (farthest - half * x * x).max(0.0).sqrt()
    }

    /// By how much the ankle comes nearer to the thigh as the knee bends further, metres per radian.
    pub(super) fn shortening(&self) -> f64 {
        let distance = self.length();
        if distance > 0.0 {
            0.5 * self.reach * ops::sin(self.flexed) / distance
        } else {
            0.0
        }
    }

    /// Angle by which the knee bends further so that the ankle is that far from the thigh, nearly: see [`STIFF`].
    fn angle_at(&self, distance: f64) -> f64 {
        if self.reach <= 0.0 {
            return 0.0;
        }
        let now = ops::cos(self.flexed);
        let wanted = (distance * distance - self.middle) / self.reach;
        let bent = self.flexed * self.flexed;
        let cos = (now + (wanted - now) * bent / (bent + STIFF * STIFF)).clamp(-1.0, 1.0);
        let sin = ((1.0 - cos) * (1.0 + cos)).max(0.0).sqrt();
        ops::atan2(sin.copysign(self.flexed), cos) - self.flexed
    }
}

/// The shortest turn from one direction to another; none where either has no length.
pub(super) fn arc(from: DVec3, to: DVec3) -> DQuat {
    let cross = from.cross(to);
    let turn = DQuat::from_xyzw(
        cross.x,
        cross.y,
        cross.z,
        from.dot(to) + (from.length_squared() * to.length_squared()).sqrt(),
    );
    if turn.length_squared() > 0.0 {
        turn.normalize()
    } else {
        DQuat::IDENTITY
    }
}
