//! Smoothing round the loop: every sample becomes a weighted mean of those about it.

use glam::{DQuat, DVec3, DVec4};

use crate::{
    math::kernel,
    motion::{PoseRef, Tracks},
};

/// One joint's track smoothed round the loop, the standard deviation of the weights in samples; translations and rotations.
///
/// Quaternions are averaged component by component, each on the side of the one before it, which is what a small spread
/// allows: their mean differs from that of the rotations in the third order of the spread.
pub(super) fn smoothed(tracks: &Tracks, joint: usize, deviation: f64) -> (Vec<DVec3>, Vec<DQuat>) {
    let count = tracks.num_frames();
    let pose = |frame: usize| -> PoseRef<'_> { tracks.pose(frame) };
    let translations: Vec<DVec3> = (0..count).map(|frame| pose(frame).translations[joint]).collect();
    let rotations: Vec<DQuat> = (0..count).map(|frame| pose(frame).rotations[joint]).collect();
    // The sign with which the rotations go on over the seam: a joint may turn by an odd number of whole turns in a period.
    let seam = if rotations[count - 1].dot(rotations[0]) < 0.0 {
        -1.0
    } else {
        1.0
    };
    let weights = kernel::gaussian(deviation);
    let reach = weights.len() as isize - 1;
    (0..count as isize)
        .map(|middle| {
            let (mut position, mut rotation) = (DVec3::ZERO, DVec4::ZERO);
            for offset in -reach..=reach {
                let (cycle, sample) = around(middle + offset, count);
                let weight = weights[offset.unsigned_abs()];
                let side = if cycle % 2 == 0 { 1.0 } else { seam };
                position += translations[sample] * weight;
                rotation += DVec4::from(rotations[sample]) * (side * weight);
            }
            let own = rotations[middle as usize];
            let length = rotation.length();
            // Turned evenly all round there is no mean; the rotation then stays.
            let mean = if length > 1e-6 {
                DQuat::from_vec4(rotation / length)
            } else {
                own
            };
            (position, mean)
        })
        .unzip()
}

/// The cycle in which a sample lies, and its number there.
fn around(sample: isize, count: usize) -> (isize, usize) {
    let count = count as isize;
    (sample.div_euclid(count), sample.rem_euclid(count) as usize)
}
