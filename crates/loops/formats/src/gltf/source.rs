//! The glTF form of a take, read from its file or created for it.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use loopwright_core::Pose;

use super::{
    container::Document,
    node_scale::NodeScale,
    parts::{Nodes, Transform},
};
use crate::{shapes::ShapeWeights, space::Space};

/// The form of a take in a glTF file: the whole file, the nodes that are joints, and their transform in the world.
#[handed_over]
pub struct GltfSource {
    pub(crate) document: Arc<Document>,
    pub(crate) is_binary: bool,
    pub(crate) joints: Vec<GltfJoint>,
    pub(crate) above: Above,
    pub(crate) space: Space,
    /// Whether constant tracks are written as one key.
    pub(crate) has_short_tracks: bool,
    /// Shapes, changing scales, expressions and gaze at every frame of the take or at every sample of a loop.
    pub(crate) shapes: Vec<NodeShapes>,
}

/// Values of one node beside the pose: weights of shapes, a changing scale, an avatar's expression, or its gaze.
#[handed_over]
pub(crate) struct NodeShapes {
    pub node: usize,
    pub property: Beside,
    pub weights: ShapeWeights,
}

/// A property that moves beside the pose.
#[handed_over(Copy)]
pub(crate) enum Beside {
    /// Weights of blend shapes.
    Shapes,
    /// The scale of a joint that changes it.
    Scale,
    /// The weight of an expression, stored as the x of a translation.
    Expression,
    /// The gaze, stored as a rotation.
    Gaze,
}

impl Beside {
    /// Returns the property of the node that holds it.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Shapes => "weights",
            Self::Scale => "scale",
            Self::Expression => "translation",
            Self::Gaze => "rotation",
        }
    }
}

#[handed_over(Copy)]
pub(crate) struct GltfJoint {
    /// The node; `None` for a root without a node.
    pub node: Option<usize>,
    /// Its scale in the take; the first one if it changes.
    pub scale: DVec3,
}

/// The fixed nodes above the first joint, as one transform in the world.
#[handed_over(Copy)]
pub(crate) struct Above {
    pub translation: DVec3,
    pub turn: DQuat,
    pub node_scale: NodeScale,
}

impl Above {
    const NOTHING: Self = Self {
        translation: DVec3::ZERO,
        turn: DQuat::IDENTITY,
        node_scale: NodeScale::NONE,
    };

    pub(crate) fn new(nodes: &Nodes, first: Option<usize>) -> Self {
        let mut path: Vec<usize> = first.map_or_else(Vec::new, |first| nodes.above(first).collect());
        path.reverse();
        path.into_iter().fold(Self::NOTHING, |above, node| {
            let local = nodes.transforms[node];
            Self {
                translation: above.translation + above.turn * above.node_scale.apply(local.translation),
                turn: (above.turn * local.rotation).normalize(),
                node_scale: above.node_scale.below(local.rotation, local.scale),
            }
        })
    }

    /// Returns the pose of joints below these nodes, given by their parents and transforms, in the unit of the file: each in the axes of
    /// its parent, the first in those of the nodes.
    pub(super) fn pose_below(&self, joints: impl Iterator<Item = (Option<usize>, Transform)>) -> Pose {
        let mut node_scales: Vec<NodeScale> = Vec::new();
        let locals = joints.map(|(parent, local)| {
            let above = parent.map_or(self.node_scale, |parent| node_scales[parent]);
            node_scales.push(above.below(local.rotation, local.scale));
            (above.apply(local.translation), local.rotation)
        });
        locals.collect()
    }
}

impl GltfSource {
    /// Creates a form for a new document whose first nodes are the joints: metres, +Y up.
    pub(super) fn fresh(document: Document, num_joints: usize, is_binary: bool) -> Self {
        let joints = (0..num_joints).map(|joint| GltfJoint {
            node: Some(joint),
            scale: DVec3::ONE,
        });
        Self {
            document: Arc::new(document),
            is_binary,
            joints: joints.collect(),
            above: Above::NOTHING,
            space: Space::METRES_Y_UP,
            has_short_tracks: false,
            shapes: Vec::new(),
        }
    }
}
