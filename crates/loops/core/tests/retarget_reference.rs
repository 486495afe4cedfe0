//! The pose in which motion is compared with characters, with known truth: the synthetic walk written with other axes and rests
//! is the same walk.

use glam::{DQuat, DVec3};
use loopwright_core::{
    BodyOverrides, Pose, Skeleton, Take,
    analysis::Side,
    math::rotation,
    retarget::{Doubt, Reference, ReferenceSource, Rig, RigPair, unturned},
};

use crate::support::{
    characters::{PLAIN, character, rig_at_rest, rig_of, walk},
    of_poses, posed,
};

/// Returns a take whose joints have other axes: each is turned by a rotation in its own axes. At rest, without rotations, its
/// bones lie as that says.
fn with_axes(take: &Take, axes: impl Fn(usize) -> DQuat) -> Take {
    let skeleton = take.skeleton();
    let above = |joint: usize| skeleton.parent(joint).map_or(DQuat::IDENTITY, &axes);
    let joints = skeleton.joints().iter().enumerate().map(|(index, joint)| {
        let mut joint = joint.clone();
        joint.rest_offset = above(index).conjugate() * joint.rest_offset;
        joint.tip = joint.tip.map(|tip| axes(index).conjugate() * tip);
        joint
    });
    let poses = (0..take.num_frames()).map(|frame| -> Pose {
        let pose = take.pose(frame);
        let place = |joint: usize| above(joint).conjugate() * pose.translations[joint];
        let turn = |joint: usize| (above(joint).conjugate() * pose.rotations[joint] * axes(joint)).normalize();
        (0..take.num_joints())
            .map(|joint| (place(joint), turn(joint)))
            .collect()
    });
    of_poses(take, Skeleton::new(joints.collect()).unwrap(), poses)
}

/// Returns for each joint the rotation that lays its X axis along its bone.
fn along_x(take: &Take) -> Vec<DQuat> {
    let skeleton = take.skeleton();
    let is_sided = |joint: usize| {
        ["Left", "Right"]
            .iter()
            .any(|side| skeleton.joint(joint).name.starts_with(side))
    };
    let bone = |joint: usize| {
        let children = skeleton.children(joint);
        let next = children.iter().find(|&&child| !is_sided(child)).or(children.first());
        next.map_or(skeleton.joint(joint).tip, |&next| {
            Some(skeleton.joint(next).rest_offset)
        })
    };
    let joints = 0..take.num_joints();
    joints
        .map(|joint| rotation::arc(DVec3::X, bone(joint).unwrap_or(DVec3::X)))
        .collect()
}

/// Returns axes that have nothing to do with bones.
fn crumpled(take: &Take) -> Vec<DQuat> {
    let turn = |joint: usize| rotation::exp(DVec3::new(1.1, -0.7, 2.3) * (1.0 + 0.37 * joint as f64));
    (0..take.num_joints()).map(turn).collect()
}

/// Returns the largest angles between the rotations of joints of two takes, degrees, by the joints' names.
fn apart(one: &Take, other: &Take, names: &str) -> Vec<(String, f64)> {
    let [a, b] = [one, other].map(Take::world_tracks);
    let angle = |name: &str| {
        let joint = one.skeleton().find(name).unwrap();
        let frames = (0..one.num_frames()).step_by(7);
        let angles =
            frames.map(|frame| rotation::difference(a.rotation(frame, joint), b.rotation(frame, joint)).length());
        angles.fold(0.0, f64::max).to_degrees()
    };
    names
        .split_whitespace()
        .map(|name| (name.to_owned(), angle(name)))
        .collect()
}

fn onto(source: Rig, take: &Take) -> Take {
    let target = rig_at_rest(&character(&walk(), PLAIN));
    let pair = RigPair::new(source, target).unwrap();
    pair.of_motion(&take.world_tracks()).take(take).unwrap()
}

