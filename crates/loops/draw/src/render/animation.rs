//! Animated pictures: GIF and WebP files that repeat endlessly.
//!
//! Encoding a picture takes longer than drawing it and needs no other picture, so it is separate from joining them: callers
//! may encode on any number of threads and get the same bytes.

use image_webp::{ColorType, WebPEncoder};

use super::{picture::Picture, scene::RenderError};
use crate::gif_file::{GifPacker, GifPicture, ticks_of};

/// File format of an animation.
#[value(Copy, Eq)]
pub enum AnimationFormat {
    /// 256 colours, supported everywhere.
    Gif,
    /// All colours, lossless.
    WebP,
}

/// Widest and highest picture of a WebP, pixels.
const MOST_WEBP: u32 = 1 << 14;

/// Encodes the pictures of an animation.
pub struct Packer {
    size: [u32; 2],
    /// The encoder of a GIF; none for a WebP.
    gif: Option<GifPacker>,
}

/// An encoded picture, as the file stores it.
pub enum Packed {
    /// A picture of a GIF.
    Gif(GifPicture),
    /// The chunk of a picture of a WebP.
    WebP(Vec<u8>),
}

impl Packer {
    /// Creates an encoder for pictures like the samples, which determine the colours of a GIF.
    ///
    /// Errors: there are no samples, or the picture is too large for the format.
    pub fn new(format: AnimationFormat, samples: &[Picture]) -> Result<Self, RenderError> {
        let size = samples.first().map_or([0, 0], Picture::size);
        let refused = RenderError::of_size(size);
        let gif = match format {
            AnimationFormat::Gif => {
                let samples: Vec<&[u8]> = samples.iter().map(|sample| sample.pixels.data()).collect();
                Some(GifPacker::new(size, &samples).ok_or(refused)?)
            }
            AnimationFormat::WebP if size.contains(&0) || size.iter().any(|side| *side > MOST_WEBP) => {
                return Err(refused);
            }
            AnimationFormat::WebP => None,
        };
        Ok(Self { size, gif })
    }

    /// Encodes one picture. Errors: its size differs from the samples, or encoding failed.
    pub fn pack(&self, picture: &Picture) -> Result<Packed, RenderError> {
        let [width, height] = picture.size();
        let refused = RenderError::of_size([width, height]);
        if picture.size() != self.size {
            return Err(refused);
        }
        match &self.gif {
            Some(gif) => Ok(Packed::Gif(gif.pack(picture.pixels.data()).ok_or(refused)?)),
            None => {
                let mut file = Vec::new();
                WebPEncoder::new(&mut file)
                    .encode(&picture.rgb(), width, height, ColorType::Rgb8)
                    .map_err(failed)?;
                // A still file is a header of 12 bytes and the one chunk that an animation also uses.
                Ok(Packed::WebP(file.split_off(12.min(file.len()))))
            }
        }
    }

    /// Returns the file: all pictures in order, each for its number of seconds, endlessly.
    ///
    /// Rounding errors of the times do not accumulate. Errors: encoding failed.
    pub fn join(&self, packed: Vec<Packed>, secs_each: f64) -> Result<Vec<u8>, RenderError> {
        let Some(gif) = &self.gif else {
            return Ok(self.join_webp(&packed, secs_each));
        };
        gif.join(
            packed.into_iter().filter_map(|picture| match picture {
                Packed::Gif(picture) => Some(picture),
                Packed::WebP(_) => None,
            }),
            secs_each,
        )
        .map_err(failed)
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
            let Packed::WebP(data) = picture else { continue };
            let millis = ticks_of(index, secs_each * 1000.0).clamp(1, 0xff_ffff) as u32;
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
