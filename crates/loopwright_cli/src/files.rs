//! Reads files and lists folders.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use loopwright_formats::{Format, MAX_FILE_BYTES};

use crate::exit::Failure;

/// Memory reserved at once on the basis of the reported file size, bytes. Beyond it, memory grows as data is read.
const MAX_HINTED_BYTES: u64 = 1 << 30;

/// All bytes of a file.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |error: io::Error| {
        let failure = Failure::error(format!("cannot read \"{}\": {error}", path.display()));
        if error.kind() == io::ErrorKind::NotFound {
            let is_text = path.extension().is_some_and(|extension| extension == "toml");
            failure.try_this(match is_text {
                true => "check the path",
                false => "check the path; takes are BVH, FBX, GLB or glTF files",
            })
        } else {
            failure
        }
    };
    let file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?;
    if length.is_dir() {
        return Err(Failure::error(format!("\"{}\" is a folder", path.display())).try_this("name one take in it"));
    }
    // The size from the file system is only a hint; some files have no length.
    let mut bytes = Vec::with_capacity(usize::try_from(length.len().min(MAX_HINTED_BYTES)).unwrap_or(0));
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Failure::error(format!(
            "\"{}\" is larger than {} GiB",
            path.display(),
            MAX_FILE_BYTES >> 30
        )));
    }
    Ok(bytes)
}

/// The text of an error in a TOML file.
///
/// Serde lists every key that it reads after an unknown one. `former` keys are still read, but only the current ones help.
pub(crate) fn toml_error(error: &toml::de::Error, former: &[&str]) -> String {
    const LIST: &str = ", expected one of ";
    let (text, message) = (error.to_string(), error.message());
    let text = text.trim_end();
    let parts = text.strip_suffix(message).zip(message.rsplit_once(LIST));
    let Some((excerpt, (unknown, keys))) = parts else {
        return text.to_owned();
    };
    let is_current = |key: &&str| !former.contains(&key.trim_matches('`'));
    let keys: Vec<&str> = keys.split(", ").filter(is_current).collect();
    format!("{excerpt}{unknown}{LIST}{}", keys.join(", "))
}

/// The wanted files in a folder and its subfolders, sorted by name.
///
/// Links to folders are not followed, since they may form a cycle. Errors: a folder cannot be listed.
pub(crate) fn files_below(folder: &Path, is_wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |error: io::Error| Failure::error(format!("cannot list \"{}\": {error}", folder.display()));
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            if entry.file_type().map_err(failed)?.is_dir() {
                folders.push(path);
            } else if is_wanted(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Whether the file's name has the extension of a format that can be read.
pub(crate) fn is_named_like_a_take(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.and_then(Format::of_extension).is_some()
}

/// The stem of a file's name, for naming its outputs.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem()
        .map_or_else(|| "take".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
