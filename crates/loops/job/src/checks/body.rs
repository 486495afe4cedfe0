//! Checks of the whole body inside the loop.

use loopwright_core::analysis::MOVING_MPS;
use loopwright_formats::loop_file::facts::CheckFacts;

use super::{
    Measure,
    row::{Limits, LimitsFrom, at, value},
};

/// On all fours, and in lying bodies, the head is level with the feet; a resting body may lie.
const LYING: Limits = Limits::new(100.0, 110.0);

crate::check_rows! {
    pub(super) of Measure by Measure::OfLoop;

    KINK {
        id: "kink",
        measures: "second difference of a joint inside the loop over its largest in the take",
        limits: LimitsFrom::fixed(2.0, 4.0),
        cure: "another loop from `loopwright find`",
        cure_of_ping_pong: "a softer turn, such as --set stretch.ease=1, or --lock-feet off",
        says: "{joint} jerks{at}, {size} times as much as in the take",
        measure: |row, subject| {
            let is_compared = !subject.is_meant_to_differ || subject.is_varied;
            let kink = subject.quality.kink.filter(|_| is_compared)?;
            Some(subject.of_joint(kink.joint, kink.sample, row.graded(kink.ratio, 1.0)))
        },
    }

    HELD_POSE {
        id: "held-pose",
        measures: "time for which the whole body stands still while the loop goes somewhere",
        unit: "s",
        limits: LimitsFrom::fixed(0.1, 0.25),
        cure: "another loop from `loopwright find`",
        reason: |check| format!("the body freezes for {:.2} s{}", value(check), at(check)),
        measure: |row, subject| {
            let held = subject.quality.held_pose;
            // A pose may be held in an idle or a dance.
            if subject.quality.root_mps < MOVING_MPS * subject.quality.body_size {
                return None;
            }
            Some(CheckFacts {
                time_secs: Some(subject.secs(held.sample)),
                ..row.graded(held.secs, 1.0)
            })
        },
    }

    DISPLACEMENT {
        id: "displacement",
        measures: "mean distance of joints from the take",
        unit: "mm",
        limits: LimitsFrom::Body(Limits::new(0.022, 0.045), 1e3),
        cure: "a shorter --blend, or another loop from `loopwright find`",
        reason: |check| format!("closing moved joints by {:.0} mm on average", value(check)),
        measure: |row, subject| {
            let metres = subject.quality.displacement_metres.filter(|_| !subject.is_meant_to_differ)?;
            Some(row.graded(1e3 * metres, subject.quality.body_size))
        },
    }

    UPRIGHT {
        id: "upright",
        measures: "angle from feet to head against up; on all fours or at rest, 100 is good; not for a body that rolls",
        unit: "deg",
        limits: LimitsFrom::fixed(50.0, 110.0),
        cure: "--up, if the file states another axis than the body shows",
        reason: |check| {
            let degrees = value(check);
            if degrees > 90.0 {
                "the body is upside down".to_owned()
            } else {
                format!("the body leans by {degrees:.0} degrees")
            }
        },
        measure: |row, subject| {
            let quality = subject.quality;
            let degrees = quality.lean_radians?.to_degrees();
            let goes = quality.root_mps >= MOVING_MPS * quality.body_size;
            Some(if subject.body.feet.len() <= 2 && goes {
                row.graded(degrees, 1.0)
            } else {
                row.graded_by(LYING, degrees)
            })
        },
    }
}

crate::check_rows! {
    pub(super) of Measure by Measure::OfTake;

    SCALE {
        id: "scale",
        measures: "whether joints of the take change their scale and the file written does not hold it",
        limits: LimitsFrom::never_bad(0.0),
        cure: "glTF in and out, which keeps it",
        says: "joints of the take change their scale, and the file written does not",
        // The format is known only when the loop is written: see `verdict::of_written`.
        measure: |_, _| None,
    }
}
