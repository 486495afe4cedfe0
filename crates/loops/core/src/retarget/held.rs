//! Holds the feet of a motion on the target while those of the source bear.

use glam::DVec3;

use super::{
    FollowedFeet, Retarget,
    followed::{FollowedLeg, bends},
    transfer::lead,
};
use crate::{
    analysis::Body,
    feet::{
        self, Bearing, Feet, FootLock, FootModel, FootOutcome, HoldError, Holding, Stage,
        model::{KNEE_BEYOND_SOURCE, LegLimits},
    },
    loop_clip::LoopClip,
    math::{greatest, ops::atan2, percentile, rotation},
    motion::{Tracks, WorldTracks},
};

/// A knee that bends beyond its limit by more than this, radians (2 degrees), is worse than a foot that slides.
const FOLDED: f64 = 0.035;

/// A standing foot that is turned by more than this, radians (12 degrees), is worse than one that slides.
const TILTED: f64 = 0.21;

/// Sliding of feet below this speed on the reference body is not visible, metres per second.
const UNSEEN_MPS: f64 = 0.01;

/// Most repetitions of the solve of a loop from its own result, ...
const MORE_ROUNDS: usize = 4;

/// ... while feet slide less by at least this share: for less, legs would jerk.
const LEAST_GAIN: f64 = 0.1;

impl Retarget {
    /// Holds the feet of a loop on the target while those of the source bear, if they then slide less. Feet that stand as still
    /// as those of the source are unchanged, because holding also moves them while they swing: a loop on its own skeleton is
    /// unchanged.
    ///
    /// `source` is the loop, `carried` the result of [`Self::loop_clip`]. `None` if no foot is held. The loop closes as exactly
    /// as before. Errors: those of [`feet::hold`].
    pub fn held(
        &self,
        source: &LoopClip,
        carried: &LoopClip,
        lock: FootLock,
    ) -> Result<(Option<LoopClip>, Feet), HoldError> {
        self.feet_of_loop(source)?
            .hold(&self.target.body, self.root_joint(), carried, lock, None)
    }
}

impl FollowedFeet {
    /// Holds the feet of a loop on the target while those of the source bear, if they then slide less.
    ///
    /// `body` is the target's, `root_joint` its joint that carries only the root motion, if it has one; `places` are positions at which the
    /// feet are held, relative to the root, if they differ from those of the loop. `None` if no foot is held. Errors: those
    /// of [`feet::hold`]; the loop has another number of samples than these feet.
    pub fn hold(
        &self,
        body: &Body,
        root_joint: Option<usize>,
        carried: &LoopClip,
        lock: FootLock,
        places: Option<&WorldTracks>,
    ) -> Result<(Option<LoopClip>, Feet), HoldError> {
        let holding = Holding::new(body, root_joint, lock);
        self.hold_by(carried, Holding { places, ..holding })
    }

    /// Holds the feet of a loop on the target. Feet with edited stances are held however far they slide; feet that must be
    /// elsewhere than in the loop have positions relative to the root.
    pub(crate) fn hold_by(&self, carried: &LoopClip, holding: Holding) -> Result<(Option<LoopClip>, Feet), HoldError> {
        let (found, known) = (carried.num_samples(), self.num_samples);
        if found != known {
            return Err(HoldError::KnownElsewhere { found, known });
        }
        let straight = carried.clone().on_screw()?;
        let (held, feet) = self.hold_motion(&Stage::of_loop(&straight), holding, straight.carrier());
        let Some(tracks) = held else {
            return Ok((None, feet));
        };
        let held = straight.with_tracks(tracks);
        let path = carried.path().to_vec();
        let held = if path.is_empty() { held } else { held.along(path)? };
        Ok((Some(held), feet))
    }

