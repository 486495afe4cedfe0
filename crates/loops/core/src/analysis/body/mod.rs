//! Finds hips, feet, hands and head: by name (`names`, `feet`), else by geometry (`geometry`), else as the leaves of the
//! skeleton. Joints that only steer a rig (`controls`) are not part of the body.

use glam::DVec3;

use super::ContactLimits;
use crate::{
    math::greatest,
    motion::{Hinges, Part, Pose, PoseRef, Skeleton, WorldTracks},
    take::Take,
};

mod named_joints;

mod names;

mod controls;

mod feet;

mod geometry;

mod shape;

pub(crate) mod vocabulary;

use named_joints::NamedJoints;
pub(super) use names::find_given;
pub use names::similar_joints;
pub use shape::guess_parts;
use vocabulary::Word;

/// Left or right.
#[handed_over(Copy, Eq, PartialOrd, Ord)]
#[in_words]
pub enum Side {
    /// The character's own left.
    Left,
    /// The character's own right.
    Right,
}

impl Side {
    /// Returns the other side.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// A foot: the joints that touch the ground.
#[handed_over(Copy, Eq)]
pub struct Foot {
    /// The ankle, or the last joint of the leg if nothing finer is known. A leg without a foot stands on the end of its bone: see
    /// [`Body::point`].
    pub ankle: usize,
    /// The ball of the foot or the toes, if the rig has them.
    pub toe: Option<usize>,
    /// Its side, if known.
    pub side: Option<Side>,
}

impl Foot {
    /// Returns the joint that stays longest on the ground: the toe, or the ankle if there is none.
    pub fn lowest_joint(&self) -> usize {
        self.toe.unwrap_or(self.ankle)
    }
}

/// How the feet were found.
#[handed_over(Copy, Eq)]
#[in_words(" ")]
pub enum FoundBy {
    /// The caller named them.
    Given,
    /// By the words of their names.
    Names,
    /// As the lowest ends of the skeleton over the take.
    Geometry,
    /// Not found, as in fish and snakes: every leaf is compared like a foot, but none ever stands.
    AllLeaves,
}

/// Number of frames from which the body of a take is found: a few dozen are enough for the heights of all joints.
const PROBE_FRAMES: usize = 64;

/// Returns the step between the frames of a take that are used to find its body.
pub fn probe_stride(num_frames: usize) -> usize {
    num_frames.div_ceil(PROBE_FRAMES).max(1)
}

/// Returns the poses of these frames in the world.
fn probe_poses(take: &Take) -> Vec<Pose> {
    let frames = (0..take.num_frames()).step_by(probe_stride(take.num_frames()));
    frames.map(|frame| take.pose(frame).world(take.skeleton())).collect()
}

/// Toes point behind a mirrored body by this share of their length over the ground; feet of others that splay reach a half.
const HEELS_AHEAD: f64 = 0.6;

/// Height of the bodies for which limits in metres are stated.
pub(crate) const USUAL_HEIGHT_METRES: f64 = 1.7;

/// Length of their legs, from the hips joint to the ankle along the bones: captured people have 0.87 to 1.05.
const USUAL_LEG_METRES: f64 = 0.95;

/// The caller's choices of joints.
#[handed_over(Default)]
pub struct BodyOverrides {
    /// The hips, by exact name.
    pub hips: Option<String>,
    /// The feet, by exact name, one each.
    pub feet: Vec<String>,
    /// Weights that replace the defaults when poses are compared: joint names, where `*` matches any letters and `?` any one,
    /// each with a weight of 0 or more, a factor on metres. The last pattern that matches applies.
    pub weights: Vec<(String, f64)>,
    /// When a foot counts as standing.
    pub contacts: ContactLimits,
    /// Whether to ignore the name of the take when its motion is classified.
    pub ignore_name: bool,
}

impl BodyOverrides {
    /// Returns the choices for a robot, whose base and soles are known.
    fn of_robot(&self, skeleton: &Skeleton, robot: &Hinges) -> Self {
        let mut own = self.clone();
        own.hips.get_or_insert_with(|| skeleton.name_of(0));
        if own.feet.is_empty() {
            own.feet = robot.soles.iter().map(|sole| skeleton.name_of(sole.joint)).collect();
        }
        own
    }

