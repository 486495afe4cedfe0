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

use crate::model::Exported;

/// A video: the extension of its file and its bytes, or why there is none.
pub type Encoded = Result<(&'static str, Vec<u8>), String>;

/// Writes a loop and its sidecar. Returns the path of the loop. Errors: the reason.
pub fn save(folder: &str, exported: &Exported) -> Result<String, String> {
    let place = save_bytes(folder, &exported.file_name, &exported.bytes)?;
    save_text(folder, &exported.sidecar_name(), &exported.sidecar)?;
    Ok(place)
}

/// Writes a text. Returns its path. Errors: the reason.
pub fn save_text(folder: &str, file_name: &str, text: &str) -> Result<String, String> {
    save_bytes(folder, file_name, text.as_bytes())
}
