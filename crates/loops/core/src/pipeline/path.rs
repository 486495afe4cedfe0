//! A root that follows the hips over the ground: the periodic sway about the constant twist, smoothed.

use core::f64::consts::TAU;

use glam::DVec3;

use crate::analysis::{Body, Heading};
use crate::loop_clip::LoopClip;
use crate::math::{Rigid, kernel};

/// Returns the smoothed ground path of the hips, relative to the root of constant twist, for every sample of a loop.
///
/// Ground position and facing, metres and radians, are averaged around the loop with Gaussian weights; the body keeps the
/// height. The loop is closed, so its path is periodic: only the twist accumulates, and velocities are continuous at the seam.
/// `smoothing_secs` is the standard deviation of the weights and must be positive. Source: docs/math/root.md.
pub(super) fn smoothed(clip: &LoopClip, body: &Body, smoothing_secs: f64) -> Vec<Rigid> {
    let count = clip.num_samples();
    // The first sample is repeated at the end, to count whole turns of a body that spins.
    let poses = (0..=count).map(|key| clip.body_pose(key));
    let world = clip.tracks().with_poses(poses).world();
    let heading = Heading::level(&world, body);
    let turns = ((heading.yaw(count) - heading.yaw(0)) / TAU).round();
    // A spin is uniform by itself; only the deviation from it is smoothed.
    let spin = |key: usize| TAU * turns * key as f64 / count as f64;
    let weights = kernel::gaussian_around(count, smoothing_secs / clip.step_secs());
    let positions: Vec<DVec3> = (0..count).map(|key| heading.ground(key)).collect();
    let yaws: Vec<f64> = (0..count).map(|key| heading.yaw(key) - spin(key)).collect();
    let positions = kernel::averaged_around(&positions, &weights);
    let yaws = kernel::averaged_around(&yaws, &weights);
    (0..count)
        .map(|key| Rigid::from_yaw(yaws[key] + spin(key), positions[key].with_y(0.0)))
        .collect()
}
