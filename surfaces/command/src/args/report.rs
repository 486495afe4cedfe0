//! Flags of `report`.

use std::path::PathBuf;

use clap::Args;

use super::JobsArgs;
use crate::{
    headings::{INPUT, OUTPUT},
    recipe::TakeArgs,
};

#[derive(Debug, Args)]
#[command(next_help_heading = INPUT)]
pub struct ReportArgs {
    /// Loops with their sidecars ({formats}), folders of loops, patterns, catalogs (.parquet, .csv or .jsonl), or the folder of a set.
    #[arg(required = true, value_name = "LOOP|FOLDER|CATALOG")]
    pub inputs: Vec<PathBuf>,
    /// The page to write: .html.
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// The take that the loops were made from [default: the file that the sidecar names, where it is found].
    #[arg(long, value_name = "TAKE")]
    pub take: Option<PathBuf>,
    /// Heading of the page [default: the name of what it shows].
    #[arg(long, value_name = "TEXT", help_heading = OUTPUT)]
    pub title: Option<String>,
    /// Draw bodies of capsules, even where a file has a mesh.
    #[arg(long, help_heading = OUTPUT)]
    pub capsules: bool,
    #[command(flatten)]
    pub jobs: JobsArgs,
    #[command(flatten)]
    pub reading: TakeArgs,
    /// Overwrite an existing page.
    #[arg(short, long)]
    pub force: bool,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}
