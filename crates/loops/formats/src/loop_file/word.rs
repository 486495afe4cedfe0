//! Serializes choices by name.

use std::{fmt::Display, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serde_json::Value;

/// Writes the name of a choice.
pub(crate) fn serialize<T: Display, S: Serializer>(choice: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(choice)
}

/// Reads a choice by its name. Errors: the name is unknown.
pub(crate) fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    String::deserialize(from)?.parse().map_err(Error::custom)
}

/// Serializes an optional choice by its name.
pub(crate) mod optional_word {
    use super::{Deserialize, Deserializer, Display, Error, FromStr, Serialize, Serializer};

    pub(crate) fn serialize<T: Display, S: Serializer>(choice: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
        choice.as_ref().map(ToString::to_string).serialize(to)
    }

    pub(crate) fn deserialize<'de, T, D>(from: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let word = Option::<String>::deserialize(from)?;
        word.map(|word| word.parse().map_err(Error::custom)).transpose()
    }
}

/// Reads a choice that a later version may have extended: an unknown name gives `None`.
pub(crate) fn if_known<'de, T: FromStr, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    Ok(Value::deserialize(from)?.as_str().and_then(|word| word.parse().ok()))
}
