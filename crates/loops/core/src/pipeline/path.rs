//! Paths of roots other than a constant twist: that of the hips over the ground, smoothed, or the captured one.
//!
//! An inertialized root moves as captured: only the difference between its velocities at both ends is faded out, and its travel
//! accumulates from cycle to cycle. Derivation: docs/math/root.md. Source: looping by inertialization, the root in character space.

use core::f64::consts::TAU;
use std::borrow::Cow;

use glam::DVec3;

use crate::{
    analysis::{Body, Heading},
    closure::{
        BoundaryError, Method, Order, Shape, ShapeKey, ShapeKind,
        boundary::Boundary,
        ends::{self, EndState},
    },
    loop_clip::LoopClip,
    math::{Rigid, kernel, rotation},
    root_motion::{RootBlend, RootRelativeClip, RootSettings},
};

/// Returns the smoothed ground path of the hips, relative to the root of constant twist, for every sample of a loop.
///
/// Ground position and facing, metres and radians, are averaged around the loop with Gaussian weights; the body keeps the
/// height. The loop is closed, so its path is periodic: only the twist accumulates, and velocities are continuous at the seam.
/// `smoothing_secs` is the standard deviation of the weights and must be positive. Source: docs/math/root.md.
pub(super) fn smoothed(clip: &LoopClip, body: &Body, smoothing_secs: f64) -> Vec<Rigid> {
    let count = clip.num_samples();
    // The first sample is repeated at the end, to count whole turns of a body that spins.
    let tracks = clip.tracks().with_poses((0..=count).map(|key| clip.body_pose(key)));
    let heading = Heading::level(&tracks.world(), body);
    let turns = ((heading.yaw(count) - heading.yaw(0)) / TAU).round();
    // A spin is uniform by itself; only the deviation from it is smoothed.
    let spin = |key: usize| TAU * turns * key as f64 / count as f64;
    // The facing takes the place of the height.
    let track: Vec<DVec3> = (0..count)
        .map(|key| heading.ground(key).with_y(heading.yaw(key) - spin(key)))
        .collect();
    let weights = kernel::gaussian_around(count, smoothing_secs / clip.step_secs());
    kernel::averaged_around(&track, &weights)
        .into_iter()
        .enumerate()
        .map(|(key, at)| Rigid::from_yaw(at.y + spin(key), at.with_y(0.0)))
        .collect()
}

/// Returns the root of `source` at every sample of its period, relative to the constant twist.
///
/// It closes to the order of `method`, by quintics or cubics. Offsets are along the axes of the root at either end and do not
/// rotate with it. Errors: the blends cannot be distinguished over the period.
pub(super) fn inertialized(
    source: &RootRelativeClip,
    body: &Body,
    settings: &RootSettings,
    method: &Method,
) -> Result<Vec<Rigid>, BoundaryError> {
    let (clip, turn_rate) = (&source.clip, source.root.twist.angular.y);
    let captured = if source.captured.is_empty() {
        Cow::Owned(smoothed_hips(source, body, settings.path_smoothing_secs))
    } else {
        Cow::Borrowed(&source.captured)
    };
    let first = *clip.sample_range().start();
    // Measured like every track: with the samples around the cut, or over the seam if it already loops.
    let measured = ends::measure(
        &clip.with_joint_track(0, |sample| captured[(sample - first) as usize]),
        0,
    );

    let count = clip.num_intervals();
    let captured = &captured[first.unsigned_abs()..];
    let mut yaws: Vec<f64> = Vec::with_capacity(count + 1);
    for sample in 0..=count {
        let yaw = rotation::yaw_of(captured[sample].rotation);
        let before = yaws.last().copied().unwrap_or(yaw);
        yaws.push(before + rotation::wrap_angle(yaw - before));
    }
    // Whole turns that the twist does not make are motion of the root.
    let spin = TAU * ((yaws[count] - yaws[0]) / TAU).round();
    let facings = [yaws[0], yaws[count] - spin];
    let turns = [0, 1].map(|end| {
        let EndState {
            velocity, acceleration, ..
        } = measured.rotation[end];
        EndState::new(DVec3::Y * facings[end], velocity, acceleration)
    });

    let boundary = boundary(clip.period_secs(), &settings.blend, method)?;
    let share = settings.blend.share.unwrap_or(method.shares.sigma);
    let places = wanted(measured.translation, share, turn_rate);
    let turns = wanted(turns, share, 0.0);
    let moved = (0..count).map(|sample| {
        let secs = sample as f64 * clip.step_secs();
        let weights = boundary.weights(secs).value;
        let weighted = |end: usize, state: EndState<DVec3>| {
            weights[end] * state.value + weights[2 + end] * state.velocity + weights[4 + end] * state.acceleration
        };
        let [places, turns] = [places, turns].map(|[start, end]| [weighted(0, start), weighted(1, end)]);
        let [near, far] = [-secs, boundary.period_secs() - secs].map(|secs| rotation::from_yaw(turn_rate * secs));
        Rigid::from_yaw(
            yaws[sample] + turns[0].y + turns[1].y,
            captured[sample].translation + near * places[0] + far * places[1],
        )
    });
    Ok(moved.collect())
}

/// Builds quintics over the root's own times, or those of the closure; cubics if the closure does not meet accelerations.
fn boundary(period_secs: f64, blend: &RootBlend, method: &Method) -> Result<Boundary, BoundaryError> {
    let kind = if method.order == Order::C2 && method.start.is_c2() && method.end.is_c2() {
        ShapeKind::Quintic
    } else {
        ShapeKind::Cubic
    };
    let [start, end] = [(blend.start_secs, method.start), (blend.end_secs, method.end)].map(|(own, shape)| {
        let secs = own.unwrap_or_else(|| shape.get(ShapeKey::VelocityBlend).unwrap_or(shape.secs()));
        Shape::new(kind, secs).fitted(period_secs)
    });
    Boundary::new(start, end, period_secs, method.order)
}

/// The offsets that bring both ends of a track to their mean by shares, along axes that are fixed at either end, while those in which
/// the track is given turn.
fn wanted(ends: [EndState<DVec3>; 2], share: f64, turn_rate: f64) -> [EndState<DVec3>; 2] {
    let mean = |part: fn(&EndState<DVec3>) -> DVec3| (1.0 - share) * part(&ends[0]) + share * part(&ends[1]);
    let turn = |offset: DVec3| (DVec3::Y * turn_rate).cross(offset);
    let (value, velocity) = (mean(|end| end.value), mean(|end| end.velocity));
    let acceleration = mean(|end| end.acceleration);
    ends.map(|end| {
        let (o, rate) = (value - end.value, velocity - end.velocity);
        let acceleration = acceleration - end.acceleration + 2.0 * turn(rate) + turn(turn(o));
        EndState::new(o, rate + turn(o), acceleration)
    })
}

/// Returns the hips over the ground and the facing of the body, smoothed, at every sample of the clip.
fn smoothed_hips(source: &RootRelativeClip, body: &Body, smoothing_secs: f64) -> Vec<Rigid> {
    let heading = Heading::level(&source.clip.world_tracks(), body);
    // The facing takes the place of the height.
    let track: Vec<DVec3> = (0..heading.num_frames())
        .map(|frame| heading.ground(frame).with_y(heading.yaw(frame)))
        .collect();
    kernel::averaged_mirrored(&track, &kernel::gaussian(smoothing_secs / source.clip.step_secs()))
        .into_iter()
        .map(|at| Rigid::from_yaw(at.y, at.with_y(0.0)))
        .collect()
}
