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
            if let Some(path) = state_file() {
                studio.autosave_to(path);
            }
            if let Some(path) = &file {
                studio.open_path(path);
            }
            Ok(Box::new(studio))
        }),
    )
}

/// Where what is set is kept between runs: `loopwright-studio/last.toml` in the user's folder of states.
#[cfg(not(target_arch = "wasm32"))]
fn state_file() -> Option<std::path::PathBuf> {
    let folder = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(std::path::PathBuf::from)
    };
    let states = folder("XDG_STATE_HOME")
        .or_else(|| folder("LOCALAPPDATA"))
        .or_else(|| folder("HOME").map(|home| home.join(".local/state")))?;
    Some(states.join("loopwright-studio/last.toml"))
}

// The page starts in the library.
#[cfg(target_arch = "wasm32")]
fn main() {}
