//! Work in a worker of the page, or in the page itself if the browser starts no worker.

use std::{cell::RefCell, collections::VecDeque, rc::Rc, sync::Arc};

use js_sys::{Array, Float64Array, Reflect, Uint8Array};
use loopwright_core::handover::NUM_LONG_ARRAYS;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::{
    Done, Job, Kind, OfTake, Progress, Step, Wake,
    parcel::{Answer, Arrays, Ask, Files, ParcelError, packed, unpacked},
};
use crate::road::Opened;

/// Script of the worker, beside the page.
const SCRIPT: &str = "./worker.js";

/// Longest time for copying files and arrays in one frame, milliseconds: the rest is for drawing.
const COPYING_MS: f64 = 8.0;

/// Numbers, and bytes of files, to copy at once.
const CHUNK: usize = 1 << 16;
const PIECE: usize = 1 << 20;

/// Frames to draw before work in the page itself that takes visibly long.
const FRAMES_BEFORE_LONG: u32 = 2;

/// The worker, if there can be one.
#[derive(Default)]
pub struct Crew {
    wake: Wake,
    beside: Option<Beside>,
    /// The reason why the browser starts no worker.
    refusal: Option<String>,
    /// Number of jobs sent to workers so far.
    num_asked: u32,
    /// The take that the worker holds.
    knows: Option<Arc<Opened>>,
}

/// A worker, and its messages.
struct Beside {
    worker: Worker,
    said: Rc<RefCell<VecDeque<Said>>>,
    is_ready: bool,
    /// Called by the browser as long as they live.
    _callbacks: (Closure<dyn FnMut(MessageEvent)>, Closure<dyn FnMut(ErrorEvent)>),
}

/// A message of a worker.
enum Said {
    Ready,
    Step(u32, Step),
    Done(u32, Array),
    Failed(u32, String),
    /// Its script or its module cannot be loaded, or it ended.
    Broken(String),
}

/// A running job.
pub struct Running {
    pub progress: Progress,
    pub kind: Kind,
    job: Job,
    how: How,
}

enum How {
    /// In the page, after some frames.
    Here { frames_before: u32 },
    /// For the worker, which gets the files first.
    Sending(Sending),
    /// In the worker, under this number.
    Beside { number: u32 },
    /// Done; its arrays are being copied.
    Copied(Copying),
    /// Failed, for this reason.
    Failed(String),
}

impl Running {
    /// Whether the worker has it, or gets it.
    fn is_beside(&self) -> bool {
        matches!(self.how, How::Beside { .. } | How::Sending(_))
    }

    /// Whether it is a draft, which the page makes itself.
    pub fn is_at_once(&self) -> bool {
        self.job.is_draft() && matches!(self.how, How::Here { frames_before: 0 })
    }
}

impl Crew {
    pub fn new(wake: Wake) -> Self {
        let mut crew = Self {
            wake,
            ..Self::default()
        };
        crew.hire();
        crew
    }

    /// Starts a worker, unless there is one or the browser refused.
    fn hire(&mut self) {
        if self.beside.is_none() && self.refusal.is_none() {
            match Beside::start(&self.wake) {
                Ok(beside) => self.beside = Some(beside),
                Err(error) => {
                    let words = error
                        .dyn_ref::<js_sys::Error>()
                        .map(|error| String::from(error.message()));
                    self.refusal = Some(words.unwrap_or_else(|| format!("{error:?}")));
                }
            }
        }
    }

    /// Starts a job.
    pub fn start(&mut self, job: Job) -> Running {
        self.wake.call();
        let how = if job.is_draft() {
            How::Here { frames_before: 0 }
        } else {
            self.ask(&job).unwrap_or_else(|| self.here(&job))
        };
        self.running(job, how)
    }

    fn running(&self, job: Job, how: How) -> Running {
        let words = match (&self.refusal, &how) {
            (Some(_), How::Here { .. }) if job.is_long() => {
                format!(
                    "{}. No worker starts, so the page freezes until it is done ({}); reloading the page may help",
                    job.progress(),
                    self.refusal.as_deref().unwrap_or_default()
                )
            }
            _ => job.progress(),
        };
        Running {
            progress: Progress {
                words,
                ..Progress::default()
            },
            kind: job.kind(),
            job,
            how,
        }
    }

    /// Runs the job in the page itself.
    fn here(&self, job: &Job) -> How {
        How::Here {
            frames_before: if job.is_long() { FRAMES_BEFORE_LONG } else { 0 },
        }
    }

