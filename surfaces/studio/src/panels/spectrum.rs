//! How alike the take is to itself a while later, and the lengths at which it repeats.

use eframe::egui::{Align2, Ui};

use super::chart::Chart;
use crate::model::{Model, lengths};

/// Longest lag that is drawn, seconds.
const MAX_SECS: f64 = 6.0;

/// Most points of the curve.
const MAX_POINTS: usize = 600;

/// Most lengths in words.
const MOST: usize = 4;

pub(crate) fn spectrum_ui(ui: &mut Ui, model: &Model) {
    let Some(opened) = model.opened() else { return };
    let spectrum = &opened.studied.analysis.spectrum;
    let values = spectrum.values();
    let step = opened.take().frame_time_secs();
    let shown = values.len().min((MAX_SECS / step) as usize + 1);
    let longest = (shown - 1).max(1) as f64 * step;
    let chart = Chart::new(
        ui,
        "Autocorrelation: how well the take repeats after a delay",
        [0.0, longest],
        [-1.0, 1.05],
    );
    let (weak, strong) = (ui.visuals().weak_text_color(), ui.visuals().selection.stroke.color);
    let stride = shown.div_ceil(MAX_POINTS).max(1);
    let points = values[..shown].iter().enumerate().step_by(stride);
    chart.line(ui, [[0.0, 0.0], [longest, 0.0]].into_iter(), 0.5, weak);
    if let Some(made) = model.made() {
        chart.upright(ui, made.candidate.source_period_secs, ui.visuals().warn_fg_color);
    }
    chart.line(ui, points.map(|(lag, value)| [lag as f64 * step, *value]), 1.5, strong);
    let lengths = lengths(spectrum, step);
    for [secs, height] in lengths.iter().filter(|[secs, _]| *secs <= longest) {
        chart.dot(ui, *secs, *height, strong);
    }
    chart.word(ui, Align2::LEFT_BOTTOM, "lag 0 s");
    chart.word(ui, Align2::RIGHT_BOTTOM, &format!("{longest:.1} s"));
    if lengths.is_empty() {
        ui.label("It repeats at no length.");
    } else {
        let words: Vec<String> = (lengths.iter().take(MOST))
            .map(|[secs, height]| format!("{secs:.2} s ({:.0}%)", 1e2 * height))
            .collect();
        ui.label(format!("It repeats after {}.", words.join(", ")));
    }
    ui.weak("Dots: lengths found. Upright line: the loop's.");
}
