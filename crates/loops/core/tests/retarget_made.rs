//! Loops that are made of a take and then go onto a character.

use core::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use glam::{DQuat, DVec3};
use loopwright_core::{
    LoopSettings, MadeLoop, RootMode, RootSettings, SearchSettings, Take,
    edit::{BodyTurn, JointOffset, LoopEdit, Offset},
    feet::{FeetSettings, FootLock, FootOutcome, RootSpeed},
    loop_clip::LoopKeys,
    math::rotation,
    motion::WorldTracks,
    quality,
    retarget::{FootSole, Rig, RigPair},
};

use crate::support::{
    analysed, best_made,
    characters::{Character, PLAIN, Tree, character, pair_onto, rig_at_rest, rig_of, speed_of_points, walk},
    measured, posed,
};

/// The walker, a character, and the recommended loop of the walker with these settings on it.
struct On {
    own: MadeLoop,
    pair: RigPair,
    made: MadeLoop,
}

fn onto(target: &Take, search: &SearchSettings, settings: &LoopSettings) -> On {
    let take = walk();
    let pair = pair_onto(&take, target);
    let analysis = analysed(&take);
    let found = analysis.find_loops(search).unwrap();
    let settings = LoopSettings {
        character: Some(Arc::new(pair.clone())),
        ..settings.clone()
    };
    let made = analysis.make_loop(found.best().unwrap(), &settings).unwrap();
    let own = made.of_take.as_deref().unwrap().clone();
    On { own, pair, made }
}

#[test]
fn a_loop_is_the_same_on_characters_of_all_sizes() {
    for legs in [0.1, 0.45, 2.5, 6.0] {
        let target = character(&walk(), Character { legs, ..PLAIN });
        let On { own, pair, made } = onto(&target, &SearchSettings::default(), &LoopSettings::default());
        // The stretch, its samples and its seam are those of the take.
        let of_take = (&own.candidate, &own.closed, &own.take);
        assert_eq!((&made.candidate, &made.closed, &made.take), of_take);
        let (one, other) = (&own.loop_clip, &made.loop_clip);
        let shape = |made: &MadeLoop| (made.loop_clip.num_samples(), made.loop_clip.step_secs());
        assert_eq!(shape(&own), shape(&made));
        let [one, other] = [one, other].map(|clip| clip.root().twist);
        assert!((one.linear * pair.scale() - other.linear).length() < 1e-12);
        assert_eq!(one.angular, other.angular);
        // It is what retargeting makes of the finished loop.
        let transfer = pair.of_loop(&own.loop_clip);
        let carried = transfer.loop_clip(&own.loop_clip).unwrap();
        let (held, feet) = transfer.held(&own.loop_clip, &carried, FootLock::Auto).unwrap();
        assert!(made.loop_clip == held.unwrap_or(carried) && made.feet.contacts == feet.contacts);
        // Feet stand while those of the take do, as still as those where they are left as they are.
        let stands = transfer.stands(&own.loop_clip);
        let theirs = quality::stands(&LoopKeys::from_loop(&own.loop_clip), &own.body, None);
        let theirs = speed_of_points(&own.loop_clip, &theirs, DVec3::ZERO) * pair.scale();
        let is_still = feet.outcomes.contains(&FootOutcome::Still);
        let most = if is_still { 1.1 * theirs } else { 0.01 * legs.max(1.0) };
        for point in [DVec3::ZERO, DVec3::new(0.01, 0.0, 0.03) * legs] {
            let speed = speed_of_points(&made.loop_clip, &stands, point);
            assert!(speed < most, "legs {legs}: {speed} m/s, most {most}");
        }
        // It is compared with the uncut take on the character, at the character's size.
        let (before, after) = (measured(&own), measured(&made));
        let [before, after] = [before, after].map(|quality| quality.displacement_metres.unwrap());
        let most = before + 0.01 * pair.scale().max(1.0);
        assert!(after < most, "legs {legs}: {before} m, {after} m");
        assert!(!measured(&made).pops(), "legs {legs}");
    }
}

#[test]
fn a_speed_that_is_given_is_the_characters() {
    let target = character(&walk(), Character { legs: 0.45, ..PLAIN });
    let settings = LoopSettings::with_feet(FeetSettings {
        speed: RootSpeed::Given(0.7),
        ..FeetSettings::default()
    });
    let On { made, .. } = onto(&target, &SearchSettings::default(), &settings);
    let linear = made.loop_clip.root().twist.linear;
    assert!((linear.with_y(0.0).length() - 0.7).abs() < 1e-9, "{linear}");
}

