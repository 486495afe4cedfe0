//! Flags of the commands that look for loops in takes, make them, and make many at once.

use std::{num::NonZeroUsize, path::PathBuf};

use loopwright_formats::Format;
use loopwright_job::{DEFAULT_TOP, Rows, SearchRequest};
use loopwright_moves::PassageKind;

use super::parse_format;
use crate::{
    batch::{Shard, Template},
    exit::Result,
    headings::{INPUT, MANY, OUTPUT, WHICH_LOOP},
    numbers::{parse_count, parse_cut, parse_rows},
    recipe::{ClosureRecipe, OutputRecipe, Recipe, Sets, StretchRecipe, StudyArgs},
};

#[arguments]
pub struct MakeArgs {
    /// Takes ({formats}): files, folders, or patterns such as 'takes/**/*.bvh'; - is the standard input.
    #[arg(help_heading = INPUT, required = true, value_name = "TAKE")]
    pub takes: Vec<PathBuf>,
    /// Loop every animation of the file into one copy of it.
    #[arg(long, help_heading = INPUT, conflicts_with_all = ["pick", "range", "plot", "save_recipe"])]
    pub all_animations: bool,
    #[args]
    pub left_out: ExcludeArgs,
    /// Write each loop into its own file.
    #[arg(long, requires = "all_animations")]
    pub split: bool,
    /// Loops to make, by their rows in `find`: 2, or 1,3, or all that `find --top 1000` lists [default: 1].
    #[argument("N", help_heading = WHICH_LOOP, value_parser = parse_rows, conflicts_with = "range")]
    pub pick: Option<Rows>,
    /// Make a loop of these frames, counted from 0, instead of searching.
    #[argument("START:END", help_heading = WHICH_LOOP, value_parser = parse_cut, conflicts_with_all = ["cycles", "seconds", "within", "speed", "turn_rate", "turning", "idle", "every_cycle"])]
    pub range: Option<(f64, f64)>,
    #[args]
    pub search: Option<SearchRequest>,
    #[args]
    pub settings: LoopArgs,
    #[args]
    pub target: TargetArgs,
    /// Put the take's start before the loop and its stop after it, or one of them, in one clip whose middle repeats.
    #[argument("start,stop", help_heading = OUTPUT, value_delimiter = ',', conflicts_with_all = ["all_animations", "plot"])]
    pub with: Vec<PassageKind>,
    /// Write nothing: read, search and close, and say what would be written.
    #[arg(long, help_heading = OUTPUT)]
    pub dry_run: bool,
    #[args]
    pub many: ManyArgs,
}

#[arguments]
pub struct CloseArgs {
    /// The take ({formats}).
    #[arg(help_heading = INPUT)]
    pub take: PathBuf,
    /// Frames of the loop, counted from 0, whole or fractional.
    #[argument("START:END", help_heading = WHICH_LOOP, value_parser = parse_cut, required_unless_present = "recipe")]
    pub range: Option<(f64, f64)>,
    /// Cycles that the frames hold [default: estimated].
    #[argument("N", help_heading = WHICH_LOOP, value_parser = clap::value_parser!(u32).range(1..))]
    pub cycles: Option<u32>,
    #[args]
    pub settings: LoopArgs,
    #[args]
    pub target: TargetArgs,
}

/// Where everything goes.
#[arguments(OUTPUT)]
pub struct TargetArgs {
    /// The loop to write, - for the standard output [default: TAKE-loop.EXT in the current folder; of several animations TAKE-loops.EXT]; of many takes, the
    /// folder for them.
    #[argument("OUT", short)]
    pub output: Option<PathBuf>,
    /// Format of the loop: {extensions} [default: by the name of the output, else the engine's or that of the take].
    #[argument("FORMAT", value_parser = parse_format)]
    pub to: Option<Format>,
    /// Read settings from this file (TOML); flags override it.
    #[argument("FILE", help_heading = INPUT)]
    pub recipe: Option<PathBuf>,
    /// Save all settings and the chosen frames into this file; --recipe makes the same loop again.
    #[argument("FILE")]
    pub save_recipe: Option<PathBuf>,
    /// Draw the seam before and after closing into this file: .svg or .png.
    #[argument("OUT")]
    pub plot: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(short, long)]
    pub force: bool,
    /// Print all figures.
    #[arg(short, long)]
    pub verbose: bool,
    /// Print JSON instead of text.
    pub json: bool,
}

/// The parts of a recipe that are flags.
#[arguments]
pub struct LoopArgs {
    #[args]
    mirror: MirrorArgs,
    #[args]
    closure: ClosureRecipe,
    #[args]
    output: OutputRecipe,
    #[args]
    take: StudyArgs,
    #[args]
    pub sets: Sets,
}

impl LoopArgs {
    /// The recipe of these flags for that stretch. Errors: settings that contradict each other.
    pub fn recipe(&self, range: Option<(f64, f64)>, cycles: Option<u32>) -> Result<Recipe> {
        Ok(self.sets.0.with(&Recipe {
            take: self.take.clone(),
            stretch: StretchRecipe {
                start: range.map(|(start, _)| start),
                end: range.map(|(_, end)| end),
                cycles,
                symmetric: self.mirror.symmetric.then_some(true),
                ping_pong: self.mirror.ping_pong.then_some(true),
                ..StretchRecipe::default()
            },
            closure: self.closure.clone(),
            output: self.output,
            ..Recipe::default()
        })?)
    }
}

