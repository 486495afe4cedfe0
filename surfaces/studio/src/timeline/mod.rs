//! Everything along time: transport, the bar of the whole take, and curves over the seam.

mod compared;
mod seam_channels;
mod seam_curve;
mod take_bar;
mod transport;

pub(crate) use compared::compared_ui;
pub(crate) use seam_curve::SeamCurve;
pub(crate) use take_bar::{TakeBar, take_bar_ui};
pub(crate) use transport::{narrow_transport_ui, transport_ui};
