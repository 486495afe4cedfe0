//! The window: its layout, files dropped on it, and the progress of time.

#[cfg_attr(target_arch = "wasm32", path = "app/page.rs")]
#[cfg_attr(not(target_arch = "wasm32"), path = "app/desktop.rs")]
mod host;

use std::sync::Arc;

use eframe::egui::{
    self, Align, Button, CentralPanel, CollapsingHeader, Context, Event, Frame, Label, Layout, Margin, Panel, RichText,
    Role, ScrollArea, Ui, WidgetInfo, mutex::Mutex, vec2,
};

use loopwright_formats::Format;

use host::Host;

use crate::{
    flat, focus,
    fonts::fonts,
    grade,
    guard::{Guard, Request, failure_of},
    icons::{self, Icon},
    model::{Action, Comparison, Model, Shown},
    pace::Pace,
    panels::{self, Browser, CapturePanel, CostMapPanel, ExportPanel, RecipePanel},
    session::Session,
    theme,
    timeline::{self, SeamCurve, TakeBar},
    viewport::{self, Viewport},
    work::Wake,
};

/// Share of a narrow window's height that the viewport takes.
const NARROW_VIEWPORT: f32 = 0.42;

/// Width of the panels beside the viewport, at first, at least and at most, points.
const PANELS_POINTS: f32 = 372.0;
const PANELS_RANGE: [f32; 2] = [300.0, 560.0];

/// Initial and least height of the timeline with its curves, points.
const TIMELINE_POINTS: f32 = 300.0;
const LEAST_TIMELINE_POINTS: f32 = 150.0;

/// Initial height with the table of compared loops, points; and the largest share of the window's height.
const COMPARED_POINTS: f32 = 390.0;
const MOST_TIMELINE: f32 = 0.6;

/// Windows lower than this have no room for the timeline below the view, points.
const LOW_POINTS: f32 = 520.0;

/// Windows narrower than this have no room for the less used words of the top row, points.
const WORDY_POINTS: f32 = 1200.0;

/// Actions from files that were read in the background, and a way to ask for a frame.
#[derive(Clone, Default)]
pub struct Inbox {
    actions: Arc<Mutex<Vec<Action>>>,
    wake: Context,
}

impl Inbox {
    pub fn put(&self, action: Action) {
        self.actions.lock().push(action);
        self.wake.request_repaint();
    }

    fn take(&self) -> Vec<Action> {
        std::mem::take(&mut *self.actions.lock())
    }
}

/// A tab of the panels beside the view.
#[derive(Clone, Copy, Default, PartialEq)]
enum Tab {
    #[default]
    Loops,
    Close,
    Feet,
    Edit,
    Export,
}

impl Tab {
    const ALL: [Self; 5] = [Self::Loops, Self::Close, Self::Feet, Self::Edit, Self::Export];

    /// The tabs of a narrow window: the others are parts of *Close*.
    const NARROW: [Self; 3] = [Self::Loops, Self::Close, Self::Export];

    /// The label, and the name for screen readers: longer, because the panels are not seen.
    fn words(self) -> [&'static str; 2] {
        [
            ["Loops", "Loops of the take"],
            ["Close", "Close the seam"],
            ["Feet", "Feet on the ground"],
            ["Edit", "Edit the motion"],
            ["Export", "Export to a file"],
        ][self as usize]
    }
}

/// The studio with all its panels.
#[derive(Default)]
pub struct Studio {
    model: Model,
    pub(crate) inbox: Inbox,
    viewport: Viewport,
    take_bar: TakeBar,
    seam_curve: SeamCurve,
    export: ExportPanel,
    recipe: RecipePanel,
    cost_map: CostMapPanel,
    browser: Browser,
    capture: CapturePanel,
    pace: Pace,
    tab: Tab,
    /// Whether the user last touched the window, rather than used a mouse.
    has_fingers: bool,
    guard: Guard,
    /// The state kept between visits, if any.
    session: Option<Session>,
    /// Value of the model's loop count when the choices were last kept.
    num_kept: u64,
    /// State that only the desktop window, or only the page, needs.
    host: Host,
}

