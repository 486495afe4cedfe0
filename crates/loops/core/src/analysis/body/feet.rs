//! Finds feet by name: up to eight legs of any animal.

use super::{Foot, Side, named_joints::NamedJoints, vocabulary::Word};
use crate::motion::Skeleton;

/// Numbers of feet of walking animals.
pub(super) const NUM_FEET: core::ops::RangeInclusive<usize> = 2..=8;

/// Forelegs whose ends are named as hands have at least this share of the hind legs' length; the arms of a kangaroo are shorter.
const FORELEG_SHARE: f64 = 0.6;

/// Finds the feet by their names, each pair left before right; empty if names do not give one to eight of them.
///
/// `bones` are the lengths of the joints' bones in any unit.
pub(super) fn find(named: &NamedJoints, bones: &[f64]) -> Vec<Foot> {
    let mut tops = topmost(named, |joint| named.name(joint).is_foot);
    if tops.is_empty() {
        let ends = leg_ends(named).into_iter();
        let feet = in_pairs(ends.map(|ankle| named.foot(ankle)).collect());
        return if NUM_FEET.contains(&feet.len()) {
            feet
        } else {
            Vec::new()
        };
    }
    if tops.len() == 2 {
        let ends = [tops[0], tops[1]].map(|top| foot_at(named, top, true).lowest_joint());
        tops.extend(standing_hands(named, ends, bones));
    }
    let has_many = tops.len() > 2;
    let feet = tops.iter().map(|&top| foot_at(named, top, has_many));
    in_pairs(feet.collect())
}

/// Returns the topmost wanted joints that are [`distinct`].
fn topmost(named: &NamedJoints, is_wanted: impl Fn(usize) -> bool) -> Vec<usize> {
    let skeleton = named.skeleton;
    let num_joints = skeleton.num_joints();
    // The body itself does not descend from a foot.
    let mut carries_core: Vec<bool> = (0..num_joints).map(|joint| named.name(joint).is_core()).collect();
    for joint in (1..num_joints).rev() {
        if let Some(parent) = skeleton.parent(joint) {
            carries_core[parent] |= carries_core[joint];
        }
    }
    let mut is_within = vec![false; num_joints];
    let topmost = (0..num_joints).filter(|&joint| {
        let is_below = skeleton.parent(joint).is_some_and(|parent| is_within[parent]);
        let is_one = !named.is_control(joint) && !carries_core[joint] && is_wanted(joint);
        is_within[joint] = is_below || is_one;
        is_one && !is_below
    });
    distinct(named, topmost)
}

/// Returns the first joint of each name, at most one more than there are feet; none without a side if others have one.
fn distinct(named: &NamedJoints, joints: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for joint in joints {
        if found.len() <= *NUM_FEET.end() && found.iter().all(|&other| !named.name(other).is_same(named.name(joint))) {
            found.push(joint);
        }
    }
    if found.iter().any(|&joint| named.name(joint).side.is_some()) {
        found.retain(|&joint| named.name(joint).side.is_some());
    }
    found
}

/// Returns the foot whose topmost joint is `top`: the ankle above the toes.
///
/// In bodies with two legs the topmost joint is the ankle. Others walk on their toes, and the joint named as ankle may be the
/// hock, half way up the leg: their ankle is the last joint above the toe.
fn foot_at(named: &NamedJoints, top: usize, has_many: bool) -> Foot {
    let toe = named.below(top, |name| name.is_toe && !name.is_end());
    let mut chain = vec![top];
    while let Some(next) = named.below(chain[chain.len() - 1], |name| name.is_foot && !name.is_end()) {
        chain.push(next);
    }
    if let Some(toe) = toe {
        let path = named.skeleton.path_from_root(toe);
        chain.retain(|joint| path.contains(joint));
    }
    let last = chain[chain.len() - 1];
    let (ankle, toe) = match (toe, chain.as_slice()) {
        (Some(toe), _) => (if has_many { last } else { top }, Some(toe)),
        (None, [.., above, toe]) if has_many => (*above, Some(*toe)),
        (None, [_, toe, ..]) => (top, Some(*toe)),
        (None, _) => (top, None),
    };
    Foot {
        ankle,
        toe,
        side: named.name(ankle).side.or(named.name(top).side),
    }
}

