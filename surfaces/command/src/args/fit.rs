//! Flags of `fit`.

use std::path::PathBuf;

use loopwright_controller::MODES;
use loopwright_core::analysis::MotionKind;

use crate::{
    headings::{FIT, INPUT, NUMBERS_ALONE, OUTPUT},
    numbers::parse_positive,
    recipe::TakeArgs,
    words::kind_among,
};

#[arguments]
#[command(override_usage = "loopwright fit [OPTIONS] <TAKE>...\n       \
    loopwright fit --profile FILE\n       \
    loopwright fit --speed S (--acceleration A | --half-life H)\n       \
    loopwright fit --angle D (--turn-rate R | --half-life H)")]
pub struct FitArgs {
    /// Takes ({formats}): files, folders or patterns.
    #[arg(help_heading = INPUT, required_unless_present_any = ["speed", "angle", "half_life", "profile"], value_name = "TAKE")]
    pub takes: Vec<PathBuf>,
    /// How the takes move [default: detected from speed and direction].
    #[argument("MODE", help_heading = FIT, value_parser = kind_among(&MODES))]
    pub mode: Option<MotionKind>,
    /// How much velocity and facing are smoothed: standard deviation, seconds.
    #[argument("S", help_heading = FIT, default_value_t = loopwright_controller::SMOOTHING_SECS)]
    pub smoothing: f64,
    /// Write the settings into this file too.
    #[argument("FILE", help_heading = OUTPUT)]
    pub toml: Option<PathBuf>,
    /// Draw speeds and fits into this file: .svg or .png.
    #[argument("OUT")]
    pub plot: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(short, long)]
    pub force: bool,
    /// CSV table with a first line of names: time and speed, or distance and time (s, m/s, m).
    #[argument("FILE", conflicts_with_all = ["takes", "speed", "angle", "half_life"], help_heading = NUMBERS_ALONE)]
    pub profile: Option<PathBuf>,
    /// Top speed, m/s.
    #[argument("S", value_parser = parse_positive, conflicts_with = "takes", help_heading = NUMBERS_ALONE)]
    pub speed: Option<f64>,
    /// Largest acceleration from standing to that speed, m/s^2.
    #[argument("A", value_parser = parse_positive, requires = "speed", conflicts_with_all = ["takes", "half_life"], help_heading = NUMBERS_ALONE)]
    pub acceleration: Option<f64>,
    /// Angle of a turn, degrees.
    #[argument("D", value_parser = parse_positive, conflicts_with = "takes", help_heading = NUMBERS_ALONE)]
    pub angle: Option<f64>,
    /// Largest turn rate within that turn, deg/s.
    #[argument("R", value_parser = parse_positive, requires = "angle", conflicts_with_all = ["takes", "half_life"], help_heading = NUMBERS_ALONE)]
    pub turn_rate: Option<f64>,
    /// Half-life, seconds; gives the largest acceleration or turn rate.
    #[argument("H", value_parser = parse_positive, conflicts_with = "takes", help_heading = NUMBERS_ALONE)]
    pub half_life: Option<f64>,
    #[args]
    pub reading: TakeArgs,
    /// Print JSON instead of text.
    pub json: bool,
}
