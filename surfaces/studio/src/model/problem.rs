//! Texts of problems.

use super::{CharacterError, ExportError, MadeError, OpenError, SetError};

/// A problem that is shown until another one replaces it, or until it is dismissed.
#[error_sum]
pub enum Problem {
    /// A take or a set cannot be opened.
    #[error("cannot open this file: {0}")]
    Open(#[from] OpenError),
    /// The example walk cannot be read with other settings.
    #[error("this walk is an example without a file: open a take first")]
    Example,
    /// The system has no dialog for files.
    #[error("this system shows no dialog for files: drop them on the window, or type a path under Open")]
    NoDialog,
    /// A map of joints needs a take on a character.
    #[error(
        "this map of joints is for a take on a character: put the take on one, or drop a recipe that names both, then the map again"
    )]
    MapAlone,
    /// A link names a take that is not open.
    #[error("this link is to a loop of {0}: open that take, and the loop is made as the link says")]
    Linked(String),
    /// Some files of a group were left out.
    #[error("left out: {}", listed(.0))]
    LeftOut(Vec<(String, String)>),
    /// A loop cannot be made.
    #[error("cannot make this loop: {0}")]
    Make(#[from] MadeError),
    /// A loop cannot be written.
    #[error("cannot write this loop: {0}")]
    Export(#[from] ExportError),
    /// A set cannot be made.
    #[error("cannot make this set: {0}")]
    Set(#[from] SetError),
}

/// Most files named in the list of those left out.
const MOST_NAMED: usize = 6;

/// Lists files with reasons, grouped by reason.
fn listed(left_out: &[(String, String)]) -> String {
    let mut by_reason: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, reason) in left_out {
        match by_reason.iter_mut().find(|(known, _)| known == reason) {
            Some((_, names)) => names.push(name),
            None => by_reason.push((reason, vec![name])),
        }
    }
    by_reason
        .into_iter()
        .map(|(reason, names)| {
            let more = names.len().saturating_sub(MOST_NAMED);
            let mut text = names[..names.len() - more].join(", ");
            if more > 0 {
                text += &format!(" and {more} more");
            }
            format!("{text} ({reason})")
        })
        .collect::<Vec<_>>()
        .join("; ")
}

impl Problem {
    /// Returns advice, if there is any.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Open(
                OpenError::Read(error)
                | OpenError::Character(CharacterError::Read(loopwright_formats::CharacterError::Read(error))),
            ) if error.lacks_other_file() => Some(if cfg!(target_arch = "wasm32") {
                "Drop the files that it names together with it, or export it as one .glb."
            } else {
                "Put the files that it names beside it, or export it as one .glb."
            }),
            _ => None,
        }
    }
}
