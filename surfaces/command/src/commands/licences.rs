//! `loopwright licences`: under which terms the program and all that is inside it may be used.

use crate::exit::{Ending, Failure};
use crate::output;

/// Written by `.ci/third-party`; `.ci/run` compares.
const OF_OTHERS: &str = include_str!("../../third-party-licences.txt");

pub(crate) fn run() -> Result<Ending, Failure> {
    output::print(concat!(
        "loopwright ",
        env!("CARGO_PKG_VERSION"),
        ": MIT OR Apache-2.0, at your option\n\n"
    ))?;
    output::print(OF_OTHERS)?;
    Ok(Ending::Done)
}
