//! The bones of a humanoid with the names of the protocol, and the parent of each.

use std::sync::LazyLock;

use crate::text::tree;

/// How many bones there are.
pub(super) const NUM_BONES: usize = 55;

/// Name of each bone and the number of its parent, in the order of a BVH file: a bone, then all below it.
pub(super) static BONES: LazyLock<Vec<(&str, Option<usize>)>> = LazyLock::new(|| tree(TREE));

const TREE: &str = "
Hips
    Spine
        Chest
            UpperChest
                Neck
                    Head
                        LeftEye
                        RightEye
                        Jaw
                LeftShoulder
                    LeftUpperArm
                        LeftLowerArm
                            LeftHand
                                LeftThumbProximal
                                    LeftThumbIntermediate
                                        LeftThumbDistal
                                LeftIndexProximal
                                    LeftIndexIntermediate
                                        LeftIndexDistal
                                LeftMiddleProximal
                                    LeftMiddleIntermediate
                                        LeftMiddleDistal
                                LeftRingProximal
                                    LeftRingIntermediate
                                        LeftRingDistal
                                LeftLittleProximal
                                    LeftLittleIntermediate
                                        LeftLittleDistal
                RightShoulder
                    RightUpperArm
                        RightLowerArm
                            RightHand
                                RightThumbProximal
                                    RightThumbIntermediate
                                        RightThumbDistal
                                RightIndexProximal
                                    RightIndexIntermediate
                                        RightIndexDistal
                                RightMiddleProximal
                                    RightMiddleIntermediate
                                        RightMiddleDistal
                                RightRingProximal
                                    RightRingIntermediate
                                        RightRingDistal
                                RightLittleProximal
                                    RightLittleIntermediate
                                        RightLittleDistal
    LeftUpperLeg
        LeftLowerLeg
            LeftFoot
                LeftToes
    RightUpperLeg
        RightLowerLeg
            RightFoot
                RightToes
";

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
        assert_eq!(BONES.len(), NUM_BONES);
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
