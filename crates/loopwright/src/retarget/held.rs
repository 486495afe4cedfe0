//! Feet of a loop on the target, held while those of the source bear.
//!
//! The contacts are those of the source: what stands there stands here, on larger targets too, whose feet move faster. On smaller
//! ones more stands, since less speed is seen. The lock's limits are lengths and speeds of people, so a larger target is held at the
//! source's size, and gets its own back.

use glam::DVec3;

use super::{
    Retarget, Rig,
    anatomy::{Bones, Limb, LimbKind},
};
use crate::{
    analysis::{
        body::{Body, Foot},
        standing::ContactLimits,
    },
    feet::{self, Bearing, Feet, FootLock, FootPoint, HeldBy, KnownFeet, PlantError, Planting},
    loop_clip::{LoopClip, LoopKeys},
    math::ops::atan2,
    motion::{Tracks, WorldTracks},
    quality::{self, Stand},
};

/// A knee of the target bends beyond the most of its source's by no more than about this, radians (8 degrees).
const MORE_FLEXED: f64 = 0.14;

/// A knee that bends beyond that limit by more than this, radians (2 degrees), is worse than a foot that slides.
const FOLDED: f64 = 0.035;

impl Retarget {
    /// Holds the feet of a loop on the target while those of the source bear, where they then slide less.
    ///
    /// `source` is the loop, `carried` what [`Self::loop_clip`] makes of it. `None` where no foot is held. The loop closes as
    /// exactly as before. Errors: those of [`feet::plant`].
    pub fn held(
        &self,
        source: &LoopClip,
        carried: &LoopClip,
        lock: FootLock,
    ) -> Result<(Option<LoopClip>, Feet), PlantError> {
        let limits = ContactLimits::default();
        let (source, straight) = (source.clone().on_screw()?, carried.clone().on_screw()?);
        let size = self.scale.max(1.0);
        let at_size = straight.scaled(1.0 / size);
        let mut bearing = self.bearing(&source, &limits);
        bearing.extend(feet::bearing(&at_size, &self.target.body, &limits));
        let known = KnownFeet {
            bearing: Bearing::joined(&bearing, straight.num_samples()),
            most_flexed: self.most_flexed(&source),
        };
        let planting = Planting {
            body: &self.target.body,
            root_joint: self.root_joint(),
            limits: &limits,
            lock,
            source: None,
            is_mirrored: false,
            edited: &[],
            known: Some(&known),
        };
        let (mut planted, mut feet) = planting.plant(&at_size, lock.held_by())?;
        let slide = |clip: &LoopClip| self.slide(&source, clip);
        let folds = |clip: &LoopClip| self.folds(clip, &known.most_flexed, &at_size);
        feet.foot_slide_mps = [slide(&at_size), planted.as_ref().and_then(slide)];
        if let (Some(once), Some(HeldBy::Solve)) = (&planted, feet.held_by) {
            // What the legs did not give way to at first, they do now.
            let (twice, again) = planting.plant(once, HeldBy::Solve)?;
            let slides = twice.as_ref().and_then(slide);
            let is_sound = again.held_by == Some(HeldBy::Solve) && twice.as_ref().is_some_and(|twice| !folds(twice));
            if is_sound && slides < feet.foot_slide_mps[1] {
                (planted, feet.foot_slide_mps[1]) = (twice, slides);
            }
        }
        let is_worse =
            feet.foot_slide_mps[1] >= feet.foot_slide_mps[0] || planted.as_ref().is_some_and(folds) && !folds(&at_size);
        if lock == FootLock::Auto && is_worse {
            feet.release();
            return Ok((None, feet));
        }
        feet.hips_lowered_metres *= size;
        feet.moved_metres *= size;
        feet.foot_slide_mps = feet.foot_slide_mps.map(|mps| mps.map(|mps| mps * size));
        let Some(planted) = planted else {
            return Ok((None, feet));
        };
        let mut tracks = Tracks::empty(carried.skeleton().clone(), carried.step_secs(), carried.num_samples());
        for sample in 0..carried.num_samples() {
            let mut pose = straight.body_pose(sample).to_pose();
            let (before, after) = (at_size.body_pose(sample), planted.body_pose(sample));
            pose.rotations.copy_from_slice(after.rotations);
            let moved = before.translations.iter().zip(after.translations);
            for (at, (before, after)) in pose.translations.iter_mut().zip(moved) {
                // Lengths of bones stay as they are to the bit.
                *at += (*after - *before) * size;
            }
            tracks.push(pose.as_ref());
        }
        let path = carried.path().to_vec();
        let held = straight.with_tracks(tracks);
        let held = if path.is_empty() { held } else { held.along(path)? };
        Ok((Some(held), feet))
    }

    /// Speed of the target's feet over the ground while those of the source stand, metres per second.
    fn slide(&self, source: &LoopClip, clip: &LoopClip) -> Option<f64> {
        quality::foot_slide_of_stances(&LoopKeys::of_loop(clip), &self.stands(source))
    }

    /// The same of the source's own feet, at the joints that are followed.
    pub fn slide_of_source(&self, source: &LoopClip) -> Option<f64> {
        let stands: Vec<Stand> = self.stands_of_both(source).map(|[theirs, _]| theirs).collect();
        quality::foot_slide_of_stances(&LoopKeys::of_loop(source), &stands)
    }

