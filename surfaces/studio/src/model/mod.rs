//! The state of the studio, without a window: the take, its loops, the choices, and the loop made from them.
//!
//! Every change is an [`Action`], so that panels, keys and tests do the same. Long work runs in the background ([`crate::work`]);
//! [`Model::poll`] collects its results.

mod action;
mod beside;
mod compared;
mod history;
mod judged;
mod link;
mod playback;
mod problem;
mod steered;
mod takes;
mod ticked;

use std::{cell::RefCell, collections::VecDeque, path::PathBuf, sync::Arc};

use loopwright_controller::TakeFit;
use loopwright_core::LoopCandidate;
use loopwright_formats::Format;
use loopwright_job::recipe::RecipeError;

pub use action::Action;
pub use beside::Beside;
pub use compared::{Compared, Comparison};
pub use history::History;
pub use judged::Judgement;
pub use link::Link;
pub use playback::{Playback, RootView, SPEEDS, Shown};
pub use problem::Problem;
pub use steered::{SetRead, Steer, Steered};
pub use takes::around_stretch;
pub use ticked::Ticked;

pub use crate::road::*;
use crate::{
    camera::Camera,
    pace::Busy,
    work::{Done, Job, OfTake, Wake, Work},
};

/// Memory that open takes may fill together, bytes: some twenty minutes of takes in a page, an hour and a half in a window. Takes beyond
/// that are left out, with a message.
const TAKES_BYTES: usize = if cfg!(target_arch = "wasm32") {
    512 << 20
} else {
    2 << 30
};

/// Most files whose neighbouring files are kept: those of open takes and of characters.
const MAX_BESIDE: usize = 256;

/// The state of the studio.
#[derive(Default)]
pub struct Model {
    opened: Option<Arc<Opened>>,
    history: Option<History<Edit>>,
    /// Other open takes with their choices, the oldest first.
    others: Vec<(Arc<Opened>, History<Edit>)>,
    /// Memory that open takes may fill together, bytes.
    pub takes_bytes: usize,
    /// Files of one group that were not opened or written, and why.
    left_out: Vec<(String, String)>,
    /// The name of the file being read.
    reading: String,
    /// Files to read after the present one.
    waiting: VecDeque<Job>,
    /// The choices kept for comparison.
    pub kept: Option<Edit>,
    /// Whether the present settings are those kept as A, rather than B.
    pub shows_a: bool,
    /// Opened characters and maps of joints, which recipes refer to, the newest last.
    named: Vec<NamedFile>,
    /// Whether the next file is a character.
    pub awaits_character: bool,
    /// The file of the character that was opened last, and the map of its joints: takes that are opened later are put on it.
    pub character: Option<CharacterFiles>,
    /// The character before it, until a take was put on the new one: a file that is no character does not replace it.
    former_character: Option<Option<CharacterFiles>>,
    /// The character that the take being read is put on.
    reading_on: Option<CharacterFiles>,
    /// The neighbouring files of opened files, by name, the newest last.
    beside: Vec<(String, Beside)>,
    /// Results of studies of the take.
    pub studies: Studies,
    judged: judged::Judged,
    /// Everything that is ticked; `None` while ticks are disabled.
    ticked: Option<Vec<Ticked>>,
    batch: ticked::Batch,
    listing: judged::Listing,
    /// Grades of the loops that were made, by file and animation.
    grades: Vec<(String, String, loopwright_formats::loop_file::facts::Grade)>,
    /// The comparison.
    comparison: Option<Comparison>,
    /// The compared loops; none without a comparison.
    pub compared: Vec<Compared>,
    /// The choices of the compared loop that is being made.
    comparing: Option<Edit>,
    /// Recipes that wait for their takes.
    links: Vec<Link>,
    /// The set being played.
    steered: Option<Steered>,
    /// Files of takes that were opened to provide the bodies of sets.
    lent: Vec<String>,
    made: Option<Arc<Made>>,
    /// Whether the loop of the choices still has to be made: reading another file may have taken its turn.
    owes_loop: bool,
    /// Whether the loop asked for last is a draft.
    is_drafted: bool,
    /// Number of loops made, by which drawings are renewed only for another loop.
    pub num_made: u64,
    /// The file of the loop that was exported last, until it is taken.
    pub exported: Option<Exported>,
    /// The set that was made last.
    pub set_made: Option<SetFiles>,
    /// The take that was written last, and its choices.
    pub exporting: Option<(String, Edit)>,
    problem: Option<Problem>,
    /// Changes that panels requested.
    asked: RefCell<Vec<Action>>,
    /// The work in the background.
    pub work: Work,
    /// The playback time.
    pub playback: Playback,
    shown: Shown,
    /// Whether the uncut stretch is shown too.
    pub has_ghost: bool,
    /// Whether the uncut stretch and the loop are shown side by side.
    pub is_split: bool,
    /// Whether poses around the seam are shown at once.
    pub has_onion: bool,
    /// Whether the path of the chosen joint over the seam is shown.
    pub has_trail: bool,
    /// Whether the body is a mannequin even where its file has a character.
    pub shows_mannequin: bool,
    /// How root motion is shown.
    pub root_view: RootView,
    /// The camera.
    pub camera: Camera,
    /// The joint whose curves are drawn.
    pub watched: usize,
    /// The frames of the take that its bar shows; `None` for all.
    pub bar_frames: Option<[f64; 2]>,
    /// Whether the list of keys is shown.
    pub shows_help: bool,
    /// Whether the first steps are shown.
    pub shows_guide: bool,
    /// Whether the user changed the loop or its view: the second of the first steps.
    pub has_looked: bool,
}

