//! The area under the size of an offset by quadrature of the offset alone, to check the closed forms.

/// Integral of |f| from 0 to `end`, split where the sign of f changes between samples.
pub(crate) fn area(f: impl Fn(f64) -> f64, end: f64) -> f64 {
    // A prime number, so that no sample falls on a crossing.
    const LOOKS: u32 = 617;
    let at = |look: u32| end * f64::from(look) / f64::from(LOOKS);
    let mut edges = vec![0.0];
    for look in 0..LOOKS {
        let (mut low, mut high) = (at(look), at(look + 1));
        if f(low) * f(high) < 0.0 {
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if f(low) * f(middle) <= 0.0 {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            edges.push(high);
        }
    }
    edges.push(end);
    edges.windows(2).map(|edge| gauss(&f, edge[0], edge[1]).abs()).sum()
}

/// Integral of f from `from` to `to` by the five-point Gauss-Legendre rule on even pieces.
fn gauss(f: &impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    const PIECES: u32 = 120;
    const POINTS: [(f64, f64); 5] = [
        (0.0, 0.568_888_888_888_888_9),
        (-0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
        (0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
        (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
        (0.906_179_845_938_664, 0.236_926_885_056_189_1),
    ];
    let half = 0.5 * (to - from) / f64::from(PIECES);
    let piece = |piece: u32| {
        let middle = from + (2.0 * f64::from(piece) + 1.0) * half;
        let points = POINTS.iter().map(|(at, weight)| weight * f(middle + half * at));
        half * points.sum::<f64>()
    };
    (0..PIECES).map(piece).sum()
}
