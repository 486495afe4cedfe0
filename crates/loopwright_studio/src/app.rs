//! The window: what is where, what was dropped on it, and the time that goes on.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use eframe::egui::{
    self, CentralPanel, CollapsingHeader, Context, DroppedFileHandle, Panel, RichText, ScrollArea, Ui, vec2,
};

use loopwright_formats::Format;

use crate::guard::{Guard, Request};
use crate::model::{Action, Model};
use crate::panels::{self, AnimationsPanel, CostMapPanel, ExportPanel, RecipePanel};
use crate::timeline::{self, SeamCurve, TakeBar};
use crate::{focus, fonts::fonts, grade, theme, viewport::Viewport, work::Wake};

/// Windows narrower than this have the panels below the viewport, points.
const NARROW_POINTS: f32 = 720.0;

/// Share of a narrow window's height that the viewport takes.
const NARROW_VIEWPORT: f32 = 0.45;

/// Width of the panels beside the viewport, points.
const PANELS_POINTS: f32 = 350.0;

/// Longest time between two frames that playback follows, seconds: a window that was covered does not leap ahead.
const MAX_FRAME_SECS: f32 = 0.1;

/// Time between frames while work goes on beside: drawing in software takes as much of the processor as it gets.
const PLAYING_BESIDE_WORK: Duration = Duration::from_millis(33);

/// The same where nothing moves but the sign that work goes on.
const WAITING_FOR_WORK: Duration = Duration::from_millis(100);

/// A dialog that is answered sooner was never shown: nobody is that quick.
#[cfg(not(target_arch = "wasm32"))]
const NO_DIALOG: Duration = Duration::from_millis(300);

/// Files that were read beside, and a wish for a frame.
#[derive(Clone)]
pub(crate) struct Inbox {
    actions: Arc<Mutex<Vec<Action>>>,
    wake: Context,
}

impl Inbox {
    fn new(wake: &Context) -> Self {
        Self {
            actions: Arc::default(),
            wake: wake.clone(),
        }
    }

    pub(crate) fn put(&self, action: Action) {
        self.actions.lock().unwrap_or_else(PoisonError::into_inner).push(action);
        self.wake.request_repaint();
    }

