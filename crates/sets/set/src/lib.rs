//! What loops are for, from files to files: what happens once between them ([`Cut`]), blends ([`Blend`]), sequences ([`Played`]), whether
//! several belong together ([`check_together`]), and sets of all of these ([`set`]), which are made of takes in one call ([`road`]).
//!
//! What is asked for and what goes wrong are values, as in `loopwright_job`, whose recipes, checks and stored loops are used here. Nothing
//! here reads or writes files.

mod blend;
mod cut;
mod passage_check;
mod play;
pub mod road;
pub mod set;
mod together;

pub use blend::{Blend, BlendRequest, MixError};
pub use cut::{
    Cut, CutRequest, CutTakeError, CutWriteError, EventFacts, PassageFacts, RootKeys, STANCE, StateFacts, own_loops,
};
pub use passage_check::{PassageInFile, check_passage};
pub use play::{PerformError, PlayRequest, Played, fade};
pub use together::{LoopOfSet, SetCheckId, check_together};
