//! Tasks that need more than one cargo call.
//!
//! `cargo xtask measure NAME` runs a measurement and writes the results into the sections of the page
//! docs/measurements/NAME.md. Most measurements use the captured takes (`loopwright_mocap` says where they are), some use
//! synthetic ones. `cargo xtask measure` lists the names. With `--into FOLDER` it fills the page of that name in another
//! folder, to compare results. `measure files` also runs other programs if they are installed: the scripts in xtask/peers
//! list what they need.
//!
//! `cargo xtask sheets FOLDER` draws the recommended loops of the captured takes, chosen by price and by outcome.
//!
//! `cargo xtask docs` draws the pictures of the README and of docs/guide; with `--check` it fails if one is stale.

use std::{io::Write as _, path::Path, process::ExitCode};

use page::Sections;
use takes::Captured;

// Shared parts of the measurements.

mod clock;

mod cuts;

mod memory;

mod page;

mod statistics;

mod table;

mod takes;

// Measurements.

mod bearing;

mod bvh;

mod check;

mod choice;

mod clips;

mod closure;

mod cost;

mod feet;

mod files;

mod fit;

mod jumps;

mod mean_cycle;

mod retarget;

mod road;

mod root;

mod search;

mod speed;

mod symmetric;

mod walks;

// Pictures.

mod docs;

/// The root of the checkout.
const CHECKOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The folder of pages.
const MEASUREMENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/measurements");

/// Fills a page.
type Measure = fn(&Captured) -> Result<Sections, String>;

/// Every page that a measurement fills.
const PAGES: [(&str, Measure); 18] = [
    ("bvh", bvh::measure),
    ("check", check::measure),
    ("choice", choice::measure),
    ("clips", clips::measure),
    ("closure", closure::measure),
    ("cost", cost::measure),
    ("feet", feet::measure),
    ("files", files::measure),
    ("fit", fit::measure),
    ("jumps", jumps::measure),
    ("mean_cycle", mean_cycle::measure),
    ("retarget", retarget::measure),
    ("road", road::measure),
    ("root", root::measure),
    ("search", search::measure),
    ("search-speed", speed::measure),
    ("symmetric", symmetric::measure),
    ("walks", walks::measure),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["measure", name] => measure(name, Path::new(MEASUREMENTS)),
        ["measure", name, "--into", folder] => measure(name, Path::new(folder)),
        ["sheets", folder] => Captured::open().and_then(|captured| choice::sheets(&captured, Path::new(folder))),
        ["docs"] => docs::write(Path::new(CHECKOUT)),
        ["docs", "--check"] => docs::check(Path::new(CHECKOUT)),
        [memory::CHILD, work, of] => measure_memory(work, of),
        _ => {
            let names = PAGES.map(|(name, _)| name).join("|");
            Err(format!(
                "usage: cargo xtask measure {names} [--into FOLDER], cargo xtask sheets FOLDER, or cargo xtask docs [--check]"
            ))
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "error: {message}");
            ExitCode::from(2)
        }
    }
}

fn measure(name: &str, folder: &Path) -> Result<(), String> {
    let page = PAGES.iter().find(|(page, _)| *page == name);
    let (_, measure) = page.ok_or_else(|| {
        let names = PAGES.map(|(name, _)| name).join(", ");
        format!("no page is called {name}; there are {names}")
    })?;
    let page = folder.join(format!("{name}.md"));
    measure(&Captured::open()?)?.write_into(&page)
}

/// The child process of a memory measurement.
fn measure_memory(work: &str, of: &str) -> Result<(), String> {
    let measured = speed::memory_of(work, of).or_else(|| files::memory_of_reading(work, Path::new(of)));
    let mebibytes = measured.ok_or_else(|| format!("there is no memory of {work} to measure"))??;
    writeln!(std::io::stdout(), "{mebibytes}").map_err(|error| error.to_string())
}
