//! Flags of the commands that make loops from takes.

use std::path::PathBuf;

use clap::Args;

use super::{MirrorArgs, SearchArgs};
use crate::{
    exit::Failure,
    mirroring,
    numbers::{parse_count, parse_cut},
    recipe::{ClosureRecipe, JointRecipe, OutputRecipe, Recipe, StretchRecipe, StudyArgs},
};

#[derive(Debug, Args)]
pub(crate) struct MakeArgs {
    /// The take (BVH, FBX, GLB or glTF).
    pub(crate) take: PathBuf,
    /// Which loop of `find`'s list to make, counted from 1.
    #[arg(long, value_name = "N", value_parser = parse_count, conflicts_with = "range")]
    pub(crate) pick: Option<usize>,
    /// Close these source frames, counted from 0, instead of searching.
    #[arg(long, value_name = "START:END", value_parser = parse_cut, conflicts_with_all = ["cycles", "min_seconds", "max_seconds", "within", "speed", "turn_rate", "climb", "straight", "turning", "idle", "per_segment"])]
    pub(crate) range: Option<(f64, f64)>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) search: Option<SearchArgs>,
    #[command(flatten)]
    pub(crate) settings: LoopArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CloseArgs {
    /// The take (BVH, FBX, GLB or glTF).
    pub(crate) take: PathBuf,
    /// Source frames to close, counted from 0, fractional or whole: the pose at END meets the one at START.
    #[arg(long, value_name = "START:END", value_parser = parse_cut, required_unless_present = "recipe")]
    pub(crate) range: Option<(f64, f64)>,
    /// Cycles that the frames hold; as many as the rhythm says unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) cycles: Option<u32>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) settings: LoopArgs,
}

/// Where everything goes.
#[derive(Debug, Clone, Args)]
pub(crate) struct TargetArgs {
    /// The loop to write; `<stem>-loop.<extension>` in the current folder unless given, with the take's extension or one that
    /// the client of --for reads.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Settings from this file (TOML); flags count more.
    #[arg(long, value_name = "FILE")]
    pub(crate) recipe: Option<PathBuf>,
    /// Write what was done into this file, frames and all: it makes the same loop again.
    #[arg(long, value_name = "FILE")]
    pub(crate) save_recipe: Option<PathBuf>,
    /// Draw a plot of what closing did into this file: .svg or .png.
    #[arg(long, value_name = "OUT")]
    pub(crate) plot: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The parts of a recipe that are flags.
#[derive(Debug, Args)]
pub(crate) struct LoopArgs {
    #[command(flatten)]
    output: OutputRecipe,
    #[command(flatten)]
    mirror: MirrorArgs,
    #[command(flatten)]
    take: StudyArgs,
    #[command(flatten)]
    closure: ClosureRecipe,
    /// Close joints of that name in another way, or leave them open: 'Hand*:spring:0.1', 'Prop:open'; may be repeated.
    #[arg(
        long = "joint",
        value_name = "PATTERN:METHOD[:SECONDS]",
        help_heading = "Closing the seam"
    )]
    joints: Vec<JointRecipe>,
}

impl LoopArgs {
    /// The recipe of these flags for that stretch. Errors: the file of mirrored joints cannot be read.
    pub(crate) fn recipe(mut self, range: Option<(f64, f64)>, cycles: Option<u32>) -> Result<Recipe, Failure> {
        self.take.mirror = mirroring::pairs_of(self.mirror.mirror_map.as_deref())?;
        Ok(Recipe {
            take: self.take,
            stretch: StretchRecipe {
                start: range.map(|(start, _)| start),
                end: range.map(|(_, end)| end),
                cycles,
                symmetric: self.mirror.symmetric.then_some(true),
            },
            closure: self.closure,
            joints: self.joints,
            output: self.output,
        })
    }
}