/// Toes whose ends no file tells, on the ground at rest: there is nothing to turn up, and nothing spins.
#[test]
fn toes_without_ends_keep_their_turns() {
    let take = walk();
    let target = character(&take, PLAIN);
    let ball = target.skeleton().find("ball_l").unwrap();
    let down = target.world_tracks().position(0, ball).y;
    for off in [0.0, 1e-10, 1e-4] {
        let target = posed(&target, |_, pose| pose.translations[0].y -= down - off);
        let pair = pair_onto(&take, &target);
        let moved = pair.of_motion(&take.world_tracks()).take(&take).unwrap();
        for (toe, like) in [("ball_l", "LeftToeBase"), ("ball_r", "RightToeBase")] {
            let [toe, like] = [moved.skeleton().find(toe), take.skeleton().find(like)].map(Option::unwrap);
            let (ours, theirs) = (moved.world_tracks(), take.world_tracks());
            for frame in 1..take.num_frames() {
                let step = |of: &WorldTracks, joint: usize| {
                    rotation::difference(of.rotation(frame, joint), of.rotation(frame - 1, joint)).length()
                };
                let (one, other) = (step(&ours, toe), step(&theirs, like));
                assert!(one < other + 0.05, "{off} m off, frame {frame}: {one} {other}");
            }
        }
    }
}

/// How far soles reach beyond the ball, metres.
const SOLE_AHEAD_METRES: f64 = 0.3;

/// Soles of a character's long feet, on the ground at rest.
fn long_soles(target: &Take) -> Vec<FootSole> {
    let at_rest = target.pose(0).to_pose().as_ref().world(target.skeleton());
    let sole = |[ankle, toe]: [&str; 2]| {
        let [ankle, toe] = [ankle, toe].map(|name| target.skeleton().find(name).unwrap());
        let [heel, ball] = [ankle, toe].map(|joint| at_rest.translations[joint].with_y(0.0));
        let point = |joint: usize, at: DVec3| (joint, at_rest.as_ref().joint(joint).inverse().transform_point(at));
        let ahead = (ball - heel).normalize();
        FootSole {
            ankle,
            points: vec![
                point(ankle, heel - 0.05 * ahead),
                point(ankle, ball),
                point(toe, ball),
                point(toe, ball + SOLE_AHEAD_METRES * ahead),
            ],
        }
    };
    [["foot_l", "ball_l"], ["foot_r", "ball_r"]].map(sole).to_vec()
}

/// Feet that are longer than those of the take would go through the ground while they roll and swing.
#[test]
fn soles_stay_above_the_ground() {
    let take = walk();
    let mut tree = Tree::of(&with_long_feet(&character(&take, PLAIN)));
    let ball = tree.at("ball_l");
    tree.add("root", None, DVec3::ZERO).hang("pelvis", "root");
    tree.add("bell", Some("root"), ball);
    let target = tree.take();
    let soles = long_soles(&target);
    let on = |rig: Rig| {
        RigPair::new(rig_of(&take), rig)
            .unwrap()
            .of_motion(&take.world_tracks())
    };
    let lowest = |moved: &Take| {
        let world = moved.world_tracks();
        let points = soles.iter().flat_map(|sole| &sole.points);
        let heights = points.flat_map(|&(joint, at)| {
            let world = &world;
            (0..moved.num_frames()).map(move |frame| world.point(frame, joint, at).y)
        });
        heights.fold(f64::INFINITY, f64::min)
    };
    let retarget = on(rig_at_rest(&target).with_soles(soles.clone()));
    let moved = retarget.take(&take).unwrap();
    let free = on(rig_at_rest(&target)).take(&take).unwrap();
    let [under, kept] = [&free, &moved].map(lowest);
    // What the ankle would have to turn within a few frames is partly smoothed away.
    assert!(under < -0.03 && kept > 0.35 * under, "{kept} m of {under} m");
    // Toes turn as the source's do, or as their ends stay on the ground while the ball rises. Where one goes over into the other within a
    // frame, their turn from frame to frame changes by no more than the sum of both, times the steepest slope of x s(x) in clear.rs: 16 / 9.
    for (toe, like) in [("ball_l", "LeftToeBase"), ("ball_r", "RightToeBase")] {
        let [toe, like] = [target.skeleton().find(toe), take.skeleton().find(like)].map(Option::unwrap);
        let (ours, theirs) = (moved.world_tracks(), take.world_tracks());
        let steps = |of: &WorldTracks, joint: usize| -> Vec<DVec3> {
            let step = |frame| rotation::difference(of.rotation(frame, joint), of.rotation(frame - 1, joint));
            (1..take.num_frames()).map(step).collect()
        };
        let greatest_change = |steps: &[DVec3]| {
            let changes = steps.windows(2).map(|pair| pair[0].distance(pair[1]));
            changes.fold(0.0, f64::max)
        };
        let own = steps(&theirs, like);
        let turn = own.iter().map(|step| step.length()).fold(0.0, f64::max);
        let rise = |frame: usize| (ours.position(frame, toe).y - ours.position(frame - 1, toe).y).abs();
        let rise = (1..take.num_frames()).map(rise).fold(0.0, f64::max);
        let most = greatest_change(&own) + 16.0 / 9.0 * (turn + rise / SOLE_AHEAD_METRES);
        let change = greatest_change(&steps(&ours, toe));
        assert!(change < most, "{change} radians a frame, most {most}");
    }
    // What follows the toes turns up with them.
    let (world, rest) = (moved.world_tracks(), target.pose(0).world(target.skeleton()));
    for frame in 0..moved.num_frames() {
        let [toe, bell] = ["ball_l", "bell"].map(|name| {
            let joint = target.skeleton().find(name).unwrap();
            world.rotation(frame, joint) * rest.rotations[joint].conjugate()
        });
        let off = rotation::difference(bell, toe).length();
        assert!(off < 1e-9, "frame {frame}: {off} radians");
    }
}

