//! Weights of the boundary conditions at every sample: solved once for each pair of shapes, and shared by the tracks.

use glam::DVec3;

use super::{
    BoundaryError, Method, Order, Shape,
    boundary::{Boundary, MAX_CONDITIONS, Progress, Weights},
    targets::Targets,
};
use crate::take::Clip;

pub(super) struct Tables {
    period_secs: f64,
    step_secs: f64,
    num_samples: usize,
    tables: Vec<Table>,
}

struct Table {
    /// What it is shared by; `None` if a shape follows the track, which no other track shares.
    key: Option<(Shape, Shape, Order)>,
    /// Weights at both ends, with derivatives.
    ends: [Weights; 2],
    /// Weights of the value at samples 0 to N; `None` outside every blend.
    samples: Vec<Option<[f64; MAX_CONDITIONS]>>,
}

impl Tables {
    pub(super) fn new(clip: &Clip) -> Self {
        Self {
            period_secs: clip.period_secs(),
            step_secs: clip.step_secs(),
            num_samples: clip.num_intervals() + 1,
            tables: Vec::new(),
        }
    }

    /// Returns the offsets that meet the targets at both ends of a track; `progress` is that of the track, for shapes that
    /// follow it.
    pub(super) fn offsets(
        &mut self,
        targets: Targets,
        method: &Method,
        progress: impl FnOnce() -> Option<Progress>,
    ) -> Result<TrackOffsets, BoundaryError> {
        let Method { start, end, order, .. } = *method;
        let follows = start.follows_the_track() || end.follows_the_track();
        let key = (!follows).then_some((start, end, order));
        if key.is_some()
            && let Some(table) = self.tables.iter().position(|table| table.key == key)
        {
            return Ok(TrackOffsets { targets, table });
        }
        let progress = if follows { progress() } else { None };
        let boundary = Boundary::with_progress(start, end, self.period_secs, order, progress)?;
        let samples = (0..self.num_samples)
            .map(|sample| {
                let t = if sample + 1 == self.num_samples {
                    self.period_secs
                } else {
                    sample as f64 * self.step_secs
                };
                Some(boundary.weights(t).value).filter(|weights| weights.iter().any(|&weight| weight != 0.0))
            })
            .collect();
        self.tables.push(Table {
            key,
            ends: [0.0, self.period_secs].map(|t| boundary.weights(t)),
            samples,
        });
        let table = self.tables.len() - 1;
        Ok(TrackOffsets { targets, table })
    }
}

/// Offsets of one track: the targets at its ends, and the table that spreads them.
#[derive(Clone, Copy)]
pub(super) struct TrackOffsets {
    targets: Targets,
    table: usize,
}

impl TrackOffsets {
    /// Returns the offset at a sample; `None` if the track is unchanged there.
    pub(super) fn at(&self, tables: &Tables, sample: usize) -> Option<DVec3> {
        let weights = tables.tables[self.table].samples[sample].as_ref()?;
        // Most joints never move in their parent's axes, and have no gap.
        (self.targets != Targets::default()).then(|| self.targets.mix(weights))
    }

    /// The offset at an end, 0 for the start and 1 for the end, with its first and second derivative.
    pub(super) fn at_end(&self, tables: &Tables, end: usize) -> [DVec3; 3] {
        let weights = &tables.tables[self.table].ends[end];
        [weights.value, weights.rate, weights.acceleration].map(|row| self.targets.mix(&row))
    }
}
