//! Goals for the parts of a leg at every sample: bearing positions, lowest heights, and limits of the knee's acceleration.

use core::ops::Range;

use glam::{DQuat, DVec3};

use super::{
    super::{LoopContact, leg::NUM_JOINTS},
    BearingLeg, Course, FixedPoint, FootModel, Stage, Uncut,
    limb::{LEG_UNKNOWNS, LegPoints, LegPose, Limb, NUM_PARTS, OfParts, PARTS, Part},
};
use crate::{
    analysis::standing::{self, GROUND_REACH_SECS},
    math::{greatest, percentile, rotation},
};

/// A heel that rises by more than about this no longer bears, metres on the reference body: the foot rolls over its ball.
const LIFT_METRES: f64 = 0.009;

/// A contact over a seam is level if the take jumps up or down there by no more than this, metres on the reference body.
const LEVELLED_METRES: f64 = 0.008;

/// Duration over which a part comes to rest before it bears, and leaves afterwards, seconds, ...
const EDGE_SECS: f64 = 0.08;

/// ... up to this share of full bearing. With less, the foot still moves in the first and last frame of a contact, ...
const EDGE: f64 = 0.5;

/// ... and less, the faster it moves there than it slides while it bears: a quarter of that at this speed, metres per second on
/// the reference body. A swinging part is not held back.
const EDGE_MPS: f64 = 0.8;

/// The share of the heights of a part that may be below its floor: stray frames of the capture.
const STRAY_SHARE: f64 = 0.02;

/// On its way a part keeps its height over the floor up to this, metres on the reference body.
const CLEAR_METRES: f64 = 0.03;

/// Factor by which the acceleration of a joint may exceed that in its take.
const HARDER: f64 = 1.02;

/// Angular acceleration of a joint that is as good as still, radians per second squared.
const STILL_RADIANS: f64 = 20.0;

/// Goals for the parts of a leg.
pub(super) struct Goals {
    pub poses: Vec<LegPose>,
    /// The positions of parts before they are corrected.
    pub own: Vec<LegPoints>,
    /// How much a part bears at a sample, 0 to 1.
    pub bears: Vec<OfParts>,
    /// The height at which a bearing part bears, relative to the root, metres.
    pub level: Vec<OfParts>,
    /// The lowest height of a part, relative to the root, metres.
    pub floors: Vec<OfParts>,
    /// The lowest height of a part on its way.
    pub clear: Vec<OfParts>,
    /// Acceleration of each joint before correction, in its own axes: the second difference of its rotation, radians.
    pub turned: Vec<[DVec3; NUM_JOINTS]>,
    /// Largest acceleration of each joint.
    pub hardest: [f64; NUM_JOINTS],
    /// The angle of the knee from its straightest, radians.
    pub flexed: Vec<f64>,
    /// The largest angle to which it bends; infinite if unlimited.
    pub most_flexed: f64,
}

impl Goals {
    pub(super) fn new(stage: &Stage, uncut: &Uncut, leg: &BearingLeg, model: &FootModel) -> Self {
        let limb = &leg.limb;
        let mut goals = Self {
            hardest: hardest(stage, uncut, leg),
            most_flexed: leg.limits.map_or(f64::INFINITY, |limits| limits.most_flexed),
            ..Self::of_motion(stage, limb, [0.0; NUM_JOINTS])
        };
        let course = &stage.course;
        goals.find_floors(course, uncut, leg, model);
        for (part, contacts) in &leg.bearing {
            for contact in contacts {
                goals.bear(course, uncut, limb, *part, contact, model);
            }
            goals.stay_above_ground(course, uncut, limb.fixed_to(*part), *part, contacts);
        }
        goals
    }

