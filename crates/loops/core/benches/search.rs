//! The time of the exact list of distinct loops.
//!
//! Fixed inputs of 20,000 frames: features without structure, synthetic motion, and captured takes in sequence if the folder of
//! takes exists. Run with `cargo bench -p loopwright`; with `--features threads` for all processors, and with `-- WORD` for only
//! those lists that have the word in their name.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::time::Instant;

use loopwright_core::{
    analysis::Features,
    candidate::SeamPair,
    math::Decay,
    unstable::{
        bound::SeamBounds,
        seams::Seams,
        search::{Admission, DistinctPairs},
    },
};

mod inputs;

use inputs::NUM_JOINTS;

const NUM_FRAMES: usize = 20_000;
/// Shortest loop and separation, seconds.
const MIN_SECS: f64 = 0.4;
const MAX_SECS: f64 = 10.0;
const SEPARATION_SECS: f64 = 0.1;
const COUNT: usize = 10;

fn main() {
    println!("{NUM_FRAMES} frames, {NUM_JOINTS} joints and the root; best of three");
    let noise = inputs::without_structure(NUM_FRAMES).unwrap();
    println!("\nexact list of the {COUNT} best distinct loops");
    lists("without structure, 30 fps", &noise, 30.0);
    lists("without structure, 120 fps", &noise, 120.0);
    for fps in [30, 120] {
        lists(
            &format!("synthetic walks, {fps} fps"),
            &inputs::synthetic(NUM_FRAMES, f64::from(fps)).unwrap(),
            f64::from(fps),
        );
    }
    let Some(folder) = loopwright_mocap::folder_or_skip() else {
        return;
    };
    for fps in [120.0, 60.0, 30.0] {
        let (features, names) = inputs::captured(&folder, NUM_FRAMES, fps).unwrap();
        lists(&format!("{names} captured takes, {fps} fps"), &features, fps);
    }
}

/// Whether a part is selected on the command line; without a selection all are.
fn chosen(name: &str) -> bool {
    let mut words = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .peekable();
    words.peek().is_none() || words.any(|word| name.contains(&word))
}

/// Returns the shortest time of three runs, seconds, and their result.
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
    SeamBounds::new(Seams::new(features, Decay::Spring { half_life_secs: 0.1 }), usable)
}

fn lists(name: &str, features: &Features, fps: f64) {
    if !chosen(name) {
        return;
    }
    let num_frames = features.num_frames();
    let usable = vec![true; num_frames];
    let (build_secs, bounds) = time(|| bounds(features, &usable));

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
        "{name}: {num_frames} x {} dims, tables {build_secs:.3} s\n    \
         any length: {secs:.3} s; up to {MAX_SECS} s: {loop_secs:.3} s, 400 of them {many_secs:.3} s; costs {:.5} to {:.5}",
        bounds.num_dims(),
        found.first().map_or(0.0, |pair| pair.cost),
        found.last().map_or(0.0, |pair| pair.cost),
    );
}
