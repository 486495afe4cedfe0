//! The studio in a window: `loopwright-studio [FILE...]`.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> eframe::Result {
    use eframe::egui::{ViewportBuilder, vec2};

    let files: Vec<std::path::PathBuf> = std::env::args_os().skip(1).map(Into::into).collect();
    let options = eframe::NativeOptions {
        viewport: ViewportBuilder::default()
            .with_title("loopwright studio")
            .with_icon(icon())
            .with_inner_size(vec2(1280.0, 860.0))
            .with_min_inner_size(vec2(360.0, 480.0)),
        // Bodies are drawn with depth.
        depth_buffer: 24,
        // The colours of the interface are flat: there is nothing to dither.
        dithering: false,
        ..eframe::NativeOptions::default()
    };
    eframe::run_native(
        "loopwright studio",
        options,
        Box::new(move |context| {
            let mut studio = loopwright_studio::Studio::in_context(&context.egui_ctx);
            if let Some(path) = state_file() {
                // Files that are named are opened instead of those of the last time.
                let folder = path.with_file_name("");
                studio.remember_in(folder, files.is_empty(), &context.egui_ctx);
                studio.autosave_to(path);
            }
            studio.open_paths(&files);
            Ok(Box::new(studio))
        }),
    )
}

/// A ring for a loop, with its seam.
#[cfg(not(target_arch = "wasm32"))]
fn icon() -> eframe::egui::IconData {
    const PIXELS: u32 = 64;
    let middle = 0.5 * (PIXELS as f32 - 1.0);
    let pixels = (0..PIXELS * PIXELS).flat_map(|at| {
        let (x, y) = ((at % PIXELS) as f32 - middle, (at / PIXELS) as f32 - middle);
        let from_ring = (x.hypot(y) - 0.34 * PIXELS as f32).abs() - 0.09 * PIXELS as f32;
        let opacity = (0.5 - from_ring).clamp(0.0, 1.0);
        let is_seam = y < 0.0 && x.abs() < 0.05 * PIXELS as f32;
        let [red, green, blue] = if is_seam { [240, 158, 56] } else { [64, 156, 255] };
        [red, green, blue, (255.0 * opacity) as u8]
    });
    eframe::egui::IconData {
        rgba: pixels.collect(),
        width: PIXELS,
        height: PIXELS,
    }
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
