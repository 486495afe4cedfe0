//! Flags of `render`.

use std::path::PathBuf;

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use loopwright_draw::render::View;

use super::JobsArgs;
use crate::{
    headings::{INPUT, PICTURE},
    numbers::{parse_count, parse_range, parse_size},
    recipe::TakeArgs,
    words::possible,
};

/// Reads where the camera looks from.
fn view() -> impl TypedValueParser<Value = View> {
    PossibleValuesParser::new(View::ALL.map(|view| {
        let help = match view {
            View::ThreeQuarter => "From ahead, to the right and a little above",
            View::Side => "From the right",
            View::Front => "From ahead",
            View::Back => "From behind, a little above",
            View::Top => "From above, heading up in the picture",
        };
        possible(view.as_str(), help)
    }))
    .try_map(|word| word.parse::<View>())
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = PICTURE)]
pub struct RenderArgs {
    /// A take or a loop ({formats}), or two of them side by side; with -o FOLDER/ any number, folders or patterns, each
    /// drawn alone.
    #[arg(help_heading = INPUT, required = true, value_name = "TAKE|LOOP")]
    pub inputs: Vec<PathBuf>,
    /// Kind of several pictures: gif, webp or png.
    #[arg(long, value_name = "KIND", value_parser = ["gif", "webp", "png"], default_value = "gif")]
    pub to: String,
    /// The picture: .gif or .webp moves, .png is a sheet; or a folder.
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Where the camera looks from.
    #[arg(long, value_name = "VIEW", value_parser = view(), default_value_t = View::ThreeQuarter)]
    pub view: View,
    /// Keep the camera still, so that root motion and sliding feet show.
    #[arg(long)]
    pub fixed: bool,
    /// Size in pixels [default: 512x512; cells of a contact sheet 256x256].
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub size: Option<[u32; 2]>,
    /// Show these frames of a take, counted from 0; --cycles and --onion treat them as a raw loop.
    #[arg(long, value_name = "START:END", value_parser = parse_range)]
    pub range: Option<(usize, usize)>,
    /// How many times to play a loop.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub cycles: Option<u32>,
    /// Frames per second of an animation [default: those of the motion, at most 30].
    #[arg(long, value_name = "R")]
    pub fps: Option<f64>,
    /// Frames from one cell of a contact sheet to the next [default: as needed for 24 cells].
    #[arg(long, value_name = "K", value_parser = parse_count)]
    pub every: Option<usize>,
    /// Draw the seam: the last pose over the first, coloured by their distance.
    #[arg(long, conflicts_with_all = ["every", "fps", "cycles"])]
    pub onion: bool,
    /// Draw bodies of capsules, even where a file has a mesh.
    #[arg(long)]
    pub capsules: bool,
    /// Overwrite an existing picture.
    #[arg(short, long)]
    pub force: bool,
    #[command(flatten)]
    pub reading: TakeArgs,
    #[command(flatten)]
    pub jobs: JobsArgs,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}
