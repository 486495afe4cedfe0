//! Checks of a loop whose time is not as recorded: docs/math/time.md.

use loopwright_formats::loop_file::facts::CheckFacts;

use super::{
    Measure,
    row::{CheckRow, LimitsFrom, value},
};

/// Returns a check with a change, percent, limited either way.
fn changed(row: &CheckRow, percent: f64) -> CheckFacts {
    CheckFacts {
        value: Some(percent),
        ..row.graded(percent.abs(), 1.0)
    }
}

fn more_or_less(check: &CheckFacts, more: &str, less: &str) -> String {
    let percent = value(check);
    format!("{:.0}% {}", percent.abs(), if percent > 0.0 { more } else { less })
}

crate::check_rows! {
    pub(super) of Measure by Measure::OfTime;

    LENGTH {
        id: "time-length",
        measures: "how much longer it lasts than recorded, limited either way; refused beyond -20 and 25",
        unit: "%",
        limits: LimitsFrom::never_bad(10.0),
        cure: "a length nearer to the recorded one, or a take at that pace",
        reason: |check| format!("it is {} than recorded", more_or_less(check, "slower", "faster")),
        measure: |row, retimed| changed(row, 100.0 * (retimed.length - 1.0)),
    }

    STRIDE {
        id: "time-stride",
        measures: "how much longer its strides are than recorded, limited either way; refused beyond -15 and 12",
        unit: "%",
        limits: LimitsFrom::never_bad(7.0),
        cure: "--set output.keep=stride, or a take at that speed",
        reason: |check| {
            format!(
                "its strides are {} than recorded",
                more_or_less(check, "longer", "shorter")
            )
        },
        measure: |row, retimed| changed(row, 100.0 * (retimed.stride - 1.0)),
    }

    FOOTFALLS {
        id: "time-footfalls",
        measures: "how far touch-downs are moved against each other; refused beyond 8",
        unit: "% of a cycle",
        limits: LimitsFrom::never_bad(4.0),
        cure: "touch-downs nearer to the recorded ones in output.contact",
        reason: |check| {
            format!(
                "it limps: touch-downs are moved by {:.0}% of a cycle against each other",
                value(check)
            )
        },
        measure: |row, retimed| row.graded(100.0 * retimed.footfalls, 1.0),
    }

    ACCELERATION {
        id: "time-acceleration",
        measures: "accelerations of joints over those recorded, the 95th percentiles, at its length",
        limits: LimitsFrom::never_bad(1.15),
        cure: "touch-downs, length and speed nearer to the recorded ones",
        reason: |check| {
            format!(
                "limbs accelerate {:.2} times as hard as recorded at its pace",
                value(check)
            )
        },
        measure: |row, retimed| row.graded(retimed.acceleration, 1.0),
    }
}
