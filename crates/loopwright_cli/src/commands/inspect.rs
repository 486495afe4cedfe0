//! `loopwright inspect`: what a take holds.

use crate::{
    args::InspectArgs,
    exit::{Ending, Failure},
    load, output,
    report::{human, json},
};

pub(crate) fn run(args: &InspectArgs) -> Result<Ending, Failure> {
    let loaded = load::load(&args.take, &args.reading)?;
    let answer = if args.json {
        json::inspect(&loaded)
    } else {
        human::inspect(&loaded)
    };
    output::print(&answer)?;
    Ok(Ending::Done)
}
