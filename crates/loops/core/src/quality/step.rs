//! Decides whether a seam shows: how far joints step over it, absolutely and relative to their own motion.
//!
//! Formulae, and how often the limits are right: docs/math/measures.md.

use core::f64::consts::PI;

use glam::DVec3;

use crate::{
    loop_clip::LoopKeys,
    math::{ordered, percentile},
};

/// The percentile of a joint's own steps that a seam is compared with.
const OWN_SHARE: f64 = 0.99;

/// The largest steps of a joint over a seam that do not show, of each kind: the most that is allowed of a joint that hardly moves, in
/// SI units with lengths at the size of a man, and the most as a multiple of its own 99th percentile.
///
/// Lower ratios raise false alarms if two feet strike at the seam of a short loop, and no other time; higher ones miss cuts in fast
/// motion at 24 frames per second. The floors are above the steps of authored idles between keys and below the visible ones.
const LIMITS: [[f64; 2]; 4] = [
    [2e-3, 2.5],
    [0.35, 3.5],
    [1.5 * PI / 180.0, 3.0],
    [100.0 * PI / 180.0, 5.0],
];

/// A gap between the first key and the closing one that shows however fast the joint moves: no motion explains it. Metres at the
/// size of an adult; the floor of rotations is above a degree already.
const GAP_METRES: f64 = 1e-2;

/// A kind of step of a joint over a seam.
#[value(Copy, Default, Eq)]
pub enum StepKind {
    /// The joint jumps: metres.
    #[default]
    Position,
    /// The velocity of the joint changes: metres per second.
    Velocity,
    /// The joint turns suddenly: radians.
    Rotation,
    /// The angular velocity of the joint changes: radians per second.
    AngularVelocity,
}

/// The joint whose step over the seam is largest relative to the step that its own motion explains.
#[handed_over(Copy, Default)]
pub struct Step {
    /// The joint, by index.
    pub joint: usize,
    /// The sample after the seam: 0, but between the cycles of a loop of many that differ.
    pub sample: usize,
    /// The size of the step, in the unit of its kind.
    pub size: f64,
    /// The largest step of this joint that does not show.
    pub allowed: f64,
}

impl Step {
    /// Returns the step relative to the allowed one; above 1 it shows.
    pub fn ratio(&self) -> f64 {
        if self.allowed > 0.0 {
            self.size / self.allowed
        } else {
            0.0
        }
    }
}

/// The steps over a seam, of the joint that shows most in each respect.
#[handed_over(Copy, Default)]
pub struct SeamSteps {
    /// Jump in position, or the gap to the closing key.
    pub position: Step,
    /// Change of velocity beyond the change around it.
    pub velocity: Step,
    /// Jump in rotation, or the gap to the closing key.
    pub rotation: Step,
    /// Change of the rate of turn beyond the change around it.
    pub angular_velocity: Step,
    /// Largest jump of a joint beyond its own 99th percentile, metres: the contribution of the seam.
    pub excess_metres: f64,
}

impl SeamSteps {
    /// Creates the steps of a loop of a body of that size relative to a man.
    pub(crate) fn from_loop(keys: &LoopKeys, size: f64) -> Self {
        let (mut found, allowed) = Self::at_seams(keys, size);
        // The gap of a joint between the first key and the closing one is a step as well in playback.
        for (joint, [metres, radians]) in allowed.into_iter().enumerate() {
            let Some((turned, moved)) = keys.closing_gap(joint) else {
                continue;
            };
            for (worst, gap, allowed) in [
                (&mut found.position, moved, metres.min(GAP_METRES * size)),
                (&mut found.rotation, turned, radians.min(LIMITS[2][0])),
            ] {
                let gap = Step {
                    joint,
                    sample: 0,
                    size: gap,
                    allowed,
                };
                if gap.ratio() > worst.ratio() {
                    *worst = gap;
                }
            }
            found.excess_metres = found.excess_metres.max(moved);
        }
        found
    }

