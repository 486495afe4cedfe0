//! All that the studio knows, without a window: the take, its loops, what is chosen, and the loop made of it.
//!
//! Every change is an [`Action`], so that panels, keys and tests do the same. Work that takes long goes on beside
//! ([`crate::work`]); [`Model::poll`] takes its results in.

mod history;

mod playback;

use std::{collections::VecDeque, sync::Arc};

use loopwright::closure::ClosureName;
use loopwright_formats::Format;
use loopwright_recipe::{Recipe, RecipeError};

pub use history::History;
pub use playback::{Playback, RootView, SPEEDS, Shown};

pub use crate::road::{Edit, ExportError, Exported, Made, MadeError, OpenError, Opened, Stretch, StretchError};
use crate::{
    camera::Camera,
    work::{Done, Job, Wake, Work},
};

/// A change of the model.
#[derive(Clone, Debug)]
pub enum Action {
    /// Open a file.
    Open {
        /// Its name.
        file_name: String,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// Follow a recipe: read the take as it says, and make what it makes.
    OpenRecipe {
        /// Bytes of its file.
        bytes: Vec<u8>,
    },
    /// Report a file that the system does not give.
    CannotOpen {
        /// Its name.
        file_name: String,
        /// What the system says.
        reason: String,
    },
    /// Forget the work that goes on.
    Cancel,
    /// Take a stretch.
    Choose(Stretch),
    /// Change the choices; those of one drag are one step of undo.
    Edit {
        /// The choices.
        edit: Box<Edit>,
        /// Whether the drag is over.
        is_final: bool,
    },
    /// Close by the method of that name.
    CloseBy(ClosureName),
    /// Take the last change back.
    Undo,
    /// Make the change again that was taken back.
    Redo,
    /// Write the loop.
    Export(Format),
    /// Play or pause.
    TogglePlaying,
    /// Play at that speed.
    Speed(f64),
    /// Show that time, seconds.
    Seek(f64),
    /// Pause, and go by that many frames.
    Step(i32),
    /// Start again at the end, or stop there.
    Repeat(bool),
    /// Show something else.
    Show(Shown),
    /// Show the uncut stretch instead of the loop, or the loop again.
    ToggleUncut,
    /// Show the uncut stretch beside the loop.
    Ghost(bool),
    /// Show the uncut stretch and the loop side by side.
    Split(bool),
    /// Show poses just before the seam and just after it at once.
    Onion(bool),
    /// Show the body as capsules, or as the character of its file.
    Capsules(bool),
    /// Keep what is chosen, to compare it with other choices.
    Keep,
    /// Take the choices that were kept, and keep the present ones.
    SwapKept,
    /// Go on with another take that is open, by its number in [`Model::others`].
    TakeUp(usize),
    /// Show root motion otherwise.
    RootView(RootView),
    /// Look from elsewhere.
    Look(Camera),
    /// Draw the curves of that joint.
    Watch(usize),
    /// Show the list of keys, or hide it.
    Help(bool),
    /// Forget what went wrong.
    Dismiss,
}

impl Action {
    /// Opens a file: a recipe where its name ends in `.toml`, else a take.
    pub(crate) fn of_file(file_name: String, bytes: Vec<u8>) -> Self {
        match file_name.to_ascii_lowercase().ends_with(".toml") {
            true => Self::OpenRecipe { bytes },
            false => Self::Open { file_name, bytes },
        }
    }
}

/// What went wrong last.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A take cannot be opened.
    #[error("cannot open this take: {0}")]
    Open(#[from] OpenError),
    /// A loop cannot be made.
    #[error("cannot make this loop: {0}")]
    Make(#[from] MadeError),
    /// A loop cannot be written.
    #[error("cannot write this loop: {0}")]
    Export(#[from] ExportError),
}

/// Most takes that stay open beside the one that is shown: the oldest is closed, so that memory does not grow.
const MAX_OTHERS: usize = 7;

/// Most takes that are open.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) const MAX_OPEN: usize = MAX_OTHERS + 1;

/// The state of the studio.
#[derive(Debug)]
pub struct Model {
    opened: Option<Arc<Opened>>,
    history: Option<History<Edit>>,
    /// Other takes that are open, with what was chosen of them, the oldest first.
    others: Vec<(Arc<Opened>, History<Edit>)>,
    /// Files to be read after the one that is read.
    waiting: VecDeque<Job>,
    /// Choices that were kept to compare with.
    kept: Option<Edit>,
    made: Option<Arc<Made>>,
    /// Whether the loop asked for last is a draft.
    is_drafted: bool,
    /// Counts the loops made, so that what is drawn from one is made anew only when it is another.
    num_made: u64,
    exported: Option<Exported>,
    problem: Option<Problem>,
    work: Work,
    /// The time shown.
    pub(crate) playback: Playback,
    /// What is shown.
    pub(crate) shown: Shown,
    /// Whether the uncut stretch is shown too.
    pub(crate) has_ghost: bool,
    /// Whether the uncut stretch and the loop are shown side by side.
    pub(crate) is_split: bool,
    /// Whether poses around the seam are shown at once.
    pub(crate) has_onion: bool,
    /// Whether the body is capsules even where its file has a character.
    pub(crate) shows_capsules: bool,
    /// How root motion is shown.
    pub(crate) root_view: RootView,
    /// Where one looks from.
    pub(crate) camera: Camera,
    /// The joint whose curves are drawn.
    pub(crate) watched: usize,
    /// Whether the list of keys is shown.
    pub(crate) shows_help: bool,
}

impl Model {
    /// The model with the walk that the studio opens with on its way; `wake` is called from any thread when work is done.
    pub fn new(wake: Wake) -> Self {
        let mut work = Work::new(wake);
        work.start(Job::Walk);
        Self {
            opened: None,
            history: None,
            others: Vec::new(),
            waiting: VecDeque::new(),
            kept: None,
            made: None,
            is_drafted: false,
            num_made: 0,
            exported: None,
            problem: None,
            work,
            playback: Playback::default(),
            shown: Shown::default(),
            has_ghost: false,
            is_split: false,
            has_onion: false,
            shows_capsules: false,
            root_view: RootView::default(),
            camera: Camera::default(),
            watched: 0,
            shows_help: false,
        }
    }

    /// The take.
    pub fn opened(&self) -> Option<&Arc<Opened>> {
        self.opened.as_ref()
    }

    /// What is chosen.
    pub fn edit(&self) -> Option<&Edit> {
        self.history.as_ref().map(History::current)
    }

    /// The loop. While another one is made it is still the former.
    pub fn made(&self) -> Option<&Arc<Made>> {
        self.made.as_ref()
    }

    /// The loop of exactly what is chosen, with all its parts; `None` while it is made, or where it cannot be.
    pub fn finished(&self) -> Option<&Arc<Made>> {
        self.made
            .as_ref()
            .filter(|made| Some(&made.edit) == self.edit() && !made.is_draft)
    }

    /// Number of loops made so far.
    pub fn num_made(&self) -> u64 {
        self.num_made
    }

    /// What went wrong last.
    pub fn problem(&self) -> Option<&Problem> {
        self.problem.as_ref()
    }

    /// What goes on beside.
    pub fn progress(&self) -> Option<&str> {
        self.work.progress()
    }

    /// Whether a take is being opened.
    pub fn is_opening(&self) -> bool {
        self.work.opens()
    }

    /// Whether a change can be taken back.
    pub fn can_undo(&self) -> bool {
        self.history.as_ref().is_some_and(History::can_undo)
    }

    /// Whether a change was taken back.
    pub fn can_redo(&self) -> bool {
        self.history.as_ref().is_some_and(History::can_redo)
    }

    /// The file that was written last, once.
    pub fn take_exported(&mut self) -> Option<Exported> {
        self.exported.take()
    }

    /// What is shown: without a loop it is the take.
    pub fn shown(&self) -> Shown {
        match self.made {
            Some(_) => self.shown,
            None => Shown::Take,
        }
    }

    /// Length of what is shown, seconds.
    pub fn span_secs(&self) -> f64 {
        match (self.shown(), &self.made, &self.opened) {
            (Shown::Loop | Shown::Uncut, Some(made), _) => made.period_secs(),
            (_, _, Some(opened)) => opened.take().duration_secs(),
            _ => 0.0,
        }
    }

    /// Time from one frame of what is shown to the next, seconds.
    pub fn step_secs(&self) -> f64 {
        match (self.shown(), &self.made, &self.opened) {
            (Shown::Loop | Shown::Uncut, Some(made), _) => made.made.loop_clip.step_secs(),
            (_, _, Some(opened)) => opened.take().frame_time_secs(),
            _ => 0.0,
        }
    }

    /// The time shown: seconds since the start of the loop, over any number of cycles, or of the take.
    pub fn playback_secs(&self) -> f64 {
        self.playback.secs
    }

    /// Lets the time shown go on.
    pub fn advance(&mut self, passed_secs: f64) {
        let accumulates = self.root_view == RootView::Accumulate && self.shown() != Shown::Take;
        self.playback.advance(passed_secs, self.span_secs(), accumulates);
    }

    /// Takes in what is done beside. Call it once a frame.
    pub fn poll(&mut self) {
        while let Some(done) = self.work.poll() {
            match done {
                Done::Opened(Ok(opened)) => self.take_in(opened),
                Done::Followed(Ok((opened, edit))) => self.take_in_with(opened, *edit),
                Done::Followed(Err(error)) => self.problem = Some(error.into()),
                Done::Opened(Err(error)) => self.problem = Some(error.into()),
                Done::Made(Ok(made)) => {
                    self.num_made += 1;
                    self.problem = None;
                    self.made = Some(made);
                }
                Done::Made(Err(error)) => self.problem = Some(error.into()),
                Done::Exported(Ok(exported)) => self.exported = Some(exported),
                Done::Exported(Err(error)) => self.problem = Some(error.into()),
            }
            if !self.work.opens()
                && let Some(job) = self.waiting.pop_front()
            {
                self.work.start(job);
            }
        }
    }

    /// Makes a change.
    pub fn apply(&mut self, action: Action) {
        match action {
            Action::Open { file_name, bytes } => {
                self.problem = None;
                let job = Job::Open { file_name, bytes };
                match self.work.reads_a_file() {
                    // Of several files that are dropped, one is read after the other.
                    true => self.waiting.push_back(job),
                    false => self.work.start(job),
                }
            }
            Action::OpenRecipe { bytes } => self.follow(&bytes),
            Action::CannotOpen { file_name, reason } => {
                self.problem = Some(Problem::Open(OpenError::File { file_name, reason }));
            }
            Action::Cancel => {
                self.waiting.clear();
                self.work.cancel();
            }
            Action::Choose(stretch) => {
                if let Some(edit) = self.edit() {
                    let edit = edit.of_stretch(stretch);
                    self.set(edit, true);
                }
            }
            Action::Edit { edit, is_final } => self.set(*edit, is_final),
            Action::CloseBy(name) => {
                if let Some(edit) = self.edit() {
                    let edit = edit.closed_by(name);
                    self.set(edit, true);
                }
            }
            Action::Undo => {
                if self.history.as_mut().is_some_and(History::undo) {
                    self.make();
                }
            }
            Action::Redo => {
                if self.history.as_mut().is_some_and(History::redo) {
                    self.make();
                }
            }
            Action::Export(format) => self.export(format),
            Action::TogglePlaying => {
                let ended = !self.playback.repeats && self.playback.secs >= self.span_secs() * (1.0 - 1e-6);
                if ended {
                    self.playback.secs = 0.0;
                }
                self.playback.is_playing = !self.playback.is_playing;
            }
            Action::Speed(speed) => self.playback.speed = speed.clamp(*SPEEDS.start(), *SPEEDS.end()),
            Action::Seek(secs) => self.playback.secs = secs.clamp(0.0, self.span_secs()),
            Action::Step(frames) => {
                let (step, span) = (self.step_secs(), self.span_secs());
                self.playback.is_playing = false;
                if step > 0.0 {
                    let frame = (self.playback.secs_in(span) / step).round() + f64::from(frames);
                    self.playback.secs = (frame * step).rem_euclid(span);
                }
            }
            Action::Repeat(repeats) => self.playback.repeats = repeats,
            Action::Show(shown) => self.show(shown),
            Action::ToggleUncut => self.show(match self.shown() {
                Shown::Loop => Shown::Uncut,
                Shown::Uncut | Shown::Take => Shown::Loop,
            }),
            Action::Ghost(has_ghost) => self.has_ghost = has_ghost,
            Action::Split(is_split) => self.is_split = is_split,
            Action::Onion(has_onion) => self.has_onion = has_onion,
            Action::Capsules(shows_capsules) => self.shows_capsules = shows_capsules,
            Action::Keep => self.kept = self.edit().cloned(),
            Action::SwapKept => {
                if let (Some(kept), Some(edit)) = (self.kept.take(), self.edit().cloned()) {
                    self.kept = Some(edit);
                    self.set(kept, true);
                }
            }
            Action::TakeUp(index) => self.take_up(index),
            Action::RootView(view) => {
                self.playback.secs = self.playback.secs_in(self.span_secs());
                self.root_view = view;
            }
            Action::Look(camera) => self.camera = camera,
            Action::Watch(joint) => self.watched = joint,
            Action::Help(shows_help) => self.shows_help = shows_help,
            Action::Dismiss => self.problem = None,
        }
    }

    /// Shows something at the same time in the loop, or the take where the loop begins.
    fn show(&mut self, shown: Shown) {
        let before = self.shown();
        self.shown = shown;
        if (before == Shown::Take) != (self.shown() == Shown::Take) {
            self.playback.secs = match (self.shown(), &self.made) {
                (Shown::Take, Some(made)) => made.candidate.cut.start_frame() * self.step_secs(),
                _ => 0.0,
            };
        }
    }

    /// Follows a recipe: at once, or after the take was read as it says.
    fn follow(&mut self, bytes: &[u8]) {
        let Some(opened) = self.opened.clone() else {
            return;
        };
        let recipe = match Recipe::read(bytes) {
            Ok(recipe) => recipe,
            Err(error) => {
                self.problem = Some(OpenError::Recipe(error).into());
                return;
            }
        };
        match &opened.bytes {
            Some(bytes) if recipe.take != opened.study => self.work.start(Job::Follow {
                file_name: opened.file_name.clone(),
                bytes: Arc::clone(bytes),
                recipe: Box::new(recipe),
            }),
            _ => match Edit::of_recipe(&recipe, &opened) {
                Ok(edit) => {
                    self.problem = None;
                    self.set(edit, true);
                }
                Err(error) => self.problem = Some(OpenError::Recipe(error).into()),
            },
        }
    }

    /// The text of the recipe of the loop that is chosen. Errors: a number that TOML cannot hold.
    pub fn recipe_text(&self) -> Option<Result<String, RecipeError>> {
        self.finished().map(|made| made.recipe.to_text())
    }

    fn take_in(&mut self, opened: Arc<Opened>) {
        let edit = Edit::first(&opened);
        self.take_in_with(opened, edit);
    }

    /// Names of the files of other takes that are open.
    pub fn others(&self) -> impl Iterator<Item = &str> {
        self.others.iter().map(|(opened, _)| opened.file_name.as_str())
    }

    /// Whether choices were kept to compare with.
    pub fn has_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Goes on with another take, where it was left.
    fn take_up(&mut self, index: usize) {
        if index >= self.others.len() || self.work.opens() {
            return;
        }
        let (opened, history) = self.others.remove(index);
        self.put_aside();
        self.show_take(opened, history);
    }

    /// Keeps the take that is shown among the others.
    fn put_aside(&mut self) {
        if let (Some(opened), Some(history)) = (self.opened.take(), self.history.take()) {
            self.others.push((opened, history));
            if self.others.len() > MAX_OTHERS {
                self.others.remove(0);
            }
        }
    }

    fn take_in_with(&mut self, opened: Arc<Opened>, edit: Edit) {
        let is_of = |other: &Arc<Opened>| other.file_name == opened.file_name || other.bytes.is_none();
        self.others.retain(|(other, _)| !is_of(other));
        if !self.opened.as_ref().is_some_and(is_of) {
            self.put_aside();
        }
        self.show_take(opened, History::new(edit));
    }

    fn show_take(&mut self, opened: Arc<Opened>, history: History<Edit>) {
        self.kept = None;
        self.made = None;
        self.problem = None;
        self.shown = Shown::Loop;
        self.playback.secs = 0.0;
        self.camera = self.camera.facing(&opened.analysis);
        self.watched = (opened.analysis.body.feet.first()).map_or(opened.analysis.body.hips, |foot| foot.ankle);
        self.history = Some(history);
        self.opened = Some(opened);
        self.make();
    }

    fn set(&mut self, edit: Edit, is_final: bool) {
        let is_new = self.history.as_mut().is_some_and(|history| history.set(edit, is_final));
        // What a drag leaves is made with all that a draft leaves out.
        if is_new || is_final && self.is_drafted {
            self.start_making(!is_final);
        }
    }

    fn make(&mut self) {
        self.start_making(false);
    }

    fn start_making(&mut self, is_draft: bool) {
        if let (Some(opened), Some(edit)) = (self.opened.clone(), self.edit().cloned()) {
            self.is_drafted = is_draft;
            self.work.start(Job::Make {
                opened,
                edit: Box::new(edit),
                is_draft,
            });
        }
    }

    /// Writes the loop that is chosen, which may not be made yet, or not be possible.
    fn export(&mut self, format: Format) {
        let is_chosen = self.finished().is_some();
        match (&self.opened, &self.made) {
            (Some(opened), Some(made)) if is_chosen => self.work.start(Job::Export {
                opened: Arc::clone(opened),
                made: Arc::clone(made),
                format,
            }),
            _ => self.problem = Some(ExportError::NoLoop.into()),
        }
    }
}
