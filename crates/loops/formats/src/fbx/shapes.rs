//! Blend shapes, whose weights an animation moves in addition to the joints.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use ufbx::{Anim, AnimProp, AnimStack, BlendChannel, ElementType, Scene};

use super::{
    form::ChannelShapes,
    joints::Joints,
    scene,
    timing::{self, Grid},
};
use crate::{shapes::ShapeWeights, warning::FileWarning};

/// Percentages beyond this are errors of a file.
const MAX_PERCENT: f64 = 1e6;

/// The channels of blend shapes that an animation has keys for.
pub(super) struct Shapes<'a> {
    channels: Vec<(i64, &'a BlendChannel)>,
    /// The curves of their weights, by ufbx element numbers; ufbx also lists them as properties of the mesh.
    values: HashSet<u32>,
}

impl<'a> Shapes<'a> {
    /// Collects the shapes that can be written again, in the order of the file; at most `most`.
    pub(super) fn new(scene: &'a Scene, stack: &AnimStack, most: usize) -> Self {
        let animated: BTreeSet<usize> = timing::props(stack).filter_map(channel_of).collect();
        let animated = animated.into_iter().map(|index| (index, &scene.blend_channels[index]));
        let numbered =
            animated.filter_map(|(index, channel)| Some((index, (scene::object_id(&channel.element)?, channel))));
        let channels: BTreeMap<usize, (i64, &BlendChannel)> = numbered.take(most).collect();
        let values = timing::props(stack)
            .filter(|prop| channel_of(prop).is_some_and(|index| channels.contains_key(&index)))
            .map(|prop| prop.anim_value.element.element_id);
        Self {
            values: values.collect(),
            channels: channels.into_values().collect(),
        }
    }

    fn holds(&self, prop: &AnimProp) -> bool {
        self.values.contains(&prop.anim_value.element.element_id)
    }

    /// Warns about animated properties other than these weights and the translations, rotations and scales of the joints.
    pub(super) fn warn_of_others(&self, stack: &AnimStack, joints: &Joints, warnings: &mut Vec<FileWarning>) {
        let of_skeleton: HashSet<usize> = joints.above.iter().chain(&joints.nodes).copied().collect();
        let (mut nodes, mut others) = (HashSet::new(), 0);
        for prop in timing::props(stack) {
            let mut curves = prop.anim_value.curves.iter().flatten();
            if !curves.any(|curve| timing::varies(&curve.keyframes)) || self.holds(prop) {
                continue;
            }
            let node = prop.element.typed_id as usize;
            if !timing::moves_node(prop) {
                others += 1;
            } else if !of_skeleton.contains(&node) {
                nodes.insert(node);
            }
        }
        if !nodes.is_empty() {
            warnings.push(FileWarning::NodesLeftOut { count: nodes.len() });
        }
        if others > 0 {
            warnings.push(FileWarning::ChannelsLeftOut { count: others });
        }
    }

    /// Their weights at every frame.
    pub(super) fn sampled(&self, anim: &Anim, grid: &Grid) -> ChannelShapes {
        let frames = (0..grid.num_frames).map(|frame| grid.secs(frame));
        let percents = frames.flat_map(|secs| {
            self.channels.iter().map(move |(_, channel)| {
                let percent = 100.0 * ufbx::evaluate_blend_weight(anim, channel, secs);
                if percent.is_finite() {
                    percent.clamp(-MAX_PERCENT, MAX_PERCENT)
                } else {
                    0.0
                }
            })
        });
        ChannelShapes {
            percents: ShapeWeights {
                width: self.channels.len(),
                weights: percents.collect(),
            },
            channels: self.channels.iter().map(|(id, _)| *id).collect(),
        }
    }
}

/// Returns the channel whose weight a property is, if it has keys.
fn channel_of(prop: &AnimProp) -> Option<usize> {
    let mut curves = prop.anim_value.curves.iter().flatten();
    let is_weight = prop.element.type_ == ElementType::BlendChannel && &*prop.prop_name == "DeformPercent";
    let has_keys = is_weight && curves.any(|curve| !curve.keyframes.is_empty());
    has_keys.then_some(prop.element.typed_id as usize)
}
