//! Files and downloads of the browser.

use std::sync::Arc;

use js_sys::{Array, Function, Reflect, Uint8Array};
use loopwright_formats::{Format, zip_of};
use loopwright_player::MotionSet;
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Document, File, HtmlInputElement};

use super::{Encoded, gathered::gathered, openable};
use crate::model::{Action, Beside, Link, SetFiles};

/// Bytes of a file that are read at once: frames are drawn between two pieces.
const PIECE: usize = 4 << 20;

/// The id of the page's file input.
pub const INPUT: &str = "take";

/// Whether the user chooses a folder.
pub const HAS_FOLDERS: bool = false;

/// The browser has its own folder for downloads.
pub fn first_folder() -> String {
    String::new()
}

pub fn folders() -> Vec<String> {
    Vec::new()
}

/// The browser's storage for the page between two visits, if it has one.
pub struct Memory;

impl Memory {
    fn storage() -> Option<web_sys::Storage> {
        web_sys::window()?.local_storage().ok()?
    }

    pub fn kept(&self, name: &str) -> Option<String> {
        Self::storage()?.get_item(&format!("loopwright studio: {name}")).ok()?
    }

    /// Storage that is full does not stop the user's work.
    pub fn keep(&self, name: &str, text: &str) {
        if let Some(storage) = Self::storage() {
            let _ = storage.set_item(&format!("loopwright studio: {name}"), text);
        }
    }
}

/// The browser renames a download if a file of its name exists.
pub fn is_there(_folder: &str, _file_name: &str) -> bool {
    false
}

/// Downloads a file. Returns its name.
pub fn save_bytes(_folder: &str, file_name: &str, bytes: &[u8]) -> Result<String, String> {
    download(file_name, bytes).map_err(|_| format!("the browser cannot save {file_name}"))?;
    Ok(file_name.to_owned())
}

/// Downloads a set as one archive. Returns its name.
pub fn save_set(folder: &str, set: &SetFiles) -> Result<String, String> {
    let file_name = format!("{}.zip", set.name);
    save_bytes(
        folder,
        &file_name,
        &zip_of(set.files.iter().map(|file| (file.file_name.as_str(), &file.bytes[..]))),
    )
}

/// Downloads bytes by clicking a hidden link.
fn download(file_name: &str, bytes: &[u8]) -> Result<(), JsValue> {
    let document = document().ok_or(JsValue::NULL)?;
    let parts = Array::of1(&Uint8Array::from(bytes));
    let url = web_sys::Url::create_object_url_with_blob(&web_sys::Blob::new_with_u8_array_sequence(&parts)?)?;
    let link: web_sys::HtmlAnchorElement = document.create_element("a")?.dyn_into()?;
    link.set_href(&url);
    link.set_download(file_name);
    link.click();
    web_sys::Url::revoke_object_url(&url)
}

/// Returns the page.
pub fn document() -> Option<Document> {
    web_sys::window().and_then(|window| window.document())
}

/// Returns the element with this id, if it has this type.
pub fn element<T: JsCast>(document: &Document, id: &str) -> Option<T> {
    document
        .get_element_by_id(id)
        .and_then(|element| element.dyn_into().ok())
}

/// Shows the browser's dialog for files.
pub fn choose_file() {
    if let Some(input) = document().and_then(|document| element::<HtmlInputElement>(&document, INPUT)) {
        input.click();
    }
}

/// Reads a group of files, one after the other. Files that a `.gltf` among them names are embedded in it; a browser knows their names, but
/// not their folders.
pub async fn open_files(files: Vec<File>, put: impl Fn(Action)) {
    let ending_of = |file: &File| {
        file.name()
            .rsplit_once('.')
            .map(|(_, ending)| ending.to_ascii_lowercase())
    };
    let format_of =
        |file: &File| Format::of_motion_for(&ending_of(file)?).filter(|format| !format.capabilities().is_of_robots);
    let names_others = |file: &File| format_of(file).is_some_and(|format| format.capabilities().names_other_files);
    // Only recipes and takes are opened on their own.
    let is_opened = |file: &File| format_of(file).is_some() || ending_of(file).as_deref() == Some("toml");
    let has_names = files.iter().any(names_others);
    // Files that a set names are not opened on their own, and sidecars of its loops are ignored.
    let is_json = |file: &File| ending_of(file).as_deref() == Some("json");
    let mut manifests = Vec::new();
    let mut of_set = Vec::new();
    for file in files.iter().filter(|file| is_json(file)) {
        let bytes = bytes_of(file).await.unwrap_or_default();
        if let Ok(paths) = MotionSet::files(&bytes) {
            manifests.push(file.name());
            of_set.extend(
                paths
                    .iter()
                    .map(|path| path.rsplit('/').next().unwrap_or(path).to_owned()),
            );
        }
    }
    let is_beside = |file: &File| {
        let is_sidecar = !manifests.is_empty() && is_json(file) && !manifests.contains(&file.name());
        of_set.contains(&file.name()) || is_sidecar || has_names && !is_opened(file) && !is_json(file)
    };
    let (beside, files): (Vec<File>, Vec<File>) = files.into_iter().partition(is_beside);
    let mut found = Vec::new();
    for file in &beside {
        if let Ok(bytes) = bytes_of(file).await {
            found.push((file.name(), bytes));
        }
    }
    let found = Arc::new(found);
    for file in &files {
        put(open_file(file, &found).await);
    }
}

