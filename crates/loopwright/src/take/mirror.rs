//! Left and right exchanged: which joint is whose image, and poses in the mirror.
//!
//! Seen in a mirror that stands upright along the way ahead, the left hand does what the right one did. Partners need not have
//! their axes where a mirror would put them, so to every joint belongs a turn between the two, constant because bones are
//! rigid: it is what makes a symmetric pose its own image. Where the skeleton at rest is symmetric, that is the pose; where it
//! is drawn with all bones in a line, the mean pose of the take is. Bones keep their own lengths, because no body is as
//! symmetric as its skeleton's names. Derivation: docs/math/mirror.md.

use glam::{DQuat, DVec3};

use super::{Skeleton, Take};
use crate::math::rotation;

/// Which joint is the mirror image of which, and how the axes of the two lie to each other.
///
/// The mirror stands across X of the space that the topmost joint is seen from.
#[derive(Clone, Debug, PartialEq)]
pub struct Mirror {
    partners: Vec<usize>,
    /// Per joint, from the axes of its partner to the image of its own axes.
    own_axes: Vec<DQuat>,
    /// The same of its parent; none for the topmost joint.
    parent_axes: Vec<DQuat>,
    /// Where each joint stays in its parent's axes, metres: its median place. `None` for joints that travel.
    rest: Vec<Option<DVec3>>,
    /// Which pose was taken for symmetric.
    symmetric: SymmetricPose,
}

/// The pose that is its own mirror image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymmetricPose {
    /// The skeleton at rest, with nothing turned.
    Rest,
    /// The mean pose of the take, seen from its facing.
    Mean,
}

/// Why a skeleton has no mirror image.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MirrorError {
    /// No joint has a partner on the other side.
    #[error("no joint of the skeleton has a partner on the other side, by name or by place")]
    NoPairs,
    /// A pair names a joint that is not there.
    #[error("the skeleton has no joint named \"{name}\"")]
    NoSuchJoint {
        /// The name given.
        name: String,
    },
    /// A joint is in two pairs.
    #[error("\"{name}\" is named in two pairs")]
    Twice {
        /// The joint.
        name: String,
    },
    /// The parents of two partners are no partners.
    #[error("\"{left}\" and \"{right}\" cannot be images of each other: their parents are not")]
    Parents {
        /// One joint.
        left: String,
        /// Its partner.
        right: String,
    },
    /// Partners are not placed like images of each other.
    #[error(
        "\"{left}\" and \"{right}\" cannot be images of each other: at rest they are {off_metres:.3} m from where a mirror has them"
    )]
    Places {
        /// One joint.
        left: String,
        /// Its partner.
        right: String,
        /// Distance from the place in the mirror, metres.
        off_metres: f64,
    },
}

/// Words for the two sides that names use, left before right.
const SIDES: [(&str, &str); 5] = [
    ("Left", "Right"),
    ("left", "right"),
    ("LEFT", "RIGHT"),
    ("L", "R"),
    ("l", "r"),
];

/// Nameless partners may be off by this share of the skeleton's size.
const SIZE_TOLERANCE: f64 = 0.05;

/// A joint whose place varies by more than this share of the skeleton's size travels.
const TRAVEL_SHARE: f64 = 0.02;

