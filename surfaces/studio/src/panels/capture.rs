//! A picture of what the view shows, and an animation of what it plays.

use std::sync::Arc;

use eframe::egui::{ColorImage, Context, Rect, Ui, mutex::Mutex};
use image::{ImageFormat, RgbaImage, imageops};
use loopwright_draw::{GifPacker, GifPicture};

use super::ExportPanel;
use crate::model::{Action, Model, Playback, Shown};

/// Pictures a second of an animation, and the most of them: those of a loop, not of a take of an hour.
const GIF_HZ: f64 = 25.0;
const MOST_PICTURES: usize = 150;

/// Widest picture of an animation, pixels.
const GIF_PIXELS: u32 = 480;

/// Where pictures of the window arrive.
type Shots = Arc<Mutex<Option<Arc<ColorImage>>>>;

/// The capture that goes on, and why the last one failed.
#[derive(Default)]
pub(crate) struct CapturePanel {
    job: Option<Job>,
    shots: Shots,
    said: Option<String>,
}

struct Job {
    file_stem: String,
    /// Times of the pictures; none but the time that is shown for a single picture.
    times: Vec<f64>,
    next: usize,
    /// Whether the picture of the next time is on its way.
    is_asked: bool,
    /// Where the view is in the window, points.
    rect: Option<Rect>,
    before: Playback,
    is_gif: bool,
    /// Encodes an animation, in the colours of its first picture.
    gif: Option<GifPacker>,
    packed: Vec<GifPicture>,
    secs_each: f64,
}

impl CapturePanel {
    pub(crate) fn capture_ui(&mut self, ui: &mut Ui, model: &Model, export: &ExportPanel) {
        let Some(opened) = model.opened() else { return };
        ui.horizontal_wrapped(|ui| {
            ui.add_enabled_ui(self.job.is_none(), |ui| {
                let picture = ui.button("Save a picture (PNG)");
                if picture.on_hover_text("What the view shows now").clicked() {
                    self.start(export.stem(opened), model, false);
                }
                let animation = ui.button("Save an animation (GIF)");
                let tip = "What the view plays, once round; in place it repeats without a jump of the ground";
                if animation.on_hover_text(tip).clicked() {
                    self.start(export.stem(opened), model, true);
                }
            });
        });
        match (&self.job, &self.said) {
            (Some(job), _) => {
                ui.label(format!("Picture {} of {} ...", job.next + 1, job.times.len()));
            }
            (None, Some(said)) => {
                ui.label(said);
            }
            (None, None) => {}
        }
    }

    /// Whether the view is drawn without what is only for its controls.
    pub(crate) fn is_on(&self) -> bool {
        self.job.is_some()
    }

    fn start(&mut self, file_stem: String, model: &Model, is_gif: bool) {
        let span = model.span_secs();
        let (cycle, most_secs) = match model.shown() {
            Shown::Take => (0.0, 1.0 / GIF_HZ),
            // A loop is captured whole, because it repeats.
            _ => (model.playback.secs - model.playback.secs_in(span), f64::INFINITY),
        };
        let (count, secs_each) = pictures_of(span, most_secs);
        let times = if is_gif {
            (0..count).map(|picture| cycle + picture as f64 * secs_each).collect()
        } else {
            vec![model.playback.secs]
        };
        *self.shots.lock() = None;
        self.said = None;
        self.job = Some(Job {
            file_stem,
            times,
            next: 0,
            is_asked: false,
            rect: None,
            before: model.playback,
            is_gif,
            gif: None,
            packed: Vec::new(),
            secs_each,
        });
    }

    /// Takes in the picture that was asked for, and shows the time of the next one. Call it before a frame is drawn.
    pub(crate) fn step(&mut self, ctx: &Context, model: &mut Model, export: &mut ExportPanel) {
        let Some(job) = &mut self.job else { return };
        let shot = self.shots.lock().take();
        if let Some(shot) = shot {
            let taken = job.take_in(&shot, ctx.pixels_per_point());
            match taken {
                Ok(None) => {}
                Ok(Some(bytes)) => {
                    let extension = if job.is_gif { "gif" } else { "png" };
                    export.take_in_other(format!("{}.{extension}", job.file_stem), bytes, None);
                    self.end(model, None);
                }
                Err(error) => self.end(model, Some(error)),
            }
        }
        if let Some(job) = &self.job {
            model.playback.is_playing = false;
            model.playback.secs = job.times[job.next];
        }
    }

    /// Asks for a picture of what was drawn. Call it once the view is drawn.
    pub(crate) fn shoot(&mut self, ctx: &Context, rect: Option<Rect>) {
        let Some(job) = self.job.as_mut().filter(|job| !job.is_asked) else {
            return;
        };
        job.is_asked = true;
        job.rect = rect;
        let (shots, wake) = (Arc::clone(&self.shots), ctx.clone());
        ctx.request_screenshot(move |shot| {
            *shots.lock() = Some(shot);
            wake.request_repaint();
        });
    }

    fn end(&mut self, model: &mut Model, said: Option<String>) {
        if let Some(job) = self.job.take() {
            model.playback = job.before;
        }
        model.apply(Action::Dismiss);
        self.said = said;
    }
}

