//! glTF: nodes, skins, meshes and animations, as JSON with buffers or as one binary file.
//!
//! What motion needs of the format. A node has a translation, a rotation and a scale in its parent's space. An animation is a
//! list of channels, each of which gives one of the three of one node over time, by keys with steps, lines or cubic curves
//! between them. A skin names the nodes that are its joints. Numbers lie in buffers, seen through views and accessors.
//! Lengths are metres and +Y is up, or so the format says. See docs/formats/gltf.md.

pub mod error;

pub mod source;

mod accessor;

mod choose;

mod container;

mod edit;

pub(crate) mod facts;

mod fresh;

mod parts;

pub(crate) mod read;

mod stretch;

mod track;

pub(crate) mod write;
