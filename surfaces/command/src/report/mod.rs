//! Answers of commands: facts, as JSON for programs and as text for people; one file for each command.

pub(crate) mod catalog;
pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod cost;
pub(crate) mod cut;
pub(crate) mod failure;
mod figures;
pub(crate) mod find;
pub(crate) mod fit;
pub(crate) mod gait;
pub(crate) mod inspect;
pub(crate) mod json;
pub(crate) mod like;
pub(crate) mod list;
pub(crate) mod listen;
pub(crate) mod make;
pub(crate) mod make_all;
pub(crate) mod make_many;
pub(crate) mod matching;
pub(crate) mod page;
pub(crate) mod play;
pub(crate) mod render;
pub(crate) mod set;
pub(crate) mod synth;
mod table;
#[cfg(test)]
mod tests;
