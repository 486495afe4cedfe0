//! glTF: nodes, skins, meshes and animations, as JSON with buffers or as one binary file.
//!
//! The parts of the format that describe motion: a node has a translation, a rotation and a scale in its parent's space. An
//! animation is a list of channels; each animates one of the three for one node, by keys with steps, lines or cubic curves
//! between them. A skin lists the nodes that are its joints. Numbers are stored in buffers and accessed through views and
//! accessors. By the format's definition lengths are metres and +Y is up. See docs/formats/gltf.md.

pub(crate) mod error;

pub(crate) mod format;

pub(crate) mod source;

mod accessor;

mod choose;

pub(crate) mod container;

mod edit;

mod facts;

mod fresh;

mod mesh;

mod meshopt;

mod node_scale;

mod parts;
mod prune;
mod sides;

mod read;

mod vrm;

pub(crate) mod vrma;

mod track;

mod write;
