//! Animated pictures: GIF and WebP files that repeat endlessly.
//!
//! Encoding a picture takes longer than drawing it and needs no other picture, so it is separate from joining them: callers
//! may encode on any number of threads and get the same bytes.

use std::borrow::Cow;

use gif::{Encoder as GifEncoder, Frame as GifFrame, Repeat};
use image_webp::{ColorType, WebPEncoder};

use super::{picture::Picture, scene::RenderError};

/// File format of an animation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnimationFormat {
    /// 256 colours, supported everywhere.
    Gif,
    /// All colours, lossless.
    WebP,
}

/// Encodes the pictures of an animation.
pub struct Packer {
    format: AnimationFormat,
    size: [u32; 2],
    palette: Palette,
}

/// An encoded picture, as the file stores it.
pub struct Packed(Content);

enum Content {
    Gif(GifFrame<'static>),
    WebP(Vec<u8>),
}

impl Packer {
    /// An encoder for pictures like the samples, which determine the colours of a GIF.
    ///
    /// Errors: there are no samples, or the picture is too large for the format.
    pub fn new(format: AnimationFormat, samples: &[Picture]) -> Result<Self, RenderError> {
        let size = samples.first().map_or([0, 0], Picture::size);
        let limit = match format {
            AnimationFormat::Gif => u32::from(u16::MAX),
            AnimationFormat::WebP => 1 << 14,
        };
        let [width, height] = size;
        if size.contains(&0) || width > limit || height > limit {
            return Err(RenderError::Size { width, height });
        }
        let palette = match format {
            AnimationFormat::Gif => Palette::new(samples),
            AnimationFormat::WebP => Palette::default(),
        };
        Ok(Self { format, size, palette })
    }

    /// Encodes one picture. Errors: its size differs from the samples, or encoding failed.
    pub fn pack(&self, picture: &Picture) -> Result<Packed, RenderError> {
        let [width, height] = picture.size();
        if picture.size() != self.size {
            return Err(RenderError::Size { width, height });
        }
        match self.format {
            AnimationFormat::Gif => {
                let mut frame = GifFrame {
                    width: width as u16,
                    height: height as u16,
                    buffer: Cow::Owned(self.palette.indices(picture)),
                    ..GifFrame::default()
                };
                frame.make_lzw_pre_encoded();
                Ok(Packed(Content::Gif(frame)))
            }
            AnimationFormat::WebP => {
                let mut file = Vec::new();
                WebPEncoder::new(&mut file)
                    .encode(&picture.rgb(), width, height, ColorType::Rgb8)
                    .map_err(failed)?;
                // A still file is a header of 12 bytes and the one chunk that an animation also uses.
                Ok(Packed(Content::WebP(file.split_off(12.min(file.len())))))
            }
        }
    }

    /// The file: all pictures in order, each for its number of seconds, endlessly.
    ///
    /// Rounding errors of the times do not accumulate. Errors: encoding failed.
    pub fn join(&self, packed: Vec<Packed>, secs_each: f64) -> Result<Vec<u8>, RenderError> {
        match self.format {
            AnimationFormat::Gif => self.join_gif(packed, secs_each),
            AnimationFormat::WebP => Ok(self.join_webp(&packed, secs_each)),
        }
    }

    fn join_gif(&self, packed: Vec<Packed>, secs_each: f64) -> Result<Vec<u8>, RenderError> {
        let mut file = Vec::new();
        let [width, height] = self.size.map(|side| side as u16);
        let mut encoder = GifEncoder::new(&mut file, width, height, &self.palette.colours).map_err(failed)?;
        encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
        for (index, picture) in packed.into_iter().enumerate() {
            let Content::Gif(mut frame) = picture.0 else { continue };
            // Players slow down frames shorter than two hundredths of a second.
            frame.delay = span(index, secs_each * 100.0).clamp(2, 65_535) as u16;
            encoder.write_lzw_pre_encoded_frame(&frame).map_err(failed)?;
        }
        drop(encoder);
        Ok(file)
    }

