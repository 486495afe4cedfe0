//! A finished picture.

use resvg::tiny_skia::Pixmap;

use crate::plot::{PngError, packed};

/// Pixels of a finished picture.
#[derive(Clone, PartialEq)]
pub struct Picture {
    pub(super) pixels: Pixmap,
}

impl core::fmt::Debug for Picture {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        let [width, height] = self.size();
        write!(f, "Picture({width} x {height})")
    }
}

impl Picture {
    pub(super) fn new(pixels: Pixmap) -> Self {
        Self { pixels }
    }

    /// Pixels across and down.
    pub fn size(&self) -> [u32; 2] {
        [self.pixels.width(), self.pixels.height()]
    }

    /// Red, green and blue of all pixels, row by row from the top; pictures are opaque, so no opacity is stored.
    pub fn rgb(&self) -> Vec<u8> {
        let (pixels, _) = self.pixels.data().as_chunks::<4>();
        pixels
            .iter()
            .flat_map(|&[red, green, blue, _]| [red, green, blue])
            .collect()
    }

    /// Returns the picture as a PNG file. Errors: it could not be encoded.
    pub fn png(&self) -> Result<Vec<u8>, PngError> {
        packed(&self.pixels)
    }
}
