//! The studio in a page: it draws on the canvas `studio`, and opens the file from the input `take`.

// Provides the functions that ufbx calls.
#[cfg(feature = "fbx")]
use loopwright_ufbx_host as _;

use eframe::{
    WebOptions, WebRunner,
    egui::{Context, accesskit},
};
use wasm_bindgen::{JsCast as _, JsError, JsValue, closure::Closure, prelude::wasm_bindgen};
use web_sys::{HtmlCanvasElement, HtmlInputElement};

use crate::{
    app::{Inbox, Studio},
    model::Action,
    platform::{INPUT, Memory, accepted, document, element, open_files, opened_link, wants_stillness},
    samples,
    widgets::{Widget, Widgets, Wishes},
};

/// Starts the studio. Errors: the page lacks the canvas or the input, or the browser cannot draw.
#[wasm_bindgen]
pub async fn start_studio() -> Result<(), JsValue> {
    let document = document().ok_or_else(|| JsError::new("there is no page"))?;
    let canvas = element::<HtmlCanvasElement>(&document, "studio").ok_or_else(|| JsError::new("there is no canvas"))?;
    let input = element::<HtmlInputElement>(&document, INPUT).ok_or_else(|| JsError::new("there is no input"))?;
    input.set_accept(&accepted());
    // Without multisampling, which takes half the time of a frame in software rendering, and which the desktop window does without, too.
    // Opaque, so that the browser copies it instead of blending it with the page. A second request for a canvas's context returns the
    // existing one.
    let plain = js_sys::Object::new();
    for setting in ["antialias", "alpha"] {
        js_sys::Reflect::set(&plain, &setting.into(), &false.into())?;
    }
    canvas.get_context_with_context_options("webgl2", &plain)?;
    let options = WebOptions {
        // The colours of the interface are flat, so there is nothing to dither.
        dithering: false,
        ..WebOptions::default()
    };
    let create: eframe::AppCreator<'static> = Box::new(move |context| {
        let mut studio = Studio::in_context(&context.egui_ctx);
        if wants_stillness() {
            studio.apply(Action::TogglePlaying);
        }
        studio.remember(Memory, true, &context.egui_ctx);
        let inbox = studio.inbox.clone();
        listen(&input, inbox.clone()).map_err(|error| format!("{error:?}"))?;
        offer_samples(&document, &inbox).map_err(|error| format!("{error:?}"))?;
        offer_widgets(&context.egui_ctx);
        if let Some(link) = opened_link() {
            let sample = link.take.strip_suffix(".bvh").and_then(samples::sample);
            inbox.put(Action::OpenLink(Box::new(link)));
            sample.into_iter().for_each(|sample| inbox.put(sample));
        }
        Ok(Box::new(studio))
    });
    WebRunner::new().start(canvas, options, create).await
}

/// Puts the files of the input into the inbox.
fn listen(input: &HtmlInputElement, inbox: Inbox) -> Result<(), JsValue> {
    let chosen = input.clone();
    let on_change = Closure::<dyn FnMut()>::new(move || {
        let Some(files) = chosen.files() else { return };
        let files: Vec<web_sys::File> = (0..files.length()).filter_map(|index| files.get(index)).collect();
        let inbox = inbox.clone();
        let chosen = chosen.clone();
        wasm_bindgen_futures::spawn_local(async move {
            open_files(files, |action| inbox.put(action)).await;
            // Lets the same file be chosen again.
            chosen.set_value("");
        });
    });
    input.add_event_listener_with_callback("change", on_change.as_ref().unchecked_ref())?;
    // The page listens as long as it lives.
    on_change.forget();
    Ok(())
}

#[wasm_bindgen(module = "/web/widgets.js")]
extern "C" {
    #[wasm_bindgen(js_name = listenForReaders)]
    fn listen_for_readers(begin: &Closure<dyn FnMut()>, act: &Closure<dyn FnMut(String, String)>);

    #[wasm_bindgen(js_name = showWidgets)]
    fn show_widgets(widgets: &str, focus: &str);
}

/// Lets screen readers browse and use the widgets, once they ask for it.
fn offer_widgets(ctx: &Context) {
    let wishes = Wishes::default();
    let show = |widgets: &[Widget], focus: u64| {
        if let Ok(widgets) = serde_json::to_string(widgets) {
            show_widgets(&widgets, &focus.to_string());
        }
    };
    ctx.add_plugin(Widgets::new(wishes.clone(), Box::new(show)));
    let wake = ctx.clone();
    let begin = Closure::<dyn FnMut()>::new(move || {
        wake.enable_accesskit();
        wake.request_repaint();
    });
    let wake = ctx.clone();
    let act = Closure::<dyn FnMut(String, String)>::new(move |id: String, wish: String| {
        let action = match wish.as_str() {
            "click" => accesskit::Action::Click,
            "more" => accesskit::Action::Increment,
            "less" => accesskit::Action::Decrement,
            _ => accesskit::Action::Focus,
        };
        wishes.lock().extend(id.parse().ok().map(|id| (id, action)));
        wake.request_repaint();
    });
    listen_for_readers(&begin, &act);
    // The page listens as long as it lives.
    begin.forget();
    act.forget();
}

/// Opens a sample when its button is clicked.
fn offer_samples(document: &web_sys::Document, inbox: &Inbox) -> Result<(), JsValue> {
    let buttons = document.query_selector_all("[data-sample]")?;
    for index in 0..buttons.length() {
        let Some(button) = buttons
            .get(index)
            .and_then(|node| node.dyn_into::<web_sys::Element>().ok())
        else {
            continue;
        };
        let name = button.get_attribute("data-sample").unwrap_or_default();
        let inbox = inbox.clone();
        let on_click = Closure::<dyn FnMut()>::new(move || {
            if let Some(action) = samples::sample(&name) {
                inbox.put(action);
            }
            // Returns the keyboard to the studio.
            if let Some(canvas) = self::document().and_then(|page| element::<HtmlCanvasElement>(&page, "studio")) {
                let _ = canvas.focus();
            }
        });
        button.add_event_listener_with_callback("click", on_click.as_ref().unchecked_ref())?;
        on_click.forget();
    }
    Ok(())
}
