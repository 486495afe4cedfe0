//! Smooth: removes fast motion from joints; every sample becomes a weighted mean of its neighbours, around the loop.

use glam::{DQuat, DVec3, DVec4};

use super::{
    super::{error::EditError, joint_offset::ROUNDING},
    Edit, EditDescriptor, EditKey, EditParameter, EditValues, EditedJoints, with_partners,
};
use crate::{
    closure::Image,
    loop_clip::LoopClip,
    math::{Rigid, kernel},
    motion::Tracks,
    unit::Unit,
};

/// Takes fast motion out of joints: a mean over the time about each sample, round the loop.
#[handed_over]
pub struct Smooth {
    /// The joints.
    pub joints: Vec<usize>,
    /// Standard deviation of the Gaussian weights, seconds.
    pub deviation_secs: f64,
}

pub(super) const DESCRIPTOR: EditDescriptor = EditDescriptor {
    name: "smooth",
    title: "smooth",
    joints: EditedJoints::All,
    parameters: &[EditParameter::number(
        EditKey::Deviation,
        "Smoothing",
        Unit::Secs,
        0.001,
        0.02,
    )],
    new: |joints, values| {
        Smooth {
            joints: joints.to_vec(),
            deviation_secs: values.number(EditKey::Deviation).unwrap_or_default(),
        }
        .into()
    },
};

/// Longest smoothing, seconds; beyond it a cycle is nearly its mean.
const MAX_SECS: f64 = 1.0;

impl Edit for Smooth {
    fn joints(&self) -> &[usize] {
        &self.joints
    }

    fn edited(&self, clip: LoopClip, mirror: Option<&Image>) -> Result<LoopClip, EditError> {
        let most = MAX_SECS.min(0.5 * clip.period_secs());
        let found = self.deviation_secs;
        if !(0.0..=most * ROUNDING).contains(&found) {
            return Err(EditError::Smoothing { found, most });
        }
        if found == 0.0 {
            return Ok(clip);
        }
        let mut tracks = clip.tracks().clone();
        for joint in with_partners(&self.joints, mirror) {
            let (translations, rotations) = smoothed(clip.tracks(), joint, found / clip.step_secs());
            tracks.set_joint(joint, |sample| Rigid::new(rotations[sample], translations[sample]));
        }
        Ok(clip.with_tracks(tracks))
    }

    fn values(&self, _clip: &LoopClip) -> EditValues {
        EditValues::default().with(EditKey::Deviation, self.deviation_secs)
    }
}

/// Returns one joint's track smoothed around the loop, the standard deviation of the weights in samples; translations and
/// rotations.
///
/// Quaternions are averaged component by component, each with the sign nearest to the previous one. A small spread allows this:
/// their mean differs from that of the rotations in the third order of the spread.
fn smoothed(tracks: &Tracks, joint: usize, deviation: f64) -> (Vec<DVec3>, Vec<DQuat>) {
    let count = tracks.num_frames();
    let (translations, rotations): (Vec<DVec3>, Vec<DQuat>) = (0..count)
        .map(|frame| tracks.pose(frame).joint(joint))
        .map(|own| (own.translation, own.rotation))
        .unzip();
    // The sign with which the rotations continue over the seam: a joint may make an odd number of whole turns in a period.
    let seam: f64 = if rotations[count - 1].dot(rotations[0]) < 0.0 {
        -1.0
    } else {
        1.0
    };
    let weights = kernel::gaussian(deviation);
    let reach = weights.len() as isize - 1;
    (0..count as isize)
        .map(|middle| {
            let (mut position, mut rotation) = (DVec3::ZERO, DVec4::ZERO);
            for offset in -reach..=reach {
                let (at, count) = (middle + offset, count as isize);
                let (sample, weight) = (at.rem_euclid(count) as usize, weights[offset.unsigned_abs()]);
                let side = if at.div_euclid(count) % 2 == 0 { 1.0 } else { seam };
                position += translations[sample] * weight;
                rotation += DVec4::from(rotations[sample]) * (side * weight);
            }
            let length = rotation.length();
            // Rotations spread evenly all around have no mean; the rotation is then kept.
            let mean = if length > 1e-6 {
                DQuat::from_vec4(rotation / length)
            } else {
                rotations[middle as usize]
            };
            (position, mean)
        })
        .unzip()
}