impl Mirror {
    /// Finds the partners of a take's joints, by name and, where no name tells a side, by place.
    ///
    /// Names are partners when exchanging one word for a side in one of them gives the other, and so are the parents of
    /// partners. `pairs` are partners that the caller names, which go before all others; a joint paired with itself lies in the
    /// mirror. `yaw` is the facing of the body at a frame, radians from +Z, left positive; it is asked where the mean pose is
    /// needed. Errors: [`MirrorError`].
    pub fn of(take: &Take, pairs: &[(String, String)], yaw: impl Fn(usize) -> f64) -> Result<Self, MirrorError> {
        let skeleton = take.skeleton();
        let (rest, spread) = places(take);
        let size = world_places(skeleton, &rest)
            .iter()
            .map(|place| place.length())
            .fold(0.0, f64::max);
        let places: Vec<Option<DVec3>> = (0..rest.len())
            .map(|joint| {
                (spread[joint] <= TRAVEL_SHARE * size && skeleton.parent(joint).is_some()).then_some(rest[joint])
            })
            .collect();
        // Joints that travel stand anywhere; the skeleton is drawn without them.
        let drawn: Vec<DVec3> = places.iter().map(|place| place.unwrap_or(DVec3::ZERO)).collect();
        let size = world_places(skeleton, &drawn)
            .iter()
            .map(|place| place.length())
            .fold(0.0, f64::max);
        let (partners, normal) = paired(skeleton, &drawn, pairs)?;
        check_parents(skeleton, &partners)?;
        // At rest the mirror stands across the way from right to left, wherever the skeleton faces.
        let turn = from_reflections(normal);
        let at_rest = Self::with_axes(skeleton, partners, &places, vec![turn; rest.len()], SymmetricPose::Rest);
        match at_rest.check_places(skeleton, size, REST_TOLERANCE) {
            Ok(()) => Ok(at_rest),
            Err(at_rest_error) => {
                let mean = mean_axes(take, yaw);
                let turns = (0..rest.len())
                    .map(|joint| (flipped(mean[joint]).conjugate() * mean[at_rest.partners[joint]]).normalize())
                    .collect();
                let by_mean = Self::with_axes(skeleton, at_rest.partners, &places, turns, SymmetricPose::Mean);
                // What is wrong with the pairs shows more plainly at rest.
                by_mean
                    .check_places(skeleton, size, MEAN_TOLERANCE)
                    .map_err(|_| at_rest_error)?;
                Ok(by_mean)
            }
        }
    }

    fn with_axes(
        skeleton: &Skeleton,
        partners: Vec<usize>,
        places: &[Option<DVec3>],
        own_axes: Vec<DQuat>,
        symmetric: SymmetricPose,
    ) -> Self {
        let parent_axes = (0..partners.len())
            .map(|joint| {
                skeleton
                    .parent(joint)
                    .map_or(DQuat::IDENTITY, |parent| own_axes[parent])
            })
            .collect();
        Self {
            partners,
            own_axes,
            parent_axes,
            rest: places.to_vec(),
            symmetric,
        }
    }

    /// Whether partners are where the mirror has them, within shares of the length of the bone and of the skeleton's size.
    fn check_places(&self, skeleton: &Skeleton, size: f64, tolerance: [f64; 2]) -> Result<(), MirrorError> {
        for joint in 0..self.partners.len() {
            let partner = self.partners[joint];
            let (Some(own), Some(other)) = (self.rest[joint], self.rest[partner]) else {
                continue;
            };
            let off_metres = (self.reflect(joint, own) - other).length();
            if off_metres > tolerance[0] * own.length().max(other.length()) + tolerance[1] * size {
                return Err(MirrorError::Places {
                    left: skeleton.joint(joint).name.clone(),
                    right: skeleton.joint(partner).name.clone(),
                    off_metres,
                });
            }
        }
        Ok(())
    }

    /// The image of a joint; the joint itself where it lies in the mirror.
    pub fn partner(&self, joint: usize) -> usize {
        self.partners[joint]
    }

    /// Which pose was taken for symmetric.
    pub fn symmetric_pose(&self) -> SymmetricPose {
        self.symmetric
    }

    /// The image of a vector in the axes of a joint's parent, in those of its partner's parent.
    pub fn reflect(&self, joint: usize, vector: DVec3) -> DVec3 {
        self.parent_axes[joint].conjugate() * (vector * ACROSS)
    }

    /// The image of a rotation vector, or of an angular velocity, in the axes of a joint's parent.
    pub fn reflect_turn(&self, joint: usize, turn: DVec3) -> DVec3 {
        // A turn is a vector whose sense the mirror turns round.
        -self.reflect(joint, turn)
    }

    /// The image of a joint's local rotation, for its partner.
    pub fn reflect_rotation(&self, joint: usize, rotation: DQuat) -> DQuat {
        (self.parent_axes[joint].conjugate() * flipped(rotation) * self.own_axes[joint]).normalize()
    }

    /// The image of a joint's place in its parent's axes, for its partner: bones keep their own lengths, and what moves
    /// besides is reflected.
    pub fn reflect_place(&self, joint: usize, place: DVec3) -> DVec3 {
        match (self.rest[joint], self.rest[self.partners[joint]]) {
            (Some(own), Some(other)) => other + self.reflect(joint, place - own),
            _ => self.reflect(joint, place),
        }
    }

    /// The image of a rotation in the space of the mirror, as that of the partner of the joint that has it.
    pub fn reflect_in_space(&self, joint: usize, rotation: DQuat) -> DQuat {
        (flipped(rotation) * self.own_axes[joint]).normalize()
    }

