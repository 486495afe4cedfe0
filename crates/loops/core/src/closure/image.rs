//! The mirror image of half a cycle, relative to its root: the gaps between half and image, and the unfolding of the whole
//! cycle.
//!
//! In the root's frame the mirror is across X, along the direction of motion. Joints below the one that carries the root motion
//! are reflected in their parents' axes, the carrier in the root's frame. Joints above it are not reflected. Source:
//! docs/math/mirror.md.

use glam::{DQuat, DVec3};

use super::{
    Closed,
    ends::{EndState, JointEnds},
    targets::JointTargets,
};
use crate::{
    loop_clip::LoopClip,
    math::{Rigid, rotation},
    mirror::{ACROSS, Mirror},
    motion::{Pose, PoseRef, Tracks},
    take::Clip,
};

/// The mirror image of the poses of a clip.
#[value]
pub(crate) struct Image<'a> {
    mirror: &'a Mirror,
    carrier: usize,
    /// Joints above the carrier.
    is_above: Vec<bool>,
    /// Transform of the carrier's parent in the root's frame.
    above: Rigid,
}

/// Why a clip has no mirror image.
#[error_kinds(Copy, Eq)]
pub enum ImageError {
    #[error("the joint that carries the root motion lies on one side of the body")]
    SidedCarrier,
    #[error("a joint above the one that carries the root motion moves by itself")]
    MovingAbove,
}

/// Joints above the carrier may move by this much over a clip, metres and radians: the rounding of files.
const STILL: f64 = 1e-5;

