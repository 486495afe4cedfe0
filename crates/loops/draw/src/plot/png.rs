//! From SVG to PNG.

use resvg::{
    tiny_skia::{Pixmap, Transform},
    usvg::{Options, Tree},
};

use super::outlines::outlined;

/// Why an SVG could not be turned into a PNG.
#[error_kinds]
pub enum PngError {
    #[error("the picture cannot be read as SVG: {why}")]
    Svg { why: String },
    /// The picture is empty or too large for memory.
    #[error("a picture of {width} x {height} pixels cannot be made")]
    Size { width: u32, height: u32 },
    /// The pixels could not be encoded.
    #[error("the picture cannot be packed: {why}")]
    Packing { why: String },
}

/// Pixels per unit of the picture: sharp on screens of high density.
const SCALE: f32 = 2.0;

/// Largest side in pixels.
const MAX_SIDE: u32 = 16_384;

/// Renders a plot's SVG as PNG bytes, two pixels per unit, in light colours.
///
/// Text is set in a face that comes with this crate, so no fonts need to be installed; letters outside Latin, Greek and Cyrillic
/// show as boxes, and text always runs from left to right. Errors: see [`PngError`]; plots of this module have none.
pub fn png(svg: &str) -> Result<Vec<u8>, PngError> {
    packed(&pixels(svg, SCALE)?)
}

/// Returns pixels as PNG bytes.
pub(crate) fn packed(pixels: &Pixmap) -> Result<Vec<u8>, PngError> {
    pixels
        .encode_png()
        .map_err(|error| PngError::Packing { why: error.to_string() })
}

/// Returns the pixels of an SVG, `scale` per unit.
pub(crate) fn pixels(svg: &str, scale: f32) -> Result<Pixmap, PngError> {
    let unreadable = |why: String| PngError::Svg { why };
    let tree = Tree::from_str(
        &outlined(svg).map_err(|error| unreadable(error.to_string()))?,
        &Options::default(),
    )
    .map_err(|error| unreadable(error.to_string()))?;
    let size = tree.size();
    let [width, height] = [size.width(), size.height()].map(|side| (side * scale).ceil() as u32);
    let mut pixels = (width <= MAX_SIDE && height <= MAX_SIDE)
        .then(|| Pixmap::new(width, height))
        .flatten()
        .ok_or(PngError::Size { width, height })?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    Ok(pixels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_shows_without_any_fonts_installed() {
        let with = |words: &str| {
            png(&format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"80\" height=\"20\">\
                 <text x=\"2\" y=\"15\" font-family=\"'DejaVu Sans',sans-serif\">{words}</text></svg>"
            ))
            .unwrap()
        };
        assert_ne!(with("time, s"), with(""));
        assert_ne!(with("time, s"), with("angle, s"));
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        assert!(matches!(png("loop"), Err(PngError::Svg { .. })));
        assert!(matches!(
            png("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"99999\" height=\"20\"/>"),
            Err(PngError::Size { .. })
        ));
    }
}
