//! Works out how a body lies in the axes of its joints, from its anatomy and from how its hinges swing in a take.
//!
//! Bones say where trunk, thighs and arms point, hinges of knees and elbows how these are twisted, standing feet how soles lie.
//! The marks of style (lean, gaze, shrug) never come from a mean of the take: means only choose among the axes of a joint.
//! Derivation: docs/math/retarget.md.

use glam::{DMat3, DQuat, DVec3};

use super::Doubt;
use crate::{
    analysis::Side,
    math::rotation,
    motion::{Pose, Skeleton, WorldTracks},
    retarget::anatomy::{Anatomy, Bones, Limb, LimbKind},
    take::Take,
};

/// Frames of a take that are looked at.
const MOST_FRAMES: usize = 8000;

/// A bone within this of an axis of its joint lies on it, radians (3 degrees): files that lay axes along bones do so exactly.
const ON_AXIS: f64 = 0.05;

/// Bones that are in line within this where joints do not turn share their axes, radians (8 degrees; 6 in a trunk) ...
const IN_LINE: f64 = 0.14;
const IN_LINE_TRUNK: f64 = 0.105;

/// ... unless the joint is turned by more than this on average: 30 degrees in a trunk, 60 in a neck, 75 in a wrist. Bones of
/// other axes are turned by a right angle or two.
const TURNED_TRUNK: f64 = 0.52;
const TURNED_NECK: f64 = 1.05;
const TURNED_WRIST: f64 = 1.31;

/// A mean direction is replaced by an axis of its joint within this angle, radians (20 degrees); the hinge of an elbow within 35 degrees if
/// the arm lies on an axis, else within 10; a mean rotation by one between axes within 40.
const TO_AXIS: f64 = 0.35;
const HINGE_TO_AXIS: f64 = 0.61;
const HINGE_TO_OTHER_AXIS: f64 = 0.175;
const TO_FRAME: f64 = 0.7;

/// Hinges show their axis by the part of their bend beyond this, radians (8 degrees), ...
const BENT: f64 = 0.14;

/// ... if they bend by more than this, radians (20 degrees of knees, 15 of elbows), for this long, seconds.
const BENT_KNEE: f64 = 0.35;
const BENT_ELBOW: f64 = 0.26;
const BENT_SECS: f64 = 0.1;

/// The rotations from the axes of the body (left +X, up +Y, forward +Z) to those of its joints, as far as they are found.
pub(super) struct Calibration<'a> {
    skeleton: &'a Skeleton,
    pub anatomy: &'a Anatomy,
    pub motion: WorldTracks,
    pub step_secs: f64,
    pub axes: Vec<Option<DQuat>>,
    pub doubts: Vec<Doubt>,
}

impl<'a> Calibration<'a> {
    fn new(take: &'a Take, anatomy: &'a Anatomy) -> Self {
        Self {
            skeleton: take.skeleton(),
            anatomy,
            motion: WorldTracks::from_frames(take.tracks(), 0..take.num_frames().min(MOST_FRAMES)),
            step_secs: take.frame_time_secs(),
            axes: vec![None; take.num_joints()],
            doubts: Vec::new(),
        }
    }

    /// Finds the axes of all joints of a body of two legs but its feet.
    pub(super) fn of_body(take: &'a Take, anatomy: &'a Anatomy) -> Self {
        let mut found = Self::new(take, anatomy);
        found.trunk();
        anatomy.legs().for_each(|limb| found.leg(limb));
        anatomy.arms().for_each(|limb| found.arm(limb));
        found
    }

    /// Finds the axes of the arms; trunk and collar bones are as in `world`, a pose whose body has the axes `body`.
    pub(super) fn of_arms(take: &'a Take, anatomy: &'a Anatomy, world: &Pose, body: DQuat) -> Self {
        let mut found = Self::new(take, anatomy);
        for &joint in anatomy
            .limbs
            .iter()
            .flat_map(|limb| &limb.collar)
            .chain(&anatomy.spine)
            .chain([&anatomy.hips])
        {
            found.axes[joint] = Some((world.rotations[joint].conjugate() * body).normalize());
        }
        anatomy.arms().for_each(|limb| found.arm(limb));
        found
    }

