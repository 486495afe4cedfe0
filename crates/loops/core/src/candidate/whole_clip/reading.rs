//! Evaluates a clip as a loop of a given length: how its ends meet, and how smoothly it continues over the seam.

use core::cell::OnceCell;

use glam::DVec3;

use super::super::{
    named::NamedMotion,
    whole::{LastKey, WholeClip, WholeClipKind},
};
use crate::{
    analysis::{
        Analysis,
        body::USUAL_HEIGHT_METRES,
        seam_peak::{self, floor, second_difference},
    },
    math::{
        Rigid, TimeStep,
        fit::{PointPair, fit_planar},
        greatest, percentile, rotation,
    },
    root_motion::poses,
};

/// Tolerance within which poses of a loop meet, metres at the size of an adult: the precision of a cut by hand.
const MEETS_METRES: f64 = 5e-3;

/// Rotations of a loop meet within this, radians (1.5 degrees).
const MEETS_RADIANS: f64 = 1.5_f64.to_radians();

/// If the poses meet, the mean over the body is within this share of the largest rotation of a joint.
const MEAN_SHARE: f64 = 0.25;

/// A root that rises by less over a clip stays level, metres: floors are not exactly level.
const LEVEL_METRES: f64 = 0.03;

/// Largest roughness of a seam at which a clip that returns to its start counts as in place.
const SMOOTH_IN_PLACE: f64 = 2.0;

/// Most that closing may bend a cycle: the gap as a share of the body's height, and radians (45 degrees).
const MAX_GAP_SHARE: f64 = 0.12;
const MAX_GAP_RADIANS: f64 = core::f64::consts::FRAC_PI_4;

/// Most roughness of a cycle that closing can mend.
const MENDABLE: f64 = 2.0;

/// A step over the seam is like any other up to this many times their median unevenness.
const LIKE_ANY: f64 = 1.5;

/// Time between the poses of a second difference, so that a seam is as rough at every frame rate.
const STEP_SECS: f64 = 1.0 / 30.0;

/// Most frames from which a clip's own figures are taken: clips are shorter, and in a long take evenly spaced frames suffice.
const MAX_SAMPLED: usize = 2048;

/// The compared joints, the size of the body, and the reference for seams.
pub(super) struct Scale<'a> {
    pub analysis: &'a Analysis,
    /// Joints of the body with their weights.
    pub joints: Vec<(usize, f64)>,
    /// Size of the body relative to a man.
    pub size: f64,
    /// Frames in [`STEP_SECS`], at least one.
    reach: usize,
    /// The motion that the name of the take states.
    pub named: NamedMotion,
    /// Worked out for the first seam that needs it: most takes are ruled out by their ends.
    own: OnceCell<Own>,
}

/// A clip's own figures, without those at its ends.
struct Own {
    /// The 99th percentile of second differences, root of the weighted sum of squares over the joints.
    bend: f64,
    /// The median unevenness of its steps.
    usual_unevenness: f64,
}

impl<'a> Scale<'a> {
    pub(super) fn new(analysis: &'a Analysis) -> Self {
        let weights = poses::fit_weights(analysis);
        Self {
            analysis,
            joints: weights
                .into_iter()
                .enumerate()
                .filter(|(_, weight)| *weight > 0.0)
                .collect(),
            size: analysis.body.size(&analysis.take),
            reach: TimeStep::new(analysis.take.frame_time_secs())
                .nearest_from_one(STEP_SECS)
                .min(analysis.take.num_frames() / 4)
                .max(1),
            named: analysis.named_motion(),
            own: OnceCell::new(),
        }
    }

    pub(super) fn height_metres(&self) -> f64 {
        self.size * USUAL_HEIGHT_METRES
    }

    /// Returns a gap in units of the precision of a cut by hand.
    pub(super) fn mending(&self, gap_metres: f64, gap_radians: f64) -> f64 {
        gap_metres / (MEETS_METRES * self.size) + gap_radians / MEETS_RADIANS
    }

    /// Returns the distance below which motion is not visible, metres.
    fn floor(&self) -> f64 {
        floor::SEEN_METRES * self.size
    }

    fn own(&self) -> &Own {
        self.own.get_or_init(|| {
            let (world, num_frames) = (&self.analysis.world, self.analysis.take.num_frames());
            let stride = num_frames.div_ceil(MAX_SAMPLED);
            let reach = self.reach;
            let bends = self.joints.iter().map(|&(joint, weight)| {
                let bends = (reach..num_frames - reach).step_by(stride).map(|frame| {
                    let around = [frame + reach, frame, frame - reach];
                    second_difference(around.map(|frame| world.position(frame, joint))).length()
                });
                weight * seam_peak::usual(bends.collect(), self.floor()).powi(2)
            });
            let place = |frame: isize, joint: usize| world.position(frame as usize, joint);
            let steps = (1..num_frames - 2)
                .step_by(stride)
                .map(|frame| Step::new(self, frame as isize, place));
            Own {
                bend: bends.sum::<f64>().sqrt(),
                usual_unevenness: percentile::of(steps.map(|step| step.unevenness()), 0.5),
            }
        })
    }
}

