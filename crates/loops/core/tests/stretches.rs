//! The list of stretches against sessions whose stretches are known: synthetic walks and idles, joined one after the other.

use glam::{DQuat, DVec3};
use loopwright_core::{LoopCandidate, Pose, SearchSettings, Take, candidate::FoundStretches, math::rotation};
use loopwright_synth::{IdleSettings, WalkSettings, synthesize_idle};

use crate::support::{analysed, best, of_poses, walk_of};

const FRAME_RATE_HZ: f64 = 30.0;

/// Frames over which one part fades into the next.
const FADE: usize = 12;

/// A part of a session: a walk of that speed and turn rate, or an idle without speed.
#[derive(Clone, Copy, Debug)]
struct Part {
    seconds: f64,
    speed_mps: f64,
    turn_dps: f64,
}

fn walk(seconds: f64, speed_mps: f64, turn_dps: f64) -> Part {
    Part {
        seconds,
        speed_mps,
        turn_dps,
    }
}

fn idle(seconds: f64) -> Part {
    walk(seconds, 0.0, 0.0)
}

fn take_of(part: &Part, seed: u64) -> Take {
    if part.speed_mps == 0.0 {
        let settings = IdleSettings {
            seed,
            seconds: part.seconds,
            frame_rate_hz: FRAME_RATE_HZ,
            ..IdleSettings::default()
        };
        return synthesize_idle(&settings).unwrap();
    }
    walk_of(WalkSettings {
        seed,
        seconds: part.seconds,
        frame_rate_hz: FRAME_RATE_HZ,
        // Slow walks take longer steps in time.
        period_secs: 1.3 - 0.15 * part.speed_mps,
        speed_mps: part.speed_mps,
        turn_dps: part.turn_dps,
        noise_deg: 0.1,
        ..WalkSettings::default()
    })
}

/// Joins parts: each goes on where the one before ends, and they fade into each other. Also the frames of each.
fn session(parts: &[Part]) -> (Take, Vec<[usize; 2]>) {
    let mut poses: Vec<Pose> = Vec::new();
    let (mut frames, mut takes) = (Vec::new(), Vec::new());
    for (index, part) in parts.iter().enumerate() {
        let take = take_of(part, index as u64);
        let from = poses.len().saturating_sub(FADE);
        let (mut turn, mut shift) = (DQuat::IDENTITY, DVec3::ZERO);
        if let Some(pose) = poses.get(from) {
            turn = rotation::from_yaw(rotation::yaw_of(pose.rotations[0]) - rotation::yaw_of(take.rotations(0)[0]));
            shift = (pose.translations[0] - turn * take.translations(0)[0]).with_y(0.0);
        }
        for frame in 0..take.num_frames() {
            let mut pose = take.pose(frame).to_pose();
            pose.translations[0] = turn * pose.translations[0] + shift;
            pose.rotations[0] = turn * pose.rotations[0];
            let Some(old) = poses.get_mut(from + frame) else {
                poses.push(pose);
                continue;
            };
            let share = (frame as f64 + 1.0) / (FADE as f64 + 1.0);
            for (old, new) in old.translations.iter_mut().zip(pose.translations) {
                *old = old.lerp(new, share);
            }
            for (old, new) in old.rotations.iter_mut().zip(pose.rotations) {
                *old = old.slerp(new, share);
            }
        }
        frames.push([from, poses.len() - 1]);
        takes.push(take);
    }
    (
        of_poses(&takes[0], takes[0].skeleton().clone(), poses.into_iter()),
        frames,
    )
}

fn stretches(take: &Take, settings: &SearchSettings) -> FoundStretches {
    analysed(take).find_stretches(settings).unwrap()
}

/// Returns the part that holds a whole loop, up to half a second on either side.
fn part_of(candidate: &LoopCandidate, frames: &[[usize; 2]]) -> Option<usize> {
    let slack = 0.5 * FRAME_RATE_HZ;
    let holds = |[start, end]: &[usize; 2]| {
        candidate.cut.start_frame() >= *start as f64 - slack && candidate.cut.end_frame() <= *end as f64 + slack
    };
    let middle = 0.5 * (candidate.cut.start_frame() + candidate.cut.end_frame());
    frames
        .iter()
        .position(|part| holds(part) && (part[0] as f64..=part[1] as f64).contains(&middle))
}

