//! Puts a loop of a take onto another character. The take's loop is made first and then transferred unchanged, so that the
//! character has the same stretch, the same seam and the same period whatever its size, and its feet stand when those of the
//! take's loop do. Derivation: docs/math/retarget.md.

use std::borrow::Cow;

use super::{LoopSettings, MadeLoop, MakeError, Timing, edited, edited_stances};
use crate::{
    analysis::Heading,
    closure::Image,
    feet::{FeetSettings, Holding, RootSpeed},
    loop_clip::LoopClip,
    mirror::Mirror,
    retarget::{Retarget, RigPair},
    root_motion::{RootMotionFit, RootRelativeClip, RootSettings},
    take::{Take, TakeError},
};

impl LoopSettings {
    /// Returns the settings for the loop of the take, before [`MadeLoop::completed`] puts it onto the character and varies it:
    /// edits and stances refer to joints of the character, a given speed is the character's, and the character is placed at the
    /// origin.
    pub(super) fn of_take(&self) -> Cow<'_, Self> {
        let Some(pair) = &self.character else {
            return match self.variation {
                Some(_) => Cow::Owned(Self {
                    variation: None,
                    ..self.clone()
                }),
                None => Cow::Borrowed(self),
            };
        };
        let speed = match self.feet.speed {
            RootSpeed::Given(mps) => RootSpeed::Given(mps / pair.scale()),
            other => other,
        };
        Cow::Owned(Self {
            feet: FeetSettings { speed, ..self.feet },
            timing: Timing {
                speed_mps: self.timing.speed_mps.map(|mps| mps / pair.scale()),
                ..self.timing
            },
            edits: Vec::new(),
            stances: Vec::new(),
            variation: None,
            character: None,
            start_at: None,
            root: RootSettings {
                recenter: false,
                ..self.root
            },
            ..self.clone()
        })
    }
}

impl MadeLoop {
    /// Puts the loop onto another character: transfers it, edits it there, and holds its feet while those of the take's loop
    /// stand.
    ///
    /// Samples, period and seam stay those of the loop; lengths and the root's velocity are multiplied by the ratio of the legs.
    /// `self` was made with [`LoopSettings::of_take`]; the edits and stances of `settings` name joints and feet of the
    /// character. [`Self::body`] and [`Self::source`] become the character's; take, stretch and closure stay those of the take.
    /// Errors: edits or stances out of range; edits of a loop of two mirrored halves if the character has no mirror image.
    pub(super) fn onto(self, pair: &RigPair, settings: &LoopSettings) -> Result<Self, MakeError> {
        // As if the loop were read from its own file, which shows less than the take about the soles of its feet.
        let take = take_of(&self.loop_clip)?;
        let pair = &RigPair {
            source: pair.source.clone().in_take(&take),
            neutral: pair.neutral.as_ref().map(|neutral| neutral.clone().in_take(&take)),
            ..pair.clone()
        };
        let retarget = pair.of_loop(&self.loop_clip);
        let body = pair.target.body();
        let root_joint = retarget.root_joint();
        let followed = retarget.feet_of_loop(&self.loop_clip)?;
        let carried = retarget.loop_clip(&self.loop_clip)?;
        // A take may be named like a loop.
        let stem = carried.name().trim_end_matches("-loop").to_owned();
        let carried = carried.named(format!("{stem}-loop"));
        let source = carried_source(&retarget, &self)?;
        let is_edited = !settings.edits.is_empty() || !settings.stances.is_empty();
        let mirror = if self.candidate.pairing.is_mirrored() && is_edited {
            Some(mirror_of(pair, &source)?)
        } else {
            None
        };
        // A root joint of the rig does not move in the root's frame; the hips move, or the joint above that moves with them.
        let image = mirror
            .as_ref()
            .map(|mirror| {
                let carrier = root_joint.map_or(source.carrier, |_| retarget.top());
                Image::new(&source.clip, mirror, carrier)
            })
            .transpose()?;
        let (carried, source, edits) = edited(carried, source, body, image.as_ref(), settings)?;
        let holding = Holding {
            edited: &edited_stances(settings, body, mirror.as_ref(), &self.candidate, &carried)?,
            ..Holding::new(body, root_joint, settings.feet.lock)
        };
        let (held, feet) = followed.hold_by(&carried, holding)?;
        let loop_clip = held.unwrap_or(carried);
        let likeness = settings
            .edits
            .is_empty()
            .then(|| pair.likeness(&self.loop_clip, &loop_clip))
            .flatten();
        let scale = retarget.scale();
        let theirs = &self.feet;
        let made = Self {
            loop_clip,
            likeness,
            body: body.clone(),
            root: settings.root,
            source,
            feet: crate::feet::Feet {
                speed: theirs.speed.map(|speed| speed.scaled(scale)),
                speed_is_theirs: theirs.speed_is_theirs,
                replaced_velocity: theirs.replaced_velocity.map(|velocity| velocity * scale),
                ..feet
            },
            edits,
            of_take: Some(Box::new(self.clone())),
            ..self
        };
        Ok(made.placed(settings))
    }
}

/// Returns a loop as a take: all of its keys, in the world.
fn take_of(clip: &LoopClip) -> Result<Take, TakeError> {
    Take::from_tracks(
        clip.name(),
        clip.tracks()
            .with_poses((0..=clip.num_samples()).map(|key| clip.folded_pose(key))),
    )
}

/// Returns the uncut samples on the character, relative to its root.
fn carried_source(retarget: &Retarget, made: &MadeLoop) -> Result<RootRelativeClip, MakeError> {
    let RootRelativeClip { clip, root, fit, .. } = &made.source;
    let path = made.loop_clip.path();
    let scale = retarget.scale();
    let carrier = retarget.target.carrier();
    let root_joint = retarget.root_joint();
    let samples = clip.sample_range();
    let (first, count) = (*samples.start(), samples.count());
    let mut poses = retarget.poses(|index| clip.pose(first + index as isize), count, clip.step_secs(), true);
    let skeleton = retarget.target.skeleton();
    let clip = clip.map_poses(skeleton, |sample, pose| {
        let pose = poses.next().unwrap_or_else(|| retarget.pose(pose));
        match (root_joint, path.len()) {
            // The joint keeps its transform of the loop, so that both can be compared joint by joint.
            (Some(joint), count @ 1..) => {
                let sway = path[sample.rem_euclid(count as isize) as usize];
                pose.as_ref().with_joint_led(skeleton, joint, retarget.scaled(sway))
            }
            _ => pose,
        }
    });
    Ok(RootRelativeClip {
        clip,
        root: retarget.root_motion(root),
        carrier,
        root_joint,
        captured: Vec::new(),
        fit: fit.map(|fit| RootMotionFit {
            residual_metres: fit.residual_metres * scale,
            arc_metres: fit.arc_metres * scale,
            path_metres: fit.path_metres * scale,
        }),
    })
}

/// Returns the mirror of a character, by its joints' names, or by its mean pose over the loop.
fn mirror_of(pair: &RigPair, source: &RootRelativeClip) -> Result<Mirror, MakeError> {
    let clip = &source.clip;
    let take = Take::from_tracks(
        "loop",
        clip.tracks()
            .with_poses((0..clip.num_intervals()).map(|sample| clip.pose(sample as isize))),
    )?;
    let heading = Heading::level(&take.world_tracks(), pair.target.body());
    Ok(Mirror::new(&take, &[], |frame| heading.yaw(frame))?)
}
