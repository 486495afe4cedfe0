//! Finds faults that come once a cycle. The loop's own percentiles hold these, so each sample is compared with the few around it,
//! and at the size of a person.
//!
//! A ratio is the fault over the smallest that people see: above 1 it shows. How the limits were found: docs/math/measures.md.

use glam::DVec3;

use super::inside::{JointPeak, sharper};
use crate::analysis::body::Body;
use crate::loop_clip::LoopKeys;
use crate::math::rotation;

/// Faults that a loop may repeat in every cycle; of the worst joint each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub struct Faults {
    /// A joint leaves its course for a moment.
    pub spike: JointPeak,
    /// A joint, or the whole body, trembles throughout.
    pub shake: JointPeak,
    /// Frames are held or lost.
    pub stutter: JointPeak,
    /// Nothing carries the body, and it does not fall.
    pub bearing: JointPeak,
    /// Whether something carries the body at some time, or should: it goes upright, and does not glide.
    pub is_on_legs: bool,
    /// Bones change, or differ from those of the other side.
    pub bones: JointPeak,
    /// A knee bends backwards, the trunk twists too far, or the head turns too far or too fast.
    pub bends: JointPeak,
    /// A limb is rigid, and others are not.
    pub stiff: JointPeak,
}

/// Time over which steps are compared, seconds: above 30 frames a second several frames.
const STEP_SECS: f64 = 1.0 / 30.0;

/// Steps that are looked at before a sample, and after it.
const STEPS: isize = 3;

/// When a track is off its course, in metres at the size of an adult or radians.
struct Course {
    /// Least distance of a sample from its course that shows.
    spike: f64,
    /// The same as a multiple of the steps around it, which get the second addend.
    spike_ratio: [f64; 2],
    /// Least mean distance that shows.
    shake: f64,
    /// The same as a share of the mean step, which gets the second addend.
    shake_share: [f64; 2],
}

const PLACE: Course = Course {
    spike: 0.045,
    spike_ratio: [2.5, 0.009],
    shake: 0.017,
    shake_share: [0.45, 0.011],
};

const TURN: Course = Course {
    spike: 15.0 * DEGREE,
    spike_ratio: [3.0, 3.0 * DEGREE],
    shake: 5.0 * DEGREE,
    shake_share: [0.55, 3.0 * DEGREE],
};

pub(super) const DEGREE: f64 = core::f64::consts::PI / 180.0;

/// The whole body trembles from these on: root mean squares over joints.
const BODY_SHAKE: f64 = 0.0055;
const BODY_SHAKE_SHARE: [f64; 2] = [0.25, 0.0035];

/// A frame that is lost is a step of 1 beyond those around it, a held one of -1.
const STUTTER: f64 = 0.8;

/// Root mean square of these steps from which all frames stutter.
const STUTTER_RMS: f64 = 0.25;

/// Time on either side of a step whose mean step is its measure, seconds.
const STUTTER_SECS: f64 = 0.1;

/// Speed of joints from which steps are compared, metres per second at the size of an adult.
const STUTTER_MPS: f64 = 0.15;

/// The joints of trunk and limbs of a loop, at their places.
pub(super) struct Figure<'a> {
    pub(super) keys: &'a LoopKeys,
    pub(super) body: &'a Body,
    /// Size of the body relative to an adult.
    pub(super) size: f64,
    /// Samples of a step, at least one.
    pub(super) reach: isize,
    /// Hips and whatever lies between them and feet, hands and head: without fingers, face, and what hangs beside.
    pub(super) joints: Vec<usize>,
}

/// Finds the faults of a loop; `size` is that of the body relative to an adult.
pub(super) fn of_loop(keys: &LoopKeys, body: &Body, size: f64) -> Faults {
    let figure = Figure::new(keys, body, size);
    let (bearing, is_on_legs) = figure.bearing();
    let found = Faults {
        bearing,
        is_on_legs,
        bones: figure.bones(),
        bends: figure.bends(),
        stiff: figure.stiff(),
        ..Faults::default()
    };
    if figure.count() <= 2 * STEPS * figure.reach {
        return found;
    }
    let places = figure.places();
    let (spike, shake) = figure.off_course(&places);
    Faults {
        spike,
        shake,
        stutter: figure.stutter(&places),
        ..found
    }
}

