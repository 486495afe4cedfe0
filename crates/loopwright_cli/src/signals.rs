//! What happens when a run is stopped: files that it has not finished are removed, and the status says which signal it was.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Files to remove when the run is stopped. Who holds the lock cannot be stopped.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes a file when the run is stopped.
pub(crate) fn remove_when_stopped(path: &Path) {
    wait().push(path.to_owned());
}

/// Makes signals wait until the value is dropped.
pub(crate) fn wait() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on SIGINT and SIGTERM clean up and end the run with the status 130 or 143.
#[cfg(unix)]
pub(crate) fn watch() {
    use signal_hook::{consts, iterator::Signals};

    // Without it signals end the run at once, and the next run cleans up.
    let Ok(mut signals) = Signals::new([consts::SIGINT, consts::SIGTERM]) else {
        return;
    };
    // The same where the system gives no thread.
    let _ = std::thread::Builder::new().spawn(move || {
        if let Some(signal) = signals.forever().next() {
            // Held to the end, so that nothing is renamed meanwhile.
            let unfinished = wait();
            for path in unfinished.iter() {
                let _ = std::fs::remove_file(path);
            }
            std::process::exit(128 + signal);
        }
    });
}

/// Elsewhere the system ends the run, and the next run cleans up.
#[cfg(not(unix))]
pub(crate) fn watch() {}