    /// Returns goals in which no part bears yet, and none has a floor. Joints may accelerate as in the motion, and at least this
    /// much, radians.
    pub(super) fn of_motion(stage: &Stage, limb: &Limb, at_least: [f64; NUM_JOINTS]) -> Self {
        let count = stage.num_samples();
        let poses: Vec<LegPose> = (0..count).map(|sample| limb.pose(stage, sample)).collect();
        let turned = turn_accelerations(stage, limb);
        Self {
            own: poses
                .iter()
                .map(|pose| limb.points(pose, DVec3::ZERO, &[0.0; LEG_UNKNOWNS]))
                .collect(),
            poses,
            bears: vec![[0.0; NUM_PARTS]; count],
            level: vec![[0.0; NUM_PARTS]; count],
            floors: vec![[f64::NEG_INFINITY; NUM_PARTS]; count],
            clear: vec![[f64::NEG_INFINITY; NUM_PARTS]; count],
            hardest: core::array::from_fn(|joint| {
                turned
                    .iter()
                    .map(|turned| turned[joint].length())
                    .fold(at_least[joint], f64::max)
            }),
            turned,
            flexed: (0..count).map(|sample| limb.flexed(stage, sample)).collect(),
            most_flexed: f64::INFINITY,
        }
    }

    /// Returns the height of a part over the root at a sample, before it is corrected, metres.
    pub(super) fn over_root(&self, course: &Course, sample: usize, part: usize) -> f64 {
        course.up[sample].dot(self.own[sample].at[part])
    }

    /// Returns the place of a part in the world at a key of any cycle. Where the ground rises the root climbs with it.
    fn place(&self, course: &Course, part: Part, key: usize) -> DVec3 {
        course.to_world(key as isize, self.own[key % self.own.len()].at[part as usize])
    }

    /// Returns how a part moves over the ground from one key to a later one, metres per second.
    fn velocity(&self, course: &Course, part: Part, keys: Range<usize>) -> DVec3 {
        let [from, to] = [keys.start, keys.end].map(|key| self.place(course, part, key));
        (to - from) / (keys.len().max(1) as f64 * course.step_secs)
    }

    fn find_floors(&mut self, course: &Course, uncut: &Uncut, leg: &BearingLeg, model: &FootModel) {
        let limb = &leg.limb;
        let (count, beyond) = (self.own.len(), uncut.beyond());
        let reach = course.samples_in(GROUND_REACH_SECS);
        for part in PARTS.into_iter().filter(|&part| part != Part::Knee && limb.has(part)) {
            let point = limb.fixed_to(part);
            let height = |sample: isize| course.up[course.sample(sample)].dot(uncut.place(sample, point));
            let found = if course.has_ends() {
                // Over a take the ground may rise and fall.
                let heights: Vec<f64> = (0..count as isize).map(height).collect();
                standing::lowest_around(&heights, reach)
            } else {
                let lowest = percentile::of((-beyond..count as isize + beyond).map(height), STRAY_SHARE);
                let flat = (part == Part::Tip).then(|| self.flat_front(course, leg)).flatten();
                vec![flat.map_or(lowest, |flat| lowest.max(flat)); count]
            };
            for (sample, floor) in found.into_iter().enumerate() {
                self.floors[sample][part as usize] = floor;
                self.clear[sample][part as usize] = height(sample as isize).min(floor + CLEAR_METRES * model.size);
            }
        }
    }

    /// Returns the height over the root of the front of a character's shoe while the foot is flat, metres; the source does not
    /// have it.
    fn flat_front(&self, course: &Course, leg: &BearingLeg) -> Option<f64> {
        let front = leg.limits?.front?;
        let (_, contacts) = leg.bearing.iter().find(|(part, _)| *part == Part::Ball)?;
        let heights: Vec<f64> = contacts
            .iter()
            .flat_map(LoopContact::keys)
            .map(|key| self.over_root(course, key % course.count(), Part::Ball as usize))
            .collect();
        (!heights.is_empty()).then(|| percentile::of(heights, 0.5) - front.below_ball)
    }

    fn usual_height(&self, course: &Course, part: Part, keys: Range<usize>) -> f64 {
        percentile::of(keys.map(|key| self.place(course, part, key).y), 0.5)
    }

