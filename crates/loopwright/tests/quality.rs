//! Figures on loops of known quality.

use glam::{DQuat, DVec3};
use loopwright::{
    BodyOverrides, Joint, Quality, RootMotion, Skeleton, Take,
    analysis::Body,
    loop_clip::{KeyLayout, LoopKeys},
    math::{Rigid, Twist, rotation},
    quality, recognition,
};

const SAMPLES: usize = 40;
const STEP: f64 = 1.0 / 30.0;

fn skeleton() -> Skeleton {
    let joint = |name: &str, parent| Joint {
        name: name.to_owned(),
        parent,
        rest_offset: DVec3::ZERO,
        tip: None,
    };
    let joints = vec![
        joint("Hips", None),
        joint("LeftFoot", Some(0)),
        joint("RightFoot", Some(0)),
        joint("Head", Some(0)),
    ];
    Skeleton::new(joints).unwrap()
}

/// Keys of a swaying body; `edit` may change a key's joint (key, joint, translation, rotation).
fn keys(count: usize, start: usize, edit: impl Fn(usize, usize, &mut DVec3, &mut DQuat)) -> Take {
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for key in 0..count {
        let phase = core::f64::consts::TAU * ((key + start) % SAMPLES) as f64 / SAMPLES as f64;
        for joint in 0..4 {
            let j = joint as f64;
            let mut t = DVec3::new(
                0.1 * libm::sin(phase + j),
                1.0 - 0.3 * j + 0.05 * libm::cos(2.0 * phase + j),
                0.2 * libm::sin(phase * 3.0 - j),
            );
            let mut q = rotation::exp(DVec3::new(0.3 * libm::sin(phase), 0.1 * libm::cos(phase + j), 0.0));
            edit(key, joint, &mut t, &mut q);
            translations.push(t);
            rotations.push(q);
        }
    }
    Take::new("keys", skeleton(), STEP, translations, rotations).unwrap()
}

fn still_root() -> RootMotion {
    RootMotion {
        start: Rigid::IDENTITY,
        twist: Twist::ZERO,
    }
}

fn measure(take: &Take, has_closing_key: bool, root: RootMotion) -> Quality {
    let layout = KeyLayout {
        num_samples: SAMPLES,
        has_closing_key,
        in_place: false,
    };
    let keys = LoopKeys::new(take, layout, root, 0).unwrap();
    let body = Body::find(take, &BodyOverrides::default()).unwrap();
    quality::measure(&keys, &body, None)
}

/// A loop that repeats exactly has its seam anywhere: over all starts the rank must average exactly one half.
#[test]
fn the_rank_of_a_perfect_loop_averages_one_half_over_all_starts() {
    let mut sum = 0.0;
    for start in 0..SAMPLES {
        let quality = measure(&keys(SAMPLES + 1, start, |_, _, _, _| {}), true, still_root());
        assert!(!quality.pops(), "{quality:?}");
        assert!(quality.pose_gap_metres < 1e-12 && quality.pose_gap_radians < 1e-12);
        sum += quality.seam_rank;
    }
    assert!((sum / SAMPLES as f64 - 0.5).abs() < 1e-9, "{sum}");
}

#[test]
fn a_gap_at_the_closing_key_is_measured() {
    // Among movements of centimetres a key, a gap shows from 10 mm or 1.5 degrees on.
    for (metres, radians, shows) in [(0.003, 0.01, false), (0.012, 0.01, true), (0.003, 0.03, true)] {
        let off = move |key: usize, joint: usize, t: &mut DVec3, q: &mut DQuat| {
            if key == SAMPLES && joint == 3 {
                *t += DVec3::new(0.0, metres, 0.0);
                *q = rotation::exp(DVec3::X * radians) * *q;
            }
        };
        let quality = measure(&keys(SAMPLES + 1, 0, off), true, still_root());
        assert!((quality.pose_gap_metres - metres).abs() < 1e-12);
        assert!((quality.pose_gap_radians - radians).abs() < 1e-12);
        assert_eq!(quality.pops(), shows, "{metres} {radians}: {quality:?}");
    }
}

