//! The contacts of a target's feet, taken from the source's feet that they follow.
//!
//! Standing feet of the source stand on the target, too: on larger targets, whose feet move faster, and on targets whose legs do
//! not reach, whose sliding feet would not be detected as standing.

use core::ops::Range;

use glam::DVec3;

use super::{Retarget, Rig, anatomy::Limb, clear::Sole, transfer::Led};
use crate::{
    analysis::{Body, ContactLimits, Foot, Stay},
    feet::{
        self, Bearing, Course, FootModel, FootPoint, Stage,
        contact::spans,
        model::{KNEE_BEYOND_SOURCE, LegLimits, SoleFront},
    },
    loop_clip::{LoopClip, LoopClipError, LoopKeys},
    math::greatest,
    motion::WorldTracks,
    quality::{self, Stand},
    take::Take,
};

/// When points of a target's feet bear, and how its source's knees bend, sample by sample of a motion.
#[value]
pub struct FollowedFeet {
    pub(super) num_samples: usize,
    /// Whether the last sample is followed by the first.
    pub(super) is_loop: bool,
    /// When points bear.
    points: Vec<Marks<FootPoint>>,
    /// Contacts of the joints whose sliding is measured.
    pub(super) stands: Vec<Marks<usize>>,
    /// The legs, by foot of the target.
    pub(super) legs: Vec<Option<FollowedLeg>>,
    /// Size of the target relative to its source, at least 1: a slide that is larger by this factor looks the same.
    pub(super) times_as_large: f64,
    /// Limits of standing on the target.
    pub(super) limits: ContactLimits,
    /// Speed of the source's feet over the ground while they stand, scaled to a target of its size or smaller, metres per
    /// second; only known for loops.
    pub(super) slide_of_source_mps: Option<f64>,
    /// Joints beside the target's body that follow one of its joints.
    pub(super) led: Vec<Led>,
    /// The target's soles, whose toes stay above the ground.
    pub(super) soles: Vec<Sole>,
    /// When the feet of a loop that follows only itself are on the ground.
    stays: Vec<Stay>,
    /// Whether the body follows another.
    pub(super) is_character: bool,
}

/// The samples at which a point or joint of a foot of the target is on the ground.
#[value]
pub(super) struct Marks<T> {
    pub foot: usize,
    of: T,
    pub at: Vec<bool>,
}

impl<T: Copy + PartialEq> Marks<T> {
    fn is_like(&self, other: &Self) -> bool {
        (self.foot, self.of) == (other.foot, other.of)
    }

    /// Marks samples of a motion of `num_samples`; keys run on around a loop.
    fn add(all: &mut Vec<Self>, foot: usize, of: T, keys: Range<usize>, num_samples: usize) {
        let index = all
            .iter()
            .position(|own| (own.foot, own.of) == (foot, of))
            .unwrap_or_else(|| {
                all.push(Self {
                    foot,
                    of,
                    at: vec![false; num_samples],
                });
                all.len() - 1
            });
        for key in keys {
            all[index].at[key % num_samples] = true;
        }
    }

    /// Marks values with at least half of the weight in a mix of motions; `samples` returns the mixed samples by foot and
    /// sample.
    fn mixed(
        motions: &[(&FollowedFeet, f64)],
        samples: &[Vec<Shares<'_>>],
        of: impl Fn(&FollowedFeet) -> &Vec<Self>,
    ) -> Vec<Self> {
        let mut mixed: Vec<Self> = Vec::new();
        for own in motions.iter().flat_map(|(feet, _)| of(feet)) {
            if !mixed.iter().any(|known| known.is_like(own)) {
                mixed.push(own.clone());
            }
        }
        for own in &mut mixed {
            let shares = samples[own.foot].iter().map(|those| -> f64 {
                those
                    .iter()
                    .filter(|(feet, at, _)| of(feet).iter().any(|other| other.is_like(own) && other.at[*at]))
                    .map(|(.., share)| share)
                    .sum()
            });
            own.at = shares.map(|share| share >= 0.5).collect();
        }
        mixed
    }
}

/// The parts of a mix at a sample: the feet of each motion, the sample of that motion, and its share of the weight.
type Shares<'a> = Vec<(&'a FollowedFeet, usize, f64)>;

/// A leg of the target and how the knee of its source bends.
#[value]
pub(super) struct FollowedLeg {
    /// Thigh, knee and ankle of the target.
    pub joints: [usize; 3],
    /// Angle between the bones of the source at every sample, radians.
    bent: Vec<f64>,
    /// The largest angular accelerations of the source's thigh, knee, ankle and toes over the whole motion, radians per second
    /// squared; infinite for missing joints.
    pub hardest: [f64; 4],
    /// The front of the target's sole, if a mesh shows it.
    pub front: Option<SoleFront>,
}

