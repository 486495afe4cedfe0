//! The cost of playing loops, compared with the memory speed of the machine: `cargo bench -p loopwright --bench playback`.
//!
//! Ten thousand characters of 67 joints are sampled once per frame, on one thread, each at its own time in its own loop. The same
//! work is done with one loop for all, which stays in the cache, and with more loops than fit in it; each character either plays
//! on from frame to frame, or is sampled at unrelated times. Memory is read and written in the same run: a ratio to it can be
//! compared between machines, a figure in nanoseconds cannot.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::{hint::black_box, time::Instant};

use glam::{DQuat, DVec3};
use loopwright_core::loop_clip::{ModelMatrix, RuntimeLoop, RuntimePose};
use loopwright_core::math::{Rigid, Twist, ops, rotation};
use loopwright_core::{Joint, LoopClip, RootMotion, Skeleton};
use rand_pcg::{Pcg64, rand_core::Rng};

const NUM_CHARACTERS: usize = 10_000;
const NUM_JOINTS: usize = 67;
/// Samples of a loop: a little more than a second at 60 a second.
const NUM_SAMPLES: usize = 64;
const FRAME_SECS: f64 = 1.0 / 60.0;
/// Number of loops that together exceed the cache.
const NUM_LOOPS: usize = 1000;
/// Number of timed frames; the fastest counts, since it is the least disturbed by other processes.
const NUM_FRAMES: usize = 41;

/// Returns a human body with fingers: spine and head, two legs of four joints, two arms of four with five fingers of four each.
fn skeleton() -> Skeleton {
    let mut parents: Vec<Option<usize>> = vec![None];
    let chain = |parents: &mut Vec<Option<usize>>, from: usize, length: usize| {
        let mut parent = from;
        for _ in 0..length {
            parents.push(Some(parent));
            parent = parents.len() - 1;
        }
        parent
    };
    let chest = chain(&mut parents, 0, 3);
    chain(&mut parents, chest, 2);
    for _ in 0..2 {
        chain(&mut parents, 0, 5);
    }
    for _ in 0..2 {
        let hand = chain(&mut parents, chest, 4);
        for _ in 0..5 {
            chain(&mut parents, hand, 4);
        }
    }
    parents.resize(NUM_JOINTS, Some(chest));
    let joints = parents
        .into_iter()
        .enumerate()
        .map(|(index, parent)| Joint::new(format!("j{index}"), parent, DVec3::Y * 0.1));
    Skeleton::new(joints.collect()).expect("parents come first")
}

/// Returns a loop in which all joints rotate and the hips translate.
fn clip(number: usize) -> LoopClip {
    let (mut translations, mut rotations): (Vec<DVec3>, Vec<DQuat>) = (Vec::new(), Vec::new());
    for sample in 0..NUM_SAMPLES {
        let a = core::f64::consts::TAU * sample as f64 / NUM_SAMPLES as f64;
        for joint in 0..NUM_JOINTS {
            let b = a + joint as f64 + 0.1 * number as f64;
            translations.push(if joint == 0 {
                DVec3::new(0.02 * ops::sin(b), 0.95, 0.03 * ops::cos(b))
            } else {
                DVec3::Y * 0.1
            });
            rotations.push(rotation::exp(DVec3::new(
                0.4 * ops::sin(b),
                0.2 * ops::cos(b),
                0.1 * ops::sin(2.0 * b),
            )));
        }
    }
    let root = RootMotion::new(Rigid::IDENTITY, Twist::new(DVec3::Z, DVec3::ZERO));
    LoopClip::new(
        "l",
        loopwright_core::motion::Tracks::new(skeleton(), FRAME_SECS, translations, rotations).unwrap(),
        0,
        root,
    )
    .expect("the samples are whole")
}

/// The time of a character in its loop.
struct Character {
    loop_index: usize,
    secs: f64,
}

