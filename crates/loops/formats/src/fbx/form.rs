//! The parts of a file that are kept to write motion into it: its bytes, and how the properties of each joint's node give its
//! transform.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use ufbx::{Anim, InheritMode, Node, Scene, Transform};

use super::{
    animation::Property,
    joints::Joints,
    record,
    scene::{self, World},
};
use crate::{euler, limits::is_plausible, shapes::ShapeWeights, space::Axis};

/// First version whose animations are objects; earlier files can only be read.
const FIRST_WRITABLE: u32 = 7100;

/// A binary file that can be extended.
#[handed_over]
pub(crate) struct FbxFile {
    #[handed(with = "loopwright_core::plain_bytes")]
    pub(super) bytes: Arc<[u8]>,
    pub(super) ticks_per_sec: f64,
    pub(super) stated_unit_metres: f64,
    /// Transform of the nodes above the first joint.
    pub(super) above: World,
    /// Properties whose value in the animation differs from the one without it.
    pub(super) held: Vec<Held>,
    /// Number of the node directly above the first joint; 0 is the scene.
    pub(super) above_id: i64,
    pub(super) nodes: Vec<NodeForm>,
    pub(super) parents: Vec<Option<usize>>,
    pub(super) shapes: ChannelShapes,
}

/// Shapes that the animation moves: the numbers of their channels, and percents in the same order.
#[handed_over(Default)]
pub(super) struct ChannelShapes {
    pub channels: Vec<i64>,
    pub percents: ShapeWeights,
}

/// A constant property of an animation: node, property, value.
pub(super) type Held = (i64, Property, [f64; 3]);

/// The mapping from a node's properties to its local transform.
///
/// The translation is T + Roff + Rp + r (Soff + Sp - S Sp - Rp), the rotation r = Rpre R Rpost^-1, with the properties Lcl
/// Translation T, Lcl Rotation R and Lcl Scaling S, offsets and pivots of rotation and scale, and pre- and post-rotation.
#[handed_over]
pub(super) struct NodeForm {
    pub id: i64,
    #[handed(with = "crate::handover::inherit_mode")]
    pub mode: InheritMode,
    /// Rotation axes, the first outermost.
    pub axes: [Axis; 3],
    pre: DQuat,
    post: DQuat,
    /// Roff + Rp.
    fixed: DVec3,
    /// Soff + Sp - S Sp - Rp.
    turning: DVec3,
    scale: DVec3,
    /// Values of properties that are not animated, in the file's unit and degrees.
    pub translation: DVec3,
    pub rotation: DVec3,
}

/// Whether a file can be extended, as far as its version shows.
pub(super) fn is_writable(bytes: &[u8]) -> bool {
    record::version(bytes).is_some_and(|version| version >= FIRST_WRITABLE)
}

impl FbxFile {
    /// Builds the form of a file; `None` for text, for old versions, and if an object lacks a number or plausible pivots.
    pub(super) fn new(bytes: &Arc<[u8]>, scene: &Scene, anim: &Anim, joints: &Joints, begin_secs: f64) -> Option<Self> {
        is_writable(bytes).then_some(())?;
        let local = |node: &Node| ufbx::evaluate_transform(anim, node, begin_secs);
        let mut held = Vec::new();
        let mut hold = |node: &Node, property: Property| {
            // Missing properties keep their default. They are not looked up: ufbx compares the names of missing properties as if a
            // zero ended them, and reads past the end of ours.
            let Some(before) = node.element.props.find_prop(property.name()) else {
                return Some(());
            };
            let before = before.value_vec4;
            let now = ufbx::evaluate_prop(anim, &node.element, property.name(), begin_secs).value_vec4;
            if [before.x, before.y, before.z] != [now.x, now.y, now.z] {
                held.push((scene::object_id(&node.element)?, property, [now.x, now.y, now.z]));
            }
            Some(())
        };
        let mut nodes = Vec::with_capacity(joints.nodes.len());
        for &node in &joints.nodes {
            let node = &scene.nodes[node];
            nodes.push(NodeForm::new(node, scene::vec3(local(node).scale))?);
            hold(node, Property::Scaling)?;
        }
        let mut above = World::SCENE;
        for &node in &joints.above {
            let node = &scene.nodes[node];
            above = above.child(node.inherit_mode, &local(node));
            for property in [Property::Translation, Property::Rotation, Property::Scaling] {
                hold(node, property)?;
            }
        }
        let above_id = match joints.above.last() {
            Some(&node) => scene::object_id(&scene.nodes[node].element)?,
            None => 0,
        };
        Some(Self {
            bytes: Arc::clone(bytes),
            ticks_per_sec: scene.metadata.ktime_second as f64,
            stated_unit_metres: scene.settings.unit_meters,
            above,
            above_id,
            held,
            nodes,
            parents: joints.parents.clone(),
            shapes: ChannelShapes::default(),
        })
    }
}

