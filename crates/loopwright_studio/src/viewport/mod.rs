//! The viewport: the body on its ground, seen by a camera that one turns, moves and brings nearer.

mod capsules;
mod character;
mod draw;
mod paint;
mod posed;
mod scene;
mod shaders;

use std::sync::{Arc, Mutex, PoisonError};

use eframe::egui::{self, Align2, FontId, PaintCallback, PointerButton, Pos2, Rect, Role, Sense, Ui, WidgetInfo};
use eframe::egui_glow::CallbackFn;
use glam::DVec3;
use loopwright_draw::Figure;

use crate::camera::{Camera, View};
use crate::model::{Action, Beside, Model, Opened, Shown};
use crate::surface::Surface;
use character::Character;
use draw::Renderer;
use paint::Palette;
use posed::{Frame, PosedBody, Veil};
use scene::{Moment, Scene};

/// How much nearer a turn of the wheel by one point goes.
const ZOOM_PER_POINT: f64 = 0.0025;

/// The height that the view looks at, as a share of the body's.
const LOOK_AT: f64 = 0.5;

/// Bodies of one view: poses around the seam, the ghost, and the body itself.
const BODIES: usize = 6;

/// Height of the controls along the lower edge, points.
const CONTROLS_POINTS: f32 = 30.0;

/// How near to a joint one clicks, points.
const PICK_POINTS: f32 = 16.0;

/// Colours of poses before the seam and after it, which differ in brightness, too.
const BEFORE_SEAM: [f32; 3] = [0.95, 0.6, 0.15];
const AFTER_SEAM: [f32; 3] = [0.25, 0.5, 0.95];

/// What is kept from frame to frame: the body of the take, and what was posed last.
#[derive(Default)]
pub(crate) struct Viewport {
    body: Option<Body>,
    renderer: Arc<Mutex<Renderer>>,
    /// Whether drawing was tried out before there was a body.
    is_rehearsed: bool,
    /// Number of the pose that was made last.
    num_posed: u64,
}

struct Body {
    of: Arc<Opened>,
    figure: Figure,
    character: Character,
    /// What is drawn, and whether it is the capsules of a dark window.
    surface: Option<(Option<bool>, Arc<Surface>)>,
    shots: Vec<Option<Shot>>,
    /// Size of the character of the file, metres, once it is seen: where its joints are says little of it.
    size: Option<f64>,
    /// Whether the view was told of it.
    is_framed: bool,
}

/// A body as it was posed last in a place of a view.
struct Shot {
    moment: Moment,
    /// Which loop it shows.
    num_made: u64,
    root_view: crate::model::RootView,
    /// The blend that it may show.
    mixed: Option<Arc<loopwright::LoopClip>>,
    scene: Scene,
    posed: Arc<PosedBody>,
}

/// A part of the viewport with one view of the body.
struct Pane {
    rect: Rect,
    shown: Shown,
    /// The place of its first body.
    first: usize,
}

