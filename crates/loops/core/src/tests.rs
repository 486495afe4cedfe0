//! Generators shared by unit tests of several modules.

use glam::{DQuat, DVec3};

use crate::{
    motion::{Joint, Skeleton},
    take::Take,
};

/// Pseudo-random numbers from -1 to 1, the same on every run.
pub(crate) fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Returns the joints by name, parent and offset.
pub(crate) fn skeleton(rows: &[(&str, Option<usize>, DVec3)]) -> Skeleton {
    let joints = rows
        .iter()
        .map(|&(name, parent, offset)| Joint::new(name, parent, offset));
    Skeleton::new(joints.collect()).unwrap()
}

/// Returns a take from the transform of each joint in each frame.
pub(crate) fn take_of(
    skeleton: Skeleton,
    frame_time_secs: f64,
    num_frames: usize,
    mut at: impl FnMut(usize, usize) -> (DVec3, DQuat),
) -> Take {
    let places = (0..num_frames).flat_map(|frame| (0..skeleton.num_joints()).map(move |joint| (frame, joint)));
    let (translations, rotations) = places.map(|(frame, joint)| at(frame, joint)).unzip();
    Take::new("made", skeleton, frame_time_secs, translations, rotations).unwrap()
}