    /// Checks the limits of contacts. Errors: [`BodyError::ContactLimit`] for one that is not a positive number.
    pub(super) fn check(&self) -> Result<(), BodyError> {
        let ContactLimits {
            speed_mps,
            height_metres,
        } = self.contacts;
        for (limit, given) in [("speed", speed_mps), ("height", height_metres)] {
            if let Some(found) = given.filter(|found| !(*found > 0.0 && found.is_finite())) {
                return Err(BodyError::ContactLimit { limit, found });
            }
        }
        Ok(())
    }
}

/// Largest weight allowed; the largest by default is 1.
pub(super) const MAX_WEIGHT: f64 = 1000.0;

/// Why the caller's choice of joints cannot be used.
#[error_kinds]
pub enum BodyError {
    #[error("the skeleton has no joint named \"{name}\"")]
    NoSuchJoint { name: String, similar: Vec<String> },
    /// A weight is not a number, below zero, or so large that sums may overflow.
    #[error("the weight of \"{pattern}\" must lie between 0 and {MAX_WEIGHT}, found {found}")]
    Weight { pattern: String, found: f64 },
    #[error("the {limit} below which a foot counts as planted must be a positive number, found {found}")]
    ContactLimit { limit: &'static str, found: f64 },
    /// No joint is left to compare.
    #[error("no joint has a weight above 0, so poses cannot be compared")]
    NoWeight,
}

/// The joints that the stages use.
#[handed_over]
pub struct Body {
    /// The joint at which both legs and the upper body meet.
    pub hips: usize,
    /// The head.
    pub head: Option<usize>,
    /// Feet, left before right if sides are known: at most eight, pair by pair, unless the caller names them or
    /// [`Self::found_by`] is [`FoundBy::AllLeaves`].
    pub feet: Vec<Foot>,
    /// Hands or wrists, left before right; the hands of animals that walk on them are among the feet instead.
    pub hands: Vec<usize>,
    /// Joints that replace feet, hands and head missing from the rig, each with the end of its bone, metres in the joint's axes:
    /// what turns in place where no feet are found, the last bones of legs without feet, the forearms of rigs without hands, the
    /// neck of rigs without a head. See [`Self::point`].
    pub bone_ends: Vec<(usize, DVec3)>,
    /// Joints that only steer the rig, such as IK targets and poles, in ascending order. They are neither compared nor drawn, and
    /// none of the other fields names one, unless the caller did.
    pub controls: Vec<usize>,
    /// Upper ends of the legs, left and right; of animals with more legs, those of one pair.
    pub thighs: Option<[usize; 2]>,
    /// Upper ends of the arms, left and right.
    pub shoulders: Option<[usize; 2]>,
    /// How the feet were found.
    pub found_by: FoundBy,
    /// Whether names state the other side, as where a scale or a change of axes mirrors the body: what is on its left comes first all the
    /// same, and feet keep the side of their names.
    pub is_mirrored: bool,
}

impl Body {
    /// Finds the body's joints in a take.
    ///
    /// A skeleton without recognisable parts is not an error: see [`FoundBy`]. Errors: [`BodyError::NoSuchJoint`] for a name in
    /// `overrides` that the skeleton does not have.
    pub fn find(take: &Take, overrides: &BodyOverrides) -> Result<Self, BodyError> {
        let skeleton = take.skeleton();
        let named = NamedJoints::of(skeleton);
        let of_robot = skeleton.hinges().map(|robot| overrides.of_robot(skeleton, robot));
        let overrides = of_robot.as_ref().unwrap_or(overrides);
        let (feet, found_by, stand_on_ends) = find_feet(take, &named, overrides)?;
        let hips = match &overrides.hips {
            Some(name) => find_given(skeleton, name)?,
            None => match legs_apart_from(&named, &feet) {
                Some(thighs) => skeleton.last_shared(thighs).unwrap_or(0),
                None => named.hips(&feet, found_by),
            },
        };
        // In some rigs "shoulder" is the collar bone, in others the upper arm. Collar bones begin side by side at the
        // breastbone, so their outer ends span the chest.
        let shoulders = named.pair(Word::UpperArm).or_else(|| {
            let clavicles = named.pair(Word::Clavicle)?;
            Some(clavicles.map(|clavicle| skeleton.children(clavicle).first().copied().unwrap_or(clavicle)))
        });
        let thighs = named.pair(Word::Thigh).or_else(|| tops_of_legs(skeleton, hips, &feet));
        let hands: Vec<End> = Side::ALL
            .into_iter()
            .filter_map(|side| {
                let hand = named
                    .fullest(Word::Hand, side)
                    .or_else(|| named.sided(Word::Palm, side));
                hand.map(|hand| (hand, None))
                    .or_else(|| end_of_limb(&named, named.sided(Word::Forearm, side)?))
            })
            .filter(|(hand, _)| {
                feet.iter()
                    .all(|foot| ![Some(foot.ankle), foot.toe].contains(&Some(*hand)))
            })
            .collect();
        let head = named
            .unsided_below(Word::Head, hips)
            .map(|head| (head, None))
            .or_else(|| end_of_limb(&named, named.unsided(Word::Neck)?));
        let still = (found_by == FoundBy::AllLeaves).then(|| joints_in_place(take));
        let spins = |foot: &&Foot| still.as_ref().is_some_and(|still| still[foot.ankle]);
        let ends = feet
            .iter()
            .filter(|foot| stand_on_ends || spins(foot))
            .map(|foot| (foot.ankle, end_of_bone(skeleton, foot.ankle)))
            .chain(hands.iter().copied())
            .chain(head);
        let body = Self {
            hips,
            head: head.map(|(head, _)| head),
            bone_ends: ends.filter_map(|(joint, tip)| Some((joint, tip?))).collect(),
            feet,
            hands: hands.iter().map(|(hand, _)| *hand).collect(),
            controls: named.controls(),
            thighs,
            shoulders,
            found_by,
            is_mirrored: false,
        };
        Ok(if body.walks_on_its_heels(take) {
            body.mirrored()
        } else {
            body
        })
    }