#[test]
fn a_walk_without_a_rest_pose_is_the_same_walk() {
    let take = walk();
    let truth = onto(rig_of(&take), &take);
    // Bones of trunk and neck are not straight in the true rest.
    let parts = [
        ("thigh_l calf_l thigh_r calf_r foot_l foot_r", 1.0),
        ("upperarm_l lowerarm_l upperarm_r lowerarm_r", 1.0),
        ("pelvis spine_01 spine_02 spine_03 head hand_l hand_r", 7.0),
        ("neck_01", 15.0),
    ];
    for (axes, parts) in [(along_x(&take), &parts[..]), (crumpled(&take), &parts[..2])] {
        let written = with_axes(&take, |joint| axes[joint]);
        let source = rig_of(&written);
        assert_eq!(source.reference_source(), ReferenceSource::Motion);
        let moved = onto(source, &written);
        for &(names, most) in parts {
            for (name, found) in apart(&truth, &moved, names) {
                assert!(found < most, "{name}: {found} degrees");
            }
        }
    }
}

/// A mirrored body faces where it walks. Its feet are called as their joints are, and its right hand, which lies on the left, is the
/// left one of a character.
#[test]
fn a_mirrored_body_faces_ahead_and_its_feet_keep_their_names() {
    let take = walk();
    let mirror = |at: DVec3| DVec3::new(-at.x, at.y, at.z);
    let turn = |turn: DQuat| DQuat::from_xyzw(turn.x, -turn.y, -turn.z, turn.w);
    let joints = take.skeleton().joints().iter().map(|joint| {
        let mut joint = joint.clone();
        joint.rest_offset = mirror(joint.rest_offset);
        joint.tip = joint.tip.map(mirror);
        joint
    });
    let poses = (0..take.num_frames()).map(|frame| -> Pose {
        let pose = take.pose(frame);
        let joints = pose.translations.iter().zip(pose.rotations);
        joints.map(|(&at, &by)| (mirror(at), turn(by))).collect()
    });
    let mirrored = of_poses(&take, Skeleton::new(joints.collect()).unwrap(), poses);
    let body = rig_of(&mirrored).body().clone();
    let name = |joint: usize| mirrored.skeleton().joint(joint).name.as_str();
    assert_eq!(body.thighs.unwrap().map(name), ["RightUpLeg", "LeftUpLeg"]);
    let feet: Vec<_> = body.feet.iter().map(|foot| (name(foot.ankle), foot.side)).collect();
    assert_eq!(feet, [("RightFoot", Some(Side::Right)), ("LeftFoot", Some(Side::Left))]);
    assert!(body.is_mirrored && !rig_of(&take).body().is_mirrored);

    let moved = onto(rig_of(&mirrored), &mirrored);
    let [ours, theirs] = [(&moved, "hand_l"), (&mirrored, "RightHand")].map(|(take, hand)| -> Vec<f64> {
        let (joint, world) = (take.skeleton().find(hand).unwrap(), take.world_tracks());
        let ahead = |frame| (world.position(frame, joint) - world.position(frame, 0)).z;
        (0..take.num_frames()).map(ahead).collect()
    });
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert!((ours - theirs).abs() < 0.05, "{ours} {theirs}");
    }
}

#[test]
fn style_is_no_part_of_the_reference() {
    let take = walk();
    let axes = along_x(&take);
    let reference = |take: &Take| rig_of(&with_axes(take, |joint| axes[joint])).reference().clone();
    let turn =
        |name: &str, axis: DVec3, degrees: f64| (take.skeleton().find(name).unwrap(), axis * f64::to_radians(degrees));
    let style = [
        turn("Spine", DVec3::X, 25.0),
        turn("Head", DVec3::X, 30.0),
        turn("LeftShoulder", DVec3::Z, 15.0),
        turn("LeftFoot", DVec3::Y, 10.0),
    ];
    let styled = posed(&take, |_, pose| {
        for (joint, by) in style {
            pose.rotations[joint] *= rotation::exp(by);
        }
    });
    let pairs = reference(&take).rotations.into_iter().zip(reference(&styled).rotations);
    for (joint, (one, other)) in pairs.enumerate() {
        let found = rotation::difference(one, other).length().to_degrees();
        assert!(found < 1.0, "{}: {found} degrees", take.skeleton().joint(joint).name);
    }
}

