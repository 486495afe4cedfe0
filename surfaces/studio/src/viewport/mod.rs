//! The viewport: the body on the ground, seen by a camera that the user turns, moves and zooms.

mod character;
mod draw;
mod mannequin;
mod paint;
mod posed;
mod rings;
mod scene;
mod seam;
mod shaders;
mod stick;

use std::{collections::HashMap, f64::consts::FRAC_PI_2, sync::Arc};

use eframe::{
    egui::{
        self, Align, Align2, Color32, FontId, Key, Layout, PaintCallback, PaintCallbackInfo, PointerButton, Pos2, Rect,
        Response, Role, Sense, Shape, Ui, mutex::Mutex, vec2,
    },
    egui_glow::{CallbackFn, Painter},
};
use glam::DVec3;
use loopwright_draw::Figure;

use crate::{
    camera::{Camera, View},
    flat, focus,
    icons::{self, Icon},
    model::{Action, Beside, Made, Model, Opened, RootView, Shown},
    surface::Surface,
    theme::{self, Tokens},
};
use character::Character;
use draw::Renderer;
use posed::{Frame, Ground, PosedBody, Veil};
use rings::{Place, Rings};
use scene::{Moment, Scene};
use seam::{Fault, Trail, faults_now};

/// Zoom per point of the wheel.
const ZOOM_PER_POINT: f64 = 0.0025;

/// Height of the point that the view looks at, as a share of the body's height.
const LOOK_AT: f64 = 0.5;

/// Distance of controls from the edges of the view, points.
const EDGE_POINTS: f32 = 10.0;

/// Time for which the mark of the seam lights up when it is crossed, real seconds.
const LIT_SECS: f64 = 0.15;

/// Distance within which a click chooses a joint, points.
const PICK_POINTS: f32 = 16.0;

/// The state of the view between frames: the body of the take, and its last poses.
#[derive(Default)]
pub struct Viewport {
    body: Option<Body>,
    renderer: Arc<Mutex<Renderer>>,
    /// Whether drawing was rehearsed before there was a body.
    is_rehearsed: bool,
    /// Number of the last pose.
    num_posed: u64,
    /// The rectangle of the last drawing, points.
    pub rect: Option<Rect>,
    /// Whether it is drawn without its controls.
    pub is_bare: bool,
    /// The rings that turn the chosen joint, if they are shown.
    rings: Option<Rings>,
}

struct Body {
    of: Arc<Opened>,
    figure: Figure,
    character: Character,
    /// Whether the surface is that of the file; whether it was made for a dark theme, which decides the colours of mannequins; and the
    /// surface.
    surface: Option<((bool, bool), Arc<Surface>)>,
    shots: HashMap<usize, Shot>,
    trail: Option<Trail>,
    /// The faults of the feet, and the number of the loop that they are of.
    faults: Option<(u64, Vec<Fault>)>,
    /// Size of the character from the file, metres, once it is drawn: the positions of its joints say little about that.
    size: Option<f64>,
    /// Whether the camera was adjusted to that size.
    is_framed: bool,
}

/// A body as it was last posed, for one place in a view.
struct Shot {
    moment: Moment,
    /// The loop that it shows.
    of: Option<Arc<Made>>,
    root_view: RootView,
    scene: Scene,
    posed: Arc<PosedBody>,
}

/// A part of the viewport with one view of a body.
struct Pane {
    rect: Rect,
    shown: Shown,
    made: Option<Arc<Made>>,
    /// The title above the pane, and its colour.
    word: Option<(String, Color32)>,
    /// The place of the body itself; those of the others follow it.
    first: usize,
}

impl Pane {
    /// Whether it shows the loop of the choices, whose joints can be turned and whose faults are marked.
    fn is_of_chosen(&self, model: &Model) -> bool {
        match (&self.made, model.made()) {
            (Some(own), Some(made)) => Arc::ptr_eq(own, made),
            (own, made) => own.is_none() && made.is_none(),
        }
    }
}

