//! Retargeting onto rigs whose joints hang from each other in unusual ways.

use std::sync::Arc;

use glam::DVec3;
use loopwright_core::{
    Analysis, LoopSettings, Pose, RootMode, RootSettings, Take,
    feet::FootLock,
    math::{Rigid, rotation},
    retarget::{Given, JointMap, MapError, Rig, RigPair},
};

use crate::support::{
    best, best_loop,
    characters::{Character, PLAIN, Tree, character, pair_onto, rig_at_rest, rig_of, walk},
    measured,
};

/// The walk on a rig: the take, and where each joint is in the world at a frame.
struct Walked {
    take: Take,
    rest: Pose,
}

impl Walked {
    fn of(pair: &RigPair) -> Self {
        let take = walk();
        let moved = pair.of_motion(&take.world_tracks()).take(&take).unwrap();
        Self {
            rest: pair.target.reference().as_ref().world(pair.target.skeleton()),
            take: moved,
        }
    }

    fn joint(&self, name: &str) -> usize {
        self.take.skeleton().find(name).unwrap()
    }

    fn at(&self, frame: usize, name: &str) -> Rigid {
        let world = self.take.pose(frame).world(self.take.skeleton());
        world.as_ref().joint(self.joint(name))
    }

    /// Returns how far a joint is from where another one would carry it, metres: the most over the take.
    fn farthest_from_rigid(&self, name: &str, with: &str) -> f64 {
        let rest = |name: &str| self.rest.as_ref().joint(self.joint(name));
        let between = rest(with).inverse() * rest(name);
        let off = |frame: usize| {
            let wanted = self.at(frame, with) * between;
            wanted.translation.distance(self.at(frame, name).translation)
        };
        (0..self.take.num_frames()).map(off).fold(0.0, f64::max)
    }

    /// Returns how far a joint goes over the take, metres.
    fn travel(&self, name: &str) -> f64 {
        let last = self.take.num_frames() - 1;
        self.at(last, name).translation.distance(self.at(0, name).translation)
    }
}

/// Returns the joints that are ankles of the feet.
fn ankles(rig: &Rig) -> Vec<&str> {
    let names = rig
        .body()
        .feet
        .iter()
        .map(|foot| rig.skeleton().joint(foot.ankle).name.as_str());
    names.collect()
}

/// Returns a rig whose legs end in nothing, and whose feet hang from a joint at the hips, as copies that Blender numbers; so do
/// poles ahead of the knees.
fn booted() -> Tree {
    let mut tree = Tree::of(&character(&walk(), PLAIN));
    let hips = tree.at("pelvis");
    tree.add("Armature", None, hips + DVec3::new(0.0, 0.03, 0.05))
        .hang("pelvis", "Armature");
    for side in ["l", "r"] {
        let [foot, ball, knee] = ["foot", "ball", "calf"].map(|part| tree.at(&format!("{part}_{side}")));
        let name = |name: &str| name.replace('#', if side == "l" { "gauche" } else { "droit" });
        tree.rename(&[
            (&format!("thigh_{side}"), &name("jambe #")),
            (&format!("calf_{side}"), &name("pied #")),
            (&format!("foot_{side}"), &name("pied #_end")),
        ]);
        tree.without(&[&format!("ball_{side}")]);
        tree.add(
            &name("pied #.001"),
            Some("Armature"),
            foot + DVec3::new(0.0, 0.02, 0.03),
        );
        tree.add(&name("pied #.001_end"), Some(&name("pied #.001")), ball);
        tree.add(&name("jambe #.001"), Some("Armature"), knee + DVec3::Z * 0.6);
    }
    tree
}