    fn trunk(&mut self) {
        let anatomy = self.anatomy;
        let chain = [&[anatomy.hips][..], &anatomy.spine, &anatomy.neck].concat();
        let chest = anatomy.spine.len();
        for (at, &joint) in chain.iter().enumerate() {
            // Several joints may lie at the same place.
            let mut nexts = chain[at + 1..].iter().copied().chain(anatomy.head);
            let bone = nexts.find_map(|next| Some((next, self.bone(joint, Some(next))?)));
            let Some((next, up)) = bone else { continue };
            let kind = if at == 0 { LimbKind::Leg } else { LimbKind::Arm };
            let line = (at == 0 || at == chest).then(|| self.line(joint, kind)).flatten();
            let (below, most) = match at {
                0 => (None, 0.0),
                _ if at > chest => (Some(chain[at - 1]), TURNED_NECK),
                _ => (Some(chain[at - 1]), TURNED_TRUNK),
            };
            let shares = |below: &usize| {
                line.is_none()
                    && self.is_in_line(*below, joint, Some(next), IN_LINE_TRUNK)
                    && rotation::log(self.mean_turn(*below, joint)).length() < most
            };
            self.axes[joint] = match below.filter(shares).and_then(|below| self.axes[below]) {
                Some(shared) => Some(shared),
                None => line
                    .or_else(|| self.seen(joint, below?, DVec3::X).map(|left| to_axis(left, TO_AXIS)))
                    .and_then(|left| framed(left, up)),
            };
        }
        if let Some(pelvis) = anatomy.pelvis {
            self.end(anatomy.hips, pelvis, TURNED_TRUNK, true);
        }
        if let Some(head) = anatomy.head {
            let below = chain[chain.len() - 1];
            let is_aligned = self
                .bone(below, Some(head))
                .is_some_and(|bone| axis_near(bone, ON_AXIS).is_some());
            self.end(below, head, TURNED_NECK, is_aligned);
        }
    }

    /// Finds the axes of a joint at the end of a chain: those of the joint above, if it is turned by less than `most` on average; else the
    /// nearest ones along its own axes, if axes follow bones; else the mean ones, with a doubt.
    fn end(&mut self, above: usize, joint: usize, most: f64, is_aligned: bool) {
        let Some(of_above) = self.axes[above] else { return };
        let turn = self.mean_turn(above, joint);
        let frame = if rotation::log(turn).length() < most {
            Some(DQuat::IDENTITY)
        } else {
            to_frame(turn)
        };
        let turn = frame.filter(|_| is_aligned).unwrap_or_else(|| {
            self.doubts.push(Doubt::Axes(joint));
            turn
        });
        self.axes[joint] = Some((turn.conjugate() * of_above).normalize());
    }

    fn leg(&mut self, limb: &Limb) {
        let Some(Bones { upper, lower, end }) = limb.bones else {
            return;
        };
        let hinge = self.hinge(limb, BENT_KNEE);
        let Some(bone) = self.bone(upper, Some(lower)) else {
            return;
        };
        let left = match hinge {
            Some([left, _]) => Some(left),
            None => self
                .seen(upper, self.anatomy.hips, DVec3::X)
                .map(|left| to_axis(left, TO_AXIS)),
        };
        self.axes[upper] = left.and_then(|left| framed(left, -bone));
        self.axes[lower] = if self.is_in_line(upper, lower, end, IN_LINE) {
            self.axes[upper]
        } else {
            let left = hinge
                .map(|[_, left]| left)
                .or_else(|| self.seen(lower, upper, DVec3::X));
            left.zip(self.bone(lower, end))
                .and_then(|(left, bone)| framed(left, -bone))
        };
    }