/// A character's file, and the map of its joints.
pub type CharacterFiles = (PathBuf, Option<PathBuf>);

/// Results of studies of a take so far.
#[derive(Default)]
pub struct Studies {
    /// The cost of every seam.
    pub costs: Option<Arc<CostMap>>,
    /// The fit of a controller, or why there is none.
    pub fit: Option<Result<Arc<TakeFit>, String>>,
}

/// Most characters and maps that are kept.
const MAX_NAMED: usize = 8;

impl Model {
    /// Creates the model and starts making the example walk that the studio opens with; `wake` is called from any thread when work is done.
    pub fn new(wake: Wake) -> Self {
        let mut work = Work::new(wake);
        work.start(Job::Walk);
        Self {
            takes_bytes: TAKES_BYTES,
            work,
            shows_guide: true,
            ..Self::default()
        }
    }

    /// Returns the take.
    pub fn opened(&self) -> Option<&Arc<Opened>> {
        self.opened.as_ref()
    }

    /// Returns the choices.
    pub fn edit(&self) -> Option<&Edit> {
        self.history.as_ref().map(History::current)
    }

    /// Returns the loop. While another one is being made, it is still the previous one.
    pub fn made(&self) -> Option<&Arc<Made>> {
        self.made.as_ref()
    }

    /// Returns the complete loop of exactly the present choices; `None` while it is being made, or if that is impossible.
    pub fn finished(&self) -> Option<&Arc<Made>> {
        self.made
            .as_ref()
            .filter(|made| Some(&made.edit) == self.edit() && !made.is_draft)
    }

    /// Returns the measured stretch that is chosen; frames chosen by hand are measured when they are closed.
    pub fn chosen(&self) -> Option<&LoopCandidate> {
        let edit = self.edit()?;
        match edit.stretch {
            Stretch::Found(index) => self.opened.as_ref()?.found.candidates.get(index),
            Stretch::Recommended => match self.finished() {
                Some(made) => Some(&made.candidate),
                None => self.opened.as_ref()?.found.best(),
            },
            Stretch::Frames { .. } => Some(
                &self
                    .made
                    .as_ref()
                    .filter(|made| made.edit.stretch == edit.stretch)?
                    .candidate,
            ),
        }
    }

    /// Returns the last problem.
    pub fn problem(&self) -> Option<&Problem> {
        self.problem.as_ref()
    }

    /// Names the work in progress that somebody waits for.
    pub fn progress(&self) -> Option<&str> {
        self.work.progress()
    }

