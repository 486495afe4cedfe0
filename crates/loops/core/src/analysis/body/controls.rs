//! Distinguishes joints of the body from those that only steer a rig: IK targets, poles and control handles.

use std::collections::BTreeMap;

use super::{
    names::{CONTROL_WORDS, JointName},
    vocabulary::is_number,
};
use crate::motion::Skeleton;

/// Words of handles that never deform a mesh.
const HANDLE_WORDS: &str = "ik fk pole poles target goal effector hint mch";

/// Whether each joint only steers the rig.
///
/// A joint is a control if its name says so or if it descends from a control. Exceptions are joints that carry the body (the
/// hips, the head, the upper end of a limb, or most of the skeleton descend from them), and joints within a limb whose body part
/// no other joint has. A word in most names is a naming habit and is ignored. Controls without such a word are recognized as
/// copies: see [`is_copy`].
pub(super) fn find(skeleton: &Skeleton, names: &[JointName]) -> Vec<bool> {
    let num_joints = skeleton.num_joints();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        for word in HANDLE_WORDS
            .split_ascii_whitespace()
            .chain(CONTROL_WORDS.split_ascii_whitespace())
        {
            *counts.entry(word).or_default() += usize::from(name.has(word));
        }
    }
    let says = |name: &JointName, row: &str| {
        let mut words = row.split_ascii_whitespace();
        words.any(|word| name.has(word) && 2 * counts[word] <= num_joints)
    };
    let is_handle: Vec<bool> = names.iter().map(|name| says(name, HANDLE_WORDS)).collect();
    let is_marked: Vec<bool> = names
        .iter()
        .zip(&is_handle)
        .map(|(name, &is_handle)| is_handle || says(name, CONTROL_WORDS))
        .collect();
    let is_core = |joint: usize| !is_marked[joint] && names[joint].is_core();
    let mut carries: Vec<bool> = (0..num_joints).map(is_core).collect();
    let mut num_below = vec![1; num_joints];
    for joint in (0..num_joints).rev() {
        carries[joint] |= 2 * num_below[joint] > num_joints;
        if let Some(parent) = skeleton.parent(joint) {
            carries[parent] |= carries[joint];
            num_below[parent] += num_below[joint];
        }
    }
    // Whether a joint is a core part or a descendant of one.
    let mut is_within = vec![false; num_joints];
    let mut controls = vec![false; num_joints];
    for joint in 0..num_joints {
        let name = &names[joint];
        let parent = skeleton.parent(joint);
        let below_core = parent.is_some_and(|parent| is_within[parent]);
        is_within[joint] = below_core || is_core(joint);
        if carries[joint] {
            continue;
        }
        let stays = !is_marked[joint]
            || (!is_handle[joint]
                && below_core
                && name.has_part()
                && !(0..num_joints).any(|other| !is_marked[other] && names[other].is_same_part(name)));
        controls[joint] = parent.is_some_and(|parent| controls[parent]) || !stays || is_copy(skeleton, joint);
    }
    controls
}

