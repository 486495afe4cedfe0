//! Computes a blend sample by sample: its poses, and the contacts of its feet.

use glam::{DQuat, DVec3};

use super::{BlendError, Blender};
use loopwright_core::{
    analysis::{Body, ContactLimits},
    feet::{self, Feet, FootLock, HoldError, Leg, Stage},
    loop_clip::{Interpolation, LoopClip},
    math::{Rigid, rotation},
    motion::{Pose, Skeleton, Tracks},
    retarget::FollowedFeet,
};

/// A blend and its feet.
#[value]
pub struct Mix {
    /// The blend, with its feet as in the blended pose.
    pub clip: LoopClip,
    /// The contacts of its feet, if known.
    feet: Option<FollowedFeet>,
    /// The poses with the feet at their mean positions over the loops, relative to the root: standing feet are as high as in the
    /// loops, and move with the ground. Legs may not reach them.
    places: Tracks,
}

impl Mix {
    /// Returns the blend with its feet held while those of its loops stand, and the outcome; `None` if none is held.
    ///
    /// `root_joint` is the joint that carries only the root motion, if there is one. Errors: as for [`feet::hold`].
    pub fn held(
        &self,
        body: &Body,
        root_joint: Option<usize>,
        lock: FootLock,
    ) -> Result<(Option<LoopClip>, Feet), HoldError> {
        if self.clip.skeleton().hinges().is_some() {
            return feet::hold(&self.clip, body, root_joint, &ContactLimits::default(), lock);
        }
        let Some(followed) = &self.feet else {
            return Ok((None, Feet::default()));
        };
        followed.hold(body, root_joint, &self.clip, lock, Some(&self.places.world()))
    }
}

/// A leg of the blended body.
#[value]
pub(super) struct BlendedLeg {
    foot: usize,
    leg: Option<Leg>,
    /// The joints from its hip joint down, if it has a knee.
    joints: Vec<usize>,
    /// The joints of the foot, from the ankle on.
    of_foot: Vec<usize>,
}

impl BlendedLeg {
    /// Creates the legs of a body, by foot.
    pub(super) fn all(body: &Body, clip: &LoopClip) -> Vec<Self> {
        let below = |top: usize| clip.skeleton().self_and_below(top);
        feet::legs_of(&Stage::of_loop(clip), body)
            .into_iter()
            .enumerate()
            .map(|(foot, leg)| {
                let of_foot = below(body.feet[foot].ankle);
                let mut joints = leg.map_or_else(Vec::new, |leg| below(leg.thigh));
                // A foot may not be a descendant of its leg.
                let apart = of_foot.iter().filter(|joint| !joints.contains(joint));
                joints.extend(apart.copied().collect::<Vec<_>>());
                Self {
                    foot,
                    leg,
                    joints,
                    of_foot,
                }
            })
            .collect()
    }
}

/// The loops of a blend with a weight above 0, and their mixing.
pub(super) struct Mixing<'a> {
    pub blender: &'a Blender,
    pub weights: &'a [f64],
}

