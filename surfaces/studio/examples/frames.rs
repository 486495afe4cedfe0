//! Frames of the studio in a window: `cargo run --release --example frames -- [FILE] [SECONDS]`.
//!
//! Says when a body moved first, when the loop of the file was there, the longest time from one frame to the next until then (without
//! the first ones, which make fonts and shaders), and the frames per second while it plays, with the processor time of a frame on all threads: that hardly depends on what else the
//! machine does. Software OpenGL draws on such threads, too.

use std::time::{Duration, Instant};
use std::{error::Error, io::Write as _, path::PathBuf};

use eframe::egui::{Ui, ViewportBuilder, ViewportCommand, Visuals, vec2};
use eframe::{App, Frame, NativeOptions};
use loopwright_studio::Studio;

/// Frames before those that are counted: the first ones make what the graphics card holds.
const WARM: usize = 10;

struct Watched {
    studio: Studio,
    start: Instant,
    file_name: Option<String>,
    lasts: Duration,
    last_frame: Instant,
    first_body: Option<Duration>,
    opened: Option<Duration>,
    longest: Duration,
    num_before: usize,
    times: Vec<Duration>,
    /// Processor time used when the counted frames began.
    spent_before: Option<Duration>,
    is_said: bool,
}

/// Processor time of this process so far, user and system, as Linux counts it.
fn spent() -> Option<Duration> {
    const TICKS_PER_SEC: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|field| field.parse::<f64>().ok());
    let ticks: Option<f64> = ticks.sum();
    Some(Duration::from_secs_f64(ticks? / TICKS_PER_SEC))
}

impl App for Watched {
    fn clear_color(&self, visuals: &Visuals) -> [f32; 4] {
        self.studio.clear_color(visuals)
    }

    fn ui(&mut self, ui: &mut Ui, frame: &mut Frame) {
        let since = self.last_frame.elapsed();
        self.last_frame = Instant::now();
        self.studio.ui(ui, frame);
        let model = self.studio.model();
        let is_made = model.progress().is_none() && model.finished().is_some();
        if self.first_body.is_none() && model.made().is_some() {
            self.first_body = Some(self.start.elapsed());
        }
        let is_file = |name: &String| model.opened().is_some_and(|opened| opened.file_name == *name);
        if self.opened.is_none() {
            self.num_before += 1;
            if self.num_before > WARM {
                self.longest = self.longest.max(since);
            }
            if is_made && self.file_name.as_ref().is_none_or(is_file) {
                self.opened = Some(self.start.elapsed());
            }
        } else {
            if self.times.len() == WARM {
                self.spent_before = spent();
            }
            self.times.push(since);
        }
        let is_over = self
            .opened
            .is_some_and(|opened| self.start.elapsed() > opened + self.lasts);
        if is_over && self.times.len() > WARM + 1 && !self.is_said {
            self.is_said = true;
            let said = self.say(ui.ctx().content_rect().size());
            let _ = std::io::stdout().write_all(said.as_bytes());
            ui.ctx().send_viewport_cmd(ViewportCommand::Close);
        }
        ui.ctx().request_repaint();
    }
}

impl Watched {
    fn say(&mut self, size: eframe::egui::Vec2) -> String {
        let times = &mut self.times[WARM + 1..];
        let spent = match (spent(), self.spent_before) {
            (Some(now), Some(before)) => format!("{:.1?}", (now - before) / times.len() as u32),
            _ => "unknown".to_owned(),
        };
        let sum: Duration = times.iter().sum();
        times.sort();
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        format!(
            "window {} x {} points\nfirst body after {:.2?}\nthe file open after {:.2?}; longest time between frames until then {:.1?}\n\
             {} frames, {:.1} per second; time of a frame: middle {:.1?}, 95th of 100 {:.1?}, longest {:.1?}; processor {spent}\n",
            size.x,
            size.y,
            self.first_body.unwrap_or_default(),
            self.opened.unwrap_or_default(),
            self.longest,
            times.len(),
            times.len() as f64 / sum.as_secs_f64(),
            at(0.5),
            at(0.95),
            at(1.0),
        )
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let mut arguments = std::env::args_os().skip(1);
    let file = arguments.next().map(PathBuf::from);
    let seconds = arguments.next().and_then(|text| text.to_str()?.parse().ok());
    let lasts = Duration::from_secs_f64(seconds.unwrap_or(10.0));
    let options = NativeOptions {
        viewport: ViewportBuilder::default().with_inner_size(vec2(1280.0, 720.0)),
        depth_buffer: 24,
        dithering: false,
        glow_options: eframe::egui_glow::GlowConfiguration {
            vsync: false,
            ..Default::default()
        },
        ..NativeOptions::default()
    };
    eframe::run_native(
        "frames of the loopwright studio",
        options,
        Box::new(move |context| {
            let mut studio = Studio::in_context(&context.egui_ctx);
            studio.open_paths(file.as_slice());
            Ok(Box::new(Watched {
                studio,
                start,
                file_name: file.and_then(|file| Some(file.file_name()?.to_string_lossy().into_owned())),
                lasts,
                last_frame: Instant::now(),
                first_body: None,
                opened: None,
                longest: Duration::ZERO,
                num_before: 0,
                times: Vec::new(),
                spent_before: None,
                is_said: false,
            }))
        }),
    )?;
    Ok(())
}
