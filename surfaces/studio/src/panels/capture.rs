//! Captures the view as a picture, and what it plays as an animation or a video.

use std::sync::Arc;

use eframe::egui::{ColorImage, Context, Rect, Ui, mutex::Mutex};
use image::{ImageFormat, RgbaImage, imageops};
use loopwright_draw::{GifPacker, GifPicture};

use super::{ExportPanel, settings::pick_ui};
use crate::{
    model::{Action, Model, Playback, Shown},
    platform::{Encoded, Video},
};

/// Pictures a second of an animation, and the most of them: enough for a loop, not for a take of an hour.
const GIF_HZ: f64 = 25.0;
const MOST_PICTURES: usize = 150;

/// Widths of animations and videos, pixels: no wider than the view.
const WIDTHS: [u32; 4] = [320, 480, 720, 1080];

/// Numbers of cycles to offer.
const ROUNDS: [usize; 3] = [1, 2, 4];

/// The inbox for pictures of the window.
type Shots = Arc<Mutex<Option<Arc<ColorImage>>>>;

/// The kind of file to capture.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Png,
    Gif,
    Video,
}

/// The capture in progress, and why the last one failed.
#[derive(Default)]
pub struct CapturePanel {
    job: Option<Job>,
    shots: Shots,
    /// The name of a video that is being encoded, and the inbox for it.
    encoding: Option<(String, Arc<Mutex<Option<Encoded>>>)>,
    said: Option<String>,
    width: Option<u32>,
    rounds: Option<usize>,
}

struct Job {
    file_stem: String,
    /// Times of the pictures; `None` for a single picture of the shown time.
    times: Vec<f64>,
    next: usize,
    /// Whether the picture of the next time is requested.
    is_asked: bool,
    /// The rectangle of the view in the window, points.
    rect: Option<Rect>,
    before: Playback,
    kind: Kind,
    /// Encodes an animation, in the colours of its first picture.
    gif: Option<GifPacker>,
    packed: Vec<GifPicture>,
    video: Option<Video>,
    secs_each: f64,
    most_pixels: u32,
    /// Width and height of the pictures, pixels, once there is one.
    size: Option<[u32; 2]>,
}

/// What a picture completes.
enum Taken {
    Nothing,
    File(Vec<u8>),
    Video(Video),
}

impl CapturePanel {
    pub fn capture_ui(&mut self, ui: &mut Ui, model: &Model, export: &ExportPanel) {
        let Some(opened) = model.opened() else { return };
        let width = self.width.unwrap_or(WIDTHS[1]);
        let picked = pick_ui(ui, "Width", width, WIDTHS, |width| format!("{width} pixels"));
        self.width = picked.or(self.width);
        let rounds = self.rounds.unwrap_or(ROUNDS[0]);
        self.rounds = pick_ui(ui, "Rounds", rounds, ROUNDS, |rounds| rounds.to_string()).or(self.rounds);
        ui.add_enabled_ui(self.job.is_none() && self.encoding.is_none(), |ui| {
            ui.horizontal_wrapped(|ui| {
                let round = "What the view plays; in place it repeats without a jump of the ground";
                for (word, tip, kind) in [
                    ("Save a picture (PNG)", "What the view shows now", Kind::Png),
                    ("Save an animation (GIF)", round, Kind::Gif),
                    ("Save a video", round, Kind::Video),
                ] {
                    if ui.button(word).on_hover_text(tip).clicked() {
                        self.start(export.stem(opened), model, kind);
                    }
                }
            });
        });
        match (&self.job, &self.said) {
            (Some(job), _) => ui.label(format!("Picture {} of {} ...", job.next + 1, job.times.len())),
            (None, _) if self.encoding.is_some() => ui.label("Encoding the video ..."),
            (None, Some(said)) => ui.label(said),
            (None, None) => return,
        };
    }

    /// Whether the view is drawn without its controls.
    pub fn is_on(&self) -> bool {
        self.job.is_some()
    }

