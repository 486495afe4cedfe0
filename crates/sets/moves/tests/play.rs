//! Sets of loops played one after the other: without steps or jerks, and the same for the same seed.

use glam::{DQuat, DVec3};
use loopwright_core::{
    LoopClip, Tracks,
    math::{Decay, Rigid, Twist, ops, rotation},
};
use loopwright_moves::{LoopSet, PlaySettings, play::Performance};
use loopwright_synth::WalkSettings;

use crate::support::{self, best_loop, chain, clip_of, walk_of};

const TAU: f64 = core::f64::consts::TAU;

fn swinging(num_samples: usize, period_secs: f64, size: f64, start_phase: f64, twist: Twist) -> LoopClip {
    let skeleton = chain(&["j0", "j1", "j2", "j3"], DVec3::Y * 0.4);
    let root = support::root(Rigid::from_yaw(0.3, DVec3::new(1.0, 0.0, -2.0)), twist);
    let step = period_secs / num_samples as f64;
    clip_of(skeleton, step, num_samples, root, |phase, joint| {
        let a = TAU * (phase + start_phase);
        let rise = if joint == 0 { 0.02 * ops::sin(a) } else { 0.0 };
        let [x, z] = [size * ops::sin(a + joint as f64), 0.3 * size * ops::cos(a)];
        let turn = DVec3::new(x, 0.2 * ops::cos(2.0 * a), z);
        (DVec3::Y * (0.4 + rise), rotation::exp(turn))
    })
}

fn twist(speed: f64, turn: f64) -> Twist {
    support::twist(DVec3::Z * speed, DVec3::Y * turn)
}

fn set() -> LoopSet {
    LoopSet::new(vec![
        swinging(33, 1.1, 0.5, 0.0, twist(1.3, 0.4)),
        swinging(31, 1.03, 0.6, 0.3, twist(1.5, -0.2)),
        swinging(40, 1.3, 0.3, 0.7, twist(0.7, 0.0)),
    ])
    .unwrap()
}

const FADES: [Decay; 3] = [
    Decay::Quintic { blend_secs: 0.4 },
    Decay::Cubic { blend_secs: 0.3 },
    Decay::Spring { half_life_secs: 0.15 },
];

fn settings(seed: u64, fade: Decay, cycles: [u32; 2]) -> PlaySettings {
    PlaySettings {
        seed,
        fade,
        cycles,
        ..PlaySettings::default()
    }
}

#[test]
fn nothing_steps_and_nothing_jerks_at_a_jump() {
    for fade in FADES {
        let performance = set().perform(30.0, &settings(5, fade, [1, 2])).unwrap();
        assert!(performance.segments().len() > 10);
        let h = 1e-6;
        for segment in &performance.segments()[1..] {
            let at = segment.start_secs;
            // On either side of the jump, and across it; bodies accelerate by tens of metres per second squared.
            let [a, b, c, d] = [-2.0 * h, -h, 0.0, h].map(|offset| performance.world_pose_at(at + offset));
            let spin = |to: DQuat, from: DQuat| rotation::difference(to, from) / h;
            for joint in 0..4 {
                let at_joint = [&a, &b, &c, &d].map(|pose| pose.translations[joint]);
                let is_near = (at_joint[2] - at_joint[1]).length() < 20.0 * h;
                assert!(is_near, "{fade:?}: a step at {at}");
                let [a, b, c, d] = [&a, &b, &c, &d].map(|pose| pose.rotations[joint]);
                for (before, after) in [
                    ((at_joint[1] - at_joint[0]) / h, (at_joint[3] - at_joint[2]) / h),
                    (spin(b, a), spin(d, c)),
                ] {
                    assert!((after - before).length() < 1e-3, "{fade:?} at {at}: {before} {after}");
                }
            }
            let root = |offset: f64| performance.pose_at(at + offset).root;
            let speed = |from: f64, to: f64| {
                let delta = root(from).inverse() * root(to);
                [delta.translation / h, rotation::log(delta.rotation) / h]
            };
            let (before, after) = (speed(-2.0 * h, -h), speed(0.0, h));
            for (before, after) in before.into_iter().zip(after) {
                let off = (after - before).length();
                assert!(off < 1e-3, "{fade:?} root at {at}: {before} {after}");
            }
        }
        // Nowhere else either: the largest change of velocity over a millisecond is that of the motion itself.
        let at = |i: i32| performance.world_pose_at(f64::from(i) * 1e-3).translations[3];
        let positions: Vec<_> = (0..30_000).map(at).collect();
        let bends = positions.windows(3).map(|w| (w[2] - 2.0 * w[1] + w[0]).length() / 1e-6);
        let worst = bends.fold(0.0, f64::max);
        assert!(worst < 200.0, "{fade:?} {worst} m/s^2");
    }
}

