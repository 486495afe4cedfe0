//! JSON documents: the parts that all of them share.
//!
//! docs/formats/json.md describes them; docs/formats/loopwright.schema.json is their schema, with the meaning of each key.

use loopwright_formats::Sidecar;
use loopwright_formats::loop_file::{AnimationFacts, PackSidecar, VERSION, to_text};
use serde::Serialize;

use crate::{exit::Failure, talk};

#[derive(Serialize)]
struct Document<'a, T> {
    format: String,
    version: u32,
    #[serde(flatten)]
    facts: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorFacts<'a>>,
    warnings: Vec<String>,
    outputs: &'a [String],
}

/// Why a command failed, with the same wording as on stderr.
#[derive(Serialize)]
pub(super) struct ErrorFacts<'a> {
    pub(super) message: &'a str,
    pub(super) because: &'a [String],
    #[serde(rename = "try")]
    pub(super) hint: Option<&'a str>,
    pub(super) exit_status: u8,
}

impl<'a> ErrorFacts<'a> {
    pub(super) fn new(failure: &'a Failure) -> Self {
        Self {
            message: failure.what(),
            because: failure.details(),
            hint: failure.hint(),
            exit_status: failure.exit_status(),
        }
    }
}

/// Returns the document of one kind: its facts, then why the command failed, its warnings, and the files it wrote.
pub(crate) fn document<T: Serialize>(kind: &str, facts: T, failure: Option<&Failure>, outputs: &[String]) -> String {
    text(&Document::new(kind, facts, failure, outputs))
}

/// Returns the document of one kind on one line.
pub(crate) fn line<T: Serialize>(kind: &str, facts: T, failure: Option<&Failure>, outputs: &[String]) -> String {
    // Structs of numbers and strings always serialise.
    let line = serde_json::to_string(&Document::new(kind, facts, failure, outputs));
    format!("{}\n", line.unwrap_or_default())
}

impl<'a, T> Document<'a, T> {
    fn new(kind: &str, facts: T, failure: Option<&'a Failure>, outputs: &'a [String]) -> Self {
        Self {
            format: format!("loopwright-{kind}"),
            version: VERSION,
            facts,
            error: failure.map(ErrorFacts::new),
            warnings: talk::warnings(),
            outputs,
        }
    }
}

/// The document of several loops: that of the file beside them, and why some animations failed.
pub(crate) fn pack(pack: &PackSidecar, failure: Option<&Failure>) -> String {
    #[derive(Serialize)]
    struct Answer<'a> {
        file: &'a str,
        animations: &'a [AnimationFacts],
        loops: &'a [Sidecar],
    }
    let answer = Answer {
        file: &pack.file,
        animations: &pack.animations,
        loops: &pack.loops,
    };
    document("loops", answer, failure, &pack.outputs)
}

pub(crate) fn text<T: Serialize>(document: &T) -> String {
    // Structs of numbers and strings always serialise; an empty object would at least contain nothing wrong.
    to_text(document).unwrap_or_else(|_| "{}\n".to_owned())
}
