//! Plots of takes, searches and loops, as SVG; PNG is made from that SVG.
//!
//! [`inspect`] shows what a take holds over time, [`find`] which lengths repeat and what every seam would cost, [`make`] what
//! closing did, [`feet()`] how feet slide and stand, [`controller_fit`] how a controller would answer, [`transitions()`] what jumps
//! from one motion into another cost, [`displacements`] how the price of one is made, [`paths()`] where roots go. All are
//! functions of core values alone: the same values give the same text on every machine.
//!
//! ```
//! use loopwright::Analysis;
//!
//! let take = loopwright_synth::synthesize(&loopwright_synth::WalkSettings::default())?.take;
//! let analysis = Analysis::new(&take)?;
//! let svg = loopwright_draw::plot::inspect(&analysis);
//! assert!(svg.starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod style;

mod text;

mod svg;

mod axes;

mod legend;

mod heat;

mod tracks;

mod inspect;

mod find;

mod cost;

mod make;

mod feet;

mod fit;

mod paths;

mod png;

pub use cost::{TransitionMap, displacements, transitions};
pub use feet::feet;
pub use find::find;
pub use fit::controller_fit;
pub use inspect::inspect;
pub use make::make;
pub use paths::{GroundPath, paths};
pub(crate) use png::pixels;
pub use png::{PngError, png};
pub(crate) use text::{escape, fit};
