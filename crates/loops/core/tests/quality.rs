//! Figures on loops of known quality.

use core::cmp::Ordering;

use glam::{DQuat, DVec3};
use loopwright_core::{
    BodyOverrides, LoopSettings, Quality, RootMotion, Skeleton, Take,
    analysis::Body,
    loop_clip::{KeyLayout, LoopKeys},
    math::{Rigid, Twist, rotation},
    quality,
};

use crate::support::{self, Random, take_of, twist};

const SAMPLES: usize = 40;
const STEP: f64 = 1.0 / 30.0;

fn skeleton() -> Skeleton {
    let at = |name, parent| (name, parent, DVec3::ZERO);
    support::skeleton(&[
        at("Hips", None),
        at("LeftFoot", Some(0)),
        at("RightFoot", Some(0)),
        at("Head", Some(0)),
    ])
}

/// Keys of a swaying body; `edit` may change a key's joint (key, joint, translation, rotation).
fn keys(count: usize, start: usize, edit: impl Fn(usize, usize, &mut DVec3, &mut DQuat)) -> Take {
    take_of(skeleton(), STEP, count, |key, joint| {
        let phase = core::f64::consts::TAU * ((key + start) % SAMPLES) as f64 / SAMPLES as f64;
        let j = joint as f64;
        let mut t = DVec3::new(
            0.1 * libm::sin(phase + j),
            1.0 - 0.3 * j + 0.05 * libm::cos(2.0 * phase + j),
            0.2 * libm::sin(phase * 3.0 - j),
        );
        let mut q = rotation::exp(DVec3::new(0.3 * libm::sin(phase), 0.1 * libm::cos(phase + j), 0.0));
        edit(key, joint, &mut t, &mut q);
        (t, q)
    })
}

fn still_root() -> RootMotion {
    support::root(Rigid::IDENTITY, Twist::ZERO)
}

fn measure(take: &Take, has_closing_key: bool, root: RootMotion) -> Quality {
    measure_in_cycles(take, has_closing_key, root, 1)
}

fn measure_in_cycles(take: &Take, has_closing_key: bool, root: RootMotion, num_cycles: usize) -> Quality {
    let layout = KeyLayout {
        seam_sample: 0,
        num_samples: take.num_frames() - usize::from(has_closing_key),
        last_step: 1.0,
        has_closing_key,
        in_place: false,
        num_cycles,
    };
    let keys = LoopKeys::new(take, layout, root, 0).unwrap();
    let body = Body::find(take, &BodyOverrides::default()).unwrap();
    quality::measure(&keys, &body, None)
}

/// A jump between two cycles of a loop of many that differ is one of its seams, and no other place is.
#[test]
fn every_seam_between_cycles_counts() {
    const CYCLES: usize = 3;
    let jumps_at = |from: usize| {
        let edit = move |key: usize, joint: usize, place: &mut DVec3, _: &mut DQuat| {
            if joint == 2 && (from..from + SAMPLES).contains(&key) {
                // Back without another one.
                let phase = core::f64::consts::PI * (key - from) as f64 / SAMPLES as f64;
                place.x += 0.05 * (1.0 + libm::cos(phase));
            }
        };
        keys(CYCLES * SAMPLES, 0, edit)
    };
    for seam in (0..CYCLES).map(|cycle| cycle * SAMPLES) {
        let quality = measure_in_cycles(&jumps_at(seam), false, still_root(), CYCLES);
        let (_, step) = quality.seam.worst();
        assert!(quality.pops(), "{seam}: {quality:?}");
        assert_eq!((step.joint, step.sample), (2, seam));
        let sharpest = quality.seam_acceleration;
        assert_eq!((sharpest.joint, sharpest.sample), (2, seam));
        assert_eq!(measure(&jumps_at(seam), false, still_root()).pops(), seam == 0);
    }
    let elsewhere = measure_in_cycles(&jumps_at(SAMPLES / 2), false, still_root(), CYCLES);
    assert!(!elsewhere.pops(), "{elsewhere:?}");
}

