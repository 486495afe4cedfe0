//! Files by their names: what they are, what lies beside them, and their contents.

use std::{
    cell::RefCell,
    fmt,
    fs::File,
    io::{self, ErrorKind, Read},
    path::{Component, Path, PathBuf},
    rc::Rc,
    sync::OnceLock,
    thread,
};

use loopwright_core::names;
use loopwright_formats::{
    AnimatedFile, ByteCount, FileWarning, Format, LoadedTake, ReadError, ReadSettings, Sidecar, loop_file::sha256,
};

use crate::{
    exit::{Failure, Result},
    failures, memory,
    recipe::TakeArgs,
};

/// The name that stands for the standard input or output.
pub const STREAM: &str = "-";

/// Whether a name stands for the standard input or output. A file of that name is `./-`.
pub fn is_stream(path: &Path) -> bool {
    path == Path::new(STREAM)
}

/// The bytes of the standard input: it can be read only once, while some work needs its contents twice.
static STANDARD_INPUT: OnceLock<Vec<u8>> = OnceLock::new();

/// Reads all bytes of the standard input.
fn read_stream() -> Result<Vec<u8>> {
    if let Some(bytes) = STANDARD_INPUT.get() {
        return Ok(bytes.clone());
    }
    let limits = memory::limits();
    let limit = limits.max_input_bytes.min(limits.max_memory_bytes);
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| failure!("cannot read the standard input: {error}"))?;
    if bytes.len() as u64 > limit {
        return Err(
            failure!("the standard input is too large: the limit is {}", ByteCount(limit))
                .try_this("a file, cut into parts"),
        );
    }
    Ok(STANDARD_INPUT.get_or_init(|| bytes).clone())
}

/// Returns the extension of a file's format: from its name, or from the contents of the standard input.
pub fn extension(path: &Path) -> Option<String> {
    if is_stream(path) {
        // A file of an unknown format is read as BVH.
        let format = Format::detect(&read_stream().ok()?).unwrap_or(Format::Bvh);
        return Some(format.extension().to_owned());
    }
    let extension = path.extension()?;
    Some(extension.to_string_lossy().into_owned())
}

/// The extension of a file's name, in lower case.
pub fn lowercase_extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_string_lossy().to_lowercase())
}

/// Largest settings file, such as a recipe, bytes; when parsed it takes up to 65 times as much.
const MAX_SETTINGS_BYTES: u64 = 1 << 20;

/// Largest sidecar or manifest, bytes: that of a set of a thousand loops, with the jump from each into each other.
const MAX_JSON_BYTES: u64 = 256 << 20;

/// Reads all bytes of a file that people write: settings, maps.
pub fn read_settings(path: &Path) -> Result<Vec<u8>> {
    read_up_to(
        path,
        (" for settings", MAX_SETTINGS_BYTES),
        "a file of settings, as `loopwright recipe` prints them",
    )
}

/// Reads all bytes of a file.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    read_up_to(
        path,
        ("", memory::limits().max_input_bytes),
        "cut the take into parts in the program that recorded it",
    )
}

/// Reads all bytes of a file. Errors: it has more than its kind may have, or than the run may hold.
fn read_up_to(path: &Path, (kind, most): (&str, u64), hint: &str) -> Result<Vec<u8>> {
    if is_stream(path) {
        return read_stream();
    }
    let failed = |error: io::Error| unreadable(path, &error);
    // Links are followed, since the user named them; but the target must be a file, since opening a pipe might wait forever.
    let found = path.metadata().map_err(failed)?;
    if found.is_dir() {
        return Err(failure!("\"{}\" is a folder", path.display()).try_this("name one file in it"));
    }
    if !(found.is_file() || is_stream_of_this_run(path)) {
        return Err(failure!("\"{}\" is no file", path.display())
            .because("it is a pipe, a socket or a device")
            .try_this("the path of a file, or /dev/stdin"));
    }
    let limit = most.min(memory::limits().max_memory_bytes);
    let size = if found.len() > limit {
        ByteCount(found.len()).to_string()
    } else {
        let file = File::open(path).map_err(failed)?;
        let bytes = read_at_most(file, found.len(), limit.saturating_add(1)).map_err(failed)?;
        if bytes.len() as u64 <= limit {
            return Ok(bytes);
        }
        // A pipe does not say how much.
        "more".to_owned()
    };
    let failure = failure!(
        "\"{}\" is too large: it has {size}, the limit{kind} is {}",
        path.display(),
        ByteCount(limit)
    );
    Err(if limit < most {
        failure.try_this(memory::hint(limit))
    } else {
        failure.try_this(hint)
    })
}

