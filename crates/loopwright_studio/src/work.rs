//! Long work, beside the window: on a thread of its own, or in the browser after a frame that says so.
//!
//! One piece of work goes on at a time. The newest wish waits for it and replaces any older one that waits; a take that is opened
//! does not wait, and what went on before is dropped when it comes back.

use std::sync::Arc;

use loopwright_formats::Format;
use loopwright_recipe::Recipe;

use crate::road::{Edit, ExportError, Exported, Made, MadeError, NamedFile, OpenError, Opened, Studied, Study};

/// A piece of work.
#[derive(Clone, Debug)]
pub enum Job {
    /// Make the walk that the studio opens with, and find its loops.
    Walk,
    /// Read a file and find its loops.
    Open {
        /// Name of the file.
        file_name: String,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// Read a file again, as a recipe says.
    Follow {
        /// Name of the file.
        file_name: String,
        /// Its bytes.
        bytes: Arc<Vec<u8>>,
        /// The recipe.
        recipe: Box<Recipe>,
        /// The choices, where they are known already; otherwise those of the recipe.
        edit: Option<Box<Edit>>,
        /// The character that the recipe names, where it is open.
        character: Option<NamedFile>,
    },
    /// Work something out of a take.
    Study {
        /// The take.
        opened: Arc<Opened>,
        /// What.
        study: Study,
    },
    /// Make a loop.
    Make {
        /// The take.
        opened: Arc<Opened>,
        /// The choices.
        edit: Box<Edit>,
        /// Whether a slider is still dragged, and a draft will do.
        is_draft: bool,
    },
    /// Write a loop.
    Export {
        /// The take.
        opened: Arc<Opened>,
        /// The loop.
        made: Arc<Made>,
        /// The format.
        format: Format,
    },
}

/// What came of it.
#[derive(Debug)]
pub enum Done {
    /// A take was opened as a recipe says, and what the recipe makes of it.
    Followed(Result<(Arc<Opened>, Box<Edit>), OpenError>),
    /// Something was worked out of a take.
    Studied(Arc<Opened>, Studied),
    /// A take was opened.
    Opened(Result<Arc<Opened>, OpenError>),
    /// A loop was made.
    Made(Result<Arc<Made>, MadeError>),
    /// A loop was written.
    Exported(Result<Exported, ExportError>),
}

impl Job {
    /// Does the work.
    pub fn run(self) -> Done {
        match self {
            Self::Walk => Done::Opened(Opened::walk().map(Arc::new)),
            Self::Open { file_name, bytes } => Done::Opened(Opened::read(&file_name, bytes).map(Arc::new)),
            Self::Follow {
                file_name,
                bytes,
                recipe,
                edit,
                character,
            } => Done::Followed(followed(&file_name, bytes, &recipe, edit, character.as_ref())),
            Self::Study { opened, study } => {
                let studied = study.of(&opened);
                Done::Studied(opened, studied)
            }
            Self::Make { opened, edit, is_draft } => {
                let made = match is_draft {
                    true => Made::draft(&opened, &edit),
                    false => Made::of(&opened, &edit),
                };
                Done::Made(made.map(Arc::new))
            }
            Self::Export { opened, made, format } => Done::Exported(Exported::of(&opened, &made, format)),
        }
    }

    /// What is said while it goes on.
    pub fn progress(&self) -> String {
        match self {
            Self::Walk => "Making a walk".to_owned(),
            Self::Open { file_name, .. } => format!("Reading {file_name} and finding its loops"),
            Self::Follow { file_name, .. } => format!("Reading {file_name} as the recipe says"),
            Self::Study { study, .. } => match study {
                Study::Costs => "Comparing all frames".to_owned(),
                Study::Jumps => "Looking for jumps".to_owned(),
                Study::Fit => "Fitting a controller".to_owned(),
            },
            Self::Make { .. } => "Closing the loop".to_owned(),
            Self::Export { .. } => "Writing the loop".to_owned(),
        }
    }

    fn reads(&self) -> bool {
        matches!(self, Self::Open { .. })
    }

