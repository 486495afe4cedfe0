//! The stances of a point of a foot: where it stands, for how long it appears to, and how far it strays meanwhile.
//!
//! A loop is unrolled, so that the result is periodic. Derivation: docs/math/feet.md.

use glam::DVec3;

use super::{Course, FootModel, LoopContact, Stage, contact, model::roll_kept, stage::FixedPoint};
use crate::{
    analysis::standing::{CREEP_METRES, CREEP_MPS, CREEP_SECS},
    math::{TimeStep, greatest, ops},
};

/// The position of a stance is the mean position of the foot, with slow samples counting more: half at this speed, metres per
/// second on the reference body.
const SLOW_MPS: f64 = 0.1;

/// Between two stances a foot is free for at least this long, seconds.
const SWING_SECS: f64 = 0.1;

/// A point over the samples of a motion, relative to the root.
pub(super) struct PointTrack<'a> {
    pub course: &'a Course,
    model: &'a FootModel,
    pub positions: Vec<DVec3>,
}

/// A stance: the positions of a point, and the one at which it is held, both in the world.
struct Stance<'a> {
    point: &'a PointTrack<'a>,
    /// The contact, and the time before and after it while the foot creeps.
    span: LoopContact,
    /// Number of samples of the span before the contact, and of the contact.
    before: usize,
    in_contact: usize,
    hold: DVec3,
}

impl<'a> Stance<'a> {
    /// `room`: the number of samples before and after the contact that belong to no other stance.
    fn new(point: &'a PointTrack<'a>, contact: LoopContact, room: [usize; 2]) -> Self {
        let mut stance = Self {
            point,
            span: contact,
            before: 0,
            in_contact: contact.num_samples,
            hold: DVec3::ZERO,
        };
        let slow_mps = SLOW_MPS * point.model.metre;
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        for key in contact.keys() {
            let key = key as isize;
            let speed = stance.position(key + 1).distance(stance.position(key - 1)) / (2.0 * point.course.step_secs);
            let weight = 1.0 / (1.0 + (speed / slow_mps).powi(2));
            sum += stance.position(key) * weight;
            total += weight;
        }
        stance.hold = sum / total;
        stance.grow(room);
        stance
    }

    /// Extends the stance beyond the contact for as long as the foot creeps.
    fn grow(&mut self, room: [usize; 2]) {
        let course = self.point.course;
        let most = TimeStep::new(course.step_secs).nearest(CREEP_SECS);
        let keys = self.span.keys();
        let (first, last) = (keys.start as isize, keys.end as isize - 1);
        let [before, after] = [0, 1].map(|end| {
            let (from, way) = [(first, -1), (last, 1)][end];
            (1..=room[end].min(most))
                .take_while(|&step| self.creeps(from + way * step as isize, CREEP_MPS[end]))
                .count()
        });
        self.before = before;
        self.span.num_samples += before + after;
        if self.span.start_sample >= before {
            self.span.start_sample -= before;
            return;
        }
        // The span now starts before the seam: it moves to the next cycle, and so does its position.
        let count = course.count();
        self.span.start_sample += count - before;
        self.hold = (course.root(count as isize) * course.root(0).inverse()).transform_point(self.hold);
    }

    /// Whether the foot moves slower than this over the ground at a key, and is nearly as low as its held position.
    fn creeps(&self, key: isize, mps: f64) -> bool {
        let PointTrack { course, model, .. } = self.point;
        ops::over_ground(self.position(key + 1) - self.position(key - 1)) < mps * model.metre * 2.0 * course.step_secs
            && self.position(key).y - self.hold.y < CREEP_METRES * model.metre
    }

    /// Returns the position of the foot in the frame in which it is held: the world, or the root if it never leaves the ground.
    fn position(&self, key: isize) -> DVec3 {
        let PointTrack { course, positions, .. } = self.point;
        let position = positions[course.sample(key)];
        if self.span.num_samples == positions.len() {
            position
        } else {
            course.to_world(key, position)
        }
    }

    /// Returns the distance of the foot from its held position: all of its motion along the ground, and small vertical motion.
    fn strays(&self, key: isize) -> f64 {
        let off = self.position(key) - self.hold;
        off.with_y(off.y - roll_kept(off.y.max(0.0), self.point.model.metre))
            .length()
    }

    /// Returns the farthest that it is during the contact, metres.
    fn farthest(&self) -> f64 {
        let first = self.span.start_sample + self.before;
        greatest((first..first + self.in_contact).map(|key| self.strays(key as isize)))
    }
}

/// Parts of a contact that slides are at least this long, seconds, and the foot's speed is measured over as much.
const PART_SECS: f64 = 0.1;

