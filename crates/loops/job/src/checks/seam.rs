//! Checks of the seam.

use loopwright_core::quality::{SEAM_ACCELERATION, Step};
use loopwright_formats::loop_file::facts::CheckFacts;

use super::{
    Measure, Subject,
    row::{CheckRow, Limits, LimitsFrom},
};

const OWN_MOTION: LimitsFrom =
    LimitsFrom::Loop(["[its own motion](math/measures.md#whether-a-seam-shows)", "the same"]);

const CLOSE: &str = "close it again with `loopwright make` or `loopwright close`";

const OF_PING_PONG: &str =
    "a softer turn, such as --set stretch.ease=1, or other frames from `loopwright find --ping-pong`";

crate::check_rows! {
    pub(super) of Measure by Measure::OfLoop;

    POSITION {
        id: "seam-position",
        measures: "how far a joint jumps over the seam",
        unit: "mm",
        limits: OWN_MOTION,
        cure: CLOSE,
        cure_of_ping_pong: OF_PING_PONG,
        says: "{joint} jumps by {size} mm at the seam",
        measure: |row, subject| Some(of_step(row, subject, subject.quality.seam.position, 1e3)),
    }

    ROTATION {
        id: "seam-rotation",
        measures: "how far a joint turns over the seam",
        unit: "deg",
        limits: OWN_MOTION,
        cure: CLOSE,
        cure_of_ping_pong: OF_PING_PONG,
        says: "{joint} turns by {size} degrees at the seam",
        measure: |row, subject| {
            Some(of_step(row, subject, subject.quality.seam.rotation, 1f64.to_degrees()))
        },
    }

    VELOCITY {
        id: "seam-velocity",
        measures: "how much a joint changes its velocity over the seam",
        unit: "cm/s",
        limits: OWN_MOTION,
        cure: CLOSE,
        cure_of_ping_pong: OF_PING_PONG,
        says: "{joint} changes its speed by {size} cm/s at the seam",
        measure: |row, subject| Some(of_step(row, subject, subject.quality.seam.velocity, 1e2)),
    }

    TURN_RATE {
        id: "seam-turn-rate",
        measures: "how much a joint changes its rate of turn over the seam",
        unit: "deg/s",
        limits: OWN_MOTION,
        cure: CLOSE,
        cure_of_ping_pong: OF_PING_PONG,
        says: "{joint} changes its rate of turn by {size} degrees per second at the seam",
        measure: |row, subject| {
            Some(of_step(row, subject, subject.quality.seam.angular_velocity, 1f64.to_degrees()))
        },
    }

    ACCELERATION {
        id: "seam-acceleration",
        measures: "second difference at the seam over the joint's own 99th percentile",
        limits: LimitsFrom::fixed(SEAM_ACCELERATION, 3.0),
        cure: "a longer --blend, --closure auto, or another loop from `loopwright find`",
        cure_of_ping_pong: OF_PING_PONG,
        says: "{joint} jerks at the seam, {size} times as much as in the rest of the loop",
        measure: |row, subject| {
            let sharpest = subject.quality.seam_acceleration;
            Some(subject.of_joint(sharpest.joint, sharpest.sample, row.graded(sharpest.ratio, 1.0)))
        },
    }
}

/// Grades a step over the seam; `scale` converts the figure to the unit of the check.
fn of_step(row: &CheckRow, subject: &Subject, step: Step, scale: f64) -> CheckFacts {
    let allowed = scale * step.allowed;
    let check = row.graded_by(Limits::new(allowed, allowed), scale * step.size);
    subject.of_joint(step.joint, step.sample, check)
}
