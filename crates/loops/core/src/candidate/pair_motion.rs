//! Measures the root motion between the ends of a pair, and how well one constant velocity and turn rate (a twist) describe it.

use glam::DVec3;

use super::{SeamPair, describe::SearchedTake};
use crate::{
    math::{Twist, greatest, ops, rotation},
    mirror::{Mirror, Pairing},
    motion::RootMotion,
    root_motion::{
        cycle::{BodyPath, Cycle, GroundPath},
        half_cycle::HalfCycle,
        poses::{EndPoses, WINDOW_SECS},
    },
};

/// Change allowed for any root motion, metres per second: it keeps noise from disqualifying loops in place.
const CHANGE_ALLOWANCE: f64 = 0.1;

impl SearchedTake<'_> {
    /// Estimates root motion from the headings at the two ends only: very cheap, with an error that [`super::RootMotionBounds`]
    /// allow for.
    pub(super) fn rough_root_motion(&self, pair: &SeamPair) -> Twist {
        let heading = &self.analysis.heading;
        let [start, end] = [pair.start_frame, pair.end_frame].map(|frame| heading.world_from_heading(frame));
        let secs = self.step().secs(pair.lag());
        Twist {
            // Whole turns are counted but the path is unknown, so the speed is that of the straight line, the lowest possible.
            linear: (start.inverse() * end).translation / secs,
            angular: match self.pairing {
                Pairing::Same => DVec3::Y * (heading.yaw(pair.end_frame) - heading.yaw(pair.start_frame)) / secs,
                // The image reverses the turn of the half cycle.
                Pairing::Mirrored(_) | Pairing::PingPong { .. } => DVec3::ZERO,
            },
        }
    }

    /// Returns the root motion over the pair, and how well one constant twist describes it, 0 to 1: inside the stretch, and over
    /// periods that begin a little earlier or later.
    pub(super) fn root_motion(&self, pair: &SeamPair, cycles: u32) -> (RootMotion, f64) {
        let half_height = self.analysis.half_height();
        let (root, change) = match self.pairing {
            Pairing::Same => (
                self.root_motion_of_cycles(pair, cycles),
                self.change_around(pair, cycles, half_height),
            ),
            Pairing::Mirrored(mirror) => (self.root_motion_of_half(pair, mirror), 0.0),
            // A ping-pong stretch ends where it begins.
            Pairing::PingPong { .. } => {
                let start = self.analysis.heading.world_from_heading(pair.start_frame);
                return (RootMotion::new(start, Twist::default()), 1.0);
            }
        };
        let deviation = self.deviation(pair, &root, half_height);
        (root, (1.0 - deviation.max(change)).clamp(0.0, 1.0))
    }

    fn root_motion_of_cycles(&self, pair: &SeamPair, cycles: u32) -> RootMotion {
        let path = GroundPath {
            heading: &self.analysis.heading,
            first: pair.start_frame,
            num_intervals: pair.lag(),
            cycles,
        };
        Cycle {
            path: BodyPath::Ground(path),
            period_secs: self.step().secs(pair.lag()),
            motion: self.end_poses(pair).motion_on_ground(),
        }
        .root_motion()
    }

    fn end_poses(&self, pair: &SeamPair) -> EndPoses<'_> {
        EndPoses {
            analysis: self.analysis,
            world: &self.analysis.world,
            first: pair.start_frame,
            num_intervals: pair.lag(),
            reach: self.step().nearest(WINDOW_SECS),
        }
    }

    fn root_motion_of_half(&self, pair: &SeamPair, mirror: &Mirror) -> RootMotion {
        HalfCycle {
            ends: self.end_poses(pair),
            mirror,
            heading: &self.analysis.heading,
            half_secs: self.step().secs(pair.lag()),
        }
        .root_motion()
    }

    /// Returns the largest distance of the heading from the root motion between the ends of a pair: 1 for half the body height
    /// or a quarter turn.
    fn deviation(&self, pair: &SeamPair, root: &RootMotion, half_height: f64) -> f64 {
        let heading = &self.analysis.heading;
        greatest((pair.start_frame..=pair.end_frame).map(|frame| {
            let secs = self.step().secs(frame - pair.start_frame);
            let off = heading.ground(frame) - (root.start * root.twist.exp(secs)).translation;
            let root_yaw = rotation::yaw_of(root.start.rotation) + root.twist.angular.y * secs;
            let off_angle = rotation::wrap_angle(heading.yaw(frame) - root_yaw);
            (ops::over_ground(off) / half_height).max(off_angle.abs() / core::f64::consts::FRAC_PI_2)
        }))
    }

    /// Returns the difference between the root motion of the pair and that of periods that begin up to half a cycle earlier or
    /// later, as far as the take extends, relative to its own.
    fn change_around(&self, pair: &SeamPair, cycles: u32, half_height: f64) -> f64 {
        let heading = &self.analysis.heading;
        let (start_frame, lag) = (pair.start_frame, pair.lag());
        let period_secs = self.step().secs(lag);
        let velocities_from = |start: usize| {
            let motion = heading.world_from_heading(start).inverse() * heading.world_from_heading(start + lag);
            let turn = heading.yaw(start + lag) - heading.yaw(start);
            (motion.translation / period_secs, turn / period_secs)
        };
        let half = lag / (2 * cycles.max(1) as usize);
        let earliest = start_frame.saturating_sub(half);
        let latest = (start_frame + half).min(heading.num_frames() - 1 - lag);
        let (own_velocity, own_turn_rate) = velocities_from(start_frame);
        let size = own_velocity.length() + half_height * own_turn_rate.abs() + CHANGE_ALLOWANCE;
        greatest((earliest..=latest).map(|start| {
            let (velocity, turn_rate) = velocities_from(start);
            (velocity.distance(own_velocity) + half_height * (turn_rate - own_turn_rate).abs()) / size
        }))
    }
}
