//! Faults that no body shows, put into loops of walks: found at a size that a person sees, and not well below it.

use core::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};
use loopwright_core::{
    BodyOverrides, LoopClip, LoopSettings, MadeLoop, Pose, Skeleton, Take, Tracks,
    analysis::Body,
    loop_clip::LoopKeys,
    math::ops,
    quality::{self, Faults, JointPeak},
};

use crate::support::{Random, analysed, best_made, steady, walk_of};

const RATES_HZ: [f64; 4] = [24.0, 30.0, 60.0, 120.0];

fn walk(rate_hz: f64, speed_mps: f64) -> MadeLoop {
    let settings = steady().frame_rate_hz(rate_hz).speed_mps(speed_mps).noise_deg(0.02);
    best_made(&analysed(&walk_of(settings)), &LoopSettings::default())
}

/// Returns the faults of a loop whose poses are changed: `at` returns that of a sample.
fn faults(made: &MadeLoop, at: impl FnMut(usize) -> Pose) -> Faults {
    let clip = &made.loop_clip;
    let tracks = Tracks::from_poses(
        clip.skeleton().clone(),
        clip.step_secs(),
        (0..clip.num_samples()).map(at),
    )
    .unwrap();
    let changed = LoopClip::new(clip.name(), tracks, clip.carrier(), *clip.root()).unwrap();
    quality::measure(&LoopKeys::from_loop(&changed), &made.body, None).faults
}

fn ratios(faults: &Faults) -> [f64; 6] {
    let Faults {
        spike,
        shake,
        stutter,
        bears,
        anatomy,
        stiff,
    } = *faults;
    [spike, shake, stutter, bears, anatomy, stiff].map(|peak| peak.map_or(0.0, |peak| peak.ratio))
}

#[test]
fn sound_walks_have_none_at_any_rate() {
    for rate_hz in RATES_HZ {
        for speed_mps in [0.8, 1.25, 1.7] {
            let made = walk(rate_hz, speed_mps);
            let found = faults(&made, |sample| made.loop_clip.body_pose(sample).to_pose());
            assert!(
                ratios(&found).iter().all(|&ratio| ratio < 0.9),
                "{rate_hz} {speed_mps}: {found:?}"
            );
        }
    }
}

/// A fault of a size in one sample of a loop: share of the cycle, pose, size.
type Put = fn(&MadeLoop, usize, &mut Pose, f64);

/// A fault: its name, a size that shows and one that does not, how it is put in, and the figure and the joint that show it.
type Row = (
    &'static str,
    [f64; 2],
    Put,
    fn(&Faults) -> Option<JointPeak>,
    &'static str,
);

fn joint(made: &MadeLoop, name: &str) -> usize {
    made.loop_clip.skeleton().find(name).unwrap()
}

fn share(made: &MadeLoop, sample: usize) -> f64 {
    sample as f64 / made.loop_clip.num_samples() as f64
}

fn turn_once(made: &MadeLoop, sample: usize, pose: &mut Pose, name: &str, degrees: f64) {
    if sample == made.loop_clip.num_samples() / 3 {
        pose.rotations[joint(made, name)] *= DQuat::from_rotation_x(degrees.to_radians());
    }
}

fn trembling(made: &MadeLoop, sample: usize, pose: &mut Pose, name: &str, degrees: f64) {
    let mut random = Random::new(7919 * sample as u128 + 1, 3);
    let axis = DVec3::from_array([0; 3].map(|_| random.within(-1.0, 1.0)));
    pose.rotations[joint(made, name)] *= DQuat::from_scaled_axis(axis * degrees.to_radians());
}

