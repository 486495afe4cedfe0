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
    pub(crate) const LEFT_UP_LEG: usize = 1;
    pub(crate) const RIGHT_UP_LEG: usize = 5;
    pub(crate) const SPINE: usize = 9;
    pub(crate) const SPINE1: usize = 10;
    pub(crate) const SPINE2: usize = 11;
    pub(crate) const NECK: usize = 12;
    pub(crate) const HEAD: usize = 13;
    pub(crate) const LEFT_SHOULDER: usize = 14;
    pub(crate) const RIGHT_SHOULDER: usize = 19;
}

/// Left or right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

impl Side {
    pub(crate) const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// 1 for left, which is +X, and -1 for right.
    pub(crate) fn sign(self) -> f64 {
        match self {
            Self::Left => 1.0,
            Self::Right => -1.0,
        }
    }

    /// First joint of the leg; knee, ankle and ball follow.
    pub(crate) fn up_leg(self) -> usize {
        match self {
            Self::Left => joint::LEFT_UP_LEG,
            Self::Right => joint::RIGHT_UP_LEG,
        }
    }

    /// First joint of the arm's chain; upper arm, forearm, hand and finger follow.
    pub(crate) fn shoulder(self) -> usize {
        match self {
            Self::Left => joint::LEFT_SHOULDER,
            Self::Right => joint::RIGHT_SHOULDER,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Left => "Left",
            Self::Right => "Right",
        }
    }
}

/// Returns the joints in order, with the parent's name, offset from it and tip.
pub(crate) fn joints() -> Vec<Joint> {
    let mut joints: Vec<Joint> = Vec::with_capacity(NUM_JOINTS);
    let mut add = |name: String, parent: Option<usize>, offset: [f64; 3], tip: Option<[f64; 3]>| {
        joints.push(Joint {
            tip: tip.map(DVec3::from_array),
            ..Joint::new(name, parent, DVec3::from_array(offset))
        });
        joints.len() - 1
    };
    let hips = add("Hips".to_owned(), None, [0.0, HIPS_REST_HEIGHT_METRES, 0.0], None);
    for side in Side::BOTH {
        let (x, name) = (side.sign(), side.name());
        let up_leg = add(
            format!("{name}UpLeg"),
            Some(hips),
            [x * HIP_ASIDE_METRES, -HIP_BELOW_METRES, 0.0],
            None,
        );
        let leg = add(format!("{name}Leg"), Some(up_leg), [0.0, -THIGH_METRES, 0.0], None);
        let foot = add(format!("{name}Foot"), Some(leg), [0.0, -SHANK_METRES, 0.0], None);
        let [ball, tip] = [BALL - ANKLE, TIP - BALL].map(|offset| offset.to_array());
        add(format!("{name}ToeBase"), Some(foot), ball, Some(tip));
    }
    let spine = add("Spine".to_owned(), Some(hips), [0.0, 0.10, -0.01], None);
    let spine1 = add("Spine1".to_owned(), Some(spine), [0.0, 0.12, -0.01], None);
    let spine2 = add("Spine2".to_owned(), Some(spine1), [0.0, 0.12, 0.0], None);
    let neck = add("Neck".to_owned(), Some(spine2), [0.0, 0.15, 0.0], None);
    add(
        "Head".to_owned(),
        Some(neck),
        [0.0, 0.085, 0.015],
        Some([0.0, 0.185, 0.0]),
    );
    for side in Side::BOTH {
        let (x, name) = (side.sign(), side.name());
        let shoulder = add(format!("{name}Shoulder"), Some(spine2), [x * 0.03, 0.11, 0.01], None);
        let arm = add(format!("{name}Arm"), Some(shoulder), [x * 0.145, 0.0, -0.01], None);
        let fore_arm = add(format!("{name}ForeArm"), Some(arm), [x * 0.28, 0.0, 0.0], None);
        let hand = add(format!("{name}Hand"), Some(fore_arm), [x * 0.25, 0.0, 0.0], None);
        add(
            format!("{name}HandIndex1"),
            Some(hand),
            [x * 0.09, 0.0, 0.0],
            Some([x * 0.085, 0.0, 0.0]),
        );
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
        let positions = rest_pose(&skeleton).as_ref().world(&skeleton).translations;
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
