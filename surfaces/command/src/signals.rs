//! Handles signals that stop a run: unfinished files are removed, and the exit status tells the signal.

use std::{
    path::PathBuf,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::parallel::locked;

/// Files to remove when the run is stopped. While the lock is held, the run cannot be stopped.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Whether a later run can continue this one.
static CAN_BE_RESUMED: AtomicBool = AtomicBool::new(false);

/// Sets whether a stopped run prints that `--resume` continues it.
pub fn can_be_resumed(can_be: bool) {
    CAN_BE_RESUMED.store(can_be, Ordering::Relaxed);
}

/// Whether SIGINT only ends the stream, and whether one did.
static ENDS_STREAM: AtomicBool = AtomicBool::new(false);
static HAS_ENDED_STREAM: AtomicBool = AtomicBool::new(false);

/// Makes the first SIGINT end only the stream, which [`stream_was_ended`] then reports; the second one ends the run.
pub fn end_stream_when_stopped() {
    ENDS_STREAM.store(true, Ordering::Relaxed);
}

/// Whether a SIGINT ended the stream.
pub fn stream_was_ended() -> bool {
    HAS_ENDED_STREAM.load(Ordering::Relaxed)
}

/// Marks the stream as ended: the next SIGINT ends the run. Returns whether a SIGINT ended the stream.
pub fn stream_ends() -> bool {
    ENDS_STREAM.store(false, Ordering::Relaxed);
    stream_was_ended()
}

/// Holds signals back until the returned list of files to remove is dropped.
pub fn wait() -> MutexGuard<'static, Vec<PathBuf>> {
    locked(&UNFINISHED)
}

/// From now on SIGINT, SIGTERM, SIGQUIT and other signals that end a run first clean up; the exit status is then 128 plus their number.
/// Writing a file beyond the size limit fails, as on a full disk.
#[cfg(unix)]
pub fn watch() {
    use signal_hook::{consts, flag, iterator::Signals};

    // With an empty handler, the write fails instead of ending the run.
    let _ = flag::register(consts::SIGXFSZ, std::sync::Arc::default());
    // Job schedulers send these.
    let others = [
        consts::SIGHUP,
        consts::SIGUSR1,
        consts::SIGUSR2,
        consts::SIGALRM,
        consts::SIGXCPU,
        consts::SIGVTALRM,
        consts::SIGPROF,
    ];
    let others = others.into_iter().filter(|&signal| !is_ignored(signal));
    let ending = others.chain([consts::SIGINT, consts::SIGTERM, consts::SIGQUIT]);
    // Without handlers, signals end the run at once, and the next run cleans up.
    let Ok(mut signals) = Signals::new(ending) else {
        return;
    };
    // Likewise if the system gives no thread.
    let _ = std::thread::Builder::new().spawn(move || {
        for signal in signals.forever() {
            if signal == consts::SIGINT && ENDS_STREAM.swap(false, Ordering::Relaxed) {
                HAS_ENDED_STREAM.store(true, Ordering::Relaxed);
                continue;
            }
            // Held until the process ends, so that nothing is renamed meanwhile.
            let unfinished = wait();
            for path in unfinished.iter() {
                let _ = std::fs::remove_file(path);
            }
            // Only SIGINT comes from the keyboard; after the others nobody reads messages.
            if signal == consts::SIGINT && CAN_BE_RESUMED.load(Ordering::Relaxed) {
                crate::talk::note("stopped; the same command with --resume continues where it ended");
            }
            std::process::exit(128 + signal);
        }
    });
}

/// Whether the parent process made a signal ignored, as `nohup` does; assumed not if the system does not report it.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Other systems end the run, and the next run cleans up.
#[cfg(not(unix))]
pub fn watch() {}
