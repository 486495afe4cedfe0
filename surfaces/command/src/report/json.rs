//! JSON documents: the parts that all of them share.
//!
//! docs/formats/json.md describes them; docs/formats/loopwright.schema.json is their schema, with the meaning of each key.

use loopwright_formats::{
    Sidecar,
    loop_file::{AnimationFacts, PackSidecar, VERSION, to_text},
};
use serde::{Serialize, Serializer};

use crate::{exit::Failure, talk};

#[in_schema]
pub struct Document<'a, T> {
    /// What the document is.
    format: String,
    /// Version of the shape. Within a version keys are only added.
    #[schemars(extend("const" = VERSION))]
    version: u32,
    #[serde(flatten)]
    facts: T,
    /// Why the command failed; left out where it did not.
    #[absent]
    pub error: Option<ErrorFacts<'a>>,
    /// What the user was warned about, one sentence each.
    pub warnings: Vec<String>,
    /// Files written, as they were named.
    outputs: &'a [String],
}

/// Why a command failed, with the same wording as on stderr.
#[in_schema]
pub struct ErrorFacts<'a> {
    /// What happened and where.
    pub message: &'a str,
    /// Facts behind it, one sentence each.
    pub because: &'a [String],
    /// One thing to try.
    #[serde(rename = "try")]
    pub hint: Option<&'a str>,
    /// The exit status: 1 where nothing was found, 2 for an error, 130 where nothing was found before the keyboard stopped it.
    #[schemars(extend("enum" = [1, 2, 130]))]
    pub exit_status: u8,
}

impl<'a> ErrorFacts<'a> {
    pub fn new(failure: &'a Failure) -> Self {
        Self {
            message: failure.what(),
            because: failure.details(),
            hint: failure.hint(),
            exit_status: failure.exit_status(),
        }
    }
}

impl Serialize for Failure {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        ErrorFacts::new(self).serialize(to)
    }
}

/// Returns the document of one kind: its facts, then why the command failed, its warnings, and the files it wrote.
pub fn document<T: Serialize>(kind: &str, facts: T, failure: Option<&Failure>, outputs: &[String]) -> String {
    text(&Document::new(kind, facts, failure, outputs))
}

/// Returns the document of one kind on one line.
pub fn line<T: Serialize>(kind: &str, facts: T, failure: Option<&Failure>, outputs: &[String]) -> String {
    Document::new(kind, facts, failure, outputs).line()
}

impl<'a, T: Serialize> Document<'a, T> {
    pub fn new(kind: &str, facts: T, failure: Option<&'a Failure>, outputs: &'a [String]) -> Self {
        Self {
            format: format!("loopwright-{kind}"),
            version: VERSION,
            facts,
            error: failure.map(ErrorFacts::new),
            warnings: talk::warnings(),
            outputs,
        }
    }

    /// Returns the document on one line.
    pub fn line(&self) -> String {
        // Structs of numbers and strings always serialise.
        format!("{}\n", serde_json::to_string(self).unwrap_or_default())
    }
}

/// Several loops in one file: the answer of make --all-animations, and the JSON beside the file.
#[in_schema]
pub struct PackAnswer<'a> {
    /// The file that the animations are from, as it was named.
    file: &'a str,
    /// What became of each animation that was asked for, in the order of the file; empty where a single loop was added to a file of loops.
    #[schemars(with = "Vec<crate::schema_words::Animation>")]
    animations: &'a [AnimationFacts],
    /// The facts of every loop in the file; playback.animation names its animation.
    #[schemars(with = "Vec<crate::schema_words::Loop>")]
    loops: &'a [Sidecar],
}

/// Returns the document of several loops: the JSON beside their file, with the reason why some animations failed.
pub fn pack(pack: &PackSidecar, failure: Option<&Failure>) -> String {
    document(
        "loops",
        PackAnswer {
            file: &pack.file,
            animations: &pack.animations,
            loops: &pack.loops,
        },
        failure,
        &pack.outputs,
    )
}

pub fn text<T: Serialize>(document: &T) -> String {
    // Structs of numbers and strings always serialise; an empty object would at least contain nothing wrong.
    to_text(document).unwrap_or_else(|_| "{}\n".to_owned())
}
