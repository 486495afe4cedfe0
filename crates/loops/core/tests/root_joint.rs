//! Rigs that have a root joint above the hips: it is detected, and it carries only the root motion.

use glam::{DQuat, DVec3};
use loopwright_core::{
    Analysis, LoopSettings, MadeLoop, RootMode, RootSettings, Skeleton, Take,
    closure::Order,
    math::{Rigid, Twist, rotation},
    root_motion::{RootBlend, RootSpace},
    unstable::root_joint,
};

use crate::support::{self, joint, made_of, take_of};

const FRAME_TIME: f64 = 1.0 / 60.0;

/// Number of frames of a cycle, and the cut that contains one.
const PERIOD: usize = 60;
const START: usize = 10;

/// Returns the truth of all takes here: a left turn at walking speed.
fn twist() -> Twist {
    support::twist(DVec3::new(0.1, 0.0, 1.3), DVec3::Y * 0.9)
}

/// The joints above the hips: name, and track in the world.
type Above<'a> = (&'a str, &'a dyn Fn(f64) -> Rigid);

/// Returns a body that sways about the screw with joints above its hips, and a sword beside them that no hand holds.
fn take(above: &[Above<'_>], beside: Option<&dyn Fn(f64) -> Rigid>) -> Take {
    let hips = above.len();
    let rows = above.iter().enumerate();
    let mut rows: Vec<(&str, Option<usize>)> = rows.map(|(index, &(name, _))| (name, index.checked_sub(1))).collect();
    rows.extend([
        ("Hips", hips.checked_sub(1)),
        ("LeftUpLeg", Some(hips)),
        ("LeftFoot", Some(hips + 1)),
        ("RightUpLeg", Some(hips)),
        ("RightFoot", Some(hips + 3)),
        ("Head", Some(hips)),
    ]);
    if beside.is_some() {
        rows.push(("Sword", Some(0)));
    }
    let offsets = [
        DVec3::new(0.1, 0.0, 0.0),
        DVec3::Y * -0.95,
        DVec3::new(-0.1, 0.0, 0.0),
        DVec3::Y * -0.95,
        DVec3::Y * 0.6,
    ];
    let joints = rows.iter().map(|&(name, parent)| joint(name, parent, DVec3::ZERO));
    let skeleton = Skeleton::new(joints.collect()).unwrap();
    take_of(skeleton, FRAME_TIME, 90, |frame, joint| {
        let secs = frame as f64 * FRAME_TIME;
        let phase = core::f64::consts::TAU * frame as f64 / PERIOD as f64;
        let sway = Rigid::new(
            rotation::exp(DVec3::new(0.05, 0.1, 0.03) * libm::sin(phase)),
            DVec3::new(0.03 * libm::cos(phase), 0.95, 0.02 * libm::sin(2.0 * phase)),
        );
        let world = |joint: usize| above.get(joint).map_or(Rigid::IDENTITY, |(_, track)| track(secs));
        let parent = joint.checked_sub(1).map_or(Rigid::IDENTITY, world);
        let local = match joint.checked_sub(hips) {
            None => parent.inverse() * world(joint),
            Some(0) => parent.inverse() * twist().exp(secs) * sway,
            Some(number @ 1..=5) => Rigid::new(DQuat::IDENTITY, offsets[number - 1]),
            Some(_) => world(0).inverse() * beside.unwrap()(secs),
        };
        (local.translation, local.rotation)
    })
}

fn made(take: &Take, root: RootSettings) -> MadeLoop {
    let settings = LoopSettings::with_root(root);
    made_of(take, START, START + PERIOD, &settings)
}

fn found(take: &Take) -> Option<usize> {
    let analysis = Analysis::new(take).unwrap();
    root_joint::find(take.skeleton(), &analysis.world, &analysis.body)
}

/// Returns the world transform of a joint of a loop in a file.
fn played(made: &MadeLoop, key: usize, joint: usize) -> Rigid {
    let clip = &made.loop_clip;
    let pose = clip.folded_pose(key);
    let joints = clip.skeleton().path_from_root(joint);
    joints
        .iter()
        .fold(Rigid::IDENTITY, |above, &joint| above * pose.as_ref().joint(joint))
}

/// Returns the distance of a point half a metre off, metres: position and rotation in one figure.
fn apart(one: Rigid, other: Rigid) -> f64 {
    let points = [DVec3::ZERO, DVec3::X * 0.5, DVec3::Y * 0.5];
    let apart = points.map(|point| (one.transform_point(point) - other.transform_point(point)).length());
    apart.into_iter().fold(0.0, f64::max)
}

fn still(_: f64) -> Rigid {
    Rigid::IDENTITY
}

/// Returns a rig's root joint on the screw: off the path, and not facing along it.
fn off_path() -> Rigid {
    Rigid::from_yaw(0.2, DVec3::new(0.3, 0.02, -0.1))
}

fn moving(secs: f64) -> Rigid {
    twist().exp(secs) * off_path()
}

/// Returns a rig with Z up: its root joint is rotated by a quarter turn.
fn leaning(secs: f64) -> Rigid {
    twist().exp(secs) * Rigid::new(rotation::exp(DVec3::X * -core::f64::consts::FRAC_PI_2), DVec3::ZERO)
}

fn at_the_hips(secs: f64) -> Rigid {
    twist().exp(secs) * Rigid::from_yaw(0.0, DVec3::Y * 0.95)
}

#[test]
fn root_joints_are_found_on_the_ground_above_the_hips_alone() {
    let rigs: [(&[Above<'_>], Option<usize>); 8] = [
        (&[], None),
        (&[("Root", &still)], Some(0)),
        (&[("Root", &moving)], Some(0)),
        (&[("Armature", &still), ("Root", &moving)], Some(1)),
        (&[("Armature", &still), ("Root", &still)], Some(1)),
        // A joint above the hips at their height belongs to the body.
        (&[("Centre", &at_the_hips)], None),
        (&[("Root", &still), ("Centre", &at_the_hips)], Some(0)),
        (&[("Root", &leaning)], Some(0)),
    ];
    for (above, expected) in rigs {
        let names: Vec<&str> = above.iter().map(|(name, _)| *name).collect();
        assert_eq!(found(&take(above, None)), expected, "{names:?}");
    }
}

/// The root joint carries exactly the root, in the modes that give it one, and the body below it is closed.
#[test]
fn the_root_joint_carries_exactly_the_root() {
    let rigs: [&[Above<'_>]; 4] = [
        &[("Root", &still)],
        &[("Root", &moving)],
        &[("Armature", &still), ("Root", &moving)],
        &[("Root", &still), ("Centre", &at_the_hips)],
    ];
    for above in rigs {
        let take = take(above, None);
        let joint = found(&take).unwrap();
        let hips = above.len();
        for mode in [
            RootMode::Constant,
            RootMode::InPlace,
            RootMode::Path,
            RootMode::Inertialized,
        ] {
            let made = made(&take, mode.into());
            assert_eq!(made.source.root_joint, Some(joint));
            for key in [0, 7, 30, PERIOD, PERIOD + 7, 5 * PERIOD + 1] {
                let root = made.loop_clip.root_pose(key);
                assert!(apart(played(&made, key, joint), root) < 1e-12, "{mode:?} key {key}");
                let expected = match mode {
                    RootMode::InPlace => made.loop_clip.root().at(0.0) * made.loop_clip.root().twist.exp(0.0),
                    _ => twist().exp((START + key) as f64 * FRAME_TIME),
                };
                // The hips keep their transform in the take, which is periodic about the screw.
                if mode != RootMode::InPlace {
                    let there = START + key % PERIOD;
                    let sway =
                        twist().exp(there as f64 * FRAME_TIME).inverse() * take.world_tracks().joint(there, hips);
                    let off = apart(played(&made, key, hips), expected * sway);
                    assert!(off < 1e-6, "{mode:?} key {key}");
                }
            }
            assert!(made.closed.residual.position < 1e-9);
        }
    }
}

/// A root joint that moves defines the root's transform: the screw of the world is the same, seen from there.
#[test]
fn the_root_motion_is_taken_from_a_root_joint_that_moves() {
    let made = made(&take(&[("Root", &moving)], None), RootSettings::default());
    let start = moving(START as f64 * FRAME_TIME);
    let root = made.loop_clip.root();
    assert!(apart(root.start, start) < 1e-3, "{root:?}");
    for key in [0, 31, 60, 200] {
        let truth = moving((START + key) as f64 * FRAME_TIME);
        let off = apart(played(&made, key, 0), truth);
        assert!(off < 2e-3 * (1.0 + key as f64 / 60.0), "{key}");
    }
}

/// Root joints of rigs with another up axis keep their rotation.
#[test]
fn a_tilted_root_joint_stays_tilted() {
    let made = made(&take(&[("Root", &leaning)], None), RootSettings::default());
    let lean = rotation::exp(DVec3::X * -core::f64::consts::FRAC_PI_2);
    for key in [0, 20, 60, 130] {
        let root = made.loop_clip.root_pose(key);
        let joint = played(&made, key, 0);
        assert!((joint.translation - root.translation).length() < 1e-12);
        let turned = rotation::difference(joint.rotation, root.rotation * lean);
        assert!(turned.length() < 1e-6, "{key}");
    }
}

/// Preserved root motion stays on its joint: no joint is moved.
#[test]
fn preserved_root_motion_leaves_the_root_joint_unchanged() {
    let take = take(&[("Root", &still)], None);
    let made = made(&take, RootMode::Keep.into());
    assert_eq!((made.source.root_joint, made.loop_clip.carrier()), (None, 1));
    for key in [0, 20, 60] {
        assert!(apart(played(&made, key, 0), Rigid::IDENTITY) < 1e-12);
    }
}

/// Joints beside the hips that move with them keep their position relative to them; still ones move with the root.
#[test]
fn joints_beside_the_hips_go_along() {
    let carried = |secs: f64| twist().exp(secs) * Rigid::from_yaw(0.0, DVec3::new(-0.4, 1.0, 0.2));
    let take_along = take(&[("Root", &still)], Some(&carried));
    let made_along = made(&take_along, RootSettings::default());
    let sword = take_along.num_joints() - 1;
    for key in [0, 30, 60, 130] {
        let truth = carried((START + key) as f64 * FRAME_TIME);
        assert!(apart(played(&made_along, key, sword), truth) < 1e-6, "{key}");
    }
    let stuck = |_: f64| Rigid::from_yaw(0.3, DVec3::new(-0.4, 0.0, 0.2));
    let made_stuck = made(&take(&[("Root", &still)], Some(&stuck)), RootSettings::default());
    for key in [0, 30, 60, 130] {
        let beside = played(&made_stuck, key, 0).inverse() * played(&made_stuck, key, sword);
        assert!(apart(beside, stuck(0.0)) < 1e-9, "{key}");
    }
}

#[test]
fn in_full_space_the_root_joint_is_the_root_too() {
    let settings = RootSettings {
        space: RootSpace::Full,
        ..RootSettings::default()
    };
    for track in [&still as &dyn Fn(f64) -> Rigid, &moving, &leaning] {
        let made = made(&take(&[("Root", track)], None), settings);
        for key in [0, 25, 60, 140] {
            let off = apart(played(&made, key, 0), made.loop_clip.root_pose(key));
            assert!(off < 1e-12, "{key}");
        }
        assert!(made.closed.residual.position < 1e-9);
    }
}

/// Returns a root joint that moves ever faster and turns ever more, and weaves.
fn hastening(secs: f64) -> Rigid {
    let yaw = 0.3 + 0.5 * secs + 0.35 * secs * secs;
    let place = DVec3::new(
        0.4 * secs * secs,
        0.0,
        secs + 0.2 * secs * secs + 0.03 * libm::sin(5.0 * secs),
    );
    Rigid::from_yaw(yaw, place)
}

fn inertialized(order: Order, [start_secs, end_secs]: [f64; 2], share: f64) -> MadeLoop {
    let root = RootSettings {
        blend: RootBlend {
            start_secs: Some(start_secs),
            end_secs: Some(end_secs),
            share: Some(share),
        },
        ..RootMode::Inertialized.into()
    };
    let mut settings = LoopSettings::with_root(root);
    settings.closure.method.order = order;
    made_of(&take(&[("Root", &hastening)], None), START, START + PERIOD, &settings)
}

/// In the root's own axes, steps and their differences go on over the seam as they do inside the loop.
#[test]
fn an_inertialized_root_meets_itself_in_velocity_and_acceleration() {
    // The most by which a step differs from the next, and such a difference from the next: within the loop, and over its seam.
    let unevenness = |root: &dyn Fn(usize) -> Rigid| {
        let step = |key: usize| root(key).inverse() * root(key + 1);
        let bend = |key: usize| step(key).inverse() * step(key + 1);
        let most = |keys: core::ops::Range<usize>| {
            keys.fold([0.0, 0.0], |[bent, jerked]: [f64; 2], key| {
                [
                    bent.max(apart(step(key), step(key + 1))),
                    jerked.max(apart(bend(key), bend(key + 1))),
                ]
            })
        };
        [most(1..PERIOD - 4), most(PERIOD - 3..PERIOD)]
    };
    for blends in [[0.4, 0.4], [0.25, 0.9]] {
        let made = inertialized(Order::C2, blends, 0.5);
        let [inside, seam] = unevenness(&|key| made.loop_clip.root_pose(key));
        assert!(seam[0] < inside[0] && seam[1] < 2.0 * inside[1], "{seam:?} {inside:?}");
    }
}
