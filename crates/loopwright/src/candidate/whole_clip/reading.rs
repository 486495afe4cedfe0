//! A clip read as a loop of a certain length: how its ends meet, and how smoothly it goes on over the seam.

use core::ops::RangeInclusive;

use glam::DVec3;

use super::super::whole::{LastKey, WholeClip, WholeClipKind};
use crate::{
    analysis::{
        Analysis,
        body::USUAL_HEIGHT_METRES,
        seam_peak::{self, floor, second_difference},
    },
    math::{
        fit::{PointPair, fit_planar},
        percentile,
        rigid::Rigid,
        rotation,
    },
    root_motion::poses,
};

/// Poses of a loop meet within this, metres at the size of a man: what a cut by hand leaves.
const MEETS_METRES: f64 = 5e-3;

/// The same for rotations, radians (1.5 degrees).
const MEETS_RADIANS: f64 = 1.5 * core::f64::consts::PI / 180.0;

/// Keys that differ by less than this are copies, metres and radians.
const COPY: f64 = 1e-4;

/// Share of the largest rotation of a joint within which the mean over the body lies where the poses meet.
const MEAN_SHARE: f64 = 0.25;

/// A root that rises by less over a clip stays level, metres: floors are not exactly level.
const LEVEL_METRES: f64 = 0.03;

/// Most roughness of a seam at which a clip that returns to where it began counts as in place.
const SMOOTH_IN_PLACE: f64 = 2.0;

/// The joints that are compared and the size of the body.
pub(super) struct Scale {
    /// Joints of the body with their weights.
    joints: Vec<(usize, f64)>,
    /// Size of the body relative to a man.
    pub(super) size: f64,
}

impl Scale {
    pub(super) fn of(analysis: &Analysis) -> Self {
        let weights = poses::fit_weights(analysis.take.skeleton(), &analysis.body, &analysis.joints);
        Self {
            joints: weights
                .into_iter()
                .enumerate()
                .filter(|(_, weight)| *weight > 0.0)
                .collect(),
            size: analysis.body.size(&analysis.take),
        }
    }

    pub(super) fn height_metres(&self) -> f64 {
        self.size * USUAL_HEIGHT_METRES
    }
}

/// A clip read as a loop of `num_frames` frames; its last frame need not exist.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub(super) num_frames: usize,
    motion: Rigid,
    pub(super) gap_metres: f64,
    pub(super) gap_radians: f64,
    /// Root mean square of the rotations over all joints, radians.
    mean_radians: f64,
    /// See [`WholeClip::roughness`].
    pub(super) roughness: f64,
    /// How far the step over the seam departs from the mean of its neighbours, relative to the longer one, over all joints.
    pub(super) unevenness: f64,
    /// The 99th percentile of the same for the other steps of the clip.
    pub(super) usual_unevenness: f64,
}

impl Reading {
    /// The reading with the root at rest where the clip returns to where it began, else with the motion that fits best.
    pub(super) fn of(analysis: &Analysis, scale: &Scale, num_frames: usize) -> Self {
        let in_place = Self::with_motion(analysis, scale, num_frames, Rigid::IDENTITY);
        let returns = if num_frames < analysis.take.num_frames() {
            in_place.meets(scale)
        } else {
            in_place.roughness <= SMOOTH_IN_PLACE
        };
        if returns {
            return in_place;
        }
        let (motion, _) = fitted_motion(analysis, scale, num_frames, 1.0);
        Self::with_motion(analysis, scale, num_frames, motion)
    }