/// Returns the ends of legs whose joints have no other names: `leg_a_tip_l` of a spider.
fn leg_ends(named: &NamedJoints) -> Vec<usize> {
    topmost(named, |joint| {
        let name = named.name(joint);
        let hangs_from_leg = named
            .skeleton
            .parent(joint)
            .is_some_and(|parent| named.name(parent).is_leg());
        name.is_end() && hangs_from_leg && named.is_leaf(joint)
    })
}

/// Returns the last joints of legs that end without a foot, by name; empty if a foot is named, and if they are not two to eight.
pub(super) fn bare_legs(named: &NamedJoints) -> Vec<usize> {
    if named.body().any(|joint| named.name(joint).is_foot) {
        return Vec::new();
    }
    let ends = named
        .body()
        .filter(|&joint| named.name(joint).may_end_leg() && named.is_leaf(joint));
    let mut legs = distinct(named, ends);
    if !NUM_FEET.contains(&legs.len()) {
        legs.clear();
    }
    legs
}

/// Returns the feet of [`bare_legs`], each pair left before right.
pub(super) fn of_bare_legs(named: &NamedJoints) -> Vec<Foot> {
    let legs = bare_legs(named).into_iter();
    in_pairs(legs.map(|leg| named.foot(leg)).collect())
}

/// Returns the hands on which a body stands: in bodies with a tail and no fingers.
///
/// Judged by the skeleton alone, so that a rig has the same feet in all of its animations.
fn standing_hands(named: &NamedJoints, feet: [usize; 2], bones: &[f64]) -> Vec<usize> {
    let skeleton = named.skeleton;
    let has_tail = named.body().any(|joint| named.name(joint).has("tail"));
    let Some(hands) = named.pair(Word::Hand).filter(|_| has_tail) else {
        return Vec::new();
    };
    let are_feet = hands.iter().all(|&hand| {
        named.children(hand).all(|below| named.name(below).is_end())
            && !feet
                .iter()
                .any(|&foot| skeleton.is_within(hand, foot) || skeleton.is_within(foot, hand))
    });
    let length = |pair: [usize; 2]| {
        let paths = pair.map(|joint| skeleton.path_from_root(joint));
        let shared = paths[0].iter().zip(&paths[1]).take_while(|(one, other)| one == other);
        paths[0][shared.count()..]
            .iter()
            .map(|&joint| bones[joint])
            .sum::<f64>()
    };
    if are_feet && length(hands) >= FORELEG_SHARE * length(feet) {
        hands.to_vec()
    } else {
        Vec::new()
    }
}

/// Whether at least two bones lie between each foot and the common ancestor of all feet.
pub(super) fn have_knees(skeleton: &Skeleton, feet: &[Foot]) -> bool {
    let Some(hips) = skeleton.last_shared(feet.iter().map(|foot| foot.ankle)) else {
        return true;
    };
    let above = skeleton.path_from_root(hips).len();
    feet.iter()
        .all(|foot| skeleton.path_from_root(foot.ankle).len() > above + 2)
}

/// Whether each foot descends from one of `others`, and both are equally many.
pub(super) fn hang_from(skeleton: &Skeleton, feet: &[Foot], others: &[Foot]) -> bool {
    feet.len() == others.len()
        && feet.iter().all(|foot| {
            let mut path = skeleton.path_from_root(foot.ankle);
            path.pop();
            others.iter().any(|other| path.contains(&other.ankle))
        })
}

/// Returns the feet in pairs, each left one followed by the first right one after it; empty if there are more than eight.
fn in_pairs(feet: Vec<Foot>) -> Vec<Foot> {
    if feet.len() > *NUM_FEET.end() {
        return Vec::new();
    }
    let [left, right] =
        Side::ALL.map(|side| -> Vec<Foot> { feet.iter().filter(|foot| foot.side == Some(side)).copied().collect() });
    if left.len() + right.len() < feet.len() {
        return feet;
    }
    let mut rest = right.into_iter();
    let mut pairs = Vec::with_capacity(feet.len());
    for foot in left {
        pairs.push(foot);
        pairs.extend(rest.next());
    }
    pairs.extend(rest);
    pairs
}

#[cfg(test)]
mod tests {

    use super::super::{
        FoundBy,
        tests::{body_of, take},
    };
    use crate::take::Take;

