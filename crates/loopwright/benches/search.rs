//! How fast bounds are computed, and what the exact list of distinct loops costs beside comparing all pairs.
//!
//! Fixed inputs of 20,000 frames: features without structure, synthetic motion, and captured takes laid end to end where
//! the folder of takes is there. Run with `cargo bench -p loopwright`; with `--features threads` for all processors, and with
//! `-- WORD` for the lists with that word in their name alone.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::{path::Path, time::Instant};

use loopwright::{
    analysis::{
        Analysis,
        body::{Body, BodyOverrides},
        energy::Activity,
        features::{Features, WeightedJoint},
    },
    candidate::{
        bound::{Instructions, SeamBounds},
        score::SpringCost,
        search::{Admission, DistinctPairs, SeamPair, Seams},
    },
    take::Take,
};
use loopwright_formats::{SpaceSettings, read_take};
use rand_pcg::{Pcg64, rand_core::Rng};

const NUM_FRAMES: usize = 20_000;
/// Weighted joints of a body that is compared in detail.
const NUM_JOINTS: usize = 13;
const NUM_AXES: usize = 3 * NUM_JOINTS + 4;
/// Shortest loop and separation, seconds.
const MIN_SECS: f64 = 0.4;
const MAX_SECS: f64 = 10.0;
const SEPARATION_SECS: f64 = 0.1;
const COUNT: usize = 10;

fn main() {
    println!("{NUM_FRAMES} frames, {NUM_JOINTS} joints and the root; best of three");
    let noise = without_structure();
    let all = vec![true; NUM_FRAMES];
    if chosen("kernel") {
        kernel(&noise, &all);
    }
    println!("\nexact list of the {COUNT} best distinct loops, over the time of all pairs");
    lists("without structure, 30 fps", &noise, 30.0);
    lists("without structure, 120 fps", &noise, 120.0);
    for fps in [30, 120] {
        lists(
            &format!("synthetic walks, {fps} fps"),
            &synthetic(f64::from(fps)),
            f64::from(fps),
        );
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/mocap");
    if !folder.is_dir() {
        println!("SKIPPED: no captured takes at {}", folder.display());
        return;
    }
    for fps in [120.0, 60.0, 30.0] {
        let (features, names) = captured(&folder, fps);
        lists(&format!("{names} captured takes, {fps} fps"), &features, fps);
    }
}

/// Whether a part is asked for on the command line, where any is.
fn chosen(name: &str) -> bool {
    let mut words = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .peekable();
    words.peek().is_none() || words.any(|word| name.contains(&word))
}

/// Shortest of three runs, seconds, and what they made.
fn time<T>(work: impl Fn() -> T) -> (f64, T) {
    let run = || {
        let start = now();
        let made = work();
        (start.elapsed().as_secs_f64(), made)
    };
    let (first, made) = run();
    let best = (0..2).map(|_| run().0).fold(first, f64::min);
    (best, made)
}

#[expect(clippy::disallowed_methods, reason = "the core has no clock, its bench has")]
fn now() -> Instant {
    Instant::now()
}

fn bounds<'a>(features: &'a Features, usable: &[bool]) -> SeamBounds<'a> {
    SeamBounds::new(Seams::new(features, SpringCost::from_half_life(0.1)), usable)
}

fn kernel(features: &Features, usable: &[bool]) {
    let mut bounds = bounds(features, usable);
    let dims = bounds.num_dims() as f64;
    let pairs = (NUM_FRAMES * (NUM_FRAMES + 16) / 2) as f64;
    for instructions in Instructions::available() {
        bounds = bounds.using(instructions);
        let (dense_secs, _) = time(|| bounds.dense());
        let times = 200_000;
        let (cache_secs, _) = time(|| bounds.dense_in_cache(times));
        let speed = pairs * dims / dense_secs / 1e9;
        let limit = times as f64 * 256.0 * dims / cache_secs / 1e9;
        println!(
            "{:8} all pairs {dense_secs:.3} s, {speed:5.1} G dims/s; without memory {limit:5.1} G dims/s: {:.2}",
            instructions.name(),
            speed / limit
        );
    }
}

