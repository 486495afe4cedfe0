//! GIF files of pictures that repeat endlessly.

use std::borrow::Cow;

use gif::{Encoder, EncodingError, Frame, Repeat};

/// Encodes the pictures of a GIF, all of one size and in the same 256 colours.
///
/// Pictures are red, green, blue and opacity of each pixel, row by row from the top; they are taken for opaque.
pub struct GifPacker {
    size: [u16; 2],
    palette: Palette,
}

/// An encoded picture, as the file stores it.
pub struct GifPicture(Frame<'static>);

impl GifPacker {
    /// Creates an encoder for pictures like the samples, which determine the colours. `None` if there are no samples, if their
    /// size differs from `size` in pixels, or if it is too large for the format.
    pub fn new(size: [u32; 2], samples: &[&[u8]]) -> Option<Self> {
        let size = [u16::try_from(size[0]).ok()?, u16::try_from(size[1]).ok()?];
        let is_right = !size.contains(&0) && !samples.is_empty() && samples.iter().all(|sample| is_of(size, sample));
        is_right.then(|| Self {
            size,
            palette: Palette::new(samples),
        })
    }

    /// Encodes one picture; `None` if it is of another size.
    pub fn pack(&self, picture: &[u8]) -> Option<GifPicture> {
        if !is_of(self.size, picture) {
            return None;
        }
        let mut frame = Frame {
            width: self.size[0],
            height: self.size[1],
            buffer: Cow::Owned(self.palette.indices(picture)),
            ..Frame::default()
        };
        frame.make_lzw_pre_encoded();
        Some(GifPicture(frame))
    }

    /// Returns the file: all pictures in order, each for its number of seconds, endlessly.
    ///
    /// Rounding errors of the times do not accumulate. Errors: encoding failed.
    pub fn join(
        &self,
        pictures: impl IntoIterator<Item = GifPicture>,
        secs_each: f64,
    ) -> Result<Vec<u8>, EncodingError> {
        let mut file = Vec::new();
        let [width, height] = self.size;
        let mut encoder = Encoder::new(&mut file, width, height, &self.palette.colours)?;
        encoder.set_repeat(Repeat::Infinite)?;
        for (index, GifPicture(mut frame)) in pictures.into_iter().enumerate() {
            // Players slow down frames shorter than two hundredths of a second.
            frame.delay = ticks_of(index, secs_each * 100.0).clamp(2, 65_535) as u16;
            encoder.write_lzw_pre_encoded_frame(&frame)?;
        }
        drop(encoder);
        Ok(file)
    }
}

/// Whether a picture has the bytes of that size.
fn is_of([width, height]: [u16; 2], picture: &[u8]) -> bool {
    picture.len() == 4 * usize::from(width) * usize::from(height)
}

/// Whole ticks from the end of a picture to the end of the next one.
pub(crate) fn ticks_of(index: usize, ticks_each: f64) -> i64 {
    let end = |count: usize| (count as f64 * ticks_each).round() as i64;
    end(index + 1) - end(index)
}

const LOOKUP_BITS: u32 = 6;

/// Pixels of the samples used to find the colours: enough for a scene of few colours.
const LEARNED_PIXELS: usize = 60_000;

/// The 256 colours of a GIF.
struct Palette {
    /// Red, green, blue of each.
    colours: Vec<u8>,
    /// Index of the nearest colour by the highest bits of red, green and blue.
    nearest: Vec<u8>,
}

impl Palette {
    fn new(samples: &[&[u8]]) -> Self {
        let pixels: usize = samples.iter().map(|sample| sample.len() / 4).sum();
        // Most pixels are background, of which one is enough; the others determine the colours of the body.
        let mut learned: Vec<u8> = Vec::new();
        let stride = (pixels / LEARNED_PIXELS / 4).max(1);
        let paper = samples.first().map(|sample| sample[..3].to_vec());
        for sample in samples {
            let (all, _) = sample.as_chunks::<4>();
            for pixel in all.iter().step_by(stride) {
                if Some(&pixel[..3]) != paper.as_deref() {
                    learned.extend(pixel);
                }
            }
        }
        if learned.is_empty() {
            learned.extend([255; 4]);
        }
        let mut colours = color_quant::NeuQuant::new(3, 255, &learned).color_map_rgb();
        // The exact background colour, so that it stays uniform.
        colours.extend(paper.unwrap_or_else(|| vec![255; 3]));
        let bits = LOOKUP_BITS;
        let spread = |part: u32| ((part * 255 + 31) / 63) as u8;
        let nearest = (0..1_u32 << (3 * bits))
            .map(|key| {
                let [red, green, blue] = [2 * bits, bits, 0].map(|shift| spread((key >> shift) & 63));
                nearest_of(&colours, [red, green, blue])
            })
            .collect();
        Self { colours, nearest }
    }

    fn indices(&self, picture: &[u8]) -> Vec<u8> {
        let paper = (self.colours.len() / 3 - 1) as u8;
        let paper_colour = &self.colours[self.colours.len() - 3..];
        let (pixels, _) = picture.as_chunks::<4>();
        pixels
            .iter()
            .map(|pixel| {
                if pixel[..3] == *paper_colour {
                    return paper;
                }
                let key = pixel[..3].iter().fold(0, |key, &part| {
                    key << LOOKUP_BITS | usize::from(part >> (8 - LOOKUP_BITS))
                });
                self.nearest[key]
            })
            .collect()
    }
}

fn nearest_of(colours: &[u8], wanted: [u8; 3]) -> u8 {
    let (colours, _) = colours.as_chunks::<3>();
    let distance = |colour: &[u8; 3]| -> i32 {
        (0..3)
            .map(|part| {
                let off = i32::from(colour[part]) - i32::from(wanted[part]);
                // The eye is most sensitive to green and least to blue.
                [3, 4, 2][part] * off * off
            })
            .sum()
    };
    (0..colours.len())
        .min_by_key(|&index| distance(&colours[index]))
        .unwrap_or(0)
        .min(255) as u8
}
