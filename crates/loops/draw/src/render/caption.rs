//! Text on pictures, set in the fonts of the plots, so no fonts need to be installed.

use super::picture::Picture;
use crate::plot::{PngError, escape, fit, pixels};

/// A line of text at a position of the picture.
pub(super) struct Caption {
    /// Pixels from the left and from the top to the start of the baseline.
    pub at: [f64; 2],
    /// Height of the text, pixels.
    pub height: f64,
    /// Whether the text is set in bold.
    pub is_bold: bool,
    /// The text; the part that does not fit is cut off.
    pub words: String,
    /// Width available for the text, pixels.
    pub width: f64,
}

/// Returns the lines on a transparent sheet of that many pixels.
pub(super) fn sheet(size: [u32; 2], captions: &[Caption]) -> Result<Picture, PngError> {
    let [width, height] = size;
    let mut svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\">");
    for caption in captions {
        let [x, y] = caption.at;
        let weight = if caption.is_bold { "bold" } else { "normal" };
        svg += &format!(
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-family=\"DejaVu Sans\" font-weight=\"{weight}\" \
             font-size=\"{:.2}\" fill=\"#2b3138\">{}</text>",
            caption.height,
            escape(&fit(&caption.words, caption.height, caption.is_bold, caption.width))
        );
    }
    svg += "</svg>";
    pixels(&svg, 1.0).map(Picture::new)
}
