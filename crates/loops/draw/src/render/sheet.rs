//! Many frames in one picture: contact sheets, and panels side by side.

use super::{
    canvas::Canvas,
    caption::{self, Caption},
    picture::Picture,
    scene::{RenderError, Scene},
};

/// Most cells of a contact sheet.
pub const MAX_CELLS: usize = 256;

/// Returns the frames of one motion in rows, from left to right and from top to bottom, each with its number and time.
///
/// `frames` count from the start of the motion and may span any number of cycles; at most [`MAX_CELLS`] are drawn.
/// Errors: the sheet is too large for memory.
pub fn contact_sheet(scene: &Scene, frames: &[usize]) -> Result<Picture, RenderError> {
    let motion = scene.motion;
    let frames = &frames[..frames.len().min(MAX_CELLS)];
    let [width, height] = scene.size;
    // As close to a square as whole rows allow.
    let columns = (1..=frames.len().max(1))
        .min_by_key(|columns| {
            let rows = frames.len().div_ceil(*columns);
            let (across, down) = (*columns as i64 * i64::from(width), rows as i64 * i64::from(height));
            // Screens, on which a sheet is viewed, are wider than high.
            (3 * across - 4 * down).abs() + (rows * columns - frames.len()) as i64 * i64::from(width.min(height)) / 2
        })
        .unwrap_or(1);
    let size = [
        columns as u32 * width,
        frames.len().div_ceil(columns).max(1) as u32 * height,
    ];
    let mut sheet = Canvas::new(size).ok_or(RenderError::of_size(size))?;
    let mut captions = Vec::new();
    for (index, &frame) in frames.iter().enumerate() {
        let corner = [(index % columns) as u32 * width, (index / columns) as u32 * height];
        let secs = frame as f64 * motion.step_secs();
        let cell = if index == 0 {
            scene.frame(secs)?
        } else {
            scene.untitled(secs)?.finish()
        };
        sheet.lay(&cell, corner);
        let type_height = (0.05 * f64::from(width.min(height))).max(9.0);
        let number = (motion.number_of(frame) * 10.0).round() / 10.0;
        captions.push(Caption {
            at: [
                f64::from(corner[0]) + 0.6 * type_height,
                f64::from(corner[1] + height) - 0.9 * type_height,
            ],
            height: type_height,
            is_bold: false,
            words: format!("frame {number}, {secs:.2} s"),
            width: f64::from(width),
        });
    }
    sheet.lay(&caption::sheet(size, &captions)?, [0, 0]);
    Ok(sheet.finish())
}

/// Pictures of the same height next to each other, with a gap of a few pixels.
///
/// Errors: no pictures, or too many for memory.
pub fn side_by_side(pictures: &[Picture]) -> Result<Picture, RenderError> {
    if let [picture] = pictures {
        return Ok(picture.clone());
    }
    const GAP: u32 = 4;
    let width = pictures
        .iter()
        .map(|picture| picture.size()[0] + GAP)
        .sum::<u32>()
        .saturating_sub(GAP);
    let height = pictures.iter().map(|picture| picture.size()[1]).max().unwrap_or(0);
    let mut row = Canvas::new([width, height]).ok_or(RenderError::of_size([width, height]))?;
    row.bar(
        0.0,
        0.0,
        f64::from(width),
        f64::from(height),
        super::canvas::Colour::GREY,
    );
    let mut left = 0;
    for picture in pictures {
        row.lay(picture, [left, 0]);
        left += picture.size()[0] + GAP;
    }
    Ok(row.finish())
}