impl<'a> Figure<'a> {
    fn new(keys: &'a LoopKeys, body: &'a Body, size: f64) -> Self {
        let feet = body.feet.iter().map(|foot| foot.lowest_joint());
        let ends = feet.chain(body.hands.iter().copied()).chain(body.head);
        let paths = ends.flat_map(|end| path(keys, body.hips, end).unwrap_or_else(|| vec![end]));
        let mut joints: Vec<usize> = paths.chain([body.hips]).collect();
        joints.sort_unstable();
        joints.dedup();
        Self {
            keys,
            body,
            size,
            reach: ((STEP_SECS / keys.step_secs()).round() as isize).max(1),
            joints,
        }
    }

    pub(super) fn count(&self) -> isize {
        self.keys.num_samples() as isize
    }

    /// Returns the places of the joints, sample by sample: the hips seen from the root, the others from the hips.
    fn places(&self) -> Vec<Vec<DVec3>> {
        let place = |sample, joint| self.keys.position(sample, joint);
        let hips = self.body.hips;
        let seen = |sample| {
            let from = |joint| {
                if joint == hips {
                    DVec3::ZERO
                } else {
                    place(sample, hips)
                }
            };
            self.joints
                .iter()
                .map(|&joint| place(sample, joint) - from(joint))
                .collect()
        };
        (0..self.count()).map(seen).collect()
    }

    /// Returns the sharpest spike and the worst trembling.
    fn off_course(&self, places: &[Vec<DVec3>]) -> (JointPeak, JointPeak) {
        let (mut spike, mut shake) = (JointPeak::default(), JointPeak::default());
        let (mut of_body, mut squares) = (JointPeak::default(), [0.0; 2]);
        for (index, &joint) in self.joints.iter().enumerate() {
            let place = |at: isize| places[at.rem_euclid(self.count()) as usize][index];
            let track = Track::new(self, |to, from| (place(to) - place(from)) / self.size);
            let peaks = track.peaks(joint, &PLACE);
            squares = [0, 1].map(|of| squares[of] + track.means[of] * track.means[of]);
            of_body = sharper(
                of_body,
                JointPeak {
                    ratio: track.means[0],
                    ..peaks[1]
                },
            );
            (spike, shake) = (sharper(spike, peaks[0]), sharper(shake, peaks[1]));
            // Toes roll off within a frame.
            if self.body.feet.iter().all(|foot| foot.toe != Some(joint)) {
                let turn = |at| self.keys.rotation(at, joint);
                let peaks = Track::new(self, |to, from| rotation::difference(turn(to), turn(from))).peaks(joint, &TURN);
                (spike, shake) = (sharper(spike, peaks[0]), sharper(shake, peaks[1]));
            }
        }
        let [off, step] = squares.map(|sum| (sum / self.joints.len() as f64).sqrt());
        of_body.ratio = (off / BODY_SHAKE).min(off / (BODY_SHAKE_SHARE[0] * (step + BODY_SHAKE_SHARE[1])));
        (spike, sharper(shake, of_body))
    }

