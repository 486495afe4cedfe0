//! The file of a recipe's `map`: which joint of a motion each joint of a character follows.

use std::collections::BTreeMap;

use loopwright_core::retarget::Given;
use serde::{Deserialize, Serialize};

use super::RecipeError;

/// A map of joints in TOML: names of the character's joints, each with the joint it follows.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct MapFile {
    joints: BTreeMap<String, Follows>,
}

/// A joint's name, an empty text for a joint at rest, or two names and the share of the second.
#[derive(Deserialize, Serialize)]
#[serde(
    untagged,
    expecting = "expected a joint's name, \"\" for one that rests, or two names and a share: [\"Spine\", \"Chest\", 0.5]"
)]
enum Follows {
    One(String),
    Between((String, String, f64)),
}

impl Follows {
    fn new(given: Given) -> Self {
        match given {
            Given::Rest => Self::One(String::new()),
            Given::Joint(name) => Self::One(name),
            Given::Between(from, toward, share) => Self::Between((from, toward, share)),
        }
    }

    fn given(self) -> Given {
        match self {
            Self::One(name) if name.is_empty() => Given::Rest,
            Self::One(name) => Given::Joint(name),
            Self::Between((from, toward, share)) => Given::Between(from, toward, share),
        }
    }
}

/// Reads the map in the bytes of a file: names of a character's joints, each with the joint it follows. Errors: the bytes are
/// not text, or not a map.
pub fn read_joint_map(bytes: &[u8]) -> Result<Vec<(String, Given)>, RecipeError> {
    let read: MapFile =
        toml::from_str(str::from_utf8(bytes).map_err(|_| RecipeError::NotText)?).map_err(RecipeError::from_toml)?;
    Ok(read
        .joints
        .into_iter()
        .map(|(joint, follows)| (joint, follows.given()))
        .collect())
}

/// Returns the text of a map. Errors: a number that TOML cannot hold.
pub fn joint_map_text(names: impl IntoIterator<Item = (String, Given)>) -> Result<String, RecipeError> {
    toml::to_string(&MapFile {
        joints: names
            .into_iter()
            .map(|(joint, given)| (joint, Follows::new(given)))
            .collect(),
    })
    .map_err(|error| RecipeError::Write(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_read_as_it_was_written() {
        let names = vec![
            ("hand".to_owned(), Given::Rest),
            (
                "spine".to_owned(),
                Given::Between("Spine".to_owned(), "Chest".to_owned(), 0.25),
            ),
            ("thigh".to_owned(), Given::Joint("LeftUpLeg".to_owned())),
        ];
        let text = joint_map_text(names.clone()).unwrap();
        assert_eq!(read_joint_map(text.as_bytes()).unwrap(), names);
    }

    #[test]
    fn what_is_no_map_is_refused() {
        for text in ["joints = 3", "[joints]\nhand = 3", "[take]\nsmooth = 6", "", "joints"] {
            assert!(read_joint_map(text.as_bytes()).is_err(), "{text}");
        }
        assert_eq!(read_joint_map(&[0xFF]).unwrap_err(), RecipeError::NotText);
    }
}
