//! A leg as two bones that rotate at the thigh and bend at the knee, and the rotations that bring the foot to a goal.
//!
//! Joints between thigh and knee, or knee and ankle, follow rigidly, so a leg of three bones is treated as two. Derivation:
//! docs/math/feet.md.

use glam::{DQuat, DVec3};

use super::Stage;
use crate::{
    analysis::{Body, Foot},
    math::{ops, ordered, rotation},
    motion::{Pose, Skeleton, WorldTracks},
};

/// A leg of two bones.
#[value(Copy)]
pub struct Leg {
    /// The joint at the top of the leg, about which it swings.
    pub thigh: usize,
    /// The joint at which it bends.
    pub(crate) knee: usize,
    /// The joint that is moved to the goal; it keeps its world rotation.
    pub ankle: usize,
    /// Whether the ankle is not a descendant of the knee, as in rigs whose feet are IK targets: it is then placed, not only
    /// rotated.
    pub is_apart: bool,
    /// Axis about which the knee bends, in the axes of the joint above it; positive angles bend it further.
    hinge: DVec3,
}

/// Joints of a leg that turn: thigh, knee, ankle and toes.
pub(super) const NUM_JOINTS: usize = 4;

/// A thigh is at least this share of the leg's length: the hip joints of some rigs sit on short bones.
const THIGH_SHARE: f64 = 0.2;

/// Each bone is at least this share of the leg's length.
const BONE_SHARE: f64 = 0.1;

/// Shortfall that a leg accepts near its full length instead of rotating the knee by a radian, metres.
const GIVE: f64 = 0.05;

impl Leg {
    /// Returns the leg of a foot, whether or not the foot descends from it; `None` without a knee.
    pub(super) fn of_foot(stage: &Stage, body: &Body, foot: &Foot) -> Option<Self> {
        let (skeleton, world) = (stage.skeleton(), &stage.world);
        Self::find(skeleton, world, body, foot).or_else(|| Self::apart(skeleton, world, body, foot))
    }

    /// Returns the leg that ends in a foot; `None` if no joint bends between hips and foot.
    ///
    /// `world` holds the loop's samples relative to the root. In a leg of several joints the knee is the joint that divides it
    /// most evenly.
    pub fn find(skeleton: &Skeleton, world: &WorldTracks, body: &Body, foot: &Foot) -> Option<Self> {
        let path = skeleton.path_from_root(foot.ankle);
        // A joint that also carries another foot or the head is not part of a leg: forelegs hang from the spine.
        let mut is_shared = vec![false; skeleton.num_joints()];
        let others = body.feet.iter().map(|other| other.ankle).chain(body.head);
        for mut joint in others.filter(|&joint| joint != foot.ankle) {
            // Above one that is known, all are.
            while !core::mem::replace(&mut is_shared[joint], true) {
                let Some(parent) = skeleton.parent(joint) else { break };
                joint = parent;
            }
        }
        is_shared[body.hips] = true;
        let below = path.iter().rposition(|&joint| is_shared[joint]).map_or(0, |at| at + 1);
        Self::along(&path[below..], skeleton, world)
    }

    /// Returns the leg of a foot that is not a descendant of it; `None` for other feet, and without a knee. The bone that ends
    /// at the foot is the last of its leg.
    pub(super) fn apart(skeleton: &Skeleton, world: &WorldTracks, body: &Body, foot: &Foot) -> Option<Self> {
        let end = body.end_of_leg_apart(skeleton, foot)?;
        let mut chain = skeleton.path_from_root(end);
        let top = body
            .thighs?
            .into_iter()
            .find_map(|thigh| chain.iter().position(|&joint| joint == thigh))?;
        chain.drain(..top);
        chain.push(foot.ankle);
        let leg = Self::along(&chain, skeleton, world)?;
        Some(Self { is_apart: true, ..leg })
    }

    /// Creates the leg in a chain of joints from below the hips to the ankle.
    fn along(chain: &[usize], skeleton: &Skeleton, world: &WorldTracks) -> Option<Self> {
        let bones: Vec<f64> = chain
            .windows(2)
            .map(|bone| world.position(0, bone[1]).distance(world.position(0, bone[0])))
            .collect();
        let total: f64 = bones.iter().sum();
        let thigh = bones.iter().position(|&length| length > THIGH_SHARE * total)?;
        let halves = |knee: usize| {
            let upper: f64 = bones[thigh..knee].iter().sum();
            let lower: f64 = bones[knee..].iter().sum();
            upper.min(lower)
        };
        let knee = (thigh + 1..chain.len() - 1).max_by_key(|&knee| ordered(halves(knee)))?;
        if halves(knee) < BONE_SHARE * total {
            return None;
        }
        let leg = Self::with_hinge([chain[thigh], chain[knee], chain[chain.len() - 1]], DVec3::ZERO);
        Some(Self {
            hinge: leg.find_hinge(skeleton, world)?,
            ..leg
        })
    }

