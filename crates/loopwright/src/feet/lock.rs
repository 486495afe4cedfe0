//! Foot lock: feet that stand stay where they stand, in the frame that moves with the twist.
//!
//! Every foot gets offsets in the world. While it stands they hold its lowest joint in one place; from one stance to the next
//! they fade as the offsets of a closure do, C1 throughout. Two-bone legs then carry the feet there, each keeping its turn,
//! so that it rolls over heel and toe as captured; where a leg cannot reach, or would have to bend all at once, heel and hips
//! give way. All of it follows the unrolled loop, so what comes out repeats exactly. Derivation: docs/math/feet.md.

use glam::{DQuat, DVec3};

use super::{
    contact::LoopContact,
    leg::{Bend, Leg},
    stride::{self, Stride},
};
use crate::{
    analysis::standing::{CREEP_METRES, CREEP_MPS, CREEP_SECS},
    closure::{
        Order, Shape,
        boundary::{Boundary, BoundaryError},
        targets::Targets,
    },
    loop_clip::LoopClip,
    math::{ops, rotation},
    motion::Tracks,
    root_motion::RootTravel,
    take::WorldTracks,
};

/// Offsets of a foot fade over this long on either side of a stance, seconds.
///
/// Shorter, and the knee jerks; longer, and the swing is bent for the sake of the stance.
const FADE_SECS: f64 = 0.4;

/// What matches the speeds at its ends fades over this long, seconds: over longer it carries the foot too far ahead.
const RATE_FADE_SECS: f64 = 0.25;

/// The place of a stance is the mean of where the foot was, slower samples counting more: half at this speed, metres per second.
const SLOW_MPS: f64 = 0.1;

/// A foot that stands is held level within about this, metres; what it rises beyond is a roll over the toes, and kept.
const ROLL_METRES: f64 = 0.006;

/// Between two stances a foot is free for at least this long, seconds.
const SWING_SECS: f64 = 0.1;

/// Speeds at the ends of a stance are those over this long, seconds: over less the noise of a capture tells them.
const SPEED_SECS: f64 = 0.03;

/// What is done to a foot: offsets in the root's axes, one for each sample of the loop, metres.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FootOffsets {
    pub(super) offsets: Vec<DVec3>,
    /// Per sample the time to where the foot is held, seconds; 0 there.
    pub(super) away_secs: Vec<f64>,
    /// Spans over which the foot is held.
    pub(super) spans: Vec<LoopContact>,
}

impl FootOffsets {
    /// Farthest that the foot is moved while it surely stands, in any of `contacts`, metres.
    pub(super) fn farthest_held(&self, contacts: &[LoopContact]) -> f64 {
        let count = self.offsets.len();
        let keys = contacts.iter().flat_map(LoopContact::keys);
        keys.map(|key| self.offsets[key % count].length()).fold(0.0, f64::max)
    }
}

/// The loop's travel and its samples, seen from the root.
pub(super) struct Stage<'a> {
    pub(super) clip: &'a LoopClip,
    pub(super) travel: RootTravel,
    pub(super) world: WorldTracks,
}

impl Stage<'_> {
    pub(super) fn places(&self, joint: usize) -> Vec<DVec3> {
        (0..self.clip.num_samples())
            .map(|sample| self.world.position(sample, joint))
            .collect()
    }

    /// World position of a point seen from the root at a key of any cycle.
    fn to_world(&self, key: isize, place: DVec3) -> DVec3 {
        self.travel
            .at(key as f64 * self.clip.step_secs())
            .transform_point(place)
    }

    /// How the joint above one is turned at a sample, seen from the root.
    pub(super) fn turn_above(&self, sample: usize, joint: usize) -> DQuat {
        let above = self.clip.skeleton().parent(joint);
        above.map_or(DQuat::IDENTITY, |joint| self.world.rotation(sample, joint))
    }

    /// The up axis of the world, seen from the root.
    pub(super) fn up(&self, sample: usize) -> DVec3 {
        let root = self.travel.at(sample as f64 * self.clip.step_secs());
        root.rotation.conjugate() * DVec3::Y
    }
}

/// A stance: where the foot was and where it is held, both in the world.
struct Stance<'a> {
    stage: &'a Stage<'a>,
    places: &'a [DVec3],
    contact: LoopContact,
    hold: DVec3,
}

