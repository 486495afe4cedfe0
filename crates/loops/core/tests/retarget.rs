//! Retargeting with known truth: rigs made here from the synthetic walker's, with other names, axes, rests and proportions.

use glam::{DQuat, DVec3};
use loopwright_core::{
    BodyOverrides, LoopClip, LoopSettings, MadeLoop, Pose, Skeleton, Take,
    feet::{FootLock, FootOutcome, HoldError},
    loop_clip::LoopKeys,
    math::rotation,
    motion::WorldTracks,
    quality,
    retarget::{Given, JointMap, MapError, Retarget, Rig, RigPair, unturned},
};
use loopwright_synth::WalkSettings;

use crate::support::{
    analysed, best_made,
    characters::{
        Character, MIXAMO, PLAIN, Tree, UNREAL, character, pair_onto, rig_at_rest, rig_of, speed_of_points, walk,
    },
    posed, take_of, walk_of,
};

fn long_walk() -> Take {
    walk_of(WalkSettings::default().seconds(20.0))
}

fn retarget(source: &Rig, target: &Rig, take: &Take) -> (Retarget, Take) {
    let pair = RigPair::new(source.clone(), target.clone()).unwrap();
    let retarget = pair.of_motion(&take.world_tracks());
    let moved = retarget.take(take).unwrap();
    (retarget, moved)
}

fn degrees_between(one: DQuat, other: DQuat) -> f64 {
    rotation::difference(one, other).length().to_degrees()
}

/// Returns the largest angle between bones of limbs in two takes, degrees, from one of them on.
fn bones_apart(one: (&Take, &str), other: (&Take, &str), frame: usize, from: usize) -> f64 {
    let [one, other] = [one, other].map(|(take, names)| bones(take, frame, names));
    let pairs = one.into_iter().zip(other).skip(from);
    pairs
        .map(|(one, other)| one.angle_between(other).to_degrees())
        .fold(0.0, f64::max)
}

#[test]
fn a_rig_onto_itself_keeps_every_turn() {
    let take = walk();
    let rig = rig_of(&take);
    let (transfer, moved) = retarget(&rig, &rig, &take);
    assert_eq!(transfer.scale(), 1.0);
    let mut worst = 0.0_f64;
    for frame in 0..take.num_frames() {
        for joint in 0..take.num_joints() {
            let [before, after] = [&take, &moved].map(|take| take.rotations(frame)[joint]);
            worst = worst.max(degrees_between(before, after));
        }
        let shift = moved.translations(frame)[0] - take.translations(frame)[0];
        let first = moved.translations(0)[0] - take.translations(0)[0];
        assert!((shift - first).length() < 1e-9, "{shift}");
    }
    assert!(worst < 1e-3, "{worst} degrees");
}

/// Returns the direction of each bone of a limb in the world.
fn bones(take: &Take, frame: usize, names: &str) -> Vec<DVec3> {
    let world = take.world_tracks();
    let names: Vec<&str> = names.split_whitespace().collect();
    let find = |index: usize| take.skeleton().find(names[index]).unwrap();
    let of = |from: usize, to: usize| (world.position(frame, find(to)) - world.position(frame, find(from))).normalize();
    [(1, 2), (2, 3), (5, 6), (6, 7), (15, 16), (16, 17), (19, 20), (20, 21)]
        .map(|(from, to)| of(from, to))
        .to_vec()
}

#[test]
fn limbs_point_as_in_the_source_whatever_the_rest_and_its_axes() {
    let take = walk();
    let source = rig_of(&take);
    for (arms_down, has_own_axes, faces) in [(0.0, true, 0.0), (0.8, false, 0.0), (0.8, true, 1.3)] {
        let of = Character {
            arms_down,
            has_own_axes,
            faces,
            ..PLAIN
        };
        let target = rig_at_rest(&character(&take, of));
        let (_, moved) = retarget(&source, &target, &take);
        for frame in (0..take.num_frames()).step_by(37) {
            let apart = bones_apart((&take, MIXAMO), (&moved, UNREAL), frame, 0);
            assert!(apart < 0.01, "frame {frame}: {apart} degrees, {arms_down} {faces}");
        }
    }
}

