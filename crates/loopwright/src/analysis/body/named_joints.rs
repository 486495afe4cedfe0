//! The joints of a skeleton by what their names say, those that only steer the rig apart.

use super::{
    Foot, FoundBy, Side, controls,
    names::{CONTROL_WORDS, JointName, Part},
};
use crate::motion::Skeleton;

/// The joints of a skeleton with what their names say.
pub(super) struct NamedJoints {
    names: Vec<JointName>,
    /// Whether each joint only steers the rig; such a joint is no part of the body.
    is_control: Vec<bool>,
}

impl NamedJoints {
    pub(super) fn of(skeleton: &Skeleton) -> Self {
        let names: Vec<JointName> = (skeleton.joints().iter())
            .map(|joint| JointName::of(&joint.name))
            .collect();
        let is_control = controls::find(skeleton, &names);
        Self { names, is_control }
    }

    /// What the name of a joint says.
    pub(super) fn name(&self, joint: usize) -> &JointName {
        &self.names[joint]
    }

    /// Whether a joint only steers the rig.
    pub(super) fn is_control(&self, joint: usize) -> bool {
        self.is_control[joint]
    }

    /// The joints that only steer the rig, in order.
    pub(super) fn controls(&self) -> Vec<usize> {
        (0..self.names.len()).filter(|&joint| self.is_control[joint]).collect()
    }

    /// A joint's children that are part of the body.
    pub(super) fn children<'a>(&'a self, skeleton: &'a Skeleton, joint: usize) -> impl Iterator<Item = usize> + 'a {
        (skeleton.children(joint).iter().copied()).filter(|&child| !self.is_control[child])
    }

    /// The first joint of a part and side, one whose name does not speak of controls if there is one.
    fn first(&self, part: Part, side: Option<Side>) -> Option<usize> {
        let mut found = (0..self.names.len()).filter(|&joint| {
            let name = &self.names[joint];
            !self.is_control[joint] && name.part() == Some(part) && name.side() == side
        });
        let first = found.next()?;
        let speaks_of_controls = |joint: usize| CONTROL_WORDS.iter().any(|word| self.names[joint].has(word));
        let plain = core::iter::once(first)
            .chain(found)
            .find(|&joint| !speaks_of_controls(joint));
        Some(plain.unwrap_or(first))
    }

    pub(super) fn sided(&self, part: Part, side: Side) -> Option<usize> {
        self.first(part, Some(side))
    }

    pub(super) fn unsided(&self, part: Part) -> Option<usize> {
        self.first(part, None)
    }

    pub(super) fn side_of(&self, joint: usize) -> Option<Side> {
        self.names[joint].side()
    }

    /// The first joint somewhere below `above` that `is_wanted`.
    pub(super) fn below(
        &self,
        skeleton: &Skeleton,
        above: usize,
        is_wanted: impl Fn(&JointName) -> bool,
    ) -> Option<usize> {
        let mut is_below = vec![false; self.names.len()];
        is_below[above] = true;
        (above + 1..self.names.len()).find(|&joint| {
            is_below[joint] = skeleton.parent(joint).is_some_and(|parent| is_below[parent]);
            is_below[joint] && !self.is_control[joint] && is_wanted(&self.names[joint])
        })
    }

    /// The joint from which both legs hang, whatever its name; else the joint named as hips, else the first.
    pub(super) fn hips(&self, skeleton: &Skeleton, feet: &[Foot], found_by: FoundBy) -> usize {
        if feet.len() >= 2 && found_by != FoundBy::AllLeaves {
            let paths: Vec<Vec<usize>> = feet.iter().map(|foot| skeleton.path_from_root(foot.ankle)).collect();
            let common = paths[0]
                .iter()
                .take_while(|joint| paths.iter().all(|path| path.contains(joint)))
                .last();
            if let Some(&common) = common {
                return common;
            }
        }
        self.unsided(Part::Hips).unwrap_or(0)
    }
}