    /// Sends the job to the worker; `None` if that is impossible.
    fn ask(&mut self, job: &Job) -> Option<How> {
        self.hire();
        let beside = self.beside.as_ref()?;
        // A job that cannot be packed runs here, which reports what is wrong with it.
        let (ask, files) = Ask::new(job, self.knows.as_ref());
        self.num_asked += 1;
        // The worker opens another take, which is recorded once it has answered; these jobs leave it, whatever files they need.
        let leaves_the_take = matches!(job, Job::List { .. } | Job::ReadFile { .. } | Job::MakeSet(_));
        if !(files.is_empty() || leaves_the_take) || job.kind() == Kind::Opens {
            self.knows = None;
        }
        Sending {
            number: self.num_asked,
            ask: packed(&ask).ok()?,
            files,
            file: 0,
            sent: 0,
        }
        .go_on(&beside.worker)
        .ok()
    }

    /// Whether a running job may be dropped in favour of another one: a worker's job may be if nobody waits for it, or if it makes a loop
    /// of which the page now makes a draft.
    pub fn can_drop(&self, running: &Running, job: &Job) -> bool {
        let is_made_anew = job.is_draft() && matches!(running.job, Job::OfTake(_, OfTake::Make { .. }));
        matches!(running.how, How::Beside { .. }) && (running.kind == Kind::Quiet || is_made_anew)
    }

    /// Cancels a job: its worker is ended, and the next job starts another.
    pub fn give_up(&mut self, running: Running) {
        if running.is_beside() {
            self.dismiss();
            self.hire();
        }
    }

    fn dismiss(&mut self) {
        self.knows = None;
        if let Some(beside) = self.beside.take() {
            beside.worker.terminate();
        }
    }

    /// Returns the result once it is there. Call it once a frame.
    pub fn poll(&mut self, running: &mut Running) -> Option<Done> {
        self.listen(running);
        match &mut running.how {
            How::Here { frames_before: 0 } => Some(running.job.clone().run(&|_| {})),
            How::Here { frames_before } => {
                *frames_before -= 1;
                self.wake.call();
                None
            }
            How::Beside { .. } => None,
            How::Sending(sending) => {
                self.wake.call();
                let sent = self
                    .beside
                    .as_ref()
                    .map(|beside| std::mem::take(sending).go_on(&beside.worker));
                match sent {
                    Some(Ok(how)) => {
                        running.how = how;
                        None
                    }
                    _ => Some(running.job.lost()("the file cannot be handed over".to_owned())),
                }
            }
            How::Failed(reason) => Some(running.job.lost()(std::mem::take(reason))),
            How::Copied(copying) => {
                self.wake.call();
                let done = copying
                    .go_on(&running.job)?
                    .unwrap_or_else(|error| (running.job.lost())(error.to_string()));
                let knows = match (&done, &running.job) {
                    (Done::Opened(Ok(opened)) | Done::Followed(Ok((opened, _))), _) => Some(opened),
                    (
                        Done::Made(Ok(_)) | Done::Compared(Ok(_)) | Done::Judged(Some(_)) | Done::Studied(..),
                        Job::OfTake(opened, _),
                    ) => Some(opened),
                    _ => None,
                };
                if let Some(opened) = knows {
                    self.knows = Some(Arc::clone(opened));
                }
                Some(done)
            }
        }
    }

    /// Handles the messages of the worker.
    fn listen(&mut self, running: &mut Running) {
        let Some(beside) = &mut self.beside else { return };
        let all: Vec<Said> = beside.said.borrow_mut().drain(..).collect();
        let mut broken = None;
        for said in all {
            let is_asked = |number| matches!(running.how, How::Beside { number: asked } if asked == number);
            match said {
                Said::Ready => beside.is_ready = true,
                Said::Step(number, step) if is_asked(number) => running.progress.take_in(step),
                Said::Done(number, pieces) if is_asked(number) => running.how = How::Copied(Copying::new(pieces)),
                Said::Failed(number, reason) if is_asked(number) => broken = Some((true, reason)),
                Said::Broken(reason) => broken = Some((beside.is_ready, reason)),
                // This job was cancelled.
                Said::Step(..) | Said::Done(..) => {}
                Said::Failed(..) => broken = Some((true, String::new())),
            }
        }
        match broken {
            // The worker had started, so this job fails; a new worker replaces it, since its state may be broken.
            Some((true, reason)) => {
                let waits = running.is_beside();
                self.dismiss();
                self.hire();
                if waits {
                    running.how = How::Failed(format!("the work failed: {reason}"));
                }
            }
            Some((false, reason)) => {
                self.dismiss();
                self.refusal = Some(reason);
                if running.is_beside() {
                    let job = running.job.clone();
                    let how = self.here(&job);
                    *running = self.running(job, how);
                }
            }
            None => {}
        }
    }
}