    fn with_motion(analysis: &Analysis, scale: &Scale, num_frames: usize, motion: Rigid) -> Self {
        let world = &analysis.world;
        let last = num_frames as isize;
        let back = motion.inverse();
        let (mut gap_metres, mut gap_radians) = (0.0_f64, 0.0_f64);
        let (mut turns, mut weights) = (0.0, 0.0);
        let (mut seam, mut own) = (0.0, 0.0);
        let mut steps = Steps::new(num_frames);
        for &(joint, weight) in &scale.joints {
            // Side by side: each is read nine times, and the joints of a frame lie between.
            let path: Vec<DVec3> = (0..num_frames).map(|frame| world.position(frame, joint)).collect();
            // Frames beyond the ends are those of the neighbouring cycles.
            let position = |frame: isize| -> DVec3 {
                if frame < 0 {
                    back.transform_point(path[(frame + last) as usize])
                } else if frame >= last {
                    motion.transform_point(path[(frame - last) as usize])
                } else {
                    path[frame as usize]
                }
            };
            if num_frames < analysis.take.num_frames() {
                let off = position(last) - world.position(num_frames, joint);
                gap_metres = gap_metres.max(off.length());
                let moved_on = motion.rotation * world.rotation(0, joint);
                let turn = rotation::difference(moved_on, world.rotation(num_frames, joint));
                gap_radians = gap_radians.max(turn.length());
                turns += weight * turn.length_squared();
                weights += weight;
            }
            let bend = |frame: isize| second_difference([frame + 1, frame, frame - 1].map(position)).length();
            let usual = seam_peak::usual((1..last - 1).map(bend).collect(), floor::SEEN_METRES * scale.size);
            let at_seam = bend(0).max(bend(last - 1));
            seam += weight * at_seam * at_seam;
            own += weight * usual * usual;
            steps.add(weight, floor::SEEN_METRES * scale.size, position);
        }
        if num_frames == analysis.take.num_frames() {
            gap_metres = steps.farthest;
        }
        let (unevenness, usual_unevenness) = steps.unevenness();
        Self {
            num_frames,
            motion,
            gap_metres,
            gap_radians,
            mean_radians: ratio(turns, weights),
            roughness: ratio(seam, own),
            unevenness,
            usual_unevenness,
        }
    }

    /// A joint or two may be turned farther, such as a finger, where no joint is elsewhere and the body as a whole agrees.
    pub(super) fn meets(&self, scale: &Scale) -> bool {
        let turned = self.gap_radians <= MEETS_RADIANS || self.mean_radians <= MEAN_SHARE * MEETS_RADIANS;
        self.gap_metres <= MEETS_METRES * scale.size && turned
    }

    pub(super) fn is_in_place(&self) -> bool {
        self.motion == Rigid::IDENTITY
    }

    /// Whether the pose at the end is a copy of the closing key.
    pub(super) fn is_copy(&self) -> bool {
        self.gap_metres <= COPY && self.gap_radians <= COPY
    }

    /// How far closing has to bend the clip, in units of what a cut by hand leaves.
    pub(super) fn bend(&self, scale: &Scale) -> f64 {
        self.gap_metres / (MEETS_METRES * scale.size) + self.gap_radians / MEETS_RADIANS
    }

    pub(super) fn as_whole(&self, kind: WholeClipKind, last_key: LastKey) -> WholeClip {
        WholeClip {
            kind,
            last_key,
            num_frames: self.num_frames as f64,
            motion: self.motion,
            gap_metres: self.gap_metres,
            gap_radians: self.gap_radians,
            roughness: self.roughness,
        }
    }
}

/// How far each step from frame to frame departs from the mean of its neighbours, over all joints.
struct Steps {
    num_frames: usize,
    departures: Vec<f64>,
    lengths: Vec<f64>,
    /// The largest departure of a joint at the step over the seam, metres.
    farthest: f64,
}

impl Steps {
    fn new(num_frames: usize) -> Self {
        Self {
            num_frames,
            departures: vec![0.0; num_frames],
            lengths: vec![0.0; num_frames],
            farthest: 0.0,
        }
    }

    /// Adds a joint; steps shorter than `floor` metres count as that.
    fn add(&mut self, weight: f64, floor: f64, position: impl Fn(isize) -> DVec3) {
        let moved = |frame: isize| position(frame + 1) - position(frame);
        let last = self.num_frames as isize - 1;
        for frame in 0..=last {
            let [before, step, after] = [frame - 1, frame, frame + 1].map(&moved);
            let off = (step - 0.5 * (before + after)).length();
            self.departures[frame as usize] += weight * off * off;
            let longest = before.length_squared().max(after.length_squared());
            self.lengths[frame as usize] += weight * longest.max(floor * floor);
            if frame == last {
                self.farthest = self.farthest.max(off);
            }
        }
    }