/// After a fade nothing of the offset remains: the loop plays unchanged, from the root's current transform.
#[test]
fn after_the_fade_the_loop_itself_plays() {
    let performance = set().perform(20.0, &PlaySettings::default()).unwrap();
    let set = set();
    for (segment, next) in performance.segments().iter().zip(&performance.segments()[1..]) {
        let clip = &set.loops()[segment.loop_index];
        let (from, to) = (segment.start_secs + 0.5, next.start_secs - 1e-9);
        let in_loop = |secs: f64| segment.entry.secs + secs - segment.start_secs;
        let moved = performance.pose_at(from).root.inverse() * performance.pose_at(to).root;
        let expected = clip.root_delta(in_loop(from), in_loop(to));
        assert!((moved.translation - expected.translation).length() < 1e-9);
        assert!(rotation::difference(moved.rotation, expected.rotation).length() < 1e-9);
        let posed = performance.pose_at(from);
        let own = clip.body_pose_at(in_loop(from), Default::default());
        for joint in 0..4 {
            assert!((posed.body.translations[joint] - own.translations[joint]).length() < 1e-12);
            assert!(rotation::difference(posed.body.rotations[joint], own.rotations[joint]).length() < 1e-9);
        }
    }
}

#[test]
fn jumps_go_where_they_cost_least() {
    let set = set();
    for fade in FADES {
        for (from, secs, to) in [(0, 0.3, 1), (1, 0.8, 2), (2, -0.2, 0)] {
            let best = set.entry(from, secs, to, fade).unwrap();
            assert!((0.0..set.loops()[to].period_secs()).contains(&best.secs) && best.cost > 0.0);
            // No time on a fine grid is cheaper: entering the loop slightly shifted is an entry of a shifted loop.
            let clip = &set.loops()[to];
            let count = clip.num_samples();
            for part in 1..6 {
                let shift = clip.step_secs() * f64::from(part) / 6.0;
                let samples = (0..count)
                    .map(|sample| clip.body_pose_at(sample as f64 * clip.step_secs() + shift, Default::default()));
                let tracks = Tracks::from_poses(clip.skeleton().clone(), clip.step_secs(), samples).unwrap();
                let shifted = LoopClip::new("shifted", tracks, 0, *clip.root());
                let others = LoopSet::new(vec![set.loops()[from].clone(), shifted.unwrap()]).unwrap();
                let [other, best] = [others.entry(0, secs, 1, fade).unwrap().cost, best.cost];
                assert!(other > 0.98 * best, "{fade:?} {from} {to}: {other} {best}");
            }
        }
        // A jump from a loop to itself enters at the time of the exit.
        let same = LoopSet::new(vec![set.loops()[0].clone(), set.loops()[0].clone()]).unwrap();
        for secs in [0.0, 0.41, 0.9, 7.77] {
            let entry = same.entry(0, secs, 1, fade).unwrap();
            let period = same.loops()[0].period_secs();
            let off = (entry.secs - secs) / period;
            assert!((off - off.round()).abs() < 1e-3, "{secs}: {entry:?}");
        }
    }
}

/// Returns the time of a loop's samples, `parts` to each step.
fn times(clip: &LoopClip, parts: usize) -> impl Iterator<Item = f64> {
    let step = clip.step_secs() / parts as f64;
    (0..parts * clip.num_samples()).map(move |part| part as f64 * step)
}

/// Every exit at a sample and at the quarters between is tried, each with its best entry: none is cheaper.
#[test]
fn of_all_exits_and_entries_a_jump_takes_the_cheapest() {
    let set = set();
    for fade in FADES {
        for (from, to) in [(0, 1), (1, 2), (2, 0), (1, 0)] {
            let jump = set.jump(from, to, fade).unwrap();
            let cost = |secs: f64| set.entry(from, secs, to, fade).unwrap().cost;
            // Refinement ends at about a hundredth of a sample, in one of several valleys of nearly one depth.
            for parts in [1, 4] {
                let least = times(&set.loops()[from], parts).map(cost).fold(f64::INFINITY, f64::min);
                let is_right = jump.entry.cost < 1.005 * least;
                assert!(is_right, "{fade:?} {from} {to}: {jump:?} {least}");
            }
            assert!((0.0..set.loops()[from].period_secs()).contains(&jump.exit_secs));
            assert!((0.0..set.loops()[to].period_secs()).contains(&jump.entry.secs));
            // The cost is that of the best entry from this exit; several valleys may be as deep.
            let entry = set.entry(from, jump.exit_secs, to, fade).unwrap();
            assert!((entry.cost / jump.entry.cost - 1.0).abs() < 1e-3, "{entry:?} {jump:?}");
            let back = set.jump(to, from, fade).unwrap();
            let reversed = (jump.entry.secs, jump.exit_secs, jump.entry.cost);
            assert_eq!((back.exit_secs, back.entry.secs, back.entry.cost), reversed);
        }
    }
}

