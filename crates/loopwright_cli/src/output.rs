//! Writing files: each appears whole or not at all, and existing files are replaced only on request.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use loopwright_formats::Format;
use tempfile::NamedTempFile;

use crate::exit::Failure;

/// The format for a file name's extension. Errors: no format is written under this extension.
pub(crate) fn format_of(path: &Path) -> Result<Format, Failure> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.and_then(Format::of_extension).ok_or_else(|| {
        let [most @ .., last] = Format::ALL.map(|format| format!(".{}", format.extension()));
        let known = if most.is_empty() {
            last
        } else {
            format!("{} or {last}", most.join(", "))
        };
        Failure::error(format!(
            "cannot write \"{}\": its name is of no format that is written",
            path.display()
        ))
        .try_this(format!("a name that ends in {known}"))
    })
}

/// Files that belong together: they appear only after all of them are written.
pub(crate) struct Outputs {
    force: bool,
    /// Input files, by canonical path: no output may replace them.
    spared: Vec<PathBuf>,
    /// An input that the output would replace with itself and the loops in it.
    extended: Option<PathBuf>,
    waiting: Vec<(NamedTempFile, PathBuf)>,
    /// Files that would contradict the new ones; they are removed when the new files appear.
    cleared: Vec<PathBuf>,
}

impl Outputs {
    /// Starts with nothing to write; with `force`, existing files are replaced.
    pub(crate) fn new(force: bool) -> Self {
        Self {
            force,
            spared: Vec::new(),
            extended: None,
            waiting: Vec::new(),
            cleared: Vec::new(),
        }
    }

    /// Fails at once if the file could not be written later, before any work is done for it.
    pub(crate) fn check(&self, path: &Path) -> Result<(), Failure> {
        let folder = folder_of(path);
        if path.is_dir() {
            return Err(Failure::error(format!("\"{}\" is a folder", path.display()))
                .try_this("name a file to write, such as walk-loop.bvh"));
        }
        if !folder.is_dir() {
            return Err(
                Failure::error(format!("there is no folder \"{}\" to write to", folder.display()))
                    .try_this("make the folder first, or name another output with -o"),
            );
        }
        // Renaming onto something that is not a regular file, such as a device, would replace it with a file.
        if path.metadata().is_ok_and(|there| !there.is_file()) {
            return Err(Failure::error(format!("\"{}\" is no file to write to", path.display()))
                .try_this("the name of a file, such as walk-loop.bvh"));
        }
        let canonical = path.canonicalize().ok();
        if canonical.is_some() && canonical == self.extended && !self.force {
            return Err(Failure::error(format!("\"{}\" is the take itself", path.display()))
                .try_this("--force to add the loop to it, or another name"));
        }
        if canonical.is_some_and(|path| self.spared.contains(&path)) {
            return Err(Failure::error(format!("\"{}\" is the take itself", path.display()))
                .try_this("another name; a take is never overwritten"));
        }
        // A dangling link also blocks the output, although its target does not exist.
        if !self.force && path.symlink_metadata().is_ok() {
            return Err(already_there(path));
        }
        Ok(())
    }

    /// Protects an input file from now on: no output may replace it, even with `force`, because a capture cannot be repeated.
    pub(crate) fn spare(&mut self, input: &Path) {
        self.spared.extend(input.canonicalize());
    }

    /// Protects an input file to which loops are added, unless it is to be replaced by itself with the loops in it.
    pub(crate) fn spare_unless_in_place(&mut self, input: &Path, output: &Path) {
        let canonical = input.canonicalize().ok();
        let is_same = canonical.is_some() && canonical == output.canonicalize().ok();
        self.extended = canonical.filter(|_| is_same);
        if !(is_same && self.force) {
            self.spare(input);
        }
    }

    /// Whether this output replaces the input that it was made from.
    pub(crate) fn is_in_place(&self, output: &Path) -> bool {
        self.force && self.extended.is_some() && output.canonicalize().ok() == self.extended
    }

    /// Makes sure that no such file stays. An existing one is an error; with `force` it is removed when the new files appear.
    pub(crate) fn clear(&mut self, path: &Path) -> Result<(), Failure> {
        if path.symlink_metadata().is_ok() {
            self.check(path)?;
            self.cleared.push(path.to_owned());
        }
        Ok(())
    }

    /// Writes a file's bytes to a temporary file next to its path.
    pub(crate) fn add(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        self.check(path)?;
        if self.waiting.iter().any(|(_, other)| is_same(other, path)) {
            return Err(Failure::error(format!("two outputs would be \"{}\"", path.display()))
                .try_this("a name for each of them"));
        }
        let failed = |error: io::Error| {
            Failure::error(format!("cannot write \"{}\": {}", path.display(), cause(&error)))
                .try_this("check that the folder may be written to and has room, or name another output with -o")
        };
        let mut file = tempfile::Builder::new()
            .prefix(".loopwright-")
            .tempfile_in(folder_of(path))
            .map_err(failed)?;
        file.write_all(bytes).map_err(failed)?;
        file.flush().map_err(failed)?;
        self.waiting.push((file, path.to_owned()));
        Ok(())
    }

    /// Moves all files to their paths and returns their names; on failure removes those it had already moved.
    pub(crate) fn commit(self) -> Result<Vec<String>, Failure> {
        let mut written: Vec<PathBuf> = Vec::new();
        for (file, path) in self.waiting {
            allow_others_to_read(&file);
            let result = if self.force {
                file.persist(&path)
            } else {
                file.persist_noclobber(&path)
            };
            if let Err(failed) = result {
                // Files overwritten with `force` cannot be restored; new files are removed again.
                if !self.force {
                    for path in &written {
                        let _ = std::fs::remove_file(path);
                    }
                }
                return Err(if failed.error.kind() == io::ErrorKind::AlreadyExists {
                    already_there(&path)
                } else {
                    Failure::error(format!("cannot write \"{}\": {}", path.display(), failed.error))
                });
            }
            written.push(path);
        }
        for path in self.cleared {
            std::fs::remove_file(&path).map_err(|error| {
                Failure::error(format!("cannot remove \"{}\": {}", path.display(), cause(&error)))
                    .because("it is of the file that was there before")
            })?;
        }
        Ok(written.iter().map(|path| path.display().to_string()).collect())
    }
}

/// Temporary files are private, so a finished file gets the permissions of any other new file.
fn allow_others_to_read(file: &NamedTempFile) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644));
    }
    #[cfg(not(unix))]
    let _ = file;
}

/// Why writing failed, without the temporary file's name, which means nothing to the user.
fn cause(error: &io::Error) -> String {
    if error.get_ref().is_some() {
        error.kind().to_string()
    } else {
        error.to_string()
    }
}

/// Whether two paths name the same future file.
fn is_same(one: &Path, other: &Path) -> bool {
    let folder = |path: &Path| folder_of(path).canonicalize().ok();
    one.file_name() == other.file_name() && folder(one) == folder(other)
}

fn already_there(path: &Path) -> Failure {
    Failure::error(format!("\"{}\" exists already", path.display()))
        .try_this("--force to overwrite it, or another name")
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Prints data on stdout; it is no failure if the reader has closed the pipe.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::error(format!("cannot print: {error}")))
        }
        _ => Ok(()),
    }
}

/// The sidecar of a loop: `<output>.json`.
pub(crate) fn sidecar_path(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".json");
    PathBuf::from(name)
}