    /// Container: RIFF, extended header, animation header, one ANMF chunk per picture. Source: the WebP container
    /// specification (RFC 9649, section 2.7).
    fn join_webp(&self, packed: &[Packed], secs_each: f64) -> Vec<u8> {
        const ANIMATED: u8 = 0x02;
        let [width, height] = self.size.map(|side| (side - 1).to_le_bytes());
        let mut chunks = b"WEBP".to_vec();
        let mut extended = vec![ANIMATED, 0, 0, 0];
        extended.extend(&width[..3]);
        extended.extend(&height[..3]);
        push_chunk(&mut chunks, b"VP8X", &extended);
        // Background colour, and number of repeats, 0 for endless.
        push_chunk(&mut chunks, b"ANIM", &[255, 255, 255, 255, 0, 0]);
        for (index, picture) in packed.iter().enumerate() {
            let Content::WebP(data) = &picture.0 else { continue };
            let millis = span(index, secs_each * 1000.0).clamp(1, 0xff_ffff) as u32;
            let mut frame = vec![0; 6];
            frame.extend(&width[..3]);
            frame.extend(&height[..3]);
            frame.extend(&millis.to_le_bytes()[..3]);
            // Neither blended with the previous picture nor cleared.
            frame.push(0x02);
            frame.extend(data);
            push_chunk(&mut chunks, b"ANMF", &frame);
        }
        let mut file = Vec::new();
        push_chunk(&mut file, b"RIFF", &chunks);
        file
    }
}

/// Whole ticks from the end of a picture to the end of the next one.
fn span(index: usize, ticks_each: f64) -> i64 {
    let [start, end] = [index, index + 1].map(|count| (count as f64 * ticks_each).round() as i64);
    end - start
}

fn push_chunk(into: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    into.extend(name);
    into.extend((data.len() as u32).to_le_bytes());
    into.extend(data);
    if data.len() % 2 == 1 {
        into.push(0);
    }
}

fn failed(error: impl core::fmt::Display) -> RenderError {
    RenderError::Packing { why: error.to_string() }
}

const LOOKUP_BITS: u32 = 6;

/// Pixels of the samples used to find the colours: enough for a scene of few colours.
const LEARNED_PIXELS: usize = 60_000;

/// The 256 colours of a GIF.
#[derive(Default)]
struct Palette {
    /// Red, green, blue of each.
    colours: Vec<u8>,
    /// Index of the nearest colour by the highest bits of red, green and blue.
    nearest: Vec<u8>,
}

impl Palette {
    fn new(samples: &[Picture]) -> Self {
        let pixels: usize = samples.iter().map(|sample| sample.pixels().data().len() / 4).sum();
        // Most pixels are background, of which one is enough; the others determine the colours of the body.
        let mut learned: Vec<u8> = Vec::new();
        let stride = (pixels / LEARNED_PIXELS / 4).max(1);
        let paper = samples.first().map(|sample| sample.pixels().data()[..3].to_vec());
        for sample in samples {
            let (all, _) = sample.pixels().data().as_chunks::<4>();
            for pixel in all.iter().step_by(stride) {
                if Some(&pixel[..3]) != paper.as_deref() {
                    learned.extend(pixel);
                }
            }
        }
        if learned.is_empty() {
            learned.extend([255; 4]);
        }
        let quantiser = color_quant::NeuQuant::new(3, 255, &learned);
        let mut colours = quantiser.color_map_rgb();
        // The exact background colour, so that it stays uniform.
        colours.extend(paper.unwrap_or_else(|| vec![255; 3]));
        let bits = LOOKUP_BITS;
        let nearest = (0..1_u32 << (3 * bits))
            .map(|key| {
                let parts = [2 * bits, bits, 0].map(|shift| (key >> shift) & 63);
                nearest_of(&colours, parts.map(|part| ((part * 255 + 31) / 63) as u8))
            })
            .collect();
        Self { colours, nearest }
    }

    fn indices(&self, picture: &Picture) -> Vec<u8> {
        let paper = (self.colours.len() / 3 - 1) as u8;
        let paper_colour = &self.colours[self.colours.len() - 3..];
        let (pixels, _) = picture.pixels().data().as_chunks::<4>();
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
    let best = (0..colours.len()).min_by_key(|&index| {
        let distances = (0..3).map(|part| {
            let off = i32::from(colours[index][part]) - i32::from(wanted[part]);
            // The eye is most sensitive to green and least to blue.
            [3, 4, 2][part] * off * off
        });
        distances.sum::<i32>()
    });
    best.unwrap_or(0).min(255) as u8
}
