//! Loops read back from the keys of a file.

use glam::{DQuat, DVec3};

use super::LoopClip;
use crate::{
    math::{rigid::Rigid, rotation},
    quality::{KeyLayout, KeysError},
    root_motion::RootTravel,
    take::{Take, pose},
};

impl LoopClip {
    /// The loop whose keys were written into a file.
    ///
    /// `root` is the travel that the file beside it states, `carrier` the joint of `written` whose track holds it. The body is
    /// what the keys show seen from the constant twist; a path that the root was led along is not in them. Errors: the file
    /// has too few keys or joints.
    pub fn from_keys(written: &Take, layout: KeyLayout, root: RootTravel, carrier: usize) -> Result<Self, KeysError> {
        layout.check(written, carrier)?;
        let (mut translations, mut rotations) = (Vec::new(), Vec::new());
        for key in 0..layout.num_samples {
            let (places, turns) = body_of_key(written, key, &root, carrier);
            translations.extend(places);
            rotations.extend(turns);
        }
        let joints = written.num_joints();
        for value in joints..rotations.len() {
            rotations[value] = rotation::on_side_of(rotations[value], rotations[value - joints]);
        }
        let step_secs = written.frame_time_secs();
        let skeleton = written.skeleton().clone();
        let clip = Self::new(
            written.name(),
            skeleton,
            step_secs,
            carrier,
            root,
            translations,
            rotations,
        )?;
        Ok(clip)
    }
}

/// Local transforms of a key with the travel taken off the joint that carries it.
pub(crate) fn body_of_key(written: &Take, key: usize, root: &RootTravel, carrier: usize) -> (Vec<DVec3>, Vec<DQuat>) {
    let mut translations = written.translations(key).to_vec();
    let mut rotations = written.rotations(key).to_vec();
    let (positions, turns) = pose::world_pose(written.skeleton(), &translations, &rotations);
    let root_now = root.at(key as f64 * written.frame_time_secs());
    let above = written
        .skeleton()
        .parent(carrier)
        .map_or(Rigid::IDENTITY, |parent| Rigid::new(turns[parent], positions[parent]));
    let carrier_now = Rigid::new(turns[carrier], positions[carrier]);
    let local = above.inverse() * root_now.inverse() * carrier_now;
    translations[carrier] = local.translation;
    rotations[carrier] = local.rotation;
    (translations, rotations)
}
