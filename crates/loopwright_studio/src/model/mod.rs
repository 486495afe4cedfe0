//! All that the studio knows, without a window: the take, its loops, what is chosen, and the loop made of it.
//!
//! Every change is an [`Action`], so that panels, keys and tests do the same. Work that takes long goes on beside
//! ([`crate::work`]); [`Model::poll`] takes its results in.

mod history;

mod playback;

mod set;

use std::{collections::VecDeque, sync::Arc};

use loopwright::{TakeFit, closure::ClosureName};
use loopwright_formats::{Format, GltfError, ReadError};
use loopwright_recipe::{Recipe, RecipeError, StretchRecipe, StudyArgs};

pub use history::History;
pub use playback::{Playback, RootView, SPEEDS, Shown};
pub use set::LoopSet;

pub use crate::road::{
    CharacterError, CostMap, Edit, ExportError, Exported, Jump, Made, MadeError, NamedFile, OpenError, Opened, Step,
    Stretch, StretchError, Studied, Study, StudyError, lengths,
};
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
    /// Report that the system has no dialog for files.
    NoDialog,
    /// Forget the work that goes on.
    Cancel,
    /// Take a stretch.
    Choose(Stretch),
    /// Take a stretch while one of its ends is dragged.
    Drag(Stretch),
    /// Read the take otherwise: smoothed, or on another character.
    Read(Box<StudyArgs>),
    /// Take the next file that is opened as a character for the take, or as a take again.
    AwaitCharacter(bool),
    /// Work something out of the take.
    Study(Study),
    /// Put the loop into the set that loops are blended from.
    AddToSet,
    /// Take a loop out of the set, by its number.
    RemoveFromSet(usize),
    /// Mix the loops of the set for a speed, metres per second, and show it.
    Mix(f64),
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
    /// Play the time around the seam alone, or all.
    SeamOnly(bool),
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
    /// Show these frames of the take in its bar, or all.
    ZoomBar(Option<[f64; 2]>),
    /// Show the list of keys, or hide it.
    Help(bool),
    /// Show the first steps, or hide them.
    Guide(bool),
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
    /// The walk that the studio opens with is read in one way.
    #[error("this walk is an example without a file: open a take first")]
    Example,
    /// The system has no dialog for files.
    #[error("this system shows no dialog for files: drop them on the window, or type a path under Open")]
    NoDialog,
    /// A loop cannot be made.
    #[error("cannot make this loop: {0}")]
    Make(#[from] MadeError),
    /// A loop cannot be written.
    #[error("cannot write this loop: {0}")]
    Export(#[from] ExportError),
}

impl Problem {
    /// What to try, where that is known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Open(OpenError::Read(ReadError::Gltf(GltfError::NoBuffer { .. }))) => {
                Some("Bring it along as one .glb: `loopwright convert FILE.gltf FILE.glb`, or export it so.")
            }
            _ => None,
        }
    }
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
    /// Characters that were opened, the newest last.
    characters: Vec<NamedFile>,
    /// Whether the next file is a character.
    awaits_character: bool,
    /// What was worked out of the take.
    studies: Studies,
    /// The loops that are blended.
    set: LoopSet,
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
    /// The frames of the take that its bar shows; none for all.
    pub(crate) bar_frames: Option<[f64; 2]>,
    /// Whether the list of keys is shown.
    pub(crate) shows_help: bool,
    /// Whether the first steps are shown.
    pub(crate) shows_guide: bool,
    /// Whether anybody looked at the loop otherwise than as it opens, or changed it.
    pub(crate) has_looked: bool,
}

/// What was worked out of a take so far.
#[derive(Clone, Debug, Default)]
pub struct Studies {
    /// The cost of every seam.
    pub costs: Option<Arc<CostMap>>,
    /// The cheapest jumps between its loops.
    pub jumps: Option<Result<Vec<Jump>, StudyError>>,
    /// A controller.
    pub fit: Option<Result<Arc<TakeFit>, StudyError>>,
}

