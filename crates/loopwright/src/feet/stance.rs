//! The stances of a point of a foot over a loop: where it stands, for how long it seems to, and how far it strays meanwhile.
//!
//! Everything is computed on the unrolled loop, so the result repeats exactly. Derivation: docs/math/feet.md.

use glam::DVec3;

use super::{
    contact::{self, LoopContact},
    stage::Stage,
};
use crate::{
    analysis::standing::{CREEP_METRES, CREEP_MPS, CREEP_SECS},
    math::{ops, time_step::TimeStep},
};

/// The position of a stance is the mean position of the foot, with slow samples counting more: half at this speed, metres per
/// second.
const SLOW_MPS: f64 = 0.1;

/// A standing foot is held level within about this, metres; a larger rise is a roll over the toes, and is kept.
const ROLL_METRES: f64 = 0.006;

/// Between two stances a foot is free for at least this long, seconds.
const SWING_SECS: f64 = 0.1;

/// A stance: the foot's positions and the position at which it is held, both in the world.
struct Stance<'a> {
    stage: &'a Stage<'a>,
    positions: &'a [DVec3],
    /// The contact, and the time before and after it while the foot creeps.
    span: LoopContact,
    /// Samples of the span before the contact, and those of the contact.
    before: usize,
    in_contact: usize,
    hold: DVec3,
}

impl<'a> Stance<'a> {
    /// `room`: the number of samples before and after the contact that belong to no other stance.
    fn of(stage: &'a Stage<'a>, positions: &'a [DVec3], contact: LoopContact, room: [usize; 2]) -> Self {
        let mut stance = Self {
            stage,
            positions,
            span: contact,
            before: 0,
            in_contact: contact.num_samples,
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
        let keys = self.span.keys();
        let (first, last) = (keys.start as isize, keys.end as isize - 1);
        let steps = |end: usize, key: &dyn Fn(usize) -> isize| {
            (1..=room[end].min(most))
                .take_while(|&step| creeps(key(step), CREEP_MPS[end]))
                .count()
        };
        let before = steps(0, &|step| first - step as isize);
        let after = steps(1, &|step| last + step as isize);
        self.before = before;
        self.span.num_samples += before + after;
        if self.span.start_sample >= before {
            self.span.start_sample -= before;
            return;
        }
        // The span now starts before the seam: it moves to the next cycle, and so does its position.
        let count = self.positions.len();
        self.span.start_sample += count - before;
        let root = |key: usize| self.stage.root_motion.at(key as f64 * step_secs);
        self.hold = (root(count) * root(0).inverse()).transform_point(self.hold);
    }

    /// The position of the foot in the frame in which it is held: the world, or the root if it never leaves the ground.
    fn position(&self, key: isize) -> DVec3 {
        let position = self.positions[key.rem_euclid(self.positions.len() as isize) as usize];
        if self.span.num_samples == self.positions.len() {
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

    /// The farthest that holding the foot would move it during the contact, metres.
    fn farthest(&self) -> f64 {
        let first = self.span.start_sample + self.before;
        let keys = first..first + self.in_contact;
        keys.map(|key| self.offset(key as isize).length()).fold(0.0, f64::max)
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
    stances.into_iter().map(|stance| stance.span).collect()
}

/// The farthest that a foot is from the place of its stance during any of its contacts, metres.
pub(super) fn farthest(stage: &Stage<'_>, positions: &[DVec3], contacts: &[LoopContact]) -> f64 {
    let stances = stances(stage, positions, contacts);
    stances.iter().map(Stance::farthest).fold(0.0, f64::max)
}
