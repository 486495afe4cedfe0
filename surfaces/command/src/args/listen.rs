//! Flags of `listen`.

use std::path::PathBuf;

use clap::Args;

use crate::headings::{INPUT, OUTPUT};
use crate::recipe::{Sets, StudyArgs};

#[derive(Debug, Args)]
pub(crate) struct ListenArgs {
    /// UDP port of this machine to receive VMC at, such as 39539 [default: none, BVH comes by the standard input].
    #[arg(long, value_name = "PORT", help_heading = INPUT)]
    pub(crate) port: Option<u16>,
    /// Frames per second of what is received [default: those of the sender].
    #[arg(long, value_name = "R", help_heading = INPUT, requires = "port")]
    pub(crate) fps: Option<f64>,
    /// End after so many seconds of motion.
    #[arg(long, value_name = "S", help_heading = INPUT)]
    pub(crate) seconds: Option<f64>,
    /// End when no motion came for so many seconds [default: 10 behind the first pose with --port, else never].
    #[arg(long, value_name = "S", help_heading = INPUT)]
    pub(crate) timeout: Option<f64>,
    #[command(flatten)]
    pub(crate) take: StudyArgs,
    #[command(flatten)]
    pub(crate) sets: Sets,
    /// Read settings from this file (TOML); flags override it.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) recipe: Option<PathBuf>,
    /// The loop to write, which better ones replace while the motion goes on.
    #[arg(short, long, value_name = "OUT", help_heading = OUTPUT)]
    pub(crate) output: PathBuf,
    /// Keep what was heard in this file (BVH); `make` makes the last loop of it.
    #[arg(long, value_name = "TAKE", help_heading = OUTPUT)]
    pub(crate) record: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(short, long, help_heading = OUTPUT)]
    pub(crate) force: bool,
    /// Print all figures of the last loop.
    #[arg(short, long, help_heading = OUTPUT)]
    pub(crate) verbose: bool,
    /// Print JSON instead of text: a line for each loop, and a last one.
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) json: bool,
}
