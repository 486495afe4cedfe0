//! Loops read back from the keys of a file.

use super::LoopClip;
use crate::{
    motion::{Pose, Tracks},
    quality::{KeyLayout, KeysError},
    root_motion::RootTravel,
    take::Take,
};

impl LoopClip {
    /// The loop whose keys were written into a file.
    ///
    /// `root` is the travel that the file beside it states, `carrier` the joint of `written` whose track holds it. The body is
    /// what the keys show seen from the constant twist; a path that the root was led along is not in them. Errors: the file
    /// has too few keys or joints.
    pub fn from_keys(written: &Take, layout: KeyLayout, root: RootTravel, carrier: usize) -> Result<Self, KeysError> {
        layout.check(written, carrier)?;
        let step_secs = written.frame_time_secs();
        let mut tracks = Tracks::empty(written.skeleton().clone(), step_secs, layout.num_samples);
        for key in 0..layout.num_samples {
            tracks.push(body_of_key(written, key, &root, carrier).as_ref());
        }
        Ok(Self::new(written.name(), tracks, carrier, root)?)
    }
}

/// The pose of a key, local, with the travel taken off the joint that carries it.
pub(crate) fn body_of_key(written: &Take, key: usize, root: &RootTravel, carrier: usize) -> Pose {
    let mut pose = written.pose(key).to_pose();
    let root_now = root.at(key as f64 * written.frame_time_secs());
    let seen = written.pose(key).in_root(written.skeleton(), carrier, root_now);
    pose.set_joint(carrier, seen);
    pose
}