fn lists(name: &str, features: &Features, fps: f64) {
    if !chosen(name) {
        return;
    }
    let num_frames = features.num_frames();
    let usable = vec![true; num_frames];
    let (build_secs, bounds) = time(|| bounds(features, &usable));
    let (dense_secs, _) = time(|| bounds.dense());
    let separation = (SEPARATION_SECS * fps).round() as usize;
    let min_lag = (MIN_SECS * fps).ceil() as usize;
    let admission = Admission::of_any_activity(&usable, min_lag..=num_frames);
    let list = |admission: &Admission, count: usize| -> Vec<SeamPair> {
        DistinctPairs::new(&bounds, admission.clone(), separation)
            .expecting(count)
            .take(count)
            .collect()
    };
    let (secs, found) = time(|| list(&admission, COUNT));
    let loops = admission.with_lags(min_lag..=(MAX_SECS * fps) as usize);
    let (loop_secs, _) = time(|| list(&loops, COUNT));
    let (many_secs, _) = time(|| list(&loops, 400));
    println!(
        "{name}: {num_frames} x {} dims, dense {dense_secs:.3} s, tables {build_secs:.3} s\n    \
         any length: {secs:.3} s, {:.3} of dense; up to {MAX_SECS} s: {loop_secs:.3} s, {:.3}, 400 of them {many_secs:.3} s; \
         costs {:.5} to {:.5}",
        bounds.num_dims(),
        secs / dense_secs,
        loop_secs / dense_secs,
        found.first().map_or(0.0, |pair| pair.cost),
        found.last().map_or(0.0, |pair| pair.cost),
    );
}

