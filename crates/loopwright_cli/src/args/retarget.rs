//! Flags of `retarget`, and those by which other commands put motion onto a character.

use std::path::PathBuf;

use clap::Args;

use super::EngineArgs;
use crate::{
    headings::{INPUT, OUTPUT},
    recipe::TakeArgs,
};

/// A character that takes the motion.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RigArgs {
    /// The character that takes the motion (BVH, FBX, GLB or glTF).
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) rig: Option<PathBuf>,
    /// Which of its joints follow which, in TOML [default: found].
    #[arg(long, value_name = "FILE", help_heading = INPUT, requires = "rig")]
    pub(crate) map: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RetargetArgs {
    /// The take or the loop (BVH, FBX, GLB or glTF).
    #[arg(help_heading = INPUT)]
    pub(crate) input: PathBuf,
    /// The character (BVH, FBX, GLB or glTF), with or without animations.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) rig: PathBuf,
    /// Which joints follow which, in TOML; joints that it does not name are found.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) map: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: TakeArgs,
    /// The file to write; its extension selects the format.
    #[arg(short, long, value_name = "OUT", help_heading = OUTPUT)]
    pub(crate) output: PathBuf,
    /// Write which joints follow which into this file, to edit it.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) save_map: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    /// Overwrite existing files.
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) force: bool,
    /// Print JSON instead of text.
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) json: bool,
}
