//! Compares a loop on a character with what its source does. Derivation: docs/math/retarget.md.

use core::f64::consts::{PI, TAU};

use glam::DVec3;

use super::{
    Rig, RigPair,
    anatomy::{Bones, Limb},
};
use crate::{
    loop_clip::LoopClip,
    math::{ops, ordered, percentile},
    motion::Pose,
    quality::Stand,
};

/// An angle that was found at a joint.
#[handed_over(Copy)]
pub struct JointAngle {
    /// The joint of the character.
    pub joint: usize,
    /// Radians.
    pub radians: f64,
}

/// Differences between a loop on a character and its source, each at the joint where it is largest; `None` without such joints.
#[handed_over(Copy, Default)]
pub struct Likeness {
    /// The angle between the mean lines from the tops of the legs to those of the arms.
    pub lean: Option<JointAngle>,
    /// The median angle between the soles of a foot while it stands.
    pub foot: Option<JointAngle>,
    /// The median slope of the head's forward; positive where the head looks lower on the character.
    pub gaze: Option<JointAngle>,
    /// The mean bend of a knee; positive where it bends more on the character.
    pub knee: Option<JointAngle>,
    /// The mean turn of an upper arm or a forearm about its bone.
    pub arm: Option<JointAngle>,
}

/// A standing foot is flat if its sole is within this of level, radians (15 degrees): it rolls before and after.
const FLAT_RADIANS: f64 = 0.26;

/// Bones that are turned aside by more than this have no twist to compare, radians (30 degrees): hands on the ground are placed.
const ASIDE_RADIANS: f64 = 0.52;

impl RigPair {
    /// Compares a loop on the character with its source, sample by sample, in the directions that it has by [`Self::neutral`]. `None` if
    /// the two differ in their numbers of samples, and for bodies on more than two legs, whose soles and trunks are unlike a person's.
    pub fn likeness(&self, source: &LoopClip, carried: &LoopClip) -> Option<Likeness> {
        let [source, carried] = [source, carried].map(|clip| clip.clone().on_screw().ok());
        let (source, carried) = (source?, carried?);
        let (count, target) = (source.num_samples(), &self.target);
        let neutral = self.neutral.as_ref().unwrap_or(&self.source);
        let retarget = Self {
            source: neutral.clone(),
            ..self.clone()
        }
        .of_loop(&source);
        let poses = (0..count).map(|sample| {
            [
                retarget.directions(source.body_pose(sample)),
                carried.body_pose(sample).world(&target.skeleton),
            ]
        });
        (carried.num_samples() == count && target.anatomy.is_biped()).then(|| {
            Compared {
                target,
                poses: poses.collect(),
            }
            .likeness(&retarget.stands(&source))
        })
    }
}

struct Compared<'a> {
    target: &'a Rig,
    /// Pairs of the pose by the source's directions and the pose found, in the world.
    poses: Vec<[Pose; 2]>,
}

impl Compared<'_> {
    fn likeness(&self, stands: &[Stand]) -> Likeness {
        let Rig { anatomy, body, .. } = self.target;
        let feet = body.feet.iter().map(|foot| {
            let samples = stands
                .iter()
                .filter(|stand| stand.joint == foot.lowest_joint())
                .flat_map(|stand| stand.samples().map(|sample| sample % self.poses.len()));
            self.sole(foot.ankle, samples.collect())
        });
        Likeness {
            lean: anatomy.top().and_then(|top| self.lean(top)),
            foot: farthest(feet),
            gaze: anatomy.head.map(|head| self.gaze(head)),
            knee: farthest(anatomy.legs().map(|limb| self.knee(limb))),
            arm: farthest(anatomy.arms().flat_map(|limb| self.twists(limb))),
        }
    }

    fn lean(&self, top: usize) -> Option<JointAngle> {
        let anatomy = &self.target.anatomy;
        let legs: Vec<usize> = anatomy.legs().filter_map(Limb::top).collect();
        let mut arms: Vec<usize> = anatomy.arms().filter_map(Limb::top).collect();
        if arms.len() != 2 {
            arms = vec![top];
        }
        if legs.len() != 2 {
            return None;
        }
        let [wanted, found] = [0, 1].map(|which| {
            self.poses
                .iter()
                .map(|poses| {
                    let pose = &poses[which];
                    (pose.mean_place(&arms) - pose.mean_place(&legs)).normalize_or_zero()
                })
                .sum::<DVec3>()
        });
        angle(top, wanted.angle_between(found))
    }

    fn sole(&self, ankle: usize, samples: Vec<usize>) -> Option<JointAngle> {
        let up = self.target.world.rotations[ankle].conjugate() * DVec3::Y;
        let tilts: Vec<f64> = samples
            .iter()
            .map(|&sample| self.poses[sample].each_ref().map(|pose| pose.rotations[ankle] * up))
            .filter(|[wanted, _]| wanted.angle_between(DVec3::Y) < FLAT_RADIANS)
            .map(|[wanted, found]| wanted.angle_between(found))
            .collect();
        (!tilts.is_empty()).then(|| angle(ankle, percentile::of(tilts, 0.5)))?
    }

    fn gaze(&self, head: usize) -> JointAngle {
        let [wanted, found] = [0, 1].map(|which| {
            let rotations = self.poses.iter().map(|poses| poses[which].rotations[head]);
            self.target.lowered(head, rotations)
        });
        JointAngle {
            joint: head,
            radians: found - wanted,
        }
    }

    fn knee(&self, limb: &Limb) -> Option<JointAngle> {
        let [upper, lower, end] = limb.bones?.ends()?;
        let more = self.poses.iter().map(|poses| {
            let [wanted, found] = poses
                .each_ref()
                .map(|Pose { translations: at, .. }| (at[lower] - at[upper]).angle_between(at[end] - at[lower]));
            found - wanted
        });
        angle(lower, more.sum::<f64>() / self.poses.len() as f64)
    }

    fn twists(&self, limb: &Limb) -> [Option<JointAngle>; 2] {
        let Some(Bones { upper, lower, end }) = limb.bones else {
            return [None; 2];
        };
        [(upper, Some(lower)), (lower, end)].map(|(joint, next)| {
            let next = next?;
            let twists: Vec<f64> = self
                .poses
                .iter()
                .filter_map(|poses| {
                    let [of_source, along] = poses
                        .each_ref()
                        .map(|pose| pose.translations[next] - pose.translations[joint]);
                    let [wanted, found] = poses.each_ref().map(|pose| pose.rotations[joint]);
                    let turn = found * wanted.conjugate();
                    let twist = 2.0 * ops::atan2(turn.xyz().dot(along.normalize_or_zero()), turn.w);
                    (of_source.angle_between(along) < ASIDE_RADIANS).then_some((twist + PI).rem_euclid(TAU) - PI)
                })
                .collect();
            angle(joint, twists.iter().sum::<f64>() / twists.len() as f64)
        })
    }
}

/// Returns an angle at a joint, if it is one.
fn angle(joint: usize, radians: f64) -> Option<JointAngle> {
    radians.is_finite().then_some(JointAngle { joint, radians })
}

fn farthest(angles: impl Iterator<Item = Option<JointAngle>>) -> Option<JointAngle> {
    angles.flatten().max_by_key(|angle| ordered(angle.radians.abs()))
}