/// A clip read as a loop of `num_frames` frames; its last frame need not exist.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    start_frame: usize,
    pub num_frames: usize,
    pub motion: Rigid,
    pub gap_metres: f64,
    pub gap_radians: f64,
    /// Root mean square of the rotations over all joints, radians.
    mean_radians: f64,
    /// Second differences at the seam, root of the weighted sum of squares over the joints, metres.
    bend: f64,
    /// How far the step over the seam departs from the mean of its neighbours, relative to the longer one, over all joints.
    unevenness: f64,
}

impl Reading {
    /// Evaluates the clip from a frame on, with a resting root if it returns to its start, else with the best-fitting motion.
    pub(super) fn from(scale: &Scale, start_frame: usize, num_frames: usize) -> Self {
        let in_place = Self::with_motion(scale, start_frame, num_frames, Rigid::IDENTITY);
        let returns = if start_frame + num_frames < scale.analysis.take.num_frames() {
            in_place.meets(scale)
        } else {
            in_place.roughness(scale) <= SMOOTH_IN_PLACE
        };
        if returns {
            return in_place;
        }
        let motion = fit_planar(&pairs_at_seam(scale, start_frame, num_frames));
        Self::with_motion(scale, start_frame, num_frames, level(motion))
    }

    /// Evaluates another length of a clip that was evaluated before, which stays in place if it did.
    pub(super) fn ending_like(scale: &Scale, whole: &WholeClip, num_frames: usize) -> Self {
        if whole.is_in_place() {
            Self::with_motion(scale, whole.start_frame, num_frames, Rigid::IDENTITY)
        } else {
            Self::from(scale, whole.start_frame, num_frames)
        }
    }

    /// Reads a clip as a loop that moves by `motion` over the ground from each start to the next.
    pub(super) fn with_motion(scale: &Scale, start_frame: usize, num_frames: usize, motion: Rigid) -> Self {
        let world = &scale.analysis.world;
        let (last, end_frame) = (num_frames as isize, start_frame + num_frames);
        let has_end = end_frame < scale.analysis.take.num_frames();
        let own = |frame: isize, joint: usize| world.position(start_frame + frame as usize, joint);
        let back = motion.inverse();
        // Frames beyond the ends come from the neighbouring cycles.
        let position = |frame: isize, joint: usize| -> DVec3 {
            if frame < 0 {
                back.transform_point(own(frame + last, joint))
            } else if frame >= last {
                motion.transform_point(own(frame - last, joint))
            } else {
                own(frame, joint)
            }
        };
        let (mut gap_metres, mut gap_radians) = (0.0_f64, 0.0_f64);
        let (mut turns, mut weights) = (0.0, 0.0);
        let mut bends = 0.0;
        for &(joint, weight) in &scale.joints {
            if has_end {
                let off = position(last, joint) - world.position(end_frame, joint);
                gap_metres = gap_metres.max(off.length());
                let moved_on = motion.rotation * world.rotation(start_frame, joint);
                let turn = rotation::difference(moved_on, world.rotation(end_frame, joint));
                gap_radians = gap_radians.max(turn.length());
                turns += weight * turn.length_squared();
                weights += weight;
            }
            let reach = scale.reach.min(num_frames / 4).max(1) as isize;
            let over_seam = (-reach..reach).map(|frame| {
                let around = [frame + reach, frame, frame - reach];
                second_difference(around.map(|frame| position(frame, joint))).length()
            });
            bends += weight * greatest(over_seam).powi(2);
        }
        let step = Step::new(scale, last - 1, position);
        if !has_end {
            gap_metres = step.farthest;
        }
        Self {
            start_frame,
            num_frames,
            motion,
            gap_metres,
            gap_radians,
            mean_radians: ratio(turns, weights),
            bend: bends.sqrt(),
            unevenness: step.unevenness(),
        }
    }

    /// See [`WholeClip::roughness`].
    pub(super) fn roughness(&self, scale: &Scale) -> f64 {
        let own = scale.own().bend;
        if own > 0.0 { self.bend / own } else { 0.0 }
    }

    /// Whether the step over the seam is like most of the clip: no capture ends like that at its start by chance.
    pub(super) fn is_like_any(&self, scale: &Scale) -> bool {
        self.unevenness <= LIKE_ANY * scale.own().usual_unevenness
    }