    fn start(&mut self, file_stem: String, model: &Model, kind: Kind) {
        let rounds = self.rounds.filter(|_| model.shown() != Shown::Take).unwrap_or(1);
        let span = rounds as f64 * model.span_secs();
        let (cycle, most_secs) = match model.shown() {
            Shown::Take => (0.0, 1.0 / GIF_HZ),
            // A loop is captured from its start, because it repeats.
            _ => (
                model.playback.secs - model.playback.secs_in(model.span_secs()),
                f64::INFINITY,
            ),
        };
        let (count, secs_each) = pictures_of(span, most_secs);
        let times = match kind {
            Kind::Png => vec![model.playback.secs],
            _ => (0..count).map(|picture| cycle + picture as f64 * secs_each).collect(),
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
            kind,
            gif: None,
            packed: Vec::new(),
            video: None,
            secs_each,
            most_pixels: self.width.unwrap_or(WIDTHS[1]),
            size: None,
        });
    }

    /// Stores the requested picture, and shows the time of the next one. Call it before a frame is drawn.
    pub fn step(&mut self, ctx: &Context, model: &mut Model, export: &mut ExportPanel) {
        self.take_encoded(export);
        let Some(job) = &mut self.job else { return };
        let shot = self.shots.lock().take();
        if let Some(shot) = shot {
            let kind = job.kind;
            let stem = job.file_stem.clone();
            match job.take_in(&shot, ctx.pixels_per_point()) {
                Ok(Taken::Nothing) => {}
                Ok(Taken::File(bytes)) => {
                    let extension = if kind == Kind::Gif { "gif" } else { "png" };
                    export.take_in_other(format!("{stem}.{extension}"), bytes, None);
                    self.end(model, None);
                }
                Ok(Taken::Video(video)) => {
                    let encoded = Arc::<Mutex<Option<Encoded>>>::default();
                    let wake = ctx.clone();
                    self.encoding = Some((stem, Arc::clone(&encoded)));
                    video.finish(move |video| {
                        *encoded.lock() = Some(video);
                        wake.request_repaint();
                    });
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

    /// Exports a video once it is encoded.
    fn take_encoded(&mut self, export: &mut ExportPanel) {
        let encoded = self.encoding.as_ref().and_then(|(_, encoded)| encoded.lock().take());
        let Some(encoded) = encoded else { return };
        let (stem, _) = self.encoding.take().unwrap_or_default();
        match encoded {
            Ok((ending, bytes)) => export.take_in_other(format!("{stem}.{ending}"), bytes, None),
            Err(why) => self.said = Some(why),
        }
    }

    /// Requests a picture of what was drawn. Call it once the view is drawn.
    pub fn shoot(&mut self, ctx: &Context, rect: Option<Rect>) {
        let Some(job) = self.job.as_mut().filter(|job| !job.is_asked) else {
            return;
        };
        job.is_asked = true;
        job.rect = rect;
        let shots = Arc::clone(&self.shots);
        let wake = ctx.clone();
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

/// Returns the number of pictures of an animation of this length, and how long each is shown, seconds. They cover all of it, or as much as
/// fits if each lasts at most `most_secs`.
fn pictures_of(span_secs: f64, most_secs: f64) -> (usize, f64) {
    let count = ((span_secs * GIF_HZ).round() as usize).clamp(2, MOST_PICTURES);
    (count, (span_secs / count as f64).min(most_secs))
}

/// Why there is no picture.
const TOO_SMALL: &str = "The view is too small for a picture";

impl Job {
    /// Stores a picture. The last one completes the file, or the input of a video encoder.
    fn take_in(&mut self, shot: &ColorImage, pixels_per_point: f32) -> Result<Taken, String> {
        let whole = Rect::from_min_size(
            Default::default(),
            shot.size.map(|side| side as f32 / pixels_per_point).into(),
        );
        let rect = self.rect.unwrap_or(whole).intersect(whole);
        if !rect.is_positive() {
            return Err(TOO_SMALL.to_owned());
        }
        let view = shot.region(&rect, Some(pixels_per_point));
        let [width, height] = view.size.map(|side| side as u32);
        let picture = RgbaImage::from_raw(width, height, view.as_raw().to_vec())
            .filter(|_| width > 0 && height > 0)
            .ok_or(TOO_SMALL)?;
        self.is_asked = false;
        if self.kind == Kind::Png {
            let mut file = std::io::Cursor::new(Vec::new());
            image::DynamicImage::ImageRgba8(picture)
                .into_rgb8()
                .write_to(&mut file, ImageFormat::Png)
                .map_err(|error| error.to_string())?;
            return Ok(Taken::File(file.into_inner()));
        }
        // Video encoders need even sides.
        let width = (picture.width().min(self.most_pixels) & !1).max(2);
        let height = ((picture.height() * width / picture.width()) & !1).max(2);
        let picture = imageops::thumbnail(&picture, width, height);
        if *self.size.get_or_insert([width, height]) != [width, height] {
            return Err("The window changed its size".to_owned());
        }
        self.next += 1;
        let is_last = self.next == self.times.len();
        if self.kind == Kind::Video {
            let mut video = match self.video.take() {
                Some(video) => video,
                None => Video::new([width, height], self.secs_each)?,
            };
            video.add(picture)?;
            if is_last {
                return Ok(Taken::Video(video));
            }
            self.video = Some(video);
            return Ok(Taken::Nothing);
        }
        let gif = match self.gif.take() {
            Some(gif) => gif,
            None => GifPacker::new([width, height], &[picture.as_raw()]).ok_or(TOO_SMALL)?,
        };
        self.packed.push(gif.pack(&picture).ok_or(TOO_SMALL)?);
        if is_last {
            return gif
                .join(self.packed.drain(..), self.secs_each)
                .map(Taken::File)
                .map_err(|error| error.to_string());
        }
        self.gif = Some(gif);
        Ok(Taken::Nothing)
    }
}

#[cfg(test)]
mod tests {
    use eframe::egui::Color32;

    use super::*;

    fn job(times: usize, kind: Kind) -> Job {
        Job {
            file_stem: "walk-loop".to_owned(),
            times: vec![0.0; times],
            next: 0,
            is_asked: true,
            rect: Some(Rect::from_min_max([10.0, 10.0].into(), [60.0, 40.0].into())),
            before: Playback::default(),
            kind,
            gif: None,
            packed: Vec::new(),
            video: None,
            secs_each: 0.033,
            most_pixels: 480,
            size: None,
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
        let Ok(Taken::File(file)) = job(1, Kind::Png).take_in(&shot, 2.0) else {
            panic!("no picture");
        };
        let picture = image::load_from_memory(&file).unwrap().into_rgb8();
        assert_eq!(picture.dimensions(), (100, 60));
        assert!(picture.pixels().all(|pixel| pixel.0 == [0, 0, 255]));
    }

    #[test]
    fn a_view_of_no_size_makes_no_picture() {
        let shot = ColorImage::filled([200, 100], Color32::RED);
        let mut job = Job {
            rect: Some(Rect::from_min_max([250.0, 10.0].into(), [300.0, 40.0].into())),
            ..job(1, Kind::Png)
        };
        assert!(job.take_in(&shot, 1.0).is_err());
    }

    /// Long loops have fewer pictures a second; only a take is cut short.
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
        let mut job = job(10, Kind::Gif);
        let mut file = Vec::new();
        for picture in 0..10 {
            let shot = ColorImage::filled([200, 100], Color32::from_gray(20 * picture));
            let taken = job.take_in(&shot, 1.0).unwrap();
            assert_eq!(matches!(taken, Taken::File(_)), picture == 9);
            if let Taken::File(bytes) = taken {
                file = bytes;
            }
        }
        let mut decoder = gif::DecodeOptions::new().read_info(&file[..]).unwrap();
        let mut delays = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            delays.push(frame.delay);
        }
        assert_eq!((delays.len(), delays.iter().sum::<u16>()), (10, 33));
    }
}
