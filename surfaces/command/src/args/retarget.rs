//! Flags of `retarget`, and those by which other commands put motion onto a character.

use std::path::PathBuf;

use clap::Args;
use loopwright_formats::Format;

use super::{EngineArgs, JobsArgs, format::parse_format};
use crate::{
    headings::{INPUT, OUTPUT},
    recipe::{TakeArgs, parse_bone_stretch},
};

/// A character that takes the motion.
#[derive(Debug, Clone, Default, Args)]
pub struct RigArgs {
    /// The character to put the motion on ({formats}).
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub rig: Option<PathBuf>,
    /// Joint map, in TOML [default: matched by names and shape].
    #[arg(long, value_name = "FILE", help_heading = INPUT, requires = "rig")]
    pub map: Option<PathBuf>,
    /// Largest leg stretch so that feet reach the ground, percent, up to 1 [default: 0].
    #[arg(long, value_name = "PERCENT", help_heading = INPUT, requires = "rig", value_parser = parse_bone_stretch, allow_negative_numbers = true)]
    pub bone_stretch: Option<f64>,
}

#[derive(Debug, Clone, Args)]
pub struct RetargetArgs {
    /// Takes or loops ({formats}): files, folders or patterns.
    #[arg(help_heading = INPUT, required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub jobs: JobsArgs,
    /// The character ({formats}).
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub rig: PathBuf,
    /// Joint map, in TOML; joints that it does not name are matched.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub map: Option<PathBuf>,
    /// Largest leg stretch so that feet reach the ground, percent, up to 1 [default: 0].
    #[arg(long, value_name = "PERCENT", help_heading = INPUT, value_parser = parse_bone_stretch, allow_negative_numbers = true)]
    pub bone_stretch: Option<f64>,
    #[command(flatten)]
    pub reading: TakeArgs,
    /// The file to write; its extension selects the format; or a folder for many.
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Write all motions as animations into one copy of the character's file.
    #[arg(long, help_heading = OUTPUT, conflicts_with_all = ["to", "save_map"])]
    pub into_one: bool,
    /// Format of several outputs: {extensions} [default: the engine's, or that of the character].
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    pub to: Option<Format>,
    /// Write the joint map into this file, to edit it.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub save_map: Option<PathBuf>,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Overwrite existing files.
    #[arg(short, long)]
    pub force: bool,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}
