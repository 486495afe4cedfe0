//! Scale channels, which are rejected if they differ from 1.

use crate::bvh::channel::{Channel, ChannelKind};
use crate::bvh::{BvhJoint, Hierarchy, error::BvhError, warning::BvhWarning};
use crate::{excerpt::excerpt, warning::FileWarning};

/// Largest rounding error of a scale of 1.
const SCALE_TOLERANCE: f64 = 1e-4;

/// The scale channels of a hierarchy, and the rows so far.
pub(super) struct Scales<'h> {
    num_rows: usize,
    columns: Vec<ScaleColumn<'h>>,
}

struct ScaleColumn<'h> {
    column: usize,
    joint: &'h BvhJoint,
    channel: Channel,
    /// The first row that scales, and its value.
    first: Option<(usize, f64)>,
}

impl<'h> Scales<'h> {
    /// Before the first row.
    pub(super) fn new(hierarchy: &'h Hierarchy) -> Self {
        let channels = (hierarchy.joints().iter())
            .flat_map(|joint| joint.channels.iter().map(move |channel| (joint, *channel)))
            .enumerate();
        let columns = channels
            .filter(|(_, (_, channel))| channel.kind == ChannelKind::Scale)
            .map(|(column, (joint, channel))| ScaleColumn {
                column,
                joint,
                channel,
                first: None,
            })
            .collect();
        Self { num_rows: 0, columns }
    }

    /// Checks the next row.
    pub(super) fn look_at(&mut self, row: &[f64]) {
        for scale in &mut self.columns {
            let value = row[scale.column];
            if (value - 1.0).abs() > SCALE_TOLERANCE {
                scale.first.get_or_insert((self.num_rows, value));
            }
        }
        self.num_rows += 1;
    }

    /// Errors: the first scale that is not 1. Scales of 1 get a warning.
    pub(super) fn check(&self, warnings: &mut Vec<FileWarning>) -> Result<(), BvhError> {
        let mut joints: Vec<&str> = Vec::new();
        for scale in &self.columns {
            if let Some((frame, value)) = scale.first {
                return Err(BvhError::Scale {
                    frame: frame + 1,
                    joint: excerpt(scale.joint.name.as_bytes()),
                    channel: scale.channel,
                    value,
                });
            }
            if joints.last() != Some(&scale.joint.name.as_str()) {
                joints.push(&scale.joint.name);
            }
        }
        if let Some(joint) = joints.first() {
            warnings.push(
                BvhWarning::ScaleIgnored {
                    joint: excerpt(joint.as_bytes()),
                    count: joints.len(),
                }
                .into(),
            );
        }
        Ok(())
    }
}