/// Most characters that stay open.
const MAX_CHARACTERS: usize = 4;

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
            characters: Vec::new(),
            awaits_character: false,
            studies: Studies::default(),
            set: LoopSet::default(),
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
            bar_frames: None,
            shows_help: false,
            shows_guide: true,
            has_looked: false,
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

    /// Whether the next file that is opened is a character.
    pub fn awaits_character(&self) -> bool {
        self.awaits_character
    }

    /// What was worked out of the take.
    pub fn studies(&self) -> &Studies {
        &self.studies
    }

    /// The loops that are blended.
    pub fn set(&self) -> &LoopSet {
        &self.set
    }

    /// What is shown: without a loop it is the take, and without a blend the loop.
    pub fn shown(&self) -> Shown {
        match (self.shown, &self.made) {
            (_, None) => Shown::Take,
            (Shown::Blend, _) if self.set.mixed().is_none() => Shown::Loop,
            (shown, _) => shown,
        }
    }

    /// Length of what is shown, seconds.
    pub fn span_secs(&self) -> f64 {
        if let (Shown::Blend, Some(mixed)) = (self.shown(), self.set.mixed()) {
            return mixed.period_secs();
        }
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
                Done::Followed(Ok((opened, edit))) => self.take_in_read(opened, *edit),
                Done::Studied(opened, studied) => self.take_in_studied(&opened, studied),
                Done::Followed(Err(error)) => self.problem = Some(error.into()),
                Done::Opened(Err(error)) => self.take_in_failure(error),
                Done::Made(Ok(made)) => {
                    self.num_made += 1;
                    // A take that could not be opened is said until it is read, or another one is opened.
                    self.problem.take_if(|problem| !matches!(problem, Problem::Open(_)));
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
        self.has_looked |= matches!(
            action,
            Action::Choose(_)
                | Action::Drag(_)
                | Action::Edit { .. }
                | Action::CloseBy(_)
                | Action::Show(_)
                | Action::ToggleUncut
                | Action::SeamOnly(_)
                | Action::Split(_)
        );
        match action {
            Action::Open { file_name, bytes } if self.awaits_character => {
                self.put_on(NamedFile {
                    file_name,
                    bytes: Arc::new(bytes),
                });
            }
            Action::Open { file_name, bytes } => {
                self.problem = None;
                let bytes = Arc::new(bytes);
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
            Action::NoDialog => self.problem = Some(Problem::NoDialog),
            Action::Cancel => {
                self.waiting.clear();
                self.work.cancel();
            }
            Action::Choose(stretch) => {
                if let Some(edit) = self.edit() {
                    let edit = edit.of_stretch(stretch);
                    self.change(edit, true);
                    self.show_in_bar(stretch);
                }
            }
            Action::Drag(stretch) => {
                if let Some(edit) = self.edit() {
                    let edit = edit.of_stretch(stretch);
                    self.change(edit, false);
                }
            }
            Action::Read(study) => self.read_as(*study),
            Action::AwaitCharacter(awaits) => self.awaits_character = awaits,
            Action::Study(study) => {
                if let Some(opened) = self.opened.clone().filter(|_| self.work.progress().is_none()) {
                    self.work.start(Job::Study { opened, study });
                }
            }
            Action::AddToSet => {
                if let (Some(opened), Some(made)) = (&self.opened, self.finished()) {
                    let name = format!("{} {:.2} m/s", opened.stem(), LoopSet::speed_of(&made.made.loop_clip));
                    let (clip, made) = (made.made.loop_clip.clone(), Arc::clone(made));
                    self.set.add(name, clip, &made.made.feet);
                    self.mix(self.set.speed());
                }
            }
            Action::RemoveFromSet(index) => {
                self.set.remove(index);
                self.mix(self.set.speed());
            }
            Action::Mix(speed) => {
                self.mix(speed);
                if self.set.mixed().is_some() {
                    self.show(Shown::Blend);
                }
            }
            Action::Edit { edit, is_final } => self.change(*edit, is_final),
            Action::CloseBy(name) => {
                if let Some(edit) = self.edit() {
                    let edit = edit.closed_by(name);
                    self.change(edit, true);
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
            Action::SeamOnly(is_seam_only) => {
                self.playback.is_seam_only = is_seam_only;
                if is_seam_only && self.shown() == Shown::Take {
                    self.show(Shown::Loop);
                }
            }
            Action::Show(shown) => self.show(shown),
            Action::ToggleUncut => self.show(match self.shown() {
                Shown::Loop => Shown::Uncut,
                Shown::Uncut | Shown::Take | Shown::Blend => Shown::Loop,
            }),
            Action::Ghost(has_ghost) => self.has_ghost = has_ghost,
            Action::Split(is_split) => self.is_split = is_split,
            Action::Onion(has_onion) => self.has_onion = has_onion,
            Action::Capsules(shows_capsules) => self.shows_capsules = shows_capsules,
            Action::Keep => self.kept = self.edit().cloned(),
            Action::SwapKept => {
                if let (Some(kept), Some(edit)) = (self.kept.take(), self.edit().cloned()) {
                    self.kept = Some(edit);
                    self.change(kept, true);
                }
            }
            Action::TakeUp(index) => self.take_up(index),
            Action::RootView(view) => {
                self.playback.secs = self.playback.secs_in(self.span_secs());
                self.root_view = view;
            }
            Action::Look(camera) => self.camera = camera,
            Action::Watch(joint) => self.watched = joint,
            Action::ZoomBar(frames) => self.bar_frames = frames,
            Action::Help(shows_help) => self.shows_help = shows_help,
            Action::Guide(shows_guide) => self.shows_guide = shows_guide,
            Action::Dismiss => self.problem = None,
        }
    }

    /// Moves what the bar of the take shows to a stretch that lies outside.
    fn show_in_bar(&mut self, stretch: Stretch) {
        let candidate = self.opened.as_ref().and_then(|opened| opened.candidate(stretch).ok());
        if let (Some([first, last]), Some(candidate)) = (self.bar_frames, candidate) {
            let (start, end) = (candidate.cut.start_frame(), candidate.cut.end_frame());
            if start < first || end > last {
                let half = 0.5 * (last - first).max(end - start);
                let middle = 0.5 * (start + end);
                self.bar_frames = Some([middle - half, middle + half]);
            }
        }
    }

    /// Shows something at the same time in the loop, or the take where the loop begins.
    fn show(&mut self, shown: Shown) {
        let before = self.shown();
        self.shown = shown;
        if shown == Shown::Take {
            self.playback.is_seam_only = false;
        }
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
                character: self.character_of(&recipe.take),
                recipe: Box::new(recipe),
                edit: None,
            }),
            _ => match Edit::of_recipe(&recipe, &opened) {
                Ok(edit) => {
                    self.problem = None;
                    self.change(edit, true);
                }
                Err(error) => self.problem = Some(OpenError::Recipe(error).into()),
            },
        }
    }

    /// Reads the take otherwise, and goes on with the same frames of it.
    fn read_as(&mut self, study: StudyArgs) {
        let (Some(opened), Some(edit)) = (&self.opened, self.edit()) else {
            return;
        };
        let Some(bytes) = opened.bytes.clone() else {
            self.problem = Some(Problem::Example);
            return;
        };
        let mut recipe = edit.to_recipe();
        if study.animation != opened.study.animation {
            // Frames and times of one animation say nothing of another.
            recipe.stretch = StretchRecipe::default();
            recipe.stances.clear();
            recipe.edits.clear();
        } else if let Some(made) = self.finished() {
            recipe.stretch = made.recipe.stretch;
        }
        recipe.take = study;
        self.problem = None;
        self.work.start(Job::Follow {
            file_name: opened.file_name.clone(),
            bytes,
            character: self.character_of(&recipe.take),
            recipe: Box::new(recipe),
            edit: None,
        });
    }

    /// Puts the take on a character.
    fn put_on(&mut self, character: NamedFile) {
        self.awaits_character = false;
        let Some(opened) = &self.opened else {
            return;
        };
        let study = StudyArgs {
            rig: Some(character.file_name.clone().into()),
            map: None,
            ..opened.study.clone()
        };
        self.characters.retain(|known| known.file_name != character.file_name);
        self.characters.push(character);
        if self.characters.len() > MAX_CHARACTERS {
            self.characters.remove(0);
        }
        self.read_as(study);
    }

    /// The character that a recipe names, where it was opened.
    fn character_of(&self, study: &StudyArgs) -> Option<NamedFile> {
        let name = study.rig.as_ref()?.display().to_string();
        let shown = self.opened.iter().filter_map(|opened| opened.character.as_ref());
        (self.characters.iter().rev().chain(shown))
            .find(|known| known.file_name == name)
            .cloned()
    }

    /// Takes in the take that is shown, read otherwise.
    fn take_in_read(&mut self, opened: Arc<Opened>, edit: Edit) {
        let is_shown = (self.opened.as_ref()).is_some_and(|shown| shown.file_name == opened.file_name);
        match self.history.take().filter(|_| is_shown) {
            Some(mut history) => {
                let kept = self.kept.take();
                history.set(edit, true);
                self.show_take(opened, history);
                self.kept = kept;
            }
            None => self.take_in_with(opened, edit),
        }
    }

    fn take_in_studied(&mut self, opened: &Arc<Opened>, studied: Studied) {
        if !self.opened.as_ref().is_some_and(|shown| Arc::ptr_eq(shown, opened)) {
            return;
        }
        match studied {
            Studied::Costs(costs) => self.studies.costs = Some(Arc::new(costs)),
            Studied::Jumps(jumps) => self.studies.jumps = Some(jumps),
            Studied::Fit(fit) => self.studies.fit = Some(fit.map(Arc::new)),
        }
    }

    /// Mixes the loops of the set, for a speed within theirs.
    fn mix(&mut self, speed: f64) {
        self.set.mix(speed);
    }

    /// The text of the recipe of the loop that is chosen. Errors: a number that TOML cannot hold.
    pub fn recipe_text(&self) -> Option<Result<String, RecipeError>> {
        self.finished().map(|made| made.recipe.to_text())
    }

    /// Says why a take cannot be opened; where it is the first, the walk is shown that it was opened in place of.
    fn take_in_failure(&mut self, error: OpenError) {
        let is_walk = matches!(error, OpenError::Synth(_));
        self.problem = Some(error.into());
        if self.opened.is_none() && self.waiting.is_empty() && !is_walk {
            self.work.start(Job::Walk);
        }
    }

    fn take_in(&mut self, opened: Arc<Opened>) {
        let edit = Edit::first(&opened);
        // The walk may be here because another take could not be opened.
        let problem = self.problem.take().filter(|_| opened.bytes.is_none());
        self.take_in_with(opened, edit);
        self.problem = problem;
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
        self.studies = Studies::default();
        self.bar_frames = None;
        self.shown = Shown::Loop;
        self.playback.secs = 0.0;
        self.camera = self.camera.facing(&opened.analysis);
        self.watched = (opened.analysis.body.feet.first()).map_or(opened.analysis.body.hips, |foot| foot.ankle);
        self.history = Some(history);
        self.opened = Some(opened);
        self.make();
    }

    fn change(&mut self, edit: Edit, is_final: bool) {
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
            if let Some(bytes) = opened.bytes.clone().filter(|_| edit.recipe.take != opened.study) {
                // What was taken back, or swapped, reads the take otherwise.
                self.work.start(Job::Follow {
                    file_name: opened.file_name.clone(),
                    bytes,
                    character: self.character_of(&edit.recipe.take),
                    recipe: Box::new(edit.to_recipe()),
                    edit: Some(Box::new(edit)),
                });
                return;
            }
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
