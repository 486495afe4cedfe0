//! Writes files: those of one run appear together or not at all, and existing files are replaced only on request.
//!
//! Every file is written beside its final path under a temporary name, synced to the disk, and locked while the run lives. In one last step
//! all are renamed; replaced files are kept until every file has its name, so that the step can be undone. A run that is killed leaves
//! files without a lock; the next run into the same folder removes them.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, BufReader, ErrorKind, Write},
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use loopwright_formats::{Format, loop_file};
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::{
    exit::{Ending, Failure, Result},
    files::{self, folder_of},
    parallel::locked,
    report::json,
    signals, talk,
};

/// Returns the format of a file name's extension. Errors: no format is written under this extension.
pub fn format_of(path: &Path) -> Result<Format> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.and_then(Format::from_extension).ok_or_else(|| {
        let failure = failure!("cannot write \"{}\": unsupported extension", path.display());
        // A character's format is not one for motion.
        if let Some(format) = extension.and_then(Format::of_motion_for) {
            let [motion, whole] = [format, Format::Glb].map(Format::extension);
            return failure.because("it is that of a character").try_this(format!(
                "a name that ends in .{motion} for the motion alone, or in .{whole}"
            ));
        }
        let known = Format::extensions(&Format::of_characters().collect::<Vec<_>>(), ".");
        failure.try_this(format!("a name that ends in {known}"))
    })
}

/// Whether this is a dry run: set once, before the command begins.
static WRITES_NOTHING: AtomicBool = AtomicBool::new(false);

/// Starts a dry run: outputs are checked but not written, and no folder is created.
pub fn write_nothing() {
    WRITES_NOTHING.store(true, Ordering::Relaxed);
}

/// Whether this is a dry run.
pub fn writes_nothing() -> bool {
    WRITES_NOTHING.load(Ordering::Relaxed)
}

/// Prints a note at the end of a dry run.
pub fn say_if_nothing_was_written() {
    if writes_nothing() {
        talk::note("--dry-run: nothing was written");
    }
}

/// Files that belong together: they appear once all of them are written.
#[derive(Default)]
pub struct Outputs {
    force: bool,
    /// Whether they will soon be replaced, so that waiting for the disk is not worthwhile.
    is_passing: bool,
    /// Input files by canonical path, and their kind: no output may replace them.
    protected: Vec<(PathBuf, &'static str)>,
    /// An input that the output may replace, since it adds loops to a copy of it.
    extended: Option<PathBuf>,
    waiting: Vec<Waiting>,
    /// Files that would contradict the new ones; they are removed when the new files appear.
    cleared: Vec<PathBuf>,
}

/// A written file that does not have its final name yet.
struct Waiting {
    file: NamedTempFile,
    path: PathBuf,
    place: PathBuf,
}

impl Outputs {
    /// Starts with nothing to write; with `force`, existing files are replaced.
    pub fn new(force: bool) -> Self {
        Self {
            force,
            ..Self::default()
        }
    }

    /// Starts like [`Self::new`], and protects these inputs, which may be named with an animation.
    pub fn keeping(force: bool, inputs: &[impl AsRef<Path>]) -> Self {
        let mut outputs = Self::new(force);
        for input in inputs {
            outputs.protect_named(input.as_ref());
        }
        outputs
    }

    /// Marks files that this run soon replaces: readers always see whole files, but a power failure may lose them.
    pub fn passing(self) -> Self {
        Self {
            is_passing: true,
            ..self
        }
    }

