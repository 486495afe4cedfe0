//! Work without Python's lock, which Ctrl-C interrupts.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::{thread, time::Duration};

use pyo3::prelude::*;

use crate::fault::Fault;

/// How long a press of Ctrl-C may wait.
const PATIENCE: Duration = Duration::from_millis(50);

/// The stack of a thread for work, that of the first thread of a program.
const STACK_BYTES: usize = 8 << 20;

/// Does work in a thread of its own, while Python goes on and signals are looked after. Interrupted work ends by itself, and its result is
/// dropped. Errors: those of the work, of the handler of a signal, and [`Fault::internal`] where the work panics.
pub(crate) fn work<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = sync_channel(1);
    let spawned = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        // Nobody waits for it after an interrupt.
        let _ = sender.send(work());
    });
    spawned.map_err(|_| Fault::internal())?;
    loop {
        let received;
        (receiver, received) = py.detach(move || {
            let received = receiver.recv_timeout(PATIENCE);
            (receiver, received)
        });
        match received {
            Ok(result) => return Ok(result?),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(Fault::internal().into()),
        }
    }
}