fn uniform(random: &mut Pcg64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Every value of every frame drawn anew, in the proportion that positions and velocities have in motion.
fn without_structure() -> Features {
    let random = &mut Pcg64::new(1, 7);
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    for index in 0..NUM_FRAMES * NUM_AXES {
        let is_root = index % NUM_AXES >= 3 * NUM_JOINTS;
        positions.push(if is_root { 0.0 } else { uniform(random) - 0.5 });
        velocities.push(20.0 * (uniform(random) - 0.5));
    }
    Features::from_values(1.0 / 30.0, NUM_AXES, positions, velocities).unwrap()
}

/// Sums of waves whose rates change every few seconds, with noise: motion that repeats, never exactly.
fn synthetic(fps: f64) -> Features {
    let random = &mut Pcg64::new(2, 7);
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    let mut phase = 0.0;
    let mut gait: Vec<[f64; 4]> = Vec::new();
    let mut rate = 1.0;
    for frame in 0..NUM_FRAMES {
        if frame % (6.0 * fps) as usize == 0 {
            rate = 0.7 + 0.8 * uniform(random);
            gait = (0..NUM_AXES)
                .map(|_| {
                    [
                        0.3 * uniform(random),
                        6.3 * uniform(random),
                        0.1 * uniform(random),
                        6.3 * uniform(random),
                    ]
                })
                .collect();
        }
        phase += core::f64::consts::TAU * rate / fps;
        for (axis, &[size, shift, overtone, overtone_shift]) in gait.iter().enumerate() {
            let noise = 0.002 * (uniform(random) - 0.5);
            let x = size * libm::sin(phase + shift) + overtone * libm::sin(2.0 * phase + overtone_shift) + noise;
            let turns = core::f64::consts::TAU * rate;
            let v = turns
                * (size * libm::cos(phase + shift) + 2.0 * overtone * libm::cos(2.0 * phase + overtone_shift))
                + 0.5 * noise * fps;
            positions.push(if axis < 3 * NUM_JOINTS { x } else { 0.0 });
            velocities.push(v);
        }
    }
    Features::from_values(1.0 / fps, NUM_AXES, positions, velocities).unwrap()
}

/// Feet, toes, hands, head, hips, and the joints above ankles, hands and head.
fn joints(take: &Take, body: &Body) -> Option<Vec<WeightedJoint>> {
    let parent = |joint: usize| take.skeleton().joints()[joint].parent.unwrap_or(joint);
    let mut joints = Vec::new();
    for foot in body.feet.get(..2)? {
        joints.extend([foot.ankle, foot.toe.unwrap_or(foot.ankle), parent(foot.ankle)]);
    }
    for &hand in body.hands.get(..2)? {
        joints.extend([hand, parent(hand)]);
    }
    let head = body.head?;
    joints.extend([head, parent(head), body.hips]);
    Some(
        joints
            .into_iter()
            .map(|joint| WeightedJoint { joint, weight: 0.5 })
            .collect(),
    )
}

/// Where the mirrored motion has its axis from, and its sign; in the order of [`joints`].
fn mirrored(axis: usize) -> (usize, f64) {
    let (joint, side) = (axis / 3, axis % 3);
    // Left and right ankle, toe, knee; left and right hand, elbow; the rest lie in the middle.
    let source = match joint {
        0..3 => joint + 3,
        3..6 => joint - 3,
        6..8 => joint + 2,
        8..10 => joint - 2,
        _ => joint,
    };
    // Sideways is x; the last axis is the turning.
    let flips = if joint < NUM_JOINTS {
        side == 0
    } else {
        axis == 3 * NUM_JOINTS || axis == NUM_AXES - 1
    };
    (3 * source + side, if flips { -1.0 } else { 1.0 })
}

/// Takes that hold the motion of another.
const COPIES: [&str; 3] = ["131_01_scaled_metres", "uturn_frames_time_keyword", "05_20_daz"];

/// Captured takes at `fps` laid end to end, and how many; faster ones are thinned.
fn captured(folder: &Path, fps: f64) -> (Features, usize) {
    let manifest = std::fs::read_to_string(folder.join("manifest.csv")).unwrap();
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    let mut names = 0;
    for line in manifest.lines().skip(1) {
        let file = line.split(',').next().unwrap_or_default();
        if !file.ends_with(".bvh")
            || file.starts_with("bad/")
            || COPIES.iter().any(|name| file.contains(name))
            || positions.len() >= NUM_FRAMES * NUM_AXES
        {
            continue;
        }
        let Ok(bytes) = std::fs::read(folder.join(file)) else {
            continue;
        };
        let Ok(loaded) = read_take(&bytes, file, &SpaceSettings::default(), &mut Vec::new()) else {
            continue;
        };
        let take = loaded.take;
        let thinning = 1.0 / (fps * take.frame_time_secs());
        if (thinning - thinning.round()).abs() > 0.02 * thinning || thinning < 0.98 || take.num_frames() < 60 {
            continue;
        }
        let Ok(analysis) = Analysis::of(&take, &BodyOverrides::default()) else {
            continue;
        };
        let Some(joints) = joints(&take, &analysis.body) else {
            continue;
        };
        let features = Features::of(&take, &analysis.world, &analysis.heading, &analysis.body, &joints);
        // Standing matches anything; the search looks at what moves.
        let moving = |&frame: &usize| analysis.usable[frame] && analysis.energy.activities()[frame] == Activity::Moving;
        for frame in (0..take.num_frames()).step_by(thinning.round() as usize).filter(moving) {
            positions.extend_from_slice(features.positions(frame));
            velocities.extend_from_slice(features.velocities(frame));
        }
        names += 1;
    }
    // What is missing is filled up with the mirrored motion.
    let num_frames = positions.len() / NUM_AXES;
    for frame in 0..num_frames {
        let from = frame * NUM_AXES;
        for axis in 0..NUM_AXES {
            let (source, sign) = mirrored(axis);
            positions.push(sign * positions[from + source]);
            velocities.push(sign * velocities[from + source]);
        }
    }
    positions.truncate(NUM_FRAMES * NUM_AXES);
    velocities.truncate(NUM_FRAMES * NUM_AXES);
    (
        Features::from_values(1.0 / fps, NUM_AXES, positions, velocities).unwrap(),
        names,
    )
}
