//! Flags of the commands that write motion for an engine without making a loop.

use clap::Args;
use loopwright_formats::Target;

use crate::{
    headings::{ENGINE, OUTPUT},
    recipe::Recenter,
    words::choice,
};

#[derive(Clone, Copy, Debug, Args)]
pub struct EngineArgs {
    /// Whether the motion starts at the origin and faces forward [default: on with --for, else off].
    #[arg(long, value_name = "WHEN", help_heading = OUTPUT, value_parser = choice::<Recenter>(), ignore_case = true)]
    pub recenter: Option<Recenter>,
    /// Write for an engine.
    #[arg(long = "for", value_name = "ENGINE", help_heading = ENGINE, value_parser = choice::<Target>(), ignore_case = true)]
    pub target: Option<Target>,
}

impl EngineArgs {
    /// The engine that the file is written for.
    pub fn engine(&self) -> Target {
        self.target.unwrap_or(Target::Generic)
    }

    /// Whether the motion is brought to the origin.
    pub fn recenters(&self) -> bool {
        Recenter::or_for(self.recenter, self.engine())
    }
}
