//! The joints of the generator Kimodo, whose files hold no skeleton.

/// Frames per second of all its motions.
pub(super) const FPS: f64 = 30.0;

/// Its joints in the order of its arrays, each with the joint above it.
pub(super) const JOINTS: [(&str, &str); 30] = [
    ("Hips", ""),
    ("Spine1", "Hips"),
    ("Spine2", "Spine1"),
    ("Chest", "Spine2"),
    ("Neck1", "Chest"),
    ("Neck2", "Neck1"),
    ("Head", "Neck2"),
    ("Jaw", "Head"),
    ("LeftEye", "Head"),
    ("RightEye", "Head"),
    ("LeftShoulder", "Chest"),
    ("LeftArm", "LeftShoulder"),
    ("LeftForeArm", "LeftArm"),
    ("LeftHand", "LeftForeArm"),
    ("LeftHandThumbEnd", "LeftHand"),
    ("LeftHandMiddleEnd", "LeftHand"),
    ("RightShoulder", "Chest"),
    ("RightArm", "RightShoulder"),
    ("RightForeArm", "RightArm"),
    ("RightHand", "RightForeArm"),
    ("RightHandThumbEnd", "RightHand"),
    ("RightHandMiddleEnd", "RightHand"),
    ("LeftLeg", "Hips"),
    ("LeftShin", "LeftLeg"),
    ("LeftFoot", "LeftShin"),
    ("LeftToeBase", "LeftFoot"),
    ("RightLeg", "Hips"),
    ("RightShin", "RightLeg"),
    ("RightFoot", "RightShin"),
    ("RightToeBase", "RightFoot"),
];

/// Returns the index of each joint's parent.
pub(super) fn parents() -> Vec<Option<usize>> {
    let above = JOINTS.iter().map(|(_, above)| above);
    above
        .map(|above| JOINTS.iter().position(|(joint, _)| joint == above))
        .collect()
}
