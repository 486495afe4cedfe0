//! Moves all feet to their goals by rotating thigh, knee and ankle and by moving the hips.

use glam::DQuat;

use super::{
    footing::PlantedFoot,
    hips,
    leg::Leg,
    stage::Stage,
    stride::{self, Stride},
};
use crate::{math::rigid::Rigid, motion::Tracks};

/// Samples with all feet at their goals.
pub(super) struct Held {
    pub(super) tracks: Tracks,
    /// How far the hips rise at every sample, metres; mostly negative, since they sink.
    pub(super) hips: Vec<f64>,
}

/// Moves all feet to their goals.
///
/// `lifted` is the joint that carries the whole body. Legs that need no change are returned bit for bit.
pub(super) fn hold(stage: &Stage<'_>, feet: &[PlantedFoot], lifted: usize) -> Held {
    let (clip, skeleton) = (stage.clip, stage.clip.skeleton());
    let count = clip.num_samples();
    let hips = hips::rise(stage, feet);
    let strides: Vec<Stride> = (feet.iter())
        .map(|foot| {
            let mut stride = Stride::of(stage, foot, &hips);
            stride.ease(stage, stride::sharpest(&stage.world, foot.leg.knee));
            stride
        })
        .collect();
    let mut tracks = Tracks::empty(skeleton.clone(), clip.step_secs(), count);
    for sample in 0..count {
        let mut pose = clip.body_pose(sample).to_pose();
        if hips[sample] != 0.0 {
            let above = stage.rotation_above(sample, lifted);
            pose.translations[lifted] += above.conjugate() * (stage.up(sample) * hips[sample]);
        }
        for (foot, stride) in feet.iter().zip(&strides) {
            let Some(turns) = stride.turns(sample) else { continue };
            let Leg { thigh, knee, ankle, .. } = foot.leg;
            let above = |joint| stage.rotation_above(sample, joint);
            // Joints between thigh, knee and ankle follow rigidly; the foot keeps its world rotation, apart from its own
            // correction.
            let mut set = |joint: usize, above: DQuat, turn: DQuat| {
                let turned = turn * stage.world.rotation(sample, joint);
                pose.rotations[joint] = (above.conjugate() * turned).normalize();
            };
            set(thigh, above(thigh), turns.swing);
            set(knee, above(knee), turns.bent);
            set(ankle, turns.swing * turns.bent * above(ankle), turns.foot);
            if foot.leg.is_apart {
                let own = |joint| stage.world.joint(sample, joint);
                let at =
                    pose.as_ref().above(skeleton, knee) * pose.as_ref().joint(knee) * own(knee).inverse() * own(ankle);
                let placed = Rigid::new((turns.foot * own(ankle).rotation).normalize(), at.translation);
                pose.place(skeleton, ankle, placed);
            }
        }
        tracks.push(pose.as_ref());
    }
    Held { tracks, hips }
}
