//! Answers of commands: facts, as JSON for programs and as text for people; one file for each command.

pub mod catalog;
pub mod check;
pub mod convert;
pub mod cost;
pub mod cut;
pub mod failure;
mod figures;
pub mod find;
pub mod fit;
pub mod gait;
pub mod inspect;
pub mod json;
pub mod like;
pub mod list;
pub mod listen;
pub mod make;

pub mod make_many;
pub mod matching;
pub mod page;
pub mod play;
pub mod render;
pub mod set;
pub mod synth;
mod table;
#[cfg(test)]
mod tests;