impl Mixing<'_> {
    /// Returns the blend and its feet.
    pub(super) fn mixed(&self, num_samples: usize, step_secs: f64) -> Result<Mix, BlendError> {
        let skeleton = self.blender.on_screws[0].skeleton();
        let mut tracks = Tracks::empty(skeleton.clone(), step_secs, num_samples);
        let mut places = tracks.clone();
        let shares: Vec<Vec<Vec<f64>>> = (0..num_samples)
            .map(|sample| {
                let legs = self.blender.legs.iter();
                let share = share(sample, num_samples);
                legs.map(|leg| self.shares(Some(leg.foot), share)).collect()
            })
            .collect();
        for (sample, of_legs) in shares.iter().enumerate() {
            let (pose, feet) = self.pose(share(sample, num_samples), of_legs);
            tracks.push(pose.as_ref());
            let mut placed = pose;
            for (joint, at) in feet {
                placed.place(skeleton, joint, at);
            }
            places.push(placed.as_ref());
        }
        let counted: Vec<usize> = (0..self.weights.len())
            .filter(|&index| self.weights[index] > 0.0)
            .collect();
        let feet: Vec<_> = self
            .blender
            .feet
            .iter()
            .zip(self.weights)
            .map(|(feet, weight)| (feet, *weight))
            .filter(|(_, weight)| *weight > 0.0)
            .collect();
        Ok(Mix {
            feet: FollowedFeet::mixed(&feet, num_samples, |index, foot, sample| {
                match shares[sample].get(foot) {
                    Some(of_leg) => of_leg[counted[index]],
                    None => self.shares(None, share(sample, num_samples))[counted[index]],
                }
            }),
            clip: self.closed(tracks)?,
            places,
        })
    }

    /// Builds the loop of these poses, on the mean of the root paths.
    fn closed(&self, tracks: Tracks) -> Result<LoopClip, BlendError> {
        let (blender, num_samples) = (self.blender, tracks.num_frames());
        let carrier = blender.on_screws[0].carrier();
        let clip = LoopClip::new(blender.name(self.weights), tracks, carrier, blender.root(self.weights))?;
        if !blender.loops.iter().any(LoopClip::follows_path) {
            return Ok(clip);
        }
        let sways = (0..num_samples).map(|sample| self.sway(share(sample, num_samples)));
        Ok(clip.along(sways.collect())?)
    }

    /// Returns, for every loop, the share of its time that the blend shows at a share of the blend's own time.
    fn shares(&self, foot: Option<usize>, share: f64) -> Vec<f64> {
        self.blender.alignment.shares(self.weights, foot, share)
    }

    /// Returns the loops with a weight above 0, each with its weight and its pose at shares of their times.
    fn posed(&self, shares: &[f64]) -> Vec<(Pose, f64)> {
        self.blender
            .on_screws
            .iter()
            .zip(shares)
            .zip(self.weights)
            .filter(|(_, weight)| **weight > 0.0)
            .map(|((clip, share), &weight)| {
                let secs = share * clip.period_secs();
                (clip.body_pose_at(secs, Interpolation::Cubic), weight)
            })
            .collect()
    }

    /// Returns the local pose at a share of the blend's time, and the mean positions of the joints of feet, relative to the
    /// root. `of_legs` are the shares of all loops, per leg.
    fn pose(&self, share: f64, of_legs: &[Vec<f64>]) -> (Pose, Vec<(usize, Rigid)>) {
        let skeleton = self.blender.on_screws[0].skeleton();
        let of_body = self.shares(None, share);
        let bodies = self.posed(&of_body);
        let mut pose: Pose = (0..skeleton.num_joints())
            .map(|joint| mean(&bodies, |pose| pose.joint(joint)))
            .collect();
        let mut feet = Vec::new();
        for (leg, of_leg) in self.blender.legs.iter().zip(of_legs) {
            let is_apart = bodies.len() > 1 && *of_leg != of_body;
            let own;
            let legs = if is_apart {
                own = self.posed(of_leg);
                for &joint in &leg.joints {
                    pose.set_joint(joint, into(mean(&own, |pose| pose.joint(joint))));
                }
                &own
            } else {
                &bodies
            };
            let placed: Vec<(usize, Rigid)> = leg
                .of_foot
                .iter()
                .map(|&joint| (joint, into(mean(legs, |pose| seen(pose, skeleton, joint)))))
                .collect();
            // A foot that is not a descendant of its leg keeps its position.
            let hangs = leg.leg.filter(|leg| is_apart && !leg.is_apart);
            if let Some(of_body) = hangs {
                let (_, turned) = mean(legs, |pose| seen(pose, skeleton, of_body.thigh));
                reach(&mut pose, skeleton, &of_body, turned, &placed);
            }
            feet.extend(placed);
        }
        (pose, feet)
    }

    /// Returns the mean of root paths, relative to their twists.
    fn sway(&self, share: f64) -> Rigid {
        let sways: Vec<(Rigid, f64)> = self
            .blender
            .loops
            .iter()
            .zip(self.shares(None, share))
            .zip(self.weights)
            .map(|((clip, share), &weight)| (clip.sway_at(share * clip.period_secs()), weight))
            .collect();
        into(mean(&sways, |sway| *sway))
    }
}

/// Returns the share of a blend's time at a sample.
fn share(sample: usize, num_samples: usize) -> f64 {
    sample as f64 / num_samples as f64
}

/// Moves a foot to its mean position, as far as the knee bends. The hips belong to another moment, so that the thigh is first
/// rotated as in the mean relative to the root.
fn reach(pose: &mut Pose, skeleton: &Skeleton, leg: &Leg, thigh_turned: DQuat, placed: &[(usize, Rigid)]) {
    let above = |pose: &Pose, joint: usize| pose.as_ref().above(skeleton, joint).rotation.conjugate();
    pose.rotations[leg.thigh] = (above(pose, leg.thigh) * thigh_turned).normalize();
    let Some((_, foot)) = placed.iter().find(|(joint, _)| *joint == leg.ankle) else {
        return;
    };
    let world = pose.world(skeleton);
    leg.move_ankle(skeleton, pose, &world, foot.translation - world.translations[leg.ankle]);
    pose.rotations[leg.ankle] = (above(pose, leg.ankle) * foot.rotation).normalize();
}

/// Returns the weighted mean of transforms, with weights of sum 1: of their positions, and on the sphere of rotations
/// ([`rotation::mean`]). `of` returns the transform of a part, such as one joint of a pose.
pub fn mean<T>(parts: &[(T, f64)], of: impl Fn(&T) -> Rigid) -> (DVec3, DQuat) {
    let transforms = || parts.iter().map(|(part, weight)| (of(part), *weight));
    let turns: Vec<_> = transforms().map(|(at, weight)| (at.rotation, weight)).collect();
    let place = transforms().map(|(at, weight)| at.translation * weight).sum();
    (place, rotation::mean(&turns))
}

fn into((place, turn): (DVec3, DQuat)) -> Rigid {
    Rigid::new(turn, place)
}

/// Returns the transform of a joint of a local pose, relative to the root.
fn seen(pose: &Pose, skeleton: &Skeleton, joint: usize) -> Rigid {
    pose.as_ref().world_of(skeleton, joint)
}
