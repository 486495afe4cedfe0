//! Long work in the background: in a thread, or in a worker of the page.
//!
//! One job runs at a time. The newest job waits for it and replaces an older one that waits; opening a take does not wait, and cancels the
//! running job.

// Messages between the page and its worker; native tests check that values arrive unchanged.
#[cfg(any(target_arch = "wasm32", test))]
mod parcel;

#[cfg(not(target_arch = "wasm32"))]
mod thread;
#[cfg(not(target_arch = "wasm32"))]
use thread::{Crew, Running};

#[cfg(target_arch = "wasm32")]
mod page;
#[cfg(target_arch = "wasm32")]
mod worker;
#[cfg(target_arch = "wasm32")]
use page::{Crew, Running};

use std::sync::Arc;

use loopwright_formats::{Format, loop_file::facts::Grade};
use loopwright_job::recipe::Recipe;
use serde::{Deserialize, Serialize};

use crate::road::{
    Edit, ExportError, Exported, Listed, Made, MadeError, NamedFile, OpenError, Opened, Room, SetError, SetFiles,
    SetLoop, SetOrder, Step, Studied, Study, Tell, list, open, reading,
};

/// A take to be read as a recipe says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TakeFile {
    /// Name of its file.
    pub file_name: String,
    /// The bytes of its file.
    #[serde(with = "loopwright_core::plain_bytes")]
    pub bytes: Arc<Vec<u8>>,
    /// The recipe.
    #[serde(with = "crate::road::recipe_text")]
    pub recipe: Box<Recipe>,
    /// Opened files that the recipe names.
    pub named: Vec<NamedFile>,
}

/// A piece of work.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Job {
    /// Make the example walk that the studio opens with, and find its loops.
    Walk,
    /// Read a file and find its loops.
    Open(NamedFile, Option<Room>),
    /// Read a file again, as a recipe says.
    Follow {
        /// The file and the recipe.
        take: TakeFile,
        /// The choices, if they are known already; otherwise those of the recipe.
        edit: Option<Box<Edit>>,
    },
    /// Describe some of the animations of a file, from an index on.
    List {
        /// The file.
        take: TakeFile,
        /// The index.
        from: usize,
    },
    /// Read a take as a recipe says, make its loop, and write it under a name.
    ReadFile {
        /// The file and the recipe.
        take: TakeFile,
        /// The format of the loop.
        format: Format,
        /// The name, without extension.
        stem: String,
    },
    /// Make a set of takes.
    MakeSet(Box<SetOrder>),

    // A skipped variant is last: serde identifies variants by their number.
    /// Work on an open take, which is handed over in another form.
    #[serde(skip)]
    OfTake(Arc<Opened>, OfTake),
}

/// A piece of work on an open take.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum OfTake {
    /// Run a study of it.
    Study(Study),
    /// Make a loop.
    Make {
        /// The choices.
        edit: Box<Edit>,
        /// Whether a slider is still being dragged, so that a draft suffices.
        is_draft: bool,
    },
    /// Make a loop only for its grade, while there is nothing else to do.
    Judge(Box<Edit>),
    /// Make a loop for a comparison.
    Compare(Box<Edit>),
    /// Write a loop, under a name if one is given.
    Write {
        /// The choices.
        edit: Box<Edit>,
        /// The format of its file.
        format: Format,
        /// The name, without extension.
        stem: Option<String>,
        /// The loop, if it is made already; the worker may still hold its own.
        #[serde(skip)]
        made: Option<Arc<Made>>,
    },
}

/// The result of a piece of work.
#[derive(Debug)]
pub enum Done {
    /// A take was opened as a recipe says, with the choices that the recipe makes.
    Followed(Result<(Arc<Opened>, Box<Edit>), OpenError>),
    /// A study of a take is done.
    Studied(Arc<Opened>, Studied),
    /// A take was opened.
    Opened(Result<Arc<Opened>, OpenError>),
    /// A loop was made.
    Made(Result<Arc<Made>, MadeError>),
    /// A loop was made for a comparison.
    Compared(Result<Arc<Made>, MadeError>),
    /// The grade of a loop, if it can be made.
    Judged(Option<Grade>),
    /// The names of the animations of a file, and descriptions of some.
    Listed(Vec<String>, Vec<Listed>),
    /// A loop was written.
    Exported(Result<Exported, ExportError>),
    /// A set was made.
    SetMade(Result<SetFiles, SetError>),
}

