//! Finds one motion in another: the places in a long take where a gait occurs, with tempo and accuracy.
//!
//! The mean squared gap between a motion and every stretch of a take follows from their cross-correlation, by Fourier transforms
//! for all starts at once; its minima, over a range of tempos, are the candidates. Each is then refined and ranked by the cost
//! of jumps, averaged over the frames: the motion could change from one to the other at any of them. Derivation:
//! docs/math/transition_cost.md.

use core::ops::Range;

use super::{
    Side, Transitions,
    gaps::{Sampled, squared_gaps},
};
use loopwright_core::math::{Decay, TimeStep, mean, ordered};

/// Slowest and fastest tempo that is tried; each step between them costs a transform of every axis.
const TEMPOS: [f64; 2] = [0.75, 4.0 / 3.0];

/// Ratio of neighbouring tempos among the candidates: half a step shifts a pose at the ends of a cycle by a hundredth of the
/// cycle.
const TEMPO_STEP: f64 = 1.04;

/// Candidates are sought at about this rate, Hz: bodies do little within a thirtieth of a second.
const COARSE_HZ: f64 = 30.0;

/// Most frames of each motion that are used to estimate the cost of a random jump.
const RANDOM_FRAMES: usize = 64;

/// Largest overlap of two occurrences, as a share of the shorter one.
const MOST_SHARED: f64 = 0.25;

/// A stretch found with some of its frames is kept if its cost is at most this many times too high; exact costs differ by less.
const MOST_GAINED: f64 = 1.25;

/// A stretch of a take that resembles another motion.
#[value(Copy)]
pub struct Occurrence {
    /// Its first frame.
    pub start_frame: usize,
    /// Number of its frames; for a loop those of one cycle, without the first of the next.
    pub num_frames: usize,
    /// Its speed relative to the sought motion; 1 for the same tempo.
    pub tempo: f64,
    /// Mean cost of a jump between the two, over its frames, metre-seconds.
    pub cost: f64,
    /// The cost relative to that of jumps between random frames of the two motions: 0 for the same motion.
    pub cost_ratio: f64,
    /// Mean distance of joints between the two, relative to the root, metres.
    pub joint_gap_metres: f64,
}

impl Occurrence {
    /// Whether both share more than a quarter of the shorter one.
    pub fn overlaps(&self, other: &Self) -> bool {
        let [end, other_end] = [self, other].map(|each| each.start_frame + each.num_frames);
        let first = self.start_frame.max(other.start_frame);
        let shared = end.min(other_end).saturating_sub(first);
        shared as f64 > MOST_SHARED * self.num_frames.min(other.num_frames) as f64
    }
}

/// All occurrences of a motion in a take.
#[value(Default)]
pub struct Occurrences {
    /// Occurrences with a low enough cost, cheapest first.
    pub found: Vec<Occurrence>,
    /// The cheapest stretch, if its cost is too high.
    pub nearest: Option<Occurrence>,
    /// Mean cost of a jump between random frames of the two motions, metre-seconds.
    pub random_cost: f64,
}

/// The sought motion: frames of a take, or all of a loop.
struct Pattern<'a> {
    side: &'a Side,
    first: usize,
    /// Its duration, to its last frame or to the repetition of a loop.
    secs: f64,
}

