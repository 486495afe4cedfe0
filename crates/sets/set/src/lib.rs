//! Uses of loops, from files to files: passages between them ([`CutPassages`]), blends ([`Blend`]), sequences ([`Played`]),
//! checks of several loops together ([`check_together`]), and sets of all of these ([`set`]), made of takes in one call
//! ([`road`]).
//!
//! Requests and errors are values, as in `loopwright_job`, whose recipes, checks and stored loops are used here. Nothing here
//! reads or writes files.

#[macro_use]
extern crate loopwright_attributes;

mod blend;
mod cut;
mod framed;
mod passage_check;
mod play;
pub mod road;
pub mod set;
mod together;

use loopwright_job::checks::{CheckId, CheckRow};

pub use blend::{Blend, BlendRequest, MixError};
pub use cut::{CutPassages, CutRequest, CutTakeError, CutWriteError, STANCE, own_loops};
pub use framed::{FrameError, Framed};
pub use passage_check::{PassageCheckId, PassageInFile, check_passage, clip_kind};
pub use play::{PerformError, PlayRequest, Played, fade};
pub use together::{LoopOfSet, SetCheckId, check_together};

/// Returns the row of the check with this id: of a loop, of several together, or of a passage.
pub fn check_row(id: &str) -> Option<&'static CheckRow> {
    CheckId::row_of(id)
        .or_else(|| SetCheckId::row_of(id))
        .or_else(|| PassageCheckId::row_of(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids are unique and can be parsed, and docs/checks.md has the rows of all checks, with units and limits.
    #[test]
    fn every_check_is_explained() {
        let page = include_str!("../../../../docs/checks.md");
        let of_sets = SetCheckId::ALL.map(SetCheckId::row);
        let of_passages = PassageCheckId::ALL.map(PassageCheckId::row);
        for id in SetCheckId::ALL {
            assert_eq!(id.as_str().parse(), Ok(id));
        }
        for id in PassageCheckId::ALL {
            assert_eq!(id.as_str().parse(), Ok(id));
        }
        for rows in [&of_sets[..], &of_passages] {
            for row in rows {
                assert!(core::ptr::eq(check_row(row.id).unwrap(), *row), "{} twice", row.id);
            }
            let table: String = rows.iter().map(|row| format!("{row}\n")).collect();
            assert!(
                page.contains(&format!("| --- |\n{table}\n")),
                "docs/checks.md lacks this table:\n{table}"
            );
        }
    }
}