    fn take(&self) -> Vec<Action> {
        std::mem::take(&mut *self.actions.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What was chosen in dialogs of the system, by what was asked for.
#[cfg(not(target_arch = "wasm32"))]
type Chosen = Arc<Mutex<Vec<(crate::platform::Ask, Vec<std::path::PathBuf>)>>>;

/// The studio with all its panels.
pub struct Studio {
    model: Model,
    inbox: Inbox,
    viewport: Viewport,
    take_bar: TakeBar,
    seam_curve: SeamCurve,
    export: ExportPanel,
    recipe: RecipePanel,
    cost_map: CostMapPanel,
    animations: AnimationsPanel,
    guard: Guard,
    /// The file that what is set goes into, again and again.
    #[cfg(not(target_arch = "wasm32"))]
    autosave: Option<std::path::PathBuf>,
    /// Number of loops made when what is set was kept last.
    num_kept: u64,
    /// The path typed natively.
    #[cfg(not(target_arch = "wasm32"))]
    path: String,
    /// What was chosen in dialogs of the system.
    #[cfg(not(target_arch = "wasm32"))]
    chosen: Chosen,
    #[cfg(not(target_arch = "wasm32"))]
    title: String,
    /// What the page says.
    #[cfg(target_arch = "wasm32")]
    said: String,
    /// What the page says of the widget that has the keyboard.
    #[cfg(target_arch = "wasm32")]
    said_focus: focus::SaidFocus,
    /// Number of loops made when the page marked the time of one last.
    #[cfg(target_arch = "wasm32")]
    num_marked: u64,
}

impl Studio {
    /// A studio that asks this context for frames; the walk that it opens with is on its way.
    pub fn in_context(ctx: &Context) -> Self {
        ctx.set_fonts(fonts());
        theme::make_readable(ctx);
        let wake = ctx.clone();
        Self {
            model: Model::new(Wake::by(move || wake.request_repaint())),
            inbox: Inbox::new(ctx),
            viewport: Viewport::default(),
            take_bar: TakeBar::default(),
            seam_curve: SeamCurve::default(),
            export: ExportPanel::new(),
            recipe: RecipePanel::default(),
            cost_map: CostMapPanel::default(),
            animations: AnimationsPanel::default(),
            guard: Guard::default(),
            #[cfg(not(target_arch = "wasm32"))]
            autosave: None,
            num_kept: 0,
            #[cfg(not(target_arch = "wasm32"))]
            path: String::new(),
            #[cfg(not(target_arch = "wasm32"))]
            chosen: Chosen::default(),
            #[cfg(not(target_arch = "wasm32"))]
            title: String::new(),
            #[cfg(target_arch = "wasm32")]
            said: String::new(),
            #[cfg(target_arch = "wasm32")]
            said_focus: focus::SaidFocus::default(),
            #[cfg(target_arch = "wasm32")]
            num_marked: 0,
        }
    }

    /// What it shows.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Reads a file, or all takes of a folder, beside the window; loops go into its folder.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open_path(&mut self, path: &std::path::Path) {
        self.open_paths(&[path.to_owned()]);
    }

    /// Reads files and folders beside the window, one after the other; loops go into the folder of the last one.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open_paths(&mut self, paths: &[std::path::PathBuf]) {
        let Some(last) = paths.last() else { return };
        if self.model.awaits_character() {
            // The recipe names the character by its path, which the command line follows.
            let (inbox, path) = (self.inbox.clone(), last.clone());
            std::thread::spawn(move || {
                inbox.put(match crate::platform::open_path(&path) {
                    Action::Open { bytes, beside, .. } => Action::Open {
                        file_name: path.display().to_string(),
                        bytes,
                        beside,
                    },
                    other => other,
                });
            });
            return;
        }
        let folder = match last.is_dir() {
            true => Some(last.as_path()),
            false => last.parent().filter(|folder| !folder.as_os_str().is_empty()),
        };
        // Of a file that is not there nobody wants the folder.
        if last.exists() {
            let folder = folder.map_or_else(|| ".".to_owned(), |folder| folder.display().to_string());
            self.export.offer_folder(folder);
        }
        let (inbox, paths) = (self.inbox.clone(), paths.to_vec());
        std::thread::spawn(move || {
            for path in paths.iter().flat_map(|path| crate::platform::takes_at(path)) {
                inbox.put(crate::platform::open_path(&path));
            }
        });
    }

    /// Asks for files or a folder by the dialog of the system.
    #[cfg(not(target_arch = "wasm32"))]
    fn ask(&self, ask: crate::platform::Ask, ctx: &Context) {
        let (chosen, wake) = (Arc::clone(&self.chosen), ctx.clone());
        let asked = std::time::Instant::now();
        let inbox = self.inbox.clone();
        crate::platform::ask(ask, &self.export.folder, move |paths| {
            if paths.is_empty() && asked.elapsed() < NO_DIALOG {
                inbox.put(Action::NoDialog);
            }
            chosen.lock().unwrap_or_else(PoisonError::into_inner).push((ask, paths));
            wake.request_repaint();
        });
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn take_chosen(&mut self) {
        let chosen = std::mem::take(&mut *self.chosen.lock().unwrap_or_else(PoisonError::into_inner));
        for (ask, paths) in chosen {
            match (ask, paths.first()) {
                (crate::platform::Ask::SaveInto, Some(folder)) => {
                    self.export.choose_folder(folder.display().to_string());
                }
                _ => self.open_paths(&paths),
            }
        }
    }

    /// Lets open takes fill so much memory together, bytes.
    pub fn keep_takes_within(&mut self, bytes: usize) {
        self.model.keep_takes_within(bytes);
    }

    /// Saves what is set into this file whenever a loop is made of it.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn autosave_to(&mut self, path: std::path::PathBuf) {
        self.recipe.offer(&path);
        self.export.remember_in(path.with_file_name("folder.txt"));
        self.autosave = Some(path);
    }

    /// Keeps what is set, for a failure of this program or of the machine.
    fn keep(&mut self) {
        let num_made = self.model.num_made();
        if num_made == self.num_kept {
            return;
        }
        if let Some(Ok(text)) = self.model.recipe_text() {
            self.num_kept = num_made;
            #[cfg(not(target_arch = "wasm32"))]
            if let (Some(path), true) = (&self.autosave, self.model.can_undo()) {
                crate::platform::keep_text(path, &text);
            }
            self.guard.keep(text);
        }
    }

    /// Does what is asked for after a failure.
    fn follow(&mut self, request: Request, ctx: &Context) {
        let recipe = self.guard.kept().map(str::to_owned);
        match request {
            Request::Save => self
                .recipe
                .save_kept(&self.export.folder, recipe.as_deref().unwrap_or_default()),
            Request::GoOn => {
                self.guard.forget();
                // Nothing of what is shown is trusted; the take and what was set are.
                self.viewport = Viewport::default();
                self.take_bar = TakeBar::default();
                self.seam_curve = SeamCurve::default();
                self.model.apply(Action::Cancel);
                if let Some(recipe) = recipe {
                    let bytes = recipe.into_bytes();
                    self.model.apply(Action::OpenRecipe { bytes });
                }
                ctx.request_repaint();
            }
        }
    }

    /// Where files that are read beside are put.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn inbox(&self) -> Inbox {
        self.inbox.clone()
    }

