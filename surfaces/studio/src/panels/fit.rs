//! Constants with which a character controller moves like the take: half-lives, and the springs over its speed.

use eframe::egui::{Align2, Ui};
use loopwright_controller::{Lack, Pool, Quantity, TakeFit};

use super::chart::Chart;
use crate::model::{Action, Model, Study};

/// Most points of a curve.
const MAX_POINTS: usize = 600;

pub(crate) fn fit_ui(ui: &mut Ui, model: &Model) {
    if model.opened().is_none() {
        return;
    }
    let fit = match &model.studies().fit {
        None => {
            ui.weak("Working ...");
            model.ask(Action::Study(Study::Fit));
            return;
        }
        Some(Err(error)) => {
            ui.label(error.to_string());
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

/// The speed of the take over its time, and the springs fitted to it.
fn speeds_ui(ui: &mut Ui, fit: &TakeFit) {
    let profile = &fit.profile;
    let count = profile.speed_rate.len();
    let speeds = (0..count).map(|frame| profile.speed(frame));
    let (last, most) = (profile.secs(count - 1), speeds.fold(0.1, f64::max));
    let chart = Chart::new(
        ui,
        "Speed of the take, and the springs fitted to it",
        [0.0, last],
        [0.0, 1.1 * most],
    );
    let (weak, strong) = (ui.visuals().weak_text_color(), ui.visuals().selection.stroke.color);
    let stride = count.div_ceil(MAX_POINTS).max(1);
    for run in &profile.runs {
        let points = run.clone().step_by(stride);
        chart.line(
            ui,
            points.map(|frame| [profile.secs(frame), profile.speed(frame)]),
            1.0,
            weak,
        );
    }
    let deviation = profile.velocity.deviation_secs;
    for event in fit.events_of(Quantity::Velocity) {
        let Some(fitted) = event.trusted() else { continue };
        let points = event.frames.clone().step_by(stride).map(|frame| {
            let secs = profile.secs(frame);
            [secs, fitted.at(secs, deviation).length()]
        });
        chart.line(ui, points, 2.0, strong);
    }
    chart.word(ui, Align2::LEFT_BOTTOM, &format!("speed, up to {most:.1} m/s"));
    chart.word(ui, Align2::RIGHT_BOTTOM, &format!("{last:.1} s"));
}
