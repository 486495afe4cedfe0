//! Holds feet while loops are mixed and switches fade, since the mean of standing feet slides.
//!
//! Places are those of the tips of feet, relative to the root. The root never moves for them; hips and knees do. While a foot stands, its
//! tip follows the motion of the loops in their own files, so that a loop alone is unchanged; after that the correction fades. Source of
//! the leg: docs/math/feet.md.

use glam::{DQuat, DVec3};
use loopwright_core::{
    Pose, Skeleton,
    math::{Decay, Rigid, Spring, ops},
};

use crate::{
    keys::{Lanes, rigid},
    set::MotionSet,
    source::Source,
};

/// Time in which a foot is gripped or released, seconds; the release begins this long before it lifts.
const GRIP_SECS: f64 = 0.033;

/// Both feet stand if the loops that step have less than this weight.
const STANDING_WEIGHT: f64 = 0.15;

/// Half-life of a correction once the foot has lifted, seconds.
const RELEASE_SECS: f64 = 0.08;

/// Greatest height of a foot that can stand during a fade, metres.
const TOUCHING_METRES: f64 = 0.015;

/// The body takes half of the corrections of standing feet: half-life in seconds, and its most as a share of a leg.
const BODY_HALF_LIFE_SECS: f64 = 0.15;
const MOST_BODY: f64 = 0.1;

/// Hips lower for a leg that lacks length: half-life in seconds, and their most as a share of a leg.
const LOWERED_HALF_LIFE_SECS: f64 = 0.05;
const MOST_LOWERED: f64 = 0.05;

/// A straight leg, as a share of its length.
const STRAIGHT: f64 = 0.995;

/// A foot that is corrected by more than these shares of a leg makes a step: the first while the other foot stands, the second in any case.
/// A correction never exceeds the third.
const STEP_SHARE: f64 = 0.18;
const STEP_ANYWAY_SHARE: f64 = 0.29;
const MOST_SHARE: f64 = 0.36;

/// The fade of a correction by a step, and the most that its rate counts, legs per second: more would throw the foot of a small body past its reach.
const STEP: Decay = Decay::Quintic { blend_secs: STEP_SECS };
const STEP_SECS: f64 = 0.3;
const MOST_STEP_RATE: f64 = 1.75;

/// Corrections below this do nothing, and those below the second only in part, metres: near full length a millimetre takes degrees of a knee.
const NOTHING_METRES: f64 = 2e-4;
const WHOLE_METRES: f64 = 0.003;

/// Knees that are corrected bend no less than about this, and how softly, radians.
const LEAST_BEND: f64 = 0.01;
const SOFT_BEND: f64 = 0.03;

/// Less is not bent, radians.
const LEAST_MORE: f64 = 5e-4;

/// The clips that play: one to three.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Playlist {
    clips: [Played; 3],
    count: usize,
}

impl core::ops::Deref for Playlist {
    type Target = [Played];

    fn deref(&self) -> &[Played] {
        &self.clips[..self.count]
    }
}

impl Playlist {
    /// Returns the clips of a source with their weights, and their times: before the last advance, and now.
    pub(crate) fn new(set: &MotionSet, source: &Source, from: Option<f64>) -> Self {
        let mut list = Self::default();
        match source {
            Source::Once(clip, secs) => {
                list.count = 1;
                list.clips[0] = Played {
                    clip: *clip,
                    weight: 1.0,
                    secs: [from.unwrap_or(*secs), *secs],
                };
            }
            Source::Cycle(cycle) => {
                let (parts, from) = (cycle.parts(set, 0.0), from.unwrap_or(cycle.phase));
                // A cycle may have ended meanwhile.
                let to = cycle.phase + (from - cycle.phase).ceil().max(0.0);
                list.count = parts.len();
                for (into, part) in list.clips.iter_mut().zip(&*parts) {
                    *into = Played {
                        clip: part.clip,
                        weight: part.weight,
                        secs: [from, to].map(|phase| set.clips[part.clip].secs_at(phase)),
                    };
                }
            }
        }
        list
    }

