//! What commands answer: the facts, as JSON for programs and as text for people; a room for each command.

pub(crate) mod check;
pub(crate) mod cost;
mod figures;
pub(crate) mod find;
pub(crate) mod fit;
pub(crate) mod inspect;
pub(crate) mod json;
pub(crate) mod make;
pub(crate) mod play;
pub(crate) mod render;
mod table;
