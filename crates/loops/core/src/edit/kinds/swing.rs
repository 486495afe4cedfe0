//! Swing: scales the rotations of joints about their means, as of a stiff arm.

use super::{
    super::error::EditError, Edit, EditDescriptor, EditKey, EditParameter, EditValues, EditedJoints, with_partners,
};
use crate::{
    closure::Image,
    loop_clip::LoopClip,
    math::{Rigid, rotation},
    unit::Unit,
};

/// Scales how far joints turn about their mean rotations: 0 holds them still.
#[handed_over]
pub struct Swing {
    /// The joints.
    pub joints: Vec<usize>,
    /// Factor of their rotations from the mean.
    pub scale: f64,
}

pub(super) const DESCRIPTOR: EditDescriptor = EditDescriptor {
    name: "swing",
    title: "swing",
    joints: EditedJoints::UpperBody,
    parameters: &[EditParameter::number(EditKey::Scale, "Swing", Unit::Number, 0.01, 1.0)],
    new: |joints, values| {
        Swing {
            joints: joints.to_vec(),
            scale: values.number(EditKey::Scale).unwrap_or(1.0),
        }
        .into()
    },
};

/// Largest scale.
const MOST: f64 = 3.0;

/// Two rotation vectors from a mean differ by less than this factor of the rotation between them, plus this rounding, radians, unless the
/// joint turns all around.
const LEAP: [f64; 2] = [2.0, 1e-6];

impl Edit for Swing {
    fn joints(&self) -> &[usize] {
        &self.joints
    }

    fn edited(&self, clip: LoopClip, mirror: Option<&Image>) -> Result<LoopClip, EditError> {
        let found = self.scale;
        if !(0.0..=MOST).contains(&found) {
            return Err(EditError::Swing { found, most: MOST });
        }
        if found == 1.0 {
            return Ok(clip);
        }
        let (before, count) = (clip.tracks(), clip.num_samples());
        let mut tracks = before.clone();
        for joint in with_partners(&self.joints, mirror) {
            let own = |sample: usize| before.pose(sample).joint(joint);
            let rotations: Vec<_> = (0..count).map(|sample| own(sample).rotation).collect();
            let mean = rotation::even_mean(rotations.iter().copied());
            let swings: Vec<_> = rotations
                .iter()
                .map(|&turned| rotation::difference(turned, mean))
                .collect();
            let leaps = |sample: usize| {
                let next = (sample + 1) % count;
                swings[next].distance(swings[sample])
                    > LEAP[0] * rotation::difference(rotations[next], rotations[sample]).length() + LEAP[1]
            };
            if (0..count).any(leaps) {
                return Err(EditError::TurnsAround {
                    name: clip.skeleton().name_of(joint),
                });
            }
            tracks.set_joint(joint, |sample| {
                Rigid::new(
                    (rotation::exp(found * swings[sample]) * mean).normalize(),
                    own(sample).translation,
                )
            });
        }
        Ok(clip.with_tracks(tracks))
    }

    fn values(&self, _clip: &LoopClip) -> EditValues {
        EditValues::default().with(EditKey::Scale, self.scale)
    }
}
