//! Loops as files: written, read back, measured, and described by a JSON file.
//!
//! [`LoopFile::write`] turns a loop into the bytes of a file and measures it on those bytes; its [`Sidecar`] holds all facts
//! about it. [`LoopInFile`] reads a loop from a take, by the sidecar or by the keys alone. [`Target`] holds the requirements of
//! engines.

pub mod facts;

pub(crate) mod sidecar;

pub(crate) mod target;

pub mod describe;

pub(crate) mod json;

mod file;

mod hash;

mod pack;

mod load;

pub(crate) mod numbers;

mod place;

pub(crate) mod word;

pub use file::{BlendOrigin, DerivedLoop, LoopFile, LoopFileError, MeasuredLoop, RetargetOrigin};
pub use hash::{OtherFile, sha256};
pub use json::{from_text, to_short_text, to_text, to_value};
pub use load::{LoadLoopError, load_loop};
pub use numbers::WildNumber;
pub use pack::{AnimationFacts, AnimationOutcome, CarriedMotion, MotionPack, PACK_FORMAT, PackSidecar, PackedLoop};
pub use place::{LoopInFile, PlaceError};
pub use sidecar::{FORMAT, Sidecar, SidecarError, VERSION};
pub use target::{Choices, Complaint, Target};