/// Returns the panes, in the number of columns that makes bodies largest.
fn panes_of(ui: &Ui, rect: Rect, model: &Model) -> Vec<Pane> {
    let colours = theme::of(ui);
    let made = model.made();
    let compared = &model.compared;
    let views: Vec<_> = if compared.is_empty() && model.is_split && made.is_some() {
        // Both at the same time of the loop, from the same camera.
        [(Shown::Uncut, "Uncut"), (Shown::Loop, "Loop")]
            .map(|(shown, word)| (shown, made.cloned(), Some((word.to_owned(), colours.text))))
            .to_vec()
    } else if compared.is_empty() {
        vec![(model.shown(), made.cloned(), None)]
    } else {
        let shown = match model.shown() {
            Shown::Uncut => Shown::Uncut,
            _ => Shown::Loop,
        };
        compared
            .iter()
            .zip(colours.series())
            .filter_map(|(compared, colour)| {
                Some((
                    shown,
                    Some(Arc::clone(compared.loop_made()?)),
                    Some((compared.name.clone(), colour)),
                ))
            })
            .collect()
    };
    let count = views.len();
    let size = |columns: usize| rect.size() / vec2(columns as f32, count.div_ceil(columns) as f32);
    let columns = (1..=count)
        .max_by(|one, other| size(*one).min_elem().total_cmp(&size(*other).min_elem()))
        .unwrap_or(1);
    let size = size(columns);
    let is_one = compared.is_empty();
    let bodies =
        usize::from(is_one && model.has_onion) * Moment::AROUND_SEAM + usize::from(is_one && model.has_ghost) + 1;
    views
        .into_iter()
        .enumerate()
        .map(|(number, (shown, made, word))| {
            let corner = vec2((number % columns) as f32, (number / columns) as f32) * size;
            Pane {
                rect: Rect::from_min_size(rect.min + corner, size),
                shown,
                made,
                word,
                first: number * bodies,
            }
        })
        .collect()
}

/// Returns the bodies that a pane shows, the body itself last.
fn bodies_of(ui: &Ui, model: &Model, pane: &Pane) -> Vec<(Moment, Veil)> {
    let is_dark = ui.visuals().dark_mode;
    let tokens = theme::tokens(is_dark);
    let shown = pane.shown;
    let is_alone = pane.is_of_chosen(model) && model.compared.is_empty();
    let now = Moment::now(model, shown, pane.made.as_deref());
    let mut bodies = Vec::new();
    if model.has_onion && is_alone {
        bodies.extend(Moment::around_seam(model, shown).into_iter().map(|(moment, secs)| {
            let colour = if secs < 0.0 { tokens.before_seam } else { tokens.accent };
            (moment, Veil::new(paint::linear(colour), 0.45))
        }));
    }
    if model.has_ghost && is_alone && shown == Shown::Loop && model.made().is_some() {
        bodies.push((now.uncut(), Veil::new(paint::ghost(is_dark), 0.35)));
    }
    bodies.push((now, Veil::NONE));
    bodies
}

impl Viewport {
    /// Enables or disables turning the chosen joint of a loop in the view.
    pub fn set_turning(&mut self, is_turning: bool) {
        if is_turning {
            _ = self.rings.get_or_insert_default();
        } else {
            self.rings = None;
        }
    }

