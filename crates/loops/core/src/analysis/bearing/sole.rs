//! The sole of a foot: heel, ball and tip as points that move with its joints, found in the frames in which it is flat.

use glam::{DQuat, DVec3};

use super::FootPoint;
use crate::{
    analysis::{Body, Foot, standing::over_lowest},
    math::{around, mean, ops, ordered, percentile},
    motion::{Skeleton, WorldTracks},
};

/// Depth of the sole below the joint of the toes, metres; distance of the heel behind the ankle, and of the tip ahead of the toes, unless
/// their bone has an end, which is then used within these limits.
const SOLE_METRES: f64 = 0.025;
const HEEL_METRES: f64 = 0.055;
const TIP_METRES: f64 = 0.06;
const TIP_RANGE_METRES: [f64; 2] = [0.03, 0.1];

/// For a foot without toes: the ankle's height over the sole, and the distance of the ball ahead of it, metres.
const ANKLE_METRES: f64 = 0.075;
const BALL_METRES: f64 = 0.13;

/// Ankles higher above the toes than this, metres, belong to animals that walk on their toes: they have no heel.
const HIGHEST_ANKLE_METRES: f64 = 0.15;

/// A foot is flat while its toes and its ankle are no higher than this above their lowest nearby, metres.
const FLAT_TOE_METRES: f64 = 0.02;
const FLAT_ANKLE_METRES: f64 = 0.025;

/// Share of the flat frames that are used, those in which the foot moves least; and the largest difference of their pitch, radians, or in
/// median differences.
const STILL_SHARE: f64 = 0.6;
const PITCH_RADIANS: f64 = 0.1;
const PITCH_DEVIATIONS: f64 = 1.5;

/// A joint turns if its angle against the one above changes by this much, radians; it has rotations if the bone below keeps its
/// direction within this share of its length.
const TURNS_RADIANS: f64 = 0.09;
const RIGID_SHARE: f64 = 0.15;

/// A foot over the frames of a motion, in the world.
pub(super) struct Sole {
    ankle: Vec<DVec3>,
    /// A joint above it in the leg.
    knee: Vec<DVec3>,
    toe: Option<Vec<DVec3>>,
    ankle_turns: Option<Vec<DQuat>>,
    toe_turns: Option<Vec<DQuat>>,
    tip_metres: f64,
    /// Direction of the body, of a foot without toes.
    ahead: Vec<DVec3>,
    has_heel: bool,
    size: f64,
    /// Number of frames on either side within which the lowest height is the ground.
    reach: usize,
}

impl Sole {
    /// `reach`: the ground below a foot is its lowest height within this many frames on either side.
    pub(super) fn of(
        world: &WorldTracks,
        (skeleton, body): (&Skeleton, &Body),
        foot: &Foot,
        size: f64,
        reach: usize,
    ) -> Self {
        let at_frames = |at: &dyn Fn(usize) -> DVec3| -> Vec<DVec3> { (0..world.num_frames()).map(at).collect() };
        let places = |joint: usize| at_frames(&|frame| world.position(frame, joint));
        let turns = |joint: usize| -> Vec<DQuat> {
            let frames = 0..world.num_frames();
            frames.map(|frame| world.rotation(frame, joint)).collect()
        };
        let end = body.end_of(foot.ankle);
        let ankle = at_frames(&|frame| world.point(frame, foot.ankle, end));
        let above = body.above_ankle(skeleton, foot);
        let toe = foot.toe.map(places);
        let ankle_turns = turns(foot.ankle);
        let (ankle_turns, toe_turns) = match &toe {
            Some(toe) if is_rigid(&ankle, &ankle_turns, toe) => {
                let own = foot.toe.map(turns).filter(|own| turn_apart(&ankle_turns, own));
                (Some(ankle_turns), own)
            }
            Some(_) => (None, None),
            // A leg without a foot stands on the end of its bone.
            None if end != DVec3::ZERO => (None, None),
            None => {
                let leg = above.map(turns);
                let own = leg.is_some_and(|leg| turn_apart(&leg, &ankle_turns));
                (own.then_some(ankle_turns), None)
            }
        };
        let end = foot.toe.and_then(|toe| {
            let below = skeleton
                .children(toe)
                .first()
                .map(|&end| skeleton.joint(end).rest_offset);
            below.or(skeleton.joint(toe).tip).map(DVec3::length)
        });
        let [least, most] = TIP_RANGE_METRES.map(|metres| metres * size);
        let ahead = match (&toe, body.thighs) {
            (None, Some([left, right])) => at_frames(&|frame| {
                let across = world.position(frame, left) - world.position(frame, right);
                across.cross(DVec3::Y).normalize_or_zero()
            }),
            _ => Vec::new(),
        };
        Self {
            knee: above.map_or_else(|| ankle.iter().map(|at| *at + DVec3::Y).collect(), places),
            tip_metres: end
                .filter(|&end| end > least)
                .map_or(TIP_METRES * size, |end| end.min(most)),
            has_heel: body.feet.len() <= 2,
            ankle,
            toe,
            ankle_turns,
            toe_turns,
            ahead,
            size,
            reach,
        }
    }

    /// Returns the points of the sole and their places at all frames, metres.
    pub(super) fn points(self) -> Vec<(FootPoint, Vec<DVec3>)> {
        match (&self.toe, &self.ankle_turns) {
            (Some(toe), _) => self.with_toes(toe),
            (None, Some(turns)) if !self.ahead.is_empty() => self.without_toes(turns),
            _ => vec![(FootPoint::Ankle, self.ankle)],
        }
    }

