//! Work without Python's lock, which Ctrl-C interrupts.

use std::{
    process,
    sync::{
        Mutex, PoisonError,
        mpsc::{RecvTimeoutError, Sender, channel, sync_channel},
    },
    thread,
    time::Duration,
};

use pyo3::prelude::*;

use crate::fault::Fault;

/// Longest time that a press of Ctrl-C waits.
const PATIENCE: Duration = Duration::from_millis(50);

/// The stack of a thread for work, that of the first thread of a program.
const STACK_BYTES: usize = 8 << 20;

type Job = Box<dyn FnOnce() + Send>;

/// Threads that wait for work, and the process that has them: a forked one has none. Threads that stay keep their memory, where new ones
/// would leave pieces of it all over.
static IDLE: Mutex<(u32, Vec<Sender<Job>>)> = Mutex::new((0, Vec::new()));

/// A thread that waits, or a new one. Errors: the system gives none.
fn worker() -> Result<Sender<Job>, Fault> {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    if idle.0 != process::id() {
        *idle = (process::id(), Vec::new());
    }
    if let Some(worker) = idle.1.pop() {
        return Ok(worker);
    }
    let (sender, jobs) = channel::<Job>();
    let spawned = thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || jobs.into_iter().for_each(|job| job()));
    spawned.map(|_| sender).map_err(|_| Fault::internal())
}

/// Does work in another thread, while Python goes on and signals are looked after. Interrupted work ends by itself, and its result is
/// dropped. Errors: those of the work, of the handler of a signal, and [`Fault::internal`] where the work panics.
pub fn work<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> PyResult<T> {
    let worker = worker()?;
    let (sender, mut receiver) = sync_channel(1);
    let job = move || {
        // Nobody waits for it after an interrupt.
        let _ = sender.send(work());
    };
    worker.send(Box::new(job)).map_err(|_| Fault::internal())?;
    loop {
        let received;
        (receiver, received) = py.detach(move || {
            let received = receiver.recv_timeout(PATIENCE);
            (receiver, received)
        });
        match received {
            Ok(result) => {
                let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
                idle.1.push(worker);
                return Ok(result?);
            }
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(Fault::internal().into()),
        }
    }
}
