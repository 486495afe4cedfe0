//! Which loops to look for.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use loopwright::{candidate::DEFAULT_HALF_LIFE_SECS, math::DecayKind};

use crate::{
    numbers::{parse_bounds, parse_count, parse_range},
    recipe::StudyArgs,
    words::choice,
};

/// How many loops `find` lists unless told otherwise; `make --pick` counts in the same list.
pub(crate) const DEFAULT_TOP: usize = 10;

/// Shortest and longest loop looked for unless told otherwise, seconds.
const DEFAULT_MIN_SECONDS: f64 = 0.4;
const DEFAULT_MAX_SECONDS: f64 = 10.0;

/// Which loops to look for.
#[derive(Debug, Clone, Args)]
pub(crate) struct SearchArgs {
    /// Number of fundamental periods the loop must span; as few as serve unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) cycles: Option<u32>,
    /// Shortest loop, seconds.
    #[arg(long, value_name = "S", default_value_t = DEFAULT_MIN_SECONDS)]
    pub(crate) min_seconds: f64,
    /// Longest loop, seconds; 10, or --min-seconds where that is more, unless given.
    #[arg(long, value_name = "S")]
    max_seconds: Option<f64>,
    /// Look for loops in these frames of the take only, counted from 0.
    #[arg(long, value_name = "START:END", value_parser = parse_range)]
    pub(crate) within: Option<(usize, usize)>,
    /// Speed over the ground that loops must have, metres per second; an end may be left out.
    #[arg(long, value_name = "LOW:HIGH", value_parser = parse_bounds)]
    pub(crate) speed: Option<[f64; 2]>,
    /// Rate of turn that loops must have, degrees per second, left positive; an end may be left out.
    #[arg(long, value_name = "LOW:HIGH", value_parser = parse_bounds, allow_hyphen_values = true)]
    pub(crate) turn_rate: Option<[f64; 2]>,
    /// Rate of climb that loops must have, metres per second; an end may be left out.
    #[arg(long, value_name = "LOW:HIGH", value_parser = parse_bounds, allow_hyphen_values = true)]
    pub(crate) climb: Option<[f64; 2]>,
    /// Only loops that turn by less than 5 degrees per second.
    #[arg(long, conflicts_with_all = ["turning", "turn_rate"])]
    pub(crate) straight: bool,
    /// Only loops that turn to that side by 5 degrees per second or more.
    #[arg(long, value_enum, conflicts_with = "turn_rate")]
    pub(crate) turning: Option<Side>,
    /// Only loops that all but stand.
    #[arg(long, conflicts_with_all = ["cycles", "speed", "straight", "turning"])]
    pub(crate) idle: bool,
    /// The best loop of every segment, in the order of time: each stretch that walks, runs, turns or stands.
    #[arg(long, conflicts_with = "idle")]
    pub(crate) per_segment: bool,
    /// How the offset of a jump fades, by which seams are priced.
    #[arg(long, value_parser = choice::<DecayKind>(), default_value_t = DecayKind::Spring)]
    pub(crate) decay: DecayKind,
    /// Half-life of that decay, seconds (for cubic and quintic a fourth of the blend time); longer ones weigh velocities more.
    #[arg(long, value_name = "S", default_value_t = DEFAULT_HALF_LIFE_SECS)]
    pub(crate) halflife: f64,
}

impl SearchArgs {
    /// Longest loop, seconds.
    pub(crate) fn max_seconds(&self) -> f64 {
        self.max_seconds.unwrap_or(DEFAULT_MAX_SECONDS.max(self.min_seconds))
    }
}

/// The search of a command line without any of its flags.
impl Default for SearchArgs {
    fn default() -> Self {
        Self {
            cycles: None,
            min_seconds: DEFAULT_MIN_SECONDS,
            max_seconds: None,
            within: None,
            speed: None,
            turn_rate: None,
            climb: None,
            straight: false,
            turning: None,
            idle: false,
            per_segment: false,
            decay: DecayKind::Spring,
            halflife: DEFAULT_HALF_LIFE_SECS,
        }
    }
}

/// A side to turn to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Side {
    /// To the left.
    Left,
    /// To the right.
    Right,
}

/// Half a cycle and its mirror image.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct MirrorArgs {
    /// Loops of half a cycle and its mirror image: perfectly symmetric, and half as much of the take is needed.
    #[arg(long)]
    pub(crate) symmetric: bool,
    /// Which joints are images of each other where names do not tell: a file with lines such as LeftArm = RightArm.
    #[arg(long, value_name = "FILE", requires = "symmetric")]
    pub(crate) mirror_map: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct FindArgs {
    /// The take (BVH, FBX, GLB or glTF).
    pub(crate) take: PathBuf,
    /// How many distinct loops to list at most.
    #[arg(long, value_name = "K", default_value_t = DEFAULT_TOP, value_parser = parse_count)]
    pub(crate) top: usize,
    /// Draw a plot of it into this file: .svg or .png.
    #[arg(long, value_name = "OUT")]
    pub(crate) plot: Option<PathBuf>,
    /// Overwrite an existing plot.
    #[arg(long, requires = "plot")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) mirror: MirrorArgs,
    #[command(flatten)]
    pub(crate) study: StudyArgs,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}