impl Studio {
    /// Creates a studio that asks this context for frames; the example walk that it opens with is being made.
    pub fn in_context(ctx: &Context) -> Self {
        ctx.set_fonts(fonts());
        theme::set(ctx);
        let wake = ctx.clone();
        Self {
            model: Model::new(Wake::by(move || wake.request_repaint())),
            inbox: Inbox {
                wake: ctx.clone(),
                ..Inbox::default()
            },
            export: ExportPanel::new(),
            ..Self::default()
        }
    }

    /// Returns the state that the studio shows.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Sets how much memory open takes may fill together, bytes.
    pub fn keep_takes_within(&mut self, bytes: usize) {
        self.model.takes_bytes = bytes;
    }

    /// Opens what was open at the last visit, and stores what is open for the next one.
    pub fn remember(&mut self, memory: crate::platform::Memory, reopens: bool, ctx: &Context) {
        let session = self.session.insert(Session::new(memory));
        if let Some(action) = reopens.then(|| session.reopen(ctx)).flatten() {
            self.apply(action);
        }
    }

    /// Stores the choices, to recover them after a failure of the program or the machine.
    fn keep(&mut self) {
        if self.model.num_made != self.num_kept
            && let Some(Ok(text)) = self.model.recipe_text()
        {
            self.num_kept = self.model.num_made;
            self.guard.recipe = Some(text);
        }
    }

    /// Does what the user chose after a failure.
    fn follow(&mut self, request: Request, ctx: &Context) {
        let recipe = self.guard.recipe.clone();
        match request {
            Request::Save => self
                .recipe
                .save_kept(&self.export.folder, recipe.as_deref().unwrap_or_default()),
            Request::GoOn => {
                self.guard.failure = None;
                // The state of the views may be broken; the take and the kept recipe are not.
                (self.viewport, self.take_bar, self.seam_curve) = Default::default();
                _ = self.model.take_asked();
                self.model.apply(Action::Cancel);
                if let Some(recipe) = recipe {
                    self.model.apply(Action::OpenRecipe(recipe.into_bytes()));
                }
                ctx.request_repaint();
            }
        }
    }

    /// Makes a change.
    pub fn apply(&mut self, action: Action) {
        if matches!(action, Action::Open { .. } | Action::Read(_) | Action::CloseCharacter) {
            self.export.reset();
        }
        self.model.apply(action);
    }