/// A loop plays the drawn number of cycles and on to its best exit, and no jump costs more than one at the end of the cycles.
#[test]
fn a_loop_is_left_at_its_best_exit_within_one_more_cycle() {
    let set = set();
    for fade in FADES {
        for cycles in [1, 2] {
            let settings = settings(9, fade, [cycles; 2]);
            let performance = set.perform(60.0, &settings).unwrap();
            for pair in performance.segments().windows(2) {
                let (left, entered) = (&pair[0], &pair[1]);
                let period = set.loops()[left.loop_index].period_secs();
                let jump = set.jump(left.loop_index, entered.loop_index, fade).unwrap();
                assert_eq!((left.exit_secs, entered.entry), (Some(jump.exit_secs), jump.entry));
                let played = entered.start_secs - left.start_secs;
                let more = played / period - f64::from(cycles);
                assert!((-1e-9..1.0).contains(&more), "{fade:?}: {more} cycles more");
                let turns = (left.entry.secs + played - jump.exit_secs) / period;
                assert!((turns - turns.round()).abs() < 1e-9, "{turns}");
                let end = left.entry.secs + f64::from(cycles) * period;
                let at_end = set.entry(left.loop_index, end, entered.loop_index, fade).unwrap();
                assert!(entered.entry.cost <= at_end.cost * 1.005, "{jump:?} {at_end:?}");
            }
            assert_eq!(performance.segments().last().unwrap().exit_secs, None);
            let prepared = set.clone().prepared(fade).unwrap();
            assert_eq!(prepared.perform(60.0, &settings), Ok(performance));
        }
    }
    // The way back has the same phases: two loops need no more than whole cycles after the first.
    let two = LoopSet::new(set.loops()[..2].to_vec()).unwrap();
    let performance = two.perform(60.0, &PlaySettings::default()).unwrap();
    for pair in performance.segments()[1..].windows(2) {
        let cycles = (pair[1].start_secs - pair[0].start_secs) / two.loops()[pair[0].loop_index].period_secs();
        assert!((cycles - cycles.round()).abs() < 1e-9, "{cycles} cycles");
    }
}

/// A loop that is shorter than the fade plays until the fade has ended.
#[test]
fn no_loop_is_left_before_the_fade_has_ended() {
    let fade = Decay::Quintic { blend_secs: 1.5 };
    let performance = set().perform(60.0, &settings(2, fade, [1, 1])).unwrap();
    assert!(performance.segments().len() > 10);
    for pair in performance.segments().windows(2) {
        let period = set().loops()[pair[0].loop_index].period_secs();
        let played = pair[1].start_secs - pair[0].start_secs;
        assert!(played >= 1.5 && played / period < 3.0, "{played}");
    }
}

#[test]
fn the_seed_decides_and_no_loop_follows_itself() {
    let played = |seed: u64| {
        let settings = settings(seed, PlaySettings::default().fade, [1, 3]);
        set().perform(120.0, &settings).unwrap()
    };
    assert_eq!(played(7), played(7));
    let order = |seed: u64| -> Vec<usize> {
        let segments = played(seed);
        segments.segments().iter().map(|segment| segment.loop_index).collect()
    };
    assert_ne!(order(7), order(8));
    let long = order(1);
    assert!(long.windows(2).all(|pair| pair[0] != pair[1]));
    assert!((0..3).all(|index| long.iter().filter(|&&played| played == index).count() > 5));
    // The number of cycles varies as well.
    let performance = played(3);
    let mut cycles: Vec<i64> = performance
        .segments()
        .windows(2)
        .map(|pair| {
            let period = set().loops()[pair[0].loop_index].period_secs();
            // And up to one more, until the best exit.
            ((pair[1].start_secs - pair[0].start_secs) / period + 1e-9).floor() as i64
        })
        .collect();
    cycles.sort_unstable();
    cycles.dedup();
    assert_eq!(cycles, [1, 2, 3]);
}