impl Job {
    /// Does the work, and reports each step as it begins.
    pub fn run(self, tell: Tell) -> Done {
        match self {
            Self::Walk => Done::Opened(Opened::walk().map(Arc::new)),
            Self::Open(file, room) => Done::Opened(open(&file, room.as_ref(), tell).map(Arc::new)),
            Self::Follow { take, edit } => Done::Followed(take.followed(edit, tell)),
            Self::OfTake(opened, what) => what.run(opened, &mut None),
            Self::List { take, from } => {
                let (names, listed) = list(&take.file_name, &take.bytes, &take.recipe.take, from);
                Done::Listed(names, listed)
            }
            Self::ReadFile { take, format, stem } => match take.followed(None, &|_| {}) {
                Ok((opened, edit)) => {
                    let stem = Some(stem);
                    OfTake::Write {
                        edit,
                        format,
                        stem,
                        made: None,
                    }
                    .run(opened, &mut None)
                }
                Err(error) => Done::Exported(Err(ExportError::Beside(error.to_string()))),
            },
            Self::MakeSet(order) => Done::SetMade(order.make(tell)),
        }
    }

    /// Returns the progress message of the job.
    pub fn progress(&self) -> String {
        match self {
            Self::Walk => "Making a walk".to_owned(),
            Self::Open(NamedFile { file_name, .. }, _)
            | Self::Follow {
                take: TakeFile { file_name, .. },
                ..
            } => reading(file_name),
            Self::List { take, .. } => format!("Listing {}", take.file_name),
            Self::ReadFile { stem, .. } | Self::OfTake(_, OfTake::Write { stem: Some(stem), .. }) => {
                format!("Writing {stem}")
            }
            Self::MakeSet(_) => "Making a set".to_owned(),
            Self::OfTake(_, what) => match what {
                OfTake::Study(Study::Costs) => "Comparing all frames".to_owned(),
                OfTake::Study(Study::Fit) => "Fitting a controller".to_owned(),
                OfTake::Write { .. } => "Writing the loop".to_owned(),
                _ => "Closing the loop".to_owned(),
            },
        }
    }

    /// Whether it has to be done before the next frame.
    #[cfg(target_arch = "wasm32")]
    fn is_draft(&self) -> bool {
        matches!(self, Self::OfTake(_, OfTake::Make { is_draft: true, .. }))
    }

    /// Whether it takes long enough for a progress message to be worth reading.
    #[cfg(target_arch = "wasm32")]
    fn is_long(&self) -> bool {
        matches!(
            self,
            Self::Open(..) | Self::Follow { .. } | Self::OfTake(_, OfTake::Study(_)) | Self::MakeSet(_)
        )
    }

    /// Returns the answer for a job that ends without one, given the reason.
    fn lost(&self) -> fn(String) -> Done {
        match self {
            Self::Walk | Self::Open(..) => |reason| Done::Opened(Err(OpenError::Beside(reason))),
            Self::Follow { .. } => |reason| Done::Followed(Err(OpenError::Beside(reason))),
            Self::List { .. } => |_| Done::Listed(Vec::new(), Vec::new()),
            Self::ReadFile { .. } | Self::OfTake(_, OfTake::Write { .. }) => {
                |reason| Done::Exported(Err(ExportError::Beside(reason)))
            }
            Self::OfTake(_, OfTake::Compare(_)) => |reason| Done::Compared(Err(MadeError::Beside(reason))),
            Self::OfTake(_, OfTake::Judge(_)) => |_| Done::Judged(None),
            Self::OfTake(..) => |reason| Done::Made(Err(MadeError::Beside(reason))),
            Self::MakeSet(_) => |reason| Done::SetMade(Err(SetError::Beside(reason))),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Walk => Kind::Opens,
            Self::Open(..) | Self::Follow { .. } => Kind::Reads,
            Self::List { .. } | Self::OfTake(_, OfTake::Compare(_) | OfTake::Judge(_)) => Kind::Quiet,
            Self::MakeSet(_) => Kind::MakesSet,
            _ => Kind::Other,
        }
    }
}

/// What other code needs to know about a job.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Opens a take without a file.
    Opens,
    /// Opens a take from its file.
    Reads,
    /// Nobody waits for it: all other jobs go first.
    Quiet,
    MakesSet,
    Other,
}

