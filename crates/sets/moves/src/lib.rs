//! Motion between loops: jumps, blends, sequences and passages.
//!
//! Loops are blended ([`Blender`]), played in sequence ([`LoopSet`]), and connected by passages that play once ([`Passage`]): a
//! start, a stop, a turn. [`Transitions`] computes the cost of a jump from one motion into another.
//!
//! Conventions, determinism and errors follow `loopwright_core`, which defines loops.

#[macro_use]
extern crate loopwright_attributes;

pub mod blend;

pub mod transition;

pub mod play;

pub mod passage;

mod floor;

pub use blend::Blender;
pub use floor::on_one_floor;
pub use passage::{Passage, PassageKind};
pub use play::{LoopSet, PlaySettings};
pub use transition::Transitions;
