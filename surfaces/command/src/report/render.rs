//! Answers of `render`.

/// The answer of `render`.
#[in_schema]
pub(crate) struct RenderAnswer {
    /// What was drawn.
    #[schemars(extend("enum" = ["animation", "contact sheet", "onion skin"]))]
    pub(crate) kind: &'static str,
    /// Pictures of an animation, cells of a sheet.
    pub(crate) pictures: usize,
    /// Width.
    pub(crate) width_px: u32,
    /// Height.
    pub(crate) height_px: u32,
    /// Length of an animation; null for a still.
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
