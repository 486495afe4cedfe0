//! The stances of a foot over a loop, and the offsets that hold it there and fade in between.
//!
//! During a stance the offsets hold the foot's lowest joint at one point of the world. From one stance to the next they fade as
//! the offsets of a closure do, C1 throughout. Everything is computed on the unrolled loop, so the result repeats exactly.
//! Derivation: docs/math/feet.md.

use glam::{DQuat, DVec3};

use super::{
    contact::{self, LoopContact},
    stage::Stage,
};
use crate::{
    analysis::standing::{CREEP_METRES, CREEP_MPS, CREEP_SECS},
    closure::{
        Order, Shape,
        boundary::{Boundary, BoundaryError},
        targets::Targets,
    },
    math::{kernel, ops, time_step::TimeStep},
};

/// Offsets of a foot fade over this long on either side of a stance, seconds.
///
/// If shorter, the knee jerks; if longer, the stance distorts the swing.
const FADE_SECS: f64 = 0.4;

/// A velocity difference at the ends of a fade decays over this long, seconds: longer carries the foot too far ahead.
const RATE_FADE_SECS: f64 = 0.25;

/// The position of a stance is the mean position of the foot, with slow samples counting more: half at this speed, metres per
/// second.
const SLOW_MPS: f64 = 0.1;

/// A standing foot is held level within about this, metres; a larger rise is a roll over the toes, and is kept.
const ROLL_METRES: f64 = 0.006;

/// Between two stances a foot is free for at least this long, seconds.
const SWING_SECS: f64 = 0.1;

/// Speeds at the ends of a stance are measured over this long, seconds: over less, they are noise of the capture.
const SPEED_SECS: f64 = 0.03;

/// A foot that passes below the ground between stances is raised over this long on either side, seconds.
const LIFT_SECS: f64 = 0.1;

/// Offsets of a foot in the root's axes, one for each sample of the loop, metres.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FootOffsets {
    pub(super) offsets: Vec<DVec3>,
    /// The time from each sample to the nearest stance, seconds; 0 within a stance.
    pub(super) away_secs: Vec<f64>,
    /// Spans over which the foot is held.
    pub(super) spans: Vec<LoopContact>,
}

impl FootOffsets {
    /// Largest distance that the foot is moved during any of `contacts`, metres.
    pub(super) fn farthest_held(&self, contacts: &[LoopContact]) -> f64 {
        let count = self.offsets.len();
        let keys = contacts.iter().flat_map(LoopContact::keys);
        keys.map(|key| self.offsets[key % count].length()).fold(0.0, f64::max)
    }
}

/// A stance: the foot's positions and the position at which it is held, both in the world.
struct Stance<'a> {
    stage: &'a Stage<'a>,
    positions: &'a [DVec3],
    contact: LoopContact,
    hold: DVec3,
}

impl<'a> Stance<'a> {
    /// `room`: the number of samples before and after the contact that belong to no other stance.
    fn of(stage: &'a Stage<'a>, positions: &'a [DVec3], contact: LoopContact, room: [usize; 2]) -> Self {
        let mut stance = Self {
            stage,
            positions,
            contact,
            hold: DVec3::ZERO,
        };
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        for key in contact.keys() {
            let key = key as isize;
            let speed = (stance.position(key + 1) - stance.position(key - 1)).length() / (2.0 * stage.clip.step_secs());
            let weight = 1.0 / (1.0 + (speed / SLOW_MPS).powi(2));
            sum += stance.position(key) * weight;
            total += weight;
        }
        stance.hold = sum / total;
        stance.grow(room);
        stance
    }