    /// Returns how busy the background work is.
    pub fn busy(&self) -> Busy {
        match (self.work.is_idle(), self.work.progress()) {
            (true, _) => Busy::Idle,
            (false, None) => Busy::Quiet,
            (false, Some(_)) => Busy::Waited,
        }
    }

    /// Names the changes that undo and redo would apply to.
    pub fn undo_names(&self) -> [Option<&'static str>; 2] {
        self.history.as_ref().map_or([None; 2], |history| {
            history
                .neighbours()
                .map(|other| other.map(|other| other.difference(history.current())))
        })
    }

    /// Collects results of background work. Call it once a frame.
    pub fn poll(&mut self) {
        while let Some(done) = self.work.poll() {
            match done {
                Done::Opened(Ok(opened)) => self.take_in(opened),
                Done::Followed(Ok((opened, edit))) => self.take_in_read(opened, *edit),
                Done::Studied(opened, studied) => self.take_in_studied(&opened, studied),
                Done::Followed(Err(error)) | Done::Opened(Err(error)) => self.take_in_failure(error),
                Done::Made(Ok(made)) => {
                    self.owes_loop = false;
                    // The problem of a take that could not be opened stays until another one is opened, or until it is dismissed.
                    self.problem
                        .take_if(|problem| !matches!(problem, Problem::Open(_) | Problem::LeftOut(_)));
                    self.take_in_made(made);
                }
                Done::Compared(made) => self.take_in_compared(made),
                Done::Judged(grade) => self.take_in_grade(grade),
                Done::Listed(names, listed) => self.listing.take_in(names, listed),
                Done::Made(Err(error)) => {
                    self.owes_loop = false;
                    self.problem = Some(error.into());
                }
                Done::Exported(exported) => match (exported, self.batch.finish()) {
                    (Ok(exported), _) => self.exported = Some(exported),
                    (Err(error), Some(stem)) => self.left_out.push((stem.to_owned(), error.to_string())),
                    (Err(error), None) => self.problem = Some(error.into()),
                },
                Done::SetMade(Ok(set)) => self.set_made = Some(set),
                Done::SetMade(Err(error)) => self.problem = Some(error.into()),
            }
            if !self.work.opens()
                && let Some(job) = self.waiting.pop_front()
            {
                self.start_reading(job);
            }
        }
        if self.owes_loop && self.is_at_rest() {
            self.make();
        }
        self.write_next();
        // Files of a group that were left out are reported once all are read.
        if !self.left_out.is_empty() && self.waiting.is_empty() && !self.work.opens() && self.writing().is_none() {
            self.problem = Some(Problem::LeftOut(std::mem::take(&mut self.left_out)));
        }
        self.compare_next();
        self.judge_next();
        self.list_next();
    }

    /// Whether nothing runs or waits.
    fn is_at_rest(&self) -> bool {
        self.work.is_idle() && self.waiting.is_empty()
    }

    /// First and last frame of the choices, which may be fractional.
    pub fn ends(&self) -> Option<[f64; 2]> {
        let edit = self.edit()?;
        match edit.stretch {
            Stretch::Frames { .. } => self.opened.as_ref()?.ends(edit.stretch),
            _ => self
                .chosen()
                .map(|chosen| [chosen.cut.start_frame(), chosen.cut.end_frame()]),
        }
    }

    /// Requests a change, which is made at the end of the frame.
    pub fn ask(&self, action: Action) {
        self.asked.borrow_mut().push(action);
    }

    /// Requests changes, if there are any.
    pub fn ask_all(&self, actions: impl IntoIterator<Item = Action>) {
        for action in actions {
            self.ask(action);
        }
    }

    /// Returns the requested changes, and clears them.
    pub fn take_asked(&mut self) -> Vec<Action> {
        self.asked.take()
    }

