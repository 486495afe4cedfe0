//! Spreads work over all processors; the results do not depend on their number.

use std::{
    num::NonZeroUsize,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Returns the results of `work` for 0 to `count`, in order, or the first error in that order.
pub fn in_order<T: Send, E: Send>(count: usize, work: impl Fn(usize) -> Result<T, E> + Sync) -> Result<Vec<T>, E> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<Result<T, E>>>> = Mutex::new((0..count).map(|_| None).collect());
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(count);
    let worker = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                break;
            }
            let result = work(index);
            if result.is_err() {
                // After an error, no later result is needed.
                next.store(count, Ordering::Relaxed);
            }
            locked(&results)[index] = Some(result);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // If the system gives no thread, this one does all the work.
            if thread::Builder::new().spawn_scoped(scope, worker).is_err() {
                break;
            }
        }
        worker();
    });
    results
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .into_iter()
        .flatten()
        .collect()
}

/// Locks a value; it is whole even if a thread panicked while holding it.
pub fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