impl<'a> Image<'a> {
    /// Creates the image of a clip whose `carrier` is relative to its root, as root motion leaves it.
    pub(crate) fn new(clip: &Clip, mirror: &'a Mirror, carrier: usize) -> Result<Self, ImageError> {
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
                clip.translations(sample)[joint].distance(positions[joint]) > STILL
                    || rotation::difference(clip.rotations(sample)[joint], rotations[joint]).length() > STILL
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

    pub(crate) fn partner(&self, joint: usize) -> usize {
        if self.is_above[joint] {
            joint
        } else {
            self.mirror.partner(joint)
        }
    }

    /// Returns the image of a joint's local transform, for its partner.
    fn transform(&self, joint: usize, position: DVec3, rotation: DQuat) -> (DVec3, DQuat) {
        if self.is_above[joint] {
            (position, rotation)
        } else if joint == self.carrier {
            let seen = self.above * Rigid::new(rotation, position);
            let local = self.above.inverse()
                * Rigid::new(
                    self.mirror.reflect_in_space(joint, seen.rotation),
                    seen.translation * ACROSS,
                );
            (local.translation, local.rotation)
        } else {
            (
                self.mirror.reflect_position(joint, position),
                self.mirror.reflect_rotation(joint, rotation),
            )
        }
    }

    /// Whether a joint is above the one that carries the root motion, and so is not reflected.
    pub(crate) fn is_above(&self, joint: usize) -> bool {
        self.is_above[joint]
    }

    /// Returns the image of a velocity, or of an offset, of a joint's position.
    pub(crate) fn vector(&self, joint: usize, vector: DVec3) -> DVec3 {
        if self.is_above[joint] {
            vector
        } else if joint == self.carrier {
            self.above.rotation.conjugate() * (self.above.rotation * vector * ACROSS)
        } else {
            self.mirror.reflect(joint, vector)
        }
    }

    /// Returns the image of a rotation vector, or of an angular velocity, in the axes of a joint's parent.
    pub(crate) fn rotation_vector(&self, joint: usize, vector: DVec3) -> DVec3 {
        if self.is_above[joint] {
            vector
        } else {
            // A rotation vector changes its sense when mirrored.
            -self.vector(joint, vector)
        }
    }

    /// Returns the ends of a joint that is followed by its image: its own start, and the image of its partner's end.
    pub(super) fn meets(&self, joint: usize, own: &JointEnds, partners: &JointEnds) -> JointEnds {
        let partner = self.partner(joint);
        let (end, turned) = (partners.translation[1], partners.rotation[1]);
        let (position, rotation) = self.transform(partner, end.value, turned.value);
        let [velocity, acceleration] = [end.velocity, end.acceleration].map(|vector| self.vector(partner, vector));
        let [spin, spin_rate] =
            [turned.velocity, turned.acceleration].map(|vector| self.rotation_vector(partner, vector));
        JointEnds {
            translation: [own.translation[0], EndState::new(position, velocity, acceleration)],
            rotation: [own.rotation[0], EndState::new(rotation, spin, spin_rate)],
        }
    }

    /// Returns the offsets wanted for a joint: its own at its start, and at its end the image of those that its partner needs
    /// there.
    pub(super) fn wanted(&self, joint: usize, own: &JointTargets, partners: &JointTargets) -> JointTargets {
        let partner = self.partner(joint);
        JointTargets {
            translation: own
                .translation
                .ending_like(&partners.translation, |end| self.vector(partner, end)),
            rotation: own
                .rotation
                .ending_like(&partners.rotation, |end| self.rotation_vector(partner, end)),
        }
    }

    /// Returns the image of a whole pose: local transforms of all joints.
    pub(crate) fn pose(&self, pose: PoseRef) -> Pose {
        let mut image = pose.to_pose();
        for joint in 0..pose.num_joints() {
            let (position, rotation) = self.transform(joint, pose.translations[joint], pose.rotations[joint]);
            image.set_joint(self.partner(joint), Rigid::new(rotation, position));
        }
        image
    }

    /// Makes the second half of a loop exactly the image of the first if it is so within `rounding` (metres and radians): the
    /// mean of each half and the image of the other. Otherwise returns the loop unchanged: sides with bones of unequal lengths
    /// are not images of each other.
    pub(crate) fn without_rounding(&self, clip: LoopClip, rounding: f64) -> LoopClip {
        let poses: Vec<Pose> = (0..clip.num_samples())
            .map(|key| clip.body_pose(key).to_pose())
            .collect();
        let images: Vec<Pose> = (0..poses.len())
            .map(|key| self.pose(poses[(key + clip.num_samples() / 2) % poses.len()].as_ref()))
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
        (
            clip.map_transforms(|joint, position, rotation| (position + shifts[joint][0], rotations[joint] * rotation)),
            shifts,
        )
    }

    /// Returns a closed half followed by its image; offsets are relative to the clip before it was evened.
    pub(super) fn unfold_closed(&self, clip: &Clip, mut half: Closed, shifts: &[[DVec3; 2]]) -> Closed {
        let joints = self.is_above.len();
        let count = clip.num_intervals();
        for (index, (translation_offset, rotation_offset)) in half
            .translation_offsets
            .iter_mut()
            .zip(&mut half.rotation_offsets)
            .enumerate()
        {
            let shift = shifts[index % joints];
            *translation_offset += shift[0];
            *rotation_offset = rotation::log(rotation::exp(*rotation_offset) * rotation::exp(shift[1]));
        }
        let mut whole = half.clone();
        whole.translation_offsets.truncate(count * joints);
        whole.rotation_offsets.truncate(count * joints);
        for sample in 0..=count {
            if sample < count {
                whole.tracks.push(self.pose(half.tracks.pose(sample)).as_ref());
            }
            for joint in 0..joints {
                let partner = self.partner(joint);
                let at = sample * joints + partner;
                whole
                    .translation_offsets
                    .push(self.vector(partner, half.translation_offsets[at]));
                whole
                    .rotation_offsets
                    .push(self.rotation_vector(partner, half.rotation_offsets[at]));
            }
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::closure::{ClosureSettings, close::close_half};
    use crate::math::ops;
    use crate::take::{Cut, Take};
    use crate::tests::{skeleton, take_of};

    const NAMES: [&str; 5] = ["Reference", "Hips", "LeftLeg", "RightLeg", "Head"];
    const PARTNERS: [usize; 5] = [0, 1, 3, 2, 4];
    const CARRIER: usize = 1;
    const STEP_SECS: f64 = 1.0 / 240.0;
    /// Half a cycle, and samples on either side of it.
    const HALF: usize = 240;
    const AROUND: usize = 12;

    const OFFSETS: [DVec3; 5] = [
        DVec3::new(0.1, 0.05, 0.2),
        DVec3::Y,
        DVec3::new(0.1, -0.5, 0.0),
        DVec3::new(-0.1, -0.5, 0.0),
        DVec3::new(0.0, 0.6, 0.0),
    ];

    /// Returns a take of these samples; `at` gives the local transform of a joint at a time, from below 0 to above half a cycle.
    fn take(at: impl Fn(usize, f64) -> Rigid) -> Take {
        let parents = [None, Some(0), Some(1), Some(1), Some(1)];
        let rows: [_; 5] = core::array::from_fn(|joint| (NAMES[joint], parents[joint], OFFSETS[joint]));
        take_of(skeleton(&rows), STEP_SECS, HALF + 2 * AROUND + 1, |frame, joint| {
            let transform = at(joint, (frame as f64 - AROUND as f64) * STEP_SECS);
            (transform.translation, transform.rotation)
        })
    }

    fn clip(take: &Take) -> Clip {
        let cut = Cut::new(take, AROUND as f64, (AROUND + HALF) as f64).unwrap();
        Clip::new(take, &cut, HALF, STEP_SECS).unwrap()
    }

    fn mirror(take: &Take) -> Mirror {
        let mirror = Mirror::new(take, &[], |_| 0.0).unwrap();
        assert_eq!(core::array::from_fn(|joint| mirror.partner(joint)), PARTNERS);
        mirror
    }

    /// The joint above the carrier is still, rotated and off the origin; all others move, all differently and out of
    /// step with the half.
    fn any_motion(joint: usize, secs: f64) -> Rigid {
        if joint == 0 {
            return Rigid::from_yaw(0.3, OFFSETS[0]);
        }
        let sway = |k: usize| {
            let k = (3 * joint + k) as f64;
            ops::sin((2.0 + 0.3 * k) * secs + 1.7 * k)
        };
        let moves = if joint == CARRIER { 0.1 } else { 0.0 };
        Rigid::new(
            rotation::exp(DVec3::new(0.5 * sway(0), 0.4 * sway(1), 0.3 * sway(2))),
            OFFSETS[joint] + DVec3::new(sway(3), sway(4), sway(5)) * moves,
        )
    }

    /// Third differences of positions over both seams: a gap of the pose, or one of its velocity or acceleration, would stand
    /// out.
    #[test]
    fn a_half_and_its_image_meet_smoothly_at_both_seams() {
        let take = take(any_motion);
        let (clip, mirror) = (clip(&take), mirror(&take));
        let image = Image::new(&clip, &mirror, CARRIER).unwrap();
        let closed = close_half(&clip, &image, &ClosureSettings::default()).unwrap();
        let largest = closed.seam.largest();
        assert!(
            largest.position > 0.05 && largest.angle > 0.1 && largest.angular_velocity > 0.1,
            "{largest:?}"
        );
        assert_eq!(closed.tracks.num_frames(), 2 * HALF);
        let world = closed.tracks.world();
        for frame in 0..2 * HALF {
            for joint in 1..NAMES.len() {
                let at = |ahead: usize| world.position((frame + ahead) % (2 * HALF), joint);
                let third = at(3) - 3.0 * at(2) + 3.0 * at(1) - at(0);
                assert!(third.length() < 1e-4, "joint {joint} jumps by {third} at {frame}");
            }
        }
    }

    /// A walk that equals its own image half a cycle later, except for hips that hang to one side and a left leg that is always turned out.
    #[test]
    fn lasting_differences_are_shared_by_both_sides() {
        let cycle = core::f64::consts::TAU / (2.0 * HALF as f64 * STEP_SECS);
        let leg = |secs: f64| {
            let angle = cycle * secs;
            DVec3::new(
                0.6 * ops::sin(angle),
                0.2 * ops::cos(angle),
                0.1 * ops::sin(2.0 * angle),
            )
        };
        let (aside, turn) = (DVec3::X * 0.03, DVec3::new(0.05, -0.2, 0.1));
        let reflected = |turn: DVec3| -turn * ACROSS;
        let take = take(|joint, secs| {
            let angle = cycle * secs;
            let middle = DVec3::new(-OFFSETS[0].x, 1.0, 0.0);
            match joint {
                CARRIER => Rigid::new(
                    DQuat::IDENTITY,
                    middle + aside + DVec3::new(0.3 * ops::sin(angle), 0.0, 0.1 * ops::cos(2.0 * angle)),
                ),
                2 => Rigid::new(rotation::exp(turn) * rotation::exp(leg(secs)), OFFSETS[2]),
                3 => {
                    let later = secs + HALF as f64 * STEP_SECS;
                    Rigid::new(rotation::exp(reflected(leg(later))), OFFSETS[3])
                }
                joint => Rigid::new(DQuat::IDENTITY, OFFSETS[joint]),
            }
        });
        let (clip, mirror) = (clip(&take), mirror(&take));
        let image = Image::new(&clip, &mirror, CARRIER).unwrap();
        let closed = close_half(&clip, &image, &ClosureSettings::default()).unwrap();
        for sample in 0..=2 * HALF {
            // In the second half the body is its image, and the legs have changed places.
            let [hips, left, right] = if sample < HALF {
                [-aside, -0.5 * turn, 0.5 * reflected(turn)]
            } else {
                [aside, 0.5 * turn, -0.5 * reflected(turn)]
            };
            let at = |joint: usize| sample * NAMES.len() + joint;
            for (found, wanted) in [
                (closed.translation_offsets[at(CARRIER)], hips),
                (closed.rotation_offsets[at(2)], left),
                (closed.rotation_offsets[at(3)], right),
            ] {
                assert!(
                    (found - wanted).length() < 1e-9,
                    "{found} instead of {wanted} at {sample}"
                );
            }
        }
    }

    #[test]
    fn joints_above_the_carrier_stand_still_and_the_carrier_lies_in_the_middle() {
        let swaying = |size: f64, turn: f64| {
            take(|joint, secs| match joint {
                0 => Rigid::from_yaw(turn * secs, DVec3::X * size * secs),
                _ => any_motion(joint, secs),
            })
        };
        for (size, turn, still) in [
            (0.0, 0.0, true),
            (1e-6, 1e-6, true),
            (1e-4, 0.0, false),
            (0.0, 1e-4, false),
        ] {
            let take = swaying(size, turn);
            let (clip, mirror) = (clip(&take), mirror(&take));
            let found = Image::new(&clip, &mirror, CARRIER).map(|_| ());
            let expected = if still { Ok(()) } else { Err(ImageError::MovingAbove) };
            assert_eq!(found, expected, "{size} {turn}");
            assert_eq!(Image::new(&clip, &mirror, 2), Err(ImageError::SidedCarrier));
        }
    }
}
