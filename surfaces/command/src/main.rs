//! The `loopwright` command.

use std::{env, ffi::OsString, process::ExitCode};

fn main() -> ExitCode {
    let typed: Vec<OsString> = env::args_os().collect();
    ExitCode::from(loopwright_cli::run(&typed))
}
