//! The captured takes that tests and measurements read: their location, and the known facts about each.
//!
//! The takes are not part of the project. They are in `../shared/mocap` beside the checkout, or in the folder named by the
//! environment variable `LOOPWRIGHT_MOCAP`. There, `manifest.csv` lists the files, and `clips.csv` lists the animations of
//! files that hold several.
//!
//! A test that needs the takes calls [`folder_or_skip`]. If takes are missing, the test is skipped, or fails if
//! `LOOPWRIGHT_REQUIRE_MOCAP=1` is set.

use std::{
    ffi::OsString,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

mod csv;

use csv::Record;

/// Names another folder of captured takes, which must exist.
pub const FOLDER_VARIABLE: &str = "LOOPWRIGHT_MOCAP";

/// If set to anything but nothing or 0, the captured takes must exist.
pub const REQUIRE_VARIABLE: &str = "LOOPWRIGHT_REQUIRE_MOCAP";

/// The folder of captured takes, whether or not it exists.
#[must_use]
pub fn folder() -> PathBuf {
    std::env::var_os(FOLDER_VARIABLE).map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/mocap"),
        PathBuf::from,
    )
}

/// The folder of captured takes; `None`, with a message on stderr, if takes are missing and the test must be skipped.
///
/// The folder holds every file named by its two lists.
///
/// # Panics
///
/// If takes are missing and one of the two environment variables requires them.
#[must_use]
pub fn folder_or_skip() -> Option<PathBuf> {
    present_or_skip(folder(), required_by(|variable| std::env::var_os(variable)))
}

/// The environment variable that requires the takes, if any.
fn required_by(value_of: impl Fn(&str) -> Option<OsString>) -> Option<&'static str> {
    let requires = |variable| match variable {
        REQUIRE_VARIABLE => value_of(variable).is_some_and(|value| !value.is_empty() && value != "0"),
        _ => value_of(variable).is_some(),
    };
    [REQUIRE_VARIABLE, FOLDER_VARIABLE]
        .into_iter()
        .find(|&variable| requires(variable))
}

/// [`folder_or_skip`] for a folder, and the variable that requires its takes.
fn present_or_skip(folder: PathBuf, required_by: Option<&str>) -> Option<PathBuf> {
    let Err(missing) = check_present(&folder) else {
        return Some(folder);
    };
    if let Some(variable) = required_by {
        panic!("the captured takes are required by {variable}, but {missing}");
    }
    let test = std::thread::current();
    // The test harness captures `eprintln!` and shows it only for tests that fail.
    let _ = writeln!(io::stderr(), "SKIPPED {}: {missing}", test.name().unwrap_or("a test"));
    None
}

/// Returns an error that names the missing files, unless the folder holds every file in its lists.
fn check_present(folder: &Path) -> Result<(), String> {
    if !folder.is_dir() {
        return Err(format!("there is no folder of captured takes at {}", folder.display()));
    }
    for file in manifest(folder)?
        .into_iter()
        .map(|take| take.file)
        .chain(csv::read(&folder.join("clips.csv"), |record| record.text("file"))?)
    {
        if !folder.join(&file).is_file() {
            return Err(format!("{file} is missing in {}", folder.display()));
        }
    }
    Ok(())
}

/// The expected result of a search for loops in a take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// The take repeats steadily, and a loop must be found.
    Loop,
    /// The take as a whole does not repeat: a loop of low confidence and a rejection are both correct.
    Warn,
    /// Nothing repeats, and the search must reject the take.
    Refuse,
}

/// A row of `manifest.csv`: one file.
#[derive(Clone, Debug)]
pub struct TakeRow {
    /// Path below the folder of takes.
    pub file: String,
    /// The expected result of a search; `None` for files that are not BVH.
    pub expect: Option<Expect>,
}

/// The rows of `manifest.csv` in a folder of takes, in the order of the file.
///
/// # Errors
///
/// A message that says what is wrong with the file, and in which line.
pub fn manifest(folder: &Path) -> Result<Vec<TakeRow>, String> {
    csv::read(&folder.join("manifest.csv"), |record: &Record<'_>| {
        Ok(TakeRow {
            file: record.text("file")?,
            expect: match record.cell("expect")? {
                "loop" => Some(Expect::Loop),
                "warn" => Some(Expect::Warn),
                "refuse" => Some(Expect::Refuse),
                "" => None,
                other => return Err(format!("expect is \"{other}\", not loop, warn or refuse")),
            },
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder whose lists name two files, of which only the first exists.
    fn folder_that_lacks_a_take() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write(
            "manifest.csv",
            "file,format,fps,frames,joints,up_axis,units,expect,notes\n\
             walk.bvh,BVH,30,60,24,Y,cm,loop,\n",
        );
        write("clips.csv", "file,animation,loops\nrun.glb,Run,yes\n");
        write("walk.bvh", "");
        folder
    }

    #[test]
    fn the_takes_are_required_by_either_variable() {
        let required = |variable: &'static str, value: &'static str| {
            required_by(|asked| (asked == variable).then(|| OsString::from(value)))
        };
        assert_eq!(required_by(|_| None), None);
        assert_eq!(required(REQUIRE_VARIABLE, "1"), Some(REQUIRE_VARIABLE));
        assert_eq!(required(REQUIRE_VARIABLE, "0"), None);
        assert_eq!(required(REQUIRE_VARIABLE, ""), None);
        assert_eq!(required(FOLDER_VARIABLE, "takes"), Some(FOLDER_VARIABLE));
    }

    #[test]
    #[should_panic(expected = "required by LOOPWRIGHT_REQUIRE_MOCAP, but there is no folder of captured takes at")]
    fn a_required_folder_that_is_missing_fails_the_test() {
        let nowhere = tempfile::tempdir().unwrap().path().join("takes");
        let _ = present_or_skip(nowhere, Some(REQUIRE_VARIABLE));
    }

    #[test]
    #[should_panic(expected = "required by LOOPWRIGHT_REQUIRE_MOCAP, but run.glb is missing in")]
    fn a_required_take_that_is_missing_fails_the_test() {
        let folder = folder_that_lacks_a_take();
        let _ = present_or_skip(folder.path().to_owned(), Some(REQUIRE_VARIABLE));
    }

    #[test]
    fn a_test_is_skipped_until_all_takes_are_there() {
        let folder = folder_that_lacks_a_take();
        let present = || present_or_skip(folder.path().to_owned(), None);
        assert_eq!(present(), None);
        std::fs::write(folder.path().join("run.glb"), "").unwrap();
        assert_eq!(present().as_deref(), Some(folder.path()));
    }

    #[test]
    fn the_real_list_is_read() {
        let Some(folder) = folder_or_skip() else { return };
        let takes = manifest(&folder).unwrap();
        assert!(takes.iter().filter(|take| take.expect == Some(Expect::Loop)).count() >= 30);
    }
}
