//! Blends, sequences, passages and jumps of synthetic and captured loops, in one program: a module for each subject.

#[path = "../../../loops/core/tests/support/mod.rs"]
#[expect(dead_code, reason = "the core's tests use the rest")]
mod support;

mod blend;
mod floor;
mod occurrence;
mod passage;
mod play;
mod transition;