    fn with_toes(&self, toe: &[DVec3]) -> Vec<(FootPoint, Vec<DVec3>)> {
        let flat = self.flat_frames(toe);
        let mut points = Vec::new();
        let ankle_over = percentile::of(flat.iter().map(|&at| self.ankle[at].y - toe[at].y), 0.5);
        if self.has_heel && ankle_over < HIGHEST_ANKLE_METRES * self.size {
            let offsets = flat.iter().map(|&at| {
                let heel = self.ankle[at] - HEEL_METRES * self.size * level(toe[at] - self.ankle[at]);
                let heel = heel.with_y(toe[at].y - SOLE_METRES * self.size) - self.ankle[at];
                let [along, up] = self.axes(toe, at);
                DVec3::new(heel.dot(along), heel.dot(up), 0.0)
            });
            let offset = mean(offsets);
            let heel = (0..toe.len()).map(|at| {
                let [along, up] = self.axes(toe, at);
                self.ankle[at] + along * offset.x + up * offset.y
            });
            points.push((FootPoint::Heel, heel.collect()));
        }
        points.push((FootPoint::Ball, toe.to_vec()));
        if let Some(turns) = &self.toe_turns {
            let offset = mean(flat.iter().map(|&at| {
                let tip = toe[at] + self.tip_metres * level(toe[at] - self.ankle[at]);
                turns[at].conjugate() * (tip.with_y(toe[at].y - SOLE_METRES * self.size) - toe[at])
            }));
            let tip = toe.iter().zip(turns).map(|(toe, turn)| *toe + *turn * offset);
            points.push((FootPoint::Tip, tip.collect()));
        }
        points
    }

    /// Returns heel and ball of a foot whose only joint is the ankle; both turn with it.
    fn without_toes(&self, turns: &[DQuat]) -> Vec<(FootPoint, Vec<DVec3>)> {
        let flat = self.flat_frames(&self.ankle);
        let point = |ahead: f64| {
            let offset = mean(flat.iter().map(|&at| {
                let offset = ahead * self.size * self.ahead[at] - ANKLE_METRES * self.size * DVec3::Y;
                turns[at].conjugate() * offset
            }));
            let places = self
                .ankle
                .iter()
                .zip(turns)
                .map(|(ankle, turn)| *ankle + *turn * offset);
            places.collect::<Vec<DVec3>>()
        };
        vec![
            (FootPoint::Heel, point(-HEEL_METRES)),
            (FootPoint::Ball, point(BALL_METRES)),
        ]
    }

    /// Returns the axes of the foot: from the ankle to the toes, and across that towards the knee.
    fn axes(&self, toe: &[DVec3], at: usize) -> [DVec3; 2] {
        let along = (toe[at] - self.ankle[at]).normalize_or(DVec3::Z);
        let up = (self.knee[at] - self.ankle[at]).reject_from_normalized(along);
        [along, up.normalize_or_zero()]
    }

    /// Returns frames in which the foot lies flat on the ground, at least one.
    fn flat_frames(&self, toe: &[DVec3]) -> Vec<usize> {
        let count = toe.len();
        let low = |places: &[DVec3], metres: f64| -> Vec<bool> {
            let heights = over_lowest(places.iter().map(|place| place.y), self.reach);
            heights.iter().map(|height| *height < metres * self.size).collect()
        };
        let (toe_low, ankle_low) = (low(toe, FLAT_TOE_METRES), low(&self.ankle, FLAT_ANKLE_METRES));
        let moved = |at: usize| {
            let (from, to) = around(at, 1, count - 1);
            toe[to].distance(toe[from]) + self.ankle[to].distance(self.ankle[from])
        };
        let mut flat: Vec<usize> = (0..count).filter(|&at| toe_low[at] && ankle_low[at]).collect();
        if flat.is_empty() {
            flat.extend((0..count).min_by_key(|&at| ordered(toe[at].y + self.ankle[at].y)));
        }
        flat.sort_by_key(|&at| (ordered(moved(at)), at));
        flat.truncate(((STILL_SHARE * flat.len() as f64).ceil() as usize).max(1));
        let pitch = |at: usize| {
            let along = toe[at] - self.ankle[at];
            ops::atan2(along.y, ops::over_ground(along))
        };
        let middle = percentile::of(flat.iter().map(|&at| pitch(at)), 0.5);
        let off = |at: usize| (pitch(at) - middle).abs();
        let usual = percentile::of(flat.iter().map(|&at| off(at)), 0.5);
        flat.retain(|&at| off(at) <= PITCH_RADIANS.max(PITCH_DEVIATIONS * usual));
        flat
    }
}

fn level(way: DVec3) -> DVec3 {
    way.with_y(0.0).normalize_or_zero()
}

/// Whether the bone from a joint keeps its direction in the joint's axes: positions of markers have no rotations.
fn is_rigid(from: &[DVec3], turns: &[DQuat], to: &[DVec3]) -> bool {
    let bones = || {
        from.iter()
            .zip(turns)
            .zip(to)
            .map(|((from, turn), to)| turn.conjugate() * (*to - *from))
    };
    let usual = mean(bones());
    let off = percentile::of(bones().map(|bone| bone.distance(usual)), 0.95);
    off <= RIGID_SHARE * usual.length()
}

/// Whether one of two joints turns against the other.
fn turn_apart(one: &[DQuat], other: &[DQuat]) -> bool {
    let angles: Vec<DQuat> = one
        .iter()
        .zip(other)
        .map(|(one, other)| one.conjugate() * *other)
        .collect();
    let farthest = angles.iter().map(|angle| angle.angle_between(angles[0]));
    percentile::of(farthest, 0.95) > TURNS_RADIANS
}
