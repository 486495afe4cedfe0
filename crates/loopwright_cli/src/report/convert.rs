//! Answers of `convert`.

use loopwright_formats::loop_file::facts::TakeFacts;
use serde::Serialize;

/// The answer of `convert`; it prints nothing for people.
#[derive(Serialize)]
pub(crate) struct ConvertAnswer {
    /// The file that was read, as a take.
    pub(crate) take: TakeFacts,
    /// Whether it is a loop with a sidecar, which was written as well.
    pub(crate) is_loop: bool,
    /// Whether left and right were exchanged.
    pub(crate) mirrored: bool,
}