/// Each part of a session gives one row of its speed and turn, and nothing else does.
fn assert_one_row_each(parts: &[Part]) {
    let (take, frames) = session(parts);
    let found = stretches(&take, &SearchSettings::default());
    let summary: Vec<_> = found
        .rows
        .iter()
        .map(|row| (row.best.cut, row.best.twist, row.versions.len()))
        .collect();
    let mut of_parts: Vec<_> = found.rows.iter().map(|row| part_of(&row.best, &frames)).collect();
    of_parts.sort_unstable();
    let expected: Vec<_> = (0..parts.len()).map(Some).collect();
    assert_eq!(of_parts, expected, "{parts:?} at {frames:?}: {summary:?}");
    for row in &found.rows {
        let part = &parts[part_of(&row.best, &frames).unwrap()];
        assert_eq!(row.best.is_idle, part.speed_mps == 0.0, "{part:?}: {summary:?}");
        let speed_mps = row.best.twist.linear.length();
        assert!(
            (speed_mps - part.speed_mps).abs() < 0.05 * part.speed_mps + 0.01,
            "{part:?}: {summary:?}"
        );
        let turn_dps = row.best.twist.angular.y.to_degrees();
        assert!((turn_dps - part.turn_dps).abs() < 3.0, "{part:?}: {summary:?}");
    }
    // The recommended loop first, and idle ones last.
    assert_eq!(found.rows[0].best, best(&analysed(&take)));
    assert!(found.rows[1..].is_sorted_by_key(|row| row.best.is_idle), "{summary:?}");
}

#[test]
fn each_stretch_of_a_session_is_one_row() {
    for parts in [
        // Walks of two speeds in one segment, twice.
        &[walk(8.0, 0.8, 0.0), walk(8.0, 1.4, 0.0)][..],
        &[walk(7.0, 1.5, 0.0), walk(9.0, 1.0, 0.0), walk(7.0, 0.6, 0.0)],
        // Walks of two turn rates, of which neither or both curve.
        &[walk(8.0, 1.2, 0.0), walk(8.0, 1.2, 15.0)],
        &[walk(8.0, 1.2, 25.0), walk(8.0, 1.2, 60.0), walk(8.0, 1.2, -40.0)],
        // Idles between walks.
        &[walk(6.0, 1.2, 0.0), idle(6.0), walk(6.0, 1.2, 0.0)],
        &[
            idle(7.0),
            walk(8.0, 0.7, 0.0),
            walk(6.0, 0.7, -45.0),
            idle(6.0),
            walk(9.0, 1.3, 0.0),
            walk(6.0, 1.3, 30.0),
        ],
    ] {
        assert_one_row_each(parts);
    }
}

#[test]
fn a_single_walk_is_one_row_with_its_versions() {
    let (take, _) = session(&[walk(12.0, 1.2, 5.0)]);
    let found = stretches(&take, &SearchSettings::default());
    assert_eq!(found.rows.len(), 1, "{:?}", found.rows);
    assert!(found.rows[0].versions.len() >= 8, "{}", found.rows[0].versions.len());
    // All that the search of the whole take lists is there, and nothing twice.
    let listed = analysed(&take).find_loops(&SearchSettings::default()).unwrap();
    let versions = &found.rows[0].versions;
    for candidate in &listed.candidates[1..] {
        let same = versions.iter().filter(|version| version.cut == candidate.cut);
        assert_eq!(same.count(), 1, "{:?}", candidate.cut);
    }
    let mut segments = found.segments.iter();
    assert!(segments.all(|segment| segment.has_loop && segment.row == Some(0)));
}

