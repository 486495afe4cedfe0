//! The `loopwright` command: arguments, files and messages; the libraries do the work.
//!
//! [`run`] is the command. The other public items serve programs that give the same answers in another form, such as the Python package.

#![allow(
    unreachable_pub,
    reason = "its modules are private: `pub` in them is for the program"
)]

#[macro_use]
extern crate loopwright_attributes;

use std::{ffi::OsString, path::Path};

use clap::FromArgMatches;

#[macro_use]
mod exit;
#[macro_use]
mod talk;

mod animations;
pub mod answers;
mod args;
mod batch;
mod commands;
mod failures;
mod files;
mod found_loops;
mod headings;
mod heard;
mod limits;
mod live_source;
mod load;
mod loop_output;
mod memory;
mod mirroring;
mod motions;
mod numbers;
mod output;
mod parallel;
mod patterns;
mod plot;
mod project;
mod report;
#[cfg(test)]
#[path = "tests/schema_words.rs"]
mod schema_words;
mod signals;
mod surface;
mod written_loop;
mod written_passage;

use args::Cli;
pub use exit::Failure;
use loopwright_job::recipe::{self, words};
use project::Typed;

/// Runs the command with these arguments, the first of which is its name, and returns its exit status.
///
/// Call it once per process: it prints, handles signals, and keeps state such as its messages.
pub fn run(typed: &[OsString]) -> u8 {
    report::failure::say_as_asked(typed);
    memory::keep_what_is_freed();
    let Typed {
        matches, file, inputs, ..
    } = match project::with_settings(typed) {
        Ok(settled) => settled,
        Err(failure) => {
            report::failure::report(&failure);
            return exit::status(&Err(failure));
        }
    };
    let Cli { command, shared } = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return report::failure::report_arguments(&args::explained(error)),
    };
    for typed in typed {
        talk::keep_on_one_line(Path::new(typed));
    }
    memory::limit(shared.max_memory);
    files::open_folders(&[inputs, shared.allow_paths].concat());
    talk::set(shared.quiet, shared.color);
    signals::watch();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !loopwright_catalog::is_guarded() {
            hook(panic);
        }
    }));
    if let Some(path) = &file {
        note!("with the settings of \"{}\"", path.display());
    }
    let result = command.perform();
    output::sync_folders();
    if let Err(failure) = &result {
        report::failure::report(failure);
    }
    exit::status(&result)
}