impl<'a> Stance<'a> {
    /// `room` says how many samples before and after the contact belong to nobody else.
    fn of(stage: &'a Stage<'a>, places: &'a [DVec3], contact: LoopContact, room: [usize; 2]) -> Self {
        let mut stance = Self {
            stage,
            places,
            contact,
            hold: DVec3::ZERO,
        };
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        for key in contact.keys() {
            let key = key as isize;
            let speed = (stance.place(key + 1) - stance.place(key - 1)).length() / (2.0 * stage.clip.step_secs());
            let weight = 1.0 / (1.0 + (speed / SLOW_MPS).powi(2));
            sum += stance.place(key) * weight;
            total += weight;
        }
        stance.hold = sum / total;
        stance.grow(room);
        stance
    }

    /// Holds the foot somewhat longer than it surely stands: as long as it creeps.
    fn grow(&mut self, room: [usize; 2]) {
        let step_secs = self.stage.clip.step_secs();
        let most = (CREEP_SECS / step_secs).round() as usize;
        let creeps = |key: isize, mps: f64| {
            let moved = self.place(key + 1) - self.place(key - 1);
            ops::hypot(moved.x, moved.z) < mps * 2.0 * step_secs && self.place(key).y - self.hold.y < CREEP_METRES
        };
        let keys = self.contact.keys();
        let (first, last) = (keys.start as isize, keys.end as isize - 1);
        let steps = |end: usize, key: &dyn Fn(usize) -> isize| {
            (1..=room[end].min(most))
                .take_while(|&step| creeps(key(step), CREEP_MPS[end]))
                .count()
        };
        let before = steps(0, &|step| first - step as isize);
        let after = steps(1, &|step| last + step as isize);
        self.contact.num_samples += before + after;
        if self.contact.start_sample >= before {
            self.contact.start_sample -= before;
            return;
        }
        // The span now starts before the seam: it is told as that of the next cycle, and so is its place.
        let count = self.places.len();
        self.contact.start_sample += count - before;
        let root = |key: usize| self.stage.travel.at(key as f64 * step_secs);
        self.hold = (root(count) * root(0).inverse()).transform_point(self.hold);
    }

    /// Where the foot is, in the frame in which it is held: the world, or the root's where it never leaves the ground.
    fn place(&self, key: isize) -> DVec3 {
        let place = self.places[key.rem_euclid(self.places.len() as isize) as usize];
        if self.contact.num_samples == self.places.len() {
            place
        } else {
            self.stage.to_world(key, place)
        }
    }

    /// What holds the foot: all it moves along the ground, and small moves up and down.
    fn offset(&self, key: isize) -> DVec3 {
        let off = self.place(key) - self.hold;
        let rise = off.y.max(0.0);
        let roll = rise.powi(3) / (rise * rise + ROLL_METRES * ROLL_METRES);
        DVec3::new(-off.x, roll - off.y, -off.z)
    }

    fn rate(&self, key: isize) -> DVec3 {
        let step_secs = self.stage.clip.step_secs();
        let half = ((0.5 * SPEED_SECS / step_secs).round() as isize).max(1);
        (self.offset(key + half) - self.offset(key - half)) / (2.0 * half as f64 * step_secs)
    }

    /// Offsets in the world on the way to the next stance, whose first key is `start` in this one's cycle: they fade from the one to
    /// the other, C1, and keep the foot above the ground.
    fn swing(&self, next: &Self, start: usize) -> Result<Vec<DVec3>, BoundaryError> {
        let step_secs = self.stage.clip.step_secs();
        let end = self.contact.keys().end - 1;
        let first = next.contact.start_sample;
        let gap_secs = (start - end) as f64 * step_secs;
        let fade = |secs: f64| {
            let blend_secs = secs.min(gap_secs);
            let shape = Shape::Quintic { blend_secs };
            Boundary::new(shape, shape, gap_secs, Order::C1)
        };
        let (slow, fast) = (fade(FADE_SECS)?, fade(RATE_FADE_SECS)?);
        // What holds the next stance and where, moved on as the root moves by then.
        let root = |key: usize| self.stage.travel.at(key as f64 * step_secs);
        let on = root(start - first) * root(0).inverse();
        let none = [DVec3::ZERO; 2];
        let values = Targets {
            value: [self.offset(end as isize), on.rotation * next.offset(first as isize)],
            rate: none,
            acceleration: none,
        };
        let rates = Targets {
            value: none,
            rate: [self.rate(end as isize), on.rotation * next.rate(first as isize)],
            acceleration: none,
        };
        // The ground goes in a line from where the foot stood to where it will.
        let climb = on.transform_point(next.hold).y - self.hold.y;
        let (mut swing, mut below) = (Vec::new(), Vec::new());
        for key in end + 1..start {
            let secs = (key - end) as f64 * step_secs;
            let offset = values.mix(&slow.weights(secs).value) + rates.mix(&fast.weights(secs).value);
            let ground = self.hold.y + secs / gap_secs * climb;
            below.push(ground - self.place(key as isize).y - offset.y);
            swing.push(offset);
        }
        let lift = raised(&below, (LIFT_SECS / step_secs).round() as usize);
        for (offset, lift) in swing.iter_mut().zip(lift) {
            offset.y += lift;
        }
        Ok(swing)
    }
}

