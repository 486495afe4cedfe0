//! Flags of the commands that read, write and show takes, of `retarget`, and those by which other commands write for characters and engines.

use std::path::PathBuf;

use loopwright_formats::{Format, Target};

use super::{JobsArgs, parse_format};
use crate::{
    files::InputFile,
    headings::{ENGINE, FEET, INPUT, OUTPUT, WALK},
    recipe::{Recenter, Sets, StudyArgs, TakeArgs, parse_bone_stretch},
    words::choice,
};

#[arguments]
pub struct InspectArgs {
    /// Takes ({formats}): files, folders or patterns.
    #[arg(help_heading = INPUT, required = true, value_name = "TAKE")]
    pub takes: Vec<PathBuf>,
    #[args]
    pub jobs: JobsArgs,
    /// Show when each foot is on the ground, as bars over time.
    #[arg(long, help_heading = FEET)]
    pub contacts: bool,
    #[args]
    pub study: StudyArgs,
    #[args]
    pub sets: Sets,
    /// Draw the take into this file: .svg or .png.
    #[argument("OUT")]
    pub plot: Option<PathBuf>,
    /// Overwrite an existing plot.
    #[arg(short, long, requires = "plot")]
    pub force: bool,
    /// Print JSON instead of text.
    pub json: bool,
}

#[arguments]
pub struct ListArgs {
    /// Files of animations ({formats}), folders or patterns.
    #[arg(help_heading = INPUT, required = true, value_name = "FILE")]
    pub takes: Vec<PathBuf>,
    #[args]
    pub reading: TakeArgs,
    /// Print JSON instead of text.
    pub json: bool,
}

#[arguments]
#[command(override_usage = "loopwright convert [OPTIONS] <INPUT>... <OUTPUT>")]
pub struct ConvertArgs {
    /// Takes or loops to read ({formats}), files, folders or patterns; the last name is the file to write, whose extension selects the format
    /// ({.extensions}), or of several inputs the folder for them.
    // One list, since flags may stand between the names.
    #[arg(help_heading = INPUT, required = true, value_names = ["INPUT", "OUTPUT"], num_args = 1..)]
    pub names: Vec<PathBuf>,
    /// All names but the last.
    #[arg(skip)]
    pub inputs: Vec<PathBuf>,
    /// The one that is worked on.
    #[arg(skip)]
    pub input: InputFile,
    /// The last name.
    #[arg(skip)]
    pub output: PathBuf,
    /// Write every animation, or those of --animation, into a file of its own in that folder.
    pub split: bool,
    /// The number of the one that is worked on, where several are.
    #[arg(skip)]
    pub number: Option<usize>,
    /// Format of several outputs: {extensions} [default: the engine's, or that of each input].
    #[argument("FORMAT", value_parser = parse_format)]
    pub to: Option<Format>,
    #[args]
    pub jobs: JobsArgs,
    #[args]
    pub engine: EngineArgs,
    /// Exchange left and right; the sidecar of a loop is mirrored with it.
    #[arg(long, help_heading = OUTPUT)]
    pub mirror: bool,
    /// Pairs of joints, LeftArm = RightArm a line [default: by name].
    #[argument("FILE", help_heading = INPUT, requires = "mirror")]
    pub mirror_map: Option<PathBuf>,
    #[args]
    pub on: RigArgs,
    /// Overwrite an existing file.
    #[arg(short, long)]
    pub force: bool,
    #[args]
    pub reading: TakeArgs,
    /// Print JSON instead of text.
    pub json: bool,
}

#[arguments(WALK)]
pub struct SynthArgs {
    /// The take to write; the true values go to OUT.truth.json.
    #[argument("OUT", short)]
    pub output: PathBuf,
    /// Seed of all randomness; the same seed gives the same bytes.
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
    /// Length of the take, seconds.
    #[argument("S")]
    pub seconds: Option<f64>,
    /// Frames per second.
    #[argument("R")]
    pub fps: Option<f64>,
    /// Length of one cycle (two steps), seconds.
    #[argument("S")]
    pub period: Option<f64>,
    /// Forward speed, m/s; 0 steps in place.
    #[argument("MPS")]
    pub speed: Option<f64>,
    /// Turn rate, deg/s, left positive.
    #[arg(long = "turn-rate", value_name = "DPS", allow_negative_numbers = true)]
    pub turn: Option<f64>,
    /// Rate of climb, m/s.
    #[argument("MPS", allow_negative_numbers = true)]
    pub climb: Option<f64>,
    /// How much the stride grows over the take, as a share.
    #[argument("SHARE", allow_negative_numbers = true)]
    pub drift: Option<f64>,
    /// How far the body rises over the take, metres.
    #[argument("M", allow_negative_numbers = true)]
    pub rise: Option<f64>,
    /// How much step rate and speed vary, as a share.
    #[argument("SHARE")]
    pub variation: Option<f64>,
    /// Sensor noise, degrees.
    #[argument("DEG")]
    pub noise: Option<f64>,
    /// How long the body stands before it walks, seconds.
    #[argument("S")]
    pub lead_in: Option<f64>,
    /// Let a robot walk, at 30 frames per second unless --fps says otherwise; its MJCF goes to this file.
    #[argument("FILE")]
    pub robot: Option<PathBuf>,
    /// Start with a T-pose, as many recordings do.
    pub t_pose: bool,
    /// Overwrite existing files.
    #[arg(short, long)]
    pub force: bool,
    /// Print JSON instead of text.
    pub json: bool,
}