async fn open_file(file: &File, others: &Arc<Vec<(String, Vec<u8>)>>) -> Action {
    let file_name = file.name();
    let others = Arc::clone(others);
    let find = move |path: &str| {
        let name = path.rsplit('/').next();
        let (_, bytes) = others.iter().find(|(other, _)| Some(other.as_str()) == name)?;
        Some(bytes.clone())
    };
    match bytes_of(file).await {
        Ok(bytes) => Action::of_file(file_name, gathered(bytes, &find), Beside::found_by(find)),
        Err(error) => Action::CannotOpen {
            file_name,
            reason: format!("{error:?}"),
        },
    }
}

/// Reads a file piece by piece.
async fn bytes_of(file: &File) -> Result<Vec<u8>, JsValue> {
    let len = file.size() as usize;
    let mut bytes = Vec::with_capacity(len);
    while bytes.len() < len {
        let start = bytes.len();
        let piece = file.slice_with_f64_and_f64(start as f64, len.min(start + PIECE) as f64)?;
        let piece = Uint8Array::new(&JsFuture::from(piece.array_buffer()).await?);
        if piece.length() == 0 {
            return Err(JsValue::from("it became shorter while it was read"));
        }
        bytes.resize(start + piece.length() as usize, 0);
        piece.copy_to(&mut bytes[start..]);
    }
    Ok(bytes)
}

#[wasm_bindgen(module = "/web/video.js")]
extern "C" {
    /// A video that the browser encodes.
    type Pictures;

    #[wasm_bindgen(constructor)]
    fn new(width: u32, height: u32, secs_each: f64) -> Pictures;

    #[wasm_bindgen(method)]
    fn add(this: &Pictures, rgba: &[u8]);

    #[wasm_bindgen(method, catch)]
    async fn encoded(this: &Pictures) -> Result<JsValue, JsValue>;
}

/// A video that the browser encodes, picture by picture.
pub struct Video(Pictures);

impl Video {
    /// Starts a video of this size, with this time per picture. Errors: none here.
    pub fn new(size: [u32; 2], secs_each: f64) -> Result<Self, String> {
        Ok(Self(Pictures::new(size[0], size[1], secs_each)))
    }

    /// Adds a picture of this size. Errors: none here.
    pub fn add(&mut self, picture: image::RgbaImage) -> Result<(), String> {
        self.0.add(&picture);
        Ok(())
    }

    /// Calls back with the video once it is encoded.
    pub fn finish(self, done: impl FnOnce(Encoded) + 'static) {
        wasm_bindgen_futures::spawn_local(async move {
            done(match self.0.encoded().await {
                Ok(encoded) => {
                    let encoded: Array = encoded.unchecked_into();
                    let is_mp4 = encoded
                        .get(0)
                        .as_string()
                        .is_some_and(|kind| kind.starts_with("video/mp4"));
                    let ending = if is_mp4 { "mp4" } else { "webm" };
                    Ok((ending, Uint8Array::new(&encoded.get(1)).to_vec()))
                }
                Err(error) => Err(format!("this browser encodes no video: {error:?}")),
            });
        });
    }
}

/// Whether the user asked the system for less motion.
pub fn wants_stillness() -> bool {
    let asked = web_sys::window().and_then(|window| window.match_media("(prefers-reduced-motion: reduce)").ok()?);
    asked.is_some_and(|asked| asked.matches())
}

/// Returns the address of the page with a link in it.
pub fn address_of(link: &Link) -> Option<String> {
    let address = web_sys::window()?.location().href().ok()?;
    let page = address.split('#').next()?;
    Some(format!("{page}#{}", link.to_fragment()?))
}

/// Returns the link that the page was opened by.
pub fn opened_link() -> Option<Link> {
    Link::of_fragment(&web_sys::window()?.location().hash().ok()?)
}

/// Lists extensions of files that can be opened, for the browser's dialog.
pub fn accepted() -> String {
    openable()
        .chain(["bin", "png", "jpg", "jpeg"])
        .map(|ending| format!(".{ending}"))
        .collect::<Vec<_>>()
        .join(",")
}

/// Announces a text to people who do not see the canvas.
pub fn say(text: &str) {
    if let Some(said) = document().and_then(|document| document.get_element_by_id("said")) {
        said.set_text_content(Some(text));
    }
}

/// Returns how far the left stick of a game pad is pushed to the right and away, at most 1; `None` at rest.
pub fn game_pad() -> Option<[f64; 2]> {
    let get = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok();
    let navigator = get(web_sys::window()?.as_ref(), "navigator")?;
    let pads: Function = get(&navigator, "getGamepads")?.dyn_into().ok()?;
    let pads: Array = pads.call0(&navigator).ok()?.dyn_into().ok()?;
    pads.iter().find_map(|pad| {
        let axes: Array = get(&pad, "axes")?.dyn_into().ok()?;
        let [right, down] = [0, 1].map(|axis| axes.get(axis).as_f64().unwrap_or_default());
        (right.hypot(down) > AT_REST).then_some([right, -down])
    })
}

/// Displacement up to which a stick counts as at rest.
const AT_REST: f64 = 0.15;

/// Marks the time, for measuring the page.
pub fn mark(name: &str) {
    if let Some(performance) = web_sys::window().and_then(|window| window.performance()) {
        let _ = performance.mark(name);
    }
}