/// A joint that is still, or moves uniformly, has no acceleration but rounding to single precision.
#[test]
fn the_rounding_of_a_still_joint_is_no_pop() {
    let rounded_at_the_seam = |size: f64| {
        let edit = move |key: usize, joint: usize, t: &mut DVec3, q: &mut DQuat| {
            if joint == 0 {
                *t = DVec3::new(0.0, 1.0 + if key.is_multiple_of(SAMPLES) { size } else { 0.0 }, 0.0);
                *q = DQuat::IDENTITY;
            }
        };
        measure(&keys(SAMPLES + 1, 0, edit), true, still_root())
    };
    let rounding = rounded_at_the_seam(f64::from(f32::EPSILON));
    assert!(!rounding.pops(), "{rounding:?}");
    // A tenth of a millimetre is far above the joint's own motion, but nobody sees it; three millimetres are seen.
    let small = rounded_at_the_seam(1e-4);
    assert!(small.seam_acceleration_ratio > 1.5 && !small.pops(), "{small:?}");
    assert!(rounded_at_the_seam(3e-3).pops());
}

/// The first pose was pasted over the last: no gap, but the motion jumps just before.
#[test]
fn a_key_copied_over_a_jump_is_seen() {
    let drift = |key: usize, joint: usize, t: &mut DVec3, _: &mut DQuat| {
        if joint == 3 && key < SAMPLES {
            *t += DVec3::X * 0.01 * key as f64;
        }
    };
    let quality = measure(&keys(SAMPLES + 1, 0, drift), true, still_root());
    assert!(quality.pose_gap_metres > 0.2, "{quality:?}");
    assert!(quality.pops() && quality.seam_rank > 0.95, "{quality:?}");
}

/// A body of the height of a man, of which the head alone moves, with keys at this rate.
fn swinging(hz: f64, num_samples: usize, at: impl Fn(f64, usize) -> DVec3) -> Quality {
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for key in 0..=num_samples {
        for joint in 0..4 {
            let still = DVec3::Y * if joint == 0 { 0.85 } else { -0.85 };
            translations.push(if joint == 3 { at(key as f64 / hz, key) } else { still });
            rotations.push(DQuat::IDENTITY);
        }
    }
    let take = Take::new("keys", skeleton(), 1.0 / hz, translations, rotations).unwrap();
    let layout = KeyLayout {
        num_samples,
        has_closing_key: true,
        in_place: false,
    };
    let keys = LoopKeys::new(&take, layout, still_root(), 0).unwrap();
    let body = Body::find(&take, &BodyOverrides::default()).unwrap();
    quality::measure(&keys, &body, None)
}

const RATES: [f64; 4] = [24.0, 30.0, 60.0, 120.0];

/// A sine, and a parabola that meets itself at the seam with another velocity: a kink of known size.
#[test]
fn a_kink_is_measured_and_shows_above_the_floor_at_every_rate() {
    for hz in RATES {
        for (kink, shows) in [(0.0, false), (0.05, false), (0.5, true), (2.0, true)] {
            let quality = swinging(hz, (2.0 * hz) as usize, |secs, _| {
                let sine = 0.1 * libm::sin(core::f64::consts::PI * secs);
                DVec3::new(sine, 0.85 + 0.25 * kink * secs * (secs - 2.0), 0.0)
            });
            let found = quality.seam.velocity.size;
            assert!((found - kink).abs() < 0.02 * kink + 5e-3, "{hz} Hz: {found} for {kink}");
            assert_eq!(quality.pops(), shows, "{hz} Hz, {kink} m/s: {quality:?}");
        }
    }
}

#[test]
fn a_head_off_by_a_hand_is_bad_at_every_rate() {
    for hz in RATES {
        let quality = swinging(hz, (2.0 * hz) as usize, |secs, key| {
            // All keys but the first drift away by the end: the last step carries the head back.
            let drift = 0.05 * secs * f64::from(u32::from(key < (2.0 * hz) as usize));
            DVec3::new(0.1 * libm::sin(core::f64::consts::PI * secs), 0.85 + drift, 0.0)
        });
        let step = quality.seam.position;
        assert!(quality.pops() && step.joint == 3, "{hz} Hz: {quality:?}");
        assert!((step.size - 0.1).abs() < 0.01, "{hz} Hz: {}", step.size);
    }
}