impl Pattern<'_> {
    /// Returns the number of frames of a stretch of a take with this many steps.
    fn num_frames(&self, num_steps: usize) -> usize {
        num_steps + usize::from(!self.side.repeats)
    }

    /// Returns the tempo of the motion if it takes this many steps.
    fn tempo(&self, num_steps: usize, step_secs: f64) -> f64 {
        self.secs / (num_steps as f64 * step_secs)
    }

    /// Samples it at even times, every `stride`th of those at which it takes `num_steps` steps of the given length.
    fn sampled(&self, num_steps: usize, step_secs: f64, stride: usize) -> Sampled {
        let num_axes = self.side.features.num_axes();
        let tempo = self.tempo(num_steps, step_secs);
        let mut sampled = Sampled {
            num_axes,
            positions: Vec::new(),
            velocities: Vec::new(),
        };
        let last = self.side.usable.len() - 1;
        for step in (0..self.num_frames(num_steps)).step_by(stride) {
            let frame = self.first as f64 + step as f64 * step_secs * tempo / self.side.step_secs;
            let before = frame.floor();
            let share = frame - before;
            let [left, right] = [before as usize, before as usize + 1].map(|frame| {
                self.side.state(if self.side.repeats {
                    frame % (last + 1)
                } else {
                    frame.min(last)
                })
            });
            for (values, left, right, scale) in [
                (&mut sampled.positions, left.positions, right.positions, 1.0),
                (&mut sampled.velocities, left.velocities, right.velocities, tempo),
            ] {
                values.extend(left.iter().zip(right).map(|(l, r)| scale * (l + share * (r - l))));
            }
        }
        sampled
    }
}

/// A stretch of the take whose squared gap is a minimum.
#[derive(Clone, Copy)]
struct Candidate {
    start: usize,
    num_steps: usize,
    gap: f64,
}

impl Transitions {
    /// Finds where the second motion, a take, resembles frames of the first, cheapest first.
    ///
    /// For a loop all frames are used, whatever the range. A stretch counts if the mean cost of a jump between it and the motion
    /// is at most `max_ratio` of that between random frames; stretches overlap by a quarter at most. Tempos lie between 3/4 and
    /// 4/3. Ranges are clamped to the motions; `within` are frames of the take.
    pub fn occurrences(&self, frames: Range<usize>, within: Range<usize>, decay: Decay, max_ratio: f64) -> Occurrences {
        let frames = if self.left.repeats {
            0..self.num_exits()
        } else {
            super::best::within(frames, self.num_exits())
        };
        let within = super::best::within(within, self.num_entries());
        let pattern = Pattern {
            side: &self.left,
            first: frames.start,
            secs: frames.len().saturating_sub(usize::from(!self.left.repeats)) as f64 * self.left.step_secs,
        };
        let random_cost = mean(self.grid(frames, within.clone(), decay, RANDOM_FRAMES).exact);
        let search = Search {
            lengths: self.lengths(&pattern, within.len()),
            motions: self,
            pattern,
            within,
            decay,
        };
        let stride = search.stride();
        let refine = |at, steps| {
            let (start, num_steps) = search.refined(at, steps);
            self.judged(&search.pattern, start, num_steps, decay, random_cost)
        };
        let mut rough: Vec<Occurrence> = search
            .candidates(stride)
            .iter()
            .map(|at| refine((at.start, at.num_steps), [(at.num_steps / 16).max(1), stride]))
            .collect();
        sort_by_cost(&mut rough);
        let mut fine: Vec<Occurrence> = Vec::new();
        for near in rough {
            if fine.is_empty() || (near.cost_ratio <= MOST_GAINED * max_ratio && overlaps_none(&fine, &near)) {
                let at = (near.start_frame, near.num_frames - search.pattern.num_frames(0));
                // Nothing is left to refine if every frame was used.
                fine.push(if stride > 1 { refine(at, [stride, 1]) } else { near });
            }
        }
        sort_by_cost(&mut fine);
        let nearest = fine.first().copied();
        let mut found: Vec<Occurrence> = Vec::new();
        for occurrence in fine {
            if occurrence.cost_ratio <= max_ratio && overlaps_none(&found, &occurrence) {
                found.push(occurrence);
            }
        }
        Occurrences {
            nearest: nearest.filter(|_| found.is_empty()),
            found,
            random_cost,
        }
    }

    /// Returns the numbers of steps that the motion may take in the take, fastest first.
    fn lengths(&self, pattern: &Pattern, num_frames: usize) -> Range<usize> {
        let step = TimeStep::new(self.entered.step_secs);
        let [slowest, fastest] = TEMPOS.map(|tempo| step.nearest_from_one(pattern.secs / tempo));
        let longest = num_frames.saturating_sub(pattern.num_frames(0));
        fastest.max(MIN_STEPS)..slowest.min(longest) + 1
    }

