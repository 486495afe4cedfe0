//! Answers of `convert` and `retarget`.

use loopwright_formats::loop_file::facts::{QualityFacts, TakeFacts};

/// The answer of `convert`; there is none as text.
#[in_schema]
pub(crate) struct ConvertAnswer {
    /// The file that was read, as a take.
    #[schemars(with = "crate::schema_words::Take")]
    pub(crate) take: TakeFacts,
    /// Whether it is a loop with a sidecar, which was written as well.
    pub(crate) is_loop: bool,
    /// Whether left and right were exchanged.
    pub(crate) mirrored: bool,
}

/// The answer of `retarget`.
#[in_schema]
pub(crate) struct RetargetAnswer {
    /// The motion that was read, and the rig that it was carried over to.
    #[schemars(with = "crate::schema_words::Take")]
    pub(crate) take: TakeFacts,
    /// Whether it is a loop with a sidecar; one was then written for the rig as well.
    pub(crate) is_loop: bool,
    /// What was measured of the loop that was written; null for a take.
    #[schemars(with = "Option<crate::schema_words::Quality>")]
    pub(crate) quality: Option<QualityFacts>,
}
