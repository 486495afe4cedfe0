//! Plots, renders and pages, in one program: a module for each subject.

mod support;

mod meshes;
mod plots;
mod renders;
mod report;
