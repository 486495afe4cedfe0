//! Answers of `catalog`.

use std::fmt::Write;

use loopwright_catalog::LoopRow;
use serde::Serialize;

use super::json;
use super::table::{Table, optional};

pub(crate) fn human(num_read: usize, rows: &[LoopRow], outputs: &[String]) -> String {
    let mut text = String::new();
    if !rows.is_empty() {
        let mut table = Table::new("<loop | <kind | m/s | deg/s | seconds | slide cm/s | moved mm | <grade");
        for row in rows {
            table.row(vec![
                row.output.clone(),
                row.kind.clone(),
                format!("{:.2}", row.speed_mps),
                format!("{:+.1}", row.turn_rate_dps),
                format!("{:.3}", row.period_secs),
                optional(row.foot_slide_cmps, 1),
                optional(row.displacement_mm, 1),
                row.grade.clone().unwrap_or_else(|| "-".to_owned()),
            ]);
        }
        text.push_str(&table.render());
    }
    let _ = writeln!(text, "{} of {num_read} loops", rows.len());
    for output in outputs {
        let _ = writeln!(text, "{output}");
    }
    text
}

/// The rows as they stand in the catalogs.
pub(crate) fn json(rows_read: usize, rows: &[LoopRow], outputs: &[String]) -> String {
    #[derive(Serialize)]
    struct Answer<'a> {
        rows_read: usize,
        rows: &'a [LoopRow],
    }
    json::document("catalog", Answer { rows_read, rows }, None, outputs)
}
