//! What plots are drawn with: charts with axes, legends, maps of colours, all in one style; other crates draw their plots with it, too.
//!
//! Lengths are units of the picture, which is [`style::WIDTH`] wide; y grows downwards.

pub mod axes;
pub mod heat;
pub mod legend;
pub mod style;
pub mod svg;
pub mod text;

mod plot;

pub use plot::Plot;
