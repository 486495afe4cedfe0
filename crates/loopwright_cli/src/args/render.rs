//! Flags of `render`.

use std::path::PathBuf;

use clap::Args;
use loopwright_draw::render::View;

use crate::{
    numbers::{parse_count, parse_range, parse_size},
    recipe::TakeArgs,
    words::choice,
};

#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// A take or a loop (BVH, FBX, GLB or glTF), or two to be seen side by side, such as a take and its loop.
    #[arg(required = true, num_args = 1..=2, value_name = "TAKE|LOOP")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The picture: .gif or .webp for an animation, .png for a contact sheet.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Side from which the body is seen; the camera moves along.
    #[arg(long, value_parser = choice::<View>(), default_value_t = View::ThreeQuarter)]
    pub(crate) view: View,
    /// Keep the camera where it is and show the whole way, so that travel and sliding feet are seen.
    #[arg(long)]
    pub(crate) fixed: bool,
    /// Pixels of a picture, or of a cell of a contact sheet; 512x512, for cells 256x256, unless given.
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub(crate) size: Option<[u32; 2]>,
    /// Frames of a take to show, counted from 0; with --cycles or --onion they repeat as they are, jump and all.
    #[arg(long, value_name = "START:END", value_parser = parse_range)]
    pub(crate) range: Option<(usize, usize)>,
    /// Cycles of a loop to show.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) cycles: Option<u32>,
    /// Frames per second of an animation; the motion's own, at most 30, unless given.
    #[arg(long, value_name = "R")]
    pub(crate) fps: Option<f64>,
    /// Frames from one cell of a contact sheet to the next; as many as give 24 cells unless given.
    #[arg(long, value_name = "K", value_parser = parse_count)]
    pub(crate) every: Option<usize>,
    /// Draw the seam instead: the last pose over the first, coloured by their distance, and the frames around both.
    #[arg(long, conflicts_with_all = ["every", "fps", "cycles"])]
    pub(crate) onion: bool,
    /// Overwrite an existing picture.
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) reading: TakeArgs,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}