impl NodeForm {
    /// Creates a node with the rotation order XYZ, without pivots, rotations or scale.
    pub(super) fn plain(id: i64, mode: InheritMode) -> Self {
        Self {
            id,
            mode,
            axes: [Axis::Z, Axis::Y, Axis::X],
            pre: DQuat::IDENTITY,
            post: DQuat::IDENTITY,
            fixed: DVec3::ZERO,
            turning: DVec3::ZERO,
            scale: DVec3::ONE,
            translation: DVec3::ZERO,
            rotation: DVec3::ZERO,
        }
    }

    fn new(node: &Node, scale: DVec3) -> Option<Self> {
        let or_zero = |name: &str| {
            let found = node.element.props.find_prop(name).map(|prop| prop.value_vec4);
            found.map_or(DVec3::ZERO, |v| DVec3::new(v.x, v.y, v.z))
        };
        let plain = Self::plain(scene::object_id(&node.element)?, node.inherit_mode);
        let turn = |name: &str| {
            let degrees = or_zero(name);
            let [x, y, z] = degrees.to_array().map(f64::to_radians);
            euler::compose(&plain.axes, &[z, y, x])
        };
        let (rotation_pivot, scaling_pivot) = (or_zero("RotationPivot"), or_zero("ScalingPivot"));
        let mut form = Self {
            fixed: or_zero("RotationOffset") + rotation_pivot,
            turning: or_zero("ScalingOffset") + scaling_pivot - scale * scaling_pivot - rotation_pivot,
            scale,
            translation: or_zero("Lcl Translation"),
            rotation: or_zero("Lcl Rotation"),
            ..plain
        };
        if node.use_rotation_space {
            form.axes = scene::euler_axes(node.rotation_order);
            (form.pre, form.post) = (turn("PreRotation"), turn("PostRotation"));
        }
        let fits = [form.fixed, form.turning, form.scale, form.translation, form.rotation]
            .into_iter()
            .all(is_plausible);
        (fits && form.pre.is_finite() && form.post.is_finite()).then_some(form)
    }

    /// Returns the local translation where no animation changes the properties.
    pub(super) fn translation_at_rest(&self) -> DVec3 {
        let angles = self.axes.map(|axis| self.rotation[axis.index()].to_radians());
        let local = self.pre * euler::compose(&self.axes, &angles) * self.post.conjugate();
        self.translation + self.fixed + local * self.turning
    }

    /// Returns the local rotation as stored in the property Lcl Rotation, still as a rotation.
    pub(super) fn property_rotation(&self, local: DQuat) -> DQuat {
        self.pre.conjugate() * local * self.post
    }

    /// Returns the property Lcl Translation of a node with the given local translation and rotation.
    pub(super) fn property_translation(&self, translation: DVec3, local: DQuat) -> DVec3 {
        translation - self.fixed - local * self.turning
    }

    /// Returns the local transform that puts the node at a world position with a local rotation, and the node's transform as a
    /// parent.
    pub(super) fn placed(&self, parent: &World, position: DVec3, local: DQuat) -> (DVec3, World) {
        let translation = parent.local_translation(self.mode, position);
        let transform = Transform {
            translation: ufbx_vec3(translation),
            rotation: ufbx::Quat {
                x: local.x,
                y: local.y,
                z: local.z,
                w: local.w,
            },
            scale: ufbx_vec3(self.scale),
        };
        (translation, parent.child(self.mode, &transform))
    }
}

fn ufbx_vec3(v: DVec3) -> ufbx::Vec3 {
    ufbx::Vec3 { x: v.x, y: v.y, z: v.z }
}