    /// Extends the stance beyond the contact for as long as the foot creeps.
    fn grow(&mut self, room: [usize; 2]) {
        let step_secs = self.stage.clip.step_secs();
        let most = TimeStep::new(step_secs).nearest(CREEP_SECS);
        let creeps = |key: isize, mps: f64| {
            let moved = self.position(key + 1) - self.position(key - 1);
            ops::hypot(moved.x, moved.z) < mps * 2.0 * step_secs && self.position(key).y - self.hold.y < CREEP_METRES
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
        // The span now starts before the seam: it moves to the next cycle, and so does its position.
        let count = self.positions.len();
        self.contact.start_sample += count - before;
        let root = |key: usize| self.stage.root_motion.at(key as f64 * step_secs);
        self.hold = (root(count) * root(0).inverse()).transform_point(self.hold);
    }

    /// The position of the foot in the frame in which it is held: the world, or the root if it never leaves the ground.
    fn position(&self, key: isize) -> DVec3 {
        let position = self.positions[key.rem_euclid(self.positions.len() as isize) as usize];
        if self.contact.num_samples == self.positions.len() {
            position
        } else {
            self.stage.to_world(key, position)
        }
    }

    /// The correction that holds the foot: all of its motion along the ground, and small vertical motion.
    fn offset(&self, key: isize) -> DVec3 {
        let off = self.position(key) - self.hold;
        let rise = off.y.max(0.0);
        let roll = rise.powi(3) / (rise * rise + ROLL_METRES * ROLL_METRES);
        DVec3::new(-off.x, roll - off.y, -off.z)
    }

    /// The farthest that the foot is moved while it is held, metres.
    fn farthest(&self) -> f64 {
        let keys = self.contact.keys();
        keys.map(|key| self.offset(key as isize).length()).fold(0.0, f64::max)
    }

    fn rate(&self, key: isize) -> DVec3 {
        let step_secs = self.stage.clip.step_secs();
        let half = TimeStep::new(step_secs).nearest_from_one(0.5 * SPEED_SECS) as isize;
        (self.offset(key + half) - self.offset(key - half)) / (2.0 * half as f64 * step_secs)
    }

    /// Offsets in the world on the way to the next stance, whose first key is `start` in this one's cycle. They fade from one
    /// stance to the other, C1, and keep the foot above the ground.
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
        // The correction of the next stance and its position, moved on with the root.
        let root = |key: usize| self.stage.root_motion.at(key as f64 * step_secs);
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
        // The ground runs in a straight line from one stance to the next.
        let climb = on.transform_point(next.hold).y - self.hold.y;
        let (mut swing, mut below) = (Vec::new(), Vec::new());
        for key in end + 1..start {
            let secs = (key - end) as f64 * step_secs;
            let offset = values.mix(&slow.weights(secs).value) + rates.mix(&fast.weights(secs).value);
            let ground = self.hold.y + secs / gap_secs * climb;
            below.push(ground - self.position(key as isize).y - offset.y);
            swing.push(offset);
        }
        let lift = kernel::envelope(&below, TimeStep::new(step_secs).nearest(LIFT_SECS));
        for (offset, lift) in swing.iter_mut().zip(lift) {
            offset.y += lift;
        }
        Ok(swing)
    }
}

/// Parts of a contact that slides are at least this long, seconds, and the foot's speed is measured over as much.
const PART_SECS: f64 = 0.1;

/// The speed at which a contact is divided falls to this share of itself until no part slides.
const SLOWER: f64 = 0.8;

/// The stances of a foot, each extended into the time between two of them while the foot creeps.
fn stances<'a>(stage: &'a Stage<'a>, positions: &'a [DVec3], contacts: &[LoopContact]) -> Vec<Stance<'a>> {
    let count = positions.len();
    let least = (SWING_SECS / stage.clip.step_secs()).round().max(2.0) as usize;
    // The time between two stances is shared, less the shortest swing.
    let room = |index: usize| {
        let (this, next) = (contacts[index], contacts[(index + 1) % contacts.len()]);
        let gap = (next.start_sample + 2 * count - this.keys().end) % count;
        gap.saturating_sub(least) / 2
    };
    (0..contacts.len())
        .map(|index| {
            let before = (index + contacts.len() - 1) % contacts.len();
            Stance::of(stage, positions, contacts[index], [room(before), room(index)])
        })
        .collect()
}

