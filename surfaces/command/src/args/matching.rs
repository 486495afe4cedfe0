//! Flags of `match`.

use std::path::PathBuf;

use clap::{
    ArgAction, Args, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};
use loopwright_core::{
    candidate::{DEFAULT_HALF_LIFE_SECS, MotionKind},
    math::DecayKind,
};

use loopwright_match::{FeatureSetKind, GaitSet};
use loopwright_moves::play::DEFAULT_FADE_SECS;

use crate::{
    headings::{FEET, INPUT, MATCH, OUTPUT},
    numbers::{parse_count, parse_positive},
    recipe::TakeArgs,
    words::{Written, choice, kind_among},
};

/// Nearest frames that a query lists.
const DEFAULT_NEAREST: usize = 5;

#[derive(Debug, Args)]
pub struct MatchArgs {
    #[command(subcommand)]
    pub command: MatchCommand,
}

#[derive(Debug, Subcommand)]
pub enum MatchCommand {
    /// Builds a match database from takes and loops, or adds some to one.
    Build(MatchBuildArgs),
    /// Reports what a match database holds.
    Inspect(MatchInspectArgs),
    /// Finds the frames of a match database that are nearest to a frame of a take.
    Query(MatchQueryArgs),
    /// Walks along a path by a match database, into a take.
    Walk(MatchWalkArgs),
    /// Writes the rows of a match database as an array for NumPy.
    Export(MatchExportArgs),
}

/// What the rows of a database are made of.
#[arguments]
pub struct RowSettings {
    /// What finds a frame: pose and future, or the cost of a jump.
    #[argument("SET", help_heading = MATCH, value_parser = PossibleValuesParser::new(["future", "cost"]).try_map(|word| word.parse::<FeatureSetKind>()), default_value_t = FeatureSetKind::Future, conflicts_with = "add")]
    pub features: FeatureSetKind,
    /// For future: times ahead that are matched, seconds [default: 0.333,0.667,1].
    #[argument("S,S,S", help_heading = MATCH, value_delimiter = ',', num_args = 1..=3, conflicts_with = "add")]
    pub ahead: Vec<f64>,
    /// For cost: how a jump fades.
    #[argument("FADE", help_heading = MATCH, value_parser = choice::<DecayKind>(), default_value_t = DecayKind::Spring, conflicts_with = "add")]
    pub fade: DecayKind,
    /// For cost: half-life of the spring, seconds (59.7% is left after it).
    #[argument("S", help_heading = MATCH, default_value_t = DEFAULT_HALF_LIFE_SECS, conflicts_with = "add")]
    pub half_life: f64,
    /// For cost: blend time of cubic and quintic, seconds.
    #[argument("S", help_heading = MATCH, default_value_t = DEFAULT_FADE_SECS, conflicts_with = "add")]
    pub blend: f64,
    /// For cost: weight of joints, 'Head=0', '*Hand*=1'; repeatable.
    #[arg(long = "joint-weight", help_heading = MATCH, value_name = "PATTERN=W", value_parser = <(String, f64)>::read, conflicts_with = "add")]
    pub weights: Vec<(String, f64)>,
}

#[arguments(MATCH)]
pub struct MatchBuildArgs {
    /// Takes and loops ({formats}), folders of them or patterns; a file with a sidecar is a loop. :START:END selects frames.
    #[arg(required = true, value_name = "TAKE[:START:END]", help_heading = INPUT)]
    pub takes: Vec<PathBuf>,
    #[args]
    pub reading: TakeArgs,
    #[args]
    pub rows: RowSettings,
    /// Add them to this database; its rows stay as they are.
    #[argument("DB", help_heading = MATCH)]
    pub add: Option<PathBuf>,
    /// A tag of all these takes, such as style=walk; repeatable.
    #[arg(long = "tag", help_heading = MATCH, value_name = "NAME=VALUE", value_parser = parse_tag)]
    pub tags: Vec<(String, String)>,
    /// Tags of single takes: a CSV of PATTERN,NAME=VALUE.
    #[arg(long = "tags", help_heading = MATCH, value_name = "FILE")]
    pub tag_table: Option<PathBuf>,
    /// The database to write.
    #[argument("OUT", short)]
    pub output: PathBuf,
    /// Overwrite existing files.
    #[arg(short, long)]
    pub force: bool,
    /// Print JSON instead of text.
    pub json: bool,
}

#[arguments]
pub struct MatchInspectArgs {
    /// The match database.
    #[arg(value_name = "DB", help_heading = INPUT)]
    pub database: PathBuf,
    /// Print JSON instead of text.
    pub json: bool,
}

