//! Pictures of takes, searches and loops.

pub mod plot;
