//! Peak memory of a piece of work, in a process of its own.
//!
//! The parent starts this program again; the child makes the input, has the system forget the peak so far, does the work,
//! and prints what the peak rose by.

use std::path::Path;

use loopwright::{
    analysis::{Analysis, body::BodyOverrides},
    candidate::{self, SearchSettings},
};
use loopwright_synth::{WalkSettings, synthesize};

use super::{captured_motion, inputs, list};

/// What the child is to do.
#[derive(Clone, Copy)]
pub(super) enum Work {
    /// The tables of the search and the ten best of its list, on captured motion.
    List,
    /// Study and search of a synthetic take, as `find` does them.
    Find,
}

impl Work {
    fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Find => "find",
        }
    }
}

/// Kibibytes under a name in the system's account of this process.
fn account(name: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// MiB by which the work raises the memory that is held.
pub(crate) fn risen<T>(work: impl FnOnce() -> Result<T, String>) -> Result<f64, String> {
    const UNKNOWN: &str = "this system does not tell peak memory";
    // 5 forgets the peak.
    std::fs::write("/proc/self/clear_refs", "5").map_err(|_| UNKNOWN)?;
    let before = account("VmRSS:").ok_or(UNKNOWN)?;
    let made = work()?;
    let peak = account("VmHWM:").ok_or(UNKNOWN)?;
    drop(made);
    Ok((peak - before) / 1024.0)
}

/// The child's part: what it measured, for its parent to read. The last argument is the folder of takes, or the file to read.
pub(crate) fn measure(work: &str, num_frames: &str, folder: &Path) -> Result<String, String> {
    let num_frames: usize = num_frames.parse().map_err(|_| "the number of frames is no number")?;
    let mebibytes = match work {
        "list" => {
            let (features, _) = inputs::captured(folder, num_frames, 120.0)?;
            risen(|| Ok(list(&features, captured_motion::MAX_SECS)))?
        }
        "find" => {
            let settings = WalkSettings {
                seconds: (num_frames - 1) as f64 / 120.0,
                frame_rate_hz: 120.0,
                noise_deg: 0.2,
                speed_variation: 0.02,
                ..WalkSettings::default()
            };
            let take = synthesize(&settings).map_err(|error| error.to_string())?.take;
            risen(|| {
                let analysis = Analysis::of(&take, &BodyOverrides::default()).map_err(|error| error.to_string())?;
                let found = candidate::find(&take, &analysis, &SearchSettings::default());
                Ok((analysis, found))
            })?
        }
        "read" => crate::files::read_in_child(folder)?,
        _ => return Err("memory is measured of list, find or read".to_owned()),
    };
    Ok(mebibytes.to_string())
}

/// MiB that the work takes beside its input; `None` where the system does not tell.
pub(super) fn of(work: Work, num_frames: usize, folder: &Path) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let output = std::process::Command::new(program)
        .args(["memory", work.name(), &num_frames.to_string()])
        // What the input was made with goes back to the system at once, or the work would find it lying there.
        .env("MALLOC_MMAP_THRESHOLD_", "65536")
        .env("MALLOC_TRIM_THRESHOLD_", "0")
        .arg(folder)
        .output()
        .ok()?;
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}
