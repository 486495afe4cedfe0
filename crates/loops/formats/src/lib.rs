//! Reads takes and writes loops: BVH, FBX, glTF, NPZ and the JSON beside a loop.
//!
//! [`load`] turns the bytes of a file into a [`loopwright_core::Take`], in metres with +Y up, and a [`Source`] that remembers the
//! form in the file. [`LoopFile::write`] writes a loop in that form, with the same hierarchy, channel order, up axis and
//! unit, and measures what was written; its [`Sidecar`] holds the figures. [`write_take`] writes a take. [`read_take`] has all options
//! of reading: odd but usable contents go into a list of [`FileWarning`]s that the caller passes in; unusable contents give a
//! [`ReadError`] with their position.
//!
//! Nothing here opens files: the caller passes and receives bytes. docs/formats/ describes the formats.
//!
//! From file to loop:
//!
//! ```
//! use loopwright_core::{Analysis, LoopSettings, SearchSettings};
//! use loopwright_formats::LoopFile;
//!
//! # let walk = loopwright_synth::synthesize(&loopwright_synth::WalkSettings::default())?.take;
//! # let source = loopwright_formats::Source::for_take(&walk, loopwright_formats::Format::Bvh);
//! # let bytes = loopwright_formats::write_take(&walk, &source)?.bytes;
//! let file = loopwright_formats::load(&bytes, "walk")?;
//! let analysis = Analysis::new(&file.take)?;
//! let found = analysis.find_loops(&SearchSettings::default())?;
//! let made = analysis.make_loop(found.best().ok_or("no loop")?, &LoopSettings::default())?;
//! let written = LoopFile::write(&made, &file.source)?;
//! assert!(!written.quality.pops());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A take read and written again:
//!
//! ```
//! use loopwright_formats::{ReadSettings, read_take, write_take};
//!
//! let text = "HIERARCHY ROOT Hips { OFFSET 0 0 0 CHANNELS 4 Xposition Yposition Zposition Yrotation
//!     JOINT Head { OFFSET 0 60 0 CHANNELS 0 } }
//!     MOTION Frames: 2 Frame Time: 0.04
//!     0 90 0 0
//!     0 90 5 3";
//! let mut warnings = Vec::new();
//! let loaded = read_take(text.as_bytes(), "walk", &ReadSettings::default(), &mut warnings)?;
//! assert_eq!(loaded.take.num_frames(), 2);
//! let written = write_take(&loaded.take, &loaded.source)?;
//! assert!(written.bytes.ends_with(b"\n0.000000 90.000000 5.000000 3.0000000\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Every public type has a public name.
#![warn(unnameable_types)]

#[macro_use]
extern crate loopwright_attributes;

mod format;

#[cfg(test)]
mod tests;

#[cfg(test)]
#[path = "../tests/support/random.rs"]
mod random;

mod text;

mod byte_count;

mod limits;

pub mod mesh;

pub mod soles;

mod leg_ends;

mod excerpt;

pub mod space;

mod euler;

mod settings;

mod naming;

mod animations;

pub mod bvh;

mod fbx;

mod gltf;

mod npz;

mod robot;

pub mod vmc;

mod even_keys;

mod keyed_motion;

mod shapes;

mod file_form;

mod source;

mod entry;

mod formats;

mod take_warning;

mod read;

mod animated_file;

mod character;

mod write;

mod written;

pub mod loop_file;

pub mod set;

mod warning;

#[cfg(feature = "handover")]
mod handover;

mod error;

pub use animated_file::AnimatedFile;
pub use animations::AnimationError;
pub use bvh::stream::{BvhRecording, BvhStream, BvhStreamError, LineFault, StreamHead, StreamedLine};
pub use bvh::{error::BvhError, source::BvhSource, warning::BvhWarning};
pub use byte_count::{ByteCount, MemoryError};
pub use character::{Character, CharacterError};
pub use error::{ReadError, WriteError};
pub use excerpt::{counted, one_line, reorders};
pub use fbx::{error::FbxError, source::FbxSource};
pub use format::{Capabilities, Format};
pub use gltf::error::{GltfError, StreamFault};
pub use gltf::{source::GltfSource, vrma::VrmaSource};
pub use limits::{MAX_FILE_BYTES, SizeLimits};
pub use loop_file::{LoadLoopError, LoopFile, LoopFileError, LoopInFile, Sidecar, SidecarError, Target, load_loop};
pub use naming::{LOOP_SUFFIX, added_root_name, loop_name};
pub use npz::{arrays::ContactArrays, arrays::MotionArrays, error::NpzError, source::NpzSource, zip::zip_of};
pub use read::{animation_names, load, read_take, read_without_hash};
pub use robot::{RobotError, RobotMotionError, RobotSource, read_robot};
pub use settings::{AnimationChoice, ClosingKey, Companions, KeyInterpolation, LoopWriteSettings, ReadSettings};
pub use source::{LoadedTake, Source};
pub use space::{Axis, Space, SpaceSettings, UnitChoice, Up, UpChoice, warning::SpaceWarning};
pub use warning::FileWarning;
pub use write::{facts_in, with_facts, write_keys, write_loop, write_take, write_take_with_root};
pub use written::WrittenFile;
