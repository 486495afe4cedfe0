//! Measurements of files: that other programs see in them what we read out of them and wrote into them.

use std::path::{Path, PathBuf};

use crate::manifest::Row;

mod bvh_speed;

mod cost;

mod loops;

mod peers;

mod players;

mod readers;

mod survival;

pub(crate) use cost::read_in_child;

/// Programs that joints are compared with put them in the same place where they differ by less, metres.
const SAME_PLACE_METRES: f64 = 1e-4;

/// The page as Markdown.
///
/// What is written for other programs to read stays in the folder `measure-files` of the build.
pub(crate) fn page(folder: &Path, rows: &[Row]) -> Result<String, String> {
    let peers = peers::Peers::new(scratch()?);
    let mut page = String::from(
        "# Files, measured\n\n\
         Written by `cargo xtask measure files`; nothing here is typed by hand but the words. Real takes as named, sources and\n\
         licences in [ATTRIBUTION.md](../../ATTRIBUTION.md). Which other programs are asked, and what they need installed, stands\n\
         at the head of their scripts in `xtask/peers/`; a step whose program is missing is said to be skipped.\n\n",
    );
    let made = loops::make(folder, rows)?;
    readers::section(folder, rows, &peers, &mut page)?;
    loops::section(&made, &mut page);
    players::sections(&made, &peers, &mut page)?;
    survival::sections(&made, &mut page)?;
    cost::sections(folder, rows, &peers.scratch, &mut page)?;
    Ok(page)
}

/// An empty folder for files.
fn scratch() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let scratch = own.with_file_name("measure-files");
    let failed = |error: std::io::Error| format!("{}: {error}", scratch.display());
    if scratch.is_dir() {
        std::fs::remove_dir_all(&scratch).map_err(failed)?;
    }
    std::fs::create_dir_all(&scratch).map_err(failed)?;
    Ok(scratch)
}

/// Writes a file of the scratch folder.
fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// A distance for people: micrometres below a tenth of a millimetre, else millimetres.
fn distance(metres: f64) -> String {
    if metres < SAME_PLACE_METRES {
        format!("{:.2} um", 1e6 * metres)
    } else {
        format!("**{:.3} mm**", 1e3 * metres)
    }
}