#[test]
fn feet_beside_legs_that_have_none_walk_with_them() {
    let target = booted().take();
    let pair = pair_onto(&walk(), &target);
    let walked = Walked::of(&pair);
    for (foot, shin, from) in [
        ("pied gauche.001", "pied gauche", "LeftFoot"),
        ("pied droit.001", "pied droit", "RightFoot"),
    ] {
        assert!(walked.travel(foot) > 3.0, "{foot}: {} m", walked.travel(foot));
        // It is where its leg ends, and turns as the foot of the take.
        assert!(walked.farthest_from_rigid(foot, shin) < 0.06, "{foot}");
        let apart = |at: &dyn Fn(&str) -> DVec3| at(foot).distance(at(shin));
        let rest = apart(&|name| walked.rest.translations[walked.joint(name)]);
        for frame in 0..walked.take.num_frames() {
            let now = apart(&|name| walked.at(frame, name).translation);
            assert!(
                (now - rest).abs() < 1e-6,
                "{foot}, frame {frame}: {now} m, at rest {rest} m"
            );
        }
        let link = pair.map.links[target.skeleton().find(foot).unwrap()].unwrap();
        assert_eq!(pair.source.skeleton().joint(link.from).name, from);
    }
    assert_eq!(ankles(&pair.target), ["pied gauche.001", "pied droit.001"]);
    // Nothing stays behind.
    for joint in target.skeleton().joints() {
        assert!(walked.travel(&joint.name) > 3.0, "{}", joint.name);
    }
}

#[test]
fn targets_and_seconds_of_feet_are_no_feet() {
    let named = |names: [&str; 2]| {
        let mut tree = booted();
        tree.rename(&[("pied gauche.001", names[0]), ("pied droit.001", names[1])]);
        ankles(&rig_at_rest(&tree.take())).join(", ")
    };
    // Their names say what they are for.
    assert_eq!(named(["ik gauche", "ik droit"]), "pied gauche_end, pied droit_end");
    let controls = ["pied ctrl gauche", "pied ctrl droit"];
    assert_eq!(named(controls), "pied gauche_end, pied droit_end");
    // A leg that has a foot of its own needs no other.
    let mut tree = Tree::of(&character(&walk(), PLAIN));
    tree.add("root", None, DVec3::ZERO).hang("pelvis", "root");
    for side in ["l", "r"] {
        let foot = tree.at(&format!("foot_{side}"));
        tree.add(&format!("boot_{side}"), Some("root"), foot);
    }
    assert_eq!(ankles(&rig_at_rest(&tree.take())), ["foot_l", "foot_r"]);
}

#[test]
fn joints_above_the_hips_go_with_them() {
    let mut tree = Tree::of(&character(&walk(), PLAIN));
    let hips = tree.at("pelvis");
    tree.rename(&[("pelvis", "Spine")]);
    tree.add("Hips", None, hips - DVec3::Y * 0.07)
        .add("Pelvis", Some("Hips"), hips - DVec3::Y * 0.07);
    tree.hang("Spine", "Pelvis");
    for has_root in [false, true] {
        if has_root {
            tree.add("root", None, DVec3::ZERO).hang("Hips", "root");
        }
        let target = tree.take();
        let pair = pair_onto(&walk(), &target);
        let walked = Walked::of(&pair);
        let find = |name: &str| target.skeleton().find(name).unwrap();
        for name in ["Hips", "Pelvis"] {
            assert!(walked.farthest_from_rigid(name, "Spine") < 1e-9, "{name}");
            assert!(walked.travel(name) > 3.0, "{name}");
        }
        // Only the topmost of them moves by itself.
        for frame in 0..walked.take.num_frames() {
            for name in ["Pelvis", "Spine"] {
                let (now, rest) = (
                    walked.take.pose(frame).joint(find(name)),
                    target.pose(0).joint(find(name)),
                );
                assert!((now.translation - rest.translation).length() < 1e-9, "{name}");
                assert!(
                    rotation::difference(now.rotation, rest.rotation).length() < 1e-9,
                    "{name}"
                );
            }
        }
        // The body is where it is without them.
        let plain = Walked::of(&pair_onto(&walk(), &character(&walk(), PLAIN)));
        for frame in 0..walked.take.num_frames() {
            for name in ["foot_l", "head", "hand_r"] {
                let [one, other] = [&walked, &plain].map(|walked| walked.at(frame, name).translation);
                assert!(one.distance(other) < 1e-9, "{name}, frame {frame}: {one} {other}");
            }
        }
        let root = pair.target.root_joint();
        let root = root.map(|joint| target.skeleton().joint(joint).name.as_str());
        assert_eq!(root, has_root.then_some("root"));
    }
}

