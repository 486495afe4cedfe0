//! Downloads of the browser.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Document, HtmlInputElement};

use super::SaveError;
use crate::model::Exported;

/// The input of the page that files are chosen with.
pub(crate) const INPUT: &str = "take";

/// Whether one chooses a folder.
pub(crate) const HAS_FOLDERS: bool = false;

/// The browser has its own.
pub(crate) fn first_folder() -> String {
    String::new()
}

/// The browser gives a new name to a file that is there already.
pub(crate) fn exists(_folder: &str, _exported: &Exported) -> bool {
    false
}

/// Downloads a file and its sidecar. Returns the name of the file.
pub(crate) fn save(_folder: &str, exported: &Exported) -> Result<String, SaveError> {
    let sidecar = exported.sidecar_name();
    for (name, bytes) in [
        (&exported.file_name, exported.bytes.as_slice()),
        (&sidecar, exported.sidecar.as_bytes()),
    ] {
        download(name, bytes).map_err(|_| SaveError::Download {
            file_name: name.clone(),
        })?;
    }
    Ok(exported.file_name.clone())
}

/// The browser gives a new name to a file that is there already.
pub(crate) fn is_there(_folder: &str, _file_name: &str) -> bool {
    false
}

/// Downloads a text. Returns the name of the file.
pub(crate) fn save_text(_folder: &str, file_name: &str, text: &str) -> Result<String, SaveError> {
    download(file_name, text.as_bytes()).map_err(|_| SaveError::Download {
        file_name: file_name.to_owned(),
    })?;
    Ok(file_name.to_owned())
}

/// Clicks a link to the bytes that nobody sees.
fn download(file_name: &str, bytes: &[u8]) -> Result<(), JsValue> {
    let document = web_sys::window()
        .and_then(|window| window.document())
        .ok_or(JsValue::NULL)?;
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
    let blob = web_sys::Blob::new_with_u8_array_sequence(&parts)?;
    let url = web_sys::Url::create_object_url_with_blob(&blob)?;
    let link: web_sys::HtmlAnchorElement = document.create_element("a")?.dyn_into()?;
    link.set_href(&url);
    link.set_download(file_name);
    link.click();
    web_sys::Url::revoke_object_url(&url)
}

/// The page.
pub(crate) fn document() -> Option<Document> {
    web_sys::window().and_then(|window| window.document())
}

/// The element of that name, if it is of that kind.
pub(crate) fn element<T: JsCast>(document: &Document, id: &str) -> Option<T> {
    document
        .get_element_by_id(id)
        .and_then(|element| element.dyn_into().ok())
}

/// Shows the browser's dialog for files.
pub(crate) fn choose_file() {
    if let Some(input) = document().and_then(|document| element::<HtmlInputElement>(&document, INPUT)) {
        input.click();
    }
}

/// Says something to those who do not see the canvas.
pub(crate) fn say(text: &str) {
    if let Some(said) = document().and_then(|document| document.get_element_by_id("said")) {
        said.set_text_content(Some(text));
    }
}