    /// Whether the toes point behind the body that the names of its sides define, as where a scale or a change of axes mirrors it.
    fn walks_on_its_heels(&self, take: &Take) -> bool {
        let (Some([left, right]), [_, _]) = (self.thighs, self.feet.as_slice()) else {
            return false;
        };
        let (mut ahead, mut all) = (0.0, 0.0);
        for pose in probe_poses(take) {
            let at = pose.translations;
            let forward = (at[left] - at[right]).cross(DVec3::Y).normalize_or_zero();
            for (ankle, toe) in self.feet.iter().filter_map(|foot| Some((foot.ankle, foot.toe?))) {
                let along = (at[toe] - at[ankle]).with_y(0.0);
                ahead += along.dot(forward);
                all += along.length();
            }
        }
        ahead < -HEELS_AHEAD * all
    }

    /// Returns the body with the joints that lie on its left first, whose names state the right.
    fn mirrored(mut self) -> Self {
        self.is_mirrored = true;
        self.feet.reverse();
        self.hands.reverse();
        let pairs = [&mut self.thighs, &mut self.shoulders];
        pairs.into_iter().flatten().for_each(|pair| pair.reverse());
        self
    }

    /// Whether a joint is one of [`Self::bone_ends`].
    pub(crate) fn is_bone_end(&self, joint: usize) -> bool {
        self.bone_ends.iter().any(|(end, _)| *end == joint)
    }

    /// Whether a joint only steers the rig: see [`Self::controls`].
    pub fn is_control(&self, joint: usize) -> bool {
        self.controls.binary_search(&joint).is_ok()
    }

    /// Returns the last joint of the leg of a foot that is not a descendant of it, such as an IK target; `None` for a foot that
    /// descends from its leg, and if the leg is unknown.
    ///
    /// `skeleton` is the one in which the body was found.
    pub fn end_of_leg_apart(&self, skeleton: &Skeleton, foot: &Foot) -> Option<usize> {
        let [left, right] = self.thighs?;
        let thigh = if (foot.side? == Side::Left) == self.is_mirrored {
            right
        } else {
            left
        };
        if self.feet.len() > 2 || skeleton.is_within(foot.ankle, thigh) {
            return None;
        }
        let mut end = thigh;
        while let Some(&below) = skeleton.children(end).iter().find(|&&below| !self.is_control(below)) {
            end = below;
        }
        Some(end)
    }

    /// Returns the end of the bone of one of [`Self::bone_ends`], metres in its axes; zero for other joints.
    pub fn end_of(&self, joint: usize) -> DVec3 {
        let at_end = self.bone_ends.iter().find(|(of, _)| *of == joint);
        at_end.map_or(DVec3::ZERO, |(_, tip)| *tip)
    }

