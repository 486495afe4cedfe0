//! The figures of the loop, on demand: how good it is says the verdict at the top.

use eframe::egui::{self, Ui};

use super::row_ui;
use crate::model::Model;

pub(crate) fn figures_ui(ui: &mut Ui, model: &Model) {
    let Some(made) = model.made() else { return };
    let quality = &made.quality;
    ui.collapsing("Numbers of this loop", |ui| {
        egui::Grid::new("figures").num_columns(2).show(ui, |ui| {
            let gap = made.done.made.closed.seam.largest();
            let before = format!("{:.1} mm, {:.2} deg", 1e3 * gap.position, gap.angle.to_degrees());
            row_ui(ui, "Pose gap, uncut", before);
            let after = format!(
                "{}, {}",
                small(1e3 * quality.pose_gap_metres, "mm"),
                small(quality.pose_gap_radians.to_degrees(), "deg")
            );
            row_ui(ui, "Pose gap, closed", after);
            row_ui(
                ui,
                "Step beyond own motion",
                small(1e3 * quality.seam.excess_metres, "mm"),
            );
            row_ui(ui, "Rank of the seam", format!("{:.0} of 100", 1e2 * quality.seam_rank));
            if let (Some(metres), Some(radians)) = (quality.displacement_metres, quality.displacement_radians) {
                let moved = format!("{:.1} mm, {:.2} deg on average", 1e3 * metres, radians.to_degrees());
                row_ui(ui, "Moved from the take", moved);
            }
            if let Some(slide) = quality.foot_slide_mps {
                row_ui(ui, "Foot sliding", format!("{:.1} cm/s", 1e2 * slide));
            }
            if let Some(slide) = quality.farthest_slide {
                row_ui(ui, "Farthest slide", format!("{:.1} mm", 1e3 * slide.metres));
            }
        });
    });
}

/// A figure as far as a person can use it.
fn small(value: f64, unit: &str) -> String {
    if value < 0.001 {
        format!("below 0.001 {unit}")
    } else {
        format!("{value:.3} {unit}")
    }
}
