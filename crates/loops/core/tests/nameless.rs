//! Skeletons whose names say nothing: their parts are those that they have with names.

use core::f64::consts::FRAC_PI_2;

use glam::{DQuat, DVec3};
use loopwright_core::{
    Joint, Part, Skeleton, Take,
    analysis::{Body, BodyOverrides, FoundBy, guess_parts},
};

use crate::support::{of_frames, posed_on, steady, take_of, walk_of};

/// Returns the same take without names.
fn nameless(take: &Take) -> Take {
    let joints = take.skeleton().joints().iter().enumerate();
    let joints = joints.map(|(index, joint)| Joint {
        name: format!("bone_{index}"),
        ..joint.clone()
    });
    posed_on(take, Skeleton::new(joints.collect()).unwrap(), |_, _| {})
}

fn guessed(take: &Take) -> Take {
    take.clone().with_parts(guess_parts(take).unwrap())
}

fn body(take: &Take) -> Body {
    Body::find(take, &BodyOverrides::default()).unwrap()
}

/// The part of each joint, if known.
fn parts(take: &Take) -> Vec<Option<&str>> {
    let joints = take.skeleton().joints().iter();
    joints.map(|joint| joint.part.as_ref().map(|_| joint.says())).collect()
}

#[test]
fn a_walker_is_known_without_names() {
    let walk = walk_of(steady());
    assert_eq!(guess_parts(&walk), None, "its names say what its joints are");
    let bare = nameless(&walk);
    let unknown = body(&bare);
    assert!(unknown.head.is_none() && unknown.hands.is_empty());

    // Whatever way it walks, and whatever axis points up.
    for turn in [
        DQuat::IDENTITY,
        DQuat::from_rotation_y(2.0),
        DQuat::from_rotation_x(FRAC_PI_2),
    ] {
        let told = guessed(&bare.turned(turn));
        let side = |side: &str, parts: &[&str]| {
            parts
                .iter()
                .map(|part| Some(format!("{side}{part}")))
                .collect::<Vec<_>>()
        };
        let plain = |parts: &[&str]| parts.iter().map(|part| Some((*part).to_owned())).collect::<Vec<_>>();
        let leg = ["Thigh", "Shin", "Foot", "Toe"];
        // The one joint of its hand is the end of that.
        let arm = ["Clavicle", "UpperArm", "ForeArm", "Hand"];
        let expected = [
            plain(&["Hips"]),
            side("Left", &leg),
            side("Right", &leg),
            plain(&["Spine1", "Spine2", "Spine3", "Neck1", "Head"]),
            side("Left", &arm),
            vec![None],
            side("Right", &arm),
            vec![None],
        ]
        .concat();
        let expected: Vec<Option<&str>> = expected.iter().map(Option::as_deref).collect();
        assert_eq!(parts(&told), expected);
        let (found, named) = (body(&told), body(&walk));
        assert_eq!(found.found_by, FoundBy::Geometry);
        assert_eq!(
            Body {
                found_by: FoundBy::Names,
                ..found
            },
            named
        );
    }
    // One pose that stands is enough for the bones and sides.
    let pose = guessed(&of_frames(&bare, core::iter::once(0)));
    assert_eq!(body(&pose).feet, body(&walk).feet);
}