#[test]
fn a_rest_pose_is_what_bodies_rest_in() {
    let take = walk();
    let joint = |name: &str| take.skeleton().find(name).unwrap();
    let turned = |turns: &[(&str, DVec3)]| {
        let mut rest = unturned(take.skeleton(), DQuat::IDENTITY);
        for &(name, turn) in turns {
            rest.rotations[joint(name)] = rotation::exp(turn);
        }
        rest
    };
    let arms_up = [("LeftArm", 1.5 * DVec3::Z), ("RightArm", -1.5 * DVec3::Z)];
    let stride = [
        ("LeftUpLeg", -0.6 * DVec3::X),
        ("LeftLeg", 1.2 * DVec3::X),
        ("RightUpLeg", 0.4 * DVec3::X),
    ];
    for (turns, source) in [
        (&[][..], ReferenceSource::Rest),
        (
            &[("LeftArm", -1.2 * DVec3::Z), ("RightArm", 1.2 * DVec3::Z)],
            ReferenceSource::Rest,
        ),
        (&arms_up, ReferenceSource::RestButArms),
        (&stride, ReferenceSource::Motion),
        (&[("Hips", 1.5 * DVec3::X)], ReferenceSource::Motion),
    ] {
        let rest = turned(turns);
        let of = |reference| Rig::with_reference(&take, &rest, &BodyOverrides::default(), reference).unwrap();
        assert_eq!(of(Reference::Auto).reference_source(), source, "{turns:?}");
        assert_eq!(of(Reference::Rest).reference_source(), ReferenceSource::Given);
        assert_eq!(of(Reference::Motion).reference_source(), ReferenceSource::Motion);
    }
    // Arms that rise at rest are laid as if they did not.
    let truth = onto(rig_of(&take), &take);
    let raised = onto(
        Rig::of(&take, &turned(&arms_up), &BodyOverrides::default()).unwrap(),
        &take,
    );
    for (name, found) in apart(
        &truth,
        &raised,
        "pelvis thigh_l foot_l upperarm_l upperarm_r lowerarm_l hand_r head",
    ) {
        assert!(found < 1.0, "{name}: {found} degrees");
    }
}

#[test]
fn what_no_motion_shows_is_doubted() {
    let take = walk();
    let still = posed(&take, |_, pose| {
        for name in ["LeftLeg", "RightForeArm"] {
            pose.rotations[take.skeleton().find(name).unwrap()] = DQuat::IDENTITY;
        }
    });
    let axes = along_x(&take);
    let rig = rig_of(&with_axes(&still, |joint| axes[joint]));
    for name in ["LeftLeg", "RightForeArm"] {
        let hinge = Doubt::Hinge(take.skeleton().find(name).unwrap());
        assert!(rig.doubts().contains(&hinge), "{name}: {:?}", rig.doubts());
    }
    let crumpled = crumpled(&take);
    let rig = rig_of(&with_axes(&take, |joint| crumpled[joint]));
    let head = Doubt::Axes(take.skeleton().find("Head").unwrap());
    assert!(rig.doubts().contains(&head), "{:?}", rig.doubts());
}

#[test]
fn a_gaze_is_measured_and_raised() {
    let take = walk();
    let neck = take.skeleton().find("Neck").unwrap();
    let down = posed(&take, |_, pose| {
        pose.rotations[neck] *= rotation::exp(0.5 * DVec3::X);
    });
    let rig = rig_of(&down);
    let gaze = |rig: &Rig, take: &Take| rig.gaze(take).unwrap();
    let lowered = gaze(&rig, &down) - gaze(&rig, &take);
    assert!((lowered - 0.5).abs() < 1e-3, "{lowered}");
    let raised = rig.clone().with_gaze_raised(0.5);
    assert!((gaze(&raised, &down) - gaze(&rig, &take)).abs() < 1e-3);
    let [truth, moved] = [(&rig, &take), (&raised, &down)].map(|(rig, take)| onto(rig.clone(), take));
    // The head turns on a neck that is turned otherwise.
    for (names, most) in [("neck_01 spine_03 hand_l", 0.1), ("head", 2.0)] {
        for (name, found) in apart(&truth, &moved, names) {
            assert!(found < most, "{name}: {found} degrees");
        }
    }
}
