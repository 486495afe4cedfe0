//! How an edit at one time fades: a bump that goes round the loop.

/// The share of an offset at a distance from its middle, both in the same unit: (1 - x^2)^3 with x = distance / reach, 0 beyond.
///
/// Value, slope and curvature are 0 at the reach, so that what is offset by it stays twice continuously differentiable.
pub fn bump(distance: f64, reach: f64) -> f64 {
    let x = distance / reach;
    let below = 1.0 - x * x;
    if below > 0.0 { below * below * below } else { 0.0 }
}

/// The distance from one time to another the short way round a period: from minus half of it to half of it.
pub(super) fn around(from: f64, to: f64, period: f64) -> f64 {
    let ahead = (to - from).rem_euclid(period);
    if ahead > 0.5 * period { ahead - period } else { ahead }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bump_meets_zero_with_slope_and_curvature() {
        assert_eq!(bump(0.0, 0.3), 1.0);
        // (1 - 1/4)^3.
        assert_eq!(bump(0.15, 0.3), 27.0 / 64.0);
        assert_eq!([bump(0.3, 0.3), bump(-0.3, 0.3), bump(7.0, 0.3)], [0.0; 3]);
        // Near its end it is (2 h)^3 for a distance of 1 - h: all three derivatives below the third vanish.
        for h in [1e-2, 1e-3, 1e-4] {
            assert!((bump(1.0 - h, 1.0) - 8.0 * h * h * h).abs() < 13.0 * h * h * h * h);
        }
    }

    #[test]
    fn distances_go_the_short_way_round() {
        assert_eq!(around(0.9, 0.1, 1.0), 0.1 - 0.9 + 1.0);
        assert!((around(0.1, 0.9, 1.0) + 0.2).abs() < 1e-15);
        assert_eq!(around(0.25, 0.75, 1.0), 0.5);
        assert_eq!(around(0.25, 5.25, 1.0), 0.0);
    }
}
