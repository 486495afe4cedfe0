//! The command line as typed.

use std::{path::PathBuf, str::FromStr};

use clap::{ArgAction, Args, ColorChoice, Parser, Subcommand};
use clap_complete::Shell;

mod catalog;
mod cut;
mod engine;
mod fit;
mod format;
mod help;
mod listen;
mod loops;
mod make;
mod many;
mod matching;
mod meant;
mod render;
mod report;
mod retarget;
mod search;
mod set;
mod take;

use crate::headings::{INPUT, MEMORY, MESSAGES, OUTPUT};
use crate::memory::MemorySize;
pub use catalog::{CatalogArgs, SortBy};
pub use cut::CutArgs;
pub use engine::EngineArgs;
pub use fit::FitArgs;
pub use help::{command, full as full_command, short as short_command};
pub use listen::ListenArgs;
pub use loops::JumpSettings;
pub use loops::{BlendArgs, CheckArgs, CostArgs, LoopsArgs, PlayArgs};
pub use make::{CloseArgs, MakeArgs, TargetArgs};
pub use many::{ExcludeArgs, JobsArgs, ManyArgs};
pub use matching::{GAITS, RowSettings, StandingFoot, Wish};
pub use matching::{
    MatchArgs, MatchBuildArgs, MatchCommand, MatchExportArgs, MatchQueryArgs, MatchWalkArgs, gaits_of, parse_tag,
};
pub use meant::explained;
pub use render::RenderArgs;
pub use report::ReportArgs;
pub use retarget::{RetargetArgs, RigArgs};
pub use search::{FindArgs, MirrorArgs};
pub use set::SetArgs;

pub use take::{ConvertArgs, DemoArgs, InspectArgs, ListArgs, SynthArgs};

/// Turns motion-capture takes into seamless loops.
#[derive(Debug, Parser)]
#[command(
    name = "loopwright",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    disable_help_flag = true,
    disable_version_flag = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// Print help; -h prints a summary.
    #[arg(short, long, global = true, hide = true, action = ArgAction::HelpShort)]
    help: Option<bool>,
    /// Memory that a file may take, such as 2G [default: 288M and 48 times its size, at most three quarters of the machine's].
    #[arg(long, global = true, help_heading = MEMORY, value_name = "SIZE")]
    pub max_memory: Option<MemorySize>,
    /// Let recipes, catalogs and databases name files in this folder, too; repeatable.
    #[arg(long, global = true, help_heading = MEMORY, value_name = "FOLDER")]
    pub allow_paths: Vec<PathBuf>,
    /// Suppress warnings and notes.
    #[arg(short, long, global = true, help_heading = MESSAGES)]
    pub quiet: bool,
    /// When messages are coloured.
    #[arg(long, global = true, help_heading = MESSAGES, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
    /// Print the version.
    #[arg(short = 'V', long, hide = true, action = ArgAction::Version)]
    version: Option<bool>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Reports what a take holds: skeleton, rate, unit, bad frames, rhythm and segments.
    Inspect(Box<InspectArgs>),
    /// Lists the animations of files: length, kind, speed, and whether they loop.
    List(ListArgs),
    /// Lists the stretches of a take that loop, the recommended one first.
    Find(Box<FindArgs>),
    /// Makes a loop from a take and measures it; the figures go into a sidecar.
    Make(Box<MakeArgs>),
    /// Makes a loop from the frames that you choose.
    Close(Box<CloseArgs>),
    /// Makes loops of motion as it comes, by standard input or VMC.
    Listen(Box<ListenArgs>),
    /// Blends loops into one, by weights or to a given speed and turn rate.
    Blend(BlendArgs),
    /// Makes a set of loops for one character, in phase, with a manifest for players.
    Set(Box<SetArgs>),
    /// Plays loops one after another, in a random order drawn from a seed.
    Play(PlayArgs),
    /// Cuts starts, stops, turns and jumps out of a take, which begin and end in its loops.
    Cut(Box<CutArgs>),
    /// Finds the least visible jump from one motion into another.
    Cost(CostArgs),
    /// Searches many takes for the frame nearest to a wanted motion (motion matching).
    Match(MatchArgs),
    /// Checks whether loops pop at the seam.
    Check(CheckArgs),
    /// Queries catalogs of loops by kind, speed, foot sliding and more.
    Catalog(CatalogArgs),
    /// Writes a page about loops: a table, moving pictures, figures and a player.
    Report(ReportArgs),
    /// Measures top speeds and half-lives for character controllers.
    Fit(FitArgs),
    /// Draws a take, a loop or a seam, as an animation or a contact sheet.
    Render(RenderArgs),
    /// Converts a take into another format, or mirrors it.
    Convert(ConvertArgs),
    /// Retargets a take or a loop to your own character.
    Retarget(RetargetArgs),
    /// Writes a synthetic take of a walker, and its true period, speed and contacts.
    Synth(SynthArgs),
    /// Makes a loop from a built-in take: writes the take, the loop, its sidecar and a plot.
    Demo(DemoArgs),
    /// Opens the window that shows takes, and finds, closes and edits loops.
    Studio(StudioArgs),
    /// Serves inspect, find, make, check and set to agents, by the Model Context Protocol.
    Mcp,
    /// Prints a script that completes commands and flags in a shell.
    Completions(CompletionsArgs),
    /// Writes the manual pages.
    Man(ManArgs),
    /// Prints a recipe with every setting: its meaning, unit and default.
    Recipe(RecipeArgs),
    /// Prints a JSON schema of recipes and of loopwright.toml, for editors.
    Schema,
    /// Prints the licences of all that the program is built from.
    #[command(alias = "licenses")]
    Licences,
}

/// One word of a list.
fn parse_word<T: FromStr>(text: &str) -> Result<T, T::Err> {
    text.trim().parse()
}

#[derive(Debug, Args)]
pub struct StudioArgs {
    /// Takes ({formats}), folders of them, or a recipe, to open at once.
    #[arg(help_heading = INPUT, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(help_heading = OUTPUT)]
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct RecipeArgs {
    /// A table such as closure, or a key such as closure.share, to print alone.
    #[arg(value_name = "KEY", help_heading = OUTPUT)]
    pub key: Option<String>,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// The folder for the pages, one of each command; created where it is missing.
    #[arg(short, long, value_name = "FOLDER", help_heading = OUTPUT)]
    pub output: PathBuf,
    /// Overwrite existing pages.
    #[arg(short, long, help_heading = OUTPUT)]
    pub force: bool,
}
