//! The heading frame, which moves over the floor with the character: its position, its height and its facing.
//!
//! Poses are compared in this frame, so that a turning walk can loop. The facing comes from the lateral axis of hips and
//! shoulders, which sways less than the pelvis alone.

use glam::DVec3;

use super::Body;
use crate::{
    math::{Rigid, TimeStep, around, ops, percentile, rotation},
    motion::WorldTracks,
};

/// Ground position and facing at every frame.
#[handed_over]
pub struct Heading {
    #[handed(with = "crate::plain_bytes")]
    ground: Vec<DVec3>,
    #[handed(with = "crate::plain_bytes")]
    yaw: Vec<f64>,
}

/// Share of the lateral axis that must be horizontal to determine the facing.
///
/// Below a third the body lies on its side or rolls over, and the projection of the axis swings at random.
const MIN_LEVEL_SHARE: f64 = 0.3;

/// Hips or shoulders narrower than this share of the wider of the two do not determine the facing: their joints are at one place
/// apart from noise.
const MIN_WIDTH_SHARE: f64 = 0.1;

/// A joint that never moves this far stays in place, metres.
const STAYS_METRES: f64 = 1e-3;

impl Heading {
    /// Computes the heading at every frame of `world`.
    ///
    /// The frame is below the hips, on the floor, so that a climb can match itself; `heights` are the floor's, one for each
    /// frame, metres. If sides are unknown, or the body lies on its side, the facing follows the rotation of the hips instead; a
    /// body without sides that stays in its place, like a door on its hinge, faces one way, and its turns are motion.
    pub fn over(world: &WorldTracks, body: &Body, heights: &[f64]) -> Self {
        let mut ground = Vec::with_capacity(world.num_frames());
        let mut yaw: Vec<f64> = Vec::with_capacity(world.num_frames());
        let turn_is_motion = body.thighs.is_none() && body.shoulders.is_none() && stays(world, body.hips);
        for frame in 0..world.num_frames() {
            let hips = world.position(frame, body.hips);
            ground.push(hips.with_y(heights[frame]));
            let next = match (facing(world, body, frame), yaw.last()) {
                (Some(facing), Some(&before)) => before + rotation::wrap_angle(facing - before),
                (Some(facing), None) => facing,
                (None, Some(&before)) if turn_is_motion => before,
                (None, Some(&before)) => {
                    let step = world.rotation(frame, body.hips) * world.rotation(frame - 1, body.hips).conjugate();
                    before + rotation::yaw_of(step)
                }
                (None, None) => rotation::yaw_of(world.rotation(frame, body.hips)),
            };
            yaw.push(next);
        }
        Self { ground, yaw }
    }

    /// Computes the heading at height zero, for uses that need only ground positions and facings.
    pub fn level(world: &WorldTracks, body: &Body) -> Self {
        Self::over(world, body, &vec![0.0; world.num_frames()])
    }

    /// Returns the number of frames.
    pub fn num_frames(&self) -> usize {
        self.yaw.len()
    }

    /// Returns the point of the floor below the hips at a frame, metres.
    pub fn ground(&self, frame: usize) -> DVec3 {
        self.ground[frame]
    }

    /// Returns the facing at a frame in radians from +Z, left positive, unwrapped over the take: whole turns are counted.
    pub fn yaw(&self, frame: usize) -> f64 {
        self.yaw[frame]
    }

    /// Returns the speed over the ground around a frame, metres per second: over a quarter of a second before and after, as far
    /// as the take extends, so that sway and bounce cancel in part.
    pub(crate) fn mps(&self, frame: usize, frame_time_secs: f64) -> f64 {
        let half = TimeStep::new(frame_time_secs).nearest_from_one(0.25);
        let (from, to) = around(frame, half, self.num_frames() - 1);
        let way = self.ground[to] - self.ground[from];
        ops::over_ground(way) / ((to - from).max(1) as f64 * frame_time_secs)
    }

    /// Returns the speed that a tenth of the frames exceeds.
    pub fn pace_mps(&self, frame_time_secs: f64) -> f64 {
        let speeds = (0..self.num_frames()).map(|frame| self.mps(frame, frame_time_secs));
        percentile::of(speeds, 0.9)
    }

    /// Returns the heading frame as a transform: world from heading.
    pub fn world_from_heading(&self, frame: usize) -> Rigid {
        Rigid::from_yaw(self.yaw[frame], self.ground[frame])
    }
}

