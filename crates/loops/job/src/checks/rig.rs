//! Checks of a loop on a character, compared with its source.

use loopwright_core::{Skeleton, retarget::JointAngle};
use loopwright_formats::loop_file::facts::CheckFacts;

use super::{
    Measure,
    row::{CheckRow, LimitsFrom, said, value},
};

/// Returns a check with the angle that was found.
pub(super) fn graded(row: &CheckRow, found: JointAngle, skeleton: &Skeleton) -> CheckFacts {
    let degrees = found.radians.to_degrees();
    CheckFacts {
        value: Some(degrees),
        joint: Some(skeleton.joint(found.joint).name.clone()),
        ..row.graded(degrees.abs(), 1.0)
    }
}

/// The remedy if the source was compared in a pose that is not its own.
const BY_REFERENCE: &str = "--set take.reference=auto, or a frame or file in which the source stands straight; --map";

crate::check_rows! {
    pub(super) of Measure by Measure::OnCharacter;

    LEAN {
        id: "rig-lean",
        measures: "lean of the trunk on a character against the source",
        unit: "deg",
        limits: LimitsFrom::fixed(5.0, 15.0),
        cure: BY_REFERENCE,
        says: "the trunk leans by {size} degrees otherwise than in the take",
        measure: |likeness| likeness.lean,
    }

    FEET {
        id: "rig-feet",
        measures: "tilt of a foot that stands flat in the source on a character, the median",
        unit: "deg",
        limits: LimitsFrom::fixed(12.0, 25.0),
        cure: "--set take.reference=auto, or a frame or file in which the source stands straight; --lock-feet off",
        says: "{joint} stands tilted by {size} degrees",
        measure: |likeness| likeness.foot,
    }

    GAZE {
        id: "rig-gaze",
        measures: "how much lower the head looks on a character than in the source, but for take.gaze; limited either way",
        unit: "deg",
        limits: LimitsFrom::fixed(12.0, 30.0),
        cure: BY_REFERENCE,
        reason: |check| {
            said(
                if value(check) > 0.0 {
                    "{joint} looks {size} degrees lower than in the take"
                } else {
                    "{joint} looks {size} degrees higher than in the take"
                },
                check,
            )
        },
        measure: |likeness| likeness.gaze,
    }

    KNEES {
        id: "rig-knees",
        measures: "mean bend of a knee on a character above that in the source, limited either way",
        unit: "deg",
        limits: LimitsFrom::fixed(12.0, 25.0),
        cure: BY_REFERENCE,
        reason: |check| {
            said(
                if value(check) > 0.0 {
                    "{joint} bends {size} degrees more than in the take"
                } else {
                    "{joint} bends {size} degrees less than in the take"
                },
                check,
            )
        },
        measure: |likeness| likeness.knee,
    }

    ARMS {
        id: "rig-arms",
        measures: "mean twist of an upper arm or forearm on a character against the source, limited either way",
        unit: "deg",
        limits: LimitsFrom::fixed(12.0, 30.0),
        cure: BY_REFERENCE,
        says: "{joint} is twisted by {size} degrees",
        measure: |likeness| likeness.arm,
    }
}
