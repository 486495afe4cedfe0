//! Answers of `retarget`.

use loopwright_formats::loop_file::facts::{QualityFacts, TakeFacts};
use serde::Serialize;

/// The answer of `retarget`.
#[derive(Serialize)]
pub(crate) struct RetargetAnswer {
    /// The motion, and the rig that it is on.
    pub(crate) take: TakeFacts,
    /// Whether the input is a loop with a sidecar; one was then written as well.
    pub(crate) is_loop: bool,
    /// Figures of the loop that was written; null for a take.
    pub(crate) quality: Option<QualityFacts>,
}
