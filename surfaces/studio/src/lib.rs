//! The studio: see a take, find its loops, close one and write it, in a window or in a page.
//!
//! [`Model`] holds the take, the choices and the loop made from them, and changes only by an [`Action`]; [`Studio`] shows it. It exports
//! the bytes that the libraries `loopwright` and `loopwright_formats` give for the same settings. Nothing leaves the machine.

#![allow(
    unreachable_pub,
    reason = "most of its modules are private: `pub` in them is for the other modules"
)]

#[macro_use]
extern crate loopwright_attributes;

mod road;

pub mod work;

mod camera;

pub mod model;

mod grade;

mod surface;

mod theme;

mod flat;

mod icons;

mod viewport;

mod timeline;

mod panels;

mod platform;

mod guard;

mod session;

mod focus;

mod line;

mod fonts;

mod pace;

mod app;

#[cfg(any(target_arch = "wasm32", test))]
mod samples;

#[cfg(any(target_arch = "wasm32", test))]
mod widgets;

#[cfg(target_arch = "wasm32")]
mod web;

pub use app::Studio;
pub use camera::Camera;
pub use model::{Action, Model};