impl FollowedLeg {
    /// Returns its limits.
    pub(super) fn limits(&self) -> LegLimits {
        LegLimits {
            most_flexed: greatest(self.bent.iter().copied()) + KNEE_BEYOND_SOURCE,
            hardest: self.hardest,
            front: self.front,
        }
    }
}

impl FollowedFeet {
    /// Returns the feet at other samples; `from` holds the present sample that each shows.
    pub(super) fn sampled(&self, from: &[usize]) -> Self {
        let mut sampled = self.clone();
        sampled.num_samples = from.len();
        for own in &mut sampled.points {
            own.at = picked(&own.at, from);
        }
        for own in &mut sampled.stands {
            own.at = picked(&own.at, from);
        }
        for own in sampled.legs.iter_mut().flatten() {
            own.bent = picked(&own.bent, from);
        }
        sampled
    }

    /// Returns the feet of a mix of motions on one body: a point bears if it bears in motions with half of the weight.
    ///
    /// Each motion comes with its weight; `share` returns, for a motion and a foot, the share of its time at which a sample of
    /// the mix shows that foot. `None` without motions.
    pub fn mixed(
        motions: &[(&Self, f64)],
        num_samples: usize,
        share: impl Fn(usize, usize, usize) -> f64,
    ) -> Option<Self> {
        let (first, _) = motions.first()?;
        let total: f64 = motions.iter().map(|(_, weight)| weight).sum();
        let shares = |foot, sample| {
            motions
                .iter()
                .enumerate()
                .map(|(index, (feet, weight))| {
                    let at = share(index, foot, sample) * feet.num_samples as f64;
                    let at = (at.round() as isize).rem_euclid(feet.num_samples.max(1) as isize);
                    (*feet, at as usize, weight / total)
                })
                .collect()
        };
        let samples: Vec<Vec<Shares<'_>>> = (0..first.legs.len())
            .map(|foot| (0..num_samples).map(|sample| shares(foot, sample)).collect())
            .collect();
        let mut mixed = (*first).clone();
        mixed.num_samples = num_samples;
        mixed.points = Marks::mixed(motions, &samples, |feet| &feet.points);
        mixed.stands = Marks::mixed(motions, &samples, |feet| &feet.stands);
        for (foot, own) in mixed.legs.iter_mut().enumerate() {
            let Some(own) = own else { continue };
            let bent = |(feet, at, share): &(&Self, usize, f64)| {
                let leg = feet.legs.get(foot).and_then(Option::as_ref);
                leg.map_or(0.0, |leg| leg.bent[*at] * share)
            };
            own.bent = samples[foot].iter().map(|those| those.iter().map(bent).sum()).collect();
            let legs: Vec<&FollowedLeg> = motions
                .iter()
                .filter_map(|(feet, _)| feet.legs.get(foot)?.as_ref())
                .collect();
            own.hardest = core::array::from_fn(|joint| greatest(legs.iter().map(|leg| leg.hardest[joint])));
        }
        let motions = motions.iter();
        mixed.times_as_large = motions
            .clone()
            .map(|(feet, weight)| feet.times_as_large * weight / total)
            .sum();
        mixed.slide_of_source_mps = motions
            .map(|(feet, weight)| Some(feet.slide_of_source_mps? * weight / total))
            .sum();
        Some(mixed)
    }

    /// Returns the feet of a loop that follows only itself, relative to its constant twist, at samples dense enough to show
    /// touch-downs.
    pub fn of_itself(clip: &LoopClip, body: &Body, limits: ContactLimits) -> Self {
        let stage = Stage::of_loop(clip);
        let fine = clip.finely_sampled();
        let dense = Stage::of_loop(&fine);
        let model = FootModel::new(&dense, body, &limits);
        let num_samples = fine.num_samples();
        let legs = feet::legs_of(&stage, body).into_iter().zip(&body.feet);
        let mut own = Self {
            num_samples,
            is_loop: true,
            points: points_that_bear(feet::bearing(&dense, body, &model), num_samples),
            stands: Vec::new(),
            legs: legs
                .map(|(leg, foot)| {
                    let joints = leg?.joints();
                    Some(FollowedLeg {
                        joints,
                        bent: bends(&dense.world, joints).collect(),
                        hardest: hardest(&stage, joints, foot.toe),
                        front: None,
                    })
                })
                .collect(),
            stays: feet::bearings(&dense, body, &limits).stays,
            times_as_large: 1.0,
            limits,
            slide_of_source_mps: None,
            led: Vec::new(),
            soles: Vec::new(),
            is_character: false,
        };
        let keys = LoopKeys::from_loop(&fine);
        for (foot, of_body) in body.feet.iter().enumerate() {
            let joint = of_body.lowest_joint();
            let alone = Body {
                feet: vec![*of_body],
                ..body.clone()
            };
            for stand in quality::stands(&keys, &alone, None) {
                own.stands_during(foot, joint, stand);
            }
        }
        own
    }

