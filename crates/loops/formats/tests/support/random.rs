/// Multiplicative congruential numbers, the same on every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn step(&mut self) -> u64 {
        const FACTOR: u64 = 6_364_136_223_846_793_005;
        self.0 = self.0.wrapping_mul(FACTOR).wrapping_add(1_442_695_040_888_963_407);
        self.0
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.step() >> 33) as usize % limit
    }

    /// From -1 to 1.
    pub(crate) fn next(&mut self) -> f64 {
        (self.step() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}