    pub fn viewport_ui(&mut self, ui: &mut Ui, model: &Model) {
        focus::group(ui, Role::Region, "View");
        let (rect, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
        self.rect = Some(rect);
        focus::label(
            &response,
            Role::Image,
            "Viewport: drag to turn, shift-drag to move, wheel to zoom, click a joint to choose it",
        );
        let painter = ui.painter_at(rect);
        let tokens = theme::of(ui);
        flat::fill(&painter, rect, tokens.sky);
        let Some(opened) = model.opened() else {
            if !self.is_rehearsed {
                self.is_rehearsed = true;
                self.draw(ui, rect, Frame::rehearsal());
            }
            return;
        };
        self.show_body(ui, opened, model, &tokens);
        self.panes_ui(ui, rect, model, &response);
        if !self.is_bare {
            self.faults_ui(ui, rect);
            shown_ui(ui, rect, model);
            if !theme::is_narrow(ui) && model.shown() != Shown::Set {
                let corner = lower_edge(ui, rect);
                overlay_ui(ui, corner, Layout::left_to_right(Align::Max), |ui| roots_ui(ui, model));
            }
            switches_ui(ui, rect, model);
            if model.shown() == Shown::Set {
                stick::stick_ui(ui, rect, model);
            }
        }
        let turns_joint = self.rings.as_ref().is_some_and(|rings| rings.dragged.is_some());
        if let Some(moved) = moved_by(ui, &response, model.camera).filter(|_| !turns_joint) {
            model.ask(Action::Look(moved));
        }
        if let Some(body) = &mut self.body
            && let Some(size) = body.size.filter(|size| *size > 0.0 && !body.is_framed)
        {
            body.is_framed = true;
            model.ask(Action::Look(Camera {
                stature: size,
                ..model.camera
            }));
        }
    }

    /// Shows one pane, or several beside each other: the uncut stretch and the loop, or compared loops.
    fn panes_ui(&mut self, ui: &Ui, rect: Rect, model: &Model, response: &Response) {
        let line = ui.visuals().widgets.noninteractive.bg_stroke;
        for pane in panes_of(ui, rect, model) {
            self.pane_ui(ui, model, &pane, response);
            let Some((word, colour)) = &pane.word else { continue };
            let corner = pane.rect.right_bottom() - vec2(EDGE_POINTS, EDGE_POINTS);
            ui.painter_at(pane.rect)
                .text(corner, Align2::RIGHT_BOTTOM, word, FontId::proportional(14.0), *colour);
            ui.painter_at(rect)
                .rect_stroke(pane.rect, 0.0, line, egui::StrokeKind::Middle);
        }
    }

    /// Shows one pane with the joints and rings that can be clicked and dragged in it.
    fn pane_ui(&mut self, ui: &Ui, model: &Model, pane: &Pane, response: &Response) {
        let Some(view) = self.view_ui(ui, model, pane) else {
            return;
        };
        if let Some(joint) = self.joints_ui(ui, model, pane, &view, response) {
            model.ask(Action::Watch(joint));
        }
        let place = self.place_of_rings(model, pane, &view);
        if let (Some(rings), Some(place)) = (&mut self.rings, place) {
            rings.rings_ui(ui, model, &place, response);
        }
    }

    /// Changes the body if another take is shown, or the same one in another form.
    fn show_body(&mut self, ui: &Ui, opened: &Arc<Opened>, model: &Model, tokens: &Tokens) {
        if !matches!(&self.body, Some(body) if Arc::ptr_eq(&body.of, opened)) {
            self.body = Some(Body {
                of: Arc::clone(opened),
                figure: Figure::in_pose(
                    opened.pose_at((opened.take().num_frames() / 2) as f64).as_ref(),
                    opened.skeleton(),
                    opened.body(),
                    opened.stature(),
                ),
                character: Character::default(),
                surface: None,
                shots: HashMap::new(),
                trail: None,
                faults: None,
                size: None,
                is_framed: false,
            });
        }
        let Some(body) = &mut self.body else { return };
        let own = match body.character.of(opened, || model.beside(opened), ui.ctx()) {
            Some(Ok(Some(surface))) if !model.shows_mannequin => Some(Arc::clone(surface)),
            _ => None,
        };
        let is = (own.is_some(), ui.visuals().dark_mode);
        if body.surface.as_ref().is_none_or(|(was, _)| *was != is) {
            let surface = own.unwrap_or_else(|| {
                Arc::new(Surface {
                    is_closed: true,
                    ..Surface::new(mannequin::surface(opened, &body.figure, tokens), &Beside::default())
                })
            });
            body.surface = Some((is, surface));
            body.shots.clear();
        }
    }

    /// Draws one pane; returns its placed camera.
    fn view_ui(&mut self, ui: &Ui, model: &Model, pane: &Pane) -> Option<View> {
        let rect = pane.rect;
        let tokens = &theme::of(ui);
        let places = self.pose(model, pane, bodies_of(ui, model, pane))?;
        let body = self.body.as_mut()?;
        let shot = body.shots.get(&pane.first)?;
        let camera = model.camera;
        let centre = if camera.follows {
            shot.scene.centre
        } else {
            DVec3::Y * shot.scene.floor
        };
        let view = camera.view(centre + DVec3::Y * LOOK_AT * camera.stature, rect);
        let painter = ui.painter_at(rect);
        let ground = Ground {
            middle: [shot.scene.centre.x as f32, shot.scene.centre.z as f32],
            colours: [tokens.ground_line, tokens.axis_x, tokens.axis_z].map(|colour| {
                let [red, green, blue, _] = colour.to_normalized_gamma_f32();
                [red, green, blue]
            }),
            clip_from_near: view.clip_from_near(shot.scene.centre, rect),
        };
        callback(&self.renderer, ui, rect, move |renderer, _, painter| {
            renderer.paint_ground(painter, &ground);
        });
        paint::ground(&painter, &view, &shot.scene, tokens);
        if let (Shown::Loop | Shown::Uncut, Some(&seam)) = (pane.shown, shot.scene.path.first()) {
            paint::seam(
                &painter,
                &view,
                seam,
                model
                    .playback
                    .since_wrap_secs(model.span_of(pane.shown))
                    .is_some_and(|secs| secs < LIT_SECS),
                tokens,
            );
        }
        let made = model.made().filter(|_| pane.is_of_chosen(model));
        if let Some(made) = made.filter(|_| matches!(pane.shown, Shown::Loop | Shown::Uncut) && model.has_trail) {
            let joint = model.watched.min(made.clip().skeleton().num_joints() - 1);
            let trail = Trail::of(&mut body.trail, model, made, joint);
            paint::trail(&painter, &view, &trail.paths(model, made), tokens);
        }
        if let Some(made) = made.filter(|_| pane.shown == Shown::Loop) {
            for fault in faults_now(&mut body.faults, model, made) {
                let on_ground = shot.scene.world.translations[fault.joint].with_y(shot.scene.floor);
                paint::fault(&painter, &view, on_ground, &fault.words, tokens);
            }
        }
        let bodies = places
            .iter()
            .filter_map(|&place| Some((body.shots.get(&place)?, place)))
            .map(|(shot, place)| posed::Drawn {
                body: Arc::clone(&shot.posed),
                place,
                clip_from_near: view.clip_from_near(shot.scene.centre, rect),
            });
        let frame = Frame {
            bodies: bodies.collect(),
            surface: Arc::clone(&body.surface.as_ref()?.1),
        };
        self.draw(ui, rect, frame);
        Some(view)
    }

    /// Poses the bodies of a pane, the body itself last, unless they are posed already. Returns their places.
    fn pose(&mut self, model: &Model, pane: &Pane, bodies: Vec<(Moment, Veil)>) -> Option<Vec<usize>> {
        let body = self.body.as_mut()?;
        let ((is_own, _), surface) = body.surface.as_ref()?;
        // The body itself is always in the same place.
        let places = (pane.first + 1..).take(bodies.len() - 1).chain([pane.first]);
        let places: Vec<usize> = places.collect();
        for (&place, (moment, veil)) in places.iter().zip(bodies) {
            let is_same = matches!(body.shots.get(&place), Some(shot) if shot.moment == moment
                && shot.of.as_ref().map(Arc::as_ptr) == pane.made.as_ref().map(Arc::as_ptr)
                && shot.root_view == model.root_view);
            if is_same {
                continue;
            }
            let scene = Scene::at(moment, model, pane.made.as_deref(), &body.of);
            let bones = surface.mesh.bones_at(&scene.world);
            self.num_posed += 1;
            let posed = PosedBody::new(surface, &bones, scene.centre, veil, self.num_posed);
            if *is_own && body.size.is_none() {
                body.size = Some(posed.size());
            }
            let shot = Shot {
                moment,
                of: pane.made.clone(),
                root_view: model.root_view,
                scene,
                posed: Arc::new(posed),
            };
            body.shots.insert(place, shot);
        }
        Some(places)
    }

    fn draw(&self, ui: &Ui, rect: Rect, frame: Frame) {
        callback(&self.renderer, ui, rect, move |renderer, info, painter| {
            renderer.paint(info, painter, &frame);
        });
    }

    /// Marks the watched joint and the one below the pointer; returns the one that is clicked.
    fn joints_ui(&self, ui: &Ui, model: &Model, pane: &Pane, view: &View, response: &Response) -> Option<usize> {
        let rect = pane.rect;
        let opened = model.opened()?;
        let shot = self.body.as_ref()?.shots.get(&pane.first)?;
        let colour = theme::of(ui).accent;
        let seen = |joint: usize| view.see(shot.scene.world.translations[joint]);
        let pointer = response.hover_pos().filter(|pointer| rect.contains(*pointer));
        if self.is_bare {
            return None;
        }
        let below = pointer
            .filter(|_| !response.dragged())
            .and_then(|pointer| nearest(pointer, opened, seen));
        for joint in [Some(model.watched), below].into_iter().flatten() {
            if let Some(at) = seen(joint).filter(|at| rect.contains(*at)) {
                let name = opened.skeleton().joint(joint).name.as_str();
                let name = if below == Some(joint) { name } else { "" };
                paint::joint(&ui.painter_at(rect), at, name, colour);
            }
        }
        below.filter(|_| response.clicked())
    }

    /// Returns the place of the rings around the chosen joint; `None` if it cannot be turned in this pane.
    fn place_of_rings<'a>(&self, model: &Model, pane: &Pane, view: &'a View) -> Option<Place<'a>> {
        let made = model.made()?;
        let body = self.body.as_ref()?;
        let clip = made.clip();
        let joint = model.watched;
        let is_there = pane.is_of_chosen(model) && pane.shown == Shown::Loop && joint < clip.skeleton().num_joints();
        let shot = body.shots.get(&pane.first)?;
        if !is_there || self.is_bare || body.of.body().is_control(joint) {
            return None;
        }
        Some(Place {
            joint,
            centre: shot.scene.world.translations[joint],
            axes: match clip.skeleton().joint(joint).parent {
                Some(parent) => shot.scene.world.rotations[parent],
                None => clip.root_pose_at(shot.moment.root_secs).rotation,
            },
            view,
            rect: pane.rect,
        })
    }

    /// Shows why there is no character.
    fn faults_ui(&self, ui: &Ui, rect: Rect) {
        if let Some(fault) = self.fault() {
            let painter = ui.painter_at(rect);
            let width = (rect.width() - 2.0 * EDGE_POINTS).max(1.0);
            let colour = ui.visuals().warn_fg_color;
            let words = painter.layout(fault, FontId::proportional(13.0), colour, width);
            painter.galley(
                Align2::CENTER_CENTER.anchor_size(rect.center(), words.size()).min,
                words,
                colour,
            );
        }
    }

    /// The reason why the body is not drawn, or lacks its own surface.
    pub fn fault(&self) -> Option<String> {
        let renderer = self.renderer.lock();
        let character = self.body.as_ref().and_then(|body| body.character.fault());
        let fault = renderer.fault().or(character)?;
        Some(format!("The character cannot be shown: {fault}"))
    }
}