/// Returns the character below a joint on the ground, as engines have it, whose axes are a quarter turn off.
fn below_a_root(character: &Take) -> Take {
    let mut tree = Tree::of(character);
    tree.add("root", None, DVec3::ZERO).hang("pelvis", "root");
    let root = tree.find("root");
    tree.joints[root].2.rotation = DQuat::from_axis_angle(DVec3::X, -FRAC_PI_2);
    tree.take()
}

#[test]
fn the_root_joint_of_the_character_carries_the_root_motion_in_every_mode() {
    let target = below_a_root(&character(&walk(), Character { legs: 0.6, ..PLAIN }));
    for mode in [RootMode::Constant, RootMode::Path] {
        let settings = LoopSettings::with_root(RootSettings {
            mode,
            ..RootSettings::default()
        });
        let On { own, pair, made } = onto(&target, &SearchSettings::default(), &settings);
        let clip = &made.loop_clip;
        assert_eq!((made.source.root_joint, clip.carrier()), (Some(0), 0));
        assert_eq!(clip.follows_path(), mode == RootMode::Path);
        for key in [0, 13, clip.num_samples(), 2 * clip.num_samples() + 7] {
            let played = clip.folded_pose(key);
            let (joint, root) = (played.as_ref().joint(0), clip.root_pose(key));
            let off = (joint.translation - root.translation).length();
            assert!(off < 1e-9, "{mode:?} key {key}");
            // The path is that of the take's loop, at the character's scale.
            let theirs = own.loop_clip.root_pose(key).translation.with_y(0.0) * pair.scale();
            let off = (root.translation.with_y(0.0) - theirs).length();
            assert!(off < 1e-9, "{mode:?} key {key}");
        }
        let quality = measured(&made);
        assert!(!quality.pops(), "{mode:?}");
        assert!(quality.displacement_metres.unwrap() < 0.01, "{mode:?}: {quality:?}");
    }
}

#[test]
fn mirrored_loops_stay_mirrored_on_a_character_and_after_edits() {
    let take = walk();
    let mirror = analysed(&take).mirror(&[]).unwrap();
    let search = SearchSettings {
        pairing: Some(mirror).into(),
        ..SearchSettings::default()
    };
    let target = character(&take, Character { legs: 1.3, ..PLAIN });
    let find = |name: &str| target.skeleton().find(name).unwrap();
    let [left, right] = [find("hand_l"), find("hand_r")];
    let offset = JointOffset {
        rotation: DVec3::new(0.0, 0.3, 0.1),
        position: DVec3::ZERO,
    };
    let turn = BodyTurn {
        spread: 0.2,
        ..BodyTurn::default()
    };
    let edit = Offset {
        joint: left,
        offset,
        turn,
    };
    for edits in [vec![], vec![LoopEdit::Offset(edit)]] {
        let settings = LoopSettings {
            edits: edits.clone(),
            ..LoopSettings::default()
        };
        let On { made, .. } = onto(&target, &search, &settings);
        let clip = &made.loop_clip;
        assert!(made.candidate.pairing.is_mirrored());
        let half = clip.num_samples() / 2;
        let world = clip.tracks_from_root();
        for sample in 0..half {
            // The right hand mirrors the left one, half a cycle later.
            let (one, other) = (world.joint(sample, left), world.joint(sample + half, right));
            let image = one.translation * DVec3::new(-1.0, 1.0, 1.0);
            let off = (image - other.translation).length();
            assert!(off < 1e-3, "{} edits, sample {sample}", edits.len());
        }
        assert!(!measured(&made).pops());
    }
}

