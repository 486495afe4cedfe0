//! Everything along time: transport, the bar of the whole take, and curves over the seam.

mod compared;
mod seam_channels;
mod seam_curve;
mod take_bar;
mod transport;

pub use compared::compared_ui;
pub use seam_curve::SeamCurve;
pub use take_bar::{TakeBar, take_bar_ui};
pub use transport::{narrow_transport_ui, transport_ui};