/// The speed at which a contact is divided falls to this share of itself until no part slides.
const SLOWER: f64 = 0.8;

impl<'a> PointTrack<'a> {
    pub(super) fn new(stage: &'a Stage, model: &'a FootModel, point: FixedPoint) -> Self {
        Self {
            course: &stage.course,
            model,
            positions: stage.positions_of(point),
        }
    }

    /// Returns the contacts of the point as detected; it is one of a foot.
    pub(super) fn contacts(&self, foot: usize) -> Vec<LoopContact> {
        contact::of_point(foot, &self.positions, self.course, &self.model.contacts)
    }

    /// Returns the stances of a foot, each extended into the time between two of them while the foot creeps.
    fn stances(&self, contacts: &[LoopContact]) -> Vec<Stance<'_>> {
        (0..contacts.len())
            .map(|index| {
                let before = match index.checked_sub(1) {
                    None if self.course.has_ends() => contacts[0].start_sample,
                    before => self.room_after(contacts, before.unwrap_or(contacts.len() - 1)),
                };
                Stance::new(self, contacts[index], [before, self.room_after(contacts, index)])
            })
            .collect()
    }

    /// Returns the samples after a contact into which its stance may be extended: those up to the next are shared, less the
    /// shortest swing; those beyond the last are free.
    fn room_after(&self, contacts: &[LoopContact], index: usize) -> usize {
        let (count, end) = (self.course.count(), contacts[index].keys().end);
        match contacts.get(index + 1) {
            None if self.course.has_ends() => count - end,
            next => {
                let least = (SWING_SECS / self.course.step_secs).round().max(2.0) as usize;
                ((next.unwrap_or(&contacts[0]).start_sample + 2 * count - end) % count).saturating_sub(least) / 2
            }
        }
    }

    /// Returns the spans over which the point bears, from its contacts: each extended while it creeps.
    pub(super) fn spans(&self, contacts: &[LoopContact]) -> Vec<LoopContact> {
        self.stances(contacts).into_iter().map(|stance| stance.span).collect()
    }

    /// Returns the farthest that the point is from the place of its stance during any of its contacts, metres.
    pub(super) fn farthest(&self, contacts: &[LoopContact]) -> f64 {
        greatest(self.stances(contacts).iter().map(Stance::farthest))
    }

    /// Returns the contacts in which the point strays by no more than `most_metres`.
    pub(super) fn standing(&self, contacts: &[LoopContact], most_metres: f64) -> Vec<LoopContact> {
        contacts
            .iter()
            .zip(self.stances(contacts).into_iter().map(|stance| stance.farthest()))
            .filter(|(_, metres)| *metres <= most_metres)
            .map(|(contact, _)| *contact)
            .collect()
    }

    /// Returns the parts of contacts in which the point stands: contacts in which it strays by more than `most_metres` are
    /// divided at its fastest sample, until it strays less in all parts.
    pub(super) fn standing_parts(&self, contacts: &[LoopContact], most_metres: f64) -> Vec<LoopContact> {
        let step = TimeStep::new(self.course.step_secs);
        let (half, fewest) = (
            step.nearest_from_one(0.5 * PART_SECS) as isize,
            step.nearest_from_one(PART_SECS),
        );
        let mut all = Vec::new();
        for &contact in contacts {
            let (first, last) = (contact.keys().start as isize, contact.keys().end as isize - 1);
            let moved: Vec<f64> = (first..=last)
                .map(|key| {
                    let [from, to] = [(key - half).max(first), (key + half).min(last)]
                        .map(|key| self.course.to_world(key, self.positions[self.course.sample(key)]));
                    to.distance(from)
                })
                .collect();
            let slides = |part: &LoopContact| Stance::new(self, *part, [0; 2]).farthest() > most_metres;
            let mut limit = greatest(moved.iter().copied());
            loop {
                let stands: Vec<bool> = moved.iter().map(|&moved| moved <= limit).collect();
                let mut parts: Vec<LoopContact> = contact::runs(&stands)
                    .into_iter()
                    .filter(|part| part.len() >= fewest.min(contact.num_samples))
                    .map(|part| LoopContact {
                        start_sample: self.course.sample((contact.start_sample + part.start) as isize),
                        num_samples: part.len(),
                        ..contact
                    })
                    .collect();
                if limit == 0.0 {
                    parts.retain(|part| !slides(part));
                }
                if !parts.iter().any(slides) {
                    all.extend(parts);
                    break;
                }
                limit *= SLOWER;
            }
        }
        all.sort_by_key(|contact| contact.start_sample);
        all
    }
}