/// Reads the lines of a table that people write, trimmed and with their numbers; blank lines and those that begin with # are ignored.
/// Errors: the file cannot be read, or is not text, as `wrong` words it.
pub fn lines(path: &Path, wrong: impl Fn(String) -> Failure) -> Result<Vec<(usize, String)>> {
    let text = String::from_utf8(read_bytes(path)?).map_err(|_| wrong("it is not text".to_owned()))?;
    Ok((1..)
        .zip(text.trim_start_matches('\u{feff}').lines().map(str::trim))
        .filter(|(_, line)| !(line.is_empty() || line.starts_with('#')))
        .map(|(number, line)| (number, line.to_owned()))
        .collect())
}

/// Reads all bytes of a JSON file. Errors: it cannot be read, or takes more memory than the run may use.
pub fn read_json(path: &Path) -> Result<Vec<u8>> {
    let bytes = read_up_to(
        path,
        (" for sidecars and sets", MAX_JSON_BYTES),
        "the file that `loopwright` wrote beside its loops",
    )?;
    memory::limits()
        .check_json(&bytes)
        .map_err(|error| failures::memory(&format!("to read \"{}\"", path.display()), error))?;
    Ok(bytes)
}

/// Reads all bytes of a JSON file that may be missing. Errors: it exists but cannot be read.
pub fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        _ => read_json(path).map(Some),
    }
}

/// Words why a file cannot be read.
fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let hint = match error.kind() {
        ErrorKind::NotFound => match similar(path) {
            Some(other) => format!("\"{}\"", other.display()),
            None if is_named_like_a_take(path) || path.extension().is_some() => "check the path".to_owned(),
            None => format!(
                "check the path; takes are {} files, recipes and settings TOML",
                Format::names("or")
            ),
        },
        ErrorKind::NotADirectory => "check the path: one of its folders is a file".to_owned(),
        ErrorKind::PermissionDenied => "allow yourself to read it: chmod u+r".to_owned(),
        ErrorKind::OutOfMemory => memory::hint(memory::limits().max_memory_bytes),
        _ => "copy it to another disk, and read the copy".to_owned(),
    };
    Failure::cannot("read", path, error).try_this(hint)
}

/// Finds a file in the same folder whose name resembles a missing one: a take, or if the missing file has another extension, a file with
/// that.
fn similar(path: &Path) -> Option<PathBuf> {
    let names = std::fs::read_dir(folder_of(path))
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    let is_like = |name: &str| match path.extension() {
        Some(extension) if !is_named_like_a_take(path) => Path::new(name).extension() == Some(extension),
        _ => is_named_like_a_take(Path::new(name)),
    };
    let mut takes: Vec<String> = names.filter(|name| is_like(name)).collect();
    takes.sort();
    let stems: Vec<String> = takes.iter().map(|name| stem(Path::new(name))).collect();
    let near = names::nearest(&stem(path), stems.iter().map(String::as_str), 1);
    let index = stems.iter().position(|stem| Some(&stem.as_str()) == near.first())?;
    Some(path.with_file_name(&takes[index]))
}

/// The length of a file, bytes; 0 where it is unknown.
pub fn size(path: &Path) -> u64 {
    path.metadata().map_or(0, |found| found.len())
}

/// Errors: no file has this name, which is most likely mistyped.
pub fn check_is_there(path: &Path) -> Result<()> {
    InputFile::existing(path).map(drop)
}

/// Splits a name such as `pack.glb#Walk` into the file and the animation in it. If a file has the whole name, it is that file.
pub fn split_animation(named: &Path) -> (PathBuf, Option<String>) {
    let text = named
        .to_str()
        .filter(|_| named.symlink_metadata().is_err())
        .unwrap_or_default();
    let mut parts = text.match_indices('#').map(|(at, _)| (&text[..at], &text[at + 1..]));
    match parts.find(|(file, animation)| Path::new(file).is_file() && !animation.is_empty()) {
        Some((file, animation)) => (PathBuf::from(file), Some(animation.to_owned())),
        None => (named.to_owned(), None),
    }
}

pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Whether a path names the standard input, or a pipe from the shell such as `<(zcat walk.bvh.gz)`.
fn is_stream_of_this_run(path: &Path) -> bool {
    path == Path::new("/dev/stdin")
        || ["/dev/fd", "/proc/self/fd"].iter().any(|folder| {
            let number = path.strip_prefix(folder).ok().and_then(Path::to_str);
            number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        })
}

/// Folders whose files may be named by other files: the folders of the inputs on the command line, and those of `--allow-paths`.
static OPEN_FOLDERS: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Allows files to name others in these folders; for a path that is no folder, in its parent folder.
pub fn open_folders(paths: &[PathBuf]) {
    let folders = paths
        .iter()
        .map(|path| if path.is_dir() { path } else { folder_of(path) });
    // A missing folder holds no files.
    let folders = folders.filter_map(|folder| folder.canonicalize().ok()).collect();
    // Set only once.
    let _ = OPEN_FOLDERS.set(folders);
}

/// Checks whether a file that another file names, such as a row of a catalog, may be opened.
///
/// Like takes, such files come from strangers. What they name has to be a regular file in their own folder or below, or in a folder that
/// the user named, after following all links. Errors: it is not, or does not exist.
pub fn check_named_by(owner: &Path, named: &Path) -> Result<()> {
    let refused = |why: &str| failure!("\"{}\" names \"{}\", {why}", owner.display(), named.display());
    let (file, _) = split_animation(named);
    if is_stream(&file) {
        return Err(refused("which is no file"));
    }
    let found = file.canonicalize().map_err(|error| unreadable(named, &error))?;
    if !found.is_file() {
        return Err(refused("which is no file").try_this("the path of a file in its place"));
    }
    let mut open = folder_of(owner)
        .canonicalize()
        .into_iter()
        .chain(OPEN_FOLDERS.get().into_iter().flatten().cloned());
    if !open.any(|folder| found.starts_with(folder)) {
        return Err(
            refused("which lies outside its folder and those on the command line").try_this(format!(
                "--allow-paths \"{}\", if you trust it",
                folder_of(&found).display()
            )),
        );
    }
    Ok(())
}

/// Reads an open file up to a limit, bytes. `length` is only a hint; some files have no length.
pub fn read_at_most(file: File, length: u64, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length.min(limit) as usize).map_err(|_| {
        io::Error::new(
            ErrorKind::OutOfMemory,
            format!("there is no room in memory for its {}", ByteCount(length)),
        )
    })?;
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a file that another file names, up to `most` bytes.
///
/// The file must lie in the same folder or below, after following all links: otherwise a foreign file could make the program copy files
/// that do not belong to it. Pipes and devices are refused, since reading them may wait forever.
pub fn companion(of: &Path, name: &str, most: u64) -> io::Result<Vec<u8>> {
    let refused = |why: &str| Err(io::Error::other(why.to_owned()));
    let name = Path::new(name);
    if !name
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
    {
        return refused("it does not lie in the same folder or below");
    }
    let folder = folder_of(of).canonicalize()?;
    let path = match folder.join(name).canonicalize() {
        Err(error) if error.kind() == ErrorKind::NotFound => return refused("there is no such file"),
        path => path?,
    };
    if !path.starts_with(&folder) {
        return refused("it is a link to a file that does not lie in the same folder or below");
    }
    // Checked before it is opened, since opening a pipe waits for its other end, and after, in case it was exchanged meanwhile.
    if !path.metadata()?.is_file() {
        return refused("it is no file but a folder, a pipe or a device");
    }
    let file = File::open(&path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return refused("it is no file but a folder, a pipe or a device");
    }
    read_at_most(file, found.len(), most)
}

/// Reads a file as a take; its problems go to `warnings`.
pub fn read_take(path: &Path, settings: &ReadSettings, warnings: &mut Vec<FileWarning>) -> Result<LoadedTake> {
    read_loop(path, settings, None, warnings)
}

/// Reads a loop with the sidecar beside it. Errors: the file is not the one that the sidecar describes.
pub fn read_loop(
    path: &Path,
    settings: &ReadSettings,
    sidecar: Option<&Sidecar>,
    warnings: &mut Vec<FileWarning>,
) -> Result<LoadedTake> {
    let bytes = read_bytes(path)?;
    check_file(path, &bytes, sidecar)?;
    parse_take(path, &bytes, settings, warnings)
}