/// The stances of a foot, each with as much of the time between two of them as it creeps.
fn stances<'a>(stage: &'a Stage<'a>, places: &'a [DVec3], contacts: &[LoopContact]) -> Vec<Stance<'a>> {
    let count = places.len();
    let least = (SWING_SECS / stage.clip.step_secs()).round().max(2.0) as usize;
    // What lies between two stances is shared, but for a swing that stays.
    let room = |index: usize| {
        let (this, next) = (contacts[index], contacts[(index + 1) % contacts.len()]);
        let gap = (next.start_sample + 2 * count - this.keys().end) % count;
        gap.saturating_sub(least) / 2
    };
    (0..contacts.len())
        .map(|index| {
            let before = (index + contacts.len() - 1) % contacts.len();
            Stance::of(stage, places, contacts[index], [room(before), room(index)])
        })
        .collect()
}

/// A foot that passes below the ground on its way is raised over this long on either side, seconds.
const LIFT_SECS: f64 = 0.1;

/// By how much to raise what is `below` the ground, where it is above zero: never by less, smoothly, and not at all at either end.
///
/// The highest need within reach, then its mean under a bump of half that reach; towards the ends both reach less far.
fn raised(below: &[f64], reach: usize) -> Vec<f64> {
    let count = below.len();
    if below.iter().all(|&below| below <= 0.0) {
        return vec![0.0; count];
    }
    let around = |index: usize, part: usize| {
        let reach = reach.min(index).min(count - 1 - index) / part;
        index - reach..=index + reach
    };
    let highest: Vec<f64> = (0..count)
        .map(|index| below[around(index, 1)].iter().copied().fold(0.0, f64::max))
        .collect();
    (0..count)
        .map(|index| {
            let span = around(index, 2);
            let weights = bump((span.end() - span.start()) / 2);
            highest[span]
                .iter()
                .zip(weights)
                .map(|(high, weight)| high * weight)
                .sum()
        })
        .collect()
}

/// Offsets that hold the foot whose lowest joint is at `places` over `contacts`, which are in order.
pub(super) fn offsets(
    stage: &Stage<'_>,
    places: &[DVec3],
    contacts: &[LoopContact],
) -> Result<FootOffsets, BoundaryError> {
    let count = places.len();
    let step_secs = stage.clip.step_secs();
    let mut found = FootOffsets {
        offsets: vec![DVec3::ZERO; count],
        away_secs: vec![f64::INFINITY; count],
        spans: Vec::new(),
    };
    let stances = stances(stage, places, contacts);
    for (index, stance) in stances.iter().enumerate() {
        found.spans.push(stance.contact);
        let stands_always = stance.contact.num_samples == count;
        let back = |key: usize| {
            if stands_always {
                DQuat::IDENTITY
            } else {
                stage.travel.at(key as f64 * step_secs).rotation.conjugate()
            }
        };
        for key in stance.contact.keys() {
            found.offsets[key % count] = back(key) * stance.offset(key as isize);
            found.away_secs[key % count] = 0.0;
        }
        if stands_always {
            break;
        }
        let next = &stances[(index + 1) % stances.len()];
        let end = stance.contact.keys().end - 1;
        // The next stance, seen in this cycle; its own samples may be those of the cycle before.
        let start = next.contact.start_sample + if next.contact.start_sample > end { 0 } else { count };
        for (key, offset) in (end + 1..start).zip(stance.swing(next, start)?) {
            found.offsets[key % count] = back(key) * offset;
            found.away_secs[key % count] = (key - end).min(start - key) as f64 * step_secs;
        }
    }
    Ok(found)
}

