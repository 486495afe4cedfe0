//! Loads a file with ufbx: limits and errors.

use glam::{DAffine3, DMat3, DQuat, DVec3};
use ufbx::{
    AllocatorOpts, AnimOpts, AnimRoot, AnimStack, CoordinateAxis, Element, ErrorType, InheritMode, ListOpt, LoadOpts,
    Node, PropOverrideDesc, RotationOrder, Scene, SceneRoot, StringOpt, Transform,
};

use super::{error::FbxError, record};
use crate::{excerpt::cut, limits::MAX_DEPTH_WITH_ROOT, space::Axis, space::Up};

/// Memory allowed for any file, in bytes, and in addition for each of its bytes; once for results and once for temporary data.
///
/// Real files without their meshes take 4 to 11 times their size. Arrays are deflated, at worst a thousandfold, so a file of
/// zeros needs far more memory than its contents justify; 64 times is the limit.
const FREE_MEMORY: usize = 64 << 20;
const MEMORY_PER_BYTE: usize = 64;

/// First version whose objects have numbers; earlier ones are distinguished by name.
const FIRST_WITH_IDS: u32 = 7000;

/// Most characters of the library's own message in ours.
const MAX_DETAIL: usize = 120;

/// Loads a file's nodes and animation; meshes and embedded pictures are skipped unless they are asked for.
pub(super) fn load(bytes: &[u8], has_meshes: bool) -> Result<SceneRoot, FbxError> {
    let limit = bytes.len().saturating_mul(MEMORY_PER_BYTE).saturating_add(FREE_MEMORY);
    let allocator = || AllocatorOpts {
        memory_limit: limit,
        ..AllocatorOpts::default()
    };
    let options = LoadOpts {
        temp_allocator: allocator(),
        result_allocator: allocator(),
        ignore_geometry: !has_meshes,
        ignore_embedded: !has_meshes,
        generate_missing_normals: has_meshes,
        node_depth_limit: MAX_DEPTH_WITH_ROOT as u32,
        // Only the DOM holds the objects' numbers.
        retain_dom: !has_meshes && record::version(bytes).is_some_and(|version| version >= FIRST_WITH_IDS),
        ..LoadOpts::default()
    };
    ufbx::load_memory(bytes, options).map_err(|error| {
        match error.type_ {
            ErrorType::EmptyFile | ErrorType::TruncatedFile | ErrorType::Io => FbxError::CutOff,
            ErrorType::MemoryLimit | ErrorType::AllocationLimit | ErrorType::OutOfMemory => FbxError::TooLarge {
                limit,
                bytes: bytes.len(),
            },
            ErrorType::NodeDepthLimit => FbxError::TooDeep {
                limit: MAX_DEPTH_WITH_ROOT,
            },
            ErrorType::UnsupportedVersion => FbxError::Version,
            // The library has no specific error for most truncated files.
            _ => match record::parse(bytes) {
                Err(FbxError::CutOff) => FbxError::CutOff,
                _ => FbxError::Malformed {
                    detail: cut(&error.description, MAX_DETAIL),
                },
            },
        }
    })
}

/// Returns the animation of a stack; properties without curves keep the node's value.
///
/// By default, ufbx 0.11.5 gives such a property the value of the next element's first curves, if these are of the same property.
pub(super) fn animation(
    scene: &Scene,
    stack: &AnimStack,
    nodes: impl Iterator<Item = usize>,
) -> Result<AnimRoot, FbxError> {
    let mut held = Vec::new();
    for node in nodes {
        let node = &scene.nodes[node];
        for name in ["Lcl Scaling", "Lcl Translation"] {
            let mut layers = (&stack.layers).into_iter();
            let is_animated = layers.any(|layer| layer.find_anim_prop(&node.element, name).is_some());
            if let Some(prop) = node.element.props.find_prop(name).filter(|_| !is_animated) {
                held.push(PropOverrideDesc {
                    element_id: node.element.element_id,
                    prop_name: StringOpt::Ref(name),
                    value: prop.value_vec4,
                    value_int: prop.value_int,
                    ..PropOverrideDesc::default()
                });
            }
        }
    }
    let layers = (&stack.layers).into_iter().map(|layer| layer.element.typed_id);
    let options = AnimOpts {
        layer_ids: ListOpt::Owned(layers.collect()),
        prop_overrides: ListOpt::Owned(held),
        ..AnimOpts::default()
    };
    ufbx::create_anim(scene, options).map_err(|error| FbxError::Malformed {
        detail: cut(&error.description, MAX_DETAIL),
    })
}

/// Returns the index of a node in the scene's list.
pub(super) fn index(node: &Node) -> usize {
    node.element.typed_id as usize
}

/// Returns the number of an object in the file's connections, if the file's objects have numbers.
pub(super) fn object_id(element: &Element) -> Option<i64> {
    let value = element.dom_node.as_ref()?.values.first()?;
    (value.value_int != 0).then_some(value.value_int)
}

pub(super) fn vec3(v: ufbx::Vec3) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

