//! Plots of takes, searches and loops, as SVG; PNG is made from that SVG.
//!
//! [`inspect`] shows the contents of a take over time, [`find`] the repeating lengths and the cost of every seam, [`make`] the
//! effect of closing, [`feet()`] how feet slide and stand, [`controller_fit`] the response of a controller, [`transitions()`] the
//! cost of jumps from one motion into another, [`displacements`] the parts of that cost, [`paths()`] the paths of roots. All are
//! functions of core values alone: the same values give the same text on every machine.
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

mod root_path;

mod png;

mod outlines;

pub use cost::{TransitionMap, displacements, transitions, transitions_among};
pub use feet::feet;
pub use find::find;
pub use fit::controller_fit;
pub use inspect::inspect;
pub use make::make;
pub use paths::{GroundPath, paths};
pub(crate) use png::pixels;
pub use png::{PngError, png};
pub(crate) use text::{escape, fit};