#[test]
fn there_and_back_again() {
    let take = walk();
    let source = rig_of(&take);
    let other = Character {
        arms_down: 0.7,
        legs: 1.2,
        arms: 0.8,
        has_own_axes: true,
        ..PLAIN
    };
    // Its wrists hang low beside its short legs, and are not on the ground: arms are compared alone.
    let low_hands = Character {
        legs: 0.45,
        arms: 1.5,
        ..PLAIN
    };
    for (of, scale, from, most) in [(other, Some(1.2), 0, 0.1), (low_hands, None, 4, 0.01)] {
        let target = rig_at_rest(&character(&take, of));
        let (there, moved) = retarget(&source, &target, &take);
        assert!(scale.is_none_or(|scale| (there.scale() - scale).abs() < 1e-9));
        let (_, back) = retarget(&target, &source, &moved);
        for frame in (0..take.num_frames()).step_by(37) {
            let apart = bones_apart((&take, MIXAMO), (&back, MIXAMO), frame, from);
            assert!(apart < most, "frame {frame}: {apart} degrees");
        }
    }
}

#[test]
fn bones_keep_their_lengths_and_equal_poses_stay_equal() {
    let take = walk();
    let of = Character {
        legs: 0.7,
        arms_down: 0.7,
        ..PLAIN
    };
    let rest = character(&take, of);
    let (transfer, moved) = retarget(&rig_of(&take), &rig_at_rest(&rest), &take);
    for frame in 0..take.num_frames() {
        for joint in 1..rest.num_joints() {
            assert_eq!(moved.translations(frame)[joint], rest.translations(0)[joint]);
        }
    }
    assert_eq!(transfer.pose(take.pose(50)), transfer.pose(take.pose(50)));
    let mut flipped = take.pose(50).to_pose();
    flipped.rotations.iter_mut().for_each(|turn| *turn = -*turn);
    let (one, other) = (transfer.pose(take.pose(50)), transfer.pose(flipped.as_ref()));
    for (one, other) in one.rotations.into_iter().zip(other.rotations) {
        assert!(degrees_between(one, other) < 1e-9);
    }
}

fn made_loop(take: &Take) -> MadeLoop {
    best_made(&analysed(take), &LoopSettings::default())
}

#[test]
fn loops_stay_loops_with_one_twist_at_scale() {
    let take = walk();
    let made = made_loop(&take);
    let clip = &made.loop_clip;
    let of = Character {
        legs: 1.3,
        arms_down: 0.8,
        has_own_axes: true,
        ..PLAIN
    };
    let pair = pair_onto(&take, &character(&take, of));
    let transfer = pair.of_loop(clip);
    let moved = transfer.loop_clip(clip).unwrap();
    let shape = |clip: &LoopClip| (clip.num_samples(), clip.period_secs());
    assert_eq!(shape(&moved), shape(clip));
    assert_eq!(moved.root().twist.angular, clip.root().twist.angular);
    assert!((moved.root().twist.linear - clip.root().twist.linear * transfer.scale()).length() < 1e-12);
    let quality = |clip: &LoopClip, body| quality::measure(&LoopKeys::from_loop(clip), body, None);
    let (before, after) = (quality(clip, &made.body), quality(&moved, pair.target.body()));
    assert!(!before.pops() && !after.pops());
    let slide = after.foot_slide_mps.unwrap();
    assert!(slide < 0.013, "{slide} m/s");
}

/// Returns the largest bend of a leg, degrees.
fn most_bent(skeleton: &Skeleton, world: &WorldTracks, leg: [&str; 3]) -> f64 {
    let joints = leg.map(|name| skeleton.find(name).unwrap());
    let bend = |frame: usize| {
        let [thigh, knee, ankle] = joints.map(|joint| world.position(frame, joint));
        (knee - thigh).angle_between(ankle - knee).to_degrees()
    };
    (0..world.num_frames()).map(bend).fold(0.0, f64::max)
}

