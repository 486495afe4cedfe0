//! `loopwright licences`: prints the terms of the program and of everything inside it.

use crate::{
    args::NoArgs,
    exit::{Ending, Result},
    output,
};

/// Written by `.ci/third-party`, before a release is built.
#[cfg(feature = "licences")]
const OF_OTHERS: &str = include_str!("../../third-party-licences.txt");

/// Without them: Cargo keeps the licences with the sources.
#[cfg(not(feature = "licences"))]
const OF_OTHERS: &str = "\
This program was built from its sources, and the licence of each crate inside lies with that crate's sources, where Cargo keeps them
(~/.cargo/registry/src). Their names, in a checkout:

    cargo tree -p loopwright_cli -e normal --format \"{p} {l}\"

`.ci/third-party` writes all texts. Released programs print them, and their archives hold them as THIRD-PARTY-LICENCES.txt.
";

pub fn run(_: &NoArgs) -> Result<Ending> {
    output::print(concat!(
        "loopwright ",
        env!("CARGO_PKG_VERSION"),
        ": MIT OR Apache-2.0, at your option\n\n"
    ))?;
    output::print(OF_OTHERS)?;
    Ok(Ending::Done)
}
