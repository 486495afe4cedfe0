//! Pictures of takes, searches and loops: plots with axes, renders of the moving body, and a page about loops.

pub mod plot;

pub mod render;

pub mod report;
