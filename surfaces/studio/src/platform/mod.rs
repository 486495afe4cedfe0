//! Files and folders, on the desktop and in the browser.

mod gathered;
#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(target_arch = "wasm32")]
mod web;

#[cfg(not(target_arch = "wasm32"))]
pub use native::*;
#[cfg(target_arch = "wasm32")]
pub use web::*;

use loopwright_formats::Format;

use crate::model::Exported;

/// A video: the extension of its file and its bytes, or why there is none.
pub type Encoded = Result<(&'static str, Vec<u8>), String>;

/// Lists the extensions of files that can be opened, without the point: takes, characters, recipes and sets.
pub fn openable() -> impl Iterator<Item = &'static str> {
    let formats = Format::of_characters().map(Format::capabilities);
    formats
        .filter(|format| format.is_read)
        .flat_map(|format| [Some(format.extension), format.character_extension])
        .flatten()
        .chain(["toml", "json"])
}

/// Writes a loop and its sidecar. Returns the path of the loop. Errors: the reason.
pub fn save(folder: &str, exported: &Exported) -> Result<String, String> {
    let place = save_bytes(folder, &exported.file_name, &exported.bytes)?;
    save_bytes(folder, &exported.sidecar_name(), exported.sidecar.as_bytes())?;
    Ok(place)
}