    /// Keeps a swinging part above the ground, which is a line from one contact to the next, or as low as it is in the take:
    /// where it leaves the ground it may dip.
    fn stay_above_ground(
        &mut self,
        course: &Course,
        uncut: &Uncut,
        point: FixedPoint,
        part: Part,
        contacts: &[LoopContact],
    ) {
        let count = self.own.len();
        for (index, contact) in contacts.iter().enumerate() {
            let from = contact.keys();
            let next = contacts[(index + 1) % contacts.len()].keys();
            let later = match next.start > contact.start_sample {
                true => 0,
                false if course.has_ends() => break,
                false => count,
            };
            let to = next.start + later..next.end + later;
            if to.start <= from.end {
                continue;
            }
            let heights = [from.clone(), to.clone()].map(|keys| self.usual_height(course, part, keys));
            for key in from.end..to.start {
                let share = (key + 1 - from.end) as f64 / (to.start + 1 - from.end) as f64;
                let ground = heights[0] + share * (heights[1] - heights[0]);
                let sample = key % count;
                let seen_from_root =
                    self.over_root(course, sample, part as usize) + ground - self.place(course, part, key).y;
                let taken = course.up[sample].dot(uncut.place(sample as isize, point));
                let floor = &mut self.floors[sample][part as usize];
                *floor = floor.max(seen_from_root.min(taken));
            }
        }
    }

    /// Returns the height at which a part, a point fixed to a joint, bears at keys of a contact and around it: as in the take. If the
    /// contact crosses a seam, at which the take jumps, the heights of both sides meet in between, nearer to that of the longer one. As far
    /// as the jump exceeds that, the part rises as closing raises it, and on average it is as high as in the take.
    fn level(
        &self,
        course: &Course,
        uncut: &Uncut,
        limb: &Limb,
        part: Part,
        keys: Range<usize>,
        model: &FootModel,
    ) -> impl Fn(usize) -> f64 {
        let point = limb.fixed_to(part);
        let count = course.count();
        let height = move |key: usize| {
            let sample = key % count;
            course.up[sample].dot(uncut.place(sample as isize, point))
        };
        let apart = uncut.samples_between_seams(course);
        let first = (keys.start / apart + 1) * apart;
        // The part after a seam, as a share of the contact, and the step there.
        let seams: Vec<(usize, f64, f64)> = (first..keys.end)
            .step_by(apart)
            .map(|seam| {
                let later = (keys.end - seam) as f64 / keys.len() as f64;
                (seam, later, height(seam) - height(seam - 1))
            })
            .collect();
        let share = (LEVELLED_METRES * model.size / greatest(seams.iter().map(|(.., step)| step.abs()))).min(1.0);
        let closed = move |key: usize| self.over_root(course, key % count, part as usize);
        let usual_lift = percentile::of(keys.map(|key| closed(key) - height(key)), 0.5);
        move |key| {
            let offs = seams.iter().map(|&(seam, later, step)| {
                let passed = if key < seam { 0.0 } else { 1.0 };
                step * (later - passed)
            });
            share * (height(key) + offs.sum::<f64>()) + (1.0 - share) * (closed(key) - usual_lift)
        }
    }

