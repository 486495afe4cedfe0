//! Watches channels in all rows: scales, which are rejected if they differ from 1, and rotations that change by more than half a
//! turn from row to row.

use crate::{
    bvh::{
        BvhJoint, Hierarchy,
        channel::{Channel, ChannelKind},
        error::BvhError,
        warning::BvhWarning,
    },
    euler::Turning,
    excerpt::excerpt,
    warning::FileWarning,
};

/// Largest rounding error of a scale of 1.
const SCALE_TOLERANCE: f64 = 1e-4;

/// The watched channels of a hierarchy, and the rows so far.
pub(super) struct Watched<'h> {
    num_rows: usize,
    scales: Vec<ScaleColumn<'h>>,
    turns: Vec<(usize, &'h BvhJoint, Turning)>,
}

struct ScaleColumn<'h> {
    column: usize,
    joint: &'h BvhJoint,
    channel: Channel,
    /// The first row that scales, and its value.
    first: Option<(usize, f64)>,
}

impl<'h> Watched<'h> {
    /// Before the first row.
    pub(super) fn new(hierarchy: &'h Hierarchy) -> Self {
        let (mut scales, mut turns) = (Vec::new(), Vec::new());
        let joints = hierarchy.joints().iter();
        let channels = joints.flat_map(|joint| joint.channels.iter().map(move |channel| (joint, *channel)));
        for (column, (joint, channel)) in channels.enumerate() {
            match channel.kind {
                ChannelKind::Scale => scales.push(ScaleColumn {
                    column,
                    joint,
                    channel,
                    first: None,
                }),
                ChannelKind::Rotation => turns.push((column, joint, Turning::default())),
                ChannelKind::Position => {}
            }
        }
        Self {
            num_rows: 0,
            scales,
            turns,
        }
    }

    /// Checks the next row.
    pub(super) fn look_at(&mut self, row: &[f64]) {
        for scale in &mut self.scales {
            let value = row[scale.column];
            if (value - 1.0).abs() > SCALE_TOLERANCE {
                scale.first.get_or_insert((self.num_rows, value));
            }
        }
        for (column, _, turning) in &mut self.turns {
            turning.look_at(row[*column]);
        }
        self.num_rows += 1;
    }

    /// Warns about scales of 1 and about turns. Errors: the first scale that is not 1.
    pub(super) fn check(&self, warnings: &mut Vec<FileWarning>) -> Result<(), BvhError> {
        let mut joints: Vec<&str> = Vec::new();
        for scale in &self.scales {
            if let Some((frame, value)) = scale.first {
                return Err(BvhError::Scale {
                    frame: frame + 1,
                    joint: excerpt(&scale.joint.name),
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
                    joint: excerpt(joint),
                    count: joints.len(),
                }
                .into(),
            );
        }
        let turns = self.turns.iter().filter_map(|(_, joint, turning)| {
            let degrees = turning.fastest()?;
            Some((excerpt(&joint.name), degrees))
        });
        warnings.extend(FileWarning::turns_back(turns));
        Ok(())
    }
}
