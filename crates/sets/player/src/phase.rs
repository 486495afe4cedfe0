//! The share of a loop's time at a phase of its set, and the other way. Formula: docs/formats/set.md.

use core::f64::consts::{PI, TAU};

use loopwright_core::math::ops;

/// Returns the share of a loop's time at a phase: p + warp sin^2(pi p), which increases for |warp| < 1/pi.
pub(crate) fn share_at(phase: f64, warp: f64) -> f64 {
    let sine = ops::sin(PI * phase.fract());
    phase + warp * sine * sine
}

/// Returns the phase at a share of a loop's time: Newton's steps, kept in a bracket.
pub(crate) fn phase_at(share: f64, warp: f64) -> f64 {
    if warp == 0.0 {
        return share;
    }
    let (cycles, share) = (share.floor(), share - share.floor());
    let (mut low, mut high, mut phase) = (0.0, 1.0, share);
    for _ in 0..60 {
        let over = share_at(phase, warp) - share;
        if over > 0.0 {
            high = phase;
        } else {
            low = phase;
        }
        let next = phase - over / (1.0 + PI * warp * ops::sin(TAU * phase));
        let next = if next > low && next < high {
            next
        } else {
            0.5 * (low + high)
        };
        if over.abs() < 1e-15 || next == phase {
            break;
        }
        phase = next;
    }
    cycles + phase
}
