//! Numbers of bytes as people read them.

use core::fmt;

/// A number of bytes in words: 1.5 GiB, 300 MiB, 12 KiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteCount(pub u64);

impl fmt::Display for ByteCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            0..0x400 => write!(f, "{} bytes", self.0),
            0x400..0x10_0000 => write!(f, "{:.0} KiB", bytes / 1024.0),
            0x10_0000..0x4000_0000 => write!(f, "{:.0} MiB", bytes / f64::from(1 << 20)),
            _ => write!(f, "{:.1} GiB", bytes / f64::from(1 << 30)),
        }
    }
}
