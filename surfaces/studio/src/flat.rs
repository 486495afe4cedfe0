//! Large rectangles of one colour, behind everything else. They are cleared instead of drawn: with software rendering, a shader over the
//! whole window takes longer than the rest of the frame.

#![allow(
    unsafe_code,
    reason = "OpenGL is called through pointers to functions; only its state of clearing is set"
)]

use std::sync::Arc;

use eframe::{
    egui::{Color32, Frame, PaintCallback, Painter, Rect, Style},
    egui_glow::CallbackFn,
    glow,
    glow::HasContext as _,
};

/// Fills a rectangle with one colour, over what was drawn there.
pub fn fill(painter: &Painter, rect: Rect, colour: Color32) {
    let [red, green, blue, _] = colour.to_normalized_gamma_f32();
    painter
        .with_clip_rect(rect.intersect(painter.clip_rect()))
        .add(PaintCallback {
            rect,
            callback: Arc::new(CallbackFn::new(move |_, painter| {
                let gl = painter.gl();
                // SAFETY: egui calls back with its context current, and with everything outside the rectangle clipped.
                unsafe {
                    gl.clear_color(red, green, blue, 1.0);
                    gl.clear(glow::COLOR_BUFFER_BIT);
                }
            })),
        });
}

/// A panel's frame without a fill: the window is cleared to the same colour already.
pub fn panel(style: &Style) -> Frame {
    Frame::side_top_panel(style).fill(Color32::TRANSPARENT)
}