/// A foot and what is done to it.
pub(super) struct PlantedFoot {
    pub(super) leg: Leg,
    /// The joint that is held; the ankle itself where the foot has no other.
    pub(super) lowest: usize,
    pub(super) offsets: FootOffsets,
    /// What the offsets do from one sample to the next, beyond what they do over a few: the noise of the capture, undone.
    rough: Vec<DVec3>,
}

impl PlantedFoot {
    pub(super) fn new(leg: Leg, lowest: usize, offsets: FootOffsets, step_secs: f64) -> Self {
        let reach = reach_of(NOISE_SECS, step_secs, offsets.offsets.len());
        let smooth = smoothed(&offsets.offsets, reach);
        Self {
            leg,
            lowest,
            rough: offsets
                .offsets
                .iter()
                .zip(smooth)
                .map(|(&all, smooth)| all - smooth)
                .collect(),
            offsets,
        }
    }
}

/// What changes within this long on either side is noise, seconds.
const NOISE_SECS: f64 = 0.03;

/// Samples that last so long, at least one, and on both sides no more than a loop of `count` has.
pub(super) fn reach_of(secs: f64, step_secs: f64, count: usize) -> usize {
    ((secs / step_secs).round() as usize).clamp(1, (count - 1) / 2)
}

/// Samples with feet in their places.
pub(super) struct Held {
    pub(super) tracks: Tracks,
    /// How far the hips rise at every sample, metres; most sink.
    pub(super) hips: Vec<f64>,
}

/// Puts all feet in their places.
///
/// `lifted` is the joint that carries the whole body. Legs that nothing moves come back bit for bit.
pub(super) fn hold(stage: &Stage<'_>, feet: &[PlantedFoot], lifted: usize) -> Held {
    let (clip, skeleton) = (stage.clip, stage.clip.skeleton());
    let count = clip.num_samples();
    let hips = hips(stage, feet);
    let sharpest = stride::sharpest(&stage.world, feet.iter().map(|foot| foot.leg.knee));
    let strides: Vec<Stride> = (feet.iter())
        .map(|foot| {
            let mut stride = Stride::of(stage, foot, &hips);
            stride.ease(clip.step_secs(), sharpest);
            stride
        })
        .collect();
    let mut tracks = Tracks::empty(skeleton.clone(), clip.step_secs(), count);
    for sample in 0..count {
        let mut pose = clip.body_pose(sample).to_pose();
        if hips[sample] != 0.0 {
            let above = stage.turn_above(sample, lifted);
            pose.translations[lifted] += above.conjugate() * (stage.up(sample) * hips[sample]);
        }
        for (foot, stride) in feet.iter().zip(&strides) {
            let Some(turns) = stride.turns(sample) else { continue };
            let Leg { thigh, knee, ankle, .. } = foot.leg;
            let above = |joint| stage.turn_above(sample, joint);
            // Between the turns at thigh and knee everything goes along; the foot turns back to where it looked.
            let mut set = |joint: usize, above: DQuat, turn: DQuat| {
                let turned = turn * stage.world.rotation(sample, joint);
                pose.rotations[joint] = (above.conjugate() * turned).normalize();
            };
            set(thigh, above(thigh), turns.swing);
            set(knee, above(knee), turns.bent);
            set(ankle, turns.swing * turns.bent * above(ankle), turns.foot);
        }
        tracks.push(pose.as_ref());
    }
    Held { tracks, hips }
}

/// Hips follow what straight legs need over this long on either side, seconds, so that they sway and do not jerk.
const FOLLOW_SECS: f64 = 0.1;

/// What is left after the hips followed once is followed again; more rounds than this change next to nothing.
const ROUNDS: usize = 3;

/// A knee that bends a radian further weighs as much as hips that are off by this much, metres.
const KNEE_METRES: f64 = 0.03;

/// A foot that tilts weighs as much as a knee that bends this many times further.
const TILT: f64 = 3.0;

/// A foot tilts by no more than about this, radians.
const MOST_TILT: f64 = 0.4;

/// Falling short by the root of this, far from where a foot is held, weighs as much as a knee that bends a radian further,
/// metres squared; and the time within which it weighs more, seconds.
const SHORT: f64 = 0.005;
const SHORT_SECS: f64 = 0.1;

/// What a leg that has nothing else gives way by, metres squared.
const LEAST_GIVE: f64 = 1e-6;

/// Times that a tilt is told anew; each takes up nearly all that is left.
const TILT_ROUNDS: usize = 3;