/// Queues a drawing of the renderer in the right order.
fn callback(
    renderer: &Arc<Mutex<Renderer>>,
    ui: &Ui,
    rect: Rect,
    draw: impl Fn(&mut Renderer, &PaintCallbackInfo, &Painter) + Send + Sync + 'static,
) {
    let renderer = Arc::clone(renderer);
    let callback = CallbackFn::new(move |info, painter| draw(&mut renderer.lock(), &info, painter));
    ui.painter_at(rect).add(PaintCallback {
        rect,
        callback: Arc::new(callback),
    });
}

/// Shows controls over the view, at a corner of it, on a background that keeps them readable.
fn overlay_ui(ui: &mut Ui, rect: Rect, layout: Layout, widgets: impl FnOnce(&mut Ui)) {
    let room = egui::UiBuilder::new().max_rect(rect.shrink(EDGE_POINTS)).layout(layout);
    ui.scope_builder(room, |ui| {
        ui.spacing_mut().item_spacing = vec2(2.0, 2.0);
        let ground = ui.painter().add(Shape::Noop);
        widgets(ui);
        let around = ui.min_rect().expand(3.0);
        let colour = ui.visuals().panel_fill.gamma_multiply(0.8);
        ui.painter().set(ground, Shape::rect_filled(around, 6.0, colour));
    });
}