impl Viewport {
    pub(crate) fn viewport_ui(&mut self, ui: &mut Ui, model: &Model, actions: &mut Vec<Action>) {
        let (rect, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
        response.widget_info(|| {
            WidgetInfo::labeled(
                Role::Image,
                true,
                "Viewport: drag to turn, shift-drag to move, wheel to zoom, click a joint to choose it",
            )
        });
        let painter = ui.painter_at(rect);
        let palette = Palette::of_theme(ui.visuals().dark_mode);
        painter.rect_filled(rect, 0.0, palette.sky);
        let Some(opened) = model.opened() else {
            if !self.is_rehearsed {
                self.is_rehearsed = true;
                self.draw(ui, rect, Frame::rehearsal());
            }
            return;
        };
        self.show_body(ui, opened, model, &palette);
        let camera = model.camera;
        let halves = rect.split_left_right_at_fraction(0.5);
        let is_split = model.is_split && model.made().is_some();
        // At the same time in the loop, and from the same place.
        let views = match is_split {
            true => vec![(halves.0, Shown::Uncut), (halves.1, Shown::Loop)],
            false => vec![(rect, model.shown())],
        };
        for (number, (rect, shown)) in views.into_iter().enumerate() {
            let pane = Pane {
                rect,
                shown,
                first: number * BODIES,
            };
            if let Some(view) = self.view_ui(ui, model, &pane, &palette)
                && let Some(joint) = self.joints_ui(ui, model, &pane, &view, &response)
            {
                actions.push(Action::Watch(joint));
            }
            painter.text(
                rect.left_top() + egui::vec2(12.0, 10.0),
                Align2::LEFT_TOP,
                caption(shown, model),
                FontId::proportional(14.0),
                ui.visuals().text_color(),
            );
        }
        if is_split {
            let line = ui.visuals().widgets.noninteractive.bg_stroke;
            painter.vline(rect.center().x, rect.y_range(), line);
        }
        self.faults_ui(ui, rect);
        self.controls_ui(ui, rect, model, actions);
        if let Some(moved) = moved_by(ui, &response, camera) {
            actions.push(Action::Look(moved));
        }
        if let Some(body) = &mut self.body
            && let Some(size) = body.size.filter(|size| *size > 0.0 && !body.is_framed)
        {
            body.is_framed = true;
            actions.push(Action::Look(Camera {
                stature: size,
                ..camera
            }));
        }
    }

    /// Takes up another body where another take is shown, or the same one in another form.
    fn show_body(&mut self, ui: &Ui, opened: &Arc<Opened>, model: &Model, palette: &Palette) {
        if !matches!(&self.body, Some(body) if Arc::ptr_eq(&body.of, opened)) {
            let middle = opened.pose_at((opened.take().num_frames() / 2) as f64);
            self.body = Some(Body {
                of: Arc::clone(opened),
                figure: Figure::in_pose(middle.as_ref(), opened.skeleton(), opened.body(), opened.stature()),
                character: Character::default(),
                surface: None,
                shots: Vec::new(),
                size: None,
                is_framed: false,
            });
        }
        let Some(body) = &mut self.body else { return };
        let own = match body.character.of(opened, || model.beside(opened), ui.ctx()) {
            Some(Ok(Some(surface))) if !model.shows_capsules => Some(Arc::clone(surface)),
            _ => None,
        };
        let kind = own.is_none().then_some(ui.visuals().dark_mode);
        let is_same = matches!(&body.surface, Some((shown, _)) if *shown == kind);
        if !is_same {
            let capsules = || {
                let mesh = capsules::surface(&body.figure, |side| palette.of_side(side));
                Arc::new(Surface::new(mesh, &Beside::default()))
            };
            body.surface = Some((kind, own.unwrap_or_else(capsules)));
            body.shots.clear();
        }
    }

    /// Draws one view of the body; returns from where it is seen.
    fn view_ui(&mut self, ui: &Ui, model: &Model, pane: &Pane, palette: &Palette) -> Option<View> {
        let &Pane { rect, shown, first } = pane;
        let now = Moment::now(model, shown);
        let mut moments = Vec::new();
        if model.has_onion {
            moments.extend(Moment::around_seam(model, shown).into_iter().map(|(moment, secs)| {
                let colour = if secs < 0.0 { BEFORE_SEAM } else { AFTER_SEAM };
                (moment, Veil::new(colour, 0.45))
            }));
        }
        if model.has_ghost && shown == Shown::Loop && model.made().is_some() {
            moments.push((now.uncut(), Veil::new(palette.ghost, 0.35)));
        }
        moments.push((now, Veil::NONE));
        let body = self.body.as_mut()?;
        let (kind, surface) = body.surface.clone()?;
        // The body itself is always in the same place.
        let places = (first..).take(moments.len() - 1).chain([first + BODIES - 1]);
        let places: Vec<usize> = places.collect();
        for (&place, (moment, veil)) in places.iter().zip(moments) {
            if body.shots.len() <= place {
                body.shots.resize_with(place + 1, || None);
            }
            let mixed = model.set().mixed();
            let is_same = matches!(&body.shots[place], Some(shot)
                if shot.moment == moment && shot.num_made == model.num_made() && shot.root_view == model.root_view
                    && shot.mixed.as_ref().map(Arc::as_ptr) == mixed.map(Arc::as_ptr));
            if is_same {
                continue;
            }
            let scene = Scene::at(moment, model, &body.of, &body.figure);
            let bones = match kind {
                Some(_) => capsules::bones_at(&body.figure, &scene.points),
                None => surface.mesh.bones_at(&scene.world),
            };
            self.num_posed += 1;
            let posed = PosedBody::new(&surface, &bones, scene.centre, veil, self.num_posed);
            if kind.is_none() && body.size.is_none() {
                body.size = Some(posed.size());
            }
            body.shots[place] = Some(Shot {
                moment,
                num_made: model.num_made(),
                root_view: model.root_view,
                mixed: model.set().mixed().cloned(),
                scene,
                posed: Arc::new(posed),
            });
        }
        let shot = body.shots[first + BODIES - 1].as_ref()?;
        let camera = model.camera;
        let centre = match camera.follows {
            true => shot.scene.centre,
            false => DVec3::Y * shot.scene.floor,
        };
        let view = camera.view(centre + DVec3::Y * LOOK_AT * camera.stature, rect);
        let painter = ui.painter_at(rect);
        paint::ground(&painter, &view, &shot.scene, palette);
        let bodies = (places.iter())
            .filter_map(|&place| Some((body.shots[place].as_ref()?, place)))
            .map(|(shot, place)| posed::Drawn {
                body: Arc::clone(&shot.posed),
                place,
                clip_from_near: view.clip_from_near(shot.scene.centre, rect),
            });
        let frame = Frame {
            surface,
            bodies: bodies.collect(),
        };
        self.draw(ui, rect, frame);
        Some(view)
    }

    fn draw(&self, ui: &Ui, rect: Rect, frame: Frame) {
        let renderer = Arc::clone(&self.renderer);
        ui.painter_at(rect).add(PaintCallback {
            rect,
            callback: Arc::new(CallbackFn::new(move |info, painter| {
                let mut renderer = renderer.lock().unwrap_or_else(PoisonError::into_inner);
                renderer.paint(&info, painter, &frame);
            })),
        });
    }

    /// Marks the joint that is watched and the one below the pointer; returns the one that is clicked.
    fn joints_ui(&self, ui: &Ui, model: &Model, pane: &Pane, view: &View, response: &egui::Response) -> Option<usize> {
        let rect = pane.rect;
        let opened = model.opened()?;
        let shot = self.body.as_ref()?.shots.get(pane.first + BODIES - 1)?.as_ref()?;
        let colour = Palette::of_theme(ui.visuals().dark_mode).joint;
        let seen = |joint: usize| view.see(shot.scene.world.translations[joint]).map(|seen| seen.at);
        let pointer = response.hover_pos().filter(|pointer| rect.contains(*pointer));
        let below = pointer
            .filter(|_| !response.dragged())
            .and_then(|pointer| nearest(pointer, opened, seen));
        let mark = |joint: usize, has_name: bool| {
            if let Some(at) = seen(joint).filter(|at| rect.contains(*at)) {
                let name = opened.skeleton().joint(joint).name.as_str();
                paint::joint(&ui.painter_at(rect), at, if has_name { name } else { "" }, colour);
            }
        };
        mark(model.watched, below == Some(model.watched));
        mark(below?, true);
        below.filter(|_| response.clicked())
    }

    /// Says why no character is shown.
    fn faults_ui(&self, ui: &Ui, rect: Rect) {
        let renderer = self.renderer.lock().unwrap_or_else(PoisonError::into_inner);
        let character = self.body.as_ref().and_then(|body| body.character.fault());
        if let Some(fault) = renderer.fault().or(character) {
            ui.painter_at(rect).text(
                rect.left_bottom() + egui::vec2(12.0, -10.0),
                Align2::LEFT_BOTTOM,
                format!("The character cannot be shown: {fault}"),
                FontId::proportional(13.0),
                ui.visuals().warn_fg_color,
            );
        }
    }

    /// What is switched in the view itself, along its lower edge.
    fn controls_ui(&self, ui: &mut Ui, rect: Rect, model: &Model, actions: &mut Vec<Action>) {
        let strip = Rect::from_min_max(
            rect.left_bottom() - egui::vec2(0.0, CONTROLS_POINTS),
            rect.right_bottom(),
        );
        let layout = egui::Layout::right_to_left(egui::Align::Center);
        let builder = egui::UiBuilder::new()
            .max_rect(strip.shrink2(egui::vec2(8.0, 0.0)))
            .layout(layout);
        ui.scope_builder(builder, |ui| {
            // Words over the marks of the ground cannot be read.
            let ground = ui.painter().add(egui::Shape::Noop);
            if ui.button("Frame").on_hover_text("Centre the body (C)").clicked() {
                actions.push(Action::Look(model.camera.framed()));
            }
            let mut has_onion = model.has_onion;
            let onion = ui.add_enabled(
                model.made().is_some(),
                egui::Checkbox::new(&mut has_onion, "Onion skin"),
            );
            if onion
                .on_hover_text("Poses just before the seam and just after it, at once (N)")
                .changed()
            {
                actions.push(Action::Onion(has_onion));
            }
            let mut shows_character = !model.shows_capsules;
            let has_character = self.body.as_ref().is_some_and(|body| body.character.is_there());
            let character = ui.add_enabled(has_character, egui::Checkbox::new(&mut shows_character, "Character"));
            if character
                .on_hover_text("The mesh of the file, or capsules (K)")
                .on_disabled_hover_text("The file of this take has no mesh")
                .changed()
            {
                actions.push(Action::Capsules(!shows_character));
            }
            let (area, fill) = (ui.min_rect().expand(4.0), ui.visuals().panel_fill.gamma_multiply(0.75));
            ui.painter().set(ground, egui::Shape::rect_filled(area, 4.0, fill));
        });
    }
}

/// The joint whose place on the screen is nearest to the pointer.
fn nearest(pointer: Pos2, opened: &Opened, seen: impl Fn(usize) -> Option<Pos2>) -> Option<usize> {
    (0..opened.skeleton().num_joints())
        .filter(|&joint| !opened.body().is_control(joint))
        .filter_map(|joint| Some((joint, seen(joint)?.distance(pointer))))
        .filter(|(_, distance)| *distance <= PICK_POINTS)
        .min_by(|(_, one), (_, other)| one.total_cmp(other))
        .map(|(joint, _)| joint)
}

/// What is seen, in words.
fn caption(shown: Shown, model: &Model) -> String {
    let seen = match (shown, model.has_ghost) {
        (Shown::Loop, false) => "The loop",
        (Shown::Loop, true) => "The loop, and behind it the uncut stretch",
        (Shown::Uncut, _) => "The uncut stretch: it jumps at its end",
        (Shown::Take, _) => "The take",
        (Shown::Blend, _) => "The blend of the set",
    };
    match model.has_onion && matches!(shown, Shown::Loop | Shown::Uncut) {
        true => format!("{seen}\nOrange: before the seam; blue: after it"),
        false => seen.to_owned(),
    }
}

/// The camera after what mouse and fingers did, where they did anything.
fn moved_by(ui: &Ui, response: &egui::Response, camera: Camera) -> Option<Camera> {
    let mut moved = camera;
    // Two fingers move and bring nearer; the drag of the first one alone would turn.
    let fingers = ui.input(egui::InputState::multi_touch);
    if let Some(fingers) = fingers.filter(|fingers| response.rect.contains(fingers.start_pos)) {
        moved = moved
            .panned(fingers.translation_delta, response.rect.height())
            .zoomed(f64::from(fingers.zoom_delta));
    } else if response.dragged() {
        let drag = response.drag_delta();
        let pans = !response.dragged_by(PointerButton::Primary) || ui.input(|input| input.modifiers.shift);
        moved = match pans {
            true => moved.panned(drag, response.rect.height()),
            false => moved.orbited(drag),
        };
    }
    if response.hovered() && fingers.is_none() {
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use egui_kittest::Harness;

    use super::*;
    use crate::work::Wake;

    type Seen = Harness<'static, (Viewport, Model)>;

    /// A view of the walk, which stands still.
    fn seen() -> Seen {
        let mut model = Model::new(Wake::default());
        let start = Instant::now();
        while model.finished().is_none() {
            assert!(start.elapsed() < Duration::from_secs(120));
            std::thread::sleep(Duration::from_millis(5));
            model.poll();
        }
        model.apply(Action::TogglePlaying);
        Harness::builder().with_max_steps(2).build_ui_state(
            |ui, (viewport, model): &mut (Viewport, Model)| {
                ui.ctx().set_fonts(crate::fonts::fonts());
                let mut actions = Vec::new();
                viewport.viewport_ui(ui, model, &mut actions);
                for action in actions {
                    model.apply(action);
                }
            },
            (Viewport::default(), model),
        )
    }

    /// Fingers on the glass, as a browser reports them: the first one is the pointer, too.
    fn touch(harness: &mut Seen, phase: egui::TouchPhase, fingers: &[[f32; 2]]) {
        for (number, &[x, y]) in fingers.iter().enumerate() {
            let pos = egui::pos2(x, y);
            if number == 0 {
                harness.event(egui::Event::PointerMoved(pos));
                if phase != egui::TouchPhase::Move {
                    harness.event(egui::Event::PointerButton {
                        pos,
                        button: PointerButton::Primary,
                        pressed: phase == egui::TouchPhase::Start,
                        modifiers: egui::Modifiers::NONE,
                    });
                }
            }
            harness.event(egui::Event::Touch {
                device_id: egui::TouchDeviceId(0),
                id: egui::TouchId(number as u64),
                phase,
                pos,
                force: None,
            });
        }
        harness.run_steps(2);
    }

    #[test]
    fn one_finger_turns_and_two_move_and_bring_nearer() {
        use egui::TouchPhase::{End, Move, Start};
        let mut harness = seen();
        let before = harness.state().1.camera;
        touch(&mut harness, Start, &[[200.0, 200.0]]);
        touch(&mut harness, Move, &[[260.0, 200.0]]);
        touch(&mut harness, End, &[[260.0, 200.0]]);
        let turned = harness.state().1.camera;
        assert!(turned.yaw < before.yaw - 0.3, "{turned:?}");
        assert_eq!((turned.distance, turned.offset), (before.distance, before.offset));
        harness.run_steps(60);
        touch(&mut harness, Start, &[[200.0, 200.0], [300.0, 200.0]]);
        touch(&mut harness, Move, &[[170.0, 220.0], [370.0, 220.0]]);
        touch(&mut harness, End, &[[170.0, 220.0], [370.0, 220.0]]);
        let moved = harness.state().1.camera;
        assert_eq!((moved.yaw, moved.pitch), (turned.yaw, turned.pitch));
        assert!((turned.distance / moved.distance - 2.0).abs() < 0.2, "{moved:?}");
        assert!(moved.offset.y > 0.0, "{moved:?}");
    }

    #[test]
    fn only_what_changes_is_posed_anew() {
        let mut harness = seen();
        let posed_by = |harness: &mut Seen, actions: &[Action]| {
            let before = harness.state().0.num_posed;
            for action in actions {
                harness.state_mut().1.apply(action.clone());
            }
            harness.run_steps(3);
            harness.state().0.num_posed - before
        };
        harness.run_steps(2);
        assert_eq!(posed_by(&mut harness, &[]), 0);
        let camera = harness.state().1.camera;
        let turned = camera.orbited(egui::vec2(50.0, 10.0));
        assert_eq!(posed_by(&mut harness, &[Action::Look(turned)]), 0);
        assert_eq!(posed_by(&mut harness, &[Action::Step(3)]), 1);
        assert_eq!(posed_by(&mut harness, &[Action::Ghost(true)]), 1);
        // Poses around the seam stay where they are while the body moves.
        assert_eq!(posed_by(&mut harness, &[Action::Onion(true)]), 5);
        assert_eq!(posed_by(&mut harness, &[Action::Step(1)]), 2);
        assert_eq!(posed_by(&mut harness, &[Action::Split(true)]), 11);
        assert_eq!(posed_by(&mut harness, &[]), 0);
    }
}
