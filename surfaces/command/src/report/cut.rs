//! Answers of `cut`.

use loopwright_formats::{
    loop_file::facts::{Grade, TakeFacts},
    set::{ClipKind, PassageFacts},
};

use super::{
    figures::counted,
    table::{Table, or_dash},
};

/// A loop that passages begin and end in.
#[in_schema]
pub struct LoopRow {
    /// Its name.
    pub name: String,
    /// Its file; null for a stance of one pose of the take.
    pub file: Option<String>,
}

/// A kind that was looked for and not found.
#[in_schema]
pub struct Missing {
    /// The kind.
    #[schemars(with = "crate::schema_words::ClipKind")]
    pub kind: ClipKind,
    /// Why there is none.
    pub why: String,
}

/// The answer of `cut`.
#[in_schema]
pub struct CutAnswer {
    /// The take.
    #[schemars(with = "crate::schema_words::Take")]
    pub take: TakeFacts,
    /// The loops that passages begin and end in.
    pub loops: Vec<LoopRow>,
    /// The passages, by kind, those of one name with the cheapest first.
    #[schemars(with = "Vec<crate::schema_words::Passage>")]
    pub passages: Vec<PassageFacts>,
    /// What was looked for and not found.
    pub missing: Vec<Missing>,
}

/// Words the answer of `cut`, for files in this folder.
pub fn human(answer: &CutAnswer, folder: &str) -> String {
    let mut table =
        Table::new("<passage | <kind | <from | <to | frames | seconds | turn deg | travel m | cost m s | <grade");
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
            match (passage.grade, &passage.reason) {
                (Some(grade), Some(reason)) if grade > Grade::Good => format!("{grade}: {reason}"),
                (grade, _) => or_dash(grade),
            },
        ]);
    }
    let mut text = table.render();
    text += &format!("{} in {folder}\n", counted(answer.passages.len(), "passage"));
    for missing in &answer.missing {
        text += &format!("no {}: {}\n", in_text(missing.kind), missing.why);
    }
    text
}

/// The name of a kind in running text.
pub fn in_text(kind: ClipKind) -> String {
    kind.as_str().replace('_', " ")
}