    /// Fails at once if the file could not be written later, before any work is done for it. Returns its folder.
    pub fn check<'p>(&self, path: &'p Path) -> Result<&'p Path> {
        if path.is_dir() {
            return Err(
                failure!("\"{}\" is a folder", path.display()).try_this("name a file to write, such as walk-loop.bvh")
            );
        }
        // Renaming onto something that is not a regular file, such as a device, would replace it with a file.
        if path.metadata().is_ok_and(|there| !there.is_file()) {
            return Err(failure!("\"{}\" is no file to write to", path.display())
                .try_this("the name of a file, such as walk-loop.bvh"));
        }
        let canonical = path.canonicalize().ok();
        if canonical.is_some() && canonical == self.extended && !self.force {
            return Err(failure!("\"{}\" is the take itself", path.display())
                .try_this("--force to add the loop to it, or another name"));
        }
        if let Some((_, what)) =
            canonical.and_then(|path| self.protected.iter().find(|(protected, _)| *protected == path))
        {
            return Err(failure!("\"{}\" is the {what} itself", path.display())
                .try_this(format!("another name; a {what} is never overwritten")));
        }
        // A dangling link also blocks the output, although its target does not exist.
        if !self.force && path.symlink_metadata().is_ok() {
            return Err(already_there(path));
        }
        let folder = folder_of(path);
        // In a dry run, a folder that would be created does not exist.
        if folder.is_dir() || writes_nothing() {
            return Ok(folder);
        }
        Err(failure!("there is no folder \"{}\" to write to", folder.display())
            .try_this("make the folder first, or name another output"))
    }

    /// Fails at once if a loop or its sidecar could not be written later.
    pub fn check_loop(&self, path: &Path) -> Result<()> {
        self.check(path)?;
        self.check(&path.with_added_extension(files::SIDECAR)).map(drop)
    }

    /// Protects an input file from now on: no output may replace it, even with `force`, because a capture cannot be repeated.
    pub fn protect(&mut self, input: &Path) {
        self.protect_as("take", [input]);
    }

    /// Protects the file of a name such as `pack.glb#Walk`.
    pub fn protect_named(&mut self, named: &Path) {
        self.protect(&files::split_animation(named).0);
    }

    /// Protects files other than takes; `what` is their kind.
    pub fn protect_as(&mut self, what: &'static str, inputs: impl IntoIterator<Item: AsRef<Path>>) {
        let real = inputs.into_iter().flat_map(|input| input.as_ref().canonicalize());
        self.protected.extend(real.map(|path| (path, what)));
    }

    /// Protects the character that motion is put onto, and the map of its joints.
    pub fn protect_character(&mut self, rig: Option<&Path>, map: Option<&Path>) {
        self.protect_as("rig", rig);
        self.protect_as("map", map);
    }

    /// Protects an input file to which loops are added, unless the output is that very file.
    pub fn protect_unless_in_place(&mut self, input: &Path, output: &Path) {
        let canonical = input.canonicalize().ok();
        let is_same = canonical.is_some() && canonical == output.canonicalize().ok();
        self.extended = canonical.filter(|_| is_same);
        if !(is_same && self.force) {
            self.protect(input);
        }
    }

    /// Whether this output replaces the input that it was made from.
    pub fn is_in_place(&self, output: &Path) -> bool {
        self.force && self.extended.is_some() && output.canonicalize().ok() == self.extended
    }

    /// Checks the path of the sidecar beside an output that holds the loop of another file, whose own sidecar is `own`; without one, clears
    /// that path.
    pub fn check_beside(&mut self, own: Option<&Path>, output: &Path) -> Result<()> {
        let Some(own) = own else {
            return self.clear_sidecar(output);
        };
        self.protect(own);
        self.check(&output.with_added_extension(files::SIDECAR)).map(drop)
    }

    /// Makes sure that no sidecar of ours stays beside an output that has none. An existing one is an error; with `force` it is removed
    /// when the new files appear. Other files are left alone.
    pub fn clear_sidecar(&mut self, output: &Path) -> Result<()> {
        let path = output.with_added_extension(files::SIDECAR);
        if path.symlink_metadata().is_err() {
            return Ok(());
        }
        if is_ours(&path) {
            self.check(&path)?;
            self.cleared.push(path);
        } else {
            warning!(
                "\"{}\" is beside the output and was not written by loopwright; it stays",
                path.display()
            );
        }
        Ok(())
    }

    /// Removes a file that an earlier run wrote, and its sidecar, when the new files appear: only with `force`, and only if it is no input
    /// and not among the new files.
    pub fn clear(&mut self, file: &Path) {
        let sidecar = file.with_added_extension(files::SIDECAR);
        let is_sidecar_ours = is_ours(&sidecar);
        for path in core::iter::once(file.to_owned()).chain(is_sidecar_ours.then_some(sidecar)) {
            let is_there = path.symlink_metadata().is_ok_and(|found| found.is_file());
            if self.force
                && is_there
                && !self.cleared.contains(&path)
                && let Ok(folder) = self.check(&path)
                && !self.writes_to(&place(folder, &path))
            {
                self.cleared.push(path);
            }
        }
    }

    fn writes_to(&self, place: &Path) -> bool {
        self.waiting.iter().any(|waiting| waiting.place == place)
    }

    /// Writes a file like [`Self::add`], and its sidecar beside it; without a sidecar, removes an old one of ours.
    pub fn add_with_sidecar(&mut self, path: &Path, bytes: &[u8], sidecar: Option<&str>) -> Result<()> {
        self.add(path, bytes)?;
        match sidecar {
            Some(sidecar) => self.add(&path.with_added_extension(files::SIDECAR), sidecar.as_bytes()),
            None => self.clear_sidecar(path),
        }
    }

    /// Writes a file's bytes to a temporary file next to its path.
    pub fn add(&mut self, path: &Path, bytes: &[u8]) -> Result<()> {
        let folder = self.check(path)?;
        let place = place(folder, path);
        if self.writes_to(&place) {
            return Err(failure!("two outputs would be \"{}\"", path.display()).try_this("a name for each of them"));
        }
        if writes_nothing() {
            return Ok(());
        }
        let failed = |error: io::Error| {
            Failure::cannot("write", path, cause(&error))
                .try_this("check that the folder may be written to and has room, or name another output")
        };
        let mut file = temporary_in(folder).map_err(failed)?;
        if is_first_in(folder) {
            remove_leftovers(folder, &file);
        }
        file.write_all(bytes).map_err(failed)?;
        file.flush().map_err(failed)?;
        if !self.is_passing {
            sync(file.as_file()).map_err(failed)?;
        }
        self.waiting.push(Waiting {
            file,
            path: path.to_owned(),
            place,
        });
        Ok(())
    }

    /// Moves all files to their paths and returns their names. On failure nothing has changed: replaced files are restored.
    pub fn commit(self) -> Result<Vec<String>> {
        if writes_nothing() {
            return Ok(Vec::new());
        }
        // Signals wait until the step is done or undone.
        let _step = signals::wait();
        let mut changes = Vec::new();
        match self.move_all(&mut changes) {
            Ok(written) => {
                // The previous files are no longer needed.
                for kept in changes.into_iter().filter_map(|change| change.before) {
                    let _ = fs::remove_file(kept.path);
                }
                locked(&CHANGED_FOLDERS).extend(written.iter().map(|path| folder_of(path).to_owned()));
                Ok(written.iter().map(|path| path.display().to_string()).collect())
            }
            Err(failure) => Err(changes
                .into_iter()
                .rev()
                .filter_map(Change::undo)
                .fold(failure, Failure::because)),
        }
    }

    /// Moves all files to their paths, and lists each change, even if a later one fails.
    fn move_all(self, changes: &mut Vec<Change>) -> Result<Vec<PathBuf>> {
        let mut written = Vec::new();
        for Waiting { file, path, .. } in self.waiting {
            let failed = |error: &io::Error| match error.kind() {
                ErrorKind::AlreadyExists if !self.force => already_there(&path),
                _ => Failure::cannot("write", &path, cause(error))
                    .because("no output was written, and nothing was replaced")
                    .try_this("check that the file may be replaced, or name another output"),
            };
            let before = match self.force {
                true => kept_back(&path).map_err(|error| failed(&error))?,
                false => None,
            };
            let is_new = before.is_none();
            let change = Change {
                path: path.clone(),
                before,
            };
            let moved = match is_new {
                true => file.persist_noclobber(&path),
                false => file.persist(&path),
            };
            // A replaced file can be restored even if the new one does not get its name.
            if !is_new || moved.is_ok() {
                changes.push(change);
            }
            moved.map_err(|failure| failed(&failure.error))?;
            written.push(path);
        }
        for path in self.cleared {
            let failed = |error: io::Error| {
                Failure::cannot("remove", &path, cause(&error))
                    .because("it is of the file that was there before; no output was written, and nothing was replaced")
                    .try_this("check that it may be removed, or name another output")
            };
            let before = kept_back(&path).map_err(failed)?;
            if before.is_some() {
                changes.push(Change {
                    path: path.clone(),
                    before,
                });
                match fs::remove_file(&path) {
                    Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
                    _ => {}
                }
            }
        }
        Ok(written)
    }
}

