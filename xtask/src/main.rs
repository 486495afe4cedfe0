//! Chores that need more than one cargo call.
//!
//! `cargo xtask measure road [FOLDER]` measures the whole road on the real takes of FOLDER (default `../shared/mocap`) and
//! on synthetic ones, and writes docs/measurements/road.md; `cargo xtask measure closure [FOLDER]` every way to close a seam,
//! on many cuts of those takes, and writes docs/measurements/closure.md; `cargo xtask measure root [FOLDER]` what the root does,
//! on real takes and on synthetic circles, and writes docs/measurements/root.md; `cargo xtask measure search [FOLDER]` and `symmetric` likewise the search, and loops of
//! half a cycle and its image.
//!
//! `cargo xtask docs` draws the pictures of the README and of docs/guide; with `--check` it fails where they are stale.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

mod closure;

mod docs;

mod manifest;

mod road;

mod root;

mod search;

mod symmetric;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let result = match arguments.next().as_deref() {
        Some("measure") => measure(
            arguments.next().as_deref(),
            &arguments.next().map_or_else(default_folder, PathBuf::from),
        ),
        Some("docs") => match arguments.next().as_deref() {
            None => docs::write(checkout()),
            Some("--check") => docs::check(checkout()),
            Some(other) => Err(format!("cargo xtask docs takes --check or nothing, found {other}")),
        },
        _ => Err(
            "usage: cargo xtask measure road|closure|root|search|symmetric [FOLDER], or cargo xtask docs [--check]"
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

fn default_folder() -> PathBuf {
    checkout().join("../shared/mocap")
}

fn measure(what: Option<&str>, folder: &Path) -> Result<(), String> {
    let rows = manifest::read(&folder.join("manifest.csv"))?;
    let (page, name) = match what {
        Some("road") => (road::page(folder, &rows)?, "road.md"),
        Some("closure") => (closure::page(folder, &rows)?, "closure.md"),
        Some("root") => (root::page(folder, &rows)?, "root.md"),
        Some("search") => (search::page(folder, &rows)?, "search.md"),
        Some("symmetric") => (symmetric::page(folder, &rows)?, "symmetric.md"),
        _ => return Err("cargo xtask measure takes road, closure, root, search or symmetric".to_owned()),
    };
    let path = checkout().join("docs/measurements").join(name);
    std::fs::write(&path, page).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