    /// Puts the sum of their bodies into a row of [`MotionSet::row`].
    pub(crate) fn body(&self, set: &MotionSet, into: &mut [Lanes]) {
        into.fill(Lanes::default());
        for part in &**self {
            set.clips[part.clip].body.add(part.secs[1], part.weight, into);
        }
    }
}

/// A playing clip: its weight, and its time before and now.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Played {
    pub clip: usize,
    pub weight: f64,
    pub secs: [f64; 2],
}

#[derive(Clone, Copy, Debug, Default)]
struct Foot {
    /// Displacement of its tip over the ground, besides that of the body, and its rate.
    offset: DVec3,
    rate: DVec3,
    /// How firmly it stands, 0 to 1.
    grip: f64,
    /// The place of its tip, moved along with the loops.
    place: DVec3,
    /// A step that corrects it: the seconds since it began, and the offset and rate at its start.
    step: Option<(f64, [DVec3; 2])>,
}

impl Foot {
    fn begin_step(&mut self, leg: f64) {
        self.step = Some((0.0, [self.offset, self.rate.clamp_length_max(MOST_STEP_RATE * leg)]));
        self.grip = 0.0;
    }

    /// Advances a step; returns how high it is lifted.
    fn go_on(&mut self, secs: f64) -> f64 {
        let Some((played_secs, [offset, rate])) = &mut self.step else {
            return 0.0;
        };
        *played_secs += secs;
        let u = (*played_secs / STEP_SECS).min(1.0);
        let fading = STEP.at(*played_secs);
        self.offset = *offset * fading.position.value + *rate * fading.velocity.value;
        let height = (0.03 + 0.25 * offset.length()).min(0.06);
        if u >= 1.0 {
            self.step = None;
        }
        height * 16.0 * (u * (1.0 - u)) * (u * (1.0 - u))
    }
}

/// Returns a value and its rate some seconds later, as a spring pulls the value to a goal.
pub(crate) fn sprung([value, rate]: [f64; 2], goal: f64, half_life_secs: f64, secs: f64) -> [f64; 2] {
    let spring = Spring {
        value,
        rate,
        goal,
        half_life_secs,
    };
    let later = spring.at(secs);
    [later.value, later.rate]
}

/// Feet that are held, from frame to frame.
#[derive(Clone, Debug)]
pub(crate) struct Hold {
    feet: [Foot; 2],
    /// The body over its root.
    body: [DVec3; 2],
    /// How far the hips are lowered, and the rate.
    lowered: [f64; 2],
    world: Pose,
    /// Joints from the root to the tips, parents first.
    chain: Vec<usize>,
    is_new: bool,
}

impl Hold {
    /// Creates the hold of a set's legs; `None` without two.
    pub(crate) fn new(set: &MotionSet) -> Option<Self> {
        let [left, right] = &set.legs[..] else { return None };
        let mut chain: Vec<usize> = [left, right]
            .iter()
            .flat_map(|leg| set.skeleton().path_from_root(leg.tip))
            .collect();
        chain.sort_unstable();
        chain.dedup();
        let joints = set.skeleton().num_joints();
        Some(Self {
            feet: [Foot::default(); 2],
            body: [DVec3::ZERO; 2],
            lowered: [0.0; 2],
            world: (0..joints).map(|_| (DVec3::ZERO, DQuat::IDENTITY)).collect(),
            chain,
            is_new: true,
        })
    }

    /// Releases both feet at once.
    pub(crate) fn let_go(&mut self) {
        (self.feet, self.body, self.lowered) = Default::default();
        self.is_new = true;
    }

    /// Returns whether each foot steps to correct its place.
    pub(crate) fn stepping(&self) -> [bool; 2] {
        self.feet.map(|foot| foot.step.is_some())
    }

