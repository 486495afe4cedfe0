//! The mirror image of half a cycle, relative to its root: the gaps between half and image, and the unfolding of the whole cycle.
//!
//! In the root's frame the mirror is across X, along the direction of motion. Joints below the one that carries the root motion
//! are reflected in their parents' axes, the carrier in the root's frame. Joints above it stay where they are and are not
//! reflected. Source: docs/math/mirror.md.

use glam::{DQuat, DVec3};

use super::{
    closed::Closed,
    ends::{EndState, JointEnds},
    targets::Targets,
};
use crate::{
    loop_clip::LoopClip,
    math::{rigid::Rigid, rotation},
    mirror::{ACROSS, Mirror},
    motion::{Pose, PoseRef, Tracks},
    take::Clip,
};

/// The mirror image of the poses of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Image<'a> {
    mirror: &'a Mirror,
    carrier: usize,
    /// Joints above the carrier.
    is_above: Vec<bool>,
    /// Transform of the carrier's parent in the root's frame.
    above: Rigid,
}

/// Why a clip has no mirror image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The joint that carries the root motion is the image of another.
    #[error("the joint that carries the root motion lies on one side of the body")]
    SidedCarrier,
    /// A joint above the one that carries the root motion moves.
    #[error("a joint above the one that carries the root motion moves by itself")]
    MovingAbove,
}

/// Joints above the carrier may move by this much over a clip, metres and radians: the rounding of files.
const STILL: f64 = 1e-5;

impl<'a> Image<'a> {
    /// The image of a clip whose `carrier` is relative to its root, as root motion leaves it.
    ///
    /// Errors: [`ImageError`].
    pub fn of(clip: &Clip, mirror: &'a Mirror, carrier: usize) -> Result<Self, ImageError> {
        if mirror.partner(carrier) != carrier {
            return Err(ImageError::SidedCarrier);
        }
        let path = clip.skeleton().path_from_root(carrier);
        let mut is_above = vec![false; clip.skeleton().num_joints()];
        let mut above = Rigid::IDENTITY;
        let (positions, rotations) = (clip.translations(0), clip.rotations(0));
        for &joint in &path[..path.len() - 1] {
            is_above[joint] = true;
            above = above * Rigid::new(rotations[joint], positions[joint]);
            let moves = clip.sample_range().any(|sample| {
                let step = (clip.translations(sample)[joint] - positions[joint]).length();
                let turn = rotation::difference(clip.rotations(sample)[joint], rotations[joint]).length();
                step > STILL || turn > STILL
            });
            if moves {
                return Err(ImageError::MovingAbove);
            }
        }
        Ok(Self {
            mirror,
            carrier,
            is_above,
            above,
        })
    }

    /// The joint of which a joint is the image.
    pub fn partner(&self, joint: usize) -> usize {
        if self.is_above[joint] {
            joint
        } else {
            self.mirror.partner(joint)
        }
    }

    /// The image of a joint's local transform, for its partner.
    fn transform(&self, joint: usize, position: DVec3, rotation: DQuat) -> (DVec3, DQuat) {
        if self.is_above[joint] {
            (position, rotation)
        } else if joint == self.carrier {
            let seen = self.above * Rigid::new(rotation, position);
            let image = Rigid::new(
                self.mirror.reflect_in_space(joint, seen.rotation),
                seen.translation * ACROSS,
            );
            let local = self.above.inverse() * image;
            (local.translation, local.rotation)
        } else {
            (
                self.mirror.reflect_position(joint, position),
                self.mirror.reflect_rotation(joint, rotation),
            )
        }
    }

    /// The image of a velocity, or of an offset, of a joint's position.
    fn vector(&self, joint: usize, vector: DVec3) -> DVec3 {
        if self.is_above[joint] {
            vector
        } else if joint == self.carrier {
            self.above.rotation.conjugate() * (self.above.rotation * vector * ACROSS)
        } else {
            self.mirror.reflect(joint, vector)
        }
    }

    /// The image of a rotation vector, or of an angular velocity, in the axes of a joint's parent.
    fn rotation_vector(&self, joint: usize, vector: DVec3) -> DVec3 {
        if self.is_above[joint] {
            vector
        } else {
            // A rotation is a vector whose sense the mirror reverses.
            -self.vector(joint, vector)
        }
    }

    /// Ends of a joint whose image follows: its own start, and the image of its partner's end.
    pub(super) fn meets(&self, joint: usize, own: &JointEnds, partners: &JointEnds) -> JointEnds {
        let partner = self.partner(joint);
        let (end, end_rotation) = (partners.translation[1], partners.rotation[1]);
        let (position, rotation) = self.transform(partner, end.value, end_rotation.value);
        JointEnds {
            translation: [
                own.translation[0],
                EndState {
                    value: position,
                    velocity: self.vector(partner, end.velocity),
                    acceleration: self.vector(partner, end.acceleration),
                },
            ],
            rotation: [
                own.rotation[0],
                EndState {
                    value: rotation,
                    velocity: self.rotation_vector(partner, end_rotation.velocity),
                    acceleration: self.rotation_vector(partner, end_rotation.acceleration),
                },
            ],
        }
    }

