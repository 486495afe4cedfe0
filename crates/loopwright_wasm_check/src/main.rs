//! Prints the number that the library works out.

use std::io::{self, Write as _};

fn main() -> io::Result<()> {
    writeln!(io::stdout(), "{:016x}", loopwright_wasm_check::checksum_of_loops())
}
