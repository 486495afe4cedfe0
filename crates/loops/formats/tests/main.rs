//! Files of every format read, written and refused, in one program: a module for each subject.

mod support;

mod bad_files;
#[cfg(feature = "fbx")]
mod fbx_bad_files;
#[cfg(feature = "fbx")]
mod fbx_files;
#[cfg(feature = "fbx")]
mod fbx_round_trip;
mod forms;
mod gltf;
mod loop_file;
mod mesh;
mod robots;
mod round_trip;
mod soles;
mod vrm;
mod warnings;
