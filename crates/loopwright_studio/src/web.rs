//! The studio in a page: it draws on the canvas `studio`, and opens the file that the input `take` gets.

use eframe::{WebOptions, WebRunner};
use wasm_bindgen::{JsCast as _, JsError, JsValue, prelude::wasm_bindgen};
use web_sys::{HtmlCanvasElement, HtmlInputElement};

use crate::{
    app::{Inbox, Studio},
    model::Action,
    platform::{INPUT, document, element},
};

/// Starts the studio. Errors: the page lacks the canvas or the input, or the browser cannot draw.
#[expect(
    unreachable_pub,
    reason = "the page calls it, and wasm-bindgen exports only what is public"
)]
#[wasm_bindgen]
pub async fn start_studio() -> Result<(), JsValue> {
    let document = document().ok_or_else(|| JsError::new("there is no page"))?;
    let canvas = element::<HtmlCanvasElement>(&document, "studio").ok_or_else(|| JsError::new("there is no canvas"))?;
    let input = element::<HtmlInputElement>(&document, INPUT).ok_or_else(|| JsError::new("there is no input"))?;
    let create: eframe::AppCreator<'static> = Box::new(move |context| {
        let studio = Studio::in_context(&context.egui_ctx);
        listen(&input, studio.inbox()).map_err(|error| format!("{error:?}"))?;
        Ok(Box::new(studio))
    });
    WebRunner::new().start(canvas, WebOptions::default(), create).await
}

/// Puts the files that the input gets into the inbox.
fn listen(input: &HtmlInputElement, inbox: Inbox) -> Result<(), JsValue> {
    let chosen = input.clone();
    let on_change = wasm_bindgen::closure::Closure::<dyn FnMut()>::new(move || {
        let file = chosen.files().and_then(|files| files.get(0));
        // The same file can be chosen again.
        let Some(file) = file else {
            return;
        };
        let inbox = inbox.clone();
        let chosen = chosen.clone();
        wasm_bindgen_futures::spawn_local(async move {
            let file_name = file.name();
            let bytes = wasm_bindgen_futures::JsFuture::from(file.array_buffer()).await;
            chosen.set_value("");
            inbox.put(match bytes {
                Ok(bytes) => Action::of_file(file_name, js_sys::Uint8Array::new(&bytes).to_vec()),
                Err(error) => Action::CannotOpen {
                    file_name,
                    reason: format!("{error:?}"),
                },
            });
        });
    });
    input.add_event_listener_with_callback("change", on_change.as_ref().unchecked_ref())?;
    // The page listens as long as it lives.
    on_change.forget();
    Ok(())
}
