//! The root motion of half a cycle that is followed by its mirror image: a glide along a straight line.
//!
//! The poses at the end of the half are those at its start, reflected in an upright mirror and moved ahead. Such a motion maps
//! one line on the ground to itself. The root moves along that line, straight and evenly, because the second half reverses the
//! turn of the first. Derivation: docs/math/mirror.md.

use glam::DVec3;

use super::poses::{WINDOW_SECS, fit_weights};
use super::{
    RootError, RootMode, RootRelativeClip, RootSettings, RootSpace, cycle::MIN_CLIMB_METRES, extract::foot_of_climb,
};
use crate::analysis::{Analysis, Heading};
use crate::math::fit::{PointPair, fit_planar};
use crate::math::{Rigid, TimeStep, Twist, mean, ops, rotation};
use crate::mirror::{ACROSS, Mirror};
use crate::motion::{RootMotion, WorldTracks};
use crate::take::Clip;

#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfCycle<'a> {
    pub(crate) analysis: &'a Analysis,
    pub(crate) mirror: &'a Mirror,
    pub(crate) world: &'a WorldTracks,
    pub(crate) heading: &'a Heading,
    /// Index of the start among the frames of `world`.
    pub(crate) first: usize,
    /// Number of intervals from the start to the end of the half.
    pub(crate) num_intervals: usize,
    /// Seconds from the start to the end of the half.
    pub(crate) half_secs: f64,
    /// Frames on either side of both ends that are compared.
    pub(crate) reach: usize,
}

impl HalfCycle<'_> {
    /// Returns the start of the root, and its straight twist.
    pub(crate) fn root_motion(&self) -> RootMotion {
        let (line, ahead) = self.fit();
        let mut velocity = ahead / self.half_secs;
        if ahead.y.abs() < 0.5 * MIN_CLIMB_METRES {
            velocity.y = 0.0;
        }
        // Mean position of the body along the line, carried back to the start.
        let count = self.num_intervals as f64;
        let along = (0..self.num_intervals).map(|sample| {
            let position = line.inverse().transform_point(self.heading.ground(self.first + sample));
            position.z - ahead.z * sample as f64 / count
        });
        let mut start = line * Rigid::new(glam::DQuat::IDENTITY, DVec3::Z * mean(along));
        start.translation.y = 0.0;
        RootMotion::new(start, Twist::new(velocity, DVec3::ZERO))
    }

    /// Returns the line that the glide maps to itself, as a frame on it that faces along it in the body's direction, and the
    /// distance along it and up, metres in that frame's axes.
    fn fit(&self) -> (Rigid, DVec3) {
        let weights = fit_weights(self.analysis);
        let last = self.first + self.num_intervals;
        let reach = self.reach.min(self.first).min(self.world.num_frames() - 1 - last);
        let mut pairs = Vec::new();
        for frame in self.first - reach..=self.first + reach {
            for (joint, &weight) in weights.iter().enumerate() {
                pairs.push(PointPair {
                    start: self.world.position(frame, self.mirror.partner(joint)) * ACROSS,
                    end: self.world.position(frame + self.num_intervals, joint),
                    weight,
                });
            }
        }
        // A reflection across X followed by a turn by 2 phi is a reflection across the line at phi.
        let motion = fit_planar(&pairs);
        let mut yaw = 0.5 * rotation::yaw_of(motion.rotation);
        let facing = self.heading.yaw(self.first + self.num_intervals / 2);
        if ops::cos(yaw - facing) < 0.0 {
            yaw += core::f64::consts::PI;
        }
        let facing = rotation::from_yaw(yaw);
        let step = facing.conjugate() * motion.translation;
        let line = Rigid::new(facing, facing * DVec3::new(0.5 * step.x, 0.0, 0.0));
        (line, step.with_x(0.0))
    }
}

/// Removes the root motion from half a cycle that is followed by its mirror image: the root moves straight ahead over the
/// ground.
///
/// Errors: settings that cannot be used.
pub(crate) fn extract_half(
    clip: &Clip,
    analysis: &Analysis,
    mirror: &Mirror,
    settings: &RootSettings,
) -> Result<RootRelativeClip, RootError> {
    settings.check()?;
    if settings.space == RootSpace::Full {
        return Err(RootError::HalfInFullSpace);
    }
    let mode = settings.mode;
    let world = clip.world_tracks();
    let first = clip.sample_range().start().unsigned_abs();
    let mut root = HalfCycle {
        analysis,
        mirror,
        world: &world,
        heading: &Heading::level(&world, &analysis.body),
        first,
        num_intervals: clip.num_intervals(),
        half_secs: clip.period_secs(),
        reach: TimeStep::new(clip.step_secs()).nearest(WINDOW_SECS),
    }
    .root_motion();
    if mode == RootMode::Stationary {
        root = root.standing();
    } else if root.twist.linear.y != 0.0 {
        let climb = root.twist.linear.y * clip.step_secs();
        root.start.translation.y = foot_of_climb(&world, first, clip.num_intervals(), climb);
    }
    let keeps_root_motion = matches!(mode, RootMode::Keep | RootMode::Stationary);
    let root_joint = analysis.root_joint().filter(|_| !keeps_root_motion);
    Ok(RootRelativeClip::rooted(
        clip,
        root,
        analysis,
        root_joint,
        settings.space,
    ))
}
