//! Compared loops: the correction of one joint in each, and a table of their figures.

use eframe::egui::{Align, Grid, Layout, RichText, Role, ScrollArea, Sense, Ui, vec2};

use super::{
    seam_channels::{Kind, offset_of},
    seam_curve::{Chart, joint_ui},
};
use crate::{
    focus, grade,
    model::{Action, Compared, Model},
    theme,
};

/// Least height of the curves, points, and the share of the width that they take.
const LEAST_POINTS: f32 = 90.0;
const CHART_SHARE: f32 = 0.4;

/// Height of a row of the table, points.
const ROW_POINTS: f32 = 18.0;

/// Windows narrower than this show the table below the curves, points.
const BESIDE_POINTS: f32 = 620.0;

/// A figure of a loop: less is better.
type Figure = (&'static str, &'static str, fn(&Compared) -> Option<f64>);

/// The figures of the table.
const FIGURES: [Figure; 5] = [
    (
        "seam step, mm",
        "Step over the seam beyond the body's own motion",
        |of| Some(1e3 * of.loop_made()?.quality.seam.excess_metres),
    ),
    (
        "percentile",
        "Share of the loop's own steps that are smoother than the seam",
        |of| Some(1e2 * of.loop_made()?.quality.seam_rank),
    ),
    ("moved, mm", "Mean displacement from the take", |of| {
        Some(1e3 * of.loop_made()?.quality.displacement_metres?)
    }),
    ("turned, \u{b0}", "Mean rotation from the take", |of| {
        Some(of.loop_made()?.quality.displacement_radians?.to_degrees())
    }),
    ("sliding, cm/s", "How fast planted feet slide", |of| {
        Some(1e2 * of.loop_made()?.quality.foot_slide_mps?)
    }),
];

pub fn compared_ui(ui: &mut Ui, model: &Model) {
    ui.horizontal_wrapped(|ui| {
        ui.strong("Compared");
        if ui.button("End the comparison").clicked() {
            model.ask(Action::Compare(None));
        }
        if let Some(made) = model.made() {
            let joint = model.watched.min(made.clip().skeleton().num_joints() - 1);
            joint_ui(ui, made, joint, model);
        }
        ui.weak("A click on a name takes that loop.");
    });
    let height = ui.available_height().max(LEAST_POINTS);
    if ui.available_width() < BESIDE_POINTS {
        let size = vec2(ui.available_width(), LEAST_POINTS);
        chart_ui(ui, model, size);
        table_ui(ui, model);
        return;
    }
    let size = vec2(ui.available_width(), height);
    ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Min), |ui| {
        let size = vec2(CHART_SHARE * ui.available_width(), height - 6.0);
        chart_ui(ui, model, size);
        ui.vertical(|ui| {
            ScrollArea::both()
                .id_salt("compared")
                .auto_shrink(false)
                .show(ui, |ui| table_ui(ui, model));
        });
    });
}

/// Draws the rotation that closing adds to the chosen joint in each loop, with the seam in the middle.
fn chart_ui(ui: &mut Ui, model: &Model, size: eframe::egui::Vec2) {
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    focus::label(
        &response,
        Role::Image,
        "Rotation that each loop adds, one period with the seam in the middle",
    );
    let chart = Chart::new(ui, rect, None, Kind::Turned);
    let Some(joint) = model.opened().and_then(|opened| opened.joint_of_take(model.watched)) else {
        return;
    };
    let mut along = None;
    let offsets = model
        .compared
        .iter()
        .zip(theme::of(ui).series())
        .filter_map(|(compared, colour)| {
            let (direction, values) = offset_of(compared.loop_made()?, joint, along);
            along = Some(direction);
            Some((values, colour))
        });
    let offsets: Vec<_> = offsets.collect();
    chart.compared_ui(&offsets);
    chart.legend(&[("rotation added".to_owned(), theme::of(ui).weak)]);
    chart.playhead_ui(model);
}

fn table_ui(ui: &mut Ui, model: &Model) {
    let compared = &model.compared;
    Grid::new("compared")
        .striped(true)
        .spacing([14.0, 2.0])
        .min_row_height(ROW_POINTS)
        .show(ui, |ui| {
            ui.weak("");
            ui.weak("grade");
            for (word, tip, _) in FIGURES {
                ui.weak(word).on_hover_text(tip);
            }
            ui.end_row();
            let least = FIGURES.map(|(.., figure)| compared.iter().filter_map(figure).fold(f64::INFINITY, f64::min));
            for (index, (one, colour)) in compared.iter().zip(theme::of(ui).series()).enumerate() {
                let name = ui.small_button(RichText::new(&one.name).color(colour).strong());
                if focus::named(name, &format!("Take {}", one.name)).clicked() {
                    model.ask(Action::TakeCompared(index));
                }
                match &one.made {
                    None => ui.weak("..."),
                    Some(Err(why)) => ui.weak("none").on_hover_text(why),
                    Some(Ok(made)) => {
                        let grade = made.verdict.grade;
                        let cell = ui.horizontal(|ui| {
                            grade::light_ui(ui, grade);
                            ui.label(grade.as_str());
                        });
                        cell.response.on_hover_text(made.verdict.to_string())
                    }
                };
                for ((.., figure), least) in FIGURES.into_iter().zip(least) {
                    match figure(one) {
                        // The best value of each column is bold.
                        Some(value) if value <= least => ui.strong(format!("{value:.2}")),
                        Some(value) => ui.label(format!("{value:.2}")),
                        None => ui.weak("-"),
                    };
                }
                ui.end_row();
            }
        });
}