    /// Returns the largest steps over the seams, and those in metres and radians that every joint is allowed.
    fn at_seams(keys: &LoopKeys, size: f64) -> (Self, Vec<[f64; 2]>) {
        let (num_samples, num_seams) = (keys.num_samples() as isize, keys.seams().count() as isize);
        // As many second differences as samples, with no seam at either end of them.
        let before = num_samples / num_seams / 2;
        let frames = -before - 1..num_samples - before;
        let before_seam = usize::try_from(-1 - frames.start).unwrap_or(0);
        let seams: Vec<usize> = keys.seams().map(|seam| before_seam + seam).collect();
        let mut found = Self::default();
        let mut allowed = Vec::with_capacity(keys.num_joints());
        for joint in 0..keys.num_joints() {
            let moves: Vec<DVec3> = frames
                .clone()
                .map(|frame| keys.position(frame + 1, joint) - keys.position(frame, joint))
                .collect();
            let turns: Vec<DVec3> = frames.clone().map(|frame| keys.turn(frame, frame + 1, joint)).collect();
            let [[jump, kink], [turn, swing]] =
                [moves, turns].map(|steps| AtSeam::of(&steps, &seams, keys.step_secs()));
            let steps: [Step; 4] = core::array::from_fn(|kind| {
                let (at, size) = [(jump, size), (kink, size), (turn, 1.0), (swing, 1.0)][kind];
                let [floor, ratio] = LIMITS[kind];
                Step {
                    joint,
                    sample: at.at - before_seam,
                    size: at.seam,
                    allowed: (floor * size).max(ratio * at.own),
                }
            });
            let worst = [
                &mut found.position,
                &mut found.velocity,
                &mut found.rotation,
                &mut found.angular_velocity,
            ];
            for (worst, step) in worst.into_iter().zip(steps) {
                if joint == 0 || step.ratio() > worst.ratio() {
                    *worst = step;
                }
            }
            found.excess_metres = found.excess_metres.max(jump.seam - jump.own);
            allowed.push([steps[0].allowed, steps[2].allowed]);
        }
        (found, allowed)
    }

    /// Returns the step that shows most.
    pub fn worst(&self) -> (StepKind, Step) {
        let steps = [
            (StepKind::Position, self.position),
            (StepKind::Rotation, self.rotation),
            (StepKind::Velocity, self.velocity),
            (StepKind::AngularVelocity, self.angular_velocity),
        ];
        // A jump of a joint is the cause of all its other steps.
        steps
            .into_iter()
            .find(|(_, step)| step.ratio() > 1.0)
            .or(steps.into_iter().max_by_key(|(_, step)| ordered(step.ratio())))
            .unwrap_or_default()
    }

    /// Whether the seam shows.
    pub fn shows(&self) -> bool {
        self.worst().1.ratio() > 1.0
    }
}

/// The largest step at a seam, and the 99th percentile of the joint's steps at all other places.
#[derive(Clone, Copy, Default)]
struct AtSeam {
    /// The move over that seam.
    at: usize,
    seam: f64,
    own: f64,
}

impl AtSeam {
    /// Returns the jump and the change of velocity from the moves of one joint from frame to frame; `seams` are the moves over a seam, in
    /// order.
    ///
    /// With second differences a, b, c, d at the frames -2, -1, 0, 1 about the seam, a jump of x adds b = x and c = -x, a kink
    /// of v gives b + c = v dt: |c - b| / 2 measures the one, |b + c - a - d| / dt the other.
    fn of(moves: &[DVec3], seams: &[usize], step_secs: f64) -> [Self; 2] {
        let bends: Vec<DVec3> = moves.windows(2).map(|pair| pair[1] - pair[0]).collect();
        // Window i of `bends` holds those around the move with index i + 1; for the move over the seam it begins at frame -1.
        let jumps = bends.windows(2).map(|pair| 0.5 * pair[1].distance(pair[0]));
        let kinks = bends
            .windows(4)
            .map(|four| (four[1] + four[2] - four[0] - four[3]).length() / step_secs);
        [Self::split(jumps, seams, 1), Self::split(kinks, seams, 2)]
    }

    /// Returns the largest value at a seam, and the percentile of the values that touch no seam: `reach` windows on either side of it do.
    /// The window at a seam begins `reach` moves before it.
    fn split(values: impl Iterator<Item = f64>, seams: &[usize], reach: usize) -> Self {
        let mut found = Self {
            at: seams.first().copied().unwrap_or_default(),
            ..Self::default()
        };
        let mut own = Vec::new();
        let mut next = seams.iter().copied().peekable();
        for (index, value) in values.enumerate() {
            let at = index + reach;
            while next.next_if(|seam| seam + reach < at).is_some() {}
            match next.peek() {
                Some(&seam) if seam == at && value > found.seam => {
                    (found.at, found.seam) = (seam, value);
                }
                Some(&seam) if seam.abs_diff(at) <= reach => {}
                _ => own.push(value),
            }
        }
        found.own = percentile::of(own, OWN_SHARE);
        found
    }
}
