//! The cost of the seam from every frame to every other, as a map in which a click chooses a seam.

use std::sync::Arc;

use eframe::egui::{
    Color32, ColorImage, Pos2, Rect, Role, Sense, Stroke, TextureHandle, TextureOptions, Ui, pos2, vec2,
};

use super::chart::SCROLL_POINTS;
use crate::{
    focus,
    model::{Action, CostMap, Model, Stretch, Study},
};

/// Fewest frames of a clicked stretch.
const MIN_FRAMES: f64 = 4.0;

/// Radius around a click in which the cheapest seam is chosen, in cells of the map.
const AROUND_CELLS: usize = 2;

/// Share of the cost of random frames from which on the colour no longer changes.
const DEAR: f64 = 1.0;

/// Largest side of the map, points.
const MAX_SIDE: f32 = 360.0;

/// The last drawn map.
#[derive(Default)]
pub struct CostMapPanel {
    drawn: Option<(Arc<CostMap>, TextureHandle)>,
}

impl CostMapPanel {
    pub fn cost_map_ui(&mut self, ui: &mut Ui, model: &Model) {
        let Some(opened) = model.opened() else { return };
        let Some(costs) = &model.studies.costs else {
            ui.weak("Working ...");
            model.ask(Action::Study(Study::Costs));
            return;
        };
        if !matches!(&self.drawn, Some((of, _)) if Arc::ptr_eq(of, costs)) {
            self.drawn = Some((
                Arc::clone(costs),
                ui.ctx()
                    .load_texture("cost map", picture(costs), TextureOptions::NEAREST),
            ));
        }
        let Some((_, texture)) = &self.drawn else { return };
        let side = (ui.available_width() - SCROLL_POINTS).min(MAX_SIDE);
        let (rect, response) = ui.allocate_exact_size(vec2(side, side), Sense::click());
        focus::label(&response, Role::Image, "Cost of every seam: click to take one");
        ui.painter().image(
            texture.id(),
            rect,
            Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0)),
            Color32::WHITE,
        );
        if let Some(made) = model.made() {
            let last = opened.last_frame().max(1.0);
            let cut = &made.candidate.cut;
            let [x, y] = [cut.start_frame(), cut.end_frame()].map(|frame| (frame / last) as f32);
            let centre = rect.left_bottom() + rect.size() * vec2(x, -y);
            for (width, colour) in [(3.0, Color32::BLACK), (1.5, Color32::WHITE)] {
                ui.painter().circle_stroke(centre, 6.0, Stroke::new(width, colour));
            }
        }
        if let Some(point) = response.hover_pos() {
            let (start, end) = cell_at(costs, rect, point);
            let ratio = costs.ratios[start * costs.frames.len() + end];
            let words = if ratio.is_finite() {
                format!(
                    "frames {} to {}: {:.0}% of a random seam",
                    costs.frames[start],
                    costs.frames[end],
                    1e2 * ratio
                )
            } else {
                "the end lies before the start".to_owned()
            };
            response.clone().on_hover_text_at_pointer(words);
        }
        if let Some(point) = response.interact_pointer_pos().filter(|_| response.clicked()) {
            let (start, end) = cheapest_about(costs, cell_at(costs, rect, point));
            let start_frame = costs.frames[start] as f64;
            let end_frame = costs.frames[end] as f64;
            if end_frame >= start_frame + MIN_FRAMES {
                model.ask(Action::Choose(Stretch::Frames { start_frame, end_frame }));
            }
        }
        ui.weak("Across: where it starts; up: where it ends. Bright is a cheap seam, dark a dear one.");
    }
}

/// Returns the cell of the map that is drawn at a point: its start and its end.
fn cell_at(costs: &CostMap, rect: Rect, point: Pos2) -> (usize, usize) {
    let share = (point - rect.min) / rect.size();
    let [start, end] = [share.x, 1.0 - share.y]
        .map(|share| ((f64::from(share) * costs.frames.len() as f64) as usize).min(costs.frames.len() - 1));
    (start, end)
}

/// Returns the cell with the cheapest seam around one.
fn cheapest_about(costs: &CostMap, (start, end): (usize, usize)) -> (usize, usize) {
    let [starts, ends] =
        [start, end].map(|cell| cell.saturating_sub(AROUND_CELLS)..(cell + AROUND_CELLS + 1).min(costs.frames.len()));
    starts
        .flat_map(|start| ends.clone().map(move |end| (start, end)))
        .map(|cell| (costs.ratios[cell.0 * costs.frames.len() + cell.1], cell))
        .min_by(|one, other| one.0.total_cmp(&other.0))
        .map_or((start, end), |(_, cell)| cell)
}

/// Draws starts across and ends up, from dark blue over green to yellow; the colours also differ in lightness.
fn picture(costs: &CostMap) -> ColorImage {
    const STOPS: [[f64; 3]; 5] = [
        [253.0, 231.0, 37.0],
        [94.0, 201.0, 98.0],
        [33.0, 145.0, 140.0],
        [59.0, 82.0, 139.0],
        [68.0, 1.0, 84.0],
    ];
    let count = costs.frames.len();
    let mut pixels = Vec::with_capacity(count * count);
    for end in (0..count).rev() {
        for start in 0..count {
            let ratio = costs.ratios[start * count + end];
            pixels.push(match ratio.is_finite() {
                // The square root spreads cheap seams over more colours.
                true => {
                    let place = (ratio / DEAR).clamp(0.0, 1.0).sqrt() * (STOPS.len() - 1) as f64;
                    let stop = (place as usize).min(STOPS.len() - 2);
                    let share = place - stop as f64;
                    let [red, green, blue] = [0, 1, 2]
                        .map(|channel| (STOPS[stop][channel] * (1.0 - share) + STOPS[stop + 1][channel] * share) as u8);
                    Color32::from_rgb(red, green, blue)
                }
                false => Color32::TRANSPARENT,
            });
        }
    }
    ColorImage::new([count, count], pixels)
}
