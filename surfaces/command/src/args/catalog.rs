//! Flags of `catalog`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use loopwright_core::{candidate::MotionKind, words::UnknownWord};

use crate::{
    headings::{INPUT, LIMITS, OUTPUT, WHICH_LOOP},
    numbers::{parse_bounds, parse_count},
};

#[derive(Debug, Args)]
#[command(next_help_heading = WHICH_LOOP)]
pub struct CatalogArgs {
    /// Catalogs that `make --catalog` wrote: .parquet, .csv or .jsonl; those of several shards are read together.
    #[arg(help_heading = INPUT, required = true, value_name = "CATALOG")]
    pub catalogs: Vec<PathBuf>,
    /// Only loops of these kinds: walk, turning_walk, run, idle and others.
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = parse_kind)]
    pub kind: Vec<MotionKind>,
    /// Only loops with these grades.
    #[arg(long, value_name = "WORD", value_delimiter = ',', value_parser = ["good", "review", "bad"])]
    pub grade: Vec<String>,
    /// Only loops of this speed, m/s; one end may be left out.
    #[arg(long, value_name = "LOW:HIGH", value_parser = parse_bounds)]
    pub speed: Option<[f64; 2]>,
    /// Only loops of this turn rate, deg/s, left positive.
    #[arg(long, value_name = "LOW:HIGH", value_parser = parse_bounds, allow_hyphen_values = true)]
    pub turn_rate: Option<[f64; 2]>,
    /// Only loops that climb at this rate, m/s.
    #[arg(long, value_name = "LOW:HIGH", value_parser = parse_bounds, allow_hyphen_values = true)]
    pub climb: Option<[f64; 2]>,
    /// Only loops that turn by less than 5 deg/s.
    #[arg(long, conflicts_with = "turn_rate")]
    pub straight: bool,
    /// Only loops of this length, seconds.
    #[arg(long, value_name = "LOW:HIGH", value_parser = parse_bounds)]
    pub seconds: Option<[f64; 2]>,
    /// Only loops whose take's path has this pattern: '*/walk*'.
    #[arg(long, value_name = "PATTERN")]
    pub path: Option<String>,
    /// Only loops whose licence contains this text, in any case.
    #[arg(long, value_name = "TEXT")]
    pub licence: Option<String>,
    /// Only loops that share the skeleton of this row, named by its output or take.
    #[arg(long, value_name = "FILE")]
    pub skeleton_of: Option<String>,
    /// Only loops with less foot sliding, cm/s.
    #[arg(long, value_name = "CMPS", help_heading = LIMITS)]
    pub max_foot_slide: Option<f64>,
    /// Only loops with less displacement, mm on average.
    #[arg(long, value_name = "MM", help_heading = LIMITS)]
    pub max_displacement: Option<f64>,
    /// What the list is sorted by.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = SortBy::Catalog, help_heading = OUTPUT)]
    pub sort: SortBy,
    /// Loops to list at most [default: all].
    #[arg(long, value_name = "K", help_heading = OUTPUT, value_parser = parse_count)]
    pub top: Option<usize>,
    /// Write the rows that fit into this file: .parquet, .csv or .jsonl.
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(short, long, requires = "output")]
    pub force: bool,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}

/// A kind of motion, in any case.
fn parse_kind(text: &str) -> Result<MotionKind, UnknownWord> {
    text.trim().to_lowercase().parse()
}

/// What a list of loops is sorted by, the smallest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SortBy {
    /// The order of the catalogs.
    Catalog,
    /// Speed over the ground.
    Speed,
    /// Rate of turn.
    TurnRate,
    /// Foot sliding.
    Slide,
    /// Length.
    Seconds,
}
