//! Loops as files: written, read back, measured, and described by the sidecar beside them.
//!
//! [`LoopFile::write`] turns a loop into the bytes of a file and measures it on those bytes; its [`Sidecar`] holds everything
//! that is known about it. [`LoopInFile`] is the way back: what a sidecar, or the keys alone, say of a loop that was read as a
//! take. [`Target`] knows what the engines need that loops are written for.

pub mod facts;

pub mod importer;

pub mod sidecar;

pub mod target;

pub mod describe;

pub mod json;

mod file;

mod place;

mod version_1;

mod word;

pub use file::{BlendOrigin, LoopFile, LoopFileError, written_keys};
pub use place::{LoopInFile, PlaceError};
pub use sidecar::{Sidecar, SidecarError};
pub use target::Target;
