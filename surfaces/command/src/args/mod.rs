//! The command line as typed.

use std::{
    ffi::{OsStr, OsString},
    path::PathBuf,
    str::FromStr,
};

use clap::{ArgAction, ArgMatches, Args, ColorChoice, Parser, Subcommand, error::ErrorKind};
use clap_complete::Shell;
use loopwright_formats::Format;

mod fit;
mod help;
mod loops;
mod make;
mod matching;
mod meant;
mod set;
mod show;
mod take;

use crate::{
    headings::{INPUT, MEMORY, MESSAGES, OUTPUT},
    memory::MemorySize,
};
pub use fit::FitArgs;
pub use help::{full as full_command, short as short_command};
pub use loops::{BlendArgs, CheckArgs, CostArgs, JumpSettings, LoopsArgs, PlayArgs};
pub use make::{CloseArgs, ExcludeArgs, FindArgs, JobsArgs, ListenArgs, MakeArgs, ManyArgs, TargetArgs};
pub use matching::{
    GAITS, MatchArgs, MatchBuildArgs, MatchCommand, MatchExportArgs, MatchQueryArgs, MatchWalkArgs, RowSettings,
    StandingFoot, Wish, gaits_of, parse_tag,
};
pub use meant::explained;
pub use set::{CutArgs, SetArgs};
pub use show::{CatalogArgs, RenderArgs, ReportArgs, SortBy};
pub use take::{ConvertArgs, DemoArgs, EngineArgs, InspectArgs, ListArgs, RetargetArgs, RigArgs, SynthArgs};

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
    #[command(flatten)]
    pub shared: SharedArgs,
}

#[arguments]
pub struct SharedArgs {
    /// Print help; -h prints a summary.
    #[arg(short, long, global = true, hide = true, action = ArgAction::HelpShort)]
    help: Option<bool>,
    /// Memory that a file may take, such as 2G [default: 288M and 48 times its size, at most three quarters of the machine's].
    #[argument("SIZE", global = true, help_heading = MEMORY)]
    pub max_memory: Option<MemorySize>,
    /// Let recipes, catalogs and databases name files in this folder, too; repeatable.
    #[argument("FOLDER", global = true, help_heading = MEMORY)]
    pub allow_paths: Vec<PathBuf>,
    /// Suppress warnings and notes.
    #[arg(short, long, global = true, help_heading = MESSAGES)]
    pub quiet: bool,
    /// When messages are coloured.
    #[argument("WHEN", global = true, help_heading = MESSAGES, default_value = "auto")]
    pub color: ColorChoice,
    /// Print the version.
    #[arg(short = 'V', long, hide = true, action = ArgAction::Version)]
    version: Option<bool>,
}