/// How many pictures an animation of that length has, and how long each is shown, seconds: all of it, or as much as pictures of at most
/// so many seconds last.
fn pictures_of(span_secs: f64, most_secs: f64) -> (usize, f64) {
    let count = ((span_secs * GIF_HZ).round() as usize).clamp(2, MOST_PICTURES);
    (count, (span_secs / count as f64).min(most_secs))
}

impl Job {
    /// Keeps a picture. The last one makes the file, whose bytes are returned.
    fn take_in(&mut self, shot: &ColorImage, pixels_per_point: f32) -> Result<Option<Vec<u8>>, String> {
        let whole = Rect::from_min_size(
            Default::default(),
            shot.size.map(|side| side as f32 / pixels_per_point).into(),
        );
        let rect = self.rect.unwrap_or(whole).intersect(whole);
        if !rect.is_positive() {
            return Err("The view is too small for a picture".to_owned());
        }
        let view = shot.region(&rect, Some(pixels_per_point));
        let [width, height] = view.size.map(|side| side as u32);
        let rgba = view.as_raw().to_vec();
        let picture =
            RgbaImage::from_raw(width, height, rgba).filter(|picture| picture.width() > 0 && picture.height() > 0);
        let picture = picture.ok_or("The view is too small for a picture")?;
        self.is_asked = false;
        if !self.is_gif {
            let mut file = std::io::Cursor::new(Vec::new());
            let picture = image::DynamicImage::ImageRgba8(picture).into_rgb8();
            picture
                .write_to(&mut file, ImageFormat::Png)
                .map_err(|error| error.to_string())?;
            return Ok(Some(file.into_inner()));
        }
        let width = picture.width().min(GIF_PIXELS);
        let height = (picture.height() * width / picture.width()).max(1);
        let picture = imageops::thumbnail(&picture, width, height);
        let gif = match self.gif.take() {
            Some(gif) => gif,
            None => {
                GifPacker::new([width, height], &[picture.as_raw()]).ok_or("The view is too small for a picture")?
            }
        };
        let packed = gif.pack(&picture).ok_or("The window changed its size")?;
        self.packed.push(packed);
        self.next += 1;
        if self.next == self.times.len() {
            let file = gif.join(self.packed.drain(..), self.secs_each);
            return file.map(Some).map_err(|error| error.to_string());
        }
        self.gif = Some(gif);
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use eframe::egui::Color32;

    use super::*;

    fn job(times: usize, is_gif: bool) -> Job {
        Job {
            file_stem: "walk-loop".to_owned(),
            times: vec![0.0; times],
            next: 0,
            is_asked: true,
            rect: Some(Rect::from_min_max([10.0, 10.0].into(), [60.0, 40.0].into())),
            before: Playback::default(),
            is_gif,
            gif: None,
            packed: Vec::new(),
            secs_each: 0.033,
        }
    }

    #[test]
    fn the_view_is_cut_out() {
        let mut shot = ColorImage::filled([200, 100], Color32::RED);
        for y in 20..80 {
            for x in 20..120 {
                shot.pixels[y * 200 + x] = Color32::BLUE;
            }
        }
        let file = job(1, false).take_in(&shot, 2.0).unwrap().unwrap();
        let picture = image::load_from_memory(&file).unwrap().into_rgb8();
        assert_eq!(picture.dimensions(), (100, 60));
        assert!(picture.pixels().all(|pixel| pixel.0 == [0, 0, 255]));
    }

    #[test]
    fn a_view_of_no_size_makes_no_picture() {
        let shot = ColorImage::filled([200, 100], Color32::RED);
        let mut job = Job {
            rect: Some(Rect::from_min_max([250.0, 10.0].into(), [300.0, 40.0].into())),
            ..job(1, false)
        };
        assert!(job.take_in(&shot, 1.0).is_err());
    }

    /// Long ones have fewer pictures a second; only a take ends before its time.
    #[test]
    fn pictures_of_a_loop_last_as_long_as_it() {
        for span in [1.013, 9.7] {
            let (count, secs_each) = pictures_of(span, f64::INFINITY);
            assert!((count as f64 * secs_each - span).abs() < 1e-12, "{span}");
            assert!(count <= MOST_PICTURES);
        }
        assert_eq!(pictures_of(3600.0, 1.0 / GIF_HZ), (MOST_PICTURES, 1.0 / GIF_HZ));
    }

    #[test]
    fn an_animation_has_all_its_pictures_and_lasts_as_long_as_the_loop() {
        let mut job = job(10, true);
        let mut file = None;
        for picture in 0..10 {
            let shot = ColorImage::filled([200, 100], Color32::from_gray(20 * picture));
            file = job.take_in(&shot, 1.0).unwrap();
            assert_eq!(file.is_some(), picture == 9);
        }
        let mut decoder = gif::DecodeOptions::new().read_info(file.as_deref().unwrap()).unwrap();
        let mut delays = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            delays.push(frame.delay);
        }
        assert_eq!((delays.len(), delays.iter().sum::<u16>()), (10, 33));
    }
}
