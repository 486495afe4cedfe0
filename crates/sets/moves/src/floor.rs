//! The floor below a loop: the height over its root at which its feet stand.
//!
//! Takes are recorded over floors of any height, and the root of a loop keeps the zero of its take's file. Loops that follow or
//! blend into each other must stand on one floor. For takes: `analysis::floor`. Source: docs/math/contacts.md.

use glam::DVec3;

use loopwright_core::{
    analysis::{Body, BodyOverrides, ContactLimits},
    feet::{Stage, standing_places},
    loop_clip::LoopClip,
    math::{Rigid, percentile, smallest},
    motion::{Skeleton, SkeletonDifference},
    take::Take,
};

/// A root that leans by less than this is upright, as the length of the difference of its up axis from +Y.
const UPRIGHT: f64 = 1e-6;

/// Returns the height over the root at which the feet of a loop stand, metres: the joints that stand, minus the thickness of the
/// sole.
///
/// `None` if no foot ever stands. The loop is relative to its constant twist.
fn stance_over_root(stage: &Stage, body: &Body, limits: &ContactLimits) -> Option<f64> {
    let heights: Vec<f64> = standing_places(stage, body, limits)
        .into_iter()
        .map(|(sample, at)| over_root(stage, sample, at))
        .collect();
    (!heights.is_empty()).then(|| percentile::of(heights, 0.5))
}

/// Returns the height over the root at which the feet of a loop stand, metres; if none ever stands, the height of the lowest
/// joint.
pub(crate) fn floor_over_root(clip: &LoopClip, body: &Body, limits: &ContactLimits) -> f64 {
    let stage = &Stage::of_loop(clip);
    stance_over_root(stage, body, limits).unwrap_or_else(|| {
        smallest((0..clip.num_samples()).flat_map(|sample| {
            stage
                .world
                .positions(sample)
                .iter()
                .map(move |&at| over_root(stage, sample, at))
        }))
    })
}

/// Returns the first loop on another skeleton, and the difference.
pub(crate) fn other_skeleton(skeleton: &Skeleton, loops: &[LoopClip]) -> Option<(usize, SkeletonDifference)> {
    loops
        .iter()
        .enumerate()
        .find_map(|(index, clip)| Some((index, SkeletonDifference::between(skeleton, clip.skeleton())?)))
}

/// Returns the body of a loop, if it is found.
pub(crate) fn body_of(clip: &LoopClip, overrides: &BodyOverrides) -> Option<Body> {
    let take = Take::from_tracks("", clip.tracks().clone()).ok()?;
    Body::find(&take, overrides).ok()
}

/// Returns the height over the root of a point seen from it.
fn over_root(stage: &Stage, sample: usize, position: DVec3) -> f64 {
    stage.course.up[sample].dot(position)
}

/// Puts loops on the floor of the first: raises or lowers their bodies over their roots.
///
/// A loop whose root leans, as in full space, or whose feet never stand is unchanged. The loops have one skeleton and are
/// relative to their constant twists; `overrides` are the caller's choices for the body.
pub fn on_one_floor(loops: Vec<LoopClip>, overrides: &BodyOverrides) -> Vec<LoopClip> {
    let floor = |clip: &LoopClip| {
        let body = body_of(clip, overrides)?;
        let stage = Stage::of_loop(clip);
        is_upright(clip).then(|| stance_over_root(&stage, &body, &overrides.contacts))?
    };
    let Some(first) = loops.first().and_then(floor) else {
        return loops;
    };
    let mut loops = loops.into_iter();
    let kept = loops.next();
    let raised = loops.map(|clip| match floor(&clip) {
        Some(own) => clip.with_body_moved(Rigid::new(glam::DQuat::IDENTITY, DVec3::Y * (first - own))),
        None => clip,
    });
    kept.into_iter().chain(raised).collect()
}

/// Whether the root of a loop stands upright and turns about the up axis alone.
pub(crate) fn is_upright(clip: &LoopClip) -> bool {
    let root = clip.root();
    let leans = (root.start.rotation * DVec3::Y - DVec3::Y).length();
    leans < UPRIGHT && root.twist.angular.x.abs().max(root.twist.angular.z.abs()) < UPRIGHT
}