/// Parses the bytes of a file as a take.
pub fn parse_take(
    path: &Path,
    bytes: &[u8],
    settings: &ReadSettings,
    warnings: &mut Vec<FileWarning>,
) -> Result<LoadedTake> {
    let companions = |name: &str, most: u64| companion(path, name, most);
    read_hashed(
        bytes,
        &stem(path),
        &ReadSettings {
            companions: Some(&companions),
            ..*settings
        },
        warnings,
    )
    .map_err(|error| cannot_read(path, &error))
}

/// File size from which a thread for the hash is worthwhile, bytes.
const LARGE_BYTES: usize = 1 << 20;

/// Reads a take while another thread computes the hash of its file, if the file is large.
pub fn read_hashed(
    bytes: &[u8],
    name: &str,
    settings: &ReadSettings,
    warnings: &mut Vec<FileWarning>,
) -> Result<LoadedTake, ReadError> {
    if bytes.len() < LARGE_BYTES {
        return loopwright_formats::read_take(bytes, name, settings, warnings);
    }
    thread::scope(|scope| {
        let beside = thread::Builder::new().spawn_scoped(scope, || sha256(bytes)).ok();
        let read = loopwright_formats::read_without_hash(bytes, name, settings, warnings)?;
        let hash = beside.and_then(|hash| hash.join().ok());
        Ok(LoadedTake {
            file_sha256: Some(hash.unwrap_or_else(|| sha256(bytes))),
            ..read
        })
    })
}

/// Parses a file once, to read several of its animations.
pub fn read_animated(path: &Path) -> Result<AnimatedFile> {
    read_described(path, &[])
}

thread_local! {
    static KEPT: RefCell<Option<(PathBuf, Rc<AnimatedFile>)>> = const { RefCell::new(None) };
}

/// Parses a file once for work on several of its animations in turn: this thread keeps it until another file is asked for.
pub fn kept_animated(path: &Path) -> Result<Rc<AnimatedFile>> {
    if let Some((_, file)) = KEPT.with_borrow(|kept| kept.clone().filter(|(of, _)| of == path)) {
        return Ok(file);
    }
    KEPT.set(None);
    let file = Rc::new(read_animated(path)?);
    KEPT.set(Some((path.to_owned(), Rc::clone(&file))));
    Ok(file)
}

/// Parses a file of loops with the sidecars beside it. Errors: the file is not the one that they describe.
pub fn read_described(path: &Path, sidecars: &[Sidecar]) -> Result<AnimatedFile> {
    let bytes = read_bytes(path)?;
    check_file(path, &bytes, sidecars.first())?;
    parse(path, &bytes)
}

pub fn parse(path: &Path, bytes: &[u8]) -> Result<AnimatedFile> {
    AnimatedFile::parse_within(
        bytes,
        &stem(path),
        Some(&|name: &str, most: u64| companion(path, name, most)),
        &memory::limits(),
    )
    .map_err(|error| cannot_read(path, &error))
}

/// Errors: the file is not the one that its sidecar describes.
fn check_file(path: &Path, bytes: &[u8], sidecar: Option<&Sidecar>) -> Result<()> {
    let Some(Err(other)) = sidecar.map(|sidecar| sidecar.check_file(bytes)) else {
        return Ok(());
    };
    let beside = path.with_added_extension(SIDECAR);
    Err(failure!(
        "\"{}\" is not the file that \"{}\" describes: one of them was changed or replaced",
        path.display(),
        beside.display()
    )
    .because(format!("SHA-256 of the file:  {}", other.found))
    .because(format!("stated beside it:     {}", other.stated))
    .try_this(format!(
        "make the loop again; if you changed it on purpose, take \"file_sha256\" out of \"{}\"",
        beside.display()
    )))
}

