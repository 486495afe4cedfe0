//! Checks of faults that come once a cycle, as multiples of the least that shows.

use loopwright_core::analysis::FoundBy;
use loopwright_core::quality::JointPeak;
use loopwright_formats::loop_file::facts::CheckFacts;

use super::row::{Check, CheckRow, Limits, LimitsFrom, at, joint};
use super::{Measure, Subject};

type Reason = fn(&CheckFacts) -> String;
type OfLoop = fn(&CheckRow, &Subject<'_>) -> Option<CheckFacts>;

/// Creates a check whose cure is another stretch or a cleaner take.
const fn fault(id: &'static str, measures: &'static str, reason: Reason, measure: OfLoop) -> Check<Measure> {
    Check {
        row: CheckRow {
            id,
            measures,
            unit: "",
            limits: LimitsFrom::Row(Limits::new(1.0, 2.0)),
            cure: "a cleaner take, or another loop from `loopwright find`",
            cure_of_ping_pong: None,
            reason,
        },
        measure: Measure::OfLoop(measure),
    }
}

/// Grades a fault; in a clip that is kept as it is it is only noted.
fn of_peak(row: &CheckRow, subject: &Subject<'_>, peak: JointPeak) -> CheckFacts {
    let check = subject.of_joint(peak.joint, peak.sample, row.graded(peak.ratio, 1.0));
    if subject.is_kept { check.noted() } else { check }
}

pub(super) const SPIKE: Check<Measure> = fault(
    "spike",
    "how far a joint leaves its course for a moment, over the least that shows",
    |check| format!("{} leaves its course for a moment{}", joint(check), at(check)),
    |row, subject| Some(of_peak(row, subject, subject.quality.faults.spike)),
);

pub(super) const SHAKE: Check<Measure> = fault(
    "shake",
    "how much a joint trembles throughout, over the least that shows",
    |check| format!("{} trembles, most{}", joint(check), at(check)),
    |row, subject| Some(of_peak(row, subject, subject.quality.faults.shake)),
);

pub(super) const STUTTER: Check<Measure> = fault(
    "stutter",
    "how unevenly poses follow each other, as after frames that are held or lost, over the least that shows",
    |check| format!("the motion stutters: {} stops or leaps{}", joint(check), at(check)),
    |row, subject| Some(of_peak(row, subject, subject.quality.faults.stutter)),
);

pub(super) const BEARING: Check<Measure> = fault(
    "bearing",
    "time for which nothing carries the body and it does not fall, over 0.1 s (0.2 s of feet without toes); only noted of bodies that swim, fly, glide or ride",
    |check| match check.joint {
        Some(_) => format!("{} should carry the body{} and does not", joint(check), at(check)),
        None => "nothing carries the body, as if it swam, flew, glided or rode".to_owned(),
    },
    |row, subject| {
        let faults = &subject.quality.faults;
        if subject.stays_in_place() || subject.body.found_by == FoundBy::AllLeaves {
            return None;
        }
        let check = of_peak(row, subject, faults.bearing);
        Some(if faults.is_on_legs {
            check
        } else {
            CheckFacts {
                joint: None,
                time_secs: None,
                ..check.noted()
            }
        })
    },
);

pub(super) const BONES: Check<Measure> = fault(
    "bones",
    "how much a bone changes, a limb differs from that of the other side, or a shoulder is off the trunk, over the least that shows",
    |check| format!("the bone of {} has a wrong length, most{}", joint(check), at(check)),
    |row, subject| Some(of_peak(row, subject, subject.quality.faults.bones)),
);

pub(super) const BENDS: Check<Measure> = fault(
    "bends",
    "how far a knee bends backwards, a trunk twists, or a head turns, over the least that no body does",
    |check| format!("{} bends or turns as no body does, most{}", joint(check), at(check)),
    |row, subject| Some(of_peak(row, subject, subject.quality.faults.bends)),
);

pub(super) const STIFF: Check<Measure> = fault(
    "stiff",
    "how much less a limb moves than others, over what is noted; never graded",
    |check| format!("{} hardly moves{}", joint(check), at(check)),
    |row, subject| Some(of_peak(row, subject, subject.quality.faults.stiff).noted()),
);
