//! Plots of takes, searches and loops, as SVG; PNG is made from that SVG.
//!
//! [`inspect`] shows the contents of a take over time, [`find`] the repeating lengths and the cost of every seam, [`make`] the
//! effect of closing, and how feet slide and stand. All are functions of core values alone: the same values give the same text on every
//! machine. [`kit`] holds the drawing primitives.
//!
//! ```
//! use loopwright_core::Analysis;
//!
//! let take = loopwright_synth::synthesize(&loopwright_synth::WalkSettings::default())?.take;
//! let analysis = Analysis::new(&take)?;
//! let svg = loopwright_draw::plot::inspect(&analysis);
//! assert!(svg.starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod kit;

mod tracks;

mod find;

mod make;

mod feet;

mod root_path;

mod view;

mod png;

mod outlines;

pub use find::find;
pub(crate) use kit::{
    svg::short,
    text::{escape, fit},
};
pub use make::make;
pub use png::{PngError, png};
pub(crate) use png::{packed, pixels};
pub use tracks::inspect;
pub(crate) use view::without_small_steps;
