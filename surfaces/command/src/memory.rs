//! Limits on what may be read and held: from `--max-memory`, or most of the machine's memory.

use std::{
    fs,
    str::FromStr,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use loopwright_formats::{ByteCount, SizeLimits};

/// Memory that this run may use, bytes; 0 until it is set.
static SAID_BYTES: AtomicU64 = AtomicU64::new(0);

/// The default for that, bytes.
static OWN_BYTES: OnceLock<u64> = OnceLock::new();

/// Memory that is assumed if the system does not report it, bytes.
const UNKNOWN_MEMORY: u64 = 4 << 30;

/// Share of the machine's memory that one file may use; the rest is for the search and for other programs.
const SHARE: f64 = 0.75;

/// A block just below the largest one by which glibc adjusts its thresholds, bytes.
const LARGE_BLOCK: usize = (32 << 20) - (64 << 10);

/// Lets glibc keep freed memory for later requests: once a large block was freed, smaller ones are no longer returned to the system one by
/// one, and each stage need not fault them in anew. The block itself is never touched, and other allocators are unaffected.
pub(crate) fn keep_what_is_freed() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGE_BLOCK)));
}

/// Sets how much memory this run may use. Files that were read before, such as a `loopwright.toml`, have a limit of their own kind.
pub fn limit(max_memory: Option<MemorySize>) {
    SAID_BYTES.store(max_memory.map_or(0, |MemorySize(bytes)| bytes), Ordering::Relaxed);
}

/// Number of files that are worked on at the same time.
static AT_ONCE: AtomicU64 = AtomicU64::new(1);

/// Sets how many files are worked on at the same time; they share the memory of the run.
pub fn share_among(files: usize) {
    AT_ONCE.store(files.max(1) as u64, Ordering::Relaxed);
}

/// Returns the limits of this run for one file.
pub fn limits() -> SizeLimits {
    let said = SAID_BYTES.load(Ordering::Relaxed);
    let all = if said == 0 {
        *OWN_BYTES.get_or_init(|| (SHARE * machine_bytes().unwrap_or(UNKNOWN_MEMORY) as f64) as u64)
    } else {
        said
    };
    SizeLimits {
        max_memory_bytes: all / AT_ONCE.load(Ordering::Relaxed),
        in_proportion: said == 0,
        ..SizeLimits::default()
    }
}

/// Suggests what to do if memory does not suffice.
pub fn hint(limit: u64) -> String {
    // Files that are worked on at the same time share the limit.
    let more = ByteCount(limit.saturating_mul(AT_ONCE.load(Ordering::Relaxed)));
    format!("--max-memory with more than {more}, if the machine has it")
}

/// Memory of the machine, or of the container if that has less.
fn machine_bytes() -> Option<u64> {
    let all = fs::read_to_string("/proc/meminfo").ok()?;
    let found = all
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:")?.strip_suffix("kB"))?;
    let kibibytes: u64 = found.trim().parse().ok()?;
    let of_container = fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|text| text.trim().parse().ok());
    Some(kibibytes.saturating_mul(1024).min(of_container.unwrap_or(u64::MAX)))
}

/// A size as typed: 500M, 2G, or a number of bytes; units are powers of 1024.
#[value(Copy, Eq)]
pub struct MemorySize(u64);

impl FromStr for MemorySize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fault = || format!("expected a size such as 500M or 2G, found \"{text}\"");
        let lower = text.to_ascii_lowercase();
        let size = lower.trim_end_matches('b').trim_end_matches('i');
        let power = size.chars().last().and_then(|unit| "kmgt".find(unit));
        let number = &size[..size.len() - usize::from(power.is_some())];
        let number: f64 = number.trim().parse().map_err(|_| fault())?;
        let bytes = number * 1024_f64.powi(power.map_or(0, |power| power as i32 + 1));
        if !(1.0..1e18).contains(&bytes) {
            return Err(fault());
        }
        Ok(Self(bytes as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_typed_in_any_usual_way() {
        for (text, bytes) in [
            ("500M", 500 << 20),
            ("2G", 2 << 30),
            ("2GiB", 2 << 30),
            ("1.5g", 3 << 29),
            ("64 KB", 64 << 10),
            ("4096", 4096),
        ] {
            assert_eq!(text.parse(), Ok(MemorySize(bytes)), "{text}");
        }
        for text in ["", "G", "-1G", "nan", "0", "1e30", "two"] {
            assert!(text.parse::<MemorySize>().is_err(), "{text}");
        }
    }
}