    /// Draws one frame, and applies the actions of its widgets.
    pub fn studio_ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        self.open_dropped(&ctx.input(|input| input.raw.dropped_files.clone()));
        #[cfg(not(target_arch = "wasm32"))]
        self.begin_frame(&ctx);
        for action in self.inbox.take() {
            self.apply(action);
        }
        self.model.poll();
        if let Some(exported) = self.model.exported.take() {
            self.export
                .take_in(exported, self.model.exporting.take(), self.model.writing().is_some());
        }
        if let Some(set) = self.model.set_made.take() {
            self.export.take_in_set(set);
        }
        // Time advances once per frame, even if the frame is laid out twice.
        if ctx.current_pass_index() == 0 {
            self.model.advance(self.pace.passed(&ctx));
        }
        focus::hold(&ctx);
        panels::keys(&ctx, &self.model, &self.export);
        self.capture.step(&ctx, &mut self.model, &mut self.export);
        self.viewport.is_bare = self.capture.is_on();
        self.follow_fingers(&ctx);
        let is_narrow = ui.available_width() < theme::NARROW_POINTS;
        self.viewport.set_turning(self.tab == Tab::Edit && !is_narrow);
        if is_narrow || self.has_fingers {
            theme::for_fingers(ui.style_mut());
        }
        Panel::top("top")
            .frame(flat::panel(ui.style()))
            .show(ui, |ui| self.top_ui(ui));
        if is_narrow {
            self.narrow_ui(ui);
        } else {
            self.wide_ui(ui);
        }
        if std::mem::take(&mut self.export.wants_dialog) {
            self.ask_folder(&ctx);
        }
        self.capture.shoot(&ctx, self.viewport.rect);
        panels::help_ui(&ctx, &self.model);
        panels::release_clicked(&ctx);
        self.keep();
        if let Some(session) = &mut self.session {
            session.keep(&self.model, &ctx);
        }
        #[cfg(target_arch = "wasm32")]
        self.say();
        for action in self.model.take_asked() {
            self.apply(action);
        }
        // A draft that takes no time is shown in this very frame.
        if self.model.work.is_at_once() {
            self.model.poll();
            ctx.request_discard("a slider moved");
        }
        self.pace.ask(
            &ctx,
            self.model.playback.is_playing && self.model.opened().is_some(),
            self.model.busy(),
        );
    }

    /// Notes whether a finger or a mouse was used last.
    fn follow_fingers(&mut self, ctx: &Context) {
        let (is_touched, is_moved) = ctx.input(|input| {
            let mut events = input.events.iter();
            let is_touched = events.clone().any(|event| matches!(event, Event::Touch { .. }));
            (is_touched, events.any(|event| matches!(event, Event::PointerMoved(_))))
        });
        // A finger moves the pointer, too.
        if is_touched || is_moved {
            self.has_fingers = is_touched;
        }
    }

    /// Lays out the view with transport and timeline below it, and the panels beside both.
    fn wide_ui(&mut self, ui: &mut Ui) {
        Panel::right("panels")
            .frame(flat::panel(ui.style()))
            .resizable(true)
            .default_size(PANELS_POINTS)
            .size_range(PANELS_RANGE[0]..=PANELS_RANGE[1])
            .show(ui, |ui| {
                self.tabs_ui(ui, &Tab::ALL);
                let is_low = is_low(ui);
                self.scrolled_ui(ui, |studio, ui| studio.panels_ui(ui, is_low));
            });
        // A set has no timeline: the file that provides the body says nothing about the set. Without curves, a timeline is as high as the
        // bar of the take.
        let has_timeline = self.set_words().is_none() && !is_low(ui);
        let is_compared = !self.model.compared.is_empty();
        let has_curves = (self.seam_curve.is_shown(ui.ctx()) || is_compared) && self.model.made().is_some();
        let timeline = if has_curves {
            let (name, height) =
                [("timeline", TIMELINE_POINTS), ("compared", COMPARED_POINTS)][usize::from(is_compared)];
            Panel::bottom(name)
                .resizable(true)
                .default_size(height)
                .size_range(LEAST_TIMELINE_POINTS..=MOST_TIMELINE * ui.ctx().content_rect().height())
        } else {
            Panel::bottom("low timeline")
        };
        if has_timeline {
            timeline.frame(flat::panel(ui.style())).show(ui, |ui| {
                focus::group(ui, Role::Region, "Timeline");
                if has_curves {
                    // The panel keeps the height that it was dragged to, whatever its contents.
                    ui.set_min_height(ui.available_height());
                }
                timeline::take_bar_ui(ui, &mut self.take_bar, &self.model);
                self.curves_ui(ui);
            });
        }
        Panel::bottom("transport")
            .frame(flat::panel(ui.style()))
            .show(ui, |ui| {
                focus::group(ui, Role::Region, "Playback");
                ui.add_space(2.0);
                timeline::transport_ui(ui, &self.model);
                ui.add_space(2.0);
            });
        CentralPanel::default().frame(Frame::NONE).show(ui, |ui| {
            self.viewport.viewport_ui(ui, &self.model);
        });
    }

    /// Shows the curves over the seam, or the compared loops with their figures.
    fn curves_ui(&mut self, ui: &mut Ui) {
        if self.model.compared.is_empty() {
            self.seam_curve.seam_curve_ui(ui, &self.model);
        } else {
            timeline::compared_ui(ui, &self.model);
        }
    }

    /// Shows the panels of a tab; each tab has its own scroll position.
    fn scrolled_ui(&mut self, ui: &mut Ui, show: impl FnOnce(&mut Self, &mut Ui)) {
        ScrollArea::vertical()
            .id_salt(self.tab.words()[0])
            .auto_shrink(false)
            .show(ui, |ui| {
                focus::group(ui, Role::TabPanel, &format!("Panel {}", self.tab.words()[0]));
                focus::scrolled_to(ui, |ui| show(self, ui));
            });
    }

    /// Lays out view, transport and three tabs below each other, for fingers.
    fn narrow_ui(&mut self, ui: &mut Ui) {
        CentralPanel::default().frame(Frame::NONE).show(ui, |ui| {
            let size = vec2(ui.available_width(), ui.available_height() * NARROW_VIEWPORT);
            ui.allocate_ui(size, |ui| self.viewport.viewport_ui(ui, &self.model));
            Frame::NONE.inner_margin(Margin::symmetric(8, 0)).show(ui, |ui| {
                timeline::narrow_transport_ui(ui, &self.model);
                if self.set_words().is_none() {
                    ui.horizontal(|ui| viewport::roots_ui(ui, &self.model));
                }
                self.tabs_ui(ui, &Tab::NARROW);
                let width = ui.available_width();
                self.scrolled_ui(ui, |studio, ui| {
                    ui.set_max_width(width);
                    studio.panels_ui(ui, true);
                    if studio.tab == Tab::Close {
                        studio.curves_ui(ui);
                    }
                });
            });
        });
    }

    /// Shows the tabs with equal widths.
    fn tabs_ui(&mut self, ui: &mut Ui, tabs: &[Tab]) {
        if !tabs.contains(&self.tab) {
            self.tab = Tab::Close;
        }
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            focus::group(ui, Role::TabList, "Panels");
            ui.spacing_mut().item_spacing.x = 2.0;
            let height = ui.spacing().interact_size.y.max(28.0);
            let width = (ui.available_width() + 2.0) / tabs.len() as f32 - 2.0;
            for &tab in tabs {
                let is_open = self.tab == tab;
                let [word, name] = tab.words();
                let button = Button::selectable(is_open, word).min_size(vec2(width, height));
                let response = ui.add_sized(vec2(width, height), button);
                response.widget_info(|| WidgetInfo::selected(Role::Tab, true, is_open, name));
                if response.clicked() {
                    self.tab = tab;
                }
            }
        });
        ui.add_space(4.0);
    }

    /// Shows the top row: the name, files, undo and redo, what to compare; the verdict; and *Export* at the right.
    fn top_ui(&mut self, ui: &mut Ui) {
        focus::group(ui, Role::Region, "Files and verdict");
        ui.add_space(3.0);
        let is_wordy = ui.available_width() > WORDY_POINTS;
        let is_narrow = ui.available_width() < theme::NARROW_POINTS;
        ui.horizontal(|ui| {
            if !is_narrow {
                ui.label(RichText::new("loopwright").heading().strong());
            }
            self.open_ui(ui);
            ui.spacing_mut().item_spacing.x = 4.0;
            self.steps_ui(ui, is_wordy, is_narrow);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                self.export.short_ui(ui, &self.model);
                let (icon, other, theme) = if ui.visuals().dark_mode {
                    (Icon::Sun, "Light", egui::Theme::Light)
                } else {
                    (Icon::Moon, "Dark", egui::Theme::Dark)
                };
                if icons::button(ui, icon, other, "Colours of the window", true).clicked() {
                    ui.ctx().set_theme(theme);
                }
                if !is_narrow {
                    if word_ui(ui, "?", "Keys ?", true, "Keys (?)") {
                        self.model.ask(Action::Help(true));
                    }
                    ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                        ui.add_space(10.0);
                        self.verdict_ui(ui);
                    });
                }
            });
        });
        if is_narrow {
            ui.horizontal(|ui| self.verdict_ui(ui));
        }
        self.progress_ui(ui);
        self.export.question_ui(ui, &self.model);
        ui.add_space(3.0);
    }

    /// Shows undo and redo, and choices to compare with.
    fn steps_ui(&self, ui: &mut Ui, is_wordy: bool, is_narrow: bool) {
        let [undone, redone] = self.model.undo_names();
        for (icon, word, name, keys, action) in [
            (Icon::Undo, "Undo", undone, "Ctrl+Z", Action::Undo),
            (Icon::Redo, "Redo", redone, "Ctrl+Shift+Z", Action::Redo),
        ] {
            let tip = format!("{word}: {} ({keys})", name.unwrap_or("nothing"));
            if icons::button(ui, icon, word, &tip, name.is_some()).clicked() {
                self.model.ask(action);
            }
        }
        if is_narrow {
            return;
        }
        let word = if is_wordy { "Keep as A" } else { "Keep A" };
        let tip = "Keeps the settings, to compare (A)";
        if word_ui(ui, word, "Keep as A", self.model.edit().is_some(), tip) {
            self.model.ask(Action::Keep);
        }
        if self.model.kept.is_some() {
            let shown = if self.model.shows_a { "A shown" } else { "B shown" };
            if word_ui(ui, shown, "Swap with A", true, "Shows the other settings, and back (A)") {
                self.model.ask(Action::SwapKept);
            }
        }
    }

    /// Names the clip that the shown set plays, in place of a verdict: the grade of the file that provides the body says nothing about the
    /// set.
    fn set_words(&self) -> Option<String> {
        let steered = self.model.steered_here().filter(|_| self.model.shown() == Shown::Set)?;
        Some(format!("Set {}: {}", steered.name, steered.hero.playing().name))
    }

    /// Shows the verdict on the loop with its reason, or what is being written or opened.
    fn verdict_ui(&self, ui: &mut Ui) {
        let opens = self.model.work.opens() || self.model.work.makes_a_set();
        let words = match (self.model.writing(), self.model.progress().filter(|_| opens)) {
            (Some((stem, number, count)), _) => Some(format!("Writing {stem} ({number} of {count}) ...")),
            (None, Some(progress)) => Some(format!("{progress} ...")),
            (None, None) => self.set_words(),
        };
        if let Some(words) = words {
            ui.add(Label::new(words).truncate());
        } else if let Some(made) = self.model.made() {
            let colour = grade::colour(made.verdict.grade, &theme::of(ui));
            grade::light_ui(ui, made.verdict.grade);
            ui.add(Label::new(RichText::new(made.verdict.to_string()).color(colour)).truncate());
        }
    }

    /// Shows the character that takes are put on, a button to cancel work, the last problem, and the last files.
    fn progress_ui(&self, ui: &mut Ui) {
        let model = &self.model;
        let is_at_work = model.work.opens() || model.work.makes_a_set() || model.writing().is_some();
        let awaits = model.awaits_character;
        let character = model.character.as_ref().and_then(|(file, _)| file.file_name());
        let is_quiet = model.problem().is_none() && !awaits && character.is_none() && self.export.said().is_none();
        if !is_at_work && is_quiet {
            return;
        }
        ui.horizontal_wrapped(|ui| {
            if let Some(name) = character {
                let name = name.to_string_lossy();
                ui.label(format!("Character: {name}"));
                let close = format!("Close the character {name}");
                // While a take is read, closing would cancel that, or come too late for it.
                if icons::button(ui, Icon::Remove, &close, &close, !model.work.opens()).clicked() {
                    model.ask(Action::CloseCharacter);
                }
            }
            if is_at_work {
                if ui.button("Cancel").clicked() {
                    model.ask(Action::Cancel);
                }
            } else if let Some(problem) = model.problem() {
                ui.colored_label(ui.visuals().error_fg_color, problem.to_string());
                if let Some(hint) = problem.hint() {
                    ui.label(hint);
                }
                if ui.button("Dismiss").clicked() {
                    model.ask(Action::Dismiss);
                }
            } else if awaits {
                ui.strong("Drop the character now.");
            }
            self.export.said_ui(ui);
        });
    }

    /// Shows the panels of the open tab, and above those of the loops the bar of the take if it has no other place.
    fn panels_ui(&mut self, ui: &mut Ui, has_bar: bool) {
        match self.tab {
            Tab::Loops => {
                if has_bar && self.set_words().is_none() {
                    timeline::take_bar_ui(ui, &mut self.take_bar, &self.model);
                }
                self.loops_ui(ui);
            }
            Tab::Close => {
                self.close_ui(ui);
                if theme::is_narrow(ui) {
                    part(ui, "Feet", false, |ui| self.feet_ui(ui));
                    part(ui, "Edits", false, |ui| self.edit_ui(ui));
                }
            }
            Tab::Feet => self.feet_ui(ui),
            Tab::Edit => self.edit_ui(ui),
            Tab::Export => self.export_ui(ui),
        }
    }

    fn loops_ui(&mut self, ui: &mut Ui) {
        let model = &self.model;
        let lends_body = model.steered_here().filter(|_| model.shown() == Shown::Set);
        if model.work.makes_a_set() {
            panels::growing_ui(ui, model);
        }
        if let Some(steered) = model.steered() {
            let title = format!("Set {}", steered.name);
            let export = &self.export;
            part(ui, &title, true, |ui| {
                panels::played_ui(ui, model);
                export.notes_ui(ui);
            });
        } else {
            panels::guide_ui(ui, model, !self.export.written.is_empty());
        }
        match lends_body.map(|steered| format!("Takes: {} lends its body", steered.file_name)) {
            // The take's loops and grades are not those of the set.
            Some(title) => part(ui, &title, false, |ui| self.take_ui(ui)),
            None => self.take_ui(ui),
        }
        ui.weak(format!("Drop a take here ({})", Format::names("or")));
        // In the browser, the page says so at its top.
        #[cfg(not(target_arch = "wasm32"))]
        ui.weak("Files stay on this machine.");
    }

    /// Shows the open takes, and everything found in the shown one.
    fn take_ui(&mut self, ui: &mut Ui) {
        let model = &self.model;
        self.browser.browser_ui(ui, model);
        self.export.set_ui(ui, model);
        panels::loops_ui(ui, model);
        let cost_map = &mut self.cost_map;
        part(ui, "Plots of the take", false, |ui| {
            panels::spectrum_ui(ui, model);
            ui.add_space(6.0);
            cost_map.cost_map_ui(ui, model);
        });
    }

    fn close_ui(&self, ui: &mut Ui) {
        let model = &self.model;
        ui.horizontal_wrapped(|ui| {
            let is_there = model.made().is_some();
            for (word, comparison, is_there) in [
                ("Compare all methods", Comparison::Methods, is_there),
                ("Compare A and B", Comparison::Kept, is_there && model.kept.is_some()),
            ] {
                if is_there && ui.button(word).on_hover_text("Side by side, on one clock").clicked() {
                    model.ask(Action::Compare(Some(comparison)));
                }
            }
        });
        part(ui, "Closure", true, |ui| panels::closure_ui(ui, model));
        part(ui, "Joints of their own", false, |ui| panels::joints_ui(ui, model));
        part(ui, "Root", true, |ui| panels::root_motion_ui(ui, model));
    }

    fn feet_ui(&self, ui: &mut Ui) {
        panels::feet_ui(ui, &self.model);
        part(ui, "Stances by hand", true, |ui| panels::stances_ui(ui, &self.model));
    }

    fn edit_ui(&self, ui: &mut Ui) {
        let model = &self.model;
        panels::edits_ui(ui, model);
        part(ui, "Smoothing and character", false, |ui| panels::reading_ui(ui, model));
    }

    fn export_ui(&mut self, ui: &mut Ui) {
        let model = &self.model;
        self.export.export_ui(ui, model);
        let capture = &mut self.capture;
        let export = &mut self.export;
        let recipe = &mut self.recipe;
        part(ui, "Picture", true, |ui| capture.capture_ui(ui, model, export));
        part(ui, "Recipe", true, |ui| recipe.recipe_ui(ui, model, export));
        part(ui, "Controller fit", false, |ui| panels::fit_ui(ui, model));
    }
}

