//! Work shared among threads; built with the feature `threads` alone.

use std::{
    sync::{Mutex, PoisonError},
    thread,
};

/// As many threads as there are processors, but no more than there is work for.
pub(crate) fn up_to(most: usize) -> usize {
    match most {
        0 | 1 => 1,
        // Asking costs as much as a small piece of work.
        _ => thread::available_parallelism().map_or(1, usize::from).min(most),
    }
}

/// Does all tasks on so many threads, this one among them; whoever is free takes the next one.
///
/// Where the system has no thread to give, the others do its share.
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