/// A loop that repeats exactly has no gap and does not pop, wherever it is cut.
#[test]
fn a_perfect_loop_does_not_pop_at_any_start() {
    for start in 0..SAMPLES {
        let quality = measure(&keys(SAMPLES + 1, start, |_, _, _, _| {}), true, still_root());
        assert!(!quality.pops(), "{quality:?}");
        assert!(quality.pose_gap_metres < 1e-12 && quality.pose_gap_radians < 1e-12);
    }
}

/// Returns the rank of the seam as docs/math/measures.md defines it, from positions seen from the root: one row per joint, one
/// column per sample.
fn rank_by_definition(positions: &[Vec<DVec3>]) -> f64 {
    let count = positions[0].len();
    let mut sharpness = vec![0.0; count];
    for joint in positions {
        let at = |sample: usize| joint[sample % count];
        let third = |i: usize| (at(i + 3) - 3.0 * at(i + 2) + 3.0 * at(i + 1) - at(i)).length();
        let rms = ((0..count).map(|i| third(i) * third(i)).sum::<f64>() / count as f64).sqrt();
        for (i, sum) in sharpness.iter_mut().enumerate() {
            *sum += third(i) / rms / positions.len() as f64;
        }
    }
    // The third difference of the samples i to i + 3 spans the seam if the step from the last sample to the first is one of its
    // three; a window is three of them in a row, and its figure is their largest.
    let spans_the_seam = |i: usize| (i..i + 3).any(|sample| sample % count == count - 1);
    let window = |start: usize| [0, 1, 2].map(|i| (start + i) % count);
    let largest = |start: usize| window(start).map(|i| sharpness[i]).into_iter().fold(0.0, f64::max);
    let seams: Vec<usize> = (0..count)
        .filter(|&start| window(start).into_iter().all(spans_the_seam))
        .collect();
    assert_eq!(seams.len(), 1);
    let seam = largest(seams[0]);
    let points = (0..count).map(largest).map(|other| match other.total_cmp(&seam) {
        Ordering::Less => 1.0,
        Ordering::Equal => 0.5,
        Ordering::Greater => 0.0,
    });
    points.sum::<f64>() / count as f64
}

