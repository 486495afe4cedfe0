//! Choices in JSON, by name.

use std::{fmt::Display, str::FromStr};

use loopwright_core::analysis::MotionKind;
use serde::{Deserialize, Deserializer, Serializer, de::Error};

/// Writes the name of a choice.
pub fn serialize<T: Display, S: Serializer>(choice: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(choice)
}

/// Reads a choice by its name. Errors: the name is unknown.
pub fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    String::deserialize(from)?.parse().map_err(Error::custom)
}

/// Reads what a body does, in the words of today.
pub fn read_kind<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.map(MotionKind::respell))
}

/// The same for a choice that may be unknown.
pub mod optional_word {
    use super::{Deserialize, Deserializer, Display, Error, FromStr, Serializer};

    /// Writes the name of the choice, or null.
    pub fn serialize<T: Display, S: Serializer>(choice: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
        match choice {
            Some(choice) => to.collect_str(choice),
            None => to.serialize_none(),
        }
    }

    /// Reads a choice by its name. Errors: the name is unknown.
    pub fn deserialize<'de, T, D>(from: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let word = Option::<String>::deserialize(from)?;
        word.map(|word| word.parse().map_err(Error::custom)).transpose()
    }
}
