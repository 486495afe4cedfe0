//! Flags of `cut`.

use std::path::PathBuf;

use clap::Args;
use loopwright_formats::{Format, Target};
use loopwright_moves::PassageKind;

use super::{RigArgs, format::parse_format, parse_word};
use crate::{
    headings::{ENGINE, INPUT, OUTPUT},
    numbers::parse_positive,
    recipe::TakeArgs,
    words::choice,
};

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = OUTPUT)]
pub struct CutArgs {
    /// The take ({formats}).
    #[arg(value_name = "TAKE", help_heading = INPUT)]
    pub take: PathBuf,
    /// Loops of its skeleton, each with its sidecar, that passages begin and end in: files, folders or patterns [default: the take's own].
    #[arg(value_name = "LOOP", help_heading = INPUT)]
    pub loops: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: TakeArgs,
    #[command(flatten)]
    pub on: RigArgs,
    /// The folder for what is cut; created where it is missing.
    #[arg(short, long, value_name = "FOLDER")]
    pub output: PathBuf,
    /// Overwrite existing files.
    #[arg(short, long)]
    pub force: bool,
    /// Kinds to look for: start, stop, turn, jump [default: all].
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', value_parser = parse_word::<CutKind>)]
    pub kind: Vec<CutKind>,
    /// Also make a transition from each loop into each other.
    #[arg(long)]
    pub transitions: bool,
    /// Frames per second [default: those of the first loop, else of the take].
    #[arg(long, value_name = "R", value_parser = parse_positive)]
    pub fps: Option<f64>,
    /// Format of the files: {extensions} [default: the engine's, or that of the character or the take].
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    pub to: Option<Format>,
    /// Write for an engine.
    #[arg(long = "for", value_name = "ENGINE", help_heading = ENGINE, value_parser = choice::<Target>(), ignore_case = true)]
    pub target: Option<Target>,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}

/// What to look for.
#[in_words]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutKind {
    Start,
    Stop,
    Turn,
    Jump,
}

impl CutArgs {
    /// The kinds of passages to make.
    pub fn kinds(&self) -> Vec<PassageKind> {
        let asked = if self.kind.is_empty() {
            CutKind::ALL.to_vec()
        } else {
            self.kind.clone()
        };
        asked
            .into_iter()
            .flat_map(|kind| match kind {
                CutKind::Start => &[PassageKind::Start][..],
                CutKind::Stop => &[PassageKind::Stop][..],
                CutKind::Turn => &[PassageKind::TurnInPlace, PassageKind::Turn][..],
                CutKind::Jump => &[PassageKind::Jump][..],
            })
            .copied()
            .chain(self.transitions.then_some(PassageKind::Transition))
            .collect()
    }
}
