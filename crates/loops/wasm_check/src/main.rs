//! Prints the number that the library works out: `loopwright_wasm_check RANDOM_WALKS`.

use std::{
    env,
    error::Error,
    io::{self, Write as _},
};

fn main() -> Result<(), Box<dyn Error>> {
    let checksum =
        loopwright_wasm_check::checksum_of_loops(env::args().nth(1).ok_or("how many random walks?")?.parse()?);
    writeln!(io::stdout(), "{checksum:016x}")?;
    Ok(())
}
