//! Flags of the commands that check, mix, play and compare loops.

use std::path::PathBuf;

use clap::{
    ArgAction,
    builder::{PossibleValuesParser, TypedValueParser},
};
use loopwright_core::{feet::FootLock, math::DecayKind};
use loopwright_formats::loop_file::facts::Grade;
use loopwright_job::{CheckId, DEFAULT_TOP};

use super::{EngineArgs, ExcludeArgs, RigArgs, parse_word};
use crate::{
    headings::{FEET, INPUT, JUMP, MIX, OUTPUT},
    limits::Limits,
    numbers::{parse_count, parse_cycles, parse_positive},
    recipe::TakeArgs,
    words::{Written, choice},
};

#[arguments(INPUT)]
#[derive(Default)]
pub struct CheckArgs {
    /// Loops ({formats}), with their sidecars where they have them: files, folders or patterns.
    #[arg(required = true, value_name = "LOOP")]
    pub loops: Vec<PathBuf>,
    #[args]
    pub limits: Limits,
    /// Read limits from this file; flags override it [default: the nearest loopwright.toml].
    #[argument("FILE")]
    pub config: Option<PathBuf>,
    /// Grade from which a loop fails.
    #[argument("GRADE", default_value = "bad", value_parser = PossibleValuesParser::new(["review", "bad"]).try_map(|word| word.parse::<Grade>()))]
    pub fail_on: Grade,
    /// Checks that decide the grade, by their ids: docs/checks.md lists them [default: all].
    #[argument("ID,...", value_delimiter = ',', value_parser = parse_word::<CheckId>)]
    pub only: Vec<CheckId>,
    /// Also check whether the loops belong together: skeleton, frame rate, phase, duration, speed.
    pub together: bool,
    /// The take that the loops were made from; some figures need it.
    #[argument("TAKE")]
    pub take: Option<PathBuf>,
    #[args]
    pub reading: TakeArgs,
    #[args]
    pub left_out: ExcludeArgs,
    /// Print all figures.
    #[arg(short, long)]
    pub verbose: bool,
    /// Print JSON instead of text.
    pub json: bool,
    /// Also write a report for build servers, in the form of JUnit's.
    #[argument("FILE", help_heading = OUTPUT)]
    pub junit: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(short, long)]
    pub force: bool,
}

/// Loops that are read together, and the motion that they become.
#[arguments(OUTPUT)]
pub struct LoopsArgs {
    /// Loops of one skeleton ({formats}), each with its sidecar: files, folders or patterns.
    #[arg(required = true, value_name = "LOOP", help_heading = INPUT)]
    pub loops: Vec<PathBuf>,
    #[args]
    pub reading: TakeArgs,
    /// The motion to write.
    #[argument("OUT", short)]
    pub output: PathBuf,
    /// Overwrite existing files.
    #[arg(short, long)]
    pub force: bool,
    #[args]
    pub engine: EngineArgs,
    /// Print JSON instead of text.
    pub json: bool,
}

#[arguments(MIX)]
pub struct BlendArgs {
    #[args]
    pub files: LoopsArgs,
    /// Weights of the loops, in their order [default: equal].
    #[argument("W,W", value_delimiter = ',', allow_hyphen_values = true)]
    pub weights: Vec<f64>,
    /// Speed of the blend, m/s, between those of the loops; sets the weights.
    #[argument("S", conflicts_with = "weights")]
    pub speed: Option<f64>,
    /// Turn rate of the blend, deg/s, left positive; sets the weights.
    #[argument("D", conflicts_with = "weights", allow_hyphen_values = true)]
    pub turn_rate: Option<f64>,
    /// Whether planted feet are locked.
    #[argument("WHEN", help_heading = FEET, value_parser = choice::<FootLock>(), default_value_t = FootLock::Auto)]
    pub lock_feet: FootLock,
    #[args]
    pub on: RigArgs,
}

#[arguments(MIX)]
pub struct PlayArgs {
    #[args]
    pub files: LoopsArgs,
    /// How long to play, seconds.
    #[argument("S", default_value_t = 60.0)]
    pub seconds: f64,
    /// Seed of the random order; the same seed gives the same motion.
    #[argument("N", default_value_t = 7)]
    pub seed: u64,
    /// Fewest and most cycles of a loop, which then plays on to its best exit.
    #[argument("LOW:HIGH", default_value = "1:3", value_parser = parse_cycles)]
    pub cycles: [u32; 2],
    /// How the jump into the next loop fades.
    #[argument("FADE", value_parser = choice::<DecayKind>(), default_value_t = DecayKind::Quintic)]
    pub fade: DecayKind,
    /// Length of the fade, seconds; of a spring its half-life [default: 0.4; spring 0.1].
    #[argument("S")]
    pub fade_seconds: Option<f64>,
    /// Whether planted feet are locked, and feet kept above the floor, while a jump fades.
    #[argument(
        "WHEN",
        help_heading = FEET,
        action = ArgAction::Set,
        value_parser = PossibleValuesParser::new(["auto", "off"]).map(|word| word == "auto"),
        default_value = "auto"
    )]
    pub lock_feet: bool,
    /// Frames per second of the motion [default: those of the first loop].
    #[argument("R", help_heading = OUTPUT, value_parser = parse_positive)]
    pub fps: Option<f64>,
}

/// What a jump costs, and how many of them are listed.
#[arguments(JUMP)]
pub struct JumpSettings {
    /// How the jump fades.
    #[argument("FADE", value_parser = choice::<DecayKind>(), default_value_t = DecayKind::Spring)]
    pub fade: DecayKind,
    /// Half-life of the spring, seconds (59.7% is left after it).
    #[argument("S", default_value_t = 0.1)]
    pub half_life: f64,
    /// Blend time of cubic and quintic, seconds.
    #[argument("S", default_value_t = 0.4)]
    pub blend: f64,
    /// Jumps to list at most.
    #[argument("K", default_value_t = DEFAULT_TOP, value_parser = parse_count)]
    pub top: usize,
    /// Weight of joints: 'Head=0', '*Hand*=1'; repeatable.
    #[arg(long = "joint-weight", value_name = "PATTERN=W", value_parser = <(String, f64)>::read)]
    pub weights: Vec<(String, f64)>,
}

#[arguments(JUMP)]
pub struct CostArgs {
    /// The motion to leave and the one to enter, of one skeleton: takes or loops ({formats}); :FRAME selects one frame,
    /// from 0. Folders, patterns or more files: each motion into each other.
    #[arg(value_name = "FILE[:FRAME]", required = true, num_args = 1.., help_heading = INPUT)]
    pub motions: Vec<PathBuf>,
    #[args]
    pub jumps: JumpSettings,
    #[args]
    pub reading: TakeArgs,
    /// Draw the costs into this file: .svg or .png.
    #[argument("OUT")]
    pub plot: Option<PathBuf>,
    /// Overwrite an existing plot.
    #[arg(short, long, requires = "plot")]
    pub force: bool,
    /// Print JSON instead of text.
    pub json: bool,
}