#[test]
fn faults_are_seen_at_a_visible_size_and_not_well_below_it() {
    let rows: [Row; 9] = [
        (
            "body up for a sample, m",
            [0.08, 0.04],
            |made, sample, pose, metres| {
                if sample == made.loop_clip.num_samples() / 3 {
                    pose.translations[made.loop_clip.carrier()].y += metres;
                }
            },
            |found| found.spike,
            "Hips",
        ),
        (
            "head turned for a sample, deg",
            [26.0, 13.0],
            |made, sample, pose, degrees| turn_once(made, sample, pose, "Head", degrees),
            |found| found.spike,
            "Head",
        ),
        (
            "arm turned for a sample, deg",
            [26.0, 13.0],
            |made, sample, pose, degrees| turn_once(made, sample, pose, "LeftForeArm", degrees),
            |found| found.spike,
            "LeftForeArm",
        ),
        (
            "head trembles, deg",
            [24.0, 2.0],
            |made, sample, pose, degrees| trembling(made, sample, pose, "Head", degrees),
            |found| found.shake,
            "Head",
        ),
        (
            "hips bob once a cycle, m",
            [0.12, 0.015],
            |made, sample, pose, metres| {
                pose.translations[made.loop_clip.carrier()].y += metres * ops::sin(TAU * share(made, sample));
            },
            |found| found.bears,
            "",
        ),
        (
            "thigh stilled, share",
            [1.0, 0.1],
            |made, _, pose, share| {
                let thigh = joint(made, "LeftUpLeg");
                let still = made.loop_clip.body_pose(0).rotations[thigh];
                pose.rotations[thigh] = pose.rotations[thigh].slerp(still, share);
            },
            |found| found.bears,
            "",
        ),
        (
            "shin grows and shrinks, share of it",
            [0.15, 0.075],
            |made, sample, pose, by| {
                pose.translations[joint(made, "LeftFoot")] *= 1.0 + by * ops::sin(TAU * share(made, sample));
            },
            |found| found.anatomy,
            "LeftFoot",
        ),
        (
            "shoulders turned, deg",
            [80.0, 40.0],
            |made, _, pose, degrees| {
                let spine = joint(made, "Spine");
                pose.rotations[spine] = DQuat::from_rotation_y(degrees.to_radians()) * pose.rotations[spine];
            },
            |found| found.anatomy,
            "LeftArm",
        ),
        (
            "arm stilled, share",
            [1.0, 0.5],
            |made, _, pose, share| {
                for name in ["LeftArm", "LeftForeArm"] {
                    let joint = joint(made, name);
                    let still = made.loop_clip.body_pose(0).rotations[joint];
                    pose.rotations[joint] = pose.rotations[joint].slerp(still, share);
                }
            },
            |found| found.stiff,
            "LeftArm",
        ),
    ];
    let mut wrong = Vec::new();
    for rate_hz in RATES_HZ {
        let made = walk(rate_hz, 1.25);
        for (what, sizes, put, of, name) in rows {
            let [seen, unseen] = sizes.map(|size| {
                let found = faults(&made, |sample| {
                    let mut pose = made.loop_clip.body_pose(sample).to_pose();
                    put(&made, sample, &mut pose, size);
                    pose
                });
                of(&found).unwrap()
            });
            let named = &made.loop_clip.skeleton().joint(seen.joint).name;
            let is_right = seen.ratio > 1.0 && unseen.ratio < 1.0 && (name.is_empty() || named == name);
            if !is_right {
                wrong.push(format!("{what} at {rate_hz}: {seen:?} {named} {unseen:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Each second sample lies between the ones before and after it only by a share; 0 is even.
#[test]
fn frames_that_are_held_or_lost_are_seen() {
    for rate_hz in RATES_HZ {
        let made = walk(rate_hz, 1.25);
        let clip = &made.loop_clip;
        let step = clip.root().twist.exp(-clip.step_secs());
        let uneven = |by: f64| {
            let found = faults(&made, |sample| {
                let mut pose = clip.body_pose(sample).to_pose();
                if sample % 2 == 1 {
                    // The sample before, seen from the root of this one.
                    let mut before = clip.body_pose(sample - 1).to_pose();
                    let hips = step * before.as_ref().joint(clip.carrier());
                    before.set_joint(clip.carrier(), hips);
                    for joint in 0..pose.rotations.len() {
                        pose.rotations[joint] = pose.rotations[joint].slerp(before.rotations[joint], by);
                        pose.translations[joint] = pose.translations[joint].lerp(before.translations[joint], by);
                    }
                }
                pose
            });
            found.stutter.unwrap().ratio
        };
        let [held, half] = [1.0, 0.1].map(uneven);
        assert!(held > 1.0 && half < 1.0, "{rate_hz}: {held} {half}");
    }
}

/// Knees that bend backwards, and feet that point backwards.
#[test]
fn joints_that_bend_the_wrong_way_are_seen() {
    let made = walk(60.0, 1.25);
    let wrong = |name: &str, change: fn(DQuat) -> DQuat| {
        let joint = joint(&made, name);
        let found = faults(&made, |sample| {
            let mut pose = made.loop_clip.body_pose(sample).to_pose();
            pose.rotations[joint] = change(pose.rotations[joint]);
            pose
        });
        let peak = found.anatomy.unwrap();
        (peak.ratio, made.loop_clip.skeleton().joint(peak.joint).name.clone())
    };
    let (knee, name) = wrong("LeftLeg", DQuat::conjugate);
    assert!(knee > 1.0 && name == "LeftLeg", "{knee} {name}");
    let (foot, name) = wrong("RightFoot", |turn| turn * DQuat::from_rotation_y(0.5 * PI));
    assert!(foot > 1.0 && name == "RightFoot", "{foot} {name}");
}

/// Feet of IK hang from the hips: how far they are from the shins says nothing of bones.
#[test]
fn feet_of_ik_have_no_bones() {
    let made = walk(30.0, 1.25);
    let clip = &made.loop_clip;
    let feet = ["LeftFoot", "RightFoot"].map(|name| joint(&made, name));
    let mut joints = clip.skeleton().joints().to_vec();
    for foot in feet {
        joints[foot].parent = Some(0);
    }
    let skeleton = Skeleton::new(joints).unwrap();
    let poses = (0..clip.num_samples()).map(|sample| {
        let own = clip.body_pose(sample);
        let mut pose = own.to_pose();
        for foot in feet {
            let mut place = own.joint(0).inverse() * own.world_of(clip.skeleton(), foot);
            place.translation.y += 0.08 * ops::sin(TAU * share(&made, sample));
            pose.set_joint(foot, place);
        }
        pose
    });
    let tracks = Tracks::from_poses(skeleton, clip.step_secs(), poses).unwrap();
    let body = Body::find(
        &Take::from_tracks("ik", tracks.clone()).unwrap(),
        &BodyOverrides::default(),
    )
    .unwrap();
    let changed = LoopClip::new("ik", tracks, clip.carrier(), *clip.root()).unwrap();
    let found = quality::measure(&LoopKeys::from_loop(&changed), &body, None).faults;
    assert_eq!(body.feet.len(), 2);
    assert!(found.anatomy.unwrap().ratio < 1.0, "{found:?}");
}