    /// Returns the tracks of a motion of the target with its feet held, and the outcome; `None` if none is held. `carrier` is
    /// the joint that carries the root motion.
    pub(super) fn hold_motion(&self, stage: &Stage, holding: Holding, carrier: usize) -> (Option<Tracks>, Feet) {
        let body = holding.body;
        let model = FootModel {
            legs: self
                .legs
                .iter()
                .map(|leg| leg.as_ref().map_or(LegLimits::NONE, FollowedLeg::limits))
                .collect(),
            metre: if self.is_character { self.times_as_large } else { 1.0 },
            is_character: self.is_character,
            ..FootModel::new(stage, body, &self.limits)
        };
        let mut bearing: Vec<Bearing> = self.bearing().collect();
        if self.is_character && holding.lock != FootLock::Off {
            // On smaller targets more feet stand, because less speed is visible.
            bearing.extend(feet::bearing(stage, body, &model));
        }
        let known = Bearing::joined(&bearing, &stage.course);
        let mut holding = Holding {
            known: Some(&known),
            ..holding
        };
        let weighs = holding.weighs();
        let by_pose = self.slide(stage);
        if weighs && holding.places.is_none() && self.is_still(by_pose) {
            holding.lock = FootLock::Off;
            let (_, mut feet) = holding.solved(stage, &model, carrier);
            for (foot, outcome) in feet.outcomes.iter_mut().enumerate() {
                let stands = feet.contacts.iter().any(|contact| contact.foot == foot);
                *outcome = if stands {
                    FootOutcome::Still
                } else {
                    FootOutcome::NeverStands
                };
            }
            feet.foot_slide_mps = [by_pose; 2];
            feet.bearing = known;
            return (None, feet);
        }
        let (held, mut feet) = holding.solved(stage, &model, carrier);
        feet.foot_slide_mps[0] = by_pose;
        let Some(held) = held else {
            if feet.outcomes.contains(&FootOutcome::Unsettled) {
                feet.foot_slide_mps[1] = by_pose;
            }
            return (None, feet);
        };
        let before = &stage.world;
        let (held, slide) = self.held_further(stage, held, |so_far: &Stage<'_>| {
            holding.solved(so_far, &model, carrier).0
        });
        feet.foot_slide_mps[1] = slide;
        let folds = self.folds(&held.world(), before) && !self.folds(before, before);
        if weighs && (slide >= by_pose || folds || self.tilts(&held.world(), before)) {
            feet.let_go(FootOutcome::Released);
            return (None, feet);
        }
        // Toes stay as high as they were, or on the ground, and joints beside the body move with those that they follow.
        let skeleton = held.skeleton();
        let settled = (0..held.num_frames()).map(|sample| {
            let mut pose = held.pose(sample).to_pose();
            for sole in &self.soles {
                let floor = sole
                    .toe
                    .map_or(0.0, |toe| sole.lowest_of_toes(before.joint(sample, toe)));
                sole.turn_toes_up(skeleton, &mut pose, floor.min(0.0));
            }
            lead(&self.led, skeleton, &mut pose);
            pose
        });
        (Some(held.with_poses(settled)), feet)
    }

    /// Returns a motion with held feet, and their sliding speed, after repeated solves from its own result: legs yield further
    /// each time.
    fn held_further(
        &self,
        stage: &Stage<'_>,
        mut held: Tracks,
        next: impl Fn(&Stage<'_>) -> Option<Tracks>,
    ) -> (Tracks, Option<f64>) {
        let mut slide = self.slide(&stage.with_tracks(&held));
        let rounds = if self.is_loop { MORE_ROUNDS } else { 0 };
        for _ in 0..rounds {
            let Some(again) = next(&stage.with_tracks(&held)) else {
                break;
            };
            let further = stage.with_tracks(&again);
            let slides = self.slide(&further);
            let is_worse = slides >= slide.map(|mps| mps * (1.0 - LEAST_GAIN));
            if is_worse || self.folds(&further.world, &stage.world) {
                break;
            }
            (held, slide) = (again, slides);
        }
        (held, slide)
    }

    /// Whether feet with this sliding speed are as still as those of the source on the whole, and do not slide visibly.
    fn is_still(&self, slide_mps: Option<f64>) -> bool {
        let Some((here, there)) = slide_mps.zip(self.slide_of_source_mps) else {
            return false;
        };
        let here = here / self.times_as_large;
        // Equal within rounding.
        here < UNSEEN_MPS && here <= there * (1.0 + 1e-6)
    }

    /// Whether a knee of the target bends clearly beyond its limit, or clearly more the wrong way than by its pose alone.
    fn folds(&self, world: &WorldTracks, by_pose: &WorldTracks) -> bool {
        let mut legs = self.legs.iter().flatten();
        legs.any(|leg| {
            greatest(bends(world, leg.joints)) > leg.limits().most_flexed + FOLDED
                || bent_wrong(world, leg.joints) > bent_wrong(by_pose, leg.joints) + KNEE_BEYOND_SOURCE
        })
    }

    /// Whether a standing foot is turned far from its pose: the median over its stances.
    fn tilts(&self, world: &WorldTracks, by_pose: &WorldTracks) -> bool {
        let mut feet = self
            .stands
            .iter()
            .filter_map(|own| Some((own, self.legs[own.foot].as_ref()?.joints[2])));
        feet.any(|(own, ankle)| {
            let turned = (0..self.num_samples).filter(|&sample| own.at[sample]).map(|sample| {
                let [before, after] = [by_pose, world].map(|world| world.rotation(sample, ankle));
                rotation::difference(after, before).length()
            });
            percentile::of(turned, 0.5) > TILTED
        })
    }
}

/// Returns the largest bend of a limb the wrong way over a loop, radians: against the axis about which it bends on the whole,
/// in the axes of its upper bone.
fn bent_wrong(world: &WorldTracks, joints: [usize; 3]) -> f64 {
    let bends: Vec<DVec3> = (0..world.num_frames())
        .map(|frame| {
            let [upper, lower, end] = joints.map(|joint| world.position(frame, joint));
            let [above, below] = [lower - upper, end - lower].map(DVec3::normalize_or_zero);
            world.rotation(frame, joints[0]).conjugate() * above.cross(below)
        })
        .collect();
    let axis = bends.iter().sum::<DVec3>().normalize_or_zero();
    let against = greatest(bends.iter().map(|bend| -bend.dot(axis))).min(1.0);
    atan2(against, (1.0 - against * against).sqrt())
}
