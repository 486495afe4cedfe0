//! Messages between the page and its worker: bytes, and separately the long arrays of takes.
//!
//! Both are instances of one build, so the encoding need not be stable. A take that the worker opened also stays there, for the loops to be
//! made of it.

mod ask;

mod answer;

mod bench;

#[cfg(test)]
mod tests;

use loopwright_core::handover::NUM_LONG_ARRAYS;
use serde::{Deserialize, Serialize};

pub use answer::Answer;
pub use ask::Ask;
#[cfg(target_arch = "wasm32")]
pub use ask::Files;
pub use bench::Bench;

/// Why something cannot be handed over.
#[error_sum]
pub enum ParcelError {
    /// The bytes do not encode the expected value.
    Bytes(postcard::Error),
    /// The arrays do not fit.
    Arrays(loopwright_core::handover::HandoverError),
    /// The skeleton of a character does not fit its pose.
    Character(loopwright_core::take::TakeError),
    /// The character cannot take motion.
    Target(loopwright_job::TargetError),
}

/// The arrays that are handed over beside an answer.
pub type Arrays = [Vec<f64>; NUM_LONG_ARRAYS];

/// Encodes a value as bytes. Errors: only out of memory.
pub fn packed(value: &impl Serialize) -> Result<Vec<u8>, ParcelError> {
    Ok(postcard::to_allocvec(value)?)
}

/// Decodes a value from bytes. Errors: they do not encode such a value.
pub fn unpacked<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<T, ParcelError> {
    Ok(postcard::from_bytes(bytes)?)
}
