//! A motion that plays, and the offset that a switch left.

use std::collections::BTreeMap;

use glam::DVec3;
use loopwright_core::Pose;
use loopwright_core::math::{Decay, Rigid, Twist, ops, rotation};
use loopwright_moves::blend::{self, PhaseMap};
use loopwright_moves::play::{FadingOffset, MovingPose};

use crate::set::{Moment, MotionSet};
use crate::space::{Goal, Part, PlayedSpace};

/// Seconds over which rates are measured: short against what a body does, long against rounding.
const STEP: f64 = 1e-4;

/// Speed below which the lengths of loops do not tell whose time counts, metres per second.
const SLOW_MPS: f64 = 0.01;

/// Largest warp of a clock: with 1/pi it would stand still.
const MOST_WARP: f64 = 0.3;

/// Time as a blend of loops passes: in equal times a mean of their shares passes, not of their phases, so that feet that stand in
/// all loops do not slip, and a loop alone plays as it was made. Derivation: docs/math/blend.md.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    share: PhaseMap,
    /// Seconds of a cycle.
    pub(crate) period: f64,
}

impl Clock {
    pub(crate) fn new(set: &MotionSet, parts: &[Part]) -> Self {
        let seconds = |part: &Part| part.weight * set.clips[part.clip].seconds;
        let period: f64 = parts.iter().map(seconds).sum();
        let travel = |part: &Part| set.clips[part.clip].twist().linear * set.clips[part.clip].seconds;
        let whole: DVec3 = parts.iter().map(|part| travel(part) * part.weight).sum();
        let lengths: f64 = parts.iter().map(|part| travel(part).length() * part.weight).sum();
        let square = whole.length_squared();
        let still = 0.1 * (lengths * lengths - square) + (SLOW_MPS * period) * (SLOW_MPS * period);
        let warp = parts.iter().map(|part| {
            let clip = &set.clips[part.clip];
            let counts = whole.dot(travel(part)) + still * clip.seconds / period;
            part.weight * counts / (square + still) * clip.warp()
        });
        Self {
            share: PhaseMap::warped(warp.sum::<f64>().clamp(-MOST_WARP, MOST_WARP)),
            period,
        }
    }

    /// Returns the phase some seconds after another.
    pub(crate) fn after(&self, phase: f64, secs: f64) -> f64 {
        self.share.phase(self.share.share(phase) + secs / self.period)
    }

    /// Returns the seconds from one phase to another.
    pub(crate) fn secs_between(&self, from: f64, to: f64) -> f64 {
        (self.share.share(to) - self.share.share(from)) * self.period
    }
}

/// A blend space as it plays: its point follows a goal as a critically damped spring, and all its loops are at one phase.
#[derive(Clone, Debug)]
pub(crate) struct Cycle {
    pub(crate) space: usize,
    pub(crate) at: [f64; 2],
    pub(crate) rate: [f64; 2],
    pub(crate) goal: [f64; 2],
    pub(crate) phase: f64,
    /// The versions that stand in for loops.
    chosen: BTreeMap<usize, usize>,
}

impl Cycle {
    pub(crate) fn new(space: usize, moment: Moment) -> Self {
        Self {
            space,
            at: moment.at,
            rate: [0.0; 2],
            goal: moment.at,
            phase: moment.phase,
            chosen: BTreeMap::new(),
        }
    }

    /// The cycle with other versions of its loops, at the start of a cycle; `random` is the state of [`drawn`].
    pub(crate) fn varied(&self, set: &MotionSet, random: &mut u32) -> Self {
        let mut next = Self {
            phase: 0.0,
            ..self.clone()
        };
        for &clip in &set.spaces[self.space].clips {
            let versions = set.versions(clip);
            if versions.len() > 1 {
                let drawn = (drawn(random) * versions.len() as f64) as usize;
                next.chosen.insert(clip, versions[drawn.min(versions.len() - 1)]);
            }
        }
        next
    }

    pub(crate) fn has_versions(&self, set: &MotionSet) -> bool {
        set.spaces[self.space]
            .clips
            .iter()
            .any(|clip| set.versions(*clip).len() > 1)
    }

    /// The loops that take part some seconds from now.
    pub(crate) fn parts(&self, set: &MotionSet, secs: f64) -> Vec<Part> {
        let at = [0, 1].map(|axis| self.at[axis] + self.rate[axis] * secs);
        let mut parts = set.spaces[self.space].weights(&set.clips, at);
        for part in &mut parts {
            part.clip = self.chosen.get(&part.clip).copied().unwrap_or(part.clip);
        }
        parts
    }

    /// The clock of the loops as they are mixed now.
    pub(crate) fn clock(&self, set: &MotionSet) -> Clock {
        Clock::new(set, &self.parts(set, 0.0))
    }

    /// The motion of the root some seconds from now.
    pub(crate) fn twist(&self, set: &MotionSet, secs: f64) -> Twist {
        PlayedSpace::twist(&set.clips, &self.parts(set, secs))
    }

    /// The motion as a goal.
    pub(crate) fn motion(&self, set: &MotionSet) -> Goal {
        let twist = self.twist(set, 0.0);
        Goal {
            speed: ops::over_ground(twist.linear),
            direction: ops::atan2(twist.linear.x, twist.linear.z),
            turn_rate: twist.angular.y,
            climb: twist.linear.y,
            turn: 0.0,
        }
    }

