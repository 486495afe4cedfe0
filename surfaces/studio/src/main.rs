//! The studio in a window: `loopwright-studio [FILE...]`.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    use std::{io::Write as _, process::ExitCode};

    use eframe::egui::{ViewportBuilder, vec2};

    let files: Vec<std::path::PathBuf> = std::env::args_os().skip(1).map(Into::into).collect();
    for (word, said) in [
        ("--help", HELP),
        ("-h", HELP),
        ("--version", concat!(env!("CARGO_PKG_VERSION"), "\n")),
    ] {
        if files.iter().any(|file| file.as_os_str() == word) {
            return match std::io::stdout().write_all(said.as_bytes()) {
                Ok(()) => ExitCode::SUCCESS,
                Err(_) => ExitCode::from(2),
            };
        }
    }
    let options = eframe::NativeOptions {
        viewport: ViewportBuilder::default()
            .with_title("loopwright studio")
            .with_icon(icon())
            .with_inner_size(vec2(1280.0, 860.0))
            .with_min_inner_size(vec2(360.0, 480.0)),
        // Bodies need a depth buffer.
        depth_buffer: 24,
        // The colours of the interface are flat, so there is nothing to dither.
        dithering: false,
        ..eframe::NativeOptions::default()
    };
    let ended = eframe::run_native(
        "loopwright studio",
        options,
        Box::new(move |context| {
            let mut studio = loopwright_studio::Studio::in_context(&context.egui_ctx);
            pause_if_asked(&mut studio);
            if let Some(folder) = state_folder() {
                // Named files are opened instead of those of the last run.
                studio.remember_in(folder, files.is_empty(), &context.egui_ctx);
            }
            studio.open_paths(&files);
            Ok(Box::new(studio))
        }),
    );
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let reason = match error {
                eframe::Error::WinitEventLoop(_) => {
                    "there is no display (DISPLAY and WAYLAND_DISPLAY name none)".to_owned()
                }
                other => other.to_string(),
            };
            // If even that cannot be printed, the exit status reports it.
            let _ = writeln!(std::io::stderr(), "error: the window cannot be opened: {reason}");
            ExitCode::from(2)
        }
    }
}

/// Pauses if the user asked the system for less motion, as its program for settings tells; without one, nothing is asked for.
#[cfg(not(target_arch = "wasm32"))]
fn pause_if_asked(studio: &mut loopwright_studio::Studio) {
    let (words, still) = match std::env::consts::OS {
        "macos" => ("defaults|read|com.apple.universalaccess|reduceMotion", "1"),
        "windows" => (r"reg|query|HKCU\Control Panel\Desktop\WindowMetrics|/v|MinAnimate", "0"),
        _ => ("gsettings|get|org.gnome.desktop.interface|enable-animations", "false"),
    };
    let mut words = words.split('|');
    let said = std::process::Command::new(words.next().unwrap_or_default())
        .args(words)
        .output();
    if said.is_ok_and(|said| said.stdout.trim_ascii_end().ends_with(still.as_bytes())) {
        studio.apply(loopwright_studio::Action::TogglePlaying);
    }
}

/// The text of `--help`.
#[cfg(not(target_arch = "wasm32"))]
const HELP: &str = "Turns motion capture into loops, in a window.

Usage: loopwright-studio [FILE...]

FILE  takes, folders of takes, recipes (.toml) or sets (set.json) to open;
      without one, what was open last time

Options:
  -h, --help     this text
      --version  the version
";

/// The icon: a ring for a loop, with its seam.
#[cfg(not(target_arch = "wasm32"))]
fn icon() -> eframe::egui::IconData {
    const PIXELS: u32 = 64;
    let middle = 0.5 * (PIXELS as f32 - 1.0);
    let pixels = (0..PIXELS * PIXELS).flat_map(|at| {
        let x = (at % PIXELS) as f32 - middle;
        let y = (at / PIXELS) as f32 - middle;
        let opacity = (0.5 - ((x.hypot(y) - 0.34 * PIXELS as f32).abs() - 0.09 * PIXELS as f32)).clamp(0.0, 1.0);
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

/// The folder that stores settings and open files between runs: `loopwright-studio` in the user's folder of states.
#[cfg(not(target_arch = "wasm32"))]
fn state_folder() -> Option<std::path::PathBuf> {
    let folder = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(std::path::PathBuf::from)
    };
    Some(
        folder("XDG_STATE_HOME")
            .or_else(|| folder("LOCALAPPDATA"))
            .or_else(|| folder("HOME").map(|home| home.join(".local/state")))?
            .join("loopwright-studio"),
    )
}

// The page starts in the library.
#[cfg(target_arch = "wasm32")]
fn main() {}