fn characters(num_loops: usize) -> Vec<Character> {
    let random = &mut Pcg64::new(1, 7);
    let mut uniform = || (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    (0..NUM_CHARACTERS)
        .map(|_| Character {
            loop_index: ((uniform() * num_loops as f64) as usize).min(num_loops - 1),
            secs: uniform() * 60.0,
        })
        .collect()
}

#[expect(clippy::disallowed_methods, reason = "the core has no clock, its bench has")]
fn now() -> Instant {
    Instant::now()
}

/// Nanoseconds per part in the fastest frame.
fn nanoseconds(parts: usize, mut frame: impl FnMut(usize)) -> f64 {
    frame(0);
    (1..=NUM_FRAMES)
        .map(|index| {
            let start = now();
            frame(index);
            start.elapsed().as_secs_f64() * 1e9 / parts as f64
        })
        .fold(f64::INFINITY, f64::min)
}

/// The access pattern.
#[derive(Clone, Copy)]
enum Order {
    /// Every character plays on.
    Forward,
    /// Every character is sampled at a time unrelated to its last.
    Random,
}

fn main() {
    let joints = NUM_CHARACTERS * NUM_JOINTS;
    println!("{NUM_CHARACTERS} characters of {NUM_JOINTS} joints, one thread, fastest of {NUM_FRAMES} frames");
    let shared = vec![RuntimeLoop::new(&clip(0)).expect("enough samples")];
    println!("loop of {NUM_SAMPLES} samples: {} bytes", shared[0].num_bytes());
    memory();
    run("one loop for all", &shared, joints);
    // Equal values in different memory, so that they are not in the cache.
    let many: Vec<RuntimeLoop> = (0..NUM_LOOPS).map(|_| shared[0].clone()).collect();
    run(
        &format!("{NUM_LOOPS} loops, {} MB", NUM_LOOPS * many[0].num_bytes() / 1_000_000),
        &many,
        joints,
    );
}

fn run(name: &str, loops: &[RuntimeLoop], joints: usize) {
    let characters = characters(loops.len());
    let mut pose = loops[0].pose();
    let mut models: Vec<ModelMatrix> = vec![[[0.0; 4]; 4]; NUM_JOINTS];
    let mut all_models = vec![models.clone(); NUM_CHARACTERS];
    println!("{name}");
    for (order, word) in [(Order::Forward, "forward"), (Order::Random, "random")] {
        let secs = |character: &Character, frame: usize| match order {
            Order::Forward => character.secs + frame as f64 * FRAME_SECS,
            Order::Random => character.secs + ((frame * 7919) % 101) as f64 * 13.7,
        };
        let pose_only = nanoseconds(joints, |frame| {
            for character in &characters {
                let clip = &loops[character.loop_index];
                clip.sample(secs(character, frame), &mut pose).expect("the buffer fits");
                black_box::<&mut RuntimePose>(&mut pose);
            }
        });
        let with_models = nanoseconds(joints, |frame| {
            for character in &characters {
                let clip = &loops[character.loop_index];
                clip.sample_models(secs(character, frame), &mut pose, &mut models)
                    .expect("the buffer fits");
                black_box::<&mut Vec<ModelMatrix>>(&mut models);
            }
        });
        let kept = nanoseconds(joints, |frame| {
            for (character, models) in characters.iter().zip(&mut all_models) {
                let clip = &loops[character.loop_index];
                clip.sample_models(secs(character, frame), &mut pose, models)
                    .expect("the buffer fits");
            }
            black_box(&mut all_models);
        });
        println!(
            "    {word:8} pose {pose_only:5.2} ns a joint, pose and models {with_models:5.2}, models of all kept {kept:5.2}"
        );
    }
}

/// Reads and writes memory far larger than the cache, and prints the cost of a joint's bytes at that speed.
fn memory() {
    const WORDS: usize = 1 << 25;
    let mut words = vec![1.0_f32; WORDS];
    let bytes = 4 * WORDS;
    let read = nanoseconds(bytes, |_| {
        let mut sums = [0.0_f32; 64];
        for chunk in words.chunks_exact(64) {
            for (sum, word) in sums.iter_mut().zip(chunk) {
                *sum += word;
            }
        }
        black_box(sums);
    });
    let write = nanoseconds(bytes, |frame| {
        words.fill(frame as f32);
        black_box(&mut words);
    });
    println!(
        "memory: read {:.1} GB/s, written {:.1} GB/s; two keys of a joint (32 bytes) {:.2} ns, a matrix (64 bytes) {:.2} ns",
        1.0 / read,
        1.0 / write,
        32.0 * read,
        64.0 * write
    );
}
