//! Answers of `catalog`.

use loopwright_catalog::LoopRow;

use super::table::{Table, optional, or_dash};

pub fn human(answer: &CatalogAnswer<'_>, outputs: &[String]) -> String {
    let CatalogAnswer { rows_read, rows } = answer;
    let mut text = String::new();
    if !rows.is_empty() {
        let mut table = Table::new("<loop | <kind | m/s | deg/s | seconds | slide cm/s | moved mm | <grade");
        for row in *rows {
            table.row(vec![
                row.output.clone(),
                row.kind.clone(),
                format!("{:.2}", row.speed_mps),
                format!("{:+.1}", row.turn_rate_dps),
                format!("{:.3}", row.period_secs),
                optional(row.foot_slide_cmps, 1),
                optional(row.displacement_mm, 1),
                or_dash(row.grade.as_ref()),
            ]);
        }
        text += &table.render();
    }
    text += &format!("{} of {rows_read} loops\n", rows.len());
    for output in outputs {
        text += &format!("{output}\n");
    }
    text
}

/// The answer of catalog.
#[in_schema]
pub struct CatalogAnswer<'a> {
    /// Rows of all catalogs that were read.
    pub rows_read: usize,
    /// Rows that fit the filters, in the order asked for.
    #[schemars(with = "Vec<crate::schema_words::CatalogRow>")]
    pub rows: &'a [LoopRow],
}
