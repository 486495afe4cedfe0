//! One module per command.

pub(crate) mod blend;
pub(crate) mod catalog;
pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod cost;
pub(crate) mod cut;
pub(crate) mod definitions;
pub(crate) mod demo;
mod each;
pub(crate) mod find;
pub(crate) mod fit;
pub(crate) mod inspect;
pub(crate) mod licences;
mod like;
pub(crate) mod list;
pub(crate) mod listen;
pub(crate) mod make;
mod make_all;
mod make_many;
pub(crate) mod matching;
pub(crate) mod play;
pub(crate) mod render;
pub(crate) mod report;
pub(crate) mod retarget;
pub(crate) mod set;
pub(crate) mod studio;
pub(crate) mod synth;