impl Beside {
    /// Starts a worker. Errors: the browser has no workers of this kind.
    fn start(wake: &Wake) -> Result<Self, JsValue> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(SCRIPT, &options)?;
        let said = Rc::<RefCell<VecDeque<Said>>>::default();
        let heard = Rc::clone(&said);
        let woken = wake.clone();
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(message) = Said::new(event.data()) {
                heard.borrow_mut().push_back(message);
                woken.call();
            }
        });
        let heard = Rc::clone(&said);
        let woken = wake.clone();
        let on_error = Closure::<dyn FnMut(ErrorEvent)>::new(move |event: ErrorEvent| {
            // A script that cannot be loaded gives an event without a message.
            let message = Reflect::get(&event, &"message".into()).ok();
            heard.borrow_mut().push_back(Said::Broken(
                message
                    .and_then(|message| message.as_string())
                    .unwrap_or_else(|| format!("{SCRIPT} cannot be loaded")),
            ));
            woken.call();
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        worker.post_message(&wasm_bindgen::module())?;
        Ok(Self {
            worker,
            said,
            is_ready: false,
            _callbacks: (on_message, on_error),
        })
    }
}

impl Said {
    /// Parses a message of `worker.js`.
    fn new(message: JsValue) -> Option<Self> {
        let message: Array = message.dyn_into().ok()?;
        let number = message.get(1).as_f64().unwrap_or_default() as u32;
        Some(match message.get(0).as_string()?.as_str() {
            "ready" => Self::Ready,
            "step" => Self::Step(number, unpacked(&Uint8Array::new(&message.get(2)).to_vec()).ok()?),
            "done" => Self::Done(number, message.slice(2, message.length())),
            "failed" => Self::Failed(number, message.get(2).as_string()?),
            _ => return None,
        })
    }
}

/// A request, and files that are sent before it, a little in each frame.
#[derive(Default)]
struct Sending {
    number: u32,
    ask: Vec<u8>,
    files: Files,
    /// The index of the file being sent, and how much of it was sent.
    file: usize,
    sent: usize,
}

impl Sending {
    /// Sends for a while. Errors: the worker accepts nothing.
    fn go_on(mut self, worker: &Worker) -> Result<How, JsValue> {
        let end = js_sys::Date::now() + COPYING_MS;
        while let Some(file) = self.files.get(self.file) {
            let piece = &file[self.sent..file.len().min(self.sent + PIECE)];
            self.sent += piece.len();
            let index = JsValue::from(self.file as u32);
            let len = JsValue::from(file.len() as u32);
            if self.sent == file.len() {
                (self.file, self.sent) = (self.file + 1, 0);
            }
            let piece = Uint8Array::from(piece);
            worker.post_message_with_transfer(
                &Array::of4(&JsValue::from("file"), &index, &len, &piece),
                &Array::of1(&piece.buffer()),
            )?;
            if js_sys::Date::now() >= end {
                return Ok(How::Sending(self));
            }
        }
        let ask = Uint8Array::from(self.ask.as_slice());
        worker.post_message_with_transfer(
            &Array::of3(&JsValue::from("ask"), &JsValue::from(self.number), &ask),
            &Array::of1(&ask.buffer()),
        )?;
        Ok(How::Beside { number: self.number })
    }
}

/// An answer whose arrays are copied, a little in each frame.
struct Copying {
    answer: Vec<u8>,
    arrays: Vec<Float64Array>,
    copied: Vec<Vec<f64>>,
}

impl Copying {
    fn new(pieces: Array) -> Self {
        let arrays = pieces
            .slice(1, pieces.length())
            .iter()
            .map(JsCast::unchecked_into)
            .collect();
        Self {
            answer: Uint8Array::new(&pieces.get(0)).to_vec(),
            arrays,
            copied: Vec::new(),
        }
    }

    /// Copies for a while; returns the result once everything is there.
    fn go_on(&mut self, job: &Job) -> Option<Result<Done, ParcelError>> {
        let end = js_sys::Date::now() + COPYING_MS;
        let mut chunk = Vec::new();
        for (index, array) in self.arrays.iter().enumerate() {
            let len = array.length() as usize;
            if self.copied.len() == index {
                self.copied.push(Vec::with_capacity(len));
            }
            let copied = &mut self.copied[index];
            while copied.len() < len {
                let start = copied.len();
                chunk.resize(CHUNK.min(len - start), 0.0);
                array
                    .subarray(start as u32, (start + chunk.len()) as u32)
                    .copy_to(&mut chunk);
                copied.extend_from_slice(&chunk);
                if js_sys::Date::now() >= end {
                    return None;
                }
            }
        }
        self.arrays.clear();
        let arrays: Option<Arrays> = <[Vec<f64>; NUM_LONG_ARRAYS]>::try_from(std::mem::take(&mut self.copied)).ok();
        Some(unpacked::<Answer>(&self.answer).and_then(|answer| answer.done(job, arrays)))
    }
}
