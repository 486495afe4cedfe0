//! Flags of `fit`.

use std::path::PathBuf;

use clap::Args;
use loopwright::controller_fit::Mode;

use crate::{numbers::parse_positive, recipe::TakeArgs, words::choice};

#[derive(Debug, Args)]
#[command(override_usage = "loopwright fit [OPTIONS] <TAKE>...\n       \
    loopwright fit --speed S (--acceleration A | --half-life H)\n       \
    loopwright fit --angle D (--turn-rate R | --half-life H)")]
pub(crate) struct FitArgs {
    /// Takes (BVH, FBX, GLB or glTF); a folder stands for all takes in it and below, without loops.
    #[arg(required_unless_present_any = ["speed", "angle", "half_life"], value_name = "TAKE")]
    pub(crate) takes: Vec<PathBuf>,
    /// The mode of the whole of every take; told from speed and direction unless given.
    #[arg(long, value_parser = choice::<Mode>())]
    pub(crate) mode: Option<Mode>,
    /// How much velocity and facing are smoothed: standard deviation of the weights, seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = loopwright::controller_fit::SMOOTHING_SECS)]
    pub(crate) smoothing: f64,
    /// Write the block for a controller into this file as well.
    #[arg(long, value_name = "FILE")]
    pub(crate) toml: Option<PathBuf>,
    /// Draw a plot of it into this file: .svg or .png.
    #[arg(long, value_name = "OUT")]
    pub(crate) plot: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(long)]
    pub(crate) force: bool,
    /// Top speed, metres per second: answer from numbers alone.
    #[arg(long, value_name = "S", value_parser = parse_positive, conflicts_with = "takes", help_heading = "From numbers alone")]
    pub(crate) speed: Option<f64>,
    /// Largest acceleration on the way from standing to that speed, metres per second squared.
    #[arg(long, value_name = "A", value_parser = parse_positive, requires = "speed", conflicts_with_all = ["takes", "half_life"], help_heading = "From numbers alone")]
    pub(crate) acceleration: Option<f64>,
    /// Angle turned by, degrees.
    #[arg(long, value_name = "D", value_parser = parse_positive, conflicts_with = "takes", help_heading = "From numbers alone")]
    pub(crate) angle: Option<f64>,
    /// Largest turn rate on the way over that angle, degrees per second.
    #[arg(long, value_name = "R", value_parser = parse_positive, requires = "angle", conflicts_with_all = ["takes", "half_life"], help_heading = "From numbers alone")]
    pub(crate) turn_rate: Option<f64>,
    /// Half-life, seconds (59.7% is left after it): tells the largest acceleration or turn rate instead.
    #[arg(long, value_name = "H", value_parser = parse_positive, conflicts_with = "takes", help_heading = "From numbers alone")]
    pub(crate) half_life: Option<f64>,
    #[command(flatten)]
    pub(crate) reading: TakeArgs,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}
