//! The walker's body: 24 joints, about 1.75 m tall, T-pose at rest with all axes parallel to the world's.

use glam::{DQuat, DVec3};
use loopwright_core::{Joint, Pose, Skeleton};

pub(crate) const NUM_JOINTS: usize = 24;

/// Length of the thigh, hip to knee, metres.
pub(crate) const THIGH_METRES: f64 = 0.425;

/// Length of the shank, knee to ankle, metres.
pub(crate) const SHANK_METRES: f64 = 0.42;

/// The ankle of a flat foot, metres from the ground below it, +Z ahead; so are the points below.
pub(crate) const ANKLE: DVec3 = DVec3::new(0.0, 0.085, 0.0);

/// Where the heel touches the ground; there is no joint.
pub(crate) const HEEL: DVec3 = DVec3::new(0.0, 0.0, -0.05);

/// The ball joint.
pub(crate) const BALL: DVec3 = DVec3::new(0.0, 0.025, 0.13);

/// The tip of the toes, at the end of the ball joint's bone.
pub(crate) const TIP: DVec3 = DVec3::new(0.0, 0.015, 0.195);

/// From the hips sideways to the hip joint, metres.
pub(crate) const HIP_ASIDE_METRES: f64 = 0.09;

/// From the hips down to the hip joints, metres.
pub(crate) const HIP_BELOW_METRES: f64 = 0.06;

/// Height of the hips in the T-pose, metres.
pub(crate) const HIPS_REST_HEIGHT_METRES: f64 = HIP_BELOW_METRES + THIGH_METRES + SHANK_METRES + ANKLE.y;

pub(crate) mod joint {
    pub(crate) const HIPS: usize = 0;
    pub(super) const LEFT_UP_LEG: usize = 1;
    pub(super) const RIGHT_UP_LEG: usize = 5;
    pub(crate) const SPINE: usize = 9;
    pub(crate) const SPINE1: usize = 10;
    pub(crate) const SPINE2: usize = 11;
    pub(crate) const NECK: usize = 12;
    pub(crate) const HEAD: usize = 13;
    pub(super) const LEFT_SHOULDER: usize = 14;
    pub(super) const RIGHT_SHOULDER: usize = 19;
}

/// Left or right.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Side {
    Left,
    Right,
}

impl Side {
    pub(crate) const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// Returns the value of this side, of those for left and right.
    pub(crate) fn of<T>(self, [left, right]: [T; 2]) -> T {
        match self {
            Self::Left => left,
            Self::Right => right,
        }
    }

    /// 1 for left, which is +X, and -1 for right.
    pub(crate) fn sign(self) -> f64 {
        self.of([1.0, -1.0])
    }

    /// First joint of the leg; knee, ankle and ball follow.
    pub(crate) fn up_leg(self) -> usize {
        self.of([joint::LEFT_UP_LEG, joint::RIGHT_UP_LEG])
    }

    /// First joint of the arm's chain; upper arm, forearm, hand and finger follow.
    pub(crate) fn shoulder(self) -> usize {
        self.of([joint::LEFT_SHOULDER, joint::RIGHT_SHOULDER])
    }

    pub(crate) fn name(self) -> &'static str {
        self.of(["Left", "Right"])
    }
}

/// Returns the joints in order, with the parent's name, offset from it and tip.
pub(crate) fn joints() -> Vec<Joint> {
    let mut joints = vec![Joint::new("Hips", None, DVec3::Y * HIPS_REST_HEIGHT_METRES)];
    // Each link hangs on the one before it, and the last one has a tip.
    let mut chain = |mut parent: usize, side: &str, links: &[(&str, [f64; 3])], tip: DVec3| {
        for (name, offset) in links {
            joints.push(Joint::new(
                format!("{side}{name}"),
                Some(parent),
                DVec3::from_array(*offset),
            ));
            parent = joints.len() - 1;
        }
        joints[parent].tip = Some(tip);
    };
    for side in Side::BOTH {
        let links = [
            ("UpLeg", [side.sign() * HIP_ASIDE_METRES, -HIP_BELOW_METRES, 0.0]),
            ("Leg", [0.0, -THIGH_METRES, 0.0]),
            ("Foot", [0.0, -SHANK_METRES, 0.0]),
            ("ToeBase", (BALL - ANKLE).to_array()),
        ];
        chain(joint::HIPS, side.name(), &links, TIP - BALL);
    }
    let links = [
        ("Spine", [0.0, 0.10, -0.01]),
        ("Spine1", [0.0, 0.12, -0.01]),
        ("Spine2", [0.0, 0.12, 0.0]),
        ("Neck", [0.0, 0.15, 0.0]),
        ("Head", [0.0, 0.085, 0.015]),
    ];
    chain(joint::HIPS, "", &links, DVec3::new(0.0, 0.185, 0.0));
    for side in Side::BOTH {
        let x = side.sign();
        let links = [
            ("Shoulder", [x * 0.03, 0.11, 0.01]),
            ("Arm", [x * 0.145, 0.0, -0.01]),
            ("ForeArm", [x * 0.28, 0.0, 0.0]),
            ("Hand", [x * 0.25, 0.0, 0.0]),
            ("HandIndex1", [x * 0.09, 0.0, 0.0]),
        ];
        chain(joint::SPINE2, side.name(), &links, DVec3::new(x * 0.085, 0.0, 0.0));
    }
    joints
}

#[expect(clippy::expect_used, reason = "the tree is a constant; a test builds it")]
pub(crate) fn skeleton() -> Skeleton {
    Skeleton::new(joints()).expect("parents come before children")
}

/// Returns the rest pose, in local space.
pub(crate) fn rest_pose(skeleton: &Skeleton) -> Pose {
    Pose::new(
        skeleton.joints().iter().map(|joint| joint.rest_offset).collect(),
        vec![DQuat::IDENTITY; NUM_JOINTS],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stands_a_metre_and_three_quarters_tall() {
        let skeleton = skeleton();
        let positions = rest_pose(&skeleton).world(&skeleton).translations;
        let crown = positions[joint::HEAD].y + skeleton.joint(joint::HEAD).tip.unwrap().y;
        assert!((crown - 1.75).abs() < 0.01, "{crown}");
        for side in Side::BOTH {
            assert!((positions[side.up_leg() + 3].y - BALL.y).abs() < 1e-15);
        }
        for (joint, description) in skeleton.joints().iter().enumerate() {
            assert_eq!(
                skeleton.children(joint).is_empty(),
                description.tip.is_some(),
                "{}",
                description.name
            );
        }
    }
}
