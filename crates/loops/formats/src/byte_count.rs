//! Numbers of bytes in readable units, and the error of too many.

use core::fmt;

/// A number of bytes in words: 1.5 GiB, 300 MiB, 12 KiB.
#[value(Copy, Eq)]
pub struct ByteCount(pub u64);

impl fmt::Display for ByteCount {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            0..0x400 => write!(f, "{} bytes", self.0),
            0x400..0x10_0000 => write!(f, "{:.0} KiB", bytes / 1024.0),
            0x10_0000..0x4000_0000 => write!(f, "{:.0} MiB", bytes / f64::from(1 << 20)),
            _ => write!(f, "{:.1} GiB", bytes / f64::from(1 << 30)),
        }
    }
}

/// A limit forbids the memory needed; none was allocated.
#[value(Copy, Eq, thiserror::Error)]
#[error("about {} of memory are needed, the limit is {}", ByteCount(*.needed), ByteCount(*.limit))]
pub struct MemoryError {
    /// Bytes needed, an estimate on the high side.
    pub needed: u64,
    /// [`crate::SizeLimits::max_memory_bytes`], or the amount in proportion to the file.
    pub limit: u64,
}