/// Ranks are shares of windows: one that is off by half a window is off by 1 in 80 at these lengths.
#[test]
fn the_rank_of_a_seam_is_that_of_its_definition() {
    let mut random = Random::new(7, 1);
    let mut within = move |size: f64| random.within(-size, size);
    let (mut lowest, mut highest) = (1.0_f64, 0.0_f64);
    for case in 0..60 {
        let count = 12 + 7 * (case % 5);
        // Waves that repeat, in two of three cases with a tremble of every sample.
        let tremble = [0.0, 1e-3, 2e-2][case % 3];
        let mut wave = || {
            let waves: Vec<[DVec3; 2]> = (0..3)
                .map(|_| [(); 2].map(|()| DVec3::new(within(0.2), within(0.2), within(0.2))))
                .collect();
            let noise: Vec<DVec3> = (0..count)
                .map(|_| DVec3::new(within(tremble), within(tremble), within(tremble)))
                .collect();
            (waves, noise)
        };
        let tracks: Vec<_> = (0..8).map(|_| wave()).collect();
        let value = |track: usize, sample: usize| {
            let (waves, noise) = &tracks[track];
            let phase = core::f64::consts::TAU * sample as f64 / count as f64;
            let waves = waves.iter().enumerate().map(|(i, [cosine, sine])| {
                let angle = (i + 1) as f64 * phase;
                *cosine * libm::cos(angle) + *sine * libm::sin(angle)
            });
            waves.sum::<DVec3>() + noise[sample]
        };
        // The root moves and turns; what it carries does not change the rank.
        let start = Rigid::new(rotation::exp(DVec3::Y * 0.4), DVec3::new(2.0, 0.0, -1.0));
        let root = support::root(start, twist(DVec3::Z * 1.4, DVec3::Y * 0.7));
        for start in [0, 1, count / 3, count - 2] {
            let mut positions = vec![Vec::new(); 4];
            let take = take_of(skeleton(), STEP, count, |key, joint| {
                let sample = (key + start) % count;
                let hips = Rigid::new(rotation::exp(value(4, sample)), DVec3::Y + value(0, sample));
                if joint == 0 {
                    positions[0].push(hips.translation);
                    let placed = root.at(key as f64 * STEP) * hips;
                    return (placed.translation, placed.rotation);
                }
                // The other joints hang on the hips.
                let offset = DVec3::Y * (0.4 - 0.3 * joint as f64) + value(joint, sample);
                positions[joint].push(hips.transform_point(offset));
                (offset, rotation::exp(value(joint + 4, sample)))
            });
            let found = measure(&take, false, root).seam_rank;
            let expected = rank_by_definition(&positions);
            assert!(
                (found - expected).abs() < 1e-9,
                "case {case} from {start}: {found} for {expected}"
            );
            (lowest, highest) = (lowest.min(expected), highest.max(expected));
        }
    }
    // They differ: no constant passes.
    assert!(lowest < 0.1 && highest > 0.9, "{lowest} to {highest}");
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

/// Returns a body of the height of a man, of which the head alone moves, with keys at this rate.
fn swinging(hz: f64, num_samples: usize, at: impl Fn(f64, usize) -> DVec3) -> Quality {
    let take = take_of(skeleton(), 1.0 / hz, num_samples + 1, |key, joint| {
        let still = DVec3::Y * if joint == 0 { 0.85 } else { -0.85 };
        let at = if joint == 3 { at(key as f64 / hz, key) } else { still };
        (at, DQuat::IDENTITY)
    });
    measure(&take, true, still_root())
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

/// Returns a body that glides ahead at 1 m/s with a foot that stands half of the time, and moves back by as much less `slip`.
fn gliding(slip: f64) -> (Take, RootMotion) {
    let root = support::root(Rigid::IDENTITY, twist(DVec3::Z, DVec3::ZERO));
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
    (take, root)
}

#[test]
fn foot_sliding_is_the_speed_of_standing_feet_in_the_world() {
    for slip in [0.0, 0.1] {
        let (take, root) = gliding(slip);
        let foot_slide = measure(&take, true, root).foot_slide_mps.unwrap();
        assert!((foot_slide - slip).abs() < 0.02, "{slip}: {foot_slide}");
    }
}

/// A contact is one wherever the loop starts, and lasts as long.
#[test]
fn contacts_over_the_seam_are_whole() {
    let made = support::best_made(
        &support::analysed(&support::walk_of(support::steady())),
        &LoopSettings::default(),
    );
    let found = |first: usize| {
        let keys = LoopKeys::from_loop(&made.loop_clip.starting_at(first as isize));
        let mut stands: Vec<(usize, usize)> = quality::stands(&keys, &made.body, None)
            .iter()
            .map(|stand| (stand.joint, stand.num_samples))
            .collect();
        stands.sort_unstable();
        stands
    };
    let expected = found(0);
    assert_eq!(expected.len(), 2);
    for first in 1..made.loop_clip.num_samples() {
        assert_eq!(found(first), expected, "from sample {first}");
    }
}

/// A pose that is held for five steps is found where it begins, in the middle of a loop and over its seam.
#[test]
fn a_held_pose_is_found_where_it_begins() {
    for first in [10, SAMPLES - 2] {
        let take = support::of_frames(
            &keys(SAMPLES, 0, |_, _, _, _| {}),
            (0..SAMPLES).map(|key| {
                let since = (key + SAMPLES - first) % SAMPLES;
                if since <= 5 { first } else { key }
            }),
        );
        let held = measure(&take, false, still_root()).held_pose;
        assert_eq!((held.sample, held.secs), (first, 5.0 * STEP));
    }
}