/// Whether a joint is a copy of a limb's bone that Blender numbered, such as `foot.001`, made to steer the limb.
///
/// A copy is attached above the parent of its original, and carries at most the end of its own bone. Chains of numbered bones
/// (`Spine.001` below `Spine`) and limbs (`leg.001` beside `leg`) are not copies.
fn is_copy(skeleton: &Skeleton, joint: usize) -> bool {
    let name = skeleton.joint(joint).name.rsplit_once('.');
    let Some((stem, _)) = name.filter(|(_, number)| number.len() == 3 && is_number(number)) else {
        return false;
    };
    let is_single = match skeleton.children(joint) {
        [] => true,
        [end] => skeleton.children(*end).is_empty(),
        _ => false,
    };
    if !is_single {
        return false;
    }
    let (Some(parent), Some(original)) = (skeleton.parent(joint), skeleton.find(stem)) else {
        return false;
    };
    let path = skeleton.path_from_root(original);
    // Below the parent of the original are its siblings, not copies of it.
    path.len() > 2 && path[..path.len() - 2].contains(&parent)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{body_of, take};

    /// Returns the names of the joints that only steer, and those of the feet.
    fn found(rows: &[(&str, Option<usize>, [f64; 3])]) -> (Vec<String>, Vec<String>) {
        let take = take(rows);
        let body = body_of(&take);
        let name = |joint: usize| take.skeleton().joint(joint).name.clone();
        let feet = body.feet.iter().map(|foot| name(foot.ankle)).collect();
        (body.controls.iter().map(|&joint| name(joint)).collect(), feet)
    }

    const HERE: [f64; 3] = [0.0, 0.1, 0.0];

    /// A body whose hips descend from a control, with a spine partly named like controls.
    const BODY: [(&str, Option<usize>, [f64; 3]); 10] = [
        ("Root", None, HERE),
        ("HipsCtrl", Some(0), HERE),
        ("Hips", Some(1), HERE),
        ("Spine_ctrl", Some(2), HERE),
        ("Head", Some(3), HERE),
        ("LeftUpLeg", Some(2), HERE),
        ("LeftFoot", Some(5), HERE),
        ("RightUpLeg", Some(2), HERE),
        ("RightFoot", Some(7), HERE),
        ("Jaw_ctrl", Some(4), HERE),
    ];

    #[test]
    fn controls_and_what_hangs_from_them_are_no_body() {
        let mut rows = BODY.to_vec();
        rows.extend([
            ("LeftFootCtrl", Some(0), HERE),
            ("LeftHeelRoll", Some(10), HERE),
            ("LeftFootIK", Some(11), HERE),
            ("foot_ik.R", Some(0), HERE),
            ("PoleTarget.L", Some(0), HERE),
            ("knee_pole_R", Some(0), HERE),
        ]);
        let (controls, feet) = found(&rows);
        let expected = [
            "Jaw_ctrl",
            "LeftFootCtrl",
            "LeftHeelRoll",
            "LeftFootIK",
            "foot_ik.R",
            "PoleTarget.L",
            "knee_pole_R",
        ];
        assert_eq!(controls, expected);
        assert_eq!(feet, ["LeftFoot", "RightFoot"]);
    }

    #[test]
    fn a_part_that_only_a_control_bears_stays() {
        let mut rows = BODY.to_vec();
        rows[6].0 = "LeftFoot_ctrl";
        let (controls, feet) = found(&rows);
        assert_eq!(controls, ["Jaw_ctrl"]);
        assert_eq!(feet, ["LeftFoot_ctrl", "RightFoot"]);
    }

    #[test]
    fn a_word_of_most_joints_is_a_habit() {
        let names = [
            "root_ctrl",
            "hips_ctrl",
            "spine_ctrl",
            "head_ctrl",
            "foot_l_ctrl",
            "foot_r_ctrl",
            "toe_l_ctrl",
        ];
        let parents = [None, Some(0), Some(1), Some(2), Some(1), Some(1), Some(4)];
        let rows = names.into_iter().zip(parents);
        let rows: Vec<_> = rows.map(|(name, parent)| (name, parent, HERE)).collect();
        let (controls, feet) = found(&rows);
        assert_eq!(controls, [""; 0]);
        assert_eq!(feet, ["foot_l_ctrl", "foot_r_ctrl"]);
    }

    #[test]
    fn copies_of_limbs_above_them_steer_but_chains_do_not() {
        let rows = [
            ("Armature", None, HERE),
            ("bassin", Some(0), HERE),
            ("jambe", Some(1), HERE),
            ("pied", Some(2), HERE),
            ("pied_end", Some(3), HERE),
            ("pied.001", Some(0), HERE),
            ("pied.001_end", Some(5), HERE),
            ("torse", Some(1), HERE),
            ("torse.001", Some(7), HERE),
            ("jambe.001", Some(1), HERE),
        ];
        assert_eq!(found(&rows).0, ["pied.001", "pied.001_end"]);
    }

    #[test]
    fn a_rig_of_nothing_but_controls_keeps_its_joints() {
        let rows = [("ctrl", None, HERE), ("a", Some(0), HERE), ("b", Some(1), HERE)];
        assert_eq!(found(&rows).0, [""; 0]);
    }
}