impl OfTake {
    /// Does the work. The loop that was made `last` is not made again.
    fn run(self, opened: Arc<Opened>, last: &mut Option<Arc<Made>>) -> Done {
        let mut make = |edit: &Edit, is_draft: bool| -> Result<Arc<Made>, MadeError> {
            let made = match last
                .take()
                .filter(|made| made.edit == *edit && made.is_draft == is_draft)
            {
                Some(made) => made,
                None if is_draft => Arc::new(Made::draft(&opened, edit)?),
                None => Arc::new(Made::of(&opened, edit)?),
            };
            Ok(Arc::clone(last.insert(made)))
        };
        match self {
            Self::Study(study) => {
                let studied = study.of(&opened);
                Done::Studied(opened, studied)
            }
            Self::Make { edit, is_draft } => Done::Made(make(&edit, is_draft)),
            Self::Judge(edit) => Done::Judged(Made::of(&opened, &edit).ok().map(|made| made.verdict.grade)),
            Self::Compare(edit) => Done::Compared(make(&edit, false)),
            Self::Write {
                edit,
                format,
                stem,
                made,
            } => {
                let made = made
                    .map_or_else(|| make(&edit, false), Ok)
                    .map_err(|error| ExportError::Beside(error.to_string()));
                let written = made.and_then(|made| Exported::of(&opened, &made, format));
                Done::Exported(match stem {
                    Some(stem) => written.and_then(|written| written.named(&stem)),
                    None => written,
                })
            }
        }
    }
}

impl TakeFile {
    /// Reads the take. Returns it with the given choices, or else those of the recipe.
    fn followed(self, edit: Option<Box<Edit>>, tell: Tell) -> Result<(Arc<Opened>, Box<Edit>), OpenError> {
        let opened = Opened::read_telling(&self.file_name, self.bytes, &self.recipe.take, &self.named, None, tell)?;
        let edit = match edit {
            Some(edit) => edit,
            None => Box::new(Edit::of_recipe(&self.recipe, &opened).map_err(OpenError::Recipe)?),
        };
        Ok((Arc::new(opened), edit))
    }
}

/// The progress of a running job.
#[derive(Default)]
struct Progress {
    /// The last message.
    words: String,
    /// The loops so far of the set that it makes.
    loops: Vec<SetLoop>,
}

impl Progress {
    fn take_in(&mut self, step: Step) {
        match step {
            Step::Begins(words) => self.words = words,
            Step::Loop(found) => self.loops.push(found),
        }
    }
}

/// The running job, and the one that waits.
#[derive(Default)]
pub struct Work {
    crew: Crew,
    running: Option<Running>,
    waiting: Option<Job>,
}

/// Requests a frame when work is done.
#[derive(Clone, Default)]
pub struct Wake(Option<Arc<dyn Fn() + Send + Sync>>);

impl Wake {
    /// Sets the function to call when work is done.
    pub fn by(call: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(call)))
    }

    fn call(&self) {
        if let Some(call) = &self.0 {
            call();
        }
    }
}

impl Work {
    /// Creates an idle instance; `wake` is called from any thread.
    pub fn new(wake: Wake) -> Self {
        Self {
            crew: Crew::new(wake),
            running: None,
            waiting: None,
        }
    }

    /// Schedules a job. Opening a take replaces all other work.
    pub fn start(&mut self, job: Job) {
        if matches!(job.kind(), Kind::Opens | Kind::Reads) {
            self.cancel();
        }
        match &self.running {
            Some(running) if !self.crew.can_drop(running, &job) => self.waiting = Some(job),
            _ => {
                self.waiting = None;
                self.running = Some(self.crew.start(job));
            }
        }
    }

    /// Cancels the running job.
    pub fn cancel(&mut self) {
        self.waiting = None;
        if let Some(running) = self.running.take() {
            self.crew.give_up(running);
        }
    }

    /// Returns the progress message of work that somebody waits for.
    pub fn progress(&self) -> Option<&str> {
        self.running
            .as_ref()
            .filter(|running| running.kind != Kind::Quiet)
            .map(|running| running.progress.words.as_str())
    }

    /// Returns the loops so far of the set that is being made.
    pub fn loops(&self) -> &[SetLoop] {
        self.running
            .as_ref()
            .map_or(&[][..], |running| running.progress.loops.as_slice())
    }

    /// Whether no job is running.
    pub fn is_idle(&self) -> bool {
        self.running.is_none()
    }

    fn is(&self, kind: Kind) -> bool {
        self.running.as_ref().is_some_and(|running| running.kind == kind)
    }

    /// Whether a take is being opened.
    pub fn opens(&self) -> bool {
        self.is(Kind::Opens) || self.reads_a_file()
    }

    /// Whether a set is being made.
    pub fn makes_a_set(&self) -> bool {
        self.is(Kind::MakesSet)
    }

    /// Whether a file is being read.
    pub fn reads_a_file(&self) -> bool {
        self.is(Kind::Reads)
    }

    /// Whether the running job is done within the next call of [`Self::poll`], in no time.
    pub fn is_at_once(&self) -> bool {
        self.running.as_ref().is_some_and(Running::is_at_once)
    }

    /// Returns the next result since the last call. Call it once a frame.
    pub fn poll(&mut self) -> Option<Done> {
        let done = self.crew.poll(self.running.as_mut()?)?;
        self.running = self.waiting.take().map(|job| self.crew.start(job));
        Some(done)
    }
}