    /// The image of a whole take, in a mirror across the world's X: +X becomes -X.
    pub fn take(&self, take: &Take) -> Take {
        take.map_poses(|pose| {
            let mut mirrored = pose.to_pose();
            for joint in 0..pose.num_joints() {
                let image = self.partners[joint];
                mirrored.translations[image] = self.reflect_place(joint, pose.translations[joint]);
                mirrored.rotations[image] = self.reflect_rotation(joint, pose.rotations[joint]);
            }
            mirrored
        })
    }
}

/// Changes the sign of what lies across the mirror.
pub(crate) const ACROSS: DVec3 = DVec3::new(-1.0, 1.0, 1.0);

/// A rotation seen in the mirror, as one between the images of the two spaces: S q S.
fn flipped(rotation: DQuat) -> DQuat {
    DQuat::from_xyzw(rotation.x, -rotation.y, -rotation.z, rotation.w)
}

/// The turn that a reflection across `normal` and then one across X make together.
fn from_reflections(normal: DVec3) -> DQuat {
    let cross = normal.cross(DVec3::X);
    DQuat::from_xyzw(cross.x, cross.y, cross.z, normal.dot(DVec3::X)).normalize()
}

/// Partners may be off by this share of their bone's length and of the skeleton's size at rest: shoulders and hips are measured
/// by hand, ...
const REST_TOLERANCE: [f64; 2] = [0.25, 0.02];

/// ... and by this in the mean pose, which is symmetric only as far as the motion is.
const MEAN_TOLERANCE: [f64; 2] = [0.4, 0.04];

/// The partners of all joints and the way from right to left at rest; the caller's pairs go first.
fn paired(
    skeleton: &Skeleton,
    drawn: &[DVec3],
    pairs: &[(String, String)],
) -> Result<(Vec<usize>, DVec3), MirrorError> {
    let mut partners = paired_by_name(skeleton);
    let mut is_given = vec![false; partners.len()];
    for (left, right) in pairs {
        let find = |name: &String| {
            let joint = skeleton.find(name);
            joint.ok_or_else(|| MirrorError::NoSuchJoint { name: name.clone() })
        };
        let (left, right) = (find(left)?, find(right)?);
        for (joint, partner) in [(left, right), (right, left)] {
            if is_given[joint] && partners[joint] != partner {
                return Err(MirrorError::Twice {
                    name: skeleton.joint(joint).name.clone(),
                });
            }
            // Whoever was its partner by name stands alone now.
            let before = partners[joint];
            if partners[before] == joint && !is_given[before] {
                partners[before] = before;
            }
            partners[joint] = partner;
            is_given[joint] = true;
        }
    }
    let has_pairs = |partners: &[usize]| partners.iter().enumerate().any(|(joint, &partner)| joint != partner);
    if has_pairs(&partners) {
        let normal = normal_between(skeleton, drawn, &partners);
        return Ok((partners, normal));
    }
    let partners = paired_by_place(skeleton, drawn, DVec3::X);
    if has_pairs(&partners) {
        Ok((partners, DVec3::X))
    } else {
        Err(MirrorError::NoPairs)
    }
}

/// Whether the parents of partners are partners.
fn check_parents(skeleton: &Skeleton, partners: &[usize]) -> Result<(), MirrorError> {
    for (joint, &partner) in partners.iter().enumerate() {
        let [own, other] = [joint, partner].map(|joint| skeleton.parent(joint));
        if own.map(|parent| partners[parent]) != other {
            return Err(MirrorError::Parents {
                left: skeleton.joint(joint).name.clone(),
                right: skeleton.joint(partner).name.clone(),
            });
        }
    }
    Ok(())
}

/// Mean rotation of every joint over the take, seen from the body's facing.
fn mean_axes(take: &Take, yaw: impl Fn(usize) -> f64) -> Vec<DQuat> {
    let stride = take.num_frames().div_ceil(512);
    let mut sums = vec![DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0); take.num_joints()];
    for frame in (0..take.num_frames()).step_by(stride) {
        let turns = take.pose(frame).world(take.skeleton()).rotations;
        let facing = rotation::from_yaw(yaw(frame)).conjugate();
        for (sum, turn) in sums.iter_mut().zip(turns) {
            // Signs mean nothing; opposite ones must not cancel.
            *sum = *sum + rotation::on_side_of(facing * turn, *sum);
        }
    }
    let unit = |sum: DQuat| {
        if sum.length() > 1e-9 {
            sum.normalize()
        } else {
            DQuat::IDENTITY
        }
    };
    sums.into_iter().map(unit).collect()
}