/// Shows the choice between loop, uncut stretch and take; the present one is marked.
fn shown_ui(ui: &mut Ui, rect: Rect, model: &Model) {
    let has_loop = model.made().is_some();
    // In a narrow window it is at the lower edge.
    let corner = if theme::is_narrow(ui) {
        lower_edge(ui, rect)
    } else {
        rect.with_max_x(rect.right() - 60.0)
    };
    overlay_ui(ui, corner, Layout::left_to_right(Align::Min), |ui| {
        let set = (Shown::Set, "Set", "The character of the set, steered by keys");
        let set = model.steered_here().map(|_| set);
        let all = [
            (Shown::Loop, "Loop", "The closed loop (B)"),
            (
                Shown::Uncut,
                "Uncut",
                "The same frames as they were captured: they jump at the end (B)",
            ),
            (Shown::Take, "Whole take", "All of the take"),
        ];
        for (shown, word, tip) in all.into_iter().chain(set) {
            let is_there = has_loop || matches!(shown, Shown::Take | Shown::Set);
            let button = ui.add_enabled(is_there, egui::Button::selectable(model.shown() == shown, word));
            if button.on_hover_text(tip).clicked() {
                model.ask(Action::Show(shown));
            }
        }
    });
    let words = match (model.shown(), model.has_onion) {
        (Shown::Set, _) if theme::is_narrow(ui) => "Drag the stick to walk",
        (Shown::Set, _) => "W A S D or arrows walk, Shift runs",
        (Shown::Loop | Shown::Uncut, true) => "Violet: before the seam; blue: after it",
        _ => return,
    };
    let row = if theme::is_narrow(ui) {
        0.0
    } else {
        ui.spacing().interact_size.y + 12.0
    };
    let below = rect.left_top() + vec2(EDGE_POINTS, EDGE_POINTS + row);
    ui.painter_at(rect).text(
        below,
        Align2::LEFT_TOP,
        words,
        FontId::proportional(13.0),
        ui.visuals().text_color(),
    );
}