/// The least shortening of a leg that counts, metres per radian: that of a knee bent by a degree or two.
const LEAST_SHORTENING: f64 = 0.005;

/// The least reach of a tilt that takes up noise, metres per radian.
const LEAST_LEVER: f64 = 0.03;

/// Hips sink by no more than this, metres: a leg that needs more points where it cannot reach.
const MOST_SUNK_METRES: f64 = 0.1;

/// How far the hips rise at every sample.
///
/// A straight leg cannot come nearer or reach further without its knee leaping, so the hips give way: at every sample by the
/// least squares of what knees and hips then do, smoothed. What is out of reach after that makes them sink by the least
/// amount.
fn hips(stage: &Stage<'_>, feet: &[PlantedFoot]) -> Vec<f64> {
    let count = stage.clip.num_samples();
    let reach = reach_of(FOLLOW_SECS, stage.clip.step_secs(), count);
    let mut rise = vec![0.0; count];
    for _ in 0..ROUNDS {
        let wanted: Vec<f64> = (0..count)
            .map(|sample| wanted_rise(stage, feet, sample, rise[sample]))
            .collect();
        for (rise, more) in rise.iter_mut().zip(smoothed(&wanted, reach)) {
            *rise += more;
        }
    }
    let need: Vec<f64> = (0..count)
        .map(|sample| needed_sinking(stage, feet, sample, rise[sample]))
        .collect();
    if need.iter().any(|&need| need > 0.0) {
        // The highest need within reach, then its mean under a bump of that reach: nowhere below the need, and C1.
        let highest: Vec<f64> = (0..count)
            .map(|sample| {
                let around = (0..=2 * reach).map(|off| need[(sample + count + off - reach) % count]);
                around.fold(0.0, f64::max)
            })
            .collect();
        for (rise, sunk) in rise.iter_mut().zip(smoothed(&highest, reach)) {
            *rise -= sunk;
        }
    }
    rise
}

/// By how much a foot gives way by falling short of where it is wanted, metres squared, by the time to where it is held: there it
/// must not.
fn short_by(away_secs: f64) -> f64 {
    if away_secs == f64::INFINITY {
        return SHORT;
    }
    let near = away_secs * away_secs;
    SHORT * near / (near + SHORT_SECS * SHORT_SECS)
}

/// How a foot stands: where its ankle shall be, and by how much it tilts about the joint that is held.
///
/// The heel gives way where the knee cannot: of a leg that is nearly straight, and for noise.
pub(super) struct Stand {
    pub(super) ankle: DVec3,
    pub(super) tilt: DQuat,
    /// From the thigh to the ankle if nothing tilted, noise apart.
    way: DVec3,
    bend: Bend,
    /// By how much the way grows as the foot tilts, metres per radian.
    lever: f64,
}

impl Stand {
    /// The foot at a sample, with the hips risen by `rise`.
    pub(super) fn of(stage: &Stage<'_>, foot: &PlantedFoot, sample: usize, rise: f64) -> Self {
        let at = |joint: usize| stage.world.position(sample, joint);
        let (up, offset) = (stage.up(sample), foot.offsets.offsets[sample]);
        let thigh = at(foot.leg.thigh) + up * rise;
        let bend = foot.leg.bend(at, stage.turn_above(sample, foot.leg.knee));
        let (ankle, held) = (at(foot.leg.ankle) + offset, at(foot.lowest) + offset);
        let way = ankle - foot.rough[sample] - thigh;
        let arm = ankle - held;
        // The heel rises about the axis across the foot; of a foot that points down it has nowhere to rise to.
        let axis = up.cross(-arm) / arm.length().max(f64::MIN_POSITIVE);
        let along = way.normalize_or_zero();
        let lever = along.dot(axis.cross(arm));
        let mut tilt = -along.dot(foot.rough[sample]) * lever / (lever * lever + LEAST_LEVER * LEAST_LEVER);
        let goal_at = |tilt: f64| held + rotation::exp(axis * tilt) * arm;
        let mut goal = goal_at(tilt);
        // What the heel and falling short give way by, each for the same price, metres squared.
        let (heel, short) = ((lever / TILT).powi(2), short_by(foot.offsets.away_secs[sample]));
        let give = heel + short + LEAST_GIVE;
        let wanted = (goal - thigh).length();
        let length = bend.eased(wanted, 1.0 / give);
        let tilted = wanted + (length - wanted) * (heel + LEAST_GIVE) / give;
        for _ in 0..TILT_ROUNDS {
            let way = goal - thigh;
            let lever = way.normalize_or_zero().dot(axis.cross(goal - held));
            tilt -= (way.length() - tilted) * lever / (lever * lever + LEAST_LEVER * LEAST_LEVER);
            goal = goal_at(tilt);
        }
        tilt /= ops::hypot(1.0, tilt / MOST_TILT);
        goal = goal_at(tilt);
        goal += (goal - thigh).normalize_or_zero() * ((length - wanted) * short / give);
        Self {
            ankle: goal,
            tilt: rotation::exp(axis * tilt),
            way,
            bend,
            lever,
        }
    }
}