pub(super) fn affine(m: &ufbx::Matrix) -> DAffine3 {
    DAffine3::from_cols_array(&[
        m.m00, m.m10, m.m20, m.m01, m.m11, m.m21, m.m02, m.m12, m.m22, m.m03, m.m13, m.m23,
    ])
}

/// Returns the rotation of a transform; the identity if the file's numbers are not valid.
pub(super) fn rotation(transform: &Transform) -> DQuat {
    let q = transform.rotation;
    let q = DQuat::from_xyzw(q.x, q.y, q.z, q.w);
    let length = q.length();
    if length.is_finite() && length > 0.5 {
        q / length
    } else {
        DQuat::IDENTITY
    }
}

/// The axes of a rotation order, the first outermost: in FBX the last letter is applied last.
pub(super) fn euler_axes(order: RotationOrder) -> [Axis; 3] {
    use Axis::{X, Y, Z};
    match order {
        RotationOrder::Xyz | RotationOrder::Spheric => [Z, Y, X],
        RotationOrder::Xzy => [Y, Z, X],
        RotationOrder::Yzx => [X, Z, Y],
        RotationOrder::Yxz => [Z, X, Y],
        RotationOrder::Zxy => [Y, X, Z],
        RotationOrder::Zyx => [X, Y, Z],
    }
}

/// The world transform of a node, in the file's own axes and unit, by its mode of inheriting scale.
///
/// The three modes: the parent's matrix as it is; the parent's scale removed from the child's axes but not from its position; and
/// the scales of parent and child multiplied component by component. A rotation is the product of the rotations alone, so that it
/// is defined even where scales shear.
#[handed_over(Copy)]
pub(super) struct World {
    pub matrix: DAffine3,
    unscaled: DAffine3,
    /// Scale of the translation of children in the other two modes.
    inherit_scale: DVec3,
    /// Scale that a child inherits from its parent.
    handed_scale: DVec3,
    pub rotation: DQuat,
}

impl World {
    /// The scene itself.
    pub(super) const SCENE: Self = Self {
        matrix: DAffine3::IDENTITY,
        unscaled: DAffine3::IDENTITY,
        inherit_scale: DVec3::ONE,
        handed_scale: DVec3::ONE,
        rotation: DQuat::IDENTITY,
    };

    /// Returns the world transform of a child with the given local transform.
    pub(super) fn child(&self, mode: InheritMode, local: &Transform) -> Self {
        let (turn, scale) = (rotation(local), vec3(local.scale));
        let translation = vec3(local.translation);
        let rotation = self.rotation * turn;
        let shifted = translation * self.inherit_scale;
        let (base, shift, handed_scale) = match mode {
            InheritMode::Normal => (self.matrix, translation, DVec3::ONE),
            InheritMode::IgnoreParentScale => (self.unscaled, shifted, self.handed_scale),
            InheritMode::ComponentwiseScale => (self.unscaled, shifted, self.inherit_scale),
        };
        let full_scale = scale * handed_scale;
        Self {
            matrix: base * DAffine3::from_scale_rotation_translation(full_scale, turn, shift),
            unscaled: base * DAffine3::from_rotation_translation(turn, shift),
            inherit_scale: full_scale,
            handed_scale,
            rotation,
        }
    }

    /// Returns the local translation of a child at `position` in the world.
    pub(super) fn local_translation(&self, mode: InheritMode, position: DVec3) -> DVec3 {
        match mode {
            InheritMode::Normal => self.matrix.inverse().transform_point3(position),
            InheritMode::IgnoreParentScale | InheritMode::ComponentwiseScale => {
                self.unscaled.inverse().transform_point3(position) / self.inherit_scale
            }
        }
    }

    pub(super) fn position(&self) -> DVec3 {
        self.matrix.translation
    }

    /// Returns its position in the axes of its parent, or in those of the scene.
    pub(super) fn offset_from(&self, parent: Option<&Self>) -> DVec3 {
        parent.map_or(self.position(), |parent| {
            parent.rotation.conjugate() * (self.position() - parent.position())
        })
    }
}

/// Returns the rotation from a file's axes to ours, and the up axis; `None` if the file states no axes.
///
/// Left-handed axes cannot be rotated to ours: then only the up axis is used, and the second value is true.
pub(super) fn stated_axes(scene: &Scene) -> Option<(Up, DQuat, bool)> {
    let axes = &scene.settings.axes;
    let [right, up_axis, front] = [direction(axes.right)?, direction(axes.up)?, direction(axes.front)?];
    let file_from_ours = DMat3::from_cols(right.unit(), up_axis.unit(), front.unit());
    if file_from_ours.determinant() > 0.5 {
        Some((up_axis, DQuat::from_mat3(&file_from_ours.transpose()), false))
    } else {
        let space = crate::space::Space {
            up: up_axis,
            ..crate::space::Space::CENTIMETRES_Y_UP
        };
        Some((up_axis, space.turn(), true))
    }
}

/// Returns a direction; `None` if it is unknown. The library counts along X, against X, along Y and so on, and then unknown.
fn direction(axis: CoordinateAxis) -> Option<Up> {
    let number = axis as usize;
    Some(Up {
        axis: *Axis::ALL.get(number / 2)?,
        is_against: number % 2 == 1,
    })
}
