//! Flags of runs over many files.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::Args;

use crate::{
    batch::{Shard, Template},
    headings::{INPUT, MANY},
};

/// How a run over many takes names, shares and remembers its work.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = MANY)]
pub struct ManyArgs {
    /// Names of the loops, of {stem}, {animation}, {kind}, {speed} and {row}; an extension selects the format [default: {stem}-loop].
    #[arg(long, value_name = "TEMPLATE", value_parser = Template::parse)]
    pub name: Option<Template>,
    /// Write a row for each loop into this file: .parquet, .csv or .jsonl.
    #[arg(long, value_name = "OUT")]
    pub catalog: Option<PathBuf>,
    /// Continue an earlier run into the same folder; takes that are done, with the same settings, are skipped.
    #[arg(long)]
    pub resume: bool,
    /// Process only part I of N, as one of N machines.
    #[arg(long, value_name = "I/N", value_parser = Shard::parse)]
    pub shard: Option<Shard>,
    #[command(flatten)]
    pub jobs: JobsArgs,
}

impl ManyArgs {
    /// Whether one of these flags asks for a run over many takes, even if there is one.
    pub fn are_given(&self) -> bool {
        self.name.is_some() || self.catalog.is_some() || self.resume || self.shard.is_some()
    }
}

/// How many files are worked on at the same time.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = MANY)]
pub struct JobsArgs {
    /// Files to process at the same time; does not affect results [default: one for each core].
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
}

/// Animations of a file that are left out.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = INPUT)]
pub struct ExcludeArgs {
    /// Leave out animations of this name, pattern or number; repeatable.
    #[arg(long, value_name = "NAME")]
    pub exclude: Vec<String>,
}
