//! FBX: scenes of nodes, of which the joints and one animation are a take.
//!
//! Reading goes through the library ufbx, which knows the habits of exporters since version 5: here stands what makes a take
//! of its scene. The road: `read_take` loads the file, chooses the animation and the joints, samples them on an even
//! grid, and settles axes and unit. Dialects and decisions: docs/formats/fbx.md.

#![cfg_attr(
    not(feature = "fbx"),
    expect(
        dead_code,
        unused_variables,
        reason = "without reading there are no files to write into"
    )
)]

mod animation;

pub mod error;
#[cfg(feature = "fbx")]
mod form;
mod fresh;
#[cfg(feature = "fbx")]
mod insert;
#[cfg(feature = "fbx")]
mod joints;
mod keys;
mod name;
#[cfg(feature = "fbx")]
pub(crate) mod read;
mod record;
#[cfg(feature = "fbx")]
mod scene;
pub mod source;
#[cfg(feature = "fbx")]
mod timing;
pub(crate) mod write;