    /// Returns the frame that is farthest from the middle of those around it along the motion of the body, over the step there;
    /// its fastest joint.
    fn stutter(&self, places: &[Vec<DVec3>]) -> JointPeak {
        let count = places.len();
        let step = |at: usize, index: usize| places[(at + 1) % count][index] - places[at % count][index];
        let joints = 0..self.joints.len();
        let lengths: Vec<f64> = (0..count)
            .map(|at| {
                joints
                    .clone()
                    .map(|index| step(at, index).length_squared())
                    .sum::<f64>()
                    .sqrt()
            })
            .collect();
        let around = ((STUTTER_SECS / self.keys.step_secs()).round() as usize).max(2);
        let least = STUTTER_MPS * self.size * self.keys.step_secs() * (self.joints.len() as f64).sqrt();
        let (mut worst, mut squares) = (JointPeak::default(), 0.0);
        for at in 0..count {
            let near = (count - around.min(count)..=count + around).map(|other| lengths[(at + other) % count]);
            let usual = near.sum::<f64>() / (around.min(count) + around + 1) as f64;
            let (mut along, mut square) = (0.0, 0.0);
            for index in joints.clone() {
                let beside = 0.5 * (step(at + count - 1, index) + step(at + 1, index));
                along += (step(at, index) - beside).dot(beside);
                square += beside.length_squared();
            }
            if usual > least && square > 0.0 {
                let uneven = along / square.sqrt() / usual;
                squares += uneven * uneven;
                let far = |index: usize| step(at, index).length_squared();
                let fastest = joints.clone().max_by(|one, other| far(*one).total_cmp(&far(*other)));
                worst = sharper(
                    worst,
                    JointPeak {
                        joint: self.joints[fastest.unwrap_or_default()],
                        sample: at,
                        ratio: uneven.abs() / STUTTER,
                    },
                );
            }
        }
        worst.ratio = worst.ratio.max((squares / count as f64).sqrt() / STUTTER_RMS);
        worst
    }
}

/// Returns the joints from one to another that hangs from it; `None` for others.
pub(super) fn path(keys: &LoopKeys, from: usize, to: usize) -> Option<Vec<usize>> {
    let mut path = keys.skeleton().path_from_root(to);
    let at = path.iter().position(|&joint| joint == from)?;
    path.drain(..at);
    Some(path)
}

/// How a joint moves.
struct Track {
    /// By sample, the distance from the course that the samples around it foretell.
    off: Vec<f64>,
    /// By sample, the step to the next, [`STEP_SECS`] later.
    steps: Vec<f64>,
    /// Means of both.
    means: [f64; 2],
    reach: usize,
}

impl Track {
    /// `difference` leads to a sample of the endless loop from another.
    fn new(figure: &Figure<'_>, difference: impl Fn(isize, isize) -> DVec3) -> Self {
        let reach = figure.reach;
        // Longer steps foretell less.
        let longer = (reach as f64 * figure.keys.step_secs() / STEP_SECS).max(1.0);
        let seen = (0..figure.count()).map(|at| {
            let [first, before, after, last] = [-2, -1, 1, 2].map(|step| difference(at + step * reach, at));
            // A cubic through four samples.
            let off = (4.0 * (before + after) - first - last) / 6.0;
            (off.length() / longer, after.length())
        });
        let (off, steps): (Vec<f64>, Vec<f64>) = seen.unzip();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        Self {
            means: [mean(&off), mean(&steps)],
            off,
            steps,
            reach: reach as usize,
        }
    }

    /// Returns the sharpest spike, and the trembling with its largest sample.
    fn peaks(&self, joint: usize, limits: &Course) -> [JointPeak; 2] {
        let ratio = |off: f64, least: f64, [share, noise]: [f64; 2], step: f64| {
            (off / least).min(off / (share * (step + noise)))
        };
        let peak = |sample, ratio| JointPeak { joint, sample, ratio };
        let spikes = self.off.iter().enumerate().map(|(at, &off)| {
            let spiked = ratio(off, limits.spike, limits.spike_ratio, self.step_beside(at));
            peak(at, spiked)
        });
        let farthest = (0..self.off.len()).max_by(|&one, &other| self.off[one].total_cmp(&self.off[other]));
        let [off, step] = self.means;
        let shaken = ratio(off, limits.shake, limits.shake_share, step);
        [
            spikes.fold(peak(0, 0.0), sharper),
            peak(farthest.unwrap_or_default(), shaken),
        ]
    }

    /// Returns the median of the two steps before a sample and of the two after it that do not touch it.
    fn step_beside(&self, at: usize) -> f64 {
        let count = self.steps.len();
        let steps = [
            count - 3 * self.reach,
            count - 2 * self.reach,
            self.reach,
            2 * self.reach,
        ];
        let mut four = steps.map(|step| self.steps[(at + step) % count]);
        four.sort_unstable_by(f64::total_cmp);
        0.5 * (four[1] + four[2])
    }
}