/// A path whose file was replaced or removed.
struct Change {
    path: PathBuf,
    /// The previous file; `None` if there was none.
    before: Option<Kept>,
}

impl Change {
    /// Restores the previous file. Returns a message if that fails.
    fn undo(self) -> Option<String> {
        let Some(kept) = self.before else {
            let result = fs::remove_file(&self.path);
            let is_left = result.is_err() && self.path.exists();
            return is_left.then(|| format!("\"{}\" is new and could not be removed", self.path.display()));
        };
        let result = fs::rename(&kept.path, &self.path);
        if result.is_ok() {
            // Renaming a file onto another hard link of itself leaves both.
            let _ = fs::remove_file(&kept.path);
        }
        result.is_err().then(|| {
            format!(
                "\"{}\" could not be put back; it is at \"{}\"",
                self.path.display(),
                kept.path.display()
            )
        })
    }
}

/// A file under a second name, until its replacement is in place.
struct Kept {
    path: PathBuf,
    /// Marks the file as in use for other runs.
    _lock: Option<File>,
}

/// Gives a file a second name; `None` if there is no such file. Errors: it is a folder, or cannot be renamed.
fn kept_back(path: &Path) -> io::Result<Option<Kept>> {
    let found = match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        found => found?,
    };
    if found.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    let lock = File::open(path).ok().filter(|file| file.try_lock().is_ok());
    let linked = named(PART).make_in(folder_of(path), |second| fs::hard_link(path, second));
    let kept = match linked {
        Ok(linked) => linked,
        // The file system has no hard links.
        Err(_) => named(OLD).make_in(folder_of(path), |second| fs::rename(path, second))?,
    };
    let path = kept.into_temp_path().keep().map_err(|failure| failure.error)?;
    Ok(Some(Kept { path, _lock: lock }))
}