#[test]
fn feet_are_held_while_those_of_the_source_stand() {
    let take = walk();
    let made = made_loop(&take);
    let clip = &made.loop_clip;
    for (legs, apart) in [(0.45, false), (1.0, false), (2.5, false), (1.3, true), (0.6, true)] {
        let rest = character(&take, Character { legs, ..PLAIN });
        let rest = if apart { with_feet_apart(&rest) } else { rest };
        let transfer = pair_onto(&take, &rest).of_loop(clip);
        let carried = transfer.loop_clip(clip).unwrap();
        let (held, feet) = transfer.held(clip, &carried, FootLock::Auto).unwrap();
        let held = held.unwrap_or(carried);
        let what = format!("legs {legs}, apart {apart}: {:?}", feet.outcomes);
        let stands = transfer.stands(clip);
        assert!(stands.len() >= 2, "{what}");
        // The joint that is held, and a point of the toes that is not.
        for point in [DVec3::ZERO, DVec3::new(0.01, 0.0, 0.03) * legs] {
            let speed = speed_of_points(&held, &stands, point);
            // Feet that are as still as those of the source are not held.
            let is_still = feet.outcomes.contains(&FootOutcome::Still);
            let most = if is_still { 0.03 * legs } else { 0.01 };
            assert!(speed < most, "{what}: {speed} m/s");
        }
        let most = transfer.slide_of_source(clip).unwrap().max(0.01) * transfer.scale();
        assert!(feet.foot_slide_mps[1].unwrap() <= most * (1.0 + 1e-6), "{what}");
        for (ours, theirs) in [
            (["thigh_l", "calf_l", "foot_l"], ["LeftUpLeg", "LeftLeg", "LeftFoot"]),
            (["thigh_r", "calf_r", "foot_r"], ["RightUpLeg", "RightLeg", "RightFoot"]),
        ] {
            let [ours, theirs] = [(&held, ours), (clip, theirs)]
                .map(|(clip, leg)| most_bent(clip.skeleton(), &clip.tracks_from_root(), leg));
            let more = ours - theirs;
            assert!(more < 10.0, "{what}: {more} degrees");
        }
        // Bones keep their lengths, and feet that are placed end their legs.
        let [knee, ankle] = ["calf_l", "foot_l"].map(|name| held.skeleton().find(name).unwrap());
        let shin =
            |world: &WorldTracks, frame: usize| world.position(frame, knee).distance(world.position(frame, ankle));
        let (world, length) = (held.tracks_from_root(), shin(&rest.world_tracks(), 0));
        for sample in 0..held.num_samples() {
            let off = (shin(&world, sample) - length).abs();
            assert!(off < 1e-9, "{what}: sample {sample}, {off} m of {length} m");
        }
    }
}

/// Speeds over the ground, metres per second, of a point that is fixed to a joint of one take, at the frames at which a joint of
/// another is low and rests.
fn speeds_while_resting((moved, joint, point): (&Take, &str, DVec3), (take, like): (&Take, &str)) -> Vec<f64> {
    let (ours, theirs) = (moved.world_tracks(), take.world_tracks());
    let [joint, like] = [(moved, joint), (take, like)].map(|(take, name)| take.skeleton().find(name).unwrap());
    let over = |from: DVec3, to: DVec3| (to - from).with_y(0.0).length() / (2.0 * take.frame_time_secs());
    let lowest = (0..take.num_frames())
        .map(|frame| theirs.position(frame, like).y)
        .fold(f64::INFINITY, f64::min);
    (1..take.num_frames() - 1)
        .filter(|&frame| theirs.position(frame, like).y < lowest + 0.02)
        .filter(|&frame| over(theirs.position(frame - 1, like), theirs.position(frame + 1, like)) < 0.05)
        .map(|frame| {
            let at = |frame: usize| ours.joint(frame, joint).transform_point(point);
            over(at(frame - 1), at(frame + 1))
        })
        .collect()
}

