//! Pictures of takes, searches and loops: plots with axes, and renders of the moving body.

pub mod plot;

pub mod render;
