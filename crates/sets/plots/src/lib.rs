//! Plots of the uses of loops, as SVG, in the style of [`loopwright_draw::plot`], which converts them to PNG.
//!
//! [`transitions()`] shows the cost of jumps from one motion into another, [`transitions_among`] the cost of jumps from each of many
//! motions into each other one, [`controller_fit`] the response of a controller. All are functions of values alone: the same values give
//! the same text on every machine.
//!
//! ```
//! use loopwright_core::math::Decay;
//!
//! let decay = Decay::Cubic { blend_secs: 0.4 };
//! let svg = loopwright_plots::transitions_among(&["walk".into(), "run".into()], decay, &[vec![None, Some(0.2)], vec![Some(0.3), None]]);
//! assert!(svg.starts_with("<svg"));
//! ```

mod cost;

mod fit;

pub use cost::{TransitionMap, transitions, transitions_among};
pub use fit::controller_fit;