    /// The relative departure of the step over the seam, and the 99th percentile of those that do not touch it.
    fn unevenness(&self) -> (f64, f64) {
        let of = |frame: usize| ratio(self.departures[frame], self.lengths[frame]);
        let last = self.num_frames - 1;
        (of(last), percentile::of((1..last - 1).map(of).collect(), 0.99))
    }
}

/// Root of a quotient of sums of squares; 0 where nothing moves.
fn ratio(sum: f64, of: f64) -> f64 {
    if of > 0.0 { (sum / of).sqrt() } else { 0.0 }
}

/// The motion over the ground from the first pose to the one that closes the loop, `seam_frames` after the last pose where the clip
/// has no such pose: both ends are then carried on by half of that along parabolas, and meet there. The second value is how far
/// they miss each other there, root mean square over joints, metres.
fn fitted_motion(analysis: &Analysis, scale: &Scale, num_frames: usize, seam_frames: f64) -> (Rigid, f64) {
    let pairs = pairs_at_seam(analysis, scale, num_frames, seam_frames);
    let motion = fit_planar(&pairs);
    let level = if motion.translation.y.abs() < LEVEL_METRES {
        // The rise of the fitted motion stays in the body.
        Rigid::new(motion.rotation, motion.translation * DVec3::new(1.0, 0.0, 1.0))
    } else {
        motion
    };
    (level, miss(&pairs, motion))
}

/// Points of both ends, carried on to where they meet.
fn pairs_at_seam(analysis: &Analysis, scale: &Scale, num_frames: usize, seam_frames: f64) -> Vec<PointPair> {
    let world = &analysis.world;
    let last = analysis.take.num_frames() - 1;
    let half = 0.5 * seam_frames;
    let carried_on = |frames: [usize; 3], joint: usize| {
        let [at, inner, further] = frames.map(|frame| world.position(frame, joint));
        // The parabola through the three, half a step beyond the first.
        let (slope, bend) = (
            0.5 * (3.0 * at - 4.0 * inner + further),
            0.5 * (at - 2.0 * inner + further),
        );
        at + slope * half + bend * (half * half)
    };
    let pair = |&(joint, weight): &(usize, f64)| {
        let (start, end) = if num_frames <= last {
            (world.position(0, joint), world.position(num_frames, joint))
        } else {
            (
                carried_on([0, 1, 2], joint),
                carried_on([last, last - 1, last - 2], joint),
            )
        };
        PointPair { start, end, weight }
    };
    scale.joints.iter().map(pair).collect()
}

/// Root mean square distance of the points at the end from the moved points at the start, metres.
fn miss(pairs: &[PointPair], motion: Rigid) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for pair in pairs {
        sum += pair.weight * (motion.transform_point(pair.start) - pair.end).length_squared();
        total += pair.weight;
    }
    ratio(sum, total)
}

/// Times of the step over the seam that are tried where the closing key is missing, in frames.
const SEAM_FRAMES: RangeInclusive<u32> = 10..=30;
const SEAM_PARTS: f64 = 20.0;

/// The time of the step over the seam at which both ends, carried on, meet best, with the motion there.
///
/// A cut between two captured cycles falls anywhere between two frames.
pub(super) fn best_seam(analysis: &Analysis, scale: &Scale, in_place: bool) -> (f64, Rigid) {
    let num_frames = analysis.take.num_frames();
    let mut best = (1.0, Rigid::IDENTITY, f64::INFINITY);
    for part in SEAM_FRAMES {
        let seam_frames = f64::from(part) / SEAM_PARTS;
        let (motion, miss) = if in_place {
            let pairs = pairs_at_seam(analysis, scale, num_frames, seam_frames);
            (Rigid::IDENTITY, miss(&pairs, Rigid::IDENTITY))
        } else {
            fitted_motion(analysis, scale, num_frames, seam_frames)
        };
        if miss < best.2 {
            best = (seam_frames, motion, miss);
        }
    }
    (best.0, best.1)
}
