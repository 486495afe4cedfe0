//! Samples a take between its frames.

use glam::DVec3;

use super::Take;
use crate::{
    math::{Hermite, Span, cubic::Turns, rotation},
    motion::Pose,
};

/// Samples a take at successive times: rotations from frame to frame, which are expensive, are computed once.
pub(crate) struct Sampler<'a> {
    take: &'a Take,
    /// A frame, and the rotations of all joints from it to the next: a ring of the last frames, indexed by remainder.
    turns: [(usize, Vec<DVec3>); AROUND],
}

/// Number of steps from frame to frame around a time between two frames.
const AROUND: usize = 3;

impl<'a> Sampler<'a> {
    pub(crate) fn new(take: &'a Take) -> Self {
        Self {
            take,
            turns: core::array::from_fn(|_| (usize::MAX, Vec::new())),
        }
    }

    /// Returns the pose at a fractional frame: see [`Take::sample`].
    pub(crate) fn sample(&mut self, frame: f64) -> Pose {
        let take = self.take;
        let last = take.last_frame();
        let frame = if frame.is_finite() {
            frame.clamp(0.0, last as f64)
        } else {
            0.0
        };
        let before = (frame.floor() as usize).min(last);
        let u = frame - before as f64;
        if u == 0.0 {
            return take.pose(before).to_pose();
        }
        let around = Span::within(before, last);
        for frame in [around.left, Some(before), around.right.and(Some(around.after))]
            .into_iter()
            .flatten()
        {
            self.find_turns(frame);
        }
        let turn = |frame: usize, joint: usize| self.turns[frame % AROUND].1[joint];
        let curve = Hermite::at(u);
        let poses = around.map(|frame| take.pose(frame));
        (0..take.num_joints())
            .map(|joint| {
                let turns = Turns {
                    before: around.left.map(|left| turn(left, joint)),
                    between: turn(before, joint),
                    after: around.right.map(|_| turn(around.after, joint)),
                };
                (
                    curve.point(poses.map(|pose| pose.translations[joint])),
                    curve.turned(poses.before.rotations[joint], turns),
                )
            })
            .collect()
    }

    /// Finds the turns from a frame to the next, unless they are known.
    fn find_turns(&mut self, frame: usize) {
        let (known, turns) = &mut self.turns[frame % AROUND];
        if *known == frame {
            return;
        }
        *known = frame;
        turns.clear();
        let [from, to] = [frame, frame + 1].map(|frame| self.take.rotations(frame));
        turns.extend(to.iter().zip(from).map(|(&to, &from)| rotation::difference(to, from)));
    }
}
