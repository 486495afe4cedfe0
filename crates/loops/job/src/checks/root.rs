//! Checks of the root motion.

use loopwright_formats::loop_file::facts::Unmeasured;

use super::{
    Measure,
    row::{Limits, LimitsFrom, value},
    subject::RESTS_MPS,
};

/// Speed above which a root travels, metres per second at the size of an adult.
pub(super) const WALKS_MPS: f64 = 0.05;

/// Speed above which a root creeps, up to [`WALKS_MPS`], metres per second at the size of an adult: nobody walks so slowly, and within a
/// minute the root leaves its place.
const CREEPS_MPS: f64 = 0.01;

crate::check_rows! {
    pub(super) of Measure by Measure::OfLoop;

    DRIFT {
        id: "root-drift",
        measures: "speed of a root that goes nowhere",
        unit: "cm/s",
        limits: LimitsFrom::Body(Limits::never_bad(CREEPS_MPS), 1e2),
        cure: "--root-motion in-place",
        reason: |check| {
            let cmps = value(check);
            format!("the root creeps at {cmps:.1} cm/s; --root-motion in-place keeps it where it is")
        },
        measure: |row, subject| {
            let quality = subject.quality;
            if !subject.mode.moves_root() || quality.root_mps >= WALKS_MPS * quality.body_size {
                return None;
            }
            // The row's own limit, multiplied in another order, because sidecars hold its last bit.
            Some(row.graded_by(Limits::never_bad(1e2 * (CREEPS_MPS * quality.body_size)), 1e2 * quality.root_mps))
        },
    }

    SPEED {
        id: "root-speed",
        measures: "speed over the ground; never graded",
        unit: "m/s",
        limits: LimitsFrom::Loop(["-", "-"]),
        cure: "--set output.root-speed=3.2 states it, in m/s",
        says: "the speed over the ground is not known",
        measure: |row, subject| {
            let mps = subject.quality.root_mps;
            // A body whose name says that it travels, but that stays in place, has an unknown speed if its feet show none.
            let is_hidden = mps < RESTS_MPS && row.is_unknown(subject.known);
            Some(if subject.is_speed_known && !is_hidden {
                row.graded(mps, 1.0)
            } else {
                row.unmeasured(Unmeasured::Unknown)
            })
        },
    }
}
