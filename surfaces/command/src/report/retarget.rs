//! Answers of `retarget`.

use loopwright_formats::loop_file::facts::{QualityFacts, TakeFacts};
use serde::Serialize;

/// The answer of `retarget`.
#[derive(Serialize)]
pub(crate) struct RetargetAnswer {
    pub(crate) take: TakeFacts,
    pub(crate) is_loop: bool,
    pub(crate) quality: Option<QualityFacts>,
}