    /// Offsets wanted for a joint: its own at its start, and at its end the image of those that its partner needs there.
    pub(super) fn wanted(&self, joint: usize, own: &[Targets; 2], partners: &[Targets; 2]) -> [Targets; 2] {
        let partner = self.partner(joint);
        let join = |own: &Targets, other: &Targets, image: &dyn Fn(DVec3) -> DVec3| Targets {
            value: [own.value[0], image(other.value[1])],
            rate: [own.rate[0], image(other.rate[1])],
            acceleration: [own.acceleration[0], image(other.acceleration[1])],
        };
        [
            join(&own[0], &partners[0], &|vector| self.vector(partner, vector)),
            join(&own[1], &partners[1], &|vector| self.rotation_vector(partner, vector)),
        ]
    }

    /// The image of a whole pose: local transforms of all joints.
    pub fn pose(&self, pose: PoseRef<'_>) -> Pose {
        let mut image = pose.to_pose();
        for joint in 0..pose.num_joints() {
            let (position, rotation) = self.transform(joint, pose.translations[joint], pose.rotations[joint]);
            image.set_joint(self.partner(joint), Rigid::new(rotation, position));
        }
        image
    }

    /// The loop whose second half is the image of the first, where it is but for `rounding` (metres and radians): the mean of each
    /// half and the image of the other. Otherwise the loop itself: sides with bones of unlike lengths are no images of each other.
    pub(crate) fn without_rounding(&self, clip: LoopClip, rounding: f64) -> LoopClip {
        let half = clip.num_samples() / 2;
        let poses: Vec<Pose> = (0..clip.num_samples())
            .map(|key| clip.body_pose(key).to_pose())
            .collect();
        let images: Vec<Pose> = (0..poses.len())
            .map(|key| self.pose(poses[(key + half) % poses.len()].as_ref()))
            .collect();
        let mut even = Tracks::empty(clip.skeleton().clone(), clip.step_secs(), poses.len());
        for (mut pose, image) in poses.into_iter().zip(images) {
            for (place, other) in pose.translations.iter_mut().zip(image.translations) {
                let gap = other - *place;
                if gap.length() > rounding {
                    return clip;
                }
                *place += 0.5 * gap;
            }
            for (turn, other) in pose.rotations.iter_mut().zip(image.rotations) {
                let gap = rotation::difference(other, *turn);
                if gap.length() > rounding {
                    return clip;
                }
                *turn = (rotation::exp(0.5 * gap) * *turn).normalize();
            }
            even.push(pose.as_ref());
        }
        clip.with_tracks(even)
    }

    /// The clip with its lasting differences between left and right evened out, and the shift of each joint: translation, metres,
    /// and rotation vector in the parent's axes.
    ///
    /// With d the gap of a joint, d' that of its partner and M d' its image, (d - M d') / 2 is the lasting difference between the
    /// two sides; each side is shifted by half of it. The rest, (d + M d') / 2, is their own drift.
    pub(super) fn evened(&self, clip: &Clip) -> (Clip, Vec<[DVec3; 2]>) {
        let last = clip.num_intervals() as isize;
        let gaps: Vec<[DVec3; 2]> = (0..self.is_above.len())
            .map(|joint| {
                let partner = self.partner(joint);
                let (position, rotation) =
                    self.transform(partner, clip.translations(last)[partner], clip.rotations(last)[partner]);
                [
                    position - clip.translations(0)[joint],
                    rotation::difference(rotation, clip.rotations(0)[joint]),
                ]
            })
            .collect();
        let shifts: Vec<[DVec3; 2]> = (0..gaps.len())
            .map(|joint| {
                let partner = self.partner(joint);
                [
                    0.25 * (gaps[joint][0] - self.vector(partner, gaps[partner][0])),
                    0.25 * (gaps[joint][1] - self.rotation_vector(partner, gaps[partner][1])),
                ]
            })
            .collect();
        let rotations: Vec<DQuat> = shifts.iter().map(|shift| rotation::exp(shift[1])).collect();
        let even =
            clip.map_transforms(|joint, position, rotation| (position + shifts[joint][0], rotations[joint] * rotation));
        (even, shifts)
    }

    /// A closed half followed by its image; offsets are relative to the clip before it was evened.
    pub(super) fn unfold_closed(&self, clip: &Clip, mut half: Closed, shifts: &[[DVec3; 2]]) -> Closed {
        let joints = self.is_above.len();
        let count = clip.num_intervals();
        for (index, (translation_offset, rotation_offset)) in
            (half.translation_offsets.iter_mut().zip(&mut half.rotation_offsets)).enumerate()
        {
            let shift = shifts[index % joints];
            *translation_offset += shift[0];
            *rotation_offset = rotation::log(rotation::exp(*rotation_offset) * rotation::exp(shift[1]));
        }
        let mut whole = half.clone();
        whole.translation_offsets.truncate(count * joints);
        whole.rotation_offsets.truncate(count * joints);
        for sample in 0..=count {
            let at = |joint: usize| sample * joints + joint;
            if sample < count {
                whole.tracks.push(self.pose(half.tracks.pose(sample)).as_ref());
            }
            for joint in 0..joints {
                let partner = self.partner(joint);
                let (translation_offset, rotation_offset) = (
                    half.translation_offsets[at(partner)],
                    half.rotation_offsets[at(partner)],
                );
                whole.translation_offsets.push(self.vector(partner, translation_offset));
                whole
                    .rotation_offsets
                    .push(self.rotation_vector(partner, rotation_offset));
            }
        }
        whole
    }
}
