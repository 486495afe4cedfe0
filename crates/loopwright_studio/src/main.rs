//! The studio in a window: `loopwright-studio [FILE]`.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> eframe::Result {
    use eframe::egui::{ViewportBuilder, vec2};

    let file = std::env::args_os().nth(1).map(std::path::PathBuf::from);
    let options = eframe::NativeOptions {
        viewport: ViewportBuilder::default()
            .with_title("loopwright studio")
            .with_inner_size(vec2(1280.0, 860.0))
            .with_min_inner_size(vec2(360.0, 480.0)),
        ..eframe::NativeOptions::default()
    };
    eframe::run_native(
        "loopwright studio",
        options,
        Box::new(|context| {
            let mut studio = loopwright_studio::Studio::in_context(&context.egui_ctx);
            if let Some(path) = &file {
                studio.open_path(path);
            }
            Ok(Box::new(studio))
        }),
    )
}

// The page starts in the library.
#[cfg(target_arch = "wasm32")]
fn main() {}