    fn arm(&mut self, limb: &Limb) {
        let Some(Bones { upper, lower, end }) = limb.bones else {
            return;
        };
        let out = if limb.side == Side::Left { 1.0 } else { -1.0 };
        // The axes of a joint whose bone points outwards, from a direction that points up.
        let spread = |up: DVec3, bone: DVec3| framed(out * bone, up.reject_from(bone));
        let chest = self.anatomy.spine.last().copied().unwrap_or(self.anatomy.hips);
        for (at, &collar) in limb.collar.iter().enumerate() {
            let next = limb.collar.get(at + 1).copied().unwrap_or(upper);
            if self.axes[collar].is_none() {
                let up = self.seen(collar, chest, DVec3::Y).map(|up| to_axis(up, TO_AXIS));
                self.axes[collar] = up
                    .zip(self.bone(collar, Some(next)))
                    .and_then(|(up, bone)| spread(up, bone));
            }
        }
        let hinge = self.hinge(limb, BENT_ELBOW);
        let Some(bone) = self.bone(upper, Some(lower)) else {
            return;
        };
        let collar = limb
            .collar
            .last()
            .copied()
            .filter(|&collar| hinge.is_none() && self.is_in_line(collar, upper, Some(lower), IN_LINE));
        self.axes[upper] = collar.and_then(|collar| self.axes[collar]).or_else(|| {
            // Elbows of arms that are spread with palms down bend ahead.
            let hinge = hinge
                .map(|[hinge, _]| hinge)
                .or_else(|| Some(bone.cross(self.seen(upper, chest, DVec3::Z)?)))?;
            spread(hinge_to_axis(-out * hinge, bone), bone)
        });
        self.axes[lower] = if self.is_in_line(upper, lower, end, IN_LINE) {
            self.axes[upper]
        } else {
            self.doubts.push(Doubt::Axes(lower));
            let up = hinge
                .map(|[_, hinge]| -out * hinge)
                .or_else(|| self.seen(lower, upper, DVec3::Y));
            up.zip(self.bone(lower, end))
                .and_then(|(up, bone)| spread(hinge_to_axis(up, bone), bone))
        };
        if let Some(end) = end {
            self.end(lower, end, TURNED_WRIST, true);
        }
    }

    /// Returns the mean direction of vectors in the world, in the axes of a joint.
    pub(super) fn mean_of(&self, joint: usize, vector: impl Fn(&WorldTracks, usize) -> DVec3) -> Option<DVec3> {
        let motion = &self.motion;
        let sum: DVec3 = (0..motion.num_frames())
            .map(|frame| motion.rotation(frame, joint).conjugate() * vector(motion, frame))
            .sum();
        sum.try_normalize()
    }

    /// Returns the direction of the bone from a joint to another, or to its tip, in its own axes.
    pub(super) fn bone(&self, joint: usize, next: Option<usize>) -> Option<DVec3> {
        let next = next.or(match self.skeleton.children(joint) {
            [only] => Some(*only),
            _ => None,
        });
        let Some(next) = next else {
            return self.skeleton.joint(joint).tip?.try_normalize();
        };
        self.mean_of(joint, |motion, frame| {
            motion.position(frame, next) - motion.position(frame, joint)
        })
    }

    /// Returns a direction of the body as a joint of it turns, in the axes of another joint, on average.
    pub(super) fn seen(&self, joint: usize, by: usize, direction: DVec3) -> Option<DVec3> {
        let of_joint = self.axes[by]? * direction;
        self.mean_of(joint, |motion, frame| motion.rotation(frame, by) * of_joint)
    }