    /// Moves the held places along with a motion of the root, and with the motion of the clips in their own files.
    pub(crate) fn follow(&mut self, set: &MotionSet, root_step: Rigid, played: &[Played]) {
        let back = root_step.inverse();
        for vector in &mut self.body {
            *vector = back.rotation * *vector;
        }
        for foot in &mut self.feet {
            foot.place = back.transform_point(foot.place);
            foot.offset = back.rotation * foot.offset;
            foot.rate = back.rotation * foot.rate;
            if let Some((_, start)) = &mut foot.step {
                *start = start.map(|vector| back.rotation * vector);
            }
        }
        // Weights are squared, so that the heavier loop dominates: if it stands while a lighter one rolls, feet stand.
        let squares: f64 = played.iter().map(|part| part.weight * part.weight).sum();
        for &Played { clip, weight, secs } in played {
            let clip = &set.clips[clip];
            let back = if clip.loops() {
                clip.twist().exp(secs[0] - secs[1])
            } else {
                clip.root(secs[1]).inverse() * clip.root(secs[0])
            };
            for (side, foot) in self.feet.iter_mut().enumerate() {
                if clip.contacts[side].bears(secs[1]) {
                    let [before, now] = secs.map(|secs| clip.tip(secs, side));
                    foot.place += weight * weight / squares * (now - back.transform_point(before));
                }
            }
        }
    }

    /// Corrects a pose `secs` after the last one. `row` is the weighted sum of the clips with their tips, and of what still fades.
    pub(crate) fn apply(&mut self, set: &MotionSet, frame: &Frame, pose: &mut Pose) {
        let tips = [0, 1].map(|side| rigid(&frame.row[pose.translations.len() + side]).translation);
        let grips = [0, 1].map(|side| frame.grip(set, side, tips[side].y, self.feet[side].grip));
        if self.is_new {
            self.is_new = false;
            for ((foot, tip), grip) in self.feet.iter_mut().zip(tips).zip(grips) {
                (foot.place, foot.grip) = (tip, grip);
            }
        }
        let most = set.legs[0].length;
        self.move_body(most, frame.secs);
        let mut lifts = [0.0; 2];
        for side in 0..2 {
            let stands = self.feet[1 - side].grip > 0.5 && self.feet[1 - side].step.is_none();
            let body = self.body[0];
            let foot = &mut self.feet[side];
            if foot.step.is_some() {
                lifts[side] = foot.go_on(frame.secs);
            } else {
                let pace = frame.secs / GRIP_SECS;
                foot.grip += (grips[side] - foot.grip).clamp(-pace, pace);
                let before = foot.offset;
                let off = (tips[side] + body + foot.offset - foot.place).with_y(0.0);
                let held = foot.offset - foot.grip * off;
                let left = ops::exp(-core::f64::consts::LN_2 * (1.0 - foot.grip) * frame.secs / RELEASE_SECS);
                foot.offset = (held * left).clamp_length_max(MOST_SHARE * most);
                if frame.secs > 0.0 {
                    foot.rate = (foot.offset - before) / frame.secs;
                }
                let far = foot.offset.length();
                if far > STEP_ANYWAY_SHARE * most || (far > STEP_SHARE * most && stands) {
                    foot.begin_step(most);
                }
            }
            let foot = &mut self.feet[side];
            foot.place = tips[side] + body + foot.offset;
        }
        let is_plain = frame.played.len() == 1 && !frame.fades;
        let moved = self.feet.iter().map(|foot| foot.offset.length()).sum::<f64>() + self.body[0].length();
        if !(is_plain && moved + self.lowered[0] < NOTHING_METRES) {
            self.solve(
                set,
                frame.fades,
                [0, 1].map(|side| self.feet[side].place + DVec3::Y * lifts[side]),
                pose,
                frame.secs,
            );
        }
    }

    /// Moves the body by half of the displacement of standing feet.
    fn move_body(&mut self, leg: f64, secs: f64) {
        let grips: f64 = self.feet.iter().map(|foot| foot.grip).sum();
        let moved: DVec3 = self
            .feet
            .iter()
            .map(|foot| (self.body[0] + foot.offset) * foot.grip)
            .sum();
        let goal = (0.5 / grips.max(1.0) * moved).clamp_length_max(MOST_BODY * leg);
        let [at, rate] = self.body;
        let [x, z] = [0, 2].map(|axis| sprung([at[axis], rate[axis]], goal[axis], BODY_HALF_LIFE_SECS, secs));
        self.body = [0, 1].map(|term| DVec3::new(x[term], 0.0, z[term]));
    }