    /// Returns when a foot is on the ground, in a loop that follows only itself: from and to a share of its time.
    pub fn stances(&self, foot: usize) -> Vec<[f64; 2]> {
        self.stays
            .iter()
            .filter(|stay| stay.foot == foot)
            .filter_map(|stay| Some([stay.strike?, stay.lift?].map(|sample| sample / self.num_samples as f64)))
            .collect()
    }

    fn stands_during(&mut self, foot: usize, joint: usize, stand: Stand) {
        Marks::add(&mut self.stands, foot, joint, stand.samples(), self.num_samples);
    }

    /// Returns when points of the target's feet bear.
    pub(super) fn bearing(&self) -> impl Iterator<Item = Bearing> {
        self.points.iter().flat_map(|own| {
            spans(own.foot, &own.at, !self.is_loop)
                .into_iter()
                .map(|contact| Bearing { point: own.of, contact })
        })
    }

    /// Returns when the target's feet stand: at the joint that follows that of the source, the ball of the foot or the ankle.
    pub fn stands(&self) -> Vec<Stand> {
        self.stands
            .iter()
            .flat_map(|own| {
                spans(own.foot, &own.at, !self.is_loop).into_iter().map(|span| Stand {
                    joint: own.of,
                    end: DVec3::ZERO,
                    first_sample: span.start_sample,
                    num_samples: span.num_samples,
                })
            })
            .collect()
    }

    /// Returns the speed of the target's feet over the ground while those of the source stand, metres per second; `None` if none
    /// stands.
    pub(super) fn slide(&self, stage: &Stage) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0.0);
        for stand in self.stands() {
            for key in stand.samples() {
                sum += stage.speed_over_ground(key % self.num_samples, stand.joint);
                count += 1.0;
            }
        }
        (count > 0.0).then(|| sum / count)
    }
}

impl Retarget {
    /// Returns when the target's feet stand by those of a loop of the source. Errors: no contacts are known.
    pub fn feet_of_loop(&self, source: &LoopClip) -> Result<FollowedFeet, LoopClipError> {
        let source = source.clone().on_screw()?;
        let mut feet = self.feet_of(&Stage::of_loop(&source));
        feet.slide_of_source_mps = self.slide_of_source(&source).map(|mps| mps * self.scale.min(1.0));
        for (foot, [_, ours]) in self.stands_of_both(&source) {
            feet.stands_during(foot, ours.joint, ours);
        }
        Ok(feet)
    }

    /// Returns when the target's feet stand by those of a take of the source, frame by frame.
    pub fn feet_of_take(&self, source: &Take) -> FollowedFeet {
        let tracks = source.tracks();
        let mut feet = self.feet_of(&Stage::new(
            tracks,
            Course::in_world(tracks.step_secs(), tracks.num_frames()),
        ));
        // Over minutes the ground may rise, so that the fixed limits of a loop do not apply.
        for (index, foot) in self.target.body.feet.iter().enumerate() {
            let lowest = foot.toe.map_or(FootPoint::Ankle, |_| FootPoint::Ball);
            let own = feet.points.iter().find(|own| (own.foot, own.of) == (index, lowest));
            let stands = own.map(|own| Marks {
                foot: index,
                of: foot.lowest_joint(),
                at: own.at.clone(),
            });
            feet.stands.extend(stands);
        }
        feet
    }

    /// Returns the points that bear, and how knees bend.
    fn feet_of(&self, source: &Stage) -> FollowedFeet {
        let num_samples = source.num_samples();
        FollowedFeet {
            num_samples,
            is_loop: source.is_loop(),
            points: points_that_bear(self.bearing(source), num_samples),
            stands: Vec::new(),
            stays: Vec::new(),
            is_character: true,
            legs: self
                .target
                .body
                .feet
                .iter()
                .map(|foot| self.leg_of(foot, source))
                .collect(),
            times_as_large: self.scale.max(1.0),
            limits: self.source.contacts.scaled(self.scale),
            slide_of_source_mps: None,
            led: self.led.clone(),
            soles: self.soles.iter().flatten().map(|[sole, _]| sole.clone()).collect(),
        }
    }