/// Median place of every joint in its parent's axes over the take, and how far it strays from there, metres.
fn places(take: &Take) -> (Vec<DVec3>, Vec<f64>) {
    // A few dozen frames tell it; long takes need no more.
    let stride = take.num_frames().div_ceil(64);
    let frames = || (0..take.num_frames()).step_by(stride);
    (0..take.num_joints())
        .map(|joint| {
            let mut places: Vec<[f64; 3]> = frames()
                .map(|frame| take.translations(frame)[joint].to_array())
                .collect();
            let middle = places.len() / 2;
            let mut median = [0.0; 3];
            for (axis, value) in median.iter_mut().enumerate() {
                places.sort_by(|a, b| a[axis].total_cmp(&b[axis]));
                *value = places[middle][axis];
            }
            let median = DVec3::from_array(median);
            let strayed = frames().map(|frame| (take.translations(frame)[joint] - median).length());
            (median, strayed.fold(0.0, f64::max))
        })
        .unzip()
}

/// Where the joints are when nothing is turned, seen from the topmost one.
fn world_places(skeleton: &Skeleton, rest: &[DVec3]) -> Vec<DVec3> {
    let mut places: Vec<DVec3> = Vec::with_capacity(rest.len());
    for joint in 0..skeleton.num_joints() {
        let place = skeleton
            .parent(joint)
            .map_or(DVec3::ZERO, |parent| places[parent] + rest[joint]);
        places.push(place);
    }
    places
}

/// The partner of every joint by its name or by those of the joints below, itself where there is none.
fn paired_by_name(skeleton: &Skeleton) -> Vec<usize> {
    let mut partners: Vec<usize> = (0..skeleton.num_joints())
        .map(|joint| {
            let name = skeleton.joint(joint).name.as_str();
            let swapped = SIDES.iter().flat_map(|&(left, right)| [(left, right), (right, left)]);
            swapped
                .flat_map(|(from, to)| {
                    name.match_indices(from)
                        .map(move |(at, _)| format!("{}{to}{}", &name[..at], &name[at + from.len()..]))
                })
                .find_map(|other| skeleton.find(&other).filter(|&other| other != joint))
                .unwrap_or(joint)
        })
        .collect();
    for joint in 0..partners.len() {
        // Who is not the partner of its own partner has none.
        if partners[partners[joint]] != joint {
            partners[joint] = joint;
        }
    }
    // Parents stand before their children, so a way up from below needs the order turned round.
    for joint in (0..partners.len()).rev() {
        let [own, other] = [joint, partners[joint]].map(|joint| skeleton.parent(joint));
        if let (Some(own), Some(other)) = (own, other)
            && own != other
            && partners[own] == own
            && partners[other] == other
        {
            partners[own] = other;
            partners[other] = own;
        }
    }
    partners
}

/// Normal of the mirror that best takes joints at rest to their partners.
///
/// |S a - b|^2 with S = 1 - 2 n n' is least where n'(a b' + b a')n, summed over the pairs, is: the eigenvector of the least
/// eigenvalue.
fn normal_between(skeleton: &Skeleton, rest: &[DVec3], partners: &[usize]) -> DVec3 {
    let places = world_places(skeleton, rest);
    let mut rows = [DVec3::ZERO; 3];
    for (joint, &partner) in partners.iter().enumerate() {
        if joint < partner {
            let (a, b) = (places[joint], places[partner]);
            rows[0] += b * a.x + a * b.x;
            rows[1] += b * a.y + a * b.y;
            rows[2] += b * a.z + a * b.z;
        }
    }
    // Seen from above its largest eigenvalue, the matrix has that direction as its strongest: multiply until it stays.
    let above: f64 = rows.iter().map(|row| row.length()).sum();
    let next = |n: DVec3| {
        let applied = DVec3::new(rows[0].dot(n), rows[1].dot(n), rows[2].dot(n));
        (above * n - applied).normalize_or(DVec3::X)
    };
    let mut normal = DVec3::new(1.0, 0.01, 0.02).normalize();
    for _ in 0..MULTIPLICATIONS {
        normal = next(normal);
    }
    // Skeletons are drawn along an axis; what a hand-measured one is off would tilt the mirror.
    let axis = [DVec3::X, DVec3::Y, DVec3::Z]
        .into_iter()
        .find(|axis| normal.dot(*axis).abs() > ALONG_AXIS);
    axis.unwrap_or(normal)
}