    /// Returns the world position of a joint at a frame, metres; for a joint that replaces a foot, a hand or the head, the end of
    /// its bone.
    ///
    /// `world` has the skeleton in which the body was found. Panics if it has no such frame or joint.
    pub fn point(&self, world: &WorldTracks, frame: usize, joint: usize) -> DVec3 {
        world.point(frame, joint, self.end_of(joint))
    }

    /// Returns the size of the legs relative to an adult's, for limits of feet that grow with the body; 1 if no leg is known.
    ///
    /// The speed and height of a standing foot depend on its leg, whatever the head and trunk. The shortest path from the hips
    /// to a foot counts: the one to the front legs runs along the spine. Legs without feet count from their first joint: they may
    /// hang from a root on the ground.
    ///
    /// `at` is the position of a joint of `skeleton` in any pose, metres.
    pub(crate) fn leg_size(&self, skeleton: &Skeleton, at: impl Fn(usize) -> DVec3) -> f64 {
        let lengths = self.legs(skeleton).map(|leg| {
            let end = self.end_of(leg[leg.len() - 1]).length();
            let bones = leg.windows(2).skip(usize::from(end > 0.0));
            bones.map(|bone| at(bone[0]).distance(at(bone[1]))).sum::<f64>() + end
        });
        lengths
            .filter(|&length| length > 0.0)
            .reduce(f64::min)
            .map_or(1.0, |leg| leg / USUAL_LEG_METRES)
    }

    /// Returns the joints from the hips to the ankle of each leg that begins at the hips.
    pub(crate) fn legs<'a>(&'a self, skeleton: &'a Skeleton) -> impl Iterator<Item = Vec<usize>> + 'a {
        self.feet.iter().filter_map(|foot| {
            let apart = self.end_of_leg_apart(skeleton, foot);
            let mut path = skeleton.path_from_root(apart.unwrap_or(foot.ankle));
            let first = path.iter().position(|&above| above == self.hips)?;
            path.drain(..first);
            path.extend(apart.map(|_| foot.ankle));
            Some(path)
        })
    }

    /// Returns the joint above the ankle in the leg of a foot, if it is apart from the ankle in the rest pose.
    pub(crate) fn above_ankle(&self, skeleton: &Skeleton, foot: &Foot) -> Option<usize> {
        let apart = self.end_of_leg_apart(skeleton, foot);
        let mut joint = apart.unwrap_or(foot.ankle);
        while skeleton.joint(joint).rest_offset == DVec3::ZERO {
            joint = skeleton.parent(joint)?;
        }
        skeleton.parent(joint)
    }

    /// Returns the joints by which bearing is judged: for each foot the toes, the ankle and the joint above.
    pub(crate) fn foot_joints(&self, skeleton: &Skeleton) -> Vec<usize> {
        let of_foot = |foot: &Foot| [Some(foot.ankle), foot.toe, self.above_ankle(skeleton, foot)];
        self.feet.iter().flat_map(of_foot).flatten().collect()
    }

    /// Returns the feet; none if all leaves replace them.
    pub fn known_feet(&self) -> &[Foot] {
        if self.found_by == FoundBy::AllLeaves {
            &[]
        } else {
            &self.feet
        }
    }

    /// Returns the standing height, whatever the pose: the lengths of leg and spine, up to the head joint. In metres, or in the
    /// file's unit while a reader still estimates that.
    ///
    /// Measured on the bones of the middle frame, because in some files the offsets of the rest pose differ from the bones.
    /// `None` if feet or head were not found, or if all bones have length zero.
    pub fn stature(&self, take: &Take) -> Option<f64> {
        self.stature_in(take.skeleton(), take.pose(take.num_frames() / 2))
    }

    pub(crate) fn stature_in(&self, skeleton: &Skeleton, pose: PoseRef) -> Option<f64> {
        if self.found_by == FoundBy::AllLeaves {
            return None;
        }
        let chain = |joint: usize| {
            let path = skeleton.path_from_root(joint);
            let at = path.iter().position(|&above| above == self.hips)?;
            let end = if self.head == Some(joint) {
                0.0
            } else {
                self.end_of(joint).length()
            };
            let bones = path[at + 1..].iter().skip(usize::from(end > 0.0));
            Some(bones.map(|&joint| pose.translations[joint].length()).sum::<f64>() + end)
        };
        let legs = self
            .feet
            .iter()
            .filter_map(|foot| match self.end_of_leg_apart(skeleton, foot) {
                Some(end) => {
                    let world = pose.world(skeleton).translations;
                    Some(chain(end)? + world[foot.ankle].distance(world[end]))
                }
                None => chain(foot.ankle),
            });
        let leg = greatest(legs);
        let height = leg + chain(self.head?)?;
        (height > 0.0 && leg > 0.0).then_some(height)
    }

