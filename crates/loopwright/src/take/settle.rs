//! Rotations as a take has them: of length one, and on the side of the frame before.

use core::sync::atomic::{AtomicUsize, Ordering};

use glam::{DQuat, DVec3};

use super::{MAX_COORDINATE, TakeError};
use crate::math::rotation;

/// Brings rotations to length one and to the side of those of the frame before.
///
/// There is at least one frame. Errors: the first transform that cannot be one.
pub(super) fn settle(num_joints: usize, translations: &[DVec3], rotations: &mut [DQuat]) -> Result<(), TakeError> {
    let num_frames = rotations.len() / num_joints;
    settle_in_shares(
        num_frames.div_ceil(num_shares(rotations.len())),
        num_joints,
        translations,
        rotations,
    )
}

#[cfg(feature = "threads")]
fn num_shares(num_transforms: usize) -> usize {
    // A thread costs as much as some thousand transforms.
    crate::threads::up_to(num_transforms >> 16)
}

#[cfg(not(feature = "threads"))]
fn num_shares(_: usize) -> usize {
    1
}

/// [`settle`] with so many frames to a share; the bits do not depend on their number.
fn settle_in_shares(
    num_frames_each: usize,
    num_joints: usize,
    translations: &[DVec3],
    rotations: &mut [DQuat],
) -> Result<(), TakeError> {
    let length = num_frames_each * num_joints;
    let shares = translations.chunks(length).zip(rotations.chunks_mut(length));
    let first_fault = AtomicUsize::new(usize::MAX);
    let settle_one = |(share, (translations, rotations)): (usize, (&[DVec3], &mut [DQuat]))| {
        if let Err(place) = settle_share(num_joints, translations, rotations) {
            first_fault.fetch_min(share * length + place, Ordering::Relaxed);
        }
    };
    #[cfg(feature = "threads")]
    crate::threads::share_out(shares.len(), shares.enumerate(), settle_one);
    #[cfg(not(feature = "threads"))]
    shares.enumerate().for_each(settle_one);
    match first_fault.into_inner() {
        usize::MAX => {}
        place => {
            return Err(TakeError::Implausible {
                frame: place / num_joints,
                joint: place % num_joints,
            });
        }
    }
    // The first frame of a share has not been compared with the one before it; those behind it follow suit.
    for first in (length..rotations.len()).step_by(length) {
        for track in first..first + num_joints {
            for index in (track..rotations.len()).step_by(num_joints) {
                let settled = rotation::on_side_of(rotations[index], rotations[index - num_joints]);
                if settled == rotations[index] {
                    break;
                }
                rotations[index] = settled;
            }
        }
    }
    Ok(())
}

/// One walk through the memory. Errors: the place of the first transform that cannot be one.
fn settle_share(num_joints: usize, translations: &[DVec3], rotations: &mut [DQuat]) -> Result<(), usize> {
    for first in (0..rotations.len()).step_by(num_joints) {
        let (before, rest) = rotations.split_at_mut(first);
        let before = &before[first.saturating_sub(num_joints)..];
        let frame = &mut rest[..num_joints];
        for (joint, (translation, rotation)) in translations[first..].iter().zip(&mut *frame).enumerate() {
            let length = rotation.length();
            let plausible = translation.abs().max_element() <= MAX_COORDINATE
                && translation.is_finite()
                && length.is_finite()
                && length > 1e-6;
            if !plausible {
                return Err(first + joint);
            }
            *rotation /= length;
        }
        // Nothing for the first frame, which has none before it.
        for (rotation, before) in frame.iter_mut().zip(before) {
            *rotation = rotation::on_side_of(*rotation, *before);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_leave_no_trace() {
        let mut state = 11_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / f64::from(1 << 23) - 1.0
        };
        let (num_joints, num_frames) = (3, 200);
        let translations = vec![DVec3::ONE; num_joints * num_frames];
        let rotations: Vec<DQuat> = (0..num_joints * num_frames)
            .map(|index| match (index / 7) % 5 {
                // At right angles to each other, where neither side is the nearer one.
                0 => DQuat::from_xyzw(2.0, 0.0, 0.0, 0.0),
                1 => DQuat::from_xyzw(0.0, random().signum(), 0.0, 0.0),
                _ => DQuat::from_xyzw(random(), random(), random(), 2.0 * random()),
            })
            .collect();
        let bits = |rotations: &[DQuat]| -> Vec<[u64; 4]> {
            rotations.iter().map(|q| q.to_array().map(f64::to_bits)).collect()
        };
        let mut whole = rotations.clone();
        settle_in_shares(num_frames, num_joints, &translations, &mut whole).unwrap();
        for frame in 1..num_frames {
            for joint in 0..num_joints {
                let [now, before] = [frame, frame - 1].map(|frame| whole[frame * num_joints + joint]);
                assert!(now.is_normalized() && now.dot(before) >= 0.0);
            }
        }
        for num_frames_each in [1, 2, 7, 64, 199] {
            let mut shared = rotations.clone();
            settle_in_shares(num_frames_each, num_joints, &translations, &mut shared).unwrap();
            assert_eq!(bits(&shared), bits(&whole), "{num_frames_each}");
            let mut faulty = rotations.clone();
            faulty[3 * 150 + 2] = DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0);
            faulty[3 * 170] = faulty[3 * 150 + 2];
            let error = settle_in_shares(num_frames_each, num_joints, &translations, &mut faulty).unwrap_err();
            assert_eq!(error, TakeError::Implausible { frame: 150, joint: 2 });
        }
    }
}
