//! The root motion of half a cycle that is followed by its mirror image: a glide along a straight line.
//!
//! The poses at the end of the half are those at its start, reflected in an upright mirror and moved ahead. Such a motion maps
//! one line on the ground to itself. The root moves along that line, straight and evenly, because the second half reverses the
//! turn of the first. Derivation: docs/math/mirror.md.

use glam::DVec3;

use super::{
    RootError, RootMode, RootRelativeClip, RootSettings, RootSpace, cycle::MIN_CLIMB_METRES, extract::Stretch,
    poses::EndPoses,
};
use crate::{
    analysis::{Analysis, Heading},
    math::{Rigid, Twist, fit::fit_planar, mean, ops, rotation},
    mirror::{ACROSS, Mirror},
    motion::RootMotion,
    take::Clip,
};

pub(crate) struct HalfCycle<'a> {
    /// The poses around the start and the end of the half.
    pub ends: EndPoses<'a>,
    pub mirror: &'a Mirror,
    pub heading: &'a Heading,
    /// Seconds from the start to the end of the half.
    pub half_secs: f64,
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
        let EndPoses {
            first, num_intervals, ..
        } = self.ends;
        let along = (0..num_intervals).map(|sample| {
            line.inverse().transform_point(self.heading.ground(first + sample)).z
                - ahead.z * sample as f64 / num_intervals as f64
        });
        let mut start = line * Rigid::new(glam::DQuat::IDENTITY, DVec3::Z * mean(along));
        start.translation.y = 0.0;
        RootMotion::new(start, Twist::new(velocity, DVec3::ZERO))
    }

    /// Returns the line that the glide maps to itself, as a frame on it that faces along it in the body's direction, and the
    /// distance along it and up, metres in that frame's axes.
    fn fit(&self) -> (Rigid, DVec3) {
        let EndPoses {
            world,
            first,
            num_intervals,
            ..
        } = self.ends;
        // A reflection across X followed by a turn by 2 phi is a reflection across the line at phi.
        let motion = fit_planar(
            &self
                .ends
                .pairs_from(|frame, joint| world.position(frame, self.mirror.partner(joint)) * ACROSS),
        );
        let mut yaw = 0.5 * rotation::yaw_of(motion.rotation);
        let facing = self.heading.yaw(first + num_intervals / 2);
        if ops::cos(yaw - facing) < 0.0 {
            yaw += core::f64::consts::PI;
        }
        let facing = rotation::from_yaw(yaw);
        let step = facing.conjugate() * motion.translation;
        (
            Rigid::new(facing, facing * DVec3::new(0.5 * step.x, 0.0, 0.0)),
            step.with_x(0.0),
        )
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
    let stretch = Stretch::new(clip, analysis);
    let mut root = HalfCycle {
        ends: stretch.end_poses(),
        mirror,
        heading: &stretch.heading(),
        half_secs: clip.period_secs(),
    }
    .root_motion();
    if settings.mode == RootMode::Stationary {
        root = root.standing();
    }
    stretch.put_on_climb(&mut root);
    let keeps_root_motion = matches!(settings.mode, RootMode::Keep | RootMode::Stationary);
    Ok(RootRelativeClip::rooted(
        clip,
        root,
        analysis,
        analysis.root_joint().filter(|_| !keeps_root_motion),
        settings.space,
    ))
}
