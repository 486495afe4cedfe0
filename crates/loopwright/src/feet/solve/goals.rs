//! What the parts of a leg should do at every sample: where they bear, how low they may be, and how sharply the knee may move.

use core::ops::Range;

use glam::DVec3;

use super::{
    super::{LoopContact, model::roll_kept},
    BearingLeg, FootModel, Stage,
    limb::{LEG_UNKNOWNS, LegPoints, LegPose, NUM_PARTS, PARTS, Part},
    uncut::Uncut,
};
use crate::{
    analysis::standing::{self, GROUND_REACH_SECS},
    math::percentile,
};

/// A heel that rises by more than about this no longer bears, metres on the reference body: the foot rolls over its ball.
const LIFT_METRES: f64 = 0.003;

/// Before and after it bears a part comes to rest and leaves over this long, seconds, ...
const EDGE_SECS: f64 = 0.06;

/// ... counting up to this much of one that bears. Less, and the foot still moves in the first and last frame of a contact.
const EDGE: f64 = 0.1;

/// The share of the heights of a part that may be below its floor: stray frames of the capture.
const STRAY_SHARE: f64 = 0.02;

/// On its way a part keeps its height over the floor up to this, metres on the reference body.
const CLEAR_METRES: f64 = 0.03;

/// A knee may be sharper than in its take by this factor.
const SHARPER: f64 = 1.02;

/// Second differences of a knee that is as good as still, metres.
const STILL_METRES: f64 = 1e-5;

/// What the parts of a leg should do.
pub(super) struct Goals {
    pub(super) poses: Vec<LegPose>,
    /// Where parts are before they are corrected.
    pub(super) own: Vec<LegPoints>,
    /// How much a part bears at a sample, 0 to 1.
    pub(super) bears: Vec<[f64; NUM_PARTS]>,
    /// Height of a bearing part over its usual height, metres, where it rolls.
    pub(super) roll: Vec<[f64; NUM_PARTS]>,
    /// The lowest height of a part, seen from the root, metres.
    pub(super) floors: Vec<[f64; NUM_PARTS]>,
    /// The lowest height of a part on its way.
    pub(super) clear: Vec<[f64; NUM_PARTS]>,
    /// The largest second difference of the knee, metres.
    pub(super) sharpest: f64,
    /// The angle of the knee from its straightest, radians.
    pub(super) flexed: Vec<f64>,
    /// The angle beyond which it does not bend; infinite where it may.
    pub(super) most_flexed: f64,
}

impl Goals {
    pub(super) fn new(stage: &Stage<'_>, uncut: &Uncut, leg: &BearingLeg, model: &FootModel) -> Self {
        let (count, limb) = (stage.course.count(), &leg.limb);
        let poses: Vec<LegPose> = (0..count)
            .map(|sample| limb.pose(stage.skeleton(), &stage.world, sample))
            .collect();
        let own = poses
            .iter()
            .map(|pose| limb.points(pose, DVec3::ZERO, &[0.0; LEG_UNKNOWNS]));
        let flexed = (0..count).map(|sample| limb.flexed(stage.skeleton(), &stage.world, sample));
        let mut goals = Self {
            own: own.collect(),
            poses,
            bears: vec![[0.0; NUM_PARTS]; count],
            roll: vec![[0.0; NUM_PARTS]; count],
            floors: vec![[f64::NEG_INFINITY; NUM_PARTS]; count],
            clear: vec![[f64::NEG_INFINITY; NUM_PARTS]; count],
            sharpest: sharpest(stage, uncut, limb.leg.knee, model),
            flexed: flexed.collect(),
            most_flexed: leg.most_flexed,
        };
        goals.find_floors(stage, uncut, leg, model);
        for (part, contacts) in &leg.bearing {
            for contact in contacts {
                goals.bear(stage, *part, contact, model);
            }
            goals.stay_above_ground(stage, *part, contacts);
        }
        goals
    }

    /// Height of a part in the world at a key of any cycle, metres. Where the ground rises the root climbs with it.
    fn height(&self, stage: &Stage<'_>, part: Part, key: usize) -> f64 {
        let at = self.own[key % self.own.len()].at[part as usize];
        stage.course.to_world(key as isize, at).y
    }