    /// Returns the body as it is so many seconds from now, seen from its root: the mean of the loops that take part, by weight.
    fn body(&self, set: &MotionSet, secs: f64) -> Pose {
        let parts = self.parts(set, secs);
        let phase = Clock::new(set, &parts).after(self.phase, secs);
        let poses = parts.iter().map(|part| {
            let clip = &set.clips[part.clip];
            (clip.pose(clip.secs_at(phase)), part.weight)
        });
        let poses: Vec<(Pose, f64)> = poses.collect();
        if let [(pose, _)] = poses.as_slice() {
            return pose.clone();
        }
        (0..set.skeleton().num_joints())
            .map(|joint| blend::mean(&poses, |pose| pose.as_ref().joint(joint)))
            .collect()
    }

    /// Returns the seconds until the loops reach a phase, at the present period.
    pub(crate) fn secs_to(&self, set: &MotionSet, phase: f64) -> f64 {
        let to = self.phase + (phase - self.phase).rem_euclid(1.0);
        self.clock(set).secs_between(self.phase, to)
    }
}

/// A cycle of loops or a passage that plays.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Cycle(Cycle),
    /// A passage, and the seconds since its start.
    Once(usize, f64),
}

impl Source {
    pub(crate) fn name<'a>(&self, set: &'a MotionSet) -> &'a str {
        match self {
            Self::Cycle(cycle) => &set.spaces[cycle.space].name,
            Self::Once(clip, _) => &set.clips[*clip].name,
        }
    }

    /// Returns the body as it is so many seconds from now, seen from its root: local transforms in the order of the set's skeleton.
    pub(crate) fn body(&self, set: &MotionSet, secs: f64) -> Pose {
        match self {
            Self::Cycle(cycle) => cycle.body(set, secs),
            Self::Once(clip, played_secs) => set.clips[*clip].pose(played_secs + secs),
        }
    }

    /// The root some seconds from now, seen from where it is.
    pub(crate) fn root_step(&self, set: &MotionSet, secs: f64) -> Rigid {
        match self {
            Self::Cycle(cycle) => cycle.twist(set, 0.5 * secs).exp(secs),
            Self::Once(clip, played_secs) => {
                set.clips[*clip].root(*played_secs).inverse() * set.clips[*clip].root(played_secs + secs)
            }
        }
    }

    /// The body with its rates, and the rate of the root.
    pub(crate) fn moving(&self, set: &MotionSet) -> (MovingPose, Twist) {
        // A passage goes no further than its ends.
        let (from, to) = match self {
            Self::Cycle(_) => (-STEP, STEP),
            Self::Once(clip, played_secs) => (
                (-STEP).max(-played_secs),
                STEP.min(set.clips[*clip].seconds - played_secs),
            ),
        };
        let (before, after, over) = (self.body(set, from), self.body(set, to), to - from);
        let moving = MovingPose {
            body: self.body(set, 0.0),
            velocities: (before.translations.iter().zip(&after.translations))
                .map(|(before, after)| (*after - *before) / over)
                .collect(),
            spins: (before.rotations.iter().zip(&after.rotations))
                .map(|(before, after)| rotation::difference(*after, *before) / over)
                .collect(),
            root: Rigid::IDENTITY,
            twist: Twist::ZERO,
        };
        let twist = Twist::log(self.root_step(set, from).inverse() * self.root_step(set, to), over);
        (moving, twist)
    }
}

/// The offset that a switch left, while it fades.
#[derive(Clone, Debug)]
pub(crate) struct Fading {
    pub(crate) offset: FadingOffset,
    /// The difference of the rates of the root.
    pub(crate) twist: Twist,
    pub(crate) fade: Decay,
    pub(crate) secs: f64,
}

impl Fading {
    fn end_secs(&self) -> f64 {
        match self.fade {
            Decay::Spring { half_life_secs } => 20.0 * half_life_secs,
            Decay::Cubic { blend_secs } | Decay::Quintic { blend_secs } => blend_secs,
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.secs >= self.end_secs()
    }

    /// Half of what the fading rate adds to the root within some seconds from now.
    pub(crate) fn half_step(&self, secs: f64) -> Rigid {
        if self.is_over() {
            return Rigid::IDENTITY;
        }
        let to = (self.secs + secs).min(self.end_secs());
        let times = [self.secs, 0.5 * (self.secs + to), to];
        let [first, middle, last] = times.map(|secs| self.fade.at(secs).position.value);
        // Simpson's rule.
        let area = (to - self.secs) / 6.0 * (first + 4.0 * middle + last);
        self.twist.exp(0.5 * area)
    }

    /// The share that is left.
    pub(crate) fn left(&self) -> f64 {
        if self.is_over() {
            0.0
        } else {
            self.fade.at(self.secs).position.value
        }
    }

    pub(crate) fn twist(&self) -> Twist {
        let left = self.left();
        Twist::new(self.twist.linear * left, self.twist.angular * left)
    }
}

/// A number from 0 to 1, the next after a state: a Weyl sequence, mixed.
fn drawn(state: &mut u32) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9);
    let mixed = (*state ^ (*state >> 16)).wrapping_mul(0x21f0_aaad);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x735a_2d97);
    f64::from(mixed ^ (mixed >> 15)) / 2.0_f64.powi(32)
}