/// Whether a joint stays at one point of the floor.
fn stays(world: &WorldTracks, joint: usize) -> bool {
    let first = world.position(0, joint);
    (0..world.num_frames()).all(|frame| (world.position(frame, joint) - first).with_y(0.0).length() < STAYS_METRES)
}

/// Returns the facing from the lateral axes, radians from +Z in -pi to pi; `None` if they do not determine it.
fn facing(world: &WorldTracks, body: &Body, frame: usize) -> Option<f64> {
    let [hips, chest] = [body.thighs, body.shoulders].map(|pair| {
        pair.map_or(DVec3::ZERO, |[left, right]| {
            world.position(frame, left) - world.position(frame, right)
        })
    });
    let narrowest = MIN_WIDTH_SHARE * hips.length().max(chest.length());
    let lateral = [hips, chest].into_iter().filter(|across| across.length() > narrowest);
    let lateral: DVec3 = lateral.map(DVec3::normalize_or_zero).sum();
    let level = ops::over_ground(lateral);
    // Left is +X for a body that faces +Z, so forward is left cross up.
    (level > MIN_LEVEL_SHARE * lateral.length() && level > 1e-9).then(|| ops::atan2(-lateral.z, lateral.x))
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::analysis::body::BodyOverrides;
    use crate::tests::{skeleton, take_of};

    const SIDE: DVec3 = DVec3::new(0.1, 0.0, 0.0);
    const DOWN: DVec3 = DVec3::new(0.0, -0.9, 0.0);

    /// Hips with two legs, with offsets from the parent.
    const LEGS: [(&str, Option<usize>, DVec3); 5] = [
        ("Hips", None, DVec3::Y),
        ("LeftUpLeg", Some(0), SIDE),
        ("LeftFoot", Some(1), DOWN),
        ("RightUpLeg", Some(0), DVec3::new(-0.1, 0.0, 0.0)),
        ("RightFoot", Some(3), DOWN),
    ];

    /// Returns the same joints with uninformative rest offsets.
    fn at_origin<'a>(rows: &[(&'a str, Option<usize>, DVec3)]) -> Vec<(&'a str, Option<usize>, DVec3)> {
        let rows = rows.iter();
        rows.map(|&(name, parent, _)| (name, parent, DVec3::ZERO)).collect()
    }

    #[test]
    fn yaw_is_left_positive_and_counts_whole_turns() {
        let yaws: Vec<f64> = (0..40).map(|i| 0.3 + 0.4 * f64::from(i)).collect();
        let take = take_of(
            skeleton(&at_origin(&LEGS)),
            0.1,
            yaws.len(),
            |frame, joint| match joint {
                0 => (DVec3::new(1.0, 1.0, 2.0), rotation::from_yaw(yaws[frame])),
                _ => (LEGS[joint].2, DQuat::IDENTITY),
            },
        );
        let body = Body::find(&take, &BodyOverrides::default()).unwrap();
        let heading = Heading::level(&take.world_tracks(), &body);
        for (frame, yaw) in yaws.iter().enumerate() {
            assert!((heading.yaw(frame) - yaw).abs() < 1e-12);
            assert_eq!(heading.ground(frame), DVec3::new(1.0, 0.0, 2.0));
        }
    }

    /// Collar bones that begin at one place apart from noise do not turn the body: their outer ends, or the thighs, give the
    /// facing.
    #[test]
    fn collar_bones_at_one_place_do_not_turn_the_body() {
        let noise = DVec3::Z * 1e-3;
        for has_outer_ends in [false, true] {
            let mut rows = LEGS.to_vec();
            rows.extend([
                ("LeftClavicle", Some(0), DVec3::Y * 0.4 + noise),
                ("RightClavicle", Some(0), DVec3::Y * 0.4 - noise),
            ]);
            if has_outer_ends {
                rows.extend([
                    ("LeftEnd", Some(5), SIDE * 2.0 - noise),
                    ("RightEnd", Some(6), SIDE * -2.0 + noise),
                ]);
            }
            let take = take_of(skeleton(&at_origin(&rows)), 0.1, 3, |_, joint| {
                (rows[joint].2, DQuat::IDENTITY)
            });
            let body = Body::find(&take, &BodyOverrides::default()).unwrap();
            assert!(body.shoulders.is_some());
            let heading = Heading::level(&take.world_tracks(), &body);
            assert!(heading.yaw(1).abs() < 1e-9, "{has_outer_ends}: {}", heading.yaw(1));
        }
    }
}
