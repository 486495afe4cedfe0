//! Peak memory of a piece of work, measured in a separate process.
//!
//! The parent starts this program again. The child prepares the input, resets the system's peak, does the work, and prints
//! the rise of the peak.

use std::{ffi::OsStr, process::Command};

/// The argument that makes this program measure memory as a child.
pub(crate) const CHILD: &str = "memory";

/// An entry in the system's status of this process, kibibytes.
fn account(name: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// In the child: MiB by which the work raises the memory in use.
pub(crate) fn risen<T>(work: impl FnOnce() -> Result<T, String>) -> Result<f64, String> {
    const UNKNOWN: &str = "this system does not report peak memory";
    // 5 resets the peak.
    std::fs::write("/proc/self/clear_refs", "5").map_err(|_| UNKNOWN)?;
    let before = account("VmRSS:").ok_or(UNKNOWN)?;
    let made = work()?;
    let peak = account("VmHWM:").ok_or(UNKNOWN)?;
    drop(made);
    Ok((peak - before) / 1024.0)
}

/// In the parent: the memory that a child with these arguments measures, MiB; `None` if the system does not report it.
pub(crate) fn of_child(arguments: &[&OsStr]) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new(program)
        .arg(CHILD)
        .args(arguments)
        // Memory freed while preparing the input returns to the system at once; otherwise the work would reuse it.
        .env("MALLOC_MMAP_THRESHOLD_", "65536")
        .env("MALLOC_TRIM_THRESHOLD_", "0")
        .output()
        .ok()?;
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}
