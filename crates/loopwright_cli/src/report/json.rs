//! JSON with stable keys, and what answers of several commands begin or end with.

use serde::Serialize;

use crate::exit::Failure;

/// Pretty JSON with a final line end.
pub(super) fn text<T: Serialize>(value: &T) -> String {
    // Structs of numbers and strings always serialise; an empty object would say nothing wrong.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_else(|_| "{}".to_owned());
    text.push('\n');
    text
}

/// Why there is no answer, in the words of stderr.
#[derive(Serialize)]
pub(super) struct Refusal<'a> {
    what: &'a str,
    because: &'a [String],
    #[serde(rename = "try")]
    hint: Option<&'a str>,
}

impl<'a> Refusal<'a> {
    pub(super) fn of(failure: &'a Failure) -> Self {
        Self {
            what: failure.what(),
            because: failure.details(),
            hint: failure.hint(),
        }
    }
}
