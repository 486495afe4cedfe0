//! Answers of `render`.

use serde::Serialize;

/// The answer of `render`.
#[derive(Serialize)]
pub(crate) struct RenderAnswer {
    pub(crate) kind: &'static str,
    pub(crate) pictures: usize,
    pub(crate) width_px: u32,
    pub(crate) height_px: u32,
    pub(crate) duration_secs: Option<f64>,
}

/// The kind of picture drawn.
pub(crate) fn human(answer: &RenderAnswer, file: &str) -> String {
    let RenderAnswer {
        pictures,
        width_px,
        height_px,
        ..
    } = answer;
    let what = match (answer.kind, answer.duration_secs) {
        ("animation", Some(secs)) => format!("{pictures} pictures, {secs:.2} s"),
        ("contact sheet", _) => format!("{pictures} frames"),
        _ => "the seam".to_owned(),
    };
    format!("{file}: {what}, {width_px} x {height_px}\n")
}