    /// When the target's feet stand by those of a loop of the source: by the joint that is followed, the ball of the foot or the
    /// ankle.
    pub fn stands(&self, source: &LoopClip) -> Vec<Stand> {
        self.stands_of_both(source).map(|[_, ours]| ours).collect()
    }

    /// Each stance of the source, and of the target that follows.
    fn stands_of_both(&self, source: &LoopClip) -> impl Iterator<Item = [Stand; 2]> {
        let keys = LoopKeys::of_loop(source);
        self.target.body.feet.iter().flat_map(move |foot| {
            let from = self.followed_foot(foot.ankle);
            let feet = from.map(|from| {
                let own = self.source.body.feet[from];
                let toe = own.toe.filter(|_| foot.toe.is_some());
                Foot { toe, ..own }
            });
            let body = Body {
                feet: feet.into_iter().collect(),
                ..self.source.body.clone()
            };
            let joint = foot.lowest_joint();
            let stands = quality::stands(&keys, &body, None).into_iter();
            stands.map(move |theirs| [theirs, Stand { joint, ..theirs }])
        })
    }

    /// When points of the target's feet bear, by those of the source's.
    fn bearing(&self, source: &LoopClip, limits: &ContactLimits) -> Vec<Bearing> {
        let theirs = feet::bearing(source, &self.source.body, limits);
        let mut known = Vec::new();
        for (index, foot) in self.target.body.feet.iter().enumerate() {
            let Some(from) = self.followed_foot(foot.ankle) else {
                continue;
            };
            let has_toes = [self.source.body.feet[from].toe, foot.toe].map(|toe| toe.is_some());
            for bearing in theirs.iter().filter(|bearing| bearing.contact.foot == from) {
                let point = match (has_toes, bearing.point) {
                    ([true, true], FootPoint::Ankle) => continue,
                    ([true, true], point) => point,
                    ([_, false], FootPoint::Ankle) => FootPoint::Ankle,
                    ([false, true], FootPoint::Ankle) => FootPoint::Ball,
                    _ => continue,
                };
                let mut bearing = Bearing { point, ..*bearing };
                bearing.contact.foot = index;
                known.push(bearing);
            }
        }
        known
    }

    /// How far the knee above each of the target's feet may bend, radians: a little more than that of the source does.
    fn most_flexed(&self, source: &LoopClip) -> Vec<f64> {
        let world = source.tracks_from_root();
        let most = |ankle: usize| Some(most_bent(&world, self.followed_leg(ankle)?.bones?)? + MORE_FLEXED);
        let feet = self.target.body.feet.iter();
        feet.map(|foot| most(foot.ankle).unwrap_or(f64::INFINITY)).collect()
    }

    /// Whether a knee of the target bends clearly beyond its limit, or clearly more the wrong way than by its pose alone.
    fn folds(&self, clip: &LoopClip, most_flexed: &[f64], by_pose: &LoopClip) -> bool {
        let [world, before] = [clip, by_pose].map(LoopClip::tracks_from_root);
        let mut feet = self.target.body.feet.iter().zip(most_flexed);
        feet.any(|(foot, limit)| {
            let bones = leg_that_ends_in(&self.target, foot.ankle).and_then(|leg| leg.bones);
            bones.is_some_and(|bones| {
                most_bent(&world, bones) > Some(limit + FOLDED)
                    || bent_wrong(&world, bones) > bent_wrong(&before, bones).map(|angle| angle + MORE_FLEXED)
            })
        })
    }

    /// The foot of the source that one of the target follows, by its ankle.
    fn followed_foot(&self, ankle: usize) -> Option<usize> {
        let last = *self.followed_leg(ankle)?.joints.last()?;
        self.source.body.feet.iter().position(|foot| foot.ankle == last)
    }

    /// The leg of the source that the target's with this ankle follows.
    fn followed_leg(&self, ankle: usize) -> Option<&Limb> {
        self.source.anatomy.limb(leg_that_ends_in(&self.target, ankle)?)
    }
}

fn leg_that_ends_in(rig: &Rig, ankle: usize) -> Option<&Limb> {
    let mut legs = rig.anatomy.limbs.iter().filter(|limb| limb.kind == LimbKind::Leg);
    legs.find(|limb| limb.joints.last() == Some(&ankle))
}

/// The largest angle between the bones of a limb over a loop, radians.
fn most_bent(world: &WorldTracks, Bones { upper, lower, end }: Bones) -> Option<f64> {
    let end = end?;
    let angle = |frame: usize| {
        let at = |joint: usize| world.position(frame, joint);
        (at(lower) - at(upper)).angle_between(at(end) - at(lower))
    };
    (0..world.num_frames()).map(angle).reduce(f64::max)
}

/// The largest bend of a limb the wrong way over a loop, radians: against the axis about which it bends on the whole, in the axes of
/// its upper bone.
fn bent_wrong(world: &WorldTracks, Bones { upper, lower, end }: Bones) -> Option<f64> {
    let end = end?;
    let bends: Vec<DVec3> = (0..world.num_frames())
        .map(|frame| {
            let at = |joint: usize| world.position(frame, joint);
            let [above, below] = [at(lower) - at(upper), at(end) - at(lower)].map(DVec3::normalize_or_zero);
            world.rotation(frame, upper).conjugate() * above.cross(below)
        })
        .collect();
    let axis = bends.iter().sum::<DVec3>().normalize_or_zero();
    let against = bends.iter().map(|bend| -bend.dot(axis)).fold(0.0, f64::max).min(1.0);
    Some(atan2(against, (1.0 - against * against).sqrt()))
}
