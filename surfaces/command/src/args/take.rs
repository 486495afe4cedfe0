//! Flags of the commands that read, write and show takes.

use std::path::PathBuf;

use clap::Args;
use loopwright_formats::Format;

use super::{EngineArgs, JobsArgs, RigArgs, format::parse_format};
use crate::files::InputFile;
use crate::headings::{FEET, INPUT, OUTPUT, WALK};
use crate::recipe::{Sets, StudyArgs, TakeArgs};

#[derive(Debug, Clone, Args)]
pub(crate) struct InspectArgs {
    /// Takes ({formats}): files, folders or patterns.
    #[arg(help_heading = INPUT, required = true, value_name = "TAKE")]
    pub(crate) takes: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) jobs: JobsArgs,
    /// Show when each foot is on the ground, as bars over time.
    #[arg(long, help_heading = FEET)]
    pub(crate) contacts: bool,
    #[command(flatten)]
    pub(crate) study: StudyArgs,
    #[command(flatten)]
    pub(crate) sets: Sets,
    /// Draw the take into this file: .svg or .png.
    #[arg(long, value_name = "OUT", help_heading = OUTPUT)]
    pub(crate) plot: Option<PathBuf>,
    /// Overwrite an existing plot.
    #[arg(short, long, requires = "plot", help_heading = OUTPUT)]
    pub(crate) force: bool,
    /// Print JSON instead of text.
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Files of animations ({formats}), folders or patterns.
    #[arg(help_heading = INPUT, required = true, value_name = "FILE")]
    pub(crate) takes: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: TakeArgs,
    /// Print JSON instead of text.
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Args)]
#[command(override_usage = "loopwright convert [OPTIONS] <INPUT>... <OUTPUT>")]
pub(crate) struct ConvertArgs {
    /// Takes or loops to read ({formats}), files, folders or patterns; the last name is the file to write, whose extension selects the format
    /// ({.extensions}), or of several inputs the folder for them.
    // One list, since flags may stand between the names.
    #[arg(help_heading = INPUT, required = true, value_names = ["INPUT", "OUTPUT"], num_args = 1..)]
    pub(crate) names: Vec<PathBuf>,
    /// All names but the last.
    #[arg(skip)]
    pub(crate) inputs: Vec<PathBuf>,
    /// The one that is worked on.
    #[arg(skip)]
    pub(crate) input: InputFile,
    /// The last name.
    #[arg(skip)]
    pub(crate) output: PathBuf,
    /// Write every animation, or those of --animation, into a file of its own in that folder.
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) split: bool,
    /// The number of the one that is worked on, where several are.
    #[arg(skip)]
    pub(crate) number: Option<usize>,
    /// Format of several outputs: {extensions} [default: the engine's, or that of each input].
    #[arg(long, help_heading = OUTPUT, value_name = "FORMAT", value_parser = parse_format)]
    pub(crate) to: Option<Format>,
    #[command(flatten)]
    pub(crate) jobs: JobsArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    /// Exchange left and right; the sidecar of a loop is mirrored with it.
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) mirror: bool,
    /// Pairs of joints, LeftArm = RightArm a line [default: by name].
    #[arg(long, help_heading = INPUT, value_name = "FILE", requires = "mirror")]
    pub(crate) mirror_map: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) on: RigArgs,
    /// Overwrite an existing file.
    #[arg(short, long, help_heading = OUTPUT)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) reading: TakeArgs,
    /// Print JSON instead of text.
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = WALK)]
pub(crate) struct SynthArgs {
    /// The take to write; the true values go to OUT.truth.json.
    #[arg(short, long, value_name = "OUT", help_heading = OUTPUT)]
    pub(crate) output: PathBuf,
    /// Seed of all randomness; the same seed gives the same bytes.
    #[arg(long, default_value_t = 7)]
    pub(crate) seed: u64,
    /// Length of the take, seconds.
    #[arg(long, value_name = "S")]
    pub(crate) seconds: Option<f64>,
    /// Frames per second.
    #[arg(long, value_name = "R")]
    pub(crate) fps: Option<f64>,
    /// Length of one cycle (two steps), seconds.
    #[arg(long, value_name = "S")]
    pub(crate) period: Option<f64>,
    /// Forward speed, m/s; 0 steps in place.
    #[arg(long, value_name = "MPS")]
    pub(crate) speed: Option<f64>,
    /// Turn rate, deg/s, left positive.
    #[arg(long = "turn-rate", value_name = "DPS", allow_negative_numbers = true)]
    pub(crate) turn: Option<f64>,
    /// Rate of climb, m/s.
    #[arg(long, value_name = "MPS", allow_negative_numbers = true)]
    pub(crate) climb: Option<f64>,
    /// How much the stride grows over the take, as a share.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(crate) drift: Option<f64>,
    /// How far the body rises over the take, metres.
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub(crate) rise: Option<f64>,
    /// How much step rate and speed vary, as a share.
    #[arg(long, value_name = "SHARE")]
    pub(crate) variation: Option<f64>,
    /// Sensor noise, degrees.
    #[arg(long, value_name = "DEG")]
    pub(crate) noise: Option<f64>,
    /// How long the body stands before it walks, seconds.
    #[arg(long, value_name = "S")]
    pub(crate) lead_in: Option<f64>,
    /// Let a robot walk, whose MJCF goes to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) robot: Option<PathBuf>,
    /// Start with a T-pose, as many recordings do.
    #[arg(long)]
    pub(crate) t_pose: bool,
    /// Overwrite existing files.
    #[arg(short, long, help_heading = OUTPUT)]
    pub(crate) force: bool,
    /// Print JSON instead of text.
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Folder to write to; created where it is missing.
    #[arg(help_heading = OUTPUT, short, long, value_name = "FOLDER", default_value = "loopwright-demo")]
    pub(crate) output: PathBuf,
    /// Overwrite the files of an earlier run.
    #[arg(short, long, help_heading = OUTPUT)]
    pub(crate) force: bool,
    /// Print JSON instead of text.
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) json: bool,
}
