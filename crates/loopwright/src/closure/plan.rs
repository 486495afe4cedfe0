//! What is done to one joint: first a crossfade, then layers of offsets of its translation and its rotation.

use glam::{DQuat, DVec3};

use super::{
    boundary::{BoundaryError, Progress},
    crossfade::Crossfade,
    ends::{EndState, JointEnds},
    method::Method,
    rotation,
    tables::{Tables, TrackOffsets},
    targets::Targets,
};
use crate::{math, take::Clip};

/// The plan of a joint.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) crossfade: Option<Crossfade>,
    /// Offsets of the crossfade, away from the seam.
    faded: Vec<[DVec3; 2]>,
    layers: Vec<[TrackOffsets; 2]>,
    /// The motion at both ends when all is done.
    pub(super) closed: JointEnds,
}

/// A joint at a sample when all is done.
pub(super) struct Moved {
    /// What is added to its translation, metres.
    pub(super) aside: DVec3,
    /// The rotation vector by which it is turned, on the left of its rotation, radians.
    pub(super) turn: DVec3,
    /// Its rotation then.
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

    /// Adds offsets of the translation and of the rotation that are as wanted at both ends, and moves the ends by them.
    pub(super) fn add_layer(
        &mut self,
        clip: &Clip,
        joint: usize,
        [point, turn]: [Targets; 2],
        ends: &JointEnds,
        method: &Method,
        tables: &mut Tables,
    ) -> Result<(), BoundaryError> {
        let point = tables.offsets(point, method, || translation_progress(clip, joint, ends))?;
        let turn = tables.offsets(turn, method, || rotation_progress(clip, joint, ends))?;
        for end in 0..2 {
            let [o, rate, acceleration] = point.at_end(tables, end);
            let before = self.closed.translation[end];
            self.closed.translation[end] = EndState {
                value: before.value + o,
                velocity: before.velocity + rate,
                acceleration: before.acceleration + acceleration,
            };
            let [o, rate, acceleration] = turn.at_end(tables, end);
            self.closed.rotation[end] = rotation::offset_motion(&self.closed.rotation[end], o, rate, acceleration);
        }
        self.layers.push([point, turn]);
        Ok(())
    }

    /// The joint at a sample, whose rotation in the clip is `raw`.
    pub(super) fn moved(&self, clip: &Clip, tables: &Tables, sample: usize, raw: DQuat) -> Moved {
        let mut moved = Moved {
            aside: DVec3::ZERO,
            turn: DVec3::ZERO,
            rotation: raw,
        };
        let mut num_turns = 0;
        let mut turn_further = |moved: &mut Moved, o: DVec3| {
            if o != DVec3::ZERO {
                moved.rotation = rotation::turn_by(o, moved.rotation);
                moved.turn = o;
                num_turns += 1;
            }
        };
        if let Some(fade) = &self.crossfade
            && let Some([o, turn]) = self.faded.get(fade.away(clip, sample))
        {
            moved.aside += *o;
            turn_further(&mut moved, *turn);
        }
        for [point, turn] in &self.layers {
            if let Some(o) = point.at(tables, sample) {
                moved.aside += o;
            }
            if let Some(o) = turn.at(tables, sample) {
                turn_further(&mut moved, o);
            }
        }
        if num_turns > 1 {
            // Rotation vectors of several layers do not add up; their product has one.
            moved.turn = math::rotation::difference(moved.rotation, raw);
        }
        moved
    }
}

/// How far a joint's translation has come at every sample.
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

/// How far a joint's rotation has come at every sample.
fn rotation_progress(clip: &Clip, joint: usize, ends: &JointEnds) -> Option<Progress> {
    let at = |sample: usize| clip.rotations(sample as isize)[joint];
    let steps: Vec<f64> = (0..clip.num_intervals())
        .map(|sample| rotation::pose_gap(at(sample), at(sample + 1)).length())
        .collect();
    Progress::new(&steps, clip.step_secs(), ends.rotation.map(|end| end.velocity.length()))
}