    fn find_floors(&mut self, stage: &Stage<'_>, uncut: &Uncut, leg: &BearingLeg, model: &FootModel) {
        let (course, limb) = (&stage.course, &leg.limb);
        let (count, beyond) = (self.own.len(), uncut.beyond());
        let reach = course.samples_in(GROUND_REACH_SECS);
        for part in PARTS.into_iter().filter(|&part| part != Part::Knee && limb.has(part)) {
            let (joint, offset) = limb.fixed_to(part);
            let height = |sample: isize| course.up[course.sample(sample)].dot(uncut.place(sample, joint, offset));
            let found = if course.has_ends() {
                // Over a take the ground may rise and fall.
                let heights: Vec<f64> = (0..count as isize).map(height).collect();
                standing::lowest_around(&heights, reach)
            } else {
                let heights = (-beyond..count as isize + beyond).map(height).collect();
                vec![percentile::of(heights, STRAY_SHARE); count]
            };
            for (sample, floor) in found.into_iter().enumerate() {
                self.floors[sample][part as usize] = floor;
                self.clear[sample][part as usize] = height(sample as isize).min(floor + CLEAR_METRES * model.size);
            }
        }
    }

    fn usual_height(&self, stage: &Stage<'_>, part: Part, keys: Range<usize>) -> f64 {
        percentile::of(keys.map(|key| self.height(stage, part, key)).collect(), 0.5)
    }

    /// Keeps a part on its way above the ground, which runs in a line from one contact to the next.
    fn stay_above_ground(&mut self, stage: &Stage<'_>, part: Part, contacts: &[LoopContact]) {
        let (course, count) = (&stage.course, self.own.len());
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
            let heights = [from.clone(), to.clone()].map(|keys| self.usual_height(stage, part, keys));
            for key in from.end..to.start {
                let share = (key + 1 - from.end) as f64 / (to.start + 1 - from.end) as f64;
                let ground = heights[0] + share * (heights[1] - heights[0]);
                let own = self.own[key % count].at[part as usize];
                let seen_from_root = course.up[key % count].dot(own) + ground - self.height(stage, part, key);
                let floor = &mut self.floors[key % count][part as usize];
                *floor = floor.max(seen_from_root);
            }
        }
    }

    /// Lets a part bear during a contact.
    fn bear(&mut self, stage: &Stage<'_>, part: Part, contact: &LoopContact, model: &FootModel) {
        let (course, at) = (&stage.course, part as usize);
        let (count, edge) = (self.own.len(), course.samples_in(EDGE_SECS));
        // Around a loop a cycle later, which leaves room for the edge.
        let later = if course.has_ends() { 0 } else { count };
        let keys = contact.start_sample + later..contact.keys().end + later;
        let usual = self.usual_height(stage, part, keys.clone());
        let last = if course.has_ends() { count } else { usize::MAX };
        for key in keys.start.saturating_sub(edge)..(keys.end + edge).min(last) {
            let sample = key % count;
            let rise = (self.height(stage, part, key) - usual).max(0.0);
            let away = keys.start.saturating_sub(key).max((key + 1).saturating_sub(keys.end));
            let near = 1.0 - away as f64 / (edge + 1) as f64;
            let mut bears = if away == 0 { 1.0 } else { EDGE * near * near };
            if part == Part::Heel {
                bears *= (1.0 + (rise / model.size / LIFT_METRES).powi(2)).powi(-2);
            }
            if away == 0 {
                self.clear[sample][at] = f64::NEG_INFINITY;
            }
            if bears > self.bears[sample][at] {
                self.bears[sample][at] = bears;
                self.roll[sample][at] = roll_kept(rise, model.size);
            }
        }
    }
}

/// The largest second difference that a knee may have: that of the take and a little more, metres.
fn sharpest(stage: &Stage<'_>, uncut: &Uncut, knee: usize, model: &FootModel) -> f64 {
    let course = &stage.course;
    let at = |sample: isize| uncut.place(sample, knee, DVec3::ZERO);
    let second = |sample: isize| {
        let [back, on] = [sample - 1, sample].map(|sample| course.on[course.sample(sample)]);
        (back.inverse().transform_point(at(sample - 1)) - 2.0 * at(sample) + on.transform_point(at(sample + 1)))
            .length()
    };
    let around = uncut.inner(course);
    SHARPER * around.map(second).fold(STILL_METRES * model.metre, f64::max)
}
