//! Pictures of takes, searches and loops: plots with axes, renders of the moving body, and a page about loops. The body is the mesh of
//! its file, a [`Surface`], or one of capsules, a [`Figure`].
//!
//! Without the feature `pictures`, only the body of capsules remains, and with `animations` also GIF files, for programs that draw by
//! themselves.

#[cfg(feature = "pictures")]
#[macro_use]
extern crate loopwright_attributes;

mod figure;

pub use figure::{Figure, Limb};

#[cfg(feature = "animations")]
mod gif_file;

#[cfg(feature = "animations")]
pub use gif_file::{GifPacker, GifPicture};

#[cfg(feature = "pictures")]
pub mod plot;

#[cfg(feature = "pictures")]
pub mod render;

#[cfg(feature = "pictures")]
pub mod report;

#[cfg(feature = "pictures")]
mod mesh;

#[cfg(feature = "pictures")]
mod surface;

#[cfg(feature = "pictures")]
pub use surface::Surface;