#[arguments]
pub struct DemoArgs {
    /// Folder to write to; created where it is missing.
    #[argument("FOLDER", short, default_value = "loopwright-demo")]
    pub output: PathBuf,
    /// Overwrite the files of an earlier run.
    #[arg(short, long)]
    pub force: bool,
    /// Print JSON instead of text.
    pub json: bool,
}

/// A character that takes the motion.
#[arguments]
#[derive(Default)]
pub struct RigArgs {
    /// The character to put the motion on ({formats}).
    #[argument("FILE", help_heading = INPUT)]
    pub rig: Option<PathBuf>,
    /// Joint map, in TOML [default: matched by names and shape].
    #[argument("FILE", help_heading = INPUT, requires = "rig")]
    pub map: Option<PathBuf>,
    /// Largest leg stretch so that feet reach the ground, percent, up to 1 [default: 0].
    #[argument("PERCENT", help_heading = INPUT, requires = "rig", value_parser = parse_bone_stretch, allow_negative_numbers = true)]
    pub bone_stretch: Option<f64>,
}

#[arguments]
pub struct RetargetArgs {
    /// Takes or loops ({formats}): files, folders or patterns.
    #[arg(help_heading = INPUT, required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    #[args]
    pub jobs: JobsArgs,
    /// The character ({formats}).
    #[argument("FILE", help_heading = INPUT)]
    pub rig: PathBuf,
    /// Joint map, in TOML; joints that it does not name are matched.
    #[argument("FILE", help_heading = INPUT)]
    pub map: Option<PathBuf>,
    /// Largest leg stretch so that feet reach the ground, percent, up to 1 [default: 0].
    #[argument("PERCENT", help_heading = INPUT, value_parser = parse_bone_stretch, allow_negative_numbers = true)]
    pub bone_stretch: Option<f64>,
    #[args]
    pub reading: TakeArgs,
    /// The file to write; its extension selects the format; or a folder for many.
    #[argument("OUT", short)]
    pub output: PathBuf,
    /// Write all motions as animations into one copy of the character's file.
    #[arg(long, help_heading = OUTPUT, conflicts_with_all = ["to", "save_map"])]
    pub into_one: bool,
    /// Format of several outputs: {extensions} [default: the engine's, or that of the character].
    #[argument("FORMAT", value_parser = parse_format)]
    pub to: Option<Format>,
    /// Write the joint map into this file, to edit it.
    #[argument("FILE", help_heading = OUTPUT)]
    pub save_map: Option<PathBuf>,
    #[args]
    pub engine: EngineArgs,
    /// Overwrite existing files.
    #[arg(short, long)]
    pub force: bool,
    /// Print JSON instead of text.
    pub json: bool,
}

#[arguments]
#[derive(Copy)]
pub struct EngineArgs {
    /// Whether the motion starts at the origin and faces forward [default: on with --for, else off].
    #[argument("WHEN", help_heading = OUTPUT, value_parser = choice::<Recenter>(), ignore_case = true)]
    pub recenter: Option<Recenter>,
    /// Write for an engine.
    #[arg(long = "for", value_name = "ENGINE", help_heading = ENGINE, value_parser = choice::<Target>(), ignore_case = true)]
    pub target: Option<Target>,
}

impl EngineArgs {
    /// The engine that the file is written for.
    pub fn engine(&self) -> Target {
        self.target.unwrap_or(Target::Generic)
    }

    /// Whether the motion is brought to the origin.
    pub fn recenters(&self) -> bool {
        Recenter::or_for(self.recenter, self.engine())
    }
}