    fn opens(&self) -> bool {
        matches!(self, Self::Walk | Self::Open { .. } | Self::Follow { .. })
    }
}

fn followed(
    file_name: &str,
    bytes: Arc<Vec<u8>>,
    recipe: &Recipe,
    edit: Option<Box<Edit>>,
    character: Option<&NamedFile>,
) -> Result<(Arc<Opened>, Box<Edit>), OpenError> {
    let opened = Opened::read_as(file_name, bytes, &recipe.take, character)?;
    let edit = match edit {
        Some(edit) => edit,
        None => Box::new(Edit::of_recipe(recipe, &opened).map_err(OpenError::Recipe)?),
    };
    Ok((Arc::new(opened), edit))
}

/// The work that goes on, and the one that waits.
#[derive(Debug, Default)]
pub struct Work {
    running: Option<Running>,
    waiting: Option<Job>,
    wake: Wake,
}

/// Asks for a frame when work is done.
#[derive(Clone, Default)]
pub struct Wake(Option<Arc<dyn Fn() + Send + Sync>>);

impl Wake {
    /// Calls this when work is done.
    pub fn by(call: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(call)))
    }

    fn call(&self) {
        if let Some(call) = &self.0 {
            call();
        }
    }
}

impl std::fmt::Debug for Wake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Wake")
    }
}

impl Work {
    /// No work yet; `wake` is called from any thread.
    pub fn new(wake: Wake) -> Self {
        Self {
            wake,
            ..Self::default()
        }
    }

    /// Does this next. A take that is opened replaces all other work.
    pub fn start(&mut self, job: Job) {
        if job.opens() {
            self.running = None;
            self.waiting = None;
        }
        match &self.running {
            Some(_) => self.waiting = Some(job),
            None => self.running = Some(Running::start(job, &self.wake)),
        }
    }

    /// Forgets the work that goes on.
    pub fn cancel(&mut self) {
        self.running = None;
        self.waiting = None;
    }

    /// What is going on.
    pub fn progress(&self) -> Option<&str> {
        self.running.as_ref().map(|running| running.progress.as_str())
    }

    /// Whether a take is being opened.
    pub fn opens(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.opens)
    }

    /// Whether a file is being read.
    pub fn reads_a_file(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.reads)
    }

    /// What is done since the last call. Call it once a frame.
    pub fn poll(&mut self) -> Option<Done> {
        let done = self.running.as_mut()?.poll()?;
        self.running = self.waiting.take().map(|job| Running::start(job, &self.wake));
        match done {
            Outcome::Done(done) => Some(*done),
            Outcome::Lost => None,
        }
    }
}

/// How a piece of work ended.
enum Outcome {
    Done(Box<Done>),
    /// Its thread ended without an answer.
    Lost,
}

/// A piece of work that goes on.
#[derive(Debug)]
struct Running {
    progress: String,
    opens: bool,
    reads: bool,
    #[cfg(not(target_arch = "wasm32"))]
    answer: std::sync::mpsc::Receiver<Done>,
    #[cfg(target_arch = "wasm32")]
    job: Option<Job>,
    /// Frames that are drawn first, so that the page says what goes on.
    #[cfg(target_arch = "wasm32")]
    frames_before: u32,
}

#[cfg(not(target_arch = "wasm32"))]
impl Running {
    fn start(job: Job, wake: &Wake) -> Self {
        let (progress, opens, reads, wake) = (job.progress(), job.opens(), job.reads(), wake.clone());
        let (sender, answer) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            // Nobody listens any more where the work was cancelled.
            let _ = sender.send(job.run());
            wake.call();
        });
        Self {
            progress,
            opens,
            reads,
            answer,
        }
    }

    fn poll(&mut self) -> Option<Outcome> {
        use std::sync::mpsc::TryRecvError;
        match self.answer.try_recv() {
            Ok(done) => Some(Outcome::Done(Box::new(done))),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Outcome::Lost),
        }
    }
}

#[cfg(target_arch = "wasm32")]
impl Running {
    /// Frames before work that takes long enough to be seen.
    const FRAMES_BEFORE_LONG: u32 = 2;

    fn start(job: Job, wake: &Wake) -> Self {
        wake.call();
        Self {
            progress: job.progress(),
            opens: job.opens(),
            reads: job.reads(),
            frames_before: match job {
                Job::Open { .. } | Job::Follow { .. } => Self::FRAMES_BEFORE_LONG,
                _ => 0,
            },
            job: Some(job),
        }
    }

    fn poll(&mut self) -> Option<Outcome> {
        if self.frames_before > 0 {
            self.frames_before -= 1;
            return None;
        }
        Some(
            self.job
                .take()
                .map_or(Outcome::Lost, |job| Outcome::Done(Box::new(job.run()))),
        )
    }
}
