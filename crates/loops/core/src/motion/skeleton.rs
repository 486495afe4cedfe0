//! The tree of joints, checked once at construction.

use std::collections::BTreeMap;

use glam::DVec3;

use super::Hinges;
use crate::names;

/// One joint of a skeleton.
#[handed_over]
pub struct Joint {
    /// Name as in the source; not necessarily unique.
    pub name: String,
    /// Index of the parent, always lower than the joint's own; `None` for the root alone.
    pub parent: Option<usize>,
    /// Offset from the parent in the parent's axes, metres, as the source states it for the rest pose.
    pub rest_offset: DVec3,
    /// End of a leaf joint's bone, metres in the joint's axes; `None` if unknown or for inner joints.
    pub tip: Option<DVec3>,
    /// Its part of the body, if its name does not state it.
    pub part: Option<Part>,
}

/// The body part of a joint, in the words of joint names, such as "LeftForeArm".
#[handed_over(Eq)]
pub enum Part {
    /// Stated by the file beside the name.
    Stated(String),
    /// Guessed from shape and motion.
    Guessed(String),
}

impl Joint {
    /// Returns the name by which parts of the body are found: its part if known, else its own name.
    pub fn says(&self) -> &str {
        match &self.part {
            Some(Part::Stated(part) | Part::Guessed(part)) => part,
            None => &self.name,
        }
    }

    /// Creates a joint without a tip.
    pub fn new(name: impl Into<String>, parent: Option<usize>, rest_offset: DVec3) -> Self {
        Self {
            name: name.into(),
            parent,
            rest_offset,
            tip: None,
            part: None,
        }
    }
}

/// Why a list of joints is not a skeleton.
#[error_kinds]
pub enum SkeletonError {
    #[error("the skeleton has no joints")]
    Empty,
    #[error("joint {joint} has parent {parent}, which does not come before it")]
    ParentNotBefore { joint: usize, parent: usize },
    #[error("joint {joint} has no parent, but joint 0 is the root already")]
    SecondRoot { joint: usize },
    #[error("joint 0 must be the root")]
    FirstIsNotRoot,
    #[error("the offset or tip of joint {joint} is not finite")]
    NotFinite { joint: usize },
}

/// A tree of joints, parents before children, with one root at index 0.
#[handed_over]
pub struct Skeleton {
    joints: Vec<Joint>,
    children: Vec<Vec<usize>>,
    hinges: Option<Box<Hinges>>,
}

impl Skeleton {
    /// Checks and keeps a list of joints.
    ///
    /// Afterwards: at least one joint; joint 0 is the only one without a parent; every parent has a lower index than its
    /// children; every offset is finite. Errors name the first of these that fails.
    pub fn new(joints: Vec<Joint>) -> Result<Self, SkeletonError> {
        if joints.is_empty() {
            return Err(SkeletonError::Empty);
        }
        let mut children = vec![Vec::new(); joints.len()];
        for (index, joint) in joints.iter().enumerate() {
            match joint.parent {
                None if index > 0 => return Err(SkeletonError::SecondRoot { joint: index }),
                None => {}
                Some(_) if index == 0 => return Err(SkeletonError::FirstIsNotRoot),
                Some(parent) if parent >= index => {
                    return Err(SkeletonError::ParentNotBefore { joint: index, parent });
                }
                Some(parent) => children[parent].push(index),
            }
            let finite = joint.rest_offset.is_finite() && joint.tip.is_none_or(DVec3::is_finite);
            if !finite {
                return Err(SkeletonError::NotFinite { joint: index });
            }
        }
        Ok(Self {
            joints,
            children,
            hinges: None,
        })
    }

    /// Returns the number of joints, at least one.
    pub fn num_joints(&self) -> usize {
        self.joints.len()
    }

    /// Returns all joints, parents before children.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// One joint.
    ///
    /// # Panics
    /// When `joint` is not below [`Self::num_joints`].
    pub fn joint(&self, joint: usize) -> &Joint {
        &self.joints[joint]
    }

    /// Returns the name of a joint.
    ///
    /// # Panics
    /// When `joint` is not below [`Self::num_joints`].
    pub(crate) fn name_of(&self, joint: usize) -> String {
        self.joint(joint).name.clone()
    }

    /// Returns the parent of a joint, `None` for the root.
    pub fn parent(&self, joint: usize) -> Option<usize> {
        self.joints[joint].parent
    }

    /// Children of a joint, in order.
    pub fn children(&self, joint: usize) -> &[usize] {
        &self.children[joint]
    }

    /// Returns the first joint of exactly that name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// Returns all joints whose whole name matches a pattern: `*` matches any letters, including none, and `?` any one letter.
    pub fn joints_matching(&self, pattern: &str) -> Vec<usize> {
        (0..self.num_joints())
            .filter(|&joint| names::matches(pattern, &self.joint(joint).name))
            .collect()
    }

    /// Returns the joint and its ancestors, from the root down to the joint itself.
    pub fn path_from_root(&self, joint: usize) -> Vec<usize> {
        let mut path = vec![joint];
        while let Some(parent) = self.joints[path[path.len() - 1]].parent {
            path.push(parent);
        }
        path.reverse();
        path
    }