    /// Evaluates a stretch of the take at all its frames.
    fn judged(
        &self,
        pattern: &Pattern,
        start_frame: usize,
        num_steps: usize,
        decay: Decay,
        random_cost: f64,
    ) -> Occurrence {
        let sampled = pattern.sampled(num_steps, self.entered.step_secs, 1);
        let cost = self.mean_cost(&sampled, start_frame, 1, decay, f64::INFINITY);
        Occurrence {
            start_frame,
            num_frames: pattern.num_frames(num_steps),
            tempo: pattern.tempo(num_steps, self.entered.step_secs),
            cost,
            cost_ratio: if random_cost > 0.0 { cost / random_cost } else { 0.0 },
            joint_gap_metres: self.joint_gap(&sampled, start_frame),
        }
    }

    /// Returns the mean cost of a jump between frames of a motion and every `stride`th frame of the take from `start` on;
    /// infinite if above `most`.
    fn mean_cost(&self, sampled: &Sampled, start: usize, stride: usize, decay: Decay, most: f64) -> f64 {
        let num_frames = sampled.num_frames();
        let mut sum = 0.0;
        for frame in 0..num_frames {
            sum += sampled
                .state(frame)
                .cost(self.entered.state(start + stride * frame), decay);
            if sum > most * num_frames as f64 {
                return f64::INFINITY;
            }
        }
        sum / num_frames as f64
    }

    /// Returns the mean distance of joints between a motion and frames of the take from `start` on, metres.
    fn joint_gap(&self, sampled: &Sampled, start: usize) -> f64 {
        let mut sum = 0.0;
        for frame in 0..sampled.num_frames() {
            let (from, to) = (
                sampled.state(frame).positions,
                self.entered.state(start + frame).positions,
            );
            for (joint, (from, to)) in self.joints.iter().zip(from.chunks(3).zip(to.chunks(3))) {
                sum += from
                    .iter()
                    .zip(to)
                    .map(|(from, to)| (from - to) * (from - to))
                    .sum::<f64>()
                    .sqrt()
                    / joint.weight;
            }
        }
        sum / (sampled.num_frames() * self.joints.len()) as f64
    }
}

/// Sorts by cost, then by start.
fn sort_by_cost(occurrences: &mut [Occurrence]) {
    occurrences.sort_by_key(|each| (ordered(each.cost), each.start_frame));
}

fn overlaps_none(kept: &[Occurrence], new: &Occurrence) -> bool {
    kept.iter().all(|kept| !kept.overlaps(new))
}

/// A search for a motion in a take.
struct Search<'a> {
    motions: &'a Transitions,
    pattern: Pattern<'a>,
    /// Frames of the take.
    within: Range<usize>,
    /// Steps that the motion may take in the take, fastest first.
    lengths: Range<usize>,
    decay: Decay,
}