/// Loops of which the take shows half.
#[arguments(WHICH_LOOP)]
#[derive(Default)]
pub struct MirrorArgs {
    /// Symmetric loops: half a cycle of the take, then its mirror image.
    pub symmetric: bool,
    /// Play the frames there and back, with soft turns: for what does not repeat, such as a tail or breathing.
    #[arg(long, conflicts_with = "symmetric")]
    pub ping_pong: bool,
}

#[arguments]
pub struct FindArgs {
    /// Takes ({formats}): files, folders or patterns.
    #[arg(help_heading = INPUT, required = true, value_name = "TAKE")]
    pub takes: Vec<PathBuf>,
    #[args]
    pub jobs: JobsArgs,
    /// Rows to list at most.
    #[argument("K", help_heading = WHICH_LOOP, default_value_t = DEFAULT_TOP, value_parser = parse_count)]
    pub top: usize,
    /// List where the take does the same as this take or loop, instead; repeatable, or a folder.
    #[argument(
        "FILE[:START:END]",
        help_heading = WHICH_LOOP,
        conflicts_with_all = [
            "cycles", "seconds", "speed", "turn_rate", "turning", "idle", "every_cycle", "symmetric", "ping_pong", "plot", "verbose",
        ]
    )]
    pub like: Vec<PathBuf>,
    #[args]
    pub search: SearchRequest,
    #[args]
    pub mirror: MirrorArgs,
    #[args]
    pub study: StudyArgs,
    #[args]
    pub sets: Sets,
    /// Draw the take and the loops into this file: .svg or .png.
    #[argument("OUT")]
    pub plot: Option<PathBuf>,
    /// Overwrite an existing plot.
    #[arg(short, long, requires = "plot")]
    pub force: bool,
    /// Print the figures behind the ranking, and segments without a loop.
    #[arg(short, long)]
    pub verbose: bool,
    /// Print JSON instead of text.
    pub json: bool,
}

#[arguments]
pub struct ListenArgs {
    /// UDP port of this machine to receive VMC at, such as 39539 [default: none, BVH comes by the standard input].
    #[argument("PORT", help_heading = INPUT)]
    pub port: Option<u16>,
    /// Frames per second of what is received [default: those of the sender].
    #[argument("R", help_heading = INPUT, requires = "port")]
    pub fps: Option<f64>,
    /// End after so many seconds of motion.
    #[argument("S", help_heading = INPUT)]
    pub seconds: Option<f64>,
    /// End when no motion came for so many seconds [default: 10 behind the first pose with --port, else never].
    #[argument("S", help_heading = INPUT)]
    pub timeout: Option<f64>,
    #[args]
    pub take: StudyArgs,
    #[args]
    pub sets: Sets,
    /// Read settings from this file (TOML); flags override it.
    #[argument("FILE", help_heading = INPUT)]
    pub recipe: Option<PathBuf>,
    /// The loop to write, which better ones replace while the motion goes on.
    #[argument("OUT", short)]
    pub output: PathBuf,
    /// Keep what was heard in this file (BVH); `make` makes the last loop of it.
    #[argument("TAKE", help_heading = OUTPUT)]
    pub record: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(short, long)]
    pub force: bool,
    /// Print all figures of the last loop.
    #[arg(short, long)]
    pub verbose: bool,
    /// Print JSON instead of text: a line for each loop, and a last one.
    pub json: bool,
}

/// How a run over many takes names, shares and remembers its work.
#[arguments(MANY)]
#[derive(Default)]
pub struct ManyArgs {
    /// Names of the loops, of {stem}, {animation}, {kind}, {speed} and {row}; an extension selects the format [default: {stem}-loop].
    #[argument("TEMPLATE", value_parser = Template::parse)]
    pub name: Option<Template>,
    /// Write a row for each loop into this file: .parquet, .csv or .jsonl.
    #[argument("OUT")]
    pub catalog: Option<PathBuf>,
    /// Continue an earlier run into the same folder; takes that are done, with the same settings, are skipped.
    pub resume: bool,
    /// Process only part I of N, as one of N machines.
    #[argument("I/N", value_parser = Shard::parse)]
    pub shard: Option<Shard>,
    #[args]
    pub jobs: JobsArgs,
}

impl ManyArgs {
    /// Whether one of these flags asks for a run over many takes, even if there is one.
    pub fn are_given(&self) -> bool {
        self.name.is_some() || self.catalog.is_some() || self.resume || self.shard.is_some()
    }
}

/// How many files are worked on at the same time.
#[arguments(MANY)]
#[derive(Copy, Default)]
pub struct JobsArgs {
    /// Files to process at the same time; does not affect results [default: one for each core].
    #[argument("N", short)]
    pub jobs: Option<NonZeroUsize>,
}

/// Animations of a file that are left out.
#[arguments(INPUT)]
#[derive(Default)]
pub struct ExcludeArgs {
    /// Leave out animations of this name, pattern or number; repeatable.
    #[argument("NAME")]
    pub exclude: Vec<String>,
}
