//! Studies of a take on demand: the lengths at which it repeats, and constants for a character controller that moves like it.

use eframe::egui::{Align2, Ui};
use loopwright_controller::{Lack, Pool, Quantity, TakeFit};

use super::chart::Chart;
use crate::{
    model::{Action, Model, Study, lengths},
    theme::{self, Tokens},
};

/// Longest lag drawn, seconds.
const MAX_SECS: f64 = 6.0;

/// Most points of the curve.
const MAX_POINTS: usize = 600;

/// Most lengths listed as text.
const MOST: usize = 4;

pub fn spectrum_ui(ui: &mut Ui, model: &Model) {
    let Some(opened) = model.opened() else { return };
    let spectrum = &opened.studied.analysis.spectrum;
    let values = spectrum.values();
    let step = opened.take().frame_time_secs();
    let shown = values.len().min((MAX_SECS / step) as usize + 1);
    let longest = shown.saturating_sub(1).max(1) as f64 * step;
    let chart = Chart::new(
        ui,
        "Autocorrelation: how well the take repeats after a delay",
        [0.0, longest],
        [-1.0, 1.05],
    );
    let Tokens { weak, accent, .. } = theme::of(ui);
    let points = values[..shown]
        .iter()
        .enumerate()
        .step_by(shown.div_ceil(MAX_POINTS).max(1));
    chart.line(ui, [[0.0, 0.0], [longest, 0.0]].into_iter(), 0.5, weak);
    if let Some(made) = model.made() {
        chart.upright(ui, made.candidate.source_period_secs, ui.visuals().warn_fg_color);
    }
    chart.line(ui, points.map(|(lag, value)| [lag as f64 * step, *value]), 1.5, accent);
    let lengths = lengths(spectrum, step);
    for [secs, height] in lengths.iter().filter(|[secs, _]| *secs <= longest) {
        chart.dot(ui, *secs, *height, accent);
    }
    chart.word(ui, Align2::LEFT_BOTTOM, "lag 0 s");
    chart.word(ui, Align2::RIGHT_BOTTOM, &format!("{longest:.1} s"));
    if lengths.is_empty() {
        ui.label("It repeats at no length.");
    } else {
        let words: Vec<String> = lengths
            .iter()
            .take(MOST)
            .map(|[secs, height]| format!("{secs:.2} s ({:.0}%)", 1e2 * height))
            .collect();
        ui.label(format!("It repeats after {}.", words.join(", ")));
    }
    ui.weak("Dots: lengths found. Upright line: the loop's.");
}

/// Shows half-lives of a character controller, and the fitted springs over the speed of the take.
pub fn fit_ui(ui: &mut Ui, model: &Model) {
    if model.opened().is_none() {
        return;
    }
    let fit = match &model.studies.fit {
        None => {
            ui.weak("Working ...");
            return model.ask(Action::Study(Study::Fit));
        }
        Some(Err(error)) => {
            ui.label(error);
            return;
        }
        Some(Ok(fit)) => fit,
    };
    let pool = Pool::new(&[fit]);
    for (quantity, half_lives, name) in [
        (Quantity::Velocity, &pool.all.velocity, "velocity"),
        (Quantity::Facing, &pool.all.facing, "facing"),
    ] {
        let words = match (half_lives.chosen(), fit.lack(quantity)) {
            (Some(spread), _) => {
                let changes = if spread.count == 1 { "change" } else { "changes" };
                format!(
                    "Half-life of the {name}: {:.3} s over {} {changes}",
                    spread.median, spread.count
                )
            }
            (None, Some(Lack::Still)) => format!("No half-life of the {name}: the body is idle."),
            (None, Some(Lack::NoFit)) => format!("No half-life of the {name}: no spring fits its changes."),
            (None, _) => format!("No half-life of the {name}: it does not change from one steady value to another."),
        };
        ui.label(words);
    }
    speeds_ui(ui, fit);
    ui.weak("Thin: the take, smoothed; bold: springs. As `loopwright fit` gives them.");
}

/// Draws the speed of the take over its time, and the springs fitted to it.
fn speeds_ui(ui: &mut Ui, fit: &TakeFit) {
    let profile = &fit.profile;
    let count = profile.speed_rate.len();
    let speeds = (0..count).map(|frame| profile.speed(frame));
    let last = profile.secs(count - 1);
    let most = speeds.fold(0.1, f64::max);
    let chart = Chart::new(
        ui,
        "Speed of the take, and the springs fitted to it",
        [0.0, last],
        [0.0, 1.1 * most],
    );
    let Tokens { weak, accent, .. } = theme::of(ui);
    let stride = count.div_ceil(MAX_POINTS).max(1);
    for run in &profile.runs {
        chart.line(
            ui,
            run.clone()
                .step_by(stride)
                .map(|frame| [profile.secs(frame), profile.speed(frame)]),
            1.0,
            weak,
        );
    }
    let deviation = profile.velocity.deviation_secs;
    for event in fit.events_of(Quantity::Velocity) {
        let Some(fitted) = event.trusted() else { continue };
        chart.line(
            ui,
            event.frames.clone().step_by(stride).map(|frame| {
                let secs = profile.secs(frame);
                [secs, fitted.at(secs, deviation).length()]
            }),
            2.0,
            accent,
        );
    }
    chart.word(ui, Align2::LEFT_BOTTOM, &format!("speed, up to {most:.1} m/s"));
    chart.word(ui, Align2::RIGHT_BOTTOM, &format!("{last:.1} s"));
}
