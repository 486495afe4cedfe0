//! Answers of commands: facts, as JSON for programs and as text for people; short ones stand in the file of their command.

pub mod check;
pub mod failure;
pub mod figures;
pub mod find;
pub mod fit;
pub mod gait;
pub mod inspect;
pub mod json;
pub mod listen;
pub mod make;
pub mod make_many;
pub mod page;
pub mod table;
#[cfg(test)]
mod tests;