/// Prefix of our temporary files.
const PREFIX: &str = ".loopwright-";

/// Suffix of a temporary file that is useless once its run is over.
const PART: &str = ".part";

/// Suffix of a file that may be the only copy of its contents.
const OLD: &str = ".old";

/// Number of random letters and digits between prefix and suffix.
const NUM_RANDOM: usize = 12;

fn named(suffix: &str) -> tempfile::Builder<'static, '_> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(suffix).rand_bytes(NUM_RANDOM);
    builder
}

/// Creates a temporary file, locked while this run lives.
fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = named(PART);
    // The permissions of any new file; the system subtracts the user's umask.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    loop {
        // Signals wait until the file is known to them.
        let mut unfinished = signals::wait();
        let file = builder.tempfile_in(folder)?;
        unfinished.push(file.path().to_owned());
        drop(unfinished);
        // If the file system has no locks, leftovers are never removed.
        let _ = file.as_file().lock();
        // Another run may have removed it as a leftover before it was locked.
        if file.path().exists() {
            return Ok(file);
        }
    }
}

/// Whether a file has the name of a temporary file that is useless once its run is over.
fn is_named_by_us(name: &str) -> bool {
    let random = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(PART));
    random.is_some_and(|random| random.len() == NUM_RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Whether this run writes into a folder for the first time: listing a growing folder for each of many outputs would take quadratic time.
fn is_first_in(folder: &Path) -> bool {
    static CLEANED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    locked(&CLEANED).insert(folder.to_owned())
}

/// Removes temporary files that killed runs of the same user left in a folder, those that no run locks. `own` is a file of this run.
fn remove_leftovers(folder: &Path, own: &NamedTempFile) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let is_ours = entry.file_name().to_str().is_some_and(is_named_by_us)
            && path
                .symlink_metadata()
                .is_ok_and(|found| found.is_file() && has_same_owner(&found, own));
        if is_ours && File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(&path);
        }
    }
}

fn has_same_owner(found: &fs::Metadata, own: &NamedTempFile) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        own.as_file().metadata().is_ok_and(|own| own.uid() == found.uid())
    }
    #[cfg(not(unix))]
    {
        let _ = (found, own);
        true
    }
}