/// Shows the choice of how root motion is displayed: over the view, or below a narrow one.
pub fn roots_ui(ui: &mut Ui, model: &Model) {
    for (view, word, tip) in [
        (
            RootView::Accumulate,
            "accumulate",
            "Every cycle continues where the one before ended",
        ),
        (RootView::World, "restart", "Every cycle starts where the first did"),
        (RootView::InPlace, "in place", "The root stays where it is"),
    ] {
        if ui
            .selectable_label(model.root_view == view, word)
            .on_hover_text(tip)
            .clicked()
        {
            model.ask(Action::RootView(view));
        }
    }
}

/// Returns the strip of the view for a row of controls along its lower edge.
fn lower_edge(ui: &Ui, rect: Rect) -> Rect {
    rect.with_min_y(rect.bottom() - ui.spacing().interact_size.y - 2.0 * EDGE_POINTS)
}

/// Shows switches for further drawings and the camera, along the right edge; in two columns if the view is low.
fn switches_ui(ui: &mut Ui, rect: Rect, model: &Model) {
    const COLUMN: f32 = 6.0;
    let side = icons::side(ui) + 2.0;
    let is_low = rect.height() < 2.0 * COLUMN * side + 4.0 * EDGE_POINTS;
    let columns = if is_low { 2.0 } else { 1.0 };
    let corner = rect.with_min_x(rect.right() - columns * side - 2.0 * EDGE_POINTS);
    if is_low {
        overlay_ui(ui, corner, Layout::left_to_right(Align::Min), |ui| {
            let room = vec2(side - 2.0, 0.0);
            let down = Layout::top_down(Align::Min);
            ui.allocate_ui_with_layout(room, down, |ui| beside_ui(ui, model));
            ui.allocate_ui_with_layout(room, down, |ui| camera_ui(ui, model));
        });
    } else {
        overlay_ui(ui, corner, Layout::top_down(Align::Max), |ui| {
            beside_ui(ui, model);
            ui.add_space(6.0);
            camera_ui(ui, model);
        });
    }
}