#[test]
fn hands_are_told_from_fingers() {
    let walk = walk_of(steady());
    // Fingers with a bone within the hand, of one length like the forearm's twist is: the thumb begins beside the wrist.
    let fingers = |side: f64| {
        let knuckle = |ahead: f64| DVec3::new(0.0, 0.0, ahead);
        let reach = |length: f64| DVec3::new(side * length, 0.0, 0.0);
        [
            ("Pinky", reach(0.07) + knuckle(-0.03), 0.02),
            ("Thumb", reach(0.02) + knuckle(0.03), 0.03),
            ("Middle", reach(0.085) + knuckle(0.005), 0.028),
            ("Index", reach(0.085) + knuckle(0.02), 0.026),
            ("Ring", reach(0.08) + knuckle(-0.015), 0.026),
        ]
        .map(|(word, base, bone)| (word, base, reach(bone)))
    };
    let mut joints = nameless(&walk).skeleton().joints().to_vec();
    let num_joints = joints.len();
    let ends = [18, 23];
    for end in ends {
        joints[end].tip = None;
    }
    let mut expected = vec![None; num_joints];
    for (hand, side, name) in [(17, 1.0, "Left"), (22, -1.0, "Right")] {
        for (word, base, bone) in fingers(side) {
            for number in 1..=3 {
                let (parent, offset) = if number == 1 {
                    (hand, base)
                } else {
                    (joints.len() - 1, bone)
                };
                joints.push(Joint {
                    tip: (number == 3).then_some(bone),
                    ..Joint::new(format!("bone_{}", joints.len()), Some(parent), offset)
                });
                expected.push(Some(format!("{name}{word}{number}")));
            }
        }
    }
    let skeleton = Skeleton::new(joints).unwrap();
    let take = posed_on(&walk, skeleton.clone(), |_, pose| {
        for end in ends {
            pose.translations[end] = DVec3::ZERO;
        }
        for joint in &skeleton.joints()[num_joints..] {
            pose.translations.push(joint.rest_offset);
            pose.rotations.push(DQuat::IDENTITY);
        }
    });
    let told = guessed(&take);
    let found: Vec<Option<String>> = parts(&told).into_iter().map(|part| part.map(str::to_owned)).collect();
    assert_eq!(found[num_joints..], expected[num_joints..]);
    assert_eq!(body(&told).hands, [17, 22]);
}

#[test]
fn what_a_file_states_is_no_guess() {
    let walk = walk_of(steady());
    let bare = nameless(&walk);
    let stated = walk
        .skeleton()
        .joints()
        .iter()
        .map(|joint| Some(Part::Stated(joint.name.clone())));
    let told = bare.with_parts(stated.collect::<Vec<_>>());
    assert_eq!(guess_parts(&told), None);
    assert_eq!(body(&told), body(&walk));
}

#[test]
fn crowds_of_joints_are_not_guessed() {
    let bare = nameless(&walk_of(steady()));
    let with_more = |count: usize| {
        let more = (0..count).map(|joint| Joint::new(format!("more_{joint}"), Some(13), DVec3::Y * 0.1));
        let skeleton = Skeleton::new(bare.skeleton().joints().iter().cloned().chain(more).collect()).unwrap();
        posed_on(&of_frames(&bare, 0..1), skeleton, |_, pose| {
            pose.translations.extend(vec![DVec3::Y * 0.1; count]);
            pose.rotations.extend(vec![DQuat::IDENTITY; count]);
        })
    };
    assert!(guess_parts(&with_more(1000)).is_some());
    assert_eq!(guess_parts(&with_more(2000)), None, "all pairs of chains are compared");
}

#[test]
fn other_bodies_are_not_guessed() {
    let down = DVec3::Y * -0.5;
    let snake: Vec<(Option<usize>, DVec3)> = (0..20_usize).map(|joint| (joint.checked_sub(1), -0.2 * down)).collect();
    let mut horse = vec![
        (None, DVec3::Y),
        (Some(0), DVec3::Z * 0.8),
        (Some(1), DVec3::new(0.0, 0.3, 0.3)),
    ];
    for (above, x) in [(0, 0.2), (0, -0.2), (1, 0.2), (1, -0.2)] {
        let first = horse.len();
        horse.extend([
            (Some(above), DVec3::X * x),
            (Some(first), down),
            (Some(first + 1), down),
        ]);
    }
    for rows in [snake, horse] {
        let joints = rows
            .iter()
            .enumerate()
            .map(|(index, &(parent, at))| Joint::new(format!("b{index}"), parent, at));
        let skeleton = Skeleton::new(joints.collect()).unwrap();
        let take = take_of(skeleton, 0.1, 3, |_, joint| (rows[joint].1, DQuat::IDENTITY));
        assert_eq!(guess_parts(&take), None);
    }
}
