//! What the page and its worker say to each other: bytes, and the long arrays of takes apart from them.
//!
//! Both are instances of one build, so that values cross as they lie in memory. A take that the worker opened stays there, too, for
//! the loops that are made of it.

mod ask;

mod answer;

mod bench;

#[cfg(test)]
mod tests;

use loopwright_core::handover::NUM_LONG_ARRAYS;
use serde::{Deserialize, Serialize};

pub(super) use answer::Answer;
pub(super) use ask::Ask;
#[cfg(target_arch = "wasm32")]
pub(super) use ask::Files;
pub(super) use bench::Bench;

/// Why something cannot be handed over.
#[derive(Debug, thiserror::Error)]
pub(super) enum ParcelError {
    /// The bytes are not those of the value that is expected.
    #[error(transparent)]
    Bytes(#[from] postcard::Error),
    /// The arrays do not fit.
    #[error(transparent)]
    Arrays(#[from] loopwright_core::handover::HandoverError),
    /// The skeleton of a character does not fit its pose.
    #[error(transparent)]
    Character(#[from] loopwright_core::take::TakeError),
    /// The character takes no motion.
    #[error(transparent)]
    Target(#[from] loopwright_job::TargetError),
}

/// The arrays that are handed over beside an answer.
pub(super) type Arrays = [Vec<f64>; NUM_LONG_ARRAYS];

/// A value as bytes. Errors: out of memory alone.
pub(super) fn packed(value: &impl Serialize) -> Result<Vec<u8>, ParcelError> {
    Ok(postcard::to_allocvec(value)?)
}

/// The value of bytes. Errors: they are not those of such a value.
pub(super) fn unpacked<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<T, ParcelError> {
    Ok(postcard::from_bytes(bytes)?)
}
