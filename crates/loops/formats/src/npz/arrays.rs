//! A motion as arrays: the content of an NPZ file, in double precision.

use glam::{DQuat, DVec3};
use loopwright_core::{
    BodyOverrides, LoopClip, Skeleton, Take,
    analysis::{Body, Contacts, Foot, FootPaths, Stay, Strides},
    feet::Feet,
    math::{Twist, rotation},
};

use crate::{
    error::WriteError,
    keyed_motion::KeyedMotion,
    loop_file::{
        facts::{ContactFacts, FeetFacts},
        sidecar::Sidecar,
    },
    settings::LoopWriteSettings,
};

/// A take or a loop as arrays, frame after frame; docs/formats/npz.md describes each array. Arrays are computed on request.
pub struct MotionArrays<'a>(KeyedMotion<'a>, BodyOverrides);

/// Which joints touch the ground, and when.
#[value(Default)]
pub struct ContactArrays {
    /// The joints.
    pub joints: Vec<usize>,
    /// Whether each stands, frame after frame.
    pub stands: Vec<bool>,
}

impl<'a> MotionArrays<'a> {
    /// Creates the arrays of a take whose feet are found, and stand, as the overrides say.
    pub fn of_take(take: &'a Take, overrides: &BodyOverrides) -> Self {
        Self(KeyedMotion::from_take(take, false), overrides.clone())
    }

    /// Returns the arrays of a loop from its keys, given as a take, and its facts.
    pub fn of_keys(keys: &'a Take, facts: &'a Sidecar) -> Self {
        Self::of_motion(KeyedMotion::from_keys(keys, facts))
    }

    /// Returns the arrays of a loop in its layout for a file, with the known facts of its feet. Errors: no copies, or too many.
    pub fn of_loop(
        clip: &'a LoopClip,
        feet: Option<&'a FeetFacts>,
        settings: &'a LoopWriteSettings,
    ) -> Result<Self, WriteError> {
        KeyedMotion::from_loop(clip, feet, settings).map(Self::of_motion)
    }

    pub(super) fn of_motion(motion: KeyedMotion<'a>) -> Self {
        Self(motion, BodyOverrides::default())
    }

    /// Returns the joints.
    pub fn skeleton(&self) -> Skeleton {
        self.0.skeleton()
    }

    /// Returns the number of frames.
    pub fn num_frames(&self) -> usize {
        self.0.num_keys
    }

    /// Returns the frames per second.
    pub fn fps(&self) -> f64 {
        1.0 / self.0.step_secs
    }

    /// Returns the positions of all joints in the world, metres, and their rotations there.
    pub fn world(&self) -> (Vec<DVec3>, Vec<DQuat>) {
        let skeleton = self.skeleton();
        let size = self.num_frames() * skeleton.num_joints();
        let (mut positions, mut rotations) = (Vec::with_capacity(size), Vec::with_capacity(size));
        for key in 0..self.num_frames() {
            let in_world = self.0.pose(key).as_ref().world(&skeleton);
            positions.extend(in_world.translations);
            rotations.extend(in_world.rotations);
        }
        on_one_side(&mut rotations, skeleton.num_joints());
        (positions, rotations)
    }

    /// Returns the rotations of all joints in the axes of their parents.
    pub fn local_rotations(&self) -> Vec<DQuat> {
        let mut rotations = self.0.poses().rotations.into_owned();
        on_one_side(&mut rotations, self.skeleton().num_joints());
        rotations
    }

    /// Returns the positions of all joints in the axes of their parents, metres.
    pub fn local_positions(&self) -> Vec<DVec3> {
        self.0.poses().translations.into_owned()
    }

    /// Returns the contacts: for a loop those in its facts, for others the detected ones.
    pub fn contacts(&self) -> ContactArrays {
        if let Some((feet, samples)) = self.known_feet() {
            return self.known_contacts(feet, samples);
        }
        let Some((moving, body)) = self.moving() else {
            return ContactArrays::default();
        };
        let contacts = Contacts::of_take(&moving, &body, &self.1.contacts);
        let feet = &body.feet[..contacts.num_feet().min(body.feet.len())];
        let num_added = self.skeleton().num_joints() - moving.num_joints();
        let stands = (0..self.num_frames()).flat_map(|key| (0..feet.len()).map(move |foot| (foot, key)));
        ContactArrays {
            joints: feet.iter().map(|foot| foot.lowest_joint() + num_added).collect(),
            stands: stands.map(|(foot, key)| contacts.is_planted(foot, key)).collect(),
        }
    }