    /// Makes a change.
    pub fn apply(&mut self, action: Action) {
        if matches!(action, Action::Open { .. } | Action::Read(_)) {
            self.export.reset();
        }
        self.model.apply(action);
    }

    /// Shows one frame, and does what was clicked in it.
    pub fn studio_ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        self.open_dropped(&ctx.input(|input| input.raw.dropped_files.clone()));
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.take_chosen();
            self.show_title(&ctx);
        }
        for action in self.inbox.take() {
            self.apply(action);
        }
        self.model.poll();
        if let Some(exported) = self.model.take_exported() {
            let (of, is_ticked) = (self.model.take_exporting(), self.model.writing().is_some());
            self.export.take_in(exported, of, is_ticked);
        }
        // A frame may be laid out twice.
        if ctx.current_pass_index() == 0 {
            self.model
                .advance(f64::from(ctx.input(|input| input.stable_dt).min(MAX_FRAME_SECS)));
        }
        focus::hold(&ctx);
        let mut actions = panels::keys(&ctx, &self.model, &self.export);
        #[cfg(not(target_arch = "wasm32"))]
        if ctx.input_mut(|input| input.consume_key(egui::Modifiers::COMMAND, egui::Key::O)) {
            self.ask(crate::platform::Ask::Files, &ctx);
        }
        if ui.available_width() < NARROW_POINTS {
            self.narrow_ui(ui, &mut actions);
        } else {
            self.wide_ui(ui, &mut actions);
        }
        panels::help_ui(&ctx, &self.model, &mut actions);
        panels::release_clicked(&ctx);
        self.keep();
        #[cfg(target_arch = "wasm32")]
        self.say(&ctx);
        for action in actions {
            self.apply(action);
        }
        // Of a draft that is made in no time this very frame shows the loop.
        if self.model.drafts_at_once() {
            self.model.poll();
            ctx.request_discard("a slider moved");
        }
        let plays = self.model.playback.is_playing && self.model.opened().is_some();
        match (plays, self.model.progress().is_some()) {
            (true, false) => ctx.request_repaint(),
            (true, true) => ctx.request_repaint_after(PLAYING_BESIDE_WORK),
            (false, true) => ctx.request_repaint_after(WAITING_FOR_WORK),
            (false, false) => {}
        }
    }

    /// Says in the page, whose canvas screen readers cannot read, what goes on.
    #[cfg(target_arch = "wasm32")]
    fn say(&mut self, ctx: &Context) {
        self.said_focus.follow(ctx);
        if self.model.num_made() != self.num_marked {
            self.num_marked = self.model.num_made();
            crate::platform::mark("loop shown");
        }
        let name = self.model.opened().map_or("", |opened| opened.file_name.as_str());
        let said = match (
            self.model.progress(),
            self.model.problem(),
            self.export.said(),
            self.model.made(),
        ) {
            (Some(progress), ..) => progress.to_owned(),
            (_, Some(problem), ..) => problem.to_string(),
            (_, _, Some(said), _) => said,
            (_, _, _, Some(made)) => format!("{name}: {}", made.verdict),
            _ => String::new(),
        };
        if said != self.said {
            crate::platform::say(&said);
            self.said = said;
        }
    }

    /// Panels beside the viewport, the timeline below both.
    fn wide_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        Panel::top("top").show(ui, |ui| self.top_ui(ui, actions));
        Panel::bottom("timeline").show(ui, |ui| self.timeline_ui(ui, actions));
        Panel::right("panels")
            .resizable(true)
            .default_size(PANELS_POINTS)
            .show(ui, |ui| {
                ScrollArea::vertical()
                    .auto_shrink(false)
                    .show(ui, |ui| focus::scrolled_to(ui, |ui| self.panels_ui(ui, actions)));
            });
        CentralPanel::default().frame(egui::Frame::NONE).show(ui, |ui| {
            self.viewport.viewport_ui(ui, &self.model, actions);
        });
    }

    /// All below each other, to scroll.
    fn narrow_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        Panel::top("top").show(ui, |ui| self.top_ui(ui, actions));
        CentralPanel::default().show(ui, |ui| {
            let height = ui.available_height() * NARROW_VIEWPORT;
            ui.allocate_ui(vec2(ui.available_width(), height), |ui| {
                self.viewport.viewport_ui(ui, &self.model, actions);
            });
            let width = ui.available_width();
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                ui.set_max_width(width);
                self.timeline_ui(ui, actions);
                focus::scrolled_to(ui, |ui| self.panels_ui(ui, actions));
            });
        });
    }

    fn top_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        ui.add_space(2.0);
        ui.horizontal_wrapped(|ui| {
            ui.strong("loopwright studio");
            self.open_ui(ui);
            let undo = ui.add_enabled(self.model.can_undo(), egui::Button::new("Undo"));
            let [undone, redone] = self.model.undo_names().map(|name| name.unwrap_or("nothing"));
            if undo.on_hover_text(format!("Undo: {undone} (Ctrl+Z)")).clicked() {
                actions.push(Action::Undo);
            }
            let redo = ui.add_enabled(self.model.can_redo(), egui::Button::new("Redo"));
            if redo.on_hover_text(format!("Redo: {redone} (Ctrl+Shift+Z)")).clicked() {
                actions.push(Action::Redo);
            }
            let keep = ui.add_enabled(self.model.edit().is_some(), egui::Button::new("Keep as A"));
            if keep.on_hover_text("Keeps the settings, to compare").clicked() {
                actions.push(Action::Keep);
            }
            let swap = ui.add_enabled(self.model.has_kept(), egui::Button::new("Swap with A"));
            if swap.on_hover_text("A").clicked() {
                actions.push(Action::SwapKept);
            }
            self.export.short_ui(ui, &self.model, actions);
            if ui.button("Keys ?").clicked() {
                actions.push(Action::Help(true));
            }
            let is_dark = ui.visuals().dark_mode;
            let other = if is_dark { "Light" } else { "Dark" };
            if ui.button(other).on_hover_text("Colours of the window").clicked() {
                ui.ctx()
                    .set_theme(if is_dark { egui::Theme::Light } else { egui::Theme::Dark });
            }
            ui.strong(format!("Drop a take here ({})", Format::names("or")));
            ui.weak("Files stay on this machine.");
        });
        self.progress_ui(ui, actions);
        let chooses_folder = self.export.question_ui(ui, actions);
        #[cfg(not(target_arch = "wasm32"))]
        if chooses_folder {
            self.ask(crate::platform::Ask::SaveInto, ui.ctx());
        }
        #[cfg(target_arch = "wasm32")]
        let _ = chooses_folder;
        ui.add_space(2.0);
    }

    /// What goes on, and what went wrong. The line is always there, so that nothing moves when it gets words.
    fn progress_ui(&self, ui: &mut Ui, actions: &mut Vec<Action>) {
        ui.horizontal_wrapped(|ui| {
            if let Some((stem, number, count)) = self.model.writing() {
                ui.spinner();
                ui.label(format!("Writing {stem} ({number} of {count}) ..."));
                if ui.button("Cancel").clicked() {
                    actions.push(Action::Cancel);
                }
            } else if let Some(progress) = self.model.progress().filter(|_| self.model.is_opening()) {
                ui.spinner();
                ui.label(format!("{progress} ..."));
                if ui.button("Cancel").clicked() {
                    actions.push(Action::Cancel);
                }
            } else if let Some(problem) = self.model.problem() {
                ui.colored_label(ui.visuals().error_fg_color, problem.to_string());
                if let Some(hint) = problem.hint() {
                    ui.label(hint);
                }
                if ui.button("Dismiss").clicked() {
                    actions.push(Action::Dismiss);
                }
            } else if let Some(made) = self.model.made() {
                if self.model.awaits_character() {
                    ui.strong("Drop the character now.");
                }
                let colour = grade::colour(made.verdict.grade, ui.visuals().dark_mode);
                grade::light_ui(ui, made.verdict.grade);
                ui.colored_label(colour, made.verdict.to_string());
            }
            self.export.said_ui(ui);
        });
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn open_ui(&mut self, ui: &mut Ui) {
        use eframe::egui::containers::menu::{MenuButton, MenuConfig};

        use crate::platform::Ask;

        // A click into the field leaves the menu open.
        let config = MenuConfig::new().close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
        MenuButton::new("Open ...").config(config).ui(ui, |ui| {
            for (word, ask) in [("Choose files ...", Ask::Files), ("Choose a folder ...", Ask::Folder)] {
                if ui.button(word).clicked() {
                    self.ask(ask, ui.ctx());
                    ui.close();
                }
            }
            ui.separator();
            let label = ui.label("Path of a take");
            let field = ui
                .add(egui::TextEdit::singleline(&mut self.path).desired_width(360.0))
                .labelled_by(label.id);
            let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
            let opens = ui.add_enabled(!self.path.trim().is_empty(), egui::Button::new("Open this file"));
            if opens.clicked() || is_entered && !self.path.trim().is_empty() {
                let path = std::path::PathBuf::from(self.path.trim());
                self.open_path(&path);
                ui.close();
            }
        });
    }

    #[cfg(target_arch = "wasm32")]
    fn open_ui(&mut self, ui: &mut Ui) {
        if ui.button("Open ...").clicked() {
            crate::platform::choose_file();
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn open_dropped(&mut self, files: &[DroppedFileHandle]) {
        let paths: Vec<std::path::PathBuf> = files.iter().map(|file| file.path().to_owned()).collect();
        self.open_paths(&paths);
    }

    /// Names the take in the title of the window.
    #[cfg(not(target_arch = "wasm32"))]
    fn show_title(&mut self, ctx: &Context) {
        let title = match self.model.opened() {
            Some(opened) => format!("{} - loopwright studio", opened.file_name),
            None => "loopwright studio".to_owned(),
        };
        if title != self.title {
            ctx.send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    #[cfg(target_arch = "wasm32")]
    fn open_dropped(&mut self, files: &[DroppedFileHandle]) {
        let files: Vec<web_sys::File> = files.iter().filter_map(|file| file.web_file().cloned()).collect();
        if !files.is_empty() {
            let inbox = self.inbox.clone();
            wasm_bindgen_futures::spawn_local(crate::platform::open_files(files, move |action| inbox.put(action)));
        }
    }

    fn timeline_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        ui.add_space(4.0);
        timeline::transport_ui(ui, &self.model, actions);
        timeline::take_bar_ui(ui, &mut self.take_bar, &self.model, actions);
        self.seam_curve.seam_curve_ui(ui, &self.model, actions);
        ui.add_space(4.0);
    }

    fn panels_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let model = &self.model;
        panels::guide_ui(ui, model, self.export.has_written(), actions);
        let part = |name: &str| CollapsingHeader::new(RichText::new(name).strong()).default_open(true);
        let closed_part = |name: &str| part(name).default_open(false);
        part("Loops found").show(ui, |ui| {
            self.animations.animations_ui(ui, model, actions);
            panels::loops_ui(ui, model, actions);
        });
        part("How good it is").show(ui, |ui| panels::figures_ui(ui, model));
        part("Closure").show(ui, |ui| panels::closure_ui(ui, model, actions));
        closed_part("Joints of their own").show(ui, |ui| panels::joints_ui(ui, model, actions));
        part("Root").show(ui, |ui| panels::root_motion_ui(ui, model, actions));
        part("Feet").show(ui, |ui| panels::feet_ui(ui, model, actions));
        part("Stances by hand").show(ui, |ui| panels::stances_ui(ui, model, actions));
        part("Edits").show(ui, |ui| panels::edits_ui(ui, model, actions));
        closed_part("Smoothing and character").show(ui, |ui| panels::reading_ui(ui, model, actions));
        part("Recipe").show(ui, |ui| self.recipe.recipe_ui(ui, model, &mut self.export, actions));
        let export = &mut self.export;
        let chooses_folder = part("Export").show(ui, |ui| export.export_ui(ui, model, actions));
        #[cfg(not(target_arch = "wasm32"))]
        if chooses_folder.body_returned == Some(true) {
            self.ask(crate::platform::Ask::SaveInto, ui.ctx());
        }
        #[cfg(target_arch = "wasm32")]
        let _ = chooses_folder;
        closed_part("Lengths that repeat").show(ui, |ui| panels::spectrum_ui(ui, model));
        let cost_map = &mut self.cost_map;
        closed_part("Cost of every seam").show(ui, |ui| cost_map.cost_map_ui(ui, model, actions));
        closed_part("Jumps between loops").show(ui, |ui| panels::jumps_ui(ui, model, actions));
        closed_part("Set and blend").show(ui, |ui| panels::set_ui(ui, model, actions));
        closed_part("Controller fit").show(ui, |ui| panels::fit_ui(ui, model, actions));
    }
}

impl eframe::App for Studio {
    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        let mut guard = std::mem::take(&mut self.guard);
        let wish = guard.frame_ui(ui, |guard, ui| {
            std::mem::swap(&mut self.guard, guard);
            self.studio_ui(ui);
            std::mem::swap(&mut self.guard, guard);
        });
        // Of a frame that failed the studio still has what was kept.
        if let Some(recipe) = self.guard.kept() {
            guard.keep(recipe.to_owned());
        }
        self.guard = guard;
        if let Some(wish) = wish {
            self.follow(wish, &ctx);
        }
    }
}
