//! Work shared out among threads, where the feature `threads` asks for it: here and in the crates of this project, for which
//! it is public.

use std::{
    sync::{Mutex, PoisonError},
    thread,
};

/// Does all tasks on so many threads, this one among them; whoever is free takes the next one.
///
/// Where the system has no thread to give, the others do its share.
pub fn share_out<T>(num_threads: usize, tasks: impl Iterator<Item = T> + Send, work: impl Fn(T) + Sync) {
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
