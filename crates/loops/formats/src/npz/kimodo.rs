//! The joints of the generator Kimodo, whose files hold no skeleton.

use std::sync::LazyLock;

use crate::text::tree;

/// Frames per second of all its motions.
pub(super) const FPS: f64 = 30.0;

/// Its joints in the order of its arrays, each with the number of the joint above it.
pub(super) static JOINTS: LazyLock<Vec<(&str, Option<usize>)>> = LazyLock::new(|| tree(TREE));

const TREE: &str = "
Hips
    Spine1
        Spine2
            Chest
                Neck1
                    Neck2
                        Head
                            Jaw
                            LeftEye
                            RightEye
                LeftShoulder
                    LeftArm
                        LeftForeArm
                            LeftHand
                                LeftHandThumbEnd
                                LeftHandMiddleEnd
                RightShoulder
                    RightArm
                        RightForeArm
                            RightHand
                                RightHandThumbEnd
                                RightHandMiddleEnd
    LeftLeg
        LeftShin
            LeftFoot
                LeftToeBase
    RightLeg
        RightShin
            RightFoot
                RightToeBase
";