/// A switch: its sign, its key, its name, its tip, whether it is on, and the action that changes that.
type Switch = (Icon, Key, &'static str, &'static str, bool, Action);

/// Returns the switches of four drawings beside the body, then those of how the body is drawn.
pub fn switches(model: &Model) -> [Switch; 7] {
    let camera = model.camera;
    [
        (
            Icon::Split,
            Key::S,
            "Before and after",
            "The uncut stretch on the left, the loop on the right (S)",
            model.is_split,
            Action::Split(!model.is_split),
        ),
        (
            Icon::Ghost,
            Key::G,
            "Ghost of the uncut stretch",
            "Ghost of the uncut stretch (G)",
            model.has_ghost,
            Action::Ghost(!model.has_ghost),
        ),
        (
            Icon::Onion,
            Key::N,
            "Onion skin",
            "Onion skin: poses just before the seam and just after it, at once (N)",
            model.has_onion,
            Action::Onion(!model.has_onion),
        ),
        (
            Icon::Trail,
            Key::T,
            "Path of the chosen joint over the seam",
            "The path of the chosen joint over the seam (T): click a joint to choose it",
            model.has_trail,
            Action::Trail(!model.has_trail),
        ),
        (
            Icon::Body,
            Key::K,
            "Character",
            "The character of the file, or a mannequin (K)",
            !model.shows_mannequin,
            Action::Mannequin(!model.shows_mannequin),
        ),
        (
            Icon::Follow,
            Key::F,
            "Follow",
            "The camera follows the body (F)",
            camera.follows,
            Action::Look(Camera {
                follows: !camera.follows,
                ..camera
            }),
        ),
        (
            Icon::Orthographic,
            Key::O,
            "Without perspective",
            "Without perspective (O)",
            camera.is_orthographic,
            Action::Look(Camera {
                is_orthographic: !camera.is_orthographic,
                ..camera
            }),
        ),
    ]
}

fn rows_ui(ui: &mut Ui, model: &Model, is_there: bool, rows: impl Iterator<Item = Switch>) {
    for (icon, _, name, tip, is_on, action) in rows {
        if icons::switch(ui, icon, name, tip, is_there, is_on) {
            model.ask(action);
        }
    }
}

/// Shows switches for drawings beside the body.
fn beside_ui(ui: &mut Ui, model: &Model) {
    rows_ui(ui, model, model.made().is_some(), switches(model).into_iter().take(4));
}

/// Shows how the body is drawn, and the camera.
fn camera_ui(ui: &mut Ui, model: &Model) {
    let camera = model.camera;
    rows_ui(ui, model, true, switches(model).into_iter().skip(4));
    if icons::button(ui, Icon::Frame, "Frame", "Centre the body (C)", true).clicked() {
        model.ask(Action::Look(camera.framed()));
    }
    for (word, name, yaw, pitch) in [
        ("F", "From the front", 0.0, 0.0),
        ("S", "From the side", FRAC_PI_2, 0.0),
        ("T", "From above", 0.0, Camera::STEEPEST),
    ] {
        let side = icons::side(ui);
        let button = ui.add(
            egui::Button::new(word)
                .frame_when_inactive(false)
                .min_size(vec2(side, side)),
        );
        if focus::named(button.on_hover_text(name), name).clicked() {
            model.ask(Action::Look(Camera {
                yaw,
                pitch,
                ..camera.framed()
            }));
        }
    }
}

/// Returns the joint that is drawn nearest to the pointer.
fn nearest(pointer: Pos2, opened: &Opened, seen: impl Fn(usize) -> Option<Pos2>) -> Option<usize> {
    (0..opened.skeleton().num_joints())
        .filter(|&joint| !opened.body().is_control(joint))
        .filter_map(|joint| Some((joint, seen(joint)?.distance(pointer))))
        .filter(|(_, distance)| *distance <= PICK_POINTS)
        .min_by(|(_, one), (_, other)| one.total_cmp(other))
        .map(|(joint, _)| joint)
}

