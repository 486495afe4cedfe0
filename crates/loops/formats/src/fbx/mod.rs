//! FBX: scenes of nodes; a take consists of their joints and one animation.
//!
//! The library ufbx reads the files and handles exporters since version 5; this module makes a take of its scene. `read_take`
//! loads the file, selects the animation and the joints, samples them on an even grid, and determines axes and unit. Dialects and
//! decisions: docs/formats/fbx.md.

#![cfg_attr(
    not(feature = "fbx"),
    expect(dead_code, reason = "without reading there are no files to write into")
)]

mod animation;

#[cfg(feature = "fbx")]
mod bind;
pub(crate) mod error;
#[cfg(feature = "fbx")]
mod form;
pub(crate) mod format;
mod fresh;
#[cfg(feature = "fbx")]
mod insert;
#[cfg(feature = "fbx")]
mod joints;
mod keys;
#[cfg(feature = "fbx")]
mod mesh;
#[cfg(feature = "fbx")]
mod read;
mod record;
#[cfg(feature = "fbx")]
mod scene;
#[cfg(feature = "fbx")]
mod shapes;
pub(crate) mod source;
#[cfg(feature = "fbx")]
mod timing;
