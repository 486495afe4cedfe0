//! Answers of `convert`.

use loopwright_formats::loop_file::facts::TakeFacts;
use serde::Serialize;

/// The answer of `convert`; there is none as text.
#[derive(Serialize)]
pub(crate) struct ConvertAnswer {
    /// The input file as a take.
    pub(crate) take: TakeFacts,
    /// Whether the input is a loop with a sidecar; the sidecar was then written as well.
    pub(crate) is_loop: bool,
    /// Whether left and right were swapped.
    pub(crate) mirrored: bool,
}
