//! Feet of a motion on the target, held while those of the source bear.
//!
//! Limits are lengths and speeds of people, so a larger target is held at the source's size, and gets its own back.

use glam::DVec3;

use super::{FollowedFeet, Retarget};
use crate::{
    analysis::{body::Body, standing::ContactLimits},
    feet::{self, Bearing, EditedStance, Feet, FootLock, FootOutcome, HoldError, Holding, KnownFeet},
    loop_clip::LoopClip,
    math::ops::atan2,
    motion::{Tracks, WorldTracks},
};

/// A knee of the target bends beyond the most of its source's by no more than about this, radians (8 degrees).
const MORE_FLEXED: f64 = 0.14;

/// A knee that bends beyond that limit by more than this, radians (2 degrees), is worse than a foot that slides.
const FOLDED: f64 = 0.035;

/// Feet that slide by less on people are not seen to, metres per second.
const UNSEEN_MPS: f64 = 0.01;

/// The solve of a loop is repeated from its own result up to so many times, ...
const MORE_ROUNDS: usize = 4;

/// ... while feet slide less by at least this share.
const LEAST_GAIN: f64 = 0.05;

impl Retarget {
    /// Holds the feet of a loop on the target while those of the source bear, where they then slide less. Feet that stand as still as those
    /// of the source are left as they are, since holding moves them also while they swing: a loop on its own skeleton stays what it is.
    ///
    /// `source` is the loop, `carried` what [`Self::loop_clip`] makes of it. `None` where no foot is held. The loop closes as
    /// exactly as before. Errors: those of [`feet::hold`].
    pub fn held(
        &self,
        source: &LoopClip,
        carried: &LoopClip,
        lock: FootLock,
    ) -> Result<(Option<LoopClip>, Feet), HoldError> {
        let feet = self.feet_of_loop(source)?;
        feet.hold(&self.target.body, self.root_joint(), carried, lock)
    }
}

impl FollowedFeet {
    /// Holds the feet of a loop on the target while those of the source bear, where they then slide less.
    ///
    /// `body` is the target's, `root_joint` its joint that carries only the root motion, if it has one. `None` where no foot is held.
    /// Errors: those of [`feet::hold`]; the loop has not as many samples as these feet are known at.
    pub fn hold(
        &self,
        body: &Body,
        root_joint: Option<usize>,
        carried: &LoopClip,
        lock: FootLock,
    ) -> Result<(Option<LoopClip>, Feet), HoldError> {
        self.hold_edited((body, root_joint), carried, lock, &[])
    }

