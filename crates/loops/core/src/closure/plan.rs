//! The corrections of one joint: first a crossfade, then layers of offsets of its translation and its rotation.

use glam::{DQuat, DVec3};

use super::{
    Method,
    boundary::Progress,
    crossfade::Crossfade,
    ends::{EndState, JointEnds},
    rotation,
    tables::{Tables, TrackOffsets},
};
use crate::{math, take::Clip};

pub(super) struct Plan {
    pub crossfade: Option<Crossfade>,
    /// Offsets of the crossfade, away from the seam.
    faded: Vec<[DVec3; 2]>,
    layers: Vec<[TrackOffsets; 2]>,
    /// The motion at both ends after all corrections.
    pub closed: JointEnds,
}

/// A joint at a sample after all corrections.
pub(super) struct Moved {
    /// Offset added to its translation, metres.
    pub translation_offset: DVec3,
    /// Rotation vector applied on the left of its rotation, radians.
    pub rotation_offset: DVec3,
    pub rotation: DQuat,
}

impl Plan {
    pub(super) fn new(clip: &Clip, joint: usize, ends: &JointEnds, method: Option<&Method>) -> Self {
        let crossfade = method
            .and_then(|method| method.crossfade_secs)
            .and_then(|secs| Crossfade::fitted(clip, secs));
        Self {
            crossfade,
            faded: crossfade.map_or_else(Vec::new, |fade| fade.offsets(clip, joint)),
            layers: Vec::new(),
            closed: crossfade.map_or(*ends, |fade| fade.faded(ends)),
        }
    }

    /// Adds offsets of the translation and of the rotation, and moves the ends by them.
    pub(super) fn add_layer(&mut self, layer: [TrackOffsets; 2], tables: &Tables) {
        let [point, rotation] = &layer;
        for end in 0..2 {
            let [o, rate, acceleration] = point.at_end(tables, end);
            let before = self.closed.translation[end];
            self.closed.translation[end] = EndState::new(
                before.value + o,
                before.velocity + rate,
                before.acceleration + acceleration,
            );
            let [o, rate, acceleration] = rotation.at_end(tables, end);
            self.closed.rotation[end] = rotation::offset_motion(&self.closed.rotation[end], o, rate, acceleration);
        }
        self.layers.push(layer);
    }

    /// Returns the joint at a sample whose rotation in the clip is `raw`.
    pub(super) fn moved(&self, clip: &Clip, tables: &Tables, sample: usize, raw: DQuat) -> Moved {
        let mut moved = Moved {
            translation_offset: DVec3::ZERO,
            rotation_offset: DVec3::ZERO,
            rotation: raw,
        };
        let mut num_rotations = 0;
        let faded = self.crossfade.and_then(|fade| self.faded.get(fade.away(clip, sample)));
        for [translation, rotation] in faded.map(|faded| faded.map(Some)).into_iter().chain(
            self.layers
                .iter()
                .map(|layer| layer.each_ref().map(|offsets| offsets.at(tables, sample))),
        ) {
            if let Some(o) = translation {
                moved.translation_offset += o;
            }
            if let Some(o) = rotation.filter(|o| *o != DVec3::ZERO) {
                moved.rotation = rotation::rotate_by(o, moved.rotation);
                moved.rotation_offset = o;
                num_rotations += 1;
            }
        }
        if num_rotations > 1 {
            // Rotation vectors of several layers do not add up; their product has one vector.
            moved.rotation_offset = math::rotation::difference(moved.rotation, raw);
        }
        moved
    }
}

/// Progress of a joint along the path of its translations or rotations, between two samples of which `distance` measures.
pub(super) fn progress<T>(
    clip: &Clip,
    ends: [EndState<T>; 2],
    distance: impl Fn(isize, isize) -> f64,
) -> Option<Progress> {
    let steps: Vec<f64> = (0..clip.num_intervals() as isize)
        .map(|sample| distance(sample, sample + 1))
        .collect();
    Progress::new(&steps, clip.step_secs(), ends.map(|end| end.velocity.length()))
}
