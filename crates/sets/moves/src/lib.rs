//! Motion between loops: jumps, blends, sequences and passages.
//!
//! Loops blend into others ([`Blender`]), follow one another ([`LoopSet`]), and meet in what happens once ([`Passage`]): a start, a
//! stop, a turn. [`Transitions`] prices the jump from one motion into another.
//!
//! Conventions, determinism and errors are those of `loopwright_core`, whose loops these are.

pub mod blend;

pub mod transition;

pub mod play;

pub mod passage;

mod floor;

pub use blend::Blender;
pub use passage::{Passage, PassageKind};
pub use play::{LoopSet, PlaySettings};
pub use transition::Transitions;