    /// Returns a joint and all that hang from it: itself first, each before its children.
    pub fn self_and_below(&self, joint: usize) -> Vec<usize> {
        let mut joints = vec![joint];
        let mut at = 0;
        while let Some(&above) = joints.get(at) {
            joints.extend(self.children(above));
            at += 1;
        }
        joints
    }

    /// Returns how far it is from each joint to the farthest end below it, its own tip included, along bones of these lengths.
    pub(crate) fn reaches(&self, bone: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut reach = vec![0.0_f64; self.num_joints()];
        for joint in (0..reach.len()).rev() {
            let tip = self.joint(joint).tip.map_or(0.0, DVec3::length);
            reach[joint] = reach[joint].max(tip);
            if let Some(parent) = self.parent(joint) {
                reach[parent] = reach[parent].max(reach[joint] + bone(joint));
            }
        }
        reach
    }

    /// Returns all joints, each right after its parent's earlier branches.
    fn depth_first(&self) -> Vec<usize> {
        let (mut order, mut open) = (Vec::with_capacity(self.num_joints()), vec![0]);
        while let Some(joint) = open.pop() {
            order.push(joint);
            open.extend(self.children(joint).iter().rev());
        }
        order
    }

    /// Returns for each joint the joint of another tree that has the same name below the same parent; if several do, the nth for the nth.
    ///
    /// If a name is missing, two trees of the same shape are matched branch by branch: some files cannot hold every name. Errors: the first
    /// joint that the other tree lacks.
    pub fn joints_in(&self, other: &Self) -> Result<Vec<usize>, usize> {
        let mut named: BTreeMap<(Option<usize>, &str), Vec<usize>> = BTreeMap::new();
        for (index, joint) in other.joints.iter().enumerate().rev() {
            named.entry((joint.parent, &joint.name)).or_default().push(index);
        }
        let mut found: Vec<usize> = Vec::with_capacity(self.num_joints());
        for (index, joint) in self.joints.iter().enumerate() {
            let namesakes = named.get_mut(&(joint.parent.map(|parent| found[parent]), &*joint.name));
            match namesakes.and_then(Vec::pop) {
                Some(namesake) => found.push(namesake),
                None => return self.branches_in(other).ok_or(index),
            }
        }
        Ok(found)
    }

    /// Returns for each joint the one at its place in another tree; `None` if their shapes differ.
    fn branches_in(&self, other: &Self) -> Option<Vec<usize>> {
        let mut found = vec![0; self.num_joints()];
        for (joint, place) in self.depth_first().into_iter().zip(other.depth_first()) {
            found[joint] = place;
        }
        let is_below = |joint: usize| other.parent(found[joint]) == self.parent(joint).map(|parent| found[parent]);
        (self.num_joints() == other.num_joints() && (0..found.len()).all(is_below)).then_some(found)
    }

    /// Returns the last joint on the paths from the root to all of some joints; `None` without joints.
    pub fn last_shared(&self, joints: impl IntoIterator<Item = usize>) -> Option<usize> {
        let paths = joints.into_iter().map(|joint| self.path_from_root(joint));
        let shared = paths.reduce(|one, other| {
            let same = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
            one[..same].to_vec()
        });
        shared?.last().copied()
    }

    /// Whether a joint is `above` or hangs from it.
    pub(crate) fn is_within(&self, joint: usize, above: usize) -> bool {
        core::iter::successors(Some(joint), |&here| self.parent(here))
            .take_while(|&here| here >= above)
            .any(|here| here == above)
    }

    /// Returns the tree below a new root with this name, at the same place.
    #[must_use]
    pub fn below_root(&self, name: &str) -> Self {
        let root = Joint::new(name, None, DVec3::ZERO);
        let below = self.joints.iter().cloned().map(|joint| Joint {
            parent: Some(joint.parent.map_or(0, |parent| parent + 1)),
            ..joint
        });
        let children = self
            .children
            .iter()
            .map(|children| children.iter().map(|child| child + 1).collect());
        Self {
            joints: core::iter::once(root).chain(below).collect(),
            children: core::iter::once(vec![1]).chain(children).collect(),
            hinges: None,
        }
    }

    /// Returns the tree with the body parts of its joints, one entry for each; further entries are ignored.
    #[must_use]
    pub fn with_parts(mut self, parts: impl IntoIterator<Item = Option<Part>>) -> Self {
        for (joint, part) in self.joints.iter_mut().zip(parts) {
            joint.part = part;
        }
        self
    }

    /// Returns the tree with the ends of its joints' bones, metres in the joints' axes: one entry for each; further ones are ignored, and
    /// those that are not finite are unknown.
    #[must_use]
    pub fn with_tips(mut self, tips: impl IntoIterator<Item = Option<DVec3>>) -> Self {
        for (joint, tip) in self.joints.iter_mut().zip(tips) {
            joint.tip = tip.filter(|tip| tip.is_finite());
        }
        self
    }