/// The motion that frames have to fit to, and which of them pass.
#[arguments]
pub struct Wish {
    /// Speed wanted over the next second, m/s [default: the take's].
    #[argument("S")]
    pub speed: Option<f64>,
    /// Turn rate wanted at that speed, deg/s, left positive.
    #[argument("D", requires = "speed", allow_hyphen_values = true, default_value_t = 0.0)]
    pub turn_rate: f64,
    /// Only takes with this tag, such as style=walk; repeatable.
    #[arg(long = "tag", value_name = "NAME=VALUE", value_parser = parse_tag)]
    pub tags: Vec<(String, String)>,
    /// Only frames with this gait; repeatable.
    #[arg(long = "gait", value_name = "GAIT", value_parser = kind_among(&GAITS))]
    pub gaits: Vec<MotionKind>,
    /// Only frames in which this foot is planted.
    #[argument("FOOT", value_parser = PossibleValuesParser::new(["left", "right", "both"]).try_map(|word| word.parse::<StandingFoot>()))]
    pub standing: Option<StandingFoot>,
    /// Frames to list at most, the nearest first.
    #[argument("K", default_value_t = DEFAULT_NEAREST, value_parser = parse_count)]
    pub top: usize,
}

#[arguments(MATCH)]
pub struct MatchQueryArgs {
    /// The match database.
    #[arg(value_name = "DB", help_heading = INPUT)]
    pub database: PathBuf,
    /// A frame of a take or a loop ({formats}), counted from 0.
    #[arg(value_name = "TAKE:FRAME", help_heading = INPUT)]
    pub take: PathBuf,
    #[args]
    pub reading: TakeArgs,
    #[args]
    pub wish: Wish,
    /// Print JSON instead of text.
    pub json: bool,
}

#[arguments(OUTPUT)]
pub struct MatchExportArgs {
    /// The match database.
    #[arg(value_name = "DB", help_heading = INPUT)]
    pub database: PathBuf,
    /// Write the frames of this take or loop instead, in the numbers of the database; repeatable.
    #[arg(long = "take", value_name = "TAKE", help_heading = INPUT)]
    pub takes: Vec<PathBuf>,
    #[args]
    pub reading: TakeArgs,
    /// The array to write: 32-bit floats, one row of features a frame.
    #[argument("OUT")]
    pub npy: PathBuf,
    /// Overwrite existing files.
    #[arg(short, long)]
    pub force: bool,
    /// Print JSON instead of text.
    pub json: bool,
}

#[arguments(MATCH)]
pub struct MatchWalkArgs {
    /// The database; the takes that it was built from must still be in their places.
    #[arg(value_name = "DB", help_heading = INPUT)]
    pub database: PathBuf,
    /// The path, as CSV: seconds, metres to the left (x), metres ahead (z).
    #[arg(value_name = "PATH", help_heading = INPUT)]
    pub path: PathBuf,
    /// Only takes with this tag, such as style=walk; repeatable.
    #[arg(long = "tag", value_name = "NAME=VALUE", value_parser = parse_tag)]
    pub tags: Vec<(String, String)>,
    /// Only frames with this gait; repeatable.
    #[arg(long = "gait", value_name = "GAIT", value_parser = kind_among(&GAITS))]
    pub gaits: Vec<MotionKind>,
    #[args]
    pub reading: TakeArgs,
    /// Half-life with which the character returns to its path, seconds, as `fit` finds it.
    #[argument("S", value_parser = parse_positive, default_value_t = 0.3)]
    pub half_life: f64,
    /// Bias for the motion that plays: a share of its squared distance.
    #[argument("SHARE", value_parser = parse_positive, default_value_t = 0.6)]
    pub stay: f64,
    /// Seconds between queries.
    #[argument("S", value_parser = parse_positive, default_value_t = 0.2)]
    pub every: f64,
    /// How long a jump into another frame fades, seconds.
    #[argument("S", value_parser = parse_positive, default_value_t = 0.35)]
    pub fade_seconds: f64,
    /// Whether planted feet are locked.
    #[argument(
        "WHEN",
        help_heading = FEET,
        action = ArgAction::Set,
        value_parser = PossibleValuesParser::new(["on", "off"]).map(|word| word == "on"),
        default_value = "on"
    )]
    pub lock_feet: bool,
    /// The take to write.
    #[argument("OUT", short)]
    pub output: PathBuf,
    /// Overwrite existing files.
    #[arg(short, long)]
    pub force: bool,
    /// Print JSON instead of text.
    pub json: bool,
}

/// The kinds by which gaits are selected.
pub const GAITS: [MotionKind; 8] = [
    MotionKind::Idle,
    MotionKind::Walk,
    MotionKind::TurningWalk,
    MotionKind::Run,
    MotionKind::Backward,
    MotionKind::Strafe,
    MotionKind::TurnInPlace,
    MotionKind::Other,
];

/// The gaits of these kinds; a turning walk is a walk too.
pub fn gaits_of(kinds: &[MotionKind]) -> GaitSet {
    GaitSet::new(|gait| kinds.contains(&gait.kind) || kinds.contains(&gait.kind.straight()))
}

/// Which foot stands.
#[choice_in_words]
pub enum StandingFoot {
    /// The left foot alone.
    Left,
    /// The right foot alone.
    Right,
    /// Both feet.
    Both,
}

/// `NAME=VALUE`, neither empty.
pub fn parse_tag(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("must be NAME=VALUE, such as style=walk".to_owned()),
    }
}
