//! The vector instructions of the processor.

use fearless_simd::Level;

/// The vector instructions that compute the bounds; the choice affects only the time.
#[derive(Clone, Copy, Debug)]
pub struct Instructions(pub(super) Level);

impl Instructions {
    /// Returns the widest that this processor supports.
    pub fn detect() -> Self {
        Self(Level::new())
    }

    /// Returns all that this processor supports, widest first.
    pub fn available() -> Vec<Self> {
        let level = Level::new();
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        {
            let narrower = [
                level.as_avx512().map(Level::Avx512),
                level.as_avx2().map(Level::Avx2),
                level.as_sse4_2().map(Level::Sse4_2),
                level.as_sse2().map(Level::Sse2),
            ];
            narrower.into_iter().flatten().map(Self).collect()
        }
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        {
            vec![Self(level)]
        }
    }
}
