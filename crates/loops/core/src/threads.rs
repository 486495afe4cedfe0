//! Shares work among threads; built only with the feature `threads`.

use std::{
    sync::{Mutex, PoisonError},
    thread,
};

/// Returns the number of processors, at most the number of tasks.
pub(crate) fn up_to(most: usize) -> usize {
    match most {
        0 | 1 => 1,
        // Querying costs as much as a small piece of work.
        _ => thread::available_parallelism().map_or(1, usize::from).min(most),
    }
}

/// Runs all tasks on the given number of threads, including this one; a free thread takes the next task.
///
/// If the system cannot start another thread, the others do the work.
pub(crate) fn share_out<T>(num_threads: usize, tasks: impl Iterator<Item = T> + Send, work: impl Fn(T) + Sync) {
    let tasks = Mutex::new(tasks);
    let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let worker = || {
        while let Some(task) = next() {
            work(task);
        }
    };
    thread::scope(|scope| {
        for _ in 1..num_threads {
            if thread::Builder::new().spawn_scoped(scope, worker).is_err() {
                break;
            }
        }
        worker();
    });
}