/// Waits until a file is on the disk, if its file system supports that.
fn sync(file: &File) -> io::Result<()> {
    match file.sync_all() {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        result => result,
    }
}

/// Folders in which files were renamed.
static CHANGED_FOLDERS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Waits until the names of all files are on the disk. Done once at the end of a run: each renamed file is complete without it, and waiting
/// for each of many takes longer than writing it. The files are in place already, so errors are ignored.
pub fn sync_folders() {
    let changed = locked(&CHANGED_FOLDERS);
    #[cfg(unix)]
    for folder in changed.iter() {
        if let Ok(folder) = File::open(folder) {
            let _ = folder.sync_all();
        }
    }
    #[cfg(not(unix))]
    drop(changed);
}

/// Whether a file is JSON that this program wrote.
fn is_ours(path: &Path) -> bool {
    #[derive(serde::Deserialize)]
    struct Marks {
        format: String,
    }
    // Opening a pipe would wait for its other end.
    let file = path.is_file().then(|| File::open(path));
    let marks = file
        .and_then(Result::ok)
        .and_then(|file| serde_json::from_reader::<_, Marks>(BufReader::new(file)).ok());
    marks.is_some_and(|marks| [loop_file::FORMAT, loop_file::PACK_FORMAT].contains(&&*marks.format))
}

/// Words why writing failed, without the name of the temporary file, which means nothing to the user.
fn cause(error: &io::Error) -> String {
    let text = error.to_string();
    if error.get_ref().is_none() {
        return text;
    }
    // For a failing disk, the kind alone is only "uncategorized error".
    let told = text.split_once(" at path ");
    told.map_or_else(|| error.kind().to_string(), |(told, _)| told.to_owned())
}

/// Returns the canonical path of a file that may not exist yet: its name in the canonical folder.
pub fn place(folder: &Path, path: &Path) -> PathBuf {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    folder.join(path.file_name().unwrap_or_default())
}

/// Whether two paths name the same file, which may not exist yet.
pub fn is_same(one: &Path, other: &Path) -> bool {
    place(folder_of(one), one) == place(folder_of(other), other)
}

fn already_there(path: &Path) -> Failure {
    failure!("\"{}\" exists already", path.display()).try_this("--force to overwrite it, or another name")
}

/// Whether a path means a folder: its name ends like one, or it is a folder whose name is not that of a file to write.
pub fn is_named_as_folder(path: &Path) -> bool {
    if path.is_dir() && !files::is_named_like_a_take(path) {
        return true;
    }
    path.as_os_str()
        .as_encoded_bytes()
        .last()
        .is_some_and(|&last| std::path::is_separator(char::from(last)))
        || path.ends_with("..")
        || path == Path::new(".")
}

/// Creates a folder and its missing parents.
pub fn make_folder(folder: &Path) -> Result<()> {
    if writes_nothing() {
        return Ok(());
    }
    if let Some(file) = folder.ancestors().find(|above| above.is_file()) {
        return Err(
            failure!("\"{}\" is a file, and a folder is wanted", file.display()).try_this("the name of a folder")
        );
    }
    fs::create_dir_all(folder).map_err(|error| {
        Failure::cannot("make the folder", folder, error)
            .try_this("check that its parent may be written to, or name another folder with -o")
    })
}

/// Writes bytes to stdout.
pub fn print_bytes(bytes: &[u8]) -> Result<()> {
    print_to(io::stdout().lock(), bytes, "write to the standard output")
}

/// Prints data on stdout.
pub fn print(text: &str) -> Result<()> {
    if talk::print_aside(text) {
        return Ok(());
    }
    print_to(anstream::stdout().lock(), talk::harmless(text).as_bytes(), "print")
}

/// It is no error if the reader closed the pipe.
fn print_to(mut stdout: impl Write, bytes: &[u8], what: &str) -> Result<()> {
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(failure!("cannot {what}: {error}")),
        _ => Ok(()),
    }
}

/// Ends a command whose document also reports a failure: attaches the document to the failure, or prints it if JSON is asked for.
pub fn end(document: String, failure: Option<Failure>, is_json: bool) -> Result<()> {
    match failure {
        Some(failure) => Err(failure.in_document(document)),
        None if is_json => print(&document),
        None => Ok(()),
    }
}

