//! Work on threads of its own.

use std::sync::mpsc::{Receiver, TryRecvError, channel};

use super::{Done, Job, Kind, Wake};

/// Starts threads for work.
#[derive(Default)]
pub(super) struct Crew {
    wake: Wake,
}

/// A piece of work that goes on.
pub(super) struct Running {
    progress: String,
    pub(super) kind: Kind,
    answer: Receiver<Answer>,
    /// Makes the answer if its thread ends without one.
    lost: fn(String) -> Done,
}

/// A message of the thread.
enum Answer {
    Step(String),
    Done(Box<Done>),
}

impl Running {
    /// Names what goes on.
    pub(super) fn progress(&self) -> &str {
        &self.progress
    }

    /// Threads take their time.
    pub(super) fn is_at_once(&self) -> bool {
        false
    }
}

impl Crew {
    pub(super) fn new(wake: Wake) -> Self {
        Self { wake }
    }

    /// Begins a piece of work.
    pub(super) fn start(&mut self, job: Job) -> Running {
        let (sender, answer) = channel();
        let running = Running {
            progress: job.progress(),
            kind: job.kind(),
            lost: job.lost(),
            answer,
        };
        let wake = self.wake.clone();
        std::thread::spawn(move || {
            let done = job.run(&|step| {
                // Sending fails if the work was given up.
                let _ = sender.send(Answer::Step(step));
                wake.call();
            });
            let _ = sender.send(Answer::Done(Box::new(done)));
            drop(sender);
            wake.call();
        });
        running
    }

    /// Whether work may be forgotten for the sake of another piece: a thread goes on anyway, and two would share the processor. What
    /// nobody waits for is short.
    pub(super) fn can_drop(&self, running: &Running, _job: &Job) -> bool {
        running.kind == Kind::Quiet
    }

    /// Forgets a piece of work: its thread ends by itself, and nobody hears of it.
    pub(super) fn give_up(&mut self, _running: Running) {}

    /// Returns the result once it is there.
    pub(super) fn poll(&mut self, running: &mut Running) -> Option<Done> {
        loop {
            match running.answer.try_recv() {
                Ok(Answer::Step(step)) => running.progress = step,
                Ok(Answer::Done(done)) => return Some(*done),
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => {
                    return Some((running.lost)("it failed without a reason".to_owned()));
                }
            }
        }
    }
}