    /// Makes a change.
    pub fn apply(&mut self, action: Action) {
        self.has_looked |= action.looks_at_the_loop();
        match action {
            Action::Open {
                file_name,
                bytes,
                beside,
            } => self.open(file_name, bytes, beside),
            Action::OpenRecipe(bytes) => self.follow(&bytes),
            Action::OpenSet(read) => self.open_set(*read),
            Action::CloseSet => self.steered = None,
            Action::Steer(steer) => self.steer(steer),
            Action::PlayClip(name) => self.play(|hero| hero.play(&name)),
            Action::PlayOver(name) => self.play(|hero| hero.play_over(&name)),
            Action::Reopen { files, takes } => self.reopen(files, takes),
            Action::OpenMap { file_name, bytes } => self.map_joints(file_name, bytes),
            Action::CannotOpen { file_name, reason } => {
                self.problem = Some(Problem::Open(OpenError::File { file_name, reason }));
            }
            Action::NoDialog => self.problem = Some(Problem::NoDialog),
            Action::Cancel => self.cancel(),
            Action::Choose(stretch) => self.choose_stretch(stretch, true),
            Action::Drag(stretch) => self.choose_stretch(stretch, false),
            Action::Read(study) => self.read_as(*study),
            Action::AwaitCharacter(awaits) => self.awaits_character = awaits,
            Action::CloseCharacter => self.close_character(),
            Action::Study(study) => {
                if let Some(opened) = self.opened.clone().filter(|_| self.work.progress().is_none()) {
                    self.work.start(Job::OfTake(opened, OfTake::Study(study)));
                }
            }
            Action::Edit { edit, is_final } => self.change(self.settled(*edit), is_final),
            Action::CloseBy(name) => {
                if let Some(edit) = self.edit().map(|edit| edit.closed_by(name)) {
                    self.change(self.settled(edit), true);
                }
            }
            Action::Undo => self.go_through_history(History::undo),
            Action::Redo => self.go_through_history(History::redo),
            Action::Keep => (self.kept, self.shows_a) = (self.edit().cloned(), false),
            Action::SwapKept => {
                if let (Some(kept), Some(edit)) = (self.kept.take(), self.edit().cloned()) {
                    self.kept = Some(edit);
                    self.shows_a = !self.shows_a;
                    self.change(kept, true);
                }
            }
            Action::OpenLink(link) => self.open_link(*link),
            Action::Compare(comparison) => self.compare(comparison),
            Action::TakeCompared(index) => self.take_compared(index),
            Action::TakeUp(index) => self.take_up(index),
            Action::Tick(ticked, is_ticked) => self.tick(ticked, is_ticked),
            Action::TickSeveral(can_tick) => self.ticked = can_tick.then(Vec::new),
            Action::ExportTicked(format) => self.export_ticked(format),
            Action::ListAnimations => self.start_listing(),
            Action::Close(index) => self.close(index),
            Action::Written(of) => self.mark_written(of.map(|of| *of)),
            Action::RecipeSaved => self.mark_recipe_saved(),
            Action::Export(format) => self.export(format),
            Action::MakeSet(name, format) => self.make_set(name, format),
            Action::TogglePlaying => {
                if !self.playback.repeats && self.playback.secs >= self.span_secs() * (1.0 - 1e-6) {
                    self.playback.secs = 0.0;
                }
                self.playback.is_playing = !self.playback.is_playing;
            }
            Action::Speed(speed) => self.playback.speed = speed.clamp(*SPEEDS.start(), *SPEEDS.end()),
            Action::Seek(secs) => self.seek(secs),
            Action::ShowFrame(frame) => self.show_frame(frame),
            Action::Step(frames) => self.step(frames),
            Action::Repeat(repeats) => self.playback.repeats = repeats,
            Action::SeamOnly(is_seam_only) => {
                self.playback.is_seam_only = is_seam_only;
                if is_seam_only && self.shown() == Shown::Take {
                    self.show(Shown::Loop);
                }
            }
            Action::Show(shown) => self.show(shown),
            Action::ToggleUncut => self.show(match self.shown() {
                Shown::Loop => Shown::Uncut,
                _ => Shown::Loop,
            }),
            Action::RootView(view) => {
                self.playback.secs = self.playback.secs_in(self.span_secs());
                self.root_view = view;
            }
            Action::Ghost(has_ghost) => self.has_ghost = has_ghost,
            Action::Split(is_split) => self.is_split = is_split,
            Action::Onion(has_onion) => self.has_onion = has_onion,
            Action::Trail(has_trail) => self.has_trail = has_trail,
            Action::Mannequin(shows_mannequin) => self.shows_mannequin = shows_mannequin,
            Action::Look(camera) => self.camera = camera,
            Action::Watch(joint) => self.watched = joint,
            Action::ZoomBar(frames) => self.bar_frames = frames,
            Action::Help(shows_help) => self.shows_help = shows_help,
            Action::Guide(shows_guide) => self.shows_guide = shows_guide,
            Action::Dismiss => self.problem = None,
        }
    }

