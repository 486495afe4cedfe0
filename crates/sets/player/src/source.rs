//! A playing motion, and the offset left by a switch.

use std::collections::BTreeMap;

use glam::DVec3;
use loopwright_core::math::{Decay, Rigid, Twist, ops, rotation};
use loopwright_moves::{
    passage::LoopState,
    play::switch::{self, end_secs, near_turn},
};

use crate::{
    clip::{MotionClip, phase_at, share_at},
    keys::{Lanes, lanes, rigid},
    set::{Moment, MotionSet},
    space::{Goal, Part, Parts, PlayedSpace},
};

/// Step over which rates and accelerations are measured at a switch, seconds: short compared with body motion, long compared with rounding.
const STEP: f64 = 1.0 / 240.0;

/// Speed below which the lengths of loops do not determine whose time counts, metres per second.
const SLOW_MPS: f64 = 0.01;

/// Largest warp of a clock: with 1/pi it would stand still.
const MOST_WARP: f64 = 0.3;

/// The time of a blend of loops: it advances by the mean of their shares of time, not of their phases, so that feet that stand in all loops
/// do not slip, and a loop alone plays as it was made. Derivation: docs/math/blend.md.
pub(crate) struct Clock {
    warp: f64,
    /// Seconds of a cycle.
    pub period: f64,
}

impl Clock {
    pub(crate) fn new(set: &MotionSet, parts: &[Part]) -> Self {
        let period: f64 = parts
            .iter()
            .map(|part| part.weight * set.clips[part.clip].seconds)
            .sum();
        let travel = |part: &Part| set.clips[part.clip].twist().linear * set.clips[part.clip].seconds;
        let whole: DVec3 = parts.iter().map(|part| travel(part) * part.weight).sum();
        let lengths: f64 = parts.iter().map(|part| travel(part).length() * part.weight).sum();
        let square = whole.length_squared();
        let still = 0.1 * (lengths * lengths - square) + (SLOW_MPS * period) * (SLOW_MPS * period);
        let warp = parts.iter().map(|part| {
            let clip = &set.clips[part.clip];
            let counts = whole.dot(travel(part)) + still * clip.seconds / period;
            part.weight * counts / (square + still) * clip.warp
        });
        Self {
            warp: warp.sum::<f64>().clamp(-MOST_WARP, MOST_WARP),
            period,
        }
    }

    /// Returns the phase some seconds after another.
    pub(crate) fn after(&self, phase: f64, secs: f64) -> f64 {
        phase_at(share_at(phase, self.warp) + secs / self.period, self.warp)
    }

    /// Returns the seconds from one phase to another.
    pub(crate) fn secs_between(&self, from: f64, to: f64) -> f64 {
        (share_at(to, self.warp) - share_at(from, self.warp)) * self.period
    }
}

/// A playing blend space: its point follows a goal as a critically damped spring, and all its loops share one phase.
#[derive(Clone, Debug)]
pub(crate) struct Cycle {
    pub space: usize,
    pub at: [f64; 2],
    pub rate: [f64; 2],
    pub goal: [f64; 2],
    pub phase: f64,
    /// The versions that replace loops.
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

    /// Returns the cycle of a space at the point that is nearest to standing.
    pub(crate) fn still(set: &MotionSet, space: usize) -> Self {
        let at = set.spaces[space].covered(&set.clips, [0.0; 2]);
        Self::new(space, Moment { at, phase: 0.0 })
    }

