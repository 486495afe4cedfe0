//! Work in threads.

use std::sync::mpsc::{Receiver, TryRecvError, channel};

use super::{Done, Job, Kind, Progress, Step, Wake};

/// Starts threads for jobs.
#[derive(Default)]
pub struct Crew(Wake);

/// A running job.
pub struct Running {
    pub progress: Progress,
    pub kind: Kind,
    answer: Receiver<Answer>,
    /// Makes the answer if its thread ends without one.
    lost: fn(String) -> Done,
}

/// A message of the thread.
enum Answer {
    Step(Step),
    Done(Box<Done>),
}

impl Running {
    /// A thread is never done within a call.
    pub fn is_at_once(&self) -> bool {
        false
    }
}

impl Crew {
    pub fn new(wake: Wake) -> Self {
        Self(wake)
    }

    /// Starts a job.
    pub fn start(&mut self, job: Job) -> Running {
        let (sender, answer) = channel();
        let running = Running {
            progress: Progress {
                words: job.progress(),
                ..Progress::default()
            },
            kind: job.kind(),
            lost: job.lost(),
            answer,
        };
        let wake = self.0.clone();
        std::thread::spawn(move || {
            let done = job.run(&|step| {
                // Sending fails if the job was cancelled.
                let _ = sender.send(Answer::Step(step));
                wake.call();
            });
            let _ = sender.send(Answer::Done(Box::new(done)));
            drop(sender);
            wake.call();
        });
        running
    }

    /// Whether a running job may be dropped in favour of another one: a thread runs on anyway, and two would share the processor. Jobs that
    /// nobody waits for are short.
    pub fn can_drop(&self, running: &Running, _job: &Job) -> bool {
        running.kind == Kind::Quiet
    }

    /// Forgets a job: its thread ends by itself, and its result is dropped.
    pub fn give_up(&mut self, _running: Running) {}

    /// Returns the result once it is there.
    pub fn poll(&mut self, running: &mut Running) -> Option<Done> {
        loop {
            match running.answer.try_recv() {
                Ok(Answer::Step(step)) => running.progress.take_in(step),
                Ok(Answer::Done(done)) => return Some(*done),
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => {
                    return Some((running.lost)("it failed without a reason".to_owned()));
                }
            }
        }
    }
}