/// Loops carry their root motion on the topmost of them, and close.
#[test]
fn loops_on_such_rigs_close() {
    let mut pelvis = Tree::of(&character(&walk(), PLAIN));
    let hips = pelvis.at("pelvis");
    pelvis
        .rename(&[("pelvis", "Spine")])
        .add("Hips", None, hips - DVec3::Y * 0.07)
        .hang("Spine", "Hips");
    let take = walk();
    let analysis = Analysis::new(&take).unwrap();
    let best = best(&analysis);
    for (tree, top) in [(pelvis, "Hips"), (booted(), "Armature")] {
        let target = tree.take();
        let pair = pair_onto(&walk(), &target);
        for mode in [RootMode::Constant, RootMode::Path] {
            let settings = LoopSettings {
                root: RootSettings {
                    mode,
                    ..RootSettings::default()
                },
                character: Some(Arc::new(pair.clone())),
                ..LoopSettings::default()
            };
            let made = analysis.make_loop(&best, &settings).unwrap();
            let quality = measured(&made);
            let what = format!("{top} {mode:?}: {quality:?}");
            assert!(!quality.pops(), "{what}");
            assert!(quality.displacement_metres.unwrap() < 0.02, "{what}");
            let carrier = target.skeleton().joint(made.loop_clip.carrier()).name.as_str();
            assert_eq!((carrier, made.source.root_joint), (top, None), "{mode:?}");
        }
    }
}

/// Returns the angle between the directions from one joint to another in two poses, degrees.
fn degrees_between(one: (&Take, [&str; 2]), other: (&Take, [&str; 2]), frame: usize) -> f64 {
    let [one, other] = [one, other].map(|(take, names)| {
        let world = take.pose(frame).world(take.skeleton());
        let [from, to] = names.map(|name| world.translations[take.skeleton().find(name).unwrap()]);
        to - from
    });
    one.angle_between(other).to_degrees()
}

#[test]
fn arms_of_two_joints_hang_where_those_of_the_take_do() {
    let take = walk();
    // The walker rests in T-pose; the rigs rest otherwise, and have no forearms.
    for arms_down in [0.0, 0.8, 1.4] {
        let mut tree = Tree::of(&character(&take, Character { arms_down, ..PLAIN }));
        for side in ["l", "r"] {
            let elbow = tree.at(&format!("lowerarm_{side}"));
            tree.without(&[&format!("lowerarm_{side}"), &format!("clavicle_{side}")]);
            let along = elbow - tree.at(&format!("upperarm_{side}"));
            tree.put(&format!("hand_{side}"), elbow + along * 0.3);
        }
        let target = tree.take();
        let pair = pair_onto(&walk(), &target);
        let walked = Walked::of(&pair);
        for (ours, theirs) in [
            (["upperarm_l", "hand_l"], ["LeftArm", "LeftForeArm"]),
            (["upperarm_r", "hand_r"], ["RightArm", "RightForeArm"]),
        ] {
            for frame in 0..take.num_frames() {
                let off = degrees_between((&walked.take, ours), (&take, theirs), frame);
                assert!(off < 12.0, "arms down by {arms_down}, frame {frame}: {off} degrees");
            }
        }
    }
}