/// How much further than `rise` the hips should rise at a sample.
fn wanted_rise(stage: &Stage<'_>, feet: &[PlantedFoot], sample: usize, rise: f64) -> f64 {
    let up = stage.up(sample);
    let stiffness = KNEE_METRES.powi(-2);
    let (mut pull, mut total) = (stiffness * rise, stiffness);
    for foot in feet {
        let Stand { way, bend, lever, .. } = Stand::of(stage, foot, sample, rise);
        let drop = -way.normalize_or_zero().dot(up);
        // Of knee and heel the leg takes what is easier.
        let give = bend.shortening().powi(2) + (lever / TILT).powi(2) + LEAST_SHORTENING * LEAST_SHORTENING;
        pull += drop * (way.length() - bend.length()) / give;
        total += drop * drop / give;
    }
    -pull / total
}

/// How far the hips must sink from `rise` so that all legs reach.
fn needed_sinking(stage: &Stage<'_>, feet: &[PlantedFoot], sample: usize, rise: f64) -> f64 {
    let up = stage.up(sample);
    let of_foot = |foot: &PlantedFoot| {
        // On its way a foot may fall short.
        if foot.offsets.away_secs[sample] > 0.0 {
            return 0.0;
        }
        let stand = Stand::of(stage, foot, sample, rise);
        let way = stand.ankle - stage.world.position(sample, foot.leg.thigh) - up * rise;
        let drop = -way.dot(up);
        let level = (way + up * drop).length();
        let longest = stand.bend.longest();
        (drop - (longest * longest - level * level).max(0.0).sqrt()).max(0.0)
    };
    let need = feet.iter().map(of_foot).fold(0.0, f64::max).min(MOST_SUNK_METRES);
    // Rounding is no need.
    if need < ROUNDING_METRES { 0.0 } else { need }
}

/// Lengths below this are rounding, metres.
const ROUNDING_METRES: f64 = 1e-9;

/// Weights of a bump over `reach` samples on either side; they add up to one.
fn bump(reach: usize) -> Vec<f64> {
    let turn = core::f64::consts::PI / (reach + 1) as f64;
    let weights: Vec<f64> = (1..=2 * reach + 1)
        .map(|step| 1.0 - ops::cos(turn * step as f64))
        .collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// Means under a bump of `reach` samples on either side, around the loop; zero where all of them are.
pub(super) fn smoothed<T: Copy + core::ops::Mul<f64, Output = T> + core::iter::Sum>(
    values: &[T],
    reach: usize,
) -> Vec<T> {
    let count = values.len();
    let bump = bump(reach);
    (0..count)
        .map(|sample| {
            let around = (0..=2 * reach).map(|off| values[(sample + count + off - reach) % count] * bump[off]);
            around.sum()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::raised;

    #[test]
    fn what_is_below_the_ground_is_raised_enough_and_gently() {
        let below: Vec<f64> = (0..60)
            .map(|index| {
                if (20..24).contains(&index) || index == 50 {
                    0.01
                } else {
                    -0.02
                }
            })
            .collect();
        let lift = raised(&below, 12);
        for (index, (&lift, &below)) in lift.iter().zip(&below).enumerate() {
            assert!(lift >= below - 1e-15, "{index}: {lift} is less than {below}");
            assert!(lift <= 0.01 + 1e-15, "{index}: {lift} is more than was asked for");
        }
        assert_eq!((lift[0], lift[59], lift[2]), (0.0, 0.0, 0.0));
        let steps = lift.windows(2).map(|pair| (pair[1] - pair[0]).abs());
        assert!(steps.fold(0.0, f64::max) < 0.004);
        assert_eq!(raised(&[-0.1; 5], 3), [0.0; 5]);
        assert_eq!(raised(&[], 3), []);
        assert_eq!(raised(&[0.02], 3), [0.02]);
    }
}