    /// Returns the contacts in the facts of a loop with this many samples. A sample states what holds until the next one, so a loop that
    /// starts at a strike begins with that foot on the ground.
    fn known_contacts(&self, feet: &FeetFacts, samples: usize) -> ContactArrays {
        let skeleton = self.skeleton();
        let joints: Vec<(&str, usize)> = feet
            .outcomes
            .iter()
            .map(|foot| foot.joint.as_str())
            .filter_map(|name| Some((name, skeleton.find(name)?)))
            .collect();
        let mut of_cycle = vec![false; samples * joints.len()];
        for contact in &feet.contacts {
            let in_samples = |secs: f64| (secs / self.0.step_secs + 1e-6).max(0.0) as usize;
            let Some(foot) = joints.iter().position(|(name, _)| *name == contact.joint) else {
                continue;
            };
            let start = in_samples(contact.start_secs) % samples;
            let length = in_samples(contact.start_secs + contact.length_secs) - in_samples(contact.start_secs);
            for sample in start..start + length.min(samples) {
                of_cycle[sample % samples * joints.len() + foot] = true;
            }
        }
        let num_feet = joints.len();
        ContactArrays {
            stands: (0..self.num_frames())
                .map(|key| key % samples * num_feet)
                .flat_map(|at| &of_cycle[at..at + num_feet])
                .copied()
                .collect(),
            joints: joints.into_iter().map(|(_, joint)| joint).collect(),
        }
    }

    /// Measures the strides of a loop as it is played, by the contacts in its facts or else by detected ones, and returns the names of
    /// its feet.
    pub fn strides_of_cycle(&self, played: &LoopClip) -> (Vec<String>, Strides) {
        let take = Take::from_tracks(played.name(), played.tracks().clone()).ok();
        let Some(body) = take.and_then(|take| Body::find(&take, &self.1).ok()) else {
            return Default::default();
        };
        let (names, stays) = match self.known_feet() {
            Some((feet, samples)) => {
                let names: Vec<String> = feet.outcomes.iter().map(|foot| foot.joint.clone()).collect();
                let stay = |contact: &ContactFacts| {
                    let foot = names.iter().position(|name| *name == contact.joint)?;
                    let [start, length] = [contact.start_secs, contact.length_secs].map(|secs| secs / self.0.step_secs);
                    let strike = start.rem_euclid(samples as f64);
                    let (strike, lift) = (Some(strike), Some(strike + length));
                    Some(Stay { foot, strike, lift })
                };
                let stays = feet.contacts.iter().filter_map(stay).collect();
                (names, stays)
            }
            None => (
                names(played.skeleton(), &body),
                Feet {
                    limits: self.1.contacts,
                    ..Feet::default()
                }
                .bearings(played, &body)
                .stays,
            ),
        };
        let feet: Option<Vec<usize>> = names.iter().map(|name| played.skeleton().find(name)).collect();
        (
            names,
            feet.map(|feet| FootPaths::of_loop(played, &body, &feet).strides(&stays))
                .unwrap_or_default(),
        )
    }

    /// Returns the motion that is judged, and its body.
    fn moving(&self) -> Option<(Take, Body)> {
        let moving = self.0.moving()?;
        let body = Body::find(&moving, &self.1).ok()?;
        Some((moving, body))
    }

    /// Returns the facts of the feet of a loop, if they hold contacts, and the number of its samples.
    fn known_feet(&self) -> Option<(&'a FeetFacts, usize)> {
        self.0.feet.filter(|(feet, _)| !feet.outcomes.is_empty())
    }

    /// Returns the share of the loop that has passed at each frame, and the twist of its root; `None` for a take.
    pub fn phase(&self) -> Option<(Vec<f64>, Twist)> {
        let (clip, _) = self.0.as_loop()?;
        let samples = clip.num_samples();
        Some((
            (0..self.num_frames())
                .map(|key| (key % samples) as f64 / samples as f64)
                .collect(),
            clip.root().twist,
        ))
    }
}

fn names(skeleton: &Skeleton, body: &Body) -> Vec<String> {
    let name = |foot: &Foot| skeleton.joint(foot.lowest_joint()).name.clone();
    body.feet.iter().map(name).collect()
}

/// Makes the signs of each joint's quaternions continuous, as machine learning needs them; the first has a positive w.
fn on_one_side(rotations: &mut [DQuat], num_joints: usize) {
    for index in 0..rotations.len() {
        let before = index
            .checked_sub(num_joints)
            .map_or(DQuat::IDENTITY, |before| rotations[before]);
        rotations[index] = rotation::on_side_of(rotations[index], before);
    }
}
