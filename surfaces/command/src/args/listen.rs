//! Flags of `listen`.

use std::path::PathBuf;

use clap::Args;

use crate::{
    headings::{INPUT, OUTPUT},
    recipe::{Sets, StudyArgs},
};

#[derive(Debug, Args)]
pub struct ListenArgs {
    /// UDP port of this machine to receive VMC at, such as 39539 [default: none, BVH comes by the standard input].
    #[arg(long, value_name = "PORT", help_heading = INPUT)]
    pub port: Option<u16>,
    /// Frames per second of what is received [default: those of the sender].
    #[arg(long, value_name = "R", help_heading = INPUT, requires = "port")]
    pub fps: Option<f64>,
    /// End after so many seconds of motion.
    #[arg(long, value_name = "S", help_heading = INPUT)]
    pub seconds: Option<f64>,
    /// End when no motion came for so many seconds [default: 10 behind the first pose with --port, else never].
    #[arg(long, value_name = "S", help_heading = INPUT)]
    pub timeout: Option<f64>,
    #[command(flatten)]
    pub take: StudyArgs,
    #[command(flatten)]
    pub sets: Sets,
    /// Read settings from this file (TOML); flags override it.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub recipe: Option<PathBuf>,
    /// The loop to write, which better ones replace while the motion goes on.
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Keep what was heard in this file (BVH); `make` makes the last loop of it.
    #[arg(long, value_name = "TAKE", help_heading = OUTPUT)]
    pub record: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(short, long)]
    pub force: bool,
    /// Print all figures of the last loop.
    #[arg(short, long)]
    pub verbose: bool,
    /// Print JSON instead of text: a line for each loop, and a last one.
    #[arg(long)]
    pub json: bool,
}
