//! Answers of `convert`.

use loopwright_formats::loop_file::facts::TakeFacts;
use serde::Serialize;

/// The answer of `convert`; there is none as text.
#[derive(Serialize)]
pub(crate) struct ConvertAnswer {
    pub(crate) take: TakeFacts,
    pub(crate) is_loop: bool,
    pub(crate) mirrored: bool,
}