#[test]
fn joints_below_the_root_follow_the_body_that_they_are_at() {
    let mut tree = Tree::of(&character(&walk(), PLAIN));
    tree.add("root", None, DVec3::ZERO).hang("pelvis", "root");
    let [foot, hand, chest] = ["foot_l", "hand_r", "spine_03"].map(|name| tree.at(name));
    tree.add("ik_foot_root", Some("root"), DVec3::Y * 0.001);
    tree.add("ik_foot_l", Some("ik_foot_root"), foot);
    tree.add("sword", Some("root"), hand + DVec3::new(-0.1, 0.02, 0.0));
    tree.add("sword_end", Some("sword"), hand + DVec3::new(-0.8, 0.0, 0.0));
    tree.add("cape", Some("root"), chest - DVec3::Z * 0.2);
    tree.add("lamp", Some("root"), DVec3::new(3.0, 1.0, 0.0));
    let pair = pair_onto(&walk(), &tree.take());
    let walked = Walked::of(&pair);
    for (joint, with) in [
        ("ik_foot_l", "foot_l"),
        ("sword", "hand_r"),
        ("sword_end", "hand_r"),
        ("cape", "spine_03"),
    ] {
        assert!(walked.farthest_from_rigid(joint, with) < 1e-9, "{joint}");
    }
    for joint in ["root", "ik_foot_root", "lamp"] {
        assert!(walked.travel(joint) < 1e-9, "{joint}");
    }
    // Also where feet are held, which moves the body a little more.
    let take = walk();
    let transfer = pair.of_motion(&take.world_tracks());
    let clip = &best_loop(&take);
    let carried = transfer.loop_clip(clip).unwrap();
    let (held, _) = transfer.held(clip, &carried, FootLock::Solve).unwrap();
    let held = held.unwrap();
    let find = |name: &str| held.skeleton().find(name).unwrap();
    let rest = |name: &str| walked.rest.as_ref().joint(find(name));
    for key in [0, clip.num_samples() / 3, clip.num_samples() / 2] {
        let world = held.world_pose(key);
        for (joint, with) in [("ik_foot_l", "foot_l"), ("sword", "hand_r"), ("cape", "spine_03")] {
            let wanted = world.as_ref().joint(find(with)) * (rest(with).inverse() * rest(joint));
            let off = wanted.translation.distance(world.translations[find(joint)]);
            assert!(off < 1e-9, "{joint}, key {key}: {off} m");
        }
        // The rest is carried by the root motion.
        let lamp = held.root_pose(key).transform_point(DVec3::new(3.0, 1.0, 0.0));
        let off = world.translations[find("lamp")].distance(lamp);
        assert!(off < 1e-9, "lamp, key {key}: {off} m");
    }
}

#[test]
fn every_entry_of_a_map_has_its_effect() {
    let take = walk();
    let mut tree = booted();
    tree.add("scabbard", Some("Armature"), DVec3::new(0.5, 0.6, -0.9));
    let target = tree.take();
    let turn = |walked: &Walked, name: &str| walked.at(40, name).rotation * walked.at(0, name).rotation.conjugate();
    let world = [0, 40].map(|frame| take.pose(frame).world(take.skeleton()));
    let hand = take.skeleton().find("RightHand").unwrap();
    let wanted = world[1].rotations[hand] * world[0].rotations[hand].conjugate();
    for joint in target.skeleton().joints() {
        let mut pair = pair_onto(&walk(), &target);
        let given = [(joint.name.clone(), Given::Joint("RightHand".to_owned()))];
        let (from, to) = (pair.source.skeleton(), pair.target.skeleton());
        pair.map = pair.map.with(from, to, &given).unwrap();
        let walked = Walked::of(&pair);
        let off = rotation::difference(turn(&walked, &joint.name), wanted);
        let off = off.length().to_degrees();
        // Legs that reach for the places of feet turn a little further.
        let is_of_leg = joint.name.starts_with("jambe") || joint.name.starts_with("pied");
        let is_beside = joint.name.starts_with("jambe") && joint.name.ends_with("001");
        if !is_of_leg || is_beside {
            assert!(off < 1e-6, "{}: {off} degrees", joint.name);
        }
        // Objects beside the body follow the hand.
        if joint.name == "scabbard" || is_beside {
            let rest = |name: &str| walked.rest.as_ref().joint(walked.joint(name));
            let between = rest("hand_r").inverse() * rest(&joint.name);
            let at = walked.at(40, "hand_r").transform_point(between.translation);
            let off = at.distance(walked.at(40, &joint.name).translation);
            assert!(off < 1e-9, "{}", joint.name);
        }
    }
}

#[test]
fn what_has_no_skeleton_is_said_to_have_none() {
    let body = rig_of(&walk());
    let mut tree = Tree::default();
    tree.add("Mannequin", None, DVec3::ZERO)
        .add("Lamp", Some("Mannequin"), DVec3::Y);
    let thing: Rig = rig_at_rest(&tree.take());
    let wrong = JointMap::between(&body, &thing).unwrap_err();
    assert_eq!(wrong, MapError::NoSkeleton { rig: "rig" });
    assert!(wrong.to_string().contains("no skeleton"), "{wrong}");
    let wrong = JointMap::between(&thing, &body).unwrap_err();
    assert_eq!(wrong, MapError::NoSkeleton { rig: "motion" });
}
