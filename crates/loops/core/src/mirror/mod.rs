//! Exchanges left and right: finds the partner of every joint, and reflects poses.
//!
//! The mirror is upright and along the direction of motion; the left hand takes over the motion of the right one. The axes of
//! partners need not be mirror images, so every joint has a rotation between the two. It is constant because bones are rigid: it
//! makes a symmetric pose its own image. That pose is the skeleton at rest if that is symmetric; if all bones rest in a line, it
//! is the mean pose of the take. Bones keep their own lengths, because real bodies are not exactly symmetric. Derivation:
//! docs/math/mirror.md.

use glam::{DQuat, DVec3};

mod axes;
mod pairing;
mod partners;

use crate::{analysis::Analysis, take::Take};

pub use pairing::Pairing;

impl Analysis {
    /// Returns the mirror that exchanges left and right: the partners of the joints, by name and, if no name gives a side, by
    /// position.
    ///
    /// `pairs` are partners that the caller names, which take precedence; a joint paired with itself lies in the mirror plane.
    pub fn mirror(&self, pairs: &[(String, String)]) -> Result<Mirror, MirrorError> {
        Mirror::new(&self.take, pairs, |frame| self.heading.yaw(frame))
    }
}

/// Changes the sign of the component across the mirror.
pub(crate) const ACROSS: DVec3 = DVec3::new(-1.0, 1.0, 1.0);

/// The mirror partner of every joint, and the rotation between the axes of the two.
///
/// The mirror plane is across X, in the space of the topmost joint's parent.
#[handed_over]
pub struct Mirror {
    partners: Vec<usize>,
    /// Per joint, the rotation from the axes of its partner to the image of its own axes.
    own_axes: Vec<DQuat>,
    /// `own_axes` of its parent; the identity for the topmost joint.
    parent_axes: Vec<DQuat>,
    /// Position of each joint in its parent's axes, metres: its median. `None` for joints whose position varies.
    rest: Vec<Option<DVec3>>,
    symmetric: SymmetricPose,
}

/// The pose that is its own mirror image.
#[handed_over(Copy, Eq)]
pub enum SymmetricPose {
    /// The skeleton at rest, without rotations.
    Rest,
    /// The mean pose of the take, relative to its facing.
    Mean,
}

/// Why a skeleton has no mirror image.
#[error_kinds]
pub enum MirrorError {
    #[error("no joint of the skeleton has a partner on the other side, by name or by position")]
    NoPairs,
    #[error("the skeleton has no joint named \"{name}\"")]
    NoSuchJoint { name: String, similar: Vec<String> },
    #[error("\"{name}\" is named in two pairs")]
    Twice { name: String },
    /// The parents of two partners are not partners.
    #[error("\"{left}\" and \"{right}\" cannot be images of each other: their parents are not")]
    Parents { left: String, right: String },
    #[error(
        "\"{left}\" and \"{right}\" cannot be images of each other: at rest they are {off_metres:.3} m off the mirror image"
    )]
    Positions {
        left: String,
        right: String,
        off_metres: f64,
    },
}

impl Mirror {
    /// Returns the partner of a joint; the joint itself if it lies in the mirror plane.
    pub fn partner(&self, joint: usize) -> usize {
        self.partners[joint]
    }

    /// Returns the pose that is assumed to be symmetric.
    pub fn symmetric_pose(&self) -> SymmetricPose {
        self.symmetric
    }

    /// Returns the image of a vector in the axes of a joint's parent, as a vector in the axes of its partner's parent.
    pub(crate) fn reflect(&self, joint: usize, vector: DVec3) -> DVec3 {
        self.parent_axes[joint].conjugate() * (vector * ACROSS)
    }

    /// Returns the image of a joint's local rotation, for its partner.
    pub(crate) fn reflect_rotation(&self, joint: usize, rotation: DQuat) -> DQuat {
        (self.parent_axes[joint].conjugate() * flipped(rotation) * self.own_axes[joint]).normalize()
    }

    /// Returns the image of a joint's position in its parent's axes, for its partner: bones keep their own lengths, and the
    /// offset from rest is reflected.
    pub(crate) fn reflect_position(&self, joint: usize, position: DVec3) -> DVec3 {
        match (self.rest[joint], self.rest[self.partners[joint]]) {
            (Some(own), Some(other)) => other + self.reflect(joint, position - own),
            _ => self.reflect(joint, position),
        }
    }

