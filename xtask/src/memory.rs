//! Peak memory of a piece of work, in a process of its own.
//!
//! The parent starts this program again; the child prepares the input, has the system forget the peak so far, does the work,
//! and prints by how much the peak rose.

use std::{ffi::OsStr, process::Command};

/// The argument after which this program measures memory as a child.
pub(crate) const CHILD: &str = "memory";

/// Kibibytes under a name in the system's account of this process.
fn account(name: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// In the child: MiB by which the work raises the memory that is held.
pub(crate) fn risen<T>(work: impl FnOnce() -> Result<T, String>) -> Result<f64, String> {
    const UNKNOWN: &str = "this system does not report peak memory";
    // 5 forgets the peak.
    std::fs::write("/proc/self/clear_refs", "5").map_err(|_| UNKNOWN)?;
    let before = account("VmRSS:").ok_or(UNKNOWN)?;
    let made = work()?;
    let peak = account("VmHWM:").ok_or(UNKNOWN)?;
    drop(made);
    Ok((peak - before) / 1024.0)
}

/// In the parent: what a child of these arguments measures, MiB; `None` where the system does not report it.
pub(crate) fn of_child(arguments: &[&OsStr]) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new(program)
        .arg(CHILD)
        .args(arguments)
        // What the input was made with goes back to the system at once, or the work would find it lying there.
        .env("MALLOC_MMAP_THRESHOLD_", "65536")
        .env("MALLOC_TRIM_THRESHOLD_", "0")
        .output()
        .ok()?;
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}
