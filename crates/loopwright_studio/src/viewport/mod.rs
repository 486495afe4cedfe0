//! The viewport: the body on its ground, seen by a camera that one turns, moves and brings nearer.

mod figure;

mod paint;

mod scene;

use std::sync::Arc;

use eframe::egui::{self, Align2, FontId, PointerButton, Role, Sense, Ui, WidgetInfo};
use glam::DVec3;

use crate::{
    camera::Camera,
    model::{Action, Model, Opened, Shown},
};
use figure::Figure;
use paint::Palette;
use scene::Scene;

/// How much nearer a turn of the wheel by one point goes.
const ZOOM_PER_POINT: f64 = 0.0025;

/// The height that the view looks at, as a share of the body's.
const LOOK_AT: f64 = 0.5;

/// What is kept from frame to frame: the body of the take.
#[derive(Debug, Default)]
pub(crate) struct Viewport {
    figure: Option<(Arc<Opened>, Figure)>,
}

impl Viewport {
    pub(crate) fn viewport_ui(&mut self, ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
        let (rect, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
        response.widget_info(|| {
            WidgetInfo::labeled(
                Role::Image,
                true,
                "Viewport: drag to turn, shift-drag to move, wheel to zoom",
            )
        });
        let painter = ui.painter_at(rect);
        let palette = Palette::of_theme(ui.visuals().dark_mode);
        painter.rect_filled(rect, 0.0, palette.sky);
        let Some(opened) = model.opened() else {
            return;
        };
        let figure = self.figure_of(opened);
        let camera = model.camera;
        let halves = rect.split_left_right_at_fraction(0.5);
        let is_split = model.is_split && model.made().is_some();
        // At the same time in the loop, and from the same place.
        let views = match is_split {
            true => vec![(halves.0, Shown::Uncut), (halves.1, Shown::Loop)],
            false => vec![(rect, model.shown())],
        };
        for (rect, shown) in views {
            let scene = Scene::at_time_of(model, shown, opened, figure);
            let centre = match camera.follows {
                true => scene.centre,
                false => DVec3::Y * scene.floor,
            };
            let painter = ui.painter_at(rect);
            let view = camera.view(centre + DVec3::Y * LOOK_AT * camera.stature, rect);
            paint::scene(&painter, &view, &scene, figure, &palette);
            painter.text(
                rect.left_top() + egui::vec2(12.0, 10.0),
                Align2::LEFT_TOP,
                caption(shown, model.has_ghost),
                FontId::proportional(14.0),
                ui.visuals().text_color(),
            );
        }
        if is_split {
            let line = ui.visuals().widgets.noninteractive.bg_stroke;
            painter.vline(rect.center().x, rect.y_range(), line);
        }
        if let Some(moved) = moved_by(ui, &response, camera) {
            actions.push(Action::Look(moved));
        }
    }

    fn figure_of(&mut self, opened: &Arc<Opened>) -> &Figure {
        let is_same = matches!(&self.figure, Some((of, _)) if Arc::ptr_eq(of, opened));
        if !is_same {
            self.figure = None;
        }
        let make = || (Arc::clone(opened), Figure::of(opened.take(), &opened.analysis.body));
        &self.figure.get_or_insert_with(make).1
    }
}

/// What is seen, in words.
fn caption(shown: Shown, has_ghost: bool) -> String {
    match (shown, has_ghost) {
        (Shown::Loop, false) => "The loop".to_owned(),
        (Shown::Loop, true) => "The loop, and behind it the uncut stretch".to_owned(),
        (Shown::Uncut, _) => "The uncut stretch: it jumps where it starts again".to_owned(),
        (Shown::Take, _) => "The take".to_owned(),
        (Shown::Blend, _) => "The blend of the set".to_owned(),
    }
}

/// The camera after what mouse and fingers did, where they did anything.
fn moved_by(ui: &Ui, response: &egui::Response, camera: Camera) -> Option<Camera> {
    let mut moved = camera;
    if response.dragged() {
        let drag = response.drag_delta();
        let pans = !response.dragged_by(PointerButton::Primary) || ui.input(|input| input.modifiers.shift);
        moved = match pans {
            true => moved.panned(drag, response.rect.height()),
            false => moved.orbited(drag),
        };
    }
    if response.hovered() {
        let (wheel, pinch) = ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
        moved = moved.zoomed(f64::from(pinch) * (1.0 + ZOOM_PER_POINT * f64::from(wheel)));
    }
    if response.double_clicked() {
        moved = Camera {
            stature: camera.stature,
            follows: camera.follows,
            is_orthographic: camera.is_orthographic,
            ..Camera::default()
        };
    }
    (moved != camera).then_some(moved)
}