/// The same words move the arms of two characters alike whose joints have other axes; what is kept of them is in these axes.
#[test]
fn arms_are_raised_alike_on_characters_of_any_axes() {
    let hands = [false, true].map(|has_own_axes| {
        let of = Character {
            arms_down: 0.8,
            has_own_axes,
            ..PLAIN
        };
        let target = character(&walk(), of);
        let find = |name: &str| target.skeleton().find(name).unwrap();
        let edits = [("upperarm_l", 0.4), ("lowerarm_l", 0.2), ("upperarm_r", -0.3)];
        let edits = edits.map(|(joint, raise)| {
            LoopEdit::Offset(Offset {
                joint: find(joint),
                offset: JointOffset::ZERO,
                turn: BodyTurn {
                    raise,
                    spread: 0.2,
                    twist: 0.3,
                },
            })
        });
        let settings = LoopSettings {
            edits: edits.to_vec(),
            ..LoopSettings::default()
        };
        let On { made, .. } = onto(&target, &SearchSettings::default(), &settings);
        for edit in &made.edits {
            let LoopEdit::Offset(made) = edit else {
                panic!("{edit:?}")
            };
            assert!(made.turn == BodyTurn::default() && made.offset.rotation.length() > 0.3);
        }
        let world = made.loop_clip.tracks_from_root();
        let [left, right] = ["hand_l", "hand_r"].map(find);
        let samples = 0..world.num_frames();
        samples
            .map(|sample| [world.position(sample, left), world.position(sample, right)])
            .collect::<Vec<_>>()
    });
    let [one, other] = hands;
    for (one, other) in one.into_iter().flatten().zip(other.into_iter().flatten()) {
        assert!(one.distance(other) < 1e-4, "{one} {other}");
    }
}

/// Returns the character with balls of the feet twice as far ahead, which its legs do not always reach.
fn with_long_feet(character: &Take) -> Take {
    let mut tree = Tree::of(character);
    for (foot, ball) in [("foot_l", "ball_l"), ("foot_r", "ball_r")] {
        let (foot, at) = (tree.at(foot), tree.at(ball));
        tree.put(ball, at + DVec3::Z * (at - foot).z);
    }
    tree.take()
}

#[test]
fn legs_grow_by_no_more_than_is_allowed_and_reach_farther() {
    let take = walk();
    let target = with_long_feet(&character(&take, PLAIN));
    let mut pair = pair_onto(&take, &target);
    let lengths = |on: &Take| -> Vec<f64> {
        let world = on.world_tracks();
        let find = |name: &str| on.skeleton().find(name).unwrap();
        let bones = [
            ["thigh_l", "calf_l"],
            ["calf_l", "foot_l"],
            ["upperarm_l", "lowerarm_l"],
            ["foot_l", "ball_l"],
        ];
        let longest = |[above, below]: [&str; 2]| {
            let length = |frame| {
                world
                    .position(frame, find(above))
                    .distance(world.position(frame, find(below)))
            };
            (0..on.num_frames()).map(length).fold(0.0, f64::max)
        };
        bones.map(longest).to_vec()
    };
    // How far balls that follow are from their places, level, at most.
    let miss = |pair: &RigPair, on: &Take| {
        let (ours, theirs) = (on.world_tracks(), take.world_tracks());
        let [ball, like] = [on.skeleton().find("ball_l"), take.skeleton().find("LeftToeBase")].map(Option::unwrap);
        let off = |frame: usize| {
            let off = ours.position(frame, ball) - theirs.position(frame, like) * pair.scale();
            DVec3::new(off.x, 0.0, off.z).length()
        };
        (0..on.num_frames()).map(off).sum::<f64>() / on.num_frames() as f64
    };
    let stiff = pair.of_motion(&take.world_tracks()).take(&take).unwrap();
    let (rest, before) = (lengths(&target), miss(&pair, &stiff));
    for (one, other) in rest.iter().zip(lengths(&stiff)) {
        assert!((one - other).abs() < 1e-12, "bones keep their lengths");
    }
    pair.stretch = 0.01;
    let grown = pair.of_motion(&take.world_tracks()).take(&take).unwrap();
    let [thigh, shin, arm, foot] = <[f64; 4]>::try_from(lengths(&grown)).unwrap();
    assert!(thigh > 1.001 * rest[0] && thigh < 1.01 * rest[0], "{thigh} {}", rest[0]);
    assert!((thigh / rest[0] - shin / rest[1]).abs() < 1e-9, "both bones grow alike");
    assert!(
        (arm - rest[2]).abs() < 1e-12 && (foot - rest[3]).abs() < 1e-12,
        "{arm} {foot}"
    );
    let after = miss(&pair, &grown);
    assert!(after < before, "{before} m, {after} m");
    // A loop stays closed.
    let settings = LoopSettings {
        character: Some(Arc::new(pair)),
        ..LoopSettings::default()
    };
    assert!(!measured(&best_made(&analysed(&take), &settings)).pops());
}
