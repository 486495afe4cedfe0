//! How long the work of the studio takes: `cargo run --release --example timings`.

use std::{
    error::Error,
    io::Write as _,
    time::{Duration, Instant},
};

use glam::DQuat;
use loopwright::{Skeleton, Take, motion::Joint};
use loopwright_formats::{Format, Source, write_take};
use loopwright_studio::model::{Edit, Exported, Made, Opened, Study};
use loopwright_synth::{WalkSettings, synthesize};

/// Runs of each piece of work; the middle one counts.
const RUNS: usize = 21;

/// Frames per second at which one cycle of the walk has 240 samples.
const RATE_HZ: f64 = 208.0;

/// Joints of the take whose slider moves: the walker has fewer.
const JOINTS: usize = 30;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    let spent = median(|| Opened::walk().map(drop))?;
    writeln!(out, "the walk at the start: {spent:.1?}")?;
    let settings = WalkSettings {
        frame_rate_hz: RATE_HZ,
        ..WalkSettings::default()
    };
    let take = with_fingers(&synthesize(&settings)?.take)?;
    let bytes = write_take(&take, &Source::for_take(&take, Format::Bvh))?.bytes;
    let spent = median(|| Opened::read("walk.bvh", bytes.clone()).map(drop))?;
    writeln!(out, "{} frames of BVH opened: {spent:.1?}", take.num_frames())?;
    let opened = Opened::read("walk.bvh", bytes.clone())?;
    let first = Edit::first(&opened);
    let made = Made::of(&opened, &first)?;
    let (samples, joints) = (made.done.made.loop_clip.num_samples(), take.num_joints());
    let spent = median(|| Made::draft(&opened, &first).map(drop))?;
    writeln!(out, "a slider moves, {samples} samples of {joints} joints: {spent:.1?}")?;
    let spent = median(|| Made::of(&opened, &first).map(drop))?;
    writeln!(out, "it is released, and feet are held: {spent:.1?}")?;
    let spent = median(|| Exported::of(&opened, &made, Format::Bvh).map(drop))?;
    writeln!(out, "its BVH written, read back and measured: {spent:.1?}")?;
    for (study, what) in [
        (Study::Costs, "the cost of every seam"),
        (Study::Jumps, "jumps between the first loops"),
        (Study::Fit, "a controller fitted"),
    ] {
        let spent = median(|| {
            study.of(&opened);
            Ok::<(), Box<dyn Error>>(())
        })?;
        writeln!(out, "{what}: {spent:.1?}")?;
    }
    Ok(())
}

/// A take with fingers at its left hand, until there are as many joints as are asked for.
fn with_fingers(take: &Take) -> Result<Take, Box<dyn Error>> {
    let own = take.skeleton();
    let hand = own.find("LeftHand").ok_or("the walker has a left hand")?;
    let mut joints = own.joints().to_vec();
    for finger in joints.len()..JOINTS {
        joints.push(Joint {
            name: format!("LeftHandFinger{finger}"),
            parent: Some(hand),
            rest_offset: own.joint(hand).rest_offset * 0.1,
            ..joints[hand].clone()
        });
    }
    let added = &joints[own.num_joints()..];
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for frame in 0..take.num_frames() {
        let pose = take.pose(frame).to_pose();
        translations.extend(
            pose.translations
                .into_iter()
                .chain(added.iter().map(|joint| joint.rest_offset)),
        );
        rotations.extend(pose.rotations.into_iter().chain(added.iter().map(|_| DQuat::IDENTITY)));
    }
    let skeleton = Skeleton::new(joints)?;
    Ok(Take::new(
        take.name(),
        skeleton,
        take.frame_time_secs(),
        translations,
        rotations,
    )?)
}

/// The middle of the times of some runs.
fn median<E>(work: impl Fn() -> Result<(), E>) -> Result<Duration, E> {
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        work()?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok(times[RUNS / 2])
}
