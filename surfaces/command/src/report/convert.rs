//! Answers of `convert` and `retarget`.

use loopwright_formats::loop_file::facts::{QualityFacts, TakeFacts};

/// The answer of `convert`; there is none as text.
#[in_schema]
pub struct ConvertAnswer {
    /// The file that was read, as a take.
    #[schemars(with = "crate::schema_words::Take")]
    pub take: TakeFacts,
    /// Whether it is a loop with a sidecar, which was written as well.
    pub is_loop: bool,
    /// Whether left and right were exchanged.
    pub mirrored: bool,
}

/// The answer of `retarget`.
#[in_schema]
pub struct RetargetAnswer {
    /// The motion that was read, and the rig that it was carried over to.
    #[schemars(with = "crate::schema_words::Take")]
    pub take: TakeFacts,
    /// Whether it is a loop with a sidecar; one was then written for the rig as well.
    pub is_loop: bool,
    /// What was measured of the loop that was written; null for a take.
    #[schemars(with = "Option<crate::schema_words::Quality>")]
    pub quality: Option<QualityFacts>,
}
