//! Files: whether other programs see in them the same motion that we read and wrote.

use std::path::{Path, PathBuf};

use crate::{page::Sections, takes::Captured};

mod cost;

mod loops;

mod peers;

mod players;

mod readers;

mod survival;

pub(crate) use cost::memory_of_reading;

/// Largest distance at which another program puts a joint in the same position, metres.
const SAME_PLACE_METRES: f64 = 1e-4;

/// The files written for other programs stay in the folder `measure-files` of the build.
pub(crate) fn measure(captured: &Captured) -> Result<Sections, String> {
    let peers = peers::Peers::new(scratch()?);
    let mut sections = Sections::default();
    let made = loops::make(captured)?;
    readers::measure(captured, &peers, &mut sections)?;
    sections.add("loops-written", loops::table(&made));
    players::measure(&made, &peers, &mut sections)?;
    survival::measure(&made, &mut sections)?;
    cost::measure(captured, &peers.scratch, &mut sections)?;
    Ok(sections)
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

/// A readable distance: micrometres below a tenth of a millimetre, else millimetres.
fn distance(metres: f64) -> String {
    if metres < SAME_PLACE_METRES {
        format!("{:.2} um", 1e6 * metres)
    } else {
        format!("**{:.3} mm**", 1e3 * metres)
    }
}