    /// Returns the leg of thigh, knee and ankle whose knee bends about an axis, a unit vector in the axes of the joint above it.
    pub(crate) fn with_hinge([thigh, knee, ankle]: [usize; 3], hinge: DVec3) -> Self {
        Self {
            thigh,
            knee,
            ankle,
            is_apart: false,
            hinge,
        }
    }

    /// Returns the axis about which the knee bends over the whole loop.
    ///
    /// One axis is used for all samples, because the axis of a single pose is undefined if the leg is straight, and would flip.
    fn find_hinge(&self, skeleton: &Skeleton, world: &WorldTracks) -> Option<DVec3> {
        let above = skeleton.parent(self.knee)?;
        let (mut bend, mut aside) = (DVec3::ZERO, DVec3::ZERO);
        for frame in 0..world.num_frames() {
            let [thigh, knee, ankle] = self.joints().map(|joint| world.position(frame, joint));
            let back = world.rotation(frame, above).conjugate();
            bend += back * (knee - thigh).cross(ankle - knee);
            // The root faces along +Z, so a knee that never bends is given the axis from left to right.
            aside += back * DVec3::X;
        }
        let [thigh, knee, ankle] = self.joints().map(|joint| world.position(0, joint));
        let size = knee.distance(thigh) * ankle.distance(knee) * world.num_frames() as f64;
        if bend.length() > STRAIGHT * size {
            Some(bend.normalize())
        } else {
            aside.try_normalize()
        }
    }

    /// Returns thigh, knee and ankle.
    pub fn joints(&self) -> [usize; 3] {
        [self.thigh, self.knee, self.ankle]
    }

    /// Returns the angle of the knee from its straightest, radians; negative if it bends the wrong way. `world` is the pose.
    pub fn flexion(&self, skeleton: &Skeleton, world: &Pose) -> f64 {
        let above = world.rotation_above(skeleton, self.knee);
        self.bend(|joint| world.translations[joint], above).flexed
    }

    /// Bends the knee of a pose by an angle more, radians. `world` is the pose before.
    pub fn bend_knee(&self, skeleton: &Skeleton, pose: &mut Pose, world: &Pose, angle: f64) {
        let above = world.rotation_above(skeleton, self.knee);
        pose.rotations[self.knee] = (above.conjugate()
            * (rotation::exp(self.hinge_at(above) * angle) * world.rotations[self.knee]))
            .normalize();
    }

    /// Rotates thigh and knee of a pose to move the ankle, as far as the knee bends; the foot keeps its direction. `world` is
    /// the pose before.
    pub fn move_ankle(&self, skeleton: &Skeleton, pose: &mut Pose, world: &Pose, moved: DVec3) {
        let Self { thigh, knee, ankle, .. } = *self;
        if moved == DVec3::ZERO {
            return;
        }
        let at = |joint: usize| world.translations[joint];
        let [above_thigh, above_knee, above_ankle] =
            [thigh, knee, ankle].map(|joint| world.rotation_above(skeleton, joint));
        let reached = at(ankle) + moved - at(thigh);
        let bend = self.bend(at, above_knee);
        let bent =
            rotation::exp(self.hinge_at(above_knee) * bend.angle_at(bend.eased(reached.length(), GIVE.powi(-2))));
        let swing = rotation::arc(at(knee) - at(thigh) + bent * (at(ankle) - at(knee)), reached);
        for (joint, turn) in [
            (thigh, above_thigh.conjugate() * swing),
            (knee, above_knee.conjugate() * bent),
            (ankle, (swing * bent * above_ankle).conjugate()),
        ] {
            pose.rotations[joint] = (turn * world.rotations[joint]).normalize();
        }
    }

    /// Axis of the knee for the given rotation of the joint above it.
    pub(crate) fn hinge_at(&self, above_knee: DQuat) -> DVec3 {
        above_knee * self.hinge
    }

    /// Returns the flexion of the leg, see [`Bend`]; `above_knee` is the rotation of the joint above the knee.
    pub(crate) fn bend(&self, at: impl Fn(usize) -> DVec3, above_knee: DQuat) -> Bend {
        let [thigh, knee, ankle] = self.joints().map(at);
        Bend::new(knee - thigh, ankle - knee, self.hinge_at(above_knee))
    }
}

/// Below this share of its largest size the knee's flexion has no reliable axis.
pub(crate) const STRAIGHT: f64 = 0.01;