/// The parts of contacts in which a foot stands: those that would move it by more than `most_metres` are divided where it is fastest,
/// until none of the parts does.
pub(super) fn standing_parts(
    stage: &Stage<'_>,
    positions: &[DVec3],
    contacts: &[LoopContact],
    most_metres: f64,
) -> Vec<LoopContact> {
    let step = TimeStep::new(stage.clip.step_secs());
    let (half, fewest) = (
        step.nearest_from_one(0.5 * PART_SECS) as isize,
        step.nearest_from_one(PART_SECS),
    );
    let at = |key: isize| stage.to_world(key, positions[key.rem_euclid(positions.len() as isize) as usize]);
    let mut all = Vec::new();
    for &contact in contacts {
        let (first, last) = (contact.keys().start as isize, contact.keys().end as isize - 1);
        let moved = |key: isize| at((key + half).min(last)).distance(at((key - half).max(first)));
        let moved: Vec<f64> = (first..=last).map(moved).collect();
        let parts = |limit: f64| -> Vec<LoopContact> {
            let stands: Vec<bool> = moved.iter().map(|&moved| moved <= limit).collect();
            let mut parts = contact::runs(&stands);
            parts.retain(|part| part.len() >= fewest.min(contact.num_samples));
            let part = |part: core::ops::Range<usize>| LoopContact {
                start_sample: (contact.start_sample + part.start) % positions.len(),
                num_samples: part.len(),
                ..contact
            };
            parts.into_iter().map(part).collect()
        };
        let slides = |part: &LoopContact| Stance::of(stage, positions, *part, [0; 2]).farthest() > most_metres;
        let mut limit = moved.iter().copied().fold(0.0, f64::max);
        let mut found = parts(limit);
        while found.iter().any(slides) {
            limit *= SLOWER;
            found = parts(limit);
            if limit == 0.0 {
                found.retain(|part| !slides(part));
            }
        }
        all.extend(found);
    }
    all.sort_by_key(|contact| contact.start_sample);
    all
}

/// The spans over which a point bears, from its positions and contacts: each extended while it creeps.
pub(super) fn spans(stage: &Stage<'_>, positions: &[DVec3], contacts: &[LoopContact]) -> Vec<LoopContact> {
    let stances = stances(stage, positions, contacts);
    stances.into_iter().map(|stance| stance.contact).collect()
}

/// Offsets that hold the foot whose lowest joint is at `positions` over `contacts`, which are in order.
pub(super) fn offsets(
    stage: &Stage<'_>,
    positions: &[DVec3],
    contacts: &[LoopContact],
) -> Result<FootOffsets, BoundaryError> {
    let count = positions.len();
    let step_secs = stage.clip.step_secs();
    let mut found = FootOffsets {
        offsets: vec![DVec3::ZERO; count],
        away_secs: vec![f64::INFINITY; count],
        spans: Vec::new(),
    };
    let stances = stances(stage, positions, contacts);
    for (index, stance) in stances.iter().enumerate() {
        found.spans.push(stance.contact);
        let stands_always = stance.contact.num_samples == count;
        let back = |key: usize| {
            if stands_always {
                DQuat::IDENTITY
            } else {
                stage.root_motion.at(key as f64 * step_secs).rotation.conjugate()
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
        // The next stance, seen in this cycle; its samples may belong to the cycle before.
        let start = next.contact.start_sample + if next.contact.start_sample > end { 0 } else { count };
        for (key, offset) in (end + 1..start).zip(stance.swing(next, start)?) {
            found.offsets[key % count] = back(key) * offset;
            found.away_secs[key % count] = (key - end).min(start - key) as f64 * step_secs;
        }
    }
    Ok(found)
}
