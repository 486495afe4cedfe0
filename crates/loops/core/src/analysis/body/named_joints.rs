//! The joints of a skeleton by the meaning of their names, without those that only steer the rig.

use super::{
    Foot, FoundBy, Side, controls,
    names::{CONTROL_WORDS, JointName},
    vocabulary::{Meaning, Word},
};
use crate::motion::Skeleton;

/// The joints of a skeleton with the meaning of their names.
pub(super) struct NamedJoints<'a> {
    pub skeleton: &'a Skeleton,
    names: Vec<JointName>,
    /// Whether each joint only steers the rig and is not part of the body.
    is_control: Vec<bool>,
}

impl<'a> NamedJoints<'a> {
    pub(super) fn of(skeleton: &'a Skeleton) -> Self {
        let names: Vec<JointName> = skeleton
            .joints()
            .iter()
            .zip(Meaning::of_all(skeleton))
            .map(|(joint, meaning)| JointName::of(joint.says(), &meaning))
            .collect();
        let is_control = controls::find(skeleton, &names);
        Self {
            skeleton,
            names,
            is_control,
        }
    }

    pub(super) fn name(&self, joint: usize) -> &JointName {
        &self.names[joint]
    }

    /// Whether a joint only steers the rig.
    pub(super) fn is_control(&self, joint: usize) -> bool {
        self.is_control[joint]
    }

    /// Returns the joints that only steer the rig, in order.
    pub(super) fn controls(&self) -> Vec<usize> {
        (0..self.names.len()).filter(|&joint| self.is_control[joint]).collect()
    }

    /// Returns the joints of the body, in order.
    pub(super) fn body(&self) -> impl Iterator<Item = usize> {
        (0..self.names.len()).filter(|&joint| !self.is_control[joint])
    }

    /// Returns a joint's children that are part of the body.
    pub(super) fn children(&self, joint: usize) -> impl Iterator<Item = usize> {
        self.skeleton
            .children(joint)
            .iter()
            .copied()
            .filter(|&child| !self.is_control[child])
    }

    /// Whether no joint of the body is a child of this one.
    pub(super) fn is_leaf(&self, joint: usize) -> bool {
        self.children(joint).next().is_none()
    }

    fn all(&self, part: Word, side: Option<Side>) -> impl Iterator<Item = usize> {
        self.body()
            .filter(move |&joint| (self.names[joint].part, self.names[joint].side) == (Some(part), side))
    }

    fn first(&self, part: Word, side: Option<Side>) -> Option<usize> {
        let mut found = self.all(part, side).peekable();
        let first = *found.peek()?;
        let plain = found.find(|&joint| !self.names[joint].has_any(CONTROL_WORDS));
        Some(plain.unwrap_or(first))
    }

    pub(super) fn sided(&self, part: Word, side: Side) -> Option<usize> {
        self.first(part, Some(side))
    }

    pub(super) fn unsided(&self, part: Word) -> Option<usize> {
        self.first(part, None)
    }

    /// Returns the first joint of a part below `above`; the first at all if there is none.
    pub(super) fn unsided_below(&self, part: Word, above: usize) -> Option<usize> {
        let first = self.unsided(part)?;
        let mut found = core::iter::once(first).chain(self.all(part, None));
        found
            .find(|&joint| self.skeleton.is_within(joint, above))
            .or(Some(first))
    }

    /// Returns the joint of a part and side that carries most: a hand with its fingers rather than one beside it.
    pub(super) fn fullest(&self, part: Word, side: Side) -> Option<usize> {
        let first = self.first(part, Some(side))?;
        let counted = core::iter::once(first)
            .chain(self.all(part, Some(side)))
            .map(|joint| (joint, self.skeleton.self_and_below(joint).len()));
        let best = counted.reduce(|best, other| if other.1 > best.1 { other } else { best });
        best.map(|(joint, _)| joint)
    }

    /// Returns the joints of a part on the left and on the right, if there are both.
    pub(super) fn pair(&self, part: Word) -> Option<[usize; 2]> {
        Some([self.sided(part, Side::Left)?, self.sided(part, Side::Right)?])
    }

    /// Returns a foot that ends at its ankle.
    pub(super) fn foot(&self, ankle: usize) -> Foot {
        Foot {
            ankle,
            toe: None,
            side: self.names[ankle].side,
        }
    }

    /// Returns the first descendant of `above` that `is_wanted`.
    pub(super) fn below(&self, above: usize, is_wanted: impl Fn(&JointName) -> bool) -> Option<usize> {
        let mut is_below = vec![false; self.names.len()];
        is_below[above] = true;
        (above + 1..self.names.len()).find(|&joint| {
            is_below[joint] = self.skeleton.parent(joint).is_some_and(|parent| is_below[parent]);
            is_below[joint] && !self.is_control[joint] && is_wanted(&self.names[joint])
        })
    }

    /// Returns the joint that carries the legs, or the one above it that carries arms and head as well, if the first carries
    /// none.
    fn carrier_of_trunk(&self, legs: usize) -> usize {
        use Word::{Hand, Head, Neck, UpperArm};
        let [left, right] = Side::ALL.map(Some);
        let parts = [
            (Head, None),
            (Neck, None),
            (Hand, left),
            (Hand, right),
            (UpperArm, left),
            (UpperArm, right),
        ];
        let upper: Vec<usize> = parts
            .into_iter()
            .flat_map(|(part, side)| self.all(part, side))
            .collect();
        if upper.iter().any(|&joint| self.skeleton.is_within(joint, legs)) {
            return legs;
        }
        let highest = upper
            .first()
            .and_then(|&first| self.skeleton.last_shared([legs, first]));
        highest.unwrap_or(legs)
    }

    /// Returns the joint at which both legs and the upper body meet, whatever its name; else the joint named as hips, else the
    /// first.
    ///
    /// Some rigs have a pelvis that carries only the legs, beside the spine.
    pub(super) fn hips(&self, feet: &[Foot], found_by: FoundBy) -> usize {
        if feet.len() >= 2
            && found_by != FoundBy::AllLeaves
            && let Some(legs) = self.skeleton.last_shared(feet.iter().map(|foot| foot.ankle))
        {
            return self.carrier_of_trunk(legs);
        }
        self.unsided(Word::Hips).unwrap_or(0)
    }
}
