//! Adds the missing closing key to a take.

use std::borrow::Cow;

use glam::DVec3;

use super::super::whole::{LastKey, WholeClip};
use crate::{analysis::Analysis, math::rotation, motion::Pose, take::Take};

/// Number of frames added to a take without a closing key: up to that key, and beyond it the frames after the start, so that
/// motion at the end is known.
const FRAMES_ADDED: usize = 3;

impl Analysis {
    /// Returns the analysis of the take with the closing key that `whole` found missing, or this analysis if none is missing.
    ///
    /// Frames are added at the end: the poses after the start, one cycle later. Frames of the take keep their numbers.
    pub fn completed(&self, whole: &WholeClip) -> Cow<'_, Self> {
        let take = &self.take;
        let (first, last) = (whole.start_frame, whole.last_frame);
        let own_frames = (last - first) as f64;
        if whole.last_key != LastKey::BeforeClosing || whole.num_frames <= own_frames {
            return Cow::Borrowed(self);
        }
        let carrier = self.carrier();
        let moved_on = |frame: f64| {
            let mut pose = take.sample(first as f64 + frame);
            pose.carry(take.skeleton(), carrier, whole.motion);
            pose
        };
        let seam_frames = whole.num_frames - own_frames;
        let added = (1..=FRAMES_ADDED).map(|added| {
            let after_closing = added as f64 - seam_frames;
            if after_closing >= 0.0 {
                moved_on(after_closing)
            } else {
                let [earlier, before] = [last - 1, last].map(|frame| take.pose(frame).to_pose());
                let around = [earlier, before, moved_on(0.0), moved_on(1.0)];
                between(&around, seam_frames, added as f64 / seam_frames)
            }
        });
        let poses = (0..=last).map(|frame| take.pose(frame).to_pose()).chain(added);
        let completed = Take::from_tracks(take.name(), take.tracks().with_poses(poses)).ok();
        let completed = completed.and_then(|take| Analysis::with(&take, &self.overrides).ok());
        completed.map_or(Cow::Borrowed(self), Cow::Owned)
    }
}

/// Returns the pose at `share` of a step that lasts `frames`, from the second of four poses to the third.
///
/// A cubic with the rates of the steps before and after; rotations as rotation vectors about the pose before.
fn between(poses: &[Pose; 4], frames: f64, share: f64) -> Pose {
    let (u, v) = (share, 1.0 - share);
    let [leaving, arriving, moved] = [u * v * v * frames, -u * u * v * frames, u * u * (3.0 - 2.0 * u)];
    let along = |first: DVec3, over: DVec3, second: DVec3| first * leaving + over * moved + second * arriving;
    (0..poses[0].translations.len())
        .map(|joint| {
            let points = poses.each_ref().map(|pose| pose.translations[joint]);
            let turns = poses.each_ref().map(|pose| pose.rotations[joint]);
            let translation = points[1] + along(points[1] - points[0], points[2] - points[1], points[3] - points[2]);
            let turn = along(
                rotation::difference(turns[1], turns[0]),
                rotation::difference(turns[2], turns[1]),
                rotation::difference(turns[3], turns[2]),
            );
            (translation, rotation::exp(turn) * turns[1])
        })
        .collect()
}
