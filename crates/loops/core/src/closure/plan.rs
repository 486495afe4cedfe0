//! The corrections of one joint: first a crossfade, then layers of offsets of its translation and its rotation.

use glam::{DQuat, DVec3};

use super::boundary::{BoundaryError, Progress};
use super::ends::{EndState, JointEnds};
use super::tables::{Tables, TrackOffsets};
use super::{crossfade::Crossfade, method::Method, rotation, targets::JointTargets};
use crate::{math, take::Clip};

#[derive(Default)]
pub(super) struct Plan {
    pub(super) crossfade: Option<Crossfade>,
    /// Offsets of the crossfade, away from the seam.
    faded: Vec<[DVec3; 2]>,
    layers: Vec<[TrackOffsets; 2]>,
    /// The motion at both ends after all corrections.
    pub(super) closed: JointEnds,
}

/// A joint at a sample after all corrections.
pub(super) struct Moved {
    /// Offset added to its translation, metres.
    pub(super) translation_offset: DVec3,
    /// Rotation vector applied on the left of its rotation, radians.
    pub(super) rotation_offset: DVec3,
    pub(super) rotation: DQuat,
}

impl Plan {
    pub(super) fn new(clip: &Clip, joint: usize, ends: &JointEnds, method: Option<&Method>) -> Self {
        let fade_secs = method.and_then(|method| method.crossfade_secs);
        let crossfade = fade_secs.and_then(|secs| Crossfade::fitted(clip, secs));
        Self {
            crossfade,
            faded: crossfade.map_or_else(Vec::new, |fade| fade.offsets(clip, joint)),
            layers: Vec::new(),
            closed: crossfade.map_or(*ends, |fade| fade.faded(ends)),
        }
    }

    /// Adds offsets of the translation and of the rotation that meet the targets at both ends, and moves the ends by them.
    pub(super) fn add_layer(
        &mut self,
        clip: &Clip,
        joint: usize,
        targets: JointTargets,
        ends: &JointEnds,
        method: &Method,
        tables: &mut Tables,
    ) -> Result<(), BoundaryError> {
        let point = tables.offsets(targets.translation, method, || translation_progress(clip, joint, ends))?;
        let rotation = tables.offsets(targets.rotation, method, || rotation_progress(clip, joint, ends))?;
        for end in 0..2 {
            let [o, rate, acceleration] = point.at_end(tables, end);
            let before = self.closed.translation[end];
            self.closed.translation[end] = EndState {
                value: before.value + o,
                velocity: before.velocity + rate,
                acceleration: before.acceleration + acceleration,
            };
            let [o, rate, acceleration] = rotation.at_end(tables, end);
            self.closed.rotation[end] = rotation::offset_motion(&self.closed.rotation[end], o, rate, acceleration);
        }
        self.layers.push([point, rotation]);
        Ok(())
    }

    /// The joint at a sample whose rotation in the clip is `raw`.
    pub(super) fn moved(&self, clip: &Clip, tables: &Tables, sample: usize, raw: DQuat) -> Moved {
        let mut moved = Moved {
            translation_offset: DVec3::ZERO,
            rotation_offset: DVec3::ZERO,
            rotation: raw,
        };
        let mut num_rotations = 0;
        let mut rotate = |moved: &mut Moved, o: DVec3| {
            if o != DVec3::ZERO {
                moved.rotation = rotation::rotate_by(o, moved.rotation);
                moved.rotation_offset = o;
                num_rotations += 1;
            }
        };
        if let Some(fade) = &self.crossfade
            && let Some([o, rotation]) = self.faded.get(fade.away(clip, sample))
        {
            moved.translation_offset += *o;
            rotate(&mut moved, *rotation);
        }
        for [point, rotation] in &self.layers {
            if let Some(o) = point.at(tables, sample) {
                moved.translation_offset += o;
            }
            if let Some(o) = rotation.at(tables, sample) {
                rotate(&mut moved, o);
            }
        }
        if num_rotations > 1 {
            // Rotation vectors of several layers do not add up; their product has one vector.
            moved.rotation_offset = math::rotation::difference(moved.rotation, raw);
        }
        moved
    }
}

fn translation_progress(clip: &Clip, joint: usize, ends: &JointEnds) -> Option<Progress> {
    let at = |sample: usize| clip.translations(sample as isize)[joint];
    let steps: Vec<f64> = (0..clip.num_intervals())
        .map(|sample| at(sample).distance(at(sample + 1)))
        .collect();
    Progress::new(
        &steps,
        clip.step_secs(),
        ends.translation.map(|end| end.velocity.length()),
    )
}

fn rotation_progress(clip: &Clip, joint: usize, ends: &JointEnds) -> Option<Progress> {
    let at = |sample: usize| clip.rotations(sample as isize)[joint];
    let steps: Vec<f64> = (0..clip.num_intervals())
        .map(|sample| rotation::pose_gap(at(sample), at(sample + 1)).length())
        .collect();
    Progress::new(&steps, clip.step_secs(), ends.rotation.map(|end| end.velocity.length()))
}