/// Returns the recommended loop of a synthetic walk at a speed, metres per second.
fn walk(speed_mps: f64, seed: u64) -> LoopClip {
    best_loop(&walk_of(WalkSettings::default().speed_mps(speed_mps).seed(seed)))
}

/// The largest way over the ground of toe joints after jumps, while they stand in the loop that is entered and are on the ground,
/// and the farthest that they go below where they stand; metres.
fn slide_and_depth(performance: &Performance, loops: &[LoopClip]) -> [f64; 2] {
    let toes = ["LeftToeBase", "RightToeBase"].map(|name| loops[0].skeleton().find(name).unwrap());
    let (mut slide, mut depth) = (0.0_f64, 0.0_f64);
    let h = 1.0 / 240.0;
    for segment in &performance.segments()[1..] {
        let clip = &loops[segment.loop_index];
        let in_loop = |secs: f64, toe: usize| {
            let body = clip.body_pose_at(secs, Default::default());
            let world = body.as_ref().world(clip.skeleton()).moved(clip.root_pose_at(secs));
            world.translations[toe]
        };
        for toe in toes {
            let samples = (clip.period_secs() / h) as usize;
            let heights = (0..samples).map(|sample| in_loop(sample as f64 * h, toe).y);
            let floor = heights.fold(f64::INFINITY, f64::min);
            let mut stood: Option<DVec3> = None;
            for step in 0..(1.0 / h) as usize {
                let since = step as f64 * h;
                let at = performance.world_pose_at(segment.start_secs + since).translations[toe];
                depth = depth.max(floor - at.y);
                let secs = segment.entry.secs + since;
                let [here, next] = [in_loop(secs, toe), in_loop(secs + h, toe)];
                let stands = here.y < floor + 0.01 && (next - here).length() < 0.1 * h && at.y < floor + 0.01;
                if !stands {
                    stood = None;
                    continue;
                }
                let way = at - *stood.get_or_insert(at);
                slide = slide.max(ops::hypot(way.x, way.z));
            }
        }
    }
    [slide, depth]
}

/// A slow and a fast walk, played with feet that are free, and with feet that are held.
fn open_and_held(secs: f64) -> (LoopSet, [Performance; 2]) {
    let set = LoopSet::new(vec![walk(0.9, 3), walk(1.7, 4)]).unwrap();
    let played = [false, true].map(|feet| {
        let settings = PlaySettings {
            feet,
            ..PlaySettings::default()
        };
        set.perform(secs, &settings).unwrap()
    });
    (set, played)
}

/// A fade from a slow walk into a fast one drags standing feet along by centimetres; solved, they stay.
#[test]
fn feet_stay_where_they_stand_while_a_jump_fades() {
    let (set, performances) = open_and_held(30.0);
    let [open, held] = performances.map(|performance| {
        assert!(performance.segments().len() > 8);
        slide_and_depth(&performance, set.loops())
    });
    assert!(open[0] > 0.02, "the fade slides feet by {:.4} m", open[0]);
    assert!(held[0] < 0.005, "solved, by {:.4} m", held[0]);
    assert!(held[1] < 0.002, "{:.4} m below the floor", held[1]);
}

/// Feet are solved without a step: no joint changes its velocity at once where a correction begins, and once it has ended the loop
/// itself plays.
#[test]
fn solved_feet_begin_and_end_at_rest() {
    let (_, performances) = open_and_held(20.0);
    let corrected = |secs: f64| {
        let [open, held] = performances
            .each_ref()
            .map(|performance| performance.world_pose_at(secs));
        let ways = open.translations.iter().zip(&held.translations);
        ways.map(|(open, held)| open.distance(*held)).fold(0.0, f64::max)
    };
    let h = 1e-5;
    for pair in performances[1].segments().windows(2) {
        let (at, next) = (pair[0].start_secs, pair[1].start_secs);
        assert!(corrected(at + h) < 1e-8, "a step of {:e} m", corrected(at + h));
        assert_eq!(corrected(next - h), 0.0, "the loop itself is left");
    }
    let corrections = (0..2000).map(|step| corrected(f64::from(step) * 0.01));
    let largest = corrections.fold(0.0, f64::max);
    assert!((0.01..0.2).contains(&largest), "feet are corrected by {largest} m");
}