/// Returns the camera after input by mouse or fingers, if there was any.
fn moved_by(ui: &Ui, response: &Response, camera: Camera) -> Option<Camera> {
    let mut moved = camera;
    // Two fingers move and zoom the view, although the first one alone would turn it.
    let fingers = ui.input(egui::InputState::multi_touch);
    if let Some(fingers) = fingers.filter(|fingers| response.rect.contains(fingers.start_pos)) {
        moved = moved
            .panned(fingers.translation_delta, response.rect.height())
            .zoomed(f64::from(fingers.zoom_delta));
    } else if response.dragged() {
        let drag = response.drag_delta();
        let pans = !response.dragged_by(PointerButton::Primary) || ui.input(|input| input.modifiers.shift);
        moved = if pans {
            moved.panned(drag, response.rect.height())
        } else {
            moved.orbited(drag)
        };
    }
    if response.hovered() && fingers.is_none() {
        let (wheel, pinch) = ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
        moved = moved.zoomed(f64::from(pinch) * (1.0 + ZOOM_PER_POINT * f64::from(wheel)));
    }
    if response.double_clicked() {
        moved = camera.reset();
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

    /// Returns a view of the example walk, paused.
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
                viewport.viewport_ui(ui, model);
                for action in model.take_asked() {
                    model.apply(action);
                }
            },
            (Viewport::default(), model),
        )
    }

    /// Sends touches as a browser reports them: the first finger also moves the pointer.
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

    /// A ring turns the joint by as much as the mouse moves along it, at the time shown; the view stays.
    #[test]
    fn a_joint_is_turned_by_its_rings() {
        let mut harness = seen();
        let (viewport, model) = harness.state_mut();
        viewport.set_turning(true);
        let opened = Arc::clone(model.opened().unwrap());
        let head = opened.skeleton().find("Head").unwrap();
        for action in [Action::Watch(head), Action::Step(7)] {
            model.apply(action);
        }
        harness.run_steps(3);
        let camera = harness.state().1.camera;
        let rings = |harness: &Seen, corner: usize| harness.state().0.rings.as_ref().unwrap().point(0, corner);
        let (from, to) = (rings(&harness, 5), rings(&harness, 7));
        harness.drag_at(from);
        harness.step();
        for at in [from.lerp(to, 0.5), to] {
            harness.hover_at(at);
            harness.step();
        }
        harness.drop_at(to);
        harness.run_steps(3);
        let model = &mut harness.state_mut().1;
        assert_eq!(model.camera, camera);
        let edits = &model.edit().unwrap().recipe.edits;
        let [edit] = edits.as_slice() else { panic!("{edits:?}") };
        let turn = edit.values.vector(loopwright_core::edit::EditKey::Rotation).unwrap();
        // Two of the 64 corners of a ring.
        assert!(
            (turn[0] - 11.25).abs() < 1.5 && turn[1] == 0.0 && turn[2] == 0.0,
            "{turn:?}"
        );
        assert_eq!(edit.joint.as_deref(), Some("Head"));
        let secs = edit.values.number(loopwright_core::edit::EditKey::Time).unwrap();
        assert!((secs - 7.0 * model.step_secs()).abs() < 1e-3, "{secs}");
        // Another ring at the same time turns the joint further, in the same edit.
        let (edit, clip) = (model.edit().unwrap().clone(), model.made().unwrap().clip());
        let both = edit.turned("Head", secs, DVec3::Y * 0.1, clip);
        assert_eq!(both.recipe.edits.len(), 1);
        assert_eq!(edit.turned("Head", secs + 0.2, DVec3::Y, clip).recipe.edits.len(), 2);
        model.apply(Action::Undo);
        assert!(model.edit().unwrap().recipe.edits.is_empty(), "a drag is one step");
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
        let turned = camera.orbited(vec2(50.0, 10.0));
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