/// Multiplications after which the normal of any skeleton has settled to rounding.
const MULTIPLICATIONS: usize = 400;

/// Cosine to an axis (8 degrees) from which the mirror is meant to stand across it.
const ALONG_AXIS: f64 = 0.99;

/// Partners by where joints are at rest: of each other's places in the mirror nobody is nearer.
fn paired_by_place(skeleton: &Skeleton, rest: &[DVec3], normal: DVec3) -> Vec<usize> {
    let places = world_places(skeleton, rest);
    let size = places.iter().map(|place| place.length()).fold(0.0, f64::max);
    let nearest = |joint: usize| {
        let image = places[joint] - 2.0 * places[joint].dot(normal) * normal;
        // Of joints in one place the one with as many joints below is meant; the order of the skeleton settles the rest.
        (0..places.len())
            .filter(|&other| (places[other] - image).length() < SIZE_TOLERANCE * size)
            .filter(|&other| skeleton.children(other).len() == skeleton.children(joint).len())
            .min_by(|&a, &b| {
                let off = |other: usize| (places[other] - image).length();
                off(a).total_cmp(&off(b))
            })
            .unwrap_or(joint)
    };
    let nearest: Vec<usize> = (0..places.len()).map(nearest).collect();
    (0..places.len())
        .map(|joint| {
            if nearest[nearest[joint]] == joint {
                nearest[joint]
            } else {
                joint
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        math::{ops, rotation},
        take::Joint,
    };

    /// Hips, two legs of two joints and a head, drawn with `left` as the way to its left side.
    fn take(names: [&str; 6], left: DVec3) -> Take {
        let parents = [None, Some(0), Some(1), Some(0), Some(3), Some(0)];
        let offsets = [
            DVec3::ZERO,
            left * 0.1,
            DVec3::new(0.0, -0.5, 0.0),
            left * -0.1,
            // One leg is a little longer.
            DVec3::new(0.0, -0.52, 0.0),
            DVec3::Y * 0.6,
        ];
        let joints = (0..6)
            .map(|joint| Joint {
                name: names[joint].to_owned(),
                parent: parents[joint],
                rest_offset: offsets[joint],
                tip: None,
            })
            .collect();
        let (mut translations, mut rotations) = (Vec::new(), Vec::new());
        for frame in 0..20 {
            let t = 0.3 * f64::from(frame);
            for joint in 0..6 {
                let phase = t + joint as f64;
                translations.push(if joint == 0 {
                    DVec3::new(0.3 * ops::sin(t), 1.0, 0.2 * t)
                } else {
                    offsets[joint]
                });
                rotations.push(rotation::exp(DVec3::new(
                    0.4 * ops::sin(phase),
                    0.3 * ops::cos(phase),
                    0.2 * ops::sin(2.0 * phase),
                )));
            }
        }
        Take::new("t", Skeleton::new(joints).unwrap(), 1.0 / 30.0, translations, rotations).unwrap()
    }

    const NAMES: [&str; 6] = ["Hips", "LHipJoint", "LeftFoot", "RHipJoint", "RightFoot", "Head"];

    #[test]
    fn every_joint_of_the_image_is_where_the_mirror_has_it() {
        for left in [DVec3::X, -DVec3::X, DVec3::Z, DVec3::new(0.6, 0.0, 0.8)] {
            let take = take(NAMES, left);
            let mirror = Mirror::of(&take, &[], |_| 0.0).unwrap();
            assert_eq!(
                (0..6).map(|joint| mirror.partner(joint)).collect::<Vec<_>>(),
                [0, 3, 4, 1, 2, 5]
            );
            let image = mirror.take(&take);
            let (before, after) = (take.world_tracks(), image.world_tracks());
            for frame in 0..20 {
                for joint in 0..6 {
                    let seen = before.position(frame, joint) * DVec3::new(-1.0, 1.0, 1.0);
                    let off = (after.position(frame, mirror.partner(joint)) - seen).length();
                    // The feet are off by what the legs differ.
                    let limit = if joint == 2 || joint == 4 { 0.02 } else { 0.0 };
                    // Drawn along no axis, the mirror stands where the unequal legs have it.
                    let tilted = if left.x * left.z == 0.0 { 1e-12 } else { 6e-3 };
                    assert!(off < limit + tilted, "{left} {joint}: {off}");
                }
            }
            let back = mirror.take(&image);
            for frame in 0..20 {
                for joint in 0..6 {
                    assert!((back.translations(frame)[joint] - take.translations(frame)[joint]).length() < 1e-13);
                    let off = rotation::difference(back.rotations(frame)[joint], take.rotations(frame)[joint]);
                    assert!(off.length() < 1e-13);
                }
            }
        }
    }

    #[test]
    fn a_skeleton_drawn_in_a_line_has_its_mean_pose_for_a_mirror() {
        // All bones along X, and every joint turned so that the body stands as the one above.
        let standing = take(NAMES, DVec3::X);
        let mirror = Mirror::of(&standing, &[], |_| 0.0).unwrap();
        // A motion whose mean is symmetric: the take, and its image after it.
        let image = mirror.take(&standing);
        let axes = [
            DVec3::new(0.3, 0.1, -0.4),
            DVec3::new(1.0, 0.7, 0.2),
            DVec3::new(-0.5, 1.2, 0.9),
            DVec3::new(0.2, -0.8, 1.4),
            DVec3::new(1.1, 0.3, -0.6),
            DVec3::new(-0.9, 0.4, 0.1),
        ]
        .map(rotation::exp);
        let parent = |joint: usize| standing.skeleton().parent(joint);
        let (mut translations, mut rotations) = (Vec::new(), Vec::new());
        for (take, frame) in [&standing, &image]
            .into_iter()
            .flat_map(|take| (0..20).map(move |frame| (take, frame)))
        {
            for joint in 0..6 {
                let above = parent(joint).map_or(DQuat::IDENTITY, |parent| axes[parent]);
                translations.push(above.conjugate() * take.translations(frame)[joint]);
                rotations.push(above.conjugate() * take.rotations(frame)[joint] * axes[joint]);
            }
        }
        let joints = (0..6)
            .map(|joint| Joint {
                rest_offset: translations[joint],
                ..standing.skeleton().joint(joint).clone()
            })
            .collect();
        let drawn = Take::new("t", Skeleton::new(joints).unwrap(), 1.0 / 30.0, translations, rotations).unwrap();
        let mirror = Mirror::of(&drawn, &[], |_| 0.0).unwrap();
        assert_eq!(mirror.symmetric_pose(), SymmetricPose::Mean);
        let (before, after) = (drawn.world_tracks(), mirror.take(&drawn).world_tracks());
        for frame in 0..40 {
            for joint in 0..6 {
                let seen = before.position(frame, joint) * ACROSS;
                let off = (after.position(frame, mirror.partner(joint)) - seen).length();
                let limit = if joint == 2 || joint == 4 { 0.02 + 1e-9 } else { 1e-9 };
                assert!(off < limit, "{joint}: {off}");
            }
        }
    }

    #[test]
    fn places_tell_where_names_do_not_and_given_pairs_go_first() {
        let nameless = take(["a", "b", "c", "d", "e", "f"], DVec3::X);
        let mirror = Mirror::of(&nameless, &[], |_| 0.0).unwrap();
        assert_eq!((mirror.partner(1), mirror.partner(4), mirror.partner(5)), (3, 2, 5));
        let pair = |left: &str, right: &str| (left.to_owned(), right.to_owned());
        let given = Mirror::of(&nameless, &[pair("b", "d"), pair("c", "e")], |_| 0.0).unwrap();
        assert_eq!(given, mirror);
        let error = |pairs: &[(String, String)]| Mirror::of(&nameless, pairs, |_| 0.0).unwrap_err();
        assert!(matches!(error(&[pair("b", "x")]), MirrorError::NoSuchJoint { .. }));
        assert!(matches!(
            error(&[pair("b", "d"), pair("b", "e")]),
            MirrorError::Twice { .. }
        ));
        assert!(matches!(error(&[pair("c", "e")]), MirrorError::Parents { .. }));
        let odd = nameless.map_poses(|pose| {
            let mut pose = pose.to_pose();
            pose.translations[3] = DVec3::new(-0.1, 0.4, 0.0);
            pose
        });
        let places = Mirror::of(&odd, &[pair("b", "d"), pair("c", "e")], |_| 0.0).unwrap_err();
        assert!(matches!(places, MirrorError::Places { .. }), "{places}");
        let one_sided = take(["a", "b", "c", "d", "e", "f"], DVec3::ZERO);
        assert_eq!(Mirror::of(&one_sided, &[], |_| 0.0), Err(MirrorError::NoPairs));
    }
}
