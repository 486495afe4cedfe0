//! Selects the nodes of a scene that are the joints of a take.

use std::collections::{HashMap, HashSet};

use ufbx::{AnimStack, ElementType, Node, Scene};

use super::{error::FbxError, scene};
use crate::{excerpt::cut, warning::FileWarning};

/// Most characters of a joint's name; longer ones are truncated.
const MAX_NAME: usize = 120;

/// A property of added roots, so that they are joints even if they are not bones and do not move.
pub(super) const ADDED_ROOT: &str = "LoopwrightRoot";

/// Which of several skeletons of a scene is read.
pub(super) enum SkeletonChoice<'a> {
    /// The skeleton with most bones, of those that move.
    Largest,
    /// The skeleton whose highest node or first bone has this name, or else the one with this number, from 0.
    Given(&'a str),
    /// The skeleton with that number, from 0.
    Number(usize),
}

/// The joints of a take: nodes of the scene, parents before children, in depth-first order.
pub(super) struct Joints {
    /// Nodes above the first joint, from the scene's root down; they are not animated.
    pub above: Vec<usize>,
    /// Indices in the scene's list of nodes.
    pub nodes: Vec<usize>,
    /// Parents as indices in `nodes`.
    pub parents: Vec<Option<usize>>,
    pub names: Vec<String>,
    /// The number of its skeleton among those of the scene.
    pub skeleton: usize,
}

/// Selects the joints.
///
/// Candidates are bones and nodes that carry a skin; without any, animated nodes. Among several trees the chosen one is taken,
/// by default the one with most bones. The first joint is the lowest node above all of its bones, or the highest node above that
/// which `moves` or was added as a root. Joints are all nodes from there down to bones.
pub(super) fn choose(
    scene: &Scene,
    stack: Option<&AnimStack>,
    moves: impl Fn(&Node) -> bool,
    wanted: SkeletonChoice<'_>,
    warnings: &mut Vec<FileWarning>,
) -> Result<Joints, FbxError> {
    let bones = Bones::new(scene, stack);
    let scene_root = scene::index(&scene.root_node);
    let tops: Vec<usize> = bones.below(scene_root).collect();
    let Some(last) = tops.len().checked_sub(1) else {
        return Err(FbxError::NoSkeleton);
    };
    let skeleton = match wanted {
        SkeletonChoice::Largest => bones.largest(&tops, &moves),
        SkeletonChoice::Number(number) => number.min(last),
        SkeletonChoice::Given(wanted) => {
            let is_named = |node: usize| &*scene.nodes[node].element.name == wanted;
            let found = tops
                .iter()
                .position(|&top| is_named(top))
                .or_else(|| tops.iter().position(|&top| is_named(bones.first(top))))
                .or_else(|| wanted.parse().ok().filter(|&number| number <= last));
            found.ok_or_else(|| FbxError::NoSuchSkeleton {
                wanted: cut(wanted, MAX_NAME),
                names: shown_names(scene, &tops),
            })?
        }
    };
    let top = tops[skeleton];
    let left_out = bones.counts[scene_root] - bones.counts[top];
    if left_out > 0 && matches!(wanted, SkeletonChoice::Largest) {
        warnings.push(FileWarning::OtherSkeletons {
            taken: shown_name(&scene.nodes[top]),
            names: shown_names(scene, &tops),
            count: left_out,
        });
    }
    let mut root = bones.first(top);
    let above = core::iter::successors(parent(scene, root), |&node| parent(scene, node));
    let mut above: Vec<usize> = above.take_while(|&node| node != scene_root).collect();
    above.reverse();
    if let Some(first) = above.iter().position(|&node| {
        let node = &scene.nodes[node];
        moves(node) || node.element.props.find_prop(ADDED_ROOT).is_some()
    }) {
        root = above[first];
        above.truncate(first);
    }
    let mut joints = Joints {
        above,
        nodes: Vec::new(),
        parents: Vec::new(),
        names: Vec::new(),
        skeleton,
    };
    let mut open = vec![(root, None)];
    while let Some((node, parent)) = open.pop() {
        let below: Vec<usize> = bones.below(node).collect();
        let joint = joints.nodes.len();
        open.extend(below.into_iter().rev().map(|child| (child, Some(joint))));
        joints.nodes.push(node);
        joints.parents.push(parent);
        joints.names.push(shown_name(&scene.nodes[node]));
    }
    make_unique(&mut joints.names, warnings);
    Ok(joints)
}

/// The bones of a scene and their ancestors.
struct Bones<'a> {
    scene: &'a Scene,
    is_bone: Vec<bool>,
    /// Number of bones at and below each node.
    counts: Vec<usize>,
}

