//! Answers of `cut`.

use std::fmt::Write;

use loopwright_formats::loop_file::facts::TakeFacts;
use loopwright_formats::set::{ClipKind, PassageFacts};
use serde::Serialize;

use super::table::Table;

/// A loop that passages begin and end in.
#[derive(Serialize)]
pub(crate) struct LoopRow {
    pub(crate) name: String,
    /// None for the stance of one pose.
    pub(crate) file: Option<String>,
}

/// A kind that was looked for and not found.
#[derive(Serialize)]
pub(crate) struct Missing {
    pub(crate) kind: ClipKind,
    pub(crate) why: String,
}

/// The answer of `cut`.
#[derive(Serialize)]
pub(crate) struct CutAnswer {
    pub(crate) take: TakeFacts,
    pub(crate) loops: Vec<LoopRow>,
    pub(crate) passages: Vec<PassageFacts>,
    pub(crate) missing: Vec<Missing>,
}

/// The answer of `cut`, for files in that folder.
pub(crate) fn human(answer: &CutAnswer, folder: &str) -> String {
    let mut table = Table::new("<passage | <kind | <from | <to | frames | seconds | turn deg | travel m | cost m s");
    for passage in &answer.passages {
        let [x, _, z] = passage.travel_m;
        table.row(vec![
            passage.name.clone(),
            in_text(passage.kind),
            passage.from.clip.clone(),
            passage.to.clip.clone(),
            passage.frames.to_string(),
            format!("{:.2}", passage.duration_secs),
            format!("{:.0}", passage.turn_deg.round() + 0.0),
            format!("{:.2}", loopwright_core::math::ops::hypot(x, z)),
            format!("{:.3}", passage.cost_metre_secs),
        ]);
    }
    let mut text = table.render();
    let count = answer.passages.len();
    let _ = writeln!(
        text,
        "{count} {} in {folder}",
        if count == 1 { "passage" } else { "passages" }
    );
    for missing in &answer.missing {
        let _ = writeln!(text, "no {}: {}", in_text(missing.kind), missing.why);
    }
    text
}

/// A kind as texts name it.
pub(crate) fn in_text(kind: ClipKind) -> String {
    kind.as_str().replace('_', " ")
}
