//! Large rectangles of one colour, behind all else. They are cleared instead of drawn: where software draws, a shader that covers the
//! window once takes longer than all the rest of a frame.

#![allow(
    unsafe_code,
    reason = "OpenGL is called through pointers to functions; only its state of clearing is set"
)]

use std::sync::Arc;

use eframe::egui::{Color32, Frame, PaintCallback, Painter, Rect, Style};
use eframe::{egui_glow::CallbackFn, glow, glow::HasContext as _};

/// Gives a rectangle one colour, which hides what was there.
pub(crate) fn fill(painter: &Painter, rect: Rect, colour: Color32) {
    let [red, green, blue, _] = colour.to_normalized_gamma_f32();
    painter
        .with_clip_rect(rect.intersect(painter.clip_rect()))
        .add(PaintCallback {
            rect,
            callback: Arc::new(CallbackFn::new(move |_, painter| {
                let gl = painter.gl();
                // SAFETY: egui calls back with its context current, and with what is outside of the rectangle cut off.
                unsafe {
                    gl.clear_color(red, green, blue, 1.0);
                    gl.clear(glow::COLOR_BUFFER_BIT);
                }
            })),
        });
}

/// The frame of a panel, which has the colour of the window: that is cleared already.
pub(crate) fn panel(style: &Style) -> Frame {
    Frame::side_top_panel(style).fill(Color32::TRANSPARENT)
}
