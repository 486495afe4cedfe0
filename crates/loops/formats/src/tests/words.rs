//! Schemas of choices written as words. Tests of several crates share this file.

use std::str::FromStr;

use loopwright_core::words::UnknownWord;
use schemars::{Schema, SchemaGenerator, json_schema};

/// Returns the words of a choice.
pub(crate) fn word<T: FromStr<Err = UnknownWord>>(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": words::<T>() })
}

/// Returns the words of a choice, or null.
pub(crate) fn optional_word<T: FromStr<Err = UnknownWord>>(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "null"], "enum": words::<T>() })
}

fn words<T: FromStr<Err = UnknownWord>>() -> Vec<&'static str> {
    "".parse::<T>().err().unwrap().known
}