/// A leg is not stretched beyond this angle at the knee, radians, unless it is in the take: near full extension a millimetre at
/// the foot takes degrees at the knee.
pub(super) const LEAST_BEND: f64 = 0.07;

/// The flexion of a leg: the squared distance from thigh to ankle is middle + reach * cos(flexed), and bending the knee further
/// increases `flexed`.
pub(crate) struct Bend {
    middle: f64,
    reach: f64,
    /// The angle of the knee from its straightest, radians; negative if the knee bends the wrong way.
    pub(super) flexed: f64,
}

/// Newton steps for the division of a correction between knee and heel.
const EASING_ROUNDS: usize = 12;

/// A knee bent by less than this is not bent to bring the ankle nearer, radians: the angle would have to leap. The hips yield
/// instead.
const STIFF: f64 = 0.005;

impl Bend {
    fn new(upper: DVec3, lower: DVec3, hinge: DVec3) -> Self {
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

    /// Returns the distance from thigh to ankle, metres.
    pub(crate) fn length(&self) -> f64 {
        self.distance(self.flexed)
    }

    /// Returns the largest distance from thigh to ankle, metres: the current one, or that of a nearly straight leg if larger.
    pub(crate) fn longest(&self) -> f64 {
        self.distance(LEAST_BEND).max(self.length())
    }

    /// Returns the best distance from thigh to ankle for the requested `wanted`, metres.
    ///
    /// It minimizes the squared change of the knee's angle plus the squared remainder, left to the heel, times `heel`, per metre
    /// squared. Near full extension, when a millimetre takes degrees of the knee, the heel yields. With x = 2 sin(angle/2)
    /// squared distances are farthest_squared - half_reach * x^2, and the least of (x - x0)^2 + heel * (remainder)^2 is a root of
    /// a cubic. The cubic is convex beyond that root, so Newton's method converges.
    pub(crate) fn eased(&self, wanted: f64, heel: f64) -> f64 {
        let half_reach = 0.5 * self.reach;
        let farthest_squared = self.middle + self.reach;
        let heel = heel / (4.0 * farthest_squared.max(f64::MIN_POSITIVE));
        let lacking_squared = farthest_squared - wanted * wanted;
        let now = 2.0 * ops::sin(0.5 * self.flexed).abs();
        let (cubic, linear) = (
            2.0 * heel * half_reach * half_reach,
            1.0 - 2.0 * heel * half_reach * lacking_squared,
        );
        let mut x = now.max((lacking_squared / half_reach).max(0.0).sqrt()).min(2.0);
        for _ in 0..EASING_ROUNDS {
            let slope = 3.0 * cubic * x * x + linear;
            if slope <= 0.0 {
                break;
            }
            let next = x - (cubic * x * x * x + linear * x - now) / slope;
            if next == x {
                break;
            }
            x = next;
        }
        (farthest_squared - half_reach * x * x).max(0.0).sqrt()
    }

    /// Returns the additional angle of the knee that brings the ankle to the given distance from the thigh, for knees that bend
    /// the right way only; a knee bent the wrong way is bent through to the right one.
    ///
    /// Continuous in pose and distance: with the flexion f and a cosine that has to shrink by d, a knee with f < 0 goes the
    /// share d / (d + f^2) of the way to the right one, and the ankle misses its distance by less than f^2 of the leg.
    pub(crate) fn angle_forward(&self, distance: f64) -> f64 {
        if self.reach <= 0.0 {
            return 0.0;
        }
        let now = ops::cos(self.flexed);
        let cos = ((distance * distance - self.middle) / self.reach).clamp(-1.0, 1.0);
        let nearer = now - cos;
        if self.flexed >= 0.0 || nearer <= 0.0 {
            return self.turn_to(cos, self.flexed);
        }
        nearer / (nearer + self.flexed * self.flexed) * self.turn_to(cos, 1.0)
    }

    /// Returns the additional angle of the knee to the one with this cosine, on the side of the sign of `side`.
    fn turn_to(&self, cos: f64, side: f64) -> f64 {
        ops::atan2(((1.0 - cos) * (1.0 + cos)).max(0.0).sqrt().copysign(side), cos) - self.flexed
    }

    /// Returns the additional angle of the knee that brings the ankle to about the given distance from the thigh: see [`STIFF`].
    fn angle_at(&self, distance: f64) -> f64 {
        if self.reach <= 0.0 {
            return 0.0;
        }
        let now = ops::cos(self.flexed);
        let wanted = (distance * distance - self.middle) / self.reach;
        let bent = self.flexed * self.flexed;
        let cos = (now + (wanted - now) * bent / (bent + STIFF * STIFF)).clamp(-1.0, 1.0);
        self.turn_to(cos, self.flexed)
    }
}