fn is_low(ui: &Ui) -> bool {
    ui.ctx().content_rect().height() < LOW_POINTS
}

/// Shows a text button as high as the icon buttons, with its name for screen readers. Returns whether it is clicked.
fn word_ui(ui: &mut Ui, word: &str, name: &str, is_enabled: bool, tip: &str) -> bool {
    let side = ui.spacing().interact_size.y;
    let response = ui.add_enabled(is_enabled, Button::new(word).min_size(vec2(side, side)));
    response.widget_info(|| WidgetInfo::labeled(Role::Button, is_enabled, name));
    response.on_hover_text(tip).clicked()
}

/// Shows a foldable part of a tab.
fn part(ui: &mut Ui, name: &str, is_open: bool, show: impl FnOnce(&mut Ui)) {
    let shown = CollapsingHeader::new(RichText::new(name).strong())
        .default_open(is_open)
        .show_unindented(ui, show);
    let is_open = shown.openness > 0.5;
    shown
        .header_response
        .widget_info(|| WidgetInfo::selected(Role::DisclosureTriangle, true, is_open, name));
}

impl eframe::App for Studio {
    /// The whole window is cleared to the colour of the panels, which then need no drawing.
    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        visuals.panel_fill.to_normalized_gamma_f32()
    }

    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        if self.guard.failure.is_none() {
            self.guard.failure = failure_of(|| self.studio_ui(ui));
            if self.guard.failure.is_some() {
                ctx.request_repaint();
            }
            return;
        }
        if let Some(wish) = self.guard.screen_ui(ui) {
            self.follow(wish, &ctx);
        }
    }
}
