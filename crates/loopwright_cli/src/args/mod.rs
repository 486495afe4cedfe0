//! The command line as typed.

use clap::{Parser, Subcommand};

mod fit;

mod loops;

mod make;

mod render;

mod search;

mod take;

pub(crate) use fit::FitArgs;
pub(crate) use loops::{BlendArgs, CheckArgs, CostArgs, PlayArgs};
pub(crate) use make::{CloseArgs, MakeArgs, TargetArgs};
pub(crate) use render::RenderArgs;
pub(crate) use search::{DEFAULT_TOP, FindArgs, MirrorArgs, SearchArgs, Side};
pub(crate) use take::{ConvertArgs, DemoArgs, InspectArgs, SynthArgs};

/// Turns motion-capture takes into loops.
///
/// Finds the stretches of a take that repeat, proves which seam is best, closes it so that pose, velocity and acceleration
/// meet exactly, and gives the root one constant twist.
#[derive(Debug, Parser)]
#[command(name = "loopwright", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Exit status: 0 done; 1 nothing found, or the verdict is negative; 2 anything else.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Tells what a take holds: skeleton, rate, unit, soiled frames, joints that count, rhythm, stretches.
    Inspect(InspectArgs),
    /// Lists the loops in a take, the recommended one first.
    Find(FindArgs),
    /// Makes a loop from a take and writes it with a sidecar of figures.
    Make(MakeArgs),
    /// Closes frames of your own choice, with every setting at hand.
    Close(CloseArgs),
    /// Blends loops into one of a mean, or of a wanted, speed and turn.
    Blend(BlendArgs),
    /// Plays loops one after the other for as long as wanted, in an order drawn from a seed.
    Play(PlayArgs),
    /// Tells what it costs to leave one motion and enter another: frame to frame, or where best.
    Cost(CostArgs),
    /// Tells whether loops pop at the seam.
    Check(CheckArgs),
    /// Figures for a character controller: top speeds, and half-lives of starts, stops and turns.
    Fit(FitArgs),
    /// Draws a take or a loop: an animation, a contact sheet, or the seam's onion skin.
    Render(RenderArgs),
    /// Reads a take and writes it again.
    Convert(ConvertArgs),
    /// Writes a synthetic take of a walker, with its truth beside it.
    Synth(SynthArgs),
    /// Walks the whole road on the built-in take: take, loop, sidecar and a picture.
    Demo(DemoArgs),
}