    /// Returns the line from the right limb of a kind to the left one, in the axes of the joint that carries them.
    fn line(&self, joint: usize, kind: LimbKind) -> Option<DVec3> {
        let [left, right] = Side::ALL.map(|side| {
            let limb = self.anatomy.first(kind, side)?;
            limb.collar.first().copied().or_else(|| limb.top())
        });
        let (left, right) = left.zip(right)?;
        self.mean_of(joint, |motion, frame| {
            motion.position(frame, left) - motion.position(frame, right)
        })
    }

    /// Whether the bones of two joints are in line where the lower one does not turn.
    fn is_in_line(&self, above: usize, joint: usize, next: Option<usize>, most: f64) -> bool {
        self.bone(above, Some(joint))
            .zip(self.bone(joint, next))
            .is_none_or(|(above, below)| above.angle_between(below) < most)
    }

    /// Returns the mean rotation of a joint in the axes of another.
    fn mean_turn(&self, above: usize, joint: usize) -> DQuat {
        let motion = &self.motion;
        let turn = |frame: usize| motion.rotation(frame, above).conjugate() * motion.rotation(frame, joint);
        rotation::even_mean((0..motion.num_frames()).map(turn))
    }

    /// Returns the axis about which a limb bends in the middle, in the axes of its upper and of its lower bone; with a doubt if it
    /// hardly bends.
    fn hinge(&mut self, limb: &Limb, bent: f64) -> Option<[DVec3; 2]> {
        let Bones { upper, lower, end } = limb.bones?;
        let motion = &self.motion;
        let (mut axes, mut num_bent) = ([DVec3::ZERO; 2], 0_usize);
        for frame in 0..end.map_or(0, |_| motion.num_frames()) {
            let [top, middle, last] = [upper, lower, end?].map(|joint| motion.position(frame, joint));
            let (first, second) = (middle - top, last - middle);
            let angle = first.angle_between(second);
            if let Some(axis) = first.cross(second).try_normalize().filter(|_| angle > BENT) {
                axes[0] += motion.rotation(frame, upper).conjugate() * axis * (angle - BENT);
                axes[1] += motion.rotation(frame, lower).conjugate() * axis * (angle - BENT);
                num_bent += usize::from(angle > bent);
            }
        }
        if num_bent as f64 * self.step_secs < BENT_SECS {
            self.doubts.push(Doubt::Hinge(lower));
            return None;
        }
        let [first, second] = axes.map(DVec3::try_normalize);
        Some([first?, second?])
    }
}

/// Returns the rotation to axes of which one is `up`, and another nearest to `left`.
pub(super) fn framed(left: DVec3, up: DVec3) -> Option<DQuat> {
    let up = up.try_normalize()?;
    let left = left.reject_from_normalized(up).try_normalize()?;
    Some(DQuat::from_mat3(&DMat3::from_cols(left, up, left.cross(up))).normalize())
}

/// Returns the axis of a joint within an angle of a direction.
fn axis_near(direction: DVec3, within: f64) -> Option<DVec3> {
    let mut axes = DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]);
    axes.find(|axis| axis.angle_between(direction) < within)
}

/// Returns the axis of a joint that is near to a direction; else the direction.
fn to_axis(direction: DVec3, within: f64) -> DVec3 {
    axis_near(direction, within).unwrap_or(direction)
}

/// Returns the direction across an arm, snapped to an axis of its joint if it is near.
fn hinge_to_axis(across: DVec3, bone: DVec3) -> DVec3 {
    to_axis(
        across,
        axis_near(bone, ON_AXIS).map_or(HINGE_TO_OTHER_AXIS, |_| HINGE_TO_AXIS),
    )
}

/// Returns the nearest rotation that takes axes to axes, if it is near.
fn to_frame(turn: DQuat) -> Option<DQuat> {
    let [left, up] = [DVec3::X, DVec3::Y].map(|axis| to_axis(turn * axis, TO_FRAME));
    let frame = framed(left, up)?;
    (rotation::difference(frame, turn).length() < TO_FRAME).then_some(frame)
}
