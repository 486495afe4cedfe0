//! Answers of `render`.

/// The answer of `render`.
#[in_schema]
pub struct RenderAnswer {
    /// What was drawn.
    #[schemars(extend("enum" = ["animation", "contact sheet", "onion skin"]))]
    pub kind: &'static str,
    /// Pictures of an animation, cells of a sheet.
    pub pictures: usize,
    /// Width.
    pub width_px: u32,
    /// Height.
    pub height_px: u32,
    /// Length of an animation; null for a still.
    pub duration_secs: Option<f64>,
}

/// Words the answer of `render`.
pub fn human(answer: &RenderAnswer, file: &str) -> String {
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
