//! What commands answer: facts once, then as JSON for programs and as text for people.

pub(crate) mod facts;
pub(crate) mod fit;
pub(crate) mod human;
pub(crate) mod json;