    /// Returns the tree as that of a robot; `hinges` has an entry for each joint.
    #[must_use]
    pub fn with_hinges(self, hinges: Hinges) -> Self {
        Self {
            hinges: Some(Box::new(hinges)),
            ..self
        }
    }

    /// Returns the hinges and feet of a robot.
    pub fn hinges(&self) -> Option<&Hinges> {
        self.hinges.as_deref()
    }

    /// Returns the tree with every length multiplied by `factor`, which must be finite.
    pub fn scaled(&self, factor: f64) -> Self {
        let mut scaled = self.clone();
        for joint in &mut scaled.joints {
            joint.rest_offset *= factor;
            joint.tip = joint.tip.map(|tip| tip * factor);
        }
        scaled.hinges = scaled.hinges.map(|hinges| Box::new(hinges.scaled(factor)));
        scaled
    }
}

/// The first difference between two skeletons.
#[error_kinds(Eq)]
pub enum SkeletonDifference {
    /// The numbers of joints differ.
    #[error("{found} joints instead of {expected}")]
    Count { expected: usize, found: usize },
    #[error("joint {joint} is \"{found}\" instead of \"{expected}\"")]
    Name {
        joint: usize,
        expected: String,
        found: String,
    },
    #[error("joint {joint}, \"{name}\", has another parent")]
    Parent { joint: usize, name: String },
}

impl SkeletonDifference {
    /// Returns the first difference between two trees of named joints. Lengths of bones may differ, since motion is blended
    /// joint by joint.
    pub fn between(first: &Skeleton, other: &Skeleton) -> Option<Self> {
        let (expected, found) = (first.num_joints(), other.num_joints());
        if expected != found {
            return Some(Self::Count { expected, found });
        }
        let joints = first.joints().iter().zip(other.joints()).enumerate();
        joints.into_iter().find_map(|(joint, (one, other))| {
            if one.name != other.name {
                Some(Self::Name {
                    joint,
                    expected: one.name.clone(),
                    found: other.name.clone(),
                })
            } else if one.parent != other.parent {
                Some(Self::Parent {
                    joint,
                    name: one.name.clone(),
                })
            } else {
                None
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(name: &str, parent: Option<usize>) -> Joint {
        Joint::new(name, parent, DVec3::Y)
    }

    #[test]
    fn refuses_joints_that_are_not_a_tree() {
        assert_eq!(Skeleton::new(Vec::new()), Err(SkeletonError::Empty));
        let second = Skeleton::new(vec![joint("a", None), joint("b", None)]);
        assert_eq!(second, Err(SkeletonError::SecondRoot { joint: 1 }));
        let own = Skeleton::new(vec![joint("a", None), joint("b", Some(1))]);
        assert_eq!(own, Err(SkeletonError::ParentNotBefore { joint: 1, parent: 1 }));
        assert_eq!(
            Skeleton::new(vec![joint("a", Some(0))]),
            Err(SkeletonError::FirstIsNotRoot)
        );
        let mut bad = joint("a", None);
        bad.tip = Some(DVec3::NAN);
        assert_eq!(Skeleton::new(vec![bad]), Err(SkeletonError::NotFinite { joint: 0 }));
    }

    #[test]
    fn paths_run_from_the_root() {
        let tree = Skeleton::new(vec![
            joint("a", None),
            joint("b", Some(0)),
            joint("c", Some(1)),
            joint("d", Some(0)),
        ]);
        let tree = tree.unwrap();
        assert_eq!(tree.path_from_root(2), [0, 1, 2]);
        assert_eq!(tree.children(0), [1, 3]);
        assert_eq!(tree.find("d"), Some(3));
    }

    #[test]
    fn joints_are_matched_by_name_and_else_by_shape() {
        let tree = |joints: &[(&str, Option<usize>)]| {
            Skeleton::new(joints.iter().map(|(name, parent)| joint(name, *parent)).collect()).unwrap()
        };
        let wide = [
            ("hips", None),
            ("l", Some(0)),
            ("r", Some(0)),
            ("foot", Some(1)),
            ("foot", Some(2)),
            ("toe", Some(4)),
        ];
        let deep = [
            ("hips", None),
            ("r", Some(0)),
            ("foot", Some(1)),
            ("toe", Some(2)),
            ("l", Some(0)),
            ("foot", Some(4)),
        ];
        let (wide, deep) = (tree(&wide), tree(&deep));
        assert_eq!(wide.joints_in(&deep), Ok(vec![0, 4, 1, 5, 2, 3]));
        assert_eq!(wide.depth_first(), [0, 1, 3, 2, 4, 5]);
        // The same shape with one name replaced, and another shape.
        let renamed = [
            ("hips", None),
            ("_", Some(0)),
            ("foot", Some(1)),
            ("r", Some(0)),
            ("foot", Some(3)),
            ("toe", Some(4)),
        ];
        assert_eq!(wide.joints_in(&tree(&renamed)), Ok(vec![0, 1, 3, 2, 4, 5]));
        assert_eq!(wide.joints_in(&tree(&renamed[..5])), Err(1));
        assert_eq!(tree(&[("hips", None), ("l", Some(0))]).joints_in(&wide), Ok(vec![0, 1]));
    }
}
