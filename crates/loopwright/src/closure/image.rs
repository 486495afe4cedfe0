//! The mirror image of half a cycle, seen from its root: what meets what, and the whole cycle unfolded.
//!
//! In the root's frame the mirror stands across X, along the way ahead. Joints below the one that carries the travel are
//! reflected in their parents' axes; the carrier in the root's frame; joints above it, which stay where they are, not at all.
//! Source: docs/math/mirror.md.

use glam::{DQuat, DVec3};

use super::{
    closed::Closed,
    ends::{EndState, JointEnds},
    targets::Targets,
};
use crate::{
    math::{rigid::Rigid, rotation},
    mirror::{ACROSS, Mirror},
    motion::{Pose, PoseRef},
    take::Clip,
};

/// How the poses of a clip look in the mirror.
#[derive(Clone, Debug, PartialEq)]
pub struct Image<'a> {
    mirror: &'a Mirror,
    carrier: usize,
    /// Joints above the carrier.
    is_above: Vec<bool>,
    /// Where the carrier's parent stands in the root's frame.
    above: Rigid,
}

/// Why a clip has no image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The joint that carries the travel is the image of another.
    #[error("the joint that carries the travel lies on one side of the body")]
    SidedCarrier,
    /// A joint above the one that carries the travel moves.
    #[error("a joint above the one that carries the travel moves by itself")]
    MovingAbove,
}

/// Joints above the carrier may move by this much over a clip, metres and radians: what rounding of files leaves.
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
        let (places, turns) = (clip.translations(0), clip.rotations(0));
        for &joint in &path[..path.len() - 1] {
            is_above[joint] = true;
            above = above * Rigid::new(turns[joint], places[joint]);
            let moves = clip.sample_range().any(|sample| {
                let step = (clip.translations(sample)[joint] - places[joint]).length();
                let turn = rotation::difference(clip.rotations(sample)[joint], turns[joint]).length();
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

    /// The joint whose image a joint is.
    pub fn partner(&self, joint: usize) -> usize {
        if self.is_above[joint] {
            joint
        } else {
            self.mirror.partner(joint)
        }
    }

    /// The image of a joint's local transform, for its partner.
    fn transform(&self, joint: usize, place: DVec3, turn: DQuat) -> (DVec3, DQuat) {
        if self.is_above[joint] {
            (place, turn)
        } else if joint == self.carrier {
            let seen = self.above * Rigid::new(turn, place);
            let image = Rigid::new(
                self.mirror.reflect_in_space(joint, seen.rotation),
                seen.translation * ACROSS,
            );
            let local = self.above.inverse() * image;
            (local.translation, local.rotation)
        } else {
            (
                self.mirror.reflect_position(joint, place),
                self.mirror.reflect_rotation(joint, turn),
            )
        }
    }

    /// The image of a velocity, or of an offset, of a joint's place.
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
    fn turn(&self, joint: usize, turn: DVec3) -> DVec3 {
        if self.is_above[joint] {
            turn
        } else {
            // A turn is a vector whose sense the mirror turns round.
            -self.vector(joint, turn)
        }
    }

    /// A joint's own start, and the image of its partner's end.
    pub(super) fn meets(&self, joint: usize, own: &JointEnds, partners: &JointEnds) -> JointEnds {
        let partner = self.partner(joint);
        let (point, turn) = (partners.translation[1], partners.rotation[1]);
        let (position, rotation) = self.transform(partner, point.value, turn.value);
        JointEnds {
            translation: [
                own.translation[0],
                EndState {
                    value: position,
                    velocity: self.vector(partner, point.velocity),
                    acceleration: self.vector(partner, point.acceleration),
                },
            ],
            rotation: [
                own.rotation[0],
                EndState {
                    value: rotation,
                    velocity: self.turn(partner, turn.velocity),
                    acceleration: self.turn(partner, turn.acceleration),
                },
            ],
        }
    }

    /// Offsets wanted of a joint: at its start its own, at its end the image of what its partner wants of what meets it.
    pub(super) fn wanted(&self, joint: usize, own: &[Targets; 2], partners: &[Targets; 2]) -> [Targets; 2] {
        let partner = self.partner(joint);
        let join = |own: &Targets, other: &Targets, image: &dyn Fn(DVec3) -> DVec3| Targets {
            value: [own.value[0], image(other.value[1])],
            rate: [own.rate[0], image(other.rate[1])],
            acceleration: [own.acceleration[0], image(other.acceleration[1])],
        };
        [
            join(&own[0], &partners[0], &|vector| self.vector(partner, vector)),
            join(&own[1], &partners[1], &|turn| self.turn(partner, turn)),
        ]
    }

    /// The image of a whole pose: local transforms of all joints.
    pub fn pose(&self, pose: PoseRef<'_>) -> Pose {
        let mut image = pose.to_pose();
        for joint in 0..pose.num_joints() {
            let (place, turn) = self.transform(joint, pose.translations[joint], pose.rotations[joint]);
            image.set_joint(self.partner(joint), Rigid::new(turn, place));
        }
        image
    }

    /// The clip with its lasting differences between left and right evened out, and by how much each joint was shifted:
    /// translation, metres, and rotation vector in the parent's axes.
    ///
    /// With d the gap of a joint and d' that of its partner, M d' the image of it, (d - M d') / 2 is what the two sides differ
    /// by all the time; each takes half of that. What is left, (d + M d') / 2, is their own drift.
    pub(super) fn evened(&self, clip: &Clip) -> (Clip, Vec<[DVec3; 2]>) {
        let last = clip.num_intervals() as isize;
        let gaps: Vec<[DVec3; 2]> = (0..self.is_above.len())
            .map(|joint| {
                let partner = self.partner(joint);
                let (place, turn) =
                    self.transform(partner, clip.translations(last)[partner], clip.rotations(last)[partner]);
                [
                    place - clip.translations(0)[joint],
                    rotation::difference(turn, clip.rotations(0)[joint]),
                ]
            })
            .collect();
        let shifts: Vec<[DVec3; 2]> = (0..gaps.len())
            .map(|joint| {
                let partner = self.partner(joint);
                [
                    0.25 * (gaps[joint][0] - self.vector(partner, gaps[partner][0])),
                    0.25 * (gaps[joint][1] - self.turn(partner, gaps[partner][1])),
                ]
            })
            .collect();
        let turns: Vec<DQuat> = shifts.iter().map(|shift| rotation::exp(shift[1])).collect();
        let even = clip.map_transforms(|joint, place, turn| (place + shifts[joint][0], turns[joint] * turn));
        (even, shifts)
    }

    /// A closed half followed by its image; offsets are those from the clip as it was before it was evened.
    pub(super) fn unfold_closed(&self, clip: &Clip, mut half: Closed, shifts: &[[DVec3; 2]]) -> Closed {
        let joints = self.is_above.len();
        let count = clip.num_intervals();
        for (index, (aside, turn)) in (half.translation_offsets.iter_mut().zip(&mut half.rotation_offsets)).enumerate()
        {
            let shift = shifts[index % joints];
            *aside += shift[0];
            *turn = rotation::log(rotation::exp(*turn) * rotation::exp(shift[1]));
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
                let (aside, turn) = (
                    half.translation_offsets[at(partner)],
                    half.rotation_offsets[at(partner)],
                );
                whole.translation_offsets.push(self.vector(partner, aside));
                whole.rotation_offsets.push(self.turn(partner, turn));
            }
        }
        whole
    }
}
