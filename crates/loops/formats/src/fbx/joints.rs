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
#[derive(Clone, Copy, Debug)]
pub(super) enum SkeletonChoice<'a> {
    /// Of those that move that of most bones.
    Largest,
    /// The one whose highest node or first bone has this name, or where there is none that of this number, from 0.
    Given(&'a str),
    /// The one of that number among those of the scene, from 0.
    Number(usize),
}

/// The joints of a take: nodes of the scene, parents before children, each with its children behind it.
pub(super) struct Joints {
    /// Nodes above the first joint, from the scene's root down; they are not animated.
    pub(super) above: Vec<usize>,
    /// Indices in the scene's list of nodes.
    pub(super) nodes: Vec<usize>,
    /// Parents as indices in `nodes`.
    pub(super) parents: Vec<Option<usize>>,
    pub(super) names: Vec<String>,
    /// The number of its skeleton among those of the scene.
    pub(super) skeleton: usize,
}

/// Selects the joints.
///
/// Candidates are bones and nodes that carry a skin; without any, nodes with animation. Of several trees the one that is chosen, or that with
/// most bones, is taken. The first joint is the lowest node above all of its bones, or the highest node above that which `moves` or was added
/// as a root. Joints are all nodes from there down to bones.
pub(super) fn choose(
    scene: &Scene,
    stack: Option<&AnimStack>,
    moves: impl Fn(&Node) -> bool,
    wanted: SkeletonChoice<'_>,
    warnings: &mut Vec<FileWarning>,
) -> Result<Joints, FbxError> {
    let marked = bones(scene, stack);
    if !marked.contains(&true) {
        return Err(FbxError::NoSkeleton);
    }
    // Nodes are sorted by depth, so a pass from the end has a node's sum ready before its parent's.
    let parent = |node: usize| scene.nodes[node].parent.as_ref().map(|parent| scene::index(parent));
    let mut num_bones: Vec<usize> = marked.iter().map(|&marked| usize::from(marked)).collect();
    for node in (1..num_bones.len()).rev() {
        if let Some(parent) = parent(node) {
            num_bones[parent] += num_bones[node];
        }
    }
    let scene_root = scene::index(&scene.root_node);
    let children = |node: usize| scene.nodes[node].children.iter().map(|child| scene::index(child));
    let first_bone = |top: usize| {
        let mut root = top;
        while !marked[root] {
            let mut below = children(root).filter(|&child| num_bones[child] > 0);
            match (below.next(), below.next()) {
                (Some(only), None) => root = only,
                _ => break,
            }
        }
        root
    };
    let tops: Vec<usize> = children(scene_root).filter(|&node| num_bones[node] > 0).collect();
    let names = || {
        tops.iter()
            .map(|&top| shown_name(&scene.nodes[top]))
            .collect::<Vec<_>>()
    };
    // A loop of the smaller of two skeletons moves that alone.
    let is_moved = |top: usize| {
        tops.len() > 1 && below_of(scene, top).any(|node| num_bones[node] > 0 && moves(&scene.nodes[node]))
    };
    let largest = || {
        (0..tops.len()).max_by_key(|&number| {
            (
                is_moved(tops[number]),
                num_bones[tops[number]],
                core::cmp::Reverse(number),
            )
        })
    };
    let skeleton = match wanted {
        SkeletonChoice::Largest => largest().ok_or(FbxError::NoSkeleton)?,
        SkeletonChoice::Number(number) => number.min(tops.len().saturating_sub(1)),
        SkeletonChoice::Given(wanted) => {
            let is_named = |node: usize| &*scene.nodes[node].element.name == wanted;
            let of_top = tops.iter().position(|&top| is_named(top));
            let found = of_top
                .or_else(|| tops.iter().position(|&top| is_named(first_bone(top))))
                .or_else(|| wanted.parse().ok().filter(|&number: &usize| number < tops.len()));
            found.ok_or_else(|| FbxError::NoSuchSkeleton {
                wanted: cut(wanted, MAX_NAME),
                names: names(),
            })?
        }
    };
    let top = *tops.get(skeleton).ok_or(FbxError::NoSkeleton)?;
    let left_out = num_bones[scene_root] - num_bones[top];
    if left_out > 0 && matches!(wanted, SkeletonChoice::Largest) {
        warnings.push(FileWarning::OtherSkeletons {
            taken: shown_name(&scene.nodes[top]),
            names: names(),
            count: left_out,
        });
    }
    let mut root = first_bone(top);
    let mut above = Vec::new();
    let mut next = parent(root);
    while let Some(node) = next.filter(|&node| node != scene_root) {
        above.push(node);
        next = parent(node);
    }
    above.reverse();
    let is_added = |node: &Node| node.element.props.find_prop(ADDED_ROOT).is_some();
    let is_joint = |node: &Node| moves(node) || is_added(node);
    if let Some(first) = above.iter().position(|&node| is_joint(&scene.nodes[node])) {
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
        let below: Vec<usize> = children(node).filter(|&child| num_bones[child] > 0).collect();
        let joint = joints.nodes.len();
        open.extend(below.into_iter().rev().map(|child| (child, Some(joint))));
        joints.nodes.push(node);
        joints.parents.push(parent);
        joints.names.push(shown_name(&scene.nodes[node]));
    }
    make_unique(&mut joints.names, warnings);
    Ok(joints)
}

/// A node and all below it.
fn below_of(scene: &Scene, top: usize) -> impl Iterator<Item = usize> + '_ {
    let mut open = vec![top];
    core::iter::from_fn(move || {
        let node = open.pop()?;
        open.extend(scene.nodes[node].children.iter().map(|child| scene::index(child)));
        Some(node)
    })
}

/// For every node, whether it is a bone.
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
                let is_seen = matches!(
                    prop.element.type_,
                    ElementType::Node if matches!(&*prop.prop_name, "Lcl Translation" | "Lcl Rotation")
                );
                let node = prop.element.typed_id as usize;
                if is_seen && !scene.nodes[node].is_root && !is_onlooker(&scene.nodes[node]) {
                    marked[node] = true;
                }
            }
        }
    }
    marked
}

/// Cameras and lights move, but are not bodies.
fn is_onlooker(node: &Node) -> bool {
    matches!(
        node.attrib_type,
        ElementType::Camera | ElementType::Light | ElementType::CameraSwitcher | ElementType::StereoCamera
    )
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