    /// Creates a chain of joints, each the child of the previous one; the first is a child of `parent`.
    fn chain(
        rows: &mut Vec<(String, Option<usize>, [f64; 3])>,
        parent: usize,
        names: &[&str],
        step: [f64; 3],
    ) -> usize {
        for (index, name) in names.iter().enumerate() {
            let parent = if index == 0 { parent } else { rows.len() - 1 };
            rows.push(((*name).to_owned(), Some(parent), step));
        }
        rows.len() - 1
    }

    /// Creates a take of trees that hang from a root one metre above the ground.
    fn grown(trees: &[(&[&str], [f64; 3])]) -> Take {
        let mut rows = vec![("root".to_owned(), None, [0.0, 1.0, 0.0])];
        for &(names, step) in trees {
            chain(&mut rows, 0, names, step);
        }
        let rows: Vec<(&str, Option<usize>, [f64; 3])> = rows
            .iter()
            .map(|(name, parent, offset)| (name.as_str(), *parent, *offset))
            .collect();
        take(&rows)
    }

    /// Returns how the feet of trees were found, and their ankles and toes by name.
    fn feet(trees: &[(&[&str], [f64; 3])]) -> (FoundBy, Vec<(String, Option<String>)>) {
        let take = grown(trees);
        let body = body_of(&take);
        let name = |joint: usize| take.skeleton().joint(joint).name.clone();
        let feet = body.feet.iter().map(|foot| (name(foot.ankle), foot.toe.map(name)));
        (body.found_by, feet.collect())
    }

    fn named(expected: &[(&str, Option<&str>)]) -> (FoundBy, Vec<(String, Option<String>)>) {
        let feet = expected
            .iter()
            .map(|(ankle, toe)| ((*ankle).to_owned(), toe.map(str::to_owned)));
        (FoundBy::Names, feet.collect())
    }

    const DOWN: [f64; 3] = [0.0, -0.24, 0.0];

    #[test]
    fn a_foot_without_a_knee_that_is_not_low_is_half_a_leg() {
        let (down, left, right) = (
            [0.0, -0.45, 0.0],
            ["Leg.L", "Foot.L", "Foot.L_end"],
            ["Leg.R", "Foot.R", "Foot.R_end"],
        );
        let (found_by, found) = feet(&[(&left, down), (&right, down), (&["Head"], [0.0, 0.7, 0.0])]);
        let ankles: Vec<&str> = found.iter().map(|(ankle, _)| ankle.as_str()).collect();
        assert_eq!(
            (found_by, ankles),
            (FoundBy::Geometry, vec!["Foot.L_end", "Foot.R_end"])
        );
        let low = [0.0, -0.9, 0.0];
        let (found_by, _) = feet(&[(&left[..2], low), (&right[..2], low), (&["Head"], [0.0, 0.7, 0.0])]);
        assert_eq!(found_by, FoundBy::Names);
    }

    #[test]
    fn a_horse_stands_on_its_fetlocks_and_hooves() {
        let found = feet(&[
            (
                &[
                    "front_scapula_l",
                    "front_leg_lower_l",
                    "front_leg_ankle_l",
                    "front_leg_foot_l",
                    "front_leg_leaf_l",
                ],
                DOWN,
            ),
            (
                &[
                    "front_scapula_r",
                    "front_leg_lower_r",
                    "front_leg_ankle_r",
                    "front_leg_foot_r",
                    "front_leg_leaf_r",
                ],
                DOWN,
            ),
            (
                &[
                    "back_leg_upper_l",
                    "back_leg_ankle_l",
                    "back_leg_foot_l",
                    "back_leg_toe_l",
                    "back_leg_leaf_l",
                ],
                DOWN,
            ),
            (
                &[
                    "back_leg_upper_r",
                    "back_leg_ankle_r",
                    "back_leg_foot_r",
                    "back_leg_toe_r",
                    "back_leg_leaf_r",
                ],
                DOWN,
            ),
            (&["tail_1", "tail_2", "tail_3", "tail_leaf"], DOWN),
        ]);
        let expected = [
            ("front_leg_ankle_l", Some("front_leg_foot_l")),
            ("front_leg_ankle_r", Some("front_leg_foot_r")),
            ("back_leg_foot_l", Some("back_leg_toe_l")),
            ("back_leg_foot_r", Some("back_leg_toe_r")),
        ];
        assert_eq!(found, named(&expected));
    }