#[test]
fn fewer_rows_are_the_first_of_more_and_bounds_are_kept() {
    let (take, frames) = session(&[
        walk(8.0, 0.7, 0.0),
        idle(6.0),
        walk(8.0, 1.4, 0.0),
        walk(8.0, 1.0, 40.0),
    ]);
    let all = stretches(&take, &SearchSettings::default());
    assert_eq!(all.rows.len(), 4);
    for max_candidates in 1..=4 {
        let settings = SearchSettings {
            max_candidates,
            ..SearchSettings::default()
        };
        let fewer = stretches(&take, &settings);
        assert_eq!(fewer.rows, all.rows[..max_candidates]);
        assert_eq!(fewer.num_left_out, 4 - max_candidates);
        let mut rows = fewer.segments.iter().filter_map(|segment| segment.row);
        assert!(rows.all(|row| row < max_candidates));
    }
    let mut settings = SearchSettings {
        within: Some((frames[1][0], frames[2][1])),
        ..SearchSettings::default()
    };
    let within = stretches(&take, &settings);
    let of_parts: Vec<_> = within.rows.iter().map(|row| part_of(&row.best, &frames)).collect();
    assert_eq!(of_parts, [Some(2), Some(1)]);
    settings.within = None;
    settings.idle = true;
    let idles = stretches(&take, &settings);
    assert!(idles.rows.len() == 1 && idles.rows[0].best.is_idle, "{:?}", idles.rows);
    settings.idle = false;
    settings.root_motion.turn_radps = Some([20_f64.to_radians(), f64::INFINITY]);
    let turning = stretches(&take, &settings);
    assert_eq!(turning.rows.len(), 1);
    assert_eq!(part_of(&turning.rows[0].best, &frames), Some(3));
}

#[test]
fn every_kind_comes_once_before_any_comes_again() {
    let straight = walk(8.0, 1.2, 0.0);
    let parts = [
        straight,
        idle(5.0),
        straight,
        idle(5.0),
        walk(8.0, 0.7, 40.0),
        walk(8.0, 0.7, -40.0),
    ];
    let (take, frames) = session(&parts);
    let found = stretches(&take, &SearchSettings::default());
    let rows = found.rows.iter();
    let order: Vec<_> = rows.map(|row| part_of(&row.best, &frames).unwrap()).collect();
    // The recommended walk is one of the three kinds that move.
    let mut kinds: Vec<_> = order[..3].iter().map(|&part| parts[part].turn_dps as i64).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, [-40, 0, 40], "{order:?}");
    assert_eq!(parts[order[3]].speed_mps, 1.2, "{order:?}");
    assert_eq!(order[4..], [1, 3], "{order:?}");
    assert_eq!(found.num_left_out, 0);
}

/// Cycles follow each other at one phase in each of two walks.
#[test]
fn every_cycle_of_a_gait_is_found() {
    let parts = [walk(8.0, 1.2, 10.0), idle(5.0), walk(6.0, 0.8, 0.0)];
    let (take, frames) = session(&parts);
    let analysis = analysed(&take);
    let cycles = analysis.find_cycles(&SearchSettings::default()).unwrap().candidates;
    for part in [0, 2] {
        let of_part: Vec<&LoopCandidate> = cycles
            .iter()
            .filter(|cycle| part_of(cycle, &frames) == Some(part))
            .collect();
        let lasts = (frames[part][1] - frames[part][0]) as f64;
        let period = of_part[0].num_frames;
        assert!(
            // Heels strike near these seams, which may be abrupt.
            of_part.len() as f64 >= (lasts / period).floor() - 3.0,
            "{}",
            of_part.len()
        );
        for pair in of_part.windows(2) {
            assert_eq!(pair[0].cycles, 1);
            // One whose seam would strike a foot is left out.
            let gap = pair[1].cut.start_frame() - pair[0].cut.end_frame();
            let off = gap - (gap / period).round() * period;
            assert!(off.abs() < 1.0 && gap < 1.5 * period, "{gap}");
        }
        let phase = |cycle: &LoopCandidate| cycle.contact_phase.unwrap();
        for cycle in &of_part {
            let off = (phase(cycle) - phase(of_part[0]) + 0.5).rem_euclid(1.0) - 0.5;
            assert!(off.abs() < 0.04, "{off}");
        }
    }
}