/// Half a swing begins and ends at the same place, but moves the other way.
#[test]
fn half_a_swing_is_bad_at_every_rate() {
    for hz in RATES {
        let quality = swinging(hz, hz as usize, |secs, _| {
            DVec3::new(0.1 * libm::sin(core::f64::consts::PI * secs), 0.85, 0.0)
        });
        assert!(quality.pops(), "{hz} Hz: {quality:?}");
        let kink = 0.2 * core::f64::consts::PI;
        assert!(
            (quality.seam.velocity.size - kink).abs() < 0.02 * kink,
            "{hz} Hz: {quality:?}"
        );
    }
}

/// Authored walks begin where a limb rests at its extreme: each swing eases in and out, and the acceleration is largest there.
#[test]
fn keys_at_the_extremes_of_an_authored_swing_do_not_show() {
    for hz in RATES {
        let quality = swinging(hz, (2.0 * hz) as usize, |secs, _| {
            let share = secs.min(2.0 - secs);
            DVec3::new(0.3 * share * share * (3.0 - 2.0 * share), 0.85, 0.0)
        });
        assert!(!quality.pops(), "{hz} Hz: {quality:?}");
    }
}

/// A step that shows on a man does not on a body three times as large.
#[test]
fn floors_grow_with_the_body() {
    for (size, shows) in [(1.0, true), (3.0, false)] {
        let edit = move |key: usize, joint: usize, t: &mut DVec3, q: &mut DQuat| {
            *q = DQuat::IDENTITY;
            *t = DVec3::Y * size * if joint == 3 { 0.9 } else { -0.9 };
            if joint == 0 {
                *t = DVec3::Y * if key.is_multiple_of(SAMPLES) { 1.004 } else { 1.0 };
            }
        };
        let quality = measure(&keys(SAMPLES + 1, 0, edit), true, still_root());
        assert!((quality.body_size / size - 1.0).abs() < 0.1, "{}", quality.body_size);
        assert_eq!(quality.pops(), shows, "{quality:?}");
    }
}

#[test]
fn foot_sliding_is_the_speed_of_standing_feet_in_the_world() {
    // The body glides ahead at 1 m/s; a standing foot moves back by as much, less its sliding.
    for slip in [0.0, 0.1] {
        let root = RootMotion {
            twist: Twist {
                linear: DVec3::Z,
                angular: DVec3::ZERO,
            },
            ..still_root()
        };
        let take = keys(SAMPLES + 1, 0, |key, joint, t, q| {
            // Half the loop on the ground, half in the air and moving forwards again.
            let planted = key % SAMPLES < SAMPLES / 2;
            let share = (key % SAMPLES) as f64;
            *q = DQuat::IDENTITY;
            *t = match joint {
                0 => DVec3::new(0.0, 1.0, 1.0 * key as f64 * STEP),
                1 | 2 if planted => DVec3::new(0.0, -1.0, -(1.0 - slip) * share * STEP),
                1 | 2 => DVec3::new(0.0, -0.7, -(1.0 - slip) * (SAMPLES as f64 - share) * STEP),
                _ => DVec3::Y,
            };
        });
        let foot_slide = measure(&take, true, root).foot_slide_mps.unwrap();
        assert!((foot_slide - slip).abs() < 0.02, "{slip}: {foot_slide}");
    }
}

#[test]
fn a_loop_is_recognised_without_a_sidecar() {
    let twist = Twist {
        linear: DVec3::new(0.0, 0.0, 1.2),
        angular: DVec3::Y * 0.8,
    };
    let moving = |key: usize, joint: usize, t: &mut DVec3, q: &mut DQuat| {
        if joint == 0 {
            let root = twist.exp(key as f64 * STEP);
            *t = root.transform_point(*t);
            *q = root.rotation * *q;
        }
    };
    let take = keys(SAMPLES + 1, 0, moving);
    let body = Body::find(&take, &BodyOverrides::default()).unwrap();
    let seen = recognition::recognise(&take, &body, 0).unwrap();
    assert!(seen.layout.has_closing_key && seen.layout.num_samples == SAMPLES);
    assert!((seen.root.twist.angular.y - 0.8).abs() < 1e-9, "{seen:?}");
    let keys = LoopKeys::new(&take, seen.layout, seen.root, seen.carrier).unwrap();
    assert!(!quality::measure(&keys, &body, None).pops());
}
