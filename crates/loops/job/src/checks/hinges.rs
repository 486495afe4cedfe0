//! Checks of a robot's hinges.

use super::{
    Measure,
    row::{LimitsFrom, at, joint, value},
};

/// Angles in files are rounded.
const ROUNDING_DEGREES: f64 = 0.01;

crate::check_rows! {
    pub(super) of Measure by Measure::OfLoop;

    ANGLE {
        id: "limit-angle",
        measures: "angle of a robot's joint beyond its limits",
        unit: "deg",
        limits: LimitsFrom::fixed(ROUNDING_DEGREES, 1.0),
        cure: "another loop from `loopwright find`",
        reason: |check| {
            let (joint, at, degrees) = (joint(check), at(check), value(check));
            format!("{joint} goes {degrees:.1} degrees beyond its limit{at}")
        },
        measure: |row, subject| {
            let peak = subject.quality.hinges.angle?;
            Some(subject.of_joint(peak.joint, peak.sample, row.graded(peak.ratio.to_degrees(), 1.0)))
        },
    }

    SPEED {
        id: "limit-speed",
        measures: "speed of a robot's joint over its largest",
        limits: LimitsFrom::fixed(1.0, 1.2),
        cure: "--set output.speed with a lower speed",
        reason: |check| {
            let (joint, at, times) = (joint(check), at(check), value(check));
            format!("{joint} turns {times:.2} times as fast as it can{at}")
        },
        measure: |row, subject| {
            let peak = subject.quality.hinges.speed?;
            Some(subject.of_joint(peak.joint, peak.sample, row.graded(peak.ratio, 1.0)))
        },
    }
}
