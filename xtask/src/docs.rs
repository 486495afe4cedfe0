//! The pictures of the README and of docs/guide, drawn from synthetic takes so that they never go stale.

use std::{error::Error, io::Cursor, path::Path};

use loopwright_controller::FitSettings;
use loopwright_core::math::Decay;
use loopwright_core::{Analysis, BodyOverrides, LoopClip, LoopSettings, MadeLoop, SearchSettings, Take};
use loopwright_draw::render::{
    AnimationFormat, DrawnMotion, Packer, Picture, Scene, SceneSettings, View, contact_sheet, onion, side_by_side,
};
use loopwright_draw::{Figure, plot};
use loopwright_moves::blend::align;
use loopwright_moves::{Transitions, transition};
use loopwright_synth::{DriveSettings, WalkSettings, drive, synthesize};
use resvg::tiny_skia::Pixmap;

/// The result of drawing; the error is whatever failed.
type Drawn<T> = Result<T, Box<dyn Error>>;

/// All pictures: path below the checkout, and bytes.
fn pictures() -> Result<Vec<(&'static str, Vec<u8>)>, String> {
    drawn().map_err(|error| format!("a picture cannot be drawn: {error}"))
}

fn drawn() -> Drawn<Vec<(&'static str, Vec<u8>)>> {
    // Like a recording: a T-pose first, then standing, then a slightly uneven walk.
    let recording = WalkSettings::default()
        .seconds(12.0)
        .lead_in_secs(2.0)
        .t_pose_first_frame(true)
        .speed_variation(0.05)
        .noise_deg(0.2);
    let recorded = Studied::walk(&recording)?;
    let walk = Looped::new(Studied::walk(&WalkSettings::default())?)?;
    let drifting = Looped::new(Studied::walk(&drifting_walk())?)?;
    Ok(vec![
        ("docs/images/loop.svg", walk.plot().into_bytes()),
        ("docs/images/feet.svg", drifting.feet().into_bytes()),
        (
            "docs/images/inspect.svg",
            plot::inspect(&recorded.analysis).into_bytes(),
        ),
        ("docs/images/find.svg", found(&recorded)?.into_bytes()),
        ("docs/images/fit.svg", fit()?.into_bytes()),
        ("docs/images/cost.svg", jumps()?.into_bytes()),
        ("docs/images/before-after.gif", drifting.before_and_after()?),
        ("docs/images/onion.png", drifting.onion()?),
        ("docs/images/sheet.png", walk.sheet()?),
    ])
}

/// The decay of jumps in the pictures.
const SPRING: Decay = Decay::Spring { half_life_secs: 0.1 };

/// The loop of a synthetic walk, prepared for jumps out of it or into it.
fn motion_of(settings: &WalkSettings) -> Drawn<(transition::TransitionClip, LoopClip)> {
    let clip = Looped::new(Studied::walk(settings)?)?.made.loop_clip;
    let motion = transition::TransitionClip::from_loop(&clip, &BodyOverrides::default())?;
    Ok((motion, clip))
}

/// Jumps from a walk into a quicker walk, and the loops of both.
fn walks() -> Drawn<(Transitions, [LoopClip; 2])> {
    let quick = WalkSettings::default()
        .seed(11)
        .period_secs(0.86)
        .speed_mps(1.9)
        .turn_dps(0.0);
    let (left, one) = motion_of(&WalkSettings::default())?;
    let (entered, other) = motion_of(&quick)?;
    let transitions = Transitions::between(&left, &entered, &[])?;
    Ok((transitions, [one, other]))
}

/// The costs of all jumps between the two walks.
fn jumps() -> Drawn<String> {
    let (transitions, clips) = walks()?;
    let all = [transitions.num_exits(), transitions.num_entries()];
    let phases = align(&clips);
    Ok(loopwright_plots::transitions(&loopwright_plots::TransitionMap {
        names: ["walk-loop", "quick-loop"],
        step_secs: clips.each_ref().map(LoopClip::step_secs),
        decay: SPRING,
        grid: &transitions.grid(0..all[0], 0..all[1], SPRING, usize::MAX),
        best_entries: &transitions.best_entries(0..all[0], 0..all[1], SPRING),
        best: &transitions.best(0..all[0], 0..all[1], SPRING, 10),
        matching: phases.last().map(|&phase| (all, phase)),
    }))
}

/// A walk whose cycles differ, so that a repeated raw cut shows its seam. The walk is straight and each cycle covers a whole
/// metre, so that the ground under a following camera shows none.
fn drifting_walk() -> WalkSettings {
    let period_secs = 1.12;
    WalkSettings::default()
        .seconds(5.0)
        .frame_rate_hz(30.0)
        .period_secs(period_secs)
        .speed_mps(1.0 / period_secs)
        .turn_dps(0.0)
        .drift(0.05)
        .torso_rise_metres(0.16)
        .speed_variation(0.06)
}

pub(crate) fn write(checkout: &Path) -> Result<(), String> {
    for (path, bytes) in pictures()? {
        let path = checkout.join(path);
        let failed = |error| format!("cannot write {}: {error}", path.display());
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        std::fs::write(&path, bytes).map_err(failed)?;
    }
    Ok(())
}

/// Fails if a picture in the checkout differs from what would be drawn now.
pub(crate) fn check(checkout: &Path) -> Result<(), String> {
    let stale: Vec<&str> = pictures()?
        .into_iter()
        .filter(|(path, bytes)| !std::fs::read(checkout.join(path)).is_ok_and(|there| alike(&there, bytes)))
        .map(|(path, _)| path)
        .collect();
    if stale.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "stale: {}; `cargo xtask docs` draws them anew",
            stale.join(", ")
        ))
    }
}