    /// Returns the leg of a foot of the target, and how the knee of the source bends.
    fn leg_of(&self, foot: &Foot, source: &Stage) -> Option<FollowedLeg> {
        let followed = self.followed_leg(foot.ankle)?;
        let theirs = followed.reaches?.ends()?;
        Some(FollowedLeg {
            joints: leg_that_ends_in(&self.target, foot.ankle)?.reaches?.ends()?,
            bent: bends(&source.world, theirs).collect(),
            hardest: hardest(source, theirs, followed.toe),
            front: self.target.front_of_sole(foot),
        })
    }

    /// Returns when the target's feet stand by those of a loop of the source: see [`FollowedFeet::stands`].
    pub fn stands(&self, source: &LoopClip) -> Vec<Stand> {
        self.feet_of_loop(source)
            .map_or_else(|_| Vec::new(), |feet| feet.stands())
    }

    /// Returns the speed of the source's own feet over the ground while they stand, at the joints that are followed, metres per
    /// second.
    pub fn slide_of_source(&self, source: &LoopClip) -> Option<f64> {
        let stands: Vec<Stand> = self.stands_of_both(source).map(|(_, [theirs, _])| theirs).collect();
        quality::foot_slide_of_stances(&LoopKeys::from_loop(source), &stands)
    }

    /// Returns each stance of the source with that of the target's foot that follows.
    fn stands_of_both(&self, source: &LoopClip) -> impl Iterator<Item = (usize, [Stand; 2])> {
        let keys = LoopKeys::from_loop(source);
        self.target.body.feet.iter().enumerate().flat_map(move |(index, foot)| {
            let from = self.followed_foot(foot.ankle);
            let feet = from.map(|from| {
                let own = self.source.body.feet[from];
                Foot {
                    toe: own.toe.filter(|_| foot.toe.is_some()),
                    ..own
                }
            });
            let body = Body {
                feet: feet.into_iter().collect(),
                ..self.source.body.clone()
            };
            let joint = foot.lowest_joint();
            let end = self.target.body.end_of(joint);
            quality::stands(&keys, &body, None)
                .into_iter()
                .map(move |theirs| (index, [theirs, Stand { joint, end, ..theirs }]))
        })
    }

    /// Returns when points of the target's feet bear, according to those of the source.
    fn bearing(&self, source: &Stage) -> Vec<Bearing> {
        let model = FootModel::new(source, &self.source.body, &self.source.contacts);
        let theirs = feet::bearing(source, &self.source.body, &model);
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
                    ([_, false], FootPoint::Ankle | FootPoint::Heel) => bearing.point,
                    // Without toes a foot rolls over its end.
                    ([true, false], FootPoint::Ball) | ([false, false], FootPoint::Tip) => FootPoint::Tip,
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

    /// Returns the foot of the target that follows a foot of the source.
    pub fn foot_that_follows(&self, foot: usize) -> Option<usize> {
        let mut feet = self.target.body.feet.iter();
        feet.position(|own| self.followed_foot(own.ankle) == Some(foot))
    }

    /// Returns the foot of the source that one of the target follows, by its ankle.
    fn followed_foot(&self, ankle: usize) -> Option<usize> {
        let last = *self.followed_leg(ankle)?.joints.last()?;
        self.source.body.feet.iter().position(|foot| foot.ankle == last)
    }

    /// Returns the leg of the source that the target's with this ankle follows.
    fn followed_leg(&self, ankle: usize) -> Option<&Limb> {
        self.source.anatomy.limb(leg_that_ends_in(&self.target, ankle)?)
    }
}

fn leg_that_ends_in(rig: &Rig, ankle: usize) -> Option<&Limb> {
    rig.anatomy.legs().find(|limb| limb.joints.last() == Some(&ankle))
}

/// Returns the samples at which each point bears.
fn points_that_bear(bearing: Vec<Bearing>, num_samples: usize) -> Vec<Marks<FootPoint>> {
    let mut points = Vec::new();
    for Bearing { point, contact } in bearing {
        Marks::add(&mut points, contact.foot, point, contact.keys(), num_samples);
    }
    points
}

/// Returns the angle between the bones of a limb at every sample, radians.
pub(super) fn bends(world: &WorldTracks, joints: [usize; 3]) -> impl Iterator<Item = f64> {
    (0..world.num_frames()).map(move |frame| {
        let [upper, lower, end] = joints.map(|joint| world.position(frame, joint));
        (lower - upper).angle_between(end - lower)
    })
}

/// The largest angular accelerations of the joints of a leg and of its toes, radians per second squared; infinite without toes.
fn hardest(stage: &Stage, [upper, lower, end]: [usize; 3], toe: Option<usize>) -> [f64; 4] {
    [Some(upper), Some(lower), Some(end), toe]
        .map(|joint| joint.map_or(f64::INFINITY, |joint| feet::hardest_turn(stage, joint)))
}

/// Returns the values at some places.
fn picked<T: Copy>(values: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|&at| values[at]).collect()
}