    /// Returns the cycle in which a loop is in a state, preferably of the given space; `None` if the loop is in no space.
    pub(crate) fn entering(set: &MotionSet, state: LoopState, preferred: usize) -> Option<Self> {
        let space = set.space_of(state.loop_index, preferred)?;
        Some(Self::new(space, set.moment(space, state)))
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

    /// Returns the loops that contribute some seconds from now.
    pub(crate) fn parts(&self, set: &MotionSet, secs: f64) -> Parts {
        let at = [0, 1].map(|axis| self.at[axis] + self.rate[axis] * secs);
        let mut parts = set.spaces[self.space].weights(&set.clips, at);
        for part in &mut *parts {
            part.clip = self.chosen.get(&part.clip).copied().unwrap_or(part.clip);
        }
        parts
    }

    /// Returns the clock of the loops in their present mix.
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

    /// Returns the seconds until the loops reach a phase, at the present period.
    pub(crate) fn secs_to(&self, set: &MotionSet, phase: f64) -> f64 {
        let to = self.phase + (phase - self.phase).rem_euclid(1.0);
        self.clock(set).secs_between(self.phase, to)
    }
}

/// A playing cycle of loops, or a playing passage.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Cycle(Cycle),
    /// A passage, and the seconds since its start.
    Once(usize, f64),
}

/// Returns the time of a clip that plays once: it hardly advances beyond the clip's end.
pub(crate) fn held(clip: &MotionClip, secs: f64) -> f64 {
    secs.min(clip.seconds + STEP)
}

impl Source {
    pub(crate) fn name<'a>(&self, set: &'a MotionSet) -> &'a str {
        match self {
            Self::Cycle(cycle) => &set.spaces[cycle.space].name,
            Self::Once(clip, _) => &set.clips[*clip].name,
        }
    }

    /// Writes the body some seconds from now, relative to its root, into a row of [`MotionSet::row`]: the weighted sum of the contributing
    /// clips, whose rotations are not normalized.
    pub(crate) fn body(&self, set: &MotionSet, secs: f64, into: &mut [Lanes]) {
        into.fill(Lanes::default());
        match self {
            Self::Cycle(cycle) => {
                let parts = cycle.parts(set, secs);
                let phase = if secs == 0.0 {
                    cycle.phase
                } else {
                    Clock::new(set, &parts).after(cycle.phase, secs)
                };
                for part in &*parts {
                    let clip = &set.clips[part.clip];
                    clip.body.add(clip.secs_at(phase), part.weight, into);
                }
            }
            Self::Once(clip, played_secs) => {
                let clip = &set.clips[*clip];
                clip.body.add(held(clip, played_secs + secs), 1.0, into);
            }
        }
    }

    /// Returns the root some seconds from now, relative to the present one.
    pub(crate) fn root_step(&self, set: &MotionSet, secs: f64) -> Rigid {
        match self {
            Self::Cycle(cycle) => cycle.twist(set, 0.5 * secs).exp(secs),
            Self::Once(clip, played_secs) => {
                let clip = &set.clips[*clip];
                clip.root(*played_secs).inverse() * clip.root(held(clip, played_secs + secs))
            }
        }
    }

    /// The rate of the root.
    pub(crate) fn rate(&self, set: &MotionSet) -> Twist {
        Twist::log(
            self.root_step(set, -STEP).inverse() * self.root_step(set, STEP),
            2.0 * STEP,
        )
    }
}

/// An action whose upper body plays over a source, and the seconds since its start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Over {
    pub clip: usize,
    pub secs: f64,
}

impl Over {
    /// Puts the upper body some seconds from now into a row.
    pub(crate) fn lay(self, set: &MotionSet, secs: f64, into: &mut [Lanes]) {
        for &joint in &set.upper {
            let own = set.clips[self.clip].body.at(self.secs + secs, joint);
            into[joint] = lanes(own.rotation, own.translation);
        }
    }

    /// Returns the seconds until it may be left.
    pub(crate) fn left(self, set: &MotionSet) -> f64 {
        let clip = &set.clips[self.clip];
        (clip.leave_secs.unwrap_or(clip.seconds) - self.secs).max(0.0)
    }
}

/// Value, rate and acceleration.
type Terms = [DVec3; 3];