/// Largest mean difference of pixels that rounding on another machine may cause, of 255.
const ROUNDING: f64 = 0.5;

/// Whether two files show the same picture: equal bytes, or pixels that differ only by rounding.
fn alike(there: &[u8], now: &[u8]) -> bool {
    if there == now {
        return true;
    }
    let (Some(there), Some(now)) = (pixels(there), pixels(now)) else {
        return false;
    };
    let off: u64 = there.iter().zip(&now).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    there.len() == now.len() && off as f64 <= ROUNDING * now.len() as f64
}

/// All pixels of a PNG or of all frames of a GIF.
fn pixels(file: &[u8]) -> Option<Vec<u8>> {
    if file.starts_with(b"\x89PNG") {
        return Some(Pixmap::decode_png(file).ok()?.data().to_vec());
    }
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(Cursor::new(file)).ok()?;
    let mut pixels = Vec::new();
    while let Some(frame) = decoder.read_next_frame().ok()? {
        pixels.extend_from_slice(&frame.buffer);
    }
    Some(pixels)
}

/// The list of loops of a take.
fn found(studied: &Studied) -> Drawn<String> {
    let settings = SearchSettings::default();
    let found = studied.analysis.find_loops(&settings)?;
    Ok(plot::find(&studied.analysis, &settings, &found))
}

/// The fitted springs of a body that known springs drive, with gait sway and sensor noise.
fn fit() -> Drawn<String> {
    let settings = DriveSettings {
        sway_metres: 0.015,
        noise_deg: 0.2,
        ..DriveSettings::default()
    };
    let take = drive(&settings)?;
    let driven = Studied::new(take)?;
    let fit = loopwright_controller::fit(&driven.analysis, &FitSettings::default())?;
    Ok(loopwright_plots::controller_fit(&[(
        driven.take.name().to_owned(),
        &fit,
    )]))
}

/// A take with its analysis.
struct Studied {
    take: Take,
    analysis: Analysis,
}

impl Studied {
    fn new(take: Take) -> Drawn<Self> {
        let analysis = Analysis::new(&take)?;
        Ok(Self { take, analysis })
    }

    /// Makes and analyses a synthetic walk.
    fn walk(settings: &WalkSettings) -> Drawn<Self> {
        Self::new(synthesize(settings)?.take)
    }
}

/// A take and the loop made from it by default.
struct Looped {
    studied: Studied,
    made: MadeLoop,
}

impl Looped {
    fn new(studied: Studied) -> Drawn<Self> {
        let found = studied.analysis.find_loops(&SearchSettings::default())?;
        let best = found.best().ok_or("no loop was found")?;
        Ok(Self {
            made: studied.analysis.make_loop(best, &LoopSettings::default())?,
            studied,
        })
    }

    fn plot(&self) -> String {
        plot::make(&self.studied.analysis, &self.made)
    }

    fn feet(&self) -> String {
        plot::feet(&self.studied.analysis, &self.made)
    }

    /// The raw cut, repeated, and the loop.
    fn motions(&self) -> Drawn<[(&'static str, DrawnMotion); 2]> {
        let Self { studied, made } = self;
        let cut = &made.candidate.cut;
        let figure = Figure::new(&studied.take, &studied.analysis.body);
        let raw = DrawnMotion::of_cut(&made.source, &figure, cut.start_frame(), cut.num_frames());
        let looped = DrawnMotion::of_loop(&made.loop_clip, &figure);
        Ok([("the take, cut and repeated", raw?), ("the loop", looped?)])
    }

    /// An animation of both, side by side.
    fn before_and_after(&self) -> Drawn<Vec<u8>> {
        let motions = self.motions()?;
        let settings = SceneSettings {
            size: [260, 260],
            ..SceneSettings::default()
        };
        let scenes = motions
            .iter()
            .map(|(title, motion)| Scene::new(motion, &settings, title))
            .collect::<Result<Vec<_>, _>>()?;
        let (secs, count) = (scenes[1].shown_secs(), motions[1].1.num_frames());
        let draw = |index: usize| {
            let at = secs * index as f64 / count as f64;
            let panels = scenes
                .iter()
                .map(|scene| scene.frame(at))
                .collect::<Result<Vec<_>, _>>()?;
            side_by_side(&panels)
        };
        let samples = [draw(0)?, draw(count / 3)?, draw(2 * count / 3)?];
        let packer = Packer::new(AnimationFormat::Gif, &samples)?;
        let packed = (0..count)
            .map(|index| packer.pack(&draw(index)?))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(packer.join(packed, secs / count as f64)?)
    }

    /// The seam of both, side by side.
    fn onion(&self) -> Drawn<Vec<u8>> {
        let motions = self.motions()?;
        let settings = SceneSettings {
            size: [400, 400],
            view: View::Side,
            ..SceneSettings::default()
        };
        let skins = motions
            .iter()
            .map(|(title, motion)| onion(&Scene::new(motion, &settings, title)?))
            .collect::<Result<Vec<Picture>, _>>()?;
        Ok(side_by_side(&skins)?.png()?)
    }

    /// A contact sheet of a loop over two cycles under a fixed camera.
    fn sheet(&self) -> Drawn<Vec<u8>> {
        let [_, (_, motion)] = self.motions()?;
        let settings = SceneSettings {
            size: [200, 150],
            cycles: 2,
            is_fixed: true,
            ..SceneSettings::default()
        };
        let frames: Vec<usize> = (0..8).map(|cell| cell * motion.num_frames() / 4).collect();
        Ok(contact_sheet(&Scene::new(&motion, &settings, "walk-loop")?, &frames)?.png()?)
    }
}
