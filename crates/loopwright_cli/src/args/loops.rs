//! Flags of the commands that check, mix, play and compare loops.

use std::path::PathBuf;

use clap::Args;
use loopwright::{feet::FootLock, math::DecayKind};

use super::DEFAULT_TOP;
use crate::{
    limits::Limits,
    numbers::{parse_count, parse_cycles},
    recipe::TakeArgs,
    words::{Written, choice},
};

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Loops (BVH, FBX, GLB or glTF); the sidecar beside each is read where there is one. A folder stands for the loops in
    /// it and below: files with a sidecar, or whose name ends in -loop.
    #[arg(required = true)]
    pub(crate) loops: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// Limits from the table [check] of this file (TOML), instead of loopwright.toml in the current folder or the nearest
    /// above it; flags count more.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The take that the loops were made from, for the figures that need it.
    #[arg(long, value_name = "TAKE")]
    pub(crate) take: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: TakeArgs,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct BlendArgs {
    /// Loops (BVH, FBX, GLB or glTF) of one skeleton, each with its sidecar beside it; a folder stands for all loops in it,
    /// by name.
    #[arg(required = true, value_name = "LOOP")]
    pub(crate) loops: Vec<PathBuf>,
    /// Weights of the loops, in their order, separated by commas; equal ones unless given.
    #[arg(long, value_name = "W,W", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) weights: Vec<f64>,
    /// Speed over the ground of the blend, metres per second, between those of the loops; it finds the weights.
    #[arg(long, value_name = "S", conflicts_with = "weights")]
    pub(crate) speed: Option<f64>,
    /// Whether feet are held where they stand in the blend.
    #[arg(long, value_parser = choice::<FootLock>(), default_value_t = FootLock::Auto)]
    pub(crate) lock_feet: FootLock,
    /// Rate of turn of the blend, degrees per second, left positive, between those of the loops; it finds the weights.
    #[arg(long, value_name = "D", conflicts_with = "weights", allow_hyphen_values = true)]
    pub(crate) turn_rate: Option<f64>,
    /// The loop to write; its sidecar goes beside it.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) reading: TakeArgs,
    /// Overwrite existing files.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct PlayArgs {
    /// Loops (BVH, FBX, GLB or glTF) of one skeleton, each with its sidecar beside it; a folder stands for all loops in it,
    /// by name.
    #[arg(required = true, value_name = "LOOP")]
    pub(crate) loops: Vec<PathBuf>,
    /// How long to play, seconds.
    #[arg(long, value_name = "S", default_value_t = 60.0)]
    pub(crate) seconds: f64,
    /// Where the order comes from: the same seed plays the same again.
    #[arg(long, value_name = "N", default_value_t = 7)]
    pub(crate) seed: u64,
    /// Fewest and most cycles for which a loop plays before the next.
    #[arg(long, value_name = "LOW:HIGH", default_value = "1:3", value_parser = parse_cycles)]
    pub(crate) cycles: [u32; 2],
    /// How the offset of a jump into the next loop fades.
    #[arg(long, value_parser = choice::<DecayKind>(), default_value_t = DecayKind::Quintic)]
    pub(crate) fade: DecayKind,
    /// How long it fades, seconds; 0.4 unless given, for spring the half-life, 0.1 unless given.
    #[arg(long, value_name = "S")]
    pub(crate) fade_seconds: Option<f64>,
    /// Frames per second of the motion; those of the first loop unless given.
    #[arg(long, value_name = "R")]
    pub(crate) fps: Option<f64>,
    /// The motion to write.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) reading: TakeArgs,
    /// Overwrite an existing file.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CostArgs {
    /// What is left: a take or a loop (BVH, FBX, GLB or glTF), or with :FRAME one frame of it, counted from 0. A file with a
    /// sidecar beside it is a loop.
    #[arg(value_name = "FILE[:FRAME]")]
    pub(crate) left: PathBuf,
    /// What is entered, likewise; of the same skeleton.
    #[arg(value_name = "FILE[:FRAME]")]
    pub(crate) entered: PathBuf,
    /// How the offset of a jump fades, where not all three are told.
    #[arg(long, value_parser = choice::<DecayKind>(), default_value_t = DecayKind::Spring)]
    pub(crate) decay: DecayKind,
    /// Half-life of the spring, seconds (59.7% left after it).
    #[arg(long, value_name = "S", default_value_t = 0.1)]
    pub(crate) halflife: f64,
    /// Blend time of cubic and quintic, seconds.
    #[arg(long, value_name = "S", default_value_t = 0.4)]
    pub(crate) blend: f64,
    /// How many places to leave or to enter to list at most.
    #[arg(long, value_name = "K", default_value_t = DEFAULT_TOP, value_parser = parse_count)]
    pub(crate) top: usize,
    /// How much joints of that name count: 'Head=0', '*Hand*=1'; may be repeated. `inspect` lists the weights.
    #[arg(long = "joints", value_name = "PATTERN=WEIGHT", value_parser = <(String, f64)>::read)]
    pub(crate) weights: Vec<(String, f64)>,
    /// Draw the costs into this file: .svg or .png.
    #[arg(long, value_name = "OUT")]
    pub(crate) plot: Option<PathBuf>,
    /// Overwrite an existing plot.
    #[arg(long, requires = "plot")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) reading: TakeArgs,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}
