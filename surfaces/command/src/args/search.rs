//! Which loops to look for.

use std::path::PathBuf;

use clap::Args;
use loopwright_job::{DEFAULT_TOP, SearchRequest};

use super::JobsArgs;
use crate::{
    headings::{INPUT, WHICH_LOOP},
    numbers::parse_count,
    recipe::{Sets, StudyArgs},
};

/// Loops of which the take shows half.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = WHICH_LOOP)]
pub struct MirrorArgs {
    /// Symmetric loops: half a cycle of the take, then its mirror image.
    #[arg(long)]
    pub symmetric: bool,
    /// Play the frames there and back, with soft turns: for what does not repeat, such as a tail or breathing.
    #[arg(long, conflicts_with = "symmetric")]
    pub ping_pong: bool,
}

#[derive(Debug, Clone, Args)]
pub struct FindArgs {
    /// Takes ({formats}): files, folders or patterns.
    #[arg(help_heading = INPUT, required = true, value_name = "TAKE")]
    pub takes: Vec<PathBuf>,
    #[command(flatten)]
    pub jobs: JobsArgs,
    /// Rows to list at most.
    #[arg(long, value_name = "K", help_heading = WHICH_LOOP, default_value_t = DEFAULT_TOP, value_parser = parse_count)]
    pub top: usize,
    /// List where the take does the same as this take or loop, instead; repeatable, or a folder.
    #[arg(
        long,
        value_name = "FILE[:START:END]",
        help_heading = WHICH_LOOP,
        conflicts_with_all = [
            "cycles", "seconds", "speed", "turn_rate", "turning", "idle", "every_cycle", "symmetric", "ping_pong", "plot", "verbose",
        ]
    )]
    pub like: Vec<PathBuf>,
    #[command(flatten)]
    pub search: SearchRequest,
    #[command(flatten)]
    pub mirror: MirrorArgs,
    #[command(flatten)]
    pub study: StudyArgs,
    #[command(flatten)]
    pub sets: Sets,
    /// Draw the take and the loops into this file: .svg or .png.
    #[arg(long, value_name = "OUT")]
    pub plot: Option<PathBuf>,
    /// Overwrite an existing plot.
    #[arg(short, long, requires = "plot")]
    pub force: bool,
    /// Print the figures behind the ranking, and segments without a loop.
    #[arg(short, long)]
    pub verbose: bool,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}