    fn cancel(&mut self) {
        if self.work.progress().is_none() {
            return;
        }
        self.waiting.clear();
        self.batch = ticked::Batch::default();
        // The take that is shown remains without a loop if another reading took its turn.
        self.owes_loop &= self.work.opens();
        self.work.cancel();
    }

    fn take_in_studied(&mut self, opened: &Arc<Opened>, studied: Studied) {
        if !self.opened.as_ref().is_some_and(|shown| Arc::ptr_eq(shown, opened)) {
            return;
        }
        match studied {
            Studied::Costs(costs) => self.studies.costs = Some(Arc::new(costs)),
            Studied::Fit(fit) => self.studies.fit = Some(fit.map(Arc::new)),
        }
    }

    /// Returns the text of the recipe of the chosen loop. Errors: it holds a number that TOML cannot represent.
    pub fn recipe_text(&self) -> Option<Result<String, RecipeError>> {
        self.finished().map(|made| made.recipe.to_text())
    }

    /// Makes the loop of a stretch of the take; `is_final` if the drag that chose it has ended.
    fn choose_stretch(&mut self, stretch: Stretch, is_final: bool) {
        if let Some(edit) = self.edit() {
            let edit = edit.of_stretch(stretch);
            self.change(edit, is_final);
            if is_final {
                self.show_in_bar(stretch);
            }
        }
    }

    fn go_through_history(&mut self, step: fn(&mut History<Edit>) -> bool) {
        if self.history.as_mut().is_some_and(step) {
            self.make();
        }
    }

    fn change(&mut self, edit: Edit, is_final: bool) {
        let is_new = self.history.as_mut().is_some_and(|history| history.set(edit, is_final));
        // The end of a drag makes the complete loop, in place of the draft.
        if is_new || is_final && self.is_drafted {
            self.start_making(!is_final);
        }
    }

    fn make(&mut self) {
        self.start_making(false);
    }

    fn start_making(&mut self, is_draft: bool) {
        if let (Some(opened), Some(edit)) = (self.opened.clone(), self.edit().cloned()) {
            if let Some(bytes) = opened.bytes.as_ref().filter(|_| edit.recipe.take != opened.study) {
                // Choices restored by undo or *Swap with A* may read the take in another way.
                let take = self.take_file(&opened.file_name, bytes, edit.to_recipe());
                self.start_reading(Job::Follow {
                    take,
                    edit: Some(Box::new(edit)),
                });
                return;
            }
            if !opened.can_close() {
                self.owes_loop = false;
                return;
            }
            if !is_draft {
                self.compare(self.comparison.clone());
            }
            self.judged.follow(&edit, opened.found.candidates.len());
            self.is_drafted = is_draft;
            self.owes_loop = true;
            self.work.start(Job::OfTake(
                opened,
                OfTake::Make {
                    edit: Box::new(edit),
                    is_draft,
                },
            ));
        }
    }

    /// Writes the chosen loop, which may not be made yet, or be impossible.
    fn export(&mut self, format: Format) {
        let is_chosen = self.finished().is_some();
        match (&self.opened, &self.made) {
            (Some(opened), Some(made)) if is_chosen => {
                self.exporting = Some((opened.file_name.clone(), made.edit.clone()));
                let write = OfTake::Write {
                    edit: Box::new(made.edit.clone()),
                    format,
                    stem: None,
                    made: Some(Arc::clone(made)),
                };
                self.work.start(Job::OfTake(Arc::clone(opened), write));
            }
            _ => self.problem = Some(ExportError::NoLoop.into()),
        }
    }
}