/// Returns the heights of a foot, metres, at the frames at which that of the source is low.
fn heights_at_rest(moved: &Take, foot: &str, take: &Take) -> Vec<f64> {
    let like = ["LeftToeBase", "RightToeBase"][usize::from(!foot.ends_with("_l"))];
    let height = |take: &Take, name: &str| -> Vec<f64> {
        let (world, joint) = (take.world_tracks(), take.skeleton().find(name).unwrap());
        let frames = 0..take.num_frames();
        frames.map(|frame| world.position(frame, joint).y).collect()
    };
    let theirs = height(take, like);
    let lowest = theirs.iter().copied().fold(f64::INFINITY, f64::min);
    let ours = height(moved, foot).into_iter().zip(theirs);
    let low = ours.filter(|(_, theirs)| *theirs < lowest + 0.005);
    low.map(|(ours, _)| ours).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn feet_of_takes_are_held_too() {
    let take = long_walk();
    let source = rig_of(&take);
    for (legs, apart, slides) in [(0.45, false, true), (2.5, false, false), (0.6, true, true)] {
        let rest = character(&take, Character { legs, ..PLAIN });
        let rest = if apart { with_feet_apart(&rest) } else { rest };
        let target = rig_at_rest(&rest);
        let (transfer, carried) = retarget(&source, &target, &take);
        let held = transfer.held_take(&take, &carried, FootLock::Auto).unwrap();
        let held = held.unwrap_or_else(|| carried.clone());
        let shape = |take: &Take| (take.num_frames(), take.frame_time_secs());
        assert_eq!(shape(&held), shape(&take));
        for (foot, like) in [("ball_l", "LeftToeBase"), ("ball_r", "RightToeBase")] {
            for point in [DVec3::ZERO, DVec3::new(0.01, 0.0, 0.03) * legs] {
                let speeds = |moved: &Take| speeds_while_resting((moved, foot, point), (&take, like));
                let (before, after) = (speeds(&carried), speeds(&held));
                assert!(after.len() > 200, "{} frames", after.len());
                let [before, mean] = [mean(&before), mean(&after)];
                assert!(!slides || before > 0.01, "legs {legs}: {before} m/s before");
                assert!(mean < 0.005 * legs.max(1.0), "legs {legs}: {mean} m/s");
                let most = after.iter().copied().fold(0.0, f64::max);
                assert!(most < 0.06 * legs.max(1.0), "legs {legs}: {most} m/s at most");
            }
        }
        // Legs that do not reach lower the hips; feet stay on the ground.
        for foot in ["ball_l", "ball_r"] {
            let heights = |moved: &Take| heights_at_rest(moved, foot, &take);
            let lifts: Vec<f64> = heights(&held)
                .iter()
                .zip(heights(&carried))
                .map(|(after, before)| (after - before).abs())
                .collect();
            let lift = mean(&lifts);
            assert!(lift < 0.004 * legs, "legs {legs}: {lift} m off the ground");
        }
        // Nothing leaps, also not where one window ends and the next begins.
        let world = [&carried, &held].map(Take::world_tracks);
        let knee = held.skeleton().find("calf_l").unwrap();
        let sharpest = |of: usize| {
            let at = |frame: usize| world[of].position(frame, knee);
            let second = |frame: usize| (at(frame - 1) - 2.0 * at(frame) + at(frame + 1)).length();
            (1..take.num_frames() - 1).map(second).fold(0.0, f64::max)
        };
        let [before, after] = [0, 1].map(sharpest);
        assert!(after < 1.5 * before, "legs {legs}: {after} {before}");
        let [ours, theirs] = [
            (&held, ["thigh_l", "calf_l", "foot_l"]),
            (&take, ["LeftUpLeg", "LeftLeg", "LeftFoot"]),
        ]
        .map(|(take, leg)| most_bent(take.skeleton(), &take.world_tracks(), leg));
        assert!(ours < theirs + 10.0, "legs {legs}");
    }
}

#[test]
fn feet_that_stand_as_still_as_those_of_the_source_are_left_as_they_are() {
    let take = walk();
    let made = made_loop(&take);
    let (source, clip) = (rig_of(&take), &made.loop_clip);
    // A loop on its own skeleton stays what it is, also while feet swing.
    let transfer = RigPair::new(source.clone(), source.clone()).unwrap().of_loop(clip);
    let carried = transfer.loop_clip(clip).unwrap();
    let (held, feet) = transfer.held(clip, &carried, FootLock::Auto).unwrap();
    assert!(held.is_none());
    assert_eq!(feet.outcomes, [FootOutcome::Still; 2]);
    assert_eq!(feet.foot_slide_mps[0], feet.foot_slide_mps[1]);
    let [one, other] = [clip, &carried].map(LoopClip::tracks_from_root);
    for sample in 0..clip.num_samples() {
        for joint in 0..clip.skeleton().num_joints() {
            let off = degrees_between(one.rotation(sample, joint), other.rotation(sample, joint));
            assert!(off < 1e-5, "{sample} {joint}: {off} degrees");
        }
    }
    // The user may ask for it all the same.
    let (held, _) = transfer.held(clip, &carried, FootLock::Solve).unwrap();
    assert!(held.is_some());
    // Even if a loop's own feet slide visibly, those of the character do not.
    let loose = LoopSettings::with_feet(FootLock::Off);
    let loose = best_made(&analysed(&take), &loose).loop_clip;
    let transfer = RigPair::new(source.clone(), source).unwrap().of_loop(&loose);
    let slide = transfer.slide_of_source(&loose).unwrap();
    assert!(slide > 0.01, "{slide}");
    let carried = transfer.loop_clip(&loose).unwrap();
    let (held, feet) = transfer.held(&loose, &carried, FootLock::Auto).unwrap();
    assert!(held.is_some() && feet.foot_slide_mps[1] < feet.foot_slide_mps[0]);
}

#[test]
fn feet_of_another_motion_are_refused() {
    let take = walk();
    let clip = made_loop(&take).loop_clip;
    let pair = pair_onto(&take, &character(&take, PLAIN));
    let transfer = pair.of_loop(&clip);
    let (feet, carried) = (transfer.feet_of_take(&take), transfer.loop_clip(&clip).unwrap());
    let held = feet.hold(pair.target.body(), None, &carried, FootLock::Auto, None);
    let (found, known) = (clip.num_samples(), take.num_frames());
    assert_eq!(held.unwrap_err(), HoldError::KnownElsewhere { found, known });

    let (transfer, carried) = retarget(&pair.source, &pair.target, &long_walk());
    let held = transfer.held_take(&take, &carried, FootLock::Auto);
    let found = carried.num_frames();
    assert_eq!(held.unwrap_err(), HoldError::KnownElsewhere { found, known });
}

/// Returns the walker on its hands and feet at one place: pitched forward, arms straight down, as in a push-up.
fn on_hands(take: &Take, num_frames: usize) -> Take {
    let skeleton = take.skeleton();
    let mut pose = unturned(skeleton, DQuat::IDENTITY);
    let find = |name: &str| skeleton.find(name).unwrap();
    let set = |pose: &mut Pose, name: &str, turn: DQuat| pose.rotations[find(name)] = turn;
    set(&mut pose, "Hips", rotation::exp(DVec3::X * 1.2));
    for (name, sign) in [("LeftArm", -1.0), ("RightArm", 1.0)] {
        // Down in the world, from a T-pose whose trunk is pitched.
        let lowered = rotation::exp(DVec3::Z * sign * 1.45);
        set(&mut pose, name, rotation::exp(-DVec3::X * 1.2) * lowered);
    }
    for name in ["LeftUpLeg", "RightUpLeg"] {
        set(&mut pose, name, rotation::exp(DVec3::X * 0.1));
    }
    let world = pose.as_ref().world(skeleton);
    let lowest = ["LeftHand", "RightHand"].map(|name| world.translations[find(name)].y);
    pose.translations[0].y += 0.06 - lowest[0].min(lowest[1]);
    take_of(skeleton.clone(), 0.02, num_frames, |_, joint| {
        (pose.translations[joint], pose.rotations[joint])
    })
}

#[test]
fn hands_on_the_ground_are_on_it_where_arms_are_longer() {
    let walker = walk();
    let take = on_hands(&walker, 4);
    let source = rig_of(&walker);
    let hand = |take: &Take, name: &str| take.world_tracks().position(0, take.skeleton().find(name).unwrap());
    for arms in [1.0, 1.02, 1.05] {
        let target = rig_at_rest(&character(&walker, Character { arms, ..PLAIN }));
        let (transfer, moved) = retarget(&source, &target, &take);
        for (name, like) in [("hand_l", "LeftHand"), ("hand_r", "RightHand")] {
            let (ours, theirs) = (hand(&moved, name), hand(&take, like));
            // Both stand on a ground of their own; at the same scale the heights differ by a constant.
            let foot = |take: &Take, name: &str| hand(take, name).y;
            let over = ours.y - foot(&moved, "ball_l");
            let over_in_source = theirs.y - foot(&take, "LeftToeBase");
            assert!((transfer.scale() - 1.0).abs() < 1e-9);
            assert!(
                (over - over_in_source).abs() < 0.005,
                "arms {arms}, {name}: {over} {over_in_source}"
            );
        }
    }
    // Hands that swing beside the body follow their turns alone.
    let target = rig_at_rest(&character(&walker, Character { arms: 1.1, ..PLAIN }));
    let (_, moved) = retarget(&source, &target, &walker);
    assert!(bones_apart((&walker, MIXAMO), (&moved, UNREAL), 40, 4) < 1e-4);
}

/// Returns the character with a joint on the ground from which its feet hang, and not from its legs.
fn with_feet_apart(character: &Take) -> Take {
    let mut tree = Tree::of(character);
    tree.add("root", None, DVec3::ZERO);
    for name in ["pelvis", "foot_l", "foot_r"] {
        tree.hang(name, "root");
    }
    tree.take()
}

#[test]
fn positions_on_all_joints_are_followed_at_their_scale() {
    let take = walk();
    let target = rig_at_rest(&character(&take, PLAIN));
    let (_, moved) = retarget(&rig_of(&take), &target, &take);
    // As in files that key the position of every joint, below a parent that is scaled.
    let keyed = posed(&take, |_, pose| pose.translations.iter_mut().for_each(|at| *at *= 1.1));
    let mut rest = unturned(take.skeleton(), DQuat::IDENTITY);
    rest.translations.iter_mut().for_each(|at| *at *= 1.1);
    let source = Rig::of(&keyed, &rest, &BodyOverrides::default()).unwrap();
    let (transfer, again) = retarget(&source, &target, &keyed);
    assert!((transfer.scale() - 1.0 / 1.1).abs() < 1e-9);
    for frame in 0..take.num_frames() {
        let pairs = moved.rotations(frame).iter().zip(again.rotations(frame));
        for (one, other) in pairs {
            assert!(degrees_between(*one, *other) < 1e-4, "frame {frame}");
        }
        let off = moved.translations(frame)[0] - again.translations(frame)[0];
        assert!(off.length() < 1e-6, "frame {frame}: {off}");
    }
}

#[test]
fn spines_of_other_counts_bend_along_their_length() {
    let take = walk();
    let source = rig_of(&take);
    // One joint more between the second and the third of the spine.
    let mut tree = Tree::of(&character(&take, PLAIN));
    let between = tree.at("spine_02").midpoint(tree.at("spine_03"));
    tree.add("spine_02b", Some("spine_02"), between)
        .hang("spine_03", "spine_02b");
    let long = tree.take();
    let target = rig_at_rest(&long);
    let map = JointMap::between(&source, &target).unwrap();
    assert_eq!(map.coverage(&target), 1.0);
    let (_, moved) = retarget(&source, &target, &take);
    let (one, other) = (take.world_tracks(), moved.world_tracks());
    let [chest, top] = [take.skeleton().find("Spine2"), long.skeleton().find("spine_03")].map(Option::unwrap);
    for frame in 0..take.num_frames() {
        assert!(degrees_between(one.rotation(frame, chest), other.rotation(frame, top)) < 1e-6);
    }
}

#[test]
fn the_caller_overrides_the_map_and_mistakes_are_named() {
    let take = walk();
    let (source, target) = (rig_of(&take), rig_at_rest(&character(&take, PLAIN)));
    let (from, to) = (source.skeleton(), target.skeleton());
    let map = || JointMap::between(&source, &target).unwrap();
    let between = Given::Between("Spine".to_owned(), "Spine2".to_owned(), 0.25);
    let given = vec![
        ("hand_l".to_owned(), Given::Rest),
        ("head".to_owned(), Given::Joint("Neck".to_owned())),
        ("spine_02".to_owned(), between),
    ];
    let changed = map().with(from, to, &given).unwrap();
    assert_eq!(changed.links[to.find("hand_l").unwrap()], None);
    assert!(given.iter().all(|each| changed.names(from, to).contains(each)));
    let again = map().with(from, to, &changed.names(from, to)).unwrap();
    assert_eq!(again.names(from, to), changed.names(from, to));
    let wrong = map().with(from, to, &[("haed".to_owned(), Given::Rest)]).unwrap_err();
    assert!(
        matches!(&wrong, MapError::NoSuchJoint { similar, .. } if similar.contains(&"head".to_owned())),
        "{wrong}"
    );
    let beyond = Given::Between("Neck".to_owned(), "Head".to_owned(), 2.0);
    let wrong = map().with(from, to, &[("head".to_owned(), beyond)]);
    assert!(matches!(wrong, Err(MapError::Share { .. })));
}