    /// Moves hips and legs so that tips reach their places.
    fn solve(&mut self, set: &MotionSet, fades: bool, places: [DVec3; 2], pose: &mut Pose, secs: f64) {
        let skeleton = set.skeleton();
        self.find_world(skeleton, pose, 0);
        let way = |side: usize, world: &Pose| places[side] - world.translations[set.legs[side].tip];
        let lack = [0, 1].map(|side| {
            let leg = &set.legs[side];
            let [thigh, _, ankle] = leg.bones.joints().map(|joint| self.world.translations[joint]);
            let wanted = ankle + way(side, &self.world) - self.body[0];
            let longest = (ankle - thigh).length().max(STRAIGHT * leg.length);
            self.feet[side].grip * (wanted.distance(thigh) - longest)
        });
        let goal = lack[0].max(lack[1]).clamp(0.0, MOST_LOWERED * set.legs[0].length);
        self.lowered = sprung(self.lowered, goal, LOWERED_HALF_LIFE_SECS, secs);
        let shift = self.body[0] - DVec3::Y * self.lowered[0];
        let hips = set.legs[0].hips;
        let above = skeleton
            .parent(hips)
            .map_or(DQuat::IDENTITY, |above| self.world.rotations[above]);
        pose.translations[hips] += above.conjugate() * shift;
        self.find_world(skeleton, pose, hips);
        for (side, leg) in set.legs.iter().enumerate() {
            let u = (way(side, &self.world).length() / WHOLE_METRES).min(1.0);
            let share = if fades { 1.0 } else { u * u * (3.0 - 2.0 * u) };
            // Otherwise a knee that a fade or a loop has bent the wrong way would bend further that way.
            let bend = leg.bones.flexion(skeleton, &self.world);
            let over = bend - LEAST_BEND;
            let more = share * (LEAST_BEND + 0.5 * (over + (over * over + SOFT_BEND * SOFT_BEND).sqrt()) - bend);
            if more > LEAST_MORE {
                leg.bones.bend_knee(skeleton, pose, &self.world, more);
                self.find_world(skeleton, pose, leg.bones.joints()[1]);
            }
            let moved = way(side, &self.world);
            leg.bones.move_ankle(skeleton, pose, &self.world, moved * share);
        }
    }

    /// Finds the world's transforms of the joints of the legs from one on.
    fn find_world(&mut self, skeleton: &Skeleton, pose: &Pose, first: usize) {
        for &joint in self.chain.iter().filter(|joint| **joint >= first) {
            let (place, rotation) = (pose.translations[joint], pose.rotations[joint]);
            let (place, rotation) = match skeleton.parent(joint) {
                Some(above) => {
                    let turn = self.world.rotations[above];
                    (self.world.translations[above] + turn * place, turn * rotation)
                }
                None => (place, rotation),
            };
            (self.world.translations[joint], self.world.rotations[joint]) = (place, rotation);
        }
    }
}

/// The inputs for holding feet in a frame.
pub(crate) struct Frame<'a> {
    pub played: &'a [Played],
    pub row: &'a [Lanes],
    pub fades: bool,
    pub secs: f64,
}

impl Frame<'_> {
    /// Returns how firmly a foot should stand with its tip at a height. It stands if the loops in which it bears have more than half of the
    /// weight of all loops that step.
    fn grip(&self, set: &MotionSet, side: usize, height: f64, before: f64) -> f64 {
        let (mut stepping, mut bearing, mut mean) = (0.0, 0.0, 0.0);
        for &Played { clip, weight, secs } in self.played {
            let clip = &set.clips[clip];
            let contacts = &clip.contacts[side];
            let stands = contacts.bears(secs[1]) && contacts.bears(secs[1] + GRIP_SECS);
            if !clip.stands() {
                stepping += weight;
                bearing += if stands { weight } else { 0.0 };
            }
            if self.fades {
                mean += weight * clip.tip(secs[1], side).y;
            }
        }
        let stands = stepping < STANDING_WEIGHT || bearing > 0.5 * stepping;
        let off = if self.fades && before < 0.5 {
            (height - mean) / TOUCHING_METRES
        } else {
            0.0
        };
        let near = (1.0 + off * off).recip();
        if stands { near * near } else { 0.0 }
    }
}