/// Ends a command with its answer: a document of this kind if JSON is asked for, else words. A failure, which the document states, too, comes after
/// the words.
pub fn answer<T: Serialize>(
    kind: &str,
    answer: &T,
    failure: Option<Failure>,
    outputs: &[String],
    is_json: bool,
    words: impl FnOnce(&T) -> String,
) -> Result<Ending> {
    if !is_json {
        print(&words(answer))?;
    }
    if is_json || failure.is_some() {
        end(
            json::document(kind, answer, failure.as_ref(), outputs),
            failure,
            is_json,
        )?;
    }
    Ok(Ending::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// JSON of another program stays, whatever its format is called.
    #[test]
    fn a_file_of_another_program_beside_an_output_stays() {
        let folder = tempfile::tempdir().unwrap();
        let beside = folder.path().join("a.bvh.json");
        fs::write(&beside, r#"{"format": "loopwright-notes-of-mine"}"#).unwrap();
        let mut outputs = Outputs::new(true);
        outputs.clear_sidecar(&folder.path().join("a.bvh")).unwrap();
        outputs.add(&folder.path().join("a.bvh"), b"new").unwrap();
        outputs.commit().unwrap();
        assert_eq!(names(folder.path()), ["a.bvh", "a.bvh.json"]);
    }

    /// With --force and a sidecar that cannot be replaced, the new loop once stayed beside the old sidecar.
    #[test]
    fn an_output_that_cannot_be_replaced_leaves_all_others_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let [kept, cleared, new, stuck] =
            ["a.bvh", "c.bvh.json", "b.svg", "a.bvh.json"].map(|name| folder.path().join(name));
        fs::write(&kept, "old").unwrap();
        fs::write(&cleared, r#"{"format": "loopwright-loop"}"#).unwrap();
        let mut outputs = Outputs::new(true);
        outputs.clear_sidecar(&folder.path().join("c.bvh")).unwrap();
        for path in [&kept, &new, &stuck] {
            outputs.add(path, b"new").unwrap();
        }
        // No file can be renamed onto a folder.
        fs::create_dir(&stuck).unwrap();
        let failure = outputs.commit().unwrap_err();
        assert!(failure.what().contains("a.bvh.json"), "{failure:?}");
        assert!(failure.hint().is_some(), "{failure:?}");
        assert_eq!(names(folder.path()), ["a.bvh", "a.bvh.json", "c.bvh.json"]);
        assert_eq!(fs::read(&kept).unwrap(), b"old");

        fs::remove_dir(&stuck).unwrap();
        let mut outputs = Outputs::new(true);
        outputs.clear_sidecar(&folder.path().join("c.bvh")).unwrap();
        for path in [&kept, &new, &stuck] {
            outputs.add(path, b"new").unwrap();
        }
        outputs.commit().unwrap();
        assert_eq!(names(folder.path()), ["a.bvh", "a.bvh.json", "b.svg"]);
        assert_eq!(fs::read(&kept).unwrap(), b"new");
    }

    #[test]
    fn leftovers_of_killed_runs_are_removed_and_no_other_files() {
        let folder = tempfile::tempdir().unwrap();
        let left = ".loopwright-aB3dE6gH9jKl.part";
        let others = [
            ".loopwright-aB3dE6gH9jKl.old",
            ".loopwright-notes.part",
            ".loopwright-recipe",
            "aB3dE6gH9jKl.part",
        ];
        for name in others.iter().chain([&left]) {
            fs::write(folder.path().join(name), "left").unwrap();
        }
        // A live run keeps its files.
        let mut living = Outputs::new(false);
        living.add(&folder.path().join("other.bvh"), b"").unwrap();
        assert!(!folder.path().join(left).exists());
        let mut outputs = Outputs::new(false);
        outputs.add(&folder.path().join("walk.bvh"), b"new").unwrap();
        outputs.commit().unwrap();
        living.commit().unwrap();
        let mut wanted: Vec<String> = others.map(str::to_owned).to_vec();
        wanted.extend(["other.bvh".to_owned(), "walk.bvh".to_owned()]);
        wanted.sort();
        assert_eq!(names(folder.path()), wanted);
    }
}
