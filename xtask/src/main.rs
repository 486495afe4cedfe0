//! Chores that need more than one cargo call.
//!
//! `cargo xtask measure road [FOLDER]` measures the whole road on the real takes of FOLDER (default `../shared/mocap`) and
//! on synthetic ones, and writes docs/measurements/road.md; `cargo xtask measure closure [FOLDER]` every way to close a seam,
//! on many cuts of those takes, and writes docs/measurements/closure.md; likewise `measure root` what the root does, on real
//! takes and on synthetic circles, `measure search` the search against synthetic truth and other ways to look, `measure
//! symmetric` loops of half a cycle and its image, `measure feet` how feet stand, `measure fit` what takes say of character
//! controllers, `measure cost` what jumps cost. `measure files` holds what is read and written against other programs, as far
//! as they are there: xtask/peers says what they need. `cargo xtask measure speed [FOLDER] [--peers FILE]` takes the clock
//! to the search and writes docs/measurements/search-speed.md; FILE holds what other tools took,
//! docs/measurements/peers-search.csv unless another is named.
//!
//! `cargo xtask docs` draws the pictures of the README and of docs/guide; with `--check` it fails where they are stale.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

mod closure;

mod cost;

mod docs;

mod feet;

mod files;

mod fit;

mod manifest;

mod road;

mod root;

mod search;

mod speed;

mod symmetric;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let result = match arguments.next().as_deref() {
        Some("measure") => {
            let arguments: Vec<String> = arguments.collect();
            measure(&arguments)
        }
        // What `measure speed` starts in a process of its own.
        Some("memory") => {
            let [work, num_frames, folder] = [(); 3].map(|()| arguments.next().unwrap_or_default());
            speed::memory::measure(&work, &num_frames, Path::new(&folder))
                .and_then(|told| writeln!(std::io::stdout(), "{told}").map_err(|error| error.to_string()))
        }
        Some("docs") => match arguments.next().as_deref() {
            None => docs::write(checkout()),
            Some("--check") => docs::check(checkout()),
            Some(other) => Err(format!("cargo xtask docs takes --check or nothing, found {other}")),
        },
        _ => Err(
            "usage: cargo xtask measure road|closure|root|feet|files|fit|cost|search|symmetric|speed [FOLDER] \
             [--peers FILE], or cargo xtask docs [--check]"
                .to_owned(),
        ),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "error: {message}");
            ExitCode::from(2)
        }
    }
}

/// The root of the checkout.
fn checkout() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn measure(arguments: &[String]) -> Result<(), String> {
    let measurements = checkout().join("docs/measurements");
    let mut peers = Some(measurements.join("peers-search.csv")).filter(|path| path.is_file());
    let mut words = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if argument == "--peers" {
            peers = Some(PathBuf::from(arguments.next().ok_or("--peers needs a file")?));
        } else {
            words.push(argument.as_str());
        }
    }
    let folder = words
        .get(1)
        .map_or_else(|| checkout().join("../shared/mocap"), PathBuf::from);
    let rows = manifest::read(&folder.join("manifest.csv"))?;
    let (page, name) = match words.first() {
        Some(&"road") => (road::page(&folder, &rows)?, "road.md"),
        Some(&"closure") => (closure::page(&folder, &rows)?, "closure.md"),
        Some(&"cost") => (cost::page(&folder, &rows)?, "cost.md"),
        Some(&"root") => (root::page(&folder, &rows)?, "root.md"),
        Some(&"feet") => (feet::page(&folder, &rows)?, "feet.md"),
        Some(&"fit") => (fit::page(&folder, &rows)?, "fit.md"),
        Some(&"files") => (files::page(&folder, &rows)?, "files.md"),
        Some(&"search") => (search::page(&folder, &rows)?, "search.md"),
        Some(&"symmetric") => (symmetric::page(&folder, &rows)?, "symmetric.md"),
        Some(&"speed") => (speed::page(&folder, peers.as_deref())?, "search-speed.md"),
        _ => {
            return Err(
                "cargo xtask measure takes road, closure, root, feet, files, fit, cost, search, symmetric or speed"
                    .to_owned(),
            );
        }
    };
    let path = measurements.join(name);
    std::fs::write(&path, page).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
