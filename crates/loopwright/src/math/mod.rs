//! Leaf mathematics without a word of the domain: rotations, rigid motions, portable functions.

pub mod ops;

pub mod rotation;

pub mod rigid;
