//! Time to draw a picture, compared with clearing as many pixels: `cargo bench -p loopwright_draw --bench render`.

use std::{hint::black_box, time::Instant};

use loopwright_core::{Analysis, LoopSettings, SearchSettings};
use loopwright_draw::Figure;
use loopwright_draw::render::{AnimationFormat, DrawnMotion, Packer, Scene, SceneSettings};
use loopwright_synth::{WalkSettings, synthesize};
use resvg::tiny_skia::{Color, Pixmap};

const PICTURES: usize = 60;

/// Median of milliseconds for each of the pictures.
fn milliseconds(mut work: impl FnMut(usize)) -> f64 {
    let mut times: Vec<f64> = (0..PICTURES)
        .map(|index| {
            let start = Instant::now();
            work(index);
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[PICTURES / 2]
}

#[expect(clippy::print_stdout, reason = "a bench talks to people")]
fn main() {
    let take = synthesize(&WalkSettings::default())
        .expect("the default walk is sound")
        .take;
    let analysis = Analysis::new(&take).expect("no joints are named");
    let found = analysis
        .find_loops(&SearchSettings::default())
        .expect("the default settings are sound");
    let made = analysis
        .make_loop(&found.candidates[0], &LoopSettings::default())
        .expect("the walk closes");
    let figure = Figure::new(&take, &analysis.body);
    let motion = DrawnMotion::of_loop(&made.loop_clip, &figure).expect("the figure is the walker's");
    let scene = Scene::new(&motion, &SceneSettings::default(), "walk").expect("the size is sound");
    let secs = |index: usize| scene.shown_secs() * index as f64 / PICTURES as f64;

    let mut empty = Pixmap::new(512, 512).expect("the size is sound");
    let clear = milliseconds(|_| {
        empty.fill(Color::WHITE);
        black_box(&empty);
    });
    let draw = milliseconds(|index| {
        black_box(scene.frame(secs(index)).expect("the size is sound"));
    });
    println!("512 x 512, medians of {PICTURES} pictures on one thread");
    println!("clear      {clear:8.3} ms");
    println!("draw       {draw:8.3} ms  {:6.0} x clear", draw / clear);
    let picture = scene.frame(0.4).expect("the size is sound");
    for (name, format) in [("GIF", AnimationFormat::Gif), ("WebP", AnimationFormat::WebP)] {
        let start = Instant::now();
        let packer = Packer::new(format, core::slice::from_ref(&picture)).expect("there is a sample");
        let ready = start.elapsed().as_secs_f64() * 1e3;
        let pack = milliseconds(|_| {
            black_box(packer.pack(&picture).expect("it is like the sample"));
        });
        println!("{name:<5} ready{ready:8.3} ms, once");
        println!("{name:<5} pack {pack:8.3} ms  {:6.0} x clear", pack / clear);
    }
}