impl Search<'_> {
    /// Returns the frames of the take between those that are looked at while candidates are sought and refined.
    fn stride(&self) -> usize {
        let stride = (1.0 / (COARSE_HZ * self.motions.entered.step_secs)).floor().max(1.0) as usize;
        stride.min((self.lengths.start / MIN_STEPS).max(1))
    }

    /// Returns the pattern sampled at the rate of the take, every `stride`th frame.
    fn sampled(&self, num_steps: usize, stride: usize) -> Sampled {
        self.pattern.sampled(num_steps, self.motions.entered.step_secs, stride)
    }

    /// Finds minima of the squared gap over start and tempo that are below its mean, in order of their starts.
    fn candidates(&self, stride: usize) -> Vec<Candidate> {
        let (pattern, lengths, within) = (&self.pattern, &self.lengths, &self.within);
        if pattern.secs <= 0.0 || lengths.is_empty() {
            return Vec::new();
        }
        let mut tempos = Vec::new();
        let mut length = lengths.start as f64;
        while (length as usize) < lengths.end {
            tempos.push(length as usize);
            length = (length * TEMPO_STEP).max(length + 1.0);
        }
        let take = self.thinned(stride);
        let patterns: Vec<Sampled> = tempos
            .iter()
            .map(|&num_steps| self.sampled(num_steps, stride))
            .collect();
        let gaps = squared_gaps(&take, &patterns, self.decay.area_weights());
        let mut best: Vec<Option<Candidate>> = vec![None; take.num_frames()];
        for (gaps, &num_steps) in gaps.iter().zip(&tempos) {
            for (at, &gap) in gaps.iter().enumerate() {
                let start = within.start + at * stride;
                let end = start + pattern.num_frames(num_steps);
                if end <= within.end && best[at].is_none_or(|best| gap < best.gap) {
                    best[at] = Some(Candidate { start, num_steps, gap });
                }
            }
        }
        let mean = mean(best.iter().flatten().map(|candidate| candidate.gap));
        best.iter()
            .enumerate()
            .filter_map(|(at, candidate)| Some((at, (*candidate)?)))
            .filter(|(at, candidate)| {
                let reach = (candidate.num_steps / stride / 4).max(1);
                let around = &best[at.saturating_sub(reach)..(at + reach + 1).min(best.len())];
                candidate.gap <= mean
                    && around.iter().flatten().all(|other| {
                        other.gap > candidate.gap || (other.gap == candidate.gap && other.start >= candidate.start)
                    })
            })
            .map(|(_, candidate)| candidate)
            .collect()
    }

    /// Returns every `stride`th frame of the take.
    fn thinned(&self, stride: usize) -> Sampled {
        let entered = &self.motions.entered;
        let mut take = Sampled {
            num_axes: entered.features.num_axes(),
            positions: Vec::new(),
            velocities: Vec::new(),
        };
        for frame in self.within.clone().step_by(stride) {
            let state = entered.state(frame);
            take.positions.extend_from_slice(state.positions);
            take.velocities.extend_from_slice(state.velocities);
        }
        take
    }

    /// Returns start and number of steps of the cheapest stretch near another, by every `stride`th frame: both ends move to the
    /// cheapest of their neighbours, `widest` steps away, and then with ever finer steps down to one.
    fn refined(&self, mut at: (usize, usize), [widest, stride]: [usize; 2]) -> (usize, usize) {
        let cost = |(start, num_steps): (usize, usize), most: f64| {
            let sampled = self.sampled(num_steps, stride);
            self.motions.mean_cost(&sampled, start, stride, self.decay, most)
        };
        let (mut reach, mut lowest) = (widest, cost(at, f64::INFINITY));
        while reach > 0 {
            let before = lowest;
            for neighbour in neighbours(at, reach) {
                let (start, num_steps) = neighbour;
                let end = start + self.pattern.num_frames(num_steps);
                let is_inside = self.within.start <= start && end <= self.within.end;
                if is_inside && self.lengths.contains(&num_steps) {
                    let found = cost(neighbour, lowest);
                    if found < lowest {
                        (at, lowest) = (neighbour, found);
                    }
                }
            }
            if lowest >= before {
                reach /= 2;
            }
        }
        at
    }
}

/// Returns the eight pairs of start and number of steps with either end, or both, moved by `reach` steps.
fn neighbours((start, num_steps): (usize, usize), reach: usize) -> impl Iterator<Item = (usize, usize)> {
    // Both ends are counted from `reach` steps before their position.
    (0..9)
        .filter(|&at| at != 4)
        .map(move |at| (at / 3 * reach, at % 3 * reach))
        .filter_map(move |(of_start, of_end)| {
            let start = (start + of_start).checked_sub(reach)?;
            Some((start, (num_steps + of_end).checked_sub(of_start)?))
        })
}

/// Fewest steps of a motion that can be recognized.
const MIN_STEPS: usize = 4;