    #[test]
    fn a_spider_stands_on_eight_tips() {
        let legs: Vec<[String; 3]> = (["l", "r"].iter())
            .flat_map(|side| {
                ["a", "b", "c", "d"].map(|leg| ["1", "2", "tip"].map(|part| format!("leg_{leg}_{part}_{side}")))
            })
            .collect();
        let names = legs.iter().map(|leg| leg.iter().map(String::as_str).collect());
        let names: Vec<Vec<&str>> = names.collect();
        let mut trees: Vec<(&[&str], [f64; 3])> = names.iter().map(|leg| (leg.as_slice(), DOWN)).collect();
        trees.push((&["teeth_l", "teeth_tip_l"], DOWN));
        trees.push((&["tail_1", "tail_tip"], DOWN));
        let (found_by, feet) = feet(&trees);
        let feet: Vec<&str> = feet.iter().map(|(ankle, _)| ankle.as_str()).collect();
        let pairs = [
            "leg_a_tip_l",
            "leg_a_tip_r",
            "leg_b_tip_l",
            "leg_b_tip_r",
            "leg_c_tip_l",
            "leg_c_tip_r",
        ];
        assert_eq!((found_by, &feet[..6], feet.len()), (FoundBy::Names, &pairs[..], 8));
    }

    #[test]
    fn names_of_many_rigs() {
        for (left, right, ankle, toe) in [
            (
                &["L_thigh0001_bind_JNT", "L_shin0001_bind_JNT", "L_foot0001_bind_JNT"][..],
                "R",
                2,
                None,
            ),
            (
                &["L_leg0001_bind_JNT", "L_foot0001_bind_JNT", "L_foot0002_bind_JNT"],
                "R",
                1,
                Some(2),
            ),
            (&["LThigh", "LFoot", "LToe"], "R", 1, Some(2)),
            (&["L_Hind_Leg", "L_Hind_Paw", "L_Hind_Claw"], "R", 1, Some(2)),
            (&["L_leg", "L_Hoof"], "R", 1, None),
            (&["L_thigh", "L_hindpaw"], "R", 1, None),
            (&["L_upperleg", "L_lowerleg", "L_lowerleg_end"], "R", 2, None),
        ] {
            let mirrored: Vec<String> = left.iter().map(|name| format!("{right}{}", &name[1..])).collect();
            let right: Vec<&str> = mirrored.iter().map(String::as_str).collect();
            let found = feet(&[(left, DOWN), (&right, DOWN)]);
            let toe = toe.map(|toe: usize| left[toe]);
            assert_eq!(found.0, FoundBy::Names, "{left:?}");
            assert_eq!(found.1.len(), 2, "{left:?}");
            assert_eq!(found.1[0], (left[ankle].to_owned(), toe.map(str::to_owned)), "{left:?}");
        }
    }

    #[test]
    fn hands_stand_where_there_is_a_tail_and_no_finger() {
        let leg = ["LeftLeg01", "LeftFoot01", "LeftFoot02"];
        let other_leg = ["RightLeg01", "RightFoot01", "RightFoot02"];
        let arms = [
            ["LeftUpperArm", "LeftForeArm", "LeftHand"],
            ["RightUpperArm", "RightForeArm", "RightHand"],
        ];
        let with_arms = |step: [f64; 3], tail: &'static str| {
            feet(&[
                (&leg, DOWN),
                (&other_leg, DOWN),
                (&arms[0], step),
                (&arms[1], step),
                (&[tail], [0.0, 0.5, -0.5]),
            ])
        };
        assert_eq!(with_arms(DOWN, "Tail01").1.len(), 4);
        assert_eq!(with_arms(DOWN, "Spine01").1.len(), 2);
        // A kangaroo's arms are short.
        assert_eq!(with_arms([0.0, -0.1, 0.0], "Tail01").1.len(), 2);
    }

    #[test]
    fn more_than_eight_feet_are_none() {
        let names: Vec<String> = (0..10).map(|leg| format!("foot_{leg}")).collect();
        let names: Vec<[&str; 1]> = names.iter().map(|name| [name.as_str()]).collect();
        let legs = |count: usize| {
            let trees: Vec<(&[&str], [f64; 3])> =
                names[..count].iter().map(|leg| (&leg[..], [0.0, -1.0, 0.0])).collect();
            feet(&trees)
        };
        assert_eq!((legs(8).0, legs(8).1.len()), (FoundBy::Names, 8));
        assert_eq!(legs(10).0, FoundBy::AllLeaves);
        // Only half a body may have been recorded.
        assert_eq!((legs(1).0, legs(1).1.len()), (FoundBy::Names, 1));
    }
}