    /// Returns the image of a world-space rotation of a joint, for its partner.
    pub(crate) fn reflect_in_space(&self, joint: usize, rotation: DQuat) -> DQuat {
        (flipped(rotation) * self.own_axes[joint]).normalize()
    }

    /// Returns the image of a whole take, in a mirror across the world's X: +X becomes -X.
    pub fn take(&self, take: &Take) -> Take {
        // Reflection keeps rotations at length one and their signs continuous along a joint's track.
        take.map_poses(|pose| {
            let mut mirrored = pose.to_pose();
            for joint in 0..pose.num_joints() {
                let image = self.partners[joint];
                mirrored.translations[image] = self.reflect_position(joint, pose.translations[joint]);
                mirrored.rotations[image] = self.reflect_rotation(joint, pose.rotations[joint]);
            }
            mirrored
        })
    }
}

/// Returns the image of a rotation, between the images of the two spaces: S q S.
fn flipped(rotation: DQuat) -> DQuat {
    DQuat::from_xyzw(rotation.x, -rotation.y, -rotation.z, rotation.w)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{ops, rotation};
    use crate::motion::{Joint, Skeleton};
    use crate::tests::{skeleton, take_of};

    /// Hips, two legs of two joints and a head; `left` is the direction to the left side.
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
        let rows: [_; 6] = core::array::from_fn(|joint| (names[joint], parents[joint], offsets[joint]));
        take_of(skeleton(&rows), 1.0 / 30.0, 20, |frame, joint| {
            let t = 0.3 * frame as f64;
            let phase = t + joint as f64;
            let at = if joint == 0 {
                DVec3::new(0.3 * ops::sin(t), 1.0, 0.2 * t)
            } else {
                offsets[joint]
            };
            let turn = DVec3::new(
                0.4 * ops::sin(phase),
                0.3 * ops::cos(phase),
                0.2 * ops::sin(2.0 * phase),
            );
            (at, rotation::exp(turn))
        })
    }

    const NAMES: [&str; 6] = ["Hips", "LHipJoint", "LeftFoot", "RHipJoint", "RightFoot", "Head"];

    #[test]
    fn every_joint_of_the_image_is_at_its_mirrored_position() {
        for left in [DVec3::X, -DVec3::X, DVec3::Z, DVec3::new(0.6, 0.0, 0.8)] {
            let take = take(NAMES, left);
            let mirror = Mirror::new(&take, &[], |_| 0.0).unwrap();
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
                    // The feet are off by the difference between the legs.
                    let limit = if joint == 2 || joint == 4 { 0.02 } else { 0.0 };
                    // For a skeleton that is not drawn along an axis, the unequal legs tilt the mirror.
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
    fn a_skeleton_drawn_in_a_line_uses_its_mean_pose() {
        // All bones along X, with every joint rotated so that the body stands like the one above.
        let standing = take(NAMES, DVec3::X);
        let mirror = Mirror::new(&standing, &[], |_| 0.0).unwrap();
        // A motion whose mean is symmetric: the take, followed by its image.
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
        let mirror = Mirror::new(&drawn, &[], |_| 0.0).unwrap();
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
    fn positions_replace_missing_names_and_given_pairs_go_first() {
        let nameless = take(["a", "b", "c", "d", "e", "f"], DVec3::X);
        let mirror = Mirror::new(&nameless, &[], |_| 0.0).unwrap();
        assert_eq!((mirror.partner(1), mirror.partner(4), mirror.partner(5)), (3, 2, 5));
        let pair = |left: &str, right: &str| (left.to_owned(), right.to_owned());
        let given = Mirror::new(&nameless, &[pair("b", "d"), pair("c", "e")], |_| 0.0).unwrap();
        assert_eq!(given, mirror);
        let error = |pairs: &[(String, String)]| Mirror::new(&nameless, pairs, |_| 0.0).unwrap_err();
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
        let error_of_pairs = Mirror::new(&odd, &[pair("b", "d"), pair("c", "e")], |_| 0.0).unwrap_err();
        let is_it = matches!(error_of_pairs, MirrorError::Positions { .. });
        assert!(is_it, "{error_of_pairs}");
        let one_sided = take(["a", "b", "c", "d", "e", "f"], DVec3::ZERO);
        assert_eq!(Mirror::new(&one_sided, &[], |_| 0.0), Err(MirrorError::NoPairs));
    }
}