/// Declares the commands, what runs each, and how to build it without the others.
macro_rules! commands {
    ($($(#[$meta:meta])* $word:literal $name:ident($args:ty) => $module:ident::$run:ident,)+) => {
        #[derive(Debug, Subcommand)]
        pub enum Command {
            $($(#[$meta])* #[command(name = $word)] $name($args),)+
        }

        impl Command {
            /// Builds the command of this name without its help; `None` if there is none.
            fn alone(name: &OsStr) -> Option<clap::Command> {
                $(if name == $word {
                    return Some(<$args as Args>::augment_args(clap::Command::new($word)));
                })+
                None
            }

            /// Runs the command, once the run is set up.
            pub fn perform(&self) -> crate::exit::Result<crate::exit::Ending> {
                match self {
                    $(Self::$name(args) => crate::commands::$module::$run(args),)+
                }
            }
        }
    };
}

commands! {
    /// Reports what a take holds: skeleton, rate, unit, bad frames, rhythm and segments.
    "inspect" Inspect(Box<InspectArgs>) => inspect::run,
    /// Lists the animations of files: length, kind, speed, and whether they loop.
    "list" List(ListArgs) => list::run,
    /// Lists the stretches of a take that loop, the recommended one first.
    "find" Find(Box<FindArgs>) => find::run,
    /// Makes a loop from a take and measures it; the figures go into a sidecar.
    "make" Make(Box<MakeArgs>) => make::run,
    /// Makes a loop from the frames that you choose.
    "close" Close(Box<CloseArgs>) => make::close,
    /// Makes loops of motion as it comes, by standard input or VMC.
    "listen" Listen(Box<ListenArgs>) => listen::run,
    /// Blends loops into one, by weights or to a given speed and turn rate.
    "blend" Blend(BlendArgs) => blend::run,
    /// Makes a set of loops for one character, in phase, with a manifest for players.
    "set" Set(Box<SetArgs>) => spec::run,
    /// Plays loops one after another, in a random order drawn from a seed.
    "play" Play(PlayArgs) => play::run,
    /// Cuts starts, stops, turns and jumps out of a take, which begin and end in its loops.
    "cut" Cut(Box<CutArgs>) => cut::run,
    /// Finds the least visible jump from one motion into another.
    "cost" Cost(CostArgs) => cost::run,
    /// Searches many takes for the frame nearest to a wanted motion (motion matching).
    "match" Match(MatchArgs) => matching::run,
    /// Checks whether loops pop at the seam.
    "check" Check(CheckArgs) => check::run,
    /// Queries catalogs of loops by kind, speed, foot sliding and more.
    "catalog" Catalog(CatalogArgs) => catalog::run,
    /// Writes a page about loops: a table, moving pictures, figures and a player.
    "report" Report(ReportArgs) => report::run,
    /// Measures top speeds and half-lives for character controllers.
    "fit" Fit(FitArgs) => fit::run,
    /// Draws a take, a loop or a seam, as an animation or a contact sheet.
    "render" Render(RenderArgs) => render::run,
    /// Converts a take into another format, or mirrors it.
    "convert" Convert(ConvertArgs) => convert::run,
    /// Retargets a take or a loop to your own character.
    "retarget" Retarget(RetargetArgs) => retarget::run,
    /// Writes a synthetic take of a walker, and its true period, speed and contacts.
    "synth" Synth(SynthArgs) => synth::run,
    /// Makes a loop from a built-in take: writes the take, the loop, its sidecar and a plot.
    "demo" Demo(DemoArgs) => demo::run,
    /// Opens the window that shows takes, and finds, closes and edits loops.
    "studio" Studio(StudioArgs) => studio::run,
    /// Serves inspect, find, make, check and set to agents, by the Model Context Protocol.
    "mcp" Mcp(NoArgs) => mcp::run,
    /// Prints a script that completes commands and flags in a shell.
    "completions" Completions(CompletionsArgs) => definitions::completions,
    /// Writes the manual pages.
    "man" Man(ManArgs) => definitions::man,
    /// Prints a recipe with every setting: its meaning, unit and default.
    "recipe" Recipe(RecipeArgs) => definitions::recipe,
    /// Prints a JSON schema of recipes and of loopwright.toml, for editors.
    "schema" Schema(NoArgs) => definitions::schema,
    /// Prints the licences of all that the program is built from.
    #[command(alias = "licenses")]
    "licences" Licences(NoArgs) => licences::run,
}

/// Parses typed arguments; also returns the command line that parsed them. Errors: they do not parse, or ask for help or the version.
///
/// Building all commands with their help takes longer than reading a take. So it is done only when the named command alone cannot parse the
/// arguments.
pub fn parsed(typed: &[OsString]) -> Result<(clap::Command, ArgMatches), clap::Error> {
    let mut program = SharedArgs::augment_args(clap::Command::new("loopwright"))
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_flag(true)
        .disable_version_flag(true)
        .subcommand_required(true)
        .subcommands(typed.iter().skip(1).find_map(|word| Command::alone(word)));
    let found = match program.try_get_matches_from_mut(typed) {
        Err(error) if error.kind() != ErrorKind::DisplayVersion => {
            program = help::command(typed);
            program.try_get_matches_from_mut(typed)
        }
        found => found,
    };
    Ok((program, found?))
}

/// Returns the format with this extension.
fn parse_format(text: &str) -> Result<Format, String> {
    Format::from_extension(text.trim_start_matches('.'))
        .ok_or_else(|| format!("must be {}", Format::extensions(&Format::ALL, "")))
}

/// Parses one word of a list.
fn parse_word<T: FromStr>(text: &str) -> Result<T, T::Err> {
    text.trim().parse()
}

/// Of a command without flags of its own.
#[arguments]
pub struct NoArgs {}

#[arguments]
pub struct StudioArgs {
    /// Takes ({formats}), folders of them, or a recipe, to open at once.
    #[arg(help_heading = INPUT, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

#[arguments]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(help_heading = OUTPUT)]
    pub shell: Shell,
}

#[arguments]
pub struct RecipeArgs {
    /// A table such as closure, or a key such as closure.share, to print alone.
    #[arg(value_name = "KEY", help_heading = OUTPUT)]
    pub key: Option<String>,
}

#[arguments]
pub struct ManArgs {
    /// The folder for the pages, one of each command; created where it is missing.
    #[argument("FOLDER", short)]
    pub output: PathBuf,
    /// Overwrite existing pages.
    #[arg(short, long)]
    pub force: bool,
}