impl<'a> Bones<'a> {
    fn new(scene: &'a Scene, stack: Option<&AnimStack>) -> Self {
        let is_bone = bones(scene, stack);
        let mut counts: Vec<usize> = is_bone.iter().map(|&is_bone| usize::from(is_bone)).collect();
        // Nodes are sorted by depth, so a backward pass completes a node's sum before its parent's.
        for node in (1..counts.len()).rev() {
            if let Some(parent) = parent(scene, node) {
                counts[parent] += counts[node];
            }
        }
        Self { scene, is_bone, counts }
    }

    /// Lists the children of a node that are bones or have bones below them.
    fn below(&self, node: usize) -> impl Iterator<Item = usize> {
        let children = self.scene.nodes[node].children.iter().map(|child| scene::index(child));
        children.filter(|&child| self.counts[child] > 0)
    }

    /// Finds the first bone of a tree, or the node at which it branches before that.
    fn first(&self, top: usize) -> usize {
        let mut root = top;
        while !self.is_bone[root] {
            let mut below = self.below(root);
            match (below.next(), below.next()) {
                (Some(only), None) => root = only,
                _ => break,
            }
        }
        root
    }

    /// Selects the tree with most bones, preferably among those that move: a loop of the smaller of two skeletons moves only
    /// that one.
    fn largest(&self, tops: &[usize], moves: impl Fn(&Node) -> bool) -> usize {
        let largest = (0..tops.len()).max_by_key(|&number| {
            let is_moved = tops.len() > 1 && self.any_moves(tops[number], &moves);
            (is_moved, self.counts[tops[number]], core::cmp::Reverse(number))
        });
        largest.unwrap_or(0)
    }

    /// Whether a node moves, or one below it down to the bones.
    fn any_moves(&self, top: usize, moves: impl Fn(&Node) -> bool) -> bool {
        let mut open = vec![top];
        while let Some(node) = open.pop() {
            if moves(&self.scene.nodes[node]) {
                return true;
            }
            open.extend(self.below(node));
        }
        false
    }
}

fn parent(scene: &Scene, node: usize) -> Option<usize> {
    scene.nodes[node].parent.as_ref().map(|parent| scene::index(parent))
}

/// Returns for every node whether it is a bone.
fn bones(scene: &Scene, stack: Option<&AnimStack>) -> Vec<bool> {
    let nodes = scene.nodes.iter();
    let marked = nodes.map(|node| !node.is_root && node.attrib_type == ElementType::Bone);
    let mut marked: Vec<bool> = marked.collect();
    for cluster in &scene.skin_clusters {
        if let Some(node) = cluster.bone_node.as_ref().filter(|node| !node.is_root) {
            marked[scene::index(node)] = true;
        }
    }
    if !marked.contains(&true) {
        for layer in stack.iter().flat_map(|stack| &stack.layers) {
            for prop in &layer.anim_props {
                let is_of_node = prop.element.type_ == ElementType::Node;
                let is_seen = matches!(&*prop.prop_name, "Lcl Translation" | "Lcl Rotation");
                let node = prop.element.typed_id as usize;
                if is_of_node && is_seen && !scene.nodes[node].is_root && !is_onlooker(&scene.nodes[node]) {
                    marked[node] = true;
                }
            }
        }
    }
    marked
}

/// Whether a node is a camera or a light, which move but are not bodies.
fn is_onlooker(node: &Node) -> bool {
    matches!(
        node.attrib_type,
        ElementType::Camera | ElementType::Light | ElementType::CameraSwitcher | ElementType::StereoCamera
    )
}

fn shown_names(scene: &Scene, nodes: &[usize]) -> Vec<String> {
    nodes.iter().map(|&node| shown_name(&scene.nodes[node])).collect()
}

fn shown_name(node: &Node) -> String {
    cut(&node.element.name, MAX_NAME)
}

/// Gives every joint a unique name: a number is appended to names in use and to empty names.
fn make_unique(names: &mut [String], warnings: &mut Vec<FileWarning>) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for name in names.iter() {
        *counts.entry(name.clone()).or_default() += 1;
    }
    let mut taken: HashSet<String> = names.iter().cloned().collect();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for name in names.iter_mut() {
        let number = seen.entry(name.clone()).or_default();
        *number += 1;
        if *number == 1 && !name.is_empty() {
            if counts[name] > 1 {
                warnings.push(FileWarning::NamesNumbered {
                    name: name.clone(),
                    count: counts[name],
                });
            }
            continue;
        }
        let stem = if name.is_empty() { "joint" } else { name.as_str() };
        let free = loop {
            let tried = format!("{stem}_{number}");
            if taken.insert(tried.clone()) {
                break tried;
            }
            *number += 1;
        };
        *name = free;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_unique_and_say_so() {
        let mut names = ["a", "b", "a", "a_2", "", "a", ""].map(str::to_owned);
        let mut warnings = Vec::new();
        make_unique(&mut names, &mut warnings);
        assert_eq!(names, ["a", "b", "a_3", "a_2", "joint_1", "a_4", "joint_2"]);
        assert_eq!(
            warnings,
            [FileWarning::NamesNumbered {
                name: "a".to_owned(),
                count: 3
            }]
        );
    }
}
