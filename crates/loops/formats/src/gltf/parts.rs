//! The parts of a glTF file that motion needs, as stated in the file, and its tree of nodes.
//!
//! Each part is read separately, so that an unusual material or an unknown extension does not prevent reading a file, and a fault
//! is reported with its position. The types of other libraries are stricter than the format: they require a node in every
//! channel, which channels of extensions do not have.

use glam::{DMat4, DQuat, DVec3};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::{container::Document, error::GltfError};
use crate::{
    excerpt::{cut, excerpt},
    limits::is_plausible,
    loop_file::json::reason,
};

/// Longest name of a joint.
pub(super) const MAX_NAME: usize = 200;

#[derive(Deserialize)]
pub(crate) struct Node {
    pub name: Option<String>,
    #[serde(default)]
    pub children: Vec<usize>,
    matrix: Option<[f64; 16]>,
    translation: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
    scale: Option<[f64; 3]>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
}

/// The local transform of a node: scale first, then rotation, then translation.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Transform {
    pub translation: DVec3,
    pub rotation: DQuat,
    pub scale: DVec3,
}

impl Transform {
    pub(crate) const IDENTITY: Self = Self {
        translation: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        scale: DVec3::ONE,
    };
}

impl Node {
    /// Returns its local transform at rest. Errors: it is not finite, or a rotation has length zero.
    pub(crate) fn transform(&self, node: usize) -> Result<Transform, GltfError> {
        let (translation, rotation, scale) = match self.matrix {
            Some(matrix) => {
                let (scale, rotation, translation) = DMat4::from_cols_array(&matrix).to_scale_rotation_translation();
                (translation, rotation, scale)
            }
            None => (
                DVec3::from_array(self.translation.unwrap_or([0.0; 3])),
                DQuat::from_array(self.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0])),
                DVec3::from_array(self.scale.unwrap_or([1.0; 3])),
            ),
        };
        if !(is_plausible(translation) && is_plausible(scale) && rotation.is_finite() && rotation.length() > 1e-6) {
            return Err(GltfError::Transform { node });
        }
        Ok(Transform {
            translation,
            rotation: rotation.normalize(),
            scale,
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Skin {
    pub name: Option<String>,
    pub joints: Vec<usize>,
    pub inverse_bind_matrices: Option<usize>,
}

#[derive(Deserialize)]
pub(crate) struct Animation {
    pub name: Option<String>,
    pub channels: Vec<Channel>,
    pub samplers: Vec<Sampler>,
}

/// The target of a sampler.
#[derive(Deserialize)]
pub(crate) struct Channel {
    pub sampler: usize,
    pub target: Target,
}

/// A property of a node, stated as such or by KHR_animation_pointer; extensions have other targets.
#[derive(Deserialize)]
#[serde(from = "StatedTarget")]
pub(crate) struct Target {
    pub node: Option<usize>,
    pub path: String,
}

/// The path of targets of KHR_animation_pointer.
pub(super) const POINTER: &str = "pointer";

#[derive(Deserialize)]
struct StatedTarget {
    node: Option<usize>,
    path: String,
    #[serde(default)]
    extensions: Value,
}

impl From<StatedTarget> for Target {
    fn from(stated: StatedTarget) -> Self {
        let StatedTarget { node, path, extensions } = stated;
        let pointer = extensions.pointer("/KHR_animation_pointer/pointer");
        let property = pointer
            .and_then(Value::as_str)
            .filter(|_| path == POINTER)
            .and_then(|pointer| {
                let (node, path) = pointer.strip_prefix("/nodes/")?.split_once('/')?;
                let is_of_node = matches!(path, "translation" | "rotation" | "scale" | "weights");
                Some((node.parse().ok().filter(|_| is_of_node)?, path.to_owned()))
            });
        match property {
            Some((node, path)) => Self { node: Some(node), path },
            None => Self { node, path },
        }
    }
}

/// Keys over time.
#[derive(Deserialize)]
pub(crate) struct Sampler {
    pub input: usize,
    pub output: usize,
    #[serde(default)]
    pub interpolation: Interpolation,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Interpolation {
    /// The value of the previous key.
    Step,
    /// A straight line, or the shortest rotation.
    #[default]
    Linear,
    /// Cubic curves with the tangents stored beside the keys.
    CubicSpline,
}

impl Interpolation {
    /// Returns the number of elements that stand for a key.
    pub(super) fn per_key(self) -> usize {
        if self == Self::CubicSpline { 3 } else { 1 }
    }
}

/// One part of a list. Errors: the part is missing, or not of that form.
pub(crate) fn part<T: DeserializeOwned>(
    document: &Document,
    list: &str,
    index: usize,
    asked_by: &str,
) -> Result<T, GltfError> {
    let all = document.list(list);
    let value = all
        .get(index)
        .ok_or_else(|| GltfError::no_such(asked_by.to_owned(), index, all.len()))?;
    form(value, || format!("{list}[{index}]"))
}

pub(crate) fn parts<T: DeserializeOwned>(document: &Document, list: &str) -> Result<Vec<T>, GltfError> {
    let all = document.list(list).iter().enumerate();
    all.map(|(index, value)| form(value, || format!("{list}[{index}]")))
        .collect()
}

/// Reads a part at a position. Errors: it has another form.
pub(super) fn form<T: DeserializeOwned>(value: &Value, at: impl Fn() -> String) -> Result<T, GltfError> {
    if !value.is_object() {
        return Err(GltfError::form(at(), "expected an object"));
    }
    T::deserialize(value).map_err(|error| GltfError::form(at(), excerpt(reason(&error))))
}

/// Rejects other versions of the format.
pub(crate) fn check_version(document: &Document) -> Result<(), GltfError> {
    let version = document.json.pointer("/asset/version").and_then(Value::as_str);
    match version {
        Some(version) if version.starts_with("2.") => Ok(()),
        _ => Err(GltfError::Version {
            found: version.map_or_else(|| "of no stated version".to_owned(), excerpt),
        }),
    }
}

pub(crate) struct Nodes {
    pub nodes: Vec<Node>,
    pub transforms: Vec<Transform>,
    pub parents: Vec<Option<usize>>,
}

impl Nodes {
    /// Reads the tree. Errors: a transform is invalid, a child is missing, a node has two parents or is its own descendant.
    pub(crate) fn read(document: &Document) -> Result<Self, GltfError> {
        let nodes: Vec<Node> = parts(document, "nodes")?;
        let transforms = nodes
            .iter()
            .enumerate()
            .map(|(index, node)| node.transform(index))
            .collect::<Result<_, _>>()?;
        let mut parents = vec![None; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            for &child in &node.children {
                let parent = parents
                    .get_mut(child)
                    .ok_or_else(|| GltfError::no_such(format!("nodes[{index}].children"), child, nodes.len()))?;
                if let Some(first) = parent.replace(index) {
                    return Err(GltfError::TwoParents {
                        node: child,
                        first,
                        second: index,
                    });
                }
            }
        }
        let all = Self {
            nodes,
            transforms,
            parents,
        };
        // With at most one parent each, nodes that no root reaches form a cycle.
        let mut reached = vec![false; all.nodes.len()];
        for node in all.depth_first(all.roots()) {
            reached[node] = true;
        }
        match reached.iter().position(|reached| !reached) {
            Some(node) => Err(GltfError::Cycle { node }),
            None => Ok(all),
        }
    }

    /// Returns the nodes without a parent.
    pub(crate) fn roots(&self) -> Vec<usize> {
        (0..self.nodes.len())
            .filter(|&node| self.parents[node].is_none())
            .collect()
    }

    /// Nodes at and below the given ones, each right after its parent's earlier branches.
    pub(crate) fn depth_first(&self, start: Vec<usize>) -> Vec<usize> {
        let (mut open, mut order) = (start, Vec::new());
        open.reverse();
        while let Some(node) = open.pop() {
            order.push(node);
            open.extend(self.nodes[node].children.iter().rev());
        }
        order
    }

    /// Returns the nodes above one, nearest first.
    pub(crate) fn above(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        core::iter::successors(self.parents[node], |&above| self.parents[above])
    }

    /// Returns the name of a node, generated if it has none.
    pub(crate) fn name(&self, node: usize) -> String {
        match self.nodes[node].name.as_deref() {
            Some(name) if !name.trim().is_empty() => name.to_owned(),
            _ => format!("node{node}"),
        }
    }

    /// Returns the name of the joint at a node.
    pub(crate) fn joint_name(&self, node: usize) -> String {
        cut(&self.name(node), MAX_NAME)
    }
}
