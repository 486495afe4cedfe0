//! A picture of the studio's window, to be looked at: `cargo run --example pictures -- WIDTH HEIGHT light|dark OUT.png [FILE] [X,Y ...]`.
//!
//! Each X,Y is clicked, one after the other, before the picture is taken; a letter is a key that is pressed.

use std::sync::{Arc, Mutex};
use std::{error::Error, path::PathBuf};

use eframe::egui::{
    ColorImage, Context, Event, Key, Modifiers, PointerButton, RawInput, Theme, Ui, ViewportBuilder, ViewportCommand,
    Visuals, pos2, vec2,
};
use eframe::{App, Frame, NativeOptions};
use loopwright_studio::Studio;

/// Frames between two clicks, and before the picture: parts unfold over some.
const SETTLE: usize = 25;

struct Pictured {
    studio: Studio,
    theme: Theme,
    out: PathBuf,
    file_name: Option<String>,
    steps: Vec<String>,
    frames: usize,
    is_asked: bool,
    shot: Arc<Mutex<Option<Arc<ColorImage>>>>,
}

impl Pictured {
    fn is_ready(&self) -> bool {
        let model = self.studio.model();
        let is_file = |name: &String| model.opened().is_some_and(|opened| opened.file_name == *name);
        model.progress().is_none() && model.finished().is_some() && self.file_name.as_ref().is_none_or(is_file)
    }
}

impl App for Pictured {
    fn clear_color(&self, visuals: &Visuals) -> [f32; 4] {
        self.studio.clear_color(visuals)
    }

    fn raw_input_hook(&mut self, _ctx: &Context, input: &mut RawInput) {
        input
            .events
            .retain(|event| !matches!(event, Event::PointerMoved(_) | Event::PointerGone));
        if !self.is_ready() || !self.frames.is_multiple_of(SETTLE) || self.steps.is_empty() || self.frames == 0 {
            return;
        }
        let step = self.steps.remove(0);
        let Some((x, y)) = step.split_once(',') else {
            let key = Key::from_name(&step).unwrap_or(Key::Space);
            for pressed in [true, false] {
                input.events.push(Event::Key {
                    key,
                    physical_key: None,
                    pressed,
                    repeat: false,
                    modifiers: Modifiers::NONE,
                });
            }
            return;
        };
        let pos = pos2(x.parse().unwrap_or(0.0), y.parse().unwrap_or(0.0));
        input.events.push(Event::PointerMoved(pos));
        for pressed in [true, false] {
            input.events.push(Event::PointerButton {
                pos,
                button: PointerButton::Primary,
                pressed,
                modifiers: Modifiers::NONE,
            });
        }
    }

    fn ui(&mut self, ui: &mut Ui, frame: &mut Frame) {
        ui.ctx().set_theme(self.theme);
        self.studio.ui(ui, frame);
        if self.is_ready() {
            self.frames += 1;
        }
        let shot = self.shot.lock().ok().and_then(|mut shot| shot.take());
        if let Some(shot) = shot {
            let [width, height] = shot.size.map(|side| side as u32);
            if let Some(picture) = image::RgbaImage::from_raw(width, height, shot.as_raw().to_vec()) {
                let _ = image::DynamicImage::ImageRgba8(picture).into_rgb8().save(&self.out);
            }
            ui.ctx().send_viewport_cmd(ViewportCommand::Close);
        } else if self.steps.is_empty()
            && self.frames % SETTLE == SETTLE - 1
            && self.frames > 2 * SETTLE
            && !self.is_asked
        {
            self.is_asked = true;
            let slot = Arc::clone(&self.shot);
            ui.ctx().request_screenshot(move |shot| {
                if let Ok(mut slot) = slot.lock() {
                    *slot = Some(shot);
                }
            });
        }
        ui.ctx().request_repaint();
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [width, height, theme, out, rest @ ..] = arguments.as_slice() else {
        return Err("WIDTH HEIGHT light|dark OUT.png [FILE] [X,Y ...]".into());
    };
    let size = vec2(width.parse()?, height.parse()?);
    let (files, steps): (Vec<String>, Vec<String>) = rest
        .iter()
        .cloned()
        .partition(|word| std::path::Path::new(word).is_file());
    let files: Vec<PathBuf> = files.into_iter().map(PathBuf::from).collect();
    let file_name = files
        .last()
        .and_then(|file| Some(file.file_name()?.to_string_lossy().into_owned()))
        .filter(|name| !name.ends_with(".json"));
    let (theme, out) = (
        if theme == "light" { Theme::Light } else { Theme::Dark },
        PathBuf::from(out),
    );
    let options = NativeOptions {
        viewport: ViewportBuilder::default()
            .with_inner_size(size)
            .with_position(pos2(0.0, 0.0)),
        depth_buffer: 24,
        dithering: false,
        ..NativeOptions::default()
    };
    eframe::run_native(
        "pictures of the loopwright studio",
        options,
        Box::new(move |context| {
            let mut studio = Studio::in_context(&context.egui_ctx);
            studio.open_paths(&files);
            Ok(Box::new(Pictured {
                studio,
                theme,
                out,
                file_name,
                steps,
                frames: 0,
                is_asked: false,
                shot: Arc::default(),
            }))
        }),
    )?;
    Ok(())
}