    /// The same with stances that overrule the source's; feet that have any are held however far they slide.
    pub(crate) fn hold_edited(
        &self,
        (body, root_joint): (&Body, Option<usize>),
        carried: &LoopClip,
        lock: FootLock,
        edited: &[EditedStance],
    ) -> Result<(Option<LoopClip>, Feet), HoldError> {
        let (found, known) = (carried.num_samples(), self.num_samples);
        if found != known {
            return Err(HoldError::KnownElsewhere { found, known });
        }
        let limits = ContactLimits::default();
        let straight = carried.clone().on_screw()?;
        let at_size = straight.scaled(1.0 / self.size);
        let mut bearing: Vec<Bearing> = self.bearing().collect();
        if lock != FootLock::Off {
            // On smaller targets more stands, since less speed is seen.
            bearing.extend(feet::bearing(&at_size, body, &limits));
        }
        let num_samples = straight.num_samples();
        let known = KnownFeet {
            stretch: (self.num_leading_back > 0).then_some(num_samples - self.num_leading_back),
            bearing: Bearing::joined(&bearing, num_samples, num_samples - self.num_leading_back),
            most_flexed: (self.legs.iter())
                .map(|leg| leg.as_ref().map_or(f64::INFINITY, |leg| leg.most_bent() + MORE_FLEXED))
                .collect(),
        };
        let by_pose = self.slide(&at_size);
        // What the user says of feet is not weighed against what was detected.
        let weighs = lock == FootLock::Auto && edited.is_empty();
        let is_still = weighs && self.is_still(by_pose);
        let lock = if is_still { FootLock::Off } else { lock };
        let holding = Holding {
            body,
            root_joint,
            limits: &limits,
            lock,
            source: None,
            image: None,
            edited,
            known: Some(&known),
        };
        let (mut held, mut feet) = holding.hold(&at_size)?;
        let folds = |clip: &LoopClip| self.folds(clip, &known.most_flexed, &at_size);
        feet.foot_slide_mps = [by_pose, held.as_ref().and_then(|clip| self.slide(clip))];
        let is_loop = self.num_leading_back == 0;
        let rounds = if is_loop { MORE_ROUNDS } else { 0 };
        for _ in 0..rounds {
            let Some(so_far) = &held else {
                break;
            };
            // What the legs did not give way to before, they do now.
            let (next, _) = holding.hold(so_far)?;
            let slides = next.as_ref().and_then(|clip| self.slide(clip));
            let is_sound = next.as_ref().is_some_and(|next| !folds(next));
            if !is_sound || slides >= feet.foot_slide_mps[1].map(|mps| mps * (1.0 - LEAST_GAIN)) {
                break;
            }
            (held, feet.foot_slide_mps[1]) = (next, slides);
        }
        let is_worse =
            feet.foot_slide_mps[1] >= feet.foot_slide_mps[0] || held.as_ref().is_some_and(folds) && !folds(&at_size);
        if weighs && is_worse {
            feet.release();
        }
        if is_still {
            let stands = |foot: usize| feet.contacts.iter().any(|contact| contact.foot == foot);
            let outcome = |foot: usize| match stands(foot) {
                true => FootOutcome::Still,
                false => FootOutcome::NeverStands,
            };
            feet.outcomes = (0..feet.outcomes.len()).map(outcome).collect();
            feet.foot_slide_mps[1] = by_pose;
            feet.bearing.clone_from(&known.bearing);
        }
        feet.hips_lowered_metres *= self.size;
        feet.moved_metres *= self.size;
        feet.foot_slide_mps = feet.foot_slide_mps.map(|mps| mps.map(|mps| mps * self.size));
        let Some(held) = held.filter(|_| feet.is_held()) else {
            return Ok((None, feet));
        };
        let mut tracks = Tracks::empty(carried.skeleton().clone(), carried.step_secs(), num_samples);
        for sample in 0..num_samples {
            let mut pose = straight.body_pose(sample).to_pose();
            let (before, after) = (at_size.body_pose(sample), held.body_pose(sample));
            pose.rotations.copy_from_slice(after.rotations);
            let moved = before.translations.iter().zip(after.translations);
            for (at, (before, after)) in pose.translations.iter_mut().zip(moved) {
                // Lengths of bones stay as they are to the bit.
                *at += (*after - *before) * self.size;
            }
            self.lead(carried.skeleton(), &mut pose);
            tracks.push(pose.as_ref());
        }
        let path = carried.path().to_vec();
        let held = straight.with_tracks(tracks);
        let held = if path.is_empty() { held } else { held.along(path)? };
        Ok((Some(held), feet))
    }

    /// Whether feet that slide so fast, on a larger target at the size of the source, stand as still as those of the source on the whole,
    /// and are not seen to slide.
    fn is_still(&self, slide_mps: Option<f64>) -> bool {
        let Some((here, there)) = slide_mps.zip(self.slide_of_source_mps) else {
            return false;
        };
        // To rounding.
        here < UNSEEN_MPS && here <= there * (1.0 + 1e-6)
    }

    /// Whether a knee of the target bends clearly beyond its limit, or clearly more the wrong way than by its pose alone.
    fn folds(&self, clip: &LoopClip, most_flexed: &[f64], by_pose: &LoopClip) -> bool {
        let [world, before] = [clip, by_pose].map(LoopClip::tracks_from_root);
        let mut legs = self.legs.iter().zip(most_flexed);
        legs.any(|(leg, limit)| {
            leg.as_ref().is_some_and(|leg| {
                most_bent(&world, leg.joints) > limit + FOLDED
                    || bent_wrong(&world, leg.joints) > bent_wrong(&before, leg.joints) + MORE_FLEXED
            })
        })
    }
}

/// The largest angle between the bones of a limb over a loop, radians.
fn most_bent(world: &WorldTracks, [upper, lower, end]: [usize; 3]) -> f64 {
    let angle = |frame: usize| {
        let at = |joint: usize| world.position(frame, joint);
        (at(lower) - at(upper)).angle_between(at(end) - at(lower))
    };
    (0..world.num_frames()).map(angle).fold(0.0, f64::max)
}

/// The largest bend of a limb the wrong way over a loop, radians: against the axis about which it bends on the whole, in the axes of
/// its upper bone.
fn bent_wrong(world: &WorldTracks, [upper, lower, end]: [usize; 3]) -> f64 {
    let bends: Vec<DVec3> = (0..world.num_frames())
        .map(|frame| {
            let at = |joint: usize| world.position(frame, joint);
            let [above, below] = [at(lower) - at(upper), at(end) - at(lower)].map(DVec3::normalize_or_zero);
            world.rotation(frame, upper).conjugate() * above.cross(below)
        })
        .collect();
    let axis = bends.iter().sum::<DVec3>().normalize_or_zero();
    let against = bends.iter().map(|bend| -bend.dot(axis)).fold(0.0, f64::max).min(1.0);
    atan2(against, (1.0 - against * against).sqrt())
}