    /// Whether the poses meet. A few joints, such as fingers, may be rotated farther if no joint is displaced and the body as a
    /// whole agrees.
    pub(super) fn meets(&self, scale: &Scale) -> bool {
        let turned = self.gap_radians <= MEETS_RADIANS || self.mean_radians <= MEAN_SHARE * MEETS_RADIANS;
        self.gap_metres <= MEETS_METRES * scale.size && turned
    }

    pub(super) fn is_in_place(&self) -> bool {
        self.motion == Rigid::IDENTITY
    }

    /// Whether closing can bend one end to the other.
    pub(super) fn is_near(&self, scale: &Scale) -> bool {
        self.gap_metres <= MAX_GAP_SHARE * scale.height_metres() && self.gap_radians <= MAX_GAP_RADIANS
    }

    /// Whether closing can mend the seam.
    pub(super) fn is_mendable(&self, scale: &Scale) -> bool {
        self.is_near(scale) && self.roughness(scale) <= MENDABLE
    }

    /// Returns how far closing has to bend the clip, in units of the precision of a cut by hand.
    pub(super) fn mending(&self, scale: &Scale) -> f64 {
        scale.mending(self.gap_metres, self.gap_radians)
    }

    pub(super) fn as_whole(&self, scale: &Scale, kind: WholeClipKind, last_key: LastKey) -> WholeClip {
        WholeClip {
            kind,
            last_key,
            start_frame: self.start_frame,
            last_frame: (self.start_frame + self.num_frames).min(scale.analysis.take.last_frame()),
            num_frames: self.num_frames as f64,
            end_limits: [0.0; 2],
            left_out: 0,
            motion: self.motion,
            gap_metres: self.gap_metres,
            gap_radians: self.gap_radians,
            by_name: kind == WholeClipKind::Cycle && scale.named.repeats == Some(true),
            roughness: self.roughness(scale),
        }
    }
}

/// How far the step after a frame departs from the mean of its neighbours.
struct Step {
    /// Weighted sum of squares of the departures over the joints, square metres.
    departure: f64,
    /// Weighted sum of squares of the longer neighbours, square metres.
    length: f64,
    /// The largest departure of a joint, metres.
    farthest: f64,
}

impl Step {
    /// Measures a step; invisibly short steps count as the shortest visible ones.
    fn new(scale: &Scale<'_>, frame: isize, position: impl Fn(isize, usize) -> DVec3) -> Self {
        let (mut departure, mut length, mut farthest) = (0.0, 0.0, 0.0_f64);
        for &(joint, weight) in &scale.joints {
            let [before, step, after] =
                [frame - 1, frame, frame + 1].map(|frame| position(frame + 1, joint) - position(frame, joint));
            let off = step.distance(0.5 * (before + after));
            let longest = before.length_squared().max(after.length_squared());
            departure += weight * off * off;
            length += weight * longest.max(scale.floor().powi(2));
            farthest = farthest.max(off);
        }
        Self {
            departure,
            length,
            farthest,
        }
    }

    fn unevenness(&self) -> f64 {
        ratio(self.departure, self.length)
    }
}

/// Returns the root of a quotient of sums of squares; 0 if nothing moves.
fn ratio(sum: f64, of: f64) -> f64 {
    if of > 0.0 { (sum / of).sqrt() } else { 0.0 }
}

/// Returns a motion over the ground without a small rise, which is left in the body.
pub(super) fn level(motion: Rigid) -> Rigid {
    if motion.translation.y.abs() < LEVEL_METRES {
        Rigid::new(motion.rotation, motion.translation.with_y(0.0))
    } else {
        motion
    }
}

/// Returns points of the first pose and of the closing one, which is a frame after the last pose if the clip has no such pose: both ends are
/// then carried on by half a frame along parabolas, and meet there.
fn pairs_at_seam(scale: &Scale, start_frame: usize, num_frames: usize) -> Vec<PointPair> {
    let world = &scale.analysis.world;
    let last = scale.analysis.take.last_frame();
    let carried_on = |frames: [usize; 3], joint: usize| {
        let [at, inner, further] = frames.map(|frame| world.position(frame, joint));
        // The parabola through the three, half a step beyond the first.
        0.125 * (15.0 * at - 10.0 * inner + 3.0 * further)
    };
    scale
        .joints
        .iter()
        .map(|&(joint, weight)| {
            let end_frame = start_frame + num_frames;
            let (start, end) = if end_frame <= last {
                (world.position(start_frame, joint), world.position(end_frame, joint))
            } else {
                (
                    carried_on([0, 1, 2], joint),
                    carried_on([last, last - 1, last - 2], joint),
                )
            };
            PointPair { start, end, weight }
        })
        .collect()
}
