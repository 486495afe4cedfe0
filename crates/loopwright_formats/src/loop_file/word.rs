//! Choices in JSON, by the words that people write.

use std::{fmt::Display, str::FromStr};

use serde::{Deserialize, Deserializer, Serializer, de::Error};

/// Writes the word of a choice.
pub(super) fn serialize<T: Display, S: Serializer>(choice: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(choice)
}

/// Reads a choice by its word. Errors: the word names none.
pub(super) fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    String::deserialize(from)?.parse().map_err(Error::custom)
}

/// The same, where nothing between the quotes stands for the default.
pub(super) mod word_or_default {
    pub(in super::super) use super::serialize;
    use super::{Deserialize, Deserializer, Display, Error, FromStr};

    pub(in super::super) fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display> + Default,
        D: Deserializer<'de>,
    {
        match String::deserialize(from)?.as_str() {
            "" => Ok(T::default()),
            word => word.parse().map_err(Error::custom),
        }
    }
}
