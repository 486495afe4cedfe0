//! The bones of a humanoid with the names of the protocol, and the parent of each.

/// Name of each bone and the number of its parent, in the order of a BVH file: a bone, then all below it.
pub(super) const BONES: [(&str, Option<usize>); 55] = [
    ("Hips", None),
    ("Spine", Some(0)),
    ("Chest", Some(1)),
    ("UpperChest", Some(2)),
    ("Neck", Some(3)),
    ("Head", Some(4)),
    ("LeftEye", Some(5)),
    ("RightEye", Some(5)),
    ("Jaw", Some(5)),
    ("LeftShoulder", Some(3)),
    ("LeftUpperArm", Some(9)),
    ("LeftLowerArm", Some(10)),
    ("LeftHand", Some(11)),
    ("LeftThumbProximal", Some(12)),
    ("LeftThumbIntermediate", Some(13)),
    ("LeftThumbDistal", Some(14)),
    ("LeftIndexProximal", Some(12)),
    ("LeftIndexIntermediate", Some(16)),
    ("LeftIndexDistal", Some(17)),
    ("LeftMiddleProximal", Some(12)),
    ("LeftMiddleIntermediate", Some(19)),
    ("LeftMiddleDistal", Some(20)),
    ("LeftRingProximal", Some(12)),
    ("LeftRingIntermediate", Some(22)),
    ("LeftRingDistal", Some(23)),
    ("LeftLittleProximal", Some(12)),
    ("LeftLittleIntermediate", Some(25)),
    ("LeftLittleDistal", Some(26)),
    ("RightShoulder", Some(3)),
    ("RightUpperArm", Some(28)),
    ("RightLowerArm", Some(29)),
    ("RightHand", Some(30)),
    ("RightThumbProximal", Some(31)),
    ("RightThumbIntermediate", Some(32)),
    ("RightThumbDistal", Some(33)),
    ("RightIndexProximal", Some(31)),
    ("RightIndexIntermediate", Some(35)),
    ("RightIndexDistal", Some(36)),
    ("RightMiddleProximal", Some(31)),
    ("RightMiddleIntermediate", Some(38)),
    ("RightMiddleDistal", Some(39)),
    ("RightRingProximal", Some(31)),
    ("RightRingIntermediate", Some(41)),
    ("RightRingDistal", Some(42)),
    ("RightLittleProximal", Some(31)),
    ("RightLittleIntermediate", Some(44)),
    ("RightLittleDistal", Some(45)),
    ("LeftUpperLeg", Some(0)),
    ("LeftLowerLeg", Some(47)),
    ("LeftFoot", Some(48)),
    ("LeftToes", Some(49)),
    ("RightUpperLeg", Some(0)),
    ("RightLowerLeg", Some(51)),
    ("RightFoot", Some(52)),
    ("RightToes", Some(53)),
];

/// The number of the hips.
pub(super) const HIPS: usize = 0;

/// Returns the number of a bone, by its name in any case.
pub(super) fn bone(name: &str) -> Option<usize> {
    BONES.iter().position(|(known, _)| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_before_their_children_on_the_same_side() {
        for (index, (name, parent)) in BONES.iter().enumerate() {
            let Some(parent) = *parent else {
                assert_eq!(index, HIPS);
                continue;
            };
            assert!(parent < index, "{name}");
            let side = |name: &str| ["Left", "Right"].into_iter().find(|side| name.starts_with(side));
            let of_parent = side(BONES[parent].0);
            assert!(of_parent.is_none() || of_parent == side(name), "{name}");
            assert_eq!(bone(&name.to_lowercase()), Some(index));
        }
        // The bones of the left and of the right hang alike.
        for (name, parent) in BONES.iter().filter(|(name, _)| name.starts_with("Left")) {
            let other = |name: &str| bone(&name.replace("Left", "Right")).unwrap();
            assert_eq!(
                BONES[other(name)].1,
                parent.map(|parent| other(BONES[parent].0)),
                "{name}"
            );
        }
        assert_eq!(bone("LastBone"), None);
    }
}
