//! Rotation channels that go on by more than half a turn from row to row.

use crate::bvh::channel::ChannelKind;
use crate::bvh::{BvhJoint, Hierarchy};
use crate::{euler::Turning, excerpt::excerpt, warning::FileWarning};

/// The rotation channels of a hierarchy, and the rows so far.
pub(super) struct Turns<'h> {
    columns: Vec<(usize, &'h BvhJoint, Turning)>,
}

impl<'h> Turns<'h> {
    /// Before the first row.
    pub(super) fn new(hierarchy: &'h Hierarchy) -> Self {
        let channels = (hierarchy.joints().iter())
            .flat_map(|joint| joint.channels.iter().map(move |channel| (joint, *channel)))
            .enumerate();
        let rotations = channels.filter(|(_, (_, channel))| channel.kind == ChannelKind::Rotation);
        Self {
            columns: rotations
                .map(|(column, (joint, _))| (column, joint, Turning::default()))
                .collect(),
        }
    }

    pub(super) fn look_at(&mut self, row: &[f64]) {
        for (column, _, turning) in &mut self.columns {
            turning.look_at(row[*column]);
        }
    }

    pub(super) fn warn(&self, warnings: &mut Vec<FileWarning>) {
        let found = self
            .columns
            .iter()
            .filter_map(|(_, joint, turning)| Some((*joint, turning.fastest()?)));
        let found = found.map(|(joint, degrees)| (excerpt(joint.name.as_bytes()), degrees));
        warnings.extend(FileWarning::turns_back(found));
    }
}
