//! Tasks that need more than one cargo call.
//!
//! `cargo xtask measure` measures anew and fills the tables of docs/benchmark.md, `cargo xtask measure loops`, `speed` or `files` some
//! of them. It needs the captured takes (`loopwright_mocap` says where they are) and Python with numpy; the scripts in bench and xtask/peers say
//! what else they can use. `LOOPWRIGHT` in the environment names the command to measure, instead of one that is built for it, and
//! `PYTHON` the Python.
//!
//! `cargo xtask docs` draws the pictures of the README and of docs/guide. With `--check` it fails if one is stale, or if the
//! README states a figure that docs/benchmark.md does not have.

use std::{io::Write as _, path::Path, process::ExitCode};

mod benchmark;
mod docs;
mod figures;
mod page;

const CHECKOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let checkout = Path::new(CHECKOUT);
    let result = match words[..] {
        ["measure"] => benchmark::measure(checkout, &benchmark::PARTS),
        ["measure", part] if benchmark::PARTS.contains(&part) => benchmark::measure(checkout, &[part]),
        ["docs"] => docs::write(checkout),
        ["docs", "--check"] => docs::check(checkout).and_then(|()| figures::check(checkout)),
        _ => Err(format!(
            "usage: cargo xtask measure [{}], or cargo xtask docs [--check]",
            benchmark::PARTS.join("|")
        )),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "error: {message}");
            ExitCode::from(2)
        }
    }
}
