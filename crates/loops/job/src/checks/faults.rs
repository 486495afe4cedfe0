//! Checks for motion that no body makes, whatever the take does. Values are multiples of the least fault that a person sees.

use loopwright_core::quality::JointPeak;
use loopwright_formats::loop_file::facts::CheckFacts;

use super::{
    Measure, Subject,
    root::WALKS_MPS,
    row::{CheckRow, LimitsFrom},
    subject::pulls_back,
};

/// A fault shows from 1 on, and anyone sees it from 2 on.
const LIMITS: LimitsFrom = LimitsFrom::fixed(1.0, 2.0);

/// Returns the check of a fault.
fn check(row: &CheckRow, subject: &Subject, peak: Option<JointPeak>) -> Option<CheckFacts> {
    let peak = peak?;
    Some(subject.of_joint(peak.joint, peak.sample, row.graded(peak.ratio, 1.0)))
}

/// Ignores, on a robot, faults that only a living body cannot have.
fn of_living(subject: &Subject, peak: Option<JointPeak>) -> Option<JointPeak> {
    peak.filter(|_| subject.skeleton.hinges().is_none())
}

crate::check_rows! {
    pub(super) of Measure by Measure::OfLoop;

    SPIKE {
        id: "spike",
        measures: "how far a joint leaves the path of its neighbours in time for a moment, over the least that shows",
        limits: LIMITS,
        cure: "a cleaner capture, or another loop from `loopwright find`",
        says: "{joint} jumps aside{at}",
        measure: |row, subject| check(row, subject, subject.quality.faults.spike),
    }

    SHAKE {
        id: "shake",
        measures: "how much joints tremble, over the least that shows",
        limits: LIMITS,
        cure: "a cleaner capture, or --smooth 10",
        says: "{joint} trembles, most{at}",
        measure: |row, subject| check(row, subject, subject.quality.faults.shake),
    }

    STUTTER {
        id: "stutter",
        measures: "how unevenly the whole body moves from sample to sample, over the least that shows: frames held or lost, few keys",
        limits: LIMITS,
        cure: "a cleaner capture, or another loop from `loopwright find`",
        says: "the body moves in steps, most{at}",
        measure: |row, subject| check(row, subject, subject.quality.faults.stutter),
    }

    BEARS {
        id: "bears",
        measures: "longest time in which nothing bears a body that goes on legs and it does not fall, over the least that shows, or speed of a walk over the fastest; not in place",
        limits: LIMITS,
        cure: "a cleaner capture; --set take.feet names the feet, --unit and --up how the file is read",
        says: "{joint}{at} does not bear the body as a leg does, and it does not fall",
        measure: |row, subject| {
            let quality = subject.quality;
            let goes = quality.root_mps >= WALKS_MPS * quality.body_size && !subject.stays_in_place();
            check(
                row,
                subject,
                quality.faults.bears.filter(|_| goes && !pulls_back(subject.mode)),
            )
        },
    }

    ANATOMY {
        id: "anatomy",
        measures: "bones, knees, shoulders, feet, head or pace as no body has them, over the least that shows",
        limits: LIMITS,
        cure: "another take, or a rig whose joints follow the body",
        says: "{joint} is not as a body has and moves it, most{at}",
        measure: |row, subject| check(row, subject, of_living(subject, subject.quality.faults.anatomy)),
    }

    STIFF {
        id: "stiff",
        measures: "how still a limb is while its partner moves, or all above moving legs, over the least that shows",
        limits: LimitsFrom::never_bad(1.0),
        cure: "another take, if nothing holds the limb",
        says: "{joint} does not move, and the rest does",
        measure: |row, subject| check(row, subject, of_living(subject, subject.quality.faults.stiff)),
    }
}
