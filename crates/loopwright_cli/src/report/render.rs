//! Answers of `render`.

use serde::Serialize;

use super::json;

/// The answer of `render`.
#[derive(Serialize)]
pub(crate) struct RenderAnswer {
    /// The picture's file.
    pub(crate) file: String,
    /// "animation", "contact sheet" or "onion skin".
    pub(crate) kind: &'static str,
    /// Pictures of an animation, cells of a sheet.
    pub(crate) pictures: usize,
    /// Pixels across.
    pub(crate) width: u32,
    /// Pixels down.
    pub(crate) height: u32,
    /// Seconds of an animation; null for a still.
    pub(crate) seconds: Option<f64>,
}

/// What was drawn.
pub(crate) fn human(answer: &RenderAnswer) -> String {
    let RenderAnswer {
        file,
        pictures,
        width,
        height,
        ..
    } = answer;
    let what = match (answer.kind, answer.seconds) {
        ("animation", Some(secs)) => format!("{pictures} pictures, {secs:.2} s"),
        ("contact sheet", _) => format!("{pictures} frames"),
        _ => "the seam".to_owned(),
    };
    format!("{file}: {what}, {width} x {height}\n")
}

/// The same as JSON.
pub(crate) fn json(answer: &RenderAnswer) -> String {
    json::text(answer)
}
