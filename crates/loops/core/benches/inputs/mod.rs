//! Inputs for timing the search: features without structure, synthetic motion, and captured takes in sequence.
//!
//! A folder of its own, so that cargo does not take it for a bench.

use std::path::Path;

use loopwright_core::{
    Analysis, Take,
    analysis::{ActivityKind, Body, Features, WeightedJoint},
};
use loopwright_formats::{ReadSettings, read_take};
use rand_pcg::{Pcg64, rand_core::Rng};

/// Number of weighted joints of a body that is compared in detail.
pub(crate) const NUM_JOINTS: usize = 13;

/// Values of a frame: positions of the joints, and linear and angular velocity of the root.
pub(crate) const NUM_AXES: usize = 3 * NUM_JOINTS + 4;

fn uniform(random: &mut Pcg64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Every value of every frame is random, in the ratio of positions to velocities of real motion.
pub(crate) fn without_structure(num_frames: usize) -> Option<Features> {
    let random = &mut Pcg64::new(1, 7);
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    for index in 0..num_frames * NUM_AXES {
        let is_root = index % NUM_AXES >= 3 * NUM_JOINTS;
        positions.push(if is_root { 0.0 } else { uniform(random) - 0.5 });
        velocities.push(20.0 * (uniform(random) - 0.5));
    }
    Features::from_values(1.0 / 30.0, NUM_AXES, positions, velocities)
}

/// Sums of waves whose rates change every few seconds, with noise: motion that repeats, but never exactly.
pub(crate) fn synthetic(num_frames: usize, fps: f64) -> Option<Features> {
    let random = &mut Pcg64::new(2, 7);
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    let mut phase = 0.0;
    let mut gait: Vec<[f64; 4]> = Vec::new();
    let mut rate = 1.0;
    for frame in 0..num_frames {
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
    Features::from_values(1.0 / fps, NUM_AXES, positions, velocities)
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

/// The source axis of each mirrored axis, and its sign; in the order of [`joints`].
fn mirrored(axis: usize) -> (usize, f64) {
    let (joint, side) = (axis / 3, axis % 3);
    // Left and right ankle, toe, knee; left and right hand, elbow; the others are in the middle.
    let source = match joint {
        0..3 => joint + 3,
        3..6 => joint - 3,
        6..8 => joint + 2,
        8..10 => joint - 2,
        _ => joint,
    };
    // Sideways is x; the last axis is the rotation.
    let flips = if joint < NUM_JOINTS {
        side == 0
    } else {
        axis == 3 * NUM_JOINTS || axis == NUM_AXES - 1
    };
    (3 * source + side, if flips { -1.0 } else { 1.0 })
}

/// Takes that contain the motion of another.
const COPIES: [&str; 3] = ["131_01_scaled_metres", "uturn_frames_time_keyword", "05_20_daz"];

/// Captured takes of `folder` at `fps` in sequence, and their number; takes at a higher rate are thinned.
///
/// Missing frames are filled with the mirrored motion, then with both in reverse.
pub(crate) fn captured(folder: &Path, num_frames: usize, fps: f64) -> Result<(Features, usize), String> {
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    let mut num_takes = 0;
    for row in loopwright_mocap::manifest(folder)? {
        let file = row.file.as_str();
        if !file.ends_with(".bvh")
            || file.starts_with("bad/")
            || COPIES.iter().any(|name| file.contains(name))
            || positions.len() >= num_frames * NUM_AXES
        {
            continue;
        }
        let Ok(bytes) = std::fs::read(folder.join(file)) else {
            continue;
        };
        let Ok(loaded) = read_take(&bytes, file, &ReadSettings::default(), &mut Vec::new()) else {
            continue;
        };
        let take = loaded.take;
        let thinning = 1.0 / (fps * take.frame_time_secs());
        if (thinning - thinning.round()).abs() > 0.02 * thinning || thinning < 0.98 || take.num_frames() < 60 {
            continue;
        }
        let Ok(analysis) = Analysis::new(&take) else { continue };
        let Some(joints) = joints(&take, &analysis.body) else {
            continue;
        };
        let features = Features::of(&take, &analysis.world, &analysis.heading, &analysis.body, &joints);
        // An idle body matches anything; the search concerns motion.
        let moving =
            |&frame: &usize| analysis.usable[frame] && analysis.activity.kinds()[frame] == ActivityKind::Moving;
        for frame in (0..take.num_frames()).step_by(thinning.round() as usize).filter(moving) {
            positions.extend_from_slice(features.positions(frame));
            velocities.extend_from_slice(features.velocities(frame));
        }
        num_takes += 1;
    }
    let num_captured = positions.len() / NUM_AXES;
    for frame in 0..num_captured {
        let from = frame * NUM_AXES;
        for axis in 0..NUM_AXES {
            let (source, sign) = mirrored(axis);
            positions.push(sign * positions[from + source]);
            velocities.push(sign * velocities[from + source]);
        }
    }
    for frame in (0..2 * num_captured).rev() {
        if positions.len() >= num_frames * NUM_AXES {
            break;
        }
        let from = frame * NUM_AXES;
        for axis in from..from + NUM_AXES {
            positions.push(positions[axis]);
            velocities.push(-velocities[axis]);
        }
    }
    positions.truncate(num_frames * NUM_AXES);
    velocities.truncate(num_frames * NUM_AXES);
    let features = Features::from_values(1.0 / fps, NUM_AXES, positions, velocities).ok_or("arrays do not fit")?;
    Ok((features, num_takes))
}
