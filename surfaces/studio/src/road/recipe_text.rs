//! A recipe handed over as its text.

use loopwright_job::Recipe;
use serde::{Deserialize as _, Deserializer, Serializer, de, ser};

pub fn serialize<S: Serializer>(recipe: &Recipe, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&recipe.to_text().map_err(ser::Error::custom)?)
}

pub fn deserialize<'de, D: Deserializer<'de>, T: From<Recipe>>(deserializer: D) -> Result<T, D::Error> {
    Ok(Recipe::read(String::deserialize(deserializer)?.as_bytes())
        .map_err(de::Error::custom)?
        .into())
}
