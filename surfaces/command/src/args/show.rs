//! Flags of the commands that show and list loops.

use std::path::PathBuf;

use clap::{
    ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use loopwright_core::{candidate::MotionKind, words::UnknownWord};
use loopwright_draw::render::View;

use super::JobsArgs;
use crate::{
    headings::{INPUT, LIMITS, OUTPUT, PICTURE, WHICH_LOOP},
    numbers::{parse_bounds, parse_count, parse_range, parse_size},
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

#[arguments(PICTURE)]
pub struct RenderArgs {
    /// A take or a loop ({formats}), or two of them side by side; with -o FOLDER/ any number, folders or patterns, each
    /// drawn alone.
    #[arg(help_heading = INPUT, required = true, value_name = "TAKE|LOOP")]
    pub inputs: Vec<PathBuf>,
    /// Kind of several pictures: gif, webp or png.
    #[argument("KIND", value_parser = ["gif", "webp", "png"], default_value = "gif")]
    pub to: String,
    /// The picture: .gif or .webp moves, .png is a sheet; or a folder.
    #[argument("OUT", short)]
    pub output: PathBuf,
    /// Where the camera looks from.
    #[argument("VIEW", value_parser = view(), default_value_t = View::ThreeQuarter)]
    pub view: View,
    /// Keep the camera still, so that root motion and sliding feet show.
    pub fixed: bool,
    /// Size in pixels [default: 512x512; cells of a contact sheet 256x256].
    #[argument("WxH", value_parser = parse_size)]
    pub size: Option<[u32; 2]>,
    /// Show these frames of a take, counted from 0; --cycles and --onion treat them as a raw loop.
    #[argument("START:END", value_parser = parse_range)]
    pub range: Option<(usize, usize)>,
    /// How many times to play a loop.
    #[argument("N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub cycles: Option<u32>,
    /// Frames per second of an animation [default: those of the motion, at most 30].
    #[argument("R")]
    pub fps: Option<f64>,
    /// Frames from one cell of a contact sheet to the next [default: as needed for 24 cells].
    #[argument("K", value_parser = parse_count)]
    pub every: Option<usize>,
    /// Draw the seam: the last pose over the first, coloured by their distance.
    #[arg(long, conflicts_with_all = ["every", "fps", "cycles"])]
    pub onion: bool,
    /// Draw bodies of capsules, even where a file has a mesh.
    pub capsules: bool,
    /// Overwrite an existing picture.
    #[arg(short, long)]
    pub force: bool,
    #[args]
    pub reading: TakeArgs,
    #[args]
    pub jobs: JobsArgs,
    /// Print JSON instead of text.
    pub json: bool,
}

#[arguments(INPUT)]
pub struct ReportArgs {
    /// Loops with their sidecars ({formats}), folders of loops, patterns, catalogs (.parquet, .csv or .jsonl), or the folder of a set.
    #[arg(required = true, value_name = "LOOP|FOLDER|CATALOG")]
    pub inputs: Vec<PathBuf>,
    /// The page to write: .html.
    #[argument("OUT", short)]
    pub output: PathBuf,
    /// The take that the loops were made from [default: the file that the sidecar names, where it is found].
    #[argument("TAKE")]
    pub take: Option<PathBuf>,
    /// Heading of the page [default: the name of what it shows].
    #[argument("TEXT", help_heading = OUTPUT)]
    pub title: Option<String>,
    /// Draw bodies of capsules, even where a file has a mesh.
    #[arg(long, help_heading = OUTPUT)]
    pub capsules: bool,
    #[args]
    pub jobs: JobsArgs,
    #[args]
    pub reading: TakeArgs,
    /// Overwrite an existing page.
    #[arg(short, long)]
    pub force: bool,
    /// Print JSON instead of text.
    pub json: bool,
}

#[arguments(WHICH_LOOP)]
pub struct CatalogArgs {
    /// Catalogs that `make --catalog` wrote: .parquet, .csv or .jsonl; those of several shards are read together.
    #[arg(help_heading = INPUT, required = true, value_name = "CATALOG")]
    pub catalogs: Vec<PathBuf>,
    /// Only loops of these kinds: walk, turning_walk, run, idle and others.
    #[argument("KIND", value_delimiter = ',', value_parser = parse_kind)]
    pub kind: Vec<MotionKind>,
    /// Only loops with these grades.
    #[argument("WORD", value_delimiter = ',', value_parser = ["good", "review", "bad"])]
    pub grade: Vec<String>,
    /// Only loops of this speed, m/s; one end may be left out.
    #[argument("LOW:HIGH", value_parser = parse_bounds)]
    pub speed: Option<[f64; 2]>,
    /// Only loops of this turn rate, deg/s, left positive.
    #[argument("LOW:HIGH", value_parser = parse_bounds, allow_hyphen_values = true)]
    pub turn_rate: Option<[f64; 2]>,
    /// Only loops that climb at this rate, m/s.
    #[argument("LOW:HIGH", value_parser = parse_bounds, allow_hyphen_values = true)]
    pub climb: Option<[f64; 2]>,
    /// Only loops that turn by less than 5 deg/s.
    #[arg(long, conflicts_with = "turn_rate")]
    pub straight: bool,
    /// Only loops of this length, seconds.
    #[argument("LOW:HIGH", value_parser = parse_bounds)]
    pub seconds: Option<[f64; 2]>,
    /// Only loops whose take's path has this pattern: '*/walk*'.
    #[argument("PATTERN")]
    pub path: Option<String>,
    /// Only loops whose licence contains this text, in any case.
    #[argument("TEXT")]
    pub licence: Option<String>,
    /// Only loops that share the skeleton of this row, named by its output or take.
    #[argument("FILE")]
    pub skeleton_of: Option<String>,
    /// Only loops with less foot sliding, cm/s.
    #[argument("CMPS", help_heading = LIMITS)]
    pub max_foot_slide: Option<f64>,
    /// Only loops with less displacement, mm on average.
    #[argument("MM", help_heading = LIMITS)]
    pub max_displacement: Option<f64>,
    /// What the list is sorted by.
    #[argument("WHAT", value_enum, default_value_t = SortBy::Catalog, help_heading = OUTPUT)]
    pub sort: SortBy,
    /// Loops to list at most [default: all].
    #[argument("K", help_heading = OUTPUT, value_parser = parse_count)]
    pub top: Option<usize>,
    /// Write the rows that fit into this file: .parquet, .csv or .jsonl.
    #[argument("OUT", short)]
    pub output: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(short, long, requires = "output")]
    pub force: bool,
    /// Print JSON instead of text.
    pub json: bool,
}

/// A kind of motion, in any case.
fn parse_kind(text: &str) -> Result<MotionKind, UnknownWord> {
    text.trim().to_lowercase().parse()
}

/// What a list of loops is sorted by, the smallest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SortBy {
    /// The order of the catalogs.
    Catalog,
    /// Speed over the ground.
    Speed,
    /// Rate of turn.
    TurnRate,
    /// Foot sliding.
    Slide,
    /// Length.
    Seconds,
}
