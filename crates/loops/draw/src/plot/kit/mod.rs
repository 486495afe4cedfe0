//! Parts of plots in one style: charts with axes, legends, maps of colours; for plots of other crates, too.
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