    /// Lets a part bear during a contact, as high over the ground as in the take.
    fn bear(
        &mut self,
        course: &Course,
        uncut: &Uncut,
        limb: &Limb,
        part: Part,
        contact: &LoopContact,
        model: &FootModel,
    ) {
        let at = part as usize;
        let (count, edge) = (self.own.len(), course.samples_in(EDGE_SECS));
        // Around a loop a cycle later, which leaves room for the edge.
        let later = if course.has_ends() { 0 } else { count };
        let keys = contact.start_sample + later..contact.keys().end + later;
        let usual = self.usual_height(course, part, keys.clone());
        let last = if course.has_ends() { count } else { usize::MAX };
        let around = keys.start.saturating_sub(edge)..(keys.end + edge).min(last);
        let level = self.level(course, uncut, limb, part, keys.clone(), model);
        let slides = self.velocity(course, part, keys.start..keys.end - 1);
        let levels: Vec<f64> = around.clone().map(level).collect();
        for (key, level) in around.zip(levels) {
            let sample = key % count;
            let rise = (self.place(course, part, key).y - usual).max(0.0);
            let away = keys.start.saturating_sub(key).max((key + 1).saturating_sub(keys.end));
            let near = 1.0 - away as f64 / (edge + 1) as f64;
            let mut bears = 1.0;
            if away > 0 {
                let swings = self.velocity(course, part, key..(key + 1).min(last - 1)) - slides;
                bears = EDGE * near * near * (1.0 + (swings.length() / model.metre / EDGE_MPS).powi(2)).powi(-2);
            }
            if part == Part::Heel {
                bears *= (1.0 + (rise / model.size / LIFT_METRES).powi(2)).powi(-2);
            }
            self.clear[sample][at] = f64::NEG_INFINITY;
            if bears > self.bears[sample][at] {
                self.bears[sample][at] = bears;
                self.level[sample][at] = level.max(self.floors[sample][at]);
            }
        }
    }
}

/// Returns the accelerations of a limb's joints at every sample, radians, in the axes of the joints above; zero at the ends.
fn turn_accelerations(stage: &Stage, limb: &Limb) -> Vec<[DVec3; NUM_JOINTS]> {
    let (course, count) = (&stage.course, stage.num_samples());
    let mut turned = vec![[DVec3::ZERO; NUM_JOINTS]; count];
    for (at, joint) in limb.turning_joints().enumerate() {
        let rotations: Vec<DQuat> = (0..count).map(|sample| stage.local_rotation(sample, joint)).collect();
        for sample in 0..count {
            let (Some(next), Some(after)) = (course.after(sample, 1), course.after(sample, 2)) else {
                continue;
            };
            turned[next][at] = second_difference([sample, next, after].map(|sample| rotations[sample]));
        }
    }
    turned
}

/// Returns the difference of a rotation step from the previous step, in the axes of the rotated joint.
fn second_difference([before, here, after]: [DQuat; 3]) -> DVec3 {
    let [first, second] = [(before, here), (here, after)].map(|(from, to)| rotation::log(from.conjugate() * to));
    second - first
}

/// Returns the largest accelerations of a leg's joints: as in the take and a little more, radians.
fn hardest(stage: &Stage, uncut: &Uncut, leg: &BearingLeg) -> [f64; NUM_JOINTS] {
    let course = &stage.course;
    let square = course.step_secs * course.step_secs;
    let still = STILL_RADIANS * square;
    let mut hardest = [still; NUM_JOINTS];
    for (at, joint) in leg.limb.turning_joints().enumerate() {
        let above = stage.skeleton().parent(joint);
        // A character is aligned with its source, and has kinks of its own.
        let known = leg.limits.map(|limits| limits.hardest[at] * square);
        let most = match known.filter(|most| most.is_finite()) {
            Some(most) => most,
            None => {
                let turns = uncut.inner(course).map(|sample| {
                    second_difference([-1, 0, 1].map(|off| uncut.rotation(sample + off, joint, above))).length()
                });
                greatest(turns)
            }
        };
        hardest[at] = HARDER * most.max(still);
    }
    hardest
}

/// Returns the largest angular acceleration of a joint against the one above it, radians per second squared.
pub(crate) fn hardest_turn(stage: &Stage, joint: usize) -> f64 {
    let course = &stage.course;
    let turns = (0..course.count()).filter_map(|sample| {
        let samples = [sample, course.after(sample, 1)?, course.after(sample, 2)?];
        Some(second_difference(samples.map(|sample| stage.local_rotation(sample, joint))).length())
    });
    greatest(turns) / (course.step_secs * course.step_secs)
}