    /// Returns the size relative to a body of 1.7 m, for limits in metres that grow with the body.
    ///
    /// If the height is unknown, twice the longest chain of bones from the hips replaces it; 1 without bones.
    pub fn size(&self, take: &Take) -> f64 {
        self.size_in(take.skeleton(), take.pose(take.num_frames() / 2))
    }

    /// Returns the size like [`Self::size`], for the bones of a local pose.
    pub(crate) fn size_in(&self, skeleton: &Skeleton, pose: PoseRef) -> f64 {
        let mut reach = vec![0.0_f64; skeleton.num_joints()];
        for joint in 0..skeleton.num_joints() {
            if let Some(parent) = skeleton.parent(joint).filter(|_| joint != self.hips) {
                reach[joint] = reach[parent] + pose.translations[joint].length();
            }
        }
        let longest = greatest(
            (0..reach.len())
                .filter(|&joint| skeleton.is_within(joint, self.hips))
                .map(|joint| reach[joint] - reach[self.hips]),
        );
        let height = self.stature_in(skeleton, pose).unwrap_or(2.0 * longest);
        if height > 0.0 {
            height / USUAL_HEIGHT_METRES
        } else {
            1.0
        }
    }
}

/// The feet of a body, how they were found, and whether their joints are high, and the ends of their bones stand.
type FoundFeet = (Vec<Foot>, FoundBy, bool);

/// Finds feet without names: the low joints, else the low ends of bones, else every leaf.
fn by_geometry(some: &Take, named: &NamedJoints) -> FoundFeet {
    if let Some(feet) = geometry::feet(some, named) {
        return (feet, FoundBy::Geometry, false);
    }
    match geometry::feet_at_ends(some, named) {
        Some(feet) => (feet, FoundBy::Geometry, true),
        None => (geometry::all_leaves(named), FoundBy::AllLeaves, false),
    }
}

/// Finds the feet of a body: those that the caller names, else by names, else by geometry.
fn find_feet(some: &Take, named: &NamedJoints, overrides: &BodyOverrides) -> Result<FoundFeet, BodyError> {
    let skeleton = named.skeleton;
    if !overrides.feet.is_empty() {
        let mut feet: Vec<Foot> = Vec::new();
        for name in &overrides.feet {
            let ankle = find_given(skeleton, name)?;
            // A joint named twice is still one foot.
            if feet.iter().all(|foot| foot.ankle != ankle) {
                feet.push(Foot {
                    toe: named.below(ankle, |name| name.is_toe && !name.is_end()),
                    ..named.foot(ankle)
                });
            }
        }
        let stand_on_ends = feet.iter().all(|foot| named.name(foot.ankle).may_end_leg());
        return Ok((feet, FoundBy::Given, stand_on_ends));
    }
    let middle = some.pose(some.num_frames() / 2);
    let bones: Vec<f64> = middle.translations.iter().map(|bone| bone.length()).collect();
    let by_name = feet::find(named, &bones);
    if by_name.is_empty() {
        let legs = feet::of_bare_legs(named);
        let have_ends = legs.iter().all(|leg| end_of_bone(skeleton, leg.ankle).is_some());
        if !legs.is_empty() && have_ends && geometry::ends_reach_ground(some, named, &legs) {
            return Ok((legs, FoundBy::Names, true));
        }
        return Ok(by_geometry(some, named));
    }
    if feet::have_knees(skeleton, &by_name) {
        let mut parts = by_name.iter().map(|foot| &skeleton.joint(foot.ankle).part);
        let are_guesses = parts.all(|part| matches!(part, Some(Part::Guessed(_))));
        let found_by = if are_guesses { FoundBy::Geometry } else { FoundBy::Names };
        return Ok((by_name, found_by, false));
    }
    // Some toys have a single bone between the hips and the named foot, which is half a leg itself.
    let low = geometry::feet(some, named).filter(|low| feet::hang_from(skeleton, low, &by_name));
    Ok(match low {
        Some(low) => (low, FoundBy::Geometry, false),
        None => (by_name, FoundBy::Names, false),
    })
}

/// Returns the last joints of legs without feet, by their names, in a skeleton in which no foot is named; empty unless they are two
/// to eight.
///
/// They count as feet in takes whose skeleton has the ends of their bones: [`Skeleton::with_tips`].
pub fn bare_legs(skeleton: &Skeleton) -> Vec<usize> {
    feet::bare_legs(&NamedJoints::of(skeleton))
}

/// A joint that moves by less stays in place, metres.
const IN_PLACE_METRES: f64 = 1e-4;

/// Returns for each joint whether it stays in place in a take of several frames, like the blades of fans, of which only the ends move.
pub fn joints_in_place(take: &Take) -> Vec<bool> {
    let (world, num_frames) = (take.world_tracks(), take.num_frames());
    let stays = |joint: usize| {
        let moved = |frame| world.position(frame, joint).distance(world.position(0, joint));
        num_frames > 1 && (1..num_frames).all(|frame| moved(frame) < IN_PLACE_METRES)
    };
    (0..take.num_joints()).map(stays).collect()
}

/// Returns the end of the bone of a joint without children, metres in its axes; `None` if unknown.
fn end_of_bone(skeleton: &Skeleton, joint: usize) -> Option<DVec3> {
    let tip = skeleton.joint(joint).tip.filter(|tip| *tip != DVec3::ZERO)?;
    skeleton.children(joint).is_empty().then_some(tip)
}

/// The end of a limb: a joint, or an offset at the end of that joint's bone, metres in its axes.
type End = (usize, Option<DVec3>);

/// Returns where the bone of a limb's last joint ends: the joint and the tip of its bone if nothing descends from it, or its only child,
/// without an offset, if that is named as an end. `None` if the limb continues or the end is unknown.
fn end_of_limb(named: &NamedJoints, last: usize) -> Option<End> {
    let mut below = named.children(last);
    match (below.next(), below.next()) {
        (None, _) => {
            let tip = named.skeleton.joint(last).tip.filter(|tip| *tip != DVec3::ZERO)?;
            Some((last, Some(tip)))
        }
        (Some(end), None) => (named.name(end).is_end() && named.is_leaf(end)).then_some((end, None)),
        _ => None,
    }
}

/// Returns the thighs of a rig whose two feet are not their descendants, such as IK targets that are skinned as feet.
fn legs_apart_from(named: &NamedJoints, feet: &[Foot]) -> Option<[usize; 2]> {
    let thighs = named.pair(Word::Thigh)?;
    let hangs = feet.iter().any(|foot| {
        let path = named.skeleton.path_from_root(foot.ankle);
        thighs.iter().any(|thigh| path.contains(thigh))
    });
    (feet.len() == 2 && !hangs).then_some(thighs)
}

/// Returns the upper ends of a left and a right leg without names: the joints below the hips on the paths to the feet.
///
/// Forelegs are attached to the spine, so their paths do not separate at the hips, and the next pair is tried.
fn tops_of_legs(skeleton: &Skeleton, hips: usize, feet: &[Foot]) -> Option<[usize; 2]> {
    let [left, right] = Side::ALL.map(|side| {
        let of_side = feet.iter().filter(move |foot| foot.side == Some(side));
        of_side.filter_map(|foot| {
            let path = skeleton.path_from_root(foot.ankle);
            let at = path.iter().position(|&joint| joint == hips)?;
            path.get(at + 1).copied()
        })
    });
    let mut pairs = left.zip(right);
    pairs.find(|(left, right)| left != right).map(<[usize; 2]>::from)
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::motion::Skeleton;
    use crate::tests::{skeleton, take_of};

    /// One standing frame; rows are name, parent, position relative to the parent.
    pub(super) fn take(rows: &[(&str, Option<usize>, [f64; 3])]) -> Take {
        let rows: Vec<_> = rows
            .iter()
            .map(|&(name, parent, offset)| (name, parent, DVec3::from_array(offset)))
            .collect();
        take_of(skeleton(&rows), 0.1, 1, |_, joint| (rows[joint].2, DQuat::IDENTITY))
    }

    pub(super) fn body_of(take: &Take) -> Body {
        Body::find(take, &BodyOverrides::default()).unwrap()
    }

    #[test]
    fn hips_are_where_the_legs_meet() {
        let take = take(&[
            ("joint_Root", None, [0.0, 0.0, 0.0]),
            ("Middle", Some(0), [0.0, 1.0, 0.0]),
            ("LeftUpLeg", Some(1), [0.1, 0.0, 0.0]),
            ("LeftFoot", Some(2), [0.0, -0.9, 0.0]),
            ("RightUpLeg", Some(1), [-0.1, 0.0, 0.0]),
            ("RightFoot", Some(4), [0.0, -0.9, 0.0]),
            ("Head", Some(1), [0.0, 0.6, 0.0]),
        ]);
        let body = body_of(&take);
        assert_eq!((body.hips, body.head, body.thighs), (1, Some(6), Some([2, 4])));
        assert_eq!(body.feet.iter().map(|f| f.ankle).collect::<Vec<_>>(), [3, 5]);
        assert!((body.stature(&take).unwrap() - 1.6).abs() < 1e-12);
    }

    #[test]
    fn nameless_rigs_go_by_geometry_then_by_leaves() {
        let rows = [
            ("a", None, [0.0, 1.0, 0.0]),
            ("b", Some(0), [0.1, -0.95, 0.0]),
            ("c", Some(0), [-0.1, -0.95, 0.0]),
            ("d", Some(0), [0.0, 0.7, 0.0]),
        ];
        let found = body_of(&take(&rows));
        assert_eq!(found.found_by, FoundBy::Geometry);
        assert_eq!(found.feet.iter().map(|f| f.ankle).collect::<Vec<_>>(), [1, 2]);
        let chain = [("a", None, [0.0, 0.0, 0.0]), ("b", Some(0), [0.0, 1.0, 0.0])];
        let found = body_of(&take(&chain));
        assert_eq!((found.found_by, found.hips), (FoundBy::AllLeaves, 0));
        assert_eq!(found.stature(&take(&chain)), None);
    }

    #[test]
    fn nameless_feet_end_in_toes() {
        let mut rows = vec![("a", None, [0.0, 1.0, 0.0]), ("b", Some(0), [0.0, 0.7, 0.0])];
        for (side, names) in [(0.1, ["c", "d", "e", "f", "g"]), (-0.1, ["h", "i", "j", "k", "l"])] {
            let knee = rows.len();
            rows.push((names[0], Some(0), [side, -0.45, 0.0]));
            rows.push((names[1], Some(knee), [0.0, -0.46, 0.0]));
            rows.push((names[2], Some(knee + 1), [0.0, -0.06, 0.12]));
            rows.push((names[3], Some(knee + 2), [0.02, -0.02, 0.05]));
            rows.push((names[4], Some(knee + 2), [-0.02, -0.02, 0.05]));
        }
        let found = body_of(&take(&rows));
        assert_eq!(found.found_by, FoundBy::Geometry);
        let feet: Vec<_> = found.feet.iter().map(|foot| (foot.ankle, foot.toe)).collect();
        assert_eq!(feet, [(3, Some(4)), (8, Some(9))]);
    }

    #[test]
    fn given_names_win_and_errors_list_similar_names() {
        let take = take(&[
            ("Hips", None, [0.0, 1.0, 0.0]),
            ("LeftFoot", Some(0), [0.1, -0.9, 0.0]),
            ("RightFoot", Some(0), [-0.1, -0.9, 0.0]),
        ]);
        let feet = |names: &[&str]| BodyOverrides {
            feet: names.iter().map(ToString::to_string).collect(),
            ..BodyOverrides::default()
        };
        let body = Body::find(&take, &feet(&["RightFoot", "RightFoot"])).unwrap();
        assert_eq!((body.feet.len(), body.found_by), (1, FoundBy::Given));
        let error = Body::find(&take, &feet(&["Foot"])).unwrap_err();
        let BodyError::NoSuchJoint { similar, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(similar, ["LeftFoot", "RightFoot"]);
    }

    #[test]
    fn names_of_other_rigs_propose_the_joint_of_the_same_part() {
        // The rig's own name may stand before all.
        for rig in ["", "bob_"] {
            let names = ["pelvis", "thigh_l", "calf_l", "thigh_r"].map(|name| format!("{rig}{name}"));
            let [hips, left, knee, right] = names.each_ref().map(String::as_str);
            let take = take(&[
                (hips, None, [0.0, 1.0, 0.0]),
                (left, Some(0), [0.1, 0.0, 0.0]),
                (knee, Some(1), [0.0, -0.4, 0.0]),
                (right, Some(0), [-0.1, 0.0, 0.0]),
            ]);
            for (name, meant) in [("LeftUpLeg", left), ("Hips", hips), ("RightUpLeg", right)] {
                assert_eq!(similar_joints(take.skeleton(), name), [meant], "{name}");
            }
            assert!(similar_joints(take.skeleton(), "Wing").is_empty());
        }
        let take = take(&[
            ("Hips", None, [0.0, 1.0, 0.0]),
            ("LeftCollar", Some(0), [0.1, 0.4, 0.0]),
            ("LeftShoulder", Some(1), [0.1, 0.0, 0.0]),
            ("LeftElbow", Some(2), [0.3, 0.0, 0.0]),
        ]);
        assert_eq!(similar_joints(take.skeleton(), "upperarm_l")[0], "LeftShoulder");
    }

    #[test]
    fn rigs_that_stop_early_end_at_the_ends_of_their_bones() {
        let legs = [
            ("Hips", None, [0.0, 1.0, 0.0]),
            ("LeftFoot", Some(0), [0.1, -0.9, 0.0]),
            ("RightFoot", Some(0), [-0.1, -0.9, 0.0]),
        ];
        let arms = [
            ("Neck", Some(0), [0.0, 0.5, 0.0]),
            ("LeftForeArm", Some(3), [0.4, 0.0, 0.0]),
            ("RightForeArm", Some(3), [-0.4, 0.0, 0.0]),
        ];
        let bare = take(&[&legs[..], &arms].concat());
        let mut joints = bare.skeleton().joints().to_vec();
        joints[4].tip = Some(DVec3::X * 0.25);
        joints[5].tip = Some(DVec3::NEG_X * 0.25);
        let skeleton = Skeleton::new(joints).unwrap();
        let take_with_ends = Take::new(
            "t",
            skeleton,
            0.1,
            bare.translations(0).to_vec(),
            bare.rotations(0).to_vec(),
        );
        let take_with_ends = take_with_ends.unwrap();
        let body = body_of(&take_with_ends);
        assert_eq!((body.hands.as_slice(), body.head), (&[4, 5][..], None));
        let world = take_with_ends.world_tracks();
        assert_eq!(body.point(&world, 0, 4), DVec3::new(0.65, 1.5, 0.0));
        assert_eq!(body.point(&world, 0, 0), world.position(0, 0));
        // Without end sites, and without joints that end the bones, there are no replacements.
        assert_eq!(body_of(&bare).hands, []);
        let ends = [
            ("LeftForeArm_end", Some(4), [0.25, 0.0, 0.0]),
            ("RightForeArm_end", Some(5), [-0.25, 0.0, 0.0]),
            ("Neck_end", Some(3), [0.0, 0.2, 0.0]),
        ];
        let body = body_of(&take(&[&legs[..], &arms, &ends].concat()));
        assert_eq!((body.hands.as_slice(), body.bone_ends.len()), (&[6, 7][..], 0));
    }

    #[test]
    fn feet_that_hang_from_the_root_leave_the_hips_where_the_thighs_meet() {
        let take = take(&[
            ("Root", None, [0.0, 0.0, 0.0]),
            ("Foot.L", Some(0), [0.1, 0.1, 0.0]),
            ("Foot.R", Some(0), [-0.1, 0.1, 0.0]),
            ("Body", Some(0), [0.0, 1.0, 0.0]),
            ("UpperLeg.L", Some(3), [0.1, 0.0, 0.0]),
            ("LowerLeg.L", Some(4), [0.0, -0.4, 0.0]),
            ("UpperLeg.R", Some(3), [-0.1, 0.0, 0.0]),
            ("LowerLeg.R", Some(6), [0.0, -0.4, 0.0]),
            ("Head", Some(3), [0.0, 0.6, 0.0]),
        ]);
        let body = body_of(&take);
        assert_eq!((body.hips, body.feet.len()), (3, 2));
        assert_eq!(body.end_of_leg_apart(take.skeleton(), &body.feet[0]), Some(5));
        assert!((body.stature(&take).unwrap() - 1.6).abs() < 1e-12);
    }
}
