//! Files on a disk.

use std::{fs, path::Path};

use super::SaveError;
use crate::model::{Action, Exported};

/// Whether one chooses a folder.
pub(crate) const HAS_FOLDERS: bool = true;

/// The folder that is written to before a take came from another.
pub(crate) fn first_folder() -> String {
    ".".to_owned()
}

/// Whether the file or its sidecar is there already.
pub(crate) fn exists(folder: &str, exported: &Exported) -> bool {
    let folder = Path::new(folder);
    folder.join(&exported.file_name).exists() || folder.join(exported.sidecar_name()).exists()
}

/// Writes a file and its sidecar. Returns where the file is.
pub(crate) fn save(folder: &str, exported: &Exported) -> Result<String, SaveError> {
    let folder = Path::new(folder);
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        let place = path.display().to_string();
        match fs::write(&path, bytes) {
            Ok(()) => Ok(place),
            Err(error) => Err(SaveError::File {
                path: place,
                reason: error.to_string(),
            }),
        }
    };
    let place = write(&exported.file_name, &exported.bytes)?;
    write(&exported.sidecar_name(), exported.sidecar.as_bytes())?;
    Ok(place)
}

/// Whether there is a file of that name.
pub(crate) fn is_there(folder: &str, file_name: &str) -> bool {
    Path::new(folder).join(file_name).exists()
}

/// Writes a text. Returns where it is.
pub(crate) fn save_text(folder: &str, file_name: &str, text: &str) -> Result<String, SaveError> {
    let path = Path::new(folder).join(file_name);
    let place = path.display().to_string();
    fs::write(&path, text).map_err(|error| SaveError::File {
        path: place.clone(),
        reason: error.to_string(),
    })?;
    Ok(place)
}

/// Reads a file to be opened.
pub(crate) fn open_path(path: &Path) -> Action {
    let file_name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned();
    // A pipe or a device might be waited for for ever.
    let bytes = match path.metadata() {
        Ok(found) if !found.is_file() => Err("it is no file".to_owned()),
        _ => fs::read(path).map_err(|error| error.to_string()),
    };
    match bytes {
        Ok(bytes) => Action::of_file(file_name, bytes),
        Err(reason) => Action::CannotOpen { file_name, reason },
    }
}
