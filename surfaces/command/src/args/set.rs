//! Flags of `set` and `cut`.

use std::{num::NonZeroUsize, path::PathBuf};

use loopwright_formats::{Format, Target};
use loopwright_moves::PassageKind;

use super::{ExcludeArgs, JobsArgs, RigArgs, parse_format, parse_word};
use crate::{
    headings::{ENGINE, INPUT, OUTPUT, WHICH_LOOP},
    numbers::parse_positive,
    recipe::{Sets, StudyArgs, TakeArgs},
    words::choice,
};

#[arguments]
pub struct SetArgs {
    /// Takes, files of many animations, and loops with their sidecars ({formats}): files, folders or patterns.
    #[arg(help_heading = INPUT, required = true, value_name = "TAKE")]
    pub takes: Vec<PathBuf>,
    /// Fill this table of clips (TOML) from the takes, in place of a set: [[clip]] with name, gait, direction, mirrored, file, and keys of [output].
    #[argument("FILE", help_heading = INPUT)]
    pub spec: Option<PathBuf>,
    /// Only takes and animations of this name or pattern: '*Neutral*' [default: the style with most takes].
    #[argument("PATTERN", help_heading = INPUT)]
    pub style: Option<String>,
    #[args]
    pub left_out: ExcludeArgs,
    #[args]
    pub take: StudyArgs,
    #[args]
    pub sets: Sets,
    /// Loops of each way to move, which differ as much as the takes allow.
    #[argument("N", help_heading = WHICH_LOOP, default_value = "1")]
    pub variants: NonZeroUsize,
    /// Frames per second of the set [default: those of most takes].
    #[argument("R", help_heading = OUTPUT, value_parser = parse_positive)]
    pub fps: Option<f64>,
    /// The folder for the clips and for set.json.
    #[argument("FOLDER", short)]
    pub output: PathBuf,
    /// Write each clip into a file of its own, with the character, where one file could hold all.
    pub split: bool,
    /// Format of the clips: {extensions} [default: the engine's, or that of the character or of the takes].
    #[argument("FORMAT", value_parser = parse_format)]
    pub to: Option<Format>,
    /// Write for an engine.
    #[arg(long = "for", value_name = "ENGINE", help_heading = ENGINE, value_parser = choice::<Target>(), ignore_case = true)]
    pub target: Option<Target>,
    #[args]
    pub jobs: JobsArgs,
    /// Overwrite existing files.
    #[arg(short, long)]
    pub force: bool,
    /// Print the manifest instead of text.
    pub json: bool,
}

#[arguments(OUTPUT)]
pub struct CutArgs {
    /// The take ({formats}).
    #[arg(value_name = "TAKE", help_heading = INPUT)]
    pub take: PathBuf,
    /// Loops of its skeleton, each with its sidecar, that passages begin and end in: files, folders or patterns [default: the take's own].
    #[arg(value_name = "LOOP", help_heading = INPUT)]
    pub loops: Vec<PathBuf>,
    #[args]
    pub reading: TakeArgs,
    #[args]
    pub on: RigArgs,
    /// The folder for what is cut; created where it is missing.
    #[argument("FOLDER", short)]
    pub output: PathBuf,
    /// Overwrite existing files.
    #[arg(short, long)]
    pub force: bool,
    /// Kinds to look for: start, stop, turn, jump [default: all].
    #[argument("KIND,...", value_delimiter = ',', value_parser = parse_word::<CutKind>)]
    pub kind: Vec<CutKind>,
    /// Also make a transition from each loop into each other.
    pub transitions: bool,
    /// Frames per second [default: those of the first loop, else of the take].
    #[argument("R", value_parser = parse_positive)]
    pub fps: Option<f64>,
    /// Format of the files: {extensions} [default: the engine's, or that of the character or the take].
    #[argument("FORMAT", value_parser = parse_format)]
    pub to: Option<Format>,
    /// Write for an engine.
    #[arg(long = "for", value_name = "ENGINE", help_heading = ENGINE, value_parser = choice::<Target>(), ignore_case = true)]
    pub target: Option<Target>,
    /// Print JSON instead of text.
    pub json: bool,
}

/// What to look for.
#[choice_in_words]
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