/// The offset left by a switch while it fades: the motion before and after agree in value, rate and, for a quintic, in acceleration.
#[derive(Clone, Debug)]
pub(crate) struct Fading {
    /// For each joint its rotation, as a rotation vector on the left, and its translation.
    joints: Vec<[Terms; 2]>,
    /// The difference of the rates of the root.
    pub twist: Twist,
    pub fade: Decay,
    pub secs: f64,
}

impl Fading {
    /// Returns no offset.
    pub(crate) fn none(fade: Decay) -> Self {
        Self {
            joints: Vec::new(),
            twist: Twist::ZERO,
            fade,
            secs: f64::INFINITY,
        }
    }

    /// Returns the offset between the present motion, with its own fading offset, and the next one: sources, and what plays over them.
    pub(crate) fn between(
        set: &MotionSet,
        (source, over, fading): (&Source, Option<Over>, &Self),
        (next, next_over): (&Source, Option<Over>),
        fade: Decay,
    ) -> Self {
        let body = |source: &Source, over: Option<Over>, secs: f64, row: &mut [Lanes]| {
            source.body(set, secs, row);
            if let Some(over) = over {
                over.lay(set, secs, row);
            }
        };
        let mut rows = [0, 1].map(|_| set.row());
        let gaps = [-STEP, 0.0, STEP].map(|secs| -> Vec<[DVec3; 2]> {
            body(source, over, secs, &mut rows[0]);
            fading.add_to(&mut rows[0], secs);
            body(next, next_over, secs, &mut rows[1]);
            rows[0]
                .iter()
                .zip(&rows[1])
                .map(|(seen, next)| {
                    let (seen, next) = (rigid(seen), rigid(next));
                    let turn = rotation::difference(seen.rotation, next.rotation);
                    [turn, seen.translation - next.translation]
                })
                .collect()
        });
        let terms = |joint: usize, part: usize| {
            let here = gaps[1][joint][part];
            let [before, after] = [0, 2].map(|time| near_turn(gaps[time][joint][part], here));
            [
                here,
                (after - before) / (2.0 * STEP),
                (after + before - 2.0 * here) / (STEP * STEP),
            ]
        };
        let left = switch::of_rates(fading.fade).at(fading.secs).position.value;
        Self {
            joints: (0..rows[0].len())
                .map(|joint| [terms(joint, 0), terms(joint, 1)])
                .collect(),
            twist: source.rate(set).plus(fading.twist, left).plus(next.rate(set), -1.0),
            fade,
            secs: 0.0,
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.secs >= end_secs(self.fade)
    }

    /// Adds the remaining offset some seconds from now to a row.
    pub(crate) fn add_to(&self, row: &mut [Lanes], secs: f64) {
        if self.is_over() || self.secs + secs >= end_secs(self.fade) {
            return;
        }
        let [position, velocity, acceleration] = switch::left(self.fade, self.secs + secs);
        let value = |[x, v, a]: Terms| x * position + v * velocity + a * acceleration;
        for (joint, [turn, shift]) in row.iter_mut().zip(&self.joints) {
            let own = rigid(joint);
            *joint = lanes(
                rotation::exp(value(*turn)) * own.rotation,
                own.translation + value(*shift),
            );
        }
    }

    /// Returns half of the root motion that the fading rate adds within some seconds from now.
    pub(crate) fn half_step(&self, secs: f64) -> Rigid {
        switch::half_step(self.twist, self.fade, [self.secs, self.secs + secs])
    }

    /// The share that is left.
    pub(crate) fn left(&self) -> f64 {
        self.fade.at(self.secs).position.value
    }
}

/// Draws a number from 0 to 1 by advancing the state: a Weyl sequence, mixed.
fn drawn(state: &mut u32) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9);
    let mixed = (*state ^ (*state >> 16)).wrapping_mul(0x21f0_aaad);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x735a_2d97);
    f64::from(mixed ^ (mixed >> 15)) / 2.0_f64.powi(32)
}
