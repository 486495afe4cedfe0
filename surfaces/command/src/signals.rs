//! What happens when a run is stopped: files that it has not finished are removed, and the status says which signal it was.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

use crate::parallel::locked;

/// Files to remove when the run is stopped. Who holds the lock cannot be stopped.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes a file when the run is stopped.
pub fn remove_when_stopped(path: &Path) {
    wait().push(path.to_owned());
}

/// Whether a later run can continue this one.
static CAN_BE_RESUMED: AtomicBool = AtomicBool::new(false);

/// From now on until its last file, a run that is stopped says that `--resume` continues it.
pub fn can_be_resumed(can_be: bool) {
    CAN_BE_RESUMED.store(can_be, Ordering::Relaxed);
}

/// Whether the keyboard ends what is listened to, and whether it did.
static ENDS_STREAM: AtomicBool = AtomicBool::new(false);
static HAS_ENDED_STREAM: AtomicBool = AtomicBool::new(false);

/// From now on the first SIGINT does not end the run: [`stream_was_ended`] says that it came. The second one does.
pub fn end_stream_when_stopped() {
    ENDS_STREAM.store(true, Ordering::Relaxed);
}

/// Whether the keyboard has ended what is listened to.
pub fn stream_was_ended() -> bool {
    HAS_ENDED_STREAM.load(Ordering::Relaxed)
}

/// What is listened to has ended: from now on the next SIGINT ends the run. Returns whether the keyboard has ended it.
pub fn stream_ends() -> bool {
    ENDS_STREAM.store(false, Ordering::Relaxed);
    stream_was_ended()
}

/// Makes signals wait until the value is dropped.
pub fn wait() -> MutexGuard<'static, Vec<PathBuf>> {
    locked(&UNFINISHED)
}

/// From now on SIGINT, SIGTERM, SIGQUIT and others that end a run clean up first, and its status is 128 and their number. A file that grows
/// beyond its limit fails to be written, as on a full disk.
#[cfg(unix)]
pub fn watch() {
    use signal_hook::{consts, flag, iterator::Signals};

    // A handler that does nothing: the write fails instead.
    let _ = flag::register(consts::SIGXFSZ, std::sync::Arc::default());
    let mut ending = vec![consts::SIGINT, consts::SIGTERM, consts::SIGQUIT];
    // Schedulers of jobs send the others.
    let others = [
        consts::SIGHUP,
        consts::SIGUSR1,
        consts::SIGUSR2,
        consts::SIGALRM,
        consts::SIGXCPU,
    ];
    ending.extend(others.into_iter().filter(|&signal| !is_ignored(signal)));
    // Without it signals end the run at once, and the next run cleans up.
    let Ok(mut signals) = Signals::new(ending) else {
        return;
    };
    // The same where the system gives no thread.
    let _ = std::thread::Builder::new().spawn(move || {
        for signal in signals.forever() {
            if signal == consts::SIGINT && ENDS_STREAM.swap(false, Ordering::Relaxed) {
                HAS_ENDED_STREAM.store(true, Ordering::Relaxed);
                continue;
            }
            // Held to the end, so that nothing is renamed meanwhile.
            let unfinished = wait();
            for path in unfinished.iter() {
                let _ = std::fs::remove_file(path);
            }
            // Only the keyboard sends this one; nobody waits for an answer to the others.
            if signal == consts::SIGINT && CAN_BE_RESUMED.load(Ordering::Relaxed) {
                crate::talk::note("stopped; the same command with --resume continues where it ended");
            }
            std::process::exit(128 + signal);
        }
    });
}

/// Whether whoever started the run has a signal ignored, as `nohup` does; where the system does not say, it is not.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Elsewhere the system ends the run, and the next run cleans up.
#[cfg(not(unix))]
pub fn watch() {}
