//! A root that follows the hips over the ground: the sway about the constant twist, smoothed, once round and round.

use core::f64::consts::TAU;

use glam::DVec3;

use crate::{
    analysis::{body::Body, heading::Heading},
    loop_clip::{LoopClip, LoopClipError},
    math::{kernel, rigid::Rigid},
    motion::Tracks,
};

/// Where the smoothed ground path of the hips stands, seen from the root of constant twist, for every sample of a loop.
///
/// Ground position and facing, metres and radians, averaged around the loop with Gaussian weights; height is left to the
/// body. The loop is closed, so its path is periodic by itself: positions accumulate by the twist alone, and velocities meet
/// at the seam. `smoothing_secs` is the standard deviation of the weights and must be positive. Source: docs/math/root.md.
pub(super) fn smoothed(clip: &LoopClip, body: &Body, smoothing_secs: f64) -> Vec<Rigid> {
    let count = clip.num_samples();
    let mut tracks = Tracks::empty(clip.skeleton().clone(), clip.step_secs(), count + 1);
    // Once more the first sample, which tells whole turns of a body that spins.
    for key in 0..=count {
        tracks.push(clip.body_pose(key));
    }
    let world = tracks.world();
    let heading = Heading::of(&world, body, clip.step_secs());
    let turns = ((heading.yaw(count) - heading.yaw(0)) / TAU).round();
    // A spin is even by itself; what is smoothed is what differs from it.
    let spin = |key: usize| TAU * turns * key as f64 / count as f64;
    let weights = kernel::gaussian_around(count, smoothing_secs / clip.step_secs());
    let places: Vec<DVec3> = (0..count).map(|key| heading.ground(key)).collect();
    let yaws: Vec<f64> = (0..count).map(|key| heading.yaw(key) - spin(key)).collect();
    let places = kernel::averaged_around(&places, &weights);
    let yaws = kernel::averaged_around(&yaws, &weights);
    (0..count)
        .map(|key| Rigid::from_yaw(yaws[key] + spin(key), DVec3::new(places[key].x, 0.0, places[key].z)))
        .collect()
}

/// A loop whose root, and with it its root joint, is led along a path; the rest of the body stays where it is.
///
/// `path` holds for every sample where the root shall stand, seen from the constant twist. Errors:
/// [`LoopClipError::PathLength`].
pub(super) fn led_along(clip: &LoopClip, joint: usize, path: Vec<Rigid>) -> Result<LoopClip, LoopClipError> {
    let skeleton = clip.skeleton();
    let mut tracks = Tracks::empty(skeleton.clone(), clip.step_secs(), clip.num_samples());
    for sample in 0..clip.num_samples() {
        let place = path.get(sample).copied().unwrap_or(Rigid::IDENTITY);
        let body = clip.body_pose(sample);
        // The joint goes with the path ahead of the root, which then catches up and finds it as it stood.
        let seat = body.joint(joint);
        let led = body.carried(skeleton, joint, place);
        let mut pose = body.to_pose();
        pose.set_joint(joint, led);
        for &child in skeleton.children(joint) {
            pose.set_joint(child, led.inverse() * seat * body.joint(child));
        }
        tracks.push(pose.as_ref());
    }
    clip.clone().with_tracks(tracks).along(path)
}
