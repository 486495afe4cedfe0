//! Flags of the commands that make loops from takes.

use std::path::PathBuf;

use clap::Args;
use loopwright_formats::Format;
use loopwright_job::{Rows, SearchRequest};
use loopwright_moves::PassageKind;

use super::{ExcludeArgs, ManyArgs, MirrorArgs, format::parse_format};
use crate::{
    exit::Result,
    headings::{INPUT, OUTPUT, WHICH_LOOP},
    numbers::{parse_cut, parse_rows},
    recipe::{ClosureRecipe, OutputRecipe, Recipe, Sets, StretchRecipe, StudyArgs},
};

#[derive(Debug, Args)]
pub struct MakeArgs {
    /// Takes ({formats}): files, folders, or patterns such as 'takes/**/*.bvh'; - is the standard input.
    #[arg(help_heading = INPUT, required = true, value_name = "TAKE")]
    pub takes: Vec<PathBuf>,
    /// Loop every animation of the file into one copy of it.
    #[arg(long, help_heading = INPUT, conflicts_with_all = ["pick", "range", "plot", "save_recipe"])]
    pub all_animations: bool,
    #[command(flatten)]
    pub left_out: ExcludeArgs,
    /// Write each loop into its own file.
    #[arg(long, requires = "all_animations")]
    pub split: bool,
    /// Loops to make, by their rows in `find`: 2, or 1,3, or all that `find --top 1000` lists [default: 1].
    #[arg(long, value_name = "N", help_heading = WHICH_LOOP, value_parser = parse_rows, conflicts_with = "range")]
    pub pick: Option<Rows>,
    /// Make a loop of these frames, counted from 0, instead of searching.
    #[arg(long, value_name = "START:END", help_heading = WHICH_LOOP, value_parser = parse_cut, conflicts_with_all = ["cycles", "seconds", "within", "speed", "turn_rate", "turning", "idle", "every_cycle"])]
    pub range: Option<(f64, f64)>,
    #[command(flatten)]
    pub search: Option<SearchRequest>,
    #[command(flatten)]
    pub settings: LoopArgs,
    #[command(flatten)]
    pub target: TargetArgs,
    /// Put the take's start before the loop and its stop after it, or one of them, in one clip whose middle repeats.
    #[arg(long, value_name = "start,stop", help_heading = OUTPUT, value_delimiter = ',', conflicts_with_all = ["all_animations", "plot"])]
    pub with: Vec<PassageKind>,
    /// Write nothing: read, search and close, and say what would be written.
    #[arg(long, help_heading = OUTPUT)]
    pub dry_run: bool,
    #[command(flatten)]
    pub many: ManyArgs,
}

#[derive(Debug, Args)]
pub struct CloseArgs {
    /// The take ({formats}).
    #[arg(help_heading = INPUT)]
    pub take: PathBuf,
    /// Frames of the loop, counted from 0, whole or fractional.
    #[arg(long, value_name = "START:END", help_heading = WHICH_LOOP, value_parser = parse_cut, required_unless_present = "recipe")]
    pub range: Option<(f64, f64)>,
    /// Cycles that the frames hold [default: estimated].
    #[arg(long, value_name = "N", help_heading = WHICH_LOOP, value_parser = clap::value_parser!(u32).range(1..))]
    pub cycles: Option<u32>,
    #[command(flatten)]
    pub settings: LoopArgs,
    #[command(flatten)]
    pub target: TargetArgs,
}

/// Where everything goes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = OUTPUT)]
pub struct TargetArgs {
    /// The loop to write, - for the standard output [default: TAKE-loop.EXT in the current folder; of several animations TAKE-loops.EXT]; of many takes, the
    /// folder for them.
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Format of the loop: {extensions} [default: by the name of the output, else the engine's or that of the take].
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    pub to: Option<Format>,
    /// Read settings from this file (TOML); flags override it.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub recipe: Option<PathBuf>,
    /// Save all settings and the chosen frames into this file; --recipe makes the same loop again.
    #[arg(long, value_name = "FILE")]
    pub save_recipe: Option<PathBuf>,
    /// Draw the seam before and after closing into this file: .svg or .png.
    #[arg(long, value_name = "OUT")]
    pub plot: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(short, long)]
    pub force: bool,
    /// Print all figures.
    #[arg(short, long)]
    pub verbose: bool,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}

/// The parts of a recipe that are flags.
#[derive(Debug, Args)]
pub struct LoopArgs {
    #[command(flatten)]
    mirror: MirrorArgs,
    #[command(flatten)]
    closure: ClosureRecipe,
    #[command(flatten)]
    output: OutputRecipe,
    #[command(flatten)]
    take: StudyArgs,
    #[command(flatten)]
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
