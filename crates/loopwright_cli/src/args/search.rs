//! Which loops to look for.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use loopwright::{
    candidate::{ChooseBy, DEFAULT_HALF_LIFE_SECS},
    math::DecayKind,
};

use super::JobsArgs;
use crate::{
    headings::{INPUT, OUTPUT, WHICH_LOOP},
    numbers::{parse_bounds, parse_count, parse_range},
    recipe::StudyArgs,
    words::choice,
};

/// How many loops `find` lists by default; `make --pick` counts in the same list.
pub(crate) const DEFAULT_TOP: usize = 10;

/// Shortest and longest loop looked for by default, seconds.
const DEFAULT_MIN_SECONDS: f64 = 0.4;
const DEFAULT_MAX_SECONDS: f64 = 10.0;

/// Which loops to look for.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = WHICH_LOOP)]
pub(crate) struct SearchArgs {
    /// Cycles in the loop, such as 2 for four steps [default: the fewest].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) cycles: Option<u32>,
    /// Shortest loop, seconds.
    #[arg(long, value_name = "S", default_value_t = DEFAULT_MIN_SECONDS)]
    pub(crate) min_seconds: f64,
    /// Longest loop, seconds [default: 10].
    #[arg(long, value_name = "S")]
    max_seconds: Option<f64>,
    /// Search these frames of the take only, counted from 0.
    #[arg(long, value_name = "START:END", value_parser = parse_range)]
    pub(crate) within: Option<(usize, usize)>,
    /// Only loops of this speed, m/s; one end may be left out.
    #[arg(long, value_name = "LOW:HIGH", value_parser = parse_bounds)]
    pub(crate) speed: Option<[f64; 2]>,
    /// Only loops of this turn rate, deg/s, left positive.
    #[arg(long, value_name = "LOW:HIGH", value_parser = parse_bounds, allow_hyphen_values = true)]
    pub(crate) turn_rate: Option<[f64; 2]>,
    /// Only loops that climb at this rate, m/s.
    #[arg(long, value_name = "LOW:HIGH", value_parser = parse_bounds, allow_hyphen_values = true)]
    pub(crate) climb: Option<[f64; 2]>,
    /// Only loops that turn by less than 5 deg/s.
    #[arg(long, conflicts_with_all = ["turning", "turn_rate"])]
    pub(crate) straight: bool,
    /// Only loops that turn by 5 deg/s or more, to this side.
    #[arg(long, value_enum, value_name = "SIDE", conflicts_with = "turn_rate")]
    pub(crate) turning: Option<TurnSide>,
    /// Only idle loops: the body stays about where it is.
    #[arg(long, conflicts_with_all = ["cycles", "speed", "straight", "turning"])]
    pub(crate) idle: bool,
    /// Recommend by the outcome of closing, or by the cost of the seam.
    #[arg(
        long,
        value_name = "WHAT",
        value_parser = choice::<ChooseBy>(),
        default_value_t = ChooseBy::Outcome,
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub(crate) choose: ChooseBy,
    /// Shifted and multiple versions of loops one by one.
    #[arg(long)]
    pub(crate) shifted: bool,
    /// What the search does anyway; accepted for scripts that say so.
    #[arg(long, hide = true, conflicts_with_all = ["idle", "shifted"])]
    per_segment: bool,
    /// How a jump at the seam would fade, by which seams are compared.
    #[arg(long, value_name = "FADE", value_parser = choice::<DecayKind>(), default_value_t = DecayKind::Spring)]
    pub(crate) decay: DecayKind,
    /// Half-life of that fade, seconds; longer weighs velocities more.
    #[arg(long, alias = "halflife", value_name = "S", default_value_t = DEFAULT_HALF_LIFE_SECS)]
    pub(crate) half_life: f64,
}

impl SearchArgs {
    /// Longest loop, seconds.
    pub(crate) fn max_seconds(&self) -> f64 {
        self.max_seconds.unwrap_or(DEFAULT_MAX_SECONDS.max(self.min_seconds))
    }

    /// Whether the flags ask for a part of the take: its whole is then not considered.
    pub(crate) fn chooses_a_part(&self) -> bool {
        self.max_seconds.is_some() || self.min_seconds != DEFAULT_MIN_SECONDS
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
            choose: ChooseBy::Outcome,
            shifted: false,
            per_segment: false,
            decay: DecayKind::Spring,
            half_life: DEFAULT_HALF_LIFE_SECS,
        }
    }
}

/// A side to turn to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TurnSide {
    // The words say all.
    Left,
    Right,
}

/// Loops of half a cycle and its mirror image.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = WHICH_LOOP)]
pub(crate) struct MirrorArgs {
    /// Symmetric loops: half a cycle of the take, then its mirror image.
    #[arg(long)]
    pub(crate) symmetric: bool,
    /// Pairs of joints, LeftArm = RightArm a line [default: by name].
    #[arg(long, value_name = "FILE", requires = "symmetric")]
    pub(crate) mirror_map: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct FindArgs {
    /// Takes ({formats}): files, folders or patterns.
    #[arg(help_heading = INPUT, required = true, value_name = "TAKE")]
    pub(crate) takes: Vec<PathBuf>,
    /// The one that is worked on.
    #[arg(skip)]
    pub(crate) take: PathBuf,
    #[command(flatten)]
    pub(crate) jobs: JobsArgs,
    /// How many rows to list at most.
    #[arg(long, value_name = "K", help_heading = WHICH_LOOP, default_value_t = DEFAULT_TOP, value_parser = parse_count)]
    pub(crate) top: usize,
    /// List where the take is like this take or loop instead; repeatable, or a folder.
    #[arg(
        long,
        value_name = "FILE[:START:END]",
        help_heading = WHICH_LOOP,
        conflicts_with_all = [
            "cycles", "min_seconds", "max_seconds", "speed", "turn_rate", "climb", "straight", "turning", "idle",
            "shifted", "choose", "symmetric", "plot", "verbose",
        ]
    )]
    pub(crate) like: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) mirror: MirrorArgs,
    #[command(flatten)]
    pub(crate) study: StudyArgs,
    /// Draw the take and the loops into this file: .svg or .png.
    #[arg(long, value_name = "OUT", help_heading = OUTPUT)]
    pub(crate) plot: Option<PathBuf>,
    /// Overwrite an existing plot.
    #[arg(short, long, requires = "plot", help_heading = OUTPUT)]
    pub(crate) force: bool,
    /// Print what the loops are judged by.
    #[arg(short, long, help_heading = OUTPUT)]
    pub(crate) verbose: bool,
    /// Print JSON instead of text.
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) json: bool,
}