/// Words why a file cannot be read as a take.
pub fn cannot_read(path: &Path, error: &ReadError) -> Failure {
    let listed = format!("`loopwright list {}`", path.display());
    let formats = format!("a file exported as {}", Format::names("or"));
    let more_memory;
    let hint = match error {
        ReadError::Animation(_) => &listed,
        ReadError::Memory(error) => {
            more_memory = memory::hint(error.needed);
            &more_memory
        }
        ReadError::NoSuchSkin { .. } | ReadError::NoSuchSkeleton { .. } => {
            "--set take.skin=NAME with one of those names, or its number from 0"
        }
        _ if error.is_of_no_format() => &formats,
        _ => error.remedy(),
    };
    let is_named_otherwise = error.is_of_no_format() && path.extension().is_some() && !is_named_like_a_take(path);
    let failure = match (is_named_otherwise, error) {
        // BVH is the fallback for files of no recognised format.
        (true, ReadError::Bvh(_)) => Failure::cannot("read", path, format!("it is no {} file", Format::names("or"))),
        _ => Failure::cannot("read", path, error),
    };
    failure.try_this(hint)
}

/// Returns the format of a file name's extension, if that format can be read.
pub fn format_of_name(path: &Path) -> Option<Format> {
    Format::from_extension(path.extension()?.to_str()?)
}

/// Whether the file's name has the extension of a format that can be read.
pub fn is_named_like_a_take(path: &Path) -> bool {
    format_of_name(path).is_some()
}

/// Whether a file found in a folder counts as a take. Robot motion has the extensions of tables and notes, so it must be named itself.
pub fn is_take_of_a_folder(path: &Path) -> bool {
    format_of_name(path).is_some_and(|format| !format.capabilities().is_of_robots)
}

/// The stem of a file's name, for naming its outputs.
pub fn stem(path: &Path) -> String {
    if is_stream(path) {
        return "stdin".to_owned();
    }
    path.file_stem()
        .map_or_else(|| "take".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// Whether a file has a sidecar: it then holds one or more loops.
pub fn has_sidecar(path: &Path) -> bool {
    path.with_added_extension(SIDECAR).exists()
}

/// The extension that is appended to a file's name for its sidecar, `walk.glb.json`.
pub const SIDECAR: &str = "json";

/// A file to read, or one animation of it: `pack.glb#Walk`.
#[value(Default, Eq, PartialOrd, Ord)]
pub struct InputFile {
    /// The file.
    pub path: PathBuf,
    /// The named animation in it, or one of several loops that it holds.
    pub animation: Option<String>,
    /// The JSON beside the file, if there is one: the file then holds loops.
    pub sidecar: Option<PathBuf>,
}

impl InputFile {
    /// Parses a name such as `pack.glb#Walk`.
    pub fn named(typed: &Path) -> Self {
        let (path, animation) = split_animation(typed);
        Self::new(path, animation)
    }

    /// Parses a name as typed. Errors: no such file exists, most likely since the name is mistyped.
    pub fn existing(typed: &Path) -> Result<Self> {
        let input = Self::named(typed);
        match input.path.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound && !is_stream(&input.path) => {
                Err(unreadable(&input.path, &error))
            }
            _ => Ok(input),
        }
    }

    /// Creates an input from a plain path and an animation.
    pub fn new(path: PathBuf, animation: Option<String>) -> Self {
        let beside = path.with_added_extension(SIDECAR);
        Self {
            sidecar: beside.exists().then_some(beside),
            path,
            animation,
        }
    }

    /// Returns the JSON beside the file if `is_loop`.
    pub fn sidecar_if(&self, is_loop: bool) -> Option<&Path> {
        self.sidecar.as_deref().filter(|_| is_loop)
    }

    /// Selects one of the loops in the file.
    pub fn with_animation(&self, animation: String) -> Self {
        Self {
            animation: Some(animation),
            ..self.clone()
        }
    }

    /// The name as it would be typed: `pack.glb#Walk`.
    pub fn typed(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        if let Some(animation) = &self.animation {
            name.push(format!("#{animation}"));
        }
        name.into()
    }

    /// Returns the requested animation: the one in the file's name takes precedence over that of the flags.
    pub fn wanted<'a>(&'a self, flags: &'a TakeArgs) -> Option<&'a str> {
        self.animation.as_deref().or(flags.animation.as_deref())
    }

    /// Returns the settings for reading the file.
    pub fn reading(&self, flags: &TakeArgs) -> TakeArgs {
        flags.of_animation(self.wanted(flags).map(str::to_owned))
    }
}

impl fmt::Display for InputFile {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.animation {
            Some(animation) => write!(f, "{} ({animation})", self.path.display()),
            None => write!(f, "{}", self.path.display()),
        }
    }
}
