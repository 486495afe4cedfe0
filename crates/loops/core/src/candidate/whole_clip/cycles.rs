//! Counts the cycles in a clip that loops as a whole, by its similarity to itself around the loop.

use crate::{analysis::Features, math::mean};

/// Largest number of cycles that are distinguished, and the fewest frames of one.
const MAX_CYCLES: usize = 24;
const MIN_CYCLE_FRAMES: usize = 8;

/// A fraction of the loop is a cycle if the loop, shifted by it, is this similar to itself, ...
const CYCLE_SIMILARITY: f64 = 0.8;

/// ... and if a shift by half of it is less similar by this much.
const PROMINENCE: f64 = 0.1;

/// Poses of cycles that are copies of each other are this near on average, metres.
const COPY_METRES: f64 = 2e-3;

/// Whether a loop of that many frames is one cycle, or copies of one. A capture of several cycles may end where it began by
/// chance, within its last cycle.
pub(super) fn are_copies(features: &Features, num_frames: usize) -> bool {
    let cycles = count(features, num_frames) as usize;
    if cycles == 1 {
        return true;
    }
    let period = num_frames / cycles;
    let distances = (0..num_frames).map(|frame| features.squared_distance(frame, (frame + period) % num_frames));
    num_frames.is_multiple_of(cycles) && mean(distances) <= COPY_METRES * COPY_METRES
}

/// Returns the fundamental periods in the first `num_frames` frames, which loop.
pub(super) fn count(features: &Features, num_frames: usize) -> u32 {
    let variance = features.spread(|| 0..num_frames);
    if variance <= 0.0 {
        return 1;
    }
    let similarity = |share: f64| {
        let lag = (share * num_frames as f64).round() as usize;
        let distance: f64 = (0..num_frames)
            .map(|frame| features.squared_distance(frame, (frame + lag) % num_frames))
            .sum();
        1.0 - distance / (2.0 * variance)
    };
    let mut counts = (2..=MAX_CYCLES.min(num_frames / MIN_CYCLE_FRAMES)).rev();
    let found = counts.find(|&cycles| {
        let share = 1.0 / cycles as f64;
        let similar = similarity(share);
        similar >= CYCLE_SIMILARITY && similar - similarity(0.5 * share) >= PROMINENCE
    });
    found.unwrap_or(1) as u32
}
