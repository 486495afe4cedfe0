//! The captured takes that tests and measurements read: where they are, and what is known of each.
//!
//! The takes are not part of the project. They lie in `../shared/mocap` beside the checkout, or in the folder that the
//! environment variable `LOOPWRIGHT_MOCAP` names. `manifest.csv` there lists the files, `clips.csv` the animations of files
//! that hold several.

use std::{
    fmt,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

mod csv;

use csv::Record;

/// Names another folder of captured takes.
pub const FOLDER_VARIABLE: &str = "LOOPWRIGHT_MOCAP";

/// The folder of captured takes, whether or not it exists.
#[must_use]
pub fn folder() -> PathBuf {
    std::env::var_os(FOLDER_VARIABLE).map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/mocap"),
        PathBuf::from,
    )
}

/// The folder of captured takes; `None`, announced on stderr, where it does not exist and the test has to be skipped.
///
/// The message bypasses the test harness, which would show it only for tests that fail.
///
/// # Panics
///
/// If `LOOPWRIGHT_MOCAP` names a folder that does not exist: whoever sets it wants the tests to run.
#[must_use]
pub fn folder_or_skip() -> Option<PathBuf> {
    let folder = folder();
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(
        std::env::var_os(FOLDER_VARIABLE).is_none(),
        "{FOLDER_VARIABLE} names {}, which is not a folder",
        folder.display()
    );
    let test = std::thread::current();
    let _ = writeln!(
        io::stderr(),
        "SKIPPED {}: there are no captured takes in {}",
        test.name().unwrap_or("a test"),
        folder.display()
    );
    None
}

/// What a search for loops has to answer for a take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// A steady repeat is there and must be found.
    Loop,
    /// The take as a whole does not repeat: a loop of low confidence and a refusal are both right.
    Warn,
    /// Nothing repeats, and the take must be refused.
    Refuse,
}

/// The word of the manifest.
impl fmt::Display for Expect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Loop => "loop",
            Self::Warn => "warn",
            Self::Refuse => "refuse",
        })
    }
}

/// A row of `manifest.csv`: one file.
#[derive(Clone, Debug)]
pub struct TakeRow {
    /// Path below the folder of takes.
    pub file: String,
    /// Name of the format, such as `BVH`.
    pub format: String,
    /// Frames per second; `None` where the file states no single rate.
    pub fps: Option<f64>,
    /// Rows of motion that the file holds, whatever number it declares.
    pub frames: Option<usize>,
    /// Joints without end sites.
    pub joints: Option<usize>,
    /// The axis along which the head stands above the feet, such as `Y`.
    pub up_axis: String,
    /// Unit of lengths, in words.
    pub units: String,
    /// The answer of a search; `None` for files that are not BVH.
    pub expect: Option<Expect>,
    /// Remarks.
    pub notes: String,
}

/// Whether an animation is meant to loop, by its name and its author's intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// It is a loop.
    Loops,
    /// It is not.
    DoesNotLoop,
    /// Either answer is right.
    Either,
}

/// A row of `clips.csv`: one animation of a file.
#[derive(Clone, Debug)]
pub struct ClipRow {
    /// Path below the folder of takes.
    pub file: String,
    /// Name of the animation, or `#` and its number where it has none.
    pub animation: String,
    /// Whether it is meant to loop.
    pub intent: Intent,
}

/// The rows of `manifest.csv` in a folder of takes, in the order of the file.
///
/// # Errors
///
/// What is wrong with the file, and in which line.
pub fn manifest(folder: &Path) -> Result<Vec<TakeRow>, String> {
    csv::read(&folder.join("manifest.csv"), |record: &Record<'_>| {
        Ok(TakeRow {
            file: record.text("file")?,
            format: record.text("format")?,
            fps: record.number("fps")?,
            frames: record.number("frames")?,
            joints: record.number("joints")?,
            up_axis: record.text("up_axis")?,
            units: record.text("units")?,
            expect: match record.cell("expect")? {
                "loop" => Some(Expect::Loop),
                "warn" => Some(Expect::Warn),
                "refuse" => Some(Expect::Refuse),
                "" => None,
                other => return Err(format!("expect is \"{other}\", not loop, warn or refuse")),
            },
            notes: record.text("notes")?,
        })
    })
}

/// The rows of `clips.csv` in a folder of takes, in the order of the file.
///
/// # Errors
///
/// What is wrong with the file, and in which line.
pub fn clips(folder: &Path) -> Result<Vec<ClipRow>, String> {
    csv::read(&folder.join("clips.csv"), |record: &Record<'_>| {
        Ok(ClipRow {
            file: record.text("file")?,
            animation: record.text("animation")?,
            intent: match record.cell("loops")? {
                "yes" => Intent::Loops,
                "no" => Intent::DoesNotLoop,
                "either" => Intent::Either,
                other => return Err(format!("loops is \"{other}\", not yes, no or either")),
            },
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lists_are_read_and_name_files_that_exist() {
        let Some(folder) = folder_or_skip() else { return };
        let takes = manifest(&folder).unwrap();
        assert!(takes.iter().filter(|take| take.expect == Some(Expect::Loop)).count() >= 30);
        let clips = clips(&folder).unwrap();
        assert!(clips.iter().any(|clip| clip.intent == Intent::Loops));
        let files = takes
            .iter()
            .map(|take| &take.file)
            .chain(clips.iter().map(|clip| &clip.file));
        for file in files {
            assert!(folder.join(file).is_file(), "{file}");
        }
    }
}
